//! [`wear`]: a DXF file as a garment that can be worn, with the seams that it states, that stand beside it, or that are proposed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::read::{DxfOptions, DxfPattern, from_dxf, load};
use crate::borders::loose_panels;
use crate::file::{PatternFileError, seams_to_toml, sew_from_toml};
use crate::pattern::{Panel, Pattern};
use crate::propose::{Proposal, lay_out, sew};

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

/// A garment from a DXF file.
#[derive(Clone, PartialEq, Debug)]
pub struct Wearable {
    /// The pattern with all its seams, doubtful ones too.
    pub pattern: Pattern,
    /// What was read: size, unit, repairs.
    pub read: DxfPattern,
    /// Where the seams come from.
    pub source: SeamSource,
    /// The proposed seams, if they are.
    pub proposals: Vec<Proposal>,
    /// Panels that no proposed seam joins to the garment.
    pub loose: Vec<String>,
    /// Everything that a person should know.
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
            "# Seams of the DXF file of this name. What stands behind # is not sewn: remove the # to sew it.\n",
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

/// The side file of a DXF file: `tank.seams.toml` beside `tank.dxf`.
pub fn side_file(path: &Path) -> PathBuf {
    path.with_extension("seams.toml")
}

/// Reads a DXF file and sews it. Seams come from its own texts, else from the side file beside it, else they are proposed.
pub fn wear(path: impl AsRef<Path>, options: &DxfOptions) -> Result<Wearable, PatternFileError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let read = load(path, options)?;
    let mut notes = read.notes.clone();
    let beside = side_file(path);
    if beside.is_file() {
        let name = beside.display().to_string();
        let (_, bytes) = crate::file::read_bytes(&beside)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut bare = if read.is_stated { read.pattern.clone() } else { whole(&file, &read.pattern)? };
        bare.seams.clear();
        let mut sewn = sew_from_toml(&bare, &name, &text)?;
        if !read.is_stated {
            lay_out(&mut sewn.pattern);
        }
        notes.push(format!("seams from {name}"));
        notes.extend(sewn.repairs.iter().map(ToString::to_string));
        return Ok(Wearable {
            pattern: sewn.pattern,
            read,
            source: SeamSource::SideFile,
            proposals: Vec::new(),
            loose: Vec::new(),
            notes,
        });
    }
    sewn(&file, read, notes)
}

/// Reads a DXF file from its bytes and sews it, without a side file; `file` stands in messages for it.
pub fn wear_bytes(file: &str, bytes: &[u8], options: &DxfOptions) -> Result<Wearable, PatternFileError> {
    let read = from_dxf(file, bytes, options)?;
    let notes = read.notes.clone();
    sewn(file, read, notes)
}

/// A pattern with the seams that it states, or with proposed ones.
fn sewn(file: &str, read: DxfPattern, mut notes: Vec<String>) -> Result<Wearable, PatternFileError> {
    if read.is_stated && (!read.pattern.seams.is_empty() || read.pattern.panels.len() == 1) {
        let pattern = read.pattern.clone();
        return Ok(Wearable {
            pattern,
            read,
            source: SeamSource::Stated,
            proposals: Vec::new(),
            loose: Vec::new(),
            notes,
        });
    }
    let proposed = sew(&read.pattern).map_err(|error| PatternFileError::of_fault(file, &error))?;
    notes.extend(proposed.notes);
    let loose = loose_panels(&proposed.pattern);
    let (pattern, proposals) = (proposed.pattern, proposed.proposals);
    Ok(Wearable { pattern, read, source: SeamSource::Proposed, proposals, loose, notes })
}

fn whole(file: &str, pattern: &Pattern) -> Result<Pattern, PatternFileError> {
    pattern.whole().map_err(|faults| PatternFileError::of_fault(file, &faults.into()))
}
