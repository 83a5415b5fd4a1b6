//! k-DOPs: Mezger 2003, §3; Klosowski et al. 1998.
//!
//! A k-DOP is the intersection of k/2 slabs loᵢ ≤ nᵢ · x ≤ hiᵢ. The directions nᵢ have components −1, 0 and 1 and are
//! not normalized, so a projection is one or two additions:
//!
//! | K = k/2 | k-DOP | directions |
//! |---|---|---|
//! | 3 | 6 (box) | the axes |
//! | 7 | 14 | axes and cube diagonals |
//! | 9 | 18 | axes and face diagonals |
//! | 13 | 26 | all of them |
//!
//! An even K stands for a **moving** k-DOP: K/2 directions, first where everything is at the start of a step, then where it
//! is at its end. If A is below B along a direction at both times, it is in between, since everything goes straight. So two
//! moving k-DOPs overlap unless one direction parts them the same way at start and end; what moves together does not
//! overlap because it is fast. Only 18, two times 9, is in use.
//!
//! Bounds are `f32`, rounded outwards: every point given in `f64` satisfies loᵢ ≤ nᵢ · x ≤ hiᵢ in exact arithmetic.
//! Growing by a distance d moves each plane by d·|nᵢ|, so that all points within d stay inside.

use toile_mesh::DVec3;

use crate::cone::VelocityCone;

/// Relative error of a rounded `f32` operation.
const HALF_ULP: f32 = f32::EPSILON / 2.0;
/// Bound on the error of a projection, in half ulps of |x| + |y| + |z|: one for rounding the point to `f32`, two
/// for the sums, one for adding the bound itself, and two to spare.
const PROJECTION_ERROR: f32 = 6.0 * HALF_ULP;

/// Whether K slabs are those of a moving k-DOP.
pub(crate) const fn is_moving(k: usize) -> bool {
    k.is_multiple_of(2)
}

/// Length of each of the K directions: 1, √2 or √3, rounded up.
pub const fn direction_lengths<const K: usize>() -> [f32; K] {
    const SQRT_2: f32 = std::f32::consts::SQRT_2.next_up();
    const SQRT_3: f32 = 1.732_051_f32;
    let count = if is_moving(K) { K / 2 } else { K };
    let mut lengths = [1.0; K];
    let mut i = 0;
    while i < K {
        let direction = i % count;
        let corner = (count == 7 || count == 13) && direction < 7;
        if direction >= 3 {
            lengths[i] = if corner { SQRT_3 } else { SQRT_2 };
        }
        i += 1;
    }
    lengths
}

/// The K directions.
pub fn directions<const K: usize>() -> [DVec3; K] {
    let [x, y, z] = [0, 1, 2].map(|axis| project::<K>(DVec3::AXES[axis].to_array().map(|c| c as f32)));
    std::array::from_fn(|i| DVec3::new(f64::from(x[i]), f64::from(y[i]), f64::from(z[i])))
}

/// nᵢ · x for all K directions.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the innermost operation of refitting; K is known where it is called")]
pub(crate) fn project<const K: usize>([x, y, z]: [f32; 3]) -> [f32; K] {
    const { assert!(K == 3 || K == 7 || K == 9 || K == 13 || K == 18, "6-, 14-, 18-, 26- and moving 18-DOPs") };
    let mut p = [0.0; K];
    [p[0], p[1], p[2]] = [x, y, z];
    let mut next = 3;
    if K == 7 || K == 13 {
        let (sum, difference) = (x + y, x - y);
        for v in [sum + z, sum - z, difference + z, difference - z] {
            p[next] = v;
            next += 1;
        }
    }
    if K == 9 || K == 13 || K == 18 {
        for v in [x + y, x - y, x + z, x - z, y + z, y - z] {
            p[next] = v;
            next += 1;
        }
    }
    if is_moving(K) {
        p.copy_within(..K / 2, K / 2);
    }
    p
}

/// A point relative to an origin, in `f32`, and the bound of the error that its projections may have.
#[inline(always)]
#[expect(clippy::inline_always, reason = "see project")]
pub(crate) fn rounded(x: DVec3, origin: DVec3) -> ([f32; 3], f32) {
    let p = (x - origin).to_array().map(|c| c as f32);
    let size = p[0].abs() + p[1].abs() + p[2].abs();
    (p, size * PROJECTION_ERROR + f32::MIN_POSITIVE)
}

/// A discrete oriented polytope of K slabs.
///
/// ```
/// use toile_collide::Kdop;
/// use toile_mesh::DVec3;
/// let a: Kdop<9> = Kdop::around([DVec3::ZERO, DVec3::ONE]);
/// let b = Kdop::around([DVec3::new(1.5, 0.5, 0.5)]);
/// assert!(!a.overlaps(&b));
/// assert!(a.grown(0.51).overlaps(&b.grown(0.51)));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Kdop<const K: usize> {
    /// Least projection on each direction.
    pub lo: [f32; K],
    /// Greatest projection on each direction.
    pub hi: [f32; K],
}

impl<const K: usize> Kdop<K> {
    /// Contains nothing and overlaps nothing.
    pub const EMPTY: Self = Self { lo: [f32::INFINITY; K], hi: [f32::NEG_INFINITY; K] };

    /// The least k-DOP around points, rounded outwards. Points that are not finite are not contained.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().filter(|x| x.is_finite()).fold(Self::EMPTY, |dop, x| dop.union(&Self::point(x, DVec3::ZERO)))
    }

    /// Around one finite point, relative to `origin`.
    #[inline]
    pub(crate) fn point(x: DVec3, origin: DVec3) -> Self {
        let (p, error) = rounded(x, origin);
        let p = project::<K>(p);
        Self { lo: p.map(|p| p - error), hi: p.map(|p| p + error) }
    }

    /// Around the way of a point from `x0` to `x1`, grown by `margin` [m], relative to `origin`: swept volume and
    /// oriented inflation of a single vertex are the same. A moving k-DOP has the start and the end apart.
    #[inline]
    pub(crate) fn swept_point(x0: DVec3, x1: DVec3, origin: DVec3, margin: f32) -> Self {
        let ((p0, error0), (p1, error1)) = (rounded(x0, origin), rounded(x1, origin));
        let (p0, p1) = (project::<K>(p0), project::<K>(p1));
        let (error, length) = (error0.max(error1), direction_lengths::<K>());
        let mut dop = Self::EMPTY;
        for i in 0..K {
            // The product's rounding is covered by the half ulps to spare in the error of the point, or by widening.
            let grow = error + margin * length[i] * (1.0 + 4.0 * HALF_ULP);
            let (a, b) = match (is_moving(K), i < K / 2) {
                (false, _) => (p0[i], p1[i]),
                (true, true) => (p0[i], p0[i]),
                (true, false) => (p1[i], p1[i]),
            };
            dop.lo[i] = a.min(b) - grow;
            dop.hi[i] = a.max(b) + grow;
        }
        dop.widened_by_rounding(margin)
    }

    /// Covers the rounding of the last additions when the margin is much larger than the point's own coordinates.
    #[inline]
    fn widened_by_rounding(mut self, margin: f32) -> Self {
        let slack = margin * (4.0 * HALF_ULP);
        for i in 0..K {
            self.lo[i] -= slack;
            self.hi[i] += slack;
        }
        self
    }

    /// Whether a point is inside, as far as `f64` arithmetic can tell.
    pub fn contains(&self, x: DVec3) -> bool {
        directions::<K>()
            .iter()
            .enumerate()
            .all(|(i, n)| f64::from(self.lo[i]) <= n.dot(x) && n.dot(x) <= f64::from(self.hi[i]))
    }

    /// Whether there is nothing inside.
    pub fn is_empty(&self) -> bool {
        self.lo[0] > self.hi[0]
    }

    /// Around both.
    #[must_use]
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        let mut dop = *self;
        for i in 0..K {
            dop.lo[i] = dop.lo[i].min(other.lo[i]);
            dop.hi[i] = dop.hi[i].max(other.hi[i]);
        }
        dop
    }

    /// Around what is in `start` when a step begins and in `end` when it ends.
    #[must_use]
    pub(crate) fn between(start: &Self, end: &Self) -> Self {
        if !is_moving(K) {
            return start.union(end);
        }
        let mut dop = *start;
        dop.lo[K / 2..].copy_from_slice(&end.lo[K / 2..]);
        dop.hi[K / 2..].copy_from_slice(&end.hi[K / 2..]);
        dop
    }

    /// Whether all slabs overlap; touching counts.
    #[inline]
    #[expect(clippy::needless_bitwise_bool, reason = "no branch in the innermost loop")]
    pub fn overlaps(&self, other: &Self) -> bool {
        let mut apart = false;
        if is_moving(K) {
            for i in 0..K / 2 {
                let j = i + K / 2;
                apart |= (self.lo[i] > other.hi[i]) & (self.lo[j] > other.hi[j]);
                apart |= (other.lo[i] > self.hi[i]) & (other.lo[j] > self.hi[j]);
            }
            return !apart;
        }
        for i in 0..K {
            apart |= self.lo[i] > other.hi[i];
            apart |= other.lo[i] > self.hi[i];
        }
        !apart
    }

    /// Inflated by `distance` [m] to all sides (Mezger §3.2).
    #[must_use]
    pub fn grown(&self, distance: f32) -> Self {
        let length = direction_lengths::<K>();
        self.moved_out(std::array::from_fn(|i| distance * length[i]), std::array::from_fn(|i| distance * length[i]))
    }

    /// Inflated by `margin` [m] to all sides and along the motion of a velocity cone whose vectors are displacements
    /// [m] (Mezger §3.3). Each side moves by the largest displacement along its normal that any vector of the cone
    /// has, not by that of the mean axis: an open cone loses nothing.
    ///
    /// dᵢ = margin·|nᵢ| + max over the cone of v · nᵢ
    #[must_use]
    pub fn grown_along(&self, cone: &VelocityCone, margin: f32) -> Self {
        let (length, n) = (direction_lengths::<K>(), directions::<K>());
        let reach = |n: DVec3| (cone.reach(n) as f32).next_up();
        let back = std::array::from_fn(|i| margin * length[i] + reach(-n[i]));
        let forth = std::array::from_fn(|i| margin * length[i] + reach(n[i]));
        self.moved_out(back, forth)
    }

    fn moved_out(&self, lo: [f32; K], hi: [f32; K]) -> Self {
        if self.is_empty() {
            return *self;
        }
        let outwards = |x: f32| x.abs() * (4.0 * HALF_ULP) + f32::MIN_POSITIVE;
        let mut dop = *self;
        for i in 0..K {
            let (grow_lo, grow_hi) = (lo[i] + outwards(lo[i]), hi[i] + outwards(hi[i]));
            dop.lo[i] = self.lo[i] - grow_lo - outwards(self.lo[i]) - outwards(grow_lo);
            dop.hi[i] = self.hi[i] + grow_hi + outwards(self.hi[i]) + outwards(grow_hi);
        }
        dop
    }

    /// Number and length of the longest slab, lengths measured across the slab [m].
    pub fn longest_slab(&self) -> (usize, f32) {
        let length = direction_lengths::<K>();
        let size = |i: usize| (self.hi[i] - self.lo[i]) / length[i];
        (0..K).map(|i| (i, size(i))).fold((0, f32::NEG_INFINITY), |best, s| if s.1 > best.1 { s } else { best })
    }

    /// Half the surface of the box of the first three slabs [m²], the measure of how often a node is visited.
    pub fn half_area(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let [x, y, z] = [0, 1, 2].map(|i| self.hi[i] - self.lo[i]);
        x * y + y * z + z * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(scale: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(move |p| DVec3::from(p) * scale)
    }

    /// n · x with its rounding error bounded by exact two-sums: lo ≤ n · x and n · x ≤ hi without doubt.
    fn inside_exactly<const K: usize>(dop: &Kdop<K>, x: DVec3) -> bool {
        directions::<K>().iter().enumerate().all(|(i, n)| {
            // Sign of Σ terms − bound by an exact expansion sum.
            let compare = |bound: f32| exact_sign(&[n.x * x.x, n.y * x.y, n.z * x.z, -f64::from(bound)]);
            compare(dop.lo[i]) >= 0 && compare(dop.hi[i]) <= 0
        })
    }

    /// Sign of a sum of doubles, by adding into a non-overlapping expansion.
    fn exact_sign(terms: &[f64]) -> i32 {
        let mut expansion: Vec<f64> = Vec::new();
        for &t in terms {
            let mut q = t;
            for e in &mut expansion {
                let sum = q + *e;
                let b = sum - q;
                *e = (q - (sum - b)) + (*e - b);
                q = sum;
            }
            expansion.push(q);
        }
        let largest = expansion.iter().rev().find(|e| **e != 0.0).copied().unwrap_or(0.0);
        i32::from(largest > 0.0) - i32::from(largest < 0.0)
    }

    fn check_points<const K: usize>(points: &[DVec3], origin: DVec3) -> Result<(), TestCaseError> {
        let dop = Kdop::<K>::around(points.iter().copied());
        for &x in points {
            prop_assert!(inside_exactly(&dop, x), "{x} lost from {dop:?}");
        }
        let relative = points.iter().fold(Kdop::<K>::EMPTY, |d, x| d.union(&Kdop::point(*x + origin, origin)));
        // The rounding of the sum x + origin is the only one that may show.
        let back = relative.grown((origin.length() * 1.0e-15) as f32);
        for &x in points {
            prop_assert!(inside_exactly(&back, x));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn no_point_is_lost_by_rounding(
            exponent in -12..12_i32,
            points in prop::collection::vec(point(1.0), 1..5),
            far in point(1.0e4),
        ) {
            let points: Vec<DVec3> = points.iter().map(|p| *p * 10.0_f64.powi(exponent)).collect();
            check_points::<3>(&points, far)?;
            check_points::<7>(&points, far)?;
            check_points::<9>(&points, far)?;
            check_points::<13>(&points, far)?;
        }

        #[test]
        fn points_closer_than_the_sum_of_margins_overlap(
            a in point(1.0), direction in point(1.0), distance in 0.0..0.5_f64, share in 0.0..1.0_f64,
        ) {
            let b = a + direction.normalize_or(DVec3::X) * distance * (1.0 - 1.0e-12);
            let (near, far) = ((distance * share) as f32, (distance * (1.0 - share)) as f32);
            let grown = |x: DVec3, d: f32| Kdop::<13>::around([x]).grown(d.next_up());
            prop_assert!(grown(a, near).overlaps(&grown(b, far)));
            let swept = |x: DVec3, d: f32| Kdop::<13>::swept_point(x, x, DVec3::ZERO, d.next_up());
            prop_assert!(swept(a, near).overlaps(&swept(b, far)));
        }

        #[test]
        fn swept_volumes_hold_the_whole_way(a in point(2.0), b in point(2.0), t in 0.0..1.0_f64) {
            let dop = Kdop::<9>::swept_point(a, b, DVec3::ZERO, 0.0);
            prop_assert!(inside_exactly(&dop, a.lerp(b, t)));
        }

        #[test]
        fn moving_volumes_that_are_apart_never_meet(
            a in prop::collection::vec(point(1.0), 4), b in prop::collection::vec(point(1.0), 4), shift in point(3.0),
            t in 0.0..1.0_f64, u in 0.0..1.0_f64,
        ) {
            // Two segments, each from its first two points to the others; both fly along far.
            let far = DVec3::new(5.0, -3.0, 8.0);
            let around = |x: &[DVec3], by: DVec3| {
                let way = |k: usize| Kdop::<18>::swept_point(x[k] + by, x[k + 2] + by + far, DVec3::ZERO, 0.0);
                way(0).union(&way(1))
            };
            let at = |x: &[DVec3], by: DVec3| x[0].lerp(x[2] + far, t).lerp(x[1].lerp(x[3] + far, t), u) + by;
            let [p, q] = [at(&a, DVec3::ZERO), at(&b, shift)];
            let [p, q] = [p, q].map(|x| Kdop::<9>::around([x]));
            if !around(&a, DVec3::ZERO).overlaps(&around(&b, shift)) {
                prop_assert!(!p.overlaps(&q));
            }
        }

        #[test]
        fn oriented_inflation_holds_open_cones(
            x in prop::collection::vec(point(1.0), 3), v in prop::collection::vec(point(1.0), 3), t in 0.0..1.0_f64,
        ) {
            let cone = VelocityCone::around(v.iter().copied());
            let dop = Kdop::<9>::around(x.iter().copied()).grown_along(&cone, 0.0);
            for (x, v) in x.iter().zip(&v) {
                prop_assert!(inside_exactly(&dop, *x + *v * t), "{x} + {t} {v} left {dop:?}");
            }
        }
    }

    #[test]
    fn directions_are_distinct_and_as_long_as_said() {
        let n = directions::<13>();
        for i in 0..13 {
            assert!(f64::from(direction_lengths::<13>()[i]) >= n[i].length());
            assert!(f64::from(direction_lengths::<13>()[i]) < n[i].length() * 1.000_001);
            for j in 0..i {
                assert!(n[i].cross(n[j]).length() > 0.5, "{i} and {j} are parallel");
            }
        }
        assert_eq!(directions::<9>()[3..], n[7..]);
        assert_eq!(directions::<7>()[3..], n[3..7]);
    }

    #[test]
    fn what_moves_together_does_not_overlap() {
        let way = |x: f64| Kdop::<18>::swept_point(DVec3::X * x, DVec3::X * (x + 10.0), DVec3::ZERO, 0.4);
        assert!(!way(0.0).overlaps(&way(1.0)) && way(0.0).overlaps(&way(0.7)));
        let back = Kdop::<18>::swept_point(DVec3::X * 1.0, -DVec3::X, DVec3::ZERO, 0.0);
        assert!(back.overlaps(&Kdop::swept_point(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, 0.0)), "they change sides");
    }

    #[test]
    fn oriented_inflation_is_smaller_than_uniform() {
        let cone = VelocityCone::around([DVec3::X * 0.1, DVec3::new(0.1, 0.01, 0.0)]);
        let dop = Kdop::<9>::around([DVec3::ZERO, DVec3::ONE * 0.01]);
        let (oriented, uniform) = (dop.grown_along(&cone, 0.001), dop.grown(0.001 + 0.101));
        assert!(oriented.half_area() < 0.3 * uniform.half_area());
    }
}
