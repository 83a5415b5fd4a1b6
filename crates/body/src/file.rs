//! `body.toml`: a specification as people write it.
//!
//! ```toml
//! figure = "female"      # "female", "male" or "neutral" (the default)
//! unit = "cm"            # of the measurements: "m" (the default) or "cm"
//! pose = "a"             # "a" (the default) or "t"
//! arm_angle_deg = 40     # of the A-pose, against the vertical
//! triangles = 20000
//!
//! [measurements]         # each may be missing
//! height = 168
//! bust = 92
//! waist = 74
//! hip = 99
//! shoulder_slope_deg = 21
//! ```
//!
//! Whatever is wrong is refused with file, line, key, reason and remedy.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

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
struct Finding {
    span: Range<usize>,
    key: String,
    message: String,
    help: String,
}

impl Finding {
    fn new(span: Range<usize>, key: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, key: key.to_owned(), message: message.into(), help: help.into() }
    }
}

const SETTINGS: [&str; 6] = ["figure", "unit", "pose", "arm_angle_deg", "triangles", "measurements"];

impl Specification {
    /// Reads a specification; `file` stands in messages for the text.
    ///
    /// ```
    /// use toile_body::Specification;
    /// let error = Specification::from_toml("body.toml", "[measurements]\nwast = 0.7").unwrap_err();
    /// assert_eq!(error.to_string(), "body.toml:2:1: unknown measurement `wast`");
    /// assert!(error.help().starts_with("known: height, inseam"));
    /// ```
    pub fn from_toml(file: &str, text: &str) -> Result<Self, BodyFileError> {
        parse(text).map_err(|finding| {
            let start = text.floor_char_boundary(finding.span.start);
            let before = &text[..start];
            BodyFileError::Invalid {
                file: file.to_owned(),
                line: before.matches('\n').count() + 1,
                column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
                key: finding.key,
                message: finding.message,
                help: finding.help,
            }
        })
    }

    /// Reads a specification file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, BodyFileError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let fail = |message: String, help: &str| BodyFileError::Read { file: file.clone(), message, help: help.into() };
        let unreadable = |error: std::io::Error| fail(format!("cannot be read: {error}"), "check its name and rights");
        let mut bytes = Vec::new();
        let opened = File::open(path).map_err(unreadable)?;
        opened.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() > MOST_BYTES {
            return Err(fail(format!("larger than {MOST_BYTES} bytes"), "a body needs some lines only"));
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| fail("is no UTF-8 text".to_owned(), "save it as UTF-8; a mesh is not a body.toml"))?;
        Self::from_toml(&file, &text)
    }
}

fn parse(text: &str) -> Result<Specification, Finding> {
    let (root, errors) = DeTable::parse_recoverable(text);
    if let Some(error) = errors.first() {
        return Err(Finding::new(
            error.span().unwrap_or(0..0),
            "",
            error.message(),
            "see toml.io for how TOML is written",
        ));
    }
    let root = root.get_ref();
    let unknown = root.iter().find(|(key, _)| !SETTINGS.contains(&key.get_ref().as_ref()));
    if let Some((key, _)) = unknown {
        let name: &str = key.get_ref();
        let is_measurement = Measurement::ALL.iter().any(|m| m.key() == name);
        let help = if is_measurement {
            format!("`{name}` belongs under [measurements]")
        } else {
            format!("known: {}", SETTINGS.join(", "))
        };
        return Err(Finding::new(key.span(), name, format!("unknown key `{name}`"), help));
    }
    let figure = choice(root, "figure", &Figure::ALL.map(|f| (f.name(), f)))?.unwrap_or(Figure::Neutral);
    let scale = choice(root, "unit", &[("m", 1.0), ("cm", 0.01)])?.unwrap_or(1.0);
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

fn measurements(table: &DeTable<'_>, scale: f64) -> Result<Given, Finding> {
    let mut given = Given::NONE;
    for (key, _) in table {
        let name: &str = key.get_ref();
        let Some(m) = Measurement::ALL.into_iter().find(|m| m.key() == name) else {
            let known: Vec<&str> = Measurement::ALL.iter().map(|m| m.key()).collect();
            let help = format!("known: {}", known.join(", "));
            return Err(Finding::new(key.span(), name, format!("unknown measurement `{name}`"), help));
        };
        if let Some((value, _)) = number(table, name)? {
            given[m] = Some(if m.kind() == Kind::Angle { value.to_radians() } else { scale * value });
        }
    }
    Ok(given)
}

/// Finds the place of a refusal in the text.
fn place(root: &DeTable<'_>, measurements: Option<&DeTable<'_>>, refusal: Refusal) -> Finding {
    let span_in = |table: &DeTable<'_>| Some(table.get_key_value(refusal.key)?.1.span());
    let span = measurements.and_then(span_in).or_else(|| span_in(root)).unwrap_or(0..0);
    Finding::new(span, refusal.key, refusal.message, refusal.help)
}

fn choice<T: Copy>(table: &DeTable<'_>, key: &str, choices: &[(&str, T)]) -> Result<Option<T>, Finding> {
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
            ("[measurements]\nwaist = \"x\"", "b.toml:2:9: `waist` must be a number", "write `waist = 1.0`"),
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
