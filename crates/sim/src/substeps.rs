//! How many steps a frame is cut into.
//!
//! At least `time.substeps`. With `solver.adaptive`, as many more as keep the way of the fastest particle plus those of the
//! fastest obstacle and hand within the world's reach per step, up to [`MOST_SPLITS`] times as many. The count depends on
//! the state alone, so a resumed run chooses the same.

use toile_mesh::DVec3;

use crate::hold::Hold;
use crate::world::World;

/// Adaptive steps: at most this many times `time.substeps`.
const MOST_SPLITS: u32 = 64;
/// Poses by which the way of an obstacle or a hand during a frame is measured.
const POSES_PER_FRAME: u32 = 16;

impl World {
    /// Number of steps the next frame is cut into.
    pub(crate) fn substeps(&mut self) -> u32 {
        let least = self.scene.time.substeps;
        let dt = 1.0 / self.scene.time.frame_rate;
        let top = top_speed(&self.state.v) + self.largest_acceleration() * dt;
        let moved = self.obstacle_travel(self.time(), self.time() + dt) + self.hand_travel(dt);
        self.work.is_moved = moved > 0.0;
        let travel = dt * top + moved;
        self.work.pace = travel / dt;
        if !self.scene.solver.adaptive || self.reach.is_infinite() {
            return least;
        }
        // A cast of a huge or undefined number saturates or becomes 0; both are bounded below.
        ((travel / self.reach).ceil() as u32).clamp(least, least.saturating_mul(MOST_SPLITS))
    }

    /// Bound on the acceleration by gravity and wind [m/s²].
    fn largest_acceleration(&self) -> f64 {
        let forces = &self.scene.forces;
        let densities = self.model.mass.iter().zip(&self.model.area).filter(|(m, _)| **m > 0.0).map(|(m, a)| m / a);
        let lightest = densities.fold(f64::INFINITY, f64::min);
        let wind = DVec3::from(forces.wind).length() * (1.0 + forces.gust) / lightest;
        DVec3::from(forces.gravity).length() + wind
    }

    /// Estimate of how far any surface point of an obstacle moves from `t0` to `t1` [m], from a few poses in between;
    /// half spaces count their origin.
    pub(crate) fn obstacle_travel(&self, t0: f64, t1: f64) -> f64 {
        let travel = |obstacle: &toile_contact::Obstacle| {
            let at = |k: u32| obstacle.motion.pose_at(t0 + (t1 - t0) * f64::from(k) / f64::from(POSES_PER_FRAME));
            let radius = obstacle.pieces.iter().map(toile_contact::Piece::bounding_radius);
            let radius = radius.filter(|r| r.is_finite()).fold(0.0, f64::max);
            let between = |k: u32| {
                let (a, b) = (at(k), at(k + 1));
                a.position.distance(b.position) + a.rotation.angle_between(b.rotation) * radius
            };
            (0..POSES_PER_FRAME).map(between).sum::<f64>()
        };
        let exact = self.obstacles.iter().map(travel).fold(0.0, f64::max);
        self.meshes.iter().map(|mesh| mesh.travel(t0, t1)).fold(exact, f64::max)
    }

    pub(crate) fn hand_travel(&self, dt: f64) -> f64 {
        let t = self.time();
        let at = |k: u32| t + dt * f64::from(k) / f64::from(POSES_PER_FRAME);
        let travel = |h: &Hold| (0..POSES_PER_FRAME).map(|k| h.travel(at(k), at(k + 1))).sum::<f64>();
        self.holds.iter().map(travel).fold(0.0, f64::max)
    }
}

pub(crate) fn top_speed(v: &[DVec3]) -> f64 {
    v.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt()
}
