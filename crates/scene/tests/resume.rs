//! A run that is interrupted and resumed ends like one that was not; what cannot be resumed is refused by name.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use std::path::{Path, PathBuf};
use toile_scene::{LoggedFrame, Run, RunError, RunReader, Scene};

use proptest::prelude::*;
use tempfile::TempDir;
use toile::{FrameReport, PhaseTimes, World};
use toile_scene::checkpoint::{self, CheckpointError};

const FRAMES: u32 = 12;

/// Falls onto a turning ball, held at two corners until between two frames in the middle of the run.
fn scene_text(checkpoint_every: u32) -> String {
    format!(
        r#"
        [time]
        duration = 0.4
        [forces]
        wind = [0.2, 0.0, 0.1]
        gust = 0.5
        [[cloth]]
        position = [0.0, 0.22, 0.0]
        bend_min = 0.8
        shape = {{ kind = "grid", size = [0.6, 0.6], vertices = [9, 9] }}
        [[cloth.hold]]
        vertices = [0, 8]
        until = 0.215
        path = [{{ time = 0.0 }}, {{ time = 0.4, offset = [0.3, 0.2, 0.0] }}]
        [[obstacle]]
        spin = 1.0
        velocity = [0.0, 0.1, 0.0]
        shape = {{ kind = "sphere", radius = 0.2 }}
        [output]
        checkpoint_every = {checkpoint_every}
        "#
    )
}

fn start(folder: &Path, checkpoint_every: u32, frames: u32) -> Run {
    let mut run = Run::create(&common::scene(&scene_text(checkpoint_every)), folder).unwrap();
    for _ in 0..frames {
        run.advance().unwrap();
    }
    run
}

fn finish(run: &mut Run) {
    while !run.is_complete() {
        run.advance().unwrap();
    }
}

/// A run folder after `frames` frames with a checkpoint every `checkpoint_every`, left by the simulation.
fn interrupted(checkpoint_every: u32, frames: u32) -> (TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("run");
    drop(start(&folder, checkpoint_every, frames));
    (parent, folder)
}

fn without_times(log: &[LoggedFrame]) -> Vec<LoggedFrame> {
    let strip = |frame: &LoggedFrame| LoggedFrame {
        report: FrameReport { times: PhaseTimes::default(), ..frame.report.clone() },
        verdict: frame.verdict.clone(),
    };
    log.iter().map(strip).collect()
}

/// All that a run leaves, but for times: state hash, bytes of the positions, log in memory and on disk.
struct Outcome {
    hash: u64,
    positions: Vec<u8>,
    log: Vec<LoggedFrame>,
    log_on_disk: Vec<LoggedFrame>,
}

fn outcome(run: &Run) -> Outcome {
    assert!(run.is_complete());
    Outcome {
        hash: run.world().hash(),
        positions: std::fs::read(run.folder().join("frames/positions.f32")).unwrap(),
        log: without_times(run.log()),
        log_on_disk: without_times(RunReader::open(run.folder()).unwrap().log()),
    }
}

#[track_caller]
fn assert_same(resumed: &Run, expected: &Outcome, what: &str) {
    let found = outcome(resumed);
    assert_eq!(found.hash, expected.hash, "{what}: other state");
    assert!(found.positions == expected.positions, "{what}: other positions.f32");
    assert_eq!((found.log.len(), found.log_on_disk.len()), (expected.log.len(), expected.log.len()), "{what}");
    for (k, frame) in expected.log.iter().enumerate() {
        assert_eq!(&found.log[k], frame, "{what}: other log");
        assert_eq!(&found.log_on_disk[k], frame, "{what}: other log.jsonl");
    }
}

fn uninterrupted() -> Outcome {
    let parent = tempfile::tempdir().unwrap();
    let mut run = start(&parent.path().join("run"), 0, 0);
    finish(&mut run);
    outcome(&run)
}

fn checkpoints(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("checkpoint")).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_resumed_run_ends_like_an_uninterrupted_one() {
    let expected = uninterrupted();
    assert_eq!(expected.log.len(), FRAMES as usize + 1);
    // The hand lets go after frame 6, between the checkpoint and the end of some of these.
    for (checkpoint_every, frames) in [(1, 1), (1, 6), (2, 5), (3, 7), (5, 11), (6, 12), (12, 12)] {
        let (_parent, folder) = interrupted(checkpoint_every, frames);
        let mut run = Run::resume(&folder).unwrap();
        assert_eq!(run.world().frame(), frames / checkpoint_every * checkpoint_every);
        assert_eq!(run.log().len(), run.world().frame() as usize + 1);
        finish(&mut run);
        assert_same(&run, &expected, &format!("every {checkpoint_every} frames, interrupted after {frames}"));
    }
}

#[test]
fn a_run_may_be_interrupted_again_and_again() {
    let (_parent, folder) = interrupted(1, 1);
    for frame in 1..FRAMES {
        let mut run = Run::resume(&folder).unwrap();
        assert_eq!(run.world().frame(), frame);
        run.advance().unwrap();
    }
    assert_same(&Run::resume(&folder).unwrap(), &uninterrupted(), "resumed in every frame");
}

#[test]
fn the_newest_two_checkpoints_are_kept_and_the_newest_is_used() {
    let (_parent, folder) = interrupted(2, 9);
    assert_eq!(checkpoints(&folder), ["frame_000006.toile", "frame_000008.toile"]);
    assert_eq!(Run::resume(&folder).unwrap().world().frame(), 8);
    std::fs::remove_file(folder.join("checkpoint/frame_000008.toile")).unwrap();
    let mut run = Run::resume(&folder).unwrap();
    assert_eq!(run.world().frame(), 6);
    finish(&mut run);
    assert_same(&run, &uninterrupted(), "resumed");
}

#[test]
fn what_a_crash_leaves_half_written_is_cut_back() {
    let (_parent, folder) = interrupted(2, 6);
    let append = |file: &str, bytes: &[u8]| {
        let path = folder.join(file);
        let old = std::fs::read(&path).unwrap();
        std::fs::write(path, [&old, bytes].concat()).unwrap();
    };
    append("frames/positions.f32", &[7; 1001]);
    append("frames/log.jsonl", br#"{"report":{"frame":7,"time":0.2333,"subst"#);
    std::fs::write(folder.join("checkpoint/.frame_000007.toile.1.tmp"), [1, 2, 3]).unwrap();
    assert_eq!(RunReader::open(&folder).unwrap().frame_count(), 7);
    let mut run = Run::resume(&folder).unwrap();
    assert_eq!(run.world().frame(), 6);
    finish(&mut run);
    assert_same(&run, &uninterrupted(), "resumed");
}

#[test]
fn a_log_line_cut_off_anywhere_is_tolerated() {
    let (_parent, folder) = interrupted(2, 5);
    let path = folder.join("frames/log.jsonl");
    let log = std::fs::read(&path).unwrap();
    let last_line = log[..log.len() - 1].iter().rposition(|b| *b == b'\n').unwrap() + 1;
    for end in (last_line..log.len()).step_by(37).chain([log.len() - 1]) {
        std::fs::write(&path, &log[..end]).unwrap();
        assert_eq!(Run::resume(&folder).unwrap().world().frame(), 4, "cut at {end}");
    }
}

#[test]
fn a_damaged_line_of_the_log_is_named() {
    let (_parent, folder) = interrupted(2, 5);
    let path = folder.join("frames/log.jsonl");
    let log = std::fs::read_to_string(&path).unwrap();
    for line in [1, 3, 5] {
        for damage in ["", "{}", "{\"report\":", "nonsense"] {
            let lines: Vec<&str> =
                log.lines().enumerate().map(|(k, l)| if k + 1 == line { damage } else { l }).collect();
            std::fs::write(&path, lines.join("\n") + "\n").unwrap();
            let error = Run::resume(&folder).unwrap_err().to_string();
            assert!(error.contains(&format!("log.jsonl:{line}: ")), "{error}");
            assert_eq!(RunReader::open(&folder).unwrap_err().to_string(), error);
        }
    }
}

#[test]
fn a_log_that_ends_before_the_checkpoint_is_refused() {
    let (_parent, folder) = interrupted(4, 5);
    let path = folder.join("frames/log.jsonl");
    let log = std::fs::read_to_string(&path).unwrap();
    let head: Vec<&str> = log.lines().take(4).collect();
    std::fs::write(&path, head.join("\n") + "\n").unwrap();
    let error = Run::resume(&folder).unwrap_err().to_string();
    assert!(error.contains("log.jsonl") && error.contains("ends before frame 4"), "{error}");
    std::fs::remove_file(&path).unwrap();
    let error = Run::resume(&folder).unwrap_err().to_string();
    assert!(error.contains("log.jsonl"), "{error}");
}

#[test]
fn positions_that_end_before_the_checkpoint_are_refused() {
    let (_parent, folder) = interrupted(4, 5);
    let path = folder.join("frames/positions.f32");
    let bytes = std::fs::read(&path).unwrap();
    let frame = 12 * 81;
    assert_eq!(bytes.len(), 6 * frame);
    for keep in [5 * frame - 1, frame, 0] {
        std::fs::write(&path, &bytes[..keep]).unwrap();
        let error = Run::resume(&folder).unwrap_err().to_string();
        assert!(error.contains("positions.f32") && error.contains("ends before frame 4"), "{error}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), keep as u64, "a refusal changes nothing");
    }
    std::fs::remove_file(&path).unwrap();
    let error = Run::resume(&folder).unwrap_err().to_string();
    assert!(error.contains("positions.f32"), "{error}");
    assert!(!path.exists());
}

/// A saved state of a small cloth, the world it fits, and a file to put altered copies into.
struct Saved {
    _folder: TempDir,
    file: PathBuf,
    bytes: Vec<u8>,
    scene: Scene,
    world: World,
}

fn saved() -> Saved {
    let folder = tempfile::tempdir().unwrap();
    let scene = common::scene("[[cloth]]\nshape = { kind = \"grid\", vertices = [3, 3] }");
    let mut world = scene.world().unwrap();
    let _ = world.advance();
    let file = checkpoint::save(&scene, &world, folder.path()).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    Saved { _folder: folder, file, bytes, scene, world }
}

impl Saved {
    /// The error that `bytes` give, which must leave the world alone.
    #[track_caller]
    fn refusal(&mut self, bytes: &[u8]) -> CheckpointError {
        std::fs::write(&self.file, bytes).unwrap();
        let hash = self.world.hash();
        let error = checkpoint::load(&self.scene, &mut self.world, &self.file).unwrap_err();
        assert_eq!(self.world.hash(), hash, "a refused checkpoint changes nothing");
        assert!(error.to_string().contains("frame_000001.toile"), "{error}");
        error
    }
}

#[test]
fn a_whole_checkpoint_brings_every_bit_back() {
    let saved = saved();
    let mut other = saved.scene.world().unwrap();
    checkpoint::load(&saved.scene, &mut other, &saved.file).unwrap();
    assert_eq!((other.frame(), other.state()), (1, saved.world.state()));
}

#[test]
fn a_checkpoint_cut_off_or_lengthened_is_refused() {
    let mut saved = saved();
    let bytes = saved.bytes.clone();
    for length in (0..bytes.len()).step_by(13).chain([bytes.len() - 1]) {
        let error = saved.refusal(&bytes[..length]);
        assert!(matches!(error, CheckpointError::Damaged { .. }), "{length}: {error}");
    }
    assert!(matches!(saved.refusal(&[&bytes[..], &[0]].concat()), CheckpointError::Damaged { .. }));
}

#[test]
fn a_checkpoint_with_any_bit_flipped_is_refused() {
    let mut saved = saved();
    let bytes = saved.bytes.clone();
    for at in (0..bytes.len()).filter(|k| *k < 40 || k % 17 == 0 || k + 10 > bytes.len()) {
        let mut altered = bytes.clone();
        altered[at] ^= 1 << (at % 8);
        let error = saved.refusal(&altered).to_string();
        let reason = match at {
            0..8 => "does not begin with the mark",
            8..12 => "this program reads version",
            _ => "checksum",
        };
        assert!(error.contains(reason), "byte {at}: {error}");
    }
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let mut saved = saved();
    let bytes = saved.bytes.clone();
    let mut scene = saved.scene.clone();
    // Pictures and checkpoints may change between; what moves the cloth may not.
    scene.output.checkpoint_every = 5;
    scene.camera.fov_deg = 50.0;
    let mut alike = scene.world().unwrap();
    checkpoint::load(&scene, &mut alike, &saved.file).unwrap();
    scene.forces.wind[0] = 1e-9;
    saved.world = scene.world().unwrap();
    saved.scene = scene;
    let error = saved.refusal(&bytes);
    assert!(matches!(error, CheckpointError::OtherScene { .. }), "{error}");
}

#[test]
fn a_run_with_a_damaged_or_no_checkpoint_is_refused_and_left_as_it_is() {
    let (_parent, folder) = interrupted(2, 5);
    let log = std::fs::read(folder.join("frames/log.jsonl")).unwrap();
    std::fs::write(folder.join("checkpoint/frame_000004.toile"), b"").unwrap();
    let error = Run::resume(&folder).unwrap_err().to_string();
    assert!(error.contains("frame_000004.toile is damaged"), "{error}");
    std::fs::remove_dir_all(folder.join("checkpoint")).unwrap();
    let error = Run::resume(&folder).unwrap_err();
    assert!(matches!(error, RunError::Checkpoint(CheckpointError::None { .. })), "{error}");
    assert!(error.to_string().contains("checkpoint"), "{error}");
    assert_eq!(std::fs::read(folder.join("frames/log.jsonl")).unwrap(), log);
}

#[test]
fn only_the_folder_of_a_run_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("missing")] {
        let error = Run::resume(&path).unwrap_err();
        assert!(matches!(error, RunError::NotARun { .. }), "{error}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_refused(noise in prop::collection::vec(any::<u8>(), 0..700), keep in 0..600_usize) {
        let mut saved = saved();
        // Noise of the right length behind a true beginning gets farther than noise alone.
        let mut bytes = saved.bytes.clone();
        let from = keep.min(bytes.len());
        for (byte, noise) in bytes[from..].iter_mut().zip(&noise) {
            *byte = *noise;
        }
        if bytes != saved.bytes {
            let _ = saved.refusal(&bytes);
        }
        let _ = saved.refusal(&noise);
    }

    #[test]
    fn arbitrary_run_files_never_panic(log in prop::collection::vec(any::<u8>(), 0..300), at in 0..2000_usize) {
        let (_parent, folder) = interrupted(1, 1);
        let path = folder.join("frames/log.jsonl");
        let mut bytes = std::fs::read(&path).unwrap();
        let from = at.min(bytes.len());
        bytes.splice(from..(from + log.len()).min(bytes.len()), log);
        std::fs::write(&path, &bytes).unwrap();
        let _ = RunReader::open(&folder);
        let _ = Run::resume(&folder);
    }
}

/// A run ends at the frame whose callback breaks; what was recorded stays, and it goes on from there.
#[test]
fn a_run_ends_within_a_frame_and_goes_on_later() {
    use std::ops::ControlFlow;
    let folder = TempDir::new().unwrap();
    let scene = Scene::from_toml("run.toml", &scene_text(1)).unwrap();
    let mut run = Run::create(&scene, &folder.path().join("run")).unwrap();
    let mut frames = 0;
    let outcome = run.run(&mut |_| {
        frames += 1;
        if frames == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(outcome.unwrap().is_break());
    assert_eq!((frames, run.world().frame(), run.log().len()), (3, 3, 4));
    drop(run);
    let mut run = Run::resume(&folder.path().join("run")).unwrap();
    assert!(run.run(&mut |_| ControlFlow::Continue(())).unwrap().is_continue());
    assert!(run.is_complete() && run.world().frame() == FRAMES);
}
