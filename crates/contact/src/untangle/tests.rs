//! Tangles of sheets, parted and judged.

use proptest::prelude::*;
use toile_mesh::{DQuat, DVec3, TriMesh, generate, judge};

use super::{Tangle, Untangled, untangle};
use crate::PlacedObstacles;

/// Distance to reach [m].
const GAP: f64 = 3e-4;

/// Several sheets as one cloth, with their layers.
#[derive(Default)]
struct Sheets {
    cloth: TriMesh,
    sheet: Vec<u32>,
    layer: Vec<u32>,
    held: Vec<u32>,
}

impl Sheets {
    fn add(&mut self, mesh: &TriMesh, layer: u32) {
        self.sheet.extend(vec![self.layer.len() as u32; mesh.vertex_count()]);
        self.layer.push(layer);
        self.cloth.append(mesh);
    }

    fn untangle(&self, meshes: &[TriMesh]) -> Untangled {
        let count = self.cloth.vertex_count();
        let held: Vec<bool> = (0..count as u32).map(|v| self.held.contains(&v)).collect();
        untangle(&Tangle {
            cloth: &self.cloth,
            rest: &self.cloth.positions,
            held: &held,
            sheet: &self.sheet,
            layer: &self.layer,
            gap: &vec![GAP; self.layer.len()],
            sewn: &[],
            self_contact: true,
            obstacles: &PlacedObstacles::default(),
            meshes,
            obstacle_gap: GAP,
        })
    }
}

fn judged(sheets: &Sheets, result: &Untangled) -> usize {
    let mesh = TriMesh { positions: result.positions.clone(), triangles: sheets.cloth.triangles.clone() };
    judge::self_intersections(&mesh).count()
}

fn upright(size: f64, cells: usize, at: DVec3) -> TriMesh {
    let turn = DQuat::from_rotation_y(0.3) * DQuat::from_rotation_x(1.45);
    generate::plane([size, size], [cells, cells]).map_positions(|p| turn * p + at)
}

#[test]
fn a_held_sheet_that_goes_through_another_is_drawn_back() {
    let mut sheets = Sheets::default();
    sheets.add(&generate::plane([0.6, 0.6], [12, 12]), 0);
    sheets.add(&upright(0.3, 6, DVec3::new(0.01, 0.11, 0.013)), 0);
    assert!(judged(&sheets, &Untangled { positions: sheets.cloth.positions.clone(), ..sheets.untangle(&[]) }) > 0);
    // Hold the upper corners of the upright sheet: it cannot move as a whole.
    let top = |v: &u32| sheets.cloth.positions[*v as usize].y > 0.25;
    sheets.held = (169..sheets.cloth.vertex_count() as u32).filter(top).collect();
    assert!(!sheets.held.is_empty());
    let result = sheets.untangle(&[]);
    assert!(result.parted, "{} left after {} rounds", judged(&sheets, &result), result.rounds);
    assert_eq!(judged(&sheets, &result), 0);
    for v in &sheets.held {
        assert_eq!(result.positions[*v as usize], sheets.cloth.positions[*v as usize]);
    }
}

#[test]
fn sheets_in_one_place_are_stacked_by_layer() {
    let mut sheets = Sheets::default();
    for layer in [2, 0, 1] {
        sheets.add(&generate::plane([0.3, 0.3], [6, 6]), layer);
    }
    let result = sheets.untangle(&[]);
    assert!(result.parted && judged(&sheets, &result) == 0);
    let height = |s: usize| result.positions[49 * s..49 * (s + 1)].iter().map(|p| p.y).sum::<f64>() / 49.0;
    assert!(height(1) < height(2) && height(2) < height(0), "{} {} {}", height(1), height(2), height(0));
}

#[test]
fn nothing_moves_where_nothing_intersects() {
    let mut sheets = Sheets::default();
    sheets.add(&generate::plane([0.3, 0.3], [6, 6]), 0);
    sheets.add(&generate::plane([0.3, 0.3], [6, 6]).map_positions(|p| p + 0.01 * DVec3::Y), 0);
    let result = sheets.untangle(&[]);
    assert!(result.parted);
    assert_eq!((result.positions, result.rounds), (sheets.cloth.positions.clone(), 0));
}

#[test]
fn positions_that_are_not_numbers_are_refused() {
    let mut sheets = Sheets::default();
    sheets.add(&generate::plane([0.3, 0.3], [2, 2]), 0);
    sheets.cloth.positions[3].y = f64::NAN;
    assert!(!sheets.untangle(&[]).parted);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn small_crossings_end_clean_or_refused(
        at in prop::array::uniform3(-0.12..0.12_f64),
        turn in prop::array::uniform3(-3.0..3.0_f64),
        hold: bool,
    ) {
        let mut sheets = Sheets::default();
        sheets.add(&generate::plane([0.3, 0.3], [5, 5]), 0);
        let turn = DQuat::from_scaled_axis(DVec3::from(turn));
        sheets.add(&generate::plane([0.2, 0.25], [4, 5]).map_positions(|p| turn * p + DVec3::from(at)), 0);
        if hold {
            sheets.held = vec![0, 36];
        }
        let result = sheets.untangle(&[]);
        prop_assert!(result.positions.iter().all(|p| p.is_finite()));
        if result.parted {
            prop_assert_eq!(judged(&sheets, &result), 0);
            prop_assert!(result.largest_stretch <= super::LARGEST_STRETCH);
        }
        for v in &sheets.held {
            prop_assert_eq!(result.positions[*v as usize], sheets.cloth.positions[*v as usize]);
        }
    }
}
