//! Exact questions about points and segments, answered by signs of determinants and comparisons alone.
//!
//! Flat cases are decided in a projection along a coordinate axis. A projection is one-to-one on a plane exactly
//! if some triangle of that plane keeps its area in it, so no answer is lost; the projected coordinates are the
//! original ones, so nothing is rounded.

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::DVec3;

/// −1, 0 or 1.
pub(super) type Sign = i8;

/// A coordinate axis, 0 to 2, along which points are projected.
type Axis = usize;

fn sign(determinant: f64) -> Sign {
    Sign::from(determinant > 0.0) - Sign::from(determinant < 0.0)
}

/// On which side of the plane through `a`, `b`, `c` the point `p` is; 0 on the plane and wherever `a`, `b`, `c` are
/// collinear.
pub(super) fn plane_side([a, b, c]: [DVec3; 3], p: DVec3) -> Sign {
    let level = |k: usize| a[k] == b[k] && a[k] == c[k] && a[k] == p[k];
    if level(0) || level(1) || level(2) {
        // Common in flat sheets, and the predicate would take its slowest path to find this zero.
        return 0;
    }
    let [a, b, c, p] = [a, b, c, p].map(|q| Coord3D { x: q.x, y: q.y, z: q.z });
    sign(orient3d(a, b, c, p))
}

/// Which way `a`, `b`, `c` turn seen along `axis`; 0 if they look collinear.
pub(super) fn turn(axis: Axis, a: DVec3, b: DVec3, c: DVec3) -> Sign {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let [a, b, c] = [a, b, c].map(|q| Coord { x: q[u], y: q[v] });
    sign(orient2d(a, b, c))
}

/// An axis along which the triangle does not look collinear; `None` if its corners are collinear.
///
/// The turns along the three axes are the components of the normal, all zero exactly for collinear corners.
pub(super) fn facing_axis([a, b, c]: [DVec3; 3]) -> Option<Axis> {
    (0..3).find(|&axis| turn(axis, a, b, c) != 0)
}

/// Whether `p` comes before `q` in the order by x, then y, then z, which runs along every line.
pub(super) fn precedes(p: DVec3, q: DVec3) -> bool {
    p.to_array() < q.to_array()
}

/// Whether `p`, on the line through `a` and `b`, is between them or equal to one.
fn is_between(p: DVec3, a: DVec3, b: DVec3) -> bool {
    let (low, high) = if precedes(b, a) { (b, a) } else { (a, b) };
    !precedes(p, low) && !precedes(high, p)
}

/// Whether `p` is on the segment `a b`.
pub(super) fn is_on_segment(p: DVec3, a: DVec3, b: DVec3) -> bool {
    facing_axis([a, b, p]).is_none() && is_between(p, a, b)
}

/// Whether the segments `p q` and `a b` have a common point; either may be a single point.
pub(super) fn segments_meet([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    if plane_side([p, q, a], b) != 0 {
        return false;
    }
    match [[p, q, a], [p, q, b], [p, a, b], [q, a, b]].into_iter().find_map(facing_axis) {
        Some(axis) => coplanar_segments_meet(axis, [p, q], [a, b]),
        // All on one line.
        None => is_between(p, a, b) || is_between(q, a, b) || is_between(a, p, q),
    }
}

/// [`segments_meet`] for four points of a plane that `axis` projects one-to-one.
fn coplanar_segments_meet(axis: Axis, [p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    let (turn_p, turn_q) = (turn(axis, a, b, p), turn(axis, a, b, q));
    let (turn_a, turn_b) = (turn(axis, p, q, a), turn(axis, p, q, b));
    (turn_p * turn_q < 0 && turn_a * turn_b < 0)
        || (turn_p == 0 && is_between(p, a, b))
        || (turn_q == 0 && is_between(q, a, b))
        || (turn_a == 0 && is_between(a, p, q))
        || (turn_b == 0 && is_between(b, p, q))
}

/// Whether the segment `p q` and the triangle have a common point, given the sides of `p` and `q` of the triangle's
/// plane. Both may be degenerate.
pub(super) fn segment_meets_triangle([p, q]: [DVec3; 2], sides: [Sign; 2], triangle: [DVec3; 3]) -> bool {
    let [a, b, c] = triangle;
    match sides {
        [0, 0] => match facing_axis(triangle) {
            Some(axis) => coplanar_segment_meets_triangle(axis, [p, q], triangle),
            None => [[a, b], [b, c], [c, a]].into_iter().any(|edge| segments_meet([p, q], edge)),
        },
        [side_p, side_q] if side_p == side_q => false,
        // The segment crosses the plane in one point, which is in the triangle unless the line pq passes two
        // edges on different sides.
        _ => {
            let passes = [plane_side([p, q, a], b), plane_side([p, q, b], c), plane_side([p, q, c], a)];
            !(passes.contains(&1) && passes.contains(&-1))
        }
    }
}

/// [`segment_meets_triangle`] for a segment in the plane of a triangle with area, which `axis` projects one-to-one.
fn coplanar_segment_meets_triangle(axis: Axis, [p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let inside = {
        let turns = [turn(axis, a, b, p), turn(axis, b, c, p), turn(axis, c, a, p)];
        !(turns.contains(&1) && turns.contains(&-1))
    };
    inside || [[a, b], [b, c], [c, a]].into_iter().any(|edge| coplanar_segments_meet(axis, [p, q], edge))
}

/// Whether the triangle, degenerate or not, contains the point.
pub(super) fn triangle_contains(triangle: [DVec3; 3], p: DVec3) -> bool {
    let side = plane_side(triangle, p);
    segment_meets_triangle([p, p], [side, side], triangle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collinear_segments_meet_where_their_ranges_overlap() {
        let at = |t: f64| DVec3::new(t, 2.0 * t, -4.0 * t);
        let meet = |p: f64, q: f64, a: f64, b: f64| segments_meet([at(p), at(q)], [at(a), at(b)]);
        assert!(meet(0.0, 4.0, 1.0, 2.0) && meet(2.0, 1.0, 4.0, 0.0), "one within the other");
        assert!(meet(0.0, 2.0, 1.0, 3.0) && meet(0.0, 1.0, 1.0, 2.0) && meet(1.0, 1.0, 1.0, 1.0));
        assert!(!meet(0.0, 1.0, 2.0, 3.0) && !meet(2.0, 2.0, 1.0, 1.0));
    }
}
