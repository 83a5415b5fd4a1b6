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
//!
//! **Damping.** Cloth does not bounce: what it loses as it lands goes into fibres and air. So changes of the gap meet a dashpot beside the
//! spring, with the time `τ` in which a gap recovers. With the gap `s₀` at the start of the step, `d` at most, the force is
//!
//! ```text
//! max(0, f(s) − c (s − s₀)),   c = k τ/h
//! ```
//!
//! At rest it is `f(s)`. What arrives is braked, what was pressed parts no faster than `(d − s)/τ`, and nothing is drawn back. The
//! force ends at the gap `s*` with `f(s*) = c (s* − s₀)`, where the energy begins.

/// Energy, force and stiffness of a gap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct NormalLaw {
    /// Distance to keep `d` [m].
    pub(super) keep: f64,
    /// Stiffness `k` of the spring [N/m].
    pub(super) stiffness: f64,
    /// Share `e` of the distance where the barrier ends.
    pub(super) floor: f64,
    /// Dashpot `c` over the step [N/m].
    pub(super) damping: f64,
    /// Gap from which it counts changes, `s₀`, at most `d` [m].
    pub(super) from: f64,
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
        if self.damping <= 0.0 {
            return self.elastic(s);
        }
        let end = self.end();
        if s >= end {
            return [0.0; 3];
        }
        let ([energy, force, stiffness], [none, ..]) = (self.elastic(s), self.elastic(end));
        let (c, since, last) = (self.damping, s - self.from, end - self.from);
        [energy - none + 0.5 * c * (since * since - last * last), (force - c * since).max(0.0), stiffness + c]
    }

    /// The gap where the force of spring and dashpot ends, `s*` [m].
    fn end(&self) -> f64 {
        let (d, k, c, from) = (self.keep, self.stiffness, self.damping, self.from);
        let spring = (k * d + c * from) / (k + c);
        if spring >= 0.5 * d {
            return spring;
        }
        // On the barrier: c s² − c s₀ s − k d²/4 = 0.
        let barrier = 0.5 * (from + (from * from + k * d * d / c).sqrt());
        // Below the floor the force is constant.
        let floor = self.floor * d;
        if barrier >= floor { barrier } else { from + k * d / (4.0 * self.floor * c) }
    }

    /// Energy [J], force [N] and stiffness [N/m] of the spring alone.
    #[inline]
    fn elastic(&self, s: f64) -> [f64; 3] {
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

    const LAW: NormalLaw = NormalLaw { keep: 1.0, stiffness: 3.0, floor: 0.1, damping: 0.0, from: 1.0 };

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

    proptest! {
        #[test]
        fn damped_forces_are_derivatives_push_and_end(s in -2.0..1.5_f64, from in -2.0..1.0_f64, damping in 0.1..30.0_f64) {
            let law = NormalLaw { damping, from, ..LAW };
            prop_assume!([0.1, 0.5, 1.0, law.end()].iter().all(|kink| (s - kink).abs() > 1e-4));
            let e = 1e-5;
            let [[below, ..], [energy, force, stiffness], [above, ..]] = [s - e, s, s + e].map(|s| law.at(s));
            prop_assert!(((below - above) / (2.0 * e) - force).abs() < 1e-5 * (1.0 + force));
            prop_assert!(energy >= -1e-12 && force >= 0.0 && stiffness >= 0.0);
            // The end is where spring and dashpot balance.
            let end = law.end();
            let [_, spring, _] = law.elastic(end);
            prop_assert!((spring - damping * (end - from)).abs() < 1e-9 * (1.0 + spring), "{} {}", end, spring);
            // At rest the dashpot does nothing.
            let [_, still, _] = law.at(from);
            prop_assert!((still - law.elastic(from)[1]).abs() < 1e-12);
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
