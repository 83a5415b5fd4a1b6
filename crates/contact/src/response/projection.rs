//! [`Projection`]: pairs nearer than they should be are pushed apart, with Coulomb friction.
//!
//! A [`Contact`](crate::Contact) with gap `φ` along its normal `n` that falls short of its target `t` by `δ = t − φ` is corrected as by an
//! impulse, so that the features part by `δ` and momentum is kept:
//! ```text
//! x_i += w_i m_i⁻¹ (n δ + r) / Σ w_j² m_j⁻¹
//! ```
//! `r` is friction: it takes back the tangential way of the two since the step began, at most by `μ δ`.
//!
//! **Order.** Vertices before edges, nearest pairs first. A vertex above a flat surface is nearest to the face below it; to the
//! face beside that it is a little farther and tilted, and once lifted off the first it has nothing more to do with the
//! second. The other way round the inner edges of a mesh push cloth along it.
//!
//! **Left out.** A pass looks again only at pairs that were too near when it was their turn last, or whose vertices have moved
//! since as far as they had room: the others are still apart.
//!
//! **Target.** Pushing a pair to its full distance `d` at once would throw it. The inner half is hard, the outer half
//! is gained in the time of recovery `T`: `t = min(d, max(d/2, φ₀ + h d / T))`, `φ₀` the gap when the step began.

use rayon::prelude::*;
use toile_collide::impact::PairKind;
use toile_mesh::DVec3;

use super::CANDIDATE_MARGIN;
use crate::{Candidate, Step};

/// What one pass found.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProjectionReport {
    /// Pairs nearer than their target.
    pub contacts: usize,
    /// How far the worst of them was short of it [m].
    pub deepest: f64,
}

/// A pair taken up.
#[derive(Clone, Copy, Debug)]
struct Tracked {
    pair: Candidate,
    /// Distance to reach [m]; `None` until it has been nearer than it should be, since the gap when the step began is dear.
    target: Option<f64>,
    /// How much the ways of its vertices may add up to before it can be nearer than that [m], and what all their ways added up to when that
    /// was seen [m].
    room: f64,
    seen: f64,
}

/// The pairs of a step that touch or soon may.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    active: Vec<Tracked>,
    /// How far each vertex has gone since the pairs were taken up, there and back [m].
    gone: Vec<f64>,
    /// Where the vertices were when pairs were taken up last [m].
    gathered: Vec<DVec3>,
    /// Where the vertices were when the last pass ended [m].
    places: Vec<DVec3>,
    /// Length of the step [s].
    step: f64,
}

impl Projection {
    /// Takes up the pairs that are near now.
    pub fn gather(&mut self, pairs: &mut [Candidate], step: &Step) {
        let (x_t0, x) = (&step.x_t0, &step.x_t1);
        let gathered = if self.gathered.len() == x.len() { &self.gathered } else { x };
        let near = |pair: &mut Candidate| {
            let (contact, room) = pair.contact_again(gathered, x_t0, x, (1.0 + CANDIDATE_MARGIN) * pair.keep)?;
            if !step.parts(pair) {
                return None;
            }
            // Edges that are nearest at an end of one are parted by the vertex there.
            let at_end = pair.kind == PairKind::EdgeEdge && contact.weights.iter().any(|w| w.abs() > 1.0 - 1e-9);
            if at_end && contact.gap > 0.0 {
                return None;
            }
            Some(((pair.kind, contact.gap), Tracked { pair: *pair, target: None, room, seen: 0.0 }))
        };
        let chunks =
            pairs.par_chunks_mut(crate::CHUNK).map(|pairs| pairs.iter_mut().filter_map(near).collect::<Vec<_>>());
        let mut found: Vec<_> = chunks.collect::<Vec<_>>().into_iter().flatten().collect();
        found.sort_by(|((a, near), _), ((b, far), _)| a.cmp(b).then(near.total_cmp(far)));
        self.active.clear();
        self.active.extend(found.into_iter().map(|(_, pair)| pair));
        self.step = step.length();
        self.gone.clear();
        self.gone.resize(x.len(), 0.0);
        self.places.clone_from(x);
        self.gathered.clone_from(x);
    }

    /// Tells that vertices have been moved by others since the last pass.
    pub fn follow(&mut self, step: &Step) {
        for ((gone, before), x) in self.gone.iter_mut().zip(&self.places).zip(&step.x_t1) {
            *gone += before.distance(*x);
        }
    }

    /// Pairs taken up.
    pub fn len(&self) -> usize {
        self.active.len()
    }

    /// Whether no pair is near.
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// One pass over the pairs, in the order of the module or the other way round. Passes to and fro take a push through a
    /// stack of layers that would need one pass per layer.
    pub fn pass(&mut self, step: &mut Step, backwards: bool) -> ProjectionReport {
        let mut report = ProjectionReport::default();
        let (recovery, most_lever) = (step.tuning().recovery, step.tuning().lever);
        let Step { x_t0, x_t1: x, inverse_mass, .. } = step;
        let last = self.active.len().saturating_sub(1);
        for k in 0..self.active.len() {
            let Tracked { pair, target, room, seen } = &mut self.active[if backwards { last - k } else { k }];
            let gone: f64 = pair.vertices.iter().map(|v| self.gone[*v as usize]).sum();
            if *room > gone - *seen {
                continue;
            }
            *seen = gone;
            let contact = match pair.contact_or_room(x_t0, x, target.unwrap_or(pair.keep)) {
                Ok(contact) => contact,
                Err(left) => {
                    *room = left;
                    continue;
                }
            };
            *room = 0.0;
            let gained = self.step * pair.keep / recovery;
            let target =
                *target.get_or_insert_with(|| (pair.distance(x_t0) + gained).clamp(0.5 * pair.keep, pair.keep));
            if contact.gap >= target {
                continue;
            }
            let compliance = contact.compliance(inverse_mass);
            if compliance <= 0.0 {
                continue;
            }
            let short = target - contact.gap;
            report.contacts += 1;
            report.deepest = report.deepest.max(short);
            let correction = contact.correction(contact.relative(x_t0), contact.relative(x), short);
            for (v, weight) in contact.vertices.iter().zip(contact.weights) {
                let lever = weight * inverse_mass[*v as usize] / compliance;
                let way = correction * lever.clamp(-most_lever, most_lever);
                x[*v as usize] += way;
                self.gone[*v as usize] += way.length();
            }
        }
        self.places.clone_from(x);
        report
    }
}
