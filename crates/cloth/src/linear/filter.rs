//! [`Filter`]: which motions of which particles are given in advance (Baraff, Witkin 1998, *Large Steps in Cloth
//! Simulation*, section 5).
//!
//! Each particle has a projection `S` onto the motions left to the solver, and a prescribed change `z` in the others:
//!
//! | left free | S | made by |
//! |---|---|---|
//! | all | `I` | nothing |
//! | a plane | `I − n nᵀ` | one direction `n` |
//! | a line | `t tᵀ`, `t = n₁ × n₂ / \|n₁ × n₂\|` | two directions |
//! | nothing | `0` | three directions, or a pin |
//!
//! A direction is added as the condition `n · x = c`. Its part that is still free, `m = S n`, becomes forbidden, and
//! `z` grows by `m (c − n · z) / |m|²`, so that conditions along oblique directions hold at the same time. When
//! `|m|` is below [`NEARLY_PARALLEL`] the direction says what is said already: two normals of one flat obstacle that
//! differ by rounding must not lock the motion along it, so the first one stands and the second is dropped.

use super::csr::CHUNK;
use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

/// Sine of the angle under which a direction counts as already forbidden (about half a degree).
pub const NEARLY_PARALLEL: f64 = 0.01;

const FREE: u32 = u32::MAX;

/// What a constrained particle may still do; vectors have length 1.
#[derive(Clone, Copy, Debug)]
enum Freedom {
    /// Anything across this normal.
    Plane(DVec3),
    /// Only along this direction.
    Line(DVec3),
    Nothing,
}

impl Freedom {
    fn project(self, v: DVec3) -> DVec3 {
        match self {
            Self::Plane(n) => v - n * n.dot(v),
            Self::Line(t) => t * t.dot(v),
            Self::Nothing => DVec3::ZERO,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Constrained {
    particle: u32,
    freedom: Freedom,
    prescribed: DVec3,
}

/// The constraints of all particles; free ones cost four bytes.
///
/// ```
/// use toile_cloth::linear::Filter;
/// use toile_mesh::DVec3;
/// let mut filter = Filter::free(3);
/// filter.pin(0);
/// filter.forbid(1, DVec3::Z);
/// let mut v = [DVec3::ONE; 3];
/// filter.apply(&mut v);
/// assert_eq!(v, [DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0), DVec3::ONE]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Where each particle is in `constrained`, or `FREE`.
    slots: Vec<u32>,
    constrained: Vec<Constrained>,
}

impl Filter {
    /// No constraint on any of `n` particles.
    pub fn free(n: usize) -> Self {
        Self { slots: vec![FREE; n], constrained: Vec::new() }
    }

    /// Frees all particles and keeps the memory.
    pub fn clear(&mut self) {
        for constrained in &self.constrained {
            self.slots[constrained.particle as usize] = FREE;
        }
        self.constrained.clear();
    }

    /// Takes over the constraints of `other` and keeps the memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.slots.clone_from(&other.slots);
        self.constrained.clone_from(&other.constrained);
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no particles at all.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Number of particles with a constraint.
    pub fn constrained(&self) -> usize {
        self.constrained.len()
    }

    /// Holds particle `i`: its change is zero, whatever was said before.
    pub fn pin(&mut self, i: usize) {
        self.set(i, DVec3::ZERO);
    }

    /// Prescribes the whole change of particle `i`, whatever was said before.
    pub fn set(&mut self, i: usize, change: DVec3) {
        self.put(i, Freedom::Nothing, change);
    }

    /// Forbids change of particle `i` along `n` (any length; a zero or infinite one is ignored).
    pub fn forbid(&mut self, i: usize, n: DVec3) {
        self.prescribe(i, n, 0.0);
    }

    /// Prescribes the change of particle `i` along `n` (any length): `change` is measured along the unit vector.
    pub fn prescribe(&mut self, i: usize, n: DVec3, change: f64) {
        let Some(n) = n.try_normalize() else { return };
        let Some(slot) = self.slot(i) else {
            return self.put(i, Freedom::Plane(n), n * change);
        };
        let Constrained { freedom, prescribed, .. } = self.constrained[slot];
        let m = freedom.project(n);
        let length = m.length();
        if length < NEARLY_PARALLEL {
            return;
        }
        let prescribed = prescribed + m * ((change - n.dot(prescribed)) / (length * length));
        let freedom = match freedom {
            // Neither is parallel to the other, so the cross product has length |m|.
            Freedom::Plane(first) => Freedom::Line(first.cross(m / length).normalize()),
            Freedom::Line(_) | Freedom::Nothing => Freedom::Nothing,
        };
        self.put(i, freedom, prescribed);
    }

    /// `S_i v`.
    #[inline]
    pub fn project(&self, i: usize, v: DVec3) -> DVec3 {
        match self.slot(i) {
            None => v,
            Some(slot) => self.constrained[slot].freedom.project(v),
        }
    }

    /// `S_i`.
    pub fn projection(&self, i: usize) -> DMat3 {
        let [x, y, z] = DVec3::AXES.map(|axis| self.project(i, axis));
        DMat3::from_cols(x, y, z)
    }

    /// Whether particle `i` has a constraint.
    pub fn is_constrained(&self, i: usize) -> bool {
        self.slot(i).is_some()
    }

    /// `z_i`: the prescribed change in the directions that are not free.
    pub fn prescribed(&self, i: usize) -> DVec3 {
        self.slot(i).map_or(DVec3::ZERO, |slot| self.constrained[slot].prescribed)
    }

    /// `v ← S v`.
    pub fn apply(&self, v: &mut [DVec3]) {
        if self.constrained.is_empty() {
            return;
        }
        v.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, v)| {
            for (i, v) in v.iter_mut().enumerate() {
                *v = self.project(chunk * CHUNK + i, *v);
            }
        });
    }

    /// `x ← S x + z`: what is prescribed holds exactly, the rest of `x` stays.
    pub fn impose(&self, x: &mut [DVec3]) {
        for constrained in &self.constrained {
            let x = &mut x[constrained.particle as usize];
            *x = constrained.freedom.project(*x) + constrained.prescribed;
        }
    }

    #[inline]
    fn slot(&self, i: usize) -> Option<usize> {
        let slot = self.slots[i];
        (slot != FREE).then_some(slot as usize)
    }

    fn put(&mut self, i: usize, freedom: Freedom, prescribed: DVec3) {
        let constrained = Constrained { particle: i as u32, freedom, prescribed };
        if let Some(slot) = self.slot(i) {
            self.constrained[slot] = constrained;
        } else {
            self.slots[i] = self.constrained.len() as u32;
            self.constrained.push(constrained);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn direction() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from).prop_filter("short", |n| n.length() > 0.1)
    }

    proptest! {
        #[test]
        fn conditions_along_oblique_directions_hold_together(
            conditions in prop::collection::vec((direction(), -1.0..1.0_f64), 1..4),
            v in direction(),
        ) {
            // Independent by a margin: the third must leave the plane of the first two.
            let n: Vec<DVec3> = conditions.iter().map(|(n, _)| n.normalize()).collect();
            prop_assume!(n.len() < 2 || n[0].cross(n[1]).length() > 0.1);
            prop_assume!(n.len() < 3 || n[0].cross(n[1]).normalize().dot(n[2]).abs() > 0.1);
            let mut filter = Filter::free(1);
            for (n, change) in &conditions {
                filter.prescribe(0, *n, *change);
            }
            let mut x = [v];
            filter.impose(&mut x);
            for (n, (_, change)) in n.iter().zip(&conditions) {
                prop_assert!((n.dot(x[0]) - change).abs() < 1e-11);
                prop_assert!(filter.project(0, *n).length() < 1e-12);
            }
            let s = filter.projection(0);
            prop_assert!((s * s).abs_diff_eq(s, 1e-13));
            let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
            prop_assert!((trace - (3 - conditions.len()) as f64).abs() < 1e-13);
        }
    }

    #[test]
    fn nearly_parallel_directions_leave_the_plane_free() {
        let mut filter = Filter::free(1);
        filter.prescribe(0, DVec3::Z, 0.5);
        filter.prescribe(0, DVec3::new(1e-3, 0.0, 1.0), 0.7);
        filter.forbid(0, DVec3::NEG_Z);
        assert_eq!(filter.project(0, DVec3::ONE), DVec3::new(1.0, 1.0, 0.0));
        assert_eq!(filter.prescribed(0), DVec3::new(0.0, 0.0, 0.5));
        filter.forbid(0, DVec3::new(1.0, 0.0, 1.0));
        // Now x + z = 0 as well.
        assert!(filter.prescribed(0).distance(DVec3::new(-0.5, 0.0, 0.5)) < 1e-15);
        assert!(filter.project(0, DVec3::ONE).distance(DVec3::Y) < 1e-15);
    }

    #[test]
    fn pins_win_and_clearing_frees() {
        let mut filter = Filter::free(2);
        filter.prescribe(1, DVec3::X, 3.0);
        filter.pin(1);
        filter.forbid(1, DVec3::Y);
        assert_eq!((filter.project(1, DVec3::ONE), filter.prescribed(1)), (DVec3::ZERO, DVec3::ZERO));
        assert_eq!((filter.constrained(), filter.len()), (1, 2));
        filter.clear();
        assert!(filter.constrained() == 0 && !filter.is_constrained(1));
        assert_eq!(filter.project(1, DVec3::ONE), DVec3::ONE);
    }

    #[test]
    fn directions_without_direction_are_ignored() {
        let mut filter = Filter::free(1);
        for n in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY] {
            filter.forbid(0, n);
        }
        assert_eq!(filter.project(0, DVec3::ONE), DVec3::ONE);
    }
}
