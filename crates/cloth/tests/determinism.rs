//! The same bits for any number of threads, over steps of implicit integration with everything that has memory.

use toile_cloth::dynamics::{
    History, Integrator, Loads, Masses, Moving, NewtonSettings, NoContacts, PreconditionerKind, Stepper,
};
use toile_cloth::{ClothModel, ConstraintFabric, Fabric, SheetOptions, Sheets};
use toile_mesh::DVec3;
use toile_mesh::generate::{Diagonals, grid};

/// Bits of positions and velocities after ten steps of a sheet that hangs by two corners.
fn bits(integrator: Integrator, preconditioner: PreconditionerKind) -> Vec<[u64; 3]> {
    let n = 40;
    let mesh = grid([1.0, 1.0], [n, n], Diagonals::Alternating);
    let fabric = Fabric { hysteresis_warp: 1e-3, hysteresis_weft: 2e-3, ..Fabric::default() };
    let mut sheets = Sheets::default();
    sheets.add(&mesh, 0, &fabric, &SheetOptions::default());
    let mut stepper = Stepper::new(sheets.build(n * n), preconditioner);
    let mut model = ClothModel::default();
    model.add(&mesh, &ConstraintFabric { areal_density: fabric.areal_density, ..ConstraintFabric::default() });
    let mut inverse_mass: Vec<f64> = model.mass.iter().map(|m| 1.0 / m).collect();
    (inverse_mass[0], inverse_mass[n - 1]) = (0.0, 0.0);
    let (mut x, mut v) = (mesh.positions.clone(), vec![DVec3::ZERO; n * n]);
    let mut history = History::default();
    let loads = Loads { gravity: DVec3::new(0.0, -9.81, 1.0), ..Loads::default() };
    for _ in 0..10 {
        let report = stepper.advance(
            integrator,
            Moving { x: &mut x, v: &mut v, history: &mut history },
            &mesh.positions,
            Masses { mass: &model.mass, inverse: &inverse_mass },
            &loads,
            &mut NoContacts,
            &NewtonSettings { tolerance: 3.0, linear_tolerance: 0.3, ..NewtonSettings::default() },
            1.0 / 60.0,
        );
        assert!(report.newton.iterations > 0);
        for bend in stepper.energies_mut().bends.elements_mut() {
            bend.update(&x);
        }
    }
    assert!(x.iter().any(|p| p.y < -0.05), "nothing has moved");
    x.iter().chain(&v).map(|p| p.to_array().map(f64::to_bits)).collect()
}

#[test]
fn steps_have_the_same_bits_for_any_number_of_threads() {
    for integrator in [Integrator::ImplicitEuler, Integrator::Bdf2] {
        for preconditioner in [PreconditionerKind::BlockJacobi, PreconditionerKind::Multilevel] {
            let in_pool = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| bits(integrator, preconditioner))
            };
            let one = in_pool(1);
            for threads in [2, 3, 8] {
                assert!(in_pool(threads) == one, "{integrator:?} {preconditioner:?} with {threads} threads");
            }
        }
    }
}
