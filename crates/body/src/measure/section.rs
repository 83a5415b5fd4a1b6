//! Sections: the closed curves in which a plane cuts a mesh.
//!
//! Every edge with one end on or above the plane and one end below gives one point of the curve, found once per edge,
//! so that the pieces of neighbouring triangles meet exactly. On a closed manifold each such point has two pieces, and
//! the pieces form closed loops; at holes of a scan loops stay open and are closed by the taut tape.

use std::collections::HashMap;

use toile_mesh::{DVec3, TriMesh, VertexId};

/// A plane: the points `p` with `normal · (p − point) = 0`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plane {
    /// A point of the plane [m].
    pub point: DVec3,
    /// Unit normal.
    pub normal: DVec3,
}

impl Plane {
    /// The horizontal plane at a height [m].
    pub fn level(height: f64) -> Self {
        Self { point: DVec3::new(0.0, height, 0.0), normal: DVec3::Y }
    }

    /// Signed distance of a point [m], positive on the side of the normal.
    pub fn height_of(&self, p: DVec3) -> f64 {
        self.normal.dot(p - self.point)
    }
}

/// The curves in which `plane` cuts `mesh`, each as a chain of points in order; the first point is not repeated.
///
/// ```
/// use toile_body::measure::{Plane, section};
/// let ball = toile_mesh::generate::icosphere(1.0, 3);
/// let loops = section(&ball, Plane::level(0.1));
/// assert_eq!(loops.len(), 1);
/// assert!(loops[0].iter().all(|p| (p.y - 0.1).abs() < 1e-12 && p.length() < 1.0 + 1e-12));
/// ```
pub fn section(mesh: &TriMesh, plane: Plane) -> Vec<Vec<DVec3>> {
    let heights: Vec<f64> = mesh.positions.iter().map(|&p| plane.height_of(p)).collect();
    let mut number: HashMap<[VertexId; 2], usize> = HashMap::new();
    let mut points: Vec<DVec3> = Vec::new();
    let mut links: Vec<[Option<usize>; 2]> = Vec::new();
    for t in &mesh.triangles {
        let is_above = t.map(|v| heights[v.index()] >= 0.0);
        if is_above == [true; 3] || is_above == [false; 3] {
            continue;
        }
        let mut ends = [0; 2];
        let mut found = 0;
        for k in 0..3 {
            let (a, b) = (t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3]));
            let (ha, hb) = (heights[a.index()], heights[b.index()]);
            if (ha >= 0.0) == (hb >= 0.0) {
                continue;
            }
            ends[found] = *number.entry([a, b]).or_insert_with(|| {
                points.push(mesh.position(a).lerp(mesh.position(b), ha / (ha - hb)));
                links.push([None; 2]);
                points.len() - 1
            });
            found += 1;
        }
        let [i, j] = ends;
        for (from, to) in [(i, j), (j, i)] {
            if let Some(slot) = links[from].iter_mut().find(|slot| slot.is_none()) {
                *slot = Some(to);
            }
        }
    }
    chains(&points, &links)
}

/// Follows the links: open chains from their ends first, then the closed ones.
fn chains(points: &[DVec3], links: &[[Option<usize>; 2]]) -> Vec<Vec<DVec3>> {
    let mut is_taken = vec![false; points.len()];
    let mut found = Vec::new();
    let open = (0..points.len()).filter(|&i| links[i][1].is_none());
    for start in open.chain(0..points.len()) {
        if is_taken[start] {
            continue;
        }
        let mut chain = Vec::new();
        let mut next = Some(start);
        while let Some(i) = next {
            is_taken[i] = true;
            chain.push(points[i]);
            next = links[i].iter().flatten().copied().find(|&j| !is_taken[j]);
        }
        found.push(chain);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate;

    #[test]
    fn a_torus_upright_is_cut_in_two_rings_and_lying_in_two_concentric_ones() {
        let torus = generate::torus(0.5, 0.1, [48, 24]);
        for plane in [Plane { point: DVec3::ZERO, normal: DVec3::X }, Plane::level(0.01)] {
            let loops = section(&torus, plane);
            assert_eq!(loops.len(), 2, "{plane:?}");
        }
    }

    #[test]
    fn a_plane_through_vertices_cuts_a_sphere_once() {
        let ball = generate::icosphere(1.0, 3);
        let height = ball.positions[7].y;
        let loops = section(&ball, Plane::level(height));
        assert_eq!(loops.len(), 1);
    }

    #[test]
    fn an_open_sheet_gives_one_open_chain() {
        let sheet = generate::plane([1.0, 1.0], [8, 8]);
        let loops = section(&sheet, Plane { point: DVec3::new(0.03, 0.0, 0.0), normal: DVec3::X });
        assert_eq!(loops.len(), 1);
        let ends = [loops[0][0], loops[0][loops[0].len() - 1]];
        assert!((ends[0].distance(ends[1]) - 1.0).abs() < 1e-12);
    }
}
