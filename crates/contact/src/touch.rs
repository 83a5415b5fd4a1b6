//! [`Touch`]: where two features touch or nearly do, and how an impulse there is shared by their corners.
//!
//! Vertices are numbered over everything that takes part in a step: those of the cloth first, then those of each mesh
//! obstacle, whose inverse mass is 0. The four weights `w_i` are those of the nearest points, positive for the first
//! feature and negative for the second (Kimmerle 2005, §3.2.1: `1, −ω₁, −ω₂, −ω₃`, and `1−a, a, −(1−b), −b`; equation 3.3
//! prints the weights of the edges the wrong way round). With them
//! ```text
//! relative velocity             v_rel = Σ w_i v_i
//! an impulse I of second on first:  v_i += w_i m_i⁻¹ I,   so that  v_rel += I Σ w_i² m_i⁻¹
//! ```
//! The weights sum to 0, so an impulse changes no momentum; as the nearest points lie on a line along the normal, one
//! along the normal changes no angular momentum either.

use toile_collide::closest_points;
use toile_collide::distance::Closest;
use toile_collide::impact::PairKind;
use toile_mesh::DVec3;

/// Two features at their nearest points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Touch {
    /// The corners: v, f0, f1, f2 or a0, a1, b0, b1.
    pub vertices: [u32; 4],
    /// Their weights; see the module.
    pub weights: [f64; 4],
    /// Unit vector from the second feature to the first.
    pub normal: DVec3,
    /// Distance along it [m]; negative once they went through each other.
    pub gap: f64,
}

impl Touch {
    /// The touch of a pair whose nearest points are known.
    #[inline]
    pub fn new(kind: PairKind, vertices: [u32; 4], closest: &Closest) -> Self {
        let first = if kind == PairKind::VertexFace { 1 } else { 2 };
        let weights = std::array::from_fn(|i| if i < first { closest.weights[i] } else { -closest.weights[i] });
        Self { vertices, weights, normal: closest.normal, gap: closest.distance }
    }

    /// The touch of a pair with vertices at `x` [m].
    #[inline]
    pub fn at(kind: PairKind, vertices: [u32; 4], x: &[DVec3]) -> Self {
        Self::new(kind, vertices, &closest_points(kind, &vertices.map(|v| x[v as usize])))
    }

    /// `Σ w_i y_i`: the value of the first feature at the nearest point less that of the second.
    #[inline]
    pub fn relative(&self, y: &[DVec3]) -> DVec3 {
        let term = |i: usize| y[self.vertices[i] as usize] * self.weights[i];
        (term(0) + term(1)) + (term(2) + term(3))
    }

    /// `Σ w_i² m_i⁻¹`: how far the features part by a unit impulse [1/kg]. 0 if none of them can move.
    #[inline]
    pub fn compliance(&self, inverse_mass: &[f64]) -> f64 {
        let term = |i: usize| self.weights[i].powi(2) * inverse_mass[self.vertices[i] as usize];
        (term(0) + term(1)) + (term(2) + term(3))
    }

    /// Adds an impulse of the second feature on the first to the velocities, or a correction to positions.
    #[inline]
    pub fn push(&self, impulse: DVec3, inverse_mass: &[f64], y: &mut [DVec3]) {
        for (v, w) in self.vertices.iter().zip(self.weights) {
            y[*v as usize] += impulse * (w * inverse_mass[*v as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from)
    }

    proptest! {
        #[test]
        fn pushing_keeps_momentum_and_parts_by_the_compliance(
            edges: bool,
            x in prop::array::uniform4(point()),
            v in prop::array::uniform4(point()),
            w in prop::array::uniform4(0.1..10.0_f64),
            impulse in point(),
        ) {
            let kind = if edges { PairKind::EdgeEdge } else { PairKind::VertexFace };
            let touch = Touch::at(kind, [0, 1, 2, 3], &x);
            let momentum = |v: &[DVec3]| v.iter().zip(w).map(|(v, w)| *v / w).sum::<DVec3>();
            let turning = |v: &[DVec3]| (0..4).map(|i| x[i].cross(v[i]) / w[i]).sum::<DVec3>();
            let mut after = v;
            touch.push(impulse, &w, &mut after);
            prop_assert!((momentum(&after) - momentum(&v)).length() < 1e-12);
            let parted = touch.relative(&after) - touch.relative(&v);
            prop_assert!((parted - impulse * touch.compliance(&w)).length() < 1e-12);
            let mut along = v;
            touch.push(touch.normal * 0.7, &w, &mut along);
            prop_assert!((turning(&along) - turning(&v)).length() < 1e-11);
        }
    }
}
