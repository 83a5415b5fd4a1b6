//! Energies of cloth. Each [`Element`] is one energy on a few particles: its value, gradient and Hessian.
//!
//! Forces are `−∂E/∂x`, stiffness is `∂²E/∂x∂x`. Derivatives of an element share most of their work, so they are asked
//! for in two steps: [`Element::local`] does the shared part once, [`Element::gradient`] and [`Element::hessian`]
//! give the parts of single particles. Whoever owns a row of the global matrix gathers its blocks from there; nothing is
//! scattered, so assembly runs in parallel with the same bits for any number of threads.

mod bend;
mod hinge;
mod law;
mod membrane;
mod pressure;
mod set;
mod spring;

use toile_mesh::DVec3;

pub use bend::{Bend, BendLocal, MAX_NODES, SLIP_CURVATURE, Stencil, flat_corners, stencils};
pub use hinge::{Hinge, HingeLocal};
pub use law::{LawValue, MembraneLaw, StrainMeasure};
pub(crate) use membrane::Turn;
pub use membrane::{Membrane, MembraneLocal};
pub use pressure::{Pressure, PressureLocal};
pub use set::ElementSet;
pub(crate) use set::for_rows;
pub use spring::{Spring, SpringLocal};

use crate::linear::Block;

/// Which second derivatives are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Curvature {
    /// The exact ones.
    Exact,
    /// Near ones that are positive semidefinite element by element, as a solver needs them.
    Definite,
}

/// One energy on a few particles.
pub trait Element: Send + Sync {
    /// What gradient and Hessian share.
    type Local: Copy + Send + Sync;
    /// A block of the Hessian: a matrix, or a number that stands for that multiple of the identity.
    type Block: Block;

    /// The particles the energy depends on.
    fn nodes(&self) -> &[u32];

    /// Energy [J] at positions `x` [m] of all particles.
    fn energy(&self, x: &[DVec3]) -> f64;

    /// The shared part of the derivatives at `x`.
    fn local(&self, x: &[DVec3], curvature: Curvature) -> Self::Local;

    /// Energy [J] and shared part at `x` together, where one comes with the other.
    fn local_with_energy(&self, x: &[DVec3], curvature: Curvature) -> (f64, Self::Local) {
        (self.energy(x), self.local(x, curvature))
    }

    /// Derivative of the energy by the position of the element's particle `a` [N].
    fn gradient(&self, local: &Self::Local, a: usize) -> DVec3;

    /// Second derivative by particles `a` (rows) and `b` (columns) [N/m].
    fn hessian(&self, local: &Self::Local, a: usize, b: usize) -> Self::Block;

    /// Adds the Hessian's row of particle `a` to `values`, the block of each particle at its slot.
    #[inline]
    fn add_row(&self, local: &Self::Local, a: usize, slots: &[u32], values: &mut [Self::Block]) {
        for (b, slot) in slots.iter().enumerate() {
            values[*slot as usize] += self.hessian(local, a, b);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::test_runner::TestCaseError;
    use toile_mesh::{DMat3, DQuat};

    /// Gradient and exact Hessian against central differences of energy and gradient, relative to the largest entries.
    pub(crate) fn check_derivatives<E: Element>(element: &E, x: &[DVec3], tolerance: f64) -> Result<(), TestCaseError> {
        let nodes = element.nodes();
        let local = element.local(x, Curvature::Exact);
        let gradient: Vec<DVec3> = (0..nodes.len()).map(|a| element.gradient(&local, a)).collect();
        let size = x
            .iter()
            .flat_map(|p| x.iter().map(move |q| p.distance(*q)))
            .fold(f64::INFINITY, |m, d| if d > 0.0 { m.min(d) } else { m });
        let h = 1e-5 * size;
        let moved = |b: usize, k: usize, d: f64| {
            let mut x = x.to_vec();
            x[nodes[b] as usize][k] += d;
            x
        };
        let mut most = (0.0_f64, 0.0_f64);
        let mut errors = (0.0_f64, 0.0_f64);
        for (b, own) in gradient.iter().enumerate() {
            for (k, own) in own.to_array().into_iter().enumerate() {
                let (up, down) = (moved(b, k, h), moved(b, k, -h));
                let slope = (element.energy(&up) - element.energy(&down)) / (2.0 * h);
                most.0 = most.0.max(own.abs());
                errors.0 = errors.0.max((slope - own).abs());
                let (up, down) = (element.local(&up, Curvature::Exact), element.local(&down, Curvature::Exact));
                for a in 0..nodes.len() {
                    let slope = (element.gradient(&up, a) - element.gradient(&down, a)) / (2.0 * h);
                    let exact = element.hessian(&local, a, b).matrix().col(k);
                    most.1 = most.1.max(exact.abs().max_element());
                    errors.1 = errors.1.max((slope - exact).abs().max_element());
                }
            }
        }
        // Rounding of the energies limits what differences can show.
        let noise = 1e-15 * element.energy(x).abs() / h;
        proptest::prop_assert!(
            errors.0 <= tolerance * most.0 + 1e2 * noise + tolerance * most.1 * h,
            "gradient: {errors:?} of {most:?}"
        );
        proptest::prop_assert!(
            errors.1 <= tolerance * most.1 + 1e-9 * most.0 / h * 1e-1,
            "Hessian: {errors:?} of {most:?}"
        );
        Ok(())
    }

    /// The definite Hessian is symmetric, and no direction has negative curvature.
    pub(crate) fn check_definite<E: Element>(element: &E, x: &[DVec3]) -> Result<(), TestCaseError> {
        let local = element.local(x, Curvature::Definite);
        let n = element.nodes().len();
        let block = |a: usize, b: usize| element.hessian(&local, a, b).matrix();
        for a in 0..n {
            for b in 0..n {
                let (ab, ba): (DMat3, DMat3) = (block(a, b), block(b, a).transpose());
                let size = (0..3).map(|k| ab.col(k).length()).sum::<f64>();
                proptest::prop_assert!(ab.abs_diff_eq(ba, 1e-9 * (1.0 + size)), "{ab} {ba}");
            }
        }
        // Power iteration on (largest I − K) finds the lowest eigenvalue; random directions would miss it.
        let bound: f64 = (0..n)
            .map(|a| (0..n).map(|b| (0..3).map(|k| block(a, b).col(k).length()).sum::<f64>()).sum::<f64>())
            .fold(0.0, f64::max);
        let mut v: Vec<DVec3> = (0..n).map(|a| DVec3::new(1.0, -0.7 + a as f64, 0.3 * a as f64 - 0.4)).collect();
        let mut lowest = 0.0;
        for _ in 0..400 {
            let product: Vec<DVec3> = (0..n).map(|a| (0..n).map(|b| block(a, b) * v[b]).sum()).collect();
            let norm: f64 = v.iter().map(|p| p.length_squared()).sum();
            lowest = v.iter().zip(&product).map(|(p, q)| p.dot(*q)).sum::<f64>() / norm;
            let next: Vec<DVec3> = v.iter().zip(&product).map(|(p, q)| *p * bound - *q).collect();
            let scale = next.iter().map(|p| p.length_squared()).sum::<f64>().sqrt();
            v = next.into_iter().map(|p| p / scale).collect();
        }
        proptest::prop_assert!(lowest >= -1e-9 * bound.max(1e-300), "lowest eigenvalue {lowest:e} of {bound:e}");
        Ok(())
    }

    /// Energy does not change under rigid motion; forces have neither sum nor moment.
    pub(crate) fn check_invariance<E: Element>(element: &E, x: &[DVec3]) -> Result<(), TestCaseError> {
        let turn = DQuat::from_rotation_y(2.1) * DQuat::from_rotation_x(-1.2);
        let moved: Vec<DVec3> = x.iter().map(|p| turn * *p + DVec3::new(0.3, -1.0, 2.0)).collect();
        let (before, after) = (element.energy(x), element.energy(&moved));
        proptest::prop_assert!((before - after).abs() <= 1e-10 * before.abs() + 1e-12, "{before} {after}");
        let local = element.local(x, Curvature::Definite);
        let (mut sum, mut moment, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for (a, node) in element.nodes().iter().enumerate() {
            let g = element.gradient(&local, a);
            sum += g;
            moment += x[*node as usize].cross(g);
            size += g.length();
        }
        proptest::prop_assert!(sum.length() <= 1e-12 * size + 1e-15 && moment.length() <= 1e-12 * size + 1e-15);
        Ok(())
    }
}
