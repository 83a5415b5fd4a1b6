//! Distance of two features: vertex and face, edge and edge, convex polygon and convex polygon.
//!
//! **What.** [`vertex_face`] and [`edge_edge`] give the nearest points of a pair as weights of its corners, with
//! distance, direction and exact side; [`vertex_face_distance_squared`] and [`edge_edge_distance_squared`] give the
//! distance alone, for sieving many pairs; [`convex_polygons`] serves polygons of up to eight corners.
//!
//! **How.** The nearest points lie in the interiors of the two features or on the border of one of them. Each case
//! proposes points that belong to the features whatever the rounding, since its weights are kept within their bounds;
//! the least distance wins. So no answer is too small, and a badly conditioned case that proposes poor points loses to
//! its neighbour. The systems for interior points (Kimmerle 2005, equations 2.2 and 2.3) are not solved by their normal
//! equations, which lose the distance of slivers and nearly parallel edges, but by orthogonalizing against the longest
//! edge: the rounding is then that of moving the corners by a few units in the last place.
//!
//! **Accuracy.** Size of a pair: the largest coordinate difference between its corners. Distances of
//! vertex–face and edge–edge are right within 1e-14 of the size, for slivers, parallel and collapsed features too
//! (tests against exact arithmetic); there are no absolute tolerances. Corners may be of any finite magnitude; a
//! distance or its square that no `f64` holds becomes infinite or zero.
//!
//! **Symmetry.** The corners are put in an order of their own first. Turning or mirroring the face, reversing an edge
//! and swapping the two edges give the same bits of the distance, and the same points. The square root of the squared
//! distance is the distance, to the bit, wherever the square is a normal number.
//!
//! **Rejected.** Moving the nearest points of the lines onto the edges (Kimmerle 2005, §2.4.4): of nearly parallel lines
//! these points are mostly rounding, and it needs a tolerance for what is parallel.

mod convex;
mod edge_edge;
#[cfg(test)]
mod exact;
mod features;
mod vertex_face;

pub use convex::{ClosestPolygons, POLYGON_CORNERS, convex_polygons};
pub use edge_edge::{edge_edge, edge_edge_distance_squared};
pub use vertex_face::{vertex_face, vertex_face_distance_squared};

use robust::{Coord3D, orient3d};
use toile_mesh::DVec3;

use crate::impact::PairKind;

/// Nearest points of a pair of features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Distance of the nearest points [m].
    pub distance: f64,
    /// Weights of the four corners: `[1, w0, w1, w2]` for vertex–face, `[1 - s, s, 1 - t, t]` for edge–edge.
    /// None is negative; those of a feature sum to 1 within rounding.
    pub weights: [f64; 4],
    /// Unit vector from the second feature's nearest point to the first's.
    ///
    /// Where the distance is within rounding of zero: the normal of the face, `(f1 - f0) × (f2 - f0)`, or of the
    /// edges, `(a1 - a0) × (b1 - b0)`, pointing to the first feature's side and as written if `side` is 0. Where this
    /// too is zero: a unit vector perpendicular to the longest edge, or y if there is no edge.
    pub normal: DVec3,
    /// Side on which the first feature lies: the sign, −1, 0 or 1, of `(f1 - f0) × (f2 - f0) · (v - f0)` or of
    /// `(a1 - a0) × (b1 - b0) · (a0 - b0)`. Exact for coordinates that are zero or between 1e-80 and 1e60 in
    /// magnitude.
    pub side: f64,
}

/// Distances up to this share of the size of a pair are rounding.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A point of a segment, triangle or pair of segments, by the weights of `N` corners, and the vector from it to the
/// point asked for, with its squared length.
#[derive(Clone, Copy, Debug)]
struct Foot<const N: usize> {
    weights: [f64; N],
    offset: DVec3,
    sq: f64,
}

impl<const N: usize> Foot<N> {
    #[inline]
    fn new(weights: [f64; N], offset: DVec3) -> Self {
        Self { weights, offset, sq: offset.length_squared() }
    }

    /// The nearer of two; this one of equals.
    #[inline]
    fn or_nearer(self, other: Self) -> Self {
        if other.sq < self.sq { other } else { self }
    }
}

/// Parameter of the point of the segment from 0 to `d` nearest to `q`, and the vector from that point to `q`.
///
/// At an end where `q` equals the corner the vector is exactly zero.
#[inline]
fn segment_foot(q: DVec3, d: DVec3) -> (f64, DVec3) {
    let dd = d.length_squared();
    let t = if dd > 0.0 { (q.dot(d) / dd).clamp(0.0, 1.0) } else { 0.0 };
    (t, q - t * d)
}

/// `f = along * e + across` with `across` perpendicular to `e`, to rounding of both lengths; `per_ee` is `1 / e²`.
///
/// One pass leaves an error in proportion to `f`, which for nearly parallel vectors is no longer small beside
/// `across`; the second removes it.
#[inline]
fn orthogonalize(f: DVec3, e: DVec3, per_ee: f64) -> (f64, DVec3) {
    let first = f.dot(e) * per_ee;
    let across = f - first * e;
    let second = across.dot(e) * per_ee;
    (first + second, across - second * e)
}

/// Whether `p` comes before `q` in the order by x, then y, then z.
#[inline]
fn precedes(p: DVec3, q: DVec3) -> bool {
    p.x < q.x || (p.x == q.x && (p.y < q.y || (p.y == q.y && p.z < q.z)))
}

/// A power of two that brings points of extreme magnitude near 1, so that no square over- or underflows; 1 for points
/// of moderate magnitude.
#[inline]
fn power_of_two_scale<'a>(points: impl IntoIterator<Item = &'a DVec3> + Clone) -> f64 {
    let squares: f64 = points.clone().into_iter().map(|p| p.length_squared()).sum();
    if (1e-120..=1e120).contains(&squares) { 1.0 } else { extreme_scale(points) }
}

/// [`power_of_two_scale`] for squares that left the moderate range.
#[cold]
fn extreme_scale<'a>(points: impl IntoIterator<Item = &'a DVec3>) -> f64 {
    let magnitude = points.into_iter().fold(0.0, |most, p| p.abs().max_element().max(most));
    if magnitude == 0.0 {
        return 1.0;
    }
    let exponent = (magnitude.to_bits() >> 52).clamp(23, 2023);
    f64::from_bits((2046 - exponent) << 52)
}

/// Largest coordinate difference between the first point and the others; at least half the size of the pair.
fn extent(x: &[DVec3]) -> f64 {
    x.iter().fold(0.0, |most, &p| (p - x[0]).abs().max_element().max(most))
}

/// Sign of `(b - a) × (c - a) · (d - a)`, exact.
fn orientation(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let level = |k: usize| a[k] == b[k] && a[k] == c[k] && a[k] == d[k];
    if level(0) || level(1) || level(2) {
        // Common in flat sheets, and the predicate would take its slowest path to find this zero.
        return 0.0;
    }
    let [a, b, c, d] = [a, b, c, d].map(|q| Coord3D { x: q.x, y: q.y, z: q.z });
    // The predicate is positive for `d` below a plane wound counter-clockwise seen from above.
    let determinant = orient3d(a, b, c, d);
    f64::from(i8::from(determinant < 0.0) - i8::from(determinant > 0.0))
}

/// Side of the first feature seen from the second, as in [`Closest::side`].
pub(crate) fn side(kind: PairKind, x: &[DVec3; 4]) -> f64 {
    match kind {
        PairKind::VertexFace => orientation(x[1], x[2], x[3], x[0]),
        PairKind::EdgeEdge => orientation(x[0], x[1], x[2], x[3]),
    }
}

/// The vector that [`side`] refers to: the face's normal or the cross product of the edges.
pub(crate) fn cross(kind: PairKind, x: &[DVec3; 4]) -> DVec3 {
    match kind {
        PairKind::VertexFace => (x[2] - x[1]).cross(x[3] - x[1]),
        PairKind::EdgeEdge => (x[1] - x[0]).cross(x[3] - x[2]),
    }
}

/// Unit vector along `cross`, pointing to `side`; perpendicular to `edge` if `cross` is zero.
fn normal_or_any(cross: DVec3, side: f64, edge: DVec3) -> DVec3 {
    let direction = if side < 0.0 { -cross } else { cross };
    direction.try_normalize().unwrap_or_else(|| edge.try_normalize().map_or(DVec3::Y, DVec3::any_orthonormal_vector))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_is_a_power_of_two_that_moderates_every_magnitude() {
        for magnitude in [f64::MIN_POSITIVE * f64::EPSILON, 1e-310, 1e-200, 1e-61, 1e61, 1e200, f64::MAX] {
            let scale = power_of_two_scale(&[DVec3::ZERO, DVec3::new(0.0, -magnitude, magnitude / 3.0)]);
            assert_eq!(scale.to_bits() << 12, 0, "{magnitude:e}: mantissa of {scale:e}");
            assert!((1e-24..1e8).contains(&(magnitude * scale)), "{magnitude:e} becomes {:e}", magnitude * scale);
        }
        assert_eq!(power_of_two_scale(&[DVec3::ZERO]), 1.0);
        assert_eq!(power_of_two_scale(&[DVec3::splat(-3e5)]), 1.0);
    }

    #[test]
    fn orientation_is_positive_on_the_side_of_the_cross_product() {
        let [a, b, c] = [DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.1, 0.2, 0.4), DVec3::new(0.2, 1.5, 0.3)];
        let normal = (b - a).cross(c - a);
        assert_eq!(orientation(a, b, c, a + normal), 1.0);
        assert_eq!(orientation(a, b, c, a - normal), -1.0);
        assert_eq!(orientation(a, b, c, c), 0.0);
    }
}
