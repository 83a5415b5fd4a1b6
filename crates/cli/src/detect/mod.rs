//! `toile detect`: what is near, what meets during a step, and when raw pairs do.
//!
//! The detectors are those of `toile::collide`; here files are read, features are numbered across two meshes, and the
//! answer is written for people and for programs. Files are written whole or not at all.

mod args;
mod input;
mod output;
mod queries;
mod search;
mod words;

pub(crate) use args::{AFTER_HELP, DetectArgs};

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use miette::miette;

use crate::args::{Global, JsonTo};
use crate::say;
use input::Input;

pub(crate) fn detect(args: &DetectArgs, global: &Global) -> miette::Result<ExitCode> {
    accept_targets(args)?;
    let json = match &args.json {
        Some(JsonTo::File(path)) => Some(path),
        _ => None,
    };
    let targets = [json, args.pairs.as_ref(), args.answers.as_ref()];
    crate::output::new_files(targets.into_iter().flatten().map(PathBuf::as_path), global)?;
    let is_silent = global.quiet || args.json == Some(JsonTo::StandardOutput);
    if let (Some(path), Some(kind)) = (&args.queries, args.kind) {
        let tally = queries::answer(path, kind.kind(), args)?;
        let summary = tally.json(args);
        output::write_json(args.json.as_ref(), None, &summary)?.commit()?;
        if !is_silent {
            say(tally.text(args));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let input = match args.within {
        Some(within) => Input::proximities(&args.meshes, within, args.within_each)?,
        None => Input::impacts(&args.start, &args.end, args.min_separation)?,
    };
    let outcome = search::search(&input, args)?;
    let summary = words::summary(&input, &outcome, args);
    // Both are complete before either takes its name.
    let json = output::write_json(args.json.as_ref(), Some(&outcome.pairs), &summary)?;
    let lines = output::write_lines(args.pairs.as_deref(), &outcome.pairs)?;
    json.commit()?;
    lines.commit()?;
    if !is_silent {
        say(words::text(&input, &outcome, args));
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses, before anything is computed, targets that cannot be written, would replace what is read, or are one file.
fn accept_targets(args: &DetectArgs) -> miette::Result<()> {
    let json = match &args.json {
        Some(JsonTo::File(path)) => Some(path),
        _ => None,
    };
    let targets: Vec<(&str, &PathBuf)> =
        [("--json", json), ("--pairs", args.pairs.as_ref()), ("--answers", args.answers.as_ref())]
            .into_iter()
            .filter_map(|(option, path)| Some((option, path?)))
            .collect();
    for (i, (option, target)) in targets.iter().enumerate() {
        let folder = target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A finished file is renamed over its target: that must not be a device, a pipe or a link.
        let is_strange = target.symlink_metadata().is_ok_and(|m| !m.is_file());
        let mut inputs = args.meshes.iter().chain(&args.start).chain(&args.end).chain(&args.queries);
        let reason = if is_strange {
            "not a plain file"
        } else if !folder.is_dir() {
            "its folder does not exist"
        } else if inputs.any(|input| is_same_file(input, target)) {
            "the result would replace its source"
        } else if targets[..i].iter().any(|(_, other)| other == target) {
            "two results would have one name"
        } else {
            continue;
        };
        let help = format!("give {option} the name of another file, in an existing folder");
        return Err(miette!(help = help, "{}: {reason}", target.display()));
    }
    Ok(())
}

/// Whether two paths lead to one file; a path that leads nowhere is no file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
}
