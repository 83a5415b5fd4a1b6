//! `body.toml`: a specification as people write it.
//!
//! ```toml
//! figure = "female"      # "female", "male" or "neutral" (the default)
//! unit = "cm"            # of the measurements: "m" (the default), "cm", "mm" or "in"
//! pose = "a"             # "a" (the default) or "t"
//! arm_angle_deg = 40     # of the A-pose, against the vertical
//! triangles = 20000
//!
//! [measurements]         # each may be missing
//! height = 168
//! bust = 92
//! waist = 74
//! hips = "39in"          # a text states its own unit; common words are understood: chest, hips, seat, biceps …
//! shoulder_slope_deg = 21
//! ```
//!
//! Whatever is wrong is refused with file, line, key, reason and remedy.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::length;
use crate::measurement::{Kind, Measurement};
use crate::rules::{self, Refusal};
use crate::{Figure, Given, Pose, Specification};

/// Largest text accepted, in bytes.
pub const MOST_BYTES: usize = 1 << 20;

/// Why a `body.toml` gives no specification. The text is `file:line:column: key: message`.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyFileError {
    /// The file could not be read.
    #[error("{file}: {message}")]
    Read {
        /// The file.
        file: String,
        /// What went wrong.
        message: String,
        /// How to mend it.
        help: String,
    },
    /// Something in it is wrong.
    #[error("{file}:{line}:{column}: {message}")]
    Invalid {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in letters, from 1.
        column: usize,
        /// The key, or an empty text where the file is no TOML.
        key: String,
        /// What is wrong.
        message: String,
        /// How to mend it.
        help: String,
    },
}

impl BodyFileError {
    /// How to mend it.
    pub fn help(&self) -> &str {
        match self {
            Self::Read { help, .. } | Self::Invalid { help, .. } => help,
        }
    }
}

/// A finding and its place in the text.
pub(crate) struct Finding {
    span: Range<usize>,
    key: String,
    message: String,
    help: String,
}

impl Finding {
    pub(crate) fn new(span: Range<usize>, key: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, key: key.to_owned(), message: message.into(), help: help.into() }
    }

    /// As an error about a file with this text.
    pub(crate) fn in_file(self, file: &str, text: &str) -> BodyFileError {
        let start = text.floor_char_boundary(self.span.start);
        let before = &text[..start];
        BodyFileError::Invalid {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
            key: self.key,
            message: self.message,
            help: self.help,
        }
    }
}

/// Units of a file with their lengths [m].
pub(crate) const UNITS: [(&str, f64); 4] = [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254)];

const SETTINGS: [&str; 6] = ["figure", "unit", "pose", "arm_angle_deg", "triangles", "measurements"];

impl Specification {
    /// Reads a specification; `file` stands in messages for the text.
    ///
    /// ```
    /// use toile_body::Specification;
    /// let error = Specification::from_toml("body.toml", "[measurements]\nwast = 0.7").unwrap_err();
    /// assert_eq!(error.to_string(), "body.toml:2:1: unknown measurement `wast`");
    /// assert!(error.help().starts_with("known: height (stature), inseam"));
    /// ```
    pub fn from_toml(file: &str, text: &str) -> Result<Self, BodyFileError> {
        parse(text).map_err(|finding| finding.in_file(file, text))
    }

    /// Reads a specification file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, BodyFileError> {
        let (file, text) = read_text(path.as_ref())?;
        Self::from_toml(&file, &text)
    }
}

/// The name of a file and its text.
pub(crate) fn read_text(path: &Path) -> Result<(String, String), BodyFileError> {
    let file = path.display().to_string();
    let fail = |message: String, help: &str| BodyFileError::Read { file: file.clone(), message, help: help.into() };
    let unreadable = |error: std::io::Error| fail(format!("cannot be read: {error}"), "check its name and rights");
    let mut bytes = Vec::new();
    let opened = File::open(path).map_err(unreadable)?;
    opened.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MOST_BYTES {
        return Err(fail(format!("larger than {MOST_BYTES} bytes"), "measurements need some lines only"));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| fail("is no UTF-8 text".to_owned(), "save it as UTF-8; a mesh is no file of measurements"))?;
    Ok((file, text))
}

/// The root table of a TOML text.
pub(crate) fn root(text: &str) -> Result<toml::Spanned<DeTable<'_>>, Finding> {
    let (root, errors) = DeTable::parse_recoverable(text);
    match errors.first() {
        None => Ok(root),
        Some(error) => {
            let span = error.span().unwrap_or(0..0);
            Err(Finding::new(span, "", error.message(), "see toml.io for how TOML is written"))
        }
    }
}

fn parse(text: &str) -> Result<Specification, Finding> {
    let root = root(text)?;
    let root = root.get_ref();
    let unknown = root.iter().find(|(key, _)| !SETTINGS.contains(&key.get_ref().as_ref()));
    if let Some((key, _)) = unknown {
        let name: &str = key.get_ref();
        let help = if Measurement::from_word(name).is_some() {
            format!("`{name}` belongs under [measurements]")
        } else {
            format!("known: {}", SETTINGS.join(", "))
        };
        return Err(Finding::new(key.span(), name, format!("unknown key `{name}`"), help));
    }
    let figure = choice(root, "figure", &Figure::ALL.map(|f| (f.name(), f)))?.unwrap_or(Figure::Neutral);
    let scale = choice(root, "unit", &UNITS)?.unwrap_or(1.0);
    let is_t = choice(root, "pose", &[("a", false), ("t", true)])?.unwrap_or(false);
    let mut specification = Specification::new(figure, Given::NONE);
    if let Some((degrees, span)) = number(root, "arm_angle_deg")? {
        if is_t {
            let message = "`arm_angle_deg` belongs to the A-pose";
            return Err(Finding::new(span, "arm_angle_deg", message, "leave it out, or write `pose = \"a\"`"));
        }
        specification.pose = Pose::A(degrees.to_radians());
    }
    if is_t {
        specification.pose = Pose::T;
    }
    if let Some((count, _)) = number(root, "triangles")? {
        // A negative or huge number saturates and is refused by the rules.
        specification.triangles = count as usize;
    }
    let table = match root.get("measurements") {
        None => None,
        Some(value) => Some(value.get_ref().as_table().ok_or_else(|| {
            Finding::new(value.span(), "measurements", "`measurements` must be a table", "write `[measurements]`")
        })?),
    };
    if let Some(table) = table {
        specification.given = measurements(table, scale)?;
    }
    match rules::check(&specification) {
        Ok(_) => Ok(specification),
        Err(refusal) => Err(place(root, table, refusal)),
    }
}

/// Measurements by their words; numbers are in a unit of this length [m], texts state their own.
pub(crate) fn measurements(table: &DeTable<'_>, scale: f64) -> Result<Given, Finding> {
    let mut given = Given::NONE;
    for (key, value) in table {
        let name: &str = key.get_ref();
        let Some(m) = Measurement::from_word(name) else {
            let help = format!("known: {}", Measurement::known());
            return Err(Finding::new(key.span(), name, format!("unknown measurement `{name}`"), help));
        };
        if given[m].is_some() {
            let message = format!("`{name}` is `{}`, which is given already", m.key());
            return Err(Finding::new(key.span(), name, message, "give it once"));
        }
        given[m] = match (value.get_ref().as_str(), m.kind()) {
            (Some(text), Kind::Girth | Kind::Length) => {
                let wrong =
                    || Finding::new(value.span(), name, format!("`{name}`: \"{text}\" is no length"), length::HOW);
                Some(length::read(text).ok_or_else(wrong)?)
            }
            (_, Kind::Angle) => number(table, name)?.map(|(degrees, _)| degrees.to_radians()),
            (None, _) => number(table, name)?.map(|(value, _)| scale * value),
        };
    }
    Ok(given)
}

/// Finds the place of a refusal in the text.
pub(crate) fn place(root: &DeTable<'_>, measurements: Option<&DeTable<'_>>, refusal: Refusal) -> Finding {
    let is_it = |key: &str| key == refusal.key || Measurement::from_word(key).is_some_and(|m| m.key() == refusal.key);
    let span_in = |table: &DeTable<'_>| Some(table.iter().find(|(key, _)| is_it(key.get_ref()))?.1.span());
    let span = measurements.and_then(span_in).or_else(|| span_in(root)).unwrap_or(0..0);
    Finding::new(span, refusal.key, refusal.message, refusal.help)
}

pub(crate) fn choice<T: Copy>(table: &DeTable<'_>, key: &str, choices: &[(&str, T)]) -> Result<Option<T>, Finding> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let text = value.get_ref().as_str();
    if let Some((_, chosen)) = choices.iter().find(|(name, _)| text == Some(name)) {
        return Ok(Some(*chosen));
    }
    let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    Err(Finding::new(value.span(), key, format!("`{key}` has no such value"), format!("choose {}", names.join(" or "))))
}

fn number(table: &DeTable<'_>, key: &str) -> Result<Option<(f64, Range<usize>)>, Finding> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let parsed = match value.get_ref() {
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(integer) => {
            i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|number| number as f64)
        }
        _ => None,
    };
    match parsed.filter(|number: &f64| number.is_finite()) {
        Some(number) => Ok(Some((number, value.span()))),
        None => {
            Err(Finding::new(value.span(), key, format!("`{key}` must be a number"), format!("write `{key} = 1.0`")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (String, String) {
        let error = Specification::from_toml("b.toml", text).unwrap_err();
        (error.to_string(), error.help().to_owned())
    }

    #[test]
    fn centimetres_and_metres_agree() {
        let cm = Specification::from_toml("b", "unit = \"cm\"\n[measurements]\nwaist = 80\nshoulder_slope_deg = 20")
            .unwrap();
        let m = Specification::from_toml("b", "[measurements]\nwaist = 0.80\nshoulder_slope_deg = 20.0").unwrap();
        assert_eq!(cm, m);
        assert_eq!(m.given[Measurement::ShoulderSlope], Some(20f64.to_radians()));
    }

    #[test]
    fn inches_and_common_words_are_understood() {
        let read = |text: &str| Specification::from_toml("b", text).unwrap().given;
        let metres = read("[measurements]\nheight = 1.7018\nbust = 0.9017\nhip = 0.9652\nupper_arm = 0.28");
        let typed = read(
            "unit = \"in\"\n[measurements]\nheight = \"5ft7in\"\nchest = 35.5\nseat = \"38\\\"\"\nbiceps = \"28cm\"",
        );
        for (m, value) in metres.iter() {
            match (value, typed[m]) {
                (Some(a), Some(b)) => assert!((a - b).abs() < 1e-12, "{m:?}: {a} {b}"),
                (a, b) => assert_eq!(a, b, "{m:?}"),
            }
        }
    }

    #[test]
    fn settings_are_read() {
        let text = "figure = \"male\"\npose = \"a\"\narm_angle_deg = 55\ntriangles = 8_000";
        let read = Specification::from_toml("b", text).unwrap();
        let expected = Specification {
            pose: Pose::A(55f64.to_radians()),
            triangles: 8000,
            ..Specification::new(Figure::Male, Given::NONE)
        };
        assert_eq!(read, expected);
        assert_eq!(Specification::from_toml("b", "pose = \"t\"").unwrap().pose, Pose::T);
        assert_eq!(Specification::from_toml("b", "").unwrap().figure, Figure::Neutral);
    }

    #[test]
    fn errors_point_at_the_value_and_say_how_to_mend() {
        for (text, message, help) in [
            (
                "figure = \"dog\"",
                "b.toml:1:10: `figure` has no such value",
                "choose \"female\" or \"male\" or \"neutral\"",
            ),
            ("\nwaist = 0.7", "b.toml:2:1: unknown key `waist`", "`waist` belongs under [measurements]"),
            ("[measurements]\nwaist = \"x\"", "b.toml:2:9: `waist`: \"x\" is no length", length::HOW),
            ("[measurements]\nwaist = true", "b.toml:2:9: `waist` must be a number", "write `waist = 1.0`"),
            (
                "[measurements]\nbust = 0.9\nchest = 0.9",
                "b.toml:3:1: `chest` is `bust`, which is given already",
                "give it once",
            ),
            ("[measurements]\nwaist = nan", "b.toml:2:9: `waist` must be a number", "write `waist = 1.0`"),
            (
                "pose = \"t\"\narm_angle_deg = 30",
                "b.toml:2:17: `arm_angle_deg` belongs to the A-pose",
                "leave it out, or write `pose = \"a\"`",
            ),
            ("measurements = 3", "b.toml:1:16: `measurements` must be a table", "write `[measurements]`"),
            ("triangles = -5", "b.toml:1:13: 0 triangles are out of range", "ask for 3000 to 120000"),
        ] {
            assert_eq!(error(text), (message.to_owned(), help.to_owned()));
        }
        assert!(error("a = = 2").0.starts_with("b.toml:1:"));
    }

    #[test]
    fn impossible_bodies_are_refused_where_they_stand() {
        let (message, help) = error("unit = \"cm\"\n[measurements]\nheight = 150\nwaist = 300");
        assert_eq!(message, "b.toml:4:9: waist = 300.0 cm is out of range");
        assert!(help.starts_with("waist girth is taken between 40.0 cm and 190.0 cm"));
        let (message, help) = error("[measurements]\nheight = 1.21\ninseam = 1.20");
        assert!(
            message.starts_with("b.toml:3:10: inside leg height 120.0 cm with stature (height) 121.0 cm"),
            "{message}"
        );
        assert_eq!(help, "correct `inseam` or `height`");
    }

    #[test]
    fn missing_files_are_refused() {
        let error = Specification::load("no/such/body.toml").unwrap_err();
        assert!(error.to_string().starts_with("no/such/body.toml: cannot be read"));
        assert_eq!(error.help(), "check its name and rights");
    }
}
