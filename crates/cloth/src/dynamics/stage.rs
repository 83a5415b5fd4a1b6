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
//! as `z_r` of positions. Its first step is one of implicit midpoint, which is of order 2 as well. For equal steps `b = 3/(2h)`.

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

    pub(crate) fn remember(&mut self, x: &[DVec3], v: &[DVec3], h: f64) {
        self.x.clear();
        self.x.extend_from_slice(x);
        self.v.clear();
        self.v.extend_from_slice(v);
        self.h = h;
    }
}

/// The system of one implicit step.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Factor of the mass [1/s²].
    pub a: f64,
    /// Factor of velocities [1/s].
    pub b: f64,
    /// Where particles without forces would be, `ẑ` [m].
    pub predicted: Vec<DVec3>,
    /// What velocities are measured from, `z_r` [m].
    pub reference: Vec<DVec3>,
    midpoint: bool,
}

impl Stage {
    /// Prepares a step of length `h` from `x`, `v`.
    pub fn prepare(&mut self, integrator: Integrator, x: &[DVec3], v: &[DVec3], history: &History, h: f64) {
        let two_steps = integrator == Integrator::Bdf2 && history.x.len() == x.len();
        self.midpoint = integrator == Integrator::ImplicitMidpoint || (integrator == Integrator::Bdf2 && !two_steps);
        self.reference.clear();
        self.predicted.clear();
        if two_steps {
            let w = h / history.h;
            let (alpha, beta, gamma) = ((1.0 + 2.0 * w) / (1.0 + w), -(1.0 + w), w * w / (1.0 + w));
            self.b = alpha / h;
            self.a = self.b * self.b;
            let back = |now: &DVec3, before: &DVec3| -(beta * *now + gamma * *before) / alpha;
            self.reference.extend(x.iter().zip(&history.x).map(|(x, y)| back(x, y)));
            let drift = v.iter().zip(&history.v).map(|(v, w)| back(v, w) / self.b);
            self.predicted.extend(self.reference.iter().zip(drift).map(|(z, d)| *z + d));
            return;
        }
        let part = if self.midpoint { 0.5 * h } else { h };
        self.b = 1.0 / part;
        self.a = self.b * self.b;
        self.reference.extend_from_slice(x);
        self.predicted.extend(x.iter().zip(v).map(|(x, v)| *x + *v * part));
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
        for (((x, v), z), r) in x.iter_mut().zip(v).zip(z).zip(&self.reference) {
            let rate = (*z - *r) * self.b;
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
