//! [`MeshContacts`]: keeps cloth off meshes, pair by pair.
//!
//! A pair whose gap `φ` along its normal `n` falls short of the threshold `t` by `δ = t − φ` is corrected at the vertices
//! of the cloth, with weights `w_i` of the nearest points and inverse masses `m_i⁻¹`:
//! ```text
//! λ = δ / Σ w_i² m_i⁻¹        x_i += n λ w_i m_i⁻¹
//! ```
//! so that `Σ w_i Δx_i = n δ`; the obstacle does not move. Coulomb friction corrects the movement of the contact point
//! relative to the obstacle in the same way, at most by `μ δ`. Fuhrmann's factor, which takes a share of the tangential
//! movement once per step, is applied once per vertex ([`MeshContacts::rub`]), whatever the number of its contacts.

use std::sync::Arc;

use toile_collide::{DetectError, Detector, Impact};
use toile_mesh::{DVec3, Motion, Moves, Surface, TriMesh};

use super::MeshObstacle;
use super::near_pair::{Gap, NearPair};
use crate::{Friction, Pose};

/// A vertex is moved at most this many times as far as its pair is short of the threshold; more would be asked of one whose
/// weight is small while the others are held.
const MOST_LEVER: f64 = 4.0;

/// Makes a detector for surfaces.
pub type MakeDetector = Arc<dyn Fn(Vec<Surface>) -> Box<dyn Detector> + Send + Sync>;

/// Distances that are kept from meshes [m].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MeshThresholds {
    /// By vertices of the cloth.
    pub particles: f64,
    /// By its edges and triangles; `None`, they are not looked at.
    pub features: Option<f64>,
}

/// What one pass found.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MeshReport {
    /// Pairs nearer than their threshold.
    pub contacts: usize,
    /// How far the worst of them was short of it [m].
    pub deepest: f64,
}

/// An obstacle during one step.
#[derive(Clone, Debug)]
pub(super) struct PlacedMesh {
    pub(super) x_t0: Vec<DVec3>,
    pub(super) x_t1: Vec<DVec3>,
    pub(super) poses: [Pose; 2],
    pub(super) moves: Moves,
    friction: Friction,
}

/// Contacts of cloth with mesh obstacles.
pub struct MeshContacts {
    make: MakeDetector,
    pub(super) detector: Box<dyn Detector>,
    pub(super) placed: Vec<PlacedMesh>,
    pub(super) found: Vec<Impact>,
    pairs: Vec<NearPair>,
    touching: Vec<Touching>,
}

/// What touches a vertex: sums over its contacts, weighted.
#[derive(Clone, Copy, Debug, Default)]
struct Touching {
    weight: f64,
    normal: DVec3,
    /// Way of the obstacle there [m].
    carried: DVec3,
    factor: f64,
}

impl Clone for MeshContacts {
    fn clone(&self) -> Self {
        Self {
            make: Arc::clone(&self.make),
            detector: (self.make)(self.detector.surfaces().to_vec()),
            placed: self.placed.clone(),
            found: Vec::new(),
            pairs: self.pairs.clone(),
            touching: Vec::new(),
        }
    }
}

impl std::fmt::Debug for MeshContacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MeshContacts")
            .field("detector", &self.detector.name())
            .field("obstacles", &self.placed.len())
            .field("pairs", &self.pairs.len())
            .finish_non_exhaustive()
    }
}

impl MeshContacts {
    /// Contacts of `cloth` with `obstacles`, found by the detector that `make` makes.
    pub fn new(cloth: &TriMesh, obstacles: &[MeshObstacle], make: MakeDetector) -> Self {
        // Cloth against itself is the business of others.
        let cloth = Surface::new(cloth).without_self_contact();
        let surfaces = std::iter::once(cloth).chain(obstacles.iter().map(MeshObstacle::surface));
        let placed = |o: &MeshObstacle| PlacedMesh {
            x_t0: Vec::new(),
            x_t1: Vec::new(),
            poses: [Pose::IDENTITY; 2],
            moves: o.moves(),
            friction: o.friction,
        };
        Self {
            detector: make(surfaces.collect()),
            make,
            placed: obstacles.iter().map(placed).collect(),
            found: Vec::new(),
            pairs: Vec::new(),
            touching: Vec::new(),
        }
    }

    /// The detector.
    pub fn detector(&self) -> &dyn Detector {
        self.detector.as_ref()
    }

    /// Number of pairs watched in this step.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no pair is near.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Puts `obstacles`, those it was made for, in place for a step from `t0` to `t1` [s].
    pub fn place(&mut self, obstacles: &[MeshObstacle], t0: f64, t1: f64) {
        self.pairs.clear();
        for (placed, obstacle) in self.placed.iter_mut().zip(obstacles) {
            if placed.moves != Moves::Never || placed.x_t0.is_empty() {
                obstacle.place(t0, &mut placed.x_t0);
                obstacle.place(t1, &mut placed.x_t1);
            }
            placed.poses = [t0, t1].map(|t| obstacle.motion.pose_at(t));
        }
    }

    /// Finds the pairs of cloth and obstacle that are nearer than their threshold and `margin` [m], or went through each
    /// other, when the cloth has gone from `x_t0` to `x` [m].
    pub fn find(
        &mut self,
        x_t0: &[DVec3],
        x: &[DVec3],
        thresholds: MeshThresholds,
        margin: f64,
    ) -> Result<(), DetectError> {
        self.pairs.clear();
        self.search(x_t0, x, thresholds.particles.max(thresholds.features.unwrap_or(0.0)) + margin)?;
        for pair in self.found.iter().filter_map(|impact| NearPair::new(&impact.pair)) {
            let placed = &self.placed[pair.obstacle];
            let pair = pair.begun(x_t0, &placed.x_t0);
            if let Some(threshold) = thresholds.of(&pair)
                && pair.gap(x, &placed.x_t1).distance <= threshold + margin
            {
                self.pairs.push(pair);
            }
        }
        Ok(())
    }

    /// Fills `found` with what comes within `separation` [m].
    pub(super) fn search(&mut self, x_t0: &[DVec3], x: &[DVec3], separation: f64) -> Result<(), DetectError> {
        let cloth = Motion { x_t0, x_t1: x };
        let solids = self.placed.iter().map(|p| Motion { x_t0: &p.x_t0, x_t1: &p.x_t1 });
        let motions: Vec<Motion<'_>> = std::iter::once(cloth).chain(solids).collect();
        self.detector.impacts(&motions, separation, &mut self.found).map(|_| ())
    }

    /// One pass over the pairs found, in their order: those too near are pushed apart, with Coulomb friction. `x_t0` and
    /// `x` [m] are the positions of the cloth at the beginning of the step and now, `w` inverse masses [1/kg].
    pub fn pass(&self, x_t0: &[DVec3], x: &mut [DVec3], w: &[f64], thresholds: MeshThresholds) -> MeshReport {
        let mut report = MeshReport::default();
        for pair in &self.pairs {
            let Some(threshold) = thresholds.of(pair) else { continue };
            let placed = &self.placed[pair.obstacle];
            let near = pair.gap(x, &placed.x_t1);
            let short = threshold - near.distance;
            if short > 0.0 {
                report.contacts += 1;
                report.deepest = report.deepest.max(short);
                let mut move_by = near.normal * short;
                if let Friction::Coulomb(_) = placed.friction {
                    let slid = slid(pair, &near, placed, x_t0, x);
                    move_by += placed.friction.correction(slid, short);
                }
                correct(pair, &near, move_by, x, w);
            }
        }
        report
    }

    /// Fuhrmann's friction: takes the share `1 − (1 − c_f)^steps` of the movement along the obstacle from every vertex in
    /// contact, once. Returns how many are in contact.
    pub fn rub(&mut self, x_t0: &[DVec3], x: &mut [DVec3], w: &[f64], thresholds: MeshThresholds, steps: f64) -> usize {
        self.touching.clear();
        self.touching.resize(x.len(), Touching::default());
        for pair in &self.pairs {
            let Some(threshold) = thresholds.of(pair) else { continue };
            let placed = &self.placed[pair.obstacle];
            let near = pair.gap(x, &placed.x_t1);
            if near.distance < threshold {
                let factor = match placed.friction {
                    Friction::Scaled(c_f) => 1.0 - (1.0 - c_f).powf(steps),
                    Friction::Coulomb(_) => 0.0,
                };
                let carried = carried(pair, &near.weights, placed);
                for (k, i) in pair.cloth() {
                    let (weight, touching) = (near.weights[k], &mut self.touching[i]);
                    touching.weight += weight;
                    touching.normal += weight * near.normal;
                    touching.carried += weight * carried;
                    touching.factor += weight * factor;
                }
            }
        }
        let mut contacts = 0;
        for (i, touching) in self.touching.iter().enumerate().filter(|(_, t)| t.weight > 0.0) {
            contacts += 1;
            let Some(normal) = touching.normal.try_normalize().filter(|_| w[i] > 0.0) else { continue };
            let d = x[i] - x_t0[i] - touching.carried / touching.weight;
            // A full weight counts once, a corner of a triangle that touches elsewhere less.
            x[i] -= (d - normal * d.dot(normal)) * (touching.factor / touching.weight.max(1.0));
        }
        contacts
    }
}

impl MeshThresholds {
    fn of(&self, pair: &NearPair) -> Option<f64> {
        if pair.is_particle() { Some(self.particles) } else { self.features }
    }
}

/// Way of the obstacle at the nearest point during the step [m].
pub(super) fn carried(pair: &NearPair, weights: &[f64; 4], placed: &PlacedMesh) -> DVec3 {
    pair.solid().map(|(k, v)| (placed.x_t1[v] - placed.x_t0[v]) * weights[k]).sum()
}

/// Tangential movement of the contact point of the cloth relative to the obstacle [m].
fn slid(pair: &NearPair, near: &Gap, placed: &PlacedMesh, x_t0: &[DVec3], x: &[DVec3]) -> DVec3 {
    let moved: DVec3 = pair.cloth().map(|(k, i)| (x[i] - x_t0[i]) * near.weights[k]).sum();
    let d = moved - carried(pair, &near.weights, placed);
    d - near.normal * d.dot(near.normal)
}

/// Moves the contact point of the cloth by `move_by` [m].
fn correct(pair: &NearPair, near: &Gap, move_by: DVec3, x: &mut [DVec3], w: &[f64]) {
    let weight: f64 = pair.cloth().map(|(k, i)| near.weights[k].powi(2) * w[i]).sum();
    if weight > 0.0 {
        for (k, i) in pair.cloth() {
            x[i] += move_by * (near.weights[k] * w[i] / weight).min(MOST_LEVER);
        }
    }
}
