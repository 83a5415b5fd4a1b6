//! The `toile` command line.

mod args;
mod benches;
mod body;
mod check;
mod demos;
mod detect;
mod fabric;
mod film;
mod info;
mod measured;
mod observe;
mod output;
mod overlap;
mod pattern;
mod picture;
mod render;
mod report_page;
mod results;
mod run;
mod scene;
mod summary;
mod texture;
mod try_on;

use std::io::Write;
use std::process::ExitCode;

use miette::{IntoDiagnostic, Result};

use args::{Cli, Command};
use observe::Trace;
use try_on::TryOnArgs;

/// Exit code of a command that came to its end, but whose result is not clean: something intersects, or a test failed.
///
/// 0 is a good result; 1 means that the input was refused, or that the command failed.
const NOT_CLEAN: u8 = 2;

/// The exit code of a command that came to its end.
fn exit_code(is_clean: bool) -> ExitCode {
    if is_clean { ExitCode::SUCCESS } else { ExitCode::from(NOT_CLEAN) }
}

fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(answer) => {
            // Help and version are answers; all else is refused.
            let is_error = answer.use_stderr();
            let _ = answer.print();
            return if is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match observed(&cli) {
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

/// Runs the command while log and trace listen. The trace is closed even if the command fails.
fn observed(cli: &Cli) -> Result<ExitCode> {
    let trace = observe::start(cli)?;
    let done = dispatch(cli);
    let closed = trace.map_or(Ok(()), Trace::close);
    let code = done?;
    closed?;
    Ok(code)
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
        Some(Command::Bench(args)) => {
            output::new_files(args.files(), global)?;
            toile_bench::bench(args, global)
        }
        Some(Command::Torture(args)) => {
            args.folder().map_or(Ok(()), |folder| output::new_folder(folder, global))?;
            toile_bench::torture(args, global)
        }
        Some(Command::Truth(args)) => {
            output::new_files(args.file(), global)?;
            toile_bench::truth(args, global)
        }
    })
}

/// Prints a line to standard output. The one place that does: libraries stay silent. A reader that has gone away, as
/// `head` does, is no error; neither is there anybody left to tell of another one.
fn say(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// Reads a scene file. Old spellings and retired keys in it are named on standard error, unless the program is quiet.
#[allow(clippy::print_stderr)]
fn load_scene(path: &std::path::Path, is_quiet: bool) -> Result<toile_scene::Scene> {
    let (scene, warnings) = toile_scene::Scene::load_with_warnings(path)?;
    for warning in warnings.iter().filter(|_| !is_quiet) {
        eprintln!("warning: {warning}");
    }
    Ok(scene)
}
