//! Arms of a mannequin: hanging beside any trunk, swinging, bending at the elbow.
//!
//! At rest an arm lies in the plane of the body, `β` off the vertical. It is turned down to hang `α` off the vertical about
//! the z axis, then swung about the x axis. The elbow bends about the axis `u × z`, square to the upper arm `u`: so the
//! forearm goes forward whatever the pose of the draft is.

use toile_mesh::{DQuat, DVec3};

use crate::body::Body;
use crate::posture::Posture;
use crate::skeleton::{Joint, Segment};

/// Room between the body and a hanging forearm or hand, and the lower part of the upper arm [m].
const CLEARANCE: [f64; 2] = [0.022, 0.006];

/// Share of the upper arm from the shoulder that may touch the body: the armpit.
const ARMPIT: f64 = 0.5;

/// Angles that are tried for a hanging arm [rad].
const HANGING: [f64; 2] = [0.10, 0.70];

/// Height of a slice in which arm and body are compared [m].
const SLICE: f64 = 0.02;

/// How the arms of a body are moved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Arms {
    /// Angle of the upper arm against the vertical at rest [rad].
    pub(super) rest: f64,
    /// The least angle at which the arm hangs beside the body [rad].
    pub(super) hanging: f64,
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
        let mut arms = Self { rest: upper.x.atan2(-upper.y), hanging: 0.0, upper };
        arms.hanging = arms.hanging_angle(body);
        arms
    }

    /// The same, hanging at this angle at least [rad].
    pub(super) fn held_out(self, least: f64) -> Self {
        Self { hanging: self.hanging.max(least.clamp(0.0, self.rest.max(0.0))), ..self }
    }

    /// The least angle that keeps the arm below the armpit clear of trunk and thigh.
    fn hanging_angle(&self, body: &Body) -> f64 {
        let slice = |y: f64| (y / SLICE) as usize;
        let mut width = vec![f64::NEG_INFINITY; slice(body.mesh.bounds().max.y.max(0.0)) + 2];
        for (p, bone) in body.mesh.positions.iter().zip(&body.bones) {
            if matches!(bone.segment(), Segment::Torso | Segment::LeftThigh) {
                // Neighbouring slices, too: arms and hips sway.
                for widest in &mut width[slice(p.y).saturating_sub(1)..=slice(p.y) + 1] {
                    *widest = widest.max(p.x);
                }
            }
        }
        let [shoulder, elbow] = [Joint::LeftShoulder, Joint::LeftElbow].map(|joint| body.skeleton.position(joint));
        let armpit = ARMPIT * shoulder.distance(elbow);
        let room = |p: DVec3, bone: Joint| match bone.segment() {
            Segment::LeftForearm | Segment::LeftHand => Some((p, CLEARANCE[0])),
            Segment::LeftUpperArm if (p - shoulder).dot(self.upper) > armpit => Some((p, CLEARANCE[1])),
            _ => None,
        };
        let vertices = body.mesh.positions.iter().zip(&body.bones);
        let arm: Vec<(DVec3, f64)> = vertices.filter_map(|(&p, &bone)| room(p, bone)).collect();
        let is_clear = |angle: f64| {
            let turn = DQuat::from_rotation_z(angle - self.rest);
            arm.iter().all(|&(p, room)| {
                let p = turn * (p - shoulder) + shoulder;
                p.x > width.get(slice(p.y)).copied().unwrap_or(f64::NEG_INFINITY) + room
            })
        };
        let [least, most] = HANGING;
        let mut angle = least;
        while angle < most && !is_clear(angle) {
            angle += 0.01;
        }
        angle
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
