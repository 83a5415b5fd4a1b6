//! What is said about a garment that was put on.

use std::path::Path;

use serde_json::{Value, json};
use toile::garment::{TryOn, TryOnReport};

use super::told;
use crate::args::Global;
use crate::say;

/// The report with what was asked for.
pub(super) fn json(folder: &Path, wish: &TryOn, report: &TryOnReport) -> Value {
    json!({
        "folder": folder,
        "garment": wish.garments[0].pattern.name,
        "fabric": wish.garments[0].cloth.fabric,
        "distance": wish.garments[0].distance,
        "report": report,
    })
}

pub(super) fn tell(folder: &Path, wish: &TryOn, report: &TryOnReport, global: &Global) {
    if global.json {
        say(json(folder, wish, report));
        return;
    }
    for line in lines(wish, report) {
        told(line, global);
    }
    told(format!("written to {}", folder.display()), global);
}

fn lines(wish: &TryOn, report: &TryOnReport) -> Vec<String> {
    let mm = |metres: f64| format!("{:.1} mm", 1e3 * metres);
    let untangled = match report.untangled {
        0 => String::new(),
        n => format!(", {n} intersections untangled"),
    };
    let rest = match (report.settled, report.fallen) {
        (true, _) => "settled after",
        (false, false) => "NOT settled after",
        (false, true) => "FELL off the body within",
    };
    let phases = &report.phases;
    let verdict = &report.verdict;
    vec![
        format!(
            "{} of {}: {} panels, {} vertices, {} triangles",
            wish.garments[0].pattern.name,
            wish.garments[0].cloth.fabric,
            report.panels,
            report.vertices,
            report.triangles
        ),
        format!(
            "  sewn: {} stitches drawn from {} to {} in {:.2} s, welded{untangled}",
            report.stitches,
            mm(report.first_gap),
            mm(report.largest_gap),
            report.sewing_time
        ),
        format!(
            "  draped: {rest} {:.2} s, last way {}, longest edge {:.3} of its length",
            report.draping_time,
            mm(report.last_way),
            report.largest_stretch
        ),
        format!("  judged: {} intersections with itself, {} with the body", verdict.cloth, verdict.obstacles),
        format!(
            "  clock: mesh {:.2} s, place {:.2} s, sew {:.1} s, weld {:.2} s, drape {:.1} s",
            phases.mesh, phases.place, phases.sew, phases.weld, phases.drape
        ),
    ]
}
