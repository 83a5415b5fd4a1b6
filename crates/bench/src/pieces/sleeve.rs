//! [`Sleeve`]: a tube of cloth on an arm.

use std::f64::consts::TAU;

use toile_mesh::generate::motion::{FOREARM_LENGTH, Figure, Limb, MovingMesh, UPPER_ARM_LENGTH, smooth_step};
use toile_mesh::{DVec3, VertexId};

use super::worn::{Worn, WornVertex, edge_for};

/// From the shoulder joint to the upper hem [m].
const TOP: f64 = 0.10;
/// From the shoulder joint to the lower hem [m], along the stretched arm.
const BOTTOM: f64 = UPPER_ARM_LENGTH + FOREARM_LENGTH - 0.02;
/// Length of arm on either side of the elbow over which the cloth bends [m].
const BEND_REACH: f64 = 0.08;
/// Radius of the guess, inside the arm [m].
const GUESS_RADIUS: f64 = 0.025;
/// Girth of the finished tube, for the shape of its triangles [m].
const GIRTH: f64 = 0.33;

/// A side of the figure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// At +x.
    Left,
    /// At −x.
    Right,
}

/// A wrinkled tube on one arm of a [`Figure`], open at both ends, winding outward.
///
/// ```
/// use toile_bench::pieces::{Side, Sleeve};
/// use toile_mesh::generate::motion::{Figure, MovingMesh};
/// let sleeve = Sleeve::new(&Figure::new(2_000), Side::Left, 1_600);
/// assert!(sleeve.triangles().len().abs_diff(1_600) < 100);
/// ```
#[derive(Clone, Debug)]
pub struct Sleeve {
    worn: Worn,
}

impl Sleeve {
    /// A sleeve of about `triangles_about` triangles. All figures move alike, so it fits any; the argument says
    /// whom it is for.
    pub fn new(_figure: &Figure, side: Side, triangles_about: usize) -> Self {
        let edge = edge_for(triangles_about, |edge| {
            let [around, rows] = divisions(edge);
            2 * around * rows
        });
        let [around, rows] = divisions(edge);
        let [upper, fore] = match side {
            Side::Left => [Limb::LeftUpperArm, Limb::LeftForearm],
            Side::Right => [Limb::RightUpperArm, Limb::RightForearm],
        };
        let mut vertices = Vec::with_capacity(around * (rows + 1));
        for row in 0..=rows {
            // Rows run upward, so that the triangles of a turned body wind outward.
            let down = BOTTOM + (TOP - BOTTOM) * row as f64 / rows as f64;
            vertices.extend((0..around).map(|j| vertex([upper, fore], down, TAU * j as f64 / around as f64)));
        }
        let at = |row: usize, j: usize| VertexId::from(row * around + j % around);
        let mut triangles = Vec::with_capacity(2 * around * rows);
        for row in 0..rows {
            for j in 0..around {
                let [low, low_next] = [at(row, j), at(row, j + 1)];
                let [high, high_next] = [at(row + 1, j), at(row + 1, j + 1)];
                triangles.extend([[low, low_next, high_next], [low, high_next, high]]);
            }
        }
        Self { worn: Worn { triangles, vertices, limbs: vec![Limb::Trunk, upper, fore], edge } }
    }
}

impl MovingMesh for Sleeve {
    fn triangles(&self) -> &[[VertexId; 3]] {
        &self.worn.triangles
    }

    fn vertex_count(&self) -> usize {
        self.worn.vertices.len()
    }

    fn positions_into(&self, t: f64, positions: &mut Vec<DVec3>) {
        self.worn.positions_into(t, positions);
    }
}

/// Edges round the arm and along it for edges of about `edge` [m].
fn divisions(edge: f64) -> [usize; 2] {
    [((GIRTH / edge).round() as usize).max(6), (((BOTTOM - TOP) / edge).round() as usize).max(2)]
}

/// The vertex `down` [m] from the shoulder joint, at `angle` [rad] round the arm from +z toward +x.
fn vertex([upper, fore]: [Limb; 2], down: f64, angle: f64) -> WornVertex {
    let (sin, cos) = angle.sin_cos();
    let place = DVec3::new(GUESS_RADIUS * sin, -down, GUESS_RADIUS * cos);
    WornVertex {
        anchors: [(upper, place), (fore, place + DVec3::new(0.0, UPPER_ARM_LENGTH, 0.0))],
        weight: smooth_step(0.5 + 0.5 * (down - UPPER_ARM_LENGTH) / BEND_REACH),
        along: down,
        angle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{Topology, check, judge};

    #[test]
    fn it_is_one_tube_clear_of_the_body_and_of_itself() {
        let figure = Figure::new(4_000);
        for (side, count) in [(Side::Left, 400), (Side::Right, 1_600)] {
            let sleeve = Sleeve::new(&figure, side, count);
            let topology = Topology::new(&sleeve.mesh_at(0.0));
            assert_eq!((topology.part_count, topology.non_manifold.len()), (1, 0));
            for i in 0..8 {
                let t = 0.21 * i as f64;
                let cloth = sleeve.mesh_at(t);
                assert!(check::check(&cloth).is_clean());
                assert!(judge::mutual_intersections(&cloth, &figure.mesh_at(t)).is_clean(), "{count} at {t}");
                assert!(judge::self_intersections(&cloth).is_clean(), "{count} at {t}");
            }
        }
    }

    #[test]
    fn it_winds_outward() {
        let sleeve = Sleeve::new(&Figure::new(0), Side::Left, 400);
        let mesh = sleeve.mesh_at(0.0);
        let centre = mesh.bounds().centre();
        let outward = mesh.faces().filter(|&f| {
            let corners = mesh.corners(f);
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            let away = (middle - centre).with_y(0.0);
            toile_mesh::triangle_vector_area(corners).dot(away) > 0.0
        });
        assert!(outward.count() * 10 > mesh.face_count() * 8);
    }
}
