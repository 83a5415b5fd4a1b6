//! [`Watch`]: the list of pairs that may touch, made for several steps at once.
//!
//! A search for all pairs costs as much as several steps of a solver. So it is made for a *path*: every vertex is assumed
//! to go on as it does in this step, `p_i(t) = p_i + u_i (t − t_b)` until a horizon, and all pairs that come within
//! `s` of each other on that path are listed.
//!
//! **Complete.** Let vertices go straight from where they are at `t0` to where they are at `t1`, and be within `r` of
//! their path at both times. Then they are within `r` of it in between, since the difference of two straight motions is
//! straight; points of features are within `r` of the points that their path gives them; and a pair that is not
//! listed, more than `s` apart on the path, stays more than `s − 2 r` apart. Relative motion alone counts: cloth that falls,
//! slides or turns as it did a moment ago stays within its list however fast it is.
//!
//! Before a step uses the list, [`Watch::cover`] checks for every vertex that pairs which are not listed are still well
//! apart, and searches again where they may not be. A [`Guard`](super::Guard) relies on less, that they stay above its floor,
//! and asks for that itself. Searches depend on the positions since the list was last [forgotten](Watch::forget) alone.

use std::sync::Arc;

use rayon::prelude::*;
use toile_collide::{DetectError, Detector, FeaturePair, Impact};
use toile_mesh::{DVec3, Surface, TriMesh};

use super::{Bodies, NearPair};
use crate::MeshObstacle;

/// Makes a detector for surfaces.
pub type MakeDetector = Arc<dyn Fn(Vec<Surface>) -> Box<dyn Detector> + Send + Sync>;

/// Steps of the first path, and of the longest.
const FIRST_STEPS: f64 = 4.0;
const MOST_STEPS: f64 = 16.0;
/// Pairs are listed that come within this many times the largest distance that any keep.
const LISTED: f64 = 2.0;
/// Pairs that are not listed stay apart by at least this share of that distance.
const UNLISTED: f64 = 0.4;
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
    pairs: Vec<NearPair>,
    /// The path: where it begins, velocities, times of begin and end. Empty without a list.
    from: Vec<DVec3>,
    velocity: Vec<DVec3>,
    times: [f64; 2],
    /// Steps of the next path.
    steps: f64,
    found: Vec<FeaturePair>,
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
        Self::with_surfaces(self.detector.surfaces().to_vec(), self.offsets.clone(), self.make.clone())
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
        let cloth = Surface::new(cloth);
        let cloth = if self_contact { cloth } else { cloth.without_self_contact() };
        let surfaces = std::iter::once(cloth).chain(obstacles.iter().map(MeshObstacle::surface));
        Self::with_surfaces(surfaces.collect(), bodies.offsets(), make)
    }

    fn with_surfaces(surfaces: Vec<Surface>, offsets: Vec<u32>, make: MakeDetector) -> Self {
        Self {
            detector: make(surfaces),
            make,
            offsets,
            pairs: Vec::new(),
            from: Vec::new(),
            velocity: Vec::new(),
            times: [0.0; 2],
            steps: FIRST_STEPS,
            found: Vec::new(),
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

    /// Searches made so far.
    pub fn searches(&self) -> u32 {
        self.searches
    }

    /// Drops the list, so that nothing before shows in what follows.
    pub fn forget(&mut self) {
        self.pairs.clear();
        self.from.clear();
        self.steps = FIRST_STEPS;
    }

    /// Makes sure that all pairs are listed that come near each other while the bodies move from `t0` to `t1` [s].
    pub fn cover(&mut self, bodies: &Bodies, t0: f64, t1: f64) -> Result<(), DetectError> {
        if self.is_complete(bodies, t0, t1, UNLISTED * bodies.materials.largest_distance()) {
            return Ok(());
        }
        if self.mend(bodies, t0, t1)? {
            return Ok(());
        }
        // A path that held to its end may be longer next time.
        let held = !self.from.is_empty() && t1 > self.times[1] + 0.5 * (t1 - t0);
        self.steps = if held { (2.0 * self.steps).min(MOST_STEPS) } else { (0.5 * self.steps).max(1.0) };
        self.search(bodies, t0, t1)
    }

    /// Where few vertices have left their path gives these new paths, as they go on now, and searches for their pairs alone.
    /// False if too many have, or the path is over.
    fn mend(&mut self, bodies: &Bodies, t0: f64, t1: f64) -> Result<bool, DetectError> {
        let apart = UNLISTED * bodies.materials.largest_distance();
        if !self.mark_strays(bodies, t0, t1, apart) {
            return Ok(false);
        }
        let [begin, end] = self.times;
        for i in (0..bodies.cloth()).filter(|i| self.stray[*i]) {
            self.velocity[i] = (bodies.x_t1[i] - bodies.x_t0[i]) / (t1 - t0);
            self.from[i] = bodies.x_t0[i] - self.velocity[i] * (t0 - begin);
        }
        let at = |t: f64| self.from.iter().zip(&self.velocity).map(move |(from, v)| *from + *v * (t - begin));
        let now: Vec<DVec3> = at(t0).collect();
        self.end.clear();
        self.end.extend(at(end));
        self.searches += 1;
        let motions = bodies.motions(&now, &self.end);
        let within = LISTED * bodies.materials.largest_distance();
        if let Err(error) = self.detector.approaching(&motions, within, Some(&self.stray), &mut self.found) {
            // The paths are new, but the list is not.
            self.forget();
            return Err(error);
        }
        let stray = &self.stray;
        self.pairs.retain(|pair| !pair.vertices.iter().any(|v| stray.get(*v as usize).is_some_and(|s| *s)));
        self.pairs.extend(self.found.iter().map(|pair| NearPair::new(pair, &self.offsets, bodies)));
        self.pairs.sort_unstable_by_key(|pair| pair.found);
        Ok(true)
    }

    /// Marks the vertices that are too far from their path for pairs to be surely `apart` [m]; false if these are many, if
    /// obstacles are among them, or if the path is over.
    fn mark_strays(&mut self, bodies: &Bodies, t0: f64, t1: f64, apart: f64) -> bool {
        let [begin, end] = self.times;
        if self.from.len() != bodies.x_t0.len() || t0 < begin || t1 - begin > (end - begin) * (1.0 + 1e-9) {
            return false;
        }
        let slack = (0.5 * (LISTED * bodies.materials.largest_distance() - apart)).powi(2);
        let strays = |i: usize| {
            let off = |x: &[DVec3], t: f64| (self.from[i] + self.velocity[i] * (t - begin)).distance_squared(x[i]);
            off(&bodies.x_t0, t0) > slack || off(&bodies.x_t1, t1) > slack
        };
        let cloth = bodies.cloth();
        self.stray = (0..cloth).into_par_iter().with_min_len(CHUNK).map(strays).collect();
        let count = self.stray.iter().filter(|s| **s).count();
        count as f64 <= MANY * cloth as f64 && !(cloth..bodies.x_t0.len()).any(strays)
    }

    fn search(&mut self, bodies: &Bodies, t0: f64, t1: f64) -> Result<(), DetectError> {
        self.from.clone_from(&bodies.x_t0);
        self.velocity.clear();
        self.velocity.extend(bodies.x_t1.iter().zip(&bodies.x_t0).map(|(end, start)| (*end - *start) / (t1 - t0)));
        self.times = [t0, t0 + self.steps * (t1 - t0)];
        self.end.clear();
        let (steps, ends) = (self.steps, bodies.x_t1.iter().zip(&bodies.x_t0));
        self.end.extend(ends.map(|(end, start)| *start + (*end - *start) * steps));
        let within = LISTED * bodies.materials.largest_distance();
        self.searches += 1;
        let motions = bodies.motions(&self.from, &self.end);
        if let Err(error) = self.detector.approaching(&motions, within, None, &mut self.found) {
            self.forget();
            return Err(error);
        }
        let offsets = &self.offsets;
        self.pairs.clear();
        self.pairs.par_extend(self.found.par_iter().map(|pair| NearPair::new(pair, offsets, bodies)));
        Ok(())
    }

    /// Whether pairs that are not listed stay more than `apart` [m] apart in a step from `t0` to `t1` [s] as the bodies say
    /// now.
    pub fn is_complete(&self, bodies: &Bodies, t0: f64, t1: f64, apart: f64) -> bool {
        self.is_apart(bodies, (&bodies.x_t0, t0), apart) && self.is_apart(bodies, (&bodies.x_t1, t1), apart)
    }

    fn is_apart(&self, bodies: &Bodies, (x, t): (&[DVec3], f64), apart: f64) -> bool {
        self.is_near_path(x, t, 0.5 * (LISTED * bodies.materials.largest_distance() - apart))
    }

    fn is_near_path(&self, x: &[DVec3], t: f64, slack: f64) -> bool {
        // Times are sums of fractions; a path is not shorter by their rounding.
        let (length, since) = (self.times[1] - self.times[0], t - self.times[0]);
        if self.from.len() != x.len() || since < 0.0 || since > length * (1.0 + 1e-9) {
            return false;
        }
        let slack = slack * slack;
        let path = self.from.par_chunks(CHUNK).zip(self.velocity.par_chunks(CHUNK));
        path.zip(x.par_chunks(CHUNK)).all(|((from, velocity), x)| {
            let mut lists = from.iter().zip(velocity).zip(x);
            lists.all(|((from, v), x)| (*from + *v * since).distance_squared(*x) <= slack)
        })
    }

    /// Appends to `pairs` those that come within `separation` [m] in the step and may not be listed.
    pub(super) fn search_unlisted(
        &mut self,
        bodies: &Bodies,
        (t0, t1): (f64, f64),
        separation: f64,
        pairs: &mut Vec<NearPair>,
    ) -> Result<(), DetectError> {
        self.searches += 1;
        let few = self.mark_strays(bodies, t0, t1, separation);
        let motions = bodies.motions(&bodies.x_t0, &bodies.x_t1);
        let stray = few.then_some(&self.stray[..]);
        self.detector.approaching(&motions, separation, stray, &mut self.found)?;
        pairs.extend(self.found.iter().map(|pair| NearPair::new(pair, &self.offsets, bodies)));
        Ok(())
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
