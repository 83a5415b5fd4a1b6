//! `toile try-on`.

use crate::helper::toile;

#[test]
fn what_cannot_be_put_on_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    for (words, told) in [
        (&["--garment", "toga"][..], "t-shirt"),
        (&["--garment", "t-shirt", "--size", "huge"], "XXL"),
        (&["--garment", "t-shirt", "--body", "woman-37"], "woman-38"),
        (&["--garment", "t-shirt", "--fabric", "jersy-knit"], "jersey-knit"),
        (&["--garment", "t-shirt", "--set", "lenght=0.6"], "length"),
        (&["--garment", "missing.toml"], "missing.toml"),
    ] {
        let error = toile(folder.path(), &[&["try-on", "--out", "worn"], words].concat()).bad();
        assert!(error.contains(told), "{words:?}: {error}");
        assert!(!folder.path().join("worn").exists());
    }
}

#[test]
fn a_garment_is_put_on_drawn_and_told_about() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("body.toml"), "figure = \"female\"\ntriangles = 3000\n").unwrap();
    // A short skirt without a band: few vertices.
    let set = ["--set", "length=0.25", "--set", "band_height=0"];
    let args =
        ["try-on", "--garment", "a-line-skirt", "--body", "body.toml", "--most-time", "0.1", "--out", "worn", "--json"];
    let value = toile(folder.path(), &[&args[..], &set].concat()).json();
    assert_eq!(
        (&value["report"]["verdict"]["cloth"], &value["report"]["verdict"]["obstacles"]),
        (&0.into(), &0.into())
    );
    assert!(value["report"]["largest_gap"].as_f64().unwrap() <= 1.5e-3 && value["report"]["settled"] == false);
    let read = |name: &str| std::fs::read(folder.path().join("worn").join(name)).unwrap();
    for name in ["front.png", "side.png", "back.png", "views.png"] {
        assert!(read(name).starts_with(b"\x89PNG"), "{name}");
    }
    assert!(read("worn.glb").starts_with(b"glTF") && read("pattern.svg").starts_with(b"<svg"));
    toile(&folder.path().join("worn"), &["check", "garment.obj", "--against", "body.obj"]).good();
    let report: serde_json::Value = serde_json::from_slice(&read("report.json")).unwrap();
    assert_eq!(report["report"]["stitches"], value["report"]["stitches"]);
}
