//! Soft shadow on the ground: how much of the light each place of it receives.
//!
//! The share of unblocked light is computed on a grid, for the key and the dome apart; the rim
//! light would throw a second shadow towards the viewer and is left out. The single lights of each would show as overlapping outlines; a mean over a square whose half side is
//! `r = spread · gap` joins them, with `spread` the angle between neighbouring lights and `gap` the mean distance to
//! what casts the shadow. Where things touch the ground the gap is zero and the shadow stays crisp. Means over
//! squares of any size cost the same with a summed-area table (Crow 1984).

use rayon::prelude::*;
use toile_mesh::{Aabb, DVec3};

use crate::Quality;
use crate::render::light::{Role, Studio};

/// Shadow on a square part of the ground; outside it everything is lit.
pub(crate) struct GroundShadow {
    /// World x and z of the grid's first point [m].
    origin: [f64; 2],
    /// Grid spacing [m].
    cell: f64,
    side: usize,
    /// Share of the unshaded light per channel, row by row in z.
    share: Vec<[f32; 3]>,
}

/// One kind of light on the grid: sums over its lights.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// Light received, luminance.
    light: f64,
    /// Light blocked.
    blocked: f64,
    /// Light blocked times distance to the blocker [m].
    gap: f64,
}

impl GroundShadow {
    pub(crate) fn new(studio: &Studio, bounds: Aabb, ground: Option<f64>, quality: Quality) -> Self {
        let height = ground.unwrap_or(f64::NAN);
        let side = match quality {
            Quality::Draft => 192,
            Quality::Good => 256,
            Quality::Fine => 640,
        };
        // Shadows reach about twice as far as things are high.
        let tall = (bounds.max.y - height).max(0.0);
        let reach = 0.5 * bounds.size().x.max(bounds.size().z) + 1.7 * tall;
        let centre = bounds.centre();
        let cell = 2.0 * reach / (side - 1) as f64;
        let origin = [centre.x - reach, centre.z - reach];
        let mut shadow = Self { origin, cell, side, share: Vec::new() };
        if bounds.is_empty() || !(cell > 0.0 && cell.is_finite()) {
            return shadow;
        }
        let [key, dome] = [Role::Key, Role::Dome].map(|role| shadow.kind(studio, height, role));
        let full = [Role::Key, Role::Dome].map(|role| {
            let of_kind = studio.lights.iter().filter(|l| l.role == role);
            of_kind.map(|l| l.irradiance * l.direction.y.max(0.0)).sum::<DVec3>()
        });
        let total = (full[0] + full[1]).max(DVec3::splat(1e-9));
        let edge = 0.12 * (side - 1) as f64;
        shadow.share = (0..side * side)
            .into_par_iter()
            .map(|k| {
                let lit = (full[0] * key[k] + full[1] * dome[k]) / total;
                let border = [k % side, k / side].map(|i| i.min(side - 1 - i)).into_iter().min().unwrap_or(0) as f64;
                let fade = (border / edge).min(1.0);
                DVec3::ONE.lerp(lit, fade * fade * (3.0 - 2.0 * fade)).as_vec3().to_array()
            })
            .collect();
        shadow
    }

    /// Share of light at a point of the ground, per channel.
    pub(crate) fn at(&self, p: DVec3) -> DVec3 {
        let (x, z) = ((p.x - self.origin[0]) / self.cell, (p.z - self.origin[1]) / self.cell);
        let limit = (self.side - 1) as f64;
        if self.share.is_empty() || !(x >= 0.0 && z >= 0.0 && x < limit && z < limit) {
            return DVec3::ONE;
        }
        let (i, j) = (x as usize, z as usize);
        let (fx, fz) = (x - i as f64, z - j as f64);
        let get = |k: usize| DVec3::from(self.share[k].map(f64::from));
        let k = j * self.side + i;
        get(k).lerp(get(k + 1), fx).lerp(get(k + self.side).lerp(get(k + self.side + 1), fx), fz)
    }

    /// Smoothed share of the lights with a role, 0–1.
    fn kind(&self, studio: &Studio, height: f64, role: Role) -> Vec<f64> {
        let lights: Vec<_> = studio.lights.iter().filter(|l| l.role == role && l.direction.y > 0.0).collect();
        let sums: Vec<Sum> = (0..self.side * self.side)
            .into_par_iter()
            .map(|k| {
                let (i, j) = ((k % self.side) as f64, (k / self.side) as f64);
                let p = DVec3::new(self.origin[0] + i * self.cell, height, self.origin[1] + j * self.cell);
                let p = studio.local(p);
                let mut sum = Sum::default();
                for l in &lights {
                    let power = l.irradiance.y * l.direction.y;
                    let (gap, share) = l.blocker(p, [0.0, 1.0, 0.0]);
                    sum.light += power * f64::from(1.0 - share);
                    sum.blocked += power * f64::from(share);
                    sum.gap += power * f64::from(share * gap);
                }
                sum
            })
            .collect();
        let spread = lights.iter().map(|l| l.spacing).fold(0.0, f64::max);
        self.smoothed(&sums, spread)
    }

    fn smoothed(&self, sums: &[Sum], spread: f64) -> Vec<f64> {
        let light = SummedArea::new(sums.iter().map(|s| s.light), self.side);
        let blocked = SummedArea::new(sums.iter().map(|s| s.blocked), self.side);
        let gap = SummedArea::new(sums.iter().map(|s| s.gap), self.side);
        let full = sums.first().map_or(1.0, |s| s.light + s.blocked).max(1e-12);
        let widest = self.side / 10;
        let raw: Vec<f64> = (0..sums.len())
            .into_par_iter()
            .map(|k| {
                let at = [k % self.side, k / self.side];
                // The gap from the neighbourhood, so that it is known on the lit side of the outline, too.
                let near = (self.side / 40).max(1);
                let mean_gap = gap.sum(at, near) / blocked.sum(at, near).max(1e-9 * full);
                let cells = (0.6 * spread * mean_gap / self.cell).min(widest as f64);
                light.mean(at, cells) / full
            })
            .collect();
        // A second, smaller mean rounds off the corners of the square.
        let again = SummedArea::new(raw.iter().copied(), self.side);
        (0..raw.len()).map(|k| again.mean([k % self.side, k / self.side], 1.0)).collect()
    }
}

/// Sums over all rectangles that start at the first cell.
struct SummedArea {
    side: usize,
    table: Vec<f64>,
}

impl SummedArea {
    fn new(values: impl Iterator<Item = f64>, side: usize) -> Self {
        let stride = side + 1;
        let mut table = vec![0.0; stride * stride];
        let mut row = 0.0;
        for (k, v) in values.enumerate() {
            let (i, j) = (k % side, k / side);
            row = if i == 0 { v } else { row + v };
            table[(j + 1) * stride + i + 1] = table[j * stride + i + 1] + row;
        }
        Self { side, table }
    }

    /// Sum over the cells within `radius` cells, cut at the border.
    fn sum(&self, at: [usize; 2], radius: usize) -> f64 {
        let [x0, y0] = at.map(|c| c.saturating_sub(radius));
        let [x1, y1] = at.map(|c| (c + radius + 1).min(self.side));
        let get = |x: usize, y: usize| self.table[y * (self.side + 1) + x];
        get(x1, y1) - get(x0, y1) - get(x1, y0) + get(x0, y0)
    }

    /// Mean within a radius that need not be whole: mixed from the two neighbouring whole ones.
    fn mean(&self, at: [usize; 2], radius: f64) -> f64 {
        let whole = |r: usize| {
            let [w, h] = at.map(|c| (c + r + 1).min(self.side) - c.saturating_sub(r));
            self.sum(at, r) / (w * h) as f64
        };
        let r = radius.max(0.0) as usize;
        let t = radius.max(0.0) - r as f64;
        whole(r) * (1.0 - t) + whole(r + 1) * t
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summed_area_gives_the_mean_of_a_square() {
        let side = 9;
        let value = |i: usize, j: usize| (i * i + 3 * j) as f64;
        let table = SummedArea::new((0..side * side).map(|k| value(k % side, k / side)), side);
        let brute = |at: [usize; 2], r: usize| {
            let (mut sum, mut count) = (0.0, 0.0);
            for j in at[1].saturating_sub(r)..=(at[1] + r).min(side - 1) {
                for i in at[0].saturating_sub(r)..=(at[0] + r).min(side - 1) {
                    sum += value(i, j);
                    count += 1.0;
                }
            }
            sum / count
        };
        for at in [[4, 4], [0, 0], [8, 3]] {
            for r in 0..4 {
                assert!((table.mean(at, r as f64) - brute(at, r)).abs() < 1e-9);
            }
        }
        assert!((table.mean([4, 4], 1.5) - 0.5 * (brute([4, 4], 1) + brute([4, 4], 2))).abs() < 1e-9);
    }
}
