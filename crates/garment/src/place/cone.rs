//! Skirts cut as sectors of a ring: the cone they are when sewn, in waves if it would be too flat.
//!
//! A sector of sweep `φ` becomes a part of a cone of half angle `α` with `sin α = Σφ / 2π`: a point at the distance `ρ` from the centre
//! of the arcs and the angle `θ` from straight down goes to the distance `ρ sin α` from the axis, at the angle `θ / sin α`, and `ρ cos α`
//! below the tip.
//!
//! A full circle would be a disc, through which the arms go. But any curve `c(u)` of unit speed on the unit sphere makes a surface
//! `ρ c(u)` that a sector can be bent to without strain. Where `α` would be more than [`FLATTEST`], the curve goes up and down,
//! `α(ψ) = α₀ + a cos 8ψ` at the angle `ψ` around the axis, with the amplitude `a` that gives it the length of the sweep.

use std::f64::consts::FRAC_PI_2;

use kurbo::{Point, Vec2};
use toile_mesh::{DVec2, DVec3, TriMesh};

use super::arm::Arm;
use super::item::{Item, Region, Row};
use super::{GAP, LAYER, MARGIN};
use crate::mesh::FlatMesh;
use crate::pattern::Panel;
use crate::role::{Part, Side};

/// Half angle of a cone that stays within the arms of a standing body [rad].
const FLATTEST: f64 = 0.87;
/// Waves in a full turn.
const WAVES: f64 = 8.0;
/// Pieces in which a quarter of a turn is measured.
const PIECES: usize = 256;

/// A tier of a skirt of sectors: panels with the centre and the inner radius of their arcs.
pub(super) struct Cone {
    /// Places of the panels in the list of items.
    pub(super) items: Vec<usize>,
    arcs: Vec<(Point, f64)>,
    /// Sine of the cone's half angle: the sweep of all sectors over a full turn.
    sine: f64,
    /// Height at which it is drawn [m].
    drawn: f64,
}

/// Tiers of one skirt that begin nearer to each other than this are one [m].
const TIER: f64 = 0.05;

/// The tiers of skirts that are cut as sectors, from above.
pub(super) fn find_cones(items: &[Item<'_>]) -> Vec<Cone> {
    let mut cones: Vec<Cone> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let is_skirt = matches!(item.panel.part, Part::SkirtFront | Part::SkirtBack) && item.side == Side::Both;
        if !is_skirt || !matches!(item.region, Region::Trunk(Row::Front | Row::Back)) {
            continue;
        }
        let arcs: Vec<(Point, f64)> = arcs(item.panel).into_iter().map(|(c, r)| (item.frame * c, r)).collect();
        let Some((centre, _)) = arcs.first().copied() else { continue };
        let inner = arcs.iter().map(|(_, r)| *r).fold(f64::INFINITY, f64::min);
        let outer = arcs.iter().map(|(_, r)| *r).fold(0.0, f64::max);
        if outer <= inner + 0.05 || arcs.iter().any(|(other, _)| other.distance(centre) > 1e-3) {
            continue;
        }
        let angles = item.panel.outline.iter().map(|edge| turn(item.frame * edge.start - centre));
        let (low, high) = angles.fold((0.0_f64, 0.0_f64), |(low, high), a| (low.min(a), high.max(a)));
        let sweep = (high - low) / std::f64::consts::TAU;
        let drawn = item.bounds.y1;
        match cones.iter_mut().find(|cone| (cone.drawn - drawn).abs() < TIER) {
            Some(cone) => {
                cone.sine += sweep;
                cone.items.push(i);
                cone.arcs.push((centre, inner));
            }
            None => cones.push(Cone { items: vec![i], arcs: vec![(centre, inner)], sine: sweep, drawn }),
        }
    }
    // What is opposite may have a place of its own, and belongs to the cone all the same.
    let is_stated = |part: Part| items.iter().any(|item| item.region == Region::Stated && item.panel.part == part);
    for cone in &mut cones {
        let has = |part: Part| cone.items.iter().any(|i| items[*i].panel.part == part) || !is_stated(part);
        if !(has(Part::SkirtFront) && has(Part::SkirtBack)) {
            cone.sine *= 2.0;
        }
    }
    // More than a full turn has no cone, and hangs like other panels.
    cones.retain(|cone| cone.sine <= 1.0 + 1e-6);
    for cone in &mut cones {
        cone.sine = cone.sine.clamp(1e-3, 1.0);
    }
    cones.sort_by(|a, b| b.drawn.total_cmp(&a.drawn));
    cones
}

impl Cone {
    /// Bends the panels to the cone whose upper end is at the height `top` [m].
    pub(super) fn wrap(
        &self,
        mesh: &FlatMesh,
        items: &[Item<'_>],
        body: &TriMesh,
        arm: &Arm,
        top: f64,
        positions: &mut [DVec3],
    ) {
        let wave = Wave::new(self.sine);
        for (i, (centre, inner)) in self.items.iter().zip(&self.arcs) {
            let item = &items[*i];
            let way = if item.region == Region::Trunk(Row::Front) { 1.0 } else { -1.0 };
            let from_centre = |p: &DVec2| (item.frame * Point::new(p.x, p.y)).distance(*centre);
            let reach = mesh.panels[item.number].positions.iter().map(from_centre).fold(0.0, f64::max);
            let tip = top + inner * wave.middle.cos();
            let narrow = wave.middle - wave.amplitude;
            let radius = |y: f64| (tip - y).clamp(inner * narrow.cos(), reach * narrow.cos()) * narrow.tan();
            let (low, high) = (tip - reach * narrow.cos() - 0.02, top + 0.03);
            let near: Vec<DVec3> = body.positions.iter().copied().filter(|p| p.y > low && p.y < high).collect();
            // The body must be behind the plane of the side edges, or inside the cone.
            let is_clear = |shift: f64| {
                near.iter().all(|p| {
                    let (ahead, room) = (way * p.z - shift, radius(p.y) - MARGIN);
                    ahead < -MARGIN || p.x.hypot(ahead.max(0.0)) < room || (arm.is_near(*p) && ahead < 0.0)
                })
            };
            let steps = (0..80).map(|k| 0.005 * f64::from(k));
            let shift = steps.into_iter().find(|shift| is_clear(*shift)).unwrap_or(0.4).max(0.5 * GAP)
                + LAYER * f64::from(item.layer);
            item.put(mesh, positions, |u, v| {
                let from = Point::new(u, v) - *centre;
                let ray = from.hypot() * wave.ray(turn(from));
                DVec3::new(way * ray.x, tip + ray.y, way * (shift + ray.z))
            });
        }
    }
}

/// The curve on the unit sphere, from straight ahead.
struct Wave {
    middle: f64,
    amplitude: f64,
    /// Lengths to equal steps of the angle `ψ`, up to a quarter of a turn.
    along: Vec<f64>,
}

impl Wave {
    /// The curve whose length is `2π sine`.
    fn new(sine: f64) -> Self {
        let middle = sine.asin().min(FLATTEST);
        let wanted = FRAC_PI_2 * sine;
        let with = |amplitude: f64| Self { middle, amplitude, along: lengths(middle, amplitude) };
        // A wave as high as the cone is wide is long enough for any skirt.
        let (mut low, mut high) = (0.0, 0.9 * middle);
        for _ in 0..50 {
            let amplitude = 0.5 * (low + high);
            let is_long = with(amplitude).along[PIECES] > wanted;
            (low, high) = if is_long { (low, amplitude) } else { (amplitude, high) };
        }
        with(if middle < FLATTEST { 0.0 } else { low })
    }

    /// The ray at a length from straight ahead: x to the left, y up.
    fn ray(&self, length: f64) -> DVec3 {
        let far = length.abs();
        let i = self.along.partition_point(|at| *at <= far).clamp(1, PIECES);
        let part = (far - self.along[i - 1]) / (self.along[i] - self.along[i - 1]);
        let psi = FRAC_PI_2 * (i as f64 - 1.0 + part) / PIECES as f64;
        let (sin, cos) = (self.middle + self.amplitude * (WAVES * psi).cos()).sin_cos();
        DVec3::new(sin * psi.sin() * length.signum(), -cos, sin * psi.cos())
    }
}

fn lengths(middle: f64, amplitude: f64) -> Vec<f64> {
    let step = FRAC_PI_2 / PIECES as f64;
    let mut along = vec![0.0];
    for i in 0..PIECES {
        let psi = (i as f64 + 0.5) * step;
        let slope = amplitude * WAVES * (WAVES * psi).sin();
        let sine = (middle + amplitude * (WAVES * psi).cos()).sin();
        along.push(along[i] + slope.hypot(sine) * step);
    }
    along
}

/// Centres and radii of the arcs of an outline and of its holes.
pub(super) fn arcs(panel: &Panel) -> Vec<(Point, f64)> {
    let segments = (0..panel.edge_count()).filter_map(|edge| panel.segment(edge));
    segments.filter_map(|segment| Some((segment.centre()?, segment.start.distance(segment.centre()?)))).collect()
}

/// Angle of a direction from straight down, positive towards +x [rad].
pub(super) fn turn(way: Vec2) -> f64 {
    way.x.atan2(-way.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_of_any_fullness_keep_lengths_and_end_at_the_side() {
        for sine in [0.1, 0.5, 0.76, 0.77, 0.9, 1.0] {
            let wave = Wave::new(sine);
            let end = wave.ray(FRAC_PI_2 * sine);
            assert!(end.z.abs() < 1e-3 && end.x > 0.05, "{sine}: {end}");
            let h = 1e-3;
            for k in -150..150 {
                let u = FRAC_PI_2 * sine * f64::from(k) / 150.0;
                let (p, q) = (wave.ray(u), wave.ray(u + h));
                assert!((p.length() - 1.0).abs() < 1e-12 && (p.distance(q) / h - 1.0).abs() < 0.01, "{sine} {u}");
            }
        }
    }
}
