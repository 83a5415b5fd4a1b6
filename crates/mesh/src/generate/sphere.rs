//! Two tessellations of the sphere: rings of latitude, and the subdivided icosahedron.

use std::collections::HashMap;
use std::f64::consts::PI;

use super::lathe::turn_closed;
use crate::{DVec3, TriMesh, VertexId};

/// Most times an [`icosphere`] is subdivided: 10 give 20 million triangles.
const MAX_SUBDIVISIONS: u32 = 10;

/// A sphere of `radius` [m] about the origin with poles on the y axis: `segments` (at least 3) round the axis and
/// `rings` (at least 2) bands from pole to pole.
///
/// It has `2 + segments · (rings − 1)` vertices. Triangles crowd at the poles; [`icosphere`] has even ones.
pub fn uv_sphere(radius: f64, segments: usize, rings: usize) -> TriMesh {
    let (radius, rings) = (radius.abs(), rings.max(2));
    let profile: Vec<_> = (1..rings)
        .map(|k| {
            let (sin, cos) = (PI * k as f64 / rings as f64).sin_cos();
            [radius * sin, -radius * cos]
        })
        .collect();
    turn_closed(-radius, &profile, radius, segments)
}

/// A sphere of `radius` [m] about the origin: an icosahedron whose triangles are cut in four `subdivisions` times
/// (at most 10), new vertices being moved out to the sphere.
///
/// It has `10 · 4ⁿ + 2` vertices and `20 · 4ⁿ` triangles of nearly equal size.
///
/// ```
/// let ball = toile_mesh::generate::icosphere(0.1, 2);
/// assert_eq!((ball.vertex_count(), ball.face_count()), (162, 320));
/// ```
pub fn icosphere(radius: f64, subdivisions: u32) -> TriMesh {
    let mut mesh = icosahedron();
    for _ in 0..subdivisions.min(MAX_SUBDIVISIONS) {
        subdivide(&mut mesh);
    }
    let radius = radius.abs();
    mesh.map_positions(|p| radius * p)
}

/// The icosahedron with corners on the unit sphere: the corners of three golden rectangles.
fn icosahedron() -> TriMesh {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    let mut positions = Vec::with_capacity(12);
    for (long, short) in [(golden, 1.0), (golden, -1.0), (-golden, 1.0), (-golden, -1.0)] {
        positions.extend([DVec3::new(0.0, long, short), DVec3::new(short, 0.0, long), DVec3::new(long, short, 0.0)]);
    }
    // Two corners are joined exactly if they are 2 apart, the short side of a rectangle; all other distances
    // are at least 2 golden > 3.
    let joined = |a: usize, b: usize| positions[a].distance_squared(positions[b]) < 5.0;
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if joined(a, b) && joined(b, c) && joined(c, a) {
                    let outward = positions[a].dot(positions[b].cross(positions[c])) > 0.0;
                    triangles.push(if outward { [a, b, c] } else { [a, c, b] }.map(|v| v as u32));
                }
            }
        }
    }
    TriMesh::from_indices(positions, &triangles).map_positions(DVec3::normalize_or_zero)
}

/// Cuts every triangle in four at its edge midpoints, which are moved out to the unit sphere.
fn subdivide(mesh: &mut TriMesh) {
    let mut midpoints: HashMap<[VertexId; 2], VertexId> = HashMap::with_capacity(mesh.face_count() * 3 / 2);
    let positions = &mut mesh.positions;
    let mut midpoint = |a: VertexId, b: VertexId| {
        *midpoints.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            positions.push((positions[a.index()] + positions[b.index()]).normalize_or_zero());
            VertexId::from(positions.len() - 1)
        })
    };
    let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        let [ab, bc, ca] = [midpoint(a, b), midpoint(b, c), midpoint(c, a)];
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    mesh.triangles = triangles;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{signed_volume, triangle_area};

    fn errors(mesh: &TriMesh, radius: f64) -> (f64, f64) {
        let (area, volume) = (4.0 * PI * radius.powi(2), 4.0 / 3.0 * PI * radius.powi(3));
        (1.0 - mesh.area() / area, 1.0 - signed_volume(mesh) / volume)
    }

    #[test]
    fn vertices_lie_on_the_sphere() {
        for mesh in [uv_sphere(0.3, 17, 9), icosphere(0.3, 4)] {
            for p in &mesh.positions {
                assert!((p.length() / 0.3 - 1.0).abs() < 4.0 * f64::EPSILON, "{p}");
            }
        }
    }

    #[test]
    fn counts_follow_the_formulas() {
        let uv = uv_sphere(1.0, 17, 9);
        assert_eq!((uv.vertex_count(), uv.face_count()), (2 + 17 * 8, 2 * 17 * 8));
        let ico = icosphere(1.0, 3);
        assert_eq!((ico.vertex_count(), ico.face_count()), (10 * 64 + 2, 20 * 64));
    }

    #[test]
    fn area_and_volume_converge_from_below_with_second_order() {
        let pairs = [(uv_sphere(0.3, 16, 8), uv_sphere(0.3, 32, 16)), (icosphere(0.3, 2), icosphere(0.3, 3))];
        for (coarse, fine) in pairs {
            let (coarse, fine) = (errors(&coarse, 0.3), errors(&fine, 0.3));
            for (e, e_half) in [(coarse.0, fine.0), (coarse.1, fine.1)] {
                assert!(e_half > 0.0 && (3.7..4.3).contains(&(e / e_half)), "{e} to {e_half}");
            }
        }
    }

    #[test]
    fn icosphere_triangles_are_of_similar_size() {
        let mesh = icosphere(1.0, 4);
        let areas: Vec<_> = mesh.faces().map(|f| triangle_area(mesh.corners(f))).collect();
        let (least, most) = areas.iter().fold((f64::INFINITY, 0.0_f64), |(l, m), &a| (l.min(a), m.max(a)));
        assert!(most / least < 2.1, "{}", most / least);
    }
}
