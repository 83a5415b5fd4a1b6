//! Conservative detection against independent answers: integer tests at rational times, distances found by minimising
//! over time, symmetries, and agreement of the `f64` stage with the exact stage.

use super::filter::Verdict;
use super::*;
use proptest::array::{uniform3, uniform4};
use proptest::prelude::*;

type Points = [DVec3; 4];
type Grid = [[i32; 3]; 4];

const KINDS: [PairKind; 2] = [PairKind::VertexFace, PairKind::EdgeEdge];

fn touch(kind: PairKind, start: &Points, end: &Points) -> Option<f64> {
    time_of_impact(kind, Method::Conservative, start, end, 0.0)
}

fn points(grid: &Grid) -> Points {
    grid.map(|x| DVec3::from_array(x.map(f64::from)))
}

/// Corners on a small grid, where degenerate pairs abound.
fn grid() -> impl Strategy<Value = Grid> {
    let (plane, line) = ([-2..=2, -2..=2, 0..=0], [-3..=3, 0..=0, 0..=0]);
    prop_oneof![uniform4(uniform3(-3..=3)), uniform4(uniform3(-1..=1)), uniform4(plane), uniform4(line)]
}

fn lerp(start: &Points, end: &Points, t: f64) -> Points {
    std::array::from_fn(|i| start[i] + (end[i] - start[i]) * t)
}

fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let length_sq = (b - a).length_squared();
    let s = if length_sq == 0.0 { 0.0 } else { ((p - a).dot(b - a) / length_sq).clamp(0.0, 1.0) };
    p.distance(a + (b - a) * s)
}

/// Distance of two resting features: all sides, and the insides where the feet of the perpendiculars are inside.
fn distance(kind: PairKind, x: &Points) -> f64 {
    let [a, b, c, d] = *x;
    match kind {
        PairKind::VertexFace => {
            let sides = point_segment(a, b, c).min(point_segment(a, c, d)).min(point_segment(a, d, b));
            let n = (c - b).cross(d - b);
            let inside = [(b, c), (c, d), (d, b)].iter().all(|&(u, v)| (v - u).cross(a - u).dot(n) > 0.0);
            if inside { sides.min((a - b).dot(n.normalize()).abs()) } else { sides }
        }
        PairKind::EdgeEdge => {
            let ends = point_segment(a, c, d)
                .min(point_segment(b, c, d))
                .min(point_segment(c, a, b))
                .min(point_segment(d, a, b));
            let n = (b - a).cross(d - c);
            let splits = |u: DVec3, v: DVec3, p: DVec3, q: DVec3| {
                let side = (v - u).cross(n);
                side.dot(p - u) * side.dot(q - u) < 0.0
            };
            let inside = n != DVec3::ZERO && splits(a, b, c, d) && splits(c, d, a, b);
            if inside { ends.min((c - a).dot(n.normalize()).abs()) } else { ends }
        }
    }
}

/// Smallest distance over time: samples, then golden section around each local minimum of the samples.
fn smallest_distance(kind: PairKind, start: &Points, end: &Points) -> f64 {
    let at = |t: f64| distance(kind, &lerp(start, end, t));
    let n = 200;
    let samples: Vec<f64> = (0..=n).map(|i| at(f64::from(i) / f64::from(n))).collect();
    let mut smallest = f64::INFINITY;
    for i in 0..samples.len() {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(samples.len() - 1));
        if samples[i] > samples[before] || samples[i] > samples[after] {
            continue;
        }
        let (mut s, mut t) = (before as f64 / f64::from(n), after as f64 / f64::from(n));
        for _ in 0..70 {
            let (u, v) = (s + 0.382 * (t - s), t - 0.382 * (t - s));
            if at(u) < at(v) { t = v } else { s = u }
        }
        smallest = smallest.min(at(0.5 * (s + t))).min(samples[i]);
    }
    smallest
}

fn sub(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn cross(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

fn dot(a: [i64; 3], b: [i64; 3]) -> i64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn on_segment(p: [i64; 3], a: [i64; 3], b: [i64; 3]) -> bool {
    cross(sub(p, a), sub(b, a)) == [0; 3] && dot(sub(p, a), sub(p, b)) <= 0
}

/// Contact of resting features with integer corners, by dot products with the normal instead of projections.
fn touches_at_rest(kind: PairKind, x: [[i64; 3]; 4]) -> bool {
    let [a, b, c, d] = x;
    match kind {
        PairKind::VertexFace => {
            let n = cross(sub(c, b), sub(d, b));
            let inner = |u, v| dot(cross(sub(v, u), sub(a, u)), n) >= 0;
            let inside = n != [0; 3] && dot(sub(a, b), n) == 0 && inner(b, c) && inner(c, d) && inner(d, b);
            inside || on_segment(a, b, c) || on_segment(a, c, d) || on_segment(a, d, b)
        }
        PairKind::EdgeEdge => {
            let n = cross(sub(b, a), sub(d, c));
            let split = |u, v, p, q| {
                let side = cross(sub(v, u), n);
                dot(side, sub(p, u)).signum() * dot(side, sub(q, u)).signum() <= 0
            };
            let crossing = n != [0; 3] && dot(sub(c, a), n) == 0 && split(a, b, c, d) && split(c, d, a, b);
            crossing || on_segment(a, c, d) || on_segment(b, c, d) || on_segment(c, a, b) || on_segment(d, a, b)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn grid_pairs_are_reported_exactly_when_their_distance_vanishes(start in grid(), end in grid()) {
        let (start, end) = (points(&start), points(&end));
        for kind in KINDS {
            match touch(kind, &start, &end) {
                Some(t) => prop_assert!(distance(kind, &lerp(&start, &end, t)) < 1e-8, "{kind:?} false alarm at {t}"),
                None => prop_assert!(smallest_distance(kind, &start, &end) > 1e-7, "{kind:?} missed"),
            }
        }
    }

    #[test]
    fn contacts_at_rational_times_are_reported_and_not_late(start in grid(), end in grid()) {
        const PARTS: i64 = 60;
        for kind in KINDS {
            let at = |m: i64| std::array::from_fn(|i| std::array::from_fn(|k| {
                i64::from(start[i][k]) * (PARTS - m) + i64::from(end[i][k]) * m
            }));
            let first = (0..=PARTS).find(|m| touches_at_rest(kind, at(*m))).map(|m| m as f64 / PARTS as f64);
            let found = touch(kind, &points(&start), &points(&end));
            if let Some(first) = first {
                prop_assert!(found.is_some_and(|t| t <= first), "{kind:?} {found:?} {first}");
            }
        }
    }

    #[test]
    fn decisions_survive_scaling_shifting_renumbering_and_splitting(
        start in grid(), end in grid(), shift in uniform3(-1000..=1000), turn in 0_usize..3,
    ) {
        let (start, end) = (points(&start).map(|x| x * 2.0), points(&end).map(|x| x * 2.0));
        let offset = DVec3::from_array(shift.map(|s| f64::from(s) * 0.125));
        for kind in KINDS {
            let time = touch(kind, &start, &end);
            let same = |other: Option<f64>| other.is_some() == time.is_some()
                && other.zip(time).is_none_or(|(a, b)| (a - b).abs() < 1e-9);
            for scale in [1000.0, 2.0_f64.powi(-600), 2.0_f64.powi(700)] {
                prop_assert!(same(touch(kind, &start.map(|x| x * scale), &end.map(|x| x * scale))));
            }
            prop_assert!(same(touch(kind, &start.map(|x| x + offset), &end.map(|x| x + offset))));
            let renumber = |x: &Points| match (kind, turn) {
                (PairKind::VertexFace, 0) => [x[0], x[3], x[1], x[2]],
                (PairKind::VertexFace, _) => [x[0], x[2], x[1], x[3]],
                (PairKind::EdgeEdge, 0) => [x[1], x[0], x[2], x[3]],
                (PairKind::EdgeEdge, 1) => [x[0], x[1], x[3], x[2]],
                (PairKind::EdgeEdge, _) => [x[2], x[3], x[0], x[1]],
            };
            prop_assert!(same(touch(kind, &renumber(&start), &renumber(&end))));
            prop_assert_eq!(touch(kind, &end, &start).is_some(), time.is_some());
            // The middle of even coordinates is exact, so the two halves of the motion tell the same.
            let middle = lerp(&start, &end, 0.5);
            let halves = touch(kind, &start, &middle).map(|t| 0.5 * t)
                .or_else(|| touch(kind, &middle, &end).map(|t| 0.5 + 0.5 * t));
            prop_assert!(same(halves), "{:?} {:?}", time, halves);
        }
    }

    #[test]
    fn the_quick_stage_agrees_with_the_exact_one(query in near_contact()) {
        check_stages(&query)?;
    }

    #[test]
    fn built_contacts_are_found_at_or_before_their_time(
        a in uniform4(uniform3(-9..=9)), velocity in uniform4(uniform3(-9..=9)), u in 0_i32..=4, v in 0_i32..=4, m in 1_i32..=15,
    ) {
        // Integer weights and time in sixteenths keep the construction exact: the features share a point at t = m / 16.
        let (u, v) = (u.min(4 - v), v);
        let t = f64::from(m) / 16.0;
        let velocity = points(&velocity);
        for kind in KINDS {
            let mut x = points(&a).map(|p| p * 4.0);
            let (u, v) = (f64::from(u) / 4.0, f64::from(v) / 4.0);
            match kind {
                PairKind::VertexFace => x[0] = x[1] + (x[2] - x[1]) * u + (x[3] - x[1]) * v,
                PairKind::EdgeEdge => {
                    let meeting = (x[2] + (x[3] - x[2]) * v) - (x[0] + (x[1] - x[0]) * u);
                    x[0] += meeting;
                    x[1] += meeting;
                }
            }
            let start = std::array::from_fn(|i| x[i] - velocity[i] * t);
            let end = std::array::from_fn(|i| x[i] + velocity[i] * (1.0 - t));
            prop_assert!(touch(kind, &start, &end).is_some_and(|found| found <= t));
            prop_assert!(time_of_impact(kind, Method::Cubic, &start, &end, 0.0).is_some_and(|found| found < t + 1e-6));
        }
    }

    #[test]
    fn separations_are_kept_before_the_reported_time(query in near_contact(), exponent in -6..=0) {
        let (kind, start, end) = query;
        let separation = 10.0_f64.powi(exponent);
        let time = time_of_impact(kind, Method::Conservative, &start, &end, separation);
        for t in (0..=200).map(|i| f64::from(i) / 200.0).take_while(|t| time.is_none_or(|time| *t < time)) {
            prop_assert!(distance(kind, &lerp(&start, &end, t)) > separation * (1.0 - 1e-9) - 1e-12);
        }
        if let Some(t) = time {
            let d = distance(kind, &lerp(&start, &end, t));
            prop_assert!(d < separation * (1.0 + 2e-6) + 1e-12, "{} {} {}", d, separation, t);
        }
    }
}

/// A pair that touches at an inner time, on a side or inside, moved off by a tiny amount or none.
fn near_contact() -> impl Strategy<Value = (PairKind, Points, Points)> {
    let corner = || uniform3(-1.0..1.0).prop_map(DVec3::from_array);
    let weight = || prop_oneof![Just(0.0), Just(1.0), 0.0..1.0, -0.2..1.2];
    let size = prop_oneof![Just(0.0), (-17..=-1).prop_map(|e| 10.0_f64.powi(e))];
    let flat = prop_oneof![Just(1.0), Just(0.0), Just(1e-9)];
    let kind = prop_oneof![Just(KINDS[0]), Just(KINDS[1])];
    (kind, uniform4(corner()), uniform4(corner()), uniform4(corner()), weight(), weight(), 0.0..=1.0, size, flat)
        .prop_map(|(kind, mut x, velocity, off, u, v, t, size, flat)| {
            match kind {
                PairKind::VertexFace => x[0] = x[1] + (x[2] - x[1]) * (u * (1.0 - v)) + (x[3] - x[1]) * v,
                PairKind::EdgeEdge => x[3] = x[2] + (x[0] + (x[1] - x[0]) * u - x[2]) * (1.0 + v),
            }
            let flatten = |p: DVec3| DVec3::new(p.x, p.y, p.z * flat);
            let start = std::array::from_fn(|i| flatten(x[i] - velocity[i] * t) + off[i] * size);
            let end = std::array::from_fn(|i| flatten(x[i] + velocity[i] * (1.0 - t)) - off[i] * size);
            (kind, start, end)
        })
}

fn check_stages((kind, start, end): &(PairKind, Points, Points)) -> Result<(), TestCaseError> {
    let exact = exact::first_contact(*kind, start, end);
    if filter::boxes_apart(*kind, start, end, 0.0) {
        prop_assert!(exact.is_none());
    }
    let (pair, _) = Relative::new(start, end).expect("finite and extended");
    match filter::decide(*kind, &pair) {
        Verdict::Unsure => {}
        Verdict::Apart => prop_assert!(exact.is_none(), "missed {exact:?}"),
        Verdict::Contact(t) => {
            prop_assert!(exact.is_some_and(|e| (t - e).abs() < 2.5e-10 && t < e + 1e-13), "{t} {exact:?}");
        }
    }
    Ok(())
}

#[test]
#[ignore = "a million queries take a minute; run by hand in release"]
fn the_quick_stage_agrees_with_the_exact_one_a_million_times() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000_000) };
    proptest::test_runner::TestRunner::new(config).run(&near_contact(), |query| check_stages(&query)).unwrap();
}

#[test]
fn what_is_not_finite_is_never_safe() {
    let good = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(9.0, 9.0, 9.0)];
    for kind in KINDS {
        for method in [Method::Conservative, Method::Cubic] {
            for (i, k, bad) in (0..24).map(|j| (j / 3 % 4, j % 3, [f64::NAN, f64::INFINITY][j / 12])) {
                let mut x = good;
                x[i][k] = bad;
                for separation in [0.0, 1e-3] {
                    assert_eq!(time_of_impact(kind, method, &x, &good, separation), Some(0.0));
                    assert_eq!(time_of_impact(kind, method, &good, &x, separation), Some(0.0));
                }
            }
            assert_eq!(time_of_impact(kind, method, &good, &good, f64::NAN), Some(0.0));
            assert_eq!(time_of_impact(kind, method, &good, &good, f64::INFINITY), Some(0.0));
        }
    }
}

#[test]
fn coordinates_at_both_ends_of_the_range_are_decided() {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|x| x * 1e300);
    let tiny = f64::MIN_POSITIVE * f64::EPSILON;
    for (z0, z1, collides) in [(tiny, -1e300, true), (tiny, tiny, false), (1e308, -1e308, true), (tiny, 0.0, true)] {
        let start = [DVec3::new(tiny, tiny, z0), face[0], face[1], face[2]];
        let end = [DVec3::new(tiny, tiny, z1), face[0], face[1], face[2]];
        assert_eq!(touch(PairKind::VertexFace, &start, &end).is_some(), collides, "{z0} {z1}");
    }
}

#[test]
fn all_in_one_point_is_contact_at_once() {
    for kind in KINDS {
        assert_eq!(touch(kind, &[DVec3::ONE; 4], &[DVec3::X; 4]), Some(0.0));
    }
}

/// Perpendicular approach from height h at speed w: t = (h − separation) / w.
#[test]
fn vertex_nears_face_at_the_closed_form_time() {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for (h, w, separation) in [(1.0, 2.0, 0.1), (0.3, 0.5, 1e-9), (1.0, 1.0, 1e-3), (2.0, 1.5, 0.6)] {
        let at = |z: f64| [DVec3::new(0.25, 0.25, z), face[0], face[1], face[2]];
        let time = time_of_impact(PairKind::VertexFace, Method::Conservative, &at(h), &at(h - w), separation);
        let exact = (h - separation) / w;
        assert!(time.is_some_and(|t| t <= exact && t > exact - 1e-12), "{time:?} {exact}");
    }
    let at = |z: f64| [DVec3::new(0.25, 0.25, z), face[0], face[1], face[2]];
    assert_eq!(time_of_impact(PairKind::VertexFace, Method::Conservative, &at(1.0), &at(0.1001), 0.1), None);
    assert_eq!(time_of_impact(PairKind::VertexFace, Method::Conservative, &at(0.1), &at(1.0), 0.1), Some(0.0));
}

/// Two points passing at impact parameter b, as collapsed edges: the distance is s where the path is √(s² − b²) away.
#[test]
fn passing_points_come_near_at_the_closed_form_time() {
    for (b, separation) in [(0.1_f64, 0.2_f64), (0.0, 0.3), (0.0999, 0.1), (0.3, 0.30001)] {
        let at = |x: f64| [DVec3::new(x, b, 0.0), DVec3::new(x, b, 0.0), DVec3::ZERO, DVec3::ZERO];
        let time = time_of_impact(PairKind::EdgeEdge, Method::Conservative, &at(-1.0), &at(1.0), separation);
        let exact = 0.5 * (1.0 - (separation * separation - b * b).sqrt());
        // The tolerance of the separation, seen along the path.
        let late = 0.5 * (1.0 - ((separation * 1.000_001).powi(2) - b * b).sqrt());
        assert!(time.is_some_and(|t| t <= exact && t >= late - 1e-12), "{time:?} {exact} {late}");
    }
    let at = |x: f64| [DVec3::new(x, 0.2, 0.0), DVec3::new(x, 0.2, 0.0), DVec3::ZERO, DVec3::ZERO];
    assert_eq!(time_of_impact(PairKind::EdgeEdge, Method::Conservative, &at(-1.0), &at(1.0), 0.199_99), None);
}

#[test]
fn parallel_edges_near_each_other_at_the_closed_form_time() {
    let at = |z: f64| {
        [DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::new(0.5, 0.0, 0.0), DVec3::new(3.0, 0.0, 0.0)]
    };
    let time = time_of_impact(PairKind::EdgeEdge, Method::Conservative, &at(1.0), &at(-1.0), 0.25);
    assert!(time.is_some_and(|t| t <= 0.375 && t > 0.375 - 1e-12), "{time:?}");
    let time = touch(PairKind::EdgeEdge, &at(1.0), &at(-1.0));
    assert!(time.is_some_and(|t| t <= 0.5 && t > 0.5 - 1e-12), "{time:?}");
}

#[test]
fn cubic_sees_contact_within_a_resting_plane() {
    // An edge slides along the plane into the end of another: the volume is zero throughout.
    let at = |x: f64| [DVec3::new(x, -1.0, 0.0), DVec3::new(x, 1.0, 0.0), DVec3::X, DVec3::X * 2.0];
    for method in [Method::Conservative, Method::Cubic] {
        let time = time_of_impact(PairKind::EdgeEdge, method, &at(0.0), &at(4.0), 0.0);
        assert!(time.is_some_and(|t| t <= 0.25 && t > 0.25 - 1e-8), "{method:?} {time:?}");
        assert_eq!(time_of_impact(PairKind::EdgeEdge, method, &at(0.0), &at(0.75), 0.0), None);
    }
}

/// A vertex that crosses the plane of a wide face at three times: the volume is a multiple of the product of the three
/// linear functions, since the sides B = (1, 0, b), C = (c, 1, 0) and the vertex (0, y, 0) have det = b c y.
#[test]
fn of_three_crossings_the_first_is_reported() {
    let at = |t: f64| {
        let (side_b, side_c) = (DVec3::new(1.0, 0.0, t - 0.15), DVec3::new(t - 0.35, 1.0, 0.0));
        let corner = |u: f64, v: f64| side_b * u + side_c * v;
        [DVec3::new(0.0, t - 0.4, 0.0), corner(-2.0, -2.0), corner(4.0, -2.0), corner(-2.0, 4.0)]
    };
    for method in [Method::Conservative, Method::Cubic] {
        let time = time_of_impact(PairKind::VertexFace, method, &at(0.0), &at(1.0), 0.0);
        assert!(time.is_some_and(|t| (t - 0.15).abs() < 1e-9), "{method:?} {time:?}");
    }
}

proptest! {
    #[test]
    fn what_is_aside_stays_apart(
        edges in any::<bool>(), start in uniform4(uniform3(-1.0..1.0_f64)), way in uniform4(uniform3(-1.0..1.0_f64)),
        aside in uniform3(-2.0..2.0_f64), separation in 0.0..1.0_f64,
    ) {
        let kind = KINDS[usize::from(edges)];
        let mut start: Points = start.map(DVec3::from_array);
        let first = if edges { 2 } else { 1 };
        start[..first].iter_mut().for_each(|x| *x += DVec3::from_array(aside));
        let end: Points = std::array::from_fn(|i| start[i] + DVec3::from_array(way[i]));
        if are_aside(kind, &start, &end, separation) {
            for k in 0..=16 {
                prop_assert!(distance(kind, &lerp(&start, &end, f64::from(k) / 16.0)) > separation);
            }
        }
    }
}
