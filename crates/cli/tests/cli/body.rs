//! `toile body`.

use crate::helper::toile;

const WOMAN: &str = "figure = \"female\"\nunit = \"cm\"\ntriangles = 5000\n[measurements]\nheight = 168\nbust = 88\nwaist = 72\nhip = 97\n";

#[test]
fn a_mannequin_is_drafted_and_measures_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("woman.toml"), WOMAN).unwrap();
    let args = ["body", "draft", "woman.toml", "--picture", "woman.png", "--tapes", "--json"];
    let value = toile(folder.path(), &args).json();
    assert_eq!(value["file"], "woman.obj");
    for (key, metres) in [("height", 1.68), ("bust", 0.88), ("waist", 0.72), ("hip", 0.97)] {
        let read = value["measurements"][key].as_f64().unwrap();
        assert!((read - metres).abs() < 2e-3, "{key}: {read}");
    }
    // Its landmarks are found again on the mesh alone, as on a scan.
    let found = toile(folder.path(), &["body", "measure", "woman.obj", "--json"]).json();
    let height = found["measurements"]["height"].as_f64().unwrap();
    assert!((height - 1.68).abs() < 1e-6 && found["triangles"] == value["triangles"]);
    assert!(toile(folder.path(), &["body", "measure", "woman.obj"]).good().contains("hip girth"));
    assert!(std::fs::read(folder.path().join("woman.png")).unwrap().starts_with(b"\x89PNG"));
    toile(folder.path(), &["check", "woman.obj"]).good();
}

#[test]
fn bodies_that_cannot_be_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for (text, told) in [
        ("unit = \"cm\"\n[measurements]\nheight = 168\ninseam = 170\n", "inseam"),
        ("[measurements]\nheigth = 1.68\n", "height"),
        ("figure = 3\n", "figure"),
    ] {
        std::fs::write(folder.path().join("body.toml"), text).unwrap();
        let error = toile(folder.path(), &["body", "draft", "body.toml", "--picture", "body.png"]).bad();
        assert!(error.contains("body.toml") && error.contains(told) && error.contains("help"), "{error}");
        assert!(!folder.path().join("body.obj").exists() && !folder.path().join("body.png").exists());
    }
    std::fs::write(folder.path().join("tile.obj"), "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n").unwrap();
    let error = toile(folder.path(), &["body", "measure", "tile.obj"]).bad();
    assert!(error.contains("tile.obj") && error.contains("help"), "{error}");
}
