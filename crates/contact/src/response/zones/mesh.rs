//! [`ZoneMesh`]: all faces that can collide, in one numbering, and who is next to whom.

use toile_collide::Impact;
use toile_collide::impact::PairKind;
use toile_mesh::Surface;

/// Items of each key, in ascending order.
#[derive(Clone, Debug, Default)]
struct Rows {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    fn new(count: usize, mut entries: Vec<[u32; 2]>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let mut start = vec![0; count + 1];
        for [key, _] in &entries {
            start[*key as usize + 1] += 1;
        }
        for i in 0..count {
            start[i + 1] += start[i];
        }
        Self { start, items: entries.iter().map(|entry| entry[1]).collect() }
    }

    fn row(&self, key: u32) -> &[u32] {
        &self.items[self.start[key as usize] as usize..self.start[key as usize + 1] as usize]
    }
}

/// The faces of all surfaces of a step, numbered through: those of the first surface, then those of the second and so on;
/// likewise vertices and edges. Made once for a list of surfaces, the one the detector was made for.
///
/// ```
/// use toile_contact::ZoneMesh;
/// use toile_mesh::{Moves, Surface, generate};
/// let cloth = Surface::new(&generate::plane([1.0, 1.0], [2, 2]));
/// let floor = Surface::obstacle(&generate::plane([4.0, 4.0], [1, 1]), Moves::Never);
/// let mesh = ZoneMesh::new(&[cloth, floor]);
/// assert_eq!(mesh.face_count(), 10);
/// assert!(mesh.is_obstacle(8) && !mesh.is_obstacle(7));
/// ```
#[derive(Clone, Debug)]
pub struct ZoneMesh {
    triangles: Vec<[u32; 3]>,
    face_edges: Vec<[u32; 3]>,
    is_obstacle: Vec<bool>,
    /// First vertex, face and edge of each surface.
    first: Vec<[u32; 3]>,
    vertex_faces: Rows,
    edge_faces: Rows,
    neighbours: Rows,
    vertex_count: usize,
}

impl ZoneMesh {
    /// The faces of `surfaces`, cloths and obstacles in any order.
    pub fn new(surfaces: &[Surface]) -> Self {
        let (mut triangles, mut face_edges, mut is_obstacle) = (Vec::new(), Vec::new(), Vec::new());
        let (mut first, mut neighbours) = (Vec::new(), Vec::new());
        let [mut vertices, mut edges] = [0_u32; 2];
        for surface in surfaces {
            first.push([vertices, triangles.len() as u32, edges]);
            triangles.extend(surface.triangles().iter().map(|t| t.map(|v| v + vertices)));
            face_edges.extend(surface.face_edges().iter().map(|t| t.map(|e| e + edges)));
            is_obstacle.resize(triangles.len(), surface.is_obstacle);
            neighbours
                .extend(surface.edges().iter().map(|e| e.map(|v| v + vertices)).flat_map(|[a, b]| [[a, b], [b, a]]));
            vertices += surface.vertex_count() as u32;
            edges += surface.edges().len() as u32;
        }
        let with_faces =
            |lists: &[[u32; 3]]| lists.iter().zip(0..).flat_map(|(list, f)| list.map(|item| [item, f])).collect();
        Self {
            vertex_faces: Rows::new(vertices as usize, with_faces(&triangles)),
            edge_faces: Rows::new(edges as usize, with_faces(&face_edges)),
            neighbours: Rows::new(vertices as usize, neighbours),
            vertex_count: vertices as usize,
            triangles,
            face_edges,
            is_obstacle,
            first,
        }
    }

    /// Number of vertices of all surfaces.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Number of faces of all surfaces.
    pub fn face_count(&self) -> usize {
        self.triangles.len()
    }

    /// Whether a face belongs to an obstacle.
    ///
    /// # Panics
    /// If there is no such face.
    pub fn is_obstacle(&self, face: u32) -> bool {
        self.is_obstacle[face as usize]
    }

    /// Vertices of a face.
    pub(super) fn triangle(&self, face: u32) -> [u32; 3] {
        self.triangles[face as usize]
    }

    /// Edges of a face.
    pub(super) fn edges_of(&self, face: u32) -> [u32; 3] {
        self.face_edges[face as usize]
    }

    /// Faces with an edge.
    pub(super) fn faces_at_edge(&self, edge: u32) -> &[u32] {
        self.edge_faces.row(edge)
    }

    /// Vertices joined to one by an edge.
    pub(super) fn neighbours(&self, vertex: u32) -> &[u32] {
        self.neighbours.row(vertex)
    }

    /// The pairs of faces that impacts of features stand for, ascending and each once.
    ///
    /// A feature is seldom that of one face. Of the faces that have it the lowest is taken whose partner it does not touch:
    /// faces with a common vertex are one cluster, and no collision of clusters.
    ///
    /// # Panics
    /// If an impact names a surface or feature that does not exist.
    pub fn face_pairs(&self, impacts: &[Impact]) -> Vec<[u32; 2]> {
        let mut pairs: Vec<[u32; 2]> = impacts.iter().filter_map(|impact| self.face_pair(impact)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn face_pair(&self, impact: &Impact) -> Option<[u32; 2]> {
        let pair = &impact.pair;
        let [a, b] = [0, 1].map(|side| (self.first[pair.surfaces[side] as usize], pair.features[side]));
        let face = [b.0[1] + b.1];
        let [of_a, of_b] = match pair.kind {
            PairKind::VertexFace => [self.vertex_faces.row(a.0[0] + a.1), &face],
            PairKind::EdgeEdge => [a, b].map(|(first, edge)| self.edge_faces.row(first[2] + edge)),
        };
        let apart = |f: u32, g: u32| !self.triangle(f).iter().any(|v| self.triangle(g).contains(v));
        let all = || of_a.iter().flat_map(|f| of_b.iter().map(|g| [*f, *g]));
        let [f, g] = all().find(|[f, g]| apart(*f, *g)).or_else(|| all().next())?;
        Some([f.min(g), f.max(g)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_collide::impact::Method;
    use toile_collide::{BruteForce, Detector};
    use toile_mesh::{DVec3, Motion, Moves, generate};

    #[test]
    fn impacts_become_pairs_of_faces_that_have_the_features() {
        let mesh = generate::plane([1.0, 1.0], [3, 3]);
        let surfaces = vec![Surface::new(&mesh), Surface::obstacle(&mesh, Moves::Never)];
        let zone_mesh = ZoneMesh::new(&surfaces);
        let up: Vec<DVec3> = mesh.positions.iter().map(|p| *p + DVec3::new(0.03, 0.1, 0.01)).collect();
        let down: Vec<DVec3> = up.iter().map(|p| *p - 0.2 * DVec3::Y).collect();
        let motions = [Motion { x_t0: &up, x_t1: &down }, Motion::still(&mesh.positions)];
        let mut impacts = Vec::new();
        BruteForce::new(surfaces, Method::default()).impacts(&motions, 0.0, &mut impacts).unwrap();
        assert!(impacts.iter().any(|i| i.pair.kind == PairKind::EdgeEdge), "both kinds are seen");
        for impact in &impacts {
            let [a, b] = zone_mesh.face_pair(impact).unwrap();
            let shift = impact.pair.vertex_surfaces().map(|s| zone_mesh.first[s as usize][0]);
            for (i, v) in impact.pair.vertices.iter().enumerate() {
                let v = v + shift[i];
                assert!(zone_mesh.triangle(a).contains(&v) || zone_mesh.triangle(b).contains(&v));
            }
            assert!(!zone_mesh.is_obstacle(a) && zone_mesh.is_obstacle(b));
        }
    }

    #[test]
    fn a_face_that_touches_its_partner_is_passed_over_for_one_that_does_not() {
        // A fan around vertex 0: triangles (0,1,2), (0,2,3), (0,3,4), and face (1,5,2) that shares 1 and 2 with the first.
        let x = [[0, 0], [3, 0], [2, 1], [1, 2], [0, 3], [3, 1]].map(|[x, z]| DVec3::new(x.into(), 0.0, z.into()));
        let triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [1, 5, 2]];
        let mesh = toile_mesh::TriMesh::from_indices(x.to_vec(), &triangles);
        let surfaces = vec![Surface::new(&mesh)];
        let zone_mesh = ZoneMesh::new(&surfaces);
        let mut end = x;
        end[0] = DVec3::new(2.7, -0.5, 0.7);
        let mut start = x;
        start[0] = DVec3::new(2.7, 0.5, 0.7);
        let mut impacts = Vec::new();
        let motion = [Motion { x_t0: &start, x_t1: &end }];
        BruteForce::new(surfaces, Method::default()).impacts(&motion, 0.0, &mut impacts).unwrap();
        impacts.retain(|i| i.pair.kind == PairKind::VertexFace && i.pair.vertices[0] == 0);
        assert_eq!(zone_mesh.face_pairs(&impacts), [[2, 3]]);
    }
}
