//! Legs of trousers: each leg around its own leg.
//!
//! The guide of a leg is a vertical cylinder over the convex hull of one half of the body, from the waist to the hem, that ends at
//! a wall between the legs. A panel's x = 0, the line straight down from the centre at the hip, stands beside the centre of
//! the body; what is cut beyond it, the fork and the inside of the leg, is bent around onto the wall. So the inseams of front and back
//! face each other between the legs, and the centre seams their mirror images. A pair of trousers is lowered until its
//! forks are clear of the body above them.

use toile_body::measure::Landmarks;
use toile_mesh::{DVec2, DVec3, TriMesh, judge};

use super::arm::Arm;
use super::guide::Guide;
use super::{GAP, LAYER, MARGIN, cloth, put};
use crate::mesh::FlatMesh;
use crate::pattern::Panel;
use crate::role::{Part, Side};

/// Distance of the wall from the middle plane, as a part of the space that the thighs leave.
const WALL: f64 = 0.5;
/// How far from the middle plane it is at most [m].
const WALL_MOST: f64 = 0.005;
/// How far trousers are lowered at most, and in which steps [m].
const LOWER_MOST: f64 = 0.12;
const LOWER_STEP: f64 = 0.01;

fn is_leg(panel: &Panel) -> bool {
    matches!(panel.part, Part::LegFront | Part::LegBack)
}

pub(super) fn wrap_legs(mesh: &FlatMesh, body: &TriMesh, at: &Landmarks, arm: &Arm, positions: &mut [DVec3]) {
    let panels: Vec<(usize, &Panel)> = mesh.pattern.panels.iter().enumerate().filter(|(_, p)| is_leg(p)).collect();
    let Some(top) = panels.iter().map(|(_, panel)| panel.bounds().y1).reduce(f64::max) else { return };
    let mut lower = 0.0;
    loop {
        let level = at.waist - top - lower;
        let legs = Legs::new(&panels, body, at, arm, level);
        for (number, panel) in &panels {
            legs.wrap(mesh, *number, panel, positions);
        }
        lower += LOWER_STEP;
        let placed = cloth(mesh, positions, is_leg);
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
    fn new(panels: &[(usize, &Panel)], body: &TriMesh, at: &Landmarks, arm: &Arm, level: f64) -> Self {
        let spans = panels.iter().map(|(_, panel)| (panel.bounds().y0 + level, panel.bounds().y1 + level));
        let (low, high) = spans.fold((f64::INFINITY, f64::NEG_INFINITY), |p, q| (p.0.min(q.0), p.1.max(q.1)));
        let near = body.positions.iter().filter(|p| p.y > low - 0.02 && p.y < high + 0.02);
        let points = near.filter_map(|p| arm.trunk_point(*p)).collect();
        // Between knee and crotch, where both legs are nearest to each other.
        let thighs = body.positions.iter().filter(|p| p.y < at.crotch.y - 0.02 && p.y > at.knee.y && p.x > 0.0);
        let inside = thighs.map(|p| p.x).fold(2.0 * WALL_MOST, f64::min);
        let wall = (WALL * inside).min(WALL_MOST);
        let reach = |part: Part, outwards: bool| {
            let all = panels.iter().filter(|(_, panel)| panel.part == part);
            all.map(|(_, panel)| {
                let (bounds, way) = (panel.bounds(), way(panel));
                let (x0, x1) = if way > 0.0 { (bounds.x0, bounds.x1) } else { (-bounds.x1, -bounds.x0) };
                if (part == Part::LegFront) == outwards { x1 } else { -x0 }
            })
            .fold(0.0, f64::max)
        };
        let needed =
            [true, false].map(|outwards| reach(Part::LegFront, outwards) + reach(Part::LegBack, outwards) + GAP);
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

    fn wrap(&self, mesh: &FlatMesh, number: usize, panel: &Panel, positions: &mut [DVec3]) {
        let (guide, behind) = self.guide(panel.layer);
        let start = if panel.part == Part::LegBack { behind } else { 0.0 };
        let margin = MARGIN + LAYER * f64::from(panel.layer.clamp(0, 100));
        let way = way(panel);
        put(mesh, number, positions, |p| {
            let place = guide.at(start + way * p.x);
            DVec3::new(way * (place.x + self.wall + margin), self.level + p.y, place.y)
        });
    }
}

/// Towards which x a panel's leg is.
fn way(panel: &Panel) -> f64 {
    if panel.side == Side::Right { -1.0 } else { 1.0 }
}
