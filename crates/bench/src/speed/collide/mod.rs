//! `toile bench collide`: what the parts of the collision search are worth, on moving meshes in closed form.
//!
//! - **walk**: trousers on a walking figure, the scene of Mezger 2003, §7, whose table 1 the rows repeat: each changes one
//!   setting, and its ratios stand beside the paper's.
//! - **crumple**: one step of a sheet pressed into a ball, where tens of layers overlap.
//! - **smooth**: a tablecloth that never touches itself, where normal cones save nearly everything.
//! - **size**: the tablecloth from 10,000 to 1,000,000 triangles.
//!
//! Columns: hierarchy update (HU: refits and rebuilds), collision test (CT: the rest, cones among it), total [ms per step]; pairs of
//! triangles whose volumes overlap, per step; the same four as ratios to the row named under `against`. The first
//! build of the trees is not counted.

mod contest;
mod film;
mod sheets;
mod table;
mod walk;

use clap::ValueEnum;
use miette::Result;
use serde_json::Value;

use super::args::{BenchArgs, BenchScene};
use crate::Program;
use table::{Print, Table};

/// How large everything is.
#[derive(Clone, Debug)]
struct Plan {
    /// Triangles of the figure.
    figure: usize,
    /// Triangles of the trousers, one scene each.
    trousers: Vec<usize>,
    /// Triangles of the crumpled sheet and of the smooth one.
    sheet: usize,
    /// Triangles of the tablecloths that are compared with the first.
    sizes: Vec<usize>,
    /// Steps of a walk.
    steps: usize,
    /// Repetitions of each measurement.
    passes: usize,
}

impl Plan {
    fn new(quick: bool) -> Self {
        let sizes =
            if quick { vec![10_000, 30_000, 100_000] } else { vec![10_000, 30_000, 100_000, 300_000, 1_000_000] };
        let (steps, passes) = if quick { (5, 5) } else { (30, 7) };
        // Mezger: 28,784 polygons and 1,626 triangles.
        Self { figure: 28_784, trousers: vec![1_626, 25_000], sheet: 90_000, sizes, steps, passes }
    }
}

pub(super) fn collide(args: &BenchArgs, program: &dyn Program) -> Result<Vec<Value>> {
    let options = program.options();
    let print = match (options.json, options.quiet) {
        (true, _) => Print::Json(program),
        (false, true) => Print::Nothing,
        (false, false) => Print::Table(program),
    };
    run(&Plan::new(args.quick), &args.only, print)
}

/// Scenes in `only`, or all if it is empty.
fn run(plan: &Plan, only: &[BenchScene], print: Print<'_>) -> Result<Vec<Value>> {
    let mut table = Table::new(print);
    for scene in BenchScene::value_variants().iter().filter(|s| only.is_empty() || only.contains(s)) {
        match scene {
            BenchScene::Walk => walk::rows(plan, &mut table)?,
            BenchScene::Crumple => sheets::crumple(plan, &mut table)?,
            BenchScene::Smooth => sheets::smooth(plan, &mut table)?,
            BenchScene::Size => sheets::size(plan, &mut table)?,
        }
    }
    Ok(table.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_benchmark_runs_through_and_every_way_finds_the_same() {
        let plan = Plan { figure: 800, trousers: vec![1_600], sheet: 800, sizes: vec![200, 400], steps: 2, passes: 2 };
        let lines = run(&plan, &[], Print::Nothing).unwrap();
        assert!(lines.len() > 30, "{}", lines.len());
        for line in &lines {
            assert!(line["total_ms"].as_f64().unwrap() > 0.0, "{line}");
            // All but the cubic method are exact.
            assert!(line["same_found"] == true || line["variant"] == "cubic", "{line}");
        }
        assert!(lines.iter().any(|l| l["note"].as_str().unwrap().contains("same bits")), "{lines:?}");
    }
}
