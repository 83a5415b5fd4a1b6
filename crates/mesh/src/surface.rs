//! [`Surface`]: what can be touched, and [`Motion`]: how it moves during a step.
//!
//! Each vertex and each edge belongs to exactly one triangle, its owner. A search for pairs of triangles that looks at
//! the features a triangle owns meets each pair of features once, however many triangles share them.

use crate::{DVec3, FaceId, Topology, TriMesh};

/// How a surface moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Moves {
    /// Every vertex on its own way.
    #[default]
    Freely,
    /// As one body.
    Rigidly,
    /// Never.
    Never,
}

/// Shape of a surface without forces.
#[derive(Clone, PartialEq, Debug)]
pub struct Rest {
    /// Positions [m].
    pub x: Vec<DVec3>,
    /// Part of each vertex. Parts are strangers: how far they are apart at rest says nothing.
    pub part: Vec<u32>,
}

/// The triangles, edges and vertices of one object, and who owns which feature.
///
/// ```
/// use toile_mesh::{Surface, generate};
/// let ball = Surface::new(&generate::icosphere(0.1, 1));
/// let owned: u32 = (0..ball.face_count()).map(|f| ball.owned(f).count_ones()).sum();
/// assert_eq!(owned as usize, ball.vertex_count() + ball.edges().len());
/// ```
#[derive(Clone, Debug)]
pub struct Surface {
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    face_edges: Vec<[u32; 3]>,
    owned: Vec<u8>,
    vertex_count: usize,
    rest: Option<Rest>,
    /// How it moves.
    pub moves: Moves,
    /// An obstacle is not tested against other obstacles.
    pub is_obstacle: bool,
    /// Whether it is tested against itself.
    pub touches_itself: bool,
}

impl Surface {
    /// A cloth that moves freely and touches itself.
    ///
    /// # Panics
    /// If a triangle names a vertex that does not exist.
    pub fn new(mesh: &TriMesh) -> Self {
        let topology = Topology::new(mesh);
        let number = |f: usize, k: usize| {
            let face = FaceId::from(f);
            let owns_vertex = topology.vertex_owner(mesh.triangles[f][k]) == Some(face);
            let owns_edge = topology.edge_owner(topology.face_edges[f][k]) == face;
            u8::from(owns_vertex) << k | u8::from(owns_edge) << (3 + k)
        };
        Self {
            triangles: mesh.triangles.iter().map(|t| t.map(|v| v.0)).collect(),
            edges: topology.edges.iter().map(|e| e.ends.map(|v| v.0)).collect(),
            face_edges: topology.face_edges.iter().map(|e| e.map(|e| e.0)).collect(),
            owned: (0..mesh.face_count()).map(|f| (0..3).map(|k| number(f, k)).sum()).collect(),
            vertex_count: mesh.vertex_count(),
            rest: None,
            moves: Moves::Freely,
            is_obstacle: false,
            touches_itself: true,
        }
    }

    /// An obstacle that moves in a certain way.
    pub fn obstacle(mesh: &TriMesh, moves: Moves) -> Self {
        Self { moves, is_obstacle: true, touches_itself: false, ..Self::new(mesh) }
    }

    /// The same, tested against others only.
    #[must_use]
    pub fn without_self_contact(self) -> Self {
        Self { touches_itself: false, ..self }
    }

    /// The same with a shape without forces.
    ///
    /// # Panics
    /// If `rest` is of another number of vertices.
    #[must_use]
    pub fn with_rest(self, rest: Rest) -> Self {
        assert!(rest.x.len() == self.vertex_count && rest.part.len() == self.vertex_count, "an entry for every vertex");
        Self { rest: Some(rest), ..self }
    }

    /// Its shape without forces, if it has one.
    pub fn rest(&self) -> Option<&Rest> {
        self.rest.as_ref()
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Number of triangles.
    pub fn face_count(&self) -> usize {
        self.triangles.len()
    }

    /// Triangles, as vertices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Edges, as vertices in ascending order.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Edges of each triangle; edge k joins corners k and k + 1.
    pub fn face_edges(&self) -> &[[u32; 3]] {
        &self.face_edges
    }

    /// What a triangle owns: bit k its corner k, bit 3 + k its edge k.
    #[inline]
    pub fn owned(&self, face: usize) -> u8 {
        self.owned[face]
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        12 * (self.triangles.capacity() + self.face_edges.capacity())
            + 8 * self.edges.capacity()
            + self.owned.capacity()
            + self.rest.as_ref().map_or(0, |rest| 24 * rest.x.capacity() + 4 * rest.part.capacity())
    }
}

/// Positions of a surface's vertices at the start and the end of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Motion<'a> {
    /// Start [m].
    pub x_t0: &'a [DVec3],
    /// End [m].
    pub x_t1: &'a [DVec3],
}

impl<'a> Motion<'a> {
    /// No motion.
    pub fn still(x: &'a [DVec3]) -> Self {
        Self { x_t0: x, x_t1: x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn every_feature_has_one_owner_that_contains_it() {
        let mesh = generate::icosphere(1.0, 2);
        let surface = Surface::new(&mesh);
        let (mut vertices, mut edges) = (vec![0; mesh.vertex_count()], vec![0; surface.edges().len()]);
        for f in 0..surface.face_count() {
            for k in 0..3 {
                vertices[surface.triangles()[f][k] as usize] += u32::from(surface.owned(f) >> k & 1);
                let e = surface.face_edges()[f][k] as usize;
                edges[e] += u32::from(surface.owned(f) >> (3 + k) & 1);
                let (a, b) = (surface.triangles()[f][k], surface.triangles()[f][(k + 1) % 3]);
                assert_eq!(surface.edges()[e], [a.min(b), a.max(b)]);
            }
        }
        assert!(vertices.iter().chain(&edges).all(|n| *n == 1));
    }
}
