//! [`Membrane`]: a triangle of constant strain.
//!
//! With the flat corners' shape gradients `b_a` [1/m] the deformation gradient is `F = Σ x_a b_aᵀ`, columns `f1` (warp) and
//! `f2` (weft); the metric is `c = (f1·f1, f2·f2, f1·f2)` and a [`MembraneLaw`] gives the energy per area `W(c)`. With
//! `c,a = (2 b_a1 f1, 2 b_a2 f2, b_a1 f2 + b_a2 f1)`, the derivatives of `c` by `x_a`, and
//! `S = [2 W_p, W_r; W_r, 2 W_q]`:
//!
//! ```text
//! ∂E/∂x_a      = A F S b_a
//! ∂²E/∂x_a∂x_b = A [(b_aᵀ S b_b) I + c,a W'' c,bᵀ]
//! ```
//!
//! Definite form: the negative eigenvalue of `S` is cut off (compressed triangles buckle rather than resist), and `W''` is
//! used where it is positive definite, its material part otherwise. Both summands are then semidefinite.
//!
//! **Viscosity** (Kelvin–Voigt): the potential `½ A η ΔEᵀ K ΔE` of the change of Green strain `ΔE = ½ (c − c_ref)` since the
//! step's reference, with `η = damping · b` for the rate `b` of the integrator. Metrics do not see rotations, so neither do
//! viscous forces, and their moment is zero.

use toile_mesh::{DMat3, DQuat, DVec2, DVec3};

use super::law::{LawValue, MembraneLaw};
use super::{Curvature, Element};
use crate::dynamics::Since;

/// A triangle of constant strain.
#[derive(Clone, Copy, Debug)]
pub struct Membrane {
    nodes: [u32; 3],
    area: f64,
    shape: [DVec2; 3],
    law: MembraneLaw,
    damping: f64,
    viscosity: f64,
    reference: [f64; 3],
}

/// Derivatives of `(E11, E22, 2 E12)` by the metric.
const BY_METRIC: [f64; 3] = [0.5, 0.5, 1.0];

/// Stress, stiffness and deformation gradient of a [`Membrane`].
#[derive(Clone, Copy, Debug, Default)]
pub struct MembraneLocal {
    f: [DVec3; 2],
    /// `A F S`: what pulls per unit of each gradient of a shape function.
    force: [DVec3; 2],
    /// `A (b_aᵀ S b_b)` uses this one, cut off if definite.
    geometric: [f64; 3],
    /// `A W''`: entries 11, 22, 33, 12, 13, 23.
    stiffness: [f64; 6],
}

impl Membrane {
    /// A triangle with flat corners `rest` in (warp, weft) coordinates [m]; `None` if it has no area.
    ///
    /// ```
    /// use toile_cloth::element::{Element, Membrane, MembraneLaw, StrainMeasure};
    /// use toile_cloth::Fabric;
    /// use toile_mesh::{DVec2, DVec3};
    /// let law = MembraneLaw::new(&Fabric::default(), StrainMeasure::Corotational);
    /// let triangle = Membrane::new([0, 1, 2], [DVec2::ZERO, DVec2::X, DVec2::Y], law, 0.0).unwrap();
    /// // 1 % along the warp: ½ E ε² per area, on half a square metre.
    /// let x = [DVec3::ZERO, 1.01 * DVec3::X, DVec3::Y];
    /// assert!((triangle.energy(&x) - 0.5 * 0.5 * 5000.0 * 1e-4).abs() < 1e-6);
    /// ```
    pub fn new(nodes: [u32; 3], rest: [DVec2; 3], law: MembraneLaw, damping: f64) -> Option<Self> {
        let (u, v) = (rest[1] - rest[0], rest[2] - rest[0]);
        let twice = u.perp_dot(v);
        let longest = u.length_squared().max(v.length_squared()).max((v - u).length_squared());
        // Not a size: slivers are fine, but rounding must not decide their inverse.
        if twice.abs().partial_cmp(&(1e-12 * longest)) != Some(std::cmp::Ordering::Greater) {
            return None;
        }
        let shape = |edge: DVec2| DVec2::new(-edge.y, edge.x) / twice;
        // ∇ of the shape function at a corner is the opposite edge turned by a right angle, over twice the area.
        let shape = [shape(rest[2] - rest[1]), shape(rest[0] - rest[2]), shape(rest[1] - rest[0])];
        let area = 0.5 * twice.abs();
        Some(Self { nodes, area, shape, law, damping, viscosity: 0.0, reference: [1.0, 1.0, 0.0] })
    }

    /// Shape gradients of the corners [1/m].
    pub fn shape(&self) -> &[DVec2; 3] {
        &self.shape
    }

    /// Sets what viscosity measures changes of strain since.
    pub fn set_reference(&mut self, since: &Since<'_>) {
        self.viscosity = self.damping * since.rate;
        if self.viscosity > 0.0 {
            self.reference = since.sum(|x| metric(self.gradient_columns(x)));
        }
    }

    /// Columns of the gradient of `x`; of positions, the images of the unit vectors along warp and weft.
    pub fn gradient_columns(&self, x: &[DVec3]) -> [DVec3; 2] {
        let [i, j, k] = self.nodes.map(|n| x[n as usize]);
        let (u, v) = (j - i, k - i);
        let [_, b, c] = self.shape;
        [u * b.x + v * c.x, u * b.y + v * c.y]
    }

    /// Strains `(ε1, ε2, γ)` along warp, weft, and of shear.
    pub fn strains(&self, x: &[DVec3]) -> [f64; 3] {
        self.law.strains(metric(self.gradient_columns(x)))
    }

    /// Stresses `(s1, s2, t)` per width [N/m].
    pub fn stresses(&self, x: &[DVec3]) -> [f64; 3] {
        self.law.stresses(metric(self.gradient_columns(x)))
    }

    /// Derivatives of a quadratic model of the energy that knows how the triangle turns within a step, at positions displaced by `moved` [m]
    /// from those where `start` was prepared.
    ///
    /// A triangle that turns by the angle `θ` is stretched by `½ θ²` in the linear theory of where it was, and stiff threads answer with
    /// forces from nowhere. The model is the quadratic one about the triangle of the start turned rigidly, `y = R x`: its gradient is
    /// `g(y) + H(y) (x + moved − y)`, and a turn costs nothing.
    pub(crate) fn turned(&self, start: &MembraneLocal, moved: &[DVec3], turn: Turn<'_>) -> MembraneLocal {
        let [d1, d2] = self.gradient_columns(moved);
        let now = [start.f[0] + d1, start.f[1] + d2];
        let rotation = match turn {
            Turn::Along(way) => turn_along(start.f, self.gradient_columns(way)),
            Turn::Moved => frame(now) * frame(start.f).transpose(),
        };
        // A collapsed triangle has no frame.
        let rotation = if rotation.is_finite() { rotation } else { DMat3::IDENTITY };
        let turned = start.f.map(|f| rotation * f);
        let change = change_of_force(start, turned, [now[0] - turned[0], now[1] - turned[1]]);
        let force = [rotation * start.force[0] + change[0], rotation * start.force[1] + change[1]];
        MembraneLocal { f: turned, force, ..*start }
    }

    /// Adds viscosity to energy and derivatives at the metric `c`: `½ η ΔEᵀ K ΔE` with `ΔE = (½ Δp, ½ Δq, Δr)`.
    fn add_viscosity(&self, c: [f64; 3], value: &mut LawValue) {
        if self.viscosity == 0.0 {
            return;
        }
        let stiffness = self.law.small_strain_stiffness();
        let change: [f64; 3] = std::array::from_fn(|k| BY_METRIC[k] * (c[k] - self.reference[k]));
        for i in 0..3 {
            let stress: f64 = self.viscosity * (0..3).map(|k| stiffness[i][k] * change[k]).sum::<f64>();
            value.energy += 0.5 * stress * change[i];
            value.gradient[i] += BY_METRIC[i] * stress;
            for j in 0..3 {
                let entry = self.viscosity * BY_METRIC[i] * stiffness[i][j] * BY_METRIC[j];
                value.hessian[i][j] += entry;
                value.definite[i][j] += entry;
            }
        }
    }
}

impl Element for Membrane {
    type Local = MembraneLocal;
    type Block = DMat3;

    fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let c = metric(self.gradient_columns(x));
        if self.viscosity == 0.0 {
            return self.area * self.law.energy(c);
        }
        let mut value = LawValue { energy: self.law.energy(c), ..LawValue::default() };
        self.add_viscosity(c, &mut value);
        self.area * value.energy
    }

    fn local(&self, x: &[DVec3], curvature: Curvature) -> MembraneLocal {
        self.local_with_energy(x, curvature).1
    }

    fn local_with_energy(&self, x: &[DVec3], curvature: Curvature) -> (f64, MembraneLocal) {
        let f = self.gradient_columns(x);
        let c = metric(f);
        let mut value = self.law.value(c);
        self.add_viscosity(c, &mut value);
        let [p, q, r] = value.gradient;
        let stress = [2.0 * p, 2.0 * q, r].map(|s| self.area * s);
        let exact = curvature == Curvature::Exact || is_positive(&value.hessian);
        let w = if exact { value.hessian } else { value.definite };
        let geometric = if curvature == Curvature::Exact { stress } else { positive_part(stress) };
        let stiffness = [w[0][0], w[1][1], w[2][2], w[0][1], w[0][2], w[1][2]].map(|s| self.area * s);
        let force = pulled(f, stress);
        (self.area * value.energy, MembraneLocal { f, force, geometric, stiffness })
    }

    #[inline]
    fn gradient(&self, local: &MembraneLocal, a: usize) -> DVec3 {
        let b = self.shape[a];
        local.force[0] * b.x + local.force[1] * b.y
    }

    #[inline]
    fn hessian(&self, local: &MembraneLocal, a: usize, b: usize) -> DMat3 {
        let [g11, g22, g12] = local.geometric;
        let [w11, w22, w33, w12, w13, w23] = local.stiffness;
        let ([f1, f2], a, b) = (local.f, self.shape[a], self.shape[b]);
        // c,a W'' c,bᵀ with c,a = (2 a1 f1, 2 a2 f2, a1 f2 + a2 f1) is a form in f1 and f2.
        let row = |l: [f64; 3]| [2.0 * b.x * l[0], 2.0 * b.y * l[1], l[2]];
        let [w1, w2, w3] = [row([w11, w12, w13]), row([w12, w22, w23]), row([w13, w23, w33])];
        let on = |k: usize| [2.0 * a.x * w1[k] + a.y * w3[k], 2.0 * a.y * w2[k] + a.x * w3[k]];
        let (by_p, by_q, by_r) = (on(0), on(1), on(2));
        // Column vectors: what multiplies f1ᵀ and f2ᵀ from the left.
        let left1 = f1 * (by_p[0] + by_r[0] * b.y) + f2 * (by_p[1] + by_r[1] * b.y);
        let left2 = f1 * (by_q[0] + by_r[0] * b.x) + f2 * (by_q[1] + by_r[1] * b.x);
        let along = g11 * a.x * b.x + g22 * a.y * b.y + g12 * (a.x * b.y + a.y * b.x);
        let columns = |k: usize| left1 * f1[k] + left2 * f2[k] + DVec3::AXES[k] * along;
        DMat3::from_cols(columns(0), columns(1), columns(2))
    }

    #[inline]
    fn add_row(&self, local: &MembraneLocal, a: usize, slots: &[u32], values: &mut [DMat3]) {
        // Shifting the whole triangle costs nothing, so the blocks of a row add up to zero.
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        let (to_b, to_c) = (self.hessian(local, a, b), self.hessian(local, a, c));
        values[slots[b] as usize] += to_b;
        values[slots[c] as usize] += to_c;
        values[slots[a] as usize] -= to_b + to_c;
    }
}

/// How the triangles of a step turn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn<'a> {
    /// As they do if their corners go on along these displacements [m].
    Along(&'a [DVec3]),
    /// As they were moved.
    Moved,
}

/// The rotation of a triangle with the columns `f` whose corners begin to move with the gradient `d`: by the vector `φ` with `φ × f = d` in
/// the mean of squares, `Σ (|f|² I − f fᵀ) φ = Σ f × d`.
fn turn_along([f1, f2]: [DVec3; 2], [d1, d2]: [DVec3; 2]) -> DMat3 {
    let outer = |f: DVec3| DMat3::from_cols(f * f.x, f * f.y, f * f.z);
    let size = f1.length_squared() + f2.length_squared();
    let inertia = DMat3::from_diagonal(DVec3::splat(size)) - outer(f1) - outer(f2);
    let turn = inertia.inverse() * (f1.cross(d1) + f2.cross(d2));
    DMat3::from_quat(DQuat::from_scaled_axis(turn))
}

/// The orthonormal frame nearest to the columns `f`, and its normal: `F U⁻¹` of the polar decomposition, with `U = (C + J I)/t`.
fn frame([f1, f2]: [DVec3; 2]) -> DMat3 {
    let [p, q, r] = metric([f1, f2]);
    let j = (p * q - r * r).max(0.0).sqrt();
    let scale = 1.0 / (j * (p + q + 2.0 * j).sqrt());
    let first = (f1 * (q + j) - f2 * r) * scale;
    let second = (f2 * (p + j) - f1 * r) * scale;
    DMat3::from_cols(first, second, first.cross(second))
}

/// `F S` of a symmetric `S` with entries 11, 22, 12.
#[inline]
fn pulled([f1, f2]: [DVec3; 2], [s11, s22, s12]: [f64; 3]) -> [DVec3; 2] {
    [f1 * s11 + f2 * s12, f1 * s12 + f2 * s22]
}

/// How `A F S` changes to first order where the columns `f` change by `e`, with the stiffness of `local`.
fn change_of_force(local: &MembraneLocal, f: [DVec3; 2], e: [DVec3; 2]) -> [DVec3; 2] {
    let ([f1, f2], [e1, e2]) = (f, e);
    let [p, q, r] = [2.0 * f1.dot(e1), 2.0 * f2.dot(e2), f1.dot(e2) + f2.dot(e1)];
    let [w11, w22, w33, w12, w13, w23] = local.stiffness;
    let s11 = 2.0 * (w11 * p + w12 * q + w13 * r);
    let s22 = 2.0 * (w12 * p + w22 * q + w23 * r);
    let s12 = w13 * p + w23 * q + w33 * r;
    let (material, geometric) = (pulled(f, [s11, s22, s12]), pulled(e, local.geometric));
    [material[0] + geometric[0], material[1] + geometric[1]]
}

/// The metric `(f1·f1, f2·f2, f1·f2)`.
pub(crate) fn metric([f1, f2]: [DVec3; 2]) -> [f64; 3] {
    [f1.length_squared(), f2.length_squared(), f1.dot(f2)]
}

/// Whether a symmetric matrix is positive definite, by its leading minors.
fn is_positive(m: &[[f64; 3]; 3]) -> bool {
    let two = m[0][0] * m[1][1] - m[0][1] * m[0][1];
    let three = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[1][2]) - m[0][1] * (m[0][1] * m[2][2] - m[1][2] * m[0][2])
        + m[0][2] * (m[0][1] * m[1][2] - m[1][1] * m[0][2]);
    m[0][0] > 0.0 && two > 0.0 && three > 0.0
}

/// The symmetric matrix with entries 11, 22, 12 without its negative eigenvalues.
fn positive_part([a, b, c]: [f64; 3]) -> [f64; 3] {
    let (mean, half) = (0.5 * (a + b), 0.5 * (a - b));
    let radius = half.hypot(c);
    if mean >= radius {
        return [a, b, c];
    }
    if mean <= -radius {
        return [0.0; 3];
    }
    // One eigenvalue is positive: its projector is (I + (S − mean I)/radius)/2.
    let scale = 0.5 * (mean + radius);
    [scale * (1.0 + half / radius), scale * (1.0 - half / radius), scale * c / radius]
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_definite, check_derivatives, check_invariance};
    use super::super::{MembraneLaw, StrainMeasure};
    use super::*;
    use crate::Fabric;
    use proptest::prelude::*;

    fn fabric() -> Fabric {
        Fabric { stretch_weft: 1500.0, poisson: 0.25, linearity_warp: 0.8, ..Fabric::default() }
    }

    fn corner() -> impl Strategy<Value = DVec3> {
        [-0.3..0.3, -0.3..0.3, -0.3..0.3].prop_map(DVec3::from)
    }

    proptest! {
        #[test]
        fn derivatives_match_differences(
            jitter in prop::array::uniform3(corner()), thin in 0.01..1.0_f64, flip in any::<bool>(),
            threads in any::<bool>(), viscosity in prop_oneof![Just(0.0), Just(0.1)],
        ) {
            let measure = if threads { StrainMeasure::Threads } else { StrainMeasure::Corotational };
            let law = MembraneLaw::new(&fabric(), measure);
            // Aspect down to 1:100, either orientation.
            let far = DVec2::new(0.3, if flip { -thin } else { thin });
            let rest = [DVec2::ZERO, DVec2::X, far];
            let mut membrane = Membrane::new([0, 1, 2], rest, law, viscosity).unwrap();
            let x: Vec<DVec3> = rest.iter().zip(jitter).map(|(p, j)| DVec3::new(p.x, 0.0, p.y) + j * thin).collect();
            prop_assume!((x[1] - x[0]).cross(x[2] - x[0]).length() > 0.2 * thin);
            membrane.set_reference(&Since::start(&[DVec3::ZERO, DVec3::X, DVec3::new(0.3, 0.0, thin)], 1.0));
            check_derivatives(&membrane, &x, 1e-6)?;
            check_definite(&membrane, &x)?;
            check_invariance(&membrane, &x)?;
        }
    }

    #[test]
    fn triangles_without_area_are_refused() {
        let law = MembraneLaw::new(&fabric(), StrainMeasure::Corotational);
        assert!(Membrane::new([0, 1, 2], [DVec2::ZERO, DVec2::X, 2.0 * DVec2::X], law, 0.0).is_none());
        assert!(Membrane::new([0, 1, 2], [DVec2::NAN, DVec2::X, DVec2::Y], law, 0.0).is_none());
    }
}
