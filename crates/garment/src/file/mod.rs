//! `pattern.toml`: a pattern as people write it.
//!
//! ```toml
//! name = "skirt"
//! unit = "cm"                        # of all lengths: "m" (the default), "cm" or "mm"
//!
//! [[panel]]
//! name = "front"
//! part = "skirt-front"               # see `Part`; "other" unless given
//! side = "left"                      # "left", "right" or "both" (the default)
//! fold = "centre"                    # cut on the fold along this edge; or `pair = true`
//! quantity = 1
//! layer = 0
//! fabric = "denim"
//! grain = [[10, -50], [10, -10]]     # the warp runs from the first to the second; vertical unless given
//! edges = [                          # counter-clockwise; each ends where the next starts
//!     { name = "hem", from = [0, -60], arc = 0.1 },           # bulge: tan of a quarter of the angle, positive turns left
//!     { name = "side", from = [30, -58], quadratic = [22, -20] },
//!     { name = "waist", from = [18, 0], cubic = [[12, -1], [6, -1.5]] },
//!     { name = "centre", from = [0, -1.5], to = [0, -60] },   # `to` may be given, and is checked
//! ]
//! darts = [{ edge = "waist", at = 0.5, width = 2, length = 9 }]   # cut into the edge, with its seam
//! notches = [{ edge = "side", at = 0.4 }]                         # at a fraction of the length
//! holes = [[{ name = "h0", from = [1, -9] }, { name = "h1", from = [2, -9], points = [[3, -8]] }]]
//! lines = [{ name = "pocket", points = [[4, -8], [12, -8]] }]
//! marks = [{ name = "hip", at = [20, -20] }]
//! placement = { translation = [0, 100, 15], rotation_deg = [0, 0, 0] }
//!
//! [[seam]]
//! name = "side"
//! a = ["front.side"]                 # from the common start, along the outline of a …
//! b = ["back.side"]                  # … and against that of b
//! ratio = 1                          # length of b over that of a; small differences pass unless given
//! fold_deg = 0
//! ```
//!
//! Whatever is wrong is refused with file, line, column, reason and remedy; what can be repaired is, and listed.

mod placement;
mod read;
mod value;
mod write;

pub(crate) use read::read_bytes;
pub use read::{from_toml, load, sew_from_toml};
pub(crate) use write::{quoted, seam_to_inline_toml};
pub use write::{seams_to_toml, to_toml};

/// Largest text accepted, in bytes.
pub const MOST_BYTES: usize = 16 << 20;

/// Why a file gives no pattern. The text is `file:line:column: message`.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternFileError {
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
        /// Column in letters, from 1; 0 where only the line is known.
        column: usize,
        /// What is wrong.
        message: String,
        /// How to mend it.
        help: String,
    },
}

impl PatternFileError {
    /// How to mend it.
    pub fn help(&self) -> &str {
        match self {
            Self::Read { help, .. } | Self::Invalid { help, .. } => help,
        }
    }

    pub(crate) fn at(file: &str, text: &str, finding: value::Finding) -> Self {
        let before = &text[..text.floor_char_boundary(finding.span.start)];
        Self::Invalid {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
            message: finding.message,
            help: finding.help,
        }
    }

    /// A pattern of a file without places refuses the first of its faults.
    pub(crate) fn of_fault(file: &str, error: &crate::PatternError) -> Self {
        let help = error.faults.first().map_or("", |fault| fault.problem.help());
        Self::Read { file: file.to_owned(), message: error.to_string(), help: help.to_owned() }
    }
}

/// Unit of the lengths of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Metres.
    Metre,
    /// Centimetres.
    Centimetre,
    /// Millimetres.
    Millimetre,
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 3] = [Self::Metre, Self::Centimetre, Self::Millimetre];

    /// Its sign.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Metre => "m",
            Self::Centimetre => "cm",
            Self::Millimetre => "mm",
        }
    }

    /// How many make a metre.
    pub const fn per_metre(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Centimetre => 100.0,
            Self::Millimetre => 1000.0,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::placement::Limb;
    use crate::role::{Part, Side};

    /// Every key and every word of a file stands in the document that describes it, and nothing else does.
    #[test]
    fn the_document_names_every_key_and_every_word() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pattern.md");
        let text = std::fs::read_to_string(path).unwrap();
        let start = text.find("## `pattern.toml`, key by key").unwrap();
        let section = &text[start..];
        let section = &section[..section[4..].find("\n## ").map_or(section.len(), |end| end + 4)];
        let mut keys: Vec<&str> = read::ALL_KEYS.concat();
        keys.extend(placement::FIXED.iter().chain(&placement::AROUND));
        for key in &keys {
            assert!(section.contains(&format!("| `{key}` |")), "{key} is not described");
        }
        let described =
            section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|(key, _)| key);
        for key in described {
            assert!(keys.contains(&key), "{key} is described and not read");
        }
        let parts = Part::ALL.iter().map(|part| part.word());
        let words =
            parts.chain(Side::ALL.iter().map(|side| side.word())).chain(Limb::ALL.iter().map(|limb| limb.word()));
        for word in words {
            assert!(section.contains(&format!("`{word}`")), "{word} is not described");
        }
    }

    #[test]
    fn old_words_are_read_and_said() {
        let text = "[[panel]]\nname = \"p\"\npart = \"leg_front\"\nplacement = { around = \"left_leg\" }\nedges = [{ name = \"a\", \
                    from = [0, 0] }, { name = \"b\", from = [1, 0] }, { name = \"c\", from = [0, 1] }]";
        let read = from_toml("p.toml", text).unwrap();
        let said: Vec<String> = read.repairs.iter().map(ToString::to_string).collect();
        assert!(
            said.iter().any(|s| s.contains("leg-front")) && said.iter().any(|s| s.contains("left-leg")),
            "{said:?}"
        );
    }
}
