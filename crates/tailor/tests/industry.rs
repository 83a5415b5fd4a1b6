//! DXF files with the habits of different CAD systems are worn: sewn around a body, all seams closed, judged clean.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../garment/tests/industry/files/mod.rs"]
#[allow(dead_code, reason = "the tests of the patterns use the rest")]
mod files;

use std::ops::ControlFlow;

use toile::Fabric;
use toile_body::{Specification, sizes};
use toile_garment::Pattern;
use toile_garment::draft::{Choices, Design, draft};
use toile_garment::dxf::{DxfOptions, to_dxf, wear_bytes};
use toile_tailor::fit::{Fit, FitInput, GarmentKind, Intention};
use toile_tailor::{Garment, TryOn, Wearer};

use files::{Case, cases};

/// Distance between vertices [m]: coarse, for what can be told is the same. Collars need more to bend around a neck.
const DISTANCE: f64 = 0.035;
const DISTANCE_OF_MANY: f64 = 0.025;

/// Puts a file on; `Err` says why it is not worn as it should be.
fn wear(case: &Case, wearer: &Wearer) -> Result<(), String> {
    let distance = if case.is_slow { DISTANCE_OF_MANY } else { DISTANCE };
    let worn =
        wear_bytes(case.name, case.text.as_bytes(), &DxfOptions::default()).map_err(|error| error.to_string())?;
    let garment = Garment { distance, ..Garment::new(worn.pattern, Fabric::default()) };
    let wish = TryOn { most_time: 0.25, ..TryOn::new(garment, wearer.clone()) };
    let worn = wish.run(&mut |_| ControlFlow::Continue(())).map_err(|error| error.to_string())?;
    let report = &worn.report;
    let told = format!(
        "{} vertices, gap {:.2} mm, stretch {:.2}, slipped {:?}",
        report.vertices,
        1e3 * report.largest_gap,
        report.sewn_stretch,
        report.slipped
    );
    if !report.verdict.is_clean() {
        return Err(format!("{} intersections: {told}", report.verdict.total()));
    }
    if report.largest_gap > 1.5e-3 || !report.slipped.is_empty() || report.fallen {
        return Err(told);
    }
    Ok(())
}

fn all_worn(slow: bool) {
    let size = Specification { triangles: 4_000, ..sizes::named("woman-38").unwrap() };
    let wearer = Wearer::mannequin("body", &size).unwrap();
    let mut failed = Vec::new();
    for case in cases().iter().filter(|case| case.is_slow == slow) {
        if let Err(why) = wear(case, &wearer) {
            failed.push(format!("{}: {why}", case.name));
        }
    }
    assert!(failed.is_empty(), "{} are not worn:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn simple_files_are_worn() {
    all_worn(false);
}

#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_files_of_many_panels_are_worn() {
    all_worn(true);
}

/// Girths of a garment as it is worn, by zone [m].
fn girths(pattern: Pattern, wearer: &Wearer) -> Vec<(&'static str, f64)> {
    let garment = Garment { distance: 0.03, ..Garment::new(pattern, Fabric::default()) };
    let fabric = garment.fabric.clone();
    let wish = TryOn { most_time: 0.5, ..TryOn::new(garment, wearer.clone()) };
    let worn = wish.run(&mut |_| ControlFlow::Continue(())).unwrap();
    let garment = &worn.garments[0];
    let fit = Fit::of(&FitInput {
        x: &garment.x,
        triangles: &garment.welded.mesh.triangles,
        cut: &garment.welded.flat,
        borders: &garment.flat.sewn().borders,
        fabric: &fabric,
        fabrics: &[],
        body: &wearer.mesh,
        landmarks: &wearer.figuring.landmarks,
        meant: Intention::Usual(GarmentKind::of(&worn.garments[0].asked.pattern)),
    });
    fit.zones.iter().map(|zone| (zone.name(), zone.garment)).collect()
}

/// Drafts garments, writes them as DXF and reads them back: both are worn with the same girths to a millimetre.
fn own_files_fit_like_the_draft(designs: &[Design]) {
    let size = Specification { triangles: 4_000, ..sizes::named("woman-38").unwrap() };
    let wearer = Wearer::mannequin("body", &size).unwrap();
    for design in designs {
        let drafted = draft(*design, &wearer.figuring.measurements, &Choices::new()).unwrap();
        let text = to_dxf(&drafted, "38");
        let read = wear_bytes("own.dxf", text.as_bytes(), &DxfOptions::default()).unwrap().pattern;
        let (own, back) = (girths(drafted, &wearer), girths(read, &wearer));
        assert!(!own.is_empty() && own.len() == back.len(), "{}", design.word());
        for ((zone, a), (_, b)) in own.iter().zip(&back) {
            assert!((a - b).abs() < 1e-3, "{} {zone}: {a} {b}", design.word());
        }
    }
}

#[test]
fn a_tank_top_from_dxf_fits_like_its_draft() {
    own_files_fit_like_the_draft(&[Design::TankTop]);
}

/// A known gap: the folds of a circle skirt fall otherwise, and the tape at its hip reads 7 mm more.
#[test]
#[ignore = "a known gap: the circle skirt is 7 mm off; run by hand in release"]
fn gap_garments_from_dxf_fit_like_their_drafts() {
    let flat = [Design::Tablecloth, Design::RoundTablecloth];
    let worn: Vec<Design> = Design::ALL.iter().copied().filter(|design| !flat.contains(design)).collect();
    own_files_fit_like_the_draft(&worn);
}
