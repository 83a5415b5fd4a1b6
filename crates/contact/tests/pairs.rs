//! Pairs of features: pushed apart on the side where they were, carried by what moves, and taken back from what they
//! would go through. The judge, which knows nothing of all this, has the last word.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

use std::sync::Arc;

use proptest::prelude::*;
use toile_collide::{Detector, HierarchySettings};
use toile_contact::{
    CandidateSource, Candidates, Friction, Guard, GuardReport, Materials, MeshObstacle, Motion, Obstacle, Participants,
    PlacedObstacles, Pose, Projection, RigidMotion, Shape, Solids, Step, VertexKeyframes,
};
use toile_mesh::{DVec3, Surface, TriMesh, generate, judge};

const KEEP: f64 = 0.003;
const STEP: f64 = 0.01;

/// Cloth, one mesh obstacle or none, and exact obstacles.
struct Case {
    cloth: TriMesh,
    step: Step,
    candidates: Candidates,
    solids: Vec<Obstacle>,
    keeper: Guard,
}

impl Case {
    fn new(cloth: &TriMesh, meshes: &[MeshObstacle], friction: f64) -> Self {
        Self::of_cloths(cloth, &vec![0; cloth.vertex_count()], meshes, friction)
    }

    /// Vertices belong to the cloths that `cloth_of` names.
    fn of_cloths(cloth: &TriMesh, cloth_of: &[u32], meshes: &[MeshObstacle], friction: f64) -> Self {
        let make = |surfaces: Vec<Surface>| -> Box<dyn Detector> {
            HierarchySettings::default().detector(surfaces).expect("the default settings are valid")
        };
        let n = cloth.vertex_count();
        let cloths = 1 + cloth_of.iter().copied().max().unwrap_or(0) as usize;
        let materials = Materials::new(cloths + meshes.len(), |_, _| (KEEP, friction));
        let mut step = Step::new(Participants::new(&cloth.positions, cloth_of, meshes, materials));
        step.place(meshes, 0.0, STEP);
        step.begin(&cloth.positions, &vec![DVec3::ZERO; n], &vec![1.0; n]);
        let candidates = Candidates::new(&step, cloth, meshes, Arc::new(make), true);
        Self { cloth: cloth.clone(), step, candidates, solids: Vec::new(), keeper: Guard::default() }
    }

    /// Pushes pairs apart that are too near at `x`.
    fn part(&mut self, x: &[DVec3], passes: usize) -> usize {
        self.step.set_end(x);
        self.candidates.cover(&self.step).unwrap();
        let mut projection = Projection::default();
        projection.gather(self.candidates.found(), &self.step);
        (0..passes).map(|_| projection.pass(&mut self.step, false).contacts).max().unwrap_or(0)
    }

    fn guard(&mut self) -> GuardReport {
        let mut placed = PlacedObstacles::default();
        placed.place(&self.solids, 0.0, STEP);
        let solids = Solids { placed: &placed, triangles: &self.cloth.triangles, keep: KEEP };
        self.keeper.run(&mut self.step, &mut self.candidates, solids, &[]).unwrap()
    }

    fn end(&self) -> TriMesh {
        let positions = self.step.x_t1[..self.step.cloth()].to_vec();
        TriMesh { positions, triangles: self.cloth.triangles.clone() }
    }
}

fn obstacle(mesh: TriMesh, motion: Motion) -> MeshObstacle {
    MeshObstacle { name: "solid".into(), mesh, deformation: None, motion, friction: None, padding: 0.0 }
}

fn floor(motion: Motion) -> MeshObstacle {
    obstacle(generate::plane([2.0, 2.0], [3, 3]), motion)
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
    for (from, to, above) in [(0.1, -0.1, true), (-0.05, 0.2, false), (0.1, 0.001, true)] {
        let cloth = sheet(from);
        let mut case = Case::new(&cloth, &[floor(Motion::at_rest(Pose::IDENTITY))], 0.0);
        let touching = case.part(&moved(&cloth, DVec3::Y * (to - from)), 3);
        assert!(touching >= 36, "every vertex touches the floor: {touching}");
        let side = if above { 1.0 } else { -1.0 };
        let end = case.end();
        let lowest = end.positions.iter().map(|p| side * p.y).fold(f64::INFINITY, f64::min);
        assert!((lowest - KEEP).abs() < 1e-12, "from {from} to {to}: {lowest}");
        // Nothing was moved sideways, and the guard finds nothing to do.
        let still = end.positions.iter().zip(&cloth.positions);
        assert!(still.into_iter().all(|(a, b)| (a.x - b.x).abs() < 1e-12 && (a.z - b.z).abs() < 1e-12));
        assert_eq!(case.guard(), GuardReport { pushed: 0, taken_back: 0, rounds: 1, left: 0 });
    }
}

#[test]
fn a_pair_that_was_pressed_together_gains_its_distance_gradually() {
    let cloth = sheet(0.0015);
    let mut case = Case::new(&cloth, &[floor(Motion::at_rest(Pose::IDENTITY))], 0.0);
    case.part(&moved(&cloth, DVec3::Y * -0.001), 3);
    let height = case.end().positions[0].y;
    assert!((height - 0.0015 - STEP * KEEP / 0.03).abs() < 1e-12, "{height}");
}

#[test]
fn what_rests_on_a_moving_floor_is_carried_by_friction() {
    for (friction, share) in [(50.0, 1.0), (0.0, 0.0)] {
        let belt = RigidMotion { velocity: DVec3::X, ..RigidMotion::at_rest(Pose::IDENTITY) };
        let cloth = sheet(KEEP);
        let mut case = Case::new(&cloth, &[floor(Motion::Rigid(belt))], friction);
        // Gravity has pressed the cloth a little into the distance it keeps.
        case.part(&moved(&cloth, DVec3::Y * -0.0005), 1);
        for (a, b) in case.end().positions.iter().zip(&cloth.positions) {
            let expected = *b + DVec3::X * (STEP * share);
            assert!((*a - expected).length() < 1e-9, "{friction}: {a} instead of {expected}");
        }
    }
}

#[test]
fn what_a_moving_body_would_run_over_is_carried_along() {
    // A plate comes up from below by ten times the distance to the sheet, and nothing pushed the sheet before.
    let lift = RigidMotion { velocity: DVec3::Y * 5.0, ..RigidMotion::at_rest(Pose::IDENTITY) };
    let cloth = sheet(0.005);
    for exact in [false, true] {
        let plate = Shape::Cuboid { half_size: DVec3::new(1.0, 0.0005, 1.0) };
        let meshes = if exact { vec![] } else { vec![floor(Motion::Rigid(lift))] };
        let mut case = Case::new(&cloth, &meshes, 0.0);
        if exact {
            case.solids.push(Obstacle::new("plate", plate, Motion::Rigid(lift), Friction::Coulomb(0.0)));
        }
        case.step.set_end(&cloth.positions);
        let report = case.guard();
        assert!(report.left == 0 && report.pushed > 0, "exact: {exact}");
        // However far they were pushed, what counts as motion is that of the plate.
        assert!(case.keeper.pace()[..cloth.vertex_count()].iter().all(|pace| (pace - 0.05).abs() < 1e-12));
        for (end, start) in case.end().positions.iter().zip(&cloth.positions) {
            // Pushed one after the other, some go farther than the plate, but not as far again.
            assert!(end.y > 0.0502 && end.y < 0.1 && (*end - *start).with_y(0.0).length() < 1e-12, "{end}");
        }
    }
}

#[test]
fn held_vertices_stay_and_what_they_pierce_is_reported() {
    let cloth = sheet(0.1);
    let mut case = Case::new(&cloth, &[floor(Motion::at_rest(Pose::IDENTITY))], 0.0);
    case.step.begin(&cloth.positions, &[DVec3::ZERO; 36], &[0.0; 36]);
    let down = moved(&cloth, DVec3::Y * -0.2);
    case.step.set_end(&down);
    let report = case.guard();
    assert!(case.end().positions == down && report.left > 0 && report.taken_back == 0);
}

#[test]
fn cloth_that_rests_at_the_floor_of_the_guard_can_leave_but_not_come_nearer() {
    for (exact, y) in [(false, 0.0002), (true, 0.0002), (false, 0.00029), (true, 0.000_300_01)] {
        let cloth = sheet(y);
        let meshes = if exact { vec![] } else { vec![floor(Motion::at_rest(Pose::IDENTITY))] };
        for (by, free) in [(0.0, true), (0.01, true), (-0.0001, false)] {
            let mut case = Case::new(&cloth, &meshes, 0.0);
            if exact {
                let plane =
                    Obstacle::new("floor", Shape::Plane, Motion::at_rest(Pose::IDENTITY), Friction::Coulomb(0.0));
                case.solids.push(plane);
            }
            case.step.set_end(&moved(&cloth, DVec3::Y * by));
            let report = case.guard();
            let idle = report.pushed + report.taken_back == 0;
            assert_eq!((report.left, idle), (0, free), "exact {exact}, {y} by {by}: {report:?}");
        }
    }
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
        jumps in prop::collection::vec(vector(0.3), 36), swell in prop::option::of(0.7..1.3_f64), exact: bool,
    ) {
        // The ball is under the sheet, 5 mm from it, and moves by up to 10 cm and a fifth of a radian.
        let ball = generate::icosphere(0.2, 2);
        let start = Pose::at(DVec3::new(centre.x, -0.205, centre.z));
        let rigid = RigidMotion { velocity, spin_axis: axis, spin_rate: rate, ..RigidMotion::at_rest(start) };
        let mut solid = obstacle(ball.clone(), Motion::Rigid(rigid));
        if let Some(factor) = swell {
            let swollen = ball.positions.iter().map(|p| *p * (1.0 + 0.1 * (factor - 1.0))).collect();
            solid.deformation = Some(Arc::new(VertexKeyframes::new(1.0 / STEP, vec![ball.positions, swollen]).unwrap()));
        }
        let cloth = sheet(0.0);
        let meshes = if exact { vec![] } else { vec![solid.clone()] };
        let mut case = Case::new(&cloth, &meshes, 0.0);
        if exact {
            let round = Obstacle::new("ball", Shape::Sphere { radius: 0.2 }, Motion::Rigid(rigid), Friction::Coulomb(0.0));
            case.solids.push(round);
        }
        let x: Vec<DVec3> = cloth.positions.iter().zip(&jumps).map(|(p, jump)| *p + *jump).collect();
        case.step.set_end(&x);
        let report = case.guard();
        if swell.is_none() || exact || report.left == 0 {
            prop_assert_eq!(report.left, 0);
            let end = case.end();
            prop_assert_eq!(judge::self_intersections(&end).count(), 0);
            let body = if exact { obstacle(generate::icosphere(0.2, 3), Motion::Rigid(rigid)) } else { solid };
            prop_assert_eq!(judge::mutual_intersections(&end, &body.mesh_at(STEP)).count(), 0);
        }
    }

    /// The list made for a path has every pair that comes near while vertices keep to it.
    #[test]
    fn the_list_is_complete_near_its_path(
        way in prop::collection::vec(vector(0.05), 98),
        off in prop::collection::vec(vector(0.25 * KEEP / 1.7321), 98),
        fold in 0.001..0.02_f64,
    ) {
        // Two layers, one above the other.
        let mut cloth = generate::plane([0.3, 0.3], [6, 6]);
        let above = cloth.clone().map_positions(|p| p + DVec3::new(0.01, fold, 0.013));
        cloth.append(&above);
        let mut case = Case::of_cloths(&cloth, &[[0; 49], [1; 49]].concat(), &[], 0.0);
        let end: Vec<DVec3> = cloth.positions.iter().zip(&way).map(|(p, w)| *p + *w).collect();
        case.step.set_end(&end);
        case.candidates.cover(&case.step).unwrap();
        let listed = case.candidates.pairs().to_vec();
        let near: Vec<DVec3> = end.iter().zip(&off).map(|(p, o)| *p + *o).collect();
        case.step.set_end(&near);
        prop_assert!(case.candidates.is_complete(&case.step, 0.4));
        let make = HierarchySettings::default();
        let mut detector = make.detector(vec![Surface::new(&cloth)]).expect("the default settings are valid");
        let mut found = Vec::new();
        detector.impacts(&case.step.motions(&case.step.x_t0, &case.step.x_t1), 0.399 * KEEP, &mut found).unwrap();
        for impact in found {
            let known = |pair: &toile_contact::Candidate| pair.kind == impact.pair.kind && pair.vertices == impact.pair.vertices;
            prop_assert!(listed.iter().any(known), "{:?}", impact.pair);
        }
    }
}
