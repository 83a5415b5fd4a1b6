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
//! **Friction of shear.** Yarns rub on each other where they turn. A spring and a slider in a row (a Jenkin element) act beside `G`:
//! the stress grows with `k_f = HG /` [`SLIP_ANGLE`] until it slips at `HG`, half the measured hysteresis 2HG. Its energy over a
//! step is Huber's function `ψ(u) = ½ k_f u²` of `u = γ − p` while `k_f |u| ≤ HG`, then `HG |u| − HG²/(2 k_f)`, convex in `γ`. The
//! slip angle `p` is kept per triangle and follows after each step ([`MembraneLaw::slide`]), so that `k_f |γ − p| ≤ HG`. A step
//! in which it slips by `Δp` turns `HG |Δp|` to heat; none gives energy back that was not stored.
//!
//! **Buckling.** Nothing but its bending rigidity hinders a compressed thread from giving way sideways. Cloth is therefore never
//! compressed by more than the load of Euler, `N = π² B/l²` for a half wave of length `l` (Choi, Ko 2002). A mesh cannot show
//! waves as short as its triangles, so their law has to. With the stiffness `E1` they would also hinder folds that the mesh does
//! show: the chord of an arc of curvature `κ` is shorter than the arc by the share `(κ l)²/24`. For `l` of 20 mm that costs
//! hundreds of times what bending does. A thread that buckles is therefore longer by a slack `w ≥ 0` than it looks:
//!
//! ```text
//! W(ε) = min over w of W0(ε + w) + φ1(w1) + φ2(w2)
//! ```
//!
//! with `W0` the quadratic part above. Tension is what it was, that across a strip that contracts too; `W` is convex and its
//! stress continuous. `φ` is the work on a strut whose half wave `l` is the edge of an equilateral triangle as large. Its first bend
//! is as high as the fabric is thick, `h`, and shortens it by `ε0`. Under the load `P` the bend is higher by `q` (Southwell 1932):
//!
//! ```text
//! ε0 = (π h/2l)²     q = 1/(1 − P/N)     w = ε0 (q² − 1)     P = N (1 − 1/√(1 + w/ε0))     φ = N ε0 (q − 1)²
//! ```
//!
//! At first the strut resists with `2 B/h²`, on any mesh; then its load nears that of Euler. So triangles of any size compress
//! alike by little, and coarse ones bear less where cloth folds. All cloth of finite elements obeys this law, be it a sheet, a garment
//! or a sample. The viscosity of a thread stays that of a straight one: with less, an A-line skirt of silk or wool had not come to
//! rest after 8 s.

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

/// Shear angle from rest at which yarns begin to slip on each other [rad]: a bit over half of the 0.5° at which KES-F reads 2HG,
/// so that they slip there after a turn at 8°, and `G` is the slope from 0.5° on.
const SLIP_ANGLE: f64 = 0.005;

/// A membrane law with its stiffnesses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MembraneLaw {
    measure: StrainMeasure,
    k11: f64,
    k22: f64,
    k12: f64,
    shear: f64,
    tension: [Tension; 2],
    /// How threads along warp and weft give way.
    struts: [Strut; 2],
    /// Whether they do not give way for now.
    is_straight: bool,
    /// Shear stress at which yarns slip, HG [N/m].
    friction: f64,
    /// Shear angle at which the spring of friction is slack [rad].
    slip: f64,
}

/// A thread that buckles: a strut that is bent a little to begin with.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Strut {
    /// Euler's load [N/m].
    load: f64,
    /// The share of its length by which its first bend shortens it.
    waviness: f64,
}

/// Steps of Newton's method for the slack at most; two or three are usual.
const MOST_STEPS: u32 = 30;
/// Relative step of that method after which its square, which is left, is rounding.
const LAST_STEP: f64 = 1e-8;

impl Strut {
    /// `√(1 + w/ε0)`: how much higher the bend is than to begin with.
    fn growth(self, w: f64) -> f64 {
        (1.0 + w / self.waviness).sqrt()
    }

    /// `N (1 − 1/q)` [N/m].
    fn force(self, w: f64) -> f64 {
        let q = self.growth(w);
        self.load * (w / self.waviness) / (q * (q + 1.0))
    }

    /// Its work, `N ε0 (q − 1)²` [J/m²].
    fn energy(self, w: f64) -> f64 {
        let more = (w / self.waviness) / (self.growth(w) + 1.0);
        self.load * self.waviness * more * more
    }

    /// `N/(2 ε0 q³)` [N/m].
    fn stiffness(self, w: f64) -> f64 {
        self.load / (2.0 * self.waviness * self.growth(w).powi(3))
    }

    /// The slack of a thread of stiffness `k` that would bear `s < 0` without: `s + k w` and the force of the strut cancel. With `w = ε0 (q² − 1)`
    /// that is the cubic `k ε0 q³ + (s + N − k ε0) q = N`, convex where `q > 0`.
    fn slack(self, k: f64, s: f64) -> f64 {
        let cube = k * self.waviness;
        let linear = s + self.load - cube;
        // Without a strut; with it `q` is less, so that the steps come from above.
        let mut q = (1.0 - s / cube).sqrt();
        for _ in 0..MOST_STEPS {
            let square = cube * q * q;
            let step = ((square + linear) * q - self.load) / (3.0 * square + linear);
            q -= step;
            if step <= LAST_STEP * q {
                break;
            }
        }
        self.waviness * (q * q - 1.0).max(0.0)
    }
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
    /// The law of a fabric, for a triangle of that area [m²]: the larger it is, the less threads bear that buckle in it.
    ///
    /// ```
    /// use toile_cloth::Fabric;
    /// use toile_cloth::element::{MembraneLaw, StrainMeasure};
    /// let law = MembraneLaw::new(&Fabric::default(), StrainMeasure::Threads, 2e-4);
    /// let load = |strain: f64| law.stresses([(1.0 + strain) * (1.0 + strain), 1.0, 0.0])[0];
    /// assert!((load(0.01) - 50.0).abs() < 1e-3);
    /// // Far less than the 50 N/m of threads that stay straight.
    /// assert!(load(-0.01) < 0.0 && load(-0.01) > -0.22);
    /// ```
    pub fn new(fabric: &Fabric, measure: StrainMeasure, area: f64) -> Self {
        let [e1, e2] = fabric.initial_stretch();
        let nu12 = fabric.poisson;
        let nu21 = nu12 * e2 / e1;
        let k = 1.0 / (1.0 - nu12 * nu21);
        // The edge of an equilateral triangle as large, squared.
        let square = 4.0 * area / 3.0_f64.sqrt();
        let first_bend = 0.5 * PI * fabric.thickness;
        let strut =
            |rigidity: f64| Strut { load: PI * PI * rigidity / square, waviness: first_bend * first_bend / square };
        Self {
            measure,
            k11: k * e1,
            k22: k * e2,
            k12: k * nu12 * e2,
            shear: fabric.shear,
            tension: [fabric.tension(0), fabric.tension(1)],
            struts: [strut(fabric.bend_warp), strut(fabric.bend_weft)],
            is_straight: false,
            friction: 0.5 * fabric.hysteresis_shear,
            slip: 0.0,
        }
    }

    /// Keeps threads straight from now on, or lets them buckle again. Straight ones are as stiff as any can become.
    pub fn set_straight(&mut self, is_straight: bool) {
        self.is_straight = is_straight;
    }

    /// Whether its yarns rub on each other as they turn.
    pub fn has_friction(&self) -> bool {
        self.friction > 0.0
    }

    /// Shear angle at which the spring of friction is slack [rad]: what friction between yarns remembers.
    pub fn slip(&self) -> f64 {
        self.slip
    }

    /// Sets the slip angle [rad], as a checkpoint has it.
    pub fn set_slip(&mut self, slip: f64) {
        self.slip = slip;
    }

    /// Lets yarns slip as far as the shear angle of the metric `c`, the end of a step, demands.
    pub fn slide(&mut self, c: [f64; 3]) {
        let [.., angle] = self.strains(c);
        if self.has_friction() && angle.is_finite() {
            self.slip = self.slip.clamp(angle - SLIP_ANGLE, angle + SLIP_ANGLE);
        }
    }

    /// Energy [J/m²], stress [N/m] and stiffness [N/m] of friction at a shear angle [rad].
    fn rub(&self, angle: f64) -> [f64; 3] {
        let (u, spring) = (angle - self.slip, self.friction / SLIP_ANGLE);
        if u.abs() <= SLIP_ANGLE {
            [0.5 * spring * u * u, spring * u, spring]
        } else {
            [self.friction * (u.abs() - 0.5 * SLIP_ANGLE), self.friction.copysign(u), 0.0]
        }
    }

    /// How much longer the threads are than they look at these strains, because they have buckled, the energy per area of that [J/m²],
    /// and the stiffness `(k11, k22, k12)` that is left [N/m].
    fn slack(&self, e1: f64, e2: f64) -> ([f64; 2], f64, [f64; 3]) {
        let (k11, k22, k12) = (self.k11, self.k22, self.k12);
        let (s1, s2) = (k11 * e1 + k12 * e2, k12 * e1 + k22 * e2);
        if self.is_straight || (s1 >= 0.0 && s2 >= 0.0) {
            return ([0.0; 2], 0.0, [k11, k22, k12]);
        }
        let [one, two] = self.struts;
        // One alone, if that leaves no compression across; else the other; else both. One of them does.
        let (mut w1, mut w2) = (0.0, 0.0);
        if s1 < 0.0 {
            w1 = one.slack(k11, s1);
            if s2 + k12 * w1 >= 0.0 {
                let b1 = one.stiffness(w1);
                let m1 = k11 + b1;
                return ([w1, 0.0], one.energy(w1), [k11 * b1 / m1, k22 - k12 * k12 / m1, k12 * b1 / m1]);
            }
        }
        if s2 < 0.0 {
            w2 = two.slack(k22, s2);
            if s1 + k12 * w2 >= 0.0 {
                let b2 = two.stiffness(w2);
                let m2 = k22 + b2;
                return ([0.0, w2], two.energy(w2), [k11 - k12 * k12 / m2, k22 * b2 / m2, k12 * b2 / m2]);
            }
        }
        // More than the slack of each alone is never needed. The forces of struts rise ever more slowly, so that the steps end from below.
        for _ in 0..MOST_STEPS {
            let (f1, f2) = (s1 + k11 * w1 + k12 * w2 + one.force(w1), s2 + k12 * w1 + k22 * w2 + two.force(w2));
            let (m1, m2) = (k11 + one.stiffness(w1), k22 + two.stiffness(w2));
            let det = m1 * m2 - k12 * k12;
            let (d1, d2) = ((k12 * f2 - m2 * f1) / det, (k12 * f1 - m1 * f2) / det);
            (w1, w2) = ((w1 + d1).max(0.0), (w2 + d2).max(0.0));
            if d1.abs() <= LAST_STEP * w1 && d2.abs() <= LAST_STEP * w2 {
                break;
            }
        }
        let (b1, b2) = (one.stiffness(w1), two.stiffness(w2));
        let (m1, m2) = (k11 + b1, k22 + b2);
        let det = m1 * m2 - k12 * k12;
        // What is left of two springs in a row, `(k⁻¹ + b⁻¹)⁻¹`.
        let minor = k11 * k22 - k12 * k12;
        let left = [b1 * (minor + k11 * b2) / det, b2 * (minor + k22 * b1) / det, k12 * b1 * b2 / det];
        ([w1, w2], one.energy(w1) + two.energy(w2), left)
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
        let [rubbed, friction, spring] = self.rub(g);
        let (t1, t2) = (e1 + w1, e2 + w2);
        let energy = 0.5 * (self.k11 * t1 * t1 + self.k22 * t2 * t2 + self.shear * g * g)
            + self.k12 * t1 * t2
            + buckling
            + (more1 + more2)
            + rubbed;
        let tensions = [self.k11 * t1 + self.k12 * t2 + load1, self.k12 * t1 + self.k22 * t2 + load2];
        let stress = [tensions[0], tensions[1], self.shear * g + friction];
        let stiffness = [[k11 + stiff1, k12, 0.0], [k12, k22 + stiff2, 0.0], [0.0, 0.0, self.shear + spring]];
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
        /// Which threads buckle, which are stretched, and whether yarns slip, at these strains.
        pub(in crate::element) fn kind_of(&self, [e1, e2, angle]: [f64; 3]) -> [bool; 5] {
            let ([w1, w2], ..) = self.slack(e1, e2);
            [w1 > 0.0, w2 > 0.0, e1 > 0.0, e2 > 0.0, (angle - self.slip).abs() > SLIP_ANGLE]
        }
    }

    /// So small that threads that have buckled are not much softer than straight ones [m²].
    const AREA: f64 = 1e-6;

    /// The metric of the singular values `a`, `b` turned by `angle` in the flat shape.
    fn metric(a: f64, b: f64, angle: f64) -> [f64; 3] {
        let (s, c) = angle.sin_cos();
        let (a, b) = (a * a, b * b);
        [c * c * a + s * s * b, s * s * a + c * c * b, c * s * (a - b)]
    }

    proptest! {
        #[test]
        fn derivatives_match_differences(
            a in 0.3..1.6, b in 0.3..1.6, angle in 0.0..3.0, threads in any::<bool>(), area in 1e-8..1e-3,
        ) {
            let measure = if threads { StrainMeasure::Threads } else { StrainMeasure::Corotational };
            let law = MembraneLaw::new(&fabric(), measure, area);
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
            let law = MembraneLaw::new(&fabric(), StrainMeasure::Threads, AREA);
            let [one, two] = law.struts;
            let ([w1, w2], buckling, _) = law.slack(e1, e2);
            let cost = |w1: f64, w2: f64| {
                let (t1, t2) = (e1 + w1, e2 + w2);
                0.5 * (law.k11 * t1 * t1 + law.k22 * t2 * t2) + law.k12 * t1 * t2 + one.energy(w1) + two.energy(w2)
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
            let law = MembraneLaw::new(&fabric(), StrainMeasure::Corotational, AREA);
            let [e1, e2, g] = law.strains(metric(a, b, angle));
            let (s, c) = angle.sin_cos();
            prop_assert!((e1 + 1.0 - (c * c * a + s * s * b)).abs() < 2e-5);
            prop_assert!((e2 + 1.0 - (s * s * a + c * c * b)).abs() < 2e-5);
            prop_assert!((g - 2.0 * c * s * (a - b)).abs() < 2e-5);
        }
    }

    #[test]
    fn a_strut_bears_what_southwell_says() {
        let strut = Strut { load: 3.0, waviness: 2e-3 };
        for share in [0.01, 0.3, 0.7, 0.95] {
            let growth = 1.0 / (1.0 - share);
            let shortening = strut.waviness * (growth * growth - 1.0);
            assert!((strut.force(shortening) / (share * strut.load) - 1.0).abs() < 1e-12);
            // Work and stiffness are those of that force.
            let d = 1e-6 * shortening;
            let (up, down) = (shortening + d, shortening - d);
            let slope = (strut.energy(up) - strut.energy(down)) / (2.0 * d);
            assert!((slope / strut.force(shortening) - 1.0).abs() < 1e-6);
            let slope = (strut.force(up) - strut.force(down)) / (2.0 * d);
            assert!((slope / strut.stiffness(shortening) - 1.0).abs() < 1e-6);
        }
    }

    /// Small compression costs the same on any mesh; large compression never more than the load of Euler, which coarse triangles have
    /// little of.
    #[test]
    fn threads_buckle_alike_at_first_and_bear_no_more_than_euler() {
        let fabric = Fabric { poisson: 0.0, stretch_warp: 1e6, ..Fabric::default() };
        let first = 2.0 * fabric.bend_warp / fabric.thickness.powi(2);
        for edge in [0.002, 0.01, 0.03_f64] {
            let law = MembraneLaw::new(&fabric, StrainMeasure::Threads, 0.75_f64.sqrt() * 0.5 * edge * edge);
            let load = |strain: f64| -law.of_strains([-strain, 0.0, 0.0]).1[0];
            assert!((load(1e-7) / (1e-7 * first) - 1.0).abs() < 0.01, "{edge}");
            let euler = PI * PI * fabric.bend_warp / (edge * edge);
            assert!(load(0.3) < euler && load(0.5) > 0.6 * euler, "{edge}: {} of {euler}", load(0.5));
        }
    }

    #[test]
    fn rest_is_free_of_stress_to_the_last_bits() {
        for measure in [StrainMeasure::Corotational, StrainMeasure::Threads] {
            let value = MembraneLaw::new(&fabric(), measure, AREA).value([1.0, 1.0, 0.0]);
            assert!(value.energy < 1e-20 && value.gradient.iter().all(|g| g.abs() < 1e-10), "{value:?}");
        }
    }

    #[test]
    fn sheared_trellis_strains_no_thread() {
        let sheared = [1.0, 1.0, 0.5];
        let threads = MembraneLaw::new(&fabric(), StrainMeasure::Threads, AREA).strains(sheared);
        assert!(threads[0].abs() < 1e-6 && (threads[2] - 30_f64.to_radians()).abs() < 1e-6);
        let polar = MembraneLaw::new(&fabric(), StrainMeasure::Corotational, AREA).strains(sheared);
        assert!((polar[0] + 0.0341).abs() < 1e-4, "the polar frame sees {}", polar[0]);
    }

    #[test]
    fn linearity_and_secant_stiffness_are_read_back() {
        let fabric = fabric();
        let law = MembraneLaw::new(&fabric, StrainMeasure::Corotational, AREA);
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
            let law = MembraneLaw::new(&fabric(), measure, AREA);
            for c in [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1e-20, 1e6, 0.0]] {
                let value = law.value(c);
                assert!(value.energy.is_finite() && value.hessian.iter().flatten().all(|h| h.is_finite()), "{value:?}");
            }
        }
    }
}
