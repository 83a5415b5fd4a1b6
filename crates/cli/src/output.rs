//! Where results go: nothing that exists is written over unless `--overwrite` says so.
//!
//! A name that the user gave and that is taken is refused before any work. A usual name that is taken gets a number, and a line
//! says so.

use std::path::{Path, PathBuf};

use miette::{Result, miette};

use crate::args::Global;
use crate::say;

/// Files by which a folder with results is known. What a run that was cut off leaves is none, unless it can be resumed.
const RESULTS: [&str; 6] = ["report.json", "report.html", "result.glb", "result.usda", "result.obj", "garment.obj"];

/// Refuses a file that exists, or whose folder does not. A folder of that name is left to whoever writes.
pub(crate) fn new_file(path: &Path, global: &Global) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let help = "make the folder first, or give another name";
        return Err(miette!(help = help, "{}: there is no folder {}", path.display(), folder.display()));
    }
    not_there(path, global)
}

fn not_there(path: &Path, global: &Global) -> Result<()> {
    if global.overwrite || path.symlink_metadata().is_err() || path.is_dir() {
        return Ok(());
    }
    Err(miette!(help = "add --overwrite to replace it, or give another name", "{} exists", path.display()))
}

/// Refuses files that exist.
pub(crate) fn new_files<'a>(paths: impl IntoIterator<Item = &'a Path>, global: &Global) -> Result<()> {
    paths.into_iter().try_for_each(|path| new_file(path, global))
}

/// Refuses files that exist in a folder that is made if it does not exist.
pub(crate) fn new_files_of_folder<'a>(paths: impl IntoIterator<Item = &'a Path>, global: &Global) -> Result<()> {
    paths.into_iter().try_for_each(|path| not_there(path, global))
}

/// The file that was asked for, or the usual one with the first number that is free.
pub(crate) fn file(asked: Option<&Path>, usual: PathBuf, global: &Global) -> Result<PathBuf> {
    if let Some(asked) = asked {
        new_file(asked, global)?;
        return Ok(asked.to_owned());
    }
    if global.overwrite {
        return Ok(usual);
    }
    Ok(free(usual, |path| path.symlink_metadata().is_err(), global))
}

/// The folder that was asked for, or the usual one with the first number that is free.
pub(crate) fn folder(asked: Option<&Path>, usual: PathBuf, global: &Global) -> Result<PathBuf> {
    if let Some(asked) = asked {
        new_folder(asked, global)?;
        return Ok(asked.to_owned());
    }
    if global.overwrite {
        return Ok(usual);
    }
    Ok(free(usual, |path| path.symlink_metadata().is_err() || (path.is_dir() && found(path).is_none()), global))
}

/// Refuses a folder that holds results, and a file of that name.
pub(crate) fn new_folder(folder: &Path, global: &Global) -> Result<()> {
    if folder.is_file() {
        return Err(miette!(help = "choose another folder with --out", "{} is a file, not a folder", folder.display()));
    }
    let Some(found) = found(folder).filter(|_| !global.overwrite) else { return Ok(()) };
    let mut help = "add --overwrite to replace them, or choose another folder with --out".to_owned();
    if can_resume(folder) && !folder.join("report.json").exists() {
        help = format!("go on with `toile run --resume {}`, or {help}", folder.display());
    }
    Err(miette!(help = help, "{} already holds results: {}", folder.display(), found.display()))
}

/// Refuses a folder that holds a run, which a try-on would mix with its own files.
pub(crate) fn not_a_run(folder: &Path) -> Result<()> {
    if !folder.join("frames").exists() {
        return Ok(());
    }
    let help = "choose another folder with --out, or remove it yourself";
    Err(miette!(help = help, "{} holds a run; a try-on does not replace it", folder.display()))
}

/// Makes a folder that holds an earlier try-on look unfinished, before anything in it changes. If it holds results itself, folders
/// with results directly below are parts of them, such as garments, sizes or a walk; they are removed.
pub(crate) fn withdraw(folder: &Path) -> Result<()> {
    if result(folder).is_some() {
        for part in inner(folder).iter().filter(|part| result(part).is_some() || can_resume(part)) {
            std::fs::remove_dir_all(part).map_err(|error| miette!("{}: {error}", part.display()))?;
        }
    }
    for name in RESULTS {
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(miette!("{}: {error}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The name, or with the first number behind it that is free, which is told.
fn free(usual: PathBuf, is_free: impl Fn(&Path) -> bool, global: &Global) -> PathBuf {
    if is_free(&usual) {
        return usual;
    }
    let stem = usual.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = usual.extension().map_or_else(String::new, |e| format!(".{}", e.to_string_lossy()));
    let numbered = (2_u32..).map(|n| usual.with_file_name(format!("{stem}-{n}{extension}")));
    let chosen = numbered.into_iter().find(|path| is_free(path)).unwrap_or_else(|| usual.clone());
    if !global.quiet && !global.json {
        say(format!("{} exists; writing to {}", usual.display(), chosen.display()));
    }
    chosen
}

/// A result in a folder or in one directly below it.
fn found(folder: &Path) -> Option<PathBuf> {
    if let Some(path) = result(folder) {
        return Some(path);
    }
    if can_resume(folder) {
        return Some(folder.join("checkpoint"));
    }
    inner(folder).iter().find_map(|folder| result(folder))
}

/// The first result in a folder. A run writes its report last: frames without one were cut off.
fn result(folder: &Path) -> Option<PathBuf> {
    if folder.join("frames").is_dir() && !folder.join("report.json").exists() {
        return None;
    }
    RESULTS.iter().map(|name| folder.join(name)).find(|path| path.exists())
}

/// Folders directly below, but not links to some, by name.
fn inner(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut all: Vec<PathBuf> =
        entries.filter_map(std::result::Result::ok).filter(is_folder).map(|entry| entry.path()).collect();
    all.sort();
    all
}

/// Whether a run in this folder saved a state.
fn can_resume(folder: &Path) -> bool {
    let is_saved = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|e| e == "toile");
    std::fs::read_dir(folder.join("checkpoint")).is_ok_and(|mut all| all.any(|entry| entry.is_ok_and(is_saved)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts of an earlier try-on go with it; folders without results, and results side by side in one folder, stay.
    #[test]
    fn withdrawing_removes_the_parts_of_an_earlier_try_on() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path();
        let file = |name: &str| {
            let path = at.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        };
        for path in
            ["worn/result.obj", "worn/S/report.json", "worn/S/front.png", "worn/notes/mine.txt", "worn/mine.txt"]
        {
            file(path);
        }
        for path in ["all/first/report.json", "all/second/report.json"] {
            file(path);
        }
        withdraw(&at.join("worn")).unwrap();
        withdraw(&at.join("all")).unwrap();
        let is_there = |name: &str| at.join(name).exists();
        assert!(!is_there("worn/result.obj") && !is_there("worn/S"));
        assert!(is_there("worn/notes/mine.txt") && is_there("worn/mine.txt"));
        assert!(is_there("all/first/report.json") && is_there("all/second/report.json"));
    }
}
