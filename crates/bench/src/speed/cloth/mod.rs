//! `toile bench cloth`: the physical model. A square sheet of cotton, 1 m × 1 m, falls from level and swings by two of its
//! corners, without contacts.
//!
//! - **step**: time per step of implicit Euler at 1/60 s by size and threads, and where it goes;
//! - **solver**: preconditioners on the same linear system;
//! - **integrator**: one second of swing;
//! - **element**: assembly by kind of membrane and bending;
//! - **model**: finite elements against the constraint model at equal time: which is stiffer.
//!
//! Newton's tolerance and that of the linear solver are the same at all sizes. One JSON line per measurement, tables at the end.

mod compare;
mod kinds;
mod steps;
pub(super) mod swing;
mod table;

use miette::Result;
use serde_json::Value;

use super::args::BenchArgs;
use crate::Program;

/// How much is measured.
#[derive(Clone, Debug)]
struct Plan {
    /// Particles per side, ascending.
    sizes: Vec<u32>,
    /// Steps to measure at 1,000 particles; fewer of larger sheets.
    frames: u32,
    /// Sizes at which integrators are compared.
    swings: Vec<u32>,
    /// Seconds of swing.
    seconds: f64,
    /// Particles per side of the sheet that both models hang.
    hung: u32,
}

impl Plan {
    /// Most of the time goes to the largest sheet; quick leaves it out. Integrators swing a small one: implicit midpoint has
    /// a hard time with long steps.
    fn new(args: &BenchArgs) -> Self {
        let usual: &[u32] = if args.quick { &[32, 100] } else { &[32, 100, 316] };
        let mut sizes = if args.sizes.is_empty() { usual.to_vec() } else { args.sizes.clone() };
        sizes.sort_unstable();
        // A sheet needs a triangle.
        for n in &mut sizes {
            *n = (*n).max(4);
        }
        let swings = vec![if args.quick { 16 } else { 24 }];
        Self { sizes, frames: args.frames, swings, seconds: 0.5, hung: if args.quick { 32 } else { 64 } }
    }
}

pub(super) fn cloth(args: &BenchArgs, program: &dyn Program) -> Result<Vec<Value>> {
    let options = program.options();
    let lines = run(&Plan::new(args), |line| {
        if !options.quiet {
            program.say(line);
        }
    })?;
    if !options.json && !options.quiet {
        program.say(&table::tables(&lines));
    }
    Ok(lines)
}

fn run(plan: &Plan, print: impl Fn(&Value)) -> Result<Vec<Value>> {
    let mut lines = Vec::new();
    let mut add = |line: Value| {
        print(&line);
        lines.push(line);
    };
    for &n in &plan.sizes {
        let start = steps::moving(n)?;
        steps::threads(n, plan.frames, &start)?.into_iter().for_each(&mut add);
        steps::preconditioners(n, &start)?.into_iter().for_each(&mut add);
    }
    for &n in &plan.swings {
        compare::integrators(n, plan.seconds)?.into_iter().for_each(&mut add);
    }
    kinds::kinds(plan.sizes[plan.sizes.len() / 2].min(100))?.into_iter().for_each(&mut add);
    compare::models(plan.hung, plan.seconds)?.into_iter().for_each(&mut add);
    let goals = table::goals(&lines);
    print(&goals);
    lines.push(goals);
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_benchmark_runs_through_and_threads_agree() {
        let plan = Plan { sizes: vec![8, 12], frames: 3, swings: vec![8], seconds: 0.1, hung: 10 };
        let lines = run(&plan, |_| {}).unwrap();
        let of = |part: &str| lines.iter().filter(|l| l["part"] == part).collect::<Vec<_>>();
        assert_eq!(["step", "solver", "integrator", "element", "model"].map(|p| of(p).len()), [4, 4, 4, 6, 2]);
        assert!(of("step").iter().all(|l| l["same_bits_for_1_and_2_threads"] == true && l["ms_per_step"] != 0.0));
        let implicit = of("integrator").into_iter().filter(|l| l["integrator"] != "Verlet");
        assert!(implicit.into_iter().all(|l| l["largest_stretch"].as_f64().unwrap() > 0.0));
        assert!(of("element").iter().all(|l| l["ns_per_triangle"].as_f64().unwrap() > 0.0));
        assert!(table::tables(&lines).contains("Goals"));
    }
}
