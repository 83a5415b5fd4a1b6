//! A panel from the entities of a block.

use std::collections::BTreeSet;

use kurbo::Point;

use super::annotation::{self, LAYER};
use super::groups::Entity;
use super::labels::{Labels, value_of};
use super::outline::{Joined, tidy};
use crate::check::{MOST_EDGES, MOST_HOLES};
use crate::curve::{Curve, Segment};
use crate::fault::{Fault, Problem};
use crate::pattern::{Edge, InternalLine, Mark, Notch, Panel};
use crate::recognise::Drawn;

/// Ends of polylines nearer than this are joined [m].
const JOIN: f64 = 5e-4;
/// A mark this near to a corner of the outline is at it [m].
const AT: f64 = 2e-5;
/// Most polylines of a layer: joining them compares each with each.
const MOST_CHAINS: usize = 2_000;
/// Turn at which an outline without turn points gets a corner, and one with turn points, in degrees.
const CORNER: f64 = 25.0;
const SHARP: f64 = 45.0;
/// Most straight edges of an outline that has no curves.
const MOST_STRAIGHT: usize = 24;
/// How far points may be off a line that is meant to be straight [m].
const STRAIGHT: f64 = 2e-5;
/// How far a notch may be off the outline it belongs to [m], and off a sew line: as far as hems are wide.
const NOTCH_OFF: f64 = 0.02;
const WIDEST_HEM: f64 = 0.06;
/// A loop with more than this share of the area of the outline is the outline again, and no hole.
const TWICE: f64 = 0.8;
/// How far an outline may be from the line it is folded along [m].
const ON_FOLD: f64 = 1e-3;

/// The entities of one block, in metres.
pub(super) struct Piece<'e> {
    pub(super) entities: &'e [Entity],
    /// Units per metre.
    pub(super) per_metre: f64,
}

impl Piece<'_> {
    fn on<'a>(&'a self, layers: &'a [u32]) -> impl Iterator<Item = &'a Entity> + 'a {
        self.entities.iter().filter(|entity| entity.layer.is_some_and(|layer| layers.contains(&layer)))
    }

    fn point(&self, [x, y, _]: [f64; 3]) -> Point {
        Point::new(x / self.per_metre, y / self.per_metre)
    }

    fn points_on(&self, layers: &[u32]) -> Vec<Point> {
        let points = self.on(layers).filter(|entity| entity.kind == "POINT");
        points.filter_map(|entity| entity.points.first()).map(|point| self.point(*point)).collect()
    }

    /// Polylines and lines of a layer as points, arcs cut into straight pieces.
    fn chains(&self, layer: u32) -> Result<Vec<Vec<Point>>, Problem> {
        let mut chains = Vec::new();
        let mut count = 0;
        for entity in self.on(&[layer]) {
            if !matches!(entity.kind.as_str(), "POLYLINE" | "LWPOLYLINE" | "LINE") {
                continue;
            }
            let corners = &entity.points;
            let mut points = Vec::new();
            for (i, corner) in corners.iter().enumerate() {
                if points.len() > MOST_EDGES {
                    break;
                }
                let next = if i + 1 < corners.len() { i + 1 } else { 0 };
                if next == 0 && !entity.closed {
                    points.push(self.point(*corner));
                } else {
                    let curve = if corner[2] == 0.0 { Curve::Line } else { Curve::Arc(corner[2].clamp(-50.0, 50.0)) };
                    Segment::new(self.point(*corner), curve, self.point(corners[next])).flatten(2e-6, &mut points);
                }
            }
            if entity.closed {
                points.extend(points.first().copied());
            }
            points.dedup_by(|next, kept| next.distance(*kept) < 1e-7);
            count += points.len();
            if count > MOST_EDGES || chains.len() > MOST_CHAINS {
                return Err(Problem::TooMany { what: "points of a layer", count, limit: MOST_EDGES });
            }
            let back = |other: &Vec<Point>| other.iter().rev().zip(&points).all(|(a, b)| a.distance(*b) < AT);
            let again = |other: &Vec<Point>| {
                other.len() == points.len()
                    && (back(other) || other.iter().zip(&points).all(|(a, b)| a.distance(*b) < AT))
            };
            // A line that is drawn twice is one line.
            if points.len() > 1 && !chains.iter().any(again) {
                chains.push(points);
            }
        }
        Ok(chains)
    }

    /// Joins the chains of a layer into loops. The last point of a loop is not its first again.
    fn loops(&self, layer: u32) -> Result<Vec<Vec<Joined>>, Problem> {
        let mut chains = self.chains(layer)?;
        // An outline of single lines has no corners where they meet.
        let as_lines = chains.len() > MOST_STRAIGHT && chains.iter().all(|chain| chain.len() == 2);
        let corners = |chain: &[Point]| corners(chain, as_lines);
        let mut loops = Vec::new();
        while !chains.is_empty() {
            let mut ring: Vec<Joined> = corners(&chains.remove(0));
            loop {
                let (start, end) = (ring[0].at, ring[ring.len() - 1].at);
                let ends = |chain: &Vec<Point>| (chain[0], chain[chain.len() - 1]);
                let candidates = chains.iter().enumerate().flat_map(|(i, chain)| {
                    let (from, to) = ends(chain);
                    [(i, false, from.distance(end)), (i, true, to.distance(end))]
                });
                let nearest = candidates.min_by(|a, b| a.2.total_cmp(&b.2)).filter(|(.., gap)| *gap < JOIN);
                let gap = start.distance(end);
                // Closed as soon as its end is at its start, unless another chain fits better.
                if gap < JOIN && ring.len() > 2 && nearest.is_none_or(|(.., other)| gap <= other) {
                    ring.pop();
                    break;
                }
                let Some((i, backwards, _)) = nearest else { return Err(Problem::Open { gap }) };
                let mut chain = chains.remove(i);
                if backwards {
                    chain.reverse();
                }
                ring.pop();
                ring.extend(corners(&chain));
            }
            loops.push(ring);
        }
        Ok(loops)
    }

    /// The piece as it is drawn. Repairs of its outline go to the notes.
    pub(super) fn drawn(&self, name: &str, labels: &Labels, notes: &mut Vec<String>) -> Result<Drawn, Box<Fault>> {
        let fail = |problem: Problem| Box::new(Fault::new(problem).on(name, ""));
        let layer = [14, 1, 84].into_iter().find(|layer| self.loops(*layer).is_ok_and(|loops| !loops.is_empty()));
        let mut loops = match layer {
            Some(layer) => self.loops(layer).map_err(fail)?,
            // Says why the boundary cannot be used.
            None => self.loops(1).map_err(fail)?,
        };
        let size = |ring: &[Joined]| {
            let points: Vec<Point> = ring.iter().map(|corner| corner.at).collect();
            crate::check::signed_area(&points).abs()
        };
        // Some files draw the boundary twice; the largest loop is the outline.
        loops.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let mut loops = loops.into_iter();
        let mut outline = loops.next().ok_or_else(|| fail(Problem::Empty))?;
        // Sew lines of holes are on the layer of the sew line, too.
        let limit = TWICE * size(&outline);
        let sewn: Vec<Vec<Joined>> = loops.filter(|ring| layer == Some(14) && size(ring) < limit).collect();
        notes.extend(tidy(&mut outline).into_iter().map(|done| format!("piece `{name}`: {done}")));
        let turns = Index::new(self.points_on(&[2]));
        let mut panel = Panel::new(name, edges(&outline, &turns, "edge"));
        labels.fabric.clone_into(&mut panel.fabric);
        let cut = [11, 86].into_iter().map(|layer| self.loops(layer).unwrap_or_default()).find(|all| !all.is_empty());
        let holes = with_sew_lines(sewn, cut.unwrap_or_default());
        panel.holes =
            holes.iter().enumerate().map(|(i, hole)| edges(hole, &turns, &format!("hole_{}", i + 1))).collect();
        if crate::check::signed_area(&Panel::flatten(&panel.outline, 1e-4)) < 0.0 {
            crate::pattern::reverse(&mut panel.outline, kurbo::Affine::IDENTITY);
        }
        for hole in &mut panel.holes {
            if crate::check::signed_area(&Panel::flatten(hole, 1e-4)) > 0.0 {
                crate::pattern::reverse(hole, kurbo::Affine::IDENTITY);
            }
        }
        self.name_edges(&mut panel);
        let (fold, is_unfolded) = self.fold(&mut panel);
        // Notches stand on the cut line, which lies an allowance away from a sew line.
        self.mark(&mut panel, if layer == Some(14) { WIDEST_HEM } else { NOTCH_OFF });
        let has_grain = match self.chains(7).unwrap_or_default().first() {
            Some(grain) if grain[0].distance(grain[grain.len() - 1]) > 1e-3 => {
                panel.grain = [grain[0], grain[grain.len() - 1]];
                true
            }
            _ => false,
        };
        Ok(Drawn {
            panel,
            category: labels.category.clone(),
            annotation: labels.annotation.clone(),
            quantity: labels.quantity.clone(),
            has_grain,
            fold,
            is_unfolded,
        })
    }

    /// Notches no further than some distance from the outline [m], lines and marks.
    fn mark(&self, panel: &mut Panel, notch_off: f64) {
        for point in self.points_on(&[4, 80, 81, 82, 83]).into_iter().take(MOST_HOLES) {
            if let Some(notch) = nearest_on_edges(panel, point, notch_off) {
                panel.notches.push(notch);
            }
        }
        for layer in [8, 9, 10] {
            let name = ["internal", "stripe", "plaid"][layer as usize - 8];
            let lines = self
                .chains(layer)
                .unwrap_or_default()
                .into_iter()
                .map(|points| InternalLine { name: name.to_owned(), points });
            panel.lines.extend(lines);
        }
        let drills = self.points_on(&[13]).into_iter().enumerate();
        panel.marks.extend(drills.map(|(i, at)| Mark { name: format!("drill_{}", i + 1), at }));
        for entity in self.on(&[2, 3]).filter(|entity| entity.kind == "TEXT") {
            let rule = entity.text.trim().strip_prefix('#').and_then(|rule| rule.trim().parse::<u32>().ok());
            if let (Some(rule), Some(at)) = (rule, entity.points.first()) {
                let mark = Mark { name: format!("#{rule}"), at: self.point(*at) };
                // Polylines that meet both give the rule of their common end.
                if !panel.marks.contains(&mark) && panel.marks.len() < MOST_HOLES {
                    panel.marks.push(mark);
                }
            }
        }
    }

    /// Names and curves from texts in the middle of edges, as this program writes them.
    fn name_edges(&self, panel: &mut Panel) {
        let middle = |edge| panel.segment(edge).map_or(Point::ZERO, |segment| segment.at_fraction(0.5));
        let middles = Index::new((0..panel.edge_count()).map(middle).collect());
        let mut names: Vec<String> = panel.edges().map(|edge| edge.name.clone()).collect();
        let mut used: BTreeSet<String> = names.iter().cloned().collect();
        let mut curves: Vec<Option<Curve>> = vec![None; names.len()];
        for entity in self.on(&[LAYER]) {
            let Some(edge) = entity.points.first().and_then(|at| middles.find(self.point(*at))) else { continue };
            for text in entity.texts() {
                if let Some(name) = value_of(text, "edge")
                    && !name.is_empty()
                    && used.insert(name.to_owned())
                {
                    name.clone_into(&mut names[edge]);
                }
                if let Some(drawn) = panel.segment(edge)
                    && let Some(curve) = annotation::curve(text, &drawn, self.per_metre)
                {
                    curves[edge] = Some(curve);
                }
            }
        }
        for ((edge, name), curve) in panel.edges_mut().zip(names).zip(curves) {
            edge.name = name;
            if let Some(curve) = curve {
                edge.curve = curve;
            }
        }
    }

    /// The edge that the mirror line runs along, made one straight edge; or that the line runs inside, where the piece is drawn whole.
    fn fold(&self, panel: &mut Panel) -> (Option<usize>, bool) {
        let chains = self.chains(6).unwrap_or_default();
        let Some(line) = chains.first() else { return (None, false) };
        let (from, along) = (line[0], line[line.len() - 1] - line[0]);
        if along.hypot() < 0.01 {
            return (None, false);
        }
        let off = |p: Point| ((p - from).cross(along) / along.hypot()).abs();
        let lies_on = |edge: usize| {
            let mut points = Vec::new();
            panel.segment(edge).is_some_and(|segment| {
                segment.flatten(1e-4, &mut points);
                points.push(segment.end);
                points.iter().all(|p| off(*p) < ON_FOLD)
            })
        };
        let count = panel.outline.len();
        let on: Vec<bool> = (0..count).map(lies_on).collect();
        let Some(first) = (0..count).find(|edge| on[*edge] && !on[(edge + count - 1) % count]) else {
            return (None, true);
        };
        let run: Vec<usize> = (0..count).map(|k| (first + k) % count).take_while(|edge| on[*edge]).collect();
        if let (Some(a), Some(b)) = (panel.segment(first), panel.segment(run[run.len() - 1]))
            && a.start.distance(b.end) > 0.01
        {
            let name = panel.outline[first].name.clone();
            let start = panel.outline[first].start;
            crate::recognise::replace_run(panel, &run, &Edge::new(name.clone(), start, Curve::Line));
            return (panel.find(&name), false);
        }
        (None, true)
    }
}

/// Holes: their sew lines, and those cut lines that have none. The cut line of a hole lies inside of its sew line.
fn with_sew_lines(sewn: Vec<Vec<Joined>>, cut: Vec<Vec<Joined>>) -> Vec<Vec<Joined>> {
    let rings: Vec<Vec<Point>> = sewn.iter().map(|ring| ring.iter().map(|corner| corner.at).collect()).collect();
    let is_bare = |hole: &Vec<Joined>| !rings.iter().any(|ring| crate::check::is_inside(hole[0].at, ring));
    let bare: Vec<Vec<Joined>> = cut.into_iter().filter(is_bare).collect();
    sewn.into_iter().chain(bare).collect()
}

/// Points by their x, to be found by place.
struct Index(Vec<(Point, usize)>);

impl Index {
    fn new(points: Vec<Point>) -> Self {
        let mut sorted: Vec<(Point, usize)> = points.into_iter().enumerate().map(|(i, point)| (point, i)).collect();
        sorted.sort_by(|a, b| a.0.x.total_cmp(&b.0.x).then(a.1.cmp(&b.1)));
        Self(sorted)
    }

    /// Number of a point at this place.
    fn find(&self, at: Point) -> Option<usize> {
        let first = self.0.partition_point(|(point, _)| point.x < at.x - AT);
        let near = self.0[first..].iter().take_while(|(point, _)| point.x <= at.x + AT);
        near.filter(|(point, _)| point.distance(at) < AT).map(|(_, i)| *i).next()
    }
}

fn corners(chain: &[Point], as_lines: bool) -> Vec<Joined> {
    let last = chain.len() - 1;
    let is_end = |i: usize| !as_lines && (i == 0 || i == last);
    chain.iter().enumerate().map(|(i, at)| Joined { at: *at, is_end: is_end(i) }).collect()
}

/// Cuts a loop into edges: at turn points, where polylines were joined, or else at corners.
fn edges(ring: &[Joined], turns: &Index, name: &str) -> Vec<Edge> {
    let count = ring.len();
    let is_turn = |i: usize| ring[i].is_end || turns.find(ring[i].at).is_some();
    let mut cuts: Vec<usize> = (0..count).filter(|&i| is_turn(i)).collect();
    let corner = if cuts.len() < 2 { CORNER } else { SHARP };
    let is_corner = |i: usize| {
        let (back, on) = (ring[i].at - ring[(i + count - 1) % count].at, ring[(i + 1) % count].at - ring[i].at);
        back.cross(on).atan2(back.dot(on)).to_degrees().abs() > corner
    };
    cuts.extend((0..count).filter(|&i| is_corner(i)));
    cuts.sort_unstable();
    cuts.dedup();
    if cuts.len() < 2 && count > 7 {
        // A closed curve without corners, as a round hole: four edges.
        let first = cuts.first().copied().unwrap_or(0);
        cuts = (0..4).map(|k| (first + k * count / 4) % count).collect();
        cuts.sort_unstable();
    }
    if cuts.is_empty() {
        cuts = vec![0];
    }
    let edge = |k: usize| {
        let (from, to) = (cuts[k], cuts[(k + 1) % cuts.len()]);
        let span = (to + count - from - 1) % count;
        let inner: Vec<Point> = (1..=span).map(|j| ring[(from + j) % count].at).collect();
        let (start, along) = (ring[from].at, ring[to].at - ring[from].at);
        let off = |p: &Point| ((*p - start).cross(along) / along.hypot().max(1e-12)).abs();
        let is_straight = from != to && inner.iter().all(|p| off(p) < STRAIGHT);
        let curve = if is_straight { Curve::Line } else { Curve::Points(inner) };
        Edge::new(format!("{name}_{}", k + 1), ring[from].at, curve)
    };
    (0..cuts.len()).map(edge).collect()
}

/// The place on the outline nearest to a point, no further away than some distance [m].
fn nearest_on_edges(panel: &Panel, point: Point, most: f64) -> Option<Notch> {
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
            if best.is_none_or(|(least, _)| far < least) && length > 0.0 {
                let at = ((passed + t * along.hypot()) / length).clamp(0.0, 1.0);
                best = Some((far, Notch { edge, at }));
            }
            passed += along.hypot();
        }
    }
    best.filter(|(far, _)| *far < most).map(|(_, notch)| notch)
}
