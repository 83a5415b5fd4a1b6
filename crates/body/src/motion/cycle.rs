//! [`Cycle`]: a number that repeats, through given values, once differentiable and without overshoot.
//!
//! Cubic pieces with the slopes of Fritsch and Butland 1984 ("A method for constructing local monotone piecewise cubic
//! interpolants"): the weighted harmonic mean of the slopes of both sides, zero where they differ in sign. A plateau of
//! two equal values stays one.

/// A function of period 1.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Cycle {
    /// Place in the period, value and slope of each knot.
    knots: Vec<[f64; 3]>,
}

impl Cycle {
    /// Through values at ascending places in `[0, 1)`, of which there is at least one.
    pub(super) fn new(values: &[(f64, f64)]) -> Self {
        let n = values.len();
        let at = |i: usize| {
            let (x, y) = values[i % n];
            (x + (i / n) as f64, y)
        };
        let piece = |i: usize| {
            let ((x0, y0), (x1, y1)) = (at(i), at(i + 1));
            (x1 - x0, (y1 - y0) / (x1 - x0))
        };
        let knot = |i: usize| {
            let ((h0, s0), (h1, s1)) = (piece(i + n - 1), piece(i + n));
            let (w0, w1) = (h0 + 2.0 * h1, 2.0 * h0 + h1);
            let slope = if s0 * s1 > 0.0 { (w0 + w1) / (w0 / s1 + w1 / s0) } else { 0.0 };
            [values[i].0, values[i].1, slope]
        };
        Self { knots: (0..n).map(knot).collect() }
    }

    /// Its value.
    pub(super) fn at(&self, x: f64) -> f64 {
        let x = x.rem_euclid(1.0);
        let next = self.knots.partition_point(|k| k[0] <= x);
        let n = self.knots.len();
        let [mut x0, y0, m0] = self.knots[(next + n - 1) % n];
        let [mut x1, y1, m1] = self.knots[next % n];
        x0 -= f64::from(u8::from(next == 0));
        x1 += f64::from(u8::from(next == n));
        hermite([y0, y1], [m0, m1], x1 - x0, (x - x0) / (x1 - x0))
    }
}

/// Cubic between two values over a length, with slopes at its ends, at a share of the way.
pub(super) fn hermite([y0, y1]: [f64; 2], [m0, m1]: [f64; 2], length: f64, u: f64) -> f64 {
    let v = 1.0 - u;
    v * v * ((1.0 + 2.0 * u) * y0 + u * length * m0) + u * u * ((1.0 + 2.0 * v) * y1 - v * length * m1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_meets_its_values_repeats_and_does_not_overshoot() {
        let values = [(0.0, -0.3), (0.1, 0.0), (0.35, 0.0), (0.6, 0.7), (0.8, 0.1)];
        let cycle = Cycle::new(&values);
        for (x, y) in values {
            assert!((cycle.at(x) - y).abs() < 1e-12 && (cycle.at(x - 3.0) - y).abs() < 1e-12);
        }
        for k in 0..=100 {
            let x = 0.01 * f64::from(k);
            assert!((-0.3 - 1e-12..=0.7 + 1e-12).contains(&cycle.at(x)));
            assert!(!(0.1..=0.35).contains(&x) || cycle.at(x).abs() < 1e-12);
        }
    }

    #[test]
    fn it_has_one_slope_everywhere() {
        let cycle = Cycle::new(&[(0.0, 1.0), (0.3, 2.0), (0.5, 2.5), (0.9, 0.0)]);
        for k in 0..1000 {
            let (x, h) = (1e-3 * f64::from(k), 1e-6);
            let [before, after] = [x - h, x].map(|x| (cycle.at(x + h) - cycle.at(x)) / h);
            assert!((before - after).abs() < 1e-2, "{x}: {before} {after}");
        }
    }
}
