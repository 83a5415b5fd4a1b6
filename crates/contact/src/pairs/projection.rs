//! [`Projection`]: pairs nearer than they should be are pushed apart, with Coulomb friction.
//!
//! A [`Touch`] with gap `φ` along its normal `n` that falls short of its target `t` by `δ = t − φ` is corrected as by an
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
//! is gained in [`RECOVERY`] seconds: `t = min(d, max(d/2, φ₀ + h d / RECOVERY))`, `φ₀` the gap when the step began.

use rayon::prelude::*;
use toile_collide::impact::PairKind;
use toile_mesh::DVec3;

use super::{Bodies, NearPair};
use crate::Friction;

/// Seconds in which a pair gains its whole distance, if nothing presses it.
pub(super) const RECOVERY: f64 = 0.03;
/// A vertex is moved at most this many times as far as its pair is short of its target; more would be asked of one whose
/// weight is small while the others are held.
const MOST_LEVER: f64 = 4.0;
/// Pairs are taken up to this share of their distance beyond it: they can approach that much during the passes.
const MARGIN: f64 = 0.25;
/// Pairs per task.
const CHUNK: usize = 256;

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
struct Active {
    pair: NearPair,
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
    active: Vec<Active>,
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
    /// Takes up the pairs that are near now; `h` is the length of the step [s].
    pub fn gather(&mut self, pairs: &mut [NearPair], bodies: &Bodies, h: f64) {
        let (x_t0, x) = (&bodies.x_t0, &bodies.x_t1);
        let gathered = if self.gathered.len() == x.len() { &self.gathered } else { x };
        let near = |pair: &mut NearPair| {
            let (touch, room) = pair.touch_again(gathered, x_t0, x, (1.0 + MARGIN) * pair.keep)?;
            if !bodies.parts(pair) {
                return None;
            }
            // Edges that are nearest at an end of one are parted by the vertex there.
            let at_end = pair.kind == PairKind::EdgeEdge && touch.weights.iter().any(|w| w.abs() > 1.0 - 1e-9);
            if at_end && touch.gap > 0.0 {
                return None;
            }
            Some(((pair.kind, touch.gap), Active { pair: *pair, target: None, room, seen: 0.0 }))
        };
        let chunks = pairs.par_chunks_mut(CHUNK).map(|pairs| pairs.iter_mut().filter_map(near).collect::<Vec<_>>());
        let mut found: Vec<_> = chunks.collect::<Vec<_>>().into_iter().flatten().collect();
        found.sort_by(|((a, near), _), ((b, far), _)| a.cmp(b).then(near.total_cmp(far)));
        self.active.clear();
        self.active.extend(found.into_iter().map(|(_, pair)| pair));
        self.step = h;
        self.gone.clear();
        self.gone.resize(x.len(), 0.0);
        self.places.clone_from(x);
        self.gathered.clone_from(x);
    }

    /// Tells that vertices have been moved by others since the last pass.
    pub fn follow(&mut self, bodies: &Bodies) {
        for ((gone, before), x) in self.gone.iter_mut().zip(&self.places).zip(&bodies.x_t1) {
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
    pub fn pass(&mut self, bodies: &mut Bodies, backwards: bool) -> ProjectionReport {
        let mut report = ProjectionReport::default();
        let Bodies { x_t0, x_t1: x, inverse_mass, .. } = bodies;
        let last = self.active.len().saturating_sub(1);
        for k in 0..self.active.len() {
            let Active { pair, target, room, seen } = &mut self.active[if backwards { last - k } else { k }];
            let gone: f64 = pair.vertices.iter().map(|v| self.gone[*v as usize]).sum();
            if *room > gone - *seen {
                continue;
            }
            *seen = gone;
            let touch = match pair.touch_or_room(x_t0, x, target.unwrap_or(pair.keep)) {
                Ok(touch) => touch,
                Err(left) => {
                    *room = left;
                    continue;
                }
            };
            *room = 0.0;
            let gained = self.step * pair.keep / RECOVERY;
            let target =
                *target.get_or_insert_with(|| (pair.distance(x_t0) + gained).clamp(0.5 * pair.keep, pair.keep));
            if touch.gap >= target {
                continue;
            }
            let compliance = touch.compliance(inverse_mass);
            if compliance <= 0.0 {
                continue;
            }
            let short = target - touch.gap;
            report.contacts += 1;
            report.deepest = report.deepest.max(short);
            let moved = touch.relative(x) - touch.relative(x_t0);
            let slid = moved - touch.normal * moved.dot(touch.normal);
            let correction: DVec3 = touch.normal * short + Friction::Coulomb(pair.friction).correction(slid, short);
            for (v, weight) in touch.vertices.iter().zip(touch.weights) {
                let lever = weight * inverse_mass[*v as usize] / compliance;
                let way = correction * lever.clamp(-MOST_LEVER, MOST_LEVER);
                x[*v as usize] += way;
                self.gone[*v as usize] += way.length();
            }
        }
        self.places.clone_from(x);
        report
    }
}
