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
mod torture;
mod try_on;

use std::io::Write;
use std::process::ExitCode;

use miette::{IntoDiagnostic, Result};

use args::{Cli, Command, DemoArgs};

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
    let default = Cli::usual();
    let global = &cli.global;
    pool.install(|| {
        match cli.command.as_ref().or(default.command.as_ref()).unwrap_or(&Command::Demo(DemoArgs::default())) {
            Command::Demo(args) => run::demo(args, global),
            Command::Run(args) => run::run(args, global),
            Command::Check(args) => check::check(args, global),
            Command::Detect(args) => detect::detect(args, global),
            Command::Render(args) => render::render(args, global),
            Command::Info(args) => info::info(args, global),
            Command::Scene(args) => scene::scene(args, global),
            Command::Fabric(args) => fabric::fabric(args, global),
            Command::Body(args) => body::body(args, global),
            Command::Pattern(args) => pattern::pattern(args, global),
            Command::TryOn(args) => try_on::try_on(args, global),
            Command::Bench(args) => bench::bench(args, global),
            Command::Torture(args) => torture::torture(args, global),
        }
    })
}

/// Prints a line to standard output. The one place that does: libraries stay silent. A reader that has gone away, as
/// `head` does, is no error; neither is there anybody left to tell of another one.
fn say(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}
