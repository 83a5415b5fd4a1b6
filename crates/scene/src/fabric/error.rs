//! Why there is no fabric.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, SourceCode};
use thiserror::Error;

use crate::scene::SceneProblem;

/// Why a fabric could not be found or read. Shows its place in the file through [`miette::Diagnostic`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FabricFileError {
    /// Neither a fabric of the library nor a file.
    #[error("there is no fabric \"{name}\"")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Which fabrics there are.
        help: String,
    },
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
    /// The text is no valid fabric. The first problem, with up to four more in it.
    #[error(transparent)]
    Invalid(Box<SceneProblem>),
}

impl FabricFileError {
    /// All problems found, in the order of the file; none if there is no file to point at.
    pub fn problems(&self) -> impl Iterator<Item = &SceneProblem> {
        let first = self.problem();
        first.into_iter().flat_map(|first| std::iter::once(first).chain(&first.more))
    }

    fn problem(&self) -> Option<&SceneProblem> {
        if let Self::Invalid(problem) = self { Some(problem) } else { None }
    }
}

// By hand for the same reason as that of scenes: the derive cannot look through a box.
impl Diagnostic for FabricFileError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(match self {
            Self::Unknown { .. } => "toile::fabric::unknown",
            Self::Read { .. } => "toile::fabric::read",
            Self::Invalid(_) => "toile::fabric::invalid",
        }))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self {
            Self::Unknown { help, .. } | Self::Read { help, .. } => Some(Box::new(help)),
            Self::Invalid(problem) => problem.help(),
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.problem()?.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.problem()?.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        self.problem()?.related()
    }
}
