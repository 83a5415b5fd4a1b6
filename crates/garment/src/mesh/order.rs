//! The order of vertices and triangles: what is near on the panel is near in memory.
//!
//! Refinement adds points all over a panel, so that neighbours get numbers thousands apart and elements that are worked on one after the
//! other share nothing. Vertices are therefore numbered along the curve of Hilbert (1891) that fills the square around the panel, and
//! triangles follow their first vertex. The order depends on positions alone.

use toile_mesh::DVec2;

use super::PanelMesh;

/// Cells along a side of the square, as a power of two: finer than any two vertices of a mesh that is allowed.
const LEVELS: u32 = 20;

/// Renumbers the vertices and triangles of a panel.
pub(super) fn sort(panel: &mut PanelMesh) {
    let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    for position in &panel.positions {
        (low, high) = (low.min(*position), high.max(*position));
    }
    let cell = (high - low).max_element().max(f64::MIN_POSITIVE) / f64::from((1_u32 << LEVELS) - 1);
    let place = |position: &DVec2| {
        let [x, y] = ((*position - low) / cell).to_array();
        along_curve(x as u32, y as u32)
    };
    let places: Vec<u64> = panel.positions.iter().map(place).collect();
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    order.sort_by_key(|v| (places[*v as usize], *v));
    let mut number = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        number[*old as usize] = new as u32;
    }
    panel.positions = order.iter().map(|old| panel.positions[*old as usize]).collect();
    let lists = panel.triangles.iter_mut().map(|triangle| &mut triangle[..]);
    let lists = lists.chain(panel.borders.iter_mut().map(|border| &mut border[..]));
    for v in lists.chain(panel.edges.iter_mut().map(|edge| &mut edge[..])).flatten() {
        *v = number[*v as usize];
    }
    panel.triangles.sort_by_key(|triangle| {
        let mut corners = *triangle;
        corners.sort_unstable();
        corners
    });
}

/// How far along the curve the cell in column `x` and row `y` is, in cells.
///
/// From the largest quarter to the smallest: the curve goes through quarters as a U, and each quarter holds a copy of it that is turned so
/// that ends meet.
fn along_curve(mut x: u32, mut y: u32) -> u64 {
    let mut way = 0;
    for level in (0..LEVELS).rev() {
        let half = 1 << level;
        let (right, upper) = (x & half != 0, y & half != 0);
        let quarter = match (right, upper) {
            (false, false) => 0,
            (false, true) => 1,
            (true, true) => 2,
            (true, false) => 3,
        };
        way += quarter << (2 * level);
        (x, y) = (x & (half - 1), y & (half - 1));
        match (right, upper) {
            (false, false) => (x, y) = (y, x),
            (true, false) => (x, y) = (half - 1 - y, half - 1 - x),
            _ => {}
        }
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve is one: cells that follow each other share a side, and none comes twice.
    #[test]
    fn the_curve_fills_the_square_without_a_jump() {
        let side = 32;
        let mut cells: Vec<(u64, i64, i64)> = (0..side * side)
            .map(|k| (along_curve(k % side, k / side), i64::from(k % side), i64::from(k / side)))
            .collect();
        cells.sort_unstable();
        for (k, pair) in cells.windows(2).enumerate() {
            let [(now, x, y), (next, u, v)] = [pair[0], pair[1]];
            assert_eq!((now, next), (k as u64, k as u64 + 1));
            assert_eq!((x - u).abs() + (y - v).abs(), 1, "after {x}, {y}");
        }
    }

    #[test]
    fn numbers_change_and_the_shape_does_not() {
        // Two triangles of a square whose corners were numbered crosswise, and a border that names them.
        let corners = [DVec2::ZERO, DVec2::ONE, DVec2::X, DVec2::Y];
        let mut panel = PanelMesh {
            name: String::new(),
            first: 0,
            positions: corners.to_vec(),
            triangles: vec![[0, 1, 3], [0, 2, 1]],
            borders: vec![vec![0, 2, 1, 3]],
            edges: vec![vec![0, 2], vec![2, 1], vec![1, 3], vec![3, 0]],
            warp: DVec2::Y,
        };
        let place = |panel: &PanelMesh, list: &[u32]| -> Vec<DVec2> {
            list.iter().map(|v| panel.positions[*v as usize]).collect()
        };
        let before = panel.clone();
        sort(&mut panel);
        assert_ne!(panel.positions, before.positions);
        assert_eq!(place(&panel, &panel.borders[0]), place(&before, &before.borders[0]));
        for (edge, same) in panel.edges.iter().zip(&before.edges) {
            assert_eq!(place(&panel, edge), place(&before, same));
        }
        for triangle in &before.triangles {
            let corners = place(&before, triangle);
            let is_there = panel.triangles.iter().any(|t| place(&panel, t) == corners);
            assert!(is_there, "{corners:?}");
        }
    }
}
