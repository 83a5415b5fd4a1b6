//! What the cloth rests on while its lengths are corrected: a support for each particle that touches an obstacle, see
//! [`toile_cloth::Supports`].
//!
//! A particle within twice the distance that it keeps rests on the tangent plane at that distance. Of a triangle or an edge that
//! touches between its corners, a corner gets a share of the support in proportion to its weight, the heaviest the whole.

use rayon::prelude::*;
use toile_cloth::{Support, Supports};
use toile_contact::{Bodies, DeepestPoint, NearPair, PlacedObstacles};
use toile_mesh::DVec3;

use crate::report::{Phase, PhaseTimes};
use crate::step::TRIANGLE_THRESHOLD;
use crate::world::{Workspace, World};

/// Multiple of the distance kept within which something is rested on.
const WITHIN: f64 = 2.0;
/// Share of the distance to keep from meshes that supports keep: what projections insist on.
const MESH_SHARE: f64 = 0.5;
/// Largest share that a support takes of a way.
const MOST: f64 = 0.98;
/// Share of the distance kept by which particles are pressed into what they rest on at most, for friction.
const GIVE: f64 = 0.5;
/// Particles per task.
const CHUNK: usize = 1024;

impl World {
    /// Supports the cloth where it is now. Triangles must have been gathered.
    pub(crate) fn support(&mut self) {
        if self.obstacles.is_empty() && self.meshes.is_empty() {
            return;
        }
        let contact = &self.scene.contact;
        let (work, x) = (&mut self.work, &self.state.x);
        let mut supports = std::mem::take(work.solver.supports());
        supports.clear(x.len());
        if !self.obstacles.is_empty() {
            support_particles(&work.slippery, x, contact.threshold, &mut supports);
            if contact.triangles {
                support_triangles(work, x, TRIANGLE_THRESHOLD * contact.threshold, &mut supports);
            }
        }
        *work.solver.supports() = supports;
    }

    /// Finds the meshes that the cloth rests on in the step from `t0` to `t1` [s], as it would go without constraints.
    pub(crate) fn support_by_meshes(&mut self, (t0, t1): (f64, f64), times: &mut PhaseTimes) {
        let work = &mut self.work;
        let Some(watch) = work.watch.as_mut().filter(|_| !self.meshes.is_empty()) else { return };
        work.bodies.set_end(&self.state.x);
        if let Err(error) = times.time(Phase::Detect, || watch.cover(&work.bodies, t0, t1)) {
            work.failure = work.failure.or(Some(error));
            return;
        }
        times.time(Phase::Solve, || {
            let lasting = mesh_supports(watch.pairs(), &work.bodies);
            work.solver.supports().set_lasting(lasting);
        });
    }
}

fn mesh_supports(pairs: &[NearPair], bodies: &Bodies) -> Vec<(usize, Support)> {
    let cloth = bodies.cloth();
    let near = |pair: &NearPair| {
        let solid = pair.vertices.iter().any(|v| *v as usize >= cloth);
        let touch =
            if solid && bodies.parts(pair) { pair.touch(&bodies.x_t0, &bodies.x_t1, WITHIN * pair.keep) } else { None };
        touch.map(|touch| (touch, pair.keep))
    };
    let touches: Vec<_> = pairs.par_iter().with_min_len(CHUNK).filter_map(near).collect();
    let mut supports = Vec::new();
    for (touch, keep) in touches {
        let own = touch.vertices.iter().zip(touch.weights).filter(|(v, _)| (**v as usize) < cloth);
        let heaviest = own.clone().map(|(_, w)| w.abs()).fold(0.0, f64::max);
        for (v, weight) in own.filter(|(_, w)| *w != 0.0) {
            let (p, normal) = (*v as usize, touch.normal * weight.signum());
            let offset = normal.dot(bodies.x_t1[p]) - touch.gap + MESH_SHARE * keep;
            let share = MOST * weight.abs() / heaviest;
            supports.push((p, Support { normal, offset, share, give: GIVE * keep }));
        }
    }
    supports
}

fn support_particles(placed: &PlacedObstacles, x: &[DVec3], keep: f64, supports: &mut Supports) {
    let near = |i: usize| {
        let (distance, normal) = placed.nearest(i, x[i], WITHIN * keep)?;
        Some((i, Support { normal, offset: normal.dot(x[i]) - distance + keep, share: MOST, give: GIVE * keep }))
    };
    let found: Vec<_> = (0..x.len()).into_par_iter().with_min_len(CHUNK).filter_map(near).collect();
    for (i, support) in found {
        supports.add(i, support);
    }
}

fn support_triangles(work: &Workspace, x: &[DVec3], keep: f64, supports: &mut Supports) {
    work.triangle_sweep.touches(&work.slippery, &work.x_t0, x, keep, |corners, deepest: DeepestPoint| {
        let heaviest = deepest.weights.into_iter().fold(0.0, f64::max);
        for (p, weight) in corners.into_iter().zip(deepest.weights).filter(|(_, w)| *w > 0.0) {
            let offset = deepest.normal.dot(x[p]) - deepest.distance + keep;
            supports
                .add(p, Support { normal: deepest.normal, offset, share: MOST * weight / heaviest, give: GIVE * keep });
        }
    });
}
