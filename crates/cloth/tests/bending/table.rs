//! Energies of imposed quadratic surfaces per area, and the page that tells them.

use std::fmt::Write as _;
use std::sync::OnceLock;

use toile_cloth::Fabric;
use toile_cloth::element::{Bend, Element, Hinge};
use toile_mesh::{DVec2, DVec3};

use crate::meshes::{Flat, Kind};
use crate::plate::{self, Operator, Plate};

/// Rigidity 1 in every direction.
pub(crate) fn unit_fabric() -> Fabric {
    Fabric { bend_warp: 1.0, bend_weft: 1.0, bend_twist: 1.0, ..Fabric::default() }
}

/// D11, D22, D12, twist, bending at +45° and −45°, of the plate 1, 1, 0, 2, 1, 1.
pub(crate) fn stiffness<E: Element>(flat: &Flat, elements: &[E]) -> [f64; 6] {
    let area: f64 = flat.areas().sum();
    // Small curvatures, so that angles are slopes.
    let scale = 1e-4;
    let density = |kx: f64, ky: f64, kxy: f64| {
        let height = |p: &DVec2| scale * (0.5 * kx * p.x * p.x + 0.5 * ky * p.y * p.y + kxy * p.x * p.y);
        let x: Vec<DVec3> = flat.rest.iter().map(|p| p.extend(height(p))).collect();
        elements.iter().map(|e| e.energy(&x)).sum::<f64>() / (area * scale * scale)
    };
    let (e1, e2) = (density(1.0, 0.0, 0.0), density(0.0, 1.0, 0.0));
    let bias = |sign: f64| 2.0 * density(0.5, 0.5, 0.5 * sign);
    [2.0 * e1, 2.0 * e2, density(1.0, 1.0, 0.0) - e1 - e2, 2.0 * density(0.0, 0.0, 1.0), bias(1.0), bias(-1.0)]
}

/// A patch of 40 × 40 cells with border and all.
pub(crate) fn patch(kind: Kind) -> Flat {
    Flat::new(kind, DVec2::splat(-0.5), [40, 40], 1.0 / 40.0, [0, 0])
}

pub(crate) fn hinge_row(kind: Kind) -> [f64; 6] {
    let flat = patch(kind);
    stiffness(&flat, &Hinge::all(&flat.triangles, &flat.corners(), &unit_fabric()))
}

pub(crate) fn fit_row(kind: Kind) -> [f64; 6] {
    let flat = patch(kind);
    stiffness(&flat, &Bend::all(&flat.triangles, &flat.corners(), &unit_fabric()))
}

/// Deflections of plates relative to theory: by the library's operator and by the one of six particles.
pub(crate) struct PlateRow {
    pub(crate) kind: Kind,
    pub(crate) n: u32,
    pub(crate) clamped: f64,
    pub(crate) supported: f64,
    six_clamped: f64,
    six_supported: f64,
}

pub(crate) fn plates() -> &'static [PlateRow] {
    static ROWS: OnceLock<Vec<PlateRow>> = OnceLock::new();
    let row = |kind: Kind, n: u32| {
        let ratio = |supported, operator| {
            let plate = Plate { kind, n, supported, rigidity: [1.0; 3] };
            plate.centre(operator) / plate.exact()
        };
        let [clamped, supported] = [false, true].map(|s| ratio(s, Operator::Bend));
        let [six_clamped, six_supported] = [false, true].map(|s| ratio(s, Operator::SixParticles));
        PlateRow { kind, n, clamped, supported, six_clamped, six_supported }
    };
    ROWS.get_or_init(|| plate::KINDS.into_iter().flat_map(|k| [8, 16, 32].map(|n| row(k, n))).collect())
}

/// The page `docs/bending.md`.
pub(crate) fn page() -> String {
    let table = |row: fn(Kind) -> [f64; 6]| {
        let mut text = String::new();
        for kind in Kind::ALL {
            // Rounded first: a zero has no sign.
            let cells = row(kind).map(|v| format!("{:.3}", (v * 1e3).round() / 1e3 + 0.0));
            writeln!(text, "| {} | {} |", kind.name(), cells.join(" | ")).expect("a string has room");
        }
        text
    };
    let mut rows = String::new();
    for r in plates() {
        let cells = [r.clamped, r.supported, r.six_clamped, r.six_supported].map(|v| format!("{v:.3}"));
        writeln!(rows, "| {} | {1} × {1} | {2} |", r.kind.name(), r.n, cells.join(" | ")).expect("a string has room");
    }
    include_str!("page.md")
        .replace("HINGE_TABLE\n", &table(hinge_row))
        .replace("BEND_TABLE\n", &table(fit_row))
        .replace("PLATE_TABLE\n", &rows)
}

/// Whether two texts agree, numbers in tables up to a unit of their last place.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let agree = |(a, b): (&str, &str)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() < 1.5e-3,
        _ => a == b,
    };
    let words = |text: &str| text.split_whitespace().count();
    words(a) == words(b) && a.split_whitespace().zip(b.split_whitespace()).all(agree)
}
