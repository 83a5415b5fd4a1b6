//! Time at which a moving pair comes as close as a given separation, and shortest connections of resting pairs.
//!
//! Conservative advancement with directions. At a time t at which the features are apart, let n be the unit vector
//! along their shortest connection. The slab gap min n · (a(t') − b(t')) over the vertices a, b of the two features
//! bounds their distance from below at every time t', and each term is linear in t'. So nothing happens before the
//! first t' at which a term falls to the separation: advance to it and repeat.
//!
//! Where features turn fast and close slowly, the slab of a fixed direction allows small steps only. There slabs that
//! turn with the features help: between a vertex and the plane of the face, between the parallel planes through the
//! edges, or along one side. Several times the step is tried with them, ever more as long as that succeeds.
//!
//! Rounding: positions and gaps as in `filter`; each step ends a margin early, so the time is always a safe one.

use super::PairKind;
use super::filter::{DETERMINANT_ERROR, SLAB_ERROR, one_sign, smallest_gap, volume_coefficients};
use super::relative::{ROUND, Relative};
use toile_mesh::DVec3;

/// A pair counts as arrived at this multiple of the separation (minus one).
const ARRIVED: f64 = 1.0e-6;
/// Rounding margin of gaps: √3 times [`SLAB_ERROR`] for the gap, 14 u for the rounding of the time, some for n's length.
const GAP_MARGIN: f64 = 4.0 * SLAB_ERROR;
/// Steps before the last safe time is reported as impact.
const STEPS: usize = 300;

/// The first time at which the features of a scaled pair are at most `separation` apart, or slightly before.
#[inline]
pub(super) fn first_contact(kind: PairKind, pair: &Relative, separation: f64) -> Option<f64> {
    // Most pairs stay apart along one direction.
    if stays_apart(kind, pair, separation) {
        return None;
    }
    let threshold = separation * (1.0 + 8.0 * ROUND) + GAP_MARGIN;
    advance(kind, pair, separation, threshold)
}

/// Whether one direction shows that the features of a scaled pair stay more than `separation` apart.
#[inline]
pub(super) fn stays_apart(kind: PairKind, pair: &Relative, separation: f64) -> bool {
    let threshold = separation * (1.0 + 8.0 * ROUND) + GAP_MARGIN;
    let n = connection(kind, &pair.at(0.5)).normalize_or_zero();
    slab_closes(kind, &pair.start, &pair.end, n, threshold).is_none()
}

/// Steps from safe time to safe time.
fn advance(kind: PairKind, pair: &Relative, separation: f64, threshold: f64) -> Option<f64> {
    let arrived = separation * (1.0 + ARRIVED) + 2.0 * GAP_MARGIN;
    let (mut time, mut stride) = (0.0, 2.0);
    for _ in 0..STEPS {
        let x = pair.at(time);
        let d = careful_connection(kind, &x);
        let distance = d.length();
        if distance <= arrived {
            return Some(time);
        }
        // The fraction is rounded down, so that the step never passes the bound.
        let closes = slab_closes(kind, &x, &pair.end, d / distance, threshold)?;
        let step = (1.0 - time) * (closes * (1.0 - 8.0 * ROUND));
        let ahead = time + stride * step;
        let turning = |stretch: &Relative| {
            planes_apart(kind, stretch, threshold) || edge_slab_apart(kind, stretch, d / distance, threshold)
        };
        if ahead < 1.0 && turning(&pair.between(time, ahead)) {
            time = ahead;
            stride *= 2.0;
        } else if time + step > time {
            time += step;
            stride = f64::max(0.5 * stride, 2.0);
        } else {
            return Some(time);
        }
    }
    Some(time)
}

/// Whether the distance of the vertex from the face's plane, or of the lines through the edges, is above the threshold
/// during a stretch: c(t) / |n(t)| with the volume c and the normal n in Bernstein form.
fn planes_apart(kind: PairKind, stretch: &Relative, threshold: f64) -> bool {
    let sides = |x: &[DVec3; 4]| match kind {
        PairKind::VertexFace => (x[2] - x[1], x[3] - x[1]),
        PairKind::EdgeEdge => (x[1] - x[0], x[3] - x[2]),
    };
    let ((u0, w0), (u1, w1)) = (sides(&stretch.start), sides(&stretch.end));
    let normals = [u0.cross(w0), 0.5 * (u0.cross(w1) + u1.cross(w0)), u1.cross(w1)];
    let normal = normals.iter().map(|n| n.length()).fold(0.0, f64::max) + 2.0 * DETERMINANT_ERROR;
    one_sign(&volume_coefficients(stretch), 3.0 * threshold * normal + DETERMINANT_ERROR)
}

/// Whether a slab that turns with a side e of a feature separates the features during a stretch: its normal is
/// n(t) = k × e(t), with k such that n is along d at first, for the side that is most perpendicular to d. All
/// n(t) · (a(t) − b(t)) are quadratics in t, taken in Bernstein form, and |n(t)| is largest at an end. The error of a
/// coefficient, times 2, is at most 726 u: n has 32 u, and the products as for orientations in `filter`.
fn edge_slab_apart(kind: PairKind, stretch: &Relative, d: DVec3, threshold: f64) -> bool {
    let sides: &[(usize, usize)] = match kind {
        PairKind::VertexFace => &[(1, 2), (2, 3), (3, 1)],
        PairKind::EdgeEdge => &[(0, 1), (2, 3)],
    };
    let edge = |x: &[DVec3; 4], &(i, j): &(usize, usize)| x[j] - x[i];
    let slant = |side: &&(usize, usize)| edge(&stretch.start, side).normalize_or_zero().dot(d).abs();
    let Some(side) = sides.iter().min_by(|a, b| slant(a).total_cmp(&slant(b))) else {
        return false;
    };
    let (e0, e1) = (edge(&stretch.start, side), edge(&stretch.end, side));
    let k = e0.cross(d).normalize_or_zero();
    let (n0, n1) = (k.cross(e0), k.cross(e1));
    let margin = 2.0 * threshold * (n0.length().max(n1.length()) + DETERMINANT_ERROR) + 2.0 * DETERMINANT_ERROR;
    vertex_pairs(kind).iter().all(|&(i, j)| {
        let (g0, g1) = (stretch.start[i] - stretch.start[j], stretch.end[i] - stretch.end[j]);
        2.0 * n0.dot(g0) > margin && n0.dot(g1) + n1.dot(g0) > margin && 2.0 * n1.dot(g1) > margin
    })
}

/// The vertices of the first feature with those of the second.
fn vertex_pairs(kind: PairKind) -> &'static [(usize, usize)] {
    match kind {
        PairKind::VertexFace => &[(0, 1), (0, 2), (0, 3)],
        PairKind::EdgeEdge => &[(0, 2), (0, 3), (1, 2), (1, 3)],
    }
}

/// The first fraction of the way from `x` to `end` at which a gap along n falls to the threshold, if any does.
#[inline]
fn slab_closes(kind: PairKind, x: &[DVec3; 4], end: &[DVec3; 4], n: DVec3, threshold: f64) -> Option<f64> {
    if smallest_gap(kind, x, n) <= threshold {
        return Some(0.0);
    }
    if smallest_gap(kind, end, n) > threshold {
        return None;
    }
    let closes = |&(i, j): &(usize, usize)| {
        let (now, then) = (n.dot(x[i] - x[j]) - threshold, n.dot(end[i] - end[j]) - threshold);
        if then <= 0.0 { now / (now - then) } else { 1.0 }
    };
    Some(vertex_pairs(kind).iter().map(closes).fold(1.0, f64::min))
}

/// From the nearest point of the second feature to the nearest point of the first, approximately.
#[inline]
pub(super) fn connection(kind: PairKind, x: &[DVec3; 4]) -> DVec3 {
    match kind {
        PairKind::VertexFace => x[0] - nearest_on_triangle(x[0], x[1], x[2], x[3]),
        PairKind::EdgeEdge => between_segments(x[0], x[1], x[2], x[3]),
    }
}

/// The shortest connection again, with a direction that is right to a few u however short it is, for slivers too: it
/// is the normal of a face or of two edges, or perpendicular to a side to rounding. A difference of nearest points has
/// the direction only to u × extent / distance, and a slab that is tilted by that much stops short of the separation.
#[cold]
pub(super) fn careful_connection(kind: PairKind, x: &[DVec3; 4]) -> DVec3 {
    let from_side = |p: usize, a: usize, b: usize| {
        let (side, offset) = (x[b] - x[a], x[p] - x[a]);
        let foot = side.dot(offset) / side.length_squared();
        if foot > 0.0 && foot < 1.0 {
            let d = offset - side * foot;
            d - side * (side.dot(d) / side.length_squared())
        } else if foot >= 1.0 {
            x[p] - x[b]
        } else {
            // Also for a collapsed side, whose foot is not a number.
            offset
        }
    };
    let (normal, over) = inner_normal(kind, x);
    let inner = normal * (normal.dot(x[0] - x[2]) / normal.length_squared());
    let others = match kind {
        PairKind::VertexFace => [from_side(0, 1, 2), from_side(0, 2, 3), from_side(0, 3, 1), x[0] - x[1]],
        PairKind::EdgeEdge => [from_side(0, 2, 3), from_side(1, 2, 3), -from_side(2, 0, 1), -from_side(3, 0, 1)],
    };
    let shorter = |a: DVec3, b: DVec3| if b.length_squared() < a.length_squared() { b } else { a };
    let outer = others.into_iter().fold(others[0], shorter);
    if over { shorter(outer, inner) } else { outer }
}

/// Normal of the face or of the two edges, and whether the features overlap seen along it.
fn inner_normal(kind: PairKind, x: &[DVec3; 4]) -> (DVec3, bool) {
    // On which side of the line from vertex i to vertex j vertex k is, seen along n.
    let side = |n: DVec3, i: usize, j: usize, k: usize| (x[j] - x[i]).cross(x[k] - x[i]).dot(n);
    match kind {
        PairKind::VertexFace => {
            let n = (x[2] - x[1]).cross(x[3] - x[1]);
            (n, side(n, 1, 2, 0) > 0.0 && side(n, 2, 3, 0) > 0.0 && side(n, 3, 1, 0) > 0.0)
        }
        PairKind::EdgeEdge => {
            let n = (x[1] - x[0]).cross(x[3] - x[2]);
            let split = |i, j, k, l| side(n, i, j, k) * side(n, i, j, l) < 0.0;
            (n, split(0, 1, 2, 3) && split(2, 3, 0, 1))
        }
    }
}

/// Nearest point of a triangle: by Voronoi regions of its corners and sides (Ericson 2005, section 5.1.5).
#[inline]
fn nearest_on_triangle(p: DVec3, a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    let (e, f) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e >= 0.0 && f >= 0.0 && e + f > 0.0 {
        return b + (c - b) * (e / (e + f));
    }
    let sum = va + vb + vc;
    if sum > 0.0 { a + ab * (vb / sum) + ac * (vc / sum) } else { a }
}

/// Shortest connection from segment b0 b1 to segment a0 a1 (Ericson 2005, section 5.1.9).
#[inline]
fn between_segments(a0: DVec3, a1: DVec3, b0: DVec3, b1: DVec3) -> DVec3 {
    let (u, v, r) = (a1 - a0, b1 - b0, a0 - b0);
    let (uu, uv, vv, ur, vr) = (u.dot(u), u.dot(v), v.dot(v), u.dot(r), v.dot(r));
    let clamped = |num: f64, den: f64| if den > 0.0 { (num / den).clamp(0.0, 1.0) } else { 0.0 };
    let mut s = clamped(uv * vr - ur * vv, uu * vv - uv * uv);
    let mut t = clamped(uv * s + vr, vv);
    // With t fixed, s is the foot of that point; a clamped t moves it.
    let foot = clamped(uv * t - ur, uu);
    if foot != s {
        s = foot;
        t = clamped(uv * s + vr, vv);
    }
    r + u * s - v * t
}
