//! Links as part of the linear system and of cheap steps.

use crate::rest::between;
use crate::world::{DISTANCE, Stiff, World};
use toile_cloth::dynamics::{Effort, NewtonSettings, PreconditionerKind};
use toile_cloth::{Fabric, largest_thread_strain};
use toile_contact::Contact;
use toile_mesh::DVec3;
use toile_mesh::generate::{Diagonals, grid};

/// Two sheets that hover in contact, the upper one moving sideways, and contacts between them.
fn hovering(n: usize, kind: PreconditionerKind) -> (World, Vec<Stiff>) {
    let lower = grid([0.5, 0.5], [n, n], Diagonals::Alternating);
    let upper = grid([0.48, 0.48], [n, n], Diagonals::Same);
    let place = |k, p: DVec3| p + DVec3::Y * (DISTANCE * 0.6 * k as f64);
    let mut world = World::sheets(&[&lower, &upper], &Fabric::default(), kind, place);
    world.gravity = DVec3::ZERO;
    world.v[n * n..].fill(DVec3::new(0.3, -0.1, 0.0));
    let contacts = between(&lower, &upper, n * n, 0.3, world.mass[n + 1] * 1e5);
    assert_eq!(contacts.len(), n * n);
    (world, contacts)
}

#[test]
fn links_between_cloths_add_no_momentum() {
    let (mut world, mut contacts) = hovering(8, PreconditionerKind::Multilevel);
    world.settings = NewtonSettings { tolerance: 1e-9, most_iterations: 100, ..crate::world::TIGHT };
    contacts.push((Contact { vertices: [3, 9999, 0, 0], ..contacts[0].0 }, contacts[0].1));
    let momentum = |world: &World| world.v.iter().zip(&world.mass).map(|(v, m)| *v * *m).sum::<DVec3>();
    let before = momentum(&world);
    let report = world.step(&contacts, 1.0 / 120.0);
    assert!(report.newton.residual < 1e-6, "{report:?}");
    let pushed: f64 = world.forces().iter().map(|f| f.normal).sum();
    let rubbed: f64 = world.forces().iter().map(|f| f.friction.length()).sum();
    assert!(pushed > 0.0 && rubbed > 0.0 && rubbed <= 0.3 * pushed * (1.0 + 1e-9), "{pushed} {rubbed}");
    // Weights add up to nothing to rounding; what remains is the residual of the solver.
    assert!(momentum(&world).distance(before) < 1e-8 * before.length(), "{} {before}", momentum(&world));
    let slid: f64 = world.v[64..].iter().map(|v| v.x).sum::<f64>() / 64.0;
    assert!(slid < 0.299, "friction did nothing: {slid}");
}

#[test]
fn solvers_that_stop_early_keep_the_momentum_of_cloths_that_meet() {
    for kind in [PreconditionerKind::BlockJacobi, PreconditionerKind::Multilevel] {
        let (mut world, contacts) = hovering(8, kind);
        world.stepper.set_effort(Effort::Bounded);
        world.settings =
            NewtonSettings { most_iterations: 2, linear_tolerance: 0.5, most_linear_iterations: 5, ..world.settings };
        let momentum = |world: &World| world.v.iter().zip(&world.mass).map(|(v, m)| *v * *m).sum::<DVec3>();
        let before = momentum(&world);
        for _ in 0..10 {
            let report = world.step(&contacts, 1.0 / 120.0);
            assert!(!report.newton.converged && report.newton.residual > 1e-3, "{report:?}");
        }
        assert!(momentum(&world).distance(before) < 1e-12 * before.length(), "{} {before}", momentum(&world));
        assert!(world.v[..64].iter().map(|v| v.x).sum::<f64>() > 0.64, "the lower one is taken along");
    }
}

#[test]
fn links_hardly_cost_iterations() {
    for kind in [PreconditionerKind::BlockJacobi, PreconditionerKind::Multilevel] {
        let iterations = |linked: bool| {
            let (mut world, contacts) = hovering(24, kind);
            world.settings = NewtonSettings { tolerance: 0.01, linear_tolerance: 1e-3, ..crate::world::TIGHT };
            for (i, v) in world.v.iter_mut().enumerate() {
                *v += DVec3::new((0.3 * i as f64).sin(), (0.7 * i as f64).sin(), (0.2 * i as f64).cos()) * 0.1;
            }
            let report = world.step(if linked { &contacts } else { &[] }, 1.0 / 120.0);
            assert!(report.newton.converged, "{report:?}");
            f64::from(report.newton.linear_iterations) / f64::from(report.newton.iterations)
        };
        let (free, linked) = (iterations(false), iterations(true));
        assert!(linked < 2.0 * free, "{kind:?}: {linked} instead of {free}");
    }
}

#[test]
fn linked_steps_have_the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, contacts) = hovering(30, PreconditionerKind::Multilevel);
            for _ in 0..2 {
                let _ = world.step(&contacts, 1.0 / 120.0);
            }
            world.x
        })
    };
    let one = run(1);
    assert!([2, 3, 8].iter().all(|threads| run(*threads) == one));
}

#[test]
fn a_bounded_step_keeps_a_swinging_sheet_together() {
    let n = 20;
    let mesh = grid([1.0, 1.0], [n, n], Diagonals::Alternating);
    let mut world = World::sheets(&[&mesh], &Fabric::default(), PreconditionerKind::Multilevel, |_, p| p);
    (world.inverse[0], world.inverse[n - 1]) = (0.0, 0.0);
    world.stepper.set_effort(Effort::Bounded);
    world.settings = NewtonSettings { most_iterations: 2, most_linear_iterations: 20, ..NewtonSettings::default() };
    let mut lowest = 0.0_f64;
    for _ in 0..120 {
        let report = world.step(&[], 1.0 / 120.0);
        assert!(report.parts == 1 && report.newton.iterations <= 2, "{report:?}");
        let strain = largest_thread_strain(world.stepper.energies().membranes.elements(), &world.x);
        assert!(strain < 0.08, "{strain}");
        lowest = lowest.min(world.center().y);
    }
    assert!(lowest < -0.3, "it hardly moved: {lowest}");
}
