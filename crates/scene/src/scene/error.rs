//! What can be wrong with a scene, and where.
//!
//! The plain text of an error is `file:line:column: message`, fit for logs. Through [`miette::Diagnostic`] the same
//! error shows the offending line with a label and says how to fix it.

use std::{fmt, ops::Range, sync::Arc};

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode, SourceSpan};
use thiserror::Error;

/// Problems reported at once; more would only scroll the first ones away.
pub(super) const MOST_PROBLEMS: usize = 5;

/// One problem at one place of a scene or fabric file.
#[derive(Debug, Clone, Error, Diagnostic)]
#[error("{file}:{line}:{column}: {message}")]
pub struct SceneProblem {
    /// File, or whatever name the text was given.
    pub file: String,
    /// Line of the place, from 1.
    pub line: usize,
    /// Column of the place in letters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// Short remark at the place.
    pub label: String,
    /// How to fix it.
    #[help]
    pub help: String,
    /// The place, in bytes of the text.
    #[label("{label}")]
    pub span: SourceSpan,
    #[source_code]
    source_text: NamedSource<Arc<str>>,
    /// Further problems of the same file, in its order.
    #[related]
    pub more: Vec<SceneProblem>,
}

/// Why there is no scene.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file could not be read. Check its name, rights and size.
    #[error("{file}: {message}")]
    Read {
        /// The file.
        file: String,
        /// What went wrong.
        message: String,
        /// How to fix it.
        help: String,
    },
    /// The text is no valid scene. The first problem, with up to four more in it.
    #[error(transparent)]
    Invalid(Box<SceneProblem>),
}

impl SceneError {
    /// All problems found, in the order of the file; none if the file could not be read.
    pub fn problems(&self) -> impl Iterator<Item = &SceneProblem> {
        let first = if let Self::Invalid(first) = self { Some(&**first) } else { None };
        first.into_iter().flat_map(|first| std::iter::once(first).chain(&first.more))
    }
}

// By hand, since the derive cannot look through a box; unboxed, every `Result` would carry the whole diagnostic.
impl Diagnostic for SceneError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let code = if matches!(self, Self::Read { .. }) { "toile::scene::read" } else { "toile::scene::invalid" };
        Some(Box::new(code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self {
            Self::Read { help, .. } => Some(Box::new(help)),
            Self::Invalid(problem) => problem.help(),
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        if let Self::Invalid(problem) = self { problem.source_code() } else { None }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if let Self::Invalid(problem) = self { problem.labels() } else { None }
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        if let Self::Invalid(problem) = self { problem.related() } else { None }
    }
}

/// A problem before it is tied to a file.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) label: String,
    pub(crate) help: String,
}

impl Finding {
    /// A word that has a new spelling.
    pub(super) fn old_word(span: Range<usize>, key: &str, old: &str, new: &str) -> Self {
        let message = format!("`{key}` = {old:?} is an old spelling");
        Self { span, message, label: "old spelling".to_owned(), help: format!("write {new:?}") }
    }
}

/// Something in a scene that is still read, but should be written another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneWarning {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is old.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl SceneWarning {
    pub(crate) fn new(file: &str, text: &str, finding: Finding) -> Self {
        let start = text.floor_char_boundary(finding.span.start);
        let (line, column) = line_and_column(&text[..start]);
        Self { file: file.to_owned(), line, column, message: finding.message, help: finding.help }
    }
}

impl fmt::Display for SceneWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, help } = self;
        write!(f, "{file}:{line}:{column}: {message}; {help}")
    }
}

/// Ties findings to their text: the first [`MOST_PROBLEMS`] in the order of the text, or `None` if there are none.
pub(crate) fn first_problem(file: &str, text: &str, mut findings: Vec<Finding>) -> Option<SceneProblem> {
    findings.sort_by_key(|finding| (finding.span.start, finding.span.end));
    findings.truncate(MOST_PROBLEMS);
    let text: Arc<str> = text.into();
    let mut problems = findings.into_iter().map(|finding| problem(file, &text, finding));
    let mut first = problems.next()?;
    first.more = problems.collect();
    Some(first)
}

fn problem(file: &str, text: &Arc<str>, finding: Finding) -> SceneProblem {
    let start = text.floor_char_boundary(finding.span.start);
    let end = finding.span.end.clamp(start, text.len());
    let (line, column) = line_and_column(&text[..start]);
    SceneProblem {
        file: file.to_owned(),
        line,
        column,
        message: finding.message,
        label: finding.label,
        help: finding.help,
        span: (start..end).into(),
        source_text: NamedSource::new(file, Arc::clone(text)),
        more: Vec::new(),
    }
}

/// Line and column, both from 1, of what follows `before`.
fn line_and_column(before: &str) -> (usize, usize) {
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_letters_not_bytes() {
        assert_eq!(line_and_column(""), (1, 1));
        assert_eq!(line_and_column("a\n"), (2, 1));
        assert_eq!(line_and_column("a\r\nné = \""), (2, 7));
    }

    #[test]
    fn spans_outside_the_text_or_inside_a_letter_are_pulled_in() {
        let text = "é";
        for span in [0..9, 1..1, 7..9, 1..2] {
            let finding = Finding { span, message: "m".into(), label: String::new(), help: String::new() };
            let problem = first_problem("f", text, vec![finding]).unwrap();
            assert!(problem.span.offset() + problem.span.len() <= text.len());
        }
    }
}
