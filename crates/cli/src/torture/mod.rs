//! `toile torture`: scenes made to break a cloth simulator, each judged by the same few numbers.
//!
//! A scene passes if no output frame has an intersection or a particle inside an obstacle, everything stays finite, no
//! edge is ever longer than the scene's form allows, no fast obstacle has flown through between frames, and one thread gives
//! the same bits as two (or as `--threads`). Nothing of this is taken from the step's own word: positions are measured here and by the judge.

mod scenes;
mod trial;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use miette::Result;

use crate::args::Global;
use crate::say;
use scenes::{SCENES, Torture};

/// Shown below the help.
pub(crate) const AFTER_HELP: &str = "Examples:\n  toile torture --list\n  toile torture reef-knot needles --short\n  \
    toile torture --all --out runs/torture\n  toile torture --show funnel > funnel.toml\n\n\
    A scene passes if in every frame nothing intersects and nothing is inside an obstacle,\n\
    all numbers are finite, no edge is stretched beyond the limit of the scene, and\n\
    1 and 2 threads (or 1 and --threads N) give the same bits.\n\
    Exit code 1 if any scene fails.";

#[derive(Args, Debug)]
pub(crate) struct TortureArgs {
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
    /// Also write a run with pictures to FOLDER/<name of the scene>
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn torture(args: &TortureArgs, global: &Global) -> Result<ExitCode> {
    if let Some(name) = &args.show {
        let text = scenes::find(name)?.text;
        say(text.strip_suffix('\n').unwrap_or(text));
        return Ok(ExitCode::SUCCESS);
    }
    if args.list {
        for torture in SCENES {
            say(words::listed(torture, global)?);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let chosen: Vec<&Torture> = if args.all {
        SCENES.iter().collect()
    } else {
        args.names.iter().map(|name| scenes::find(name)).collect::<Result<_>>()?
    };
    let mut all_well = true;
    if !global.json && !global.quiet {
        say(words::HEAD);
    }
    for torture in chosen {
        let scene = torture.scene(args.short)?;
        let folder = args.out.as_ref().map(|out| out.join(torture.name));
        let outcome = trial::attempt(&scene, torture.witness(), folder.as_deref(), thread_counts(global.threads))?;
        let verdict = outcome.verdict(torture, args.short);
        all_well &= verdict.is_well();
        if global.json {
            say(words::json(torture, args.short, &outcome, &verdict));
        } else if !global.quiet {
            say(words::line(torture, &outcome, &verdict));
        }
    }
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Threads of the run that is judged and of the one that must give the same bits, from `--threads`.
fn thread_counts(asked: usize) -> [usize; 2] {
    match asked {
        0 => [2, 1],
        1 => [1, 2],
        n => [n, 1],
    }
}
