//! [`Clip`]: postures at equal times, as motion capture gives them.

use std::ops::Range;

use toile_mesh::DVec3;

use crate::posture::Posture;

/// Postures at equal times; between them joints turn along the shortest arcs (slerp).
#[derive(Clone, PartialEq, Debug)]
pub struct Clip {
    rate: f64,
    postures: Vec<Posture>,
}

impl Clip {
    /// Postures at a rate [1/s], the first at time 0; nothing if there are none, or if the rate is not positive.
    pub fn new(rate: f64, postures: Vec<Posture>) -> Option<Self> {
        (rate > 0.0 && rate.is_finite() && !postures.is_empty()).then_some(Self { rate, postures })
    }

    /// Its postures.
    pub fn postures(&self) -> &[Posture] {
        &self.postures
    }

    /// Postures per second [1/s].
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Time of the last posture [s].
    pub fn duration(&self) -> f64 {
        (self.postures.len() - 1) as f64 / self.rate
    }

    /// The posture at a time [s]; before the first and after the last it stands still.
    pub fn posture(&self, t: f64) -> Posture {
        let last = self.postures.len() - 1;
        let place = (t * self.rate).clamp(0.0, last as f64);
        let k = (place as usize).min(last);
        let share = place - k as f64;
        if share == 0.0 { self.postures[k] } else { self.postures[k].toward(&self.postures[k + 1], share) }
    }

    /// The part between two times [s], at least one posture; it starts above the origin. Motion capture often begins with a
    /// calibration pose that should be left out.
    #[must_use]
    pub fn part(&self, times: Range<f64>) -> Self {
        let last = self.postures.len() - 1;
        let index = |t: f64| (t * self.rate).clamp(0.0, last as f64);
        let first = (index(times.start) - 1e-9).ceil().max(0.0) as usize;
        let end = ((index(times.end) + 1e-9).floor() as usize).max(first);
        let mut postures = self.postures[first..=end].to_vec();
        let start = postures[0].shift * DVec3::new(1.0, 0.0, 1.0);
        for posture in &mut postures {
            posture.shift -= start;
        }
        Self { rate: self.rate, postures }
    }

    /// The same motion at another rate [1/s].
    #[must_use]
    pub fn resampled(&self, rate: f64) -> Option<Self> {
        let count = (self.duration() * rate + 1e-9).floor();
        // Beyond ten million postures the rate is a slip of the pen.
        (rate > 0.0 && count < 1e7)
            .then(|| (0..=count as usize).map(|k| self.posture(k as f64 / rate)).collect())
            .and_then(|postures| Self::new(rate, postures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::Joint;
    use toile_mesh::DQuat;

    fn clip() -> Clip {
        let postures = (0..5).map(|k| {
            let mut posture = Posture { shift: DVec3::Z * f64::from(k), ..Posture::REST };
            posture.set(Joint::LeftKnee, DQuat::from_rotation_x(0.3 * f64::from(k)));
            posture
        });
        Clip::new(10.0, postures.collect()).unwrap()
    }

    #[test]
    fn angles_grow_evenly_between_samples() {
        let clip = clip();
        assert_eq!(clip.duration(), 0.4);
        for k in -5..50 {
            let t = 0.01 * f64::from(k);
            let expected = 10.0 * t.clamp(0.0, 0.4);
            let posture = clip.posture(t);
            assert!((posture.shift.z - expected).abs() < 1e-12);
            assert!(posture.turn(Joint::LeftKnee).angle_between(DQuat::from_rotation_x(0.3 * expected)) < 1e-6);
        }
    }

    #[test]
    fn resampling_keeps_the_motion() {
        let (clip, fine) = (clip(), clip().resampled(40.0).unwrap());
        assert_eq!(fine.postures().len(), 17);
        for k in 0..40 {
            let t = 0.01 * f64::from(k);
            assert!((clip.posture(t).shift - fine.posture(t).shift).length() < 1e-12);
        }
    }

    #[test]
    fn a_part_starts_above_the_origin() {
        let part = clip().part(0.1..0.3);
        assert_eq!((part.postures().len(), part.postures()[0].shift), (3, DVec3::ZERO));
        assert!((part.duration() - 0.2).abs() < 1e-12);
        for k in 0..20 {
            let t = 0.01 * f64::from(k);
            let (way, turn) = (clip().posture(t + 0.1).shift - DVec3::Z, clip().posture(t + 0.1).turn(Joint::LeftKnee));
            assert!((part.posture(t).shift - way).length() < 1e-12);
            assert!(part.posture(t).turn(Joint::LeftKnee).angle_between(turn) < 1e-6);
        }
        assert_eq!(clip().part(7.0..f64::NAN).postures().len(), 1);
    }

    #[test]
    fn nothing_is_no_clip() {
        assert_eq!(Clip::new(30.0, Vec::new()), None);
        assert_eq!(Clip::new(f64::NAN, vec![Posture::REST]), None);
        assert_eq!(clip().resampled(-1.0), None);
    }
}
