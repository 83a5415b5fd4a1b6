//! What elements cost: one evaluation and assembly, per triangle.

use miette::Result;
use serde_json::{Value, json};
use toile_cloth::dynamics::{Integrator, NewtonSettings, PreconditionerKind};
use toile_cloth::{BendingKind, MembraneKind, SheetOptions};

use super::swing::{SETTINGS, Swing};
use crate::pool::pool;
use crate::speed::{median, round};

/// Steps to measure; the median counts.
const STEPS: usize = 7;

pub(super) fn kinds(n: u32) -> Result<Vec<Value>> {
    let membranes = [
        ("corotational", MembraneKind::Corotational),
        ("threads", MembraneKind::Threads),
        ("springs", MembraneKind::Springs),
    ];
    let bendings = [("fit", BendingKind::Fit), ("hinge", BendingKind::Hinge)];
    let names = membranes.into_iter().flat_map(|m| bendings.map(|b| (m, b)));
    let mut swings: Vec<_> = names
        .map(|((membrane, m), (bending, b))| {
            let options = SheetOptions { membrane: m, bending: b, ..SheetOptions::default() };
            let swing = Swing::new(n, &options, PreconditionerKind::BlockJacobi);
            (membrane, bending, swing, Vec::new())
        })
        .collect();
    // Whatever is left over is good enough: the step ends after its first assembly.
    let settings = NewtonSettings { tolerance: f64::MAX, ..SETTINGS };
    pool(1)?.install(|| {
        for _ in 0..STEPS {
            for (_, _, swing, seconds) in &mut swings {
                seconds.push(swing.step(Integrator::ImplicitEuler, &settings).newton.assembly_seconds);
            }
        }
    });
    let line = |(membrane, bending, swing, mut seconds): (&str, &str, Swing, Vec<f64>)| {
        json!({
            "bench": "cloth", "part": "element", "particles": n * n, "membrane": membrane, "bending": bending,
            "ns_per_triangle": round(1e9 * median(&mut seconds) / swing.triangles as f64),
        })
    };
    Ok(swings.into_iter().map(line).collect())
}
