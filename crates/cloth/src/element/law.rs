//! Membrane laws: energy per area as a function of the metric `C = FᵀF` of a deformed triangle.
//!
//! With `c = (C11, C22, C12)` a law gives `W(c)`, its gradient and its Hessian; everything else about a membrane is
//! geometry. `F` maps flat (warp, weft) coordinates to space, so nothing here knows of rotations.
//!
//! **Corotational** (rotated finite elements; Etzmuß, Keckeisen, Straßer 2003, named by Kimmerle 2005, §6.2): the polar
//! decomposition `F = R U` takes the rotation away, and the strains are those of the linear theory in the rotated frame,
//! `ε1 = U11 − 1`, `ε2 = U22 − 1`, `γ = 2 U12`. In two dimensions `U` is known in closed form:
//!
//! ```text
//! U = (C + J I)/t      J = √det C      t = √(tr C + 2 J)
//! ```
//!
//! whose derivatives are exact too. `J` is rounded off near collapsed triangles (`J = √(det C + δ²)` shifted to
//! be 1 at rest), where the rotation is undefined; at strains of 50 % this changes `U` by less than 1e-6.
//!
//! **Threads**: what inextensible threads feel. `ε1 = |F e1| − 1`, `ε2 = |F e2| − 1` are the strains of the threads and
//! `γ = arcsin(C12/√(C11 C22))` the angle they turn towards each other. Both laws agree for small strains. For large shear they do not:
//! a trellis sheared by 30° has unstrained threads, but `U11 = 0.966`.
//!
//! Energy per area with stiffnesses per width [N/m], `⟨ε⟩` the positive part:
//!
//! ```text
//! W = ½ k11 ε1² + k12 ε1 ε2 + ½ k22 ε2² + ½ G γ² + w1(⟨ε1⟩) + w2(⟨ε2⟩)
//! k11 = E1/(1 − ν12 ν21)      k22 = E2/(1 − ν12 ν21)      k12 = ν12 k22
//! ```
//!
//! where `w` is what [`Tension`] adds to a straight line, so that secant stiffness and work of a pulled strip are those that were
//! measured.
//!
//! **Buckling.** Nothing but its bending rigidity hinders a thread that is compressed from giving way sideways, so cloth is never
//! compressed by more than the load of Euler, `π² B/l²` for a half wave of length `l` (Choi, Ko 2002). Threads of triangles as
//! large as `l` cannot show that wave, and with the stiffness `E1` they would hinder another: the chord of an arc of curvature `κ` is shorter
//! than the arc by the share `(κ l)²/24`, which for `l` of 20 mm costs hundreds of times what bending does, so that all fabrics would
//! fold alike. A thread that buckles is therefore longer by a slack `w ≥ 0` than it looks:
//!
//! ```text
//! W(ε) = min over w of W0(ε + w) + ½ K1 w1² + ½ K2 w2²      K = π² B/(l² ε_b)
//! ```
//!
//! with `W0` the quadratic part above. Tension is what it was, that across a strip that contracts too; `W` is convex and its stress
//! continuous. A thread reaches Euler's load at the strain `ε_b` ([`BUCKLED`]). Its viscosity stays that of a straight thread: with less,
//! an A-line skirt of silk or wool had not come to rest after 8 s.

use std::f64::consts::PI;

use crate::fabric::{Fabric, Tension};

/// How strain is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StrainMeasure {
    /// In the frame of the polar decomposition.
    #[default]
    Corotational,
    /// Along the threads, and the angle between them.
    Threads,
}

/// Where the rounding of `J` begins, relative to the rest area.
const DELTA: f64 = 1e-3;

/// Strain at which a thread that buckles bears the load of Euler for half waves as long as its triangle: that of the chord of an arc
/// whose radius is one and a half times as long. Arcs that meshes can show cost little beside their bending, and shortening within
/// triangles costs more than folds do.
const BUCKLED: f64 = 0.02;

/// A membrane law with its stiffnesses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MembraneLaw {
    measure: StrainMeasure,
    k11: f64,
    k22: f64,
    k12: f64,
    shear: f64,
    tension: [Tension; 2],
    /// What threads that have buckled resist with [N/m]; `None` if they do not buckle.
    buckled: Option<[f64; 2]>,
}

/// Value and derivatives of a law by `c = (C11, C22, C12)`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LawValue {
    /// Energy per area [J/m²].
    pub energy: f64,
    /// Gradient [N/m].
    pub gradient: [f64; 3],
    /// Hessian [N/m], symmetric.
    pub hessian: [[f64; 3]; 3],
    /// The part of the Hessian that is always positive semidefinite: second derivatives of the strains left out [N/m].
    pub definite: [[f64; 3]; 3],
}

/// Strains `(ε1, ε2, γ)` with first and second derivatives by `c`.
struct Strains {
    value: [f64; 3],
    first: [[f64; 3]; 3],
    second: [[[f64; 3]; 3]; 3],
}

impl MembraneLaw {
    /// The law of a fabric.
    pub fn new(fabric: &Fabric, measure: StrainMeasure) -> Self {
        let [e1, e2] = fabric.initial_stretch();
        let nu12 = fabric.poisson;
        let nu21 = nu12 * e2 / e1;
        let k = 1.0 / (1.0 - nu12 * nu21);
        Self {
            measure,
            k11: k * e1,
            k22: k * e2,
            k12: k * nu12 * e2,
            shear: fabric.shear,
            tension: [fabric.tension(0), fabric.tension(1)],
            buckled: None,
        }
    }

    /// The same for a triangle of that area [m²] whose threads buckle when they are compressed, by the bending rigidity of their
    /// fabric.
    ///
    /// ```
    /// use toile_cloth::Fabric;
    /// use toile_cloth::element::{MembraneLaw, StrainMeasure};
    /// let (fabric, area) = (Fabric::default(), 2e-4);
    /// let law = MembraneLaw::new(&fabric, StrainMeasure::Threads).buckling(&fabric, area);
    /// let load = |strain: f64| law.stresses([(1.0 + strain) * (1.0 + strain), 1.0, 0.0])[0];
    /// assert!((load(0.01) - 50.0).abs() < 1e-3);
    /// // Far less than the 50 N/m of threads that stay straight.
    /// assert!(load(-0.01) < 0.0 && load(-0.01) > -0.3);
    /// ```
    #[must_use]
    pub fn buckling(self, fabric: &Fabric, area: f64) -> Self {
        // The edge of an equilateral triangle as large, squared.
        let square = 4.0 * area / 3.0_f64.sqrt();
        let stiffness = |rigidity: f64| PI * PI * rigidity / (square * BUCKLED);
        Self { buckled: Some([stiffness(fabric.bend_warp), stiffness(fabric.bend_weft)]), ..self }
    }

    /// How much longer the threads are than they look at these strains, because they have buckled, the energy per area of that [J/m²],
    /// and the stiffness `(k11, k22, k12)` that is left [N/m].
    fn slack(&self, e1: f64, e2: f64) -> ([f64; 2], f64, [f64; 3]) {
        let (k11, k22, k12) = (self.k11, self.k22, self.k12);
        let (s1, s2) = (k11 * e1 + k12 * e2, k12 * e1 + k22 * e2);
        let Some([b1, b2]) = self.buckled.filter(|_| s1 < 0.0 || s2 < 0.0) else {
            return ([0.0; 2], 0.0, [k11, k22, k12]);
        };
        let (m1, m2) = (k11 + b1, k22 + b2);
        // One alone or both: `w` is where `m w + s` is zero, and must leave no compression where it is zero. One of them does.
        let (w1, w2) = (-s1 / m1, -s2 / m2);
        if w1 > 0.0 && s2 + k12 * w1 >= 0.0 {
            let left = [k11 * b1 / m1, k22 - k12 * k12 / m1, k12 * b1 / m1];
            return ([w1, 0.0], 0.5 * b1 * w1 * w1, left);
        }
        if w2 > 0.0 && s1 + k12 * w2 >= 0.0 {
            let left = [k11 - k12 * k12 / m2, k22 * b2 / m2, k12 * b2 / m2];
            return ([0.0, w2], 0.5 * b2 * w2 * w2, left);
        }
        let det = m1 * m2 - k12 * k12;
        let (w1, w2) = ((k12 * s2 - m2 * s1) / det, (k12 * s1 - m1 * s2) / det);
        // What is left of two springs in a row, `(k⁻¹ + b⁻¹)⁻¹`.
        let minor = k11 * k22 - k12 * k12;
        let left = [b1 * (minor + k11 * b2) / det, b2 * (minor + k22 * b1) / det, k12 * b1 * b2 / det];
        ([w1, w2], 0.5 * (b1 * w1 * w1 + b2 * w2 * w2), left)
    }

    /// Stiffness by small Green strains `(E11, E22, 2 E12)`: what viscosity is measured in [N/m].
    pub fn small_strain_stiffness(&self) -> [[f64; 3]; 3] {
        [[self.k11, self.k12, 0.0], [self.k12, self.k22, 0.0], [0.0, 0.0, self.shear]]
    }

    /// Strains `(ε1, ε2, γ)` of the metric `c`.
    pub fn strains(&self, c: [f64; 3]) -> [f64; 3] {
        match self.measure {
            StrainMeasure::Corotational => {
                let [p, q, r] = c;
                let (_, big_j) = rounded_j(c);
                let t = (p + q + 2.0 * big_j).sqrt();
                [(p + big_j) / t - 1.0, (q + big_j) / t - 1.0, 2.0 * r / t]
            }
            StrainMeasure::Threads => threads(c).value,
        }
    }

    /// Energy per area at the metric `c` [J/m²].
    pub fn energy(&self, c: [f64; 3]) -> f64 {
        self.of_strains(self.strains(c)).0
    }

    /// Energy, stresses and stiffnesses by the strains.
    fn of_strains(&self, [e1, e2, g]: [f64; 3]) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        let [[more1, load1, stiff1], [more2, load2, stiff2]] =
            [self.tension[0].beyond_the_line(e1), self.tension[1].beyond_the_line(e2)];
        let ([w1, w2], buckling, [k11, k22, k12]) = self.slack(e1, e2);
        let (t1, t2) = (e1 + w1, e2 + w2);
        let energy = 0.5 * (self.k11 * t1 * t1 + self.k22 * t2 * t2 + self.shear * g * g)
            + self.k12 * t1 * t2
            + buckling
            + (more1 + more2);
        let stress = [self.k11 * t1 + self.k12 * t2 + load1, self.k12 * t1 + self.k22 * t2 + load2, self.shear * g];
        let stiffness = [[k11 + stiff1, k12, 0.0], [k12, k22 + stiff2, 0.0], [0.0, 0.0, self.shear]];
        (energy, stress, stiffness)
    }

    /// Stresses `(s1, s2, t)` per width that belong to [`MembraneLaw::strains`] [N/m].
    pub fn stresses(&self, c: [f64; 3]) -> [f64; 3] {
        self.of_strains(self.strains(c)).1
    }

    /// Value and derivatives at the metric `c`.
    pub fn value(&self, c: [f64; 3]) -> LawValue {
        let Strains { value, first, second } = match self.measure {
            StrainMeasure::Corotational => corotational(c),
            StrainMeasure::Threads => threads(c),
        };
        let (energy, stress, stiffness) = self.of_strains(value);
        let mut result = LawValue { energy, ..LawValue::default() };
        // Shear is not coupled with tension.
        let [[k11, k12, _], [_, k22, _], [_, _, shear]] = stiffness;
        let pulled: [[f64; 3]; 3] = [
            std::array::from_fn(|j| k11 * first[0][j] + k12 * first[1][j]),
            std::array::from_fn(|j| k12 * first[0][j] + k22 * first[1][j]),
            std::array::from_fn(|j| shear * first[2][j]),
        ];
        for i in 0..3 {
            result.gradient[i] = (0..3).map(|k| stress[k] * first[k][i]).sum();
            for j in i..3 {
                let material = (0..3).map(|k| first[k][i] * pulled[k][j]).sum::<f64>();
                let bent: f64 = (0..3).map(|k| stress[k] * second[k][i][j]).sum();
                result.definite[i][j] = material;
                result.definite[j][i] = material;
                result.hessian[i][j] = material + bent;
                result.hessian[j][i] = material + bent;
            }
        }
        result
    }
}

/// `j = √(det C + δ²)` and `J = j − (√(1 + δ²) − 1)`; a rounded negative determinant counts as zero.
#[inline]
fn rounded_j([p, q, r]: [f64; 3]) -> (f64, f64) {
    let j = ((p * q - r * r).max(0.0) + DELTA * DELTA).sqrt();
    (j, j - ((1.0 + DELTA * DELTA).sqrt() - 1.0))
}

/// Strains in the frame of the polar decomposition.
#[inline]
fn corotational([p, q, r]: [f64; 3]) -> Strains {
    let (j, big_j) = rounded_j([p, q, r]);
    let (i1, i3) = (1.0 / j, 1.0 / (j * j * j));
    let dj = [0.5 * q * i1, 0.5 * p * i1, -r * i1];
    let (pp, qq, rr) = (-0.25 * q * q * i3, -0.25 * p * p * i3, -i1 - r * r * i3);
    let (pq, pr, qr) = (0.5 * i1 - 0.25 * p * q * i3, 0.5 * q * r * i3, 0.5 * p * r * i3);
    let ddj = [[pp, pq, pr], [pq, qq, qr], [pr, qr, rr]];

    let t = (p + q + 2.0 * big_j).sqrt();
    let trace = [1.0, 1.0, 0.0];
    let dt: [f64; 3] = std::array::from_fn(|i| (trace[i] + 2.0 * dj[i]) / (2.0 * t));

    let numerator = [p + big_j, q + big_j, 2.0 * r];
    let own = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]];
    let with_j = [1.0, 1.0, 0.0];
    let u: [f64; 3] = numerator.map(|n| n / t);
    let first: [[f64; 3]; 3] =
        std::array::from_fn(|k| std::array::from_fn(|i| (own[k][i] + with_j[k] * dj[i] - u[k] * dt[i]) / t));
    let mut second = [[[0.0; 3]; 3]; 3];
    for i in 0..3 {
        for l in i..3 {
            let ddt = (ddj[i][l] - dt[i] * dt[l]) / t;
            for k in 0..3 {
                let value = (with_j[k] * ddj[i][l] - first[k][i] * dt[l] - first[k][l] * dt[i] - u[k] * ddt) / t;
                second[k][i][l] = value;
                second[k][l][i] = value;
            }
        }
    }
    Strains { value: [u[0] - 1.0, u[1] - 1.0, u[2]], first, second }
}

/// Strains of the threads and the change of the angle between them.
fn threads([p, q, r]: [f64; 3]) -> Strains {
    // Threads shorter than a thousandth of their rest length have no direction: their length is rounded off there.
    let (p, q) = (p + DELTA * DELTA, q + DELTA * DELTA);
    let shift = (1.0 + DELTA * DELTA).sqrt();
    let (a, b) = (p.sqrt(), q.sqrt());
    let mut first = [[0.0; 3]; 3];
    let mut second = [[[0.0; 3]; 3]; 3];
    (first[0][0], first[1][1]) = (0.5 / a, 0.5 / b);
    (second[0][0][0], second[1][1][1]) = (-0.25 / (a * p), -0.25 / (b * q));

    // γ = arcsin s, s = r/(a b); beyond ±0.99, where threads lie on each other, it goes on as a straight line.
    let n = 1.0 / (a * b);
    let s = r * n;
    let ds = [-0.5 * s / p, -0.5 * s / q, n];
    let dds = [
        [0.75 * s / (p * p), 0.25 * s / (p * q), -0.5 * n / p],
        [0.25 * s / (p * q), 0.75 * s / (q * q), -0.5 * n / q],
        [-0.5 * n / p, -0.5 * n / q, 0.0],
    ];
    let within = s.clamp(-0.99, 0.99);
    let slope = 1.0 / (1.0 - within * within).sqrt();
    let bend = if within == s { s * slope * slope * slope } else { 0.0 };
    for i in 0..3 {
        first[2][i] = slope * ds[i];
        for j in 0..3 {
            second[2][i][j] = slope * dds[i][j] + bend * ds[i] * ds[j];
        }
    }
    Strains { value: [a - shift, b - shift, within.asin() + slope * (s - within)], first, second }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::REFERENCE_LOAD;
    use proptest::prelude::*;

    fn fabric() -> Fabric {
        Fabric {
            stretch_warp: 2000.0,
            stretch_weft: 700.0,
            poisson: 0.3,
            shear: 150.0,
            linearity_warp: 0.8,
            linearity_weft: 0.7,
            ..Fabric::default()
        }
    }

    impl MembraneLaw {
        /// Which threads buckle, and which are stretched, at these strains.
        fn kind_of(&self, [e1, e2, _]: [f64; 3]) -> [bool; 4] {
            let ([w1, w2], ..) = self.slack(e1, e2);
            [w1 > 0.0, w2 > 0.0, e1 > 0.0, e2 > 0.0]
        }
    }

    /// The metric of the singular values `a`, `b` turned by `angle` in the flat shape.
    fn metric(a: f64, b: f64, angle: f64) -> [f64; 3] {
        let (s, c) = angle.sin_cos();
        let (a, b) = (a * a, b * b);
        [c * c * a + s * s * b, s * s * a + c * c * b, c * s * (a - b)]
    }

    proptest! {
        #[test]
        fn derivatives_match_differences(
            a in 0.3..1.6, b in 0.3..1.6, angle in 0.0..3.0, threads in any::<bool>(), buckling in any::<bool>(),
        ) {
            let measure = if threads { StrainMeasure::Threads } else { StrainMeasure::Corotational };
            let stiff = MembraneLaw::new(&fabric(), measure);
            let law = if buckling { stiff.buckling(&fabric(), 1e-6) } else { stiff };
            let c = metric(a, b, angle);
            let value = law.value(c);
            let scale = 2000.0;
            // Where a thread begins to buckle, stiffness jumps.
            let near = |d: [f64; 3]| { let e = law.strains([c[0] + d[0], c[1] + d[1], c[2] + d[2]]); law.kind_of(e) };
            let steps = [[1e-5, 0.0, 0.0], [0.0, 1e-5, 0.0], [0.0, 0.0, 1e-5]];
            prop_assume!(steps.iter().all(|d| near(*d) == near(d.map(|d| -d))));
            for i in 0..3 {
                let h = 1e-5;
                let moved = |d: f64| { let mut c = c; c[i] += d; law.value(c) };
                let (up, down) = (moved(h), moved(-h));
                prop_assert!(((up.energy - down.energy) / (2.0 * h) - value.gradient[i]).abs() < 1e-6 * scale);
                for j in 0..3 {
                    let numeric = (up.gradient[j] - down.gradient[j]) / (2.0 * h);
                    prop_assert!((numeric - value.hessian[i][j]).abs() < 1e-6 * scale * (1.0 + value.hessian[i][j].abs() / scale));
                }
            }
        }

        #[test]
        fn slack_is_what_costs_least(e1 in -0.1..0.1_f64, e2 in -0.1..0.1_f64) {
            let law = MembraneLaw::new(&fabric(), StrainMeasure::Threads).buckling(&fabric(), 1e-6);
            let [b1, b2] = law.buckled.expect("it buckles");
            let ([w1, w2], buckling, _) = law.slack(e1, e2);
            let cost = |w1: f64, w2: f64| {
                let (t1, t2) = (e1 + w1, e2 + w2);
                0.5 * (law.k11 * t1 * t1 + law.k22 * t2 * t2 + b1 * w1 * w1 + b2 * w2 * w2) + law.k12 * t1 * t2
            };
            prop_assert!(w1 >= 0.0 && w2 >= 0.0 && buckling >= 0.0);
            // The cost is convex: nothing around is cheaper.
            for (d1, d2) in [(1e-4, 0.0), (-1e-4, 0.0), (0.0, 1e-4), (0.0, -1e-4), (1e-4, 1e-4), (1e-4, -1e-4), (-1e-4, 1e-4)] {
                let (v1, v2) = (w1 + d1, w2 + d2);
                prop_assert!(v1 < 0.0 || v2 < 0.0 || cost(v1, v2) >= cost(w1, w2));
            }
            prop_assert!((law.of_strains([e1, e2, 0.0]).0 - cost(w1, w2)
                - law.tension[0].beyond_the_line(e1)[0] - law.tension[1].beyond_the_line(e2)[0]).abs() < 1e-9);
        }

        #[test]
        fn polar_strains_match_the_eigenvectors(a in 0.2..2.0, b in 0.2..2.0, angle in 0.0..3.0_f64) {
            let law = MembraneLaw::new(&fabric(), StrainMeasure::Corotational);
            let [e1, e2, g] = law.strains(metric(a, b, angle));
            let (s, c) = angle.sin_cos();
            prop_assert!((e1 + 1.0 - (c * c * a + s * s * b)).abs() < 2e-5);
            prop_assert!((e2 + 1.0 - (s * s * a + c * c * b)).abs() < 2e-5);
            prop_assert!((g - 2.0 * c * s * (a - b)).abs() < 2e-5);
        }
    }

    #[test]
    fn rest_is_free_of_stress_to_the_last_bits() {
        for measure in [StrainMeasure::Corotational, StrainMeasure::Threads] {
            let value = MembraneLaw::new(&fabric(), measure).value([1.0, 1.0, 0.0]);
            assert!(value.energy < 1e-20 && value.gradient.iter().all(|g| g.abs() < 1e-10), "{value:?}");
        }
    }

    #[test]
    fn sheared_trellis_strains_no_thread() {
        let sheared = [1.0, 1.0, 0.5];
        let threads = MembraneLaw::new(&fabric(), StrainMeasure::Threads).strains(sheared);
        assert!(threads[0].abs() < 1e-6 && (threads[2] - 30_f64.to_radians()).abs() < 1e-6);
        let polar = MembraneLaw::new(&fabric(), StrainMeasure::Corotational).strains(sheared);
        assert!((polar[0] + 0.0341).abs() < 1e-4, "the polar frame sees {}", polar[0]);
    }

    #[test]
    fn linearity_and_secant_stiffness_are_read_back() {
        let fabric = fabric();
        let law = MembraneLaw::new(&fabric, StrainMeasure::Corotational);
        let load = |e: f64| {
            let lateral = 1.0 - fabric.poisson * e;
            law.stresses([(1.0 + e) * (1.0 + e), lateral * lateral, 0.0])
        };
        let emt = REFERENCE_LOAD / fabric.stretch_warp;
        let [s1, s2, _] = load(emt);
        assert!((s1 / REFERENCE_LOAD - 1.0).abs() < 1e-6 && s2.abs() < 1e-3, "{s1} {s2}");
        let n = 1000;
        let work: f64 =
            (0..n).map(|k| load(emt * (f64::from(k) + 0.5) / f64::from(n))[0]).sum::<f64>() * emt / f64::from(n);
        assert!((work / (0.5 * REFERENCE_LOAD * emt) - 0.8).abs() < 1e-4);
    }

    #[test]
    fn collapsed_triangles_stay_finite() {
        for measure in [StrainMeasure::Corotational, StrainMeasure::Threads] {
            let law = MembraneLaw::new(&fabric(), measure);
            for c in [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1e-20, 1e6, 0.0]] {
                let value = law.value(c);
                assert!(value.energy.is_finite() && value.hessian.iter().flatten().all(|h| h.is_finite()), "{value:?}");
            }
        }
    }
}
