//! How obstacles move: steadily, or through keyframes.
//!
//! Steady motion, with `τ = clamp(t, from, until) − from`: the position is `start.position + velocity τ`, the
//! orientation is `start.rotation` turned by `spin_rate τ` about `spin_axis` (world axis through the local origin).
//! Keyframes: positions are interpolated linearly, rotations along the shorter great arc; before the first and after
//! the last keyframe the obstacle rests.
//!
//! Poses are functions of time alone, so a step of any length may be asked for in any order.

use toile_mesh::{DQuat, DVec3};

use super::Pose;

/// Constant velocity and spin during an interval of time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RigidMotion {
    /// Pose before the motion begins.
    pub start: Pose,
    /// Velocity of the local origin [m/s].
    pub velocity: DVec3,
    /// Direction of the spin axis in the world, of any positive length; zero means no spin.
    pub spin_axis: DVec3,
    /// Angular speed, counter-clockwise about the axis [rad/s].
    pub spin_rate: f64,
    /// When the motion begins [s].
    pub from: f64,
    /// When it ends [s]; may be infinite.
    pub until: f64,
}

impl RigidMotion {
    /// Resting at `pose` for ever.
    pub const fn at_rest(pose: Pose) -> Self {
        Self {
            start: pose,
            velocity: DVec3::ZERO,
            spin_axis: DVec3::Y,
            spin_rate: 0.0,
            from: 0.0,
            until: f64::INFINITY,
        }
    }

    /// Pose at time `t` [s].
    pub fn pose_at(&self, t: f64) -> Pose {
        // `max` before `min`, not `clamp`: an interval that ends before it begins is no motion, not a panic.
        let tau = (t.max(self.from).min(self.until) - self.from).max(0.0);
        let turn = self.spin_axis.normalize_or_zero() * (self.spin_rate * tau);
        let position = self.start.position + self.velocity * tau;
        if turn == DVec3::ZERO {
            return Pose { position, rotation: self.start.rotation };
        }
        Pose { position, rotation: (DQuat::from_scaled_axis(turn) * self.start.rotation).normalize() }
    }
}

/// A pose at a time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Keyframe {
    /// When [s].
    pub time: f64,
    /// Where.
    pub pose: Pose,
}

/// How an obstacle moves.
///
/// ```
/// use toile_contact::{Keyframe, Motion, Pose};
/// use toile_mesh::DVec3;
/// let motion = Motion::Keyframes(vec![
///     Keyframe { time: 1.0, pose: Pose::IDENTITY },
///     Keyframe { time: 3.0, pose: Pose::at(DVec3::X) },
/// ]);
/// assert_eq!(motion.pose_at(0.0).position, DVec3::ZERO);
/// assert_eq!(motion.pose_at(2.0).position, 0.5 * DVec3::X);
/// assert_eq!(motion.pose_at(9.0).position, DVec3::X);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Motion {
    /// Constant velocity and spin during an interval; at rest otherwise.
    Rigid(RigidMotion),
    /// Poses at ascending times; without any keyframe the obstacle rests at the origin.
    Keyframes(Vec<Keyframe>),
}

impl Motion {
    /// Resting at `pose` for ever.
    pub const fn at_rest(pose: Pose) -> Self {
        Self::Rigid(RigidMotion::at_rest(pose))
    }

    /// Pose at time `t` [s].
    pub fn pose_at(&self, t: f64) -> Pose {
        match self {
            Self::Rigid(motion) => motion.pose_at(t),
            Self::Keyframes(keys) => pose_between(keys, t),
        }
    }

    /// Where the material point that is at `point` [m] at time `t0` is at time `t1` [s], moving with the obstacle.
    pub fn carried(&self, point: DVec3, t0: f64, t1: f64) -> DVec3 {
        self.pose_at(t0).carry(&self.pose_at(t1), point)
    }

    /// Whether every number makes sense: valid poses, finite rates, ascending keyframe times.
    pub fn is_valid(&self) -> bool {
        match self {
            Self::Rigid(m) => {
                let still = m.spin_rate == 0.0;
                m.start.is_valid()
                    && m.velocity.is_finite()
                    && m.spin_rate.is_finite()
                    && (still || m.spin_axis.try_normalize().is_some())
                    && m.from.is_finite()
                    && m.until >= m.from
            }
            Self::Keyframes(keys) => {
                !keys.is_empty()
                    && keys.iter().all(|k| k.time.is_finite() && k.pose.is_valid())
                    && keys.is_sorted_by(|a, b| a.time < b.time)
            }
        }
    }
}

fn pose_between(keys: &[Keyframe], t: f64) -> Pose {
    let after = keys.partition_point(|k| k.time <= t);
    match (after.checked_sub(1).and_then(|i| keys.get(i)), keys.get(after)) {
        (Some(a), Some(b)) => {
            let s = (t - a.time) / (b.time - a.time);
            let position = a.pose.position.lerp(b.pose.position, s);
            Pose { position, rotation: a.pose.rotation.slerp(b.pose.rotation, s).normalize() }
        }
        (Some(only), None) | (None, Some(only)) => only.pose,
        (None, None) => Pose::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::PI;

    fn turning() -> RigidMotion {
        RigidMotion {
            start: Pose::at(DVec3::new(1.0, 2.0, 3.0)),
            velocity: DVec3::new(0.5, 0.0, 0.0),
            spin_axis: DVec3::new(0.0, 2.0, 0.0),
            spin_rate: PI,
            from: 1.0,
            until: 2.0,
        }
    }

    #[test]
    fn steady_motion_lasts_from_its_beginning_to_its_end() {
        let motion = turning();
        assert_eq!(motion.pose_at(-5.0), motion.start);
        assert_eq!(motion.pose_at(1.0), motion.start);
        let half = motion.pose_at(1.5);
        assert!((half.position - DVec3::new(1.25, 2.0, 3.0)).length() < 1e-15);
        // A quarter turn about y takes x to −z.
        assert!((half.rotation * DVec3::X + DVec3::Z).length() < 1e-15);
        assert_eq!(motion.pose_at(2.0), motion.pose_at(100.0));
        assert!((motion.pose_at(2.0).rotation * DVec3::X + DVec3::X).length() < 1e-15);
    }

    #[test]
    fn keyframed_rotation_takes_the_shorter_arc_at_even_speed() {
        let turned = |angle| Pose { position: DVec3::ZERO, rotation: DQuat::from_rotation_z(angle) };
        let far = Pose { rotation: -turned(1.0).rotation, ..Pose::IDENTITY };
        for end in [turned(1.0), far] {
            let keys = vec![Keyframe { time: 0.0, pose: Pose::IDENTITY }, Keyframe { time: 2.0, pose: end }];
            let x = Motion::Keyframes(keys).pose_at(0.5).rotation * DVec3::X;
            assert!((x - DVec3::new(0.25_f64.cos(), 0.25_f64.sin(), 0.0)).length() < 1e-15);
        }
    }

    #[test]
    fn nonsense_is_recognised_and_survived() {
        let backwards = RigidMotion { until: 0.0, ..turning() };
        assert!(!Motion::Rigid(backwards).is_valid());
        assert_eq!(backwards.pose_at(5.0), backwards.start);
        assert!(!Motion::Keyframes(Vec::new()).is_valid());
        assert_eq!(Motion::Keyframes(Vec::new()).pose_at(1.0), Pose::IDENTITY);
        let twice = vec![Keyframe { time: 1.0, pose: Pose::IDENTITY }; 2];
        assert!(!Motion::Keyframes(twice.clone()).is_valid());
        assert_eq!(Motion::Keyframes(twice).pose_at(1.0), Pose::IDENTITY);
        assert!(Motion::Rigid(turning()).is_valid());
        let _ = Motion::Rigid(turning()).pose_at(f64::NAN);
    }

    proptest! {
        #[test]
        fn a_carried_point_keeps_its_place_on_the_obstacle(
            p in prop::array::uniform3(-2.0..2.0_f64),
            t0 in 0.0..3.0_f64,
            t1 in 0.0..3.0_f64,
        ) {
            let (motion, p) = (Motion::Rigid(turning()), DVec3::from(p));
            let q = motion.carried(p, t0, t1);
            let drift = motion.pose_at(t1).to_local(q) - motion.pose_at(t0).to_local(p);
            // Coordinates of a few metres, turned four times: a few dozen roundings of 1e-15.
            prop_assert!(drift.length() < 1e-13);
            prop_assert!((motion.carried(q, t1, t0) - p).length() < 1e-13);
        }
    }
}
