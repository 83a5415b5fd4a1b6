//! [`Bend`]: bending of cloth with measured rigidities, on any mesh.
//!
//! One energy per triangle, with its rest area `A` and the second derivatives `x_11, x_22, x_12` of the positions by the
//! rest coordinates (warp, weft), sums over a few particles near the triangle (`fit.rs`):
//!
//! ```text
//! E = A [½ B1 |x_11|² + ½ B2 |x_22|² + Bt |x_12|²]  +  A Σ_k [ψ(κ_k − p_k) − B_k κ0_k (κ_k − ½ κ0_k)]
//! ```
//!
//! The first part is quadratic in the positions, like the isometric bending of Bergou et al. 2006: its Hessian is
//! constant, a number times the identity for every pair of particles. For cloth that does not stretch, `x_kk` points along
//! the normal and its length is the curvature; `B1, B2, Bt` are those of [`Fabric`](crate::Fabric).
//!
//! The second part acts on the signed curvatures `κ_k = n·x_kk`, `k` = warp, weft, where `n` is the unit normal of the
//! triangle in the current shape, by the order of its corners:
//!
//! - **Friction** between yarns, a Jenkin element (a spring and a slider in row): the moment grows with `k_f = HB /`
//!   [`SLIP_CURVATURE`] until it slips at `HB`, half the measured hysteresis 2HB. Its energy over a step is Huber's function
//!   `ψ(u) = ½ k_f u²` while `k_f |u| ≤ HB`, then `HB |u| − HB²/(2 k_f)`. The slip curvature `p` is kept per triangle and
//!   follows in [`Bend::update`] after each step, so that `k_f |κ − p| ≤ HB`. A cloth bent far and let go keeps the
//!   curvature `HB/B`.
//! - **Rest curvature** `κ0`: with the first part it makes `½ B (κ − κ0)²`.
//!
//! **Viscosity**: the potential `½ A η B |Δx_kk|²` of the change since the step's reference, `η = damping · b` for the rate `b`
//! of the integrator; with it the first part stays quadratic. Unlike that of the membrane it resists rigid rotation of bent
//! cloth, by a moment of `η B κ²` per area: far below what air does.
//!
//! Gradients are exact, with the turning of the normal. [`Curvature::Exact`] is the Hessian of the first part alone. To it
//! [`Curvature::Definite`] adds the stiffness of friction as `ψ'(u)/u`, at least `ψ''`, times the identity in place of
//! `n nᵀ`, and leaves out second derivatives of `κ`.

mod fit;
mod patch;
mod slope;

pub(super) use patch::Patches;

pub use fit::{MAX_NODES, Stencil, flat_corners, stencils};

use toile_mesh::{DVec2, DVec3};

use super::{Curvature, Element};
use crate::Fabric;
use crate::dynamics::Since;

/// Curvature from rest at which yarns begin to slip on each other [1/m]: well below the 50 1/m from which on KES-F measures.
pub const SLIP_CURVATURE: f64 = 10.0;

/// Bending of the cloth at one triangle.
///
/// ```
/// use toile_cloth::Fabric;
/// use toile_cloth::element::{Bend, Element, flat_corners};
/// use toile_mesh::{DVec2, DVec3};
/// // A 4 × 4 grid with 1 cm cells, rolled to a cylinder of curvature 10 1/m across the warp.
/// let rest: Vec<DVec2> = (0..16).map(|i| 0.01 * DVec2::new((i % 4) as f64, (i / 4) as f64)).collect();
/// let cell = |i: u32| [[i, i + 1, i + 5], [i, i + 5, i + 4]];
/// let triangles: Vec<_> = [0, 1, 2, 4, 5, 6, 8, 9, 10].into_iter().flat_map(cell).collect();
/// let bends = Bend::all(&triangles, &flat_corners(&triangles, &rest), &Fabric::default());
/// let roll = |p: &DVec2| DVec3::new((10.0 * p.x).sin() / 10.0, p.y, (1.0 - (10.0 * p.x).cos()) / 10.0);
/// let x: Vec<DVec3> = rest.iter().map(roll).collect();
/// let energy: f64 = bends.iter().map(|bend| bend.energy(&x)).sum();
/// let exact = 0.5 * 1e-5 * 10.0_f64.powi(2) * 0.03 * 0.03;
/// assert!((energy / exact - 1.0).abs() < 0.01);
/// ```
#[derive(Clone, Debug)]
pub struct Bend {
    stencil: Stencil,
    /// Derivatives of the energy by half the squares of `x_11, x_22, x_12` [N·m³].
    stiffness: [f64; 3],
    moments: [Moment; 2],
    damping: f64,
    viscosity: f64,
    /// Second derivatives where the step began.
    reference: [DVec3; 3],
}

/// What acts on the signed curvature along one thread direction, times the area.
#[derive(Clone, Copy, Default, Debug)]
struct Moment {
    /// Stiffness of friction before it slips [N·m³].
    spring: f64,
    /// Moment at which it slips [N·m²].
    limit: f64,
    /// Slip curvature [1/m].
    slip: f64,
    /// Curvature at rest [1/m].
    rest: f64,
}

impl Moment {
    fn is_none(self) -> bool {
        self.limit == 0.0 && self.rest == 0.0
    }

    fn friction(self, curvature: f64) -> f64 {
        (self.spring * (curvature - self.slip)).clamp(-self.limit, self.limit)
    }

    fn friction_energy(self, curvature: f64) -> f64 {
        let u = (curvature - self.slip).abs();
        if self.spring * u <= self.limit {
            0.5 * self.spring * u * u
        } else {
            self.limit * (u - 0.5 * self.limit / self.spring)
        }
    }

    /// `ψ'(u)/u`.
    fn secant(self, curvature: f64) -> f64 {
        let u = (curvature - self.slip).abs();
        if self.spring * u <= self.limit { self.spring } else { self.limit / u }
    }
}

/// What gradient and Hessian of a [`Bend`] share.
#[derive(Clone, Copy, Debug)]
pub struct BendLocal {
    /// Derivatives of the energy by `x_11, x_22, x_12`.
    pull: [DVec3; 3],
    /// What the turning of the normal adds at the triangle's own corners.
    corners: [DVec3; 3],
    stiffness: [f64; 3],
}

impl Bend {
    /// Bending at the triangle of a stencil.
    pub fn new(stencil: Stencil, fabric: &Fabric) -> Self {
        let area = stencil.area();
        let moment = |hysteresis: f64| {
            let limit = 0.5 * area * hysteresis.max(0.0);
            Moment { spring: limit / SLIP_CURVATURE, limit, ..Moment::default() }
        };
        Self {
            stiffness: [fabric.bend_warp, fabric.bend_weft, 2.0 * fabric.bend_twist].map(|b| b * area),
            moments: [moment(fabric.hysteresis_warp), moment(fabric.hysteresis_weft)],
            damping: fabric.damping_bend,
            viscosity: 0.0,
            reference: [DVec3::ZERO; 3],
            stencil,
        }
    }

    /// Bending of a whole mesh, one element per triangle. `corners` are the rest coordinates `(warp, weft)` [m] of each
    /// triangle's corners, of a flat mesh those of [`flat_corners`].
    pub fn all(triangles: &[[u32; 3]], corners: &[[DVec2; 3]], fabric: &Fabric) -> Vec<Self> {
        Self::of_pieces(triangles, corners, &vec![fabric; triangles.len()])
    }

    /// The same with a fabric for each triangle.
    pub fn of_pieces(triangles: &[[u32; 3]], corners: &[[DVec2; 3]], fabrics: &[&Fabric]) -> Vec<Self> {
        stencils(triangles, corners)
            .into_iter()
            .zip(fabrics)
            .map(|(stencil, fabric)| Self::new(stencil, fabric))
            .collect()
    }

    /// The same with curvatures at rest along warp and weft [1/m], positive where the cloth curves towards its normal.
    #[must_use]
    pub fn with_rest_curvature(mut self, rest: [f64; 2]) -> Self {
        for (moment, rest) in self.moments.iter_mut().zip(rest) {
            moment.rest = rest;
        }
        self
    }

    /// The second derivatives on the triangle.
    pub fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    /// Signed curvatures along warp and weft [1/m].
    pub fn curvatures(&self, x: &[DVec3]) -> [f64; 2] {
        let [warp, weft, _] = self.second_derivatives(x);
        let (normal, _) = self.normal(x);
        [normal.dot(warp), normal.dot(weft)]
    }

    /// Slip curvatures along warp and weft [1/m]: what friction between yarns remembers.
    pub fn slip(&self) -> [f64; 2] {
        self.moments.map(|m| m.slip)
    }

    /// Sets the slip curvatures [1/m], as a checkpoint has them.
    pub fn set_slip(&mut self, slip: [f64; 2]) {
        for (moment, slip) in self.moments.iter_mut().zip(slip) {
            moment.slip = slip;
        }
    }

    /// Sets what viscosity measures changes of curvature since.
    pub fn set_reference(&mut self, since: &Since<'_>) {
        self.viscosity = self.damping * since.rate;
        if self.viscosity > 0.0 {
            let (x, weight) = since.start;
            self.reference = self.second_derivatives(x).map(|d| d * weight);
            if let Some((x, weight)) = since.before {
                let before = self.second_derivatives(x);
                self.reference.iter_mut().zip(before).for_each(|(sum, d)| *sum += d * weight);
            }
        }
    }

    /// Lets yarns slip as far as the curvatures at `x`, the end of a step, demand.
    pub fn update(&mut self, x: &[DVec3]) {
        if self.moments.iter().all(|m| m.limit == 0.0) {
            return;
        }
        let curvatures = self.curvatures(x);
        for (moment, curvature) in self.moments.iter_mut().zip(curvatures) {
            let reach = moment.limit / moment.spring;
            if moment.spring > 0.0 && curvature.is_finite() {
                moment.slip = moment.slip.clamp(curvature - reach, curvature + reach);
            }
        }
    }

    fn second_derivatives(&self, x: &[DVec3]) -> [DVec3; 3] {
        let nodes = self.stencil.nodes();
        // Relative to one particle: far from the origin nothing is lost.
        let origin = x[nodes[0] as usize];
        let mut sum = [DVec3::ZERO; 3];
        for (node, row) in nodes.iter().zip(self.stencil.rows()) {
            let d = x[*node as usize] - origin;
            for (sum, row) in sum.iter_mut().zip(row) {
                *sum += *row * d;
            }
        }
        sum
    }

    /// Unit normal, zero for a triangle without area, and the length of the cross product it came from.
    fn normal(&self, x: &[DVec3]) -> (DVec3, f64) {
        let [a, b, c] = [0, 1, 2].map(|i| x[self.stencil.nodes()[i] as usize]);
        let cross = (b - a).cross(c - a);
        (cross.try_normalize().unwrap_or(DVec3::ZERO), cross.length())
    }

    /// Whether the Hessian depends on the rate of viscosity alone.
    pub(crate) fn has_constant_hessian(&self) -> bool {
        self.moments.iter().all(|m| m.limit == 0.0)
    }

    fn has_moments(&self) -> bool {
        self.moments.iter().any(|m| !m.is_none())
    }
}

impl Element for Bend {
    type Local = BendLocal;
    type Block = f64;

    fn nodes(&self) -> &[u32] {
        self.stencil.nodes()
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        self.energy_of(x, &self.second_derivatives(x))
    }

    fn local(&self, x: &[DVec3], curvature: Curvature) -> BendLocal {
        self.local_of(x, &self.second_derivatives(x), curvature)
    }

    fn local_with_energy(&self, x: &[DVec3], curvature: Curvature) -> (f64, BendLocal) {
        let second = self.second_derivatives(x);
        (self.energy_of(x, &second), self.local_of(x, &second, curvature))
    }

    #[inline]
    fn gradient(&self, local: &BendLocal, a: usize) -> DVec3 {
        let row = self.stencil.rows()[a];
        let turning = local.corners.get(a).copied().unwrap_or(DVec3::ZERO);
        row[0] * local.pull[0] + row[1] * local.pull[1] + row[2] * local.pull[2] + turning
    }

    fn hessian(&self, local: &BendLocal, a: usize, b: usize) -> f64 {
        let [p, q] = [self.stencil.rows()[a], self.stencil.rows()[b]];
        (0..3).map(|k| p[k] * local.stiffness[k] * q[k]).sum()
    }

    #[inline]
    fn add_row(&self, local: &BendLocal, a: usize, slots: &[u32], values: &mut [f64]) {
        let rows = self.stencil.rows();
        let pull: [f64; 3] = std::array::from_fn(|k| rows[a][k] * local.stiffness[k]);
        for (q, slot) in rows.iter().zip(slots) {
            values[*slot as usize] += pull[0] * q[0] + pull[1] * q[1] + pull[2] * q[2];
        }
    }
}

impl Bend {
    /// Energy at `x` with the second derivatives there.
    fn energy_of(&self, x: &[DVec3], second: &[DVec3; 3]) -> f64 {
        let mut energy: f64 = second.iter().zip(self.stiffness).map(|(x, s)| 0.5 * s * x.length_squared()).sum();
        if self.viscosity > 0.0 {
            let changes = second.iter().zip(&self.reference).map(|(x, r)| x.distance_squared(*r));
            energy += 0.5 * self.viscosity * changes.zip(self.stiffness).map(|(c, s)| c * s).sum::<f64>();
        }
        if self.has_moments() {
            let (normal, _) = self.normal(x);
            for ((moment, second), stiffness) in self.moments.iter().zip(second).zip(self.stiffness) {
                let curvature = normal.dot(*second);
                energy += moment.friction_energy(curvature);
                energy -= stiffness * moment.rest * (curvature - 0.5 * moment.rest);
            }
        }
        energy
    }

    /// Shared part of the derivatives at `x` with the second derivatives there.
    fn local_of(&self, x: &[DVec3], second: &[DVec3; 3], curvature: Curvature) -> BendLocal {
        let mut local = BendLocal {
            pull: std::array::from_fn(|k| self.stiffness[k] * second[k]),
            corners: [DVec3::ZERO; 3],
            stiffness: self.stiffness,
        };
        if self.viscosity > 0.0 {
            for (k, (now, before)) in second.iter().zip(self.reference).enumerate() {
                local.pull[k] += self.viscosity * self.stiffness[k] * (*now - before);
                local.stiffness[k] *= 1.0 + self.viscosity;
            }
        }
        if !self.has_moments() {
            return local;
        }
        let (normal, length) = self.normal(x);
        if normal == DVec3::ZERO {
            return local;
        }
        let [a, b, c] = [0, 1, 2].map(|i| x[self.stencil.nodes()[i] as usize]);
        for (k, (moment, second)) in self.moments.iter().zip(second).enumerate() {
            let bent = normal.dot(*second);
            let m = moment.friction(bent) - self.stiffness[k] * moment.rest;
            local.pull[k] += m * normal;
            if curvature == Curvature::Definite && moment.limit > 0.0 {
                local.stiffness[k] += moment.secant(bent);
            }
            // n = N/|N|, N = (b − a) × (c − a): the part of x_kk in the plane turns with the normal.
            let v = m / length * (*second - bent * normal);
            let (at_b, at_c) = ((c - a).cross(v), v.cross(b - a));
            local.corners[1] += at_b;
            local.corners[2] += at_c;
            local.corners[0] -= at_b + at_c;
        }
        local
    }
}
