//! `--compare-fabrics`: the same garment in several fabrics on one body, and how each falls.

use std::path::Path;

use miette::{IntoDiagnostic, Result};
use serde_json::{Value, json};
use toile_files::atomic::write_atomic;
use toile_tailor::fit::{Field, Fit, Hem};
use toile_view::Quality;

use super::compare::{Attempt, picture, row};
use super::{Tried, TryOnArgs, drawn, files, page, told, wish, words};
use crate::args::Global;
use crate::say;

/// Height of a picture over that of other views.
const SCALE: f64 = 0.65;

/// Tries on all fabrics; whether all could be put on and are without intersections.
pub(super) fn compare(args: &TryOnArgs, global: &Global) -> Result<bool> {
    let scene = |name: &String| {
        let fabric = name.trim().to_owned();
        let scene = wish::scene(args, args.size.as_deref(), std::slice::from_ref(&fabric))?;
        Ok((fabric, scene))
    };
    // A fabric that does not exist is told before the first is simulated.
    let scenes = args.compare_fabrics.iter().map(scene).collect::<Result<Vec<_>>>()?;
    drawn::prepare(args, args.size.as_deref(), global)?;
    let mut attempts = Vec::new();
    for (fabric, scene) in scenes {
        attempts.push(Attempt::new(("fabric", &fabric), &scene, args, global)?);
    }
    let rows = table(&attempts);
    write(args.out(), &attempts, &rows)?;
    if global.json {
        say(json(args.out(), &attempts));
    }
    for line in words::aligned(&rows) {
        told(line, global);
    }
    told(format!("written to {}", args.out().display()), global);
    Ok(attempts.iter().all(|attempt| attempt.tried().is_some_and(Tried::is_good)))
}

/// Measures of the hem by fabrics, and how long each took to come to rest.
fn table(attempts: &[Attempt]) -> Vec<Vec<String>> {
    let of = |cell: &dyn Fn(&Fit) -> String, a: &Attempt| a.fit().map_or_else(|| "–".to_owned(), cell);
    let hem = |value: fn(&Hem) -> String| move |fit: &Fit| fit.hem.as_ref().map_or_else(|| "–".to_owned(), value);
    let settled = |a: &Attempt| match a.tried().map(Tried::report) {
        None => "cannot be put on".to_owned(),
        Some(report) if report.settled => format!("after {:.2} s", report.draping_time),
        Some(report) => format!("NOT after {:.2} s", report.draping_time),
    };
    let strain = |fit: &Fit| format!("{:.1} %", 100.0 * fit.peak(Field::Strain));
    vec![
        row(attempts, "fabric", &|a| a.label.clone()),
        row(attempts, "hem, width", &|a| of(&hem(|hem| words::cm(hem.width)), a)),
        row(attempts, "hem, depth", &|a| of(&hem(|hem| words::cm(hem.depth)), a)),
        row(attempts, "hem, tape around it", &|a| of(&hem(|hem| words::cm(hem.girth)), a)),
        row(attempts, "hem, cut", &|a| of(&hem(|hem| words::cm(hem.cut)), a)),
        row(attempts, "hem, above the floor", &|a| of(&hem(|hem| words::cm(hem.height)), a)),
        row(attempts, "folds", &|a| of(&hem(|hem| hem.folds.to_string()), a)),
        row(attempts, "folds, mean depth", &|a| of(&hem(|hem| words::cm(hem.fold_depth)), a)),
        row(attempts, "strain", &|a| of(&strain, a)),
        row(attempts, "settled", &settled),
    ]
}

fn write(folder: &Path, attempts: &[Attempt], rows: &[Vec<String>]) -> Result<()> {
    files::make(folder)?;
    let picture = picture(attempts, &|stage, _, label, _| stage.shoot(20.0, SCALE, None, label, Quality::Good))?;
    if !picture.is_empty() {
        write_atomic(&folder.join("fabrics.png"), &picture).into_diagnostic()?;
    }
    let title = attempts.iter().find_map(Attempt::tried).map_or("fabrics", |t| t.garment().name());
    let html = page::fabrics(title, &picture, rows);
    write_atomic(&folder.join("report.html"), html.as_bytes()).into_diagnostic()?;
    let report = format!("{:#}\n", json(folder, attempts));
    write_atomic(&folder.join("report.json"), report.as_bytes()).into_diagnostic()
}

fn json(folder: &Path, attempts: &[Attempt]) -> Value {
    let fabrics: Vec<Value> = attempts.iter().map(|attempt| attempt.json("fabric", folder)).collect();
    json!({ "folder": folder, "fabrics": fabrics })
}
