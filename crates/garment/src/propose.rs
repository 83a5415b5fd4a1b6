//! [`propose_seams`]: which edges of a pattern without seams are probably sewn together.
//!
//! Two edges fit if their lengths agree to 3 % and their notches, if both have any, to a centimetre along the seam. The
//! score of a pair is `1 − 10 |Δ length| / length`, plus a half for notches that meet, less a quarter for notches on one
//! side only, less a quarter for edges of one panel, plus 0.2 for curves of like bend or lines of like length, since what
//! is sewn was drafted together. Pairs are taken by falling score, each edge once. It is a proposal: a person looks at it.

use crate::pattern::{EdgeRef, Panel, Pattern, Seam};

/// A seam that was not stated.
#[derive(Clone, PartialEq, Debug)]
pub struct Proposal {
    /// The seam.
    pub seam: Seam,
    /// How well its sides fit, 1 or more for the best.
    pub score: f64,
}

/// Shortest edge that is considered [m].
const SHORTEST: f64 = 0.03;

/// Most edges that are compared.
const MOST_CANDIDATES: usize = 1_000;

struct Candidate {
    edge: EdgeRef,
    length: f64,
    /// Chord over length: 1 for a straight edge.
    straightness: f64,
    notches: Vec<f64>,
}

/// Seams between edges that are in none, best first.
pub fn propose_seams(pattern: &Pattern) -> Vec<Proposal> {
    let sewn: Vec<EdgeRef> = pattern.seams.iter().flat_map(|seam| seam.a.iter().chain(&seam.b)).copied().collect();
    let mut candidates = Vec::new();
    for (number, panel) in pattern.panels.iter().enumerate() {
        let fold = if let crate::Cut::Fold(name) = &panel.cut { panel.find(name) } else { None };
        for edge in (0..panel.outline.len()).filter(|edge| Some(*edge) != fold) {
            let at = EdgeRef { panel: number, edge };
            if !sewn.contains(&at) {
                candidates.extend(candidate(panel, at));
            }
        }
    }
    // Of very many edges the longest are the seams; others would cost more than they tell.
    candidates.sort_by(|x, y| y.length.total_cmp(&x.length).then(x.edge.cmp(&y.edge)));
    candidates.truncate(MOST_CANDIDATES);
    // In order of length, so that only near neighbours are compared.
    candidates.sort_by(|x, y| x.length.total_cmp(&y.length).then(x.edge.cmp(&y.edge)));
    let mut pairs = Vec::new();
    for (i, a) in candidates.iter().enumerate() {
        for b in candidates[i + 1..].iter().take_while(|b| b.length < 1.03 * a.length) {
            if let Some(score) = score(a, b) {
                pairs.push((score, a.edge.min(b.edge), a.edge.max(b.edge)));
            }
        }
    }
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)).then(x.2.cmp(&y.2)));
    let mut used = Vec::new();
    let mut proposals = Vec::new();
    for (score, a, b) in pairs {
        if !used.contains(&a) && !used.contains(&b) {
            used.extend([a, b]);
            let name = format!("{} - {}", pattern.edge_name(a), pattern.edge_name(b));
            proposals.push(Proposal { seam: Seam::new(name, vec![a], vec![b]), score });
        }
    }
    proposals
}

fn candidate(panel: &Panel, edge: EdgeRef) -> Option<Candidate> {
    let segment = panel.segment(edge.edge)?;
    let length = segment.length();
    let on_edge = panel.notches.iter().filter(|notch| notch.edge == edge.edge);
    let notches = on_edge.map(|notch| notch.at * length).collect();
    let straightness = segment.start.distance(segment.end) / length;
    (length >= SHORTEST).then_some(Candidate { edge, length, straightness, notches })
}

fn score(a: &Candidate, b: &Candidate) -> Option<f64> {
    let length = a.length.max(b.length);
    let mut score = 1.0 - 10.0 * (a.length - b.length).abs() / length;
    // What starts at one end of `a` starts at the other end of `b`.
    let meets = |at: &f64| b.notches.iter().any(|other| (length - other - at).abs() < 0.01);
    match (a.notches.is_empty(), b.notches.is_empty()) {
        (true, true) => {}
        (false, false) if a.notches.iter().all(meets) && a.notches.len() == b.notches.len() => score += 0.5,
        (false, false) => return None,
        _ => score -= 0.25,
    }
    if a.edge.panel == b.edge.panel {
        score -= 0.25;
    }
    if (a.straightness - b.straightness).abs() < 0.01 {
        score += 0.2;
    }
    Some(score)
}

#[cfg(test)]
mod tests {
    use crate::draft::{Choices, Design, draft};
    use toile_body::{Figure, Given, complete};

    #[test]
    fn side_and_shoulder_of_a_tank_top_are_found_again() {
        let body = complete(Figure::Female, &Given::NONE);
        let mut pattern = draft(Design::TankTop, &body, &Choices::new()).unwrap();
        let stated = std::mem::take(&mut pattern.seams);
        let found = super::propose_seams(&pattern);
        for seam in stated {
            let same = |p: &super::Proposal| p.seam.a == seam.a && p.seam.b == seam.b;
            assert!(found.iter().any(same), "{} in {found:?}", seam.name);
        }
    }
}
