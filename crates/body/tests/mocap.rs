//! Motion capture on drafted bodies.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use toile_body::mocap::{JointMap, carry_over, retarget};
use toile_body::skeleton::Joint;
use toile_body::{Blend, Body, Figure, Given, Motion, Specification, draft};
use toile_files::bvh::{Bvh, BvhChannel, BvhJoint};
use toile_mesh::{DQuat, DVec3};

fn body() -> Body {
    let specification = Specification { triangles: 5_000, ..Specification::new(Figure::Male, Given::NONE) };
    Body::new(draft(&specification).unwrap(), Blend::DualQuaternion)
}

/// Offsets of a figure in a T-pose, y up, looking along +z, in centimetres; its right side mirrors the left.
fn offsets() -> Vec<(&'static str, Option<&'static str>, [f64; 3])> {
    vec![
        ("Hips", None, [0.0, 0.0, 0.0]),
        ("Spine", Some("Hips"), [0.0, 10.0, 0.0]),
        ("Spine1", Some("Spine"), [0.0, 20.0, -2.0]),
        ("Neck", Some("Spine1"), [0.0, 25.0, 0.0]),
        ("Head", Some("Neck"), [0.0, 10.0, 2.0]),
        ("LeftShoulder", Some("Spine1"), [3.0, 20.0, 0.0]),
        ("LeftArm", Some("LeftShoulder"), [14.0, 0.0, 0.0]),
        ("LeftForeArm", Some("LeftArm"), [28.0, 0.0, 0.0]),
        ("LeftHand", Some("LeftForeArm"), [25.0, 0.0, 0.0]),
        ("LeftUpLeg", Some("Hips"), [9.0, -5.0, 0.0]),
        ("LeftLeg", Some("LeftUpLeg"), [0.0, -40.0, 1.0]),
        ("LeftFoot", Some("LeftLeg"), [0.0, -41.0, -2.0]),
        ("LeftToe", Some("LeftFoot"), [1.0, -5.0, 14.0]),
    ]
}

const CHANNELS: [BvhChannel; 3] = [BvhChannel::Rotation(2), BvhChannel::Rotation(0), BvhChannel::Rotation(1)];

/// A file in the axes `axes · ours`, with the given angles in all frames.
fn file(axes: DQuat, angles: &[Vec<f64>]) -> Bvh {
    let mut joints: Vec<BvhJoint> = Vec::new();
    let mirror = |name: &str| name.replace("Left", "Right");
    for side in [1.0, -1.0] {
        for (name, parent, [x, y, z]) in offsets() {
            let name = if side < 0.0 { mirror(name) } else { name.to_owned() };
            if joints.iter().any(|joint| joint.name == name) {
                continue;
            }
            let parent = parent.map(|p| if side < 0.0 { mirror(p) } else { p.to_owned() });
            let parent = parent.and_then(|p| joints.iter().position(|joint| joint.name == p));
            let mut channels: Vec<BvhChannel> = CHANNELS.into();
            if parent.is_none() {
                channels.splice(0..0, [0, 1, 2].map(BvhChannel::Position));
            }
            joints.push(BvhJoint { name, parent, offset: axes * DVec3::new(side * x, y, z), channels, end: None });
        }
    }
    let values = angles.iter().enumerate().flat_map(|(frame, angles)| {
        let place = axes * DVec3::new(20.0, 92.0, 10.0 * frame as f64);
        let count = 3 * joints.len();
        [place.x, place.y, place.z].into_iter().chain((0..count).map(|k| angles[k % angles.len()])).collect::<Vec<_>>()
    });
    let values = values.collect();
    Bvh { joints, frame_time: 1.0 / 30.0, values }
}

const LIMBS: [[(Joint, &str); 2]; 6] = [
    [(Joint::LeftShoulder, "LeftArm"), (Joint::LeftElbow, "LeftForeArm")],
    [(Joint::LeftElbow, "LeftForeArm"), (Joint::LeftWrist, "LeftHand")],
    [(Joint::RightShoulder, "RightArm"), (Joint::RightElbow, "RightForeArm")],
    [(Joint::LeftHip, "LeftUpLeg"), (Joint::LeftKnee, "LeftLeg")],
    [(Joint::RightKnee, "RightLeg"), (Joint::RightAnkle, "RightFoot")],
    [(Joint::LeftKnee, "LeftLeg"), (Joint::LeftAnkle, "LeftFoot")],
];

/// Largest angle between a limb of the file and ours, in a frame [rad].
fn largest_error(bvh: &Bvh, axes: DQuat, body: &Body, frame: usize) -> f64 {
    let clip = carry_over(bvh, &JointMap::new(bvh, &[]).unwrap(), body).unwrap();
    let posture = clip.postures()[frame];
    let motions = body.skeleton.pose(&posture.turns, posture.shift);
    let places = bvh.frame(frame);
    let ahead = bvh.frame(0)[0].rotation;
    let ahead = axes.conjugate() * (ahead * (axes * DVec3::Z));
    let heading = DQuat::from_rotation_y(-ahead.x.atan2(ahead.z));
    let angle = |[(from, a), (to, b)]: [(Joint, &str); 2]| {
        let ours = motions[from as usize].rotation * (body.skeleton.position(to) - body.skeleton.position(from));
        let theirs = places[bvh.find(b).unwrap()].position - places[bvh.find(a).unwrap()].position;
        ours.angle_between(heading * (axes.conjugate() * theirs))
    };
    LIMBS.map(angle).into_iter().fold(0.0, f64::max)
}

#[test]
fn a_figure_at_rest_stands_on_the_floor_with_its_arms_out() {
    let body = body();
    let bvh = file(DQuat::IDENTITY, &vec![vec![0.0]; 4]);
    let clip = retarget(&bvh, &JointMap::new(&bvh, &[]).unwrap(), &body).unwrap();
    let posed = body.posed(&clip.postures()[3]);
    assert!(posed.bounds().min.y.abs() < 2e-3, "{}", posed.bounds().min.y);
    assert!(largest_error(&bvh, DQuat::IDENTITY, &body, 3) < 1e-6);
    // 30 cm on legs of 82 cm.
    let leg = |joints: [Joint; 2]| body.skeleton.position(joints[0]).distance(body.skeleton.position(joints[1]));
    let length = leg([Joint::LeftHip, Joint::LeftKnee]) + leg([Joint::LeftKnee, Joint::LeftAnkle]);
    let theirs = DVec3::new(0.0, 40.0, 1.0).length() + DVec3::new(0.0, 41.0, 2.0).length();
    assert!((clip.postures()[3].shift.z - 30.0 * length / theirs).abs() < 1e-9);
    assert!((Motion::clip(clip).duration() - 0.1).abs() < 1e-12);
}

/// Files of CMU's motion capture rest with their legs apart and stand with the hips turned back.
#[test]
fn feet_are_flat_when_legs_that_rest_apart_stand_straight() {
    let body = body();
    let mut bvh = file(DQuat::IDENTITY, &[vec![0.0]]);
    for (name, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let apart = DQuat::from_rotation_z(sign * 20_f64.to_radians());
        for part in ["Leg", "Foot", "Toe"] {
            let joint = bvh.find(&format!("{name}{part}")).unwrap();
            bvh.joints[joint].offset = apart * bvh.joints[joint].offset;
        }
        let hip = bvh.find(&format!("{name}UpLeg")).unwrap();
        let channel: usize = bvh.joints[..hip].iter().map(|joint| joint.channels.len()).sum();
        bvh.values[channel] = -20.0 * sign;
    }
    let clip = retarget(&bvh, &JointMap::new(&bvh, &[]).unwrap(), &body).unwrap();
    let motions = body.skeleton.pose(&clip.postures()[0].turns, clip.postures()[0].shift);
    for ankle in [Joint::LeftAnkle, Joint::RightAnkle] {
        let up = motions[ankle as usize].rotation * DVec3::Y;
        assert!(up.angle_between(DVec3::Y) < 0.02, "{ankle}: {up}");
    }
}

#[test]
fn a_bent_elbow_bends_the_elbow() {
    let retarget = carry_over;
    let body = body();
    let mut bvh = file(DQuat::IDENTITY, &[vec![0.0]]);
    let elbow = bvh.find("LeftForeArm").unwrap();
    let channel: usize = bvh.joints[..elbow].iter().map(|joint| joint.channels.len()).sum();
    bvh.values[channel + 2] = -90.0;
    let clip = retarget(&bvh, &JointMap::new(&bvh, &[]).unwrap(), &body).unwrap();
    let motions = body.skeleton.pose(&clip.postures()[0].turns, clip.postures()[0].shift);
    let at = |joint: Joint| motions[joint as usize].apply(body.skeleton.position(joint));
    let forearm = (at(Joint::LeftWrist) - at(Joint::LeftElbow)).normalize();
    assert!((forearm - DVec3::Z).length() < 1e-6, "{forearm}");
}

#[test]
fn figures_that_lie_down_are_refused() {
    let mut bvh = file(DQuat::IDENTITY, &[vec![0.0]]);
    for joint in &mut bvh.joints {
        joint.offset = DVec3::X;
    }
    let error = retarget(&bvh, &JointMap::new(&bvh, &[]).unwrap(), &body()).unwrap_err();
    assert!(error.message.contains("stands upright") && !error.help.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn limbs_point_where_those_of_the_file_do(
        angles in prop::collection::vec(-70.0..70.0, 75),
        axes in prop::sample::select(vec![
            DQuat::IDENTITY,
            // z up; x up.
            DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
            DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2),
        ]),
    ) {
        let body = body();
        let bvh = file(axes, &[vec![0.0], angles]);
        prop_assert!(largest_error(&bvh, axes, &body, 1) < 1e-5);
    }
}
