//! `toile torture`: scenes made to break a cloth simulator, each judged by the same few numbers.
//!
//! A scene passes if no output frame has an intersection or cloth inside an obstacle, everything stays finite, stretch
//! stays within the limit of the form ([`limit`]), no fast obstacle has flown through between frames, and one thread gives
//! the same bits as two (or as `--threads`). Stretch is that of edges in the constraint model, and of warp and weft threads
//! with finite elements. All this is measured here and by the judge; only what is squeezed is taken from the step's report.
//!
//! One scene must intersect, and one leaves no room for a while: see [`scenes::Expect`].

mod limit;
mod scenes;
mod trial;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use miette::Result;
use toile_scene::Run;

use crate::Program;
use scenes::{SCENES, Torture};
use trial::{Record, Watched};

/// What the help of `toile torture` ends with.
pub const TORTURE_HELP: &str = "Examples:\n  toile torture --list\n  toile torture reef-knot needles --short\n  \
    toile torture --all --out runs/torture\n  toile torture --show funnel > funnel.toml\n\n\
    A scene passes if in every frame nothing intersects and nothing is inside an obstacle,\n\
    all numbers are finite, stretch stays within the limit of the scene, no obstacle has\n\
    flown through between frames, and 1 and 2 threads (or 1 and --threads N) give the same bits.\n\
    Stretch is that of edges (constraint model) or of warp and weft threads (finite elements).\n\
    One scene must intersect; one squeezes the cloth for a while: see --list and its scene file.\n\
    Exit code 1 if any scene fails.";

/// Options of `toile torture`.
#[derive(Args, Debug)]
pub struct TortureArgs {
    /// Which scenes; see --list
    #[arg(value_name = "NAME", required_unless_present_any = ["all", "list", "show"])]
    names: Vec<String>,
    /// All scenes
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// List the scenes, with where they come from
    #[arg(long, conflicts_with_all = ["names", "all"])]
    list: bool,
    /// Print a scene, to start from
    #[arg(long, value_name = "NAME", conflicts_with_all = ["names", "all", "list"])]
    show: Option<String>,
    /// Fewer frames of coarser meshes, as said by --list
    #[arg(long)]
    short: bool,
    /// Also write a run with pictures to FOLDER/NAME, named after the scene
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl TortureArgs {
    /// The folder that runs are written to, if they are.
    pub fn folder(&self) -> Option<&Path> {
        self.out.as_deref()
    }
}

/// Lists, shows or tries scenes, as `args` say.
///
/// The exit code is a failure if a scene fails.
pub fn torture(args: &TortureArgs, program: &dyn Program) -> Result<ExitCode> {
    let options = program.options();
    if let Some(name) = &args.show {
        let text = scenes::find(name)?.text;
        program.say(&text.strip_suffix('\n').unwrap_or(text));
        return Ok(ExitCode::SUCCESS);
    }
    if args.list {
        for torture in SCENES {
            program.say(&words::listed(torture, options.json)?);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let chosen: Vec<&Torture> = if args.all {
        SCENES.iter().collect()
    } else {
        args.names.iter().map(|name| scenes::find(name)).collect::<Result<_>>()?
    };
    let mut all_well = true;
    if !options.json && !options.quiet {
        program.say(&words::HEAD);
    }
    for torture in chosen {
        let scene = torture.scene(args.short)?;
        let folder = args.out.as_ref().map(|out| out.join(torture.name));
        let publish = |run: &Run| program.publish(run);
        let record = folder.as_deref().map(|folder| Record { folder, publish: &publish });
        let watched = Watched { witness: torture.witness(), press: torture.press() };
        let outcome = trial::attempt(&scene, watched, record, thread_counts(options.threads))?;
        let limit = torture.limit(args.short)?;
        let verdict = outcome.verdict(torture.expect, limit);
        all_well &= verdict.is_well();
        if options.json {
            program.say(&words::json(torture, args.short, limit, &outcome, &verdict));
        } else if !options.quiet {
            program.say(&words::line(torture, &outcome, &verdict));
        }
    }
    // 2: finished, but not clean.
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// Threads of the run that is judged and of the one that must give the same bits, from `--threads`.
fn thread_counts(asked: usize) -> [usize; 2] {
    match asked {
        0 => [2, 1],
        1 => [1, 2],
        n => [n, 1],
    }
}
