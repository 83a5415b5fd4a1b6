//! Reads `GarmentCode` JSON.

use std::path::Path;

use kurbo::{Affine, Point, Vec2};
use serde_json::Value;
use toile_mesh::{DMat3, DVec3};

use crate::check::{MOST_EDGES, MOST_PANELS, Mended, mend, signed_area};
use crate::curve::{Curve, Segment};
use crate::fault::{Fault, Problem};
use crate::file::{PatternFileError, read_bytes};
use crate::pattern::{Edge, EdgeRef, Panel, Pattern, Placement, Seam};
use crate::role::Part;

type Found<T> = Result<T, String>;

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

/// Reads a `specification.json`.
pub fn load(path: impl AsRef<Path>) -> Result<Mended, PatternFileError> {
    let (file, bytes) = read_bytes(path.as_ref())?;
    from_json(&file, &bytes)
}

fn get<'v>(value: &'v Value, key: &str, at: &str) -> Found<&'v Value> {
    value.get(key).ok_or_else(|| format!("{at}: `{key}` is missing"))
}

fn list<'v>(value: &'v Value, at: &str) -> Found<&'v [Value]> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("{at}: a list is expected"))
}

fn number(value: &Value, at: &str) -> Found<f64> {
    // Flags of arcs are numbers in some files and booleans in others.
    let flag = value.as_bool().map(|flag| f64::from(u8::from(flag)));
    let number = value.as_f64().or(flag).filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{at}: a finite number is expected"))
}

fn numbers<const N: usize>(value: &Value, at: &str) -> Found<[f64; N]> {
    let items = list(value, at)?;
    if items.len() != N {
        return Err(format!("{at}: {N} numbers are expected"));
    }
    let mut all = [0.0; N];
    for (to, item) in all.iter_mut().zip(items) {
        *to = number(item, at)?;
    }
    Ok(all)
}

fn index(value: &Value, count: usize, at: &str) -> Found<usize> {
    let index = value.as_u64().and_then(|index| usize::try_from(index).ok()).filter(|index| *index < count);
    index.ok_or_else(|| format!("{at}: a number below {count} is expected"))
}

/// How the edges of a panel in the file became edges here.
struct Numbers {
    /// Edge of the file → edge here.
    edge: Vec<usize>,
}

fn pattern(root: &Value) -> Found<(Pattern, Vec<Fault>)> {
    let spec = get(root, "pattern", "the file")?;
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
    let mut renumbered = Vec::new();
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
        pattern.panels.push(panel);
        renumbered.push(numbers);
    }
    if pattern.panels.is_empty() {
        return Err("there is no panel".to_owned());
    }
    let mut repairs = Vec::new();
    let stitches = spec.get("stitches").map_or(Ok(&[][..]), |value| list(value, "stitches"))?;
    if stitches.len() > 10 * MOST_PANELS {
        return Err(format!("{} stitches, at most {} are taken", stitches.len(), 10 * MOST_PANELS));
    }
    for (i, stitch) in stitches.iter().enumerate() {
        let at = format!("stitch {i}");
        let sides = list(stitch, &at)?;
        // A third entry says which side of the cloth is outside, as in `"right_wrong"`; it has no meaning for drapes.
        let [a, b, ..] = sides else { return Err(format!("{at}: two edges are expected")) };
        let side = |value: &Value| -> Found<EdgeRef> {
            let name = get(value, "panel", &at)?.as_str().unwrap_or_default();
            let panel = pattern.find(name).ok_or_else(|| format!("{at}: there is no panel `{name}`"))?;
            let numbers = &renumbered[panel];
            let edge = index(get(value, "edge", &at)?, numbers.edge.len(), &format!("{at}, panel `{name}`, edge"))?;
            Ok(EdgeRef { panel, edge: numbers.edge[edge] })
        };
        let mut seam = Seam::new(format!("stitch_{i}"), vec![side(a)?], vec![side(b)?]);
        seam.ratio = gathering(&pattern, &seam);
        if contradicts(&pattern, &seam) {
            repairs.push(Fault::new(Problem::ReversedStitch).in_seam(&seam.name));
        }
        pattern.seams.push(seam);
    }
    Ok((pattern, repairs))
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
    panel.part = value.get("label").and_then(Value::as_str).map_or(Part::Other, |label| part(name, label));
    let three = |key: &str| value.get(key).map_or(Ok([0.0; 3]), |value| self::numbers::<3>(value, &at));
    let (translation, rotation) = (three("translation")?, three("rotation")?);
    if value.get("translation").is_some() {
        let translation = translation.map(|x| x / per_metre);
        panel.placement = Some(Placement { translation, rotation: rotation.map(f64::to_radians) });
    }
    panel.grain = panel.vertical_grain();
    let area = signed_area(&Panel::flatten(&panel.outline, 1e-4));
    if area < 0.0 {
        show_outer_side(&mut panel);
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

fn curvature(value: &Value, start: Point, end: Point, per_metre: f64, relative: bool, at: &str) -> Found<Curve> {
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

fn part(name: &str, label: &str) -> Part {
    let back = name.contains("back") || name.contains("_b");
    match label {
        "arm" => Part::Sleeve,
        "body" if back => Part::Back,
        "body" => Part::Front,
        "leg" if back => Part::LegBack,
        "leg" => Part::LegFront,
        word => Part::from_word(word).unwrap_or(Part::Other),
    }
}

/// Mirrors a panel drawn from its inner side and turns it by 180° about its own y axis.
fn show_outer_side(panel: &mut Panel) {
    // Its loops are listed backwards already, and so keep their order.
    for edge in panel.edges_mut() {
        edge.start = Affine::FLIP_X * edge.start;
        edge.curve = edge.curve.mapped(Affine::FLIP_X);
    }
    panel.grain = panel.vertical_grain();
    if let Some(place) = &mut panel.placement {
        let turned = matrix(place) * DMat3::from_rotation_y(std::f64::consts::PI);
        place.rotation = angles(&turned);
    }
}

pub(crate) fn matrix(place: &Placement) -> DMat3 {
    let [x, y, z] = place.rotation;
    DMat3::from_rotation_x(x) * DMat3::from_rotation_y(y) * DMat3::from_rotation_z(z)
}

/// Angles about x, y and z of `R = R_x R_y R_z`.
fn angles(r: &DMat3) -> [f64; 3] {
    let (c0, c1, c2) = (r.x_axis, r.y_axis, r.z_axis);
    let y = c2.x.clamp(-1.0, 1.0).asin();
    if c2.x.abs() > 1.0 - 1e-12 {
        // Level with the axis only the sum of the other two angles is known.
        return [c1.z.atan2(c1.y), y, 0.0];
    }
    [(-c2.y).atan2(c2.z), y, (-c1.x).atan2(c0.x)]
}

/// The format states no ratios: lengths up to [`MOST_GATHERED`] are taken for gathers, more for a mistake.
fn gathering(pattern: &Pattern, seam: &Seam) -> Option<f64> {
    let ratio = pattern.chain_length(&seam.b) / pattern.chain_length(&seam.a);
    let gathered = ratio.max(1.0 / ratio);
    (gathered > 1.05 && gathered <= MOST_GATHERED).then_some(ratio)
}

/// Largest ratio of lengths that is taken for a gathered seam.
const MOST_GATHERED: f64 = 2.5;

/// Whether the ends of a seam are clearly nearer to each other in space if one side is turned round.
fn contradicts(pattern: &Pattern, seam: &Seam) -> bool {
    let place = |edge: EdgeRef| -> Option<[DVec3; 2]> {
        let panel = &pattern.panels[edge.panel];
        let (placement, segment) = (panel.placement?, panel.segment(edge.edge)?);
        let (r, t) = (matrix(&placement), DVec3::from_array(placement.translation));
        let map = |p: Point| r * DVec3::new(p.x, p.y, 0.0) + t;
        Some([map(segment.start), map(segment.end)])
    };
    let (Some([a0, a1]), Some([b0, b1])) = (place(seam.a[0]), place(seam.b[0])) else { return false };
    let against = a0.distance(b1) + a1.distance(b0);
    let along = a0.distance(b0) + a1.distance(b1);
    seam.a[0].panel != seam.b[0].panel && along < 0.5 * against
}
