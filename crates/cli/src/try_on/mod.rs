//! `toile try-on`: garments drafted or read, sewn around a body, draped, measured, drawn and told about.

mod compare;
mod fabrics;
mod files;
mod maps;
mod page;
mod sizes;
mod texture;
pub(crate) mod views;
mod walk;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use miette::{Result, miette};
use serde_json::{Value, json};
use toile::garment::fit::{Fit, FitInput};
use toile::garment::usual_fabric;
use toile::garment::{Garment, TryOn, TryOnError, Wearer, Worn, WornGarment};
use toile::scene::Model;
use toile_body::{Measurements, complete};
use toile_garment::draft::Design;
use toile_garment::{Pattern, file, garmentcode};

use crate::args::Global;
use crate::body::{described, explain, with_help};
use crate::run::{dressing_spinner, tell_dressing};
use crate::{pattern, say};

pub(crate) const AFTER_HELP: &str = "Examples:\n  \
    toile try-on --garment t-shirt --body woman-38 --out worn\n  \
    toile try-on --garment a-line-skirt --size M --fabric denim --quality final --out worn\n  \
    toile try-on --garment shift-dress --body woman-42 --compare-sizes S,M,L --out sizes\n  \
    toile try-on --garment circle-skirt --compare-fabrics silk-habotai,wool-suiting,denim --out fabrics\n  \
    toile try-on --garment trousers --garment t-shirt --walk 4 --out worn\n  \
    toile try-on --garment my-pattern.toml --body scan.obj --out worn\n\n\
    The folder gets report.html with everything to look at; front.png, side.png, back.png, views.png, turntable.gif; maps of the\n\
    fit as fit-*.png; result.glb with the garment and the body, texture coordinates from the pattern and the maps as vertex\n\
    attributes; garment.obj, body.obj, pattern.svg and report.json; scene.toml says the same as a scene. With --compare-sizes and --compare-fabrics\n\
    each has a folder of its own; so has each of several garments. --walk writes a run to the folder walk.";

#[derive(Args, Debug)]
pub(crate) struct TryOnArgs {
    /// A garment to draft (t-shirt, tank-top, a-line-skirt, …) or a pattern file (TOML, `GarmentCode` JSON); may be given several
    /// times, innermost first
    #[arg(long, value_name = "NAME|FILE", default_value = "t-shirt")]
    garment: Vec<String>,
    /// Size it is cut for: a letter (XS to XXL) or a body's size (woman-38, man-50) [default: made to measure]
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// Tries on several sizes and recommends one
    #[arg(long, value_name = "SIZE,SIZE,…", value_delimiter = ',', conflicts_with = "size")]
    compare_sizes: Vec<String>,
    /// Tries it on in several fabrics and compares how they fall
    #[arg(long, value_name = "NAME,NAME,…", value_delimiter = ',', conflicts_with_all = ["fabric", "compare_sizes", "walk"])]
    compare_fabrics: Vec<String>,
    /// Who wears it: a size (woman-38, man-50), a file of measurements (TOML), or a scan (OBJ, PLY, STL)
    #[arg(long, default_value = "woman-38", value_name = "NAME|FILE")]
    body: String,
    /// What it is made of, from `toile fabric list` or a file; for several garments in their order [default: what suits the
    /// garment]
    #[arg(long, value_name = "NAME|FILE")]
    fabric: Vec<String>,
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
    /// Sew all garments at once instead of one after the other
    #[arg(long)]
    together: bool,
    /// Then let the body move for so long [s]
    #[arg(long, value_name = "S")]
    walk: Option<f64>,
    /// How it moves: walk, catwalk, run, `arm_raise`, squat, or a BVH file
    #[arg(long, value_name = "NAME|FILE", default_value = "walk", requires = "walk")]
    motion: String,
    /// Folder to write to
    #[arg(long, short, value_name = "FOLDER", default_value = "runs/try-on")]
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

impl Drape {
    fn model(self) -> Model {
        match self {
            Self::Fem => Model::Fem,
            Self::Constraint => Model::Constraint,
        }
    }
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
    wish: Rc<TryOn>,
    worn: Rc<Worn>,
    /// Its place among the garments that are worn.
    place: usize,
    fit: Fit,
    /// Height of views [pixels].
    picture_height: u32,
}

impl Tried {
    /// The garment as it is worn.
    fn garment(&self) -> &WornGarment {
        &self.worn.garments[self.place]
    }

    /// The garment as it was asked for.
    fn asked(&self) -> &Garment {
        &self.wish.garments[self.garment().number]
    }

    /// Whether nothing is wrong with it as a simulation.
    fn is_good(&self) -> bool {
        self.worn.report.verdict.is_clean() && self.worn.report.slipped.is_empty()
    }
}

pub(crate) fn try_on(args: &TryOnArgs, global: &Global) -> Result<ExitCode> {
    if !(0.0..=1000.0).contains(&args.most_time) {
        return Err(miette!(help = "give 0 to 1000 seconds", "draping for {} s", args.most_time));
    }
    let comparing = !(args.compare_sizes.is_empty() && args.compare_fabrics.is_empty());
    if args.garment.len() > 1 && (comparing || !args.set.is_empty()) {
        let help = "give one --garment, or write a scene: see `toile scene --reference`";
        return Err(miette!(help = help, "sizes, fabrics and numbers of several garments at once"));
    }
    let wearer = Wearer::new(&described(&args.body)).map_err(explain)?;
    if !args.compare_sizes.is_empty() {
        return Ok(code(sizes::compare(args, &wearer, global)?));
    }
    if !args.compare_fabrics.is_empty() {
        return Ok(code(fabrics::compare(args, &wearer, global)?));
    }
    let motion = args.walk.map(|seconds| walk::scene(args, seconds)).transpose()?;
    let cuts = args.garment.iter().map(|garment| Cut::new(args, garment, args.size.as_deref(), &wearer));
    let cuts = cuts.collect::<Result<Vec<_>>>()?;
    let all = put_on(args, &cuts, &args.fabric, &wearer, global)?.map_err(told_off)?;
    let folder = |tried: &Tried| match all.len() {
        1 => args.out.clone(),
        _ => args.out.join(&tried.garment().name),
    };
    for tried in &all {
        files::write(&folder(tried), tried)?;
    }
    files::write_scene(&args.out, &walk::still(args)?)?;
    words::tell(&args.out, &all, global);
    if let Some(scene) = motion {
        walk::run(scene, &args.out.join("walk"), global)?;
    }
    Ok(code(all.iter().all(Tried::is_good)))
}

/// Seconds that each part of a try-on takes on the clock, with everything written to its folder.
pub(crate) fn clocked(args: &TryOnArgs, global: &Global) -> Result<Value> {
    let whole = Instant::now();
    let clock = Instant::now();
    let wearer = Wearer::new(&described(&args.body)).map_err(explain)?;
    let body = clock.elapsed().as_secs_f64();
    let cuts = [Cut::new(args, &args.garment[0], args.size.as_deref(), &wearer)?];
    let clock = Instant::now();
    let tried = put_on(args, &cuts, &args.fabric, &wearer, global)?.map_err(told_off)?.remove(0);
    let (report, worn) = (&tried.worn.report, clock.elapsed().as_secs_f64());
    let simulated =
        report.phases.mesh + report.phases.place + report.phases.sew + report.phases.weld + report.phases.drape;
    let clock = Instant::now();
    files::write(&args.out, &tried)?;
    let pictures = clock.elapsed().as_secs_f64();
    let seconds = report.sewing_time + report.draping_time;
    Ok(json!({
        "garment": tried.garment().name,
        "distance": tried.asked().distance,
        "vertices": report.vertices,
        "settled": report.settled,
        "intersections": report.verdict.total(),
        "simulated seconds": seconds,
        "clock": {
            "body": body,
            "mesh": report.phases.mesh,
            "place": report.phases.place,
            "sew": report.phases.sew,
            "weld": report.phases.weld,
            "drape": report.phases.drape,
            "fit": worn - simulated,
            "pictures and files": pictures,
            "total": whole.elapsed().as_secs_f64(),
        },
        "clock seconds per simulated second": (report.phases.sew + report.phases.drape) / seconds,
    }))
}

fn code(good: bool) -> ExitCode {
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Puts garments on, in `fabrics` or what suits them; the inner error says why they cannot be.
fn put_on(
    args: &TryOnArgs,
    cuts: &[Cut],
    fabrics: &[String],
    wearer: &Wearer,
    global: &Global,
) -> Result<Result<Vec<Tried>, TryOnError>> {
    let model = args.model.model();
    let mut garments = Vec::new();
    for (k, cut) in cuts.iter().enumerate() {
        let fabric = fabrics.get(k).map_or_else(|| cut.usual_fabric(), String::as_str);
        toile::fabric::find(fabric)?;
        let mut garment = Garment { distance: args.quality.distance(), ..Garment::new(cut.pattern.clone()) };
        fabric.clone_into(&mut garment.cloth.fabric);
        garment.cloth.layer = k as u32;
        if cuts[..k].iter().any(|other| other.pattern.name == cut.pattern.name) {
            garment.cloth.name = format!("{}-{}", cut.pattern.name, k + 1);
        }
        garments.push(garment);
    }
    let (wearer, most_time) = (wearer.clone(), args.most_time);
    let wish = TryOn { garments, wearer, model, most_time, together: args.together };
    let worn = match run(&wish, global) {
        Ok(worn) => worn,
        Err(error) => return Ok(Err(error)),
    };
    let (wish, worn) = (Rc::new(wish), Rc::new(worn));
    let tried = (0..worn.garments.len()).map(|place| {
        let fit = look(&wish, &worn, place, cuts);
        Tried { wish: wish.clone(), worn: worn.clone(), place, fit, picture_height: args.picture_height }
    });
    Ok(Ok(tried.collect()))
}

/// How a garment sits.
fn look(wish: &TryOn, worn: &Worn, place: usize, cuts: &[Cut]) -> Fit {
    let (garment, wearer) = (&worn.garments[place], &wish.wearer);
    let triangles = &garment.welded.mesh.triangles;
    Fit::of(&FitInput {
        x: &worn.world.state().x[garment.range.clone()],
        triangles,
        cut: &garment.welded.flat,
        borders: &garment.flat.sewn().borders,
        fabric: &worn.world.fabrics()[place],
        body: &wearer.mesh(),
        landmarks: &wearer.figuring.landmarks,
        cut_for: cuts[garment.number].measurements.as_ref(),
    })
}

fn run(wish: &TryOn, global: &Global) -> Result<Worn, TryOnError> {
    let spinner = dressing_spinner(global);
    let worn = wish.run(&mut |progress| tell_dressing(&spinner, progress));
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
    fn new(args: &TryOnArgs, garment: &str, size: Option<&str>, wearer: &Wearer) -> Result<Self> {
        let path = Path::new(garment);
        if let Some(extension) = path.extension() {
            if size.is_some() || !args.set.is_empty() {
                let help = "leave out --size, --compare-sizes and --set, or name a garment to draft";
                return Err(miette!(help = help, "{} is cut as it is drawn", path.display()));
            }
            let read = if extension.eq_ignore_ascii_case("json") { garmentcode::load(path) } else { file::load(path) };
            return Ok(Self { design: None, pattern: read.map_err(pattern::told)?.pattern, measurements: None });
        }
        let design = pattern::design(garment)?;
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

    /// What suits it.
    fn usual_fabric(&self) -> &'static str {
        usual_fabric(self.design.map_or("", Design::word))
    }
}

/// Prints a line unless nothing shall be said.
fn told(line: impl std::fmt::Display, global: &Global) {
    if !global.quiet && !global.json {
        say(line);
    }
}
