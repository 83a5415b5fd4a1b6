//! Smoothing down: while the next garment is put on, what is worn is held against the body, as a hand does.
//!
//! Worn cloth that hangs off the body keeps seams over it open: the hem of a sleeve makes an arm look too thick for the next sleeve to be
//! placed around it, folds poke through the gap between the sides of a seam, and cloth held where it hangs does not make room. So
//! it is free to move, without weight, limp enough to lie in pleats, and drawn to the nearest point of the body by an acceleration
//! of [`PRESS`] from half a second before the next garment is placed until that one is sewn. Cloth farther away than [`REACH`], a wide
//! skirt, floats where it is; cloth that the next garment does not cover, the legs of trousers below a shirt, is held.

use std::ops::ControlFlow;

use toile::World;
use toile_contact::{MeshObstacle, NearestFace};
use toile_mesh::DVec3;
use tracing::{info, info_span};

use crate::TryOnError;
use crate::report::{Progress, Stage, TryOnReport, Watch};
use crate::sewing::{Below, FRAME_RATE, sewing_world};

/// Acceleration towards the body [m/s²]: twice the weight of cloth.
const PRESS: f64 = 20.0;
/// How far off the body cloth is drawn to it [m].
const REACH: f64 = 0.15;
/// Distance from the body at which it is not drawn any more [m].
const NEAR: f64 = 0.001;
/// What is left of velocities from frame to frame.
const FADE: f64 = 0.8;
/// How long it is smoothed down before anything is placed over it [s].
const SMOOTHING: f64 = 0.5;

/// What holds worn cloth against bodies.
pub(crate) struct Hand {
    bodies: Vec<NearestFace>,
}

impl Hand {
    pub(crate) fn new(bodies: &[MeshObstacle]) -> Self {
        Self { bodies: bodies.iter().map(|body| NearestFace::new(body.mesh.clone())).collect() }
    }

    /// Draws some particles to the body for one frame of sewing; none if there is no body.
    pub(crate) fn press(&self, world: &mut World, is_held: impl Fn(usize) -> bool) {
        if !self.bodies.is_empty() {
            world.change_velocities(|i, x, v| if is_held(i) { FADE * v + self.pull(x) } else { v });
        }
    }

    /// Velocity that a particle gets in one frame [m/s]; one that is nearly there does not overshoot.
    fn pull(&self, x: DVec3) -> DVec3 {
        let feet = self.bodies.iter().filter_map(|body| body.nearest(x));
        let Some(foot) = feet.min_by(|p, q| p.distance.total_cmp(&q.distance)) else { return DVec3::ZERO };
        let way = foot.point - x;
        let far = way.length();
        if !(NEAR..REACH).contains(&far) {
            return DVec3::ZERO;
        }
        way / far * (PRESS / FRAME_RATE).min(0.5 * far * FRAME_RATE)
    }
}

/// Smooths worn garments down where the next ones cover them. Returns where their vertices are then.
pub(crate) fn smooth(
    below: Below<'_>,
    body: &MeshObstacle,
    report: &mut TryOnReport,
    progress: &mut Watch<'_>,
) -> Result<Vec<Vec<DVec3>>, TryOnError> {
    let _stage = info_span!("smooth").entered();
    let mut world = sewing_world(&[], below, body)?;
    while world.time() < SMOOTHING {
        below.hand.press(&mut world, |_| true);
        let frame = world.advance();
        report.note(&frame);
        let told =
            Progress { stage: Stage::Sewing, time: world.time(), left: 0.0, frame: Some(&frame), world: Some(&world) };
        if let ControlFlow::Break(()) = progress(&told) {
            return Err(TryOnError::Cancelled);
        }
    }
    report.sewing_time += world.time();
    info!(garments = below.worn.len(), time = world.time(), "worn garments smoothed down");
    Ok(world.model().cloths.iter().map(|range| world.state().x[range.clone()].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_contact::{Motion, Pose};
    use toile_mesh::generate;

    #[test]
    fn cloth_is_drawn_straight_to_the_body_unless_it_is_there_or_far_away() {
        let mesh = generate::icosphere(1.0, 4);
        let motion = Motion::at_rest(Pose::IDENTITY);
        let ball = MeshObstacle { name: String::new(), mesh, motion, friction: None, padding: 0.0, deformation: None };
        let hand = Hand::new(&[ball]);
        let way = DVec3::new(0.6, 0.0, 0.8);
        let pull = hand.pull(1.05 * way);
        // A ball of triangles: normals are right to a degree or two.
        assert!((pull.length() - PRESS / FRAME_RATE).abs() < 1e-9 && pull.normalize().dot(-way) > 0.999, "{pull}");
        // Half of the way that is left.
        let pull = hand.pull(1.004 * way).length();
        assert!(pull < PRESS / FRAME_RATE && pull / FRAME_RATE > 0.001 && pull / FRAME_RATE < 0.004, "{pull}");
        assert_eq!(hand.pull((1.0 + 2.0 * REACH) * way), DVec3::ZERO);
        assert_eq!(hand.pull(way), DVec3::ZERO);
    }
}
