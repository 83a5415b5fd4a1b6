//! Equilibrium: where cloth comes to rest under constant loads.
//!
//! Each step minimizes `E(x) − f·x + |x − x0|²_M / (2 h²)` from rest: implicit Euler with the velocities thrown away (proximal
//! point method). The potential falls in every step however long it is, so `h` doubles while Newton's method has an easy time, and the
//! inertia that keeps the system definite fades out.
//!
//! The end is measured: the forces that are left over, without inertia, accelerate the cloth by less than the tolerance in
//! the mean over its mass.

use std::ops::ControlFlow;

use toile_mesh::DVec3;

use super::{History, Integrator, Loads, Masses, Moving, NewtonSettings, NoContacts, Since, Stepper};

/// When [`Stepper::settle`] ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SettleSettings {
    /// Mean acceleration by forces left over [m/s²].
    pub tolerance: f64,
    /// Steps at most.
    pub most_steps: u32,
    /// First step [s].
    pub first_step: f64,
    /// Longest step [s].
    pub longest_step: f64,
}

impl Default for SettleSettings {
    fn default() -> Self {
        Self { tolerance: 1e-3, most_steps: 400, first_step: 0.02, longest_step: 100.0 }
    }
}

/// How the way to equilibrium ended.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[must_use]
pub struct SettleReport {
    /// Steps taken.
    pub steps: u32,
    /// Mean acceleration by forces left over [m/s²].
    pub residual: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
    /// Newton iterations of all steps.
    pub newton_iterations: u32,
    /// Iterations of the linear solver.
    pub linear_iterations: u32,
    /// Whether the caller broke it off.
    pub cancelled: bool,
}

/// Newton iterations of a step up to which the next one is longer.
const EASY: u32 = 6;

impl Stepper {
    /// Moves `x` to an equilibrium; particles with an inverse mass of zero stay.
    pub fn settle(
        &mut self,
        x: &mut [DVec3],
        masses: Masses<'_>,
        loads: &Loads<'_>,
        settings: &SettleSettings,
    ) -> SettleReport {
        self.settle_each(x, masses, loads, settings, &mut || ControlFlow::Continue(()))
    }

    /// The same; `each` is called before every step. When it breaks, so does the work, and the report states it.
    pub fn settle_each(
        &mut self,
        x: &mut [DVec3],
        masses: Masses<'_>,
        loads: &Loads<'_>,
        settings: &SettleSettings,
        each: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> SettleReport {
        let held = x.to_vec();
        let mut start = x.to_vec();
        let mut v = vec![DVec3::ZERO; x.len()];
        let mut gradient = vec![DVec3::ZERO; x.len()];
        let mut report = SettleReport::default();
        let newton = NewtonSettings {
            tolerance: 0.3 * settings.tolerance,
            most_iterations: 30,
            linear_tolerance: 1e-3,
            most_linear_iterations: 20_000,
            ..NewtonSettings::DEFAULT
        };
        let mut h = settings.first_step;
        loop {
            report.residual = self.unbalanced(x, masses, loads, &mut gradient);
            report.converged = report.residual <= settings.tolerance;
            if report.converged || report.steps >= settings.most_steps || !report.residual.is_finite() {
                return report;
            }
            if each().is_break() {
                report.cancelled = true;
                return report;
            }
            v.fill(DVec3::ZERO);
            let mut history = History::default();
            start.copy_from_slice(x);
            let moving = Moving { x: &mut *x, v: &mut v, history: &mut history };
            let step =
                self.advance(Integrator::ImplicitEuler, moving, &held, masses, loads, &mut NoContacts, &newton, h);
            report.steps += 1;
            report.newton_iterations += step.newton.iterations;
            report.linear_iterations += step.newton.linear_iterations;
            if !step.is_solved {
                x.copy_from_slice(&start);
                h *= 0.5;
            } else if step.newton.iterations <= EASY {
                h = (2.0 * h).min(settings.longest_step);
            }
        }
    }

    /// Mean acceleration by forces left over at rest [m/s²].
    fn unbalanced(&mut self, x: &[DVec3], masses: Masses<'_>, loads: &Loads<'_>, gradient: &mut [DVec3]) -> f64 {
        // Nothing moves, so nothing is viscous.
        self.energies_mut().set_reference(&Since::start(x, 0.0));
        self.energies_mut().gradient(x, gradient);
        let (mut sum, mut total) = (0.0, 0.0);
        for (i, gradient) in gradient.iter().enumerate() {
            let (mass, inverse) = (masses.mass[i], masses.inverse[i]);
            if inverse > 0.0 {
                sum += (*gradient - loads.constant(i, mass)).length_squared() * inverse;
                total += mass;
            }
        }
        (sum / total.max(f64::MIN_POSITIVE)).sqrt()
    }
}
