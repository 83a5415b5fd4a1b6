//! Collisions of patches resolved at once: momentum, segmentation, cycles, obstacles that stand or move, repeated search.

use std::convert::Infallible;

use proptest::prelude::*;
use toile_collide::{HierarchySettings, Impact};
use toile_contact::{ZoneMesh, ZoneReport, ZoneSettings, ZoneStep, resolve_zones};
use toile_mesh::{DVec3, Motion, Moves, Surface, TriMesh, generate};

const STEP: f64 = 0.1;

/// Squares of two faces, one above the other at the given heights; those from `obstacles` on are obstacles, and larger.
fn stack(heights: &[f64], obstacles: usize) -> (Vec<Surface>, Vec<DVec3>) {
    let square = |size: f64, y: f64| generate::plane([size, size], [1, 1]).map_positions(|p| p + y * DVec3::Y);
    let size = |i: usize| if i < obstacles { 1.0 } else { 3.0 };
    let meshes: Vec<TriMesh> = heights.iter().enumerate().map(|(i, y)| square(size(i), *y)).collect();
    let kind = |(i, m)| if i < obstacles { Surface::new(m) } else { Surface::obstacle(m, Moves::Rigidly) };
    (meshes.iter().enumerate().map(kind).collect(), meshes.iter().flat_map(|m| m.positions.clone()).collect())
}

/// Velocities of a stack of squares.
fn velocities(of_squares: &[DVec3]) -> Vec<DVec3> {
    of_squares.iter().flat_map(|v| [*v; 4]).collect()
}

/// Resolves pairs that are found once.
fn once(
    surfaces: &[Surface],
    step: &ZoneStep<'_>,
    v: &mut [DVec3],
    settings: &ZoneSettings,
    pairs: &[[u32; 2]],
) -> ZoneReport {
    let mut first = true;
    let search = |_: &[DVec3]| -> Result<_, Infallible> {
        Ok(if std::mem::take(&mut first) { pairs.to_vec() } else { Vec::new() })
    };
    let Ok(report) = resolve_zones(&ZoneMesh::new(surfaces), step, v, settings, search);
    report
}

fn momentum(v: &[DVec3], inverse_mass: &[f64]) -> DVec3 {
    v.iter().zip(inverse_mass).filter(|(_, w)| **w > 0.0).map(|(v, w)| *v / *w).sum()
}

/// Resolves with a detector that looks at the whole of the motion.
fn detected(surfaces: &[Surface], step: &ZoneStep<'_>, v: &mut [DVec3], settings: &ZoneSettings) -> ZoneReport {
    let mesh = ZoneMesh::new(surfaces);
    let mut detector = HierarchySettings::default().detector(surfaces.to_vec()).expect("default settings are valid");
    let mut found: Vec<Impact> = Vec::new();
    let search = |v: &[DVec3]| {
        let end: Vec<DVec3> = step.x_t0.iter().zip(v).map(|(x, v)| *x + step.step * *v).collect();
        let mut first = 0;
        let motion = |surface: &Surface| {
            let range = first..first + surface.vertex_count();
            first = range.end;
            Motion { x_t0: &step.x_t0[range.clone()], x_t1: &end[range] }
        };
        let motions: Vec<Motion<'_>> = surfaces.iter().map(motion).collect();
        found.clear();
        detector.impacts(&motions, 1e-4, &mut found).map(|_| mesh.face_pairs(&found))
    };
    resolve_zones(&mesh, step, v, settings, search).expect("the positions are finite")
}

/// Two sheets of several cells, a little turned against each other, the second above the first.
fn sheets() -> (Vec<Surface>, Vec<DVec3>) {
    let lower = generate::plane([1.0, 1.0], [6, 6]);
    let upper = generate::plane([0.8, 0.8], [5, 5])
        .map_positions(|p| DVec3::new(0.9 * p.x - 0.4 * p.z, 0.05, 0.4 * p.x + 0.9 * p.z));
    let x = lower.positions.iter().chain(&upper.positions).copied().collect();
    (vec![Surface::new(&lower), Surface::new(&upper)], x)
}

#[test]
fn a_sheet_that_falls_on_another_shares_its_momentum_and_nothing_is_left_to_resolve() {
    let (surfaces, x) = sheets();
    let lower = surfaces[0].vertex_count();
    let w: Vec<f64> = (0..x.len()).map(|i| if i < lower { 100.0 } else { 50.0 }).collect();
    let before: Vec<DVec3> = (0..x.len()).map(|i| if i < lower { DVec3::X } else { -3.0 * DVec3::Y }).collect();
    let mut v = before.clone();
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let report = detected(&surfaces, &step, &mut v, &ZoneSettings::default());
    assert_eq!(report.left, 0, "{report:?}");
    assert_eq!((report.zones, report.collisions), (1, 1), "{report:?}");
    assert!((momentum(&v, &w) - momentum(&before, &w)).length() < 1e-12);
    // Both move on together along the normal and keep sliding: nothing acts across it.
    let hit = |i: &usize| v[*i] != before[*i];
    let struck: Vec<usize> = (0..x.len()).filter(hit).collect();
    assert!(struck.len() > 50 && struck.iter().all(|i| (v[*i].y - v[struck[0]].y).abs() < 1e-12));
    assert!(struck.iter().all(|i| v[*i].x == before[*i].x && v[*i].z == 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn momentum_is_kept_whatever_the_cloth_does(
        seeds in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 85),
        masses in prop::collection::vec(0.01..1.0_f64, 85),
        elasticity in 0.0..1.0_f64,
    ) {
        let (surfaces, x) = sheets();
        let w: Vec<f64> = masses.iter().map(|m| 1.0 / m).collect();
        let before: Vec<DVec3> = seeds.iter().map(|s| DVec3::from(*s)).collect();
        let mut v = before.clone();
        let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
        let settings = ZoneSettings { elasticity, ..Default::default() };
        let report = detected(&surfaces, &step, &mut v, &settings);
        prop_assert!(report.zones > 0);
        let scale = v.iter().fold(1.0_f64, |most, v| most.max(v.length()));
        prop_assert!((momentum(&v, &w) - momentum(&before, &w)).length() < 1e-12 * 85.0 * scale);
    }
}

#[test]
fn a_strip_folded_onto_itself_is_segmented_and_its_arms_part() {
    // Four cells along x; the right half lies folded over the left and comes down on it.
    let strip = generate::plane([4.0, 1.0], [4, 1]);
    let x: Vec<DVec3> =
        strip.positions.iter().map(|p| if p.x > 0.0 { DVec3::new(-p.x * 0.99, p.x * 0.1, p.z) } else { *p }).collect();
    let before: Vec<DVec3> = x.iter().map(|p| if p.y > 0.0 { -4.0 * DVec3::Y } else { DVec3::ZERO }).collect();
    let folded = TriMesh { positions: x.clone(), ..strip };
    let surfaces = [Surface::new(&folded)];
    let mut v = before.clone();
    let w = vec![1.0; x.len()];
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let pairs = [[0, 6], [1, 7], [2, 4], [3, 5]];
    let report = once(&surfaces, &step, &mut v, &ZoneSettings::default(), &pairs);
    assert_eq!((report.clusters, report.segmented, report.collisions), ([1, 0], [1, 0], 1));
    assert!((momentum(&v, &w) - momentum(&before, &w)).length() < 1e-12);
    let mean = |upper: bool| {
        let arm: Vec<usize> = (0..x.len()).filter(|i| x[*i].x < -0.1 && (x[*i].y > 0.0) == upper).collect();
        arm.iter().map(|i| v[*i]).sum::<DVec3>() / arm.len() as f64
    };
    let normal = DVec3::new(0.05, 1.0, 0.0).normalize();
    assert!((mean(true) - mean(false)).dot(normal) > -0.01, "{} {}", mean(true), mean(false));
    assert!((0..x.len()).filter(|i| x[*i].x.abs() < 1e-9).all(|i| v[i] == before[i]), "the crease keeps its velocity");
}

#[test]
fn a_cluster_without_sharp_bend_that_collides_with_itself_is_reported() {
    let (surfaces, x) = stack(&[0.0], 1);
    let mut v = velocities(&[DVec3::X]);
    let step = ZoneStep { x_t0: &x, inverse_mass: &[1.0; 4], step: STEP };
    let report = once(&surfaces, &step, &mut v, &ZoneSettings::default(), &[[0, 1]]);
    assert_eq!((report.segmented, report.collisions, report.left), ([0, 1], 0, 1));
}

#[test]
fn three_sheets_in_a_cycle_are_parted_by_a_linear_programme() {
    let (surfaces, x) = stack(&[0.0, 0.1, 0.2], 3);
    let before = velocities(&[4.0 * DVec3::Y, DVec3::Y, -2.0 * DVec3::Y]);
    let w: Vec<f64> = (0..12).map(|i| 1.0 + f64::from(i / 4)).collect();
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let settings = ZoneSettings { elasticity: 0.5, ..Default::default() };
    let mut v = before.clone();
    let report = once(&surfaces, &step, &mut v, &settings, &[[0, 2], [2, 4], [0, 4]]);
    assert_eq!((report.collisions, report.cyclic, report.programmes, report.bundled), (3, 1, 1, 0));
    for [a, b] in [[0, 4], [4, 8], [0, 8]] {
        let (approach, parting): (f64, f64) = (before[a].y - before[b].y, v[b].y - v[a].y);
        assert!(parting > 0.5 * approach - 1e-6, "{parting} after {approach}");
    }
    assert!((momentum(&v, &w) - momentum(&before, &w)).length() < 1e-12);
    let mut chained = before.clone();
    let report = once(&surfaces, &step, &mut chained, &settings, &[[0, 2], [2, 4]]);
    assert_eq!((report.collisions, report.cyclic), (2, 0));
    assert!((chained[4].y - chained[0].y - 1.5).abs() < 1e-12 && (chained[8].y - chained[4].y - 1.5).abs() < 1e-12);
}

#[test]
fn a_collision_that_resolving_causes_is_found_and_resolved_in_the_next_round() {
    // The lowest sheet hits the middle one, which then reaches the highest.
    let (surfaces, x) = stack(&[0.0, 0.1, 0.2], 3);
    let mut v = velocities(&[5.0 * DVec3::Y, DVec3::ZERO, DVec3::ZERO]);
    let step = ZoneStep { x_t0: &x, inverse_mass: &[1.0; 12], step: STEP };
    let settings = ZoneSettings { elasticity: 1.0, ..Default::default() };
    let mut asked = 0;
    let search = |v: &[DVec3]| -> Result<_, Infallible> {
        asked += 1;
        let height = |square: usize| x[4 * square].y + STEP * v[4 * square].y;
        let mut pairs = Vec::new();
        for (upper, faces) in [(1, [[0, 2], [1, 3]]), (2, [[2, 4], [3, 5]])] {
            pairs.extend(faces.into_iter().filter(|_| height(upper) <= height(upper - 1)));
        }
        Ok(pairs)
    };
    let Ok(report) = resolve_zones(&ZoneMesh::new(&surfaces), &step, &mut v, &settings, search);
    assert_eq!((report.rounds, report.left, asked), (2, 0, 3));
    let expected = [0.0, 0.0, 5.0];
    assert!((0..12).all(|i| (v[i] - expected[i / 4] * DVec3::Y).length() < 1e-12), "a cradle: {v:?}");
}

#[test]
fn rounds_are_bounded_and_an_error_of_the_search_is_handed_on() {
    let (surfaces, x) = stack(&[0.0, 0.1], 2);
    let mesh = ZoneMesh::new(&surfaces);
    let step = ZoneStep { x_t0: &x, inverse_mass: &[1.0; 8], step: STEP };
    let mut v = velocities(&[DVec3::Y, -DVec3::Y]);
    let always = |_: &[DVec3]| -> Result<_, Infallible> { Ok(vec![[0, 2]]) };
    let none = ZoneSettings { rounds: 0, ..Default::default() };
    let Ok(report) = resolve_zones(&mesh, &step, &mut v, &none, always);
    assert!(report == ZoneReport { left: 1, ..Default::default() } && v[0] == DVec3::Y);
    // What does not approach any more is not resolved again and again.
    let Ok(report) = resolve_zones(&mesh, &step, &mut v, &ZoneSettings::default(), always);
    assert_eq!((report.rounds, report.collisions, report.left), (2, 1, 1));
    let failed = resolve_zones(&mesh, &step, &mut v, &ZoneSettings::default(), |_| Err("no detector"));
    assert_eq!(failed, Err("no detector"));
}

#[test]
fn the_result_does_not_depend_on_the_order_of_the_pairs() {
    let (surfaces, x) = stack(&[0.0, 0.1, 0.2, 0.3], 3);
    let pairs = [[0, 2], [3, 1], [2, 4], [5, 3], [0, 4], [4, 6], [6, 0]];
    let mut backwards: Vec<[u32; 2]> = pairs.iter().rev().map(|[f, g]| [*g, *f]).collect();
    backwards.rotate_left(2);
    let w: Vec<f64> = (0..16).map(|i| if i < 12 { 1.0 + 0.1 * f64::from(i) } else { 0.0 }).collect();
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let start: Vec<DVec3> = (0..16).map(|i| f64::from(i % 5) * DVec3::Y - f64::from(i / 4) * DVec3::ONE).collect();
    let (mut v, mut u) = (start.clone(), start);
    let settings = ZoneSettings { elasticity: 0.3, thickness: 0.5, ..Default::default() };
    let reports =
        [once(&surfaces, &step, &mut v, &settings, &pairs), once(&surfaces, &step, &mut u, &settings, &backwards)];
    assert_eq!(reports[0], reports[1]);
    assert_eq!(v, u);
}

#[test]
fn particles_strike_a_fixed_obstacle_one_by_one() {
    // A floor above which a square comes down fast, except for one corner that rises and one that stays out of reach.
    let (surfaces, x) = stack(&[0.05, 0.0], 1);
    let fall = DVec3::new(0.5, -2.0, 0.25);
    let before = [fall, DVec3::new(0.0, 3.0, 0.0), -0.1 * DVec3::Y, fall];
    let mut v: Vec<DVec3> = before.into_iter().chain([DVec3::ZERO; 4]).collect();
    let w: Vec<f64> = (0..8).map(|i| if i < 3 { 2.0 } else { 0.0 }).collect();
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let settings = ZoneSettings { elasticity: 0.5, slip_kept: 0.8, thickness: 0.01, ..Default::default() };
    let report = once(&surfaces, &step, &mut v, &settings, &[[0, 2], [1, 3], [0, 3], [1, 2]]);
    assert!((v[0] - DVec3::new(0.4, 1.0, 0.2)).length() < 1e-15, "{}", v[0]);
    assert_eq!(v[1..4], before[1..4], "separating, out of reach, held");
    assert_eq!((report.struck, report.carried, report.clusters), (1, 0, [1, 1]));
}

#[test]
fn cloth_below_an_open_obstacle_is_stopped_from_below() {
    let (surfaces, x) = stack(&[-0.05, 0.0], 1);
    let mut v = velocities(&[DVec3::new(1.0, 2.0, 0.0), DVec3::ZERO]);
    let w: Vec<f64> = (0..8).map(|i| if i < 4 { 2.0 } else { 0.0 }).collect();
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let report = once(&surfaces, &step, &mut v, &ZoneSettings::default(), &[[0, 2], [1, 3]]);
    assert!(report.struck == 4 && v[..4].iter().all(|v| (*v - DVec3::X).length() < 1e-15), "{v:?}");
}

#[test]
fn a_moving_obstacle_carries_what_is_near_it() {
    let (surfaces, x) = stack(&[0.05, 0.0], 1);
    let lift = DVec3::new(0.3, 2.0, 0.0);
    let mut v = velocities(&[DVec3::ZERO, lift]);
    v[2] = 3.0 * DVec3::Y;
    let w: Vec<f64> = (0..8).map(|i| if i < 4 { 2.0 } else { 0.0 }).collect();
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let report = once(&surfaces, &step, &mut v, &ZoneSettings::default(), &[[0, 2], [1, 3]]);
    assert_eq!((report.carried, report.struck), (3, 0));
    assert!([0, 1, 3].iter().all(|i| (v[*i] - lift).length() < 1e-15) && v[2].y == 3.0, "{v:?}");
}

#[test]
fn between_a_fixed_and_a_moving_obstacle_the_nearer_decides() {
    // The lower obstacle is fixed, the upper comes down; two corners of the cloth are near the one, two near the other.
    let (surfaces, mut x) = stack(&[0.0, -0.1, 0.1], 1);
    let press = -0.5 * DVec3::Y;
    let (low, high): (Vec<usize>, Vec<usize>) = (0..4).partition(|i| x[*i].x < 0.0);
    for (i, y) in low.iter().map(|i| (i, -0.08)).chain(high.iter().map(|i| (i, 0.08))) {
        x[*i].y = y;
    }
    let mut v = velocities(&[DVec3::new(1.0, -0.5, 0.0), DVec3::ZERO, press]);
    for i in &high {
        v[*i] = DVec3::X;
    }
    let w: Vec<f64> = (0..12).map(|i| if i < 4 { 2.0 } else { 0.0 }).collect();
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let settings = ZoneSettings { slip_kept: 0.5, ..Default::default() };
    let pairs = [[0, 2], [0, 3], [1, 2], [1, 3], [0, 4], [0, 5], [1, 4], [1, 5]];
    let report = once(&surfaces, &step, &mut v, &settings, &pairs);
    assert_eq!((report.struck, report.carried, report.clusters), (2, 2, [1, 2]));
    assert!(low.iter().all(|i| (v[*i] - 0.5 * DVec3::X).length() < 1e-15), "{v:?}");
    assert!(high.iter().all(|i| (v[*i] - press).length() < 1e-15), "{v:?}");
}

#[test]
fn obstacles_come_after_the_cloth_and_have_the_last_word() {
    // Two sheets above a floor: the upper one drives the lower one down, which the floor then stops.
    let (surfaces, x) = stack(&[0.05, 0.2, 0.0], 2);
    let mut v = velocities(&[DVec3::ZERO, -2.0 * DVec3::Y, DVec3::ZERO]);
    let w: Vec<f64> = (0..12).map(|i| if i < 8 { 1.0 } else { 0.0 }).collect();
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let report = once(&surfaces, &step, &mut v, &ZoneSettings::default(), &[[0, 2], [1, 3], [0, 4], [1, 5]]);
    assert_eq!((report.zones, report.collisions), (1, 1));
    assert!(v[..4].iter().all(|v| v.length() < 1e-15), "{v:?}");
    assert!(v[4..8].iter().all(|v| (*v + DVec3::Y).length() < 1e-15), "{v:?}");
}

#[test]
fn velocities_that_are_no_numbers_do_no_harm() {
    let (surfaces, x) = stack(&[0.0, 0.1, -0.1], 2);
    let mut v = velocities(&[DVec3::NAN, -DVec3::Y, DVec3::ZERO]);
    let w: Vec<f64> = (0..12).map(|i| if i < 8 { 1.0 } else { 0.0 }).collect();
    let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: STEP };
    let report = once(&surfaces, &step, &mut v, &ZoneSettings::default(), &[[0, 2], [0, 4]]);
    assert_eq!((report.collisions, report.struck), (0, 0));
    assert!(v[4..8].iter().all(|v| *v == -DVec3::Y));
}
