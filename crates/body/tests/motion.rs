//! Routines of drafted bodies, and the way into them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::f64::consts::FRAC_PI_2;

use toile_body::measure::{Plane, chain_length, section, taut_around};
use toile_body::skeleton::{Joint, Segment};
use toile_body::{
    Blend, Body, Figure, Given, Measurement, Motion, Performance, Pose, Posture, Routine, RoutineSettings,
    Specification, draft, sizes, trouble,
};
use toile_mesh::{DQuat, DVec3, TriMesh, VertexId, judge};

fn body(specification: &Specification) -> Body {
    Body::new(draft(specification).expect("an ordinary body"), Blend::DualQuaternion)
}

fn ordinary(figure: Figure) -> Body {
    body(&Specification { triangles: 6_000, ..Specification::new(figure, Given::NONE) })
}

fn full() -> Body {
    let given = Given::NONE
        .with(Measurement::Height, 1.62)
        .with(Measurement::Bust, 1.08)
        .with(Measurement::Waist, 0.92)
        .with(Measurement::Hip, 1.15);
    body(&Specification { triangles: 6_000, ..Specification::new(Figure::Female, given) })
}

fn perform(routine: Routine, body: &Body) -> Motion {
    Motion::routine(routine, body, RoutineSettings::default())
}

fn feet(body: &Body) -> [Vec<usize>; 2] {
    let of = |joint: Joint| (0..body.bones.len()).filter(|&v| body.bones[v] == joint).collect();
    [Joint::LeftAnkle, Joint::RightAnkle].map(of)
}

#[test]
fn planted_feet_do_not_slide_and_nothing_sinks_into_the_floor() {
    const SAMPLES: u32 = 120;
    for body in [ordinary(Figure::Female), ordinary(Figure::Male), full()] {
        for routine in [Routine::Walk, Routine::Run] {
            let motion = perform(routine, &body);
            let h = motion.duration() / f64::from(SAMPLES);
            let mut slid = [0.0; 2];
            let mut planted = [0; 2];
            for k in 0..SAMPLES {
                let t = h * f64::from(k);
                let [now, next] = [t, t + h].map(|t| body.posed(&motion.posture(t)).positions);
                for (side, foot) in feet(&body).iter().enumerate() {
                    let lowest = *foot.iter().min_by(|a, b| now[**a].y.total_cmp(&now[**b].y)).unwrap();
                    assert!(now[lowest].y > -1e-6, "{routine:?} at {t}: {}", now[lowest].y);
                    if now[lowest].y < 1.3e-3 {
                        planted[side] += 1;
                        slid[side] += ((next[lowest] - now[lowest]) * DVec3::new(1.0, 0.0, 1.0)).length();
                    }
                }
            }
            let share = f64::from(planted[0]) / f64::from(SAMPLES);
            let expected = if routine == Routine::Walk { 0.55..0.75 } else { 0.3..0.5 };
            assert!(expected.contains(&share), "{routine:?}: a foot stands for {share} of a stride");
            assert!(slid.iter().all(|way| *way < 0.02), "{routine:?}: {slid:?}");
        }
    }
}

#[test]
fn people_of_175_walk_at_1_4_and_run_at_2_8() {
    let given = Given::NONE.with(Measurement::Height, 1.75);
    let body = body(&Specification { triangles: 5_000, ..Specification::new(Figure::Neutral, given) });
    for (routine, speed) in [(Routine::Walk, 1.4), (Routine::Run, 2.8)] {
        let motion = perform(routine, &body);
        let way = motion.posture(motion.duration()).shift - motion.posture(0.0).shift;
        assert!((way.z / motion.duration() / speed - 1.0).abs() < 0.05 && way.x.abs() < 1e-9 && way.y.abs() < 1e-9);
    }
}

#[test]
fn routines_repeat_and_their_speed_never_jumps() {
    let body = ordinary(Figure::Female);
    for routine in Routine::ALL {
        let motion = Motion::routine(routine, &body, RoutineSettings { in_place: true, catwalk: 1.5, arms_out: 0.0 });
        let period = motion.duration();
        let (first, last) = (motion.posture(0.3), motion.posture(0.3 + period));
        let mut last_speed: Option<Vec<DVec3>> = None;
        assert!((first.shift - last.shift).length() < 1e-9);
        for j in 0..Joint::COUNT {
            assert!(first.turns[j].dot(last.turns[j]).abs() > 1.0 - 1e-12, "{routine:?}");
        }
        let (mut t, h) = (0.0, 2e-4);
        let mut now = motion.posture(0.0);
        while t < period.min(3.0) {
            let next = motion.posture(t + h);
            let mut speed: Vec<DVec3> = (0..Joint::COUNT)
                .map(|j| {
                    let turn = now.turns[j].conjugate() * next.turns[j];
                    (if turn.w < 0.0 { -turn } else { turn }).to_scaled_axis() / h
                })
                .collect();
            speed.push((next.shift - now.shift) / h);
            for (j, (a, b)) in last_speed.iter().flatten().zip(&speed).enumerate() {
                // Accelerations reach some 400 rad/s² when a runner's foot lands: 0.08 rad/s per sample.
                assert!((*a - *b).length() < 0.25, "{routine:?} at {t}: joint {j} from {a} to {b}");
            }
            last_speed = Some(speed);
            now = next;
            t += h;
        }
    }
}

#[test]
fn in_place_is_in_place() {
    let body = ordinary(Figure::Male);
    for routine in [Routine::Walk, Routine::Run, Routine::Catwalk] {
        let motion = Motion::routine(routine, &body, RoutineSettings { in_place: true, catwalk: 2.0, arms_out: 0.0 });
        for k in 0..50 {
            let shift = motion.posture(0.21 * f64::from(k)).shift;
            assert!(shift.x.hypot(shift.z) < 0.05, "{routine:?} {shift}");
        }
    }
}

#[test]
fn a_catwalk_goes_there_and_back() {
    let body = ordinary(Figure::Female);
    let motion = perform(Routine::Catwalk, &body);
    let (mut farthest, mut looks_back) = (0.0_f64, false);
    for k in 0..200 {
        let posture = motion.posture(motion.duration() * f64::from(k) / 200.0);
        farthest = farthest.max(posture.shift.z);
        looks_back |= (posture.turn(Joint::Pelvis) * DVec3::Z).z < -0.95;
    }
    assert!(looks_back && (3.5..5.5).contains(&farthest), "{farthest}");
}

#[test]
fn limbs_never_go_through_the_trunk_or_each_other() {
    let level_arms = Specification { pose: Pose::T, triangles: 6_000, ..Specification::new(Figure::Male, Given::NONE) };
    for body in [ordinary(Figure::Female), ordinary(Figure::Male), full(), body(&level_arms)] {
        for routine in Routine::ALL {
            let motion =
                Motion::routine(routine, &body, RoutineSettings { in_place: true, catwalk: 1.5, arms_out: 0.0 });
            let samples = if routine == Routine::Catwalk { 40.0 } else { 12.0 };
            let (duration, step) = (motion.duration(), motion.duration() / samples);
            for found in trouble::check(&Performance::new(body.clone(), motion, 0.0), duration, step) {
                assert!(found.is_fold(), "{routine:?} at {found}");
            }
        }
    }
}

/// Distance of a point from a triangle [m]: to its plane if the foot is inside, else to the nearest side.
fn distance(p: DVec3, corners: [DVec3; 3]) -> f64 {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let sides = [[a, b], [b, c], [c, a]];
    if sides.iter().all(|[from, to]| normal.cross(*to - *from).dot(p - *from) >= 0.0) {
        return normal.dot(p - a).abs() / normal.length();
    }
    let to_side = |[from, to]: [DVec3; 2]| {
        let way = to - from;
        let share = ((p - from).dot(way) / way.length_squared()).clamp(0.0, 1.0);
        p.distance(from + share * way)
    };
    sides.map(to_side).into_iter().fold(f64::INFINITY, f64::min)
}

/// Least distance, up to `most`, of the left arm below the armpit from trunk and thighs: corners, edges and middles of its triangles
/// against all triangles.
fn gap_at_arm(body: &Body, x: &[DVec3], most: f64) -> f64 {
    let [shoulder, elbow] = [Joint::LeftShoulder, Joint::LeftElbow].map(|joint| body.skeleton.position(joint));
    let upper = elbow - shoulder;
    let is_arm = |v: usize| match body.bones[v].segment() {
        Segment::LeftForearm | Segment::LeftHand => true,
        Segment::LeftUpperArm => (body.mesh.positions[v] - shoulder).dot(upper) > 0.5 * upper.length_squared(),
        _ => false,
    };
    let is_trunk =
        |v: usize| matches!(body.bones[v].segment(), Segment::Torso | Segment::LeftThigh | Segment::RightThigh);
    let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<[DVec3; 3]> {
        let triangles = body.mesh.triangles.iter().map(|t| t.map(VertexId::index));
        triangles.filter(|t| t.iter().all(|v| wanted(*v))).map(|t| t.map(|v| x[v])).collect()
    };
    let (arm, mut trunk) = (of(&is_arm), of(&is_trunk));
    // What is not within `most` of the box around the arm can be left out.
    let [low, high] = [DVec3::min, DVec3::max].map(|f| arm.iter().flatten().copied().reduce(f).unwrap());
    trunk.retain(|corners| {
        let [first, last] = [DVec3::min, DVec3::max].map(|f| f(f(corners[0], corners[1]), corners[2]));
        (low - last).max(first - high).max_element() < most
    });
    let mut least = most;
    for [a, b, c] in arm {
        let points = [a, b, c, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (a + b + c) / 3.0];
        for corners in &trunk {
            let [low, high] = [DVec3::min, DVec3::max].map(|f| f(f(corners[0], corners[1]), corners[2]));
            for p in points {
                if (low - p).max(p - high).max_element() < least {
                    least = least.min(distance(p, *corners));
                }
            }
        }
    }
    least
}

#[test]
fn swinging_arms_leave_room_for_cloth_and_fold_no_skin() {
    for name in ["woman-34", "woman-38", "woman-46", "man-50"] {
        let size = sizes::named(name).unwrap();
        let body = body(&Specification { triangles: 6_000, ..Specification::new(size.figure, size.given) });
        for routine in [Routine::Walk, Routine::Catwalk, Routine::Run] {
            let settings = RoutineSettings { catwalk: 1.5, ..RoutineSettings::default() };
            let motion = Motion::routine(routine, &body, settings);
            let samples: u32 = if routine == Routine::Catwalk { 31 } else { 11 };
            let step = motion.duration() / f64::from(samples);
            for k in 0..samples {
                let gap = gap_at_arm(&body, &body.posed(&motion.posture(step * f64::from(k))).positions, 0.05);
                assert!(gap > 0.025, "{name}, {routine:?}: {gap} m at {} s", step * f64::from(k));
            }
            let moving = Performance::new(body.clone(), motion.clone(), 0.0);
            let at_arm = |found: &trouble::Trouble| {
                let arms = [Segment::LeftUpperArm, Segment::RightUpperArm];
                // The elbows of a runner are bent so far that upper arms fold there.
                let alone = |a: Segment, b: Segment| a == b && routine != Routine::Run;
                found.place.is_some_and(|[a, b]| (alone(a, b) || a == Segment::Torso) && arms.contains(&b))
            };
            let folds = trouble::check(&moving, motion.duration(), step).into_iter().find(at_arm);
            assert!(folds.is_none(), "{name}, {routine:?}: {}", folds.unwrap());
        }
    }
}

#[test]
fn arms_can_be_held_out_farther() {
    let body = ordinary(Figure::Female);
    let gap = |arms_out: f64| {
        let motion = Motion::routine(Routine::Walk, &body, RoutineSettings { arms_out, ..RoutineSettings::default() });
        gap_at_arm(&body, &body.posed(&motion.posture(0.0)).positions, 0.2)
    };
    assert!(gap(0.65) > gap(0.0) + 0.01 && gap(0.05) == gap(0.0), "{} {}", gap(0.0), gap(0.65));
}

#[test]
fn a_performance_starts_at_rest_and_glides_into_the_motion() {
    let body = ordinary(Figure::Neutral);
    for routine in Routine::ALL {
        let motion = perform(routine, &body);
        let performance = Performance::new(body.clone(), motion.clone(), 0.8);
        assert_eq!(performance.start(), body.mesh);
        assert_eq!(performance.posture(1.5), Some(motion.posture(1.5 - 0.4)), "half the time is lost on the way");
        let mut last: Option<(Vec<DVec3>, Vec<DVec3>)> = None;
        let h = 1.0 / 1000.0;
        for k in 0..1000 {
            let mut x = Vec::new();
            performance.positions(h * f64::from(k), &mut x);
            let lowest = x.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            assert!(lowest > -5e-3, "{routine:?} sinks to {lowest}");
            let speed: Vec<DVec3> =
                last.iter().flat_map(|(then, _)| x.iter().zip(then)).map(|(a, b)| (*a - *b) / h).collect();
            for (a, b) in last.iter().flat_map(|(_, before)| before.iter().zip(&speed)) {
                // A foot that is set down slows at some 200 m/s².
                assert!((*a - *b).length() < 0.35, "{routine:?} at {}: {a} {b}", h * f64::from(k));
            }
            last = Some((x, speed));
        }
    }
}

#[test]
fn turning_the_root_moves_the_whole_body_rigidly() {
    for blend in [Blend::Linear, Blend::DualQuaternion] {
        let mut body = ordinary(Figure::Female);
        body.blend = blend;
        let turn = DQuat::from_rotation_y(2.1) * DQuat::from_rotation_x(0.4);
        let mut posture = Posture { shift: DVec3::new(0.3, -0.1, 2.0), ..Posture::REST };
        posture.set(Joint::Pelvis, turn);
        let root = body.skeleton.position(Joint::Pelvis);
        for (p, q) in body.mesh.positions.iter().zip(&body.posed(&posture).positions) {
            assert!((turn * (*p - root) + root + posture.shift - *q).length() < 1e-12);
        }
    }
}

/// Girth of the limb around a joint, in the plane that halves its bend.
fn girth_at(mesh: &TriMesh, centre: DVec3, normal: DVec3) -> f64 {
    let plane = Plane { point: centre, normal };
    let near = |points: &Vec<DVec3>| {
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        middle.distance(centre)
    };
    let loops = section(mesh, plane);
    let nearest = loops.into_iter().min_by(|a, b| near(a).total_cmp(&near(b))).expect("the plane meets the limb");
    chain_length(&taut_around(&nearest, plane), true)
}

#[test]
fn bent_elbows_and_knees_keep_their_girth() {
    for figure in [Figure::Female, Figure::Male] {
        let body = body(&Specification { triangles: 20_000, ..Specification::new(figure, Given::NONE) });
        for (joints, sign) in [
            ([Joint::LeftShoulder, Joint::LeftElbow, Joint::LeftWrist], 1.0),
            ([Joint::LeftHip, Joint::LeftKnee, Joint::LeftAnkle], -1.0),
        ] {
            let [before, joint, after] = joints.map(|joint| body.skeleton.position(joint));
            let along = (joint - before).normalize();
            let girth = girth_at(&body.mesh, joint, along);
            let axis = along.cross(DVec3::Z).normalize() * sign;
            let mut posture = Posture::REST;
            posture.set(joints[1], DQuat::from_axis_angle(axis, FRAC_PI_2));
            let now = DQuat::from_axis_angle(axis, FRAC_PI_2) * (after - joint).normalize();
            let halving = (along + now).normalize();
            let bent = girth_at(&body.posed(&posture), joint, halving);
            assert!(bent / girth > 0.85, "{:?} of {figure:?}: {bent} instead of {girth}", joints[1]);
        }
    }
}

/// Where limbs bend, skin leaves room for cloth: running, it folds by a few millimetres in the hollow of the knee at most; squatting, it goes
/// through itself far less than blended skin alone would, and knees keep their shape.
#[test]
fn creases_leave_room_for_cloth() {
    let body = ordinary(Figure::Female);
    let run = Motion::routine(Routine::Run, &body, RoutineSettings::default());
    let found = trouble::check(&Performance::new(body.clone(), run, 0.0), 0.8, 0.1);
    let worst = found.iter().max_by(|a, b| a.depth.total_cmp(&b.depth));
    assert!(worst.is_none_or(|worst| worst.depth < 6e-3), "{}", worst.unwrap());
    let squat = Motion::routine(Routine::Squat, &body, RoutineSettings::default());
    let lowest = squat.posture(0.5 * squat.duration());
    let mut relaxed = Vec::new();
    body.positions(&lowest, &mut relaxed);
    let motions = body.skeleton.pose(&lowest.turns, lowest.shift);
    let blended = body.skin.apply(&body.mesh.positions, &motions, body.blend);
    let of = |positions: &[DVec3]| TriMesh { positions: positions.to_vec(), ..body.mesh.clone() };
    let crossings = |positions: &[DVec3]| judge::self_intersections(&of(positions)).count();
    let (before, after) = (crossings(&blended), crossings(&relaxed));
    assert!(before > 100 && after < before / 2, "{before} {after}");
    // Flesh is pushed out, not lost.
    let volume = |positions: &[DVec3]| {
        let mesh = of(positions);
        let cone = |[a, b, c]: [DVec3; 3]| a.dot(b.cross(c)) / 6.0;
        mesh.faces().map(|face| cone(mesh.corners(face))).sum::<f64>()
    };
    assert!(volume(&relaxed) > volume(&blended), "{} {}", volume(&relaxed), volume(&blended));
    // The front of the knees: what is farthest ahead stays within a few millimetres.
    let ahead = |positions: &[DVec3]| positions.iter().filter(|p| p.y < 0.7).map(|p| p.z).fold(f64::MIN, f64::max);
    assert!((ahead(&relaxed) - ahead(&blended)).abs() < 4e-3, "{} {}", ahead(&relaxed), ahead(&blended));
}

/// Squatting, the skin of the fullest bodies and of the smallest child hardly goes through itself, for belly and thighs give way to each
/// other; they do so by less than ten centimetres.
#[test]
fn belly_and_thighs_leave_room_in_a_squat() {
    for size in ["woman-46", "woman-54", "man-60", "child-104"] {
        let specification = sizes::named(size).unwrap();
        let body = Body::new(draft(&specification).unwrap(), Blend::DualQuaternion);
        let squat = Motion::routine(Routine::Squat, &body, RoutineSettings::default());
        let lowest = squat.posture(0.5 * squat.duration());
        let motions = body.skeleton.pose(&lowest.turns, lowest.shift);
        let blended = body.skin.apply(&body.mesh.positions, &motions, body.blend);
        let crossings =
            |positions: Vec<DVec3>| judge::self_intersections(&TriMesh { positions, ..body.mesh.clone() }).count();
        let mut parted = Vec::new();
        body.positions(&lowest, &mut parted);
        let farthest = parted.iter().zip(&blended).map(|(p, q)| p.distance(*q)).fold(0.0, f64::max);
        let (before, after) = (crossings(blended), crossings(parted));
        assert!(before > 100 && after <= 4, "{size}: {before} {after}");
        assert!(farthest < 0.1, "{size}: {farthest}");
    }
}
