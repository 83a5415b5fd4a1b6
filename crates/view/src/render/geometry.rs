//! The scene as one list of drawable triangles with normals.
//!
//! Normals are weighted by the angle of the triangle at the vertex (Thürmer & Wüthrich 1998), which does not depend
//! on how flat faces are cut into triangles. Where an object has a crease angle, each corner averages only the
//! triangles around its vertex that are within that angle of its own. Bad triangles (missing or non-finite
//! corners) are dropped here, so the later stages see finite numbers only.

use rayon::prelude::*;
use toile_mesh::{Aabb, DVec3, TriMesh, VertexId, triangle_angles, triangle_normal};

use crate::{Object, Scene};

/// Positions beyond this are treated like non-finite ones [m]: their squares must fit in single precision.
const FARTHEST: f64 = 1e15;

/// One drawable triangle; numbers point into [`Geometry`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) corners: [u32; 3],
    pub(crate) normals: [u32; 3],
    pub(crate) object: u32,
    pub(crate) highlighted: bool,
}

/// All drawable triangles of a scene.
#[derive(Debug, Default)]
pub(crate) struct Geometry {
    pub(crate) positions: Vec<DVec3>,
    pub(crate) normals: Vec<DVec3>,
    pub(crate) faces: Vec<Face>,
    /// Number of the first vertex of each object in `positions`.
    pub(crate) first_vertex: Vec<u32>,
}

impl Geometry {
    pub(crate) fn new(scene: &Scene) -> Self {
        let mut geometry = Self::default();
        for (number, object) in scene.objects.iter().enumerate() {
            geometry.add(number as u32, object);
        }
        geometry.replace_unused();
        geometry
    }

    /// Moves vertices no face uses onto one that is used, so that all positions are finite and within the bounds.
    fn replace_unused(&mut self) {
        let mut used = vec![false; self.positions.len()];
        for v in self.faces.iter().flat_map(|f| f.corners) {
            used[v as usize] = true;
        }
        let anchor = self.faces.first().map_or(DVec3::ZERO, |f| self.positions[f.corners[0] as usize]);
        for (p, _) in self.positions.iter_mut().zip(used).filter(|(_, used)| !used) {
            *p = anchor;
        }
    }

    /// Corner positions of a face [m].
    pub(crate) fn corners(&self, face: &Face) -> [DVec3; 3] {
        face.corners.map(|v| self.positions[v as usize])
    }

    /// The smallest box around all drawable faces [m].
    pub(crate) fn bounds(&self) -> Aabb {
        if self.faces.is_empty() { Aabb::EMPTY } else { Aabb::around(self.positions.iter().copied()) }
    }

    fn add(&mut self, number: u32, object: &Object) {
        let first = self.positions.len() as u32;
        self.first_vertex.push(first);
        self.positions.extend_from_slice(&object.mesh.positions);
        let mut red = vec![false; object.mesh.face_count()];
        for f in object.highlight {
            if let Some(mark) = red.get_mut(f.index()) {
                *mark = true;
            }
        }
        let first_face = self.faces.len();
        for (triangle, highlighted) in object.mesh.triangles.iter().zip(red) {
            if is_drawable(object.mesh, triangle.map(VertexId::index)) {
                let corners = triangle.map(|v| v.0 + first);
                self.faces.push(Face { corners, normals: corners, object: number, highlighted });
            }
        }
        self.add_normals(first_face, first as usize, object.crease_deg);
    }

    /// Normals of the faces from `first_face` on, whose vertices start at `first_vertex`.
    fn add_normals(&mut self, first_face: usize, first_vertex: usize, crease_deg: f64) {
        let first_normal = self.normals.len() as u32;
        let faces = &mut self.faces[first_face..];
        let flat: Vec<(DVec3, [f64; 3])> = faces
            .par_iter()
            .map(|face| {
                let corners = face.corners.map(|v| self.positions[v as usize]);
                let angles = triangle_angles(corners).map(|a| if a.is_finite() { a } else { 0.0 });
                (triangle_normal(corners).unwrap_or(DVec3::ZERO), angles)
            })
            .collect();
        if crease_deg >= 180.0 {
            let mut sums = vec![DVec3::ZERO; self.positions.len() - first_vertex];
            for (face, (normal, angles)) in faces.iter_mut().zip(&flat) {
                face.normals = face.corners.map(|v| v - first_vertex as u32 + first_normal);
                for (v, angle) in face.corners.iter().zip(angles) {
                    sums[*v as usize - first_vertex] += *normal * *angle;
                }
            }
            self.normals.extend(sums.into_iter().map(DVec3::normalize_or_zero));
            return;
        }
        let least_cos = if crease_deg.is_nan() { 1.0 } else { crease_deg.clamp(0.0, 180.0).to_radians().cos() };
        let mut ring: Vec<Vec<(u32, u8)>> = vec![Vec::new(); self.positions.len() - first_vertex];
        for (i, face) in faces.iter().enumerate() {
            for (k, v) in face.corners.iter().enumerate() {
                ring[*v as usize - first_vertex].push((i as u32, k as u8));
            }
        }
        for (i, face) in faces.iter_mut().enumerate() {
            let own = flat[i].0;
            for k in 0..3 {
                let around = &ring[face.corners[k] as usize - first_vertex];
                let sum: DVec3 = around
                    .iter()
                    .map(|&(j, corner)| (flat[j as usize].0, flat[j as usize].1[corner as usize]))
                    .filter(|(normal, _)| normal.dot(own) >= least_cos)
                    .map(|(normal, angle)| normal * angle)
                    .sum();
                face.normals[k] = self.normals.len() as u32;
                self.normals.push(sum.normalize_or(own));
            }
        }
    }
}

fn is_drawable(mesh: &TriMesh, triangle: [usize; 3]) -> bool {
    let usable = |v: usize| mesh.positions.get(v).is_some_and(|p| p.is_finite() && p.abs().max_element() < FARTHEST);
    triangle.into_iter().all(usable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Material;
    use toile_mesh::FaceId;

    /// A unit cube whose faces are cut along arbitrary diagonals.
    fn cube() -> TriMesh {
        let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
        TriMesh::from_indices((0..8).map(corner).collect(), &triangles)
    }

    #[test]
    fn a_cube_stays_sharp_as_a_solid_and_round_as_a_cloth() {
        let mesh = cube();
        let solid = Geometry::new(&Scene::new(vec![Object::solid(&mesh, Material::solid([0.5; 3]))]));
        for face in &solid.faces {
            let flat = triangle_normal(solid.corners(face)).unwrap();
            for n in face.normals {
                assert!((solid.normals[n as usize] - flat).length() < 1e-12);
            }
        }
        let soft = Geometry::new(&Scene::new(vec![Object::cloth(&mesh, Material::fabric([0.5; 3]))]));
        for (p, n) in soft.positions.iter().zip(&soft.normals) {
            let diagonal = (*p - DVec3::splat(0.5)).normalize();
            assert!((*n - diagonal).length() < 1e-12, "angle weights ignore the cut of the faces");
        }
    }

    #[test]
    fn each_object_has_its_own_normals_in_any_order() {
        let (mesh, far) = (cube(), cube().map_positions(|p| p + DVec3::X * 3.0));
        let sharp = Object::solid(&mesh, Material::solid([0.5; 3]));
        let round = Object::cloth(&far, Material::fabric([0.5; 3]));
        for objects in [vec![sharp.clone(), round.clone()], vec![round.clone(), sharp.clone(), round, sharp]] {
            let geometry = Geometry::new(&Scene::new(objects));
            for face in &geometry.faces {
                let flat = triangle_normal(geometry.corners(face)).unwrap();
                let is_sharp = geometry.positions[face.corners[0] as usize].x < 2.0;
                let cos = if is_sharp { 1.0 } else { 1.0 / 3.0_f64.sqrt() };
                for n in face.normals {
                    assert!((geometry.normals[n as usize].dot(flat) - cos).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn bad_triangles_are_dropped_and_marks_stay_with_their_faces() {
        let mut mesh = cube();
        mesh.positions.push(DVec3::new(f64::NAN, 0.0, 0.0));
        mesh.triangles.insert(0, [VertexId(0), VertexId(1), VertexId(8)]);
        mesh.triangles.push([VertexId(0), VertexId(1), VertexId(99)]);
        let red = [FaceId(1), FaceId(77)];
        let object = Object::solid(&mesh, Material::solid([0.5; 3])).with_highlight(&red);
        let geometry = Geometry::new(&Scene::new(vec![object]));
        assert_eq!(geometry.faces.len(), 12);
        assert!(geometry.faces[0].highlighted && !geometry.faces[1].highlighted);
    }
}
