//! [`Drawing`]: lines and texts on a sheet in millimetres, y down, which SVG and PDF write in their own ways.

use kurbo::{Affine, Arc, BezPath, PathEl, Point, Shape, Vec2};

use super::labels::{name_edge, reading, write_labels};
use super::layout::{Layout, Room, lay_out, widest};
use super::{EdgeKind, Piece, SheetError, SheetOptions, pieces};
use crate::curve::{Curve, Segment};
use crate::pattern::Pattern;

/// Space around everything on a sheet [mm].
pub(super) const MARGIN: f64 = 15.0;
/// Height of the title with its test square, above the pieces [mm].
pub(super) const HEAD: f64 = 75.0;
/// Side of the test square [mm].
pub(super) const SQUARE: f64 = 50.0;
/// Width of A0 [mm].
pub(super) const A0_WIDTH: f64 = 841.0;
/// How far Bézier curves may leave arcs [mm].
const ARC: f64 = 1e-4;

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// To cut along.
    Cut,
    /// To sew along.
    Sew,
    /// The fold of the cloth.
    Fold,
    /// The grainline.
    Grain,
    /// A notch.
    Notch,
    /// A line on the cloth.
    Inner,
    /// A leg of a dart.
    Dart,
    /// A named point or drill hole.
    Mark,
    /// What belongs to the sheet, not to a piece.
    Frame,
}

impl Style {
    pub(crate) const ALL: [Self; 9] =
        [Self::Cut, Self::Sew, Self::Fold, Self::Grain, Self::Notch, Self::Inner, Self::Dart, Self::Mark, Self::Frame];

    /// Its word in SVG.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Sew => "sew",
            Self::Fold => "fold",
            Self::Grain => "grain",
            Self::Notch => "notch",
            Self::Inner => "inner",
            Self::Dart => "dart",
            Self::Mark => "mark",
            Self::Frame => "frame",
        }
    }

    /// Width of the line [mm].
    pub(crate) const fn width(self) -> f64 {
        match self {
            Self::Cut => 0.6,
            Self::Fold => 0.7,
            Self::Notch => 0.5,
            Self::Sew | Self::Grain | Self::Inner | Self::Dart | Self::Mark => 0.35,
            Self::Frame => 0.2,
        }
    }

    /// Red, green and blue of the line, from 0 to 255.
    pub(crate) const fn colour(self) -> [u8; 3] {
        match self {
            Self::Cut | Self::Notch | Self::Mark => [20, 20, 20],
            Self::Sew | Self::Dart => [90, 90, 90],
            Self::Fold => [150, 40, 40],
            Self::Grain => [40, 80, 130],
            Self::Inner | Self::Frame => [120, 120, 120],
        }
    }

    /// Lengths of dashes and of the spaces between them [mm]; none for a full line.
    pub(crate) const fn dashes(self) -> &'static [f64] {
        match self {
            Self::Sew | Self::Dart => &[5.0, 2.5],
            Self::Fold => &[12.0, 3.0, 2.0, 3.0],
            Self::Inner => &[1.5, 1.5],
            _ => &[],
        }
    }
}

/// Which point of a text stands at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
}

/// A line or a text.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// Lines; filled if `filled`. `edges` names the edges of a sew line with the number of curves each has.
    Path { style: Style, path: BezPath, filled: bool, edges: Vec<(String, usize)> },
    /// A text whose baseline starts or has its middle at a place, turned clockwise as seen [degrees].
    Text { at: Point, size: f64, angle: f64, anchor: Anchor, bold: bool, text: String },
}

/// Things that belong together, as a piece.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    /// Angle of the warp on the panel [degrees], for a piece.
    pub(crate) warp: Option<f64>,
    pub(crate) items: Vec<Item>,
}

/// A sheet.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    /// Width [mm].
    pub(crate) width: f64,
    /// Height [mm].
    pub(crate) height: f64,
    pub(crate) groups: Vec<Group>,
}

impl Group {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), warp: None, items: Vec::new() }
    }

    pub(super) fn path(&mut self, style: Style, path: BezPath) {
        self.items.push(Item::Path { style, path, filled: false, edges: Vec::new() });
    }

    pub(super) fn line(&mut self, style: Style, points: &[Point]) {
        let mut path = BezPath::new();
        for (i, point) in points.iter().enumerate() {
            path.push(if i == 0 { PathEl::MoveTo(*point) } else { PathEl::LineTo(*point) });
        }
        self.path(style, path);
    }

    pub(super) fn text(&mut self, at: Point, size: f64, anchor: Anchor, text: &str) {
        self.turned_text(at, size, 0.0, anchor, text);
    }

    pub(super) fn bold(&mut self, at: Point, size: f64, anchor: Anchor, text: &str) {
        self.items.push(Item::Text { at, size, angle: 0.0, anchor, bold: true, text: text.to_owned() });
    }

    pub(super) fn turned_text(&mut self, at: Point, size: f64, angle: f64, anchor: Anchor, text: &str) {
        self.items.push(Item::Text { at, size, angle, anchor, bold: false, text: text.to_owned() });
    }
}

/// A closed line through points.
pub(super) fn closed(points: &[Point]) -> BezPath {
    let mut path = BezPath::new();
    for (i, point) in points.iter().enumerate() {
        path.push(if i == 0 { PathEl::MoveTo(*point) } else { PathEl::LineTo(*point) });
    }
    path.close_path();
    path
}

/// Goes on along a segment; the number of curves that takes.
fn go_along(path: &mut BezPath, segment: &Segment) -> usize {
    let before = path.elements().len();
    match &segment.curve {
        Curve::Line => path.line_to(segment.end),
        Curve::Quadratic(c) => path.quad_to(*c, segment.end),
        Curve::Cubic(c0, c1) => path.curve_to(*c0, *c1, segment.end),
        Curve::Points(points) => points.iter().chain([&segment.end]).for_each(|point| path.line_to(*point)),
        Curve::Arc(bulge) => match segment.centre() {
            None => path.line_to(segment.end),
            Some(centre) => {
                let arm = segment.start - centre;
                let arc = Arc::new(centre, (arm.hypot(), arm.hypot()), arm.atan2(), 4.0 * bulge.atan(), 0.0);
                let curves: Vec<PathEl> = arc.append_iter(ARC).collect();
                let last = curves.len().saturating_sub(1);
                for (i, curve) in curves.into_iter().enumerate() {
                    match curve {
                        // The end is exact, so that outlines close.
                        PathEl::CurveTo(c0, c1, end) => {
                            path.curve_to(c0, c1, if i == last { segment.end } else { end });
                        }
                        other => path.push(other),
                    }
                }
            }
        },
    }
    path.elements().len() - before
}

/// The pieces of a pattern on one sheet as long as needed, with a title.
pub(crate) fn on_one_sheet(pattern: &Pattern, options: &SheetOptions) -> Result<Drawing, SheetError> {
    let pieces = pieces(pattern, options)?;
    let width = widest(&pieces).max(A0_WIDTH - 2.0 * MARGIN);
    let layout = lay_out(&pieces, Room { width, height: f64::INFINITY });
    Ok(sheet(pattern, options, &pieces, &layout, 0, None))
}

/// One sheet of a layout with its title, as large as it must be, or of a given size.
pub(super) fn sheet(
    pattern: &Pattern,
    options: &SheetOptions,
    pieces: &[Piece],
    layout: &Layout,
    number: usize,
    size: Option<[f64; 2]>,
) -> Drawing {
    let shift = Affine::translate(Vec2::new(MARGIN, MARGIN + HEAD));
    let needed = [(layout.width + 2.0 * MARGIN).max(300.0), MARGIN + HEAD + layout.heights[number] + MARGIN];
    let [width, height] = size.unwrap_or(needed);
    let mut groups = vec![title(pattern, options, Point::new(MARGIN, MARGIN))];
    for (piece, place) in pieces.iter().zip(&layout.places).filter(|(_, place)| place.sheet == number) {
        groups.push(draw(piece, shift * place.map));
    }
    Drawing { width, height, groups }
}

/// Test square, name, size and how to print.
pub(super) fn title(pattern: &Pattern, options: &SheetOptions, at: Point) -> Group {
    let mut group = Group::new("title");
    test_square(&mut group, at);
    let right = at + Vec2::new(SQUARE + 10.0, 0.0);
    let name = if pattern.name.is_empty() { "pattern" } else { &pattern.name };
    group.bold(right + Vec2::new(0.0, 10.0), 11.0, Anchor::Start, name);
    let mut lines = Vec::new();
    if !options.size.is_empty() {
        lines.push(format!("size {}", options.size));
    }
    lines.push("Print at 100 %, \"actual size\". The square must measure 50 mm.".to_owned());
    lines.push(allowance_words(options));
    if !options.allowances.is_none() {
        lines.push("Cut along full lines, sew along dashed lines.".to_owned());
    }
    for (k, line) in lines.iter().enumerate() {
        group.text(right + Vec2::new(0.0, 19.0 + 7.5 * k as f64), 5.0, Anchor::Start, line);
    }
    group
}

pub(super) fn test_square(group: &mut Group, at: Point) {
    let corner = |x: f64, y: f64| at + Vec2::new(x, y);
    group.path(
        Style::Frame,
        closed(&[corner(0.0, 0.0), corner(SQUARE, 0.0), corner(SQUARE, SQUARE), corner(0.0, SQUARE)]),
    );
    group.text(corner(0.5 * SQUARE, 0.5 * SQUARE + 1.5), 4.0, Anchor::Middle, "50 mm × 50 mm");
}

/// The allowances in words.
pub(super) fn allowance_words(options: &SheetOptions) -> String {
    if options.allowances.is_none() {
        return "No seam allowance: lines are seams and hems.".to_owned();
    }
    let kinds = [EdgeKind::Seam, EdgeKind::Hem, EdgeKind::Neckline, EdgeKind::Armhole, EdgeKind::Raw];
    let words = kinds.map(|kind| format!("{} {} mm", kind.word(), millimetres(options.allowances.of(kind))));
    format!("Allowances: {}.", words.join(", "))
}

/// A length in millimetres, to a tenth where that is needed.
pub(super) fn millimetres(length: f64) -> String {
    let tenths = (1e4 * length).round() / 10.0;
    if tenths.fract() == 0.0 { format!("{tenths:.0}") } else { format!("{tenths:.1}") }
}

/// A piece on the sheet.
fn draw(piece: &Piece, map: Affine) -> Group {
    let mut group = Group::new(&piece.name);
    group.warp = Some(piece.warp().atan2().to_degrees());
    let mut cut = BezPath::new();
    for line in &piece.cut {
        cut.extend(closed(&line.iter().map(|point| map * *point).collect::<Vec<_>>()));
    }
    group.items.push(Item::Path { style: Style::Cut, path: cut, filled: true, edges: Vec::new() });
    draw_sew_line(&mut group, piece, map);
    for dart in &piece.darts {
        group.line(Style::Dart, &dart.iter().map(|point| map * *point).collect::<Vec<_>>());
    }
    for line in &piece.lines {
        group.line(Style::Inner, &line.points.iter().map(|point| map * *point).collect::<Vec<_>>());
    }
    for notch in &piece.notches {
        group.line(Style::Notch, &[map * notch.at, map * notch.end]);
    }
    for drill in &piece.drills {
        cross(&mut group, map * *drill);
    }
    for mark in &piece.marks {
        let at = map * mark.at;
        cross(&mut group, at);
        group.text(at + Vec2::new(3.0, -1.5), 3.0, Anchor::Start, &mark.name);
    }
    draw_grain(&mut group, piece.grain.map(|point| map * point));
    if let Some(fold) = piece.fold {
        draw_fold(&mut group, fold.map(|point| map * point), map);
    }
    for edge in piece.sew.iter().flatten() {
        name_edge(&mut group, edge, map);
    }
    write_labels(&mut group, piece, map);
    group
}

fn draw_sew_line(group: &mut Group, piece: &Piece, map: Affine) {
    let (mut path, mut edges) = (BezPath::new(), Vec::new());
    for ring in &piece.sew {
        for (i, edge) in ring.iter().enumerate() {
            let segment = edge.segment.mapped(map);
            if i == 0 {
                path.move_to(segment.start);
            }
            let curves = go_along(&mut path, &segment);
            edges.push((edge.name.clone(), curves));
        }
        path.close_path();
    }
    group.items.push(Item::Path { style: Style::Sew, path, filled: false, edges });
}

/// A small circle with a cross in it.
fn cross(group: &mut Group, at: Point) {
    let mut path = kurbo::Circle::new(at, 1.5).to_path(1e-3);
    for arm in [Vec2::new(2.5, 0.0), Vec2::new(0.0, 2.5)] {
        path.move_to(at - arm);
        path.line_to(at + arm);
    }
    group.path(Style::Mark, path);
}

fn arrow_head(group: &mut Group, style: Style, tip: Point, way: Vec2) {
    let across = Vec2::new(-way.y, way.x);
    let path = closed(&[tip, tip - 6.0 * way + 2.0 * across, tip - 6.0 * way - 2.0 * across]);
    group.items.push(Item::Path { style, path, filled: true, edges: Vec::new() });
}

fn draw_grain(group: &mut Group, [from, to]: [Point; 2]) {
    let length = from.distance(to);
    if length < 1.0 {
        return;
    }
    let along = (to - from) / length;
    group.line(Style::Grain, &[from, to]);
    arrow_head(group, Style::Grain, to, along);
    arrow_head(group, Style::Grain, from, -along);
}

/// A bracket whose arrows point at the fold, with words.
fn draw_fold(group: &mut Group, [from, to]: [Point; 2], map: Affine) {
    let length = from.distance(to);
    if length < 1.0 {
        return;
    }
    group.line(Style::Fold, &[from, to]);
    let along = (to - from) / length;
    // Into the cloth, which is on the left of an edge; on a sheet with y down that is the other side.
    let inwards = if map.determinant() < 0.0 { Vec2::new(along.y, -along.x) } else { Vec2::new(-along.y, along.x) };
    let depth = 12.0_f64.min(0.2 * length);
    let (a, b) = (from.lerp(to, 0.15), from.lerp(to, 0.85));
    group.line(Style::Frame, &[a, a + depth * inwards, b + depth * inwards, b]);
    arrow_head(group, Style::Frame, a, -inwards);
    arrow_head(group, Style::Frame, b, -inwards);
    let (angle, up) = reading(along);
    let size = 5.0_f64.min(length / 12.0);
    // Beside the bracket, on the side of the cloth.
    let side = if up.dot(inwards) > 0.0 { 2.0 } else { 2.0 + 0.7 * size };
    let at = from.midpoint(to) + (depth + side) * inwards;
    group.turned_text(at, size, angle, Anchor::Middle, "place on fold");
}
