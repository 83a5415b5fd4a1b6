//! Energies of cloth. Each [`Element`] is one energy on a few particles: its value, gradient and Hessian.
//!
//! Forces are `−∂E/∂x`, stiffness is `∂²E/∂x∂x`. Derivatives of an element share most of their work, so they are asked
//! for in two steps: [`Element::local`] does the shared part once, [`Element::gradient`] and [`Element::hessian`]
//! give the parts of single particles. Whoever owns a row of the global matrix gathers its blocks from there; nothing is
//! scattered, so assembly runs in parallel with the same bits for any number of threads.

use toile_mesh::DVec3;

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

    /// Derivative of the energy by the position of the element's particle `a` [N].
    fn gradient(&self, local: &Self::Local, a: usize) -> DVec3;

    /// Second derivative by particles `a` (rows) and `b` (columns) [N/m].
    fn hessian(&self, local: &Self::Local, a: usize, b: usize) -> Self::Block;
}
