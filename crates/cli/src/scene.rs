//! `toile scene`.

use std::process::ExitCode;

use crate::args::{Global, SceneArgs};

pub(crate) fn scene(_args: &SceneArgs, _global: &Global) -> miette::Result<ExitCode> {
    miette::bail!("not there yet")
}
