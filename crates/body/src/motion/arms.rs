//! Arms of a mannequin: hanging, swinging, bending at the elbow.
//!
//! At rest an arm lies in the plane of the body, `β` off the vertical. It is turned down to hang `α` off the vertical about
//! the z axis, then swung about the x axis. The elbow bends about the axis `u × z`, square to the upper arm `u`: so the
//! forearm goes forward whatever the pose of the draft is.

use toile_mesh::{DQuat, DVec3};

use crate::body::Body;
use crate::posture::Posture;
use crate::skeleton::Joint;

/// How the arms of a body are moved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Arms {
    /// Angle of the upper arm against the vertical at rest [rad].
    pub(super) rest: f64,
    /// Direction of the left upper arm at rest.
    upper: DVec3,
}

/// Angles of one arm [rad].
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ArmAngles {
    /// Of the upper arm against the vertical, outward.
    pub(super) outward: f64,
    /// Forward.
    pub(super) swing: f64,
    /// Of the elbow, more than at rest.
    pub(super) elbow: f64,
}

impl Arms {
    pub(super) fn new(body: &Body) -> Self {
        let [shoulder, elbow] = [Joint::LeftShoulder, Joint::LeftElbow].map(|joint| body.skeleton.position(joint));
        let upper = (elbow - shoulder).normalize_or(DVec3::NEG_Y);
        Self { rest: upper.x.atan2(-upper.y), upper }
    }

    /// Poses the left (0) or right (1) arm.
    pub(super) fn set(&self, posture: &mut Posture, side: usize, angles: ArmAngles) {
        let sign = [1.0, -1.0][side];
        let [shoulder, elbow] =
            [[Joint::LeftShoulder, Joint::LeftElbow], [Joint::RightShoulder, Joint::RightElbow]][side];
        let swing = DQuat::from_rotation_x(-angles.swing);
        posture.set(shoulder, swing * DQuat::from_rotation_z(sign * (angles.outward - self.rest)));
        let upper = self.upper * DVec3::new(sign, 1.0, 1.0);
        let axis = upper.cross(DVec3::Z).normalize_or(DVec3::NEG_X);
        posture.set(elbow, DQuat::from_axis_angle(axis, angles.elbow));
    }
}
