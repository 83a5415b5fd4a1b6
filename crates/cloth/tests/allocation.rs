//! Steps allocate nothing once the first ones have found their memory.
#![allow(unsafe_code, reason = "a global allocator that counts cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use toile_cloth::dynamics::{
    History, Integrator, Loads, Masses, Moving, NewtonSettings, NoContacts, PreconditionerKind, Stepper,
};
use toile_cloth::{ClothModel, ConstraintFabric, Fabric, SheetOptions, Sheets};
use toile_mesh::DVec3;
use toile_mesh::generate::{Diagonals, grid};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: hands everything to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations in each of some steps.
fn allocations(integrator: Integrator, preconditioner: PreconditionerKind) -> Vec<usize> {
    let n = 30;
    let mesh = grid([1.0, 1.0], [n, n], Diagonals::Alternating);
    let fabric = Fabric { hysteresis_warp: 1e-3, ..Fabric::default() };
    let mut sheets = Sheets::default();
    sheets.add(&mesh, 0, &fabric, &SheetOptions::default());
    let mut stepper = Stepper::new(sheets.build(n * n), preconditioner);
    let mut model = ClothModel::default();
    model.add(&mesh, &ConstraintFabric::default());
    let mut inverse_mass: Vec<f64> = model.mass.iter().map(|m| 1.0 / m).collect();
    (inverse_mass[0], inverse_mass[n - 1]) = (0.0, 0.0);
    let (mut x, mut v) = (mesh.positions.clone(), vec![DVec3::ZERO; n * n]);
    let mut history = History::default();
    let loads = Loads { gravity: DVec3::new(0.0, -9.81, 1.0), ..Loads::default() };
    let settings = NewtonSettings { tolerance: 0.5, ..NewtonSettings::default() };
    let mut counts = Vec::with_capacity(6);
    for _ in 0..6 {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let moving = Moving { x: &mut x, v: &mut v, history: &mut history };
        let masses = Masses { mass: &model.mass, inverse: &inverse_mass };
        let held = &mesh.positions;
        let report = stepper.advance(integrator, moving, held, masses, &loads, &mut NoContacts, &settings, 1.0 / 60.0);
        counts.push(ALLOCATIONS.load(Ordering::Relaxed) - before);
        assert!(report.is_solved);
    }
    counts
}

#[test]
fn no_step_but_the_first_allocates() {
    // One thread: what the thread pool does to share work among several is its own affair.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for integrator in [Integrator::ImplicitEuler, Integrator::ImplicitMidpoint, Integrator::Bdf2] {
            for preconditioner in [PreconditionerKind::BlockJacobi, PreconditionerKind::Multilevel] {
                let counts = allocations(integrator, preconditioner);
                assert!(counts[0] > 0, "nothing was counted");
                // BDF2 starts with a step of another method, and needs its history from the second on.
                assert!(counts[2..].iter().all(|c| *c == 0), "{integrator:?} {preconditioner:?}: {counts:?}");
                assert!(counts[1] == 0 || integrator == Integrator::Bdf2, "{integrator:?}: {counts:?}");
            }
        }
    });
}
