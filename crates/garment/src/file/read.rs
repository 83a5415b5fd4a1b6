//! Reads a `pattern.toml`.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use toml::de::DeTable;

use super::placement::{around_word, placement};
use super::value::{Finding, Found, Table, Value, list, number, point, points, text};
use super::{MOST_BYTES, PatternFileError, Unit};
use crate::check::{MOST_EDGES, MOST_HOLES, MOST_PANELS, Mended, SAME, mend};
use crate::curve::Curve;
use crate::dart::Dart;
use crate::fault::{Fault, Problem};
use crate::pattern::{Cut, Edge, EdgeRef, InternalLine, Mark, Notch, Panel, Pattern, Seam};
use crate::placement::Placement;
use crate::role::{Part, Side};

const TOP: [&str; 4] = ["name", "unit", "panel", "seam"];
const PANEL: [&str; 16] = [
    "name",
    "part",
    "side",
    "fold",
    "pair",
    "quantity",
    "layer",
    "fabric",
    "grain",
    "edges",
    "darts",
    "notches",
    "holes",
    "lines",
    "marks",
    "placement",
];
const EDGE: [&str; 7] = ["name", "from", "to", "quadratic", "cubic", "arc", "points"];
const SEAM: [&str; 5] = ["name", "a", "b", "ratio", "fold_deg"];
const NOTCH: [&str; 2] = ["edge", "at"];
const LINE: [&str; 2] = ["name", "points"];
const MARK: [&str; 2] = ["name", "at"];
const DART: [&str; 5] = ["name", "edge", "at", "width", "length"];

/// The keys of all tables of a file but placements.
#[cfg(test)]
pub(super) const ALL_KEYS: [&[&str]; 8] = [&TOP, &PANEL, &EDGE, &SEAM, &NOTCH, &LINE, &MARK, &DART];

/// Reads a pattern; `file` stands in messages for the text.
///
/// ```
/// use toile_garment::file::from_toml;
/// let text = "[[panel]]\nname = \"p\"\nedges = [{ name = \"a\", from = [0, 0] }, { nam = \"b\", from = [1, 0] }]";
/// let error = from_toml("p.toml", text).unwrap_err();
/// assert_eq!(error.to_string(), "p.toml:3:43: unknown key `nam` in an edge");
/// ```
pub fn from_toml(file: &str, text: &str) -> Result<Mended, PatternFileError> {
    parse(text).map_err(|finding| PatternFileError::at(file, text, finding))
}

/// Reads a pattern file.
pub fn load(path: impl AsRef<Path>) -> Result<Mended, PatternFileError> {
    let (file, bytes) = read_bytes(path.as_ref())?;
    let text = String::from_utf8(bytes).map_err(|_| PatternFileError::Read {
        file: file.clone(),
        message: "is no UTF-8 text".to_owned(),
        help: "save it as UTF-8".to_owned(),
    })?;
    from_toml(&file, &text)
}

/// The bytes of a file of at most [`MOST_BYTES`], with its name.
pub(crate) fn read_bytes(path: &Path) -> Result<(String, Vec<u8>), PatternFileError> {
    let file = path.display().to_string();
    let fail = |message: String, help: &str| PatternFileError::Read { file: file.clone(), message, help: help.into() };
    let unreadable = |error: std::io::Error| fail(format!("cannot be read: {error}"), "check its name and rights");
    let mut bytes = Vec::new();
    let opened = File::open(path).map_err(unreadable)?;
    opened.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MOST_BYTES {
        return Err(fail(format!("larger than {MOST_BYTES} bytes"), "a pattern needs some kilobytes only"));
    }
    Ok((file, bytes))
}

/// Where panels, edges and seams stand in the text.
#[derive(Default)]
struct Places {
    panels: Vec<(String, Range<usize>, NamedSpans)>,
    seams: NamedSpans,
}

fn parse(text: &str) -> Found<Mended> {
    let (root, errors) = DeTable::parse_recoverable(text);
    if let Some(error) = errors.first() {
        let span = error.span().unwrap_or(0..0);
        return Err(Finding::new(span, error.message(), "see toml.io for how TOML is written"));
    }
    let root = Table { table: root.get_ref(), span: 0..0 };
    root.only("a pattern", &TOP)?;
    let scale = match root.get("unit") {
        None => 1.0,
        Some(value) => {
            let sign = self::text(value)?;
            let unit = Unit::ALL.into_iter().find(|unit| unit.sign() == sign);
            let unknown =
                || Finding::new(value.span(), format!("unknown unit `{sign}`"), "choose \"m\", \"cm\" or \"mm\"");
            unit.ok_or_else(unknown)?.per_metre()
        }
    };
    let mut pattern = Pattern { name: root.text("name")?.unwrap_or_default(), ..Pattern::default() };
    let mut places = Places::default();
    let (mut darts, mut old_words) = (Vec::new(), Vec::new());
    for value in root.list("panel")? {
        let table = Table::of(value, "a panel", &PANEL)?;
        let number = pattern.panels.len();
        let (panel, edges) = panel(&table, scale)?;
        let mut note = |key: &'static str, old: Option<String>, new: &'static str| {
            let is_old = |old: &String| old != new;
            let fault = |old| Fault::new(Problem::OldWord { key, old, new }).on(&panel.name, "");
            old_words.extend(old.filter(is_old).map(fault));
        };
        note("part", table.text("part")?, panel.part.word());
        if let Some(Placement::Around(around)) = &panel.placement {
            note("around", table.get("placement").and_then(around_word), around.limb.word());
        }
        places.panels.push((panel.name.clone(), table.span.clone(), edges));
        for dart in table.list("darts")? {
            darts.push((number, dart));
        }
        pattern.panels.push(panel);
    }
    if pattern.panels.len() > MOST_PANELS || darts.len() > MOST_HOLES {
        let message = format!("more than {MOST_PANELS} panels or {MOST_HOLES} darts");
        return Err(Finding::new(0..0, message, "simplify the pattern, or split it into several"));
    }
    for (number, value) in darts {
        dart(&mut pattern, number, value, scale)?;
    }
    for value in root.list("seam")? {
        let seam = seam(&pattern, value)?;
        places.seams.push((seam.name.clone(), value.span()));
        pattern.seams.push(seam);
    }
    if pattern.panels.is_empty() {
        return Err(Finding::new(0..0, "there is no panel", "add a `[[panel]]`"));
    }
    let mut mended = mend(pattern).map_err(|error| {
        let fault = &error.faults[0];
        Finding::new(place(&places, fault), fault.to_string(), fault.problem.help())
    })?;
    old_words.append(&mut mended.repairs);
    mended.repairs = old_words;
    Ok(mended)
}

/// The place of the edge, panel or seam of a fault.
fn place(places: &Places, fault: &Fault) -> Range<usize> {
    if let Some(seam) = &fault.seam
        && let Some((_, span)) = places.seams.iter().find(|(name, _)| name == seam)
    {
        return span.clone();
    }
    let Some((_, span, edges)) = places.panels.iter().find(|(name, ..)| Some(name) == fault.panel.as_ref()) else {
        return 0..0;
    };
    edges
        .iter()
        .find(|(name, _)| Some(name) == fault.edge.as_ref())
        .map_or_else(|| span.clone(), |(_, span)| span.clone())
}

type NamedSpans = Vec<(String, Range<usize>)>;

fn panel(table: &Table<'_, '_>, scale: f64) -> Found<(Panel, NamedSpans)> {
    let mut spans = Vec::new();
    let outline = edges(table.need("edges")?, scale, &mut spans)?;
    let mut panel = Panel::new(text(table.need("name")?)?, outline);
    panel.part = word(table, "part", Part::from_word, Part::ALL.iter().map(|part| part.word()))?.unwrap_or(Part::Other);
    panel.side = word(table, "side", Side::from_word, Side::ALL.iter().map(|side| side.word()))?.unwrap_or(Side::Both);
    panel.fabric = table.text("fabric")?.unwrap_or_default();
    // Out of range, both saturate and are refused by the check.
    panel.quantity = table.whole_number("quantity")?.unwrap_or(1.0) as u32;
    panel.layer = table.whole_number("layer")?.unwrap_or(0.0) as i32;
    let pair = table.flag("pair")?;
    panel.cut = match (table.text("fold")?, pair) {
        (Some(_), true) => {
            return Err(Finding::new(
                table.span.clone(),
                "a panel is on the fold or a pair, not both",
                "leave one out",
            ));
        }
        (Some(fold), false) => Cut::Fold(fold),
        (None, true) => Cut::Pair,
        (None, false) => Cut::Single,
    };
    for hole in table.list("holes")? {
        panel.holes.push(edges(hole, scale, &mut spans)?);
    }
    if let Some(value) = table.get("grain") {
        let ends = points(value, scale)?;
        let wrong = || Finding::new(value.span(), "a grainline has two ends", "write `[[x, y], [x, y]]`");
        panel.grain = ends.try_into().map_err(|_| wrong())?;
    }
    marks(&mut panel, table, scale)?;
    if let Some(value) = table.get("placement") {
        panel.placement = Some(placement(value, scale)?);
    }
    Ok((panel, spans))
}

fn marks(panel: &mut Panel, table: &Table<'_, '_>, scale: f64) -> Found<()> {
    for value in table.list("notches")? {
        let notch = Table::of(value, "a notch", &NOTCH)?;
        let edge = find_edge(panel, notch.need("edge")?)?;
        panel.notches.push(Notch { edge, at: number(notch.need("at")?)? });
    }
    for value in table.list("lines")? {
        let line = Table::of(value, "a line", &LINE)?;
        let name = line.text("name")?.unwrap_or_default();
        panel.lines.push(InternalLine { name, points: points(line.need("points")?, scale)? });
    }
    for value in table.list("marks")? {
        let mark = Table::of(value, "a mark", &MARK)?;
        panel.marks.push(Mark { name: text(mark.need("name")?)?, at: point(mark.need("at")?, scale)? });
    }
    Ok(())
}

fn word<T>(
    table: &Table<'_, '_>,
    key: &str,
    find: impl Fn(&str) -> Option<T>,
    known: impl Iterator<Item = &'static str>,
) -> Found<Option<T>> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let word = text(value)?;
    let unknown = || {
        let known: Vec<&str> = known.collect();
        Finding::new(value.span(), format!("`{key}` has no value `{word}`"), format!("known: {}", known.join(", ")))
    };
    find(&word).ok_or_else(unknown).map(Some)
}

fn find_edge(panel: &Panel, value: Value<'_, '_>) -> Found<usize> {
    let name = text(value)?;
    let known = || panel.edges().map(|edge| edge.name.as_str()).take(20).collect::<Vec<_>>().join(", ");
    panel.find(&name).ok_or_else(|| {
        let fault = Fault::new(Problem::MissingEdge { edge: name.clone() }).on(&panel.name, "");
        Finding::new(value.span(), fault.to_string(), format!("known: {}", known()))
    })
}

fn edges(value: Value<'_, '_>, scale: f64, spans: &mut NamedSpans) -> Found<Vec<Edge>> {
    let items = list(value)?;
    if items.len() > MOST_EDGES {
        return Err(Finding::new(value.span(), format!("more than {MOST_EDGES} edges"), "simplify the panel"));
    }
    let mut edges = Vec::new();
    let mut ends = Vec::new();
    for item in items {
        let table = Table::of(item, "an edge", &EDGE)?;
        let name = text(table.need("name")?)?;
        let curves = ["quadratic", "cubic", "arc", "points"].map(|key| table.get(key).map(|value| (key, value)));
        let mut given = curves.into_iter().flatten();
        let curve = match given.next() {
            None => Curve::Line,
            Some(("quadratic", value)) => Curve::Quadratic(point(value, scale)?),
            Some(("cubic", value)) => match points(value, scale)?.as_slice() {
                [c0, c1] => Curve::Cubic(*c0, *c1),
                _ => {
                    return Err(Finding::new(
                        value.span(),
                        "a cubic has two control points",
                        "write `[[x, y], [x, y]]`",
                    ));
                }
            },
            Some(("arc", value)) => Curve::Arc(number(value)?),
            Some((_, value)) => Curve::Points(points(value, scale)?),
        };
        if given.next().is_some() {
            return Err(Finding::new(item.span(), format!("edge `{name}` is two curves at once"), "leave one out"));
        }
        ends.push(table.get("to").map(|value| Ok((point(value, scale)?, value.span()))).transpose()?);
        spans.push((name.clone(), item.span()));
        edges.push(Edge::new(name, point(table.need("from")?, scale)?, curve));
    }
    for (i, end) in ends.into_iter().enumerate() {
        let Some((end, span)) = end else { continue };
        let gap = end.distance(edges[(i + 1) % edges.len()].start);
        if gap > SAME {
            let fault = Fault::new(Problem::Open { gap });
            return Err(Finding::new(
                span,
                format!("edge `{}`: {}", edges[i].name, fault.problem),
                fault.problem.help(),
            ));
        }
    }
    Ok(edges)
}

fn dart(pattern: &mut Pattern, panel: usize, value: Value<'_, '_>, scale: f64) -> Found<()> {
    let table = Table::of(value, "a dart", &DART)?;
    let edge = find_edge(&pattern.panels[panel], table.need("edge")?)?;
    let name = table.text("name")?.unwrap_or_else(|| format!("dart{}", pattern.seams.len() + 1));
    let dart = Dart {
        name,
        at: number(table.need("at")?)?,
        width: number(table.need("width")?)? / scale,
        length: number(table.need("length")?)? / scale,
    };
    pattern
        .cut_dart(panel, edge, &dart)
        .map_err(|fault| Finding::new(value.span(), fault.to_string(), fault.problem.help()))
}

fn seam(pattern: &Pattern, value: Value<'_, '_>) -> Found<Seam> {
    let table = Table::of(value, "a seam", &SEAM)?;
    let chain = |key: &str| -> Found<Vec<EdgeRef>> {
        let value = table.need(key)?;
        // One edge may stand without brackets.
        let one = value.get_ref().as_str().is_some();
        if one {
            Ok(vec![edge_ref(pattern, value)?])
        } else {
            list(value)?.iter().map(|item| edge_ref(pattern, item)).collect()
        }
    };
    let mut seam = Seam::new(text(table.need("name")?)?, chain("a")?, chain("b")?);
    seam.ratio = table.number("ratio")?;
    seam.fold_angle = table.number("fold_deg")?.unwrap_or(0.0).to_radians();
    Ok(seam)
}

/// The edge `panel.edge`; either name may have dots in it.
fn edge_ref(pattern: &Pattern, value: Value<'_, '_>) -> Found<EdgeRef> {
    let name = text(value)?;
    let split = |(at, _): (usize, &str)| pattern.edge(&name[..at], &name[at + 1..]);
    name.match_indices('.').find_map(split).ok_or_else(|| {
        let panel = name.split('.').next().and_then(|panel| pattern.find(panel)).map(|panel| &pattern.panels[panel]);
        let known = match panel {
            Some(panel) => {
                panel.edges().map(|edge| format!("{}.{}", panel.name, edge.name)).take(20).collect::<Vec<_>>()
            }
            None => pattern.panels.iter().map(|panel| format!("{}.…", panel.name)).take(20).collect(),
        };
        let problem = Problem::MissingEdge { edge: name.clone() };
        Finding::new(value.span(), problem.to_string(), format!("known: {}", known.join(", ")))
    })
}

/// Adds the seams of a side file, which has the `[[seam]]` tables of a `pattern.toml` and nothing else, to a pattern.
pub fn sew_from_toml(pattern: &Pattern, file: &str, text: &str) -> Result<Mended, PatternFileError> {
    let sew = || -> Found<Mended> {
        let (root, errors) = DeTable::parse_recoverable(text);
        if let Some(error) = errors.first() {
            let span = error.span().unwrap_or(0..0);
            return Err(Finding::new(span, error.message(), "see toml.io for how TOML is written"));
        }
        let root = Table { table: root.get_ref(), span: 0..0 };
        root.only("a file of seams", &["seam"])?;
        let mut sewn = pattern.clone();
        let mut places = Places::default();
        for value in root.list("seam")? {
            let seam = seam(pattern, value)?;
            places.seams.push((seam.name.clone(), value.span()));
            sewn.seams.push(seam);
        }
        mend(sewn).map_err(|error| {
            let fault = &error.faults[0];
            Finding::new(place(&places, fault), fault.to_string(), fault.problem.help())
        })
    };
    sew().map_err(|finding| PatternFileError::at(file, text, finding))
}
