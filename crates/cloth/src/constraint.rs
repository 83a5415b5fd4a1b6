//! Distance constraints and their projection: Fuhrmann 2003, eq. 5–9.
//!
//! ```text
//! u    = (x_j − x_i)/l (l − d)          l = |x_j − x_i|, d = the bound that is violated
//! x_i += m_j/(m_i + m_j) u,   x_j −= m_i/(m_i + m_j) u
//! ```
//!
//! With inverse masses w = 1/m the weights are `w_i/(w_i + w_j)` and `w_j/(w_i + w_j)`: a held particle (w = 0) is not
//! moved, two held ones are left alone, and the centre of mass of free ones stays where it is.

use toile_mesh::DVec3;

/// Two particles that stay between `min` and `max` apart.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DistanceRange {
    /// The two particles.
    pub ends: [u32; 2],
    /// Distance in the rest shape [m].
    pub rest: f64,
    /// Smallest allowed distance [m].
    pub min: f64,
    /// Largest allowed distance [m]; infinite for bending.
    pub max: f64,
}

impl DistanceRange {
    /// A constraint; `min ≤ max` is the caller's duty.
    pub fn new(ends: [u32; 2], rest: f64, min: f64, max: f64) -> Self {
        Self { ends, rest, min, max }
    }

    /// The allowed distance nearest to `length`.
    #[inline]
    pub(crate) fn target(&self, length: f64) -> f64 {
        // Not `f64::clamp`: it panics for min > max, which a caller could construct.
        length.max(self.min).min(self.max)
    }
}

/// Moves two particles so that their distance becomes the bound it violates (eq. 5–9); nothing if it violates none.
///
/// Coincident particles have no direction to be parted in and stay.
#[inline]
pub(crate) fn project(xi: &mut DVec3, xj: &mut DVec3, wi: f64, wj: f64, min: f64, max: f64) {
    let d = *xj - *xi;
    let length_sq = d.length_squared();
    let bound = if length_sq > max * max {
        max
    } else if length_sq < min * min {
        min
    } else {
        return;
    };
    let w = wi + wj;
    if w <= 0.0 || length_sq <= 0.0 {
        return;
    }
    let length = length_sq.sqrt();
    // One division: it is the dearest operation here.
    let u = d * ((length - bound) / (length * w));
    *xi += u * wi;
    *xj -= u * wj;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from)
    }

    proptest! {
        #[test]
        fn projection_meets_the_bound_and_keeps_the_centre_of_mass(
            a in point(), b in point(), ma in 0.01..10.0_f64, mb in 0.01..10.0_f64, min in 0.0..0.5, width in 0.0..0.5,
        ) {
            prop_assume!(a.distance(b) > 1e-3);
            let (mut x, mut y) = (a, b);
            let max = min + width;
            project(&mut x, &mut y, 1.0 / ma, 1.0 / mb, min, max);
            let length = x.distance(y);
            prop_assert!(length >= min * (1.0 - 1e-12) && length <= max * (1.0 + 1e-12));
            let drift = (ma * x + mb * y - ma * a - mb * b) / (ma + mb);
            prop_assert!(drift.length() <= 1e-14);
            prop_assert!((x - a).cross(b - a).length() < 1e-12, "moves along the common axis only");
        }
    }

    #[test]
    fn held_particles_do_not_move() {
        let (mut x, mut y) = (DVec3::ZERO, DVec3::X);
        project(&mut x, &mut y, 0.0, 2.0, 0.5, 0.5);
        assert_eq!((x, y), (DVec3::ZERO, 0.5 * DVec3::X));
        project(&mut x, &mut y, 0.0, 0.0, 2.0, 2.0);
        assert_eq!((x, y), (DVec3::ZERO, 0.5 * DVec3::X));
    }

    #[test]
    fn coincident_particles_stay_finite() {
        let (mut x, mut y) = (DVec3::ONE, DVec3::ONE);
        project(&mut x, &mut y, 1.0, 1.0, 0.5, 1.0);
        assert!(x.is_finite() && y.is_finite());
    }
}
