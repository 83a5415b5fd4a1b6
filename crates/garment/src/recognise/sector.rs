//! [`sector`]: skirts that are sectors of a ring, of which the sides look anywhere.
//!
//! A sector has two arcs about one centre, the waist inside and the hem outside, and two straight sides towards the centre. No
//! template knows where these look: the side of a full circle skirt looks up.

use kurbo::{Point, Vec2};

use super::arcs::arc_of;
use super::template::Role;
use crate::curve::Curve;
use crate::pattern::{Cut, Panel};
use crate::role::Side;

/// Least width of the ring [m].
const WIDTH: f64 = 0.05;
/// How far centres may be apart, relative to the outer radius.
const CENTRED: f64 = 0.01;
/// How far a straight side may miss the centre, relative to the outer radius.
const RADIAL: f64 = 0.02;

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
