//! [`GlbScene`]: the objects of a GLB file and the rate of their frames.

use std::path::Path;

use super::{document::glb_bytes, object::GlbObject};
use crate::{ExportError, FileError, atomic::write_atomic};

/// How objects move between two frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlbInterpolation {
    /// They stay until the next frame.
    Step,
    /// Along straight lines; rotations along the shortest arc.
    Linear,
}

/// Objects that are written as one GLB file; an example is at [`GlbObject`].
#[derive(Clone, Debug)]
pub struct GlbScene {
    pub(super) fps: f64,
    pub(super) interpolation: GlbInterpolation,
    pub(super) objects: Vec<GlbObject>,
}

impl GlbScene {
    /// An empty scene with `fps` frames per second [1/s].
    pub fn new(fps: f64, interpolation: GlbInterpolation) -> Result<Self, ExportError> {
        // Wider limits would make key times in `f32` infinite or equal.
        if !(1e-3..=1e5).contains(&fps) {
            let value = fps.to_string();
            return Err(ExportError::Setting { what: "frame rate", value, expected: "0.001 to 100000 per second" });
        }
        Ok(Self { fps, interpolation, objects: Vec::new() })
    }

    /// Adds an object. Objects are nodes in the order in which they were added.
    pub fn add(&mut self, object: GlbObject) {
        self.objects.push(object);
    }

    /// The file. At least one object is needed; a GLB file holds at most 4 GiB. Objects of at most one frame carry no animation.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ExportError> {
        glb_bytes(self)
    }

    /// Writes the file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        write_atomic(path, &self.to_bytes().map_err(FileError::export(path))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senseless_rates_and_empty_scenes_are_refused() {
        for fps in [0.0, f64::NAN, f64::INFINITY] {
            assert!(GlbScene::new(fps, GlbInterpolation::Step).is_err());
        }
        let empty = GlbScene::new(24.0, GlbInterpolation::Step).unwrap();
        assert_eq!(empty.to_bytes(), Err(ExportError::Empty { what: "object" }));
    }
}
