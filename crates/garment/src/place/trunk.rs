//! Panels around trunk, waist and neck: vertical cylinders over convex hulls.

use kurbo::Rect;
use toile_body::measure::Landmarks;
use toile_mesh::{DVec2, DVec3, TriMesh};

use super::arm::Arm;
use super::cone::Cones;
use super::guide::Guide;
use super::{GAP, LAYER, MARGIN, put};
use crate::mesh::FlatMesh;
use crate::pattern::Panel;
use crate::role::{Part, Side};

/// Where a panel of the trunk hangs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Hang {
    Front,
    Back,
    Band,
}

pub(super) fn hang(part: Part) -> Option<Hang> {
    match part {
        Part::Front | Part::SkirtFront => Some(Hang::Front),
        Part::Back | Part::SkirtBack => Some(Hang::Back),
        Part::Waistband => Some(Hang::Band),
        _ => None,
    }
}

/// Name of the mark of a panel at the centre line, as high as the neck or the waist. Panels that hang beside or below others of their half
/// have one; others hang by their tops.
pub(crate) const HANG: &str = "hang";

/// Name of the mark of a skirt that is sewn to a bodice: as high as the neck.
pub(crate) const HANG_FROM_NECK: &str = "hang_from_neck";

fn hung(panel: &Panel) -> Option<kurbo::Point> {
    panel.marks.iter().find(|mark| mark.name == HANG).map(|mark| mark.at)
}

/// How far a panel is moved in x so that both sides of a pair have room, and the width it then reaches to [m].
pub(super) fn aside(panel: &Panel, bounds: Rect) -> (f64, f64) {
    let left_is_positive = hang(panel.part) != Some(Hang::Back);
    let shift = match (panel.side, left_is_positive) {
        _ if hung(panel).is_some() => -hung(panel).map_or(0.0, |at| at.x),
        (Side::Left, true) | (Side::Right, false) => 0.5 * GAP - bounds.x0,
        (Side::Right, true) | (Side::Left, false) => -0.5 * GAP - bounds.x1,
        _ => 0.0,
    };
    (shift, (bounds.x0 + shift).abs().max((bounds.x1 + shift).abs()))
}

/// Height of the panel's y = 0.
pub(super) fn level(panel: &Panel, bounds: Rect, at: &Landmarks) -> f64 {
    if let Some(mark) = panel.marks.iter().find(|mark| mark.name == HANG_FROM_NECK) {
        return at.neck_sides[0].y + 0.01 - mark.at.y;
    }
    let top = hung(panel).map_or(bounds.y1, |at| at.y);
    match panel.part {
        Part::Front | Part::Back => at.neck_sides[0].y + 0.01 - top,
        Part::Waistband => at.waist + GAP - bounds.y0,
        _ => at.waist - top,
    }
}

pub(super) fn wrap_trunk(
    mesh: &FlatMesh,
    body: &TriMesh,
    at: &Landmarks,
    arm: &Arm,
    cones: &Cones,
    positions: &mut [DVec3],
) {
    let hung: Vec<(usize, &Panel, Rect)> = mesh
        .pattern
        .panels
        .iter()
        .enumerate()
        .filter(|(i, panel)| hang(panel.part).is_some() && !cones.has(*i))
        .map(|(i, panel)| (i, panel, panel.bounds()))
        .collect();
    let spans = hung
        .iter()
        .map(|(_, panel, bounds)| (level(panel, *bounds, at) + bounds.y0, level(panel, *bounds, at) + bounds.y1));
    let Some((low, high)) = spans.reduce(|p, q| (p.0.min(q.0), p.1.max(q.1))) else { return };
    let around = body.positions.iter().filter(|p| p.y > low - 0.02 && p.y < high + 0.02);
    let mut points: Vec<DVec2> = around.filter_map(|p| arm.trunk_point(*p)).collect();
    points.extend([DVec2::new(0.05, 0.0), DVec2::new(-0.05, 0.0), DVec2::new(0.0, 0.05)]);
    let room = |kind: Hang| {
        hung.iter()
            .filter(|(_, panel, _)| hang(panel.part) == Some(kind))
            .map(|(_, panel, bounds)| aside(panel, *bounds).1)
            .fold(0.0, f64::max)
    };
    let needed = (2.0 * (room(Hang::Front) + room(Hang::Back)) + 2.0 * GAP).max(2.0 * room(Hang::Band) + GAP);
    for (number, panel, bounds) in &hung {
        let outer = LAYER * f64::from(panel.layer.clamp(0, 100));
        let plain = Guide::around(&points, MARGIN + outer);
        // An offset by m makes a convex curve longer by 2πm.
        let more = ((needed - plain.length()) / std::f64::consts::TAU).max(0.0);
        let guide = if more > 0.0 { Guide::around(&points, MARGIN + outer + more * 1.02) } else { plain };
        let start = if hang(panel.part) == Some(Hang::Back) { 0.5 * guide.length() } else { 0.0 };
        let (shift, height) = (aside(panel, *bounds).0, level(panel, *bounds, at));
        put(mesh, *number, positions, |p| {
            let place = guide.at(start + p.x + shift);
            DVec3::new(place.x, height + p.y, place.y)
        });
    }
}

pub(super) fn wrap_collar(mesh: &FlatMesh, number: usize, body: &TriMesh, at: &Landmarks, positions: &mut [DVec3]) {
    let bounds = mesh.pattern.panels[number].bounds();
    let low = at.neck_sides[0].y + 0.025;
    let near =
        body.positions.iter().filter(|p| p.y > low - 0.005 && p.y < low + bounds.height() + 0.01 && p.x.abs() < 0.12);
    let mut points: Vec<DVec2> = near.map(|p| DVec2::new(p.x, p.z)).collect();
    points.extend([DVec2::new(0.03, 0.0), DVec2::new(-0.03, 0.0), DVec2::new(0.0, 0.03)]);
    let plain = Guide::around(&points, 0.01);
    let needed = 2.0 * bounds.x0.abs().max(bounds.x1.abs()) + GAP;
    let more = ((needed - plain.length()) / std::f64::consts::TAU).max(0.0);
    let guide = Guide::around(&points, 0.01 + 1.02 * more);
    put(mesh, number, positions, |p| {
        let place = guide.at(0.5 * guide.length() + p.x);
        DVec3::new(place.x, low + p.y - bounds.y0, place.y)
    });
}
