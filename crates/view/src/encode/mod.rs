//! Pictures and animations as file bytes: PNG, APNG and GIF. Writing files safely is the caller's job.

mod gif;
mod palette;
mod png;

pub use self::gif::gif;
pub use self::png::{apng, png};

/// Why a picture could not be encoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// An animation needs at least one frame.
    #[error("an animation needs at least one frame")]
    NoFrames,
    /// All frames of an animation must have the size of the first; render them with the same width and height.
    #[error("frame {frame} has {found:?} pixels, the first has {expected:?}")]
    FrameSize {
        /// Number of the odd frame, from 0.
        frame: usize,
        /// Its width and height [px].
        found: [u32; 2],
        /// Width and height of the first frame [px].
        expected: [u32; 2],
    },
    /// The PNG encoder failed.
    #[error("PNG encoder: {0}")]
    Png(#[from] ::png::EncodingError),
    /// The GIF encoder failed.
    #[error("GIF encoder: {0}")]
    Gif(#[from] ::gif::EncodingError),
}

/// Width and height shared by all frames [px].
fn common_size(frames: &[crate::Image]) -> Result<[u32; 2], EncodeError> {
    let size = |image: &crate::Image| [image.width(), image.height()];
    let expected = frames.first().map(size).ok_or(EncodeError::NoFrames)?;
    match frames.iter().position(|f| size(f) != expected) {
        Some(frame) => Err(EncodeError::FrameSize { frame, found: size(&frames[frame]), expected }),
        None => Ok(expected),
    }
}
