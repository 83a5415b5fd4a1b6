//! `toile body pose | check | render`: bodies in motion, as a scene would move them.

use std::path::PathBuf;

use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde_json::json;
use toile_body::trouble::{self, Trouble};
use toile_files::{atomic::write_atomic, obj::save_obj};
use toile_mesh::TriMesh;
use toile_scene::{Body, Performer};
use toile_view::encode;

use super::{described, explain, views, write_picture};
use crate::args::Global;
use crate::check::counted;
use crate::{output, say};

/// Troubles that are listed one by one.
const MOST_LISTED: usize = 20;
/// Poses in a picture of a motion.
const POSES: u32 = 6;

/// A body and what it does.
#[derive(Args, Debug)]
struct Actor {
    /// A size (woman-38, man-50, person), a file of measurements (TOML), or a mesh file (OBJ, PLY, STL, GLB, FBX)
    body: String,
    /// walk, catwalk, run, arm-raise, squat, a BVH file; for mesh files also PC2, a folder of meshes, or `own` animation
    #[arg(long, default_value = "")]
    motion: String,
    /// Triangles of a mannequin, or of a scan at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3_000..=120_000))]
    triangles: Option<u32>,
    /// How it stands at first: a, t, or a- and the angle of the arms, as a-30
    #[arg(long, default_value = "")]
    pose: String,
    /// Seconds in which it goes from its pose into the motion
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    blend_in: f64,
    /// Walk and run on the spot
    #[arg(long)]
    in_place: bool,
    /// Frames per second of recorded meshes
    #[arg(long, value_name = "N", default_value_t = 30.0)]
    rate: f64,
}

#[derive(Args, Debug)]
pub(super) struct PoseArgs {
    #[command(flatten)]
    actor: Actor,
    /// When [s]
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    time: f64,
    /// Mesh to write (OBJ)
    #[arg(long, short, value_name = "OBJ")]
    out: PathBuf,
    /// Draw it from four sides (PNG)
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    actor: Actor,
    /// How long to look [s] [default: once through the motion]
    #[arg(long, value_name = "S")]
    duration: Option<f64>,
    /// Time between looks [s]
    #[arg(long, value_name = "S", default_value_t = 0.05)]
    step: f64,
}

#[derive(Args, Debug)]
pub(super) struct RenderArgs {
    #[command(flatten)]
    actor: Actor,
    /// Picture to write: .png for poses side by side, four sides if it stands still; .gif for the motion
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Poses side by side
    #[arg(long, value_name = "N", default_value_t = POSES, value_parser = clap::value_parser!(u32).range(1..=24))]
    poses: u32,
    /// How much of the motion [s] [default: once through it]
    #[arg(long, value_name = "S")]
    duration: Option<f64>,
}

impl Actor {
    fn perform(&self) -> Result<Performer> {
        let described = Body {
            motion: self.motion.clone(),
            triangles: self.triangles,
            pose: self.pose.clone(),
            blend_in: self.blend_in,
            in_place: self.in_place,
            rate: self.rate,
            ..described(&self.body)
        };
        if described.stance().is_none() {
            return Err(miette!(help = "write a, t, or a- and an angle from 15 to 90", "{} is no pose", self.pose));
        }
        Performer::new(&described, &self.body).map_err(explain)
    }
}

/// The time given, or that of the motion [s].
fn duration(given: Option<f64>, performer: &Performer) -> Result<f64> {
    let duration = given.unwrap_or_else(|| performer.performance.duration());
    if !(0.0..=100_000.0).contains(&duration) {
        return Err(miette!(help = "give 0 to 100000 seconds", "a duration of {duration} s"));
    }
    Ok(duration)
}

fn at(performer: &Performer, time: f64) -> TriMesh {
    let mut mesh = performer.performance.start();
    performer.performance.positions(time, &mut mesh.positions);
    mesh
}

pub(super) fn pose(args: &PoseArgs, global: &Global) -> Result<()> {
    output::new_files(std::iter::once(args.out.as_path()).chain(args.picture.as_deref()), global)?;
    let performer = args.actor.perform()?;
    let mesh = at(&performer, args.time);
    if mesh.positions.iter().any(|p| !p.is_finite()) {
        return Err(miette!(help = "give a time in seconds", "no posture at {} s", args.time));
    }
    let picture = args.picture.as_deref();
    let drawn = picture.map(|_| views::draw(&mesh, &[])).transpose()?;
    save_obj(&args.out, &mesh).map_err(|e| miette!("{e}"))?;
    write_picture(picture, drawn)?;
    if global.json {
        say(json!({ "file": args.out, "time": args.time, "triangles": mesh.face_count() }));
    } else if !global.quiet {
        say(format!("{}: {} at {} s", args.out.display(), counted(mesh.face_count(), "triangle"), args.time));
    }
    Ok(())
}

pub(super) fn check(args: &CheckArgs, global: &Global) -> Result<()> {
    let performer = args.actor.perform()?;
    let duration = duration(args.duration, &performer)?;
    if args.step <= 0.0 || args.step.is_nan() {
        return Err(miette!(help = "give a positive number of seconds", "a step of {} s", args.step));
    }
    let found = trouble::check(&performer.performance, duration, args.step);
    let deep: Vec<&Trouble> = found.iter().filter(|trouble| !trouble.is_fold()).collect();
    if global.json {
        let line = |t: &Trouble| {
            let place = t.place.map(|place| place.map(|segment| segment.to_string()));
            json!({ "time": t.time, "place": place, "pairs": t.count, "depth": t.depth, "fold": t.is_fold() })
        };
        let import = performer.import.as_ref().map(ToString::to_string);
        say(json!({ "import": import, "duration": duration, "trouble": found.iter().map(line).collect::<Vec<_>>() }));
    } else if !global.quiet {
        if let Some(import) = &performer.import {
            say(format!("{}: {import}", args.actor.body));
        }
        let times = (duration / args.step).floor() as usize + 1;
        say(format!("looked {} from 0 to {duration:.2} s", counted(times, "time")));
        for trouble in deep.iter().take(MOST_LISTED) {
            say(format!("  {trouble}"));
        }
        if deep.len() > MOST_LISTED {
            say(format!("  and {} more", deep.len() - MOST_LISTED));
        }
        let folds = found.len() - deep.len();
        let verdict = match (deep.len(), folds) {
            (0, 0) => "the body never goes through itself".to_owned(),
            (0, _) => format!("the body never goes through itself, but for {} at bent joints", counted(folds, "fold")),
            _ => "cloth will be pinched there; it is carried along and comes out on its side".to_owned(),
        };
        say(verdict);
    }
    Ok(())
}

pub(super) fn draw(args: &RenderArgs, global: &Global) -> Result<()> {
    output::new_file(&args.out, global)?;
    let performer = args.actor.perform()?;
    let duration = duration(args.duration, &performer)?;
    let extension = args.out.extension().map(|e| e.to_string_lossy().to_lowercase());
    let bytes = match extension.as_deref() {
        Some("png") if duration <= 0.0 => views::draw(&performer.performance.start(), &[])?,
        Some("png") => {
            let when = |k: u32| duration * f64::from(k) / f64::from(args.poses);
            let meshes: Vec<TriMesh> = (0..args.poses).map(|k| at(&performer, when(k))).collect();
            encode::png(&views::side_by_side(&meshes)).into_diagnostic()?
        }
        Some("gif") => {
            let count = (duration * f64::from(views::FILM_RATE)).ceil().clamp(1.0, 1000.0) as u32;
            let meshes: Vec<TriMesh> =
                (0..count).map(|k| at(&performer, f64::from(k) / f64::from(views::FILM_RATE))).collect();
            encode::gif(&views::film(&meshes), 1000 / views::FILM_RATE).into_diagnostic()?
        }
        _ => return Err(miette!(help = "end it in .png or .gif", "{} is no picture", args.out.display())),
    };
    write_atomic(&args.out, &bytes).map_err(|e| miette!("{e}"))?;
    if !global.quiet && !global.json {
        say(format!("picture: {}", args.out.display()));
    }
    Ok(())
}
