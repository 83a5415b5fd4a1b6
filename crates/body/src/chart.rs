//! [`SizeChart`]: sizes of one's own, as a maker's table has them.
//!
//! ```toml
//! figure = "female"   # of all sizes: "female", "male" or "neutral" (the default)
//! unit = "cm"         # "m" (the default), "cm", "mm" or "in"
//!
//! [S]                 # a table for each size, from small to large
//! chest = 84
//! waist = 68
//! hips = 92
//!
//! [M]
//! chest = "36in"      # a text states its own unit
//! waist = 74
//! hips = 98
//! height = 170
//! ```
//!
//! Keys are those of a `body.toml` ([`crate::file`]); what is missing follows by regression. A size of a chart is named by the file,
//! a colon and its name: `sizes.toml:M`.

use std::path::Path;

use toml::de::DeTable;

use crate::file::{self, BodyFileError, Finding};
use crate::measurement::Measurement;
use crate::rules;
use crate::{Figure, Specification};

/// Sizes by name.
#[derive(Clone, PartialEq, Debug)]
pub struct SizeChart {
    /// The file it was read from.
    pub file: String,
    /// Names and bodies, in the order of the file.
    pub sizes: Vec<(String, Specification)>,
}

const SETTINGS: [&str; 2] = ["figure", "unit"];

impl SizeChart {
    /// Reads a chart; `file` stands in messages for the text.
    ///
    /// ```
    /// use toile_body::{Measurement, SizeChart};
    /// let chart = SizeChart::from_toml("sizes.toml", "unit = \"cm\"\n[S]\nchest = 84\n[M]\nchest = \"36in\"")?;
    /// assert_eq!(chart.find("m").unwrap().given[Measurement::Bust], Some(0.9144));
    /// assert_eq!(chart.names(), "S, M");
    /// # Ok::<(), toile_body::BodyFileError>(())
    /// ```
    pub fn from_toml(file: &str, text: &str) -> Result<Self, BodyFileError> {
        let sizes = parse(text).map_err(|finding| finding.in_file(file, text))?;
        Ok(Self { file: file.to_owned(), sizes })
    }

    /// Reads a chart from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, BodyFileError> {
        let (file, text) = file::read_text(path.as_ref())?;
        Self::from_toml(&file, &text)
    }

    /// The body of a size; capitals do not count.
    pub fn find(&self, name: &str) -> Option<&Specification> {
        let wanted = name.trim().to_lowercase();
        self.sizes.iter().find(|(known, _)| known.to_lowercase() == wanted).map(|(_, body)| body)
    }

    /// Its sizes in words.
    pub fn names(&self) -> String {
        self.sizes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// How a scene names a size of it; `None` if it has no such size.
    pub fn reference(&self, name: &str) -> Option<String> {
        self.find(name).map(|_| format!("{}:{}", self.file, name.trim()))
    }
}

/// The parts of `sizes.toml:M`: a chart and a size of it.
pub fn split_reference(text: &str) -> Option<(&str, &str)> {
    let (file, size) = text.rsplit_once(':')?;
    let is_chart = Path::new(file).extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    (is_chart && !size.trim().is_empty()).then_some((file, size.trim()))
}

fn parse(text: &str) -> Result<Vec<(String, Specification)>, Finding> {
    let root = file::root(text)?;
    let root = root.get_ref();
    let figures = Figure::ALL.map(|f| (f.name(), f));
    let figure = file::choice(root, "figure", &figures)?.unwrap_or(Figure::Neutral);
    let scale = file::choice(root, "unit", &file::UNITS)?.unwrap_or(1.0);
    let mut found: Vec<(usize, String, Specification)> = Vec::new();
    for (key, value) in root.iter().filter(|(key, _)| !SETTINGS.contains(&key.get_ref().as_ref())) {
        let name: &str = key.get_ref();
        let Some(table) = value.get_ref().as_table() else {
            let help = if Measurement::from_word(name).is_some() {
                "measurements belong under the name of a size, as [M]; a body alone is a file for --body"
            } else {
                "write a table for each size, as [M] and below it `bust = 92`"
            };
            return Err(Finding::new(key.span(), name, format!("`{name}` is no size"), help));
        };
        let specification = size(table, figure, scale)?;
        if found.iter().any(|(_, known, _)| known.eq_ignore_ascii_case(name)) {
            return Err(Finding::new(
                key.span(),
                name,
                format!("size `{name}` is there already"),
                "use each name once",
            ));
        }
        found.push((key.span().start, name.to_owned(), specification));
    }
    if found.is_empty() {
        let help = "write a table for each size, as [M] and below it `bust = 92`";
        return Err(Finding::new(0..0, "", "there are no sizes", help));
    }
    // A table of keys is in alphabetical order; people list sizes from small to large.
    found.sort_by_key(|(place, ..)| *place);
    Ok(found.into_iter().map(|(_, name, specification)| (name, specification)).collect())
}

/// One size. A body that cannot be is refused where it stands.
fn size(table: &DeTable<'_>, figure: Figure, scale: f64) -> Result<Specification, Finding> {
    let specification = Specification::new(figure, file::measurements(table, scale)?);
    match rules::check(&specification) {
        Ok(_) => Ok(specification),
        Err(refusal) => Err(file::place(table, None, refusal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (String, String) {
        let error = SizeChart::from_toml("s.toml", text).unwrap_err();
        (error.to_string(), error.help().to_owned())
    }

    #[test]
    fn sizes_are_in_the_order_of_the_file_and_found_in_any_case() {
        let text = "figure = \"male\"\nunit = \"in\"\n[small]\nchest = 36\n[large]\nchest = 42\nwaist = \"92cm\"\n[Big]\nchest = 46";
        let chart = SizeChart::from_toml("s.toml", text).unwrap();
        assert_eq!(chart.names(), "small, large, Big");
        let large = chart.find(" LARGE ").unwrap();
        assert_eq!((large.figure, large.given[Measurement::Waist]), (Figure::Male, Some(0.92)));
        assert!((large.given[Measurement::Bust].unwrap() - 42.0 * 0.0254).abs() < 1e-12);
        assert_eq!(chart.reference("big").as_deref(), Some("s.toml:big"));
        assert!(chart.find("medium").is_none() && chart.reference("medium").is_none());
    }

    #[test]
    fn what_is_no_chart_is_refused_where_it_stands() {
        for (text, message, help) in [
            ("", "s.toml:1:1: there are no sizes", "[M]"),
            ("bust = 92", "s.toml:1:1: `bust` is no size", "under the name of a size"),
            ("M = 92", "s.toml:1:1: `M` is no size", "a table for each size"),
            ("[M]\nbst = 0.92", "s.toml:2:1: unknown measurement `bst`", "bust (chest)"),
            ("[M]\nbust = 92", "s.toml:2:8: bust = 9200.0 cm is out of range", "unit"),
            ("[M]\nchest = 92", "s.toml:2:9: bust = 9200.0 cm is out of range", "unit"),
            ("[M]\nbust = 0.9\n[m]\nbust = 0.8", "s.toml:3:2: size `m` is there already", "once"),
            ("unit = \"ell\"\n[M]", "s.toml:1:8: `unit` has no such value", "\"in\""),
        ] {
            let (told, remedy) = error(text);
            assert_eq!(told, message);
            assert!(remedy.contains(help), "{text}: {remedy}");
        }
    }

    #[test]
    fn references_name_a_file_and_a_size() {
        assert_eq!(split_reference("a/sizes.toml:M"), Some(("a/sizes.toml", "M")));
        assert_eq!(split_reference("C:\\sizes.toml:M 2"), Some(("C:\\sizes.toml", "M 2")));
        for text in ["sizes.toml", "sizes.toml:", "C:\\body.toml", "woman-38", "a.obj:b"] {
            assert_eq!(split_reference(text), None, "{text}");
        }
    }
}
