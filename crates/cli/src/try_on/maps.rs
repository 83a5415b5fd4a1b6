//! Maps of the fit: values on the garment from blue to red, with a legend.

use miette::{IntoDiagnostic, Result};
use toile_tailor::fit::{Field, Fit};
use toile_view::{ColourMap, Image, Quality, VertexValues, encode};

use super::views::{Stage, VIEWS, side_by_side};

/// Height of a view of a map over that of other views.
const SCALE: f64 = 0.65;

/// How a field is drawn.
pub(super) struct Map {
    pub(super) field: Field,
    /// Name of its picture.
    pub(super) file: &'static str,
    /// What it shows, for captions.
    pub(super) title: &'static str,
    /// Heading of its legend.
    label: &'static str,
    /// From SI units to those of the legend.
    factor: f64,
    /// Least value at the red end of the legend, in its unit.
    least: f64,
    /// Whether the sign counts: zero is then in the middle.
    signed: bool,
}

const fn map(
    field: Field,
    file: &'static str,
    title: &'static str,
    label: &'static str,
    factor: f64,
    least: f64,
) -> Map {
    Map { field, file, title, label, factor, least, signed: false }
}

/// What is drawn of a fit.
pub(super) const MAPS: [Map; 7] = [
    map(Field::Strain, "fit-strain.png", "Strain, the larger of warp and weft", "strain [%]", 100.0, 1.0),
    map(Field::StrainWarp, "fit-strain-warp.png", "Strain along the warp", "warp [%]", 100.0, 1.0),
    map(Field::StrainWeft, "fit-strain-weft.png", "Strain along the weft", "weft [%]", 100.0, 1.0),
    Map {
        signed: true,
        ..map(Field::StrainShear, "fit-shear.png", "Shear angle between the threads", "shear [°]", 57.295_779_513, 2.0)
    },
    map(Field::StressEquivalent, "fit-stress.png", "Equivalent stress", "stress [N/m]", 1.0, 10.0),
    map(Field::Pressure, "fit-pressure.png", "Pressure on the body", "pressure [kPa]", 1e-3, 0.1),
    map(Field::Gap, "fit-ease.png", "Ease: distance to the body", "ease [cm]", 100.0, 1.0),
];

impl Map {
    /// The ends of the legend for a fit.
    pub(super) fn range(&self, fits: &[&Fit]) -> [f64; 2] {
        let peak = |fit: &&Fit| {
            let largest = fit.peak(self.field);
            if self.signed { largest.max(-low(&fit.values(self.field))) } else { largest }
        };
        let high = round_up(fits.iter().map(peak).fold(0.0, f64::max) * self.factor).max(self.least);
        [if self.signed { -high } else { 0.0 }, high]
    }

    /// The values of a fit in the unit of the legend.
    fn values(&self, fit: &Fit) -> Vec<f64> {
        fit.values(self.field).into_iter().map(|value| self.factor * value).collect()
    }

    /// One view; the legend only if it is asked for.
    pub(super) fn shoot(
        &self,
        stage: &Stage,
        fit: &Fit,
        azimuth: f64,
        range: [f64; 2],
        caption: &str,
        legend: bool,
    ) -> Image {
        let values = VertexValues {
            values: &self.values(fit),
            range: Some(range),
            map: ColourMap::Strain,
            label: if legend { self.label.to_owned() } else { String::new() },
        };
        stage.shoot(azimuth, SCALE, Some(values), caption, Quality::Draft)
    }

    /// Front, side and back.
    pub(super) fn draw(&self, stage: &Stage, fit: &Fit) -> Result<Vec<u8>> {
        let range = self.range(&[fit]);
        let views: Vec<Image> = VIEWS
            .iter()
            .enumerate()
            .map(|(k, (_, azimuth))| {
                let caption = if k == 0 { self.title } else { "" };
                self.shoot(stage, fit, *azimuth, range, caption, k + 1 == VIEWS.len())
            })
            .collect();
        encode::png(&side_by_side(&views.iter().collect::<Vec<_>>())).into_diagnostic()
    }
}

/// The value that one in a hundred stays below.
fn low(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 100).copied().unwrap_or(0.0)
}

/// The next of 1, 1.5, 2, 3, 5, 7 times a power of ten.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    let power = 10.0_f64.powf(value.log10().floor());
    let steps = [1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|step| *step >= value * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legends_end_at_round_values() {
        for (value, expected) in [(0.0, 0.0), (f64::NAN, 0.0), (0.11, 0.15), (1.0, 1.0), (4.2, 5.0), (93.0, 100.0)] {
            assert!((round_up(value) - expected).abs() < 1e-12, "{value}: {}", round_up(value));
        }
    }
}
