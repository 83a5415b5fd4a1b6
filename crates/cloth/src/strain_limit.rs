//! Strain limiting: threads that do not stretch beyond a set strain.
//!
//! Warp and weft of a triangle are the columns `f_k = Σ b_ak x_a` of its deformation gradient. A column longer than
//! `1 + limit` is shortened by moving the corners along it, weighted by inverse masses `w_a` so that momentum stays:
//!
//! ```text
//! Δx_a = −w_a b_ak (|f_k| − 1 − limit)/(Σ w_c b_ck²) f_k/|f_k|
//! ```
//!
//! exact for one triangle, repeated over all of them (Gauss–Seidel, in the order of the list) until none is too long. After
//! Provot 1995 and Bridson, Fedkiw, Anderson 2002, along threads instead of edges: shear is left alone, so that a limit
//! does not lock the mesh.

use rayon::prelude::*;
use toile_mesh::{DVec2, DVec3};

use crate::element::{Element, Membrane};

/// Passes at most.
const MOST_PASSES: usize = 400;
/// Share of the limit's stretch by which a pass aims lower, so that passes end.
const AIM: f64 = 1e-3;

/// Largest strain of any thread at `x`; at least −1.
pub fn largest_thread_strain(membranes: &[Membrane], x: &[DVec3]) -> f64 {
    let longest = |m: &Membrane| {
        let [f1, f2] = m.gradient_columns(x);
        f1.length_squared().max(f2.length_squared())
    };
    let chunks = membranes.par_chunks(crate::CHUNK).map(|chunk| chunk.iter().map(longest).fold(0.0, f64::max));
    // A maximum does not depend on the order.
    chunks.reduce(|| 0.0, f64::max).sqrt() - 1.0
}

/// Moves `x` until no thread is strained by more than `limit`; returns the largest strain left.
///
/// Particles with an inverse mass `w` of zero stay. Where they leave no room the passes end without success.
pub fn limit_strain(membranes: &[Membrane], x: &mut [DVec3], w: &[f64], limit: f64) -> f64 {
    let (aim, most) = (1.0 + limit * (1.0 - AIM), (1.0 + limit) * (1.0 + limit));
    let mut left = largest_thread_strain(membranes, x);
    for _ in 0..MOST_PASSES {
        if left <= limit {
            break;
        }
        for membrane in membranes {
            let columns = membrane.gradient_columns(x);
            let pick: [fn(&DVec2) -> f64; 2] = [|b| b.x, |b| b.y];
            for (k, pick) in pick.into_iter().enumerate() {
                if columns[k].length_squared() > most {
                    shorten(membrane, pick, x, w, aim);
                }
            }
        }
        left = largest_thread_strain(membranes, x);
    }
    left
}

fn shorten(membrane: &Membrane, pick: fn(&DVec2) -> f64, x: &mut [DVec3], w: &[f64], aim: f64) {
    let weights = membrane.shape().map(|b| pick(&b));
    let nodes = membrane.nodes();
    let column: DVec3 = nodes.iter().zip(weights).map(|(n, b)| x[*n as usize] * b).sum();
    let length = column.length();
    let give: f64 = nodes.iter().zip(weights).map(|(n, b)| w[*n as usize] * b * b).sum();
    if length <= aim || give <= 0.0 {
        return;
    }
    let pull = column * ((length - aim) / (length * give));
    for (n, b) in nodes.iter().zip(weights) {
        x[*n as usize] -= pull * (w[*n as usize] * b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fabric, SheetOptions, Sheets};
    use toile_mesh::generate::{Diagonals, grid};

    #[test]
    fn stretched_cloth_is_limited_and_its_centre_stays() {
        let mesh = grid([1.0, 1.0], [12, 12], Diagonals::Alternating);
        let mut sheets = Sheets::default();
        sheets.add(&mesh, 0, &Fabric::default(), &SheetOptions::default());
        let energies = sheets.build(144);
        let membranes = energies.membranes.elements();
        let mut x: Vec<DVec3> =
            mesh.positions.iter().map(|p| DVec3::new(p.x * 1.2 + p.z, p.x * p.x, p.z * 1.05)).collect();
        let before: DVec3 = x.iter().sum();
        assert!(largest_thread_strain(membranes, &x) > 0.2);
        let left = limit_strain(membranes, &mut x, &[2.0; 144], 0.02);
        assert!(left <= 0.02 && left > 0.0199 * 0.5, "{left}");
        assert!((x.iter().sum::<DVec3>() - before).length() < 1e-11);
    }

    #[test]
    fn held_corners_stay_and_impossible_tasks_end() {
        let mesh = grid([1.0, 1.0], [3, 3], Diagonals::Same);
        let mut sheets = Sheets::default();
        sheets.add(&mesh, 0, &Fabric::default(), &SheetOptions::default());
        let energies = sheets.build(9);
        let mut x: Vec<DVec3> = mesh.positions.iter().map(|p| *p * 2.0).collect();
        let mut w = [1.0; 9];
        for corner in [0, 2, 6, 8] {
            w[corner] = 0.0;
        }
        let start = x.clone();
        let left = limit_strain(energies.membranes.elements(), &mut x, &w, 0.1);
        assert!(left > 0.5 && x.iter().all(|p| p.is_finite()));
        assert!([0, 2, 6, 8].iter().all(|i| x[*i] == start[*i]));
    }
}
