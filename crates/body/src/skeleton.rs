//! The joints of a body, its anatomical segments, and how joints turn.
//!
//! A [`Skeleton`] is a tree of seventeen joints at rest. [`Skeleton::pose`] turns each joint against its parent:
//! with the rest position `p_j`, the rotation `q_j` and the parent `k`,
//! `R_j = R_k q_j` and `t_j = R_k (p_j − p_k) + t_k`, so that a point `x` fixed to joint `j` goes to `R_j (x − p_j) + t_j`.
//! Rotations are about the axes of the world at rest, so an identity everywhere is the pose of the draft.

use std::fmt;

use toile_mesh::{DQuat, DVec3};

macro_rules! joints {
    ($($(#[$doc:meta])* $name:ident: $parent:ident, $mirror:ident, $segment:ident;)*) => {
        /// A joint. Its bone is what it carries up to the next joints.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Joint {
            $($(#[$doc])* $name,)*
        }

        impl Joint {
            /// Number of joints.
            pub const COUNT: usize = Self::ALL.len();

            /// All joints; each comes after its parent.
            pub const ALL: [Self; 17] = [$(Self::$name,)*];

            /// The joint that carries this one; the root carries itself.
            #[must_use]
            pub const fn parent(self) -> Self {
                match self { $(Self::$name => Self::$parent,)* }
            }

            /// The joint on the other side; those of the spine are their own.
            #[must_use]
            pub const fn mirrored(self) -> Self {
                match self { $(Self::$name => Self::$mirror,)* }
            }

            /// The anatomical segment its bone belongs to.
            pub const fn segment(self) -> Segment {
                match self { $(Self::$name => Segment::$segment,)* }
            }
        }
    };
}

joints! {
    /// Root: the middle of the pelvis.
    Pelvis: Pelvis, Pelvis, Torso;
    /// Lumbar spine at the waist.
    Waist: Pelvis, Waist, Torso;
    /// Thoracic spine at the bust.
    Chest: Waist, Chest, Torso;
    /// Where the neck begins.
    Neck: Chest, Neck, Head;
    /// Where the skull sits on the neck.
    Head: Neck, Head, Head;
    /// Left shoulder.
    LeftShoulder: Chest, RightShoulder, LeftUpperArm;
    /// Left elbow.
    LeftElbow: LeftShoulder, RightElbow, LeftForearm;
    /// Left wrist.
    LeftWrist: LeftElbow, RightWrist, LeftHand;
    /// Left hip.
    LeftHip: Pelvis, RightHip, LeftThigh;
    /// Left knee.
    LeftKnee: LeftHip, RightKnee, LeftShank;
    /// Left ankle.
    LeftAnkle: LeftKnee, RightAnkle, LeftFoot;
    /// Right shoulder.
    RightShoulder: Chest, LeftShoulder, RightUpperArm;
    /// Right elbow.
    RightElbow: RightShoulder, LeftElbow, RightForearm;
    /// Right wrist.
    RightWrist: RightElbow, LeftWrist, RightHand;
    /// Right hip.
    RightHip: Pelvis, LeftHip, RightThigh;
    /// Right knee.
    RightKnee: RightHip, LeftKnee, RightShank;
    /// Right ankle.
    RightAnkle: RightKnee, LeftAnkle, RightFoot;
}

/// The fourteen anatomical segments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Segment {
    Head,
    Torso,
    LeftUpperArm,
    LeftForearm,
    LeftHand,
    LeftThigh,
    LeftShank,
    LeftFoot,
    RightUpperArm,
    RightForearm,
    RightHand,
    RightThigh,
    RightShank,
    RightFoot,
}

impl Joint {
    /// Whether a joint carries this one, or is it.
    pub(crate) fn is_carried_by(self, joint: Self) -> bool {
        // Each comes after its parent, so as many steps as there are joints lead to the root.
        let mut own = self;
        while own != joint && own.parent() != own {
            own = own.parent();
        }
        own == joint
    }

    /// The joint of a name such as `left_knee`, `Left Knee` or `LeftKnee`.
    ///
    /// ```
    /// use toile_body::Joint;
    /// assert_eq!(Joint::from_name("left_knee"), Some(Joint::LeftKnee));
    /// assert_eq!(Joint::LeftKnee.to_string(), "left knee");
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        let plain = |text: &str| text.replace([' ', '_', '-'], "").to_ascii_lowercase();
        Self::ALL.into_iter().find(|joint| plain(&format!("{joint:?}")) == plain(name))
    }
}

impl fmt::Display for Joint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&words(&format!("{self:?}")))
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&words(&format!("{self:?}")))
    }
}

/// `LeftUpperArm` as `left upper arm`.
fn words(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// A rigid motion `x ↦ R x + t`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rigid {
    /// The rotation `R`.
    pub rotation: DQuat,
    /// The translation `t` [m].
    pub translation: DVec3,
}

impl Rigid {
    /// No motion.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// Where a point goes [m].
    pub fn apply(&self, x: DVec3) -> DVec3 {
        self.rotation * x + self.translation
    }
}

/// Rotation of each joint against its parent, in the order of [`Joint::ALL`].
pub type Turns = [DQuat; Joint::COUNT];

/// Joints at rest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Skeleton {
    /// Position of each joint [m], in the order of [`Joint::ALL`].
    pub positions: [DVec3; Joint::COUNT],
}

impl Skeleton {
    /// Where a joint is at rest [m].
    pub fn position(&self, joint: Joint) -> DVec3 {
        self.positions[joint as usize]
    }

    /// The motion of each bone when every joint is turned against its parent and the root moves by `shift` [m].
    pub fn pose(&self, turns: &Turns, shift: DVec3) -> [Rigid; Joint::COUNT] {
        let mut motions = [Rigid::IDENTITY; Joint::COUNT];
        for joint in Joint::ALL {
            let parent = joint.parent();
            let (carrier, shift) =
                if joint == parent { (Rigid::IDENTITY, shift) } else { (motions[parent as usize], DVec3::ZERO) };
            let rotation = (carrier.rotation * turns[joint as usize]).normalize();
            // The joint itself goes where its parent carries it; the bone turns about it.
            let place = carrier.apply(self.position(joint)) + shift;
            motions[joint as usize] = Rigid { rotation, translation: place - rotation * self.position(joint) };
        }
        motions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skeleton() -> Skeleton {
        Skeleton {
            positions: Joint::ALL.map(|j| DVec3::new(0.1 * f64::from(j as u8), 0.3, 0.02 * f64::from(j as u8).sin())),
        }
    }

    #[test]
    fn parents_come_first_and_mirrors_are_mutual() {
        for (i, joint) in Joint::ALL.into_iter().enumerate() {
            assert_eq!(joint as usize, i);
            assert!(joint == Joint::Pelvis || joint.parent() < joint);
            assert_eq!(joint.mirrored().mirrored(), joint);
            assert_eq!(joint.mirrored().parent(), joint.parent().mirrored());
        }
    }

    #[test]
    fn bones_stay_joined_whatever_turns() {
        let turns = Joint::ALL.map(|j| DQuat::from_rotation_y(0.3 * f64::from(j as u8)) * DQuat::from_rotation_x(-0.2));
        let motions = skeleton().pose(&turns, DVec3::new(0.1, 0.2, 0.3));
        for joint in Joint::ALL.into_iter().skip(1) {
            let p = skeleton().position(joint);
            let gap = motions[joint as usize].apply(p) - motions[joint.parent() as usize].apply(p);
            assert!(gap.length() < 1e-12, "{joint:?}");
        }
    }

    #[test]
    fn turning_the_root_turns_everything() {
        let mut turns = [DQuat::IDENTITY; Joint::COUNT];
        let q = DQuat::from_rotation_y(0.7);
        turns[0] = q;
        let rest = skeleton();
        let root = rest.position(Joint::Pelvis);
        for motion in rest.pose(&turns, DVec3::ZERO) {
            let x = DVec3::new(0.4, -0.2, 1.0);
            assert!((motion.apply(x) - (q * (x - root) + root)).length() < 1e-12);
        }
    }
}
