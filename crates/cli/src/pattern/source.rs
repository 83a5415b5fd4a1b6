//! Where patterns and measurements come from, and how files are written.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use miette::{Result, miette};
use toile_body::{Figure, Measurements, complete, sizes};
use toile_files::atomic::write_atomic;
use toile_garment::dxf::{DxfOptions, DxfPattern, DxfUnit};
use toile_garment::file::{self, PatternFileError};
use toile_garment::propose::{Proposal, sew};
use toile_garment::svg::SvgOptions;
use toile_garment::wear::{SeamSource, WearOptions, wear};
use toile_garment::{Fault, Pattern, drawn, garmentcode};

/// A pattern file and how to read it.
#[derive(Args, Debug)]
pub(super) struct Source {
    /// A pattern: .toml, .json (`GarmentCode` or `FreeSewing`), .dxf (AAMA/ASTM) or .svg
    file: PathBuf,
    /// Size to take of a DXF file with several
    #[arg(long)]
    size: Option<String>,
    /// Unit of a DXF or SVG file, if it states a wrong one
    #[arg(long, value_enum)]
    unit: Option<UnitChoice>,
    /// Leave the pieces of a DXF or SVG file as they are drawn, without parts and seams
    #[arg(long)]
    as_drawn: bool,
    /// Seams of a DXF or SVG file (TOML) [default: NAME.seams.toml beside it; else they are proposed]
    #[arg(long, value_name = "TOML")]
    seams: Option<PathBuf>,
    /// Propose seams for any pattern, between edges that are in none
    #[arg(long, conflicts_with = "seams")]
    propose_seams: bool,
}

/// A unit in which patterns are drawn.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum UnitChoice {
    /// Millimetres
    Mm,
    /// Centimetres
    Cm,
    /// Metres
    M,
    /// Inches
    #[value(alias = "in")]
    Inch,
    /// Pixels, 96 to an inch
    Px,
}

impl UnitChoice {
    /// Its length [m].
    fn length(self) -> f64 {
        match self {
            Self::Mm => 1e-3,
            Self::Cm => 1e-2,
            Self::M => 1.0,
            Self::Inch => 0.0254,
            Self::Px => 0.0254 / 96.0,
        }
    }

    /// The same unit of a DXF file, which has no pixels.
    fn of_dxf(self) -> Result<DxfUnit> {
        match self {
            Self::Mm => Ok(DxfUnit::Millimetre),
            Self::Cm => Ok(DxfUnit::Centimetre),
            Self::M => Ok(DxfUnit::Metre),
            Self::Inch => Ok(DxfUnit::Inch),
            Self::Px => Err(miette!(help = "choose --unit mm, cm, m or inch", "--unit px: DXF files have no pixels")),
        }
    }
}

/// A pattern with what was found out about it.
pub(super) struct Read {
    pub(super) pattern: Pattern,
    /// The file.
    pub(super) origin: String,
    pub(super) size: String,
    /// Repairs, assumptions and proposals.
    pub(super) remarks: Vec<String>,
}

impl Source {
    pub(super) fn read(&self) -> Result<Read> {
        let origin = self.file.display().to_string();
        let extension = self.file.extension().map(|e| e.to_string_lossy().to_lowercase());
        let (mut size, mut remarks) = (String::from("one"), Vec::new());
        let is_dxf = extension.as_deref() == Some("dxf");
        let unit = if is_dxf { self.unit.map(UnitChoice::of_dxf).transpose()? } else { None };
        let options = WearOptions {
            dxf: DxfOptions { unit, size: self.size.clone(), as_drawn: self.as_drawn },
            svg: SvgOptions { unit: self.unit.map(UnitChoice::length) },
        };
        let as_it_is = self.as_drawn || self.seams.is_some();
        let worn = if as_it_is { None } else { wear(&self.file, &options).map_err(told)? };
        let drawn = if as_it_is { drawn::load(&self.file, &options.svg).map_err(told)? } else { None };
        let (mut pattern, repairs) = match extension.as_deref() {
            _ if let Some(worn) = worn => {
                if worn.source == SeamSource::Proposed {
                    remarks.extend(worn.proposals.iter().map(proposed));
                }
                if !worn.sizes.is_empty() {
                    remarks.insert(0, format!("size {} of {}", worn.size, worn.sizes.join(", ")));
                    size = worn.size;
                }
                remarks.extend(worn.notes);
                (worn.pattern, worn.repairs)
            }
            _ if let Some(drawn) = drawn => {
                remarks.extend(drawn.notes);
                (drawn.pattern, drawn.repairs)
            }
            Some("toml") => file::load(&self.file).map(|m| (m.pattern, m.repairs)).map_err(told)?,
            Some("json") => garmentcode::load(&self.file).map(|m| (m.pattern, m.repairs)).map_err(told)?,
            Some("dxf") => {
                let found = toile_garment::dxf::load(&self.file, &options.dxf).map_err(told)?;
                // Side files name the edges of the pattern with every piece drawn.
                let pattern = if self.as_drawn || found.is_stated {
                    found.pattern
                } else {
                    let refused = |faults| miette!("{origin}: {}", toile_garment::PatternError { faults });
                    found.pattern.whole().map_err(refused)?
                };
                remarks.push(format!("size {} of {}", found.size, found.sizes.join(", ")));
                remarks.extend(found.notes);
                size = found.size;
                (pattern, found.repairs)
            }
            _ => {
                let help = "patterns end in .toml, .json, .dxf or .svg";
                return Err(miette!(help = help, "{origin} is no pattern file"));
            }
        };
        remarks.extend(repairs.iter().map(repair));
        if let Some(seams) = &self.seams {
            let name = seams.display().to_string();
            let text = std::fs::read_to_string(seams)
                .map_err(|e| miette!(help = "check the name", "cannot read {name}: {e}"))?;
            pattern.seams.clear();
            let sewn = file::sew_from_toml(&pattern, &name, &text).map_err(told)?;
            remarks.extend(sewn.repairs.iter().map(repair));
            pattern = sewn.pattern;
        } else if self.propose_seams {
            let found = sew(&pattern).map_err(|e| miette!("{origin}: {e}"))?;
            remarks.extend(found.proposals.iter().map(proposed));
            remarks.extend(found.notes);
            pattern = found.pattern;
        }
        Ok(Read { pattern, origin, size, remarks })
    }
}

fn proposed(proposal: &Proposal) -> String {
    let doubt = if proposal.is_doubtful() { ", doubtful" } else { "" };
    format!("proposed seam {}: {} (confidence {:.2}{doubt})", proposal.seam.name, proposal.reason, proposal.confidence)
}

fn repair(fault: &Fault) -> String {
    fault.to_string()
}

/// A DXF file as it is, in the size it is drawn in.
pub(super) fn plain_dxf(path: &Path) -> Result<DxfPattern> {
    toile_garment::dxf::load(path, &DxfOptions { as_drawn: true, ..DxfOptions::default() }).map_err(told)
}

#[expect(clippy::needless_pass_by_value, reason = "the form of a map_err")]
pub(crate) fn told(error: PatternFileError) -> miette::Report {
    miette!(help = error.help().to_owned(), "{error}")
}

/// The measurements of a size or a file.
pub(super) fn measurements(body: &str) -> Result<Measurements> {
    let specification = sizes::find(body).map_err(|e| miette!(help = e.help().to_owned(), "{e}"))?;
    Ok(complete(specification.figure, &specification.given))
}

pub(super) fn figure(name: &str) -> Result<Figure> {
    let known = Figure::ALL.into_iter().find(|figure| figure.name() == name);
    known.ok_or_else(|| miette!(help = "there are: female, male, neutral", "there is no figure \"{name}\""))
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomic(path, bytes).map_err(|e| miette!("{e}"))
}
