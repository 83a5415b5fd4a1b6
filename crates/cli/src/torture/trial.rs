//! One scene put to the test: simulated twice, measured in every frame.

use std::path::Path;

use miette::{IntoDiagnostic, Result};
use toile::cloth::largest_thread_strain;
use toile::mesh::DVec3;
use toile::scene::Scene;
use toile::{FrameReport, FrameVerdict, Run, RunError, World};

use super::scenes::{Expect, Torture, Witness};
use crate::check::counted;
use crate::run;

/// What was measured of a scene.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Outcome {
    /// Frames simulated and judged, the start included.
    pub(crate) frames: u32,
    /// Deepest point of cloth in an exact obstacle in any frame [m].
    pub(crate) penetration: f64,
    /// Intersections and particles inside obstacles, summed over all frames, and the first frame with either.
    pub(crate) intersections: usize,
    pub(crate) inside: usize,
    pub(crate) first_bad: Option<u32>,
    /// Largest ratio of an edge to its rest length in any frame.
    pub(crate) stretch: f64,
    /// Vertices the guard took back, summed over all frames.
    pub(crate) taken_back: usize,
    /// Most particles that are squeezed, and pairs that meet, in a frame.
    pub(crate) squeezed: usize,
    /// Seconds of computing, without the judge [s].
    pub(crate) seconds: f64,
    /// Hash of the state at the end.
    pub(crate) hash: u64,
    /// Numbers of threads that were compared.
    pub(crate) threads: [usize; 2],
    /// First frame in which they gave different states.
    pub(crate) differs: Option<u32>,
    /// Vertices that an obstacle has flown through.
    pub(crate) flown_through: usize,
    /// Why the simulation could not start or go on.
    pub(crate) stopped: Option<String>,
}

/// What an [`Outcome`] means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Pass,
    /// Shows the intersections that it is there to show.
    ExpectedFailure,
    /// With all reasons.
    Fail(Vec<String>),
}

impl Verdict {
    pub(crate) fn is_well(&self) -> bool {
        !matches!(self, Self::Fail(_))
    }
}

impl Outcome {
    /// Judges what was measured by what `torture`, or its short form, allows.
    pub(crate) fn verdict(&self, torture: &Torture, short: bool) -> Verdict {
        let mut reasons: Vec<String> = self.stopped.iter().cloned().collect();
        let met = self.intersections + self.inside > 0 || self.penetration > 0.0;
        let first = self.first_bad.map_or_else(String::new, |frame| format!(", first in frame {frame}"));
        match torture.expect {
            Expect::Clean if met => {
                let crossed = format!("{} intersections and {} inside{first}", self.intersections, self.inside);
                reasons.push(crossed);
            }
            Expect::Survival if self.squeezed == 0 => {
                reasons.push("no frame reports that the cloth is over-constrained".to_owned());
            }
            Expect::Intersections if !met => {
                reasons.push("no intersections, though nothing prevents them here".to_owned());
            }
            _ => {}
        }
        if self.flown_through > 0 && torture.expect == Expect::Clean {
            reasons.push(format!("an obstacle has flown through {}", counted(self.flown_through, "vertex")));
        }
        let limit = torture.limit(short);
        let stretched = self.stretch > limit || self.stretch.is_nan();
        if stretched && torture.expect != Expect::Intersections {
            reasons.push(format!("stretch {:.3} exceeds {limit}", self.stretch));
        }
        if let Some(frame) = self.differs {
            let [a, b] = self.threads;
            reasons.push(format!(
                "{} and {} give different states in frame {frame}",
                counted(a, "thread"),
                counted(b, "thread")
            ));
        }
        match (reasons.is_empty(), torture.expect) {
            (false, _) => Verdict::Fail(reasons),
            (true, Expect::Intersections) => Verdict::ExpectedFailure,
            (true, Expect::Clean | Expect::Survival) => Verdict::Pass,
        }
    }

    /// Takes the measures of a frame.
    fn look(&mut self, world: &World, report: &FrameReport, verdict: &FrameVerdict) {
        self.frames += 1;
        self.penetration = self.penetration.max(world.penetration());
        self.intersections += verdict.total() + verdict.unjudged;
        self.inside += verdict.inside;
        if !verdict.is_clean() {
            self.first_bad.get_or_insert(verdict.frame);
        }
        self.stretch = self.stretch.max(largest_stretch(world));
        self.taken_back += report.taken_back;
        self.squeezed = self.squeezed.max(report.squeezed + report.meeting);
        self.seconds += report.times.total();
        self.hash = world.hash();
    }
}

/// Simulates a scene with `threads[0]` threads, looks at every frame, and simulates it again with `threads[1]`.
///
/// With a `folder` the first of the two is recorded there with pictures.
pub(crate) fn attempt(
    scene: &Scene,
    witness: Option<Witness>,
    folder: Option<&Path>,
    threads: [usize; 2],
) -> Result<Outcome> {
    let mut outcome = Outcome { threads, ..Outcome::default() };
    let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().into_diagnostic();
    let hashes = pool(threads[0])?.install(|| judged(scene, witness, folder, &mut outcome))?;
    if outcome.stopped.is_none() {
        outcome.differs = pool(threads[1])?.install(|| first_difference(scene, &hashes));
    }
    Ok(outcome)
}

/// The run that is looked at; returns the hash of every frame.
fn judged(scene: &Scene, witness: Option<Witness>, folder: Option<&Path>, outcome: &mut Outcome) -> Result<Vec<u64>> {
    let mut stage = match Stage::new(scene, folder) {
        Ok(stage) => stage,
        Err(RunError::World(error)) => {
            outcome.stopped = Some(format!("cannot start: {error}"));
            return Ok(Vec::new());
        }
        Err(error) => return Err(error.into()),
    };
    outcome.look(stage.world(), &FrameReport::default(), &stage.world().judge());
    let mut hashes = vec![outcome.hash];
    let start = stage.world().state().x.clone();
    for _ in 0..scene.time.frames() {
        match stage.advance() {
            Ok((report, verdict)) => outcome.look(stage.world(), &report, &verdict),
            Err(error @ (RunError::NotFinite { .. } | RunError::Detection { .. })) => {
                outcome.stopped = Some(error.to_string());
                break;
            }
            Err(error) => return Err(error.into()),
        }
        hashes.push(outcome.hash);
        let world = stage.world();
        if let Some(witness) = witness.filter(|w| w.frame == world.frame()) {
            outcome.flown_through = flown_through(&witness, &start, &world.state().x);
        }
    }
    if let Stage::Recorded(recorded) = &stage {
        run::publish(recorded, false)?;
    }
    Ok(hashes)
}

/// Vertices whose way from `start` to `x` [m] the witness does not confirm.
fn flown_through(witness: &Witness, start: &[DVec3], x: &[DVec3]) -> usize {
    let watched = start.iter().zip(x).filter(|(start, _)| start.distance(witness.near) <= witness.radius);
    watched.filter(|(_, x)| x.dot(witness.axis) <= witness.beyond).count()
}

/// Simulates the scene again; the first frame whose hash is another one.
fn first_difference(scene: &Scene, hashes: &[u64]) -> Option<u32> {
    let Ok(mut world) = World::new(scene) else { return Some(0) };
    for (frame, hash) in (0_u32..).zip(hashes) {
        if frame > 0 {
            world.advance();
        }
        if world.hash() != *hash {
            return Some(frame);
        }
    }
    None
}

/// A world, with or without a folder that records it.
enum Stage {
    Recorded(Box<Run>),
    Bare(Box<World>),
}

impl Stage {
    fn new(scene: &Scene, folder: Option<&Path>) -> Result<Self, RunError> {
        Ok(match folder {
            Some(folder) => Self::Recorded(Box::new(Run::create(scene, folder)?)),
            None => Self::Bare(Box::new(World::new(scene)?)),
        })
    }

    fn world(&self) -> &World {
        match self {
            Self::Recorded(run) => run.world(),
            Self::Bare(world) => world,
        }
    }

    fn advance(&mut self) -> Result<(FrameReport, FrameVerdict), RunError> {
        match self {
            Self::Recorded(run) => {
                let frame = run.advance()?.clone();
                Ok((frame.report, frame.verdict.unwrap_or_else(|| run.world().judge())))
            }
            Self::Bare(world) => {
                let report = world.advance();
                if report.non_finite > 0 {
                    return Err(RunError::NotFinite { frame: report.frame, particles: report.non_finite });
                }
                if let Some(source) = world.failure() {
                    return Err(RunError::Detection { frame: report.frame, source });
                }
                Ok((report, world.judge()))
            }
        }
    }
}

/// Largest ratio of a length to that at rest: of edges, or where cloth is a fabric, whose edges across the threads get longer when it
/// shears, of warp and weft in every triangle.
pub(super) fn largest_stretch(world: &World) -> f64 {
    let x = &world.state().x;
    if let Some(stepper) = world.stepper() {
        return 1.0 + largest_thread_strain(stepper.energies().membranes.elements(), x);
    }
    let ratio = |e: &toile::cloth::DistanceRange| x[e.ends[0] as usize].distance(x[e.ends[1] as usize]) / e.rest;
    world.model().structural.iter().map(ratio).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torture::scenes::Short;

    fn torture(expect: Expect) -> Torture {
        Torture { name: "test", text: "", short: Short { frames: 1, coarser: 1.0 }, stretch: [1.3, 1.1], expect }
    }

    fn reasons(outcome: &Outcome, expect: Expect) -> String {
        match outcome.verdict(&torture(expect), true) {
            Verdict::Fail(reasons) => reasons.join("; "),
            well => format!("{well:?}"),
        }
    }

    #[test]
    fn each_fault_fails_with_its_reason() {
        let good = Outcome { stretch: 1.05, threads: [2, 1], ..Outcome::default() };
        assert_eq!(reasons(&good, Expect::Clean), "Pass");
        let with = |change: fn(&mut Outcome)| {
            let mut outcome = good.clone();
            change(&mut outcome);
            reasons(&outcome, Expect::Clean)
        };
        assert_eq!(
            with(|o| (o.intersections, o.first_bad) = (3, Some(7))),
            "3 intersections and 0 inside, first in frame 7"
        );
        assert_eq!(with(|o| (o.inside, o.first_bad) = (1, Some(0))), "0 intersections and 1 inside, first in frame 0");
        assert_eq!(with(|o| o.stretch = 1.2), "stretch 1.200 exceeds 1.1");
        let longer = Outcome { stretch: 1.2, ..good.clone() };
        assert_eq!(longer.verdict(&torture(Expect::Clean), false), Verdict::Pass);
        assert_eq!(with(|o| o.stretch = f64::NAN), "stretch NaN exceeds 1.1");
        assert_eq!(with(|o| o.differs = Some(4)), "2 threads and 1 thread give different states in frame 4");
        assert_eq!(with(|o| o.stopped = Some("lost".into())), "lost");
        assert_eq!(with(|o| o.flown_through = 2), "an obstacle has flown through 2 vertices");
        assert!(with(|o| o.penetration = 1e-4).contains("0 intersections"));
    }

    #[test]
    fn expectations_turn_the_verdict_round() {
        let clean = Outcome { stretch: 1.0, ..Outcome::default() };
        let met = Outcome { intersections: 2, ..clean.clone() };
        assert_eq!(met.verdict(&torture(Expect::Intersections), true), Verdict::ExpectedFailure);
        assert!(reasons(&clean, Expect::Intersections).starts_with("no intersections"));
        assert!(reasons(&met, Expect::Survival).contains("over-constrained"));
        let met = Outcome { squeezed: 3, ..met };
        assert_eq!(reasons(&met, Expect::Survival), "Pass");
        assert!(reasons(&Outcome { stretch: 2.0, ..met }, Expect::Survival).starts_with("stretch"));
    }

    #[test]
    fn the_witness_counts_watched_vertices_left_behind() {
        let witness = Witness { frame: 3, near: DVec3::ZERO, radius: 0.1, axis: DVec3::NEG_Z, beyond: 0.4 };
        let start = [DVec3::ZERO, 0.09 * DVec3::X, 0.2 * DVec3::X];
        let x = [-0.5 * DVec3::Z, -0.3 * DVec3::Z, DVec3::ZERO];
        assert_eq!(flown_through(&witness, &start, &x), 1);
    }

    #[test]
    fn a_scene_is_measured_frame_by_frame_and_two_runs_compared() {
        // Two sheets that cross and float.
        let text = "[time]\nduration = 0.1\n[contact]\nself_collision = false\nguard = false\n[forces]\ngravity = [0, 0, 0]\n\
            [[cloth]]\nposition = [0, 0.9, 0]\nshape = { kind = \"grid\", vertices = [4, 4] }\n\
            [[cloth]]\nposition = [0, 0.9, 0]\nrotation_deg = [80, 10, 0]\nshape = { kind = \"grid\", vertices = [3, 3] }\n";
        let scene = Scene::from_toml("test.toml", text).unwrap();
        let outcome = attempt(&scene, None, None, [2, 1]).unwrap();
        assert_eq!((outcome.frames, outcome.first_bad, outcome.differs), (4, Some(0), None));
        assert!(outcome.intersections > 4 && outcome.stopped.is_none());
        assert_eq!(first_difference(&scene, &[outcome.hash]), Some(0));
    }
}
