//! A leg that reaches for a place: two bones in a plane (inverse kinematics).
//!
//! With the lengths `a`, `b` of thigh and shank and the distance `d` from hip to ankle, the thigh is turned out of the
//! line to the ankle by `cos α = (a² + d² − b²) / (2 a d)`, forward in the plane that the knee points along. The axis of
//! the knee is square to that plane. On the way to a straight leg the knee would turn infinitely fast: beyond a share `ρ` of
//! `a + b` the distance `d` is replaced by `d₁ + w x / (1 + x)`, `d₁ = ρ (a + b)`, `x = (d − d₁) / w`, which has the same slope
//! there and never reaches `d₁ + w`.

use toile_mesh::{DMat3, DQuat, DVec3};

use crate::skeleton::{Joint, Skeleton};

/// Reach over the length of the straight leg up to which an ankle gets where it should; the knee has a bend of 16° then.
pub(crate) const REACH: f64 = 0.99;

/// What a leg may stretch beyond, over its length.
const STRETCH: f64 = 0.009;

/// A leg at rest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Leg {
    pub(crate) hip: Joint,
    pub(crate) knee: Joint,
    pub(crate) ankle: Joint,
    /// Hip to knee and knee to ankle at rest [m].
    bones: [DVec3; 2],
}

impl Leg {
    pub(crate) fn new(skeleton: &Skeleton, [hip, knee, ankle]: [Joint; 3]) -> Self {
        let [h, k, a] = [hip, knee, ankle].map(|joint| skeleton.position(joint));
        Self { hip, knee, ankle, bones: [k - h, a - k] }
    }

    /// Both legs, left first.
    pub(crate) fn both(skeleton: &Skeleton) -> [Self; 2] {
        use Joint::{LeftAnkle, LeftHip, LeftKnee, RightAnkle, RightHip, RightKnee};
        [[LeftHip, LeftKnee, LeftAnkle], [RightHip, RightKnee, RightAnkle]].map(|joints| Self::new(skeleton, joints))
    }

    /// Length of the straight leg [m].
    pub(crate) fn length(&self) -> f64 {
        self.bones[0].length() + self.bones[1].length()
    }

    /// Rotations of thigh and shank in the world, with the knee pointing `forward`, as near as the ankle gets to `way`
    /// from the hip [m].
    pub(crate) fn reach(&self, way: DVec3, forward: DVec3) -> [DQuat; 2] {
        let [a, b] = self.bones.map(DVec3::length);
        let (near, stretch) = (REACH * (a + b), STRETCH * (a + b));
        let x = ((way.length() - near) / stretch).max(0.0);
        let d = way.length().clamp((a - b).abs() + 1e-3 * (a + b), near) + stretch * x / (1.0 + x);
        let along = way.normalize_or(DVec3::NEG_Y);
        let forward = (forward - forward.dot(along) * along).normalize_or(DVec3::Z);
        let cos = ((a * a + d * d - b * b) / (2.0 * a * d)).clamp(-1.0, 1.0);
        let thigh = cos * along + (1.0 - cos * cos).sqrt() * forward;
        let shank = (d * along - a * thigh).normalize_or(along);
        let axis = forward.cross(along);
        [(self.bones[0], thigh), (self.bones[1], shank)].map(|(rest, now)| {
            let frame = |along: DVec3, axis: DVec3| {
                let across = (axis - axis.dot(along) * along).normalize_or(DVec3::X);
                DMat3::from_cols(along, across, along.cross(across))
            };
            // At rest the knee turns about the axis across the body.
            let turn = frame(now, axis) * frame(rest.normalize_or(DVec3::NEG_Y), DVec3::X).transpose();
            DQuat::from_mat3(&turn).normalize()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg() -> Leg {
        let mut positions = [DVec3::ZERO; Joint::COUNT];
        positions[Joint::LeftHip as usize] = DVec3::new(0.09, 0.90, 0.0);
        positions[Joint::LeftKnee as usize] = DVec3::new(0.085, 0.48, 0.02);
        positions[Joint::LeftAnkle as usize] = DVec3::new(0.09, 0.07, -0.02);
        Leg::both(&Skeleton { positions })[0]
    }

    #[test]
    fn the_ankle_gets_where_it_should_and_the_knee_points_forward() {
        let leg = leg();
        for (way, forward) in [
            (DVec3::new(0.0, -0.7, 0.3), DVec3::Z),
            (DVec3::new(0.1, -0.5, -0.2), DVec3::new(0.3, 0.0, 1.0)),
            (DVec3::new(0.0, -0.2, 0.0), DVec3::X),
        ] {
            let [thigh, shank] = leg.reach(way, forward);
            let knee = thigh * leg.bones[0];
            assert!((knee + shank * leg.bones[1] - way).length() < 1e-12);
            assert!(knee.cross(way).dot(way.cross(forward)) < 0.0 && knee.dot(forward) > 0.0);
        }
    }

    #[test]
    fn what_is_out_of_reach_is_pointed_at() {
        let leg = leg();
        let way = DVec3::new(0.2, -1.5, 0.1);
        let [thigh, shank] = leg.reach(way, DVec3::Z);
        let got = thigh * leg.bones[0] + shank * leg.bones[1];
        assert!((REACH..REACH + STRETCH).contains(&(got.length() / leg.length())) && got.angle_between(way) < 1e-7);
    }

    #[test]
    fn a_leg_that_stands_as_at_rest_hardly_turns() {
        let leg = leg();
        for turn in leg.reach(REACH * (leg.bones[0] + leg.bones[1]), DVec3::Z) {
            assert!(turn.angle_between(DQuat::IDENTITY) < 0.15);
        }
    }
}
