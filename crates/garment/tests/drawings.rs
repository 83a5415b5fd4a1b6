//! Drawings of other programs become the same panels however they are written: units, transforms, commands, groups and classes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kurbo::{BezPath, Shape};
use toile_body::{Figure, Given, complete};
use toile_garment::draft::{Choices, Design, draft};
use toile_garment::drawn::{self, DrawnPattern};
use toile_garment::sheet::{Allowances, SheetOptions, matched_notches};
use toile_garment::svg::{SvgOptions, from_svg, to_svg};
use toile_garment::{Curve, Cut, Notch, Panel, Part, Point, Side, freesewing};

/// The half front that most of the files draw, in millimetres.
const FRONT: &str = "M0 600 L250 600 L250 220 C200 220 190 100 210 40 L90 0 C90 60 50 90 0 90 Z";
const BACK: &str = "M0 600 L250 600 L250 220 C215 220 205 100 210 40 L90 0 C80 15 40 20 0 20 Z";
const SLEEVE: &str = "M-120 200 L120 200 L150 0 C90 -20 70 -130 0 -130 C-70 -130 -90 -20 -150 0 Z";

fn read(file: &str) -> DrawnPattern {
    let path = format!("{}/tests/drawings/{file}", env!("CARGO_MANIFEST_DIR"));
    drawn::load(path, &SvgOptions::default()).unwrap().unwrap()
}

fn panel<'p>(drawn: &'p DrawnPattern, name: &str) -> &'p Panel {
    let found = drawn.pattern.find(name);
    let names: Vec<&str> = drawn.pattern.panels.iter().map(|panel| panel.name.as_str()).collect();
    &drawn.pattern.panels[found.unwrap_or_else(|| panic!("{name} in {names:?}"))]
}

/// Area of the outline less that of the holes [mm²], from the edges as they were read.
fn area(panel: &Panel) -> f64 {
    let shoelace = |points: &[Point]| -> f64 {
        let cross = |i: usize| points[i].to_vec2().cross(points[(i + 1) % points.len()].to_vec2());
        0.5e6 * (0..points.len()).map(cross).sum::<f64>()
    };
    panel.loops().map(|(_, edges)| shoelace(&Panel::flatten(edges, 1e-7))).sum()
}

/// The area another reader of paths finds [mm²].
fn wanted(path: &str) -> f64 {
    BezPath::from_svg(path).unwrap().area().abs()
}

fn assert_like(panel: &Panel, path: &str) {
    let (found, wanted) = (area(panel), wanted(path));
    assert!((found / wanted - 1.0).abs() < 1e-6, "{}: {found} mm², {wanted} mm²", panel.name);
}

fn at(panel: &Panel, notch: &Notch) -> Point {
    panel.segment(notch.edge).unwrap().at_fraction(notch.at)
}

/// Lengths of the straight edges of the half front [m], in any order.
fn assert_straight_edges(panel: &Panel) {
    assert_eq!(panel.outline.len(), 6, "{}", panel.name);
    let straight = (0..6).filter(|edge| panel.outline[*edge].curve == Curve::Line).map(|edge| panel.length(edge));
    let mut lengths: Vec<f64> = straight.collect();
    lengths.sort_by(f64::total_cmp);
    for (found, wanted) in lengths.iter().zip([0.126_491, 0.25, 0.38, 0.51]) {
        assert!((found - wanted).abs() < 1e-6, "{}: {lengths:?}", panel.name);
    }
}

#[test]
fn freesewing_svg_has_its_seam_lines_folds_and_notches() {
    let drawn = read("freesewing.svg");
    assert_eq!(drawn.pattern.panels.len(), 3, "{:?}", drawn.notes);
    let front = panel(&drawn, "front");
    assert_like(front, FRONT);
    assert_straight_edges(front);
    assert_eq!((front.part, front.side, &front.cut), (Part::Front, Side::Left, &Cut::Fold("fold".into())));
    // The fold is at x = 0 and the half at x ≥ 0; y is up, so that the hem is below.
    assert!(front.bounds().x0.abs() < 1e-9 && (front.bounds().x1 - 0.25).abs() < 1e-9);
    let hem = front.outline.iter().position(|edge| edge.start.distance(Point::ZERO) < 1e-9).unwrap();
    assert!((front.length(hem) - 0.25).abs() < 1e-9, "the hem starts at the lower end of the fold");
    assert_eq!((front.notches.len(), front.lines.len()), (1, 1), "{:?}", front.lines);
    assert!(at(front, &front.notches[0]).distance(Point::new(0.2035, 0.47)) < 3e-3);
    let back = panel(&drawn, "back");
    assert_like(back, BACK);
    // Backs are drawn at x ≤ 0; a double notch is two.
    assert!(back.bounds().x1.abs() < 1e-9 && back.notches.len() == 2);
    let sleeve = panel(&drawn, "sleeve");
    assert_like(sleeve, SLEEVE);
    assert_eq!((sleeve.part, &sleeve.cut, sleeve.outline.len()), (Part::Sleeve, &Cut::Pair, 5));
    // The front of a left sleeve is at x ≤ 0; it was drawn with its back there.
    let left = sleeve.notches.iter().filter(|notch| at(sleeve, notch).x < 0.0).count();
    assert_eq!((left, sleeve.notches.len()), (1, 3));
}

#[test]
fn freesewing_json_is_the_same_pattern() {
    let drawn = read("freesewing.json");
    assert_eq!((drawn.pattern.name.as_str(), drawn.pattern.panels.len()), ("tee", 3), "{:?}", drawn.notes);
    let front = panel(&drawn, "front");
    assert_like(front, FRONT);
    for (edge, length) in [("hemBase", 0.25), ("sideSeam", 0.38), ("fold", 0.51)] {
        assert!((front.length(front.find(edge).unwrap()) - length).abs() < 1e-9, "{edge}");
    }
    assert_eq!((&front.cut, front.notches.len(), front.lines.len()), (&Cut::Fold("fold".into()), 1, 1));
    let back = panel(&drawn, "back");
    assert_like(back, BACK);
    assert!(matches!(back.cut, Cut::Fold(_)), "by its cut list: {:?}", back.cut);
    assert!(drawn.notes.iter().any(|note| note.contains("back") && note.contains("fold")), "{:?}", drawn.notes);
    let sleeve = panel(&drawn, "sleeve");
    assert_like(sleeve, SLEEVE);
    assert_eq!((&sleeve.cut, sleeve.quantity), (&Cut::Pair, 1));
    // The same panels as from the SVG of the same design.
    let other = read("freesewing.svg");
    for name in ["front", "back", "sleeve"] {
        let (p, q) = (panel(&drawn, name), panel(&other, name));
        assert_eq!((p.part, p.side, p.cut == Cut::Pair), (q.part, q.side, q.cut == Cut::Pair));
        for (a, b) in p.notches.iter().zip(&q.notches) {
            assert!(at(p, a).distance(at(q, b)) < 1e-6, "{name}");
        }
    }
}

#[test]
fn inkscape_layers_name_panels_and_their_transforms_count() {
    let drawn = read("inkscape_layers.svg");
    assert_eq!(drawn.pattern.panels.len(), 2, "{:?}", drawn.notes);
    let front = panel(&drawn, "front");
    assert_like(front, FRONT);
    assert_straight_edges(front);
    assert!(front.bounds().x0.abs() < 1e-9 && front.notches.len() == 1 && front.lines.len() == 1);
    // The back lies on its side in the file; its grainline tells.
    let back = panel(&drawn, "back");
    assert_like(back, BACK);
    assert!((back.bounds().height() - 0.6).abs() < 1e-9 && back.bounds().x1.abs() < 1e-9, "{:?}", back.bounds());
    assert!(back.warp().x.abs() < 1e-9);
    assert!(drawn.notes.iter().any(|note| note.contains("test square")), "{:?}", drawn.notes);
}

#[test]
fn pixels_inches_and_relative_commands_give_the_same_panel() {
    for file in ["pixels.svg", "inches.svg", "relative.svg"] {
        let drawn = read(file);
        assert_eq!(drawn.pattern.panels.len(), 1, "{file}: {:?}", drawn.notes);
        assert_like(panel(&drawn, "front"), FRONT);
        assert_straight_edges(panel(&drawn, "front"));
        assert_eq!(drawn.notes.iter().any(|note| note.contains("96")), file == "pixels.svg", "{:?}", drawn.notes);
    }
    let path = format!("{}/tests/drawings/relative.svg", env!("CARGO_MANIFEST_DIR"));
    let doubled = drawn::load(path, &SvgOptions { unit: Some(2e-3) }).unwrap().unwrap();
    assert!((area(&doubled.pattern.panels[0]) / wanted(FRONT) - 4.0).abs() < 1e-6);
}

#[test]
fn nested_groups_mirror_scale_and_nested_drawings_move() {
    let drawn = read("nested_groups.svg");
    assert_eq!(drawn.pattern.panels.len(), 2, "{:?}", drawn.notes);
    let front = panel(&drawn, "front");
    assert_like(front, FRONT);
    assert_straight_edges(front);
    // Drawn mirrored, on the fold: that is the same piece of cloth, and drawn for the left again.
    assert_eq!((&front.cut, front.notches.len()), (&Cut::Fold("fold".into()), 1));
    assert!(front.bounds().x0.abs() < 1e-9 && front.bounds().x1 > 0.2);
    let pocket = panel(&drawn, "pocket");
    assert!((area(pocket) - 13_500.0).abs() < 1e-3, "{}", area(pocket));
}

#[test]
fn arcs_are_exact_and_inner_loops_are_holes() {
    use std::f64::consts::PI;
    let drawn = read("arcs.svg");
    let found = |name: &str| area(panel(&drawn, name));
    let quarter = 0.25 * PI * (500.0_f64.powi(2) - 120.0_f64.powi(2));
    assert!((found("skirt_front") / quarter - 1.0).abs() < 1e-6, "{}", found("skirt_front"));
    assert_eq!(panel(&drawn, "skirt_front").part, Part::SkirtFront);
    let ring = PI * (200.0_f64.powi(2) - 80.0_f64.powi(2));
    assert!((found("poncho") / ring - 1.0).abs() < 1e-6, "{}", found("poncho"));
    assert_eq!(panel(&drawn, "poncho").holes.len(), 1);
    let cuff = 240.0 * 80.0 - (4.0 - PI) * 400.0;
    assert!((found("cuff") / cuff - 1.0).abs() < 2e-5, "{}", found("cuff"));
    assert!((found("patch") / (PI * 2400.0) - 1.0).abs() < 1e-3, "{}", found("patch"));
}

#[test]
fn uses_are_drawn_where_they_are_used_and_definitions_are_not() {
    let drawn = read("use_defs.svg");
    assert_eq!(drawn.pattern.panels.len(), 3, "{:?}", drawn.notes);
    assert_like(panel(&drawn, "front"), FRONT);
    assert_like(panel(&drawn, "front copy"), FRONT);
    assert!((area(panel(&drawn, "pocket")) - 120.0 * 140.0).abs() < 1e-6);
}

#[test]
fn a_layout_without_names_is_told_into_cut_line_and_sew_line() {
    let drawn = read("seamly_layout.svg");
    assert_eq!(drawn.pattern.panels.len(), 1, "{:?}", drawn.notes);
    let piece = &drawn.pattern.panels[0];
    assert_like(piece, FRONT);
    assert_straight_edges(piece);
    assert_eq!(piece.notches.len(), 1);
    assert!(drawn.notes.iter().any(|note| note.contains("cut line")), "{:?}", drawn.notes);
    assert!(drawn.notes.iter().any(|note| note.contains("frame")), "{:?}", drawn.notes);
}

/// What this program writes, it reads: names, cuts, parts of the outline and notches, with allowances and without.
#[test]
fn every_garment_comes_back_from_its_own_svg() {
    let body = complete(Figure::Female, &Given::NONE);
    for allowances in [Allowances::default(), Allowances::NONE] {
        for design in Design::ALL {
            let pattern = draft(*design, &body, &Choices::new()).unwrap();
            let options = SheetOptions { allowances: allowances.clone(), ..SheetOptions::default() };
            let text = to_svg(&pattern, &options).unwrap();
            let file = format!("{}.svg", design.word());
            let own = from_svg(&file, text.as_bytes(), &SvgOptions::default()).unwrap();
            assert!(own.is_stated && own.pattern == pattern, "{file}");
            // Programs that drop metadata keep the drawing.
            let (before, rest) = text.split_once("<metadata>").unwrap();
            let text = format!("{before}{}", rest.split_once("</metadata>").unwrap().1);
            let read = from_svg(&file, text.as_bytes(), &SvgOptions::default()).unwrap().pattern;
            assert_eq!(read.panels.len(), pattern.panels.len(), "{file}");
            let notches = matched_notches(&pattern);
            for (number, panel) in pattern.panels.iter().enumerate() {
                let other = &read.panels[read.find(&panel.name).unwrap()];
                assert_eq!((&panel.cut, panel.quantity), (&other.cut, other.quantity), "{file} {}", panel.name);
                assert!((area(panel) / area(other) - 1.0).abs() < 2e-5, "{file} {}", panel.name);
                assert!((panel.warp() - other.warp()).hypot() < 1e-6, "{file} {}", panel.name);
                for (k, edge) in panel.edges().enumerate() {
                    let found = other.find(&edge.name).unwrap_or_else(|| panic!("{file} {} {}", panel.name, edge.name));
                    assert!(
                        (panel.length(k) - other.length(found)).abs() < 2e-6,
                        "{file} {} {}",
                        panel.name,
                        edge.name
                    );
                }
                for notch in &notches[number] {
                    let place = at(panel, notch) - panel.bounds().center();
                    let near = other.notches.iter().map(|n| (at(other, n) - other.bounds().center() - place).hypot());
                    let far = near.fold(f64::INFINITY, f64::min);
                    assert!(far < 1e-4, "{file} {}: {far}", panel.name);
                }
            }
        }
    }
}

#[test]
fn bad_files_are_refused_with_place_reason_and_remedy() {
    let svg = |text: &str| from_svg("x.svg", text.as_bytes(), &SvgOptions::default()).unwrap_err();
    for (text, told, help) in [
        ("<svg><g></svg>", "x.svg:1:", "export"),
        ("<html/>", "no SVG but `html`", "SVG"),
        ("<svg xmlns='http://www.w3.org/2000/svg'>\n<path d='M0 0 L9'/></svg>", "x.svg:2:", "again"),
        ("<svg xmlns='http://www.w3.org/2000/svg'>\n\n<g transform='turn(3)'/></svg>", "x.svg:3:0: transform", "apply"),
        ("<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0 L99 0'/></svg>", "no piece", "close"),
        (
            "<svg xmlns='http://www.w3.org/2000/svg' width='1mm' viewBox='0 0 900 900'><path d='M0 0H900V800Z'/></svg>",
            "would measure",
            "--unit",
        ),
        (
            "<svg xmlns='http://www.w3.org/2000/svg' width='9mm'><g id='a'><use href='#a'/></g></svg>",
            "use themselves",
            "ungroup",
        ),
    ] {
        let error = svg(text);
        assert!(error.to_string().contains(told) && error.help().contains(help), "{text}: {error}; {}", error.help());
    }
    let json = |text: &str| freesewing::from_json("x.json", text.as_bytes()).unwrap_err();
    for (text, told) in [
        ("{", "no JSON"),
        ("{\"parts\": 3}", "`parts`"),
        (
            "{\"parts\": [{\"a\": {\"paths\": {\"seam\": {\"ops\": [{\"type\": \"move\", \"to\": {\"x\": 1}}]}}}}]}",
            "parts.a.paths.seam.ops[0].to.y",
        ),
        ("{\"parts\": [{\"a\": {\"paths\": {\"seam\": {\"ops\": [{\"type\": \"jump\"}]}}}}]}", "`jump`"),
        ("{\"parts\": []}", "no part"),
    ] {
        assert!(json(text).to_string().contains(told), "{text}: {}", json(text));
    }
    for name in ["shirt.sm2d", "shirt.val"] {
        let error = drawn::load(name, &SvgOptions::default()).unwrap_err();
        assert!(error.to_string().contains("Seamly2D") && error.help().contains("SVG"), "{error}");
    }
    assert_eq!(drawn::load("shirt.toml", &SvgOptions::default()), Ok(None));
}
