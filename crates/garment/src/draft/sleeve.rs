//! The set-in sleeve, fitted to its armhole.
//!
//! The cap is an S-curve on either side of its top, level at the underarm and at the top. Given the lengths `L_f`, `L_b` of
//! front and back armhole, the ease `e` and the girth `g` at the upper arm, its height `h` and the widths `w_f + w_b = g` are
//! solved for: at a height, the width of each half follows from `length = L (1 + e)` (a curve grows with its width), and
//! the sum of both widths falls with the height.

use kurbo::Point;

use super::DraftError;
use super::pen::{Pen, p, solve};
use crate::curve::{Curve, Segment};
use crate::pattern::{Cut, Panel};
use crate::role::Part;

/// What a sleeve is drawn from; lengths [m].
pub(super) struct Sleeve {
    /// Lengths of the front and the back armhole.
    pub(super) armhole: [f64; 2],
    /// Length of the cap over that of the armhole, less one.
    pub(super) ease: f64,
    /// Girth at the upper arm.
    pub(super) biceps: f64,
    /// From the top of the cap to the hem.
    pub(super) length: f64,
    /// Girth at the hem.
    pub(super) hem: f64,
}

/// How far the curve stays level at the underarm and at the top, as parts of the width; deeper in front.
const LEVEL: [[f64; 2]; 2] = [[0.50, 0.46], [0.40, 0.50]];

/// Half a cap of width `w` and height `h`, from the underarm at x = `w` to the top at x = 0.
fn half_cap(w: f64, h: f64, [under, top]: [f64; 2]) -> Segment {
    Segment::new(p(w, 0.0), Curve::Cubic(p(w * (1.0 - under), 0.0), p(w * top, h)), p(0.0, h))
}

impl Sleeve {
    /// Widths in front and behind, and the height of the cap.
    fn cap(&self) -> Result<([f64; 2], f64), DraftError> {
        let lengths = self.armhole.map(|length| length * (1.0 + self.ease));
        let widths =
            |h: f64| [0, 1].map(|i| solve(0.0, lengths[i], |w| half_cap(w, h, LEVEL[i]).length() - lengths[i]));
        let most = lengths[0].min(lengths[1]);
        let flat: f64 = widths(0.02).iter().sum();
        if self.biceps > flat {
            let (wide, armhole) = (100.0 * self.biceps, 100.0 * (self.armhole[0] + self.armhole[1]));
            let reason = format!("a sleeve of {wide:.1} cm does not fit into an armhole of {armhole:.1} cm");
            return Err(DraftError::impossible(reason, "lower `biceps_ease`, or raise `armhole_drop`"));
        }
        let h = solve(0.02, 0.98 * most, |h| self.biceps - widths(h).iter().sum::<f64>());
        Ok((widths(h), h))
    }

    /// The left sleeve, seen from outside: its front at x < 0, the underarm at y = 0.
    pub(super) fn draw(&self) -> Result<Panel, DraftError> {
        let ([front, back], height) = self.cap()?;
        let under = self.length - height;
        if under < 0.01 {
            let reason = format!("the sleeve is shorter than its cap of {:.1} cm and a centimetre", 100.0 * height);
            return Err(DraftError::impossible(
                reason,
                "raise `sleeve_length`, or raise `biceps_ease` for a flatter cap",
            ));
        }
        // The hem is centred under the arm's width, so that both underarm seams are equally long.
        let middle = 0.5 * (back - front);
        let (left, right) = (p(middle - 0.5 * self.hem, -under), p(middle + 0.5 * self.hem, -under));
        let mirror = |point: Point| p(-point.x, point.y);
        let behind = half_cap(back, height, LEVEL[1]);
        let ahead = half_cap(front, height, LEVEL[0]);
        let (Curve::Cubic(b0, b1), Curve::Cubic(a0, a1)) = (behind.curve, ahead.curve) else {
            return Err(DraftError::impossible("the cap is no curve", "check the armhole"));
        };
        let mut panel = Pen::at(left)
            .line("hem", right)
            .line("under_back", p(back, 0.0))
            .cubic("cap_back", b0, b1, p(0.0, height))
            .cubic("cap_front", mirror(a1), mirror(a0), p(-front, 0.0))
            .line("under_front", left)
            .panel("sleeve", Part::Sleeve, Cut::Pair);
        panel.grain = [p(0.0, -0.8 * under), p(0.0, 0.8 * height)];
        Ok(panel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_cap_has_the_length_of_the_armhole_and_the_sleeve_its_girth(
            front in 0.2..0.3_f64, more in -0.02..0.04_f64, ease in 0.0..0.05_f64, share in 0.6..0.85_f64,
        ) {
            let armhole = [front, front + more];
            let biceps = share * (armhole[0] + armhole[1]);
            let sleeve = Sleeve { armhole, ease, biceps, length: 0.6, hem: 0.25 };
            let panel = sleeve.draw().unwrap();
            for (edge, wanted) in [("cap_front", armhole[0]), ("cap_back", armhole[1])] {
                let found = panel.length(panel.find(edge).unwrap());
                prop_assert!((found - wanted * (1.0 + ease)).abs() < 1e-6);
            }
            let width = panel.outline[2].start.x - panel.outline[4].start.x;
            prop_assert!((width - biceps).abs() < 1e-6);
            let under = ["under_front", "under_back"].map(|e| panel.length(panel.find(e).unwrap()));
            prop_assert!((under[0] - under[1]).abs() < 1e-9);
        }
    }
}
