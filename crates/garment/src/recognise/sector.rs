//! [`sector`]: skirts that are sectors of a ring, of which the sides look anywhere.
//!
//! A sector has two arcs about one centre, the waist inside and the hem outside, and two straight sides towards the centre. No
//! template knows where these look: the side of a full circle skirt looks up.

use std::f64::consts::PI;

use kurbo::{Point, Vec2};

use super::arcs::arc_of;
use super::pose::NAMELESS;
use super::template::Role;
use crate::curve::Curve;
use crate::pattern::{Cut, Edge, Panel};
use crate::role::Side;

/// Least width of the ring [m].
const WIDTH: f64 = 0.05;
/// How far centres may be apart, relative to the outer radius.
const CENTRED: f64 = 0.01;
/// How far a straight side may miss the centre, relative to the outer radius.
const RADIAL: f64 = 0.02;

/// Least angle of a sector that is cut in two [rad].
const LEAST_TURN: f64 = 0.5;

/// A sector of a ring.
pub(super) struct Sector {
    /// Centre of its arcs [m].
    pub(super) centre: Point,
    /// What its edges are; both straight sides are `Side`.
    roles: Vec<Role>,
}

/// The sector that an outline is, if it is one.
pub(super) fn sector(panel: &Panel) -> Option<Sector> {
    let count = panel.outline.len();
    let mut arcs = Vec::new();
    for edge in 0..count {
        let segment = panel.segment(edge)?;
        match arc_of(&segment) {
            Some((centre, radius)) => arcs.push((edge, centre, radius)),
            None if segment.curve == Curve::Line => {}
            None => return None,
        }
    }
    let outer = arcs.iter().map(|arc| arc.2).fold(0.0, f64::max);
    let inner = arcs.iter().map(|arc| arc.2).fold(f64::INFINITY, f64::min);
    let (.., centre, _) = arcs.iter().copied().find(|arc| arc.2 == outer)?;
    if outer < inner + WIDTH || arcs.iter().any(|arc| arc.1.distance(centre) > CENTRED * outer) {
        return None;
    }
    let mut roles = Vec::new();
    for edge in 0..count {
        if let Some((.., radius)) = arcs.iter().find(|arc| arc.0 == edge) {
            roles.push(if *radius > 0.5 * (inner + outer) { Role::Hem } else { Role::Waist });
        } else {
            let line = panel.segment(edge)?;
            let way = line.end - line.start;
            if ((centre - line.start).cross(way) / way.hypot()).abs() > RADIAL * outer {
                return None;
            }
            roles.push(Role::Side);
        }
    }
    Some(Sector { centre, roles })
}

/// A sector that goes all the way around the body, cut into its front and its back, each one half to be cut on the fold. The centre front is the
/// edge `fold` of the panel, or its middle; the centre back is its end. The first edge of each is its centre.
pub(super) fn parted(panel: &Panel, fold: Option<usize>) -> Option<[Panel; 2]> {
    let found = sector(panel)?;
    let from_centre = |p: Point| p - found.centre;
    let radii = |wanted: Role| {
        let edges = (0..found.roles.len()).filter(|edge| found.roles[*edge] == wanted);
        edges.filter_map(|edge| panel.segment(edge)).map(|segment| from_centre(segment.start).hypot()).next()
    };
    let (outer, inner) = (radii(Role::Hem)?, radii(Role::Waist)?);
    // Angles from one side to the other, over the middle of the hem.
    let down = found.down(panel).atan2();
    let turned = |way: Vec2| (way.atan2() - down + PI).rem_euclid(2.0 * PI) - PI;
    let side = |edge: usize| panel.segment(edge).map(|line| turned(from_centre(line.at_fraction(0.5))));
    let sides: Vec<f64> = (0..found.roles.len()).filter(|e| found.roles[*e] == Role::Side).filter_map(side).collect();
    let (low, high) = sides.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), a| (l.min(*a), h.max(*a)));
    if high - low < LEAST_TURN || !panel.holes.is_empty() {
        return None;
    }
    let (centre, end) = match fold.map(side) {
        Some(Some(at)) if (at - low).abs() < 0.05 => (low, high),
        Some(Some(at)) if (at - high).abs() < 0.05 => (high, low),
        Some(_) => return None,
        None => (0.5 * (low + high), high),
    };
    let between = 0.5 * (centre + end);
    let wedge = |name: &str, own: f64, other: f64, grain: Vec2| {
        let at = |radius: f64, angle: f64| found.centre + radius * Vec2::from_angle(angle + down);
        // Counter-clockwise, from the centre.
        let bulge = (0.25 * (other - own)).tan();
        let (first, second) = if bulge > 0.0 { (inner, outer) } else { (outer, inner) };
        let corners = [
            (at(first, own), Curve::Line),
            (at(second, own), Curve::Arc(bulge)),
            (at(second, other), Curve::Line),
            (at(first, other), Curve::Arc(-bulge)),
        ];
        let edges = corners
            .into_iter()
            .enumerate()
            .map(|(k, (start, curve))| Edge::new(format!("{NAMELESS}{k}"), start, curve));
        let middle = at(0.5 * (inner + outer), own);
        let mut part = Panel::new(format!("{}_{name}", panel.name), edges.collect());
        part.fabric.clone_from(&panel.fabric);
        part.quantity = panel.quantity;
        part.grain = [middle, middle + 0.1 * grain];
        part
    };
    let ray = |angle: f64| Vec2::from_angle(angle + down);
    Some([wedge("front", centre, between, ray(centre)), wedge("back", end, between, ray(end))])
}

impl Sector {
    /// What the edges of a panel are that lies as it is worn. The side of a half that is nearer to upright is the centre.
    pub(super) fn roles(&self, panel: &Panel) -> Vec<Option<Role>> {
        let mut roles = self.roles.clone();
        let is_half = panel.cut != Cut::Single || panel.side != Side::Both;
        let fold = if let Cut::Fold(name) = &panel.cut { panel.find(name) } else { None };
        let lean = |edge: &usize| panel.segment(*edge).map_or(f64::INFINITY, |line| (line.end.x - line.start.x).abs());
        let straight = (0..roles.len()).filter(|edge| roles[*edge] == Role::Side);
        let upright = fold.or_else(|| straight.min_by(|a, b| lean(a).total_cmp(&lean(b))));
        if let (true, Some(edge)) = (is_half, upright) {
            // All edges of the same side.
            let same = |other: usize| {
                let (Some(p), Some(q)) = (panel.segment(edge), panel.segment(other)) else { return false };
                let (u, v) = (p.at_fraction(0.5) - self.centre, q.at_fraction(0.5) - self.centre);
                (u.cross(v) / (u.hypot() * v.hypot())).abs() < 0.05 && u.dot(v) > 0.0
            };
            for (other, role) in roles.iter_mut().enumerate() {
                if *role == Role::Side && same(other) {
                    *role = Role::Centre;
                }
            }
        }
        roles.into_iter().map(Some).collect()
    }

    /// Direction from the centre of the arcs to the middle of the hem.
    pub(super) fn down(&self, panel: &Panel) -> Vec2 {
        let hem =
            (0..self.roles.len()).filter(|edge| self.roles[*edge] == Role::Hem).filter_map(|edge| panel.segment(edge));
        let middles: Vec<Vec2> =
            hem.map(|segment| (segment.at_fraction(0.5) - self.centre) * segment.length()).collect();
        middles.into_iter().fold(Vec2::ZERO, |sum, way| sum + way)
    }
}
