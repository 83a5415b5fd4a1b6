//! The curves that outlines are made of: lines, Bézier curves, circular arcs and polylines.
//!
//! A [`Segment`] is a curve with both ends. Lines and Bézier curves are measured and split by kurbo. An arc is given by
//! its bulge `b = tan(θ/4)` over the chord `c`, as in DXF: `θ` is the angle it turns by, positive to the left (counter-clockwise),
//! so that `r = |c| (1 + b²) / (4 |b|)` and the arc lies to the right of the chord for `b > 0`. A bulge survives
//! rotation, scaling and storage without a centre that could disagree with the ends.
//!
//! Lengths are in metres, correct to a nanometre.

use kurbo::{Affine, CubicBez, Line, ParamCurve, ParamCurveArclen, PathSeg, Point, QuadBez, Vec2};

/// Accuracy of lengths [m].
const ACCURACY: f64 = 1e-9;

/// What lies between the two ends of an edge.
#[derive(Clone, PartialEq, Debug)]
pub enum Curve {
    /// Straight.
    Line,
    /// Quadratic Bézier curve with its control point.
    Quadratic(Point),
    /// Cubic Bézier curve with its control points.
    Cubic(Point, Point),
    /// Circular arc with its bulge, the tangent of a quarter of the angle it turns by; positive turns left.
    Arc(f64),
    /// Straight pieces through these points.
    Points(Vec<Point>),
}

/// A curve with its ends.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// Where it begins [m].
    pub start: Point,
    /// How it goes on.
    pub curve: Curve,
    /// Where it ends [m].
    pub end: Point,
}

/// Centre, radius, angle of the start and angle turned by of an arc.
#[derive(Clone, Copy)]
struct Circle {
    centre: Point,
    radius: f64,
    from: f64,
    turn: f64,
}

impl Circle {
    fn at(self, t: f64) -> Point {
        self.centre + self.radius * Vec2::from_angle(self.from + t * self.turn)
    }
}

impl Segment {
    /// The segment from `start` to `end` along `curve`.
    pub fn new(start: Point, curve: Curve, end: Point) -> Self {
        Self { start, curve, end }
    }

    fn bezier(&self) -> Option<PathSeg> {
        match self.curve {
            Curve::Line => Some(PathSeg::Line(Line::new(self.start, self.end))),
            Curve::Quadratic(c) => Some(PathSeg::Quad(QuadBez::new(self.start, c, self.end))),
            Curve::Cubic(c0, c1) => Some(PathSeg::Cubic(CubicBez::new(self.start, c0, c1, self.end))),
            Curve::Arc(_) | Curve::Points(_) => None,
        }
    }

    /// The circle of an arc; `None` where the bulge is so small that the arc is its chord, or for other curves.
    fn circle(&self) -> Option<Circle> {
        let Curve::Arc(bulge) = self.curve else { return None };
        let chord = self.end - self.start;
        if bulge.abs() < 1e-9 || chord.hypot() == 0.0 {
            return None;
        }
        // The centre stands off the middle of the chord, to its left for a turn to the left.
        let offset = (1.0 - bulge * bulge) / (4.0 * bulge);
        let centre = self.start.midpoint(self.end) + offset * Vec2::new(-chord.y, chord.x);
        let arm = self.start - centre;
        Some(Circle { centre, radius: arm.hypot(), from: arm.atan2(), turn: 4.0 * bulge.atan() })
    }

    /// Centre of an arc that is no straight line.
    pub(crate) fn centre(&self) -> Option<Point> {
        self.circle().map(|circle| circle.centre)
    }

    /// Corners of the straight pieces, ends included; of a curve its ends.
    fn corners(&self) -> Vec<Point> {
        let inner: &[Point] = if let Curve::Points(points) = &self.curve { points } else { &[] };
        std::iter::once(self.start).chain(inner.iter().copied()).chain(std::iter::once(self.end)).collect()
    }

    /// Length along the curve [m].
    pub fn length(&self) -> f64 {
        if let Some(bezier) = self.bezier() {
            return bezier.arclen(ACCURACY);
        }
        match self.circle() {
            Some(circle) => circle.radius * circle.turn.abs(),
            None => self.corners().windows(2).map(|pair| pair[0].distance(pair[1])).sum(),
        }
    }

    /// Parameter at the length `s` from the start. The parameter of a polyline is its fraction of length.
    fn parameter(&self, s: f64, length: f64) -> f64 {
        if length <= 0.0 {
            return 0.0;
        }
        match self.bezier() {
            Some(bezier) if !matches!(self.curve, Curve::Line) => {
                bezier.inv_arclen(s.clamp(0.0, length), ACCURACY).clamp(0.0, 1.0)
            }
            _ => (s / length).clamp(0.0, 1.0),
        }
    }

    /// Point at a fraction of the length, from 0 at the start to 1 at the end.
    pub fn at_fraction(&self, fraction: f64) -> Point {
        if fraction <= 0.0 {
            return self.start;
        }
        if fraction >= 1.0 {
            return self.end;
        }
        let length = self.length();
        let t = self.parameter(fraction * length, length);
        if let Some(bezier) = self.bezier() {
            return bezier.eval(t);
        }
        if let Some(circle) = self.circle() {
            return circle.at(t);
        }
        let corners = self.corners();
        let mut left = t * length;
        for pair in corners.windows(2) {
            let piece = pair[0].distance(pair[1]);
            if left <= piece && piece > 0.0 {
                return pair[0].lerp(pair[1], left / piece);
            }
            left -= piece;
        }
        self.end
    }

    /// The piece between two fractions of the length, `0 ≤ from < to ≤ 1`, as an exact piece of the same curve.
    #[must_use]
    pub fn piece(&self, from: f64, to: f64) -> Self {
        let (start, end) = (self.at_fraction(from), self.at_fraction(to));
        let length = self.length();
        let curve = match &self.curve {
            Curve::Line => Curve::Line,
            Curve::Arc(bulge) => Curve::Arc((bulge.atan() * (to - from)).tan()),
            Curve::Points(_) => {
                let (mut s, mut inner) = (0.0, Vec::new());
                let corners = self.corners();
                for pair in corners.windows(2) {
                    s += pair[0].distance(pair[1]);
                    if s > from * length + ACCURACY && s < to * length - ACCURACY {
                        inner.push(pair[1]);
                    }
                }
                if inner.is_empty() { Curve::Line } else { Curve::Points(inner) }
            }
            Curve::Quadratic(_) | Curve::Cubic(..) => {
                let range = self.parameter(from * length, length)..self.parameter(to * length, length);
                match self.bezier().map(|bezier| bezier.subsegment(range)) {
                    Some(PathSeg::Quad(q)) => Curve::Quadratic(q.p1),
                    Some(PathSeg::Cubic(c)) => Curve::Cubic(c.p1, c.p2),
                    _ => Curve::Line,
                }
            }
        };
        Self { start, curve, end }
    }

    /// The same way from the other end.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let curve = match &self.curve {
            Curve::Line => Curve::Line,
            Curve::Quadratic(c) => Curve::Quadratic(*c),
            Curve::Cubic(c0, c1) => Curve::Cubic(*c1, *c0),
            Curve::Arc(bulge) => Curve::Arc(-bulge),
            Curve::Points(points) => Curve::Points(points.iter().rev().copied().collect()),
        };
        Self { start: self.end, curve, end: self.start }
    }

    /// Points along the curve, without its end, no further than `tolerance` [m] from it where straight pieces join
    /// them; at most 4096 of them.
    pub fn flatten(&self, tolerance: f64, into: &mut Vec<Point>) {
        if let Curve::Points(points) = &self.curve {
            into.push(self.start);
            into.extend_from_slice(points);
            return;
        }
        let count = self.pieces(tolerance);
        let circle = self.circle();
        let bezier = self.bezier();
        for i in 0..count {
            let t = i as f64 / count as f64;
            into.push(match (circle, bezier) {
                _ if i == 0 => self.start,
                (Some(circle), _) => circle.at(t),
                (None, Some(bezier)) => bezier.eval(t),
                (None, None) => self.start.lerp(self.end, t),
            });
        }
    }

    /// Number of straight pieces that [`Segment::flatten`] makes.
    pub fn piece_count(&self, tolerance: f64) -> usize {
        if let Curve::Points(points) = &self.curve { points.len() + 1 } else { self.pieces(tolerance) }
    }

    /// Number of pieces of equal parameter that keep `tolerance`. A Bézier curve leaves the chord of a piece of
    /// parameter `h` by at most `h² max|p″| / 8`, an arc of angle `θ` by `r (1 − cos θ/2)`.
    fn pieces(&self, tolerance: f64) -> usize {
        let count = match self.curve {
            Curve::Line | Curve::Points(_) => 1.0,
            Curve::Quadratic(c) => {
                let second = 2.0 * (self.start.to_vec2() - 2.0 * c.to_vec2() + self.end.to_vec2()).hypot();
                (second / (8.0 * tolerance)).sqrt()
            }
            Curve::Cubic(c0, c1) => {
                let bend = |a: Point, b: Point, c: Point| 6.0 * (a.to_vec2() - 2.0 * b.to_vec2() + c.to_vec2()).hypot();
                (bend(self.start, c0, c1).max(bend(c0, c1, self.end)) / (8.0 * tolerance)).sqrt()
            }
            Curve::Arc(_) => self.circle().map_or(1.0, |circle| {
                let step = 2.0 * (1.0 - (tolerance / circle.radius).min(1.0)).acos();
                circle.turn.abs() / step.max(1e-6)
            }),
        };
        (count.ceil() as usize).clamp(1, MOST_PIECES)
    }

    /// The image under a motion, a scaling or a reflection.
    #[must_use]
    pub fn mapped(&self, map: Affine) -> Self {
        Self { start: map * self.start, curve: self.curve.mapped(map), end: map * self.end }
    }

    /// Direction in which it leaves its start, of length one; zero for a segment without length.
    pub fn direction_at_start(&self) -> Vec2 {
        let mut points = Vec::new();
        match &self.curve {
            Curve::Arc(_) => self.flatten(1e-6, &mut points),
            Curve::Quadratic(c) => points.extend([self.start, *c]),
            Curve::Cubic(c0, c1) => points.extend([self.start, *c0, *c1]),
            Curve::Line | Curve::Points(_) => points = self.corners(),
        }
        points.push(self.end);
        let away = points.iter().map(|point| *point - self.start).find(|way| way.hypot() > 1e-7);
        away.map_or(Vec2::ZERO, |way| way / way.hypot())
    }

    /// Direction in which it arrives at its end, of length one.
    pub fn direction_at_end(&self) -> Vec2 {
        -self.reversed().direction_at_start()
    }

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        let inner = match &self.curve {
            Curve::Line => true,
            Curve::Quadratic(c) => c.is_finite(),
            Curve::Cubic(c0, c1) => c0.is_finite() && c1.is_finite(),
            Curve::Arc(bulge) => bulge.is_finite(),
            Curve::Points(points) => points.iter().all(|point| point.is_finite()),
        };
        inner && self.start.is_finite() && self.end.is_finite()
    }
}

/// Most straight pieces a curve is cut into; with it a curve of a metre is met to a nanometre.
const MOST_PIECES: usize = 4096;

impl Curve {
    /// The image under a motion, a scaling or a reflection.
    #[must_use]
    pub fn mapped(&self, map: Affine) -> Self {
        match self {
            Self::Line => Self::Line,
            Self::Quadratic(c) => Self::Quadratic(map * *c),
            Self::Cubic(c0, c1) => Self::Cubic(map * *c0, map * *c1),
            Self::Arc(bulge) => Self::Arc(if map.determinant() < 0.0 { -bulge } else { *bulge }),
            Self::Points(points) => Self::Points(points.iter().map(|point| map * *point).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::PI;

    fn any_curve() -> impl Strategy<Value = Segment> {
        let p = || (-0.5..0.5_f64, -0.5..0.5_f64).prop_map(|(x, y)| Point::new(x, y));
        let curve = prop_oneof![
            Just(Curve::Line),
            p().prop_map(Curve::Quadratic),
            (p(), p()).prop_map(|(a, b)| Curve::Cubic(a, b)),
            (-2.0..2.0_f64).prop_map(Curve::Arc),
            prop::collection::vec(p(), 1..5).prop_map(Curve::Points),
        ];
        (p(), curve, p()).prop_map(|(start, curve, end)| Segment::new(start, curve, end))
    }

    #[test]
    fn a_half_circle_has_its_length_and_passes_on_the_right_of_its_chord() {
        let half = Segment::new(Point::ZERO, Curve::Arc(1.0), Point::new(2.0, 0.0));
        assert!((half.length() - PI).abs() < 1e-12);
        assert!(half.at_fraction(0.5).distance(Point::new(1.0, -1.0)) < 1e-12);
        assert!((half.direction_at_start() - Vec2::new(0.0, -1.0)).hypot() < 1e-2);
    }

    proptest! {
        #[test]
        fn length_is_that_of_a_fine_polyline(s in any_curve()) {
            let mut points = Vec::new();
            s.flatten(1e-9, &mut points);
            points.push(s.end);
            let fine: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
            prop_assert!((fine - s.length()).abs() < 2e-5 * (1.0 + fine), "{fine} {}", s.length());
        }

        #[test]
        fn pieces_join_and_add_up(s in any_curve(), cut in 0.1..0.9_f64) {
            let (a, b) = (s.piece(0.0, cut), s.piece(cut, 1.0));
            prop_assert_eq!(a.end, b.start);
            prop_assert!((a.length() - cut * s.length()).abs() < 1e-6);
            prop_assert!((b.length() - (1.0 - cut) * s.length()).abs() < 1e-6);
            prop_assert!(a.at_fraction(0.5).distance(s.at_fraction(cut / 2.0)) < 1e-6);
        }

        #[test]
        fn reversing_and_mirroring_keep_points(s in any_curve(), t in 0.0..1.0_f64) {
            prop_assert!(s.reversed().at_fraction(1.0 - t).distance(s.at_fraction(t)) < 1e-6);
            let mirror = Affine::FLIP_X;
            prop_assert!(s.mapped(mirror).at_fraction(t).distance(mirror * s.at_fraction(t)) < 1e-6);
        }
    }
}
