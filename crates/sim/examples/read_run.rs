//! Runs a scene file into a folder and reads the frames back: `cargo run --release -p toile --example read_run`.

#![allow(clippy::print_stdout, reason = "an example speaks through its terminal")]

use std::ops::ControlFlow;

use toile_scene::{Run, RunReader, Scene};

const SCENE: &str = r#"
name = "tablecloth"
[time]
duration = 1.0
[[cloth]]
position = [0.0, 0.78, 0.0]
shape = { kind = "grid", size = [0.9, 0.9], vertices = [25, 25] }
[[obstacle]]
shape = { kind = "table", radius = 0.3 }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("run");
    let scene = Scene::from_toml("tablecloth.toml", SCENE)?;
    let mut run = Run::create(&scene, &folder)?;
    let outcome = run.run(&mut |frame| {
        let clean = frame.verdict.as_ref().is_none_or(toile::FrameVerdict::is_clean);
        if clean { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    println!("ran {} frames, broken off: {}", run.world().frame(), outcome.is_break());
    drop(run);

    let reader = RunReader::open(&folder)?;
    for frame in (0..reader.frame_count()).step_by(10) {
        let positions = reader.positions(frame)?;
        let lowest = positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let report = &reader.log()[frame].report;
        println!("{:.2} s: lowest point {:.3} m, {} contacts", report.time, lowest, report.obstacle_contacts);
    }
    Ok(())
}
