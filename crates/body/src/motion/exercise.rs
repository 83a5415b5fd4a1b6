//! Motions on the spot: arms raised and lowered, a squat. Both repeat, with standstill at their turning points.

use std::f64::consts::TAU;

use toile_mesh::{DQuat, DVec3};

use super::arms::{ArmAngles, Arms};
use super::limb::{Leg, REACH};
use super::room::Room;
use crate::body::Body;
use crate::posture::Posture;
use crate::skeleton::{Joint, Skeleton};

/// Duration of raising and lowering the arms [s].
const RAISE: f64 = 4.0;

/// Highest angle of the upper arms against the vertical [rad]: beyond, without shoulder blades, the shoulders fold.
const HIGHEST: f64 = 2.45;

/// Duration of a squat [s].
const SQUAT: f64 = 3.2;

/// How far the hips go down and back, over the length of the legs.
const DOWN: f64 = 0.34;
const BACK: f64 = 0.17;

/// Angles of the level arms off the middle plane, the least and the most [rad]: the fuller the body, the wider.
const LEVEL: [f64; 2] = [0.25, 0.9];

/// Arms from the pose of the draft over level to overhead and back.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ArmRaise {
    arms: Arms,
}

impl ArmRaise {
    pub(super) const DURATION: f64 = RAISE;

    pub(super) fn new(body: &Body) -> Self {
        Self { arms: Arms::new(body) }
    }

    pub(super) fn posture(&self, t: f64) -> Posture {
        let mut posture = Posture::REST;
        let outward = self.arms.rest + (HIGHEST - self.arms.rest) * there_and_back(t / RAISE);
        for side in 0..2 {
            self.arms.set(&mut posture, side, ArmAngles { outward, swing: 0.0, elbow: 0.0 });
        }
        posture
    }
}

/// Down with level arms and up again, heels on the floor.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Squat {
    skeleton: Skeleton,
    legs: [Leg; 2],
    arms: Arms,
    /// How far level arms point outward [rad].
    outward: f64,
}

impl Squat {
    pub(super) const DURATION: f64 = SQUAT;

    pub(super) fn new(body: &Body) -> Self {
        let (legs, arms) = (Leg::both(&body.skeleton), Arms::new(body));
        let mut squat = Self { skeleton: body.skeleton, legs, arms, outward: LEVEL[0] };
        for side in 0..2 {
            let wider = [squat.outward, LEVEL[1]];
            squat.outward = Room::new(body, side).least_angle(wider, |outward| {
                let wide = Self { outward, ..squat.clone() };
                [0.4, 0.5].map(|share| wide.posture(share * SQUAT))
            });
        }
        squat
    }

    pub(super) fn posture(&self, t: f64) -> Posture {
        let share = there_and_back(t / SQUAT);
        let length = self.legs[0].length();
        let mut posture = Posture::REST;
        // A leg keeps some bend: it starts as low as the reach of a leg demands.
        let hip = self.skeleton.position(self.legs[0].hip);
        let ankle = self.skeleton.position(self.legs[0].ankle);
        let start = ((ankle - hip).length() - REACH * length).max(0.0);
        posture.shift = DVec3::new(0.0, -start - share * DOWN * length, -share * BACK * length);
        let pelvis = DQuat::from_rotation_x(0.40 * share);
        posture.set(Joint::Pelvis, pelvis);
        posture.set(Joint::Waist, DQuat::from_rotation_x(0.10 * share));
        posture.set(Joint::Chest, DQuat::from_rotation_x(0.05 * share));
        posture.set(Joint::Neck, DQuat::from_rotation_x(-0.25 * share));
        posture.set(Joint::Head, DQuat::from_rotation_x(-0.25 * share));
        let root = self.skeleton.position(Joint::Pelvis);
        for (side, leg) in self.legs.iter().enumerate() {
            let hip = root + posture.shift + pelvis * (self.skeleton.position(leg.hip) - root);
            let outward = DVec3::new([0.28, -0.28][side], 0.0, 1.0);
            let [thigh, shank] = leg.reach(self.skeleton.position(leg.ankle) - hip, outward);
            posture.set(leg.hip, pelvis.conjugate() * thigh);
            posture.set(leg.knee, thigh.conjugate() * shank);
            posture.set(leg.ankle, shank.conjugate());
            let angles = ArmAngles {
                outward: self.arms.rest + (self.outward - self.arms.rest) * share,
                swing: 1.45 * share,
                elbow: 0.15 * share,
            };
            self.arms.set(&mut posture, side, angles);
        }
        posture
    }
}

/// 0 at whole numbers, 1 half way between, without speed at both.
fn there_and_back(t: f64) -> f64 {
    0.5 - 0.5 * (TAU * t).cos()
}
