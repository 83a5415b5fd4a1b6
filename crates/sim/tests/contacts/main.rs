//! Contacts as a caller of the library meets them: forces that are read, and a source of candidates of one's own.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod forces;
mod source;

use toile::prelude::*;
use toile_contact::{Friction, MeshObstacle, Motion, Pose};
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DVec3, TriMesh, VertexId};

/// Settings for finite elements.
fn fem() -> Settings {
    let mut settings = Settings::default();
    settings.solver.model = Model::Fem;
    settings
}

/// A sheet of 0.2 m with `n` vertices along each edge, `height` [m] above the origin.
fn sheet(n: usize, height: f64) -> Cloth {
    let mesh = grid([0.2, 0.2], [n, n], Diagonals::Alternating).map_positions(|p| p + height * DVec3::Y);
    Cloth::new("sheet", mesh, Fabric::default())
}

/// A box as triangles, its upper face at height 0.
fn block(half_width: f64) -> MeshObstacle {
    let corner = |k: usize| {
        let side = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        DVec3::new(half_width * side(0), 0.05 * side(1) - 0.05, half_width * side(2))
    };
    let faces = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    let mesh = TriMesh { positions: (0..8).map(corner).collect(), triangles: faces.map(|f| f.map(VertexId)).to_vec() };
    MeshObstacle {
        name: "block".to_owned(),
        mesh,
        deformation: None,
        motion: Motion::at_rest(Pose::IDENTITY),
        friction: Some(Friction::Coulomb(0.3)),
        padding: 0.0,
    }
}
