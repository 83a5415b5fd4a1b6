//! The properties of a [`Fabric`] as a list, and [`Measured`]: as many of them as somebody has measured.
//!
//! Name, unit, allowed range and meaning of every property stand here once; checks, files and tables are driven by the
//! list. The ranges are wide enough for gauze and for sole leather and narrow enough to catch a slip of units: a modulus
//! in N/m given in gf/cm stays inside, a weight in g/m² or a bending rigidity of most cloths in gf·cm²/cm does not.

use super::Fabric;

/// One number of a [`Fabric`]: what it is called, its unit and what it may be.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// Name of the field of [`Fabric`], and of the key in files.
    pub name: &'static str,
    /// Unit without brackets; empty for pure numbers.
    pub unit: &'static str,
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
    /// Whether the smallest value itself is excluded.
    pub above_low: bool,
    /// What it means, in a few words.
    pub meaning: &'static str,
    get: fn(&Fabric) -> f64,
}

impl Property {
    /// The value of this property.
    pub fn of(&self, fabric: &Fabric) -> f64 {
        (self.get)(fabric)
    }

    /// Whether `x` is finite and in the range.
    pub fn contains(&self, x: f64) -> bool {
        x.is_finite() && x <= self.high && if self.above_low { x > self.low } else { x >= self.low }
    }

    /// The range with its unit, as `≥ 1, ≤ 10000000 [N/m]`.
    pub fn allowed(&self) -> String {
        let sign = if self.above_low { '>' } else { '≥' };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" [{}]", self.unit) };
        format!("{sign} {}, ≤ {}{unit}", self.low, self.high)
    }
}

macro_rules! properties {
    (@open within) => { false };
    (@open above) => { true };
    ($($name:ident [$unit:literal] $range:ident($low:literal, $high:literal): $meaning:literal;)+) => {
        /// All properties, in the order of the fields of [`Fabric`].
        pub const PROPERTIES: &[Property] = &[
            $(Property {
                name: stringify!($name),
                unit: $unit,
                low: $low,
                high: $high,
                above_low: properties!(@open $range),
                meaning: $meaning,
                get: |fabric| fabric.$name,
            },)+
        ];

        /// The properties of a fabric that are known, in the units of [`Fabric`]. Several instruments fill it together;
        /// [`Measured::complete`] makes a fabric of it.
        ///
        /// ```
        /// use toile_cloth::fabric::{KesValues, Measured};
        /// let bending = KesValues { b_warp: Some(0.1), b_weft: Some(0.06), ..KesValues::default() }.measured()?;
        /// let by_hand = Measured {
        ///     areal_density: Some(0.12),
        ///     stretch_warp: Some(8000.0),
        ///     stretch_weft: Some(6000.0),
        ///     shear: Some(60.0),
        ///     ..Measured::default()
        /// };
        /// let fabric = by_hand.or(&bending).complete()?;
        /// assert!((fabric.bend_warp - 9.80665e-6).abs() < 1e-18);
        /// # Ok::<(), toile_cloth::fabric::FabricError>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub struct Measured {
            $(#[doc = concat!($meaning, " \\[", $unit, "\\].")] pub $name: Option<f64>,)+
        }

        impl Measured {
            /// What is known here, and what is not from `other`.
            #[must_use]
            pub fn or(&self, other: &Self) -> Self {
                Self { $($name: self.$name.or(other.$name),)+ }
            }

            /// The property called `name`, if there is one and it is known.
            pub fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $(stringify!($name) => self.$name,)+
                    _ => None,
                }
            }
        }

        impl From<&Fabric> for Measured {
            fn from(fabric: &Fabric) -> Self {
                Self { $($name: Some(fabric.$name),)+ }
            }
        }
    };
}

properties! {
    areal_density ["kg/m²"] within(1e-3, 10.0): "mass per area";
    thickness ["m"] within(1e-6, 0.05): "thickness";
    stretch_warp ["N/m"] within(1.0, 1e7): "tensile stiffness along the warp";
    stretch_weft ["N/m"] within(1.0, 1e7): "tensile stiffness along the weft";
    poisson [""] within(-1.0, 3.0): "contraction across per extension along the warp";
    shear ["N/m"] within(1e-2, 1e6): "shear stiffness per radian";
    linearity_warp [""] within(0.25, 1.2): "linearity of tension along the warp";
    linearity_weft [""] within(0.25, 1.2): "linearity of tension along the weft";
    bend_warp ["N·m"] within(1e-9, 0.01): "bending rigidity along the warp";
    bend_weft ["N·m"] within(1e-9, 0.01): "bending rigidity along the weft";
    bend_twist ["N·m"] within(1e-9, 0.01): "twisting rigidity";
    hysteresis_warp ["N"] within(0.0, 1.0): "bending hysteresis 2HB along the warp";
    hysteresis_weft ["N"] within(0.0, 1.0): "bending hysteresis 2HB along the weft";
    damping_stretch ["s"] within(0.0, 10.0): "viscosity of stretching relative to its stiffness";
    damping_bend ["s"] within(0.0, 10.0): "viscosity of bending relative to its stiffness";
    friction [""] within(0.0, 5.0): "coefficient of friction";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_reads_its_own_field() {
        let fabric = Fabric::default();
        let measured = Measured::from(&fabric);
        let debug = format!("{fabric:?}");
        for property in PROPERTIES {
            assert_eq!(measured.get(property.name), Some(property.of(&fabric)));
            assert!(debug.contains(&format!("{}: {:?}", property.name, property.of(&fabric))), "{}", property.name);
        }
        assert_eq!(PROPERTIES.len(), debug.matches(": ").count());
        assert_eq!(measured.get("colour"), None);
    }

    #[test]
    fn what_is_known_wins_and_the_rest_comes_from_the_other() {
        let a = Measured { shear: Some(1.0), ..Measured::default() };
        let b = Measured { shear: Some(2.0), poisson: Some(0.3), ..Measured::default() };
        assert_eq!(a.or(&b), Measured { shear: Some(1.0), poisson: Some(0.3), ..Measured::default() });
    }

    #[test]
    fn nothing_but_finite_numbers_is_in_a_range() {
        for property in PROPERTIES {
            assert!(property.contains(property.high) && property.contains(property.low) != property.above_low);
            for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, property.high * 1.01] {
                assert!(!property.contains(x), "{} {x}", property.name);
            }
        }
        assert_eq!(PROPERTIES[0].allowed(), "≥ 0.001, ≤ 10 [kg/m²]");
    }
}
