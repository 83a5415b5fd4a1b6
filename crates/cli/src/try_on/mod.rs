//! `toile try-on`: a garment drafted or read, sewn around a body, draped, drawn and told about.

mod views;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget};
use miette::{IntoDiagnostic, Result, miette};
use toile::files::glb::{GlbAnimation, GlbInterpolation, GlbNormals, GlbObstacle};
use toile::garment::{Stage, TryOn, TryOnError, Wearer, Worn};
use toile::scene::Model;
use toile_files::{atomic::write_atomic, obj::save_obj};
use toile_garment::draft::Design;
use toile_garment::{Pattern, file, garmentcode, svg};

use crate::args::Global;
use crate::body::{described, explain, with_help};
use crate::{pattern, say};

pub(crate) const AFTER_HELP: &str = "Examples:\n  \
    toile try-on --garment t-shirt --body woman-38 --out worn\n  \
    toile try-on --garment a-line-skirt --size M --fabric denim --quality final --out worn\n  \
    toile try-on --garment my-pattern.toml --body scan.obj --out worn\n\n\
    The folder gets front.png, side.png, back.png, views.png, garment.obj, body.obj, worn.glb, pattern.svg and report.json.";

#[derive(Args, Debug)]
pub(crate) struct TryOnArgs {
    /// A garment to draft (t-shirt, tank-top, a-line-skirt, …) or a pattern file (TOML, `GarmentCode` JSON)
    #[arg(long, value_name = "NAME|FILE")]
    garment: String,
    /// Letter size it is cut for (XS to XXL) [default: made to measure]
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// Who wears it: a size (woman-38, man-50), a file of measurements (TOML), or a scan (OBJ, PLY, STL)
    #[arg(long, default_value = "woman-38", value_name = "NAME|FILE")]
    body: String,
    /// What it is made of, from `toile fabric list` or a file [default: what suits the garment]
    #[arg(long, value_name = "NAME|FILE")]
    fabric: Option<String>,
    /// Changes a number of the draft, in metres or degrees; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = pattern::parse_setting)]
    set: Vec<(String, f64)>,
    /// How fine
    #[arg(long, value_enum, default_value_t = Quality::Draft)]
    quality: Quality,
    /// What cloth is while it drapes
    #[arg(long, value_enum, default_value_t = Drape::Fem)]
    model: Drape,
    /// Drape for at most so long [s]
    #[arg(long, value_name = "S", default_value_t = 8.0)]
    most_time: f64,
    /// Folder to write to
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Quality {
    /// Vertices 20 mm apart
    Draft,
    /// 10 mm
    Final,
    /// 5 mm
    Fine,
}

impl Quality {
    /// Distance between vertices [m].
    fn distance(self) -> f64 {
        match self {
            Self::Draft => 0.02,
            Self::Final => 0.01,
            Self::Fine => 0.005,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Drape {
    /// A fabric with measured stiffnesses: finite elements
    Fem,
    /// Particles at allowed distances
    Constraint,
}

pub(crate) fn try_on(args: &TryOnArgs, global: &Global) -> Result<ExitCode> {
    if !(0.0..=1000.0).contains(&args.most_time) {
        return Err(miette!(help = "give 0 to 1000 seconds", "draping for {} s", args.most_time));
    }
    let wearer = Wearer::new(&described(&args.body)).map_err(explain)?;
    let (design, pattern) = cut(args, &wearer)?;
    let fabric = args.fabric.clone().unwrap_or_else(|| usual_fabric(design).to_owned());
    toile::fabric::find(&fabric)?;
    let model = if args.model == Drape::Fem { Model::Fem } else { Model::Constraint };
    let distance = args.quality.distance();
    let mut wish = TryOn { model, most_time: args.most_time, ..TryOn::new(pattern, wearer) };
    wish.garments[0].cloth.fabric = fabric;
    wish.garments[0].distance = distance;
    let worn = run(&wish, global)?;
    write(&args.out, &wish, &worn)?;
    words::tell(&args.out, &wish, &worn.report, global);
    let good = worn.report.verdict.is_clean() && !worn.report.fallen;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(wish: &TryOn, global: &Global) -> Result<Worn> {
    let target = if global.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let spinner = ProgressBar::with_draw_target(None, target);
    let worn = wish.run(&mut |progress| {
        let what = match progress.stage {
            Stage::Sewing => "sewing: longest stitch",
            Stage::Draping => "draping: way in a quarter of a second",
        };
        spinner.set_message(format!("{what} {:.1} mm, {:.2} s", 1e3 * progress.left, progress.time));
        spinner.tick();
    });
    spinner.finish_and_clear();
    worn.map_err(|error| match error {
        TryOnError::World(error) => explain(error),
        other => with_help(&other.to_string()),
    })
}

/// The pattern, and its design if it was drafted.
fn cut(args: &TryOnArgs, wearer: &Wearer) -> Result<(Option<Design>, Pattern)> {
    let path = Path::new(&args.garment);
    if let Some(extension) = path.extension() {
        if args.size.is_some() || !args.set.is_empty() {
            let help = "leave out --size and --set, or name a garment to draft";
            return Err(miette!(help = help, "{} is cut as it is drawn", path.display()));
        }
        let read = if extension.eq_ignore_ascii_case("json") { garmentcode::load(path) } else { file::load(path) };
        return Ok((None, read.map_err(pattern::told)?.pattern));
    }
    let design = pattern::design(&args.garment)?;
    let measurements = match &args.size {
        None => wearer.figuring.measurements,
        Some(word) => pattern::letter(word)?.measurements(wearer.figuring.figure),
    };
    Ok((Some(design), pattern::drafted(design, &measurements, &args.set)?))
}

/// What suits a garment.
fn usual_fabric(design: Option<Design>) -> &'static str {
    match design {
        Some(Design::TShirt | Design::TankTop) => "jersey-knit",
        Some(Design::ALineSkirt | Design::PencilSkirt | Design::Trousers) => "wool-suiting",
        Some(Design::ShiftDress | Design::Tablecloth | Design::RoundTablecloth) => "linen",
        Some(Design::Cape | Design::Poncho) => "wool-melton",
        _ => "cotton-poplin",
    }
}

/// Writes everything, the report last.
fn write(folder: &Path, wish: &TryOn, worn: &Worn) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| miette!("{}: {e}", folder.display()))?;
    let (garment, body) = (worn.world.cloth_mesh(), wish.wearer.mesh());
    for (name, png) in views::draw(worn, &body)? {
        write_atomic(&folder.join(name), &png).into_diagnostic()?;
    }
    save_obj(&folder.join("garment.obj"), &garment).into_diagnostic()?;
    save_obj(&folder.join("body.obj"), &body).into_diagnostic()?;
    let mut glb =
        GlbAnimation::new(&wish.garments[0].pattern.name, &garment, 1.0, GlbInterpolation::Linear, GlbNormals::Base)
            .into_diagnostic()?;
    glb.set_colors(&vec![views::FABRIC; garment.vertex_count()]).into_diagnostic()?;
    let strain: Vec<f32> = worn.world.particle_strain().iter().map(|s| *s as f32).collect();
    glb.set_strain(&strain).into_diagnostic()?;
    let skin = GlbObstacle { name: &wish.wearer.described.name, mesh: &body, color: views::SKIN };
    glb.add_obstacle(skin).into_diagnostic()?;
    glb.push_frame(&garment.positions).into_diagnostic()?;
    glb.save(&folder.join("worn.glb")).into_diagnostic()?;
    write_atomic(&folder.join("pattern.svg"), svg::to_svg(&wish.garments[0].pattern).as_bytes()).into_diagnostic()?;
    let report = format!("{:#}\n", words::json(folder, wish, &worn.report));
    write_atomic(&folder.join("report.json"), report.as_bytes()).into_diagnostic()
}

/// Prints a line unless nothing shall be said.
fn told(line: impl std::fmt::Display, global: &Global) {
    if !global.quiet && !global.json {
        say(line);
    }
}
