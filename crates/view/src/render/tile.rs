//! Which triangle each sample sees: binning into square tiles and integer rasterization with a depth buffer.
//!
//! A sample at the centre of its cell is inside when all three edge functions
//! `E(p) = (b − a) × (p − a)` are positive, or zero on a top or left edge (Pineda 1988): every sample on an edge
//! shared by two triangles belongs to exactly one of them. `1/depth` is linear on the screen; the largest wins, and
//! of equals the first in the order of the faces, so the result does not depend on threads.

use crate::render::project::{SNAP, ScreenTriangle};

/// Side of a tile in samples; divisible by every supersampling factor.
pub(crate) const TILE: usize = 64;

/// Marks a sample that sees no triangle.
pub(crate) const NOTHING: u32 = u32::MAX;

/// For each tile, row by row, the triangles whose bounding box touches it, in order.
pub(crate) struct Bins {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    start: Vec<u32>,
    list: Vec<u32>,
}

impl Bins {
    pub(crate) fn new(triangles: &[ScreenTriangle], samples: [u32; 2]) -> Self {
        let [columns, rows] = samples.map(|s| (s as usize).div_ceil(TILE));
        let mut start = vec![0_u32; columns * rows + 1];
        for t in triangles {
            for tile in tiles_of(t, columns, rows) {
                start[tile + 1] += 1;
            }
        }
        for i in 0..columns * rows {
            start[i + 1] += start[i];
        }
        let mut list = vec![0; start[columns * rows] as usize];
        let mut next = start.clone();
        for (i, t) in triangles.iter().enumerate() {
            for tile in tiles_of(t, columns, rows) {
                list[next[tile] as usize] = i as u32;
                next[tile] += 1;
            }
        }
        Self { columns, rows, start, list }
    }

    pub(crate) fn of(&self, tile: usize) -> &[u32] {
        &self.list[self.start[tile] as usize..self.start[tile + 1] as usize]
    }
}

fn tiles_of(t: &ScreenTriangle, columns: usize, rows: usize) -> impl Iterator<Item = usize> + use<> {
    let [x0, x1] = sample_span(t.x, 0, columns * TILE);
    let [y0, y1] = sample_span(t.y, 0, rows * TILE);
    let xs = if x0 < x1 { x0 / TILE..(x1 - 1) / TILE + 1 } else { 0..0 };
    let ys = if y0 < y1 { y0 / TILE..(y1 - 1) / TILE + 1 } else { 0..0 };
    ys.flat_map(move |y| xs.clone().map(move |x| y * columns + x))
}

/// Samples `first..end` within `lo..hi` whose centres lie in the extent of three snapped coordinates.
fn sample_span(c: [i32; 3], lo: usize, hi: usize) -> [usize; 2] {
    let half = SNAP / 2;
    let min = i64::from(c[0].min(c[1]).min(c[2]));
    let max = i64::from(c[0].max(c[1]).max(c[2]));
    // Centre i + ½ ≥ min and ≤ max, in snapped units.
    let first = (min - half + SNAP - 1).div_euclid(SNAP);
    let end = (max - half).div_euclid(SNAP) + 1;
    [first, end].map(|s| s.clamp(wide(lo), wide(hi)) as usize)
}

/// A sample number in the arithmetic of edges; pictures have far fewer than 2³² samples a side.
fn wide(sample: usize) -> i64 {
    i64::from(sample as u32)
}

/// The samples of one tile: nearest triangle and its `1/depth`.
pub(crate) struct Visibility {
    /// Column and row of the tile's first sample.
    origin: [usize; 2],
    /// `1/depth` [1/m], 0 where nothing is seen, row by row.
    pub(crate) inv_z: Vec<f32>,
    /// Face seen, [`NOTHING`] for none.
    pub(crate) face: Vec<u32>,
}

impl Visibility {
    pub(crate) fn new(origin: [usize; 2]) -> Self {
        Self { origin, inv_z: vec![0.0; TILE * TILE], face: vec![NOTHING; TILE * TILE] }
    }

    /// Draws one triangle into the tile.
    pub(crate) fn draw(&mut self, t: &ScreenTriangle) {
        let [ox, oy] = self.origin;
        let [x0, x1] = sample_span(t.x, ox, ox + TILE);
        let [y0, y1] = sample_span(t.y, oy, oy + TILE);
        if x0 >= x1 || y0 >= y1 {
            return;
        }
        let x = t.x.map(i64::from);
        let y = t.y.map(i64::from);
        let (cx, cy) = (wide(x0) * SNAP + SNAP / 2, wide(y0) * SNAP + SNAP / 2);
        let (mut e, mut step_x, mut step_y) = ([0_i64; 3], [0_i64; 3], [0_i64; 3]);
        let (mut area, mut outside_if_zero) = (0_i64, [0_i64; 3]);
        for i in 0..3 {
            let (a, b) = ((i + 1) % 3, (i + 2) % 3);
            let (dx, dy) = (x[b] - x[a], y[b] - y[a]);
            e[i] = dx * (cy - y[a]) - dy * (cx - x[a]);
            area += e[i];
            step_x[i] = -dy * SNAP;
            step_y[i] = dx * SNAP;
            outside_if_zero[i] = i64::from(!(dy < 0 || (dy == 0 && dx > 0)));
        }
        // The plane of 1/depth: Σ E_i / area · inv_z_i; clamped, because slivers extrapolate wildly.
        let plane = |c: [i64; 3]| (0..3).map(|i| c[i] as f64 * f64::from(t.inv_z[i])).sum::<f64>() / area as f64;
        let (z_start, z_x, z_y) = (plane(e), plane(step_x), plane(step_y));
        let z_min = t.inv_z[0].min(t.inv_z[1]).min(t.inv_z[2]);
        let z_max = t.inv_z[0].max(t.inv_z[1]).max(t.inv_z[2]);
        for i in 0..3 {
            e[i] -= outside_if_zero[i];
        }
        for sy in y0..y1 {
            let row = (sy - oy) * TILE;
            let z_row = z_start + z_y * (sy - y0) as f64;
            let mut at = e;
            for sx in x0..x1 {
                if (at[0] | at[1] | at[2]) >= 0 {
                    let z = ((z_row + z_x * (sx - x0) as f64) as f32).clamp(z_min, z_max);
                    let k = row + sx - ox;
                    if z > self.inv_z[k] {
                        self.inv_z[k] = z;
                        self.face[k] = t.face;
                    }
                }
                for i in 0..3 {
                    at[i] += step_x[i];
                }
            }
            for i in 0..3 {
                e[i] += step_y[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A triangle from corners in whole sample units times 1/256, oriented to positive area.
    fn triangle(p: [[i32; 2]; 3], inv_z: f32, face: u32) -> Option<ScreenTriangle> {
        let cross = i64::from(p[1][0] - p[0][0]) * i64::from(p[2][1] - p[0][1])
            - i64::from(p[1][1] - p[0][1]) * i64::from(p[2][0] - p[0][0]);
        let order = if cross > 0 { [0, 1, 2] } else { [0, 2, 1] };
        (cross != 0).then(|| ScreenTriangle {
            x: order.map(|i| p[i][0]),
            y: order.map(|i| p[i][1]),
            inv_z: [inv_z; 3],
            face,
        })
    }

    fn covered(t: &ScreenTriangle) -> Vec<usize> {
        let mut tile = Visibility::new([0, 0]);
        tile.draw(t);
        (0..TILE * TILE).filter(|k| tile.face[*k] != NOTHING).collect()
    }

    #[test]
    fn a_right_triangle_covers_exactly_the_expected_samples() {
        // Corners (0,0), (4,0), (0,4): centres with x + y < 4; those on the long side (not top, not left) are out.
        let t = triangle([[0, 0], [4 * 256, 0], [0, 4 * 256]], 1.0, 0).unwrap();
        let expected: Vec<usize> = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)].map(|(x, y)| y * TILE + x).into();
        assert_eq!(covered(&t), expected);
    }

    #[test]
    fn the_nearer_triangle_wins_in_either_order_and_the_first_of_equals() {
        let near = triangle([[0, 0], [2560, 0], [0, 2560]], 0.5, 1).unwrap();
        let far = triangle([[0, 0], [2560, 0], [0, 2560]], 0.25, 2).unwrap();
        for order in [[&near, &far], [&far, &near]] {
            let mut tile = Visibility::new([0, 0]);
            for t in order {
                tile.draw(t);
            }
            assert_eq!(tile.face[0], 1);
        }
        let mut tile = Visibility::new([0, 0]);
        let twin = ScreenTriangle { face: 9, ..near };
        tile.draw(&near);
        tile.draw(&twin);
        assert_eq!(tile.face[0], 1);
    }

    #[test]
    fn bins_hold_every_tile_a_triangle_touches() {
        let t = triangle([[-9000, -9000], [60 * 256, 40 * 256], [70 * 256, 90 * 256]], 1.0, 0).unwrap();
        let bins = Bins::new(&[t], [100, 100]);
        assert_eq!((bins.columns, bins.rows), (2, 2));
        for tile in 0..4 {
            let mut visibility = Visibility::new([tile % 2 * TILE, tile / 2 * TILE]);
            visibility.draw(&t);
            let touched = visibility.face.iter().any(|f| *f != NOTHING);
            assert!(!touched || bins.of(tile) == [0], "tile {tile}");
        }
    }

    proptest! {
        /// A fan of triangles around an inner point tiles the polygon: each sample inside is hit exactly once,
        /// and the union equals the coverage of the two triangles of the quad.
        #[test]
        fn neighbours_leave_no_crack_and_no_double_hit(
            q in prop::array::uniform4((0..16000_i32, 0..16000_i32)), w in prop::array::uniform4(1..50_i32),
        ) {
            // A convex quad: one corner in each quadrant around (8000, 8000) with an inner point mixed of all.
            let sign = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
            let p: Vec<[i32; 2]> = (0..4).map(|i| [8000 + sign[i][0] * (q[i].0 / 2), 8000 + sign[i][1] * (q[i].1 / 2)])
                .collect();
            let total: i32 = w.iter().sum();
            let inner = [0, 1].map(|k| (0..4).map(|i| p[i][k] * w[i]).sum::<i32>() / total);
            let mut hits = vec![0; TILE * TILE];
            let mut signed = 0;
            let mut absolute = 0;
            for i in 0..4 {
                let (a, b) = (p[i], p[(i + 1) % 4]);
                let cross = i64::from(a[0] - inner[0]) * i64::from(b[1] - inner[1])
                    - i64::from(a[1] - inner[1]) * i64::from(b[0] - inner[0]);
                signed += cross;
                absolute += cross.abs();
                if let Some(t) = triangle([inner, a, b], 1.0, 0) {
                    for k in covered(&t) {
                        hits[k] += 1;
                    }
                }
            }
            // Where the fan folds over itself double hits are right.
            prop_assume!(signed.abs() == absolute);
            prop_assert!(hits.iter().all(|h| *h <= 1));
            // Exact inside test of the closed polygon interior by integer half planes.
            for (k, h) in hits.iter().enumerate() {
                let c = [wide(k % TILE) * 256 + 128, wide(k / TILE) * 256 + 128];
                let inside = (0..4).all(|i| {
                    let (a, b) = (p[i].map(i64::from), p[(i + 1) % 4].map(i64::from));
                    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0
                });
                prop_assert!(!inside || *h == 1, "crack at {c:?}");
            }
        }
    }
}
