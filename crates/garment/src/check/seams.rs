//! Seams: edges that exist, are sewn once, follow each other, have matching lengths and leave the garment an outer side.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use crate::borders::{borders, expected};
use crate::fault::{Fault, Problem};
use crate::pattern::{Cut, EdgeRef, Pattern, Seam};

/// Largest ratio of lengths of a seam that states none.
const LARGEST_RATIO: f64 = 1.25;

/// How far a seam may be from the ratio it states, relatively.
const RATIO_TOLERANCE: f64 = 0.05;

pub(super) fn check(pattern: &mut Pattern) -> (Vec<Fault>, Vec<Fault>) {
    let (mut repairs, mut faults) = (Vec::new(), Vec::new());
    let mut sewn: BTreeMap<EdgeRef, usize> = BTreeMap::new();
    for (number, seam) in pattern.seams.iter().enumerate() {
        let before = faults.len();
        exists(pattern, seam, &mut faults);
        if faults.len() > before {
            continue;
        }
        // A chain is sewn to its own mirror image only where there is one.
        let is_doubled = |edge: &EdgeRef| pattern.panels[edge.panel].cut != Cut::Single;
        let own_mirror = seam.a == seam.b && seam.a.iter().all(is_doubled);
        let chains = if own_mirror { seam.a.iter().chain(&[]) } else { seam.a.iter().chain(seam.b.as_slice()) };
        for edge in chains {
            if let Some(other) = sewn.insert(*edge, number) {
                let other = pattern.seams[other].name.clone();
                let problem = Problem::SewnTwice { edge: pattern.edge_name(*edge), other };
                faults.push(Fault::new(problem).in_seam(&seam.name));
            }
        }
        if let Some(problem) = lengths(pattern, seam) {
            faults.push(Fault::new(problem).in_seam(&seam.name));
        }
    }
    if faults.is_empty() {
        let directions: Vec<_> = pattern.seams.iter().map(|seam| direct(pattern, seam)).collect();
        for (seam, direction) in pattern.seams.iter_mut().zip(directions) {
            match direction {
                Ok(Way::AsListed) => {}
                Ok(Way::BothBackwards) => {
                    seam.a.reverse();
                    seam.b.reverse();
                }
                Ok(Way::OneBackwards(side)) => {
                    match side {
                        Chain::A => seam.a.reverse(),
                        Chain::B => seam.b.reverse(),
                    }
                    repairs.push(Fault::new(Problem::ReversedStitch).in_seam(&seam.name));
                }
                Err(problem) => faults.push(Fault::new(problem).in_seam(&seam.name)),
            }
        }
        for seam in pattern.seams.iter_mut().filter(|seam| seam.twisted) {
            seam.twisted = false;
            repairs.push(Fault::new(Problem::ReversedStitch).in_seam(&seam.name));
        }
        faults.extend(wrong_borders(pattern, &repairs));
    }
    (repairs, faults)
}

/// Seams that were turned round although the garment then has other borders than its parts ask for: what was meant is not known.
fn wrong_borders(pattern: &Pattern, repairs: &[Fault]) -> Vec<Fault> {
    let turned: Vec<&Fault> = repairs.iter().filter(|fault| fault.problem == Problem::ReversedStitch).collect();
    let (false, Ok(whole)) = (turned.is_empty(), pattern.whole()) else { return Vec::new() };
    let found = borders(&whole).len();
    match expected(&whole) {
        Some((range, rims)) if !range.contains(&found) => {
            let fault = |turned: &&Fault| Fault { problem: Problem::WrongBorders { found, rims }, ..(*turned).clone() };
            turned.iter().map(fault).collect()
        }
        _ => Vec::new(),
    }
}

fn exists(pattern: &Pattern, seam: &Seam, faults: &mut Vec<Fault>) {
    if seam.a.is_empty() || seam.b.is_empty() {
        faults.push(Fault::new(Problem::EmptySeam).in_seam(&seam.name));
    }
    for edge in seam.a.iter().chain(&seam.b) {
        if pattern.panels.get(edge.panel).is_none_or(|panel| edge.edge >= panel.edge_count()) {
            let problem = Problem::MissingEdge { edge: pattern.edge_name(*edge) };
            faults.push(Fault::new(problem).in_seam(&seam.name));
        }
    }
    if !(-PI..=PI).contains(&seam.fold_angle) {
        faults.push(Fault::new(Problem::Range { what: "the fold angle" }).in_seam(&seam.name));
    }
    if seam.ratio.is_some_and(|ratio| !(0.05..=20.0).contains(&ratio)) {
        faults.push(Fault::new(Problem::Range { what: "the ratio" }).in_seam(&seam.name));
    }
}

fn lengths(pattern: &Pattern, seam: &Seam) -> Option<Problem> {
    let (a, b) = (pattern.chain_length(&seam.a), pattern.chain_length(&seam.b));
    let found = b / a;
    match seam.ratio {
        Some(stated) if (found / stated - 1.0).abs() > RATIO_TOLERANCE => Some(Problem::Ratio { found, stated }),
        None if !(1.0 / LARGEST_RATIO..=LARGEST_RATIO).contains(&found) => Some(Problem::Lengths { a, b }),
        _ => None,
    }
}

/// How the chains of a seam are listed.
enum Way {
    AsListed,
    BothBackwards,
    OneBackwards(Chain),
}

/// The chain of a seam that is turned round.
enum Chain {
    A,
    B,
}

/// Finds the direction of a seam from the order in which its chains are listed.
fn direct(pattern: &Pattern, seam: &Seam) -> Result<Way, Problem> {
    let (a, b) = (order(pattern, &seam.a)?, order(pattern, &seam.b)?);
    if seam.a == seam.b {
        return Ok(if a == Some(Order::Backwards) { Way::BothBackwards } else { Way::AsListed });
    }
    // Chain `a` runs along its outlines and `b` against them.
    let straight = (a != Some(Order::Backwards), b != Some(Order::Along));
    Ok(match (straight, a, b) {
        ((true, true), ..) => Way::AsListed,
        ((false, false), ..) | ((false, true), _, None) | ((true, false), None, _) => Way::BothBackwards,
        ((false, true), ..) => Way::OneBackwards(Chain::A),
        ((true, false), ..) => Way::OneBackwards(Chain::B),
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Along,
    Backwards,
}

/// The order of a chain relative to its outlines; `None` where nothing tells, as for one edge.
fn order(pattern: &Pattern, chain: &[EdgeRef]) -> Result<Option<Order>, Problem> {
    let mut order = None;
    for pair in chain.windows(2).filter(|pair| pair[0].panel == pair[1].panel) {
        let panel = &pattern.panels[pair[0].panel];
        let ends = |edge: EdgeRef| panel.segment(edge.edge).map(|s| (s.start, s.end));
        let (Some(p), Some(q)) = (ends(pair[0]), ends(pair[1])) else { continue };
        let (along, backwards) = (p.1 == q.0, p.0 == q.1);
        let found = match (along, backwards) {
            (true, true) => continue,
            (true, false) => Some(Order::Along),
            (false, true) => Some(Order::Backwards),
            // A dart between two edges of a chain: they do not touch, but their order on the loop tells.
            (false, false) => across(panel, pair[0].edge, pair[1].edge),
        };
        if found.is_none() || (order.is_some() && order != found) {
            let name = |edge| pattern.edge_name(edge);
            return Err(Problem::BrokenChain { first: name(pair[0]), second: name(pair[1]) });
        }
        order = found;
    }
    Ok(order)
}

/// Order of two edges of one loop with a few edges of a dart between them.
fn across(panel: &crate::pattern::Panel, first: usize, second: usize) -> Option<Order> {
    let (start, edges) = panel.loops().find(|(start, edges)| (*start..start + edges.len()).contains(&first))?;
    let count = edges.len();
    if !(start..start + count).contains(&second) {
        return None;
    }
    let ahead = (second + count - first) % count;
    let behind = count - ahead;
    (ahead != behind).then_some(if ahead < behind { Order::Along } else { Order::Backwards })
}
