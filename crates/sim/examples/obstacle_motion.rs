//! Moves obstacles from code between frames: `cargo run --release -p toile --example obstacle_motion`.
//!
//! A plate lifts a cloth on a spiral, and a soft ball below it breathes.

#![allow(clippy::print_stdout, reason = "an example speaks through its terminal")]

use toile::prelude::*;
use toile_mesh::generate::{Diagonals, grid, icosphere};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = WorldBuilder::new(Settings::default());
    let sheet = grid([0.5, 0.5], [17, 17], Diagonals::Alternating).map_positions(|p| p + 0.06 * DVec3::Y);
    builder.cloth(Cloth::new("sheet", sheet, Fabric::default()));
    let plate = Shape::Cuboid { half_size: DVec3::new(0.2, 0.05, 0.2) };
    let still = Motion::at_rest(Pose::IDENTITY);
    let plate = builder.obstacle(Obstacle::new("plate", plate, still, Friction::Coulomb(0.6)));
    let ball = icosphere(0.1, 3);
    let balloon = builder.mesh_obstacle(MeshObstacle {
        name: "balloon".into(),
        mesh: ball.clone(),
        deformation: None,
        motion: Motion::at_rest(Pose::at(-0.3 * DVec3::Y)),
        friction: Some(Friction::Coulomb(0.3)),
        padding: 0.0,
    });

    let mut world = builder.build()?;
    for frame in 1..=60 {
        // Both arrive when the next frame ends.
        let t = f64::from(frame) / world.settings().time.frame_rate;
        let position = DVec3::new(0.1 * t.sin(), 0.15 * t, 0.1 - 0.1 * t.cos());
        world.move_obstacle(plate, Pose { position, rotation: DQuat::from_rotation_y(0.5 * t) })?;
        let breath = 1.0 + 0.2 * (3.0 * t).sin();
        world.set_obstacle_vertices(balloon, ball.positions.iter().map(|p| breath * *p).collect())?;
        world.advance();
        if frame % 20 == 0 {
            let middle = world.state().x.iter().sum::<DVec3>() / world.state().x.len() as f64;
            println!("{t:.2} s: plate at {position:.3}, cloth around {middle:.3}");
        }
    }
    assert!(world.judge().is_clean());
    Ok(())
}
