//! `toile try-on`: a garment drafted or read, sewn around a body, draped, measured, drawn and told about.

mod files;
mod maps;
mod page;
mod sizes;
mod texture;
mod views;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget};
use miette::{Result, miette};
use toile::garment::fit::{Fit, FitInput};
use toile::garment::{Stage, TryOn, TryOnError, Wearer, Worn};
use toile::scene::Model;
use toile_body::{Measurements, complete};
use toile_garment::draft::Design;
use toile_garment::{Pattern, file, garmentcode};

use crate::args::Global;
use crate::body::{described, explain, with_help};
use crate::{pattern, say};

pub(crate) const AFTER_HELP: &str = "Examples:\n  \
    toile try-on --garment t-shirt --body woman-38 --out worn\n  \
    toile try-on --garment a-line-skirt --size M --fabric denim --quality final --out worn\n  \
    toile try-on --garment shift-dress --body woman-42 --compare-sizes S,M,L --out sizes\n  \
    toile try-on --garment my-pattern.toml --body scan.obj --out worn\n\n\
    The folder gets report.html with everything to look at; front.png, side.png, back.png, views.png, turntable.gif; maps of the\n\
    fit as fit-*.png; result.glb with the garment and the body, texture coordinates from the pattern and the maps as vertex\n\
    attributes; garment.obj, body.obj, pattern.svg and report.json. With --compare-sizes each size has a folder of its own.";

#[derive(Args, Debug)]
pub(crate) struct TryOnArgs {
    /// A garment to draft (t-shirt, tank-top, a-line-skirt, …) or a pattern file (TOML, `GarmentCode` JSON)
    #[arg(long, value_name = "NAME|FILE")]
    garment: String,
    /// Size it is cut for: a letter (XS to XXL) or a body's size (woman-38, man-50) [default: made to measure]
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// Tries on several sizes and recommends one
    #[arg(long, value_name = "SIZE,SIZE,…", value_delimiter = ',', conflicts_with = "size")]
    compare_sizes: Vec<String>,
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
    /// Height of the views [pixels]; maps and the turntable are smaller in proportion
    #[arg(long, value_name = "PIXELS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(50..=4000))]
    picture_height: u32,
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

/// A garment that was put on and looked at.
struct Tried {
    wish: TryOn,
    worn: Worn,
    fit: Fit,
    /// Height of views [pixels].
    picture_height: u32,
}

impl Tried {
    /// Whether nothing is wrong with it as a simulation.
    fn is_good(&self) -> bool {
        self.worn.report.verdict.is_clean() && !self.worn.report.fallen
    }
}

pub(crate) fn try_on(args: &TryOnArgs, global: &Global) -> Result<ExitCode> {
    if !(0.0..=1000.0).contains(&args.most_time) {
        return Err(miette!(help = "give 0 to 1000 seconds", "draping for {} s", args.most_time));
    }
    let wearer = Wearer::new(&described(&args.body)).map_err(explain)?;
    let good = if args.compare_sizes.is_empty() {
        let cut = Cut::new(args, args.size.as_deref(), &wearer)?;
        let tried = put_on(args, &cut, &wearer, global)?.map_err(told_off)?;
        files::write(&args.out, &tried)?;
        words::tell(&args.out, &tried, global);
        tried.is_good()
    } else {
        sizes::compare(args, &wearer, global)?
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Puts a garment on; the inner error says why it cannot be.
fn put_on(args: &TryOnArgs, cut: &Cut, wearer: &Wearer, global: &Global) -> Result<Result<Tried, TryOnError>> {
    let fabric = args.fabric.clone().unwrap_or_else(|| usual_fabric(cut.design).to_owned());
    let made_of = toile::fabric::find(&fabric)?.fabric;
    let model = if args.model == Drape::Fem { Model::Fem } else { Model::Constraint };
    let (distance, most_time) = (args.quality.distance(), args.most_time);
    let wish = TryOn { fabric, distance, model, most_time, ..TryOn::new(cut.pattern.clone(), wearer.clone()) };
    let worn = match run(&wish, global) {
        Ok(worn) => worn,
        Err(error) => return Ok(Err(error)),
    };
    let fit = Fit::of(&FitInput {
        x: &worn.world.state().x,
        triangles: worn.world.triangles(),
        cut: &worn.welded.flat,
        borders: &worn.flat.sewn().borders,
        fabric: &made_of,
        body: &wearer.mesh(),
        landmarks: &wearer.figuring.landmarks,
        cut_for: cut.measurements.as_ref(),
    });
    Ok(Ok(Tried { wish, worn, fit, picture_height: args.picture_height }))
}

fn run(wish: &TryOn, global: &Global) -> Result<Worn, TryOnError> {
    let target = if global.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let spinner = ProgressBar::with_draw_target(None, target);
    let worn = wish.run(&mut |progress| {
        let what = match progress.stage {
            Stage::Sewing => "sewing: longest stitch",
            Stage::Draping => "draping: farthest way in a quarter of a second",
        };
        spinner.set_message(format!("{what} {:.1} mm, {:.2} s", 1e3 * progress.left, progress.time));
        spinner.tick();
    });
    spinner.finish_and_clear();
    worn
}

fn told_off(error: TryOnError) -> miette::Report {
    match error {
        TryOnError::World(error) => explain(error),
        other => with_help(&other.to_string()),
    }
}

/// What is put on.
struct Cut {
    /// Its design, if it was drafted.
    design: Option<Design>,
    pattern: Pattern,
    /// The body that it was drafted for.
    measurements: Option<Measurements>,
}

impl Cut {
    fn new(args: &TryOnArgs, size: Option<&str>, wearer: &Wearer) -> Result<Self> {
        let path = Path::new(&args.garment);
        if let Some(extension) = path.extension() {
            if size.is_some() || !args.set.is_empty() {
                let help = "leave out --size, --compare-sizes and --set, or name a garment to draft";
                return Err(miette!(help = help, "{} is cut as it is drawn", path.display()));
            }
            let read = if extension.eq_ignore_ascii_case("json") { garmentcode::load(path) } else { file::load(path) };
            return Ok(Self { design: None, pattern: read.map_err(pattern::told)?.pattern, measurements: None });
        }
        let design = pattern::design(&args.garment)?;
        let measurements = match size.map(str::trim) {
            None => wearer.figuring.measurements,
            Some(word) => match toile_body::sizes::named(word) {
                Some(body) => complete(body.figure, &body.given),
                None => pattern::letter(word)?.measurements(wearer.figuring.figure),
            },
        };
        let pattern = pattern::drafted(design, &measurements, &args.set)?;
        Ok(Self { design: Some(design), pattern, measurements: Some(measurements) })
    }
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

/// Prints a line unless nothing shall be said.
fn told(line: impl std::fmt::Display, global: &Global) {
    if !global.quiet && !global.json {
        say(line);
    }
}
