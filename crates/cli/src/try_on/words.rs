//! What is said about a garment that was put on.

use std::path::Path;

use serde_json::{Value, json};
use toile_body::measure::Landmarks;
use toile_tailor::fit::{Extreme, Field, Fit, Meant, Zone};

use super::{Tried, identity, told};
use crate::args::Global;
use crate::say;

/// What cloth may give while it is sewn, unless it is too small.
const USUAL_STRETCH: f64 = 1.061;

/// The report with what was asked for.
pub(super) fn json(folder: &Path, tried: &Tried) -> Value {
    let garment = tried.garment();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "folder": folder,
        "garment": garment.name(),
        "size": identity::size(tried),
        "fabric": garment.fabric(),
        "quality": tried.quality,
        "distance": garment.asked.distance,
        "texture_side": tried.sheet().side,
        "body": identity::body(tried, imported(tried).as_deref()),
        "hashes": identity::hashes(tried),
        "report": tried.report(),
        "fit": tried.fit,
    })
}

pub(super) fn tell(folder: &Path, all: &[Tried], global: &Global) {
    if global.json {
        match all {
            [tried] => say(json(folder, tried)),
            _ => say(Value::Array(all.iter().map(|t| json(&folder.join(t.garment().name()), t)).collect())),
        }
        return;
    }
    for tried in all {
        told(heading(tried), global);
        for line in table(&tried.fit) {
            told(format!("  {line}"), global);
        }
        for (what, text) in measures(&tried.fit) {
            told(format!("  {what}: {text}"), global);
        }
    }
    for (what, text) in all.first().map(facts).unwrap_or_default() {
        told(format!("{what}: {text}"), global);
    }
    told(format!("written to {}", folder.display()), global);
}

/// What was put on.
pub(super) fn heading(tried: &Tried) -> String {
    let garment = tried.garment();
    format!(
        "{} of {}: {} panels, {} vertices, {} triangles",
        garment.name(),
        garment.fabric(),
        garment.flat.panels.len(),
        garment.x.len(),
        garment.welded.mesh.face_count()
    )
}

/// What happened, stage by stage.
pub(super) fn facts(tried: &Tried) -> Vec<(&'static str, String)> {
    let report = tried.report();
    let mm = |metres: f64| format!("{:.1} mm", 1e3 * metres);
    let untangled = match report.untangled {
        0 => String::new(),
        n => format!(", {n} intersections untangled"),
    };
    let stretched = match report.sewn_stretch {
        s if s > USUAL_STRETCH => format!(" with the cloth stretched by up to {:.0} %", 100.0 * (s - 1.0)),
        _ => String::new(),
    };
    let rest = match (report.settled, report.fallen) {
        (true, _) => "settled after",
        (false, false) => "NOT settled after",
        (false, true) => "FELL off the body within",
    };
    let slipped = match report.slipped.as_slice() {
        [] => String::new(),
        names => format!(", {} SLIPPED off", names.join(" and ")),
    };
    let (phases, verdict) = (&report.phases, &report.verdict);
    let mut facts: Vec<(&'static str, String)> = imported(tried).map(|words| ("body", words)).into_iter().collect();
    facts.extend([
        (
            "sewn",
            format!(
                "{} stitches drawn from {} to {} in {:.2} s{stretched}, welded{untangled}",
                report.stitches,
                mm(report.first_gap),
                mm(report.largest_gap),
                report.sewing_time
            ),
        ),
        (
            "draped",
            format!(
                "{rest} {:.2} s, last way {}, longest edge {:.3} of its length{slipped}",
                report.draping_time,
                mm(report.last_way),
                report.largest_stretch
            ),
        ),
        ("judged", format!("{} intersections with itself, {} with the body", verdict.cloth, verdict.obstacles)),
        (
            "clock",
            format!(
                "mesh {:.2} s, place {:.2} s, sew {:.1} s, weld {:.2} s, drape {:.1} s",
                phases.mesh, phases.place, phases.sew, phases.weld, phases.drape
            ),
        ),
    ]);
    facts.extend(report.remarks.iter().map(|remark| ("does not fit", remark.clone())));
    facts
}

/// What was assumed about a body from a file and mended in it, with warnings about its pose.
fn imported(tried: &Tried) -> Option<String> {
    let dressed = &tried.dressed.wearers[0];
    let import = dressed.performer.import.as_ref()?;
    let notes = Landmarks::find_with_notes(&dressed.wearer.mesh).map(|(_, notes)| notes).unwrap_or_default();
    let lines = std::iter::once(import.to_string()).chain(notes.iter().map(|note| format!("warning: {note}")));
    Some(lines.collect::<Vec<_>>().join("; "))
}

/// Headings of [`row`].
pub(super) const COLUMNS: [&str; 10] =
    ["zone", "body", "garment", "ease", "meant", "stretch", "most stretch", "pressure", "most pressure", "verdict"];

/// Columns of a row that a terminal has no room for: the means.
const LEFT_OUT: [usize; 2] = [5, 7];

/// A zone as cells of a table.
pub(super) fn row(zone: &Zone) -> [String; 10] {
    let open = if zone.is_open { " open" } else { "" };
    let stretch = |value: f64| format!("{:+.1} %", 100.0 * value);
    let pressure = |value: f64| format!("{:.2} kPa", 1e-3 * value);
    [
        zone.name().to_owned(),
        cm(zone.body),
        format!("{}{open}", cm(zone.garment)),
        format!("{:+.1} cm", 100.0 * zone.ease),
        meant(&zone.meant),
        stretch(zone.stretch),
        most(zone.most_stretch, LEAST_STRETCH, &stretch),
        pressure(zone.pressure),
        most(zone.most_pressure, LEAST_PRESSURE, &pressure),
        zone.verdict.word().to_owned(),
    ]
}

/// Strain and pressure [Pa] below which no place is worth telling: they would be printed as 0.
const LEAST_STRETCH: f64 = 5e-4;
const LEAST_PRESSURE: f64 = 5.0;

/// The ease that is meant.
fn meant(meant: &Meant) -> String {
    match *meant {
        Meant::Design(ease) => format!("{:+.1} cm", 100.0 * ease),
        Meant::Usual([least, most]) => format!("{:+.0} to {:+.0} cm", 100.0 * least, 100.0 * most),
    }
}

/// The largest value and where it is; a dash for what is next to nothing.
fn most(extreme: Option<Extreme>, least: f64, told: &dyn Fn(f64) -> String) -> String {
    match extreme {
        Some(extreme) if extreme.value >= least => format!("{} {}", told(extreme.value), extreme.place),
        _ => "–".to_owned(),
    }
}

pub(super) fn cm(metres: f64) -> String {
    format!("{:.1} cm", 100.0 * metres)
}

/// The table of zones in columns of equal width.
fn table(fit: &Fit) -> Vec<String> {
    let rows = std::iter::once(COLUMNS.map(str::to_owned)).chain(fit.zones.iter().map(row));
    let shown = |row: [String; 10]| {
        let cells = row.into_iter().enumerate().filter(|(k, _)| !LEFT_OUT.contains(k));
        cells.map(|(_, cell)| cell).collect::<Vec<_>>()
    };
    aligned(&rows.map(shown).collect::<Vec<_>>())
}

/// Rows as lines: the first column to the left, the others to the right, the last as it is.
pub(super) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &[String], k: usize| row.get(k).cloned().unwrap_or_default();
    let width = |k: usize| rows.iter().map(|row| cell(row, k).chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = widths.iter().enumerate().map(|(k, width)| match cell(row, k) {
            text if k == 0 => format!("{text:<width$}"),
            text if k + 1 == columns => text,
            text => format!("{text:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Lengths, hem and largest values.
pub(super) fn measures(fit: &Fit) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = fit
        .lengths
        .iter()
        .map(|length| {
            let cut = length.cut.map_or_else(String::new, |cut| format!(", cut {}", cm(cut)));
            (length.kind.word().to_owned(), format!("{}{cut}", cm(length.worn)))
        })
        .collect();
    if let Some(hem) = &fit.hem {
        let text = format!(
            "{} above the floor, {} wide, {} deep, girth {}, cut {}, {} folds",
            cm(hem.height),
            cm(hem.width),
            cm(hem.depth),
            cm(hem.girth),
            cm(hem.cut),
            hem.folds
        );
        lines.push(("hem".to_owned(), text));
    }
    let peak = |field| fit.peak(field);
    let at = |field| match fit.peak_place(field) {
        Some(place) if fit.peak(field) > 0.0 => format!(" ({place})"),
        _ => String::new(),
    };
    let text = format!(
        "strain {:.1} %{}, shear {:.0}°, stress {:.0} N/m{}, pressure {:.2} kPa{}",
        100.0 * peak(Field::Strain),
        at(Field::Strain),
        peak(Field::StrainShear).to_degrees(),
        peak(Field::StressEquivalent),
        at(Field::StressEquivalent),
        1e-3 * peak(Field::Pressure),
        at(Field::Pressure)
    );
    lines.push(("exceeded by one vertex in a hundred".to_owned(), text));
    lines
}
