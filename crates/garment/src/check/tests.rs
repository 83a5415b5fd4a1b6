use super::*;
use crate::{Curve, Edge, EdgeRef, Seam};

fn square(name: &str, points: &[[f64; 2]]) -> Panel {
    let edges = points.iter().enumerate();
    let edge = |(i, p): (usize, &[f64; 2])| Edge::new(format!("e{i}"), Point::new(p[0], p[1]), Curve::Line);
    Panel::new(name, edges.map(edge).collect())
}

fn unit(name: &str) -> Panel {
    square(name, &[[0.0, 0.0], [0.3, 0.0], [0.3, 0.3], [0.0, 0.3]])
}

fn of(panels: Vec<Panel>) -> Pattern {
    Pattern { panels, ..Pattern::default() }
}

fn only_fault(pattern: Pattern) -> Fault {
    let mut faults = mend(pattern).unwrap_err().faults;
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

fn sewn(panels: Vec<Panel>, a: &[(usize, usize)], b: &[(usize, usize)]) -> Pattern {
    let chain = |list: &[(usize, usize)]| list.iter().map(|&(panel, edge)| EdgeRef { panel, edge }).collect();
    let mut pattern = of(panels);
    pattern.seams.push(Seam::new("s", chain(a), chain(b)));
    pattern
}

#[test]
fn a_sound_pattern_is_left_as_it_is() {
    let pattern = sewn(vec![unit("p"), unit("q")], &[(0, 1)], &[(1, 3)]);
    let mended = mend(pattern.clone()).unwrap();
    assert_eq!((mended.pattern, mended.repairs), (pattern, Vec::new()));
}

#[test]
fn a_bow_tie_is_refused_with_its_edges() {
    let fault = only_fault(of(vec![square("p", &[[0.0, 0.0], [0.3, 0.3], [0.3, 0.0], [0.0, 0.2]])]));
    let Problem::Crossing { other, .. } = &fault.problem else { panic!("{fault}") };
    let mut edges = [other.as_str(), fault.edge.as_deref().unwrap()];
    edges.sort_unstable();
    assert_eq!((fault.panel.as_deref(), edges), (Some("p"), ["e0", "e2"]));
}

#[test]
fn a_curve_that_crosses_is_refused_and_a_strong_one_is_not() {
    let mut panel = unit("p");
    panel.outline[0].curve = Curve::Cubic(Point::new(0.0, -0.9), Point::new(0.3, -0.9));
    assert!(mend(of(vec![panel.clone()])).unwrap().repairs.is_empty());
    panel.outline[0].curve = Curve::Cubic(Point::new(0.1, 0.6), Point::new(0.2, 0.6));
    assert!(matches!(only_fault(of(vec![panel])).problem, Problem::Crossing { .. }));
}

#[test]
fn an_arc_of_three_quarters_of_a_circle_is_accepted() {
    let mut panel = unit("p");
    panel.outline[0].curve = Curve::Arc((270.0_f64 / 4.0).to_radians().tan());
    assert!(mend(of(vec![panel])).unwrap().repairs.is_empty());
}

#[test]
fn a_corner_of_one_degree_is_refused() {
    let tip = 0.3 * 1.0_f64.to_radians().tan();
    let fault = only_fault(of(vec![square("p", &[[0.0, 0.0], [0.3, 0.0], [0.3, tip]])]));
    assert!(matches!(fault.problem, Problem::SharpCorner { degrees } if (degrees - 1.0).abs() < 1e-6));
    assert_eq!(fault.edge.as_deref(), Some("e0"));
}

#[test]
fn points_given_twice_are_left_out_and_seams_follow() {
    let panel = square("p", &[[0.0, 0.0], [0.3, 0.0], [0.3, 0.0], [0.3, 0.3], [0.0, 0.3]]);
    let mended = mend(sewn(vec![panel, unit("q")], &[(0, 2)], &[(1, 3)])).unwrap();
    assert_eq!(mended.repairs.len(), 1);
    assert_eq!(mended.pattern.panels[0].outline.len(), 4);
    let edge = mended.pattern.seams[0].a[0];
    assert_eq!(mended.pattern.edge_name(edge), "p.e2");
}

#[test]
fn a_clockwise_outline_is_turned_and_its_notches_stay() {
    let mut panel = square("p", &[[0.0, 0.0], [0.0, 0.3], [0.5, 0.3], [0.3, 0.0], [0.2, 0.0]]);
    panel.notches = (0..5).map(|edge| crate::Notch { edge, at: 0.2 }).collect();
    let place = |panel: &Panel, i: usize| {
        let notch = panel.notches[i];
        panel.segment(notch.edge).unwrap().at_fraction(notch.at)
    };
    let mended = mend(sewn(vec![panel.clone(), unit("q")], &[(0, 0)], &[(1, 3)])).unwrap();
    let turned = &mended.pattern.panels[0];
    assert!(signed_area(&Panel::flatten(&turned.outline, 1e-5)) > 0.0);
    for i in 0..5 {
        assert!(place(turned, i).distance(place(&panel, i)) < 1e-12, "{i}");
    }
    assert_eq!(mended.pattern.edge_name(mended.pattern.seams[0].a[0]), "p.e0");
}

#[test]
fn tiny_holes_are_left_out_and_holes_outside_refused() {
    let hole = |x: f64, size: f64| {
        let corner = |i: usize, dx: f64, dy: f64| {
            Edge::new(format!("h{i}"), Point::new(x + dx * size, 0.1 + dy * size), Curve::Line)
        };
        vec![corner(0, 0.0, 0.0), corner(1, 0.0, 1.0), corner(2, 1.0, 1.0), corner(3, 1.0, 0.0)]
    };
    let with = |hole| Panel { holes: vec![hole], ..unit("p") };
    let mended = mend(of(vec![with(hole(0.1, 1e-3))])).unwrap();
    assert!(matches!(mended.repairs[0].problem, Problem::TinyHole { .. }) && mended.pattern.panels[0].holes.is_empty());
    assert!(mend(of(vec![with(hole(0.1, 0.05))])).unwrap().repairs.is_empty());
    assert_eq!(only_fault(of(vec![with(hole(0.5, 0.05))])).problem, Problem::HoleOutside);
    let crossing = mend(of(vec![with(hole(0.27, 0.1))])).unwrap_err();
    assert!(matches!(crossing.faults[0].problem, Problem::Crossing { .. }));
}

#[test]
fn seams_to_missing_edges_sewn_twice_and_of_unlike_lengths_are_refused() {
    let two = || vec![unit("p"), unit("q")];
    let problem =
        |a: &[(usize, usize)], b: &[(usize, usize)]| mend(sewn(two(), a, b)).unwrap_err().faults[0].problem.clone();
    assert_eq!(problem(&[(0, 1)], &[(1, 9)]), Problem::MissingEdge { edge: "q.9".into() });
    assert_eq!(problem(&[(0, 1)], &[(7, 0)]), Problem::MissingEdge { edge: "panel 7".into() });
    assert_eq!(problem(&[], &[(1, 0)]), Problem::EmptySeam);
    assert!(matches!(problem(&[(0, 1), (0, 1)], &[(1, 0), (1, 3)]), Problem::SewnTwice { .. }));
    assert!(matches!(problem(&[(0, 1)], &[(1, 3), (1, 2), (1, 1)]), Problem::Lengths { .. }));
    let mut stated = sewn(two(), &[(0, 1)], &[(1, 3), (1, 2), (1, 1)]);
    stated.seams[0].ratio = Some(3.0);
    assert!(mend(stated.clone()).is_ok());
    stated.seams[0].ratio = Some(2.0);
    assert!(matches!(only_fault(stated).problem, Problem::Ratio { .. }));
}

#[test]
fn a_seam_listed_from_the_wrong_end_is_turned_round() {
    let two = || vec![unit("p"), unit("q")];
    // Both along their outlines: one of them is the wrong way round.
    let mended = mend(sewn(two(), &[(0, 0), (0, 1)], &[(1, 2), (1, 3)])).unwrap();
    assert_eq!(mended.repairs[0].problem, Problem::ReversedStitch);
    assert_eq!(mended.pattern.seams[0].b[0].edge, 3);
    // Both against the convention: the same seam from its other end, nothing to repair.
    let mended = mend(sewn(two(), &[(0, 1), (0, 0)], &[(1, 2), (1, 3)])).unwrap();
    assert!(mended.repairs.is_empty());
    assert_eq!((mended.pattern.seams[0].a[0].edge, mended.pattern.seams[0].b[0].edge), (0, 3));
    let broken = only_fault(sewn(two(), &[(0, 0), (0, 2)], &[(1, 2), (1, 3)]));
    assert!(matches!(broken.problem, Problem::BrokenChain { .. }));
}

#[test]
fn numbers_that_are_none_are_refused_first() {
    for x in [f64::NAN, f64::INFINITY, 1e9] {
        let faults = mend(of(vec![square("p", &[[0.0, 0.0], [x, 0.0], [0.0, 0.3]])])).unwrap_err().faults;
        assert_eq!((&faults[0].problem, faults[0].edge.as_deref()), (&Problem::Coordinate, Some("e1")));
    }
    let mut panel = unit("p");
    panel.outline[1].curve = Curve::Quadratic(Point::new(f64::NAN, 0.0));
    assert_eq!(only_fault(of(vec![panel])).problem, Problem::Coordinate);
    assert_eq!(only_fault(of(vec![unit("p"), unit("p")])).problem, Problem::Name { name: "p".into() });
}

/// A drafted T-shirt with the front of its cap in two edges.
fn t_shirt() -> Pattern {
    let body = toile_body::complete(toile_body::Figure::Female, &toile_body::Given::NONE);
    let mut pattern = crate::draft::draft(crate::draft::Design::TShirt, &body, &crate::draft::Choices::new()).unwrap();
    let cap = pattern.edge("sleeve", "cap_front").unwrap();
    let segment = pattern.panels[cap.panel].segment(cap.edge).unwrap();
    let [first, second] = [segment.piece(0.0, 0.4), segment.piece(0.4, 1.0)];
    pattern.panels[cap.panel].notches.clear();
    let outline = &mut pattern.panels[cap.panel].outline;
    let pieces = [Edge::new("cap_top", first.start, first.curve), Edge::new("cap_low", second.start, second.curve)];
    outline.splice(cap.edge..=cap.edge, pieces);
    for seam in &mut pattern.seams {
        for edge in seam.a.iter_mut().chain(&mut seam.b).filter(|edge| edge.panel == cap.panel && edge.edge > cap.edge)
        {
            edge.edge += 1;
        }
        if seam.b.contains(&cap) {
            seam.b = vec![EdgeRef { edge: cap.edge + 1, ..cap }, cap];
        }
    }
    pattern
}

#[test]
fn a_turned_seam_makes_the_garment_that_its_parts_are() {
    let borders = |pattern: &Pattern| crate::mesh::FlatMesh::new(pattern, 0.03).unwrap().sewn().borders.len();
    let sound = t_shirt();
    assert!(mend(sound.clone()).unwrap().repairs.is_empty());
    assert_eq!(borders(&sound), 4);
    // Whichever chain of the armhole is listed backwards, neck, hem and cuffs stay apart.
    for chain in 0..2 {
        let mut wrong = sound.clone();
        let seam = wrong.seams.iter_mut().find(|seam| seam.name == "armhole_front").unwrap();
        if chain == 0 {
            seam.a.reverse();
        } else {
            seam.b.reverse();
        }
        let mended = mend(wrong).unwrap();
        assert_eq!(mended.repairs[0].problem, Problem::ReversedStitch);
        assert_eq!(mended.pattern.seams, sound.seams, "chain {chain}");
        assert_eq!(borders(&mended.pattern), 4);
    }
}

#[test]
fn a_turned_seam_that_leaves_no_garment_is_refused() {
    let mut closed = t_shirt();
    let edge = |name: &str| vec![closed.edge(name, "hem").unwrap()];
    // Hem to hem, and inside out: turned round it would make a bag.
    let bag = Seam { twisted: true, ..Seam::new("bag", edge("front"), edge("back")) };
    closed.seams.push(bag);
    let fault = only_fault(closed);
    assert_eq!(fault.problem, Problem::WrongBorders { found: 3, rims: "neck, hem and two cuffs" });
    assert_eq!(fault.seam.as_deref(), Some("bag"));
}
