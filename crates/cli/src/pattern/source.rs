//! Where patterns and measurements come from, and how files are written.

use std::path::{Path, PathBuf};

use clap::Args;
use miette::{Result, miette};
use toile_body::{Figure, Measurements, complete, sizes};
use toile_files::atomic::write_atomic;
use toile_garment::dxf::{DxfOptions, DxfPattern, DxfUnit, SeamSource, wear};
use toile_garment::file::{self, PatternFileError};
use toile_garment::propose::{Proposal, sew};
use toile_garment::{Fault, Pattern, garmentcode};

/// A pattern file and how to read it.
#[derive(Args, Debug)]
pub(super) struct Source {
    /// A pattern: .toml, .json (`GarmentCode`) or .dxf (AAMA/ASTM)
    file: PathBuf,
    /// Size to take of a DXF file with several
    #[arg(long)]
    size: Option<String>,
    /// Unit of a DXF file, if it states a wrong one: mm, cm, m or inch
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    unit: Option<DxfUnit>,
    /// Leave the pieces of a DXF file as they are drawn, without parts and seams
    #[arg(long)]
    as_drawn: bool,
    /// Seams of a DXF file (TOML) [default: NAME.seams.toml beside it; else they are proposed]
    #[arg(long, value_name = "TOML")]
    seams: Option<PathBuf>,
    /// Propose seams for any pattern, between edges that are in none
    #[arg(long, conflicts_with = "seams")]
    propose_seams: bool,
}

fn unit(word: &str) -> Result<DxfUnit, String> {
    DxfUnit::from_word(word).ok_or_else(|| "choose mm, cm, m or inch".to_owned())
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
        let (mut pattern, repairs) = match extension.as_deref() {
            Some("toml") => file::load(&self.file).map(|m| (m.pattern, m.repairs)).map_err(told)?,
            Some("json") => garmentcode::load(&self.file).map(|m| (m.pattern, m.repairs)).map_err(told)?,
            Some("dxf") => {
                let options = DxfOptions { unit: self.unit, size: self.size.clone(), as_drawn: self.as_drawn };
                let (found, notes, pattern) = if self.as_drawn || self.seams.is_some() {
                    let found = toile_garment::dxf::load(&self.file, &options).map_err(told)?;
                    // Side files name the edges of the pattern with every piece drawn.
                    let pattern = if self.as_drawn || found.is_stated {
                        found.pattern.clone()
                    } else {
                        found
                            .pattern
                            .whole()
                            .map_err(|faults| miette!("{origin}: {}", toile_garment::PatternError { faults }))?
                    };
                    (found.clone(), found.notes, pattern)
                } else {
                    let worn = wear(&self.file, &options).map_err(told)?;
                    if worn.source == SeamSource::Proposed {
                        remarks.extend(worn.proposals.iter().map(proposed));
                    }
                    (worn.read, worn.notes, worn.pattern)
                };
                remarks.insert(0, format!("size {} of {}", found.size, found.sizes.join(", ")));
                remarks.extend(notes);
                size = found.size;
                (pattern, found.repairs)
            }
            _ => return Err(miette!(help = "patterns end in .toml, .json or .dxf", "{origin} is no pattern file")),
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

pub(super) fn dxf(path: &Path, size: Option<String>) -> Result<DxfPattern> {
    toile_garment::dxf::load(path, &DxfOptions { size, as_drawn: true, ..DxfOptions::default() }).map_err(told)
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

pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    write_atomic(path, text.as_bytes()).map_err(|e| miette!("{e}"))
}
