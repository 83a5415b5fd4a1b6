//! `toile info`.

use std::process::ExitCode;

use crate::args::{Global, InfoArgs};

pub(crate) fn info(_args: &InfoArgs, _global: &Global) -> miette::Result<ExitCode> {
    miette::bail!("not there yet")
}
