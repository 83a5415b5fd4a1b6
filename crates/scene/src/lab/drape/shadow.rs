//! What a draped specimen looks like from above: the area of its shadow, and the folds of its hem.

use toile_mesh::{DVec3, TriMesh};

/// Side of the cells the shadow is counted in [m].
pub const SHADOW_CELL: f64 = 2.5e-4;
/// Height a fold must have over the valleys beside it to count as a node, as a share of the overhang.
const LEAST_FOLD: f64 = 0.08;

/// Area of the projection of a mesh along y [m²]: the number of cells of side `cell` [m] whose centre it covers.
///
/// The error is about that of a staircase along the outline: far below a thousandth for outlines of many cells.
pub(super) fn shadow_area(mesh: &TriMesh, cell: f64) -> f64 {
    let flat = |p: DVec3| [p.x / cell, p.z / cell];
    let reach = mesh.positions.iter().map(|p| p.x.abs().max(p.z.abs())).fold(0.0, f64::max);
    let half = (reach / cell).ceil() as i64 + 1;
    let side = (2 * half) as usize;
    // Beyond any specimen: nothing to count in.
    if !reach.is_finite() || side > 1 << 14 {
        return f64::NAN;
    }
    let mut covered = vec![false; side * side];
    for t in &mesh.triangles {
        cover(&mut covered, half, t.map(|v| flat(mesh.positions[v.index()])));
    }
    covered.iter().filter(|c| **c).count() as f64 * cell * cell
}

/// Marks the cells whose centres are inside a triangle, row by row.
fn cover(covered: &mut [bool], half: i64, corners: [[f64; 2]; 3]) {
    let side = (2 * half) as usize;
    let low = corners.iter().map(|c| c[1]).fold(f64::INFINITY, f64::min);
    let high = corners.iter().map(|c| c[1]).fold(f64::NEG_INFINITY, f64::max);
    // Row j has its centres at j + ½.
    for row in (low - 0.5).ceil() as i64..=(high - 0.5).floor() as i64 {
        let level = row as f64 + 0.5;
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            if (a[1] <= level) != (b[1] <= level) {
                let at = a[0] + (b[0] - a[0]) * (level - a[1]) / (b[1] - a[1]);
                (from, to) = (from.min(at), to.max(at));
            }
        }
        for column in (from - 0.5).ceil() as i64..=(to - 0.5).floor() as i64 {
            covered[(row + half) as usize * side + (column + half) as usize] = true;
        }
    }
}

/// The number of folds of a hem: maxima of its distance from the axis that rise above the valleys on both sides.
///
/// `hem` goes around once; `overhang` [m] is what the folds are measured by.
pub(super) fn nodes(hem: &[DVec3], overhang: f64) -> usize {
    let radius: Vec<f64> = hem.iter().map(|p| p.x.hypot(p.z)).collect();
    let Some(start) = (0..radius.len()).min_by(|a, b| radius[*a].total_cmp(&radius[*b])) else { return 0 };
    let least = LEAST_FOLD * overhang;
    let (mut count, mut rising) = (0, false);
    let mut extreme = radius[start];
    for k in 1..=radius.len() {
        let r = radius[(start + k) % radius.len()];
        if rising {
            extreme = f64::max(extreme, r);
            if r < extreme - least {
                count += 1;
                (rising, extreme) = (false, r);
            }
        } else {
            extreme = f64::min(extreme, r);
            if r > extreme + least {
                (rising, extreme) = (true, r);
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};
    use toile_mesh::generate::disc;

    #[test]
    fn a_disc_casts_its_area_at_any_height_and_folded_once() {
        let mesh = disc(0.15, 40);
        let area: f64 = mesh.area();
        let lifted =
            TriMesh { positions: mesh.positions.iter().map(|p| *p + DVec3::Y * p.x).collect(), ..mesh.clone() };
        for mesh in [&mesh, &lifted] {
            let found = shadow_area(mesh, SHADOW_CELL);
            assert!((found / area - 1.0).abs() < 2e-4, "{found} {area}");
        }
        let folded = TriMesh { positions: mesh.positions.iter().map(|p| p.abs()).collect(), ..mesh.clone() };
        let found = shadow_area(&folded, SHADOW_CELL);
        // Triangles across the folds are cut short.
        assert!((found / (0.25 * area) - 1.0).abs() < 0.015, "{found}");
        assert!((area / (PI * 0.15 * 0.15) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn folds_are_counted_and_ripples_are_not() {
        let hem = |folds: f64, height: f64| -> Vec<DVec3> {
            (0..240)
                .map(|i| TAU * f64::from(i) / 240.0)
                .map(|a| (0.12 + height * (folds * a + 0.3).cos() + 5e-4 * (37.0 * a).cos(), a))
                .map(|(r, a)| DVec3::new(r * a.cos(), -0.02, r * a.sin()))
                .collect()
        };
        for folds in [1.0, 4.0, 7.0] {
            assert_eq!(nodes(&hem(folds, 0.02), 0.06), folds as usize);
        }
        assert_eq!(nodes(&hem(5.0, 0.001), 0.06), 0);
        assert_eq!(nodes(&[], 0.06), 0);
    }
}
