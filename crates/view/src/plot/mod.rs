//! Charts as SVG text: lines, stacked areas and bars.
//!
//! Text and axes use `currentColor`, series mid-tones that are readable on white and on black, and lines also differ
//! by their dashes: a chart inside a page follows the page's colours. No scripts, no fonts, no references.

mod axis;
mod bars;
mod chart;

pub use crate::number::ticks;
pub use bars::BarChart;
pub use chart::{Chart, Scale, Series, Style};

/// A finished chart: trusted SVG markup, made only by this module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Svg(String);

impl Svg {
    /// The markup, a single `<svg>` element that also works as a file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Colour of series `k`; they repeat after eight.
fn series_colour(k: usize) -> &'static str {
    const COLOURS: [&str; 8] = ["#3a86c8", "#e0762f", "#2f9e6b", "#c2528b", "#8f78d0", "#b3922a", "#35a3ad", "#8a8f98"];
    COLOURS[k % COLOURS.len()]
}
