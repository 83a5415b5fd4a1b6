//! Arcs of circles among polylines: skirts and capes that are sectors of a ring are placed on their cone.
//!
//! The circle through the ends and the middle of an edge is its arc if no point of the edge is further from it than a fifth of a
//! millimetre. Only arcs about one centre are taken, and only where there are two radii: anything else stays as it is drawn.

use kurbo::Point;

use crate::curve::{Curve, Segment};
use crate::pattern::Panel;
use crate::role::Part;

/// How far points may be off their circle [m].
const ROUND: f64 = 2e-4;
/// How far centres may be apart [m].
const CENTRED: f64 = 2e-3;
/// Smallest angle of an arc [rad].
const LEAST: f64 = 0.15;

/// Replaces polylines of skirts and capes by the arcs that they are.
pub(super) fn find(panel: &mut Panel) {
    if !matches!(panel.part, Part::SkirtFront | Part::SkirtBack | Part::Cape) {
        return;
    }
    let mut arcs: Vec<(usize, f64, Point, f64)> = Vec::new();
    for edge in 0..panel.edge_count() {
        if let Some((bulge, centre, radius)) = panel.segment(edge).and_then(|segment| arc(&segment)) {
            arcs.push((edge, bulge, centre, radius));
        }
    }
    let Some((.., centre, _)) = arcs.first().copied() else { return };
    let (small, large) =
        arcs.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), arc| (low.min(arc.3), high.max(arc.3)));
    if large < small + 0.05 || arcs.iter().any(|arc| arc.2.distance(centre) > CENTRED) {
        return;
    }
    for (number, edge) in panel.edges_mut().enumerate() {
        if let Some((_, bulge, ..)) = arcs.iter().find(|arc| arc.0 == number) {
            edge.curve = Curve::Arc(*bulge);
        }
    }
}

/// Centre and radius of an arc, or of the polyline that follows one.
pub(super) fn arc_of(segment: &Segment) -> Option<(Point, f64)> {
    match &segment.curve {
        Curve::Arc(_) => segment.centre().map(|centre| (centre, segment.start.distance(centre))),
        _ => arc(segment).map(|(_, centre, radius)| (centre, radius)),
    }
}

/// Bulge, centre and radius of the arc that a polyline follows.
fn arc(segment: &Segment) -> Option<(f64, Point, f64)> {
    let Curve::Points(points) = &segment.curve else { return None };
    if points.len() < 3 {
        return None;
    }
    let (a, b, c) = (segment.start, segment.at_fraction(0.5), segment.end);
    let chord = c - a;
    let height = chord.cross(b - a) / chord.hypot();
    // The height of an arc over its chord is half the chord times its bulge, to the right for a positive one.
    let bulge = -2.0 * height / chord.hypot();
    if !bulge.is_finite() || 4.0 * bulge.abs().atan() < LEAST {
        return None;
    }
    let round = Segment::new(a, Curve::Arc(bulge), c);
    let centre = round.centre()?;
    let radius = a.distance(centre);
    let off = points.iter().map(|p| (p.distance(centre) - radius).abs()).fold(0.0, f64::max);
    (off < ROUND).then_some((bulge, centre, radius))
}
