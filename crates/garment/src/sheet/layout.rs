//! [`lay_out`]: pieces side by side on sheets, without overlap.
//!
//! Each piece is turned so that its grainline is vertical, upright or upside down, and described by its extent in columns of
//! 4 mm. The sheet remembers how far down each column is taken. Pieces come largest first; each goes where its lower end
//! is highest on the sheet, then furthest left (bottom-left placement, Baker, Coffman and Rivest 1980, upside down and
//! with true outlines instead of boxes).

use kurbo::{Affine, Point, Vec2};

use super::Piece;
use crate::check::signed_area;

/// Width of a column [mm].
const COLUMN: f64 = 4.0;
/// Space between pieces [mm]; two columns.
pub(super) const GAP: f64 = 8.0;

/// Where a piece is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The sheet, from 0.
    pub(super) sheet: usize,
    /// From the panel [m] to the sheet [mm], y down.
    pub(super) map: Affine,
}

/// Pieces on sheets.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Where each piece is.
    pub(super) places: Vec<Place>,
    /// Extent to the right that is used [mm], over all sheets.
    pub(super) width: f64,
    /// Extent downwards that is used on each sheet [mm].
    pub(super) heights: Vec<f64>,
}

/// The space that pieces are laid into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// From the left edge [mm].
    pub(super) width: f64,
    /// From the upper edge [mm]; infinite for one sheet as long as needed.
    pub(super) height: f64,
}

/// A piece turned, with its upper left corner at the origin.
struct Turned {
    map: Affine,
    width: f64,
    height: f64,
    /// First and last y of each column, space around included.
    columns: Vec<(f64, f64)>,
}

/// Width that the widest piece needs [mm].
pub(super) fn widest(pieces: &[Piece]) -> f64 {
    pieces.iter().map(|piece| turned(piece, false).width).fold(0.0, f64::max)
}

/// The longest piece: its number and its length along the grain [mm].
pub(super) fn longest(pieces: &[Piece]) -> Option<(usize, f64)> {
    let lengths = pieces.iter().map(|piece| turned(piece, false).height).enumerate();
    lengths.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Lays pieces into rooms of one size, as many as needed. Every piece must fit into the room alone.
pub(super) fn lay_out(pieces: &[Piece], room: Room) -> Layout {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    let area = |i: usize| signed_area(&pieces[i].cut[0]);
    order.sort_by(|&i, &j| area(j).total_cmp(&area(i)).then(i.cmp(&j)));
    let columns = ((room.width / COLUMN).floor() as usize).max(1);
    let mut taken: Vec<Vec<f64>> = vec![vec![0.0; columns]];
    let mut places = vec![Place { sheet: 0, map: Affine::IDENTITY }; pieces.len()];
    let mut layout = Layout { places: Vec::new(), width: 0.0, heights: vec![0.0] };
    for i in order {
        let options = [turned(&pieces[i], false), turned(&pieces[i], true)];
        let mut sheet = 0;
        loop {
            if sheet == taken.len() {
                taken.push(vec![0.0; columns]);
                layout.heights.push(0.0);
            }
            let best = options.iter().map(|option| (option, highest_end(option, &taken[sheet]))).min_by(|a, b| {
                let end = |(option, at): &(&Turned, (usize, f64))| at.1 + option.height;
                end(a).total_cmp(&end(b)).then(a.1.0.cmp(&b.1.0))
            });
            let is_fresh = taken[sheet].iter().all(|y| *y == 0.0);
            if let Some((option, (column, y))) = best
                && (y + option.height <= room.height || is_fresh)
            {
                let x = column as f64 * COLUMN;
                for (k, (_, last)) in option.columns.iter().enumerate() {
                    if let Some(slot) = taken[sheet].get_mut(column + k) {
                        *slot = y + last;
                    }
                }
                places[i] = Place { sheet, map: Affine::translate(Vec2::new(x, y)) * option.map };
                layout.width = layout.width.max(x + option.width);
                layout.heights[sheet] = layout.heights[sheet].max(y + option.height);
                break;
            }
            sheet += 1;
        }
    }
    layout.places = places;
    layout
}

/// The first column and the y at which a piece ends highest. A piece that is wider than the sheet starts at its left edge.
fn highest_end(piece: &Turned, taken: &[f64]) -> (usize, f64) {
    let room = taken.len();
    // The space behind the last column need not be on the sheet.
    let own = ((piece.width / COLUMN).ceil() as usize).min(piece.columns.len()).max(1);
    let mut best = (0, f64::INFINITY);
    for column in 0..=room.saturating_sub(own) {
        let pairs = piece.columns.iter().zip(&taken[column..]);
        let y = pairs.map(|((first, _), taken)| taken - first).fold(0.0, f64::max);
        if y < best.1 - 1e-9 {
            best = (column, y);
        }
    }
    best
}

fn turned(piece: &Piece, upside_down: bool) -> Turned {
    let warp = if upside_down { -piece.warp() } else { piece.warp() };
    // The warp goes up on the sheet, whose y points down.
    let turn = Affine::new([1e3 * warp.y, -1e3 * warp.x, -1e3 * warp.x, -1e3 * warp.y, 0.0, 0.0]);
    let points = piece.outline_on(turn);
    let low = points.iter().fold(Point::new(f64::MAX, f64::MAX), |low, p| Point::new(low.x.min(p.x), low.y.min(p.y)));
    let high = points.iter().fold(Point::new(f64::MIN, f64::MIN), |h, p| Point::new(h.x.max(p.x), h.y.max(p.y)));
    let map = Affine::translate(-low.to_vec2()) * turn;
    let (width, height) = (high.x - low.x, high.y - low.y);
    let columns = columns(&piece.outline_on(map), width);
    Turned { map, width, height, columns }
}

/// First and last y of a polygon in each column, space around included.
fn columns(points: &[Point], width: f64) -> Vec<(f64, f64)> {
    let count = (width / COLUMN).ceil() as usize + 1;
    let mut bare = vec![(f64::INFINITY, f64::NEG_INFINITY); count];
    for (i, &p) in points.iter().enumerate() {
        let q = points[(i + 1) % points.len()];
        let (left, right) = if p.x <= q.x { (p, q) } else { (q, p) };
        let first = (left.x / COLUMN).floor().max(0.0) as usize;
        let last = ((right.x / COLUMN).floor() as usize).min(count - 1);
        for (column, slot) in bare.iter_mut().enumerate().take(last + 1).skip(first) {
            let at = |x: f64| {
                let span = right.x - left.x;
                let t = if span > 0.0 { ((x - left.x) / span).clamp(0.0, 1.0) } else { 0.0 };
                left.y + t * (right.y - left.y)
            };
            let x = column as f64 * COLUMN;
            let ends = if right.x > left.x { [at(x), at(x + COLUMN)] } else { [left.y, right.y] };
            slot.0 = slot.0.min(ends[0]).min(ends[1]);
            slot.1 = slot.1.max(ends[0]).max(ends[1]);
        }
    }
    // Space to the right comes from later columns, space to the left from the neighbour's own.
    let around = (GAP / COLUMN).ceil() as usize;
    (0..count + around)
        .map(|column| {
            let near = &bare[column.saturating_sub(around)..(column + around + 1).min(count)];
            let first = near.iter().map(|(first, _)| *first).fold(f64::INFINITY, f64::min);
            let last = near.iter().map(|(_, last)| *last).fold(f64::NEG_INFINITY, f64::max);
            (first, last + GAP)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::is_inside;
    use crate::draft::{Choices, Design, draft};
    use crate::sheet::{SheetOptions, pieces};
    use toile_body::{Figure, Given, complete};

    /// Smallest distance of two polygons, negative if one has a corner in the other; brute force.
    fn clearance(p: &[Point], q: &[Point]) -> f64 {
        let side =
            |r: Point, s: &[Point], i: usize| super::super::offset::distance_to_side(r, s[i], s[(i + 1) % s.len()]);
        let from = |p: &[Point], q: &[Point]| {
            p.iter().flat_map(|r| (0..q.len()).map(move |i| side(*r, q, i))).fold(f64::INFINITY, f64::min)
        };
        if is_inside(p[0], q) || is_inside(q[0], p) { -1.0 } else { from(p, q).min(from(q, p)) }
    }

    #[test]
    fn pieces_of_every_garment_keep_apart_and_on_the_sheet_with_vertical_grain() {
        let body = complete(Figure::Female, &Given::NONE);
        for design in Design::ALL {
            let pattern = draft(*design, &body, &Choices::new()).unwrap();
            let mut pieces = pieces(&pattern, &SheetOptions::default()).unwrap();
            // One grainline is slanted.
            pieces[0].grain = [Point::ZERO, Point::new(0.3, 0.4)];
            let room = Room { width: widest(&pieces).max(841.0), height: f64::INFINITY };
            let layout = lay_out(&pieces, room);
            let outlines: Vec<Vec<Point>> = pieces
                .iter()
                .zip(&layout.places)
                .map(|(piece, place)| super::super::offset::simplified(&piece.outline_on(place.map), 0.05))
                .collect();
            for (i, outline) in outlines.iter().enumerate() {
                for point in outline {
                    assert!(point.x > -1e-6 && point.x < room.width + 1e-6 && point.y > -1e-6, "{point:?}");
                    assert!(point.y < layout.heights[0] + 1e-6);
                }
                for other in &outlines[..i] {
                    let free = clearance(outline, other);
                    assert!(free > 0.5 * GAP, "{} {}: {free}", design.word(), pieces[i].name);
                }
                let [from, to] = pieces[i].grain.map(|point| layout.places[i].map * point);
                assert!((from.x - to.x).abs() < 1e-6, "{}", pieces[i].name);
                // One to one: a metre of the panel is a thousand millimetres of the sheet, and nothing is mirrored.
                let scale = layout.places[i].map.determinant();
                assert!((scale + 1e6).abs() < 1e-3, "{scale}");
            }
        }
    }

    #[test]
    fn pieces_go_on_to_another_sheet_when_one_is_full() {
        let body = complete(Figure::Female, &Given::NONE);
        let pattern = draft(Design::Trousers, &body, &Choices::new()).unwrap();
        let pieces = pieces(&pattern, &SheetOptions::default()).unwrap();
        let (_, longest) = longest(&pieces).unwrap();
        let layout = lay_out(&pieces, Room { width: widest(&pieces), height: longest + 1.0 });
        assert!(layout.heights.len() > 1);
        assert!(layout.heights.iter().all(|height| *height <= longest + 1.0 && *height > 0.0));
    }
}
