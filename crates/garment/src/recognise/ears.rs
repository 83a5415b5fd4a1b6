//! Ears: pieces of a pocket that are grown onto a side, as side-seam pockets of trousers have them.
//!
//! The outline leaves a smooth side by a corner that points into the cloth, goes along outside of it, and comes back by another such corner
//! to the same side. Sewn, an ear hangs inside as half of the pocket bag; worn, the side runs on behind it. So it is cut off.

use kurbo::{Point, Vec2};

use super::cut::replace_run;
use super::stretch::{directions, turn};
use crate::curve::{Curve, Segment};
use crate::pattern::{Edge, Panel};

/// Length of an ear along its side [m]: the opening for a hand.
const OPENING: [f64; 2] = [0.08, 0.26];
/// How far it stands out [m].
const STANDS_OUT: [f64; 2] = [0.01, 0.08];
/// Most edges of an ear.
const MOST_EDGES: usize = 5;
/// Least turn into the cloth where an ear begins and ends [rad].
const INTO: f64 = 0.6;
/// Greatest turn of the side behind an ear [rad].
const STRAIGHT_ON: f64 = 0.35;

/// Cuts off all ears of a panel and returns how many there were.
pub(super) fn cut_off(panel: &mut Panel) -> usize {
    let mut count = 0;
    while let Some(run) = find(panel) {
        let Some(first) = panel.segment(run[0]) else { break };
        let name = panel.outline[run[0]].name.clone();
        replace_run(panel, &run, &Edge::new(name, first.start, Curve::Line));
        count += 1;
    }
    count
}

/// The edges of the first ear.
fn find(panel: &Panel) -> Option<Vec<usize>> {
    let count = panel.outline.len();
    let segments: Vec<Segment> = (0..count).filter_map(|edge| panel.segment(edge)).collect();
    if segments.len() != count {
        return None;
    }
    let ways: Vec<[Vec2; 2]> = segments.iter().map(directions).collect();
    let before = |edge: usize| (edge + count - 1) % count;
    // Outlines run counter-clockwise: a turn to the right goes into the cloth's own corner and out of the side.
    let is_into = |edge: usize| turn(ways[before(edge)][1], ways[edge][0]) < -INTO;
    for first in (0..count).filter(|edge| is_into(*edge)) {
        for length in 2..=MOST_EDGES.min(count.saturating_sub(3)) {
            let run: Vec<usize> = (0..length).map(|k| (first + k) % count).collect();
            let after = (first + length) % count;
            let (start, end) = (segments[first].start, segments[after].start);
            let chord = end - start;
            if !is_into(after) || !(OPENING[0]..=OPENING[1]).contains(&chord.hypot()) {
                continue;
            }
            let goes_on = turn(ways[before(first)][1], chord).abs() < STRAIGHT_ON
                && turn(chord, ways[after][0]).abs() < STRAIGHT_ON;
            // Outside is to the right of the way.
            let mut points: Vec<Point> = Vec::new();
            for edge in &run {
                segments[*edge].flatten(1e-3, &mut points);
            }
            let out = |p: &Point| -chord.cross(*p - start) / chord.hypot();
            let (least, most) =
                points.iter().map(out).fold((0.0_f64, 0.0_f64), |(low, high), d| (low.min(d), high.max(d)));
            if goes_on && least > -STANDS_OUT[0] && (STANDS_OUT[0]..=STANDS_OUT[1]).contains(&most) {
                return Some(run);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(corners: &[(f64, f64)]) -> Panel {
        let corner =
            |(k, (x, y)): (usize, &(f64, f64))| Edge::new(format!("edge_{k}"), Point::new(*x, *y), Curve::Line);
        Panel::new("leg", corners.iter().enumerate().map(corner).collect())
    }

    #[test]
    fn a_pocket_that_is_grown_on_is_cut_off_and_a_step_or_a_tooth_is_not() {
        let with = |ear: &[(f64, f64)]| {
            let mut corners = vec![(0.0, 0.0), (0.25, 0.0)];
            corners.extend(ear);
            corners.extend([(0.25, 1.0), (0.0, 1.0)]);
            outline(&corners)
        };
        let mut leg = with(&[(0.25, 0.75), (0.28, 0.74), (0.28, 0.9), (0.25, 0.9)]);
        assert_eq!(cut_off(&mut leg), 1);
        assert_eq!(leg.outline.len(), 6);
        assert!((leg.bounds().x1 - 0.25).abs() < 1e-12, "{:?}", leg.bounds());
        // A side that steps out and stays there, a tooth, and an ear as wide as a sleeve are no pockets.
        for other in [
            &[(0.25, 0.75), (0.28, 0.75), (0.28, 0.999)][..],
            &[(0.25, 0.8), (0.28, 0.81), (0.28, 0.83), (0.25, 0.84)],
            &[(0.25, 0.7), (0.45, 0.7), (0.45, 0.9), (0.25, 0.9)],
        ] {
            let mut panel = with(other);
            let before = panel.outline.len();
            assert_eq!((cut_off(&mut panel), panel.outline.len()), (0, before), "{other:?}");
        }
    }
}
