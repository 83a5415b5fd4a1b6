//! [`Watch`]: the list of pairs that may touch, made for several steps at once.
//!
//! A search for all pairs costs as much as several steps of a solver. So it is made for a *path*: every vertex is assumed
//! to go on as the cloth around it does in this step, `p_i(t) = p_i + u_i (t − t_b)` until a horizon, and all pairs that come
//! within `s` of each other on that path are listed.
//!
//! **Complete.** Let vertices go straight from where they are at `t0` to where they are at `t1`, and be within `r` of
//! their path at both times. Then they are within `r` of it in between, since the difference of two straight motions is
//! straight; points of features are within `r` of the points that their path gives them; and a pair that is not
//! listed, more than `s` apart on the path, stays more than `s − 2 r` apart. Relative motion alone counts: cloth that falls,
//! slides or turns as it did a moment ago stays within its list however fast it is.
//!
//! **Neighbours.** Features of one cloth that are `L` apart at rest keep at most a share of `L`, so `s` of such a pair is
//! less, and so is the `r` allowed to its vertices: fine meshes list no pairs while they are flat. `r` of a vertex follows from
//! the least `L` of all pairs that it is part of.
//!
//! Before a step uses the list, [`Watch::cover`] checks for every vertex that pairs which are not listed are still well
//! apart, and searches again where they may not be. A [`Guard`](super::Guard) relies on less, that they stay above its floor,
//! and asks for that itself. Searches depend on the positions since the list was last [forgotten](Watch::forget) alone.

use std::sync::Arc;

use rayon::prelude::*;
use toile_collide::{DetectError, Detector, FeaturePair, Impact, Reach};
use toile_mesh::{DVec3, Motion, Rest, Surface, TriMesh};

use super::near_pair::REST_SHARE;
use super::{Bodies, NearPair};
use crate::MeshObstacle;

/// Makes a detector for surfaces.
pub type MakeDetector = Arc<dyn Fn(Vec<Surface>) -> Box<dyn Detector> + Send + Sync>;

/// Steps of the longest path; the first one is that long.
const MOST_STEPS: f64 = 16.0;
/// Pairs are listed that come within this many times the largest distance that any keep.
const LISTED: f64 = 1.5;
/// Pairs that are not listed stay apart by at least this share of that distance.
const UNLISTED: f64 = 0.4;
/// Pairs are looked for at rest up to this share of the mean length of edges.
const NEXT_AT_REST: f64 = 0.75;
/// Rounds in which velocities are averaged with those around, for paths.
const AVERAGED: usize = 3;
/// Share of what a vertex may be off its path that it may be when the path is made.
const ON_COURSE: f64 = 0.5;
/// Share of the vertices that may get new paths before everything is searched anew.
const MANY: f64 = 0.1;
/// Pairs below a distance collide if they come nearer by this share of what they have: rounding is no approach.
const NEARER: f64 = 1e-5;
/// Vertices per task.
const CHUNK: usize = 2048;

/// The pairs that may touch.
pub struct Watch {
    make: MakeDetector,
    detector: Box<dyn Detector>,
    offsets: Vec<u32>,
    /// For each vertex the least distance that a pair with it keeps, at most the largest of all pairs [m].
    near: Vec<f64>,
    pairs: Vec<NearPair>,
    /// The path: where it begins, velocities, times of begin and end. Empty without a list.
    from: Vec<DVec3>,
    velocity: Vec<DVec3>,
    times: [f64; 2],
    /// When the list is dropped anyhow [s].
    until: f64,
    /// Steps of the next path.
    steps: f64,
    found: Vec<FeaturePair>,
    course: Vec<DVec3>,
    sums: Vec<DVec3>,
    /// With how many velocities, its own among them, that of a vertex of the cloth is averaged.
    averaged: Vec<f64>,
    end: Vec<DVec3>,
    /// Vertices of the cloth that have left their path.
    stray: Vec<bool>,
    searches: u32,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("pairs", &self.pairs.len()).finish_non_exhaustive()
    }
}

impl Clone for Watch {
    /// The same watch without its list.
    fn clone(&self) -> Self {
        Self::with_surfaces(
            self.detector.surfaces().to_vec(),
            self.offsets.clone(),
            self.near.clone(),
            self.make.clone(),
        )
    }
}

impl Watch {
    /// A watch over `cloth` and `obstacles`, those of `bodies`, with a detector that `make` makes. `self_contact`: cloth
    /// touches cloth.
    pub fn new(
        bodies: &Bodies,
        cloth: &TriMesh,
        obstacles: &[MeshObstacle],
        make: MakeDetector,
        self_contact: bool,
    ) -> Self {
        let part = bodies.body[..bodies.cloth()].to_vec();
        let cloth = Surface::new(cloth).with_rest(Rest { x: bodies.rest.clone(), part });
        let mut near = vec![bodies.materials.largest_distance(); bodies.body.len()];
        let cloth = if self_contact {
            find_least(&cloth, &make, &mut near);
            cloth
        } else {
            cloth.without_self_contact()
        };
        let surfaces = std::iter::once(cloth).chain(obstacles.iter().map(MeshObstacle::surface));
        Self::with_surfaces(surfaces.collect(), bodies.offsets(), near, make)
    }

    fn with_surfaces(surfaces: Vec<Surface>, offsets: Vec<u32>, near: Vec<f64>, make: MakeDetector) -> Self {
        let mut averaged = surfaces.first().map_or(Vec::new(), |cloth| vec![1.0; cloth.vertex_count()]);
        for v in surfaces.first().into_iter().flat_map(Surface::edges).flatten() {
            averaged[*v as usize] += 1.0;
        }
        Self {
            detector: make(surfaces),
            make,
            offsets,
            near,
            pairs: Vec::new(),
            from: Vec::new(),
            velocity: Vec::new(),
            times: [0.0; 2],
            until: f64::INFINITY,
            steps: MOST_STEPS,
            found: Vec::new(),
            course: Vec::new(),
            sums: Vec::new(),
            averaged,
            end: Vec::new(),
            stray: Vec::new(),
            searches: 0,
        }
    }

    /// The detector.
    pub fn detector(&self) -> &dyn Detector {
        self.detector.as_ref()
    }

    /// The pairs listed, in the order of the detector.
    pub fn pairs(&self) -> &[NearPair] {
        &self.pairs
    }

    /// The same, for a [`Projection`](super::Projection) to note what it sees of them.
    pub fn pairs_mut(&mut self) -> &mut [NearPair] {
        &mut self.pairs
    }

    /// Searches made so far.
    pub fn searches(&self) -> u32 {
        self.searches
    }

    /// Drops the list, so that nothing before shows in what follows. It will be dropped again at the time `until` [s]: paths need not
    /// go beyond.
    pub fn forget(&mut self, until: f64) {
        self.until = until;
        self.drop_list();
    }

    fn drop_list(&mut self) {
        self.pairs.clear();
        self.from.clear();
        self.steps = MOST_STEPS;
    }

    /// Makes sure that all pairs are listed that come near each other while the bodies move from `t0` to `t1` [s].
    pub fn cover(&mut self, bodies: &Bodies, t0: f64, t1: f64) -> Result<(), DetectError> {
        self.cover_but(bodies, (t0, t1), UNLISTED)
    }

    /// The same, but for pairs that stay more than `apart` apart, a share of what they keep.
    pub(super) fn cover_but(&mut self, bodies: &Bodies, (t0, t1): (f64, f64), apart: f64) -> Result<(), DetectError> {
        if self.is_complete(bodies, t0, t1, apart) || self.mend(bodies, (t0, t1), apart)? {
            return Ok(());
        }
        // A path that held to its end may be longer next time.
        if !self.from.is_empty() {
            let held = t1 > self.times[1] + 0.5 * (t1 - t0);
            self.steps = if held { (2.0 * self.steps).min(MOST_STEPS) } else { (0.5 * self.steps).max(1.0) };
        }
        self.search(bodies, t0, t1)
    }

    /// Where few vertices have left their path gives these new paths, as they go on now, and searches for their pairs alone.
    /// False if too many have, or the path is over.
    fn mend(&mut self, bodies: &Bodies, (t0, t1): (f64, f64), apart: f64) -> Result<bool, DetectError> {
        if !self.mark_strays(bodies, t0, t1, apart) {
            return Ok(false);
        }
        let [begin, end] = self.times;
        self.set_course(bodies, t1 - t0);
        for i in (0..bodies.cloth()).filter(|i| self.stray[*i]) {
            let (at, velocity) = self.path(i, bodies, t1 - t0);
            self.velocity[i] = velocity;
            self.from[i] = at - velocity * (t0 - begin);
            self.end[i] = self.from[i] + velocity * (end - begin);
        }
        self.searches += 1;
        let motions = bodies.motions(&self.from, &self.end);
        let searched = self.detector.approaching(&motions, reach(bodies, LISTED), Some(&self.stray), &mut self.found);
        if let Err(error) = searched {
            // The paths are new, but the list is not.
            self.drop_list();
            return Err(error);
        }
        let stray = &self.stray;
        self.pairs.retain(|pair| !pair.vertices.iter().any(|v| stray.get(*v as usize).is_some_and(|s| *s)));
        self.pairs.extend(self.found.iter().map(|pair| NearPair::new(pair, &self.offsets, bodies)));
        // Two sorted runs, which this sort merges.
        self.pairs.sort_by_key(|pair| pair.found);
        Ok(true)
    }

    /// Finds where the cloth is going on the whole: velocities of this step, each averaged with those around it, since what
    /// trembles does not go on.
    fn set_course(&mut self, bodies: &Bodies, h: f64) {
        let cloth = bodies.cloth();
        self.course.clear();
        self.course.extend((0..cloth).map(|i| (bodies.x_t1[i] - bodies.x_t0[i]) / h));
        for _ in 0..AVERAGED {
            self.sums.clone_from(&self.course);
            for &[a, b] in self.detector.surfaces()[0].edges() {
                self.sums[a as usize] += self.course[b as usize];
                self.sums[b as usize] += self.course[a as usize];
            }
            for ((course, sum), count) in self.course.iter_mut().zip(&self.sums).zip(&self.averaged) {
                *course = *sum / *count;
            }
        }
    }

    /// Place at the start of this step, and velocity, of the path of a vertex: as its surroundings go, through the middle of
    /// its own way, unless that is too far off.
    fn path(&self, i: usize, bodies: &Bodies, h: f64) -> (DVec3, DVec3) {
        let way = bodies.x_t1[i] - bodies.x_t0[i];
        let Some(course) = self.course.get(i).filter(|_| bodies.inverse_mass[i] > 0.0) else {
            return (bodies.x_t0[i], way / h);
        };
        let most = ON_COURSE * (LISTED - UNLISTED) * self.near[i];
        let off = (way - *course * h).clamp_length_max(most);
        (bodies.x_t0[i] + 0.5 * off, (way - off) / h)
    }

    /// Marks the vertices that are too far from their path for pairs to be surely `apart`, as a share of what they keep; false
    /// if these are many, if obstacles are among them, or if the path is over.
    fn mark_strays(&mut self, bodies: &Bodies, t0: f64, t1: f64, apart: f64) -> bool {
        let [begin, end] = self.times;
        if self.from.len() != bodies.x_t0.len() || t0 < begin || t1 - begin > (end - begin) * (1.0 + 1e-9) {
            return false;
        }
        let slack = |i: usize| (0.5 * (LISTED - apart) * self.near[i]).powi(2);
        let strays = |i: usize| {
            let off = |x: &[DVec3], t: f64| (self.from[i] + self.velocity[i] * (t - begin)).distance_squared(x[i]);
            off(&bodies.x_t0, t0) > slack(i) || off(&bodies.x_t1, t1) > slack(i)
        };
        let cloth = bodies.cloth();
        self.stray = (0..cloth).into_par_iter().with_min_len(CHUNK).map(strays).collect();
        let count = self.stray.iter().filter(|s| **s).count();
        count as f64 <= MANY * cloth as f64 && !(cloth..bodies.x_t0.len()).any(strays)
    }

    fn search(&mut self, bodies: &Bodies, t0: f64, t1: f64) -> Result<(), DetectError> {
        let h = t1 - t0;
        self.set_course(bodies, h);
        (self.from, self.velocity) = (0..bodies.x_t0.len()).map(|i| self.path(i, bodies, h)).unzip();
        let length = (self.steps * h).min(self.until - t0).max(h);
        self.times = [t0, t0 + length];
        self.end.clear();
        self.end.extend(self.from.iter().zip(&self.velocity).map(|(from, v)| *from + *v * length));
        self.searches += 1;
        let motions = bodies.motions(&self.from, &self.end);
        let searched = self.detector.approaching(&motions, reach(bodies, LISTED), None, &mut self.found);
        if let Err(error) = searched {
            self.drop_list();
            return Err(error);
        }
        let offsets = &self.offsets;
        self.pairs.clear();
        self.pairs.par_extend(self.found.par_iter().map(|pair| NearPair::new(pair, offsets, bodies)));
        Ok(())
    }

    /// Whether pairs that are not listed stay more than `apart` apart, a share of what they keep, in a step from `t0` to `t1`
    /// [s] as the bodies say now.
    pub fn is_complete(&self, bodies: &Bodies, t0: f64, t1: f64, apart: f64) -> bool {
        let slack = 0.5 * (LISTED - apart);
        self.is_near_path(&bodies.x_t0, t0, slack) && self.is_near_path(&bodies.x_t1, t1, slack)
    }

    fn is_near_path(&self, x: &[DVec3], t: f64, slack: f64) -> bool {
        // Times are sums of fractions; a path is not shorter by their rounding.
        let (length, since) = (self.times[1] - self.times[0], t - self.times[0]);
        if self.from.len() != x.len() || since < 0.0 || since > length * (1.0 + 1e-9) {
            return false;
        }
        let path = self.from.par_chunks(CHUNK).zip(self.velocity.par_chunks(CHUNK));
        path.zip(x.par_chunks(CHUNK).zip(self.near.par_chunks(CHUNK))).all(|((from, velocity), (x, near))| {
            let mut lists = from.iter().zip(velocity).zip(x.iter().zip(near));
            lists.all(|((from, v), (x, near))| (*from + *v * since).distance_squared(*x) <= (slack * near).powi(2))
        })
    }

    /// The pairs that collide in a step from `t0` to `t1` [s]: those that come below `share` of the distance they keep, and
    /// those below it already that come nearer still. In the order of the list, which is made anew where it has to be.
    pub fn colliding(&mut self, bodies: &Bodies, (t0, t1): (f64, f64), share: f64) -> Result<Vec<Impact>, DetectError> {
        self.cover(bodies, t0, t1)?;
        let (x_t0, x) = (&bodies.x_t0, &bodies.x_t1);
        let impact = |pair: &NearPair| {
            let (start, least) = (pair.distance(x_t0), share * pair.keep);
            let time = pair.meets(x_t0, x, least.min(start * (1.0 - NEARER)))?;
            Some(Impact { pair: pair.found, time, closest: pair.closest_at(x_t0, x, time) })
        };
        Ok(self.pairs.par_iter().with_min_len(CHUNK).filter_map(impact).collect())
    }

    /// Edges of the cloth.
    pub(super) fn cloth_edges(&self) -> &[[u32; 2]] {
        self.detector.surfaces()[0].edges()
    }
}

/// A share of the distance that pairs keep.
fn reach(bodies: &Bodies, share: f64) -> Reach {
    Reach { within: share * bodies.materials.largest_distance(), of_rest: share * REST_SHARE }
}

/// Lowers `near` for vertices whose features are next to others at rest.
fn find_least(cloth: &Surface, make: &MakeDetector, near: &mut [f64]) {
    let Some(rest) = cloth.rest() else { return };
    let lengths = cloth.edges().iter().map(|e| rest.x[e[0] as usize].distance(rest.x[e[1] as usize]));
    let mean = lengths.sum::<f64>() / cloth.edges().len().max(1) as f64;
    let largest = near.iter().copied().fold(0.0, f64::max);
    let within = (NEXT_AT_REST * mean).min(largest / REST_SHARE);
    let mut found = Vec::new();
    let searched = make(vec![cloth.clone()]).proximities(&[Motion::still(&rest.x)], within, &mut found);
    for contact in &found {
        let v = contact.pair.vertices.map(|v| v as usize);
        if contact.closest.distance > 0.0 && rest.part[v[0]] == rest.part[v[3]] {
            for v in v {
                near[v] = near[v].min(REST_SHARE * contact.closest.distance);
            }
        }
    }
    // Of pairs that were not found nothing is known but that they are farther apart.
    let most = if searched.is_ok() { REST_SHARE * within } else { 0.0 };
    near[..cloth.vertex_count()].iter_mut().for_each(|near| *near = near.min(most));
}
