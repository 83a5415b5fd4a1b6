//! Bodies that other people made: rigs of meshes of which nothing is known, against those of the mannequins they were made from.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use toile_body::import::{ImportSettings, Unit, import};
use toile_body::measure::{self, Landmarks, Note};
use toile_body::rig::{Rigged, rig};
use toile_body::{
    Blend, Body, Figure, Given, Joint, Kind, Mannequin, Measurement as M, Motion, Performance, Pose, Posture, Routine,
    RoutineSettings, Segment, Specification, draft, trouble,
};
use toile_mesh::{DQuat, DVec3, Topology, TriMesh, VertexId, generate, judge};

fn drafted(figure: Figure, pose: Pose) -> Mannequin {
    draft(&Specification { triangles: 8_000, pose, ..Specification::new(figure, Given::NONE) }).unwrap()
}

fn a_pose() -> Pose {
    Pose::A(Pose::USUAL_ARM_ANGLE)
}

/// z up, looking along −y and turned by 37° about the vertical, in millimetres, away from the origin.
fn foreign(mesh: TriMesh) -> TriMesh {
    let turn = DQuat::from_rotation_z(37_f64.to_radians());
    mesh.map_positions(|p| 1000.0 * (turn * DVec3::new(-p.x, p.z, p.y)) + DVec3::new(500.0, -200.0, 40.0))
}

/// Without the triangles of some segments, left open.
fn torn(body: &Mannequin, segments: &[Segment]) -> TriMesh {
    let mut mesh = body.mesh.clone();
    mesh.triangles.retain(|t| !t.iter().any(|v| segments.contains(&body.bones[v.index()].segment())));
    mesh
}

fn girths(mesh: &TriMesh) -> Vec<(M, f64)> {
    let read = measure::read(mesh, &Landmarks::find(mesh).unwrap());
    M::ALL.into_iter().filter(|m| m.kind() == Kind::Girth).map(|m| (m, read[m])).collect()
}

/// Imports a spoiled mesh and compares its girths with those of the original, all but some.
fn same_girths(spoiled: TriMesh, original: &TriMesh, but: &[M]) -> TriMesh {
    let (mesh, report) = import(spoiled, &ImportSettings::default()).unwrap();
    assert!(Topology::new(&mesh).is_closed(), "{report}");
    for ((m, is), (_, expected)) in girths(&mesh).into_iter().zip(girths(original)) {
        assert!(but.contains(&m) || (is - expected).abs() < 3e-3, "{m:?}: {is:.4} for {expected:.4}; {report}");
    }
    mesh
}

#[test]
fn a_body_turned_by_37_degrees_in_millimetres_is_found() {
    for (figure, pose) in [(Figure::Female, a_pose()), (Figure::Male, Pose::T), (Figure::Neutral, Pose::A(0.9))] {
        let original = drafted(figure, pose).mesh;
        let scan = foreign(original.clone());
        let (mesh, report) = import(scan.clone(), &ImportSettings::default()).unwrap();
        assert_eq!((report.unit, report.up.to_string().as_str()), (Unit::Millimetres, "+z"), "{report}");
        // The toes point to −y turned by 37°, which is 37° beside +x turned back by a right angle.
        assert!((report.heading.to_degrees().abs() - 37.0).abs() < 0.1, "{report}");
        for (p, q) in mesh.positions.iter().zip(&original.positions) {
            assert!((*p - *q - (mesh.positions[0] - original.positions[0])).length() < 2e-3, "{p} {q}");
        }
        same_girths(scan, &original, &[]);
    }
}

#[test]
fn a_body_without_a_head_is_measured_and_said_to_have_none() {
    for pose in [a_pose(), Pose::T] {
        let body = drafted(Figure::Female, pose);
        let chin = body.skeleton.position(Joint::Head).y - 0.01;
        let mut mesh = body.mesh.clone();
        mesh.triangles.retain(|t| t.iter().all(|v| body.mesh.positions[v.index()].y < chin));
        let mesh = same_girths(foreign(mesh), &body.mesh, &[M::Head, M::Neck]);
        let (landmarks, notes) = Landmarks::find_with_notes(&mesh).unwrap();
        let Some(Note::NoHead(height)) = notes.iter().find(|note| matches!(note, Note::NoHead(_))) else {
            panic!("{notes:?}")
        };
        assert!((height - body.mesh.bounds().size().y).abs() < 0.06, "{height}");
        let neck = |mesh: &TriMesh, at: &Landmarks| measure::take(mesh, at, M::Neck).value;
        let expected = neck(&body.mesh, &Landmarks::find(&body.mesh).unwrap());
        assert!((neck(&mesh, &landmarks) - expected).abs() < 0.02, "{} {expected}", neck(&mesh, &landmarks));
    }
}

#[test]
fn a_body_without_hands_is_measured_and_said_to_have_none() {
    let body = drafted(Figure::Male, a_pose());
    let mesh = same_girths(foreign(torn(&body, &[Segment::LeftHand, Segment::RightHand])), &body.mesh, &[M::Wrist]);
    let (landmarks, notes) = Landmarks::find_with_notes(&mesh).unwrap();
    assert_eq!(notes, [Note::NoHand(0), Note::NoHand(1)]);
    let wrist = measure::take(&mesh, &landmarks, M::Wrist).value;
    assert!((wrist - body.measurements[M::Wrist]).abs() < 0.02, "{wrist}");
}

#[test]
fn split_doubled_torn_and_crowded_triangles_are_mended() {
    let original = drafted(Figure::Female, a_pose()).mesh;
    // Flat-shaded: every triangle on its own, rounded to single precision.
    let mut scan = TriMesh::default();
    for f in original.faces() {
        let corners = original.corners(f).map(|p| DVec3::from_array(p.to_array().map(|x| f64::from(x as f32))));
        scan.append(&TriMesh::from_indices(corners.to_vec(), &[[0, 1, 2]]));
    }
    // Twice there, turned around, missing, and fins on edges.
    let corners = |k: usize| original.corners(toile_mesh::FaceId(k as u32)).to_vec();
    for k in (0..original.face_count()).step_by(777) {
        scan.append(&TriMesh::from_indices(corners(k), &[[0, 1, 2]]));
        scan.triangles[k + 1].swap(0, 1);
        let [a, b, _] = corners(k + 2)[..] else { panic!("three corners") };
        scan.append(&TriMesh::from_indices(vec![a, b, 0.5 * (a + b) + 0.01 * DVec3::ONE], &[[0, 1, 2]]));
    }
    let missing: Vec<usize> = (5..original.face_count()).step_by(1234).collect();
    let mut k = 0;
    scan.triangles.retain(|_| {
        k += 1;
        !missing.contains(&(k - 1))
    });
    scan.append(&generate::icosphere(0.03, 1).map_positions(|p| p + DVec3::new(0.5, 0.1, 0.4)));
    let mesh = same_girths(foreign(scan), &original, &[]);
    assert_eq!(mesh.face_count(), original.face_count());
    assert!(judge::self_intersections(&mesh).is_clean());
}

/// Where joints of the rig are, against those of the draft.
#[test]
fn joints_are_where_those_of_the_draft_are() {
    for (figure, pose) in [(Figure::Female, a_pose()), (Figure::Male, a_pose()), (Figure::Male, Pose::T)] {
        let body = drafted(figure, pose);
        let found = rig(body.mesh.clone(), Blend::DualQuaternion).unwrap();
        for joint in Joint::ALL {
            let off = found.body.skeleton.position(joint).distance(body.skeleton.position(joint));
            assert!(off < 0.04, "{figure:?} {pose:?} {joint}: {off:.3} m");
        }
        // Bones agree on nearly all of the surface.
        let same = found.body.bones.iter().zip(&body.bones).filter(|(a, b)| a.segment() == b.segment()).count();
        let share = same as f64 / body.bones.len() as f64;
        assert!(share > 0.93, "{share}");
    }
}

#[test]
fn weights_sum_to_one_and_are_local() {
    let body = drafted(Figure::Female, a_pose());
    let Rigged { body, .. } = rig(body.mesh, Blend::DualQuaternion).unwrap();
    let height = body.mesh.bounds().size().y;
    for (p, weights) in body.mesh.positions.iter().zip(&body.skin.weights) {
        assert!((weights.iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-12);
        for (joint, w) in weights.iter().filter(|(_, w)| *w > 0.0) {
            // Some vertex of that bone is within a fifth of the height, and nearer where the weight is large.
            let reach = if *w > 0.5 { 0.03 } else { 0.12 };
            let near =
                body.mesh.positions.iter().zip(&body.bones).any(|(q, b)| b == joint && q.distance(*p) < reach * height);
            assert!(near, "{joint} moves {p} by {w}");
        }
    }
}

fn feet(body: &Body) -> [Vec<usize>; 2] {
    let of = |joint: Joint| (0..body.bones.len()).filter(|&v| body.bones[v] == joint).collect();
    [Joint::LeftAnkle, Joint::RightAnkle].map(of)
}

#[test]
fn a_rigged_woman_does_every_routine() {
    does_every_routine(Figure::Female, a_pose());
}

#[test]
fn a_rigged_man_does_every_routine() {
    does_every_routine(Figure::Male, Pose::T);
}

/// An imported body does every routine: feet on the floor and without slipping, limbs off the trunk.
fn does_every_routine(figure: Figure, pose: Pose) {
    let original = drafted(figure, pose);
    let (mesh, _) = import(foreign(original.mesh.clone()), &ImportSettings::default()).unwrap();
    let Rigged { body, .. } = rig(mesh, Blend::DualQuaternion).unwrap();
    let feet = feet(&body);
    for routine in Routine::ALL {
        let settings = RoutineSettings { in_place: false, catwalk: 1.5, arms_out: 0.0 };
        let motion = Motion::routine(routine, &body, settings);
        let samples = if routine == Routine::Catwalk { 480 } else { 120 };
        let h = motion.duration() / f64::from(samples);
        let mut slid = [0.0; 2];
        let mut now = body.posed(&motion.posture(0.0)).positions;
        for k in 0..samples {
            let t = h * f64::from(k);
            let next = body.posed(&motion.posture(t + h)).positions;
            for (foot, slid) in feet.iter().zip(&mut slid) {
                let lowest = *foot.iter().min_by(|a, b| now[**a].y.total_cmp(&now[**b].y)).unwrap();
                assert!(now[lowest].y > -0.01, "{routine:?} at {t}: {}", now[lowest].y);
                if now[lowest].y < 1.3e-3 {
                    *slid += ((next[lowest] - now[lowest]) * DVec3::new(1.0, 0.0, 1.0)).length();
                }
            }
            now = next;
        }
        // Of some seven strides on a catwalk, with two turns.
        let most = if routine == Routine::Catwalk { 0.5 } else { 0.04 };
        assert!(slid.iter().all(|way| *way < most), "{figure:?} {routine:?}: {slid:?}");
        let (duration, step) = (motion.duration(), motion.duration() / 12.0);
        for found in trouble::check(&Performance::new(body.clone(), motion, 0.0), duration, step) {
            assert!(found.is_fold(), "{figure:?} {pose:?} {routine:?} at {found}");
        }
    }
}

#[test]
fn poses_that_cannot_be_measured_are_named() {
    let body = Body::new(drafted(Figure::Male, a_pose()), Blend::DualQuaternion);
    let refused = |posture: &Posture| {
        let refusal = Landmarks::find(&body.posed(posture)).unwrap_err();
        assert!(!refusal.help.is_empty());
        refusal.message
    };
    let mut sitting = Posture::REST;
    for joint in [Joint::LeftHip, Joint::RightHip] {
        sitting.set(joint, DQuat::from_rotation_x(-1.5));
    }
    for joint in [Joint::LeftKnee, Joint::RightKnee] {
        sitting.set(joint, DQuat::from_rotation_x(1.5));
    }
    assert!(refused(&sitting).contains("sits"), "{}", refused(&sitting));
    let mut closed = Posture::REST;
    closed.set(Joint::LeftHip, DQuat::from_rotation_z(-0.12));
    closed.set(Joint::RightHip, DQuat::from_rotation_z(0.12));
    assert!(refused(&closed).contains("legs"), "{}", refused(&closed));
    // Arms near the sides are measured, with a warning.
    let rest = body.skeleton.position(Joint::LeftElbow) - body.skeleton.position(Joint::LeftShoulder);
    let down = rest.angle_between(DVec3::NEG_Y) - 0.2;
    let mut lowered = Posture::REST;
    lowered.set(Joint::LeftShoulder, DQuat::from_rotation_z(-down));
    lowered.set(Joint::RightShoulder, DQuat::from_rotation_z(down));
    match Landmarks::find_with_notes(&body.posed(&lowered)) {
        Ok((_, notes)) => assert!(notes.iter().any(|n| matches!(n, Note::ArmsDown(_))), "{notes:?}"),
        Err(refusal) => assert!(refusal.message.contains("arms"), "{refusal}"),
    }
}

#[test]
fn hands_can_be_left_out() {
    let body = Body::new(drafted(Figure::Female, a_pose()), Blend::DualQuaternion);
    for segments in [
        vec![Segment::LeftHand, Segment::RightHand],
        vec![Segment::LeftUpperArm, Segment::LeftForearm, Segment::LeftHand],
    ] {
        let cut = body.without(&segments);
        assert!(Topology::new(&cut.mesh).is_closed() && judge::self_intersections(&cut.mesh).is_clean());
        assert_eq!(cut.mesh.vertex_count(), cut.skin.weights.len());
        let gone = |v: &VertexId| segments.contains(&cut.bones[v.index()].segment());
        // What is left of them is the rim.
        assert!(cut.mesh.triangles.iter().filter(|t| t.iter().all(gone)).count() < 60);
    }
}
