//! Everything that is written about a garment that was put on.

use std::path::Path;

use miette::{IntoDiagnostic, Result, miette};
use rayon::prelude::*;
use toile_files::glb::{GlbAnimation, GlbInterpolation, GlbNormals, GlbObstacle};
use toile_files::{atomic::write_atomic, obj::save_obj};
use toile_garment::sheet::{Allowances, SheetOptions, pieces, to_pdf};
use toile_garment::svg;
use toile_scene::{ClothShape, Scene};
use toile_tailor::fit::Field;
use toile_view::linear_from_srgb;

use super::maps::MAPS;
use super::page::{self, Pictures};
use super::views::{self, Stage};
use super::{Tried, words};

/// Writes everything, `report.json` last.
pub(super) fn write(folder: &Path, tried: &Tried) -> Result<()> {
    make(folder)?;
    let save = |name: &str, bytes: &[u8]| write_atomic(&folder.join(name), bytes).into_diagnostic();
    let stage = Stage::new(tried);
    let views = stage.pictures()?;
    for (name, png) in &views {
        save(name, png)?;
    }
    let turntable = stage.turntable()?;
    save("turntable.gif", &turntable)?;
    let fit = &tried.fit;
    let drawn = MAPS.par_iter().map(|map| map.draw(&stage, fit)).collect::<Result<Vec<_>>>()?;
    let mut maps = Vec::new();
    for (map, png) in MAPS.iter().zip(drawn) {
        save(map.file, &png)?;
        maps.push((map.title, png));
    }
    save_obj(&folder.join("garment.obj"), &stage.garment).into_diagnostic()?;
    save_obj(&folder.join("body.obj"), &tried.wearer().mesh).into_diagnostic()?;
    glb(tried)?.save(&folder.join("result.glb")).into_diagnostic()?;
    let (pattern, paper) = (&tried.garment().asked.pattern, sheet_options(tried));
    let drawing = svg::to_svg(pattern, &paper).map_err(|e| miette!("{e}"))?;
    save("pattern.svg", drawing.as_bytes())?;
    save("pattern.pdf", &to_pdf(pattern, &paper).map_err(|e| miette!("{e}"))?)?;
    let views = views.iter().find(|(name, _)| *name == "views.png").map_or(&[][..], |(_, png)| png);
    let html = page::html(tried, &Pictures { views, turntable: &turntable, maps: &maps, pattern: &drawing });
    save("report.html", html.as_bytes())?;
    save("report.json", format!("{:#}\n", words::json(folder, tried)).as_bytes())
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

/// Writes a try-on as a scene.
pub(super) fn write_scene(folder: &Path, scene: &Scene) -> Result<()> {
    write_atomic(&folder.join("scene.toml"), scene.to_toml().as_bytes()).into_diagnostic()
}

pub(super) fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| miette!("{}: {e}", folder.display()))
}

/// Garment and body.
fn glb(tried: &Tried) -> Result<GlbAnimation> {
    let (worn, fit, mesh) = (tried.garment(), &tried.fit, tried.garment().mesh());
    let mut glb =
        GlbAnimation::new(worn.name(), &mesh, 1.0, GlbInterpolation::Linear, GlbNormals::Base).into_diagnostic()?;
    glb.set_uv(&tried.sheet().uv).into_diagnostic()?;
    let linear = |colour: [f32; 3]| colour.map(linear_from_srgb);
    glb.set_colors(&vec![linear(views::colour(worn.fabric())); mesh.vertex_count()]).into_diagnostic()?;
    for field in Field::ALL {
        let values: Vec<f32> = fit.values(field).iter().map(|value| *value as f32).collect();
        glb.set_attribute(field.attribute(), &values).into_diagnostic()?;
    }
    let wearer = tried.wearer();
    let body = &wearer.mesh;
    glb.add_obstacle(GlbObstacle { name: &wearer.name, mesh: body, color: linear(views::SKIN) }).into_diagnostic()?;
    glb.push_frame(&mesh.positions).into_diagnostic()?;
    Ok(glb)
}
