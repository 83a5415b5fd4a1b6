//! Panels around trunk, waist and neck: vertical cylinders over convex hulls.
//!
//! Heights of panels that stand about somewhere are those of the drawing, not of this body. Tops that are closed on the shoulders hang from
//! the sides of the neck, strapless ones from above the bust, skirts and waistbands from the waist, bands of hems below them; what is sewn to a panel is
//! at the height where they are sewn, with a gap between what is above and what is below. Panels of one quarter that would overlap are
//! moved apart, from its middle outwards; where one lies over another by more than half, it is a layer farther out.

use kurbo::{Point, Rect, Vec2};
use toile_body::measure::Landmarks;
use toile_mesh::{DVec2, DVec3, TriMesh, judge};

use super::arm::Arm;
use super::guide::Guide;
use super::item::{Item, Region, Row, Sewn, cloth};
use super::{GAP, LAYER, MARGIN};
use crate::mesh::FlatMesh;
use crate::pattern::Panel;
use crate::role::{Part, Side};

/// How far above the bust a strapless top begins [m].
const ABOVE_BUST: f64 = 0.08;
/// Share of the narrower of two panels that may be overlapped before one is laid over the other.
const OVER: f64 = 0.5;
/// Steps in which the cylinder is moved away from a body that panels touch on it, as where thick arms begin [m], and how many.
const FARTHER: f64 = 0.015;
const FARTHER_STEPS: u32 = 5;
/// How far a panel over the centre reaches beyond it at least [m].
const CENTRED: f64 = 0.02;

fn is_top(part: Part) -> bool {
    matches!(part, Part::Front | Part::Back)
}

/// Name of the mark of a panel at the centre line, as high as the neck or the waist. Panels that hang beside or below others of their half
/// have one; others hang by their tops.
pub(crate) const HANG: &str = "hang";

/// Name of the mark of a skirt that is sewn to a bodice: as high as the neck.
pub(crate) const HANG_FROM_NECK: &str = "hang_from_neck";

/// The mark of a panel called `name`.
fn mark(panel: &Panel, name: &str) -> Option<Point> {
    panel.marks.iter().find(|mark| mark.name == name).map(|mark| mark.at)
}

/// Height of the panel's v = 0 that its part and its marks tell.
fn level(panel: &Panel, bounds: Rect, at: &Landmarks) -> f64 {
    let neck = at.neck_sides[0].y + 0.01;
    if let Some(mark) = mark(panel, HANG_FROM_NECK) {
        return neck - mark.y;
    }
    let top = mark(panel, HANG).map_or(bounds.y1, |mark| mark.y);
    match panel.part {
        Part::Front | Part::Back => neck - top,
        Part::Waistband => at.waist + GAP - bounds.y0,
        _ => at.waist - top,
    }
}

fn on_trunk(item: &Item<'_>) -> bool {
    matches!(item.region, Region::Trunk(_) | Region::Band)
}

/// Brings the trunk's panels to their heights on this body.
pub(super) fn raise(items: &mut [Item<'_>], pairs: &[Sewn], at: &Landmarks) {
    for item in items.iter_mut().filter(|item| on_trunk(item) && item.about.is_none()) {
        let up = level(item.panel, item.bounds, at);
        item.shift(Vec2::new(beside(item), up));
    }
    lower_hem_bands(items, pairs);
    let stood: Vec<usize> = (0..items.len()).filter(|i| on_trunk(&items[*i]) && items[*i].about.is_some()).collect();
    if !stood.is_empty() {
        raise_stood(items, &stood, pairs, at);
    }
}

/// Bands that are sewn to nothing but tops finish their hems: they lie below them, with the side that is sewn on upwards.
fn lower_hem_bands(items: &mut [Item<'_>], pairs: &[Sewn]) {
    for i in 0..items.len() {
        if items[i].region != Region::Band || items[i].about.is_some() {
            continue;
        }
        let (mut edges, mut hem, mut is_hem) = (Vec::new(), f64::INFINITY, true);
        for pair in pairs {
            let Some(own) = pair.panels.iter().position(|panel| *panel == items[i].number) else { continue };
            let Some(other) = items.iter().find(|item| item.number == pair.panels[1 - own]) else { continue };
            if other.panel.part == Part::Waistband {
                continue;
            }
            is_hem &= is_top(other.panel.part);
            hem = hem.min(other.bounds.y0);
            edges.extend(pair.edges[own].iter().copied());
        }
        let Some(sewn) = items[i].middle_of(&edges).filter(|_| is_hem && hem.is_finite()) else { continue };
        if sewn.y < items[i].bounds.center().y {
            items[i].turn_round();
        }
        let down = hem - GAP - items[i].bounds.y1;
        items[i].shift(Vec2::new(0.0, down));
    }
}

/// Moves panels of the trunk apart that stand about somewhere; those of cones lie elsewhere.
pub(super) fn part(items: &mut [Item<'_>], is_cone: impl Fn(usize) -> bool) {
    for row in Row::ALL {
        let is_here = |i: &usize| items[*i].region == Region::Trunk(row) && items[*i].about.is_some() && !is_cone(*i);
        let here: Vec<usize> = (0..items.len()).filter(is_here).collect();
        part_row(items, &here);
    }
}

/// How far a panel is moved so that both sides of a pair have room.
fn beside(item: &Item<'_>) -> f64 {
    if let Some(mark) = mark(item.panel, HANG) {
        return -mark.x;
    }
    let left_is_positive = item.region != Region::Trunk(Row::Back);
    match (item.side, left_is_positive) {
        (Side::Left, true) | (Side::Right, false) => 0.5 * GAP - item.bounds.x0,
        (Side::Right, true) | (Side::Left, false) => -0.5 * GAP - item.bounds.x1,
        _ => 0.0,
    }
}

/// Whether two tops are closed above the chest: a seam of front and back in the highest part of both.
fn has_shoulders(items: &[Item<'_>], stood: &[usize], pairs: &[Sewn]) -> bool {
    let find = |number: usize| stood.iter().map(|i| &items[*i]).find(|item| item.number == number);
    pairs.iter().any(|pair| {
        let (Some(a), Some(b)) = (find(pair.panels[0]), find(pair.panels[1])) else { return false };
        let is_high = |item: &Item<'_>, edge: usize| {
            let middle = item.middle_of(&[edge]);
            middle.is_some_and(|middle| middle.y > item.bounds.y1 - 0.15 * item.bounds.height())
        };
        let opposite = is_top(a.panel.part) && is_top(b.panel.part) && a.region != b.region;
        opposite && pair.edges[0].iter().any(|e| is_high(a, *e)) && pair.edges[1].iter().any(|e| is_high(b, *e))
    })
}

/// Brings panels that stand about somewhere to their heights.
fn raise_stood(items: &mut [Item<'_>], stood: &[usize], pairs: &[Sewn], at: &Landmarks) {
    let of = |wanted: fn(Part) -> bool| -> Vec<usize> {
        stood.iter().copied().filter(|i| wanted(items[*i].panel.part)).collect()
    };
    let (tops, bands) = (of(is_top), of(|part| part == Part::Waistband));
    let highest = |some: &[usize]| some.iter().map(|i| items[*i].bounds.y1).fold(f64::NEG_INFINITY, f64::max);
    let lowest = |some: &[usize]| some.iter().map(|i| items[*i].bounds.y0).fold(f64::INFINITY, f64::min);
    let (first, up) = if !tops.is_empty() {
        let strapless = at.bust + ABOVE_BUST;
        let hung = if has_shoulders(items, stood, pairs) { at.neck_sides[0].y + 0.01 } else { strapless };
        let up = hung - highest(&tops);
        (tops, up)
    } else if !bands.is_empty() {
        let up = at.waist + GAP - lowest(&bands);
        (bands, up)
    } else {
        // The upper tier of a skirt; the others follow its hem.
        let top = highest(stood);
        let upper: Vec<usize> = stood.iter().copied().filter(|i| items[*i].bounds.y1 > top - 0.05).collect();
        (upper, at.waist - top)
    };
    let mut is_raised = vec![false; items.len()];
    for i in first {
        items[i].shift(Vec2::new(0.0, up));
        is_raised[i] = true;
    }
    while let Some((i, by)) = next_height(items, stood, pairs, &is_raised) {
        items[i].shift(Vec2::new(0.0, by));
        is_raised[i] = true;
    }
    // What is sewn to none of them keeps its height over the others.
    for i in stood.iter().filter(|i| !is_raised[**i]) {
        items[*i].shift(Vec2::new(0.0, up));
    }
}

/// A panel that is sewn to one at its height, and how far it must be raised.
fn next_height(items: &[Item<'_>], stood: &[usize], pairs: &[Sewn], is_raised: &[bool]) -> Option<(usize, f64)> {
    let find = |number: usize| stood.iter().copied().find(|i| items[*i].number == number);
    for pair in pairs {
        for [own, other] in [[0, 1], [1, 0]] {
            let (Some(i), Some(k)) = (find(pair.panels[own]), find(pair.panels[other])) else { continue };
            if is_raised[i] || !is_raised[k] {
                continue;
            }
            let middles = (items[i].middle_of(&pair.edges[own]), items[k].middle_of(&pair.edges[other]));
            let (Some(from), Some(to)) = middles else { continue };
            let bounds = items[i].bounds;
            // Sewn by its upper or lower end it is below or above, otherwise beside.
            let place = (from.y - bounds.center().y) / bounds.height().max(1e-6);
            let gap = if place > 0.25 {
                -GAP
            } else if place < -0.25 {
                GAP
            } else {
                0.0
            };
            return Some((i, to.y - from.y + gap));
        }
    }
    None
}

/// Moves the panels of a quarter apart.
fn part_row(items: &mut [Item<'_>], row: &[usize]) {
    let mut order = row.to_vec();
    order.sort_by(|a, b| {
        let centre = |i: usize| items[i].bounds.center().x;
        centre(*a).total_cmp(&centre(*b)).then(a.cmp(b))
    });
    lay_over(items, &order);
    // A panel over the centre stays; others are moved away from it, and keep half a gap from the centre.
    let is_centred = |i: &usize| items[*i].bounds.x0 < -CENTRED && items[*i].bounds.x1 > CENTRED;
    let (centred, beside): (Vec<usize>, Vec<usize>) = order.into_iter().partition(is_centred);
    let (mut right, left): (Vec<usize>, Vec<usize>) =
        beside.into_iter().partition(|i| items[*i].bounds.center().x < 0.0);
    right.reverse();
    push_out(items, &centred, &left, 1.0);
    push_out(items, &centred, &right, -1.0);
}

/// Lays panels over others which they cover by more than half.
fn lay_over(items: &mut [Item<'_>], order: &[usize]) {
    for a in 0..order.len() {
        for b in a + 1..order.len() {
            let (p, q) = (&items[order[a]], &items[order[b]]);
            let common = p.bounds.intersect(q.bounds);
            let narrower = p.bounds.width().min(q.bounds.width());
            let meets = common.width() > OVER * narrower && common.height() > GAP;
            if !meets || p.layer != q.layer {
                continue;
            }
            let far = |item: &Item<'_>| item.about.map_or(0.0, |stand| stand.at(item.panel.bounds().center()).z.abs());
            let area = |item: &Item<'_>| item.bounds.area();
            // The one farther away, or the smaller one.
            let first = far(p) > far(q) + 1e-6 || ((far(p) - far(q)).abs() <= 1e-6 && area(p) < area(q));
            let over = if first { order[a] } else { order[b] };
            items[over].layer += 1;
        }
    }
}

/// Moves panels in the direction `way` so that each is clear of those before it at its own height and in its own layer.
fn push_out(items: &mut [Item<'_>], stays: &[usize], order: &[usize], way: f64) {
    let mut before: Vec<usize> = stays.to_vec();
    for &i in order {
        let (bounds, layer) = (items[i].bounds, items[i].layer);
        let inner = |r: Rect| if way > 0.0 { r.x0 } else { -r.x1 };
        let outer = |r: Rect| if way > 0.0 { r.x1 } else { -r.x0 };
        let mut least = 0.5 * GAP;
        for other in before.iter().map(|k| &items[*k]) {
            let is_beside = other.bounds.y0 < bounds.y1 + 0.5 * GAP && other.bounds.y1 > bounds.y0 - 0.5 * GAP;
            if is_beside && other.layer == layer {
                least = least.max(outer(other.bounds) + GAP);
            }
        }
        let lack = least - inner(bounds);
        if lack > 0.0 {
            items[i].shift(Vec2::new(way * lack, 0.0));
        }
        before.push(i);
    }
}

/// Lays the trunk's panels onto a cylinder around it, as near as nothing touches the body.
pub(super) fn wrap_trunk(mesh: &FlatMesh, body: &TriMesh, arm: &Arm, hung: &[&Item<'_>], positions: &mut [DVec3]) {
    for step in 0..=FARTHER_STEPS {
        wrap_at(mesh, body, arm, hung, MARGIN + FARTHER * f64::from(step), positions);
        let placed = cloth(mesh, positions, |number| hung.iter().any(|item| item.number == number));
        if judge::mutual_intersections(&placed, body).is_clean() {
            return;
        }
    }
    wrap_at(mesh, body, arm, hung, MARGIN, positions);
}

/// Lays the trunk's panels onto a cylinder at a distance from it [m].
fn wrap_at(mesh: &FlatMesh, body: &TriMesh, arm: &Arm, hung: &[&Item<'_>], margin: f64, positions: &mut [DVec3]) {
    let spans = hung.iter().map(|item| (item.bounds.y0, item.bounds.y1));
    let Some((low, high)) = spans.reduce(|p, q| (p.0.min(q.0), p.1.max(q.1))) else { return };
    let around = body.positions.iter().filter(|p| p.y > low - 0.02 && p.y < high + 0.02);
    let mut points: Vec<DVec2> = around.filter_map(|p| arm.trunk_point(*p)).collect();
    points.extend([DVec2::new(0.05, 0.0), DVec2::new(-0.05, 0.0), DVec2::new(0.0, 0.05)]);
    let reach = |region: Region| {
        let of = hung.iter().filter(|item| item.region == region);
        of.map(|item| item.bounds.x0.abs().max(item.bounds.x1.abs())).fold(0.0, f64::max)
    };
    let quarters: f64 = Row::ALL.into_iter().map(|row| reach(Region::Trunk(row))).sum();
    let sides = reach(Region::Trunk(Row::Left)) + reach(Region::Trunk(Row::Right));
    let gaps = if sides > 0.0 { 4.0 } else { 2.0 };
    let needed = (2.0 * quarters + gaps * GAP).max(2.0 * reach(Region::Band) + GAP);
    for item in hung {
        let outer = LAYER * f64::from(item.layer);
        let plain = Guide::around(&points, margin + outer);
        // An offset by m makes a convex curve longer by 2πm.
        let more = ((needed - plain.length()) / std::f64::consts::TAU).max(0.0);
        let guide = if more > 0.0 { Guide::around(&points, margin + outer + more * 1.02) } else { plain };
        let quarter = match item.region {
            Region::Trunk(Row::Left) => 0.25,
            Region::Trunk(Row::Back) => 0.5,
            Region::Trunk(Row::Right) => 0.75,
            _ => 0.0,
        };
        let start = quarter * guide.length();
        item.put(mesh, positions, |u, v| {
            let place = guide.at(start + u);
            DVec3::new(place.x, v, place.y)
        });
    }
}

pub(super) fn wrap_collar(mesh: &FlatMesh, item: &Item<'_>, body: &TriMesh, at: &Landmarks, positions: &mut [DVec3]) {
    let bounds = item.bounds;
    let low = at.neck_sides[0].y + 0.025;
    let near =
        body.positions.iter().filter(|p| p.y > low - 0.005 && p.y < low + bounds.height() + 0.01 && p.x.abs() < 0.12);
    let mut points: Vec<DVec2> = near.map(|p| DVec2::new(p.x, p.z)).collect();
    points.extend([DVec2::new(0.03, 0.0), DVec2::new(-0.03, 0.0), DVec2::new(0.0, 0.03)]);
    let plain = Guide::around(&points, 0.01);
    let needed = 2.0 * bounds.x0.abs().max(bounds.x1.abs()) + GAP;
    let more = ((needed - plain.length()) / std::f64::consts::TAU).max(0.0);
    let guide = Guide::around(&points, 0.01 + 1.02 * more);
    item.put(mesh, positions, |u, v| {
        let place = guide.at(0.5 * guide.length() + u);
        DVec3::new(place.x, low + v - bounds.y0, place.y)
    });
}
