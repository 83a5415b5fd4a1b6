//! The last word of a step: whatever still goes through a mesh is taken back.
//!
//! If the cloth was clear of the obstacles when the step began and no pair of features meets on its way, then it is
//! clear when the step ends. So the whole step is searched once more, and the vertices of pairs that meet are taken back
//! along their way relative to the obstacle,
//! ```text
//! x_i = x_i⁰ + c_i + σ_i (x_i¹ − x_i⁰ − c_i)
//! ```
//! where `c_i` is the way of the obstacle there: first `σ_i` is halved a few times, then it is 0, and the vertex rides on
//! the obstacle. Vertices taken back may make others meet, so the search repeats until nothing is left to take back.
//! With obstacles at rest the end of this is the cloth as it was; with one that moves as a body it is the cloth moved
//! along, as clear as before. After [`MOST_ROUNDS`] everything rides, the way of vertices that met nothing being that of
//! their neighbours.

use toile_collide::DetectError;
use toile_mesh::{DVec3, Moves};

use super::near_pair::NearPair;
use super::response::{MeshContacts, PlacedMesh, carried};

/// Rounds in which the ways are halved.
const HALVING_ROUNDS: usize = 3;
/// Rounds before the whole cloth is taken back.
const MOST_ROUNDS: usize = 24;
/// Pairs that were nearer than the separation when the step began may come nearer by this factor.
const NEARER: f64 = 0.5;

/// What the guard did in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GuardReport {
    /// Vertices that were taken back.
    pub taken_back: usize,
    /// Searches it took.
    pub rounds: usize,
    /// Pairs that meet all the same: their vertices are held, or obstacles leave them no place.
    pub left: usize,
}

/// How far each vertex has been taken back.
struct TakenBack {
    x_t1: Vec<DVec3>,
    share: Vec<f64>,
    carried: Vec<Option<DVec3>>,
}

impl MeshContacts {
    /// Takes back vertices of the cloth, which goes from `x_t0` to `x` [m], until no pair that was farther apart comes
    /// within `separation` [m]. `particles_only`: edges and triangles of the cloth are not looked at. Held vertices, with
    /// inverse mass 0, stay.
    pub fn guard(
        &mut self,
        x_t0: &[DVec3],
        x: &mut [DVec3],
        w: &[f64],
        separation: f64,
        particles_only: bool,
    ) -> Result<GuardReport, DetectError> {
        let mut report = GuardReport::default();
        let mut back: Option<TakenBack> = None;
        loop {
            self.search(x_t0, x, separation)?;
            report.rounds += 1;
            let mut meeting = Vec::new();
            for impact in &self.found {
                if let Some(pair) = NearPair::new(&impact.pair).filter(|p| p.is_particle() || !particles_only)
                    && self.meets(&pair, x_t0, x, separation)
                {
                    meeting.push((impact.time, pair, impact.closest.weights));
                }
            }
            if meeting.is_empty() {
                break;
            }
            // The earliest decides where a vertex rides; the sort is stable, so that equal times keep their order.
            meeting.sort_by(|a, b| a.0.total_cmp(&b.0));
            let back = back.get_or_insert_with(|| TakenBack::new(x));
            // On an obstacle that deforms, vertices that ride may meet it too, and then ride elsewhere.
            let can_yield = |pair: &NearPair, i: usize| {
                w[i] > 0.0 && (back.share[i] > 0.0 || self.placed[pair.obstacle].moves == Moves::Freely)
            };
            let is_stuck = |pair: &NearPair| !pair.cloth().any(|(_, i)| can_yield(pair, i));
            if meeting.iter().all(|(_, pair, _)| is_stuck(pair)) || report.rounds > MOST_ROUNDS {
                report.left = meeting.len();
                break;
            }
            if report.rounds == MOST_ROUNDS {
                back.share.fill(0.0);
                back.spread(self.detector.surfaces()[0].edges());
            }
            let factor = if report.rounds <= HALVING_ROUNDS { 0.5 } else { 0.0 };
            let mut seen = vec![false; x.len()];
            for (_, pair, weights) in &meeting {
                let placed = &self.placed[pair.obstacle];
                for (_, i) in pair.cloth() {
                    if !std::mem::replace(&mut seen[i], true) {
                        back.share[i] *= factor;
                        back.carried[i] = Some(way(pair, weights, placed, x_t0[i]));
                    }
                }
            }
            back.apply(x_t0, x, w);
        }
        report.taken_back = back.map_or(0, |b| b.share.iter().zip(w).filter(|(s, w)| **s < 1.0 && **w > 0.0).count());
        Ok(report)
    }

    /// Whether a pair that comes within the separation has to be kept from it.
    fn meets(&self, pair: &NearPair, x_t0: &[DVec3], x: &[DVec3], separation: f64) -> bool {
        let placed = &self.placed[pair.obstacle];
        let [start, end] = [pair.points(x_t0, &placed.x_t0), pair.points(x, &placed.x_t1)];
        let distance = pair.distance(&start);
        // The search rounds up a little, so that a pair at the separation counts as nearer.
        distance > separation * (1.0 + 1e-5) || pair.meets(&start, &end, NEARER * distance)
    }
}

impl TakenBack {
    fn new(x: &[DVec3]) -> Self {
        Self { x_t1: x.to_vec(), share: vec![1.0; x.len()], carried: vec![None; x.len()] }
    }

    fn apply(&self, x_t0: &[DVec3], x: &mut [DVec3], w: &[f64]) {
        for i in (0..x.len()).filter(|i| self.share[*i] < 1.0 && w[*i] > 0.0) {
            let rides = x_t0[i] + self.carried[i].unwrap_or(DVec3::ZERO);
            x[i] = rides + (self.x_t1[i] - rides) * self.share[i];
        }
    }

    /// Gives vertices without a way the mean way of their neighbours, ring by ring.
    fn spread(&mut self, edges: &[[u32; 2]]) {
        loop {
            let mut sums = vec![(DVec3::ZERO, 0.0); self.carried.len()];
            for [a, b] in edges.iter().map(|e| e.map(|v| v as usize)) {
                for (from, to) in [(a, b), (b, a)] {
                    if let (Some(way), None) = (self.carried[from], self.carried[to]) {
                        sums[to].0 += way;
                        sums[to].1 += 1.0;
                    }
                }
            }
            if sums.iter().all(|s| s.1 == 0.0) {
                return;
            }
            for (carried, (sum, count)) in self.carried.iter_mut().zip(sums) {
                if count > 0.0 {
                    *carried = Some(sum / count);
                }
            }
        }
    }
}

/// Way of a vertex that starts at `start` [m] and rides on the obstacle [m].
fn way(pair: &NearPair, weights: &[f64; 4], placed: &PlacedMesh, start: DVec3) -> DVec3 {
    match placed.moves {
        Moves::Never => DVec3::ZERO,
        Moves::Rigidly => placed.poses[0].carry(&placed.poses[1], start) - start,
        Moves::Freely => carried(pair, weights, placed),
    }
}
