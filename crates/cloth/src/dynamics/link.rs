//! [`Link`]: what keeps two features apart and rubs them on each other during one step.
//!
//! With the weighted sum `p = Σ w_i x_i` of up to four particles, a unit normal `n` and an offset `c`, all frozen over a step, the gap
//! at the end of the step is `s = n·p − c`. Below the distance `d` a force `f(s)` pushes along `n`:
//!
//! | gap | force | its slope |
//! |---|---|---|
//! | `s ≥ d` | 0 | 0 |
//! | `d/2 ≤ s < d` | `k (d − s)` | `−k` |
//! | `d/10 ≤ s < d/2` | `k (d/2)²/s` | `−k (d/2)²/s²` |
//! | `s < d/10` | `2.5 k d` | 0 |
//!
//! a spring that becomes a logarithmic barrier, as forces between cloths pressed together are large. The barrier ends before
//! zero because Newton's method must be able to return from states in which cloth is through: the energy is finite and convex for
//! any `s`, its force continuous. So a link alone does not promise that nothing gets through. The force has a bound because bodies leave
//! cloth no room at times, as in the fold of an armpit: what two of them press from both sides by centimetres would otherwise
//! be thrown out with the strength of a bullet. Where it is reached, Newton's method takes `2.5 k d/(d − s)` for its slope, with
//! which a particle on its own comes back to the distance and no farther.
//!
//! Within a bounded step a link that is overrun (below `d/10`) gets stiffer from one iteration of Newton's method to the next, up to
//! the stiffness of the cloth it works against, so that a needle's point or the rim of a plate bears what hangs on it. Two obstacles
//! that press one particle from opposite sides stay as they are.
//!
//! Friction sees the displacement across the normal over a step `h` at the velocities of its end, `u = (I − n nᵀ)(h Σ w_i v_i − carried)`:
//!
//! ```text
//! force = −μ f min(1, |u|/(ε h)) u/|u|
//! ```
//!
//! Coulomb's law with sticking smoothed: what sticks creeps, slower than `ε` ([`CREEP`]), in proportion to its load (C-IPC, Li,
//! Kaufman, Jiang 2021, has the same idea with another polynomial). For a given `μ f` it has a convex potential; `f` itself is that
//! of the last iterate of Newton's method, so that the fixed point obeys the law and nothing is a step late.

use toile_mesh::{DMat3, DVec3};

use crate::linear::parts;

/// Speed below which friction grows with the speed [m/s]: what sticks creeps slower than this, 0.1 mm in ten seconds.
///
/// A smaller one makes systems stiffer: sticking acts as `μ f/(ε h)`, at rest `μ g h/ε` times the inertia of a step (2,000 for
/// μ = 0.3 at h = 1/120 s).
pub const CREEP: f64 = 1e-5;

/// Share of the distance where the barrier ends.
const BARRIER_END: f64 = 0.1;

/// Keeps a weighted sum of particles away from something, for one step.
///
/// Between features of cloth the weights add up to 0 (a vertex 1, the corners of its face minus their barycentric coordinates; two
/// edges likewise), against an obstacle to 1.
///
/// ```
/// use toile_cloth::dynamics::Link;
/// use toile_mesh::DVec3;
/// // Particle 7 above the floor y = 0, half a millimetre too near.
/// let link = Link::to_obstacle(7, DVec3::Y, 0.0, 1e-3, 100.0);
/// assert_eq!(link.force_at(0.5e-3), 0.05);
/// assert_eq!(link.force_at(2e-3), 0.0);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Link {
    /// Particles; those without weight are ignored.
    pub vertices: [u32; 4],
    /// Signed weights.
    pub weights: [f64; 4],
    /// Unit normal, along which the gap opens.
    pub normal: DVec3,
    /// The obstacle's part of the gap at the end of the step, `n·(point of the obstacle)` [m]; 0 between cloths.
    pub offset: f64,
    /// Distance to keep [m].
    pub distance: f64,
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Stiffness of the cloth against which it may get stiffer within a bounded step in which it would be overrun [N/m]; 0: it stays as
    /// it is.
    pub against: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Displacement of the obstacle's point over the step [m]; 0 between cloths.
    pub carried: DVec3,
    /// Normal force of the step before [N], with which friction starts; 0 if unknown: then that of the predicted gap.
    pub force: f64,
}

/// What a link does at the end of a step.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LinkForce {
    /// Force along the normal [N], never negative.
    pub normal: f64,
    /// Friction [N], across the normal; on particle `i` it acts by the weight `w_i`.
    pub friction: DVec3,
    /// Gap [m].
    pub gap: f64,
    /// Displacement across the normal over the step, or its last part, at the velocity of its end [m].
    pub slip: DVec3,
}

impl Link {
    /// A link of one particle to an obstacle at rest, without friction: keeps `normal·x ≥ offset + distance` with `stiffness` [N/m].
    pub fn to_obstacle(vertex: u32, normal: DVec3, offset: f64, distance: f64, stiffness: f64) -> Self {
        let (vertices, weights) = ([vertex, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
        Self { vertices, weights, normal, offset, distance, stiffness, ..Self::default() }
    }

    /// Whether it can be used with that many particles: vertices exist, numbers are finite and not negative, the normal has length 1.
    pub fn is_usable(&self, particles: usize) -> bool {
        let signless = [self.distance, self.stiffness, self.against, self.friction, self.force];
        self.weights.iter().all(|w| w.is_finite())
            && parts(&self.vertices, &self.weights).all(|(i, _)| i < particles)
            && signless.iter().all(|value| *value >= 0.0 && value.is_finite())
            && self.normal.is_normalized()
            && self.offset.is_finite()
            && self.carried.is_finite()
    }

    /// `Σ w_i x_i`.
    #[inline]
    pub(crate) fn sum(&self, x: &[DVec3]) -> DVec3 {
        parts(&self.vertices, &self.weights).fold(DVec3::ZERO, |sum, (i, w)| sum + x[i] * w)
    }

    /// Number of particles with a weight.
    pub(crate) fn count(&self) -> usize {
        self.weights.iter().filter(|w| **w != 0.0).count()
    }

    /// Force along the normal at gap `s` [N].
    pub fn force_at(&self, s: f64) -> f64 {
        self.normal_law(s)[1]
    }

    /// Energy [J], force [N] and stiffness [N/m] at gap `s`.
    pub(crate) fn normal_law(&self, s: f64) -> [f64; 3] {
        let (d, k) = (self.distance, self.stiffness);
        let half = 0.5 * d;
        if s >= d {
            return [0.0; 3];
        }
        if s >= half || d == 0.0 {
            return [0.5 * k * (d - s) * (d - s), k * (d - s), k];
        }
        let near = s.max(BARRIER_END * d);
        let force = k * half * half / near;
        let energy = 0.5 * k * half * half * (1.0 + 2.0 * (half / near).ln());
        if s < near { [energy + (near - s) * force, force, force / (d - s)] } else { [energy, force, force / near] }
    }
}

/// Friction of at most `limit` [N], smoothed over the displacement `creep` [m].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rubbing {
    pub(crate) limit: f64,
    pub(crate) creep: f64,
}

/// What friction is taken for during an iteration; all of them are the same where the law and the model meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Model {
    /// A spring `limit/creep`: the law up to the creep, too strong beyond; from far off it draws back with [`FIRM`] times the limit.
    #[default]
    Stick,
    /// The law and its derivative beyond the creep: no resistance to more or less sliding.
    Slide,
    /// The law's force with a spring `limit/|u|`, which never turns sliding round.
    Shrink,
}

/// How many times the limit a model that sticks draws back what has slid. Without a bound a millimetre of sliding is a force of
/// thousands of limits: linear systems solved to a fifth of that are not solved at all for the cloth's own forces, which then throw it.
const FIRM: f64 = 16.0;

impl Rubbing {
    /// Displacement at which a model that sticks, made for a displacement of length `r` [m], has a force of the limit [m].
    pub(crate) fn sticks_within(self, r: f64) -> f64 {
        self.creep.max(r / FIRM)
    }

    /// Gradient [N] and Hessian [N/m] by the displacement `u` across the normal `n`.
    pub(crate) fn model(self, model: Model, u: DVec3, n: DVec3) -> (DVec3, DMat3) {
        let r = u.length();
        let reach = if model == Model::Stick { self.sticks_within(r) } else { r.max(self.creep) };
        let stiffness = self.limit / reach;
        let across = (DMat3::IDENTITY - outer(n)) * stiffness;
        let hessian = if model == Model::Slide && r > self.creep { across - outer(u / r) * stiffness } else { across };
        (u * stiffness, hessian)
    }
}

/// `v vᵀ`.
pub(crate) fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn force_and_stiffness_are_derivatives_of_the_energy(s in -2.0..1.5_f64) {
            let link = Link { distance: 1.0, stiffness: 3.0, ..Link::default() };
            // Kinks of the stiffness, where differences mean nothing.
            prop_assume!([0.1, 0.5, 1.0].iter().all(|kink| (s - kink).abs() > 1e-4));
            let e = 1e-5;
            let [[below, force_below, _], [_, force, stiffness], [above, force_above, _]] =
                [s - e, s, s + e].map(|s| link.normal_law(s));
            prop_assert!(((below - above) / (2.0 * e) - force).abs() < 1e-6 * (1.0 + force));
            // Where the force has its bound, the stiffness is that of a model.
            let change = (force_below - force_above) / (2.0 * e);
            let exact = (change - stiffness).abs() < 1e-6 * (1.0 + stiffness);
            prop_assert!(exact || (s < 0.1 && change == 0.0 && stiffness > 0.0));
        }

        #[test]
        fn force_grows_and_stiffens_as_the_gap_closes(s in -2.0..1.0_f64, step in 1e-6..0.5_f64) {
            let link = Link { distance: 1.0, stiffness: 3.0, ..Link::default() };
            let [[_, far, soft], [_, near, stiff]] = [s, s - step].map(|s| link.normal_law(s));
            let bounded = s - step < 0.1;
            prop_assert!(near >= far && (near > far || s <= 0.1) && (stiff >= soft || bounded));
        }

        #[test]
        fn sliding_is_differentiated_and_shrinking_bounds_it(
            u in prop::array::uniform2(-3.0..3.0_f64), v in prop::array::uniform2(-1.0..1.0_f64),
        ) {
            let rubbing = Rubbing { limit: 2.0, creep: 0.7 };
            let [u, v] = [u, v].map(|[x, y]| DVec3::new(x, y, 0.0));
            prop_assume!((u.length() - 0.7).abs() > 1e-3);
            let at = |model, u| rubbing.model(model, u, DVec3::Z);
            let e = 1e-6;
            for model in [Model::Stick, Model::Slide] {
                let change = (at(model, u + v * e).0 - at(model, u - v * e).0) / (2.0 * e);
                prop_assert!(change.distance(at(model, u).1 * v) < 1e-7 * (1.0 + 1.0 / u.length()), "{model:?}");
            }
            let (force, hessian) = at(Model::Shrink, u);
            prop_assert!(force == at(Model::Slide, u).0 && (force.length() / (2.0 * (u.length() / 0.7).min(1.0)) - 1.0).abs() < 1e-12);
            prop_assert!(v.dot((hessian - at(Model::Slide, u).1) * v) > -1e-12);
        }
    }

    #[test]
    fn force_is_continuous_where_the_law_changes() {
        let link = Link { distance: 2.0, stiffness: 5.0, ..Link::default() };
        for kink in [0.2, 1.0, 2.0] {
            let [[e0, f0, _], [e1, f1, _]] = [kink - 1e-12, kink].map(|s| link.normal_law(s));
            assert!((e0 - e1).abs() < 1e-9 && (f0 - f1).abs() < 1e-8, "{kink}: {e0} {e1} {f0} {f1}");
        }
        assert!((link.force_at(1.0) - 5.0).abs() < 1e-15);
    }

    #[test]
    fn what_sticks_draws_back_with_a_bounded_force() {
        let (rubbing, n) = (Rubbing { limit: 2.0, creep: 1e-7 }, DVec3::Z);
        for r in [1e-9, 1e-7, 1e-6, 1e-3, 1.0] {
            let (force, _) = rubbing.model(Model::Stick, DVec3::X * r, n);
            assert!((force.x - (2.0 * r / 1e-7).min(2.0 * FIRM)).abs() < 1e-9, "{r}: {force}");
        }
        assert_eq!(rubbing.sticks_within(16e-3), 1e-3);
    }

    #[test]
    fn unusable_links_are_told() {
        let link = Link::to_obstacle(3, DVec3::Y, 0.0, 1e-3, 10.0);
        assert!(link.is_usable(4) && !link.is_usable(3));
        for broken in [
            Link { normal: DVec3::ZERO, ..link },
            Link { weights: [f64::NAN; 4], ..link },
            Link { stiffness: -1.0, ..link },
            Link { carried: DVec3::INFINITY, ..link },
        ] {
            assert!(!broken.is_usable(4), "{broken:?}");
        }
    }
}
