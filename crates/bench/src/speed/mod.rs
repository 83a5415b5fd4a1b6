//! `toile bench`: speed, as ratios within one run, because absolute times depend on the machine and its mood.
//!
//! What is compared runs in turn, A, B, A, B …, and medians count. Results are JSON lines; `collide` and `drape` print
//! them as a table, `cloth` adds one.

mod args;
mod body;
mod cloth;
mod collide;
mod constraint;
mod drape;
mod scissors;
mod try_on;

use std::path::Path;
use std::process::ExitCode;

use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::Value;

use crate::Program;
pub use args::BenchArgs;
use args::BenchKind;

/// Measures what `args` names, prints the results and writes them to the file that `args` names.
///
/// The exit code is a failure if something that must work does not.
pub fn bench(args: &BenchArgs, program: &dyn Program) -> Result<ExitCode> {
    let mut good = true;
    let lines = match args.kind {
        BenchKind::Constraint => constraint::constraint(args, program)?,
        BenchKind::Cloth => cloth::cloth(args, program)?,
        BenchKind::Collide => collide::collide(args, program)?,
        BenchKind::Drape => drape::drape(args, program)?,
        BenchKind::Body => body::body(args, program)?,
        BenchKind::Scissors => scissors::scissors(args, program)?,
        BenchKind::TryOn => {
            let (lines, all_good) = try_on::try_on(args, program)?;
            good = all_good;
            lines
        }
    };
    if let Some(out) = &args.out {
        save(&lines, out)?;
    }
    // 2: finished, but not clean.
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn save(lines: &[Value], out: &Path) -> Result<()> {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(out, text.join("\n") + "\n")
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", out.display()))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Four significant digits, for reading.
fn round(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10_f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_four_digits() {
        assert_eq!((round(12.345_67), round(0.001_234_56), round(0.0)), (12.35, 0.001_235, 0.0));
    }
}
