//! `toile truth`: what scenes do at default settings, beside what physics says they should.
//!
//! Each [`Experiment`] has a reference that does not come from the solver: a closed form, an ordinary differential equation
//! that is solved here, or a published measurement. It is measured twice through a scene file: with the settings that
//! everybody gets, and solved to the end.

mod air;
mod experiment;
mod friction;
mod lab;
mod motion;
mod page;
mod reference;
mod rest;
mod scene;
mod slide;
mod stiff;
mod touch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr, bail};

use crate::Program;
pub(crate) use experiment::{Accuracy, Experiment, Limit, Outcome};

/// What the help of `toile truth` ends with.
pub const TRUTH_HELP: &str = "Examples:\n  toile truth --list\n  toile truth tilted cantilever\n  toile truth --long\n  \
    toile truth --long --page docs/truth.md --overwrite\n\n\
    Every experiment is a scene with default settings, measured beside a reference that the\n\
    solver knows nothing of. Exit code 2 if one of them is beyond its limit.";

/// Options of `toile truth`.
#[derive(Args, Debug)]
pub struct TruthArgs {
    /// Experiments whose name contains one of these words; all of them if none is given
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// List the experiments with their references and limits
    #[arg(long)]
    list: bool,
    /// Also the long ones, which take minutes
    #[arg(long)]
    long: bool,
    /// Do not solve them to the end besides: half the time
    #[arg(long)]
    default_only: bool,
    /// Also write the table as a page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

impl TruthArgs {
    /// The page that is written, if one is.
    pub fn file(&self) -> Option<&Path> {
        self.page.as_deref()
    }
}

/// All experiments, in the order of the page.
pub(crate) fn experiments() -> Vec<Experiment> {
    let groups = [
        rest::experiments(),
        motion::experiments(),
        slide::experiments(),
        friction::experiments(),
        touch::experiments(),
        air::experiments(),
        lab::experiments(),
        stiff::experiments(),
    ];
    groups.into_iter().flatten().collect()
}

/// Measures the experiments that `args` name and prints them beside their references.
///
/// The exit code is a failure if one is beyond its limit.
pub fn truth(args: &TruthArgs, program: &dyn Program) -> Result<ExitCode> {
    let options = program.options();
    let mut chosen = experiments();
    chosen.retain(|e| args.words.is_empty() || args.words.iter().any(|word| e.name.contains(word.as_str())));
    if chosen.is_empty() {
        bail!("no experiment has a name like that: toile truth --list lists them");
    }
    if args.list {
        for experiment in &chosen {
            program.say(&page::listed(experiment));
        }
        return Ok(ExitCode::SUCCESS);
    }
    // Whoever names a long one wants it.
    chosen.retain(|e| args.long || !args.words.is_empty() || !e.is_long);
    if !options.json && !options.quiet {
        program.say(&page::HEAD);
    }
    let mut outcomes = Vec::new();
    for experiment in &chosen {
        let outcome = experiment.run(!args.default_only)?;
        if options.json {
            program.say(&page::json(experiment, &outcome));
        } else if !options.quiet {
            program.say(&page::line(experiment, &outcome));
        }
        outcomes.push(outcome);
    }
    if let Some(file) = &args.page {
        std::fs::write(file, page::page(&chosen, &outcomes))
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", file.display()))?;
    }
    let all_well = chosen.iter().zip(&outcomes).all(|(experiment, outcome)| experiment.holds(outcome));
    // 2: finished, but not clean.
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// Measures one experiment at default settings and asserts that it holds.
#[cfg(test)]
pub(crate) fn assert_holds(name: &str) {
    let all = experiments();
    let experiment = all.iter().find(|e| e.name == name).expect("the experiment exists");
    let outcome = experiment.run(false).expect("the experiment runs");
    assert!(experiment.holds(&outcome), "{}", page::line(experiment, &outcome));
}
