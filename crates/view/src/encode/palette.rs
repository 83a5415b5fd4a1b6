//! 255 colours for many pictures: median cut, and nearest-colour lookup.
//!
//! Colours are counted on a grid of 5 bits per channel over all pictures together. Boxes of that grid are split
//! (Heckbert 1982) until there are enough: always the box with the largest squared error, across its axis of largest
//! variance, at the mean. Each box then stands for its mean colour.

use rayon::prelude::*;

use crate::Image;

const BITS: u32 = 5;
const CELLS: usize = 1 << (3 * BITS);

/// Bits per channel of the lookup table.
const LOOKUP_BITS: u32 = 6;

/// Colours shared by all frames, with a table that finds the nearest.
pub(super) struct Palette {
    pub(super) colours: Vec<[u8; 3]>,
    nearest: Vec<u8>,
    /// Mean distance of a pixel to its palette colour, per channel, in bytes.
    pub(super) spread: f32,
}

/// A cell of the histogram: number of pixels and sums of their channels.
#[derive(Clone, Copy, Default)]
struct Cell {
    count: u64,
    sum: [u64; 3],
}

impl Palette {
    /// At most `size` (1–256) colours for the pixels of all frames.
    pub(super) fn new(frames: &[Image], size: usize) -> Self {
        let mut boxes = vec![ColourBox::new(histogram(frames))];
        while boxes.len() < size {
            let Some(worst) = (0..boxes.len()).max_by(|a, b| boxes[*a].error.total_cmp(&boxes[*b].error)) else {
                break;
            };
            let Some((low, high)) = boxes[worst].split() else { break };
            boxes[worst] = low;
            boxes.push(high);
        }
        let pixels: u64 = boxes.iter().map(|b| b.count).sum();
        let error: f64 = boxes.iter().map(|b| b.error).sum();
        let spread = (error / (3.0 * pixels.max(1) as f64)).sqrt() as f32;
        let colours: Vec<[u8; 3]> = boxes.iter().map(|b| b.mean.map(|c| c.round() as u8)).collect();
        let nearest = (0..1_u32 << (3 * LOOKUP_BITS))
            .into_par_iter()
            .map(|key| {
                let mask = (1 << LOOKUP_BITS) - 1;
                let channel = |shift: u32| i32::from(((key >> (shift * LOOKUP_BITS) & mask) * 255 / mask) as u8);
                nearest_of(&colours, [channel(2), channel(1), channel(0)])
            })
            .collect();
        Self { colours, nearest, spread }
    }

    /// Number of the palette colour nearest to `rgb`.
    pub(super) fn index(&self, rgb: [u8; 3]) -> u8 {
        let shift = 8 - LOOKUP_BITS;
        let key = rgb.iter().fold(0, |key, c| key << LOOKUP_BITS | usize::from(c >> shift));
        self.nearest[key]
    }
}

fn nearest_of(colours: &[[u8; 3]], rgb: [i32; 3]) -> u8 {
    let distance = |c: &[u8; 3]| {
        let d = [0, 1, 2].map(|k| i32::from(c[k]) - rgb[k]);
        // The eye's weights for red, green and blue.
        3 * d[0] * d[0] + 6 * d[1] * d[1] + d[2] * d[2]
    };
    (0..colours.len()).min_by_key(|i| distance(&colours[*i])).unwrap_or(0) as u8
}

fn histogram(frames: &[Image]) -> Vec<Cell> {
    let mut cells = vec![Cell::default(); CELLS];
    // Every pixel of short animations, an even selection of long ones.
    let stride = (frames.len() / 24).max(1);
    for frame in frames.iter().step_by(stride) {
        for p in frame.rgb().chunks_exact(3) {
            let key = p.iter().fold(0, |key, c| key << BITS | usize::from(c >> (8 - BITS)));
            cells[key].count += 1;
            for (sum, c) in cells[key].sum.iter_mut().zip(p) {
                *sum += u64::from(*c);
            }
        }
    }
    cells.retain(|c| c.count > 0);
    cells
}

/// A set of cells with its mean, squared error and axis of largest variance.
struct ColourBox {
    cells: Vec<Cell>,
    count: u64,
    mean: [f64; 3],
    error: f64,
    axis: usize,
}

impl Cell {
    fn mean(&self) -> [f64; 3] {
        self.sum.map(|s| s as f64 / self.count as f64)
    }
}

impl ColourBox {
    fn new(cells: Vec<Cell>) -> Self {
        let count: u64 = cells.iter().map(|c| c.count).sum();
        let mean = [0, 1, 2].map(|k| cells.iter().map(|c| c.sum[k] as f64).sum::<f64>() / count.max(1) as f64);
        let square =
            [0, 1, 2].map(|k| cells.iter().map(|c| c.count as f64 * (c.mean()[k] - mean[k]).powi(2)).sum::<f64>());
        let axis = (0..3).max_by(|a, b| square[*a].total_cmp(&square[*b])).unwrap_or(0);
        Self { cells, count, mean, error: square.iter().sum(), axis }
    }

    /// Two boxes on either side of the mean; `None` for a single colour.
    fn split(&self) -> Option<(Self, Self)> {
        let is_low = |c: &Cell| c.mean()[self.axis] <= self.mean[self.axis];
        let (low, high): (Vec<Cell>, Vec<Cell>) = self.cells.iter().partition(|c| is_low(c));
        (!low.is_empty() && !high.is_empty()).then(|| (Self::new(low), Self::new(high)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_exactly() {
        let mut image = Image::filled(10, 10, [250, 250, 245]);
        image.put(3, 3, [200, 16, 32]);
        image.put(4, 3, [0, 90, 160]);
        let palette = Palette::new(&[image], 255);
        assert_eq!(palette.colours.len(), 3);
        for c in [[250, 250, 245], [200, 16, 32], [0, 90, 160]] {
            assert_eq!(palette.colours[palette.index(c) as usize], c);
        }
    }

    #[test]
    fn a_grey_ramp_is_resolved_to_within_a_few_steps() {
        let mut image = Image::filled(256, 1, [0; 3]);
        (0..256_u32).for_each(|x| image.put(x, 0, [x as u8; 3]));
        let palette = Palette::new(std::slice::from_ref(&image), 255);
        for x in 0..256_u32 {
            let got = palette.colours[palette.index([x as u8; 3]) as usize];
            assert!(got[1].abs_diff(x as u8) <= 8, "{x} became {got:?}");
        }
    }
}
