//! Garments for the files: drafted ones, and some drawn by hand.

use toile_body::Figure;
use toile_garment::draft::{Choices, Design, Size, draft};
use toile_garment::{Curve, Cut, Edge, Panel, Pattern, Point};

/// A drafted garment without its seams.
pub(crate) fn drafted(design: Design, size: Size) -> Pattern {
    let mut pattern = draft(design, &size.measurements(Figure::Female), &Choices::new()).unwrap();
    pattern.seams.clear();
    pattern
}

fn panel(name: &str, cut: Cut, corners: &[(f64, f64)]) -> Panel {
    let edges = corners
        .iter()
        .enumerate()
        .map(|(i, (x, y))| Edge::new(format!("e{i}"), Point::new(0.01 * x, 0.01 * y), Curve::Line));
    Panel { cut, ..Panel::new(name, edges.collect()) }
}

fn curve(panel: &mut Panel, edge: usize, control: (f64, f64)) {
    panel.outline[edge].curve = Curve::Quadratic(Point::new(0.01 * control.0, 0.01 * control.1));
}

fn on_fold(edge: usize) -> Cut {
    Cut::Fold(format!("e{edge}"))
}

/// A sleeveless top whose back hangs from a yoke, drawn by hand in centimetres.
pub(crate) fn yoke_top() -> Pattern {
    let mut front =
        panel("FRONT", on_fold(5), &[(0.0, 0.0), (25.0, 0.0), (25.0, 38.0), (18.0, 56.0), (8.0, 60.0), (0.0, 50.0)]);
    curve(&mut front, 2, (18.0, 42.0));
    curve(&mut front, 4, (6.0, 50.0));
    // Seen from behind: the wearer's left half at x < 0.
    let mut yoke =
        panel("BACK YOKE", on_fold(1), &[(-19.0, 48.0), (0.0, 48.0), (0.0, 58.0), (-8.0, 60.0), (-18.0, 56.0)]);
    curve(&mut yoke, 2, (-5.0, 58.0));
    let mut back = panel("BACK", on_fold(1), &[(-25.0, 0.0), (0.0, 0.0), (0.0, 48.0), (-19.0, 48.0), (-25.0, 38.0)]);
    curve(&mut back, 3, (-19.5, 40.0));
    Pattern { name: "yoke".into(), panels: vec![front, yoke, back], seams: Vec::new() }
}

/// A sleeveless top with a front in three panels, drawn by hand in centimetres.
pub(crate) fn princess_top() -> Pattern {
    let mut front = panel(
        "CENTRE FRONT",
        on_fold(6),
        &[(0.0, 0.0), (11.0, 0.0), (11.0, 28.0), (16.0, 46.0), (18.0, 56.0), (8.0, 60.0), (0.0, 50.0)],
    );
    curve(&mut front, 2, (10.5, 41.0));
    curve(&mut front, 5, (6.0, 50.0));
    let mut side =
        panel("SIDE FRONT", Cut::Pair, &[(11.0, 0.0), (25.0, 0.0), (25.0, 38.0), (16.0, 46.0), (11.0, 28.0)]);
    curve(&mut side, 2, (19.0, 39.0));
    curve(&mut side, 3, (10.5, 41.0));
    let mut back =
        panel("BACK", on_fold(1), &[(-25.0, 0.0), (0.0, 0.0), (0.0, 57.0), (-8.0, 60.0), (-18.0, 56.0), (-25.0, 38.0)]);
    curve(&mut back, 2, (-4.0, 57.0));
    curve(&mut back, 4, (-18.0, 42.0));
    Pattern { name: "princess".into(), panels: vec![front, side, back], seams: Vec::new() }
}

/// A dress of a sleeveless bodice and a gathered skirt, with a seam at the waist, drawn by hand in centimetres.
pub(crate) fn waisted_dress() -> Pattern {
    let mut front = panel(
        "BODICE FRONT",
        on_fold(5),
        &[(0.0, 0.0), (20.0, 0.0), (24.0, 20.0), (17.0, 38.0), (8.0, 42.0), (0.0, 33.0)],
    );
    curve(&mut front, 2, (17.5, 24.0));
    curve(&mut front, 4, (6.0, 33.0));
    let mut back = panel(
        "BODICE BACK",
        on_fold(1),
        &[(-20.0, 0.0), (0.0, 0.0), (0.0, 40.0), (-8.0, 42.0), (-17.0, 38.0), (-24.0, 20.0)],
    );
    curve(&mut back, 2, (-4.0, 40.0));
    curve(&mut back, 4, (-17.5, 24.0));
    let skirt = panel("SKIRT FRONT", on_fold(3), &[(0.0, 0.0), (35.0, 0.0), (30.0, 45.0), (0.0, 45.0)]);
    let behind = panel("SKIRT BACK", on_fold(1), &[(-35.0, 0.0), (0.0, 0.0), (0.0, 45.0), (-30.0, 45.0)]);
    Pattern { name: "dress".into(), panels: vec![front, back, skirt, behind], seams: Vec::new() }
}

/// A T-shirt with a rib at its neck.
pub(crate) fn ribbed_shirt() -> Pattern {
    let mut pattern = drafted(Design::TShirt, Size::M);
    let neck: f64 = pattern.panels[..2].iter().map(|p| 2.0 * p.length(p.find("neck").unwrap())).sum();
    let long = 100.0 * 0.88 * neck;
    pattern.panels.push(panel("NECK BAND COLLAR", Cut::Single, &[(0.0, 0.0), (long, 0.0), (long, 2.0), (0.0, 2.0)]));
    pattern
}

/// A shirt with left and right pieces drawn one by one.
pub(crate) fn one_by_one() -> Pattern {
    let mut pattern = drafted(Design::Shirt, Size::M).whole().unwrap();
    pattern.panels.retain(|panel| !panel.name.starts_with("cuff"));
    pattern
}

/// Pieces that are not worn, beside a tank top.
pub(crate) fn with_trimmings() -> Pattern {
    let mut pattern = drafted(Design::TankTop, Size::M);
    for name in ["FRONT FACING", "LINING BACK", "POCKET BAG", "FUSIBLE", "CARE LABEL"] {
        pattern.panels.push(panel(name, Cut::Single, &[(0.0, 0.0), (14.0, 0.0), (14.0, 16.0), (0.0, 16.0)]));
    }
    pattern
}
