//! [`cut_line`]: the outline of a panel moved outwards by the allowance of each of its edges.
//!
//! The outline is a polygon `P_i` whose side `i` has the outward normal `n_i` (to its right) and the distance `d_i`. A *raw*
//! line runs along the sides moved by `d_i n_i` and joins them at the corners, where the outline turns by `θ`:
//!
//! - along a curve (`θ` small, one distance): the mitre `P + d / cos(θ/2) b` with the bisector `b`, or a fan of normals;
//! - at a convex corner: the mitre, the point `P + a` with `a·n_1 = d_1` and `a·n_2 = d_2`; squared off at `1.5 d` where it
//!   would be further than `2 d` away; a step square to the wider side where one strip ends before the other;
//! - at a concave corner: through the corner itself.
//!
//! Where curves are hollower than their allowance, and at concave corners, the raw line crosses itself. What it encloses twice
//! or backwards lies within the allowance of another side, so the cut line is the border of the space outside: from its lowest point
//! the raw line is followed, and at every crossing the way that turns right is taken.
//!
//! The line is within 0.02 mm of the true offset for curves of radius 1 mm and more.

use kurbo::{Point, Vec2};

use crate::check::{is_inside, signed_area};

/// Sides shorter than this have no direction [m].
const SHORTEST: f64 = 1e-9;
/// Turn of an outline above which it has a corner [rad]: 20°.
const CORNER: f64 = 0.35;
/// Turn below which one point per corner is accurate enough [rad]: 0.5°.
const SMOOTH: f64 = 0.0087;
/// Step of normals around a rounded corner [rad]: 2°.
const FAN: f64 = 0.035;
/// Turn below which sides of unlike distance are joined by a step [rad]: 10°.
const STRAIGHT: f64 = 0.17;
/// Furthest mitre, in distances.
const MITRE: f64 = 2.0;
/// Distance of the line that squares a sharp corner off, in distances.
const SQUARED: f64 = 1.5;
/// Furthest mitre of sides of unlike distance, in distances of the wider one.
const UNLIKE_MITRE: f64 = 3.0;
/// How far the simplified line may leave the exact one [m].
const SIMPLIFIED: f64 = 2e-6;
/// Factors on distances with which the line is tried again where points coincide.
const TRIES: [f64; 5] = [1.0, 1.000_01, 0.999_99, 1.000_1, 0.999_9];

/// A piece of an outline with one allowance.
pub(super) struct Strip {
    /// Corners of its straight pieces, both ends included [m].
    pub(super) points: Vec<Point>,
    /// The allowance [m].
    pub(super) distance: f64,
}

/// One corner of the outline with the distance of the side that starts there.
#[derive(Clone, Copy)]
struct Corner {
    at: Point,
    distance: f64,
}

/// The line to cut along, for strips that follow each other around an outline (counter-clockwise) or a hole (clockwise). `None` if
/// the allowance leaves nothing of a hole.
pub(super) fn cut_line(strips: &[Strip]) -> Option<Vec<Point>> {
    let corners = corners(strips);
    if corners.len() < 3 {
        return None;
    }
    let outline: Vec<Point> = corners.iter().map(|corner| corner.at).collect();
    if corners.iter().all(|corner| corner.distance == 0.0) {
        return Some(outline);
    }
    let area = signed_area(&outline);
    for factor in TRIES {
        let raw = raw_line(&corners, factor);
        let start = if area > 0.0 { lowest(&raw) } else { free_point(&raw, &corners, &outline, factor) };
        let traced = start.and_then(|start| trace(&raw, start));
        let good = |line: &Vec<Point>| {
            let found = signed_area(line);
            if area > 0.0 { found >= area * (1.0 - 1e-9) } else { found < -1e-8 && found >= area * (1.0 + 1e-9) }
        };
        if let Some(line) = traced.filter(good) {
            return Some(simplified(&line, SIMPLIFIED));
        }
    }
    None
}

fn corners(strips: &[Strip]) -> Vec<Corner> {
    let mut corners: Vec<Corner> = Vec::new();
    for strip in strips {
        for pair in strip.points.windows(2) {
            if pair[0].distance(pair[1]) > SHORTEST {
                corners.push(Corner { at: pair[0], distance: strip.distance });
            }
        }
    }
    corners
}

/// The normal to the right of a direction: outwards, since the cloth is on the left.
fn right(along: Vec2) -> Vec2 {
    Vec2::new(along.y, -along.x)
}

fn direction(from: Point, to: Point) -> Vec2 {
    let along = to - from;
    along / along.hypot()
}

/// All sides moved outwards and joined; it may cross itself.
fn raw_line(corners: &[Corner], factor: f64) -> Vec<Point> {
    let count = corners.len();
    let mut raw = Vec::with_capacity(2 * count);
    for i in 0..count {
        let (before, here) = (corners[(i + count - 1) % count], corners[i]);
        let (u, v) = (direction(before.at, here.at), direction(here.at, corners[(i + 1) % count].at));
        let (d1, d2) = (factor * before.distance, factor * here.distance);
        if (d1 - d2).abs() < SHORTEST {
            join_like(here.at, [u, v], d2, &mut raw);
        } else {
            join_unlike(here.at, [u, v], [d1, d2], &mut raw);
        }
    }
    raw.dedup_by(|next, kept| next.distance(*kept) < SHORTEST);
    while raw.len() > 1 && raw[0].distance(raw[raw.len() - 1]) < SHORTEST {
        raw.pop();
    }
    raw
}

/// Joins two sides of the same distance.
fn join_like(corner: Point, [u, v]: [Vec2; 2], d: f64, raw: &mut Vec<Point>) {
    if d == 0.0 {
        raw.push(corner);
        return;
    }
    let turn = u.cross(v).atan2(u.dot(v));
    let (n1, n2) = (right(u), right(v));
    let sum = n1 + n2;
    let bisector = sum / sum.hypot().max(1e-12);
    let half = (0.5 * turn).cos();
    if turn.abs() <= SMOOTH || (turn < 0.0 && turn > -STRAIGHT) {
        raw.push(corner + d / half * bisector);
    } else if turn < 0.0 {
        raw.extend([corner + d * n1, corner, corner + d * n2]);
    } else if turn <= CORNER {
        let steps = (turn / FAN).ceil().max(1.0);
        for k in 0..=(steps as usize) {
            let (sin, cos) = (turn * k as f64 / steps).sin_cos();
            raw.push(corner + d * Vec2::new(cos * n1.x - sin * n1.y, sin * n1.x + cos * n1.y));
        }
    } else if half * MITRE >= 1.0 {
        raw.push(corner + d / half * bisector);
    } else {
        let along = (SQUARED - half) / (0.5 * turn).sin().max(1e-9) * d;
        raw.extend([corner + d * n1 + along * u, corner + d * n2 - along * v]);
    }
}

/// Joins two sides of unlike distances.
fn join_unlike(corner: Point, [u, v]: [Vec2; 2], [d1, d2]: [f64; 2], raw: &mut Vec<Point>) {
    let turn = u.cross(v).atan2(u.dot(v));
    let (n1, n2) = (right(u), right(v));
    if turn < -STRAIGHT {
        raw.extend([corner + d1 * n1, corner, corner + d2 * n2]);
        return;
    }
    if turn <= STRAIGHT {
        raw.extend([corner + d1 * n1, corner + d2 * n2]);
        return;
    }
    let cosine = n1.dot(n2);
    let a = (d1 * (n1 - cosine * n2) + d2 * (n2 - cosine * n1)) / (1.0 - cosine * cosine).max(1e-12);
    if a.dot(u) < 0.0 && cosine > 0.0 {
        raw.extend([corner + d1 * n1, corner + d2 / cosine * n1]);
    } else if a.dot(v) > 0.0 && cosine > 0.0 {
        raw.extend([corner + d1 / cosine * n2, corner + d2 * n2]);
    } else if a.hypot() <= UNLIKE_MITRE * d1.max(d2) {
        raw.push(corner + a);
    } else {
        let reach = UNLIKE_MITRE * d1.max(d2);
        let along = |d: f64| (reach * reach - d * d).max(0.0).sqrt();
        raw.extend([corner + d1 * n1 + along(d1) * u, corner + d2 * n2 - along(d2) * v]);
    }
}

/// Number of the lowest point, which borders on the space outside.
fn lowest(raw: &[Point]) -> Option<usize> {
    (0..raw.len()).min_by(|&i, &j| raw[i].y.total_cmp(&raw[j].y).then(raw[i].x.total_cmp(&raw[j].x)))
}

/// Number of a point in a hole that no allowance covers.
fn free_point(raw: &[Point], corners: &[Corner], outline: &[Point], factor: f64) -> Option<usize> {
    let count = corners.len();
    let is_free = |point: Point| {
        let covered = (0..count).any(|i| {
            let far = distance_to_side(point, corners[i].at, corners[(i + 1) % count].at);
            far < factor * corners[i].distance - 1e-7
        });
        !covered && is_inside(point, outline)
    };
    (0..raw.len()).find(|&i| is_free(raw[i]))
}

/// Distance of a point from a straight piece.
pub(super) fn distance_to_side(point: Point, from: Point, to: Point) -> f64 {
    let along = to - from;
    let t = ((point - from).dot(along) / along.hypot2().max(1e-300)).clamp(0.0, 1.0);
    point.distance(from + t * along)
}

/// A crossing as one of its two sides meets it: fraction of the side, the other side, the fraction of that.
#[derive(Clone, Copy)]
struct Crossing {
    at: f64,
    other: usize,
    other_at: f64,
}

/// Crossings of the sides of a closed line, per side and in order. Sides are compared in order of their left ends.
fn crossings(raw: &[Point]) -> Vec<Vec<Crossing>> {
    let count = raw.len();
    let side = |i: usize| (raw[i], raw[(i + 1) % count]);
    let mut order: Vec<usize> = (0..count).collect();
    let left = |i: usize| side(i).0.x.min(side(i).1.x);
    let reach = |i: usize| side(i).0.x.max(side(i).1.x);
    order.sort_by(|&i, &j| left(i).total_cmp(&left(j)).then(i.cmp(&j)));
    let mut found = vec![Vec::new(); count];
    let mut open: Vec<usize> = Vec::new();
    for i in order {
        open.retain(|&j| reach(j) >= left(i));
        let (p, q) = side(i);
        for &j in &open {
            let (r, s) = side(j);
            if p.y.max(q.y) < r.y.min(s.y) || r.y.max(s.y) < p.y.min(q.y) {
                continue;
            }
            if (i + 1) % count == j || (j + 1) % count == i {
                continue;
            }
            let (u, v) = (q - p, s - r);
            let cross = u.cross(v);
            if cross == 0.0 {
                continue;
            }
            let (at, other_at) = ((r - p).cross(v) / cross, (r - p).cross(u) / cross);
            if (0.0..1.0).contains(&at) && (0.0..1.0).contains(&other_at) {
                found[i].push(Crossing { at, other: j, other_at });
                found[j].push(Crossing { at: other_at, other: i, other_at: at });
            }
        }
        open.push(i);
    }
    for list in &mut found {
        list.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.other.cmp(&b.other)));
    }
    found
}

/// Follows the line from a point, turning right at every crossing, until it comes back.
fn trace(raw: &[Point], start: usize) -> Option<Vec<Point>> {
    let count = raw.len();
    let crossings = crossings(raw);
    let along = |i: usize| raw[(i + 1) % count] - raw[i];
    let most = count + crossings.iter().map(Vec::len).sum::<usize>();
    let (mut i, mut at) = (start, -1.0);
    let mut line = vec![raw[start]];
    for _ in 0..=most {
        let turn = crossings[i].iter().find(|c| c.at > at && along(i).cross(along(c.other)) < 0.0);
        if let Some(crossing) = turn {
            line.push(raw[i] + crossing.at * along(i));
            (i, at) = (crossing.other, crossing.other_at);
        } else {
            (i, at) = ((i + 1) % count, -1.0);
            if i == start {
                return Some(line);
            }
            line.push(raw[i]);
        }
    }
    None
}

/// A closed line without the points that lie within a distance of it anyway (Douglas and Peucker 1973).
pub(super) fn simplified(line: &[Point], tolerance: f64) -> Vec<Point> {
    let count = line.len();
    if count < 4 {
        return line.to_vec();
    }
    // Two points that surely stay: the first, and the furthest from it.
    let far = (1..count).max_by(|&i, &j| line[0].distance(line[i]).total_cmp(&line[0].distance(line[j]))).unwrap_or(1);
    let mut kept = vec![false; count + 1];
    (kept[0], kept[far], kept[count]) = (true, true, true);
    let mut open = vec![(0, far), (far, count)];
    while let Some((from, to)) = open.pop() {
        let (a, b) = (line[from], line[to % count]);
        let away = |i: &usize| distance_to_side(line[*i], a, b);
        if let Some(i) = (from + 1..to).max_by(|i, j| away(i).total_cmp(&away(j)))
            && away(&i) > tolerance
        {
            kept[i] = true;
            open.extend([(from, i), (i, to)]);
        }
    }
    (0..count).filter(|&i| kept[i]).map(|i| line[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    fn p(x: f64, y: f64) -> Point {
        Point::new(x, y)
    }

    fn strip(points: &[Point], distance: f64) -> Strip {
        Strip { points: points.to_vec(), distance }
    }

    /// Every side of a polygon is a strip of its own.
    fn polygon(points: &[Point], distances: &[f64]) -> Vec<Strip> {
        let count = points.len();
        (0..count).map(|i| strip(&[points[i], points[(i + 1) % count]], distances[i % distances.len()])).collect()
    }

    fn circle(radius: f64, count: usize, way: f64) -> Vec<Point> {
        (0..count).map(|i| p(0.0, 0.0) + radius * Vec2::from_angle(way * TAU * i as f64 / count as f64)).collect()
    }

    #[test]
    fn areas_are_those_of_steiners_formula() {
        // A + P d + π d² where all corners are round, tan(θ/2) d² for each mitred corner.
        let d = 0.01;
        let ring = circle(0.2, 2000, 1.0);
        let found = signed_area(&cut_line(&polygon(&ring, &[d])).unwrap());
        let wanted = PI * 0.21 * 0.21;
        assert!((found / wanted - 1.0).abs() < 1e-5, "{found} {wanted}");
        let corners = [p(0.0, 0.0), p(0.4, 0.0), p(0.5, 0.3), p(0.2, 0.5), p(-0.1, 0.3)];
        let area = signed_area(&corners);
        let length: f64 = (0..5).map(|i| corners[i].distance(corners[(i + 1) % 5])).sum();
        let mitres: f64 = (0..5)
            .map(|i| {
                let (u, v) = (corners[i] - corners[(i + 4) % 5], corners[(i + 1) % 5] - corners[i]);
                (0.5 * u.cross(v).atan2(u.dot(v))).tan()
            })
            .sum();
        let found = signed_area(&cut_line(&polygon(&corners, &[d])).unwrap());
        let wanted = area + length * d + mitres * d * d;
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    }

    #[test]
    fn a_rectangle_with_four_allowances_is_the_larger_rectangle() {
        let line = cut_line(&polygon(&[p(0.0, 0.0), p(0.3, 0.0), p(0.3, 0.5), p(0.0, 0.5)], &[0.03, 0.01, 0.007, 0.0]))
            .unwrap();
        for corner in [p(0.0, -0.03), p(0.31, -0.03), p(0.31, 0.507), p(0.0, 0.507)] {
            assert!(line.iter().any(|q| q.distance(corner) < 1e-9), "{corner:?} in {line:?}");
        }
        assert_eq!(line.len(), 4);
    }

    #[test]
    fn a_narrow_slot_closes_and_a_wide_one_stays() {
        // A slot 16 mm wide and 200 mm deep: allowances of 10 mm fill it.
        let slotted = |w: f64| {
            [
                p(0.0, 0.0),
                p(0.5, 0.0),
                p(0.5, 0.4),
                p(0.25 + 0.5 * w, 0.4),
                p(0.25 + 0.4 * w, 0.2),
                p(0.25 - 0.4 * w, 0.2),
                p(0.25 - 0.5 * w, 0.4),
                p(0.0, 0.4),
            ]
        };
        let closed = signed_area(&cut_line(&polygon(&slotted(0.016), &[0.01])).unwrap());
        assert!((closed - 0.52 * 0.42).abs() < 2e-4, "{closed}");
        let open = signed_area(&cut_line(&polygon(&slotted(0.1), &[0.01])).unwrap());
        assert!(open < 0.52 * 0.42 - 0.012, "{open}");
    }

    #[test]
    fn a_hollow_tighter_than_its_allowance_has_no_loop() {
        // A bite of radius 5 mm out of the top edge, with an allowance of 10 mm.
        let mut points = vec![p(0.0, 0.0), p(0.2, 0.0), p(0.2, 0.1)];
        points.extend((0..=100).map(|i| {
            let angle = -PI * i as f64 / 100.0;
            p(0.1, 0.1) + 0.005 * Vec2::from_angle(angle)
        }));
        points.push(p(0.0, 0.1));
        let line = cut_line(&polygon(&points, &[0.01])).unwrap();
        assert!((signed_area(&line) - 0.22 * 0.12).abs() < 1e-5, "{}", signed_area(&line));
        let count = points.len();
        for q in &line {
            let near = (0..count).map(|i| distance_to_side(*q, points[i], points[(i + 1) % count]));
            assert!(near.fold(f64::MAX, f64::min) > 0.01 - 2e-5);
        }
    }

    #[test]
    fn holes_shrink_and_small_ones_vanish() {
        let ring = circle(0.1, 1000, -1.0);
        let line = cut_line(&polygon(&ring, &[0.007])).unwrap();
        assert!((signed_area(&line) / (-PI * 0.093 * 0.093) - 1.0).abs() < 1e-4);
        assert!(cut_line(&polygon(&circle(0.006, 100, -1.0), &[0.007])).is_none());
        // An L-shaped hole keeps its concave corner square.
        let hole = [p(0.0, 0.0), p(0.0, 0.2), p(0.1, 0.2), p(0.1, 0.1), p(0.2, 0.1), p(0.2, 0.0)];
        let line = cut_line(&polygon(&hole, &[0.01])).unwrap();
        let wanted = -(0.08 * 0.18 + 0.1 * 0.08);
        assert!((signed_area(&line) - wanted).abs() < 1e-9, "{}", signed_area(&line));
    }

    #[test]
    fn sharp_corners_are_squared_off() {
        // 10° at the tip: a mitre would be 11 allowances long.
        let tip = 0.2 / (5.0_f64).to_radians().tan();
        let line = cut_line(&polygon(&[p(0.0, -0.2), p(tip, 0.0), p(0.0, 0.2)], &[0.01])).unwrap();
        let furthest = line.iter().map(|q| q.x).fold(f64::MIN, f64::max);
        assert!((furthest - tip - 0.015).abs() < 1e-9, "{furthest} {tip}");
    }
}
