//! Distance of two edges.
//!
//! With the longer edge `d` from `a0`, the shorter `e` from `b0` and `r = a0 - b0`: `e = along d + across`,
//! `across ⟂ d`, and the nearest points `a0 + s d`, `b0 + t e` of the lines are at `t = r·across / across²`,
//! `s = t along - r·d / d²`. If both are within the edges they compete with the four ends, each against its nearest
//! point of the other edge; see [the module](super) for accuracy and symmetry. Of parallel edges an end always is
//! among the nearest points.

use super::{
    Closest, DVec3, Foot, ROUNDING, extent, normal_or_any, orientation, orthogonalize, power_of_two_scale, precedes,
    segment_foot,
};

/// Nearest points of the edges `x[0], x[1]` and `x[2], x[3]`.
///
/// ```
/// use toile_collide::distance::edge_edge;
/// use toile_mesh::DVec3;
///
/// let (a0, a1) = (DVec3::new(-1.0, 0.0, 2.0), DVec3::new(3.0, 0.0, 2.0));
/// let (b0, b1) = (DVec3::new(0.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0));
/// let closest = edge_edge(&[a0, a1, b0, b1]);
/// assert_eq!(closest.distance, 2.0);
/// assert_eq!(closest.weights, [0.75, 0.25, 0.5, 0.5]);
/// assert_eq!((closest.normal, closest.side), (DVec3::Z, 1.0));
/// ```
pub fn edge_edge(x: &[DVec3; 4]) -> Closest {
    let scale = power_of_two_scale(x);
    let x = x.map(|p| p * scale);
    let [a0, a1, b0, b1] = x;
    let foot = segments_foot(&x);
    let distance = foot.sq.sqrt();
    let side = orientation(a0, a1, b0, b1);
    let normal =
        if distance > ROUNDING * extent(&x) { foot.offset / distance } else { edges_normal(a1 - a0, b1 - b0, side) };
    Closest { distance: distance / scale, weights: foot.weights, normal, side }
}

/// Square of the distance of the edges `x[0], x[1]` and `x[2], x[3]` [m²].
pub fn edge_edge_distance_squared(x: &[DVec3; 4]) -> f64 {
    let scale = power_of_two_scale(x);
    let x = if scale == 1.0 { *x } else { x.map(|p| p * scale) };
    segments_foot(&x).sq / scale / scale
}

/// The nearest points of two segments; the offset leads from the second to the first.
#[expect(clippy::inline_always, reason = "leaves out the weights where only the distance is wanted")]
#[inline(always)]
pub(super) fn segments_foot(&[a0, a1, b0, b1]: &[DVec3; 4]) -> Foot<4> {
    let (reverse_a, reverse_b) = (precedes(a1, a0), precedes(b1, b0));
    let a = if reverse_a { [a1, a0] } else { [a0, a1] };
    let b = if reverse_b { [b1, b0] } else { [b0, b1] };
    let (aa, bb) = (a[0].distance_squared(a[1]), b[0].distance_squared(b[1]));
    let swap = bb > aa || (bb == aa && (precedes(b[0], a[0]) || (b[0] == a[0] && precedes(b[1], a[1]))));
    let (first, second) = if swap { (b, a) } else { (a, b) };
    let Foot { weights: [s0, s1, t0, t1], offset, sq } = sorted_segments_foot(first, second);
    let (offset, [s0, s1, t0, t1]) = if swap { (-offset, [t0, t1, s0, s1]) } else { (offset, [s0, s1, t0, t1]) };
    let (s0, s1) = if reverse_a { (s1, s0) } else { (s0, s1) };
    let (t0, t1) = if reverse_b { (t1, t0) } else { (t0, t1) };
    Foot { weights: [s0, s1, t0, t1], offset, sq }
}

/// [`segments_foot`] for a first segment no shorter than the second.
#[expect(clippy::inline_always, reason = "leaves out the weights where only the distance is wanted")]
#[inline(always)]
fn sorted_segments_foot([a0, a1]: [DVec3; 2], [b0, b1]: [DVec3; 2]) -> Foot<4> {
    let (d, e, r) = (a1 - a0, b1 - b0, a0 - b0);

    let (t, offset) = segment_foot(r, e);
    let at_a0 = Foot::new([1.0, 0.0, 1.0 - t, t], offset);
    let (t, offset) = segment_foot(a1 - b0, e);
    let at_a1 = Foot::new([0.0, 1.0, 1.0 - t, t], offset);
    let (s, offset) = segment_foot(-r, d);
    let at_b0 = Foot::new([1.0 - s, s, 1.0, 0.0], -offset);
    let (s, offset) = segment_foot(b1 - a0, d);
    let at_b1 = Foot::new([1.0 - s, s, 0.0, 1.0], -offset);
    let ends = at_a0.or_nearer(at_a1).or_nearer(at_b0).or_nearer(at_b1);

    let per_dd = 1.0 / d.length_squared();
    let (along, across) = orthogonalize(e, d, per_dd);
    let t = r.dot(across) / across.length_squared();
    let s = t * along - r.dot(d) * per_dd;
    // False for the not-a-numbers of parallel edges.
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        ends.or_nearer(Foot::new([1.0 - s, s, 1.0 - t, t], r + s * d - t * e))
    } else {
        ends
    }
}

/// Unit vector along `a × b`, pointing to `side`.
fn edges_normal(a: DVec3, b: DVec3, side: f64) -> DVec3 {
    let (aa, bb) = (a.length_squared(), b.length_squared());
    if aa >= bb {
        normal_or_any(a.cross(orthogonalize(b, a, 1.0 / aa).1), side, a)
    } else {
        normal_or_any(orthogonalize(a, b, 1.0 / bb).1.cross(b), side, b)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::exact;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn is_right_for_integer_corners(p in exact::pairs()) {
            let x = p.map(exact::point);
            let closest = edge_edge(&x);
            exact::assert_closest(&x, 2, &closest, exact::edge_edge_sq(p).sqrt(), exact::orientation(p));
            prop_assert_eq!(closest.distance, edge_edge_distance_squared(&x).sqrt());
        }

        #[test]
        fn reversing_and_swapping_do_not_change_a_bit(p in exact::pairs(), divisor in prop_oneof![Just(1.0), Just(7.3)]) {
            let x = p.map(|q| exact::point(q) / divisor);
            let [a0, a1, b0, b1] = x;
            let closest = edge_edge(&x);
            let [s0, s1, t0, t1] = closest.weights;
            let turned = |distance: f64, normal: DVec3| {
                let is_same = distance.to_bits() == closest.distance.to_bits();
                is_same && (normal == closest.normal || distance <= ROUNDING * extent(&x) * 2.0)
            };
            let reversed = edge_edge(&[a1, a0, b0, b1]);
            prop_assert!(turned(reversed.distance, reversed.normal) && reversed.side == -closest.side);
            prop_assert!(a0 == a1 || reversed.weights == [s1, s0, t0, t1]);
            let reversed = edge_edge(&[a0, a1, b1, b0]);
            prop_assert!(turned(reversed.distance, reversed.normal) && reversed.side == -closest.side);
            prop_assert!(b0 == b1 || reversed.weights == [s0, s1, t1, t0]);
            let swapped = edge_edge(&[b0, b1, a0, a1]);
            prop_assert!(turned(swapped.distance, -swapped.normal) && swapped.side == closest.side);
            prop_assert!([a0, a1] == [b0, b1] || [a0, a1] == [b1, b0] || swapped.weights == [t0, t1, s0, s1]);
        }

        #[test]
        fn shift_and_power_of_two_scale_exactly(p in exact::pairs(), exponent in -900..900_i32) {
            let x = p.map(exact::point);
            let closest = edge_edge(&x);
            let far = DVec3::new(2_f64.powi(30), -2_f64.powi(31), 2_f64.powi(33));
            prop_assert_eq!(edge_edge(&x.map(|p| p + far)), closest);
            let scale = 2_f64.powi(exponent);
            let scaled = edge_edge(&x.map(|p| p * scale));
            prop_assert_eq!(Closest { distance: scaled.distance / scale, ..scaled }, closest);
        }

        /// Edges of length 2 that cross at `s`, `t` of them, at any angle and distance.
        #[test]
        fn nearly_parallel_edges_keep_their_distance(
            (s, t) in (0.01..0.99_f64, 0.01..0.99_f64),
            (angle, height) in (-12.0..0.0_f64, -12.0..0.0_f64),
        ) {
            let (angle, height) = (10_f64.powf(angle), 10_f64.powf(height));
            let direction = DVec3::new(angle.cos(), angle.sin(), 0.0);
            let (a, b) = (|k: f64| DVec3::new(2.0 * k, 0.0, 0.0), |k: f64| DVec3::new(0.0, 0.0, height) + 2.0 * k * direction);
            let closest = edge_edge(&[a(-s), a(1.0 - s), b(-t), b(1.0 - t)]);
            prop_assert!((closest.distance - height).abs() <= 1e-15, "{} for {height}", closest.distance);
        }
    }

    #[test]
    fn touching_edges_have_the_normal_of_both() {
        let (a, b) = ([DVec3::ZERO, DVec3::X], [DVec3::new(0.5, -1.0, 0.0), DVec3::new(0.5, 1.0, 0.0)]);
        let crossing = edge_edge(&[a[0], a[1], b[0], b[1]]);
        assert_eq!((crossing.distance, crossing.normal, crossing.side), (0.0, DVec3::Z, 0.0));
        assert_eq!(edge_edge(&[b[0], b[1], a[0], a[1]]).normal, DVec3::NEG_Z);
        // Too near for a direction, yet on a definite side.
        let low = DVec3::new(0.0, 0.0, -1e-20);
        let below = edge_edge(&[a[0] + low, a[1] + low, b[0], b[1]]);
        assert_eq!((below.normal, below.side), (DVec3::NEG_Z, -1.0));
    }

    #[test]
    fn overlapping_parallel_and_zero_edges_have_a_unit_normal() {
        let (p, q) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(-3.0, 5.0, 1.0));
        let overlapping = edge_edge(&[p, q, q, p]);
        assert_eq!(overlapping.distance, 0.0);
        assert!((overlapping.normal.length() - 1.0).abs() < 1e-15 && overlapping.normal.dot(q - p).abs() < 1e-14);
        assert_eq!(edge_edge(&[p; 4]).normal, DVec3::Y);
        assert_eq!(edge_edge(&[p, p, q, q]).distance, p.distance(q));
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
            let closest = edge_edge(&x);
            assert!(closest.distance >= 0.0 && closest.weights.iter().all(|w| (0.0..=1.0).contains(w)), "{closest:?}");
            assert!((closest.normal.length() - 1.0).abs() < 1e-14, "{x:?} {closest:?}");
            assert!(edge_edge_distance_squared(&x) >= 0.0);
        }
    }
}
