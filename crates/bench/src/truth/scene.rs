//! Scenes of experiments: from text to worlds.

use miette::{IntoDiagnostic, Result, bail, miette};
use toile::World;
use toile::settings::Physics;
use toile_scene::Scene;
use toile_scene::fabric::NamedFabric;

use super::Accuracy;

/// The scene of this text, with `[physics]` solved to the end if that is asked for.
pub(super) fn scene(text: &str, accuracy: Accuracy) -> Result<Scene> {
    let mut scene = Scene::from_toml("truth.toml", text)?;
    solve_to(&mut scene.physics, accuracy);
    Ok(scene)
}

/// Changes settings so that every step is solved to the end, if that is asked for.
pub(super) fn solve_to(physics: &mut Physics, accuracy: Accuracy) {
    if accuracy == Accuracy::Converged {
        physics.effort = toile_cloth::dynamics::Effort::Converged;
        physics.iterations = 60;
        physics.tolerance = 1e-3;
        physics.linear_tolerance = 1e-3;
        physics.linear_iterations = 10_000;
    }
}

/// The section of a scene that states an integrator; empty for the usual one.
pub(super) fn physics(integrator: Option<&str>) -> String {
    integrator.map_or_else(String::new, |word| format!("[physics]\nintegrator = \"{word}\""))
}

/// How the name of an experiment ends that states an integrator.
pub(super) fn named(integrator: Option<&str>) -> String {
    integrator.map_or_else(String::new, |word| format!(", {word}"))
}

/// The world of that scene.
pub(super) fn world(text: &str, accuracy: Accuracy) -> Result<World> {
    scene(text, accuracy)?.world().map_err(|error| miette!("{error}"))
}

/// The world of a scene whose cloth has the fabric `strip.toml`, which is this one.
pub(super) fn world_of_fabric(text: &str, named: &NamedFabric, accuracy: Accuracy) -> Result<World> {
    let folder = tempfile::tempdir().into_diagnostic()?;
    let file = folder.path().join("strip.toml");
    std::fs::write(&file, named.to_toml()).into_diagnostic()?;
    let mut scene = scene(text, accuracy)?;
    for cloth in &mut scene.cloth {
        cloth.fabric = file.display().to_string();
    }
    scene.world().map_err(|error| miette!("{error}"))
}

/// Advances by so many frames; nothing may become infinite.
pub(super) fn advance(world: &mut World, frames: u32) -> Result<()> {
    for _ in 0..frames {
        let report = world.advance();
        if report.non_finite > 0 {
            bail!("the cloth of an experiment has flown apart");
        }
    }
    Ok(())
}
