use super::*;
use crate::draft::{Choices, Design, draft};
use crate::{Curve, Edge, EdgeRef, Panel, Point, Seam};
use proptest::prelude::*;
use toile_body::{Figure, Given, complete};

fn garment(design: Design) -> Pattern {
    draft(design, &complete(Figure::Female, &Given::NONE), &Choices::new()).unwrap()
}

fn angles(panel: &PanelMesh) -> impl Iterator<Item = f64> + '_ {
    panel.triangles.iter().flat_map(|t| {
        let p = t.map(|v| panel.positions[v as usize]);
        (0..3).map(move |k| (p[(k + 1) % 3] - p[k]).angle_to(p[(k + 2) % 3] - p[k]).to_degrees())
    })
}

fn area(panel: &PanelMesh) -> f64 {
    let of = |t: &[u32; 3]| {
        let p = t.map(|v| panel.positions[v as usize]);
        0.5 * (p[1] - p[0]).perp_dot(p[2] - p[0])
    };
    panel.triangles.iter().map(of).sum()
}

#[test]
fn angles_are_above_25_degrees_and_edges_as_long_as_asked() {
    for design in [Design::TShirt, Design::PencilSkirt, Design::Trousers, Design::ShiftDress, Design::Poncho] {
        for distance in [0.02, 0.01] {
            let mesh = FlatMesh::new(&garment(design), distance).unwrap();
            // Positive angles: every triangle is counter-clockwise.
            let least = mesh.panels.iter().flat_map(angles).fold(180.0, f64::min);
            assert!(least > 25.0, "{} {distance}: {least}", design.word());
            let (mut sum, mut count) = (0.0, 0);
            for panel in &mesh.panels {
                for t in &panel.triangles {
                    let p = t.map(|v| panel.positions[v as usize]);
                    sum += p[0].distance(p[1]) + p[1].distance(p[2]) + p[2].distance(p[0]);
                    count += 3;
                }
            }
            let mean = sum / f64::from(count);
            assert!((mean / distance - 1.0).abs() < 0.05, "{mean}");
        }
    }
}

#[test]
fn triangles_cover_the_panel_without_its_holes() {
    let mesh = FlatMesh::new(&garment(Design::Poncho), 0.01).unwrap();
    let outline = &mesh.pattern.panels[0];
    let r = |edge: usize| outline.segment(edge).unwrap().start.to_vec2().hypot();
    let ring = std::f64::consts::PI * (r(0).powi(2) - r(4).powi(2));
    let found = area(&mesh.panels[0]);
    assert!((found / ring - 1.0).abs() < 1e-3, "{found} {ring}");
    assert_eq!(mesh.panels[0].borders.len(), 2);
}

#[test]
fn the_same_pattern_gives_the_same_bits() {
    let pattern = garment(Design::Shirt);
    assert_eq!(FlatMesh::new(&pattern, 0.02).unwrap(), FlatMesh::new(&pattern, 0.02).unwrap());
}

#[test]
fn stitches_stand_at_equal_fractions_of_both_sides() {
    let mesh = FlatMesh::new(&garment(Design::TShirt), 0.01).unwrap();
    let position = |v: u32| {
        let panel = mesh.panels.iter().rfind(|panel| panel.first <= v).unwrap();
        panel.positions[(v - panel.first) as usize]
    };
    let steps = |name: &str, side: usize| -> Vec<f64> {
        let stitches = &mesh.seams.iter().find(|seam| seam.name == name).unwrap().stitches;
        stitches.windows(2).map(|pair| position(pair[0][side]).distance(position(pair[1][side]))).collect()
    };
    // Straight seams: equal steps on both sides.
    for side in 0..2 {
        let all = steps("shoulder_left", side);
        assert!(all.len() > 5 && all.iter().all(|step| (step / all[0] - 1.0).abs() < 1e-6), "{all:?}");
    }
    // The armhole has a corner between two edges, the cap has none: it gets a vertex there all the same.
    assert_eq!(steps("armhole_front_left", 0).len(), steps("armhole_front_left", 1).len());
}

#[test]
fn wrong_distances_are_refused() {
    let pattern = garment(Design::Tablecloth);
    for distance in [0.0, -0.01, f64::NAN, 1e-6, 7.0] {
        assert!(matches!(FlatMesh::new(&pattern, distance), Err(MeshError::Distance { .. })));
    }
    assert!(matches!(FlatMesh::new(&pattern, 1e-4), Err(MeshError::TooFine { .. })));
}

fn rectangle(name: &str, width: f64, height: f64, cuts: &[f64]) -> Panel {
    let mut edges =
        vec![Edge::new("bottom", Point::ZERO, Curve::Line), Edge::new("right", Point::new(width, 0.0), Curve::Line)];
    // The top is cut into several edges, from right to left.
    let mut at = vec![1.0];
    at.extend(cuts.iter().rev());
    edges.extend(
        at.iter().enumerate().map(|(i, f)| Edge::new(format!("top{i}"), Point::new(f * width, height), Curve::Line)),
    );
    edges.push(Edge::new("left", Point::new(0.0, height), Curve::Line));
    Panel::new(name, edges)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A strip cut anywhere, gathered onto a longer one, is a surface of one part with one border, whatever the cuts.
    #[test]
    fn any_cuts_and_gathers_sew_to_one_surface(
        mut cuts in prop::collection::vec(0.05..0.95_f64, 0..4), gather in 1.0..3.0_f64, distance in 0.01..0.05_f64,
    ) {
        cuts.sort_by(f64::total_cmp);
        cuts.dedup_by(|a, b| *a - *b < 0.01);
        let pattern = Pattern {
            panels: vec![rectangle("p", 0.4, 0.2, &cuts), rectangle("q", 0.4 * gather, 0.3, &[])],
            ..Pattern::default()
        };
        let edge = |panel: usize, name: &str| EdgeRef { panel, edge: pattern.panels[panel].find(name).unwrap() };
        let tops = (0..=cuts.len()).map(|i| edge(0, &format!("top{i}"))).collect();
        let mut seam = Seam::new("s", tops, vec![edge(1, "bottom")]);
        seam.ratio = Some(gather);
        let mesh = FlatMesh::new(&Pattern { seams: vec![seam], ..pattern.clone() }, distance).unwrap();
        let sewn = mesh.sewn();
        prop_assert!(sewn.is_manifold(), "{:?} {:?}", sewn.bad_edges, sewn.collapsed);
        prop_assert_eq!((sewn.part_count, sewn.borders.len(), sewn.euler_characteristic()), (1, 1, 1));
        let whole: f64 = mesh.panels.iter().map(area).sum();
        prop_assert!((whole - (0.08 + 0.12 * gather)).abs() < 1e-9);
    }
}
