//! Values of the Kawabata evaluation system, KES-F, in the units of its instruments.
//!
//! 1 gf = 9.80665·10⁻³ N exactly, from which everything follows:
//!
//! | value | unit | in SI |
//! |---|---|---|
//! | EMT | % at 500 gf/cm | `E = 490.3325 N/m / (EMT/100)` |
//! | WT | gf·cm/cm² | 0.980665 J/m² |
//! | G | gf/(cm·°) | 0.980665·180/π = 56.188 N/m per radian |
//! | 2HG | gf/cm | 0.980665 N/m |
//! | B | gf·cm²/cm | 98.0665·10⁻⁶ N·m |
//! | 2HB | gf·cm/cm | 9.80665·10⁻³ N |
//! | W | mg/cm² | 0.01 kg/m² |
//! | T | mm | 10⁻³ m |
//!
//! `LT = WT / (½ · 500 gf/cm · EMT/100)` is the linearity. Where LT and WT are both given they must agree. The shear
//! stiffness is the mean of G along warp and weft, since a sheet in plane stress has one. Hysteresis of shear, 2HG, is
//! accepted and checked but the model of [`Fabric`] has no place for it.

use std::f64::consts::PI;

use super::check::{not_negative, positive};
use super::{Fabric, FabricError, Measured, REFERENCE_LOAD};

/// Bending rigidity of 1 gf·cm²/cm [N·m].
pub const BEND: f64 = 98.0665e-6;
/// Bending hysteresis of 1 gf·cm/cm [N].
pub const BEND_HYSTERESIS: f64 = 9.80665e-3;
/// Shear stiffness of 1 gf/(cm·°) [N/m] per radian.
pub const SHEAR: f64 = 0.980_665 * 180.0 / PI;
/// Work of extension of 1 gf·cm/cm² [J/m²].
pub const WORK: f64 = 0.980_665;
/// Mass per area of 1 mg/cm² [kg/m²].
pub const WEIGHT: f64 = 0.01;

/// LT and WT may differ by this share: both are printed with two or three digits.
const AGREEMENT: f64 = 0.1;

/// What KES-F measures, as far as it was measured; units as in [the module](self).
///
/// ```
/// use toile_cloth::fabric::KesValues;
/// let suiting = KesValues {
///     emt_warp: Some(4.0), emt_weft: Some(7.0), lt_warp: Some(0.62), lt_weft: Some(0.58),
///     g_warp: Some(0.6), g_weft: Some(0.56),
///     b_warp: Some(0.12), b_weft: Some(0.09), hb_warp: Some(0.05), hb_weft: Some(0.04),
///     w: Some(19.5), t: Some(0.52),
///     ..KesValues::default()
/// };
/// let fabric = suiting.fabric()?;
/// assert!((fabric.stretch_warp - 12_258.3).abs() < 0.1 && (fabric.shear - 32.589).abs() < 1e-3);
/// # Ok::<(), toile_cloth::fabric::FabricError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KesValues {
    /// Extension at 500 gf/cm along the warp \[%\].
    pub emt_warp: Option<f64>,
    /// Extension at 500 gf/cm along the weft \[%\].
    pub emt_weft: Option<f64>,
    /// Linearity along the warp.
    pub lt_warp: Option<f64>,
    /// Linearity along the weft.
    pub lt_weft: Option<f64>,
    /// Work of extension along the warp \[gf·cm/cm²\].
    pub wt_warp: Option<f64>,
    /// Work of extension along the weft \[gf·cm/cm²\].
    pub wt_weft: Option<f64>,
    /// Shear stiffness along the warp \[gf/(cm·°)\].
    pub g_warp: Option<f64>,
    /// Shear stiffness along the weft \[gf/(cm·°)\].
    pub g_weft: Option<f64>,
    /// Hysteresis of shear along the warp, 2HG \[gf/cm\].
    pub hg_warp: Option<f64>,
    /// Hysteresis of shear along the weft, 2HG \[gf/cm\].
    pub hg_weft: Option<f64>,
    /// Bending rigidity along the warp \[gf·cm²/cm\].
    pub b_warp: Option<f64>,
    /// Bending rigidity along the weft \[gf·cm²/cm\].
    pub b_weft: Option<f64>,
    /// Hysteresis of bending along the warp, 2HB \[gf·cm/cm\].
    pub hb_warp: Option<f64>,
    /// Hysteresis of bending along the weft, 2HB \[gf·cm/cm\].
    pub hb_weft: Option<f64>,
    /// Mass per area \[mg/cm²\].
    pub w: Option<f64>,
    /// Thickness \[mm\].
    pub t: Option<f64>,
}

impl KesValues {
    /// The properties that these values give.
    pub fn measured(&self) -> Result<Measured, FabricError> {
        let emt_warp = positive("emt_warp", self.emt_warp)?;
        let emt_weft = positive("emt_weft", self.emt_weft)?;
        not_negative("hg_warp", self.hg_warp)?;
        not_negative("hg_weft", self.hg_weft)?;
        let [g_warp, g_weft] = [positive("g_warp", self.g_warp)?, positive("g_weft", self.g_weft)?];
        let shear = match (g_warp, g_weft) {
            (Some(a), Some(b)) => Some(0.5 * (a + b)),
            (a, b) => a.or(b),
        };
        let times = |field, value, unit| Ok(positive(field, value)?.map(|x| x * unit));
        Ok(Measured {
            areal_density: times("w", self.w, WEIGHT)?,
            thickness: times("t", self.t, 1e-3)?,
            stretch_warp: emt_warp.map(secant),
            stretch_weft: emt_weft.map(secant),
            poisson: None,
            shear: shear.map(|g| g * SHEAR),
            linearity_warp: linearity(["lt_warp", "wt_warp", "emt_warp"], self.lt_warp, self.wt_warp, emt_warp)?,
            linearity_weft: linearity(["lt_weft", "wt_weft", "emt_weft"], self.lt_weft, self.wt_weft, emt_weft)?,
            bend_warp: times("b_warp", self.b_warp, BEND)?,
            bend_weft: times("b_weft", self.b_weft, BEND)?,
            bend_twist: None,
            hysteresis_warp: not_negative("hb_warp", self.hb_warp)?.map(|x| x * BEND_HYSTERESIS),
            hysteresis_weft: not_negative("hb_weft", self.hb_weft)?.map(|x| x * BEND_HYSTERESIS),
            damping_stretch: None,
            damping_bend: None,
            friction: None,
        })
    }

    /// The fabric, if the values suffice for one.
    pub fn fabric(&self) -> Result<Fabric, FabricError> {
        self.measured()?.complete()
    }
}

/// Stiffness from the extension in percent at the reference load [N/m].
fn secant(emt: f64) -> f64 {
    REFERENCE_LOAD / (emt / 100.0)
}

/// Linearity as given, or from the work of extension.
fn linearity(
    names: [&'static str; 3],
    lt: Option<f64>,
    wt: Option<f64>,
    emt: Option<f64>,
) -> Result<Option<f64>, FabricError> {
    let [lt_name, wt_name, emt_name] = names;
    let lt = positive(lt_name, lt)?;
    let Some(wt) = positive(wt_name, wt)? else { return Ok(lt) };
    let Some(emt) = emt else {
        let reason = format!("is of no use without `{emt_name}`");
        return Err(FabricError::of(wt_name, wt, reason, format!("give `{emt_name}` too, or leave `{wt_name}` out")));
    };
    let from_work = wt * WORK / (0.5 * REFERENCE_LOAD * emt / 100.0);
    match lt {
        Some(lt) if (lt / from_work - 1.0).abs() > AGREEMENT => {
            let reason = format!("contradicts `{wt_name}` = {wt} and `{emt_name}` = {emt}, which give {from_work:.3}");
            Err(FabricError::of(lt_name, lt, reason, format!("leave one of `{lt_name}` and `{wt_name}` out")))
        }
        lt => Ok(lt.or(Some(from_work))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAR: f64 = 1e-12;

    fn full() -> KesValues {
        KesValues {
            emt_warp: Some(5.0),
            emt_weft: Some(10.0),
            lt_warp: Some(0.6),
            wt_weft: Some(17.5),
            g_warp: Some(1.0),
            g_weft: Some(2.0),
            b_warp: Some(0.118),
            b_weft: Some(1.0),
            hb_warp: Some(0.124),
            w: Some(15.0),
            t: Some(0.5),
            ..KesValues::default()
        }
    }

    /// Numbers of the conversion table, computed apart from the code: 1 gf/(cm·°) is 56.188 N/m, 500 gf/cm 490.3325 N/m.
    #[test]
    fn units_become_si() {
        let fabric = full().fabric().unwrap();
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < NEAR, "{a} {b}");
        near(fabric.stretch_warp, 9806.65);
        near(fabric.stretch_weft, 4903.325);
        assert!((fabric.shear / 1.5 - 56.188).abs() < 1e-3, "{}", fabric.shear);
        near(fabric.bend_warp, 1.157_184_7e-5);
        near(fabric.bend_weft, 98.0665e-6);
        near(fabric.hysteresis_warp, 0.124 * 9.80665e-3);
        near(fabric.areal_density, 0.15);
        near(fabric.thickness, 5e-4);
        near(fabric.linearity_warp, 0.6);
        // 17.5 gf·cm/cm² of 25 for a straight line to 10 % at 500 gf/cm.
        near(fabric.linearity_weft, 0.7);
        assert_eq!(fabric.hysteresis_weft, 0.0);
    }

    #[test]
    fn shear_of_one_direction_serves_for_both() {
        let one = KesValues { g_warp: None, ..full() }.measured().unwrap().shear.unwrap();
        assert!((one / (2.0 * SHEAR) - 1.0).abs() < NEAR);
    }

    #[test]
    fn linearity_and_work_must_agree() {
        assert!(KesValues { wt_warp: Some(7.6), ..full() }.fabric().is_ok());
        let error = KesValues { wt_warp: Some(10.0), ..full() }.fabric().unwrap_err();
        assert_eq!(error.field, "lt_warp");
        assert!(error.reason.contains("`wt_warp` = 10") && error.reason.contains("0.800"), "{error}");
        let error = KesValues { emt_weft: None, ..full() }.fabric().unwrap_err();
        assert_eq!(error.to_string(), "`wt_weft` = 17.5 is of no use without `emt_weft`");
    }

    #[test]
    fn zero_negative_and_missing_values_are_named() {
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = KesValues { b_weft: Some(wrong), ..full() }.fabric().unwrap_err();
            assert_eq!((error.field, error.reason.as_str()), ("b_weft", "is not a positive number"));
            assert_eq!(
                KesValues { hg_warp: Some(wrong), hb_warp: Some(wrong), ..full() }.fabric().is_ok(),
                wrong == 0.0
            );
        }
        let error = KesValues { b_weft: None, ..full() }.fabric().unwrap_err();
        assert!(error.field == "bend_weft" && error.remedy.contains("B of KES"), "{error}");
    }
}
