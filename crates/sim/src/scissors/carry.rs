//! What a world that was just cut takes over from the one before.

use toile_cloth::dynamics::History;
use toile_cloth::{ClothModel, ClothState};
use toile_contact::Caught;
use toile_mesh::DVec3;

use super::{Plan, Stage};
use crate::moved::Moved;
use crate::world::World;

/// Shares of the kerf by which lips are drawn back: all of it, less where that would touch something.
const SHARES: [f64; 7] = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015_625];

/// For each particle the particles it was, with their shares.
type Sources = Vec<[(u32, f64); 3]>;

/// What cloth takes over that was just cut.
pub(super) struct Carried {
    /// The state after the cut.
    pub(super) state: ClothState,
    /// What obstacles have caught, ascending.
    pub(super) caught: Vec<Caught>,
    /// What a caller has moved.
    pub(super) moved: Moved,
}

/// What `next`, the same world after a cut, takes over from `before`: positions, velocities, what the integration and the bending remember,
/// what obstacles have caught and what a caller has moved. `findings` counts what intersects at positions of `next`.
pub(super) fn carried(before: &World, next: &World, findings: impl FnMut(&[DVec3]) -> usize) -> Option<Carried> {
    let (old, new) = (before.scissors.as_ref()?, next.scissors.as_ref()?);
    let (plan, from, to) = (&new.plan, old.stage, new.stage);
    let sources = sources(plan, &before.model, from, to);
    // A lip keeps the velocity of the particle it was, which counts most in its place.
    let was: Vec<usize> = sources.iter().map(|parts| largest(parts) as usize).collect();
    let state = &before.state;
    let share = share_of_kerf(&sources, &was, &state.x, findings);
    let x = drawn_back(&sources, &was, &state.x, share);
    let velocities = |v: &[DVec3]| was.iter().map(|i| v[*i]).collect::<Vec<DVec3>>();
    let mut history = History::default();
    if !state.history.x.is_empty() {
        let History { x, v, h } = &state.history;
        history = History { x: drawn_back(&sources, &was, x, share), v: velocities(v), h: *h };
    }
    let slip = slip(plan, next.model.cloths.len(), &state.slip, from, to);
    let mut caught: Vec<Caught> = Vec::new();
    for (i, was) in was.iter().enumerate() {
        let known = before.caught.iter().filter(|caught| caught.vertex as usize == *was);
        caught.extend(known.map(|known| Caught { vertex: i as u32, sheets: known.sheets }));
    }
    let moved = before.moved.carried(&was, &state.x, &x);
    Some(Carried { state: ClothState { x, v: velocities(&state.v), history, slip }, caught, moved })
}

/// The share of the kerf by which lips are drawn back. Cloth is pressed or folded where lips meet something on their short way back;
/// less of it still sets them apart.
fn share_of_kerf(sources: &Sources, was: &[usize], x: &[DVec3], mut findings: impl FnMut(&[DVec3]) -> usize) -> f64 {
    let (mut fewest, mut share) = (usize::MAX, 1.0);
    for tried in SHARES {
        let found = findings(&drawn_back(sources, was, x, tried));
        if found < fewest {
            (fewest, share) = (found, tried);
        }
        if found == 0 {
            break;
        }
    }
    share
}

/// Particles at `x` [m] before the cut, with lips drawn back by a share of the kerf.
fn drawn_back(sources: &Sources, was: &[usize], x: &[DVec3], share: f64) -> Vec<DVec3> {
    sources.iter().zip(was).map(|(parts, was)| toward(x[*was], mean(parts, x), share)).collect()
}

/// Of all particles of all cloths; `model` is that before the cut.
fn sources(plan: &Plan, model: &ClothModel, from: Stage, to: Stage) -> Sources {
    let mut sources = Vec::new();
    for (index, cloth) in model.cloths.iter().enumerate() {
        let first = cloth.start as u32;
        let own = plan.sources(index, from, to);
        sources.extend(own.into_iter().map(|parts| parts.map(|(v, share)| (v + first, share))));
    }
    sources
}

/// Slip curvatures after the cut: they belong to triangles, which keep theirs.
fn slip(plan: &Plan, cloths: usize, before: &[[f64; 2]], from: Stage, to: Stage) -> Vec<[f64; 2]> {
    let mut slip = Vec::new();
    if before.is_empty() {
        return slip;
    }
    let mut first = 0;
    for index in 0..cloths {
        let old = plan.faces(index, from);
        for face in plan.faces(index, to) {
            let known = old.binary_search(&face).ok().and_then(|k| before.get(first + k));
            slip.push(known.copied().unwrap_or_default());
        }
        first += old.len();
    }
    slip
}

/// The way from `from` to `to` [m], a share of it; what does not move stays to the last bit.
fn toward(from: DVec3, to: DVec3, share: f64) -> DVec3 {
    if share >= 1.0 || from == to { to } else { from.lerp(to, share) }
}

fn mean(parts: &[(u32, f64); 3], x: &[DVec3]) -> DVec3 {
    match parts {
        // As it is, to the last bit.
        [(v, 1.0), (_, 0.0), (_, 0.0)] => x[*v as usize],
        many => many.iter().map(|(v, share)| x[*v as usize] * *share).sum(),
    }
}

fn largest(parts: &[(u32, f64); 3]) -> u32 {
    let most = parts.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    most.map_or(0, |(v, _)| *v)
}
