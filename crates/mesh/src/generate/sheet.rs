//! Flat sheets in the xz-plane (`y = 0`), centred at the origin, normal +y.

use std::f64::consts::FRAC_PI_3;

use crate::{DVec3, TriMesh};

/// How the rectangular cells of a [`grid`] are cut into two triangles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Diagonals {
    /// All diagonals run from the corner of smallest x and z to that of largest x and z.
    #[default]
    Same,
    /// Neighbouring cells are cut the other way, so the sheet has no preferred diagonal direction.
    Alternating,
}

/// A rectangle of `size` [m] (along x, along z) with `vertices` (along x, along z; at least 2 each).
///
/// Vertices are row-major, x fastest: number `i + vertices[0] · j` is the `i`-th along x in row `j` along z.
/// Triangles come in pairs per cell, in the same order.
///
/// ```
/// use toile_mesh::generate::{Diagonals, grid};
/// let sheet = grid([1.0, 0.5], [11, 6], Diagonals::Alternating);
/// assert_eq!((sheet.vertex_count(), sheet.face_count()), (66, 100));
/// ```
pub fn grid(size: [f64; 2], vertices: [usize; 2], diagonals: Diagonals) -> TriMesh {
    let [nx, nz] = vertices.map(|n| n.max(2));
    let [sx, sz] = size.map(f64::abs);
    let along = |length: f64, i: usize, n: usize| length * (i as f64 / (n - 1) as f64 - 0.5);
    let mut positions = Vec::with_capacity(nx * nz);
    for j in 0..nz {
        positions.extend((0..nx).map(|i| DVec3::new(along(sx, i, nx), 0.0, along(sz, j, nz))));
    }
    let mut triangles = Vec::with_capacity(2 * (nx - 1) * (nz - 1));
    for j in 0..nz - 1 {
        for i in 0..nx - 1 {
            let a = (i + nx * j) as u32;
            let (b, c, d) = (a + nx as u32, a + nx as u32 + 1, a + 1);
            if diagonals == Diagonals::Alternating && (i + j) % 2 == 1 {
                triangles.extend([[a, b, d], [b, c, d]]);
            } else {
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    TriMesh::from_indices(positions, &triangles)
}

/// A strip of `length` [m] along x and `width` [m] along z with `segments` (along, across; at least 1 each).
///
/// A [`grid`] with alternating diagonals, so that it bends and twists alike to both sides.
pub fn ribbon(length: f64, width: f64, segments: [usize; 2]) -> TriMesh {
    grid([length, width], segments.map(|n| n.max(1) + 1), Diagonals::Alternating)
}

/// A horizontal rectangle of `size` [m] with `cells` (along x, along z; at least 1 each): a floor.
pub fn plane(size: [f64; 2], cells: [usize; 2]) -> TriMesh {
    grid(size, cells.map(|n| n.max(1) + 1), Diagonals::Same)
}

/// A flat round sheet of `radius` [m]: a centre vertex and `rings` (at least 1) with `6 k` vertices in ring `k`.
///
/// Its `6 rings²` triangles are nearly equilateral. Vertices are numbered from the centre outward,
/// counter-clockwise seen from above, each ring starting on the +x axis.
///
/// ```
/// let cloth = toile_mesh::generate::disc(0.15, 4);
/// assert_eq!((cloth.vertex_count(), cloth.face_count()), (61, 96));
/// ```
pub fn disc(radius: f64, rings: usize) -> TriMesh {
    let (radius, rings) = (radius.abs(), rings.max(1));
    let mut positions = vec![DVec3::ZERO];
    for k in 1..=rings {
        let r = radius * k as f64 / rings as f64;
        positions.extend((0..6 * k).map(|i| {
            let (sin, cos) = (FRAC_PI_3 * i as f64 / k as f64).sin_cos();
            DVec3::new(r * cos, 0.0, -r * sin)
        }));
    }
    let mut triangles = Vec::with_capacity(6 * rings * rings);
    for k in 0..rings {
        for sector in 0..6 {
            // Within a sector ring k has k steps and ring k + 1 has k + 1.
            let inner = |i: usize| ring_vertex(k, sector * k + i);
            let outer = |i: usize| ring_vertex(k + 1, sector * (k + 1) + i);
            triangles.extend((0..=k).map(|i| [inner(i), outer(i), outer(i + 1)]));
            triangles.extend((0..k).map(|i| [inner(i), outer(i + 1), inner(i + 1)]));
        }
    }
    TriMesh::from_indices(positions, &triangles)
}

/// Number of the `i`-th vertex of ring `k` of a [`disc`], counted round the ring.
fn ring_vertex(k: usize, i: usize) -> u32 {
    if k == 0 { 0 } else { (1 + 3 * k * (k - 1) + i % (6 * k)) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Topology, triangle_angles};

    #[test]
    fn a_grid_is_row_major_and_centred() {
        let mesh = grid([2.0, 4.0], [3, 5], Diagonals::Same);
        assert_eq!(mesh.positions[0], DVec3::new(-1.0, 0.0, -2.0));
        assert_eq!(mesh.positions[1], DVec3::new(0.0, 0.0, -2.0));
        assert_eq!(mesh.positions[3], DVec3::new(-1.0, 0.0, -1.0));
        assert_eq!(mesh.positions[14], DVec3::new(1.0, 0.0, 2.0));
        assert!((mesh.area() - 8.0).abs() < 1e-14);
    }

    #[test]
    fn grid_edges_are_counted_by_euler() {
        // Rows, columns and one diagonal per cell.
        let topology = Topology::new(&grid([1.0, 1.0], [4, 6], Diagonals::Alternating));
        assert_eq!(topology.edges.len(), 3 * 6 + 4 * 5 + 3 * 5);
        assert_eq!(topology.border_edges().count(), 2 * (3 + 5));
    }

    #[test]
    fn alternating_diagonals_meet_in_every_other_vertex() {
        let mesh = grid([1.0, 1.0], [5, 5], Diagonals::Alternating);
        let topology = Topology::new(&mesh);
        let valence = |i: u32, j: u32| topology.ring(crate::VertexId(i + 5 * j)).len();
        assert_eq!([valence(1, 1), valence(2, 1), valence(1, 2), valence(2, 2)], [8, 4, 4, 8]);
    }

    #[test]
    fn a_ribbon_lies_along_x() {
        let size = ribbon(2.0, 0.1, [40, 2]).bounds().size();
        assert_eq!(size, DVec3::new(2.0, 0.0, 0.1));
        assert_eq!(ribbon(2.0, 0.1, [40, 2]).vertex_count(), 41 * 3);
    }

    #[test]
    fn disc_area_is_that_of_its_polygon() {
        let mesh = disc(0.5, 7);
        let n = 42.0_f64;
        let polygon = 0.5 * n * 0.25 * (std::f64::consts::TAU / n).sin();
        assert!((mesh.area() - polygon).abs() < 1e-14);
        assert_eq!(Topology::new(&mesh).border_edges().count(), 42);
    }

    #[test]
    fn disc_triangles_are_nearly_equilateral() {
        let mesh = disc(1.0, 10);
        let degrees = |f| triangle_angles(mesh.corners(f)).map(f64::to_degrees);
        let smallest = mesh.faces().flat_map(degrees).fold(f64::INFINITY, f64::min);
        let largest = mesh.faces().flat_map(degrees).fold(0.0, f64::max);
        assert!(smallest > 40.0 && largest < 90.0, "{smallest}° to {largest}°");
    }
}
