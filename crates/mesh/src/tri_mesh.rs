//! [`TriMesh`] and the geometry of single triangles.

use glam::DVec3;

use crate::{Aabb, FaceId, VertexId};

/// A triangle mesh: positions and triangles, nothing derived.
///
/// ```
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
/// assert_eq!(mesh.area(), 0.5);
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TriMesh {
    /// Vertex positions [m], shape `[vertices]`.
    pub positions: Vec<DVec3>,
    /// Vertices of each triangle, counter-clockwise seen from outside, shape `[faces]`.
    pub triangles: Vec<[VertexId; 3]>,
}

impl TriMesh {
    /// A mesh from plain indices. Indices are not checked here: input from outside goes through the mesh check.
    pub fn from_indices(positions: Vec<DVec3>, triangles: &[[u32; 3]]) -> Self {
        Self { positions, triangles: triangles.iter().map(|t| t.map(VertexId)).collect() }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Number of triangles.
    pub fn face_count(&self) -> usize {
        self.triangles.len()
    }

    /// Position of a vertex [m].
    #[inline]
    pub fn position(&self, v: VertexId) -> DVec3 {
        self.positions[v.index()]
    }

    /// Corner positions of a triangle [m].
    #[inline]
    pub fn corners(&self, f: FaceId) -> [DVec3; 3] {
        self.triangles[f.index()].map(|v| self.position(v))
    }

    /// All face ids in order.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = FaceId> + use<> {
        (0..self.triangles.len() as u32).map(FaceId)
    }

    /// Total area [m²].
    pub fn area(&self) -> f64 {
        self.faces().map(|f| triangle_area(self.corners(f))).sum()
    }

    /// Smallest box around all vertices [m].
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.positions.iter().copied())
    }

    /// Area of the triangles around each vertex divided by three [m²], shape `[vertices]`.
    ///
    /// Fuhrmann 2003, eq. 1: times the areal density this is the particle mass.
    pub fn vertex_areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.vertex_count()];
        for f in self.faces() {
            let third = triangle_area(self.corners(f)) / 3.0;
            for v in self.triangles[f.index()] {
                areas[v.index()] += third;
            }
        }
        areas
    }

    /// Unit vertex normals, weighted by triangle area; zero where no triangle of positive area meets the vertex.
    pub fn vertex_normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.vertex_count()];
        for f in self.faces() {
            let n = triangle_vector_area(self.corners(f));
            for v in self.triangles[f.index()] {
                normals[v.index()] += n;
            }
        }
        for n in &mut normals {
            *n = n.normalize_or_zero();
        }
        normals
    }

    /// Appends another mesh as a separate part; its vertices are renumbered.
    pub fn append(&mut self, other: &Self) {
        let base = self.positions.len() as u32;
        self.positions.extend_from_slice(&other.positions);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| VertexId(v.0 + base))));
    }

    /// The same mesh with every position mapped by `f`.
    #[must_use]
    pub fn map_positions(mut self, f: impl Fn(DVec3) -> DVec3) -> Self {
        for p in &mut self.positions {
            *p = f(*p);
        }
        self
    }
}

/// Vector area `½ (b − a) × (c − a)` [m²]: normal direction, length = area.
#[inline]
pub fn triangle_vector_area([a, b, c]: [DVec3; 3]) -> DVec3 {
    0.5 * (b - a).cross(c - a)
}

/// Area [m²].
#[inline]
pub fn triangle_area(corners: [DVec3; 3]) -> f64 {
    triangle_vector_area(corners).length()
}

/// Unit normal, or `None` for a triangle without area.
#[inline]
pub fn triangle_normal(corners: [DVec3; 3]) -> Option<DVec3> {
    triangle_vector_area(corners).try_normalize()
}

/// Interior angles at the three corners [rad]; they sum to π for a triangle with area.
pub fn triangle_angles([a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let at = |p: DVec3, q: DVec3, r: DVec3| {
        let (u, v) = (q - p, r - p);
        u.cross(v).length().atan2(u.dot(v))
    };
    [at(a, b, c), at(b, c, a), at(c, a, b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_of_a_right_triangle() {
        let [a, b, c] = triangle_angles([DVec3::ZERO, DVec3::X, DVec3::Y]);
        let quarter = std::f64::consts::FRAC_PI_4;
        assert!((a - 2.0 * quarter).abs() < 1e-15 && (b - quarter).abs() < 1e-15 && (c - quarter).abs() < 1e-15);
    }

    #[test]
    fn vertex_areas_sum_to_the_area() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.3), DVec3::Y];
        let mesh = TriMesh::from_indices(positions, &[[0, 1, 2], [0, 2, 3]]);
        assert!((mesh.vertex_areas().iter().sum::<f64>() - mesh.area()).abs() < 1e-15);
    }

    #[test]
    fn a_degenerate_triangle_has_no_normal() {
        assert_eq!(triangle_normal([DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]), None);
    }

    #[test]
    fn append_renumbers() {
        let one = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
        let mut two = one.clone();
        two.append(&one);
        assert_eq!(two.triangles[1], [VertexId(3), VertexId(4), VertexId(5)]);
    }
}
