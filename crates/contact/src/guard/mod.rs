//! [`Guard`]: the last word of a step. What leaves it does not intersect.
//!
//! **Why.** If nothing crosses when a step begins, and no pair of features without a common vertex meets on a way from the
//! start to the end of the step, nothing crosses when it ends. So the guard looks for pairs that come nearer than a floor,
//! a small share of the distance they should keep, and takes their vertices back along their way,
//! ```text
//! x_i = x_i⁰ + c_i + σ_i (x_i¹ − x_i⁰ − c_i)
//! ```
//! `σ_i` first to a little less than the time of the impact, then to 0. `c_i` is the way of what
//! cannot be moved there, an obstacle or a hand: a vertex taken back from it rides on it instead of being run over, and
//! passes that on to cloth it touches. Vertices taken back may make others meet, so all that changed is looked at again
//! until nothing is left to take back. The set of vertices with `σ = 0` only grows, so this ends; with obstacles at rest it
//! ends at the latest with the cloth as it was, with one that moves as a body with the cloth moved along. Nothing
//! depends on convergence of a solver.
//!
//! **Pushed first.** Taking back stops the motion along an obstacle too, and where two obstacles press cloth it may ride on one
//! only. So before that, while fewer and fewer meet, rounds part what meets at the end of the step along the normal of the
//! impact, to a little above the floor: an inelastic impulse (Harmon 2008 does it for all at once). Rounds go to and fro
//! over the hits, so that a push gets through a stack of layers. Most impacts that a response has left end there. What was
//! pushed did not move by itself: [`Guard::pace`] bounds what may count as its motion.
//!
//! **Floor.** A pair that was nearer than the floor already may not come nearer at all: distances that may shrink by
//! a share in every step are gone after a few hundred.
//!
//! **Complete.** The pairs looked at are those of a [`Candidates`]. Where taking back leads vertices off the path for which its
//! list is complete, it is completed for where they are now.
//!
//! Obstacles known by their distance are kept by triangles, see [`PlacedPiece::arrival`]. Left over, and reported, are
//! pairs in which everything is held or rides, as where obstacles that move differently leave cloth no room. Then the cloth
//! stays where it was, and crosses nothing but what runs into it; shorter steps may help, and the caller takes them.

mod overlap;

pub use overlap::{Caught, Feature, Overlap, OverlapReport};

use rayon::prelude::*;
use toile_collide::DetectError;
use toile_collide::impact::PairKind;
use toile_mesh::{DVec3, VertexId};

use crate::obstacle::{ARRIVED, NearPieces};
use crate::{Candidate, Candidates, Contact, PlacedObstacles, PlacedPiece, Pose, Step};

/// What is pushed apart is pushed to this many times the floor.
const PUSHED_TO: f64 = 2.0;
/// Rounds after the whole cloth was taken back before what still meets is reported.
const LAST_ROUNDS: usize = 8;
/// Share of the time of an impact to which ways are scaled.
const BEFORE_IMPACT: f64 = 0.9;
/// Relative width of what counts as the floor, since times of impact allow for a little more than a separation. Pairs nearer than the
/// floor may come nearer by as much: a pair at rest does not count as coming nearer.
const FLOOR_WIDTH: f64 = 1e-5;

/// What the guard did in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GuardReport {
    /// Times a pair was pushed apart.
    pub pushed: usize,
    /// Vertices that were taken back.
    pub taken_back: usize,
    /// Rounds it took; 1 if there was nothing to do.
    pub rounds: usize,
    /// Pairs that meet all the same.
    pub left: usize,
}

impl std::ops::AddAssign for GuardReport {
    fn add_assign(&mut self, other: Self) {
        self.pushed += other.pushed;
        self.taken_back += other.taken_back;
        self.rounds += other.rounds;
        self.left += other.left;
    }
}

/// What a vertex rides on.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Ride {
    /// A body that goes from one pose to the other.
    Rigid([Pose; 2]),
    /// Something that goes this way [m].
    Along(DVec3),
}

impl Ride {
    fn end(&self, start: DVec3) -> DVec3 {
        match self {
            Self::Rigid([from, to]) => from.carry(to, start),
            Self::Along(way) => start + *way,
        }
    }
}

/// A contact that comes below its floor on the way.
#[derive(Clone, Copy, Debug)]
struct Hit {
    /// As it is at that moment.
    contact: Contact,
    /// The kind of its features; `None` with an exact shape.
    kind: Option<PairKind>,
    /// Share of the step after which that is.
    time: f64,
    /// What its movable vertices ride on.
    ride: Option<Ride>,
    /// What the gap at the end of the step should be [m].
    wanted: f64,
}

/// Takes back what would go through. The struct is only a workspace.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    wanted: Vec<DVec3>,
    share: Vec<f64>,
    ride: Vec<Option<Ride>>,
    changed: Vec<bool>,
    near: NearPieces,
    seen: Vec<bool>,
    pace: Vec<f64>,
    left: Vec<Feature>,
}

/// The exact obstacles of a step, and the triangles that they touch.
#[derive(Clone, Copy, Debug)]
pub struct Solids<'a> {
    /// The obstacles in place.
    pub placed: &'a PlacedObstacles,
    /// The triangles of the cloth.
    pub triangles: &'a [[VertexId; 3]],
    /// Largest distance that is kept from any of the obstacles [m].
    pub keep: f64,
}

impl Guard {
    /// Changes the ends of the cloth's ways until nothing comes below the floor in the step. By
    /// their motion, vertices of the cloth would be at `moved` [m], the rest of their ways is tidying up; empty if there is none.
    pub fn run(
        &mut self,
        step: &mut Step,
        candidates: &mut Candidates,
        solids: Solids<'_>,
        moved: &[DVec3],
    ) -> Result<GuardReport, DetectError> {
        let tuning = step.tuning().clone();
        let (floor, solid_floor) = (tuning.floor, tuning.floor * solids.keep);
        let [pushing_rounds, patience, scaling, cutting] =
            [tuning.pushing_rounds, tuning.pushing_patience, tuning.scaling_rounds, tuning.cutting_rounds]
                .map(|rounds| rounds as usize);
        let cloth = step.cloth();
        self.reset(step);
        let mut report = GuardReport::default();
        let (mut touched, mut all) = (false, false);
        // The fewest hits so far and the round that had them.
        let (mut fewest, mut best, mut pushing) = (usize::MAX, 0, true);
        let (mut pushed_rounds, mut marked) = (0, false);
        loop {
            report.rounds += 1;
            let mut hits = self.hits(candidates.pairs(), step, floor);
            let ways = (&step.x_t0[..cloth], step.cloth_end());
            // Marks that the response made will do while nothing is pushed.
            let marks = solids.placed.marks_on_way(ways.0, ways.1).filter(|_| report.rounds == 1);
            let clear = |piece: &PlacedPiece| {
                marks.is_some_and(|marks| piece.is_clear_of(ways.0, ways.1, marks.spread(), solid_floor))
            };
            if !solids.placed.pieces().iter().all(clear) {
                if marks.is_none() && !marked {
                    marked = true;
                    self.mark_near(step, solids, solid_floor);
                }
                hits.extend(self.solid_hits(step, solids, marks.unwrap_or(&self.near), solid_floor));
            }
            if hits.is_empty() && !candidates.is_complete(step, floor) {
                candidates.cover_but(step, floor)?;
                self.changed.fill(true);
                hits = self.hits(candidates.pairs(), step, floor);
            }
            self.changed.fill(false);
            if hits.is_empty() {
                break;
            }
            if self.pace.is_empty() {
                self.pace.extend(step.x_t0.iter().zip(&step.x_t1).map(|(start, end)| start.distance(*end)));
                for (i, moved) in moved.iter().enumerate() {
                    self.pace[i] = step.x_t0[i].distance(*moved);
                }
            }
            self.share_pace(&hits, step);
            if pushing && hits.len() < fewest {
                (fewest, best) = (hits.len(), report.rounds);
                self.wanted.clone_from(&step.x_t1);
            }
            if pushing && (report.rounds >= pushing_rounds || report.rounds - best >= patience) {
                // Pushes that go round in circles spoil what the first ones did.
                pushing = false;
                step.x_t1.clone_from(&self.wanted);
                self.changed.fill(true);
                pushed_rounds = report.rounds;
                continue;
            }
            if pushing {
                if report.rounds % 2 == 0 {
                    // Every other round from the last to the first: a push goes through a stack of layers in two.
                    hits.reverse();
                }
                report.pushed += self.push(&hits, step);
                continue;
            }
            if !touched {
                touched = true;
                self.share.clear();
                self.share.resize(cloth, 1.0);
                self.ride.clear();
                self.ride.resize(cloth, None);
            }
            // The earliest decides for a vertex; the sort is stable, so that equal times keep their order.
            hits.sort_by(|a, b| a.time.total_cmp(&b.time));
            let round = report.rounds - pushed_rounds;
            let yielded = self.yield_to(&hits, step, round <= scaling);
            if !yielded || round >= scaling + cutting + if all { LAST_ROUNDS } else { 0 } {
                if all {
                    report.left = hits.len();
                    let feature = |hit: &Hit| step.cloth_feature(hit.kind?, hit.contact.vertices);
                    self.left.extend(hits.iter().filter_map(feature));
                    break;
                }
                all = true;
                self.yield_all(step, candidates.cloth_edges());
            }
        }
        if report.left > 0 {
            // No way is free. The cloth stays where it was: then it crosses nothing but what runs into it.
            for i in (0..cloth).filter(|i| step.inverse_mass[*i] > 0.0) {
                step.x_t1[i] = step.x_t0[i];
            }
        }
        if touched {
            let free = |i: &usize| step.inverse_mass[*i] > 0.0 && self.share[*i] < 1.0;
            report.taken_back = (0..cloth).filter(free).count();
        }
        Ok(report)
    }

    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.pace.clear();
        self.left.clear();
    }

    /// How far each vertex can have gone by what it met in the last step [m]: no farther than the fastest of those did, since
    /// impacts here are inelastic. Empty if nothing met.
    pub fn pace(&self) -> &[f64] {
        &self.pace
    }

    /// The features of the cloth that met mesh obstacles all the same in the last step.
    pub fn left(&self) -> &[Feature] {
        &self.left
    }

    /// Lets all that is in a hit go as far as the fastest of it.
    fn share_pace(&mut self, hits: &[Hit], step: &Step) {
        for hit in hits {
            let corners = &hit.contact.vertices;
            let rides = |v: &u32| {
                let start = step.x_t0[*v as usize];
                hit.ride.map_or(0.0, |ride| ride.end(start).distance(start))
            };
            let fastest = corners.iter().map(|v| self.pace[*v as usize].max(rides(v))).fold(0.0, f64::max);
            for v in corners {
                self.pace[*v as usize] = fastest;
            }
        }
    }

    fn reset(&mut self, step: &Step) {
        self.clear();
        self.changed.clear();
        // In a step of no length obstacles stand still, and a feature that does not move meets nothing by itself.
        let at_once = step.length() == 0.0;
        self.changed.extend(step.x_t0.iter().zip(&step.x_t1).map(|(start, end)| !at_once || start != end));
    }

    /// Finds what comes near exact obstacles on its way, and may be pushed as far again.
    fn mark_near(&mut self, step: &Step, solids: Solids<'_>, solid_floor: f64) {
        let (start, end) = (&step.x_t0[..step.cloth()], step.cloth_end());
        let length = |t: &[VertexId; 3]| {
            let [a, b, c] = t.map(|v| end[v.index()]);
            a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a))
        };
        let longest = solids.triangles.par_iter().map(length).reduce(|| 0.0, f64::max).sqrt();
        self.near.update_on_way(solids.placed.pieces(), start, end, solid_floor + longest);
    }

    /// The pairs with a changed vertex that come below their floor.
    fn hits(&self, pairs: &[Candidate], step: &Step, floor: f64) -> Vec<Hit> {
        let (x_t0, x) = (&step.x_t0, &step.x_t1);
        let hit = |pair: &Candidate| {
            if !pair.vertices.iter().any(|v| self.changed[*v as usize]) || step.is_excused(pair.kind, pair.vertices) {
                return None;
            }
            let floor = floor * pair.keep;
            if pair.stays_far(x_t0, x, floor * (1.0 + FLOOR_WIDTH)) {
                return None;
            }
            let mut time = pair.meets(x_t0, x, floor)?;
            let start = pair.distance(x_t0);
            if start <= floor * (1.0 + FLOOR_WIDTH) {
                // Features that touch already cannot be kept apart.
                time = pair.meets(x_t0, x, start * (1.0 - FLOOR_WIDTH)).filter(|_| start > 0.0)?;
            }
            Some(Hit {
                contact: pair.contact_at(x_t0, x, time),
                kind: Some(pair.kind),
                time,
                ride: solid_ride(pair, step),
                wanted: PUSHED_TO * floor,
            })
        };
        let chunks = pairs.par_chunks(crate::CHUNK).map(|pairs| pairs.iter().filter_map(hit).collect::<Vec<_>>());
        chunks.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// The triangles with a changed corner that come below the floor of an exact obstacle.
    fn solid_hits(&self, step: &Step, solids: Solids<'_>, near: &NearPieces, floor: f64) -> Vec<Hit> {
        let pieces = solids.placed.pieces();
        let (x_t0, x) = (&step.x_t0, &step.x_t1);
        let hits = |triangle: &[VertexId; 3], hits: &mut Vec<Hit>| {
            if !triangle.iter().any(|v| self.changed[v.index()]) {
                return;
            }
            let [a, b, c] = triangle.map(VertexId::index);
            let (start, end) = ([x_t0[a], x_t0[b], x_t0[c]], [x[a], x[b], x[c]]);
            for k in near.pieces_of([a, b, c], pieces.len()) {
                let piece: &PlacedPiece = &pieces[k];
                let floor = solids.placed.share_for(k, a) * floor;
                let Some(mut arrival) = piece.arrival(&start, &end, floor) else { continue };
                if arrival.start <= floor * (1.0 + 2.0 * ARRIVED) {
                    // What is inside already cannot be kept out.
                    let nearer = arrival.start * (1.0 - 2.0 * ARRIVED);
                    let Some(again) = piece.arrival(&start, &end, nearer).filter(|_| nearer > 0.0) else { continue };
                    arrival = again;
                }
                hits.push(Hit {
                    contact: arrival.contact(triangle.map(|v| v.0)),
                    kind: None,
                    time: arrival.time,
                    ride: Some(Ride::Rigid([piece.obstacle_t0, piece.obstacle_t1])),
                    wanted: PUSHED_TO * floor,
                });
            }
        };
        let chunks = solids.triangles.par_chunks(crate::CHUNK).map(|triangles| {
            let mut found = Vec::new();
            for triangle in triangles {
                hits(triangle, &mut found);
            }
            found
        });
        chunks.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// Pushes the features of hits apart where they end, in the order of hits; returns how many were.
    fn push(&mut self, hits: &[Hit], step: &mut Step) -> usize {
        let (mut pushed, most_lever) = (0, step.tuning().lever);
        for hit in hits {
            let Contact { vertices, weights, normal, .. } = hit.contact;
            let gap = hit.contact.gap_at(&step.x_t1);
            let compliance = hit.contact.compliance(&step.inverse_mass);
            if gap >= hit.wanted || compliance <= 0.0 {
                continue;
            }
            pushed += 1;
            for k in 0..4 {
                let v = vertices[k] as usize;
                let lever = weights[k] * step.inverse_mass[v] / compliance;
                step.x_t1[v] += normal * ((hit.wanted - gap) * lever.clamp(-most_lever, most_lever));
                self.changed[v] = true;
            }
        }
        // What could not be pushed still meets, and is looked at again.
        for v in hits.iter().flat_map(|hit| &hit.contact.vertices) {
            self.changed[*v as usize] = true;
        }
        pushed
    }

    /// Takes the vertices of hits back; false if none of them can yield any more.
    fn yield_to(&mut self, hits: &[Hit], step: &mut Step, scales: bool) -> bool {
        let mut any = false;
        self.seen.clear();
        self.seen.resize(self.share.len(), false);
        for hit in hits {
            let corners = hit.contact.vertices.iter().map(|v| *v as usize);
            let movable = corners.filter(|i| *i < self.share.len() && step.inverse_mass[*i] > 0.0);
            let movable: Vec<usize> = movable.collect();
            let ride = hit.ride.or(movable.iter().find_map(|i| self.ride[*i]));
            for i in movable {
                if self.seen[i] {
                    continue;
                }
                self.seen[i] = true;
                let before = (self.share[i], self.ride[i]);
                self.share[i] *= if scales { BEFORE_IMPACT * hit.time } else { 0.0 };
                // What cannot move has the say; cloth that rides passes it on to cloth that does not.
                if hit.ride.is_some() || self.ride[i].is_none() {
                    self.ride[i] = ride;
                }
                if (self.share[i], self.ride[i]) != before {
                    any = true;
                    self.put(i, step);
                }
            }
        }
        any
    }

    /// Takes the whole cloth back; vertices that ride on nothing ride as their neighbours do.
    fn yield_all(&mut self, step: &mut Step, edges: &[[u32; 2]]) {
        loop {
            let mut spread = Vec::new();
            for [a, b] in edges.iter().map(|e| e.map(|v| v as usize)) {
                for (from, to) in [(a, b), (b, a)] {
                    if let (Some(ride), None) = (self.ride[from], self.ride[to]) {
                        spread.push((to, ride));
                    }
                }
            }
            if spread.is_empty() {
                break;
            }
            for (to, ride) in spread {
                self.ride[to].get_or_insert(ride);
            }
        }
        self.share.fill(0.0);
        // What cannot move meets still.
        self.changed.fill(true);
        for i in 0..self.share.len() {
            if step.inverse_mass[i] > 0.0 {
                self.put(i, step);
            }
        }
    }

    /// Puts a vertex where its share and ride say.
    fn put(&mut self, i: usize, step: &mut Step) {
        let start = step.x_t0[i];
        let rides = self.ride[i].map_or(start, |ride| ride.end(start));
        step.x_t1[i] = rides + (self.wanted[i] - rides) * self.share[i];
        self.changed[i] = true;
    }
}

/// What the movable vertices of a pair ride on: the side that cannot move.
fn solid_ride(pair: &Candidate, step: &Step) -> Option<Ride> {
    let on = pair.vertices.iter().find(|v| step.inverse_mass[**v as usize] == 0.0)?;
    if let Some(poses) = step.poses_of(*on as usize) {
        return Some(Ride::Rigid(poses));
    }
    // What deforms, and what is held, goes here as its nearest corners do.
    let held = pair.vertices.iter().filter(|v| step.inverse_mass[**v as usize] == 0.0);
    let (sum, count) = held.fold((DVec3::ZERO, 0.0), |(sum, count), v| {
        (sum + step.x_t1[*v as usize] - step.x_t0[*v as usize], count + 1.0)
    });
    Some(Ride::Along(sum / count))
}
