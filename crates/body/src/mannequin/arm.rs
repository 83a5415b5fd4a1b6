//! Arms and hands: sections square to a bent axis from the shoulder joint over elbow and wrist to the finger tips.
//!
//! The frame of a section: `along` the axis, `inner` toward the body in the plane of the raised arm, `forward` square to
//! both. A hand is a mitten, flat against the thigh, with the ball of the thumb in front.

use std::f64::consts::TAU;

use toile_mesh::DVec3;

use super::curve::Curve;
use super::form::{Design, Levels, point};
use super::trunk::Trunk;
use crate::measurement::Measurement as M;

/// The left arm as functions of the distance from the shoulder joint along the axis [m].
pub(super) struct Arm {
    /// Reach of a section to the inside, outside, front and back [m].
    reach: [Curve; 4],
    joints: Joints,
    along: [DVec3; 2],
    free_to: f64,
}

/// Joints of the left arm [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Joints {
    pub(super) shoulder: DVec3,
    pub(super) elbow: DVec3,
    pub(super) wrist: DVec3,
    pub(super) tip: DVec3,
}

/// Distance from the trunk at which a section of the arm is its own [m].
const CLEARANCE: f64 = 0.028;

/// How far the forearm points forward of the upper arm [rad].
const ELBOW_BEND: f64 = 0.16;

/// Length of the upper arm and of the forearm, over the arm length.
const UPPER: f64 = 0.53;
const FORE: f64 = 0.455;

/// Share of the upper arm that may be blended into the trunk: its girth is taken at half its length.
const FREE: f64 = 0.47;

/// The joint below the shoulder point. On a heavy trunk the arms are set further out, so that they come clear of it before
/// the upper arm is measured.
fn shoulder_joint(design: &Design, levels: &Levels, trunk: &Trunk) -> DVec3 {
    let k = design.scale;
    let (s, c) = design.arm_angle.sin_cos();
    let radius = design.drawn[M::UpperArm] / TAU;
    let side = trunk.half_width(levels.armpit);
    let mut joint = trunk.shoulder_point() + point(-0.016 * k, -0.85 * radius.min(0.07 * k) - 0.006 * k, 0.0);
    joint.x += 0.6 * (side - joint.x).max(0.0);
    let widest = trunk.half_width(levels.bust).max(side);
    let reach = 0.45 * UPPER * design.drawn[M::ArmLength];
    joint.x = joint.x.max(widest + CLEARANCE + 1.05 * radius * c - reach * s);
    joint
}

/// Reach of the sections to the inside, outside, front and back.
fn reach(design: &Design, hand: f64) -> [Curve; 4] {
    let k = design.scale;
    let upper = design.drawn[M::UpperArm] / TAU;
    let wrist = design.drawn[M::Wrist] / TAU;
    let elbow = 0.60 * upper + 0.52 * wrist;
    let fore = 0.58 * upper + 0.62 * wrist;
    let length = design.drawn[M::ArmLength];
    let (e, w) = (UPPER * length, (UPPER + FORE) * length);
    let of = |radius: f64, shape: [f64; 4]| shape.map(|share| share * radius);
    let stations = [
        (0.0, of(upper, [1.08, 1.12, 1.12, 1.12])),
        (0.22 * e, of(upper, [1.08, 1.10, 1.12, 1.10])),
        (0.5 * e, of(upper, [0.98, 0.98, 1.03, 1.02])),
        (0.75 * e, [0.5 * (upper + elbow); 4]),
        (e, of(elbow, [0.96, 0.98, 1.00, 1.06])),
        (e + 0.20 * (w - e), [fore; 4]),
        (e + 0.65 * (w - e), [0.45 * fore + 0.55 * wrist; 4]),
        (w, of(wrist, [0.84, 0.84, 1.14, 1.14])),
        (w + 0.24 * hand, of(k, [0.017, 0.014, 0.048, 0.036])),
        (w + 0.46 * hand, of(k, [0.014, 0.012, 0.050, 0.040])),
        (w + 0.66 * hand, of(k, [0.011, 0.010, 0.036, 0.037])),
        (w + 0.88 * hand, of(k, [0.009, 0.009, 0.027, 0.029])),
        (w + 0.985 * hand, of(k, [0.005, 0.005, 0.013, 0.014])),
    ];
    [0, 1, 2, 3].map(|i| Curve::new(stations.iter().map(|(place, reach)| (*place, reach[i]))))
}

impl Arm {
    pub(super) fn new(design: &Design, levels: &Levels, trunk: &Trunk) -> Self {
        let (s, c) = design.arm_angle.sin_cos();
        let upper = point(s, -c, 0.0);
        let fore = ELBOW_BEND.cos() * upper + ELBOW_BEND.sin() * DVec3::Z;
        let shoulder = shoulder_joint(design, levels, trunk);
        let length = design.drawn[M::ArmLength];
        let elbow = shoulder + UPPER * length * upper;
        let wrist = elbow + FORE * length * fore;
        let hand = design.mix([0.104, 0.107]) * design.wanted[M::Height];
        let joints = Joints { shoulder, elbow, wrist, tip: wrist + hand * fore };
        let mut arm = Self { reach: reach(design, hand), joints, along: [upper, fore], free_to: 0.0 };
        arm.free_to = arm.clear_of(trunk, 0.26 * UPPER * length, FREE * UPPER * length);
        arm
    }

    /// The joints.
    pub(super) fn joints(&self) -> Joints {
        self.joints
    }

    /// Distances of elbow, wrist and finger tips along the axis [m].
    pub(super) fn places(&self) -> [f64; 3] {
        let j = &self.joints;
        let elbow = (j.elbow - j.shoulder).length();
        let wrist = elbow + (j.wrist - j.elbow).length();
        [elbow, wrist, wrist + (j.tip - j.wrist).length()]
    }

    /// Place up to which the arm is blended into the trunk [m].
    pub(super) fn free_to(&self) -> f64 {
        self.free_to
    }

    /// The first place between `from` and `to` whose section keeps clear of the trunk.
    fn clear_of(&self, trunk: &Trunk, from: f64, to: f64) -> f64 {
        const STEPS: u32 = 24;
        let gap = |place: f64| {
            let inside = self.at(place, 0.0);
            inside.x - trunk.half_width(inside.y)
        };
        let places = (0..=STEPS).map(|i| from + (to - from) * f64::from(i) / f64::from(STEPS));
        places.into_iter().find(|&place| gap(place) > CLEARANCE).unwrap_or(to)
    }

    /// Direction of the axis at a place: turned over some centimetres at the elbow.
    pub(super) fn direction(&self, place: f64) -> DVec3 {
        let elbow = self.places()[0];
        let t = ((place - elbow) / (0.24 * elbow) + 0.5).clamp(0.0, 1.0);
        self.along[0].lerp(self.along[1], t * t * (3.0 - 2.0 * t)).normalize_or(self.along[0])
    }

    /// Point of the axis at a place [m].
    pub(super) fn axis(&self, place: f64) -> DVec3 {
        let elbow = self.places()[0];
        let j = &self.joints;
        if place <= elbow { j.shoulder + place * self.along[0] } else { j.elbow + (place - elbow) * self.along[1] }
    }

    /// Point of the surface; the angle runs from the inside over the back (π/2) and the outside (π) to the front.
    pub(super) fn at(&self, place: f64, angle: f64) -> DVec3 {
        let along = self.direction(place);
        let inner = point(self.along[0].y, -self.along[0].x, 0.0);
        let forward = inner.cross(along);
        let (s, c) = angle.sin_cos();
        let [inside, outside, front, back] = [0, 1, 2, 3].map(|i| self.reach[i].at(place));
        let depth = if c >= 0.0 { inside } else { outside };
        let width = if s >= 0.0 { back } else { front };
        self.axis(place) + depth * c * inner - width * s * forward
    }
}
