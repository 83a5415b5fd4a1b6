//! [`NearestFace`]: the point of a mesh nearest to a given one, and whether that one is inside.
//!
//! Boxes in a binary tree, halved by count along their longest side; a search descends into the nearer half first and
//! skips boxes farther away than what it has.
//!
//! Inside and outside follow Bærentzen and Aanæs 2005 ("Signed Distance Computation Using the Angle Weighted
//! Pseudonormal"): the sign of `(p − foot) · n`, where `n` is the normal of the face, edge or corner the foot lies on,
//! those of edges and corners summed over their faces with the angles as weights. For a closed mesh that does not
//! intersect itself the sign is right everywhere; of an open mesh it says on which side of the nearest face a point is.

use toile_collide::closest_points;
use toile_collide::impact::PairKind;
use toile_mesh::{Aabb, DVec3, EdgeId, Topology, TriMesh, triangle_angles, triangle_normal};

/// Triangles in a leaf.
const LEAF: usize = 4;
/// Weights of a foot below this are those of another feature.
const ON_BORDER: f64 = 1.0e-9;

/// The point of a mesh nearest to some point.
#[derive(Clone, Copy, Debug)]
pub struct Foot {
    /// The point [m].
    pub point: DVec3,
    /// Normal of the feature it lies on; unit, or zero where the mesh has none.
    pub normal: DVec3,
    /// Distance, negative behind the normal [m].
    pub distance: f64,
}

/// A mesh that can be asked for its nearest point.
///
/// ```
/// use toile_contact::NearestFace;
/// use toile_mesh::{DVec3, generate};
/// let ball = NearestFace::new(generate::icosphere(1.0, 4));
/// assert!((ball.nearest(DVec3::new(0.0, 1.5, 0.0)).unwrap().distance - 0.5).abs() < 1e-3);
/// ```
#[derive(Debug)]
pub struct NearestFace {
    mesh: TriMesh,
    /// Inner nodes with the place of their second child; the first one follows. Leaves with their range of `order`.
    nodes: Vec<Node>,
    order: Vec<u32>,
    face_normals: Vec<DVec3>,
    face_edges: Vec<[EdgeId; 3]>,
    edge_normals: Vec<DVec3>,
    corner_normals: Vec<DVec3>,
    closed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    second: usize,
    range: [usize; 2],
}

impl NearestFace {
    /// Of the triangles of a mesh.
    pub fn new(mesh: TriMesh) -> Self {
        let topology = Topology::new(&mesh);
        let face_normals: Vec<DVec3> =
            mesh.faces().map(|f| triangle_normal(mesh.corners(f)).unwrap_or(DVec3::ZERO)).collect();
        let mut corner_normals = vec![DVec3::ZERO; mesh.vertex_count()];
        for f in mesh.faces() {
            let angles = triangle_angles(mesh.corners(f));
            for (v, angle) in mesh.triangles[f.index()].iter().zip(angles) {
                corner_normals[v.index()] += face_normals[f.index()] * angle;
            }
        }
        let edge_normals = (topology.edges.iter())
            .map(|e| e.faces.iter().flatten().map(|f| face_normals[f.index()]).sum::<DVec3>().normalize_or_zero())
            .collect();
        let closed = topology.is_closed() && mesh.face_count() > 0;
        let mut nearest = Self {
            nodes: Vec::new(),
            order: (0..mesh.face_count() as u32).collect(),
            face_normals,
            face_edges: topology.face_edges,
            edge_normals,
            corner_normals: corner_normals.into_iter().map(DVec3::normalize_or_zero).collect(),
            closed,
            mesh,
        };
        let count = nearest.order.len();
        if count > 0 {
            nearest.build(0, count);
        }
        nearest
    }

    /// Whether it has an inside.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds)
    }

    fn corners(&self, f: u32) -> [DVec3; 3] {
        self.mesh.triangles[f as usize].map(|v| self.mesh.position(v))
    }

    fn build(&mut self, from: usize, to: usize) {
        let bounds = Aabb::around(self.order[from..to].iter().flat_map(|f| self.corners(*f)));
        let here = self.nodes.len();
        self.nodes.push(Node { bounds, second: 0, range: [from, to] });
        if to - from <= LEAF {
            return;
        }
        let size = bounds.size();
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let middle = |f: u32| self.corners(f).iter().map(|c| c[axis]).sum::<f64>();
        let mut keyed: Vec<(f64, u32)> = self.order[from..to].iter().map(|f| (middle(*f), *f)).collect();
        keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (place, (_, f)) in self.order[from..to].iter_mut().zip(keyed) {
            *place = f;
        }
        let half = from.midpoint(to);
        self.build(from, half);
        self.nodes[here].second = self.nodes.len();
        self.build(half, to);
    }

    /// The nearest point; `None` of an empty mesh or from a point that is not finite.
    pub fn nearest(&self, p: DVec3) -> Option<Foot> {
        if self.nodes.is_empty() || !p.is_finite() {
            return None;
        }
        let mut best: Option<(f64, u32, [f64; 3])> = None;
        let mut waiting = vec![(0_usize, 0.0)];
        while let Some((n, at_least)) = waiting.pop() {
            let within = best.map_or(f64::INFINITY, |b| b.0);
            if at_least > within {
                continue;
            }
            let node = &self.nodes[n];
            if node.second > 0 {
                let mut children = [n + 1, node.second].map(|c| (c, box_distance_sq(&self.nodes[c].bounds, p)));
                if children[0].1 < children[1].1 {
                    children.swap(0, 1);
                }
                waiting.extend(children);
                continue;
            }
            for &f in &self.order[node.range[0]..node.range[1]] {
                let [a, b, c] = self.corners(f);
                let closest = closest_points(PairKind::VertexFace, &[p, a, b, c]);
                let d = closest.distance * closest.distance;
                if best.is_none_or(|(least, g, _)| d < least || (d == least && f < g)) {
                    best = Some((d, f, [closest.weights[1], closest.weights[2], closest.weights[3]]));
                }
            }
        }
        best.map(|(_, f, weights)| self.foot(p, f, weights))
    }

    fn foot(&self, p: DVec3, f: u32, weights: [f64; 3]) -> Foot {
        let corners = self.corners(f);
        let point = weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2];
        let off: Vec<usize> = (0..3).filter(|k| weights[*k] < ON_BORDER).collect();
        let normal = match off[..] {
            // Edge k joins corners k and k + 1, so the edge opposite corner k is edge k + 1.
            [k] => self.edge_normals[self.face_edges[f as usize][(k + 1) % 3].index()],
            [j, k] => self.corner_normals[self.mesh.triangles[f as usize][3 - j - k].index()],
            _ => self.face_normals[f as usize],
        };
        let distance = p.distance(point);
        Foot { point, normal, distance: if (p - point).dot(normal) < 0.0 { -distance } else { distance } }
    }
}

fn box_distance_sq(bounds: &Aabb, p: DVec3) -> f64 {
    (bounds.min - p).max(p - bounds.max).max(DVec3::ZERO).length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use toile_mesh::generate;

    proptest! {
        #[test]
        fn the_nearest_point_is_that_of_trying_all_and_the_sign_is_that_of_the_body(
            p in prop::array::uniform3(-1.0..1.0_f64),
        ) {
            let p = DVec3::from(p);
            let half = DVec3::new(0.5, 0.3, 0.4);
            let mesh = generate::cuboid(2.0 * half, 3);
            let least = (mesh.faces())
                .map(|f| {
                    let [a, b, c] = mesh.corners(f);
                    closest_points(PairKind::VertexFace, &[p, a, b, c]).distance
                })
                .fold(f64::INFINITY, f64::min);
            let foot = NearestFace::new(mesh).nearest(p).unwrap();
            prop_assert_eq!(foot.distance.abs(), p.distance(foot.point));
            prop_assert!((foot.distance.abs() - least).abs() < 1e-12);
            prop_assert_eq!(foot.distance < 0.0, (p.abs() - half).max_element() < 0.0);
        }
    }

    #[test]
    fn open_and_empty_meshes_are_known_as_such() {
        assert!(NearestFace::new(generate::icosphere(1.0, 1)).is_closed());
        assert!(!NearestFace::new(generate::plane([1.0, 1.0], [2, 2])).is_closed());
        let nothing = NearestFace::new(TriMesh::default());
        assert!(!nothing.is_closed() && nothing.nearest(DVec3::ZERO).is_none());
    }
}
