//! The unit of a file: what it states, checked against the size of its pieces.
//!
//! AAMA files state `Units: METRIC`, which is millimetres, or `ENGLISH`, which is inches; others have `$INSUNITS` in their header, or
//! nothing. Writers get it wrong: files in centimetres say METRIC. So the largest piece decides whether the statement can
//! be true. Garments have pieces of 15 cm to 3 m; of units that make it so, the one is taken that the file states, else the one that
//! brings the piece nearest to 75 cm. Whatever is not as stated is said.

use super::groups::Drawing;
use super::read::style;

/// Unit of a DXF file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DxfUnit {
    /// Millimetres.
    Millimetre,
    /// Centimetres.
    Centimetre,
    /// Metres.
    Metre,
    /// Inches.
    Inch,
}

impl DxfUnit {
    /// How many make a metre.
    pub const fn per_metre(self) -> f64 {
        match self {
            Self::Millimetre => 1000.0,
            Self::Centimetre => 100.0,
            Self::Metre => 1.0,
            Self::Inch => 1.0 / 0.0254,
        }
    }

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Metre => "m",
            Self::Inch => "inch",
        }
    }

    /// The unit of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Millimetre, Self::Centimetre, Self::Metre, Self::Inch].into_iter().find(|unit| unit.word() == word)
    }
}

/// Sizes that the largest piece of a garment may have [m].
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 0.15..=3.0;
/// Sizes that are taken at all [m].
const POSSIBLE: std::ops::RangeInclusive<f64> = 0.03..=5.0;
/// A usual size of the largest piece [m].
const USUAL: f64 = 0.75;

/// Finds the unit of a drawing whose largest piece measures `extent` in units of the file.
pub(super) fn find(
    drawing: &Drawing,
    extent: f64,
    chosen: Option<DxfUnit>,
    notes: &mut Vec<String>,
) -> Result<DxfUnit, String> {
    if let Some(unit) = chosen {
        return Ok(unit);
    }
    let text = style(drawing, "units").map(|units| units.to_ascii_uppercase());
    let (stated, others): (Option<DxfUnit>, &[DxfUnit]) = match (text.as_deref(), drawing.header_unit) {
        (Some("ENGLISH" | "IMPERIAL" | "INCH" | "INCHES" | "IN"), _) => {
            (Some(DxfUnit::Inch), &[DxfUnit::Millimetre, DxfUnit::Centimetre])
        }
        (Some("CM" | "CENTIMETERS" | "CENTIMETRES"), _) => (Some(DxfUnit::Centimetre), &[DxfUnit::Millimetre]),
        (Some("METRIC" | "MM" | "MILLIMETERS" | "MILLIMETRES"), _) => {
            (Some(DxfUnit::Millimetre), &[DxfUnit::Centimetre, DxfUnit::Metre])
        }
        (_, Some(1)) => (Some(DxfUnit::Inch), &[DxfUnit::Millimetre, DxfUnit::Centimetre]),
        (_, Some(4)) => (Some(DxfUnit::Millimetre), &[DxfUnit::Centimetre, DxfUnit::Metre]),
        (_, Some(5)) => (Some(DxfUnit::Centimetre), &[DxfUnit::Millimetre, DxfUnit::Metre]),
        (_, Some(6)) => (Some(DxfUnit::Metre), &[DxfUnit::Centimetre, DxfUnit::Millimetre]),
        _ => (None, &[DxfUnit::Millimetre, DxfUnit::Centimetre, DxfUnit::Inch, DxfUnit::Metre]),
    };
    let metres = |unit: DxfUnit| extent / unit.per_metre();
    if let Some(unit) = stated.filter(|unit| PLAUSIBLE.contains(&metres(*unit))) {
        return Ok(unit);
    }
    let off = |unit: &DxfUnit| (metres(*unit) / USUAL).ln().abs();
    let likely = others
        .iter()
        .copied()
        .filter(|unit| PLAUSIBLE.contains(&metres(*unit)))
        .min_by(|a, b| off(a).total_cmp(&off(b)));
    if let Some(unit) = likely {
        let size = 100.0 * metres(unit);
        notes.push(if let Some(said) = stated {
            format!(
                "the file says {} but its largest piece would measure {:.1} cm then; read in {}, it measures {size:.1} cm, and that was taken",
                text.as_deref().unwrap_or(said.word()),
                100.0 * metres(said),
                unit.word()
            )
        } else {
            let why = text.map_or("states no unit".to_owned(), |word| format!("has the unknown unit `{word}`"));
            format!("the file {why}; its largest piece measures {extent:.1}, so {} was taken: {size:.1} cm", unit.word())
        });
        return Ok(unit);
    }
    let unit = stated.unwrap_or(DxfUnit::Millimetre);
    if stated.is_some() && POSSIBLE.contains(&metres(unit)) {
        return Ok(unit);
    }
    Err(format!("read in {}, its largest piece would measure {:.3} m", unit.word(), metres(unit)))
}
