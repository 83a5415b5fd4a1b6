//! What is sewn onto borders: sleeves, collars, bands, cuffs, skirts.
//!
//! When pairs of sides are sewn, the borders of the garment are loops of edges: an armhole, a neckline, a waist. What is sewn on has a
//! chain of edges of its own. Both are laid together from a common start, the underarm for a sleeve, the centre for collars and
//! bands; where both have a joint that belongs together, as shoulder and crown, the seam is cut in two there. Otherwise lengths are
//! shared out in proportion.
//!
//! The confidence falls with the ratio of lengths outside of what is usual: caps are up to an eighth longer than armholes, ribs a
//! quarter shorter than necklines, gathered sleeves up to two and a half times as long as their cuffs.

use crate::borders::borders;
use crate::pattern::{EdgeRef, Pattern, Seam};
use crate::recognise::template::Role;
use crate::recognise::words::{Idea, ideas};
use crate::role::{Part, Side};

use super::Proposal;
use super::sides::{Sides, View, view};

/// How far from x = 0 a joint may be to be at the centre, or a crown [m].
const CENTRED: f64 = 0.006;

struct Rings<'p> {
    whole: &'p Pattern,
    sides: &'p Sides,
    loops: Vec<Vec<EdgeRef>>,
}

/// A part of a border, and whether it is all of it.
struct Rim {
    edges: Vec<EdgeRef>,
    closed: bool,
}

pub(super) fn attach(whole: &Pattern, sides: &Sides, proposals: &mut Vec<Proposal>, notes: &mut Vec<String>) {
    for parts in [&[Part::Sleeve][..], &[Part::Collar, Part::Cuff], &[Part::Waistband], &[Part::SkirtFront]] {
        let mut sewn = whole.clone();
        sewn.seams.extend(proposals.iter().map(|proposal| proposal.seam.clone()));
        let rings = Rings { whole, sides, loops: borders(&sewn) };
        for (number, panel) in whole.panels.iter().enumerate() {
            if !parts.contains(&panel.part) {
                continue;
            }
            let found = match panel.part {
                Part::Sleeve => rings.sleeve(number),
                Part::Collar => rings.collar(number),
                Part::Cuff => rings.cuff(number),
                Part::Waistband => rings.waistband(number),
                _ => Vec::new(),
            };
            if found.is_empty() && panel.part != Part::SkirtFront && !is_sewn(&sewn, number) {
                notes.push(format!("nothing was found that `{}` is sewn to", panel.name));
            }
            // What another piece is sewn to already is taken.
            let taken = |edge: &EdgeRef| {
                proposals.iter().any(|proposal| proposal.seam.a.contains(edge) || proposal.seam.b.contains(edge))
            };
            if found.iter().any(|proposal| proposal.seam.a.iter().chain(&proposal.seam.b).any(taken)) {
                notes.push(format!("`{}` would be sewn to where another piece is sewn already", panel.name));
                continue;
            }
            proposals.extend(found);
        }
        if parts.contains(&Part::SkirtFront) {
            proposals.extend(rings.skirt());
        }
    }
    if has_open_front(whole, sides, proposals) {
        notes.push("the front is cut in two and left open; add a seam of both centres to close it".to_owned());
    }
}

/// Whether a front that is cut in two at the centre is sewn there to nothing.
fn has_open_front(whole: &Pattern, sides: &Sides, proposals: &[Proposal]) -> bool {
    let sewn = |edge: &EdgeRef| {
        proposals.iter().any(|proposal| proposal.seam.a.contains(edge) || proposal.seam.b.contains(edge))
    };
    let is_half = |panel: usize| whole.panels[panel].part == Part::Front && whole.panels[panel].side != Side::Both;
    let centres = sides.edges.iter().filter(|(edge, (role, _))| *role == Some(Role::Centre) && is_half(edge.panel));
    let free: Vec<usize> = centres.filter(|(edge, _)| !sewn(edge)).map(|(edge, _)| edge.panel).collect();
    let on = |side: Side| free.iter().any(|panel| whole.panels[*panel].side == side);
    on(Side::Left) && on(Side::Right)
}

/// Whether a panel is sewn to another.
fn is_sewn(sewn: &Pattern, panel: usize) -> bool {
    sewn.seams.iter().any(|seam| {
        let mut all = seam.a.iter().chain(&seam.b);
        all.clone().any(|edge| edge.panel == panel) && all.any(|edge| edge.panel != panel)
    })
}

/// Lets a closed rim begin at the joint with the least key; a joint is named by the edge before it and the edge after it.
fn begin(rim: &mut Rim, key: impl Fn(EdgeRef, EdgeRef) -> f64) {
    if !rim.closed {
        return;
    }
    let count = rim.edges.len();
    let joint = |i: usize| key(rim.edges[(i + count - 1) % count], rim.edges[i]);
    let first = (0..count).min_by(|a, b| joint(*a).total_cmp(&joint(*b))).unwrap_or(0);
    rim.edges.rotate_left(first);
}

impl Rings<'_> {
    fn length(&self, edges: &[EdgeRef]) -> f64 {
        self.whole.chain_length(edges)
    }

    fn part(&self, edge: EdgeRef) -> Part {
        self.whole.panels[edge.panel].part
    }

    /// The longest run of edges of a border that are wanted, of all borders.
    fn rim(&self, wanted: impl Fn(EdgeRef) -> bool) -> Option<Rim> {
        let mut best: Option<Rim> = None;
        for ring in &self.loops {
            let count = ring.len();
            let rim = if ring.iter().all(|edge| wanted(*edge)) {
                Rim { edges: ring.clone(), closed: true }
            } else {
                let starts = (0..count).filter(|i| wanted(ring[*i]) && !wanted(ring[(i + count - 1) % count]));
                let runs = starts.map(|i| {
                    (0..count).map(|k| ring[(i + k) % count]).take_while(|edge| wanted(*edge)).collect::<Vec<_>>()
                });
                let longest = runs.max_by(|a, b| self.length(a).total_cmp(&self.length(b)));
                let Some(edges) = longest else { continue };
                Rim { edges, closed: false }
            };
            if best.as_ref().is_none_or(|other| self.length(&rim.edges) > self.length(&other.edges) + 1e-9) {
                best = Some(rim);
            }
        }
        best
    }

    /// Place of the start of an edge.
    fn start(&self, edge: EdgeRef) -> kurbo::Point {
        self.whole.panels[edge.panel].segment(edge.edge).map_or(kurbo::Point::ZERO, |segment| segment.start)
    }

    fn end(&self, edge: EdgeRef) -> kurbo::Point {
        self.whole.panels[edge.panel].segment(edge.edge).map_or(kurbo::Point::ZERO, |segment| segment.end)
    }

    /// The free edges of a role of a panel, against the outline.
    fn own(&self, panel: usize, role: Role) -> Vec<EdgeRef> {
        let free: Vec<EdgeRef> = self.loops.iter().flatten().copied().collect();
        let count = self.whole.panels[panel].outline.len();
        let is = |edge: usize| {
            let at = EdgeRef { panel, edge };
            self.sides.role(at) == Some(role) && free.contains(&at)
        };
        let first = (0..count).find(|edge| is(*edge) && !is((edge + count - 1) % count)).unwrap_or(0);
        let mut edges: Vec<EdgeRef> = Vec::new();
        for k in 0..count {
            let edge = (first + k) % count;
            if is(edge) {
                edges.push(EdgeRef { panel, edge });
            }
        }
        edges.reverse();
        edges
    }

    /// A seam of a rim with a chain, with a confidence from the ratio of their lengths.
    fn seam(&self, name: String, a: &[EdgeRef], b: &[EdgeRef], usual: [f64; 2]) -> Proposal {
        let ratio = self.length(b) / self.length(a);
        let off = if ratio < usual[0] { (usual[0] / ratio).ln() } else { (ratio / usual[1]).max(1.0).ln() };
        let confidence = 0.97 * (-0.5 * (off / 0.05).powi(2)).exp();
        let mut seam = Seam::new(name, a.to_vec(), b.to_vec());
        if !(0.98..=1.02).contains(&ratio) {
            seam.ratio = Some(ratio);
        }
        let reason = format!("{:.0} mm onto {:.0} mm", 1e3 * self.length(b), 1e3 * self.length(a));
        Proposal { seam, confidence, reason }
    }

    fn sleeve(&self, panel: usize) -> Vec<Proposal> {
        let side = self.whole.panels[panel].side;
        let cap = self.own(panel, Role::Cap);
        let Some(mut rim) = self.rim(|edge| {
            self.sides.role(edge) == Some(Role::Armhole)
                && self.sides.side(edge) == side
                && self.part(edge) != Part::Sleeve
        }) else {
            return Vec::new();
        };
        if cap.is_empty() {
            return Vec::new();
        }
        // The underarm: where the side seam ends, as far from the shoulder as can be.
        let shoulder = rim.edges.iter().position(|edge| self.sides.role_after(*edge) == Some(Role::Shoulder));
        let count = rim.edges.len();
        let from_shoulder = |edge: EdgeRef| {
            let (Some(top), Some(at)) = (shoulder, rim.edges.iter().position(|other| *other == edge)) else {
                return 0.0;
            };
            let way: Vec<EdgeRef> =
                (1..count).map(|k| rim.edges[(top + k) % count]).take_while(|other| *other != edge).collect();
            let there = self.length(&way) + if at == top { 0.0 } else { self.length(&[edge]) };
            there.min(self.length(&rim.edges) - there)
        };
        let keys: Vec<(EdgeRef, f64)> = rim
            .edges
            .iter()
            .map(|edge| {
                let is_side = matches!(self.sides.role_after(*edge), Some(Role::Side | Role::Centre));
                (*edge, if is_side { -1.0 - from_shoulder(*edge) } else { 0.0 })
            })
            .collect();
        begin(&mut rim, |before, _| keys.iter().find(|(edge, _)| *edge == before).map_or(0.0, |(_, key)| *key));
        let word = side.word();
        let usual = [0.97, 1.125];
        let top = rim.edges.iter().position(|edge| {
            self.sides.role_after(*edge) == Some(Role::Shoulder) || self.is_shoulder_start(*edge, &rim.edges)
        });
        // The cap is listed against its outline: an edge ends, seen so, where it starts.
        let crown = cap.iter().position(|edge| self.start(*edge).x.abs() < CENTRED).filter(|k| k + 1 < cap.len());
        if let (Some(top), Some(crown)) = (top.filter(|k| k + 1 < rim.edges.len()), crown) {
            let (a, b) = (rim.edges.split_at(top + 1), cap.split_at(crown + 1));
            let whole = self.seam(String::new(), &rim.edges, &cap, usual).confidence;
            let halves = [
                self.seam(format!("armhole_{word}_1"), a.0, b.0, usual),
                self.seam(format!("armhole_{word}_2"), a.1, b.1, usual),
            ];
            // A cap whose halves do not suit, while the whole does, is shared out in proportion.
            if halves.iter().all(|half| half.confidence > 0.6 * whole) {
                return halves
                    .into_iter()
                    .map(|half| Proposal { confidence: half.confidence.max(0.9 * whole), ..half })
                    .collect();
            }
        }
        vec![self.seam(format!("armhole_{word}"), &rim.edges, &cap, usual)]
    }

    /// Whether the next edge of a rim begins where the shoulder seam does.
    fn is_shoulder_start(&self, edge: EdgeRef, rim: &[EdgeRef]) -> bool {
        let next = rim.iter().position(|other| *other == edge).and_then(|k| rim.get(k + 1));
        next.is_some_and(|next| {
            next.panel != edge.panel
                && self
                    .sides
                    .next
                    .iter()
                    .any(|(before, after)| after == next && self.sides.role(*before) == Some(Role::Shoulder))
        })
    }

    fn collar(&self, panel: usize) -> Vec<Proposal> {
        let own = self.own(panel, Role::Sewn);
        let wanted = |edge: EdgeRef| self.sides.role(edge) == Some(Role::Neck);
        let (Some(mut rim), false) = (self.rim(wanted), own.is_empty()) else { return Vec::new() };
        // A collar's middle is at the centre back, so that its ends meet in front.
        begin(&mut rim, |before, after| {
            let central = self.end(before).x.abs() + self.start(after).x.abs();
            if self.part(before) == Part::Front && self.part(after) == Part::Front { central } else { 1.0 + central }
        });
        // Beyond the centre front, where buttons are, a front has an edge that the collar does not reach.
        let off = |edges: &[EdgeRef]| (self.length(&own) / self.length(edges)).ln().abs();
        let count = rim.edges.len();
        if !rim.closed && count > 3 && off(&rim.edges[1..count - 1]) < off(&rim.edges) - 0.01 {
            rim.edges.remove(count - 1);
            rim.edges.remove(0);
        }
        let mut found = vec![self.seam("collar".to_owned(), &rim.edges, &own, [0.75, 1.06])];
        if rim.closed {
            found.extend(self.ends(panel, "collar_end"));
        }
        found
    }

    /// The two ends of a band, sewn together.
    fn ends(&self, panel: usize, name: &str) -> Option<Proposal> {
        let free: Vec<EdgeRef> = self.loops.iter().flatten().copied().collect();
        let count = self.whole.panels[panel].outline.len();
        let ends: Vec<EdgeRef> = (0..count)
            .map(|edge| EdgeRef { panel, edge })
            .filter(|edge| self.sides.role(*edge) == Some(Role::End) && free.contains(edge))
            .collect();
        let middle = self.whole.panels[panel].bounds().center().x;
        let (left, right): (Vec<EdgeRef>, Vec<EdgeRef>) =
            ends.into_iter().partition(|edge| self.start(*edge).x + self.end(*edge).x < 2.0 * middle);
        if left.is_empty() || right.is_empty() {
            return None;
        }
        let mut against = left;
        against.reverse();
        Some(Proposal { confidence: 0.9, ..self.seam(name.to_owned(), &right, &against, [0.9, 1.1]) })
    }

    fn cuff(&self, panel: usize) -> Vec<Proposal> {
        let side = self.whole.panels[panel].side;
        let own = self.own(panel, Role::Sewn);
        // Cuffs without sleeves are those of trousers.
        let has_sleeves = self.whole.panels.iter().any(|panel| panel.part == Part::Sleeve);
        let is_limb = |part: Part| {
            if has_sleeves { part == Part::Sleeve } else { matches!(part, Part::LegFront | Part::LegBack) }
        };
        let wanted = |edge: EdgeRef| {
            let limb = &self.whole.panels[edge.panel];
            is_limb(limb.part) && limb.side == side && self.sides.role(edge) == Some(Role::Hem)
        };
        let (Some(mut rim), false) = (self.rim(wanted), own.is_empty()) else { return Vec::new() };
        // Their ends meet at the seam inside of the limb.
        let is_inside = |edge| matches!(self.sides.role_after(edge), Some(Role::Underarm | Role::Inseam));
        begin(&mut rim, |before, _| if is_inside(before) { 0.0 } else { 1.0 });
        vec![self.seam(format!("cuff_{}", side.word()), &rim.edges, &own, [0.4, 1.05])]
    }

    fn waistband(&self, panel: usize) -> Vec<Proposal> {
        let own = self.own(panel, Role::Sewn);
        let bands = self.whole.panels.iter().filter(|other| other.part == Part::Waistband).count();
        let said = ideas(&self.whole.panels[panel].name);
        let half = match (bands > 1, said.contains(&Idea::Front), said.contains(&Idea::Back)) {
            (true, true, false) => Some(View::Front),
            (true, false, true) => Some(View::Back),
            _ => None,
        };
        let has_waist = self
            .whole
            .panels
            .iter()
            .any(|other| matches!(other.part, Part::SkirtFront | Part::SkirtBack | Part::LegFront | Part::LegBack));
        let wanted = |edge: EdgeRef| {
            // On tops without a skirt a waistband is a rib at the hem.
            let role = if has_waist { Role::Waist } else { Role::Hem };
            let part = self.part(edge);
            self.sides.role(edge) == Some(role)
                && !matches!(part, Part::Sleeve | Part::Cuff)
                && half.is_none_or(|half| view(part) == half)
        };
        let (Some(mut rim), false) = (self.rim(wanted), own.is_empty()) else { return Vec::new() };
        // Its middle is at the centre front, so that its ends meet behind.
        begin(&mut rim, |before, after| {
            let central = self.end(before).x.abs().min(self.start(after).x.abs());
            if view(self.part(before)) == View::Back && view(self.part(after)) == View::Back {
                central
            } else {
                1.0 + central
            }
        });
        let usual = if has_waist { [0.85, 1.08] } else { [0.6, 1.06] };
        vec![self.seam(format!("waistband_{}", self.whole.panels[panel].name), &rim.edges, &own, usual)]
    }

    /// A skirt onto the hem of a bodice.
    fn skirt(&self) -> Vec<Proposal> {
        let is_trunk = |part: Part| matches!(part, Part::Front | Part::Back);
        let is_skirt = |part: Part| matches!(part, Part::SkirtFront | Part::SkirtBack | Part::LegFront | Part::LegBack);
        if self.whole.panels.iter().any(|panel| panel.part == Part::Waistband) {
            return Vec::new();
        }
        let hem = self.rim(|edge| self.sides.role(edge) == Some(Role::Hem) && is_trunk(self.part(edge)));
        let waist = self.rim(|edge| self.sides.role(edge) == Some(Role::Waist) && is_skirt(self.part(edge)));
        let (Some(mut hem), Some(mut waist)) = (hem, waist) else { return Vec::new() };
        if !hem.closed || !waist.closed {
            return Vec::new();
        }
        // From the left side seam, seen along the outlines: hems run from right to left on fronts, waists the other way.
        let at_side = |before: EdgeRef, after: EdgeRef, side: Side| {
            let differs = view(self.part(before)) != view(self.part(after));
            differs && self.sides.side(before) == side && self.sides.side(after) == side
        };
        begin(&mut hem, |before, after| if at_side(before, after, Side::Left) { 0.0 } else { 1.0 });
        begin(&mut waist, |before, after| if at_side(before, after, Side::Left) { 0.0 } else { 1.0 });
        let right = |edges: &[EdgeRef]| (1..edges.len()).find(|i| at_side(edges[i - 1], edges[*i], Side::Right));
        let usual = [0.93, 2.5];
        let own: Vec<EdgeRef> = waist.edges.iter().rev().copied().collect();
        match (right(&hem.edges), right(&own)) {
            (Some(i), Some(j)) => {
                let (a, b) = (hem.edges.split_at(i), own.split_at(j));
                vec![self.seam("waist_1".to_owned(), a.0, b.0, usual), self.seam("waist_2".to_owned(), a.1, b.1, usual)]
            }
            _ => vec![self.seam("waist".to_owned(), &hem.edges, &own, usual)],
        }
    }
}
