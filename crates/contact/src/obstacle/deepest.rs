//! The point of a triangle that lies deepest in a convex body.
//!
//! `min φ(Σ wᵢ xᵢ)` over weights `wᵢ ≥ 0, Σ wᵢ = 1`. As `φ` is convex ([`Shape`]), every local minimum is the global
//! one. The half space has it at a corner; a sphere at the point of the triangle closest to its centre; the other
//! bodies by cutting planes, to within [`DEEPEST_POINT_ERROR`] times the longest edge. The distance returned is that
//! of an actual point of the triangle, so it is never below the true minimum, only up to that error above it:
//! a caller that needs a gap keeps its threshold larger.
//!
//! Checking points only, a coarse mesh lets its edges cut the rim of a table (Mezger 2003, fig. 8).

use toile_mesh::{DVec2, DVec3};

use super::Shape;
use super::cutting_plane::minimum_on_triangle;

/// Largest error of [`deepest_point_on_triangle`] relative to the longest edge of the triangle.
pub const DEEPEST_POINT_ERROR: f64 = 1e-6;

/// The deepest point of a triangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeepestPoint {
    /// Barycentric weights; not negative, sum 1.
    pub weights: [f64; 3],
    /// Signed distance there [m].
    pub distance: f64,
    /// Unit outward normal there, in the frame of the corners.
    pub normal: DVec3,
}

/// The point of a triangle with the smallest signed distance; corners in the local frame of the shape [m].
///
/// ```
/// use toile_contact::{Shape, deepest_point_on_triangle};
/// use toile_mesh::DVec3;
/// // All corners are outside the box, yet an edge cuts it.
/// let corners = [DVec3::new(2.0, 0.9, 0.0), DVec3::new(-2.0, 0.9, 0.0), DVec3::new(0.0, 3.0, 0.0)];
/// let deepest = deepest_point_on_triangle(&Shape::Cuboid { half_size: DVec3::ONE }, corners);
/// assert!((deepest.distance + 0.1).abs() < 1e-5);
/// assert_eq!(deepest.normal, DVec3::Y);
/// ```
pub fn deepest_point_on_triangle(shape: &Shape, corners: [DVec3; 3]) -> DeepestPoint {
    // Only corners that are not numbers have no smallest distance at all.
    deepest_point_below(shape, corners, f64::INFINITY, 0.0).unwrap_or(DeepestPoint {
        weights: [1.0, 0.0, 0.0],
        distance: f64::NAN,
        normal: shape.normal(corners[0]),
    })
}

/// As [`deepest_point_on_triangle`], but `None` as soon as the whole triangle is known to stay at or above `cutoff`,
/// and content with a point at most `error` [m] above the deepest, which saves half of the work.
pub fn deepest_point_below(shape: &Shape, corners: [DVec3; 3], cutoff: f64, error: f64) -> Option<DeepestPoint> {
    if !corners.iter().all(|x| x.is_finite()) {
        return None;
    }
    let weights = match shape {
        Shape::Plane => lowest_corner(corners),
        Shape::Sphere { .. } => closest_to_origin(corners),
        _ => by_cutting(shape, corners, cutoff, error)?,
    };
    let point = weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2];
    let (distance, normal) = shape.distance_and_normal(point);
    (distance < cutoff).then_some(DeepestPoint { weights, distance, normal })
}

fn lowest_corner(corners: [DVec3; 3]) -> [f64; 3] {
    let [a, b, c] = corners.map(|x| x.y);
    if a <= b && a <= c {
        [1.0, 0.0, 0.0]
    } else if b <= c {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    }
}

/// Weights of the point of a triangle closest to the origin.
///
/// Inside if the foot of the perpendicular falls inside, else the best point of the three edges; the edges need no
/// area, so triangles squashed to a segment or a point are no special case.
fn closest_to_origin([a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (e1, e2) = (b - a, c - a);
    let (g11, g12, g22) = (e1.length_squared(), e1.dot(e2), e2.length_squared());
    let (r1, r2) = (-e1.dot(a), -e2.dot(a));
    let determinant = g11 * g22 - g12 * g12;
    if determinant > 1e-12 * g11 * g22 {
        let u = (g22 * r1 - g12 * r2) / determinant;
        let v = (g11 * r2 - g12 * r1) / determinant;
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
            return [1.0 - u - v, u, v];
        }
    }
    let on_edge = |p: DVec3, q: DVec3| {
        let edge = q - p;
        let s = (-p.dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
        // A point instead of an edge divides zero by zero.
        let s = if s.is_nan() { 0.0 } else { s };
        (s, (p + s * edge).length_squared())
    };
    let ((ab, d_ab), (bc, d_bc), (ca, d_ca)) = (on_edge(a, b), on_edge(b, c), on_edge(c, a));
    if d_ab <= d_bc && d_ab <= d_ca {
        [1.0 - ab, ab, 0.0]
    } else if d_bc <= d_ca {
        [0.0, 1.0 - bc, bc]
    } else {
        [ca, 0.0, 1.0 - ca]
    }
}

fn by_cutting(shape: &Shape, [a, b, c]: [DVec3; 3], cutoff: f64, error: f64) -> Option<[f64; 3]> {
    let (e1, e2) = (b - a, c - a);
    let longest_sq = e1.length_squared().max(e2.length_squared()).max((c - b).length_squared());
    let f = |x: DVec2| {
        let (distance, normal) = shape.distance_and_normal(a + x.x * e1 + x.y * e2);
        (distance, DVec2::new(normal.dot(e1), normal.dot(e2)))
    };
    let DVec2 { x: u, y: v } = minimum_on_triangle(f, error.max(DEEPEST_POINT_ERROR * longest_sq.sqrt()), cutoff)?.at;
    // Cuts put corners on the border of the triangle only up to rounding.
    let (u, v) = (u.clamp(0.0, 1.0), v.clamp(0.0, 1.0));
    Some([(1.0 - u - v).max(0.0), u, v])
}

#[cfg(test)]
mod tests {
    use super::super::shape::SHAPES;
    use super::*;
    use proptest::prelude::*;

    fn corners() -> impl Strategy<Value = [DVec3; 3]> {
        let point = || prop::array::uniform3(-1.5..1.5_f64).prop_map(DVec3::from);
        // Shrinking towards the first corner gives small and thin triangles too.
        (point(), point(), point(), -4..=0_i32, -4..=0_i32)
            .prop_map(|(a, b, c, k, l)| [a, a + (b - a) * 10_f64.powi(k), a + (c - a) * 10_f64.powi(l)])
    }

    fn longest(corners: [DVec3; 3]) -> f64 {
        let [a, b, c] = corners;
        (b - a).length().max((c - b).length()).max((a - c).length())
    }

    /// Smallest distance by trying a grid of `n` by `n` weights in `[u0, u0 + side] × [v0, v0 + side]`.
    fn sampled(shape: &Shape, [a, b, c]: [DVec3; 3], u0: f64, v0: f64, side: f64, n: u32) -> (f64, f64, f64) {
        let mut best = (f64::INFINITY, 0.0, 0.0);
        for i in 0..=n {
            for j in 0..=n {
                let u = (u0 + side * f64::from(i) / f64::from(n)).clamp(0.0, 1.0);
                let v = (v0 + side * f64::from(j) / f64::from(n)).clamp(0.0, 1.0 - u);
                let d = shape.distance(a + u * (b - a) + v * (c - a));
                if d < best.0 {
                    best = (d, u, v);
                }
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn no_sample_of_the_triangle_lies_deeper(
            shape in prop::sample::select(SHAPES.to_vec()),
            corners in corners(),
        ) {
            let deepest = deepest_point_on_triangle(&shape, corners);
            let tolerance = DEEPEST_POINT_ERROR * longest(corners) + 1e-15;
            // Two levels: a coarse grid over everything, then a fine one round the point found.
            let coarse = sampled(&shape, corners, 0.0, 0.0, 1.0, 40).0;
            let [_, u, v] = deepest.weights;
            let fine = sampled(&shape, corners, u - 0.02, v - 0.02, 0.04, 40).0;
            prop_assert!(deepest.distance <= coarse.min(fine) + tolerance);
        }

        #[test]
        fn the_result_is_a_point_of_the_triangle(
            shape in prop::sample::select(SHAPES.to_vec()),
            corners in corners(),
        ) {
            let DeepestPoint { weights: w, distance, normal } = deepest_point_on_triangle(&shape, corners);
            prop_assert!(w.iter().all(|&w| w >= 0.0));
            prop_assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            let p = w[0] * corners[0] + w[1] * corners[1] + w[2] * corners[2];
            prop_assert_eq!(shape.distance_and_normal(p), (distance, normal));
        }

        #[test]
        fn the_cutoff_only_silences(
            shape in prop::sample::select(SHAPES.to_vec()),
            corners in corners(),
            cutoff in -0.3..0.5_f64,
        ) {
            let d = deepest_point_on_triangle(&shape, corners).distance;
            let error = DEEPEST_POINT_ERROR * longest(corners) + 1e-15;
            match deepest_point_below(&shape, corners, cutoff, 0.0) {
                Some(found) => prop_assert!(found.distance < cutoff && found.distance <= d + error),
                None => prop_assert!(d >= cutoff - error),
            }
        }
    }

    #[test]
    fn a_flat_touch_is_found_in_the_middle() {
        let corners = [DVec3::ZERO, DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.0, 0.0, 0.1)].map(|x| x + 0.3 * DVec3::Y);
        let deepest = deepest_point_on_triangle(&SHAPES[3], corners);
        assert!(deepest.weights.iter().all(|w| (w - 1.0 / 3.0).abs() < 1e-15));
        assert!((deepest.distance - 0.05).abs() < 1e-15);
    }

    #[test]
    fn squashed_triangles_have_a_deepest_point() {
        let p = DVec3::new(0.9, 0.4, 0.1);
        for shape in SHAPES {
            let at_point = deepest_point_on_triangle(&shape, [p; 3]);
            assert!((at_point.distance - shape.distance(p)).abs() < 1e-15);
            let segment = deepest_point_on_triangle(&shape, [p, -p, 0.5 * p]);
            let expected = (0..=1000).map(|i| shape.distance(p - p * (f64::from(i) / 500.0))).fold(1.0, f64::min);
            assert!(segment.distance <= expected + 2e-6, "{shape:?}: {} {expected}", segment.distance);
        }
    }

    #[test]
    fn corners_that_are_not_numbers_are_survived() {
        for shape in SHAPES {
            for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
                let corners = [DVec3::ZERO, DVec3::new(1.0, bad, 0.0), DVec3::Z];
                assert!(deepest_point_below(&shape, corners, 1.0, 0.0).is_none());
                assert!(deepest_point_on_triangle(&shape, corners).distance.is_nan());
            }
            let huge = [DVec3::splat(1e300), DVec3::splat(-1e300), DVec3::X];
            let _ = deepest_point_on_triangle(&shape, huge);
        }
    }
}
