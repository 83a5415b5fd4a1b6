//! [`Spring`]: two particles and a rest length; the mass–spring alternative to the membrane, and with length zero a seam.
//!
//! ```text
//! E = ½ k (l − l0)²      l = |x_j − x_i|      ∂E/∂x_j = k (l − l0) n,  n = (x_j − x_i)/l
//! ∂²E/∂x_j∂x_j = k n nᵀ + k (1 − l0/l)(I − n nᵀ)
//! ```
//!
//! Definite form: the second summand only where the spring is stretched (Choi, Ko 2002). A spring of length zero is
//! `½ k l²`, linear and without a direction to lose: what pulls the two sides of a seam together.
//!
//! Stiffnesses of a mass–spring cloth follow Van Gelder 1998: `k = E·h Σ A_t / l0²` over the triangles at the edge, each for
//! isotropic cloth; with `E·h` of the edge's direction here. Poisson's ratio and shear are whatever the mesh gives: that
//! is why the membrane is the default.

use toile_mesh::{DMat3, DVec3};

use super::{Curvature, Element};

/// Two particles with a spring between them.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    nodes: [u32; 2],
    stiffness: f64,
    rest: f64,
}

impl Spring {
    /// A spring of `stiffness` [N/m] and rest length [m].
    pub fn new(nodes: [u32; 2], stiffness: f64, rest: f64) -> Self {
        Self { nodes, stiffness, rest }
    }

    /// A seam: pulls two particles onto each other.
    ///
    /// ```
    /// use toile_cloth::element::{Element, Spring};
    /// use toile_mesh::DVec3;
    /// let seam = Spring::seam([0, 1], 100.0);
    /// assert_eq!(seam.energy(&[DVec3::ZERO, 0.1 * DVec3::X]), 0.5);
    /// ```
    pub fn seam(nodes: [u32; 2], stiffness: f64) -> Self {
        Self::new(nodes, stiffness, 0.0)
    }

    fn offset(&self, x: &[DVec3]) -> DVec3 {
        x[self.nodes[1] as usize] - x[self.nodes[0] as usize]
    }
}

/// Force and stiffness of a [`Spring`] on its second particle.
#[derive(Clone, Copy, Debug)]
pub struct SpringLocal {
    force: DVec3,
    stiffness: DMat3,
}

impl Element for Spring {
    type Local = SpringLocal;
    type Block = DMat3;

    fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let change = self.offset(x).length() - self.rest;
        0.5 * self.stiffness * change * change
    }

    fn local(&self, x: &[DVec3], curvature: Curvature) -> SpringLocal {
        let offset = self.offset(x);
        let length = offset.length();
        let identity = DMat3::from_diagonal(DVec3::splat(self.stiffness));
        if self.rest == 0.0 || length == 0.0 {
            return SpringLocal { force: offset * self.stiffness, stiffness: identity };
        }
        let n = offset / length;
        let across = match curvature {
            Curvature::Exact => 1.0 - self.rest / length,
            Curvature::Definite => (1.0 - self.rest / length).max(0.0),
        };
        let along = DMat3::from_cols(n * n.x, n * n.y, n * n.z) * (self.stiffness * (1.0 - across));
        SpringLocal { force: n * (self.stiffness * (length - self.rest)), stiffness: along + identity * across }
    }

    #[inline]
    fn gradient(&self, local: &SpringLocal, a: usize) -> DVec3 {
        if a == 1 { local.force } else { -local.force }
    }

    #[inline]
    fn hessian(&self, local: &SpringLocal, a: usize, b: usize) -> DMat3 {
        if a == b { local.stiffness } else { -local.stiffness }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_definite, check_derivatives, check_invariance};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn derivatives_match_differences(p in prop::array::uniform3(0.1..1.0), rest in prop_oneof![Just(0.0), 0.1..2.0]) {
            let x = [DVec3::ZERO, DVec3::from(p)];
            let spring = Spring::new([0, 1], 30.0, rest);
            check_derivatives(&spring, &x, 1e-6)?;
            check_definite(&spring, &x)?;
            check_invariance(&spring, &x)?;
        }
    }
}
