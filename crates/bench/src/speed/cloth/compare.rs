//! Integrators over a swing, and finite elements against the constraint model at equal time.

use std::time::Instant;

use miette::{IntoDiagnostic, Result};
use serde_json::{Value, json};
use toile::World;
use toile_cloth::SheetOptions;
use toile_cloth::dynamics::{Integrator, PreconditionerKind};
use toile_scene::Scene;

use super::swing::{SETTINGS, STEP, Stretch, Swing};
use crate::pool::pool;
use crate::speed::round;

/// Most steps of the constraint model per frame.
const MOST_SUBSTEPS: u32 = 1_000;
/// Tries to find as many as take the time of the finite elements.
const TRIES: usize = 6;

/// One line per integrator for `seconds` of swing.
pub(super) fn integrators(n: u32, seconds: f64) -> Result<Vec<Value>> {
    let start = Swing::new(n, &SheetOptions::default(), PreconditionerKind::Multilevel);
    let integrators = [
        ("implicit Euler", Integrator::ImplicitEuler),
        ("implicit midpoint", Integrator::ImplicitMidpoint),
        ("BDF2", Integrator::Bdf2),
        ("Verlet", Integrator::Verlet),
    ];
    let frames = (seconds / STEP).round().max(1.0) as u32;
    let pool = pool(2)?;
    Ok(integrators
        .into_iter()
        .map(|(name, integrator)| {
            let mut swing = start.clone();
            let (mut parts, mut unconverged, mut stretch) = (0, 0, Stretch::default());
            let clock = Instant::now();
            for _ in 0..frames {
                let report = pool.install(|| swing.step(integrator, &SETTINGS));
                parts += report.parts;
                unconverged += u32::from(!report.newton.converged);
                let now = swing.stretch();
                stretch.see(now.largest, now.mean / f64::from(frames));
            }
            let cost = clock.elapsed().as_secs_f64();
            let (energy, work) = (swing.energy(), swing.work());
            json!({
                "bench": "cloth", "part": "integrator", "particles": n * n, "integrator": name,
                "seconds_per_second": round(cost / seconds), "parts_per_step": round(f64::from(parts) / f64::from(frames)),
                "unconverged": unconverged,
                "energy_kept": round(1.0 + energy / work),
                "largest_stretch": round(stretch.largest), "mean_stretch": round(stretch.mean),
            })
        })
        .collect())
}

/// A hanging sheet without contacts, from level to a second later.
fn hanging(n: u32, solver: &str) -> Result<World> {
    let corners = [0, n - 1];
    let text = format!(
        r#"
        time = {{ duration = 100.0, frame_rate = 60.0, {solver}
        contact = {{ self_collision = false }}
        [[cloth]]
        shape = {{ kind = "grid", size = [1.0, 1.0], vertices = [{n}, {n}] }}
        hold = [{{ vertices = {corners:?} }}]
        "#
    );
    Scene::from_toml("bench", &text)?.world().into_diagnostic()
}

/// Time per simulated second, and stretch over the second half of the frames.
fn hang(mut world: World, seconds: f64) -> Result<(f64, Stretch)> {
    let frames = (seconds / STEP).round().max(2.0) as u32;
    let (pool, mut stretch) = (pool(2)?, Stretch::default());
    let mut cost = 0.0;
    for frame in 0..frames {
        let clock = Instant::now();
        pool.install(|| world.advance());
        cost += clock.elapsed().as_secs_f64();
        if frame >= frames / 2 {
            let now = Stretch::of(&world.model().structural, &world.state().x);
            stretch.see(now.largest, now.mean / f64::from(frames - frames / 2));
        }
    }
    Ok((cost / seconds, stretch))
}

/// Finite elements, and chains with as many steps per frame as take the same time.
pub(super) fn models(n: u32, seconds: f64) -> Result<Vec<Value>> {
    let line = |model: &str, substeps: u32, (cost, stretch): (f64, Stretch), ratio: f64| {
        json!({
            "bench": "cloth", "part": "model", "particles": n * n, "model": model, "steps_per_frame": substeps,
            "seconds_per_second": round(cost), "time_over_finite_elements": round(ratio),
            "largest_stretch": round(stretch.largest), "mean_stretch": round(stretch.mean),
        })
    };
    let elements = "substeps = 1 }\n solver = { model = \"fem\", adaptive = false }\n physics = { preconditioner = \"multilevel\" }";
    let elements = hang(hanging(n, elements)?, seconds)?;
    let (mut substeps, mut best) = (20, None::<(f64, u32, (f64, Stretch))>);
    for _ in 0..TRIES {
        let chains = format!(
            "substeps = {substeps} }}\n solver = {{ method = \"chains\", iterations = 4, adaptive = false, finish = false }}"
        );
        let found = hang(hanging(n, &chains)?, seconds)?;
        let ratio = found.0 / elements.0;
        if best.is_none_or(|(known, ..)| ratio.ln().abs() < known.ln().abs()) {
            best = Some((ratio, substeps, found));
        }
        let next = ((f64::from(substeps) / ratio).round() as u32).clamp(1, MOST_SUBSTEPS);
        if (0.83..=1.2).contains(&ratio) || next == substeps {
            break;
        }
        substeps = next;
    }
    let mut lines = vec![line("finite elements, implicit Euler", 1, elements, 1.0)];
    lines.extend(best.map(|(ratio, substeps, found)| line("constraints, chains", substeps, found, ratio)));
    Ok(lines)
}
