//! Responses other than links and projections: what brings pairs of features apart after a free step, or before it.
//!
//! - `impulse.rs`: impulses with restitution and friction (Kimmerle 2005, §3.2.3).
//! - `zones.rs`: clusters of cloth that collide at once (Huh 2001); what they leave is given impulses.
//! - `forbid.rs`: directions that the implicit solver may not use (Kimmerle 2005, §3.2.2).
//!
//! Impulses and zones work on the velocities of the step, `v = (x_t1 − x_t0) / h`, over all vertices of
//! [`Bodies`]. Exact obstacles are no bodies with vertices: they keep their response of particles and triangles.
//! The guard has the last word after all of them.

mod forbid;
mod impulse;
mod zones;

use toile_contact::{Bodies, Touch, TouchRule, Watch, ZoneMesh};
use toile_mesh::DVec3;

use crate::report::ZoneCounts;
use crate::scene::{Response, Scene};

/// Scratch memory of the responses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Responses {
    /// All faces that can collide, with the response by zones.
    mesh: Option<ZoneMesh>,
    /// Velocities of the step as they are now, and as they were when `x` was [m/s].
    v: Vec<DVec3>,
    v_free: Vec<DVec3>,
    /// Positions at the end of the step before anything was changed [m].
    x_free: Vec<DVec3>,
    touches: Vec<Touch>,
    rules: Vec<TouchRule>,
    /// What zones did in this frame.
    pub(crate) zones: Option<ZoneCounts>,
}

impl Responses {
    pub(crate) fn new(scene: &Scene, watch: Option<&Watch>) -> Self {
        let zones = scene.contact.response == Response::Zones;
        let mesh = watch.filter(|_| zones).map(|watch| ZoneMesh::new(watch.detector().surfaces()));
        Self { mesh, ..Self::default() }
    }

    /// Takes velocities from a step of `h` [s].
    fn begin(&mut self, bodies: &Bodies, h: f64) {
        self.x_free.clone_from(&bodies.x_t1);
        self.v_free.clear();
        self.v_free.extend(bodies.x_t1.iter().zip(&bodies.x_t0).map(|(end, start)| (*end - *start) / h));
        self.v.clone_from(&self.v_free);
    }
}

/// Moves the ends of a step of `h` [s] to where velocities `v` lead. Vertices whose velocity is unchanged stay to the bit.
fn rebuild(bodies: &mut Bodies, x_free: &[DVec3], v_free: &[DVec3], v: &[DVec3], h: f64) {
    let free = x_free.iter().zip(v_free).zip(v);
    for (x, ((x_free, v_free), v)) in bodies.x_t1.iter_mut().zip(free) {
        *x = *x_free + (*v - *v_free) * h;
    }
}
