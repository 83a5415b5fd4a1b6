//! Implicit steps by size and threads, and the linear solver inside them.

use std::time::Instant;

use miette::Result;
use serde_json::{Value, json};
use toile_cloth::SheetOptions;
use toile_cloth::dynamics::{Integrator, NewtonSettings, PreconditionerKind};

use super::swing::{SETTINGS, Swing};
use crate::pool::pool;
use crate::speed::{median, round};

/// Steps before the measurement: the sheet falls by then, and its corners pull.
const WARM_UP: u32 = 4;
/// Iterations of the linear solver when preconditioners are compared.
const MOST_ITERATIONS: u32 = 1_000;

/// A sheet in motion.
pub(super) fn moving(n: u32) -> Result<Swing> {
    pool(2)?.install(|| {
        let mut swing = Swing::new(n, &SheetOptions::default(), PreconditionerKind::Multilevel);
        // On the way nothing is measured, so a residual ten times as large will do.
        let settings = NewtonSettings { tolerance: 10.0 * SETTINGS.tolerance, ..SETTINGS };
        for _ in 0..WARM_UP {
            let _ = swing.step(Integrator::ImplicitEuler, &settings);
        }
        Ok(swing)
    })
}

/// One line for one thread and one for two: clones of one sheet, step by step in turn.
pub(super) fn threads(n: u32, frames: u32, start: &Swing) -> Result<Vec<Value>> {
    let (pools, mut swings) = ([pool(1)?, pool(2)?], [start.clone(), start.clone()]);
    let mut seconds = [(); 2].map(|()| [(); 3].map(|()| Vec::new()));
    let (mut newton, mut linear, mut residual) = (0, 0, 0.0_f64);
    let count = (u64::from(frames) * 1_000 / u64::from(n * n)).clamp(3, u64::from(frames.clamp(3, 30)));
    for _ in 0..count {
        for k in 0..2 {
            let clock = Instant::now();
            let report = pools[k].install(|| swings[k].step(Integrator::ImplicitEuler, &SETTINGS)).newton;
            let total = clock.elapsed().as_secs_f64();
            let parts = [total, report.assembly_seconds, report.solve_seconds];
            seconds[k].iter_mut().zip(parts).for_each(|(list, part)| list.push(part));
            if k == 0 {
                newton += report.iterations;
                linear += report.linear_iterations;
                residual = residual.max(report.residual);
            }
        }
    }
    let identical = swings[0].bits() == swings[1].bits();
    let line = |k: usize| {
        let [total, assembly, solve] = [0, 1, 2].map(|part| 1e3 * median(&mut seconds[k][part].clone()));
        json!({
            "bench": "cloth", "part": "step", "particles": n * n, "threads": k + 1, "steps": count,
            "ms_per_step": round(total), "assembly_ms": round(assembly), "solve_ms": round(solve),
            "rest_ms": round((total - assembly - solve).max(0.0)),
            "newton_per_step": round(f64::from(newton) / count as f64),
            "linear_per_step": round(f64::from(linear) / count as f64),
            "largest_residual": round(residual), "same_bits_for_1_and_2_threads": identical,
        })
    };
    Ok((0..2).map(line).collect())
}

/// The first linear system of a step, solved with each preconditioner on one thread.
pub(super) fn preconditioners(n: u32, start: &Swing) -> Result<Vec<Value>> {
    let settings = NewtonSettings {
        most_iterations: 1,
        linear_tolerance: 1e-2,
        most_linear_iterations: MOST_ITERATIONS,
        ..SETTINGS
    };
    let pool = pool(1)?;
    let kinds = [("block Jacobi", PreconditionerKind::BlockJacobi), ("multilevel", PreconditionerKind::Multilevel)];
    Ok(kinds
        .into_iter()
        .map(|(name, kind)| {
            let mut swing = start.with_preconditioner(kind);
            let report = pool.install(|| swing.step(Integrator::ImplicitEuler, &settings)).newton;
            json!({
                "bench": "cloth", "part": "solver", "particles": n * n, "preconditioner": name,
                "iterations": report.linear_iterations, "ms_per_solve": round(1e3 * report.solve_seconds),
                "relative_tolerance": settings.linear_tolerance,
                "capped": report.linear_iterations >= MOST_ITERATIONS,
            })
        })
        .collect())
}
