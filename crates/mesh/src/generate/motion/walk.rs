//! The walk of the figure: where its limbs are at time `t`.
//!
//! The phase is `φ = 2π t / PERIOD`. The hips swing by `sin φ`, left and right in opposition; each knee bends most
//! while its leg comes forward; the arms swing against the legs; the trunk bobs twice per period. All angles turn
//! about the x axis, so that nothing leaves its plane of constant x. The walk is on the spot and grows out of the
//! rest pose within [`START_TIME`], so at `t ≤ 0` the figure stands still.

use std::f64::consts::TAU;

use super::smooth_step;
use crate::{DQuat, DVec3};

/// Time of one double step [s].
pub const PERIOD: f64 = 1.1;
/// Time from rest to the full walk [s].
const START_TIME: f64 = 0.5;

/// Height of the hip joints at rest, origin of the trunk [m].
pub const HIP_HEIGHT: f64 = 0.90;
/// Distance of the hip joints from the middle [m].
pub const HIP_X: f64 = 0.11;
/// From hip to knee [m].
pub const THIGH_LENGTH: f64 = 0.42;
/// From knee to ankle [m].
pub(super) const SHIN_LENGTH: f64 = 0.40;
/// Shoulder joint of the left side relative to the trunk [m].
const SHOULDER: DVec3 = DVec3::new(0.215, 0.50, 0.0);
/// From shoulder to elbow [m].
pub const UPPER_ARM_LENGTH: f64 = 0.29;
/// From elbow to wrist [m].
pub const FOREARM_LENGTH: f64 = 0.25;
/// Angle of the arms off the vertical, to the side [rad].
const ARM_SPREAD: f64 = 0.18;

/// A rigid piece of the figure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limb {
    /// Pelvis, chest, shoulders, neck and head; origin midway between the hip joints.
    Trunk,
    /// Left upper leg; origin at the hip joint.
    LeftThigh,
    /// Right upper leg; origin at the hip joint.
    RightThigh,
    /// Left lower leg and foot; origin at the knee.
    LeftShin,
    /// Right lower leg and foot; origin at the knee.
    RightShin,
    /// Left upper arm; origin at the shoulder joint.
    LeftUpperArm,
    /// Right upper arm; origin at the shoulder joint.
    RightUpperArm,
    /// Left forearm and hand; origin at the elbow.
    LeftForearm,
    /// Right forearm and hand; origin at the elbow.
    RightForearm,
}

/// A rigid placement `p ↦ origin + turn p`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Frame {
    /// Where the local origin is [m].
    pub origin: DVec3,
    /// The local axes.
    pub turn: DQuat,
}

impl Frame {
    /// World position [m] of the local point `p` [m].
    pub fn place(&self, p: DVec3) -> DVec3 {
        self.origin + self.turn * p
    }
}

/// Frame of a limb of every [`Figure`](super::Figure) at time `t` [s]: origin at its upper joint, the limb along
/// the local −y, the trunk along +y.
///
/// ```
/// use toile_mesh::generate::motion::{Limb, limb_frame};
/// let knee = limb_frame(Limb::LeftShin, 0.0).origin;
/// assert!(knee.x > 0.0 && (knee.y - 0.48).abs() < 1e-15);
/// ```
pub fn limb_frame(limb: Limb, t: f64) -> Frame {
    match limb {
        Limb::Trunk => trunk(t),
        Limb::LeftThigh => thigh(1.0, t),
        Limb::RightThigh => thigh(-1.0, t),
        Limb::LeftShin => shin(1.0, t),
        Limb::RightShin => shin(-1.0, t),
        Limb::LeftUpperArm => upper_arm(1.0, t),
        Limb::RightUpperArm => upper_arm(-1.0, t),
        Limb::LeftForearm => forearm(1.0, t),
        Limb::RightForearm => forearm(-1.0, t),
    }
}

/// How much of the full walk there is at time `t`, 0..1.
fn strength(t: f64) -> f64 {
    smooth_step(t / START_TIME)
}

/// Phase [rad] of the leg on `side` (left 1, right −1).
fn phase(side: f64, t: f64) -> f64 {
    TAU * (t / PERIOD + 0.25 * (1.0 - side))
}

fn trunk(t: f64) -> Frame {
    // Fitted so that the lower foot stays near the floor.
    let drop = strength(t) * (0.019 - 0.030 * (2.0 * phase(1.0, t) - 0.42).cos());
    Frame { origin: DVec3::new(0.0, HIP_HEIGHT - drop, 0.0), turn: DQuat::IDENTITY }
}

fn thigh(side: f64, t: f64) -> Frame {
    let forward = strength(t) * (0.08 + 0.40 * phase(side, t).sin());
    Frame { origin: trunk(t).place(DVec3::new(side * HIP_X, 0.0, 0.0)), turn: DQuat::from_rotation_x(-forward) }
}

fn shin(side: f64, t: f64) -> Frame {
    let thigh = thigh(side, t);
    let bend = strength(t) * (0.10 + 0.42 * (1.0 + (phase(side, t) + 0.6).cos()));
    let origin = thigh.place(DVec3::new(0.0, -THIGH_LENGTH, 0.0));
    Frame { origin, turn: thigh.turn * DQuat::from_rotation_x(bend) }
}

fn upper_arm(side: f64, t: f64) -> Frame {
    let forward = -strength(t) * 0.35 * phase(side, t).sin();
    let turn = DQuat::from_rotation_x(-forward) * DQuat::from_rotation_z(side * ARM_SPREAD);
    Frame { origin: trunk(t).place(DVec3::new(side * SHOULDER.x, SHOULDER.y, SHOULDER.z)), turn }
}

fn forearm(side: f64, t: f64) -> Frame {
    let upper = upper_arm(side, t);
    let bend = 0.12 + strength(t) * 0.2 * (1.2 - phase(side, t).sin());
    let origin = upper.place(DVec3::new(0.0, -UPPER_ARM_LENGTH, 0.0));
    Frame { origin, turn: upper.turn * DQuat::from_rotation_x(-bend) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEGS: [Limb; 4] = [Limb::LeftThigh, Limb::RightThigh, Limb::LeftShin, Limb::RightShin];

    #[test]
    fn the_walk_repeats_and_the_sides_are_half_a_period_apart() {
        for i in 0..10 {
            let t = 1.0 + 0.13 * i as f64;
            for limb in LEGS {
                let (now, later) = (limb_frame(limb, t), limb_frame(limb, t + PERIOD));
                assert!(now.origin.distance(later.origin) < 1e-12 && now.turn.angle_between(later.turn) < 1e-6);
            }
            let (left, right) = (limb_frame(Limb::LeftShin, t), limb_frame(Limb::RightShin, t + 0.5 * PERIOD));
            let mirrored = DVec3::new(-right.origin.x, right.origin.y, right.origin.z);
            assert!(left.origin.distance(mirrored) < 1e-12);
        }
    }

    #[test]
    fn limbs_keep_their_length_and_legs_their_plane() {
        for i in 0..20 {
            let t = 0.1 * i as f64;
            let [hip, knee] = [Limb::LeftThigh, Limb::LeftShin].map(|l| limb_frame(l, t).origin);
            let [shoulder, elbow] = [Limb::RightUpperArm, Limb::RightForearm].map(|l| limb_frame(l, t).origin);
            assert!((hip.distance(knee) - THIGH_LENGTH).abs() < 1e-14 && (knee.x - HIP_X).abs() < 1e-15);
            assert!((shoulder.distance(elbow) - UPPER_ARM_LENGTH).abs() < 1e-14);
        }
    }

    #[test]
    fn knees_bend_backward_only() {
        for i in 0..40 {
            let t = 0.05 * i as f64;
            let [thigh, shin] = [Limb::RightThigh, Limb::RightShin].map(|l| limb_frame(l, t).turn * DVec3::NEG_Y);
            assert!(thigh.cross(shin).x >= -1e-15, "at {t}");
        }
    }
}
