//! Captured motion on other bodies: feet stay on the floor, flat and where they stand. The captures are made of our own walk on another body,
//! written as BVH text in the manner of CMU (inches, rests with its legs apart) and of Mixamo (centimetres, z up).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use toile_body::mocap::{JointMap, retarget};
use toile_body::rig::rig;
use toile_body::{
    Blend, Body, Clip, Figure, Given, Joint, Measurement, Motion, Performance, Pose, Posture, Routine, RoutineSettings,
    Specification, draft, trouble,
};
use toile_files::bvh::parse_bvh;
use toile_mesh::{DMat3, DQuat, DVec3};

/// Seconds between frames [s].
const FRAME: f64 = 1.0 / 60.0;

fn mannequin(figure: Figure, height: f64, pose: Pose) -> Body {
    let given = Given::NONE.with(Measurement::Height, height);
    let specification = Specification { triangles: 5_000, pose, ..Specification::new(figure, given) };
    Body::new(draft(&specification).unwrap(), Blend::DualQuaternion)
}

/// A rigged body of an imported mesh.
fn foreign() -> Body {
    let body = mannequin(Figure::Female, 1.62, Pose::A(Pose::USUAL_ARM_ANGLE));
    rig(body.mesh, Blend::DualQuaternion).unwrap().body
}

/// How a program writes a skeleton.
struct Manner {
    /// Length of its unit [m].
    unit: f64,
    /// From our axes to its.
    axes: DQuat,
    name: fn(Joint) -> String,
}

fn cmu(joint: Joint) -> String {
    let name = match joint {
        Joint::Pelvis => "Hips",
        Joint::Waist => "LowerBack",
        Joint::Chest => "Spine1",
        Joint::Neck => "Neck",
        Joint::Head => "Head",
        Joint::LeftShoulder => "LeftArm",
        Joint::LeftElbow => "LeftForeArm",
        Joint::LeftWrist => "LeftHand",
        Joint::LeftHip => "LeftUpLeg",
        Joint::LeftKnee => "LeftLeg",
        Joint::LeftAnkle => "LeftFoot",
        right => return cmu(right.mirrored()).replace("Left", "Right"),
    };
    name.to_owned()
}

fn mixamo(joint: Joint) -> String {
    let name = match joint {
        Joint::Waist => "Spine".to_owned(),
        Joint::Chest => "Spine2".to_owned(),
        other => cmu(other),
    };
    format!("mixamorig:{name}")
}

/// A motion of a body as BVH text.
fn written(body: &Body, motion: &Motion, frames: u32, manner: &Manner) -> String {
    let place = |joint: Joint| manner.axes * body.skeleton.position(joint) / manner.unit;
    let mut text = "HIERARCHY\n".to_owned();
    let mut order = Vec::new();
    describe(Joint::Pelvis, 0, &place, manner, &mut text, &mut order);
    write!(text, "MOTION\nFrames: {frames}\nFrame Time: {FRAME}\n").unwrap();
    for k in 0..frames {
        let posture = motion.posture(FRAME * f64::from(k));
        let root = (manner.axes * (body.skeleton.position(Joint::Pelvis) + posture.shift)) / manner.unit;
        write!(text, "{} {} {}", root.x, root.y, root.z).unwrap();
        for joint in &order {
            let turn = manner.axes * posture.turn(*joint) * manner.axes.conjugate();
            let [z, x, y] = euler(turn);
            write!(text, " {} {} {}", z.to_degrees(), x.to_degrees(), y.to_degrees()).unwrap();
        }
        text.push('\n');
    }
    text
}

/// Angles of a rotation `R_z R_x R_y` [rad].
fn euler(turn: DQuat) -> [f64; 3] {
    let m = DMat3::from_quat(turn);
    let x = m.y_axis.z.clamp(-1.0, 1.0).asin();
    [(-m.y_axis.x).atan2(m.y_axis.y), x, (-m.x_axis.z).atan2(m.z_axis.z)]
}

fn describe(
    joint: Joint,
    depth: usize,
    place: &dyn Fn(Joint) -> DVec3,
    manner: &Manner,
    text: &mut String,
    order: &mut Vec<Joint>,
) {
    order.push(joint);
    let is_root = joint == Joint::Pelvis;
    let offset = if is_root { DVec3::ZERO } else { place(joint) - place(joint.parent()) };
    let word = if is_root { "ROOT" } else { "JOINT" };
    writeln!(text, "{:depth$}{word} {}\n{{\nOFFSET {} {} {}", "", (manner.name)(joint), offset.x, offset.y, offset.z)
        .unwrap();
    let position = if is_root { "Xposition Yposition Zposition " } else { "" };
    let count = if is_root { 6 } else { 3 };
    writeln!(text, "CHANNELS {count} {position}Zrotation Xrotation Yrotation").unwrap();
    let children: Vec<Joint> =
        Joint::ALL.into_iter().filter(|child| *child != joint && child.parent() == joint).collect();
    if children.is_empty() {
        let end = manner.axes * DVec3::new(0.0, 0.0, 0.1) / manner.unit;
        writeln!(text, "End Site\n{{\nOFFSET {} {} {}\n}}", end.x, end.y, end.z).unwrap();
    }
    for child in children {
        describe(child, depth + 1, place, manner, text, order);
    }
    text.push_str("}\n");
}

fn captured(text: &str, body: &Body) -> Clip {
    let bvh = parse_bvh(text.as_bytes()).unwrap();
    retarget(&bvh, &JointMap::new(&bvh, &[]).unwrap(), body).unwrap()
}

/// Lowest point of a foot, and the tilt of its sole [m; rad].
fn foot(body: &Body, posture: &Posture, ankle: Joint) -> (DVec3, f64) {
    let motion = body.skeleton.pose(&posture.turns, posture.shift)[ankle as usize];
    let own = body.mesh.positions.iter().zip(&body.bones).filter(|(_, bone)| **bone == ankle);
    let lowest = own.map(|(p, _)| motion.apply(*p)).min_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
    (lowest, (motion.rotation * DVec3::Y).angle_between(DVec3::Y))
}

const ANKLES: [Joint; 2] = [Joint::LeftAnkle, Joint::RightAnkle];

fn manners() -> [Manner; 2] {
    let z_up = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    [Manner { unit: 0.0254, axes: DQuat::IDENTITY, name: cmu }, Manner { unit: 0.01, axes: z_up, name: mixamo }]
}

#[test]
fn a_captured_walk_keeps_the_feet_on_the_floor() {
    let walker = mannequin(Figure::Male, 1.92, Pose::T);
    let walk = Motion::routine(Routine::Walk, &walker, RoutineSettings::default());
    let body = foreign();
    for manner in manners() {
        let clip = captured(&written(&walker, &walk, 150, &manner), &body);
        let (mut planted, mut slid) = ([0; 2], [0.0; 2]);
        let mut before: [Option<DVec3>; 2] = [None; 2];
        for (k, posture) in clip.postures().iter().enumerate() {
            let own = walk.posture(FRAME * k as f64);
            let mut lowest = f64::INFINITY;
            for (side, ankle) in ANKLES.into_iter().enumerate() {
                let (point, tilt) = foot(&body, posture, ankle);
                lowest = lowest.min(point.y);
                assert!(point.y > -0.01, "frame {k}: {} m", point.y);
                // Where the walker itself stands flat, so does the other body.
                let (theirs, their_tilt) = foot(&walker, &own, ankle);
                let stands = theirs.y < 2e-3 && their_tilt < 0.02;
                if stands {
                    planted[side] += 1;
                    assert!(point.y < 0.01 && tilt < 5_f64.to_radians(), "frame {k}: {} m, {tilt} rad", point.y);
                }
                let motion = body.skeleton.pose(&posture.turns, posture.shift)[ankle as usize];
                let place = motion.apply(body.skeleton.position(ankle));
                if let Some(last) = before[side].filter(|_| stands) {
                    slid[side] += ((place - last) * DVec3::new(1.0, 0.0, 1.0)).length();
                }
                before[side] = stands.then_some(place);
            }
            assert!(lowest < 0.01, "frame {k}: both feet are {lowest} m above the floor");
        }
        assert!(planted.iter().all(|count| *count > 15), "{planted:?}");
        // Over two strides.
        assert!(slid.iter().all(|way| *way < 0.03), "{slid:?}");
    }
}

#[test]
fn standing_feet_are_flat_whatever_the_file_calls_flat() {
    let walker = mannequin(Figure::Male, 1.80, Pose::T);
    let body = foreign();
    let mut stand = Posture::REST;
    // High heels: the feet of the file are pitched by 14°.
    for ankle in ANKLES {
        stand.set(ankle, DQuat::from_rotation_x(0.25));
    }
    let clip = captured(&written(&walker, &Motion::still(stand), 30, &manners()[0]), &body);
    for posture in clip.postures() {
        for ankle in ANKLES {
            let (point, tilt) = foot(&body, posture, ankle);
            assert!(point.y.abs() < 0.01 && tilt < 5_f64.to_radians(), "{} m, {tilt} rad", point.y);
        }
    }
}

#[test]
fn a_captured_motion_never_puts_limbs_through_the_trunk() {
    let walker = mannequin(Figure::Male, 1.80, Pose::T);
    // A slender walker's arms hang close; on a full figure they would go through the hips.
    let walk = Motion::routine(Routine::Walk, &walker, RoutineSettings::default());
    let given = Given::NONE.with(Measurement::Height, 1.62).with(Measurement::Bust, 1.08).with(Measurement::Hip, 1.15);
    let given = given.with(Measurement::Waist, 0.92);
    let specification = Specification { triangles: 5_000, ..Specification::new(Figure::Female, given) };
    let full = Body::new(draft(&specification).unwrap(), Blend::DualQuaternion);
    let clip = captured(&written(&walker, &walk, 80, &manners()[0]), &full);
    let duration = clip.duration();
    for found in trouble::check(&Performance::new(full, Motion::clip(clip), 0.0), duration, 0.1) {
        assert!(found.is_fold(), "{found}");
    }
}
