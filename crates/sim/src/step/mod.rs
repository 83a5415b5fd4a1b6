//! The time step.
//!
//! A frame is cut into steps ([`frame`]). A step has one form for both models of cloth:
//!
//! 1. `pose`: obstacles and held particles move to the end of the step; what obstacles leave no room is guided ([`Overlap`]).
//! 2. `predict`: free motion.
//! 3. `detect`: candidates that may touch, complete by proof ([`Candidates`]).
//! 4. `respond`: contacts as plain values, and what a response does with them.
//! 5. `solve`: Newton's method with contact terms ([`implicit`]), or passes over lengths and obstacles ([`constraint`]).
//! 6. `guard`: whatever would go through is pushed apart or taken back.
//! 7. `report`: velocities, and what happened.
//!
//! A step is tried on memory of its own ([`Engine`]): the state of the world changes when it is accepted, and not before. Whether it is,
//! or is tried again as two halves, is decided in one place by one rule ([`quality`]). Where a frame ends, a pass outside physics makes it fit
//! to be seen ([`present`]).

mod aim;
pub(crate) mod constraint;
mod forbid;
pub(crate) mod frame;
pub(crate) mod implicit;
mod present;
mod quality;
pub(crate) mod respond;
pub(crate) mod rest;

use toile_cloth::{ClothModel, ClothState, ConstraintSolver};
use toile_collide::DetectError;
use toile_contact::{
    Candidates, Caught, ContactTuning, Friction, Guard, GuardReport, MeshObstacle, Mobility, Obstacle, Overlap,
    OverlapReport, PlacedObstacles, Solids, Step, SweepReport, TriangleSweep,
};
use toile_mesh::{DVec3, VertexId, judge};
use tracing::{debug, debug_span, warn};

use crate::atmosphere::Atmosphere;
use crate::hold::Held;
use crate::report::{Integration, Phase, PhaseTimes};
use crate::settings::Settings;

use implicit::Implicit;
use quality::{StepQuality, Verdict};
use respond::Response;

/// Factors of damping and of scaled friction refer to this time [s].
use toile_cloth::verlet::DAMPING_STEP;

/// What a step reads and does not change.
pub(crate) struct Fixed<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) model: &'a ClothModel,
    pub(crate) triangles: &'a [[VertexId; 3]],
    pub(crate) obstacles: &'a [Obstacle],
    pub(crate) meshes: &'a [MeshObstacle],
    pub(crate) holds: &'a [Held],
    /// How far a particle may travel in one step [m].
    pub(crate) reach: f64,
    /// Fastest that anything can be expected to move in this frame [m/s].
    pub(crate) pace: f64,
    /// Whether obstacles or hands move in this frame.
    pub(crate) is_moved: bool,
}

/// What a step changes once it is accepted.
pub(crate) struct Changing<'a> {
    pub(crate) state: &'a mut ClothState,
    /// What mesh obstacles have caught, ascending.
    pub(crate) caught: &'a mut Vec<Caught>,
}

/// What one step found, or the steps it was split into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) guard: GuardReport,
    pub(crate) overlap: OverlapReport,
    /// Triangles lifted off exact shapes where a frame ends.
    pub(crate) triangles: SweepReport,
    /// Contacts that pressed.
    pub(crate) touching: usize,
    /// Steps that were tried again as two halves.
    pub(crate) split: usize,
    /// Smallest distance of particles relative to what they should keep, at most 1.
    pub(crate) smallest_separation: f64,
}

impl Default for Outcome {
    fn default() -> Self {
        Self {
            guard: GuardReport::default(),
            overlap: OverlapReport::default(),
            triangles: SweepReport::default(),
            touching: 0,
            split: 0,
            smallest_separation: 1.0,
        }
    }
}

impl Outcome {
    /// The outcome of this step and then `next`.
    pub(crate) fn then(self, next: Self) -> Self {
        let mut guard = self.guard;
        guard += next.guard;
        Self {
            guard,
            split: self.split + next.split,
            smallest_separation: self.smallest_separation.min(next.smallest_separation),
            ..next
        }
    }
}

/// How cloth moves.
#[derive(Clone, Debug)]
pub(crate) enum Motion {
    /// Finite elements, integrated with their contacts.
    Implicit(Box<Implicit>),
    /// Lengths that are kept (Fuhrmann 2003).
    Constraint,
}

/// Exact obstacles of a step, in place.
#[derive(Clone, Debug)]
pub(crate) struct Shapes {
    /// Without friction.
    pub(crate) smooth: PlacedObstacles,
    /// With it.
    pub(crate) rough: PlacedObstacles,
    sweep: TriangleSweep,
    /// Longest edge of the flat cloth [m].
    longest_edge: f64,
}

impl Shapes {
    pub(crate) fn new(tuning: &ContactTuning, longest_edge: f64) -> Self {
        let placed = PlacedObstacles::new(tuning);
        Self { smooth: placed.clone(), rough: placed, sweep: TriangleSweep::default(), longest_edge }
    }

    /// Puts obstacles in place for a step. Fuhrmann's friction is a factor per [`DAMPING_STEP`]; a step of another length has the matching
    /// power.
    fn place(&mut self, obstacles: &[Obstacle], t0: f64, t1: f64) {
        let steps = (t1 - t0) / DAMPING_STEP;
        self.rough.place_again(obstacles, t0, t1);
        self.rough.map_friction(|friction| match friction {
            Friction::Scaled(c_f) => Friction::Scaled(1.0 - (1.0 - c_f).powf(steps)),
            coulomb @ Friction::Coulomb(_) => coulomb,
        });
        self.smooth.place_again(obstacles, t0, t1);
        self.smooth.map_friction(|friction| match friction {
            Friction::Scaled(_) => Friction::Scaled(0.0),
            coulomb @ Friction::Coulomb(_) => coulomb,
        });
    }

    fn is_empty(&self) -> bool {
        self.smooth.pieces().is_empty()
    }

    /// Marks what obstacles matter to each particle, unless marks of another step still hold: those within the threshold of any triangle
    /// at it.
    ///
    /// From a point of a triangle to its nearest corner it is less than 0.58 of its longest edge, which gets longer by at most twice what
    /// corners move: with a third of the edge as slack, an edge is reach enough.
    fn renew_marks(&mut self, lengths: &ConstraintSolver, x: &[DVec3], threshold: f64) {
        if !self.smooth.marks_hold(x) {
            let longest = self.longest_edge * lengths.largest_stretch(x).max(1.0);
            self.smooth.mark_near(x, threshold + longest, longest / 3.0);
        }
    }
}

/// What it takes to try a step. Nothing of it is saved: a world goes on with the same bits without it.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) step: Step,
    pub(crate) motion: Motion,
    /// Lengths of the flat cloth: kept by the constraint model, measured for both.
    pub(crate) lengths: ConstraintSolver,
    pub(crate) shapes: Shapes,
    /// Pairs of features that may touch; `None` if nothing can touch anything.
    pub(crate) candidates: Option<Candidates>,
    pub(crate) response: Response,
    pub(crate) guard: Guard,
    pub(crate) overlap: Overlap,
    /// Inverse masses of free particles [1/kg].
    pub(crate) inverse_mass: Vec<f64>,
    /// What is caught, as the step that is tried sees it.
    caught: Vec<Caught>,
    /// Where the motion of the step leads; what is corrected after it is no motion [m].
    moved: Vec<DVec3>,
    /// Where the cloth was before the guard [m].
    unguarded: Vec<DVec3>,
    /// Why a search for contacts failed in this frame.
    pub(crate) failure: Option<DetectError>,
    /// What the integration did in this frame.
    pub(crate) integration: Integration,
    /// Whether obstacles have left cloth no room at some time; checks of debug builds end then.
    was_pinched: bool,
}

/// What a new engine is made of.
pub(crate) struct EngineParts {
    pub(crate) step: Step,
    pub(crate) motion: Motion,
    pub(crate) lengths: ConstraintSolver,
    pub(crate) shapes: Shapes,
    pub(crate) candidates: Option<Candidates>,
    pub(crate) response: Response,
    pub(crate) overlap: Overlap,
    pub(crate) inverse_mass: Vec<f64>,
}

impl Engine {
    pub(crate) fn new(parts: EngineParts) -> Self {
        Self {
            step: parts.step,
            motion: parts.motion,
            lengths: parts.lengths,
            shapes: parts.shapes,
            candidates: parts.candidates,
            response: parts.response,
            guard: Guard::default(),
            overlap: parts.overlap,
            inverse_mass: parts.inverse_mass,
            caught: Vec::new(),
            moved: Vec::new(),
            unguarded: Vec::new(),
            failure: None,
            integration: Integration::default(),
            was_pinched: false,
        }
    }

    pub(crate) fn implicit(&self) -> Option<&Implicit> {
        match &self.motion {
            Motion::Implicit(implicit) => Some(implicit),
            Motion::Constraint => None,
        }
    }

    pub(crate) fn implicit_mut(&mut self) -> Option<&mut Implicit> {
        match &mut self.motion {
            Motion::Implicit(implicit) => Some(implicit),
            Motion::Constraint => None,
        }
    }

    /// Forgets what was found in the frame before, as a resumed run does not know it; the next ends at `end` [s].
    pub(crate) fn begin_frame(&mut self, end: f64) {
        self.failure = None;
        self.integration = Integration::default();
        if let Some(candidates) = &mut self.candidates {
            candidates.forget(end);
        }
    }

    /// Advances the state from `t0` to `t1` [s]: the one place where a step is tried again.
    pub(crate) fn advance(
        &mut self,
        fixed: &Fixed<'_>,
        changing: &mut Changing<'_>,
        air: &mut Option<Atmosphere>,
        (t0, t1): (f64, f64),
        depth: u32,
        times: &mut PhaseTimes,
    ) -> Outcome {
        let settings = &fixed.settings.advanced;
        let has_caught = !changing.caught.is_empty();
        let _step = debug_span!("step", t0, t1, depth).entered();
        let mut attempt = 0;
        loop {
            let (outcome, quality) = debug_span!("attempt", number = attempt)
                .in_scope(|| self.attempt(fixed, changing, air, (t0, t1), times));
            let mut verdict = quality.verdict(depth, attempt, has_caught, settings);
            if verdict == Verdict::Excuse && !self.overlap.excuse(self.guard.left()) {
                // There is nothing new to pass over.
                verdict = quality.verdict(depth, u32::MAX, has_caught, settings);
            }
            match verdict {
                // The rule excuses a bounded number of times.
                Verdict::Excuse => {
                    debug!(pairs = quality.left(), "pairs excused, step tried again");
                    attempt += 1;
                }
                Verdict::Split => {
                    debug!(t0, t1, depth, reason = quality.flaw(), "step split");
                    self.overlap.forget_excuses();
                    let middle = 0.5 * (t0 + t1);
                    let first = self.advance(fixed, changing, air, (t0, middle), depth + 1, times);
                    let second = self.advance(fixed, changing, air, (middle, t1), depth + 1, times);
                    let both = first.then(second);
                    return Outcome { split: both.split + 1, ..both };
                }
                Verdict::Accept => {
                    if quality.left() > 0 {
                        warn!(
                            t0,
                            t1,
                            pairs = quality.left(),
                            "step accepted with pairs that meet: obstacles leave no room"
                        );
                    } else if let Some(reason) = quality.flaw() {
                        debug!(t0, t1, depth, reason, "hard step accepted");
                    }
                    times.time(Phase::Report, || self.accept(changing));
                    self.assert_clean(fixed, changing, &outcome);
                    return outcome;
                }
            }
        }
    }

    /// One step from `t0` to `t1` [s], on the engine's own memory.
    fn attempt(
        &mut self,
        fixed: &Fixed<'_>,
        changing: &Changing<'_>,
        air: &mut Option<Atmosphere>,
        (t0, t1): (f64, f64),
        times: &mut PhaseTimes,
    ) -> (Outcome, StepQuality) {
        let overlap = times.time(Phase::Pose, || self.pose(fixed, changing, t0, t1));
        if let Some(air) = air {
            times.time(Phase::Predict, || air.feel(self.step.cloth_start(), &self.step.v, t0, t1));
        }
        let loads = frame::loads(&fixed.settings.forces, t1);
        let moved = match self.motion {
            Motion::Implicit(_) => self.step_implicit(fixed, changing, air.as_ref(), &loads, times),
            Motion::Constraint => self.step_constraint(fixed, air.as_ref(), &loads, times),
        };
        let guard = times.time(Phase::Guard, || self.keep_apart(fixed));
        let is_dragged = times.time(Phase::Report, || {
            self.find_velocities(fixed);
            guard.pushed > 0 && (self.drags(fixed) || self.strains(fixed))
        });
        let outcome = Outcome {
            guard,
            overlap,
            triangles: SweepReport::default(),
            touching: moved.touching,
            smallest_separation: moved.smallest_separation,
            split: 0,
        };
        let cloth = self.step.cloth();
        let settings = &fixed.settings.advanced;
        let quality = StepQuality::new(&guard, cloth, moved.is_solved, moved.is_flung, is_dragged, settings);
        (outcome, quality)
    }

    /// Puts obstacles and held particles where they are at `t1` [s], the cloth where it is at `t0`, and guides what has no room.
    fn pose(&mut self, fixed: &Fixed<'_>, changing: &Changing<'_>, t0: f64, t1: f64) -> OverlapReport {
        let state = &*changing.state;
        self.shapes.place(fixed.obstacles, t0, t1);
        self.step.place(fixed.meshes, t0, t1);
        self.step.begin(&state.x, &state.v, &self.inverse_mass);
        hold_particles(fixed.holds, &mut self.step);
        self.caught.clone_from(changing.caught);
        let keep = fixed.settings.contact.threshold;
        let Self { step, shapes, overlap, caught, .. } = self;
        overlap.guide(step, &shapes.smooth, fixed.triangles, caught, keep)
    }

    /// Whatever would go through is pushed apart or taken back.
    fn keep_apart(&mut self, fixed: &Fixed<'_>) -> GuardReport {
        self.unguarded.clear();
        self.unguarded.extend_from_slice(self.step.cloth_end());
        self.step.yield_guided(&self.inverse_mass);
        let contact = &fixed.settings.contact;
        let Some(candidates) = self.candidates.as_mut().filter(|_| contact.guard) else {
            self.guard.clear();
            return GuardReport::default();
        };
        let solids = Solids { placed: &self.shapes.smooth, triangles: fixed.triangles, keep: contact.threshold };
        match self.guard.run(&mut self.step, candidates, solids, &self.moved) {
            Ok(report) => report,
            Err(error) => {
                self.fail(error);
                GuardReport::default()
            }
        }
    }

    /// Remembers that a search failed: the first failure of a frame counts.
    fn fail(&mut self, error: DetectError) {
        warn!(%error, "search for contacts failed");
        self.failure = self.failure.or(Some(error));
    }

    /// Velocities at the end of the step. What the guard moved went where it is, but no faster than what it met.
    fn find_velocities(&mut self, fixed: &Fixed<'_>) {
        self.step.hold_guided();
        let Self { step, guard, unguarded, moved, lengths, .. } = self;
        match &self.motion {
            Motion::Implicit(implicit) => implicit.find_velocities(step, unguarded, guard.pace()),
            Motion::Constraint => {
                let solver = &fixed.settings.solver;
                constraint::find_velocities(step, moved, unguarded, guard.pace(), lengths, solver);
            }
        }
        self.overlap.release(&mut self.step.v);
    }

    /// Makes the step that was tried the state.
    fn accept(&mut self, changing: &mut Changing<'_>) {
        let Changing { state, caught } = changing;
        self.overlap.catch(&self.step, &mut self.caught);
        caught.clone_from(&self.caught);
        state.x.copy_from_slice(self.step.cloth_end());
        state.v.copy_from_slice(&self.step.v);
        if let Motion::Implicit(implicit) = &mut self.motion {
            implicit.remember(state, &self.step.inverse_mass);
        }
    }

    /// Whether the step that was tried has dragged vertices of finite elements away from their neighbours.
    fn drags(&self, fixed: &Fixed<'_>) -> bool {
        if !fixed.is_moved || self.implicit().is_none() {
            return false;
        }
        let before = self.lengths.largest_stretch(self.step.cloth_start());
        let after = self.lengths.largest_stretch(self.step.cloth_end());
        quality::is_dragged(before, after, &fixed.settings.advanced)
    }

    /// Whether the step that was tried has strained threads of finite elements.
    fn strains(&self, fixed: &Fixed<'_>) -> bool {
        let Some(implicit) = self.implicit() else { return false };
        let before = implicit.largest_strain(self.step.cloth_start());
        implicit.largest_strain(self.step.cloth_end()) > before + fixed.settings.advanced.strained
    }

    /// In debug and test builds: nothing crosses where a step ends that the guard left clean.
    fn assert_clean(&mut self, fixed: &Fixed<'_>, changing: &Changing<'_>, outcome: &Outcome) {
        if !cfg!(debug_assertions) || !fixed.settings.contact.guard || self.failure.is_some() {
            return;
        }
        // What exact obstacles pinch once may stay so for a while.
        let OverlapReport { pinched, led } = outcome.overlap;
        self.was_pinched |= outcome.guard.left > 0 || pinched + led > 0;
        if self.was_pinched || !changing.caught.is_empty() || self.candidates.is_none() {
            return;
        }
        let t1 = self.step.t1;
        let positions = changing.state.x.clone();
        let cloth = toile_mesh::TriMesh { positions, triangles: fixed.triangles.to_vec() };
        if fixed.settings.contact.self_collision {
            let crossing = judge::self_intersections(&cloth);
            assert_eq!(crossing.count(), 0, "cloth crosses itself at {t1} s: {:?}", crossing.pairs);
        }
        for mesh in fixed.meshes {
            let crossing = judge::mutual_intersections(&cloth, &mesh.mesh_at(t1));
            assert_eq!(crossing.count(), 0, "cloth crosses \"{}\" at {t1} s: {:?}", mesh.name, crossing.pairs);
        }
        for triangle in fixed.triangles {
            let corners = triangle.map(|v| cloth.positions[v.index()]);
            let inside = self.shapes.smooth.pieces().iter().find(|piece| piece.holds_part_of(corners));
            assert!(inside.is_none(), "a triangle at {corners:?} is in an obstacle at {t1} s: {inside:?}");
        }
    }
}

/// What the motion of a step found, before the guard.
#[derive(Clone, Copy, Debug)]
struct Moved {
    touching: usize,
    smallest_separation: f64,
    /// Whether the equations of motion were solved.
    is_solved: bool,
    /// Whether a particle went farther than anything could be expected to, and was held back.
    is_flung: bool,
}

impl Default for Moved {
    fn default() -> Self {
        Self { touching: 0, smallest_separation: 1.0, is_solved: true, is_flung: false }
    }
}

/// Holds particles where their hands are when the step ends; lets go of those whose time is over, with the velocity of the hand.
pub(crate) fn hold_particles(holds: &[Held], step: &mut Step) {
    let (t0, t1) = (step.t0, step.t1);
    // Those who let go first, so that a particle in two hands stays in the one that holds on.
    for hold in holds.iter().filter(|hold| (t0..t1).contains(&hold.until)) {
        for ((i, x_t0), (_, x_t1)) in hold.places(t0).zip(hold.places(t1)) {
            step.v[i] = (x_t1 - x_t0) / (t1 - t0);
        }
    }
    for hold in holds.iter().filter(|hold| t1 <= hold.until) {
        for (i, x) in hold.places(t1) {
            step.prescribe(i, Mobility::Held, x);
            step.v[i] = DVec3::ZERO;
        }
    }
}
