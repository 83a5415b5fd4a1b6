//! [`Form`]: where everything of a body is, before there is a mesh: levels, profiles, bones.
//!
//! The *design* is a full set of measurements the form is drawn from. What a tape reads on the finished mesh differs
//! from it a little (a hull is not a section, a mesh not a curve), so the fit changes the design until the tape agrees
//! with the wanted values, and draws again.
//!
//! Axes as everywhere: y up, the body looks along +z, its left is +x, the sole is at y = 0, the plumb line through the
//! hip joints is z = 0.

use toile_mesh::DVec3;

use super::{arm::Arm, leg::Leg, trunk::Trunk};
use crate::measurement::{Measurement as M, Measurements};
use crate::regression;
use crate::skeleton::{Joint, Skeleton};
use crate::{Figure, Specification};

/// Heights of landmarks above the floor [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    pub(super) top: f64,
    pub(super) brow: f64,
    pub(super) chin: f64,
    pub(super) neck: f64,
    pub(super) nape: f64,
    pub(super) neck_side: f64,
    pub(super) acromion: f64,
    pub(super) armpit: f64,
    pub(super) bust: f64,
    pub(super) underbust: f64,
    pub(super) waist: f64,
    pub(super) hip: f64,
    pub(super) crotch: f64,
    pub(super) thigh: f64,
    pub(super) knee: f64,
    pub(super) calf: f64,
    pub(super) ankle: f64,
}

/// What the parts are drawn from.
pub(super) struct Design {
    pub(super) figure: Figure,
    /// Measurements the form is drawn from [m; rad].
    pub(super) drawn: Measurements,
    /// Measurements the finished mesh should have [m; rad].
    pub(super) wanted: Measurements,
    /// Those of the reference body [m; rad].
    pub(super) reference: Measurements,
    /// Height over that of the reference body.
    pub(super) scale: f64,
    /// Angle of the arms against the vertical [rad].
    pub(super) arm_angle: f64,
}

impl Design {
    pub(super) fn new(specification: &Specification, wanted: Measurements, drawn: Measurements) -> Self {
        let reference = regression::reference(specification.figure);
        let scale = wanted[M::Height] / reference[M::Height];
        let arm_angle = specification.pose.arm_angle();
        Self { figure: specification.figure, drawn, wanted, reference, scale, arm_angle }
    }

    /// By how much a girth exceeds that of the reference body enlarged to the same height.
    pub(super) fn fullness(&self, m: M) -> f64 {
        self.drawn[m] / (self.reference[m] * self.scale)
    }

    /// `[woman, man]` mixed by figure.
    pub(super) fn mix(&self, [woman, man]: [f64; 2]) -> f64 {
        let t = self.figure.masculinity();
        (1.0 - t) * woman + t * man
    }

    /// Heights of the landmarks. Those of neck and head follow the height; the waist hangs from the nape by the back
    /// length, the crotch stands on the inseam, what lies between divides the rest.
    fn levels(&self) -> Levels {
        let d = &self.drawn;
        let h = d[M::Height];
        // Of a child's height the head takes more: what lies above the shoulders is drawn taller, and all below it is lower.
        let more = crate::rules::head_excess(&self.wanted);
        let nape = (0.855 - 0.145 * more) * h;
        let neck_side = (0.847 - 0.153 * more) * h;
        let waist = nape - 0.975 * d[M::BackLength];
        let chest = nape - waist;
        let reach = 0.5 * d[M::ShoulderWidth] - self.neck_side_half_width();
        let acromion = neck_side - reach.max(0.01) * d[M::ShoulderSlope].tan();
        let crotch = d[M::Inseam];
        let armpit = acromion - 0.072 * h * self.fullness(M::UpperArm).powf(0.25);
        // Heavy breasts hang; and the tape must pass below the armpits.
        let full = (self.wanted[M::Bust] / (self.reference[M::Bust] * self.scale)).max(1.0);
        let bust = waist + self.mix([0.445, 0.50]) * chest * full.powf(-0.25);
        let bust = bust.min(armpit - 0.014 * h);
        let under = self.mix([0.595, 0.54]);
        Levels {
            top: h,
            brow: (0.952 - 0.048 * more) * h,
            chin: (0.872 - 0.128 * more) * h,
            neck: (0.858 - 0.142 * more) * h,
            nape,
            neck_side,
            acromion,
            armpit,
            bust,
            underbust: waist + under * (bust - waist),
            waist,
            hip: crotch + self.mix([0.31, 0.30]) * (waist - crotch),
            crotch,
            thigh: crotch - 0.024 * h,
            knee: 0.60 * crotch,
            calf: 0.432 * crotch,
            ankle: 0.145 * crotch,
        }
    }

    /// Half the width of the neck where it meets the shoulder [m].
    pub(super) fn neck_side_half_width(&self) -> f64 {
        self.drawn[M::Neck] * 0.192
    }
}

/// A body as curves.
pub(super) struct Form {
    pub(super) levels: Levels,
    pub(super) trunk: Trunk,
    pub(super) leg: Leg,
    pub(super) arm: Arm,
}

impl Form {
    pub(super) fn new(design: &Design) -> Self {
        let levels = design.levels();
        let trunk = Trunk::new(design, &levels);
        let leg = Leg::new(design, &levels, &trunk);
        let arm = Arm::new(design, &levels, &trunk);
        Self { levels, trunk, leg, arm }
    }
}

impl Form {
    /// The joints.
    pub(super) fn skeleton(&self) -> Skeleton {
        let l = &self.levels;
        let spine = |y: f64| {
            let [front, back] = self.trunk.depth(y);
            point(0.0, y, back + 0.4 * (front - back))
        };
        let arm = self.arm.joints();
        let hip = self.leg.centre(l.thigh);
        let left = |joint: Joint| match joint {
            Joint::Waist => spine(l.waist),
            Joint::Chest => spine(l.bust),
            Joint::Neck => spine(l.nape),
            Joint::Head => spine(l.chin + 0.15 * (l.top - l.chin)),
            Joint::LeftShoulder => arm.shoulder,
            Joint::LeftElbow => arm.elbow,
            Joint::LeftWrist => arm.wrist,
            Joint::LeftHip => point(hip.x, l.crotch + 0.25 * (l.waist - l.crotch), 0.0),
            Joint::LeftKnee => self.leg.centre(l.knee),
            Joint::LeftAnkle => point(self.leg.centre(l.ankle).x, 0.6 * l.ankle, self.leg.centre(l.ankle).z),
            _ => spine(l.hip + 0.25 * (l.waist - l.hip)),
        };
        let mirror = DVec3::new(-1.0, 1.0, 1.0);
        // Joints of the right side come after those of the left.
        let place = |joint: Joint| if joint.mirrored() < joint { mirror * left(joint.mirrored()) } else { left(joint) };
        Skeleton { positions: Joint::ALL.map(place) }
    }
}

/// A closed section: half width and reach to the front and back of its widest place, with the powers of a superellipse.
///
/// With `c = cos φ`, `s = sin φ`, the point at angle `φ` (0 in front, π/2 on the left side) is
/// `(w s^p, d c^q)`, `p` and `q` two over the exponents of Lamé's curve, `d` the reach of that side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    pub(super) half_width: f64,
    pub(super) front: f64,
    pub(super) back: f64,
    /// Exponents of Lamé's curve in front and behind: 2 is an ellipse, more is boxier.
    pub(super) exponents: [f64; 2],
}

impl Section {
    /// Point at angle `φ`, as (width, depth) from the widest place.
    pub(super) fn at(&self, angle: f64) -> (f64, f64) {
        let (s, c) = angle.sin_cos();
        let (reach, exponent) = if c >= 0.0 { (self.front, self.exponents[0]) } else { (self.back, self.exponents[1]) };
        let p = 2.0 / exponent;
        (self.half_width * s.abs().powf(p).copysign(s), reach * c.abs().powf(p).copysign(c))
    }
}

/// The point `(x, y, z)`.
pub(super) fn point(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}
