//! A strip that hangs over an edge by its own weight: the exact heavy elastica, forwards and backwards.
//!
//! Arc length `s` from the clamp (0) to the free end (1) in units of the overhang `L`, `θ` the angle below the horizontal,
//! `Γ = σ g L³/B`:
//!
//! ```text
//! θ'' = −Γ (1 − s) cos θ        θ(0) = 0        θ'(1) = 0
//! ```
//!
//! From the free end, with `ψ = π/2 − θ` and `x = Γ^⅓ (1 − s)`, this is `ψ'' = x sin ψ`, `ψ(0) = δ`, `ψ'(0) = 0`, and the
//! clamp is where `ψ = π/2`. One integration therefore gives a whole strip with the load `Γ = x³`, without shooting; the
//! longer the strip, the smaller `δ`, and a strip with a wanted load or chord is found by bisecting `ln δ`. The drop is
//! `H/L = ∫ sin θ ds`, the reach `W/L = ∫ cos θ ds`, the chord angle `atan(H/W)`.
//!
//! The usual formula of Peirce 1930, `B = σ g l³ cos(θ/2)/(8 tan θ)`, is 6 % too large at 41.5° and 24 % at 70°; turning a
//! measured angle into a rigidity here inverts the exact curve instead. The rule `c = l/2` at 41.5° is good to 0.05 %.

use std::f64::consts::FRAC_PI_2;

use super::{FabricError, Measured, STANDARD_GRAVITY};

/// Smallest and largest load `Γ` that is solved. Beyond them a strip is a straight line to five digits.
pub const LOADS: [f64; 2] = [1e-4, 1e5];
/// Chord angle of the usual test, ASTM D1388 [°].
pub const USUAL_CHORD_DEG: f64 = 41.5;

/// Step of the integration in `x`. The error of the method goes with its fourth power: below 1e-10.
const STEP: f64 = 1.0 / 128.0;
/// `ln δ` at the largest load; smaller needs no strip.
const LOWEST: f64 = -240.0;

/// The shape of a strip under its own weight, relative to its length.
///
/// ```
/// use toile_cloth::fabric::Cantilever;
/// let strip = Cantilever::with_load(8.0).expect("a load that is solved");
/// assert!((strip.drop / strip.reach - 0.88433).abs() < 1e-5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cantilever {
    /// `Γ = σ g L³/B`.
    pub load: f64,
    /// Horizontal distance from clamp to tip, `W/L`.
    pub reach: f64,
    /// Height of the clamp above the tip, `H/L`.
    pub drop: f64,
    /// Angle of the tip below the horizontal [rad].
    pub tip_angle: f64,
    /// Angle of the line from clamp to tip below the horizontal [rad].
    pub chord_angle: f64,
}

impl Cantilever {
    /// The strip under the load `Γ`, if that is within [`LOADS`].
    pub fn with_load(load: f64) -> Option<Self> {
        (LOADS[0]..=LOADS[1]).contains(&load).then(|| bisect(|strip| strip.load > load))
    }

    /// The strip whose chord hangs at `angle` [rad], if its load is within [`LOADS`].
    pub fn with_chord(angle: f64) -> Option<Self> {
        let allowed = angle > 0.0 && angle < FRAC_PI_2;
        let strip = allowed.then(|| bisect(|strip| strip.chord_angle > angle))?;
        (LOADS[0]..=LOADS[1]).contains(&strip.load).then_some(strip)
    }

    /// The strip whose tip is `delta` short of hanging straight down.
    fn with_tip(delta: f64) -> Self {
        let mut x = 0.0;
        let mut state = [delta, 0.0, 0.0, 0.0];
        loop {
            let next = advance(x, state, STEP);
            if next[0] >= FRAC_PI_2 || x > 100.0 {
                break;
            }
            state = next;
            x += STEP;
        }
        // The last step ends at the clamp; `ψ` grows ever faster along it, so Newton's method closes in.
        let mut last = STEP;
        for _ in 0..20 {
            let end = advance(x, state, last);
            let change = (end[0] - FRAC_PI_2) / end[1];
            last -= change;
            if change.abs() <= f64::EPSILON * (x + last) {
                break;
            }
        }
        let [_, _, height, width] = advance(x, state, last);
        x += last;
        let (drop, reach) = (height / x, width / x);
        Self { load: x * x * x, reach, drop, tip_angle: FRAC_PI_2 - delta, chord_angle: drop.atan2(reach) }
    }
}

/// One step of the classical Runge–Kutta method for `ψ`, `ψ'`, `∫ cos ψ`, `∫ sin ψ`.
fn advance(x: f64, state: [f64; 4], h: f64) -> [f64; 4] {
    let slope = |x: f64, y: [f64; 4]| {
        let (sin, cos) = y[0].sin_cos();
        [y[1], x * sin, cos, sin]
    };
    let moved = |by: f64, k: [f64; 4]| std::array::from_fn(|i| state[i] + by * k[i]);
    let k1 = slope(x, state);
    let k2 = slope(x + 0.5 * h, moved(0.5 * h, k1));
    let k3 = slope(x + 0.5 * h, moved(0.5 * h, k2));
    let k4 = slope(x + h, moved(h, k3));
    std::array::from_fn(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]))
}

/// The strip at which `too_heavy` changes; load and chord angle ascend as the tip comes to hang straight down.
fn bisect(too_heavy: impl Fn(&Cantilever) -> bool) -> Cantilever {
    let (mut heavy, mut light) = (LOWEST, FRAC_PI_2.ln());
    loop {
        let middle = 0.5 * (heavy + light);
        let strip = Cantilever::with_tip(middle.exp());
        if middle <= heavy || middle >= light {
            return strip;
        }
        *(if too_heavy(&strip) { &mut heavy } else { &mut light }) = middle;
    }
}

/// Bending rigidity [N·m] of cloth with `areal_density` [kg/m²] whose `overhang` [m] hangs with its chord at `chord_angle`
/// [rad]; `None` if the angle is not within the curve or a number is not positive.
///
/// ```
/// use toile_cloth::fabric::{STANDARD_GRAVITY, bending_rigidity};
/// // The rule of the test at 41.5°: half of the overhang is the bending length.
/// let rigidity = bending_rigidity(0.04, 0.2, 41.5_f64.to_radians()).expect("a measurable strip");
/// assert!((rigidity / (0.2 * STANDARD_GRAVITY * 0.02_f64.powi(3)) - 1.0).abs() < 6e-4);
/// ```
pub fn bending_rigidity(overhang: f64, areal_density: f64, chord_angle: f64) -> Option<f64> {
    let rigidity = areal_density * STANDARD_GRAVITY * overhang.powi(3) / Cantilever::with_chord(chord_angle)?.load;
    (rigidity.is_finite() && overhang > 0.0 && areal_density > 0.0).then_some(rigidity)
}

/// A cantilever test of strips along warp, weft and bias.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CantileverTest {
    /// Overhang of a strip along the warp \[mm\].
    pub overhang_warp_mm: Option<f64>,
    /// Overhang of a strip along the weft \[mm\].
    pub overhang_weft_mm: Option<f64>,
    /// Overhang of a strip at 45° \[mm\]; gives the twisting rigidity.
    pub overhang_bias_mm: Option<f64>,
    /// Angle of the chord at which the overhang was read \[°\]; 41.5° if not stated.
    pub angle_deg: Option<f64>,
}

impl CantileverTest {
    /// The rigidities that the test gives for cloth of `areal_density` [kg/m²]. A strip on the bias is narrow beside its overhang, so
    /// its sides are free to curl and twist: `4/B = 1/B1 + 2/Bt + 1/B2` ([`Fabric::bend_of_strip`]), which is solved for `Bt`.
    pub fn measured(&self, areal_density: f64) -> Result<Measured, FabricError> {
        let degrees = self.angle_deg.unwrap_or(USUAL_CHORD_DEG);
        let angle = degrees.to_radians();
        if Cantilever::with_chord(angle).is_none() {
            let reason = "is no angle of a hanging strip";
            let remedy = "give the angle of the line from edge to tip below the horizontal, usually 41.5";
            return Err(FabricError::of("angle_deg", degrees, reason, remedy));
        }
        let rigidity = |field: &'static str, overhang: Option<f64>| {
            let overhang = super::check::positive(field, overhang)?;
            Ok(overhang.and_then(|mm| bending_rigidity(1e-3 * mm, areal_density, angle)))
        };
        let bend_warp = rigidity("overhang_warp_mm", self.overhang_warp_mm)?;
        let bend_weft = rigidity("overhang_weft_mm", self.overhang_weft_mm)?;
        let bias = rigidity("overhang_bias_mm", self.overhang_bias_mm)?;
        let mut measured = Measured { bend_warp, bend_weft, ..Measured::default() };
        let (Some(b45), Some(mm)) = (bias, self.overhang_bias_mm) else { return Ok(measured) };
        let (Some(b1), Some(b2)) = (bend_warp, bend_weft) else {
            let remedy = "give `overhang_warp_mm` and `overhang_weft_mm` too";
            return Err(FabricError::of("overhang_bias_mm", mm, "is of no use without warp and weft", remedy));
        };
        let compliance = 4.0 / b45 - 1.0 / b1 - 1.0 / b2;
        let twist = 2.0 / compliance;
        if compliance <= 0.0 {
            let reason = "is too long for its warp and weft: no twisting rigidity is large enough";
            let remedy = "check that the three overhangs are of the same cloth, or leave the bias out";
            return Err(FabricError::of("overhang_bias_mm", mm, reason, remedy));
        }
        measured.bend_twist = Some(twist);
        Ok(measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Load, reach, drop, drop over reach, tip and chord angle in degrees; solved independently by shooting.
    const TABLE: [[f64; 6]; 11] = [
        [0.1, 0.99991, 0.01250, 0.01250, 0.955, 0.716],
        [1.0, 0.99125, 0.12347, 0.12456, 9.460, 7.100],
        [2.0, 0.96689, 0.23851, 0.24667, 18.426, 13.857],
        [5.0, 0.84666, 0.49591, 0.58572, 39.935, 30.358],
        [8.0, 0.72443, 0.64063, 0.88433, 53.865, 41.487],
        [10.0, 0.65635, 0.70020, 1.06680, 60.312, 46.851],
        [20.0, 0.44523, 0.82988, 1.86393, 76.748, 61.786],
        [50.0, 0.24502, 0.90792, 3.70556, 87.459, 74.898],
        [100.0, 0.15922, 0.93752, 5.8881, 89.617, 80.361],
        [1000.0, 0.04599, 0.98114, 21.335, 90.0, 87.316],
        [10000.0, 0.01426, 0.99411, 69.709, 90.0, 89.178],
    ];

    #[test]
    fn strips_hang_as_in_the_table() {
        for [load, reach, drop, ratio, tip, chord] in TABLE {
            let strip = Cantilever::with_load(load).unwrap();
            let near = |a: f64, b: f64, digit: f64| assert!((a - b).abs() <= 0.6 * digit, "{load}: {a} {b}");
            near(strip.reach, reach, 1e-5);
            near(strip.drop, drop, 1e-5);
            // Printed with five digits that count, and at most five after the point.
            near(strip.drop / strip.reach, ratio, 10_f64.powf(ratio.log10().floor() - 4.0).max(1e-5));
            near(strip.tip_angle.to_degrees(), tip, 1e-3);
            near(strip.chord_angle.to_degrees(), chord, 1e-3);
            assert!((strip.load / load - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_light_load_bends_as_a_beam() {
        let strip = Cantilever::with_load(1e-3).unwrap();
        assert!((strip.drop / (1e-3 / 8.0) - 1.0).abs() < 1e-6 && (strip.tip_angle / (1e-3 / 6.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_usual_angle_belongs_to_a_load_of_eight() {
        let strip = Cantilever::with_chord(USUAL_CHORD_DEG.to_radians()).unwrap();
        assert!((strip.load - 8.0042).abs() < 1e-4, "{}", strip.load);
    }

    #[test]
    fn the_formula_of_peirce_is_as_wrong_as_known() {
        let known =
            [(10.0, 1.003), (20.0, 1.013), (30.0, 1.029), (41.5, 1.058), (50.0, 1.087), (60.0, 1.139), (70.0, 1.236)];
        for (degrees, ratio) in known {
            let angle = f64::to_radians(degrees);
            let (overhang, areal_density): (f64, f64) = (0.05, 0.15);
            let weight = areal_density * STANDARD_GRAVITY * overhang.powi(3);
            let peirce = weight * (0.5 * angle).cos() / (8.0 * angle.tan());
            let exact = bending_rigidity(overhang, areal_density, angle).unwrap();
            assert!((peirce / exact - ratio).abs() < 6e-4, "{degrees}: {}", peirce / exact);
        }
    }

    #[test]
    fn nonsense_has_no_strip() {
        for load in [0.0, -1.0, 1e6, f64::NAN, f64::INFINITY] {
            assert!(Cantilever::with_load(load).is_none());
        }
        for angle in [0.0, -0.1, FRAC_PI_2, 1.57, f64::NAN] {
            assert!(Cantilever::with_chord(angle).is_none(), "{angle}");
            assert!(bending_rigidity(0.05, 0.15, angle).is_none());
        }
        assert!(bending_rigidity(-0.05, -0.15, 0.7).is_none() && bending_rigidity(f64::NAN, 0.15, 0.7).is_none());
    }

    #[test]
    fn a_bias_strip_gives_the_twisting_rigidity() {
        let [b1, b2, twist]: [f64; 3] = [4e-5, 1e-5, 1.5e-5];
        let overhang = |b: f64| Some(1e3 * (8.004_2 * b / (0.2 * STANDARD_GRAVITY)).cbrt());
        let b45 = 4.0 / (1.0 / b1 + 2.0 / twist + 1.0 / b2);
        let test = CantileverTest {
            overhang_warp_mm: overhang(b1),
            overhang_weft_mm: overhang(b2),
            overhang_bias_mm: overhang(b45),
            angle_deg: None,
        };
        let measured = test.measured(0.2).unwrap();
        for (found, expected) in [(measured.bend_warp, b1), (measured.bend_weft, b2), (measured.bend_twist, twist)] {
            assert!((found.unwrap() / expected - 1.0).abs() < 1e-4);
        }
        let long = CantileverTest { overhang_bias_mm: overhang(b1), ..test }.measured(0.2).unwrap_err();
        assert_eq!(long.field, "overhang_bias_mm");
        let alone = CantileverTest { overhang_weft_mm: None, ..test }.measured(0.2).unwrap_err();
        assert!(alone.reason.contains("without warp and weft"));
        let upright = CantileverTest { angle_deg: Some(90.0), ..test }.measured(0.2).unwrap_err();
        assert_eq!(upright.field, "angle_deg");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn load_and_chord_are_inverse(exponent in -3.0..4.5) {
            let strip = Cantilever::with_load(10_f64.powf(exponent)).unwrap();
            let back = Cantilever::with_chord(strip.chord_angle).unwrap();
            prop_assert!((back.load / strip.load - 1.0).abs() < 1e-6, "{} {}", back.load, strip.load);
        }
    }
}
