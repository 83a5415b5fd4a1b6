//! Animated GIF: one palette for all frames, ordered dithering, only what changed.
//!
//! The dither threshold depends on the pixel alone (Bayer 1973, 8 × 8), so a still background keeps its exact
//! palette colours from frame to frame: nothing flickers, and unchanged pixels are stored as transparent.

use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use rayon::prelude::*;

use super::palette::Palette;
use super::{EncodeError, common_size};
use crate::Image;

/// Palette entry that leaves a pixel as it was.
const UNCHANGED: u8 = 255;

/// Frames of equal size as the bytes of a GIF file that repeats for ever.
///
/// `delay_ms` is the time each frame is shown [ms], rounded to the format's 10 ms; most programs slow down
/// anything below 20 ms.
///
/// ```
/// use toile_view::{Image, encode};
/// let frames = [Image::filled(8, 8, [10, 20, 30]), Image::filled(8, 8, [200, 20, 30])];
/// assert!(encode::gif(&frames, 40)?.starts_with(b"GIF89a"));
/// # Ok::<(), encode::EncodeError>(())
/// ```
pub fn gif(frames: &[Image], delay_ms: u16) -> Result<Vec<u8>, EncodeError> {
    let size = common_size(frames)?;
    let palette = Palette::new(frames, usize::from(UNCHANGED));
    let mut table = palette.colours.concat();
    table.resize(256 * 3, 0);
    let indexed: Vec<Vec<u8>> = frames.par_iter().map(|f| dithered(f, &palette)).collect();
    let [width, height] = size.map(|s| s as u16);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height, &table)?;
    encoder.set_repeat(Repeat::Infinite)?;
    for (i, pixels) in indexed.iter().enumerate() {
        let previous = i.checked_sub(1).map(|p| indexed[p].as_slice());
        let mut frame = changed_part(pixels, previous, size[0] as usize);
        frame.delay = ((u32::from(delay_ms) + 5) / 10).max(1) as u16;
        frame.dispose = DisposalMethod::Keep;
        frame.transparent = Some(UNCHANGED);
        encoder.write_frame(&frame)?;
    }
    drop(encoder);
    Ok(bytes)
}

/// Palette numbers of a frame.
fn dithered(frame: &Image, palette: &Palette) -> Vec<u8> {
    let width = frame.width() as usize;
    // The pattern spans about the gap between neighbouring palette colours, a few times their mean error.
    let strength = (3.0 * palette.spread).min(20.0);
    frame
        .rgb()
        .chunks_exact(3)
        .enumerate()
        .map(|(i, p)| {
            let shift = strength * (bayer(i % width, i / width) - 0.5);
            palette.index([0, 1, 2].map(|k| (f32::from(p[k]) + shift).round().clamp(0.0, 255.0) as u8))
        })
        .collect()
}

/// Threshold in 0–1 of the recursive 8 × 8 matrix: interleaved bits of `x ^ y` and `y`, lowest first.
fn bayer(x: usize, y: usize) -> f32 {
    let (a, b) = (x ^ y, y);
    let rank = (0..3).fold(0, |rank, bit| rank << 2 | (a >> bit & 1) << 1 | (b >> bit & 1));
    (rank as f32 + 0.5) / 64.0
}

/// The smallest rectangle that holds all changes; inside it unchanged pixels are transparent.
fn changed_part(pixels: &[u8], previous: Option<&[u8]>, width: usize) -> Frame<'static> {
    let height = pixels.len() / width;
    let changed = |i: usize| previous.is_none_or(|p| p[i] != pixels[i]);
    let (mut x0, mut x1, mut y0, mut y1) = (width, 0, height, 0);
    for i in (0..pixels.len()).filter(|i| changed(*i)) {
        (x0, x1) = (x0.min(i % width), x1.max(i % width));
        (y0, y1) = (y0.min(i / width), y1.max(i / width));
    }
    // A frame without any change still takes its time: keep one pixel.
    let [x0, x1, y0, y1] = if x0 > x1 { [0; 4] } else { [x0, x1, y0, y1] };
    let part: Vec<u8> = (y0..=y1)
        .flat_map(|y| (x0..=x1).map(move |x| y * width + x))
        .map(|i| if changed(i) { pixels[i] } else { UNCHANGED })
        .collect();
    Frame {
        left: x0 as u16,
        top: y0 as u16,
        width: (x1 - x0 + 1) as u16,
        height: (y1 - y0 + 1) as u16,
        buffer: Cow::Owned(part),
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames as a viewer composes them.
    fn decode(bytes: &[u8]) -> (Vec<Vec<u8>>, Vec<u16>, Repeat) {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let (w, h) = (usize::from(decoder.width()), usize::from(decoder.height()));
        let (mut canvas, mut frames, mut delays) = (vec![0; w * h * 3], Vec::new(), Vec::new());
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (k, p) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, p)| p[3] > 0) {
                let x = usize::from(frame.left) + k % usize::from(frame.width);
                let y = usize::from(frame.top) + k / usize::from(frame.width);
                canvas[(y * w + x) * 3..][..3].copy_from_slice(&p[..3]);
            }
            frames.push(canvas.clone());
            delays.push(frame.delay);
        }
        (frames, delays, decoder.repeat())
    }

    fn gradient_with_square(at: u32) -> Image {
        let mut image = Image::filled(64, 40, [0; 3]);
        for y in 0..40 {
            for x in 0..64 {
                let inside = (at..at + 8).contains(&x) && (10..18).contains(&y);
                image.put(x, y, if inside { [180, 30, 40] } else { [(150 + x) as u8, 200, (180 + y) as u8] });
            }
        }
        image
    }

    #[test]
    fn frames_decode_close_to_the_originals_and_loop() {
        let images: Vec<Image> = (0..5).map(|i| gradient_with_square(4 + 9 * i)).collect();
        let (frames, delays, repeat) = decode(&gif(&images, 40).unwrap());
        assert_eq!((frames.len(), repeat), (5, Repeat::Infinite));
        assert!(delays.iter().all(|d| *d == 4));
        for (frame, image) in frames.iter().zip(&images) {
            let worst = frame.iter().zip(image.rgb()).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
            assert!(worst < 24, "a channel is off by {worst}");
        }
    }

    #[test]
    fn a_still_background_does_not_flicker() {
        let images: Vec<Image> = (0..3).map(|i| gradient_with_square(4 + 9 * i)).collect();
        let (frames, ..) = decode(&gif(&images, 40).unwrap());
        let below_the_square = 20 * 64 * 3;
        assert!(frames.iter().all(|f| f[below_the_square..] == frames[0][below_the_square..]));
    }

    #[test]
    fn every_threshold_occurs_once() {
        let mut all: Vec<u32> = (0..64).map(|i| (bayer(i % 8, i / 8) * 64.0) as u32).collect();
        all.sort_unstable();
        assert_eq!(all, (0..64).collect::<Vec<u32>>());
    }

    #[test]
    fn equal_frames_are_kept_for_their_time() {
        let image = gradient_with_square(9);
        let (frames, delays, _) = decode(&gif(&[image.clone(), image], 100).unwrap());
        assert_eq!((frames.len(), delays), (2, vec![10, 10]));
        assert_eq!(frames[0], frames[1]);
    }
}
