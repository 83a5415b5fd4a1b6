//! [`Sewn`]: the surface that a flat mesh becomes when its seams are closed.
//!
//! Vertices joined by stitches, directly or through others, are one. The triangles over these vertices are a surface
//! with an outer side if every directed edge occurs once, and every vertex has one fan of triangles; edges without a
//! counterpart are its borders, which fall into closed loops.

use std::collections::BTreeMap;

use super::FlatMesh;

/// The surface after sewing.
#[derive(Clone, PartialEq, Debug)]
pub struct Sewn {
    /// For each vertex of all panels, its number after sewing.
    pub vertex: Vec<u32>,
    /// Number of vertices after sewing.
    pub vertex_count: usize,
    /// Triangles over sewn vertices, in the order of the panels.
    pub triangles: Vec<[u32; 3]>,
    /// Connected parts.
    pub part_count: usize,
    /// Loops of border vertices, each from its lowest number.
    pub borders: Vec<Vec<u32>>,
    /// Triangles of which two corners were sewn together.
    pub collapsed: Vec<u32>,
    /// Edges that more than one triangle has on the same side: the cloth would be sewn double or inside out.
    pub bad_edges: Vec<[u32; 2]>,
    /// Vertices at which more than one fan of triangles meets.
    pub bad_vertices: Vec<u32>,
}

/// Disjoint sets whose representative is their lowest member.
struct Sets(Vec<u32>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn find(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            let up = self.0[self.0[v as usize] as usize];
            self.0[v as usize] = up;
            v = up;
        }
        v
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

impl Sewn {
    pub(super) fn new(mesh: &FlatMesh) -> Self {
        let mut sets = Sets::new(mesh.vertex_count());
        for [a, b] in mesh.seams.iter().flat_map(|seam| &seam.stitches) {
            sets.join(*a, *b);
        }
        let mut number = vec![u32::MAX; mesh.vertex_count()];
        let mut vertex = Vec::with_capacity(number.len());
        let mut count = 0;
        for v in 0..number.len() as u32 {
            let root = sets.find(v) as usize;
            if number[root] == u32::MAX {
                number[root] = count;
                count += 1;
            }
            vertex.push(number[root]);
        }
        let corners = mesh.panels.iter().flat_map(|panel| panel.triangles.iter().map(|t| t.map(|v| v + panel.first)));
        let triangles: Vec<[u32; 3]> = corners.map(|t| t.map(|v| vertex[v as usize])).collect();
        let mut sewn = Self {
            vertex,
            vertex_count: count as usize,
            triangles,
            part_count: 0,
            borders: Vec::new(),
            collapsed: Vec::new(),
            bad_edges: Vec::new(),
            bad_vertices: Vec::new(),
        };
        sewn.examine();
        sewn
    }

    /// Whether it is a surface with an outer side, of one fan around each vertex.
    pub fn is_manifold(&self) -> bool {
        self.collapsed.is_empty() && self.bad_edges.is_empty() && self.bad_vertices.is_empty()
    }

    /// Vertices less edges plus triangles: 2 less the number of borders, and less 2 for each handle, of one part.
    pub fn euler_characteristic(&self) -> isize {
        let key = |a: u32, b: u32| [a.min(b), a.max(b)];
        let mut edges: Vec<[u32; 2]> =
            self.triangles.iter().flat_map(|&[a, b, c]| [key(a, b), key(b, c), key(c, a)]).collect();
        edges.sort_unstable();
        edges.dedup();
        (self.vertex_count + self.triangles.len()).wrapping_sub(edges.len()).cast_signed()
    }

    fn examine(&mut self) {
        let mut sides: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut parts = Sets::new(self.vertex_count);
        for (i, &[a, b, c]) in self.triangles.iter().enumerate() {
            if a == b || b == c || c == a {
                self.collapsed.push(i as u32);
                continue;
            }
            for edge in [[a, b], [b, c], [c, a]] {
                *sides.entry(edge).or_default() += 1;
                parts.join(edge[0], edge[1]);
            }
        }
        self.part_count = (0..self.vertex_count as u32).filter(|&v| parts.find(v) == v).count();
        self.bad_edges = sides.iter().filter(|(_, count)| **count > 1).map(|(edge, _)| *edge).collect();
        let open: Vec<[u32; 2]> = sides.keys().filter(|[a, b]| !sides.contains_key(&[*b, *a])).copied().collect();
        self.find_borders(&open);
        self.find_bad_vertices();
    }

    /// Follows open edges; at a vertex with several, which is bad anyway, any is taken.
    fn find_borders(&mut self, open: &[[u32; 2]]) {
        let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for [a, b] in open {
            next.entry(*a).or_default().push(*b);
        }
        while let Some((&start, _)) = next.iter().next() {
            let mut ring = Vec::new();
            let mut at = start;
            while let Some(ways) = next.get_mut(&at) {
                ring.push(at);
                let to = ways.pop();
                if ways.is_empty() {
                    next.remove(&at);
                }
                match to {
                    Some(to) => at = to,
                    None => break,
                }
            }
            self.borders.push(ring);
        }
    }

    /// The triangles around a vertex are one fan if, joined over their common edges, they are one set.
    fn find_bad_vertices(&mut self) {
        let mut ring: Vec<Vec<[u32; 2]>> = vec![Vec::new(); self.vertex_count];
        for &[a, b, c] in &self.triangles {
            for [v, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
                ring[v as usize].push([from, to]);
            }
        }
        for (v, fan) in ring.iter().enumerate() {
            let ends: Vec<u32> = fan.iter().map(|edge| edge[1]).collect();
            // Pieces begin where no other triangle ends; a closed fan has no beginning.
            let beginnings = fan.iter().filter(|edge| !ends.contains(&edge[0])).count();
            let reached = reach(fan, beginnings);
            if beginnings > 1 || reached < fan.len() {
                self.bad_vertices.push(v as u32);
            }
        }
    }
}

/// Number of triangles of a fan met when walking around the vertex from its beginning.
fn reach(fan: &[[u32; 2]], beginnings: usize) -> usize {
    let first = if beginnings == 0 { fan.first() } else { fan.iter().find(|edge| fan.iter().all(|e| e[1] != edge[0])) };
    let Some(first) = first else { return 0 };
    let (mut at, mut count) = (first[1], 1);
    while count < fan.len() {
        match fan.iter().find(|edge| edge[0] == at) {
            Some(edge) if at != first[0] => {
                at = edge[1];
                count += 1;
            }
            _ => break,
        }
    }
    count
}
