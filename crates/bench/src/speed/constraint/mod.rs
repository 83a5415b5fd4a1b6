//! `toile bench constraint`: a square cloth of n² particles, 4 steps per frame, 4 passes per step, self-collision on (Fuhrmann
//! 2003, §5: 1,600 particles were its limit at 30 frames per second). Four ways to move it:
//!
//! - **paper**: the algorithm as printed, in sequential loops over edges in the order of their list; see [`paper`]. It swings
//!   down from one held edge, on one thread.
//! - **sweep**: the same cloth and the same algorithm in a world: `method = "sweep"`, coloured constraints, near particles
//!   kept apart, no guard and no finished frames. The order of constraints differs, and it may use several threads.
//! - **chains**: the same cloth as scenes have it by default: chains, finished frames, pairs of features, the guard.
//! - **sphere**: as chains, but draping over a sphere, which adds contact of particles and triangles with an obstacle.
//!
//! All of them run frame by frame in turn; medians count. Clones of one world run on one and on two threads. Times are those
//! of the clock and of the processor, which others on the machine disturb less; ratios on one thread are of the latter. A
//! last line per size compares single passes over the edges. One JSON line each.

mod paper;

use std::time::Instant;

use cpu_time::ProcessTime;
use miette::{IntoDiagnostic, Result};
use rayon::ThreadPool;
use serde_json::{Map, Value, json};
use toile::{Phase, PhaseTimes, World};
use toile_cloth::{Chains, ClothModel, ConstraintFabric, Sweep, sequential_pass};
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DVec3, TriMesh};
use toile_scene::Scene;

use super::args::BenchArgs;
use super::{median, round};
use crate::Program;
use crate::pool::pool;
use paper::Paper;

/// Particles per side, if not told.
const SIZES: [u32; 4] = [40, 80, 160, 320];
/// Frames before the measurement: the cloth lies on the sphere by then.
const WARM_UP: u32 = 10;
/// Passes per measurement of single passes.
const PASSES: usize = 40;
/// What worlds do; see the module.
const SCENES: [&str; 3] = ["sweep", "chains", "sphere"];

pub(super) fn constraint(args: &BenchArgs, program: &dyn Program) -> Result<Vec<Value>> {
    let mut lines = Vec::new();
    let sizes = if args.sizes.is_empty() { &SIZES[..] } else { &args.sizes };
    for &n in sizes {
        let mut of_size = frames(n, args.frames)?;
        of_size.push(single_pass(n)?);
        for line in of_size {
            program.say(&line);
            lines.push(line);
        }
    }
    let last = ratios(&lines);
    program.say(&last);
    lines.push(last);
    Ok(lines)
}

/// The cloth in its flat shape.
fn sheet(n: u32) -> TriMesh {
    grid([1.0, 1.0], [n as usize, n as usize], Diagonals::Alternating)
}

/// A world of n² particles, as the benchmark wants it.
fn world(n: u32, scene: &str) -> Result<World> {
    let settings = if scene == "sweep" {
        "solver = { method = \"sweep\", iterations = 4, adaptive = false, finish = false, smoothing = 0, rest = false }\n\
         contact = { response = \"particles\", guard = false }"
    } else {
        "solver = { method = \"chains\", iterations = 4, adaptive = false }"
    };
    let rest = if scene == "sphere" {
        "[[obstacle]]\nshape = { kind = \"sphere\", radius = 0.25 }".into()
    } else {
        // The first n vertices of a grid are one of its edges.
        format!("hold = [{{ vertices = {:?} }}]", (0..n).collect::<Vec<_>>())
    };
    let text = format!(
        r#"
        time = {{ duration = 10.0, substeps = 4 }}
        {settings}
        [[cloth]]
        position = [0.0, 0.26, 0.0]
        shape = {{ kind = "grid", size = [1.0, 1.0], vertices = [{n}, {n}] }}
        {rest}
        "#
    );
    Scene::from_toml("bench", &text)?.world().into_diagnostic()
}

/// What moves a cloth.
enum Mover {
    Paper(Box<Paper>),
    World(Box<World>),
}

/// A way to move the cloth, and what was measured of it.
struct Contender {
    scene: &'static str,
    threads: usize,
    mover: Mover,
    /// Time of each frame on the clock [s].
    seconds: Vec<f64>,
    /// Processor time of each frame [s].
    cpu: Vec<f64>,
    times: PhaseTimes,
    /// Longest edge relative to its rest length in any frame.
    stretch: f64,
    /// Most near pairs in a frame.
    pairs: usize,
}

impl Contender {
    fn new(scene: &'static str, threads: usize, mover: Mover) -> Self {
        Self {
            scene,
            threads,
            mover,
            seconds: Vec::new(),
            cpu: Vec::new(),
            times: PhaseTimes::default(),
            stretch: 0.0,
            pairs: 0,
        }
    }

    /// Does one frame and measures it.
    fn advance(&mut self, pool: &ThreadPool) {
        let (clock, cpu) = (Instant::now(), ProcessTime::now());
        let report = match &mut self.mover {
            Mover::Paper(paper) => {
                pool.install(|| paper.advance());
                None
            }
            Mover::World(world) => Some(pool.install(|| world.advance())),
        };
        self.seconds.push(clock.elapsed().as_secs_f64());
        self.cpu.push(cpu.elapsed().as_secs_f64());
        if let Mover::Paper(paper) = &self.mover {
            self.stretch = self.stretch.max(paper.largest_stretch());
            self.pairs = self.pairs.max(paper.near_pairs());
        }
        if let Some(report) = report {
            self.times += report.times;
            self.stretch = self.stretch.max(report.largest_stretch);
            self.pairs = self.pairs.max(report.near_pairs);
        }
    }

    /// Hash of the state of a world.
    fn hash(&self) -> Option<u64> {
        match &self.mover {
            Mover::Paper(_) => None,
            Mover::World(world) => Some(world.hash()),
        }
    }

    /// Share of each phase in the time of a world.
    fn shares(&self) -> Option<Map<String, Value>> {
        self.hash()?;
        let share = |phase: &Phase| round(self.times.get(*phase) / self.times.total());
        Some(Phase::ALL.iter().map(|phase| (phase.name().to_owned(), json!(share(phase)))).collect())
    }
}

/// One line for every way and number of threads.
fn frames(n: u32, count: u32) -> Result<Vec<Value>> {
    let pools = [pool(1)?, pool(2)?];
    let mut contenders = vec![started_paper(n, &pools[0])];
    for scene in SCENES {
        let mut start = world(n, scene)?;
        pools[1].install(|| {
            for _ in 0..WARM_UP {
                start.advance();
            }
        });
        contenders.push(Contender::new(scene, 1, Mover::World(Box::new(start.clone()))));
        contenders.push(Contender::new(scene, 2, Mover::World(Box::new(start))));
    }
    // Large cloths get fewer frames, so that each size takes about as long.
    let count = (u64::from(count) * 25_600 / u64::from(n * n)).clamp(5, u64::from(count.max(5)));
    for _ in 0..count {
        for contender in &mut contenders {
            let pool = &pools[contender.threads - 1];
            contender.advance(pool);
        }
    }
    let hashes: Vec<_> = contenders.iter().map(|c| (c.scene, c.hash())).collect();
    let mut lines = Vec::new();
    for contender in &mut contenders {
        let ms = 1e3 * median(&mut contender.seconds);
        let cpu_ms = 1e3 * median(&mut contender.cpu);
        let mut same = hashes.iter().filter(|(scene, _)| *scene == contender.scene).map(|(_, hash)| *hash);
        let same_bits = contender.hash().map(|hash| same.all(|other| other == Some(hash)));
        lines.push(json!({
            "bench": "constraint", "scene": contender.scene, "particles": n * n, "threads": contender.threads,
            "ms_per_frame": round(ms), "cpu_ms_per_frame": round(cpu_ms), "times_real_time_at_30_hz": round(1e3 / 30.0 / ms),
            "largest_stretch": round(contender.stretch), "most_near_pairs": contender.pairs,
            "same_bits_for_1_and_2_threads": same_bits, "share_per_phase": contender.shares(),
        }));
    }
    Ok(lines)
}

/// The paper's cloth after the frames that do not count.
fn started_paper(n: u32, pool: &ThreadPool) -> Contender {
    let mut paper = Paper::new(&sheet(n), n as usize);
    pool.install(|| {
        for _ in 0..WARM_UP {
            paper.advance();
        }
    });
    Contender::new("paper", 1, Mover::Paper(Box::new(paper)))
}

/// Single passes over the edges of a cloth that is a tenth too large, on one thread: the plain loop of the paper, the
/// coloured pass, and a pass of chains. What they are worth is in the stretch of the frames above.
fn single_pass(n: u32) -> Result<Value> {
    let mesh = sheet(n);
    let mut model = ClothModel::default();
    model.add(&mesh, &ConstraintFabric::default());
    let w: Vec<f64> = model.mass.iter().map(|m| 1.0 / m).collect();
    // Every edge is too long, so that every constraint has work to do.
    let start: Vec<DVec3> = mesh.positions.iter().map(|p| *p * 1.1).collect();
    let sweep = Sweep::new(&model.structural, &model.rest);
    let chains = Chains::new(&model.structural, &model.rest);
    let mut workspace = chains.workspace();
    let mut ways = [
        Way::new(&start, Box::new(|x: &mut [DVec3]| sequential_pass(&model.structural, x, &w))),
        Way::new(&start, Box::new(|x: &mut [DVec3]| sweep.pass(x, &w))),
        Way::new(&start, Box::new(|x: &mut [DVec3]| chains.pass(x, &w, &mut workspace))),
    ];
    pool(1)?.install(|| {
        for _ in 0..PASSES {
            for way in &mut ways {
                way.pass();
            }
        }
    });
    let edges = model.structural.len() as f64;
    let [plain, colored, chained] = ways.each_mut().map(|way| 1e9 * median(&mut way.seconds) / edges);
    Ok(json!({
        "bench": "single_pass", "particles": n * n, "constraints": model.structural.len(), "colors": sweep.color_count(),
        "plain_ns_per_constraint": round(plain), "colored_ns_per_constraint": round(colored),
        "chains_ns_per_constraint": round(chained), "plain_over_colored": round(plain / colored),
        "plain_over_chains": round(plain / chained),
    }))
}

/// Does one pass over positions [m].
type Pass<'a> = Box<dyn FnMut(&mut [DVec3]) + Send + 'a>;

/// A way to do a pass, and what was measured of it.
struct Way<'a> {
    x: Vec<DVec3>,
    pass: Pass<'a>,
    seconds: Vec<f64>,
}

impl<'a> Way<'a> {
    fn new(start: &[DVec3], pass: Pass<'a>) -> Self {
        Self { x: start.to_vec(), pass, seconds: Vec::new() }
    }

    fn pass(&mut self) {
        let clock = Instant::now();
        (self.pass)(&mut self.x);
        self.seconds.push(clock.elapsed().as_secs_f64());
    }
}

/// The ratios that matter, from the lines above.
fn ratios(lines: &[Value]) -> Value {
    let number = |scene: &str, particles: u32, threads: u32, key: &str| {
        let wanted = |l: &&Value| {
            l["bench"] == "constraint" && l["scene"] == scene && l["particles"] == particles && l["threads"] == threads
        };
        lines.iter().find(wanted).and_then(|l| l[key].as_f64())
    };
    let cpu = |scene: &str, particles: u32| number(scene, particles, 1, "cpu_ms_per_frame");
    let clock = |scene: &str, threads: u32| number(scene, 25_600, threads, "ms_per_frame");
    let ratio = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| round(a / b));
    let of = |scene: &str| {
        let (small, large) = (cpu(scene, 1_600), cpu(scene, 25_600));
        json!({
            "time_160_over_40": ratio(large, small),
            "one_over_two_threads_at_160": ratio(clock(scene, 1), clock(scene, 2)),
            "times_real_time_at_30_hz_1600_particles": small.map(|ms| round(1e3 / 30.0 / ms)),
            "paper_over_this_at_40": ratio(cpu("paper", 1_600), small),
            "paper_over_this_at_160": ratio(cpu("paper", 25_600), large),
        })
    };
    let of_passes = |key: &str| -> Vec<Value> {
        lines.iter().filter(|l| l["bench"] == "single_pass").map(|l| l[key].clone()).collect()
    };
    json!({
        "bench": "ratios",
        "goals_for_sweep": { "time_160_over_40": "at most 22", "one_over_two_threads_at_160": "at least 1.6",
                   "plain_over_colored": "at least 1", "times_real_time_at_30_hz_1600_particles": "above 10" },
        "paper": of("paper"), "sweep": of("sweep"), "chains": of("chains"), "sphere": of("sphere"),
        "plain_over_colored": of_passes("plain_over_colored"), "plain_over_chains": of_passes("plain_over_chains"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_benchmark_runs_and_threads_agree() {
        let lines = frames(12, 2).unwrap();
        let names: Vec<_> =
            lines.iter().map(|l| (l["scene"].as_str().unwrap(), l["threads"].as_u64().unwrap())).collect();
        let worlds = [("sweep", 1), ("sweep", 2), ("chains", 1), ("chains", 2), ("sphere", 1), ("sphere", 2)];
        assert_eq!((names[0], &names[1..]), (("paper", 1), &worlds[..]));
        assert!(lines[1..].iter().all(|l| l["same_bits_for_1_and_2_threads"] == true));
        // What four passes are worth: single edges leave cloth longer than chains do.
        assert!(lines[0]["largest_stretch"].as_f64() > lines[3]["largest_stretch"].as_f64(), "{lines:?}");
        let passes = single_pass(12).unwrap();
        assert!(passes["plain_over_colored"].as_f64().unwrap() > 0.0);
    }

    #[test]
    fn the_paper_and_the_sweep_are_the_same_but_for_the_order_of_constraints() {
        let mut paper = Paper::new(&sheet(12), 12);
        let mut world = world(12, "sweep").unwrap();
        for frame in 1..=10 {
            paper.advance();
            let report = world.advance();
            let (plain, colored) = (paper.largest_stretch(), report.largest_stretch);
            assert!((plain - colored).abs() < 0.05, "frame {frame}: {plain} and {colored}");
        }
    }
}
