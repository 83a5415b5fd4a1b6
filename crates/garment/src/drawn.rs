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
    /// What else the file says of each piece.
    pub(crate) said: Vec<Said>,
    /// Whether the file states the whole pattern, with its seams: this program wrote it.
    pub is_stated: bool,
}

/// What a file says of a piece beside its shape and marks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Said {
    /// Words that are written on it.
    pub(crate) words: String,
    /// Whether its grainline is drawn.
    pub(crate) has_grain: bool,
    /// Whether it is said how often it is cut.
    pub(crate) has_count: bool,
}

/// Files of programs that store how a pattern is constructed, which other programs cannot repeat.
const CONSTRUCTIONS: [&str; 6] = ["sm2d", "val", "smis", "smms", "vit", "vst"];

/// Reads a file of a drawing program; `None` if the file is of another kind. Constructions of `Seamly2D` and Valentina are refused
/// with the way round.
pub fn load(path: impl AsRef<Path>, options: &SvgOptions) -> Result<Option<DrawnPattern>, PatternFileError> {
    let path = path.as_ref();
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !matches!(extension.as_str(), "svg" | "svgz" | "json") {
        return from_bytes(&path.display().to_string(), &[], options);
    }
    let (file, bytes) = read_bytes(path)?;
    from_bytes(&file, &bytes, options)
}

/// The same from the bytes of a file; the ending of `file` says what it is.
pub fn from_bytes(file: &str, bytes: &[u8], options: &SvgOptions) -> Result<Option<DrawnPattern>, PatternFileError> {
    let extension = Path::new(file).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "svg" | "svgz" => svg::from_svg(file, bytes, options).map(Some),
        "json" if freesewing::is_freesewing(bytes) => freesewing::from_json(file, bytes).map(Some),
        construction if CONSTRUCTIONS.contains(&construction) => Err(PatternFileError::Read {
            file: file.to_owned(),
            message: "is a construction or a table of measurements of Seamly2D or Valentina, which only they can draw"
                .to_owned(),
            help: "open it there, make a layout, and export it as SVG or as DXF-AAMA; then read that file".to_owned(),
        }),
        _ => Ok(None),
    }
}
