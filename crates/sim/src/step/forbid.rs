//! Directions that the implicit solver may not use (Kimmerle 2005, §3.2.2; Baraff, Witkin 1998, §5).
//!
//! **What.** A contact with an obstacle at rest has a normal `n`, weights `w_i` of its particles, a gap
//! `φ = n · Σ w_i x_i − o` and a distance `d` to keep. Its particles may not move along `n` if `φ < d` and it is not released.
//! They begin the step shifted along `n` by `min(d − φ, h d / T)`, a gradual target that does not throw them. Other particles
//! feel the shift in the same solve. Velocities do not: along `n` they are 0 after the step.
//!
//! **Arrival.** A forbidden direction holds for a whole step and cannot begin or end within it. What arrives, and what was released but is
//! pressed down again, meets a term of the solve instead, as with `solved` but without friction. Where it touches when the step ends, the
//! next one forbids the direction. If what arrives were put on the obstacle at once, its threads would begin the step strained by a third.
//!
//! **Release.** A contact whose particles part, `n · Σ w_i v_i > 0`, holds nothing; nor does one at rest at its
//! distance whose net force at the start of the step, that of energies and loads, pulls them away:
//! `n · Σ w_i f_i / m_i > 0`. Nearer than that it holds until the distance is gained, at most for the time `T` of recovery: released by its
//! force alone, cloth would come to rest too near, borne by its neighbours.
//!
//! **Several contacts** of a particle: particles of their own come before corners of edges and triangles, the nearest first.
//! Another direction is forbidden only where the particle is below half the distance to keep. On a round obstacle of
//! triangles every normal is another, and all of them together would glue; and a particle that slides towards the next
//! triangle of a plane sees it under a tilted normal, which would stop it.
//!
//! **Limits.** There is no friction. Nothing lets go of an obstacle that moves on: it is for those at rest. All corners
//! of an edge or triangle that touches are forbidden its normal, so coarse cloth is stiff over corners. Cloth with cloth
//! is a matter of impulses, inside the same solve ([`Aim`](super::aim::Aim)): projected after it, `Δx/h` would throw what the obstacle
//! holds.

use rayon::prelude::*;
use toile_cloth::linear::Filter;
use toile_contact::{Candidate, Contact, Step, contacts_of_pairs, contacts_of_shapes};
use toile_mesh::DVec3;

use super::implicit::Implicit;
use super::{Engine, Fixed, Motion, Shapes};
use crate::report::{Phase, PhaseTimes};

/// Slower contacts are at rest [m/s].
const AT_REST: f64 = 1e-4;
/// Contacts up to this share of the distance to keep are at it; a hair farther they would fall, and be caught, in turns.
const NEAR: f64 = 1.01;
/// Corners with less weight have nothing to do with a contact.
const LEAST_WEIGHT: f64 = 0.05;

/// What one contact asks of one particle.
struct Prescription {
    particle: u32,
    /// Particles of the contact.
    shared: usize,
    normal: DVec3,
    gap: f64,
    distance: f64,
    /// Shift along the normal before the step [m].
    shift: f64,
}

/// What prescriptions are made of.
struct Start<'a> {
    x: &'a [DVec3],
    v: &'a [DVec3],
    /// Acceleration by energies and loads [m/s²].
    acceleration: &'a [DVec3],
    h: f64,
    /// Seconds in which a contact gains its whole distance; that of projections.
    recovery: f64,
}

impl Start<'_> {
    /// What a contact asks of its particles; nothing if it is far or released.
    fn prescriptions(&self, contact: &Contact) -> Vec<Prescription> {
        let along = |y: &[DVec3]| {
            let parts = contact.vertices.iter().zip(contact.weights).filter(|(_, w)| *w != 0.0);
            parts.map(|(i, w)| contact.normal.dot(y[*i as usize]) * w).sum::<f64>()
        };
        let (gap, speed) = (along(self.x) - contact.offset, along(self.v));
        let is_near = gap < NEAR * contact.keep;
        let pulled = gap >= (2.0 - NEAR) * contact.keep && speed > -AT_REST && along(self.acceleration) > 0.0;
        if !is_near || speed > AT_REST || pulled {
            return Vec::new();
        }
        let shift = (contact.keep - gap).min(self.h * contact.keep / self.recovery);
        let corners = || contact.vertices.iter().zip(contact.weights).filter(|(_, w)| *w > LEAST_WEIGHT);
        let shared = corners().count();
        let prescription = |(particle, _): (&u32, f64)| Prescription {
            particle: *particle,
            shared,
            normal: contact.normal,
            gap,
            distance: contact.keep,
            shift,
        };
        corners().map(prescription).collect()
    }
}

/// Forbids what the prescriptions ask for; another direction of a particle only below the share `another` of the distance to keep.
fn forbid(mut prescriptions: Vec<Prescription>, another: f64, filter: &mut Filter) {
    prescriptions.sort_by(|a, b| (a.particle, a.shared).cmp(&(b.particle, b.shared)).then(a.gap.total_cmp(&b.gap)));
    for prescription in prescriptions {
        let i = prescription.particle as usize;
        let gap = prescription.gap + prescription.normal.dot(filter.prescribed(i));
        if !filter.is_constrained(i) || gap < another * prescription.distance {
            filter.prescribe(i, prescription.normal, prescription.shift);
        }
    }
}

impl Engine {
    /// Forbids the directions of the step, and shifts what is too near or arrives.
    pub(super) fn forbid_directions(&mut self, fixed: &Fixed<'_>, gravity: DVec3, times: &mut PhaseTimes) {
        let Self { step, motion, shapes, candidates, .. } = self;
        let (Motion::Implicit(implicit), Some(candidates)) = (motion, candidates) else { return };
        times.time(Phase::Respond, || {
            let contacts = contacts_with_obstacles(candidates.pairs(), step, shapes, fixed);
            if !contacts.is_empty() {
                implicit.forbid(step, &contacts, gravity);
            }
        });
    }
}

/// The contacts with obstacles, those at their distance too.
fn contacts_with_obstacles(pairs: &[Candidate], step: &Step, shapes: &Shapes, fixed: &Fixed<'_>) -> Vec<Contact> {
    let mut solid = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.vertices.iter().any(|v| *v as usize >= step.cloth())) {
        // Contacts are made of pairs nearer than they keep, or that meet.
        solid.push(Candidate { keep: NEAR * pair.keep, ..*pair });
    }
    let mut contacts = Vec::new();
    contacts_of_pairs(&solid, step, &mut contacts);
    for contact in &mut contacts {
        contact.keep /= NEAR;
    }
    contacts_of_shapes(&shapes.smooth, fixed.triangles, step, fixed.keep, &mut contacts);
    contacts.iter().map(|contact| step.on_particles(contact)).collect()
}

impl Implicit {
    /// Forbids what contacts ask for and shifts the start of the integration. Loads are known.
    fn forbid(&mut self, step: &Step, contacts: &[Contact], gravity: DVec3) {
        let w = &step.inverse_mass[..step.cloth()];
        let energies = self.stepper.energies_mut();
        // Measured without the viscosity of the step before.
        energies.stored(&self.x_free);
        let mut acceleration = vec![DVec3::ZERO; w.len()];
        energies.gradient(&self.x_free, &mut acceleration);
        for (i, a) in acceleration.iter_mut().enumerate() {
            *a = if w[i] > 0.0 { gravity + (self.force[i] - *a) * w[i] } else { DVec3::ZERO };
        }
        let h = step.length();
        let start =
            Start { x: &self.x_free, v: &step.v, acceleration: &acceleration, h, recovery: step.tuning().recovery };
        let found: Vec<Vec<Prescription>> = contacts.par_iter().map(|contact| start.prescriptions(contact)).collect();
        let free = |asked: &Prescription| w[asked.particle as usize] > 0.0;
        forbid(found.into_iter().flatten().filter(free).collect(), step.tuning().meeting, self.stepper.forbidden_mut());
        let filter = self.stepper.forbidden_mut();
        let remembered = self.history.x.len() == w.len();
        for i in 0..w.len() {
            let shift = filter.prescribed(i);
            self.x_free[i] += shift;
            if remembered {
                // A shift is no motion to methods of two steps either.
                self.history.x[i] += shift;
            }
        }
    }
}
