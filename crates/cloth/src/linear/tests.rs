//! The solver as a whole, against dense elimination and closed forms.

use super::testing::{Random, dense_solution, random_system, sheet, springs};
use super::*;
use proptest::prelude::*;
use toile_mesh::{DMat3, DQuat, DVec3};

const EXACT: CgSettings = CgSettings { tolerance: 1e-13, most_iterations: 2000 };

/// One solver of each kind, ready for the system.
fn solvers(system: &System, filter: &Filter, positions: &[DVec3]) -> [ConjugateGradients; 2] {
    let mut multilevel = Multilevel::new(&system.blocks);
    multilevel.update(system, filter, positions);
    [ConjugateGradients::default(), ConjugateGradients::new(Preconditioner::Multilevel(multilevel))]
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn energy(system: &System, b: &[DVec3], x: &[DVec3]) -> f64 {
    let mut y = vec![DVec3::ZERO; x.len()];
    system.product(x, &mut y);
    0.5 * dot(x, &y) - dot(x, b)
}

fn within_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn solution_is_that_of_dense_elimination(seed in any::<u64>(), n in 2_usize..40, constraints in 0_usize..12) {
        let mut random = Random(seed);
        let (system, positions) = random_system(&mut random, n, 0.1);
        let mut filter = Filter::free(n);
        for _ in 0..constraints {
            let i = random.next() as usize % n;
            match random.next() % 4 {
                0 => filter.pin(i),
                1 => filter.set(i, random.vector()),
                2 => filter.forbid(i, random.vector()),
                _ => filter.prescribe(i, random.vector(), random.signed()),
            }
        }
        let b: Vec<DVec3> = (0..n).map(|_| random.vector()).collect();
        let expected = dense_solution(&system, &filter, &b);
        for mut cg in solvers(&system, &filter, &positions) {
            let mut x: Vec<DVec3> = (0..n).map(|_| random.vector()).collect();
            let report = cg.solve(&system, &filter, &b, &mut x, &EXACT);
            prop_assert!(report.converged, "{:?}", report);
            for (x, expected) in x.iter().zip(&expected) {
                prop_assert!(x.distance(*expected) < 1e-10 * (1.0 + expected.length()), "{} {}", x, expected);
            }
        }
    }

    #[test]
    fn semidefinite_systems_give_finite_results(seed in any::<u64>(), n in 2_usize..30) {
        let mut random = Random(seed);
        let (system, positions) = random_system(&mut random, n, 0.0);
        let filter = Filter::free(n);
        // Balanced loads have a solution although everything may float; others have none.
        let mut balanced: Vec<DVec3> = (0..n).map(|_| random.vector()).collect();
        let mean = balanced.iter().sum::<DVec3>() / n as f64;
        for b in &mut balanced {
            *b -= mean;
        }
        for mut cg in solvers(&system, &filter, &positions) {
            let mut x = vec![DVec3::ZERO; n];
            let settings = CgSettings { tolerance: 1e-6, most_iterations: 400 };
            let report = cg.solve(&system, &filter, &balanced, &mut x, &settings);
            prop_assert!(report.converged, "{:?}", report);
            prop_assert!(x.iter().all(|x| x.is_finite()));
            x.fill(DVec3::ZERO);
            let report = cg.solve(&system, &filter, &vec![DVec3::Z; n], &mut x, &settings);
            prop_assert!(!report.converged && x.iter().all(|x| x.is_finite()), "{:?}", report);
        }
    }
}

#[test]
fn free_fall_is_uniform() {
    // Springs do not resist a common shift: mass · x = mass · a for all.
    let (system, positions) = sheet(12);
    let filter = Filter::free(144);
    let a = DVec3::new(0.1, -0.2, 9.81);
    for mut cg in solvers(&system, &filter, &positions) {
        let mut x = vec![DVec3::ZERO; 144];
        assert!(cg.solve(&system, &filter, &vec![a * 0.01; 144], &mut x, &EXACT).converged);
        assert!(x.iter().all(|x| x.distance(a) < 1e-9));
    }
}

#[test]
fn rotated_systems_have_rotated_solutions() {
    let (system, positions) = sheet(8);
    let rotation = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 1.1));
    let mut rotated = system.clone();
    for block in &mut rotated.blocks.values {
        *block = rotation * *block * rotation.transpose();
    }
    let mut random = Random(5);
    let b: Vec<DVec3> = positions.iter().map(|_| random.vector()).collect();
    let turn = |list: &[DVec3]| list.iter().map(|v| rotation * *v).collect::<Vec<_>>();
    let mut filters = [Filter::free(64), Filter::free(64)];
    filters[0].prescribe(9, DVec3::Y, 0.3);
    filters[1].prescribe(9, rotation * DVec3::Y, 0.3);
    let [mut x, mut y] = [vec![DVec3::ZERO; 64], vec![DVec3::ZERO; 64]];
    let [_, mut cg] = solvers(&system, &filters[0], &positions);
    assert!(cg.solve(&system, &filters[0], &b, &mut x, &EXACT).converged);
    let [_, mut cg] = solvers(&rotated, &filters[1], &turn(&positions));
    assert!(cg.solve(&rotated, &filters[1], &turn(&b), &mut y, &EXACT).converged);
    assert!(turn(&x).iter().zip(&y).all(|(x, y)| x.distance(*y) < 1e-9));
}

#[test]
fn every_truncated_solve_descends() {
    let (system, positions) = sheet(20);
    let mut filter = Filter::free(400);
    filter.pin(0);
    filter.forbid(150, DVec3::ONE);
    let mut b = vec![DVec3::new(1.0, 0.5, -9.81); 400];
    filter.apply(&mut b);
    for mut cg in solvers(&system, &filter, &positions) {
        let mut last = 0.0;
        for most_iterations in 1..30 {
            let mut x = vec![DVec3::ZERO; 400];
            let report = cg.solve(&system, &filter, &b, &mut x, &CgSettings { tolerance: 0.0, most_iterations });
            assert_eq!((report.iterations, report.converged, report.breakdown), (most_iterations, false, false));
            assert!(dot(&b, &x) > 0.0);
            let now = energy(&system, &b, &x);
            assert!(now < last);
            last = now;
        }
    }
}

#[test]
fn residual_is_the_norm_of_what_is_left() {
    let mut random = Random(11);
    let (system, positions) = random_system(&mut random, 30, 0.5);
    let mut filter = Filter::free(30);
    filter.set(4, DVec3::X);
    let b: Vec<DVec3> = positions.iter().map(|_| random.vector()).collect();
    let mut cg = ConjugateGradients::default();
    let mut x = vec![DVec3::ZERO; 30];
    let report = cg.solve(&system, &filter, &b, &mut x, &CgSettings { tolerance: 0.0, most_iterations: 4 });
    let mut left = vec![DVec3::ZERO; 30];
    system.product(&x, &mut left);
    left.iter_mut().zip(&b).for_each(|(left, b)| *left = *b - *left);
    let norm = cg.norm(&system, &filter, &left);
    assert!((report.residual - norm).abs() < 1e-10 * norm && norm > 0.0);
    // Held components must not count: the force on the pinned particle stays however long one iterates.
    assert!(cg.solve(&system, &filter, &b, &mut x, &EXACT).converged);
}

#[test]
fn multilevel_needs_few_iterations_on_a_stiff_sheet() {
    let (system, positions) = sheet(40);
    let mut filter = Filter::free(1600);
    filter.pin(0);
    filter.pin(39);
    let b = vec![DVec3::new(0.0, 1.0, -1.0); 1600];
    let [jacobi, multilevel] = solvers(&system, &filter, &positions).map(|mut cg| {
        let tolerance = 1e-4 * cg.norm(&system, &filter, &b);
        let mut x = vec![DVec3::ZERO; 1600];
        let report = cg.solve(&system, &filter, &b, &mut x, &CgSettings { tolerance, most_iterations: 5000 });
        assert!(report.converged);
        report.iterations
    });
    assert!(3 * multilevel < jacobi, "{multilevel} {jacobi}");
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let n = 70;
    let (system, positions) = sheet(n);
    let mut filter = Filter::free(n * n);
    filter.pin(5);
    filter.prescribe(2000, DVec3::ONE, 0.1);
    let mut random = Random(1);
    let b: Vec<DVec3> = positions.iter().map(|_| random.vector()).collect();
    let solve = || {
        solvers(&system, &filter, &positions).map(|mut cg| {
            let mut x = vec![DVec3::ZERO; n * n];
            let report = cg.solve(&system, &filter, &b, &mut x, &CgSettings { tolerance: 0.0, most_iterations: 25 });
            (report, x)
        })
    };
    let one = within_threads(1, solve);
    for threads in [2, 3, 8] {
        assert!(within_threads(threads, solve) == one, "{threads} threads");
    }
}

#[test]
fn a_bad_start_neither_ends_a_solve_early_nor_leads_uphill() {
    let (system, positions) = sheet(10);
    let filter = Filter::free(100);
    let b: Vec<DVec3> = positions.iter().map(|p| DVec3::new(p.z, 1.0, p.x)).collect();
    for mut cg in solvers(&system, &filter, &positions) {
        // The last is on the best side of zero, which the way along it finds.
        for (start, along) in [(1e6, 0.0), (-1e6, 0.0), (0.0, 1e6)] {
            let mut x = vec![DVec3::ONE * start; 100];
            let p: Vec<DVec3> = positions.iter().map(|p| *p * along).collect();
            cg.begin(&system, &filter);
            let settings = CgSettings { tolerance: 0.1 * cg.size(&filter, &b), most_iterations: 1000 };
            let report = cg.continue_from(&system, &filter, &b, (&mut x, &p), &settings, 1.0);
            let mut product = vec![DVec3::ZERO; 100];
            system.product(&x, &mut product);
            let left: Vec<DVec3> = b.iter().zip(&product).map(|(b, y)| *b - *y).collect();
            let [left, first] = [&left, &b].map(|v| cg.norm(&system, &filter, v));
            assert!(report.converged && left <= 0.1 * first * (1.0 + 1e-6), "{start} {along}: {left} of {first}");
            let down: f64 = b.iter().zip(&x).map(|(b, x)| b.dot(*x)).sum();
            assert!(down > 0.0, "{start} {along}: {down}");
        }
    }
}

#[test]
fn later_solves_reuse_the_memory() {
    let (system, positions) = sheet(10);
    let filter = Filter::free(100);
    for mut cg in solvers(&system, &filter, &positions) {
        let mut x = vec![DVec3::ZERO; 100];
        cg.solve(&system, &filter, &positions, &mut x, &EXACT);
        let before = cg.memory();
        cg.solve(&system, &filter, &positions, &mut x, &EXACT);
        assert_eq!(cg.memory(), before);
    }
}

#[test]
fn indefinite_and_broken_input_end_with_a_report() {
    let filter = Filter::free(3);
    let settings = CgSettings { tolerance: 1e-12, most_iterations: 100 };
    let mut cg = ConjugateGradients::default();
    let mut system = springs(3, &[[0, 1], [1, 2]], 1.0, |_| (DMat3::IDENTITY, 0.0));
    let mut x = [DVec3::ZERO; 3];
    for value in [f64::NAN, f64::INFINITY] {
        let report = cg.solve(&system, &filter, &[DVec3::splat(value); 3], &mut x, &settings);
        assert!(report.breakdown && !report.converged && x == [DVec3::ZERO; 3], "{report:?}");
    }
    system.scalars.values.iter_mut().for_each(|value| *value = -3.0);
    let report = cg.solve(&system, &filter, &[DVec3::X, DVec3::Y, DVec3::Z], &mut x, &settings);
    assert!(report.breakdown && !report.converged && x.iter().all(|x| x.is_finite()), "{report:?}");
}

#[test]
fn nothing_to_solve_is_solved() {
    let mut cg = ConjugateGradients::default();
    let report = cg.solve(&System::default(), &Filter::free(0), &[], &mut [], &EXACT);
    assert!(report.converged && report.iterations == 0);
}

#[test]
fn product_and_diagonal_are_those_of_the_entries() {
    let mut random = Random(2);
    let (system, x) = random_system(&mut random, 20, 1.0);
    let mut y = vec![DVec3::ZERO; 20];
    system.product(&x, &mut y);
    for (i, y) in y.iter().enumerate() {
        let entry = |j: usize| {
            let block = system.blocks.position(i, j).map_or(DMat3::ZERO, |at| system.blocks.values[at]);
            let number = system.scalars.position(i, j).map_or(0.0, |at| system.scalars.values[at]);
            block + DMat3::from_diagonal(DVec3::splat(number))
        };
        let expected: DVec3 = (0..20).map(|j| entry(j) * x[j]).sum();
        assert!(y.distance(expected) < 1e-12);
        assert_eq!(system.diagonal(i), entry(i));
    }
}
