//! Boxes whose faces share their edge and corner vertices.

use std::collections::HashMap;

use crate::{DVec3, TriMesh, VertexId};

/// A box of `size` [m] about the origin; every edge is cut into `cells` (at least 1) equal parts.
///
/// It has `6 cells² + 2` vertices, none doubled along the edges, and `12 cells²` triangles.
///
/// ```
/// use toile_mesh::{DVec3, generate::cuboid};
/// assert_eq!(cuboid(DVec3::new(0.4, 0.1, 0.4), 1).vertex_count(), 8);
/// ```
pub fn cuboid(size: DVec3, cells: usize) -> TriMesh {
    let (size, n) = (size.abs(), cells.max(1));
    let mut mesh = TriMesh::default();
    let mut number: HashMap<[usize; 3], VertexId> = HashMap::with_capacity(6 * n * n + 2);
    for axis in 0..3 {
        // (axis, u, v) is right-handed, so u to v turns counter-clockwise about +axis.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for level in [0, n] {
            for (i, j) in (0..n * n).map(|cell| (cell % n, cell / n)) {
                let [a, b, c, d] = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(|[p, q]| {
                    let mut lattice = [0; 3];
                    (lattice[axis], lattice[u], lattice[v]) = (level, p, q);
                    *number.entry(lattice).or_insert_with(|| {
                        let unit = DVec3::from_array(lattice.map(|k| k as f64 / n as f64 - 0.5));
                        mesh.positions.push(size * unit);
                        VertexId::from(mesh.positions.len() - 1)
                    })
                });
                mesh.triangles.extend(if level == 0 { [[a, c, b], [a, d, c]] } else { [[a, b, c], [a, c, d]] });
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signed_volume;

    #[test]
    fn counts_area_and_volume_are_exact() {
        let mesh = cuboid(DVec3::new(1.0, 2.0, 3.0), 4);
        assert_eq!((mesh.vertex_count(), mesh.face_count()), (6 * 16 + 2, 12 * 16));
        assert!((mesh.area() - 22.0).abs() < 1e-13);
        assert!((signed_volume(&mesh) - 6.0).abs() < 1e-14);
    }

    #[test]
    fn the_box_is_centred_and_its_vertices_lie_on_its_faces() {
        let half = DVec3::new(0.5, 1.0, 1.5);
        let mesh = cuboid(2.0 * half, 3);
        assert_eq!((mesh.bounds().min, mesh.bounds().max), (-half, half));
        assert!(mesh.positions.iter().all(|p| p.abs().cmpeq(half).any()));
    }
}
