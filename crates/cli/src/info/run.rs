//! Facts about the folder of a run, complete or not.

use std::path::{Path, PathBuf};

use miette::miette;
use serde_json::{Value, json};
use toile_scene::RunReader;

use super::Sheet;
use crate::summary::Judgement;

pub(super) fn sheet(folder: &Path) -> miette::Result<Sheet> {
    let run = RunReader::open(folder)?;
    let name = folder.display().to_string();
    let mut sheet = Sheet::default();
    sheet.fact("run", name.clone(), name);
    let (recorded, all) = (run.frame_count().saturating_sub(1), run.scene().time.frames());
    let complete = folder.join("report.json").is_file();
    let state = if complete { "complete" } else { "not complete; go on with `toile run --resume`" };
    sheet.fact("state", state, json!({ "complete": complete, "frames_done": recorded, "frames": all }));
    sheet.fact("frames_done", format!("{recorded} of {all}"), recorded);
    let judgement = Judgement::of(run.log());
    sheet.fact("judge", judgement.sentence(), judgement.json());
    super::scene::facts(&mut sheet, run.scene(), run.world());
    let files = files(folder)?;
    let lines = files.iter().map(|(path, bytes)| format!("{:>8}  {}", size(*bytes), path.display())).collect();
    let values: Vec<Value> =
        files.iter().map(|(path, bytes)| json!({ "path": path.display().to_string(), "bytes": bytes })).collect();
    sheet.list("files", lines, values);
    Ok(sheet)
}

/// All files below `folder` with their sizes [bytes], sorted by path.
fn files(folder: &Path) -> miette::Result<Vec<(PathBuf, u64)>> {
    let (mut found, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(inner) = waiting.pop() {
        let failed = |e: std::io::Error| miette!("{}: {e}", inner.display());
        for entry in std::fs::read_dir(&inner).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // Of the entry itself: a link is listed, not followed, so that no loop can form.
            let metadata = entry.metadata().map_err(failed)?;
            if metadata.is_dir() {
                waiting.push(entry.path());
            } else {
                let path = entry.path();
                found.push((path.strip_prefix(folder).unwrap_or(&path).to_owned(), metadata.len()));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A size in the largest unit that leaves a number above 1.
fn size(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        (value, unit) = (value / 1000.0, unit + 1);
    }
    let digits = usize::from(unit > 0 && value < 99.95);
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, text) in [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (99_960, "100 kB"), (999_499, "999 kB")] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(size(999_500), "1.0 MB");
        assert_eq!(size(u64::MAX), "18446744 TB");
    }
}
