//! What an edge is to a sewer, and the seam allowance it gets: [`EdgeKind`], [`Allowances`].
//!
//! | edge | allowance |
//! |---|---|
//! | sewn | 10 mm |
//! | hem | 30 mm |
//! | neckline, sewn or not, and what is sewn to it | 7 mm |
//! | armhole, and the sleeve cap sewn to it | 7 mm |
//! | raw: any other edge that is not sewn | 10 mm |
//! | fold, leg of a dart | none |
//!
//! Both sides of a seam are of one kind, so that they have the same allowance. Names decide where they tell: `hem`, `neck`,
//! `collar`, `armhole`, `armscye`, `cap`. An edge without such a name is a hem if it is not sewn, lies across the grain and is
//! the lowest of its panel; so are the free edges of what lies flat.

use crate::pattern::{Cut, EdgeRef, Panel, Pattern, Seam};
use crate::role::{Part, words};

words! {
    /// What an edge is to a sewer.
    EdgeKind {
        /// Sewn to another edge.
        Seam = "seam",
        /// Turned up at the end.
        Hem = "hem",
        /// Around the neck.
        Neckline = "neckline",
        /// Around the arm, at the shoulder.
        Armhole = "armhole",
        /// Not sewn and not a hem.
        Raw = "raw",
        /// On the fold of the cloth.
        Fold = "fold",
        /// Leg of a dart: folded, not cut.
        Dart = "dart",
    }
}

/// The widest allowance that is taken [m].
pub const WIDEST: f64 = 0.2;

/// Seam allowances by kind of edge, and by edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Allowances {
    /// Of sewn edges [m].
    pub seam: f64,
    /// Of hems [m].
    pub hem: f64,
    /// Of necklines [m].
    pub neckline: f64,
    /// Of armholes and sleeve caps [m].
    pub armhole: f64,
    /// Of edges that are neither sewn nor hems [m].
    pub raw: f64,
    /// Of single edges, named `panel.edge` [m]; they go before the kinds.
    pub single: Vec<(String, f64)>,
}

impl Default for Allowances {
    fn default() -> Self {
        Self { seam: 0.010, hem: 0.030, neckline: 0.007, armhole: 0.007, raw: 0.010, single: Vec::new() }
    }
}

impl Allowances {
    /// None at all: the cut line is the sew line.
    pub const NONE: Self = Self { seam: 0.0, hem: 0.0, neckline: 0.0, armhole: 0.0, raw: 0.0, single: Vec::new() };

    /// The allowance of a kind [m].
    pub fn of(&self, kind: EdgeKind) -> f64 {
        match kind {
            EdgeKind::Seam => self.seam,
            EdgeKind::Hem => self.hem,
            EdgeKind::Neckline => self.neckline,
            EdgeKind::Armhole => self.armhole,
            EdgeKind::Raw => self.raw,
            EdgeKind::Fold | EdgeKind::Dart => 0.0,
        }
    }

    /// Sets the allowance of a kind [m]; folds and darts have none.
    pub fn set(&mut self, kind: EdgeKind, allowance: f64) {
        match kind {
            EdgeKind::Seam => self.seam = allowance,
            EdgeKind::Hem => self.hem = allowance,
            EdgeKind::Neckline => self.neckline = allowance,
            EdgeKind::Armhole => self.armhole = allowance,
            EdgeKind::Raw => self.raw = allowance,
            EdgeKind::Fold | EdgeKind::Dart => {}
        }
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        EdgeKind::ALL.iter().all(|kind| self.of(*kind) == 0.0) && self.single.iter().all(|(_, width)| *width == 0.0)
    }

    /// The allowance of an edge of a kind [m].
    pub fn of_edge(&self, name: &str, kind: EdgeKind) -> f64 {
        if matches!(kind, EdgeKind::Fold | EdgeKind::Dart) {
            return 0.0;
        }
        self.single.iter().find(|(edge, _)| edge == name).map_or_else(|| self.of(kind), |(_, width)| *width)
    }
}

/// A dart of an outline: two edges that follow each other, are sewn to each other and meet at a tip inside the cloth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wedge {
    /// The edge that runs from the mouth to the tip.
    pub(super) down: usize,
    /// The edge that runs back from the tip.
    pub(super) up: usize,
}

/// The darts in the outline of a panel.
pub(super) fn wedges(pattern: &Pattern, number: usize) -> Vec<Wedge> {
    let panel = &pattern.panels[number];
    let count = panel.outline.len();
    let mut wedges = Vec::new();
    for seam in &pattern.seams {
        let ([a], [b]) = (&seam.a[..], &seam.b[..]) else { continue };
        if a.panel != number || b.panel != number || a.edge >= count || b.edge >= count {
            continue;
        }
        for (down, up) in [(a.edge, b.edge), (b.edge, a.edge)] {
            let (Some(first), Some(second)) = (panel.segment(down), panel.segment(up)) else { continue };
            let turn = first.direction_at_end().cross(second.direction_at_start());
            if (down + 1) % count == up && down != up && turn < 0.0 {
                wedges.push(Wedge { down, up });
            }
        }
    }
    wedges.sort_by_key(|wedge| wedge.down);
    wedges.dedup();
    wedges
}

/// Numbers of the holes of a panel that are sewn closed: darts inside the cloth.
pub(super) fn closed_holes(pattern: &Pattern, number: usize) -> Vec<usize> {
    let panel = &pattern.panels[number];
    let mut closed = Vec::new();
    for (hole, (first, edges)) in panel.loops().skip(1).enumerate() {
        let own = |edge: &EdgeRef| edge.panel == number && (first..first + edges.len()).contains(&edge.edge);
        let is_sewn = |edge: usize| {
            let at = EdgeRef { panel: number, edge };
            pattern.seams.iter().any(|seam| {
                let has = seam.a.contains(&at) || seam.b.contains(&at);
                has && seam.a.iter().chain(&seam.b).all(own)
            })
        };
        if (first..first + edges.len()).all(is_sewn) {
            closed.push(hole);
        }
    }
    closed
}

/// The kind of every edge, by panel and number of the edge.
pub fn edge_kinds(pattern: &Pattern) -> Vec<Vec<EdgeKind>> {
    let mut kinds: Vec<Vec<Option<EdgeKind>>> =
        pattern.panels.iter().map(|panel| vec![None; panel.edge_count()]).collect();
    for (number, panel) in pattern.panels.iter().enumerate() {
        if let Cut::Fold(fold) = &panel.cut
            && let Some(edge) = panel.find(fold)
        {
            kinds[number][edge] = Some(EdgeKind::Fold);
        }
        for wedge in wedges(pattern, number) {
            kinds[number][wedge.down] = Some(EdgeKind::Dart);
            kinds[number][wedge.up] = Some(EdgeKind::Dart);
        }
        let closed = closed_holes(pattern, number);
        for (hole, (first, edges)) in panel.loops().skip(1).enumerate() {
            if closed.contains(&hole) {
                kinds[number][first..first + edges.len()].fill(Some(EdgeKind::Dart));
            }
        }
    }
    for seam in &pattern.seams {
        let kind = seam_kind(pattern, seam);
        for edge in seam.a.iter().chain(&seam.b) {
            if let Some(slot) = kinds.get_mut(edge.panel).and_then(|panel| panel.get_mut(edge.edge)) {
                slot.get_or_insert(kind);
            }
        }
    }
    let free = |(panel, kinds): (&Panel, Vec<Option<EdgeKind>>)| {
        let kind = |(edge, kind): (usize, Option<EdgeKind>)| kind.unwrap_or_else(|| free_kind(panel, edge));
        kinds.into_iter().enumerate().map(kind).collect()
    };
    pattern.panels.iter().zip(kinds).map(free).collect()
}

/// Whether a name has one of these words in it.
fn says(name: &str, words: &[&str]) -> bool {
    let name = name.to_lowercase();
    words.iter().any(|word| name.contains(word))
}

const ARMHOLE: [&str; 4] = ["armhole", "armscye", "sleevecap", "cap_"];
const NECKLINE: [&str; 2] = ["neck", "collar"];
const HEM: [&str; 2] = ["hem", "bottom"];

fn seam_kind(pattern: &Pattern, seam: &Seam) -> EdgeKind {
    let edges = seam.a.iter().chain(&seam.b).filter_map(|edge| pattern.panels.get(edge.panel)?.edges().nth(edge.edge));
    let names: Vec<&str> = edges.map(|edge| edge.name.as_str()).chain([seam.name.as_str()]).collect();
    if names.iter().any(|name| says(name, &ARMHOLE)) {
        EdgeKind::Armhole
    } else if names.iter().any(|name| says(name, &NECKLINE)) {
        EdgeKind::Neckline
    } else {
        EdgeKind::Seam
    }
}

fn free_kind(panel: &Panel, edge: usize) -> EdgeKind {
    let name = panel.edges().nth(edge).map_or("", |edge| edge.name.as_str());
    if says(name, &HEM) {
        return EdgeKind::Hem;
    }
    if says(name, &NECKLINE) {
        return EdgeKind::Neckline;
    }
    if says(name, &ARMHOLE) {
        return EdgeKind::Armhole;
    }
    let is_outer = edge < panel.outline.len();
    match panel.part {
        Part::Flat | Part::Cape if is_outer => EdgeKind::Hem,
        Part::Front
        | Part::Back
        | Part::Sleeve
        | Part::SkirtFront
        | Part::SkirtBack
        | Part::LegFront
        | Part::LegBack
            if is_outer && is_lowest(panel, edge) =>
        {
            EdgeKind::Hem
        }
        _ => EdgeKind::Raw,
    }
}

/// Whether an edge lies across the panel in its lowest tenth.
fn is_lowest(panel: &Panel, edge: usize) -> bool {
    let Some(segment) = panel.segment(edge) else { return false };
    let (bounds, chord) = (panel.bounds(), segment.end - segment.start);
    let low = bounds.y0 + 0.1 * bounds.height();
    chord.y.abs() < chord.x.abs() && segment.start.y < low && segment.end.y < low
}
