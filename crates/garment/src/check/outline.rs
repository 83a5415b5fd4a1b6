//! Outlines: finite, closed around some cloth, without crossings and needle-sharp corners.

use kurbo::{Point, Vec2};
use robust::{Coord, orient2d};

use super::{FURTHEST, MOST_EDGES, MOST_HOLES, SAME, TOLERANCE, is_inside, piece_count, signed_area};
use crate::curve::{Curve, Segment};
use crate::fault::{Fault, Problem};
use crate::pattern::{Cut, Edge, Panel, Pattern};

/// Smallest angle of a corner, in degrees.
const SHARPEST: f64 = 3.0;

/// Smallest area of an outline [m²].
const LEAST_AREA: f64 = 1e-6;

/// Largest area of a hole that is left out [m²].
const TINY_HOLE: f64 = 4e-6;

/// Checks one panel; returns what was repaired and what cannot be.
pub(super) fn check(pattern: &mut Pattern, number: usize) -> (Vec<Fault>, Vec<Fault>) {
    let mut repairs = Vec::new();
    let panel = &pattern.panels[number];
    let name = panel.name.clone();
    let faults = numbers(panel);
    if !faults.is_empty() {
        return (repairs, faults);
    }
    drop_short_edges(pattern, number, &mut repairs);
    drop_tiny_holes(pattern, number, &mut repairs);
    turn_loops(pattern, number, &mut repairs);
    let panel = &mut pattern.panels[number];
    let along = (panel.grain[1] - panel.grain[0]).hypot();
    if !(along > SAME && along.is_finite()) {
        panel.grain = panel.vertical_grain();
        repairs.push(Fault::new(Problem::Grain).on(&name, ""));
    }
    let mut faults = names(panel);
    faults.extend(fold(panel));
    for (_, edges) in panel.loops() {
        if edges.is_empty() || signed_area(&Panel::flatten(edges, TOLERANCE)).abs() < LEAST_AREA {
            faults.push(Fault::new(Problem::Empty).on(&name, edges.first().map_or("", |edge| &edge.name)));
        }
    }
    if faults.is_empty() {
        faults.extend(corners(panel));
        faults.extend(crossings(panel));
    }
    if faults.is_empty() {
        let outer = Panel::flatten(&panel.outline, TOLERANCE);
        for hole in &panel.holes {
            if !is_inside(hole[0].start, &outer) {
                faults.push(Fault::new(Problem::HoleOutside).on(&name, &hole[0].name));
            }
        }
    }
    (repairs, faults)
}

fn numbers(panel: &Panel) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut fail = |problem: Problem, edge: &str| faults.push(Fault::new(problem).on(&panel.name, edge));
    let most = [
        ("edges of a panel", panel.edge_count(), MOST_EDGES),
        ("holes of a panel", panel.holes.len(), MOST_HOLES),
        ("notches of a panel", panel.notches.len(), MOST_HOLES),
        ("lines of a panel", panel.lines.len(), MOST_HOLES),
        ("marks of a panel", panel.marks.len(), MOST_HOLES),
    ];
    if let Some((what, count, limit)) = most.into_iter().find(|(_, count, limit)| count > limit) {
        fail(Problem::TooMany { what, count, limit }, "");
        return faults;
    }
    let near = |point: &Point| point.x.abs() <= FURTHEST && point.y.abs() <= FURTHEST;
    for edge in panel.edges() {
        let controls: &[Point] = match &edge.curve {
            Curve::Quadratic(c) => &[*c],
            Curve::Cubic(c0, c1) => &[*c0, *c1],
            Curve::Points(points) => points,
            Curve::Line | Curve::Arc(_) => &[],
        };
        let alone = Segment::new(edge.start, edge.curve.clone(), Point::ZERO);
        if !alone.is_finite() || !near(&edge.start) || !controls.iter().all(near) {
            fail(Problem::Coordinate, &edge.name);
        } else if let Curve::Arc(bulge) = edge.curve
            && bulge.abs() > 100.0
        {
            fail(Problem::Range { what: "the bulge of an arc" }, &edge.name);
        }
    }
    let marks = panel.marks.iter().map(|mark| &mark.at);
    let lines = panel.lines.iter().flat_map(|line| &line.points);
    if !panel.grain.iter().chain(marks).chain(lines).all(near) {
        fail(Problem::Coordinate, "");
    }
    let edges = panel.edge_count();
    if panel.notches.iter().any(|notch| notch.edge >= edges || !(0.0..=1.0).contains(&notch.at)) {
        fail(Problem::Range { what: "a notch" }, "");
    }
    if !(1..=1000).contains(&panel.quantity) {
        fail(Problem::Range { what: "the quantity" }, "");
    }
    if faults.is_empty() {
        let count = piece_count(panel);
        if count > MOST_EDGES {
            let problem = Problem::TooMany { what: "straight pieces of a panel's curves", count, limit: MOST_EDGES };
            faults.push(Fault::new(problem).on(&panel.name, ""));
        }
    }
    faults
}

/// A fold must be a straight edge of the outline.
fn fold(panel: &Panel) -> Option<Fault> {
    let Cut::Fold(name) = &panel.cut else { return None };
    let edge = panel.outline.iter().find(|edge| edge.name == *name);
    let problem = match edge {
        None => Problem::MissingEdge { edge: name.clone() },
        Some(edge) if edge.curve != Curve::Line => Problem::CurvedFold,
        Some(_) => return None,
    };
    Some(Fault::new(problem).on(&panel.name, name))
}

fn names(panel: &Panel) -> Vec<Fault> {
    let mut names: Vec<&str> = panel.edges().map(|edge| edge.name.as_str()).collect();
    names.sort_unstable();
    let twice = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    let empty = names.iter().copied().filter(|name| name.is_empty()).take(1);
    let fault = |name: &str| Fault::new(Problem::Name { name: name.to_owned() }).on(&panel.name, "");
    twice.chain(empty).take(1).map(fault).collect()
}

/// Leaves out edges without length, from seams and notches too.
fn drop_short_edges(pattern: &mut Pattern, number: usize, repairs: &mut Vec<Fault>) {
    let mut edge = 0;
    while edge < pattern.panels[number].edge_count() {
        let panel = &pattern.panels[number];
        let length = panel.length(edge);
        let last = panel.loops().any(|(first, edges)| first == edge && edges.len() == 1);
        if length >= SAME || last {
            edge += 1;
            continue;
        }
        let name = panel.edges().nth(edge).map_or("", |edge| &edge.name);
        repairs.push(Fault::new(Problem::DuplicatePoint { length }).on(&panel.name, name));
        remove_edges(pattern, number, edge, 1);
    }
}

fn drop_tiny_holes(pattern: &mut Pattern, number: usize, repairs: &mut Vec<Fault>) {
    let mut hole = 0;
    while hole < pattern.panels[number].holes.len() {
        let panel = &pattern.panels[number];
        let edges = &panel.holes[hole];
        let area = signed_area(&Panel::flatten(edges, TOLERANCE)).abs();
        let first = panel.outline.len() + panel.holes[..hole].iter().map(Vec::len).sum::<usize>();
        let range = first..first + edges.len();
        let chains = pattern.seams.iter().flat_map(|seam| seam.a.iter().chain(&seam.b));
        let sewn = chains.clone().any(|edge| edge.panel == number && range.contains(&edge.edge));
        if area > TINY_HOLE || sewn {
            hole += 1;
            continue;
        }
        let name = edges.first().map_or("", |edge| &edge.name);
        repairs.push(Fault::new(Problem::TinyHole { area }).on(&panel.name, name));
        remove_edges(pattern, number, first, edges.len());
        pattern.panels[number].holes.remove(hole);
    }
}

/// Takes `count` edges of one loop out of a panel and out of everything that numbers them.
fn remove_edges(pattern: &mut Pattern, number: usize, first: usize, count: usize) {
    let panel = &mut pattern.panels[number];
    let outline = panel.outline.len();
    if first < outline {
        panel.outline.drain(first..first + count);
    } else {
        let mut start = outline;
        for hole in &mut panel.holes {
            if (start..start + hole.len()).contains(&first) {
                hole.drain(first - start..first - start + count);
                break;
            }
            start += hole.len();
        }
    }
    panel.notches.retain(|notch| !(first..first + count).contains(&notch.edge));
    panel.notches.iter_mut().filter(|notch| notch.edge >= first).for_each(|notch| notch.edge -= count);
    for chain in pattern.seams.iter_mut().flat_map(|seam| [&mut seam.a, &mut seam.b]) {
        chain.retain(|edge| edge.panel != number || !(first..first + count).contains(&edge.edge));
        let later = chain.iter_mut().filter(|edge| edge.panel == number && edge.edge >= first);
        later.for_each(|edge| edge.edge -= count);
    }
}

/// Lists loops backwards that have the cloth on their right.
fn turn_loops(pattern: &mut Pattern, number: usize, repairs: &mut Vec<Fault>) {
    let panel = &pattern.panels[number];
    let mut turned = panel.clone();
    let mut renumber: Vec<usize> = (0..panel.edge_count()).collect();
    for (i, (first, edges)) in panel.loops().enumerate() {
        let area = signed_area(&Panel::flatten(edges, TOLERANCE));
        if (area < 0.0) == (i == 0) && area != 0.0 {
            let target = if i == 0 { &mut turned.outline } else { &mut turned.holes[i - 1] };
            crate::pattern::reverse(target, kurbo::Affine::IDENTITY);
            renumber[first..first + edges.len()].reverse();
            let name = if i == 0 { "" } else { &edges[0].name };
            repairs.push(Fault::new(Problem::Clockwise).on(&panel.name, name));
        }
    }
    for notch in &mut turned.notches {
        if renumber[notch.edge] != notch.edge || backwards(&renumber, notch.edge) {
            *notch = crate::pattern::Notch { edge: renumber[notch.edge], at: 1.0 - notch.at };
        }
    }
    for edge in pattern.seams.iter_mut().flat_map(|seam| seam.a.iter_mut().chain(&mut seam.b)) {
        if edge.panel == number && edge.edge < renumber.len() {
            edge.edge = renumber[edge.edge];
        }
    }
    pattern.panels[number] = turned;
}

/// Whether the loop around an edge that kept its number was reversed: one of its neighbours did not.
fn backwards(renumber: &[usize], edge: usize) -> bool {
    let next = renumber.get(edge + 1).is_some_and(|&n| n + 1 == edge);
    next || (edge > 0 && renumber[edge - 1] == edge + 1)
}

fn corners(panel: &Panel) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (first, edges) in panel.loops() {
        for i in 0..edges.len() {
            let before = first + (i + edges.len() - 1) % edges.len();
            let (Some(before), Some(after)) = (panel.segment(before), panel.segment(first + i)) else { continue };
            let mut points = after_corner(&before.reversed(), &after);
            if points[0] == Vec2::ZERO || points[1] == Vec2::ZERO {
                points = [Vec2::new(1.0, 0.0), Vec2::new(-1.0, 0.0)];
            }
            // Interior angle, from the way on to the way back, counter-clockwise.
            let [back, on] = points;
            let angle = on.cross(back).atan2(on.dot(back)).to_degrees();
            if (0.0..SHARPEST).contains(&angle) {
                faults.push(Fault::new(Problem::SharpCorner { degrees: angle }).on(&panel.name, &edges[i].name));
            }
        }
    }
    faults
}

/// Directions of both edges a little away from their common corner.
fn after_corner(back: &Segment, on: &Segment) -> [Vec2; 2] {
    [back, on].map(|segment| {
        let length = segment.length();
        let away = segment.at_fraction((2e-3 / length.max(1e-9)).min(0.5)) - segment.start;
        if away.hypot() > 0.0 { away / away.hypot() } else { Vec2::ZERO }
    })
}

/// A straight piece of a loop.
struct Piece<'p> {
    ends: [Point; 2],
    edge: &'p Edge,
    ring: usize,
    index: usize,
    count: usize,
}

fn crossings(panel: &Panel) -> Vec<Fault> {
    let mut pieces = Vec::new();
    for (ring, (first, edges)) in panel.loops().enumerate() {
        let start = pieces.len();
        for (i, edge) in edges.iter().enumerate() {
            let Some(segment) = panel.segment(first + i) else { continue };
            let mut points = Vec::new();
            segment.flatten(TOLERANCE, &mut points);
            points.push(segment.end);
            for pair in points.windows(2).filter(|pair| pair[0] != pair[1]) {
                let index = pieces.len() - start;
                pieces.push(Piece { ends: [pair[0], pair[1]], edge, ring, index, count: 0 });
            }
        }
        let count = pieces.len() - start;
        pieces[start..].iter_mut().for_each(|piece| piece.count = count);
    }
    let low = |piece: &Piece<'_>| piece.ends[0].x.min(piece.ends[1].x);
    let high = |piece: &Piece<'_>| piece.ends[0].x.max(piece.ends[1].x);
    pieces.sort_by(|a, b| low(a).total_cmp(&low(b)).then(a.ring.cmp(&b.ring)).then(a.index.cmp(&b.index)));
    let mut faults: Vec<Fault> = Vec::new();
    for (i, p) in pieces.iter().enumerate() {
        let reach = high(p);
        for q in pieces[i + 1..].iter().take_while(|q| low(q) <= reach) {
            if neighbours(p, q) || !meet(p.ends, q.ends) {
                continue;
            }
            let middle = p.ends[0].midpoint(p.ends[1]);
            let problem = Problem::Crossing { other: q.edge.name.clone(), at: [middle.x, middle.y] };
            let fault = Fault::new(problem).on(&panel.name, &p.edge.name);
            let known = |f: &Fault| {
                f.edge == fault.edge && matches!(&f.problem, Problem::Crossing { other, .. } if *other == q.edge.name)
            };
            if !faults.iter().any(known) {
                faults.push(fault);
            }
            if faults.len() >= 10 {
                return faults;
            }
        }
    }
    faults
}

/// Whether two pieces share an end by construction.
fn neighbours(p: &Piece<'_>, q: &Piece<'_>) -> bool {
    let apart = p.index.abs_diff(q.index);
    p.ring == q.ring && (apart == 1 || apart + 1 == p.count)
}

/// Whether two straight pieces have a common point, decided exactly.
fn meet(p: [Point; 2], q: [Point; 2]) -> bool {
    let side = |a: Point, b: Point, c: Point| {
        let coord = |p: Point| Coord { x: p.x, y: p.y };
        let turn = orient2d(coord(a), coord(b), coord(c));
        if turn > 0.0 { 1 } else { -i32::from(turn < 0.0) }
    };
    let (a, b) = (side(p[0], p[1], q[0]), side(p[0], p[1], q[1]));
    let (c, d) = (side(q[0], q[1], p[0]), side(q[0], q[1], p[1]));
    if a == 0 && b == 0 {
        let overlap = |s: fn(Point) -> f64| {
            let range = |w: [Point; 2]| (s(w[0]).min(s(w[1])), s(w[0]).max(s(w[1])));
            let ((l0, h0), (l1, h1)) = (range(p), range(q));
            l0 <= h1 && l1 <= h0
        };
        return overlap(|p| p.x) && overlap(|p| p.y);
    }
    a * b <= 0 && c * d <= 0
}
