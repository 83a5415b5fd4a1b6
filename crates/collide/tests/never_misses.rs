//! Every mode of the hierarchy finds exactly what testing all pairs finds.

use proptest::prelude::*;
use toile_collide::impact::{Method, time_of_impact};
use toile_collide::{
    BruteForce, Cover, Detector, FeaturePair, HierarchySettings, Reach, TreeSettings, UpdatePolicy, closest_points,
};
use toile_mesh::{DVec3, Motion, Moves, Rest, Surface, TriMesh, generate};

/// Small groups, so that meshes of a few hundred triangles have many.
fn small_groups() -> TreeSettings {
    TreeSettings { leaf_size: 1, group_size: 24 }
}

fn modes() -> Vec<(&'static str, HierarchySettings)> {
    let base = HierarchySettings { tree: small_groups(), ..HierarchySettings::default() };
    let plain = HierarchySettings { close_angle: None, ..base };
    vec![
        ("default", base),
        ("without cones", plain),
        ("wide cones", HierarchySettings { close_angle: Some(std::f64::consts::PI), ..base }),
        // Whole surfaces are one region each: only its contour can tell that it meets itself.
        (
            "one group",
            HierarchySettings {
                close_angle: Some(std::f64::consts::PI),
                tree: TreeSettings { leaf_size: 1, group_size: 4096 },
                ..base
            },
        ),
        ("boxes, binary", HierarchySettings { dop: 6, arity: 2, ..plain }),
        ("14-DOP, 8 children", HierarchySettings { dop: 14, arity: 8, ..base }),
        (
            "26-DOP, leaves of three",
            HierarchySettings { dop: 26, tree: TreeSettings { leaf_size: 3, group_size: 40 }, ..base },
        ),
        ("moving", HierarchySettings { cover: Cover::Moving, ..base }),
        (
            "moving, lazy",
            HierarchySettings { cover: Cover::Moving, update: UpdatePolicy::Lazy { tolerance: 0.004 }, ..base },
        ),
        ("oriented", HierarchySettings { cover: Cover::Oriented, ..base }),
        ("uniform", HierarchySettings { cover: Cover::Uniform, ..base }),
        ("lazy", HierarchySettings { update: UpdatePolicy::Lazy { tolerance: 0.004 }, ..base }),
        ("on demand", HierarchySettings { update: UpdatePolicy::OnDemand, ..base }),
        ("coherent", HierarchySettings { coherence: Some(0.01), ..base }),
        (
            "coherent and lazy",
            HierarchySettings { coherence: Some(0.02), update: UpdatePolicy::Lazy { tolerance: 0.002 }, ..plain },
        ),
    ]
}

/// Noise from a seed: one value in −1..1 per call.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn jittered(x: &[DVec3], seed: u64, size: f64) -> Vec<DVec3> {
    let mut next = noise(seed);
    x.iter().map(|p| *p + DVec3::new(next(), next(), next()) * size).collect()
}

/// Surfaces and the positions of their vertices at consecutive times.
struct Case {
    surfaces: Vec<Surface>,
    times: Vec<Vec<Vec<DVec3>>>,
}

impl Case {
    /// Deforming meshes, each moved by a smooth field, noise and, some of the time, nothing at all.
    fn new(meshes: &[TriMesh], seed: u64, speed: f64) -> Self {
        let surfaces = meshes.iter().map(Surface::new).collect();
        let mut times: Vec<Vec<Vec<DVec3>>> = vec![meshes.iter().map(|m| m.positions.clone()).collect()];
        let mut next = noise(seed);
        for step in 0..4 {
            let slow = [1.0, 0.05, 0.0, 0.3][step];
            let moved = |x: &Vec<DVec3>, next: &mut dyn FnMut() -> f64| {
                let drift = DVec3::new(next(), next(), next()) * speed * slow;
                let bend = next() * speed * slow;
                let rough = jittered(x, seed.wrapping_add(step as u64), 0.2 * speed * slow);
                rough.iter().map(|p| *p + drift + DVec3::new(0.0, bend * (5.0 * p.x).sin(), bend * p.y)).collect()
            };
            let last = &times[times.len() - 1];
            times.push(last.iter().map(|x| moved(x, &mut next)).collect());
        }
        Self { surfaces, times }
    }
}

fn motions<'a>(from: &'a [Vec<DVec3>], to: &'a [Vec<DVec3>]) -> Vec<Motion<'a>> {
    from.iter().zip(to).map(|(a, b)| Motion { x_t0: a, x_t1: b }).collect()
}

/// Ends of a step in which marked vertices of the first surface go another way.
fn turned(step: &[Vec<Vec<DVec3>>], marked: &[bool]) -> Vec<Vec<DVec3>> {
    let mut turned = step[1].clone();
    for v in (0..marked.len()).filter(|v| marked[*v]) {
        let [start, end] = [step[0][0][v], step[1][0][v]];
        turned[0][v] = start + 0.5 * DVec3::new(end.z - start.z, start.x - end.x, end.y - start.y);
    }
    turned
}

/// All modes against brute force, step after step with the same detector, so that what is kept between steps counts.
fn check(case: &Case, within: f64, separation: f64) -> Result<usize, TestCaseError> {
    let mut brute = BruteForce::new(case.surfaces.clone(), Method::Conservative);
    let (mut contacts, mut impacts) = (Vec::new(), Vec::new());
    let mut expected = Vec::new();
    for step in case.times.windows(2) {
        let motions = motions(&step[0], &step[1]);
        brute.proximities(&motions, within, &mut contacts).expect("finite");
        brute.impacts(&motions, separation, &mut impacts).expect("finite");
        let marked: Vec<bool> = (0..case.surfaces[0].vertex_count()).map(|v| v % 7 == 0).collect();
        let mut again = Vec::new();
        brute.impacts(&self::motions(&step[0], &turned(step, &marked)), separation, &mut again).expect("finite");
        expected.push((contacts.clone(), impacts.clone(), again.iter().map(|i| i.pair).collect::<Vec<_>>()));
    }
    for (name, settings) in modes() {
        let mut near_detector = settings.detector(case.surfaces.clone()).expect("a known mode");
        let mut impact_detector = settings.detector(case.surfaces.clone()).expect("a known mode");
        for (i, step) in case.times.windows(2).enumerate() {
            let motions = motions(&step[0], &step[1]);
            near_detector.proximities(&motions, within, &mut contacts).expect("finite");
            impact_detector.impacts(&motions, separation, &mut impacts).expect("finite");
            let pairs = |found: &[toile_collide::Proximity]| found.iter().map(|c| c.pair).collect::<Vec<FeaturePair>>();
            prop_assert_eq!(pairs(&contacts), pairs(&expected[i].0), "proximities, {}, step {}", name, i);
            for (found, truth) in contacts.iter().zip(&expected[i].0) {
                let allowed = 0.25 * settings.coherence.unwrap_or(0.0) + 1.0e-12;
                prop_assert!((found.closest.distance - truth.closest.distance).abs() <= allowed, "{name}");
            }
            prop_assert_eq!(&impacts, &expected[i].1, "impacts, {}, step {}", name, i);
            let mut list_detector = settings.detector(case.surfaces.clone()).expect("a known mode");
            let mut listed = Vec::new();
            list_detector.approaching(&motions, Reach::within(separation), None, &mut listed).expect("finite");
            for impact in &impacts {
                prop_assert!(listed.binary_search(&impact.pair).is_ok(), "approaching, {}, step {}", name, i);
            }
            // Of some vertices only: what all of them gave, without the pairs of others. Cones, with which only the search for
            // all culls, may have left out pairs there that the quick test of a pair cannot tell; but none that comes near.
            let marked: Vec<bool> = (0..case.surfaces[0].vertex_count()).map(|v| v % 7 == 0).collect();
            let mut some = Vec::new();
            list_detector.approaching(&motions, Reach::within(separation), Some(&marked), &mut some).expect("finite");
            let has_marked = |pair: &FeaturePair| {
                (0..4).any(|k| pair.vertex_surfaces()[k] == 0 && marked[pair.vertices[k] as usize])
            };
            listed.retain(has_marked);
            let lost = listed.iter().find(|pair| some.binary_search(pair).is_err());
            prop_assert_eq!(lost, None, "lost among the marked, {}, step {}", name, i);
            for pair in some.iter().filter(|pair| listed.binary_search(pair).is_err()) {
                let [start, end] = [false, true].map(|end| pair.positions(&motions, end));
                let time = time_of_impact(pair.kind, Method::Conservative, &start, &end, separation);
                prop_assert_eq!(time, None, "{:?} lost among all, {}, step {}", pair, name, i);
                prop_assert!(settings.close_angle.is_some(), "{:?} left out without cones, {}", pair, name);
            }
            // Those go another way now, the others as before.
            let turned = turned(step, &marked);
            let again = self::motions(&step[0], &turned);
            list_detector.approaching(&again, Reach::within(separation), Some(&marked), &mut some).expect("finite");
            for pair in expected[i].2.iter().filter(|pair| has_marked(pair)) {
                prop_assert!(some.binary_search(pair).is_ok(), "on a new way, {}, step {}", name, i);
            }
        }
    }
    Ok(expected.iter().map(|(c, i, _)| c.len() + i.len()).sum())
}

/// Cloth that knows its rest shape: neighbours count only within a share of what they are apart there.
fn check_rest(mesh: &TriMesh, seed: u64, reach: Reach) -> Result<usize, TestCaseError> {
    let rest = Rest { x: mesh.positions.clone(), part: vec![0; mesh.vertex_count()] };
    let surfaces = vec![Surface::new(mesh).with_rest(rest)];
    let size = 0.1 * mesh.positions[0].distance(mesh.positions[1]);
    let bent: Vec<DVec3> = mesh.positions.iter().map(|p| DVec3::new(p.x, (4.0 * p.x).cos() * 0.2, p.z * 0.9)).collect();
    let (x0, x1) = (jittered(&bent, seed, size), jittered(&bent, seed + 1, 4.0 * size));
    let motions = [Motion { x_t0: &x0, x_t1: &x1 }];
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    BruteForce::new(surfaces.clone(), Method::Conservative)
        .approaching(&motions, reach, None, &mut expected)
        .expect("finite");
    for (name, settings) in modes() {
        let mut detector = settings.detector(surfaces.clone()).expect("a known mode");
        detector.approaching(&motions, reach, None, &mut found).expect("finite");
        // What is left out by its star may be listed by a test that allows for rounding, never the other way round.
        prop_assert!(found.iter().all(|pair| expected.binary_search(pair).is_ok()), "{} invents", name);
        for pair in expected.iter().filter(|pair| found.binary_search(pair).is_err()) {
            let [start, end] = [false, true].map(|end| pair.positions(&motions, end));
            let rest = pair.positions(&[Motion::still(&mesh.positions)], false);
            let least = reach.within.min(reach.of_rest * closest_points(pair.kind, &rest).distance);
            let time = time_of_impact(pair.kind, Method::Conservative, &start, &end, 0.999 * least);
            prop_assert_eq!(time, None, "{} misses {:?}", name, pair);
        }
    }
    Ok(expected.len())
}

/// Loose triangles of many sizes.
fn soup(count: usize, seed: u64) -> TriMesh {
    let mut next = noise(seed);
    let mut mesh = TriMesh::default();
    for _ in 0..count {
        let (centre, size) = (DVec3::new(next(), next(), next()) * 0.3, 0.2 * (3.0 * next()).exp2() * 0.2);
        let corners = (0..3).map(|_| centre + DVec3::new(next(), next(), next()) * size).collect();
        mesh.append(&TriMesh::from_indices(corners, &[[0, 1, 2]]));
    }
    mesh
}

/// A sheet folded like an accordion with narrow gaps.
fn folded(folds: f64, gap: f64) -> TriMesh {
    let pitch = 1.0 / folds;
    generate::plane([1.0, 0.4], [26, 7]).map_positions(|p| {
        let s = (p.x + 0.5) / pitch;
        let (fold, along) = (s.floor(), s.fract());
        let along = if fold as i64 % 2 == 0 { along } else { 1.0 - along };
        DVec3::new(along * pitch, fold * gap + gap * s.fract(), p.z)
    })
}

/// A sheet crumpled by noise of a few wave lengths.
fn crumpled(seed: u64, strength: f64) -> TriMesh {
    let mut next = noise(seed);
    let waves: Vec<(DVec3, DVec3, f64)> = (0..6)
        .map(|_| {
            (DVec3::new(next(), next(), next()) * 20.0, DVec3::new(next(), next(), next()) * strength, next() * 3.0)
        })
        .collect();
    generate::plane([0.6, 0.6], [13, 13])
        .map_positions(|p| waves.iter().fold(p, |x, (k, a, phase)| x + *a * (k.dot(p) + phase).sin()))
}

/// A ramp that winds around its axis more than once: nearly flat, and over itself (Mezger 2003, fig. 5).
fn winding_ramp(turns: f64, rise: f64) -> TriMesh {
    generate::plane([1.0, 0.1], [50, 3]).map_positions(|p| {
        let (angle, radius) = ((p.x + 0.5) * turns * std::f64::consts::TAU, 0.15 + p.z);
        DVec3::new(radius * angle.cos(), (p.x + 0.5) * rise, -radius * angle.sin())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn on_loose_triangles(seed: u64, speed in 0.0..0.2_f64, within in 0.0..0.05_f64) {
        check(&Case::new(&[soup(60, seed)], seed, speed), within, 0.0)?;
        check(&Case::new(&[soup(30, seed), soup(30, seed.wrapping_add(77))], seed, speed), within, 0.3 * within)?;
    }

    #[test]
    fn on_cloth_that_knows_its_rest_shape(seed: u32, cells in 6..14_usize, within in 0.01..0.1_f64, of_rest in 0.3..1.0_f64) {
        let mesh = generate::plane([1.0, 1.0], [cells, cells]);
        check_rest(&mesh, u64::from(seed), Reach { within, of_rest })?;
    }

    #[test]
    fn on_folded_sheets(seed: u64, folds in 2.0..6.0_f64, gap in 0.002..0.03_f64, speed in 0.0..0.05_f64) {
        check(&Case::new(&[folded(folds, gap)], seed, speed), 0.015, 0.0)?;
    }

    #[test]
    fn on_crumpled_sheets(seed: u64, strength in 0.0..0.12_f64, speed in 0.0..0.1_f64, within in 0.0..0.03_f64) {
        check(&Case::new(&[crumpled(seed, strength)], seed, speed), within, 0.2 * within)?;
    }

    #[test]
    fn on_nearly_flat_surfaces_that_meet_themselves(
        seed: u64, turns in 0.8..2.2_f64, rise in 0.0..0.1_f64, speed in 0.0..0.02_f64,
    ) {
        check(&Case::new(&[winding_ramp(turns, rise)], seed, speed), 0.01, 0.001)?;
    }

    #[test]
    fn on_a_ball_in_cloth(seed: u64, speed in 0.0..0.3_f64) {
        let cloth = generate::plane([0.8, 0.8], [12, 12])
            .map_positions(|p| DVec3::new(p.x, 0.21 - 0.9 * (p.x * p.x + p.z * p.z), p.z));
        let mut case = Case::new(&[cloth, generate::icosphere(0.2, 2)], seed, speed);
        case.surfaces[1] = Surface::obstacle(&generate::icosphere(0.2, 2), Moves::Freely);
        check(&case, 0.02, 0.001)?;
    }
}

/// Cones cull a vertex and a triangle 4.9 mm apart that the quick test cannot tell from a pair within 1.1 mm: a search for some
/// vertices, which does without cones, lists them, one for all does not, and neither is wrong.
#[test]
fn a_search_for_some_vertices_may_list_what_cones_cull() {
    let (seed, within) = (5_547_509_762_901_894_241, 0.005_478_540_447_279_822);
    let case = Case::new(&[crumpled(seed, 0.059_473_798_368_455_94)], seed, 0.026_618_235_614_892_606);
    let found = check(&case, within, 0.2 * within).expect("nothing that comes near is lost");
    assert!(found > 100, "{found} pairs");
}

/// An obstacle that stays, and one that turns, are searched as well as one whose vertices are free.
#[test]
fn obstacles_that_stay_or_turn_are_found_like_others() {
    let ball = generate::icosphere(0.2, 2);
    let cloth = generate::plane([0.8, 0.8], [12, 12]).map_positions(|p| p + DVec3::Y * 0.205);
    let turned = |k: f64| -> Vec<DVec3> {
        let turn = toile_mesh::DQuat::from_rotation_y(0.2 * k);
        ball.positions.iter().map(|p| turn * *p + DVec3::Y * 0.004 * k).collect()
    };
    for moves in [Moves::Never, Moves::Rigidly] {
        let mut case = Case::new(&[cloth.clone(), ball.clone()], 5, 0.01);
        case.surfaces[1] = Surface::obstacle(&ball, moves);
        for (k, time) in case.times.iter_mut().enumerate() {
            time[1] = if moves == Moves::Never { ball.positions.clone() } else { turned(k as f64) };
        }
        let found = check(&case, 0.02, 0.001).expect("the same pairs");
        assert!(found > 100, "{found} pairs");
    }
}

/// The same scene in other units, at another place and with other numbers has the same pairs.
#[test]
fn pairs_do_not_depend_on_units_place_or_numbering() {
    let mesh = crumpled(7, 0.09);
    let ends = jittered(&mesh.positions, 8, 0.05);
    // Coordinates that stay exact when moved by 10⁴ m.
    let grid = |x: &[DVec3]| -> Vec<DVec3> { x.iter().map(|p| (*p * 1_048_576.0).round() / 1_048_576.0).collect() };
    let (start, end) = (grid(&mesh.positions), grid(&ends));
    let search = |mesh: &TriMesh, a: &[DVec3], b: &[DVec3], scale: f64| {
        let settings = HierarchySettings { tree: small_groups(), ..HierarchySettings::default() };
        let mut detector = settings.detector(vec![Surface::new(mesh)]).expect("a known mode");
        let (mut contacts, mut impacts) = (Vec::new(), Vec::new());
        let motions = [Motion { x_t0: a, x_t1: b }];
        detector.proximities(&motions, 0.0101 * scale, &mut contacts).expect("finite");
        detector.impacts(&motions, 0.0, &mut impacts).expect("finite");
        let contacts: Vec<FeaturePair> = contacts.iter().map(|c| c.pair).collect();
        let impacts: Vec<(FeaturePair, f64)> = impacts.iter().map(|i| (i.pair, i.time)).collect();
        (contacts, impacts)
    };
    let truth = search(&mesh, &start, &end, 1.0);
    assert!(truth.0.len() > 50 && truth.1.len() > 50, "{} and {}", truth.0.len(), truth.1.len());
    let pairs = |impacts: &[(FeaturePair, f64)]| impacts.iter().map(|i| i.0).collect::<Vec<_>>();
    for scale in [1.0e-3, 1.0e3] {
        let scaled = |x: &[DVec3]| -> Vec<DVec3> { x.iter().map(|p| *p * scale).collect() };
        let found = search(&mesh, &scaled(&start), &scaled(&end), scale);
        assert_eq!((found.0, pairs(&found.1)), (truth.0.clone(), pairs(&truth.1)), "scaled by {scale}");
    }
    let far = DVec3::new(1.0e4, -1.0e4, 1.0e4);
    let moved = |x: &[DVec3]| -> Vec<DVec3> { x.iter().map(|p| *p + far).collect() };
    let found = search(&mesh, &moved(&start), &moved(&end), 1.0);
    assert_eq!((found.0, pairs(&found.1)), (truth.0.clone(), pairs(&truth.1)), "moved");
    // Vertices and triangles in reverse order.
    let n = mesh.vertex_count() as u32;
    let reversed = TriMesh {
        positions: start.iter().rev().copied().collect(),
        triangles: mesh.triangles.iter().rev().map(|t| t.map(|v| toile_mesh::VertexId(n - 1 - v.0))).collect(),
    };
    let backwards: Vec<DVec3> = end.iter().rev().copied().collect();
    let found = search(&reversed, &reversed.positions.clone(), &backwards, 1.0);
    assert_eq!((found.0.len(), found.1.len()), (truth.0.len(), truth.1.len()), "renumbered");
    // By the vertices they join, in canonical order, the pairs are the same ones.
    let canonical = |pair: &FeaturePair, back: bool| {
        let name = |v: u32| if back { n - 1 - v } else { v };
        let v = pair.vertices.map(name);
        match pair.kind {
            toile_collide::impact::PairKind::VertexFace => {
                let mut f = [v[1], v[2], v[3]];
                f.sort_unstable();
                (0, vec![v[0], f[0], f[1], f[2]])
            }
            toile_collide::impact::PairKind::EdgeEdge => {
                let edge = |a: u32, b: u32| [a.min(b), a.max(b)];
                let (e, f) = (edge(v[0], v[1]), edge(v[2], v[3]));
                (1, [e.min(f), e.max(f)].concat())
            }
        }
    };
    let sorted = |pairs: Vec<FeaturePair>, back: bool| {
        let mut names: Vec<_> = pairs.iter().map(|p| canonical(p, back)).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(sorted(found.0, true), sorted(truth.0.clone(), false));
    assert_eq!(sorted(pairs(&found.1), true), sorted(pairs(&truth.1), false));
}

/// Cones cull a smooth sheet, and nothing of a crumpled one that matters.
#[test]
fn cones_cull_smooth_sheets() {
    let smooth = generate::plane([1.0, 1.0], [40, 40]).map_positions(|p| p + DVec3::Y * 0.05 * (4.0 * p.x).sin());
    let mut detector = HierarchySettings::default().detector(vec![Surface::new(&smooth)]).expect("a known mode");
    let mut contacts = Vec::new();
    let report = detector.proximities(&[Motion::still(&smooth.positions)], 0.005, &mut contacts).expect("finite");
    assert!(contacts.is_empty());
    assert!(report.group_pairs[1] * 10 > report.group_pairs[0] * 7, "culled {:?}", report.group_pairs);
    assert!(report.triangle_pairs < smooth.face_count() as u64);
}

/// Results are the same bits for any number of threads.
#[test]
fn threads_do_not_change_results() {
    let mesh = crumpled(3, 0.1);
    let end = jittered(&mesh.positions, 4, 0.03);
    let search = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let settings = HierarchySettings { tree: small_groups(), ..HierarchySettings::default() };
            let mut detector = settings.detector(vec![Surface::new(&mesh)]).expect("a known mode");
            let (mut contacts, mut impacts) = (Vec::new(), Vec::new());
            let motions = [Motion { x_t0: &mesh.positions, x_t1: &end }];
            detector.proximities(&motions, 0.02, &mut contacts).expect("finite");
            detector.impacts(&motions, 0.001, &mut impacts).expect("finite");
            (contacts, impacts)
        })
    };
    let one = search(1);
    for threads in [2, 3, 8] {
        assert_eq!(search(threads), one, "{threads} threads");
    }
}

/// Parts of one surface that drift apart: trees are built anew, and nothing is lost on the way.
#[test]
fn trees_built_anew_lose_nothing() {
    let mut mesh = generate::plane([0.4, 0.4], [8, 8]);
    let n = mesh.vertex_count();
    mesh.append(&generate::plane([0.4, 0.4], [8, 8]).map_positions(|p| p + DVec3::Y * 0.004));
    let settings = HierarchySettings { tree: small_groups(), coherence: Some(0.002), ..HierarchySettings::default() };
    let mut detector = settings.detector(vec![Surface::new(&mesh)]).expect("a known mode");
    let mut brute = BruteForce::new(vec![Surface::new(&mesh)], Method::Conservative);
    let (mut found, mut truth, mut rebuilt) = (Vec::new(), Vec::new(), 0);
    for step in 0..40 {
        let drift = DVec3::new(0.02, 0.03 * (0.3 * f64::from(step)).sin(), 0.0) * f64::from(step);
        let x: Vec<DVec3> =
            mesh.positions.iter().enumerate().map(|(i, p)| if i < n { *p } else { *p + drift }).collect();
        rebuilt += detector.proximities(&[Motion::still(&x)], 0.02, &mut found).expect("finite").rebuilt;
        brute.proximities(&[Motion::still(&x)], 0.02, &mut truth).expect("finite");
        let pairs = |c: &[toile_collide::Proximity]| c.iter().map(|c| c.pair).collect::<Vec<_>>();
        assert_eq!(pairs(&found), pairs(&truth), "step {step}");
    }
    assert!(rebuilt > 0);
}

/// Input that would fill the memory, or is no position at all, is refused.
#[test]
fn hopeless_input_is_refused() {
    let mut pile = TriMesh::default();
    for _ in 0..400 {
        pile.append(&TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Z], &[[0, 1, 2]]));
    }
    let limited = HierarchySettings { limit: 1000, ..HierarchySettings::default() };
    let mut detector = limited.detector(vec![Surface::new(&pile)]).expect("a known mode");
    let refused = detector.proximities(&[Motion::still(&pile.positions)], 0.001, &mut Vec::new());
    assert_eq!(refused, Err(toile_collide::DetectError::TooMany { limit: 1000 }));

    // Triangles that share all vertices have no pairs to report, however many they are.
    let shared = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Z], &vec![[0, 1, 2]; 400]);
    let mut detector = limited.detector(vec![Surface::new(&shared)]).expect("a known mode");
    let refused = detector.impacts(&[Motion::still(&shared.positions)], 0.0, &mut Vec::new());
    assert_eq!(refused, Err(toile_collide::DetectError::TooMany { limit: 1000 }));

    let sheet = generate::plane([1.0, 1.0], [3, 3]);
    let mut broken = sheet.positions.clone();
    broken[4].y = f64::NAN;
    let mut detector = HierarchySettings::default().detector(vec![Surface::new(&sheet)]).expect("a known mode");
    let refused = detector.proximities(&[Motion::still(&broken)], 0.001, &mut Vec::new());
    assert_eq!(refused, Err(toile_collide::DetectError::NotFinite { surface: 0, vertex: 4 }));
    let refused = detector.impacts(&[Motion::still(&broken[..3])], 0.0, &mut Vec::new());
    assert_eq!(refused, Err(toile_collide::DetectError::WrongCount { surface: 0 }));

    // Nothing is nothing.
    let mut detector = HierarchySettings::default().detector(vec![Surface::new(&TriMesh::default())]).expect("a mode");
    let report = detector.proximities(&[Motion::still(&[])], 0.001, &mut Vec::new()).expect("empty");
    assert_eq!(report.found, [0, 0]);
}

/// One triangle that spans the scene among thousands of small ones.
#[test]
fn a_giant_among_dwarfs_is_searched() {
    let mut mesh = generate::plane([1.0, 1.0], [20, 20]);
    let giant = vec![DVec3::new(-50.0, 0.0005, -50.0), DVec3::new(50.0, 0.0005, -50.0), DVec3::new(0.0, 0.0005, 60.0)];
    mesh.append(&TriMesh::from_indices(giant, &[[0, 1, 2]]));
    let motions = [Motion::still(&mesh.positions)];
    let (mut found, mut truth) = (Vec::new(), Vec::new());
    let mut detector = HierarchySettings::default().detector(vec![Surface::new(&mesh)]).expect("a known mode");
    detector.proximities(&motions, 0.001, &mut found).expect("finite");
    BruteForce::new(vec![Surface::new(&mesh)], Method::Conservative)
        .proximities(&motions, 0.001, &mut truth)
        .expect("finite");
    assert_eq!(found, truth);
    assert!(found.len() >= 400);
}
