//! Reads an SVG drawing into a pattern without seams.

use std::path::Path;

use kurbo::{Point, Rect};
use roxmltree::{Document, NodeId, ParsingOptions};

use super::document::{Drawn, Shape, shapes};
use super::outline::{Outline, closed_ring, with_holes};
use super::roles::{JOIN, Role, is_closed, role};
use crate::check::{MOST_HOLES, MOST_PANELS, is_inside, mend};
use crate::curve::Segment;
use crate::drawn::DrawnPattern;
use crate::file::{PatternFileError, read_bytes};
use crate::own::restored;
use crate::pattern::{InternalLine, Mark, Pattern};
use crate::sketch::{DrawnNotch, Sketch};

/// Outlines of less are no pieces [m²].
const SMALLEST: f64 = 3e-4;
/// How far marks may be from the outline they belong to [m].
const NEAR: f64 = 0.03;
/// Sides of test squares [mm].
const SQUARES: [f64; 8] = [10.0, 20.0, 25.4, 30.0, 50.0, 50.8, 100.0, 101.6];
/// Most elements of a document.
const MOST_NODES: u32 = 300_000;
/// Most open lines that are joined end to end.
const MOST_OPEN: usize = 3_000;

/// Namespace of the element that carries the pattern.
pub(super) const CARRIED: &str = "toile-pattern";

/// The `pattern.toml` that a file of this program carries.
fn carried(document: &Document<'_>) -> Option<String> {
    let is_own = |node: &roxmltree::Node<'_, '_>| node.has_tag_name((CARRIED, "pattern"));
    document.descendants().find(is_own)?.text().map(str::to_owned)
}

/// How to read.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SvgOptions {
    /// Length of a user unit [m], if it is not the one the file states.
    pub unit: Option<f64>,
}

/// Reads an SVG file.
pub fn load(path: impl AsRef<Path>, options: &SvgOptions) -> Result<DrawnPattern, PatternFileError> {
    let (file, bytes) = read_bytes(path.as_ref())?;
    from_svg(&file, &bytes, options)
}

/// Reads a pattern from the bytes of an SVG file; `file` stands in messages for them.
pub fn from_svg(file: &str, bytes: &[u8], options: &SvgOptions) -> Result<DrawnPattern, PatternFileError> {
    let fail =
        |message: String, help: &str| PatternFileError::Read { file: file.to_owned(), message, help: help.to_owned() };
    let invalid = |line: u32, column: u32, message: String, help: &str| PatternFileError::Invalid {
        file: file.to_owned(),
        line: line as usize,
        column: column as usize,
        message,
        help: help.to_owned(),
    };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(fail("is compressed (.svgz)".to_owned(), "save it as plain SVG"));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| fail("is not encoded in UTF-8".to_owned(), "save it as plain SVG in UTF-8"))?;
    let parsing = ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, parsing).map_err(|error| {
        let at = error.pos();
        invalid(at.row, at.col, format!("is no XML: {error}"), "export the pattern again as SVG")
    })?;
    let drawn = shapes(&document, options.unit).map_err(|(line, message, help)| invalid(line, 0, message, help))?;
    let stem = Path::new(file).file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let mut table = Table::new(drawn);
    let found = table.pieces().map_err(|(line, message, help)| invalid(line, 0, message, help))?;
    if let Some(extent) = table.largest_left_out.filter(|_| found.is_empty()) {
        return Err(fail(unit_trouble(extent), UNIT_HELP));
    }
    if found.is_empty() {
        return Err(fail(
            "has no piece: no closed outline of 3 cm² or more".to_owned(),
            "close the outlines; shapes named as grids, test squares or cut lines are not read",
        ));
    }
    if found.len() > MOST_PANELS {
        return Err(fail(format!("has {} outlines", found.len()), "export the pattern alone"));
    }
    let extent = found.iter().map(|piece| piece.bounds.width().max(piece.bounds.height())).fold(0.0, f64::max);
    if !(0.03..=5.0).contains(&extent) {
        return Err(fail(unit_trouble(extent), UNIT_HELP));
    }
    let sketches = table.sketches(found);
    let mut notes = table.drawn.notes;
    let mut pattern = Pattern { name: stem.clone(), ..Pattern::default() };
    let said = sketches.iter().map(Sketch::said).collect();
    for sketch in sketches {
        pattern.panels.push(sketch.panel(&stem, &mut notes));
    }
    if let Some(own) = carried(&document).and_then(|text| restored(&pattern, &text)) {
        return Ok(DrawnPattern { pattern: own, repairs: Vec::new(), notes, said, is_stated: true });
    }
    let mended = mend(pattern).map_err(|error| PatternFileError::of_fault(file, &error))?;
    Ok(DrawnPattern { pattern: mended.pattern, repairs: mended.repairs, notes, said, is_stated: false })
}

const UNIT_HELP: &str = "state the length of a unit of the drawing: `--unit mm`, `cm`, `in` or `px`";

fn unit_trouble(extent: f64) -> String {
    format!("its largest piece would measure {:.2} mm", 1e3 * extent)
}

/// The name a shape has by itself, unless it only says what kind of line it is.
fn own_name(shape: &Shape) -> String {
    let kinds = ["seam", "sew", "outline", "fabric", "cut", "stitch", "line", "seamline", "contour"];
    let only_kind = crate::sketch::words(&shape.name).iter().all(|word| kinds.contains(&word.as_str()));
    if only_kind { String::new() } else { shape.name.clone() }
}

/// The shapes of a drawing with their roles.
struct Table {
    drawn: Drawn,
    roles: Vec<Role>,
    /// Extent of the largest outline that is too small to be a piece [m].
    largest_left_out: Option<f64>,
}

type Found<T> = Result<T, (u32, String, &'static str)>;

impl Table {
    fn new(drawn: Drawn) -> Self {
        let roles = drawn.shapes.iter().map(role).collect();
        Self { drawn, roles, largest_left_out: None }
    }

    fn note(&mut self, text: String) {
        self.drawn.notes.push(text);
    }

    /// The outlines of pieces: sew lines, without cut lines, test squares and frames.
    fn pieces(&mut self) -> Found<Vec<Outline>> {
        let mut outlines = self.outlines(&Role::Outline)?;
        if outlines.is_empty() {
            outlines = self.outlines(&Role::CutLine)?;
            if !outlines.is_empty() {
                self.note("only cut lines were found; they were read as seams".to_owned());
            }
        }
        self.leave_out_frames(&mut outlines);
        outlines.sort_by(|a, b| b.area.total_cmp(&a.area).then(a.shape.cmp(&b.shape)));
        outlines.truncate(10 * MOST_PANELS);
        let mut pieces: Vec<Outline> = Vec::new();
        for outline in outlines {
            let around = (0..pieces.len()).rev().find(|&i| pieces[i].has(&outline));
            let Some(i) = around else {
                pieces.push(outline);
                continue;
            };
            if pieces[i].holes.is_empty() && pieces[i].is_cut_line_of(&outline) {
                let line = self.drawn.shapes[pieces[i].shape].line;
                self.note(format!("line {line}: an outline around another was taken for its cut line"));
                if self.drawn.shapes[outline.shape].name.is_empty() {
                    let name = self.drawn.shapes[pieces[i].shape].name.clone();
                    self.drawn.shapes[outline.shape].name = name;
                }
                self.roles[pieces[i].shape] = Role::CutLine;
                pieces[i] = outline;
            } else {
                let line = self.drawn.shapes[outline.shape].line;
                self.note(format!("line {line}: a closed line inside a piece was taken for an internal line"));
                self.roles[outline.shape] = Role::Inner;
            }
        }
        for hole in self.outlines(&Role::Hole)? {
            if let Some(piece) = pieces.iter_mut().find(|piece| piece.has(&hole)) {
                piece.holes.push(hole.ring);
            }
        }
        Ok(pieces)
    }

    /// All closed outlines of a role; open lines are joined to some.
    fn outlines(&mut self, wanted: &Role) -> Found<Vec<Outline>> {
        let mut outlines = Vec::new();
        let mut open: Vec<(usize, Vec<Segment>)> = Vec::new();
        for i in (0..self.roles.len()).filter(|i| self.roles[*i] == *wanted) {
            let mut rings = Vec::new();
            for part in &self.drawn.shapes[i].parts {
                if is_closed(part) {
                    rings.extend(Outline::new(closed_ring(part.segments.clone()), i));
                } else {
                    open.push((i, part.segments.clone()));
                }
            }
            outlines.extend(with_holes(rings));
        }
        if open.len() > MOST_OPEN {
            let line = self.drawn.shapes[open[0].0].line;
            let message = format!("{} open lines might be outlines, at most {MOST_OPEN} are joined", open.len());
            return Err((line, message, "close the outlines of the pieces"));
        }
        let (rings, rest) = self.join(open);
        outlines.extend(rings.into_iter().filter_map(|(i, ring)| Outline::new(ring, i)));
        if *wanted == Role::Outline {
            for i in rest {
                self.roles[i] = Role::Inner;
            }
        }
        let mut kept = Vec::new();
        for outline in outlines {
            if outline.area >= SMALLEST {
                kept.push(outline);
            } else if *wanted == Role::Outline {
                self.roles[outline.shape] = Role::Inner;
                let extent = outline.bounds.width().max(outline.bounds.height());
                self.largest_left_out = Some(self.largest_left_out.map_or(extent, |other| other.max(extent)));
            }
        }
        Ok(kept)
    }

    /// Joins open lines of one group end to end; those that close become rings.
    fn join(&self, mut open: Vec<(usize, Vec<Segment>)>) -> (Vec<(usize, Vec<Segment>)>, Vec<usize>) {
        let group = |i: usize| self.drawn.shapes[i].groups.first().map(|(id, _)| *id);
        let (mut rings, mut rest) = (Vec::new(), Vec::new());
        while !open.is_empty() {
            let (first, mut ring) = open.remove(0);
            let mut members = vec![first];
            loop {
                let (start, end) = (ring[0].start, ring[ring.len() - 1].end);
                if ring.len() > 1 && start.distance(end) < JOIN {
                    rings.push((first, closed_ring(ring)));
                    break;
                }
                let near =
                    open.iter().enumerate().filter(|(_, (i, _))| group(*i) == group(first)).flat_map(|(k, (_, l))| {
                        [(k, false, l[0].start.distance(end)), (k, true, l[l.len() - 1].end.distance(end))]
                    });
                let nearest = near.filter(|(.., far)| *far < JOIN).min_by(|a, b| a.2.total_cmp(&b.2));
                let Some((k, backwards, _)) = nearest else {
                    rest.extend(members);
                    break;
                };
                let (i, mut next) = open.remove(k);
                members.push(i);
                if backwards {
                    next = next.iter().rev().map(Segment::reversed).collect();
                }
                next[0].start = end;
                ring.extend(next);
            }
        }
        (rings, rest)
    }

    /// Takes test squares and frames of sheets out.
    fn leave_out_frames(&mut self, outlines: &mut Vec<Outline>) {
        let sheet = self.drawn.sheet;
        let mut kept = Vec::new();
        let count = outlines.len();
        for outline in outlines.drain(..) {
            let (line, is_named) = {
                let shape = &self.drawn.shapes[outline.shape];
                (shape.line, !own_name(shape).is_empty())
            };
            let side = outline.square().filter(|side| SQUARES.iter().any(|usual| (usual - side).abs() < 0.3));
            let fills = |sheet: Rect| {
                let b = outline.bounds;
                [(b.x0, sheet.x0), (b.x1, sheet.x1), (b.y0, sheet.y0), (b.y1, sheet.y1)]
                    .iter()
                    .all(|(p, q)| (p - q).abs() < 2e-3)
            };
            if let Some(side) = side.filter(|_| !is_named) {
                self.note(format!("line {line}: a square of {side:.1} mm was taken for a test square"));
                self.roles[outline.shape] = Role::Nothing;
            } else if count > 1 && sheet.is_some_and(fills) {
                self.note(format!("line {line}: a frame around the sheet was left out"));
                self.roles[outline.shape] = Role::Nothing;
            } else {
                kept.push(outline);
            }
        }
        *outlines = kept;
    }

    /// Names for pieces: their own, or that of the nearest group; numbered where several have the same.
    fn names(&self, pieces: &[Outline]) -> Vec<String> {
        let groups = |piece: &Outline| self.drawn.shapes[piece.shape].groups.clone();
        let holds = |group: NodeId| pieces.iter().filter(|p| groups(p).iter().any(|(id, _)| *id == group)).count();
        let mut names: Vec<String> = Vec::new();
        for (k, piece) in pieces.iter().enumerate() {
            let shape = &self.drawn.shapes[piece.shape];
            let own = own_name(shape);
            let named = || shape.groups.iter().filter(|(_, name)| !name.is_empty());
            let alone = named().find(|(id, _)| holds(*id) == 1).map(|(_, name)| name.clone());
            let shared = named().map(|(_, name)| name.clone()).next();
            let base = if own.is_empty() { alone.or(shared) } else { Some(own) };
            let base = base.unwrap_or_else(|| format!("piece_{}", k + 1));
            let mut name = base.clone();
            let mut number = 2;
            while names.contains(&name) {
                name = format!("{base}_{number}");
                number += 1;
            }
            names.push(name);
        }
        names
    }

    /// The pieces with everything that is drawn on them, in the order of the file.
    fn sketches(&mut self, mut pieces: Vec<Outline>) -> Vec<Sketch> {
        pieces.sort_by_key(|piece| piece.shape);
        let names = self.names(&pieces);
        let mut sketches = Vec::new();
        for (piece, name) in pieces.iter().zip(names) {
            let edges = self.drawn.shapes[piece.shape].edges.clone();
            sketches.push(Sketch {
                name,
                outline: piece.ring.clone(),
                holes: piece.holes.clone(),
                edges,
                warp: self.drawn.shapes[piece.shape].warp,
                ..Sketch::default()
            });
        }
        for i in 0..self.roles.len() {
            self.add_mark(i, &pieces, &mut sketches);
        }
        for writing in self.drawn.writings.clone() {
            if let Some(k) = pieces.iter().position(|piece| is_inside(writing.at, &piece.points)) {
                sketches[k].read_words(&writing.text);
            }
        }
        sketches
    }

    fn add_mark(&self, i: usize, pieces: &[Outline], sketches: &mut [Sketch]) {
        let nearest = |point: Point| {
            let far = pieces.iter().map(|piece| piece.distance(point));
            let best = far.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            best.filter(|(k, far)| *far < NEAR || is_inside(point, &pieces[*k].points))
        };
        let holding = |point: Point| pieces.iter().position(|piece| is_inside(point, &piece.points));
        match &self.roles[i] {
            Role::Notch { near, is_double } => {
                let best = near.iter().filter_map(|p| nearest(*p).map(|(k, far)| (k, far, *p)));
                if let Some((k, _, at)) = best.min_by(|a, b| a.1.total_cmp(&b.1))
                    && sketches[k].notches.len() < MOST_HOLES
                {
                    sketches[k].notches.push(DrawnNotch { at, is_double: *is_double });
                }
            }
            Role::Grain(ends) => {
                if let Some(k) = holding(ends[0].midpoint(ends[1])) {
                    let own = sketches[k].grain.map_or(0.0, |[from, to]| from.distance(to));
                    if ends[0].distance(ends[1]) > own {
                        sketches[k].grain = Some(*ends);
                    }
                }
            }
            Role::Fold(ends) => {
                let far = |piece: &Outline| piece.distance(ends[0]).max(piece.distance(ends[1]));
                let best = pieces.iter().map(far).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
                if let Some((k, _)) = best.filter(|(_, far)| *far < NEAR) {
                    sketches[k].fold = Some(*ends);
                }
            }
            Role::Mark { name, at } => {
                if let Some(k) = holding(*at).filter(|k| sketches[*k].marks.len() < MOST_HOLES) {
                    let beside = self.drawn.writings.iter().find(|writing| writing.at.distance(*at) < 4e-3);
                    let base = match (name.is_empty(), beside) {
                        (false, _) => name.clone(),
                        (true, Some(writing)) => writing.text.clone(),
                        (true, None) => "drill".to_owned(),
                    };
                    let is_free = |name: &str| !sketches[k].marks.iter().any(|mark| mark.name == name);
                    let mut name = base.clone();
                    let mut number = 2;
                    while !is_free(&name) {
                        name = format!("{base}_{number}");
                        number += 1;
                    }
                    sketches[k].marks.push(Mark { name, at: *at });
                }
            }
            Role::Inner => {
                for part in &self.drawn.shapes[i].parts {
                    let mut points = Vec::new();
                    part.segments.iter().for_each(|segment| segment.flatten(1e-5, &mut points));
                    points.extend(part.segments.last().map(|segment| segment.end));
                    let middle = points[points.len() / 2];
                    let inner = holding(middle).filter(|k| sketches[*k].lines.len() < MOST_HOLES);
                    if let Some(k) = inner.filter(|_| points.len() > 1) {
                        let name = &self.drawn.shapes[i].name;
                        let name = if name.is_empty() { "internal".to_owned() } else { name.clone() };
                        sketches[k].lines.push(InternalLine { name, points });
                    }
                }
            }
            Role::Outline | Role::CutLine | Role::Hole | Role::Nothing => {}
        }
    }
}
