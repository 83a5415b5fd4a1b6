//! Writes `GarmentCode` JSON.

use std::f64::consts::{FRAC_PI_2, PI};
use std::ops::Range;

use kurbo::Point;
use serde_json::{Map, Value, json};

use super::own;
use super::read::OWN;
use crate::curve::{Curve, Segment};
use crate::fault::{Fault, PatternError};
use crate::pattern::{EdgeRef, Panel, Pattern, Seam};
use crate::placement::{Placement, Stand};
use crate::role::{Part, Side};

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
    let seams: Vec<Value> =
        whole.seams.iter().zip(&splits.seams).map(|(seam, range)| own_seam(seam, range.clone())).collect();
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
        OWN: { "seams": seams },
    });
    Ok(format!("{root:#}\n"))
}

/// Where edges are cut, and which pieces are sewn.
struct Splits {
    /// `cuts[panel][edge]`: fractions between 0 and 1 at which an edge is cut, rising.
    cuts: Vec<Vec<Vec<f64>>>,
    /// Pairs of an edge and the number of its piece.
    stitches: Vec<[(EdgeRef, usize); 2]>,
    /// Which of them each seam has.
    seams: Vec<Range<usize>>,
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
    let (mut pairs, mut seams) = (Vec::new(), Vec::new());
    for seam in &pattern.seams {
        let lengths = [&seam.a, &seam.b].map(|chain| pattern.chain_length(chain));
        if lengths.iter().any(|length| *length <= 0.0) {
            return Err(vec![Fault::new(crate::Problem::EmptySeam).in_seam(&seam.name)].into());
        }
        let marks = marks(pattern, seam, &cuts);
        let sides = [0, 1].map(|side| {
            let (chain, against) = if side == 0 { (&seam.a, false) } else { (&seam.b, !seam.twisted) };
            let own: Vec<f64> = marks.iter().map(|pair| pair[side]).collect();
            steps(pattern, chain, against, &own)
        });
        for (a, b) in sides[0].iter().zip(&sides[1]) {
            for step in [a, b] {
                let fractions = if step.against { step.range.map(|t| 1.0 - t) } else { step.range };
                let list = &mut cuts[step.edge.panel][step.edge.edge];
                list.extend(fractions.into_iter().filter(|t| *t > 1e-9 && *t < 1.0 - 1e-9));
            }
        }
        let first = pairs.len();
        pairs.extend(sides[0].iter().map(middle).zip(sides[1].iter().map(middle)).collect::<Vec<_>>());
        seams.push(first..pairs.len());
    }
    for list in cuts.iter_mut().flatten() {
        list.sort_by(f64::total_cmp);
        list.dedup_by(|next, kept| *next - *kept < 1e-7);
    }
    let piece = |(edge, t): (EdgeRef, f64)| (edge, cuts[edge.panel][edge.edge].iter().filter(|cut| **cut < t).count());
    let stitches = pairs.into_iter().map(|(a, b)| [piece(a), piece(b)]).collect();
    Ok(Splits { cuts, stitches, seams })
}

/// Corners of both sides that are nearer to each other than this are one [m].
const NEAR: f64 = 3e-3;

/// Fractions of both chains that meet, from (0, 0) to (1, 1), wherever either has a corner. Joints of both sides that are [`NEAR`] each
/// other meet; other corners are carried over to the other side in proportion between those that do.
fn marks(pattern: &Pattern, seam: &Seam, cuts: &[Vec<Vec<f64>>]) -> Vec<[f64; 2]> {
    let sides = [(&seam.a, false), (&seam.b, !seam.twisted)];
    let lengths = sides.map(|(chain, _)| pattern.chain_length(chain));
    let (mut joints, mut corners) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for (side, (chain, against)) in sides.into_iter().enumerate() {
        let mut passed = 0.0;
        for edge in chain {
            let own = pattern.panels[edge.panel].length(edge.edge);
            for &cut in &cuts[edge.panel][edge.edge] {
                corners[side].push((passed + own * if against { 1.0 - cut } else { cut }) / lengths[side]);
            }
            passed += own;
            joints[side].push(passed / lengths[side]);
        }
        joints[side].pop();
    }
    let shorter = lengths[0].min(lengths[1]);
    let mut meeting = vec![[0.0, 0.0]];
    let [left, right] = &mut joints;
    right.retain(|f_b| {
        let last = meeting[meeting.len() - 1][0];
        let near = left.iter().position(|f_a| *f_a > last && (f_a - f_b).abs() * shorter < NEAR);
        if let Some(i) = near {
            meeting.push([left.remove(i), *f_b]);
        }
        near.is_none()
    });
    meeting.push([1.0, 1.0]);
    let carry = |f: f64, from: usize| {
        let i = meeting.iter().rposition(|pair| pair[from] <= f).unwrap_or(0).min(meeting.len() - 2);
        let (p, q) = (meeting[i], meeting[i + 1]);
        let to = p[1 - from] + (f - p[from]) / (q[from] - p[from]) * (q[1 - from] - p[1 - from]);
        if from == 0 { [f, to] } else { [to, f] }
    };
    let mut all = meeting.clone();
    for side in [0, 1] {
        all.extend(joints[side].iter().chain(&corners[side]).map(|f| carry(*f, side)));
    }
    all.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    // Corners within a hundredth of a millimetre of each other are one.
    let least = 1e-5 / shorter;
    all.dedup_by(|next, kept| next[0] - kept[0] < least || next[1] - kept[1] < least);
    if let Some(last) = all.last_mut() {
        *last = [1.0, 1.0];
    }
    all
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
    let (mut vertices, mut edges, mut numbers, mut unsplit) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (first, ring) in panel.loops() {
        let mut pieces = Vec::new();
        for (i, edge) in ring.iter().enumerate() {
            numbers.push(edges.len() + pieces.len());
            let Some(segment) = panel.segment(first + i) else { continue };
            let cuts = &cuts[first + i];
            unsplit.push(own::written(&edge.name, &segment, cuts.len() + 1));
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
            if let Some(curvature) = written_curvature(&piece) {
                edge["curvature"] = curvature;
            }
            edges.push(edge);
        }
    }
    let (stand, origin) = match panel.placement {
        Some(Placement::About(stand)) => (stand, None),
        Some(Placement::Fixed { stand, bend: None }) => (stand, Some("fixed")),
        // A bent panel has no place in the format: its part tells where it is.
        _ => (shown(panel), Some("part")),
    };
    let mut stated = json!({
        "part": panel.part.word(), "side": panel.side.word(),
        "grain": panel.grain.iter().flat_map(|p| [p.x, p.y]).collect::<Vec<f64>>(),
    });
    stated["edges"] = json!(unsplit);
    if let Some(origin) = origin {
        stated["placement"] = json!(origin);
    }
    if panel.layer != 0 {
        stated["layer"] = json!(panel.layer);
    }
    if panel.quantity != 1 {
        stated["quantity"] = json!(panel.quantity);
    }
    if !panel.fabric.is_empty() {
        stated["fabric"] = json!(panel.fabric);
    }
    let value = json!({
        "vertices": vertices,
        "edges": edges,
        "translation": stand.translation.map(|x| PER_METRE * x),
        "rotation": stand.rotation.map(f64::to_degrees),
        "label": label(panel.part),
        OWN: stated,
    });
    (value, numbers)
}

/// The curvature of an edge; `None` if it is straight, or a polyline.
fn written_curvature(piece: &Segment) -> Option<Value> {
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

/// What Toile says of a seam beside its stitches.
fn own_seam(seam: &Seam, stitches: Range<usize>) -> Value {
    let mut value = json!({ "name": seam.name, "stitches": stitches.collect::<Vec<usize>>() });
    if let Some(ratio) = seam.ratio {
        value["ratio"] = json!(ratio);
    }
    if seam.fold_angle != 0.0 {
        value["fold_deg"] = json!(seam.fold_angle.to_degrees());
    }
    value
}

/// The word that other programs have for a part.
fn label(part: Part) -> &'static str {
    match part {
        Part::Sleeve | Part::Cuff => "arm",
        Part::SkirtFront | Part::SkirtBack | Part::LegFront | Part::LegBack => "leg",
        _ => "body",
    }
}

/// Where a panel is shown to other programs that has no place of its own: before, behind or beside a person of 1.7 m.
fn shown(panel: &Panel) -> Stand {
    let bounds = panel.bounds();
    let left = if panel.side == Side::Right { -1.0 } else { 1.0 };
    // Legs are drawn from the centre line outwards, their forks beyond it.
    let inner = if left > 0.0 { bounds.x0 } else { bounds.x1 };
    let (translation, rotation) = match panel.part {
        Part::Front => ([0.0, 1.4 - bounds.y1, 0.25], [0.0; 3]),
        Part::Back => ([0.0, 1.4 - bounds.y1, -0.2], [0.0, PI, 0.0]),
        Part::SkirtFront => ([0.0, 1.0 - bounds.y1, 0.25], [0.0; 3]),
        Part::SkirtBack => ([0.0, 1.0 - bounds.y1, -0.2], [0.0, PI, 0.0]),
        Part::LegFront => ([0.01 * left - inner, 1.0 - bounds.y1, 0.25], [0.0; 3]),
        Part::LegBack => {
            let inner = if left > 0.0 { bounds.x1 } else { bounds.x0 };
            ([0.01 * left + inner, 1.0 - bounds.y1, -0.2], [0.0, PI, 0.0])
        }
        Part::Waistband => ([0.0, 1.02 - bounds.y0, 0.3], [0.0; 3]),
        Part::Collar => ([0.0, 1.45 - bounds.y0, -0.15], [0.0, PI, 0.0]),
        Part::Sleeve => ([0.25 * left, 1.3, 0.2], [0.0, 0.0, 0.7 * left]),
        Part::Cuff => ([0.6 * left, 0.9, 0.2], [0.0, 0.0, 0.7 * left]),
        Part::Cape | Part::Flat => ([0.0, 1.8, 0.0], [-FRAC_PI_2, 0.0, 0.0]),
        Part::Other => ([0.0; 3], [0.0; 3]),
    };
    Stand { translation, rotation }
}
