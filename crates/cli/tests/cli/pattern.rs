//! `toile pattern`.

use crate::helper::toile;

#[test]
fn a_garment_is_drafted_shown_checked_and_converted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let list = toile(at, &["pattern", "draft", "--list"]).good();
    assert!(list.contains("t-shirt") && list.contains("trousers"), "{list}");
    assert!(toile(at, &["pattern", "draft", "t-shirt", "--list"]).good().contains("sleeve_length"));
    let args = ["pattern", "draft", "t-shirt", "--size", "m", "--set", "sleeve_length=0.25"];
    toile(at, &[&args[..], &["--out", "shirt.toml", "--out", "shirt.svg"]].concat()).good();
    assert!(std::fs::read_to_string(at.join("shirt.svg")).unwrap().starts_with("<svg"));
    let shown = toile(at, &["pattern", "show", "shirt.toml", "--json"]).json();
    let sewn = toile(at, &["pattern", "check", "shirt.toml", "--json"]).json();
    assert_eq!((&sewn["parts"], &sewn["borders"], &sewn["manifold"]), (&1.into(), &4.into(), &true.into()), "{sewn}");
    for (from, to) in [("shirt.toml", "shirt.json"), ("shirt.json", "again.toml"), ("shirt.toml", "shirt.dxf")] {
        toile(at, &["pattern", "convert", from, to]).good();
    }
    let again = toile(at, &["pattern", "check", "again.toml", "--json"]).json();
    assert_eq!((&again["parts"], &again["borders"]), (&1.into(), &4.into()), "{again}");
    // A DXF file of ours has its seams in texts.
    toile(at, &["pattern", "convert", "shirt.dxf", "back.toml"]).good();
    let back = toile(at, &["pattern", "show", "back.toml", "--json"]).json();
    assert!(shown["seams"].as_u64().unwrap() > 0 && back["seams"] == shown["seams"]);
    // Without them, seams are proposed, and what is proposed passes the check.
    let text = std::fs::read_to_string(at.join("shirt.dxf")).unwrap();
    std::fs::write(at.join("bare.dxf"), text.replace("Panel: {", "Note {").replace("Seam: {", "Note {")).unwrap();
    let sewn = toile(at, &["pattern", "check", "bare.dxf", "--json"]).json();
    assert_eq!((&sewn["parts"], &sewn["borders"], &sewn["manifold"]), (&1.into(), &4.into(), &true.into()), "{sewn}");
    let told = sewn["remarks"].to_string();
    assert!(told.contains("proposed seam shoulder_left") && told.contains("confidence"), "{told}");
}

#[test]
fn a_pattern_is_written_to_be_sewn_from_and_read_from_a_drawing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let draft = ["pattern", "draft", "tank-top", "--size", "m", "--set", "length=60cm", "--out", "top.toml"];
    toile(at, &[&draft[..], &["--out", "top.svg", "--out", "top.pdf", "--out", "top.dxf"]].concat()).good();
    assert!(std::fs::read(at.join("top.pdf")).unwrap().starts_with(b"%PDF-1.4"));
    // Allowances are in the file as they were typed, whatever the unit.
    let widths = ["--allowance", "5/8in", "--allowance", "front.side=2cm", "--hem", "40mm"];
    toile(at, &[&["pattern", "convert", "top.toml", "wide.svg"][..], &widths].concat()).good();
    let wide = std::fs::read_to_string(at.join("wide.svg")).unwrap();
    for words in ["shoulder 15.9 mm", "side 20 mm", "hem 40 mm", "neck 7 mm"] {
        assert!(wide.contains(words), "{words}");
    }
    toile(at, &["pattern", "convert", "top.toml", "bare.svg", "--no-allowance"]).good();
    assert!(std::fs::read_to_string(at.join("bare.svg")).unwrap().contains("No seam allowance"));
    // Layer 14 has the sew line, so that the DXF file is the same pattern again.
    let length = |file: &str, edge: &str| {
        let shown = toile(at, &["pattern", "show", file, "--json"]).json();
        let edges = shown["panels"][0]["edges"].as_array().unwrap().clone();
        edges.iter().find(|e| e["edge"] == edge).unwrap()["length"].as_f64().unwrap()
    };
    for file in ["top.dxf", "top.svg", "wide.svg"] {
        let off = (length(file, "side") - length("top.toml", "side")).abs();
        assert!(off < 1e-5, "{file}: {off}");
    }
    let checked = toile(at, &["pattern", "check", "top.svg", "--propose-seams", "--json"]).json();
    assert_eq!((&checked["parts"], &checked["manifold"]), (&1.into(), &true.into()), "{checked}");
    for (args, told) in [
        (&["pattern", "convert", "top.toml", "x.pdf", "--allowance", "10"][..], "10mm"),
        (&["pattern", "convert", "top.toml", "x.pdf", "--allowance", "belt=1cm"], "neckline"),
        (&["pattern", "convert", "top.toml", "x.pdf", "--allowance", "front.belt=1cm"], "panel.edge"),
        (&["pattern", "convert", "shirt.val", "x.toml"], "Seamly2D"),
    ] {
        let answer = toile(at, args);
        assert!(answer.code != 0 && answer.err.contains(told), "{args:?}: {}", answer.err);
    }
    assert!(!at.join("x.pdf").exists());
}

/// A pattern is the same whichever command writes it, in whichever unit its numbers were typed.
#[test]
fn draft_and_convert_take_the_same_options_in_any_unit() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(
        at.join("sizes.toml"),
        "figure = \"female\"\nunit = \"in\"\n[Mine]\nchest = 36\nwaist = \"28in\"\nseat = 39\n",
    )
    .unwrap();
    let read = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
    let same = |words: &[&str], other: &[&str]| {
        toile(at, &[&["pattern", "draft", "t-shirt", "-q", "--overwrite", "--out", "a.toml"][..], words].concat())
            .good();
        toile(at, &[&["pattern", "convert", "t-shirt", "b.toml", "-q", "--overwrite"][..], other].concat()).good();
        assert_eq!(read("a.toml"), read("b.toml"), "{words:?} {other:?}");
    };
    same(&["--size", "M", "--set", "length=60cm"], &["--size", "m", "--set", "length=0.6"]);
    same(&["--size", "M", "--set", "length=24in"], &["--size", "M", "--set", "length=2ft"]);
    same(&["--body", "woman-40"], &["--size", "woman-40"]);
    same(&["--chest", "35.5\"", "--hips", "1 m"], &["--body", "woman-38, bust=0.9017, hip=100cm"]);
    same(&["--sizes", "sizes.toml", "--size", "mine"], &["--body", "sizes.toml:Mine"]);
    // The chart says what flags would say.
    let typed = ["--chest", "36in", "--waist", "28in", "--hips", "39in", "--height", "168cm"];
    std::fs::write(
        at.join("sizes.toml"),
        "figure = \"female\"\nunit = \"in\"\n[Mine]\nchest = 36\nwaist = 28\nhips = 39\nheight = \"168cm\"\n",
    )
    .unwrap();
    same(&typed, &["--sizes", "sizes.toml", "--size", "Mine"]);
    // All sizes of a chart are drafted into a folder.
    toile(at, &["pattern", "grade", "t-shirt", "--sizes", "sizes.toml", "--out", "graded", "-q"]).good();
    same(&["--sizes", "sizes.toml", "--size", "Mine"], &["--sizes", "sizes.toml", "--body", "Mine"]);
    assert_eq!(read("graded/t-shirt-Mine.toml"), read("a.toml"));
    // Children's sizes are sizes like others.
    same(&["--size", "child-128"], &["--body", "child-128"]);
}

#[test]
fn sizes_are_graded_into_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    toile(folder.path(), &["pattern", "grade", "a-line-skirt", "--sizes", "S,L", "--out", "sizes"]).good();
    let width = |size: &str| {
        let file = format!("sizes/a-line-skirt-{size}.toml");
        let shown = toile(folder.path(), &["pattern", "show", &file, "--json"]).json();
        let edges = shown["panels"][0]["edges"].as_array().unwrap().clone();
        edges.iter().find(|e| e["edge"].as_str().unwrap().starts_with("waist")).unwrap()["length"].as_f64().unwrap()
    };
    assert!(width("L") > width("S") + 0.01);
    assert!(folder.path().join("sizes/a-line-skirt-S.svg").exists());
}

#[test]
fn bad_patterns_and_words_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.toml"), "name = 3\n").unwrap();
    for (args, told) in [
        (&["pattern", "draft", "t-shrit", "--out", "x.svg"][..], "t-shirt"),
        (&["pattern", "draft", "t-shirt", "--size", "Q", "--out", "x.svg"], "XXL"),
        (&["pattern", "draft", "t-shirt", "--set", "sleve=1", "--out", "x.svg"], "sleeve_length"),
        (&["pattern", "draft", "t-shirt", "--out", "y.svg", "--out", "x.png"], ".toml"),
        (&["pattern", "draft", "t-shirt", "--body", "woman-39", "--out", "x.svg"], "woman-38"),
        (&["pattern", "check", "bad.toml"], "bad.toml:1"),
        (&["pattern", "show", "x.pdf"], ".dxf"),
    ] {
        let error = toile(folder.path(), args).bad();
        assert!(error.contains(told) && error.contains("help"), "{args:?}: {error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
