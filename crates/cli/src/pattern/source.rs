//! Where patterns and measurements come from, and how files are written.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use miette::{Result, miette};
use toile_body::{Figure, Measurements, SizeChart, length, sizes};
use toile_files::atomic::write_atomic;
use toile_garment::draft::Size;
use toile_garment::dxf::{DxfOptions, DxfPattern, DxfUnit, Rules};
use toile_garment::file::{self, PatternFileError};
use toile_garment::propose::{Proposal, sew};
use toile_garment::svg::SvgOptions;
use toile_garment::wear::{SeamSource, WearOptions, wear};
use toile_garment::{Fault, Pattern, drawn, garmentcode};

use crate::measured::{Measured, OwnSizes, measurements, resolved};

/// A pattern and how to read or draft it.
#[derive(Args, Debug)]
pub(super) struct Source {
    /// A pattern: .toml, .json (`GarmentCode` or `FreeSewing`), .dxf (AAMA/ASTM) or .svg; or a garment to draft, as t-shirt
    file: PathBuf,
    #[command(flatten)]
    how: How,
}

impl Source {
    pub(super) fn read(&self) -> Result<Read> {
        self.how.read(&self.file)
    }
}

/// How a pattern is drafted or read: the same options wherever one is asked for.
#[derive(Args, Debug)]
pub(super) struct How {
    /// Size: a letter (XS to XXL), a body's size (woman-38, man-50, child-128) or one of --sizes; of a DXF file one of its own
    #[arg(long)]
    size: Option<String>,
    /// Draft for this body: a size or a file of measurements (TOML) [default: woman-38]
    #[arg(long, conflicts_with = "size", value_name = "NAME|FILE")]
    body: Option<String>,
    /// Proportions of a letter size: female, male or neutral [default: female]
    #[arg(long)]
    figure: Option<String>,
    /// Set a number of the draft, as length=60cm, length=23.5in, length=0.6 or flare=12 (metres, degrees); may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    set: Vec<Setting>,
    /// Grade a DXF file to --size by these rules (.rul)
    #[arg(long, visible_alias = "grade", value_name = "RUL", requires = "size")]
    rules: Option<PathBuf>,
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
    #[command(flatten)]
    own: OwnSizes,
    #[command(flatten)]
    measured: Measured,
}

/// A number of a draft as it was typed.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Setting {
    pub(crate) key: String,
    /// In metres, degrees or without a unit.
    pub(crate) value: f64,
    /// The number with its unit.
    pub(crate) text: String,
}

impl Setting {
    /// As a scene writes it: degrees have no mark there.
    pub(crate) fn plain(&self) -> String {
        let is_angle = self.text.ends_with('°') || self.text.ends_with("deg");
        if is_angle { self.value.to_string() } else { self.text.clone() }
    }
}

/// `length=60cm`, `length=0.6`, `flare=12`.
pub(crate) fn parse_setting(text: &str) -> Result<Setting, String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE, as length=60cm")?;
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() {
        return Err("the key is missing: write it as KEY=VALUE, as length=60cm".to_owned());
    }
    let degrees = value.strip_suffix('°').or_else(|| value.strip_suffix("deg"));
    let number = match degrees {
        Some(number) => {
            number.trim().parse().ok().filter(|n: &f64| n.is_finite()).ok_or("write degrees as 12 or 12deg")?
        }
        None => length::parse_signed(value)?,
    };
    Ok(Setting { key: key.to_owned(), value: number, text: value.to_owned() })
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

impl How {
    /// Drafts a garment of this name, or reads the file.
    pub(super) fn read(&self, path: &Path) -> Result<Read> {
        if path.extension().is_none() && path.components().count() == 1 && !path.exists() {
            return self.drafted(&path.to_string_lossy());
        }
        self.refuse_draft_flags(path)?;
        if let Some(rules) = &self.rules {
            return self.graded(path, rules);
        }
        self.read_file(path)
    }

    /// Drafts a garment; flags that are about files are refused.
    fn drafted(&self, name: &str) -> Result<Read> {
        let design = super::design(name)?;
        let about_files = [
            ("--unit", self.unit.is_some()),
            ("--as-drawn", self.as_drawn),
            ("--seams", self.seams.is_some()),
            ("--propose-seams", self.propose_seams),
            ("--rules", self.rules.is_some()),
        ];
        if let Some((flag, _)) = about_files.iter().find(|(_, given)| *given) {
            let help = format!("leave {flag} out, or name a pattern file");
            return Err(miette!(help = help, "{flag}: {} is drafted, not read from a file", design.word()));
        }
        let chart = self.own.load()?;
        let (body, size) = self.cut_for(chart.as_ref())?;
        let pattern = super::drafted(design, &body, &self.set)?;
        Ok(Read { pattern, origin: design.word().to_owned(), size, remarks: Vec::new() })
    }

    /// The body that a garment is drafted for, and what it is called on the pattern.
    fn cut_for(&self, chart: Option<&SizeChart>) -> Result<(Measurements, String)> {
        let Some(size) = &self.size else {
            if self.figure.is_some() {
                let help = "leave --figure out, or give a letter with --size; a body has its own";
                return Err(miette!(help = help, "--figure: it belongs to a letter size"));
            }
            let body = resolved("--body", self.body.as_deref().unwrap_or("woman-38"), chart)?;
            let body = self.measured.change(&body)?;
            return Ok((measurements("--body", &body)?, "made to measure".to_owned()));
        };
        if let Some(flag) = self.measured.first() {
            let help = format!("leave {flag} out, or leave --size out to draft for a body");
            return Err(miette!(help = help, "{flag}: size {size} has measurements of its own"));
        }
        let own = resolved("--size", size, chart)?;
        let figure = self.figure.as_deref().map(figure).transpose()?;
        Ok((sized("--size", &own, figure)?, size.trim().to_owned()))
    }

    /// A file is cut as it is drawn: refuses what only a draft can follow.
    fn refuse_draft_flags(&self, path: &Path) -> Result<()> {
        let is_dxf = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("dxf"));
        let measured = self.measured.first();
        let given = [
            ("--size", self.size.is_some() && !is_dxf),
            ("--rules", self.rules.is_some() && !is_dxf),
            ("--body", self.body.is_some()),
            ("--figure", self.figure.is_some()),
            ("--set", !self.set.is_empty()),
            ("--sizes", self.own.is_given()),
            (measured.as_deref().unwrap_or_default(), measured.is_some()),
        ];
        let Some((flag, _)) = given.iter().find(|(_, given)| *given) else { return Ok(()) };
        let help = format!("leave {flag} out, or name a garment to draft, as t-shirt");
        Err(miette!(help = help, "{flag}: {} is a pattern from a file and is cut as it is drawn", path.display()))
    }

    /// A DXF file in a size that its rules tell.
    fn graded(&self, path: &Path, rules: &Path) -> Result<Read> {
        let origin = path.display().to_string();
        let size = self.size.clone().unwrap_or_default();
        let base = plain_dxf(path)?;
        let graded = toile_garment::dxf::grade(&base.pattern, &read_rules(rules)?, &size).map_err(told)?;
        let remarks = std::iter::once(format!("graded from size {} to {size}", base.size)).chain(base.notes);
        Ok(Read { pattern: graded.pattern, origin, size, remarks: remarks.collect() })
    }

    fn read_file(&self, path: &Path) -> Result<Read> {
        let origin = path.display().to_string();
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let (mut size, mut remarks) = (String::from("one"), Vec::new());
        let is_dxf = extension.as_deref() == Some("dxf");
        let unit = if is_dxf { self.unit.map(UnitChoice::of_dxf).transpose()? } else { None };
        let options = WearOptions {
            dxf: DxfOptions { unit, size: self.size.clone(), as_drawn: self.as_drawn },
            svg: SvgOptions { unit: self.unit.map(UnitChoice::length) },
        };
        let as_it_is = self.as_drawn || self.seams.is_some();
        let worn = if as_it_is { None } else { wear(path, &options).map_err(told)? };
        let drawn = if as_it_is { drawn::load(path, &options.svg).map_err(told)? } else { None };
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
            Some("toml") => file::load(path).map(|m| (m.pattern, m.repairs)).map_err(told)?,
            Some("json") => garmentcode::load(path).map(|m| (m.pattern, m.repairs)).map_err(told)?,
            Some("dxf") => {
                let found = toile_garment::dxf::load(path, &options.dxf).map_err(told)?;
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

/// The grade rules of a file.
pub(super) fn read_rules(path: &Path) -> Result<Rules> {
    let name = path.display().to_string();
    let bytes =
        std::fs::read(path).map_err(|e| miette!(help = "check the name", "--rules: cannot read {name}: {e}"))?;
    Rules::parse(&name, &bytes).map_err(told)
}

/// The measurements of a size: a letter, with proportions if they are given, or a body's.
pub(super) fn sized(flag: &str, size: &str, figure: Option<Figure>) -> Result<Measurements> {
    if let Some(letter) = Size::from_word(&size.to_uppercase()) {
        return Ok(letter.measurements(figure.unwrap_or(Figure::Female)));
    }
    if figure.is_some() {
        let help = "leave --figure out, or give a letter, as M";
        return Err(miette!(help = help, "--figure: size {size} has proportions of its own"));
    }
    if !sizes::is_understood(size) {
        let letters = Size::ALL.iter().map(|size| size.word()).collect::<Vec<_>>().join(", ");
        let help = format!("letters are {letters}; {}", sizes::known());
        return Err(miette!(help = help, "{flag} {size}: there is no such size"));
    }
    measurements(flag, size)
}

pub(super) fn figure(name: &str) -> Result<Figure> {
    let known = Figure::ALL.into_iter().find(|figure| figure.name() == name);
    known.ok_or_else(|| miette!(help = "there are: female, male, neutral", "--figure: there is no figure \"{name}\""))
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomic(path, bytes).map_err(|e| miette!("{e}"))
}
