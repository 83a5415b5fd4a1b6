//! `--compare-sizes`: the same garment in several sizes on one body.

use std::path::Path;

use miette::{IntoDiagnostic, Result};
use serde_json::{Value, json};
use toile::garment::TryOnError;
use toile::garment::fit::{Field, Fit, Recommendation, Trial, recommend};
use toile_body::Measurement;
use toile_files::atomic::write_atomic;
use toile_view::{Image, encode};

use super::maps::MAPS;
use super::views::{Stage, side_by_side};
use super::{Tried, TryOnArgs, files, page, put_on, told, told_off, wish, words};
use crate::args::Global;
use crate::say;

/// A size and what became of it.
struct Attempt {
    size: String,
    /// The garment, or why it cannot be put on.
    outcome: Result<Tried, String>,
}

impl Attempt {
    fn fit(&self) -> Option<&Fit> {
        self.outcome.as_ref().ok().map(|tried| &tried.fit)
    }
}

/// Tries on all sizes; whether one can be recommended and all are without intersections.
pub(super) fn compare(args: &TryOnArgs, global: &Global) -> Result<bool> {
    // A size that does not exist is told before the first is simulated.
    let scenes =
        args.compare_sizes.iter().map(|size| Ok((size.trim().to_owned(), wish::scene(args, Some(size.as_str()))?)));
    let scenes = scenes.collect::<Result<Vec<_>>>()?;
    let mut attempts = Vec::new();
    for (size, scene) in scenes {
        told(format!("size {size}"), global);
        let outcome = match put_on(args, &scene, global)? {
            Ok(mut tried) => {
                let tried = tried.remove(0);
                files::write(&args.out.join(&size), &tried)?;
                told(format!("  {}", words::heading(&tried)), global);
                Ok(tried)
            }
            Err(error @ (TryOnError::Open { .. } | TryOnError::Placed { .. })) => {
                told(format!("  cannot be put on: {error}"), global);
                Err(error.to_string())
            }
            Err(other) => return Err(told_off(other)),
        };
        attempts.push(Attempt { size, outcome });
    }
    let trials: Vec<Trial<'_>> = attempts.iter().map(|a| Trial { size: &a.size, fit: a.fit() }).collect();
    let best = recommend(&trials);
    let rows = table(&attempts);
    write(&args.out, &attempts, best.as_ref(), &rows)?;
    if global.json {
        say(json(&args.out, &attempts, best.as_ref()));
    }
    for line in words::aligned(&rows) {
        told(line, global);
    }
    match &best {
        Some(best) => told(format!("take size {}: {}", best.size, best.reason), global),
        None => told("no size could be put on; choose larger ones", global),
    }
    told(format!("written to {}", args.out.display()), global);
    Ok(best.is_some() && attempts.iter().filter_map(|a| a.outcome.as_ref().ok()).all(Tried::is_good))
}

/// Zones by sizes, with the ease and what is said of it, and the largest values below.
fn table(attempts: &[Attempt]) -> Vec<Vec<String>> {
    let row = |name: &str, cell: &dyn Fn(&Attempt) -> String| {
        std::iter::once(name.to_owned()).chain(attempts.iter().map(cell)).collect::<Vec<_>>()
    };
    let of = |cell: &dyn Fn(&Fit) -> String, fit: Option<&Fit>| fit.map_or_else(|| "–".to_owned(), cell);
    let mut rows = vec![row("zone", &|a| a.size.clone())];
    for measurement in Measurement::ALL {
        let zone = |fit: &Fit| fit.zones.iter().find(|zone| zone.measurement == measurement).cloned();
        let Some(name) = attempts.iter().filter_map(Attempt::fit).find_map(zone).map(|zone| zone.name()) else {
            continue;
        };
        rows.push(row(name, &|a| match (&a.outcome, a.fit().and_then(zone)) {
            (Err(_), _) => "too small".to_owned(),
            (Ok(_), None) => "–".to_owned(),
            (Ok(_), Some(zone)) => format!("{:+.1} cm {}", 100.0 * zone.ease, zone.verdict.word()),
        }));
    }
    let strain = |fit: &Fit| format!("{:.1} %", 100.0 * fit.peak(Field::Strain));
    let pressure = |fit: &Fit| format!("{:.2} kPa", 1e-3 * fit.peak(Field::Pressure));
    rows.push(row("strain", &|a| of(&strain, a.fit())));
    rows.push(row("pressure", &|a| of(&pressure, a.fit())));
    rows
}

fn write(folder: &Path, attempts: &[Attempt], best: Option<&Recommendation>, rows: &[Vec<String>]) -> Result<()> {
    files::make(folder)?;
    let picture = picture(attempts)?;
    if !picture.is_empty() {
        write_atomic(&folder.join("sizes.png"), &picture).into_diagnostic()?;
    }
    let title = attempts.iter().find_map(|a| a.outcome.as_ref().ok()).map_or("sizes", |t| t.garment().name());
    let html = page::comparison(title, best, &picture, rows);
    write_atomic(&folder.join("report.html"), html.as_bytes()).into_diagnostic()?;
    let report = format!("{:#}\n", json(folder, attempts, best));
    write_atomic(&folder.join("report.json"), report.as_bytes()).into_diagnostic()
}

/// Strain of all sizes from the front, at one scale of lengths and of colours; empty if none was put on.
fn picture(attempts: &[Attempt]) -> Result<Vec<u8>> {
    let worn: Vec<(&str, &Tried)> =
        attempts.iter().filter_map(|a| Some((a.size.as_str(), a.outcome.as_ref().ok()?))).collect();
    let mut stages: Vec<Stage> = worn.iter().map(|(_, tried)| Stage::new(tried)).collect();
    let Some(largest) = stages.iter().map(Stage::frame).max_by(|a, b| a[1].total_cmp(&b[1])) else {
        return Ok(Vec::new());
    };
    for stage in &mut stages {
        stage.reframe(largest);
    }
    let map = &MAPS[0];
    let range = map.range(&worn.iter().map(|(_, tried)| &tried.fit).collect::<Vec<_>>());
    let views: Vec<Image> = (worn.iter().zip(&stages).enumerate())
        .map(|(k, ((size, tried), stage))| map.shoot(stage, &tried.fit, 0.0, range, size, k + 1 == worn.len()))
        .collect();
    encode::png(&side_by_side(&views.iter().collect::<Vec<_>>())).into_diagnostic()
}

fn json(folder: &Path, attempts: &[Attempt], best: Option<&Recommendation>) -> Value {
    let sizes: Vec<Value> = attempts
        .iter()
        .map(|attempt| match &attempt.outcome {
            Ok(tried) => {
                let mut value = words::json(&folder.join(&attempt.size), tried);
                value["size"] = json!(attempt.size);
                value
            }
            Err(reason) => json!({ "size": attempt.size, "too_small": true, "reason": reason }),
        })
        .collect();
    json!({ "folder": folder, "sizes": sizes, "recommended": best })
}
