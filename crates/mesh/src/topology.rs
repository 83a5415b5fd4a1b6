//! [`Topology`]: who is next to whom.
//!
//! Edges are numbered by the order in which the triangles first name them, so equal meshes give equal numbers.
//! Ownership: a vertex or edge belongs to the lowest-numbered triangle that has it, so a pair of features is
//! tested once however many triangles share it.

use std::collections::HashMap;

use crate::{EdgeId, FaceId, TriMesh, VertexId};

/// An undirected edge with the triangles on its two sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// End points, `ends[0] < ends[1]`.
    pub ends: [VertexId; 2],
    /// Wings: the first and the second triangle that have this edge; `None` at the border.
    pub faces: [Option<FaceId>; 2],
    /// The vertex of each wing that is not on the edge.
    pub opposite: [Option<VertexId>; 2],
}

impl Edge {
    /// Whether only one triangle has this edge.
    pub fn is_border(&self) -> bool {
        self.faces[1].is_none()
    }
}

/// Connectivity of a [`TriMesh`], built once.
///
/// A third and further triangle on one edge is recorded in [`Topology::non_manifold`], not as a wing.
///
/// ```
/// use toile_mesh::{DVec3, Topology, TriMesh};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
/// let topology = Topology::new(&TriMesh::from_indices(corners, &[[0, 1, 2], [0, 2, 3]]));
/// assert_eq!(topology.edges.len(), 5);
/// assert_eq!(topology.edges.iter().filter(|e| e.is_border()).count(), 4);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// All edges, in order of first appearance.
    pub edges: Vec<Edge>,
    /// Edges of each triangle: `face_edges[f][k]` joins its corners `k` and `k + 1`.
    pub face_edges: Vec<[EdgeId; 3]>,
    /// Edges with more than two triangles, each with the surplus triangle.
    pub non_manifold: Vec<(EdgeId, FaceId)>,
    /// Connected part of each vertex, numbered from 0; a vertex without triangles is a part of its own.
    pub part_of_vertex: Vec<u32>,
    /// Number of connected parts.
    pub part_count: u32,
    ring_start: Vec<u32>,
    ring_faces: Vec<FaceId>,
    vertex_owner: Vec<Option<FaceId>>,
    edge_owner: Vec<FaceId>,
}

impl Topology {
    /// Builds the connectivity of `mesh`, whose indices must be in range.
    pub fn new(mesh: &TriMesh) -> Self {
        let mut topology = Self { face_edges: Vec::with_capacity(mesh.face_count()), ..Self::default() };
        topology.collect_edges(mesh);
        topology.collect_rings(mesh);
        topology.collect_parts(mesh.vertex_count());
        topology
    }

    /// Triangles around a vertex, in ascending order.
    pub fn ring(&self, v: VertexId) -> &[FaceId] {
        let i = v.index();
        &self.ring_faces[self.ring_start[i] as usize..self.ring_start[i + 1] as usize]
    }

    /// The triangle that owns a vertex: the lowest-numbered one around it; `None` for an isolated vertex.
    pub fn vertex_owner(&self, v: VertexId) -> Option<FaceId> {
        self.vertex_owner[v.index()]
    }

    /// The triangle that owns an edge: the lowest-numbered one that has it.
    pub fn edge_owner(&self, e: EdgeId) -> FaceId {
        self.edge_owner[e.index()]
    }

    /// Border edges in ascending order.
    pub fn border_edges(&self) -> impl Iterator<Item = EdgeId> + '_ {
        self.edges.iter().enumerate().filter(|(_, e)| e.is_border()).map(|(i, _)| EdgeId::from(i))
    }

    /// Whether every edge has exactly two triangles.
    pub fn is_closed(&self) -> bool {
        self.non_manifold.is_empty() && self.edges.iter().all(|e| !e.is_border())
    }

    fn collect_edges(&mut self, mesh: &TriMesh) {
        let mut number: HashMap<[VertexId; 2], EdgeId> = HashMap::with_capacity(mesh.face_count() * 3 / 2);
        for f in mesh.faces() {
            let t = mesh.triangles[f.index()];
            let sides = [0, 1, 2].map(|k| {
                let (a, b, opposite) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
                let ends = if a < b { [a, b] } else { [b, a] };
                let id = *number.entry(ends).or_insert_with(|| {
                    self.edges.push(Edge { ends, faces: [None; 2], opposite: [None; 2] });
                    self.edge_owner.push(f);
                    EdgeId::from(self.edges.len() - 1)
                });
                self.add_wing(id, f, opposite);
                id
            });
            self.face_edges.push(sides);
        }
    }

    fn add_wing(&mut self, e: EdgeId, f: FaceId, opposite: VertexId) {
        let edge = &mut self.edges[e.index()];
        match edge.faces.iter().position(Option::is_none) {
            Some(side) => {
                edge.faces[side] = Some(f);
                edge.opposite[side] = Some(opposite);
            }
            None => self.non_manifold.push((e, f)),
        }
    }

    fn collect_rings(&mut self, mesh: &TriMesh) {
        let n = mesh.vertex_count();
        let mut start = vec![0_u32; n + 1];
        for v in mesh.triangles.iter().flatten() {
            start[v.index() + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        self.ring_faces = vec![FaceId(0); mesh.face_count() * 3];
        for f in mesh.faces() {
            for v in mesh.triangles[f.index()] {
                self.ring_faces[next[v.index()] as usize] = f;
                next[v.index()] += 1;
            }
        }
        self.ring_start = start;
        self.vertex_owner = (0..n as u32).map(|v| self.ring(VertexId(v)).first().copied()).collect();
    }

    fn collect_parts(&mut self, vertex_count: usize) {
        let mut root: Vec<u32> = (0..vertex_count as u32).collect();
        for edge in &self.edges {
            let [a, b] = edge.ends.map(|v| find_root(&mut root, v.0));
            root[a.max(b) as usize] = a.min(b);
        }
        let mut number = vec![u32::MAX; vertex_count];
        self.part_of_vertex = (0..vertex_count as u32)
            .map(|v| {
                let r = find_root(&mut root, v) as usize;
                if number[r] == u32::MAX {
                    number[r] = self.part_count;
                    self.part_count += 1;
                }
                number[r]
            })
            .collect();
    }
}

/// Root of `v` in a union–find forest, halving the path on the way.
fn find_root(root: &mut [u32], mut v: u32) -> u32 {
    while root[v as usize] != v {
        root[v as usize] = root[root[v as usize] as usize];
        v = root[v as usize];
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn square() -> TriMesh {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        TriMesh::from_indices(corners, &[[0, 1, 2], [0, 2, 3]])
    }

    #[test]
    fn the_diagonal_knows_both_wings() {
        let topology = Topology::new(&square());
        let diagonal = topology.edges.iter().find(|e| !e.is_border()).copied().unwrap();
        assert_eq!(diagonal.ends, [VertexId(0), VertexId(2)]);
        assert_eq!(diagonal.opposite, [Some(VertexId(1)), Some(VertexId(3))]);
    }

    #[test]
    fn features_are_owned_by_the_lowest_triangle() {
        let topology = Topology::new(&square());
        let owners: Vec<_> = (0..4).map(|v| topology.vertex_owner(VertexId(v))).collect();
        assert_eq!(owners, [Some(FaceId(0)), Some(FaceId(0)), Some(FaceId(0)), Some(FaceId(1))]);
        let diagonal = topology.face_edges[1][0];
        assert_eq!(topology.edge_owner(diagonal), FaceId(0));
    }

    #[test]
    fn parts_are_counted_and_isolated_vertices_stand_alone() {
        let mut mesh = square();
        mesh.append(&square());
        mesh.positions.push(DVec3::Z);
        let topology = Topology::new(&mesh);
        assert_eq!(topology.part_count, 3);
        assert_eq!(topology.part_of_vertex, [0, 0, 0, 0, 1, 1, 1, 1, 2]);
        assert_eq!(topology.vertex_owner(VertexId(8)), None);
    }

    #[test]
    fn a_third_wing_is_reported_as_non_manifold() {
        let mut mesh = square();
        mesh.positions.push(DVec3::Z);
        mesh.triangles.push([VertexId(0), VertexId(2), VertexId(4)]);
        let topology = Topology::new(&mesh);
        assert_eq!(topology.non_manifold.len(), 1);
        assert_eq!(topology.non_manifold[0].1, FaceId(2));
    }
}
