//! [`NormalLaw`]: the force with which a contact keeps its features apart.
//!
//! **Spring and barrier.** Below the distance `d` to keep, a gap `s` has a force `f(s)` along the normal, with the floor `e` a share of `d`:
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
//! **Dashpot.** Springs alone give back what they take: cloth that lands bounces, and a strip that slides around a cylinder
//! leaves it for a moment again and again, so that friction acts half of the time. So a dashpot stands beside the spring. With the gap `s₀`
//! where the step begins, at most `d`, and the damping `c = k τ/h` of the time `τ` in a step `h`, the whole force is
//!
//! ```text
//! g(s) = max(0, f(s) − c (s − s₀))
//! ```
//!
//! It never pulls. What is pressed and let go opens no faster than `(d − s)/τ`. What rests feels nothing of it. As `g` falls with `s`, its
//! potential is convex.

/// Energy, force and stiffness of a gap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct NormalLaw {
    /// Distance to keep `d` [m].
    pub(super) keep: f64,
    /// Stiffness `k` of the spring [N/m].
    pub(super) stiffness: f64,
    /// Share `e` of the distance where the barrier ends.
    pub(super) floor: f64,
    /// Damping `c` of the dashpot, per displacement over the step [N/m].
    pub(super) damping: f64,
    /// Gap `s₀` where the step begins [m].
    pub(super) start: f64,
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
        if s >= self.keep {
            return [0.0; 3];
        }
        let [energy, force, stiffness] = self.spring(s);
        if self.damping == 0.0 {
            return [energy, force, stiffness];
        }
        let opened = s - self.start.min(self.keep);
        let damped = force - self.damping * opened;
        if damped <= 0.0 {
            return [0.0; 3];
        }
        let end = self.end();
        let opened_at_end = end - self.start.min(self.keep);
        let dissipated = 0.5 * self.damping * (opened * opened - opened_at_end * opened_at_end);
        [energy - self.spring(end)[0] + dissipated, damped, stiffness + self.damping]
    }

    /// The gap from which on there is no force [m]: where `f(s) = c (s − s₀)`.
    fn end(&self) -> f64 {
        let (d, k, c) = (self.keep, self.stiffness, self.damping);
        let (half, start) = (0.5 * d, self.start.min(d));
        let in_spring = (k * d + c * start) / (k + c);
        if in_spring >= half {
            return in_spring;
        }
        // k half²/s = c (s − s₀)
        let in_barrier = 0.5 * (start + (start * start + 4.0 * k / c * half * half).sqrt());
        if in_barrier >= self.floor * d {
            return in_barrier;
        }
        start + k * half * half / (self.floor * d) / c
    }

    /// The same of the spring and the barrier alone.
    #[inline]
    fn spring(&self, s: f64) -> [f64; 3] {
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

    const LAW: NormalLaw = NormalLaw { keep: 1.0, stiffness: 3.0, floor: 0.1, damping: 0.0, start: 0.0 };

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
        fn with_its_dashpot_the_force_is_the_derivative_of_a_convex_energy_and_never_pulls(
            s in -0.5..1.5_f64, start in 0.0..1.5_f64, damping in 0.1..30.0_f64,
        ) {
            let law = NormalLaw { damping, start, ..LAW };
            prop_assume!([0.1, 0.5, 1.0, law.end()].iter().all(|kink| (s - kink).abs() > 1e-4));
            let e = 1e-5;
            let [below, [_, force, _], above] = [s - e, s, s + e].map(|s| law.at(s));
            prop_assert!(((below[0] - above[0]) / (2.0 * e) - force).abs() < 1e-5 * (1.0 + force));
            prop_assert!(force >= 0.0 && below[1] >= above[1]);
            // What closes is resisted by more than the spring, what opens by less.
            let spring = LAW.force(s);
            let is_as_it_should = if s <= start.min(1.0) { force >= spring } else { force <= spring };
            prop_assert!(is_as_it_should, "{force} beside {spring}");
        }

        #[test]
        fn force_grows_and_stiffens_as_the_gap_closes(s in -2.0..1.0_f64, step in 1e-6..0.5_f64) {
            let [[_, far, soft], [_, near, stiff]] = [s, s - step].map(|s| LAW.at(s));
            let bounded = s - step < 0.1;
            prop_assert!(near >= far && (near > far || s <= 0.1) && (stiff >= soft || bounded));
        }
    }

    /// A particle that is let go at the gap `s₀` of a stiff contact opens in the time of recovery.
    #[test]
    fn what_is_let_go_opens_in_the_time_of_recovery() {
        let (recovery, h, mass) = (0.03, 1e-3, 1e-9);
        let mut s = 0.5;
        for step in 0..90 {
            let law = NormalLaw { damping: LAW.stiffness * recovery / h, start: s, ..LAW };
            // Almost without inertia: the gap is where no force is left.
            let (mut low, mut high) = (s, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if law.force(middle) > mass { low = middle } else { high = middle }
            }
            s = low;
            let expected = 1.0 - 0.5 * (-f64::from(step + 1) * h / recovery).exp();
            assert!((s - expected).abs() < 0.01, "step {step}: {s} instead of {expected}");
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
