//! [`matched_notches`]: notches that meet when a seam is sewn.
//!
//! A seam pairs equal fractions of the lengths of its two chains. Notches that are drawn stay as they are. A chain without
//! any gets those of the other side, at the same fraction. A seam without notches on either side gets some: none below
//! 15 cm, one in the middle up to 40 cm, else two at its thirds; an armhole one in front and two behind, 4/10 from its start.
//! Where a chain goes on from one panel to the next, the other side has a notch to meet that seam. Where an outline
//! goes on smoothly from one seam to another, as at the top of a sleeve, there is a notch too.
//!
//! Darts have notches at the ends of their mouths, which are drawn with them.

use super::allowance::{EdgeKind, edge_kinds, wedges};
use crate::pattern::{EdgeRef, Notch, Panel, Pattern, Seam};
use crate::role::Part;

/// Seams shorter than this need no notch [m].
const SHORT: f64 = 0.15;
/// Seams longer than this get two notches [m].
const LONG: f64 = 0.4;
/// Distance of a double notch [m].
const DOUBLE: f64 = 0.01;
/// Notches nearer than this are one [m].
const SAME: f64 = 5e-4;
/// Turn below which an outline goes on smoothly at a corner [rad]: 20°.
const SMOOTH: f64 = 0.35;

/// A chain of a seam as it is sewn.
struct Chain<'p> {
    pattern: &'p Pattern,
    edges: &'p [EdgeRef],
    /// Whether edges are sewn against their own direction.
    backwards: bool,
    length: f64,
}

impl<'p> Chain<'p> {
    fn new(pattern: &'p Pattern, edges: &'p [EdgeRef], backwards: bool) -> Self {
        Self { pattern, edges, backwards, length: pattern.chain_length(edges) }
    }

    fn edge_length(&self, edge: EdgeRef) -> f64 {
        self.pattern.panels.get(edge.panel).map_or(0.0, |panel| panel.length(edge.edge))
    }

    /// The fraction of the chain at a fraction of its k-th edge.
    fn fraction(&self, k: usize, at: f64) -> f64 {
        let before: f64 = self.edges[..k].iter().map(|edge| self.edge_length(*edge)).sum();
        let at = if self.backwards { 1.0 - at } else { at };
        (before + at * self.edge_length(self.edges[k])) / self.length
    }

    /// The edge, and the fraction of it, at a fraction of the chain.
    fn place(&self, fraction: f64) -> (EdgeRef, f64) {
        let mut left = fraction * self.length;
        let last = self.edges.len() - 1;
        for (k, edge) in self.edges.iter().enumerate() {
            let length = self.edge_length(*edge);
            if left <= length || k == last {
                let at = (left / length.max(1e-12)).clamp(0.0, 1.0);
                return (*edge, if self.backwards { 1.0 - at } else { at });
            }
            left -= length;
        }
        (self.edges[last], 1.0)
    }

    /// Fractions at which notches are drawn.
    fn drawn(&self) -> Vec<f64> {
        let mut found = Vec::new();
        for (k, edge) in self.edges.iter().enumerate() {
            let Some(panel) = self.pattern.panels.get(edge.panel) else { continue };
            let own = panel.notches.iter().filter(|notch| notch.edge == edge.edge);
            found.extend(own.map(|notch| self.fraction(k, notch.at)));
        }
        found.sort_by(f64::total_cmp);
        found
    }

    /// Fractions at which the chain goes on to another panel.
    fn crossings(&self) -> Vec<f64> {
        let pairs = self.edges.windows(2).enumerate().filter(|(_, pair)| pair[0].panel != pair[1].panel);
        pairs.map(|(k, _)| self.fraction(k, if self.backwards { 0.0 } else { 1.0 })).collect()
    }

    fn has(&self, part: Part) -> bool {
        self.edges.iter().any(|edge| self.pattern.panels.get(edge.panel).is_some_and(|panel| panel.part == part))
    }
}

/// The notches of every panel, drawn ones and those that match them.
pub fn matched_notches(pattern: &Pattern) -> Vec<Vec<Notch>> {
    let mut notches: Vec<Vec<Notch>> = pattern.panels.iter().map(|panel| panel.notches.clone()).collect();
    let kinds = edge_kinds(pattern);
    for seam in &pattern.seams {
        let kind = |edge: &EdgeRef| kinds.get(edge.panel).and_then(|panel| panel.get(edge.edge)).copied();
        let all = || seam.a.iter().chain(&seam.b);
        if seam.a.is_empty() || seam.b.is_empty() || all().any(|edge| matches!(kind(edge), None | Some(EdgeKind::Dart)))
        {
            continue;
        }
        match_seam(pattern, seam, kind(&seam.a[0]) == Some(EdgeKind::Armhole), &mut notches);
    }
    for (number, panel) in pattern.panels.iter().enumerate() {
        for notch in smooth_joints(pattern, number) {
            add(panel, notch, &mut notches[number]);
        }
    }
    notches
}

fn match_seam(pattern: &Pattern, seam: &Seam, is_armhole: bool, notches: &mut [Vec<Notch>]) {
    let a = Chain::new(pattern, &seam.a, false);
    let b = Chain::new(pattern, &seam.b, !seam.twisted);
    if a.length.min(b.length) <= 0.0 {
        return;
    }
    let (mut on_a, mut on_b) = (b.crossings(), a.crossings());
    let drawn = [a.drawn(), b.drawn()];
    match [drawn[0].is_empty(), drawn[1].is_empty()] {
        [true, true] => {
            let usual = usual(a.length, is_armhole, a.has(Part::Back) || b.has(Part::Back));
            on_a.extend(&usual);
            on_b.extend(&usual);
        }
        [false, true] => on_b.extend(&drawn[0]),
        [true, false] => on_a.extend(&drawn[1]),
        [false, false] => {}
    }
    for (chain, fractions) in [(&a, on_a), (&b, on_b)] {
        for fraction in fractions {
            let (edge, at) = chain.place(fraction);
            add(&pattern.panels[edge.panel], Notch { edge: edge.edge, at }, &mut notches[edge.panel]);
        }
    }
}

/// Fractions of the notches of a seam for which none are drawn.
fn usual(length: f64, is_armhole: bool, is_behind: bool) -> Vec<f64> {
    if length < SHORT {
        Vec::new()
    } else if is_armhole && is_behind {
        vec![0.4, 0.4 + DOUBLE / length]
    } else if is_armhole {
        vec![0.4]
    } else if length < LONG {
        vec![0.5]
    } else {
        vec![1.0 / 3.0, 2.0 / 3.0]
    }
}

/// Notches at corners where the outline goes on smoothly from one seam to another.
fn smooth_joints(pattern: &Pattern, number: usize) -> Vec<Notch> {
    let panel = &pattern.panels[number];
    let count = panel.outline.len();
    let seam_of = |edge: usize| {
        let at = EdgeRef { panel: number, edge };
        pattern.seams.iter().position(|seam| seam.a.contains(&at) || seam.b.contains(&at))
    };
    let darts = wedges(pattern, number);
    let is_dart = |edge: usize| darts.iter().any(|dart| dart.down == edge || dart.up == edge);
    let mut joints = Vec::new();
    for edge in 0..count {
        let before = (edge + count - 1) % count;
        let (Some(first), Some(second)) = (seam_of(before), seam_of(edge)) else { continue };
        if first == second || is_dart(before) || is_dart(edge) {
            continue;
        }
        let (Some(to), Some(from)) = (panel.segment(before), panel.segment(edge)) else { continue };
        let (u, v) = (to.direction_at_end(), from.direction_at_start());
        if u.cross(v).atan2(u.dot(v)).abs() < SMOOTH {
            joints.push(Notch { edge, at: 0.0 });
        }
    }
    joints
}

/// Adds a notch unless there is one at its place.
fn add(panel: &Panel, notch: Notch, to: &mut Vec<Notch>) {
    let place = |notch: &Notch| panel.segment(notch.edge).map(|segment| segment.at_fraction(notch.at));
    let Some(at) = place(&notch) else { return };
    if !to.iter().filter_map(place).any(|other| other.distance(at) < SAME) {
        to.push(notch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{Choices, Design, draft};
    use toile_body::{Figure, Given, complete};

    /// Lengths from the start of a chain to its notches, walked edge by edge as it is sewn.
    fn lengths(pattern: &Pattern, notches: &[Vec<Notch>], chain: &[EdgeRef], backwards: bool) -> Vec<f64> {
        let (mut passed, mut found) = (0.0, Vec::new());
        for edge in chain {
            let length = pattern.panels[edge.panel].length(edge.edge);
            for notch in notches[edge.panel].iter().filter(|notch| notch.edge == edge.edge) {
                found.push(passed + length * if backwards { 1.0 - notch.at } else { notch.at });
            }
            passed += length;
        }
        found.sort_by(f64::total_cmp);
        found.retain(|at| *at > 1e-3 && *at < passed - 1e-3);
        found
    }

    #[test]
    fn notches_of_every_garment_meet_when_its_seams_are_sewn() {
        let body = complete(Figure::Female, &Given::NONE);
        let mut compared = 0;
        for design in Design::ALL {
            let pattern = draft(*design, &body, &Choices::new()).unwrap();
            let notches = matched_notches(&pattern);
            for seam in &pattern.seams {
                let (a, b) = (&seam.a, &seam.b);
                let ratio = pattern.chain_length(b) / pattern.chain_length(a);
                let on_a = lengths(&pattern, &notches, a, false);
                let on_b = lengths(&pattern, &notches, b, !seam.twisted);
                if a == b {
                    continue;
                }
                assert_eq!(on_a.len(), on_b.len(), "{} {}: {on_a:?} {on_b:?}", pattern.name, seam.name);
                for (s, t) in on_a.iter().zip(&on_b) {
                    assert!((s * ratio - t).abs() < 1e-4, "{} {}: {s} × {ratio} {t}", pattern.name, seam.name);
                    compared += 1;
                }
            }
        }
        assert!(compared > 20, "{compared}");
    }

    #[test]
    fn a_sleeve_has_one_notch_in_front_two_behind_and_one_on_top() {
        let body = complete(Figure::Female, &Given::NONE);
        let pattern = draft(Design::TShirt, &body, &Choices::new()).unwrap();
        let number = pattern.find("sleeve").unwrap();
        let (sleeve, notches) = (&pattern.panels[number], &matched_notches(&pattern)[number]);
        let on = |edge: &str| {
            let edge = sleeve.find(edge).unwrap();
            notches.iter().filter(|notch| notch.edge == edge && notch.at > 0.0 && notch.at < 1.0).count()
        };
        assert_eq!((on("cap_front"), on("cap_back")), (1, 2));
        let top = sleeve.find("cap_front").unwrap();
        assert!(notches.contains(&Notch { edge: top, at: 0.0 }), "{notches:?}");
    }
}
