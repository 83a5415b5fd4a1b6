//! Drapes a square cloth over a ball, everything in memory: `cargo run --release -p toile --example drape`.

#![allow(clippy::print_stdout, reason = "an example speaks through its terminal")]

use toile::prelude::*;
use toile_mesh::generate::{Diagonals, grid};

fn main() -> Result<(), WorldError> {
    let mut settings = Settings::default();
    settings.solver.model = Model::Fem;
    let mut builder = WorldBuilder::new(settings);

    // 60 cm of a light cotton, flat, 5 cm above the ball. Its mesh could come from anywhere.
    let sheet = grid([0.6, 0.6], [25, 25], Diagonals::Alternating).map_positions(|p| p + 0.25 * DVec3::Y);
    builder.cloth(Cloth::new("cotton", sheet, Fabric::default()));
    let still = Motion::at_rest(Pose::IDENTITY);
    builder.obstacle(Obstacle::new("ball", Shape::Sphere { radius: 0.2 }, still, Friction::Coulomb(0.4)));

    let mut world = builder.build()?;
    for _ in 0..45 {
        let report = world.advance();
        if report.frame % 15 == 0 {
            let lowest = world.state().x.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            let contacts = world.contacts().len();
            println!("{:.2} s: hem {:.0} mm below the top, {contacts} contacts", world.time(), 1e3 * (0.2 - lowest));
        }
    }
    let strain = world.particle_strain().into_iter().fold(0.0, f64::max);
    println!("largest strain {:.2} %, intersections: {}", 100.0 * strain, world.judge().total());
    assert!(world.judge().is_clean());
    Ok(())
}
