//! [`Tension`]: load of a pulled strip as a function of its strain, for any linearity that laboratories report.
//!
//! ```text
//! s(ε) = E (a ε + (1 − a) ε^n/ε_r^(n−1))        E = s_r/ε_r, the secant at the reference load
//! LT   = a + 2 (1 − a)/(n + 1)                  work to ε_r relative to that of a straight line
//! ```
//!
//! - `LT ≥ 0.51`: `n = 3`, `a = 2 LT − 1`. Above 1 the curve softens; its slope at `ε_r` is `E (5 − 4 LT)`, positive up to 1.25.
//! - `LT < 0.51`: `a` stays at [`LEAST_START`], so that unloaded cloth resists, and `n = 2 (1 − a)/(LT − a) − 1` grows.
//!
//! Beyond `ε_r`, where nothing was measured, curves that are not the cube of a stiffening cloth go on with their slope there.

use super::REFERENCE_LOAD;

/// Smallest stiffness at rest relative to the secant: below what the initial slopes of KES-F curves are, and enough for cloth to
/// keep its shape. Smaller makes loose cloth softer and the exponent smaller.
const LEAST_START: f64 = 0.02;

/// Load of a pulled strip as a function of its strain.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tension {
    /// Stiffness at small strains, `a E` [N/m].
    pub start: f64,
    /// What multiplies `ε^n`, `(1 − a) E/ε_r^(n−1)` [N/m].
    factor: f64,
    /// Exponent `n`.
    exponent: f64,
    /// Strain beyond which the curve is straight.
    end: f64,
}

impl Tension {
    /// The curve with this secant stiffness at the reference load [N/m] and this linearity.
    ///
    /// ```
    /// use toile_cloth::fabric::{REFERENCE_LOAD, Tension};
    /// let wool = Tension::new(5000.0, 0.4);
    /// let [_, load, _] = wool.at(REFERENCE_LOAD / 5000.0);
    /// assert!((load - REFERENCE_LOAD).abs() < 1e-9 && (wool.start - 100.0).abs() < 1e-9);
    /// ```
    pub fn new(secant: f64, linearity: f64) -> Self {
        let strain = REFERENCE_LOAD / secant;
        let start = (2.0 * linearity - 1.0).max(LEAST_START);
        if start > LEAST_START {
            let factor = 2.0 * (1.0 - linearity) * REFERENCE_LOAD / strain.powi(3);
            let end = if linearity > 1.0 { strain } else { f64::INFINITY };
            return Self { start: (2.0 * linearity - 1.0) * secant, factor, exponent: 3.0, end };
        }
        let exponent = 2.0 * (1.0 - start) / (linearity - start) - 1.0;
        let factor = (1.0 - start) * secant / strain.powf(exponent - 1.0);
        Self { start: start * secant, factor, exponent, end: strain }
    }

    /// Work [J/m²], load [N/m] and stiffness [N/m] at the strain `e ≥ 0`.
    pub fn at(&self, e: f64) -> [f64; 3] {
        let [work, load, stiffness] = self.beyond_the_line(e);
        [0.5 * self.start * e * e + work, self.start * e + load, self.start + stiffness]
    }

    /// Strain at a load of at least zero [N/m].
    pub(crate) fn strain(&self, load: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        while self.at(high)[1] < load {
            high *= 2.0;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.at(middle)[1] < load { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// [`Tension::at`] without the straight line `a E ε`; nothing for compressed threads.
    #[inline]
    pub(crate) fn beyond_the_line(&self, e: f64) -> [f64; 3] {
        let (p, q, n) = (e.max(0.0), self.factor, self.exponent);
        if n == 3.0 && p <= self.end {
            return [0.25 * (q * p.powi(4)), q * p.powi(3), 3.0 * q * p * p];
        }
        // Up to the end of what was measured, and straight on from there.
        let (m, more) = (p.min(self.end), (p - self.end).max(0.0));
        let stiffness = n * q * m.powf(n - 1.0);
        let load = q * m.powf(n);
        [load * m / (n + 1.0) + more * (load + 0.5 * stiffness * more), load + stiffness * more, stiffness]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_and_secant_are_those_that_were_measured() {
        for linearity in [0.25, 0.3, 0.45, 0.505, 0.515, 0.7, 1.0, 1.1, 1.2] {
            let curve = Tension::new(4000.0, linearity);
            let strain = REFERENCE_LOAD / 4000.0;
            let [work, load, _] = curve.at(strain);
            assert!((load / REFERENCE_LOAD - 1.0).abs() < 1e-12, "{linearity}: {load}");
            assert!((work / (0.5 * REFERENCE_LOAD * strain) - linearity).abs() < 1e-12, "{linearity}: {work}");
        }
    }

    #[test]
    fn loads_are_slopes_of_the_work_and_grow_beyond_what_was_measured() {
        for linearity in [0.3, 0.5, 0.8, 1.2] {
            let curve = Tension::new(4000.0, linearity);
            let mut before = 0.0;
            for k in 1..60 {
                let (e, d) = (0.005 * f64::from(k), 1e-6);
                let slope = |i: usize| (curve.at(e + d)[i] - curve.at(e - d)[i]) / (2.0 * d);
                let [_, load, stiffness] = curve.at(e);
                assert!((slope(0) / load - 1.0).abs() < 1e-5, "{linearity} at {e}: {} {load}", slope(0));
                assert!((slope(1) / stiffness - 1.0).abs() < 1e-3, "{linearity} at {e}");
                assert!(load > before && stiffness > 0.0);
                before = load;
            }
        }
    }

    #[test]
    fn curves_change_little_where_the_rule_changes() {
        let [a, b] = [0.509_999, 0.510_001].map(|linearity| Tension::new(4000.0, linearity));
        for k in 1..30 {
            let e = 0.004 * f64::from(k);
            assert!((a.at(e)[1] / b.at(e)[1] - 1.0).abs() < 1e-4, "{e}");
        }
    }
}
