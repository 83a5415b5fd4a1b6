//! One axis: from values to places on the paper, and its ticks.

use crate::number::{short, ticks};
use crate::plot::Scale;

/// A range of values mapped to a range of the paper [px].
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    scale: Scale,
    /// Values at the two ends, as logarithms on a log scale.
    range: [f64; 2],
    paper: [f64; 2],
}

impl Axis {
    /// An axis for the given values; ones the scale cannot show are ignored. A linear axis with `from_zero` includes 0.
    pub(super) fn new(values: impl Iterator<Item = f64>, scale: Scale, from_zero: bool, paper: [f64; 2]) -> Self {
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values.filter_map(|v| shown(v, scale)) {
            (lo, hi) = (lo.min(v), hi.max(v));
        }
        if from_zero && scale == Scale::Linear {
            (lo, hi) = (lo.min(0.0), hi.max(0.0));
        }
        if lo > hi {
            (lo, hi) = (0.0, 1.0);
        }
        if hi - lo <= 1e-12 * hi.abs().max(lo.abs()) || hi - lo == 0.0 {
            let pad = if scale == Scale::Log { 0.5 } else { 0.5 * hi.abs().max(1.0) };
            (lo, hi) = (lo - pad, hi + pad);
        }
        if !(hi - lo).is_finite() {
            (lo, hi) = (lo.max(-1e300), hi.min(1e300));
        }
        Self { scale, range: [lo, hi], paper }
    }

    /// The same axis with a little air at both ends, except at zero.
    pub(super) fn with_air(mut self) -> Self {
        let air = 0.04 * (self.range[1] - self.range[0]);
        if self.range[0] != 0.0 {
            self.range[0] -= air;
        }
        if self.range[1] != 0.0 {
            self.range[1] += air;
        }
        self
    }

    /// Place of a value on the paper [px]; `None` if the scale cannot show it.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let v = shown(value, self.scale)?;
        let t = (v - self.range[0]) / (self.range[1] - self.range[0]);
        Some(self.paper[0] + t.clamp(-0.01, 1.01) * (self.paper[1] - self.paper[0]))
    }

    /// Tick values with their texts.
    pub(super) fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        let [lo, hi] = self.range;
        let linear = || ticks(lo, hi, count).into_iter().map(|v| (v, short(v, 6))).collect();
        if self.scale == Scale::Linear {
            return linear();
        }
        // Whole decades, thinned when there are many; within one decade the ends.
        let (first, last) = (lo.ceil() as i32, hi.floor() as i32);
        let step = ((last - first) as usize / count.max(1) + 1).max(1);
        let mut out: Vec<(f64, String)> = (first..=last).step_by(step).map(|e| decade(f64::from(e))).collect();
        if out.len() < 2 {
            out = [lo, hi].map(|v| (10.0_f64.powf(v), short(10.0_f64.powf(v), 2))).into();
        }
        out
    }
}

fn decade(exponent: f64) -> (f64, String) {
    let value = 10.0_f64.powf(exponent);
    (value, short(value, 1))
}

/// The value as its scale counts it; `None` if it cannot be shown.
fn shown(value: f64, scale: Scale) -> Option<f64> {
    let v = if scale == Scale::Log { value.log10() } else { value };
    v.is_finite().then_some(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_and_log_places() {
        let linear = Axis::new([2.0, 4.0].into_iter(), Scale::Linear, false, [100.0, 0.0]);
        assert_eq!(linear.place(3.0), Some(50.0));
        let log = Axis::new([1.0, 10_000.0, -3.0, 0.0].into_iter(), Scale::Log, false, [0.0, 100.0]);
        assert!((log.place(100.0).unwrap() - 50.0).abs() < 1e-9);
        assert_eq!(log.place(0.0), None);
        let texts: Vec<String> = log.ticks(6).into_iter().map(|t| t.1).collect();
        assert_eq!(texts, ["1", "10", "100", "1000", "10000"]);
    }

    #[test]
    fn empty_constant_and_wild_ranges_are_usable() {
        for values in [vec![], vec![7.0], vec![f64::NAN], vec![f64::MAX, f64::MIN], vec![0.0, 0.0]] {
            for scale in [Scale::Linear, Scale::Log] {
                let axis = Axis::new(values.iter().copied(), scale, true, [0.0, 100.0]).with_air();
                assert!(axis.ticks(5).len() < 20);
                assert!(axis.place(7.0).is_none_or(f64::is_finite));
            }
        }
    }
}
