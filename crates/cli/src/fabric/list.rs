//! The table of all fabrics.

use std::f64::consts::FRAC_PI_2;
use std::fmt::Write;

use serde_json::{Value, json};
use toile_scene::fabric::{NamedFabric, library};

use super::short;
use crate::args::Global;
use crate::say;

const HEADER: [&str; 8] = ["name", "weight", "thick", "E·h warp/weft", "G", "B warp/weft", "c warp/weft", "drape"];
const UNITS: [&str; 8] = ["", "g/m²", "mm", "N/m", "N/m", "µN·m", "mm", "%"];

pub(super) fn list(global: &Global) {
    let fabrics = library();
    if global.json {
        say(Value::from(fabrics.iter().map(row_json).collect::<Vec<_>>()));
    } else if !global.quiet {
        say(table(&fabrics));
    }
}

/// One line per fabric; the drape is what radial strips would show.
fn table(fabrics: &[NamedFabric]) -> String {
    let rows: Vec<[String; 8]> =
        [HEADER, UNITS].into_iter().map(|row| row.map(str::to_owned)).chain(fabrics.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(width);
    let descriptions = ["description", ""].into_iter().chain(fabrics.iter().map(|fabric| fabric.description.as_str()));
    let lines = rows.iter().zip(descriptions).map(|(row, description)| {
        let mut line = format!("{:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(widths).skip(1) {
            let _ = write!(line, "  {cell:>width$}");
        }
        format!("{line}  {description}").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn row(named: &NamedFabric) -> [String; 8] {
    let fabric = &named.fabric;
    let pair = |a: f64, b: f64| format!("{}/{}", short(a), short(b));
    [
        named.name.clone(),
        short(1e3 * fabric.areal_density),
        short(1e3 * fabric.thickness),
        pair(fabric.stretch_warp, fabric.stretch_weft),
        short(fabric.shear),
        pair(1e6 * fabric.bend_warp, 1e6 * fabric.bend_weft),
        pair(1e3 * fabric.bending_length(0.0), 1e3 * fabric.bending_length(FRAC_PI_2)),
        format!("{:.0}", 100.0 * fabric.drape_of_strips()),
    ]
}

/// The same in SI units.
fn row_json(named: &NamedFabric) -> Value {
    let fabric = &named.fabric;
    json!({
        "name": named.name,
        "description": named.description,
        "areal_density": fabric.areal_density,
        "thickness": fabric.thickness,
        "stretch": [fabric.stretch_warp, fabric.stretch_weft],
        "shear": fabric.shear,
        "bend": [fabric.bend_warp, fabric.bend_weft],
        "bending_length": [fabric.bending_length(0.0), fabric.bending_length(FRAC_PI_2)],
        "drape_of_strips": fabric.drape_of_strips(),
    })
}
