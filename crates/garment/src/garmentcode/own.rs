//! Edges that were split for the format, joined again.
//!
//! [`to_json`](super::to_json) splits edges where the other side of a seam has a corner. Beside the pieces it states the edge they were: its
//! name, how many pieces it has, and its curve in metres. Where the pieces still are that edge, to [`SAME`], they become it again, so that
//! a pattern that is written and read back is the same bit for bit. Where another program has changed them they stay.

use kurbo::Point;
use serde_json::{Value, json};

use super::json::{Found, get, list, number, numbers};
use crate::curve::{Curve, Segment};
use crate::pattern::{Edge, EdgeRef, Panel, Pattern};

/// How much longer or shorter an edge may be than its pieces [m].
const SAME: f64 = 1e-5;

/// An edge as it was before it was split, beside the number of its pieces; numbers are in metres, bit for bit.
pub(super) fn written(name: &str, segment: &Segment, pieces: usize) -> Value {
    let pair = |p: &Point| [p.x, p.y];
    let mut value = json!({ "name": name, "pieces": pieces, "from": pair(&segment.start) });
    match &segment.curve {
        Curve::Line => {}
        Curve::Arc(bulge) => value["arc"] = json!(bulge),
        Curve::Quadratic(c) => value["quadratic"] = json!(pair(c)),
        Curve::Cubic(c, d) => value["cubic"] = json!([pair(c), pair(d)]),
        Curve::Points(points) => value["points"] = json!(points.iter().map(pair).collect::<Vec<_>>()),
    }
    value
}

/// The curve that [`written`] states.
fn stated_curve(value: &Value) -> Found<Curve> {
    let at = "edges";
    let point = |value: &Value| numbers::<2>(value, at).map(|[x, y]| Point::new(x, y));
    if let Some(bulge) = value.get("arc") {
        return Ok(Curve::Arc(number(bulge, at)?));
    }
    if let Some(c) = value.get("quadratic") {
        return Ok(Curve::Quadratic(point(c)?));
    }
    if let Some(points) = value.get("cubic") {
        let [c, d] = list(points, at)? else { return Err(format!("{at}: two control points are expected")) };
        return Ok(Curve::Cubic(point(c)?, point(d)?));
    }
    match value.get("points") {
        Some(points) => Ok(Curve::Points(list(points, at)?.iter().map(point).collect::<Found<Vec<Point>>>()?)),
        None => Ok(Curve::Line),
    }
}

/// Joins the pieces of a pattern whose seams are those that were written. `stated`: for each panel what its file says of its edges.
pub(super) fn join(pattern: &mut Pattern, stated: &[Option<Value>]) {
    for (number, value) in stated.iter().enumerate() {
        let Some(value) = value else { continue };
        // What cannot be read or does not fit any more stays in pieces.
        if let Ok(Some((panel, numbers))) = joined(&pattern.panels[number], value) {
            pattern.panels[number] = panel;
            for chain in pattern.seams.iter_mut().flat_map(|seam| [&mut seam.a, &mut seam.b]) {
                rename(chain, number, &numbers);
            }
        }
    }
}

/// Gives the edges of a panel in a chain their new numbers; pieces of one edge become one.
fn rename(chain: &mut Vec<EdgeRef>, panel: usize, numbers: &[usize]) {
    for edge in chain.iter_mut().filter(|edge| edge.panel == panel) {
        edge.edge = numbers[edge.edge];
    }
    chain.dedup();
}

/// The panel with joined edges, and for each piece the number of its edge.
fn joined(panel: &Panel, value: &Value) -> Found<Option<(Panel, Vec<usize>)>> {
    let edges = list(value, "edges")?;
    let (mut renumbered, mut first, mut next) = (Vec::new(), 0, 0);
    let mut loops: Vec<Vec<Edge>> = Vec::new();
    for (start, ring) in panel.loops() {
        let mut whole = Vec::new();
        while first < start + ring.len() {
            let Some(stated) = edges.get(next) else { return Ok(None) };
            let at = "edges";
            let count = get(stated, "pieces", at)?.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            if count == 0 || count > start + ring.len() - first {
                return Ok(None);
            }
            let pieces: Vec<Segment> = (first..first + count).filter_map(|i| panel.segment(i)).collect();
            let name = get(stated, "name", at)?.as_str().unwrap_or_default();
            let Some(edge) = one(&pieces, stated)? else { return Ok(None) };
            whole.push(Edge::new(name, edge.start, edge.curve));
            renumbered.extend(std::iter::repeat_n(next, count));
            first += count;
            next += 1;
        }
        loops.push(whole);
    }
    if next != edges.len() {
        return Ok(None);
    }
    let mut loops = loops.into_iter();
    let mut panel = Panel { outline: loops.next().unwrap_or_default(), ..panel.clone() };
    panel.holes = loops.collect();
    Ok(Some((panel, renumbered)))
}

/// Pieces as one edge; `None` if it is not what they are.
fn one(pieces: &[Segment], stated: &Value) -> Found<Option<Segment>> {
    let (Some(head), Some(tail)) = (pieces.first(), pieces.last()) else { return Ok(None) };
    let [x, y] = numbers(get(stated, "from", "edges")?, "edges")?;
    let (start, end) = (Point::new(x, y), tail.end);
    let curve = stated_curve(stated)?;
    let whole = Segment::new(start, curve, end);
    let sum: f64 = pieces.iter().map(Segment::length).sum();
    let mut fits = (whole.length() - sum).abs() < SAME && start.distance(head.start) < SAME;
    let mut passed = 0.0;
    for piece in &pieces[..pieces.len() - 1] {
        passed += piece.length();
        fits &= whole.at_fraction((passed / sum).clamp(0.0, 1.0)).distance(piece.end) < SAME;
    }
    Ok(fits.then_some(whole))
}
