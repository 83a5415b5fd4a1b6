//! Open surfaces of revolution about the y axis: a tube of cloth, a funnel to push cloth through.

use super::lathe::{MIN_SEGMENTS, turn_open};
use crate::{DVec3, TriMesh};

/// A tube of `radius` and `height` [m] about the y axis, open at both ends, centred at the origin, with `segments`
/// (round the axis, at least 3; along it, at least 1).
///
/// Rings are numbered from the bottom, each counter-clockwise seen from above and starting on the +x axis; triangles
/// wind counter-clockwise seen from outside. Neighbouring cells are cut in opposite directions, so that the tube
/// twists alike both ways; with an odd number round the axis, one column of cells is cut like its neighbour.
///
/// ```
/// let sleeve = toile_mesh::generate::tube(0.1, 0.5, [24, 10]);
/// assert_eq!((sleeve.vertex_count(), sleeve.face_count()), (24 * 11, 2 * 24 * 10));
/// ```
pub fn tube(radius: f64, height: f64, segments: [usize; 2]) -> TriMesh {
    let (radius, height) = (radius.abs(), height.abs());
    let (around, along) = (segments[0].max(MIN_SEGMENTS), segments[1].max(1));
    let positions = (0..=along).flat_map(|k| {
        let y = height * (k as f64 / along as f64 - 0.5);
        (0..around).map(move |i| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / around as f64).sin_cos();
            DVec3::new(radius * cos, y, -radius * sin)
        })
    });
    let mut triangles = Vec::with_capacity(2 * around * along);
    for k in 0..along {
        for i in 0..around {
            let at = |k: usize, i: usize| (k * around + i % around) as u32;
            let [a, b, c, d] = [at(k, i), at(k, i + 1), at(k + 1, i + 1), at(k + 1, i)];
            if (i + k) % 2 == 1 {
                triangles.extend([[a, b, d], [b, c, d]]);
            } else {
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    TriMesh::from_indices(positions.collect(), &triangles)
}

/// A funnel about the y axis with its neck at `y = 0`: a cone that widens upwards from the radius `radii[0]` to
/// `radii[1]` over the height `heights[1]`, and below it a spout of radius `radii[0]` and length `heights[0]` [m]. An
/// open sheet with `segments` round the axis (at least 3) and along each of the two parts (at least 1).
///
/// ```
/// let funnel = toile_mesh::generate::funnel([0.1, 0.4], [0.2, 0.3], [32, 4]);
/// assert_eq!((funnel.bounds().min.y, funnel.bounds().max.y), (-0.2, 0.3));
/// ```
pub fn funnel(radii: [f64; 2], heights: [f64; 2], segments: [usize; 2]) -> TriMesh {
    let ([neck, mouth], [spout, cone], along) = (radii.map(f64::abs), heights.map(f64::abs), segments[1].max(1));
    let part = |k: usize| k as f64 / along as f64;
    let below = (0..along).map(|k| [neck, spout * (part(k) - 1.0)]);
    let above = (0..=along).map(|k| [neck + (mouth - neck) * part(k), cone * part(k)]);
    turn_open(&below.chain(above).collect::<Vec<_>>(), segments[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Topology, judge, triangle_vector_area};

    fn check_open_tube(mesh: &TriMesh) {
        let topology = Topology::new(mesh);
        let border = topology.edges.iter().filter(|e| e.opposite.contains(&None)).count();
        let euler = mesh.vertex_count() + mesh.face_count() - topology.edges.len();
        assert_eq!((topology.part_count, euler), (1, 0));
        assert!(border > 0 && judge::self_intersections(mesh).is_clean());
    }

    #[test]
    fn tubes_and_funnels_are_open_and_do_not_cross_themselves() {
        for segments in [[0, 0], [3, 1], [7, 2], [24, 9]] {
            check_open_tube(&tube(0.3, 1.0, segments));
            check_open_tube(&funnel([0.1, 0.5], [0.2, 0.4], segments));
        }
    }

    #[test]
    fn a_tube_winds_outward_and_has_the_area_of_its_prism() {
        let mesh = tube(0.2, 1.5, [12, 5]);
        for f in mesh.faces() {
            let [a, b, c] = mesh.corners(f);
            let middle = (a + b + c) / 3.0;
            assert!(triangle_vector_area([a, b, c]).dot(DVec3::new(middle.x, 0.0, middle.z)) > 0.0);
        }
        let perimeter = 12.0 * 2.0 * 0.2 * (std::f64::consts::PI / 12.0).sin();
        assert!((mesh.area() - 1.5 * perimeter).abs() < 1e-14);
    }

    #[test]
    fn the_vertices_of_a_funnel_lie_on_cone_and_spout() {
        for p in funnel([0.1, 0.5], [0.2, 0.4], [16, 5]).positions {
            let radius = if p.y < 0.0 { 0.1 } else { 0.1 + p.y };
            assert!((p.x.hypot(p.z) - radius).abs() < 1e-15, "{p}");
        }
    }
}
