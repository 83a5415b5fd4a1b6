//! Which fabrics can be simulated, and how gaps in measurements are filled.
//!
//! [`Fabric::check`]: every number finite and in the range of its [`Property`](super::Property), and the elasticity of the
//! plane stable. With the stiffnesses at small strains `E1`, `E2` and `ν21 = ν12 E2/E1` stable means `ν12 ν21 < 1`, that is
//!
//! ```text
//! |ν12| < √(E1/E2)
//! ```
//!
//! [`Measured::complete`]: what stands in for properties that nobody measured.
//!
//! | property | default | why |
//! |---|---|---|
//! | `thickness` | `areal_density / 500 kg/m³` | the mean of common wovens, which lie between 370 and 650 kg/m³ |
//! | `poisson` | 0 | always stable; leaves warp and weft independent |
//! | `linearity_…` | 1 | a straight line |
//! | `bend_twist` | `√(B1 B2)` | Huber 1923 for orthotropic plates; a narrow strip on the bias then bends with `4 B1 B2/(√B1 + √B2)²` |
//! | `hysteresis_…` | 0 | elastic |
//! | `damping_…`, `friction` | as [`Fabric::default`] | not measured by the instruments read here |
//!
//! Mass, both tensile stiffnesses, shear and both bending rigidities have no default: without them a fabric is a guess.

use thiserror::Error;

use super::{Fabric, Measured, PROPERTIES};

/// Mass per volume taken when the thickness is not known [kg/m³].
pub const USUAL_DENSITY: f64 = 500.0;

/// Why numbers are no fabric: which one, and what to do.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("`{field}`{} {reason}", shown(*value))]
pub struct FabricError {
    /// The property, or the value of an instrument, as it is called in files.
    pub field: &'static str,
    /// Its value, if it has one.
    pub value: Option<f64>,
    /// What is wrong with it, continuing a sentence that begins with the field.
    pub reason: String,
    /// How to mend it.
    pub remedy: String,
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!(" = {value}"))
}

impl FabricError {
    /// An error about a value that is there.
    pub(super) fn of(field: &'static str, value: f64, reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { field, value: Some(value), reason: reason.into(), remedy: remedy.into() }
    }

    /// An error about a value that is not there.
    pub(super) fn missing(field: &'static str, remedy: impl Into<String>) -> Self {
        Self { field, value: None, reason: "is missing".to_owned(), remedy: remedy.into() }
    }
}

/// `value` if it is a positive finite number or not there.
pub(super) fn positive(field: &'static str, value: Option<f64>) -> Result<Option<f64>, FabricError> {
    match value {
        Some(x) if !(x.is_finite() && x > 0.0) => {
            Err(FabricError::of(field, x, "is not a positive number", "measure it again, or leave it out"))
        }
        other => Ok(other),
    }
}

/// `value` if it is a finite number of at least zero or not there.
pub(super) fn not_negative(field: &'static str, value: Option<f64>) -> Result<Option<f64>, FabricError> {
    // A zero of either sign passes; `-0` would print oddly.
    if value == Some(0.0) { Ok(Some(0.0)) } else { positive(field, value) }
}

impl Fabric {
    /// Whether the fabric can be simulated.
    ///
    /// ```
    /// use toile_cloth::Fabric;
    /// let error = Fabric { shear: -3.0, ..Fabric::default() }.check().unwrap_err();
    /// assert_eq!(error.to_string(), "`shear` = -3 is out of range");
    /// assert_eq!(error.remedy, "allowed: ≥ 0.01, ≤ 1000000 [N/m]");
    /// ```
    pub fn check(&self) -> Result<(), FabricError> {
        for property in PROPERTIES {
            let value = property.of(self);
            if !property.contains(value) {
                let remedy = format!("allowed: {}", property.allowed());
                return Err(FabricError::of(property.name, value, "is out of range", remedy));
            }
        }
        let [e1, e2] = self.initial_stretch();
        // Not squared: that would be the same condition with twice the rounding.
        let limit = (e1 / e2).sqrt();
        if self.poisson.abs() < limit {
            return Ok(());
        }
        let reason = format!(
            "makes the cloth unstable: with stiffnesses of {e1:.1} N/m along the warp and {e2:.1} N/m along the weft at \
             small strains it must be between -{limit:.4} and {limit:.4}"
        );
        let remedy = "give the contraction across a pull along the warp, nearer to zero; or exchange warp and weft";
        Err(FabricError::of("poisson", self.poisson, reason, remedy))
    }
}

/// What else gives a property that has no default.
const REQUIRED: [(&str, &str); 6] = [
    ("areal_density", "the weight W of KES or FAST"),
    ("stretch_warp", "EMT of KES or E100 of FAST along the warp"),
    ("stretch_weft", "EMT of KES or E100 of FAST along the weft"),
    ("shear", "G of KES or EB5 of FAST"),
    ("bend_warp", "B of KES, c or B of FAST, or a cantilever test along the warp"),
    ("bend_weft", "B of KES, c or B of FAST, or a cantilever test along the weft"),
];

impl Measured {
    /// What a fabric still lacks, one error each.
    pub fn missing(&self) -> Vec<FabricError> {
        let lacking = REQUIRED.iter().filter(|(name, _)| self.get(name).is_none());
        lacking.map(|(name, others)| FabricError::missing(name, format!("give `{name}`, or {others}"))).collect()
    }

    /// The fabric with these properties and, for what is missing, the documented defaults; checked.
    pub fn complete(&self) -> Result<Fabric, FabricError> {
        let (
            Some(areal_density),
            Some(stretch_warp),
            Some(stretch_weft),
            Some(shear),
            Some(bend_warp),
            Some(bend_weft),
        ) = (self.areal_density, self.stretch_warp, self.stretch_weft, self.shear, self.bend_warp, self.bend_weft)
        else {
            return Err(self.missing().remove(0));
        };
        let usual = Fabric::default();
        let fabric = Fabric {
            areal_density,
            thickness: self.thickness.unwrap_or(areal_density / USUAL_DENSITY),
            stretch_warp,
            stretch_weft,
            poisson: self.poisson.unwrap_or(0.0),
            shear,
            linearity_warp: self.linearity_warp.unwrap_or(1.0),
            linearity_weft: self.linearity_weft.unwrap_or(1.0),
            bend_warp,
            bend_weft,
            bend_twist: self.bend_twist.unwrap_or((bend_warp * bend_weft).sqrt()),
            hysteresis_warp: self.hysteresis_warp.unwrap_or(0.0),
            hysteresis_weft: self.hysteresis_weft.unwrap_or(0.0),
            damping_stretch: self.damping_stretch.unwrap_or(usual.damping_stretch),
            damping_bend: self.damping_bend.unwrap_or(usual.damping_bend),
            friction: self.friction.unwrap_or(usual.friction),
        };
        fabric.check()?;
        Ok(fabric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_field_is_checked_and_named() {
        for property in PROPERTIES {
            for wrong in [f64::NAN, f64::INFINITY, property.low - 1e-3, property.high * 1.01] {
                let mut measured = Measured::from(&Fabric::default());
                *slot(&mut measured, property.name) = Some(wrong);
                let error = measured.complete().unwrap_err();
                assert_eq!(error.field, property.name);
                assert!(error.to_string().contains("out of range") && error.remedy.contains('≤'), "{error}");
            }
        }
    }

    fn slot<'m>(measured: &'m mut Measured, name: &str) -> &'m mut Option<f64> {
        match name {
            "areal_density" => &mut measured.areal_density,
            "thickness" => &mut measured.thickness,
            "stretch_warp" => &mut measured.stretch_warp,
            "stretch_weft" => &mut measured.stretch_weft,
            "poisson" => &mut measured.poisson,
            "shear" => &mut measured.shear,
            "linearity_warp" => &mut measured.linearity_warp,
            "linearity_weft" => &mut measured.linearity_weft,
            "bend_warp" => &mut measured.bend_warp,
            "bend_weft" => &mut measured.bend_weft,
            "bend_twist" => &mut measured.bend_twist,
            "hysteresis_warp" => &mut measured.hysteresis_warp,
            "hysteresis_weft" => &mut measured.hysteresis_weft,
            "damping_stretch" => &mut measured.damping_stretch,
            "damping_bend" => &mut measured.damping_bend,
            "friction" => &mut measured.friction,
            _ => panic!("{name}"),
        }
    }

    #[test]
    fn a_missing_property_is_named_with_what_else_would_give_it() {
        for (name, others) in REQUIRED {
            let mut measured = Measured::from(&Fabric::default());
            *slot(&mut measured, name) = None;
            let error = measured.complete().unwrap_err();
            assert_eq!((error.field, error.to_string()), (name, format!("`{name}` is missing")));
            assert!(error.remedy.contains(others));
        }
    }

    #[test]
    fn gaps_are_filled_with_the_documented_defaults() {
        let mut measured = Measured::from(&Fabric { bend_warp: 4e-6, bend_weft: 1e-6, ..Fabric::default() });
        (measured.thickness, measured.poisson, measured.bend_twist) = (None, None, None);
        (measured.linearity_warp, measured.hysteresis_weft, measured.friction) = (None, None, None);
        let fabric = measured.complete().unwrap();
        assert_eq!((fabric.poisson, fabric.linearity_warp, fabric.hysteresis_weft), (0.0, 1.0, 0.0));
        assert!((fabric.bend_twist - 2e-6).abs() < 1e-20 && (fabric.thickness - 0.15 / 500.0).abs() < 1e-18);
        assert_eq!(fabric.friction, Fabric::default().friction);
    }

    proptest! {
        /// The compliance matrix [[1/E1, −ν12/E1], [−ν12/E1, 1/E2]] is positive definite or the fabric is refused.
        #[test]
        fn stable_means_positive_definite(e1 in 10.0..1e5, e2 in 10.0..1e5, poisson in -1.0..3.0, lt in 0.51..1.0) {
            let fabric =
                Fabric { stretch_warp: e1, stretch_weft: e2, poisson, linearity_weft: lt, ..Fabric::default() };
            let initial_weft = (2.0 * lt - 1.0) * e2;
            let determinant = (1.0 / e1) * (1.0 / initial_weft) - (poisson / e1) * (poisson / e1);
            prop_assume!((determinant * e1 * initial_weft).abs() > 1e-9);
            let result = fabric.check();
            prop_assert_eq!(result.is_ok(), determinant > 0.0);
            if let Err(error) = result {
                prop_assert!(error.field == "poisson" && error.reason.contains("between"));
            }
        }
    }
}
