//! The constraint step: particles at allowed distances (Fuhrmann 2003), and what corrects the free step of any model.
//!
//! **Friction.** Fuhrmann's factor scales the tangential movement once per step; it is applied after the passes only, with
//! the exponent that makes it independent of the step length, and the passes before it stop a tenth short of the
//! threshold so that particles in contact are still in contact then. Coulomb friction acts in every pass, where its
//! normal correction is known.

use toile_cloth::ConstraintSolver;
use toile_cloth::verlet::{self, DAMPING_STEP, predict, update_velocities};
use toile_collide::{PairSearch, ParticleTree};
use toile_contact::{Separation, Step, SweepSettings, resolve_particles};
use toile_mesh::DVec3;

use super::frame::External;
use super::{Engine, Fixed, Motion, Moved};
use crate::atmosphere::{Atmosphere, push};
use crate::report::{Phase, PhaseTimes};
use crate::settings::{FrictionLaw, Response, Solver};

/// Share of the kept distance of particles that ends the last rounds.
const GOOD_SEPARATION: f64 = 0.99;
/// Triangles are gathered for the passes up to this many times the distance that they keep.
const GATHERED: f64 = 1.2;

/// Particles that keep a distance from each other, with what finds them (Fuhrmann 2003, §4).
#[derive(Clone, Debug)]
pub(crate) struct Particles {
    pub(crate) tree: ParticleTree,
    pub(crate) search: PairSearch,
    pub(crate) candidates: Vec<[u32; 2]>,
    pub(crate) separation: Separation,
}

impl Particles {
    fn find(&mut self, x: &[DVec3]) {
        self.tree.refit(x);
        let distance = self.separation.search_distance();
        self.tree.pairs_within(x, distance, &mut self.search, &mut self.candidates);
        self.separation.set_candidates(&self.candidates, x);
    }

    /// Finds particles that are near each other where a step begins or where it would end.
    pub(super) fn find_on_way(&mut self, start: &[DVec3], end: &[DVec3]) {
        let distance = self.separation.search_distance();
        self.tree.refit(end);
        self.tree.pairs_within(end, distance, &mut self.search, &mut self.candidates);
        let mut near = std::mem::take(&mut self.candidates);
        self.tree.refit(start);
        self.tree.pairs_within(start, distance, &mut self.search, &mut self.candidates);
        near.append(&mut self.candidates);
        near.sort_unstable();
        near.dedup();
        self.separation.set_candidates_on_way(&near, start, end);
        self.candidates = near;
    }

    /// Smallest distance relative to what particles should keep, at most 1.
    pub(super) fn smallest_separation(&self, x: &[DVec3]) -> f64 {
        self.separation.smallest_ratio(x).min(1.0)
    }
}

/// Velocities from where the motion of the step leads; what the guard moved went where it is, but no faster than what it met.
pub(super) fn find_velocities(
    step: &mut Step,
    moved: &mut [DVec3],
    unguarded: &[DVec3],
    pace: &[f64],
    lengths: &ConstraintSolver,
    solver: &Solver,
) {
    let (h, cloth) = (step.length(), step.cloth());
    for i in 0..cloth {
        let (start, end) = (step.x_t0[i], step.x_t1[i]);
        if unguarded[i] != end {
            let displacement = end - start;
            moved[i] = start + pace.get(i).map_or(displacement, |pace| displacement.clamp_length_max(*pace));
        }
    }
    let w = &step.inverse_mass[..cloth];
    update_velocities(moved, &step.x_t0[..cloth], &mut step.v, w, h);
    // Fuhrmann's factor belongs to his step; a step of another length has the matching power.
    let factor = if solver.damping == 1.0 { 1.0 } else { solver.damping.powf(h / DAMPING_STEP) };
    lengths.calm(&step.x_t1[..cloth], &mut step.v, w, factor, solver.smoothing, h);
}

impl Engine {
    /// The motion of a step of the constraint model.
    pub(super) fn step_constraint(
        &mut self,
        fixed: &Fixed<'_>,
        air: Option<&Atmosphere>,
        loads: &External,
        times: &mut PhaseTimes,
    ) -> Moved {
        times.time(Phase::Predict, || self.predict(fixed, air, loads));
        let mut moved = Moved::default();
        self.correct(fixed, &mut moved, times);
        moved
    }

    /// Forces and Verlet integration (eq. 15). Cloth is calmed where the step ends: see [`find_velocities`].
    fn predict(&mut self, fixed: &Fixed<'_>, air: Option<&Atmosphere>, loads: &External) {
        let (h, cloth) = (self.step.length(), self.step.cloth());
        let Step { x_t1, v, inverse_mass, .. } = &mut self.step;
        let external = verlet::External { gravity: loads.gravity, wind: loads.wind };
        let (x, w) = (&mut x_t1[..cloth], &inverse_mass[..cloth]);
        predict(x, v, w, &fixed.model.area, external, 1.0, h);
        if let Some(air) = air {
            push(air, x, v, w, h);
        }
    }

    /// Corrects a free step: passes, friction with exact shapes, the response.
    pub(super) fn correct(&mut self, fixed: &Fixed<'_>, moved: &mut Moved, times: &mut PhaseTimes) {
        let finish = fixed.settings.solver.finish;
        self.find_near_particles(times);
        times.time(Phase::Solve, || self.pass(fixed));
        if finish {
            // The passes have moved particles; what they brought together must be known to be parted again.
            self.find_near_particles(times);
        }
        times.time(Phase::Respond, || self.rub(fixed));
        if self.response.particles.is_none() {
            moved.touching = self.respond(fixed, times);
        }
        times.time(Phase::Respond, || {
            self.count_as_motion();
            self.set_apart(fixed);
        });
        if finish {
            moved.smallest_separation = times.time(Phase::Respond, || self.settle_particles(fixed));
        }
    }

    fn find_near_particles(&mut self, times: &mut PhaseTimes) {
        let x = &self.step.x_t1[..self.step.cloth()];
        if let Some(particles) = &mut self.response.particles {
            times.time(Phase::Detect, || particles.find(x));
        }
    }

    /// Passes over lengths, near particles and exact shapes.
    fn pass(&mut self, fixed: &Fixed<'_>) {
        let contact = &fixed.settings.contact;
        let threshold = match contact.friction_law {
            FrictionLaw::Scaled => fixed.settings.advanced.inner_threshold * fixed.keep,
            FrictionLaw::Coulomb => fixed.keep,
        };
        let cloth = self.step.cloth();
        let Self { step, motion, lengths, shapes, response, overlap, .. } = self;
        let keep = step.tuning().triangle_share * fixed.keep;
        let settings = SweepSettings::new(keep);
        let Step { x_t0, x_t1, inverse_mass, .. } = step;
        let (x_t0, x, w) = (&x_t0[..cloth], &mut x_t1[..cloth], &inverse_mass[..cloth]);
        if !shapes.is_empty() {
            shapes.renew_marks(lengths, x, fixed.keep);
        }
        for iteration in 0..fixed.settings.solver.iterations {
            if let Motion::Constraint = motion {
                lengths.iterate(x, w);
            }
            if let Some(particles) = &mut response.particles {
                particles.separation.pass(x, w);
            }
            if shapes.is_empty() {
                continue;
            }
            resolve_particles(&shapes.smooth, x_t0, x, w, threshold);
            if contact.triangles {
                if iteration == 0 {
                    let pushed = overlap.pushed(fixed.triangles);
                    shapes.sweep.gather(&shapes.smooth, pushed, x, GATHERED * keep);
                }
                shapes.sweep.pass(&shapes.smooth, x_t0, x, w, &settings);
            }
        }
    }

    /// Friction of the step with exact shapes.
    fn rub(&mut self, fixed: &Fixed<'_>) {
        if self.shapes.is_empty() {
            return;
        }
        let (cloth, threshold) = (self.step.cloth(), fixed.keep);
        let Self { step, lengths, shapes, .. } = self;
        let Step { x_t0, x_t1, inverse_mass, .. } = step;
        let (x_t0, x, w) = (&x_t0[..cloth], &mut x_t1[..cloth], &inverse_mass[..cloth]);
        shapes.renew_marks(lengths, x, threshold);
        shapes.rough.share_marks(&shapes.smooth);
        resolve_particles(&shapes.rough, x_t0, x, w, threshold);
    }

    /// Passes until near particles keep their distance and threads their limit; returns the smallest distance relative to what particles
    /// should keep.
    fn settle_particles(&mut self, fixed: &Fixed<'_>) -> f64 {
        let advanced = &fixed.settings.advanced;
        for round in 0..=advanced.last_rounds {
            let x = self.step.cloth_end();
            let particles = self.response.particles.as_ref();
            let separation = particles.map_or(1.0, |particles| particles.smallest_separation(x));
            let is_short = self.implicit().is_none_or(|implicit| !implicit.is_too_long(x));
            if separation >= GOOD_SEPARATION && is_short || round == advanced.last_rounds {
                return separation;
            }
            for _ in 0..advanced.last_passes {
                self.pass_again(fixed, false);
            }
        }
        1.0
    }

    /// One more pass over near particles or pairs and exact shapes; `limits`: over edges that are too long as well.
    pub(super) fn pass_again(&mut self, fixed: &Fixed<'_>, limits: bool) {
        let (cloth, threshold) = (self.step.cloth(), fixed.keep);
        let Self { step, motion, lengths, shapes, response, .. } = self;
        let Step { x_t0, x_t1, inverse_mass, .. } = &mut *step;
        let (x_t0, x, w) = (&x_t0[..cloth], &mut x_t1[..cloth], &inverse_mass[..cloth]);
        match motion {
            Motion::Implicit(implicit) => implicit.shorten(x, w),
            Motion::Constraint if limits => lengths.limit(x, w),
            Motion::Constraint => {}
        }
        if let Some(particles) = &mut response.particles {
            particles.separation.pass(x, w);
        }
        if !shapes.is_empty() {
            shapes.renew_marks(lengths, x, threshold);
            resolve_particles(&shapes.smooth, x_t0, x, w, threshold);
        }
        if response.particles.is_none() && !response.projection.is_empty() {
            response.projection.follow(step);
            response.projection.pass(step, false);
        }
    }
}

/// Whether particles keep a distance from each other.
pub(crate) fn parts_particles(contact: &crate::settings::Contact) -> bool {
    contact.self_collision && contact.response == Response::Particles
}
