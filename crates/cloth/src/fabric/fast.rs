//! Values of the FAST system (CSIRO), in the units of its instruments.
//!
//! | value | unit | gives |
//! |---|---|---|
//! | E5, E20, E100 | % at 5, 20, 100 gf/cm | tension, see below |
//! | EB5 | % on the bias at 5 gf/cm | shear stiffness, see below |
//! | c | mm | `B = 9.81·10⁻⁶ W c³` µN·m |
//! | B | µN·m | bending rigidity |
//! | W | g/m² | mass per area |
//! | T2, T100 | mm at 2 and 100 gf/cm² | thickness: T2, or T100 if that is all |
//! | F | mm² | formability `B (E20 − E5)/14.7`; compared with the others if given |
//!
//! FAST stops at 100 gf/cm, [`Fabric`] wants the secant at 500 gf/cm. The curve `s = a ε + k ε³` of [`Fabric`] is laid
//! through the points of E20 and E100 and followed to the reference load at `ε`; then `E = s/ε` and `LT = (1 + a/E)/2`.
//! It is a straight line through E100 where E20 is missing or the measured curve does not stiffen. Where it stiffens
//! faster than a cube, `a` is a tenth of the secant at E100.
//!
//! A strip on the bias under the load `s` pulls its threads by `s/2` each and shears them by `s/2`. It extends by
//! `EB5 = (ε1 + ε2 + γ)/2`, with the extensions `ε1`, `ε2` of the threads at that load and `γ = s/(2 G)`, so
//! `G = s/(2 (2 EB5 − ε1 − ε2))`. Where the tension is not known threads count as stiff, and `G = 123/EB5` N/m as the manual says.

use super::check::positive;
use super::{Fabric, FabricError, Measured, REFERENCE_LOAD, Tension};

/// Loads of E20 and E100 [N/m].
const LOADS: [f64; 2] = [19.6133, 98.0665];
/// `G · EB5` of stiff threads [N/m · %], by the manual of FAST.
const BIAS: f64 = 123.0;
/// Load of EB5 [N/m]: 5 gf/cm.
const BIAS_LOAD: f64 = 4.903_325;
/// Bending rigidity [µN·m] of 1 g/m² with a bending length of 1 mm.
const WEIGHT_OF_LENGTH: f64 = 9.81e-6;
/// Divisor of formability in the units above.
const FORMABILITY: f64 = 14.7;
/// Values that follow from each other may differ by this share: they are printed with two or three digits.
const AGREEMENT: f64 = 0.1;
/// Extensions are printed with one digit after the point \[%\].
const EXTENSION_STEP: f64 = 0.1;
/// Smallest stiffness at rest relative to the secant at E100.
const LEAST_START: f64 = 0.1;

/// What FAST measures, as far as it was measured, in the units of the instrument.
///
/// ```
/// use toile_cloth::fabric::FastValues;
/// let suiting = FastValues {
///     e5_warp: Some(0.3), e20_warp: Some(0.9), e100_warp: Some(2.4),
///     e5_weft: Some(0.5), e20_weft: Some(1.6), e100_weft: Some(4.5),
///     eb5: Some(3.4), c_warp: Some(19.0), c_weft: Some(17.0), w: Some(180.0), t2: Some(0.55),
///     ..FastValues::default()
/// };
/// let fabric = suiting.fabric()?;
/// assert!((fabric.shear - 38.05).abs() < 0.01 && (fabric.bend_warp - 12.11e-6).abs() < 0.01e-6);
/// # Ok::<(), toile_cloth::fabric::FabricError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FastValues {
    /// Extension at 5 gf/cm along the warp \[%\].
    pub e5_warp: Option<f64>,
    /// Extension at 5 gf/cm along the weft \[%\].
    pub e5_weft: Option<f64>,
    /// Extension at 20 gf/cm along the warp \[%\].
    pub e20_warp: Option<f64>,
    /// Extension at 20 gf/cm along the weft \[%\].
    pub e20_weft: Option<f64>,
    /// Extension at 100 gf/cm along the warp \[%\].
    pub e100_warp: Option<f64>,
    /// Extension at 100 gf/cm along the weft \[%\].
    pub e100_weft: Option<f64>,
    /// Extension on the bias at 5 gf/cm \[%\].
    pub eb5: Option<f64>,
    /// Bending length along the warp \[mm\].
    pub c_warp: Option<f64>,
    /// Bending length along the weft \[mm\].
    pub c_weft: Option<f64>,
    /// Bending rigidity along the warp \[µN·m\].
    pub b_warp: Option<f64>,
    /// Bending rigidity along the weft \[µN·m\].
    pub b_weft: Option<f64>,
    /// Formability along the warp \[mm²\].
    pub f_warp: Option<f64>,
    /// Formability along the weft \[mm²\].
    pub f_weft: Option<f64>,
    /// Mass per area \[g/m²\].
    pub w: Option<f64>,
    /// Thickness at 2 gf/cm² \[mm\].
    pub t2: Option<f64>,
    /// Thickness at 100 gf/cm² \[mm\].
    pub t100: Option<f64>,
}

impl FastValues {
    /// The properties that these values give.
    pub fn measured(&self) -> Result<Measured, FabricError> {
        let w = positive("w", self.w)?;
        let [warp, weft] = self.directions();
        let (warp, weft) = (warp.measured(w)?, weft.measured(w)?);
        let (t2, t100) = (positive("t2", self.t2)?, positive("t100", self.t100)?);
        if let (Some(t2), Some(t100)) = (t2, t100)
            && t100 > t2
        {
            let reason = format!("contradicts `t2` = {t2}: pressed cloth cannot be thicker");
            return Err(FabricError::of("t100", t100, reason, "exchange `t2` and `t100`"));
        }
        Ok(Measured {
            areal_density: w.map(|w| w * 1e-3),
            thickness: t2.or(t100).map(|t| t * 1e-3),
            stretch_warp: warp.tension.map(|t| t[0]),
            stretch_weft: weft.tension.map(|t| t[0]),
            shear: positive("eb5", self.eb5)?.map(|eb5| shear(eb5, warp.tension, weft.tension)).transpose()?,
            linearity_warp: warp.tension.map(|t| t[1]),
            linearity_weft: weft.tension.map(|t| t[1]),
            bend_warp: warp.bend,
            bend_weft: weft.bend,
            ..Measured::default()
        })
    }

    /// The fabric, if the values suffice for one.
    pub fn fabric(&self) -> Result<Fabric, FabricError> {
        self.measured()?.complete()
    }

    fn directions(&self) -> [Direction; 2] {
        [
            Direction {
                names: ["e5_warp", "e20_warp", "e100_warp", "c_warp", "b_warp", "f_warp"],
                values: [self.e5_warp, self.e20_warp, self.e100_warp, self.c_warp, self.b_warp, self.f_warp],
            },
            Direction {
                names: ["e5_weft", "e20_weft", "e100_weft", "c_weft", "b_weft", "f_weft"],
                values: [self.e5_weft, self.e20_weft, self.e100_weft, self.c_weft, self.b_weft, self.f_weft],
            },
        ]
    }
}

/// E5, E20, E100, c, B, F of one direction with their names.
struct Direction {
    names: [&'static str; 6],
    values: [Option<f64>; 6],
}

struct DirectionResult {
    /// Secant stiffness [N/m] and linearity.
    tension: Option<[f64; 2]>,
    /// Bending rigidity [N·m].
    bend: Option<f64>,
}

impl Direction {
    fn measured(&self, w: Option<f64>) -> Result<DirectionResult, FabricError> {
        let mut values = [None; 6];
        for (i, value) in values.iter_mut().enumerate() {
            // The extension at the smallest load may be too small to see.
            let seen = self.values[i].filter(|x| !(i == 0 && *x == 0.0));
            *value = positive(self.names[i], seen)?;
        }
        let [_, e20, e100, ..] = values;
        self.extensions_ascend(&values)?;
        let bend = self.bend(&values, w)?;
        self.formability(&values, bend)?;
        let tension = e100.map(|e100| tension(e20.map(|e| e / 100.0), e100 / 100.0));
        Ok(DirectionResult { tension, bend: bend.map(|b| b * 1e-6) })
    }

    fn extensions_ascend(&self, values: &[Option<f64>; 6]) -> Result<(), FabricError> {
        let given: Vec<(usize, f64)> = (0..3).filter_map(|i| Some((i, values[i]?))).collect();
        for pair in given.windows(2) {
            let ((i, lower), (j, higher)) = (pair[0], pair[1]);
            if lower >= higher {
                let reason = format!("contradicts `{}` = {lower}: more load must extend more", self.names[i]);
                return Err(FabricError::of(self.names[j], higher, reason, "check which load belongs to which value"));
            }
        }
        Ok(())
    }

    /// Bending rigidity [µN·m], given or from the bending length.
    fn bend(&self, values: &[Option<f64>; 6], w: Option<f64>) -> Result<Option<f64>, FabricError> {
        let (names, [.., c, b, _]) = (self.names, *values);
        let from_length = match (c, w) {
            (Some(c), Some(w)) => Some(WEIGHT_OF_LENGTH * w * c * c * c),
            (Some(c), None) if b.is_none() => {
                let reason = "is of no use without the weight `w`";
                return Err(FabricError::of(names[3], c, reason, "give `w` in g/m² too"));
            }
            _ => None,
        };
        if let (Some(b), Some(other)) = (b, from_length)
            && (b / other - 1.0).abs() > AGREEMENT
        {
            let reason = format!("contradicts `{}` and `w`, which give {other:.3} µN·m", names[3]);
            return Err(FabricError::of(
                names[4],
                b,
                reason,
                format!("leave one of `{}` and `{}` out", names[4], names[3]),
            ));
        }
        Ok(b.or(from_length))
    }

    fn formability(&self, values: &[Option<f64>; 6], bend: Option<f64>) -> Result<(), FabricError> {
        let [Some(e5), Some(e20), .., Some(given)] = *values else { return Ok(()) };
        let Some(bend) = bend else { return Ok(()) };
        let expected = bend * (e20 - e5) / FORMABILITY;
        // Both extensions are rounded to a step, each by half of it.
        let tolerance = AGREEMENT * expected + bend * EXTENSION_STEP / FORMABILITY;
        if (given - expected).abs() <= tolerance {
            return Ok(());
        }
        let reason = format!("contradicts bending rigidity and extensions, which give {expected:.3} mm²");
        Err(FabricError::of(self.names[5], given, reason, "check the units of the bending rigidity, or leave it out"))
    }
}

/// Shear stiffness [N/m] from the extension on the bias \[%\] and what is known of the threads.
fn shear(eb5: f64, warp: Option<[f64; 2]>, weft: Option<[f64; 2]>) -> Result<f64, FabricError> {
    let (Some(warp), Some(weft)) = (warp, weft) else { return Ok(BIAS / eb5) };
    let strain = |[secant, linearity]: [f64; 2]| Tension::new(secant, linearity).strain(0.5 * BIAS_LOAD);
    let threads = strain(warp) + strain(weft);
    let angle = 2.0 * eb5 / 100.0 - threads;
    if angle > 0.0 {
        return Ok(0.5 * BIAS_LOAD / angle);
    }
    let reason = format!("is too small: the threads alone extend a strip on the bias by {:.2} %", 50.0 * threads);
    Err(FabricError::of(
        "eb5",
        eb5,
        reason,
        "check `eb5` and the extensions along warp and weft, or leave one of them out",
    ))
}

/// Secant stiffness at the reference load and linearity, from strains at 20 and 100 gf/cm.
fn tension(e20: Option<f64>, e100: f64) -> [f64; 2] {
    let secant = LOADS[1] / e100;
    let line = [secant, 1.0];
    let Some(e20) = e20 else { return line };
    // s/ε = a + k ε² at both points.
    let curvature = (secant - LOADS[0] / e20) / (e100 * e100 - e20 * e20);
    let start = (secant - curvature * e100 * e100).max(LEAST_START * secant);
    let k = (secant - start) / (e100 * e100);
    if !(k > 0.0 && start < secant) {
        return line;
    }
    // The cubic is convex and ascends: Newton's method from above falls to the root without passing it.
    let mut strain = (REFERENCE_LOAD / start).min((REFERENCE_LOAD / k).cbrt());
    for _ in 0..60 {
        let next =
            strain - (strain * (start + k * strain * strain) - REFERENCE_LOAD) / (start + 3.0 * k * strain * strain);
        if (next - strain).abs() <= f64::EPSILON * strain {
            break;
        }
        strain = next;
    }
    let stiffness = REFERENCE_LOAD / strain;
    [stiffness, 0.5 * (1.0 + start / stiffness)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn full() -> FastValues {
        FastValues {
            e5_warp: Some(0.3),
            e20_warp: Some(0.9),
            e100_warp: Some(2.4),
            e20_weft: Some(1.6),
            e100_weft: Some(4.5),
            eb5: Some(2.0),
            c_warp: Some(20.0),
            b_weft: Some(9.0),
            w: Some(150.0),
            t2: Some(0.6),
            t100: Some(0.4),
            ..FastValues::default()
        }
    }

    /// Load of a fabric's warp at a strain, by the law that its module states.
    fn load(fabric: &Fabric, strain: f64) -> f64 {
        let at_reference = REFERENCE_LOAD / fabric.stretch_warp;
        let [start, _] = fabric.initial_stretch();
        let cubic = (fabric.stretch_warp - start) / (at_reference * at_reference);
        start * strain + cubic * strain.powi(3)
    }

    #[test]
    fn the_curve_passes_through_both_points() {
        let fabric = full().fabric().unwrap();
        for (strain, expected) in [(0.009, 19.6133), (0.024, 98.0665)] {
            assert!((load(&fabric, strain) / expected - 1.0).abs() < 1e-9, "{fabric:?}");
        }
    }

    #[test]
    fn units_become_si() {
        let fabric = full().fabric().unwrap();
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        // Threads count as stiff while nobody has pulled them.
        near(
            FastValues { e100_warp: None, e20_warp: None, e5_warp: None, ..full() }.measured().unwrap().shear.unwrap(),
            61.5,
        );
        // 150 g/m² × (20 mm)³ × 9.81e-6 = 11.772 µN·m.
        near(fabric.bend_warp, 11.772e-6);
        near(fabric.bend_weft, 9e-6);
        near(fabric.areal_density, 0.15);
        near(fabric.thickness, 6e-4);
        near(FastValues { t2: None, ..full() }.fabric().unwrap().thickness, 4e-4);
    }

    #[test]
    fn a_strip_on_the_bias_extends_by_its_threads_too() {
        let fabric = full().fabric().unwrap();
        // At so small a load the threads are straight lines, and the strip has the bias modulus of the laminate.
        let modulus = fabric.stretch_along(std::f64::consts::FRAC_PI_4);
        assert!((4.903_325 / modulus / 0.02 - 1.0).abs() < 1e-3, "{modulus}");
        assert!(fabric.shear > 61.5);
        let error = FastValues { eb5: Some(0.05), ..full() }.fabric().unwrap_err();
        assert!(error.field == "eb5" && error.reason.contains("threads alone"), "{error}");
    }

    #[test]
    fn curves_that_do_not_stiffen_are_straight_lines() {
        for e20_warp in [None, Some(0.3), Some(0.48)] {
            let fabric = FastValues { e5_warp: None, e20_warp, ..full() }.fabric().unwrap();
            assert_eq!(fabric.linearity_warp, 1.0);
            assert!((fabric.stretch_warp / (98.0665 / 0.024) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_curve_steeper_than_a_cube_keeps_the_last_point() {
        let fabric = FastValues { e20_warp: Some(2.0), ..full() }.fabric().unwrap();
        assert!((load(&fabric, 0.024) / 98.0665 - 1.0).abs() < 1e-9);
        assert!(fabric.linearity_warp > 0.5 && fabric.linearity_warp < 0.6, "{}", fabric.linearity_warp);
    }

    #[test]
    fn contradictions_are_named() {
        let field = |values: FastValues| values.fabric().unwrap_err().field;
        assert_eq!(field(FastValues { e20_warp: Some(2.5), ..full() }), "e100_warp");
        assert_eq!(field(FastValues { e5_warp: Some(1.0), ..full() }), "e20_warp");
        assert_eq!(field(FastValues { b_warp: Some(13.5), ..full() }), "b_warp");
        assert_eq!(field(FastValues { t100: Some(0.7), ..full() }), "t100");
        assert_eq!(field(FastValues { w: None, ..full() }), "c_warp");
        assert_eq!(field(FastValues { eb5: Some(0.0), ..full() }), "eb5");
        // 11.772 × 0.6 / 14.7 = 0.48 mm², known to 0.13.
        assert!(FastValues { f_warp: Some(0.58), ..full() }.fabric().is_ok());
        assert_eq!(field(FastValues { f_warp: Some(0.65), ..full() }), "f_warp");
    }

    proptest! {
        #[test]
        fn every_tension_is_allowed(e100 in 1e-3..1.0, ratio in 0.01..0.99) {
            let [stiffness, linearity] = tension(Some(ratio * e100), e100);
            prop_assert!(linearity > 0.5 && linearity <= 1.0 && stiffness >= LOADS[1] / e100 * 0.999);
        }
    }
}
