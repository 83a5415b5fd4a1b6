//! Cloth worn by the figure: a guess that follows the limbs, pushed out of the body to a set clearance.
//!
//! A vertex hangs on two limbs: its guess is `(1 − w) F_0(p_0) + w F_1(p_1)` (linear blend skinning), with `w`
//! smooth across the joint. The guess lies in or near the limb. Then, with `f` the distance to the body and `c`
//! the clearance wanted there, `x ← x + (c − f) ∇f` is repeated while `f < c`. `f` joins the round cones `f_i` of
//! the body smoothly, `f = −k ln Σ exp(−f_i / k)`, which is never more than the true distance, so the vertex ends
//! no closer than `c` but for what the last round leaves. The clearance carries the folds: sines along and round the limb that sway with the walk.
//!
//! Triangles between the vertices come closer than `c` where the body is round; the clearance has a part for that.

use std::f64::consts::TAU;

use toile_mesh::generate::motion::{Limb, PERIOD, RoundCone, dressed_parts, limb_frame};
use toile_mesh::{DVec3, VertexId};

/// Least clearance of a vertex where edges are short [m].
const LEAST_CLEARANCE: f64 = 0.004;
/// Height of the folds above the least clearance [m].
const FOLD_HEIGHT: f64 = 0.010;
/// Width over which the distances to two capsules blend [m].
const BLEND: f64 = 0.010;
/// Radius of curvature of the body where it is roundest under a garment [m].
const SMALLEST_RADIUS: f64 = 0.045;
/// How much closer than wanted a vertex may stay [m]: nothing beside the folds.
const TOLERANCE: f64 = 1e-6;
/// Most rounds of pushing; each leaves a small part of the error where capsules blend.
const PUSHES: usize = 8;

/// A vertex of worn cloth.
#[derive(Clone, Copy, Debug)]
pub(super) struct WornVertex {
    /// Limbs it hangs on, with its place [m] in their frames.
    pub(super) anchors: [(Limb, DVec3); 2],
    /// Weight of the second anchor, 0..1.
    pub(super) weight: f64,
    /// Place along the garment [m], for the folds.
    pub(super) along: f64,
    /// Angle round the limb [rad], for the folds.
    pub(super) angle: f64,
}

/// A garment: its triangles, its vertices and the limbs under it.
#[derive(Clone, Debug)]
pub(super) struct Worn {
    pub(super) triangles: Vec<[VertexId; 3]>,
    pub(super) vertices: Vec<WornVertex>,
    /// Limbs that the cloth keeps clear of.
    pub(super) limbs: Vec<Limb>,
    /// Edge length [m], which sets the clearance that chords need.
    pub(super) edge: f64,
}

impl Worn {
    pub(super) fn positions_into(&self, t: f64, positions: &mut Vec<DVec3>) {
        let body = self.body_at(t);
        // A chord of length e over a circle of radius r comes e² / 8r closer than its ends.
        let least = LEAST_CLEARANCE + self.edge.powi(2) / (8.0 * SMALLEST_RADIUS);
        let frames: Vec<_> = self.limbs.iter().map(|&limb| (limb, limb_frame(limb, t))).collect();
        let known = |limb: Limb| frames.iter().find(|(other, _)| *other == limb).map(|(_, frame)| *frame);
        let frame = |limb: Limb| known(limb).unwrap_or_else(|| limb_frame(limb, t));
        positions.clear();
        positions.extend(self.vertices.iter().map(|v| {
            let [first, second] = v.anchors.map(|(limb, p)| frame(limb).place(p));
            push_out(&body, first.lerp(second, v.weight), least + FOLD_HEIGHT * fold(v, t))
        }));
    }

    /// The capsules under the garment at time `t`.
    fn body_at(&self, t: f64) -> Vec<RoundCone> {
        let placed = |&limb: &Limb| {
            let frame = limb_frame(limb, t);
            dressed_parts(limb).into_iter().map(move |c| RoundCone::new(c.ends.map(|p| frame.place(p)), c.radii))
        };
        self.limbs.iter().flat_map(placed).collect()
    }
}

/// Height of the folds at a vertex, 0..1. Even in the angle, so that it has no kink where mirrored halves meet.
fn fold(v: &WornVertex, t: f64) -> f64 {
    let (sway, swing) = (TAU * t / PERIOD).sin_cos();
    let rings = (TAU * v.along / 0.13 + 1.3 * v.angle.cos() + 0.7 * sway).sin();
    let spirals = (TAU * v.along / 0.31 + 0.6 * swing).sin() * (3.0 * v.angle).cos();
    0.5 + 0.25 * (rings + spirals)
}

/// `p` moved out of `body` until it is `clearance` [m] away; left alone if it is farther.
fn push_out(body: &[RoundCone], mut p: DVec3, clearance: f64) -> DVec3 {
    for _ in 0..PUSHES {
        let (f, gradient) = joined_distance(body, p);
        if f >= clearance - TOLERANCE {
            break;
        }
        p += (clearance - f) * gradient.normalize_or_zero();
    }
    p
}

/// The smoothly joined distance [m] and its gradient.
fn joined_distance(body: &[RoundCone], p: DVec3) -> (f64, DVec3) {
    // Sums are relative to the nearest capsule so far, so that no exponential overflows.
    let (mut nearest, mut sum, mut gradient) = (f64::INFINITY, 0.0, DVec3::ZERO);
    for cone in body {
        let (f, g) = cone.distance(p);
        if f < nearest {
            let rescale = ((f - nearest) / BLEND).exp();
            (nearest, sum, gradient) = (f, sum * rescale, gradient * rescale);
        }
        let share = ((nearest - f) / BLEND).exp();
        sum += share;
        gradient += share * g;
    }
    (nearest - BLEND * f64::ln(sum), gradient / sum)
}

/// Edge length [m], from 0.2 m down in steps of half a percent, whose `count` comes closest to `wanted`.
pub(super) fn edge_for(wanted: usize, count: impl Fn(f64) -> usize) -> f64 {
    let mut best = (usize::MAX, 0.2);
    let mut edge = 0.2;
    loop {
        let triangles = count(edge);
        let miss = triangles.abs_diff(wanted);
        if miss < best.0 {
            best = (miss, edge);
        }
        if triangles > wanted.saturating_mul(2) {
            return best.1;
        }
        edge *= 0.995;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_joined_distance_is_never_more_than_the_true_one_and_its_gradient_matches_differences() {
        let limbs = vec![Limb::Trunk, Limb::LeftThigh, Limb::LeftShin];
        let body = Worn { triangles: vec![], vertices: vec![], limbs, edge: 0.0 }.body_at(0.9);
        for i in 1..50 {
            let x = i as f64;
            let p = DVec3::new(0.2 * (3.1 * x).sin(), 0.6 + 0.4 * (1.7 * x).cos(), 0.2 * (2.3 * x).sin());
            let (f, gradient) = joined_distance(&body, p);
            assert!(body.iter().all(|c| f <= c.distance(p).0));
            for axis in DVec3::AXES {
                let [up, down] = [1e-6, -1e-6].map(|h| joined_distance(&body, p + h * axis).0);
                assert!(((up - down) / 2e-6 - gradient.dot(axis)).abs() < 1e-4, "{p}");
            }
        }
    }
}
