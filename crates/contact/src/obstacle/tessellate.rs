//! Triangle meshes of obstacles, for drawing and for checking results by other means.
//!
//! All vertices lie on the exact surface, so the mesh of a convex piece is inside the piece: cloth that keeps clear
//! of the piece keeps clear of the mesh. The half space is drawn as a finite square.

use toile_mesh::{TriMesh, generate};

use super::{Obstacle, Shape};

/// How finely obstacles are meshed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tessellation {
    /// Edges round a full circle; default 48. More make round bodies rounder.
    pub segments: usize,
    /// Edge length of the square that stands for a half space [m]; default 10.
    pub plane_size: f64,
}

impl Default for Tessellation {
    fn default() -> Self {
        Self { segments: 48, plane_size: 10.0 }
    }
}

impl Shape {
    /// The surface in the local frame, closed and counter-clockwise seen from outside; an open square for the half
    /// space.
    pub fn tessellate(&self, fineness: &Tessellation) -> TriMesh {
        let segments = fineness.segments;
        match *self {
            Self::Sphere { radius } => generate::uv_sphere(radius, segments, segments.div_ceil(2)),
            Self::Cuboid { half_size } => generate::cuboid(2.0 * half_size, 1),
            Self::Capsule { radius, half_height } => {
                generate::capsule(radius, 2.0 * half_height, segments, segments.div_ceil(4))
            }
            Self::Cylinder { radius, half_height } => generate::cylinder(radius, 2.0 * half_height, segments),
            Self::Plane => generate::plane([fineness.plane_size; 2], [1, 1]),
        }
    }
}

impl Obstacle {
    /// All pieces where they are at time `t` [s], as separate parts of one mesh.
    pub fn tessellate(&self, fineness: &Tessellation, t: f64) -> TriMesh {
        let pose = self.motion.pose_at(t);
        let mut mesh = TriMesh::default();
        for piece in &self.pieces {
            let world = pose.then(&piece.pose);
            mesh.append(&piece.shape.tessellate(fineness).map_positions(|p| world.to_world(p)));
        }
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Friction, Motion, Piece, Pose};
    use toile_mesh::{DQuat, DVec3, signed_volume};

    const SHAPES: [Shape; 4] = [
        Shape::Sphere { radius: 0.7 },
        Shape::Cuboid { half_size: DVec3::new(0.5, 0.3, 0.8) },
        Shape::Capsule { radius: 0.3, half_height: 0.5 },
        Shape::Cylinder { radius: 0.6, half_height: 0.25 },
    ];

    #[test]
    fn the_mesh_is_inscribed_in_the_body() {
        for shape in SHAPES.into_iter().chain([Shape::Plane]) {
            let mesh = shape.tessellate(&Tessellation::default());
            for &p in &mesh.positions {
                // The centres of the caps of a cylinder are on its surface as well.
                assert!(shape.distance(p).abs() < 1e-15, "{shape:?}: vertex {p}");
            }
            for f in mesh.faces() {
                let [a, b, c] = mesh.corners(f);
                assert!(shape.distance((a + b + c) / 3.0) < 1e-15, "{shape:?}: triangle {f}");
            }
        }
    }

    #[test]
    fn the_meshed_volume_approaches_that_of_the_body() {
        use std::f64::consts::PI;
        let volumes = [
            4.0 / 3.0 * PI * 0.7_f64.powi(3),
            8.0 * 0.5 * 0.3 * 0.8,
            PI * 0.09 * (1.0 + 4.0 / 3.0 * 0.3),
            PI * 0.36 * 0.5,
        ];
        for (shape, volume) in SHAPES.into_iter().zip(volumes) {
            let meshed = signed_volume(&shape.tessellate(&Tessellation { segments: 400, ..Tessellation::default() }));
            assert!((meshed / volume - 1.0).abs() < 1e-3, "{shape:?}: {meshed} instead of {volume}");
        }
    }

    #[test]
    fn pieces_are_meshed_where_they_are() {
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let piece = |shape, x| Piece { shape, pose: Pose::at(DVec3::new(x, 0.0, 0.0)) };
        let obstacle = Obstacle {
            pieces: vec![piece(SHAPES[0], 0.0), piece(SHAPES[3], 2.0)],
            ..Obstacle::new(
                "pair",
                SHAPES[0],
                Motion::at_rest(Pose { position: DVec3::Y, rotation: quarter }),
                Friction::Scaled(0.0),
            )
        };
        let bounds = obstacle.tessellate(&Tessellation::default(), 0.0).bounds();
        // The second piece lies at (0, 3, 0) and its axis along −x.
        assert!((bounds.max - DVec3::new(0.7, 3.6, 0.7)).length() < 1e-14);
        assert!((bounds.min - DVec3::new(-0.7, 0.3, -0.7)).length() < 1e-14);
    }
}
