//! Sources of candidates that find nothing, half, and everything.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toile::prelude::*;
use toile_collide::impact::Method;
use toile_collide::{BruteForce, DetectError, Detector};
use toile_contact::{Candidate, CandidateSource, Candidates, MeshObstacle, Step};
use toile_mesh::{Surface, TriMesh};

use crate::{block, fem, sheet};

/// What a source passes on.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Share {
    Nothing,
    Half,
    All,
}

/// Candidates found by comparing all pairs, of which a share is passed on.
#[derive(Debug)]
struct Own {
    cloth: TriMesh,
    obstacle: MeshObstacle,
    share: Share,
    candidates: Option<Candidates>,
    passed: Vec<Candidate>,
    /// State of a random sequence.
    random: u64,
    /// Calls so far.
    calls: Arc<AtomicUsize>,
}

impl CandidateSource for Own {
    fn find(&mut self, step: &Step) -> Result<(), DetectError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let candidates = self.candidates.get_or_insert_with(|| {
            let make = Arc::new(|surfaces: Vec<Surface>| -> Box<dyn Detector> {
                Box::new(BruteForce::new(surfaces, Method::Conservative))
            });
            Candidates::new(step, &self.cloth, std::slice::from_ref(&self.obstacle), make, true)
        });
        candidates.forget(step.t1);
        candidates.cover(step)?;
        self.passed.clear();
        for pair in candidates.pairs() {
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let passes = match self.share {
                Share::Nothing => false,
                Share::Half => self.random >> 63 == 0,
                Share::All => true,
            };
            if passes {
                self.passed.push(*pair);
            }
        }
        Ok(())
    }

    fn found(&mut self) -> &mut [Candidate] {
        &mut self.passed
    }
}

/// Hashes of all frames of a sheet that falls over a small block; every frame is judged. Also how often the source was asked.
fn fall(settings: Settings, share: Option<Share>) -> (Vec<u64>, usize) {
    let mut builder = WorldBuilder::new(settings);
    let cloth = sheet(8, 0.01);
    let mesh = cloth.mesh.clone();
    builder.cloth(cloth);
    let obstacle = block(0.05);
    builder.mesh_obstacle(obstacle.clone());
    let mut world = builder.build().unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    if let Some(share) = share {
        let source = Own {
            cloth: mesh,
            obstacle,
            share,
            candidates: None,
            passed: Vec::new(),
            random: 1,
            calls: Arc::clone(&calls),
        };
        world.set_candidate_source(source);
    }
    let mut hashes = Vec::new();
    for _ in 0..12 {
        world.advance();
        assert!(world.failure().is_none());
        let verdict = world.judge();
        assert!(verdict.is_clean(), "{share:?}: {verdict:?}");
        hashes.push(world.hash());
    }
    // It lies on the block, not beside or below it.
    let middle = world.state().x[27].y;
    assert!(middle > 0.0, "{share:?}: the middle is at {middle} m");
    (hashes, calls.load(Ordering::Relaxed))
}

#[test]
fn a_source_that_finds_little_costs_quality_and_nothing_passes_through() {
    for settings in [Settings::default(), fem()] {
        let (usual, _) = fall(settings.clone(), None);
        for share in [Share::Nothing, Share::Half] {
            let (other, calls) = fall(settings.clone(), Some(share));
            assert!(calls > 12, "the source was asked {calls} times");
            assert_ne!(usual.last(), other.last(), "{:?} {share:?}", settings.solver.model);
        }
    }
}

#[test]
fn a_source_of_the_same_pairs_has_the_same_bits() {
    for settings in [Settings::default(), fem()] {
        let (usual, _) = fall(settings.clone(), None);
        let (own, calls) = fall(settings.clone(), Some(Share::All));
        assert!(calls > 12);
        assert_eq!(usual, own, "{:?}", settings.solver.model);
    }
}

/// Obstacles that move otherwise than when the world was made renew what finds contacts: the source stays.
#[test]
fn a_source_outlives_an_obstacle_that_is_moved() {
    let mut builder = WorldBuilder::new(Settings::default());
    let cloth = sheet(5, 0.01);
    let mesh = cloth.mesh.clone();
    builder.cloth(cloth);
    let id = builder.mesh_obstacle(block(0.05));
    let mut world = builder.build().unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    world.set_candidate_source(Own {
        cloth: mesh,
        obstacle: block(0.05),
        share: Share::Nothing,
        candidates: None,
        passed: Vec::new(),
        random: 1,
        calls: Arc::clone(&calls),
    });
    world.move_obstacle(id, Pose::at(0.001 * DVec3::X)).unwrap();
    world.advance();
    assert!(calls.load(Ordering::Relaxed) > 0);
}
