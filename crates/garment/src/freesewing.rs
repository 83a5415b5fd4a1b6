//! `FreeSewing` JSON, in: what `getRenderProps()` of a drafted pattern gives, or its parts alone.
//!
//! | there | here |
//! |---|---|
//! | `parts`: a list of objects or one object, part by name; or `stacks` by name, each with its list of `parts`; hidden ones are passed over | panels |
//! | `paths.seam.ops` (`move`, `line`, `curve`, `close`), mm, y down; else the largest closed path of class `fabric` | outline |
//! | hidden paths with both ends at corners of the outline | names of edges |
//! | paths of class `sa`, `lining`, `interfacing` | not read |
//! | other visible paths | internal lines |
//! | `snippets` with `def` `notch`, `bnotch` | notches, one or two; others are marks |
//! | cut list `{ cut, onFold, grain, cutOnFold }`, at the part or in `cutlist` by name of the part | pairs, folds, grainline |
//! | texts on points (`cut, 2, mirrored`), and titles | pairs and folds where there is no cut list; words for the part |
//! | paths named `cutonfold`, `grainline` | fold and grainline where the cut list says nothing |
//!
//! Seams come from a side file, or are proposed.

use std::path::Path;

use kurbo::{Point, Vec2};
use serde_json::{Map, Value};

use crate::check::{MOST_HOLES, MOST_PANELS, mend, signed_area};
use crate::curve::{Curve, Segment};
use crate::drawn::DrawnPattern;
use crate::file::{PatternFileError, read_bytes};
use crate::pattern::{InternalLine, Mark, Pattern};
use crate::sketch::{DrawnNotch, Sketch};

/// Most operations of a path.
const MOST_OPERATIONS: usize = 20_000;

type Found<T> = Result<T, String>;

/// Whether JSON is `FreeSewing`'s: it has `parts` or `stacks`, and no `pattern` as `GarmentCode` has.
pub fn is_freesewing(bytes: &[u8]) -> bool {
    let root: Result<Value, _> = serde_json::from_slice(bytes);
    root.is_ok_and(|root| {
        ["parts", "stacks"].iter().any(|key| root.get(*key).is_some()) && root.get("pattern").is_none()
    })
}

/// Reads a file.
pub fn load(path: impl AsRef<Path>) -> Result<DrawnPattern, PatternFileError> {
    let (file, bytes) = read_bytes(path.as_ref())?;
    from_json(&file, &bytes)
}

/// Reads a pattern from bytes; `file` stands in messages for them.
pub fn from_json(file: &str, bytes: &[u8]) -> Result<DrawnPattern, PatternFileError> {
    let fail = |message: String| PatternFileError::Read {
        file: file.to_owned(),
        message,
        help: "write `JSON.stringify(pattern.getRenderProps())` again; see docs/pattern.md for what is read".to_owned(),
    };
    let root: Value = serde_json::from_slice(bytes).map_err(|error| fail(format!("is no JSON: {error}")))?;
    let stem = Path::new(file).file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let name = ["design", "name"].iter().find_map(|key| root.get(*key)?.as_str()).unwrap_or(&stem).to_owned();
    let mut notes = Vec::new();
    let mut pattern = Pattern { name: name.clone(), ..Pattern::default() };
    let mut said = Vec::new();
    for (part, value) in parts(&root).map_err(fail)? {
        let at = format!("parts.{part}");
        if is_true(value.get("hidden")) {
            continue;
        }
        let Some(sketch) = sketch(&root, &part, value, &at).map_err(fail)? else {
            notes.push(format!("{part}: it has no closed path, and was left out"));
            continue;
        };
        said.push(sketch.said());
        let mut panel = sketch.panel(&name, &mut notes);
        while pattern.find(&panel.name).is_some() {
            panel.name.push('\'');
        }
        pattern.panels.push(panel);
        if pattern.panels.len() > MOST_PANELS {
            return Err(fail(format!("has more than {MOST_PANELS} parts")));
        }
    }
    if pattern.panels.is_empty() {
        return Err(fail("has no part with a closed path".to_owned()));
    }
    let mended = mend(pattern).map_err(|error| PatternFileError::of_fault(file, &error))?;
    Ok(DrawnPattern { pattern: mended.pattern, repairs: mended.repairs, notes, said, is_stated: false })
}

/// Parts with their names, in the order of the file.
fn parts(root: &Value) -> Found<Vec<(String, &Map<String, Value>)>> {
    if let Some(stacks) = root.get("stacks").and_then(Value::as_object) {
        let mut found = Vec::new();
        for (name, stack) in stacks {
            let parts = stack.get("parts").and_then(Value::as_array);
            let parts = parts.ok_or_else(|| format!("stacks.{name}.parts: a list is expected"))?;
            found.extend(parts.iter().filter_map(Value::as_object).map(|part| (name.clone(), part)));
        }
        return Ok(found);
    }
    let value = root.get("parts").ok_or("`parts` is missing")?;
    let objects: Vec<&Map<String, Value>> = match value {
        Value::Array(sets) => sets.iter().filter_map(Value::as_object).collect(),
        Value::Object(parts) => vec![parts],
        _ => return Err("`parts` is neither a list nor an object".to_owned()),
    };
    let mut found = Vec::new();
    for (name, part) in objects.iter().flat_map(|parts| parts.iter()) {
        let part = part.as_object().ok_or_else(|| format!("parts.{name}: an object is expected"))?;
        found.push((name.clone(), part));
    }
    Ok(found)
}

fn is_true(value: Option<&Value>) -> bool {
    value.and_then(Value::as_bool).unwrap_or(false)
}

/// The name of a part without that of its design.
fn short(part: &str) -> &str {
    part.rsplit_once('.').map_or(part, |(_, name)| name)
}

fn point(value: Option<&Value>, at: &str) -> Found<Point> {
    let number = |key: &str| {
        let number = value.and_then(|value| value.get(key)).and_then(Value::as_f64).filter(|number| number.is_finite());
        number.ok_or_else(|| format!("{at}.{key}: a finite number is expected"))
    };
    Ok(Point::new(1e-3 * number("x")?, -1e-3 * number("y")?))
}

/// Reads the operations of a path; whether it is closed is told too. Only the first connected part counts.
fn segments(path: &Value, at: &str) -> Found<(Vec<Segment>, bool)> {
    let Some(operations) = path.get("ops").and_then(Value::as_array) else { return Ok((Vec::new(), false)) };
    if operations.len() > MOST_OPERATIONS {
        return Err(format!("{at}.ops: at most {MOST_OPERATIONS} operations are taken"));
    }
    let (mut segments, mut start, mut here) = (Vec::new(), Point::ZERO, Point::ZERO);
    for (i, operation) in operations.iter().enumerate() {
        let at = format!("{at}.ops[{i}]");
        let kind =
            operation.get("type").and_then(Value::as_str).ok_or_else(|| format!("{at}.type: a word is expected"))?;
        let to = |key: &str| point(operation.get(key), &format!("{at}.{key}"));
        match kind {
            "move" => {
                if !segments.is_empty() {
                    break;
                }
                start = to("to")?;
                here = start;
            }
            "line" | "curve" => {
                let end = to("to")?;
                let curve = if kind == "line" { Curve::Line } else { Curve::Cubic(to("cp1")?, to("cp2")?) };
                if end.distance(here) > 1e-7 {
                    segments.push(Segment::new(here, curve, end));
                    here = end;
                }
            }
            "close" => {
                if here.distance(start) > 1e-7 {
                    segments.push(Segment::new(here, Curve::Line, start));
                } else if let Some(last) = segments.last_mut() {
                    last.end = start;
                }
                return Ok((segments, true));
            }
            "noop" => {}
            other => return Err(format!("{at}.type: `{other}` is no operation of a path")),
        }
    }
    let is_closed = segments.len() > 1 && here.distance(start) < 5e-4;
    if is_closed && let Some(last) = segments.last_mut() {
        last.end = start;
    }
    Ok((segments, is_closed))
}

/// The classes of a path.
fn classes(path: &Value) -> Vec<String> {
    let list = path.get("attributes").map(|attributes| attributes.get("list").unwrap_or(attributes));
    let value = list.and_then(|list| list.get("class"));
    let texts: Vec<&str> = match value {
        Some(Value::String(text)) => vec![text.as_str()],
        Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    texts.iter().flat_map(|text| text.split_whitespace()).map(str::to_lowercase).collect()
}

fn area(ring: &[Segment]) -> f64 {
    let mut points = Vec::new();
    for segment in ring {
        segment.flatten(1e-4, &mut points);
    }
    signed_area(&points).abs()
}

fn sketch(root: &Value, part: &str, value: &Map<String, Value>, at: &str) -> Found<Option<Sketch>> {
    let mut sketch = Sketch { name: short(part).to_owned(), ..Sketch::default() };
    let empty = Map::new();
    let paths = value.get("paths").and_then(Value::as_object).unwrap_or(&empty);
    let mut outline: Option<(String, Vec<Segment>)> = None;
    for (name, path) in paths {
        let (ring, is_closed) = segments(path, &format!("{at}.paths.{name}"))?;
        let classes = classes(path);
        let has = |class: &str| classes.iter().any(|own| own == class);
        if is_true(path.get("hidden")) || !is_closed || has("sa") || has("lining") || has("interfacing") {
            continue;
        }
        let is_better = match &outline {
            None => true,
            Some((best, _)) if best == "seam" => false,
            Some((_, other)) => name == "seam" || area(&ring) > area(other),
        };
        if is_better && (name == "seam" || has("fabric") || classes.is_empty()) {
            outline = Some((name.clone(), ring));
        }
    }
    let Some((chosen, ring)) = outline else { return Ok(None) };
    sketch.outline = ring;
    for (name, path) in paths.iter().filter(|(name, _)| **name != chosen) {
        add_path(&mut sketch, name, path, &format!("{at}.paths.{name}"))?;
    }
    if let Some(snippets) = value.get("snippets").and_then(Value::as_object) {
        for (name, snippet) in snippets.iter().take(MOST_HOLES) {
            add_snippet(&mut sketch, name, snippet, &format!("{at}.snippets.{name}"))?;
        }
    }
    for text in texts(value) {
        sketch.read_words(&text);
    }
    if let Some(list) = cut_list(root, part, value) {
        read_cut_list(&mut sketch, list, at)?;
    }
    Ok(Some(sketch))
}

/// What is written at the points of a part.
fn texts(part: &Map<String, Value>) -> Vec<String> {
    let points = part.get("points").and_then(Value::as_object);
    let mut texts = Vec::new();
    for point in points.into_iter().flat_map(Map::values) {
        let words = match point.pointer("/attributes/list/data-text") {
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            Some(Value::String(word)) => word.clone(),
            _ => continue,
        };
        texts.push(words);
    }
    texts
}

fn add_path(sketch: &mut Sketch, name: &str, path: &Value, at: &str) -> Found<()> {
    let (line, is_closed) = segments(path, at)?;
    let (Some(first), Some(last)) = (line.first(), line.last()) else { return Ok(()) };
    let ends = [first.start, last.end];
    let (lower, classes) = (name.to_lowercase(), classes(path));
    if lower.contains("cutonfold") {
        sketch.fold = Some(ends);
    } else if lower.contains("grainline") {
        sketch.grain = Some(ends);
    } else if is_true(path.get("hidden")) {
        if !is_closed {
            sketch.named.push((name.to_owned(), ends));
        }
    } else if !classes.iter().any(|class| matches!(class.as_str(), "sa" | "help" | "hidden" | "lining" | "interfacing"))
        && !is_closed
        && sketch.lines.len() < MOST_HOLES
    {
        let mut points = Vec::new();
        for segment in &line {
            segment.flatten(1e-5, &mut points);
        }
        points.push(ends[1]);
        sketch.lines.push(InternalLine { name: name.to_owned(), points });
    }
    Ok(())
}

fn add_snippet(sketch: &mut Sketch, name: &str, snippet: &Value, at: &str) -> Found<()> {
    let place = point(snippet.get("anchor"), &format!("{at}.anchor"))?;
    match snippet.get("def").and_then(Value::as_str).unwrap_or_default() {
        "notch" => sketch.notches.push(DrawnNotch { at: place, is_double: false }),
        "bnotch" => sketch.notches.push(DrawnNotch { at: place, is_double: true }),
        "logo" => {}
        _ => sketch.marks.push(Mark { name: name.to_owned(), at: place }),
    }
    Ok(())
}

/// The cut list of a part: its own, or that of its name in the file's.
fn cut_list<'v>(root: &'v Value, part: &str, value: &'v Map<String, Value>) -> Option<&'v Value> {
    let own = ["cut", "cutlist", "cutList"].iter().find_map(|key| value.get(*key).filter(|list| list.is_object()));
    let sets = ["cutlist", "cutList", "stores", "setStores"].iter().filter_map(|key| root.get(*key));
    let mut lists = sets.flat_map(|set| match set {
        Value::Array(stores) => stores.iter().filter_map(|store| store.get("cutlist")).collect::<Vec<_>>(),
        other => vec![other],
    });
    own.or_else(|| lists.find_map(|list| list.get(part).or_else(|| list.get(short(part)))))
}

fn read_cut_list(sketch: &mut Sketch, list: &Value, at: &str) -> Found<()> {
    // Counts stand in the list itself or, by material, in its first entry.
    let by_material = list.get("materials").and_then(|materials| {
        let fabric = materials.get("fabric").or_else(|| materials.as_object()?.values().next())?;
        fabric.as_array().and_then(|entries| entries.first()).or(Some(fabric))
    });
    let get = |key: &str| list.get(key).or_else(|| by_material.and_then(|entry| entry.get(key)));
    if let Some(count) = get("cut").and_then(Value::as_u64) {
        sketch.count = u32::try_from(count).ok().filter(|count| (1..=1000).contains(count));
    }
    sketch.on_fold = is_true(get("onFold"));
    if let Some(ends) = list.get("cutOnFold").and_then(Value::as_array).filter(|ends| ends.len() == 2) {
        let at = format!("{at}, cutOnFold");
        sketch.fold = Some([point(ends.first(), &at)?, point(ends.get(1), &at)?]);
        sketch.on_fold = true;
    }
    if let Some(degrees) = list.get("grain").and_then(Value::as_f64).filter(|degrees| degrees.is_finite())
        && let Some(first) = sketch.outline.first()
    {
        let middle = sketch.outline.iter().fold(first.start, |sum, segment| sum.midpoint(segment.end));
        let along = 0.1 * Vec2::from_angle(degrees.to_radians());
        sketch.grain = Some([middle - along, middle + along]);
    }
    Ok(())
}
