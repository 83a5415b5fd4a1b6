//! Carrying a motion over to a mannequin.
//!
//! The *reference* of a file is its rest pose if that stands upright, else its first frame. With the rotation `W_j` of a joint
//! against the reference and the directions of its bone `d` there and `e` in our draft, our bone is turned by `R_j = W_j A_j`,
//! `A_j` the shortest rotation from `e` to `d`: its direction is then `W_j d`, that of the file, whatever both skeletons were
//! drawn like. Limbs are aligned so; the trunk, neck and head stand upright in both, so there `A_j = 1`. A foot stands square to
//! its shank seen from the front, and may be turned outward. Our turns follow from `R_j` and the parent's; joints of the file that we do not have are
//! inside them.
//!
//! Axes: up is the axis of the file nearest to the direction from feet to shoulders, left points from the right hip to the
//! left. The motion starts at the origin, looking along +z. The way of the root is scaled by the length of the legs. Then feet are
//! planted (`plant`), and arms are parted from the trunk (`part_arms`).
//!
//! Limits: files whose rest pose is twisted along the bones twist the skin.

use toile_files::bvh::{Bvh, BvhPlace};
use toile_mesh::{DMat3, DQuat, DVec3};

use super::arms::part_arms;
use super::feet::plant;
use super::{JointMap, MocapError};
use crate::body::Body;
use crate::motion::Clip;
use crate::posture::Posture;
use crate::skeleton::{Joint, Turns};

/// Bones that are aligned, each with the joint that it points to.
const LIMBS: [[Joint; 2]; 8] = [
    [Joint::LeftShoulder, Joint::LeftElbow],
    [Joint::RightShoulder, Joint::RightElbow],
    [Joint::LeftElbow, Joint::LeftWrist],
    [Joint::RightElbow, Joint::RightWrist],
    [Joint::LeftHip, Joint::LeftKnee],
    [Joint::RightHip, Joint::RightKnee],
    [Joint::LeftKnee, Joint::LeftAnkle],
    [Joint::RightKnee, Joint::RightAnkle],
];

/// Largest turn of a foot at rest that is believed [rad].
const SPLAY: f64 = 1.0;

/// How a file's joints relate to ours.
struct Target<'a> {
    map: &'a JointMap,
    /// From the axes of the file to ours.
    axes: DMat3,
    /// The reference of the file.
    reference: Vec<BvhPlace>,
    /// `A_j`.
    align: Turns,
    /// Our lengths over those of the file.
    scale: f64,
}

/// The motion of a file on a body, with feet planted and arms parted from the trunk.
pub fn retarget(bvh: &Bvh, map: &JointMap, body: &Body) -> Result<Clip, MocapError> {
    let mut postures = carried(bvh, map, body)?;
    plant(&mut postures, 1.0 / bvh.frame_time, body);
    part_arms(&mut postures, body);
    clip(bvh, postures)
}

/// The same with all bones pointing where those of the file do: feet may float, sink and slide. The body starts at its own height.
pub fn carry_over(bvh: &Bvh, map: &JointMap, body: &Body) -> Result<Clip, MocapError> {
    clip(bvh, carried(bvh, map, body)?)
}

fn clip(bvh: &Bvh, postures: Vec<Posture>) -> Result<Clip, MocapError> {
    Clip::new(1.0 / bvh.frame_time, postures)
        .ok_or_else(|| fail("the file has no frames", "export the animation with the skeleton"))
}

fn carried(bvh: &Bvh, map: &JointMap, body: &Body) -> Result<Vec<Posture>, MocapError> {
    let target = Target::new(bvh, map, body)?;
    let start = target.place(&bvh.frame(0));
    let ahead = target.rotation(&bvh.frame(0), Joint::Pelvis).unwrap_or(DQuat::IDENTITY) * DVec3::Z;
    let heading = DQuat::from_rotation_y(-ahead.x.atan2(ahead.z));
    let postures = (0..bvh.frame_count())
        .map(|k| {
            let places = bvh.frame(k);
            let turns = target.turns(&places, heading);
            Posture { turns, shift: heading * (target.place(&places) - start) }
        })
        .collect();
    Ok(postures)
}

fn fail(message: &str, help: &str) -> MocapError {
    MocapError { message: message.to_owned(), help: help.to_owned() }
}

impl<'a> Target<'a> {
    fn new(bvh: &Bvh, map: &'a JointMap, body: &Body) -> Result<Self, MocapError> {
        const BENT: &str = "export it with a rest pose or a first frame in which the figure stands, arms out";
        let usable = |places: Vec<BvhPlace>| axes(map, &places).map(|axes| (places, axes));
        let (reference, axes) = usable(bvh.rest())
            .or_else(|| usable(bvh.frame(0)))
            .ok_or_else(|| fail("neither the rest pose nor the first frame of the file stands upright", BENT))?;
        let mut target = Self { map, axes, reference, align: [DQuat::IDENTITY; Joint::COUNT], scale: 1.0 };
        let mut lengths = [0.0; 2];
        for [joint, next] in LIMBS {
            let (Some(from), Some(to)) = (map.get(joint), map.get(next)) else { continue };
            let ours = body.skeleton.position(next) - body.skeleton.position(joint);
            let theirs = axes * (target.reference[to].position - target.reference[from].position);
            let (Some(e), Some(d)) = (ours.try_normalize(), theirs.try_normalize()) else { continue };
            target.align[joint as usize] = DQuat::from_rotation_arc(e, d);
            if matches!(joint, Joint::LeftHip | Joint::RightHip | Joint::LeftKnee | Joint::RightKnee) {
                lengths[0] += ours.length();
                lengths[1] += theirs.length();
            }
        }
        for [hand, forearm] in [[Joint::LeftWrist, Joint::LeftElbow], [Joint::RightWrist, Joint::RightElbow]] {
            target.align[hand as usize] = target.align[forearm as usize];
        }
        for ankle in [Joint::LeftAnkle, Joint::RightAnkle] {
            target.align[ankle as usize] = target.splay(bvh, body, ankle);
        }
        if lengths[1] <= 0.0 {
            return Err(fail("the legs of the file have no length", "export the skeleton with its offsets"));
        }
        target.scale = lengths[0] / lengths[1];
        Ok(target)
    }

    /// How a foot stands in the reference: tilted sideways with its shank, and turned outward, which the joint or end after
    /// the ankle tells.
    fn splay(&self, bvh: &Bvh, body: &Body, ankle: Joint) -> DQuat {
        let (Some(j), Some(knee)) = (self.map.get(ankle), self.map.get(ankle.parent())) else { return DQuat::IDENTITY };
        let here = self.reference[j];
        let sideways = |shank: DVec3| shank.x.atan2(-shank.y);
        let ours = body.skeleton.position(ankle) - body.skeleton.position(ankle.parent());
        let theirs = self.axes * (here.position - self.reference[knee].position);
        let tilt = DQuat::from_rotation_z(sideways(theirs) - sideways(ours));
        let way = match bvh.joints.iter().position(|joint| joint.parent == Some(j)) {
            Some(child) => self.reference[child].position - here.position,
            None => here.rotation * bvh.joints[j].end.unwrap_or(DVec3::ZERO),
        };
        let way = tilt.conjugate() * (self.axes * way);
        let angle = way.x.atan2(way.z);
        let is_flat = way.x.hypot(way.z) > 0.3 * way.length() && angle.abs() < SPLAY;
        tilt * DQuat::from_rotation_y(if is_flat { angle } else { 0.0 })
    }

    /// Place of the root, in our axes and size [m].
    fn place(&self, places: &[BvhPlace]) -> DVec3 {
        let root = self.map.get(Joint::Pelvis).unwrap_or(0);
        self.scale * (self.axes * places[root].position)
    }

    /// `W_j` in our axes.
    fn rotation(&self, places: &[BvhPlace], joint: Joint) -> Option<DQuat> {
        let j = self.map.get(joint)?;
        let turn = places[j].rotation * self.reference[j].rotation.conjugate();
        let axis = self.axes * DVec3::new(turn.x, turn.y, turn.z);
        Some(DQuat::from_xyzw(axis.x, axis.y, axis.z, turn.w).normalize())
    }

    fn turns(&self, places: &[BvhPlace], heading: DQuat) -> Turns {
        let mut world = [DQuat::IDENTITY; Joint::COUNT];
        let mut turns = world;
        for joint in Joint::ALL {
            let carrier = if joint == Joint::Pelvis { DQuat::IDENTITY } else { world[joint.parent() as usize] };
            let turned = self.rotation(places, joint).map(|w| heading * w * self.align[joint as usize]);
            world[joint as usize] = turned.unwrap_or(if joint == Joint::Pelvis { heading } else { carrier });
            turns[joint as usize] = (carrier.conjugate() * world[joint as usize]).normalize();
        }
        turns
    }
}

/// Rotation from the axes of a file to ours, if it stands upright: up from feet over hips to shoulders.
fn axes(map: &JointMap, places: &[BvhPlace]) -> Option<DMat3> {
    let middle = |a: Joint, b: Joint| Some(0.5 * (places[map.get(a)?].position + places[map.get(b)?].position));
    let feet = middle(Joint::LeftAnkle, Joint::RightAnkle)?;
    let hips = middle(Joint::LeftHip, Joint::RightHip)?;
    let shoulders = middle(Joint::LeftShoulder, Joint::RightShoulder)?;
    let (lower, upper) = ((hips - feet).try_normalize()?, (shoulders - hips).try_normalize()?);
    let both = lower + upper;
    let axis = (0..3).max_by(|a, b| both[*a].abs().total_cmp(&both[*b].abs()))?;
    let up = DVec3::AXES[axis] * both[axis].signum();
    let across = places[map.get(Joint::LeftHip)?].position - places[map.get(Joint::RightHip)?].position;
    let left = (across - across.dot(up) * up).try_normalize()?;
    // The trunk and both legs within 40° of the vertical.
    let stands = lower.dot(up) > 0.77 && upper.dot(up) > 0.77;
    stands.then(|| DMat3::from_cols(left, up, left.cross(up)).transpose())
}
