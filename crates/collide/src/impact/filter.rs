//! Contact of a moving pair in `f64`, with error bounds: certainly apart, certainly in contact, or unsure.
//!
//! Stretches of time are examined from early to late, each with three certificates; a stretch none of them settles is
//! halved, and when the budget is spent the pair goes to the exact stage.
//!
//! 1. *Never coplanar.* The volume c(t) = det(r0, r2, r3) of the vertices relative to the second one is a cubic in t;
//!    if its four Bernstein coefficients have one sign, it has no root in the stretch.
//! 2. *Slab.* For a fixed direction d, d · (a(t) − b(t)) is linear in t for each vertex a of the one feature and b of
//!    the other. If all are positive at both ends of the stretch, a moving slab separates the features throughout.
//!    Any d is valid; the shortest connection in the middle of the stretch is a good one.
//! 3. *Contact.* c changes sign once over the stretch, and along one coordinate axis the projections of the features
//!    overlap throughout (all orientations have their sign in Bernstein form, quadratics in t). Then the plane at the
//!    root of c is not parallel to that axis, so features that overlap in projection touch in space.
//!
//! Where c has one root, a narrow bracket of it stands for the whole stretch in 2 and 3: elsewhere there is no contact.
//!
//! Error bounds. Positions have coordinates up to 1 with an error of at most 5 u ([`Relative`]).
//! - Coefficients of c, times 3: three determinants of six products. Relative error per product: 15 u from the
//!   positions, 8 u from two multiplications and at most six additions; 18 × 23 u = 414 u.
//! - Orientations, times 2: two determinants of two products of differences. A difference is at most 2 with an error
//!   of 12 u, hence 52 u per product of at most 4, 4 × 52 u + 4 × 8 u for the additions = 240 u.
//! - Slab: |d|₁ (12 u for the difference + 3 × 2 u for the products and additions) = 18 u |d|₁.

use super::PairKind;
use super::relative::{ROUND, Relative};
use super::separation::connection;
use toile_mesh::DVec3;

/// Bound of the errors of volume coefficients and orientations.
pub(super) const DETERMINANT_ERROR: f64 = 512.0 * ROUND;
/// Bound of the errors of a slab's gap, per |d|₁.
pub(super) const SLAB_ERROR: f64 = 20.0 * ROUND;
/// Stretches examined before a pair is left to the exact stage.
const BUDGET: usize = 40;
/// Halvings of [0, 1] at most; further ones meet the rounding errors.
const DEPTH: u32 = 30;
/// Half width of the bracket that must hold the root of a certain contact: the promised accuracy, and what rounding of
/// times allows.
const WIDEST: f64 = 1.0e-10;
const NARROWEST: f64 = 1.0e-14;
/// A step of Newton's method after which the next would be far below rounding.
const LAST_STEP: f64 = 1.0e-10;

/// What `f64` can say about a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// No contact at any time in [0, 1].
    Apart,
    /// First contact not before this time, and at most 2e-10 after it.
    Contact(f64),
    /// Left to the exact stage.
    Unsure,
}

/// Whether the boxes around the two features' motions are farther apart than the separation along some axis.
///
/// False if a coordinate or the separation is not a number, so that such pairs are not taken for safe.
#[inline]
pub(super) fn boxes_apart(kind: PairKind, start: &[DVec3; 4], end: &[DVec3; 4], separation: f64) -> bool {
    let low = |i: usize| start[i].min(end[i]);
    let high = |i: usize| start[i].max(end[i]);
    let (b_low, b_high) = (low(2).min(low(3)), high(2).max(high(3)));
    let (a_low, a_high, b_low, b_high) = match kind {
        PairKind::VertexFace => (low(0), high(0), b_low.min(low(1)), b_high.max(high(1))),
        PairKind::EdgeEdge => (low(0).min(low(1)), high(0).max(high(1)), b_low, b_high),
    };
    // The factor covers the rounding of the difference; a difference is positive exactly if the true one is.
    let gap = (b_low - a_high).max(a_low - b_high).max_element() * (1.0 - 2.0 * f64::EPSILON);
    // Minima skip what is not a number; the sum does not.
    gap > separation.max(0.0)
        && !separation.is_nan()
        && start.iter().chain(end).sum::<DVec3>().element_sum().is_finite()
}

/// Decides as far as `f64` goes.
#[inline]
pub(super) fn decide(kind: PairKind, pair: &Relative) -> Verdict {
    let volume = volume_coefficients(pair);
    if one_sign(&volume, DETERMINANT_ERROR) || slab_apart(kind, pair) {
        return Verdict::Apart;
    }
    match at_only_root(kind, pair, 0.0, 1.0, &volume) {
        Verdict::Unsure => search(kind, pair),
        verdict => verdict,
    }
}

/// Examines stretches from early to late, halving those that are not settled.
fn search(kind: PairKind, pair: &Relative) -> Verdict {
    // Stretch k of the 2^depth equal ones; later ones wait below earlier ones.
    let mut waiting = [(0_u64, 0_u32); DEPTH as usize + 2];
    waiting[0] = (1, 1);
    waiting[1] = (0, 1);
    let mut count = 2;
    for _ in 0..BUDGET {
        if count == 0 {
            return Verdict::Apart;
        }
        count -= 1;
        let (k, depth) = waiting[count];
        let width = 1.0 / (1_u64 << depth) as f64;
        let (s, t) = (k as f64 * width, (k + 1) as f64 * width);
        let stretch = pair.between(s, t);
        let volume = volume_coefficients(&stretch);
        if one_sign(&volume, DETERMINANT_ERROR) || slab_apart(kind, &stretch) {
            continue;
        }
        match at_only_root(kind, pair, s, t, &volume) {
            Verdict::Apart => continue,
            Verdict::Unsure => {}
            contact @ Verdict::Contact(_) => return contact,
        }
        if depth == DEPTH {
            return Verdict::Unsure;
        }
        waiting[count] = (2 * k + 1, depth + 1);
        waiting[count + 1] = (2 * k, depth + 1);
        count += 2;
    }
    if count == 0 { Verdict::Apart } else { Verdict::Unsure }
}

/// If the pair is coplanar exactly once between `s` and `t`: what certificates 2 and 3 say about a narrow bracket of that
/// time. The rest of the stretch is without contact.
fn at_only_root(kind: PairKind, pair: &Relative, s: f64, t: f64, volume: &[f64; 4]) -> Verdict {
    if !has_one_root(volume) {
        return Verdict::Unsure;
    }
    let Some((low, high)) = bracket_root(pair, s, t, volume) else { return Verdict::Unsure };
    let bracket = pair.between(low, high);
    if overlaps_in_projection(kind, &bracket) {
        Verdict::Contact(low)
    } else if slab_apart(kind, &bracket) {
        Verdict::Apart
    } else {
        Verdict::Unsure
    }
}

/// Bernstein coefficients, times 3, of det(r0, r2, r3) over a stretch.
#[inline]
pub(super) fn volume_coefficients(stretch: &Relative) -> [f64; 4] {
    let [a0, _, b0, c0] = stretch.start;
    let [a1, _, b1, c1] = stretch.end;
    let n00 = b0.cross(c0);
    let n01 = b0.cross(c1) + b1.cross(c0);
    let n11 = b1.cross(c1);
    [3.0 * a0.dot(n00), a1.dot(n00) + a0.dot(n01), a0.dot(n11) + a1.dot(n01), 3.0 * a1.dot(n11)]
}

/// Whether all numbers have one sign, beyond an error.
#[inline]
pub(super) fn one_sign(values: &[f64], error: f64) -> bool {
    values.iter().all(|v| *v > error) || values.iter().all(|v| *v < -error)
}

/// Whether Descartes' rule leaves exactly one root: the signs at the ends differ, and one inner sign agrees with its
/// nearer end, so that the other inner sign is of no account.
fn has_one_root(b: &[f64; 4]) -> bool {
    let side = |v: f64| i32::from(v > DETERMINANT_ERROR) - i32::from(v < -DETERMINANT_ERROR);
    let s = b.map(side);
    s[0] * s[3] < 0 && (s[1] == s[0] || s[2] == s[3])
}

/// Certificate 2, with the shortest connection in the middle of the stretch as direction.
#[inline]
fn slab_apart(kind: PairKind, stretch: &Relative) -> bool {
    let d = connection(kind, &stretch.at(0.5));
    let margin = SLAB_ERROR * d.abs().element_sum();
    smallest_gap(kind, &stretch.start, d) > margin && smallest_gap(kind, &stretch.end, d) > margin
}

/// The smallest d · (a − b) over the vertices a of the first feature and b of the second.
#[inline]
pub(super) fn smallest_gap(kind: PairKind, x: &[DVec3; 4], d: DVec3) -> f64 {
    let gap = |i: usize, j: usize| d.dot(x[i] - x[j]);
    let to_last_two = |i: usize| gap(i, 2).min(gap(i, 3));
    match kind {
        PairKind::VertexFace => gap(0, 1).min(to_last_two(0)),
        PairKind::EdgeEdge => to_last_two(0).min(to_last_two(1)),
    }
}

/// Second half of certificate 3: the projections along the axis nearest to the normal overlap at all times.
fn overlaps_in_projection(kind: PairKind, stretch: &Relative) -> bool {
    let [p0, p1, p2, p3] = stretch.at(0.5);
    let normal = match kind {
        PairKind::VertexFace => (p2 - p1).cross(p3 - p1),
        PairKind::EdgeEdge => (p1 - p0).cross(p3 - p2),
    };
    let axis = normal.abs().max_position();
    let side = |i, j, k| orientation_side(stretch, axis, [i, j, k]);
    match kind {
        PairKind::VertexFace => {
            let first = side(1, 2, 0);
            first != 0 && side(2, 3, 0) == first && side(3, 1, 0) == first
        }
        PairKind::EdgeEdge => side(0, 1, 2) * side(0, 1, 3) < 0 && side(2, 3, 0) * side(2, 3, 1) < 0,
    }
}

/// Sign, throughout the stretch, of the area of the triangle of three vertices seen along an axis; 0 if unsure.
fn orientation_side(stretch: &Relative, axis: usize, vertices: [usize; 3]) -> i32 {
    let sides = |x: &[DVec3; 4]| (x[vertices[1]] - x[vertices[0]], x[vertices[2]] - x[vertices[0]]);
    let (u0, w0) = sides(&stretch.start);
    let (u1, w1) = sides(&stretch.end);
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let area = |u: DVec3, w: DVec3| u[i] * w[j] - u[j] * w[i];
    let q = [2.0 * area(u0, w0), area(u0, w1) + area(u1, w0), 2.0 * area(u1, w1)];
    if !one_sign(&q, DETERMINANT_ERROR) {
        return 0;
    }
    if q[0] > 0.0 { 1 } else { -1 }
}

/// A narrow bracket that certainly holds the only root of c in [s, t].
fn bracket_root(pair: &Relative, s: f64, t: f64, volume: &[f64; 4]) -> Option<(f64, f64)> {
    let root = s + (t - s) * only_root(volume);
    let volume_at = |time: f64| {
        let [a, _, b, c] = pair.at(time);
        3.0 * a.dot(b.cross(c))
    };
    let before = volume[0].signum();
    // As wide as the volume needs, at its slope, to leave its error behind; a slope is three times a difference of
    // coefficients, which are three times too large themselves.
    let slope = (volume[1] - volume[0]).abs().min((volume[3] - volume[2]).abs()) / (t - s);
    let guess = (4.0 * DETERMINANT_ERROR / slope).clamp(NARROWEST, WIDEST);
    for half_width in [guess, WIDEST] {
        let (low, high) = ((root - half_width).max(s), (root + half_width).min(t));
        // At s and t themselves the signs are known already.
        let low_is_before = low == s || volume_at(low) * before > DETERMINANT_ERROR;
        let high_is_after = high == t || volume_at(high) * before < -DETERMINANT_ERROR;
        if low_is_before && high_is_after {
            return Some((low, high));
        }
    }
    None
}

/// Approximate root in [0, 1] of a cubic in Bernstein form that changes sign once there: Newton's steps, replaced by
/// halving where they leave the bracket.
fn only_root(b: &[f64; 4]) -> f64 {
    let lerp = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let (mut low, mut high) = (0.0, 1.0);
    let mut t = b[0] / (b[0] - b[3]);
    for _ in 0..60 {
        let (e0, e1, e2) = (lerp(b[0], b[1], t), lerp(b[1], b[2], t), lerp(b[2], b[3], t));
        let (f0, f1) = (lerp(e0, e1, t), lerp(e1, e2, t));
        let value = lerp(f0, f1, t);
        if (value < 0.0) == (b[0] < 0.0) {
            low = t;
        } else {
            high = t;
        }
        let step = value / (3.0 * (f1 - f0));
        let newton = t - step;
        if step.abs() <= LAST_STEP {
            return newton.clamp(low, high);
        }
        t = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    t
}
