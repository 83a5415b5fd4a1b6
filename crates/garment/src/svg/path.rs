//! Path data of SVG 1.1 (§8.3): all commands, absolute and relative, to segments.
//!
//! Circular arcs stay arcs; other ellipses become Bézier curves to a ten-thousandth of their size.

use kurbo::{Arc, PathEl, Point, SvgArc, Vec2};

use crate::curve::{Curve, Segment};

/// A connected part of a path, in units of the file.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Subpath {
    pub(super) segments: Vec<Segment>,
    /// Whether it was closed by `z`.
    pub(super) is_closed: bool,
}

/// Reads numbers and flags of path data.
struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn skip(&mut self) {
        while self.text.get(self.at).is_some_and(|b| b.is_ascii_whitespace() || *b == b',') {
            self.at += 1;
        }
    }

    /// The next command letter; `None` at the end or before a number.
    fn command(&mut self) -> Option<u8> {
        self.skip();
        let letter = self.text.get(self.at).copied().filter(u8::is_ascii_alphabetic)?;
        self.at += 1;
        Some(letter)
    }

    fn is_done(&mut self) -> bool {
        self.skip();
        self.at >= self.text.len()
    }

    fn number(&mut self) -> Result<f64, String> {
        self.skip();
        let start = self.at;
        let byte = |at: usize| self.text.get(at).copied().unwrap_or(b' ');
        let mut at = start;
        if matches!(byte(at), b'+' | b'-') {
            at += 1;
        }
        let mut seen_point = false;
        while byte(at).is_ascii_digit() || (byte(at) == b'.' && !seen_point) {
            seen_point |= byte(at) == b'.';
            at += 1;
        }
        if matches!(byte(at), b'e' | b'E') {
            let mut exponent = at + 1;
            if matches!(byte(exponent), b'+' | b'-') {
                exponent += 1;
            }
            if byte(exponent).is_ascii_digit() {
                while byte(exponent).is_ascii_digit() {
                    exponent += 1;
                }
                at = exponent;
            }
        }
        let text = String::from_utf8_lossy(&self.text[start..at]).into_owned();
        self.at = at;
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| format!("a number is missing at letter {} of the path", start + 1))
    }

    /// A flag of an arc, which may stand without a space before the next number.
    fn flag(&mut self) -> Result<bool, String> {
        self.skip();
        let flag = match self.text.get(self.at) {
            Some(b'0') => false,
            Some(b'1') => true,
            _ => return Err(format!("a flag of an arc, 0 or 1, is missing at letter {} of the path", self.at + 1)),
        };
        self.at += 1;
        Ok(flag)
    }

    fn point(&mut self, from: Point, relative: bool) -> Result<Point, String> {
        let point = Point::new(self.number()?, self.number()?);
        Ok(if relative { from + point.to_vec2() } else { point })
    }
}

/// Draws subpaths command by command.
struct Pen {
    done: Vec<Subpath>,
    segments: Vec<Segment>,
    start: Point,
    at: Point,
    /// Last control point, and whether it was that of a cubic.
    control: Option<(Point, bool)>,
}

impl Pen {
    fn to(&mut self, curve: Curve, end: Point) {
        if end != self.at || !matches!(curve, Curve::Line | Curve::Arc(_)) {
            self.segments.push(Segment::new(self.at, curve, end));
        }
        self.at = end;
    }

    fn lift(&mut self, is_closed: bool) {
        if is_closed && self.at != self.start {
            self.to(Curve::Line, self.start);
        }
        if !self.segments.is_empty() {
            self.done.push(Subpath { segments: std::mem::take(&mut self.segments), is_closed });
        }
        self.at = self.start;
    }

    /// The reflection of the last control point, if the last curve was of the same degree.
    fn reflected(&self, cubic: bool) -> Point {
        match self.control {
            Some((control, degree)) if degree == cubic => self.at + (self.at - control),
            _ => self.at,
        }
    }
}

/// The subpaths of path data. As browsers do, what comes before an error is drawn; the error is told beside it.
pub(super) fn parse(data: &str, most: usize) -> (Vec<Subpath>, Option<String>) {
    let mut pen = Pen { done: Vec::new(), segments: Vec::new(), start: Point::ZERO, at: Point::ZERO, control: None };
    let mut reader = Reader { text: data.as_bytes(), at: 0 };
    let mut error = None;
    let mut letter = 0;
    let mut count = 0;
    while !reader.is_done() {
        if let Some(next) = reader.command() {
            letter = next;
        } else if letter == 0 || letter.eq_ignore_ascii_case(&b'z') {
            error = Some("a path begins with a number where a command is expected".to_owned());
            break;
        }
        count += 1;
        if count > most {
            error = Some(format!("a path has more than {most} commands"));
            break;
        }
        if let Err(message) = draw(&mut pen, &mut reader, letter) {
            error = Some(message);
            break;
        }
        // Further pairs of a move are lines.
        letter = match letter {
            b'M' => b'L',
            b'm' => b'l',
            other => other,
        };
    }
    pen.lift(false);
    (pen.done, error)
}

fn draw(pen: &mut Pen, reader: &mut Reader<'_>, letter: u8) -> Result<(), String> {
    let relative = letter.is_ascii_lowercase();
    let from = pen.at;
    let mut control = None;
    match letter.to_ascii_uppercase() {
        b'M' => {
            let point = reader.point(from, relative)?;
            pen.lift(false);
            (pen.start, pen.at) = (point, point);
        }
        b'L' => {
            let end = reader.point(from, relative)?;
            pen.to(Curve::Line, end);
        }
        b'H' => {
            let x = reader.number()? + if relative { from.x } else { 0.0 };
            pen.to(Curve::Line, Point::new(x, from.y));
        }
        b'V' => {
            let y = reader.number()? + if relative { from.y } else { 0.0 };
            pen.to(Curve::Line, Point::new(from.x, y));
        }
        b'C' => {
            let (c0, c1) = (reader.point(from, relative)?, reader.point(from, relative)?);
            pen.to(Curve::Cubic(c0, c1), reader.point(from, relative)?);
            control = Some((c1, true));
        }
        b'S' => {
            let (c0, c1) = (pen.reflected(true), reader.point(from, relative)?);
            pen.to(Curve::Cubic(c0, c1), reader.point(from, relative)?);
            control = Some((c1, true));
        }
        b'Q' => {
            let c = reader.point(from, relative)?;
            pen.to(Curve::Quadratic(c), reader.point(from, relative)?);
            control = Some((c, false));
        }
        b'T' => {
            let c = pen.reflected(false);
            pen.to(Curve::Quadratic(c), reader.point(from, relative)?);
            control = Some((c, false));
        }
        b'A' => {
            let radii = Vec2::new(reader.number()?, reader.number()?);
            let turn = reader.number()?.to_radians();
            let (large, sweep) = (reader.flag()?, reader.flag()?);
            let end = reader.point(from, relative)?;
            arc(pen, &SvgArc { from, to: end, radii, x_rotation: turn, large_arc: large, sweep });
        }
        b'Z' => pen.lift(true),
        _ => return Err(format!("the path has an unknown command `{}`", char::from(letter))),
    }
    pen.control = control;
    Ok(())
}

fn arc(pen: &mut Pen, svg: &SvgArc) {
    let Some(arc) = Arc::from_svg_arc(svg) else {
        pen.to(Curve::Line, svg.to);
        return;
    };
    if (arc.radii.x - arc.radii.y).abs() <= 1e-9 * arc.radii.x {
        // The angle it turns by is stated to the last bit by its quarter's tangent.
        pen.to(Curve::Arc((0.25 * arc.sweep_angle).tan()), svg.to);
        return;
    }
    for segment in cubics(&arc, svg.to) {
        pen.to(segment.curve, segment.end);
    }
}

/// An arc as Bézier curves that end exactly where they should.
pub(super) fn cubics(arc: &Arc, end: Point) -> Vec<Segment> {
    let tolerance = 1e-4 * arc.radii.x.max(arc.radii.y).max(1e-9);
    let curves: Vec<PathEl> = arc.append_iter(tolerance).collect();
    let mut at = arc.center + rotated(arc);
    let count = curves.len();
    let mut segments = Vec::new();
    for (i, curve) in curves.into_iter().enumerate() {
        if let PathEl::CurveTo(c0, c1, to) = curve {
            let to = if i + 1 == count { end } else { to };
            segments.push(Segment::new(at, Curve::Cubic(c0, c1), to));
            at = to;
        }
    }
    segments
}

/// From the centre of an arc to its start.
fn rotated(arc: &Arc) -> Vec2 {
    let (sin, cos) = arc.start_angle.sin_cos();
    let (s, c) = arc.x_rotation.sin_cos();
    let flat = Vec2::new(arc.radii.x * cos, arc.radii.y * sin);
    Vec2::new(c * flat.x - s * flat.y, s * flat.x + c * flat.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::{BezPath, Shape};

    fn length(data: &str) -> f64 {
        let (paths, error) = parse(data, 1000);
        assert_eq!(error, None, "{data}");
        paths.iter().flat_map(|path| &path.segments).map(Segment::length).sum()
    }

    #[test]
    fn every_command_draws_what_another_reader_draws() {
        for data in [
            "M1,2 L30 4 H40 V20 h-5 v-6.5z",
            "m10 10 20 0 0 20-20 0z m5 5 l3 0",
            "M0 0C10 20 30 40 50 10s20-30 40 10 3 4 5.5.5",
            "M0 0q10 20 30 0t30 0T90,10",
            "M0 0a10 20 30 0110 10A15 15 0 1 0 40 10",
            "M.5.5-3e1 4E-1z",
        ] {
            let other = BezPath::from_svg(data).unwrap().perimeter(1e-6);
            assert!((length(data) - other).abs() < 2e-2, "{data}: {} {other}", length(data));
        }
    }

    #[test]
    fn a_circular_arc_is_exact() {
        let (paths, _) = parse("M10 0A10 10 0 0 1 0 10", 10);
        assert!((paths[0].segments[0].length() - 5.0 * std::f64::consts::PI).abs() < 1e-12);
        assert!(paths[0].segments[0].at_fraction(0.5).distance(Point::new(50.0_f64.sqrt(), 50.0_f64.sqrt())) < 1e-9);
    }

    #[test]
    fn what_comes_before_an_error_is_drawn_and_the_error_told() {
        for data in ["M0 0 L10 0 L", "M0 0 L10 0 X3", "M0 0L10 0 A1 1 0 2 0 5 5", "M0 0 L10 0 L1e999 0"] {
            let (paths, error) = parse(data, 10);
            assert!(error.is_some(), "{data}");
            assert_eq!(paths[0].segments.len(), 1, "{data}");
        }
        assert!(parse("3 4", 10).1.is_some());
        assert!(parse(&"M0 0L1 1".repeat(20), 10).1.is_some());
        assert!(parse("", 10).0.is_empty());
    }
}
