//! Directions that the implicit solver may not use (Kimmerle 2005, §3.2.2; Baraff, Witkin 1998, §5).
//!
//! **What.** A contact with an obstacle at rest has a normal `n`, weights `w_i` of its particles, a gap
//! `φ = n · Σ w_i x_i − o` and a distance `d` to keep. Its particles may not move along `n` if
//! ```text
//! φ < d  and not released,      or    φ ≥ d  and  φ + h n · (Σ w_i v_i + h g) < d     (it arrives in this step)
//! ```
//! They begin the step shifted along `n`: by `min(d − φ, h d / RECOVERY)` where they are too near, a gradual target that
//! does not throw them, and by what is left of their way where they arrive. Other particles feel the shift in the same
//! solve. Velocities do not: along `n` they are 0 after the step.
//!
//! **Release.** A contact whose particles part, `n · Σ w_i v_i > 0`, holds nothing; nor does one at rest at its
//! distance whose net force at the start of the step, that of energies and loads, pulls them away:
//! `n · Σ w_i f_i / m_i > 0`. Nearer than that it holds until the distance is gained, at most for `RECOVERY`: released by its
//! force alone, cloth would come to rest too near, borne by its neighbours.
//!
//! **Several contacts** of a particle: particles of their own come before corners of edges and triangles, the nearest first.
//! Another direction is forbidden only where the particle is below half the distance to keep. On a round obstacle of
//! triangles every normal is another, and all of them together would glue; and a particle that slides towards the next
//! triangle of a plane sees it under a tilted normal, which would stop it.
//!
//! **Limits.** There is no friction. Nothing lets go of an obstacle that moves on: it is for those at rest. All corners
//! of an edge or triangle that touches are forbidden its normal, so coarse cloth is stiff over corners. Cloth with cloth
//! is projected.

use rayon::prelude::*;
use toile_cloth::dynamics::Link;
use toile_cloth::linear::Filter;
use toile_contact::NearPair;
use toile_mesh::DVec3;

use crate::links::{Making, extrapolate};
use crate::physical::Physical;
use crate::scene::Response;
use crate::world::World;

/// Seconds in which a contact gains its whole distance; that of projections, so that these find nothing left to do.
const RECOVERY: f64 = 0.03;
/// Slower contacts are at rest [m/s].
const AT_REST: f64 = 1e-4;
/// Contacts up to this share of the distance to keep are at it; a hair farther they would fall, and be caught, in turns.
const NEAR: f64 = 1.01;
/// Share of the distance to keep from which on forces can pull a contact away.
const REACHED: f64 = 0.99;
/// Share of the distance to keep below which another direction is forbidden.
const ANOTHER: f64 = 0.5;
/// Corners with less weight have nothing to do with a contact.
const LEAST_WEIGHT: f64 = 0.05;

/// What one contact asks of one particle.
struct Condition {
    particle: u32,
    /// Particles of the contact.
    shared: usize,
    normal: DVec3,
    gap: f64,
    distance: f64,
    /// Shift along the normal before the step [m].
    shift: f64,
}

/// What conditions are made of.
struct Start<'a> {
    x: &'a [DVec3],
    v: &'a [DVec3],
    /// Acceleration by energies and loads [m/s²].
    acceleration: &'a [DVec3],
    gravity: DVec3,
    h: f64,
}

impl Start<'_> {
    /// What a contact asks of its particles; nothing if it is far or released.
    fn conditions(&self, link: &Link) -> Vec<Condition> {
        let along = |y: &[DVec3]| {
            let parts = link.vertices.iter().zip(link.weights).filter(|(_, w)| *w != 0.0);
            parts.map(|(i, w)| link.normal.dot(y[*i as usize]) * w).sum::<f64>()
        };
        let (gap, speed) = (along(self.x) - link.offset, along(self.v));
        let shift = if gap < NEAR * link.distance {
            let pulled = gap >= REACHED * link.distance && speed > -AT_REST && along(self.acceleration) > 0.0;
            if speed > AT_REST || pulled {
                return Vec::new();
            }
            (link.distance - gap).min(self.h * link.distance / RECOVERY)
        } else if gap + self.h * (speed + self.h * link.normal.dot(self.gravity)) < link.distance {
            link.distance - gap
        } else {
            return Vec::new();
        };
        let corners = || link.vertices.iter().zip(link.weights).filter(|(_, w)| *w > LEAST_WEIGHT);
        let shared = corners().count();
        let condition = |(particle, _): (&u32, f64)| Condition {
            particle: *particle,
            shared,
            normal: link.normal,
            gap,
            distance: link.distance,
            shift,
        };
        corners().map(condition).collect()
    }
}

/// Forbids what the conditions ask for.
fn forbid(mut conditions: Vec<Condition>, filter: &mut Filter) {
    conditions.sort_by(|a, b| (a.particle, a.shared).cmp(&(b.particle, b.shared)).then(a.gap.total_cmp(&b.gap)));
    for condition in conditions {
        let i = condition.particle as usize;
        let gap = condition.gap + condition.normal.dot(filter.prescribed(i));
        if !filter.is_constrained(i) || gap < ANOTHER * condition.distance {
            filter.prescribe(i, condition.normal, condition.shift);
        }
    }
}

impl World {
    /// Whether obstacles forbid directions to the implicit solver.
    pub(crate) fn forbids_directions(&self) -> bool {
        let implicit = self.work.physical.as_ref().is_some_and(|physical| physical.integrator.is_implicit());
        implicit && self.scene.contact.response == Response::Constraint
    }

    /// Forbids the directions of the step from `t0` to `t1` [s], and shifts what is too near or arrives. Loads are known.
    pub(crate) fn forbid_directions(&mut self, (t0, t1): (f64, f64), gravity: DVec3) {
        if !self.forbids_directions() {
            return;
        }
        let (state, work, h) = (&mut self.state, &mut self.work, t1 - t0);
        let (Some(physical), Some(watch)) = (&mut work.physical, &mut work.watch) else { return };
        let Physical { stepper, links, ahead, held, force, threads, .. } = physical;
        stepper.forbidden_mut().clear();
        extrapolate(&work.x_t0, &state.v, held, &state.inverse_mass, h, ahead);
        work.bodies.set_end(ahead);
        if let Err(error) = watch.cover(&work.bodies, t0, t1) {
            work.failure = work.failure.or(Some(error));
            return;
        }
        let cloth = work.bodies.cloth();
        let solid = |pair: &&NearPair| pair.vertices.iter().any(|v| *v as usize >= cloth);
        // Links are made of pairs nearer than they keep, or that meet; those at their distance count here as well.
        let wide = |pair: &NearPair| NearPair { keep: NEAR * pair.keep, ..*pair };
        let pairs: Vec<NearPair> = watch.pairs().iter().filter(solid).map(wide).collect();
        let contact = &self.scene.contact;
        let (threshold, pressure) = (contact.threshold, contact.pressure);
        let making = Making { bodies: &work.bodies, area: &self.model.area, threads, threshold, pressure };
        links.clear();
        making.of_pairs(&pairs, links);
        for link in links.iter_mut() {
            link.distance /= NEAR;
        }
        making.of_solids(&work.slippery, &self.triangles, links);
        if links.is_empty() {
            return;
        }
        let energies = stepper.energies_mut();
        // Measured without the viscosity of the step before.
        energies.stored(&state.x);
        let mut acceleration = vec![DVec3::ZERO; cloth];
        energies.gradient(&state.x, &mut acceleration);
        let w = &state.inverse_mass;
        acceleration.iter_mut().enumerate().for_each(|(i, a)| {
            *a = if w[i] > 0.0 { gravity + (force[i] - *a) * w[i] } else { DVec3::ZERO };
        });
        let start = Start { x: &state.x, v: &state.v, acceleration: &acceleration, gravity, h };
        let found: Vec<Vec<Condition>> = links.par_iter().map(|link| start.conditions(link)).collect();
        let free = |condition: &Condition| w[condition.particle as usize] > 0.0;
        forbid(found.into_iter().flatten().filter(free).collect(), stepper.forbidden_mut());
        let filter = stepper.forbidden_mut();
        let remembered = state.history.x.len() == cloth;
        for i in 0..cloth {
            let shift = filter.prescribed(i);
            state.x[i] += shift;
            if remembered {
                // A shift is no motion to methods of two steps either.
                state.history.x[i] += shift;
            }
        }
    }
}
