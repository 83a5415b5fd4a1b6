//! How deep cloth is in obstacles, by their signed distance: a measurement, for reports and tests.

use toile_contact::{PlacedObstacles, deepest_point_below};

use crate::World;

impl World {
    /// Depth of the deepest point of cloth in any obstacle that is known by its distance [m]; 0 if all are outside.
    ///
    /// Whole triangles count, not only their corners. Obstacles made of triangles have no inside and are passed over.
    ///
    /// ```
    /// use toile::prelude::*;
    /// use toile_mesh::generate::{Diagonals, grid};
    /// let mut builder = WorldBuilder::new(Settings::default());
    /// let sunk = grid([1.0, 1.0], [5, 5], Diagonals::Alternating).map_positions(|p| p - 0.02 * DVec3::Y);
    /// builder.cloth(Cloth::new("sheet", sunk, Fabric::default()));
    /// let still = Motion::at_rest(Pose::IDENTITY);
    /// builder.obstacle(Obstacle::new("floor", Shape::Plane, still, Friction::Coulomb(0.3)));
    /// let world = builder.build_as_given()?;
    /// assert_eq!(world.penetration(), 0.02);
    /// # Ok::<(), toile::WorldError>(())
    /// ```
    pub fn penetration(&self) -> f64 {
        let mut placed = PlacedObstacles::default();
        placed.place(&self.obstacles, self.time(), self.time());
        let mut deepest = 0.0;
        for triangle in &self.triangles {
            let corners = triangle.map(|v| self.state.x[v.0 as usize]);
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
