//! Closed outlines of a drawing.

use kurbo::{Point, Rect};

use super::roles::JOIN;
use crate::check::{is_inside, signed_area};
use crate::curve::{Curve, Segment};

/// A cut line is nowhere further from its sew line than this [m].
const WIDEST_ALLOWANCE: f64 = 0.06;

/// A closed outline of the drawing.
#[derive(Clone)]
pub(super) struct Outline {
    pub(super) ring: Vec<Segment>,
    /// Loops inside it that were drawn with it.
    pub(super) holes: Vec<Vec<Segment>>,
    pub(super) points: Vec<Point>,
    pub(super) area: f64,
    pub(super) bounds: Rect,
    pub(super) shape: usize,
}

impl Outline {
    pub(super) fn new(ring: Vec<Segment>, shape: usize) -> Option<Self> {
        let mut points = Vec::new();
        for segment in &ring {
            segment.flatten(1e-4, &mut points);
        }
        let first = *points.first()?;
        let bounds = points.iter().fold(Rect::from_points(first, first), |bounds, point| bounds.union_pt(*point));
        let area = signed_area(&points).abs();
        Some(Self { ring, holes: Vec::new(), points, area, bounds, shape })
    }

    pub(super) fn has(&self, other: &Self) -> bool {
        let b = &self.bounds;
        let o = &other.bounds;
        if o.x0 < b.x0 - 1e-6 || o.x1 > b.x1 + 1e-6 || o.y0 < b.y0 - 1e-6 || o.y1 > b.y1 + 1e-6 {
            return false;
        }
        let step = 1 + other.points.len() / 40;
        let sampled = other.points.iter().step_by(step);
        let (mut inside, mut all) = (0, 0);
        for point in sampled {
            all += 1;
            inside += usize::from(is_inside(*point, &self.points) || self.distance(*point) < JOIN);
        }
        inside == all && other.area < self.area
    }

    /// Distance of a point from the outline [m].
    pub(super) fn distance(&self, point: Point) -> f64 {
        let count = self.points.len();
        let side = |i: usize| {
            let (a, b) = (self.points[i], self.points[(i + 1) % count]);
            let t = ((point - a).dot(b - a) / (b - a).hypot2().max(1e-300)).clamp(0.0, 1.0);
            point.distance(a.lerp(b, t))
        };
        (0..count).map(side).fold(f64::INFINITY, f64::min)
    }

    /// Whether this may be the line around the allowance of another.
    pub(super) fn is_cut_line_of(&self, other: &Self) -> bool {
        let step = 1 + other.points.len() / 60;
        other.area > 0.4 * self.area && other.points.iter().step_by(step).all(|p| self.distance(*p) < WIDEST_ALLOWANCE)
    }

    /// Side of an upright square [mm].
    pub(super) fn square(&self) -> Option<f64> {
        let (w, h) = (1e3 * self.bounds.width(), 1e3 * self.bounds.height());
        ((w - h).abs() < 0.2 && (1e6 * self.area - w * h).abs() < 0.01 * w * h).then_some(w)
    }
}

/// A loop whose end is exactly its start.
pub(super) fn closed_ring(mut ring: Vec<Segment>) -> Vec<Segment> {
    let start = ring[0].start;
    let last = ring.len() - 1;
    if ring[last].end.distance(start) < JOIN {
        ring[last].end = start;
    } else {
        ring.push(Segment::new(ring[last].end, Curve::Line, start));
    }
    ring.retain(|segment| segment.length() > 1e-9);
    ring
}

/// Loops of one path: those inside another are its holes, or the sew line of which it is the cut line, as Valentina draws them.
pub(super) fn with_holes(mut rings: Vec<Outline>) -> Vec<Outline> {
    rings.sort_by(|a, b| b.area.total_cmp(&a.area));
    let mut outer: Vec<Outline> = Vec::new();
    for ring in rings {
        match outer.iter_mut().find(|other| other.has(&ring)) {
            Some(other) if other.holes.is_empty() && other.is_cut_line_of(&ring) => *other = ring,
            Some(other) => other.holes.push(ring.ring),
            None => outer.push(ring),
        }
    }
    outer
}
