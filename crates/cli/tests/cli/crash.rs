//! `toile run` killed at any moment: the run goes on from its newest checkpoint and ends as if nothing had happened.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::helper::toile;

/// Falls onto a turning ball; the hand lets go in the middle.
const SCENE: &str = r#"
name = "falling"
[time]
duration = 0.8
[[cloth]]
position = [0, 0.25, 0]
bend_min = 0.8
shape = { kind = "grid", size = [0.6, 0.6], vertices = [17, 17] }
[[cloth.hold]]
vertices = [0]
until = 0.4
[[obstacle]]
spin = 1
shape = { kind = "sphere", radius = 0.2 }
[output]
glb = false
"#;

fn start(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_toile"))
        .args(args)
        .args(["--no-pictures", "--quiet"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Frame of the newest checkpoint, by its name.
fn newest_checkpoint(run: &Path) -> Option<u32> {
    let names = std::fs::read_dir(run.join("checkpoint")).ok()?.map(|e| e.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_prefix("frame_")?.strip_suffix(".toile")?.parse().ok()).max()
}

/// Kills the program `delay` after it has saved a checkpoint of frame `frame` or later; whether it was still running.
fn kill_after(mut child: Child, run: &Path, frame: u32, delay: Duration) -> bool {
    let deadline = Instant::now() + Duration::from_mins(1);
    while newest_checkpoint(run).is_none_or(|newest| newest < frame) {
        assert!(Instant::now() < deadline, "no checkpoint of frame {frame} after a minute");
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(delay);
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

fn report(run: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(run.join("report.json")).unwrap()).unwrap()
}

#[test]
fn a_killed_run_resumes_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("falling.toml"), SCENE).unwrap();
    let args = ["run", "falling.toml", "--no-pictures", "--quiet", "--out"];
    toile(folder.path(), &[&args[..], &["whole"]].concat()).good();
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    let child = start(folder.path(), &["run", "falling.toml", "--out", "killed", "--checkpoint-every", "1"]);
    assert!(kill_after(child, &killed, 1, Duration::ZERO));
    let mut kills = 1;
    for (frame, delay_ms) in [(4, 0), (9, 3), (14, 8), (18, 1)] {
        let child = start(folder.path(), &["run", "--resume", "killed"]);
        kills += u32::from(kill_after(child, &killed, frame, Duration::from_millis(delay_ms)));
        assert!(newest_checkpoint(&killed) >= Some(frame));
    }
    assert!(kills >= 3, "too fast to be killed: {kills}");
    toile(folder.path(), &["run", "--resume", "killed", "--no-pictures", "--quiet"]).good();
    let [expected, found] = [&whole, &killed].map(|run| report(run));
    for key in
        ["state_hash", "frames", "steps", "judge", "largest_stretch", "largest_stretch_frame", "smallest_separation"]
    {
        assert_eq!(found[key], expected[key], "{key}");
    }
    for file in ["frames/positions.f32", "pc2/cloth-1.pc2"] {
        let [expected, found] = [&whole, &killed].map(|run| std::fs::read(run.join(file)).unwrap());
        assert!(expected == found, "{file}");
    }
}

#[test]
fn a_run_killed_while_it_begins_can_be_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let short = SCENE.replace("duration = 0.8", "duration = 0.1");
    std::fs::write(folder.path().join("falling.toml"), short).unwrap();
    let args = ["run", "falling.toml", "--out", "run"];
    for delay_ms in [0, 2, 4, 6, 8, 11, 15, 20] {
        let mut child = start(folder.path(), &args);
        std::thread::sleep(Duration::from_millis(delay_ms));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    toile(folder.path(), &[&args[..], &["--no-pictures", "--quiet"]].concat()).good();
    assert_eq!(report(&folder.path().join("run"))["frames"], 4);
}
