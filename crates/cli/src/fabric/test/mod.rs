//! `toile fabric test`: the virtual laboratory at the command line.

mod json;
mod page;
mod pictures;
mod table;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use serde_json::Value;
use toile_files::atomic::write_atomic;
use toile_scene::fabric::{NamedFabric, find, library};
use toile_scene::lab::drape::{Drape, DrapeBand, published_band};
use toile_scene::lab::{Effort, FabricTest, Plan, TestKind};

use crate::args::Global;
use crate::{output, say};

/// Names of the files in the folder.
const PAGE: &str = "fabric-test.html";
const NUMBERS: &str = "fabric-test.json";

#[derive(Args, Debug)]
pub(super) struct TestArgs {
    /// Name of a library fabric, or a file (TOML, XML, JSON)
    #[arg(value_name = "FABRIC|FILE", required_unless_present = "all", conflicts_with = "all")]
    fabric: Option<String>,
    /// Test all fabrics of the library and compare them
    #[arg(long)]
    all: bool,
    /// Folder for fabric-test.html and fabric-test.json
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Coarser samples and two drapes: seconds instead of a minute
    #[arg(long)]
    quick: bool,
    /// Drapes to take the mean of
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    runs: Option<u32>,
    /// Tests to do, separated by commas
    #[arg(long, value_name = "TESTS", value_enum, value_delimiter = ',')]
    only: Vec<Kind>,
    /// Diameter of the drape specimen [cm]; bands are of 30
    #[arg(long, value_name = "CM", default_value = "30", value_parser = ["24", "30", "36"])]
    specimen: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Kind {
    Tensile,
    Shear,
    Bending,
    Cantilever,
    Drape,
}

impl Kind {
    fn test(self) -> TestKind {
        match self {
            Self::Tensile => TestKind::Tensile,
            Self::Shear => TestKind::Shear,
            Self::Bending => TestKind::Bending,
            Self::Cantilever => TestKind::Cantilever,
            Self::Drape => TestKind::Drape,
        }
    }
}

/// One fabric and what the laboratory says of it.
struct Tested {
    named: NamedFabric,
    test: FabricTest,
    /// Seconds it took.
    seconds: f64,
}

impl Tested {
    /// The published band of its class, if the specimen is the one it was measured on.
    fn band(&self) -> Option<DrapeBand> {
        let is_usual = self.test.drape.as_ref().is_some_and(|d| (d.options.specimen - 0.30).abs() < 1e-9);
        published_band(&self.named.name).filter(|_| is_usual)
    }
}

/// What is to be said of a drape: a word, and whether there is nothing to look at.
fn drape_verdict(drape: &Drape, band: Option<DrapeBand>) -> (&'static str, bool) {
    let inside = |band: DrapeBand| (band.range[0]..=band.range[1]).contains(&drape.coefficient());
    match (drape.converged(), band.map(inside)) {
        (false, _) => ("not at rest", false),
        (true, None) => ("no band", true),
        (true, Some(true)) => ("in band", true),
        (true, Some(false)) => ("outside band", false),
    }
}

pub(super) fn test(args: &TestArgs, global: &Global) -> Result<ExitCode> {
    let fabrics = match &args.fabric {
        Some(name) => vec![find(name)?],
        None => library(),
    };
    if let Some(folder) = &args.out {
        output::new_files_of_folder(
            [PAGE, NUMBERS].map(|name| folder.join(name)).iter().map(PathBuf::as_path),
            global,
        )?;
    }
    let plan = plan(args);
    let mut tested = Vec::new();
    for named in fabrics {
        let one = run(named, &plan, global)?;
        if !global.json && !global.quiet {
            if args.all {
                say(table::line(&one));
            } else {
                say(table::text(&one));
            }
        }
        tested.push(one);
    }
    let value =
        if args.all { Value::from(tested.iter().map(json::of).collect::<Vec<_>>()) } else { json::of(&tested[0]) };
    if let Some(folder) = &args.out {
        write(folder, &tested, args.all, &value)?;
        if !global.json && !global.quiet {
            say(format!("{} and {NUMBERS} written", folder.join(PAGE).display()));
        }
    }
    if global.json {
        say(&value);
    }
    let good = tested.iter().all(|one| one.test.is_within());
    Ok(crate::exit_code(good))
}

fn plan(args: &TestArgs) -> Plan {
    let mut plan = Plan::new(if args.quick { Effort::Quick } else { Effort::Full });
    if !args.only.is_empty() {
        plan.tests = args.only.iter().map(|kind| kind.test()).collect();
    }
    if let Some(runs) = args.runs {
        plan.drape.runs = runs;
    }
    plan.drape.specimen = match args.specimen.as_str() {
        "24" => 0.24,
        "36" => 0.36,
        _ => 0.30,
    };
    plan
}

fn run(named: NamedFabric, plan: &Plan, global: &Global) -> Result<Tested> {
    let spinner = global.bar(None);
    spinner.enable_steady_tick(std::time::Duration::from_millis(200));
    let start = std::time::Instant::now();
    let test = FabricTest::run(&named.fabric, plan, &mut |kind| {
        spinner.set_message(format!("{}: {}", named.name, kind.name()));
        ControlFlow::Continue(())
    });
    spinner.finish_and_clear();
    Ok(Tested { named, test: test.into_diagnostic()?, seconds: start.elapsed().as_secs_f64() })
}

fn write(folder: &Path, tested: &[Tested], all: bool, value: &Value) -> Result<()> {
    std::fs::create_dir_all(folder)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot make the folder {}", folder.display()))?;
    let html = if all { page::comparison(tested)? } else { page::single(&tested[0])? };
    write_atomic(&folder.join(PAGE), html.as_bytes()).map_err(|e| miette!("{e}"))?;
    let numbers = format!("{value:#}\n");
    write_atomic(&folder.join(NUMBERS), numbers.as_bytes()).map_err(|e| miette!("{e}"))
}
