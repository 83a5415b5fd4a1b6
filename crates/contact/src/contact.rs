//! [`Contact`]: where a feature of the cloth touches something or nearly does, and how an impulse there is shared by its corners.
//!
//! This is what every response, the contact potential and the guard see, whether it comes from two features or from a feature and an
//! exact shape.
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
//!
//! An exact shape has no vertices. The weights of the cloth's feature then sum to 1, and the shape is the plane that supports it:
//! at positions `x` the gap is `n · Σ w_i x_i − offset`.

use toile_collide::closest_points;
use toile_collide::distance::Closest;
use toile_collide::impact::PairKind;
use toile_mesh::DVec3;

use crate::Friction;

/// A feature of the cloth and what it touches, at their nearest points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contact {
    /// The corners: v, f0, f1, f2 or a0, a1, b0, b1 of two features; of one and an exact shape its corners, the last one repeated.
    pub vertices: [u32; 4],
    /// Their weights; see the module. Those without weight do not take part.
    pub weights: [f64; 4],
    /// Unit vector along which the gap opens: from the second feature to the first, or out of the shape.
    pub normal: DVec3,
    /// Distance along it when the contact was seen [m]; negative once they went through each other.
    pub gap: f64,
    /// The exact shape's part of the gap when the step ends, `n · (point of the shape)` [m]; 0 between features.
    pub offset: f64,
    /// Distance to keep [m].
    pub keep: f64,
    /// Friction between the two.
    pub friction: Friction,
    /// Displacement of the exact shape's point over the step [m]; 0 between features, whose vertices tell.
    pub carried: DVec3,
    /// Stiffness per area of cloth of the springs that it is made of [N/m³]; 0: as a pressure says.
    pub bed: f64,
    /// How many times as stiff as the cloth it may get where it is overrun; see [`ContactPotential`](crate::ContactPotential).
    pub hardening: f64,
    /// Number of the exact obstacle that is touched; `None` between features.
    pub obstacle: Option<u32>,
}

impl Contact {
    /// The contact of two features whose nearest points are known; it keeps nothing and rubs on nothing yet.
    #[inline]
    pub fn new(kind: PairKind, vertices: [u32; 4], closest: &Closest) -> Self {
        let first = if kind == PairKind::VertexFace { 1 } else { 2 };
        let weights = std::array::from_fn(|i| if i < first { closest.weights[i] } else { -closest.weights[i] });
        Self {
            vertices,
            weights,
            normal: closest.normal,
            gap: closest.distance,
            offset: 0.0,
            keep: 0.0,
            friction: Friction::Coulomb(0.0),
            carried: DVec3::ZERO,
            bed: 0.0,
            hardening: 0.0,
            obstacle: None,
        }
    }

    /// Vertex `vertex` above the plane `normal · x = offset`, from which it keeps `keep` [m] without friction.
    pub fn with_plane(vertex: u32, normal: DVec3, offset: f64, keep: f64) -> Self {
        Self {
            vertices: [vertex; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            normal,
            gap: keep,
            offset,
            keep,
            friction: Friction::Coulomb(0.0),
            carried: DVec3::ZERO,
            bed: 0.0,
            hardening: 0.0,
            obstacle: None,
        }
    }

    /// The contact of two features with vertices at `x` [m].
    #[inline]
    pub fn at(kind: PairKind, vertices: [u32; 4], x: &[DVec3]) -> Self {
        Self::new(kind, vertices, &closest_points(kind, &vertices.map(|v| x[v as usize])))
    }

    /// Distance along the normal with vertices at `x` [m].
    #[inline]
    pub fn gap_at(&self, x: &[DVec3]) -> f64 {
        let term = |i: usize| self.weights[i] * self.normal.dot(x[self.vertices[i] as usize]);
        term(0) + term(1) + term(2) + term(3) - self.offset
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

    /// Correction of the contact's point, which went from `start` to `end` [m] in the step and is `short` [m] of its distance: along the
    /// normal, with friction against what it slid relative to what it touches.
    #[inline]
    pub fn correction(&self, start: DVec3, end: DVec3, short: f64) -> DVec3 {
        let moved = end - start - self.carried;
        let slid = moved - self.normal * moved.dot(self.normal);
        self.normal * short + self.friction.correction(slid, short)
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
            let contact = Contact::at(kind, [0, 1, 2, 3], &x);
            let momentum = |v: &[DVec3]| v.iter().zip(w).map(|(v, w)| *v / w).sum::<DVec3>();
            let turning = |v: &[DVec3]| (0..4).map(|i| x[i].cross(v[i]) / w[i]).sum::<DVec3>();
            let mut after = v;
            contact.push(impulse, &w, &mut after);
            prop_assert!((momentum(&after) - momentum(&v)).length() < 1e-12);
            let parted = contact.relative(&after) - contact.relative(&v);
            prop_assert!((parted - impulse * contact.compliance(&w)).length() < 1e-12);
            let mut along = v;
            contact.push(contact.normal * 0.7, &w, &mut along);
            prop_assert!((turning(&along) - turning(&v)).length() < 1e-11);
        }
    }
}
