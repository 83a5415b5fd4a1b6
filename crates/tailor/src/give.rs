//! How far cloth may be stretched to be put on.
//!
//! Sewn cloth gives by [`MOST_STRETCH`]. Where that does not close the seams, the garment is too small, and its cloth is let stretch more
//! and more, as one pulls at a zip: to the strain at which the tension of its softer threads is [`SEAM_STRENGTH`], and by
//! [`UTMOST_STRETCH`] at most. What the threads bear at a strain `ε` is the law of their fabric,
//! `s = E ε ((2 LT − 1) + 2 (1 − LT) (ε/e)²)` with the strain `e` at the reference load.

use std::ops::Range;

use toile_cloth::fabric::REFERENCE_LOAD;
use toile_cloth::{ClothModel, Fabric};

/// How long edges may become while they are sewn, over their length in the pattern: a tight band is pulled together.
pub(crate) const MOST_STRETCH: f64 = 1.06;
/// How much longer they may become each time that seams come no nearer.
const MORE_STRETCH: f64 = 0.02;
/// How long they may become at most, whatever the cloth is.
const UTMOST_STRETCH: f64 = 1.3;
/// Tension at which seams of clothes give way [N/m]: about 100 N on a strip of 5 cm.
const SEAM_STRENGTH: f64 = 2000.0;

/// How far a garment may be stretched to be closed, over its length in the pattern.
pub(crate) struct Give {
    pub(crate) now: f64,
    most: f64,
}

impl Give {
    /// What the softest of some fabrics gives.
    pub(crate) fn of<'f>(fabrics: impl IntoIterator<Item = &'f Fabric>) -> Self {
        let threads = fabrics.into_iter().flat_map(threads);
        let strain = threads.map(|thread| strain_of(thread, SEAM_STRENGTH)).fold(0.0, f64::max);
        Self { now: MOST_STRETCH, most: (1.0 + strain).clamp(MOST_STRETCH, UTMOST_STRETCH) }
    }

    /// No more than all sewn cloth gives.
    pub(crate) fn none() -> Self {
        Self { now: MOST_STRETCH, most: MOST_STRETCH }
    }

    /// Whether its cloth can be stretched more.
    pub(crate) fn has_more(&self) -> bool {
        self.now < self.most
    }

    /// Lets the edges of a garment become longer.
    pub(crate) fn more(&mut self, particles: &Range<usize>, model: &mut ClothModel) {
        self.now = (self.now + MORE_STRETCH).min(self.most);
        for edge in &mut model.structural {
            if particles.contains(&(edge.ends[0] as usize)) {
                edge.max = edge.max.max(self.now * edge.rest);
            }
        }
    }
}

/// Tension of the stiffer threads of a fabric that is stretched by a ratio [N/m]; no more than seams bear.
pub(crate) fn tension_of_stretched(fabric: &Fabric, ratio: f64) -> f64 {
    let [warp, weft] = threads(fabric).map(|thread| tension(thread, ratio - 1.0));
    warp.max(weft).min(SEAM_STRENGTH)
}

/// The strain at which the softer threads of a fabric have a tension [N/m].
pub(crate) fn strain_at(fabric: &Fabric, load: f64) -> f64 {
    threads(fabric).into_iter().map(|thread| strain_of(thread, load)).fold(0.0, f64::max)
}

/// Secant stiffness [N/m] and linearity of warp and weft.
fn threads(fabric: &Fabric) -> [[f64; 2]; 2] {
    [[fabric.stretch_warp, fabric.linearity_warp], [fabric.stretch_weft, fabric.linearity_weft]]
}

fn tension([stiffness, linearity]: [f64; 2], strain: f64) -> f64 {
    let share = strain * stiffness / REFERENCE_LOAD;
    stiffness * strain * ((2.0 * linearity - 1.0) + 2.0 * (1.0 - linearity) * share * share)
}

/// The strain at which threads have a tension [N/m], by bisection; 1 if it takes more than that.
fn strain_of(thread: [f64; 2], load: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if tension(thread, middle) < load { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn threads_bear_the_reference_load_and_take_the_work_of_their_linearity(
            stiffness in 800.0..20_000.0_f64, linearity in 0.51..1.0_f64,
        ) {
            let (thread, end) = ([stiffness, linearity], REFERENCE_LOAD / stiffness);
            prop_assert!((tension(thread, end) / REFERENCE_LOAD - 1.0).abs() < 1e-9);
            // The work of extension by the trapezoidal rule, over that of a straight line: what KES-F calls LT.
            let steps = 2000;
            let at = |k: i32| tension(thread, end * f64::from(k) / f64::from(steps));
            let work = (0..steps).map(|k| 0.5 * (at(k) + at(k + 1))).sum::<f64>() * end / f64::from(steps);
            prop_assert!((work / (0.5 * REFERENCE_LOAD * end) - linearity).abs() < 1e-5);
            prop_assert!((strain_of(thread, REFERENCE_LOAD) - end.min(1.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn jersey_gives_more_than_linen() {
        let jersey = Fabric { stretch_warp: 1960.0, stretch_weft: 1090.0, ..Fabric::default() };
        let linen = Fabric { stretch_warp: 19_600.0, stretch_weft: 12_300.0, ..Fabric::default() };
        let [jersey, linen] = [&jersey, &linen].map(|fabric| Give::of([fabric]).most);
        assert_eq!(jersey, UTMOST_STRETCH);
        // Straight lines: 2000 N/m on 12,300 N/m.
        assert!((linen - 1.0 - 2000.0 / 12_300.0).abs() < 1e-9);
    }
}
