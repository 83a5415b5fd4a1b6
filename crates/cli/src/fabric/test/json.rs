//! What the laboratory found, for programs; everything in SI units but the drape coefficient, in percent.

use serde_json::{Value, json};
use toile_scene::lab::Direction;
use toile_scene::lab::drape::DrapeRun;

use super::{Tested, drape_verdict};

pub(super) fn of(tested: &Tested) -> Value {
    let test = &tested.test;
    let readings: Vec<Value> = test
        .readings()
        .into_iter()
        .map(|(kind, r, at_rest)| {
            json!({
                "test": kind.name(),
                "symbol": r.symbol,
                "direction": r.direction.map(Direction::name),
                "unit": r.unit.si(),
                "typed": r.typed,
                "read": r.read,
                "difference": r.difference(),
                "tolerance": r.tolerance,
                "at_rest": at_rest,
                "good": at_rest && r.is_within(),
            })
        })
        .collect();
    json!({
        "fabric": tested.named.name,
        "good": test.is_within(),
        "readings": readings,
        "tensile": test.tensile.iter().map(|t| json!({
            "direction": t.direction.name(),
            "extension": t.extension / 100.0,
            "work": t.work,
            "curve_percent_load": t.curve,
        })).collect::<Vec<_>>(),
        "shear": test.shear.as_ref().map(|t| json!({ "curve_degrees_force": t.curve })),
        "bending": test.bending.iter().map(|t| json!({
            "direction": t.direction.name(),
            "curve_curvature_moment": t.curve,
        })).collect::<Vec<_>>(),
        "cantilever": test.cantilever.iter().map(|t| json!({
            "direction": t.direction.name(),
            "overhang": t.overhang,
            "profile": t.profile,
        })).collect::<Vec<_>>(),
        "drape": drape(tested),
    })
}

fn drape(tested: &Tested) -> Option<Value> {
    let drape = tested.test.drape.as_ref()?;
    let band = tested.band();
    Some(json!({
        "coefficient": drape.coefficient(),
        "range": drape.range(),
        "nodes": drape.nodes(),
        "converged": drape.converged(),
        "intersections": drape.intersections(),
        "support": drape.options.support,
        "specimen": drape.options.specimen,
        "band": band.map(|b| b.range),
        "verdict": drape_verdict(drape, band).0,
        "of_strips": 100.0 * tested.named.fabric.drape_of_strips(),
        "runs": drape.runs.iter().map(run).collect::<Vec<_>>(),
    }))
}

fn run(run: &DrapeRun) -> Value {
    json!({
        "grain": run.grain,
        "coefficient": run.coefficient,
        "nodes": run.nodes,
        "residual": run.residual,
        "last_change": run.last_change,
        "converged": run.converged,
        "intersections": run.intersections,
        "hem_degrees_radius": run.hem,
    })
}
