//! A panel from the entities of a block.

use std::collections::BTreeSet;

use kurbo::Point;

use super::groups::Entity;
use crate::check::{MOST_EDGES, MOST_HOLES};
use crate::curve::{Curve, Segment};
use crate::fault::{Fault, Problem};
use crate::pattern::{Cut, Edge, InternalLine, Mark, Notch, Panel};
use crate::role::Part;

/// Ends of polylines nearer than this are joined [m].
const JOIN: f64 = 5e-4;
/// A mark this near to a corner of the outline is at it [m].
const AT: f64 = 2e-5;
/// Most polylines of a layer: joining them compares each with each.
const MOST_CHAINS: usize = 2_000;
/// Turn at which an outline without turn points gets a corner, in degrees.
const CORNER: f64 = 25.0;

/// What the texts of a piece say.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    pub(super) piece: String,
    pub(super) size: String,
    pub(super) quantity: String,
    pub(super) fabric: String,
    pub(super) category: String,
}

/// The value after `key:`, whatever its case.
pub(super) fn value_of<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (found, value) = text.split_once(':')?;
    found.trim().eq_ignore_ascii_case(key).then(|| value.trim())
}

impl Labels {
    pub(super) fn read(entities: &[Entity]) -> Self {
        let mut labels = Self::default();
        for entity in entities.iter().filter(|entity| entity.kind == "TEXT") {
            let text = &entity.text;
            let keys: [(&[&str], &mut String); 5] = [
                (&["piece name"], &mut labels.piece),
                (&["size"], &mut labels.size),
                (&["quantity"], &mut labels.quantity),
                (&["material", "fabric"], &mut labels.fabric),
                (&["category"], &mut labels.category),
            ];
            for (names, label) in keys {
                if let Some(value) = names.iter().find_map(|key| value_of(text, key)).filter(|_| label.is_empty()) {
                    value.clone_into(label);
                }
            }
        }
        labels
    }
}

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
            if points.len() > 1 {
                chains.push(points);
            }
        }
        Ok(chains)
    }

    /// Joins the chains of a layer into loops. The last point of a loop is not its first again.
    fn loops(&self, layer: u32) -> Result<Vec<Vec<Joined>>, Problem> {
        let mut chains = self.chains(layer)?;
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

    /// The panel, and what of it could not be used.
    pub(super) fn panel(&self, name: &str, labels: &Labels) -> Result<Panel, Box<Fault>> {
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
        let outline = loops.into_iter().next().ok_or_else(|| fail(Problem::Empty))?;
        let turns = Index::new(self.points_on(&[2]));
        let mut panel = Panel::new(name, edges(&outline, &turns, "edge"));
        panel.part = Part::from_word(&labels.category).unwrap_or(Part::Other);
        labels.fabric.clone_into(&mut panel.fabric);
        for layer in [11, 86] {
            if panel.holes.is_empty() {
                let holes = self.loops(layer).unwrap_or_default();
                panel.holes =
                    holes.iter().enumerate().map(|(i, hole)| edges(hole, &turns, &format!("hole_{}", i + 1))).collect();
            }
        }
        self.mark(&mut panel, labels);
        Ok(panel)
    }

    fn mark(&self, panel: &mut Panel, labels: &Labels) {
        if crate::check::signed_area(&Panel::flatten(&panel.outline, 1e-4)) < 0.0 {
            crate::pattern::reverse(&mut panel.outline, kurbo::Affine::IDENTITY);
        }
        for hole in &mut panel.holes {
            if crate::check::signed_area(&Panel::flatten(hole, 1e-4)) > 0.0 {
                crate::pattern::reverse(hole, kurbo::Affine::IDENTITY);
            }
        }
        self.name_edges(panel);
        for point in self.points_on(&[4, 80, 81, 82, 83]).into_iter().take(MOST_HOLES) {
            if let Some(notch) = nearest_on_edges(panel, point) {
                panel.notches.push(notch);
            }
        }
        if let Some(grain) = self.chains(7).unwrap_or_default().first() {
            panel.grain = [grain[0], grain[grain.len() - 1]];
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
                panel.marks.push(Mark { name: format!("#{rule}"), at: self.point(*at) });
            }
        }
        let counts: Vec<u32> =
            labels.quantity.split([',', ' ']).filter_map(|count| count.trim().parse().ok()).collect();
        match counts[..] {
            [left, right, ..] if left > 0 && right > 0 => {
                panel.cut = Cut::Pair;
                panel.quantity = left.max(right).min(1000);
            }
            [count, ..] => panel.quantity = count.clamp(1, 1000),
            [] => {}
        }
        if let Some(fold) = self.fold(panel) {
            panel.cut = Cut::Fold(fold);
        }
    }

    /// Names from texts `Edge: name` in the middle of edges, as this program writes them.
    fn name_edges(&self, panel: &mut Panel) {
        let middle = |edge| panel.segment(edge).map_or(Point::ZERO, |segment| segment.at_fraction(0.5));
        let middles = Index::new((0..panel.edge_count()).map(middle).collect());
        let mut names: Vec<String> = panel.edges().map(|edge| edge.name.clone()).collect();
        let mut used: BTreeSet<String> = names.iter().cloned().collect();
        for entity in self.on(&[15]).filter(|entity| entity.kind == "TEXT") {
            let (Some(name), Some(at)) = (value_of(&entity.text, "edge"), entity.points.first()) else { continue };
            if let Some(edge) = middles.find(self.point(*at))
                && !name.is_empty()
                && used.insert(name.to_owned())
            {
                name.clone_into(&mut names[edge]);
            }
        }
        panel.edges_mut().zip(names).for_each(|(edge, name)| edge.name = name);
    }

    /// The straight edge that the mirror line runs along.
    fn fold(&self, panel: &Panel) -> Option<String> {
        let chains = self.chains(6).ok()?;
        let line = chains.first()?;
        let ends = [line[0], line[line.len() - 1]];
        let edge = (0..panel.outline.len()).find(|edge| {
            panel.segment(*edge).is_some_and(|segment| {
                let near = |a: Point, b: Point| a.distance(b) < JOIN;
                let same = near(segment.start, ends[0]) && near(segment.end, ends[1]);
                segment.curve == Curve::Line && (same || near(segment.start, ends[1]) && near(segment.end, ends[0]))
            })
        })?;
        Some(panel.outline[edge].name.clone())
    }
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

/// A point of an outline, and whether one of its polylines ended there.
struct Joined {
    at: Point,
    is_end: bool,
}

fn corners(chain: &[Point]) -> Vec<Joined> {
    let last = chain.len() - 1;
    chain.iter().enumerate().map(|(i, at)| Joined { at: *at, is_end: i == 0 || i == last }).collect()
}

/// Cuts a loop into edges: at turn points, where polylines were joined, or else at corners.
fn edges(ring: &[Joined], turns: &Index, name: &str) -> Vec<Edge> {
    let count = ring.len();
    let is_turn = |i: usize| ring[i].is_end || turns.find(ring[i].at).is_some();
    let mut cuts: Vec<usize> = (0..count).filter(|&i| is_turn(i)).collect();
    if cuts.len() < 2 {
        let is_corner = |i: usize| {
            let (back, on) = (ring[i].at - ring[(i + count - 1) % count].at, ring[(i + 1) % count].at - ring[i].at);
            back.cross(on).atan2(back.dot(on)).to_degrees().abs() > CORNER
        };
        cuts.extend((0..count).filter(|&i| is_corner(i)));
        cuts.sort_unstable();
        cuts.dedup();
    }
    if cuts.is_empty() {
        cuts = vec![0];
    }
    let edge = |k: usize| {
        let (from, to) = (cuts[k], cuts[(k + 1) % cuts.len()]);
        let span = (to + count - from - 1) % count;
        let inner: Vec<Point> = (1..=span).map(|j| ring[(from + j) % count].at).collect();
        let curve = if inner.is_empty() { Curve::Line } else { Curve::Points(inner) };
        Edge::new(format!("{name}_{}", k + 1), ring[from].at, curve)
    };
    (0..cuts.len()).map(edge).collect()
}

/// The place on the outline nearest to a point, no further than 2 cm away.
fn nearest_on_edges(panel: &Panel, point: Point) -> Option<Notch> {
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
    best.filter(|(far, _)| *far < 0.02).map(|(_, notch)| notch)
}
