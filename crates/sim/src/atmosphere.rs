//! The air of a world: a wind field brought up to date once per frame, and its forces in every step.
//!
//! Obstacles known by their distance stand in the wind; those known by their triangles do not.

use toile_cloth::air::{AirForces, Bodies, Flow, FlowSettings, Gusts, LeeField, LeeSettings, Wind, WindField};
use toile_contact::{Obstacle, Piece, PlacedObstacles, Pose};
use toile_mesh::{Aabb, DMat3, DVec3, VertexId};

use crate::builder::WorldError;
use crate::settings::{Air, AirModel};

/// The air, with the memory of its forces.
#[derive(Clone, Debug)]
pub(crate) struct Atmosphere {
    pub(crate) field: WindField,
    settings: toile_cloth::air::Air,
    /// Share of the mass of air that goes with cloth.
    added_mass: f64,
    pub(crate) forces: AirForces,
    wind: Vec<DVec3>,
    /// Velocities at which the forces were measured [m/s].
    pub(crate) velocity: Vec<DVec3>,
}

impl Atmosphere {
    /// The air of a scene; `None` if it has none. `area`: of the cloth that belongs to each particle [m²].
    pub(crate) fn new(
        air: &Air,
        triangles: &[[VertexId; 3]],
        x: &[DVec3],
        area: &[f64],
        obstacles: &[Obstacle],
    ) -> Result<Option<Self>, WorldError> {
        let gusts = Gusts::new(Wind {
            mean: DVec3::from(air.wind),
            gust: air.gust,
            gust_frequency: air.gust_frequency,
            turbulence: air.turbulence,
            length: air.eddy_length,
            turbulence_frequency: air.eddy_frequency,
            fade_in: air.fade_in,
            seed: u64::from(air.seed),
        });
        let grid = |source| WorldError::Air { source };
        let bounds = bounds(air, x, obstacles);
        let field = match air.model {
            AirModel::None => return Ok(None),
            AirModel::Open => WindField::Gusty(gusts),
            AirModel::Lee => {
                let settings = LeeSettings { recovery: air.recovery, ..LeeSettings::default() };
                WindField::Lee(gusts, LeeField::new(bounds, air.cell, settings).map_err(grid)?)
            }
            AirModel::Flow => {
                let settings = FlowSettings { confinement: air.confinement, ..FlowSettings::default() };
                let start = gusts.velocity(bounds.centre(), 0.0);
                WindField::Grid(gusts, Box::new(Flow::new(bounds, air.cell, start, settings).map_err(grid)?))
            }
        };
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v.0)).collect();
        let settings = toile_cloth::air::Air { density: air.density, drag: air.drag, lift: air.lift, skin: air.skin };
        let forces = AirForces::new(&triangles, x.len()).with_added_mass(area, air.density, air.added_mass);
        let wind = vec![DVec3::ZERO; x.len()];
        Ok(Some(Self { field, settings, added_mass: air.added_mass, forces, wind, velocity: Vec::new() }))
    }
}

impl Atmosphere {
    /// The same air around cloth with other triangles, over particles with these areas [m²].
    pub(crate) fn around(&self, triangles: &[[VertexId; 3]], area: &[f64]) -> Self {
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v.0)).collect();
        let forces = AirForces::new(&triangles, area.len());
        Self {
            field: self.field.clone(),
            settings: self.settings,
            added_mass: self.added_mass,
            forces: forces.with_added_mass(area, self.settings.density, self.added_mass),
            wind: vec![DVec3::ZERO; area.len()],
            velocity: Vec::new(),
        }
    }
}

/// The grid's box: as given, or around cloth and finite obstacles with room for the cloth to swing and a wake to form.
fn bounds(air: &Air, x: &[DVec3], obstacles: &[Obstacle]) -> Aabb {
    let mut around = Aabb::around(x.iter().copied());
    let room = 0.5 * (around.max - around.min).length();
    for obstacle in obstacles {
        let centre = obstacle.motion.pose_at(0.0).position;
        let radius = obstacle.pieces.iter().map(Piece::bounding_radius).fold(0.0, f64::max);
        if radius.is_finite() {
            around = around.union(Aabb { min: centre - radius, max: centre + radius });
        }
    }
    Aabb { min: air.low.map_or(around.min - room, DVec3::from), max: air.high.map_or(around.max + room, DVec3::from) }
}

impl Atmosphere {
    /// Brings the wind around `obstacles` from `t0` to `t1` [s], the length of a frame.
    pub(crate) fn blow(&mut self, obstacles: &[Obstacle], t0: f64, t1: f64) {
        let mut placed = PlacedObstacles::default();
        placed.place(obstacles, t0, t1);
        let poses = |o: &Obstacle| [o.motion.pose_at(t0), o.motion.pose_at(t1)];
        let poses: Vec<[Pose; 2]> = obstacles.iter().map(poses).collect();
        // Of the obstacle whose origin is nearest; asked for many points.
        let velocity = |p: DVec3| {
            let far = |[_, after]: &[Pose; 2]| after.position.distance_squared(p);
            let nearest = poses.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
            nearest.map_or(DVec3::ZERO, |[before, after]| {
                let local = after.rotation.inverse() * (p - after.position);
                (p - (before.rotation * local + before.position)) / (t1 - t0)
            })
        };
        self.field.advance(t0, t1 - t0, Bodies { distance: &|p| placed.distance(p), velocity: &velocity });
    }

    /// Forces on cloth at `x` [m] with velocities `v` [m/s] at the beginning of a step from `t0` to `t1` [s].
    pub(crate) fn feel(&mut self, x: &[DVec3], v: &[DVec3], t0: f64, t1: f64) {
        self.field.sample(x, t1, &mut self.wind);
        self.forces.evaluate(x, v, &self.wind, self.settings);
        self.forces.add_inertia(x, t1 - t0);
        self.velocity.clear();
        self.velocity.extend_from_slice(v);
    }
}

/// Adds the air's change of velocity in a step of length `h` [s] to particles that have moved without it: linear drag is solved for
/// implicitly, particle by particle.
pub(crate) fn push(air: &Atmosphere, x: &mut [DVec3], v: &mut [DVec3], inverse_mass: &[f64], h: f64) {
    let (force, damping) = (air.forces.force(), air.forces.damping());
    for (i, w) in inverse_mass.iter().enumerate() {
        if *w > 0.0 {
            let drag = damping[i] * (h * w);
            let pull = force[i] - damping[i] * (v[i] - air.velocity[i]);
            let change = (DMat3::IDENTITY + drag).inverse() * pull * (h * w);
            v[i] += change;
            x[i] += change * h;
        }
    }
}
