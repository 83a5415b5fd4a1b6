//! Timers of the phases: every phase that works is timed, and no time is counted twice.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

use std::time::Instant;

use toile::Phase;
use toile::prelude::*;
use toile_mesh::generate::{Diagonals, grid, icosphere};

/// A sheet that touches the mesh of a ball from the first frame.
fn draped(model: Model) -> World {
    let mut settings = Settings::default();
    settings.solver.model = model;
    let mut builder = WorldBuilder::new(settings);
    let sheet = grid([0.5, 0.5], [13, 13], Diagonals::Alternating).map_positions(|p| p + 0.205 * DVec3::Y);
    builder.cloth(Cloth::new("sheet", sheet, Fabric::default()));
    builder.mesh_obstacle(MeshObstacle {
        name: "ball".into(),
        mesh: icosphere(0.2, 3),
        motion: Motion::at_rest(Pose::IDENTITY),
        friction: Some(Friction::Coulomb(0.3)),
        padding: 0.0,
        deformation: None,
    });
    builder.build().unwrap()
}

#[test]
fn every_phase_is_timed_and_all_of_them_take_no_longer_than_the_frame() {
    for model in [Model::Constraint, Model::Fem] {
        let mut world = draped(model);
        for _ in 0..3 {
            let start = Instant::now();
            let report = world.advance();
            let wall = start.elapsed().as_secs_f64();
            assert!(report.near_pairs > 0, "the test needs contacts");
            for phase in Phase::ALL {
                // What is presented needs no tidying where contacts are part of the solve.
                let works = phase != Phase::Present || model == Model::Constraint;
                assert_eq!(report.times.get(phase) > 0.0, works, "{model:?}: {}", phase.name());
            }
            let sum = report.times.total();
            assert!(sum <= wall, "{model:?}: phases take {sum} s of {wall} s");
        }
    }
}
