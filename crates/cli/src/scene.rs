//! `toile scene`: checks a scene file, or prints one.

use std::path::Path;
use std::process::ExitCode;

use miette::IntoDiagnostic;
use serde_json::{Value, json};
use toile::World;
use toile_scene::{Scene, reference};

use crate::args::{Global, SceneArgs};
use crate::check::counted;
use crate::{demos, load_scene, say};

pub(crate) fn scene(args: &SceneArgs, global: &Global) -> miette::Result<ExitCode> {
    // What is asked for as a document is printed even with --quiet: it is the result, not a remark.
    if args.reference {
        say_document(&reference());
    }
    if let Some(name) = &args.demo {
        say_document(demos::find(name)?.text);
    }
    let Some(path) = &args.scene else { return Ok(ExitCode::SUCCESS) };
    let scene = load_scene(path, global.quiet)?;
    match (args.full, global.json) {
        (true, true) => say(serde_json::to_value(&scene).into_diagnostic()?),
        (true, false) => say_document(&scene.to_toml()),
        (false, json) => {
            // Only the built world knows that mesh files are there and that every hold finds its vertices.
            let world = scene.world().map_err(|e| miette::miette!("{}: {e}", path.display()))?;
            if json {
                say(valid_json(path, &scene, &world));
            } else if !global.quiet {
                say(format!("{}: valid\n{}", path.display(), summary(&scene, &world)));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a text as it is: `say` adds the newline that it ends with.
fn say_document(text: &str) {
    say(text.strip_suffix('\n').unwrap_or(text));
}

/// The world in one line.
fn summary(scene: &Scene, world: &World) -> String {
    format!(
        "{}: {} of {}, {}, {} s in {}",
        scene.name,
        counted(scene.cloth.len(), "cloth"),
        counted(world.model().particle_count(), "vertex"),
        counted(scene.obstacle.len(), "obstacle"),
        scene.time.duration,
        counted(scene.time.frames() as usize, "frame"),
    )
}

fn valid_json(path: &Path, scene: &Scene, world: &World) -> Value {
    json!({
        "file": path.display().to_string(),
        "valid": true,
        "name": scene.name,
        "cloths": scene.cloth.len(),
        "vertices": world.model().particle_count(),
        "obstacles": scene.obstacle.len(),
        "duration": scene.time.duration,
        "frames": scene.time.frames(),
    })
}
