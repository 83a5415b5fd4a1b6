//! Impulses of touching features against mechanics: momentum, inelastic and elastic impacts, Coulomb's law, thickness.

use proptest::prelude::*;
use toile_collide::impact::PairKind;
use toile_contact::{Contact, Friction, ImpulseSettings, respond, set_apart};
use toile_mesh::DVec3;

const GRAVITY: f64 = 9.81;
/// Above every gap of these tests [m]: all touches are near.
const THICK: f64 = 10.0;

fn rule(friction: f64) -> (f64, f64) {
    (friction, THICK)
}

/// A contact with friction and a distance to keep.
fn with(contact: Contact, (friction, keep): (f64, f64)) -> Contact {
    Contact { friction: Friction::Coulomb(friction), keep, ..contact }
}

fn restitution(restitution: f64) -> ImpulseSettings {
    ImpulseSettings { restitution, ..Default::default() }
}

fn point() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from)
}

fn kind(edges: bool) -> PairKind {
    if edges { PairKind::EdgeEdge } else { PairKind::VertexFace }
}

fn momentum(v: &[DVec3], inverse_mass: &[f64]) -> DVec3 {
    v.iter().zip(inverse_mass).map(|(v, w)| *v / *w).sum()
}

fn angular_momentum(x: &[DVec3], v: &[DVec3], inverse_mass: &[f64]) -> DVec3 {
    (0..x.len()).map(|i| x[i].cross(v[i]) / inverse_mass[i]).sum()
}

fn energy(v: &[DVec3], inverse_mass: &[f64]) -> f64 {
    v.iter().zip(inverse_mass).map(|(v, w)| 0.5 * v.length_squared() / *w).sum()
}

/// A vertex above a triangle of unit size in the plane y = 0, near its middle.
fn above(height: f64) -> [DVec3; 4] {
    [DVec3::new(0.3, height, 0.3), DVec3::ZERO, DVec3::Z, DVec3::X]
}

proptest! {
    #[test]
    fn one_touch_ends_with_minus_e_times_the_approach_and_keeps_both_momenta(
        edges: bool,
        x in prop::array::uniform4(point()),
        v in prop::array::uniform4(point()),
        w in prop::array::uniform4(0.1..10.0_f64),
        e in 0.0..1.0_f64,
    ) {
        let touch = Contact::at(kind(edges), [0, 1, 2, 3], &x);
        let mut after = v;
        let report = respond(&[with(touch, rule(0.0))], &w, &mut after, &restitution(e));
        let (before, now) = (touch.relative(&v).dot(touch.normal), touch.relative(&after).dot(touch.normal));
        let expected = if before < 0.0 { -e * before } else { before };
        prop_assert!((now - expected).abs() < 1e-12, "{} became {}", before, now);
        prop_assert_eq!(report.pushed, usize::from(before < 0.0));
        prop_assert!((momentum(&after, &w) - momentum(&v, &w)).length() < 1e-12);
        prop_assert!((angular_momentum(&x, &after, &w) - angular_momentum(&x, &v, &w)).length() < 1e-11);
        prop_assert!(energy(&after, &w) < energy(&v, &w) + 1e-12);
    }

    #[test]
    fn friction_stays_within_mu_of_the_normal_impulse_and_never_reverses_the_slip(
        edges: bool,
        x in prop::array::uniform4(point()),
        v in prop::array::uniform4(point()),
        w in prop::array::uniform4(0.1..10.0_f64),
        mu in 0.0..2.0_f64,
    ) {
        let touch = Contact::at(kind(edges), [0, 1, 2, 3], &x);
        let mut after = v;
        let report = respond(&[with(touch, rule(mu))], &w, &mut after, &restitution(0.0));
        let slip = |v: &[DVec3]| touch.relative(v).reject_from_normalized(touch.normal);
        let (before, now) = (slip(&v), slip(&after));
        let friction = (now - before) / touch.compliance(&w);
        prop_assert!(friction.length() <= mu * report.normal + 1e-12);
        prop_assert!(now.dot(before) >= -1e-12, "reversed");
        prop_assert!(now.cross(before).length() < 1e-12, "turned");
        // Coulomb: what still slips is held back with all there is.
        prop_assert!(now.length() < 1e-12 || (friction.length() - mu * report.normal).abs() < 1e-12);
        prop_assert!((momentum(&after, &w) - momentum(&v, &w)).length() < 1e-12);
    }

    #[test]
    fn many_passes_over_touches_that_share_corners_keep_momentum_and_add_no_energy(
        x in prop::array::uniform6(point()),
        v in prop::array::uniform6(point()),
        w in prop::array::uniform6(0.5..2.0_f64),
        mu in 0.0..1.0_f64,
    ) {
        let touches: Vec<Contact> = [[0, 1, 2, 3], [0, 3, 4, 5], [1, 2, 4, 5], [5, 0, 1, 2]]
            .iter()
            .enumerate()
            .map(|(i, vertices)| Contact::at(kind(i % 2 == 1), *vertices, &x))
            .collect();
        let mut after = v;
        let settings = ImpulseSettings { passes: 2000, ..Default::default() };
        let report = respond(&touches.iter().map(|t| with(*t, rule(mu))).collect::<Vec<_>>(), &w, &mut after, &settings);
        prop_assert!((momentum(&after, &w) - momentum(&v, &w)).length() < 1e-9);
        prop_assert!(report.left < 1e-3, "still approaching at {}", report.left);
        prop_assert!(energy(&after, &w) < energy(&v, &w) + 1e-9);
    }
}

#[test]
fn each_end_of_an_edge_gets_its_own_weight() {
    // The edges cross a quarter of the way along the first and near the end of the second: the near ends are hit harder.
    let x = [DVec3::new(-1.0, 0.1, 0.0), DVec3::new(3.0, 0.1, 0.0), DVec3::new(0.0, 0.0, -9.0), DVec3::Z];
    let mut v = [-DVec3::Y, -DVec3::Y, DVec3::ZERO, DVec3::ZERO];
    let touch = Contact::at(PairKind::EdgeEdge, [0, 1, 2, 3], &x);
    respond(&[with(touch, rule(0.0))], &[1.0; 4], &mut v, &restitution(0.0));
    // I = 1 / (0.75² + 0.25² + 0.1² + 0.9²)
    let impulse = 1.0 / 1.445;
    let expected = [0.75 * impulse - 1.0, 0.25 * impulse - 1.0, -0.1 * impulse, -0.9 * impulse];
    for (v, expected) in v.iter().zip(expected) {
        assert!((v.y - expected).abs() < 1e-14, "{} instead of {expected}", v.y);
    }
}

/// Two parallel triangles that meet head-on, each vertex of one against the other's triangle and the other way round.
fn sheets(masses: [f64; 2], speeds: [f64; 2]) -> (Vec<Contact>, Vec<f64>, Vec<DVec3>) {
    let corners = [DVec3::ZERO, DVec3::Z, DVec3::X];
    let x: Vec<DVec3> = corners.iter().copied().chain(corners.iter().map(|c| *c + 0.01 * DVec3::Y)).collect();
    let against = |v: u32, face: [u32; 3]| Contact::at(PairKind::VertexFace, [v, face[0], face[1], face[2]], &x);
    let touches = (0..3).map(|v| against(v, [3, 4, 5])).chain((3..6).map(|v| against(v, [0, 1, 2]))).collect();
    let inverse_mass = (0..6).map(|i| 3.0 / masses[i / 3]).collect();
    let v = (0..6).map(|i| DVec3::Y * speeds[i / 3]).collect();
    (touches, inverse_mass, v)
}

#[test]
fn sheets_that_meet_inelastically_move_on_together() {
    let (masses, speeds) = ([0.2, 0.5], [3.0, -1.0]);
    let (touches, w, before) = sheets(masses, speeds);
    let mut v = before.clone();
    respond(&touches.iter().map(|t| with(*t, rule(0.3))).collect::<Vec<_>>(), &w, &mut v, &restitution(0.0));
    let common = (masses[0] * speeds[0] + masses[1] * speeds[1]) / (masses[0] + masses[1]);
    assert!(v.iter().all(|v| (*v - DVec3::Y * common).length() < 1e-12), "{v:?}");
    let lost = 0.5 * masses[0] * masses[1] / (masses[0] + masses[1]) * 16.0;
    assert!((energy(&before, &w) - energy(&v, &w) - lost).abs() < 1e-12);
}

#[test]
fn a_head_on_pair_with_restitution_one_keeps_its_energy() {
    let (touches, w, before) = sheets([0.2, 0.5], [3.0, -1.0]);
    let mut v = before.clone();
    respond(&touches.iter().map(|t| with(*t, rule(0.3))).collect::<Vec<_>>(), &w, &mut v, &restitution(1.0));
    assert!((energy(&v, &w) - energy(&before, &w)).abs() < 1e-12);
    assert!(v.iter().take(3).all(|v| (v.y - (3.0 - 4.0 * 5.0 / 3.5)).abs() < 1e-12), "{v:?}");
}

#[test]
fn far_and_immovable_pairs_and_nonsense_are_left_alone() {
    let x = above(0.1);
    let touch = Contact::at(PairKind::VertexFace, [0, 1, 2, 3], &x);
    let down = [-DVec3::Y, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    let mut v = down;
    let thin = (0.5, 0.05);
    let report = respond(&[with(touch, thin)], &[1.0; 4], &mut v, &restitution(0.0));
    assert!(v == down && report.near == 0);
    let report = respond(&[with(touch, rule(0.5))], &[0.0; 4], &mut v, &restitution(0.0));
    assert!(v == down && report.near == 1 && report.immovable == 1 && report.pushed == 0);
    let mut bad = [DVec3::NAN, DVec3::X, DVec3::X, DVec3::X];
    let report = respond(&[with(touch, rule(0.5))], &[1.0; 4], &mut bad, &restitution(0.0));
    assert!(bad[1..] == [DVec3::X; 3] && report.pushed == 0);
}

#[test]
fn a_held_triangle_that_moves_takes_a_vertex_along() {
    let touch = Contact::at(PairKind::VertexFace, [0, 1, 2, 3], &above(0.1));
    let lift = DVec3::new(0.4, 2.0, 0.0);
    let mut v = [DVec3::ZERO, lift, lift, lift];
    let report = respond(&[with(touch, rule(0.5))], &[4.0, 0.0, 0.0, 0.0], &mut v, &restitution(0.0));
    assert!((v[0] - lift).length() < 1e-15 && v[1] == lift, "{v:?}");
    assert!(report.sticking == 1 && (report.normal - 0.5).abs() < 1e-15);
}

/// A vertex pulled by `gravity` [m/s²] over a fixed triangle in y = 0, for `steps` of `h` [s]: its way and velocity.
fn slide(start: DVec3, gravity: DVec3, friction: f64, h: f64, steps: usize) -> (DVec3, DVec3) {
    let mut x = above(0.001);
    let from = x[0];
    let mut v = [start, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    for _ in 0..steps {
        v[0] += h * gravity;
        let touch = Contact::at(PairKind::VertexFace, [0, 1, 2, 3], &x);
        let rule = (friction, 0.002);
        let w = [1.0, 0.0, 0.0, 0.0];
        respond(&[with(touch, rule)], &w, &mut v, &ImpulseSettings::default());
        x[0] += h * v[0];
        set_apart(&[with(touch, rule)], &w, &mut x, &ImpulseSettings::default());
    }
    (x[0] - from, v[0])
}

#[test]
fn a_sliding_vertex_stops_after_v_squared_over_two_mu_g() {
    let (way, v) = slide(DVec3::X, -GRAVITY * DVec3::Y, 0.3, 1e-3, 500);
    let expected = 1.0 / (2.0 * 0.3 * GRAVITY);
    assert!((way.x - expected).abs() < 0.02 * expected, "{} instead of {expected}", way.x);
    assert_eq!(v.x, 0.0);
    assert!((way.y - 0.001).abs() < 1e-12, "the thickness is restored and kept");
}

#[test]
fn a_slope_of_one_half_holds_at_mu_one_half_and_lets_go_at_0_49() {
    // IPC's slope: 2.5 s in steps of 0.025 s.
    let (sin, cos) = 0.5_f64.atan().sin_cos();
    let pull = GRAVITY * DVec3::new(sin, -cos, 0.0);
    let (way, _) = slide(DVec3::ZERO, pull, 0.5, 0.025, 100);
    assert!(way.x.abs() < 1e-12, "crept by {}", way.x);
    let (way, v) = slide(DVec3::ZERO, pull, 0.49, 0.025, 100);
    assert!((v.x / 2.5 - 0.0877).abs() < 0.02 * 0.0877, "{}", v.x / 2.5);
    assert!((way.x - 0.274).abs() < 0.02 * 0.274, "{}", way.x);
}

#[test]
fn pairs_are_set_apart_gradually_and_keep_their_centre_of_mass() {
    let mut x = above(-0.001);
    // Found before the vertex went through: the normal knows the side it came from.
    let touch = Contact::at(PairKind::VertexFace, [0, 1, 2, 3], &above(0.001));
    let w = [1.0, 2.0, 3.0, 4.0];
    let thin = (0.0, 0.003);
    let settings = ImpulseSettings { share: 0.25, ..Default::default() };
    let centre = momentum(&x, &w);
    for gap in [0.0, 0.000_75] {
        assert_eq!(set_apart(&[with(touch, thin)], &w, &mut x, &settings), 1);
        assert!((touch.relative(&x).dot(touch.normal) - gap).abs() < 1e-15);
    }
    assert!((momentum(&x, &w) - centre).length() < 1e-15);
    assert_eq!(set_apart(&[with(touch, rule(0.0))], &[0.0; 4], &mut x, &settings), 0);
}
