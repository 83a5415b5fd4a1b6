//! What a shape of a drawing is, by its names, classes and markers.

use kurbo::Point;

use super::document::Shape;
use crate::sketch::words;

/// What a shape is taken for.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Role {
    /// An outline, or a part of one; if it is open and meets nothing, an internal line.
    Outline,
    /// A line around the seam allowance.
    CutLine,
    /// A notch, near one of these points.
    Notch { near: Vec<Point>, is_double: bool },
    /// The grainline.
    Grain([Point; 2]),
    /// A mark whose ends lie on the fold.
    Fold([Point; 2]),
    /// A hole.
    Hole,
    /// A named point.
    Mark { name: String, at: Point },
    /// A line on the cloth.
    Inner,
    /// Nothing of the pattern.
    Nothing,
}

const NOTHING: [&str; 14] = [
    "grid",
    "scalebox",
    "scale",
    "title",
    "logo",
    "test",
    "legend",
    "watermark",
    "background",
    "frame",
    "ruler",
    "calibration",
    "help",
    "overview",
];

/// The role of a shape.
pub(super) fn role(shape: &Shape) -> Role {
    let own = words(&shape.hints);
    let groups: Vec<String> = shape.groups.iter().flat_map(|(_, name)| words(name)).collect();
    let is_class = |class: &str| shape.classes.iter().any(|own| own == class);
    let says = |word: &str| own.iter().any(|own| own == word);
    let around = |word: &str| groups.iter().any(|group| group == word);
    if let Some((symbol, at)) = &shape.symbol {
        return match symbol.as_str() {
            notch if notch.starts_with("notch") => Role::Notch { near: vec![*at], is_double: false },
            notch if notch.starts_with("bnotch") => Role::Notch { near: vec![*at], is_double: true },
            other => Role::Mark { name: other.to_owned(), at: *at },
        };
    }
    if shape.is_background || shape.parts.is_empty() || NOTHING.iter().any(|word| says(word) || around(word)) {
        return Role::Nothing;
    }
    if is_class("head") || is_class("dart") {
        return Role::Nothing;
    }
    let is_open = shape.parts.iter().all(|part| !is_closed(part));
    let says_allowance = |words: &[String]| {
        let has = |word: &str| words.iter().any(|own| own == word);
        has("allowance") || has("cutline") || (has("line") && (has("cut") || has("cutting")))
    };
    if is_class("sa") || is_class("cut") || says_allowance(&own) || says_allowance(&groups) {
        return Role::CutLine;
    }
    if own.iter().chain(&groups).any(|word| word.contains("notch")) {
        let is_double = own.iter().any(|word| matches!(word.as_str(), "bnotch" | "double" | "back"));
        return Role::Notch { near: points(shape), is_double };
    }
    if is_open && own.iter().chain(&groups).any(|word| word.contains("grain")) {
        return Role::Grain(ends(shape));
    }
    if is_open && own.iter().chain(&groups).any(|word| word.contains("fold")) {
        return Role::Fold(ends(shape));
    }
    if !is_open && (says("hole") || says("cutout") || says("holes")) {
        return Role::Hole;
    }
    if is_class("mark") && !is_open {
        let all = points(shape);
        let sum = all.iter().fold(kurbo::Vec2::ZERO, |sum, point| sum + point.to_vec2());
        return Role::Mark { name: String::new(), at: (sum / all.len() as f64).to_point() };
    }
    if ["inner", "note", "mark", "lining", "interfacing", "canvas", "various"].iter().any(|class| is_class(class)) {
        return Role::Inner;
    }
    Role::Outline
}

/// Whether a part ends where it began.
pub(super) fn is_closed(part: &super::path::Subpath) -> bool {
    let (first, last) = (&part.segments[0], &part.segments[part.segments.len() - 1]);
    part.is_closed || (part.segments.len() > 1 && first.start.distance(last.end) < JOIN)
}

/// Ends nearer than this meet [m].
pub(super) const JOIN: f64 = 5e-4;

/// All ends of the curves of a shape.
fn points(shape: &Shape) -> Vec<Point> {
    let segments = shape.parts.iter().flat_map(|part| &part.segments);
    segments.flat_map(|segment| [segment.start, segment.end]).collect()
}

/// First and last point of the longest part.
fn ends(shape: &Shape) -> [Point; 2] {
    let reach = |part: &&super::path::Subpath| part.segments.iter().map(crate::Segment::length).sum::<f64>();
    let longest = shape.parts.iter().max_by(|a, b| reach(a).total_cmp(&reach(b)));
    longest.map_or([Point::ZERO; 2], |part| [part.segments[0].start, part.segments[part.segments.len() - 1].end])
}
