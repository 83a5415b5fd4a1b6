//! Nearest points of two convex polygons from their features: the least of all distances of a corner of one and a
//! triangle of the other and of an edge of each, and of the points in which edges cross triangles.
//!
//! Slower than the search of `convex.rs` in proportion to the product of the corner counts, and always right within
//! rounding. Polygons are seen as fans of triangles at their first corner. Whether an edge crosses a triangle is
//! decided by exact signs; where, is rounded, and competes with the other pairs of points.

use super::convex::{Nearest, POLYGON_CORNERS, Polygons};
use super::edge_edge::segments_foot;
use super::vertex_face::{face_normal, triangle_foot};
use super::{DVec3, orientation};

/// Corner numbers and their weights.
type Weights<'a> = &'a [(usize, f64)];

impl Polygons {
    /// The nearest points.
    pub(super) fn nearest_features(&self) -> Nearest {
        let mut least =
            Least { sq: f64::INFINITY, weights: [[0.0; POLYGON_CORNERS]; 2], enough: self.tolerance().powi(2) };
        let mut cross = least.face_pairs(0, self.a(), self.b());
        cross |= least.face_pairs(1, self.b(), self.a());
        least.edge_pairs(self.a(), self.b());
        let [weights_a, weights_b] = least.weights;
        Nearest { weights_a, weights_b, distance: if cross { 0.0 } else { least.sq.sqrt() } }
    }
}

/// The nearest pair of points so far: the square of its distance, and the weights in `a` and in `b`. Once the square is
/// no more than `enough`, none is sought.
struct Least {
    sq: f64,
    weights: [[f64; POLYGON_CORNERS]; 2],
    enough: f64,
}

impl Least {
    /// Takes a pair of points if it is nearer; `polygon` is the one of the first weights, 0 or 1.
    fn offer(&mut self, sq: f64, polygon: usize, first: Weights, second: Weights) {
        if sq < self.sq {
            self.sq = sq;
            self.weights = [[0.0; POLYGON_CORNERS]; 2];
            for (corners, polygon) in [(first, polygon), (second, 1 - polygon)] {
                for &(corner, weight) in corners {
                    self.weights[polygon][corner] += weight;
                }
            }
        }
    }

    /// Corners and edges of `one`, which is `polygon`, against triangles of `other`; whether an edge crosses one.
    fn face_pairs(&mut self, polygon: usize, one: &[DVec3], other: &[DVec3]) -> bool {
        let mut cross = false;
        for corners in fan(other.len()) {
            if self.sq <= self.enough {
                break;
            }
            let triangle = corners.map(|k| other[k]);
            let mut offer = |s: f64, i: usize, j: usize| {
                let p = one[i] + s * (one[j] - one[i]);
                let foot = triangle_foot(p, triangle);
                let [k, l, m] = corners;
                let [w_k, w_l, w_m] = foot.weights;
                let second = [(k, w_k), (l, w_l), (m, w_m)];
                self.offer(foot.sq, polygon, &[(i, 1.0 - s), (j, s)], &second);
            };
            for (i, j) in edges(one.len()) {
                offer(0.0, i, j);
                if let Some(s) = crossing([one[i], one[j]], triangle) {
                    offer(s, i, j);
                    cross = true;
                }
            }
        }
        cross
    }

    fn edge_pairs(&mut self, a: &[DVec3], b: &[DVec3]) {
        for (i, j) in edges(a.len()) {
            if self.sq <= self.enough {
                break;
            }
            for (k, l) in edges(b.len()) {
                let foot = segments_foot(&[a[i], a[j], b[k], b[l]]);
                let [w_i, w_j, w_k, w_l] = foot.weights;
                self.offer(foot.sq, 0, &[(i, w_i), (j, w_j)], &[(k, w_k), (l, w_l)]);
            }
        }
    }
}

/// The edges of a polygon; that of a single corner leads from it to itself.
fn edges(len: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..len).map(move |i| (i, (i + 1) % len))
}

/// The triangles of a polygon; a segment or point has one, collapsed.
fn fan(len: usize) -> impl Iterator<Item = [usize; 3]> {
    let last = len - 1;
    (1..last.max(2)).map(move |k| [0, k.min(last), (k + 1).min(last)])
}

/// Where the segment `p q` crosses the triangle, as share of the way from `p`; `None` if its ends are not on different
/// sides of the plane or the line passes by.
fn crossing([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> Option<f64> {
    if orientation(a, b, c, p) * orientation(a, b, c, q) >= 0.0 {
        return None;
    }
    let passes = [orientation(p, q, a, b), orientation(p, q, b, c), orientation(p, q, c, a)];
    if passes.contains(&1.0) && passes.contains(&-1.0) {
        return None;
    }
    let n = face_normal([a, b, c], 0.0);
    let (above, below) = (n.dot(p - a).abs(), n.dot(q - a).abs());
    Some(if above + below > 0.0 { above / (above + below) } else { 0.5 })
}
