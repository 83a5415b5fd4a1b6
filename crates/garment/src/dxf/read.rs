//! Reads a DXF file into a pattern of one size.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::annotation;
use super::groups::{Drawing, Entity, parse};
use super::labels::{Labels, value_of};
use super::piece::Piece;
use super::units::{self, DxfUnit};
use crate::check::{MOST_PANELS, mend};
use crate::fault::Fault;
use crate::file::{PatternFileError, read_bytes, sew_from_toml};
use crate::own::restored;
use crate::pattern::Pattern;
use crate::recognise::{Drawn, recognise};

/// What to read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DxfOptions {
    /// The unit, if it is not the one the file states.
    pub unit: Option<DxfUnit>,
    /// The size; the sample size unless given.
    pub size: Option<String>,
    /// Whether pieces stay as they are drawn: not turned, nothing left out, parts and cuts only where the file states them. Grade rules
    /// need it.
    pub as_drawn: bool,
}

/// A pattern read from DXF, with the seams that the file states.
#[derive(Clone, PartialEq, Debug)]
pub struct DxfPattern {
    /// The pieces of one size, turned and cut as they are worn.
    pub pattern: Pattern,
    /// The size that was read; empty if the file names none.
    pub size: String,
    /// All sizes of the file, in its order.
    pub sizes: Vec<String>,
    /// The unit that was used.
    pub unit: DxfUnit,
    /// What was repaired.
    pub repairs: Vec<Fault>,
    /// What else a person should know: how the unit was found, what was left out and what was assumed.
    pub notes: Vec<String>,
    /// Whether the file states parts, sides and cuts of all pieces, and all seams there are: this program wrote it.
    pub is_stated: bool,
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
    let mut groups = pieces(&drawing);
    sizes_of_names(&mut groups);
    fill_labels(&mut groups);
    if groups.is_empty() {
        return Err(fail(
            "has no piece: no block with an outline on layer 1 or 14".to_owned(),
            "export it as AAMA or ASTM DXF",
        ));
    }
    if groups.len() > 20 * MOST_PANELS {
        return Err(fail(format!("has {} pieces", groups.len()), "export fewer styles or sizes at once"));
    }
    let unit = units::find(&drawing, extent(&groups), options.unit, &mut notes)
        .map_err(|message| fail(message, "choose the unit: `toile pattern convert FILE --unit cm OUT.dxf`"))?;
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
    // A style without a name is called after its file.
    let stem = || Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = style(&drawing, "style name").unwrap_or_else(stem);
    let mut drawn: Vec<(Drawn, bool)> = Vec::new();
    let mut faults = Vec::new();
    for (entities, labels) in groups.iter().filter(|(_, labels)| labels.size.is_empty() || labels.size == size) {
        let piece = Piece { entities, per_metre: unit.per_metre() };
        let mut name =
            if labels.piece.is_empty() { format!("piece_{}", drawn.len() + 1) } else { labels.piece.clone() };
        while drawn.iter().any(|(other, _)| other.panel.name == name) {
            name.push('\'');
        }
        match piece.drawn(&name, labels, &mut notes) {
            Ok(mut piece) => {
                let stated = annotation::state(&mut piece.panel, entities);
                drawn.push((piece, stated));
            }
            Err(fault) => faults.push(*fault),
        }
        if drawn.len() > MOST_PANELS {
            return Err(fail(format!("has more than {MOST_PANELS} pieces of one size"), "export fewer styles at once"));
        }
    }
    if !faults.is_empty() {
        return Err(PatternFileError::of_fault(file, &faults.into()));
    }
    let is_stated = drawn.iter().all(|(_, stated)| *stated);
    let pieces = drawn.into_iter().map(|(piece, _)| piece);
    let panels = if is_stated || options.as_drawn {
        pieces.map(|piece| if is_stated { piece.panel } else { piece.into_panel() }).collect()
    } else {
        let recognised = recognise(pieces.collect(), &name);
        notes.extend(recognised.notes);
        recognised.panels
    };
    let pattern = Pattern { name, panels, seams: Vec::new() };
    if is_stated && let Some(own) = restored(&pattern, &drawing.carried) {
        return Ok(DxfPattern { pattern: own, size, sizes, unit, repairs: Vec::new(), notes, is_stated });
    }
    let mut mended = mend(pattern).map_err(|error| PatternFileError::of_fault(file, &error))?;
    let seams = annotation::seams(&drawing.entities);
    if is_stated && !seams.is_empty() {
        let sewn = sew_from_toml(&mended.pattern, &format!("{file} (Seam texts)"), &seams)?;
        mended.pattern = sewn.pattern;
        mended.repairs.extend(sewn.repairs);
    }
    Ok(DxfPattern { pattern: mended.pattern, size, sizes, unit, repairs: mended.repairs, notes, is_stated })
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
            labels.piece = block
                .name
                .strip_suffix(&labels.size)
                .map_or(block.name.as_str(), |stem| stem.trim_end_matches(['_', '-', ' ']))
                .to_owned();
        }
        (block.entities.as_slice(), labels)
    });
    let mut pieces: Vec<(&[Entity], Labels)> = named.collect();
    if pieces.is_empty() && has_outline(&drawing.entities) {
        pieces.push((&drawing.entities, Labels::read(&drawing.entities)));
    }
    pieces
}

/// Gives pieces without a size text the size that their block is named after, as `FRONT_38`, where every piece has the same sizes.
fn sizes_of_names(pieces: &mut [(&[Entity], Labels)]) {
    if pieces.iter().any(|(_, labels)| !labels.size.is_empty()) {
        return;
    }
    let split = |name: &str| name.rsplit_once(['_', '-', ' ']).map(|(stem, size)| (stem.to_owned(), size.to_owned()));
    let Some(named) = pieces.iter().map(|(_, labels)| split(&labels.piece)).collect::<Option<Vec<_>>>() else { return };
    let mut by_stem: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (stem, size) in &named {
        by_stem.entry(stem).or_default().insert(size);
    }
    let Some(first) = by_stem.values().next() else { return };
    if first.len() < 2 || by_stem.values().any(|sizes| sizes != first) {
        return;
    }
    for ((_, labels), (stem, size)) in pieces.iter_mut().zip(&named) {
        stem.clone_into(&mut labels.piece);
        size.clone_into(&mut labels.size);
    }
}

/// Completes labels from the same piece in other sizes.
fn fill_labels(pieces: &mut [(&[Entity], Labels)]) {
    let mut known: BTreeMap<String, Labels> = BTreeMap::new();
    for (_, labels) in pieces.iter() {
        known.entry(labels.piece.clone()).or_default().fill(labels);
    }
    for (_, labels) in pieces.iter_mut() {
        if let Some(full) = known.get(&labels.piece) {
            labels.fill(full);
        }
    }
}

/// A style text of the entities, or of any block.
pub(super) fn style(drawing: &Drawing, key: &str) -> Option<String> {
    let blocks = drawing.blocks.iter().flat_map(|block| &block.entities);
    let texts = drawing.entities.iter().chain(blocks).flat_map(Entity::texts);
    texts.filter_map(|text| value_of(text, key)).map(str::to_owned).find(|value| !value.is_empty())
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
