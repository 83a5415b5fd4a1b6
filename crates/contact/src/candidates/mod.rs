//! [`Candidates`]: the pairs of features that may touch, listed for several steps at once.
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
//! Before a step uses the list, [`Candidates::cover`] checks for every vertex that pairs which are not listed are still well
//! apart, and searches again where they may not be. A [`Guard`](crate::Guard) relies on less, that they stay above its floor,
//! and asks for that itself. Searches depend on the positions since the list was last [forgotten](Candidates::forget) alone.

mod candidate;

pub use candidate::Candidate;

use std::sync::Arc;

use rayon::prelude::*;
use toile_collide::{DetectError, Detector, FeaturePair, Impact, Reach};
use toile_mesh::{DVec3, Motion, Rest, Surface, TriMesh};
use tracing::debug;

use crate::{ContactTuning, MeshObstacle, Step};

/// Makes a detector for surfaces.
pub type MakeDetector = Arc<dyn Fn(Vec<Surface>) -> Box<dyn Detector> + Send + Sync>;

/// Pairs are looked for at rest up to this share of the mean length of edges.
const NEXT_AT_REST: f64 = 0.75;
/// Rounds in which velocities are averaged with those around, for paths.
const AVERAGED: usize = 3;
/// Share of what a vertex may be off its path that it may be when the path is made.
const ON_COURSE: f64 = 0.5;
/// Pairs below a distance collide if they come nearer by this share of what they have: rounding is no approach.
const NEARER: f64 = 1e-5;

/// Where a response takes its candidates from.
///
/// The guard always has [`Candidates`], which are complete by proof. A response may have a source that finds less: that costs quality,
/// never the promise that nothing passes through.
pub trait CandidateSource: std::fmt::Debug + Send {
    /// Finds the candidates of a step, as it is known now.
    fn find(&mut self, step: &Step) -> Result<(), DetectError>;

    /// The candidates found last; a response may note what it sees of their distances.
    fn found(&mut self) -> &mut [Candidate];
}

impl CandidateSource for Candidates {
    fn find(&mut self, step: &Step) -> Result<(), DetectError> {
        self.cover(step)
    }

    fn found(&mut self) -> &mut [Candidate] {
        &mut self.pairs
    }
}

/// The pairs that may touch.
pub struct Candidates {
    make: MakeDetector,
    detector: Box<dyn Detector>,
    offsets: Vec<u32>,
    /// For each vertex the least distance that a pair with it keeps, at most the largest of all pairs [m].
    near: Vec<f64>,
    pairs: Vec<Candidate>,
    /// The path: where it begins, velocities, times of begin and end. Empty without a list.
    from: Vec<DVec3>,
    velocity: Vec<DVec3>,
    times: [f64; 2],
    /// When the list is dropped anyhow [s].
    until: f64,
    /// Steps of the next path, and of the longest.
    steps: f64,
    most_steps: f64,
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

impl std::fmt::Debug for Candidates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Candidates").field("pairs", &self.pairs.len()).finish_non_exhaustive()
    }
}

impl Clone for Candidates {
    /// The same candidates without its list.
    fn clone(&self) -> Self {
        Self::with_surfaces(
            self.detector.surfaces().to_vec(),
            self.offsets.clone(),
            self.near.clone(),
            self.make.clone(),
            self.most_steps,
        )
    }
}

impl Candidates {
    /// Candidates over `cloth` and `obstacles`, those of `step`, with a detector that `make` makes. `self_contact`: cloth
    /// touches cloth.
    pub fn new(
        step: &Step,
        cloth: &TriMesh,
        obstacles: &[MeshObstacle],
        make: MakeDetector,
        self_contact: bool,
    ) -> Self {
        let part = step.participants.body[..step.cloth()].to_vec();
        let cloth = Surface::new(cloth).with_rest(Rest { x: step.participants.rest.clone(), part });
        let mut near = vec![step.participants.materials.largest_distance(); step.participants.body.len()];
        let cloth = if self_contact {
            find_least(&cloth, &make, step.tuning().of_rest, &mut near);
            cloth
        } else {
            cloth.without_self_contact()
        };
        let surfaces = std::iter::once(cloth).chain(obstacles.iter().map(MeshObstacle::surface));
        let most_steps = step.tuning().path_steps;
        Self::with_surfaces(surfaces.collect(), step.participants.offsets(), near, make, most_steps)
    }

    fn with_surfaces(
        surfaces: Vec<Surface>,
        offsets: Vec<u32>,
        near: Vec<f64>,
        make: MakeDetector,
        most_steps: f64,
    ) -> Self {
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
            steps: most_steps,
            most_steps,
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
    pub fn pairs(&self) -> &[Candidate] {
        &self.pairs
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
        self.steps = self.most_steps;
    }

    /// Makes sure that all pairs are listed that come near each other in a step.
    pub fn cover(&mut self, step: &Step) -> Result<(), DetectError> {
        self.cover_but(step, step.tuning().unlisted)
    }

    /// The same, but for pairs that stay more than `apart` apart, a share of what they keep.
    pub(crate) fn cover_but(&mut self, step: &Step, apart: f64) -> Result<(), DetectError> {
        let (t0, t1) = (step.t0, step.t1);
        if self.is_complete(step, apart) || self.mend(step, apart)? {
            return Ok(());
        }
        // A path that held to its end may be longer next time.
        if !self.from.is_empty() {
            let held = t1 > self.times[1] + 0.5 * (t1 - t0);
            self.steps =
                if held { (2.0 * self.steps).min(step.tuning().path_steps) } else { (0.5 * self.steps).max(1.0) };
        }
        self.search(step)
    }

    /// Where few vertices have left their path gives these new paths, as they go on now, and searches for their pairs alone.
    /// False if too many have, or the path is over.
    fn mend(&mut self, step: &Step, apart: f64) -> Result<bool, DetectError> {
        if step.length() == 0.0 || !self.mark_strays(step, apart) {
            return Ok(false);
        }
        let [begin, end] = self.times;
        self.set_course(step);
        for i in (0..step.cloth()).filter(|i| self.stray[*i]) {
            let (at, velocity) = self.path(i, step);
            self.velocity[i] = velocity;
            self.from[i] = at - velocity * (step.t0 - begin);
            self.end[i] = self.from[i] + velocity * (end - begin);
        }
        self.searches += 1;
        let motions = step.motions(&self.from, &self.end);
        let searched = self.detector.approaching(&motions, reach(step), Some(&self.stray), &mut self.found);
        if let Err(error) = searched {
            // The paths are new, but the list is not.
            self.drop_list();
            return Err(error);
        }
        let stray = &self.stray;
        self.pairs.retain(|pair| !pair.vertices.iter().any(|v| stray.get(*v as usize).is_some_and(|s| *s)));
        self.pairs.extend(self.found.iter().map(|pair| Candidate::new(pair, &self.offsets, step)));
        // Two sorted runs, which this sort merges.
        self.pairs.sort_by_key(|pair| pair.found);
        debug!(pairs = self.pairs.len(), t = step.t0, "list of candidates completed");
        Ok(true)
    }

    /// Finds where the cloth is going on the whole: velocities of this step, each averaged with those around it, since what
    /// trembles does not go on.
    fn set_course(&mut self, step: &Step) {
        let h = span(step);
        let cloth = step.cloth();
        self.course.clear();
        self.course.extend((0..cloth).map(|i| (step.x_t1[i] - step.x_t0[i]) / h));
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
    fn path(&self, i: usize, step: &Step) -> (DVec3, DVec3) {
        let h = span(step);
        let way = step.x_t1[i] - step.x_t0[i];
        let Some(course) = self.course.get(i).filter(|_| step.inverse_mass[i] > 0.0) else {
            return (step.x_t0[i], way / h);
        };
        let tuning = step.tuning();
        let most = ON_COURSE * (tuning.listed - tuning.unlisted) * self.near[i];
        let off = (way - *course * h).clamp_length_max(most);
        (step.x_t0[i] + 0.5 * off, (way - off) / h)
    }

    /// Marks the vertices that are too far from their path for pairs to be surely `apart`, as a share of what they keep; false
    /// if these are many, if obstacles are among them, or if the path is over.
    fn mark_strays(&mut self, step: &Step, apart: f64) -> bool {
        let (t0, t1) = (step.t0, step.t1);
        let [begin, end] = self.times;
        if self.from.len() != step.x_t0.len() || t0 < begin || t1 - begin > (end - begin) * (1.0 + 1e-9) {
            return false;
        }
        let tuning = step.tuning();
        let slack = |i: usize| (0.5 * (tuning.listed - apart) * self.near[i]).powi(2);
        let strays = |i: usize| {
            let off = |x: &[DVec3], t: f64| (self.from[i] + self.velocity[i] * (t - begin)).distance_squared(x[i]);
            off(&step.x_t0, t0) > slack(i) || off(&step.x_t1, t1) > slack(i)
        };
        let cloth = step.cloth();
        self.stray = (0..cloth).into_par_iter().with_min_len(crate::CHUNK).map(strays).collect();
        let count = self.stray.iter().filter(|s| **s).count();
        count as f64 <= tuning.stray_share * cloth as f64 && !(cloth..step.x_t0.len()).any(strays)
    }

    fn search(&mut self, step: &Step) -> Result<(), DetectError> {
        let (t0, h) = (step.t0, span(step));
        self.set_course(step);
        (self.from, self.velocity) = (0..step.x_t0.len()).map(|i| self.path(i, step)).unzip();
        let length = if step.length() > 0.0 { (self.steps * h).min(self.until - t0).max(h) } else { h };
        self.times = [t0, t0 + length];
        self.end.clear();
        self.end.extend(self.from.iter().zip(&self.velocity).map(|(from, v)| *from + *v * length));
        self.searches += 1;
        let motions = step.motions(&self.from, &self.end);
        let searched = self.detector.approaching(&motions, reach(step), None, &mut self.found);
        if let Err(error) = searched {
            self.drop_list();
            return Err(error);
        }
        let offsets = &self.offsets;
        self.pairs.clear();
        self.pairs.par_extend(self.found.par_iter().map(|pair| Candidate::new(pair, offsets, step)));
        debug!(pairs = self.pairs.len(), from = t0, until = t0 + length, "list of candidates renewed");
        Ok(())
    }

    /// Whether pairs that are not listed stay more than `apart` apart in a step, a share of what they keep.
    pub fn is_complete(&self, step: &Step, apart: f64) -> bool {
        let slack = 0.5 * (step.tuning().listed - apart);
        self.is_near_path(&step.x_t0, step.t0, slack) && self.is_near_path(&step.x_t1, step.t1, slack)
    }

    fn is_near_path(&self, x: &[DVec3], t: f64, slack: f64) -> bool {
        // Times are sums of fractions; a path is not shorter by their rounding.
        let (length, since) = (self.times[1] - self.times[0], t - self.times[0]);
        if self.from.len() != x.len() || since < 0.0 || since > length * (1.0 + 1e-9) {
            return false;
        }
        let path = self.from.par_chunks(crate::CHUNK).zip(self.velocity.par_chunks(crate::CHUNK));
        path.zip(x.par_chunks(crate::CHUNK).zip(self.near.par_chunks(crate::CHUNK))).all(
            |((from, velocity), (x, near))| {
                let mut lists = from.iter().zip(velocity).zip(x.iter().zip(near));
                lists.all(|((from, v), (x, near))| (*from + *v * since).distance_squared(*x) <= (slack * near).powi(2))
            },
        )
    }

    /// The pairs that collide in a step: those that come below the share at which pairs meet of the distance they keep, and
    /// those below it already that come nearer still. In the order of the list, which is made anew where it has to be.
    pub fn colliding(&mut self, step: &Step) -> Result<Vec<Impact>, DetectError> {
        self.cover(step)?;
        let (x_t0, x) = (&step.x_t0, &step.x_t1);
        let impact = |pair: &Candidate| {
            let (start, least) = (pair.distance(x_t0), step.tuning().meeting * pair.keep);
            let time = pair.meets(x_t0, x, least.min(start * (1.0 - NEARER)))?;
            Some(Impact { pair: pair.found, time, closest: pair.closest_at(x_t0, x, time) })
        };
        Ok(self.pairs.par_iter().with_min_len(crate::CHUNK).filter_map(impact).collect())
    }

    /// Edges of the cloth.
    pub(crate) fn cloth_edges(&self) -> &[[u32; 2]] {
        self.detector.surfaces()[0].edges()
    }
}

/// Time that a step takes for a path [s]. A step of no length, in which positions change at once, takes a second on a clock of its own: only
/// what lies between its ends counts.
fn span(step: &Step) -> f64 {
    if step.length() > 0.0 { step.length() } else { 1.0 }
}

/// How near pairs come that are listed.
fn reach(step: &Step) -> Reach {
    let ContactTuning { listed, of_rest, .. } = *step.tuning();
    Reach { within: listed * step.participants.materials.largest_distance(), of_rest: listed * of_rest }
}

/// Lowers `near` for vertices whose features are next to others at rest.
fn find_least(cloth: &Surface, make: &MakeDetector, of_rest: f64, near: &mut [f64]) {
    let Some(rest) = cloth.rest() else { return };
    let lengths = cloth.edges().iter().map(|e| rest.x[e[0] as usize].distance(rest.x[e[1] as usize]));
    let mean = lengths.sum::<f64>() / cloth.edges().len().max(1) as f64;
    let largest = near.iter().copied().fold(0.0, f64::max);
    let within = (NEXT_AT_REST * mean).min(largest / of_rest);
    let mut found = Vec::new();
    let searched = make(vec![cloth.clone()]).proximities(&[Motion::still(&rest.x)], within, &mut found);
    for contact in &found {
        let v = contact.pair.vertices.map(|v| v as usize);
        if contact.closest.distance > 0.0 && rest.part[v[0]] == rest.part[v[3]] {
            for v in v {
                near[v] = near[v].min(of_rest * contact.closest.distance);
            }
        }
    }
    // Of pairs that were not found nothing is known but that they are farther apart.
    let most = if searched.is_ok() { of_rest * within } else { 0.0 };
    near[..cloth.vertex_count()].iter_mut().for_each(|near| *near = near.min(most));
}
