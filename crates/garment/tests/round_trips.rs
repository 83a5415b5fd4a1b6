//! Every built-in garment survives every format: geometry to a hundredth of a millimetre, seams to the last stitch.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use toile_body::{Figure, Given, complete};
use toile_garment::draft::{Choices, Design, draft};
use toile_garment::dxf::{DxfOptions, DxfUnit, from_dxf, to_dxf};
use toile_garment::file::{Unit, from_toml, seams_to_toml, sew_from_toml, to_toml};
use toile_garment::mesh::FlatMesh;
use toile_garment::{Panel, Pattern, Point, garmentcode};

/// Largest distance of a formatted outline from the original [m].
const TOLERANCE: f64 = 1e-5;

fn garments() -> Vec<Pattern> {
    let body = complete(Figure::Female, &Given::NONE);
    Design::ALL.iter().map(|design| draft(*design, &body, &Choices::new()).unwrap()).collect()
}

/// Distance of a point from a polygon.
fn distance(point: Point, polygon: &[Point]) -> f64 {
    let from = |i: usize| {
        let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        let along = b - a;
        let t = ((point - a).dot(along) / along.hypot2().max(1e-300)).clamp(0.0, 1.0);
        point.distance(a + t * along)
    };
    (0..polygon.len()).map(from).fold(f64::INFINITY, f64::min)
}

/// Largest distance of either outline from the other.
fn deviation(a: &Panel, b: &Panel) -> f64 {
    assert_eq!(a.holes.len(), b.holes.len(), "{}", a.name);
    let loops = |panel: &Panel| -> Vec<Vec<Point>> {
        let mut loops: Vec<Vec<Point>> = panel.loops().map(|(_, edges)| Panel::flatten(edges, 1e-6)).collect();
        loops.sort_by(|p, q| p[0].x.total_cmp(&q[0].x));
        loops
    };
    let mut most = 0.0_f64;
    for (p, q) in loops(a).iter().zip(&loops(b)) {
        for (points, polygon) in [(p, q), (q, p)] {
            most = points
                .iter()
                .step_by(1 + points.len() / 200)
                .map(|point| distance(*point, polygon))
                .fold(most, f64::max);
        }
    }
    most
}

fn assert_same_shapes(a: &Pattern, b: &Pattern) {
    assert_eq!(a.panels.len(), b.panels.len());
    for panel in &a.panels {
        let other = &b.panels[b.find(&panel.name).unwrap_or_else(|| panic!("{} is lost", panel.name))];
        let far = deviation(panel, other);
        assert!(far < TOLERANCE, "{} {}: {:.4} mm", a.name, panel.name, 1e3 * far);
    }
}

/// What sewing gives: parts, borders, Euler characteristic.
fn shape_when_sewn(pattern: &Pattern) -> (usize, usize, isize) {
    let sewn = FlatMesh::new(pattern, 0.02).unwrap().sewn();
    assert!(sewn.is_manifold(), "{}", pattern.name);
    (sewn.part_count, sewn.borders.len(), sewn.euler_characteristic())
}

#[test]
fn toml_in_metres_is_exact_and_in_centimetres_to_a_nanometre() {
    for pattern in garments() {
        let read = from_toml("p.toml", &to_toml(&pattern, Unit::Metre)).unwrap();
        assert!(read.repairs.is_empty(), "{:?}", read.repairs);
        assert_eq!(read.pattern, pattern);
        for unit in [Unit::Centimetre, Unit::Millimetre] {
            let read = from_toml("p.toml", &to_toml(&pattern, unit)).unwrap().pattern;
            assert_same_shapes(&pattern, &read);
            assert_eq!(read.seams, pattern.seams);
        }
    }
}

#[test]
fn garmentcode_keeps_shapes_and_seams() {
    for pattern in garments() {
        let whole = pattern.whole().unwrap();
        let text = garmentcode::to_json(&pattern).unwrap();
        let read = garmentcode::from_json("p.json", text.as_bytes()).unwrap();
        assert!(read.repairs.is_empty(), "{}: {:?}", pattern.name, read.repairs);
        assert_same_shapes(&whole, &read.pattern);
        assert_eq!(shape_when_sewn(&pattern), shape_when_sewn(&read.pattern), "{}", pattern.name);
    }
}

#[test]
fn dxf_keeps_shapes_names_folds_and_notches_and_a_side_file_the_seams() {
    for pattern in garments() {
        let read = from_dxf("p.dxf", to_dxf(&pattern, "M").as_bytes(), &DxfOptions::default()).unwrap();
        assert!(read.repairs.is_empty(), "{}: {:?}", pattern.name, read.repairs);
        assert_eq!((read.size.as_str(), read.unit, read.notes.len()), ("M", DxfUnit::Millimetre, 0));
        assert_same_shapes(&pattern, &read.pattern);
        for (panel, other) in pattern.panels.iter().zip(&read.pattern.panels) {
            assert_eq!(panel.cut, other.cut, "{} {}", pattern.name, panel.name);
            assert_eq!(panel.part, other.part);
            assert!((panel.warp() - other.warp()).hypot() < 1e-6);
            let places = |panel: &Panel| -> Vec<Point> {
                panel.notches.iter().map(|n| panel.segment(n.edge).unwrap().at_fraction(n.at)).collect()
            };
            for (p, q) in places(panel).iter().zip(&places(other)) {
                assert!(p.distance(*q) < TOLERANCE);
            }
        }
        assert_eq!(read.pattern.seams, pattern.seams, "{}", pattern.name);
        let bare = Pattern { seams: Vec::new(), ..read.pattern };
        let sewn = sew_from_toml(&bare, "seams.toml", &seams_to_toml(&pattern)).unwrap();
        assert!(sewn.repairs.is_empty(), "{:?}", sewn.repairs);
        assert_eq!(shape_when_sewn(&pattern), shape_when_sewn(&sewn.pattern), "{}", pattern.name);
        // And on through the other formats, polylines and all.
        let on = garmentcode::from_json("p.json", garmentcode::to_json(&sewn.pattern).unwrap().as_bytes()).unwrap();
        assert_same_shapes(&sewn.pattern.whole().unwrap(), &on.pattern);
        assert_eq!(shape_when_sewn(&pattern), shape_when_sewn(&on.pattern), "{}", pattern.name);
        let back = from_toml("p.toml", &to_toml(&on.pattern, Unit::Metre)).unwrap();
        assert_eq!(back.pattern, on.pattern);
    }
}
