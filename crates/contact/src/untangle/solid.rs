//! Cloth out of obstacles: those known by their distance, and closed meshes.
//!
//! A vertex inside goes to the nearest point of the surface and a little beyond. Edges and triangles of cloth that cut an
//! exact obstacle between their vertices are lifted at their deepest point ([`TriangleSweep`]); those that cut a mesh are
//! parted as crossings.

use toile_mesh::DVec3;

use super::tangle::Weave;
use crate::{SweepSettings, TriangleSweep, resolve_particles};

/// Rounds of the sweep over triangles in one push.
const SWEEP_ROUNDS: usize = 5;

/// What a push out of all obstacles met.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct SolidReport {
    /// Vertices and triangles that were inside or nearer than asked.
    pub(super) met: usize,
    /// Those among them that no push can help.
    pub(super) left: usize,
    /// How deep the deepest vertex was inside [m].
    pub(super) depth: f64,
}

/// Moves the cloth out of the obstacles.
pub(super) fn push_out(weave: &Weave<'_>, x: &mut [DVec3]) -> SolidReport {
    let mut report = SolidReport::default();
    let n = weave.cloth_vertices();
    let gap = weave.tangle.obstacle_gap;
    for (v, target, depth) in inside_meshes(weave, &x[..n]) {
        report.met += 1;
        report.depth = report.depth.max(depth);
        if weave.free[v] > 0.0 {
            x[v] = target;
        } else {
            report.left += 1;
        }
    }
    if !weave.placed.pieces().is_empty() {
        let (cloth, free) = (&mut x[..n], &weave.free[..n]);
        let from = cloth.to_vec();
        let settings = SweepSettings { max_rounds: SWEEP_ROUNDS, ..SweepSettings::new(gap) };
        let particles = resolve_particles(&weave.placed, &from, cloth, free, settings.threshold - settings.tolerance);
        let sweep = TriangleSweep::default().resolve(
            &weave.placed,
            &weave.tangle.cloth.triangles,
            &from,
            cloth,
            free,
            &settings,
        );
        report.met += particles.contacts + sweep.contacts;
        report.left += sweep.remaining;
        report.depth = report.depth.max(particles.deepest - gap);
    }
    report
}

/// Vertices inside closed meshes, with where they should be and how deep they are [m].
fn inside_meshes(weave: &Weave<'_>, x: &[DVec3]) -> Vec<(usize, DVec3, f64)> {
    let mut inside = Vec::new();
    for (v, p) in x.iter().enumerate() {
        for (_, foot) in weave.sunk(v, *p) {
            let out = (foot.point - *p).normalize_or(foot.normal);
            inside.push((v, foot.point + out * weave.tangle.obstacle_gap, -foot.distance));
        }
    }
    inside
}

/// Whether a held vertex is inside an obstacle, where nothing can be done.
pub(super) fn holds_inside(weave: &Weave<'_>, x: &[DVec3]) -> bool {
    let n = weave.cloth_vertices();
    (0..n).any(|v| weave.free[v] == 0.0 && weave.placed.distance(x[v]) < 0.0)
        || inside_meshes(weave, &x[..n]).iter().any(|(v, ..)| weave.free[*v] == 0.0)
}
