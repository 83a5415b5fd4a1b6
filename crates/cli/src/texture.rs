//! Texture coordinates: all panels on one sheet, at one scale.
//!
//! Panels keep the size and the direction they have in the pattern, so that a woven or printed texture lies as it would on the
//! cloth. They are laid in rows from the top left, in their order, a finger apart, and the sheet is scaled to a square of 1 by 1.

use toile_mesh::DVec2;

/// Distance between panels on the sheet [m].
const APART: f64 = 0.01;
/// Width of the sheet over that of a square that the panels' boxes would fill.
const ROOM: f64 = 1.1;

/// Where panels lie on a texture.
pub(crate) struct Sheet {
    /// For each corner of each triangle, `u` to the right and `v` downwards from 0 to 1.
    pub(crate) uv: Vec<[[f32; 2]; 3]>,
    /// Length of the sheet's sides [m].
    pub(crate) side: f64,
}

impl Sheet {
    /// For triangles with the number of their panel, and their corners on it [m], y up.
    pub(crate) fn new(triangles: &[(u32, [DVec2; 3])]) -> Self {
        let count = triangles.iter().map(|(panel, _)| *panel as usize + 1).max().unwrap_or(0);
        let mut boxes = vec![[DVec2::INFINITY, DVec2::NEG_INFINITY]; count];
        for (panel, corners) in triangles {
            let [low, high] = &mut boxes[*panel as usize];
            (*low, *high) = corners.iter().fold((*low, *high), |(low, high), p| (low.min(*p), high.max(*p)));
        }
        // A panel without triangles takes no room.
        let sizes = || boxes.iter().map(|[low, high]| (*high - *low).max(DVec2::ZERO) + DVec2::splat(APART));
        let widest = sizes().map(|size| size.x).fold(0.0, f64::max);
        let width = widest.max(ROOM * sizes().map(|size| size.x * size.y).sum::<f64>().sqrt());
        let (mut corner, mut row, mut side) = (DVec2::ZERO, 0.0_f64, width);
        let mut places = Vec::new();
        for size in sizes() {
            if corner.x > 0.0 && corner.x + size.x > width {
                corner = DVec2::new(0.0, corner.y + row);
                row = 0.0;
            }
            places.push(corner + 0.5 * DVec2::splat(APART));
            corner.x += size.x;
            row = row.max(size.y);
            side = side.max(corner.y + row);
        }
        let uv = triangles.iter().map(|(panel, corners)| {
            let ([low, high], place) = (boxes[*panel as usize], places[*panel as usize]);
            corners.map(|p| {
                let at = (place + (p - DVec2::new(low.x, high.y)) * DVec2::new(1.0, -1.0)) / side;
                [at.x as f32, at.y as f32]
            })
        });
        Self { uv: uv.collect(), side }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_body::Figure;
    use toile_garment::draft::{Choices, Design, Size, draft};
    use toile_garment::mesh::FlatMesh;

    #[test]
    fn panels_lie_side_by_side_at_true_scale() {
        for design in [Design::TShirt, Design::Trousers, Design::ALineSkirt] {
            let pattern = draft(design, &Size::M.measurements(Figure::Female), &Choices::new()).unwrap();
            let flat = FlatMesh::new(&pattern, 0.05).unwrap();
            let triangles: Vec<(u32, [DVec2; 3])> = (0..)
                .zip(&flat.panels)
                .flat_map(|(k, panel)| panel.triangles.iter().map(move |t| (k, t.map(|v| panel.positions[v as usize]))))
                .collect();
            let sheet = Sheet::new(&triangles);
            assert_eq!(sheet.uv.len(), triangles.len());
            assert!(sheet.uv.iter().flatten().flatten().all(|c| (0.0..=1.0).contains(c)));
            let at = |uv: [f32; 2]| DVec2::from(uv.map(f64::from)) * sheet.side;
            let mut boxes = vec![[DVec2::INFINITY, DVec2::NEG_INFINITY]; flat.panels.len()];
            let mut first: Vec<Option<(DVec2, DVec2)>> = vec![None; flat.panels.len()];
            for ((panel, corners), uv) in triangles.iter().zip(&sheet.uv) {
                for (p, uv) in corners.iter().zip(uv) {
                    let (from, place) = *first[*panel as usize].get_or_insert((*p, at(*uv)));
                    let way = at(*uv) - place;
                    assert!((way * DVec2::new(1.0, -1.0) - (*p - from)).length() < 1e-6);
                    let [low, high] = boxes[*panel as usize];
                    boxes[*panel as usize] = [low.min(at(*uv)), high.max(at(*uv))];
                }
            }
            for (i, [low, high]) in boxes.iter().enumerate() {
                for [other_low, other_high] in &boxes[..i] {
                    assert!((low.cmpgt(*other_high) | other_low.cmpgt(*high)).any(), "{design:?}");
                }
            }
        }
    }
}
