//! Where patterns and measurements come from, and how files are written.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use miette::{Result, miette};
use toile_body::{Figure, Measurements, complete, sizes};
use toile_files::atomic::write_atomic;
use toile_garment::dxf::{DxfOptions, DxfPattern, DxfUnit};
use toile_garment::file::{self, PatternFileError};
use toile_garment::propose::propose_seams;
use toile_garment::svg::SvgOptions;
use toile_garment::{Fault, Pattern, check, drawn, garmentcode};

/// A pattern file and how to read it.
#[derive(Args, Debug)]
pub(super) struct Source {
    /// A pattern: .toml, .json (`GarmentCode` or `FreeSewing`), .dxf (AAMA/ASTM) or .svg
    file: PathBuf,
    /// Size to take of a DXF file with several
    #[arg(long)]
    size: Option<String>,
    /// Length of a unit of a DXF or SVG file, if it is not what the file says
    #[arg(long, value_enum)]
    unit: Option<UnitChoice>,
    /// Seams of a file that has none, as DXF and SVG (TOML)
    #[arg(long, value_name = "TOML")]
    seams: Option<PathBuf>,
    /// Propose seams where there are none, by notches and lengths
    #[arg(long, conflicts_with = "seams")]
    propose_seams: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum UnitChoice {
    /// Millimetres
    Mm,
    /// Centimetres
    Cm,
    /// Inches
    In,
    /// Pixels, 96 to an inch
    Px,
}

impl UnitChoice {
    /// Its length [m].
    fn length(self) -> f64 {
        match self {
            Self::Mm => 1e-3,
            Self::Cm => 1e-2,
            Self::In => 0.0254,
            Self::Px => 0.0254 / 96.0,
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
        let drawing = SvgOptions { unit: self.unit.map(UnitChoice::length) };
        let drawn = drawn::load(&self.file, &drawing).map_err(told)?;
        let (mut pattern, repairs) = match extension.as_deref() {
            _ if let Some(drawn) = drawn => {
                remarks.extend(drawn.notes);
                (drawn.pattern, drawn.repairs)
            }
            Some("toml") => file::load(&self.file).map(|m| (m.pattern, m.repairs)).map_err(told)?,
            Some("json") => garmentcode::load(&self.file).map(|m| (m.pattern, m.repairs)).map_err(told)?,
            Some("dxf") => {
                let found = dxf(&self.file, self.size.clone(), self.unit)?;
                remarks.push(format!("size {} of {}", found.size, found.sizes.join(", ")));
                remarks.extend(found.notes);
                size = found.size;
                (found.pattern, found.repairs)
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
            let sewn = file::sew_from_toml(&pattern, &name, &text).map_err(told)?;
            remarks.extend(sewn.repairs.iter().map(repair));
            pattern = sewn.pattern;
        } else if self.propose_seams && pattern.seams.is_empty() {
            for proposal in propose_seams(&pattern) {
                remarks.push(format!("proposed: {} (score {:.2})", proposal.seam.name, proposal.score));
                pattern.seams.push(proposal.seam);
            }
            let mended = check::mend(pattern).map_err(|e| miette!("{origin}: the proposed seams do not fit: {e}"))?;
            remarks.extend(mended.repairs.iter().map(repair));
            pattern = mended.pattern;
        }
        Ok(Read { pattern, origin, size, remarks })
    }
}

fn repair(fault: &Fault) -> String {
    format!("{fault}: {}", fault.problem.repair().unwrap_or("repaired"))
}

/// A DXF file as it is, in the size it is drawn in.
pub(super) fn plain_dxf(path: &Path) -> Result<DxfPattern> {
    dxf(path, None, None)
}

fn dxf(path: &Path, size: Option<String>, unit: Option<UnitChoice>) -> Result<DxfPattern> {
    let unit = match unit {
        None => None,
        Some(UnitChoice::Mm) => Some(DxfUnit::Millimetre),
        Some(UnitChoice::Cm) => Some(DxfUnit::Centimetre),
        Some(UnitChoice::In) => Some(DxfUnit::Inch),
        Some(UnitChoice::Px) => {
            return Err(miette!(help = "choose mm, cm or in", "{}: DXF files have no pixels", path.display()));
        }
    };
    toile_garment::dxf::load(path, &DxfOptions { size, unit }).map_err(told)
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
