//! Neighbours that stay neighbours: stars of vertices that are nearly a flat copy of their rest shape.
//!
//! Most pairs of triangles that a search meets share a vertex, and are near each other because they were cut from one
//! cloth. Their features without a common vertex are as far apart as at rest while the cloth around the vertex is hardly bent
//! or compressed. That is cheap to see for all triangles of a vertex, its star, at once.
//!
//! Let `u_i` be the corners of the star at rest, laid into the plane of its mean normal with the vertex itself at 0, and
//! `x_i` where they are. The affine map `F u`, fitted to the spokes, misses them by `e_i = x_i − x_v − F u_i`; points inside
//! triangles are missed by a mean of these. So two points of the star that are `L` apart in the plane have
//! ```text
//! |x_p − x_q| ≥ |F (u_p − u_q)| − |e_p − e_q| ≥ σ L − D
//! ```
//! with `σ` the smaller singular value of `F` and `D` the diagonal of the box around all `e_i` and 0. It does not matter
//! whether the star is convex, or where the cloth ends.
//!
//! **L.** If the star at rest covers its plane at most once, two features without a common vertex are nearest at a corner of
//! one and an edge of the other; the least such distance is found when the surface is made. Stars that fold over in their plane,
//! and vertices where several sheets meet, never count as flat.
//!
//! **Motion.** `F` and `e_i` are linear in time if vertices go straight. Then `D` is largest at the start or the end, and
//! `σ ≥ (σ⁰ + σ¹ − ‖F¹ − F⁰‖) / 2` in between.

use rayon::prelude::*;
use toile_mesh::{DVec2, DVec3, Motion, Rest, Surface};

use crate::detector::Reach;

/// Relative width against rounding.
const ROUNDING: f64 = 1.0e-9;
/// Vertices per task.
const CHUNK: usize = 512;
/// A star whose spokes span less than this share of their square in one direction has no affine map.
const THIN: f64 = 1.0e-3;

/// An edge from the vertex of a star to a corner.
#[derive(Clone, Copy, Debug)]
struct Spoke {
    to: u32,
    /// The corner at rest [m].
    u: DVec2,
    /// Share of the corner in `F`: `F = Σ (x_i − x_v) wᵢᵀ` [1/m].
    w: DVec2,
}

/// What a star is at rest.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    /// Least distance in the plane between features without a common vertex [m]; 0 for a star that never counts as flat.
    clear: f64,
    /// How far corners are out of the plane from each other [m].
    height: f64,
}

/// The stars of a surface at rest.
#[derive(Clone, Debug)]
pub(crate) struct Stars {
    /// First spoke of each vertex, and one more.
    start: Vec<u32>,
    spokes: Vec<Spoke>,
    shapes: Vec<Shape>,
}

impl Stars {
    /// The stars of a surface.
    pub(crate) fn new(surface: &Surface, rest: &Rest) -> Self {
        let mut faces = vec![Vec::new(); surface.vertex_count()];
        for t in surface.triangles() {
            for v in t {
                faces[*v as usize].push(*t);
            }
        }
        let stars: Vec<(Shape, Vec<Spoke>)> =
            faces.par_iter().enumerate().with_min_len(CHUNK).map(|(v, faces)| star(v as u32, faces, rest)).collect();
        let mut start = vec![0];
        start.extend(stars.iter().scan(0, |sum, (_, spokes)| {
            *sum += spokes.len() as u32;
            Some(*sum)
        }));
        let (shapes, spokes): (Vec<Shape>, Vec<Vec<Spoke>>) = stars.into_iter().unzip();
        Self { start, spokes: spokes.concat(), shapes }
    }

    /// Whether the star of a vertex has no features without a common vertex that come within `reach` during the motion.
    pub(crate) fn is_flat(&self, v: usize, motion: &Motion<'_>, reach: &Reach) -> bool {
        let Shape { clear, height } = self.shapes[v];
        if clear == 0.0 {
            return false;
        }
        let spokes = &self.spokes[self.start[v] as usize..self.start[v + 1] as usize];
        let [start, end] = [motion.x_t0, motion.x_t1].map(|x| Fit::new(v, spokes, x));
        let turned = (end.f[0] - start.f[0]).length_squared() + (end.f[1] - start.f[1]).length_squared();
        let least = 0.5 * (start.least_stretch() + end.least_stretch() - turned.sqrt());
        let near = (least * clear - start.misfit.max(end.misfit)) * (1.0 - ROUNDING);
        // Pairs farther apart than the nearest gain `least` for each unit that they need `of_rest` more of.
        near > reach.within || (least > reach.of_rest && near > reach.of_rest * (clear + height))
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        4 * self.start.capacity()
            + size_of::<Spoke>() * self.spokes.capacity()
            + size_of::<Shape>() * self.shapes.capacity()
    }
}

/// The affine map of a star, and how far it misses the corners.
struct Fit {
    f: [DVec3; 2],
    /// D of the module [m].
    misfit: f64,
}

impl Fit {
    #[inline]
    fn new(v: usize, spokes: &[Spoke], x: &[DVec3]) -> Self {
        let mut f = [DVec3::ZERO; 2];
        for spoke in spokes {
            let way = x[spoke.to as usize] - x[v];
            f[0] += way * spoke.w.x;
            f[1] += way * spoke.w.y;
        }
        let (mut lo, mut hi) = (DVec3::ZERO, DVec3::ZERO);
        for spoke in spokes {
            let miss = x[spoke.to as usize] - x[v] - f[0] * spoke.u.x - f[1] * spoke.u.y;
            lo = lo.min(miss);
            hi = hi.max(miss);
        }
        Self { f, misfit: (hi - lo).length() }
    }

    /// σ of the module.
    #[inline]
    fn least_stretch(&self) -> f64 {
        let (a, b, c) = (self.f[0].length_squared(), self.f[1].length_squared(), self.f[0].dot(self.f[1]));
        let square = 0.5 * (a + b - ((a - b).powi(2) + 4.0 * c * c).sqrt());
        square.max(0.0).sqrt()
    }
}

/// The star of a vertex with these triangles.
fn star(v: u32, faces: &[[u32; 3]], rest: &Rest) -> (Shape, Vec<Spoke>) {
    let never = || (Shape::default(), Vec::new());
    let at = |i: u32| rest.x[i as usize] - rest.x[v as usize];
    let normal: DVec3 = faces.iter().map(|t| (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0]))).sum();
    let Some(normal) = normal.try_normalize() else { return never() };
    let (e1, e2) = normal.any_orthonormal_pair();
    let flat = |i: u32| DVec2::new(at(i).dot(e1), at(i).dot(e2));
    let mut corners: Vec<u32> = faces.iter().flatten().copied().filter(|i| *i != v).collect();
    corners.sort_unstable();
    corners.dedup();
    if corners.iter().any(|i| rest.part[*i as usize] != rest.part[v as usize]) || !covers_once(v, faces, flat, &corners)
    {
        return never();
    }
    let sum = |of: fn(DVec2) -> f64| corners.iter().map(|i| of(flat(*i))).sum::<f64>();
    let (xx, xy, yy) = (sum(|u| u.x * u.x), sum(|u| u.x * u.y), sum(|u| u.y * u.y));
    let determinant = xx * yy - xy * xy;
    if determinant.is_nan() || determinant <= THIN * (xx + yy).powi(2) {
        return never();
    }
    let spoke = |&to: &u32| {
        let u = flat(to);
        Spoke { to, u, w: DVec2::new(yy * u.x - xy * u.y, xx * u.y - xy * u.x) / determinant }
    };
    let heights = || corners.iter().map(|i| at(*i).dot(normal)).chain([0.0]);
    let height = heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min);
    (Shape { clear: clearance(v, faces, flat, &corners), height }, corners.iter().map(spoke).collect())
}

/// Whether the triangles of a star turn the same way in its plane and go round the vertex at most once, in one piece.
fn covers_once(v: u32, faces: &[[u32; 3]], flat: impl Fn(u32) -> DVec2, corners: &[u32]) -> bool {
    let mut angle = 0.0;
    for t in faces {
        let k = t.iter().position(|i| *i == v).unwrap_or(0);
        let (a, b) = (flat(t[(k + 1) % 3]), flat(t[(k + 2) % 3]));
        let turn = a.perp_dot(b);
        if turn.is_nan() || turn <= 0.0 {
            return false;
        }
        angle += turn.atan2(a.dot(b));
    }
    // One sheet that goes round has as many spokes as triangles, one that ends has one more; each has one or two of them.
    let in_two = corners.iter().all(|i| faces.iter().filter(|t| t.contains(i)).count() <= 2);
    let pieces = corners.len().wrapping_sub(faces.len());
    in_two && pieces <= 1 && angle < std::f64::consts::TAU + 1.0e-6
}

/// Least distance in the plane between a corner of the star and an edge that does not have it.
fn clearance(v: u32, faces: &[[u32; 3]], flat: impl Fn(u32) -> DVec2, corners: &[u32]) -> f64 {
    let mut least = f64::INFINITY;
    for t in faces {
        for k in 0..3 {
            let [a, b] = [t[k], t[(k + 1) % 3]];
            for &i in corners.iter().chain([&v]).filter(|i| **i != a && **i != b) {
                least = least.min(distance_to_segment(flat(i), flat(a), flat(b)));
            }
        }
    }
    if least.is_finite() { least } else { 0.0 }
}

fn distance_to_segment(p: DVec2, a: DVec2, b: DVec2) -> f64 {
    let (edge, to) = (b - a, p - a);
    let share = (to.dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
    to.distance(edge * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::{Method, PairKind, time_of_impact};
    use crate::{BruteForce, Detector};
    use proptest::prelude::*;
    use toile_mesh::{TriMesh, generate};

    fn surface(mesh: &TriMesh) -> Surface {
        let rest = Rest { x: mesh.positions.clone(), part: vec![0; mesh.vertex_count()] };
        Surface::new(mesh).with_rest(rest)
    }

    fn flat_vertices(surface: &Surface, motion: &Motion<'_>, reach: &Reach) -> Vec<bool> {
        let stars = Stars::new(surface, surface.rest().expect("made with one"));
        (0..surface.vertex_count()).map(|v| stars.is_flat(v, motion, reach)).collect()
    }

    #[test]
    fn a_sheet_that_moves_as_a_body_is_flat_and_a_sharp_fold_is_not() {
        let mesh = generate::plane([1.0, 1.0], [10, 10]);
        let surface = surface(&mesh);
        let reach = Reach { within: 0.05, of_rest: 0.6 };
        let turned: Vec<DVec3> = mesh.positions.iter().map(|x| DVec3::new(x.y + 1.0, -x.x, 2.0 + x.z)).collect();
        assert!(flat_vertices(&surface, &Motion::still(&turned), &reach).iter().all(|flat| *flat));
        let folded: Vec<DVec3> = mesh.positions.iter().map(|x| DVec3::new(-x.x.abs(), x.y - 0.1 * x.x, x.z)).collect();
        let flat = flat_vertices(&surface, &Motion::still(&folded), &reach);
        for (x, flat) in mesh.positions.iter().zip(flat) {
            assert_eq!(flat, x.x.abs() > 0.09, "{x}");
        }
    }

    #[test]
    fn sheets_that_meet_in_a_vertex_or_overlap_at_rest_never_count_as_flat() {
        let wing = |turn: f64| {
            [DVec3::new(turn.cos(), 0.0, turn.sin()), DVec3::new((turn + 1.0).cos(), 0.0, (turn + 1.0).sin())]
        };
        let [[a, b], [c, d]] = [wing(0.0), wing(2.0)];
        let mesh = TriMesh::from_indices(vec![DVec3::ZERO, a, b, c, d], &[[0, 2, 1], [0, 4, 3]]);
        assert!(
            !flat_vertices(&surface(&mesh), &Motion::still(&mesh.positions), &Reach { within: 1e-6, of_rest: 0.1 })[0]
        );
    }

    proptest! {
        /// Against all pairs, one by one.
        #[test]
        fn flat_stars_have_no_pair_within_reach(
            bumps in prop::collection::vec((-0.1..0.1_f64, -0.1..0.1_f64, -0.15..0.15_f64), 49),
            moves in prop::collection::vec((-0.1..0.1_f64, -0.1..0.1_f64, -0.15..0.15_f64), 49),
            scale in 0.0..1.0_f64, within in 0.01..0.2_f64, of_rest in 0.1..1.0_f64,
        ) {
            let mesh = generate::plane([1.0, 1.0], [6, 6]);
            let surface = surface(&mesh);
            let shift = |x: &[DVec3], by: &[(f64, f64, f64)], scale: f64| -> Vec<DVec3> {
                x.iter().zip(by).map(|(x, (a, b, c))| *x + DVec3::new(*a, *b, *c) * scale).collect()
            };
            let x_t0 = shift(&mesh.positions, &bumps, scale);
            let x_t1 = shift(&x_t0, &moves, scale);
            let motion = Motion { x_t0: &x_t0, x_t1: &x_t1 };
            let reach = Reach { within, of_rest };
            let flat = flat_vertices(&surface, &motion, &reach);
            let mut found = Vec::new();
            BruteForce::new(vec![surface.clone()], Method::Conservative)
                .approaching(&[motion], reach, None, &mut found).expect("finite");
            for pair in found {
                // Searches may list what only nearly comes within reach.
                let [start, end] = [false, true].map(|end| pair.positions(&[motion], end));
                let least = 0.999 * reach.of(&surface, pair.kind, pair.vertices);
                if time_of_impact(pair.kind, Method::Conservative, &start, &end, least).is_none() {
                    continue;
                }
                let [a, b] = match pair.kind {
                    PairKind::VertexFace => [&pair.vertices[..1], &pair.vertices[1..]],
                    PairKind::EdgeEdge => [&pair.vertices[..2], &pair.vertices[2..]],
                };
                let of = |feature: &[u32]| -> Vec<[u32; 3]> {
                    surface.triangles().iter().copied().filter(|t| feature.iter().all(|v| t.contains(v))).collect()
                };
                for (t, s) in of(a).iter().flat_map(|t| of(b).into_iter().map(move |s| (*t, s))) {
                    for v in t.iter().filter(|v| s.contains(v)) {
                        prop_assert!(!flat[*v as usize], "{pair:?} in the star of {v}");
                    }
                }
            }
        }
    }
}
