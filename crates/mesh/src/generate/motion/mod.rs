//! Moving meshes in closed form: fixed triangles, vertex positions as a function of the time `t` [s].
//!
//! They are test pieces for collision searches and demos: a step from `t` to `t + h` has the same vertices at both
//! ends, any time can be asked for in any order, and equal questions get equal bits on one platform. Nothing here
//! simulates: the cloths follow formulas that look like cloth, and only what each type states is promised.
//!
//! | type | what it is | closed | intersections |
//! |---|---|---|---|
//! | [`Figure`] | a walking body of capsules | every part | parts overlap at the joints |
//! | [`Trousers`], [`Sleeve`] | tubes worn by the figure, some millimetres off the limbs, looser at hip and knee | no | none with the figure or themselves, from 1,600 triangles on |
//! | [`CrumpledSheet`] | a sheet pressed into a ball | no | many |
//! | [`SmoothDrape`] | a tablecloth hanging in folds | no | none |
//!
//! Lengths in metres, y up; the figure faces +z, so its left is +x.
//!
//! ```
//! use toile_mesh::generate::motion::{Figure, MovingMesh, Trousers};
//! use toile_mesh::judge;
//! let figure = Figure::new(2_000);
//! let trousers = Trousers::new(&figure, 1_600);
//! let (body, cloth) = (figure.mesh_at(0.8), trousers.mesh_at(0.8));
//! assert!(judge::mutual_intersections(&cloth, &body).is_clean());
//! ```

mod crumple;
mod drape;
mod figure;
mod fold;
mod noise;
mod round_cone;
mod sleeve;
mod trousers;
mod walk;
mod worn;

pub use crumple::CrumpledSheet;
pub use drape::SmoothDrape;
pub use figure::Figure;
pub use sleeve::{Side, Sleeve};
pub use trousers::Trousers;
pub use walk::{Frame, Limb, limb_frame};

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

/// Cells along one side of a square grid of about `triangles` triangles, at least 1.
fn square_cells(triangles: usize) -> usize {
    ((0.5 * triangles as f64).sqrt().round() as usize).max(1)
}

/// `3 x² − 2 x³` with `x` clamped to 0..1: from 0 to 1 with level ends.
pub(super) fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
