//! `toile pattern`: draft sewing patterns, look at them, grade, convert and check them.

mod sheet;
mod source;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use miette::{Result, miette};
use serde_json::{Value, json};
use toile_garment::borders;
use toile_garment::draft::{Choices, Design, DraftError, Size, draft};
use toile_garment::mesh::FlatMesh;
use toile_garment::{Pattern, dxf, file, garmentcode};

use crate::args::Global;
use crate::check::counted;
use crate::measured::{chart, resolved};
use crate::{output, say};
use sheet::SheetArgs;
use source::{How, Read, Source, write};
pub(crate) use source::{Setting, parse_setting, told};

/// Particle distance at which a pattern is meshed for its check [m].
const CHECKED_AT: f64 = 0.02;

#[derive(Args, Debug)]
pub(crate) struct PatternArgs {
    #[command(subcommand)]
    command: PatternCommand,
}

#[derive(Subcommand, Debug)]
enum PatternCommand {
    /// Draft a garment for a body or a letter size
    #[command(after_help = "Examples:\n  toile pattern draft --list\n  toile pattern draft t-shirt --list\n  \
        toile pattern draft t-shirt --size M --out shirt.toml --out shirt.svg\n  \
        toile pattern draft trousers --body me.toml --set leg_length=75cm --out trousers.pdf --hem 4cm\n  \
        toile pattern draft shift-dress --chest 36in --waist 28in --hips 39in --out dress.pdf\n  \
        toile pattern draft t-shirt --sizes sizes.toml --size M --out shirt.dxf")]
    Draft(DraftArgs),
    /// Say what is in a pattern: panels, edges, seams
    #[command(
        after_help = "Examples:\n  toile pattern show shirt.toml\n  toile pattern show shirt.dxf --svg shirt.svg"
    )]
    Show(ShowArgs),
    /// Draft a garment in several sizes, or grade a DXF pattern by its rules
    #[command(after_help = "Examples:\n  toile pattern grade t-shirt --sizes S,M,L --out sizes\n  \
        toile pattern grade t-shirt --sizes sizes.toml --out sizes\n  \
        toile pattern grade shirt.dxf --rules shirt.rul --sizes 36,38,40 --out sizes")]
    Grade(GradeArgs),
    /// Convert between pattern.toml, `GarmentCode` JSON, DXF-AAMA and SVG; write PDF to print and sew from
    #[command(after_help = "Examples:\n  toile pattern convert shirt.dxf shirt.toml --propose-seams\n  \
        toile pattern convert shirt.toml shirt.pdf --allowance 5/8in --hem 3cm --paper letter\n  \
        toile pattern convert shirt.toml shirt.svg --allowance front.side=2cm\n  \
        toile pattern convert freesewing.svg shirt.toml\n  \
        toile pattern convert shirt.dxf shirt-40.pdf --size 40 --rules shirt.rul\n  \
        toile pattern convert t-shirt shirt.dxf --size M --set length=27in")]
    Convert(ConvertArgs),
    /// Find faults, say what can be repaired, and sew the pattern on paper
    #[command(after_help = "Examples:\n  toile pattern check shirt.toml")]
    Check(CheckArgs),
}

#[derive(Args, Debug)]
struct DraftArgs {
    /// The garment, as t-shirt, or a pattern file; left out with --list
    #[arg(required_unless_present = "list")]
    garment: Option<PathBuf>,
    /// List the garments, or the parameters of one
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    how: How,
    /// Files to write: .toml, .json (`GarmentCode`), .dxf, .svg, .pdf; may be given several times
    #[arg(long, short, value_name = "FILE")]
    out: Vec<PathBuf>,
    #[command(flatten)]
    sheet: SheetArgs,
}

#[derive(Args, Debug)]
struct ShowArgs {
    #[command(flatten)]
    source: Source,
    /// Draw it one to one (SVG)
    #[arg(long, value_name = "SVG")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    sheet: SheetArgs,
}

#[derive(Args, Debug)]
struct GradeArgs {
    /// A garment to draft, or a DXF file
    garment: String,
    /// Grade rules of the DXF file (.rul)
    #[arg(long, value_name = "RUL")]
    rules: Option<PathBuf>,
    /// Sizes, as S,M,L, woman-38,woman-40 or own ones, as sizes.toml or sizes.toml,S,M [default: all letters]
    #[arg(long, value_delimiter = ',', value_name = "SIZE,…")]
    sizes: Vec<String>,
    /// Proportions of letter sizes: female, male or neutral [default: female]
    #[arg(long)]
    figure: Option<String>,
    /// Set a number of the draft, as length=60cm, length=23.5in, length=0.6 or flare=12 (metres, degrees); may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    set: Vec<Setting>,
    /// Folder to write to, one TOML, one SVG and one PDF file per size
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    sheet: SheetArgs,
}

#[derive(Args, Debug)]
struct ConvertArgs {
    #[command(flatten)]
    source: Source,
    /// File to write: .toml, .json (`GarmentCode`), .dxf, .svg or .pdf
    out: PathBuf,
    #[command(flatten)]
    sheet: SheetArgs,
}

#[derive(Args, Debug)]
struct CheckArgs {
    #[command(flatten)]
    source: Source,
}

pub(crate) fn pattern(args: &PatternArgs, global: &Global) -> Result<ExitCode> {
    match &args.command {
        PatternCommand::Draft(args) if args.list => {
            let garment = args.garment.as_ref().map(|name| name.to_string_lossy().into_owned());
            list(garment.as_deref(), global)?;
        }
        PatternCommand::Draft(args) => draft_one(args, global)?,
        PatternCommand::Show(args) => show(args, global)?,
        PatternCommand::Grade(args) => grade(args, global)?,
        PatternCommand::Convert(args) => convert(args, global)?,
        PatternCommand::Check(args) => return check(args, global),
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn design(name: &str) -> Result<Design> {
    let names = || words(Design::ALL.iter().map(|design| design.word()));
    let help = || format!("there are: {}; a pattern file ends in .toml, .json, .dxf or .svg", names());
    Design::find(name).ok_or_else(|| miette!(help = help(), "there is no garment \"{name}\""))
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// Drafts a garment with numbers that were set. A length is refused where a design has an angle or a ratio, and the other way round.
pub(crate) fn drafted(design: Design, body: &toile_body::Measurements, settings: &[Setting]) -> Result<Pattern> {
    check_units(design, settings)?;
    let choices = settings.iter().fold(Choices::new(), |choices, setting| choices.with(&setting.key, setting.value));
    draft(design, body, &choices).map_err(|error| match error {
        DraftError::Impossible { reason, help } => miette!(help = help, "{}: {reason}", design.word()),
        other => {
            let flag =
                if matches!(other, DraftError::Unknown { .. } | DraftError::Range { .. }) { "--set: " } else { "" };
            let help = format!("see `toile pattern draft {} --list`", design.word());
            miette!(help = help, "{flag}{}: {other}", design.word())
        }
    })
}

/// Refuses units that a number of a design does not have.
pub(crate) fn check_units(design: Design, settings: &[Setting]) -> Result<()> {
    for setting in settings {
        let Some(parameter) = design.parameters().iter().find(|p| p.key == setting.key) else { continue };
        let is_angle = setting.text.ends_with('°') || setting.text.ends_with("deg");
        let is_length = !is_angle && toile_body::length::has_unit(&setting.text);
        let (key, text) = (&setting.key, &setting.text);
        let wrong = match parameter.unit {
            "m" if is_angle => Some("a length: write 60cm, 23.5in or, in metres, 0.6"),
            "°" if is_length => Some("an angle: write degrees, as 12"),
            "" if is_length || is_angle => Some("a plain number without a unit: write 0.05"),
            _ => None,
        };
        if let Some(what) = wrong {
            let help = format!("see `toile pattern draft {} --list`", design.word());
            return Err(miette!(help = help, "--set {key}={text}: {key} of {} is {what}", design.word()));
        }
    }
    Ok(())
}

fn list(garment: Option<&str>, global: &Global) -> Result<()> {
    let Some(name) = garment else {
        if global.json {
            say(json!(Design::ALL.iter().map(|design| design.word()).collect::<Vec<_>>()));
        } else {
            for design in Design::ALL {
                say(design.word());
            }
        }
        return Ok(());
    };
    let design = design(name)?;
    let body = Size::M.measurements(toile_body::Figure::Female);
    for parameter in design.parameters() {
        let (value, [low, high]) = ((parameter.default)(&body), parameter.range);
        if global.json {
            say(
                json!({ "key": parameter.key, "doc": parameter.doc, "unit": parameter.unit, "medium": value, "range": [low, high] }),
            );
        } else {
            let (key, unit, doc) = (parameter.key, parameter.unit, parameter.doc);
            say(format!("{key:18} {value:7.3} {unit:3} ({low} to {high})  {doc}"));
        }
    }
    Ok(())
}

fn draft_one(args: &DraftArgs, global: &Global) -> Result<()> {
    output::new_files(args.out.iter().map(PathBuf::as_path), global)?;
    let read = args.how.read(args.garment.as_deref().unwrap_or(Path::new("")))?;
    // Everything is made before anything is written.
    let mut made = Vec::new();
    for out in &args.out {
        made.push((out, encoded(&read.pattern, out, &read.size, &args.sheet)?));
    }
    made.iter().try_for_each(|(out, bytes)| write(out, bytes))?;
    tell(&read.pattern, &read.size, global);
    tell_remarks(&read, global);
    Ok(())
}

fn tell_remarks(read: &Read, global: &Global) {
    if !global.json && !global.quiet {
        for remark in &read.remarks {
            say(format!("  {remark}"));
        }
    }
}

fn show(args: &ShowArgs, global: &Global) -> Result<()> {
    output::new_files(args.svg.as_deref(), global)?;
    let read = args.source.read()?;
    if let Some(out) = &args.svg {
        write(out, args.sheet.svg(&read.pattern, &read.size)?.as_bytes())?;
    }
    tell(&read.pattern, &read.origin, global);
    tell_remarks(&read, global);
    Ok(())
}

fn grade(args: &GradeArgs, global: &Global) -> Result<()> {
    let mut made = Vec::new();
    if let Some(rules) = &args.rules {
        if !args.set.is_empty() || args.figure.is_some() {
            let flag = if args.set.is_empty() { "--figure" } else { "--set" };
            let help = format!("leave {flag} out, or name a garment to draft");
            return Err(miette!(help = help, "{flag}: {} is graded by its rules", args.garment));
        }
        let base = source::plain_dxf(Path::new(&args.garment))?;
        let rules = source::read_rules(rules)?;
        let sizes = if args.sizes.is_empty() { rules.sizes.clone() } else { args.sizes.clone() };
        for size in sizes {
            let graded = dxf::grade(&base.pattern, &rules, &size).map_err(told)?;
            made.push((size, graded.pattern));
        }
    } else {
        let is_dxf = Path::new(&args.garment).extension().is_some_and(|e| e.eq_ignore_ascii_case("dxf"));
        if is_dxf {
            let help = "name its rules with --rules shirt.rul; a nest of sizes is read with --size";
            return Err(miette!(help = help, "{}: a DXF file is graded by rules", args.garment));
        }
        let design = design(&args.garment)?;
        let figure = args.figure.as_deref().map(source::figure).transpose()?;
        for (label, size) in sizes_to_grade(&args.sizes)? {
            let pattern = drafted(design, &source::sized("--sizes", &size, figure)?, &args.set)?;
            made.push((label, pattern));
        }
    }
    let mut files = Vec::new();
    let stem = Path::new(&args.garment).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    for (size, pattern) in &made {
        let plain: String = size.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        for extension in ["toml", "svg", "pdf"] {
            let path = args.out.join(format!("{stem}-{plain}.{extension}"));
            let bytes = encoded(pattern, &path, size, &args.sheet)?;
            files.push((path, bytes));
        }
    }
    output::new_files_of_folder(files.iter().map(|(path, _)| path.as_path()), global)?;
    std::fs::create_dir_all(&args.out)
        .map_err(|e| miette!(help = "choose another folder", "cannot make {}: {e}", args.out.display()))?;
    files.iter().try_for_each(|(path, bytes)| write(path, bytes))?;
    for (size, pattern) in &made {
        tell(pattern, size, global);
    }
    Ok(())
}

/// Labels and names of sizes; a chart in the list stands for all its sizes, unless some are named.
fn sizes_to_grade(given: &[String]) -> Result<Vec<(String, String)>> {
    let is_chart = |name: &str| Path::new(name.trim()).extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    let chart = given.iter().find(|name| is_chart(name)).map(|name| chart(&PathBuf::from(name.trim()))).transpose()?;
    let mut names: Vec<String> =
        given.iter().filter(|name| !is_chart(name)).map(|name| name.trim().to_owned()).collect();
    if names.is_empty() {
        names = match &chart {
            Some(chart) => chart.sizes.iter().map(|(name, _)| name.clone()).collect(),
            None => Size::ALL.iter().map(|size| size.word().to_owned()).collect(),
        };
    }
    let mut sizes = Vec::new();
    for name in names {
        let label = if Size::from_word(&name.to_uppercase()).is_some() { name.to_uppercase() } else { name.clone() };
        sizes.push((label, resolved("--sizes", &name, chart.as_ref())?));
    }
    Ok(sizes)
}

fn convert(args: &ConvertArgs, global: &Global) -> Result<()> {
    output::new_file(&args.out, global)?;
    let read = args.source.read()?;
    write(&args.out, &encoded(&read.pattern, &args.out, &read.size, &args.sheet)?)?;
    if !global.quiet && !global.json {
        say(format!("{}: {}", args.out.display(), counted(read.pattern.panels.len(), "panel")));
    }
    tell_remarks(&read, global);
    Ok(())
}

/// A pattern in the format that a name asks for.
fn encoded(pattern: &Pattern, out: &Path, size: &str, sheet: &SheetArgs) -> Result<Vec<u8>> {
    let extension = out.extension().map(|e| e.to_string_lossy().to_lowercase());
    let text = match extension.as_deref() {
        Some("toml") => file::to_toml(pattern, file::Unit::Centimetre),
        Some("json") => garmentcode::to_json(pattern).map_err(|e| miette!("{e}"))?,
        Some("dxf") => sheet.dxf(pattern, size)?,
        Some("svg") => sheet.svg(pattern, size)?,
        Some("pdf") => return sheet.pdf(pattern, size),
        _ => {
            let help = "end it in .toml, .json, .dxf, .svg or .pdf";
            return Err(miette!(help = help, "{} is no pattern file", out.display()));
        }
    };
    Ok(text.into_bytes())
}

fn check(args: &CheckArgs, global: &Global) -> Result<ExitCode> {
    let read = args.source.read()?;
    let flat = FlatMesh::new(&read.pattern, CHECKED_AT).map_err(|e| miette!("{}: {e}", read.origin))?;
    let sewn = flat.sewn();
    let (parts, borders) = (sewn.part_count, sewn.borders.len());
    let expected = borders::expected(&flat.pattern).filter(|(range, _)| !range.contains(&borders));
    if global.json {
        say(json!({
            "file": read.origin, "remarks": read.remarks, "panels": flat.panels.len(), "parts": parts,
            "borders": borders, "manifold": sewn.is_manifold(), "expected": expected.as_ref().map(|(_, rims)| rims),
        }));
    } else if !global.quiet {
        let told = if expected.is_none() { "no faults left" } else { "its seams are not those of a garment" };
        say(format!("{}: {told}", read.origin));
        for remark in &read.remarks {
            say(format!("  {remark}"));
        }
        let surface = if sewn.is_manifold() { "a clean surface" } else { "a surface that is not clean" };
        let sewn = format!("{} and {}", counted(parts, "part"), counted(borders, "border"));
        say(format!("cut, it has {}; sewn, it is {surface} of {sewn}", counted(flat.panels.len(), "panel")));
        if let Some((_, rims)) = &expected {
            say(format!("a garment of these parts has {rims}: a seam is missing, or joins the wrong ends"));
        }
    }
    Ok(if expected.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints what a pattern is made of.
fn tell(pattern: &Pattern, label: &str, global: &Global) {
    let lengths = |panel: &toile_garment::Panel| -> Vec<Value> {
        panel.edges().enumerate().map(|(k, edge)| json!({ "edge": edge.name, "length": panel.length(k) })).collect()
    };
    if global.json {
        let panels: Vec<Value> =
            pattern.panels.iter().map(|panel| json!({ "panel": panel.name, "edges": lengths(panel) })).collect();
        say(json!({ "pattern": pattern.name, "of": label, "panels": panels, "seams": pattern.seams.len() }));
    } else if !global.quiet {
        let (panels, seams) = (counted(pattern.panels.len(), "panel"), counted(pattern.seams.len(), "seam"));
        say(format!("{} ({label}): {panels}, {seams}", pattern.name));
        for panel in &pattern.panels {
            let bounds = panel.bounds();
            let (width, height) = (100.0 * bounds.width(), 100.0 * bounds.height());
            say(format!(
                "  {:18} {width:6.1} × {height:5.1} cm, {}",
                panel.name,
                counted(panel.edges().count(), "edge")
            ));
        }
    }
}
