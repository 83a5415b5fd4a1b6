//! Lines, words and numbers of the text formats, on bytes: names and comments may be in any encoding.
//!
//! A line ends with LF, CR LF or a lone CR. Nothing here takes memory, except to quote a word in an error.

use crate::{ParseError, Place};

/// Whether a backslash at the end of a line joins it with the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Continuation {
    /// It does, except inside a `#` comment: comments often hold Windows paths.
    Backslash,
    /// It does not.
    None,
}

/// A line without its end; with [`Continuation::Backslash`] the ends of joined lines remain inside.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Number of its first physical line, from 1.
    pub(crate) number: u64,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Line<'a> {
    pub(crate) fn place(self) -> Place {
        Place::Line(self.number)
    }

    /// The words between blanks.
    pub(crate) fn words(self) -> impl Iterator<Item = &'a [u8]> {
        self.bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
    }
}

/// The lines of a file, in order.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    /// Where the next line starts.
    at: usize,
    number: u64,
    continuation: Continuation,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8], continuation: Continuation) -> Self {
        Self { bytes, at: 0, number: 1, continuation }
    }

    /// Bytes that no line was made of yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Number of the line that comes next, from 1.
    pub(crate) fn next_number(&self) -> u64 {
        self.number
    }
}

/// Length of the line end at the start of `bytes`, which starts with CR or LF.
fn line_end_width(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\r\n") { 2 } else { 1 }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let (start, number) = (self.at, self.number);
        if start == self.bytes.len() {
            return None;
        }
        let mut may_join = self.continuation == Continuation::Backslash;
        let mut i = start;
        while let Some(&byte) = self.bytes.get(i) {
            match byte {
                b'\n' | b'\r' => {
                    let end = i;
                    i += line_end_width(&self.bytes[i..]);
                    self.number += 1;
                    if !(may_join && end > start && self.bytes[end - 1] == b'\\') {
                        self.at = i;
                        return Some(Line { number, bytes: &self.bytes[start..end] });
                    }
                }
                b'#' => {
                    may_join = false;
                    i += 1;
                }
                _ => i += 1,
            }
        }
        self.at = i;
        Some(Line { number, bytes: &self.bytes[start..] })
    }
}

/// A word as it may stand in a message: escaped, and cut after 24 bytes.
pub(crate) fn quote(word: &[u8]) -> String {
    const SHOWN: usize = 24;
    let dots = if word.len() > SHOWN { "…" } else { "" };
    format!("\"{}{dots}\"", word[..word.len().min(SHOWN)].escape_ascii())
}

/// A finite decimal number.
pub(crate) fn finite_number(word: &[u8], what: &str, place: Place) -> Result<f64, ParseError> {
    let number: Option<f64> = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
    match number {
        Some(x) if x.is_finite() => Ok(x),
        Some(_) => Err(ParseError::new(
            place,
            format!("{what} {} is not finite", quote(word)),
            "repair the mesh: every coordinate must be finite and fit in 64 bits",
        )),
        None => Err(ParseError::new(
            place,
            format!("{what} {} is not a number", quote(word)),
            "write numbers as decimals with a point, like -0.25 or 1e-3",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], continuation: Continuation) -> Vec<(u64, &[u8])> {
        Lines::new(text, continuation).map(|l| (l.number, l.bytes)).collect()
    }

    #[test]
    fn all_three_line_ends_are_one_line_each() {
        let expected: [(u64, &[u8]); 5] = [(1, b"a"), (2, b"b"), (3, b"c"), (4, b""), (5, b"d")];
        assert_eq!(lines(b"a\nb\r\nc\r\rd", Continuation::None), expected);
        assert_eq!(lines(b"", Continuation::None), []);
    }

    #[test]
    fn a_backslash_joins_lines_but_not_out_of_a_comment() {
        let text = b"f 1 \\\r\n2\n# C:\\dir\\\nv\\\n";
        let expected: [(u64, &[u8]); 3] = [(1, b"f 1 \\\r\n2"), (3, b"# C:\\dir\\"), (4, b"v\\\n")];
        assert_eq!(lines(text, Continuation::Backslash), expected);
        assert_eq!(lines(text, Continuation::None).len(), 4);
    }

    #[test]
    fn only_finite_decimals_are_numbers() {
        for (word, expected) in [("-0.25", -0.25), (".5", 0.5), ("1.", 1.0), ("+1e-3", 1e-3)] {
            assert_eq!(finite_number(word.as_bytes(), "x", Place::Whole), Ok(expected));
        }
        for word in ["nan", "-inf", "1e999", "1,5", "", "0x10", "\u{b2}"] {
            assert!(finite_number(word.as_bytes(), "x", Place::Whole).is_err(), "{word}");
        }
    }

    #[test]
    fn quoted_words_are_short_and_printable() {
        assert_eq!(quote(b"\xff\n"), r#""\xff\n""#);
        assert_eq!(quote(&[b'7'; 1000]).chars().count(), 27);
    }
}
