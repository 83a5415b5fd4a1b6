//! The time step. A frame is cut into steps; a step is the phases below, one named call each.
//!
//! 1. `pose`: obstacles and held particles move to the end of the step.
//! 2. `predict`: forces and Verlet integration (Fuhrmann 2003, eq. 15).
//! 3. `refit`: boxes of the particle hierarchy.
//! 4. `detect`: pairs of near particles. Both once more after `solve` (with `solver.finish`). Pairs of cloth and meshes.
//! 5. `solve`: passes over bending, structure, near pairs and obstacles.
//! 6. `respond`: friction with obstacles (eq. 18–21), a last separation; where a frame ends, triangles against
//!    obstacles until none is too near, and edges until they are short. Last, whatever went through a mesh is taken
//!    back.
//! 7. `report`: velocities from positions, and what happened.
//!
//! **Friction.** Fuhrmann's factor scales the tangential movement once per step; it is applied in `respond` only, with
//! the exponent that makes it independent of the step length, and the passes before it stop a tenth short of the
//! threshold so that particles in contact are still in contact then. Coulomb friction acts in every pass, where its
//! normal correction is known.

use toile_cloth::verlet::{DAMPING_STEP, External, predict, update_velocities};
use toile_contact::{Friction, GuardReport, ParticleReport, SweepReport, SweepSettings, resolve_particles};
use toile_mesh::DVec3;

use crate::atmosphere::push;
use crate::mesh_step;
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
const LAST_ROUNDS: usize = 2;
/// Passes over long edges, near pairs and obstacles in such a round.
const LAST_PASSES: usize = 4;
/// Passes after those that part near pairs and lift off obstacles, while a pair is still too close: crossing is worse
/// than stretch.
const EXTRA_PASSES: usize = 40;
/// Share of their distance that joined particles must have where a frame ends: they are held by their own constraints,
/// which other passes may press, and cross only when crushed.
const GOOD_JOINED: f64 = 0.95;
/// Edges up to this factor beyond the longest allowed end the last rounds.
const GOOD_STRETCH: f64 = 1.01;
/// Share of the kept distance that ends the last rounds.
const GOOD_SEPARATION: f64 = 0.99;

/// What one step found.
#[derive(Clone, Copy, Default)]
struct StepContacts {
    particles: ParticleReport,
    triangles: SweepReport,
    guard: GuardReport,
    smallest_separation: f64,
}

impl World {
    /// Simulates one frame.
    pub fn advance(&mut self) -> FrameReport {
        let mut times = PhaseTimes::default();
        self.work.failure = None;
        self.work.integration = Integration::default();
        let substeps = self.substeps();
        let mut contacts = StepContacts { smallest_separation: 1.0, ..StepContacts::default() };
        let frame_end = f64::from(self.frame + 1) / self.scene.time.frame_rate;
        times.time(Phase::Predict, || self.blow(self.time(), frame_end));
        for step in 0..substeps {
            // Times come from whole numbers, so that they do not depend on where a run was resumed.
            let at = |k: u32| (f64::from(self.frame) + f64::from(k) / f64::from(substeps)) / self.scene.time.frame_rate;
            let shown = self.scene.solver.finish && step + 1 == substeps;
            let (smallest, guard) = (contacts.smallest_separation, contacts.guard);
            contacts = self.step(at(step), at(step + 1), shown, &mut times);
            contacts.smallest_separation = contacts.smallest_separation.min(smallest);
            contacts.guard.taken_back += guard.taken_back;
            contacts.guard.left += guard.left;
        }
        self.frame += 1;
        self.report(substeps, &contacts, times)
    }

    /// One step from `t0` to `t1` [s]; `shown`: a frame ends with it and must be
    /// fit to be seen.
    fn step(&mut self, t0: f64, t1: f64, shown: bool, times: &mut PhaseTimes) -> StepContacts {
        let h = t1 - t0;
        self.work.x_t0.clone_from(&self.state.x);
        times.time(Phase::Pose, || self.pose(t0, t1));
        times.time(Phase::Predict, || self.predict(t1, h));
        if self.scene.contact.self_collision {
            self.find_near_pairs(times);
        }
        times.time(Phase::Detect, || self.find_mesh_pairs());
        times.time(Phase::Solve, || self.solve());
        times.time(Phase::Detect, || self.find_mesh_pairs());
        if self.scene.contact.self_collision && self.scene.solver.finish {
            // The passes have moved particles; what they brought together must be known to be parted again.
            self.find_near_pairs(times);
        }
        let contacts = times.time(Phase::Respond, || {
            let touching = self.rub_meshes(h);
            let mut contacts = self.respond(shown);
            contacts.particles.contacts += touching;
            if self.scene.solver.finish {
                contacts.guard = self.guard_meshes();
            }
            contacts
        });
        times.time(Phase::Report, || self.finish_step(h));
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
        work.rough.place(&self.obstacles, t0, t1);
        work.rough.map_friction(scaled(|c_f, steps| 1.0 - (1.0 - c_f).powf(steps)));
        work.slippery.place(&self.obstacles, t0, t1);
        work.slippery.map_friction(scaled(|_, _| 0.0));
        if let Some(meshes) = &mut work.mesh_contacts {
            meshes.place(&self.meshes, t0, t1);
        }
        self.hold_particles(t0, t1);
    }

    /// Moves held particles to where the hand is at `t1`; lets go of those whose time is over, with the hand's velocity.
    pub(crate) fn hold_particles(&mut self, t0: f64, t1: f64) {
        // Those who let go first, so that a particle in two hands stays in the one that holds on.
        for hold in self.holds.iter().filter(|h| t1 > h.until) {
            for &p in &hold.particles {
                if self.state.inverse_mass[p as usize] == 0.0 {
                    self.state.set_held(&self.model, p as usize, false);
                    self.state.v[p as usize] = (hold.offset(t1) - hold.offset(t0)) / (t1 - t0);
                }
            }
        }
        for hold in self.holds.iter().filter(|h| t1 <= h.until) {
            let offset = hold.offset(t1);
            for (&p, anchor) in hold.particles.iter().zip(&hold.anchors) {
                self.state.set_held(&self.model, p as usize, true);
                self.state.x[p as usize] = *anchor + offset;
            }
        }
    }

    fn predict(&mut self, t1: f64, h: f64) {
        self.feel_air(t1);
        let forces = &self.scene.forces;
        let gust = 1.0 + forces.gust * (std::f64::consts::TAU * forces.gust_frequency * t1).sin();
        let external = External { gravity: DVec3::from(forces.gravity), wind: DVec3::from(forces.wind) * gust };
        if self.work.physical.is_some() {
            let report = self.integrate(h, external.gravity, external.wind);
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
        let (work, state) = (&mut self.work, &mut self.state);
        let contact = &self.scene.contact;
        let threshold = match contact.friction_law {
            FrictionLaw::Scaled => INNER_THRESHOLD * contact.threshold,
            FrictionLaw::Coulomb => contact.threshold,
        };
        let (x, w) = (&mut state.x, &state.inverse_mass);
        let obstacles = !self.obstacles.is_empty();
        if obstacles {
            mark_near(work, x, contact.threshold);
        }
        let settings = SweepSettings::new(TRIANGLE_THRESHOLD * contact.threshold);
        for iteration in 0..self.scene.solver.iterations {
            if work.physical.is_none() {
                work.solver.iterate(x, w);
            }
            if contact.self_collision {
                work.separation.pass(x, w);
            }
            if obstacles {
                resolve_particles(&work.slippery, &work.x_t0, x, w, threshold);
            }
            if obstacles && contact.triangles {
                if iteration == 0 {
                    work.triangle_sweep.gather(
                        &work.slippery,
                        &self.triangles,
                        x,
                        GATHER_THRESHOLD * contact.threshold,
                    );
                }
                work.triangle_sweep.pass(&work.slippery, &work.x_t0, x, w, &settings);
            }
            mesh_step::pass(work, contact, x, w, threshold);
        }
    }

    fn respond(&mut self, shown: bool) -> StepContacts {
        let (work, state) = (&mut self.work, &mut self.state);
        let contact = &self.scene.contact;
        let (x, w) = (&mut state.x, &state.inverse_mass);
        let obstacles = !self.obstacles.is_empty();
        let mut contacts = StepContacts { smallest_separation: 1.0, ..StepContacts::default() };
        if obstacles {
            contacts.particles = resolve_particles(&work.rough, &work.x_t0, x, w, contact.threshold);
        }
        if !self.scene.solver.finish {
            contacts.smallest_separation = separation_of(work, x, contact.self_collision, false);
            return contacts;
        }
        let triangles = contact.triangles && obstacles;
        let settings = SweepSettings::new(TRIANGLE_THRESHOLD * contact.threshold);
        for round in 0..=LAST_ROUNDS {
            if obstacles {
                renew_marks(work, x, contact.threshold);
            }
            if triangles && shown {
                let report = work.triangle_sweep.resolve(&work.slippery, &self.triangles, &work.x_t0, x, w, &settings);
                let first = if round == 0 { report.contacts } else { contacts.triangles.contacts };
                contacts.triangles = SweepReport { contacts: first, ..report };
            }
            contacts.smallest_separation = separation_of(work, x, contact.self_collision, shown);
            let apart = contacts.smallest_separation >= GOOD_SEPARATION;
            let short = match &work.physical {
                Some(physical) => !physical.is_too_long(x),
                None => !shown || work.solver.largest_stretch(x) <= GOOD_STRETCH * work.solver.longest(),
            };
            if (apart && short) || round == LAST_ROUNDS {
                break;
            }
            if triangles {
                work.triangle_sweep.gather(&work.slippery, &self.triangles, x, GATHER_THRESHOLD * contact.threshold);
            }
            for _ in 0..LAST_PASSES {
                match &work.physical {
                    Some(physical) => physical.shorten(x, w),
                    None if shown => work.solver.limit(x, w),
                    None => {}
                }
                if contact.self_collision {
                    part(work, x, w, shown);
                }
                if obstacles {
                    resolve_particles(&work.slippery, &work.x_t0, x, w, contact.threshold);
                }
                if triangles {
                    work.triangle_sweep.pass(&work.slippery, &work.x_t0, x, w, &settings);
                }
                mesh_step::pass(work, contact, x, w, contact.threshold);
            }
        }
        let mut passes = 0;
        while contacts.smallest_separation < GOOD_SEPARATION && passes < EXTRA_PASSES {
            for _ in 0..LAST_PASSES {
                part(work, x, w, shown);
                passes += 1;
            }
            mesh_step::pass(work, contact, x, w, contact.threshold);
            if obstacles {
                renew_marks(work, x, contact.threshold);
                resolve_particles(&work.slippery, &work.x_t0, x, w, contact.threshold);
            }
            if triangles && shown {
                let report = work.triangle_sweep.resolve(&work.slippery, &self.triangles, &work.x_t0, x, w, &settings);
                contacts.triangles.deepest = report.deepest;
            }
            contacts.smallest_separation = separation_of(work, x, true, shown);
        }
        contacts
    }

    fn finish_step(&mut self, h: f64) {
        if self.work.physical.is_some() {
            self.finish_physical_step(h);
            return;
        }
        let (work, state) = (&mut self.work, &mut self.state);
        update_velocities(&state.x, &work.x_t0, &mut state.v, &state.inverse_mass, h);
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
        report.obstacle_contacts = contacts.particles.contacts;
        report.triangle_contacts = contacts.triangles.contacts;
        report.taken_back = contacts.guard.taken_back;
        report.meeting = contacts.guard.left;
        report.deepest = contacts.triangles.deepest;
        report.near_pairs = if self.scene.contact.self_collision { self.work.separation.len() } else { 0 };
        report.smallest_separation = contacts.smallest_separation;
        report.integration = self.work.physical.as_ref().map(|physical| Integration {
            largest_thread_strain: physical.largest_strain(&state.x),
            ..self.work.integration
        });
        report.times = times;
        report
    }
}

/// Marks what obstacles matter to each particle: those within the threshold of any triangle at it. From a point of a
/// triangle to its nearest corner it is less than 0.58 of the longest edge, so the longest edge leaves room for motion.
fn mark_near(work: &mut Workspace, x: &[DVec3], threshold: f64) {
    let reach = threshold + work.longest_edge * work.solver.largest_stretch(x).max(1.0);
    work.slippery.mark_near(x, reach, reach);
}

/// Marks again if a particle has moved too far from where the marks were taken.
fn renew_marks(work: &mut Workspace, x: &[DVec3], threshold: f64) {
    if !work.slippery.marks_hold(x) {
        mark_near(work, x, threshold);
    }
}

/// Parts watched pairs, and where a frame ends joined ones too.
fn part(work: &Workspace, x: &mut [DVec3], w: &[f64], shown: bool) {
    if shown {
        work.joined.part_pass(x, w);
    }
    work.separation.pass(x, w);
}

/// Smallest distance of particles relative to what they should keep, at most 1: watched pairs, and joined ones where a
/// frame ends.
fn separation_of(work: &Workspace, x: &[DVec3], self_collision: bool, shown: bool) -> f64 {
    if !self_collision {
        return 1.0;
    }
    let joined = if shown { work.joined.smallest_ratio(x) / GOOD_JOINED } else { 1.0 };
    work.separation.smallest_ratio(x).min(joined).min(1.0)
}
