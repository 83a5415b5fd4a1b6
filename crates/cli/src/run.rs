//! `toile run` and `toile demo`.

use std::process::ExitCode;

use crate::args::{DemoArgs, Global, RunArgs};

pub(crate) fn demo(_args: &DemoArgs, _global: &Global) -> miette::Result<ExitCode> {
    miette::bail!("not there yet")
}

pub(crate) fn run(_args: &RunArgs, _global: &Global) -> miette::Result<ExitCode> {
    miette::bail!("not there yet")
}
