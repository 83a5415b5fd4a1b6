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

/// A scan in millimetres, z up, turned by 37°, is measured like the mannequin it was made of; bad words about it are refused.
#[test]
fn a_scan_is_measured_whatever_its_unit_axes_and_facing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("woman.toml"), WOMAN).unwrap();
    toile(folder.path(), &["body", "draft", "woman.toml", "--quiet"]).good();
    let text = std::fs::read_to_string(folder.path().join("woman.obj")).unwrap();
    let (sin, cos) = 37_f64.to_radians().sin_cos();
    let turned: Vec<String> = text
        .lines()
        .map(|line| match line.strip_prefix("v ") {
            None => line.to_owned(),
            Some(words) => {
                let p: Vec<f64> = words.split_whitespace().map(|word| 1000.0 * word.parse::<f64>().unwrap()).collect();
                format!("v {} {} {}", cos * p[0] + sin * p[2], sin * p[0] - cos * p[2], p[1])
            }
        })
        .collect();
    std::fs::write(folder.path().join("scan.obj"), turned.join("\n")).unwrap();
    let [scan, woman] =
        ["scan.obj", "woman.obj"].map(|file| toile(folder.path(), &["body", "measure", file, "--json"]).json());
    for key in ["height", "bust", "waist", "hip", "thigh", "upper_arm", "wrist", "neck"] {
        let read = |value: &serde_json::Value| value["measurements"][key].as_f64().unwrap();
        assert!((read(&scan) - read(&woman)).abs() < 3e-3, "{key}: {} {}", read(&scan), read(&woman));
    }
    let said = scan["import"].as_str().unwrap();
    assert!(said.contains("millimetres, +z up") && said.contains("turned by 37°"), "{said}");
    assert_eq!(scan["warnings"], serde_json::json!([]));
    let small = toile(folder.path(), &["body", "measure", "scan.obj", "--unit", "cm", "--json"]).json();
    assert!((small["measurements"]["height"].as_f64().unwrap() - 16.8).abs() < 0.01);
    let error = toile(folder.path(), &["body", "measure", "scan.obj", "--unit", "ell"]).bad();
    assert!(error.contains("scan.obj") && error.contains("mm"), "{error}");
    // It moves like a mannequin, and says what was assumed.
    let said = toile(folder.path(), &["body", "check", "scan.obj", "--motion", "walk", "--step", "0.3"]).good();
    assert!(said.contains("turned by 37°") && said.contains("never goes through itself"), "{said}");
    let error = toile(folder.path(), &["body", "pose", "scan.obj", "--motion", "own", "--out", "x.obj"]).bad();
    assert!(error.contains("no animation") && !folder.path().join("x.obj").exists(), "{error}");
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

#[test]
fn bodies_are_posed_checked_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["--triangles", "3000"];
    let args = ["body", "pose", "man-50", "--motion", "squat", "--time", "2", "--out", "low.obj", "--json"];
    let value = toile(folder.path(), &[&args[..], &small].concat()).json();
    assert_eq!((&value["file"], value["time"].as_f64()), (&"low.obj".into(), Some(2.0)));
    // A squatting man is lower than he stands.
    let heights = [&["body", "pose", "man-50", "--out", "tall.obj"][..], &small].concat();
    toile(folder.path(), &heights).good();
    let height = |file: &str| {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        let y = |line: &str| line.split_whitespace().nth(2).and_then(|y| y.parse::<f64>().ok());
        text.lines().filter(|line| line.starts_with("v ")).filter_map(y).fold(0.0, f64::max)
    };
    assert!(height("low.obj") < 0.9 * height("tall.obj") && (height("tall.obj") - 1.77).abs() < 0.01);
    let args = ["body", "check", "woman-38", "--motion", "walk", "--duration", "0.4", "--step", "0.2", "--json"];
    let value = toile(folder.path(), &[&args[..], &small].concat()).json();
    assert!(value["trouble"].as_array().unwrap().iter().all(|t| t["fold"] == true), "{value}");
    let said = toile(folder.path(), &["body", "check", "tall.obj"]).good();
    assert!(said.contains("taken as metres") && said.contains("never goes through itself"), "{said}");
    for (file, begin) in [("run.png", &b"\x89PNG"[..]), ("run.gif", b"GIF8")] {
        let args = ["body", "render", "person", "--motion", "run", "--duration", "0.1", "--poses", "2", "--out", file];
        toile(folder.path(), &[&args[..], &small].concat()).good();
        assert!(std::fs::read(folder.path().join(file)).unwrap().starts_with(begin));
    }
}

#[test]
fn bodies_that_cannot_move_so_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.bvh"), "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0\n").unwrap();
    for (args, told) in [
        (&["body", "pose", "woman-39", "--out", "x.obj"][..], "woman-38"),
        (&["body", "pose", "man-50", "--motion", "wlak", "--out", "x.obj"], "walk"),
        (&["body", "pose", "man-50", "--motion", "bad.bvh", "--out", "x.obj"], "line 4"),
        (&["body", "pose", "man-50", "--pose", "z", "--out", "x.obj"], "a-"),
        (&["body", "render", "man-50", "--out", "x.jpg"], ".png"),
        (&["body", "check", "man-50", "--step", "0"], "positive"),
    ] {
        let error = toile(folder.path(), args).bad();
        assert!(error.contains(told) && error.contains("help"), "{args:?}: {error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
