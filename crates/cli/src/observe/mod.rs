//! What the program tells of its own work: a log on standard error (`--log`) and a trace for a timeline (`--trace`).
//!
//! The libraries open spans and emit events through the facade `tracing`; they never print. Without these options nobody listens, and a
//! span costs one comparison. Neither option changes a result: clocks are read here and enter nothing else.
//!
//! | level | spans | events |
//! |---|---|---|
//! | `warn` | – | searches that fail, steps accepted with pairs that meet, seams that stay open |
//! | `info` | frames, stages of dressing, export, drawing | runs started and resumed, seams closed, cloth cut, cloth at rest |
//! | `debug` | steps, attempts, judging, recording | steps split and why, excuses, hard steps, renewed lists, checkpoints |
//! | `trace` | phases | every solve; the time of every span when it ends |

mod chrome;
mod filter;
mod log;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{IntoDiagnostic, Result, miette};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::Registry;

use crate::args::{Cli, Command};

use chrome::{ChromeLayer, Sink};
pub(crate) use filter::{LogFilter, parse_filter};

/// Begin of every target of the program and its libraries.
const OURS: &str = "toile";

/// A trace that is being written.
pub(crate) struct Trace {
    path: PathBuf,
    sink: Arc<Sink>,
}

impl Trace {
    fn create(path: &Path) -> Result<Self> {
        let sink = File::create(path).and_then(Sink::new).map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path: path.to_owned(), sink: Arc::new(sink) })
    }

    /// Writes what is left. The error is the first that writing met.
    pub(crate) fn close(self) -> Result<()> {
        self.sink.close().map_err(|error| cannot_write(&self.path, &error))
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> miette::Report {
    let help = "name a file with --trace in a folder that exists, where there is room and you may write";
    miette!(help = help, "the trace {} cannot be written: {error}", path.display())
}

/// Starts to log and to trace as the words of the command line ask for.
pub(crate) fn start(cli: &Cli) -> Result<Option<Trace>> {
    let global = &cli.global;
    let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = Vec::new();
    if !global.log.is_off() {
        layers.push(log::layer(&global.log, global.bars.clone()));
    }
    let mut trace = None;
    if let Some(path) = &global.trace {
        if !simulates(cli.command.as_ref()) {
            let help = "leave it out, or use it with run, demo, try-on, check, fabric test, torture or bench";
            return Err(miette!(help = help, "--trace records a simulation, and this command does not simulate"));
        }
        crate::output::new_files_of_folder([path.as_path()], global)?;
        let created = Trace::create(path)?;
        let layer = ChromeLayer::new(created.sink.clone());
        layers.push(layer.with_filter(Targets::new().with_target(OURS, LevelFilter::TRACE)).boxed());
        trace = Some(created);
    }
    if !layers.is_empty() {
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layers)).into_diagnostic()?;
    }
    Ok(trace)
}

/// Whether a command may simulate.
fn simulates(command: Option<&Command>) -> bool {
    match command {
        Some(Command::Demo(args)) => !args.list,
        Some(Command::Fabric(args)) => args.simulates(),
        None
        | Some(
            Command::Run(_)
            | Command::TryOn(_)
            | Command::Check(_)
            | Command::Torture(_)
            | Command::Truth(_)
            | Command::Bench(_),
        ) => true,
        Some(
            Command::Detect(_)
            | Command::Render(_)
            | Command::Info(_)
            | Command::Scene(_)
            | Command::Body(_)
            | Command::Pattern(_),
        ) => false,
    }
}
