//! [`ClothModel`]: what is fixed during a run. Particles from a triangle mesh, the constraints between them.
//!
//! Fuhrmann 2003, §3. The edges of the mesh are the structural constraints, the pairs of opposite vertices of two
//! adjacent triangles the bending constraints. Particle masses follow eq. 1:
//!
//! ```text
//! m_i = ρ Σ area_j / 3      over the triangles j around i, ρ = areal density
//! ```
//!
//! Several cloths live in one model, so that all particles of a world stand in the same arrays.

use std::ops::Range;

use toile_mesh::{DVec3, Topology, TriMesh};

use crate::constraint::DistanceRange;
use crate::dynamics::History;

/// What a cloth is made of, in the terms of the constraint model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ConstraintFabric {
    /// Areal density ρ [kg/m²]; heavier cloth is moved less by contacts and wind.
    pub areal_density: f64,
    /// Shortest allowed edge, as a fraction of its rest length (`d_min`); 1 forbids compression.
    pub stretch_min: f64,
    /// Longest allowed edge, as a multiple of its rest length (`d_max`); beyond 1.1 triangles distort visibly.
    pub stretch_max: f64,
    /// Shortest allowed distance of opposite vertices, as a fraction of the rest distance; 1 is stiff, 0.8 limp.
    pub bend_min: f64,
}

impl Default for ConstraintFabric {
    fn default() -> Self {
        Self { areal_density: 0.2, stretch_min: 1.0, stretch_max: 1.02, bend_min: 0.89 }
    }
}

/// Particles, rest shape and constraints of all cloths of a world.
///
/// ```
/// use toile_cloth::{ClothModel, ConstraintFabric};
/// use toile_mesh::{DVec3, TriMesh};
/// let sheet = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Z, DVec3::Z], &[[0, 2, 1], [0, 3, 2]]);
/// let mut model = ClothModel::default();
/// model.add(&sheet, &ConstraintFabric::default());
/// assert_eq!((model.structural.len(), model.bending.len()), (5, 1));
/// assert!((model.mass.iter().sum::<f64>() - 0.2).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClothModel {
    /// Rest positions [m], shape `[particles]`: the flat cloth.
    pub rest: Vec<DVec3>,
    /// Particle masses [kg], shape `[particles]`.
    pub mass: Vec<f64>,
    /// Cloth area that belongs to each particle [m²], shape `[particles]`.
    pub area: Vec<f64>,
    /// Structural constraints: the edges of the mesh.
    pub structural: Vec<DistanceRange>,
    /// Bending constraints: opposite vertices of adjacent triangles.
    pub bending: Vec<DistanceRange>,
    /// Particles of each cloth, in the order they were added.
    pub cloths: Vec<Range<usize>>,
}

impl ClothModel {
    /// Adds a cloth whose mesh is its unloaded shape; returns its particles, in the order of the mesh's vertices.
    ///
    /// A particle without triangles has no mass: run the mesh check first. It is treated as held.
    pub fn add(&mut self, mesh: &TriMesh, fabric: &ConstraintFabric) -> Range<usize> {
        let base = self.rest.len() as u32;
        let distance = |[a, b]: [u32; 2]| mesh.positions[a as usize].distance(mesh.positions[b as usize]);
        let topology = Topology::new(mesh);
        for edge in &topology.edges {
            let ends = edge.ends.map(|v| v.0);
            let (rest, min, max) = (distance(ends), fabric.stretch_min, fabric.stretch_max);
            self.structural.push(DistanceRange::new(ends.map(|v| v + base), rest, min * rest, max * rest));
            if let [Some(a), Some(b)] = edge.opposite {
                let ends = [a.0, b.0];
                let rest = distance(ends);
                self.bending.push(DistanceRange::new(
                    ends.map(|v| v + base),
                    rest,
                    fabric.bend_min * rest,
                    f64::INFINITY,
                ));
            }
        }
        let areas = mesh.vertex_areas();
        self.mass.extend(areas.iter().map(|a| a * fabric.areal_density));
        self.area.extend(areas);
        self.rest.extend_from_slice(&mesh.positions);
        let range = base as usize..self.rest.len();
        self.cloths.push(range.clone());
        range
    }

    /// Number of particles.
    pub fn particle_count(&self) -> usize {
        self.rest.len()
    }
}

/// What changes during a run: positions, velocities and who is held.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ClothState {
    /// Positions [m], shape `[particles]`.
    pub x: Vec<DVec3>,
    /// Velocities [m/s], shape `[particles]`.
    pub v: Vec<DVec3>,
    /// Inverse masses [1/kg], shape `[particles]`; 0 holds a particle (Fuhrmann 2003, eq. 11).
    pub inverse_mass: Vec<f64>,
    /// The step before, for methods that need it.
    pub history: History,
    /// Slip curvatures of the bending elements along warp and weft [1/m]; empty without hysteresis.
    pub slip: Vec<[f64; 2]>,
}

impl ClothState {
    /// All particles free and at rest at `x`.
    pub fn at_rest(model: &ClothModel, x: Vec<DVec3>) -> Self {
        let inverse_mass = model.mass.iter().map(|&m| inverse(m)).collect();
        Self { v: vec![DVec3::ZERO; x.len()], x, inverse_mass, ..Self::default() }
    }

    /// Holds particle `i` (infinite mass) or lets it go.
    pub fn set_held(&mut self, model: &ClothModel, i: usize, held: bool) {
        self.inverse_mass[i] = if held { 0.0 } else { inverse(model.mass[i]) };
        if held {
            self.v[i] = DVec3::ZERO;
        }
    }

    /// Kinetic energy ½ Σ m v² of the free particles [J].
    pub fn kinetic_energy(&self, model: &ClothModel) -> f64 {
        let free = |i: &usize| self.inverse_mass[*i] > 0.0;
        (0..self.v.len()).filter(free).map(|i| 0.5 * model.mass[i] * self.v[i].length_squared()).sum()
    }

    /// Potential energy −Σ m g·x [J], zero at the origin.
    pub fn gravity_energy(&self, model: &ClothModel, gravity: DVec3) -> f64 {
        -self.x.iter().zip(&model.mass).map(|(x, m)| m * gravity.dot(*x)).sum::<f64>()
    }

    /// Centre of mass [m].
    pub fn center_of_mass(&self, model: &ClothModel) -> DVec3 {
        let sum: DVec3 = self.x.iter().zip(&model.mass).map(|(x, m)| *x * *m).sum();
        sum / model.mass.iter().sum::<f64>()
    }
}

fn inverse(mass: f64) -> f64 {
    if mass > 0.0 { 1.0 / mass } else { 0.0 }
}
