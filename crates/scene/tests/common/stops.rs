//! Runs that are cut while they go: with some threads, and stopped and resumed on the way.

use std::path::Path;

use toile_scene::{Run, Scene};

/// What `work` gives on so many threads.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// The whole run of a scene, every frame of it clean; stopped after frame `stop`, and resumed, if there is one.
pub(crate) fn whole_run(scene: &Scene, folder: &Path, stop: Option<u32>) -> Run {
    let mut run = Run::create(scene, folder).unwrap();
    if let Some(stop) = stop {
        while run.world().frame() < stop {
            run.advance().unwrap();
        }
        drop(run);
        run = Run::resume(folder).unwrap();
        assert_eq!(run.world().frame(), stop, "a checkpoint was written there");
    }
    while !run.is_complete() {
        assert!(run.advance().unwrap().verdict.as_ref().unwrap().is_clean());
    }
    run
}

/// All recorded positions.
pub(crate) fn recorded(run: &Run) -> Vec<u8> {
    std::fs::read(run.folder().join("frames/positions.f32")).unwrap()
}
