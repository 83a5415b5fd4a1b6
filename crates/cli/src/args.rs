//! The words of the command line.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};
use toile_bench::{BenchArgs, TORTURE_HELP, TRUTH_HELP, TortureArgs, TruthArgs};

use crate::body::BodyArgs;
use crate::detect::DetectArgs;
use crate::fabric::FabricArgs;
use crate::observe::{LogFilter, parse_filter};
use crate::pattern::PatternArgs;
use crate::try_on::TryOnArgs;

/// Cloth, simulated and judged.
#[derive(Parser, Debug)]
#[command(
    name = "toile",
    version,
    about = "Toile simulates cloth: a scene goes in; frames, pictures and a report come out",
    long_about = "Toile simulates cloth: a scene goes in; frames, pictures and a report come out.\n\
                  Without a command it puts a T-shirt on a mannequin and shows how it fits.",
    after_help = "Examples:\n  \
        toile                                 put a T-shirt on a mannequin\n  \
        toile try-on --garment shift-dress --body woman-42 --compare-sizes S,M,L\n  \
        toile demo --list                     what there is to see\n  \
        toile run my.toml --out runs/my       simulate a scene\n  \
        toile run --resume runs/my            go on after an interruption\n  \
        toile scene --reference               every key of a scene file\n  \
        toile fabric list                     fabrics with their measured numbers\n  \
        toile check shirt.obj --against body.ply\n  \
        toile detect shirt.obj --within 2mm   what is closer than 2 mm\n\n\
        Exit codes: 0 good; 1 refused or failed; 2 finished, but not clean (something intersects, slipped off, or a test failed)."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Options of every command.
#[derive(Args, Clone, Debug)]
pub(crate) struct Global {
    /// Worker threads; 0 takes one per core. The result does not depend on it.
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub(crate) threads: usize,
    /// Print nothing but errors (and what --json and --log print).
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Replace results that exist; without it they are refused.
    #[arg(long, global = true)]
    pub(crate) overwrite: bool,
    /// Print the result as JSON on standard output.
    #[arg(long = "json", global = true, action = ArgAction::SetTrue, value_parser = parse_json_flag)]
    json_to: JsonTo,
    /// Whether `--json` was given as a flag.
    #[arg(skip)]
    pub(crate) json: bool,
    /// Log to standard error: off, error, warn, info, debug, trace, or a list as `warn,toile_contact=debug`.
    #[arg(long, global = true, default_value = "off", value_name = "FILTER", value_parser = parse_filter)]
    pub(crate) log: LogFilter,
    /// Write a timeline of the simulation, for ui.perfetto.dev or `chrome://tracing`.
    #[arg(long, global = true, value_name = "JSON")]
    pub(crate) trace: Option<PathBuf>,
    /// All progress bars, so that the log is written above them.
    #[arg(skip)]
    pub(crate) bars: MultiProgress,
}

impl Global {
    /// A progress bar on standard error, or a spinner without a length; hidden where nothing but results is wanted.
    pub(crate) fn bar(&self, length: Option<u64>) -> ProgressBar {
        if self.quiet || self.json {
            return ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        }
        self.bars.add(ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr()))
    }
}

/// Where JSON goes. `--json` is a flag of every command but one, which takes a file; one type serves both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum JsonTo {
    Nowhere,
    StandardOutput,
    File(PathBuf),
}

impl Cli {
    /// The words of this process.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let mut cli = Self::try_parse()?;
        cli.global.json = cli.global.json_to == JsonTo::StandardOutput;
        Ok(cli)
    }
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Run a built-in scene
    #[command(after_help = "Examples:\n  toile demo --list\n  toile demo ribbon\n  toile demo flag --out /tmp/flag")]
    Demo(DemoArgs),
    /// Simulate a scene file, or resume a run
    #[command(after_help = "Examples:\n  toile run my.toml\n  toile run my.toml --checkpoint-every 30\n  \
        toile run --resume runs/my\n\n\
        Exit codes: 0 good; 1 refused or failed; 2 finished, but frames have intersections.")]
    Run(RunArgs),
    /// Check a mesh or a scene: defects, self-intersections, intersections with another mesh or at the start
    #[command(after_help = "Examples:\n  toile check shirt.obj\n  toile check cloth.ply --against body.ply\n  \
        toile check scan.stl --repair mended.obj\n  toile check my.toml --picture start.png\n\n\
        Exit codes: 0 good; 1 if the mesh cannot be read or used; 2 if anything intersects.")]
    Check(CheckArgs),
    /// Detect what is near or what collides: proximities, impacts of a step, raw queries
    #[command(after_help = crate::detect::AFTER_HELP)]
    Detect(Box<DetectArgs>),
    /// Draw a mesh, a run or a try-on as a picture
    #[command(after_help = "Examples:\n  toile render shirt.obj -o shirt.png\n  \
        toile render runs/tablecloth --frame 40 --values strain\n  toile render runs/flag -o flag.gif")]
    Render(RenderArgs),
    /// Tell what is in a mesh, a scene, a run or a try-on
    #[command(after_help = "Examples:\n  toile info shirt.obj\n  toile info my.toml\n  toile info runs/tablecloth")]
    Info(InfoArgs),
    /// Check a scene file, print it with all defaults, or print the reference of all keys
    #[command(after_help = "Examples:\n  toile scene my.toml\n  toile scene my.toml --full\n  \
        toile scene --reference > scene.md\n  toile scene --demo flag > my.toml")]
    Scene(SceneArgs),
    /// Fabrics: list the library, show one, test it, convert files of measurements
    #[command(after_help = "Examples:\n  toile fabric list\n  toile fabric show denim\n  \
        toile fabric show denim --toml > my.toml\n  toile fabric test denim --out lab\n  toile fabric convert twill.xml --out twill.toml")]
    Fabric(FabricArgs),
    /// Bodies: draft a mannequin from measurements, measure a scan
    #[command(after_help = "Examples:\n  toile body draft body.toml --picture body.png\n  toile body measure scan.obj")]
    Body(BodyArgs),
    /// Sewing patterns: draft them from measurements, show, grade, convert and check them
    #[command(
        after_help = "Examples:\n  toile pattern draft t-shirt --size M --out shirt.svg\n  toile pattern check shirt.dxf"
    )]
    Pattern(Box<PatternArgs>),
    /// Put a garment on a body: draft or read the pattern, sew it around the body, drape it
    #[command(after_help = crate::try_on::AFTER_HELP)]
    TryOn(Box<TryOnArgs>),
    /// Measure speed, as ratios within one run
    #[command(after_help = "Examples:\n  toile bench constraint --sizes 40,80 --frames 20\n  \
        toile bench cloth --quick\n  toile bench collide --quick\n  toile bench collide --out collide.json\n  \
        toile bench drape --sizes 64,256\n  toile bench drape --scene s3 --model fem --seconds 1")]
    Bench(BenchArgs),
    /// Scenes made to break a cloth simulator, judged frame by frame
    #[command(after_help = TORTURE_HELP)]
    Torture(TortureArgs),
    /// Scenes at default settings beside what physics says they should do
    #[command(after_help = TRUTH_HELP)]
    Truth(TruthArgs),
}

#[derive(Args, Debug, Default)]
pub(crate) struct DemoArgs {
    /// Which one; see --list
    pub(crate) name: Option<String>,
    /// List the demos
    #[arg(long)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Args, Debug, Default)]
pub(crate) struct RunArgs {
    /// Scene file
    #[arg(required_unless_present = "resume")]
    pub(crate) scene: Option<PathBuf>,
    /// Go on with the run in this folder, from its newest checkpoint
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["scene", "out", "checkpoint_every", "usda"])]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Where a run goes.
#[derive(Args, Debug, Default)]
pub(crate) struct OutputArgs {
    /// Folder of the run [default: runs/<name of the scene>, or the next number that is free]
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Save a checkpoint every N frames
    #[arg(long, value_name = "N")]
    pub(crate) checkpoint_every: Option<u32>,
    /// Leave out picture and animation
    #[arg(long)]
    pub(crate) no_pictures: bool,
    /// Also write the motion as result.usda
    #[arg(long)]
    pub(crate) usda: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Mesh file (OBJ, PLY, STL, GLB, FBX) or scene file (TOML)
    pub(crate) mesh: PathBuf,
    /// A second mesh that must not intersect the first
    #[arg(long, value_name = "MESH")]
    pub(crate) against: Option<PathBuf>,
    /// Write the repaired mesh (OBJ) to this file
    #[arg(long, value_name = "OBJ")]
    pub(crate) repair: Option<PathBuf>,
    /// Draw the start of a scene (PNG), red where it intersects
    #[arg(long, value_name = "PNG")]
    pub(crate) picture: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct RenderArgs {
    /// Mesh file, or folder of a run or a try-on
    pub(crate) input: PathBuf,
    /// Picture to write: .png, or for a run also .gif and .apng [default: beside the input]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Frame of a run [default: the last]
    #[arg(long, value_name = "N")]
    pub(crate) frame: Option<usize>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub(crate) size: Option<[u32; 2]>,
    /// Angle of the camera around the vertical [degrees]
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    pub(crate) azimuth: Option<f64>,
    /// Angle of the camera above the horizon [degrees]
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    pub(crate) elevation: Option<f64>,
    /// Colour the cloth by a value
    #[arg(long, value_enum)]
    pub(crate) values: Option<ValueChoice>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueChoice {
    /// The fabric's own colour
    None,
    /// Mean strain of the edges around each vertex
    Strain,
}

#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// Mesh file, scene file, or folder of a run or a try-on
    pub(crate) input: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct SceneArgs {
    /// Scene file to check
    #[arg(required_unless_present_any = ["reference", "demo"])]
    pub(crate) scene: Option<PathBuf>,
    /// Print the reference of all keys (Markdown)
    #[arg(long)]
    pub(crate) reference: bool,
    /// Print the scene with every value written out
    #[arg(long)]
    pub(crate) full: bool,
    /// Print the scene of a demo, to start from
    #[arg(long, value_name = "NAME")]
    pub(crate) demo: Option<String>,
}

/// What clap makes of a flag that is given or not.
#[expect(clippy::unnecessary_wraps, reason = "the form of a parser")]
fn parse_json_flag(text: &str) -> Result<JsonTo, String> {
    Ok(if text == "true" { JsonTo::StandardOutput } else { JsonTo::Nowhere })
}

/// `1280x720`.
fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let parts = text.split_once(['x', '×']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    let size: [u32; 2] = parts.ok_or_else(|| format!("\"{text}\" is not a size; write it as 1280x720"))?;
    let good = size.iter().all(|s| (16..=8192).contains(s));
    if good { Ok(size) } else { Err("width and height must be 16 to 8192".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_words_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn json_is_a_flag_but_takes_a_file_where_a_command_says_so() {
        let json = |words: &str| Cli::try_parse_from(words.split(' ')).unwrap().global.json_to;
        assert_eq!(json("toile info a.obj"), JsonTo::Nowhere);
        assert_eq!(json("toile info --json a.obj"), JsonTo::StandardOutput);
        let detect = |words: &str| match Cli::try_parse_from(words.split(' ')).unwrap().command {
            Some(Command::Detect(args)) => args.json,
            _ => panic!("{words}"),
        };
        assert_eq!(detect("toile detect a.obj --within 1 --json b"), Some(JsonTo::File("b".into())));
        assert_eq!(detect("toile detect a.obj --within 1 --json -"), Some(JsonTo::StandardOutput));
        assert_eq!(detect("toile --json detect a.obj --within 1"), Some(JsonTo::StandardOutput));
        assert!(matches!(detect("toile detect a.obj --within 1"), None | Some(JsonTo::Nowhere)));
    }

    #[test]
    fn sizes_are_read_and_bounded() {
        assert_eq!(parse_size("640x360"), Ok([640, 360]));
        assert!(parse_size("640").is_err() && parse_size("1x1").is_err() && parse_size("99999x99").is_err());
    }
}
