//! Minimum of a convex function over a triangle, with a guaranteed error.
//!
//! The method of centres of gravity (Levin 1965; Newman 1965): the minimum lies in a convex polygon, at first the
//! triangle in its barycentric plane `x = (u, v)`. At the centroid `c` the value `f(c)` and a subgradient `g` are
//! taken. Every point with `f(c) + g·(x − c) > f_best` is worse than the best point seen and is cut off. As a line
//! through the centroid leaves at most `1 − 1/e` of the area (Grünbaum 1960), after `k` cuts
//! `f_best − f_min ≤ (1 − 1/e)^(k/2) (f_max − f_min)`, whatever the function: kinks, flat parts and thin triangles
//! (the plane is barycentric, so it never sees the shape of the triangle) make no difference.
//!
//! Two additions, which cost one evaluation each and only help: the polygon corner where the linear model
//! `f(c) + g·(x − c)` is smallest is evaluated too, which ends the search at once for linear functions, and it
//! yields the lower bound that stops the search as soon as the error or the caller's cut-off allows.

use toile_mesh::DVec2;

/// Enough for `(1 − 1/e)^(k/2) < 1e-6`.
const MAX_CUTS: usize = 61;
/// Three corners; each of two cuts per round adds at most one.
const MAX_CORNERS: usize = 3 + 2 * MAX_CUTS;

/// Where a convex function is smallest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minimum {
    /// Barycentric weights of the second and third corner.
    pub(super) at: DVec2,
    /// Value there.
    pub(super) value: f64,
}

/// Smallest value of the convex function `f` over `u, v ≥ 0, u + v ≤ 1`, or `None` if it is not below `cutoff`.
///
/// `f` returns a value and a subgradient in `(u, v)`. The result is at most `error` above the true minimum if
/// `error ≥ 1e-6 (f_max − f_min)`; the same error applies to the comparison with `cutoff`.
pub(super) fn minimum_on_triangle(f: impl Fn(DVec2) -> (f64, DVec2), error: f64, cutoff: f64) -> Option<Minimum> {
    let mut polygon = Polygon::triangle();
    let mut best = Minimum { at: DVec2::ZERO, value: f64::INFINITY };
    for _ in 0..MAX_CUTS {
        let c = polygon.centroid();
        let (value, slope) = f(c);
        best = best.or(c, value);
        if slope == DVec2::ZERO {
            break;
        }
        let low = polygon.lowest(slope);
        // A lower bound for every point that has not been cut off.
        let bound = value + slope.dot(low - c);
        if bound >= cutoff && best.value >= cutoff {
            return None;
        }
        let (value_low, slope_low) = f(low);
        best = best.or(low, value_low);
        // Written so that a value that is not a number ends the search.
        let goes_on = best.value - bound > error
            && polygon.cut(c, slope, best.value - value)
            && polygon.cut(low, slope_low, best.value - value_low);
        if !goes_on {
            break;
        }
    }
    (best.value < cutoff).then_some(best)
}

impl Minimum {
    fn or(self, at: DVec2, value: f64) -> Self {
        if value < self.value { Self { at, value } } else { self }
    }
}

/// A convex polygon of bounded size, counter-clockwise. Cuts go from one buffer to the other.
struct Polygon {
    buffers: [[DVec2; MAX_CORNERS]; 2],
    current: usize,
    count: usize,
}

impl Polygon {
    fn triangle() -> Self {
        let mut buffers = [[DVec2::ZERO; MAX_CORNERS]; 2];
        buffers[0][1] = DVec2::X;
        buffers[0][2] = DVec2::Y;
        Self { buffers, current: 0, count: 3 }
    }

    fn corners(&self) -> &[DVec2] {
        &self.buffers[self.current][..self.count]
    }

    /// Centre of gravity; the mean of the corners if rounding has left no area.
    fn centroid(&self) -> DVec2 {
        let origin = self.corners()[0];
        let (mut area, mut moment) = (0.0, DVec2::ZERO);
        for pair in self.corners()[1..].windows(2) {
            let (a, b) = (pair[0] - origin, pair[1] - origin);
            let twice = a.perp_dot(b);
            area += twice;
            moment += twice * (a + b);
        }
        if area > 0.0 {
            origin + moment / (3.0 * area)
        } else {
            self.corners().iter().copied().sum::<DVec2>() / self.count as f64
        }
    }

    /// The corner that lies farthest against `slope`; the first of several.
    fn lowest(&self, slope: DVec2) -> DVec2 {
        self.corners()[1..]
            .iter()
            .fold(self.corners()[0], |low, &x| if slope.dot(x) < slope.dot(low) { x } else { low })
    }

    /// Keeps the points with `slope·(x − origin) ≤ level`; false if no area can be left.
    fn cut(&mut self, origin: DVec2, slope: DVec2, level: f64) -> bool {
        let height = |x: DVec2| slope.dot(x - origin) - level;
        let [first, second] = &mut self.buffers;
        let (old, new) = if self.current == 0 { (first, second) } else { (second, first) };
        let mut kept = 0;
        let mut previous = old[self.count - 1];
        let mut height_previous = height(previous);
        for &corner in &old[..self.count] {
            if kept + 2 > MAX_CORNERS {
                // A convex polygon is crossed twice; one that rounding has folded onto a line may be crossed more
                // often, and has no area left.
                return false;
            }
            let height_corner = height(corner);
            if (height_previous > 0.0) != (height_corner > 0.0) {
                let s = height_previous / (height_previous - height_corner);
                new[kept] = previous + s * (corner - previous);
                kept += 1;
            }
            if height_corner <= 0.0 {
                new[kept] = corner;
                kept += 1;
            }
            (previous, height_previous) = (corner, height_corner);
        }
        self.current = 1 - self.current;
        self.count = kept;
        kept >= 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `slope·x + level`.
    type Plane = (DVec2, f64);

    fn highest(planes: &[Plane], x: DVec2) -> (f64, DVec2) {
        planes
            .iter()
            .map(|&(slope, level)| (slope.dot(x) + level, slope))
            .fold((f64::NEG_INFINITY, DVec2::ZERO), |a, b| if b.0 > a.0 { b } else { a })
    }

    /// Exact minimum of the largest of some planes: it lies where two borders meet, a border being a side of the
    /// triangle or a line where two planes are equal.
    fn minimum_by_enumeration(planes: &[Plane]) -> f64 {
        let mut lines = vec![(DVec2::X, 0.0), (DVec2::Y, 0.0), (DVec2::ONE, -1.0)];
        for (i, a) in planes.iter().enumerate() {
            lines.extend(planes[..i].iter().map(|b| (a.0 - b.0, a.1 - b.1)));
        }
        let mut best = f64::INFINITY;
        for (i, a) in lines.iter().enumerate() {
            for b in &lines[..i] {
                let determinant = a.0.perp_dot(b.0);
                let x = DVec2::new(a.0.y * b.1 - b.0.y * a.1, b.0.x * a.1 - a.0.x * b.1) / determinant;
                if x.is_finite() && x.x >= -1e-12 && x.y >= -1e-12 && x.x + x.y <= 1.0 + 1e-12 {
                    best = best.min(highest(planes, x).0);
                }
            }
        }
        best
    }

    proptest! {
        #[test]
        fn the_minimum_of_kinked_functions_is_found(
            planes in prop::collection::vec((prop::array::uniform2(-1.0..1.0_f64), -0.3..0.3_f64), 1..8),
        ) {
            let planes: Vec<Plane> = planes.into_iter().map(|(s, l)| (DVec2::from(s), l)).collect();
            let found = minimum_on_triangle(|x| highest(&planes, x), 3e-6, f64::INFINITY).unwrap();
            let exact = minimum_by_enumeration(&planes);
            prop_assert!((-1e-11..=3e-6).contains(&(found.value - exact)), "{} {exact}", found.value);
            prop_assert_eq!(found.value, highest(&planes, found.at).0);
        }
    }

    #[test]
    fn a_linear_function_takes_one_round() {
        let evaluations = std::cell::Cell::new(0);
        let f = |x: DVec2| {
            evaluations.set(evaluations.get() + 1);
            (x.x + 2.0 * x.y, DVec2::new(1.0, 2.0))
        };
        let found = minimum_on_triangle(f, 1e-6, f64::INFINITY).unwrap();
        assert_eq!((found.at, found.value, evaluations.get()), (DVec2::ZERO, 0.0, 2));
    }

    #[test]
    fn what_is_above_the_cutoff_is_given_up_early() {
        let evaluations = std::cell::Cell::new(0);
        let f = |x: DVec2| {
            evaluations.set(evaluations.get() + 1);
            let from = x - DVec2::new(0.2, 0.3);
            (1.0 + from.length_squared(), 2.0 * from)
        };
        assert!(minimum_on_triangle(f, 1e-9, 0.5).is_none());
        assert!(evaluations.get() < 10);
    }

    #[test]
    fn a_function_that_is_not_a_number_ends_the_search() {
        assert!(minimum_on_triangle(|_| (f64::NAN, DVec2::NAN), 1e-6, f64::INFINITY).is_none());
        assert!(minimum_on_triangle(|x| (x.x, DVec2::NAN), 1e-6, f64::INFINITY).is_some());
    }
}
