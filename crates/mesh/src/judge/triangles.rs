//! Whether two triangles intersect, exactly, for each number of shared vertices.
//!
//! Two triangles have a common point exactly if an edge of one meets the other: their intersection is convex, and
//! its extreme points lie on edges. Triangles with a common corner `v` have a further common point exactly if the
//! edge opposite `v` in one meets the other: a common ray from `v` leaves one of them through that edge while
//! still in the other. This fails only when a triangle has no area and `v` lies on its own opposite edge; then the
//! triangle is the union of its two edges at `v`, and those are tested instead.

use super::predicates::{
    Sign, facing_axis, is_on_segment, plane_side, precedes, segment_meets_triangle, segments_meet, triangle_contains,
    turn,
};
use super::{IntersectionKind, is_judgeable};
use crate::{Aabb, DVec3, VertexId};

/// Whether two closed triangles without shared vertices have a common point: touching counts, and so does overlap
/// in one plane. Exact, also for triangles without area; false if a coordinate is not finite or beyond 2³⁰⁰.
///
/// ```
/// use toile_mesh::{DVec3, judge::triangles_intersect};
/// let floor = [DVec3::ZERO, DVec3::Z, DVec3::X];
/// let above = |gap: f64| [DVec3::new(0.2, gap, 0.2), DVec3::new(0.2, 1.0, 0.2), DVec3::new(0.3, 1.0, 0.2)];
/// assert!(triangles_intersect(floor, above(0.0)));
/// assert!(!triangles_intersect(floor, above(1e-300)));
/// ```
pub fn triangles_intersect(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    if !is_judgeable(a) || !is_judgeable(b) || !Aabb::around(a).overlaps(&Aabb::around(b)) {
        return false;
    }
    let sides_b = b.map(|p| plane_side(a, p));
    if on_one_side(&sides_b) {
        return false;
    }
    let sides_a = a.map(|p| plane_side(b, p));
    if on_one_side(&sides_a) {
        return false;
    }
    an_edge_meets(a, sides_a, b) || an_edge_meets(b, sides_b, a)
}

/// How two triangles of one mesh intersect, if they do.
pub(super) fn mesh_pair_kind(
    [numbers_a, numbers_b]: [[VertexId; 3]; 2],
    [a, b]: [[DVec3; 3]; 2],
) -> Option<IntersectionKind> {
    // For each distinct shared vertex, its first place in either triangle.
    let place = |numbers: [VertexId; 3], v: VertexId| numbers.iter().position(|&w| w == v);
    let mut shared = (0..3)
        .filter(|&k| place(numbers_a, numbers_a[k]) == Some(k))
        .filter_map(|k| place(numbers_b, numbers_a[k]).map(|l| (k, l)));
    let (meet, kind) = match (shared.next(), shared.next(), shared.next()) {
        (None, ..) => (triangles_intersect(a, b), IntersectionKind::Separate),
        (Some((k, l)), None, _) => {
            (meet_beyond_corner(a[k], others(a, k), others(b, l)), IntersectionKind::SharedVertex)
        }
        (Some((k, l)), Some((m, n)), None) => {
            // The places in a triangle sum to 3.
            let meet = meet_beyond_edge([a[k], a[m]], a[3 - k - m], b[3 - l - n]);
            (meet, IntersectionKind::SharedEdge)
        }
        _ => (true, IntersectionKind::SharedFace),
    };
    meet.then_some(kind)
}

fn others(corners: [DVec3; 3], k: usize) -> [DVec3; 2] {
    [corners[(k + 1) % 3], corners[(k + 2) % 3]]
}

fn on_one_side(sides: &[Sign]) -> bool {
    sides.iter().all(|&s| s > 0) || sides.iter().all(|&s| s < 0)
}

/// Whether an edge of `a`, whose corners are on `sides` of the plane of `b`, meets `b`.
fn an_edge_meets(a: [DVec3; 3], sides: [Sign; 3], b: [DVec3; 3]) -> bool {
    [(0, 1), (1, 2), (2, 0)].into_iter().any(|(i, j)| segment_meets_triangle([a[i], a[j]], [sides[i], sides[j]], b))
}

/// Whether the triangles `v a` and `v b` have a common point other than `v`.
fn meet_beyond_corner(v: DVec3, a: [DVec3; 2], b: [DVec3; 2]) -> bool {
    let (triangle_a, triangle_b) = ([v, a[0], a[1]], [v, b[0], b[1]]);
    let sides_b = b.map(|p| plane_side(triangle_a, p));
    if on_one_side(&sides_b) {
        return false;
    }
    let sides_a = a.map(|p| plane_side(triangle_b, p));
    if on_one_side(&sides_a) {
        return false;
    }
    match (facing_axis(triangle_a).is_some(), facing_axis(triangle_b).is_some()) {
        (true, true) => {
            segment_meets_triangle(a, sides_a, triangle_b) || segment_meets_triangle(b, sides_b, triangle_a)
        }
        (false, true) => a.into_iter().any(|end| spoke_meets_beyond_corner(v, end, b)),
        (true, false) => b.into_iter().any(|end| spoke_meets_beyond_corner(v, end, a)),
        (false, false) => a.into_iter().any(|p| b.into_iter().any(|q| spokes_overlap(v, p, q))),
    }
}

/// Whether the segment `v end` and the triangle `v opposite`, which has area, have a common point other than `v`.
fn spoke_meets_beyond_corner(v: DVec3, end: DVec3, opposite: [DVec3; 2]) -> bool {
    end != v && (triangle_contains([v, opposite[0], opposite[1]], end) || segments_meet([v, end], opposite))
}

/// Whether the segments `v p` and `v q` have a common point other than `v`.
fn spokes_overlap(v: DVec3, p: DVec3, q: DVec3) -> bool {
    p != v && q != v && (is_on_segment(p, v, q) || is_on_segment(q, v, p))
}

/// Whether the triangles `edge a` and `edge b` have a common point off the edge.
fn meet_beyond_edge([u, w]: [DVec3; 2], a: DVec3, b: DVec3) -> bool {
    if plane_side([u, w, a], b) != 0 {
        return false;
    }
    if let Some(axis) = facing_axis([u, w, a]) {
        return turn(axis, u, w, a) == turn(axis, u, w, b);
    }
    if facing_axis([u, w, b]).is_some() {
        // The first triangle is on the line of the edge, where the second has only the edge.
        return false;
    }
    if u == w {
        return spokes_overlap(u, a, b);
    }
    let (low, high) = if precedes(w, u) { (w, u) } else { (u, w) };
    (precedes(a, low) && precedes(b, low)) || (precedes(high, a) && precedes(high, b))
}
