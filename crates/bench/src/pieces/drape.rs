//! [`SmoothDrape`]: a tablecloth that hangs in gentle folds.
//!
//! With `ρ, φ` the polar coordinates of a point of the flat sheet and `s = ρ − R` its distance beyond the flat top,
//! the cloth bends down over a rim of radius `b` until it hangs at the angle `β` below the horizontal:
//! a circular arc, then a straight line, both walked at unit speed. On top of the profile's radius `r_0(s)` come
//! folds `A(s) cos(m φ + sway)`, `A = a s² / (s + s_1)`, which start without slope and take up the circumference
//! that is too long for the radius. The height falls steadily with `s` and the radius is single-valued in `φ` at
//! every `s`, so the surface cannot meet itself.

use toile_mesh::generate::motion::MovingMesh;
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DVec3, TriMesh, VertexId};

use super::square_cells;

/// Side of the sheet [m].
const SIDE: f64 = 1.6;
/// Height of the top [m] and radius of its flat part [m].
const TOP: f64 = 0.75;
const FLAT_RADIUS: f64 = 0.45;
/// Radius of the rim [m] and the angle at which the cloth hangs below the horizontal [rad].
const RIM: f64 = 0.06;
const HANG: f64 = 1.40;
/// Number of folds, their growth with the overhang, and the length over which it sets in [m].
const FOLDS: f64 = 9.0;
const GROWTH: f64 = 0.28;
const ONSET: f64 = 0.15;

/// A square sheet of 1.6 m over a round top of 1 m across, its overhang in nine folds that sway slowly.
///
/// It never touches itself. At 90,000 triangles neighbouring folds are some fifty edges apart.
///
/// ```
/// use toile_bench::pieces::SmoothDrape;
/// use toile_mesh::generate::motion::MovingMesh;
/// use toile_mesh::judge;
/// let cloth = SmoothDrape::new(5_000);
/// assert!(judge::self_intersections(&cloth.mesh_at(2.0)).is_clean());
/// ```
#[derive(Clone, Debug)]
pub struct SmoothDrape {
    /// The flat sheet.
    flat: TriMesh,
}

impl SmoothDrape {
    /// A sheet of about `triangles_about` triangles, a square grid.
    pub fn new(triangles_about: usize) -> Self {
        let corners = square_cells(triangles_about) + 1;
        Self { flat: grid([SIDE; 2], [corners; 2], Diagonals::Alternating) }
    }

    /// The sheet before it was draped, flat in the plane `y = 0`: its rest shape.
    pub fn flat(&self) -> &TriMesh {
        &self.flat
    }
}

impl MovingMesh for SmoothDrape {
    fn triangles(&self) -> &[[VertexId; 3]] {
        &self.flat.triangles
    }

    fn vertex_count(&self) -> usize {
        self.flat.vertex_count()
    }

    fn positions_into(&self, t: f64, positions: &mut Vec<DVec3>) {
        positions.clear();
        positions.extend(self.flat.positions.iter().map(|&p| drape(p, t)));
    }
}

/// Place [m] at time `t` [s] of the point `p` of the flat sheet.
fn drape(p: DVec3, t: f64) -> DVec3 {
    let rho = p.x.hypot(p.z);
    let s = rho - FLAT_RADIUS;
    if s <= 0.0 {
        return DVec3::new(p.x, TOP, p.z);
    }
    let arc = s.min(HANG * RIM);
    let (sin, cos) = (arc / RIM).sin_cos();
    let line = s - arc;
    let radius = FLAT_RADIUS + RIM * sin + line * cos;
    let drop = RIM * (1.0 - cos) + line * sin;
    let phi = p.z.atan2(p.x);
    let sway = 0.35 * (1.3 * t).sin() + 0.2 * (2.1 * t + 2.0 * phi).sin();
    let growth = GROWTH * (1.0 + 0.12 * (1.7 * t + phi).sin());
    let folded = radius + growth * s * s / (s + ONSET) * (FOLDS * phi + sway).cos();
    DVec3::new(folded * p.x / rho, TOP - drop, folded * p.z / rho)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{Topology, check, judge, triangle_normal};

    #[test]
    fn it_never_meets_itself() {
        for count in [0, 200, 10_000] {
            let cloth = SmoothDrape::new(count);
            for t in [0.0, 0.7, 3.1, 12.0] {
                let mesh = cloth.mesh_at(t);
                assert!(judge::self_intersections(&mesh).is_clean(), "{count} at {t}");
                assert!(check::check(&mesh).is_clean());
            }
        }
    }

    #[test]
    fn normals_of_neighbours_differ_little_and_ever_less_when_refined() {
        let widest = |count: usize| {
            let mesh = SmoothDrape::new(count).mesh_at(1.0);
            let normal = |f| triangle_normal(mesh.corners(f)).expect("every triangle has area");
            let angle =
                |e: &toile_mesh::Edge| Some(normal(e.faces[0]?).angle_between(normal(e.faces[1]?)).to_degrees());
            Topology::new(&mesh).edges.iter().filter_map(angle).fold(0.0, f64::max)
        };
        let [coarse, fine] = [10_000, 90_000].map(widest);
        assert!(fine < 10.0 && coarse / fine > 2.5, "{coarse}° to {fine}°");
    }

    #[test]
    fn the_top_is_flat_and_lengths_are_about_kept() {
        let cloth = SmoothDrape::new(20_000);
        let mesh = cloth.mesh_at(0.5);
        for (p, x) in cloth.flat().positions.iter().zip(&mesh.positions) {
            if p.length() < FLAT_RADIUS {
                assert!(x.y == TOP && x.distance(*p + DVec3::new(0.0, TOP, 0.0)) == 0.0);
            }
        }
        let length = |m: &TriMesh, [a, b]: [VertexId; 2]| m.position(a).distance(m.position(b));
        for e in Topology::new(&mesh).edges {
            let ratio = length(&mesh, e.ends) / length(cloth.flat(), e.ends);
            assert!((0.4..1.5).contains(&ratio), "{ratio}");
        }
        assert!((mesh.area() / cloth.flat().area() - 1.0).abs() < 0.1);
    }

    #[test]
    fn it_moves_slowly() {
        let cloth = SmoothDrape::new(2_000);
        let (from, to) = (cloth.positions_at(1.0), cloth.positions_at(1.0 + 1.0 / 60.0));
        let farthest = from.iter().zip(&to).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(farthest > 1e-4 && farthest < 5e-3, "{farthest}");
    }
}
