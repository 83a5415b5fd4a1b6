//! Taut tapes: around a section, and over a profile.
//!
//! A tape pulled tight around a closed curve in a plane is the boundary of its convex hull; pulled tight between two
//! points of a profile, the convex chain over it. Both by Andrew's monotone chain (1979).

use toile_mesh::{DVec2, DVec3};

use super::section::Plane;

/// Length of a chain of points [m], closed or open.
pub fn chain_length(points: &[DVec3], closed: bool) -> f64 {
    let open: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
    match (closed, points.first(), points.last()) {
        (true, Some(first), Some(last)) => open + first.distance(*last),
        _ => open,
    }
}

/// The tape pulled tight around points of a plane: their convex hull, counter-clockwise seen against the normal.
///
/// ```
/// use toile_body::measure::{Plane, chain_length, taut_around};
/// use toile_mesh::DVec3;
/// let plus = [[0.0, 1.0], [0.1, 0.1], [1.0, 0.0], [0.1, -0.1], [0.0, -1.0], [-0.1, -0.1], [-1.0, 0.0], [-0.1, 0.1]];
/// let tape = taut_around(&plus.map(|[x, z]| DVec3::new(x, 0.0, z)), Plane::level(0.0));
/// assert_eq!(tape.len(), 4);
/// assert!((chain_length(&tape, true) - 4.0 * 2f64.sqrt()).abs() < 1e-12);
/// ```
pub fn taut_around(points: &[DVec3], plane: Plane) -> Vec<DVec3> {
    let u = plane.normal.any_orthonormal_vector();
    let v = plane.normal.cross(u);
    let flat = |p: DVec3| DVec2::new(u.dot(p), v.dot(p));
    let mut order: Vec<(DVec2, DVec3)> = points.iter().map(|&p| (flat(p), p)).collect();
    order.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut hull = convex_chain(order.iter().copied());
    let mut upper = convex_chain(order.iter().rev().copied());
    hull.pop();
    upper.pop();
    hull.append(&mut upper);
    hull.into_iter().map(|(_, p)| p).collect()
}

/// The tape pulled tight from the first to the last of the points over all others, which lie to its right: `flat` gives
/// the coordinates in which the points are sorted by x.
pub(super) fn taut_over(mut points: Vec<(DVec2, DVec3)>) -> Vec<DVec3> {
    points.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    convex_chain(points.into_iter()).into_iter().map(|(_, p)| p).collect()
}

/// The chain that turns left only, over points in their order.
fn convex_chain(points: impl Iterator<Item = (DVec2, DVec3)>) -> Vec<(DVec2, DVec3)> {
    let mut chain: Vec<(DVec2, DVec3)> = Vec::new();
    for p in points {
        while let [.., (a, _), (b, _)] = chain.as_slice()
            && (*b - *a).perp_dot(p.0 - *b) <= 0.0
        {
            chain.pop();
        }
        chain.push(p);
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_tape_holds_all_points_and_lies_on_some(
            cloud in prop::collection::vec(prop::array::uniform2(-1.0..1.0_f64), 3..40),
        ) {
            let points: Vec<DVec3> = cloud.iter().map(|[x, z]| DVec3::new(*x, 0.7, *z)).collect();
            let tape = taut_around(&points, Plane::level(0.7));
            for k in 0..tape.len() {
                let (a, b) = (tape[k], tape[(k + 1) % tape.len()]);
                prop_assert!(points.contains(&a));
                for p in &points {
                    prop_assert!((b - a).cross(*p - a).y >= -1e-12);
                }
            }
        }
    }

    #[test]
    fn a_tape_around_a_circle_measures_its_circumference() {
        let n = 400;
        let circle: Vec<_> = (0..n)
            .map(|k| std::f64::consts::TAU * f64::from(k) / f64::from(n))
            .map(|t| DVec3::new(t.cos(), t.sin(), 0.0))
            .collect();
        let tape = taut_around(&circle, Plane { point: DVec3::ZERO, normal: DVec3::Z });
        assert_eq!(tape.len(), circle.len());
        assert!((chain_length(&tape, true) - std::f64::consts::TAU).abs() < 1e-3);
    }
}
