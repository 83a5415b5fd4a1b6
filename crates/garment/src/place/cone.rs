//! Skirts cut as sectors of a ring: the cone they are when sewn.
//!
//! A sector of sweep `φ` becomes a part of a cone of half angle `α` with `sin α = Σφ / 2π`: a point at the distance `ρ` from the centre
//! of the arcs and the angle `θ` from straight down goes to the distance `ρ sin α` from the axis, at the angle `θ / sin α`, and `ρ cos α`
//! below the tip.

use kurbo::{Point, Vec2};
use toile_body::measure::Landmarks;
use toile_mesh::{DVec2, DVec3, TriMesh};

use super::arm::Arm;
use super::{LAYER, MARGIN, put};
use crate::mesh::FlatMesh;
use crate::pattern::Panel;
use crate::role::{Part, Side};

/// A skirt of sectors: panels with the centre and the inner radius of their arcs.
pub(super) struct Cones {
    panels: Vec<(usize, Point, f64)>,
    /// Sine of the cone's half angle: the sweep of all sectors over a full turn.
    sine: f64,
}

impl Cones {
    pub(super) fn find(panels: &[Panel]) -> Self {
        let mut cones = Self { panels: Vec::new(), sine: 0.0 };
        for (number, panel) in panels.iter().enumerate() {
            if !matches!(panel.part, Part::SkirtFront | Part::SkirtBack) || panel.side != Side::Both {
                continue;
            }
            let arcs: Vec<(Point, f64)> = (0..panel.outline.len())
                .filter_map(|edge| panel.segment(edge))
                .filter_map(|segment| Some((segment.centre()?, segment.start.distance(segment.centre()?))))
                .collect();
            let Some((centre, _)) = arcs.first().copied() else { continue };
            let inner = arcs.iter().map(|(_, r)| *r).fold(f64::INFINITY, f64::min);
            let outer = arcs.iter().map(|(_, r)| *r).fold(0.0, f64::max);
            if outer > inner + 0.05 && arcs.iter().all(|(other, _)| other.distance(centre) < 1e-3) {
                let angles = panel.outline.iter().map(|edge| turn(edge.start - centre));
                let (low, high) = angles.fold((0.0_f64, 0.0_f64), |(low, high), a| (low.min(a), high.max(a)));
                cones.sine += (high - low) / std::f64::consts::TAU;
                cones.panels.push((number, centre, inner));
            }
        }
        // More than a full turn has no cone, and hangs like other panels.
        if cones.sine > 1.0 + 1e-6 {
            cones.panels.clear();
        }
        cones.sine = cones.sine.clamp(1e-3, 1.0);
        cones
    }

    pub(super) fn has(&self, number: usize) -> bool {
        self.panels.iter().any(|(panel, ..)| *panel == number)
    }

    pub(super) fn wrap(&self, mesh: &FlatMesh, body: &TriMesh, at: &Landmarks, arm: &Arm, positions: &mut [DVec3]) {
        let cosine = (1.0 - self.sine * self.sine).max(0.0).sqrt();
        for (number, centre, inner) in &self.panels {
            let panel = &mesh.pattern.panels[*number];
            let way = if panel.part == Part::SkirtFront { 1.0 } else { -1.0 };
            let length =
                mesh.panels[*number].positions.iter().map(|p| p.distance(DVec2::new(centre.x, centre.y)) - inner);
            let length = length.fold(0.0, f64::max);
            let radius = |y: f64| self.sine * (inner + ((at.waist - y) / cosine.max(1e-3)).clamp(0.0, length));
            let low = at.waist - length * cosine - 0.02;
            let near: Vec<DVec3> =
                body.positions.iter().copied().filter(|p| p.y > low && p.y < at.waist + 0.03).collect();
            // The body must be behind the plane of the side edges, or inside the cone.
            let is_clear = |shift: f64| {
                near.iter().all(|p| {
                    let (ahead, room) = (way * p.z - shift, radius(p.y) - MARGIN);
                    ahead < -MARGIN || p.x.hypot(ahead.max(0.0)) < room || (arm.is_near(*p) && ahead < 0.0)
                })
            };
            let steps = (0..80).map(|k| 0.005 * f64::from(k));
            let shift =
                steps.into_iter().find(|shift| is_clear(*shift)).unwrap_or(0.4) + LAYER * f64::from(panel.layer);
            put(mesh, *number, positions, |p| {
                let from = Point::new(p.x, p.y) - *centre;
                let (rho, (sin, cos)) = (from.hypot(), (turn(from) / self.sine).sin_cos());
                let r = rho * self.sine;
                DVec3::new(way * r * sin, at.waist - (rho - inner) * cosine, way * (shift + r * cos))
            });
        }
    }
}

/// Angle of a direction from straight down, positive towards +x [rad].
pub(super) fn turn(way: Vec2) -> f64 {
    way.x.atan2(-way.y)
}
