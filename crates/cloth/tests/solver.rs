//! The constraint solver as a whole: centre of mass, agreement with the plain loop, threads, stiffness of the chains.

use toile_cloth::verlet::{External, predict, update_velocities};
use toile_cloth::{ClothModel, ClothState, ConstraintFabric, ConstraintSolver, Method, Sweep, sequential_pass};
use toile_mesh::generate::{Diagonals, disc, grid};
use toile_mesh::{DVec3, TriMesh};

fn model(mesh: &TriMesh) -> ClothModel {
    let mut model = ClothModel::default();
    model.add(mesh, &ConstraintFabric::default());
    model
}

/// Displacements that look random and are the same everywhere: a few incommensurable sines.
fn shaken(mesh: &TriMesh, amplitude: f64) -> Vec<DVec3> {
    let wave = |i: usize, f: f64| (f * (i as f64 + 1.0)).sin() * amplitude;
    (0..mesh.vertex_count())
        .map(|i| mesh.positions[i] + DVec3::new(wave(i, 12.9898), wave(i, 78.233), wave(i, 37.719)))
        .collect()
}

#[test]
fn the_centre_of_mass_stays_without_external_forces() {
    // Irregular masses: a disc and a grid of different density in one model.
    let mut model = model(&disc(0.5, 12));
    let sheet = grid([1.0, 0.7], [14, 9], Diagonals::Alternating).map_positions(|p| p + DVec3::Y);
    model.add(&sheet, &ConstraintFabric { areal_density: 1.3, ..ConstraintFabric::default() });
    for method in [Method::Sweep, Method::Chains] {
        let mut mesh = disc(0.5, 12);
        mesh.append(&sheet);
        let (mut state, w) = (ClothState::at_rest(shaken(&mesh, 0.02)), model.inverse_mass());
        let mut solver = ConstraintSolver::new(&model, method, 1.02);
        let start = state.center_of_mass(&model);
        for _ in 0..100 {
            let x_t0 = state.x.clone();
            predict(&mut state.x, &mut state.v, &w, &model.area, External::default(), 0.99, 0.0083);
            for _ in 0..4 {
                solver.iterate(&mut state.x, &w);
            }
            update_velocities(&state.x, &x_t0, &mut state.v, &w, 0.0083);
        }
        let drift = state.center_of_mass(&model).distance(start);
        assert!(drift <= 1e-12, "{method:?}: {drift:e}");
    }
}

#[test]
fn the_coloured_sweep_converges_to_what_the_plain_loop_converges_to() {
    let mesh = grid([1.0, 1.0], [30, 30], Diagonals::Alternating);
    let model = model(&mesh);
    let w = model.inverse_mass();
    let sweep = Sweep::new(&model.structural, &model.rest);
    assert_eq!(sweep.len(), model.structural.len());
    let violation = |x: &[DVec3]| {
        let worst = |c: &toile_cloth::DistanceRange| {
            let length = x[c.ends[0] as usize].distance(x[c.ends[1] as usize]);
            (length - c.max).max(c.min - length)
        };
        model.structural.iter().map(worst).fold(0.0, f64::max)
    };
    let mut colored = shaken(&mesh, 0.004);
    let mut plain = colored.clone();
    let start = violation(&plain);
    for _ in 0..200 {
        sweep.pass(&mut colored, &w);
        sequential_pass(&model.structural, &mut plain, &w);
    }
    assert!(start > 1e-3);
    assert!(violation(&colored) < 0.05 * start && violation(&plain) < 0.05 * start);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let mesh = grid([1.0, 1.0], [80, 80], Diagonals::Alternating);
    let model = model(&mesh);
    let (start, w) = (ClothState::at_rest(shaken(&mesh, 0.01)), model.inverse_mass());
    for method in [Method::Sweep, Method::Chains] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut solver = ConstraintSolver::new(&model, method, 1.02);
                let mut x = start.x.clone();
                for _ in 0..20 {
                    solver.iterate(&mut x, &w);
                }
                x
            })
        };
        let one = run(1);
        for threads in [2, 3, 8] {
            assert!(run(threads) == one, "{method:?}, {threads} threads");
        }
    }
}

#[test]
fn chains_stretch_less_than_single_edges() {
    // A curtain held along its upper edge, one second of falling.
    let mesh = grid([1.0, 1.0], [40, 40], Diagonals::Alternating).map_positions(|p| DVec3::new(p.x, -p.z, 0.001 * p.x));
    let model = model(&mesh);
    let worst = |method: Method| {
        let (mut state, mut w) = (ClothState::at_rest(mesh.positions.clone()), model.inverse_mass());
        w[..40].fill(0.0);
        let mut solver = ConstraintSolver::new(&model, method, 1.02);
        let gravity = External { gravity: DVec3::Y * -9.81, wind: DVec3::ZERO };
        for _ in 0..120 {
            let x_t0 = state.x.clone();
            predict(&mut state.x, &mut state.v, &w, &model.area, gravity, 0.99, 1.0 / 120.0);
            for _ in 0..2 {
                solver.iterate(&mut state.x, &w);
            }
            update_velocities(&state.x, &x_t0, &mut state.v, &w, 1.0 / 120.0);
        }
        assert!(state.x.iter().all(|p| p.is_finite()));
        solver.largest_stretch(&state.x) - 1.0
    };
    let (sweep, chains) = (worst(Method::Sweep), worst(Method::Chains));
    assert!(chains < 0.5 * sweep, "chains {chains}, sweep {sweep}");
}
