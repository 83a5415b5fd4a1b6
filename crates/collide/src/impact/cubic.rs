//! First contact by the coplanarity cubic: Kimmerle 2005, section 2.4, with equations (2.1) to (2.3).
//!
//! The times at which the four vertices are coplanar are the roots of c(t) = det(r0, r2, r3), the thesis's (2.1). At
//! each root in [0, 1], from early to late, the features are tested in space: a vertex and a face by the vertex's
//! distance from the plane and its barycentric coordinates, two edges by the distance of their nearest points. The
//! tolerance of these tests is [`TOLERANCE`] times the extent of the pair, plus the separation.
//!
//! Where this leaves the thesis: its test of the distance from the plane takes an edge where it needs the connection to
//! the vertex (the printed x1x2 · n must be x1x4 · n); both tests are replaced by the distance of the features, which
//! holds for collapsed faces and parallel edges too. Rounding may lift a double root off the axis or push a root out of
//! [0, 1], so extrema and ends at which |c| is below the tolerance count as roots. If c vanishes throughout, all
//! vertices stay in one plane, the roots say nothing, and the time comes from conservative advancement.
//!
//! A positive separation only widens the test at coplanar times, as the thesis has it; it does not look for the earlier
//! time at which the features come that close. Contacts within rounding errors may be missed, near ones reported.

use super::PairKind;
use super::relative::Relative;
use super::separation::{careful_connection, first_contact as advance};

/// Tolerance relative to the extent of the pair.
const TOLERANCE: f64 = 1.0e-9;
/// Volumes below this, in units of extent³, count as coplanar: rounding errors are some hundred times smaller.
const FLAT: f64 = 1.0e-12;

/// The first coplanar time at which the features of a scaled pair touch.
pub(super) fn first_contact(kind: PairKind, pair: &Relative, separation: f64) -> Option<f64> {
    let reach = separation + TOLERANCE;
    let c = volume_polynomial(pair);
    if c.iter().all(|a| a.abs() <= FLAT) {
        return advance(kind, pair, reach);
    }
    coplanar_times(&c).into_iter().flatten().find(|t| careful_connection(kind, &pair.at(*t)).length() <= reach)
}

/// Coefficients of c, constant one first.
fn volume_polynomial(pair: &Relative) -> [f64; 4] {
    let [a0, _, b0, c0] = pair.start;
    let [a, _, b, c] = std::array::from_fn(|i| pair.end[i] - pair.start[i]);
    let (n0, n1, n2) = (b0.cross(c0), b0.cross(c) + b.cross(c0), b.cross(c));
    [a0.dot(n0), a0.dot(n1) + a.dot(n0), a0.dot(n2) + a.dot(n1), a.dot(n2)]
}

/// Times in [0, 1] at which c is zero or nearly so: ends, extrema, and sign changes between them, in order.
fn coplanar_times(c: &[f64; 4]) -> [Option<f64>; 7] {
    let value = |t: f64| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
    let [low, high] = extrema(c);
    let stations = [0.0, low, high, 1.0];
    let mut times = [None; 7];
    for (i, &s) in stations.iter().enumerate() {
        times[2 * i] = (value(s).abs() <= FLAT).then_some(s);
        if let Some(&t) = stations.get(i + 1)
            && value(s) * value(t) < 0.0
        {
            times[2 * i + 1] = Some(root_between(value, s, t));
        }
    }
    times
}

/// Extrema of c clamped to [0, 1], the smaller first; 0 in place of one that does not exist.
fn extrema(c: &[f64; 4]) -> [f64; 2] {
    let (a, b, d) = (3.0 * c[3], c[2], c[1]);
    let discriminant = b * b - a * d;
    if discriminant < 0.0 {
        return [0.0; 2];
    }
    // The larger of the two sums keeps its digits; the other root follows from the product of both.
    let q = -(b + discriminant.sqrt().copysign(b));
    let root = |num: f64, den: f64| if den == 0.0 { 0.0 } else { (num / den).clamp(0.0, 1.0) };
    let (x, y) = (root(q, a), root(d, q));
    [x.min(y), x.max(y)]
}

/// Halving: c is monotone between s and t and changes sign.
fn root_between(value: impl Fn(f64) -> f64, mut s: f64, mut t: f64) -> f64 {
    let rising = value(s) < 0.0;
    for _ in 0..60 {
        let middle = 0.5 * (s + t);
        if (value(middle) < 0.0) == rising { s = middle } else { t = middle }
    }
    s
}
