//! Panels whose place is stated: exactly there, around a part of the body, or standing free about there.

use std::f64::consts::TAU;

use toile_body::measure::Landmarks;
use toile_mesh::{DVec2, DVec3, TriMesh, judge};

use super::arm::Arm;
use super::item::{Item, Region, cloth, sewn_at};
use super::{GAP, LAYER, MARGIN};
use crate::mesh::FlatMesh;
use crate::placement::{Around, Limb, Placement, Stand};
use crate::role::{Part, Side};

/// Steps in which a panel is moved out of what it touches, and how far at most [m].
const STEP: f64 = 0.01;
const FARTHEST: f64 = 0.4;
/// Distance that vertices of stated panels keep from each other [m].
const APART: f64 = 0.004;
/// How far hoods and collars are raised at most [m].
const HIGHEST: f64 = 0.15;

/// Puts a panel exactly where it is stated, or around what it names.
pub(super) fn put_stated(
    mesh: &FlatMesh,
    item: &Item<'_>,
    body: &TriMesh,
    at: &Landmarks,
    arm: &Arm,
    positions: &mut [DVec3],
) {
    match item.panel.placement {
        Some(Placement::Fixed { stand, bend }) => {
            let (turn, shift) = (stand.matrix(), DVec3::from_array(stand.translation));
            item.put(mesh, positions, |x, y| {
                let flat = DVec3::new(x, y, 0.0);
                turn * bend.map_or(flat, |bend| bend.at(DVec2::new(x, y))) + shift
            });
        }
        Some(Placement::Around(around)) => bend_around(mesh, item, around, body, at, arm, positions),
        _ => {}
    }
}

/// Origin, direction upwards, and direction from the axis at the angle 0 of a part of the body.
fn axis(limb: Limb, at: &Landmarks, arm: &Arm) -> (DVec3, DVec3, DVec3) {
    let leg = |way: f64| (DVec3::new(way * at.thigh.x, at.crotch.y, at.thigh.z), DVec3::Y, DVec3::Z);
    let arm = |side: Side| {
        let (shoulder, down) = arm.on(side);
        (shoulder, -down, (DVec3::Y - DVec3::Y.dot(down) * down).normalize_or(DVec3::Z))
    };
    match limb {
        Limb::Trunk => (DVec3::new(at.crotch.x, at.waist, at.crotch.z), DVec3::Y, DVec3::Z),
        Limb::Neck => (at.neck.point.with_y(at.neck_sides[0].y), DVec3::Y, DVec3::Z),
        Limb::LeftArm => arm(Side::Left),
        Limb::RightArm => arm(Side::Right),
        Limb::LeftLeg => leg(1.0),
        Limb::RightLeg => leg(-1.0),
    }
}

/// Largest distance of the body from the axis where the panel is, of the part of the body that the axis is in [m].
fn thickness(limb: Limb, body: &TriMesh, arm: &Arm, axis: (DVec3, DVec3), [low, high]: [f64; 2]) -> f64 {
    let (origin, up) = axis;
    let mut thick = 0.0_f64;
    for p in &body.positions {
        let along = (*p - origin).dot(up);
        if along < low - 0.01 || along > high + 0.01 {
            continue;
        }
        let far = (*p - origin - along * up).length();
        let is_part = match limb {
            Limb::Trunk => arm.trunk_point(*p).is_some(),
            Limb::Neck => far < 0.12,
            Limb::LeftArm | Limb::RightArm => far < 0.10,
            Limb::LeftLeg | Limb::RightLeg => arm.trunk_point(*p).is_some() && p.x * origin.x > 0.0,
        };
        if is_part {
            thick = thick.max(far);
        }
    }
    thick
}

fn bend_around(
    mesh: &FlatMesh,
    item: &Item<'_>,
    around: Around,
    body: &TriMesh,
    at: &Landmarks,
    arm: &Arm,
    positions: &mut [DVec3],
) {
    let (origin, up, ahead) = axis(around.limb, at, arm);
    // Outer side out, `x` and `up` are square to the way out: x × up = out.
    let across = up.cross(ahead);
    let bounds = item.bounds;
    let span = [around.along + bounds.y0, around.along + bounds.y1];
    let near = thickness(around.limb, body, arm, (origin, up), span) + MARGIN + LAYER * f64::from(item.layer);
    let radius = around.radius.unwrap_or_else(|| near.max((bounds.width() + GAP) / TAU));
    item.put(mesh, positions, |x, y| {
        let (sin, cos) = (around.angle + x / radius).sin_cos();
        origin + (around.along + y) * up + radius * (cos * ahead + sin * across)
    });
}

/// Puts a panel that stands free about there: at the height of what it is sewn to.
pub(super) fn put_free(mesh: &FlatMesh, item: &Item<'_>, is_placed: &[bool], raised: f64, positions: &mut [DVec3]) {
    let Some(stand) = item.about else { return };
    let place = |x: f64, y: f64| stand.at(kurbo::Point::new(x, y));
    item.put(mesh, positions, place);
    let to = sewn_at(mesh, item.number, is_placed, positions);
    let from = to.and_then(|_| own_edges(mesh, item.number, is_placed, positions));
    let up = match (from, to) {
        (Some(from), Some(to)) if item.panel.part == Part::Collar => to.y - from.y + GAP,
        _ => raised,
    };
    item.put(mesh, positions, |x, y| place(x, y) + up * DVec3::Y);
}

/// Brings a free panel as near to the body as nothing touches it, against its outer side.
pub(super) fn bring_near(
    mesh: &FlatMesh,
    item: &Item<'_>,
    is_placed: &[bool],
    body: &TriMesh,
    positions: &mut [DVec3],
) {
    let Some(stand) = item.about else { return };
    let before = cloth(mesh, positions, |number| is_placed[number] && number != item.number);
    let panel = &mesh.panels[item.number];
    let range = panel.first as usize..panel.first as usize + panel.positions.len();
    let inwards = -STEP * away(&stand, item);
    let mut last = positions[range.clone()].to_vec();
    for _ in 0..(FARTHEST / STEP) as usize {
        let own = cloth(mesh, positions, |number| number == item.number);
        if touches(&own, &before, body) {
            break;
        }
        last = positions[range.clone()].to_vec();
        positions[range.clone()].iter_mut().for_each(|p| *p += inwards);
    }
    // Half a step of room; what touched from the first is moved out later.
    for (to, from) in positions[range].iter_mut().zip(&last) {
        *to = *from - 0.5 * inwards;
    }
}

/// Mean place of the vertices of a panel that are sewn to placed panels [m].
fn own_edges(mesh: &FlatMesh, number: usize, is_placed: &[bool], positions: &[DVec3]) -> Option<DVec3> {
    let mut own = vec![false; is_placed.len()];
    own[number] = true;
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for (other, _) in is_placed.iter().enumerate().filter(|(other, placed)| **placed && *other != number) {
        if let Some(at) = sewn_at(mesh, other, &own, positions) {
            sum += at;
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}

/// Moves stated and free panels out along their outer sides until they touch neither the body nor another panel; hoods and collars,
/// which stand on the shoulders, upwards as well.
pub(super) fn part(mesh: &FlatMesh, items: &[Item<'_>], body: &TriMesh, positions: &mut [DVec3]) {
    let stands = |item: &Item<'_>| match (item.region, item.panel.placement) {
        (Region::Free, Some(Placement::About(stand))) | (Region::Stated, Some(Placement::Fixed { stand, .. })) => {
            Some(stand)
        }
        _ => None,
    };
    let mut is_clear: Vec<bool> = items.iter().map(|item| stands(item).is_none()).collect();
    for (i, item) in items.iter().enumerate() {
        let Some(stand) = stands(item) else { continue };
        let out = away(&stand, item);
        let before = cloth(mesh, positions, |number| is_clear[number]);
        let panel = &mesh.panels[item.number];
        let range = panel.first as usize..panel.first as usize + panel.positions.len();
        let start = positions[range.clone()].to_vec();
        let can_rise = item.region == Region::Free && item.panel.part == Part::Collar;
        for [up, far] in ways(can_rise) {
            for (to, from) in positions[range.clone()].iter_mut().zip(&start) {
                *to = *from + far * out + up * DVec3::Y;
            }
            let own = cloth(mesh, positions, |number| number == item.number);
            if !touches(&own, &before, body) {
                break;
            }
        }
        is_clear[i] = true;
    }
}

/// Whether a panel intersects the body or other panels, or is nearer to these than [`APART`].
fn touches(own: &TriMesh, others: &TriMesh, body: &TriMesh) -> bool {
    is_near(own, others)
        || is_near(others, own)
        || !judge::mutual_intersections(own, body).is_clean()
        || !judge::mutual_intersections(own, others).is_clean()
}

/// Whether a vertex of one mesh is nearer than [`APART`] to a triangle of the other.
fn is_near(vertices: &TriMesh, triangles: &TriMesh) -> bool {
    let mut is_used = vec![false; vertices.positions.len()];
    vertices.triangles.iter().flatten().for_each(|v| is_used[v.index()] = true);
    let used: Vec<DVec3> = vertices.positions.iter().zip(is_used).filter(|(_, used)| *used).map(|(p, _)| *p).collect();
    for face in triangles.faces() {
        let corners = triangles.corners(face);
        let low = corners[0].min(corners[1]).min(corners[2]) - APART;
        let high = corners[0].max(corners[1]).max(corners[2]) + APART;
        let is_here = |p: &&DVec3| p.cmpge(low).all() && p.cmple(high).all();
        if used.iter().filter(is_here).any(|p| distance(*p, corners) < APART) {
            return true;
        }
    }
    false
}

/// Distance of a point from a triangle [m].
fn distance(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let is_inside = |from: DVec3, to: DVec3| (to - from).cross(p - from).dot(normal) >= 0.0;
    if is_inside(a, b) && is_inside(b, c) && is_inside(c, a) && normal != DVec3::ZERO {
        return (p - a).dot(normal).abs();
    }
    let to_side = |from: DVec3, to: DVec3| {
        let way = to - from;
        let t = ((p - from).dot(way) / way.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        p.distance(from + t * way)
    };
    to_side(a, b).min(to_side(b, c)).min(to_side(c, a))
}

/// The direction square to a panel that leads away from the body: its outer side, unless it is folded down when it is worn.
fn away(stand: &Stand, item: &Item<'_>) -> DVec3 {
    let n = stand.matrix().z_axis;
    let place = stand.at(item.panel.bounds().center()).with_y(0.0);
    if n.dot(place) < 0.0 && item.region == Region::Free { -n } else { n }
}

/// How far up and out a panel is tried, the nearest places first [m].
fn ways(can_rise: bool) -> Vec<[f64; 2]> {
    let steps = |length: f64| (length / STEP).round() as u32;
    let highest = if can_rise { steps(HIGHEST) } else { 0 };
    let mut ways = Vec::new();
    for up in 0..=highest {
        for out in 0..=steps(FARTHEST) {
            ways.push([up, out]);
        }
    }
    // Of ways of one length, upwards first.
    ways.sort_by_key(|[up, out]| (up + out, *out));
    ways.into_iter().map(|way| way.map(|count| STEP * f64::from(count))).collect()
}
