//! `toile torture`: the words round a run, and one small scene from end to end.

use serde_json::Value;

use crate::helper::toile;

#[test]
fn the_list_names_scenes_that_can_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    let list = toile(folder.path(), &["torture", "--list", "--json"]).good();
    let listed: Vec<Value> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(listed.len() >= 19);
    let plain = toile(folder.path(), &["torture", "--list"]).good();
    for scene in &listed {
        assert!(plain.contains(scene["description"].as_str().unwrap()), "{scene}");
    }
    let name = listed[0]["scene"].as_str().unwrap();
    let text = toile(folder.path(), &["torture", "--show", name]).good();
    std::fs::write(folder.path().join("shown.toml"), text).unwrap();
    assert!(toile(folder.path(), &["scene", "shown.toml"]).good().contains("valid"));
}

#[test]
fn a_scene_is_told_in_one_line_and_recorded_with_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["torture", "table-edge-49-vertices", "--short", "--out", "out"];
    let answer = toile(folder.path(), &args);
    let lines: Vec<&str> = answer.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}{}", answer.out, answer.err);
    assert!(lines[1].starts_with("table-edge-49-vertices"));
    assert!(lines[1].contains("PASS, fails as expected") || lines[1].contains("FAIL: "), "{}", lines[1]);
    assert_eq!(answer.code, 2 * i32::from(lines[1].contains("FAIL")));
    for file in ["preview.png", "preview.gif", "report.json", "scene.toml"] {
        assert!(folder.path().join("out/table-edge-49-vertices").join(file).is_file(), "{file}");
    }
}

/// A scene whose cloth is too coarse for its response: its run ends, but is not clean, and says so last.
#[test]
fn a_run_with_intersections_ends_with_code_2_and_says_so_last() {
    let folder = tempfile::tempdir().unwrap();
    toile(folder.path(), &["torture", "table-edge-49-vertices", "--short", "--out", "out"]);
    let scene = "out/table-edge-49-vertices/scene.toml";
    let answer = toile(folder.path(), &["run", scene, "--out", "again", "--no-pictures"]);
    let report = std::fs::read_to_string(folder.path().join("again/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let bad = report["judge"]["frames_with_intersections"].as_u64().unwrap();
    assert!(bad > 0, "the scene has become harmless; choose another for this test");
    assert_eq!(answer.code, 2, "{}", answer.err);
    let last = answer.out.lines().last().unwrap();
    assert!(last.starts_with("NOT CLEAN: ") && last.contains(&format!("in {bad} of ")), "{last}");
    assert_eq!(report["body_overlaps"], serde_json::json!([]));
}

#[test]
fn as_json_a_scene_is_one_object_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let run = |threads: &str| {
        let args = ["torture", "table-edge-49", "--short", "--json", "--threads", threads];
        let answer = toile(folder.path(), &args);
        let told = answer.json();
        assert_eq!(answer.code, 2 * i32::from(told["verdict"] == "fail"), "{told}");
        assert_eq!(told["frames"], 61);
        told
    };
    assert_eq!(run("1")["state_hash"], run("3")["state_hash"]);
}

#[test]
fn unknown_scenes_and_empty_commands_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let bad = toile(folder.path(), &["torture", "neeedles"]).bad();
    assert!(bad.contains("neeedles") && bad.contains("reef-knot"), "{bad}");
    let empty = toile(folder.path(), &["torture"]);
    assert_eq!(empty.code, 1);
}
