//! Colours: sRGB transfer curve and colour maps for values on vertices.
//!
//! Shading is done in linear light; materials and files speak sRGB (IEC 61966-2-1).
//! Colour maps are tables of sRGB colours at equal steps, mixed linearly in between.

/// Linear light of an sRGB channel, both in 0–1.
pub fn linear_from_srgb(c: f32) -> f32 {
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// sRGB channel of linear light, both in 0–1.
pub fn srgb_from_linear(c: f32) -> f32 {
    if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
}

/// A value in 0–1 as a byte; not-a-number becomes 0.
pub(crate) fn byte(c: f32) -> u8 {
    (c.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Bytes of sRGB for linear light by table: at most one step off, many times faster than the power.
pub(crate) struct SrgbTable(Vec<u8>);

impl SrgbTable {
    const LAST: usize = (1 << 14) - 1;

    pub(crate) fn new() -> Self {
        Self((0..=Self::LAST).map(|i| byte(srgb_from_linear(i as f32 / Self::LAST as f32))).collect())
    }

    /// The byte for linear light; not-a-number becomes 0.
    pub(crate) fn byte(&self, c: f64) -> u8 {
        self.0[(c.clamp(0.0, 1.0) * Self::LAST as f64 + 0.5) as usize]
    }
}

/// How values become colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum ColourMap {
    /// Dark violet over teal to yellow: lightness grows evenly, safe for colour-blind readers and grey print.
    #[default]
    Viridis,
    /// Blue, green, yellow, red: the habit of strain and stress pictures; low values cold, high values hot.
    Strain,
    /// Blue, white, red: for values with a sign; put zero in the middle of the range.
    BlueWhiteRed,
}

/// Equal steps of perceptual lightness from violet to yellow.
const VIRIDIS: [[f32; 3]; 9] = [
    [0.267, 0.005, 0.329],
    [0.278, 0.175, 0.483],
    [0.230, 0.322, 0.546],
    [0.173, 0.449, 0.558],
    [0.128, 0.567, 0.551],
    [0.158, 0.684, 0.502],
    [0.369, 0.789, 0.383],
    [0.678, 0.864, 0.190],
    [0.993, 0.906, 0.144],
];
const STRAIN: [[f32; 3]; 7] = [
    [0.150, 0.280, 0.740],
    [0.130, 0.560, 0.830],
    [0.190, 0.720, 0.560],
    [0.560, 0.820, 0.330],
    [0.960, 0.860, 0.250],
    [0.950, 0.530, 0.160],
    [0.790, 0.120, 0.130],
];
const BLUE_WHITE_RED: [[f32; 3]; 5] =
    [[0.130, 0.270, 0.640], [0.490, 0.660, 0.880], [0.950, 0.950, 0.940], [0.930, 0.560, 0.460], [0.690, 0.090, 0.150]];

impl ColourMap {
    /// sRGB colour at `t` in 0–1; values outside are clamped, not-a-number is grey.
    ///
    /// ```
    /// use toile_view::ColourMap;
    /// assert_eq!(ColourMap::BlueWhiteRed.at(0.5), [0.95, 0.95, 0.94]);
    /// ```
    pub fn at(self, t: f64) -> [f32; 3] {
        let table: &[[f32; 3]] = match self {
            Self::Viridis => &VIRIDIS,
            Self::Strain => &STRAIN,
            Self::BlueWhiteRed => &BLUE_WHITE_RED,
        };
        if t.is_nan() {
            return [0.5; 3];
        }
        let x = t.clamp(0.0, 1.0) * (table.len() - 1) as f64;
        let i = (x as usize).min(table.len() - 2);
        let w = (x - i as f64) as f32;
        [0, 1, 2].map(|c| table[i][c] * (1.0 - w) + table[i + 1][c] * w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE lightness of an sRGB colour, 0–100.
    fn lightness(c: [f32; 3]) -> f32 {
        let [r, g, b] = c.map(linear_from_srgb);
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        if y > 0.008_856 { 116.0 * y.cbrt() - 16.0 } else { 903.3 * y }
    }

    #[test]
    fn srgb_round_trips_every_byte() {
        for b in 0..=255_u8 {
            assert_eq!(byte(srgb_from_linear(linear_from_srgb(f32::from(b) / 255.0))), b);
        }
        assert!((linear_from_srgb(0.5) - 0.214_041).abs() < 1e-6);
    }

    #[test]
    fn the_table_is_at_most_one_step_off() {
        let table = SrgbTable::new();
        for i in 0..=100_000 {
            let c = f64::from(i) / 1e5;
            assert!(table.byte(c).abs_diff(byte(srgb_from_linear(c as f32))) <= 1, "at {c}");
        }
        assert_eq!([table.byte(-1.0), table.byte(f64::NAN), table.byte(9.0)], [0, 0, 255]);
    }

    #[test]
    fn viridis_grows_evenly_lighter() {
        let l: Vec<f32> = (0..=64).map(|i| lightness(ColourMap::Viridis.at(f64::from(i) / 64.0))).collect();
        let mean = (l[64] - l[0]) / 64.0;
        for pair in l.windows(2) {
            let step = pair[1] - pair[0];
            assert!(step > 0.4 * mean && step < 1.6 * mean, "step {step} against mean {mean}");
        }
    }

    #[test]
    fn warm_maps_run_from_blue_to_red() {
        for map in [ColourMap::Strain, ColourMap::BlueWhiteRed] {
            let balance: Vec<f32> = (0..=32).map(|i| map.at(f64::from(i) / 32.0)).map(|c| c[0] - c[2]).collect();
            assert!(balance[0] < -0.3 && balance[32] > 0.3);
            assert!(balance.windows(2).all(|w| w[1] > w[0] - 0.06), "{map:?}: {balance:?}");
        }
        let lightness: Vec<f32> =
            (0..=32).map(|i| lightness(ColourMap::BlueWhiteRed.at(f64::from(i) / 32.0))).collect();
        assert!(lightness[..17].is_sorted() && lightness[16..].is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn out_of_range_is_clamped_and_nan_is_grey() {
        assert_eq!(ColourMap::Viridis.at(-5.0), ColourMap::Viridis.at(0.0));
        assert_eq!(ColourMap::Viridis.at(f64::INFINITY), ColourMap::Viridis.at(1.0));
        assert_eq!(ColourMap::Strain.at(f64::NAN), [0.5; 3]);
    }
}
