//! Reads `GarmentCode` JSON.

use std::path::Path;

use kurbo::{Affine, Point, Vec2};
use serde_json::Value;
use toile_mesh::{DMat3, DVec3};

use super::json::{Found, get, index, list, number, numbers};
use super::names::{covers, sides};
use super::own;
use super::stitches::{Stitch, sew};
use crate::check::{MOST_EDGES, MOST_PANELS, Mended, mend, signed_area};
use crate::curve::{Curve, Segment};
use crate::fault::Fault;
use crate::file::{PatternFileError, read_bytes};
use crate::pattern::{Edge, EdgeRef, Panel, Pattern};
use crate::placement::{Placement, Stand};
use crate::role::{Part, Side};

/// Reads a pattern from the bytes of a `specification.json`; `file` stands in messages for them.
pub fn from_json(file: &str, bytes: &[u8]) -> Result<Mended, PatternFileError> {
    let fail = |message: String| PatternFileError::Read {
        file: file.to_owned(),
        message,
        help: "export the pattern again; see docs/pattern.md for what is read".to_owned(),
    };
    let root: Value = serde_json::from_slice(bytes).map_err(|error| fail(format!("is no JSON: {error}")))?;
    let (pattern, mut reversed) = pattern(&root).map_err(fail)?;
    let mut mended = mend(pattern).map_err(|error| PatternFileError::of_fault(file, &error))?;
    reversed.append(&mut mended.repairs);
    mended.repairs = reversed;
    Ok(mended)
}

/// Reads a `specification.json`. A pattern without a name is called like its file.
pub fn load(path: impl AsRef<Path>) -> Result<Mended, PatternFileError> {
    let (file, bytes) = read_bytes(path.as_ref())?;
    let mut mended = from_json(&file, &bytes)?;
    if mended.pattern.name.is_empty() {
        let stem = path.as_ref().file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        mended.pattern.name = stem;
    }
    Ok(mended)
}

/// How the edges of a panel in the file became edges here.
struct Numbers {
    /// Edge of the file → edge here.
    edge: Vec<usize>,
}

fn pattern(root: &Value) -> Found<(Pattern, Vec<Fault>)> {
    let spec = root.get("pattern").ok_or(
        "it is neither a specification of GarmentCode, which has `pattern`, nor what FreeSewing draws, which has `stacks`",
    )?;
    let properties = root.get("properties");
    let setting = |key: &str| properties.and_then(|properties| properties.get(key));
    let per_metre = setting("units_in_meter").map_or(Ok(100.0), |value| number(value, "units_in_meter"))?;
    if per_metre <= 0.0 {
        return Err("units_in_meter must be positive".to_owned());
    }
    let relative = setting("curvature_coords").and_then(Value::as_str).unwrap_or("relative") == "relative";
    let panels = get(spec, "panels", "pattern")?.as_object().ok_or("`panels` must be an object")?;
    if panels.len() > MOST_PANELS {
        return Err(format!("{} panels, at most {MOST_PANELS} are taken", panels.len()));
    }
    let mut pattern =
        Pattern { name: root.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(), ..Pattern::default() };
    let (mut renumbered, mut whole_edges) = (Vec::new(), Vec::new());
    // The order of the file where it states one; else by name, as JSON objects have no order.
    let order = spec.get("panel_order").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let stated: Vec<&str> = order.iter().filter_map(Value::as_str).filter(|name| panels.contains_key(*name)).collect();
    let mut names: Vec<&str> = Vec::new();
    for name in stated.into_iter().chain(panels.keys().map(String::as_str)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let (panel, numbers) = panel(name, &panels[name], per_metre, relative)?;
        let is_in_order = numbers.edge.iter().enumerate().all(|(i, number)| i == *number);
        let edges = panels[name].get(OWN).and_then(|own| own.get("edges")).filter(|_| is_in_order);
        whole_edges.push(edges.cloned());
        pattern.panels.push(panel);
        renumbered.push(numbers);
    }
    if pattern.panels.is_empty() {
        return Err("there is no panel".to_owned());
    }
    let listed = spec.get("stitches").map_or(Ok(&[][..]), |value| list(value, "stitches"))?;
    if listed.len() > 10 * MOST_PANELS {
        return Err(format!("{} stitches, at most {} are taken", listed.len(), 10 * MOST_PANELS));
    }
    let mut stitches = Vec::new();
    for (i, value) in listed.iter().enumerate() {
        stitches.push(stitch(&pattern, &renumbered, value, &format!("stitch {i}"))?);
    }
    let (repairs, is_own) = sew(&mut pattern, &stitches, root.get(OWN));
    if is_own {
        own::join(&mut pattern, &whole_edges);
    }
    Ok((pattern, repairs))
}

/// What Toile writes beside the keys of the format.
pub(super) const OWN: &str = "toile";

/// Two edges that are sewn together. A third entry, `"right_wrong"`, says that the outer side of one meets the inner side of the other.
fn stitch(pattern: &Pattern, renumbered: &[Numbers], value: &Value, at: &str) -> Found<Stitch> {
    let [a, b, rest @ ..] = list(value, at)? else { return Err(format!("{at}: two edges are expected")) };
    let side = |value: &Value| -> Found<EdgeRef> {
        let name = get(value, "panel", at)?.as_str().unwrap_or_default();
        let panel = pattern.find(name).ok_or_else(|| format!("{at}: there is no panel `{name}`"))?;
        let numbers = &renumbered[panel];
        let edge = index(get(value, "edge", at)?, numbers.edge.len(), &format!("{at}, panel `{name}`, edge"))?;
        Ok(EdgeRef { panel, edge: numbers.edge[edge] })
    };
    let turns = (rest.first().and_then(Value::as_str) == Some("right_wrong")).then_some(true);
    Ok(Stitch { ends: [side(a)?, side(b)?], turns })
}

fn panel(name: &str, value: &Value, per_metre: f64, relative: bool) -> Found<(Panel, Numbers)> {
    let at = format!("panel `{name}`");
    let vertices = list(get(value, "vertices", &at)?, &at)?;
    let edges = list(get(value, "edges", &at)?, &at)?;
    if edges.len().max(vertices.len()) > MOST_EDGES {
        return Err(format!("{at}: more than {MOST_EDGES} edges"));
    }
    let point = |[x, y]: [f64; 2]| Point::new(x / per_metre, y / per_metre);
    let corners = vertices.iter().map(|vertex| numbers(vertex, &at).map(point)).collect::<Found<Vec<Point>>>()?;
    let mut drawn = Vec::new();
    for (i, edge) in edges.iter().enumerate() {
        let at = format!("{at}, edge {i}");
        let ends = list(get(edge, "endpoints", &at)?, &at)?;
        let [from, to] = ends else { return Err(format!("{at}: two endpoints are expected")) };
        let ends = [index(from, corners.len(), &at)?, index(to, corners.len(), &at)?];
        let [start, end] = ends.map(|vertex| corners[vertex]);
        let curve = match edge.get("curvature") {
            None | Some(Value::Null) => Curve::Line,
            Some(value) => curvature(value, start, end, per_metre, relative, &at)?,
        };
        let label = edge.get("label").and_then(Value::as_str).filter(|label| !label.is_empty());
        drawn.push(Drawn { ends, curve, start, name: label.map_or_else(|| format!("edge_{i}"), str::to_owned) });
    }
    let pieces = |edge: &Drawn| Segment::new(edge.start, edge.curve.clone(), corners[edge.ends[1]]).piece_count(1e-4);
    if drawn.iter().map(pieces).sum::<usize>() > MOST_EDGES {
        return Err(format!("{at}: curves of more than {MOST_EDGES} straight pieces; check the unit"));
    }
    unique_names(&mut drawn);
    let (loops, numbers) = chain(&drawn, &at)?;
    let mut loops = loops.into_iter();
    let mut panel = Panel::new(name, loops.next().ok_or_else(|| format!("{at}: there are no edges"))?);
    panel.holes = loops.collect();
    let three = |key: &str| value.get(key).map_or(Ok([0.0; 3]), |value| self::numbers::<3>(value, &at));
    let (translation, rotation) = (three("translation")?, three("rotation")?);
    if value.get("translation").is_some() {
        let translation = translation.map(|x| x / per_metre);
        panel.placement = Some(Placement::About(Stand { translation, rotation: rotation.map(f64::to_radians) }));
    }
    panel.grain = panel.vertical_grain();
    let area = signed_area(&Panel::flatten(&panel.outline, 1e-4));
    if area < 0.0 {
        show_outer_side(&mut panel);
    }
    let outwards = match panel.placement {
        Some(Placement::About(stand)) => stand.matrix().z_axis,
        _ => DVec3::ZERO,
    };
    panel.part = covers(name, value.get("label").and_then(Value::as_str).unwrap_or_default(), outwards);
    panel.side = sides(name);
    if let Some(own) = value.get(OWN) {
        take_own(&mut panel, own, &at)?;
    }
    Ok((panel, numbers))
}

/// An edge as the file has it.
struct Drawn {
    ends: [usize; 2],
    curve: Curve,
    start: Point,
    name: String,
}

/// Labels of `GarmentCode` name interfaces, which several edges share.
fn unique_names(drawn: &mut [Drawn]) {
    let mut seen = std::collections::BTreeSet::new();
    for edge in drawn {
        if !seen.insert(edge.name.clone()) {
            let mut k = 2;
            while seen.contains(&format!("{}_{k}", edge.name)) {
                k += 1;
            }
            edge.name = format!("{}_{k}", edge.name);
            seen.insert(edge.name.clone());
        }
    }
}

/// Follows edges from end to start into closed loops; the one of largest area is the outline.
fn chain(drawn: &[Drawn], at: &str) -> Found<(Vec<Vec<Edge>>, Numbers)> {
    let mut leaving: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for (i, edge) in drawn.iter().enumerate().rev() {
        leaving.entry(edge.ends[0]).or_default().push(i);
    }
    let mut used = vec![false; drawn.len()];
    let mut loops: Vec<Vec<usize>> = Vec::new();
    for first in 0..drawn.len() {
        if used[first] {
            continue;
        }
        let (mut ring, mut i) = (Vec::new(), first);
        loop {
            used[i] = true;
            ring.push(i);
            let end = drawn[i].ends[1];
            if end == drawn[first].ends[0] {
                break;
            }
            let ways = leaving.get(&end).map_or(&[][..], Vec::as_slice);
            i = ways.iter().rev().copied().find(|&way| !used[way]).ok_or_else(|| {
                format!(
                    "{at}: the outline is open after edge {i} (`{}`); let each edge start where the last one ends",
                    drawn[i].name
                )
            })?;
        }
        loops.push(ring);
    }
    let edge = |&i: &usize| Edge::new(drawn[i].name.clone(), drawn[i].start, drawn[i].curve.clone());
    let mut rings: Vec<(Vec<usize>, Vec<Edge>)> =
        loops.into_iter().map(|ring| (ring.clone(), ring.iter().map(edge).collect())).collect();
    let size = |edges: &[Edge]| signed_area(&Panel::flatten(edges, 1e-4)).abs();
    // Stable, so that loops of one size keep their order.
    rings.sort_by(|a, b| size(&b.1).total_cmp(&size(&a.1)));
    let mut numbers = vec![0; drawn.len()];
    rings.iter().flat_map(|(ring, _)| ring).enumerate().for_each(|(number, &i)| numbers[i] = number);
    Ok((rings.into_iter().map(|(_, edges)| edges).collect(), Numbers { edge: numbers }))
}

pub(super) fn curvature(
    value: &Value,
    start: Point,
    end: Point,
    per_metre: f64,
    relative: bool,
    at: &str,
) -> Found<Curve> {
    // The first versions of the format had a bare control point.
    let Some(kind) = value.get("type").and_then(Value::as_str) else {
        return Ok(Curve::Quadratic(control(numbers(value, at)?, start, end, per_metre, relative)));
    };
    let params = list(get(value, "params", at)?, at)?;
    let point = |value: &Value| Ok::<_, String>(control(numbers(value, at)?, start, end, per_metre, relative));
    match (kind, params) {
        ("quadratic", [c]) => Ok(Curve::Quadratic(point(c)?)),
        ("cubic", [c0, c1]) => Ok(Curve::Cubic(point(c0)?, point(c1)?)),
        ("circle", [radius, large, right]) => {
            let radius = number(radius, at)? / per_metre;
            let half = 0.5 * start.distance(end) / radius;
            if !(half > 0.0 && half <= 1.0 + 1e-6) {
                return Err(format!("{at}: no circle of this radius passes through both ends"));
            }
            let turn = 2.0 * half.min(1.0).asin();
            let turn = if number(large, at)? == 0.0 { turn } else { std::f64::consts::TAU - turn };
            // An arc that lies to the right of its edge turns left.
            let sign = if number(right, at)? == 0.0 { -1.0 } else { 1.0 };
            Ok(Curve::Arc(sign * (turn / 4.0).tan()))
        }
        _ => Err(format!("{at}: unknown curvature `{kind}`; known are quadratic, cubic and circle")),
    }
}

fn control([u, v]: [f64; 2], start: Point, end: Point, per_metre: f64, relative: bool) -> Point {
    if relative {
        let along = end - start;
        start + u * along + v * Vec2::new(-along.y, along.x)
    } else {
        Point::new(u / per_metre, v / per_metre)
    }
}

/// What the format has no place for, as [`to_json`](super::to_json) writes it; lengths are in metres.
fn take_own(panel: &mut Panel, own: &Value, at: &str) -> Found<()> {
    let word = |key: &str| own.get(key).and_then(Value::as_str);
    let unknown = |key: &str, word: &str| format!("{at}: `{OWN}.{key}` has no value `{word}`");
    if let Some(text) = word("part") {
        panel.part = Part::from_word(text).ok_or_else(|| unknown("part", text))?;
    }
    if let Some(text) = word("side") {
        panel.side = Side::from_word(text).ok_or_else(|| unknown("side", text))?;
    }
    word("fabric").unwrap_or_default().clone_into(&mut panel.fabric);
    if let Some(layer) = own.get("layer") {
        // Out of range, both saturate and are refused by the check.
        panel.layer = number(layer, at)? as i32;
    }
    if let Some(quantity) = own.get("quantity") {
        panel.quantity = number(quantity, at)? as u32;
    }
    if let Some(grain) = own.get("grain") {
        let [x0, y0, x1, y1] = numbers(grain, at)?;
        panel.grain = [Point::new(x0, y0), Point::new(x1, y1)];
    }
    match word("placement") {
        // The translation is for other programs: the part tells where the panel is.
        Some("part") => panel.placement = None,
        Some("fixed") => {
            if let Some(Placement::About(stand)) = panel.placement {
                panel.placement = Some(Placement::Fixed { stand, bend: None });
            }
        }
        Some(text) => return Err(unknown("placement", text)),
        None => {}
    }
    Ok(())
}

/// Mirrors a panel drawn from its inner side and turns it by 180° about its own y axis.
fn show_outer_side(panel: &mut Panel) {
    // Its loops are listed backwards already, and so keep their order.
    for edge in panel.edges_mut() {
        edge.start = Affine::FLIP_X * edge.start;
        edge.curve = edge.curve.mapped(Affine::FLIP_X);
    }
    panel.grain = panel.vertical_grain();
    turn_stand(panel);
}

/// Turns the place of a panel by 180° about the panel's own y axis.
pub(super) fn turn_stand(panel: &mut Panel) {
    if let Some(Placement::About(stand)) = &mut panel.placement {
        let turned = stand.matrix() * DMat3::from_rotation_y(std::f64::consts::PI);
        *stand = Stand::from_matrix(&turned, DVec3::from_array(stand.translation));
    }
}
