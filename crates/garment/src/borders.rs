//! [`borders`]: the open rims of a sewn pattern, found without a mesh, and the numbers of rims that garments have.
//!
//! Corners of outlines that a seam brings together are one. An edge that is in no seam goes from one such corner to another; following
//! them gives closed loops, the borders of the sewn surface. A T-shirt has four: neck, hem and two cuffs. A seam that is sewn from the
//! wrong end joins the wrong corners, and borders run together; so their number tells a wrong seam.

use std::collections::{BTreeMap, BTreeSet};

use crate::pattern::{Cut, EdgeRef, Pattern, Seam};
use crate::role::{Part, Side};

/// Corners: the start of an edge stands for it.
struct Corners {
    number: BTreeMap<EdgeRef, usize>,
    parent: Vec<usize>,
    /// The edge after each edge of a loop.
    next: BTreeMap<EdgeRef, EdgeRef>,
}

impl Corners {
    fn new(whole: &Pattern) -> Self {
        let (mut number, mut next) = (BTreeMap::new(), BTreeMap::new());
        for (panel, drawn) in whole.panels.iter().enumerate() {
            for (first, edges) in drawn.loops() {
                for i in 0..edges.len() {
                    let at = EdgeRef { panel, edge: first + i };
                    number.insert(at, number.len());
                    next.insert(at, EdgeRef { panel, edge: first + (i + 1) % edges.len() });
                }
            }
        }
        Self { parent: (0..number.len()).collect(), number, next }
    }

    fn root(&self, mut corner: usize) -> usize {
        while self.parent[corner] != corner {
            corner = self.parent[corner];
        }
        corner
    }

    /// The corner at the start of an edge, or at its end.
    fn at(&self, edge: EdgeRef, end: bool) -> Option<usize> {
        let edge = if end { *self.next.get(&edge)? } else { edge };
        Some(self.root(*self.number.get(&edge)?))
    }

    fn join(&mut self, a: Option<usize>, b: Option<usize>) {
        if let (Some(a), Some(b)) = (a, b) {
            let (a, b) = (self.root(a), self.root(b));
            self.parent[a.max(b)] = a.min(b);
        }
    }

    /// Joins the corners of a chain, and returns those at its ends.
    fn chain(&mut self, edges: &[EdgeRef], against: bool) -> [Option<usize>; 2] {
        for pair in edges.windows(2) {
            let (a, b) = (self.at(pair[0], !against), self.at(pair[1], against));
            self.join(a, b);
        }
        let first = edges.first().and_then(|edge| self.at(*edge, against));
        let last = edges.last().and_then(|edge| self.at(*edge, !against));
        [first, last]
    }

    fn sew(&mut self, seam: &Seam) {
        let a = self.chain(&seam.a, false);
        let b = self.chain(&seam.b, !seam.twisted);
        self.join(a[0], b[0]);
        // The ends may have moved when the beginnings were joined.
        self.join(a[1], b[1]);
    }
}

/// The borders of a pattern in which every piece is drawn ([`Pattern::whole`]): for each its edges, one after the other.
pub fn borders(whole: &Pattern) -> Vec<Vec<EdgeRef>> {
    let mut corners = Corners::new(whole);
    for seam in &whole.seams {
        corners.sew(seam);
    }
    let sewn: BTreeSet<EdgeRef> = whole.seams.iter().flat_map(|seam| seam.a.iter().chain(&seam.b)).copied().collect();
    let free: Vec<EdgeRef> = corners.number.keys().copied().filter(|edge| !sewn.contains(edge)).collect();
    let mut from: BTreeMap<usize, Vec<EdgeRef>> = BTreeMap::new();
    for edge in free.iter().rev() {
        if let Some(corner) = corners.at(*edge, false) {
            from.entry(corner).or_default().push(*edge);
        }
    }
    let mut used = BTreeSet::new();
    let mut loops = Vec::new();
    for first in free {
        if used.contains(&first) {
            continue;
        }
        let mut ring = Vec::new();
        let mut edge = first;
        while used.insert(edge) {
            ring.push(edge);
            let out = corners.at(edge, true).and_then(|corner| from.get(&corner));
            // Where two borders touch, the edge that follows on the same panel comes first.
            let follows = corners.next.get(&edge).copied();
            let on = out.and_then(|out| {
                let open = out.iter().filter(|edge| !used.contains(edge));
                open.clone().find(|edge| Some(**edge) == follows).or_else(|| open.min())
            });
            match on {
                Some(on) => edge = *on,
                None => break,
            }
        }
        loops.push(ring);
    }
    loops
}

/// For each panel of a pattern in which every piece is drawn, the first panel of the part that it is sewn into.
fn parts(whole: &Pattern) -> Vec<usize> {
    let mut part: Vec<usize> = (0..whole.panels.len()).collect();
    for seam in &whole.seams {
        let panels: Vec<usize> =
            seam.a.iter().chain(&seam.b).map(|edge| edge.panel).filter(|panel| *panel < part.len()).collect();
        for pair in panels.windows(2) {
            let (a, b) = (part[pair[0]].min(part[pair[1]]), part[pair[0]].max(part[pair[1]]));
            part.iter_mut().filter(|p| **p == b).for_each(|p| *p = a);
        }
    }
    part
}

/// Connected parts of a pattern in which every piece is drawn.
pub fn part_count(whole: &Pattern) -> usize {
    parts(whole).into_iter().collect::<BTreeSet<_>>().len()
}

/// Names of the panels that are not sewn to the part with the most panels.
pub fn loose_panels(whole: &Pattern) -> Vec<String> {
    let parts = parts(whole);
    let size = |part: usize| parts.iter().filter(|other| **other == part).count();
    // Of parts of one size, the first.
    let Some(largest) = parts.iter().copied().max_by_key(|part| (size(*part), std::cmp::Reverse(*part))) else {
        return Vec::new();
    };
    let loose = whole.panels.iter().zip(&parts).filter(|(_, part)| **part != largest);
    loose.map(|(panel, _)| panel.name.clone()).collect()
}

/// Numbers of borders that a garment of these parts may have, fewest first, and what they are; `None` where the parts do not tell.
///
/// A front that is open joins neck and hem; so does a wrap. Slits and keyholes add borders, and are no fault.
pub fn expected(pattern: &Pattern) -> Option<(std::ops::RangeInclusive<usize>, &'static str)> {
    let has = |parts: &[Part]| pattern.panels.iter().any(|panel| parts.contains(&panel.part));
    if has(&[Part::Other, Part::Flat]) || pattern.panels.is_empty() {
        return None;
    }
    let trunk = has(&[Part::Front]) && has(&[Part::Back]);
    // What is cut in two at the centre may be left open there.
    let trunk_panels = pattern.panels.iter().filter(|panel| matches!(panel.part, Part::Front | Part::Back));
    let closed = trunk_panels.clone().all(|panel| panel.side == Side::Both || matches!(panel.cut, Cut::Fold(_)));
    let (sleeves, legs, skirt) =
        (has(&[Part::Sleeve]), has(&[Part::LegFront, Part::LegBack]), has(&[Part::SkirtFront, Part::SkirtBack]));
    Some(match (trunk, sleeves, legs, skirt, has(&[Part::Cape])) {
        (true, true, false, ..) if closed => (4..=6, "neck, hem and two cuffs"),
        (true, true, false, ..) => (3..=6, "neck, hem and two cuffs"),
        (true, true, true, ..) => (4..=7, "neck, two cuffs and two hems"),
        (true, false, false, ..) => (2..=6, "neck, hem and two armholes"),
        (true, false, true, ..) => (3..=7, "neck, two armholes and two hems"),
        (false, false, true, ..) => (2..=4, "waist and two hems"),
        (false, false, false, true, _) => (1..=3, "waist and hem"),
        (false, false, false, false, true) => (1..=3, "neck and hem"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{Choices, Design, draft};
    use crate::mesh::FlatMesh;
    use toile_body::{Figure, Given, complete};

    #[test]
    fn borders_without_a_mesh_are_those_of_the_mesh() {
        let body = complete(Figure::Female, &Given::NONE);
        for design in Design::ALL {
            let pattern = draft(*design, &body, &Choices::new()).unwrap();
            let whole = pattern.whole().unwrap();
            let sewn = FlatMesh::new(&pattern, 0.03).unwrap().sewn();
            assert_eq!(borders(&whole).len(), sewn.borders.len(), "{}", design.word());
            assert_eq!(part_count(&whole), sewn.part_count, "{}", design.word());
            if let Some((range, _)) = expected(&whole) {
                assert!(range.contains(&sewn.borders.len()), "{}", design.word());
            }
        }
    }
}
