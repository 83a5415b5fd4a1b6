//! Feet on the floor: how high an ankle is when its foot is tipped, and how far it rolls.
//!
//! A foot is rigid. With its points `p_i` from the ankle and its rotation `R`, the ankle of a foot that stands on the
//! floor is `max_i (−R p_i)_y` high. That has a kink wherever another point comes down, so it is smoothed from above:
//! `h = s ln Σ exp(−(R p_i)_y / s)`, which floats a millimetre or two and never sinks. For a pitch `θ` this is the
//! support function of a convex body, and a convex body that rolls without slipping turns about its point of contact,
//! `h` below the ankle: `dX = h dθ`.

use toile_mesh::{DQuat, DVec3};

use crate::body::Body;
use crate::skeleton::{Joint, Rigid};

/// Smoothing length `s` [m].
const SMOOTHING: f64 = 5e-4;

/// Directions in which the outermost points of a foot are looked for, around and down.
const DIRECTIONS: [u32; 2] = [16, 5];

/// Intervals of Simpson's rule; the pitch of a foot stays below a right angle.
const INTERVALS: u32 = 24;

/// The outermost points of a foot, below and around.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sole {
    /// Its ankle.
    pub(crate) joint: Joint,
    /// The ankle at rest [m].
    pub(crate) ankle: DVec3,
    /// Points from the ankle [m].
    points: Vec<DVec3>,
}

impl Sole {
    /// The foot that an ankle carries; a body without vertices on it stands on its ankle.
    pub(crate) fn new(body: &Body, joint: Joint) -> Self {
        let ankle = body.skeleton.position(joint);
        let foot: Vec<DVec3> = (body.bones.iter().zip(&body.mesh.positions))
            .filter(|(bone, _)| **bone == joint)
            .map(|(_, p)| *p - ankle)
            .collect();
        let mut points: Vec<DVec3> = Vec::new();
        let [around, down] = DIRECTIONS;
        for (i, j) in (0..around).flat_map(|i| (0..down).map(move |j| (i, j))) {
            let (azimuth, tilt) = (
                f64::from(i) * std::f64::consts::TAU / f64::from(around),
                f64::from(j) * std::f64::consts::FRAC_PI_2 / f64::from(down - 1),
            );
            let to = DVec3::new(azimuth.sin() * tilt.cos(), -tilt.sin(), azimuth.cos() * tilt.cos());
            let farthest = foot.iter().copied().max_by(|a, b| a.dot(to).total_cmp(&b.dot(to)));
            if let Some(p) = farthest.filter(|p| !points.contains(p)) {
                points.push(p);
            }
        }
        if points.is_empty() {
            points.push(DVec3::ZERO);
        }
        Self { joint, ankle, points }
    }

    /// Height of the ankle above the floor when the foot is turned and touches it [m].
    pub(crate) fn height(&self, turn: DQuat) -> f64 {
        self.smoothed(turn, SMOOTHING)
    }

    /// The deepest point of the foot when it is turned, from the ankle [m].
    pub(crate) fn deepest(&self, turn: DQuat) -> DVec3 {
        let deepest = self.points.iter().copied().min_by(|a, b| (turn * *a).y.total_cmp(&(turn * *b).y));
        deepest.unwrap_or(DVec3::ZERO)
    }

    /// As [`Sole::height`] with room for a foot that swings: smoothed over a length that is `room` more [m].
    pub(crate) fn height_above(&self, turn: DQuat, room: f64) -> f64 {
        self.smoothed(turn, SMOOTHING + room)
    }

    fn smoothed(&self, turn: DQuat, length: f64) -> f64 {
        let depth = |p: &DVec3| -(turn * *p).y;
        let deepest = self.points.iter().map(depth).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.points.iter().map(|p| ((depth(p) - deepest) / length).exp()).sum();
        deepest + length * sum.ln()
    }

    /// How far a foot that is moved like this reaches below the floor, smoothly [m]; negative above it.
    pub(crate) fn depth(&self, motion: &Rigid) -> f64 {
        self.height(motion.rotation) - motion.apply(self.ankle).y
    }

    /// Way of the ankle forward while the pitch grows from 0 to `pitch` [m]; the heel rises with a positive pitch.
    pub(crate) fn rolled(&self, pitch: f64) -> f64 {
        let h = pitch / f64::from(INTERVALS);
        let at = |k: u32| self.height(DQuat::from_rotation_x(h * f64::from(k)));
        let inner = (1..INTERVALS).map(|k| at(k) * if k % 2 == 1 { 4.0 } else { 2.0 }).sum::<f64>();
        h / 3.0 * (at(0) + inner + at(INTERVALS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot of two points: heel and toe.
    fn stilt() -> Sole {
        let points = vec![DVec3::new(0.0, -0.05, -0.06), DVec3::new(0.0, -0.05, 0.18)];
        Sole { joint: Joint::LeftAnkle, ankle: DVec3::new(0.0, 0.05, 0.0), points }
    }

    #[test]
    fn a_foot_turns_about_its_toe() {
        let (sole, pitch) = (stilt(), 0.6_f64);
        // The ankle, 0.05 above and 0.18 behind the toe, turned about it.
        let (sin, cos) = pitch.sin_cos();
        let (up, forward) = (0.05 * cos + 0.18 * sin, 0.05 * sin - 0.18 * cos + 0.18);
        assert!((sole.height(DQuat::from_rotation_x(pitch)) - up).abs() < 1e-9);
        assert!((sole.rolled(pitch) - forward).abs() < 1e-3, "{} {forward}", sole.rolled(pitch));
    }

    #[test]
    fn it_never_sinks_and_hardly_floats() {
        let sole = stilt();
        for k in -8..=8 {
            let turn = DQuat::from_rotation_x(0.1 * f64::from(k));
            let height = sole.height(turn);
            let motion = Rigid { rotation: turn, translation: DVec3::Y * height - turn * sole.ankle };
            let lowest = sole.points.iter().map(|p| motion.apply(sole.ankle + *p).y).fold(f64::INFINITY, f64::min);
            assert!((-1e-12..=SMOOTHING * 2.0_f64.ln() + 1e-12).contains(&lowest), "{lowest}");
            assert!(sole.depth(&motion).abs() < 1e-12);
        }
    }
}
