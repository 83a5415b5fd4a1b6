//! Where the vertices of edges are.
//!
//! Along a seam, the corners of both chains are anchors: pairs of fractions `(f_a, f_b)` of their lengths. Corners nearer to
//! each other than a third of the particle distance are one anchor; others are carried over to the other side in
//! proportion between the anchors that are. Between two anchors both sides are cut into the same number of equal pieces, of the
//! particle distance in the geometric mean of both lengths.

use crate::check::signed_area;
use crate::pattern::{EdgeRef, Panel, Pattern, Seam};

/// Samples of all edges, and which of them are sewn together.
pub(super) struct Samples {
    /// `edges[panel][edge]`: fractions of its length, from 0 to 1.
    pub(super) edges: Vec<Vec<Vec<f64>>>,
    /// For each seam the pairs, in its order.
    pub(super) stitches: Vec<Vec<[Place; 2]>>,
}

/// A sample of an edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Place {
    pub(super) panel: usize,
    pub(super) edge: usize,
    pub(super) sample: usize,
}

/// Fractions nearer than this are one corner; far below any length that passes the check.
const SAME: f64 = 1e-7;

/// About how many vertices a mesh will have.
pub(super) fn estimate(pattern: &Pattern, distance: f64) -> usize {
    let of = |panel: &Panel| {
        let area = signed_area(&Panel::flatten(&panel.outline, 1e-3)).abs();
        let border: f64 = (0..panel.edge_count()).map(|edge| panel.length(edge)).sum();
        1.2 * area / (distance * distance) + border / distance + panel.edge_count() as f64
    };
    pattern.panels.iter().map(of).sum::<f64>() as usize
}

fn even(count: usize) -> Vec<f64> {
    (0..=count).map(|i| i as f64 / count as f64).collect()
}

/// Number of pieces of about `distance` in `length`.
fn pieces(length: f64, distance: f64) -> usize {
    ((length / distance).round() as usize).max(1)
}

pub(super) fn sample(pattern: &Pattern, distance: f64) -> Samples {
    let lengths: Vec<Vec<f64>> =
        pattern.panels.iter().map(|panel| (0..panel.edge_count()).map(|edge| panel.length(edge)).collect()).collect();
    let edges = lengths.iter().map(|lengths| lengths.iter().map(|&length| even(pieces(length, distance))).collect());
    let mut samples = Samples { edges: edges.collect(), stitches: Vec::new() };
    for seam in &pattern.seams {
        let stitches = sample_seam(seam, &lengths, distance, &mut samples.edges);
        samples.stitches.push(stitches);
    }
    let mut sewn: Vec<Vec<bool>> = lengths.iter().map(|lengths| vec![false; lengths.len()]).collect();
    for edge in pattern.seams.iter().flat_map(|seam| seam.a.iter().chain(&seam.b)) {
        sewn[edge.panel][edge.edge] = true;
    }
    for (number, panel) in pattern.panels.iter().enumerate() {
        for (first, ring) in panel.loops() {
            // A loop needs three corners to enclose anything, and a short curve two pieces to be seen as one.
            let least = if ring.len() < 3 { 4 } else { 2 };
            for (i, edge) in ring.iter().enumerate() {
                let fractions = &mut samples.edges[number][first + i];
                if !sewn[number][first + i] && fractions.len() <= least && !matches!(edge.curve, crate::Curve::Line) {
                    *fractions = even(least);
                }
            }
        }
    }
    samples
}

/// A chain of edges with the fractions of its whole length at which they end.
struct Chain<'s> {
    edges: &'s [EdgeRef],
    /// Ends of edges, from 0 to 1.
    ends: Vec<f64>,
    length: f64,
    /// Whether edges are passed from their end to their start.
    against: bool,
}

impl<'s> Chain<'s> {
    fn new(edges: &'s [EdgeRef], lengths: &[Vec<f64>], against: bool) -> Self {
        let of = |edge: &EdgeRef| lengths[edge.panel][edge.edge];
        let length: f64 = edges.iter().map(of).sum();
        let mut ends = vec![0.0];
        let mut sum = 0.0;
        for edge in edges {
            sum += of(edge);
            ends.push(sum / length);
        }
        ends[edges.len()] = 1.0;
        Self { edges, ends, length, against }
    }

    /// Edges (by their place in the chain) and their own fractions at a fraction of the chain: two at a joint.
    fn locate(&self, f: f64) -> Vec<(usize, f64)> {
        let mut found = Vec::new();
        for i in 0..self.edges.len() {
            let (low, high) = (self.ends[i], self.ends[i + 1]);
            if f < low - SAME || f > high + SAME {
                continue;
            }
            let t = if f <= low + SAME {
                0.0
            } else if f >= high - SAME {
                1.0
            } else {
                (f - low) / (high - low)
            };
            found.push((i, if self.against { 1.0 - t } else { t }));
        }
        found
    }
}

/// Pairs of fractions that meet, from (0, 0) to (1, 1).
fn anchors(a: &Chain<'_>, b: &Chain<'_>, distance: f64) -> Vec<[f64; 2]> {
    let near = 0.33 * distance / a.length.min(b.length);
    let mut pairs = vec![[0.0, 0.0]];
    let inner = |chain: &Chain<'_>| chain.ends[1..chain.ends.len() - 1].to_vec();
    let (mut left, right) = (inner(a), inner(b));
    let mut lonely = Vec::new();
    for f_b in right {
        let nearest = left.iter().enumerate().min_by(|x, y| (x.1 - f_b).abs().total_cmp(&(y.1 - f_b).abs()));
        match nearest {
            Some((i, f_a)) if (f_a - f_b).abs() < near && *f_a > pairs[pairs.len() - 1][0] => {
                pairs.push([*f_a, f_b]);
                left.remove(i);
            }
            _ => lonely.push(f_b),
        }
    }
    pairs.push([1.0, 1.0]);
    let carry = |f: f64, from: usize| {
        let to = 1 - from;
        let i = pairs.iter().rposition(|pair| pair[from] <= f).unwrap_or(0).min(pairs.len() - 2);
        let (p, q) = (pairs[i], pairs[i + 1]);
        p[to] + (f - p[from]) / (q[from] - p[from]) * (q[to] - p[to])
    };
    let mut all = pairs.clone();
    all.extend(left.into_iter().map(|f_a| [f_a, carry(f_a, 0)]));
    all.extend(lonely.into_iter().map(|f_b| [carry(f_b, 1), f_b]));
    all.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    all
}

fn sample_seam(seam: &Seam, lengths: &[Vec<f64>], distance: f64, edges: &mut [Vec<Vec<f64>>]) -> Vec<[Place; 2]> {
    let chains = [Chain::new(&seam.a, lengths, false), Chain::new(&seam.b, lengths, !seam.twisted)];
    let anchors = anchors(&chains[0], &chains[1], distance);
    let mean = (chains[0].length * chains[1].length).sqrt();
    let mut points = vec![anchors[0]];
    for pair in anchors.windows(2) {
        let span = ((pair[1][0] - pair[0][0]).max(0.0) * (pair[1][1] - pair[0][1]).max(0.0)).sqrt() * mean;
        let count = pieces(span, distance);
        for k in 1..count {
            let t = k as f64 / count as f64;
            points.push([0, 1].map(|side| pair[0][side] + t * (pair[1][side] - pair[0][side])));
        }
        points.push(pair[1]);
    }
    // Two corners of a loop of two edges need a point between them.
    if points.len() == 2 && mean > 0.5 * distance {
        points.insert(1, [0.5, 0.5]);
    }
    let located: Vec<[Vec<(usize, f64)>; 2]> =
        points.iter().map(|point| [chains[0].locate(point[0]), chains[1].locate(point[1])]).collect();
    for (side, chain) in chains.iter().enumerate() {
        for (i, edge) in chain.edges.iter().enumerate() {
            let on_edge = located.iter().flat_map(|sides| &sides[side]).filter(|(at, _)| *at == i);
            let mut fractions: Vec<f64> = on_edge.map(|(_, t)| *t).collect();
            fractions.sort_by(f64::total_cmp);
            fractions.dedup();
            edges[edge.panel][edge.edge] = fractions;
        }
    }
    let place = |chain: &Chain<'_>, (i, t): (usize, f64)| {
        let EdgeRef { panel, edge } = chain.edges[i];
        let sample = edges[panel][edge].iter().position(|f| *f == t).unwrap_or(0);
        Place { panel, edge, sample }
    };
    let mut stitches = Vec::new();
    for [on_a, on_b] in &located {
        for x in on_a {
            for y in on_b {
                stitches.push([place(&chains[0], *x), place(&chains[1], *y)]);
            }
        }
    }
    stitches
}
