//! The outlines of the elements of SVG: paths, lines, rectangles, circles, ellipses and polygons.

use kurbo::{Affine, Arc, Ellipse, PathEl, Point, Rect, Shape as _};
use roxmltree::Node;

use super::path::{Subpath, cubics, parse};
use super::style::{Length, PIXEL, length, numbers};
use crate::curve::{Curve, Segment};

/// Most commands of a path, and most segments of a file.
pub(super) const MOST_COMMANDS: usize = 200_000;

/// A part under a map. Arcs stay arcs under similarities only.
pub(super) fn moved(part: Subpath, map: Affine) -> Subpath {
    let [a, b, c, d, ..] = map.as_coeffs();
    let size = a.hypot(b);
    let is_similar = (a * c + b * d).abs() <= 1e-9 * size * size && (size - c.hypot(d)).abs() <= 1e-9 * size;
    let mut segments = Vec::new();
    for segment in part.segments {
        match (&segment.curve, segment.centre()) {
            (Curve::Arc(bulge), Some(centre)) if !is_similar => {
                let arm = segment.start - centre;
                let arc = Arc::new(centre, (arm.hypot(), arm.hypot()), arm.atan2(), 4.0 * bulge.atan(), 0.0);
                segments.extend(cubics(&arc, segment.end).iter().map(|cubic| cubic.mapped(map)));
            }
            _ => segments.push(segment.mapped(map)),
        }
    }
    Subpath { segments, is_closed: part.is_closed }
}

/// The outline of a shape in its own units.
pub(super) fn outline(node: Node<'_, '_>) -> Result<Vec<Subpath>, String> {
    let number = |name: &str| {
        let Some(text) = node.attribute(name) else { return Ok(0.0) };
        match length(text) {
            Some(Length::Pixels(value)) => Ok(value),
            Some(Length::Millimetres(value)) => Ok(value / PIXEL),
            _ => Err(format!("`{name}` is `{text}`, which is no length")),
        }
    };
    match node.tag_name().name() {
        "path" => {
            let (parts, error) = parse(node.attribute("d").unwrap_or_default(), MOST_COMMANDS);
            error.map_or(Ok(parts), Err)
        }
        "line" => {
            let ends = [Point::new(number("x1")?, number("y1")?), Point::new(number("x2")?, number("y2")?)];
            Ok(through(&ends, false))
        }
        tag @ ("polyline" | "polygon") => {
            let text = node.attribute("points").unwrap_or_default();
            let values = numbers(text).ok_or("`points` has something else than numbers in it")?;
            let points: Vec<Point> = values.chunks_exact(2).map(|pair| Point::new(pair[0], pair[1])).collect();
            Ok(through(&points, tag == "polygon"))
        }
        "rect" => {
            let (x, y, w, h) = (number("x")?, number("y")?, number("width")?, number("height")?);
            if w <= 0.0 || h <= 0.0 {
                return Ok(Vec::new());
            }
            let rx = if node.has_attribute("rx") { number("rx")? } else { number("ry")? }.clamp(0.0, 0.5 * w.min(h));
            Ok(rectangle(Rect::new(x, y, x + w, y + h), rx))
        }
        "circle" => {
            let (centre, r) = (Point::new(number("cx")?, number("cy")?), number("r")?);
            let (left, right) = (Point::new(centre.x - r, centre.y), Point::new(centre.x + r, centre.y));
            let half = |from, to| Segment::new(from, Curve::Arc(1.0), to);
            let circle = Subpath { segments: vec![half(left, right), half(right, left)], is_closed: true };
            Ok(if r > 0.0 { vec![circle] } else { Vec::new() })
        }
        _ => {
            let (rx, ry) = (number("rx")?, number("ry")?);
            let ellipse = Ellipse::new((number("cx")?, number("cy")?), (rx, ry), 0.0);
            let (mut at, mut segments) = (Point::ZERO, Vec::new());
            for element in ellipse.path_elements(1e-4 * rx.max(ry).max(1e-9)) {
                match element {
                    PathEl::MoveTo(p) => at = p,
                    PathEl::CurveTo(c0, c1, p) => {
                        segments.push(Segment::new(at, Curve::Cubic(c0, c1), p));
                        at = p;
                    }
                    _ => {}
                }
            }
            Ok(if rx > 0.0 && ry > 0.0 { vec![Subpath { segments, is_closed: true }] } else { Vec::new() })
        }
    }
}

/// Straight pieces through points.
fn through(points: &[Point], is_closed: bool) -> Vec<Subpath> {
    let mut segments: Vec<Segment> =
        points.windows(2).filter(|w| w[0] != w[1]).map(|w| Segment::new(w[0], Curve::Line, w[1])).collect();
    if is_closed && points.len() > 2 && points[0] != points[points.len() - 1] {
        segments.push(Segment::new(points[points.len() - 1], Curve::Line, points[0]));
    }
    if segments.is_empty() { Vec::new() } else { vec![Subpath { segments, is_closed }] }
}

fn rectangle(r: Rect, round: f64) -> Vec<Subpath> {
    let p = Point::new;
    if round <= 0.0 {
        return through(&[p(r.x0, r.y0), p(r.x1, r.y0), p(r.x1, r.y1), p(r.x0, r.y1)], true);
    }
    let quarter = Curve::Arc((std::f64::consts::PI / 8.0).tan());
    let corners = [
        (p(r.x0 + round, r.y0), p(r.x1 - round, r.y0), p(r.x1, r.y0 + round)),
        (p(r.x1, r.y0 + round), p(r.x1, r.y1 - round), p(r.x1 - round, r.y1)),
        (p(r.x1 - round, r.y1), p(r.x0 + round, r.y1), p(r.x0, r.y1 - round)),
        (p(r.x0, r.y1 - round), p(r.x0, r.y0 + round), p(r.x0 + round, r.y0)),
    ];
    let mut segments = Vec::new();
    for (from, to, next) in corners {
        if from != to {
            segments.push(Segment::new(from, Curve::Line, to));
        }
        segments.push(Segment::new(to, quarter.clone(), next));
    }
    vec![Subpath { segments, is_closed: true }]
}
