//! [`wear`]: a drawn pattern as a garment that can be worn, with the seams that its file states, that stand beside it, or that are proposed.
//!
//! DXF, SVG and `FreeSewing` files carry pieces. What each piece is, how it is cut and how it lies is recognised from names and shapes; what
//! is sewn to what comes from the first of: the file itself, the side file `NAME.seams.toml` beside it, proposals.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::borders::loose_panels;
use crate::check::mend;
use crate::drawn::{self, DrawnPattern};
use crate::dxf::{self, DxfOptions, DxfPattern, DxfUnit};
use crate::fault::Fault;
use crate::file::{PatternFileError, read_bytes, seams_to_toml, sew_from_toml};
use crate::pattern::{Cut, Panel, Pattern};
use crate::propose::{Proposal, lay_out, sew};
use crate::recognise::{Drawn, NAMELESS, recognise};
use crate::sketch::FOLD_NAME;
use crate::svg::SvgOptions;

/// How to read a drawn pattern.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WearOptions {
    /// DXF files.
    pub dxf: DxfOptions,
    /// SVG files.
    pub svg: SvgOptions,
}

impl WearOptions {
    /// A size of a file with several.
    pub fn of_size(size: Option<String>) -> Self {
        Self { dxf: DxfOptions { size, ..DxfOptions::default() }, svg: SvgOptions::default() }
    }
}

/// Where the seams of a garment come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeamSource {
    /// The file states them.
    Stated,
    /// The side file lists them.
    SideFile,
    /// They are proposed.
    Proposed,
}

/// A garment from a drawn pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct Wearable {
    /// The pattern with all its seams, doubtful ones too.
    pub pattern: Pattern,
    /// How many pieces are drawn.
    pub pieces: usize,
    /// The size that was read; empty if the file names none.
    pub size: String,
    /// All sizes of the file, in its order.
    pub sizes: Vec<String>,
    /// The unit of a DXF file.
    pub unit: Option<DxfUnit>,
    /// What was repaired.
    pub repairs: Vec<Fault>,
    /// Where the seams come from.
    pub source: SeamSource,
    /// The proposed seams, if they are.
    pub proposals: Vec<Proposal>,
    /// Panels that no proposed seam joins to the garment.
    pub loose: Vec<String>,
    /// Everything else that a person should know.
    pub notes: Vec<String>,
}

impl Wearable {
    /// What a person should decide before it is worn, in words; `None` if nothing is.
    pub fn doubt(&self) -> Option<String> {
        let doubtful: Vec<&str> = self.doubtful().map(|proposal| proposal.seam.name.as_str()).collect();
        if !doubtful.is_empty() {
            return Some(format!("it is not certain that these seams are meant: {}", doubtful.join(", ")));
        }
        (!self.loose.is_empty()).then(|| format!("no seam was found for these pieces: {}", self.loose.join(", ")))
    }

    /// Seams that a person should decide about.
    pub fn doubtful(&self) -> impl Iterator<Item = &Proposal> {
        self.proposals.iter().filter(|proposal| proposal.is_doubtful())
    }

    /// Text of a side file: all seams, with their confidence; those that `refused` names stand behind `#`, to be looked at.
    pub fn side_file_text(&self, refused: &[String]) -> String {
        let mut out = String::from(
            "# Seams of the pattern file of this name. What stands behind # is not sewn: remove the # to sew it.\n",
        );
        for note in &self.notes {
            let _ = writeln!(out, "# {note}");
        }
        for name in &self.loose {
            let edges = self.pattern.panels.iter().filter(|panel| panel.name == *name).flat_map(Panel::edges);
            let edges: Vec<String> = edges.map(|edge| format!("{name}.{}", edge.name)).collect();
            let _ = writeln!(out, "# in no seam: {}", edges.join(", "));
        }
        for seam in &self.pattern.seams {
            let one = Pattern { seams: vec![seam.clone()], ..self.pattern.clone() };
            let table = seams_to_toml(&one);
            if let Some(proposal) = self.proposals.iter().find(|proposal| proposal.seam.name == seam.name) {
                let _ = write!(out, "\n# confidence {:.2}: {}", proposal.confidence, proposal.reason);
            }
            if refused.contains(&seam.name) {
                for line in table.trim().lines() {
                    out.push_str("\n# ");
                    out.push_str(line);
                }
                out.push('\n');
            } else {
                out.push('\n');
                out.push_str(table.trim());
                out.push('\n');
            }
        }
        out
    }
}

/// The side file of a pattern file: `tank.seams.toml` beside `tank.dxf`.
pub fn side_file(path: &Path) -> PathBuf {
    path.with_extension("seams.toml")
}

/// Reads a DXF, SVG or `FreeSewing` file and sews it; `None` if the file is of another kind. Seams come from the file itself, else from the
/// side file beside it, else they are proposed.
pub fn wear(path: impl AsRef<Path>, options: &WearOptions) -> Result<Option<Wearable>, PatternFileError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let reading = if extension == "dxf" {
        Reading::of_dxf(dxf::load(path, &options.dxf)?)
    } else if let Some(drawn) = drawn::load(path, &options.svg)? {
        Reading::of_drawing(&file, drawn)?
    } else {
        return Ok(None);
    };
    let beside = side_file(path);
    if beside.is_file() { reading.sewn_by(&file, &beside).map(Some) } else { reading.sewn(&file).map(Some) }
}

/// Reads a pattern from bytes and sews it, without a side file; `file` stands in messages for it, and its ending says what it is.
pub fn wear_bytes(file: &str, bytes: &[u8], options: &WearOptions) -> Result<Option<Wearable>, PatternFileError> {
    let extension = Path::new(file).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let reading = if extension == "dxf" {
        Reading::of_dxf(dxf::from_dxf(file, bytes, &options.dxf)?)
    } else if let Some(drawn) = drawn::from_bytes(file, bytes, &options.svg)? {
        Reading::of_drawing(file, drawn)?
    } else {
        return Ok(None);
    };
    reading.sewn(file).map(Some)
}

/// Pieces as they are worn, before they are sewn.
struct Reading {
    pattern: Pattern,
    /// Whether the file states parts, sides, cuts and seams.
    is_stated: bool,
    size: String,
    sizes: Vec<String>,
    unit: Option<DxfUnit>,
    repairs: Vec<Fault>,
    notes: Vec<String>,
}

impl Reading {
    fn of_dxf(read: DxfPattern) -> Self {
        let DxfPattern { pattern, size, sizes, unit, repairs, notes, is_stated } = read;
        Self { pattern, is_stated, size, sizes, unit: Some(unit), repairs, notes }
    }

    fn of_drawing(file: &str, read: DrawnPattern) -> Result<Self, PatternFileError> {
        let DrawnPattern { pattern, mut repairs, mut notes, said, is_stated } = read;
        let pattern = if is_stated {
            pattern
        } else {
            let pieces = pattern.panels.into_iter().zip(said);
            let drawn = pieces.map(|(mut panel, said)| {
                let fold = if let Cut::Fold(name) = &panel.cut { panel.find(name) } else { None };
                // The name of a fold that only its mark gave is no name that a person gave.
                if let Some(edge) = fold.and_then(|edge| panel.outline.get_mut(edge))
                    && edge.name == FOLD_NAME
                {
                    edge.name = format!("{NAMELESS}{FOLD_NAME}");
                }
                let copies = if panel.cut == Cut::Pair { 2 * panel.quantity } else { panel.quantity };
                let quantity = if said.has_count { copies.to_string() } else { String::new() };
                Drawn {
                    category: String::new(),
                    annotation: said.words,
                    quantity,
                    has_grain: said.has_grain,
                    fold,
                    is_unfolded: false,
                    panel: Panel { cut: Cut::Single, ..panel },
                }
            });
            let recognised = recognise(drawn.collect(), &pattern.name);
            notes.extend(recognised.notes);
            let pattern = Pattern { name: pattern.name, panels: recognised.panels, seams: Vec::new() };
            let mended = mend(pattern).map_err(|error| PatternFileError::of_fault(file, &error))?;
            repairs.extend(mended.repairs);
            mended.pattern
        };
        Ok(Self { pattern, is_stated, size: String::new(), sizes: Vec::new(), unit: None, repairs, notes })
    }

    /// The pattern with the seams of a side file.
    fn sewn_by(mut self, file: &str, beside: &Path) -> Result<Wearable, PatternFileError> {
        let name = beside.display().to_string();
        let (_, bytes) = read_bytes(beside)?;
        let mut bare = if self.is_stated {
            self.pattern.clone()
        } else {
            self.pattern.whole().map_err(|faults| PatternFileError::of_fault(file, &faults.into()))?
        };
        bare.seams.clear();
        let mut sewn = sew_from_toml(&bare, &name, &String::from_utf8_lossy(&bytes))?;
        if !self.is_stated {
            lay_out(&mut sewn.pattern);
        }
        self.notes.push(format!("seams from {name}"));
        self.notes.extend(sewn.repairs.iter().map(ToString::to_string));
        Ok(self.wearable(sewn.pattern, SeamSource::SideFile))
    }

    /// The pattern with the seams that it states, or with proposed ones.
    fn sewn(mut self, file: &str) -> Result<Wearable, PatternFileError> {
        if self.is_stated && (!self.pattern.seams.is_empty() || self.pattern.panels.len() == 1) {
            let pattern = self.pattern.clone();
            return Ok(self.wearable(pattern, SeamSource::Stated));
        }
        let proposed = sew(&self.pattern).map_err(|error| PatternFileError::of_fault(file, &error))?;
        self.notes.extend(proposed.notes);
        let loose = loose_panels(&proposed.pattern);
        let worn = self.wearable(proposed.pattern, SeamSource::Proposed);
        Ok(Wearable { proposals: proposed.proposals, loose, ..worn })
    }

    fn wearable(self, pattern: Pattern, source: SeamSource) -> Wearable {
        Wearable {
            pattern,
            pieces: self.pattern.panels.len(),
            size: self.size,
            sizes: self.sizes,
            unit: self.unit,
            repairs: self.repairs,
            source,
            proposals: Vec::new(),
            loose: Vec::new(),
            notes: self.notes,
        }
    }
}
