//! Project automation: `cargo xtask test` runs every check the project has.
//!
//! The steps run from cheap to dear and stop at the first failure, with the command that repeats it. The last step
//! simulates a demo and accepts it only if the intersection judge found nothing in any frame.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool speaks through its terminal")]

mod blender;
mod hygiene;
mod interchange;
mod metadata;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs, process};

use serde_json::Value;

/// One named check of the project.
struct Step {
    name: &'static str,
    headline: &'static str,
    run: fn(&Path) -> Result<Outcome, Failure>,
}

/// How a step ended when it did not fail. Both carry one line for the reader; it may be empty for `Passed`.
enum Outcome {
    Passed(String),
    Skipped(String),
}

/// Why a step failed, and the command to repeat it when that is not simply the step itself.
struct Failure {
    why: String,
    repeat: Option<String>,
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self { why, repeat: None }
    }
}

const STEPS: [Step; 12] = [
    Step { name: "fmt", headline: "formatting", run: fmt },
    Step { name: "hygiene", headline: "no machine paths, no unfinished code, documents name real files", run: hygiene },
    Step { name: "licences", headline: "every dependency has an allowed licence", run: licences },
    Step { name: "direction", headline: "dependencies between rooms point one way", run: direction },
    Step { name: "deny", headline: "cargo-deny: licences, bans, sources", run: deny },
    Step { name: "clippy", headline: "lints, warnings denied", run: clippy },
    Step { name: "tests", headline: "unit and integration tests", run: tests },
    Step { name: "slow", headline: "long tests, optimized", run: slow },
    Step { name: "doctests", headline: "examples in the documentation", run: doctests },
    Step { name: "doc", headline: "documentation, warnings denied", run: doc },
    Step { name: "torture", headline: "short forms of the torture suite", run: torture },
    Step { name: "demo", headline: "one full run judged by the intersection check", run: demo },
];

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let wants_help = args.is_empty() || args.iter().any(|a| matches!(a.as_str(), "-h" | "--help" | "help"));
    if wants_help {
        print!("{}", help());
        return ExitCode::SUCCESS;
    }
    let done = match args[0].as_str() {
        "interchange" => Some(run_interchange(&args[1..])),
        "blender" => Some(run_blender(&args[1..])),
        _ => None,
    };
    if let Some(done) = done {
        return match done {
            Ok(summary) => {
                println!("{summary}");
                ExitCode::SUCCESS
            }
            Err(why) => {
                eprintln!("{why}");
                ExitCode::FAILURE
            }
        };
    }
    let chosen = match choose_steps(&args) {
        Ok(steps) => steps,
        Err(why) => {
            eprintln!("{why}\n\n{}", help());
            return ExitCode::from(2);
        }
    };
    match workspace_root() {
        Ok(root) => run_steps(&root, &chosen),
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> String {
    let steps: Vec<String> = STEPS.iter().map(|step| format!("  {:<10} {}\n", step.name, step.headline)).collect();
    format!(
        "Usage: cargo xtask test [STEP]...\n       cargo xtask interchange FOLDER\n       cargo xtask blender [--install] [--program PATH]\n\n\
         test         runs the named steps, or all of them, and stops at the first that fails\n\
         interchange  tries on every pattern, body and motion file of a folder; the table goes to docs/interchange.md\n\
         blender      opens results in Blender, if Python has its module bpy; --install installs it in the target folder\n\n\
         Steps:\n{}",
        steps.concat()
    )
}

/// Builds the program and tries on what is in the folder that is named.
fn run_interchange(args: &[String]) -> Result<String, String> {
    let [folder] = args else { return Err("name one folder: cargo xtask interchange FOLDER".into()) };
    let root = workspace_root()?;
    interchange::run(&built(&root)?, Path::new(folder), &root.join("docs/interchange.md"))
}

/// Opens results in Blender; without Blender it says so.
fn run_blender(args: &[String]) -> Result<String, String> {
    let asked = blender::Asked::read(args)?;
    let root = workspace_root()?;
    let python = match blender::python(&target_folder(&root), asked.install) {
        Ok(python) => python,
        Err(why) if !asked.install => return Ok(format!("blender skipped: {why}")),
        Err(why) => return Err(why),
    };
    let program = match asked.program {
        Some(program) => program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?,
        None => built(&root)?,
    };
    blender::run(&root, &program, &python)
}

fn target_folder(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Builds the program; where it is.
fn built(root: &Path) -> Result<PathBuf, String> {
    cargo(root, &["build", "--release", "-p", "toile-cli"], None).map_err(|failure| failure.why)?;
    Ok(target_folder(root).join("release").join(format!("toile{}", env::consts::EXE_SUFFIX)))
}

/// The steps named after `test`, in the order of [`STEPS`]; all of them when none is named.
fn choose_steps(args: &[String]) -> Result<Vec<&'static Step>, String> {
    let names = match args.split_first() {
        Some((task, names)) if task == "test" => names,
        Some((task, _)) => return Err(format!("there is no task `{task}`")),
        None => return Err(String::from("no task given")),
    };
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != name.as_str())) {
        return Err(format!("there is no step `{unknown}`"));
    }
    Ok(STEPS.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name)).collect())
}

fn run_steps(root: &Path, steps: &[&Step]) -> ExitCode {
    let mut passed = 0;
    for step in steps {
        println!("== {}: {}", step.name, step.headline);
        let start = Instant::now();
        let result = (step.run)(root);
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(Outcome::Passed(note)) => {
                passed += 1;
                let note = if note.is_empty() { note } else { format!(": {note}") };
                println!("   {} passed in {seconds:.1} s{note}\n", step.name);
            }
            Ok(Outcome::Skipped(why)) => println!("   {} skipped: {why}\n", step.name),
            Err(failure) => {
                let repeat = failure.repeat.unwrap_or_else(|| format!("cargo xtask test {}", step.name));
                println!("   {} failed after {seconds:.1} s: {}", step.name, failure.why);
                println!("   repeat with: {repeat}\n");
                println!("{passed} passed, 1 failed");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{passed} passed, 0 failed");
    ExitCode::SUCCESS
}

/// The folder of the workspace, from the variable that Cargo sets for every program it starts.
fn workspace_root() -> Result<PathBuf, String> {
    env::var_os("CARGO_MANIFEST_DIR")
        .and_then(|package| Path::new(&package).parent().map(Path::to_path_buf))
        .ok_or_else(|| String::from("CARGO_MANIFEST_DIR is not set: start this as `cargo xtask`"))
}

/// A Cargo command in the workspace, coloured when a person is watching unless the caller decided otherwise.
fn cargo_command(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root).args(args);
    if env::var_os("CARGO_TERM_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", if std::io::stdout().is_terminal() { "always" } else { "never" });
    }
    command
}

/// Runs Cargo with its output passed through.
fn cargo(root: &Path, args: &[&str], variable: Option<(&str, &str)>) -> Result<Outcome, Failure> {
    let mut command = cargo_command(root, args);
    let mut repeat = format!("cargo {}", args.join(" "));
    if let Some((name, value)) = variable {
        command.env(name, value);
        repeat = format!("{name}=\"{value}\" {repeat}");
    }
    match command.status() {
        Ok(status) if status.success() => Ok(Outcome::Passed(String::new())),
        Ok(status) => Err(Failure { why: format!("cargo ended with {status}"), repeat: Some(repeat) }),
        Err(error) => Err(Failure { why: format!("cargo did not start: {error}"), repeat: Some(repeat) }),
    }
}

/// Whether `cargo NAME` can be started.
fn has_subcommand(root: &Path, name: &str) -> bool {
    let mut command = cargo_command(root, &[name, "--version"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn require_component(root: &Path, subcommand: &str, component: &str) -> Result<(), Failure> {
    if has_subcommand(root, subcommand) {
        return Ok(());
    }
    let install = format!("rustup component add {component}");
    Err(Failure::from(format!("{component} is not installed; install it with: {install}")))
}

fn fmt(root: &Path) -> Result<Outcome, Failure> {
    require_component(root, "fmt", "rustfmt")?;
    cargo(root, &["fmt", "--all", "--check"], None)
}

fn hygiene(root: &Path) -> Result<Outcome, Failure> {
    Ok(Outcome::Passed(hygiene::check(root)?))
}

fn licences(root: &Path) -> Result<Outcome, Failure> {
    Ok(Outcome::Passed(metadata::check_licences(&cargo_metadata(root)?)?))
}

fn direction(root: &Path) -> Result<Outcome, Failure> {
    Ok(Outcome::Passed(metadata::check_direction(&cargo_metadata(root)?)?))
}

fn cargo_metadata(root: &Path) -> Result<Value, String> {
    let mut command = cargo_command(root, &["metadata", "--format-version", "1"]);
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| format!("cargo metadata did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata ended with {}", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata is not JSON: {error}"))
}

fn deny(root: &Path) -> Result<Outcome, Failure> {
    if !has_subcommand(root, "deny") {
        let why = "cargo-deny is not installed (cargo install --locked cargo-deny); `licences` covers the licence list";
        return Ok(Outcome::Skipped(why.into()));
    }
    cargo(root, &["deny", "check", "licenses", "bans", "sources"], None)
}

fn clippy(root: &Path) -> Result<Outcome, Failure> {
    require_component(root, "clippy", "clippy")?;
    cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], None)
}

/// Property tests see the same cases in every full run, so that one that passed does not fail on the next machine. Tests
/// started by hand look at new ones.
const SAME_CASES: (&str, &str) = ("PROPTEST_RNG_SEED", "1");

fn tests(root: &Path) -> Result<Outcome, Failure> {
    if has_subcommand(root, "nextest") {
        return cargo(root, &["nextest", "run", "--workspace"], Some(SAME_CASES));
    }
    // Every kind of target except benches: `--all-targets` would run those too.
    cargo(root, &["test", "--workspace", "--lib", "--bins", "--tests", "--examples"], Some(SAME_CASES))
}

/// Packages that have tests which take minutes without optimization, by their folders.
const SLOW: [&str; 3] = ["cloth", "tailor", "scene"];

/// Tests that take minutes without optimization: ignored elsewhere, and named `slow_…`. Only the files that have some are built. The
/// program is chosen too, so that dependencies have the features it needs and the steps after this one do not build them again.
fn slow(root: &Path) -> Result<Outcome, Failure> {
    let targets = slow_targets(root)?;
    let mut chosen: Vec<&str> = vec!["-p", "toile-cloth", "-p", "toile-tailor", "-p", "toile-scene", "-p", "toile-cli"];
    for target in &targets {
        chosen.extend(["--test", target.as_str()]);
    }
    if has_subcommand(root, "nextest") {
        let args = ["nextest", "run", "--profile", "slow", "--release", "--run-ignored", "only", "-E", "test(slow_)"];
        return cargo(root, &[&args[..], &chosen[..]].concat(), None);
    }
    cargo(root, &[&["test", "--release"], &chosen[..], &["--", "--ignored", "slow_"]].concat(), None)
}

/// Names of the test files that have slow tests.
fn slow_targets(root: &Path) -> Result<Vec<String>, Failure> {
    let mut targets = Vec::new();
    for package in SLOW {
        let folder = root.join("crates").join(package).join("tests");
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            let source = if path.is_dir() { path.join("main.rs") } else { path.clone() };
            let is_slow = fs::read_to_string(&source).is_ok_and(|text| text.contains("fn slow_"));
            if let Some(name) = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| is_slow) {
                targets.push(name.to_owned());
            }
        }
    }
    targets.sort();
    targets.dedup();
    Ok(targets)
}

fn doctests(root: &Path) -> Result<Outcome, Failure> {
    cargo(root, &["test", "--workspace", "--doc"], None)
}

fn doc(root: &Path) -> Result<Outcome, Failure> {
    // Libraries only: the program and the library are both called `toile`, and their pages would overwrite each other.
    cargo(root, &["doc", "--workspace", "--no-deps", "--lib"], Some(("RUSTDOCFLAGS", "-D warnings")))
}

/// Scenes of the torture suite, all of whose short forms pass; see `docs/torture.md`.
const TORTURES: &[&str] = &[
    "rotating-sphere-8k",
    "rotating-sphere-30k",
    "ball-stack",
    "funnel",
    "ribbon-pile",
    "reef-knot",
    "twisted-cylinder",
    "needles",
    "table-edge-49",
    "table-edge-49-vertices",
    "thin-plate",
    "closing-plates",
    "torus",
    "tape",
    "objects",
    "figure",
    "scale-1",
    "scale-1000",
    "scale-0.001",
    "translated",
];

fn torture(root: &Path) -> Result<Outcome, Failure> {
    let run = ["run", "--release", "-p", "toile-cli", "--", "torture", "--short"];
    cargo(root, &[&run[..], TORTURES].concat(), None)
}

fn demo(root: &Path) -> Result<Outcome, Failure> {
    let folder = env::temp_dir().join(format!("toile-demo-{}", process::id()));
    // `create_dir` refuses a folder that is already there, so nothing that belongs to someone else is read or removed.
    fs::create_dir(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let run = folder.join("tablecloth");
    let out = run.to_str().ok_or_else(|| format!("{} is not valid Unicode", run.display()))?;
    // The folder is new in every run, so only the step repeats a failure, not the command with its old folder.
    cargo(root, &["run", "--release", "-p", "toile-cli", "--", "demo", "tablecloth", "--out", out], None)
        .map_err(|failure| Failure { repeat: None, ..failure })?;
    let note = check_run_folder(&run).map_err(|why| format!("{why} (kept for inspection: {})", run.display()))?;
    fs::remove_dir_all(&folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    Ok(Outcome::Passed(note))
}

/// Accepts a finished run: its pictures are there and its report says that nothing passed through anything.
fn check_run_folder(run: &Path) -> Result<String, String> {
    for name in ["preview.png", "report.html"] {
        let size = fs::metadata(run.join(name)).map_err(|error| format!("{name}: {error}"))?.len();
        if size == 0 {
            return Err(format!("{name} is empty"));
        }
    }
    let text = fs::read_to_string(run.join("report.json")).map_err(|error| format!("report.json: {error}"))?;
    let report = serde_json::from_str(&text).map_err(|error| format!("report.json: {error}"))?;
    judge_report(&report)
}

/// Reads the verdict of the intersection judge; the one place that knows the keys of `report.json`.
fn judge_report(report: &Value) -> Result<String, String> {
    let count = |pointer: &str| {
        let value = report.pointer(pointer).and_then(Value::as_u64);
        value.ok_or_else(|| format!("report.json has no whole number at {pointer}"))
    };
    let frames = count("/frames")?;
    let judged = count("/judge/frames_judged")?;
    let intersections = count("/judge/intersections_total")?;
    if judged == 0 || judged != frames {
        return Err(format!("{judged} of {frames} frames were judged"));
    }
    if intersections != 0 {
        return Err(format!("intersections found in {judged} judged frames: {intersections}"));
    }
    Ok(format!("{judged} frames judged, no intersections"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chosen(args: &[&str]) -> Result<Vec<&'static str>, String> {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        choose_steps(&args).map(|steps| steps.iter().map(|step| step.name).collect())
    }

    #[test]
    fn all_steps_run_when_none_is_named_and_the_demo_is_last() {
        let all = chosen(&["test"]).unwrap();
        assert_eq!(all.len(), STEPS.len());
        assert_eq!(all.last(), Some(&"demo"));
    }

    #[test]
    fn named_steps_run_in_table_order() {
        assert_eq!(chosen(&["test", "clippy", "fmt"]).unwrap(), ["fmt", "clippy"]);
    }

    #[test]
    fn unknown_tasks_and_steps_are_refused_by_name() {
        assert!(chosen(&["test", "fmt", "lint"]).unwrap_err().contains("`lint`"));
        assert!(chosen(&["build"]).unwrap_err().contains("`build`"));
    }

    #[test]
    fn report_is_accepted_only_when_every_frame_is_judged_clean() {
        let report = |frames: u64, judged: u64, found: u64| {
            let judge = json!({"frames_judged": judged, "intersections_total": found});
            json!({"frames": frames, "judge": judge})
        };
        assert!(judge_report(&report(60, 60, 0)).is_ok());
        assert!(judge_report(&report(60, 60, 1)).unwrap_err().ends_with(": 1"));
        assert!(judge_report(&report(60, 59, 0)).unwrap_err().contains("59 of 60"));
        assert!(judge_report(&report(0, 0, 0)).is_err());
    }

    #[test]
    fn report_without_a_verdict_is_refused_with_the_missing_key() {
        assert!(judge_report(&json!({"frames": 60})).unwrap_err().contains("/judge/frames_judged"));
        assert!(judge_report(&json!({"frames": -1})).unwrap_err().contains("/frames"));
    }

    #[test]
    fn run_folder_needs_its_pictures() {
        let folder = env::temp_dir().join(format!("toile-xtask-run-folder-{}", process::id()));
        fs::create_dir(&folder).unwrap();
        let report = r#"{"frames": 2, "judge": {"frames_judged": 2, "intersections_total": 0}}"#;
        fs::write(folder.join("report.json"), report).unwrap();
        fs::write(folder.join("report.html"), "<html>").unwrap();
        let missing = check_run_folder(&folder);
        fs::write(folder.join("preview.png"), "").unwrap();
        let empty = check_run_folder(&folder);
        fs::write(folder.join("preview.png"), "png").unwrap();
        let complete = check_run_folder(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert!(missing.unwrap_err().starts_with("preview.png"));
        assert_eq!(empty.unwrap_err(), "preview.png is empty");
        assert!(complete.is_ok());
    }
}
