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

use toile_mesh::{DVec2, DVec3, Edge, FaceId, Topology, TriMesh, VertexId};

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
        let distance = |a: VertexId, b: VertexId| mesh.position(a).distance(mesh.position(b));
        let length = |edge: &Edge| distance(edge.ends[0], edge.ends[1]);
        let across = |_: &Edge, [a, b]: [VertexId; 2]| distance(a, b);
        self.add_by(mesh, mesh.vertex_areas(), length, across, fabric)
    }

    /// Adds a cloth that was sewn from flat pieces: triangle `f` of `mesh` has the corners `flat[f]` [m] when nothing pulls on it,
    /// each in the plane of its piece. The positions of `mesh` become [`ClothModel::rest`] and matter for nothing else.
    ///
    /// The two sides of an edge in a seam may differ in length, where one is eased into the other: their mean counts. Opposite
    /// vertices are as far apart as when both triangles lie in one plane, the middles of their sides of the edge on each
    /// other.
    ///
    /// # Panics
    /// If `flat` is not as long as the list of triangles.
    pub fn add_sewn(&mut self, mesh: &TriMesh, flat: &[[DVec2; 3]], fabric: &ConstraintFabric) -> Range<usize> {
        assert_eq!(flat.len(), mesh.face_count());
        let mut areas = vec![0.0; mesh.vertex_count()];
        for (corners, [a, b, c]) in mesh.triangles.iter().zip(flat) {
            let third = (*b - *a).perp_dot(*c - *a).abs() / 6.0;
            for v in corners {
                areas[v.index()] += third;
            }
        }
        let wings =
            |edge: &Edge| edge.faces.into_iter().flatten().map(|f| wing(edge, mesh, flat, f)).collect::<Vec<_>>();
        let length = |edge: &Edge| {
            let wings = wings(edge);
            wings.iter().map(|wing| wing.length).sum::<f64>() / wings.len() as f64
        };
        let across = |edge: &Edge, _| match wings(edge).as_slice() {
            [a, b] => DVec2::new(a.apex.x - b.apex.x, a.apex.y + b.apex.y).length(),
            _ => 0.0,
        };
        self.add_by(mesh, areas, length, across, fabric)
    }

    /// `length`: of an edge, `across`: of the opposite vertices of its two triangles, both unloaded [m].
    fn add_by(
        &mut self,
        mesh: &TriMesh,
        areas: Vec<f64>,
        length: impl Fn(&Edge) -> f64,
        across: impl Fn(&Edge, [VertexId; 2]) -> f64,
        fabric: &ConstraintFabric,
    ) -> Range<usize> {
        let base = self.rest.len() as u32;
        let place = |ends: [VertexId; 2]| ends.map(|v| v.0 + base);
        for edge in &Topology::new(mesh).edges {
            let (rest, min, max) = (length(edge), fabric.stretch_min, fabric.stretch_max);
            self.structural.push(DistanceRange::new(place(edge.ends), rest, min * rest, max * rest));
            if let [Some(a), Some(b)] = edge.opposite {
                let rest = across(edge, [a, b]);
                let min = fabric.bend_min * rest;
                self.bending.push(DistanceRange::new(place([a, b]), rest, min, f64::INFINITY));
            }
        }
        self.mass.extend(areas.iter().map(|a| a * fabric.areal_density));
        self.area.extend(areas);
        self.rest.extend_from_slice(&mesh.positions);
        let range = base as usize..self.rest.len();
        self.cloths.push(range.clone());
        range
    }

    /// Inverse masses of free particles [1/kg], shape `[particles]`; 0 for those without mass.
    pub fn inverse_mass(&self) -> Vec<f64> {
        self.mass.iter().map(|mass| if *mass > 0.0 { 1.0 / mass } else { 0.0 }).collect()
    }

    /// Number of particles.
    pub fn particle_count(&self) -> usize {
        self.rest.len()
    }
}

/// What changes during a run: positions, velocities, and what methods remember.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ClothState {
    /// Positions [m], shape `[particles]`.
    pub x: Vec<DVec3>,
    /// Velocities [m/s], shape `[particles]`.
    pub v: Vec<DVec3>,
    /// The step before, for methods that need it.
    pub history: History,
    /// Slip curvatures of the bending elements along warp and weft [1/m]; empty without hysteresis.
    pub slip: Vec<[f64; 2]>,
}

impl ClothState {
    /// At rest at `x` [m].
    pub fn at_rest(x: Vec<DVec3>) -> Self {
        Self { v: vec![DVec3::ZERO; x.len()], x, ..Self::default() }
    }

    /// Kinetic energy ½ Σ m v² [J]; what is held has no velocity.
    pub fn kinetic_energy(&self, model: &ClothModel) -> f64 {
        self.v.iter().zip(&model.mass).map(|(v, m)| 0.5 * m * v.length_squared()).sum()
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

/// A flat triangle seen from one of its edges.
struct Wing {
    /// Of the edge [m].
    length: f64,
    /// The third corner: along the edge from its middle, and away from it [m].
    apex: DVec2,
}

/// Triangle `f`, which has `edge`, as it lies in `flat`.
fn wing(edge: &Edge, mesh: &TriMesh, flat: &[[DVec2; 3]], f: FaceId) -> Wing {
    let corner = |v: VertexId| mesh.triangles[f.index()].iter().position(|u| *u == v);
    let at = |v: VertexId| corner(v).map_or(DVec2::ZERO, |k| flat[f.index()][k]);
    let [from, to] = edge.ends.map(at);
    let third = mesh.triangles[f.index()].iter().find(|v| !edge.ends.contains(v)).map_or(from, |v| at(*v));
    let along = (to - from).normalize_or_zero();
    let way = third - from.midpoint(to);
    Wing { length: from.distance(to), apex: DVec2::new(way.dot(along), way.perp_dot(along).abs()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate::{Diagonals, grid};

    #[test]
    fn a_sewn_cloth_in_its_plane_is_a_plain_one() {
        let mesh = grid([0.3, 0.2], [5, 4], Diagonals::Alternating);
        // Every piece drawn in a place and direction of its own.
        let drawn = |f: FaceId| {
            let turn = DVec2::from_angle(f.index() as f64);
            mesh.corners(f).map(|p| turn.rotate(DVec2::new(p.x, -p.z)) + DVec2::splat(f.index() as f64))
        };
        let flat: Vec<[DVec2; 3]> = mesh.faces().map(drawn).collect();
        let elsewhere = mesh.clone().map_positions(|p| DVec3::new(p.x, p.x * p.z, 2.0 * p.z));
        let (mut plain, mut sewn) = (ClothModel::default(), ClothModel::default());
        plain.add(&mesh, &ConstraintFabric::default());
        sewn.add_sewn(&elsewhere, &flat, &ConstraintFabric::default());
        let near = |a: &[DistanceRange], b: &[DistanceRange]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.ends == b.ends && (a.rest - b.rest).abs() < 1e-13)
        };
        assert!(near(&plain.structural, &sewn.structural) && near(&plain.bending, &sewn.bending));
        assert!(plain.mass.iter().zip(&sewn.mass).all(|(a, b)| (a - b).abs() < 1e-15));
        assert_eq!(sewn.rest, elsewhere.positions);
    }

    #[test]
    fn the_sides_of_an_eased_seam_meet_in_the_middle() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::NEG_Z];
        let mesh = TriMesh::from_indices(corners, &[[0, 1, 3], [1, 0, 2]]);
        let flat = [
            [DVec2::ZERO, DVec2::new(2.0, 0.0), DVec2::new(1.0, 3.0)],
            [DVec2::new(1.0, 0.0), DVec2::ZERO, DVec2::new(0.5, -4.0)],
        ];
        let mut model = ClothModel::default();
        model.add_sewn(&mesh, &flat, &ConstraintFabric::default());
        assert!((model.structural[0].rest - 1.5).abs() < 1e-15);
        assert!((model.bending[0].rest - 7.0).abs() < 1e-15);
    }
}
