//! Joints and skin of drafted bodies.

use toile_body::skeleton::{Joint, Segment};
use toile_body::{Blend, Figure, Given, Mannequin, Specification, draft};
use toile_mesh::{DQuat, DVec3, TriMesh, judge, signed_volume};

fn body() -> Mannequin {
    draft(&Specification { triangles: 8_000, ..Specification::new(Figure::Neutral, Given::NONE) })
        .expect("an ordinary body")
}

/// Solid angle test: the winding number of a closed surface around a point is one inside, zero outside.
fn winding(mesh: &TriMesh, at: DVec3) -> f64 {
    let solid = |corners: [DVec3; 3]| {
        let [a, b, c] = corners.map(|p| p - at);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    mesh.faces().map(|f| solid(mesh.corners(f))).sum::<f64>() / (2.0 * std::f64::consts::TAU)
}

#[test]
fn all_joints_are_inside() {
    for figure in Figure::ALL {
        let body = draft(&Specification { triangles: 5_000, ..Specification::new(figure, Given::NONE) }).unwrap();
        for joint in Joint::ALL {
            let inside = winding(&body.mesh, body.skeleton.position(joint));
            assert!((inside - 1.0).abs() < 1e-6, "{joint:?} of {figure:?}: {inside}");
        }
    }
}

#[test]
fn fourteen_segments_share_the_surface_and_lie_where_they_should() {
    let body = body();
    let mut segments: Vec<Segment> = body.bones.iter().map(|bone| bone.segment()).collect();
    for (p, segment) in body.mesh.positions.iter().zip(&segments) {
        let is_left = matches!(segment, Segment::LeftHand | Segment::LeftFoot | Segment::LeftShank);
        let is_right = matches!(segment, Segment::RightHand | Segment::RightFoot | Segment::RightShank);
        assert!(!is_left || p.x > 0.0);
        assert!(!is_right || p.x < 0.0);
        assert!(*segment != Segment::Head || p.y > 0.8 * body.mesh.bounds().max.y);
    }
    segments.sort_unstable();
    segments.dedup();
    assert_eq!(segments.len(), 14);
}

#[test]
fn a_bent_elbow_moves_the_hand_rigidly_and_nothing_else() {
    let body = body();
    let mut turns = [DQuat::IDENTITY; Joint::COUNT];
    let turn = DQuat::from_rotation_x(-0.9);
    turns[Joint::LeftElbow as usize] = turn;
    let motions = body.skeleton.pose(&turns, DVec3::ZERO);
    let elbow = body.skeleton.position(Joint::LeftElbow);
    let hand = body.mesh.positions.iter().position(|p| p.x == body.mesh.bounds().max.x).unwrap();
    for blend in [Blend::Linear, Blend::DualQuaternion] {
        let moved = body.skin().apply(&body.mesh.positions, &motions, blend);
        let expected = turn * (body.mesh.positions[hand] - elbow) + elbow;
        assert!((moved[hand] - expected).length() < 1e-3);
        for (p, q) in body.mesh.positions.iter().zip(&moved) {
            assert!(p.x > 0.2 || (*p - *q).length() < 1e-3, "{p} went to {q}");
        }
    }
}

#[test]
fn a_step_keeps_the_volume_and_does_not_intersect() {
    let body = body();
    let mut turns = [DQuat::IDENTITY; Joint::COUNT];
    turns[Joint::LeftHip as usize] = DQuat::from_rotation_x(-0.45);
    turns[Joint::RightHip as usize] = DQuat::from_rotation_x(0.30);
    turns[Joint::RightKnee as usize] = DQuat::from_rotation_x(0.35);
    turns[Joint::LeftShoulder as usize] = DQuat::from_rotation_x(0.3);
    turns[Joint::RightElbow as usize] = DQuat::from_rotation_x(-0.5);
    let motions = body.skeleton.pose(&turns, DVec3::ZERO);
    let positions = body.skin().apply(&body.mesh.positions, &motions, Blend::DualQuaternion);
    let posed = TriMesh { positions, triangles: body.mesh.triangles.clone() };
    assert!((signed_volume(&posed) / signed_volume(&body.mesh) - 1.0).abs() < 0.04);
    assert!(judge::self_intersections(&posed).is_clean());
}
