//! [`Outline`]: the sides of a panel, from corner to corner, with its darts set aside.
//!
//! A **stretch** is a chain of edges without a corner inside. Its normal is that of its chord, outwards. Its bend is the height of the
//! curve over its chord, for a parabola of the same area `A` over the chord `c`: `3 A / 2 c²`; it is positive where the cloth
//! bulges out and negative where it is hollow.
//!
//! A **dart** is a pair of edges of equal length that goes into the cloth and comes back. The edges beside its mouth are one stretch.

use kurbo::{Point, Rect, Vec2};

use crate::curve::Segment;
use crate::pattern::Panel;

/// Turn at which a side ends and the next begins [rad].
const CORNER: f64 = 0.40;
/// Turn over the mouth of a dart at which a side ends all the same [rad].
const DART_CORNER: f64 = 0.80;
/// How sharply the outline turns back at the tip of a dart [rad].
const DART_TIP: f64 = 2.2;
/// Longest leg of a dart [m], and how much longer one leg may be than the other, relatively.
const DART_LONGEST: f64 = 0.35;
const DART_UNLIKE: f64 = 0.06;
/// Length over which the direction at an end is taken [m].
const REACH: f64 = 0.006;

/// A side of a panel.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    /// Its edges in the order of the outline.
    pub(crate) edges: Vec<usize>,
    /// Length [m].
    pub(crate) length: f64,
    /// Where it starts and ends [m].
    pub(crate) ends: [Point; 2],
    /// Outward normal of its chord, of length one; zero for a closed curve.
    pub(crate) normal: Vec2,
    /// Height over the chord, relative to it; positive bulges out.
    pub(crate) bend: f64,
    /// Half way along it [m].
    pub(crate) middle: Point,
}

/// The sides of a panel and its darts.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) stretches: Vec<Stretch>,
    /// The two legs of each dart, in the order of the outline.
    pub(crate) darts: Vec<[usize; 2]>,
    /// Length of all stretches [m].
    pub(crate) length: f64,
    pub(crate) bounds: Rect,
}

/// Directions in which an edge leaves and arrives, taken over a few millimetres.
pub(super) fn directions(segment: &Segment) -> [Vec2; 2] {
    let length = segment.length();
    let part = if length > 0.0 { (REACH / length).min(0.5) } else { 0.5 };
    let unit = |way: Vec2| if way.hypot() > 0.0 { way / way.hypot() } else { Vec2::ZERO };
    [unit(segment.at_fraction(part) - segment.start), unit(segment.end - segment.at_fraction(1.0 - part))]
}

/// Turn from one direction to another, to the left positive [rad].
pub(super) fn turn(from: Vec2, to: Vec2) -> f64 {
    from.cross(to).atan2(from.dot(to))
}

impl Outline {
    pub(crate) fn new(panel: &Panel) -> Self {
        let count = panel.outline.len();
        let segments: Vec<Segment> = (0..count).filter_map(|edge| panel.segment(edge)).collect();
        let ways: Vec<[Vec2; 2]> = segments.iter().map(directions).collect();
        let lengths: Vec<f64> = segments.iter().map(Segment::length).collect();
        let mut is_leg = vec![false; count];
        let mut darts = Vec::new();
        for i in 0..count {
            let j = (i + 1) % count;
            let back = turn(ways[i][1], ways[j][0]);
            let like = (lengths[i] - lengths[j]).abs() < DART_UNLIKE * lengths[i].max(lengths[j]) + 1e-3;
            if count > 4 && back < -DART_TIP && like && lengths[i] < DART_LONGEST && !is_leg[i] && !is_leg[j] {
                is_leg[i] = true;
                is_leg[j] = true;
                darts.push([i, j]);
            }
        }
        let kept: Vec<usize> = (0..count).filter(|edge| !is_leg[*edge]).collect();
        // A corner before each kept edge?
        let corner = |k: usize| {
            let (before, edge) = (kept[(k + kept.len() - 1) % kept.len()], kept[k]);
            let follows = (before + 1) % count == edge;
            turn(ways[before][1], ways[edge][0]).abs() > if follows { CORNER } else { DART_CORNER }
        };
        let starts: Vec<usize> = (0..kept.len()).filter(|k| corner(*k)).collect();
        let mut stretches = Vec::new();
        for (n, start) in starts.iter().enumerate() {
            let end = starts[(n + 1) % starts.len()];
            let span = (end + kept.len() - start - 1) % kept.len() + 1;
            let edges: Vec<usize> = (0..span).map(|k| kept[(start + k) % kept.len()]).collect();
            stretches.push(stretch(&segments, edges));
        }
        if starts.is_empty() && !kept.is_empty() {
            stretches.push(stretch(&segments, kept));
        }
        let length = stretches.iter().map(|stretch| stretch.length).sum();
        Self { stretches, darts, length, bounds: panel.bounds() }
    }

    /// The same in a mirror: sides in the opposite order, x turned round within the same box.
    pub(crate) fn mirrored(&self) -> Self {
        let flip = |p: Point| Point::new(self.bounds.x0 + self.bounds.x1 - p.x, p.y);
        let mirror = |stretch: &Stretch| Stretch {
            edges: stretch.edges.iter().rev().copied().collect(),
            ends: [flip(stretch.ends[1]), flip(stretch.ends[0])],
            normal: Vec2::new(-stretch.normal.x, stretch.normal.y),
            middle: flip(stretch.middle),
            ..stretch.clone()
        };
        let stretches = self.stretches.iter().rev().map(mirror).collect();
        Self { stretches, ..self.clone() }
    }
}

fn stretch(segments: &[Segment], edges: Vec<usize>) -> Stretch {
    let mut points = Vec::new();
    for edge in &edges {
        segments[*edge].flatten(1e-4, &mut points);
        points.push(segments[*edge].end);
    }
    let ends = [points[0], points[points.len() - 1]];
    let chord = ends[1] - ends[0];
    let area = crate::check::signed_area(&points);
    let c = chord.hypot();
    let (normal, bend) =
        if c > 1e-6 { (Vec2::new(chord.y, -chord.x) / c, 1.5 * area / (c * c)) } else { (Vec2::ZERO, 0.0) };
    let length = edges.iter().map(|edge| segments[*edge].length()).sum();
    let middle = middle(&points);
    Stretch { edges, length, ends, normal, bend, middle }
}

/// Half way along a polyline.
fn middle(points: &[Point]) -> Point {
    let whole: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let mut left = 0.5 * whole;
    for pair in points.windows(2) {
        let piece = pair[0].distance(pair[1]);
        if left <= piece && piece > 0.0 {
            return pair[0].lerp(pair[1], left / piece);
        }
        left -= piece;
    }
    points[points.len() - 1]
}
