//! From stitches to seams.
//!
//! A stitch is a pair of edges that does not say which ends meet. Panels that have their outer sides up are always sewn against
//! each other's direction, so it is enough to know which side of each panel is the outer one. The direction of its loop tells; but some
//! files draw all loops in one direction, and some stitches say that an outer side meets an inner one. So every stitch between two
//! panels is evidence: with the directions `a` and `b` of its edges in space, of length one, it counts `−a·b` times its length for the
//! sides that both panels show, since edges that are sewn against each other run in opposite directions where they stand; a stitch
//! that turns counts −1. Panels that most of their evidence contradicts are turned over until none is left.
//! What then still contradicts its place clearly is sewn against the direction all the same, and reported.
//!
//! An edge that several stitches name is sewn to all of them in a chain, in the order in which they stand along it.

use std::collections::BTreeMap;

use kurbo::Affine;
use serde_json::Value;
use toile_mesh::DVec3;

use super::read::turn_stand;
use crate::fault::{Fault, Problem};
use crate::pattern::{EdgeRef, Pattern, Seam};
use crate::placement::Placement;

/// Two edges that are sewn together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Stitch {
    pub(super) ends: [EdgeRef; 2],
    /// Whether the outer side of one meets the inner side of the other, if the file says so.
    pub(super) turns: Option<bool>,
}

/// Share of the evidence that must speak against the side that a panel shows.
const CLEAR: f64 = 0.2;
/// Largest ratio of lengths that is taken for a gathered seam.
const MOST_GATHERED: f64 = 4.0;

/// Adds the seams of stitches to a pattern. `own` is what Toile says of them itself. Returns what was repaired, and whether the seams are
/// those that Toile had written.
pub(super) fn sew(pattern: &mut Pattern, stitches: &[Stitch], own: Option<&Value>) -> (Vec<Fault>, bool) {
    let mut stitches = stitches.to_vec();
    show_outer_sides(pattern, &mut stitches);
    let known = own.and_then(|own| named(pattern, &stitches, own));
    let is_own = known.is_some();
    let mut seams = known.unwrap_or_else(|| joined(pattern, &stitches));
    let mut repairs = Vec::new();
    for seam in &mut seams {
        if seam.ratio.is_none() {
            seam.ratio = gathering(pattern, seam);
        }
        if contradicts(pattern, seam) {
            repairs.push(Fault::new(Problem::ReversedStitch).in_seam(&seam.name));
        }
    }
    pattern.seams = seams;
    (repairs, is_own)
}

/// Turns panels over until no clear majority of stitches speaks against the sides they show. Panels whose stitches agree are a group
/// that is turned as one; of two groups that disagree it is the one that looks towards the body, or else the smaller one.
fn show_outer_sides(pattern: &mut Pattern, stitches: &mut [Stitch]) {
    for _ in 0..pattern.panels.len() {
        let links = links(pattern, stitches);
        let groups = groups(pattern.panels.len(), &links);
        let mut sums = vec![(0.0, 0.0); pattern.panels.len()];
        for ([a, b], (sum, length)) in &links {
            if groups[*a] != groups[*b] {
                for group in [groups[*a], groups[*b]] {
                    sums[group].0 += sum;
                    sums[group].1 += length;
                }
            }
        }
        let disagrees = |group: &usize| sums[*group].1 > 0.0 && sums[*group].0 < -CLEAR * sums[*group].1;
        let candidates: Vec<usize> = (0..groups.len()).filter(disagrees).collect();
        let worst = candidates.into_iter().min_by_key(|group| {
            let members = members(&groups, *group);
            let looks_out = members.iter().map(|panel| outwards(pattern, *panel)).sum::<f64>() >= 0.0;
            (looks_out, members.len())
        });
        let Some(worst) = worst else { return };
        for panel in members(&groups, worst) {
            turn_over(pattern, panel, stitches);
        }
    }
}

/// The panels of a group.
fn members(groups: &[usize], group: usize) -> Vec<usize> {
    (0..groups.len()).filter(|panel| groups[*panel] == group).collect()
}

/// For each pair of panels that are sewn together: evidence times length, and length [m].
fn links(pattern: &Pattern, stitches: &[Stitch]) -> BTreeMap<[usize; 2], (f64, f64)> {
    let mut links: BTreeMap<[usize; 2], (f64, f64)> = BTreeMap::new();
    for stitch in stitches {
        let [a, b] = stitch.ends.map(|end| end.panel);
        if a == b {
            continue;
        }
        let Some(evidence) = evidence(pattern, stitch) else { continue };
        let length = pattern.chain_length(&stitch.ends[..1]).min(pattern.chain_length(&stitch.ends[1..]));
        let (sum, all) = links.entry([a.min(b), a.max(b)]).or_default();
        *sum += evidence * length;
        *all += length;
    }
    links
}

/// The group of each panel, by the lowest number in it.
fn groups(count: usize, links: &BTreeMap<[usize; 2], (f64, f64)>) -> Vec<usize> {
    let mut group: Vec<usize> = (0..count).collect();
    for ([a, b], (sum, length)) in links {
        if *sum > CLEAR * length {
            let (from, to) = (group[*a].max(group[*b]), group[*a].min(group[*b]));
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    group
}

/// How much a panel looks away from the body's axis, times its size; negative if towards it [m²].
fn outwards(pattern: &Pattern, panel: usize) -> f64 {
    let panel = &pattern.panels[panel];
    let Some(Placement::About(stand)) = panel.placement else { return 0.0 };
    let place = stand.at(panel.bounds().center()).with_y(0.0).normalize_or_zero();
    stand.matrix().z_axis.dot(place) * panel.bounds().area()
}

/// Draws a panel from its other side; its edges get other numbers.
fn turn_over(pattern: &mut Pattern, panel: usize, stitches: &mut [Stitch]) {
    for stitch in stitches.iter_mut() {
        if stitch.ends.iter().filter(|end| end.panel == panel).count() == 1 {
            stitch.turns = stitch.turns.map(|turns| !turns);
        }
        for end in stitch.ends.iter_mut().filter(|end| end.panel == panel) {
            end.edge = pattern.panels[panel].mirrored_edge(end.edge);
        }
    }
    let turned = &mut pattern.panels[panel];
    turned.transform(Affine::FLIP_X);
    turn_stand(turned);
}

/// How clearly a stitch speaks for the sides that its panels show, from −1 to 1; `None` if their places are not known.
fn evidence(pattern: &Pattern, stitch: &Stitch) -> Option<f64> {
    // What the file says outweighs where panels stand.
    if let Some(turns) = stitch.turns {
        return Some(if turns { -1.0 } else { 1.0 });
    }
    let [a, b] = stitch.ends;
    let ([a0, a1], [b0, b1]) = (ends_of(pattern, a)?, ends_of(pattern, b)?);
    let (way, other) = ((a1 - a0).normalize_or_zero(), (b1 - b0).normalize_or_zero());
    Some(-way.dot(other))
}

/// Where an edge begins and ends in space [m]; `None` if that is not known.
fn ends_of(pattern: &Pattern, edge: EdgeRef) -> Option<[DVec3; 2]> {
    let panel = &pattern.panels[edge.panel];
    let Some(Placement::About(stand)) = panel.placement else { return None };
    let segment = panel.segment(edge.edge)?;
    Some([stand.at(segment.start), stand.at(segment.end)])
}

/// Distances of the ends of two edges in space, sewn along and against each other's direction [m].
fn distances(pattern: &Pattern, ends: [EdgeRef; 2]) -> Option<[f64; 2]> {
    let ([a0, a1], [b0, b1]) = (ends_of(pattern, ends[0])?, ends_of(pattern, ends[1])?);
    Some([a0.distance(b0) + a1.distance(b1), a0.distance(b1) + a1.distance(b0)])
}

/// Whether the ends of a seam of single edges are clearly nearer to each other in space if one side is turned round.
fn contradicts(pattern: &Pattern, seam: &Seam) -> bool {
    let ([a], [b]) = (seam.a.as_slice(), seam.b.as_slice()) else { return false };
    let found = if a.panel == b.panel { None } else { distances(pattern, [*a, *b]) };
    found.is_some_and(|[along, against]| along < 0.5 * against)
}

/// The format states no ratios: lengths up to [`MOST_GATHERED`] are taken for gathers, more for a mistake.
fn gathering(pattern: &Pattern, seam: &Seam) -> Option<f64> {
    let ratio = pattern.chain_length(&seam.b) / pattern.chain_length(&seam.a);
    let gathered = ratio.max(1.0 / ratio);
    (gathered > 1.05 && gathered <= MOST_GATHERED).then_some(ratio)
}

/// A seam for each stitch, but one for all stitches that share an edge.
fn joined(pattern: &Pattern, stitches: &[Stitch]) -> Vec<Seam> {
    let mut count: BTreeMap<EdgeRef, usize> = BTreeMap::new();
    for end in stitches.iter().flat_map(|stitch| stitch.ends) {
        *count.entry(end).or_default() += 1;
    }
    let mut seams: Vec<Seam> = Vec::new();
    let mut of_edge: BTreeMap<EdgeRef, usize> = BTreeMap::new();
    for (i, stitch) in stitches.iter().enumerate() {
        let [a, b] = stitch.ends;
        // The shared edge is side a; what is sewn to it is side b.
        let (shared, other) = if count[&b] > count[&a] { (b, a) } else { (a, b) };
        match of_edge.get(&shared).copied() {
            Some(seam) if count[&shared] > 1 => seams[seam].b.push(other),
            _ => {
                of_edge.insert(shared, seams.len());
                seams.push(Seam::new(format!("stitch_{i}"), vec![shared], vec![other]));
            }
        }
    }
    for seam in seams.iter_mut().filter(|seam| seam.b.len() > 1) {
        order_along(pattern, seam);
    }
    seams
}

/// Lists the edges of side b in the order in which they stand along the one edge of side a.
fn order_along(pattern: &Pattern, seam: &mut Seam) {
    let stand = |edge: EdgeRef| match pattern.panels[edge.panel].placement {
        Some(Placement::About(stand)) => pattern.panels[edge.panel].segment(edge.edge).map(|s| (stand, s)),
        _ => None,
    };
    let Some((place, segment)) = stand(seam.a[0]) else { return };
    let way = place.at(segment.end) - place.at(segment.start);
    let at = |edge: &EdgeRef| {
        stand(*edge).map_or(0.0, |(place, segment)| 0.5 * (place.at(segment.start) + place.at(segment.end)).dot(way))
    };
    seam.b.sort_by(|p, q| at(p).total_cmp(&at(q)));
}

/// The seams that Toile has written beside the stitches; `None` if they are not there or do not fit.
fn named(pattern: &Pattern, stitches: &[Stitch], own: &Value) -> Option<Vec<Seam>> {
    let mut seams = Vec::new();
    let mut used = vec![false; stitches.len()];
    for value in own.get("seams")?.as_array()? {
        let (mut a, mut b) = (Vec::<EdgeRef>::new(), Vec::<EdgeRef>::new());
        for number in value.get("stitches")?.as_array()? {
            let i = usize::try_from(number.as_u64()?).ok()?;
            if std::mem::replace(used.get_mut(i)?, true) {
                return None;
            }
            a.push(stitches[i].ends[0]);
            b.push(stitches[i].ends[1]);
        }
        let mut seam = Seam::new(value.get("name")?.as_str()?, a, b);
        seam.fold_angle = value.get("fold_deg").and_then(Value::as_f64).unwrap_or(0.0).to_radians();
        seam.ratio = value.get("ratio").and_then(Value::as_f64);
        // Changed by another program, the lengths may not be those of before.
        let found = pattern.chain_length(&seam.b) / pattern.chain_length(&seam.a);
        if seam.a.is_empty() || seam.ratio.is_some_and(|ratio| (found / ratio - 1.0).abs() > 0.02) {
            return None;
        }
        seams.push(seam);
    }
    used.iter().all(|used| *used).then_some(seams)
}
