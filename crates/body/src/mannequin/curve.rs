//! [`Curve`]: a smooth function through given points that does not overshoot.
//!
//! Piecewise cubic Hermite interpolation with the slopes of Fritsch and Butland 1984: zero where the data turn, the
//! weighted harmonic mean of the neighbouring secants elsewhere. Between two points it stays between their values, so a
//! waist is never narrower than the waist that was asked for. Beyond its ends it is constant.

/// A function of one variable through points with ascending abscissae.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    knots: Vec<Knot>,
}

#[derive(Clone, Copy, Debug)]
struct Knot {
    at: f64,
    value: f64,
    slope: f64,
}

/// Points closer than this [m] are one: sections drawn a tenth of a millimetre apart would make a step.
const CLOSEST: f64 = 1e-4;

impl Curve {
    /// The curve through `points`, which are sorted first; of points at the same place the first counts.
    pub(super) fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut points: Vec<_> = points.into_iter().collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|b, a| b.0 - a.0 < CLOSEST);
        let secant: Vec<f64> = points.windows(2).map(|w| (w[1].1 - w[0].1) / (w[1].0 - w[0].0)).collect();
        let slope = |i: usize| {
            let (Some(&before), Some(&after)) = (i.checked_sub(1).and_then(|k| secant.get(k)), secant.get(i)) else {
                return 0.0;
            };
            if before * after <= 0.0 {
                return 0.0;
            }
            let (h0, h1) = (points[i].0 - points[i - 1].0, points[i + 1].0 - points[i].0);
            let share = (h0 + 2.0 * h1) / (3.0 * (h0 + h1));
            before * after / (share * after + (1.0 - share) * before)
        };
        let knots = (0..points.len()).map(|i| Knot { at: points[i].0, value: points[i].1, slope: slope(i) }).collect();
        Self { knots }
    }

    /// Mean value around `x`, with binomial weights over `±2 reach`: as smooth as the eye asks for.
    pub(super) fn soft(&self, x: f64, reach: f64) -> f64 {
        let taps = [(-2.0, 1.0), (-1.0, 4.0), (0.0, 6.0), (1.0, 4.0), (2.0, 1.0)];
        taps.iter().map(|(step, weight)| weight * self.at(x + step * reach)).sum::<f64>() / 16.0
    }

    /// Value at `x`; zero for a curve without points.
    pub(super) fn at(&self, x: f64) -> f64 {
        let after = self.knots.partition_point(|k| k.at <= x);
        let (Some(a), Some(b)) = (after.checked_sub(1).map(|i| self.knots[i]), self.knots.get(after)) else {
            return if after == 0 { self.knots.first() } else { self.knots.last() }.map_or(0.0, |k| k.value);
        };
        let h = b.at - a.at;
        let t = (x - a.at) / h;
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * a.value
            + (t3 - 2.0 * t2 + t) * h * a.slope
            + (3.0 * t2 - 2.0 * t3) * b.value
            + (t3 - t2) * h * b.slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_straight_line_stays_straight_inside() {
        let curve = Curve::new((0..6).map(|i| (f64::from(i), 2.0 * f64::from(i))));
        for k in 10..=40 {
            let x = f64::from(k) / 10.0;
            assert!((curve.at(x) - 2.0 * x).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn it_meets_its_points_and_stays_between_neighbours(values in prop::collection::vec(-1.0..1.0_f64, 2..9)) {
            let curve = Curve::new(values.iter().enumerate().map(|(i, v)| (i as f64, *v)));
            for (i, w) in values.windows(2).enumerate() {
                prop_assert!((curve.at(i as f64) - w[0]).abs() < 1e-12);
                for k in 0..=20 {
                    let v = curve.at(i as f64 + f64::from(k) / 20.0);
                    prop_assert!(v >= w[0].min(w[1]) - 1e-12 && v <= w[0].max(w[1]) + 1e-12);
                }
            }
        }

        #[test]
        fn its_slope_has_no_jumps(values in prop::collection::vec(-1.0..1.0_f64, 3..9)) {
            let curve = Curve::new(values.iter().enumerate().map(|(i, v)| (i as f64, *v)));
            let e = 1e-6;
            for i in 1..values.len() - 1 {
                let x = i as f64;
                let jump = (curve.at(x + e) - 2.0 * curve.at(x) + curve.at(x - e)) / e;
                prop_assert!(jump.abs() < 1e-3, "{jump}");
            }
        }
    }
}
