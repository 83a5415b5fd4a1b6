//! [`CrumpledSheet`]: cloth pressed into a ball.
//!
//! The square sheet is laid in narrow folds along one direction, then in wide folds along the other; noise shifts
//! the folds, so that no two are alike. The package is rounded into a ball. Last, every piece of cloth sways by
//! itself, by noise on the sheet `a (n_0 cos ω t + n_1 sin ω t)`, so that neighbouring layers, which are far apart
//! on the sheet, rub and pass through each other, and the ball as a whole flies along a line.

use toile_mesh::generate::motion::MovingMesh;
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DVec3, TriMesh, VertexId};

use super::fold::Meander;
use super::noise::vector_noise;
use super::square_cells;

/// Side of the sheet [m].
const SIDE: f64 = 2.2;
/// Angle between the first folds and the sides of the sheet [rad].
const BIAS: f64 = 0.25;
/// Cloth in one narrow and in one wide fold [m].
const WAVELENGTHS: [f64; 2] = [0.11, 0.72];
/// Largest tangent angles of the folds [rad].
const SWINGS: [f64; 2] = [2.2, 2.2];
/// Shifts of the folds by noise [rad], and the length over which it changes [m].
const SHIFTS: [f64; 2] = [1.5, 0.4];
const SHIFT_LENGTH: f64 = 0.45;
/// Radius that the package is rounded to [m].
const BALL: f64 = 0.18;
/// How far the cloth sways [m], the length over which that changes [m], and how fast [rad/s].
const SWAY: f64 = 0.012;
const SWAY_LENGTH: f64 = 0.10;
const SWAY_RATE: f64 = 6.0;
/// Velocity of the ball [m/s].
const FLIGHT: DVec3 = DVec3::new(0.25, -0.3, 0.2);

/// A square sheet of 2.2 m crumpled into a ball of about 0.15 m radius, many layers deep.
///
/// It passes through itself in many places. With 90,000 triangles an edge of the flat sheet is 10 mm long; within
/// 1/60 s the ball flies 7 mm and a vertex moves about 1 mm against its neighbours in other layers. Nine in ten
/// edges have 0.5 to 1.2 times their length on the flat sheet.
///
/// ```
/// use toile_bench::pieces::CrumpledSheet;
/// use toile_mesh::generate::motion::MovingMesh;
/// let sheet = CrumpledSheet::new(5_000);
/// assert_eq!(sheet.triangles().len(), 5_000);
/// assert_ne!(sheet.positions_at(0.0), sheet.positions_at(1.0 / 60.0));
/// ```
#[derive(Clone, Debug)]
pub struct CrumpledSheet {
    /// The flat sheet.
    flat: TriMesh,
    /// Positions before the sway [m].
    still: Vec<DVec3>,
}

impl CrumpledSheet {
    /// A sheet of about `triangles_about` triangles, a square grid.
    pub fn new(triangles_about: usize) -> Self {
        let corners = square_cells(triangles_about) + 1;
        let flat = grid([SIDE; 2], [corners; 2], Diagonals::Alternating);
        let (sin, cos) = BIAS.sin_cos();
        let folds = [
            Meander::new(DVec3::new(cos, 0.0, sin), DVec3::Y, WAVELENGTHS[0], SWINGS[0]),
            Meander::new(DVec3::new(-sin, 0.0, cos), DVec3::Y, WAVELENGTHS[1], SWINGS[1]),
        ];
        let still = flat.positions.iter().map(|&p| crumple(&folds, p)).collect();
        Self { flat, still }
    }

    /// The sheet before it was crumpled, flat in the plane `y = 0`: its rest shape.
    pub fn flat(&self) -> &TriMesh {
        &self.flat
    }
}

impl MovingMesh for CrumpledSheet {
    fn triangles(&self) -> &[[VertexId; 3]] {
        &self.flat.triangles
    }

    fn vertex_count(&self) -> usize {
        self.still.len()
    }

    fn positions_into(&self, t: f64, positions: &mut Vec<DVec3>) {
        let (sin, cos) = (SWAY_RATE * t).sin_cos();
        positions.clear();
        positions.extend(self.flat.positions.iter().zip(&self.still).map(|(p, &still)| {
            let [u, v] = [p.x / SWAY_LENGTH, p.z / SWAY_LENGTH];
            still + FLIGHT * t + SWAY * (cos * vector_noise(u, v, 1) + sin * vector_noise(u, v, 2))
        }));
    }
}

/// Place [m] in the ball of the point `p` of the flat sheet.
fn crumple(folds: &[Meander; 2], p: DVec3) -> DVec3 {
    let shift = vector_noise(p.x / SHIFT_LENGTH, p.z / SHIFT_LENGTH, 3);
    let folded = folds[1].bend(folds[0].bend(p, SHIFTS[0] * shift.x), SHIFTS[1] * shift.y);
    // Slope 1 in the middle; far corners are drawn in.
    folded / (1.0 + (folded.length() / BALL).powi(4)).powf(0.25)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{Aabb, Topology, check};

    /// Time in which the boxes are swept [s].
    const STEP: f64 = 1.0 / 60.0;

    /// Pairs of triangles whose boxes round the path of one step overlap.
    fn swept_pairs(sheet: &CrumpledSheet) -> usize {
        let ends = [sheet.positions_at(0.0), sheet.positions_at(STEP)];
        let swept = |t: &[VertexId; 3]| Aabb::around(t.iter().flat_map(|v| [ends[0][v.index()], ends[1][v.index()]]));
        let mut boxes: Vec<_> = sheet.triangles().iter().map(swept).collect();
        boxes.sort_by(|a, b| a.min.x.total_cmp(&b.min.x));
        let partners = |(i, a): (usize, &Aabb)| {
            boxes[i + 1..].iter().take_while(|b| b.min.x <= a.max.x).filter(|b| b.overlaps(a)).count()
        };
        boxes.iter().enumerate().map(partners).sum()
    }

    #[test]
    fn edges_keep_about_their_length() {
        let sheet = CrumpledSheet::new(90_000);
        let mesh = sheet.mesh_at(0.3);
        let length = |m: &TriMesh, [a, b]: [VertexId; 2]| m.position(a).distance(m.position(b));
        let edges = Topology::new(&mesh).edges;
        let mut ratios: Vec<f64> = edges.iter().map(|e| length(&mesh, e.ends) / length(sheet.flat(), e.ends)).collect();
        ratios.sort_by(f64::total_cmp);
        let quantile = |q: f64| ratios[((ratios.len() - 1) as f64 * q) as usize];
        assert!(quantile(0.05) > 0.5 && quantile(0.99) < 1.5, "{} to {}", quantile(0.05), quantile(0.99));
        assert!(quantile(1.0) < 2.0, "{}", quantile(1.0));
    }

    #[test]
    fn it_is_a_ball_many_layers_deep() {
        let sheet = CrumpledSheet::new(10_000);
        let mesh = sheet.mesh_at(0.0);
        let size = mesh.bounds().size();
        assert!(size.min_element() > 0.22 && size.max_element() < 0.34, "{size}");
        assert!(check::check(&mesh).is_clean());
        let per_triangle = swept_pairs(&sheet) as f64 / mesh.face_count() as f64;
        assert!((25.0..60.0).contains(&per_triangle), "{per_triangle}");
    }

    #[test]
    fn a_step_moves_the_layers_by_a_third_to_one_edge() {
        let sheet = CrumpledSheet::new(90_000);
        let edge = sheet.flat().positions[0].distance(sheet.flat().positions[1]);
        for t in [0.0, 0.4, 2.0] {
            let (from, to) = (sheet.positions_at(t), sheet.positions_at(t + STEP));
            let moved = from.iter().zip(&to).map(|(a, b)| a.distance(*b)).sum::<f64>() / from.len() as f64;
            assert!((1.0 / 3.0..1.0).contains(&(moved / edge)), "{}", moved / edge);
        }
    }

    #[test]
    fn equal_times_give_equal_bits_in_any_order() {
        let mut buffer = CrumpledSheet::new(2_000).positions_at(3.0);
        CrumpledSheet::new(2_000).positions_into(0.1, &mut buffer);
        assert_eq!(buffer, CrumpledSheet::new(2_000).positions_at(0.1));
    }
}
