//! What is written on a piece, and where there is room for it.

use kurbo::{Affine, Point, Vec2};

use super::drawing::{Anchor, Group, millimetres};
use super::letters::width as text_width;
use super::{EdgeKind, Piece, SewnEdge};
use crate::check::is_inside;

/// The angle [degrees] of a text along a line that is read from left to right or upwards, and where its upper side is.
pub(super) fn reading(along: Vec2) -> (f64, Vec2) {
    let mut along = along;
    if along.x < -1e-6 || (along.x.abs() <= 1e-6 && along.y > 0.0) {
        along = -along;
    }
    (along.atan2().to_degrees(), Vec2::new(along.y, -along.x))
}

/// Writes the name and allowance of an edge beside its middle, inside the cloth.
pub(super) fn name_edge(group: &mut Group, edge: &SewnEdge, map: Affine) {
    let segment = edge.segment.mapped(map);
    let size = 3.0;
    let words = if edge.allowance > 0.0 {
        format!("{} {} mm", edge.name, millimetres(edge.allowance))
    } else {
        edge.name.clone()
    };
    if matches!(edge.kind, EdgeKind::Fold | EdgeKind::Dart) || segment.length() < 1.3 * size * text_width(&words, false)
    {
        return;
    }
    let way = segment.at_fraction(0.51) - segment.at_fraction(0.49);
    if way.hypot() == 0.0 {
        return;
    }
    let along = way / way.hypot();
    let inwards = if map.determinant() < 0.0 { Vec2::new(along.y, -along.x) } else { Vec2::new(-along.y, along.x) };
    let (angle, up) = reading(along);
    let away = if up.dot(inwards) > 0.0 { 2.0 } else { 2.0 + 0.8 * size };
    group.turned_text(segment.at_fraction(0.5) + away * inwards, size, angle, Anchor::Middle, &words);
}

/// Writes the labels where the piece has most room beside its grainline, as large as they fit.
pub(super) fn write_labels(group: &mut Group, piece: &Piece, map: Affine) {
    let outline = super::offset::simplified(&piece.sew_outline_on(map), 0.3);
    let mut lines = vec![piece.grain.map(|point| map * point)];
    for dart in piece.darts.iter().chain(piece.lines.iter().map(|line| &line.points)) {
        lines.extend(dart.windows(2).map(|pair| [map * pair[0], map * pair[1]]));
    }
    let (sizes, gap) = ([9.0, 5.0], 1.5);
    let size = |k: usize| sizes[k.min(1)];
    let numbered = piece.labels.iter().enumerate();
    let wide = numbered.map(|(k, line)| size(k) * text_width(line, k == 0)).fold(1.0, f64::max);
    let high = sizes[0] + (piece.labels.len() - 1) as f64 * gap * sizes[1];
    let (centre, scale) = most_room(&outline, &lines, wide, high);
    let scale = scale.clamp(0.25, 1.0);
    let mut y = centre.y - 0.5 * scale * high + 0.75 * scale * sizes[0];
    for (k, line) in piece.labels.iter().enumerate() {
        if k > 0 {
            y += scale * gap * sizes[1];
        }
        let at = Point::new(centre.x, y);
        if k == 0 {
            group.bold(at, scale * size(k), Anchor::Middle, line);
        } else {
            group.text(at, scale * size(k), Anchor::Middle, line);
        }
    }
}

/// The point of a grid inside a polygon around which a box of these proportions can be largest without touching polygon or lines, and
/// how large, in parts of the box.
fn most_room(outline: &[Point], lines: &[[Point; 2]], wide: f64, high: f64) -> (Point, f64) {
    let low = outline.iter().fold(Point::new(f64::MAX, f64::MAX), |l, p| Point::new(l.x.min(p.x), l.y.min(p.y)));
    let far = outline.iter().fold(Point::new(f64::MIN, f64::MIN), |h, p| Point::new(h.x.max(p.x), h.y.max(p.y)));
    let mut best = (low.midpoint(far), 0.0);
    let steps = 24;
    for i in 1..steps {
        for j in 1..steps {
            let (s, t) = (f64::from(i) / f64::from(steps), f64::from(j) / f64::from(steps));
            let at = Point::new(low.x + s * (far.x - low.x), low.y + t * (far.y - low.y));
            if !is_inside(at, outline) {
                continue;
            }
            // In units of half the box, the largest box is a square around the origin.
            let scaled = |p: Point| Point::new((p.x - at.x) / (0.5 * wide), (p.y - at.y) / (0.5 * high));
            let mut room = f64::INFINITY;
            for line in lines {
                room = room.min(square_room(scaled(line[0]), scaled(line[1])));
            }
            for (k, p) in outline.iter().enumerate() {
                room = room.min(square_room(scaled(*p), scaled(outline[(k + 1) % outline.len()])));
            }
            let room = 0.85 * room;
            // Enough is enough: then the place nearest to the middle is best.
            let value = room.min(1.0) - 1e-3 * (s - 0.5).hypot(t - 0.5);
            if value > best.1 {
                best = (at, value);
            }
        }
    }
    (best.0, best.1)
}

/// Half the side of the largest square around the origin that a straight piece does not enter: the least maximum norm along it.
fn square_room(p: Point, q: Point) -> f64 {
    let norm = |t: f64| {
        let r = p.lerp(q, t);
        r.x.abs().max(r.y.abs())
    };
    // A convex function of t; its least value is at an end, where a coordinate is zero, or where both are equally large.
    let d = q - p;
    let zero = |a: f64, b: f64| if b == 0.0 { 0.0 } else { (-a / b).clamp(0.0, 1.0) };
    let places = [0.0, 1.0, zero(p.x, d.x), zero(p.y, d.y), zero(p.x - p.y, d.x - d.y), zero(p.x + p.y, d.x + d.y)];
    places.into_iter().map(norm).fold(f64::INFINITY, f64::min)
}
