//! Every built-in garment survives every format: geometry to a hundredth of a millimetre, seams to the last stitch.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use toile_body::{Figure, Given, Mannequin, Specification, complete, draft as draft_body};
use toile_garment::draft::{Choices, Design, draft};
use toile_garment::dxf::{DxfOptions, DxfUnit, from_dxf, to_dxf, to_dxf_with_allowances};
use toile_garment::file::{Unit, from_toml, seams_to_toml, sew_from_toml, to_toml};
use toile_garment::mesh::FlatMesh;
use toile_garment::place::place;
use toile_garment::sheet::{SheetOptions, matched_notches};
use toile_garment::{Around, Bend, Limb, Panel, Pattern, Placement, Point, Stand, garmentcode};

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

/// Both patterns become the same triangles, seams and places on a body, to a hundredth of a millimetre.
fn assert_worn_alike(a: &Pattern, b: &Pattern, body: &Mannequin) {
    let [p, q] = [a, b].map(|pattern| FlatMesh::new(pattern, 0.02).unwrap());
    assert_eq!(p.panels.len(), q.panels.len(), "{}", a.name);
    for (x, y) in p.panels.iter().zip(&q.panels) {
        assert_eq!((&x.name, x.first, &x.triangles), (&y.name, y.first, &y.triangles), "{}", a.name);
        let far = x.positions.iter().zip(&y.positions).map(|(x, y)| x.distance(*y)).fold(0.0, f64::max);
        assert!(far < TOLERANCE && x.warp.distance(y.warp) < 1e-9, "{} {}: {far}", a.name, x.name);
    }
    for (x, y) in p.seams.iter().zip(&q.seams) {
        assert_eq!((&x.name, &x.stitches), (&y.name, &y.stitches), "{}", a.name);
    }
    let [x, y] = [&p, &q].map(|mesh| place(mesh, &body.mesh, &body.landmarks).unwrap());
    let far = x.positions.iter().zip(&y.positions).map(|(x, y)| x.distance(*y)).fold(0.0, f64::max);
    assert!(far < TOLERANCE && x.intersections == y.intersections, "{}: {far}", a.name);
}

#[test]
fn what_is_read_back_is_meshed_and_placed_as_what_was_drafted() {
    let given = Specification::new(Figure::Female, Given::NONE);
    let body = draft_body(&Specification { triangles: 4_000, ..given }).unwrap();
    for design in Design::ALL {
        let pattern = draft(*design, &body.measurements, &Choices::new()).unwrap();
        let json = garmentcode::to_json(&pattern).unwrap();
        let read = garmentcode::from_json("p.json", json.as_bytes()).unwrap().pattern;
        let whole = pattern.whole().unwrap();
        for (panel, other) in whole.panels.iter().zip(&read.panels) {
            assert_eq!(
                (&panel.outline, &panel.holes),
                (&other.outline, &other.holes),
                "{} {}",
                pattern.name,
                panel.name
            );
        }
        assert_worn_alike(&pattern, &read, &body);
        let toml = to_toml(&pattern, Unit::Metre);
        assert_worn_alike(&pattern, &from_toml("p.toml", &toml).unwrap().pattern, &body);
    }
}

#[test]
fn placements_fabrics_and_layers_survive() {
    let body = complete(Figure::Female, &Given::NONE);
    let mut pattern = draft(Design::Shirt, &body, &Choices::new()).unwrap();
    let stand = Stand { translation: [0.1, 1.2, -0.3], rotation: [0.1, -0.7, 2.0] };
    let places = [
        Placement::Fixed { stand, bend: None },
        Placement::Fixed { stand, bend: Some(Bend { radius: 0.2, turn: 0.3 }) },
        Placement::About(stand),
        Placement::Around(Around { limb: Limb::LeftArm, angle: 0.5, along: -0.3, radius: None }),
        Placement::Around(Around { limb: Limb::Trunk, angle: 0.0, along: 0.1, radius: Some(0.25) }),
    ];
    for place in places {
        pattern.panels[0].placement = Some(place);
        pattern.panels[0].fabric = "denim".to_owned();
        pattern.panels[0].layer = 2;
        let read = from_toml("p.toml", &to_toml(&pattern, Unit::Metre)).unwrap().pattern;
        assert_eq!(read, pattern);
        let json = garmentcode::to_json(&pattern).unwrap();
        let read = garmentcode::from_json("p.json", json.as_bytes()).unwrap().pattern;
        let whole = pattern.whole().unwrap();
        assert_eq!((read.panels[0].fabric.as_str(), read.panels[0].layer), ("denim", 2));
        for (panel, other) in whole.panels.iter().zip(&read.panels) {
            // The format has flat places; bent panels are placed by their part.
            match (panel.placement, other.placement) {
                (Some(Placement::Fixed { stand: a, bend: None }), Some(Placement::Fixed { stand: b, bend: None }))
                | (Some(Placement::About(a)), Some(Placement::About(b))) => {
                    let point = Point::new(0.3, 0.4);
                    assert!(a.at(point).distance(b.at(point)) < 1e-9, "{}", panel.name);
                }
                (Some(Placement::Fixed { bend: Some(_), .. } | Placement::Around(_)) | None, None) => {}
                other => panic!("{}: {other:?}", panel.name),
            }
        }
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

/// With allowances, sew lines come back, those of holes too, and notches on the cut lines of wide hems; also from programs that drop
/// comments.
#[test]
fn dxf_with_allowances_keeps_holes_and_notches() {
    let (mut holes, mut notches) = (0, 0);
    for pattern in garments() {
        let text = to_dxf_with_allowances(&pattern, &SheetOptions::default()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let kept = lines.chunks(2).filter(|pair| pair[0].trim() != "999").flatten();
        let bare: String = kept.flat_map(|line| [*line, "\n"]).collect();
        let read = from_dxf("p.dxf", bare.as_bytes(), &DxfOptions::default()).unwrap().pattern;
        assert_same_shapes(&pattern, &read);
        for ((panel, other), matched) in pattern.panels.iter().zip(&read.panels).zip(matched_notches(&pattern)) {
            assert_eq!(panel.holes.len(), other.holes.len(), "{} {}", pattern.name, panel.name);
            holes += panel.holes.len();
            let place = |panel: &Panel, edge: usize, at: f64| panel.segment(edge).unwrap().at_fraction(at);
            for notch in &matched {
                let at = place(panel, notch.edge, notch.at);
                let far = other.notches.iter().map(|n| place(other, n.edge, n.at).distance(at));
                let far = far.fold(f64::INFINITY, f64::min);
                assert!(far < 1e-3, "{} {}: {far}", pattern.name, panel.name);
                notches += 1;
            }
        }
    }
    assert!(holes > 0 && notches > 20, "{holes} {notches}");
}
