//! [`Stage`]: the nonlinear system of an implicit step, the same for all methods.
//!
//! All of them look for positions `z` with
//!
//! ```text
//! a M (z − ẑ) = f(z, b (z − z_r)),      a = b²,      then x = z, v = b (z − z_r)
//! ```
//!
//! | method | `b` | `z_r` | `ẑ` |
//! |---|---|---|---|
//! | implicit Euler | `1/h` | `x0` | `x0 + v0/b` |
//! | BDF2 | `α/h` | `−(β x0 + γ x₋)/α` | `z_r + v_r/b` |
//! | SDIRK2, first stage | `1/(γ h)` | `x0` | `x0 + v0/b` |
//! | SDIRK2, last stage | `1/(γ h)` | `−√2 x0 + (1 + √2) x̃` | `z_r + v_r/b` |
//!
//! with `v_r` made of velocities as `z_r` of positions.
//!
//! **BDF2** for unequal steps, `ω = h/h₋`: `α = (1 + 2ω)/(1 + ω)`, `β = −(1 + ω)`, `γ = ω²/(1 + ω)`. For equal steps `b = 3/(2h)`.
//!
//! **SDIRK2** is the method of two stages of Alexander 1977 with `γ = 1 − 1/√2`: of second order, L-stable, and where its last
//! stage ends, the step ends. The first stage leads to `x̃`, `ṽ` after `γ h`. The last adds `(1 − γ) h` with the rates of the
//! first, `(x̃ − x0)/(γ h)` and `(ṽ − v0)/(γ h)`, so that `z_r = x0 + (1 − γ)/γ (x̃ − x0)`, with `(1 − γ)/γ = 1 + √2`.
//! It needs no step before.
//!
//! **Viscosity** asks for the rate of a measure `C(x)`. All methods give `b (C(z) − C_r)`, with `C_r` made of measures as `z_r` of
//! positions ([`Since`]). That is the method itself, applied to `C`, and keeps its order.
//!
//! **One simple step instead.** Methods of second order take motion for smooth: BDF2 draws a parabola through the last two places
//! of a particle, and the last stage of SDIRK2 goes on with the forces of the first. An impact is not smooth. A particle that
//! a floor has stopped would go on with half its speed, upwards. So a step in which something touches is one of implicit Euler, for
//! all particles: momentum that particles of different methods exchange would not be kept. Particles without a step before
//! ([`History::forget`]) take such a step in BDF2 too, with their own `a` and `b`. One such step has an error of order 2, so that
//! the whole keeps its order.

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
    /// Where the step before began or the first stage ended, and its weight, for methods that know such a place.
    pub other: Option<(&'a [DVec3], f64)>,
    /// Rate [1/s].
    pub rate: f64,
}

impl<'a> Since<'a> {
    /// Changes since `x` [m].
    pub fn start(x: &'a [DVec3], rate: f64) -> Self {
        Self { start: (x, 1.0), other: None, rate }
    }

    /// The weighted sum of what `measure` finds.
    #[inline]
    pub fn sum<const N: usize>(&self, measure: impl Fn(&[DVec3]) -> [f64; N]) -> [f64; N] {
        let (x, weight) = self.start;
        let mut sum = measure(x).map(|value| weight * value);
        if let Some((x, weight)) = self.other {
            let other = measure(x);
            (0..N).for_each(|k| sum[k] += weight * other[k]);
        }
        sum
    }
}

/// `γ` of SDIRK2: the share of the step that its first stage covers.
const GAMMA: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;

/// The system of one implicit step, or of one stage of it.
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
    /// Weights in `z_r`: of the start of the step, and of the other place that the method knows.
    weights: [f64; 2],
    /// Whether it is the first stage of two.
    is_first: bool,
}

impl Stage {
    /// Prepares a step of length `h` from `x`, `v`, or its first stage. `is_touched`: something touches, so that all particles take
    /// one step of implicit Euler.
    pub fn prepare(
        &mut self,
        integrator: Integrator,
        x: &[DVec3],
        v: &[DVec3],
        history: &History,
        is_touched: bool,
        h: f64,
    ) {
        self.is_first = integrator == Integrator::Sdirk2 && !is_touched;
        self.go_from(x, v, if self.is_first { GAMMA * h } else { h });
        if integrator != Integrator::Bdf2 || history.x.len() != x.len() {
            return;
        }
        if is_touched || (0..x.len()).all(|i| !history.has(i, x[i], v[i])) {
            return;
        }
        let w = h / history.h;
        let (alpha, beta, gamma) = ((1.0 + 2.0 * w) / (1.0 + w), -(1.0 + w), w * w / (1.0 + w));
        self.weights = [-beta / alpha, -gamma / alpha];
        self.b = alpha / h;
        for i in 0..x.len() {
            if history.has(i, x[i], v[i]) {
                self.rate[i] = self.b;
                self.measure_from(i, [x[i], history.x[i]], [v[i], history.v[i]]);
            }
        }
    }

    /// Whether it is the first stage of two; [`Stage::prepare_last`] makes it the last.
    pub(crate) fn is_first(&self) -> bool {
        self.is_first
    }

    /// Prepares the last stage of the step from `x`, `v`, after the first has ended at `middle`, `speeds`.
    pub fn prepare_last(&mut self, x: &[DVec3], v: &[DVec3], middle: &[DVec3], speeds: &[DVec3]) {
        self.is_first = false;
        let on = (1.0 - GAMMA) / GAMMA;
        self.weights = [1.0 - on, on];
        for i in 0..x.len() {
            self.measure_from(i, [x[i], middle[i]], [v[i], speeds[i]]);
        }
    }

    /// One step of implicit Euler from `x`, `v`.
    fn go_from(&mut self, x: &[DVec3], v: &[DVec3], h: f64) {
        self.weights = [1.0, 0.0];
        self.b = 1.0 / h;
        self.rate.clear();
        self.rate.resize(x.len(), self.b);
        self.reference.clear();
        self.reference.extend_from_slice(x);
        self.predicted.clear();
        self.predicted.extend(x.iter().zip(v).map(|(x, v)| *x + *v * h));
    }

    /// Makes `z_r` and `ẑ` of particle `i` of two places, with the weights at hand.
    fn measure_from(&mut self, i: usize, x: [DVec3; 2], v: [DVec3; 2]) {
        let mean = |[one, other]: [DVec3; 2]| self.weights[0] * one + self.weights[1] * other;
        let (reference, speed) = (mean(x), mean(v));
        self.reference[i] = reference;
        self.predicted[i] = reference + speed / self.b;
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

    /// What viscosity measures changes since, of a step from `x`. `other`: the other place that the method knows.
    pub(crate) fn since<'a>(&self, x: &'a [DVec3], other: &'a [DVec3]) -> Since<'a> {
        let [now, weight] = self.weights;
        Since { start: (x, now), other: (weight != 0.0).then_some((other, weight)), rate: self.b }
    }

    /// The `z` of a particle that goes straight from `start` to `end` in the whole step.
    pub fn held(&self, start: DVec3, end: DVec3) -> DVec3 {
        if self.is_first { start.lerp(end, GAMMA) } else { end }
    }

    /// Positions and velocities where it ends, from the solution `z`.
    pub fn finish(&self, z: &[DVec3], x: &mut [DVec3], v: &mut [DVec3]) {
        let lists = x.iter_mut().zip(v).zip(z).zip(&self.reference).zip(&self.rate);
        for ((((x, v), z), r), b) in lists {
            *x = *z;
            *v = (*z - *r) * *b;
        }
    }
}
