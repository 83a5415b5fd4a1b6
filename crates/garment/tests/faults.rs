//! Faults of files are named with their place; what can be repaired is, and stated.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use toile_garment::dxf::{DxfOptions, DxfUnit, Rules, from_dxf, grade};
use toile_garment::file::from_toml;
use toile_garment::{Placement, garmentcode};

const SQUARE: &str = "[[panel]]\nname = \"p\"\nedges = [\n  { name = \"a\", from = [0, 0] },\n  { name = \"b\", from = [30, 0] },\n  { name = \"c\", from = [30, 30] },\n  { name = \"d\", from = [0, 30] },\n]\n";

fn refused(text: &str) -> (String, String) {
    let error = from_toml("p.toml", &format!("unit = \"cm\"\n{text}")).unwrap_err();
    (error.to_string(), error.help().to_owned())
}

#[test]
fn toml_faults_point_at_panel_edge_and_seam() {
    for (text, message) in [
        (
            SQUARE.replace("from = [0, 30] }", "from = [0, 30], to = [1, 0] }"),
            "p.toml:8:38: edge `d`: the outline is open",
        ),
        (SQUARE.replace("[30, 30]", "[-30, 10]"), "p.toml:"),
        (format!("{SQUARE}[[seam]]\nname = \"s\"\na = \"p.a\"\nb = \"p.x\""), "p.toml:13:5: there is no edge `p.x`"),
        (format!("{SQUARE}[[seam]]\nname = \"s\"\na = [\"p.a\"]\nb = [\"p.a\"]"), "p.toml:"),
        (
            format!("{SQUARE}[[seam]]\nname = \"s\"\na = [\"p.a\"]\nb = [\"p.b\", \"p.c\", \"p.d\"]"),
            "p.toml:10:1: seam `s`: the sides are 300.0 mm and 900.0 mm long, 1 : 3.00",
        ),
        (
            SQUARE.replace("[30, 30]", "[30, 0.3]").replace("  { name = \"d\", from = [0, 30] },\n", ""),
            "p.toml:5:3: panel `p`, edge `a`: the corner at the start of this edge has 0.57°",
        ),
        (
            SQUARE.replace("name = \"p\"", "name = \"p\"\nfold = \"x\""),
            "p.toml:2:1: panel `p`, edge `x`: there is no edge `x`",
        ),
        (SQUARE.replace("name = \"b\"", "name = \"a\""), "p.toml:2:1: panel `p`: the name `a` is empty or used twice"),
        (SQUARE.replace("[30, 30]", "[30, \"x\"]"), "p.toml:7:29: a finite number is expected here"),
        ("x = 1".to_owned(), "p.toml:2:1: unknown key `x` in a pattern"),
        (String::new(), "p.toml:1:1: there is no panel"),
    ] {
        let found = refused(&text);
        assert!(found.0.starts_with(message), "{} instead of {message}", found.0);
        assert!(!found.1.is_empty());
    }
}

#[test]
fn toml_slips_are_repaired_and_stated() {
    let text = SQUARE.replace("  { name = \"c\"", "  { name = \"b2\", from = [30, 0] },\n  { name = \"c\"");
    let mended = from_toml("p.toml", &text).unwrap();
    let said: Vec<String> = mended.repairs.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["panel `p`, edge `b`: the edge is 0.0000 mm long; the edge was left out"]);
}

#[test]
fn darts_in_toml_are_cut_and_sewn() {
    let text = format!("unit = \"cm\"\n{SQUARE}darts = [{{ edge = \"c\", at = 0.5, width = 2, length = 10 }}]");
    let pattern = from_toml("p.toml", &text).unwrap().pattern;
    assert_eq!(pattern.panels[0].outline.len(), 7);
    assert_eq!(pattern.seams.len(), 1);
    let tip = pattern.panels[0].outline[pattern.seams[0].b[0].edge].start;
    assert!((tip.x - 0.15).abs() < 1e-12 && (tip.y - 0.20).abs() < 1e-12);
}

/// Two squares face to face; the second is drawn from behind, as `GarmentCode` draws backs.
fn garmentcode_pair(stitch: &str) -> String {
    format!(
        r#"{{"pattern": {{"panels": {{
        "front": {{"translation": [0,100,10], "rotation": [0,0,0], "vertices": [[0,0],[30,0],[30,40],[0,40]],
            "edges": [{{"endpoints":[0,1]}},{{"endpoints":[1,2],"curvature":{{"type":"quadratic","params":[[0.5,-0.1]]}}}},{{"endpoints":[2,3]}},{{"endpoints":[3,0]}}]}},
        "back": {{"translation": [0,100,-10], "rotation": [0,0,0], "vertices": [[0,0],[0,40],[30,40],[30,0]],
            "edges": [{{"endpoints":[0,1]}},{{"endpoints":[1,2]}},{{"endpoints":[2,3],"curvature":{{"type":"quadratic","params":[[0.5,0.1]]}}}},{{"endpoints":[3,0]}}]}}
        }}, "stitches": [{stitch}]}}, "properties": {{"units_in_meter": 100, "curvature_coords": "relative"}}}}"#
    )
}

#[test]
fn garmentcode_backs_are_turned_to_their_outer_side_and_stay_where_they_are() {
    let sides = r#"[{"panel":"front","edge":1},{"panel":"back","edge":2}], [{"panel":"front","edge":3},{"panel":"back","edge":0}]"#;
    let mended = garmentcode::from_json("g.json", garmentcode_pair(sides).as_bytes()).unwrap();
    assert!(mended.repairs.is_empty(), "{:?}", mended.repairs);
    let back = &mended.pattern.panels[mended.pattern.find("back").unwrap()];
    // Mirrored in x, and turned by half a turn about y to stand where it stood.
    assert!(back.outline.iter().any(|edge| (edge.start.x + 0.30).abs() < 1e-12));
    let Some(Placement::About(stand)) = back.placement else { panic!("{:?}", back.placement) };
    let turn = stand.rotation;
    let upside = |angle: f64| (angle.abs() - std::f64::consts::PI).abs() < 1e-9;
    assert!(upside(turn[1]) || (upside(turn[0]) && upside(turn[2])), "{turn:?}");
    let sewn = toile_garment::mesh::FlatMesh::new(&mended.pattern, 0.02).unwrap().sewn();
    assert!(sewn.is_manifold());
    assert_eq!((sewn.part_count, sewn.borders.len()), (1, 2));
}

#[test]
fn garmentcode_faults_are_named() {
    for (text, part) in [
        (
            garmentcode_pair(r#"[{"panel":"front","edge":1},{"panel":"side","edge":2}]"#),
            "stitch 0: there is no panel `side`",
        ),
        (
            garmentcode_pair(r#"[{"panel":"front","edge":9},{"panel":"back","edge":2}]"#),
            "stitch 0, panel `front`, edge: a number below 4",
        ),
        (
            garmentcode_pair("").replace(r#"{"endpoints":[2,3]},{"endpoints":[3,0]}]"#, r#"{"endpoints":[2,3]}]"#),
            "panel `front`: the outline is open after edge 2",
        ),
        (garmentcode_pair("").replace("quadratic", "helix"), "unknown curvature `helix`"),
        ("[]".to_owned(), "neither a specification of GarmentCode, which has `pattern`"),
        ("nonsense".to_owned(), "is no JSON"),
    ] {
        let error = garmentcode::from_json("g.json", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// A piece as some CAD systems write it: boundary in two open polylines, the second backwards, with an unknown group code.
fn piece(unit: &str, size: f64, rule: &str) -> String {
    let vertex = |x: f64, y: f64| format!("0\nVERTEX\n8\n1\n10\n{}\n20\n{}\n", size * x, size * y);
    let text = |layer: u32, x: f64, y: f64, words: &str| {
        format!("0\nTEXT\n8\n{layer}\n10\n{}\n20\n{}\n40\n1.0\n1\n{words}\n", size * x, size * y)
    };
    let first = [vertex(0.0, 0.0), vertex(10.0, 0.0), vertex(12.0, 5.0), vertex(10.0, 10.0)].concat();
    let second = [vertex(0.0, 0.0), vertex(0.0, 10.0), vertex(10.0, 10.0)].concat();
    let block = [
        "0\nBLOCK\n8\n1\n2\nFRONT_M\n70\n64\n10\n0\n20\n0\n".to_owned(),
        text(1, 0.0, 0.0, "PIECE NAME: FRONT"),
        text(1, 0.0, 0.0, "Size: M"),
        text(1, 0.0, 0.0, "Quantity: 1,1"),
        format!("0\nPOLYLINE\n8\n1\n250\n0\n66\n1\n70\n0\n{first}0\nSEQEND\n"),
        format!("0\nPOLYLINE\n8\n1\n66\n1\n70\n0\n{second}0\nSEQEND\n"),
        format!("0\nPOINT\n8\n2\n10\n0\n20\n{}\n", size * 10.0),
        format!("0\nPOINT\n8\n4\n10\n{}\n20\n0.01\n30\n-4.0\n50\n90.0\n", size * 5.0),
        format!("0\nLINE\n8\n7\n10\n{}\n20\n{}\n11\n{}\n21\n{}\n", size * 5.0, size * 2.0, size * 5.0, size * 8.0),
        rule.to_owned(),
        "0\nENDBLK\n".to_owned(),
    ]
    .concat();
    format!("0\nSECTION\n2\nBLOCKS\n{block}0\nENDSEC\n0\nSECTION\n2\nENTITIES\n{unit}0\nENDSEC\n0\nEOF\n")
}

/// Pieces as they are drawn.
fn drawn() -> DxfOptions {
    DxfOptions { as_drawn: true, ..DxfOptions::default() }
}

const ENGLISH: &str = "0\nTEXT\n8\n1\n10\n0\n20\n0\n1\nUNITS: ENGLISH\n";

#[test]
fn split_boundaries_are_joined_and_units_found() {
    let read = from_dxf("p.dxf", piece(ENGLISH, 1.0, "").as_bytes(), &drawn()).unwrap();
    let panel = &read.pattern.panels[0];
    assert_eq!((read.unit, panel.name.as_str(), panel.outline.len()), (DxfUnit::Inch, "FRONT", 4));
    assert_eq!(panel.cut, toile_garment::Cut::Pair);
    let bounds = panel.bounds();
    assert!((bounds.width() - 12.0 * 0.0254).abs() < 1e-12 && (bounds.height() - 0.254).abs() < 1e-12);
    let notch = panel.notches[0];
    let at = panel.segment(notch.edge).unwrap().at_fraction(notch.at);
    assert!(at.distance(toile_garment::Point::new(5.0 * 0.0254, 0.0)) < 1e-9);
    // Without a unit the size tells, and it is said.
    let read = from_dxf("p.dxf", piece("", 30.0, "").as_bytes(), &drawn()).unwrap();
    assert_eq!((read.unit, read.notes.len()), (DxfUnit::Millimetre, 1));
    // A size that the stated unit cannot mean is read in another one, and that is said.
    let read = from_dxf("p.dxf", piece(ENGLISH, 30.0, "").as_bytes(), &drawn()).unwrap();
    assert_eq!((read.unit, read.notes.len()), (DxfUnit::Millimetre, 1));
    // A size that no garment has needs a decision.
    let huge = piece(ENGLISH, 3000.0, "");
    let error = from_dxf("p.dxf", huge.as_bytes(), &drawn()).unwrap_err();
    assert!(error.to_string().contains("914.400 m") && error.help().contains("--unit"), "{error}");
    let chosen = DxfOptions { unit: Some(DxfUnit::Millimetre), ..drawn() };
    assert!(from_dxf("p.dxf", huge.as_bytes(), &chosen).is_ok());
}

#[test]
fn open_boundaries_and_missing_sizes_are_refused() {
    let open = piece(ENGLISH, 1.0, "")
        .replace("0\nVERTEX\n8\n1\n10\n0\n20\n10\n0\nVERTEX\n8\n1\n10\n10\n20\n10\n0\nSEQEND", "0\nSEQEND");
    let error = from_dxf("p.dxf", open.as_bytes(), &drawn()).unwrap_err().to_string();
    assert!(error.contains("panel `FRONT`: the outline is open"), "{error}");
    let wrong = DxfOptions { size: Some("XXL".to_owned()), ..DxfOptions::default() };
    let error = from_dxf("p.dxf", piece(ENGLISH, 1.0, "").as_bytes(), &wrong).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.help()), ("p.dxf: has no size `XXL`", "it has: M"));
    let error = from_dxf("p.dxf", b"0\nSECTION\nhello\nworld\n", &drawn()).unwrap_err();
    assert_eq!(error.to_string(), "p.dxf:3:0: a group code is expected here");
}

#[test]
fn rules_move_ruled_points_and_share_the_rest_by_length() {
    let rule = |x: f64, y: f64, n: u32| format!("0\nTEXT\n8\n2\n10\n{x}\n20\n{y}\n1\n# {n}\n");
    let rules = [rule(0.0, 0.0, 1), rule(300.0, 0.0, 2), rule(300.0, 300.0, 2), rule(0.0, 300.0, 1)].concat();
    let read = from_dxf("p.dxf", piece("", 30.0, &rules).as_bytes(), &drawn()).unwrap();
    let table = "ANSI/AAMA VERSION 1\nUNITS: METRIC\nNUMBER OF SIZES: 3\nSIZE LIST: S M L\nSAMPLE SIZE: M\nRULE: DELTA 1\n0,0 0,0 0,0\nRULE: DELTA 2\n-10, 0\n0, 0\n20, 0\nEND\n";
    let table = Rules::parse("p.rul", table.as_bytes()).unwrap();
    let same = grade(&read.pattern, &table, "M").unwrap().pattern;
    assert_eq!(same.panels[0].outline, read.pattern.panels[0].outline);
    let large = grade(&read.pattern, &table, "L").unwrap().pattern;
    // The bump between two points of rule 2 moves with them.
    let bounds = large.panels[0].bounds();
    assert!((bounds.x1 - 0.380).abs() < 1e-9 && bounds.x0.abs() < 1e-9, "{bounds:?}");
    assert!(grade(&read.pattern, &table, "XL").unwrap_err().help().contains("S, M, L"));
    let short = "SIZE LIST: S M\nRULE: DELTA 1\n0,0\nEND";
    assert!(Rules::parse("p.rul", short.as_bytes()).unwrap_err().to_string().contains("2 numbers for 2 sizes"));
}

#[test]
fn an_old_spelling_of_a_part_is_read_and_stated() {
    let text = |part: &str| {
        format!("unit = \"cm\"\n{SQUARE}").replace("name = \"p\"", &format!("name = \"p\"\npart = \"{part}\""))
    };
    let old = from_toml("p.toml", &text("skirt_front")).unwrap();
    let new = from_toml("p.toml", &text("skirt-front")).unwrap();
    assert_eq!(old.pattern, new.pattern);
    assert!(new.repairs.is_empty());
    let told: Vec<String> = old.repairs.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        ["panel `p`: `part = \"skirt_front\"` is an old spelling of \"skirt-front\"; it was read as that"]
    );
}

#[test]
fn misspelt_and_useless_keys_of_a_pattern_are_told_with_what_was_meant() {
    for (text, message, help) in [
        (
            SQUARE.replace("name = \"p\"", "name = \"p\"\nfabirc = \"denim\""),
            "unknown key `fabirc`",
            "did you mean `fabric`?",
        ),
        (SQUARE.replace("name = \"p\"", "name = \"p\"\npair = 1"), "`pair` is true or false", "pair = true"),
        (SQUARE.replace("name = \"p\"", "name = \"p\"\nlayer = 1.5"), "`layer` must be a whole number", "1"),
        (
            SQUARE.replace("name = \"p\"", "name = \"p\"\nplacement = { around = \"left_foot\" }"),
            "`around` has no value `left_foot`",
            "left-leg",
        ),
        (
            SQUARE.replace("name = \"p\"", "name = \"p\"\nplacement = { around = \"trunk\", translation = [0, 0, 0] }"),
            "unknown key `translation` in a placement with `around`",
            "angle_deg",
        ),
        (
            SQUARE.replace("name = \"p\"", "name = \"p\"\nplacement = { translation = [0, 0, 0], bend_deg = 3 }"),
            "`bend_deg` without `bend_radius`",
            "bend_radius",
        ),
        (
            SQUARE.replace("name = \"p\"", "name = \"p\"\nplacement = { translation = [0, 0, 0], bend_radius = 0 }"),
            "`bend_radius` is out of range",
            "5 mm",
        ),
    ] {
        let (found, remedy) = refused(&text);
        assert!(found.contains(message) && remedy.contains(help), "{found}; {remedy}");
    }
}
