//! `toile try-on`: garments drafted or read, sewn around a body, draped, measured, drawn and told about.

mod compare;
mod drawn;
mod fabrics;
mod files;
mod identity;
mod maps;
mod page;
mod sizes;
pub(crate) mod views;
mod wish;
mod words;
mod worn;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

use clap::{Args, FromArgMatches, ValueEnum};
use miette::{IntoDiagnostic, Result, miette};
use serde_json::{Value, json};
use toile::settings::Model;
use toile_body::length;
use toile_garment::draft::DraftError;
use toile_scene::{BuildError, Dressed, GarmentError, LeaveOut, Run, Scene, dress};
use toile_tailor::fit::{Fit, FitInput, GarmentKind, Intention};
use toile_tailor::{TryOnError, TryOnReport, Wearer, WornGarment};

use crate::args::Global;
use crate::body::{explain, with_help};
use crate::measured::{Measured, OwnSizes};
use crate::pattern::Setting;
use crate::run::{finish_clean, tell_dressing};
use crate::texture::Sheet;
use crate::{exit_code, output, pattern, say};

pub(crate) const AFTER_HELP: &str = "Examples:\n  \
    toile try-on --garment t-shirt --body woman-38 --out worn\n  \
    toile try-on --garment a-line-skirt --size M --fabric denim --quality final\n  \
    toile try-on --garment shift-dress --body woman-42 --compare-sizes S,M,L\n  \
    toile try-on --garment circle-skirt --compare-fabrics silk-habotai,wool-suiting,denim\n  \
    toile try-on --garment trousers --garment t-shirt --walk 4\n  \
    toile try-on --garment circle-skirt --body scan.fbx --motion squat --no-hands\n  \
    toile try-on --garment my-pattern.toml --body scan.obj\n  \
    toile try-on --garment shift-dress --chest 36in --waist 28in --hips 39in --set length=38in\n  \
    toile try-on --garment t-shirt --sizes sizes.toml --compare-sizes S,M,L\n  \
    toile try-on --garment tank.dxf --size 38 --body woman-38\n\n\
    The folder gets report.html with everything to look at; front.png, side.png, back.png, views.png, turntable.gif; maps of the\n\
    fit as fit-*.png; result.glb, result.usda and result.obj with all garments and the body, texture coordinates from the pattern\n\
    and the maps as vertex attributes; garment.obj, body.obj, pattern.svg, pattern.pdf to print and report.json; scene.toml says the\n\
    same as a scene. With --compare-sizes and --compare-fabrics each has a folder of its own; so has the report of each of several\n\
    garments. --walk and --motion write a run to the folder walk. A folder with results is not written over without --overwrite.\n\n\
    Exit codes: 0 good; 1 refused or failed; 2 finished, but something intersects or slipped off, or no size fits.";

#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a word of the command line")]
pub(crate) struct TryOnArgs {
    /// A garment to draft (t-shirt, tank-top, a-line-skirt, …) or a pattern file (TOML, `GarmentCode` or `FreeSewing` JSON, DXF, SVG); may be given
    /// several times, innermost first
    #[arg(long, value_name = "NAME|FILE", default_value = "t-shirt")]
    garment: Vec<String>,
    /// Size it is cut for: a letter (XS to XXL), a body's size (woman-38, man-50, child-128), one of --sizes, or a size of a DXF file
    /// [default: made to measure; of a DXF file its sample size]
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// Tries on several sizes and recommends one
    #[arg(long, value_name = "SIZE,SIZE,…", value_delimiter = ',')]
    compare_sizes: Vec<String>,
    /// Tries it on in several fabrics and compares how they fall
    #[arg(long, value_name = "NAME,NAME,…", value_delimiter = ',', conflicts_with_all = ["fabric", "compare_sizes", "walk", "motion"])]
    compare_fabrics: Vec<String>,
    /// Who wears it: a size (woman-38, man-50, child-128), one of --sizes, a file of measurements (TOML), or any upright body (OBJ, PLY, STL,
    /// GLB, FBX)
    #[arg(long, default_value = "woman-38", value_name = "NAME|FILE")]
    body: String,
    /// What it is made of, from `toile fabric list` or a file; for several garments in their order [default: what suits the
    /// garment]
    #[arg(long, value_name = "NAME|FILE")]
    fabric: Vec<String>,
    /// Changes a number of the draft, as length=60cm, length=23.5in, length=0.6 or flare=12 (metres, degrees); may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = pattern::parse_setting)]
    set: Vec<Setting>,
    /// How fine
    #[arg(long, value_enum, default_value_t = Quality::Draft)]
    quality: Quality,
    /// Distance between vertices, as 30mm or 1/2in, instead of the one of --quality
    #[arg(long, value_name = "LENGTH", conflicts_with = "quality", value_parser = spacing)]
    spacing: Option<f64>,
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
    /// Then let the body move for so long [s] [default: once through the motion, if --motion is given]
    #[arg(long, value_name = "S")]
    walk: Option<f64>,
    /// Then let the body move: walk, catwalk, run, arm-raise, squat, a BVH file, or `own` for the animation of a GLB or FBX body
    /// [default: walk, if --walk is given]
    #[arg(long, value_name = "NAME|FILE")]
    motion: Option<String>,
    /// Cut off the hands, so that they do not touch cloth
    #[arg(long, conflicts_with = "no_arms")]
    no_hands: bool,
    /// Cut off the arms, so that they do not touch cloth
    #[arg(long)]
    no_arms: bool,
    /// Draw nothing: no pictures, maps and animations
    #[arg(long)]
    no_pictures: bool,
    /// Folder to write to [default: runs/try-on, or the next number that is free]
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    own: OwnSizes,
    #[command(flatten)]
    measured: Measured,
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
    /// Its word on the command line.
    fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Final => "final",
            Self::Fine => "fine",
        }
    }

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

impl TryOnArgs {
    /// Whether the body is to move.
    fn moves(&self) -> bool {
        self.walk.is_some() || self.motion.is_some()
    }

    /// What of the body does not touch cloth.
    fn leave_out(&self) -> LeaveOut {
        match (self.no_hands, self.no_arms) {
            (_, true) => LeaveOut::Arms,
            (true, false) => LeaveOut::Hands,
            (false, false) => LeaveOut::Nothing,
        }
    }

    /// The folder to write to.
    fn out(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new(USUAL_FOLDER))
    }

    /// What is done without a word on the command line.
    pub(crate) fn usual() -> Result<Self> {
        let command = Self::augment_args(clap::Command::new("toile"));
        Self::from_arg_matches(&command.get_matches_from(["toile"])).into_diagnostic()
    }
}

/// Where a try-on goes without a word.
const USUAL_FOLDER: &str = "runs/try-on";

/// A distance between vertices [m], within what a scene may have.
fn spacing(text: &str) -> Result<f64, String> {
    length::parse_within(text, 0.001, 0.2)
}

/// A garment that was put on and looked at.
struct Tried {
    scene: Rc<Scene>,
    dressed: Rc<Dressed>,
    /// Its place among the garments that are worn.
    place: usize,
    fit: Fit,
    /// How fine it was asked for: a word of `--quality`, or none if the distance was stated.
    quality: Option<&'static str>,
    /// Whether pictures are drawn, and the height of views [pixels].
    is_drawn: bool,
    picture_height: u32,
}

impl Tried {
    /// The garment as it is worn.
    fn garment(&self) -> &WornGarment {
        &self.dressed.garments[self.place]
    }

    fn wearer(&self) -> &Wearer {
        &self.dressed.wearers[0].wearer
    }

    fn report(&self) -> &TryOnReport {
        &self.dressed.reports[0]
    }

    /// Its panels on a texture.
    fn sheet(&self) -> Sheet {
        Sheet::new(&self.garment().on_panels().collect::<Vec<_>>())
    }

    /// Whether nothing is wrong with it as a simulation.
    fn is_good(&self) -> bool {
        self.report().verdict.is_clean() && self.report().slipped.is_empty()
    }
}

pub(crate) fn try_on(args: &TryOnArgs, global: &Global) -> Result<ExitCode> {
    if !(0.0..=1000.0).contains(&args.most_time) {
        return Err(miette!(
            help = "give 0 to 1000 seconds",
            "--most-time {}: it cannot drape for so long",
            args.most_time
        ));
    }
    let comparing = !(args.compare_sizes.is_empty() && args.compare_fabrics.is_empty());
    if args.garment.len() > 1 && (comparing || !args.set.is_empty()) {
        let flags = [
            ("--compare-sizes", !args.compare_sizes.is_empty()),
            ("--compare-fabrics", !args.compare_fabrics.is_empty()),
            ("--set", !args.set.is_empty()),
        ];
        let flag = flags.iter().find(|(_, given)| *given).map_or("--set", |(flag, _)| flag);
        let help = format!("give one --garment, leave {flag} out, or write a scene: see `toile scene --reference`");
        return Err(miette!(help = help, "{flag}: it is about one garment, and {} are given", args.garment.len()));
    }
    let out = output::folder(args.out.as_deref(), PathBuf::from(USUAL_FOLDER), global)?;
    output::not_a_run(&out)?;
    let args = &TryOnArgs { out: Some(out), ..args.clone() };
    if !args.compare_sizes.is_empty() {
        return Ok(exit_code(sizes::compare(args, global)?));
    }
    if !args.compare_fabrics.is_empty() {
        return Ok(exit_code(fabrics::compare(args, global)?));
    }
    let scene = wish::scene(args, args.size.as_deref(), &args.fabric)?;
    drawn::prepare(args, args.size.as_deref(), global)?;
    let all = put_on(args, &scene, global)?.map_err(told_off)?;
    let folder = |tried: &Tried| match all.len() {
        1 => args.out().to_owned(),
        _ => args.out().join(tried.garment().name()),
    };
    output::withdraw(args.out())?;
    files::write_worn(args.out(), &all, &wish::still(&scene))?;
    for tried in &all {
        files::write(&folder(tried), tried)?;
    }
    words::tell(args.out(), &all, global);
    let good = all.iter().all(Tried::is_good);
    let mut clean = true;
    if let Some(tried) = all.into_iter().next() {
        clean = walk(args, &scene, tried, global)?;
    }
    conclude(good, clean, global);
    Ok(exit_code(good && clean))
}

/// Lets the body walk in what it wears, if that is asked for; a scene's garments are worn together. Returns whether no frame has
/// intersections.
fn walk(args: &TryOnArgs, scene: &Scene, tried: Tried, global: &Global) -> Result<bool> {
    if !args.moves() {
        return Ok(true);
    }
    let dressed = Rc::unwrap_or_clone(tried.dressed);
    finish_clean(&mut Run::wearing(scene, &args.out().join("walk"), dressed)?, args.no_pictures, global)
}

/// The last line, if something is wrong that the run did not say as its own.
fn conclude(good: bool, clean: bool, global: &Global) {
    if !good && clean {
        told("NOT CLEAN: a garment intersects something, or slipped off; see above", global);
    }
}

/// Seconds that each part of a try-on takes on the clock, with everything written to its folder.
pub(crate) fn clocked(args: &TryOnArgs, global: &Global) -> Result<Value> {
    let whole = Instant::now();
    let scene = wish::scene(args, args.size.as_deref(), &args.fabric)?;
    let clock = Instant::now();
    let dressed = worn(&scene, global)?.map_err(told_off)?;
    let worn = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let tried = looked_at(args, &scene, dressed)?.remove(0);
    let fit = clock.elapsed().as_secs_f64();
    let (report, asked) = (tried.report(), &tried.garment().asked);
    let simulated =
        report.phases.mesh + report.phases.place + report.phases.sew + report.phases.weld + report.phases.drape;
    let clock = Instant::now();
    files::write(args.out(), &tried)?;
    files::write_worn(args.out(), std::slice::from_ref(&tried), &wish::still(&scene))?;
    let pictures = clock.elapsed().as_secs_f64();
    let seconds = report.sewing_time + report.draping_time;
    Ok(json!({
        "garment": asked.name,
        "distance": asked.distance,
        "vertices": report.vertices,
        "settled": report.settled,
        "intersections": report.verdict.total(),
        "simulated seconds": seconds,
        "clock": {
            "body and pattern": worn - simulated,
            "mesh": report.phases.mesh,
            "place": report.phases.place,
            "sew": report.phases.sew,
            "weld": report.phases.weld,
            "drape": report.phases.drape,
            "fit": fit,
            "pictures and files": pictures,
            "total": whole.elapsed().as_secs_f64(),
        },
        "clock seconds per simulated second": (report.phases.sew + report.phases.drape) / seconds,
    }))
}

/// Puts the garments of a scene on and looks at them; the inner error says why they cannot be put on.
fn put_on(args: &TryOnArgs, scene: &Scene, global: &Global) -> Result<Result<Vec<Tried>, TryOnError>> {
    Ok(match worn(scene, global)? {
        Ok(dressed) => Ok(looked_at(args, scene, dressed)?),
        Err(error) => Err(error),
    })
}

/// The garments of a scene as its body wears them; the inner error says why it cannot.
fn worn(scene: &Scene, global: &Global) -> Result<Result<Dressed, TryOnError>> {
    let spinner = global.bar(None);
    let dressed = dress(scene, &mut |progress| tell_dressing(&spinner, progress));
    spinner.finish_and_clear();
    match dressed {
        Ok(Some(dressed)) => Ok(Ok(dressed)),
        Ok(None) => Err(miette!(help = "name one with --garment", "there is no garment to put on")),
        Err(BuildError::Garment { source, .. }) => match *source {
            GarmentError::TryOn(error) => Ok(Err(error)),
            GarmentError::Draft(error @ (DraftError::Unknown { .. } | DraftError::Range { .. })) => {
                Err(with_help(&format!("--set: {error}")))
            }
            other => Err(with_help(&other.to_string())),
        },
        Err(BuildError::Body { reason, help, .. }) => {
            let body = &scene.body[0];
            let name = if body.file.is_empty() { &body.mannequin } else { &body.file };
            // What is wrong in a file of measurements is told with its place already.
            let base = name.split(',').next().unwrap_or_default();
            let text = if reason.contains(base) { reason } else { format!("{name}: {reason}") };
            Err(miette!(help = help, "--body: {text}"))
        }
        Err(error) => Err(explain(error)),
    }
}

/// How garments sit.
fn looked_at(args: &TryOnArgs, scene: &Scene, dressed: Dressed) -> Result<Vec<Tried>> {
    let (scene, dressed) = (Rc::new(scene.clone()), Rc::new(dressed));
    let wearer = &dressed.wearers[0].wearer;
    let look = |(place, garment): (usize, &WornGarment)| {
        let fit = Fit::of(&FitInput {
            x: &garment.x,
            triangles: &garment.welded.mesh.triangles,
            cut: &garment.welded.flat,
            borders: &garment.flat.sewn().borders,
            fabric: &garment.asked.fabric,
            fabrics: &garment.fabric_of_triangles(),
            body: &wearer.mesh,
            landmarks: &wearer.figuring.landmarks,
            meant: match garment.asked.cut_for.as_ref() {
                Some(body) => Intention::CutFor(body),
                None => Intention::Usual(GarmentKind::of(&garment.asked.pattern)),
            },
        });
        let (scene, dressed) = (scene.clone(), dressed.clone());
        let quality = args.spacing.is_none().then(|| args.quality.word());
        let (is_drawn, picture_height) = (!args.no_pictures, args.picture_height);
        Ok(Tried { scene, dressed, place, fit, quality, is_drawn, picture_height })
    };
    dressed.garments.iter().enumerate().map(look).collect()
}

fn told_off(error: TryOnError) -> miette::Report {
    match error {
        TryOnError::World(error) => explain(error.into()),
        other => with_help(&other.to_string()),
    }
}

/// Prints a line unless nothing shall be said.
fn told(line: impl std::fmt::Display, global: &Global) {
    if !global.quiet && !global.json {
        say(line);
    }
}
