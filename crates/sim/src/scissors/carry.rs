//! What a world that was just cut takes over from the one before.

use toile_cloth::dynamics::History;
use toile_contact::Caught;
use toile_mesh::DVec3;

use super::Stage;
use crate::world::World;

/// Shares of the kerf by which lips are drawn back: all of it, less where that would touch something.
const SHARES: [f64; 7] = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015_625];

/// For each particle the particles it was, with their shares.
type Sources = Vec<[(u32, f64); 3]>;

impl World {
    /// Goes on from where `before` is, the same world before a cut: positions, velocities, who is held, what the integration and the
    /// bending remember, what obstacles have caught.
    pub(super) fn take_over(&mut self, before: &Self) {
        let (Some(old), Some(new)) = (&before.scissors, &self.scissors) else { return };
        let (from, to) = (old.stage, new.stage);
        let sources = self.sources(before, from, to);
        let state = &before.state;
        // A lip keeps the velocity of the particle it was, which counts most in its place.
        let was: Vec<usize> = sources.iter().map(|parts| largest(parts) as usize).collect();
        let moved = |x: &[DVec3], share: f64| {
            let place = |(parts, was): (&[(u32, f64); 3], &usize)| toward(x[*was], mean(parts, x), share);
            sources.iter().zip(&was).map(place).collect::<Vec<_>>()
        };
        let same = |v: &[DVec3]| was.iter().map(|i| v[*i]).collect::<Vec<_>>();
        self.frame = before.frame;
        // Cloth is pressed or folded where lips meet something on their short way back; less of it still sets them apart.
        let (mut fewest, mut share) = (usize::MAX, 1.0);
        for tried in SHARES {
            self.state.x = moved(&state.x, tried);
            let found = self.findings().count();
            if found < fewest {
                (fewest, share) = (found, tried);
            }
            if found == 0 {
                break;
            }
        }
        self.state.x = moved(&state.x, share);
        self.state.v = same(&state.v);
        if !state.history.x.is_empty() {
            let History { x, v, h } = &state.history;
            self.state.history = History { x: moved(x, share), v: same(v), h: *h };
        }
        self.state.slip = self.slip_from(before, from, to);
        let mut caught: Vec<Caught> = Vec::new();
        for (i, was) in was.iter().enumerate() {
            let known = before.caught.iter().filter(|caught| caught.vertex as usize == *was);
            caught.extend(known.map(|known| Caught { vertex: i as u32, sheets: known.sheets }));
        }
        self.caught = caught;
        self.repair = before.repair;
        self.carry_moved(before, &was);
        self.recall_slip();
    }

    /// Of all particles of all cloths.
    fn sources(&self, before: &Self, from: Stage, to: Stage) -> Sources {
        let Some(scissors) = &self.scissors else { return Vec::new() };
        let of_cloth = |index: usize| {
            let first = before.model.cloths[index].start as u32;
            let parts = scissors.plan.sources(index, from, to).into_iter();
            parts.map(move |parts| parts.map(|(v, share)| (v + first, share)))
        };
        (0..self.model.cloths.len()).flat_map(of_cloth).collect()
    }

    /// Slip curvatures belong to triangles, which keep theirs.
    fn slip_from(&self, before: &Self, from: Stage, to: Stage) -> Vec<[f64; 2]> {
        let Some(scissors) = self.scissors.as_ref().filter(|_| !before.state.slip.is_empty()) else {
            return Vec::new();
        };
        let mut slip = Vec::with_capacity(self.triangles.len());
        let mut first = 0;
        for index in 0..self.model.cloths.len() {
            let old = scissors.plan.faces(index, from);
            for face in scissors.plan.faces(index, to) {
                let known = old.binary_search(&face).ok().and_then(|k| before.state.slip.get(first + k));
                slip.push(known.copied().unwrap_or_default());
            }
            first += old.len();
        }
        slip
    }
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
