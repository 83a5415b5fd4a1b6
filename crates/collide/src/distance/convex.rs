//! Distance of two convex polygons in space, by the method of Gilbert, Johnson and Keerthi 1988.
//!
//! The distance of `A` and `B` is the distance of the origin from the differences `A - B`, whose corners are the
//! differences of corners. A simplex of at most four of them grows towards the origin: `v` is its point nearest to the
//! origin, and the next corner `w` is the one furthest along `-v`. All differences `y` have `v·y >= v·w`, so
//! `v·w / |v| <= distance <= |v|`; the search ends when the two bounds meet within rounding of the pair's size.
//! Mezger, Kimmerle, Etzmuß 2003, §6.1, so handle polygons beside triangles.
//!
//! The point of a segment or triangle nearest to the origin is that of the other pairs of [the module](super). A
//! tetrahedron contains the origin by exact signs of determinants, or its nearest point is on a face with `w`.
//! Close above zero the direction of `v` is mostly rounding and the search may find no nearer simplex before the bounds
//! meet; taken as the end this was seen to be wrong by 1e-8 of the size. Such pairs are solved feature by feature
//! instead, in `features.rs`. So the distance is right within 2e-14 of the pair's size, and polygons that
//! touch or cross are at distance 0.
//!
//! Swapping the polygons or renumbering corners may change the last bits. Of several pairs of nearest points, as
//! parallel polygons have, one is found. Corners have to be planar and convex within rounding: for others the answer
//! may be the distance of the convex hulls or that of the triangles at the first corner.

use super::vertex_face::triangle_foot;
use super::{DVec3, ROUNDING, orientation, power_of_two_scale, segment_foot};

/// Most corners of a polygon; [`convex_polygons`] does not look at further ones.
pub const POLYGON_CORNERS: usize = 8;

/// Iterations after which a pair is solved feature by feature. Every one brings `v` nearer, so that none repeats.
const ITERATIONS: usize = 64;

/// Nearest points of two convex polygons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPolygons {
    /// Distance [m]; 0 if the polygons touch or cross, infinite if one has no corner.
    pub distance: f64,
    /// The first polygon's point [m].
    pub point_a: DVec3,
    /// The second polygon's point [m]; equal to the first's within rounding where the distance is 0.
    pub point_b: DVec3,
    /// Weights of the first polygon's corners; none is negative, the sum is 1 within rounding.
    pub weights_a: [f64; POLYGON_CORNERS],
    /// Weights of the second polygon's corners.
    pub weights_b: [f64; POLYGON_CORNERS],
}

/// A corner of `A - B` and the corners it is the difference of.
#[derive(Clone, Copy, Debug, Default)]
struct Corner {
    y: DVec3,
    a: usize,
    b: usize,
}

/// Corners with positive weights, and the point `v` they make.
#[derive(Clone, Copy, Debug, Default)]
struct Simplex {
    corners: [Corner; 4],
    weights: [f64; 4],
    len: usize,
    v: DVec3,
}

/// Nearest points of the convex polygons with corners `a` and `b`, in either turning sense; points and segments are
/// polygons too.
///
/// ```
/// use toile_collide::distance::convex_polygons;
/// use toile_mesh::DVec3;
///
/// let square = |y: f64| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, z]| DVec3::new(x, y, z));
/// let corner = [DVec3::new(0.25, 3.0, 0.5), DVec3::new(0.0, 4.0, 0.0), DVec3::new(1.0, 5.0, 0.0)];
/// let closest = convex_polygons(&square(1.0), &corner);
/// assert!((closest.distance - 2.0).abs() < 1e-15);
/// assert_eq!(closest.point_b, corner[0]);
/// ```
pub fn convex_polygons(a: &[DVec3], b: &[DVec3]) -> ClosestPolygons {
    let (a, b) = (&a[..a.len().min(POLYGON_CORNERS)], &b[..b.len().min(POLYGON_CORNERS)]);
    let (Some(&origin), Some(_)) = (a.first(), b.first()) else {
        return ClosestPolygons {
            distance: f64::INFINITY,
            point_a: DVec3::ZERO,
            point_b: DVec3::ZERO,
            weights_a: [0.0; POLYGON_CORNERS],
            weights_b: [0.0; POLYGON_CORNERS],
        };
    };
    let scale = power_of_two_scale(a.iter().chain(b));
    let pair = Polygons::new(a, b, origin, scale);
    let Nearest { weights_a, weights_b, distance } = pair.search().unwrap_or_else(|| pair.nearest_features());

    let mean = |corners: &[DVec3; POLYGON_CORNERS], weights: &[f64; POLYGON_CORNERS]| {
        origin + corners.iter().zip(weights).map(|(&p, &w)| w * p).sum::<DVec3>() / scale
    };
    ClosestPolygons {
        distance: if distance <= pair.tolerance() { 0.0 } else { distance / scale },
        point_a: mean(&pair.a, &weights_a),
        point_b: mean(&pair.b, &weights_b),
        weights_a,
        weights_b,
    }
}

/// Both polygons, seen from the first corner of `a` and scaled.
pub(super) struct Polygons {
    a: [DVec3; POLYGON_CORNERS],
    b: [DVec3; POLYGON_CORNERS],
    len_a: usize,
    len_b: usize,
    size: f64,
}

/// Weights of the nearest points, and their distance.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    pub(super) weights_a: [f64; POLYGON_CORNERS],
    pub(super) weights_b: [f64; POLYGON_CORNERS],
    pub(super) distance: f64,
}

impl Polygons {
    fn new(a: &[DVec3], b: &[DVec3], origin: DVec3, scale: f64) -> Self {
        let seen = |corners: &[DVec3]| {
            let mut seen = [DVec3::ZERO; POLYGON_CORNERS];
            for (p, &corner) in seen.iter_mut().zip(corners) {
                *p = corner * scale - origin * scale;
            }
            seen
        };
        let (seen_a, seen_b) = (seen(a), seen(b));
        let size = seen_a.iter().chain(&seen_b).fold(0.0, |most, p| p.abs().max_element().max(most));
        Self { a: seen_a, b: seen_b, len_a: a.len(), len_b: b.len(), size }
    }

    /// The corner of `A - B` furthest along `direction`.
    fn support(&self, direction: DVec3) -> Corner {
        let furthest = |corners: &[DVec3], direction: DVec3| {
            let (mut best, mut most) = (0, corners[0].dot(direction));
            for (i, p) in corners.iter().enumerate().skip(1) {
                let reach = p.dot(direction);
                if reach > most {
                    (best, most) = (i, reach);
                }
            }
            best
        };
        let (i, j) = (furthest(self.a(), direction), furthest(self.b(), -direction));
        Corner { y: self.a[i] - self.b[j], a: i, b: j }
    }

    pub(super) fn a(&self) -> &[DVec3] {
        &self.a[..self.len_a]
    }

    pub(super) fn b(&self) -> &[DVec3] {
        &self.b[..self.len_b]
    }

    /// Distances up to this are rounding.
    pub(super) fn tolerance(&self) -> f64 {
        ROUNDING * self.size
    }

    /// The nearest points; `None` if rounding stops the search before it is sure of them.
    fn search(&self) -> Option<Nearest> {
        let tolerance = self.tolerance();
        let mut simplex = Simplex::new(self.support(self.b[0] - self.a[0]));
        for _ in 0..ITERATIONS {
            let distance = simplex.v.length();
            if distance <= tolerance {
                return Some(simplex.nearest());
            }
            let w = self.support(-simplex.v);
            if distance - simplex.v.dot(w.y) / distance <= tolerance {
                return Some(simplex.nearest());
            }
            let next = simplex.grown(w)?;
            if next.v.length_squared() >= simplex.v.length_squared() {
                return None;
            }
            simplex = next;
        }
        None
    }
}

impl Simplex {
    fn new(corner: Corner) -> Self {
        let mut simplex = Self { v: corner.y, len: 1, ..Self::default() };
        (simplex.corners[0], simplex.weights[0]) = (corner, 1.0);
        simplex
    }

    /// Of `corners` with `weights`, those with positive weights.
    fn of<const N: usize>(corners: [Corner; N], weights: [f64; N], v: DVec3) -> Self {
        let mut simplex = Self { v, ..Self::default() };
        for (corner, weight) in corners.into_iter().zip(weights) {
            if weight > 0.0 {
                (simplex.corners[simplex.len], simplex.weights[simplex.len]) = (corner, weight);
                simplex.len += 1;
            }
        }
        simplex
    }

    fn nearest(&self) -> Nearest {
        let (mut weights_a, mut weights_b) = ([0.0; POLYGON_CORNERS], [0.0; POLYGON_CORNERS]);
        for (corner, weight) in self.corners.iter().zip(self.weights).take(self.len) {
            weights_a[corner.a] += weight;
            weights_b[corner.b] += weight;
        }
        Nearest { weights_a, weights_b, distance: self.v.length() }
    }

    /// The least simplex of these corners and `w` that holds their point nearest to the origin; `None` if the
    /// polygons cross.
    fn grown(&self, w: Corner) -> Option<Self> {
        let [p, q, r, _] = self.corners;
        match self.len {
            1 => Some(on_segment([p, w])),
            2 => Some(on_triangle([p, q, w])),
            _ => on_tetrahedron([p, q, r, w]),
        }
    }
}

fn on_segment([p, w]: [Corner; 2]) -> Simplex {
    let (t, offset) = segment_foot(-p.y, w.y - p.y);
    Simplex::of([p, w], [1.0 - t, t], -offset)
}

fn on_triangle(corners: [Corner; 3]) -> Simplex {
    let foot = triangle_foot(DVec3::ZERO, corners.map(|corner| corner.y));
    Simplex::of(corners, foot.weights, -foot.offset)
}

/// `None` if the tetrahedron contains the origin: the signs say so exactly, but the weights of a flat one would be off.
fn on_tetrahedron([p, q, r, w]: [Corner; 4]) -> Option<Simplex> {
    if contains_origin([p.y, q.y, r.y, w.y]) {
        return None;
    }
    // The face without `w` was not enough before.
    let mut best = on_triangle([p, q, w]);
    for face in [on_triangle([p, r, w]), on_triangle([q, r, w])] {
        if face.v.length_squared() < best.v.length_squared() {
            best = face;
        }
    }
    Some(best)
}

fn contains_origin([p, q, r, w]: [DVec3; 4]) -> bool {
    let o = DVec3::ZERO;
    let side = orientation(p, q, r, w);
    side != 0.0
        && orientation(p, q, r, o) * side >= 0.0
        && orientation(p, q, o, w) * side >= 0.0
        && orientation(p, o, r, w) * side >= 0.0
        && orientation(o, q, r, w) * side >= 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toile_mesh::DQuat;

    use super::super::exact::{self, Point};
    use super::*;

    /// Distance and weights, right within this share of the size.
    const TOLERANCE: f64 = 2e-14;

    fn size(a: &[DVec3], b: &[DVec3]) -> f64 {
        a.iter().chain(b).fold(0.0, |most, p| p.distance(a[0]).max(most))
    }

    /// Weights, points and distance fit together.
    fn assert_consistent(a: &[DVec3], b: &[DVec3], closest: &ClosestPolygons) {
        let tolerance = TOLERANCE * size(a, b);
        for (corners, weights, point) in
            [(a, closest.weights_a, closest.point_a), (b, closest.weights_b, closest.point_b)]
        {
            assert!(weights.iter().all(|&w| w >= 0.0) && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-15 * 8.0);
            assert!(weights[corners.len()..].iter().all(|&w| w == 0.0));
            let mean = corners.iter().zip(weights).map(|(&p, w)| w * (p - a[0])).sum::<DVec3>();
            assert!((point - a[0] - mean).length() <= tolerance);
        }
        let apart = closest.point_a.distance(closest.point_b);
        assert!((apart - closest.distance).abs() <= tolerance, "points {apart:e} apart, {closest:?}");
    }

    /// The planes through the nearest points separate the polygons: nothing of them can be nearer.
    ///
    /// If `|v|` is right within `τ`, then `|v + t (y - v)| >= |v| - τ` for all differences `y` and `0 <= t <= 1`, and
    /// the best `t` gives `v·(y - v) >= -|y - v| √(2 |v| τ)`: nearest points of slivers may slide that far unseen.
    fn assert_optimal(a: &[DVec3], b: &[DVec3], closest: &ClosestPolygons) {
        let v = closest.point_a - closest.point_b;
        let (size, error) = (size(a, b), TOLERANCE * size(a, b));
        // The direction of `v` is off by rounding / distance, which the size multiplies.
        let tolerance = size * error.max((2.0 * v.length() * error).sqrt());
        for &p in a {
            assert!(v.dot(p - closest.point_a) >= -tolerance, "{p} is nearer");
        }
        for &p in b {
            assert!(v.dot(p - closest.point_b) <= tolerance, "{p} is nearer");
        }
    }

    fn triangles(range: i128) -> impl Strategy<Value = [[Point; 3]; 2]> {
        prop::array::uniform2(prop::array::uniform3(prop::array::uniform3(-range..=range)))
    }

    /// A second triangle along and close to the first, both slivers.
    fn slivers() -> impl Strategy<Value = [[Point; 3]; 2]> {
        (exact::along_a_line(), exact::along_a_line(), 0..5_i128).prop_map(|(a, b, lift)| {
            let moved = |p: Point| std::array::from_fn(|k| p[k] - b[0][k] + a[0][k] + lift);
            [[a[0], a[1], a[2]], [b[0], b[1], b[2]].map(moved)]
        })
    }

    fn quad([corner, u, v]: [Point; 3]) -> [Point; 4] {
        let sum = |p: Point, q: Point| std::array::from_fn(|k| p[k] + q[k]);
        [corner, sum(corner, u), sum(sum(corner, u), v), sum(corner, v)]
    }

    fn halves([p, q, r, s]: [Point; 4]) -> [[Point; 3]; 2] {
        [[p, q, r], [p, r, s]]
    }

    fn assert_distance(a: &[Point], b: &[Point], reference_sq: f64) {
        let a: Vec<DVec3> = a.iter().copied().map(exact::point).collect();
        let b: Vec<DVec3> = b.iter().copied().map(exact::point).collect();
        let closest = convex_polygons(&a, &b);
        let error = (closest.distance - reference_sq.sqrt()).abs();
        assert!(error <= TOLERANCE * size(&a, &b), "{:e}, exactly {:e}", closest.distance, reference_sq.sqrt());
        assert!(reference_sq != 0.0 || closest.distance == 0.0, "{:e} for touching polygons", closest.distance);
        assert_consistent(&a, &b, &closest);
        assert_optimal(&a, &b, &closest);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn triangles_are_as_far_apart_as_their_nearest_features(
            [a, b] in prop_oneof![triangles(2), triangles(8), triangles(60_000), slivers()],
        ) {
            assert_distance(&a, &b, exact::triangles_sq(a, b));
        }

        #[test]
        fn quads_are_as_far_apart_as_their_halves([a, b] in prop_oneof![triangles(2), triangles(10), triangles(30_000)]) {
            let (a, b) = (quad(a), quad(b));
            let pairs = halves(a).into_iter().flat_map(|s| halves(b).map(|t| exact::triangles_sq(s, t)));
            assert_distance(&a, &b, pairs.fold(f64::INFINITY, f64::min));
        }

        /// Down to distances and angles of rounding, where the search alone would be off by 1e-8.
        #[test]
        fn search_agrees_with_features(
            angles in prop::array::uniform2(prop::collection::vec(0.0..std::f64::consts::TAU, 3..=8)),
            (tilt, lift, squash) in (-13.0..0.5, -15.0..0.5, -8.0..0.0),
            (axis, turn) in (prop::array::uniform3(-1.0..1.0), 0.0..6.0),
        ) {
            let [a, b] = angles.map(|mut angles| {
                angles.sort_by(f64::total_cmp);
                let squash = 10_f64.powf(squash);
                angles.iter().map(|t| DVec3::new(t.cos(), 0.0, squash * t.sin())).collect::<Vec<_>>()
            });
            let axis = DVec3::from_array(axis).normalize_or(DVec3::Z);
            let frame = DQuat::from_axis_angle(axis.any_orthonormal_vector(), turn);
            let tilt = DQuat::from_axis_angle(axis, 10_f64.powf(tilt));
            let a: Vec<DVec3> = a.iter().map(|&p| frame * p).collect();
            let b: Vec<DVec3> = b.iter().map(|&p| frame * (tilt * p + DVec3::Y * 10_f64.powf(lift))).collect();
            let closest = convex_polygons(&a, &b);
            let features = Polygons::new(&a, &b, a[0], 1.0).nearest_features();
            prop_assert!((closest.distance - features.distance).abs() <= TOLERANCE * size(&a, &b));
            assert_consistent(&a, &b, &closest);
            assert_optimal(&a, &b, &closest);
        }

        #[test]
        fn extreme_magnitudes_scale_the_answer([a, b] in triangles(50), exponent in -900..900_i32) {
            let [a, b] = [a, b].map(|t| t.map(exact::point));
            let scale = 2_f64.powi(exponent);
            let (closest, scaled) = (convex_polygons(&a, &b), convex_polygons(&a.map(|p| p * scale), &b.map(|p| p * scale)));
            prop_assert!((closest.distance - scaled.distance / scale).abs() <= TOLERANCE * size(&a, &b));
            let apart = scaled.point_a / scale - scaled.point_b / scale;
            prop_assert!((apart.length() - closest.distance).abs() <= TOLERANCE * size(&a, &b));
        }
    }

    #[test]
    fn octagons_are_a_gap_apart() {
        let octagon = |centre: DVec3| -> [DVec3; 8] {
            std::array::from_fn(|k| centre + DQuat::from_rotation_z(k as f64 * std::f64::consts::FRAC_PI_4) * DVec3::X)
        };
        let far = DVec3::new(1e6, -2e6, 3e6);
        let closest = convex_polygons(&octagon(far), &octagon(far + DVec3::new(5.0, 0.0, 0.0)));
        assert!((closest.distance - 3.0).abs() < 1e-9, "corners are rounded at 1e6: {}", closest.distance);
        let above = convex_polygons(&octagon(DVec3::ZERO), &octagon(DVec3::new(0.3, 0.2, 0.5)));
        assert!((above.distance - 0.5).abs() < 1e-15);
        let across = octagon(DVec3::ZERO).map(|p| DVec3::new(p.x, p.z, p.y) + 0.1);
        assert_eq!(convex_polygons(&octagon(DVec3::ZERO), &across).distance, 0.0);
    }

    #[test]
    fn points_segments_and_nothing_are_answered() {
        let (p, q) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, 2.0, 7.0));
        assert_eq!(convex_polygons(&[p], &[q]).distance, 4.0);
        assert_eq!(convex_polygons(&[p], &[p]).distance, 0.0);
        assert_eq!(convex_polygons(&[p, q], &[DVec3::new(4.0, 6.0, 5.0); 3]).distance, 5.0);
        assert_eq!(convex_polygons(&[p], &[]).distance, f64::INFINITY);
        assert_eq!(convex_polygons(&[p; 20], &[q; 20]).distance, 4.0);
    }
}
