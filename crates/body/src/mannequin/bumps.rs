//! Swellings on the sections of the trunk: breasts or chest muscles, seat, shoulder blades, the groove of the spine.
//!
//! A bump is a hill `h (1 − r^2p)²` over an ellipse on the front or back, with its own reach upward and downward; `p` is
//! its roundness. How large a breast is follows from what the tape gains between underbust and bust.

use super::form::{Design, Levels};
use crate::measurement::Measurement as M;

/// A swelling of the front (`direction` +1) or back (−1), mirrored on both sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bump {
    centre: [f64; 2],
    /// Half width, reach upward and downward [m].
    reach: [f64; 3],
    height: f64,
    direction: f64,
    /// 1 for a gentle hill; more makes the top rounder and the foot steeper.
    roundness: f64,
}

impl Bump {
    /// How far the surface is moved along z at a point of a section [m]; `facing` is the cosine of its angle from the
    /// front. Toward the sides bumps fade.
    pub(super) fn swelling(&self, x: f64, y: f64, facing: f64) -> f64 {
        let toward = self.direction * facing;
        if toward <= 0.0 { 0.0 } else { self.direction * self.height * self.at(x, y) * (1.6 * toward).min(1.0) }
    }

    fn at(&self, x: f64, y: f64) -> f64 {
        let up = y - self.centre[1];
        let v = up / if up > 0.0 { self.reach[1] } else { self.reach[2] };
        let side = |x0: f64| bump((((x - x0) / self.reach[0]).powi(2) + v * v).powf(self.roundness));
        if self.centre[0] == 0.0 { side(0.0) } else { side(self.centre[0]) + side(-self.centre[0]) }
    }
}

/// `(1 − r²)²` inside the unit circle, 0 outside: a smooth bump of height one.
fn bump(r_sq: f64) -> f64 {
    let inside = (1.0 - r_sq).max(0.0);
    inside * inside
}

/// The bumps of a body.
pub(super) fn bumps(design: &Design, l: &Levels) -> Vec<Bump> {
    let k = design.scale;
    let w = &design.wanted;
    let girth = w[M::Bust] / design.reference[M::Bust];
    // What the tape gains over the breasts beyond what the ribs gain from below the breasts to their level.
    let gain = w[M::Bust] - 1.03 * w[M::Underbust];
    let breast = design.mix([(0.42 * gain).max(0.012 * k), (0.10 * gain).clamp(0.011 * k, 0.03)]);
    let seat = 0.036 * k * design.fullness(M::Hip).powf(0.5);
    let seat_reach = k * design.fullness(M::Hip).sqrt();
    vec![
        Bump {
            centre: [design.mix([0.083, 0.085]) * k * girth.sqrt(), l.bust + design.mix([0.0, 0.012]) * k],
            reach: [
                design.mix([0.080, 0.095]) * k * girth.sqrt(),
                design.mix([0.115, 0.105]) * k,
                design.mix([1.12 * (l.bust - l.underbust), 0.062 * k]),
            ],
            height: breast,
            direction: 1.0,
            roundness: 1.15,
        },
        Bump {
            centre: [0.078 * seat_reach, l.hip - 0.008 * k],
            reach: [0.115 * seat_reach, 0.165 * seat_reach, 0.120 * k],
            height: design.mix([1.0, 0.85]) * seat,
            direction: -1.0,
            roundness: 1.4,
        },
        Bump {
            centre: [0.085 * k, l.armpit + 0.01 * k],
            reach: [0.085 * k, 0.10 * k, 0.12 * k],
            height: design.mix([0.008, 0.010]) * k,
            direction: -1.0,
            roundness: 1.0,
        },
        // The groove of the spine.
        Bump {
            centre: [0.0, l.underbust],
            reach: [0.045 * k, 0.24 * k, 0.20 * k],
            height: -0.007 * k,
            direction: -1.0,
            roundness: 1.0,
        },
    ]
}
