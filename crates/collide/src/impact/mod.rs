//! Continuous collision detection, narrow phase: when does a pair of features first touch during a step?
//!
//! The four vertices of a pair move on straight lines at constant speed, x(t) = x0 + t (x1 − x0) with t in [0, 1], and
//! [`time_of_impact`] finds the earliest t at which the two closed features (a vertex and a face, or two edges) are at
//! most `min_separation` apart. Two methods:
//!
//! - [`Method::Conservative`] never misses a contact, and the time is never later than the true one. For
//!   `min_separation` = 0 it is exact: a pair is reported if and only if it touches in real arithmetic. Most pairs are
//!   decided in `f64` with rigorous error bounds (`filter`), the rest in integers (`exact`). For a positive
//!   separation, see `separation`.
//! - [`Method::Cubic`] is the method of Kimmerle 2005, section 2.4: roots of the coplanarity cubic, then a test in
//!   space with a tolerance (`cubic`). It is here for comparison; it raises false alarms on near touches.
//!
//! All tolerances are relative to the extent of the pair, the largest coordinate of any vertex relative to another of
//! the pair; nothing depends on units or on the place in space.
//!
//! Non-finite coordinates and a separation that is not a number are never reported as safe: the answer is 0, an impact
//! at once. Callers that want to treat such vertices otherwise filter them out before.
//!
//! Conventions: vertex–face pairs are ordered v, f0, f1, f2, edge–edge pairs a0, a1, b0, b1.

mod cubic;
mod exact;
mod filter;
mod polynomial;
mod relative;
mod separation;

use relative::Relative;
use toile_mesh::DVec3;

/// Which two features the four points of a pair form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// The points are v, f0, f1, f2.
    VertexFace,
    /// The points are a0, a1, b0, b1.
    EdgeEdge,
}

/// How [`time_of_impact`] looks for contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Never misses; exact when the separation is 0.
    #[default]
    Conservative,
    /// Coplanarity cubic with tolerance, Kimmerle 2005, section 2.4.
    Cubic,
}

/// The earliest time in [0, 1] at which the features are at most `min_separation` [m] apart, `None` if there is none.
///
/// `start` and `end` are the positions [m] at t = 0 and t = 1. A negative separation counts as 0.
///
/// With [`Method::Conservative`] the time is a lower bound of the true one: within 1e-9 of it for a separation of 0;
/// otherwise a time before which the features are farther apart than `min_separation` and at which they are at most
/// `min_separation` × (1 + 1e-6) + 1e-13 × extent apart. Should rotating features exhaust the iterations, the answer is
/// an impact at the last time known to be safe.
///
/// ```
/// use toile_collide::impact::{Method, PairKind, time_of_impact};
/// use toile_mesh::DVec3;
///
/// let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let start = [DVec3::new(0.2, 0.2, 1.0), face[0], face[1], face[2]];
/// let end = [DVec3::new(0.2, 0.2, -1.0), face[0], face[1], face[2]];
/// let time = time_of_impact(PairKind::VertexFace, Method::Conservative, &start, &end, 0.0);
/// assert!(time.is_some_and(|t| t <= 0.5 && t > 0.5 - 1e-9));
/// ```
#[inline]
pub fn time_of_impact(
    kind: PairKind,
    method: Method,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    min_separation: f64,
) -> Option<f64> {
    if filter::boxes_apart(kind, start, end, min_separation) {
        return None;
    }
    candidate_time(kind, method, start, end, min_separation)
}

/// Width of [`are_aside`] against rounding.
const ASIDE: f64 = 1e-9;

/// Whether a pair may come within `separation` [m]: true for every pair that does, and for few others.
#[inline]
pub(crate) fn may_come_within(kind: PairKind, start: &[DVec3; 4], end: &[DVec3; 4], separation: f64) -> bool {
    Relative::new(start, end)
        .is_none_or(|(pair, scale)| !separation::stays_apart(kind, &pair, separation.max(0.0) * scale))
}

/// Whether the direction between the middles of two features tells that they stay more than `separation` [m] apart: cheaper than
/// [`may_come_within`], and true less often.
#[inline]
pub(crate) fn are_aside(kind: PairKind, start: &[DVec3; 4], end: &[DVec3; 4], separation: f64) -> bool {
    let middles = |x: &[DVec3; 4]| match kind {
        PairKind::VertexFace => x[0] - (x[1] + x[2] + x[3]) / 3.0,
        PairKind::EdgeEdge => 0.5 * (x[0] + x[1] - x[2] - x[3]),
    };
    let direction = middles(start) + middles(end);
    let least = (separation * (1.0 + ASIDE) + ASIDE * direction.length()) * direction.length();
    filter::smallest_gap(kind, start, direction) > least && filter::smallest_gap(kind, end, direction) > least
}

/// [`time_of_impact`] of a pair whose boxes are known to overlap.
#[inline]
pub(crate) fn candidate_time(
    kind: PairKind,
    method: Method,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    min_separation: f64,
) -> Option<f64> {
    let Some((pair, scale)) = Relative::new(start, end) else {
        return Some(0.0);
    };
    let separation = min_separation.max(0.0) * scale;
    if min_separation.is_nan() || separation.is_infinite() {
        return Some(0.0);
    }
    match method {
        Method::Cubic => cubic::first_contact(kind, &pair, separation),
        Method::Conservative if min_separation > 0.0 => separation::first_contact(kind, &pair, separation),
        Method::Conservative => match filter::decide(kind, &pair) {
            filter::Verdict::Apart => None,
            filter::Verdict::Contact(time) => Some(time),
            filter::Verdict::Unsure => exact::first_contact(kind, start, end),
        },
    }
}

#[cfg(test)]
mod tests;
