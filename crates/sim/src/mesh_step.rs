//! The part of a step that keeps cloth off obstacles known by their triangles.

use toile_cloth::verlet::DAMPING_STEP;
use toile_contact::{GuardReport, MeshThresholds};
use toile_mesh::DVec3;

use crate::scene::Contact;
use crate::world::{Workspace, World};

/// Share of the threshold that edges and triangles of the cloth keep, as from other obstacles.
const FEATURE_THRESHOLD: f64 = 0.5;
/// Pairs are watched up to this share of the threshold beyond the distance they keep: they can approach that much
/// during a step's passes.
const MARGIN: f64 = 0.25;
/// Passes before the guard, while a pair is short of its threshold by more than [`GOOD_SHORTFALL`] of it.
const LAST_MESH_PASSES: usize = 8;
/// See [`LAST_MESH_PASSES`].
const GOOD_SHORTFALL: f64 = 0.1;
/// Share of the threshold that the guard keeps.
const GUARD_SEPARATION: f64 = 0.1;

fn thresholds(contact: &Contact, particles: f64) -> MeshThresholds {
    MeshThresholds { particles, features: contact.triangles.then_some(FEATURE_THRESHOLD * contact.threshold) }
}

/// One pass over pairs of cloth and meshes; vertices keep `particles` [m].
pub(crate) fn pass(work: &Workspace, contact: &Contact, x: &mut [DVec3], w: &[f64], particles: f64) {
    if let Some(meshes) = &work.mesh_contacts {
        meshes.pass(&work.x_t0, x, w, thresholds(contact, particles));
    }
}

impl World {
    /// Finds pairs of cloth and meshes that come near each other in this step, from where the cloth is now.
    pub(crate) fn find_mesh_pairs(&mut self) {
        let (work, contact) = (&mut self.work, &self.scene.contact);
        if let Some(meshes) = &mut work.mesh_contacts {
            let (thresholds, margin) = (thresholds(contact, contact.threshold), MARGIN * contact.threshold);
            let found = meshes.find(&work.x_t0, &self.state.x, thresholds, margin);
            work.failure = work.failure.or(found.err());
        }
    }

    /// Friction of the step with meshes, and the first pass at full distance. Returns how many vertices touch.
    pub(crate) fn rub_meshes(&mut self, h: f64) -> usize {
        let (work, state, contact) = (&mut self.work, &mut self.state, &self.scene.contact);
        let Some(meshes) = &mut work.mesh_contacts else { return 0 };
        let (x, w, thresholds) = (&mut state.x, &state.inverse_mass, thresholds(contact, contact.threshold));
        let touching = meshes.rub(&work.x_t0, x, w, thresholds, h / DAMPING_STEP);
        meshes.pass(&work.x_t0, x, w, thresholds);
        touching
    }

    /// The last word of the step: cloth that is too near to meshes is parted from them, what goes through taken back.
    pub(crate) fn guard_meshes(&mut self) -> GuardReport {
        let (work, state, contact) = (&mut self.work, &mut self.state, &self.scene.contact);
        let Some(meshes) = &mut work.mesh_contacts else { return GuardReport::default() };
        let (x, w) = (&mut state.x, &state.inverse_mass);
        for _ in 0..LAST_MESH_PASSES {
            let report = meshes.pass(&work.x_t0, x, w, thresholds(contact, contact.threshold));
            if report.deepest <= GOOD_SHORTFALL * contact.threshold {
                break;
            }
        }
        let separation = GUARD_SEPARATION * contact.threshold;
        match meshes.guard(&work.x_t0, x, w, separation, !contact.triangles) {
            Ok(report) => report,
            Err(error) => {
                work.failure = work.failure.or(Some(error));
                GuardReport::default()
            }
        }
    }
}
