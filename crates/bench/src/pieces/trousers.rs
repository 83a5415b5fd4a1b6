//! [`Trousers`]: two leg tubes and a hip tube joined in one mesh.
//!
//! Every ring has `n` vertices, `n` even, at the angles `θ = 2π j / n` from the front (+z) outward and round. The
//! rings of the three tubes meet in the crotch: the outer half `j ≤ n/2` of each leg's top ring is one half of the
//! hip's bottom ring, and the inner halves `j > n/2` of both legs are the same vertices, a curve that runs
//! through between the legs. So the mesh is a manifold with three borders: two hems and the waist.

use std::f64::consts::{PI, TAU};

use toile_mesh::generate::motion::{Figure, HIP_HEIGHT, HIP_X, Limb, MovingMesh, THIGH_LENGTH, smooth_step};
use toile_mesh::{DVec3, VertexId};

use super::Side;
use super::worn::{Worn, WornVertex, edge_for};

/// Heights at rest [m]: waist, where the legs part, where a leg is a round tube, hem.
const WAIST: f64 = 1.05;
const PART: f64 = 0.85;
const ROUND: f64 = 0.70;
const HEM: f64 = 0.13;
/// How far the curve between the legs sags below where they part [m].
const CROTCH_SAG: f64 = 0.035;
/// Half axes, x and z, of the guess where the legs part and at the waist [m].
const PART_AXES: [f64; 2] = [0.19, 0.10];
const WAIST_AXES: [f64; 2] = [0.11, 0.07];
/// Radii of the guess round a leg, where it is round and at the hem [m]: a little less than the limb's.
const LEG_RADII: [f64; 2] = [0.068, 0.028];
/// Height at rest below which the hip tube begins to follow the thighs, and where it would follow them wholly [m].
const FOLLOW: [f64; 2] = [1.00, 0.80];
/// Length of leg on either side of the knee over which the cloth bends [m].
const BEND_REACH: f64 = 0.11;
/// Girth of a finished leg tube, for the shape of its triangles [m].
const GIRTH: f64 = 0.52;

/// Wrinkled trousers on a [`Figure`], winding outward.
///
/// With 1,600 triangles or more they are clear of the figure and of themselves all through the walk; with a few
/// hundred their chords cut through the thighs.
///
/// ```
/// use toile_bench::pieces::Trousers;
/// use toile_mesh::Topology;
/// use toile_mesh::generate::motion::{Figure, MovingMesh};
/// let trousers = Trousers::new(&Figure::new(2_000), 1_600);
/// assert!(trousers.triangles().len().abs_diff(1_600) < 100);
/// assert_eq!(Topology::new(&trousers.mesh_at(0.0)).part_count, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Trousers {
    worn: Worn,
}

impl Trousers {
    /// Trousers of about `triangles_about` triangles. All figures move alike, so they fit any; the argument says
    /// whom they are for.
    pub fn new(_figure: &Figure, triangles_about: usize) -> Self {
        let edge = edge_for(triangles_about, |edge| Rings::new(edge).triangle_count());
        let rings = Rings::new(edge);
        let limbs = vec![Limb::Trunk, Limb::LeftThigh, Limb::RightThigh, Limb::LeftShin, Limb::RightShin];
        Self { worn: Worn { triangles: rings.triangles(), vertices: rings.vertices(), limbs, edge } }
    }
}

impl MovingMesh for Trousers {
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

/// Numbering: left half of the parting ring with front and back, right half, crotch curve, then the rows of the
/// left leg downward, of the right leg downward, of the hip upward.
struct Rings {
    /// Vertices round each ring, even.
    around: usize,
    leg_rows: usize,
    hip_rows: usize,
}

impl Rings {
    fn new(edge: f64) -> Self {
        let rows = |length: f64| ((length / edge).round() as usize).max(2);
        Self {
            around: 2 * ((0.5 * GIRTH / edge).round() as usize).max(3),
            leg_rows: rows(PART - HEM),
            hip_rows: rows(WAIST - PART),
        }
    }

    fn triangle_count(&self) -> usize {
        2 * self.around * (2 * self.leg_rows + self.hip_rows)
    }

    /// Vertex `j` of a leg's ring `row`, counted downward from the parting.
    fn leg_vertex(&self, side: Side, row: usize, j: usize) -> VertexId {
        let (n, half, j) = (self.around, self.around / 2, j % self.around);
        let parting = n + half - 1;
        VertexId::from(match (row, side) {
            (0, Side::Right) if (1..half).contains(&j) => half + j,
            // The crotch curve is numbered after both halves of the hip ring.
            (0, _) if j > half => n + j - half - 1,
            (0, _) => j,
            (_, Side::Left) => parting + (row - 1) * n + j,
            (_, Side::Right) => parting + (self.leg_rows + row - 1) * n + j,
        })
    }

    /// Vertex `j` of the hip's ring `row`, counted upward from the parting: round the left side to the back, then
    /// round the right side to the front.
    fn hip_vertex(&self, row: usize, j: usize) -> VertexId {
        let (n, half, j) = (self.around, self.around / 2, j % self.around);
        match row {
            0 if j <= half => self.leg_vertex(Side::Left, 0, j),
            0 => self.leg_vertex(Side::Right, 0, n - j),
            _ => VertexId::from(n + half - 1 + (2 * self.leg_rows + row - 1) * n + j),
        }
    }

    fn triangles(&self) -> Vec<[VertexId; 3]> {
        let mut triangles = Vec::with_capacity(self.triangle_count());
        for j in 0..self.around {
            for row in 0..self.leg_rows {
                let corner = |side, down, next| self.leg_vertex(side, row + down, j + next);
                let [high, high_next, low, low_next] =
                    [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(down, next)| corner(Side::Left, down, next));
                triangles.extend([[low, low_next, high_next], [low, high_next, high]]);
                // The right leg is the mirror image, so its triangles turn the other way.
                let [high, high_next, low, low_next] =
                    [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(down, next)| corner(Side::Right, down, next));
                triangles.extend([[low, high_next, low_next], [low, high, high_next]]);
            }
            for row in 0..self.hip_rows {
                let [low, low_next] = [self.hip_vertex(row, j), self.hip_vertex(row, j + 1)];
                let [high, high_next] = [self.hip_vertex(row + 1, j), self.hip_vertex(row + 1, j + 1)];
                triangles.extend([[low, low_next, high_next], [low, high_next, high]]);
            }
        }
        triangles
    }

    fn vertices(&self) -> Vec<WornVertex> {
        let (n, half) = (self.around, self.around / 2);
        let angle = |j: usize| TAU * j as f64 / n as f64;
        let mut vertices: Vec<_> = (0..=half).map(|j| hip_vertex(1.0, 0.0, angle(j))).collect();
        vertices.extend((1..half).map(|j| hip_vertex(-1.0, 0.0, angle(j))));
        vertices.extend((half + 1..n).map(|j| hip_vertex(1.0, 0.0, angle(j))));
        for side in [Side::Left, Side::Right] {
            for row in 1..=self.leg_rows {
                let down = row as f64 / self.leg_rows as f64;
                vertices.extend((0..n).map(|j| leg_vertex(side, down, angle(j))));
            }
        }
        for row in 1..=self.hip_rows {
            let up = row as f64 / self.hip_rows as f64;
            let half_ring = |j: usize| if j <= half { (1.0, angle(j)) } else { (-1.0, angle(n - j)) };
            vertices.extend((0..n).map(half_ring).map(|(side, theta)| hip_vertex(side, up, theta)));
        }
        vertices
    }
}

/// Rest place [m] of the hip tube at `up` (0 where the legs part, 1 at the waist) and `theta` [rad] toward
/// `side` (left 1, right −1); for `theta` beyond π, of the crotch curve.
fn hip_place(side: f64, up: f64, theta: f64) -> DVec3 {
    let [a, b] = [0, 1].map(|k| PART_AXES[k] + up * (WAIST_AXES[k] - PART_AXES[k]));
    let (sin, cos) = theta.sin_cos();
    if theta > PI {
        return DVec3::new(0.0, PART + CROTCH_SAG * sin, b * cos);
    }
    DVec3::new(side * a * sin, PART + up * (WAIST - PART), b * cos)
}

fn hip_vertex(side: f64, up: f64, theta: f64) -> WornVertex {
    let place = hip_place(side, up, theta);
    let thigh = if side > 0.0 { Limb::LeftThigh } else { Limb::RightThigh };
    let on_thigh = (thigh, place - DVec3::new(side * HIP_X, HIP_HEIGHT, 0.0));
    WornVertex { anchors: [on_trunk(place), on_thigh], weight: hip_follows(place), along: place.y, angle: theta }
}

fn on_trunk(place: DVec3) -> (Limb, DVec3) {
    (Limb::Trunk, place - DVec3::new(0.0, HIP_HEIGHT, 0.0))
}

/// How much the hip tube at a rest place follows the thigh on its side, 0..1; not at all in the middle.
fn hip_follows(place: DVec3) -> f64 {
    smooth_step((FOLLOW[0] - place.y) / (FOLLOW[0] - FOLLOW[1])) * smooth_step(place.x.abs() / HIP_X)
}

/// The vertex of a leg at `down` (0 where the legs part, 1 at the hem).
fn leg_vertex(side: Side, down: f64, theta: f64) -> WornVertex {
    let (sign, thigh, shin) = match side {
        Side::Left => (1.0, Limb::LeftThigh, Limb::LeftShin),
        Side::Right => (-1.0, Limb::RightThigh, Limb::RightShin),
    };
    let height = PART + down * (HEM - PART);
    let (sin, cos) = theta.sin_cos();
    let on_leg = |y: f64| {
        let radius = LEG_RADII[0] + (LEG_RADII[1] - LEG_RADII[0]) * (ROUND - y) / (ROUND - HEM);
        DVec3::new(sign * (HIP_X + radius * sin), y, radius * cos)
    };
    let roundness = ((PART - height) / (PART - ROUND)).min(1.0);
    let place =
        if roundness < 1.0 { hip_place(sign, 0.0, theta).lerp(on_leg(ROUND), roundness) } else { on_leg(height) };
    let hip = DVec3::new(sign * HIP_X, HIP_HEIGHT, 0.0);
    let knee = hip - DVec3::new(0.0, THIGH_LENGTH, 0.0);
    let on_thigh = (thigh, place - hip);
    let (anchors, weight) = if roundness < 1.0 {
        let follows = hip_follows(place);
        ([on_trunk(place), on_thigh], follows + (1.0 - follows) * smooth_step(roundness))
    } else {
        ([on_thigh, (shin, place - knee)], smooth_step(0.5 + 0.5 * (knee.y - place.y) / BEND_REACH))
    };
    WornVertex { anchors, weight, along: place.y, angle: theta }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate::motion::PERIOD;
    use toile_mesh::{Topology, check, judge, triangle_vector_area};

    #[test]
    fn they_are_a_manifold_with_two_hems_and_a_waist() {
        for count in [0, 400, 1_600, 25_000] {
            let mesh = Trousers::new(&Figure::new(0), count).mesh_at(0.3);
            let topology = Topology::new(&mesh);
            assert!(mesh.face_count().abs_diff(count) < 150 + count / 20, "{} for {count}", mesh.face_count());
            assert_eq!((topology.part_count, topology.non_manifold.len()), (1, 0));
            // A disc with two holes has the Euler characteristic −1; every border is a ring of one size.
            assert_eq!(mesh.vertex_count() + mesh.face_count() + 1, topology.edges.len());
            assert_eq!(topology.border_edges().count() % 3, 0);
            assert!(check::check(&mesh).is_clean(), "{:?}", check::check(&mesh));
        }
    }

    #[test]
    fn they_stay_clear_of_the_body_and_of_themselves_all_through_the_walk() {
        let figure = Figure::new(6_000);
        let trousers = Trousers::new(&figure, 1_600);
        for i in 0..16 {
            let t = PERIOD * i as f64 / 10.0;
            let (cloth, body) = (trousers.mesh_at(t), figure.mesh_at(t));
            let through = judge::mutual_intersections(&cloth, &body);
            assert!(through.is_clean(), "{} through the body at {t}", through.count());
            let crossed = judge::self_intersections(&cloth);
            assert!(crossed.is_clean(), "{} with themselves at {t}", crossed.count());
        }
    }

    #[test]
    fn they_wind_outward() {
        let mesh = Trousers::new(&Figure::new(0), 1_600).mesh_at(0.0);
        // Below the crotch each leg is a tube about its own axis.
        for f in mesh.faces() {
            let corners = mesh.corners(f);
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            if (0.2..0.6).contains(&middle.y) {
                let away = DVec3::new(middle.x - HIP_X.copysign(middle.x), 0.0, middle.z);
                assert!(triangle_vector_area(corners).dot(away) > 0.0);
            }
        }
    }
}
