//! [`Piece`]: everything that is drawn of one panel, in metres and as the panel lies.
//!
//! The cut line goes around the seam allowance. It passes over the mouth of a dart in two lines that meet at a peak: when
//! the dart is folded and pressed to the side of its second leg, its mouth lies under the edge beside it. The peak is where the edge behind
//! the second leg, reflected in that leg, meets the line through the middle of the dart.

use kurbo::{Affine, Point, Vec2};

use super::allowance::{EdgeKind, WIDEST, Wedge, closed_holes, edge_kinds, wedges};
use super::notch::matched_notches;
use super::offset::{Strip, cut_line};
use super::{SheetError, SheetOptions};
use crate::curve::Segment;
use crate::pattern::{Cut, InternalLine, Mark, Notch, Panel, Pattern};

/// How far straight pieces may leave curves [m].
const FLAT: f64 = 2e-6;
/// Length of notches of edges without allowance, into the cloth [m].
const NOTCH: f64 = 0.005;
/// Distance of a drill hole from the tip of its dart, inside it [m].
const DRILL: f64 = 0.01;

/// An edge as it is sewn.
#[derive(Clone, PartialEq, Debug)]
pub struct SewnEdge {
    /// Its name.
    pub name: String,
    /// Where it runs [m].
    pub segment: Segment,
    /// What it is.
    pub kind: EdgeKind,
    /// Its allowance [m].
    pub allowance: f64,
}

/// A notch as it is cut.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CutNotch {
    /// Where it meets the sew line [m].
    pub at: Point,
    /// Its other end [m]: on the cut line, or in the cloth where there is no allowance.
    pub end: Point,
    /// Whether it lies in an allowance.
    pub is_in_allowance: bool,
}

impl CutNotch {
    fn new(at: Point, outwards: Vec2, allowance: f64) -> Self {
        let reach = if allowance > 0.0 { allowance } else { -NOTCH };
        Self { at, end: at + reach * outwards, is_in_allowance: allowance > 0.0 }
    }
}

/// All that is drawn of a panel.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// Name of the panel.
    pub name: String,
    /// Closed lines to cut along [m]: around the outline, counter-clockwise, then around holes, clockwise.
    pub cut: Vec<Vec<Point>>,
    /// Edges to sew along, loop by loop.
    pub sew: Vec<Vec<SewnEdge>>,
    /// Notches.
    pub notches: Vec<CutNotch>,
    /// Legs of darts, from mouth to tip to mouth [m].
    pub darts: Vec<Vec<Point>>,
    /// Drill holes: inside darts, before their tips [m].
    pub drills: Vec<Point>,
    /// The fold of the cloth [m].
    pub fold: Option<[Point; 2]>,
    /// The grainline [m].
    pub grain: [Point; 2],
    /// Lines drawn on the panel.
    pub lines: Vec<InternalLine>,
    /// Named points.
    pub marks: Vec<Mark>,
    /// What is written on it, the name first.
    pub labels: Vec<String>,
    /// What to cut of it, in words.
    pub cut_words: String,
}

/// The pieces of a pattern, one per panel.
pub fn pieces(pattern: &Pattern, options: &SheetOptions) -> Result<Vec<Piece>, SheetError> {
    check_allowances(pattern, options)?;
    let (kinds, notches) = (edge_kinds(pattern), matched_notches(pattern));
    (0..pattern.panels.len()).map(|number| piece(pattern, number, &kinds[number], &notches[number], options)).collect()
}

fn check_allowances(pattern: &Pattern, options: &SheetOptions) -> Result<(), SheetError> {
    let allowances = &options.allowances;
    let kinds = EdgeKind::ALL.iter().map(|kind| (kind.word().to_owned(), allowances.of(*kind)));
    for (what, width) in kinds.chain(allowances.single.iter().cloned()) {
        if !(0.0..=WIDEST).contains(&width) {
            return Err(SheetError::Width { what, width });
        }
    }
    for (name, _) in &allowances.single {
        let found = name.rsplit_once('.').and_then(|(panel, edge)| pattern.edge(panel, edge));
        if found.is_none() {
            return Err(SheetError::MissingEdge { edge: name.clone() });
        }
    }
    Ok(())
}

fn piece(
    pattern: &Pattern,
    number: usize,
    kinds: &[EdgeKind],
    notches: &[Notch],
    options: &SheetOptions,
) -> Result<Piece, SheetError> {
    let panel = &pattern.panels[number];
    let mut sew = Vec::new();
    for (first, edges) in panel.loops() {
        let mut ring = Vec::new();
        for (i, edge) in edges.iter().enumerate() {
            let Some(segment) = panel.segment(first + i) else { continue };
            let kind = kinds[first + i];
            let allowance = options.allowances.of_edge(&format!("{}.{}", panel.name, edge.name), kind);
            ring.push(SewnEdge { name: edge.name.clone(), segment, kind, allowance });
        }
        sew.push(ring);
    }
    let wedges = wedges(pattern, number);
    let closed = closed_holes(pattern, number);
    let outline = cut_line(&strips(&sew[0], &wedges));
    let outline = outline.ok_or_else(|| SheetError::Outline { panel: panel.name.clone() })?;
    let fold =
        if let Cut::Fold(fold) = &panel.cut { panel.find(fold).and_then(|edge| panel.segment(edge)) } else { None };
    let fold = fold.map(|segment| [segment.start, segment.end]);
    let mut cut = vec![match fold {
        Some(fold) => up_to_fold(outline, fold, &sew[0]),
        None => outline,
    }];
    for (hole, ring) in sew[1..].iter().enumerate() {
        if closed.contains(&hole) {
            continue;
        }
        // A hole smaller than its allowance is cut along its own line.
        let own = || ring.iter().flat_map(|edge| flat(&edge.segment)).collect();
        cut.push(cut_line(&strips(ring, &[])).unwrap_or_else(own));
    }
    let mut piece = Piece {
        name: panel.name.clone(),
        cut,
        notches: Vec::new(),
        darts: Vec::new(),
        drills: Vec::new(),
        fold,
        grain: panel.grain,
        lines: panel.lines.clone(),
        marks: panel.marks.iter().filter(|mark| !mark.name.starts_with('#')).cloned().collect(),
        labels: labels(pattern, panel, options),
        cut_words: cut_words(panel),
        sew,
    };
    piece.add_notches(notches);
    piece.add_darts(&wedges, &closed);
    Ok(piece)
}

/// A cut line without what lies beyond the fold (clipping at a line, Sutherland and Hodgman 1974). An outline that itself
/// goes beyond the line of its fold is left as it is.
fn up_to_fold(line: Vec<Point>, [from, to]: [Point; 2], sew: &[SewnEdge]) -> Vec<Point> {
    let along = (to - from) / (to - from).hypot().max(1e-12);
    // Positive on the side of the cloth.
    let side = |point: Point| along.cross(point - from);
    if sew.iter().flat_map(|edge| flat(&edge.segment)).any(|point| side(point) < -1e-6) {
        return line;
    }
    let mut clipped = Vec::with_capacity(line.len());
    for (i, &p) in line.iter().enumerate() {
        let q = line[(i + 1) % line.len()];
        let (s, t) = (side(p), side(q));
        if s >= 0.0 {
            clipped.push(p);
        }
        if (s < 0.0) != (t < 0.0) {
            clipped.push(p.lerp(q, s / (s - t)));
        }
    }
    clipped
}

/// Corners along a curve, without its end.
fn flat(segment: &Segment) -> Vec<Point> {
    let mut points = Vec::new();
    segment.flatten(FLAT, &mut points);
    points
}

/// The loop that the cut line follows: edges with their allowances, darts closed by their peaks.
fn strips(ring: &[SewnEdge], wedges: &[Wedge]) -> Vec<Strip> {
    let count = ring.len();
    let mut strips = Vec::new();
    for (i, edge) in ring.iter().enumerate() {
        if wedges.iter().any(|wedge| wedge.up == i) {
            continue;
        }
        if let Some(wedge) = wedges.iter().find(|wedge| wedge.down == i) {
            let (before, after) = (&ring[(i + count - 1) % count], &ring[(wedge.up + 1) % count]);
            let (from, to) = (edge.segment.start, ring[wedge.up].segment.end);
            let peak = peak(edge.segment.end, from, to, after.segment.direction_at_start());
            strips.push(Strip { points: vec![from, peak], distance: before.allowance });
            strips.push(Strip { points: vec![peak, to], distance: after.allowance });
            continue;
        }
        let mut points = flat(&edge.segment);
        points.push(edge.segment.end);
        strips.push(Strip { points, distance: edge.allowance });
    }
    strips
}

/// The peak of the cut line over the mouth of a dart, for a dart pressed to the side of its second leg; the middle of the mouth where the
/// edges beside it allow none.
fn peak(tip: Point, from: Point, to: Point, onwards: Vec2) -> Point {
    let middle = from.midpoint(to);
    let leg = to - tip;
    let axis = leg / leg.hypot().max(1e-12);
    // Pressed down, the mouth continues the edge backwards, mirrored in the leg.
    let reflected = 2.0 * onwards.dot(axis) * axis - onwards;
    let through = middle - tip;
    let cross = reflected.cross(through);
    if cross.abs() < 1e-12 {
        return middle;
    }
    // to + s · reflected = middle + t · through
    let t = (to - middle).cross(reflected) / through.cross(reflected);
    let height = t * through.hypot();
    if height > 0.0 && height < from.distance(to) { middle + t * through } else { middle }
}

/// How often, and how, a panel is cut.
fn cut_words(panel: &Panel) -> String {
    match panel.cut {
        Cut::Single => format!("cut {}", panel.quantity),
        Cut::Pair if panel.quantity == 1 => "cut 2, mirrored".to_owned(),
        Cut::Pair => format!("cut {}, half of them mirrored", 2 * panel.quantity),
        Cut::Fold(_) => format!("cut {} on fold", panel.quantity),
    }
}

fn labels(pattern: &Pattern, panel: &Panel, options: &SheetOptions) -> Vec<String> {
    let mut labels = vec![panel.name.clone()];
    let garment = match (pattern.name.is_empty(), options.size.is_empty()) {
        (false, false) => format!("{}, size {}", pattern.name, options.size),
        (false, true) => pattern.name.clone(),
        (true, false) => format!("size {}", options.size),
        (true, true) => String::new(),
    };
    labels.push(garment);
    labels.push(cut_words(panel));
    if !panel.fabric.is_empty() {
        labels.push(panel.fabric.clone());
    }
    let none = options.allowances.is_none();
    labels.push(if none { "no seam allowance" } else { "seam allowance included" }.to_owned());
    labels.retain(|label| !label.trim().is_empty());
    labels
}

impl Piece {
    /// The edge of a number, counted through all loops.
    fn edge(&self, number: usize) -> Option<&SewnEdge> {
        self.sew.iter().flatten().nth(number)
    }

    fn add_notches(&mut self, notches: &[Notch]) {
        for notch in notches {
            let Some(edge) = self.edge(notch.edge) else { continue };
            let at = edge.segment.at_fraction(notch.at);
            let step = (1e-3 / edge.segment.length().max(1e-6)).min(0.5);
            let (before, after) =
                (edge.segment.at_fraction(notch.at - step), edge.segment.at_fraction(notch.at + step));
            let along = after - before;
            if along.hypot() == 0.0 {
                continue;
            }
            let outwards = Vec2::new(along.y, -along.x) / along.hypot();
            let notch = CutNotch::new(at, outwards, edge.allowance);
            self.notches.push(notch);
        }
    }

    fn add_darts(&mut self, wedges: &[Wedge], closed: &[usize]) {
        for wedge in wedges {
            let (down, up) = (&self.sew[0][wedge.down].segment, &self.sew[0][wedge.up].segment);
            let (mouth, tip, back) = (down.start, down.end, up.end);
            let middle = mouth.midpoint(back);
            let depth = tip.distance(middle);
            let mut legs = flat(down);
            legs.extend(flat(up));
            legs.push(back);
            self.darts.push(legs);
            if depth > 2.0 * DRILL {
                self.drills.push(tip + DRILL / depth * (middle - tip));
            }
            let count = self.sew[0].len();
            for (corner, beside) in [(mouth, (wedge.down + count - 1) % count), (back, (wedge.up + 1) % count)] {
                let edge = &self.sew[0][beside];
                let along = if beside == (wedge.up + 1) % count {
                    edge.segment.direction_at_start()
                } else {
                    edge.segment.direction_at_end()
                };
                let notch = CutNotch::new(corner, Vec2::new(along.y, -along.x), edge.allowance);
                self.notches.push(notch);
            }
        }
        for hole in closed {
            let ring = &self.sew[hole + 1];
            let mut line: Vec<Point> = ring.iter().flat_map(|edge| flat(&edge.segment)).collect();
            line.extend(line.first().copied());
            self.drills.extend(ring.iter().map(|edge| edge.segment.start).take(4));
            self.darts.push(line);
        }
    }

    /// Direction of the warp, of length one.
    pub(super) fn warp(&self) -> Vec2 {
        let along = self.grain[1] - self.grain[0];
        if along.hypot() > 0.0 { along / along.hypot() } else { Vec2::new(0.0, 1.0) }
    }

    /// The outline to cut along on a sheet.
    pub(super) fn outline_on(&self, map: Affine) -> Vec<Point> {
        self.cut[0].iter().map(|point| map * *point).collect()
    }

    /// The outline to sew along on a sheet, curves as straight pieces that follow them to 0.1 mm.
    pub(super) fn sew_outline_on(&self, map: Affine) -> Vec<Point> {
        let mut points = Vec::new();
        for edge in &self.sew[0] {
            edge.segment.flatten(1e-4, &mut points);
        }
        points.iter().map(|point| map * *point).collect()
    }

    /// Whether the edges of this piece have an allowance anywhere.
    pub fn has_allowance(&self) -> bool {
        self.sew.iter().flatten().any(|edge| edge.allowance > 0.0)
    }
}

#[cfg(test)]
mod tests;
