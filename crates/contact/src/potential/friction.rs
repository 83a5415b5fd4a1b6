//! [`FrictionLaw`]: Coulomb's law with sticking smoothed, and the models of it that an iteration takes.
//!
//! Friction sees the displacement across the normal over a step `h` at the velocities of its end, `u = (I − n nᵀ)(h Σ w_i v_i − carried)`:
//!
//! ```text
//! force = −μ f min(1, |u|/(ε h)) u/|u|
//! ```
//!
//! What sticks creeps, slower than `ε`, in proportion to its load (C-IPC, Li, Kaufman, Jiang 2021, has the same idea with another
//! polynomial). For a given `μ f` it has a convex potential; `f` itself is that of the last iterate of Newton's method, so that the
//! fixed point obeys the law and nothing is a step late.

use toile_mesh::{DMat3, DVec3};

/// Friction of at most `limit` [N], smoothed over the displacement `creep` [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct FrictionLaw {
    pub(super) limit: f64,
    pub(super) creep: f64,
    /// How many times the limit a model that sticks draws back what has slid. Without a bound a millimetre of sliding is a force of
    /// thousands of limits: linear systems solved to a fifth of that are not solved for the cloth's own forces, which then throw it.
    pub(super) firmness: f64,
}

/// What friction is taken for during an iteration; all of them are the same where the law and the model meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Model {
    /// A spring `limit/creep`: the law up to the creep, too strong beyond; from far off it draws back with `firmness` times the limit.
    #[default]
    Stick,
    /// The law and its derivative beyond the creep: no resistance to more or less sliding.
    Slide,
    /// The law's force with a spring `limit/|u|`, which never turns sliding round.
    Shrink,
}

impl FrictionLaw {
    /// Displacement at which a model that sticks, made for a displacement of length `r` [m], has a force of the limit [m].
    pub(super) fn sticks_within(self, r: f64) -> f64 {
        self.creep.max(r / self.firmness)
    }

    /// Gradient [N] and Hessian [N/m] by the displacement `u` across the normal `n`.
    pub(super) fn model(self, model: Model, u: DVec3, n: DVec3) -> (DVec3, DMat3) {
        let r = u.length();
        let reach = if model == Model::Stick { self.sticks_within(r) } else { r.max(self.creep) };
        let stiffness = self.limit / reach;
        let across = (DMat3::IDENTITY - outer(n)) * stiffness;
        let hessian = if model == Model::Slide && r > self.creep { across - outer(u / r) * stiffness } else { across };
        (u * stiffness, hessian)
    }
}

/// `v vᵀ`.
pub(super) fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sliding_is_differentiated_and_shrinking_bounds_it(
            u in prop::array::uniform2(-3.0..3.0_f64), v in prop::array::uniform2(-1.0..1.0_f64),
        ) {
            let law = FrictionLaw { limit: 2.0, creep: 0.7, firmness: 16.0 };
            let [u, v] = [u, v].map(|[x, y]| DVec3::new(x, y, 0.0));
            prop_assume!((u.length() - 0.7).abs() > 1e-3);
            let at = |model, u| law.model(model, u, DVec3::Z);
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
    fn what_sticks_draws_back_with_a_bounded_force() {
        let (law, n) = (FrictionLaw { limit: 2.0, creep: 1e-7, firmness: 16.0 }, DVec3::Z);
        for r in [1e-9, 1e-7, 1e-6, 1e-3, 1.0] {
            let (force, _) = law.model(Model::Stick, DVec3::X * r, n);
            assert!((force.x - (2.0 * r / 1e-7).min(2.0 * 16.0)).abs() < 1e-9, "{r}: {force}");
        }
        assert_eq!(law.sticks_within(16e-3), 1e-3);
    }
}
