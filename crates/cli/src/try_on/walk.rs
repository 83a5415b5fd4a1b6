//! A try-on as a scene, at rest or with a body that moves.

use std::path::Path;

use miette::{Result, miette};
use toile::scene::{Animation, Body, Cloth, ClothShape, Contact, Dressing, GarmentShape, Output, Scene, Solver, Time};
use toile_garment::draft::Design;

use super::{TryOnArgs, usual_fabric, views};
use crate::args::{Global, OutputArgs};
use crate::body::described;

/// Distance that cloth keeps from the body [m].
const CLEARANCE: f64 = 0.001;

/// The scene in which the body stands.
pub(super) fn still(args: &TryOnArgs) -> Result<Scene> {
    let mut scene = Scene {
        name: args.garment.iter().map(|garment| name(garment)).collect::<Vec<_>>().join(" and "),
        time: Time { duration: 1.0, frame_rate: 30.0, ..Time::default() },
        solver: Solver { model: args.model.model(), ..Solver::default() },
        contact: Contact { threshold: CLEARANCE, ..Contact::default() },
        dressing: Dressing { most_time: args.most_time, together: args.together },
        output: Output { animation: Animation::Gif, ..Output::default() },
        body: vec![described(&args.body)],
        ..Scene::default()
    };
    for (k, design) in args.garment.iter().enumerate() {
        let drafted = Design::find(design).map_or("", Design::word);
        let fabric = args.fabric.get(k).map_or_else(|| usual_fabric(drafted), String::as_str);
        let number = if args.garment[..k].contains(design) { format!("-{}", k + 1) } else { String::new() };
        let shape = GarmentShape {
            design: design.clone(),
            size: args.size.clone().unwrap_or_default(),
            set: args.set.iter().map(|(key, value)| format!("{key} = {value}")).collect(),
            distance: args.quality.distance(),
            ..GarmentShape::default()
        };
        scene.cloth.push(Cloth {
            name: format!("{}{number}", name(design)),
            fabric: fabric.to_owned(),
            layer: k as u32,
            color: toile::scene::Color(views::colour(fabric).map(|c| (255.0 * c).round() as u8)),
            shape: ClothShape::Garment(shape),
            ..Cloth::default()
        });
    }
    scene.validate()?;
    Ok(scene)
}

/// The scene in which the body moves for some seconds.
pub(super) fn scene(args: &TryOnArgs, seconds: f64) -> Result<Scene> {
    if !(seconds > 0.0 && seconds <= 1000.0) {
        return Err(miette!(help = "give more than 0 and at most 1000 seconds", "walking for {seconds} s"));
    }
    let mut scene = still(args)?;
    scene.time.duration = seconds;
    scene.body = vec![Body { motion: args.motion.clone(), ..scene.body.remove(0) }];
    scene.validate()?;
    Ok(scene)
}

/// Simulates it as `toile run` would.
pub(super) fn run(scene: Scene, folder: &Path, global: &Global) -> Result<()> {
    let output = OutputArgs { out: Some(folder.to_owned()), ..OutputArgs::default() };
    crate::run::start(scene, &output, global).map(|_| ())
}

/// The name of a garment: that of its design or file.
fn name(garment: &str) -> String {
    Path::new(garment).file_stem().map_or_else(|| garment.to_owned(), |stem| stem.to_string_lossy().into_owned())
}
