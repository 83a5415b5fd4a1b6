//! Trunk, neck and head: one stack of horizontal sections from below the seat to the crown.
//!
//! Half width, depth and roundness run smoothly through the stations of `stations`; girths widen and deepen the stations
//! near them, the depth more than the width, and the front more than the back: people gain weight in front. Breasts, seat,
//! shoulder blades and the groove of the spine are the `bumps` on the sections.

use std::f64::consts::PI;

use toile_mesh::DVec3;

use super::bumps::{Bump, bumps};
use super::curve::Curve;
use super::form::{Design, Levels, Section, point};
use super::stations::{Station, WIDTH_POWER, stations};
use crate::measurement::Measurement as M;

/// Sections as functions of height, and bumps.
pub(super) struct Trunk {
    half_width: Curve,
    front: Curve,
    back: Curve,
    /// Where between back (0) and front (1) a section is widest.
    widest: Curve,
    exponents: [Curve; 2],
    bumps: Vec<Bump>,
    shoulder_point: DVec3,
    /// Reach of the softening over height [m].
    softness: Curve,
}

/// Reach over which profiles are softened [m]; a third of it at the head.
const SOFTNESS: f64 = 0.010;

/// Powers with which the depth in front and behind grows with girth.
const DEPTH_POWERS: [f64; 2] = [1.45, 0.95];

impl Trunk {
    pub(super) fn new(design: &Design, levels: &Levels) -> Self {
        let stations = stations(design, levels);
        let grown = |s: &Station| s.growth(design);
        let curve = |value: &dyn Fn(&Station) -> f64| Curve::new(stations.iter().map(|s| (s.level, value(s))));
        let k = design.scale;
        let shoulder = 0.5 * design.drawn[M::ShoulderWidth];
        let full_width = |s: &Station| k * design.mix(s.half_width) * (WIDTH_POWER * grown(s)).exp();
        let width = |s: &Station| bounded(full_width(s), s.widest_share * shoulder);
        // What the bound takes from the width goes into the depth.
        let deeper = |s: &Station| (full_width(s) / width(s)).powf(0.8);
        let shoulder_point = point(shoulder, levels.acromion, -0.028 * k);
        Self {
            half_width: curve(&width),
            front: curve(&|s| deeper(s) * k * design.mix(s.front) * (DEPTH_POWERS[0] * grown(s)).exp()),
            back: curve(&|s| deeper(s) * k * design.mix(s.back) * (DEPTH_POWERS[1] * grown(s)).exp()),
            widest: curve(&|s| s.widest),
            exponents: [0, 1].map(|side| curve(&|s| s.exponents[side])),
            bumps: bumps(design, levels),
            shoulder_point,
            softness: Curve::new([(levels.neck_side, SOFTNESS * k), (levels.chin, 0.35 * SOFTNESS * k)]),
        }
    }

    /// The left shoulder point [m].
    pub(super) fn shoulder_point(&self) -> DVec3 {
        self.shoulder_point
    }

    /// Half the width at a height [m].
    pub(super) fn half_width(&self, y: f64) -> f64 {
        self.half_width.soft(y, self.softness.at(y))
    }

    /// Depth of the bare section in front and behind, as z [m].
    pub(super) fn depth(&self, y: f64) -> [f64; 2] {
        let soft = self.softness.at(y);
        [self.front.soft(y, soft), self.back.soft(y, soft)]
    }

    /// Point of the surface at a height and an angle from the front over the left side (π/2) to the back (π).
    pub(super) fn at(&self, y: f64, angle: f64) -> DVec3 {
        let soft = self.softness.at(y);
        let [front, back] = self.depth(y);
        let middle = back + self.widest.soft(y, soft) * (front - back);
        let section = Section {
            half_width: self.half_width(y),
            front: front - middle,
            back: middle - back,
            exponents: [0, 1].map(|side| self.exponents[side].soft(y, soft)),
        };
        let (x, z) = section.at(angle);
        let swelling: f64 = self.bumps.iter().map(|b| b.swelling(x, y, angle.cos())).sum();
        // Exactly in the middle, so that the two halves of the body meet.
        let x = if angle == 0.0 || angle == PI { 0.0 } else { x };
        point(x, y, middle + z + swelling)
    }
}

/// `width` below `bound`; beyond it ever less, to a third more at most.
fn bounded(width: f64, bound: f64) -> f64 {
    let over = width - bound;
    if over <= 0.0 { width } else { bound + over / (1.0 + over / (0.33 * bound)) }
}
