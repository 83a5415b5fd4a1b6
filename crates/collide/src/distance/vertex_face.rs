//! Distance of a vertex and a face.
//!
//! With the longest edge `e` from corner `i` to `j`, `f` from `i` to the third corner `k` and `q` from `i` to the
//! vertex: `f = along e + across`, `across ⟂ e`, and the foot of the perpendicular onto the plane has the weights
//! `w_k = q·across / across²`, `w_j = q·e / e² - w_k along`, `w_i = 1 - w_j - w_k`. If none is negative it competes with
//! the nearest points of the three edges; see [the module](super) for accuracy and symmetry.

use super::{
    Closest, DVec3, Foot, ROUNDING, extent, normal_or_any, orientation, orthogonalize, power_of_two_scale, precedes,
    segment_foot,
};

/// Nearest points of the vertex `x[0]` and the face `x[1], x[2], x[3]`.
///
/// ```
/// use toile_collide::distance::vertex_face;
/// use toile_mesh::DVec3;
///
/// let face = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)];
/// let closest = vertex_face(&[DVec3::new(1.0, 2.0, -3.0), face[0], face[1], face[2]]);
/// assert_eq!(closest.distance, 3.0);
/// assert_eq!(closest.weights, [1.0, 0.25, 0.25, 0.5]);
/// assert_eq!((closest.normal, closest.side), (DVec3::NEG_Z, -1.0));
/// ```
pub fn vertex_face(x: &[DVec3; 4]) -> Closest {
    let scale = power_of_two_scale(x);
    let x = x.map(|p| p * scale);
    let [v, f0, f1, f2] = x;
    let foot = triangle_foot(v, [f0, f1, f2]);
    let distance = foot.sq.sqrt();
    let side = orientation(f0, f1, f2, v);
    let normal =
        if distance > ROUNDING * extent(&x) { foot.offset / distance } else { face_normal([f0, f1, f2], side) };
    let [w0, w1, w2] = foot.weights;
    Closest { distance: distance / scale, weights: [1.0, w0, w1, w2], normal, side }
}

/// Square of the distance of the vertex `x[0]` and the face `x[1], x[2], x[3]` [m²].
pub fn vertex_face_distance_squared(x: &[DVec3; 4]) -> f64 {
    let scale = power_of_two_scale(x);
    let [v, f0, f1, f2] = if scale == 1.0 { *x } else { x.map(|p| p * scale) };
    triangle_foot(v, [f0, f1, f2]).sq / scale / scale
}

/// The point of the triangle nearest to `p`.
#[expect(clippy::inline_always, reason = "leaves out the weights where only the distance is wanted")]
#[inline(always)]
pub(super) fn triangle_foot(p: DVec3, [a, b, c]: [DVec3; 3]) -> Foot<3> {
    let (a, b) = sorted((a, 0), (b, 1));
    let (b, c) = sorted(b, (c, 2));
    let (a, b) = sorted(a, b);
    let foot = sorted_triangle_foot(p, [a.0, b.0, c.0]);
    let mut weights = [0.0; 3];
    for (weight, corner) in foot.weights.into_iter().zip([a.1, b.1, c.1]) {
        weights[corner] = weight;
    }
    Foot { weights, ..foot }
}

/// Two numbered corners in the order of [`precedes`].
#[inline]
fn sorted(a: (DVec3, usize), b: (DVec3, usize)) -> ((DVec3, usize), (DVec3, usize)) {
    if precedes(b.0, a.0) { (b, a) } else { (a, b) }
}

#[expect(clippy::inline_always, reason = "leaves out the weights where only the distance is wanted")]
#[inline(always)]
fn sorted_triangle_foot(p: DVec3, [a, b, c]: [DVec3; 3]) -> Foot<3> {
    let (ab, bc, ac) = (b - a, c - b, c - a);
    let (from_a, from_b) = (p - a, p - b);

    let (t, offset) = segment_foot(from_a, ab);
    let on_ab = Foot::new([1.0 - t, t, 0.0], offset);
    let (t, offset) = segment_foot(from_b, bc);
    let on_bc = Foot::new([0.0, 1.0 - t, t], offset);
    let (t, offset) = segment_foot(from_a, ac);
    let on_ac = Foot::new([1.0 - t, 0.0, t], offset);
    let border = on_ab.or_nearer(on_bc).or_nearer(on_ac);

    let [abab, bcbc, acac] = [ab, bc, ac].map(DVec3::length_squared);
    let is_ab_longest = abab >= bcbc && abab >= acac;
    let is_bc_longest = !is_ab_longest && bcbc >= acac;
    let (q, e, f) = if is_ab_longest {
        (from_a, ab, ac)
    } else if is_bc_longest {
        (from_b, bc, -ab)
    } else {
        (from_a, ac, ab)
    };
    let Some(Foot { weights: [w_i, w_j, w_k], offset, sq }) = plane_foot(q, e, f) else { return border };
    let weights = if is_ab_longest {
        [w_i, w_j, w_k]
    } else if is_bc_longest {
        [w_k, w_i, w_j]
    } else {
        [w_i, w_k, w_j]
    };
    border.or_nearer(Foot { weights, offset, sq })
}

/// Foot of the perpendicular from `q` onto the plane of the triangle 0, `e`, `f`, of which `e` is the longest edge;
/// `None` if it is outside the triangle or the triangle is collapsed.
#[inline]
fn plane_foot(q: DVec3, e: DVec3, f: DVec3) -> Option<Foot<3>> {
    let per_ee = 1.0 / e.length_squared();
    let (along, across) = orthogonalize(f, e, per_ee);
    let w_k = q.dot(across) / across.length_squared();
    let w_j = q.dot(e) * per_ee - w_k * along;
    let w_i = 1.0 - w_j - w_k;
    // False for the not-a-numbers of collapsed triangles.
    (w_i >= 0.0 && w_j >= 0.0 && w_k >= 0.0).then(|| Foot::new([w_i, w_j, w_k], q - w_j * e - w_k * f))
}

/// Unit normal of the face, pointing to `side`.
pub(super) fn face_normal(face: [DVec3; 3], side: f64) -> DVec3 {
    let edge = |i: usize| face[(i + 1) % 3] - face[i];
    let longest = (1..3).fold(0, |i, j| if edge(j).length_squared() > edge(i).length_squared() { j } else { i });
    let (e, f) = (edge(longest), -edge((longest + 2) % 3));
    let (_, across) = orthogonalize(f, e, 1.0 / e.length_squared());
    normal_or_any(e.cross(across), side, e)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::exact;
    use super::*;

    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

    fn assert_bits_agree(x: &[DVec3; 4]) {
        assert_eq!(vertex_face(x).distance, vertex_face_distance_squared(x).sqrt());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn is_right_for_integer_corners(p in exact::pairs()) {
            let x = p.map(exact::point);
            let [v, a, b, c] = p;
            let side = exact::orientation([a, b, c, v]);
            exact::assert_closest(&x, 1, &vertex_face(&x), exact::vertex_face_sq(p).sqrt(), side);
            assert_bits_agree(&x);
        }

        #[test]
        fn order_of_corners_does_not_change_a_bit(p in exact::pairs(), divisor in prop_oneof![Just(1.0), Just(7.3)]) {
            let x = p.map(|q| exact::point(q) / divisor);
            let closest = vertex_face(&x);
            for order in ORDERS {
                let [i, j, k] = order.map(|i| i + 1);
                let other = vertex_face(&[x[0], x[i], x[j], x[k]]);
                prop_assert_eq!(other.distance.to_bits(), closest.distance.to_bits());
                let point = |x: [DVec3; 3], w: [f64; 4]| w[1] * x[0] + w[2] * x[1] + w[3] * x[2];
                let moved = point([x[i], x[j], x[k]], other.weights) - point([x[1], x[2], x[3]], closest.weights);
                prop_assert!(moved.length() <= 1e-15 * extent(&x).max(x[0].length()));
            }
        }

        #[test]
        fn shift_and_power_of_two_scale_exactly(p in exact::pairs(), exponent in -900..900_i32) {
            let x = p.map(exact::point);
            let closest = vertex_face(&x);
            let far = DVec3::new(2_f64.powi(30), -2_f64.powi(31), 2_f64.powi(33));
            prop_assert_eq!(vertex_face(&x.map(|p| p + far)), closest);
            let scale = 2_f64.powi(exponent);
            let scaled = vertex_face(&x.map(|p| p * scale));
            prop_assert_eq!(Closest { distance: scaled.distance / scale, ..scaled }, closest);
        }
    }

    /// Area 9/2, edges of 1e5: as thin as 1 to 1e9.
    #[test]
    fn is_right_over_the_thinnest_integer_sliver() {
        let [a, b, c] = [[0, 0, 0], [85_971, 139_104, 0], [139_104, 225_075, 0]];
        for height in [0, 1, 30, 1000, 100_000] {
            let p = [[75_025, 121_393, height], a, b, c];
            let x = p.map(exact::point);
            let side = f64::from(i8::from(height > 0)) * exact::orientation([a, b, c, [0, 0, 1]]);
            exact::assert_closest(&x, 1, &vertex_face(&x), exact::vertex_face_sq(p).sqrt(), side);
        }
    }

    #[test]
    fn touching_vertex_has_the_normal_of_the_face() {
        let face = [DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0), DVec3::new(3.0, 0.0, 0.0)];
        for v in [DVec3::new(0.5, 0.0, 0.5), DVec3::new(1.5, 0.0, 0.0), face[2]] {
            let closest = vertex_face(&[v, face[0], face[1], face[2]]);
            assert!(closest.distance < 1e-15);
            assert_eq!((closest.normal, closest.side), (DVec3::Y, 0.0));
        }
        // Too near for a direction, yet on a definite side.
        let below = vertex_face(&[DVec3::new(0.5, -1e-20, 0.5), face[0], face[1], face[2]]);
        assert_eq!((below.normal, below.side), (DVec3::NEG_Y, -1.0));
    }

    #[test]
    fn collapsed_face_has_a_unit_normal() {
        let (p, q) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(-3.0, 5.0, 1.0));
        let line = vertex_face(&[p, p, q, p]);
        assert_eq!(line.distance, 0.0);
        assert!((line.normal.length() - 1.0).abs() < 1e-15 && line.normal.dot(q - p).abs() < 1e-14);
        assert_eq!(vertex_face(&[p; 4]).normal, DVec3::Y);
        assert_eq!(vertex_face(&[q, p, p, p]).distance, q.distance(p));
    }

    #[test]
    fn no_finite_corner_makes_a_nan() {
        let values = [0.0, -0.0, 5e-324, -1e-310, 1e-170, 1.0, -1e170, f64::MAX, -f64::MAX];
        let mut state = 1_u64;
        let mut value = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            values[(state >> 33) as usize % values.len()]
        };
        for _ in 0..20_000 {
            let x: [DVec3; 4] = std::array::from_fn(|_| DVec3::new(value(), value(), value()));
            let closest = vertex_face(&x);
            assert!(closest.distance >= 0.0 && closest.weights.iter().all(|w| (0.0..=1.0).contains(w)), "{closest:?}");
            assert!((closest.normal.length() - 1.0).abs() < 1e-14, "{x:?} {closest:?}");
            assert!(vertex_face_distance_squared(&x) >= 0.0);
        }
    }
}
