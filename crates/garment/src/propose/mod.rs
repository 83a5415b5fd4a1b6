//! [`sew`]: seams for a pattern that comes without them, or with some.
//!
//! 1. `sides`: every panel is drawn, its outline cut into sides, and each side named by what it is (`recognise`): shoulder, side,
//!    cap, inseam … and by the side of the wearer.
//! 2. `darts`: pairs of edges that go into the cloth and come back; holes with two tips.
//! 3. `pairs`: candidates for seams of two sides, each with a score from what the sides are, their lengths, notches and bends. A seam and
//!    its mirror image are one candidate.
//! 4. `assign`: the set of candidates with the greatest sum of scores in which each side is sewn once, by branch and bound.
//! 5. `rings`: what is sewn onto the borders that are then left: sleeves into armholes, collars onto necks, bands onto waists, cuffs onto
//!    sleeves, skirts onto bodices, pieces below yokes.
//! 6. The borders that are left over must be those of a garment ([`crate::borders`]); where they are not, the next best set is tried.
//!
//! Hems are sewn to nothing but a skirt. Each proposal has a confidence between 0 and 1: its score, less where another seam would do
//! nearly as well. Below [`CERTAIN`] a person should decide.

mod assign;
mod darts;
mod layout;
mod pairs;
mod rings;
mod sides;

use crate::borders::{borders, expected, part_count};
use crate::check::{Mended, mend};
use crate::fault::PatternError;
use crate::pattern::{Pattern, Seam};

use sides::Sides;

/// Confidence from which a seam is sewn without being asked for.
pub const CERTAIN: f64 = 0.5;

/// Factor of all confidences where the borders are not those of a garment: below [`CERTAIN`], so that a person is always asked.
const NO_GARMENT: f64 = 0.45;

/// How many sets of pairs are tried until the borders are those of a garment.
const TRIES: usize = 8;

/// A seam that was not stated.
#[derive(Clone, PartialEq, Debug)]
pub struct Proposal {
    /// The seam, of the pattern with every piece drawn.
    pub seam: Seam,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reason: String,
}

impl Proposal {
    /// Whether a person should decide.
    pub fn is_doubtful(&self) -> bool {
        self.confidence < CERTAIN
    }
}

/// A pattern with every piece drawn and all proposed seams.
#[derive(Clone, PartialEq, Debug)]
pub struct Proposed {
    /// The pattern with its stated and all proposed seams; it passes the check.
    pub pattern: Pattern,
    /// The seams that were added, in the order of the pattern's seams.
    pub proposals: Vec<Proposal>,
    /// What else a person should know.
    pub notes: Vec<String>,
}

/// Draws every piece and proposes seams between edges that are in none.
///
/// ```
/// use toile_body::{Figure, Given, complete};
/// use toile_garment::{draft::{Choices, Design, draft}, mesh::FlatMesh, propose::sew};
/// let mut pattern = draft(Design::TShirt, &complete(Figure::Female, &Given::NONE), &Choices::new())?;
/// pattern.seams.clear();
/// let proposed = sew(&pattern)?;
/// let sewn = FlatMesh::new(&proposed.pattern, 0.02)?.sewn();
/// assert_eq!((sewn.part_count, sewn.borders.len()), (1, 4)); // hem, neck and two sleeves
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sew(pattern: &Pattern) -> Result<Proposed, PatternError> {
    let whole = pattern.whole().map_err(PatternError::from)?;
    let mended = mend(whole)?.pattern;
    let sides = Sides::new(&mended);
    let darts = darts::find(&mended);
    let orbits = pairs::candidates(&mended, &sides);
    let mut best: Option<(f64, Vec<Proposal>, Vec<String>)> = None;
    for chosen in assign::best_sets(&orbits, TRIES) {
        let mut proposals = darts.clone();
        proposals.extend(pairs::seams(&mended, &sides, &orbits, &chosen));
        let mut notes = Vec::new();
        rings::attach(&mended, &sides, &mut proposals, &mut notes);
        let mut sewn = mended.clone();
        sewn.seams.extend(proposals.iter().map(|proposal| proposal.seam.clone()));
        let found = borders(&sewn).len();
        let suits = expected(&sewn).is_none_or(|(range, _)| range.contains(&found)) && part_count(&sewn) == 1;
        let sum: f64 = proposals.iter().map(|proposal| proposal.confidence).sum();
        let score = if suits { sum } else { NO_GARMENT * sum };
        if let Some((range, rims)) = expected(&sewn)
            && !range.contains(&found)
        {
            for proposal in &mut proposals {
                proposal.confidence *= NO_GARMENT;
            }
            notes.push(format!("these seams leave {found} borders; a garment of these parts has {rims}"));
        }
        if best.as_ref().is_none_or(|(other, ..)| score > other + 1e-9) {
            best = Some((score, proposals, notes));
        }
        if suits {
            break;
        }
    }
    let (_, mut proposals, notes) = best.unwrap_or((0.0, darts, Vec::new()));
    name(&mended, &mut proposals);
    let mut sewn = mended;
    sewn.seams.extend(proposals.iter().map(|proposal| proposal.seam.clone()));
    let Mended { pattern, .. } = mend(sewn)?;
    let first = pattern.seams.len() - proposals.len();
    for (proposal, seam) in proposals.iter_mut().zip(&pattern.seams[first..]) {
        proposal.seam.clone_from(seam);
    }
    let mut pattern = pattern;
    layout::lay_out(&mut pattern);
    Ok(Proposed { pattern, proposals, notes })
}

/// Marks where panels hang that are beside or below others of their half: side panels, pieces below a yoke. Panels that are cut once and
/// sewn are needed, as [`sew`] makes them.
pub fn lay_out(pattern: &mut Pattern) {
    layout::lay_out(pattern);
}

/// Gives seams names of their own.
fn name(pattern: &Pattern, proposals: &mut [Proposal]) {
    let mut used: Vec<String> = pattern.seams.iter().map(|seam| seam.name.clone()).collect();
    for proposal in proposals {
        let stem = proposal.seam.name.clone();
        let mut number = 1;
        while used.contains(&proposal.seam.name) {
            number += 1;
            proposal.seam.name = format!("{stem}_{number}");
        }
        used.push(proposal.seam.name.clone());
    }
}

#[cfg(test)]
mod tests;
