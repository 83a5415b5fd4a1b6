//! What benchmarks need from the program that runs them.

use std::fmt::Display;
use std::path::Path;

use miette::Result;
use serde_json::Value;
use toile_garment::draft::Design;
use toile_scene::Run;
use toile_tailor::{Wearer, WornGarment};
use toile_view::Image;

/// Options that hold for every command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Worker threads; 0 means one per core.
    pub threads: usize,
    /// Print nothing but errors, and what `json` prints.
    pub quiet: bool,
    /// Print results as JSON.
    pub json: bool,
}

/// The program that runs a benchmark. It prints, and it does the work that is its own.
pub trait Program: Sync {
    /// The options of this call.
    fn options(&self) -> Options;

    /// Prints a line to standard output.
    fn say(&self, line: &dyn Display);

    /// Writes results, pictures and reports of a recorded run into its folder.
    fn publish(&self, run: &Run) -> Result<()>;

    /// The garment of this name; the error lists all names.
    fn design(&self, name: &str) -> Result<Design>;

    /// The body that is named by its size or its file.
    fn wearer(&self, body: &str) -> Result<Wearer>;

    /// A picture of the only garment worn, seen from `azimuth` degrees around the body, `height` pixels high.
    fn portrait(&self, worn: &[WornGarment], wearer: &Wearer, azimuth: f64, height: u32, caption: &str) -> Image;

    /// Puts a T-shirt on the default mannequin and writes everything to `out`, as `toile try-on --quality` does.
    /// Returns its facts; `clock` holds the seconds of each phase.
    fn timed_try_on(&self, quality: &str, out: &Path) -> Result<Value>;
}
