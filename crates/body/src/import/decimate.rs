//! Fewer triangles: quadric edge collapse.
//!
//! Garland and Heckbert 1997 ("Surface simplification using quadric error metrics"): each vertex carries the sum of the
//! squared distances to the planes of its triangles, `Q(x) = xᵀ A x + 2 bᵀ x + c`; the edge whose ends can be merged at the
//! least `Q₀ + Q₁` goes first, to where that is least. A collapse is refused if it would join sheets (the neighbours that both
//! ends share must be exactly the two corners opposite the edge) or turn a triangle over. Planes are weighted by area; a
//! little of the squared distance from the vertex itself keeps flat places determined and triangles even.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use toile_mesh::{DMat3, DVec3, Topology, TriMesh, VertexId, triangle_vector_area};

/// Weight of the distance from the vertex against that from the planes.
const EVENNESS: f64 = 1e-3;

/// Largest turn of a triangle's normal in a collapse, as its cosine.
const MOST_TURN: f64 = 0.2;

/// `xᵀ A x + 2 bᵀ x + c`.
#[derive(Clone, Copy)]
struct Quadric {
    a: DMat3,
    b: DVec3,
    c: f64,
}

impl Quadric {
    const ZERO: Self = Self { a: DMat3::ZERO, b: DVec3::ZERO, c: 0.0 };

    fn plane(normal: DVec3, point: DVec3, weight: f64) -> Self {
        let d = -normal.dot(point);
        let a = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        Self { a: a * weight, b: weight * d * normal, c: weight * d * d }
    }

    fn point(p: DVec3, weight: f64) -> Self {
        Self { a: DMat3::from_diagonal(DVec3::splat(weight)), b: -weight * p, c: weight * p.length_squared() }
    }

    fn plus(&self, other: &Self) -> Self {
        Self { a: self.a + other.a, b: self.b + other.b, c: self.c + other.c }
    }

    fn at(&self, x: DVec3) -> f64 {
        x.dot(self.a * x) + 2.0 * self.b.dot(x) + self.c
    }
}

/// An edge with what its collapse costs; stale when a vertex has changed since.
#[derive(PartialEq)]
struct Candidate {
    cost: f64,
    ends: [u32; 2],
    versions: [u32; 2],
    place: DVec3,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.ends.cmp(&other.ends)).then(self.versions.cmp(&other.versions))
    }
}

struct Collapser {
    positions: Vec<DVec3>,
    quadrics: Vec<Quadric>,
    versions: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    is_alive: Vec<bool>,
    /// Triangles around each vertex, dead ones removed.
    rings: Vec<Vec<u32>>,
    heap: BinaryHeap<Reverse<Candidate>>,
}

/// A closed mesh with at most `wanted` triangles, as far as that is possible without changing how it is connected.
///
/// ```
/// use toile_body::import::decimate;
/// use toile_mesh::{generate, signed_volume};
/// let ball = generate::icosphere(1.0, 5);
/// let small = decimate(&ball, 2_000);
/// assert_eq!(small.face_count(), 2_000);
/// assert!((signed_volume(&small) / signed_volume(&ball) - 1.0).abs() < 0.005);
/// ```
pub fn decimate(mesh: &TriMesh, wanted: usize) -> TriMesh {
    let mut collapser = Collapser::new(mesh);
    let mut count = mesh.face_count();
    while count > wanted {
        let Some(Reverse(candidate)) = collapser.heap.pop() else { break };
        let is_fresh = candidate.ends.map(|v| collapser.versions[v as usize]) == candidate.versions;
        if is_fresh && collapser.may_collapse(&candidate) {
            collapser.collapse(&candidate);
            count -= 2;
        }
    }
    collapser.finished()
}

impl Collapser {
    fn new(mesh: &TriMesh) -> Self {
        let n = mesh.vertex_count();
        let mut quadrics = vec![Quadric::ZERO; n];
        let mut rings = vec![Vec::new(); n];
        for (f, t) in mesh.triangles.iter().enumerate() {
            let corners = t.map(|v| mesh.position(v));
            let area = triangle_vector_area(corners);
            let weight = area.length();
            let normal = area.normalize_or_zero();
            for v in t {
                let own = Quadric::point(mesh.position(*v), EVENNESS * weight / 3.0);
                let sum = Quadric::plane(normal, corners[0], weight).plus(&own);
                quadrics[v.index()] = quadrics[v.index()].plus(&sum);
                rings[v.index()].push(f as u32);
            }
        }
        let mut collapser = Self {
            positions: mesh.positions.clone(),
            quadrics,
            versions: vec![0; n],
            triangles: mesh.triangles.iter().map(|t| t.map(|v| v.0)).collect(),
            is_alive: vec![true; mesh.face_count()],
            rings,
            heap: BinaryHeap::new(),
        };
        for edge in Topology::new(mesh).edges {
            collapser.offer(edge.ends.map(|v| v.0));
        }
        collapser
    }

    /// Puts an edge on the heap, with the place where its ends are best merged.
    fn offer(&mut self, ends: [u32; 2]) {
        let [i, j] = ends.map(|v| v as usize);
        let sum = self.quadrics[i].plus(&self.quadrics[j]);
        let middle = 0.5 * (self.positions[i] + self.positions[j]);
        let length = self.positions[i].distance(self.positions[j]);
        let solved = -(sum.a.inverse() * sum.b);
        let is_near = solved.is_finite() && solved.distance(middle) < 2.0 * length;
        let place = if is_near { solved } else { middle };
        let cost = sum.at(place).max(0.0);
        let versions = [self.versions[i], self.versions[j]];
        self.heap.push(Reverse(Candidate { cost, ends, versions, place }));
    }

    /// Vertices around a vertex, ascending.
    fn around(&self, v: u32) -> Vec<u32> {
        let corners = self.rings[v as usize].iter().flat_map(|f| self.triangles[*f as usize]);
        let mut list: Vec<u32> = corners.filter(|u| *u != v).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    fn may_collapse(&self, candidate: &Candidate) -> bool {
        let [i, j] = candidate.ends;
        let (a, b) = (self.around(i), self.around(j));
        let shared = a.iter().filter(|v| b.binary_search(v).is_ok()).count();
        let wings = self.rings[i as usize].iter().filter(|f| self.triangles[**f as usize].contains(&j)).count();
        // A tetrahedron would become two triangles on top of each other.
        let keeps_shape = wings == 2 && shared == 2 && a.len() + b.len() > 6;
        let stays_up = |v: u32, other: u32| {
            self.rings[v as usize].iter().map(|f| self.triangles[*f as usize]).filter(|t| !t.contains(&other)).all(
                |t| {
                    let at = |moved: bool| {
                        t.map(|u| if moved && u == v { candidate.place } else { self.positions[u as usize] })
                    };
                    let (before, after) = (triangle_vector_area(at(false)), triangle_vector_area(at(true)));
                    before.dot(after) > MOST_TURN * before.length() * after.length()
                },
            )
        };
        keeps_shape && stays_up(i, j) && stays_up(j, i)
    }

    /// Merges the second end into the first.
    fn collapse(&mut self, candidate: &Candidate) {
        let [i, j] = candidate.ends;
        let moved = std::mem::take(&mut self.rings[j as usize]);
        for f in moved {
            let triangle = &mut self.triangles[f as usize];
            if triangle.contains(&i) {
                self.is_alive[f as usize] = false;
                for v in *triangle {
                    self.rings[v as usize].retain(|g| *g != f);
                }
            } else {
                *triangle = triangle.map(|v| if v == j { i } else { v });
                self.rings[i as usize].push(f);
            }
        }
        self.positions[i as usize] = candidate.place;
        self.quadrics[i as usize] = self.quadrics[i as usize].plus(&self.quadrics[j as usize]);
        self.versions[i as usize] += 1;
        self.versions[j as usize] += 1;
        for v in self.around(i) {
            self.offer([i.min(v), i.max(v)]);
        }
    }

    fn finished(self) -> TriMesh {
        let mut number = vec![u32::MAX; self.positions.len()];
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        for (t, _) in self.triangles.iter().zip(&self.is_alive).filter(|(_, is_alive)| **is_alive) {
            triangles.push(t.map(|v| {
                let slot = &mut number[v as usize];
                if *slot == u32::MAX {
                    *slot = positions.len() as u32;
                    positions.push(self.positions[v as usize]);
                }
                VertexId(*slot)
            }));
        }
        TriMesh { positions, triangles }
    }
}
