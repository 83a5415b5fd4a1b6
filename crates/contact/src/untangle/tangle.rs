//! [`Tangle`]: what is to be parted, and [`Weave`]: the same with everything that follows from it once.

use toile_mesh::{Aabb, DVec3, Topology, TriMesh, VertexId, judge, triangle_area};

use super::nearest::{Foot, NearestFace};
use crate::{Friction, PlacedObstacles};

/// Shortest length that an edge may be pressed to, as a share of its rest length.
const SHORTEST: f64 = 0.9;
/// Shortest distance of opposite corners of two neighbouring triangles, as a share of that at rest: limits creases.
const SHORTEST_WING: f64 = 0.6;
/// Distance kept at most, as a share of the smallest height of a triangle: neighbours are no nearer than that by nature.
const GAP_PER_HEIGHT: f64 = 0.2;

/// Cloth in its starting place, with what it must be kept apart from.
///
/// All slices over vertices are those of `cloth`; sheets are numbered as the values of `sheet`.
#[derive(Clone, Copy, Debug)]
pub struct Tangle<'a> {
    /// All cloth as one mesh [m].
    pub cloth: &'a TriMesh,
    /// Rest positions [m], for the lengths that are to be kept.
    pub rest: &'a [DVec3],
    /// Who is held and does not move.
    pub held: &'a [bool],
    /// The sheet each vertex belongs to.
    pub sheet: &'a [u32],
    /// For each sheet, its place among those worn over each other; a lower number is nearer to the body.
    pub layer: &'a [u32],
    /// For each sheet, the distance to reach from cloth of the same kind [m]; between sheets the mean counts.
    pub gap: &'a [f64],
    /// Pairs of vertices that are sewn together and may touch.
    pub sewn: &'a [[u32; 2]],
    /// Whether cloth is kept from cloth, or from obstacles alone.
    pub self_contact: bool,
    /// Obstacles known by their distance, in place.
    pub obstacles: &'a PlacedObstacles,
    /// Obstacles known by their triangles, in place [m].
    pub meshes: &'a [TriMesh],
    /// Distance to reach from obstacles [m].
    pub obstacle_gap: f64,
}

/// A distance between two vertices that is kept in a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    pub(super) ends: [usize; 2],
    pub(super) rest: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

/// Vertices and triangles of cloth and of mesh obstacles in one numbering, cloth first, with what never changes.
pub(super) struct Weave<'a> {
    pub(super) tangle: Tangle<'a>,
    pub(super) triangles: Vec<[VertexId; 3]>,
    pub(super) topology: Topology,
    /// 1 for vertices that may move, else 0.
    pub(super) free: Vec<f64>,
    /// Vertices of each part: a connected piece of cloth, or of a mesh.
    pub(super) members: Vec<Vec<u32>>,
    /// Number of parts that are cloth; those of obstacles follow.
    pub(super) cloth_parts: usize,
    /// For each part its mesh obstacle, if it is one.
    pub(super) mesh_of: Vec<Option<usize>>,
    /// Area of each part [m²].
    pub(super) area: Vec<f64>,
    /// Numbers of the edges of each part.
    pub(super) part_edges: Vec<Vec<u32>>,
    /// The exact obstacles, without friction.
    pub(super) placed: PlacedObstacles,
    /// Edges, then wings.
    pub(super) lengths: Vec<Length>,
    pub(super) edge_count: usize,
    pub(super) solids: Vec<NearestFace>,
    /// For each vertex half the distance it keeps from others [m].
    pub(super) half_gap: Vec<f64>,
    pub(super) mean_edge: f64,
    /// First face of each mesh obstacle.
    pub(super) first_face: Vec<usize>,
    /// Sewn pairs, each both ways, ascending.
    sewn: Vec<[u32; 2]>,
    /// Parts that start inside a closed mesh without crossing it, and stay there: (part, mesh), ascending.
    at_home: Vec<(usize, usize)>,
}

impl<'a> Weave<'a> {
    pub(super) fn new(tangle: Tangle<'a>) -> (Self, Vec<DVec3>) {
        let mut all = tangle.cloth.clone();
        let mut first_face = Vec::new();
        for mesh in tangle.meshes {
            first_face.push(all.face_count());
            all.append(mesh);
        }
        let n = tangle.cloth.vertex_count();
        let topology = Topology::new(&all);
        let mut members = vec![Vec::new(); topology.part_count as usize];
        for (v, part) in topology.part_of_vertex.iter().enumerate() {
            members[*part as usize].push(v as u32);
        }
        let mut part_edges = vec![Vec::new(); members.len()];
        for (e, edge) in topology.edges.iter().enumerate() {
            part_edges[topology.part_of_vertex[edge.ends[0].index()] as usize].push(e as u32);
        }
        let mut area = vec![0.0; members.len()];
        for f in all.faces() {
            area[topology.part_of_vertex[all.triangles[f.index()][0].index()] as usize] +=
                triangle_area(all.corners(f));
        }
        let mut mesh_of = vec![None; members.len()];
        let mut first = n;
        for (k, mesh) in tangle.meshes.iter().enumerate() {
            for v in first..first + mesh.vertex_count() {
                mesh_of[topology.part_of_vertex[v] as usize] = Some(k);
            }
            first += mesh.vertex_count();
        }
        let cloth_parts = mesh_of.iter().take_while(|m| m.is_none()).count();
        let lengths = lengths(&topology, tangle.rest);
        let edge_count = topology.edges.iter().filter(|e| e.ends[1].index() < n).count();
        let sum: f64 = lengths[..edge_count].iter().map(|l| l.rest).sum();
        let mut sewn: Vec<[u32; 2]> = tangle.sewn.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
        sewn.sort_unstable();
        let mut placed = tangle.obstacles.clone();
        placed.map_friction(|_| Friction::Scaled(0.0));
        let mut weave = Self {
            part_edges,
            placed,
            free: (0..all.vertex_count()).map(|v| if v < n && !tangle.held[v] { 1.0 } else { 0.0 }).collect(),
            half_gap: half_gaps(&tangle, all.vertex_count()),
            mean_edge: sum / edge_count.max(1) as f64,
            solids: tangle.meshes.iter().map(|mesh| NearestFace::new(mesh.clone())).collect(),
            triangles: all.triangles,
            tangle,
            topology,
            members,
            cloth_parts,
            mesh_of,
            area,
            lengths,
            edge_count,
            first_face,
            sewn,
            at_home: Vec::new(),
        };
        weave.at_home = weave.find_homes(&all.positions);
        (weave, all.positions)
    }

    fn find_homes(&self, x: &[DVec3]) -> Vec<(usize, usize)> {
        if self.solids.is_empty() {
            return Vec::new();
        }
        let crossing: Vec<[usize; 2]> = self.judged(x).iter().map(|pair| pair.map(|f| self.part_of_face(f))).collect();
        let mut homes = Vec::new();
        for (v, p) in x[..self.cloth_vertices()].iter().enumerate() {
            let part = self.part_of_vertex(v);
            for (k, _) in self.sunk(v, *p) {
                let crosses = crossing.iter().any(|[a, b]| *a == part && self.mesh_of[*b] == Some(k));
                if !crosses && homes.last() != Some(&(part, k)) {
                    homes.push((part, k));
                }
            }
        }
        homes.sort_unstable();
        homes.dedup();
        homes
    }

    /// The closed meshes that vertex `v` would be inside of at `p` but should not, with the nearest point of each.
    pub(super) fn sunk(&self, v: usize, p: DVec3) -> impl Iterator<Item = (usize, Foot)> + '_ {
        let at = Aabb { min: p, max: p };
        let part = self.part_of_vertex(v);
        let near = self.solids.iter().enumerate().filter(move |(k, solid)| {
            solid.is_closed() && solid.bounds().overlaps(&at) && self.at_home.binary_search(&(part, *k)).is_err()
        });
        near.filter_map(move |(k, solid)| Some((k, solid.nearest(p).filter(|foot| foot.distance < 0.0)?)))
    }

    pub(super) fn cloth_vertices(&self) -> usize {
        self.tangle.cloth.vertex_count()
    }

    /// The cloth at `x`, as a mesh of its own.
    pub(super) fn cloth_at(&self, x: &[DVec3]) -> TriMesh {
        TriMesh { positions: x[..self.cloth_vertices()].to_vec(), triangles: self.tangle.cloth.triangles.clone() }
    }

    pub(super) fn corners(&self, f: usize, x: &[DVec3]) -> [DVec3; 3] {
        self.triangles[f].map(|v| x[v.index()])
    }

    /// The vertices of a triangle.
    pub(super) fn face(&self, f: usize) -> [usize; 3] {
        self.triangles[f].map(VertexId::index)
    }

    /// The vertices of an edge.
    pub(super) fn ends(&self, edge: usize) -> [usize; 2] {
        self.topology.edges[edge].ends.map(VertexId::index)
    }

    pub(super) fn part_of_face(&self, f: usize) -> usize {
        self.topology.part_of_vertex[self.triangles[f][0].index()] as usize
    }

    pub(super) fn part_of_vertex(&self, v: usize) -> usize {
        self.topology.part_of_vertex[v] as usize
    }

    /// Layer of a part; obstacles are below all.
    pub(super) fn layer(&self, part: usize) -> Option<u32> {
        if self.mesh_of[part].is_some() {
            return None;
        }
        let sheet = self.tangle.sheet[self.members[part][0] as usize];
        Some(self.tangle.layer[sheet as usize])
    }

    /// Whether a vertex of the one set of corners is sewn to one of the other.
    pub(super) fn are_sewn(&self, a: &[u32], b: &[u32]) -> bool {
        !self.sewn.is_empty() && a.iter().any(|v| b.iter().any(|u| self.sewn.binary_search(&[*v, *u]).is_ok()))
    }

    /// Pairs of triangles that intersect at `x`, in one numbering, without those that are sewn together.
    pub(super) fn judged(&self, x: &[DVec3]) -> Vec<[usize; 2]> {
        let cloth = self.cloth_at(x);
        let mut pairs = Vec::new();
        if self.tangle.self_contact {
            let own = judge::self_intersections(&cloth);
            pairs.extend(own.pairs.iter().map(|p| [p.a.index(), p.b.index()]));
            let numbers = |f: usize| self.triangles[f].map(|v| v.0);
            pairs.retain(|[a, b]| !self.are_sewn(&numbers(*a), &numbers(*b)));
        }
        for (mesh, first) in self.tangle.meshes.iter().zip(&self.first_face) {
            let mutual = judge::mutual_intersections(&cloth, mesh);
            pairs.extend(mutual.pairs.iter().map(|p| [p.a.index(), first + p.b.index()]));
        }
        pairs
    }

    /// Largest ratio of an edge to its rest length, at least 1.
    pub(super) fn stretch(&self, x: &[DVec3]) -> f64 {
        let ratio = |l: &Length| x[l.ends[0]].distance(x[l.ends[1]]) / l.rest;
        self.lengths[..self.edge_count].iter().filter(|l| l.rest > 0.0).map(ratio).fold(1.0, f64::max)
    }

    /// Brings edges and wings into their ranges by `share` of the way, in passes over all of them.
    pub(super) fn keep_lengths(&self, x: &mut [DVec3], passes: usize, share: f64) {
        for pass in 0..passes {
            let relax = |l: &Length, x: &mut [DVec3]| {
                let [i, j] = l.ends;
                let w = self.free[i] + self.free[j];
                let d = x[j] - x[i];
                let length = d.length();
                let wanted = length.clamp(l.min, l.max);
                if w > 0.0 && length > 0.0 && wanted != length {
                    let step = d * (share * (1.0 - wanted / length) / w);
                    x[i] += step * self.free[i];
                    x[j] -= step * self.free[j];
                }
            };
            // There and back, so that neither end of the list is favoured.
            if pass % 2 == 0 {
                self.lengths.iter().for_each(|l| relax(l, x));
            } else {
                self.lengths.iter().rev().for_each(|l| relax(l, x));
            }
        }
    }
}

fn lengths(topology: &Topology, rest: &[DVec3]) -> Vec<Length> {
    let edges = || topology.edges.iter().filter(|e| e.ends[1].index() < rest.len());
    let between = |ends: [VertexId; 2], min: f64, max: f64| {
        let ends = ends.map(VertexId::index);
        let length = rest[ends[0]].distance(rest[ends[1]]);
        Length { ends, rest: length, min: min * length, max: max * length }
    };
    let mut lengths: Vec<Length> = edges().map(|e| between(e.ends, SHORTEST, 1.0)).collect();
    lengths.extend(edges().filter_map(|e| match e.opposite {
        [Some(a), Some(b)] => Some(between([a, b], SHORTEST_WING, f64::INFINITY)),
        _ => None,
    }));
    // A wing without length at rest has no finite range.
    lengths.retain(|l| l.rest > 0.0 || l.max == 0.0);
    lengths
}

/// Half the distance each vertex is to keep: that of its sheet, as far as its own triangles leave room for it.
fn half_gaps(tangle: &Tangle<'_>, count: usize) -> Vec<f64> {
    let mut room = vec![f64::INFINITY; tangle.layer.len()];
    for t in &tangle.cloth.triangles {
        let corners = t.map(|v| tangle.rest[v.index()]);
        let longest = (0..3).map(|k| corners[k].distance(corners[(k + 1) % 3])).fold(0.0, f64::max);
        let height = 2.0 * triangle_area(corners) / longest;
        if height > 0.0 {
            let sheet = &mut room[tangle.sheet[t[0].index()] as usize];
            *sheet = sheet.min(GAP_PER_HEIGHT * height);
        }
    }
    let cloth = tangle.sheet.iter().map(|s| 0.5 * tangle.gap[*s as usize].min(room[*s as usize]));
    let mut half: Vec<f64> = cloth.collect();
    half.resize(count, 0.5 * tangle.obstacle_gap);
    half
}
