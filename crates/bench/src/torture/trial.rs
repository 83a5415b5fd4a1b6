//! One scene put to the test: simulated twice, measured in every frame.

use std::path::Path;

use miette::Result;
use toile::{FrameReport, FrameVerdict, World};
use toile_cloth::largest_thread_strain;
use toile_mesh::DVec3;
use toile_scene::{Run, RunError, Scene};

use super::limit::USUAL;
use super::scenes::{Expect, Witness};
use crate::pool::pool;

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
    /// Largest stretch in any frame; see [`largest_stretch`].
    pub(crate) stretch: f64,
    /// The frames in which obstacles leave room; all of them in most scenes.
    pub(crate) with_room: WithRoom,
    /// Vertices the guard took back, summed over all frames.
    pub(crate) taken_back: usize,
    /// Most particles that are squeezed between obstacles in a frame.
    pub(crate) squeezed: usize,
    /// Most pairs that are left meeting in a frame.
    pub(crate) meeting: usize,
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

/// Frames in which the obstacles of a press are as far apart as cloth between them needs, or in which there is no press.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct WithRoom {
    /// Most particles that are squeezed in such a frame.
    pub(crate) squeezed: usize,
    /// Largest stretch in such a frame.
    pub(crate) stretch: f64,
    /// Number of such frames since the last that is none.
    pub(crate) frames: u32,
}

/// What is looked at besides every frame.
#[derive(Clone, Copy, Default)]
pub(crate) struct Watched {
    /// What tells that no obstacle has flown through.
    pub(crate) witness: Option<Witness>,
    /// Two obstacles, by their place in the scene, that leave no room for a while. They are above each other.
    pub(crate) press: Option<[usize; 2]>,
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
    /// Judges what was measured by what a scene must show, with stretch up to `limit`.
    pub(crate) fn verdict(&self, expect: Expect, limit: f64) -> Verdict {
        let mut reasons: Vec<String> = self.stopped.iter().cloned().collect();
        let met = self.intersections + self.inside > 0 || self.penetration > 0.0;
        let first = self.first_bad.map_or_else(String::new, |frame| format!(", first in frame {frame}"));
        if expect == Expect::Intersections {
            if !met {
                reasons.push("no intersections, though nothing prevents them here".to_owned());
            }
        } else if met {
            reasons.push(format!("{} intersections and {} inside{first}", self.intersections, self.inside));
        }
        if expect == Expect::Squeezed {
            self.judge_press(&mut reasons);
        }
        if self.flown_through > 0 && expect == Expect::Clean {
            reasons.push(format!("vertices that an obstacle has flown through: {}", self.flown_through));
        }
        let stretched = self.stretch > limit || self.stretch.is_nan();
        if stretched && expect != Expect::Intersections {
            reasons.push(format!("stretch {:.3} exceeds {limit:.3}", self.stretch));
        }
        if let Some(frame) = self.differs {
            let [a, b] = self.threads;
            reasons.push(format!("runs with {a} and {b} threads have different states in frame {frame}"));
        }
        match (reasons.is_empty(), expect) {
            (false, _) => Verdict::Fail(reasons),
            (true, Expect::Intersections) => Verdict::ExpectedFailure,
            (true, Expect::Clean | Expect::Squeezed) => Verdict::Pass,
        }
    }

    /// What must hold where obstacles leave no room for a while: [`Expect::Squeezed`].
    fn judge_press(&self, reasons: &mut Vec<String>) {
        let with_room = &self.with_room;
        if self.squeezed == 0 {
            reasons.push("no frame reports that cloth is squeezed".to_owned());
        }
        if self.meeting > 0 {
            reasons.push(format!("pairs left meeting: {}", self.meeting));
        }
        if with_room.frames == 0 {
            reasons.push("obstacles do not leave room again".to_owned());
        }
        if with_room.squeezed > 0 {
            reasons.push(format!("particles squeezed though there is room: {}", with_room.squeezed));
        }
        if with_room.stretch > USUAL {
            reasons.push(format!("stretch {:.3} exceeds {USUAL:.3} though there is room", with_room.stretch));
        }
    }

    /// Takes the measures of a frame, in which obstacles leave room or not.
    fn look(&mut self, world: &World, report: &FrameReport, verdict: &FrameVerdict, room: bool) {
        let stretch = largest_stretch(world);
        if room {
            self.with_room.frames += 1;
            self.with_room.squeezed = self.with_room.squeezed.max(report.squeezed);
            self.with_room.stretch = self.with_room.stretch.max(stretch);
        } else {
            self.with_room.frames = 0;
        }
        self.frames += 1;
        self.penetration = self.penetration.max(world.penetration());
        self.intersections += verdict.total() + verdict.unjudged;
        self.inside += verdict.inside;
        if !verdict.is_clean() {
            self.first_bad.get_or_insert(verdict.frame);
        }
        self.stretch = self.stretch.max(stretch);
        self.taken_back += report.taken_back;
        self.squeezed = self.squeezed.max(report.squeezed);
        self.meeting = self.meeting.max(report.meeting);
        self.seconds += report.times.total();
        self.hash = world.hash();
    }
}

/// Where a run is recorded, and what writes its pictures and reports at the end.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) publish: &'a (dyn Fn(&Run) -> Result<()> + Sync),
}

/// Simulates a scene with `threads[0]` threads, looks at every frame, and simulates it again with `threads[1]`.
///
/// The first of the two is recorded if `record` says where.
pub(crate) fn attempt(
    scene: &Scene,
    watched: Watched,
    record: Option<Record<'_>>,
    threads: [usize; 2],
) -> Result<Outcome> {
    let mut outcome = Outcome { threads, ..Outcome::default() };
    let hashes = pool(threads[0])?.install(|| judged(scene, watched, record, &mut outcome))?;
    if outcome.stopped.is_none() {
        outcome.differs = pool(threads[1])?.install(|| first_difference(scene, &hashes));
    }
    Ok(outcome)
}

/// The run that is looked at; returns the hash of every frame.
fn judged(scene: &Scene, watched: Watched, record: Option<Record<'_>>, outcome: &mut Outcome) -> Result<Vec<u64>> {
    let mut stage = match Stage::new(scene, record.map(|record| record.folder)) {
        Ok(stage) => stage,
        Err(RunError::Build(error)) => {
            outcome.stopped = Some(format!("cannot start: {error}"));
            return Ok(Vec::new());
        }
        Err(error) => return Err(error.into()),
    };
    let start = stage.world();
    outcome.look(start, &FrameReport::default(), &start.judge(), has_room(start, watched.press));
    let mut hashes = vec![outcome.hash];
    let x_start = start.state().x.clone();
    for _ in 0..scene.time.frames() {
        match stage.advance() {
            Ok((report, verdict)) => {
                let world = stage.world();
                outcome.look(world, &report, &verdict, has_room(world, watched.press));
            }
            Err(error @ (RunError::NotFinite { .. } | RunError::Detection { .. })) => {
                outcome.stopped = Some(error.to_string());
                break;
            }
            Err(error) => return Err(error.into()),
        }
        hashes.push(outcome.hash);
        let world = stage.world();
        if let Some(witness) = watched.witness.filter(|w| w.frame == world.frame()) {
            outcome.flown_through = flown_through(&witness, &x_start, &world.state().x);
        }
    }
    if let (Stage::Recorded(run), Some(record)) = (&stage, record) {
        (record.publish)(run)?;
    }
    Ok(hashes)
}

/// Whether the two obstacles of a press are farther apart than twice the distance that cloth keeps from each.
fn has_room(world: &World, press: Option<[usize; 2]>) -> bool {
    let Some([lower, upper]) = press else { return true };
    let gap = world.obstacle_mesh(upper.into()).bounds().min.y - world.obstacle_mesh(lower.into()).bounds().max.y;
    gap >= 2.0 * world.obstacle_distance()
}

/// Vertices whose way from `start` to `x` [m] the witness does not confirm.
fn flown_through(witness: &Witness, start: &[DVec3], x: &[DVec3]) -> usize {
    let watched = start.iter().zip(x).filter(|(start, _)| start.distance(witness.near) <= witness.radius);
    watched.filter(|(_, x)| x.dot(witness.axis) <= witness.beyond).count()
}

/// Simulates the scene again; the first frame whose hash is another one.
fn first_difference(scene: &Scene, hashes: &[u64]) -> Option<u32> {
    let Ok(mut world) = scene.world() else { return Some(0) };
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
            None => Self::Bare(Box::new(scene.world()?)),
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

/// Largest ratio of a length to that at rest: of edges in the constraint model; of warp and weft in every triangle with finite
/// elements, whose edges across the threads get longer when cloth shears.
pub(super) fn largest_stretch(world: &World) -> f64 {
    let x = &world.state().x;
    if let Some(stepper) = world.stepper() {
        return 1.0 + largest_thread_strain(stepper.energies().membranes.elements(), x);
    }
    let ratio = |e: &toile_cloth::DistanceRange| x[e.ends[0] as usize].distance(x[e.ends[1] as usize]) / e.rest;
    world.model().structural.iter().map(ratio).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(outcome: &Outcome, expect: Expect) -> String {
        match outcome.verdict(expect, 1.1) {
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
        assert_eq!(with(|o| o.stretch = 1.2), "stretch 1.200 exceeds 1.100");
        let longer = Outcome { stretch: 1.2, ..good.clone() };
        assert_eq!(longer.verdict(Expect::Clean, 1.3), Verdict::Pass);
        assert_eq!(with(|o| o.stretch = f64::NAN), "stretch NaN exceeds 1.100");
        assert_eq!(with(|o| o.differs = Some(4)), "runs with 2 and 1 threads have different states in frame 4");
        assert_eq!(with(|o| o.stopped = Some("lost".into())), "lost");
        assert_eq!(with(|o| o.flown_through = 2), "vertices that an obstacle has flown through: 2");
        assert!(with(|o| o.penetration = 1e-4).contains("0 intersections"));
    }

    #[test]
    fn expectations_turn_the_verdict_round() {
        let clean = Outcome { stretch: 1.0, ..Outcome::default() };
        let met = Outcome { intersections: 2, ..clean.clone() };
        assert_eq!(met.verdict(Expect::Intersections, 1.1), Verdict::ExpectedFailure);
        assert!(reasons(&clean, Expect::Intersections).starts_with("no intersections"));
    }

    #[test]
    fn squeezed_cloth_is_excused_only_where_there_is_no_room() {
        let with_room = WithRoom { squeezed: 0, stretch: 1.05, frames: 9 };
        let good = Outcome { stretch: 1.25, squeezed: 80, with_room, ..Outcome::default() };
        assert_eq!(good.verdict(Expect::Squeezed, 1.3), Verdict::Pass);
        let with = |change: fn(&mut Outcome)| {
            let mut outcome = good.clone();
            change(&mut outcome);
            match outcome.verdict(Expect::Squeezed, 1.3) {
                Verdict::Fail(reasons) => reasons.join("; "),
                well => format!("{well:?}"),
            }
        };
        assert_eq!(with(|o| o.squeezed = 0), "no frame reports that cloth is squeezed");
        assert_eq!(with(|o| o.meeting = 2), "pairs left meeting: 2");
        assert_eq!(with(|o| o.with_room.frames = 0), "obstacles do not leave room again");
        assert_eq!(with(|o| o.with_room.squeezed = 1), "particles squeezed though there is room: 1");
        assert_eq!(with(|o| o.with_room.stretch = 1.2), "stretch 1.200 exceeds 1.100 though there is room");
        assert_eq!(with(|o| o.stretch = 1.4), "stretch 1.400 exceeds 1.300");
        assert_eq!(with(|o| o.intersections = 1), "1 intersections and 0 inside");
    }

    #[test]
    fn a_press_leaves_room_until_it_is_nearer_than_cloth_keeps_from_both_sides() {
        // Between the plates are 0.1 m at the start, and 10 mm less after each frame. Cloth keeps 20 mm from each.
        let text = "[time]\nduration = 1\nframe_rate = 10\n[contact]\nthreshold = 0.02\n\
            [[cloth]]\nposition = [5, 0, 0]\nshape = { kind = \"grid\", vertices = [2, 2] }\n\
            [[obstacle]]\nshape = { kind = \"box\", size = [1, 0.1, 1] }\n\
            [[obstacle]]\nposition = [0, 0.2, 0]\nvelocity = [0, -0.1, 0]\nshape = { kind = \"box\", size = [1, 0.1, 1] }\n";
        let mut world = Scene::from_toml("test.toml", text).unwrap().world().unwrap();
        let mut room = vec![has_room(&world, Some([0, 1]))];
        for _ in 0..8 {
            world.advance();
            room.push(has_room(&world, Some([0, 1])));
        }
        // At 0.04 m rounding decides.
        assert_eq!((&room[..6], &room[7..]), (&[true; 6][..], &[false; 2][..]));
        assert!(has_room(&world, None));
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
        let outcome = attempt(&scene, Watched::default(), None, [2, 1]).unwrap();
        assert_eq!((outcome.frames, outcome.first_bad, outcome.differs), (4, Some(0), None));
        assert!(outcome.intersections > 4 && outcome.stopped.is_none());
        assert_eq!(first_difference(&scene, &[outcome.hash]), Some(0));
    }
}
