//! Arms of a clip that leave no room for cloth between themselves and the trunk are moved outward.
//!
//! Both upper arms are turned outward about the axis ahead of the chest, by the least angle that leaves room in all frames, up to
//! [`MOST`]. An arm that is raised is turned less, one above the shoulder not at all; so nothing jumps.

use toile_mesh::{DQuat, DVec3};

use crate::body::Body;
use crate::motion::room::Room;
use crate::posture::{Posture, ease};
use crate::skeleton::Joint;

/// Largest turn outward [rad].
const MOST: f64 = 0.45;

/// Postures that are looked at, at most.
const LOOKED_AT: usize = 24;

/// Moves the arms of all postures outward.
pub(super) fn part_arms(postures: &mut [Posture], body: &Body) {
    let stride = postures.len().div_ceil(LOOKED_AT).max(1);
    for side in 0..2 {
        let some: Vec<Posture> = postures.iter().step_by(stride).copied().collect();
        let turned = |angle: f64| -> Vec<Posture> { some.iter().map(|p| outward(p, body, side, angle)).collect() };
        let angle = Room::new(body, side).least_angle([0.0, MOST], turned);
        // An arm that touches the body whatever is done, a hand on the hip, goes half of the way.
        let angle = if angle >= MOST { 0.5 * MOST } else { angle };
        if angle > 0.0 {
            for posture in postures.iter_mut() {
                *posture = outward(posture, body, side, angle);
            }
        }
    }
}

/// A posture with an arm turned outward by an angle [rad].
fn outward(posture: &Posture, body: &Body, side: usize, angle: f64) -> Posture {
    let [shoulder, elbow] = [[Joint::LeftShoulder, Joint::LeftElbow], [Joint::RightShoulder, Joint::RightElbow]][side];
    let upper = body.skeleton.position(elbow) - body.skeleton.position(shoulder);
    let turn = posture.turn(shoulder);
    let down = -(turn * upper.normalize_or(DVec3::NEG_Y)).y;
    let angle = [1.0, -1.0][side] * angle * ease(down / 0.6);
    let mut posture = *posture;
    posture.set(shoulder, DQuat::from_rotation_z(angle) * turn);
    posture
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blend, Figure, Given, Specification, draft};

    #[test]
    fn arms_on_the_sides_are_parted_and_raised_ones_stay() {
        let specification = Specification { triangles: 4_000, ..Specification::new(Figure::Male, Given::NONE) };
        let body = Body::new(draft(&specification).unwrap(), Blend::DualQuaternion);
        let lowered = |angle: f64| {
            let mut posture = Posture::REST;
            posture.set(Joint::LeftShoulder, DQuat::from_rotation_z(-angle));
            posture.set(Joint::RightShoulder, DQuat::from_rotation_z(angle));
            posture
        };
        // From the pose of the draft down to the sides, and up.
        let rest = body.skeleton.position(Joint::LeftElbow) - body.skeleton.position(Joint::LeftShoulder);
        let off = rest.angle_between(DVec3::NEG_Y);
        let mut postures = vec![lowered(off), lowered(-1.2)];
        part_arms(&mut postures, &body);
        let angle = |p: &Posture, joint| (p.turn(joint) * rest.normalize()).angle_between(DVec3::NEG_Y);
        assert!(angle(&postures[0], Joint::LeftShoulder) > 0.1, "{}", angle(&postures[0], Joint::LeftShoulder));
        assert_eq!(postures[1], lowered(-1.2));
        // Left and right alike.
        let [left, right] = [Joint::LeftShoulder, Joint::RightShoulder].map(|joint| postures[0].turn(joint));
        assert!((left.z + right.z).abs() < 0.02 && left.z.abs() > 0.0);
    }
}
