//! [`Pressure`]: gas at constant overpressure on one side of a triangle.
//!
//! ```text
//! E = −p V      V = Σ x_0·(x_1 × x_2)/6 over the triangles of a closed surface
//! ```
//!
//! The force on each corner is a third of `p` times area and normal, outwards for counter-clockwise triangles. On an open
//! surface the sum is the volume of the cone to the origin: forces inside are the same, those on the border depend on the
//! origin, so pressure is for closed surfaces. The Hessian is indefinite; its definite form is zero, which is safe because
//! the pull of a pressure is bounded.

use toile_mesh::{DMat3, DVec3};

use super::{Curvature, Element};

/// A triangle with overpressure on its inner side.
#[derive(Clone, Copy, Debug)]
pub struct Pressure {
    nodes: [u32; 3],
    pressure: f64,
}

impl Pressure {
    /// Overpressure [Pa] behind a triangle.
    pub fn new(nodes: [u32; 3], pressure: f64) -> Self {
        Self { nodes, pressure }
    }
}

/// Corners, and whether second derivatives are wanted.
#[derive(Clone, Copy, Debug)]
pub struct PressureLocal {
    x: [DVec3; 3],
    exact: bool,
}

impl Element for Pressure {
    type Local = PressureLocal;
    type Block = DMat3;

    fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let [p, q, r] = self.nodes.map(|n| x[n as usize]);
        -self.pressure * p.dot(q.cross(r)) / 6.0
    }

    fn local(&self, x: &[DVec3], curvature: Curvature) -> PressureLocal {
        PressureLocal { x: self.nodes.map(|n| x[n as usize]), exact: curvature == Curvature::Exact }
    }

    fn gradient(&self, local: &PressureLocal, a: usize) -> DVec3 {
        let (next, last) = (local.x[(a + 1) % 3], local.x[(a + 2) % 3]);
        next.cross(last) * (-self.pressure / 6.0)
    }

    fn hessian(&self, local: &PressureLocal, a: usize, b: usize) -> DMat3 {
        if a == b || !local.exact {
            return DMat3::ZERO;
        }
        // ∂(q × r)/∂q · v = v × r = −[r]ₓ v, ∂(q × r)/∂r · v = q × v = [q]ₓ v.
        let (other, sign) = if b == (a + 1) % 3 { (local.x[(a + 2) % 3], -1.0) } else { (local.x[(a + 1) % 3], 1.0) };
        let s = -self.pressure / 6.0 * sign;
        DMat3::from_cols(other.cross(DVec3::X) * s, other.cross(DVec3::Y) * s, other.cross(DVec3::Z) * s)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_derivatives;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn derivatives_match_differences(p in prop::array::uniform9(-1.0..1.0)) {
            let x: Vec<DVec3> = p.chunks(3).map(DVec3::from_slice).collect();
            check_derivatives(&Pressure::new([0, 1, 2], 50.0), &x, 1e-6)?;
        }
    }

    #[test]
    fn corners_of_a_closed_surface_are_pushed_outwards_and_in_balance() {
        // A tetrahedron with outward triangles, away from the origin.
        let x: Vec<DVec3> =
            [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|p: [i32; 3]| DVec3::from(p.map(f64::from)) + 5.0).into();
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|t| Pressure::new(t, 2.0));
        let mut force = [DVec3::ZERO; 4];
        for face in faces {
            let local = face.local(&x, Curvature::Definite);
            for (a, node) in face.nodes().iter().enumerate() {
                force[*node as usize] -= face.gradient(&local, a);
            }
        }
        let centre = x.iter().sum::<DVec3>() / 4.0;
        assert!(force.iter().sum::<DVec3>().length() < 1e-13);
        assert!(force.iter().zip(&x).all(|(f, x)| f.dot(*x - centre) > 0.0));
        // Energy −p V of the unit tetrahedron.
        assert!((faces.iter().map(|f| f.energy(&x)).sum::<f64>() + 2.0 / 6.0).abs() < 1e-13);
    }
}
