//! How deep cloth is in obstacles, by their signed distance: a measurement, for reports and tests.

use toile_contact::{Obstacle, PlacedObstacles, deepest_point_below};
use toile_mesh::{DVec3, VertexId};

/// Depth of the deepest point of triangles over `x` in any obstacle at time `t` [m]; 0 if all are outside.
pub(crate) fn deepest(obstacles: &[Obstacle], triangles: &[[VertexId; 3]], x: &[DVec3], t: f64) -> f64 {
    let mut placed = PlacedObstacles::default();
    placed.place(obstacles, t, t);
    let mut deepest = 0.0;
    for triangle in triangles {
        let corners = triangle.map(|v| x[v.index()]);
        let size = corners[0].distance(corners[1]).max(corners[0].distance(corners[2]));
        for piece in placed.pieces().iter().filter(|piece| piece.may_touch(corners[0], size)) {
            let local = corners.map(|x| piece.pose.to_local(x));
            if let Some(point) = deepest_point_below(&piece.shape, local, -deepest, 0.0) {
                deepest = -point.distance;
            }
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use toile_mesh::generate::{Diagonals, grid};

    use crate::prelude::*;

    /// Depth of a square of two triangles, 0.2 m above the origin, in balls at heights 0: place along x and radius [m].
    fn penetration(balls: &[[f64; 2]]) -> f64 {
        let mut builder = WorldBuilder::new(Settings::default());
        let square = grid([1.0, 1.0], [2, 2], Diagonals::Alternating).map_positions(|p| p + 0.2 * DVec3::Y);
        builder.cloth(Cloth::new("square", square, Fabric::default()));
        for (k, [x, radius]) in balls.iter().enumerate() {
            let motion = Motion::at_rest(Pose::at(*x * DVec3::X));
            let shape = Shape::Sphere { radius: *radius };
            builder.obstacle(Obstacle::new(format!("ball-{k}"), shape, motion, Friction::Coulomb(0.3)));
        }
        builder.build_as_given().unwrap().penetration()
    }

    #[test]
    fn a_triangle_in_a_ball_counts_though_all_corners_are_outside() {
        assert!((penetration(&[[0.1, 0.25]]) - 0.05).abs() < 1e-12);
        assert!((penetration(&[[0.1, 0.25], [-0.1, 0.28]]) - 0.08).abs() < 1e-12);
        assert_eq!(penetration(&[[0.1, 0.19]]), 0.0);
    }
}
