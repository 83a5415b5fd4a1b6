//! The bones of a body over time.

use toile_body::Joint;
use toile_files::glb::{GlbJoint, GlbPose, GlbSkin};
use toile_mesh::{DQuat, DVec3};
use toile_scene::{Body as Described, Performer};

/// A body that follows its joints, where it stands in a scene.
pub(crate) struct Bones {
    performer: Performer,
    turn: DQuat,
    place: DVec3,
}

impl Bones {
    /// Of a body that is posed; `None` for one whose positions were recorded.
    pub(super) fn new(performer: Performer, described: &Described) -> Option<Self> {
        performer.performance.body()?;
        let turn = DQuat::from_rotation_y(described.heading_deg.to_radians());
        Some(Self { performer, turn, place: DVec3::from(described.position) })
    }

    /// The surface at rest [m].
    pub(super) fn rest(&self) -> Option<&[DVec3]> {
        self.performer.performance.body().map(|body| body.mesh.positions.as_slice())
    }

    /// Joints at rest and their weights.
    pub(super) fn skin(&self) -> Option<GlbSkin> {
        let body = self.performer.performance.body()?;
        let joint = |joint: Joint| GlbJoint {
            name: joint.to_string(),
            parent: (joint.parent() != joint).then_some(joint.parent() as usize),
            rest: body.skeleton.position(joint),
        };
        let influence = |(joint, weight): (Joint, f64)| (joint as u16, weight as f32);
        let influences = body.skin.weights.iter().map(|weights| weights.map(influence)).collect();
        Some(GlbSkin { joints: Joint::ALL.map(joint).to_vec(), influences })
    }

    /// How each joint takes what is at rest to where it is at a time [s].
    pub(super) fn motions(&self, t: f64) -> Option<Vec<GlbPose>> {
        let performance = &self.performer.performance;
        let posture = performance.posture(t)?;
        let motions = performance.body()?.skeleton.pose(&posture.turns, posture.shift);
        let placed = motions.map(|motion| GlbPose {
            position: self.turn * motion.translation + self.place,
            rotation: (self.turn * motion.rotation).normalize(),
        });
        Some(placed.to_vec())
    }
}
