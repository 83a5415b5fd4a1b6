//! Velocity carried along itself: `u(x) ← u(x − h ū)`, with the velocity `ū` halfway back (semi-Lagrangian, midpoint
//! rule).

use rayon::prelude::*;
use toile_mesh::DVec3;

use super::Flow;

impl Flow {
    /// Carries all velocities along for a time `h` [s]; air from beyond the border has the velocity `outside`.
    pub(super) fn advect(&mut self, h: f64, outside: &(dyn Fn(DVec3) -> DVec3 + Sync)) {
        let mut next = std::mem::take(&mut self.next);
        let corners = self.cells.corners();
        for (axis, next) in next.iter_mut().enumerate() {
            let faces = self.faces[axis];
            let flow = &*self;
            next.par_chunks_mut(faces.plane()).enumerate().for_each(|(k, next)| {
                for (i, u) in next.iter_mut().enumerate() {
                    let i = k * faces.plane() + i;
                    if flow.fixed[axis][i] {
                        *u = flow.velocity[axis][i];
                        continue;
                    }
                    let p = faces.point(faces.coordinates(i));
                    let halfway = p - 0.5 * h * flow.velocity_within(p);
                    let back = p - h * flow.velocity_within(halfway);
                    *u = if corners.contains(back) {
                        faces.interpolate(&flow.velocity[axis], back)
                    } else {
                        let wind = outside(back);
                        if wind.is_finite() { wind[axis] } else { 0.0 }
                    };
                }
            });
        }
        self.next = std::mem::replace(&mut self.velocity, next);
    }
}
