//! Seams of two sides: which may be sewn together, and how well they suit each other.
//!
//! `score = prior · exp(−½ (ln(l_a / l_b) / σ)²) · notches · bends`. The prior comes from what the sides are: 1 for the shoulder of a front
//! with that of a back, less for what is only likely. Notches that meet within 8 mm raise the score, notches that do not lower
//! it. What starts at one end of `a` starts at the other end of `b`.

use crate::pattern::{EdgeRef, Pattern, Seam};
use crate::recognise::template::Role;
use crate::role::{Part, Side};

use super::Proposal;
use super::assign::Chosen;
use super::sides::{Flank, Sides, View};

/// Spread of the logarithm of lengths for sides that are known, and for others.
const SPREAD: f64 = 0.06;
const SPREAD_UNKNOWN: f64 = 0.015;
/// Least score of a candidate.
const LEAST: f64 = 0.2;
/// How far notches may be off [m].
const MEETS: f64 = 0.008;
/// Shortest side that is sewn to one of which nothing is known [m].
const SHORTEST: f64 = 0.03;
/// Most sides of which nothing is known that are compared.
const MOST_UNKNOWN: usize = 200;

/// A seam and its mirror image.
#[derive(Clone, Debug)]
pub(super) struct Orbit {
    /// Pairs of flanks.
    pub(super) pairs: Vec<[usize; 2]>,
    /// All flanks that are used.
    pub(super) flanks: Vec<usize>,
    pub(super) score: f64,
    /// Sum of the scores over their number.
    mean: f64,
}

fn is_trunk(part: Part) -> bool {
    matches!(part, Part::Front | Part::Back)
}

fn is_skirt(part: Part) -> bool {
    matches!(part, Part::SkirtFront | Part::SkirtBack)
}

/// How likely two sides are sewn together by what they are, before anything is measured.
fn prior(a: &Flank, b: &Flank, whole: &Pattern) -> Option<f64> {
    let (p, q) = (whole.panels[a.panel].part, whole.panels[b.panel].part);
    let same_panel = a.panel == b.panel;
    let same_side = a.side == b.side && a.side != Side::Both;
    let across = a.side != Side::Both && a.side == b.side.opposite();
    let faces = a.view != b.view;
    let (r, s) = match (a.role, b.role) {
        (Some(r), Some(s)) => (r.min(s), r.max(s)),
        _ => return unknown(a, b),
    };
    // Sides face each other; those of a skirt cut from a circle both look up.
    let (m, n) = (a.stretch.normal.x, b.stretch.normal.x);
    let opposed = m * n < 0.0 || (is_skirt(p) && m.abs().max(n.abs()) < 0.4);
    let alike = (is_trunk(p) && is_trunk(q)) || (is_skirt(p) && is_skirt(q));
    match (r, s) {
        (Role::Shoulder, Role::Shoulder) if alike && faces && same_side => Some(1.0),
        (Role::Side, Role::Side) if alike && !same_panel && same_side && opposed => Some(if faces { 1.0 } else { 0.9 }),
        // The inner side of a side panel that looks like a half.
        (Role::Side, Role::Centre) if alike && !same_panel && same_side && opposed && !faces => Some(0.8),
        (Role::Centre, Role::Centre) if alike && !same_panel && across && p == q => {
            // Fronts of tops that are cut as a pair are open.
            if p == Part::Front { None } else { Some(0.95) }
        }
        (Role::Underarm, Role::Underarm) if same_panel => Some(1.0),
        (Role::Outseam, Role::Outseam) | (Role::Inseam, Role::Inseam) if faces && same_side => Some(1.0),
        (Role::Rise, Role::Rise) if p == q && across => Some(1.0),
        (Role::End, Role::End) if matches!(p, Part::Cuff | Part::Waistband) && p == q => {
            if same_panel {
                Some(0.9)
            } else {
                (same_side && p == Part::Waistband).then_some(0.95)
            }
        }
        (Role::Armhole, Role::Cap) if same_limb(a, b) => {
            // A raglan sleeve has two caps with a neckline between them; a set-in sleeve has one for both armholes.
            let sleeve = if p == Part::Sleeve { a } else { b };
            let trunk = if p == Part::Sleeve { b } else { a };
            is_front_cap(sleeve).and_then(|front| (front == (trunk.view == View::Front)).then_some(0.95))
        }
        (Role::Hem, Role::Top) if alike && !same_panel && !faces => Some(0.9),
        _ => None,
    }
}

fn same_limb(a: &Flank, b: &Flank) -> bool {
    a.side == b.side && a.side != Side::Both
}

/// Whether half a cap is that of the front; `None` for a cap in one piece. The front of a left sleeve is at x < 0.
fn is_front_cap(flank: &Flank) -> Option<bool> {
    let x = flank.stretch.normal.x;
    (x.abs() > 0.25).then_some((x < 0.0) == (flank.side == Side::Left))
}

/// Sides of which nothing is known are sewn by length and notches alone, never certainly.
fn unknown(a: &Flank, b: &Flank) -> Option<f64> {
    let both = a.role.is_none() && b.role.is_none();
    let long = a.stretch.length.min(b.stretch.length) > SHORTEST;
    (both && a.panel != b.panel && long).then_some(0.45)
}

/// Factor for notches: how many of the ones meet the others, both from the common start.
fn notches(a: &Flank, b: &Flank) -> f64 {
    if a.notches.is_empty() && b.notches.is_empty() {
        return 1.0;
    }
    if a.notches.is_empty() || b.notches.is_empty() {
        return 0.95;
    }
    let (l, m) = (a.stretch.length, b.stretch.length);
    let meets = |at: &f64| b.notches.iter().any(|other| ((m - other) / m * l - at).abs() < MEETS);
    let met = a.notches.iter().filter(|at| meets(at)).count() as f64;
    0.85 + 0.25 * met / a.notches.len().max(b.notches.len()) as f64
}

fn score(a: &Flank, b: &Flank, whole: &Pattern) -> Option<f64> {
    let prior = prior(a, b, whole)?;
    let known = a.role.is_some() && b.role.is_some();
    let spread = if known { SPREAD } else { SPREAD_UNKNOWN };
    let off = (a.stretch.length / b.stretch.length).ln() / spread;
    let faces = a.view != b.view;
    let bend = if faces && a.role == b.role { (a.stretch.bend - b.stretch.bend).abs() } else { 0.0 };
    let score = prior * (-0.5 * off * off).exp() * notches(a, b) * (-0.5 * bend.min(0.4)).exp();
    (score > LEAST).then_some(score)
}

/// All candidates, each with its mirror image.
pub(super) fn candidates(whole: &Pattern, sides: &Sides) -> Vec<Orbit> {
    let flanks = &sides.flanks;
    let mut unknown = 0;
    let used: Vec<usize> = (0..flanks.len())
        .filter(|i| {
            unknown += usize::from(flanks[*i].role.is_none());
            flanks[*i].role.is_some() || unknown <= MOST_UNKNOWN
        })
        .collect();
    let mut orbits: Vec<Orbit> = Vec::new();
    for (k, i) in used.iter().enumerate() {
        for j in &used[k + 1..] {
            let Some(own) = score(&flanks[*i], &flanks[*j], whole) else { continue };
            let mut pairs = vec![[*i, *j]];
            let mut sum = own;
            if let (Some(a), Some(b)) = (flanks[*i].twin, flanks[*j].twin) {
                let image = [a.min(b), a.max(b)];
                if image != pairs[0] {
                    // The first of the two stands for both.
                    if image < pairs[0] {
                        continue;
                    }
                    if let Some(other) = score(&flanks[image[0]], &flanks[image[1]], whole) {
                        sum += other;
                        pairs.push(image);
                    }
                }
            }
            let mut all: Vec<usize> = pairs.concat();
            all.sort_unstable();
            all.dedup();
            if all.len() == 2 * pairs.len() {
                let mean = sum / pairs.len() as f64;
                orbits.push(Orbit { pairs, flanks: all, score: sum, mean });
            }
        }
    }
    orbits
}

/// The seams of a set of candidates.
pub(super) fn seams(whole: &Pattern, sides: &Sides, orbits: &[Orbit], chosen: &Chosen) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for (i, margin) in &chosen.set {
        let orbit = &orbits[*i];
        let confidence = (orbit.mean * (0.5 + 0.5 * margin)).clamp(0.0, 1.0);
        for pair in &orbit.pairs {
            let [a, b] = pair.map(|i| &sides.flanks[i]);
            let chain = |flank: &Flank| -> Vec<EdgeRef> {
                flank.stretch.edges.iter().map(|edge| EdgeRef { panel: flank.panel, edge: *edge }).collect()
            };
            let mut against = chain(b);
            against.reverse();
            let word = a.role.or(b.role).map_or("seam", Role::word);
            let name = if a.side == b.side && a.side != Side::Both {
                format!("{word}_{}", a.side.word())
            } else {
                format!("{word}_{}", whole.panels[a.panel].name)
            };
            let mut seam = Seam::new(name, chain(a), against);
            let ratio = b.stretch.length / a.stretch.length;
            if !(0.85..=1.18).contains(&ratio) {
                seam.ratio = Some(ratio);
            }
            let (l, m) = (1e3 * a.stretch.length, 1e3 * b.stretch.length);
            let other = if *margin < 0.5 { ", and another seam would do nearly as well" } else { "" };
            proposals.push(Proposal { seam, confidence, reason: format!("{l:.0} mm to {m:.0} mm{other}") });
        }
    }
    proposals
}
