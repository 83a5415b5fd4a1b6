//! Explicit steps: symplectic Euler, Verlet, Runge–Kutta.
//!
//! They are stable only while `h ω < 2` for the fastest vibration `ω` of the mesh (2.8 for Runge–Kutta). `ω²` is at most the
//! largest row sum of `|K|/m` (Gershgorin), so [`stable_step`] bounds the step from the assembled Hessian; a longer
//! step is cut into equal parts. The bound is on the safe side by about a factor 1.5.

use toile_mesh::DVec3;

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

/// Longest stable step [s] for the Hessian in `system`; infinite without stiffness.
pub(crate) fn stable_step(system: &System, inverse_mass: &[f64], loads: &Loads<'_>) -> f64 {
    let mut fastest = 0.0_f64;
    for (i, &w) in inverse_mass.iter().enumerate() {
        if w == 0.0 {
            continue;
        }
        let norm = |m: toile_mesh::DMat3| (0..3).map(|k| m.row(k).abs().element_sum()).fold(0.0, f64::max);
        let blocks: f64 = system.blocks.row(i).map(|k| norm(system.blocks.values[k])).sum();
        let scalars: f64 = system.scalars.row(i).map(|k| system.scalars.values[k].abs()).sum();
        fastest = fastest.max((blocks + scalars) * w);
        // A drag alone is stable for h d/m < 2; as a frequency this is (d/m)².
        if let Some(d) = loads.damping.get(i) {
            fastest = fastest.max((norm(*d) * w).powi(2));
        }
    }
    2.0 / fastest.sqrt()
}
