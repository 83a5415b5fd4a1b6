//! The keys of a fabric file, declared once as those of a scene are.

use toile_cloth::fabric::{CantileverTest, FastValues, KesValues, Measured};

use crate::scene::schema::section;

section! {
    /// Values of the Kawabata system, KES-F, in its own units.
    pub struct Kes {
        /// Extension along the warp at 500 gf/cm, EMT.
        emt_warp: Option<f64> = None, ["%"] above(0, 1000);
        /// Extension along the weft at 500 gf/cm, EMT.
        emt_weft: Option<f64> = None, ["%"] above(0, 1000);
        /// Linearity along the warp, LT.
        lt_warp: Option<f64> = None, within(0.25, 1.2);
        /// Linearity along the weft, LT.
        lt_weft: Option<f64> = None, within(0.25, 1.2);
        /// Work of extension along the warp, WT; instead of LT, or agreeing with it.
        wt_warp: Option<f64> = None, ["gf·cm/cm²"] above(0, 1000);
        /// Work of extension along the weft, WT; instead of LT, or agreeing with it.
        wt_weft: Option<f64> = None, ["gf·cm/cm²"] above(0, 1000);
        /// Shear stiffness along the warp, G; the mean of both directions is taken.
        g_warp: Option<f64> = None, ["gf/(cm·°)"] above(0, 1000);
        /// Shear stiffness along the weft, G; the mean of both directions is taken.
        g_weft: Option<f64> = None, ["gf/(cm·°)"] above(0, 1000);
        /// Hysteresis of shear along the warp, 2HG; read, but without effect.
        hg_warp: Option<f64> = None, ["gf/cm"] within(0, 1000);
        /// Hysteresis of shear along the weft, 2HG; read, but without effect.
        hg_weft: Option<f64> = None, ["gf/cm"] within(0, 1000);
        /// Bending rigidity along the warp, B.
        b_warp: Option<f64> = None, ["gf·cm²/cm"] above(0, 100);
        /// Bending rigidity along the weft, B.
        b_weft: Option<f64> = None, ["gf·cm²/cm"] above(0, 100);
        /// Hysteresis of bending along the warp, 2HB.
        hb_warp: Option<f64> = None, ["gf·cm/cm"] within(0, 100);
        /// Hysteresis of bending along the weft, 2HB.
        hb_weft: Option<f64> = None, ["gf·cm/cm"] within(0, 100);
        /// Mass per area, W.
        w: Option<f64> = None, ["mg/cm²"] above(0, 1000);
        /// Thickness, T.
        t: Option<f64> = None, ["mm"] above(0, 50);
    }
}

impl Kes {
    /// The same values in the form that computes.
    pub fn values(&self) -> KesValues {
        KesValues {
            emt_warp: self.emt_warp,
            emt_weft: self.emt_weft,
            lt_warp: self.lt_warp,
            lt_weft: self.lt_weft,
            wt_warp: self.wt_warp,
            wt_weft: self.wt_weft,
            g_warp: self.g_warp,
            g_weft: self.g_weft,
            hg_warp: self.hg_warp,
            hg_weft: self.hg_weft,
            b_warp: self.b_warp,
            b_weft: self.b_weft,
            hb_warp: self.hb_warp,
            hb_weft: self.hb_weft,
            w: self.w,
            t: self.t,
        }
    }
}

section! {
    /// Values of the FAST system in its own units.
    pub struct Fast {
        /// Extension along the warp at 5 gf/cm.
        e5_warp: Option<f64> = None, ["%"] within(0, 1000);
        /// Extension along the weft at 5 gf/cm.
        e5_weft: Option<f64> = None, ["%"] within(0, 1000);
        /// Extension along the warp at 20 gf/cm.
        e20_warp: Option<f64> = None, ["%"] above(0, 1000);
        /// Extension along the weft at 20 gf/cm.
        e20_weft: Option<f64> = None, ["%"] above(0, 1000);
        /// Extension along the warp at 100 gf/cm.
        e100_warp: Option<f64> = None, ["%"] above(0, 1000);
        /// Extension along the weft at 100 gf/cm.
        e100_weft: Option<f64> = None, ["%"] above(0, 1000);
        /// Extension on the bias at 5 gf/cm, EB5.
        eb5: Option<f64> = None, ["%"] above(0, 1000);
        /// Bending length along the warp.
        c_warp: Option<f64> = None, ["mm"] above(0, 1000);
        /// Bending length along the weft.
        c_weft: Option<f64> = None, ["mm"] above(0, 1000);
        /// Bending rigidity along the warp; instead of the bending length, or agreeing with it.
        b_warp: Option<f64> = None, ["µN·m"] above(0, 10_000.0);
        /// Bending rigidity along the weft; instead of the bending length, or agreeing with it.
        b_weft: Option<f64> = None, ["µN·m"] above(0, 10_000.0);
        /// Formability along the warp; only compared with the others.
        f_warp: Option<f64> = None, ["mm²"] above(0, 1000);
        /// Formability along the weft; only compared with the others.
        f_weft: Option<f64> = None, ["mm²"] above(0, 1000);
        /// Mass per area.
        w: Option<f64> = None, ["g/m²"] above(0, 10_000.0);
        /// Thickness at 2 gf/cm².
        t2: Option<f64> = None, ["mm"] above(0, 50);
        /// Thickness at 100 gf/cm²; taken where there is no `t2`.
        t100: Option<f64> = None, ["mm"] above(0, 50);
    }
}

impl Fast {
    /// The same values in the form that computes.
    pub fn values(&self) -> FastValues {
        FastValues {
            e5_warp: self.e5_warp,
            e5_weft: self.e5_weft,
            e20_warp: self.e20_warp,
            e20_weft: self.e20_weft,
            e100_warp: self.e100_warp,
            e100_weft: self.e100_weft,
            eb5: self.eb5,
            c_warp: self.c_warp,
            c_weft: self.c_weft,
            b_warp: self.b_warp,
            b_weft: self.b_weft,
            f_warp: self.f_warp,
            f_weft: self.f_weft,
            w: self.w,
            t2: self.t2,
            t100: self.t100,
        }
    }
}

section! {
    /// A cantilever test of strips: how far each hangs over an edge when its chord reaches an angle. Needs the mass per
    /// area, from any other key.
    pub struct CantileverTable {
        /// Overhang of a strip along the warp.
        overhang_warp_mm: Option<f64> = None, ["mm"] above(0, 1000);
        /// Overhang of a strip along the weft.
        overhang_weft_mm: Option<f64> = None, ["mm"] above(0, 1000);
        /// Overhang of a strip at 45°; gives the twisting rigidity.
        overhang_bias_mm: Option<f64> = None, ["mm"] above(0, 1000);
        /// Angle of the line from edge to tip below the horizontal.
        angle_deg: f64 = 41.5, ["°"] within(0.1, 89);
    }
}

impl CantileverTable {
    /// The same values in the form that computes.
    pub fn values(&self) -> CantileverTest {
        CantileverTest {
            overhang_warp_mm: self.overhang_warp_mm,
            overhang_weft_mm: self.overhang_weft_mm,
            overhang_bias_mm: self.overhang_bias_mm,
            angle_deg: Some(self.angle_deg),
        }
    }
}

section! {
    /// A fabric as it stands in a file.
    pub struct FabricFile {
        /// Name of the fabric; left out, the name of the file.
        name: String = String::new();
        /// A sentence about the fabric.
        description: String = String::new();
        /// Where the numbers come from.
        source: String = String::new();
        /// Mass per area.
        areal_density: Option<f64> = None, ["kg/m²"] within(0.001, 10);
        /// Thickness; left out, that of cloth with 500 kg/m³.
        thickness: Option<f64> = None, ["m"] within(1e-6, 0.05);
        /// Tensile stiffness along the warp, secant at 490.3325 N/m.
        stretch_warp: Option<f64> = None, ["N/m"] within(1, 1e7);
        /// Tensile stiffness along the weft, secant at 490.3325 N/m.
        stretch_weft: Option<f64> = None, ["N/m"] within(1, 1e7);
        /// Contraction across per extension along the warp; left out, 0.
        poisson: Option<f64> = None, within(-1, 3);
        /// Shear stiffness per radian of shear angle.
        shear: Option<f64> = None, ["N/m"] within(0.01, 1e6);
        /// Linearity of tension along the warp; left out, 1.
        linearity_warp: Option<f64> = None, within(0.25, 1.2);
        /// Linearity of tension along the weft; left out, 1.
        linearity_weft: Option<f64> = None, within(0.25, 1.2);
        /// Bending rigidity of curvature along the warp.
        bend_warp: Option<f64> = None, ["N·m"] within(1e-9, 0.01);
        /// Bending rigidity of curvature along the weft.
        bend_weft: Option<f64> = None, ["N·m"] within(1e-9, 0.01);
        /// Twisting rigidity; left out, the geometric mean of the two above.
        bend_twist: Option<f64> = None, ["N·m"] within(1e-9, 0.01);
        /// Width of the bending hysteresis along the warp, 2HB; left out, 0.
        hysteresis_warp: Option<f64> = None, ["N"] within(0, 1);
        /// Width of the bending hysteresis along the weft, 2HB; left out, 0.
        hysteresis_weft: Option<f64> = None, ["N"] within(0, 1);
        /// Viscosity of stretching relative to its stiffness; left out, 0.001.
        damping_stretch: Option<f64> = None, ["s"] within(0, 10);
        /// Viscosity of bending relative to its stiffness; left out, 0.01.
        damping_bend: Option<f64> = None, ["s"] within(0, 10);
        /// Coefficient of friction on itself and on bodies that state none; left out, 0.3.
        friction: Option<f64> = None, within(0, 5);
        /// Values of KES-F, from which properties that are not given above are computed.
        kes: Option<Kes> = None;
        /// Values of FAST, from which properties that are not given above are computed.
        fast: Option<Fast> = None;
        /// A cantilever test, from which bending rigidities that are not given above are computed.
        cantilever: Option<CantileverTable> = None;
    }
}

impl FabricFile {
    /// The properties that are given in SI units.
    pub fn given(&self) -> Measured {
        Measured {
            areal_density: self.areal_density,
            thickness: self.thickness,
            stretch_warp: self.stretch_warp,
            stretch_weft: self.stretch_weft,
            poisson: self.poisson,
            shear: self.shear,
            linearity_warp: self.linearity_warp,
            linearity_weft: self.linearity_weft,
            bend_warp: self.bend_warp,
            bend_weft: self.bend_weft,
            bend_twist: self.bend_twist,
            hysteresis_warp: self.hysteresis_warp,
            hysteresis_weft: self.hysteresis_weft,
            damping_stretch: self.damping_stretch,
            damping_bend: self.damping_bend,
            friction: self.friction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_cloth::{Fabric, fabric::PROPERTIES};

    #[test]
    fn the_keys_are_the_properties_with_their_units_and_ranges() {
        let fields = &FabricFile::FIELDS[3..3 + PROPERTIES.len()];
        for (field, property) in fields.iter().zip(PROPERTIES) {
            assert_eq!((field.key, field.unit), (property.name, property.unit));
            assert_eq!(
                format!("{}, ", field.range.text()),
                format!("{}, ", {
                    let sign = if property.above_low { '>' } else { '≥' };
                    format!("{sign} {}, ≤ {}", property.low, property.high)
                }),
                "{}",
                field.key
            );
        }
        let more: Vec<&str> = FabricFile::FIELDS[3 + PROPERTIES.len()..].iter().map(|field| field.key).collect();
        assert_eq!(more, ["kes", "fast", "cantilever"]);
    }

    #[test]
    fn the_documented_defaults_are_those_of_the_code() {
        let usual = Fabric::default();
        let says = |key: &str, text: String| {
            let field = FabricFile::FIELDS.iter().find(|field| field.key == key).unwrap();
            assert!(field.doc.ends_with(&format!("left out, {text}.")), "{}", field.doc);
        };
        says("damping_stretch", usual.damping_stretch.to_string());
        says("damping_bend", usual.damping_bend.to_string());
        says("friction", usual.friction.to_string());
        says("thickness", format!("that of cloth with {} kg/m³", toile_cloth::fabric::USUAL_DENSITY));
    }
}
