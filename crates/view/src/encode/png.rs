//! PNG and animated PNG, 8-bit RGB in sRGB.

use png::{BitDepth, ColorType, Compression, Encoder, Filter, SrgbRenderingIntent};

use super::{EncodeError, common_size};
use crate::Image;

/// A picture as the bytes of a PNG file.
///
/// ```
/// use toile_view::{Image, encode};
/// let bytes = encode::png(&Image::filled(8, 8, [10, 20, 30]))?;
/// assert!(bytes.starts_with(b"\x89PNG"));
/// # Ok::<(), encode::EncodeError>(())
/// ```
pub fn png(image: &Image) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    let encoder = encoder(&mut bytes, [image.width(), image.height()]);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(image.rgb())?;
    writer.finish()?;
    Ok(bytes)
}

/// Frames of equal size as the bytes of an animated PNG that repeats for ever.
///
/// `delay_ms` is the time each frame is shown [ms]. Programs that do not know APNG show the first frame.
pub fn apng(frames: &[Image], delay_ms: u16) -> Result<Vec<u8>, EncodeError> {
    let size = common_size(frames)?;
    let mut bytes = Vec::new();
    let mut encoder = encoder(&mut bytes, size);
    encoder.set_animated(frames.len() as u32, 0)?;
    encoder.set_frame_delay(delay_ms, 1000)?;
    let mut writer = encoder.write_header()?;
    for frame in frames {
        writer.write_image_data(frame.rgb())?;
    }
    writer.finish()?;
    Ok(bytes)
}

fn encoder(bytes: &mut Vec<u8>, size: [u32; 2]) -> Encoder<'static, &mut Vec<u8>> {
    let mut encoder = Encoder::new(bytes, size[0], size[1]);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    // The highest takes several times as long for 4 % less.
    encoder.set_compression(Compression::Balanced);
    encoder.set_filter(Filter::Adaptive);
    encoder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(seed: u8) -> Image {
        let mut image = Image::filled(33, 17, [0; 3]);
        for (i, b) in image.rgb_mut().iter_mut().enumerate() {
            *b = (i as u8).wrapping_mul(7).wrapping_add(seed);
        }
        image
    }

    fn decode(bytes: &[u8]) -> png::Reader<std::io::Cursor<&[u8]>> {
        png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap()
    }

    #[test]
    fn png_decodes_to_the_same_pixels() {
        let image = frame(3);
        let bytes = png(&image).unwrap();
        let mut reader = decode(&bytes);
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height, info.color_type), (33, 17, ColorType::Rgb));
        assert_eq!(pixels, image.rgb());
    }

    #[test]
    fn apng_holds_every_frame() {
        let frames = [frame(0), frame(50), frame(100)];
        let bytes = apng(&frames, 40).unwrap();
        let mut reader = decode(&bytes);
        let control = *reader.info().animation_control().unwrap();
        assert_eq!((control.num_frames, control.num_plays), (3, 0));
        for image in &frames {
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(pixels, image.rgb());
            let delay = reader.info().frame_control().unwrap();
            assert_eq!((delay.delay_num, delay.delay_den), (40, 1000));
        }
    }

    #[test]
    fn animations_refuse_no_frames_and_mixed_sizes() {
        assert!(matches!(apng(&[], 40), Err(EncodeError::NoFrames)));
        let mixed = [frame(0), Image::filled(5, 5, [0; 3])];
        assert!(matches!(apng(&mixed, 40), Err(EncodeError::FrameSize { frame: 1, .. })));
    }
}
