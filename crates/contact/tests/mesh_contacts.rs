//! Cloth against meshes: pushed apart on the side where it was, carried by what moves, and taken back from what it went
//! through.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

use std::sync::Arc;

use proptest::prelude::*;
use toile_collide::{Detector, HierarchySettings};
use toile_contact::{Friction, MeshContacts, MeshObstacle, MeshThresholds, Motion, Pose, RigidMotion, VertexKeyframes};
use toile_mesh::{DVec3, Surface, TriMesh, generate, judge};

const THRESHOLD: f64 = 0.003;
const BOTH: MeshThresholds = MeshThresholds { particles: THRESHOLD, features: Some(0.5 * THRESHOLD) };

fn contacts(cloth: &TriMesh, obstacle: &MeshObstacle) -> MeshContacts {
    let make = |surfaces: Vec<Surface>| -> Box<dyn Detector> {
        HierarchySettings::default().detector(surfaces).expect("the default settings are valid")
    };
    MeshContacts::new(cloth, std::slice::from_ref(obstacle), Arc::new(make))
}

fn obstacle(mesh: TriMesh, motion: Motion, friction: Friction) -> MeshObstacle {
    MeshObstacle { name: "solid".into(), mesh, keyframes: None, motion, friction }
}

fn floor(friction: Friction) -> MeshObstacle {
    obstacle(generate::plane([2.0, 2.0], [3, 3]), Motion::at_rest(Pose::IDENTITY), friction)
}

/// A small sheet at height `y` [m], a little turned so that nothing lines up with the floor.
fn sheet(y: f64) -> TriMesh {
    generate::plane([0.5, 0.5], [5, 5])
        .map_positions(|p| DVec3::new(0.9 * p.x - 0.3 * p.z + 0.01, y, 0.3 * p.x + 0.9 * p.z))
}

fn moved(mesh: &TriMesh, by: DVec3) -> Vec<DVec3> {
    mesh.positions.iter().map(|p| *p + by).collect()
}

#[test]
fn a_sheet_that_jumps_through_a_floor_is_put_back_on_its_side() {
    for (from, to, above) in [(0.1, -0.1, true), (-0.05, 0.2, false), (0.1, 0.001, true), (0.002, 0.001, true)] {
        let (floor, cloth) = (floor(Friction::Scaled(0.0)), sheet(from));
        let mut contacts = contacts(&cloth, &floor);
        contacts.place(std::slice::from_ref(&floor), 0.0, 0.01);
        let mut x = moved(&cloth, DVec3::Y * (to - from));
        let w = vec![1.0; x.len()];
        contacts.find(&cloth.positions, &x, BOTH, 0.25 * THRESHOLD).unwrap();
        assert!(contacts.len() >= 36, "every vertex is near the floor");
        for _ in 0..3 {
            contacts.pass(&cloth.positions, &mut x, &w, BOTH);
        }
        let side = if above { 1.0 } else { -1.0 };
        let lowest = x.iter().map(|p| side * p.y).fold(f64::INFINITY, f64::min);
        assert!((lowest - THRESHOLD).abs() < 1e-12, "from {from} to {to}: {lowest}");
        // Nothing was moved sideways, and the guard finds nothing to do.
        let goal = moved(&cloth, DVec3::ZERO);
        assert!(x.iter().zip(&goal).all(|(a, b)| (a.x - b.x).abs() < 1e-12 && (a.z - b.z).abs() < 1e-12));
        let report = contacts.guard(&cloth.positions, &mut x, &w, 0.1 * THRESHOLD, false).unwrap();
        assert_eq!((report.taken_back, report.rounds, report.left), (0, 1, 0));
    }
}

#[test]
fn a_spike_lifts_the_triangle_it_pierces_by_its_corners() {
    let spike = TriMesh::from_indices(
        vec![DVec3::new(0.1, -1.0, 0.1), DVec3::new(-0.1, -1.0, 0.1), DVec3::new(0.0, -1.0, -0.1), DVec3::ZERO],
        &[[0, 1, 3], [1, 2, 3], [2, 0, 3]],
    );
    let rising = RigidMotion { velocity: DVec3::Y, ..RigidMotion::at_rest(Pose::at(DVec3::new(0.1, -0.01, 0.05))) };
    let spike = obstacle(spike, Motion::Rigid(rising), Friction::Coulomb(0.0));
    let cloth = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Z], &[[0, 2, 1]]);
    let mut contacts = contacts(&cloth, &spike);
    contacts.place(std::slice::from_ref(&spike), 0.0, 0.02);
    let mut x = cloth.positions.clone();
    contacts.find(&cloth.positions, &x, BOTH, 0.25 * THRESHOLD).unwrap();
    // The second corner is twice as heavy: it moves half as far for its weight.
    let w = [1.0, 0.5, 1.0];
    for _ in 0..40 {
        contacts.pass(&cloth.positions, &mut x, &w, BOTH);
    }
    let weights = [0.85, 0.1, 0.05];
    let height: f64 = x.iter().zip(weights).map(|(p, w)| p.y * w).sum();
    assert!((height - 0.01 - 0.5 * THRESHOLD).abs() < 1e-4, "{height}");
    let expected = weights.iter().zip(w).map(|(a, w)| a * w).collect::<Vec<_>>();
    for k in 1..3 {
        assert!((x[k].y / x[0].y - expected[k] / expected[0]).abs() < 0.02, "{x:?}");
    }
}

#[test]
fn what_rests_on_a_moving_floor_is_carried_by_friction() {
    for (friction, share) in [
        (Friction::Scaled(1.0), 1.0),
        (Friction::Scaled(0.0), 0.0),
        (Friction::Coulomb(50.0), 1.0),
        (Friction::Coulomb(0.0), 0.0),
    ] {
        let belt = RigidMotion { velocity: DVec3::X, ..RigidMotion::at_rest(Pose::IDENTITY) };
        let belt = obstacle(generate::plane([2.0, 2.0], [3, 3]), Motion::Rigid(belt), friction);
        let cloth = sheet(THRESHOLD);
        let mut contacts = contacts(&cloth, &belt);
        contacts.place(std::slice::from_ref(&belt), 0.0, 0.01);
        // Gravity has pressed the cloth a little into the threshold.
        let mut x = moved(&cloth, DVec3::Y * -0.0005);
        let w = vec![1.0; x.len()];
        contacts.find(&cloth.positions, &x, BOTH, 0.25 * THRESHOLD).unwrap();
        let touching = contacts.rub(&cloth.positions, &mut x, &w, BOTH, 1.0);
        contacts.pass(&cloth.positions, &mut x, &w, BOTH);
        assert_eq!(touching, x.len());
        for (a, b) in x.iter().zip(&cloth.positions) {
            let expected = *b + DVec3::X * (0.01 * share);
            assert!((*a - expected).length() < 1e-9, "{friction:?}: {a} instead of {expected}");
        }
    }
}

#[test]
fn held_vertices_stay_and_what_they_pierce_is_reported() {
    let (floor, cloth) = (floor(Friction::Scaled(0.0)), sheet(0.1));
    let mut contacts = contacts(&cloth, &floor);
    contacts.place(std::slice::from_ref(&floor), 0.0, 0.01);
    let down = moved(&cloth, DVec3::Y * -0.2);
    let mut x = down.clone();
    let report = contacts.guard(&cloth.positions, &mut x, &[0.0; 36], 0.1 * THRESHOLD, false).unwrap();
    assert!(x == down && report.left > 0 && report.taken_back == 0);
}

fn vector(most: f64) -> impl Strategy<Value = DVec3> {
    [-most..most, -most..most, -most..most].prop_map(DVec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever cloth and obstacle do in a step, after the guard they do not cross.
    #[test]
    fn nothing_gets_past_the_guard(
        centre in vector(0.1), velocity in vector(10.0), axis in vector(1.0), rate in -20.0..20.0_f64,
        jumps in prop::collection::vec(vector(0.3), 36), swell in prop::option::of(0.7..1.3_f64),
    ) {
        // The ball is under the sheet, 5 mm from it, and moves by up to 10 cm and a fifth of a radian.
        let ball = generate::icosphere(0.2, 2);
        let start = Pose::at(DVec3::new(centre.x, -0.205, centre.z));
        let rigid = RigidMotion { velocity, spin_axis: axis, spin_rate: rate, ..RigidMotion::at_rest(start) };
        let mut solid = obstacle(ball.clone(), Motion::Rigid(rigid), Friction::Scaled(0.0));
        if let Some(factor) = swell {
            let swollen = ball.positions.iter().map(|p| *p * (1.0 + 0.1 * (factor - 1.0))).collect();
            solid.keyframes = Some(VertexKeyframes::new(100.0, vec![ball.positions, swollen]).unwrap());
        }
        let cloth = sheet(0.0);
        let mut contacts = contacts(&cloth, &solid);
        contacts.place(std::slice::from_ref(&solid), 0.0, 0.01);
        let mut x: Vec<DVec3> = cloth.positions.iter().zip(&jumps).map(|(p, jump)| *p + *jump).collect();
        let report = contacts.guard(&cloth.positions, &mut x, &[1.0; 36], 0.1 * THRESHOLD, false).unwrap();
        if swell.is_none() || report.left == 0 {
            prop_assert_eq!(report.left, 0);
            let end = TriMesh { positions: x, triangles: cloth.triangles };
            prop_assert_eq!(judge::mutual_intersections(&end, &solid.mesh_at(0.01)).count(), 0);
        }
    }
}
