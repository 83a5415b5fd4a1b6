//! Impact zones after a free step.
//!
//! Pairs of features collide that come below half the distance they keep, or are below it and come nearer still.
//! Obstacles that are meshes take part as rigid clusters. What particles keep of their own motion in a cluster, and
//! cloth that touches an obstacle between its particles, is left by the zones: it is given impulses.
//!
//! **Friction** with obstacles is Huh's damping `C_f` of what slips, one value for all: `(1 − μ)` per 1/120 s with the
//! largest coefficient of friction of any mesh, as for `friction_law = "scaled"`. Between cloths there is none.

use toile_cloth::verlet::DAMPING_STEP;
use toile_contact::{MEETING, ZoneSettings, ZoneStep, resolve_zones};

use super::{Responses, rebuild};
use crate::report::{Phase, PhaseTimes, ZoneCounts};
use crate::world::World;

impl World {
    /// Resolves collisions of the step from `t0` to `t1` [s] zone by zone; returns how many pairs touched after that.
    pub(crate) fn resolve_zones(&mut self, t0: f64, t1: f64, times: &mut PhaseTimes) -> usize {
        let settings = self.zone_settings(t1 - t0);
        let (work, state, h) = (&mut self.work, &mut self.state, t1 - t0);
        let Some(watch) = &mut work.watch else { return 0 };
        work.bodies.set_end(&state.x);
        let bodies = &mut work.bodies;
        work.responses.begin(bodies, h);
        let Responses { mesh, v, v_free, x_free, zones, .. } = &mut work.responses;
        let Some(mesh) = mesh else { return 0 };
        let (x_t0, inverse_mass) = (bodies.x_t0.clone(), bodies.inverse_mass.clone());
        let step = ZoneStep { x_t0: &x_t0, inverse_mass: &inverse_mass, step: h };
        let mut search = |v: &[_], bodies: &mut _| {
            rebuild(bodies, x_free, v_free, v, h);
            Ok(mesh.face_pairs(&watch.colliding(bodies, (t0, t1), MEETING)?))
        };
        let resolved = times.time(Phase::Respond, || resolve_zones(mesh, &step, v, &settings, |v| search(v, bodies)));
        rebuild(bodies, x_free, v_free, v, h);
        match resolved {
            Ok(report) => *zones.get_or_insert_default() += ZoneCounts::from(&report),
            Err(error) => work.failure = work.failure.or(Some(error)),
        }
        state.x.copy_from_slice(bodies.cloth_end());
        self.give_impulses(t0, t1, times)
    }

    fn zone_settings(&self, h: f64) -> ZoneSettings {
        let friction = self.meshes.iter().map(|mesh| mesh.friction.coefficient());
        let roughest = friction.fold(0.0, f64::max).min(1.0);
        ZoneSettings {
            elasticity: self.scene.contact.restitution,
            slip_kept: (1.0 - roughest).powf(h / DAMPING_STEP),
            thickness: self.scene.contact.threshold,
            ..ZoneSettings::default()
        }
    }
}
