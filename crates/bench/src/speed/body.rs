//! `toile bench body`: what a body costs.
//!
//! - **draft**: a mannequin from measurements, seconds by number of triangles.
//! - **pose**: the surface in a posture of a walk, milliseconds per pose on one core; dual quaternions beside linear blending,
//!   taken in turn.
//! - **walk**: a cloth of n² particles falls onto the walker for a second; the share of posing in the step.
//!
//! One JSON line each; the last one has the ratios.

use std::time::Instant;

use miette::{IntoDiagnostic, Result};
use serde_json::{Value, json};
use toile::Phase;
use toile_body::{Blend, Body, Motion, Routine, RoutineSettings, Specification, draft, sizes};
use toile_mesh::DVec3;
use toile_scene::Scene;

use super::args::BenchArgs;
use super::{median, round};
use crate::Program;

/// Triangles of the mannequins; the last has 30,000 vertices.
const TRIANGLES: [usize; 3] = [5_000, 20_000, 60_000];
/// Poses of each kind that are measured.
const POSES: usize = 60;
/// Particles per side of the cloth, if not told.
const PARTICLES: u32 = 64;

pub(super) fn body(args: &BenchArgs, program: &dyn Program) -> Result<Vec<Value>> {
    let mut lines = Vec::new();
    let mut tell = |line: Value| {
        program.say(&line);
        lines.push(line);
    };
    for triangles in TRIANGLES {
        let [drafted, posed] = mannequin(triangles)?;
        tell(drafted);
        tell(posed);
    }
    let sizes = if args.sizes.is_empty() { &[PARTICLES][..] } else { &args.sizes };
    for n in sizes {
        tell(walk(*n)?);
    }
    let of = |kind: &str, key: &str| lines.iter().rfind(|line| line["bench"] == kind).map(|line| line[key].clone());
    let last = json!({
        "bench": "body ratios",
        "draft seconds at 60k": of("draft", "seconds"),
        "pose ms at 30k vertices": of("pose", "dual quaternion ms"),
        "dual quaternion over linear": of("pose", "dual quaternion over linear"),
        "posing share of step": of("walk", "posing share"),
    });
    program.say(&last);
    lines.push(last);
    Ok(lines)
}

fn mannequin(triangles: usize) -> Result<[Value; 2]> {
    let size = sizes::named("woman-38").ok_or_else(|| miette::miette!("there is no size woman-38"))?;
    let specification = Specification { triangles, ..size };
    let clock = Instant::now();
    let mannequin = draft(&specification).into_diagnostic()?;
    let seconds = clock.elapsed().as_secs_f64();
    let vertices = mannequin.mesh.vertex_count();
    let drafted = json!({ "bench": "draft", "triangles": mannequin.mesh.face_count(), "seconds": round(seconds) });
    let linear = Body::new(mannequin, Blend::Linear);
    let mut dual = linear.clone();
    dual.blend = Blend::DualQuaternion;
    let walk = Motion::routine(Routine::Walk, &linear, RoutineSettings::default());
    let (mut times, mut positions) = ([Vec::new(), Vec::new()], Vec::<DVec3>::new());
    for k in 0..POSES {
        let posture = walk.posture(k as f64 / 30.0);
        for (body, times) in [&linear, &dual].into_iter().zip(&mut times) {
            let clock = Instant::now();
            body.positions(&posture, &mut positions);
            times.push(1000.0 * clock.elapsed().as_secs_f64());
        }
    }
    let [linear, dual] = times.map(|mut times| median(&mut times));
    let posed = json!({
        "bench": "pose", "vertices": vertices, "linear ms": round(linear), "dual quaternion ms": round(dual),
        "dual quaternion over linear": round(dual / linear),
    });
    Ok([drafted, posed])
}

fn walk(n: u32) -> Result<Value> {
    let text = format!(
        r#"
        time = {{ duration = 1.0 }}
        [[cloth]]
        areal_density = 0.15
        position = [0.0, 1.78, -0.05]
        shape = {{ kind = "grid", size = [1.5, 1.5], vertices = [{n}, {n}] }}
        [[body]]
        mannequin = "woman-38"
        motion = "walk"
        "#
    );
    let mut world = Scene::from_toml("bench", &text)?.world().into_diagnostic()?;
    let (mut pose, mut total, mut intersections, mut steps) = (0.0, 0.0, 0, 0);
    for _ in 0..world.settings().time.frames() {
        let report = world.advance();
        pose += report.times.get(Phase::Pose);
        total += report.times.total();
        steps += report.substeps;
        intersections += world.judge().total();
    }
    Ok(json!({
        "bench": "walk", "particles": n * n, "steps": steps, "intersections": intersections,
        "seconds per second": round(total), "posing seconds": round(pose), "posing share": round(pose / total),
    }))
}
