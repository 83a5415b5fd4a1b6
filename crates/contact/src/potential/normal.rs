//! [`NormalLaw`]: the force with which a contact keeps its features apart.
//!
//! Below the distance `d` to keep, a gap `s` has a force `f(s)` along the normal, with the floor `e` a share of `d`:
//!
//! | gap | force | its slope |
//! |---|---|---|
//! | `s ≥ d` | 0 | 0 |
//! | `d/2 ≤ s < d` | `k (d − s)` | `−k` |
//! | `e d ≤ s < d/2` | `k (d/2)²/s` | `−k (d/2)²/s²` |
//! | `s < e d` | `k d/(4 e)` | 0 |
//!
//! a spring that becomes a logarithmic barrier, as forces between cloths pressed together are large. The barrier ends before
//! zero because Newton's method must be able to return from states in which cloth is through: the energy is finite and convex for
//! any `s`, its force continuous. So this law alone does not promise that nothing gets through. The force has a bound because step
//! leave cloth no room at times, as in the fold of an armpit: what two of them press from both sides by centimetres would otherwise
//! be thrown out with the strength of a bullet. Where the bound is reached, Newton's method takes `f/(d − s)` for the slope, with
//! which a particle on its own comes back to the distance and no farther.

/// Energy, force and stiffness of a gap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct NormalLaw {
    /// Distance to keep `d` [m].
    pub(super) keep: f64,
    /// Stiffness `k` of the spring [N/m].
    pub(super) stiffness: f64,
    /// Share `e` of the distance where the barrier ends.
    pub(super) floor: f64,
}

impl NormalLaw {
    /// Force along the normal at gap `s` [N].
    #[inline]
    pub(super) fn force(&self, s: f64) -> f64 {
        self.at(s)[1]
    }

    /// Energy [J], force [N] and stiffness [N/m] at gap `s` [m].
    #[inline]
    pub(super) fn at(&self, s: f64) -> [f64; 3] {
        let (d, k) = (self.keep, self.stiffness);
        let half = 0.5 * d;
        if s >= d {
            return [0.0; 3];
        }
        if s >= half || d == 0.0 {
            return [0.5 * k * (d - s) * (d - s), k * (d - s), k];
        }
        let near = s.max(self.floor * d);
        let force = k * half * half / near;
        let energy = 0.5 * k * half * half * (1.0 + 2.0 * (half / near).ln());
        if s < near { [energy + (near - s) * force, force, force / (d - s)] } else { [energy, force, force / near] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LAW: NormalLaw = NormalLaw { keep: 1.0, stiffness: 3.0, floor: 0.1 };

    proptest! {
        #[test]
        fn force_and_stiffness_are_derivatives_of_the_energy(s in -2.0..1.5_f64) {
            // Kinks of the stiffness, where differences mean nothing.
            prop_assume!([0.1, 0.5, 1.0].iter().all(|kink| (s - kink).abs() > 1e-4));
            let e = 1e-5;
            let [[below, force_below, _], [_, force, stiffness], [above, force_above, _]] =
                [s - e, s, s + e].map(|s| LAW.at(s));
            prop_assert!(((below - above) / (2.0 * e) - force).abs() < 1e-6 * (1.0 + force));
            // Where the force has its bound, the stiffness is that of a model.
            let change = (force_below - force_above) / (2.0 * e);
            let exact = (change - stiffness).abs() < 1e-6 * (1.0 + stiffness);
            prop_assert!(exact || (s < 0.1 && change == 0.0 && stiffness > 0.0));
        }

        #[test]
        fn force_grows_and_stiffens_as_the_gap_closes(s in -2.0..1.0_f64, step in 1e-6..0.5_f64) {
            let [[_, far, soft], [_, near, stiff]] = [s, s - step].map(|s| LAW.at(s));
            let bounded = s - step < 0.1;
            prop_assert!(near >= far && (near > far || s <= 0.1) && (stiff >= soft || bounded));
        }
    }

    #[test]
    fn force_is_continuous_where_the_law_changes() {
        let law = NormalLaw { keep: 2.0, stiffness: 5.0, ..LAW };
        for kink in [0.2, 1.0, 2.0] {
            let [[e0, f0, _], [e1, f1, _]] = [kink - 1e-12, kink].map(|s| law.at(s));
            assert!((e0 - e1).abs() < 1e-9 && (f0 - f1).abs() < 1e-8, "{kink}: {e0} {e1} {f0} {f1}");
        }
        assert!((law.force(1.0) - 5.0).abs() < 1e-15);
        assert!((law.force(-1.0) - 5.0 * 2.0 / (4.0 * 0.1)).abs() < 1e-12, "the bound follows from the floor");
    }
}
