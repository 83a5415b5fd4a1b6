//! `toile render`.

use std::process::ExitCode;

use crate::args::{Global, RenderArgs};

pub(crate) fn render(_args: &RenderArgs, _global: &Global) -> miette::Result<ExitCode> {
    miette::bail!("not there yet")
}
