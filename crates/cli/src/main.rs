//! The `toile` command line.

mod args;
mod bench;
mod body;
mod check;
mod demos;
mod detect;
mod fabric;
mod film;
mod info;
mod pattern;
mod picture;
mod render;
mod report_page;
mod run;
mod scene;
mod summary;
mod texture;
mod torture;
mod try_on;

use std::io::Write;
use std::process::ExitCode;

use miette::{IntoDiagnostic, Result};

use args::{Cli, Command};
use try_on::TryOnArgs;

fn main() -> ExitCode {
    let cli = Cli::read();
    match dispatch(&cli) {
        Ok(code) => code,
        Err(report) => {
            // The last word of a failed command: what, where, why and how to mend it.
            #[allow(clippy::print_stderr)]
            {
                eprintln!("{report:?}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Runs the command on a pool of its own, so that `--threads` holds for everything.
fn dispatch(cli: &Cli) -> Result<ExitCode> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cli.global.threads).build().into_diagnostic()?;
    let global = &cli.global;
    pool.install(|| match &cli.command {
        None => try_on::try_on(&TryOnArgs::usual()?, global),
        Some(Command::Demo(args)) => run::demo(args, global),
        Some(Command::Run(args)) => run::run(args, global),
        Some(Command::Check(args)) => check::check(args, global),
        Some(Command::Detect(args)) => detect::detect(args, global),
        Some(Command::Render(args)) => render::render(args, global),
        Some(Command::Info(args)) => info::info(args, global),
        Some(Command::Scene(args)) => scene::scene(args, global),
        Some(Command::Fabric(args)) => fabric::fabric(args, global),
        Some(Command::Body(args)) => body::body(args, global),
        Some(Command::Pattern(args)) => pattern::pattern(args, global),
        Some(Command::TryOn(args)) => try_on::try_on(args, global),
        Some(Command::Bench(args)) => bench::bench(args, global),
        Some(Command::Torture(args)) => torture::torture(args, global),
    })
}

/// Prints a line to standard output. The one place that does: libraries stay silent. A reader that has gone away, as
/// `head` does, is no error; neither is there anybody left to tell of another one.
fn say(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}
