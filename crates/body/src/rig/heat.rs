//! Weights by heat: each bone warms its own vertices, and the heat spreads over the surface.
//!
//! Heat diffusion on the mesh, `∂w/∂t = Δw`, from `w_j = 1` on the vertices of bone `j` and 0 elsewhere. With the cotangent Laplacian `L`
//! and the areas `M` of the vertices, two implicit steps
//! ```text
//! (M + λ² L) w' = M w,   λ = σ / 2
//! ```
//! give a transition whose variance is that of a Gaussian of the spread `σ` (one step has `2 λ²`), independent of how the mesh is cut
//! into triangles. The idea of heat from the bones is that of Baran and Popović 2007 ("Automatic rigging and animation of 3D characters", §4);
//! they let every vertex exchange heat with the nearest bone for ever, which makes the transition as wide as a trunk is thick. Here the
//! spread is that of the mannequins.
//!
//! Negative cotangents are left out, so that weights stay between 0 and 1 (maximum principle). The sum over all bones is 1 at the start
//! and stays so. Conjugate gradients with the diagonal as preconditioner solve each system.

use std::collections::BTreeMap;

use toile_mesh::{DVec3, TriMesh, triangle_area};

use crate::skeleton::Joint;
use crate::skin::{SPREAD, Skin, heaviest};

/// Implicit steps.
const STEPS: usize = 2;

/// Residual at which a solve stops, over that of the right-hand side.
const TOLERANCE: f64 = 1e-8;

/// Iterations of a solve at most.
const MOST_ITERATIONS: usize = 500;

/// Weights below this are none: a thousandth moves nothing that can be seen.
const LEAST: f64 = 1e-3;

/// `M + λ² L` as rows.
struct System {
    diagonal: Vec<f64>,
    /// Where the neighbours of each vertex begin.
    start: Vec<usize>,
    neighbours: Vec<(u32, f64)>,
    areas: Vec<f64>,
}

/// The skin of a mesh whose vertices belong to bones.
pub(super) fn skin(mesh: &TriMesh, bones: &[Joint], height: f64) -> Skin {
    let system = System::new(mesh, 0.5 * SPREAD * height);
    let columns: Vec<Vec<f64>> = Joint::ALL
        .iter()
        .map(|joint| {
            let mut w: Vec<f64> = bones.iter().map(|bone| f64::from(u8::from(bone == joint))).collect();
            if w.iter().all(|x| *x == 0.0) {
                return w;
            }
            for _ in 0..STEPS {
                w = system.solve(&w);
            }
            w
        })
        .collect();
    let weights = (0..mesh.vertex_count()).map(|v| {
        let mut all: [f64; Joint::COUNT] = std::array::from_fn(|j| columns[j][v]);
        let total: f64 = all.iter().sum();
        for w in &mut all {
            *w = if *w < LEAST * total { 0.0 } else { *w };
        }
        heaviest(&all)
    });
    Skin { weights: weights.collect() }
}

impl System {
    fn new(mesh: &TriMesh, lambda: f64) -> Self {
        let count = mesh.vertex_count();
        let mut areas = vec![0.0; count];
        let mut edges: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        for f in mesh.faces() {
            let (t, x) = (mesh.triangles[f.index()], mesh.corners(f));
            let area = triangle_area(x);
            for k in 0..3 {
                areas[t[k].index()] += area / 3.0;
                let (a, b) = (t[(k + 1) % 3].0, t[(k + 2) % 3].0);
                *edges.entry([a.min(b), a.max(b)]).or_default() +=
                    0.5 * cotangent(x[k], x[(k + 1) % 3], x[(k + 2) % 3]);
            }
        }
        // Vertices without area keep what they have.
        let least = areas.iter().sum::<f64>() / count.max(1) as f64 * 1e-6;
        for area in &mut areas {
            *area = area.max(least.max(f64::MIN_POSITIVE));
        }
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); count];
        let mut diagonal = areas.clone();
        for ([a, b], weight) in edges {
            let weight = lambda * lambda * weight.max(0.0);
            diagonal[a as usize] += weight;
            diagonal[b as usize] += weight;
            rows[a as usize].push((b, weight));
            rows[b as usize].push((a, weight));
        }
        let mut start = vec![0];
        let mut neighbours = Vec::new();
        for row in rows {
            neighbours.extend(row);
            start.push(neighbours.len());
        }
        Self { diagonal, start, neighbours, areas }
    }

    fn apply(&self, x: &[f64], image: &mut [f64]) {
        for (v, slot) in image.iter_mut().enumerate() {
            let row = &self.neighbours[self.start[v]..self.start[v + 1]];
            *slot = row.iter().fold(self.diagonal[v] * x[v], |sum, (u, w)| sum - w * x[*u as usize]);
        }
    }

    /// One implicit step from `w`.
    fn solve(&self, w: &[f64]) -> Vec<f64> {
        let right: Vec<f64> = w.iter().zip(&self.areas).map(|(w, area)| w * area).collect();
        let mut x = w.to_vec();
        let mut image = vec![0.0; x.len()];
        self.apply(&x, &mut image);
        let mut residual: Vec<f64> = right.iter().zip(&image).map(|(b, a)| b - a).collect();
        let scaled = |r: &[f64]| -> Vec<f64> { r.iter().zip(&self.diagonal).map(|(r, d)| r / d).collect() };
        let mut direction = scaled(&residual);
        let mut energy = dot(&residual, &direction);
        let goal = TOLERANCE * TOLERANCE * dot(&right, &scaled(&right));
        for _ in 0..MOST_ITERATIONS {
            if energy <= goal {
                break;
            }
            self.apply(&direction, &mut image);
            let alpha = energy / dot(&direction, &image);
            for (v, d) in direction.iter().enumerate() {
                x[v] += alpha * d;
                residual[v] -= alpha * image[v];
            }
            let next = scaled(&residual);
            let after = dot(&residual, &next);
            let beta = after / energy;
            energy = after;
            for (d, z) in direction.iter_mut().zip(&next) {
                *d = z + beta * *d;
            }
        }
        x
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Cotangent of the angle at `p` between the ways to `a` and `b`.
fn cotangent(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let (u, v) = (a - p, b - p);
    let across = u.cross(v).length();
    if across > 0.0 { u.dot(v) / across } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate;

    /// On a long tube heat spreads along one axis: from a step, two implicit steps of length `λ` give
    /// `w(y) = 1 − ½ (1 + y / 2λ) e^(−y / λ)` on the warm side.
    #[test]
    fn heat_on_a_tube_is_that_of_a_line() {
        let (height, lambda) = (1.0, 0.5 * SPREAD);
        for rows in [100, 170] {
            let mesh = generate::tube(0.05, 1.0, [36, rows]);
            let middle = mesh.bounds().centre().y;
            let bone = |p: &DVec3| if p.y > middle + 1e-9 { Joint::LeftShoulder } else { Joint::LeftElbow };
            let bones: Vec<Joint> = mesh.positions.iter().map(bone).collect();
            let step = 1.0 / rows as f64;
            let skin = skin(&mesh, &bones, height);
            for (p, weights) in mesh.positions.iter().zip(&skin.weights) {
                let w = weights.iter().filter(|(j, _)| *j == Joint::LeftShoulder).map(|(_, w)| w).sum::<f64>();
                // The step lies half a row above the middle.
                let y = p.y - middle - 0.5 * step;
                let tail = 0.5 * (1.0 + y.abs() / (2.0 * lambda)) * (-y.abs() / lambda).exp();
                let expected = if y > 0.0 { 1.0 - tail } else { tail };
                assert!((w - expected).abs() < 0.02, "{y}: {w} for {expected}");
                assert!((weights.iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_cut_into_triangles_does_not_matter() {
        let fine = generate::tube(0.05, 1.0, [48, 120]);
        let coarse = generate::tube(0.05, 1.0, [20, 90]);
        let width = |mesh: &TriMesh| {
            let middle = mesh.bounds().centre().y;
            let bone = |p: &DVec3| if p.y > middle { Joint::LeftHip } else { Joint::LeftKnee };
            let bones: Vec<Joint> = mesh.positions.iter().map(bone).collect();
            let skin = skin(mesh, &bones, 1.7);
            // Integral of w (1 − w) along the tube.
            let mut rows: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
            for (p, w) in mesh.positions.iter().zip(&skin.weights) {
                let row = rows.entry((p.y * 1e6).round() as i64).or_default();
                *row = (row.0 + w[0].1 * w[1].1, row.1 + 1.0);
            }
            let count = rows.len() as f64 - 1.0;
            rows.values().map(|(sum, n)| sum / n / count).sum::<f64>()
        };
        let (a, b) = (width(&fine), width(&coarse));
        assert!((a / b - 1.0).abs() < 0.05, "{a} {b}");
    }
}
