//! `toile bench scissors`: what a cut costs.
//!
//! A sheet of n² particles hangs from its upper edge and is slit from below, in both models: the cut, for which the world is made
//! anew, beside a step. Beside it, for the sheet as it hangs, the building of a hierarchy and its refit, as medians of a few. One
//! JSON line each.

use miette::{IntoDiagnostic, Result, miette};
use serde_json::{Value, json};
use toile::{Phase, World};
use toile_collide::HierarchySettings;
use toile_mesh::{Motion, Surface};
use toile_scene::Scene;

use super::args::BenchArgs;
use super::{median, round};
use crate::Program;

/// Particles per side, if not told.
const SIZES: [u32; 3] = [32, 64, 128];
/// The frame that begins with the cut.
const CUT: u32 = 4;
/// Times a hierarchy is built.
const BUILDS: usize = 7;

pub(super) fn scissors(args: &BenchArgs, program: &dyn Program) -> Result<Vec<Value>> {
    let sizes = if args.sizes.is_empty() { &SIZES[..] } else { &args.sizes };
    let mut lines = Vec::new();
    for n in sizes {
        for model in ["constraint", "fem"] {
            let line = cut(*n, model)?;
            program.say(&line);
            lines.push(line);
        }
    }
    Ok(lines)
}

fn cut(n: u32, model: &str) -> Result<Value> {
    let held: Vec<String> = (0..n).map(|v| v.to_string()).collect();
    let text = format!(
        r#"
        time = {{ frame_rate = 30 }}
        solver = {{ model = "{model}" }}
        physics = {{ preconditioner = "multilevel" }}
        [[cloth]]
        rotation_deg = [80, 0, 0]
        shape = {{ kind = "grid", size = [1, 1], vertices = [{n}, {n}] }}
        hold = [{{ vertices = [{}] }}]
        [[scissors]]
        cloth = "cloth-1"
        at = {}
        path = [[0.02, 0.6], [-0.03, 0.01]]
        "#,
        held.join(", "),
        f64::from(CUT) / 30.0
    );
    let mut world = Scene::from_toml("bench", &text)?.world().into_diagnostic()?;
    let (mut steps, mut cut) = (Vec::new(), 0.0);
    for frame in 0..2 * CUT {
        let report = world.advance();
        let pose = report.times.get(Phase::Pose);
        steps.push((report.times.total() - pose) / f64::from(report.substeps));
        cut = if frame == CUT { pose } else { cut };
    }
    let step = median(&mut steps);
    let [build, refit] = hierarchy(&world)?;
    Ok(json!({
        "bench": "scissors", "model": model, "particles": world.model().particle_count(),
        "intersections": world.judge().total(),
        "cut ms": round(1e3 * cut), "step ms": round(1e3 * step), "cut over step": round(cut / step),
        "build ms": round(1e3 * build), "refit ms": round(1e3 * refit), "build over refit": round(build / refit),
    }))
}

/// Seconds in which the hierarchy of the cloth is built, and in which it is refitted.
fn hierarchy(world: &World) -> Result<[f64; 2]> {
    let mesh = world.cloth_mesh();
    let motions = [Motion { x_t0: &mesh.positions, x_t1: &mesh.positions }];
    let (mut builds, mut refits) = (Vec::new(), Vec::new());
    for _ in 0..BUILDS {
        let made = HierarchySettings::default().detector(vec![Surface::new(&mesh)]);
        let mut detector = made.ok_or_else(|| miette!("there is no such hierarchy"))?;
        for times in [&mut builds, &mut refits] {
            let report = detector.proximities(&motions, 1e-4, &mut Vec::new()).into_diagnostic()?;
            let first = report.times.build.as_secs_f64();
            times.push(if first > 0.0 { first } else { report.times.refit.as_secs_f64() });
        }
    }
    Ok([median(&mut builds), median(&mut refits)])
}
