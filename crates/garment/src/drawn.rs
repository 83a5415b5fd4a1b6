//! Patterns of drawing and drafting programs: pieces without seams, in SVG or `FreeSewing` JSON.

use std::path::Path;

use crate::fault::Fault;
use crate::file::{PatternFileError, read_bytes};
use crate::pattern::Pattern;
use crate::svg::SvgOptions;
use crate::{freesewing, svg};

/// A pattern that was drawn: pieces without seams.
#[derive(Clone, PartialEq, Debug)]
pub struct DrawnPattern {
    /// The pieces.
    pub pattern: Pattern,
    /// What was repaired.
    pub repairs: Vec<Fault>,
    /// What was assumed and what was left out.
    pub notes: Vec<String>,
}

/// Files of programs that store how a pattern is constructed, which other programs cannot repeat.
const CONSTRUCTIONS: [&str; 6] = ["sm2d", "val", "smis", "smms", "vit", "vst"];

/// Reads a file of a drawing program; `None` if the file is of another kind. Constructions of `Seamly2D` and Valentina are refused
/// with the way round.
pub fn load(path: impl AsRef<Path>, options: &SvgOptions) -> Result<Option<DrawnPattern>, PatternFileError> {
    let path = path.as_ref();
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "svg" | "svgz" => svg::load(path, options).map(Some),
        "json" => {
            let (file, bytes) = read_bytes(path)?;
            if freesewing::is_freesewing(&bytes) { freesewing::from_json(&file, &bytes).map(Some) } else { Ok(None) }
        }
        construction if CONSTRUCTIONS.contains(&construction) => Err(PatternFileError::Read {
            file: path.display().to_string(),
            message: "is a construction or a table of measurements of Seamly2D or Valentina, which only they can draw"
                .to_owned(),
            help: "open it there, make a layout, and export it as SVG or as DXF-AAMA; then read that file".to_owned(),
        }),
        _ => Ok(None),
    }
}
