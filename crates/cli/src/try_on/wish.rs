//! What is asked for on the command line, as a scene: its garments are those that are tried on.

use std::path::Path;

use miette::{Result, miette};
use toile::settings::{Contact, Solver, Time};
use toile_body::sizes;
use toile_files::MeshFormat;
use toile_garment::draft::{Design, Size};
use toile_scene::{Animation, Body, Cloth, ClothShape, Dressing, GarmentShape, Output, Performer, Scene, usual_fabric};
use toile_tailor::pressure_in_motion;

use super::{TryOnArgs, views};
use crate::body::{described, explain};
use crate::measured::resolved;
use crate::pattern::check_units;

/// Longest motion that is gone through without a word on how long [s].
const LONGEST: f64 = 20.0;

/// How long a scene is in which the body stands [s].
const STANDING: f64 = 1.0;

/// The scene in which the body moves as asked for, or stands; with garments in a size if they have one, and in these fabrics or what
/// suits them.
pub(super) fn scene(args: &TryOnArgs, size: Option<&str>, fabrics: &[String]) -> Result<Scene> {
    check_body(&args.body)?;
    if fabrics.len() > args.garment.len() {
        let (given, garments) = (fabrics.len(), args.garment.len());
        let help = "give one --fabric for each --garment, in their order";
        return Err(miette!(
            help = help,
            "--fabric: {given} fabrics are given, and the number of garments is {garments}"
        ));
    }
    let chart = args.own.load()?;
    let wearer = args.measured.change(&resolved("--body", &args.body, chart.as_ref())?)?;
    let mannequin = described(&wearer).mannequin;
    if !mannequin.is_empty() && !sizes::is_understood(&mannequin) {
        let help = format!("{}; or name a mesh (OBJ, PLY, STL, GLB, FBX)", sizes::known());
        return Err(miette!(help = help, "--body {}: there is no such size", args.body));
    }
    for garment in &args.garment {
        check_garment(args, garment, size)?;
    }
    let size = match size {
        // A DXF file has sizes of its own.
        Some(size) if args.garment.iter().all(|garment| is_dxf(garment)) => size.trim().to_owned(),
        Some(size) => resolved("--size", size, chart.as_ref())?,
        None => String::new(),
    };
    let body = Body {
        motion: if args.moves() {
            args.motion.clone().unwrap_or_else(|| "walk".to_owned())
        } else {
            standing(&args.body)
        },
        leave_out: args.leave_out(),
        ..described(&wearer)
    };
    let seconds = match (args.walk, args.moves()) {
        (Some(seconds), _) => seconds,
        (None, true) => once(&body, &args.body)?,
        (None, false) => STANDING,
    };
    if !(seconds > 0.0 && seconds <= 1000.0) {
        return Err(miette!(
            help = "give more than 0 and at most 1000 seconds",
            "--walk {seconds}: it cannot walk for so long"
        ));
    }
    let mut scene = Scene {
        name: args.garment.iter().map(|garment| name(garment)).collect::<Vec<_>>().join(" and "),
        time: Time { duration: seconds, frame_rate: 30.0, ..Time::default() },
        solver: Solver { model: args.model.model(), ..Solver::default() },
        dressing: Dressing { most_time: args.most_time, together: args.together },
        output: Output { animation: Animation::Gif, usda: true, ..Output::default() },
        body: vec![body],
        ..Scene::default()
    };
    let mut worn = Vec::new();
    for (k, design) in args.garment.iter().enumerate() {
        let fabric = fabrics.get(k).map_or_else(|| usual_fabric(design), String::as_str);
        worn.push(toile_scene::fabric::find(fabric)?.fabric);
        let number = if args.garment[..k].contains(design) { format!("-{}", k + 1) } else { String::new() };
        let shape = GarmentShape {
            design: design.clone(),
            size: size.clone(),
            set: args.set.iter().map(|setting| format!("{} = {}", setting.key, setting.plain())).collect(),
            distance: args.spacing.unwrap_or_else(|| args.quality.distance()),
            ..GarmentShape::default()
        };
        scene.cloth.push(Cloth {
            name: format!("{}{number}", name(design)),
            fabric: fabric.to_owned(),
            layer: k as u32,
            color: toile_scene::Color(views::colour(fabric).map(|c| (255.0 * c).round() as u8)),
            shape: ClothShape::Garment(shape),
            ..Cloth::default()
        });
    }
    if args.moves() {
        scene.contact.pressure = pressure_in_motion(&worn);
    }
    scene.validate()?;
    Ok(scene)
}

/// The motion of a body that stands: a file with an animation would move without a word.
fn standing(body: &str) -> String {
    let is_rigged = MeshFormat::from_path(Path::new(body)).is_ok_and(MeshFormat::is_rigged);
    if is_rigged { "still".to_owned() } else { String::new() }
}

/// Seconds of a motion from its beginning to its end, at most [`LONGEST`] [s].
fn once(body: &Body, name: &str) -> Result<f64> {
    let performer = Performer::new(body, name).map_err(explain)?;
    Ok(performer.performance.duration().clamp(STANDING, LONGEST))
}

/// The same with a body that stands.
pub(super) fn still(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.time.duration = STANDING;
    scene.contact.pressure = Contact::default().pressure;
    scene.body.iter_mut().for_each(|body| body.motion = standing(&body.file));
    scene
}

/// Refuses a file that is neither a mesh nor a file of measurements.
fn check_body(body: &str) -> Result<()> {
    let path = Path::new(body);
    let is_toml = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    if !path.is_file() || is_toml || MeshFormat::from_path(path).is_ok() {
        return Ok(());
    }
    let help = "bodies end in .obj, .ply, .stl, .glb or .fbx (save .gltf as .glb), files of measurements in .toml";
    Err(miette!(help = help, "--body {body}: it is no file of a body"))
}

/// Refuses a garment that there is not, and flags that it cannot follow.
fn check_garment(args: &TryOnArgs, garment: &str, size: Option<&str>) -> Result<()> {
    if let Some(design) = Design::find(garment) {
        let size = size.unwrap_or_default().trim();
        let is_letter = Size::from_word(&size.to_uppercase()).is_some();
        if !size.is_empty() && !args.own.is_given() && !is_letter && !sizes::is_understood(size) {
            let letters = Size::ALL.iter().map(|size| size.word()).collect::<Vec<_>>().join(", ");
            let flag = if args.compare_sizes.is_empty() { "--size" } else { "--compare-sizes" };
            let help = format!("letters are {letters}; {}", sizes::known());
            return Err(miette!(help = help, "{flag} {size}: there is no such size"));
        }
        return check_units(design, &args.set);
    }
    let path = Path::new(garment);
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let Some(extension) = extension.filter(|_| !path.is_dir()) else {
        let known = Design::ALL.iter().map(|design| design.word()).collect::<Vec<_>>().join(", ");
        let help = format!("there are: {known}; or name a pattern file (.toml, .json, .dxf, .svg)");
        return Err(miette!(help = help, "--garment {garment}: there is no such garment"));
    };
    // Files of formulas are told about where they are read.
    if !["toml", "json", "dxf", "svg", "val", "sm2d"].contains(&extension.as_str()) {
        let help = "patterns end in .toml, .json, .dxf or .svg; or name a garment to draft, as t-shirt";
        return Err(miette!(help = help, "--garment {garment}: it is no pattern file"));
    }
    let flag = if args.compare_sizes.is_empty() { "--size" } else { "--compare-sizes" };
    let given = [(flag, size.is_some() && extension != "dxf"), ("--set", !args.set.is_empty())];
    let Some((flag, _)) = given.iter().find(|(_, given)| *given) else { return Ok(()) };
    let help = format!("leave {flag} out, or name a garment to draft, as t-shirt");
    Err(miette!(help = help, "{flag}: {garment} is a pattern from a file and is cut as it is drawn"))
}

fn is_dxf(garment: &str) -> bool {
    Path::new(garment).extension().is_some_and(|e| e.eq_ignore_ascii_case("dxf"))
}

/// The name of a garment: that of its design or file.
fn name(garment: &str) -> String {
    Path::new(garment).file_stem().map_or_else(|| garment.to_owned(), |stem| stem.to_string_lossy().into_owned())
}
