//! `--log` and `--trace`: what they tell, where it goes, and that nothing else changes.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::helper::toile;

/// A cloth that falls on the mesh of a ball, four frames.
const SCENE: &str = r#"
name = "observed"
[time]
duration = 0.1333
frame_rate = 30
[[cloth]]
position = [0.0, 0.31, 0.0]
shape = { kind = "grid", size = [0.6, 0.6], vertices = [11, 11] }
[[obstacle]]
triangulate = true
shape = { kind = "sphere", radius = 0.3 }
[output]
glb = false
checkpoint_every = 2
"#;

fn write_scene(folder: &Path, model: &str) {
    std::fs::write(folder.join("my.toml"), format!("{SCENE}[solver]\nmodel = \"{model}\"\n")).unwrap();
}

/// Runs the scene in `folder` with more words.
fn run(folder: &Path, more: &[&str]) -> crate::helper::Answer {
    toile(folder, &[&["run", "my.toml", "--out", "run", "--no-pictures", "--overwrite"], more].concat())
}

/// The events of a trace.
fn events(path: &Path) -> Vec<Value> {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Thread, begin and end of a complete event [µs].
fn place(event: &Value) -> (u64, f64, f64) {
    let begin = event["ts"].as_f64().unwrap();
    (event["tid"].as_u64().unwrap(), begin, begin + event["dur"].as_f64().unwrap())
}

/// Whether `inner` lies within `outer`, but for the rounding of sums.
fn is_within(inner: &Value, outer: &Value) -> bool {
    let ((thread, begin, end), (other, first, last)) = (place(inner), place(outer));
    thread == other && first <= begin && end <= last + 1e-3
}

#[test]
fn a_trace_has_every_phase_within_its_frame_for_both_models() {
    let all = BTreeSet::from(["pose", "predict", "detect", "respond", "solve", "guard", "present", "report"]);
    for model in ["constraint", "fem"] {
        let folder = tempfile::tempdir().unwrap();
        write_scene(folder.path(), model);
        let summary = run(folder.path(), &["--json", "--trace", "trace.json"]).json();
        let plain = run(folder.path(), &["--json"]).json();
        assert_eq!(summary["state_hash"], plain["state_hash"], "{model}");
        let events = events(&folder.path().join("trace.json"));
        let named = |name: &str| events.iter().filter(|e| e["name"] == name && e["ph"] == "X").collect::<Vec<_>>();
        let frames = named("frame");
        assert_eq!(frames.len(), 4);
        for (k, frame) in frames.iter().enumerate() {
            assert_eq!(frame["args"]["frame"], k + 1);
            let t0 = frame["args"]["t0"].as_f64().unwrap();
            assert!((t0 - k as f64 / 30.0).abs() < 1e-12, "{frame}");
        }
        let mut seen = BTreeSet::new();
        for phase in events.iter().filter(|e| e["cat"] == "toile::phase") {
            assert_eq!(phase["ph"], "X");
            assert!(frames.iter().any(|frame| is_within(phase, frame)), "{phase}");
            seen.insert(phase["name"].as_str().unwrap());
        }
        // With contacts in the implicit solve there is nothing to tidy.
        let expected =
            if model == "fem" { all.iter().copied().filter(|p| *p != "present").collect() } else { all.clone() };
        assert_eq!(seen, expected, "{model}");
        let steps = named("step");
        assert!(steps.iter().all(|step| step["args"]["depth"].is_u64() && step["args"]["t1"].is_f64()));
        assert!(steps.iter().all(|step| frames.iter().any(|frame| is_within(step, frame))));
        assert!(named("attempt").iter().all(|attempt| steps.iter().any(|step| is_within(attempt, step))));
        assert!(named("solve").iter().all(|solve| named("attempt").iter().any(|attempt| is_within(solve, attempt))));
        let told = |name: &str| events.iter().filter(|e| e["name"] == name && e["ph"] == "i").count();
        assert!(told("list of candidates renewed") >= 4, "a list is dropped where a frame ends");
        assert_eq!((told("run started"), told("checkpoint written"), told("frame simulated")), (1, 2, 4));
    }
}

#[test]
fn the_log_goes_to_standard_error_only_and_changes_no_bit() {
    let folder = tempfile::tempdir().unwrap();
    write_scene(folder.path(), "constraint");
    let silent = run(folder.path(), &["--json"]);
    assert_eq!(silent.err, "");
    for filter in ["debug", "warn,toile=debug", "trace"] {
        let logged = run(folder.path(), &["--json", "--log", filter]);
        assert_eq!(logged.code, 0);
        assert_eq!(logged.json()["state_hash"], silent.json()["state_hash"]);
        assert_eq!(logged.out.lines().count(), silent.out.lines().count());
        assert_eq!(logged.err.matches("frame simulated").count(), 4, "{}", logged.err);
        assert_eq!(logged.err.matches("checkpoint written").count(), 2, "{}", logged.err);
        // Spans tell their times only where everything is asked for.
        assert_eq!(logged.err.contains("time.busy"), filter == "trace");
    }
    // Lines of the run itself stay on standard output.
    let (plain, logged) = (run(folder.path(), &[]), run(folder.path(), &["--log", "info"]));
    assert_eq!(logged.out.lines().count(), plain.out.lines().count());
    assert!(logged.err.contains("run started") && !logged.err.contains("frame simulated"), "{}", logged.err);
}

#[test]
fn a_filter_lets_only_its_target_through() {
    let folder = tempfile::tempdir().unwrap();
    write_scene(folder.path(), "fem");
    let err = run(folder.path(), &["--quiet", "--log", "toile_contact=debug"]).err;
    assert!(err.lines().count() >= 4 && err.lines().all(|line| line.contains("list of candidates")), "{err}");
    let resumed = toile(folder.path(), &["run", "--resume", "run", "--no-pictures", "--log", "toile_scene=info"]);
    assert_eq!((resumed.code, resumed.err.lines().count()), (0, 1), "{}", resumed.err);
    assert!(resumed.err.contains("run resumed") && resumed.err.contains("frame=4"), "{}", resumed.err);
}

#[test]
fn a_bad_filter_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    write_scene(folder.path(), "constraint");
    for (filter, remedy) in [("loud", "trace"), ("toile=loud", "trace"), ("toyle=debug", "toile_contact")] {
        let answer = run(folder.path(), &["--log", filter]);
        assert_eq!((answer.code, answer.out.as_str()), (1, ""));
        assert!(answer.err.contains("--log") && answer.err.contains(remedy), "{}", answer.err);
    }
    assert!(!folder.path().join("run").exists(), "nothing was simulated");
}

#[test]
fn a_trace_that_cannot_be_written_or_would_be_empty_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    write_scene(folder.path(), "constraint");
    for path in [".", "gone/trace.json"] {
        let error = run(folder.path(), &["--trace", path]).bad();
        assert!(error.contains("cannot be written") && error.contains(path) && error.contains("--trace"), "{error}");
    }
    assert!(!folder.path().join("run").exists(), "nothing was simulated");
    for words in [&["scene", "my.toml"][..], &["demo", "--list"], &["fabric", "list"]] {
        let error = toile(folder.path(), &[words, &["--trace", "trace.json"]].concat()).bad();
        assert!(error.contains("does not simulate") && error.contains("try-on"), "{error}");
    }
    assert!(!folder.path().join("trace.json").exists());
}

#[test]
fn a_command_that_fails_leaves_a_whole_trace() {
    let folder = tempfile::tempdir().unwrap();
    let error = run(folder.path(), &["--trace", "trace.json"]).bad();
    assert!(error.contains("my.toml"), "{error}");
    let events = events(&folder.path().join("trace.json"));
    assert_eq!((events.len(), &events[0]["ph"]), (1, &Value::from("M")), "the name of the process alone");
}

#[test]
fn a_killed_run_leaves_a_whole_trace_of_its_frames() {
    let folder = tempfile::tempdir().unwrap();
    // Long enough never to end by itself.
    let scene = SCENE.replace("duration = 0.1333", "duration = 3000").replace("checkpoint_every = 2", "");
    std::fs::write(folder.path().join("my.toml"), scene).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_toile"))
        .args(["run", "my.toml", "--quiet", "--trace", "trace.json"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let path = folder.path().join("trace.json");
    let has_frames = || std::fs::read_to_string(&path).is_ok_and(|text| text.matches("\"frame\":").count() >= 3);
    while !has_frames() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    let frames = events(&path).iter().filter(|e| e["name"] == "frame").count();
    assert!(frames >= 3, "{frames}");
}
