//! [`mend`]: a pattern is put in order, with every repair stated, or refused with every fault named.
//!
//! Repaired are slips that leave no doubt about what was meant: points given twice, loops listed backwards, holes smaller than
//! a pinprick, a seam listed from the wrong end, a grainline without length. Everything else is for the person who drew it.
//! Curves are judged as they are, to a hundredth of a millimetre, so that a strong curve is no fault.

mod outline;
mod seams;

use kurbo::Point;

use crate::fault::{Fault, PatternError, Problem};
use crate::pattern::{Panel, Pattern};

/// Distance to which curves are followed [m].
pub(crate) const TOLERANCE: f64 = 1e-5;

/// Points nearer than this are the same [m].
pub(crate) const SAME: f64 = 1e-5;

/// Most panels of a pattern, and most seams.
pub const MOST_PANELS: usize = 1_000;

/// Most edges of a panel, and most straight pieces its curves are cut into for the check.
pub const MOST_EDGES: usize = 50_000;

/// Most holes of a panel, and most notches, lines and marks.
pub const MOST_HOLES: usize = 1_000;

/// Furthest coordinate [m].
pub(crate) const FURTHEST: f64 = 100.0;

/// A pattern that is in order, with what was repaired.
#[derive(Clone, PartialEq, Debug)]
pub struct Mended {
    /// The pattern.
    pub pattern: Pattern,
    /// What was wrong with it; [`Problem::repair`] says what was done.
    pub repairs: Vec<Fault>,
}

/// Checks a pattern and repairs what can be. A pattern without faults comes back unchanged.
///
/// ```
/// use toile_garment::{Curve, Edge, Panel, Pattern, Point, check::mend};
/// let corner = |name: &str, x, y| Edge::new(name, Point::new(x, y), Curve::Line);
/// let outline = vec![corner("left", 0.0, 0.0), corner("top", 0.0, 0.4), corner("slant", 0.3, 0.4)];
/// let mended = mend(Pattern { panels: vec![Panel::new("flag", outline)], ..Pattern::default() }).unwrap();
/// assert_eq!(mended.repairs[0].to_string(),
///     "panel `flag`: the outline runs clockwise, or a hole counter-clockwise; it was listed backwards");
/// ```
pub fn mend(mut pattern: Pattern) -> Result<Mended, PatternError> {
    let mut faults = Vec::new();
    let count = |what, count, limit, faults: &mut Vec<Fault>| {
        if count > limit {
            faults.push(Fault::new(Problem::TooMany { what, count, limit }));
        }
    };
    count("panels", pattern.panels.len(), MOST_PANELS, &mut faults);
    count("seams", pattern.seams.len(), 10 * MOST_PANELS, &mut faults);
    if !faults.is_empty() {
        return Err(faults.into());
    }
    for (i, panel) in pattern.panels.iter().enumerate() {
        if panel.name.is_empty() || pattern.panels[..i].iter().any(|other| other.name == panel.name) {
            faults.push(Fault::new(Problem::Name { name: panel.name.clone() }));
        }
    }
    let mut repairs = Vec::new();
    for number in 0..pattern.panels.len() {
        let (mended, wrong) = outline::check(&mut pattern, number);
        repairs.extend(mended);
        faults.extend(wrong);
    }
    if !faults.is_empty() {
        return Err(faults.into());
    }
    let (mended, wrong) = seams::check(&mut pattern);
    repairs.extend(mended);
    if wrong.is_empty() { Ok(Mended { pattern, repairs }) } else { Err(wrong.into()) }
}

/// Area enclosed by a polygon [m²], positive if it runs counter-clockwise.
pub(crate) fn signed_area(points: &[Point]) -> f64 {
    let Some(&origin) = points.first() else { return 0.0 };
    let cross = |i: usize| (points[i] - origin).cross(points[(i + 1) % points.len()] - origin);
    0.5 * (0..points.len()).map(cross).sum::<f64>()
}

/// Whether a point is inside a polygon, by the parity of the edges to its right.
pub(crate) fn is_inside(point: Point, polygon: &[Point]) -> bool {
    let mut inside = false;
    for (i, a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        if (a.y > point.y) != (b.y > point.y) && point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
    }
    inside
}

/// Number of straight pieces the outlines and lines of a panel are made of, once every number in it is known to be finite.
fn piece_count(panel: &Panel) -> usize {
    let segments = (0..panel.edge_count()).filter_map(|edge| panel.segment(edge));
    let lines = panel.lines.iter().map(|line| line.points.len());
    segments.map(|segment| segment.piece_count(TOLERANCE)).chain(lines).sum()
}

#[cfg(test)]
mod tests;
