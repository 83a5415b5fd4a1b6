//! [`LeeField`]: the lee of bodies by tracing the air back to where it came from.
//!
//! The first wind model of Keckeisen et al. 2004 traces particles through the wind: cloth that none of them reaches,
//! since bodies are in the way, lies in the lee. Here the paths are followed backwards, from where the wind is wanted:
//! from a point `p` upstream along the given wind, with steps bounded by the signed distance `d` to bodies. A place on
//! that path at arc length `s` covers `p` by
//!
//! ```text
//! c(s) = smooth(½ − d'(s) / 2σ(s))     σ(s) = min(s, edge + spread · s)     d'(s) = d(s) − min(d(0), 0)
//! ```
//!
//! so a path well inside a body is covered fully, one that passes it at more than σ not at all, and the lee frays out
//! downstream. Close to `p` the width σ shrinks with `s`, which keeps the windward side of a body exposed. Wind that
//! arrives is the fraction
//!
//! ```text
//! T = 1 − deficit · max over s of c(s) (1 − s/recovery)²
//! ```
//!
//! of the given wind: smallest behind the body, growing with distance, complete at the recovery length. Near bodies,
//! within `edge` or a cell, the part of the wind that blows into the surface is taken away besides, so that it slides
//! along.
//!
//! Result: a function of the present state alone, with no particles to keep. Both quantities live on a grid and are
//! interpolated, so they can be refreshed less often than the cloth moves. Cloth is no body: its own distance is zero,
//! and it would shade itself. Not modelled: acceleration beside a body, eddies behind it; take [`Flow`](super::Flow)
//! for those.

use rayon::prelude::*;
use toile_mesh::{Aabb, DVec3};

use super::lattice::{GridError, Lattice, StateMismatch};
use super::wind::Gusts;
use super::{Bodies, smooth_step};

/// Most steps of one path: a bound on time, reached only by paths that creep along a surface.
const MAX_STEPS: usize = 256;

/// How bodies slow the wind behind them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LeeSettings {
    /// Distance behind a body at which the wind has recovered [m]; half of it has at 0.29 of this.
    pub recovery: f64,
    /// Fraction of the wind that is missing directly behind a body, 0 to 1.
    pub deficit: f64,
    /// Half width of the border of the lee [m]; also how close to a body the wind turns along its surface.
    pub edge: f64,
    /// Growth of that half width with the distance behind the body, 0 to 1.
    pub spread: f64,
}

impl Default for LeeSettings {
    fn default() -> Self {
        Self { recovery: 3.0, deficit: 0.95, edge: 0.05, spread: 0.1 }
    }
}

/// Wind behind bodies on a grid.
///
/// ```
/// use toile_cloth::air::{Bodies, Gusts, LeeField, LeeSettings, Wind};
/// use toile_mesh::{Aabb, DVec3};
/// let wind = Gusts::new(Wind { mean: 4.0 * DVec3::X, ..Wind::default() });
/// let bounds = Aabb { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
/// let mut lee = LeeField::new(bounds, 0.1, LeeSettings::default()).unwrap();
/// lee.refresh(&wind, 0.0, Bodies::still(&|p| p.length() - 0.3));
/// assert!(lee.velocity(0.5 * DVec3::X, &wind, 0.0).x < 1.0);
/// assert_eq!(lee.velocity(-0.8 * DVec3::X, &wind, 0.0).x, 4.0);
/// ```
#[derive(Clone, Debug)]
pub struct LeeField {
    lattice: Lattice,
    settings: LeeSettings,
    /// Fraction of the wind that is missing, at each point of the lattice.
    missing: Vec<f64>,
    /// Outward normal of the body nearby, as long as the body turns the wind aside.
    guard: Vec<DVec3>,
}

impl LeeField {
    /// A field over `bounds` with cells of edge length `cell` [m], without bodies until it is refreshed.
    pub fn new(bounds: Aabb, cell: f64, settings: LeeSettings) -> Result<Self, GridError> {
        let lattice = Lattice::centres(bounds, cell)?.corners();
        let n = lattice.len();
        Ok(Self { lattice, settings, missing: vec![0.0; n], guard: vec![DVec3::ZERO; n] })
    }

    /// Traces the wind of time `t` [s] around bodies where they are now.
    pub fn refresh(&mut self, wind: &Gusts, t: f64, bodies: Bodies<'_>) {
        let (lattice, settings) = (self.lattice, self.settings);
        let layer = settings.edge.max(lattice.cell).min(1e6 * lattice.cell);
        let [nx, ny, _] = lattice.dims;
        let rows = self.missing.par_chunks_mut(nx).zip(self.guard.par_chunks_mut(nx));
        rows.enumerate().for_each(|(row, (missing, guard))| {
            for i in 0..nx {
                let p = lattice.point([i, row % ny, row / ny]);
                missing[i] = missing_at(p, wind, t, bodies, &settings);
                guard[i] = guard_at(p, layer, bodies);
            }
        });
    }

    /// Wind at `p` and time `t` [m/s]: the given wind, less what bodies take. Outside the grid the given wind.
    pub fn velocity(&self, p: DVec3, wind: &Gusts, t: f64) -> DVec3 {
        let w = wind.velocity(p, t);
        if !self.lattice.contains(p) {
            return w;
        }
        let w = w * (1.0 - self.lattice.interpolate(&self.missing, p));
        let guard = self.lattice.interpolate(&self.guard, p);
        w - guard * w.dot(guard).min(0.0)
    }

    /// Everything that changes with time, as plain numbers: to be saved where a run stops between two refreshes.
    pub fn state(&self) -> Vec<f64> {
        let nodes = self.missing.iter().zip(&self.guard);
        nodes.flat_map(|(missing, guard)| [*missing, guard.x, guard.y, guard.z]).collect()
    }

    /// Continues from a saved [`LeeField::state`] of the same grid.
    pub fn restore(&mut self, state: &[f64]) -> Result<(), StateMismatch> {
        let expected = 4 * self.missing.len();
        if state.len() != expected {
            return Err(StateMismatch { expected, found: state.len() });
        }
        for (i, values) in state.chunks_exact(4).enumerate() {
            self.missing[i] = values[0];
            self.guard[i] = DVec3::new(values[1], values[2], values[3]);
        }
        Ok(())
    }
}

/// Fraction of the wind that does not arrive at `p`.
fn missing_at(p: DVec3, wind: &Gusts, t: f64, bodies: Bodies<'_>, settings: &LeeSettings) -> f64 {
    let start = (bodies.distance)(p).min(0.0);
    let (recovery, edge) = (settings.recovery, settings.edge.max(0.0));
    if !recovery.is_finite() || recovery <= 0.0 {
        return 0.0;
    }
    let shortest = (0.25 * edge).max(0.002 * recovery);
    let (mut q, mut s, mut lee) = (p, 0.0, 0.0_f64);
    for _ in 0..MAX_STEPS {
        let remaining = 1.0 - s / recovery;
        // Farther places cannot cover more than this one could.
        if remaining <= 0.0 || remaining * remaining <= lee {
            break;
        }
        let d = (bodies.distance)(q) - start;
        // The point itself does not count: where the air comes from decides.
        if s > 0.0 {
            let width = s.min(edge + settings.spread.clamp(0.0, 1.0) * s);
            lee = lee.max(smooth_step(0.5 - 0.5 * d / width) * remaining * remaining);
        }
        let Some(downstream) = wind.velocity(q, t).try_normalize() else { break };
        // Half the distance: coverage is sampled closely where the path passes a body.
        let step = (0.5 * d.abs()).min(0.1 * recovery).max(shortest);
        q -= downstream * step;
        s += step;
    }
    if settings.deficit > 0.0 { lee * settings.deficit.min(1.0) } else { 0.0 }
}

/// The outward normal at `p`, times the square root of the part of the wind into the body that is taken away there.
fn guard_at(p: DVec3, layer: f64, bodies: Bodies<'_>) -> DVec3 {
    let turned = smooth_step(1.0 - (bodies.distance)(p) / layer);
    if turned.is_nan() || turned == 0.0 {
        return DVec3::ZERO;
    }
    let h = 0.1 * layer;
    let slope = |e: DVec3| (bodies.distance)(p + h * e) - (bodies.distance)(p - h * e);
    let normal = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
    normal.normalize_or_zero() * turned.sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::Wind;
    use super::*;

    const R: f64 = 0.25;

    fn wind() -> Gusts {
        Gusts::new(Wind { mean: 4.0 * DVec3::X, ..Wind::default() })
    }

    fn sphere(p: DVec3) -> f64 {
        p.length() - R
    }

    fn behind_sphere() -> LeeField {
        let bounds = Aabb { min: DVec3::new(-1.0, -0.8, -0.8), max: DVec3::new(4.0, 0.8, 0.8) };
        let mut lee = LeeField::new(bounds, 0.1, LeeSettings::default()).unwrap();
        lee.refresh(&wind(), 0.0, Bodies::still(&sphere));
        lee
    }

    #[test]
    fn a_free_stream_is_unchanged() {
        let bounds = Aabb { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let mut lee = LeeField::new(bounds, 0.2, LeeSettings::default()).unwrap();
        let gusty = Gusts::new(Wind { turbulence: 0.7, ..*wind().wind() });
        lee.refresh(&gusty, 1.0, Bodies::none());
        for p in [DVec3::ZERO, DVec3::new(0.3, -0.9, 0.55), DVec3::new(5.0, 0.0, 0.0)] {
            assert_eq!(lee.velocity(p, &gusty, 1.0), gusty.velocity(p, 1.0));
        }
    }

    #[test]
    fn behind_a_sphere_the_wind_is_weak_and_recovers_monotonically() {
        let (lee, wind) = (behind_sphere(), wind());
        let speed = |x: f64| lee.velocity(DVec3::new(x, 0.0, 0.0), &wind, 0.0).length();
        assert!(speed(R + 0.12) < 0.2 * 4.0, "{}", speed(R + 0.12));
        let mut last = 0.0;
        for i in 0..=70 {
            let now = speed(0.4 + 0.05 * f64::from(i));
            assert!(now >= last - 1e-12);
            last = now;
        }
        assert!(last > 0.99 * 4.0, "{last}");
        assert!(speed(1.2) > 0.3 * 4.0 && speed(1.2) < 0.9 * 4.0);
    }

    #[test]
    fn before_and_beside_a_body_the_wind_is_unchanged() {
        let (lee, wind) = (behind_sphere(), wind());
        for p in [DVec3::new(-0.6, 0.0, 0.0), DVec3::new(0.0, 0.6, 0.0), DVec3::new(0.5, 0.0, -0.6)] {
            assert!((lee.velocity(p, &wind, 0.0) - wind.velocity(p, 0.0)).length() < 1e-12, "at {p}");
        }
    }

    #[test]
    fn the_lee_of_a_sphere_is_symmetric() {
        let (lee, wind) = (behind_sphere(), wind());
        for (x, y, z) in [(0.5, 0.21, 0.07), (0.05, 0.31, 0.1), (1.5, 0.33, -0.2)] {
            let w = lee.velocity(DVec3::new(x, y, z), &wind, 0.0);
            let mirrored = lee.velocity(DVec3::new(x, -y, z), &wind, 0.0);
            assert!((w - mirrored * DVec3::new(1.0, -1.0, 1.0)).length() < 1e-9);
            let turned = lee.velocity(DVec3::new(x, z, y), &wind, 0.0);
            assert!((w - DVec3::new(turned.x, turned.z, turned.y)).length() < 1e-9);
        }
    }

    #[test]
    fn the_windward_side_is_exposed_and_the_wind_slides_along_it() {
        let settings = LeeSettings::default();
        let bodies = Bodies::still(&sphere);
        for distance in [-0.05, 0.0, 0.001, 0.02, 0.2] {
            let p = DVec3::new(-R - distance, 0.0, 0.0);
            assert!(missing_at(p, &wind(), 0.0, bodies, &settings) < 1e-9, "{distance} before the sphere");
        }
        // Just behind, and just inside the back, the wind is gone.
        for distance in [-0.05, 0.01] {
            assert!(missing_at(DVec3::new(R + distance, 0.0, 0.0), &wind(), 0.0, bodies, &settings) > 0.8);
        }
        let lee = behind_sphere();
        let p = DVec3::new(-1.0, 1.0, 0.0).normalize() * (R + 0.005);
        let (given, w) = (wind().velocity(p, 0.0), lee.velocity(p, &wind(), 0.0));
        assert!(w.dot(p).abs() < 0.35 * given.dot(p).abs(), "{} of {}", w.dot(p), given.dot(p));
    }

    #[test]
    fn the_lee_lies_downwind() {
        let lee_wind = Gusts::new(Wind { mean: 4.0 * DVec3::Z, ..Wind::default() });
        let settings = LeeSettings::default();
        let at = |p| missing_at(p, &lee_wind, 0.0, Bodies::still(&sphere), &settings);
        assert!(at(DVec3::new(0.0, 0.0, 0.5)) > 0.5 && at(DVec3::new(0.5, 0.0, 0.0)) < 1e-9);
    }

    #[test]
    fn a_restored_field_gives_the_same_bits_and_other_grids_are_refused() {
        let lee = behind_sphere();
        let bounds = Aabb { min: DVec3::new(-1.0, -0.8, -0.8), max: DVec3::new(4.0, 0.8, 0.8) };
        let mut copy = LeeField::new(bounds, 0.1, LeeSettings::default()).unwrap();
        copy.restore(&lee.state()).unwrap();
        let p = DVec3::new(0.7, 0.11, 0.05);
        assert_eq!(copy.velocity(p, &wind(), 0.0), lee.velocity(p, &wind(), 0.0));
        assert!(copy.restore(&[0.0; 7]).is_err());
    }

    #[test]
    fn useless_settings_and_distances_give_finite_wind() {
        let p = DVec3::new(0.3, 0.1, 0.0);
        for value in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e3] {
            let default = LeeSettings::default();
            for settings in [
                LeeSettings { recovery: value, ..default },
                LeeSettings { edge: value, ..default },
                LeeSettings { spread: value, ..default },
                LeeSettings { deficit: value, ..default },
            ] {
                for distance in [&sphere as &(dyn Fn(DVec3) -> f64 + Sync), &|_| f64::NAN] {
                    let bounds = Aabb { min: DVec3::splat(-0.5), max: DVec3::splat(0.5) };
                    let mut lee = LeeField::new(bounds, 0.25, settings).unwrap();
                    lee.refresh(&wind(), 0.0, Bodies::still(distance));
                    let w = lee.velocity(p, &wind(), 0.0);
                    assert!(w.length() <= 4.0, "{w} with {settings:?}");
                }
            }
        }
    }
}
