//! Reads a DXF file into a pattern of one size.

use std::path::Path;

use super::groups::{Drawing, Entity, parse};
use super::piece::{Labels, Piece, value_of};
use crate::check::{MOST_PANELS, mend};
use crate::fault::Fault;
use crate::file::{PatternFileError, read_bytes};
use crate::pattern::Pattern;

/// Unit of a DXF file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DxfUnit {
    /// Millimetres.
    Millimetre,
    /// Centimetres; chosen only, never found.
    Centimetre,
    /// Inches.
    Inch,
}

impl DxfUnit {
    /// How many make a metre.
    pub const fn per_metre(self) -> f64 {
        match self {
            Self::Millimetre => 1000.0,
            Self::Centimetre => 100.0,
            Self::Inch => 1.0 / 0.0254,
        }
    }
}

/// What to read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DxfOptions {
    /// The unit, if it is not the one the file states.
    pub unit: Option<DxfUnit>,
    /// The size; the sample size unless given.
    pub size: Option<String>,
}

/// A pattern read from DXF: pieces without seams.
#[derive(Clone, PartialEq, Debug)]
pub struct DxfPattern {
    /// The pieces of one size.
    pub pattern: Pattern,
    /// The size that was read; empty if the file names none.
    pub size: String,
    /// All sizes of the file, in its order.
    pub sizes: Vec<String>,
    /// The unit that was used.
    pub unit: DxfUnit,
    /// What was repaired.
    pub repairs: Vec<Fault>,
    /// What else a person should know: how the unit was found, what was passed over.
    pub notes: Vec<String>,
}

/// Reads a pattern from the bytes of a DXF file; `file` stands in messages for them.
pub fn from_dxf(file: &str, bytes: &[u8], options: &DxfOptions) -> Result<DxfPattern, PatternFileError> {
    let drawing = parse(bytes).map_err(|(line, message)| PatternFileError::Invalid {
        file: file.to_owned(),
        line,
        column: 0,
        message,
        help: "export the pattern again as text DXF (AAMA or ASTM)".to_owned(),
    })?;
    let fail =
        |message: String, help: &str| PatternFileError::Read { file: file.to_owned(), message, help: help.to_owned() };
    let mut notes = Vec::new();
    let groups = pieces(&drawing);
    if groups.is_empty() {
        return Err(fail(
            "has no piece: no block with an outline on layer 1 or 14".to_owned(),
            "export it as AAMA or ASTM DXF",
        ));
    }
    if groups.len() > 20 * MOST_PANELS {
        return Err(fail(format!("has {} pieces", groups.len()), "export fewer styles or sizes at once"));
    }
    let unit = find_unit(&drawing, &groups, options.unit, &mut notes)
        .map_err(|message| fail(message, "choose the unit of the file"))?;
    let mut sizes: Vec<String> = Vec::new();
    for (_, labels) in &groups {
        if !labels.size.is_empty() && !sizes.contains(&labels.size) {
            sizes.push(labels.size.clone());
        }
    }
    let sample = style(&drawing, "sample size").filter(|sample| sizes.iter().any(|size| size == sample));
    let size = match &options.size {
        Some(size) if !sizes.contains(size) => {
            return Err(fail(format!("has no size `{size}`"), &format!("it has: {}", sizes.join(", "))));
        }
        Some(size) => size.clone(),
        None => sample.or_else(|| sizes.first().cloned()).unwrap_or_default(),
    };
    let mut pattern = Pattern { name: style(&drawing, "style name").unwrap_or_default(), ..Pattern::default() };
    let mut faults = Vec::new();
    for (entities, labels) in groups.iter().filter(|(_, labels)| labels.size.is_empty() || labels.size == size) {
        let piece = Piece { entities, per_metre: unit.per_metre() };
        let mut name =
            if labels.piece.is_empty() { format!("piece_{}", pattern.panels.len() + 1) } else { labels.piece.clone() };
        while pattern.find(&name).is_some() {
            name.push('\'');
        }
        match piece.panel(&name, labels) {
            Ok(panel) => pattern.panels.push(panel),
            Err(fault) => faults.push(*fault),
        }
        if pattern.panels.len() > MOST_PANELS {
            return Err(fail(format!("has more than {MOST_PANELS} pieces of one size"), "export fewer styles at once"));
        }
    }
    if !faults.is_empty() {
        return Err(PatternFileError::of_fault(file, &faults.into()));
    }
    let mended = mend(pattern).map_err(|error| PatternFileError::of_fault(file, &error))?;
    Ok(DxfPattern { pattern: mended.pattern, size, sizes, unit, repairs: mended.repairs, notes })
}

/// Reads a DXF file.
pub fn load(path: impl AsRef<Path>, options: &DxfOptions) -> Result<DxfPattern, PatternFileError> {
    let (file, bytes) = read_bytes(path.as_ref())?;
    from_dxf(&file, &bytes, options)
}

/// Blocks with an outline and what their texts say; without any, the entities as one piece.
fn pieces(drawing: &Drawing) -> Vec<(&[Entity], Labels)> {
    let has_outline = |entities: &[Entity]| {
        entities.iter().any(|entity| {
            matches!(entity.layer, Some(1 | 14 | 84))
                && matches!(entity.kind.as_str(), "POLYLINE" | "LWPOLYLINE" | "LINE")
        })
    };
    let named = drawing.blocks.iter().filter(|block| has_outline(&block.entities)).map(|block| {
        let mut labels = Labels::read(&block.entities);
        if labels.piece.is_empty() {
            block.name.clone_into(&mut labels.piece);
        }
        (block.entities.as_slice(), labels)
    });
    let mut pieces: Vec<(&[Entity], Labels)> = named.collect();
    if pieces.is_empty() && has_outline(&drawing.entities) {
        pieces.push((&drawing.entities, Labels::read(&drawing.entities)));
    }
    pieces
}

/// A style text of the entities, or of any block.
fn style(drawing: &Drawing, key: &str) -> Option<String> {
    let blocks = drawing.blocks.iter().flat_map(|block| &block.entities);
    let texts = drawing.entities.iter().chain(blocks).filter(|entity| entity.kind == "TEXT");
    texts.filter_map(|entity| value_of(&entity.text, key)).map(str::to_owned).find(|value| !value.is_empty())
}

/// Largest extent of a piece, in units of the file.
fn extent(pieces: &[(&[Entity], Labels)]) -> f64 {
    let of = |entities: &[Entity]| {
        let outline =
            entities.iter().filter(|entity| matches!(entity.layer, Some(1 | 14 | 84)) && entity.kind != "TEXT");
        let points: Vec<[f64; 3]> = outline.flat_map(|entity| entity.points.iter().copied()).collect();
        let reach = |k: usize| {
            let range = points.iter().fold([f64::MAX, f64::MIN], |[low, high], p| [low.min(p[k]), high.max(p[k])]);
            range[1] - range[0]
        };
        reach(0).max(reach(1))
    };
    pieces.iter().map(|(entities, _)| of(entities)).fold(0.0, f64::max)
}

fn find_unit(
    drawing: &Drawing,
    pieces: &[(&[Entity], Labels)],
    chosen: Option<DxfUnit>,
    notes: &mut Vec<String>,
) -> Result<DxfUnit, String> {
    if let Some(unit) = chosen {
        return Ok(unit);
    }
    let extent = extent(pieces);
    let stated = style(drawing, "units").map(|units| units.to_ascii_uppercase());
    let unit = match stated.as_deref() {
        Some("ENGLISH") => DxfUnit::Inch,
        Some("METRIC") => DxfUnit::Millimetre,
        other => {
            let unit = if extent < 90.0 { DxfUnit::Inch } else { DxfUnit::Millimetre };
            let why = other.map_or("states no unit".to_owned(), |word| format!("has the unknown unit `{word}`"));
            notes.push(format!("the file {why}; its largest piece measures {extent:.1}, so {unit:?} was taken"));
            unit
        }
    };
    let metres = extent / unit.per_metre();
    if (0.03..=5.0).contains(&metres) {
        Ok(unit)
    } else {
        Err(format!("read as {unit:?}, its largest piece would measure {metres:.3} m"))
    }
}
