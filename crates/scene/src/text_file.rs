//! Reading text files that people write: bounded in memory, refused with reason and remedy.

use std::io::{ErrorKind, Read};
use std::path::Path;

/// What to tell people for each way a file of some kind cannot be read.
pub(crate) struct Remedies {
    pub(crate) missing: &'static str,
    pub(crate) folder: &'static str,
    pub(crate) too_large: &'static str,
    pub(crate) encoding: &'static str,
}

/// Why there is no text, and how to fix it.
pub(crate) struct Unreadable {
    pub(crate) message: String,
    pub(crate) help: String,
}

impl Unreadable {
    fn new(message: impl Into<String>, help: &str) -> Self {
        Self { message: message.into(), help: help.to_owned() }
    }

    /// A text of more than `most_bytes`.
    pub(crate) fn too_large(most_bytes: usize, remedies: &Remedies) -> Self {
        Self::new(format!("larger than {} MiB", most_bytes >> 20), remedies.too_large)
    }
}

/// The text of a file, never more than `most_bytes` in memory.
pub(crate) fn read(path: &Path, most_bytes: usize, remedies: &Remedies) -> Result<String, Unreadable> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Unreadable::new("no such file", remedies.missing),
        ErrorKind::IsADirectory => Unreadable::new("is a folder", remedies.folder),
        _ => Unreadable::new(format!("cannot be read: {error}"), "check the rights of the file"),
    };
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(path).map_err(unreadable)?;
    opened.take(most_bytes as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > most_bytes {
        return Err(Unreadable::too_large(most_bytes, remedies));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Unreadable::new(format!("not UTF-8 text, byte {at} is invalid"), remedies.encoding)
    })
}
