//! Moving meshes in closed form: fixed triangles, vertex positions as a function of the time `t` [s].
//!
//! A [`MovingMesh`] has the same vertices at all times. Any time can be asked for in any order, and equal questions get
//! equal bits on one platform. [`Figure`] is a walking body of capsules: every part is closed, and parts overlap at the
//! joints. What it wears, and other moving pieces, are in the crate of the benchmarks.
//!
//! Lengths in metres, y up; the figure faces +z, so its left is +x.

mod figure;
mod round_cone;
mod walk;

pub use figure::{Figure, dressed_parts};
pub use round_cone::RoundCone;
pub use walk::{FOREARM_LENGTH, Frame, HIP_HEIGHT, HIP_X, Limb, PERIOD, THIGH_LENGTH, UPPER_ARM_LENGTH, limb_frame};

use crate::{DVec3, TriMesh, VertexId};

/// Fixed triangles whose vertices move with time.
pub trait MovingMesh {
    /// Vertices of each triangle, the same at all times.
    fn triangles(&self) -> &[[VertexId; 3]];

    /// Number of vertices, the same at all times.
    fn vertex_count(&self) -> usize;

    /// Writes the vertex positions [m] at time `t` [s] over whatever `positions` held.
    fn positions_into(&self, t: f64, positions: &mut Vec<DVec3>);

    /// Vertex positions [m] at time `t` [s].
    fn positions_at(&self, t: f64) -> Vec<DVec3> {
        let mut positions = Vec::with_capacity(self.vertex_count());
        self.positions_into(t, &mut positions);
        positions
    }

    /// The mesh at time `t` [s].
    fn mesh_at(&self, t: f64) -> TriMesh {
        TriMesh { positions: self.positions_at(t), triangles: self.triangles().to_vec() }
    }
}

/// `3 x² − 2 x³` with `x` clamped to 0..1: from 0 to 1 with level ends.
pub fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
