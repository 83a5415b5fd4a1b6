//! `toile info` on a mesh, a scene and a run.

use serde_json::json;

use crate::helper::{CROSSED, toile, write_ball, write_run};

#[test]
fn facts_of_a_ball() {
    let folder = tempfile::tempdir().unwrap();
    write_ball(folder.path(), "ball.obj");
    insta::assert_snapshot!(toile(folder.path(), &["info", "ball.obj"]).good());
    let value = toile(folder.path(), &["info", "ball.obj", "--json"]).json();
    // Euler: V − E + F = 2.
    assert_eq!((&value["vertices"], &value["edges"], &value["triangles"]), (&json!(162), &json!(480), &json!(320)));
    let volume = value["volume"].as_f64().unwrap();
    let ball = std::f64::consts::PI / 6.0;
    assert!((0.95 * ball..ball).contains(&volume), "{volume}");
}

#[test]
fn facts_of_a_scene() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), CROSSED).unwrap();
    insta::assert_snapshot!(toile(folder.path(), &["info", "my.toml"]).good());
    let value = toile(folder.path(), &["info", "my.toml", "--json"]).json();
    assert_eq!(value["cloths"][1], json!({ "name": "upright", "shape": "disc", "vertices": 37 }));
    assert_eq!(value["obstacles"][1], json!({ "name": "ball", "shape": "sphere", "moves": true }));
}

#[test]
fn facts_of_obstacles_that_are_meshes() {
    let folder = tempfile::tempdir().unwrap();
    write_ball(folder.path(), "ball.obj");
    let scene = "[time]\nduration = 1\n[[cloth]]\n[[obstacle]]\nshape = { kind = \"mesh\", file = \"ball.obj\" }\n\
                 [[obstacle]]\nshape = { kind = \"wave\", cells = 3, keyframe_rate = 10 }\n\
                 [[obstacle]]\nspin = 1\ntriangulate = true\nshape = { kind = \"box\" }";
    std::fs::write(folder.path().join("my.toml"), scene).unwrap();
    let text = toile(folder.path(), &["info", "my.toml"]).good();
    assert!(text.contains("obstacle-1: mesh, 320 triangles\n"), "{text}");
    assert!(text.contains("obstacle-2: wave, 18 triangles, 11 keyframes, moves\n"), "{text}");
    assert!(text.contains("obstacle-3: box, 12 triangles, moves\n"), "{text}");
    let value = toile(folder.path(), &["info", "my.toml", "--json"]).json();
    assert_eq!(
        value["obstacles"][0],
        json!({ "name": "obstacle-1", "shape": "mesh", "triangles": 320, "moves": false })
    );
}

#[test]
fn facts_of_a_run_that_was_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), "run");
    let text = toile(folder.path(), &["info", "run"]).good();
    assert!(text.contains("frames done  3 of 3\n"), "{text}");
    assert!(text.contains("not complete; go on with `toile run --resume`"), "{text}");
    assert!(text.contains("intersections in 4 of 4 frames"), "{text}");
    // 73 particles of three 4-byte numbers in 4 frames.
    assert!(text.contains("  3.5 kB  frames/positions.f32\n"), "{text}");
    // Half of the last frame is missing.
    let positions = std::fs::File::options().write(true).open(folder.path().join("run/frames/positions.f32")).unwrap();
    positions.set_len(4 * 73 * 12 - 400).unwrap();
    let value = toile(folder.path(), &["info", "run", "--json"]).json();
    assert_eq!(value["state"], json!({ "complete": false, "frames_done": 2, "frames": 3 }));
}

#[test]
fn facts_of_a_run_that_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), CROSSED).unwrap();
    let run = toile(folder.path(), &["run", "my.toml", "-q", "--no-pictures", "--out", "run"]);
    assert_eq!(run.code, 2, "it ends, but it is not clean: {}", run.err);
    let value = toile(folder.path(), &["info", "run", "--json"]).json();
    assert_eq!(value["state"], json!({ "complete": true, "frames_done": 3, "frames": 3 }));
    let report = std::fs::read_to_string(folder.path().join("run/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(value["judge"], report["judge"]);
    assert!(value["judge"]["intersections_total"].as_u64().unwrap() > 0);
}

#[test]
fn what_is_not_there_or_not_known_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = toile(folder.path(), &["info", "nothing"]).bad();
    assert!(error.contains("nothing: no such file or folder") && error.contains(".toml"), "{error}");
    let error = toile(folder.path(), &["info", "."]).bad();
    assert!(error.contains("is not a run: it has no scene.toml"), "{error}");
    std::fs::write(folder.path().join("a.txt"), "a").unwrap();
    let error = toile(folder.path(), &["info", "a.txt"]).bad();
    assert!(error.contains("\"txt\" is not the extension of a mesh file"), "{error}");
}
