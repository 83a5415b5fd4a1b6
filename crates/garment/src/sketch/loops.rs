//! Loops of curves, and the edges they are parted into.

use kurbo::{Point, Vec2};

use crate::check::signed_area;
use crate::curve::{Curve, Segment};
use crate::pattern::Edge;

/// Turn above which an outline has a corner [rad]: 20°.
const CORNER: f64 = 0.35;
/// How far polylines may leave curves [m].
const FLAT: f64 = 2e-6;
/// A run of lines that leaves its chord by less is straight [m].
const STRAIGHT: f64 = 2e-5;

/// Lists a loop counter-clockwise, or clockwise.
pub(super) fn turn_round(ring: &mut Vec<Segment>, counter_clockwise: bool) {
    let mut points = Vec::new();
    for segment in &*ring {
        segment.flatten(1e-4, &mut points);
    }
    if (signed_area(&points) > 0.0) != counter_clockwise {
        *ring = ring.iter().rev().map(Segment::reversed).collect();
    }
}

/// Numbers of the segments at whose start a loop has a corner.
pub(super) fn corners(ring: &[Segment]) -> Vec<usize> {
    let count = ring.len();
    let is_corner = |i: usize| {
        let (u, v) = (ring[(i + count - 1) % count].direction_at_end(), ring[i].direction_at_start());
        u.cross(v).atan2(u.dot(v)).abs() > CORNER
    };
    (0..count).filter(|i| is_corner(*i)).collect()
}

/// Parts the cap of a sleeve at its top: where the run of curves over it is highest along the grain.
pub(super) fn part_at_top(ring: &mut Vec<Segment>, cuts: &mut Vec<usize>, grain: Option<[Point; 2]>) {
    let mut up = grain.map_or(Vec2::new(0.0, 1.0), |[from, to]| to - from);
    if up.y < 0.0 {
        up = -up;
    }
    let up = up / up.hypot().max(1e-12);
    let height = |point: Point| point.to_vec2().dot(up);
    let steps = 200;
    let mut top = (0, 0.0, f64::MIN);
    for (i, segment) in ring.iter().enumerate() {
        for k in 0..steps {
            let at = f64::from(k) / f64::from(steps);
            let here = height(segment.at_fraction(at));
            if here > top.2 + 1e-9 {
                top = (i, at, here);
            }
        }
    }
    let (i, at, _) = top;
    let near_end = |at: f64| at * ring[i].length() < 5e-3 || (1.0 - at) * ring[i].length() < 5e-3;
    if near_end(at) {
        let next = if at < 0.5 { i } else { (i + 1) % ring.len() };
        if !cuts.contains(&next) {
            cuts.push(next);
            cuts.sort_unstable();
        }
        return;
    }
    let (before, after) = (ring[i].piece(0.0, at), ring[i].piece(at, 1.0));
    ring.splice(i..=i, [before, after]);
    cuts.iter_mut().filter(|cut| **cut > i).for_each(|cut| *cut += 1);
    cuts.push(i + 1);
    cuts.sort_unstable();
}

/// One edge per run between cuts.
pub(super) fn edges(ring: &[Segment], cuts: &[usize], name: &str) -> Vec<Edge> {
    let count = ring.len();
    let none = [0];
    let cuts = if cuts.is_empty() { &none[..] } else { cuts };
    let mut edges = Vec::new();
    for (k, &from) in cuts.iter().enumerate() {
        let to = cuts[(k + 1) % cuts.len()];
        let span = if cuts.len() == 1 { count } else { (to + count - from) % count };
        let run: Vec<Segment> = (0..span).map(|j| ring[(from + j) % count].clone()).collect();
        // A loop without two corners is parted in the middle, so that it has two edges.
        if cuts.len() == 1 && run.len() > 1 {
            let half = run.len() / 2;
            edges.push(Edge::new(format!("{name}_1"), run[0].start, joined(&run[..half])));
            edges.push(Edge::new(format!("{name}_2"), run[half].start, joined(&run[half..])));
        } else {
            edges.push(Edge::new(format!("{name}_{}", k + 1), run[0].start, joined(&run)));
        }
    }
    edges
}

/// The curve of a run of segments.
pub(super) fn joined(run: &[Segment]) -> Curve {
    let [one] = run else {
        let mut points = Vec::new();
        for segment in run {
            segment.flatten(FLAT, &mut points);
        }
        let (start, end) = (run[0].start, run[run.len() - 1].end);
        points.remove(0);
        points.retain(|point| point.is_finite());
        let chord = end - start;
        let away = |point: &Point| (chord.cross(*point - start) / chord.hypot().max(1e-12)).abs();
        let is_straight = chord.hypot() > STRAIGHT && points.iter().all(|point| away(point) < STRAIGHT);
        return if is_straight { Curve::Line } else { Curve::Points(points) };
    };
    one.curve.clone()
}
