//! Fabrics as data: a library of them, and files of several kinds.
//!
//! ```
//! let denim = toile_scene::fabric::find("denim")?;
//! assert!(denim.fabric.bend_warp > 20.0 * toile_scene::fabric::find("silk-habotai")?.fabric.bend_warp);
//! # Ok::<(), toile_scene::fabric::FabricFileError>(())
//! ```
//!
//! [`find`] takes the name of a library fabric or of a file; [`load`] takes files only, of these kinds:
//!
//! - `fabric.toml`, the format of the house: properties in SI units, or values of an instrument in tables `[kes]`,
//!   `[fast]`, `[cantilever]`; see [`reference()`].
//! - XML with moduli, as laboratories and older simulators exchange them; see [`mod@xml`].
//! - JSON materials of data-driven models with one row of numbers per direction; see [`arcsim`].
//!
//! The kind follows from the extension; of a file with another extension from its first letter. What comes out has passed
//! [`Fabric::check`]. What does not is refused with file, line, reason and remedy. No text makes the readers panic or take
//! more memory than a small multiple of its size, which is at most [`MOST_BYTES`].

pub mod arcsim;
mod declaration;
mod error;
mod library;
mod reference;
mod table;
pub mod xml;

use std::{fmt::Write, ops::Range, path::Path};

use toile_cloth::{
    Fabric,
    fabric::{FabricError, Measured, PROPERTIES},
};

use crate::scene::{
    check::quoted,
    error::{Finding, first_problem},
    schema::toml_text,
};
use crate::text_file::{self, Remedies, Unreadable};

pub use declaration::{CantileverTable, FabricFile, Fast, Kes};
pub use error::FabricFileError;
pub use library::{library, names};
pub use reference::reference;

/// Largest fabric file accepted, in bytes.
pub const MOST_BYTES: usize = 1 << 20;
/// Letters of a name at most.
const LONGEST_NAME: usize = 64;

/// A fabric with what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedFabric {
    /// Its name.
    pub name: String,
    /// A sentence about it.
    pub description: String,
    /// Where its numbers come from.
    pub source: String,
    /// Its numbers.
    pub fabric: Fabric,
}

impl NamedFabric {
    /// Reads the text of a `fabric.toml`; `file` stands in messages for the file.
    pub fn from_toml(file: &str, text: &str) -> Result<Self, FabricFileError> {
        parse(FabricKind::Toml, file, text)
    }

    /// The fabric as `fabric.toml` with every property in SI units; reading it back gives an equal fabric.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: Option<String>, comment: &str| {
            let _ = writeln!(text, "{key} = {}{comment}", value.unwrap_or_default());
        };
        line("name", toml_text(&self.name), "");
        line("description", toml_text(&self.description), "");
        line("source", toml_text(&self.source), "");
        for property in PROPERTIES {
            let unit = if property.unit.is_empty() { String::new() } else { format!(" [{}]", property.unit) };
            let value = number(property.of(&self.fabric));
            line(property.name, Some(value), &format!(" # {}{unit}", property.meaning));
        }
        text
    }
}

/// A number as TOML; short for very small ones.
fn number(x: f64) -> String {
    if x != 0.0 && x.abs() < 1e-3 { format!("{x:e}") } else { format!("{x:?}") }
}

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FabricKind {
    /// The format of the house.
    Toml,
    /// Moduli as XML elements.
    Xml,
    /// A data-driven material as JSON.
    Json,
}

impl FabricKind {
    /// The kind of the file called `path` that holds `text`: by its extension, or else by its first letter.
    pub fn of(path: &Path, text: &str) -> Self {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "toml" => Self::Toml,
            "xml" => Self::Xml,
            "json" => Self::Json,
            _ => match text.trim_start_matches('\u{feff}').trim_start().as_bytes().first() {
                Some(b'<') => Self::Xml,
                Some(b'{' | b'/') => Self::Json,
                _ => Self::Toml,
            },
        }
    }
}

/// The fabric in the file `path`, whatever its kind.
pub fn load(path: impl AsRef<Path>) -> Result<NamedFabric, FabricFileError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let text = text_file::read(path, MOST_BYTES, &REMEDIES).map_err(|why| unreadable(&file, why))?;
    parse(FabricKind::of(path, &text), &file, &text)
}

/// Whether a fabric is named by a file: with an extension or a folder.
pub(crate) fn is_file_name(name: &str) -> bool {
    let path = Path::new(name);
    path.extension().is_some() || path.components().count() > 1
}

/// The fabric of the library called `name_or_path`, or else the one in the file of that name.
pub fn find(name_or_path: &str) -> Result<NamedFabric, FabricFileError> {
    if let Some(found) = library::find(name_or_path) {
        return found;
    }
    if is_file_name(name_or_path) || Path::new(name_or_path).exists() {
        return load(name_or_path);
    }
    let name = name_or_path.chars().take(LONGEST_NAME).collect();
    Err(FabricFileError::Unknown { name, help: library::help(name_or_path) })
}

/// The fabric that `text` describes; `file` stands in messages, and for a name if the text has none.
pub fn parse(kind: FabricKind, file: &str, text: &str) -> Result<NamedFabric, FabricFileError> {
    if text.len() > MOST_BYTES {
        return Err(unreadable(file, Unreadable::too_large(MOST_BYTES, &REMEDIES)));
    }
    let raw = match kind {
        FabricKind::Toml => table::read(text),
        FabricKind::Xml => xml::read(text),
        FabricKind::Json => arcsim::read(text),
    };
    raw.and_then(|raw| raw.finish(file)).map_err(|findings| invalid(file, text, findings))
}

fn invalid(file: &str, text: &str, findings: Vec<Finding>) -> FabricFileError {
    if let Some(problem) = first_problem(file, text, findings) {
        return FabricFileError::Invalid(Box::new(problem));
    }
    let (message, help) = ("not a fabric".to_owned(), "see `toile fabric reference`".to_owned());
    FabricFileError::Read { file: file.to_owned(), message, help }
}

/// What a reader found in a text, before it is checked as a whole.
#[derive(Debug, Default)]
struct Raw {
    name: String,
    description: String,
    source: String,
    measured: Measured,
    /// Where in the text each property comes from.
    places: Vec<(&'static str, Range<usize>)>,
}

impl Raw {
    fn finish(self, file: &str) -> Result<NamedFabric, Vec<Finding>> {
        let missing = self.measured.missing();
        if !missing.is_empty() {
            return Err(missing.into_iter().map(|error| self.finding(error)).collect());
        }
        let fabric = self.measured.complete().map_err(|error| vec![self.finding(error)])?;
        let name = if self.name.is_empty() { stem(file) } else { self.name };
        if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
            let place = self.places.iter().find(|(field, _)| *field == "name").map_or(0..0, |(_, span)| span.clone());
            let help = format!("at most {LONGEST_NAME} letters on one line");
            let message = format!("{} cannot be the name of a fabric", quoted(&name));
            return Err(vec![Finding { span: place, message, label: "here".to_owned(), help }]);
        }
        Ok(NamedFabric { name, description: self.description, source: self.source, fabric })
    }

    fn finding(&self, error: FabricError) -> Finding {
        let place = self.places.iter().find(|(field, _)| *field == error.field);
        let span = place.map_or(0..0, |(_, span)| span.clone());
        finding(span, error)
    }
}

fn finding(span: Range<usize>, error: FabricError) -> Finding {
    Finding { span, message: error.to_string(), label: "here".to_owned(), help: error.remedy }
}

/// The name of a file without folder and extension.
fn stem(file: &str) -> String {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let short: String = stem.chars().filter(|letter| !letter.is_control()).take(LONGEST_NAME).collect();
    if short.is_empty() { "fabric".to_owned() } else { short }
}

/// The byte at which line `row`, letter `column` begins, both from 1.
fn offset(text: &str, row: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(row.saturating_sub(1)).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at)
}

const REMEDIES: Remedies = Remedies {
    missing: "check the name; `toile fabric list` names the fabrics of the library",
    folder: "name the fabric file in it",
    too_large: "a fabric is a few numbers; is this the right file?",
    encoding: "save the file as UTF-8 text",
};

fn unreadable(file: &str, Unreadable { message, help }: Unreadable) -> FabricFileError {
    FabricFileError::Read { file: file.to_owned(), message, help }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_the_extension_or_else_the_first_letter() {
        let kind = |path: &str, text: &str| FabricKind::of(Path::new(path), text);
        assert_eq!(kind("a.toml", "<x/>"), FabricKind::Toml);
        assert_eq!(kind("a.XML", ""), FabricKind::Xml);
        assert_eq!(kind("a.json", "name"), FabricKind::Json);
        assert_eq!(kind("a.txt", "\u{feff} <x/>"), FabricKind::Xml);
        assert_eq!(kind("a", "// c\n{"), FabricKind::Json);
        assert_eq!(kind("a", "name = 'a'"), FabricKind::Toml);
    }

    #[test]
    fn offsets_count_letters_and_stay_inside() {
        assert_eq!(offset("aé\nb", 1, 3), 3);
        assert_eq!(offset("aé\nb", 2, 1), 4);
        assert_eq!(offset("aé\nb", 9, 9), 5);
        assert_eq!(offset("", 1, 1), 0);
    }

    #[test]
    fn small_numbers_are_written_short_and_read_back() {
        for x in [1.25e-5, 0.0, 0.3, 1e7, 1.0, 2.0 / 3.0 * 1e-6, 0.1 + 0.2] {
            assert_eq!(number(x).parse::<f64>().unwrap(), x);
        }
        assert_eq!((number(1.25e-5), number(5.0)), ("1.25e-5".to_owned(), "5.0".to_owned()));
    }
}
