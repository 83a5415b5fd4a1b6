//! Garments stand around bodies without touching them or themselves, outer side out, bent but not strained.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use toile_body::{Figure, Given, Mannequin, Measurement as M, Specification, draft as draft_body};
use toile_garment::draft::{Choices, Design, Size, draft};
use toile_garment::mesh::FlatMesh;
use toile_garment::place::{PlaceError, Placed, place};
use toile_garment::{Around, Curve, Edge, Limb, Panel, Part, Pattern, Placement, Point, Stand};
use toile_mesh::{DVec3, generate};

fn mannequin(figure: Figure, given: &Given) -> Mannequin {
    draft_body(&Specification { triangles: 6_000, ..Specification::new(figure, *given) }).unwrap()
}

/// Largest relative change of an edge's length, and the widest gap of a seam [m].
fn strain_and_gap(mesh: &FlatMesh, placed: &Placed) -> (f64, f64) {
    let at = |v: u32| placed.positions[v as usize];
    let mut strain = 0.0_f64;
    for panel in &mesh.panels {
        for t in &panel.triangles {
            for k in 0..3 {
                let [a, b] = [t[k], t[(k + 1) % 3]];
                let flat = panel.positions[a as usize].distance(panel.positions[b as usize]);
                strain = strain.max((at(panel.first + a).distance(at(panel.first + b)) / flat - 1.0).abs());
            }
        }
    }
    let gaps = mesh.seams.iter().flat_map(|seam| &seam.stitches).map(|[a, b]| at(*a).distance(at(*b)));
    (strain, gaps.fold(0.0, f64::max))
}

/// Share of triangles whose outer side looks away from the vertical axis of the body, or of a leg `leg` [m] beside it, or up.
fn outward(mesh: &FlatMesh, placed: &Placed, leg: f64, wanted: impl Fn(Part) -> bool) -> f64 {
    let (mut out, mut all) = (0_u32, 0_u32);
    for (panel, drawn) in mesh.panels.iter().zip(&mesh.pattern.panels).filter(|(_, drawn)| wanted(drawn.part)) {
        let is_leg = matches!(drawn.part, Part::LegFront | Part::LegBack);
        for t in &panel.triangles {
            let [a, b, c] = t.map(|v| placed.positions[(panel.first + v) as usize]);
            let normal = (b - a).cross(c - a);
            let middle = (a + b + c) / 3.0;
            let axis = if is_leg { leg * middle.x.signum() } else { 0.0 };
            let away = DVec3::new(middle.x - axis, 0.0, middle.z);
            out += u32::from(normal.dot(away) + 1e-9 * normal.y > 0.0);
            all += 1;
        }
    }
    f64::from(out) / f64::from(all)
}

#[test]
fn every_design_is_placed_without_intersections_and_without_strain() {
    let size = Size::Xxl.measurements(Figure::Female);
    let wide = [M::Bust, M::Waist, M::Hip].into_iter().fold(Given::NONE, |given, m| given.with(m, size[m]));
    for (figure, given) in [(Figure::Female, Given::NONE), (Figure::Male, Given::NONE), (Figure::Female, wide)] {
        let body = mannequin(figure, &given);
        for design in Design::ALL {
            let mesh = FlatMesh::new(&draft(*design, &body.measurements, &Choices::new()).unwrap(), 0.02).unwrap();
            let placed = place(&mesh, &body.mesh, &body.landmarks).unwrap();
            assert_eq!(placed.intersections, 0, "{figure:?} {}", design.word());
            let (strain, gap) = strain_and_gap(&mesh, &placed);
            // Chords of 20 mm edges around the corners of a hull or over the waves of a cone are shorter than their arcs.
            assert!(strain < 0.12 && gap < 0.5, "{figure:?} {}: {strain} {gap}", design.word());
            let lowest = placed.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.0, "{figure:?} {}: {lowest}", design.word());
            let around = |part| !matches!(part, Part::Sleeve | Part::Cuff | Part::Cape | Part::Flat);
            if mesh.pattern.panels.iter().any(|panel| around(panel.part)) {
                assert!(outward(&mesh, &placed, body.landmarks.thigh.x, around) > 0.97, "{figure:?} {}", design.word());
            }
        }
    }
}

#[test]
fn left_panels_are_on_the_left_and_fronts_in_front() {
    let body = mannequin(Figure::Female, &Given::NONE);
    let mesh = FlatMesh::new(&draft(Design::Shirt, &body.measurements, &Choices::new()).unwrap(), 0.02).unwrap();
    let placed = place(&mesh, &body.mesh, &body.landmarks).unwrap();
    let middle = |name: &str| {
        let panel = mesh.panels.iter().find(|panel| panel.name == name).unwrap();
        let first = panel.first as usize;
        let all = &placed.positions[first..first + panel.positions.len()];
        all.iter().sum::<DVec3>() / all.len() as f64
    };
    assert!(middle("front_left").x > 0.05 && middle("front_right").x < -0.05);
    assert!(middle("front_left").z > 0.03 && middle("back").z < -0.03);
    assert!(middle("sleeve_left").x > 0.2 && middle("sleeve_right").x < -0.2);
    assert!(middle("cuff_left").x > middle("sleeve_left").x);
    assert!(middle("collar").y > middle("back").y);
}

#[test]
fn legs_are_around_their_own_leg() {
    for figure in [Figure::Female, Figure::Male] {
        let body = mannequin(figure, &Given::NONE);
        let mesh = FlatMesh::new(&draft(Design::Trousers, &body.measurements, &Choices::new()).unwrap(), 0.02).unwrap();
        let placed = place(&mesh, &body.mesh, &body.landmarks).unwrap();
        for panel in &mesh.panels {
            let way = if panel.name.ends_with("left") { 1.0 } else { -1.0 };
            let first = panel.first as usize;
            let all = &placed.positions[first..first + panel.positions.len()];
            assert!(all.iter().all(|p| way * p.x > 0.0), "{figure:?} {}", panel.name);
            // The fork is beyond the middle of the thigh, on its inside.
            let fork = all.iter().map(|p| way * p.x).fold(f64::INFINITY, f64::min);
            assert!(fork < 0.25 * body.landmarks.thigh.x, "{figure:?} {}: {fork}", panel.name);
        }
        // Both inseams are drawn together between the legs: no straight line between their sides passes the middle of the leg.
        for seam in mesh.seams.iter().filter(|seam| seam.name.starts_with("inseam_thigh")) {
            for v in seam.stitches.iter().flatten() {
                assert!(placed.positions[*v as usize].x.abs() < 0.5 * body.landmarks.thigh.x, "{}", seam.name);
            }
        }
    }
}

#[test]
fn capes_and_ponchos_lie_around_the_neck() {
    let body = mannequin(Figure::Female, &Given::NONE);
    for design in [Design::Cape, Design::Poncho] {
        let mesh = FlatMesh::new(&draft(design, &body.measurements, &Choices::new()).unwrap(), 0.02).unwrap();
        let placed = place(&mesh, &body.mesh, &body.landmarks).unwrap();
        let highest = placed.positions.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        let (neck, crown) = (body.landmarks.neck_sides[0].y, body.landmarks.crown.y);
        assert!(highest >= neck && highest < neck + 0.4 * (crown - neck), "{}: {highest}", design.word());
    }
}

#[test]
fn stated_places_are_taken_and_unknown_parts_refused() {
    let body = mannequin(Figure::Male, &Given::NONE);
    let mut pattern = draft(Design::Tablecloth, &body.measurements, &Choices::new()).unwrap();
    pattern.panels[0].part = Part::Other;
    let mesh = FlatMesh::new(&pattern, 0.05).unwrap();
    let refused = place(&mesh, &body.mesh, &body.landmarks).unwrap_err();
    assert_eq!(refused, PlaceError::NoPart { panel: "tablecloth".to_owned() });
    // Turned about x by 90°, y becomes z; moved 3 m up.
    let turn = [std::f64::consts::FRAC_PI_2, 0.0, 0.0];
    pattern.panels[0].placement =
        Some(Placement::Fixed { stand: Stand { translation: [0.0, 3.0, 0.0], rotation: turn }, bend: None });
    let mesh = FlatMesh::new(&pattern, 0.05).unwrap();
    let placed = place(&mesh, &generate::icosphere(0.2, 1), &body.landmarks).unwrap();
    for (flat, at) in mesh.panels[0].positions.iter().zip(&placed.positions) {
        assert!(at.distance(DVec3::new(flat.x, 3.0, flat.y)) < 1e-12);
    }
    assert_eq!(placed.intersections, 0);
}

/// A square of 20 cm that is drawn around its origin.
fn square(placement: Placement) -> Pattern {
    let p = Point::new;
    let corners = [p(-0.1, -0.1), p(0.1, -0.1), p(0.1, 0.1), p(-0.1, 0.1)];
    let outline = corners.iter().enumerate().map(|(k, at)| Edge::new(format!("e{k}"), *at, Curve::Line)).collect();
    let mut panel = Panel::new("square", outline);
    panel.placement = Some(placement);
    Pattern { name: "square".to_owned(), panels: vec![panel], seams: Vec::new() }
}

#[test]
fn panels_bend_around_the_limb_they_name() {
    let body = mannequin(Figure::Female, &Given::NONE);
    let at = &body.landmarks;
    for limb in Limb::ALL {
        for radius in [None, Some(0.5)] {
            let around = Around { limb: *limb, angle: 0.0, along: -0.15, radius };
            // Above the shoulders for the neck, below the crotch for legs.
            let around = if *limb == Limb::Neck { Around { along: 0.12, ..around } } else { around };
            let mesh = FlatMesh::new(&square(Placement::Around(around)), 0.02).unwrap();
            let placed = place(&mesh, &body.mesh, at).unwrap();
            assert!(radius.is_some() || placed.intersections == 0, "{limb:?}: {}", placed.intersections);
            let (strain, _) = strain_and_gap(&mesh, &placed);
            assert!(strain < 0.05, "{limb:?}: {strain}");
            let middle = placed.positions.iter().sum::<DVec3>() / placed.positions.len() as f64;
            let (x, y, z) = (middle.x, middle.y, middle.z);
            let is_there = match limb {
                Limb::Trunk => x.abs() < 0.01 && z > 0.1 && (y - at.waist + 0.15).abs() < 0.01,
                Limb::Neck => x.abs() < 0.01 && z > at.neck.point.z && y > at.neck_sides[0].y,
                Limb::LeftArm => x > at.shoulder_points[0].x && y < at.shoulder_points[0].y + 0.5,
                Limb::RightArm => x < at.shoulder_points[1].x && y < at.shoulder_points[1].y + 0.5,
                Limb::LeftLeg => x > 0.02 && z > 0.03 && y < at.crotch.y,
                Limb::RightLeg => x < -0.02 && z > 0.03 && y < at.crotch.y,
                _ => false,
            };
            assert!(is_there, "{limb:?} {radius:?}: {middle}");
        }
    }
}

#[test]
fn some_panels_state_their_place_and_others_find_it() {
    let body = mannequin(Figure::Female, &Given::NONE);
    let mut pattern = draft(Design::ALineSkirt, &body.measurements, &Choices::new()).unwrap();
    let free = FlatMesh::new(&pattern, 0.03).unwrap();
    let by_part = place(&free, &body.mesh, &body.landmarks).unwrap();
    let front = pattern.find("front").unwrap();
    // 40 cm before the body, its waist at the waist.
    let top = pattern.panels[front].bounds().y1;
    let stand = Stand { translation: [0.0, body.landmarks.waist - top, 0.4], rotation: [0.0; 3] };
    pattern.panels[front].placement = Some(Placement::Fixed { stand, bend: None });
    let mesh = FlatMesh::new(&pattern, 0.03).unwrap();
    let placed = place(&mesh, &body.mesh, &body.landmarks).unwrap();
    assert_eq!(placed.intersections, 0);
    for (panel, drawn) in mesh.panels.iter().zip(&mesh.pattern.panels) {
        for (v, p) in panel.positions.iter().enumerate() {
            let v = panel.first as usize + v;
            if drawn.placement.is_some() {
                assert!(placed.positions[v].distance(stand.at(Point::new(p.x, p.y))) < 1e-12);
            } else {
                assert!((placed.positions[v].y - by_part.positions[v].y).abs() < 1e-9 && placed.positions[v].z < 0.3);
            }
        }
    }
    // In the body it is moved out, to its front.
    let stand = Stand { translation: [0.0, body.landmarks.waist - top, 0.0], rotation: [0.0; 3] };
    pattern.panels[front].placement = Some(Placement::Fixed { stand, bend: None });
    let mesh = FlatMesh::new(&pattern, 0.03).unwrap();
    let placed = place(&mesh, &body.mesh, &body.landmarks).unwrap();
    assert_eq!(placed.intersections, 0);
    let moved = placed.positions[mesh.panels[front].first as usize].z;
    assert!(moved > 0.05 && moved < 0.4, "{moved}");
}
