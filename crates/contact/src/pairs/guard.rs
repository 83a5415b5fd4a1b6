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
//! **Complete.** The pairs looked at are those of a [`Watch`]. Where taking back leads vertices off the path for which its
//! list is complete, it is completed for where they are now.
//!
//! Obstacles known by their distance are kept by triangles, see [`PlacedPiece::arrival`]. Left over, and reported, are
//! pairs in which everything is held or rides, as where obstacles that move differently leave cloth no room. Then the cloth
//! stays where it was, and crosses nothing but what runs into it; shorter steps may help, and the caller takes them.

use rayon::prelude::*;
use toile_collide::DetectError;
use toile_collide::impact::PairKind;
use toile_mesh::{DVec3, VertexId};

use super::{Bodies, Feature, NearPair, Watch};
use crate::obstacle::{ARRIVED, NearPieces};
use crate::{PlacedObstacles, PlacedPiece, Pose};

/// Rounds in which what meets is pushed apart before it is taken back.
const PUSHING_ROUNDS: usize = 240;
/// Rounds of pushing without fewer hits than ever before, after which it is given up.
const PATIENCE: usize = 60;
/// Rounds of taking back after which ways are no longer scaled but cut.
const SCALING_ROUNDS: usize = 4;
/// Rounds before the whole cloth is taken back.
const MOST_ROUNDS: usize = SCALING_ROUNDS + 24;
/// What is pushed apart is pushed to this many times the floor.
const PUSHED_TO: f64 = 2.0;
/// A vertex is pushed at most this many times as far as its pair.
const MOST_LEVER: f64 = 4.0;
/// Rounds before what still meets is reported.
const LAST_ROUND: usize = MOST_ROUNDS + 8;
/// Share of the time of an impact to which ways are scaled.
const BEFORE_IMPACT: f64 = 0.9;
/// Relative width of what counts as the floor, since times of impact allow for a little more than a separation.
const FLOOR_WIDTH: f64 = 1e-5;
/// Pairs nearer than the floor may come nearer by this share: enough that a pair at rest does not count as coming nearer,
/// whatever the tolerance of times of impact.
const ROUNDING: f64 = 1e-5;
/// Pairs or triangles per task.
const CHUNK: usize = 512;

/// What the guard keeps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GuardSettings {
    /// Share of the distance that pairs keep which is never given up.
    pub floor: f64,
    /// Distance of triangles from exact obstacles that is never given up [m].
    pub solid_floor: f64,
}

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

/// Features that meet.
#[derive(Clone, Copy, Debug)]
struct Hit {
    /// `None` of an exact obstacle.
    kind: Option<PairKind>,
    time: f64,
    /// The vertices; the first ones only, of an exact obstacle.
    vertices: [u32; 4],
    count: usize,
    ride: Option<Ride>,
    /// The gap at the end of the step is `normal · Σ weights x + offset` [m], and should be this.
    weights: [f64; 4],
    normal: DVec3,
    offset: f64,
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
}

impl Guard {
    /// Changes the ends of the cloth's ways until nothing comes below the floor in the step from `t0` to `t1` [s]. By
    /// their motion, vertices of the cloth would be at `moved` [m], the rest of their ways is tidying up; empty if there is none.
    pub fn run(
        &mut self,
        bodies: &mut Bodies,
        watch: &mut Watch,
        solids: Solids<'_>,
        (t0, t1): (f64, f64),
        moved: &[DVec3],
        settings: &GuardSettings,
    ) -> Result<GuardReport, DetectError> {
        let cloth = bodies.cloth();
        self.reset(bodies);
        let mut report = GuardReport::default();
        let (mut touched, mut all) = (false, false);
        // The fewest hits so far and the round that had them.
        let (mut fewest, mut best, mut pushing) = (usize::MAX, 0, true);
        let (mut pushed_rounds, mut marked) = (0, false);
        loop {
            report.rounds += 1;
            let mut hits = self.hits(watch.pairs(), bodies, settings.floor);
            let ways = (&bodies.x_t0[..cloth], bodies.cloth_end());
            // Marks that the response made will do while nothing is pushed.
            let marks = solids.placed.marks_on_way(ways.0, ways.1).filter(|_| report.rounds == 1);
            let clear = |piece: &PlacedPiece| {
                marks.is_some_and(|marks| piece.is_clear_of(ways.0, ways.1, marks.spread(), settings.solid_floor))
            };
            if !solids.placed.pieces().iter().all(clear) {
                if marks.is_none() && !marked {
                    marked = true;
                    self.mark_near(bodies, solids, settings);
                }
                hits.extend(self.solid_hits(bodies, solids, marks.unwrap_or(&self.near), settings.solid_floor));
            }
            if hits.is_empty() && !watch.is_complete(bodies, t0, t1, settings.floor) {
                watch.cover_but(bodies, (t0, t1), settings.floor)?;
                self.changed.fill(true);
                hits = self.hits(watch.pairs(), bodies, settings.floor);
            }
            self.changed.fill(false);
            if hits.is_empty() {
                break;
            }
            if self.pace.is_empty() {
                self.pace.extend(bodies.x_t0.iter().zip(&bodies.x_t1).map(|(start, end)| start.distance(*end)));
                for (i, moved) in moved.iter().enumerate() {
                    self.pace[i] = bodies.x_t0[i].distance(*moved);
                }
            }
            self.share_pace(&hits, bodies);
            if pushing && hits.len() < fewest {
                (fewest, best) = (hits.len(), report.rounds);
                self.wanted.clone_from(&bodies.x_t1);
            }
            if pushing && (report.rounds >= PUSHING_ROUNDS || report.rounds - best >= PATIENCE) {
                // Pushes that go round in circles spoil what the first ones did.
                pushing = false;
                bodies.x_t1.clone_from(&self.wanted);
                self.changed.fill(true);
                pushed_rounds = report.rounds;
                continue;
            }
            if pushing {
                if report.rounds % 2 == 0 {
                    // Every other round from the last to the first: a push goes through a stack of layers in two.
                    hits.reverse();
                }
                report.pushed += self.push(&hits, bodies);
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
            let yielded = self.yield_to(&hits, bodies, round);
            if !yielded || round >= if all { LAST_ROUND } else { MOST_ROUNDS } {
                if all {
                    report.left = hits.len();
                    let feature = |hit: &Hit| bodies.cloth_feature(hit.kind?, hit.vertices);
                    self.left.extend(hits.iter().filter_map(feature));
                    break;
                }
                all = true;
                self.yield_all(bodies, watch.cloth_edges());
            }
        }
        if report.left > 0 {
            // No way is free. The cloth stays where it was: then it crosses nothing but what runs into it.
            for i in (0..cloth).filter(|i| bodies.inverse_mass[*i] > 0.0) {
                bodies.x_t1[i] = bodies.x_t0[i];
            }
        }
        if touched {
            let free = |i: &usize| bodies.inverse_mass[*i] > 0.0 && self.share[*i] < 1.0;
            report.taken_back = (0..cloth).filter(free).count();
        }
        Ok(report)
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
    fn share_pace(&mut self, hits: &[Hit], bodies: &Bodies) {
        for hit in hits {
            let corners = &hit.vertices[..hit.count];
            let rides = |v: &u32| {
                let start = bodies.x_t0[*v as usize];
                hit.ride.map_or(0.0, |ride| ride.end(start).distance(start))
            };
            let fastest = corners.iter().map(|v| self.pace[*v as usize].max(rides(v))).fold(0.0, f64::max);
            for v in corners {
                self.pace[*v as usize] = fastest;
            }
        }
    }

    fn reset(&mut self, bodies: &Bodies) {
        self.pace.clear();
        self.left.clear();
        self.changed.clear();
        self.changed.resize(bodies.x_t1.len(), true);
    }

    /// Finds what comes near exact obstacles on its way, and may be pushed as far again.
    fn mark_near(&mut self, bodies: &Bodies, solids: Solids<'_>, settings: &GuardSettings) {
        let (start, end) = (&bodies.x_t0[..bodies.cloth()], bodies.cloth_end());
        let length = |t: &[VertexId; 3]| {
            let [a, b, c] = t.map(|v| end[v.index()]);
            a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a))
        };
        let longest = solids.triangles.par_iter().map(length).reduce(|| 0.0, f64::max).sqrt();
        self.near.update_on_way(solids.placed.pieces(), start, end, settings.solid_floor + longest);
    }

    /// The pairs with a changed vertex that come below their floor.
    fn hits(&self, pairs: &[NearPair], bodies: &Bodies, floor: f64) -> Vec<Hit> {
        let (x_t0, x) = (&bodies.x_t0, &bodies.x_t1);
        let hit = |pair: &NearPair| {
            if !pair.vertices.iter().any(|v| self.changed[*v as usize]) || bodies.is_excused(pair.kind, pair.vertices) {
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
                time = pair.meets(x_t0, x, start * (1.0 - ROUNDING)).filter(|_| start > 0.0)?;
            }
            let touch = pair.touch_at(x_t0, x, time);
            Some(Hit {
                kind: Some(pair.kind),
                time,
                vertices: pair.vertices,
                count: 4,
                ride: solid_ride(pair, bodies),
                weights: touch.weights,
                normal: touch.normal,
                offset: 0.0,
                wanted: PUSHED_TO * floor,
            })
        };
        let chunks = pairs.par_chunks(CHUNK).map(|pairs| pairs.iter().filter_map(hit).collect::<Vec<_>>());
        chunks.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// The triangles with a changed corner that come below the floor of an exact obstacle.
    fn solid_hits(&self, bodies: &Bodies, solids: Solids<'_>, near: &NearPieces, floor: f64) -> Vec<Hit> {
        let pieces = solids.placed.pieces();
        let (x_t0, x) = (&bodies.x_t0, &bodies.x_t1);
        let hits = |triangle: &[VertexId; 3], hits: &mut Vec<Hit>| {
            if !triangle.iter().any(|v| self.changed[v.index()]) {
                return;
            }
            let [a, b, c] = triangle.map(VertexId::index);
            let (start, end) = ([x_t0[a], x_t0[b], x_t0[c]], [x[a], x[b], x[c]]);
            for k in near.pieces_of([a, b, c], pieces.len()) {
                let piece: &PlacedPiece = &pieces[k];
                let Some(mut arrival) = piece.arrival(&start, &end, floor) else { continue };
                if arrival.start <= floor * (1.0 + 2.0 * ARRIVED) {
                    // What is inside already cannot be kept out.
                    let nearer = arrival.start * (1.0 - 2.0 * ARRIVED);
                    let Some(again) = piece.arrival(&start, &end, nearer).filter(|_| nearer > 0.0) else { continue };
                    arrival = again;
                }
                let [a, b, c] = triangle.map(|v| v.0);
                let ride = Some(Ride::Rigid([piece.obstacle_t0, piece.obstacle_t1]));
                let [u, v, w] = arrival.weights;
                hits.push(Hit {
                    kind: None,
                    time: arrival.time,
                    vertices: [a, b, c, c],
                    count: 3,
                    ride,
                    weights: [u, v, w, 0.0],
                    normal: arrival.normal,
                    offset: arrival.offset,
                    wanted: PUSHED_TO * floor,
                });
            }
        };
        let chunks = solids.triangles.par_chunks(CHUNK).map(|triangles| {
            let mut found = Vec::new();
            for triangle in triangles {
                hits(triangle, &mut found);
            }
            found
        });
        chunks.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// Pushes the features of hits apart where they end, in the order of hits; returns how many were.
    fn push(&mut self, hits: &[Hit], bodies: &mut Bodies) -> usize {
        let mut pushed = 0;
        for hit in hits {
            let sum = |of: &dyn Fn(usize, f64) -> f64| -> f64 {
                (0..hit.count).map(|k| of(hit.vertices[k] as usize, hit.weights[k])).sum()
            };
            let gap = hit.offset + sum(&|v, w| w * hit.normal.dot(bodies.x_t1[v]));
            let compliance = sum(&|v, w| w * w * bodies.inverse_mass[v]);
            if gap >= hit.wanted || compliance <= 0.0 {
                continue;
            }
            pushed += 1;
            for k in 0..hit.count {
                let v = hit.vertices[k] as usize;
                let lever = hit.weights[k] * bodies.inverse_mass[v] / compliance;
                bodies.x_t1[v] += hit.normal * ((hit.wanted - gap) * lever.clamp(-MOST_LEVER, MOST_LEVER));
                self.changed[v] = true;
            }
        }
        // What could not be pushed still meets, and is looked at again.
        for v in hits.iter().flat_map(|hit| &hit.vertices[..hit.count]) {
            self.changed[*v as usize] = true;
        }
        pushed
    }

    /// Takes the vertices of hits back; false if none of them can yield any more.
    fn yield_to(&mut self, hits: &[Hit], bodies: &mut Bodies, round: usize) -> bool {
        let mut any = false;
        self.seen.clear();
        self.seen.resize(self.share.len(), false);
        for hit in hits {
            let corners = hit.vertices[..hit.count].iter().map(|v| *v as usize);
            let movable = corners.filter(|i| *i < self.share.len() && bodies.inverse_mass[*i] > 0.0);
            let movable: Vec<usize> = movable.collect();
            let ride = hit.ride.or(movable.iter().find_map(|i| self.ride[*i]));
            for i in movable {
                if self.seen[i] {
                    continue;
                }
                self.seen[i] = true;
                let before = (self.share[i], self.ride[i]);
                self.share[i] *= if round <= SCALING_ROUNDS { BEFORE_IMPACT * hit.time } else { 0.0 };
                // What cannot move has the say; cloth that rides passes it on to cloth that does not.
                if hit.ride.is_some() || self.ride[i].is_none() {
                    self.ride[i] = ride;
                }
                if (self.share[i], self.ride[i]) != before {
                    any = true;
                    self.put(i, bodies);
                }
            }
        }
        any
    }

    /// Takes the whole cloth back; vertices that ride on nothing ride as their neighbours do.
    fn yield_all(&mut self, bodies: &mut Bodies, edges: &[[u32; 2]]) {
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
            if bodies.inverse_mass[i] > 0.0 {
                self.put(i, bodies);
            }
        }
    }

    /// Puts a vertex where its share and ride say.
    fn put(&mut self, i: usize, bodies: &mut Bodies) {
        let start = bodies.x_t0[i];
        let rides = self.ride[i].map_or(start, |ride| ride.end(start));
        bodies.x_t1[i] = rides + (self.wanted[i] - rides) * self.share[i];
        self.changed[i] = true;
    }
}

/// What the movable vertices of a pair ride on: the side that cannot move.
fn solid_ride(pair: &NearPair, bodies: &Bodies) -> Option<Ride> {
    let on = pair.vertices.iter().find(|v| bodies.inverse_mass[**v as usize] == 0.0)?;
    if let Some(poses) = bodies.poses_of(*on as usize) {
        return Some(Ride::Rigid(poses));
    }
    // What deforms, and what is held, goes here as its nearest corners do.
    let held = pair.vertices.iter().filter(|v| bodies.inverse_mass[**v as usize] == 0.0);
    let (sum, count) = held.fold((DVec3::ZERO, 0.0), |(sum, count), v| {
        (sum + bodies.x_t1[*v as usize] - bodies.x_t0[*v as usize], count + 1.0)
    });
    Some(Ride::Along(sum / count))
}
