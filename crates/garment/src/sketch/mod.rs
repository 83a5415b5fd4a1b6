//! [`Sketch`]: a piece as drawing programs and `FreeSewing` know it, loops of curves and marks, and the [`Panel`] it becomes.
//!
//! Edges end at corners, where an outline turns by more than 20°. Curves between two corners become one edge: exact if it is a
//! single curve, else a polyline that follows them to 2 µm. The cap of a sleeve is parted at its top, where the shoulder seam comes.
//!
//! A drawing does not say where a panel belongs on the wearer. Its name does: `front`, `back`, `sleeve`, `collar`, `cuff`, `waistband`, with
//! `skirt`, `trousers` or `leg` in the name of the piece or the garment, and `left` or `right`. The panel is turned so that its
//! grainline is vertical, or its longer side level if it is a band; put with its fold or its middle at x = 0, and doubled panels are mirrored where needed so that they
//! are drawn for the wearer's left: fronts at x ≥ 0, backs at x ≤ 0, fronts of sleeves at x ≤ 0.

mod loops;
mod names;

use kurbo::{Affine, Point, Vec2};

use crate::curve::{Curve, Segment};
use crate::drawn::Said;
use crate::pattern::{Cut, Edge, InternalLine, Mark, Notch, Panel};
use crate::role::{Part, Side};
use loops::{corners, edges, joined, part_at_top, turn_round};
pub(crate) use names::words;
use names::{part_of, side_of};

/// How far a fold mark may be from the edge it marks [m].
const FOLD: f64 = 3e-3;
/// How far a notch may be from its edge [m].
const NOTCH: f64 = 0.02;
/// Distance of a double notch [m].
const DOUBLE: f64 = 0.008;
/// How near the ends of a named line must be to those of the edge it names [m].
const SAME: f64 = 5e-4;

/// Name of an edge that a mark says is on the fold.
pub(crate) const FOLD_NAME: &str = "fold";

/// A notch as it is drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct DrawnNotch {
    /// Where [m].
    pub(crate) at: Point,
    /// Whether it stands for two, as on backs.
    pub(crate) is_double: bool,
}

/// A piece as it is drawn, in metres with y up.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Sketch {
    /// Its name.
    pub(crate) name: String,
    /// A closed loop of curves.
    pub(crate) outline: Vec<Segment>,
    /// Loops of holes.
    pub(crate) holes: Vec<Vec<Segment>>,
    /// Names of edges with their numbers of curves, through all loops, where the file states them.
    pub(crate) edges: Vec<(String, usize)>,
    /// Names of edges by their ends.
    pub(crate) named: Vec<(String, [Point; 2])>,
    /// Notches.
    pub(crate) notches: Vec<DrawnNotch>,
    /// The grainline.
    pub(crate) grain: Option<[Point; 2]>,
    /// Angle of the warp on the panel [degrees], where the file states it; else it is vertical.
    pub(crate) warp: Option<f64>,
    /// Ends of the mark of the fold.
    pub(crate) fold: Option<[Point; 2]>,
    /// Lines on the cloth.
    pub(crate) lines: Vec<InternalLine>,
    /// Named points.
    pub(crate) marks: Vec<Mark>,
    /// Pieces to cut, if that is said.
    pub(crate) count: Option<u32>,
    /// Whether it is said that it is cut on the fold.
    pub(crate) on_fold: bool,
    /// What is written on it.
    pub(crate) words: String,
}

/// Longest text on a piece that is looked at [letters].
const LONGEST: usize = 200;

/// The number behind the word `cut`, as in `Cut 2 mirrored` and `cut,1,onFold`.
fn cut_count(text: &str) -> Option<u32> {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("cut") {
        let number = after.trim_start_matches([' ', ',', ':', '.', 'x', '×', '=', '-']);
        let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
        if let Some(count) = digits.parse().ok().filter(|count| (1..=1000).contains(count)) {
            return Some(count);
        }
        rest = after;
    }
    None
}

impl Sketch {
    /// Takes up what is written on the piece: how often it is cut, whether on the fold, and words for its part.
    pub(crate) fn read_words(&mut self, text: &str) {
        let text: String = text.chars().take(LONGEST).collect();
        let lower = text.to_lowercase();
        let is_fold = ["on fold", "on the fold", "onfold", "on_fold"].iter().any(|words| lower.contains(words));
        self.on_fold |= is_fold;
        if self.count.is_none() {
            self.count = cut_count(&lower);
        }
        // Cloth is folded for other reasons, too: pleats, facings, flies.
        if is_fold || !lower.contains("fold") {
            if !self.words.is_empty() {
                self.words.push_str("; ");
            }
            self.words.push_str(&text);
        }
    }

    /// What is said of it beside its shape.
    pub(crate) fn said(&self) -> Said {
        Said { words: self.words.clone(), has_grain: self.grain.is_some(), has_count: self.count.is_some() }
    }

    /// The panel of a garment of this name; what was assumed goes into the notes.
    pub(crate) fn panel(mut self, garment: &str, notes: &mut Vec<String>) -> Panel {
        self.name = self.name.trim().to_owned();
        let is_stated = self.edges.iter().map(|(_, curves)| curves).sum::<usize>()
            == self.outline.len() + self.holes.iter().map(Vec::len).sum::<usize>()
            && !self.edges.is_empty();
        let part = part_of(&self.name, garment);
        let (outline, holes) = if is_stated { self.stated_edges() } else { self.found_edges(part) };
        let mut panel = Panel::new(&self.name, outline);
        panel.holes = holes;
        panel.part = part;
        panel.side = side_of(&self.name);
        if let Some(grain) = self.grain.filter(|grain| grain[0].distance(grain[1]) > 1e-3) {
            panel.grain = grain;
        }
        panel.lines = std::mem::take(&mut self.lines);
        panel.marks = std::mem::take(&mut self.marks);
        self.name_edges(&mut panel);
        self.set_cut(&mut panel, notes);
        self.add_notches(&mut panel);
        self.seat(&mut panel, is_stated);
        panel
    }

    /// Edges where the file says how many curves each has.
    fn stated_edges(&mut self) -> (Vec<Edge>, Vec<Vec<Edge>>) {
        let mut names = std::mem::take(&mut self.edges).into_iter();
        let mut loops = Vec::new();
        for ring in std::iter::once(&self.outline).chain(&self.holes) {
            let (mut edges, mut first) = (Vec::new(), 0);
            while first < ring.len() {
                let Some((name, curves)) = names.next() else { break };
                let end = (first + curves.max(1)).min(ring.len());
                edges.push(Edge::new(name, ring[first].start, joined(&ring[first..end])));
                first = end;
            }
            loops.push(edges);
        }
        let holes = loops.split_off(1);
        (loops.swap_remove(0), holes)
    }

    /// Edges between corners.
    fn found_edges(&mut self, part: Part) -> (Vec<Edge>, Vec<Vec<Edge>>) {
        turn_round(&mut self.outline, true);
        self.holes.iter_mut().for_each(|hole| turn_round(hole, false));
        let mut outline = self.outline.clone();
        let mut cuts = corners(&outline);
        if part == Part::Sleeve {
            part_at_top(&mut outline, &mut cuts, self.grain);
        }
        let ring = edges(&outline, &cuts, "edge");
        let hole = |(k, hole): (usize, &Vec<Segment>)| edges(hole, &corners(hole), &format!("hole_{}", k + 1));
        (ring, self.holes.iter().enumerate().map(hole).collect())
    }

    /// Gives edges the names of lines with the same ends.
    fn name_edges(&self, panel: &mut Panel) {
        for (name, ends) in &self.named {
            let found = (0..panel.edge_count()).find(|edge| {
                panel.segment(*edge).is_some_and(|segment| {
                    let near = |a: Point, b: Point| a.distance(b) < SAME;
                    (near(segment.start, ends[0]) && near(segment.end, ends[1]))
                        || (near(segment.start, ends[1]) && near(segment.end, ends[0]))
                })
            });
            let is_free = !panel.edges().any(|edge| edge.name == *name);
            if let Some(edge) = found.filter(|_| is_free)
                && let Some(edge) = panel.edges_mut().nth(edge)
            {
                name.clone_into(&mut edge.name);
            }
        }
    }

    fn set_cut(&self, panel: &mut Panel, notes: &mut Vec<String>) {
        let marked = self.fold.and_then(|mark| marked_edge(panel, mark));
        if self.fold.is_some() && marked.is_none() {
            notes.push(format!("{}: its fold mark is at no straight edge, and was left out", panel.name));
        }
        let guessed = if self.on_fold && marked.is_none() { edge_along_grain(panel) } else { None };
        if let Some(edge) = guessed {
            notes.push(format!(
                "{}: it is cut on the fold; `{}`, its longest straight edge along the grain, was taken for it",
                panel.name, panel.outline[edge].name
            ));
        }
        if let Some(edge) = marked.or(guessed) {
            panel.outline[edge].curve = Curve::Line;
            if panel.outline[edge].name.starts_with("edge_") && panel.find(FOLD_NAME).is_none() {
                FOLD_NAME.clone_into(&mut panel.outline[edge].name);
            }
            panel.cut = Cut::Fold(panel.outline[edge].name.clone());
            panel.quantity = self.count.unwrap_or(1).clamp(1, 1000);
            return;
        }
        match self.count {
            Some(count) if count > 1 && count % 2 == 0 => {
                panel.cut = Cut::Pair;
                panel.quantity = (count / 2).clamp(1, 1000);
            }
            Some(count) => panel.quantity = count.clamp(1, 1000),
            None if panel.part == Part::Sleeve && panel.side == Side::Both => {
                notes.push(format!("{}: a sleeve is cut twice, mirrored", panel.name));
                panel.cut = Cut::Pair;
            }
            None => {}
        }
    }

    fn add_notches(&self, panel: &mut Panel) {
        for drawn in &self.notches {
            let Some(notch) = nearest_place(panel, drawn.at) else { continue };
            let half = 0.5 * DOUBLE / panel.length(notch.edge).max(DOUBLE);
            let places = if drawn.is_double { vec![notch.at - half, notch.at + half] } else { vec![notch.at] };
            panel.notches.extend(places.into_iter().map(|at| Notch { edge: notch.edge, at: at.clamp(0.0, 1.0) }));
        }
    }

    /// Turns, moves and mirrors the panel to where panels of its kind are drawn. Grainlines of other programs have no direction, and their
    /// panels no side; what this program wrote (`is_own`) has both.
    fn seat(&self, panel: &mut Panel, is_own: bool) {
        if self.grain.is_some() {
            let mut warp = panel.warp();
            if !is_own && (warp.y < 0.0 || (warp.y == 0.0 && warp.x < 0.0)) {
                warp = -warp;
            }
            let turn = self.warp.unwrap_or(90.0).to_radians() - warp.atan2();
            if turn.abs() > 1e-3 {
                panel.transform(Affine::rotate(turn));
            }
        }
        let is_band = matches!(panel.part, Part::Waistband | Part::Collar | Part::Cuff);
        if !is_own && is_band && panel.bounds().height() > panel.bounds().width() {
            panel.transform(Affine::rotate(-std::f64::consts::FRAC_PI_2));
        }
        let fold = if let Cut::Fold(name) = &panel.cut { panel.find(name) } else { None };
        let line = fold.and_then(|edge| panel.segment(edge));
        let bounds = panel.bounds();
        let is_upright = |line: &Segment| (line.end.x - line.start.x).abs() < 1e-3;
        let middle = match line.filter(is_upright) {
            Some(line) => line.start.midpoint(line.end).x,
            None => bounds.center().x,
        };
        panel.transform(Affine::translate(Vec2::new(-middle, -bounds.y0)));
        if panel.cut == Cut::Single {
            return;
        }
        let to_left = match panel.part {
            Part::Back | Part::SkirtBack | Part::LegBack => fold.is_none() || panel.bounds().center().x > 0.0,
            Part::Sleeve => self.has_back_on_the_left(panel),
            _ => fold.is_some() && panel.bounds().center().x < 0.0,
        };
        if to_left && !is_own && panel.side == Side::Both {
            panel.transform(Affine::FLIP_X);
        }
        if panel.side == Side::Both {
            panel.side = Side::Left;
        }
        if fold.is_none()
            && !is_own
            && matches!(panel.part, Part::Front | Part::SkirtFront | Part::Back | Part::SkirtBack)
        {
            let bounds = panel.bounds();
            let is_front = matches!(panel.part, Part::Front | Part::SkirtFront);
            let shift = if is_front { -bounds.x0 } else { -bounds.x1 };
            panel.transform(Affine::translate(Vec2::new(shift, 0.0)));
        }
    }

    /// Whether the double notches of a sleeve, which mark its back, are further left than its single ones.
    fn has_back_on_the_left(&self, panel: &Panel) -> bool {
        let mean = |double: bool| {
            let places: Vec<f64> = self
                .notches
                .iter()
                .filter(|notch| notch.is_double == double)
                .map(|notch| (notch.at - self.outline[0].start).x)
                .collect();
            if places.is_empty() { None } else { Some(places.iter().sum::<f64>() / places.len() as f64) }
        };
        panel.part == Part::Sleeve && matches!((mean(true), mean(false)), (Some(back), Some(front)) if back < front)
    }
}

/// The longest straight edge that both ends of a mark lie on.
fn marked_edge(panel: &Panel, mark: [Point; 2]) -> Option<usize> {
    let is_marked = |edge: &usize| {
        panel.segment(*edge).filter(is_straight).is_some_and(|segment| {
            let along = segment.end - segment.start;
            let on = |point: Point| {
                let t = (point - segment.start).dot(along) / along.hypot2().max(1e-300);
                (-0.02..=1.02).contains(&t) && segment.start.lerp(segment.end, t).distance(point) < FOLD
            };
            mark.iter().all(|point| on(*point))
        })
    };
    let edges = (0..panel.outline.len()).filter(is_marked);
    edges.max_by(|a, b| panel.length(*a).total_cmp(&panel.length(*b)))
}

fn is_straight(segment: &Segment) -> bool {
    match &segment.curve {
        Curve::Line => true,
        Curve::Arc(bulge) => bulge.abs() < 1e-6,
        _ => segment.length() - segment.start.distance(segment.end) < 1e-6,
    }
}

/// The longest straight edge along the grain.
fn edge_along_grain(panel: &Panel) -> Option<usize> {
    let warp = panel.warp();
    let is_along = |edge: &usize| {
        panel.segment(*edge).filter(is_straight).is_some_and(|segment| {
            let along = segment.end - segment.start;
            warp.cross(along).abs() < 0.02 * along.hypot()
        })
    };
    let edges = (0..panel.outline.len()).filter(is_along);
    edges.max_by(|a, b| panel.length(*a).total_cmp(&panel.length(*b)))
}

/// The place on an edge nearest to a point; `None` if none is near.
fn nearest_place(panel: &Panel, point: Point) -> Option<Notch> {
    let mut best: Option<(f64, Notch)> = None;
    for edge in 0..panel.edge_count() {
        let segment = panel.segment(edge)?;
        let mut points = Vec::new();
        segment.flatten(1e-5, &mut points);
        points.push(segment.end);
        let (mut passed, length) = (0.0, segment.length());
        for pair in points.windows(2) {
            let along = pair[1] - pair[0];
            let t = ((point - pair[0]).dot(along) / along.hypot2().max(1e-300)).clamp(0.0, 1.0);
            let far = point.distance(pair[0] + t * along);
            if length > 0.0 && best.is_none_or(|(least, _)| far < least) {
                let at = ((passed + t * along.hypot()) / length).clamp(0.0, 1.0);
                best = Some((far, Notch { edge, at }));
            }
            passed += along.hypot();
        }
    }
    best.filter(|(far, _)| *far < NOTCH).map(|(_, notch)| notch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(points: &[(f64, f64)]) -> Vec<Segment> {
        let p = |i: usize| Point::new(points[i % points.len()].0, points[i % points.len()].1);
        (0..points.len()).map(|i| Segment::new(p(i), Curve::Line, p(i + 1))).collect()
    }

    #[test]
    fn a_fold_mark_names_its_edge_and_backs_are_drawn_for_the_left() {
        // A half back drawn at x ≥ 0 with its fold at x = 0.2, clockwise, with a point in the middle of its fold.
        let outline = ring(&[(0.2, 0.0), (0.2, 0.3), (0.2, 0.6), (0.35, 0.62), (0.45, 0.0)]);
        let fold = Some([Point::new(0.201, 0.1), Point::new(0.201, 0.5)]);
        let mut notes = Vec::new();
        let sketch = Sketch { name: "back".into(), outline, fold, ..Sketch::default() };
        let panel = sketch.panel("shirt", &mut notes);
        assert_eq!((&panel.cut, panel.outline.len()), (&Cut::Fold("fold".into()), 4));
        assert_eq!((panel.part, panel.side), (Part::Back, Side::Left));
        let bounds = panel.bounds();
        assert!((bounds.x0 + 0.25).abs() < 1e-9 && bounds.x1.abs() < 1e-9, "{bounds:?}");
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn a_sleeve_is_parted_at_its_top_and_cut_twice() {
        let mut outline = ring(&[(-0.15, 0.0), (0.15, 0.0), (0.18, 0.4)]);
        outline[2] = Segment::new(
            Point::new(0.18, 0.4),
            Curve::Cubic(Point::new(0.1, 0.6), Point::new(-0.1, 0.6)),
            Point::new(-0.18, 0.4),
        );
        outline.push(Segment::new(Point::new(-0.18, 0.4), Curve::Line, Point::new(-0.15, 0.0)));
        let notches = vec![
            DrawnNotch { at: Point::new(-0.12, 0.495), is_double: true },
            DrawnNotch { at: Point::new(0.12, 0.495), is_double: false },
        ];
        let mut notes = Vec::new();
        let panel = Sketch { name: "sleeve".into(), outline, notches, ..Sketch::default() }.panel("teagan", &mut notes);
        assert_eq!((panel.outline.len(), &panel.cut), (5, &Cut::Pair));
        let caps: Vec<f64> =
            (0..5).filter(|e| panel.outline[*e].curve != Curve::Line).map(|e| panel.length(e)).collect();
        assert!(caps.len() == 2 && (caps[0] - caps[1]).abs() < 5e-3, "{caps:?}");
        // Its back, with the double notch, was drawn on the left: that is a right sleeve, and was mirrored.
        let at = |notch: &Notch| panel.segment(notch.edge).unwrap().at_fraction(notch.at);
        assert_eq!(panel.notches.len(), 3);
        assert!(panel.notches.iter().filter(|notch| at(notch).x > 0.0).count() == 2);
    }
}
