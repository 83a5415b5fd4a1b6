//! [`Hem`]: the lower border, which shows how a fabric falls.
//!
//! Seen from above, the hem of a stiff fabric is nearly convex and that of a soft one runs in waves. A fold is counted
//! where the hem goes back from a taut tape around it: the depth below the tape, along the hem, has a maximum that stands out by
//! [`FOLD_DEPTH`] on both sides. An ellipse, which has two farthest points, has no folds; `r = a + b cos nφ` has `n` if it
//! is not convex.

use serde::Serialize;
use toile_body::measure::{Plane, taut_around};
use toile_mesh::{Aabb, DVec3};

use super::FitInput;
use super::section::border;

/// Depth from which a fold counts [m].
pub const FOLD_DEPTH: f64 = 0.004;

/// The lower border of a garment.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Hem {
    /// Mean height above the floor [m].
    pub height: f64,
    /// Length as cut [m].
    pub cut: f64,
    /// Length as worn, along its folds [m].
    pub worn: f64,
    /// Length of a taut tape around it, seen from above [m].
    pub girth: f64,
    /// Extent from side to side [m].
    pub width: f64,
    /// Extent from front to back [m].
    pub depth: f64,
    /// Number of folds.
    pub folds: u32,
    /// Mean depth of the folds below that tape, each where it is deepest [m]; 0 without folds.
    pub fold_depth: f64,
}

impl Hem {
    /// The longest border of the lower half, or the lowest.
    pub(super) fn of(input: &FitInput<'_>) -> Option<Self> {
        let bounds = Aabb::around(input.x.iter().copied());
        let point = |v: &u32| input.x[*v as usize];
        let height = |ring: &[u32]| ring.iter().map(|v| point(v).y).sum::<f64>() / ring.len().max(1) as f64;
        let length = |ring: &[u32]| loop_length(&ring.iter().map(point).collect::<Vec<_>>());
        let rings = || input.borders.iter().filter(|ring| ring.len() > 2);
        let low = rings().filter(|ring| height(ring) < bounds.centre().y);
        let ring = low
            .max_by(|a, b| length(a).total_cmp(&length(b)))
            .or_else(|| rings().min_by(|a, b| height(a).total_cmp(&height(b))))?;
        let points: Vec<DVec3> = ring.iter().map(point).collect();
        let flat: Vec<DVec3> = points.iter().map(|p| DVec3::new(p.x, 0.0, p.z)).collect();
        let tape = taut_around(&flat, Plane::level(0.0));
        let folds = folds(&depths(&flat, &tape));
        let extent = Aabb::around(points.iter().copied()).size();
        Some(Self {
            height: height(ring) - input.landmarks.floor,
            cut: border(input.x, input.triangles, input.cut, ring).cut(),
            worn: loop_length(&points),
            girth: loop_length(&tape),
            width: extent.x,
            depth: extent.z,
            folds: folds.len() as u32,
            fold_depth: folds.iter().sum::<f64>() / folds.len().max(1) as f64,
        })
    }
}

fn loop_length(points: &[DVec3]) -> f64 {
    (0..points.len()).map(|k| points[k].distance(points[(k + 1) % points.len()])).sum()
}

/// Distance of each point to a taut tape around all of them [m].
fn depths(points: &[DVec3], tape: &[DVec3]) -> Vec<f64> {
    let to_edge = |p: DVec3, k: usize| {
        let (a, b) = (tape[k], tape[(k + 1) % tape.len()]);
        let along = b - a;
        let s = ((p - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        p.distance(a + along * s)
    };
    points.iter().map(|p| (0..tape.len()).map(|k| to_edge(*p, k)).fold(f64::INFINITY, f64::min)).collect()
}

/// Maxima of a closed row of depths that stand out by [`FOLD_DEPTH`] [m].
fn folds(depths: &[f64]) -> Vec<f64> {
    let Some(start) = (0..depths.len()).min_by(|a, b| depths[*a].total_cmp(&depths[*b])) else { return Vec::new() };
    let (mut folds, mut falling) = (Vec::new(), true);
    let mut extreme = depths[start];
    for k in 1..=depths.len() {
        let depth = depths[(start + k) % depths.len()];
        if falling && depth > extreme + FOLD_DEPTH {
            (falling, extreme) = (false, depth);
        } else if !falling && depth < extreme - FOLD_DEPTH {
            folds.push(extreme);
            (falling, extreme) = (true, depth);
        } else {
            extreme = if falling { extreme.min(depth) } else { extreme.max(depth) };
        }
    }
    folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folds_of(point: impl Fn(f64) -> DVec3, points: u32) -> Vec<f64> {
        let angle = |k: u32| std::f64::consts::TAU * f64::from(k) / f64::from(points);
        let ring: Vec<DVec3> = (0..points).map(|k| point(angle(k))).collect();
        folds(&depths(&ring, &taut_around(&ring, Plane::level(0.0))))
    }

    proptest! {
        #[test]
        fn waves_around_a_circle_are_counted(n in 6_u32..14, turn in 0.0..6.3_f64) {
            let wave = |t: f64| 0.3 + 0.03 * (f64::from(n) * t + turn).cos();
            let found = folds_of(|t| DVec3::new(wave(t) * t.cos(), 0.0, wave(t) * t.sin()), 400);
            prop_assert_eq!(found.len() as u32, n);
            // Between crests the tape is as far from the middle as anything reaches in the direction of the trough.
            let reach = |k: u32| {
                let t = f64::from(k) * 1e-4;
                (0.3 - 0.03 * (f64::from(n) * t).cos()) * t.cos()
            };
            let depth = (0..10_000).map(reach).fold(0.0, f64::max) - 0.27;
            prop_assert!(found.iter().all(|d| (d - depth).abs() < 0.002), "{found:?} {depth}");
        }

        #[test]
        fn waves_of_few_vertices_of_a_hem_that_is_no_circle_are_counted(n in 6_u32..16, turn in 0.0..6.3_f64) {
            // A skirt is half as deep as wide again; its folds lean and are as deep as they are wide.
            let point = |t: f64| {
                let s = f64::from(n) * t + turn;
                let lean = t + 0.3 * s.sin() / f64::from(n);
                let wave = 1.0 + 0.15 * s.cos();
                DVec3::new(0.3 * wave * lean.cos(), 0.0, 0.2 * wave * lean.sin())
            };
            prop_assert_eq!(folds_of(point, 120).len() as u32, n);
        }

        #[test]
        fn a_convex_hem_has_no_folds(a in 0.1..0.5_f64, b in 0.1..0.5_f64) {
            prop_assert!(folds_of(|t| DVec3::new(a * t.cos(), 0.0, b * t.sin()), 400).is_empty());
        }
    }
}
