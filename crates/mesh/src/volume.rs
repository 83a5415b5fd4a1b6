//! Volume of closed meshes.

use crate::TriMesh;

/// Volume enclosed by a closed mesh [m³]: `Σ a · (b × c) / 6` over its triangles, positive if they wind outward.
///
/// By the divergence theorem. The volume of an open mesh is meaningless: it depends on the origin.
///
/// ```
/// use toile_mesh::{DVec3, generate, signed_volume};
/// assert!((signed_volume(&generate::cuboid(DVec3::ONE, 2)) - 1.0).abs() < 1e-14);
/// ```
pub fn signed_volume(mesh: &TriMesh) -> f64 {
    mesh.faces()
        .map(|f| {
            let [a, b, c] = mesh.corners(f);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}
