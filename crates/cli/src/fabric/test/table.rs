//! What the laboratory found, as text.

use std::fmt::Write;

use toile_scene::lab::Reading;

use super::{Tested, drape_verdict};
use crate::fabric::short;

pub(super) const HEADER: [&str; 6] = ["test", "quantity", "typed in", "read back", "difference", "verdict"];

/// One row per reading: test, quantity, typed in, read back, difference, verdict.
pub(super) fn rows(tested: &Tested) -> Vec<[String; 6]> {
    let reading = |(kind, reading, at_rest): (toile_scene::lab::TestKind, Reading, bool)| {
        let (unit, factor) = reading.unit.usual();
        let verdict = match (at_rest, reading.is_within()) {
            (false, _) => "not at rest".to_owned(),
            (true, true) => "good".to_owned(),
            (true, false) => format!("beyond {} %", short(100.0 * reading.tolerance)),
        };
        [
            kind.name().to_owned(),
            quantity(&reading),
            format!("{} {unit}", short(reading.typed / factor)).trim_end().to_owned(),
            format!("{} {unit}", short(reading.read / factor)).trim_end().to_owned(),
            format!("{:+.2} %", 100.0 * reading.difference()),
            verdict,
        ]
    };
    let mut rows: Vec<[String; 6]> = tested.test.readings().into_iter().map(reading).collect();
    if let Some(drape) = &tested.test.drape {
        let band = tested.band();
        let [low, high] = drape.range();
        rows.push([
            "drape".to_owned(),
            "DC".to_owned(),
            band.map_or(String::new(), |b| format!("band {:.0} to {:.0} %", b.range[0], b.range[1])),
            format!("{:.1} % ({low:.0} to {high:.0})", drape.coefficient()),
            String::new(),
            drape_verdict(drape, band).0.to_owned(),
        ]);
    }
    rows
}

/// Symbol and direction.
pub(super) fn quantity(reading: &Reading) -> String {
    reading.direction.map_or(reading.symbol.to_owned(), |d| format!("{} {}", reading.symbol, d.name()))
}

pub(super) fn text(tested: &Tested) -> String {
    let rows: Vec<[String; 6]> = std::iter::once(HEADER.map(str::to_owned)).chain(rows(tested)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut out = format!("{}\n", tested.named.name);
    for row in &rows {
        let mut line = String::new();
        for (k, (cell, width)) in row.iter().zip(widths).enumerate() {
            // Numbers stand right, words left.
            let _ =
                if (2..5).contains(&k) { write!(line, "{cell:>width$}  ") } else { write!(line, "{cell:<width$}  ") };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if let Some(drape) = &tested.test.drape {
        let _ = writeln!(
            out,
            "drape: mean of {} runs, {:.1} folds, {} pairs of triangles intersect",
            drape.runs.len(),
            drape.nodes(),
            drape.intersections()
        );
    }
    let _ = write!(out, "{:.1} s", tested.seconds);
    out
}

/// The readings in one line, for lists of many fabrics.
pub(super) fn line(tested: &Tested) -> String {
    let mut line = format!("{:<18} {:<24}", tested.named.name, worst(tested));
    if let Some(drape) = &tested.test.drape {
        let verdict = drape_verdict(drape, tested.band()).0;
        let _ = write!(line, " DC {:>5.1} %  {:>4.1} folds  {verdict:<12}", drape.coefficient(), drape.nodes());
    }
    let _ = write!(line, " {:.1} s", tested.seconds);
    line
}

/// The largest difference of all readings relative to its tolerance.
pub(super) fn worst(tested: &Tested) -> String {
    let readings = tested.test.readings();
    let share = |r: &Reading| (r.difference() / r.tolerance).abs();
    let worst = readings.iter().max_by(|a, b| share(&a.1).total_cmp(&share(&b.1)));
    worst.map_or(String::new(), |(kind, r, _)| {
        format!("{} {} {:+.2} %", kind.name(), quantity(r), 100.0 * r.difference())
    })
}
