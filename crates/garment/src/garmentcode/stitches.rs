//! From stitches to seams.
//!
//! A stitch is a pair of edges that does not say which ends meet. Panels that have their outer sides up are always sewn against
//! each other's direction, so it is enough to know which side of each panel is the outer one. The direction of its loop tells; but some
//! files draw all loops in one direction, and some stitches say that an outer side meets an inner one. So every stitch between two
//! panels is evidence: with the distances `against` and `along` of its ends in space when it is sewn against or along the direction of
//! the other edge, it counts `(along − against) / (along + against)` times its length for the sides that both panels show; a stitch
//! that turns counts −1. A panel that most of its evidence contradicts is turned over, the worst one first, until none is left.
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
    /// Whether the outer side of one meets the inner side of the other.
    pub(super) turns: bool,
}

/// Share of the evidence that must speak against the side that a panel shows.
const CLEAR: f64 = 0.2;
/// Largest ratio of lengths that is taken for a gathered seam.
const MOST_GATHERED: f64 = 4.0;

/// Adds the seams of stitches to a pattern. `own` is what Toile says of them itself. Returns what was repaired.
pub(super) fn sew(pattern: &mut Pattern, stitches: &[Stitch], own: Option<&Value>) -> Vec<Fault> {
    let mut stitches = stitches.to_vec();
    show_outer_sides(pattern, &mut stitches);
    let mut seams = own.and_then(|own| named(pattern, &stitches, own)).unwrap_or_else(|| joined(pattern, &stitches));
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
    repairs
}

/// Turns panels over until no clear majority of stitches speaks against the sides they show.
fn show_outer_sides(pattern: &mut Pattern, stitches: &mut [Stitch]) {
    for _ in 0..pattern.panels.len() {
        let mut sums = vec![(0.0, 0.0); pattern.panels.len()];
        for stitch in stitches.iter().filter(|stitch| stitch.ends[0].panel != stitch.ends[1].panel) {
            let Some(evidence) = evidence(pattern, stitch) else { continue };
            let length = pattern.chain_length(&stitch.ends[..1]).min(pattern.chain_length(&stitch.ends[1..]));
            for end in stitch.ends {
                sums[end.panel].0 += evidence * length;
                sums[end.panel].1 += length;
            }
        }
        let share = |(sum, all): &(f64, f64)| if *all > 0.0 { sum / all } else { 0.0 };
        let shares: Vec<f64> = sums.iter().map(share).collect();
        let Some((worst, _)) = shares.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)) else { return };
        if shares[worst] >= -CLEAR {
            return;
        }
        turn_over(pattern, worst, stitches);
    }
}

/// Draws a panel from its other side; its edges get other numbers.
fn turn_over(pattern: &mut Pattern, panel: usize, stitches: &mut [Stitch]) {
    for stitch in stitches.iter_mut() {
        if stitch.ends.iter().filter(|end| end.panel == panel).count() == 1 {
            stitch.turns = !stitch.turns;
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
    if stitch.turns {
        return Some(-1.0);
    }
    let [along, against] = distances(pattern, stitch.ends)?;
    (along + against > 0.0).then(|| (along - against) / (along + against))
}

/// Distances of the ends of two edges in space, sewn along and against each other's direction [m].
fn distances(pattern: &Pattern, ends: [EdgeRef; 2]) -> Option<[f64; 2]> {
    let place = |edge: EdgeRef| -> Option<[DVec3; 2]> {
        let panel = &pattern.panels[edge.panel];
        let Some(Placement::About(stand)) = panel.placement else { return None };
        let segment = panel.segment(edge.edge)?;
        Some([stand.at(segment.start), stand.at(segment.end)])
    };
    let ([a0, a1], [b0, b1]) = (place(ends[0])?, place(ends[1])?);
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
