//! How deep cloth is in obstacles, by their signed distance: a measurement, for reports and tests.

use toile_contact::{PlacedObstacles, deepest_point_below};

use crate::World;

impl World {
    /// Depth of the deepest point of cloth in any obstacle that is known by its distance [m]; 0 if all are outside.
    ///
    /// Whole triangles count, not only their corners. Obstacles made of triangles have no inside and are passed over.
    ///
    /// ```
    /// use toile::{World, scene::Scene};
    /// let text = "[[cloth]]\nposition = [0, -0.02, 0]\n[[obstacle]]\nshape = { kind = \"plane\" }";
    /// let world = World::as_given(&Scene::from_toml("sunk.toml", text)?)?;
    /// assert_eq!(world.penetration(), 0.02);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
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
    use crate::World;
    use crate::scene::Scene;

    fn penetration(text: &str) -> f64 {
        World::as_given(&Scene::from_toml("test.toml", text).unwrap()).unwrap().penetration()
    }

    #[test]
    fn a_triangle_in_a_ball_counts_though_all_corners_are_outside() {
        let cloth = "[[cloth]]\nposition = [0, 0.2, 0]\nshape = { kind = \"grid\", vertices = [2, 2] }\n";
        let ball = |x: f64, r: f64| {
            format!("[[obstacle]]\nposition = [{x}, 0, 0]\nshape = {{ kind = \"sphere\", radius = {r} }}\n")
        };
        assert!((penetration(&format!("{cloth}{}", ball(0.1, 0.25))) - 0.05).abs() < 1e-12);
        assert!((penetration(&format!("{cloth}{}{}", ball(0.1, 0.25), ball(-0.1, 0.28))) - 0.08).abs() < 1e-12);
        assert_eq!(penetration(&format!("{cloth}{}", ball(0.1, 0.19))), 0.0);
    }
}
