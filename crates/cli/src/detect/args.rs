//! The words of `toile detect`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use toile_collide::impact::{Method, PairKind};
use toile_collide::{Cover, HierarchySettings};

use crate::args::JsonTo;

/// What stands below the options.
pub(crate) const AFTER_HELP: &str = "\
Three forms:
  toile detect A [B] --within LENGTH         pairs of features near each other: within A, or with B only between
                                             A and B; --self adds those within each
  toile detect --start A0 --end A1           impacts of one step: within A; with a second --start and --end also
                                             between A and B and within B
  toile detect --queries CSV --kind vf|ee    times of impact of raw pairs

A pair is a vertex and a triangle, or two edges, that share no vertex. Vertices and triangles are numbered from 0 as in
the files; those of a second mesh go on where the first mesh ends.

--json OUT writes {\"vf\": [[vertex, face, VALUE], …], \"ee\": [[a0, a1, b0, b1, VALUE], …], \"summary\": {…}}, sorted, with
a0 < a1 and b0 < b1; VALUE is the distance [m] or the time of impact as a share of the step. --pairs OUT writes the
same as lines: v VERTEX FACE VALUE, e A0 A1 B0 B1 VALUE.

A line of --queries has 24 numbers: four points at the start and four at the end (vf: vertex, f0, f1, f2; ee: a0, a1,
b0, b1); before them it may have a column `collides`, 0 or 1, the truth to compare with. A first line of names is
skipped. --answers gets a line per query: 1 TIME, or 0 inf.

Lengths take mm, cm, m or in; a plain number is in metres.

Examples:
  toile detect shirt.ply --within 2mm
  toile detect shirt.ply body.ply --within 5mm --json near.json
  toile detect --start a0.ply --end a1.ply --pairs impacts.txt
  toile detect --queries queries.csv --kind ee --answers answers.txt";

#[derive(Args, Debug)]
pub(crate) struct DetectArgs {
    /// One mesh or two (OBJ, PLY, STL), for proximities
    #[arg(num_args = 0..=2, value_name = "MESH", requires = "within",
          required_unless_present_any = ["start", "end", "queries"])]
    pub(crate) meshes: Vec<PathBuf>,
    /// Find features at most this far apart
    #[arg(long, value_name = "LENGTH", value_parser = parse_length, requires = "meshes", allow_hyphen_values = true,
          conflicts_with_all = ["start", "end", "queries"])]
    pub(crate) within: Option<f64>,
    /// Of two meshes, find proximities within each as well
    #[arg(long = "self", requires = "meshes", conflicts_with_all = ["start", "end", "queries"])]
    pub(crate) within_each: bool,
    /// A mesh at the start of a step; once more for a second mesh
    #[arg(long, value_name = "MESH", requires = "end", conflicts_with = "meshes")]
    pub(crate) start: Vec<PathBuf>,
    /// The same mesh at the end of the step
    #[arg(long, value_name = "MESH", requires = "start", conflicts_with = "meshes")]
    pub(crate) end: Vec<PathBuf>,
    /// Raw pairs to find the time of impact of (CSV)
    #[arg(long, value_name = "CSV", requires = "kind", conflicts_with_all = ["meshes", "start", "end", "pairs"])]
    pub(crate) queries: Option<PathBuf>,
    /// What the queries are: vertex and triangle, or edge and edge
    #[arg(long, value_enum, requires = "queries")]
    pub(crate) kind: Option<KindChoice>,
    /// Write an answer per query to this file
    #[arg(long, value_name = "OUT", requires = "queries")]
    pub(crate) answers: Option<PathBuf>,
    /// How times of impact are found
    #[arg(long, value_enum, default_value_t = MethodChoice::Conservative)]
    pub(crate) method: MethodChoice,
    /// Features that come this close count as an impact
    #[arg(long, value_name = "LENGTH", value_parser = parse_length, default_value = "0", conflicts_with = "within",
          allow_hyphen_values = true)]
    pub(crate) min_separation: f64,
    /// Write pairs and summary as JSON to this file, or - for standard output
    #[arg(id = "json_to", long = "json", value_name = "OUT", value_parser = parse_json_target)]
    pub(crate) json: Option<JsonTo>,
    /// Write pairs as plain lines to this file
    #[arg(long, value_name = "OUT")]
    pub(crate) pairs: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) detector: DetectorArgs,
}

/// Which detector, and its settings.
#[derive(Args, Debug)]
pub(crate) struct DetectorArgs {
    /// Trees of bounding volumes, or every pair
    #[arg(long, value_enum, default_value_t = DetectorChoice::Hierarchy)]
    pub(crate) detector: DetectorChoice,
    /// Directions of the bounding volumes
    #[arg(long, value_name = "K", default_value = "18", value_parser = one_of(["6", "14", "18", "26"]))]
    pub(crate) dop: u32,
    /// Children of a tree node
    #[arg(long, value_name = "N", default_value = "8", value_parser = one_of(["2", "4", "8"]))]
    pub(crate) arity: u32,
    /// How bounding volumes cover the motion of a step
    #[arg(long, value_enum, default_value_t = InflationChoice::Swept)]
    pub(crate) inflation: InflationChoice,
    /// Do not skip regions that cannot touch themselves
    #[arg(long)]
    pub(crate) no_cones: bool,
    /// Most results; 20 times as many pairs of triangles are looked at
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    pub(crate) limit: u64,
}

impl DetectorArgs {
    /// Settings of the hierarchy.
    pub(crate) fn settings(&self, method: Method) -> HierarchySettings {
        let default = HierarchySettings::default();
        HierarchySettings {
            dop: self.dop,
            arity: self.arity,
            cover: match self.inflation {
                InflationChoice::Moving => Cover::Moving,
                InflationChoice::Swept => Cover::Swept,
                InflationChoice::Oriented => Cover::Oriented,
                InflationChoice::Uniform => Cover::Uniform,
            },
            close_angle: default.close_angle.filter(|_| !self.no_cones),
            method,
            limit: self.limit,
            ..default
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KindChoice {
    /// Vertex and triangle
    Vf,
    /// Edge and edge
    Ee,
}

impl KindChoice {
    pub(crate) fn kind(self) -> PairKind {
        match self {
            Self::Vf => PairKind::VertexFace,
            Self::Ee => PairKind::EdgeEdge,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MethodChoice {
    /// Never misses; exact for separation 0
    Conservative,
    /// Coplanarity cubic with tolerance, for comparison
    Cubic,
}

impl MethodChoice {
    pub(crate) fn method(self) -> Method {
        match self {
            Self::Conservative => Method::Conservative,
            Self::Cubic => Method::Cubic,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DetectorChoice {
    /// k-DOP trees
    Hierarchy,
    /// Every pair, for comparison
    BruteForce,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InflationChoice {
    /// Start and end of every vertex, each with its own bounds (18 directions only)
    Moving,
    /// Start and end of every vertex
    Swept,
    /// Along the cone of velocities of a leaf
    Oriented,
    /// To all sides by the farthest way
    Uniform,
}

/// The word of a choice as it is typed.
pub(crate) fn word(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default()
}

fn one_of<const N: usize>(words: [&'static str; N]) -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(words).try_map(|word| word.parse::<u32>())
}

#[expect(clippy::unnecessary_wraps, reason = "the form of a parser")]
fn parse_json_target(text: &str) -> Result<JsonTo, String> {
    Ok(if text == "-" { JsonTo::StandardOutput } else { JsonTo::File(text.into()) })
}

/// Largest length that is taken [m].
const LONGEST: f64 = 1.0e9;

/// `2mm`, `0.2 cm`, `1/16in`, `0.002 m` or `0.002`, in metres.
fn parse_length(text: &str) -> Result<f64, String> {
    toile_body::length::parse_up_to(text, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        for text in ["2mm", "0.2cm", "0.2 cm", " 2e-3", "0.002m", "0.002 m"] {
            assert!((parse_length(text).unwrap() - 0.002).abs() < 1e-18, "{text}");
        }
        assert_eq!(parse_length("0"), Ok(0.0));
        for text in ["", "mm", "2 km", "-1mm", "nan", "inf", "1e12", "2mm3"] {
            assert!(parse_length(text).is_err(), "{text}");
        }
    }

    #[test]
    fn words_are_as_typed() {
        assert_eq!(word(&DetectorChoice::BruteForce), "brute-force");
        assert_eq!(word(&KindChoice::Vf), "vf");
    }
}
