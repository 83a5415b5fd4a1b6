//! BVH, the motion capture format of Biovision: a tree of joints, and numbers for its channels frame by frame.
//!
//! The reader is tolerant of what exporters do: any blanks and line ends, keywords in any case, braces beside names,
//! names of several words, channels in any order, three or six of them or none on any joint, `End Site` as one word, comments
//! from `#` or `//`, more numbers than frames were announced, several roots. Channels of scale are read and ignored.
//!
//! Conventions: lengths are as the file has them; angles are in degrees in the file and radians here. A joint's rotation is the
//! product of its rotation channels in the order of the file, `R = R₁ R₂ R₃`. Position channels *replace* the offset along
//! their axes, as the programs that write such files mean it.
//!
//! Limits: [`MOST_JOINTS`] joints, [`MOST_VALUES`] numbers.

mod kinematics;
mod read;
mod tokens;

pub use kinematics::BvhPlace;
pub use read::{parse_bvh, read_bvh};

use toile_mesh::DVec3;

/// Joints of a file at most.
pub const MOST_JOINTS: usize = 1024;

/// Numbers of all frames together at most: an hour of 70 joints at 20 frames per second.
pub const MOST_VALUES: usize = 20_000_000;

/// What a channel moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BvhChannel {
    /// Position along an axis: 0, 1, 2 for x, y, z.
    Position(u8),
    /// Rotation about an axis.
    Rotation(u8),
    /// Something that is ignored.
    Ignored,
}

/// A joint of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct BvhJoint {
    /// Its name.
    pub name: String,
    /// The joint that carries it, which comes earlier; `None` for a root.
    pub parent: Option<usize>,
    /// Its place from its parent [units of the file].
    pub offset: DVec3,
    /// Its channels, in order.
    pub channels: Vec<BvhChannel>,
    /// End of its bone from itself, if it is the last of its chain [units of the file].
    pub end: Option<DVec3>,
}

/// A tree of joints and its motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Bvh {
    /// Joints; each comes after its parent.
    pub joints: Vec<BvhJoint>,
    /// Time between frames [s].
    pub frame_time: f64,
    /// Values of all channels, frame by frame [units of the file; degrees], shape `[frames, channels]`.
    pub values: Vec<f64>,
}

impl Bvh {
    /// Number of channels of all joints.
    pub fn channel_count(&self) -> usize {
        self.joints.iter().map(|joint| joint.channels.len()).sum()
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.values.len().checked_div(self.channel_count()).unwrap_or(0)
    }

    /// The first joint of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }
}
