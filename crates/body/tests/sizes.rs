//! Bodies over the range of sizes: watertight, without self-intersections, and as the tape should read.

use toile_body::measure;
use toile_body::{Figure, Given, Mannequin, Measurement as M, Pose, Specification, draft, sizes};
use toile_mesh::{DVec3, Topology, check, judge, signed_volume};

/// What is promised of every measurement [m].
const PROMISED: f64 = 2e-3;

fn drafted(figure: Figure, values: &[(M, f64)], triangles: usize) -> Mannequin {
    let given = values.iter().fold(Given::NONE, |given, &(m, value)| given.with(m, value));
    let specification = Specification { triangles, ..Specification::new(figure, given) };
    let body = draft(&specification).unwrap_or_else(|refusal| panic!("{values:?}: {refusal}"));
    for &(m, value) in values {
        let tape = measure::take(&body.mesh, &body.landmarks, m);
        assert!((tape.value - value).abs() < PROMISED, "{values:?}: {m:?} reads {}", tape.value);
    }
    body
}

/// Closed, manifold, of one part, outward, symmetric, standing on the floor, without self-intersections.
fn assert_sound(body: &Mannequin) {
    let topology = Topology::new(&body.mesh);
    assert!(topology.is_closed());
    assert_eq!(topology.part_count, 1);
    // Euler characteristic of a sphere.
    assert_eq!(body.mesh.vertex_count() + body.mesh.face_count(), topology.edges.len() + 2);
    assert!(check::check(&body.mesh).is_clean());
    assert!(judge::self_intersections(&body.mesh).is_clean());
    assert!(signed_volume(&body.mesh) > 0.0);
    assert!(body.mesh.bounds().min.y.abs() < 1e-9);
    let mut points: Vec<[u64; 3]> =
        body.mesh.positions.iter().map(|p| (*p + 0.0).to_array().map(f64::to_bits)).collect();
    points.sort_unstable();
    for p in &body.mesh.positions {
        let image = (*p * DVec3::new(-1.0, 1.0, 1.0) + 0.0).to_array().map(f64::to_bits);
        assert!(points.binary_search(&image).is_ok(), "{p} has no mirror image");
    }
}

/// Weight [kg] from height, waist and hip: Lorenz et al. 2007, "Anthropometric approximation of body weight in
/// unresponsive stroke patients".
fn weight(figure: Figure, [height, waist, hip]: [f64; 3]) -> f64 {
    match figure {
        Figure::Male => -137.432 + 60.035 * height + 78.5 * waist + 39.2 * hip,
        _ => -110.924 + 40.53 * height + 32.5 * waist + 83.6 * hip,
    }
}

fn assert_size(figure: Figure, [height, bust, waist, hip]: [f64; 4]) {
    let values = [(M::Height, height), (M::Bust, bust), (M::Waist, waist), (M::Hip, hip)];
    let body = drafted(figure, &values, 6_000);
    assert_sound(&body);
    // A litre of body weighs 1.01 kg, half a breath of air included.
    let ratio = 1010.0 * signed_volume(&body.mesh) / weight(figure, [height, waist, hip]);
    assert!((ratio - 1.0).abs() < 0.15, "{figure:?} {values:?}: volume over expectation {ratio}");
}

/// Women's sizes of EN 13402-3 from bust 76 to 134 cm, over heights.
#[test]
fn women_of_all_sizes() {
    for size in [
        [1.56, 0.76, 0.60, 0.84],
        [1.60, 0.80, 0.64, 0.88],
        [1.64, 0.84, 0.68, 0.92],
        [1.68, 0.88, 0.72, 0.96],
        [1.68, 0.92, 0.76, 1.00],
        [1.72, 0.96, 0.80, 1.04],
        [1.68, 1.00, 0.84, 1.08],
        [1.64, 1.04, 0.88, 1.12],
        [1.60, 1.10, 0.945, 1.17],
        [1.72, 1.16, 1.01, 1.22],
        [1.68, 1.22, 1.075, 1.27],
        [1.64, 1.34, 1.21, 1.37],
    ] {
        assert_size(Figure::Female, size);
    }
}

/// Men's sizes of EN 13402-3 from chest 84 to 132 cm, over heights.
#[test]
fn men_of_all_sizes() {
    for size in [
        [1.66, 0.84, 0.72, 0.90],
        [1.70, 0.88, 0.76, 0.92],
        [1.74, 0.92, 0.80, 0.94],
        [1.78, 0.96, 0.84, 0.98],
        [1.82, 1.00, 0.88, 1.02],
        [1.86, 1.04, 0.92, 1.05],
        [1.78, 1.08, 0.98, 1.08],
        [1.74, 1.12, 1.04, 1.11],
        [1.82, 1.20, 1.14, 1.18],
        [1.70, 1.26, 1.20, 1.22],
        [1.90, 1.32, 1.26, 1.28],
    ] {
        assert_size(Figure::Male, size);
    }
}

/// Children's sizes of the table: sound bodies on which every measurement of the table reads as it should.
#[test]
fn children_of_all_sizes() {
    for name in sizes::names().into_iter().filter(|name| name.starts_with("child")) {
        let size = sizes::named(&name).unwrap();
        let values: Vec<(M, f64)> = size.given.iter().filter_map(|(m, value)| Some((m, value?))).collect();
        assert_eq!(values.len(), 17, "{name}");
        assert_sound(&drafted(size.figure, &values, 6_000));
    }
}

/// Regressions of weight do not reach here; volume is compared with that of the figure's ordinary body, which grows
/// with height times the square of girth.
#[test]
fn extremes_of_height_and_chest() {
    let ordinary = |figure| {
        let body = drafted(figure, &[], 6_000);
        let m = &body.measurements;
        signed_volume(&body.mesh) / (m[M::Height] * (m[M::Bust] + m[M::Waist] + m[M::Hip] + 2.0 * m[M::Thigh]).powi(2))
    };
    for figure in [Figure::Female, Figure::Male] {
        let expected = ordinary(figure);
        for (height, bust) in [(1.45, 0.75), (1.45, 1.45), (2.05, 0.75), (2.05, 1.45)] {
            let body = drafted(figure, &[(M::Height, height), (M::Bust, bust)], 6_000);
            assert_sound(&body);
            let m = &body.measurements;
            let girths = m[M::Bust] + m[M::Waist] + m[M::Hip] + 2.0 * m[M::Thigh];
            let ratio = signed_volume(&body.mesh) / (height * girths.powi(2) * expected);
            assert!((ratio - 1.0).abs() < 0.15, "{figure:?} {height} {bust}: {ratio}");
        }
    }
}

/// Every measurement given at once, each off the ordinary.
#[test]
fn all_measurements_together_are_met() {
    let ordinary = drafted(Figure::Female, &[], 3_000).measurements;
    for (first, second) in [(1.05, 0.96), (0.96, 1.05)] {
        let values: Vec<(M, f64)> = M::ALL
            .iter()
            .map(|&m| (m, ordinary[m] * if (m as usize).is_multiple_of(2) { first } else { second }))
            .collect();
        assert_sound(&drafted(Figure::Female, &values, 8_000));
    }
}

#[test]
fn poses_and_densities_keep_the_promise() {
    for (angle, triangles) in [(15.0_f64, 5_000), (60.0, 12_000), (90.0, 5_000), (40.0, 60_000)] {
        let pose = if angle == 90.0 { Pose::T } else { Pose::A(angle.to_radians()) };
        let specification = Specification { pose, triangles, ..Specification::new(Figure::Neutral, Given::NONE) };
        let body = draft(&specification).unwrap();
        assert_sound(&body);
        assert!((body.mesh.face_count() as f64 / triangles as f64 - 1.0).abs() < 0.15, "{}", body.mesh.face_count());
        let read = measure::read(&body.mesh, &body.landmarks);
        for (m, wanted) in body.measurements.iter() {
            assert!((read[m] - wanted).abs() < PROMISED, "{m:?} at {angle}°");
        }
    }
}

#[test]
fn bodies_of_one_density_share_their_triangles() {
    let small = drafted(Figure::Female, &[(M::Height, 1.55)], 5_000);
    let large = drafted(Figure::Male, &[(M::Height, 1.95), (M::Waist, 1.1)], 5_000);
    assert_eq!(small.mesh.triangles, large.mesh.triangles);
}

#[test]
fn drafting_twice_gives_the_same_bits() {
    let draw = || drafted(Figure::Neutral, &[(M::Waist, 0.83)], 5_000);
    assert_eq!(draw(), draw());
}

mod any_body {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is asked for, it is met or refused.
        #[test]
        fn is_met_or_refused(
            figure in 0..3_usize, height in 1.4..2.1_f64, chosen in prop::collection::vec((0..18_usize, 0.82..1.25_f64), 0..6),
            angle in 0.27..1.57_f64,
        ) {
            let figure = Figure::ALL[figure];
            let mut given = Given::NONE.with(M::Height, height);
            let ordinary = toile_body::complete(figure, &given);
            for (i, factor) in chosen {
                let m = M::ALL[i];
                if m != M::Height {
                    given[m] = Some(ordinary[m] * factor);
                }
            }
            let specification = Specification { pose: Pose::A(angle), triangles: 4_000, ..Specification::new(figure, given) };
            match draft(&specification) {
                Ok(body) => {
                    assert_sound(&body);
                    let read = measure::read(&body.mesh, &body.landmarks);
                    for (m, wanted) in body.measurements.iter() {
                        prop_assert!((read[m] - wanted).abs() < PROMISED, "{:?}: {} for {}", m, read[m], wanted);
                    }
                }
                Err(refusal) => {
                    prop_assert!(!refusal.key.is_empty() && !refusal.message.is_empty() && !refusal.help.is_empty());
                }
            }
        }
    }
}
