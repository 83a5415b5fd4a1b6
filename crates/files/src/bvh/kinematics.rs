//! Where the joints of a BVH file are: each is carried by its parent, `R_j = R_k q_j`, `p_j = p_k + R_k o_j`.

use toile_mesh::{DQuat, DVec3};

use super::{Bvh, BvhChannel};

/// Place and rotation of a joint in the space of the file.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BvhPlace {
    /// Position [units of the file].
    pub position: DVec3,
    /// Rotation against the rest pose.
    pub rotation: DQuat,
}

impl Bvh {
    /// The joints at rest, all rotations zero, in order.
    pub fn rest(&self) -> Vec<BvhPlace> {
        self.places(None)
    }

    /// The joints of a frame, in order; those of the last frame beyond.
    pub fn frame(&self, frame: usize) -> Vec<BvhPlace> {
        let frame = frame.min(self.frame_count().saturating_sub(1));
        let count = self.channel_count();
        self.places(self.values.get(frame * count..(frame + 1) * count))
    }

    fn places(&self, values: Option<&[f64]>) -> Vec<BvhPlace> {
        let mut values = values.into_iter().flatten().copied();
        let mut places: Vec<BvhPlace> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let (mut way, mut turn) = (joint.offset, DQuat::IDENTITY);
            for (channel, value) in joint.channels.iter().zip(&mut values) {
                match *channel {
                    BvhChannel::Position(axis) => way[usize::from(axis)] = value,
                    BvhChannel::Rotation(axis) => {
                        let axis = DVec3::AXES[usize::from(axis)];
                        turn *= DQuat::from_axis_angle(axis, value.to_radians());
                    }
                    BvhChannel::Ignored => {}
                }
            }
            let carrier = joint.parent.map(|parent| places[parent]);
            let carrier = carrier.unwrap_or(BvhPlace { position: DVec3::ZERO, rotation: DQuat::IDENTITY });
            let rotation = (carrier.rotation * turn).normalize();
            places.push(BvhPlace { position: carrier.position + carrier.rotation * way, rotation });
        }
        places
    }
}
