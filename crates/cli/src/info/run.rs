//! Facts about the folder of a run, complete or not.

use std::path::{Path, PathBuf};

use miette::miette;
use serde_json::{Value, json};
use toile::{FrameVerdict, LoggedFrame, RunReader};

use super::Sheet;
use crate::check::counted;

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
    let (words, value) = verdict(run.log());
    sheet.fact("verdict", words, value);
    super::scene::facts(&mut sheet, run.world());
    let files = files(folder)?;
    let lines = files.iter().map(|(path, bytes)| format!("{:>8}  {}", size(*bytes), path.display())).collect();
    let values: Vec<Value> =
        files.iter().map(|(path, bytes)| json!({ "path": path.display().to_string(), "bytes": bytes })).collect();
    sheet.list("files", lines, values);
    Ok(sheet)
}

/// The judge's words on all frames together.
fn verdict(log: &[LoggedFrame]) -> (String, Value) {
    let verdicts: Vec<&FrameVerdict> = log.iter().filter_map(|f| f.verdict.as_ref()).collect();
    let bad: Vec<&&FrameVerdict> = verdicts.iter().filter(|v| !v.is_clean()).collect();
    let pairs: usize = bad.iter().map(|v| v.total()).sum();
    let unjudged: usize = bad.iter().map(|v| v.unjudged).sum();
    let judged = counted(verdicts.len(), "frame");
    let words = match (verdicts.len(), bad.first()) {
        (0, _) => "no frame judged".to_owned(),
        (_, None) => format!("{judged} judged, nothing intersects"),
        (_, Some(first)) => format!(
            "{judged} judged, {} with intersections, the first is {}: {}{}",
            bad.len(),
            first.frame,
            counted(pairs, "pair"),
            if unjudged > 0 { format!(", {} not judged", counted(unjudged, "triangle")) } else { String::new() },
        ),
    };
    let value = json!({
        "judged_frames": verdicts.len(),
        "frames_with_intersections": bad.len(),
        "first_frame_with_intersections": bad.first().map(|v| v.frame),
        "intersecting_pairs": pairs,
        "unjudged_triangles": unjudged,
    });
    (words, value)
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

    #[test]
    fn the_verdict_names_the_first_bad_frame() {
        let frame = |number: u32, pairs: usize| {
            let verdict = FrameVerdict { frame: number, cloth: pairs, ..FrameVerdict::default() };
            LoggedFrame { report: toile::FrameReport::default(), verdict: Some(verdict) }
        };
        assert_eq!(verdict(&[]).0, "no frame judged");
        assert_eq!(verdict(&[frame(0, 0), frame(1, 0)]).0, "2 frames judged, nothing intersects");
        let (words, value) = verdict(&[frame(0, 0), frame(1, 2), frame(2, 3)]);
        assert_eq!(words, "3 frames judged, 2 with intersections, the first is 1: 5 pairs");
        assert_eq!(value["first_frame_with_intersections"], 1);
    }
}
