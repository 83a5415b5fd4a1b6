//! The nouns: [`Pattern`], [`Panel`], [`Edge`], [`Seam`].
//!
//! Conventions
//! - A panel is drawn with its outer side up, y up, in metres. Its outline runs counter-clockwise and its holes clockwise,
//!   so that the cloth is always on the left; an edge ends where the next one starts, so that an outline is closed.
//! - Edges of a panel are numbered through: the outline first, then hole by hole.
//! - In a seam, chain `a` runs along the outlines and chain `b` against them; both are listed from their common
//!   start. Panels that lie side by side with their outer sides up are always sewn this way, so a pattern needs no stitch
//!   directions; `twisted` marks the seam that would turn one panel inside out.
//! - A panel cut on the fold or as a pair is drawn once, for the side of the wearer it names; so are its seams.
//!   [`Pattern::whole`](crate::Pattern::whole) gives the pattern with every piece of cloth drawn.

use kurbo::{Affine, Point, Rect, Vec2};

use crate::curve::{Curve, Segment};
use crate::placement::Placement;
use crate::role::{Part, Side};

/// All flat cut pieces of a garment and how they are sewn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pattern {
    /// What it is called.
    pub name: String,
    /// The panels.
    pub panels: Vec<Panel>,
    /// The seams.
    pub seams: Vec<Seam>,
}

/// One flat piece.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// Its name, unlike those of the other panels.
    pub name: String,
    /// What it covers.
    pub part: Part,
    /// The side of the wearer it covers; for a panel on the fold, the side of the half that is drawn.
    pub side: Side,
    /// How often it is cut.
    pub cut: Cut,
    /// Pieces of cloth to cut of it; a pair counts as one. Only the first is sewn, others are linings and facings.
    pub quantity: u32,
    /// Layer over the body, from 0 inside.
    pub layer: i32,
    /// Name of its fabric; empty for the garment's.
    pub fabric: String,
    /// The outline, counter-clockwise.
    pub outline: Vec<Edge>,
    /// Outlines of holes, clockwise.
    pub holes: Vec<Vec<Edge>>,
    /// Ends of the grainline [m]; the warp runs from the first to the second.
    pub grain: [Point; 2],
    /// Marks on edges that tell what meets in a seam.
    pub notches: Vec<Notch>,
    /// Lines drawn on the panel.
    pub lines: Vec<InternalLine>,
    /// Named points of the panel.
    pub marks: Vec<Mark>,
    /// Where the panel is before it is sewn; `None`, its part tells.
    pub placement: Option<Placement>,
}

/// How a panel is cut from the cloth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Once, as drawn.
    Single,
    /// Twice, as drawn and mirrored.
    Pair,
    /// Once, with its mirror image beyond the edge of this name, which must be straight.
    Fold(String),
}

/// An edge of an outline: where it starts and how it goes on to the start of the next.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Its name, unlike those of the other edges of its panel.
    pub name: String,
    /// Where it starts [m].
    pub start: Point,
    /// How it goes on.
    pub curve: Curve,
}

impl Edge {
    /// An edge.
    pub fn new(name: impl Into<String>, start: Point, curve: Curve) -> Self {
        Self { name: name.into(), start, curve }
    }
}

/// A mark on an edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Notch {
    /// Number of the edge.
    pub edge: usize,
    /// Fraction of its length.
    pub at: f64,
}

/// A line drawn on a panel.
#[derive(Clone, PartialEq, Debug)]
pub struct InternalLine {
    /// What it is.
    pub name: String,
    /// Its corners [m].
    pub points: Vec<Point>,
}

/// A named point.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// Its name.
    pub name: String,
    /// Where it is [m].
    pub at: Point,
}

/// Which edge of which panel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EdgeRef {
    /// Number of the panel.
    pub panel: usize,
    /// Number of the edge in it.
    pub edge: usize,
}

/// Two chains of edges that are sewn together.
#[derive(Clone, PartialEq, Debug)]
pub struct Seam {
    /// What it is called.
    pub name: String,
    /// Edges of the first chain, in the direction of their outlines.
    pub a: Vec<EdgeRef>,
    /// Edges of the second chain, from the same start, against the direction of their outlines.
    pub b: Vec<EdgeRef>,
    /// Whether `b` runs in the direction of its outlines too. Such a seam turns a panel inside out.
    pub twisted: bool,
    /// Length of `b` over that of `a`, as it shall be: 1 for a flat seam, more where `b` is eased or gathered. `None`
    /// accepts small differences.
    pub ratio: Option<f64>,
    /// Angle by which the cloth is folded along the seam [rad]; 0 is flat, positive folds the outer sides together.
    pub fold_angle: f64,
}

impl Seam {
    /// A flat seam of two chains.
    pub fn new(name: impl Into<String>, a: Vec<EdgeRef>, b: Vec<EdgeRef>) -> Self {
        Self { name: name.into(), a, b, twisted: false, ratio: None, fold_angle: 0.0 }
    }
}

impl Panel {
    /// A panel with an outline, cut once, with a vertical grainline.
    pub fn new(name: impl Into<String>, outline: Vec<Edge>) -> Self {
        let mut panel = Self {
            name: name.into(),
            part: Part::Other,
            side: Side::Both,
            cut: Cut::Single,
            quantity: 1,
            layer: 0,
            fabric: String::new(),
            outline,
            holes: Vec::new(),
            grain: [Point::ZERO, Point::new(0.0, 1.0)],
            notches: Vec::new(),
            lines: Vec::new(),
            marks: Vec::new(),
            placement: None,
        };
        panel.grain = panel.vertical_grain();
        panel
    }

    /// A vertical grainline of half the panel's height through its middle.
    pub fn vertical_grain(&self) -> [Point; 2] {
        let bounds = self.bounds();
        let reach = Vec2::new(0.0, (bounds.height() / 4.0).clamp(1e-3, 1e3));
        let middle = bounds.center();
        [middle - reach, middle + reach]
    }

    /// Number of edges, holes included.
    pub fn edge_count(&self) -> usize {
        self.outline.len() + self.holes.iter().map(Vec::len).sum::<usize>()
    }

    /// All edges in the order of their numbers.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.outline.iter().chain(self.holes.iter().flatten())
    }

    /// All edges in the order of their numbers, to be changed.
    pub fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        self.outline.iter_mut().chain(self.holes.iter_mut().flatten())
    }

    /// The outline and the holes, each with the number of its first edge.
    pub fn loops(&self) -> impl Iterator<Item = (usize, &[Edge])> {
        let mut first = 0;
        std::iter::once(&self.outline).chain(&self.holes).map(move |edges| {
            let number = first;
            first += edges.len();
            (number, edges.as_slice())
        })
    }

    /// The edge of a number with its end; `None` if there is none.
    pub fn segment(&self, edge: usize) -> Option<Segment> {
        let (first, edges) = self.loops().find(|(first, edges)| (*first..first + edges.len()).contains(&edge))?;
        let i = edge - first;
        let next = &edges[(i + 1) % edges.len()];
        Some(Segment::new(edges[i].start, edges[i].curve.clone(), next.start))
    }

    /// Number of the edge of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.edges().position(|edge| edge.name == name)
    }

    /// Length of an edge [m]; zero if there is none of this number.
    pub fn length(&self, edge: usize) -> f64 {
        self.segment(edge).map_or(0.0, |segment| segment.length())
    }

    /// Corners of the outline and of curves cut into straight pieces no further than `tolerance` [m] away.
    pub fn flatten(edges: &[Edge], tolerance: f64) -> Vec<Point> {
        let mut points = Vec::new();
        for (i, edge) in edges.iter().enumerate() {
            let end = edges[(i + 1) % edges.len()].start;
            Segment::new(edge.start, edge.curve.clone(), end).flatten(tolerance, &mut points);
        }
        points
    }

    /// The box around the outline [m].
    pub fn bounds(&self) -> Rect {
        let Some(first) = self.outline.first() else { return Rect::ZERO };
        let mut bounds = Rect::from_points(first.start, first.start);
        let mut points = Vec::new();
        for segment in (0..self.outline.len()).filter_map(|edge| self.segment(edge)) {
            points.clear();
            segment.flatten(1e-4, &mut points);
            bounds = points.iter().fold(bounds, |bounds, point| bounds.union_pt(*point));
        }
        bounds
    }

    /// Direction of the warp, of length one; upwards if the grainline has no length.
    pub fn warp(&self) -> Vec2 {
        let along = self.grain[1] - self.grain[0];
        let length = along.hypot();
        if length > 0.0 && length.is_finite() { along / length } else { Vec2::new(0.0, 1.0) }
    }

    /// Moves, turns or scales everything drawn on the panel; the placement is left alone.
    pub fn transform(&mut self, map: Affine) {
        if map.determinant() < 0.0 {
            self.reverse_loops(map);
        } else {
            for edge in self.edges_mut() {
                edge.start = map * edge.start;
                edge.curve = edge.curve.mapped(map);
            }
        }
        self.grain = self.grain.map(|point| map * point);
        self.lines.iter_mut().flat_map(|line| &mut line.points).for_each(|point| *point = map * *point);
        self.marks.iter_mut().for_each(|mark| mark.at = map * mark.at);
    }

    /// Number that an edge has after a reflection: loops are listed backwards then.
    pub fn mirrored_edge(&self, edge: usize) -> usize {
        let found = self.loops().find(|(first, edges)| (*first..first + edges.len()).contains(&edge));
        found.map_or(edge, |(first, edges)| first + edges.len() - 1 - (edge - first))
    }

    /// Reflects the loops and lists them backwards, so that the cloth stays on the left.
    fn reverse_loops(&mut self, map: Affine) {
        let notches =
            self.notches.iter().map(|notch| Notch { edge: self.mirrored_edge(notch.edge), at: 1.0 - notch.at });
        self.notches = notches.collect();
        reverse(&mut self.outline, map);
        self.holes.iter_mut().for_each(|hole| reverse(hole, map));
    }
}

/// Maps a loop and lists it backwards.
pub(crate) fn reverse(edges: &mut Vec<Edge>, map: Affine) {
    let count = edges.len();
    let mapped = (0..count).rev().map(|i| {
        let end = edges[(i + 1) % count].start;
        let segment = Segment::new(edges[i].start, edges[i].curve.clone(), end).mapped(map).reversed();
        Edge::new(edges[i].name.clone(), segment.start, segment.curve)
    });
    *edges = mapped.collect();
}

impl Pattern {
    /// Number of the panel of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.panels.iter().position(|panel| panel.name == name)
    }

    /// The edge `panel.edge`.
    pub fn edge(&self, panel: &str, edge: &str) -> Option<EdgeRef> {
        let number = self.find(panel)?;
        Some(EdgeRef { panel: number, edge: self.panels[number].find(edge)? })
    }

    /// `panel.edge` in words.
    pub fn edge_name(&self, edge: EdgeRef) -> String {
        let Some(panel) = self.panels.get(edge.panel) else { return format!("panel {}", edge.panel) };
        let name = panel.edges().nth(edge.edge).map_or_else(|| edge.edge.to_string(), |edge| edge.name.clone());
        format!("{}.{name}", panel.name)
    }

    /// Length of a chain of edges [m].
    pub fn chain_length(&self, chain: &[EdgeRef]) -> f64 {
        chain.iter().map(|edge| self.panels.get(edge.panel).map_or(0.0, |panel| panel.length(edge.edge))).sum()
    }
}
