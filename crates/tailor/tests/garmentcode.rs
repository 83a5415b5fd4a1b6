//! Patterns with the features of `GarmentCode` files are put on unaided: parts from names, labels and places, sides from places,
//! panels that touch or stand in the body, gathers, tiers, godets, hoods, lapels, arms held level.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod sketches;

use std::ops::ControlFlow;

use sketches::{Bow, Sketch, bodice, legs, piece, sleeve, tier, waistband};
use toile::Fabric;
use toile_body::{Specification, sizes};
use toile_garment::mesh::FlatMesh;
use toile_garment::place::place;
use toile_garment::{Part, Pattern, garmentcode};
use toile_tailor::{Garment, TryOn, TryOnError, Wearer, Worn};

fn wearer(name: &str) -> Wearer {
    let size = Specification { triangles: 4_000, ..sizes::named(name).unwrap() };
    Wearer::mannequin("body", &size).unwrap()
}

/// Knitted cloth that gives.
fn jersey() -> Fabric {
    Fabric { stretch_warp: 1960.0, stretch_weft: 1090.0, areal_density: 0.18, ..Fabric::default() }
}

fn read(sketch: &Sketch) -> Pattern {
    garmentcode::from_json(sketch.name, sketch.json().as_bytes()).unwrap().pattern
}

fn put_on(sketch: &Sketch, body: &str) -> Result<Worn, TryOnError> {
    let garment = Garment { distance: 0.04, ..Garment::new(read(sketch), jersey()) };
    let wish = TryOn { most_time: 0.3, ..TryOn::new(garment, wearer(body)) };
    wish.run(&mut |_| ControlFlow::Continue(()))
}

/// Puts it on, and checks what holds of everything that is worn: all seams closed, nothing intersects, nothing slipped, and as many borders
/// as the garment has openings.
fn is_worn(sketch: &Sketch, body: &str, openings: usize) -> Worn {
    let worn = put_on(sketch, body).unwrap_or_else(|error| panic!("{} on {body}: {error}", sketch.name));
    let report = &worn.report;
    assert!(report.verdict.is_clean() && report.meeting == 0, "{}: {report:?}", sketch.name);
    assert!(report.largest_gap <= 1e-3 && report.slipped.is_empty(), "{}: {report:?}", sketch.name);
    let sewn = worn.garments[0].flat.sewn();
    assert!(sewn.is_manifold(), "{}", sketch.name);
    assert_eq!((sewn.part_count, sewn.borders.len()), (1, openings), "{}", sketch.name);
    worn
}

fn tee(angle: f64) -> Sketch {
    let mut sketch = Sketch::new("tee");
    bodice(&mut sketch, 24.5);
    sleeve(&mut sketch, 30.0, angle);
    sketch.mirror();
    sketch.close("left_ftorso", 5);
    sketch.close("left_btorso", 0);
    sketch
}

fn tank_top() -> Sketch {
    let mut sketch = Sketch::new("tank-top");
    bodice(&mut sketch, 24.5);
    sketch.mirror();
    sketch.close("left_ftorso", 5);
    sketch.close("left_btorso", 0);
    sketch
}

#[test]
fn halves_that_touch_at_the_centre_and_sleeves_of_two_panels() {
    let worn = is_worn(&tee(50.0), "woman-38", 4);
    let pattern = &worn.garments[0].flat.pattern;
    let part = |name: &str| pattern.panels[pattern.find(name).unwrap()].part;
    assert_eq!(
        (part("left_ftorso"), part("right_btorso"), part("left_sleeve_b")),
        (Part::Front, Part::Back, Part::Sleeve)
    );
}

#[test]
fn arms_held_level_in_metres_and_a_larger_man() {
    let mut sketch = tee(0.0);
    sketch.name = "t-pose";
    sketch.units_in_meter = 1.0;
    is_worn(&sketch, "woman-38", 4);
    // Both units draw the same.
    let (metres, centimetres) = (read(&sketch), read(&tee(0.0)));
    for (a, b) in metres.panels.iter().zip(&centimetres.panels) {
        assert!((a.bounds().width() - b.bounds().width()).abs() < 1e-12 && a.bounds().width() > 0.1);
    }
}

#[test]
fn names_that_say_nothing_and_labels_that_do() {
    let mut sketch = tank_top();
    sketch.name = "nameless";
    let names: Vec<String> = sketch.pieces.iter().map(|piece| piece.name.clone()).collect();
    for (i, name) in names.iter().enumerate() {
        let plain = format!("panel{i}");
        for end in sketch.joints.iter_mut().flat_map(|joint| &mut joint.ends).filter(|end| end.0 == *name) {
            end.0.clone_from(&plain);
        }
        sketch.piece_mut(name).name = plain;
    }
    is_worn(&sketch, "woman-38", 4);
}

#[test]
fn loops_that_all_run_one_way_are_turned_by_where_they_stand() {
    let mut sketch = tank_top();
    sketch.name = "one-way";
    for name in ["left_btorso", "right_btorso"] {
        let back = sketch.piece_mut(name);
        let count = back.vertices.len();
        back.vertices[1..].reverse();
        back.bows.iter_mut().for_each(|(edge, bow)| {
            *edge = count - 1 - *edge;
            *bow = match *bow {
                Bow::Quadratic([u, v]) => Bow::Quadratic([1.0 - u, -v]),
                Bow::Cubic([[u0, v0], [u1, v1]]) => Bow::Cubic([[1.0 - u1, -v1], [1.0 - u0, -v0]]),
                Bow::Circle(radius, right) => Bow::Circle(radius, !right),
            };
        });
        back.labels.iter_mut().for_each(|(edge, _)| *edge = count - 1 - *edge);
        for end in sketch.joints.iter_mut().flat_map(|joint| &mut joint.ends).filter(|end| end.0 == name) {
            end.1 = count - 1 - end.1;
        }
    }
    is_worn(&sketch, "woman-38", 4);
}

#[test]
fn panels_that_stand_in_the_body_of_another_person() {
    let mut sketch = tank_top();
    sketch.name = "too-near";
    for piece in &mut sketch.pieces {
        // Inside the chest, and 15 cm too low for this body.
        piece.translation[2] *= 0.2;
        piece.translation[1] -= 15.0;
    }
    let worn = is_worn(&sketch, "woman-42", 4);
    let at = &worn.world.state().x;
    let highest = at.iter().map(|p| p.y).fold(0.0, f64::max);
    let neck = wearer("woman-42").figuring.landmarks.neck_sides[0].y;
    assert!((highest - neck).abs() < 0.05, "{highest} {neck}");
}

#[test]
fn a_flared_skirt_of_arcs_on_a_waistband_of_two_panels() {
    let mut sketch = Sketch::new("flared");
    waistband(&mut sketch, 38.0);
    // Arcs of 90° whose upper ends are as long as the band.
    let inner = 38.0 / 90.0_f64.to_radians();
    tier(&mut sketch, ["skirt_front", "skirt_back"], 98.0, [inner, inner + 40.0], 90.0);
    sketch.sew("wb_front", 0, "skirt_front", 3);
    sketch.sew("wb_back", 3, "skirt_back", 0);
    let worn = is_worn(&sketch, "woman-38", 2);
    let lowest = worn.world.state().x.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let waist = wearer("woman-38").figuring.landmarks.waist;
    assert!(waist - lowest > 0.25 && waist - lowest < 0.6, "{lowest}");
}

#[test]
fn a_tiered_skirt_that_is_gathered() {
    let mut sketch = Sketch::new("tiered");
    let inner = 38.0 / 80.0_f64.to_radians();
    tier(&mut sketch, ["skirt_front", "skirt_back"], 100.0, [inner, inner + 25.0], 80.0);
    // The lower tier is a third longer than the hem above it.
    let below = 1.33 * (inner + 25.0);
    tier(&mut sketch, ["skirt_front_0", "skirt_back_0"], 70.0, [below, below + 20.0], 80.0);
    sketch.sew("skirt_front", 1, "skirt_front_0", 3);
    sketch.sew("skirt_back", 2, "skirt_back_0", 0);
    for (name, edge) in [("skirt_front", 3), ("skirt_back", 0)] {
        sketch.piece_mut(name).labels.push((edge, "lower_interface"));
    }
    is_worn(&sketch, "woman-38", 2);
}

#[test]
fn a_godet_in_a_slit() {
    let mut sketch = Sketch::new("godet");
    let front = [[-25.0, 0.0], [-1.0, 0.0], [0.0, 25.0], [1.0, 0.0], [25.0, 0.0], [19.0, 45.0], [-19.0, 45.0]];
    let back = [[-25.0, 0.0], [-19.0, 45.0], [19.0, 45.0], [25.0, 0.0]];
    sketch.add(piece("skirt_front", [0.0, 55.0, 20.0], &front).labelled("leg").mark(5, "lower_interface"));
    sketch.add(piece("skirt_back", [0.0, 55.0, -15.0], &back).labelled("leg").mark(1, "lower_interface"));
    sketch.add(piece("ins_skirt_front", [0.0, 55.0, 30.0], &[[-10.0, 0.0], [10.0, 0.0], [0.0, 22.95]]).labelled("leg"));
    sketch.sew("skirt_front", 4, "skirt_back", 2);
    sketch.sew("skirt_front", 6, "skirt_back", 0);
    sketch.sew("skirt_front", 1, "ins_skirt_front", 2);
    sketch.sew("skirt_front", 2, "ins_skirt_front", 1);
    is_worn(&sketch, "woman-38", 2);
}

#[test]
fn a_hood_of_two_sides_that_look_left_and_right() {
    let mut sketch = Sketch::new("hood");
    bodice(&mut sketch, 24.5);
    // A wide neck, as hoods have.
    sketch.piece_mut("left_ftorso").vertices[4..].copy_from_slice(&[[10.5, 43.7], [0.0, 30.0]]);
    sketch.piece_mut("left_btorso").vertices[1..3].copy_from_slice(&[[0.0, 41.5], [10.5, 43.7]]);
    // Along the neck as long as its front and back, then up, over the head and down the face.
    let hood = [[1.0, 0.0], [4.0, 22.0], [-8.0, 37.0], [-25.0, 37.0], [-22.0, -12.0], [-10.0, 2.0]];
    sketch.add(piece("left_hood", [10.5, 149.0, -10.0], &hood).labelled("body").turned([0.0, 90.0, 0.0]));
    sketch.sew("left_ftorso", 4, "left_hood", 4);
    sketch.sew("left_btorso", 1, "left_hood", 5);
    sketch.mirror();
    for (name, edge) in [("left_ftorso", 5), ("left_btorso", 0), ("left_hood", 0), ("left_hood", 1), ("left_hood", 2)] {
        sketch.close(name, edge);
    }
    is_worn(&sketch, "woman-38", 4);
}

#[test]
fn a_lapel_that_is_sewn_outer_side_to_inner() {
    let mut sketch = Sketch::new("lapel");
    bodice(&mut sketch, 24.5);
    let front = [[0.0, 0.0], [-6.0, 0.0], [-6.0, -14.0]];
    let back = [[0.0, 0.0], [-9.5, 0.0], [-9.5, 6.0], [0.0, 6.0]];
    sketch.add(piece("left_collar_front", [13.0, 155.0, 35.0], &front).bow(2, Bow::Quadratic([0.7, -0.2])));
    sketch.add(piece("left_collar_back", [9.5, 150.0, -10.0], &back));
    sketch.sew("left_collar_front", 0, "left_collar_back", 3);
    sketch.turn();
    sketch.sew("left_ftorso", 4, "left_collar_front", 1);
    sketch.turn();
    sketch.sew("left_btorso", 1, "left_collar_back", 0);
    sketch.mirror();
    for (name, edge) in [("left_ftorso", 5), ("left_btorso", 0), ("left_collar_back", 1)] {
        sketch.close(name, edge);
    }
    is_worn(&sketch, "woman-38", 4);
}

#[test]
fn a_jumpsuit_of_top_and_legs() {
    let mut sketch = Sketch::new("jumpsuit");
    bodice(&mut sketch, 25.0);
    legs(&mut sketch, 25.0);
    sketch.sew("left_ftorso", 0, "left_pant_f", 1);
    sketch.sew("left_btorso", 5, "left_pant_b", 4);
    sketch.mirror();
    let centre = [
        ("left_ftorso", 5),
        ("left_btorso", 0),
        ("left_pant_f", 2),
        ("left_pant_f", 3),
        ("left_pant_b", 2),
        ("left_pant_b", 3),
    ];
    for (name, edge) in centre {
        sketch.close(name, edge);
    }
    is_worn(&sketch, "woman-38", 5);
}

#[test]
fn trousers_gathered_into_a_band_of_which_one_edge_is_sewn_to_several() {
    let mut sketch = Sketch::new("trousers");
    legs(&mut sketch, 25.0);
    sketch.mirror();
    for (name, edge) in [("left_pant_f", 2), ("left_pant_f", 3), ("left_pant_b", 2), ("left_pant_b", 3)] {
        sketch.close(name, edge);
    }
    waistband(&mut sketch, 37.0);
    sketch.sew("wb_front", 0, "right_pant_f", 4);
    sketch.sew("wb_front", 0, "left_pant_f", 1);
    sketch.sew("wb_back", 3, "right_pant_b", 1);
    sketch.sew("wb_back", 3, "left_pant_b", 4);
    is_worn(&sketch, "woman-38", 3);
}

#[test]
fn an_asymmetric_top_hangs_from_one_shoulder() {
    let mut sketch = Sketch::new("one-shoulder");
    let front = [[-24.0, 0.0], [24.0, 0.0], [24.0, 23.0], [17.0, 41.0], [9.0, 44.0], [-24.0, 23.0]];
    let back = [[-24.0, 0.0], [-24.0, 23.0], [9.0, 44.0], [17.0, 41.0], [24.0, 23.0], [24.0, 0.0]];
    sketch
        .add(piece("ftorso", [0.0, 97.0, 25.0], &front).labelled("body").bow(2, Bow::Cubic([[0.2, 0.3], [0.5, 0.18]])));
    sketch.add(
        piece("btorso", [0.0, 97.0, -20.0], &back).labelled("body").bow(3, Bow::Cubic([[0.5, -0.18], [0.8, -0.3]])),
    );
    sketch.sew("ftorso", 1, "btorso", 4);
    sketch.sew("ftorso", 3, "btorso", 2);
    sketch.sew("ftorso", 5, "btorso", 0);
    is_worn(&sketch, "woman-38", 3);
}

#[test]
fn a_strapless_top_is_held_at_the_chest() {
    let mut sketch = Sketch::new("strapless");
    // Narrower than the chest, so that it holds.
    let front = [[-20.5, 0.0], [20.5, 0.0], [20.5, 24.0], [-20.5, 24.0]];
    let back = [[-20.5, 0.0], [-20.5, 24.0], [20.5, 24.0], [20.5, 0.0]];
    sketch.add(piece("ftorso", [0.0, 105.0, 25.0], &front).labelled("body").mark(2, "strapless_top"));
    sketch.add(piece("btorso", [0.0, 105.0, -20.0], &back).labelled("body").mark(1, "strapless_top"));
    sketch.sew("ftorso", 1, "btorso", 2);
    sketch.sew("ftorso", 3, "btorso", 0);
    let worn = is_worn(&sketch, "woman-38", 2);
    let remark = worn.report.remarks.first().cloned().unwrap_or_default();
    assert!(remark.contains("the bust of the pattern is 82 cm, that of the body 88 cm"), "{remark}");
}

#[test]
fn what_is_far_too_small_is_told_with_its_girths() {
    let mut sketch = Sketch::new("small");
    let front = [[-15.0, 0.0], [15.0, 0.0], [15.0, 40.0], [-15.0, 40.0]];
    let back = [[-15.0, 0.0], [-15.0, 40.0], [15.0, 40.0], [15.0, 0.0]];
    sketch.add(piece("skirt_front", [0.0, 60.0, 20.0], &front).labelled("leg"));
    sketch.add(piece("skirt_back", [0.0, 60.0, -15.0], &back).labelled("leg"));
    sketch.sew("skirt_front", 1, "skirt_back", 2);
    sketch.sew("skirt_front", 3, "skirt_back", 0);
    // It stays open, or closes beside the hip and has slipped.
    let told = match put_on(&sketch, "woman-38") {
        Ok(worn) => {
            assert_eq!(worn.report.slipped, ["small"]);
            worn.report.remarks.join("\n")
        }
        Err(error) => error.to_string(),
    };
    assert!(told.contains("the hip of the pattern is 60 cm, that of the body 97 cm"), "{told}");
}

#[test]
fn all_of_them_are_placed_clear_of_bodies_of_other_sizes() {
    for body in ["woman-34", "woman-46", "man-50"] {
        let wearer = wearer(body);
        for sketch in [tee(50.0), tee(0.0), tank_top()] {
            let mesh = FlatMesh::new(&read(&sketch), 0.03).unwrap();
            let placed = place(&mesh, &wearer.mesh, &wearer.figuring.landmarks).unwrap();
            assert_eq!(placed.intersections, 0, "{} on {body}", sketch.name);
        }
    }
}
