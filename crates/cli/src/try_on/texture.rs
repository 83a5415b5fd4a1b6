//! Texture coordinates: all panels on one sheet, at one scale.
//!
//! Panels keep the size and the direction they have in the pattern, so that a woven or printed texture lies as it would on the
//! cloth. They are laid in rows from the top left, in their order, a finger apart, and the sheet is scaled to a square of 1 by 1.

use toile_garment::mesh::FlatMesh;
use toile_mesh::DVec2;

/// Distance between panels on the sheet [m].
const APART: f64 = 0.01;
/// Width of the sheet over that of a square that the panels' boxes would fill.
const ROOM: f64 = 1.1;

/// Where panels lie on a texture.
pub(super) struct Sheet {
    /// `u` to the right and `v` downwards from 0 to 1, for each vertex of all panels.
    pub(super) uv: Vec<[f32; 2]>,
    /// Length of the sheet's sides [m].
    pub(super) side: f64,
}

impl Sheet {
    pub(super) fn new(flat: &FlatMesh) -> Self {
        let boxes: Vec<[DVec2; 2]> = flat.panels.iter().map(|panel| bounds(&panel.positions)).collect();
        let sizes = || boxes.iter().map(|[low, high]| *high - *low + DVec2::splat(APART));
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
        let uv = flat.panels.iter().zip(&boxes).zip(places).flat_map(|((panel, [low, high]), place)| {
            let from = DVec2::new(low.x, high.y);
            panel.positions.iter().map(move |p| {
                let at = (place + (*p - from) * DVec2::new(1.0, -1.0)) / side;
                [at.x as f32, at.y as f32]
            })
        });
        Self { uv: uv.collect(), side }
    }
}

fn bounds(points: &[DVec2]) -> [DVec2; 2] {
    points.iter().fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[low, high], p| [low.min(*p), high.max(*p)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_body::Figure;
    use toile_garment::draft::{Choices, Design, Size, draft};

    #[test]
    fn panels_lie_side_by_side_at_true_scale() {
        for design in [Design::TShirt, Design::Trousers, Design::ALineSkirt] {
            let pattern = draft(design, &Size::M.measurements(Figure::Female), &Choices::new()).unwrap();
            let flat = FlatMesh::new(&pattern, 0.05).unwrap();
            let sheet = Sheet::new(&flat);
            assert_eq!(sheet.uv.len(), flat.vertex_count());
            assert!(sheet.uv.iter().flatten().all(|c| (0.0..=1.0).contains(c)));
            let at = |v: usize| DVec2::new(f64::from(sheet.uv[v][0]), f64::from(sheet.uv[v][1])) * sheet.side;
            let mut boxes: Vec<[DVec2; 2]> = Vec::new();
            for panel in &flat.panels {
                let first = panel.first as usize;
                for (v, p) in panel.positions.iter().enumerate() {
                    let way = at(first + v) - at(first);
                    assert!((way * DVec2::new(1.0, -1.0) - (*p - panel.positions[0])).length() < 1e-6);
                }
                let places: Vec<DVec2> = (0..panel.positions.len()).map(|v| at(first + v)).collect();
                boxes.push(bounds(&places));
            }
            for (i, [low, high]) in boxes.iter().enumerate() {
                for [other_low, other_high] in &boxes[..i] {
                    assert!((low.cmpgt(*other_high) | other_low.cmpgt(*high)).any(), "{design:?}");
                }
            }
        }
    }
}
