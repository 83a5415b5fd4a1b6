//! `toile bench try-on`: a T-shirt on the mannequin, from its pattern to its pictures, by phase.
//!
//! As a draft (vertices 20 mm apart) and, unless `--quick`, at 10 mm. One JSON line each; the last one has the ratios: what the finer
//! mesh costs, and the time over the aims of 10 and 60 seconds.

mod matrix;

use miette::{IntoDiagnostic, Result};
use serde_json::{Value, json};

pub(super) use matrix::MatrixArgs;

use super::args::BenchArgs;
use super::round;
use crate::Program;

/// Words for the quality, and the time it may take [s].
const AIMS: [(&str, f64); 2] = [("draft", 10.0), ("final", 60.0)];

/// The lines, and whether all is well.
pub(super) fn try_on(args: &BenchArgs, program: &dyn Program) -> Result<(Vec<Value>, bool)> {
    if args.matrix.matrix {
        return matrix::matrix(&args.matrix, program);
    }
    let folder = tempfile::tempdir().into_diagnostic()?;
    let mut lines = Vec::new();
    for (quality, _) in &AIMS[..if args.quick { 1 } else { 2 }] {
        let mut line = program.timed_try_on(quality, &folder.path().join(quality))?;
        line["bench"] = json!("try-on");
        for clock in line["clock"].as_object_mut().into_iter().flat_map(|clock| clock.values_mut()) {
            *clock = json!(round(clock.as_f64().unwrap_or(0.0)));
        }
        program.say(&line);
        lines.push(line);
    }
    let total = |k: usize| lines.get(k).and_then(|line| line["clock"]["total"].as_f64());
    let over = |k: usize| total(k).map(|seconds| round(seconds / AIMS[k].1));
    let last = json!({
        "bench": "try-on ratios",
        "draft over its aim of 10 s": over(0),
        "final over its aim of 60 s": over(1),
        "final over draft": total(1).zip(total(0)).map(|(fine, coarse)| round(fine / coarse)),
    });
    program.say(&last);
    lines.push(last);
    Ok((lines, true))
}
