//! Everything that is written about a garment that was put on.

use std::path::Path;

use miette::{IntoDiagnostic, Result, miette};
use rayon::prelude::*;
use toile_files::{atomic::write_atomic, obj::save_obj};
use toile_garment::sheet::{Allowances, SheetOptions, pieces, to_pdf};
use toile_garment::svg;
use toile_scene::{ClothShape, Scene, keep_worn};

use super::maps::MAPS;
use super::page::{self, Pictures};
use super::views::Stage;
use super::worn::Worn;
use super::{Tried, words};
use crate::results;

/// Writes everything about one garment, `report.json` last.
pub(super) fn write(folder: &Path, tried: &Tried) -> Result<()> {
    make(folder)?;
    let save = |name: &str, bytes: &[u8]| write_atomic(&folder.join(name), bytes).into_diagnostic();
    let (mut views, mut turntable, mut maps) = (Vec::new(), Vec::new(), Vec::new());
    if tried.is_drawn {
        let stage = Stage::new(tried);
        let pictures = stage.pictures()?;
        for (name, png) in &pictures {
            save(name, png)?;
        }
        views = pictures.into_iter().find(|(name, _)| *name == "views.png").map_or_else(Vec::new, |(_, png)| png);
        turntable = stage.turntable()?;
        save("turntable.gif", &turntable)?;
        let fit = &tried.fit;
        let drawn = MAPS.par_iter().map(|map| map.draw(&stage, fit)).collect::<Result<Vec<_>>>()?;
        for (map, png) in MAPS.iter().zip(drawn) {
            save(map.file, &png)?;
            maps.push((map.title, png));
        }
    }
    save_obj(&folder.join("garment.obj"), &tried.garment().mesh()).into_diagnostic()?;
    save_obj(&folder.join("body.obj"), &tried.wearer().mesh).into_diagnostic()?;
    let (pattern, paper) = (&tried.garment().asked.pattern, sheet_options(tried));
    let drawing = svg::to_svg(pattern, &paper).map_err(|e| miette!("{e}"))?;
    save("pattern.svg", drawing.as_bytes())?;
    save("pattern.pdf", &to_pdf(pattern, &paper).map_err(|e| miette!("{e}"))?)?;
    let pictures = Pictures { views: &views, turntable: &turntable, maps: &maps, pattern: &drawing };
    save("report.html", page::html(tried, &pictures).as_bytes())?;
    save("report.json", format!("{:#}\n", words::json(folder, tried)).as_bytes())
}

/// Writes what is worn together as one result for other programs, and as a scene with the garments as they are worn, which
/// `toile render` and `toile info` read.
pub(super) fn write_worn(folder: &Path, all: &[Tried], scene: &Scene) -> Result<()> {
    make(folder)?;
    let worn = Worn::new(all);
    results::write_obj(&worn, &folder.join("result.obj"))?;
    results::write_glb(&worn, &folder.join("result.glb"))?;
    results::write_usda(&worn, &folder.join("result.usda"))?;
    match all.first() {
        Some(tried) => Ok(keep_worn(scene, &tried.dressed, folder)?),
        None => Ok(()),
    }
}

/// How the pattern is drawn to be sewn from; without allowances where its outlines leave them no room.
fn sheet_options(tried: &Tried) -> SheetOptions {
    let cloth = tried.scene.cloth.get(tried.garment().cloth);
    let size = match cloth.map(|cloth| &cloth.shape) {
        Some(ClothShape::Garment(shape)) => shape.size.clone(),
        _ => String::new(),
    };
    let options = SheetOptions { size, ..SheetOptions::default() };
    if pieces(&tried.garment().asked.pattern, &options).is_ok() {
        options
    } else {
        SheetOptions { allowances: Allowances::NONE, ..options }
    }
}

pub(super) fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| miette!("{}: {e}", folder.display()))
}
