use super::*;
use crate::mesh::FlatMesh;
use proptest::prelude::*;
use toile_body::{Figure, Given, Measurement as M, complete};

fn reference() -> Measurements {
    complete(Figure::Female, &Given::NONE)
}

fn length(pattern: &Pattern, chain: &[(&str, &str)]) -> f64 {
    let edges: Vec<_> = chain.iter().map(|(panel, edge)| pattern.edge(panel, edge).unwrap()).collect();
    pattern.chain_length(&edges)
}

#[test]
fn every_design_is_sound_in_every_size_and_seams_match() {
    for figure in Figure::ALL {
        for size in Size::ALL {
            for design in Design::ALL {
                let pattern = draft(*design, &size.measurements(figure), &Choices::new())
                    .unwrap_or_else(|error| panic!("{} {} {figure:?}: {error}", design.word(), size.word()));
                let mended = mend(pattern.clone()).unwrap();
                assert!(mended.repairs.is_empty(), "{}: {:?}", design.word(), mended.repairs);
                for seam in &pattern.seams {
                    let found = pattern.chain_length(&seam.b) / pattern.chain_length(&seam.a);
                    let wanted = seam.ratio.unwrap_or(1.0);
                    assert!((found / wanted - 1.0).abs() < 0.012, "{} {}: {found}", design.word(), seam.name);
                }
            }
        }
    }
}

#[test]
fn sewn_designs_are_surfaces_with_their_borders() {
    // Hems, necks, armholes, waists and open fronts.
    let borders = |design: &Design| match design {
        Design::TShirt | Design::TankTop | Design::ShiftDress => 4,
        Design::Trousers | Design::Shirt => 3,
        Design::ALineSkirt | Design::CircleSkirt | Design::PencilSkirt | Design::Cape | Design::Poncho => 2,
        Design::Tablecloth | Design::RoundTablecloth => 1,
    };
    for size in [Size::Xs, Size::M, Size::Xxl] {
        for design in Design::ALL {
            let pattern = draft(*design, &size.measurements(Figure::Female), &Choices::new()).unwrap();
            let sewn = FlatMesh::new(&pattern, 0.02).unwrap().sewn();
            assert!(sewn.is_manifold(), "{}", design.word());
            assert_eq!((sewn.part_count, sewn.borders.len()), (1, borders(design)), "{}", design.word());
            // No handles: χ = 2 − borders.
            assert_eq!(
                sewn.euler_characteristic(),
                2_isize.wrapping_sub_unsigned(borders(design)),
                "{}",
                design.word()
            );
        }
    }
}

#[test]
fn girths_are_those_of_the_body_with_ease() {
    let body = reference();
    let skirt =
        draft(Design::ALineSkirt, &body, &Choices::new().with("waist_ease", 0.02).with("band_height", 0.0)).unwrap();
    let waist = 2.0 * length(&skirt, &[("front", "waist"), ("back", "waist")]);
    assert!((waist - (body[M::Waist] + 0.02)).abs() < 1e-6, "{waist}");
    let circle = draft(Design::CircleSkirt, &body, &Choices::new().with("length", 0.5)).unwrap();
    let hem = 2.0 * length(&circle, &[("front", "hem"), ("back", "hem")]);
    let radius = (body[M::Waist] + 0.01) / std::f64::consts::TAU;
    assert!((hem - std::f64::consts::TAU * (radius + 0.5)).abs() < 1e-6, "{hem}");
    // Darts closed, the waist of pencil skirt and trousers is that of the body.
    for (design, waist) in [
        (
            Design::PencilSkirt,
            vec![
                ("front", "waist_1"),
                ("front", "waist_2"),
                ("back", "waist_1"),
                ("back", "waist_2_1"),
                ("back", "waist_2_2"),
            ],
        ),
        (Design::Trousers, vec![("front", "waist_1"), ("front", "waist_2"), ("back", "waist_1"), ("back", "waist_2")]),
    ] {
        let pattern = draft(design, &body, &Choices::new()).unwrap();
        let girth = 2.0 * length(&pattern, &waist);
        assert!((girth - body[M::Waist] - 0.02).abs() < 0.012, "{}: {girth}", design.word());
    }
    let shirt = draft(Design::TShirt, &body, &Choices::new().with("bust_ease", 0.12)).unwrap();
    let under = |panel: &str| {
        shirt.panels[shirt.find(panel).unwrap()].outline.iter().find(|e| e.name == "armhole_low").unwrap().start.x.abs()
    };
    // The front's armhole starts under the arm; the back's, listed the other way, ends there.
    assert!((4.0 * under("front") - body[M::Bust] - 0.12).abs() < 1e-9);
}

#[test]
fn proportions_are_those_of_a_pattern_book() {
    let body = reference();
    let shirt = draft(Design::TShirt, &body, &Choices::new()).unwrap();
    let (front, sleeve) = (&shirt.panels[0], &shirt.panels[2]);
    let armhole = length(
        &shirt,
        &[("front", "armhole_low"), ("front", "armhole_high"), ("back", "armhole_low"), ("back", "armhole_high")],
    );
    assert!((0.42..0.52).contains(&armhole), "armhole {armhole}");
    let cap = sleeve.bounds().y1;
    assert!((0.10..0.17).contains(&cap), "cap {cap}");
    let neck = 2.0 * length(&shirt, &[("front", "neck"), ("back", "neck")]);
    assert!((0.40..0.56).contains(&neck), "neck {neck}");
    let shoulder = length(&shirt, &[("front", "shoulder")]);
    assert!((0.09..0.14).contains(&shoulder), "shoulder {shoulder}");
    assert!((0.55..0.70).contains(&front.bounds().height()));
    let trousers = draft(Design::Trousers, &body, &Choices::new()).unwrap();
    let inseam = length(&trousers, &[("front", "inseam_thigh"), ("front", "inseam_calf")]);
    // The body's inseam ends at the floor, that of trousers at the ankle.
    assert!((0.03..0.08).contains(&(body[M::Inseam] - inseam)), "inseam {inseam}");
    let outseam = length(&trousers, &[("front", "outseam_calf"), ("front", "outseam_thigh"), ("front", "outseam_hip")]);
    assert!((0.24..0.33).contains(&(outseam - inseam)), "rise {}", outseam - inseam);
    let crotch = length(&trousers, &[("front", "rise"), ("front", "crotch"), ("back", "rise"), ("back", "crotch")]);
    assert!((0.58..0.76).contains(&crotch), "crotch {crotch}");
}

#[test]
fn lengths_are_made_to_measure() {
    let body = reference();
    for (design, key, panel) in [
        (Design::TShirt, "length", "front"),
        (Design::TShirt, "sleeve_length", "sleeve"),
        (Design::Shirt, "sleeve_length", "sleeve"),
        (Design::Trousers, "leg_length", "front"),
        (Design::ShiftDress, "length", "back"),
        (Design::PencilSkirt, "length", "front"),
        (Design::Cape, "length", "cape"),
    ] {
        let default = design.parameters().iter().find(|p| p.key == key).unwrap();
        let usual = (default.default)(&body);
        let height = |value: f64| {
            let pattern = draft(design, &body, &Choices::new().with(key, value)).unwrap();
            let panel = &pattern.panels[pattern.find(panel).unwrap()];
            let bounds = panel.bounds();
            bounds.height()
        };
        let more = height(usual + 0.03) - height(usual);
        let wanted = if design == Design::Cape { 0.03 * 1.5 } else { 0.03 };
        assert!((more - wanted).abs() < 1e-6, "{} {key}: {more}", design.word());
    }
}

#[test]
fn wrong_choices_are_named() {
    let body = reference();
    let fail =
        |design, key: &str, value| draft(design, &body, &Choices::new().with(key, value)).unwrap_err().to_string();
    assert!(
        fail(Design::TShirt, "sleve_length", 0.2)
            .starts_with("t-shirt has no parameter `sleve_length`; it has bust_ease")
    );
    assert!(
        fail(Design::TShirt, "sleeve_length", 5.0)
            .starts_with("sleeve_length = 5 is out of range; choose 0.1 to 0.9 m")
    );
    assert!(fail(Design::TShirt, "sleeve_length", f64::NAN).contains("out of range"));
    assert!(fail(Design::TShirt, "sleeve_length", 0.10).contains("shorter than its cap"));
    assert!(fail(Design::TShirt, "neck_widen", 0.12).contains("of shoulder"));
    assert!(fail(Design::TShirt, "biceps_ease", 0.4).contains("does not fit into an armhole"));
    assert!(fail(Design::PencilSkirt, "length", 0.1).contains("above the hip"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn odd_bodies_get_a_sound_pattern_or_a_reason(
        values in prop::collection::vec(0.0..1.0_f64, 18), design in 0..Design::ALL.len(), knob in 0.0..1.0_f64, which in 0..16_usize,
    ) {
        let body = Measurements::from_fn(|m| {
            let [low, high] = m.range();
            low + values[m as usize] * (high - low)
        });
        let design = Design::ALL[design];
        let parameters = design.parameters();
        let p = parameters[which % parameters.len()];
        let choices = Choices::new().with(p.key, p.range[0] + knob * (p.range[1] - p.range[0]));
        if let Ok(pattern) = draft(design, &body, &choices) {
            prop_assert!(pattern.whole().is_ok());
        }
    }
}

/// Every garment can be drafted for every size of the table, children's too, from the smallest to the largest.
#[test]
fn every_garment_is_drafted_for_every_size() {
    let mut refused = Vec::new();
    for design in Design::ALL {
        for name in toile_body::sizes::names() {
            let size = toile_body::sizes::named(&name).unwrap();
            let body = complete(size.figure, &size.given);
            if let Err(error) = draft(*design, &body, &Choices::new()) {
                refused.push(format!("{} for {name}: {error}", design.word()));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
