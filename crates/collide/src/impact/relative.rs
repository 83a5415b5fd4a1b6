//! A pair seen from its second vertex, scaled to size one.
//!
//! Each coordinate difference carries one rounding error, relative to the difference itself, so the place in space
//! costs no accuracy. Scaling by a power of two is exact and keeps products away from overflow and underflow; with it
//! the error bounds of the other files are constants.

use toile_mesh::DVec3;

/// Unit roundoff u of `f64`.
pub(super) const ROUND: f64 = f64::EPSILON / 2.0;

/// Positions of the four vertices minus the second one's, at the two ends of a stretch of time; no coordinate is
/// larger than 1. The second entry is zero.
///
/// Error: entries of [`Relative::new`] are within u of the true values, those of [`Relative::at`] and
/// [`Relative::between`] within 5 u: u from the differences, and at most 4 u from 1 − t, two products and their sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    pub(super) start: [DVec3; 4],
    pub(super) end: [DVec3; 4],
}

impl Relative {
    /// The scaled pair and its scale; `None` if a coordinate is not finite or if all vertices always coincide, so that
    /// there is nothing to scale: in both cases the impact is at once.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "every candidate pair comes here; copying the result would cost more")]
    pub(super) fn new(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<(Self, f64)> {
        let (a0, b0, c0) = (start[0] - start[1], start[2] - start[1], start[3] - start[1]);
        let (a1, b1, c1) = (end[0] - end[1], end[2] - end[1], end[3] - end[1]);
        let (mut sum, mut most) = (DVec3::ZERO, DVec3::ZERO);
        for x in [a0, b0, c0, a1, b1, c1] {
            let x = x.abs();
            sum += x;
            let larger = |x: f64, most: f64| if x > most { x } else { most };
            most = DVec3::new(larger(x.x, most.x), larger(x.y, most.y), larger(x.z, most.z));
        }
        let extent = most.max_element();
        // The sum is finite only if everything is; the bounds keep the inverse of the extent finite, too.
        if (sum.x + sum.y + sum.z).is_finite() && extent > 1.0e-290 && extent < 1.0e290 {
            let s = inverse_power_of_two(extent);
            let start = [a0 * s, DVec3::ZERO, b0 * s, c0 * s];
            return Some((Self { start, end: [a1 * s, DVec3::ZERO, b1 * s, c1 * s] }, s));
        }
        Self::new_extreme(start, end)
    }

    /// The same for pairs of any extent.
    #[cold]
    fn new_extreme(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<(Self, f64)> {
        let mut pair = Self { start: start.map(|x| x - start[1]), end: end.map(|x| x - end[1]) };
        let mut extent = pair.extent();
        let mut scale = 1.0;
        if !extent.is_finite() {
            if !start.iter().chain(end).all(|x| x.is_finite()) {
                return None;
            }
            // A difference overflowed: halve the coordinates. What this loses of tiny ones is far below u × extent.
            scale = 0.5;
            pair = Self {
                start: start.map(|x| x * scale - start[1] * scale),
                end: end.map(|x| x * scale - end[1] * scale),
            };
            extent = pair.extent();
        }
        if extent == 0.0 {
            return None;
        }
        // More than one turn only if the extent is so small that its inverse overflows.
        while !(0.5..=1.0).contains(&extent) {
            let factor = inverse_power_of_two(extent);
            for x in pair.start.iter_mut().chain(&mut pair.end) {
                *x *= factor;
            }
            extent *= factor;
            scale *= factor;
        }
        Some((pair, scale))
    }

    /// Largest coordinate; NaN and infinity win.
    #[inline]
    fn extent(&self) -> f64 {
        let larger = |m: f64, x: &DVec3| {
            let a = x.abs();
            if a.is_finite() { m.max(a.x).max(a.y).max(a.z) } else { f64::INFINITY }
        };
        self.start.iter().chain(&self.end).fold(0.0, larger)
    }

    /// The vertices at time `t`.
    #[inline]
    pub(super) fn at(&self, t: f64) -> [DVec3; 4] {
        let s = 1.0 - t;
        let [a0, b0, c0, d0] = self.start;
        let [a1, b1, c1, d1] = self.end;
        [a0 * s + a1 * t, b0 * s + b1 * t, c0 * s + c1 * t, d0 * s + d1 * t]
    }

    /// The part of the motion from time `s` to time `t`.
    #[inline]
    pub(super) fn between(&self, s: f64, t: f64) -> Self {
        Self { start: self.at(s), end: self.at(t) }
    }
}

/// The power of two that takes a positive finite number into [1/2, 1), or towards it as far as the exponent reaches.
#[inline]
fn inverse_power_of_two(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52).cast_signed() - 1022;
    f64::from_bits(((1023 - exponent).clamp(1, 2046) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_finite_extent_is_scaled_to_between_a_half_and_one() {
        for size in [f64::MIN_POSITIVE * f64::EPSILON, 1e-310, 1e-200, 0.3, 0.5, 1.0, 7.0, 1e200, f64::MAX] {
            let start = [DVec3::ZERO, DVec3::X * size, DVec3::Y * size, -DVec3::X * size];
            let (pair, scale) = Relative::new(&start, &start).expect("finite and extended");
            assert!((0.5..=1.0).contains(&pair.extent()), "{size} {scale}");
            assert_eq!(pair.start[1], DVec3::ZERO);
        }
    }

    #[test]
    fn nothing_to_scale_is_refused() {
        let x = [DVec3::ONE; 4];
        assert!(Relative::new(&x, &x).is_none());
        assert!(Relative::new(&[DVec3::ZERO, DVec3::X, DVec3::NAN, DVec3::Y], &x).is_none());
        assert!(Relative::new(&x, &[DVec3::ZERO, DVec3::INFINITY, DVec3::ONE, DVec3::Y]).is_none());
    }
}
