//! Bending energies as a whole: derivatives, second derivatives on any mesh, plates and a hanging strip against theory.

mod cantilever;
mod derivatives;
mod meshes;
mod operator;
mod plate;
mod solve;
mod table;

use std::path::Path;

use cantilever::Strip;
use meshes::Kind;
use plate::{Operator, Plate};

#[test]
fn imposed_curvature_has_the_energy_of_the_plate() {
    let exact = [1.0, 1.0, 0.0, 2.0, 1.0, 1.0];
    for kind in Kind::ALL {
        let found = table::fit_row(kind);
        assert!(found.iter().zip(exact).all(|(f, e)| (f - e).abs() < 1e-6), "{kind:?} {found:?}");
    }
}

/// Numbers of an independent computation; the jittered mesh was another one there.
#[test]
fn the_hinge_depends_on_the_mesh_as_computed_elsewhere() {
    let expected = [
        (Kind::Right, [1.01, 1.01, 0.00, 5.94, 3.00, 0.98]),
        (Kind::Alternating, [1.01, 1.01, 0.00, 3.91, 1.48, 1.48]),
        (Kind::Crossed, [1.52, 1.52, -0.53, 1.98, 0.99, 0.99]),
        (Kind::Equilateral, [0.99, 1.03, -0.34, 2.63, 0.99, 0.99]),
    ];
    for (kind, expected) in expected {
        let found = table::hinge_row(kind);
        assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 0.04 + 0.03 * e.abs()), "{kind:?} {found:?}");
    }
    let jittered = table::hinge_row(Kind::Jittered);
    let elsewhere = [1.21, 1.22, -0.44, 3.24, 1.19, 1.20];
    assert!(jittered.iter().zip(elsewhere).all(|(f, e)| (f - e).abs() < 0.15 * e.abs()), "{jittered:?}");
}

#[test]
fn plates_converge_to_theory_on_every_mesh() {
    let rows = table::plates();
    for r in rows.iter().filter(|r| r.n == 32) {
        assert!((r.clamped - 1.0).abs() < 0.02, "{:?} clamped {}", r.kind, r.clamped);
        assert!((r.supported - 1.0).abs() < 0.002, "{:?} supported {}", r.kind, r.supported);
    }
    for pair in rows.windows(2).filter(|p| p[0].kind == p[1].kind) {
        let better = (pair[1].clamped - 1.0).abs() < 0.6 * (pair[0].clamped - 1.0).abs();
        assert!(better, "{:?} {} {}", pair[1].kind, pair[0].clamped, pair[1].clamped);
    }
}

#[test]
fn orthotropic_plates_bend_and_twist_with_their_own_rigidities() {
    for rigidity in [[4.0, 1.0, 1.0], [1.0, 3.0, 0.2], [1.0, 1.0, 5.0]] {
        for kind in plate::KINDS {
            let plate = Plate { kind, n: 16, supported: true, rigidity };
            let ratio = plate.centre(Operator::Bend) / plate.exact();
            assert!((ratio - 1.0).abs() < 0.02, "{kind:?} {rigidity:?} {ratio}");
        }
    }
}

#[test]
fn a_strip_hangs_as_the_elastica_does() {
    let exact = [0.12456, 1.06680, 5.8881];
    // One cell wide, no triangle determines a quadratic; bending along the strip is right nevertheless.
    let strips = plate::KINDS.map(|kind| (kind, 2));
    for (kind, wide) in strips.into_iter().chain([(Kind::Alternating, 1)]) {
        let found = Strip::new(kind, [80, wide]).drop_over_reach(&[1.0, 10.0, 100.0]);
        assert!(found.iter().zip(exact).all(|(f, e)| (f / e - 1.0).abs() < 0.01), "{kind:?} {wide} {found:?}");
    }
}

#[test]
fn the_page_about_bending_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bending.md");
    let page = table::page();
    if std::env::var_os("TOILE_WRITE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(table::same(&page, &written), "docs/bending.md is out of date; run the tests with TOILE_WRITE_DOCS=1");
}
