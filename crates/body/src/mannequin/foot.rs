//! Feet: sections that turn from horizontal at the ankle to vertical at the toes.
//!
//! A section spans from a point on the upper outline (instep) to one on the lower outline (heel and sole); both run from
//! the ankle (0) to the toes (1), so the plane of the section fans out around the instep.

use std::f64::consts::FRAC_PI_2;

use toile_mesh::DVec3;

use super::curve::Curve;
use super::form::{Design, Levels, Section, point};
use crate::measurement::Measurement as M;

/// Outlines of the left foot as functions of the way from ankle (0) to toes (1).
pub(super) struct Foot {
    /// z and y of the upper outline [m].
    upper: [Curve; 2],
    /// z and y of the lower outline [m].
    lower: [Curve; 2],
    half_width: Curve,
    middle: Curve,
}

/// Points of the foot lower than this lie on the floor [m].
const SOLE: f64 = 0.003;

impl Foot {
    /// The foot below an ankle whose section is in the middle at `x`, reaches from `front` to `back` and is this wide.
    pub(super) fn new(design: &Design, l: &Levels, x: f64, [front, back]: [f64; 2], half_width: f64) -> Self {
        let k = design.scale;
        let length = design.mix([0.150, 0.153]) * design.wanted[M::Height];
        let heel = back - 0.016 * k;
        let toe = heel + length;
        let y = l.ankle;
        let at = |way: f64, p: [f64; 2]| (way, p);
        let curves = |points: &[(f64, [f64; 2])]| [0, 1].map(|i| Curve::new(points.iter().map(|(w, p)| (*w, p[i]))));
        let upper = curves(&[
            at(0.0, [front, y]),
            at(0.2, [front + 0.006 * k, 0.80 * y]),
            at(0.35, [front + 0.020 * k, 0.68 * y]),
            at(0.5, [front + 0.035 * k, 0.58 * y]),
            at(0.7, [heel + 0.70 * length, 0.40 * y]),
            at(0.88, [heel + 0.89 * length, 0.31 * y]),
            at(0.96, [heel + 0.965 * length, 0.285 * y]),
            at(1.0, [toe, 0.20 * y]),
        ]);
        let lower = curves(&[
            at(0.0, [back, y]),
            at(0.13, [heel + 0.003 * k, 0.55 * y]),
            at(0.24, [heel, 0.28 * y]),
            at(0.33, [heel + 0.008 * k, 0.07 * y]),
            at(0.40, [heel + 0.035 * k, 0.0]),
            at(0.55, [heel + 0.40 * length, 0.0]),
            at(0.7, [heel + 0.68 * length, 0.0]),
            at(0.88, [heel + 0.88 * length, 0.0]),
            at(0.96, [heel + 0.955 * length, 0.001 * k]),
            at(1.0, [toe, 0.007 * k]),
        ]);
        let half_width = Curve::new([
            (0.0, half_width),
            (0.2, 0.034 * k),
            (0.33, 0.033 * k),
            (0.55, 0.040 * k),
            (0.74, 0.048 * k),
            (0.9, 0.044 * k),
            (0.96, 0.040 * k),
            (1.0, 0.031 * k),
        ]);
        let middle = Curve::new([(0.0, x), (0.3, x), (0.75, x + 0.017 * k), (1.0, x + 0.020 * k)]);
        Self { upper, lower, half_width, middle }
    }

    /// Point of the foot at a way from the ankle (0) to the toes (1); angle as for the leg.
    pub(super) fn at(&self, way: f64, angle: f64) -> DVec3 {
        let [upper, lower] = [&self.upper, &self.lower].map(|c| point(0.0, c[1].at(way), c[0].at(way)));
        let middle = 0.5 * (upper + lower);
        let up = 0.5 * (upper - lower);
        let boxy = 2.1 + 0.9 * way.min(0.8);
        let section = Section { half_width: self.half_width.at(way), front: 1.0, back: 1.0, exponents: [2.1, boxy] };
        let (x, t) = section.at(angle - FRAC_PI_2);
        let p = point(self.middle.at(way) + x, 0.0, 0.0) + middle + t * up;
        if p.y < SOLE { point(p.x, 0.0, p.z) } else { p }
    }
}
