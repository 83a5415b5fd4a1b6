//! Words of a BVH file: blanks separate them, braces stand alone, comments are passed over.

use crate::text::{Continuation, Lines};
use crate::{ParseError, Place};

/// A word and its line, from 1.
#[derive(Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) word: &'a [u8],
    pub(super) line: u64,
}

impl Token<'_> {
    pub(super) fn place(self) -> Place {
        Place::Line(self.line)
    }

    /// Whether it is a keyword, in any case.
    pub(super) fn is(self, keyword: &str) -> bool {
        self.word.eq_ignore_ascii_case(keyword.as_bytes())
    }
}

/// The words of a file, in order.
pub(super) struct Tokens<'a> {
    lines: Lines<'a>,
    /// What is left of the current line.
    rest: &'a [u8],
    line: u64,
    peeked: Option<Token<'a>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self { lines: Lines::new(bytes, Continuation::None), rest: &[], line: 1, peeked: None }
    }

    /// The next word without taking it.
    pub(super) fn peek(&mut self) -> Option<Token<'a>> {
        if self.peeked.is_none() {
            self.peeked = self.read();
        }
        self.peeked
    }

    /// The next word.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        self.peeked.take().or_else(|| self.read())
    }

    /// The next word, or an error at the end of the file.
    pub(super) fn expect(&mut self, what: &str) -> Result<Token<'a>, ParseError> {
        let line = self.line;
        self.next().ok_or_else(|| {
            let reason = format!("the file ends where {what} should follow");
            ParseError::new(Place::Line(line), reason, "the file is cut off: export it again")
        })
    }

    fn read(&mut self) -> Option<Token<'a>> {
        loop {
            self.rest = self.rest.trim_ascii_start();
            if self.rest.is_empty() || self.rest[0] == b'#' || self.rest.starts_with(b"//") {
                let line = self.lines.next()?;
                (self.rest, self.line) = (line.bytes, line.number);
                continue;
            }
            let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'{' | b'}');
            // A brace is a word of its own.
            let end = self.rest.iter().position(is_end).unwrap_or(self.rest.len()).max(1);
            let (word, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Some(Token { word, line: self.line });
        }
    }
}
