//! `toile check`.

use std::process::ExitCode;

use crate::args::{CheckArgs, Global};

pub(crate) fn check(_args: &CheckArgs, _global: &Global) -> miette::Result<ExitCode> {
    miette::bail!("not there yet")
}
