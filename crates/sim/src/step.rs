//! The time step. A frame is cut into steps; a step is the phases below, one named call each.
//!
//! 1. `pose`: obstacles and held particles move to the end of the step.
//! 2. `predict`: forces and Verlet integration (Fuhrmann 2003, eq. 15), or the whole integration of finite elements with
//!    contacts as links.
//! 3. `refit`: boxes of the particle hierarchy, where particles keep a distance from each other.
//! 4. `detect`: pairs of features that may touch, or of near particles.
//! 5. `solve`: passes over bending, structure, near particles and exact obstacles.
//! 6. `respond`: friction with exact obstacles (eq. 18–21), pairs of features; where a frame ends, triangles against
//!    obstacles until none is too near, and edges until they are short.
//! 7. `guard`: whatever would go through is pushed or taken back. If that is much, long or not enough, the step is done again in
//!    halves.
//! 8. `report`: velocities from positions, and what happened.
//!
//! **Friction.** Fuhrmann's factor scales the tangential movement once per step; it is applied in `respond` only, with
//! the exponent that makes it independent of the step length, and the passes before it stop a tenth short of the
//! threshold so that particles in contact are still in contact then. Coulomb friction acts in every pass, where its
//! normal correction is known.

use toile_cloth::verlet::{DAMPING_STEP, External, predict, update_velocities};
use toile_contact::{Friction, GuardReport, SweepReport, SweepSettings, resolve_particles};
use toile_mesh::DVec3;

use crate::atmosphere::push;
use crate::report::{FrameReport, Integration, Phase, PhaseTimes};
use crate::scene::FrictionLaw;
use crate::substeps::top_speed;
use crate::world::{Workspace, World};

/// Inner passes keep this share of the threshold; see the module.
const INNER_THRESHOLD: f64 = 0.9;
/// Share of the threshold that edges and triangles keep. Less than particles do, so that the flat triangles of a cloth
/// resting on a round obstacle are left in peace.
const TRIANGLE_THRESHOLD: f64 = 0.5;
/// Share of the threshold within which triangles are gathered for the passes.
const GATHER_THRESHOLD: f64 = 0.6;
/// Rounds of [`LAST_PASSES`] passes after the solve, while a pair is too close or, where a frame ends, an edge too long.
const LAST_ROUNDS: usize = 6;
/// Passes over long edges, near pairs and obstacles in such a round.
const LAST_PASSES: usize = 4;
/// Edges up to this factor beyond the longest allowed end the last rounds.
const GOOD_STRETCH: f64 = 1.01;
/// Share of the kept distance that ends the last rounds.
const GOOD_SEPARATION: f64 = 0.99;

/// Steps of which the guard takes back more than this share of the particles are done again in halves.
const HARD_WORK: f64 = 0.05;
/// So are steps in which it needs more than this many rounds.
const HARD_ROUNDS: usize = 40;
/// So are steps of finite elements in which something moves, it pushes and the longest edge gets longer than this, relative to its rest
/// length: what a limb runs into is then dragged by single vertices, which forces in the cloth could follow in shorter steps.
const DRAGGED: f64 = 1.15;
/// By how much longer than before the longest edge must have got for that.
const DRAGGED_FARTHER: f64 = 1.02;
/// Halvings for that.
const HALVINGS_OF_HARD_WORK: u32 = 2;
/// Times a step is done again because obstacles leave cloth no room.
const MOST_EXCUSES: usize = 8;
/// Halvings of a step after which pairs still meet.
const MOST_HALVINGS: u32 = 3;

/// What one step found.
#[derive(Clone, Copy, Default)]
struct StepContacts {
    triangles: SweepReport,
    /// Pairs of features that touched.
    pairs: usize,
    /// Particles that were held because they are pinched.
    squeezed: usize,
    /// Steps that were done again in halves.
    halved: usize,
    guard: GuardReport,
    smallest_separation: f64,
}

impl World {
    /// Simulates one frame.
    pub fn advance(&mut self) -> FrameReport {
        let mut times = PhaseTimes::default();
        times.time(Phase::Pose, || self.cut());
        if self.rests() {
            return self.stay(times);
        }
        self.work.failure = None;
        self.work.integration = Integration::default();
        let substeps = self.substeps();
        self.work.flung = false;
        let mut contacts = StepContacts { smallest_separation: 1.0, ..StepContacts::default() };
        let frame_end = f64::from(self.frame + 1) / self.scene.time.frame_rate;
        times.time(Phase::Predict, || self.blow(self.time(), frame_end));
        if let Some(watch) = &mut self.work.watch {
            // A resumed run has no list either.
            watch.forget(frame_end);
        }
        let searches = self.searches();
        for step in 0..substeps {
            // Times come from whole numbers, so that they do not depend on where a run was resumed.
            let at = |k: u32| (f64::from(self.frame) + f64::from(k) / f64::from(substeps)) / self.scene.time.frame_rate;
            let shown = self.scene.solver.finish && step + 1 == substeps;
            let (smallest, guard, halved) = (contacts.smallest_separation, contacts.guard, contacts.halved);
            contacts = self.step_or_halves((at(step), at(step + 1)), shown, 0, &mut times);
            contacts.smallest_separation = contacts.smallest_separation.min(smallest);
            contacts.guard += guard;
            contacts.halved += halved;
        }
        self.frame += 1;
        times.time(Phase::Report, || self.come_to_rest());
        let mut report = self.report(substeps, &contacts, times);
        report.searches = self.searches() - searches;
        report.zones = self.work.responses.zones.take();
        report
    }

    /// A frame in which nothing moves.
    fn stay(&mut self, mut times: PhaseTimes) -> FrameReport {
        let (t0, t1) = (self.time(), f64::from(self.frame + 1) / self.scene.time.frame_rate);
        times.time(Phase::Pose, || {
            let work = &mut self.work;
            work.slippery.place(&self.obstacles, t0, t1);
            work.bodies.place(&self.meshes, t0, t1);
            work.bodies.begin(&self.state.x, &self.state.inverse_mass);
            work.bodies.set_end(&self.state.x);
        });
        self.frame += 1;
        let contacts = StepContacts { smallest_separation: 1.0, ..StepContacts::default() };
        self.report(0, &contacts, times)
    }

    /// One step; done again as two halves if the guard had to take back much or could not take back everything.
    fn step_or_halves(
        &mut self,
        (t0, t1): (f64, f64),
        shown: bool,
        depth: u32,
        times: &mut PhaseTimes,
    ) -> StepContacts {
        if depth >= self.work.saved.len() as u32 {
            self.work.saved.push((self.state.clone(), self.caught.clone()));
        } else {
            let (state, caught) = &mut self.work.saved[depth as usize];
            state.clone_from(&self.state);
            caught.clone_from(&self.caught);
        }
        let mut contacts = self.step(t0, t1, shown, times);
        for _ in 0..MOST_EXCUSES {
            // Where something is caught already, or halves have not helped, obstacles leave no room.
            let no_room =
                contacts.guard.left > 0 && (depth == MOST_HALVINGS || !self.work.saved[depth as usize].1.is_empty());
            if !no_room || !self.excuse_left() {
                break;
            }
            self.go_back(depth);
            contacts = self.step(t0, t1, shown, times);
        }
        self.catch();
        let hard = contacts.guard.taken_back as f64 > HARD_WORK * self.state.x.len() as f64
            || contacts.guard.rounds > HARD_ROUNDS
            || self.work.flung
            || contacts.guard.pushed > 0 && self.drags();
        if !(contacts.guard.left > 0 && depth < MOST_HALVINGS || hard && depth < HALVINGS_OF_HARD_WORK) {
            self.assert_clean(t1, &contacts.guard);
            return contacts;
        }
        self.go_back(depth);
        let middle = 0.5 * (t0 + t1);
        let mut first = self.step_or_halves((t0, middle), false, depth + 1, times);
        let second = self.step_or_halves((middle, t1), shown, depth + 1, times);
        first.guard += second.guard;
        StepContacts {
            guard: first.guard,
            halved: first.halved + second.halved + 1,
            smallest_separation: first.smallest_separation.min(second.smallest_separation),
            ..second
        }
    }

    /// Whether the step that was done has dragged vertices of finite elements away from their neighbours.
    fn drags(&self) -> bool {
        let stretch = |x: &[DVec3]| self.work.solver.largest_stretch(x);
        let longest = || DRAGGED.max(DRAGGED_FARTHER * stretch(&self.work.x_t0));
        self.work.physical.is_some() && self.work.is_moved && stretch(&self.state.x) > longest()
    }

    /// Back to the state in which the step of this depth began.
    fn go_back(&mut self, depth: u32) {
        let (state, caught) = &self.work.saved[depth as usize];
        self.state.clone_from(state);
        self.caught.clone_from(caught);
        self.recall_slip();
    }

    /// One step from `t0` to `t1` [s]; `shown`: a frame ends with it and must be
    /// fit to be seen.
    fn step(&mut self, t0: f64, t1: f64, shown: bool, times: &mut PhaseTimes) -> StepContacts {
        let h = t1 - t0;
        self.work.x_t0.clone_from(&self.state.x);
        times.time(Phase::Pose, || self.pose(t0, t1));
        times.time(Phase::Predict, || self.predict(t0, t1));
        if self.parts_particles() {
            self.find_near_pairs(times);
        }
        let linked = self.has_links();
        if !linked {
            times.time(Phase::Solve, || self.solve());
        }
        if self.parts_particles() && self.scene.solver.finish {
            // The passes have moved particles; what they brought together must be known to be parted again.
            self.find_near_pairs(times);
        }
        let mut contacts = StepContacts { smallest_separation: 1.0, ..StepContacts::default() };
        if linked {
            contacts.pairs = self.count_links();
        } else {
            times.time(Phase::Respond, || self.rub());
        }
        if self.parts_pairs() {
            contacts.pairs = self.part_pairs(t0, t1, times);
        }
        self.work.x_moved.clone_from(&self.state.x);
        times.time(Phase::Respond, || self.set_pairs_apart());
        if self.scene.solver.finish && !linked {
            times.time(Phase::Respond, || self.tidy(shown, &mut contacts));
        }
        // Tidying up is no motion.
        self.work.x_tidied.clone_from(&self.state.x);
        contacts.guard = self.guard(t0, t1, times);
        times.time(Phase::Report, || self.finish_step(h));
        contacts.squeezed = self.work.pinched_now.count();
        self.release_pinched(h);
        contacts
    }

    fn pose(&mut self, t0: f64, t1: f64) {
        let steps = (t1 - t0) / DAMPING_STEP;
        let scaled = |f: fn(f64, f64) -> f64| {
            move |friction| match friction {
                Friction::Scaled(c_f) => Friction::Scaled(f(c_f, steps)),
                coulomb @ Friction::Coulomb(_) => coulomb,
            }
        };
        let work = &mut self.work;
        work.rough.place_again(&self.obstacles, t0, t1);
        work.rough.map_friction(scaled(|c_f, steps| 1.0 - (1.0 - c_f).powf(steps)));
        work.slippery.place_again(&self.obstacles, t0, t1);
        work.slippery.map_friction(scaled(|_, _| 0.0));
        work.bodies.place(&self.meshes, t0, t1);
        self.hold_particles(t0, t1);
        self.hold_pinched();
        self.hold_caught(t1 - t0);
        self.work.bodies.begin(&self.work.x_t0, &self.state.inverse_mass);
    }

    /// Moves held particles to where the hand is at `t1`; lets go of those whose time is over, with the hand's velocity.
    pub(crate) fn hold_particles(&mut self, t0: f64, t1: f64) {
        // Those who let go first, so that a particle in two hands stays in the one that holds on.
        for hold in self.holds.iter().filter(|h| t1 > h.until) {
            for ((p, x_t0), (_, x_t1)) in hold.places(t0).zip(hold.places(t1)) {
                if self.state.inverse_mass[p] == 0.0 {
                    self.state.set_held(&self.model, p, false);
                    self.state.v[p] = (x_t1 - x_t0) / (t1 - t0);
                }
            }
        }
        for hold in self.holds.iter().filter(|h| t1 <= h.until) {
            for (p, x) in hold.places(t1) {
                self.state.set_held(&self.model, p, true);
                self.state.x[p] = x;
            }
        }
    }

    fn predict(&mut self, t0: f64, t1: f64) {
        let h = t1 - t0;
        self.feel_air(t1);
        let forces = &self.scene.forces;
        let gust = 1.0 + forces.gust * (std::f64::consts::TAU * forces.gust_frequency * t1).sin();
        let external = External { gravity: DVec3::from(forces.gravity), wind: DVec3::from(forces.wind) * gust };
        if self.work.physical.is_some() {
            let report = self.integrate((t0, t1), external.gravity, external.wind);
            self.work.integration.add(&report);
            return;
        }
        let state = &mut self.state;
        predict(
            &mut state.x,
            &mut state.v,
            &state.inverse_mass,
            &self.model.area,
            external,
            self.scene.solver.damping,
            h,
        );
        if let Some(air) = &self.air {
            push(air, state, h);
        }
    }

    fn find_near_pairs(&mut self, times: &mut PhaseTimes) {
        times.time(Phase::Refit, || self.work.tree.refit(&self.state.x));
        times.time(Phase::Detect, || self.detect());
    }

    fn detect(&mut self) {
        let (work, x) = (&mut self.work, &self.state.x);
        let distance = work.separation.search_distance();
        work.tree.pairs_within(x, distance, &mut work.search, &mut work.candidates);
        work.separation.set_candidates(&work.candidates, x);
    }

    fn solve(&mut self) {
        let particles = self.parts_particles();
        let (work, state) = (&mut self.work, &mut self.state);
        let contact = &self.scene.contact;
        let threshold = match contact.friction_law {
            FrictionLaw::Scaled => INNER_THRESHOLD * contact.threshold,
            FrictionLaw::Coulomb => contact.threshold,
        };
        let (x, w) = (&mut state.x, &state.inverse_mass);
        let obstacles = !self.obstacles.is_empty();
        if obstacles {
            renew_marks(work, x, contact.threshold);
        }
        let settings = SweepSettings::new(TRIANGLE_THRESHOLD * contact.threshold);
        for iteration in 0..self.scene.solver.iterations {
            if work.physical.is_none() {
                work.solver.iterate(x, w);
            }
            if particles {
                work.separation.pass(x, w);
            }
            if obstacles {
                resolve_particles(&work.slippery, &work.x_t0, x, w, threshold);
            }
            if obstacles && contact.triangles {
                if iteration == 0 {
                    work.triangle_sweep.gather(
                        &work.slippery,
                        work.pinched_now.pushed(&self.triangles),
                        x,
                        GATHER_THRESHOLD * contact.threshold,
                    );
                }
                work.triangle_sweep.pass(&work.slippery, &work.x_t0, x, w, &settings);
            }
        }
    }

    /// Friction of the step with obstacles.
    fn rub(&mut self) {
        if self.obstacles.is_empty() {
            return;
        }
        let (work, state) = (&mut self.work, &mut self.state);
        let (x, w) = (&mut state.x, &state.inverse_mass);
        renew_marks(work, x, self.scene.contact.threshold);
        work.rough.share_marks(&work.slippery);
        resolve_particles(&work.rough, &work.x_t0, x, w, self.scene.contact.threshold);
    }

    /// Brings near particles apart and, where a frame ends, triangles off obstacles and long edges to their length.
    fn tidy(&mut self, shown: bool, contacts: &mut StepContacts) {
        let particles = self.parts_particles();
        let obstacles = !self.obstacles.is_empty();
        let threshold = self.scene.contact.threshold;
        let triangles = self.scene.contact.triangles && obstacles;
        let settings = SweepSettings::new(TRIANGLE_THRESHOLD * threshold);
        for round in 0..=LAST_ROUNDS {
            let (work, state) = (&mut self.work, &mut self.state);
            let (x, w) = (&mut state.x, &state.inverse_mass);
            if obstacles {
                renew_marks(work, x, threshold);
            }
            if triangles && shown {
                let pushed = work.pinched_now.pushed(&self.triangles);
                let report = work.triangle_sweep.resolve(&work.slippery, pushed, &work.x_t0, x, w, &settings);
                let first = if round == 0 { report.contacts } else { contacts.triangles.contacts };
                contacts.triangles = SweepReport { contacts: first, ..report };
            }
            contacts.smallest_separation = separation_of(work, x, particles);
            let apart = contacts.smallest_separation >= GOOD_SEPARATION;
            let short = match &work.physical {
                Some(physical) => !physical.is_too_long(x),
                None => !shown || work.solver.largest_stretch(x) <= GOOD_STRETCH * work.solver.longest(),
            };
            if (apart && short) || round == LAST_ROUNDS {
                break;
            }
            for _ in 0..LAST_PASSES {
                let (work, state) = (&mut self.work, &mut self.state);
                let (x, w) = (&mut state.x, &state.inverse_mass);
                match &work.physical {
                    Some(physical) => physical.shorten(x, w),
                    None if shown => work.solver.limit(x, w),
                    None => {}
                }
                if particles {
                    work.separation.pass(x, w);
                }
                if obstacles {
                    resolve_particles(&work.slippery, &work.x_t0, x, w, threshold);
                }
                if !particles {
                    self.part_again();
                }
            }
        }
    }

    fn finish_step(&mut self, h: f64) {
        if self.work.physical.is_some() {
            self.finish_physical_step(h);
            return;
        }
        let (work, state) = (&mut self.work, &mut self.state);
        // What was tidied up is no motion. What the guard moved went where it is, but no faster than what it met.
        let pace = work.guard.pace();
        for (i, moved) in work.x_moved.iter_mut().enumerate() {
            if work.x_tidied[i] != state.x[i] {
                let way = state.x[i] - work.x_t0[i];
                *moved = work.x_t0[i] + pace.get(i).map_or(way, |pace| way.clamp_length_max(*pace));
            }
        }
        update_velocities(&work.x_moved, &work.x_t0, &mut state.v, &state.inverse_mass, h);
        let smoothing = self.scene.solver.smoothing;
        if smoothing > 0.0 {
            work.solver.smooth_velocities(&mut state.v, &state.inverse_mass, smoothing, h);
        }
    }

    fn report(&self, substeps: u32, contacts: &StepContacts, mut times: PhaseTimes) -> FrameReport {
        let state = &self.state;
        let mut report = times.time(Phase::Report, || FrameReport {
            largest_stretch: self.work.solver.largest_stretch(&state.x),
            kinetic_energy: state.kinetic_energy(&self.model),
            gravity_energy: state.gravity_energy(&self.model, DVec3::from(self.scene.forces.gravity)),
            top_speed: top_speed(&state.v),
            non_finite: state.x.iter().filter(|p| !p.is_finite()).count(),
            ..FrameReport::default()
        });
        report.frame = self.frame;
        report.time = self.time();
        report.substeps = substeps;
        let pressed = times.time(Phase::Report, || self.pressed());
        report.obstacle_contacts = pressed.touching;
        report.squeezed = pressed.squeezed.max(contacts.squeezed);
        report.triangle_contacts = contacts.triangles.contacts;
        report.pushed = contacts.guard.pushed;
        report.taken_back = contacts.guard.taken_back;
        report.meeting = contacts.guard.left;
        report.deepest = contacts.triangles.deepest;
        report.near_pairs = match &self.work.watch {
            _ if self.parts_particles() => self.work.separation.len(),
            Some(watch) => watch.pairs().len(),
            None => 0,
        };
        report.touching = contacts.pairs;
        report.halved = contacts.halved;
        report.smallest_separation = contacts.smallest_separation;
        report.integration = self.work.physical.as_ref().map(|physical| Integration {
            largest_thread_strain: physical.largest_strain(&state.x),
            ..self.work.integration
        });
        report.times = times;
        report
    }
}

/// Marks what obstacles matter to each particle, unless marks of another step still hold: those within the threshold of any triangle at it.
///
/// From a point of a triangle to its nearest corner it is less than 0.58 of its longest edge, which gets longer by at most twice what
/// corners move: with a third of the edge as slack, an edge is reach enough.
fn renew_marks(work: &mut Workspace, x: &[DVec3], threshold: f64) {
    if !work.slippery.marks_hold(x) {
        let longest = work.longest_edge * work.solver.largest_stretch(x).max(1.0);
        work.slippery.mark_near(x, threshold + longest, longest / 3.0);
    }
}

/// Smallest distance of particles relative to what they should keep, at most 1.
fn separation_of(work: &Workspace, x: &[DVec3], particles: bool) -> f64 {
    if particles { work.separation.smallest_ratio(x).min(1.0) } else { 1.0 }
}
