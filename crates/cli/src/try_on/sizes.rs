//! `--compare-sizes`: the same garment in several sizes on one body.

use std::path::Path;

use miette::{IntoDiagnostic, Result};
use serde_json::{Value, json};
use toile_body::Measurement;
use toile_files::atomic::write_atomic;
use toile_tailor::fit::{Field, Fit, Recommendation, Trial, recommend};

use super::compare::{Attempt, picture, row};
use super::maps::MAPS;
use super::{Tried, TryOnArgs, conclude, drawn, files, page, told, walk, wish, words};
use crate::args::Global;
use crate::say;

/// Tries on all sizes, that of `--size` too; whether one can be recommended and all are without intersections. It is the one of `--size` that
/// walks if it is asked to, or that which is recommended.
pub(super) fn compare(args: &TryOnArgs, global: &Global) -> Result<bool> {
    // A size that does not exist is told before the first is simulated.
    let scene = |size: &String| Ok((size.trim().to_owned(), wish::scene(args, Some(size.as_str()), &args.fabric)?));
    let own = args.size.iter().filter(|size| !args.compare_sizes.contains(size));
    let scenes = args.compare_sizes.iter().chain(own).map(scene);
    let scenes = scenes.collect::<Result<Vec<_>>>()?;
    for (size, _) in &scenes {
        drawn::prepare(args, Some(size), global)?;
    }
    let mut attempts = Vec::new();
    for (size, scene) in &scenes {
        attempts.push(Attempt::new(("size", size), scene, args, global)?);
    }
    let trials: Vec<Trial<'_>> = attempts.iter().map(|a| Trial { size: &a.label, fit: a.fit() }).collect();
    let best = recommend(&trials);
    let rows = table(&attempts);
    write(args.out(), &attempts, best.as_ref(), &rows)?;
    if global.json {
        say(json(args.out(), &attempts, best.as_ref()));
    }
    for line in words::aligned(&rows) {
        told(line, global);
    }
    match &best {
        Some(best) => told(format!("take size {}: {}", best.size, best.reason), global),
        None => told("no size could be put on; choose larger ones", global),
    }
    told(format!("written to {}", args.out().display()), global);
    let good = best.is_some() && attempts.iter().filter_map(Attempt::tried).all(Tried::is_good);
    let chosen = args.size.clone().or(best.map(|best| best.size));
    let mut worn = attempts.into_iter().zip(&scenes).filter(|(attempt, _)| Some(&attempt.label) == chosen.as_ref());
    let mut clean = true;
    if let Some((Attempt { outcome: Ok(tried), .. }, (_, scene))) = worn.next() {
        clean = walk(args, scene, tried, global)?;
    }
    conclude(good, clean, global);
    Ok(good && clean)
}

/// Zones by sizes, with the ease and what is said of it, and the largest values below.
fn table(attempts: &[Attempt]) -> Vec<Vec<String>> {
    let of = |cell: &dyn Fn(&Fit) -> String, fit: Option<&Fit>| fit.map_or_else(|| "–".to_owned(), cell);
    let mut rows = vec![row(attempts, "zone", &|a| a.label.clone())];
    for measurement in Measurement::ALL {
        let zone = |fit: &Fit| fit.zones.iter().find(|zone| zone.measurement == measurement).cloned();
        let Some(name) = attempts.iter().filter_map(Attempt::fit).find_map(zone).map(|zone| zone.name()) else {
            continue;
        };
        rows.push(row(attempts, name, &|a| match (&a.outcome, a.fit().and_then(zone)) {
            (Err(_), _) => "too small".to_owned(),
            (Ok(_), None) => "–".to_owned(),
            (Ok(_), Some(zone)) => format!("{:+.1} cm {}", 100.0 * zone.ease, zone.verdict.word()),
        }));
    }
    let strain = |fit: &Fit| format!("{:.1} %", 100.0 * fit.peak(Field::Strain));
    let pressure = |fit: &Fit| format!("{:.2} kPa", 1e-3 * fit.peak(Field::Pressure));
    rows.push(row(attempts, "strain", &|a| of(&strain, a.fit())));
    rows.push(row(attempts, "pressure", &|a| of(&pressure, a.fit())));
    rows
}

fn write(folder: &Path, attempts: &[Attempt], best: Option<&Recommendation>, rows: &[Vec<String>]) -> Result<()> {
    files::make(folder)?;
    let map = &MAPS[0];
    let range = map.range(&attempts.iter().filter_map(Attempt::fit).collect::<Vec<_>>());
    // Strain from the front, at one scale of colours.
    let picture =
        picture(attempts, &|stage, tried, label, is_last| map.shoot(stage, &tried.fit, 0.0, range, label, is_last))?;
    if !picture.is_empty() {
        write_atomic(&folder.join("sizes.png"), &picture).into_diagnostic()?;
    }
    let title = attempts.iter().find_map(Attempt::tried).map_or("sizes", |t| t.garment().name());
    let html = page::comparison(title, best, &picture, rows);
    write_atomic(&folder.join("report.html"), html.as_bytes()).into_diagnostic()?;
    let report = format!("{:#}\n", json(folder, attempts, best));
    write_atomic(&folder.join("report.json"), report.as_bytes()).into_diagnostic()
}

fn json(folder: &Path, attempts: &[Attempt], best: Option<&Recommendation>) -> Value {
    let sizes: Vec<Value> = attempts.iter().map(|attempt| attempt.json("size", folder)).collect();
    json!({ "folder": folder, "sizes": sizes, "recommended": best })
}
