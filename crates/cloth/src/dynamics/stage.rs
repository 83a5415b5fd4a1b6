//! [`Stage`]: the nonlinear system of one implicit step, the same for all methods.
//!
//! All of them look for positions `z` with
//!
//! ```text
//! a M (z − ẑ) = f(z, b (z − z_r))
//! ```
//!
//! | method | `a` | `ẑ` | `b` | `z_r` | then |
//! |---|---|---|---|---|---|
//! | implicit Euler | `1/h²` | `x0 + h v0` | `1/h` | `x0` | `x1 = z`, `v1 = b (z − z_r)` |
//! | implicit midpoint | `4/h²` | `x0 + ½ h v0` | `2/h` | `x0` | `x1 = 2 z − x0`, `v1 = 2 b (z − z_r) − v0` |
//! | BDF2 | `b²` | `z_r + v_r/b` | `α/h` | `−(β x0 + γ x₋)/α` | `x1 = z`, `v1 = b (z − z_r)` |
//!
//! BDF2 for unequal steps, `ω = h/h₋`: `α = (1 + 2ω)/(1 + ω)`, `β = −(1 + ω)`, `γ = ω²/(1 + ω)`, with `v_r` made of velocities
//! as `z_r` of positions. For equal steps `b = 3/(2h)`.
//!
//! **One step instead of two.** BDF2 draws a parabola through the last two places of a particle. An impact is no parabola: a particle that
//! a floor has stopped would go on with half its speed, upwards. So a step in which something touches is one of implicit Euler, for
//! all particles: momentum that particles of different methods exchange would not be kept. Particles without a step before
//! ([`History::forget`]) take one step as well, with their own `a` and `b`. One such step has an error of order 2, so that the whole keeps its order.

use toile_mesh::DVec3;

use super::Integrator;

/// Positions and velocities of the step before, which BDF2 needs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct History {
    /// Positions [m]; empty if there was no step.
    pub x: Vec<DVec3>,
    /// Velocities [m/s].
    pub v: Vec<DVec3>,
    /// Length of the step that led from there [s].
    pub h: f64,
}

impl History {
    /// Forgets the step before, as after a jump.
    pub fn clear(&mut self) {
        self.x.clear();
        self.v.clear();
        self.h = 0.0;
    }

    /// Forgets the step before of particle `i`, which is now at `x` [m] with the velocity `v` [m/s].
    pub fn forget(&mut self, i: usize, x: DVec3, v: DVec3) {
        self.x[i] = x;
        self.v[i] = v;
    }

    /// Whether particle `i`, now at `x` [m] with the velocity `v` [m/s], has a step before. One that is where it was, as fast as it was, needs none.
    fn has(&self, i: usize, x: DVec3, v: DVec3) -> bool {
        self.x[i] != x || self.v[i] != v
    }

    pub(crate) fn remember(&mut self, x: &[DVec3], v: &[DVec3], h: f64) {
        self.x.clear();
        self.x.extend_from_slice(x);
        self.v.clear();
        self.v.extend_from_slice(v);
        self.h = h;
    }
}

/// What viscosity measures changes since: `Σ w_k C(x_k)` of a measure `C`, and the rate at which they count.
#[derive(Clone, Copy, Debug)]
pub struct Since<'a> {
    /// Where the step begins [m], and its weight.
    pub start: (&'a [DVec3], f64),
    /// Where the step before began, and its weight, for methods of two steps.
    pub before: Option<(&'a [DVec3], f64)>,
    /// Rate [1/s].
    pub rate: f64,
}

impl<'a> Since<'a> {
    /// Changes since `x` [m].
    pub fn start(x: &'a [DVec3], rate: f64) -> Self {
        Self { start: (x, 1.0), before: None, rate }
    }

    /// The weighted sum of what `measure` finds.
    #[inline]
    pub fn sum<const N: usize>(&self, measure: impl Fn(&[DVec3]) -> [f64; N]) -> [f64; N] {
        let (x, weight) = self.start;
        let mut sum = measure(x).map(|value| weight * value);
        if let Some((x, weight)) = self.before {
            let before = measure(x);
            (0..N).for_each(|k| sum[k] += weight * before[k]);
        }
        sum
    }
}

/// The system of one implicit step.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Factor of velocities, `b`, of most particles [1/s].
    pub b: f64,
    /// Factor of velocities of each particle [1/s].
    rate: Vec<f64>,
    /// Where particles without forces would be, `ẑ` [m].
    pub predicted: Vec<DVec3>,
    /// What velocities are measured from, `z_r` [m].
    pub reference: Vec<DVec3>,
    /// Weights of the start of the step and of the one before in BDF2.
    weights: [f64; 2],
    midpoint: bool,
    /// Whether the motion before the step is known to have been disturbed, as by a contact or a correction.
    is_disturbed: bool,
}

impl Stage {
    /// Prepares a step of length `h` from `x`, `v`. `is_touched`: something touches, so that all particles take one step instead of two.
    pub fn prepare(
        &mut self,
        integrator: Integrator,
        x: &[DVec3],
        v: &[DVec3],
        history: &History,
        is_touched: bool,
        h: f64,
    ) {
        self.midpoint = integrator == Integrator::ImplicitMidpoint;
        let part = if self.midpoint { 0.5 * h } else { h };
        self.weights = [1.0, 0.0];
        self.is_disturbed = integrator != Integrator::Bdf2;
        self.b = 1.0 / part;
        self.rate.clear();
        self.rate.resize(x.len(), self.b);
        self.reference.clear();
        self.reference.extend_from_slice(x);
        self.predicted.clear();
        self.predicted.extend(x.iter().zip(v).map(|(x, v)| *x + *v * part));
        if integrator != Integrator::Bdf2 || history.x.len() != x.len() {
            return;
        }
        self.is_disturbed = is_touched || (0..x.len()).all(|i| !history.has(i, x[i], v[i]));
        if self.is_disturbed {
            return;
        }
        let w = h / history.h;
        let (alpha, beta, gamma) = ((1.0 + 2.0 * w) / (1.0 + w), -(1.0 + w), w * w / (1.0 + w));
        let [now, before] = [-beta / alpha, -gamma / alpha];
        self.weights = [now, before];
        self.b = alpha / h;
        for i in 0..x.len() {
            if !history.has(i, x[i], v[i]) {
                continue;
            }
            self.rate[i] = self.b;
            self.reference[i] = now * x[i] + before * history.x[i];
            self.predicted[i] = self.reference[i] + (now * v[i] + before * history.v[i]) / self.b;
        }
    }

    /// Whether no particle goes on smoothly from the step before, though there was one, or the method does not care.
    pub(crate) fn is_disturbed(&self) -> bool {
        self.is_disturbed
    }

    /// Factor of the mass of particle `i`, `a` [1/s²].
    #[inline]
    pub fn inertia(&self, i: usize) -> f64 {
        self.rate[i] * self.rate[i]
    }

    /// Factor of the velocity of particle `i`, `b` [1/s].
    #[inline]
    pub fn rate(&self, i: usize) -> f64 {
        self.rate[i]
    }

    /// What viscosity measures changes since, of a step from `x` with the step before in `history`.
    pub(crate) fn since<'a>(&self, x: &'a [DVec3], history: &'a History) -> Since<'a> {
        let [now, before] = self.weights;
        let two = before != 0.0;
        Since { start: (x, now), before: two.then_some((history.x.as_slice(), before)), rate: self.b }
    }

    /// The `z` of a particle that is to be at `end` after the step from `start`.
    pub fn held(&self, start: DVec3, end: DVec3) -> DVec3 {
        if self.midpoint { 0.5 * (start + end) } else { end }
    }

    /// By how much positions at the end of the step move with `z`, and velocities with `b z`.
    pub fn end_scale(&self) -> f64 {
        if self.midpoint { 2.0 } else { 1.0 }
    }

    /// Positions and velocities at the end of the step, from the solution `z` and those at its start.
    pub fn finish(&self, z: &[DVec3], x: &mut [DVec3], v: &mut [DVec3]) {
        let lists = x.iter_mut().zip(v).zip(z).zip(&self.reference).zip(&self.rate);
        for ((((x, v), z), r), b) in lists {
            let rate = (*z - *r) * *b;
            if self.midpoint {
                *x = 2.0 * *z - *x;
                *v = 2.0 * rate - *v;
            } else {
                *x = *z;
                *v = rate;
            }
        }
    }
}
