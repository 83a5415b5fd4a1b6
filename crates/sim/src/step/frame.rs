//! How a frame is cut into steps, and what acts on the cloth meanwhile.
//!
//! At least `time.substeps`. With `solver.adaptive`, as many more as keep the way of the fastest particle plus those of the
//! fastest obstacle and hand within the world's reach per step, up to a multiple. The count depends on
//! the state alone, so a resumed run chooses the same.

use toile_contact::{MeshObstacle, Obstacle, Piece};
use toile_mesh::DVec3;

use crate::hold::Held;
use crate::settings::{Forces, Settings};

/// Poses by which the way of an obstacle or a hand during a frame is measured.
const POSES_PER_FRAME: u32 = 16;

/// What pulls on all cloth during a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct External {
    /// [m/s²]
    pub(crate) gravity: DVec3,
    /// Force per area of cloth [N/m²].
    pub(crate) wind: DVec3,
}

/// What pulls on the cloth at time `t` [s].
pub(crate) fn loads(forces: &Forces, t: f64) -> External {
    let gust = 1.0 + forces.gust * (std::f64::consts::TAU * forces.gust_frequency * t).sin();
    External { gravity: DVec3::from(forces.gravity), wind: DVec3::from(forces.wind) * gust }
}

/// How a frame is cut.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Plan {
    pub(crate) substeps: u32,
    /// Fastest that anything can be expected to move [m/s].
    pub(crate) pace: f64,
    /// Whether obstacles or hands move.
    pub(crate) is_moved: bool,
}

impl Plan {
    /// For the frame of `dt` [s] in which particles begin with at most `top` [m/s], pulled by at most `acceleration` [m/s²], while
    /// obstacles and hands go `moved` [m]. Particles may go `reach` [m] in a step.
    pub(crate) fn new(settings: &Settings, dt: f64, top: f64, acceleration: f64, moved: f64, reach: f64) -> Self {
        let least = settings.time.substeps;
        let travel = dt * (top + acceleration * dt) + moved;
        let is_fixed = !settings.solver.adaptive || reach.is_infinite();
        // A cast of a huge or undefined number saturates or becomes 0; both are bounded below.
        let wanted = if is_fixed { least } else { (travel / reach).ceil() as u32 };
        let substeps = wanted.clamp(least, least.saturating_mul(settings.advanced.most_substeps));
        Self { substeps, pace: travel / dt, is_moved: moved > 0.0 }
    }
}

/// Bound on the acceleration by gravity and wind [m/s²]; the lightest cloth has `lightest` [kg/m²].
pub(crate) fn largest_acceleration(forces: &Forces, lightest: f64) -> f64 {
    let wind = DVec3::from(forces.wind).length() * (1.0 + forces.gust) / lightest;
    DVec3::from(forces.gravity).length() + wind
}

/// Estimate of how far any surface point of an obstacle moves from `t0` to `t1` [m], from a few poses in between;
/// half spaces count their origin.
pub(crate) fn obstacle_travel(obstacles: &[Obstacle], meshes: &[MeshObstacle], t0: f64, t1: f64) -> f64 {
    let mut farthest = 0.0_f64;
    for obstacle in obstacles {
        let radius = obstacle.pieces.iter().map(Piece::bounding_radius);
        let radius = radius.filter(|r| r.is_finite()).fold(0.0, f64::max);
        let at = |k: u32| obstacle.motion.pose_at(t0 + (t1 - t0) * f64::from(k) / f64::from(POSES_PER_FRAME));
        let mut travel = 0.0;
        for k in 0..POSES_PER_FRAME {
            let (a, b) = (at(k), at(k + 1));
            travel += a.position.distance(b.position) + a.rotation.angle_between(b.rotation) * radius;
        }
        farthest = farthest.max(travel);
    }
    meshes.iter().map(|mesh| mesh.travel(t0, t1)).fold(farthest, f64::max)
}

/// How far a hand goes from `t` on within `dt` [m].
pub(crate) fn hand_travel(holds: &[Held], t: f64, dt: f64) -> f64 {
    let at = |k: u32| t + dt * f64::from(k) / f64::from(POSES_PER_FRAME);
    let travel = |hold: &Held| (0..POSES_PER_FRAME).map(|k| hold.travel(at(k), at(k + 1))).sum::<f64>();
    holds.iter().map(travel).fold(0.0, f64::max)
}

/// Largest speed [m/s].
pub(crate) fn top_speed(v: &[DVec3]) -> f64 {
    v.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt()
}
