//! DXF files with the habits of different CAD systems become garments: parts, folds, pairs, sizes and seams, without a word from anybody.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "the tests of dressing use the rest")]
mod files;

use toile_body::{Figure, Given, Specification, draft as draft_body};
use toile_garment::draft::{Choices, Design, Size, draft};
use toile_garment::dxf::{DxfOptions, DxfUnit, to_dxf};
use toile_garment::file::PatternFileError;
use toile_garment::mesh::FlatMesh;
use toile_garment::place::place;
use toile_garment::wear::{SeamSource, WearOptions, Wearable, wear_bytes};
use toile_garment::{Panel, Pattern, Point};

use files::{Habits, cases, drafted, dxf};

fn wear_dxf(file: &str, bytes: &[u8], options: &DxfOptions) -> Result<Wearable, PatternFileError> {
    let options = WearOptions { dxf: options.clone(), ..WearOptions::default() };
    let file = format!("{}.dxf", file.trim_end_matches(".dxf"));
    wear_bytes(&file, bytes, &options).map(Option::unwrap)
}

#[test]
fn every_file_is_understood_sewn_and_placed() {
    let body =
        draft_body(&Specification { triangles: 6_000, ..Specification::new(Figure::Female, Given::NONE) }).unwrap();
    let mut failed = Vec::new();
    for case in cases() {
        let worn = match wear_dxf(case.name, case.text.as_bytes(), &DxfOptions::default()) {
            Ok(worn) => worn,
            Err(error) => {
                failed.push(format!("{}: {error}", case.name));
                continue;
            }
        };
        let seams: Vec<String> =
            worn.proposals.iter().map(|p| format!("{} {:.2} {}", p.seam.name, p.confidence, p.reason)).collect();
        let parts: Vec<String> =
            worn.pattern.panels.iter().map(|p| format!("{} {:?} {:?} {:?}", p.name, p.part, p.side, p.cut)).collect();
        let story = format!("{}:\n  notes {:#?}\n  parts {parts:#?}\n  seams {seams:#?}", case.name, worn.notes);
        if worn.doubtful().count() > 0 {
            failed.push(format!("doubtful: {story}"));
        }
        let mesh = FlatMesh::new(&worn.pattern, 0.03).unwrap();
        let sewn = mesh.sewn();
        if !sewn.is_manifold() || (sewn.part_count, sewn.borders.len()) != (1, case.borders) {
            failed.push(format!(
                "{} parts, {} borders, manifold {}: {story}",
                sewn.part_count,
                sewn.borders.len(),
                sewn.is_manifold()
            ));
            continue;
        }
        let said = worn.notes.join("\n");
        if !said.contains(case.said) {
            failed.push(format!("does not say `{}`: {story}", case.said));
        }
        match place(&mesh, &body.mesh, &body.landmarks) {
            Ok(placed) if placed.intersections == 0 => {}
            Ok(placed) => failed.push(format!("{} intersections: {story}", placed.intersections)),
            Err(error) => failed.push(format!("{error}: {story}")),
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
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

/// The text without the annotations of this program, and without categories.
fn stripped(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    let mut i = 0;
    while i + 1 < lines.len() {
        // An entity goes from one code 0 to the next.
        let end = (i + 2..lines.len()).step_by(2).find(|k| lines[*k].trim() == "0").unwrap_or(lines.len());
        let pairs: Vec<[&str; 2]> =
            lines[i..end].chunks(2).map(|pair| [pair[0].trim(), pair.get(1).copied().unwrap_or("")]).collect();
        let on = |code: &str, value: &str| pairs.iter().any(|pair| pair[0] == code && pair[1] == value);
        let category = pairs.iter().any(|pair| pair[0] == "1" && pair[1].starts_with("Category"));
        if !(on("0", "TEXT") && (on("8", "15") || category)) {
            for pair in &pairs {
                out.push_str(&[pair[0], pair[1], ""].join("\n"));
            }
        }
        i = end;
    }
    out
}

/// A file without its comments (group code 999).
fn without_comments(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.chunks(2).filter(|pair| pair[0].trim() != "999");
    pairs.flatten().flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn our_own_files_come_back_with_seams_and_curves_and_without_them_by_proposals() {
    for design in Design::ALL {
        let drafted = draft(*design, &Size::M.measurements(Figure::Female), &Choices::new()).unwrap();
        let text = to_dxf(&drafted, "M");
        let worn = wear_dxf("own.dxf", text.as_bytes(), &DxfOptions::default()).unwrap();
        assert_eq!(worn.pattern, drafted, "{}", design.word());
        // Programs that drop comments keep texts.
        let text = without_comments(&text);
        let worn = wear_dxf("own.dxf", text.as_bytes(), &DxfOptions::default()).unwrap();
        assert!(worn.source == SeamSource::Stated || drafted.seams.is_empty(), "{}", design.word());
        assert_eq!(worn.pattern.seams, drafted.seams);
        for (panel, own) in worn.pattern.panels.iter().zip(&drafted.panels) {
            assert_eq!((panel.part, panel.side, &panel.cut), (own.part, own.side, &own.cut));
            for (edge, other) in panel.edges().zip(own.edges()) {
                assert_eq!(edge.name, other.name);
                assert!(edge.start.distance(other.start) < 1e-8);
                // Curves come back as curves.
                assert_eq!(std::mem::discriminant(&edge.curve), std::mem::discriminant(&other.curve), "{}", edge.name);
            }
        }
        if matches!(design, Design::Cape | Design::Tablecloth | Design::RoundTablecloth) {
            continue;
        }
        let bare = stripped(&text);
        assert!(!bare.contains("Panel:") && !bare.contains("Seam:") && !bare.contains("Category"));
        let guessed = wear_dxf("bare.dxf", bare.as_bytes(), &DxfOptions::default()).unwrap();
        assert_eq!(guessed.doubtful().count(), 0, "{}: {:#?}", design.word(), guessed.proposals);
        let whole = drafted.whole().unwrap();
        let surface = |pattern: &Pattern| {
            let sewn = FlatMesh::new(pattern, 0.02).unwrap().sewn();
            (sewn.is_manifold(), sewn.part_count, sewn.borders.len(), sewn.euler_characteristic())
        };
        assert_eq!(surface(&guessed.pattern), surface(&whole), "{}: {:#?}", design.word(), guessed.notes);
        // The same pieces on the same sides, moved but not changed.
        assert_eq!(guessed.pattern.panels.len(), whole.panels.len(), "{}", design.word());
        for panel in &whole.panels {
            let same = |other: &&Panel| other.part == panel.part && other.side == panel.side;
            let other = guessed
                .pattern
                .panels
                .iter()
                .find(same)
                .unwrap_or_else(|| panic!("{}: {} {:?}", design.word(), panel.name, panel.side));
            let (b, c) = (panel.bounds(), other.bounds());
            let shift = c.center() - b.center();
            let outline = Panel::flatten(&other.outline, 1e-6);
            let far =
                Panel::flatten(&panel.outline, 1e-6).iter().map(|p| distance(*p + shift, &outline)).fold(0.0, f64::max);
            assert!(far < 1e-5, "{} {}: {:.4} mm", design.word(), panel.name, 1e3 * far);
        }
    }
}

#[test]
fn sizes_of_a_nest_are_chosen_and_missing_ones_named() {
    let sizes =
        [("36", Size::S), ("38", Size::M), ("40", Size::L)].map(|(name, size)| (name, drafted(Design::TankTop, size)));
    let text = dxf("TANK", &sizes, &Habits { names: &["FR", "BK"], ..Habits::default() });
    let girth = |size: Option<&str>| {
        let options = DxfOptions { size: size.map(str::to_owned), ..DxfOptions::default() };
        let worn = wear_dxf("nest.dxf", text.as_bytes(), &options).unwrap();
        assert_eq!(worn.sizes, ["36", "38", "40"]);
        worn.pattern.panels.iter().map(|panel| panel.bounds().width()).sum::<f64>()
    };
    let drawn = |k: usize| sizes[k].1.whole().unwrap().panels.iter().map(|panel| panel.bounds().width()).sum::<f64>();
    for (k, name) in ["36", "38", "40"].into_iter().enumerate() {
        assert!((girth(Some(name)) - drawn(k)).abs() < 1e-4, "{name}");
    }
    assert!((girth(None) - drawn(1)).abs() < 1e-4, "the sample size");
    let wrong = DxfOptions { size: Some("44".to_owned()), ..DxfOptions::default() };
    let error = wear_dxf("nest.dxf", text.as_bytes(), &wrong).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.help()), ("nest.dxf: has no size `44`", "it has: 36, 38, 40"));
}

#[test]
fn units_are_checked_against_the_size_of_the_pieces() {
    let pattern = [("M", drafted(Design::TankTop, Size::M))];
    let height = pattern[0].1.panels[0].bounds().height();
    let inch = 1.0 / 0.0254;
    for (per_metre, units, header, unit, said) in [
        (1000.0, "METRIC", 0, DxfUnit::Millimetre, ""),
        (100.0, "METRIC", 0, DxfUnit::Centimetre, "says METRIC but its largest piece would measure"),
        (inch, "ENGLISH", 0, DxfUnit::Inch, ""),
        (1000.0, "ENGLISH", 0, DxfUnit::Millimetre, "says ENGLISH"),
        (inch, "", 1, DxfUnit::Inch, ""),
        (100.0, "", 5, DxfUnit::Centimetre, ""),
        (1.0, "", 6, DxfUnit::Metre, ""),
        (100.0, "", 0, DxfUnit::Centimetre, "states no unit"),
        (inch, "", 0, DxfUnit::Inch, "states no unit"),
        (1000.0, "", 0, DxfUnit::Millimetre, "states no unit"),
    ] {
        let text = dxf("", &pattern, &Habits { per_metre, units, header, names: &["FR", "BK"], ..Habits::default() });
        let worn = wear_dxf("units.dxf", text.as_bytes(), &DxfOptions::default()).unwrap();
        assert_eq!(worn.unit, Some(unit), "{units} {per_metre} {:?}", worn.notes);
        assert!((worn.pattern.panels[0].bounds().height() - height).abs() < 1e-4);
        assert!(worn.notes.iter().any(|note| note.contains(said)) || said.is_empty(), "{:?}", worn.notes);
        assert_eq!(
            said.is_empty(),
            worn.notes.iter().all(|note| !note.contains("unit") && !note.contains("the file says"))
        );
    }
}

#[test]
fn a_second_collar_is_left_out_and_loose_pieces_need_a_decision() {
    let mut shirt = drafted(Design::Shirt, Size::M);
    let mut fall = shirt.panels[3].clone();
    fall.name = "collar".to_owned();
    shirt.panels[3].name = "collar stand".to_owned();
    shirt.panels.push(fall);
    let wear = |pattern: Pattern| {
        let text = dxf("", &[("M", pattern)], &Habits::default());
        wear_dxf("doubles.dxf", text.as_bytes(), &DxfOptions::default()).unwrap()
    };
    let worn = wear(shirt);
    assert_eq!(worn.doubt(), None, "{:#?}", worn.notes);
    let names: Vec<&str> = worn.pattern.panels.iter().map(|panel| panel.name.as_str()).collect();
    assert!(names.contains(&"collar stand") && !names.contains(&"collar"), "{names:?}");
    assert!(worn.notes.iter().any(|note| note.contains("piece `collar` was left out")), "{:?}", worn.notes);
    // The under sleeve of a sleeve in two parts: both want the same armhole.
    let mut coat = drafted(Design::TShirt, Size::M);
    let mut under = coat.panels[2].clone();
    under.name = "under sleeve".to_owned();
    coat.panels.push(under);
    let worn = wear(coat);
    let doubt = worn.doubt().unwrap();
    assert!(doubt.contains("under sleeve_left") || doubt.contains("not certain"), "{doubt}");
    let side = worn.side_file_text(&[]);
    assert!(side.contains("# in no seam: under sleeve_left.") && side.contains("sewn already"), "{side}");
}
