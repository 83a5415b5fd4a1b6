//! Seams of darts: legs in an outline, and holes with two tips, as darts at the waist.

use crate::pattern::{EdgeRef, Pattern, Seam};
use crate::recognise::stretch::Outline;

use super::Proposal;

/// Widest double dart over its length.
const WIDEST: f64 = 0.5;

pub(super) fn find(whole: &Pattern) -> Vec<Proposal> {
    let sewn = |edge: EdgeRef| whole.seams.iter().any(|seam| seam.a.contains(&edge) || seam.b.contains(&edge));
    let mut proposals = Vec::new();
    for (panel, drawn) in whole.panels.iter().enumerate() {
        let at = |edge: usize| EdgeRef { panel, edge };
        let outline = Outline::new(drawn);
        for (k, [a, b]) in outline.darts.iter().enumerate() {
            if sewn(at(*a)) || sewn(at(*b)) {
                continue;
            }
            // Both legs run to the tip: the first along the outline, the second against it.
            let seam = Seam::new(format!("dart_{}_{}", drawn.name, k + 1), vec![at(*a)], vec![at(*b)]);
            let reason = format!("two legs of {:.0} mm", 1e3 * drawn.length(*a));
            proposals.push(Proposal { seam, confidence: 0.95, reason });
        }
        let mut first = drawn.outline.len();
        for (k, hole) in drawn.holes.iter().enumerate() {
            let edges: Vec<usize> = (first..first + hole.len()).collect();
            first += hole.len();
            if edges.iter().any(|edge| sewn(at(*edge))) {
                continue;
            }
            if let Some((a, b)) = double_dart(whole, panel, &edges) {
                let name = format!("dart_{}_inside_{}", drawn.name, k + 1);
                let chain = |edges: Vec<usize>| edges.into_iter().map(at).collect::<Vec<_>>();
                let seam = Seam::new(name, chain(a), chain(b));
                proposals.push(Proposal { seam, confidence: 0.85, reason: "a hole with two tips".to_owned() });
            }
        }
    }
    proposals
}

/// The two sides of a narrow hole between its tips, the second listed backwards.
fn double_dart(whole: &Pattern, panel: usize, edges: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
    let drawn = &whole.panels[panel];
    let count = edges.len();
    if !(2..=40).contains(&count) {
        return None;
    }
    let starts: Vec<_> = edges.iter().filter_map(|edge| drawn.segment(*edge)).map(|segment| segment.start).collect();
    let mut tips = (0, 0, 0.0_f64);
    for i in 0..count {
        for j in i + 1..count {
            let far = starts[i].distance(starts[j]);
            if far > tips.2 {
                tips = (i, j, far);
            }
        }
    }
    let (i, j, far) = tips;
    let along = starts[j] - starts[i];
    let wide = starts.iter().map(|p| ((*p - starts[i]).cross(along) / far).abs()).fold(0.0, f64::max);
    let one: Vec<usize> = edges[i..j].to_vec();
    let other: Vec<usize> = (j..i + count).map(|k| edges[k % count]).collect();
    let length = |edges: &[usize]| edges.iter().map(|edge| drawn.length(*edge)).sum::<f64>();
    let alike = (length(&one) / length(&other)).ln().abs() < 0.05;
    (far > 0.03 && 2.0 * wide < WIDEST * far && alike).then(|| (one, other.into_iter().rev().collect()))
}
