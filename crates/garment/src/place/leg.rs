//! Legs of trousers: each leg around its own leg.
//!
//! The guide of a leg is a vertical cylinder over the convex hull of one half of the body, from the waist to the hem, that ends at
//! a wall between the legs. A panel's x = 0, the line straight down from the centre at the hip, stands beside the centre of
//! the body; what is cut beyond it, the fork and the inside of the leg, is bent around onto the wall. So the inseams of front and back
//! face each other between the legs, and the centre seams their mirror images. A pair of trousers is lowered until its
//! forks are clear of the body above them.

use std::f64::consts::{FRAC_PI_2, TAU};

use kurbo::Vec2;
use toile_body::measure::Landmarks;
use toile_mesh::{DVec2, DVec3, TriMesh, judge};

use super::arm::Arm;
use super::guide::Guide;
use super::item::{Item, Region, Row, Sewn, cloth, sewn_at};
use super::{GAP, LAYER, MARGIN};
use crate::mesh::FlatMesh;
use crate::role::{Part, Side};

/// Distance of the wall from the middle plane, as a part of the space that the thighs leave.
const WALL: f64 = 0.5;
/// How far from the middle plane it is at most [m].
const WALL_MOST: f64 = 0.005;
/// How far trousers are lowered at most, and in which steps [m].
const LOWER_MOST: f64 = 0.12;
const LOWER_STEP: f64 = 0.01;

/// Brings panels of legs that stand about somewhere beside the centre line: what is sewn to the other leg begins there.
pub(super) fn arrange(items: &mut [Item<'_>], pairs: &[Sewn]) {
    let legs: Vec<usize> = (0..items.len()).filter(|i| is_leg(&items[*i])).collect();
    let mut is_moved = vec![false; items.len()];
    for &i in legs.iter().filter(|i| items[**i].about.is_none()) {
        is_moved[i] = true;
    }
    for &i in &legs {
        let item = &items[i];
        if item.about.is_none() {
            continue;
        }
        let to_other = |other: usize| legs.iter().any(|k| items[*k].number == other && items[*k].side != item.side);
        let mut ends = Vec::new();
        for pair in pairs {
            for [own, other] in [[0, 1], [1, 0]] {
                if pair.panels[own] == item.number && to_other(pair.panels[other]) {
                    let segments = pair.edges[own].iter().filter_map(|edge| item.panel.segment(*edge));
                    ends.extend(segments.flat_map(|s| [item.frame * s.start, item.frame * s.end]));
                }
            }
        }
        if let Some(top) = ends.into_iter().max_by(|p, q| p.y.total_cmp(&q.y)) {
            items[i].shift(Vec2::new(-top.x, 0.0));
            is_moved[i] = true;
        }
    }
    // Cuffs and other panels below follow what they are sewn to.
    while let Some((i, by)) = next_below(items, &legs, pairs, &is_moved) {
        items[i].shift(by);
        is_moved[i] = true;
    }
    // What is sewn to nothing begins at the centre line.
    for i in legs.into_iter().filter(|i| !is_moved[*i]) {
        let bounds = items[i].bounds;
        let inner = if way(&items[i]) * outwards(&items[i]) > 0.0 { bounds.x0 } else { bounds.x1 };
        items[i].shift(Vec2::new(-inner, 0.0));
    }
}

/// Finds the cuffs that are sewn to legs: they go around these, not around arms.
pub(super) fn find_cuffs(items: &mut [Item<'_>], pairs: &[Sewn]) {
    let legs: Vec<usize> = items.iter().filter(|item| is_leg(item)).map(|item| item.number).collect();
    for item in items.iter_mut().filter(|item| item.panel.part == Part::Cuff && item.about.is_none()) {
        let own = |pair: &&Sewn| pair.panels.contains(&item.number);
        let is_sewn = pairs.iter().filter(own).any(|pair| pair.panels.iter().any(|panel| legs.contains(panel)));
        if item.region == Region::Arm && is_sewn {
            item.region = Region::Ankle;
        }
    }
}

/// Lays a cuff around its leg, right below the hem that it is sewn to, its middle outside and its ends inside. Where the leg of the
/// trousers is longer than that of the body, the cuff lies inside of it, above the ankle.
pub(super) fn wrap_cuff(
    mesh: &FlatMesh,
    item: &Item<'_>,
    body: &TriMesh,
    at: &Landmarks,
    is_placed: &[bool],
    positions: &mut [DVec3],
) {
    let Some(hem) = sewn_at(mesh, item.number, is_placed, positions) else { return };
    let way = way(item);
    let low = (hem.y - GAP - item.bounds.height()).max(at.ankle.y);
    let top = low + item.bounds.height();
    let near = body.positions.iter().filter(|p| p.y > low - 0.01 && p.y < top + 0.01 && way * p.x > 0.0);
    let points: Vec<DVec2> = near.map(|p| DVec2::new(p.x, p.z)).collect();
    let least = points.iter().copied().reduce(DVec2::min).unwrap_or(DVec2::new(hem.x, hem.z));
    let most = points.iter().copied().reduce(DVec2::max).unwrap_or(least);
    let centre = 0.5 * (least + most);
    let thick = points.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
    let margin = 0.5 * MARGIN + LAYER * f64::from(item.layer);
    let radius = (thick + margin).max((item.bounds.width() + GAP) / TAU);
    let middle = item.bounds.center().x;
    item.put(mesh, positions, |u, v| {
        let (sin, cos) = (way * FRAC_PI_2 + (u - middle) / radius).sin_cos();
        DVec3::new(centre.x + radius * sin, top - (item.bounds.y1 - v), centre.y + radius * cos)
    });
}

/// A panel that is sewn to one at its place, and how far it must be moved.
fn next_below(items: &[Item<'_>], legs: &[usize], pairs: &[Sewn], is_moved: &[bool]) -> Option<(usize, Vec2)> {
    let find = |number: usize| legs.iter().copied().find(|i| items[*i].number == number);
    for pair in pairs {
        for [own, other] in [[0, 1], [1, 0]] {
            let (Some(i), Some(k)) = (find(pair.panels[own]), find(pair.panels[other])) else { continue };
            if is_moved[i] || !is_moved[k] || items[i].region != items[k].region || items[i].side != items[k].side {
                continue;
            }
            let middles = (items[i].middle_of(&pair.edges[own]), items[k].middle_of(&pair.edges[other]));
            let (Some(from), Some(to)) = middles else { continue };
            return Some((i, to - from - Vec2::new(0.0, GAP)));
        }
    }
    None
}

fn is_leg(item: &Item<'_>) -> bool {
    matches!(item.region, Region::Leg(_))
}

/// Direction of `u` in which a front panel of the left leg, and so on, goes from the centre outwards.
fn outwards(item: &Item<'_>) -> f64 {
    if item.region == Region::Leg(Row::Back) { -1.0 } else { 1.0 }
}

/// Lays the panels of legs around them, from the height `waist` [m] downwards.
pub(super) fn wrap_legs(
    mesh: &FlatMesh,
    items: &[Item<'_>],
    body: &TriMesh,
    at: &Landmarks,
    arm: &Arm,
    waist: f64,
    positions: &mut [DVec3],
) {
    let panels: Vec<&Item<'_>> = items.iter().filter(|item| is_leg(item)).collect();
    let Some(top) = panels.iter().map(|item| item.bounds.y1).reduce(f64::max) else { return };
    let mut lower = 0.0;
    loop {
        let level = waist - top - lower;
        let legs = Legs::new(&panels, body, at, arm, level);
        for item in &panels {
            legs.wrap(mesh, item, positions);
        }
        lower += LOWER_STEP;
        let placed = cloth(mesh, positions, |number| panels.iter().any(|item| item.number == number));
        if lower > LOWER_MOST || judge::mutual_intersections(&placed, body).is_clean() {
            return;
        }
    }
}

/// Guides for both legs at some height of the waist.
struct Legs {
    /// Height of the panels' y = 0.
    level: f64,
    /// Points of the body without its arms, `(x, z)`.
    points: Vec<DVec2>,
    /// x of the wall.
    wall: f64,
    /// Room that panels need on the outside and on the wall.
    needed: [f64; 2],
}

impl Legs {
    fn new(panels: &[&Item<'_>], body: &TriMesh, at: &Landmarks, arm: &Arm, level: f64) -> Self {
        let spans = panels.iter().map(|item| (item.bounds.y0 + level, item.bounds.y1 + level));
        let (low, high) = spans.fold((f64::INFINITY, f64::NEG_INFINITY), |p, q| (p.0.min(q.0), p.1.max(q.1)));
        let near = body.positions.iter().filter(|p| p.y > low - 0.02 && p.y < high + 0.02);
        let points = near.filter_map(|p| arm.trunk_point(*p)).collect();
        // Between knee and crotch, where both legs are nearest to each other.
        let thighs = body.positions.iter().filter(|p| p.y < at.crotch.y - 0.02 && p.y > at.knee.y && p.x > 0.0);
        let inside = thighs.map(|p| p.x).fold(2.0 * WALL_MOST, f64::min);
        let wall = (WALL * inside).min(WALL_MOST);
        let reach = |row: Row, outwards: bool| {
            let all = panels.iter().filter(|item| item.region == Region::Leg(row));
            all.map(|item| {
                let (bounds, way) = (item.bounds, way(item));
                let (x0, x1) = if way > 0.0 { (bounds.x0, bounds.x1) } else { (-bounds.x1, -bounds.x0) };
                if (row == Row::Front) == outwards { x1 } else { -x0 }
            })
            .fold(0.0, f64::max)
        };
        let needed = [true, false].map(|outwards| reach(Row::Front, outwards) + reach(Row::Back, outwards) + GAP);
        Self { level, points, wall, needed }
    }

    /// The guide of a layer, the left leg's, from the centre front, and the length to the centre back. Its x is counted from
    /// where the wall begins to bend.
    fn guide(&self, layer: i32) -> (Guide, f64) {
        let plain = self.grown(layer, DVec2::ZERO);
        let lack = DVec2::from_array(self.needed) - DVec2::new(plain.1, plain.0.length() - plain.1);
        // Depth makes the wall longer by as much, and the outside too; width the outside alone.
        let deep = 0.51 * lack.y.max(0.0);
        let wide = 0.51 * (lack.x - 2.0 * deep).max(0.0);
        if deep + wide > 0.0 { self.grown(layer, DVec2::new(wide, deep)) } else { plain }
    }

    /// The guide around a body that is wider by `more.x` at the side, and deeper by `more.y` in front and behind.
    fn grown(&self, layer: i32, more: DVec2) -> (Guide, f64) {
        let margin = MARGIN + LAYER * f64::from(layer.clamp(0, 100));
        let beside = |p: &DVec2| DVec2::new((p.x.abs() - self.wall - margin).max(0.0), p.y);
        let corners = [DVec2::ZERO, DVec2::new(more.x, 0.0), DVec2::new(0.0, more.y), more];
        let corners = corners.iter().flat_map(|c| [*c, DVec2::new(c.x, -c.y)]);
        let points: Vec<DVec2> =
            corners.flat_map(|corner| self.points.iter().map(move |p| beside(p) + corner)).collect();
        let guide = Guide::around(&points, margin);
        let behind = guide.behind();
        (guide, behind)
    }

    fn wrap(&self, mesh: &FlatMesh, item: &Item<'_>, positions: &mut [DVec3]) {
        let (guide, behind) = self.guide(item.layer);
        let start = if item.region == Region::Leg(Row::Back) { behind } else { 0.0 };
        let margin = MARGIN + LAYER * f64::from(item.layer);
        let way = way(item);
        item.put(mesh, positions, |u, v| {
            let place = guide.at(start + way * u);
            DVec3::new(way * (place.x + self.wall + margin), self.level + v, place.y)
        });
    }
}

/// Towards which x a panel's leg is.
fn way(item: &Item<'_>) -> f64 {
    if item.side == Side::Right { -1.0 } else { 1.0 }
}
