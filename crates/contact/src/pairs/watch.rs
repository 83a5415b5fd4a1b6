//! [`Watch`]: the list of pairs that may touch, made for several steps at once.
//!
//! A search for all pairs costs as much as several steps of a solver. So it is made for a *path*: every vertex is assumed
//! to go on as it does in this step, `p_i(t) = p_i + u_i (t − t_b)` until a horizon, and all pairs that come within
//! `s = d + 2 r` of each other on that path are listed, `d` the largest distance that pairs care about.
//!
//! **Complete.** Let vertices go straight from where they are at `t0` to where they are at `t1`, and be within `r` of
//! their path at both times. Then they are within `r` of it in between, since the difference of two straight motions is
//! straight; points of features are within `r` of the points that their path gives them; and a pair that is not
//! listed, more than `s` apart on the path, stays more than `d` apart. Relative motion alone counts: cloth that falls,
//! slides or turns as it did a moment ago stays within its list however fast it is.
//!
//! Before a step relies on the list, [`Watch::cover`] checks this for every vertex and searches again where it fails.
//! Searches depend on the positions since the list was last [forgotten](Watch::forget) alone.

use std::sync::Arc;

use rayon::prelude::*;
use toile_collide::{DetectError, Detector, FeaturePair, Impact};
use toile_mesh::{DVec3, Surface, TriMesh};

use super::{Bodies, NearPair};
use crate::MeshObstacle;

/// Makes a detector for surfaces.
pub type MakeDetector = Arc<dyn Fn(Vec<Surface>) -> Box<dyn Detector> + Send + Sync>;

/// Steps of the longest path.
const MOST_STEPS: f64 = 8.0;
/// Vertices per task.
const CHUNK: usize = 2048;

/// How a list is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WatchSettings {
    /// Whether cloth touches cloth.
    pub self_contact: bool,
    /// How far a vertex may leave its path [m].
    pub slack: f64,
}

/// The pairs that may touch.
pub struct Watch {
    settings: WatchSettings,
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
    searches: u32,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch")
            .field("settings", &self.settings)
            .field("pairs", &self.pairs.len())
            .finish_non_exhaustive()
    }
}

impl Clone for Watch {
    /// The same watch without its list.
    fn clone(&self) -> Self {
        Self::with_surfaces(self.detector.surfaces().to_vec(), self.offsets.clone(), self.make.clone(), self.settings)
    }
}

impl Watch {
    /// A watch over `cloth` and `obstacles`, those of `bodies`, with a detector that `make` makes.
    pub fn new(
        bodies: &Bodies,
        cloth: &TriMesh,
        obstacles: &[MeshObstacle],
        make: MakeDetector,
        settings: WatchSettings,
    ) -> Self {
        let cloth = Surface::new(cloth);
        let cloth = if settings.self_contact { cloth } else { cloth.without_self_contact() };
        let surfaces = std::iter::once(cloth).chain(obstacles.iter().map(MeshObstacle::surface));
        Self::with_surfaces(surfaces.collect(), bodies.offsets(), make, settings)
    }

    fn with_surfaces(surfaces: Vec<Surface>, offsets: Vec<u32>, make: MakeDetector, settings: WatchSettings) -> Self {
        Self {
            settings,
            detector: make(surfaces),
            make,
            offsets,
            pairs: Vec::new(),
            from: Vec::new(),
            velocity: Vec::new(),
            times: [0.0; 2],
            steps: 1.0,
            found: Vec::new(),
            end: Vec::new(),
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
        self.steps = 1.0;
    }

    /// Makes sure that all pairs are listed that come within the distance they keep while the bodies move from `t0` to
    /// `t1` [s].
    pub fn cover(&mut self, bodies: &Bodies, t0: f64, t1: f64) -> Result<(), DetectError> {
        if self.covers_start(bodies, t0) && self.covers_end(bodies, t1) {
            return Ok(());
        }
        // A path that held to its end may be longer next time.
        let held = !self.from.is_empty() && t1 > self.times[1] + 0.5 * (t1 - t0);
        self.steps = if held { (2.0 * self.steps).min(MOST_STEPS) } else { (0.5 * self.steps).max(1.0) };
        self.search(bodies, t0, t1)
    }

    fn search(&mut self, bodies: &Bodies, t0: f64, t1: f64) -> Result<(), DetectError> {
        self.from.clone_from(&bodies.x_t0);
        self.velocity.clear();
        self.velocity.extend(bodies.x_t1.iter().zip(&bodies.x_t0).map(|(end, start)| (*end - *start) / (t1 - t0)));
        self.times = [t0, t0 + self.steps * (t1 - t0)];
        self.end.clear();
        let (steps, ends) = (self.steps, bodies.x_t1.iter().zip(&bodies.x_t0));
        self.end.extend(ends.map(|(end, start)| *start + (*end - *start) * steps));
        let within = bodies.materials.largest_distance() + 2.0 * self.settings.slack;
        self.searches += 1;
        let motions = bodies.motions(&self.from, &self.end);
        if let Err(error) = self.detector.approaching(&motions, within, &mut self.found) {
            self.forget();
            return Err(error);
        }
        let offsets = &self.offsets;
        self.pairs.clear();
        self.pairs.par_extend(self.found.par_iter().map(|pair| NearPair::new(pair, offsets, bodies)));
        Ok(())
    }

    /// Whether the bodies are near their path at the start of a step, at `t0` [s].
    fn covers_start(&self, bodies: &Bodies, t0: f64) -> bool {
        self.is_near_path(&bodies.x_t0, t0)
    }

    /// Whether the list is complete for a step it [covers](Watch::cover) and that ends at `t1` [s] as the bodies say now.
    pub fn covers_end(&self, bodies: &Bodies, t1: f64) -> bool {
        self.is_near_path(&bodies.x_t1, t1)
    }

    fn is_near_path(&self, x: &[DVec3], t: f64) -> bool {
        // Times are sums of fractions; a path is not shorter by their rounding.
        let (length, since) = (self.times[1] - self.times[0], t - self.times[0]);
        if self.from.len() != x.len() || since < 0.0 || since > length * (1.0 + 1e-9) {
            return false;
        }
        let slack = self.settings.slack * self.settings.slack;
        let path = self.from.par_chunks(CHUNK).zip(self.velocity.par_chunks(CHUNK));
        path.zip(x.par_chunks(CHUNK)).all(|((from, velocity), x)| {
            let mut lists = from.iter().zip(velocity).zip(x);
            lists.all(|((from, v), x)| (*from + *v * since).distance_squared(*x) <= slack)
        })
    }

    /// Fills `found` with the pairs that come within `separation` [m] in the step, whatever is listed.
    pub(super) fn impacts(
        &mut self,
        bodies: &Bodies,
        separation: f64,
        found: &mut Vec<Impact>,
    ) -> Result<(), DetectError> {
        self.searches += 1;
        self.detector.impacts(&bodies.motions(&bodies.x_t0, &bodies.x_t1), separation, found).map(|_| ())
    }

    /// A pair that the detector found.
    pub(super) fn pair(&self, pair: &FeaturePair, bodies: &Bodies) -> NearPair {
        NearPair::new(pair, &self.offsets, bodies)
    }

    /// Edges of the cloth.
    pub(super) fn cloth_edges(&self) -> &[[u32; 2]] {
        self.detector.surfaces()[0].edges()
    }
}
