//! Panels moved to where the placement expects them: centres, crowns of caps and centre lines of legs at x = 0.

use std::collections::BTreeMap;

use kurbo::{Affine, Point, Vec2};

use super::sector::sector;
use super::stretch::Outline;
use super::template::{Role, Shape};
use super::{roles, roles_among};
use crate::pattern::{Cut, Panel};
use crate::role::{Part, Side};

/// Names that a reader gave for want of better ones begin so.
pub(crate) const NAMELESS: &str = "edge_";

/// Names edges after what they are, where the file gives no names.
pub(super) fn name_edges(panel: &mut Panel, fold: Option<usize>, shape: Option<Shape>) {
    if !panel.outline.iter().all(|edge| edge.name.starts_with(NAMELESS)) {
        return;
    }
    if let Some(fold) = fold {
        panel.cut = Cut::Fold(panel.outline[fold].name.clone());
    }
    let outline = Outline::new(panel);
    let mut roles = match sector(panel) {
        Some(sector) if matches!(panel.part, Part::SkirtFront | Part::SkirtBack) => sector.roles(panel),
        _ => roles_among(panel, &outline, shape.as_slice()),
    };
    if let Some(fold) = fold {
        roles[fold] = Some(Role::Centre);
    }
    let mut words: Vec<String> =
        roles.iter().map(|role| role.map_or("edge".to_owned(), |role| role.word().to_owned())).collect();
    for (k, [first, second]) in outline.darts.iter().enumerate() {
        words[*first] = format!("dart_{}_a", k + 1);
        words[*second] = format!("dart_{}_b", k + 1);
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in &words {
        *counts.entry(word.clone()).or_default() += 1;
    }
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for (edge, word) in panel.outline.iter_mut().zip(words) {
        let number = used.entry(word.clone()).or_default();
        *number += 1;
        edge.name = if counts[&word] > 1 { format!("{word}_{number}") } else { word };
    }
    if let Some(fold) = fold {
        panel.cut = Cut::Fold(panel.outline[fold].name.clone());
    }
}

fn shift(panel: &mut Panel, by: Vec2) {
    if by != Vec2::ZERO {
        panel.transform(Affine::translate(by));
    }
}

/// Moves the centre of a half to x = 0.
pub(super) fn centre(panel: &mut Panel, shape: Shape) {
    let fold =
        if let Cut::Fold(name) = &panel.cut { panel.find(name).and_then(|edge| panel.segment(edge)) } else { None };
    if let Some(line) = fold {
        // Exactly upright: whatever the drawing is off is turned away.
        let way = line.end - line.start;
        let lean = (way.x / way.y).atan();
        if lean.abs() < 0.1 && lean.abs() > 1e-9 {
            panel.transform(Affine::rotate_about(lean, line.start));
        }
        shift(panel, Vec2::new(-line.start.x, 0.0));
        return;
    }
    let bounds = panel.bounds();
    let outline = Outline::new(panel);
    let roles = roles_among(panel, &outline, &[shape]);
    let middle = |edge: usize| panel.segment(edge).map(|segment| segment.at_fraction(0.5).x);
    let on_centre = (0..roles.len()).filter(|edge| roles[*edge] == Some(Role::Centre)).filter_map(middle);
    let all: Vec<f64> = on_centre.collect();
    let x = if all.is_empty() { bounds.x0 } else { all.iter().sum::<f64>() / all.len() as f64 };
    // The outermost place of the centre, so that no half reaches over to the other side.
    let x = if x < bounds.center().x { bounds.x0 } else { bounds.x1 };
    shift(panel, Vec2::new(-x, 0.0));
}

/// Moves the middle of a whole piece to x = 0.
pub(super) fn middle(panel: &mut Panel) {
    let bounds = panel.bounds();
    shift(panel, Vec2::new(-bounds.center().x, 0.0));
}

/// The run of edges of a role, in the order of the outline.
pub(crate) fn run_of(panel: &Panel, role: Role) -> Vec<usize> {
    let outline = Outline::new(panel);
    let roles = roles(panel, &outline);
    let count = roles.len();
    let is = |edge: usize| roles[edge] == Some(role);
    let Some(first) = (0..count).find(|edge| is(*edge) && !is((edge + count - 1) % count)) else {
        return (0..count).filter(|edge| is(*edge)).collect();
    };
    // Darts between do not end a run.
    let is_leg = |edge: usize| outline.darts.iter().flatten().any(|leg| *leg == edge);
    let walk = (0..count).map(|k| (first + k) % count).take_while(|edge| is(*edge) || is_leg(*edge));
    walk.filter(|edge| is(*edge)).collect()
}

fn run_length(panel: &Panel, run: &[usize]) -> f64 {
    run.iter().map(|edge| panel.length(*edge)).sum()
}

/// Cuts edge `edge` of the outline in two at a fraction of its length.
pub(super) fn split(panel: &mut Panel, edge: usize, at: f64, names: [String; 2]) {
    let Some(segment) = panel.segment(edge) else { return };
    let (first, second) = (segment.piece(0.0, at), segment.piece(at, 1.0));
    let [before, after] = names;
    let pieces = [
        crate::pattern::Edge::new(before, first.start, first.curve),
        crate::pattern::Edge::new(after, second.start, second.curve),
    ];
    panel.outline.splice(edge..=edge, pieces);
    for notch in &mut panel.notches {
        if notch.edge > edge {
            notch.edge += 1;
        } else if notch.edge == edge {
            let (on, to) = if notch.at >= at { (1, (notch.at - at) / (1.0 - at)) } else { (0, notch.at / at) };
            *notch = crate::pattern::Notch { edge: edge + on, at: to.clamp(0.0, 1.0) };
        }
    }
}

/// The highest place of a run: edge and fraction of its length.
fn highest(panel: &Panel, run: &[usize]) -> Option<(usize, f64, Point)> {
    let mut best: Option<(usize, f64, Point)> = None;
    for edge in run {
        let segment = panel.segment(*edge)?;
        for k in 0..=200 {
            let at = f64::from(k) / 200.0;
            let point = segment.at_fraction(at);
            if best.is_none_or(|(.., top)| point.y > top.y + 1e-9) {
                best = Some((*edge, at, point));
            }
        }
    }
    best
}

/// Sleeves: the crown of the cap at x = 0, the cap cut there, and the front of the left one at x < 0.
pub(super) fn sleeves(panels: &mut [Panel], notes: &mut Vec<String>) {
    let armhole = |part: Part, panels: &[Panel]| -> f64 {
        let of = |panel: &Panel| {
            let runs = run_length(panel, &run_of(panel, Role::Armhole));
            if panel.side == Side::Both { 0.5 * runs } else { runs }
        };
        panels.iter().filter(|panel| panel.part == part).map(of).sum()
    };
    let halves = [armhole(Part::Front, panels), armhole(Part::Back, panels)];
    for panel in panels.iter_mut().filter(|panel| panel.part == Part::Sleeve) {
        let run = run_of(panel, Role::Cap);
        let Some((edge, at, top)) = crown(panel, &run, halves) else { continue };
        shift(panel, Vec2::new(-top.x, 0.0));
        let name = panel.outline[edge].name.clone();
        let names = [format!("{name}_1"), format!("{name}_2")];
        let known = names.iter().any(|name| panel.find(name).is_some());
        if (0.02..=0.98).contains(&at) && !known {
            split(panel, edge, at, names);
        }
        if panel.side == Side::Both {
            panel.side = front_side(panel, halves);
        } else if panel.cut == Cut::Single && front_side(panel, halves) != panel.side {
            notes.push(format!("piece `{}`: its cap looks like one for the other arm", panel.name));
        }
    }
}

/// Where the cap meets the shoulder seam: at a notch near its highest place, else where its halves are as long as the armholes, if that is
/// near, else at the highest place.
fn crown(panel: &Panel, run: &[usize], halves: [f64; 2]) -> Option<(usize, f64, Point)> {
    let highest = highest(panel, run)?;
    let near = |p: Point| p.distance(highest.2) < 0.03;
    let place = |edge: usize, at: f64| panel.segment(edge).map(|segment| (edge, at, segment.at_fraction(at)));
    // An edge that ends near the top.
    let joint = run.windows(2).filter_map(|pair| place(pair[1], 0.0)).find(|(.., p)| near(*p));
    let notch = panel
        .notches
        .iter()
        .filter(|notch| run.contains(&notch.edge))
        .filter_map(|n| place(n.edge, n.at))
        .find(|(.., p)| near(*p));
    if joint.is_some() || notch.is_some() {
        return joint.or(notch);
    }
    let (whole, cap) = (halves[0] + halves[1], run_length(panel, run));
    if halves[0] > 0.0 && halves[1] > 0.0 {
        // The outline of a cap runs from the greater x to the lesser; either half may be the front.
        let share = [halves[0] / whole, halves[1] / whole];
        let candidates = share.map(|share| at_length(panel, run, share * cap));
        let nearest =
            candidates.into_iter().flatten().min_by(|a, b| a.2.distance(highest.2).total_cmp(&b.2.distance(highest.2)));
        if let Some(found) = nearest.filter(|(.., p)| near(*p)) {
            return Some(found);
        }
    }
    Some(highest)
}

/// The place at a length along a run.
pub(super) fn at_length(panel: &Panel, run: &[usize], mut left: f64) -> Option<(usize, f64, Point)> {
    for edge in run {
        let length = panel.length(*edge);
        if left <= length && length > 0.0 {
            let at = left / length;
            return panel.segment(*edge).map(|segment| (*edge, at, segment.at_fraction(at)));
        }
        left -= length;
    }
    None
}

/// The arm that a sleeve is drawn for: one notch marks its front and two its back; else the half of the cap that suits the armhole
/// better. A left sleeve has its front at x < 0.
fn front_side(panel: &Panel, halves: [f64; 2]) -> Side {
    let run = run_of(panel, Role::Cap);
    let (mut notches, mut lengths) = ([0_usize; 2], [0.0_f64; 2]);
    for edge in &run {
        let Some(segment) = panel.segment(*edge) else { continue };
        lengths[usize::from(segment.at_fraction(0.5).x > 0.0)] += segment.length();
    }
    for notch in panel.notches.iter().filter(|notch| run.contains(&notch.edge)) {
        let Some(segment) = panel.segment(notch.edge) else { continue };
        let x = segment.at_fraction(notch.at).x;
        if x.abs() > 0.01 {
            notches[usize::from(x > 0.0)] += 1;
        }
    }
    if notches[0] != notches[1] {
        return if notches[0] < notches[1] { Side::Left } else { Side::Right };
    }
    if halves[0] > 0.0 && halves[1] > 0.0 {
        let off = |front: f64, back: f64| (front / halves[0] - back / halves[1]).abs();
        return if off(lengths[0], lengths[1]) <= off(lengths[1], lengths[0]) { Side::Left } else { Side::Right };
    }
    Side::Left
}

/// Share of the rise, from the waist down, at which the centre line of a leg is taken.
const HIP: f64 = 0.65;

/// Legs: the centre line at x = 0, and the lower ends of all outseams at one height, the highest waist at y = 0.
pub(super) fn legs(panels: &mut [Panel]) {
    let is_leg = |panel: &Panel| matches!(panel.part, Part::LegFront | Part::LegBack);
    for panel in panels.iter_mut().filter(|panel| is_leg(panel)) {
        let (rise, outseam) = (run_of(panel, Role::Rise), run_of(panel, Role::Outseam));
        let ends = |run: &[usize]| -> Option<[Point; 2]> {
            Some([panel.segment(*run.first()?)?.start, panel.segment(*run.last()?)?.end])
        };
        let (Some(rise_ends), Some(out_ends)) = (ends(&rise), ends(&outseam)) else { continue };
        let (top, fork) =
            if rise_ends[0].y > rise_ends[1].y { (rise_ends[0], rise_ends[1]) } else { (rise_ends[1], rise_ends[0]) };
        let y = top.y + HIP * (fork.y - top.y);
        let mut points = Vec::new();
        for edge in &rise {
            if let Some(segment) = panel.segment(*edge) {
                segment.flatten(1e-4, &mut points);
                points.push(segment.end);
            }
        }
        let x = points.iter().min_by(|a, b| (a.y - y).abs().total_cmp(&(b.y - y).abs())).map_or(top.x, |p| p.x);
        let low = if out_ends[0].y < out_ends[1].y { out_ends[0] } else { out_ends[1] };
        shift(panel, Vec2::new(-x, -low.y));
    }
    let top =
        panels.iter().filter(|panel| is_leg(panel)).map(|panel| panel.bounds().y1).fold(f64::NEG_INFINITY, f64::max);
    for panel in panels.iter_mut().filter(|panel| is_leg(panel) && top.is_finite()) {
        shift(panel, Vec2::new(0.0, -top));
    }
}
