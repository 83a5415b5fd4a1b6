//! Legs: horizontal sections from the crotch to the ankle.
//!
//! A thigh begins as wide as half the seat, less the gap between the legs, and takes its depth from its girth; if that
//! would make it deeper than wide beyond reason, the legs stand wider apart. The legs never touch: at every station the
//! middle of a leg is at least its half width and half the gap from the middle of the body.

use std::f64::consts::{FRAC_PI_2, TAU};

use toile_mesh::DVec3;

use super::curve::Curve;
use super::foot::Foot;
use super::form::{Design, Levels, Section, point};
use super::trunk::Trunk;
use crate::measurement::Measurement as M;

/// The left leg as functions of height.
pub(super) struct Leg {
    half_width: Curve,
    front: Curve,
    back: Curve,
    /// Distance of its middle from the middle of the body [m].
    middle: Curve,
    pub(super) foot: Foot,
}

/// Half the gap between the legs below the crotch [m].
const HALF_GAP: f64 = 0.010;

/// How much deeper than wide a thigh may be.
const DEEPEST_THIGH: f64 = 1.35;

/// Where between knee (0) and thigh (1) the half-way station lies.
const MID: f64 = 0.45;

/// Half widths and radii of the leg at its stations [m].
struct Sizes {
    /// Half width and half depth of the thigh.
    thigh: [f64; 2],
    mid: f64,
    knee: f64,
    below_knee: f64,
    calf: f64,
    ankle: f64,
}

impl Sizes {
    fn new(design: &Design, seat: f64) -> Self {
        let radius = |m: M| design.drawn[m] / TAU;
        let (thigh, knee, calf) = (radius(M::Thigh), radius(M::Knee), radius(M::Calf));
        let half_seat = 0.5 * (0.985 * seat - HALF_GAP);
        let width = half_seat.max(thigh / DEEPEST_THIGH.sqrt()).min(1.25 * thigh);
        // Nearly an ellipse: 2π √((width² + depth²) / 2) = girth.
        let depth = (2.0 * thigh * thigh - width * width).sqrt();
        Self {
            thigh: [width, depth],
            mid: 0.52 * thigh + 0.48 * knee,
            knee,
            below_knee: 0.5 * (knee + calf),
            calf,
            ankle: radius(M::Ankle),
        }
    }
}

impl Leg {
    pub(super) fn new(design: &Design, l: &Levels, trunk: &Trunk) -> Self {
        let sizes = Sizes::new(design, trunk.half_width(l.crotch));
        let half_width = half_widths(l, &sizes);
        let [front, back] = depths(l, &sizes, design.scale);
        let middle = middles(l, &sizes, design.scale);
        let foot =
            Foot::new(design, l, middle.at(l.ankle), [front.at(l.ankle), back.at(l.ankle)], half_width.at(l.ankle));
        Self { half_width, front, back, middle, foot }
    }

    /// Point of the leg at a height; the angle runs from the inside over the front (π/2) and the outside (π).
    pub(super) fn at(&self, y: f64, angle: f64) -> DVec3 {
        let (front, back) = (self.front.at(y), self.back.at(y));
        let middle = 0.5 * (front + back);
        let section = Section {
            half_width: self.half_width.at(y),
            front: front - middle,
            back: middle - back,
            exponents: [2.1, 2.1],
        };
        let (x, z) = section.at(angle - FRAC_PI_2);
        point(self.middle.at(y) + x, y, middle + z)
    }

    /// Centre of the leg at a height [m].
    pub(super) fn centre(&self, y: f64) -> DVec3 {
        point(self.middle.at(y), y, 0.5 * (self.front.at(y) + self.back.at(y)))
    }
}

fn mid_level(l: &Levels) -> f64 {
    l.knee + MID * (l.thigh - l.knee)
}

fn below_knee(l: &Levels) -> f64 {
    l.knee - 0.42 * (l.knee - l.calf)
}

fn half_widths(l: &Levels, s: &Sizes) -> Curve {
    Curve::new([
        (l.crotch, 1.01 * s.thigh[0]),
        (l.thigh, s.thigh[0]),
        (mid_level(l), 0.96 * s.mid),
        (l.knee, 0.94 * s.knee),
        (below_knee(l), 0.97 * s.below_knee),
        (l.calf, 0.98 * s.calf),
        (0.5 * (l.calf + l.ankle), 0.42 * s.calf + 0.50 * s.ankle),
        (l.ankle, 0.88 * s.ankle),
    ])
}

/// Front and back as z: the thigh bows forward, the calf swells behind.
fn depths(l: &Levels, s: &Sizes, k: f64) -> [Curve; 2] {
    let depth = s.thigh[1];
    let front = Curve::new([
        (l.crotch, depth),
        (l.thigh, 0.006 * k + depth),
        (mid_level(l), 0.016 * k + 1.04 * s.mid),
        (l.knee, 0.008 * k + 1.06 * s.knee),
        (below_knee(l), -0.002 * k + 0.98 * s.below_knee),
        (l.calf, -0.012 * k + 0.86 * s.calf),
        (l.ankle, -0.026 * k + 1.12 * s.ankle),
    ]);
    let back = Curve::new([
        (l.crotch, -0.012 * k - depth),
        (l.thigh, -0.006 * k - depth),
        (mid_level(l), 0.008 * k - 1.04 * s.mid),
        (l.knee, 0.002 * k - s.knee),
        (below_knee(l), -0.014 * k - s.below_knee),
        (l.calf, -0.022 * k - 1.10 * s.calf),
        (0.5 * (l.calf + l.ankle), -0.024 * k - 0.53 * s.calf - 0.58 * s.ankle),
        (l.ankle, -0.026 * k - 1.12 * s.ankle),
    ]);
    [front, back]
}

fn middles(l: &Levels, s: &Sizes, k: f64) -> Curve {
    let apart = |half_width: f64, x: f64| x.max(half_width + 1.2 * HALF_GAP);
    let hip = s.thigh[0] + HALF_GAP;
    let knee = apart(0.94 * s.knee, hip.min(0.087 * k));
    Curve::new([
        (l.thigh, hip),
        (mid_level(l), apart(0.96 * s.mid, knee + MID * (hip - knee))),
        (l.knee, knee),
        (l.calf, apart(0.98 * s.calf, hip.min(0.091 * k))),
        // The foot is wider than the ankle.
        (l.ankle, apart(0.05 * k, hip.min(0.091 * k))),
    ])
}
