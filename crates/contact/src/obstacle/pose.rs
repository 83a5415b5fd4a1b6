//! [`Pose`]: where a rigid thing is.

use toile_mesh::{DQuat, DVec3};

/// Position and orientation of a rigid body: a local point `p` lies at `rotation · p + position` in the world.
///
/// ```
/// use toile_contact::Pose;
/// use toile_mesh::{DQuat, DVec3};
/// let pose = Pose { position: DVec3::Y, rotation: DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2) };
/// assert!((pose.to_world(DVec3::X) - DVec3::new(0.0, 1.0, -1.0)).length() < 1e-15);
/// assert!((pose.to_local(pose.to_world(DVec3::X)) - DVec3::X).length() < 1e-15);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pose {
    /// Where the local origin is [m].
    pub position: DVec3,
    /// How the local axes are turned; a unit quaternion.
    pub rotation: DQuat,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// At `position` [m], not turned.
    pub const fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }

    /// A local point in world coordinates [m].
    #[inline]
    pub fn to_world(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.position
    }

    /// A world point in local coordinates [m].
    #[inline]
    pub fn to_local(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * (world - self.position)
    }

    /// The world pose of a part that has pose `part` in the frame of this one.
    #[inline]
    #[must_use]
    pub fn then(&self, part: &Self) -> Self {
        Self { position: self.to_world(part.position), rotation: self.rotation * part.rotation }
    }

    /// Where a point that is rigidly attached to a body is after the body went from this pose to `next` [m].
    ///
    /// Exactly the same point if the body did not move, so that a resting particle does not drift by rounding.
    #[inline]
    pub fn carry(&self, next: &Self, world: DVec3) -> DVec3 {
        if self.rotation == next.rotation {
            world + (next.position - self.position)
        } else {
            next.to_world(self.to_local(world))
        }
    }

    /// Whether all numbers are finite and the rotation is a unit quaternion up to rounding.
    pub fn is_valid(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite() && self.rotation.is_normalized()
    }
}
