//! Sleeves and cuffs around the arms.

use std::f64::consts::FRAC_PI_2;

use kurbo::{Affine, Point, Vec2};
use toile_body::measure::Landmarks;
use toile_mesh::{DVec2, DVec3, TriMesh, judge};

use super::item::{Item, Region, Sewn, cloth};
use super::{GAP, LAYER};
use crate::mesh::FlatMesh;
use crate::role::{Part, Side};

/// Axis of the left arm.
pub(super) struct Arm {
    /// A point on it at the height of the shoulder.
    shoulder: DVec3,
    /// Direction towards the hand.
    down: DVec3,
    length: f64,
    /// How far down the arm its upper girth is taken, where it is clear of the trunk.
    free: f64,
}

impl Arm {
    pub(super) fn new(at: &Landmarks) -> Self {
        let (middle, wrist) = (at.upper_arm.point, at.wrist.plane.point);
        let down = (wrist - middle).normalize_or(DVec3::X);
        let shoulder = middle + (at.shoulder_points[0] - middle).dot(down) * down;
        Self { shoulder, down, length: shoulder.distance(wrist), free: (middle - shoulder).dot(down) }
    }

    /// The axis on a side.
    pub(super) fn on(&self, side: Side) -> (DVec3, DVec3) {
        let mirror = if side == Side::Right { DVec3::new(-1.0, 1.0, 1.0) } else { DVec3::ONE };
        (self.shoulder * mirror, self.down * mirror)
    }

    /// Distance of a point from the nearer arm, hand included, and how far down it is.
    pub(super) fn reach(&self, p: DVec3, side: Side) -> (f64, f64) {
        let (shoulder, down) = self.on(side);
        let t = (p - shoulder).dot(down);
        let on_axis = shoulder + t.clamp(0.0, self.length + 0.25) * down;
        (p.distance(on_axis), t)
    }

    pub(super) fn is_near(&self, p: DVec3) -> bool {
        [Side::Left, Side::Right].into_iter().any(|side| self.reach(p, side).0 < 0.10)
            && p.x.abs() > self.shoulder.x.abs() - 0.03
    }

    /// Where a panel on the trunk must keep clear of a point of the body, as `(x, z)`; `None` for the arms. Of the shoulders only
    /// the depth counts: panels hang beside them.
    pub(super) fn trunk_point(&self, p: DVec3) -> Option<DVec2> {
        if !self.is_near(p) {
            return Some(DVec2::new(p.x, p.z));
        }
        let side = if p.x < 0.0 { Side::Right } else { Side::Left };
        let reach = self.shoulder.x.abs();
        (self.reach(p, side).1 < 0.10).then(|| DVec2::new(p.x.clamp(-reach, reach), p.z))
    }
}

/// Brings panels of arms that stand about somewhere into the coordinates of the arm: `v` towards the shoulder, `u` around it, with `u` = 0
/// at its top.
///
/// Their arm goes along the axis of the panel that leads away from what it is sewn to nearer to the body. A panel that looks to the
/// front or back is a part of a sleeve, with its middle there; one that looks up goes all around.
pub(super) fn arrange(mesh: &FlatMesh, items: &mut [Item<'_>], pairs: &[Sewn]) {
    let on_arm = |item: &Item<'_>| item.region == Region::Arm;
    let stood: Vec<usize> = (0..items.len()).filter(|i| on_arm(&items[*i]) && items[*i].about.is_some()).collect();
    // Sleeves first, which are sewn to the trunk; then what is sewn to them.
    let mut is_done: Vec<bool> = items.iter().map(|item| !on_arm(item)).collect();
    let mut down = vec![DVec3::ZERO; items.len()];
    loop {
        let next: Vec<(usize, Point, Vec<usize>)> = stood
            .iter()
            .filter(|i| !is_done[**i])
            .filter_map(|&i| upper_edges(items, i, pairs, &is_done).map(|(at, from)| (i, at, from)))
            .collect();
        if next.is_empty() {
            break;
        }
        for (i, upper, from) in next {
            let inherited = from.iter().copied().find(|k| on_arm(&items[*k])).map(|k| (k, down[k]));
            down[i] = turn_to_arm(mesh, &mut items[i], Some(upper), inherited.map(|(_, d)| d));
            if let Some((k, _)) = inherited {
                follow(items, i, k, pairs);
            }
            is_done[i] = true;
        }
    }
    for &i in stood.iter().filter(|i| !is_done[**i]) {
        turn_to_arm(mesh, &mut items[i], None, None);
    }
}

/// The middle of the edges by which a panel is sewn to panels that are done, on the panel as drawn, and those panels.
fn upper_edges(items: &[Item<'_>], i: usize, pairs: &[Sewn], is_done: &[bool]) -> Option<(Point, Vec<usize>)> {
    let find = |number: usize| items.iter().position(|item| item.number == number);
    let (mut edges, mut from) = (Vec::new(), Vec::new());
    for pair in pairs {
        for [own, other] in [[0, 1], [1, 0]] {
            let Some(k) = find(pair.panels[other]) else { continue };
            if pair.panels[own] == items[i].number && is_done[k] {
                edges.extend_from_slice(&pair.edges[own]);
                from.push(k);
            }
        }
    }
    let drawn = Item { frame: Affine::IDENTITY, ..items[i].clone() };
    Some((drawn.middle_of(&edges)?, from))
}

/// Turns a panel so that its arm goes down; returns the direction of that arm where it stands.
fn turn_to_arm(mesh: &FlatMesh, item: &mut Item<'_>, upper: Option<Point>, known: Option<DVec3>) -> DVec3 {
    let Some(stand) = item.about else { return DVec3::ZERO };
    let r = stand.matrix();
    let middle = item.panel.bounds().center();
    let outside = if item.side == Side::Right { DVec3::NEG_X } else { DVec3::X };
    let guess = match (known, upper) {
        (Some(down), _) => Vec2::new(r.x_axis.dot(down), r.y_axis.dot(down)),
        (None, Some(upper)) => middle - upper,
        (None, None) => Vec2::new(r.x_axis.dot(outside), r.y_axis.dot(outside)),
    };
    // Sleeves are drawn along one of the two axes of their panel.
    let along =
        if guess.x.abs() > guess.y.abs() { Vec2::new(guess.x.signum(), 0.0) } else { Vec2::new(0.0, guess.y.signum()) };
    let up = -along;
    item.frame = Affine::new([up.y, up.x, -up.x, up.y, 0.0, 0.0]);
    item.measure(mesh);
    let down = along.x * r.x_axis + along.y * r.y_axis;
    let out = (DVec3::Y - DVec3::Y.dot(down) * down).normalize_or(DVec3::Z);
    let across = out.cross(down);
    let n = r.z_axis;
    let quarter = (n.dot(across).atan2(n.dot(out)) / FRAC_PI_2).round();
    item.shift(Vec2::new(-item.bounds.center().x, -item.bounds.y1));
    item.quarter = if n.dot(out).hypot(n.dot(across)) < 0.3 { 0.0 } else { quarter };
    down
}

/// Brings a panel to the height of the one that it is sewn to.
fn follow(items: &mut [Item<'_>], i: usize, k: usize, pairs: &[Sewn]) {
    for pair in pairs {
        for [own, other] in [[0, 1], [1, 0]] {
            if pair.panels[own] != items[i].number || pair.panels[other] != items[k].number {
                continue;
            }
            let middles = (items[i].middle_of(&pair.edges[own]), items[k].middle_of(&pair.edges[other]));
            if let (Some(from), Some(to)) = middles {
                let (bounds, mut by) = (items[i].bounds, to.y - from.y);
                if from.y > bounds.center().y + 0.25 * bounds.height() {
                    by -= GAP;
                }
                items[i].shift(Vec2::new(0.0, by));
            }
        }
    }
}

/// Wraps sleeves, and cuffs below them, around the arms.
pub(super) fn wrap_arms(mesh: &FlatMesh, items: &[Item<'_>], body: &TriMesh, arm: &Arm, positions: &mut [DVec3]) {
    let on_arm = |number: usize| items.iter().any(|item| item.number == number && item.region == Region::Arm);
    let others = cloth(mesh, positions, |number| !on_arm(number));
    for side in [Side::Left, Side::Right] {
        let chosen: Vec<&Item<'_>> =
            items.iter().filter(|item| item.region == Region::Arm && item.side == side).collect();
        let stood: Vec<&Item<'_>> = chosen.iter().copied().filter(|item| item.about.is_some()).collect();
        let top = stood.iter().map(|item| item.bounds.y1).fold(f64::NEG_INFINITY, f64::max);
        // Down the arm in steps of 2 cm until nothing is touched; the last step stays if that never happens.
        for step in 0..12 {
            let first = 0.01 + 0.02 * f64::from(step);
            let mut start = first;
            for item in &chosen {
                if item.about.is_some() {
                    wrap_arm(mesh, item, &stood, (body, arm, first + top - item.bounds.y1, side), positions);
                } else {
                    wrap_arm(mesh, item, &[item], (body, arm, start, side), positions);
                    start += item.bounds.height() + GAP;
                }
            }
            let sleeves = cloth(mesh, positions, |number| chosen.iter().any(|item| item.number == number));
            if judge::mutual_intersections(&sleeves, body).is_clean()
                && judge::mutual_intersections(&sleeves, &others).is_clean()
            {
                break;
            }
        }
    }
}

/// Lays a panel around an arm, beside others that are around it at the same place.
fn wrap_arm(
    mesh: &FlatMesh,
    item: &Item<'_>,
    beside: &[&Item<'_>],
    (body, arm, start, side): (&TriMesh, &Arm, f64, Side),
    positions: &mut [DVec3],
) {
    let bounds = item.bounds;
    let end = start + bounds.height();
    let near = body.positions.iter().map(|p| (*p, arm.reach(*p, side)));
    // Further up, only the cap is there, which lies on the arm and not around it.
    let from = (start - 0.01).max(arm.free - 0.03);
    let arm_only = near.filter(|(_, (far, t))| *t > from && *t < end + 0.01 && *far < 0.10);
    let thick = arm_only.map(|(_, (far, _))| far).fold(0.03, f64::max);
    let outer = LAYER * f64::from(item.layer);
    let together = beside.iter().filter(|other| other.bounds.y0 < bounds.y1 && other.bounds.y1 > bounds.y0);
    let width: f64 = together.map(|other| other.bounds.width() + GAP).sum();
    let radius = (thick + 0.008 + outer).max(width / std::f64::consts::TAU);
    let (shoulder, down) = arm.on(side);
    let out = (DVec3::Y - DVec3::Y.dot(down) * down).normalize_or(DVec3::Z);
    let across = out.cross(down);
    // A sleeve's cap is highest at x = 0; a cuff hangs by its middle.
    let middle = if item.panel.part == Part::Sleeve || item.about.is_some() { 0.0 } else { bounds.center().x };
    item.put(mesh, positions, |u, v| {
        let (sin, cos) = ((u - middle) / radius + FRAC_PI_2 * item.quarter).sin_cos();
        shoulder + (start + bounds.y1 - v) * down + radius * (cos * out + sin * across)
    });
}
