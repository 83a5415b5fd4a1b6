//! Files that appear whole or not at all.
//!
//! The bytes go to a temporary file in the same folder (a rename cannot cross file systems), are flushed to the disk,
//! and the file is renamed over the target; then the folder is flushed, so that the new name survives a power cut.
//! A reader sees the old content or the new one, never a part. If the target is a symbolic link, the link is replaced.
//! Two writers of one path do not disturb each other: the last to commit wins.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::FileError;

/// Replaces the content of `path` with `bytes`, whole or not at all.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(FileError::io(path, "write"))?;
    file.commit()
}

/// A file being written that takes its name only on [`commit`](Self::commit). Dropped before that, it leaves nothing.
///
/// ```
/// use std::io::Write;
/// use toile_files::atomic::AtomicFile;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("report.txt");
/// let mut file = AtomicFile::create(&path).unwrap();
/// writeln!(file, "settled").unwrap();
/// assert!(!path.exists());
/// file.commit().unwrap();
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "settled\n");
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    temporary: TemporaryName,
    file: BufWriter<File>,
}

impl AtomicFile {
    /// Opens a temporary file beside `path`; the folder must exist.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let (temporary, file) = create_beside(path).map_err(FileError::io(path, "create a file beside"))?;
        let temporary = TemporaryName(Some(temporary));
        Ok(Self { target: path.to_owned(), temporary, file: BufWriter::new(file) })
    }

    /// The name that the file will have.
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Flushes the content to the disk and gives the file its name.
    pub fn commit(self) -> Result<(), FileError> {
        let Self { target, temporary, file } = self;
        let file = file.into_inner().map_err(|e| FileError::io(&target, "write")(e.into_error()))?;
        file.sync_all().map_err(FileError::io(&target, "flush"))?;
        // Some systems do not rename an open file.
        drop(file);
        temporary.rename(&target).map_err(FileError::io(&target, "rename the finished file to"))?;
        sync_folder(folder_of(&target)).map_err(FileError::io(&target, "flush the folder of"))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Removes the temporary file when dropped, unless it was renamed.
#[derive(Debug)]
struct TemporaryName(Option<PathBuf>);

impl TemporaryName {
    fn rename(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.0 {
            fs::rename(path, target)?;
            self.0 = None;
        }
        Ok(())
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Nobody is left to hear of a failure; what stays is a hidden file with a telling name.
            let _ = fs::remove_file(path);
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file in the folder of `path`: `.name.process-number.tmp`. Never an existing one.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{number}.tmp", process::id()));
        let temporary = folder_of(path).join(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Elsewhere folders cannot be opened as files; the rename itself is still atomic.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_old_content_stays_until_commit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        write_atomic(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new!").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.seek(SeekFrom::Start(3)).unwrap();
        file.write_all(b"?").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new?");
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[test]
    fn without_commit_nothing_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = AtomicFile::create(&dir.path().join("a")).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(names(dir.path()).len(), 1, "the temporary file is in the same folder");
        drop(file);
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[test]
    fn a_failed_rename_leaves_nothing_either() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("folder");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), "x").unwrap();
        let message = write_atomic(&path, b"bytes").unwrap_err().to_string();
        assert!(message.starts_with("cannot rename the finished file to "), "{message}");
        assert_eq!(names(dir.path()), ["folder"]);
    }

    #[test]
    fn two_writers_of_one_path_do_not_meet() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let (mut one, mut two) = (AtomicFile::create(&path).unwrap(), AtomicFile::create(&path).unwrap());
        one.write_all(b"one").unwrap();
        two.write_all(b"two").unwrap();
        two.commit().unwrap();
        one.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
    }

    #[test]
    fn impossible_targets_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write_atomic(&dir.path().join("missing/a"), b"").is_err());
        assert!(write_atomic(Path::new("/"), b"").is_err());
    }
}
