//! Writes `GarmentCode` JSON.

use kurbo::Point;
use serde_json::{Map, Value, json};

use crate::curve::{Curve, Segment};
use crate::fault::{Fault, PatternError};
use crate::pattern::{EdgeRef, Panel, Pattern};

/// Centimetres, the unit of the format.
const PER_METRE: f64 = 100.0;

/// The whole pattern as JSON text. Fails where [`Pattern::whole`] does, or a seam names no edge.
pub fn to_json(pattern: &Pattern) -> Result<String, PatternError> {
    let whole = pattern.whole()?;
    let splits = splits(&whole)?;
    let mut panels = Map::new();
    let mut numbers = Vec::new();
    for (panel, cuts) in whole.panels.iter().zip(&splits.cuts) {
        let (value, number) = write_panel(panel, cuts);
        panels.insert(panel.name.clone(), value);
        numbers.push(number);
    }
    let side = |(edge, piece): (EdgeRef, usize)| json!({ "panel": whole.panels[edge.panel].name, "edge": numbers[edge.panel][edge.edge] + piece });
    let stitches: Vec<Value> = splits.stitches.iter().map(|&[a, b]| json!([side(a), side(b)])).collect();
    let order: Vec<&str> = whole.panels.iter().map(|panel| panel.name.as_str()).collect();
    let root = json!({
        "name": whole.name,
        "pattern": { "panels": panels, "stitches": stitches, "panel_order": order },
        "parameters": {},
        "parameter_order": [],
        "properties": {
            "curvature_coords": "relative",
            "normalize_panel_translation": false,
            "normalized_edge_loops": true,
            "units_in_meter": PER_METRE,
        },
    });
    Ok(format!("{root:#}\n"))
}

/// Where edges are cut, and which pieces are sewn.
struct Splits {
    /// `cuts[panel][edge]`: fractions between 0 and 1 at which an edge is cut, rising.
    cuts: Vec<Vec<Vec<f64>>>,
    /// Pairs of an edge and the number of its piece.
    stitches: Vec<[(EdgeRef, usize); 2]>,
}

/// A piece of a chain: edge, from and to as fractions of the edge in the direction of the chain, and whether that is against
/// the direction of the edge.
struct Step {
    edge: EdgeRef,
    range: [f64; 2],
    against: bool,
}

fn splits(pattern: &Pattern) -> Result<Splits, PatternError> {
    let corners = |panel: &Panel| {
        let segments = (0..panel.edge_count()).map(|edge| panel.segment(edge));
        segments.map(|segment| segment.map_or(Vec::new(), |segment| corner_fractions(&segment))).collect()
    };
    let mut cuts: Vec<Vec<Vec<f64>>> = pattern.panels.iter().map(corners).collect();
    let mut pairs = Vec::new();
    for seam in &pattern.seams {
        let lengths = [&seam.a, &seam.b].map(|chain| pattern.chain_length(chain));
        if lengths.iter().any(|length| *length <= 0.0) {
            return Err(vec![Fault::new(crate::Problem::EmptySeam).in_seam(&seam.name)].into());
        }
        // Fractions of the chain at which either side has a corner.
        let mut marks = vec![0.0, 1.0];
        for (chain, against) in [(&seam.a, false), (&seam.b, !seam.twisted)] {
            let mut passed = 0.0;
            let length = pattern.chain_length(chain);
            for edge in chain {
                let own = pattern.panels[edge.panel].length(edge.edge);
                for &cut in &cuts[edge.panel][edge.edge] {
                    marks.push((passed + own * if against { 1.0 - cut } else { cut }) / length);
                }
                passed += own;
                marks.push(passed / length);
            }
        }
        marks.sort_by(f64::total_cmp);
        // Corners within a hundredth of a millimetre of each other are one.
        let least = 1e-5 / lengths[0].min(lengths[1]);
        marks.dedup_by(|next, kept| *next - *kept < least);
        if let Some(last) = marks.last_mut() {
            *last = 1.0;
        }
        let sides =
            [(&seam.a, false), (&seam.b, !seam.twisted)].map(|(chain, against)| steps(pattern, chain, against, &marks));
        for (a, b) in sides[0].iter().zip(&sides[1]) {
            for step in [a, b] {
                let fractions = if step.against { step.range.map(|t| 1.0 - t) } else { step.range };
                let list = &mut cuts[step.edge.panel][step.edge.edge];
                list.extend(fractions.into_iter().filter(|t| *t > 1e-9 && *t < 1.0 - 1e-9));
            }
        }
        pairs.extend(sides[0].iter().map(middle).zip(sides[1].iter().map(middle)).collect::<Vec<_>>());
    }
    for list in cuts.iter_mut().flatten() {
        list.sort_by(f64::total_cmp);
        list.dedup_by(|next, kept| *next - *kept < 1e-7);
    }
    let piece = |(edge, t): (EdgeRef, f64)| (edge, cuts[edge.panel][edge.edge].iter().filter(|cut| **cut < t).count());
    let stitches = pairs.into_iter().map(|(a, b)| [piece(a), piece(b)]).collect();
    Ok(Splits { cuts, stitches })
}

/// The edge of a step and the fraction of its middle.
fn middle(step: &Step) -> (EdgeRef, f64) {
    let t = 0.5 * (step.range[0] + step.range[1]);
    (step.edge, if step.against { 1.0 - t } else { t })
}

/// Cuts a chain at its marks. A mark that lies within the tolerance of a joint is taken for it.
fn steps(pattern: &Pattern, chain: &[EdgeRef], against: bool, marks: &[f64]) -> Vec<Step> {
    let length = pattern.chain_length(chain);
    let mut joints = vec![0.0];
    for edge in chain {
        joints.push(joints[joints.len() - 1] + pattern.panels[edge.panel].length(edge.edge) / length);
    }
    let snap = |mark: f64| joints.iter().copied().find(|joint| (joint - mark).abs() * length < 2e-5).unwrap_or(mark);
    let steps = marks.windows(2).map(|pair| {
        let (from, to) = (snap(pair[0]), snap(pair[1]));
        let half = 0.5 * (from + to);
        let i = joints.windows(2).position(|joint| half <= joint[1]).unwrap_or(chain.len() - 1);
        let local = |mark: f64| ((mark - joints[i]) / (joints[i + 1] - joints[i])).clamp(0.0, 1.0);
        Step { edge: chain[i], range: [local(from), local(to)], against }
    });
    steps.collect()
}

/// Fractions at which a polyline has its corners; none for curves.
fn corner_fractions(segment: &Segment) -> Vec<f64> {
    let Curve::Points(points) = &segment.curve else { return Vec::new() };
    let length = segment.length();
    let mut at = segment.start;
    let mut passed = 0.0;
    let mut fractions = Vec::new();
    for point in points {
        passed += at.distance(*point);
        at = *point;
        fractions.push(passed / length);
    }
    fractions.retain(|t| *t > 1e-9 && *t < 1.0 - 1e-9);
    fractions
}

/// The panel as JSON, and for each of its edges the number of its first piece.
fn write_panel(panel: &Panel, cuts: &[Vec<f64>]) -> (Value, Vec<usize>) {
    let (mut vertices, mut edges, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (first, ring) in panel.loops() {
        let mut pieces = Vec::new();
        for (i, edge) in ring.iter().enumerate() {
            numbers.push(edges.len() + pieces.len());
            let Some(segment) = panel.segment(first + i) else { continue };
            let cuts = &cuts[first + i];
            let mut from = 0.0;
            for (k, to) in cuts.iter().copied().chain([1.0]).enumerate() {
                let name = if cuts.is_empty() { edge.name.clone() } else { format!("{}_{}", edge.name, k + 1) };
                pieces.push((name, segment.piece(from, to)));
                from = to;
            }
        }
        let start = vertices.len();
        let count = pieces.len();
        for (k, (name, piece)) in pieces.into_iter().enumerate() {
            vertices.push(json!([PER_METRE * piece.start.x, PER_METRE * piece.start.y]));
            let ends = [start + k, start + (k + 1) % count];
            let mut edge = json!({ "endpoints": ends, "label": name });
            if let Some(curvature) = curvature(&piece) {
                edge["curvature"] = curvature;
            }
            edges.push(edge);
        }
    }
    let place = panel.placement;
    let translation = place.map_or([0.0; 3], |place| place.translation.map(|x| PER_METRE * x));
    let rotation = place.map_or([0.0; 3], |place| place.rotation.map(f64::to_degrees));
    let value = json!({
        "vertices": vertices, "edges": edges, "translation": translation, "rotation": rotation, "label": panel.part.word(),
    });
    (value, numbers)
}

fn curvature(piece: &Segment) -> Option<Value> {
    let relative = |c: Point| {
        let (along, way) = (piece.end - piece.start, c - piece.start);
        let square = along.hypot2();
        [way.dot(along) / square, along.cross(way) / square]
    };
    match &piece.curve {
        Curve::Line | Curve::Points(_) => None,
        Curve::Quadratic(c) => Some(json!({ "type": "quadratic", "params": [relative(*c)] })),
        Curve::Cubic(c0, c1) => Some(json!({ "type": "cubic", "params": [relative(*c0), relative(*c1)] })),
        Curve::Arc(bulge) => {
            let chord = piece.start.distance(piece.end);
            if bulge.abs() < 1e-9 {
                return None;
            }
            let radius = PER_METRE * chord * (1.0 + bulge * bulge) / (4.0 * bulge.abs());
            let (large, right) = (i32::from(bulge.abs() > 1.0), i32::from(*bulge > 0.0));
            Some(json!({ "type": "circle", "params": [radius, large, right] }))
        }
    }
}
