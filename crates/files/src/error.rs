//! What can go wrong with a file: [`ParseError`] (its content), [`ExportError`] (what should be written), and
//! [`FileError`], which adds the path.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// Where in the file a [`ParseError`] was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Line of a text file, counted from 1.
    Line(u64),
    /// Byte of a binary file, counted from 0.
    Byte(u64),
    /// The file as a whole.
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Whole => f.write_str("whole file"),
        }
    }
}

/// The content of a file cannot be used: where, why, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{place}: {reason}; {remedy}")]
#[non_exhaustive]
pub struct ParseError {
    /// Where the reader stopped.
    pub place: Place,
    /// What it found there.
    pub reason: String,
    /// What to change in the file or its export.
    pub remedy: &'static str,
}

impl ParseError {
    pub(crate) fn new(place: Place, reason: impl Into<String>, remedy: &'static str) -> Self {
        Self { place, reason: reason.into(), remedy }
    }
}

/// Data that no file of the wanted format can hold.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A value is NaN or infinite, or too large for the `f32` of the format. Check the simulation's last step report.
    #[error("{what} of vertex {vertex} is not a finite number in the precision of the file")]
    NonFinite {
        /// Which array.
        what: String,
        /// Index into it.
        vertex: usize,
    },
    /// An array does not have one entry per vertex.
    #[error("{what}: {found} entries for {expected} vertices")]
    Length {
        /// Which array.
        what: String,
        /// Number of vertices of the mesh.
        expected: usize,
        /// Number of entries given.
        found: usize,
    },
    /// A triangle names a vertex that the mesh does not have.
    #[error("triangle {face} names vertex {vertex}, the mesh has {vertices}")]
    VertexOutOfRange {
        /// Triangle number.
        face: usize,
        /// Vertex it names.
        vertex: u32,
        /// Number of vertices of the mesh.
        vertices: usize,
    },
    /// Nothing to write.
    #[error("there is no {what} to write")]
    Empty {
        /// What is missing.
        what: &'static str,
    },
    /// A setting is outside its range.
    #[error("{what} is {value}, expected {expected}")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// The value given.
        value: String,
        /// The values allowed.
        expected: &'static str,
    },
    /// The format's own counters cannot hold the data. Write fewer frames per file.
    #[error("{what} would be {value}, the format allows {limit}")]
    TooLarge {
        /// What was counted.
        what: &'static str,
        /// How much of it.
        value: u64,
        /// How much fits.
        limit: u64,
    },
}

/// A file could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, as a verb.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The name does not tell the format. Rename the file.
    #[error("{}: unknown mesh file extension {extension:?}; known are obj, ply, stl, glb, fbx", path.display())]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// Its extension, empty if it has none.
        extension: String,
    },
    /// The file is larger than [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES). Decimate the mesh or write it as binary PLY.
    #[error("{}: the file has more than {limit} bytes, the most that is read; decimate the mesh or use binary PLY", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit [bytes].
        limit: u64,
    },
    /// The content cannot be used.
    #[error("{}: {source}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: ParseError,
    },
    /// The data cannot be written in this format.
    #[error("cannot write {}: {source}", path.display())]
    Export {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ExportError,
    },
}

impl FileError {
    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), action, source }
    }

    pub(crate) fn parse(path: &Path) -> impl FnOnce(ParseError) -> Self {
        move |source| Self::Parse { path: path.to_owned(), source }
    }

    pub(crate) fn export(path: &Path) -> impl FnOnce(ExportError) -> Self {
        move |source| Self::Export { path: path.to_owned(), source }
    }
}
