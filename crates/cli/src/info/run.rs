//! Facts about the folder of a run, complete or not, or of a try-on.

use std::path::{Path, PathBuf};

use miette::miette;
use serde_json::{Value, json};

use super::Sheet;
use crate::render::open_run;
use crate::summary::Judgement;

pub(super) fn sheet(folder: &Path) -> miette::Result<Sheet> {
    let run = open_run(folder)?;
    let name = folder.display().to_string();
    let mut sheet = Sheet::default();
    if run.is_try_on() {
        sheet.fact("try_on", name.clone(), name);
        let (lines, values) = garments(folder)?;
        sheet.list("garments", lines, values);
        super::scene::facts(&mut sheet, run.scene(), run.world());
        list_files(&mut sheet, folder)?;
        return Ok(sheet);
    }
    sheet.fact("run", name.clone(), name);
    let (recorded, all) = (run.frame_count().saturating_sub(1), run.scene().time.frames());
    let complete = folder.join("report.json").is_file();
    let state = if complete { "complete" } else { "not complete; go on with `toile run --resume`" };
    sheet.fact("state", state, json!({ "complete": complete, "frames_done": recorded, "frames": all }));
    sheet.fact("frames_done", format!("{recorded} of {all}"), recorded);
    let judgement = Judgement::of(run.log());
    sheet.fact("judge", judgement.sentence(), judgement.json());
    super::scene::facts(&mut sheet, run.scene(), run.world());
    list_files(&mut sheet, folder)?;
    Ok(sheet)
}

/// What the reports in a folder and directly below it say of the garments that were put on.
fn garments(folder: &Path) -> miette::Result<(Vec<String>, Vec<Value>)> {
    let mut found = files(folder)?;
    found.retain(|(path, _)| path.ends_with("report.json") && path.components().count() <= 2);
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for (path, _) in found {
        let path = folder.join(path);
        let text = std::fs::read_to_string(&path).map_err(|e| miette!("{}: {e}", path.display()))?;
        let help = "put the garment on again";
        let report: Value = serde_json::from_str(&text).map_err(|e| miette!(help = help, "{}: {e}", path.display()))?;
        // A walk has a report, too, of another kind.
        let (Some(garment), Some(fabric)) = (report["garment"].as_str(), report["fabric"].as_str()) else { continue };
        let count = |key: &str| report["report"]["verdict"][key].as_u64();
        let intersections = count("cloth").zip(count("obstacles")).map(|(a, b)| a + b);
        let settled = report["report"]["settled"].as_bool();
        let rest = if settled == Some(true) { "settled" } else { "NOT settled" };
        let judged = intersections.map_or_else(|| "not judged".to_owned(), |n| format!("{n} intersections"));
        lines.push(format!("{garment} of {fabric}: {rest}, {judged}"));
        values.push(json!({
            "name": garment, "fabric": fabric, "settled": settled, "intersections": intersections,
            "report": path.display().to_string(),
        }));
    }
    Ok((lines, values))
}

fn list_files(sheet: &mut Sheet, folder: &Path) -> miette::Result<()> {
    let files = files(folder)?;
    let lines = files.iter().map(|(path, bytes)| format!("{:>8}  {}", size(*bytes), path.display())).collect();
    let values: Vec<Value> =
        files.iter().map(|(path, bytes)| json!({ "path": path.display().to_string(), "bytes": bytes })).collect();
    sheet.list("files", lines, values);
    Ok(())
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
