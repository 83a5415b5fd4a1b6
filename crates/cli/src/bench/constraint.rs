//! `toile bench constraint`: a square cloth of n² particles, 4 steps per frame, 4 passes per step, self-collision on (Fuhrmann
//! 2003, §5: 1,600 particles were its limit at 30 frames per second). It swings down from one held edge, with
//! the paper's plain step (`paper`) and with chains and finished frames (`held`), or drapes over a sphere (`sphere`, which
//! adds contact of particles and triangles with an obstacle). Clones
//! of one world run on one and on two threads, frame by frame in turn; medians count. One JSON line each.

use std::time::Instant;

use miette::{IntoDiagnostic, Result};
use serde_json::{Value, json};
use toile::cloth::{ClothModel, ConstraintFabric, Sweep, sequential_pass};
use toile::mesh::DVec3;
use toile::mesh::generate::{Diagonals, grid};
use toile::scene::Scene;
use toile::{Phase, PhaseTimes, World};

use super::{median, round};
use crate::args::BenchArgs;
use crate::say;

/// Particles per side, if not told.
const SIZES: [u32; 4] = [40, 80, 160, 320];
/// Frames before the measurement: the cloth lies on the sphere by then.
const WARM_UP: u32 = 10;
/// Passes per measurement of single passes.
const PASSES: usize = 40;

pub(super) fn constraint(args: &BenchArgs) -> Result<Vec<Value>> {
    let mut lines = Vec::new();
    let sizes = if args.sizes.is_empty() { &SIZES[..] } else { &args.sizes };
    for &n in sizes {
        for scene in ["paper", "held", "sphere"] {
            for line in frames(n, scene, args.frames)? {
                say(&line);
                lines.push(line);
            }
        }
        let line = single_pass(n)?;
        say(&line);
        lines.push(line);
    }
    let last = ratios(&lines);
    say(&last);
    lines.push(last);
    Ok(lines)
}

/// A world of n² particles, as the benchmark wants it.
fn world(n: u32, scene: &str) -> Result<World> {
    let (method, finish) = if scene == "paper" { ("sweep", false) } else { ("chains", true) };
    let rest = if scene == "sphere" {
        "[[obstacle]]\nshape = { kind = \"sphere\", radius = 0.25 }".into()
    } else {
        // The first n vertices of a grid are one of its edges.
        format!("hold = [{{ vertices = {:?} }}]", (0..n).collect::<Vec<_>>())
    };
    let text = format!(
        r#"
        time = {{ duration = 10.0, substeps = 4 }}
        solver = {{ method = "{method}", iterations = 4, adaptive = false, finish = {finish} }}
        [[cloth]]
        position = [0.0, 0.26, 0.0]
        shape = {{ kind = "grid", size = [1.0, 1.0], vertices = [{n}, {n}] }}
        {rest}
        "#
    );
    World::new(&Scene::from_toml("bench", &text)?).into_diagnostic()
}

/// One line for one thread and one for two.
fn frames(n: u32, scene: &str, count: u32) -> Result<Vec<Value>> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().into_diagnostic();
    let pools = [pool(1)?, pool(2)?];
    let mut start = world(n, scene)?;
    pools[1].install(|| {
        for _ in 0..WARM_UP {
            start.advance();
        }
    });
    let mut worlds = [Box::new(start.clone()), Box::new(start)];
    let (mut seconds, mut phases) = ([Vec::new(), Vec::new()], [PhaseTimes::default(); 2]);
    let (mut stretch, mut pairs): (f64, usize) = (0.0, 0);
    // Large cloths get fewer frames, so that each size takes about as long.
    let count = (u64::from(count) * 25_600 / u64::from(n * n)).clamp(5, u64::from(count.max(5)));
    for _ in 0..count {
        for k in 0..2 {
            let clock = Instant::now();
            let report = pools[k].install(|| worlds[k].advance());
            seconds[k].push(clock.elapsed().as_secs_f64());
            phases[k] += report.times;
            stretch = stretch.max(report.largest_stretch);
            pairs = pairs.max(report.near_pairs);
        }
    }
    let identical = worlds[0].hash() == worlds[1].hash();
    Ok((0..2)
        .map(|k| {
            let ms = 1e3 * median(&mut seconds[k]);
            let share = |p: &Phase| (p.name().to_owned(), json!(round(phases[k].get(*p) / phases[k].total())));
            json!({
                "bench": "constraint", "scene": scene, "particles": n * n, "threads": k + 1,
                "ms_per_frame": round(ms), "times_real_time_at_30_hz": round(1e3 / 30.0 / ms),
                "largest_stretch": round(stretch), "most_near_pairs": pairs, "same_bits_for_1_and_2_threads": identical,
                "share_per_phase": Phase::ALL.iter().map(share).collect::<serde_json::Map<_, _>>(),
            })
        })
        .collect())
}

/// The coloured pass against the plain loop over the same constraints, both on one thread.
fn single_pass(n: u32) -> Result<Value> {
    let mesh = grid([1.0, 1.0], [n as usize, n as usize], Diagonals::Alternating);
    let mut model = ClothModel::default();
    model.add(&mesh, &ConstraintFabric::default());
    let w: Vec<f64> = model.mass.iter().map(|m| 1.0 / m).collect();
    // Every edge is too long, so that every constraint has work to do.
    let start: Vec<DVec3> = mesh.positions.iter().map(|p| *p * 1.1).collect();
    let sweep = Sweep::new(&model.structural, &model.rest);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().into_diagnostic()?;
    let (mut colored, mut plain) = (Vec::new(), Vec::new());
    let (mut a, mut b) = (start.clone(), start);
    pool.install(|| {
        for _ in 0..PASSES {
            let clock = Instant::now();
            sweep.pass(&mut a, &w);
            colored.push(clock.elapsed().as_secs_f64());
            let clock = Instant::now();
            sequential_pass(&model.structural, &mut b, &w);
            plain.push(clock.elapsed().as_secs_f64());
        }
    });
    let nanoseconds = |seconds: &mut Vec<f64>| 1e9 * median(seconds) / model.structural.len() as f64;
    let (colored, plain) = (nanoseconds(&mut colored), nanoseconds(&mut plain));
    Ok(json!({
        "bench": "single_pass", "particles": n * n, "constraints": model.structural.len(), "colors": sweep.color_count(),
        "colored_ns_per_constraint": round(colored), "plain_ns_per_constraint": round(plain),
        "plain_over_colored": round(plain / colored),
    }))
}

/// The ratios that matter, from the lines above.
fn ratios(lines: &[Value]) -> Value {
    let ms = |scene: &str, particles: u32, threads: u32| {
        let wanted = |l: &&Value| {
            l["bench"] == "constraint" && l["scene"] == scene && l["particles"] == particles && l["threads"] == threads
        };
        lines.iter().find(wanted).and_then(|l| l["ms_per_frame"].as_f64())
    };
    let ratio = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| round(a / b));
    let of = |scene: &str| {
        let (small, large) = (ms(scene, 1_600, 1), ms(scene, 25_600, 1));
        json!({
            "time_160_over_40": ratio(large, small),
            "one_over_two_threads_at_160": ratio(large, ms(scene, 25_600, 2)),
            "times_real_time_at_30_hz_1600_particles": small.map(|ms| round(1e3 / 30.0 / ms)),
        })
    };
    let single = lines.iter().filter(|l| l["bench"] == "single_pass");
    json!({
        "bench": "ratios",
        "goals_for_paper": { "time_160_over_40": "at most 22", "one_over_two_threads_at_160": "at least 1.6",
                   "plain_over_colored": "at least 1", "times_real_time_at_30_hz_1600_particles": "above 10" },
        "paper": of("paper"), "held": of("held"), "sphere": of("sphere"),
        "plain_over_colored": single.map(|l| l["plain_over_colored"].clone()).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_benchmark_runs_and_threads_agree() {
        let lines = frames(12, "held", 2).unwrap();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|l| l["same_bits_for_1_and_2_threads"] == true));
        assert!(single_pass(12).unwrap()["plain_over_colored"].as_f64().unwrap() > 0.0);
    }
}
