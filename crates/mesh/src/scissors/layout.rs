//! [`Layout`]: a mesh with the flat corners of its triangles, in which triangles can be split.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec2, DVec3};

use super::{CutEdge, cut_edge};
use crate::{TriMesh, VertexId};

/// Least shape of a triangle, 1 for equal sides and 0 without area, to which a vertex may be moved.
const FAIR_SHAPE: f64 = 0.3;

/// Triangles, each with its corners in the plane of the cloth or panel that it is cut from.
///
/// Vertices of the mesh keep their numbers; new ones follow, and are weighted means of old ones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Flat corners of each triangle [m].
    pub flat: Vec<[DVec2; 3]>,
    /// The panel of each triangle.
    pub panel: Vec<u32>,
    /// For each vertex the vertices of the first mesh it is a mean of, with their shares.
    pub sources: Vec<Vec<(u32, f64)>>,
    /// The triangle of the first mesh that each triangle is a part of.
    pub whole: Vec<u32>,
    /// Edges that are cut, with the number of the first slit that cuts them.
    pub(super) slits: BTreeMap<CutEdge, u32>,
    /// Triangles around each vertex.
    around: Vec<Vec<u32>>,
    /// Vertices that stay where they are.
    pub(super) fixed: Vec<bool>,
}

impl Layout {
    /// Triangles over `vertices` vertices with their flat corners [m] and panels.
    ///
    /// # Panics
    /// If the three lists are not equally long.
    pub fn new(vertices: usize, triangles: &[[VertexId; 3]], flat: Vec<[DVec2; 3]>, panel: Vec<u32>) -> Self {
        assert!(triangles.len() == flat.len() && flat.len() == panel.len());
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v.0)).collect();
        let mut around = vec![Vec::new(); vertices];
        for (f, t) in triangles.iter().enumerate() {
            for v in t {
                around[*v as usize].push(f as u32);
            }
        }
        let whole = (0..triangles.len() as u32).collect();
        let sources = (0..vertices as u32).map(|v| vec![(v, 1.0)]).collect();
        let (slits, fixed) = (BTreeMap::new(), vec![false; vertices]);
        Self { triangles, flat, panel, sources, whole, slits, around, fixed }
    }

    /// A mesh that lies in the x–z plane, with these as its flat coordinates.
    pub fn of_flat_mesh(mesh: &TriMesh) -> Self {
        let flat = mesh.faces().map(|f| mesh.corners(f).map(|p| DVec2::new(p.x, p.z))).collect();
        Self::new(mesh.vertex_count(), &mesh.triangles, flat, vec![0; mesh.face_count()])
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.sources.len()
    }

    /// What a list with a value for each vertex of the first mesh is for each vertex of this one.
    pub fn spread(&self, values: &[DVec3]) -> Vec<DVec3> {
        let mean = |sources: &Vec<(u32, f64)>| match sources.as_slice() {
            [(v, _)] => values[*v as usize],
            many => many.iter().map(|(v, share)| values[*v as usize] * *share).sum(),
        };
        self.sources.iter().map(mean).collect()
    }

    /// Edges that slits with numbers below `slits` cut.
    pub fn cuts(&self, slits: u32) -> BTreeSet<CutEdge> {
        self.slits.iter().filter(|(_, slit)| **slit < slits).map(|(edge, _)| *edge).collect()
    }

    /// Keeps all vertices where they are, so that the surface of cloth that is curved does not change; paths go aside to them.
    pub fn fix_vertices(&mut self) {
        self.fixed.fill(true);
    }

    /// Marks the edges between a panel and the others as cut by slit `number`; those that are cut already stay with the slit that cut
    /// them.
    pub fn unpick(&mut self, number: u32, panel: u32) {
        let seams = (self.triangles.iter().zip(&self.panel))
            .filter(|(_, own)| **own == panel)
            .flat_map(|(t, _)| [0, 1, 2].map(|k| cut_edge(t[k], t[(k + 1) % 3])))
            .filter(|[a, b]| self.at_edge(*a, *b).iter().any(|f| self.panel[*f as usize] != panel))
            .collect::<Vec<_>>();
        for edge in seams {
            self.slits.entry(edge).or_insert(number);
        }
    }

    /// Area of a flat triangle, negative if it is wound clockwise [m²].
    pub fn signed_area(&self, f: usize) -> f64 {
        let [a, b, c] = self.flat[f];
        0.5 * (b - a).perp_dot(c - a)
    }

    /// Triangles around a vertex, in no order.
    pub fn around(&self, v: u32) -> &[u32] {
        &self.around[v as usize]
    }

    /// Which corner of triangle `f` a vertex is.
    pub(super) fn corner(&self, f: u32, v: u32) -> Option<usize> {
        self.triangles[f as usize].iter().position(|u| *u == v)
    }

    /// Triangles that have both ends of an edge, ascending.
    pub(super) fn at_edge(&self, a: u32, b: u32) -> Vec<u32> {
        let mut faces: Vec<u32> = self.around(a).iter().copied().filter(|f| self.corner(*f, b).is_some()).collect();
        faces.sort_unstable();
        faces
    }

    fn mean(&self, parts: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let mut sources: Vec<(u32, f64)> = Vec::new();
        for (v, share) in parts {
            for (source, part) in &self.sources[*v as usize] {
                match sources.iter_mut().find(|s| s.0 == *source) {
                    Some(known) => known.1 += part * share,
                    None => sources.push((*source, part * share)),
                }
            }
        }
        sources.retain(|s| s.1 != 0.0);
        sources
    }

    fn add_vertex(&mut self, parts: &[(u32, f64)]) -> u32 {
        let sources = self.mean(parts);
        self.sources.push(sources);
        self.around.push(Vec::new());
        self.fixed.push(false);
        self.sources.len() as u32 - 1
    }

    /// Puts `corners` with their places in the stead of triangle `f`.
    fn set_triangle(&mut self, f: u32, corners: [u32; 3], flat: [DVec2; 3]) {
        for v in self.triangles[f as usize] {
            self.around[v as usize].retain(|g| *g != f);
        }
        (self.triangles[f as usize], self.flat[f as usize]) = (corners, flat);
        for v in corners {
            self.around[v as usize].push(f);
        }
    }

    fn add_triangle(&mut self, of: u32, corners: [u32; 3], flat: [DVec2; 3]) {
        let f = self.triangles.len() as u32;
        self.triangles.push(corners);
        self.flat.push(flat);
        self.panel.push(self.panel[of as usize]);
        self.whole.push(self.whole[of as usize]);
        for v in corners {
            self.around[v as usize].push(f);
        }
    }

    /// Splits the edge from `a` to `b` at a share of the way, and the triangles at it; returns the new vertex.
    pub(super) fn split_edge(&mut self, a: u32, b: u32, share: f64) -> u32 {
        // From the lower number, so that all triangles at the edge find the same place.
        let (a, b, share) = if a < b { (a, b, share) } else { (b, a, 1.0 - share) };
        let faces = self.at_edge(a, b);
        let middle = self.add_vertex(&[(a, 1.0 - share), (b, share)]);
        if let Some(slit) = self.slits.remove(&cut_edge(a, b)) {
            self.slits.extend([(cut_edge(a, middle), slit), (cut_edge(middle, b), slit)]);
        }
        for f in faces {
            let (Some(i), Some(j)) = (self.corner(f, a), self.corner(f, b)) else { continue };
            let (corners, flat) = (self.triangles[f as usize], self.flat[f as usize]);
            let place = flat[i].lerp(flat[j], share);
            let with = |k: usize| {
                let (mut corners, mut flat) = (corners, flat);
                (corners[k], flat[k]) = (middle, place);
                (corners, flat)
            };
            let ((near, near_flat), (far, far_flat)) = (with(j), with(i));
            self.set_triangle(f, near, near_flat);
            self.add_triangle(f, far, far_flat);
        }
        middle
    }

    /// Splits a triangle at a point with these shares of its corners; returns the new vertex.
    pub(super) fn split_face(&mut self, f: u32, shares: [f64; 3]) -> u32 {
        let (corners, flat) = (self.triangles[f as usize], self.flat[f as usize]);
        let place = flat[0] * shares[0] + flat[1] * shares[1] + flat[2] * shares[2];
        let middle = self.add_vertex(&std::array::from_fn::<_, 3, _>(|k| (corners[k], shares[k])));
        for k in 0..3 {
            let (mut corners, mut flat) = (corners, flat);
            (corners[k], flat[k]) = (middle, place);
            if k == 0 { self.set_triangle(f, corners, flat) } else { self.add_triangle(f, corners, flat) }
        }
        middle
    }

    /// Moves a vertex to a point of triangle `f` around it with these shares of its corners; false, and nothing changed, if it is fixed, at
    /// a border or a seam, or if its triangles would suffer.
    pub(super) fn move_vertex(&mut self, v: u32, f: u32, shares: [f64; 3]) -> bool {
        let Some(own) = self.corner(f, v) else { return false };
        let [a, b, c] = self.flat[f as usize];
        let (from, to) = (self.flat[f as usize][own], a * shares[0] + b * shares[1] + c * shares[2]);
        if self.fixed[v as usize] || !self.is_inside(v, self.panel[f as usize], from) {
            return false;
        }
        let moved = |g: &u32| {
            let mut flat = self.flat[*g as usize];
            self.corner(*g, v).into_iter().for_each(|k| flat[k] = to);
            (*g, flat)
        };
        let moved: Vec<(u32, [DVec2; 3])> = self.around(v).iter().map(moved).collect();
        let fair = |(g, after): &(u32, [DVec2; 3])| {
            let before = shape(self.flat[*g as usize]);
            shape(*after) * before.signum() >= FAIR_SHAPE.min(0.5 * before.abs())
        };
        if !moved.iter().all(fair) {
            return false;
        }
        let corners = self.triangles[f as usize];
        self.sources[v as usize] = self.mean(&std::array::from_fn::<_, 3, _>(|k| (corners[k], shares[k])));
        for (g, flat) in moved {
            self.flat[g as usize] = flat;
        }
        true
    }

    /// Whether a vertex is inside one panel, at `place` [m] in all of its triangles.
    fn is_inside(&self, v: u32, panel: u32, place: DVec2) -> bool {
        let here = |f: &u32| self.panel[*f as usize] == panel && self.corner_at(*f, v) == Some(place);
        let others = |f: &u32| self.triangles[*f as usize].into_iter().filter(|u| *u != v).collect::<Vec<_>>();
        let closed = |u: u32| self.at_edge(v, u).len() == 2;
        self.around(v).iter().all(|f| here(f) && others(f).into_iter().all(closed))
    }

    /// Where vertex `v` is in triangle `f` [m].
    pub(super) fn corner_at(&self, f: u32, v: u32) -> Option<DVec2> {
        self.corner(f, v).map(|k| self.flat[f as usize][k])
    }

    /// Whether a vertex has an edge with one triangle only.
    pub fn is_at_border(&self, v: u32) -> bool {
        let others = self.around(v).iter().flat_map(|f| self.triangles[*f as usize]);
        others.filter(|u| *u != v).any(|u| self.at_edge(v, u).len() == 1)
    }
}

/// Shape of a triangle: 1 with equal sides, 0 without area, negative if it is wound clockwise.
fn shape([a, b, c]: [DVec2; 3]) -> f64 {
    let sides = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
    2.0 * 3.0_f64.sqrt() * (b - a).perp_dot(c - a) / sides
}
