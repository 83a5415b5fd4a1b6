//! `toile bench`.

use std::process::ExitCode;

use crate::args::{BenchArgs, Global};

pub(crate) fn bench(_args: &BenchArgs, _global: &Global) -> miette::Result<ExitCode> {
    miette::bail!("not there yet")
}
