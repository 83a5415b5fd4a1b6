//! Grabs a corner of a hanging cloth, drags it along and throws it: `cargo run --release -p toile --example grab`.

#![allow(clippy::print_stdout, reason = "an example speaks through its terminal")]

use toile::prelude::*;
use toile_mesh::generate::{Diagonals, grid};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = WorldBuilder::new(Settings::default());
    // It hangs upright from its upper edge, whose vertices are the first ones.
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let flat = grid([0.4, 0.4], [13, 13], Diagonals::Alternating);
    let mesh = flat.clone().map_positions(|p| upright * p + DVec3::Y);
    let sheet = builder.cloth(Cloth { rest: flat.positions, ..Cloth::new("sheet", mesh, Fabric::default()) });
    builder.hold(Hold::new(sheet, (0..13).collect()));
    let mut world = builder.build()?;

    let corner = 168;
    let grab = world.grab(&[corner])?;
    let start = world.state().x[corner as usize];
    for frame in 1..=30 {
        let s = f64::from(frame) / 30.0;
        world.move_grab(grab, DVec3::new(0.0, 0.15 * s, 0.3 * s))?;
        world.advance();
    }
    let dragged = world.state().x[corner as usize];
    println!("dragged by {:.3} m in a second", dragged.distance(start));

    // A state can be kept, and gone back to, at any time.
    let saved = world.save();
    world.release(grab)?;
    println!("let go with {:.2} m/s", world.state().v[corner as usize].length());
    for _ in 0..15 {
        world.advance();
    }
    println!("half a second later it has fallen {:.3} m", dragged.y - world.state().x[corner as usize].y);
    world.restore(&saved)?;
    assert_eq!(world.state().x[corner as usize], dragged);
    Ok(())
}
