//! Writes AAMA DXF in millimetres: a block per panel, curves as polylines that follow them to 2 µm.
//!
//! Without allowances, each edge is a polyline on layer 1 between turn points. With them, layer 1 has the cut line, one closed polyline, and
//! the edges are on layer 14, the sew line. Notches of edges with an allowance stand on the cut line, with their depth (group 30) and their
//! angle into the cloth (group 50). What DXF has no place for (parts, names of edges, exact curves, seams) stands in texts on layer 15,
//! see `annotation`. Comments carry the whole pattern, see `own`.

use std::fmt::Write;

use kurbo::Point;

use super::annotation::{LAYER, curve_text, panel_text};
use super::groups::{CARRIED, COMMENT};
use crate::curve::Segment;
use crate::file::seam_to_inline_toml;
use crate::own::carried_text;
use crate::pattern::{Cut, Panel, Pattern};
use crate::sheet::{CutNotch, Piece, SheetError, SheetOptions, pieces};

/// How far polylines may leave curves [m].
const TOLERANCE: f64 = 2e-6;

/// The pattern as DXF text, without allowances. Panels on the fold and pairs are written once, as drawn.
pub fn to_dxf(pattern: &Pattern, size: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, pattern, size, None);
    out
}

/// The pattern as DXF text to be sewn from: cut lines, sew lines, matched notches, dart lines and drill holes.
pub fn to_dxf_with_allowances(pattern: &Pattern, options: &SheetOptions) -> Result<String, SheetError> {
    let pieces = pieces(pattern, options)?;
    let mut out = String::new();
    let _ = write(&mut out, pattern, &options.size, Some(&pieces));
    Ok(out)
}

/// Text on one line; DXF has no way to write line ends.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect::<String>().trim().to_owned()
}

fn write(out: &mut String, pattern: &Pattern, size: &str, pieces: Option<&[Piece]>) -> std::fmt::Result {
    let mut dxf = Dxf { out };
    for line in carried_text(pattern).lines() {
        dxf.pair(COMMENT, &format!("{CARRIED}{}", plain(line)))?;
    }
    dxf.pair(0, "SECTION")?;
    dxf.pair(2, "BLOCKS")?;
    for (i, panel) in pattern.panels.iter().enumerate() {
        dxf.pair(0, "BLOCK")?;
        dxf.pair(8, "1")?;
        dxf.pair(2, &format!("PIECE{}_{}", i + 1, plain(size)))?;
        dxf.pair(70, "64")?;
        dxf.place(Point::ZERO)?;
        dxf.panel(panel, size, pieces.map(|pieces| &pieces[i]))?;
        dxf.pair(0, "ENDBLK")?;
    }
    dxf.pair(0, "ENDSEC")?;
    dxf.pair(0, "SECTION")?;
    dxf.pair(2, "ENTITIES")?;
    for (i, _) in pattern.panels.iter().enumerate() {
        dxf.pair(0, "INSERT")?;
        dxf.pair(8, "1")?;
        dxf.pair(2, &format!("PIECE{}_{}", i + 1, plain(size)))?;
        dxf.place(Point::ZERO)?;
    }
    for text in [
        format!("Style Name: {}", plain(&pattern.name)),
        "Units: METRIC".to_owned(),
        format!("Sample Size: {}", plain(size)),
    ] {
        dxf.text(1, Point::ZERO, &text)?;
    }
    for seam in &pattern.seams {
        dxf.text(LAYER, Point::ZERO, &format!("Seam: {}", plain(&seam_to_inline_toml(pattern, seam))))?;
    }
    dxf.pair(0, "ENDSEC")?;
    dxf.pair(0, "EOF")
}

struct Dxf<'o> {
    out: &'o mut String,
}

impl Dxf<'_> {
    fn pair(&mut self, code: i32, value: &str) -> std::fmt::Result {
        writeln!(self.out, "{code:>3}\n{value}")
    }

    fn place(&mut self, at: Point) -> std::fmt::Result {
        self.pair(10, &format!("{:.6}", 1e3 * at.x))?;
        self.pair(20, &format!("{:.6}", 1e3 * at.y))
    }

    fn text(&mut self, layer: u32, at: Point, text: &str) -> std::fmt::Result {
        self.pair(0, "TEXT")?;
        self.pair(8, &layer.to_string())?;
        self.place(at)?;
        self.pair(40, "6.0")?;
        self.pair(1, text)
    }

    fn point(&mut self, layer: u32, at: Point) -> std::fmt::Result {
        self.pair(0, "POINT")?;
        self.pair(8, &layer.to_string())?;
        self.place(at)
    }

    fn line(&mut self, layer: u32, ends: [Point; 2]) -> std::fmt::Result {
        self.pair(0, "LINE")?;
        self.pair(8, &layer.to_string())?;
        self.place(ends[0])?;
        self.pair(11, &format!("{:.6}", 1e3 * ends[1].x))?;
        self.pair(21, &format!("{:.6}", 1e3 * ends[1].y))
    }

    fn polyline(&mut self, layer: u32, points: &[Point], is_closed: bool) -> std::fmt::Result {
        self.pair(0, "POLYLINE")?;
        self.pair(8, &layer.to_string())?;
        self.pair(66, "1")?;
        self.pair(70, if is_closed { "1" } else { "0" })?;
        for point in points {
            self.pair(0, "VERTEX")?;
            self.pair(8, &layer.to_string())?;
            self.place(*point)?;
        }
        self.pair(0, "SEQEND")
    }

    fn edge(&mut self, layer: u32, segment: &Segment, name: &str) -> std::fmt::Result {
        let mut points = Vec::new();
        segment.flatten(TOLERANCE, &mut points);
        points.push(segment.end);
        self.polyline(layer, &points, false)?;
        self.point(2, segment.start)?;
        for point in &points[1..points.len() - 1] {
            self.point(3, *point)?;
        }
        let middle = middle(&points);
        self.text(LAYER, middle, &format!("Edge: {}", plain(name)))?;
        curve_text(&segment.curve).map_or(Ok(()), |text| self.text(LAYER, middle, &text))
    }

    fn notch(&mut self, notch: &CutNotch) -> std::fmt::Result {
        let (foot, into) =
            if notch.is_in_allowance { (notch.end, notch.at - notch.end) } else { (notch.at, notch.end - notch.at) };
        self.point(4, foot)?;
        self.pair(30, &format!("{:.6}", 1e3 * into.hypot().min(NOTCH_DEPTH)))?;
        self.pair(50, &format!("{:.4}", into.atan2().to_degrees()))
    }

    /// Cut lines, notches, darts and drill holes of a piece to be sewn from.
    fn piece(&mut self, piece: &Piece) -> std::fmt::Result {
        if piece.has_allowance() {
            for (k, line) in piece.cut.iter().enumerate() {
                self.polyline(if k == 0 { 1 } else { 11 }, line, true)?;
                for i in 0..line.len() {
                    let (before, next) = (line[(i + line.len() - 1) % line.len()], line[(i + 1) % line.len()]);
                    let (u, v) = (line[i] - before, next - line[i]);
                    let is_turn = u.cross(v).atan2(u.dot(v)).abs() > TURN;
                    self.point(if is_turn { 2 } else { 3 }, line[i])?;
                }
            }
        }
        for notch in &piece.notches {
            self.notch(notch)?;
        }
        for dart in &piece.darts {
            self.polyline(8, dart, false)?;
        }
        for drill in &piece.drills {
            self.point(13, *drill)?;
        }
        Ok(())
    }

    fn panel(&mut self, panel: &Panel, size: &str, piece: Option<&Piece>) -> std::fmt::Result {
        let quantity = match panel.cut {
            Cut::Pair => format!("{0},{0}", panel.quantity),
            _ => panel.quantity.to_string(),
        };
        let texts = [
            format!("Piece Name: {}", plain(&panel.name)),
            format!("Size: {}", plain(size)),
            format!("Quantity: {quantity}"),
            format!("Category: {}", panel.part.word()),
            format!("Material: {}", plain(&panel.fabric)),
        ];
        for text in texts {
            self.text(1, panel.bounds().center(), &text)?;
        }
        self.text(LAYER, panel.bounds().center(), &plain(&panel_text(panel)))?;
        let has_cut_line = piece.is_some_and(Piece::has_allowance);
        for (k, (first, edges)) in panel.loops().enumerate() {
            for (i, edge) in edges.iter().enumerate() {
                if let Some(segment) = panel.segment(first + i) {
                    let layer = match (has_cut_line, k) {
                        (true, _) => 14,
                        (false, 0) => 1,
                        (false, _) => 11,
                    };
                    self.edge(layer, &segment, &edge.name)?;
                }
            }
        }
        if let Some(piece) = piece {
            self.piece(piece)?;
        } else {
            for notch in &panel.notches {
                if let Some(segment) = panel.segment(notch.edge) {
                    self.point(4, segment.at_fraction(notch.at))?;
                }
            }
        }
        if let Cut::Fold(fold) = &panel.cut
            && let Some(segment) = panel.find(fold).and_then(|edge| panel.segment(edge))
        {
            self.line(6, [segment.start, segment.end])?;
        }
        self.line(7, panel.grain)?;
        for line in &panel.lines {
            self.polyline(8, &line.points, false)?;
        }
        for mark in &panel.marks {
            if mark.name.starts_with('#') {
                self.text(2, mark.at, &mark.name.replacen('#', "# ", 1))?;
            } else {
                self.point(13, mark.at)?;
            }
        }
        Ok(())
    }
}

/// Turn above which a point of a cut line is a turn point [rad]: 20°.
const TURN: f64 = 0.35;

/// Deepest notch [m].
const NOTCH_DEPTH: f64 = 0.005;

/// Half way along a polyline: where a reader that knows only the polyline finds the middle of the edge.
fn middle(points: &[Point]) -> Point {
    let inner = points[1..points.len() - 1].to_vec();
    Segment::new(points[0], crate::Curve::Points(inner), points[points.len() - 1]).at_fraction(0.5)
}
