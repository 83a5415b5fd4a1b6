//! `toile bench try-on --matrix`: every garment that can be worn, on three bodies, in three sizes.
//!
//! The sizes are those that somebody takes into the changing room of a shop: the own one, the next smaller and the next larger, which
//! are 4 cm narrower and wider in bust, waist and hip (woman-36 and woman-40 on woman-38). Each is in the fabric that suits it.
//!
//! A case is good if all seams were closed to a millimetre when they were welded, it came to rest, the judge finds no intersection
//! with the body or with itself, and nothing slipped off. One line each; the command fails if a case does.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use serde_json::{Value, json};
use toile_body::chart::split_reference;
use toile_body::{SizeChart, complete, length, sizes};
use toile_files::atomic::write_atomic;
use toile_garment::draft::{Choices, Design, draft};
use toile_scene::usual_fabric;
use toile_tailor::{Garment, TryOn, TryOnReport, Wearer};
use toile_view::{Image, encode};

use crate::Program;
use crate::speed::round;

/// Who wears them, if not told.
const BODIES: [&str; 3] = ["woman-38", "woman-46", "man-50"];
/// Longest stitch that may be welded [m].
const CLOSED: f64 = 0.001;
/// Longest time to drape for [s]: a circle of poplin swings for long.
const MOST_TIME: f64 = 16.0;
/// Angle of the camera around the body [°].
const AZIMUTH: f64 = 20.0;
/// Colour of a picture that there is not.
const NOTHING: [u8; 3] = [200, 60, 50];

/// Options of `toile bench try-on --matrix`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MatrixArgs {
    /// try-on: instead, every garment on three bodies in three sizes; fails if one cannot be worn
    #[arg(long)]
    pub(super) matrix: bool,
    /// try-on --matrix: these garments only
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", requires = "matrix")]
    garments: Vec<String>,
    /// try-on --matrix: these bodies, also of a chart as sizes.toml:M [default: woman-38,woman-46,man-50]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", requires = "matrix")]
    bodies: Vec<String>,
    /// try-on --matrix: distance between vertices, as 30mm or 1in
    #[arg(long, value_name = "LENGTH", default_value_t = 0.03, value_parser = parse_distance, requires = "matrix")]
    distance: f64,
    /// try-on --matrix: draw all of them on one sheet (PNG)
    #[arg(long, value_name = "PNG", requires = "matrix")]
    pub(crate) sheet: Option<PathBuf>,
    /// try-on --matrix: height of a picture on the sheet [pixels]
    #[arg(long, value_name = "PIXELS", default_value_t = 150, value_parser = clap::value_parser!(u32).range(50..=1000), requires = "matrix")]
    sheet_height: u32,
}

fn parse_distance(text: &str) -> Result<f64, String> {
    length::parse_within(text, 0.003, 0.1)
}

/// What became of a garment.
struct Case {
    line: Value,
    good: bool,
    picture: Option<Image>,
}

/// Tries everything on; whether all cases are good.
pub(super) fn matrix(args: &MatrixArgs, program: &dyn Program) -> Result<(Vec<Value>, bool)> {
    let options = program.options();
    let designs = match args.garments.as_slice() {
        [] => wearable(),
        names => names.iter().map(|name| program.design(name)).collect::<Result<Vec<_>>>()?,
    };
    let bodies = match args.bodies.as_slice() {
        [] => BODIES.map(str::to_owned).to_vec(),
        names => names.to_vec(),
    };
    let tell = |text: &str| {
        if !options.quiet || options.json {
            program.say(&text);
        }
    };
    if !options.json {
        tell(&HEAD.join(" "));
    }
    let whole = Instant::now();
    let (mut cases, mut columns) = (Vec::new(), Vec::new());
    for body in &bodies {
        let wearer = program.wearer(body)?;
        for size in neighbours(body)? {
            let mut column = Vec::new();
            for design in &designs {
                let case = case(*design, &size, body, &wearer, args, program)?;
                tell(&if options.json { case.line.to_string() } else { row(&case.line) });
                column.push(case.picture);
                cases.push((case.line, case.good));
            }
            columns.push(column);
            // After every size, so that a run that is broken off leaves something to look at.
            if let Some(path) = &args.sheet {
                save_sheet(path, &columns, args.sheet_height)?;
            }
        }
    }
    let good = cases.iter().filter(|(_, good)| *good).count();
    let last = json!({
        "bench": "try-on matrix", "cases": cases.len(), "good": good, "seconds": round(whole.elapsed().as_secs_f64()),
    });
    tell(&if options.json { last.to_string() } else { format!("{good} of {} are good", cases.len()) });
    let all_good = good == cases.len();
    Ok((cases.into_iter().map(|(line, _)| line).chain([last]).collect(), all_good))
}

/// The designs that are worn on a body.
fn wearable() -> Vec<Design> {
    let lie = [Design::Tablecloth, Design::RoundTablecloth];
    Design::ALL.iter().copied().filter(|design| !lie.contains(design)).collect()
}

/// A size with those before and after it.
fn neighbours(body: &str) -> Result<[String; 3]> {
    let own = split_reference(body).map(|(file, _)| SizeChart::load(file)).transpose().into_diagnostic()?;
    let names = match &own {
        Some(chart) => chart.sizes.iter().map(|(name, _)| format!("{}:{name}", chart.file)).collect(),
        None => sizes::names(),
    };
    let known = own.as_ref().map_or_else(sizes::known, |chart| format!("{} has: {}", chart.file, chart.names()));
    let refused = || miette!(help = known.clone(), "--bodies {body}: it has no smaller and larger size");
    let k = names.iter().position(|name| name == body).ok_or_else(refused)?;
    // Sizes of a chart are all of one kind.
    let figure = |name: &str| if own.is_some() { None } else { name.split('-').next().map(str::to_owned) };
    let other = |k: Option<usize>| {
        let name = k.and_then(|k| names.get(k)).filter(|name| figure(name) == figure(body));
        name.cloned().ok_or_else(refused)
    };
    Ok([other(k.checked_sub(1))?, body.to_owned(), other(Some(k + 1))?])
}

fn case(
    design: Design,
    size: &str,
    body: &str,
    wearer: &Wearer,
    args: &MatrixArgs,
    program: &dyn Program,
) -> Result<Case> {
    let cut_for = sizes::find(size).map_err(|e| miette!(help = e.help().to_owned(), "{e}"))?;
    let drafted = draft(design, &complete(cut_for.figure, &cut_for.given), &Choices::new()).into_diagnostic()?;
    let fabric = usual_fabric(design.word());
    let garment = Garment {
        distance: args.distance,
        fabric_name: fabric.to_owned(),
        ..Garment::new(drafted, toile_scene::fabric::find(fabric)?.fabric)
    };
    let wish = TryOn { most_time: MOST_TIME, ..TryOn::new(garment, wearer.clone()) };
    let clock = Instant::now();
    let outcome = wish.run(&mut |_| ControlFlow::Continue(()));
    let mut line = json!({
        "bench": "try-on matrix", "garment": design.word(), "body": body, "size": size, "fabric": fabric,
    });
    let (good, picture) = match outcome {
        Ok(worn) => {
            add(&mut line, &worn.report);
            let number = size.split('-').next_back().unwrap_or(size);
            let caption = format!("{number} on {body}");
            let shoot = || program.portrait(&worn.garments, wearer, AZIMUTH, args.sheet_height, &caption);
            (is_good(&worn.report), args.sheet.is_some().then(shoot))
        }
        Err(error) => {
            line["refused"] = json!(error.to_string());
            (false, None)
        }
    };
    line["seconds"] = json!(round(clock.elapsed().as_secs_f64()));
    line["good"] = json!(good);
    Ok(Case { line, good, picture })
}

fn is_good(report: &TryOnReport) -> bool {
    report.largest_gap <= CLOSED && report.settled && report.verdict.is_clean() && report.slipped.is_empty()
}

fn add(line: &mut Value, report: &TryOnReport) {
    line["vertices"] = json!(report.vertices);
    line["gap mm"] = json!(round(1e3 * report.largest_gap));
    line["settled"] = json!(report.settled);
    line["draped s"] = json!(report.draping_time);
    line["intersections with itself"] = json!(report.verdict.cloth);
    line["intersections with the body"] = json!(report.verdict.obstacles);
    line["slipped"] = json!(!report.slipped.is_empty());
    line["stretch"] = json!(round(report.largest_stretch));
}

const HEAD: [&str; 11] = [
    "garment     ",
    "body    ",
    "size    ",
    "vertices",
    "gap [mm]",
    "settled [s]",
    "itself",
    "body",
    "slipped",
    "stretch",
    "clock [s]",
];

fn row(line: &Value) -> String {
    let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let number = |key: &str| line[key].as_f64().unwrap_or(f64::NAN);
    let case = format!("{:<12} {:<8} {:<8}", word("garment"), word("body"), word("size"));
    if line["refused"].is_string() {
        return format!("{case} REFUSED: {}", word("refused"));
    }
    let rest = if line["settled"] == true { "" } else { "NOT " };
    let settled = format!("{rest}{:.2}", number("draped s"));
    let slipped = if line["slipped"] == true { "YES" } else { "no" };
    let bad = if line["good"] == true { "" } else { "  BAD" };
    format!(
        "{case} {:>8} {:>8.2} {settled:>11} {:>6} {:>4} {slipped:>7} {:>7.3} {:>9.1}{bad}",
        number("vertices"),
        number("gap mm"),
        number("intersections with itself"),
        number("intersections with the body"),
        number("stretch"),
        number("seconds"),
    )
}

/// Pictures in rows by garment and columns by body and size; what could not be put on is red.
fn save_sheet(path: &Path, columns: &[Vec<Option<Image>>], height: u32) -> Result<()> {
    let width = columns.iter().flatten().flatten().map(Image::width).max().unwrap_or(height);
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let mut sheet = Image::filled(width * columns.len() as u32, height * rows, [255; 3]);
    let missing = Image::filled(width, height, NOTHING);
    for (k, column) in columns.iter().enumerate() {
        for (i, picture) in column.iter().enumerate() {
            sheet.paste(picture.as_ref().unwrap_or(&missing), k as u32 * width, i as u32 * height);
        }
    }
    let png = encode::png(&sheet).into_diagnostic()?;
    write_atomic(path, &png).into_diagnostic().wrap_err_with(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_garments_are_worn_and_sizes_have_neighbours() {
        assert_eq!(wearable().len(), 10);
        assert_eq!(neighbours("woman-38").unwrap(), ["woman-36", "woman-38", "woman-40"]);
        assert_eq!(neighbours("man-50").unwrap(), ["man-48", "man-50", "man-52"]);
        // The sizes of women and men stand in one list.
        assert!(neighbours("woman-54").is_err() && neighbours("man-42").is_err() && neighbours("scan.obj").is_err());
    }

    #[test]
    fn a_case_is_good_only_if_nothing_is_wrong() {
        let good = TryOnReport { largest_gap: 0.0009, settled: true, ..TryOnReport::default() };
        assert!(is_good(&good));
        assert!(!is_good(&TryOnReport { largest_gap: 0.0011, ..good.clone() }));
        assert!(!is_good(&TryOnReport { settled: false, ..good.clone() }));
        assert!(!is_good(&TryOnReport { slipped: vec!["skirt".into()], ..good.clone() }));
        let mut bad = good;
        bad.verdict.obstacles = 1;
        assert!(!is_good(&bad));
    }
}
