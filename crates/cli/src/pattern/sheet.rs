//! Seam allowances and paper of written patterns.

use clap::{Args, ValueEnum};
use miette::{Result, miette};
use toile_garment::sheet::{Allowances, EdgeKind, Paper, SheetError, SheetOptions, WIDEST, to_pdf};
use toile_garment::{Pattern, dxf, svg};

/// How a pattern is written to be sewn from.
#[derive(Args, Debug)]
pub(super) struct SheetArgs {
    /// Seam allowance in SVG, PDF and DXF; of seams and raw edges, or of what is named: seam, hem, neckline, armhole, raw or
    /// an edge as front.side [default: 10mm, hem=30mm, neckline=7mm, armhole=7mm]
    #[arg(long, value_name = "[WHAT=]LENGTH", value_parser = parse_allowance, allow_hyphen_values = true)]
    allowance: Vec<(String, f64)>,
    /// Allowance of hems, the same as --allowance hem=LENGTH
    #[arg(long, value_name = "LENGTH", value_parser = parse_width, allow_hyphen_values = true)]
    hem: Option<f64>,
    /// Leave seam allowances out
    #[arg(long, conflicts_with_all = ["allowance", "hem"])]
    no_allowance: bool,
    /// Paper of a PDF
    #[arg(long, value_enum, default_value_t = PaperChoice::A4)]
    paper: PaperChoice,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum PaperChoice {
    /// Pages of 210 mm × 297 mm to glue together
    A4,
    /// Pages of 8.5 in × 11 in to glue together
    Letter,
    /// One sheet: A0 if everything fits on it, else as large as needed
    Sheet,
}

fn parse_width(text: &str) -> Result<f64, String> {
    toile_body::length::parse_up_to(text, WIDEST)
}

/// `10mm`, `hem=3cm` or `front.side=5/8in`; the word is empty if there is none.
fn parse_allowance(text: &str) -> Result<(String, f64), String> {
    let (what, width) = text.split_once('=').unwrap_or(("", text));
    let what = what.trim();
    let has_none = matches!(EdgeKind::from_word(what), Some(EdgeKind::Fold | EdgeKind::Dart));
    let is_known = what.is_empty() || what.contains('.') || EdgeKind::from_word(what).is_some();
    if has_none || !is_known {
        return Err(format!(
            "\"{what}\" has no allowance; there are: seam, hem, neckline, armhole, raw, or an edge as front.side"
        ));
    }
    Ok((what.to_owned(), parse_width(width)?))
}

impl SheetArgs {
    fn options(&self, size: &str) -> SheetOptions {
        let mut allowances = if self.no_allowance { Allowances::NONE } else { Allowances::default() };
        // A general width first, so that what is named goes before it wherever it stands.
        for (_, width) in self.allowance.iter().filter(|(what, _)| what.is_empty()) {
            allowances.seam = *width;
            allowances.raw = *width;
        }
        for (what, width) in self.allowance.iter().filter(|(what, _)| !what.is_empty()) {
            match EdgeKind::from_word(what) {
                Some(kind) => allowances.set(kind, *width),
                None => allowances.single.push((what.clone(), *width)),
            }
        }
        if let Some(hem) = self.hem {
            allowances.hem = hem;
        }
        let paper = match self.paper {
            PaperChoice::A4 => Paper::A4,
            PaperChoice::Letter => Paper::Letter,
            PaperChoice::Sheet => Paper::Sheet,
        };
        SheetOptions { allowances, size: size.to_owned(), paper }
    }

    /// The size as it is written on pieces; a file without sizes says nothing.
    fn labelled(&self, size: &str) -> SheetOptions {
        self.options(if size == "one" { "" } else { size })
    }

    pub(super) fn svg(&self, pattern: &Pattern, size: &str) -> Result<String> {
        svg::to_svg(pattern, &self.labelled(size)).map_err(told)
    }

    pub(super) fn pdf(&self, pattern: &Pattern, size: &str) -> Result<Vec<u8>> {
        to_pdf(pattern, &self.labelled(size)).map_err(told)
    }

    pub(super) fn dxf(&self, pattern: &Pattern, size: &str) -> Result<String> {
        dxf::to_dxf_with_allowances(pattern, &self.options(size)).map_err(told)
    }
}

/// The reason and, behind it, the remedy.
#[expect(clippy::needless_pass_by_value, reason = "the form of a map_err")]
fn told(error: SheetError) -> miette::Report {
    let text = error.to_string();
    match text.split_once("; ") {
        Some((reason, help)) => miette!(help = help.to_owned(), "{reason}"),
        None => miette!("{text}"),
    }
}
