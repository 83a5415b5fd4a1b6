//! Landmarks of a mesh of which nothing is known, against those the mannequin was drafted with.

use toile_body::measure::{self, Landmarks};
use toile_body::{Figure, Given, Kind, Measurement as M, Pose, Specification, draft};
use toile_mesh::{DVec3, TriMesh, generate};

/// Measures drafted bodies without their landmarks and compares: girths relative, lengths in metres.
fn compare(specification: &Specification) {
    let body = draft(specification).expect("an ordinary body");
    let found = Landmarks::find(&body.mesh).expect("a body in A-pose");
    let read = measure::read(&body.mesh, &found);
    for m in M::ALL {
        let (is, expected) = (read[m], body.measurements[m]);
        let allowed = match (m, m.kind()) {
            (M::Height | M::Inseam, _) => 0.003,
            (_, Kind::Girth) => 0.04 * expected,
            (M::ShoulderWidth, _) => 0.03,
            (_, Kind::Length) => 0.05,
            (_, Kind::Angle) => 0.06,
        };
        assert!((is - expected).abs() <= allowed, "{m:?}: found {is:.4}, drafted to {expected:.4}");
    }
}

#[test]
fn bodies_in_a_pose_are_measured_without_their_landmarks() {
    for figure in Figure::ALL {
        compare(&Specification { triangles: 8_000, ..Specification::new(figure, Given::NONE) });
    }
}

#[test]
fn a_full_figure_is_measured_without_its_landmarks() {
    let given = Given::NONE.with(M::Height, 1.62).with(M::Bust, 1.08).with(M::Waist, 0.92).with(M::Hip, 1.15);
    compare(&Specification { triangles: 8_000, ..Specification::new(Figure::Female, given) });
}

#[test]
fn moved_and_renumbered_bodies_measure_the_same() {
    let specification = Specification { triangles: 5_000, ..Specification::new(Figure::Female, Given::NONE) };
    let body = draft(&specification).unwrap();
    let read = |mesh: &TriMesh| measure::read(mesh, &Landmarks::find(mesh).unwrap());
    let expected = read(&body.mesh);
    let mut other = body.mesh.clone().map_positions(|p| p + DVec3::new(0.37, -0.9, 1.2));
    other.triangles.reverse();
    for (m, value) in read(&other).iter() {
        assert!((value - expected[m]).abs() < 2e-3, "{m:?}: {value} instead of {}", expected[m]);
    }
}

#[test]
fn things_that_are_no_bodies_are_refused_with_a_remedy() {
    for mesh in [TriMesh::default(), generate::icosphere(0.9, 3), generate::cuboid(DVec3::new(0.5, 1.7, 0.3), 4)] {
        let refusal = Landmarks::find(&mesh).unwrap_err();
        assert!(!refusal.message.is_empty() && !refusal.help.is_empty());
    }
}

#[test]
fn level_arms_are_found_too() {
    let specification =
        Specification { pose: Pose::T, triangles: 8_000, ..Specification::new(Figure::Male, Given::NONE) };
    let body = draft(&specification).unwrap();
    let read = measure::read(&body.mesh, &Landmarks::find(&body.mesh).unwrap());
    for m in [M::Bust, M::Waist, M::Hip, M::Thigh, M::UpperArm, M::Wrist, M::Neck] {
        assert!((read[m] / body.measurements[m] - 1.0).abs() < 0.05, "{m:?} {} {}", read[m], body.measurements[m]);
    }
}
