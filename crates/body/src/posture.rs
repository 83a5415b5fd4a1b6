//! [`Posture`]: how a body is posed at an instant, and ways from one posture to another.

use toile_mesh::{DQuat, DVec3};

use crate::skeleton::{Joint, Turns};

/// Turns of all joints, and where the root is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Posture {
    /// Rotation of each joint against its parent, in the order of [`Joint::ALL`].
    pub turns: Turns,
    /// Way of the root from its place at rest [m].
    pub shift: DVec3,
}

impl Posture {
    /// The pose of the draft.
    pub const REST: Self = Self { turns: [DQuat::IDENTITY; Joint::COUNT], shift: DVec3::ZERO };

    /// Rotation of a joint against its parent.
    pub fn turn(&self, joint: Joint) -> DQuat {
        self.turns[joint as usize]
    }

    /// Turns a joint against its parent.
    pub fn set(&mut self, joint: Joint, turn: DQuat) {
        self.turns[joint as usize] = turn;
    }

    /// The posture at a share of the way to another: each joint along the shortest arc (slerp), the root straight on.
    #[must_use]
    pub fn toward(&self, other: &Self, share: f64) -> Self {
        let turns = std::array::from_fn(|j| self.turns[j].slerp(other.turns[j], share).normalize());
        Self { turns, shift: self.shift.lerp(other.shift, share) }
    }
}

/// From 0 to 1 while `t` goes from 0 to 1, at rest at both ends: `6 t⁵ − 15 t⁴ + 10 t³`, twice differentiable.
pub fn ease(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (10.0 + t * (6.0 * t - 15.0))
}

/// Integral of [`ease`] from 0 to `t`: `t⁶ − 3 t⁵ + 5/2 t⁴` up to `t = 1`, where it is ½ and grows with slope 1.
pub fn eased_time(t: f64) -> f64 {
    let u = t.clamp(0.0, 1.0);
    u.powi(4) * (2.5 + u * (u - 3.0)) + (t - 1.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_way_is_half_the_angle_and_half_the_shift() {
        let mut bent = Posture { shift: DVec3::new(0.0, 0.2, 1.0), ..Posture::REST };
        bent.set(Joint::LeftElbow, DQuat::from_rotation_x(-1.0));
        let half = Posture::REST.toward(&bent, 0.5);
        assert!(half.turn(Joint::LeftElbow).angle_between(DQuat::from_rotation_x(-0.5)) < 1e-7);
        assert_eq!(half.shift, DVec3::new(0.0, 0.1, 0.5));
        assert_eq!(half.turn(Joint::Head), DQuat::IDENTITY);
    }

    #[test]
    fn the_integral_of_the_ease_is_its_integral() {
        for k in 0..150 {
            let (t, h) = (0.01 * f64::from(k), 1e-5);
            let slope = (eased_time(t + h) - eased_time((t - h).max(0.0))) / (t + h - (t - h).max(0.0));
            assert!((slope - ease(t)).abs() < 1e-4, "{t}");
        }
        assert_eq!((eased_time(1.0), ease(1.0)), (0.5, 1.0));
    }
}
