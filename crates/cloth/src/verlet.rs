//! Verlet integration with damping: Fuhrmann 2003, eq. 14–17.
//!
//! ```text
//! x¹ = x⁰ + c (x⁰ − x⁻¹) + h² f/m          c = damping (1 = none)
//! ```
//!
//! written with the velocity `v = (x⁰ − x⁻¹)/h` of eq. 14, so that the step h may change from one step to the next:
//! `v ← c v + h f/m`, `x¹ = x⁰ + h v`. After the constraints have moved x¹, [`update_velocities`] takes `v` from the
//! positions again; that is what makes position corrections act on the motion.

use rayon::prelude::*;
use toile_mesh::DVec3;

/// The time step that damping factors refer to [s]: Fuhrmann's dt = 0.0083 s.
pub const DAMPING_STEP: f64 = 1.0 / 120.0;

/// External influence during one step, equal for all particles.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct External {
    /// Gravity [m/s²].
    pub gravity: DVec3,
    /// Wind as a force per cloth area [N/m²].
    pub wind: DVec3,
}

/// Moves `x` to its prediction and `v` along: eq. 15 with forces `m g + area · wind`. Held particles stay.
///
/// `damping`: factor on the velocity per [`DAMPING_STEP`]; a step of another length gets the matching power.
pub fn predict(x: &mut [DVec3], v: &mut [DVec3], w: &[f64], area: &[f64], external: External, damping: f64, h: f64) {
    let factor = if damping == 1.0 { 1.0 } else { damping.powf(h / DAMPING_STEP) };
    x.par_chunks_mut(crate::CHUNK).zip(v.par_chunks_mut(crate::CHUNK)).enumerate().for_each(|(chunk, (x, v))| {
        let first = chunk * crate::CHUNK;
        for (i, (x, v)) in x.iter_mut().zip(v).enumerate() {
            let w = w[first + i];
            if w > 0.0 {
                *v = *v * factor + (external.gravity + external.wind * (area[first + i] * w)) * h;
                *x += *v * h;
            }
        }
    });
}

/// Velocities from positions (eq. 14): `v = (x − x_t0)/h` for free particles, zero for held ones.
pub fn update_velocities(x: &[DVec3], x_t0: &[DVec3], v: &mut [DVec3], w: &[f64], h: f64) {
    v.par_chunks_mut(crate::CHUNK).enumerate().for_each(|(chunk, v)| {
        let first = chunk * crate::CHUNK;
        for (i, v) in v.iter_mut().enumerate() {
            let i = first + i;
            *v = if w[i] > 0.0 { (x[i] - x_t0[i]) / h } else { DVec3::ZERO };
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_fall_follows_the_closed_form_of_the_scheme() {
        // From rest, N steps of Verlet drop g h² N(N+1)/2.
        let (h, n, g) = (1.0 / 120.0, 240, -9.81);
        let (mut x, mut v) = ([DVec3::ZERO], [DVec3::ZERO]);
        let external = External { gravity: DVec3::Y * g, wind: DVec3::ZERO };
        for _ in 0..n {
            let x_t0 = x;
            predict(&mut x, &mut v, &[1.0], &[1.0], external, 1.0, h);
            update_velocities(&x, &x_t0, &mut v, &[1.0], h);
        }
        let exact = g * h * h * f64::from(n * (n + 1)) / 2.0;
        assert!((x[0].y - exact).abs() <= 1e-12 * exact.abs());
    }

    #[test]
    fn damping_does_not_depend_on_the_step() {
        let run = |steps: u32| {
            let (mut x, mut v) = ([DVec3::ZERO], [DVec3::X]);
            for _ in 0..steps {
                predict(&mut x, &mut v, &[1.0], &[1.0], External::default(), 0.99, 0.1 / f64::from(steps));
            }
            v[0].x
        };
        assert!((run(12) - 0.99_f64.powi(12)).abs() < 1e-12);
        assert!((run(12) - run(7)).abs() < 1e-12);
    }

    #[test]
    fn wind_pushes_by_area_and_held_particles_stay() {
        let (mut x, mut v) = ([DVec3::ZERO; 2], [DVec3::ZERO; 2]);
        let external = External { gravity: DVec3::ZERO, wind: DVec3::new(3.0, 0.0, 0.0) };
        predict(&mut x, &mut v, &[2.0, 0.0], &[0.5, 0.5], external, 1.0, 0.1);
        // a = area · wind · w = 0.5 · 3 · 2 = 3 m/s².
        assert!((v[0].x - 0.3).abs() < 1e-15 && (x[0].x - 0.03).abs() < 1e-15);
        assert_eq!((x[1], v[1]), (DVec3::ZERO, DVec3::ZERO));
    }
}
