//! Drawing of outlines, and the solving of lengths.

use kurbo::{Affine, Point};

use crate::curve::Curve;
use crate::pattern::{Cut, Edge, EdgeRef, Panel, Pattern, Seam};
use crate::role::{Part, Side};

pub(super) fn p(x: f64, y: f64) -> Point {
    Point::new(x, y)
}

/// Draws an outline edge by edge.
pub(super) struct Pen {
    edges: Vec<Edge>,
    at: Point,
}

impl Pen {
    pub(super) fn at(start: Point) -> Self {
        Self { edges: Vec::new(), at: start }
    }

    fn to(mut self, name: &str, curve: Curve, end: Point) -> Self {
        self.edges.push(Edge::new(name, self.at, curve));
        self.at = end;
        self
    }

    pub(super) fn line(self, name: &str, end: Point) -> Self {
        self.to(name, Curve::Line, end)
    }

    pub(super) fn cubic(self, name: &str, c0: Point, c1: Point, end: Point) -> Self {
        self.to(name, Curve::Cubic(c0, c1), end)
    }

    /// An arc that turns left by `angle` [rad].
    pub(super) fn arc(self, name: &str, angle: f64, end: Point) -> Self {
        self.to(name, Curve::Arc((angle / 4.0).tan()), end)
    }

    /// The edges; the pen must be back at its start.
    pub(super) fn close(self) -> Vec<Edge> {
        debug_assert!(
            self.edges.first().is_some_and(|edge| edge.start.distance(self.at) < 1e-9),
            "the pen must come back"
        );
        self.edges
    }

    /// A panel for the wearer's left.
    pub(super) fn panel(self, name: &str, part: Part, cut: Cut) -> Panel {
        let side = if cut == Cut::Single { Side::Both } else { Side::Left };
        Panel { part, side, cut, ..Panel::new(name, self.close()) }
    }
}

/// The panel seen from behind: drawn at x ≤ 0.
pub(super) fn behind(mut panel: Panel) -> Panel {
    panel.transform(Affine::FLIP_X);
    panel
}

pub(super) fn fold() -> Cut {
    Cut::Fold("centre".to_owned())
}

/// Sews chains given as `panel.edge panel.edge …`, both from their common start.
pub(super) fn sew(pattern: &mut Pattern, name: &str, a: &str, b: &str) {
    let find = |word: &str| {
        let (panel, edge) = word.split_once('.').expect("drafts name edges as panel.edge");
        pattern.edge(panel, edge).expect("drafts sew edges that they have drawn")
    };
    let chain = |words: &str| words.split_whitespace().map(find).collect::<Vec<EdgeRef>>();
    let seam = Seam::new(name, chain(a), chain(b));
    pattern.seams.push(seam);
}

/// Length of a named edge [m].
pub(super) fn length(panel: &Panel, edge: &str) -> f64 {
    panel.find(edge).map_or(0.0, |edge| panel.length(edge))
}

/// The root of an increasing function between `low` and `high`, by bisection to the last bit; an end if there is none.
pub(super) fn solve(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}
