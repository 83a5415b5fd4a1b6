//! Garments are sewn around bodies and stay on them, in one piece and without intersections.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use toile::settings::Model;
use toile_garment::Pattern;
use toile_garment::draft::{Choices, Design, Size, draft};
use toile_mesh::DVec3;
use toile_scene::Body;
use toile_tailor::{Garment, Stage, TryOn, TryOnError, Wearer, Worn};

fn wearer() -> Wearer {
    somebody("woman-38")
}

fn somebody(name: &str) -> Wearer {
    let described = Body { mannequin: name.to_owned(), triangles: Some(5_000), ..Body::default() };
    toile_scene::wearer(&described, "body").unwrap().0
}

fn of_jersey(pattern: Pattern) -> Garment {
    Garment::new(pattern, toile_scene::fabric::find("jersey-knit").unwrap().fabric)
}

fn made_to_measure(design: Design, wearer: Wearer) -> TryOn {
    let pattern = draft(design, &wearer.figuring.measurements, &Choices::new()).unwrap();
    TryOn::new(Garment { distance: 0.035, ..of_jersey(pattern) }, wearer)
}

/// What holds of every garment that was put on.
fn is_worn(worn: &Worn) {
    let report = &worn.report;
    assert!(report.verdict.is_clean() && report.meeting == 0, "{report:?}");
    assert!(report.stitches == 0 || report.first_gap > 0.02 && report.largest_gap <= 1e-3, "{report:?}");
    assert!(!report.settled || report.last_way < 1e-3, "{report:?}");
    assert!(report.largest_stretch < 1.25, "{report:?}");
    assert_eq!(worn.world.state().x.len(), report.vertices);
    // Every stitch is one vertex.
    for garment in &worn.garments {
        for [a, b] in garment.flat.seams.iter().flat_map(|seam| &seam.stitches) {
            assert_eq!(garment.welded.vertex[*a as usize], garment.welded.vertex[*b as usize]);
        }
    }
    // The cloth weighs what was cut.
    let area: f64 = worn
        .garments
        .iter()
        .flat_map(|garment| &garment.flat.panels)
        .map(|panel| {
            let corner = |v: u32| panel.positions[v as usize];
            panel
                .triangles
                .iter()
                .map(|t| 0.5 * (corner(t[1]) - corner(t[0])).perp_dot(corner(t[2]) - corner(t[0])))
                .sum::<f64>()
        })
        .sum();
    assert!((worn.world.model().area.iter().sum::<f64>() - area).abs() < 1e-9);
}

fn highest(worn: &Worn) -> f64 {
    worn.world.state().x.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max)
}

fn nearest(worn: &Worn, place: DVec3) -> f64 {
    worn.world.state().x.iter().map(|p| p.distance(place)).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_skirt_is_sewn_and_stays_at_the_waist() {
    let wish = TryOn { most_time: 0.75, ..made_to_measure(Design::ALineSkirt, wearer()) };
    let mut stages = Vec::new();
    let worn = wish.run(&mut |progress| {
        stages.push(progress.stage);
        ControlFlow::Continue(())
    });
    let worn = worn.unwrap();
    is_worn(&worn);
    assert!(stages.is_sorted_by_key(|stage| *stage == Stage::Draping) && stages.contains(&Stage::Draping));
    let waist = wish.wearer.figuring.landmarks.waist;
    assert!((highest(&worn) - waist).abs() < 0.05, "{} {waist}", highest(&worn));
    let lowest = worn.world.state().x.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.2 && lowest < waist - 0.4, "{lowest}");
}

/// It ends at the very call that breaks, while sewing and while draping.
#[test]
fn a_try_on_ends_within_a_frame() {
    let wish = TryOn { most_time: 0.2, ..made_to_measure(Design::ALineSkirt, wearer()) };
    for stage in [Stage::Sewing, Stage::Draping] {
        let (mut of_stage, mut after) = (0, 0);
        let outcome = wish.run(&mut |progress| {
            after += u32::from(of_stage == 3);
            of_stage += u32::from(progress.stage == stage);
            if of_stage == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(outcome, Err(TryOnError::Cancelled)));
        assert_eq!((of_stage, after), (3, 0), "{stage:?}");
    }
}

#[test]
fn a_t_shirt_hangs_on_the_shoulders() {
    let wish = TryOn { most_time: 0.5, ..made_to_measure(Design::TShirt, wearer()) };
    let worn = wish.run(&mut |_| ControlFlow::Continue(())).unwrap();
    is_worn(&worn);
    for place in wish.wearer.figuring.landmarks.shoulder_points {
        assert!(nearest(&worn, place) < 0.03, "{}", nearest(&worn, place));
    }
    let crown = wish.wearer.figuring.landmarks.crown;
    assert!(highest(&worn) < crown.y - 0.15);
}

#[test]
fn the_same_bits_for_one_and_two_threads() {
    let wish = TryOn { most_time: 0.1, ..made_to_measure(Design::ALineSkirt, wearer()) };
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| wish.run(&mut |_| ControlFlow::Continue(())).unwrap().world.hash())
    };
    assert_eq!(hash(1), hash(2));
}

#[test]
fn particles_drape_too() {
    let mut skirt = made_to_measure(Design::ALineSkirt, wearer());
    skirt.garments[0].distance = 0.05;
    let worn =
        TryOn { model: Model::Constraint, most_time: 0.25, ..skirt }.run(&mut |_| ControlFlow::Continue(())).unwrap();
    is_worn(&worn);
    assert!(worn.world.stepper().is_none() && !worn.report.settled && worn.report.draping_time >= 0.25);
}

#[test]
fn tablecloths_are_refused() {
    match made_to_measure(Design::Tablecloth, wearer()).run(&mut |_| ControlFlow::Continue(())) {
        Err(TryOnError::Flat { panel }) => assert_eq!(panel, "tablecloth"),
        other => panic!("{:?}", other.map(|worn| worn.report)),
    }
}

/// A garment of a size on somebody comes to rest where it is worn: `top` is the height that its highest vertex has at least.
fn comes_to_rest(design: Design, name: &str, size: Option<Size>, top: impl Fn(&Wearer) -> f64) {
    let wearer = somebody(name);
    let measurements = size.map_or(wearer.figuring.measurements, |size| size.measurements(wearer.figuring.figure));
    let pattern = draft(design, &measurements, &Choices::new()).unwrap();
    let wish = TryOn::new(Garment { distance: 0.03, ..of_jersey(pattern) }, wearer);
    let worn = wish.run(&mut |_| ControlFlow::Continue(())).unwrap();
    is_worn(&worn);
    let report = &worn.report;
    assert!(report.settled && !report.fallen, "{} on {name}: {report:?}", design.word());
    assert!(highest(&worn) > top(&wish.wearer), "{} on {name} slipped to {}", design.word(), highest(&worn));
}

fn on_the_hip(wearer: &Wearer) -> f64 {
    let at = &wearer.figuring.landmarks;
    at.waist - 0.6 * (at.waist - at.hip)
}

fn on_the_shoulders(wearer: &Wearer) -> f64 {
    wearer.figuring.landmarks.shoulder_points[0].y
}

#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_tops_of_several_sizes_rest_on_the_shoulders() {
    comes_to_rest(Design::TShirt, "woman-46", None, on_the_shoulders);
    comes_to_rest(Design::TankTop, "man-50", Some(Size::L), on_the_shoulders);
    comes_to_rest(Design::ShiftDress, "woman-38", Some(Size::M), on_the_shoulders);
    comes_to_rest(Design::Shirt, "woman-38", None, on_the_shoulders);
}

#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_skirts_and_trousers_rest_on_the_hip() {
    comes_to_rest(Design::ALineSkirt, "woman-38", Some(Size::M), on_the_hip);
    comes_to_rest(Design::CircleSkirt, "woman-46", None, on_the_hip);
    comes_to_rest(Design::PencilSkirt, "man-50", None, on_the_hip);
    comes_to_rest(Design::Trousers, "woman-46", None, on_the_hip);
}

#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_capes_and_ponchos_hang_from_the_shoulders() {
    comes_to_rest(Design::Cape, "woman-38", None, on_the_shoulders);
    comes_to_rest(Design::Poncho, "man-50", None, on_the_shoulders);
}

#[test]
fn a_skirt_that_is_far_too_small_cannot_be_closed() {
    let described = Body { mannequin: "woman-46".to_owned(), triangles: Some(3_000), ..Body::default() };
    let (wearer, _) = toile_scene::wearer(&described, "body").unwrap();
    let pattern = draft(Design::ALineSkirt, &Size::Xs.measurements(toile_body::Figure::Female), &Choices::new());
    let wish = TryOn::new(Garment { distance: 0.05, ..of_jersey(pattern.unwrap()) }, wearer);
    match wish.run(&mut |_| ControlFlow::Continue(())) {
        Err(TryOnError::Open { gap, .. }) => assert!(gap > 0.01, "{gap}"),
        other => panic!("{:?}", other.map(|worn| worn.report)),
    }
}
