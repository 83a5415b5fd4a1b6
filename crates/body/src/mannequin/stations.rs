//! The sections of trunk, neck and head at their landmarks, for a reference woman (168 cm, bust 92, waist 74, hip 99 cm)
//! and a reference man (178 cm, chest 100, waist 85, hip 99.5 cm).
//!
//! The numbers were drawn by eye after the proportions of dress forms and figure drawing; girths need not be exact here,
//! since the fit scales each section until the tape agrees.

use super::form::{Design, Levels};
use crate::measurement::Measurement as M;

/// Power with which a half width grows with girth.
pub(super) const WIDTH_POWER: f64 = 0.80;

/// A level with its section, `[woman, man]` each [m], on a body of the reference's height.
pub(super) struct Station {
    /// Height above the floor [m].
    pub(super) level: f64,
    pub(super) half_width: [f64; 2],
    /// Depth in front of and (negative) behind the plumb line.
    pub(super) front: [f64; 2],
    pub(super) back: [f64; 2],
    /// Where between back (0) and front (1) it is widest.
    pub(super) widest: f64,
    /// Exponents of Lamé's curve in front and behind.
    pub(super) exponents: [f64; 2],
    /// Girths by which it grows, with their shares.
    pub(super) by: [(M, f64); 2],
    /// Half width, over half the width of the shoulders, beyond which it hardly grows: arms must find room.
    pub(super) widest_share: f64,
}

type Pair = [f64; 2];

/// A section: half width, depth in front, depth behind, widest place, exponents.
const fn section(half_width: Pair, front: Pair, back: Pair, widest: f64, exponents: Pair) -> Station {
    let by = [(M::Hip, 0.0); 2];
    Station { level: 0.0, half_width, front, back, widest, exponents, by, widest_share: f64::INFINITY }
}

impl Station {
    /// Logarithm of the girths it grows by.
    pub(super) fn growth(&self, design: &Design) -> f64 {
        self.by.iter().map(|&(m, share)| share * design.fullness(m).ln()).sum()
    }

    /// At a height, growing with one girth, or with two by shares.
    fn at(self, level: f64, by: [(M, f64); 2]) -> Self {
        Self { level, by, ..self }
    }

    /// As wide as this share of the shoulders at most, nearly.
    fn within(self, widest_share: f64) -> Self {
        Self { widest_share, ..self }
    }
}

/// All stations, from the crotch to the crown.
pub(super) fn stations(design: &Design, l: &Levels) -> Vec<Station> {
    let mut all = torso(l);
    all.extend(shoulders(design, l));
    all.extend(head(l));
    all
}

fn torso(l: &Levels) -> Vec<Station> {
    let between = |a: f64, b: f64, t: f64| a + t * (b - a);
    let only = |m| [(m, 1.0), (m, 0.0)];
    let both = |a, b, t: f64| [(a, 1.0 - t), (b, t)];
    let ribs = both(M::Bust, M::Underbust, 0.5);
    vec![
        section([0.176, 0.170], [0.086, 0.092], [-0.096, -0.093], 0.50, [2.2, 2.2]).at(l.crotch, only(M::Hip)),
        section([0.178, 0.170], [0.094, 0.098], [-0.102, -0.099], 0.48, [2.3, 2.2])
            .at(l.hip, both(M::Hip, M::Waist, 0.25)),
        section([0.163, 0.160], [0.106, 0.105], [-0.098, -0.094], 0.46, [2.3, 2.2])
            .at(between(l.hip, l.waist, 0.5), both(M::Hip, M::Waist, 0.5)),
        section([0.126, 0.146], [0.097, 0.106], [-0.072, -0.085], 0.48, [2.25, 2.3]).at(l.waist, only(M::Waist)),
        section([0.133, 0.155], [0.096, 0.112], [-0.092, -0.105], 0.48, [2.3, 2.3]).at(l.underbust, only(M::Underbust)),
        section([0.143, 0.167], [0.097, 0.116], [-0.111, -0.124], 0.44, [2.4, 2.4])
            .at(l.bust, only(M::Bust))
            .within(1.04),
        section([0.150, 0.176], [0.086, 0.104], [-0.116, -0.130], 0.42, [2.3, 2.4])
            .at(between(l.bust, l.acromion, 0.38), ribs)
            .within(0.92),
        section([0.160, 0.184], [0.068, 0.082], [-0.112, -0.127], 0.42, [2.2, 2.3])
            .at(between(l.bust, l.acromion, 0.70), ribs)
            .within(0.92),
    ]
}

/// From the shoulder points along the slope to the neck.
fn shoulders(design: &Design, l: &Levels) -> Vec<Station> {
    let shoulder = 0.5 * design.drawn[M::ShoulderWidth] / design.scale;
    let neck = design.neck_side_half_width() / design.scale;
    let along = |t: f64, section: Station, bust: f64, to_neck: f64| {
        let level = l.acromion + t * (l.neck_side - l.acromion);
        let station = section.at(level, [(M::Bust, bust), (M::Neck, to_neck)]);
        // The half width is that of the shoulder line itself: its growth by girths is taken back.
        let half_width = (shoulder + t * (neck - shoulder)) * (-WIDTH_POWER * station.growth(design)).exp();
        Station { half_width: [half_width; 2], ..station }
    };
    let width = [0.0; 2];
    vec![
        along(0.00, section(width, [0.034, 0.044], [-0.098, -0.112], 0.42, [2.0, 2.2]), 0.45, 0.25),
        along(0.30, section(width, [0.026, 0.034], [-0.092, -0.106], 0.42, [2.0, 2.0]), 0.30, 0.45),
        along(0.65, section(width, [0.026, 0.032], [-0.084, -0.096], 0.42, [2.0, 2.0]), 0.15, 0.65),
        along(1.00, section(width, [0.033, 0.038], [-0.075, -0.084], 0.45, [2.0, 2.0]), 0.00, 0.90),
    ]
}

/// From the middle of the neck over chin and brow to the crown. A thick neck takes the jaw along.
fn head(l: &Levels) -> Vec<Station> {
    let at = |section: Station, t: f64, neck: f64| {
        section.at(l.chin + t * (l.top - l.chin), [(M::Neck, neck), (M::Head, 1.0 - neck)])
    };
    let neck = section([0.052, 0.060], [0.041, 0.047], [-0.063, -0.069], 0.47, [2.0, 2.0]);
    let brow = section([0.0740, 0.0765], [0.097, 0.102], [-0.093, -0.095], 0.38, [2.1, 2.1]);
    vec![
        neck.at(0.5 * (l.neck_side + l.chin), [(M::Neck, 1.0), (M::Head, 0.0)]),
        at(section([0.051, 0.059], [0.048, 0.055], [-0.057, -0.063], 0.47, [2.0, 2.0]), -0.03, 0.9),
        at(section([0.049, 0.055], [0.076, 0.082], [-0.056, -0.062], 0.42, [1.85, 2.0]), 0.01, 0.5),
        at(section([0.052, 0.058], [0.095, 0.101], [-0.058, -0.064], 0.38, [1.75, 2.0]), 0.07, 0.4),
        at(section([0.0595, 0.0655], [0.102, 0.108], [-0.065, -0.070], 0.38, [1.9, 2.0]), 0.18, 0.25),
        at(section([0.0675, 0.0715], [0.104, 0.110], [-0.079, -0.082], 0.38, [2.1, 2.0]), 0.34, 0.1),
        at(section([0.0725, 0.0755], [0.101, 0.107], [-0.089, -0.091], 0.38, [2.1, 2.0]), 0.50, 0.0),
        brow.at(l.brow, [(M::Head, 1.0), (M::Head, 0.0)]),
        at(section([0.0670, 0.0690], [0.084, 0.087], [-0.085, -0.087], 0.40, [2.1, 2.1]), 0.80, 0.0),
        at(section([0.0495, 0.0505], [0.059, 0.060], [-0.063, -0.064], 0.45, [2.1, 2.1]), 0.91, 0.0),
        at(section([0.016, 0.016], [0.016, 0.016], [-0.022, -0.022], 0.50, [2.0, 2.0]), 1.0, 0.0),
    ]
}
