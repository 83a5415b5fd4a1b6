//! Explicit steps: symplectic Euler, Verlet, Runge–Kutta.
//!
//! They are stable only while `h ω < 2` for the fastest vibration `ω` of the mesh (2.8 for Runge–Kutta), with a viscosity `D`
//! that is a step late while `h² K + 2 h D < 4 m` in every direction. Row sums bound both matrices (Gershgorin), so
//! [`stable_step`] finds the longest step from the assembled Hessian without and with viscosity; a longer step is cut into equal
//! parts. The bound is on the safe side by about a factor 1.5.

use toile_mesh::{DMat3, DVec3};

use super::{Integrator, Loads};
use crate::linear::System;

/// Forces at positions and velocities.
pub(crate) trait Forces {
    /// Accelerations at `x`, `v` into `a` [m/s²]; zero for held particles.
    fn accelerations(&mut self, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]);
}

/// Memory of explicit steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Explicit {
    a: Vec<DVec3>,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    slopes: [[Vec<DVec3>; 2]; 4],
}

impl Explicit {
    /// One step of length `h`.
    pub(crate) fn step(
        &mut self,
        integrator: Integrator,
        forces: &mut impl Forces,
        x: &mut [DVec3],
        v: &mut [DVec3],
        h: f64,
    ) {
        self.a.resize(x.len(), DVec3::ZERO);
        match integrator {
            Integrator::Rk4 => self.runge_kutta(forces, x, v, h),
            Integrator::Verlet => {
                forces.accelerations(x, v, &mut self.a);
                for ((x, v), a) in x.iter_mut().zip(&mut *v).zip(&self.a) {
                    *v += *a * (0.5 * h);
                    *x += *v * h;
                }
                forces.accelerations(x, v, &mut self.a);
                for (v, a) in v.iter_mut().zip(&self.a) {
                    *v += *a * (0.5 * h);
                }
            }
            _ => {
                forces.accelerations(x, v, &mut self.a);
                for ((x, v), a) in x.iter_mut().zip(&mut *v).zip(&self.a) {
                    *v += *a * h;
                    *x += *v * h;
                }
            }
        }
    }

    fn runge_kutta(&mut self, forces: &mut impl Forces, x: &mut [DVec3], v: &mut [DVec3], h: f64) {
        const PART: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
        const WEIGHT: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
        for (k, part) in PART.into_iter().enumerate() {
            self.x.clear();
            self.v.clear();
            if k == 0 {
                self.x.extend_from_slice(x);
                self.v.extend_from_slice(v);
            } else {
                let [dx, dv] = &self.slopes[k - 1];
                self.x.extend(x.iter().zip(dx).map(|(x, d)| *x + *d * (part * h)));
                self.v.extend(v.iter().zip(dv).map(|(v, d)| *v + *d * (part * h)));
            }
            forces.accelerations(&self.x, &self.v, &mut self.a);
            let [dx, dv] = &mut self.slopes[k];
            dx.clone_from(&self.v);
            dv.clone_from(&self.a);
        }
        for (slopes, weight) in self.slopes.iter().zip(WEIGHT) {
            for i in 0..x.len() {
                x[i] += slopes[0][i] * (weight * h);
                v[i] += slopes[1][i] * (weight * h);
            }
        }
    }
}

/// Sums of the sizes of each row's entries [N/m], into `sums`.
pub(crate) fn row_sums(system: &System, sums: &mut Vec<f64>) {
    let norm = |m: &DMat3| (0..3).map(|k| m.row(k).abs().element_sum()).fold(0.0, f64::max);
    sums.clear();
    sums.extend((0..system.rows()).map(|i| {
        let blocks: f64 = system.blocks.values[system.blocks.row(i)].iter().map(norm).sum();
        let scalars: f64 = system.scalars.values[system.scalars.row(i)].iter().map(|s| s.abs()).sum();
        blocks + scalars
    }));
}

/// Longest stable step [s], from the row sums of the Hessian without viscosity [N/m] and with that of a rate of 1 1/s: the root of
/// `h² k + 2 h d = 4 m` of the worst row. Infinite without stiffness.
pub(crate) fn stable_step(still: &[f64], moving: &[f64], mass: &[f64], inverse_mass: &[f64], loads: &Loads<'_>) -> f64 {
    let mut longest = f64::INFINITY;
    for (i, _) in inverse_mass.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        let (k, m) = (still[i], mass[i]);
        let drag =
            loads.damping.get(i).map_or(0.0, |d| (0..3).map(|k| d.row(k).abs().element_sum()).fold(0.0, f64::max));
        let d = (moving[i] - k).max(0.0) + drag;
        // The root in the form that does not cancel.
        longest = longest.min(4.0 * m / (d + (d * d + 4.0 * m * k).sqrt()));
    }
    longest
}
