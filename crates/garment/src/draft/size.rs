//! Graded sizes: the body a ready-made garment is cut for.
//!
//! Bust, waist and hip of the letter sizes of EN 13402-3 (middle of each range, rounded to a centimetre; steps of 8 cm, 6 cm
//! for the smallest hips); heights hardly change. Other measurements follow by regression. A neutral size lies half way.

use toile_body::{Figure, Given, Measurement as M, Measurements, complete};

use crate::role::words;

words! {
    /// A letter size.
    Size {
        /// Extra small.
        Xs = "XS",
        /// Small.
        S = "S",
        /// Medium.
        M = "M",
        /// Large.
        L = "L",
        /// Extra large.
        Xl = "XL",
        /// Twice extra large.
        Xxl = "XXL",
    }
}

/// Bust, waist, hip of a woman and chest, waist, hip of a man [cm].
const TABLE_CM: [[[f64; 3]; 2]; 6] = [
    [[78.0, 62.0, 86.0], [84.0, 72.0, 88.0]],
    [[84.0, 68.0, 92.0], [92.0, 80.0, 94.0]],
    [[92.0, 76.0, 99.0], [100.0, 88.0, 101.0]],
    [[100.0, 84.0, 106.0], [108.0, 96.0, 108.0]],
    [[110.0, 94.0, 114.0], [117.0, 106.0, 115.0]],
    [[122.0, 106.0, 124.0], [127.0, 117.0, 123.0]],
];

impl Size {
    /// The measurements a size is cut for [m].
    pub fn measurements(self, figure: Figure) -> Measurements {
        let [female, male] = TABLE_CM[self as usize];
        let share = match figure {
            Figure::Female => 0.0,
            Figure::Male => 1.0,
            Figure::Neutral => 0.5,
        };
        let mix = |i: usize| 0.01 * ((1.0 - share) * female[i] + share * male[i]);
        let height = 1.68 + 0.10 * share;
        let given = Given::NONE.with(M::Bust, mix(0)).with(M::Waist, mix(1)).with(M::Hip, mix(2));
        complete(figure, &given.with(M::Height, height))
    }
}
