//! Measurements nobody gave, from those that were given.
//!
//! A measurement `g` of a figure of height `h` is modelled as
//! `ln g = ln g₀ + a ln(h / h₀) + b c + ε`, with a reference body (`g₀`, `h₀`), an elasticity `a` to height, a corpulence
//! `c` common to all girths (the logarithm by which the waist exceeds that of the reference) with loading `b`, and a
//! residue `ε` of its own. The height comes first; then `c` is its most probable value given the girths, with normal
//! spreads `τ` of corpulence and `σ` of residues: the least of `Σ (e − b c)² / σ² + c² / τ²` over the given girths with
//! `e = ln g − ln g₀ − a ln(h / h₀)`. A wide head says little of a body, a wide waist nearly everything. A missing
//! measurement takes the residue of its nearest given relative (a thigh that of the hip), reduced by their kinship.
//!
//! References and loadings are rounded from size tables of ready-to-wear (EN 13402-3 steps: the ratio in which hip,
//! waist, thigh and arm grow from size to size). A regression of this kind is within some centimetres for most people;
//! whoever needs a girth exactly gives it.

use crate::Figure;
use crate::measurement::{Given, Kind, Measurement, Measurements};
use Measurement as M;

/// One row of the model.
struct Row {
    of: Measurement,
    /// Value of the reference woman and man [m; rad].
    reference: [f64; 2],
    /// Elasticity to height.
    height: f64,
    /// Loading on corpulence.
    corpulence: f64,
    /// Relatives whose residue it takes over if they are given, nearest first.
    kin: &'static [(Measurement, f64)],
}

const fn row(
    of: Measurement,
    reference: [f64; 2],
    height: f64,
    corpulence: f64,
    kin: &'static [(Measurement, f64)],
) -> Row {
    Row { of, reference, height, corpulence, kin }
}

const ROWS: [Row; crate::measurement::COUNT] = [
    row(M::Height, [1.68, 1.78], 1.0, 0.0, &[]),
    row(M::Inseam, [0.765, 0.815], 1.0, 0.0, &[]),
    row(M::BackLength, [0.405, 0.450], 0.9, 0.06, &[]),
    row(M::ArmLength, [0.575, 0.625], 1.0, 0.0, &[]),
    row(M::ShoulderWidth, [0.372, 0.410], 0.7, 0.12, &[]),
    row(M::ShoulderSlope, [0.366, 0.375], 0.0, 0.0, &[]),
    row(M::Head, [0.555, 0.573], 0.25, 0.06, &[]),
    row(M::Neck, [0.340, 0.385], 0.25, 0.40, &[(M::Bust, 0.4)]),
    row(M::Bust, [0.920, 1.000], 0.30, 0.80, &[(M::Underbust, 0.8), (M::Waist, 0.3)]),
    row(M::Underbust, [0.785, 0.935], 0.30, 0.80, &[(M::Bust, 0.8), (M::Waist, 0.4)]),
    row(M::Waist, [0.740, 0.850], 0.30, 1.00, &[(M::Underbust, 0.5), (M::Bust, 0.4), (M::Hip, 0.4)]),
    row(M::Hip, [0.990, 0.995], 0.35, 0.66, &[(M::Thigh, 0.5), (M::Waist, 0.4)]),
    row(M::Thigh, [0.575, 0.575], 0.35, 0.66, &[(M::Hip, 0.8)]),
    row(M::Knee, [0.365, 0.382], 0.45, 0.42, &[(M::Calf, 0.6), (M::Thigh, 0.4)]),
    row(M::Calf, [0.362, 0.378], 0.40, 0.42, &[(M::Knee, 0.6), (M::Thigh, 0.4)]),
    row(M::Ankle, [0.222, 0.232], 0.45, 0.25, &[(M::Calf, 0.5), (M::Knee, 0.4)]),
    row(M::UpperArm, [0.285, 0.315], 0.25, 0.80, &[(M::Wrist, 0.3), (M::Bust, 0.3)]),
    row(M::Wrist, [0.158, 0.173], 0.40, 0.28, &[(M::UpperArm, 0.3)]),
];

/// Standard deviation `σ` of the residue of a girth: a twentieth.
const RESIDUE: f64 = 0.05;

/// Standard deviation `τ` of corpulence among people: waists a fifth wider or narrower.
const CORPULENCE: f64 = 0.18;

/// The reference body of a figure [m; rad].
pub(crate) fn reference(figure: Figure) -> Measurements {
    Measurements::from_fn(|m| mix(&ROWS[m as usize], figure))
}

/// All measurements: the given ones as they are, the others by regression.
pub fn complete(figure: Figure, given: &Given) -> Measurements {
    let height = given[M::Height].unwrap_or_else(|| height_from_lengths(figure, given));
    let tall = (height / mix(&ROWS[M::Height as usize], figure)).ln();
    // ln(g / g₀) − a ln(h / h₀) of the given ones: corpulence and residue together.
    let excess = |r: &Row| given[r.of].map(|g| (g / mix(r, figure)).ln() - r.height * tall);
    let (mut above, mut below) = (0.0, (RESIDUE / CORPULENCE).powi(2));
    for r in ROWS.iter().filter(|r| r.of.kind() == Kind::Girth) {
        if let Some(e) = excess(r) {
            above += r.corpulence * e;
            below += r.corpulence * r.corpulence;
        }
    }
    let c = above / below;
    let residue = |m: Measurement| excess(&ROWS[m as usize]).map(|e| e - ROWS[m as usize].corpulence * c);
    let predict = |r: &Row| {
        let inherited = r.kin.iter().find_map(|&(m, share)| Some(share * residue(m)?)).unwrap_or(0.0);
        mix(r, figure) * (r.height * tall + r.corpulence * c + inherited).exp()
    };
    let mut all = Measurements::from_fn(|m| given[m].unwrap_or_else(|| predict(&ROWS[m as usize])));
    all[M::Height] = height;
    all
}

/// Height from the given lengths that grow with it; the reference's without any.
fn height_from_lengths(figure: Figure, given: &Given) -> f64 {
    let lengths = [M::Inseam, M::ArmLength, M::BackLength];
    let ratios: Vec<f64> =
        lengths.into_iter().filter_map(|m| Some(given[m]? / mix(&ROWS[m as usize], figure))).collect();
    let mean = if ratios.is_empty() { 1.0 } else { ratios.iter().sum::<f64>() / ratios.len() as f64 };
    mean * mix(&ROWS[M::Height as usize], figure)
}

fn mix(row: &Row, figure: Figure) -> f64 {
    let t = figure.masculinity();
    (1.0 - t) * row.reference[0] + t * row.reference[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_are_in_order() {
        for (i, r) in ROWS.iter().enumerate() {
            assert_eq!(r.of as usize, i);
        }
    }

    #[test]
    fn nothing_given_is_the_reference() {
        for figure in Figure::ALL {
            assert_eq!(complete(figure, &Given::NONE), reference(figure));
        }
    }

    #[test]
    fn a_wider_hip_means_wider_thighs_and_a_taller_body_longer_legs() {
        let base = complete(Figure::Female, &Given::NONE);
        let wide = complete(Figure::Female, &Given::NONE.with(M::Hip, 1.10));
        assert!(wide[M::Thigh] > 1.02 * base[M::Thigh] && wide[M::Waist] > base[M::Waist]);
        assert_eq!(wide[M::Inseam], base[M::Inseam]);
        let tall = complete(Figure::Female, &Given::NONE.with(M::Height, 1.68 * 1.1));
        assert!((tall[M::Inseam] - 1.1 * base[M::Inseam]).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn what_is_given_is_kept(i in 0..crate::measurement::COUNT, share in 0.0..1.0_f64) {
            let m = M::ALL[i];
            let [lo, hi] = m.range();
            let value = lo + share * (hi - lo);
            prop_assert_eq!(complete(Figure::Neutral, &Given::NONE.with(m, value))[m], value);
        }

        #[test]
        fn corpulence_is_the_most_probable(
            height in 1.4..2.0_f64, girths in prop::collection::vec((6..18_usize, 0.8..1.3_f64), 1..6),
        ) {
            let mut given = Given::NONE.with(M::Height, height);
            for (i, factor) in girths.into_iter().filter(|(i, _)| M::ALL[*i] != M::Head) {
                given[M::ALL[i]] = Some(ROWS[i].reference[0] * factor);
            }
            let tall = (height / 1.68).ln();
            let cost = |c: f64| {
                let of = |r: &Row| given[r.of].map_or(0.0, |g| {
                    ((g / r.reference[0]).ln() - r.height * tall - r.corpulence * c).powi(2) / RESIDUE.powi(2)
                });
                ROWS[6..].iter().map(of).sum::<f64>() + c * c / CORPULENCE.powi(2)
            };
            // The head, which has no relatives, tells the corpulence that was used.
            let head = complete(Figure::Female, &given)[M::Head] / ROWS[M::Head as usize].reference[0];
            let row = &ROWS[M::Head as usize];
            let c = (head.ln() - row.height * tall) / row.corpulence;
            for step in [-0.3, -1e-3, 1e-3, 0.3] {
                prop_assert!(cost(c) < cost(c + step));
            }
        }
    }

    #[test]
    fn a_long_back_or_a_small_head_does_not_change_the_waist_much() {
        let base = complete(Figure::Male, &Given::NONE);
        for (m, factor) in [(M::BackLength, 1.2), (M::Head, 0.85), (M::ShoulderWidth, 1.2)] {
            let other = complete(Figure::Male, &Given::NONE.with(m, factor * base[m]));
            assert!((other[M::Waist] / base[M::Waist] - 1.0).abs() < 0.15, "{m:?}: {}", other[M::Waist]);
        }
    }
}
