//! Regions that cannot touch themselves: normal cones, face groups and their contours. Mezger 2003, §5.1 and 6.2, after
//! Volino and Magnenat-Thalmann 1994 and Provot 1997.
//!
//! Provot's criterion (all normals in a narrow cone) alone loses contacts: a region with a concave outline may overlap
//! itself although it is nearly flat (Mezger, fig. 5). Mezger therefore never applies it to face groups that are not
//! adjacent. Here it is applied to regions of up to three adjacent groups, and only with a proof. Let U be such a
//! region, d the axis of its normal cone and Ω the projection of U along d. If during the whole step
//!
//! 1. every triangle of U keeps its normal less than 90° from d,
//! 2. the contour of U projects to closed curves of which exactly one winds positively, edges that share no vertex stay
//!    more than ε apart, and edges that share one do not fold onto each other; where they leave a notch in U, its angle is
//!    at least θ,
//! 3. the least altitude h of the projected triangles exceeds ε / sin(θ/2),
//!
//! then no two features of U without a common vertex come within ε of each other.
//!
//! *Proof.* The number of triangles over a point of the plane is the sum of the contour's winding numbers around it, since
//! all triangles are positive (1). By (2) it is at most one: Ω is covered once. Let p and q lie on disjoint features A and
//! B, at most ε apart, so that their projections are, too. The straight line between these lies in Ω except for gaps, whose
//! ends are on the contour and at most ε apart: by (2) on two edges with a common vertex, at a notch. The way along the
//! contour past that vertex is at most 1 / sin(θ/2) times as long as the gap. So p and q are joined within Ω by a way of at most
//! ε / sin(θ/2) < h. Along it the sum of the hat functions of A's vertices falls from 1 to 0; but its gradient in a triangle
//! is the inverse of an altitude, at most 1/h. ∎
//!
//! Motion. Normals are quadratic in time: (1) and (3) hold if they hold for the three Bernstein coefficients of each
//! triangle's normal. If no vertex leaves the mean motion by more than a small D, the normals at the start tell enough.
//! Contour edges are covered by the convex hull of their ends at both times, after the mean motion of U
//! has been taken off.
//!
//! Which regions: where groups meet in a corner, two that share no more than it together with one between them. If that is
//! settled, so are its three groups and their pairs. Then pairs of groups with a common edge, then single groups, as far as
//! they are not settled yet.

mod contour;

use rayon::prelude::*;
use toile_mesh::{DVec3, Motion, Surface};

use crate::cone::NormalCone;
use crate::tree::KdopTree;
use contour::Contour;

/// Relative widening of distances against rounding in `f64`.
const ROUNDING: f64 = 1.0e-9;
/// Fewest groups or regions worth a task of their own.
const GROUPS_PER_TASK: usize = 16;
/// Most groups that meet at a vertex of a proper surface.
const MOST_AT_A_CORNER: usize = 16;
/// A group is slow if deformation takes off at most this share of its heights.
const SLOW: f64 = 0.1;
/// One in so many triangles is asked for the axis of a group's normals.
const AXIS_SAMPLE: usize = 5;

/// One group, two or three that hang together, and their common contour.
#[derive(Clone, Debug)]
struct Region {
    /// Ascending; the last one repeated if there are fewer than three.
    groups: [u32; 3],
    /// `None`: the region is not a surface with simple borders; it is never culled.
    contour: Option<Contour>,
}

/// Normals and triangle heights of a group during a step. Seen along a direction that makes at most an angle β with every
/// normal at the start, no altitude is less than (height cos β − shrink) / stretch.
#[derive(Clone, Copy, Debug)]
struct GroupShape {
    cone: NormalCone,
    /// Least |normal| / longest edge [m].
    height: f64,
    /// What deformation during the step takes off [m].
    shrink: f64,
    /// By how much deformation lengthens edges.
    stretch: f64,
    /// Mean displacement [m].
    mean: DVec3,
}

impl GroupShape {
    /// Never culled.
    const OPEN: Self = Self { cone: NormalCone::ALL, height: 0.0, shrink: 0.0, stretch: 1.0, mean: DVec3::ZERO };
}

/// Adjacency and contours of a surface's face groups.
#[derive(Clone, Debug)]
pub(crate) struct FaceGroups {
    /// The adjacency matrix, as a sorted list: groups with a common vertex, and each group with itself.
    adjacent: Vec<[u32; 2]>,
    /// Regions of three groups, then of two, then of one.
    regions: [Vec<Region>; 3],
}

impl FaceGroups {
    /// Finds adjacency and contours of a tree's groups.
    pub(crate) fn new<const K: usize, const N: usize>(surface: &Surface, tree: &KdopTree<K, N>) -> Self {
        let borders = Borders::new(surface, tree);
        let singles: Vec<[u32; 2]> = (0..tree.group_count() as u32).map(|g| [g, g]).collect();
        let joined = borders.neighbours();
        let mut corners = Vec::new();
        let mut triples = Vec::new();
        for v in 0..surface.vertex_count() {
            let groups = tree.groups_of_vertex(v);
            // A vertex where very many meet belongs to no surface that could be culled.
            if groups.len() > MOST_AT_A_CORNER {
                continue;
            }
            for (i, &g) in groups.iter().enumerate() {
                for &h in groups[i + 1..].iter().filter(|h| joined.binary_search(&[g, **h]).is_err()) {
                    corners.push([g, h]);
                    let is_joined = |a: u32, b: u32| joined.binary_search(&[a.min(b), a.max(b)]).is_ok();
                    // One between them will do: another one would settle the same corner again.
                    if let Some(k) = groups.iter().find(|k| is_joined(g, **k) && is_joined(h, **k)) {
                        let mut region = [g, h, *k];
                        region.sort_unstable();
                        triples.push(region);
                    }
                }
            }
        }
        triples.sort_unstable();
        triples.dedup();
        let mut adjacent = [singles.clone(), joined.clone(), corners].concat();
        adjacent.sort_unstable();
        adjacent.dedup();
        let region = |groups: [u32; 3]| Region { groups, contour: borders.contour(&groups) };
        let regions = [
            triples.into_iter().map(region).collect(),
            joined.into_iter().map(|[g, h]| region([g, h, h])).collect(),
            singles.into_iter().map(|[g, _]| region([g, g, g])).collect(),
        ];
        Self { adjacent, regions }
    }

    /// Removes from `pairs` of groups those that cannot come within `separation` [m] during the motion. Returns how many.
    pub(crate) fn cull<const K: usize, const N: usize>(
        &self,
        surface: &Surface,
        tree: &KdopTree<K, N>,
        motion: &Motion<'_>,
        separation: f64,
        close_angle: f64,
        pairs: &mut Vec<[u32; 2]>,
    ) -> usize {
        let shapes: Vec<GroupShape> = (0..tree.group_count())
            .into_par_iter()
            .with_min_len(GROUPS_PER_TASK)
            .map(|g| shape(surface, tree.group_faces(g), tree.group_vertices(g), motion))
            .collect();
        let mut free = vec![false; self.adjacent.len()];
        let place = |g: u32, h: u32| self.adjacent.binary_search(&[g, h]);
        for regions in &self.regions {
            let settled: Vec<bool> = regions
                .par_iter()
                .with_min_len(GROUPS_PER_TASK)
                .map(|region| {
                    // Regions of two groups or one may have been settled with a larger one.
                    let [g, _, h] = region.groups;
                    let known = place(g, h).is_ok_and(|i| free[i]);
                    !known && region.is_free(&shapes, motion, separation, close_angle)
                })
                .collect();
            for (region, _) in regions.iter().zip(&settled).filter(|(_, settled)| **settled) {
                for (i, &g) in region.groups.iter().enumerate() {
                    for &h in &region.groups[i..] {
                        if let Ok(place) = place(g, h) {
                            free[place] = true;
                        }
                    }
                }
            }
        }
        let before = pairs.len();
        pairs.retain(|[g, h]| !place(*g, *h).is_ok_and(|i| free[i]));
        before - pairs.len()
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        let region = |r: &Region| size_of::<Region>() + r.contour.as_ref().map_or(0, Contour::memory);
        self.adjacent.capacity() * size_of::<[u32; 2]>() + self.regions.iter().flatten().map(region).sum::<usize>()
    }
}

impl Region {
    /// Conditions 1 to 3 of the module.
    fn is_free(&self, shapes: &[GroupShape], motion: &Motion<'_>, separation: f64, close_angle: f64) -> bool {
        let Some(contour) = &self.contour else { return false };
        let [a, b, c] = self.groups.map(|g| &shapes[g as usize]);
        if [a, b, c].iter().any(|s| s.height == 0.0) {
            return false;
        }
        let cone = a.cone.union(&b.cone).union(&c.cone);
        if cone.apex_angle() >= close_angle.min(std::f64::consts::PI) {
            return false;
        }
        let cosine = cone.half_angle.cos();
        let height =
            [a, b, c].map(|s| (s.height * cosine - s.shrink) / s.stretch).into_iter().fold(f64::INFINITY, f64::min);
        contour.is_free(motion, cone.axis, (a.mean + b.mean + c.mean) / 3.0, height, separation)
    }
}

/// Edges at the borders of groups.
struct Borders {
    of_group: Vec<Vec<BorderEdge>>,
    /// Groups with an edge of more than two triangles or of two that run the same way.
    broken: Vec<bool>,
}

impl Borders {
    fn new<const K: usize, const N: usize>(surface: &Surface, tree: &KdopTree<K, N>) -> Self {
        let group_of = |wing: Wing| tree.group_of_face()[wing.face as usize] as usize;
        let mut broken = vec![false; tree.group_count()];
        let mut of_group = vec![Vec::new(); tree.group_count()];
        let (wings, crowded) = wings(surface);
        for face in crowded {
            broken[tree.group_of_face()[face as usize] as usize] = true;
        }
        for (wing, ends) in wings.iter().zip(surface.edges()) {
            let [Some(a), second] = [wing.first, wing.second] else { continue };
            let Some(b) = second else {
                of_group[group_of(a)].push(BorderEdge::new(*ends, a.forward, u32::MAX));
                continue;
            };
            let [g, h] = [a, b].map(group_of);
            if a.forward == b.forward {
                broken[g] = true;
                broken[h] = true;
            }
            if g != h {
                of_group[g].push(BorderEdge::new(*ends, a.forward, h as u32));
                of_group[h].push(BorderEdge::new(*ends, b.forward, g as u32));
            }
        }
        Self { of_group, broken }
    }

    /// Pairs of groups with a common edge, sorted.
    fn neighbours(&self) -> Vec<[u32; 2]> {
        let pair = |(g, edges): (usize, &Vec<BorderEdge>)| {
            let g = g as u32;
            edges
                .iter()
                .filter(move |e| e.other != u32::MAX && g < e.other)
                .map(move |e| [g, e.other])
                .collect::<Vec<_>>()
        };
        let mut pairs: Vec<[u32; 2]> = self.of_group.iter().enumerate().flat_map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The contour of some groups together; groups may be named twice.
    fn contour(&self, groups: &[u32; 3]) -> Option<Contour> {
        let mut edges = Vec::new();
        for (i, &g) in groups.iter().enumerate() {
            if self.broken[g as usize] {
                return None;
            }
            if !groups[..i].contains(&g) {
                let outer = self.of_group[g as usize].iter().filter(|e| !groups.contains(&e.other));
                edges.extend(outer.map(|e| e.ends));
            }
        }
        Contour::new(edges)
    }
}

/// A triangle at an edge, and whether it runs along it from the lower to the higher vertex.
#[derive(Clone, Copy, Debug)]
struct Wing {
    face: u32,
    forward: bool,
}

/// The triangles of an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Wings {
    first: Option<Wing>,
    second: Option<Wing>,
}

/// The triangles of every edge, and all triangles at edges with more than two.
fn wings(surface: &Surface) -> (Vec<Wings>, Vec<u32>) {
    let (mut wings, mut crowded) = (vec![Wings::default(); surface.edges().len()], Vec::new());
    for (f, (edges, corners)) in surface.face_edges().iter().zip(surface.triangles()).enumerate() {
        for k in 0..3 {
            let wing = Wing { face: f as u32, forward: corners[k] < corners[(k + 1) % 3] };
            let edge = &mut wings[edges[k] as usize];
            if edge.first.is_none() {
                edge.first = Some(wing);
            } else if edge.second.is_none() {
                edge.second = Some(wing);
            } else {
                crowded.extend([edge.first, edge.second, Some(wing)].into_iter().flatten().map(|w| w.face));
            }
        }
    }
    (wings, crowded)
}

/// An edge at the border of a group, in the direction of its triangle, and the group beyond.
#[derive(Clone, Copy, Debug)]
struct BorderEdge {
    ends: [u32; 2],
    other: u32,
}

impl BorderEdge {
    fn new([a, b]: [u32; 2], forward: bool, other: u32) -> Self {
        Self { ends: if forward { [a, b] } else { [b, a] }, other }
    }
}

/// Shape and motion of a group: from its shape at the start if it hardly deforms, else from all of the step.
fn shape(surface: &Surface, faces: &[u32], vertices: &[u32], motion: &Motion<'_>) -> GroupShape {
    let moved = |v: &u32| motion.x_t1[*v as usize] - motion.x_t0[*v as usize];
    let mean = vertices.iter().map(moved).sum::<DVec3>() / vertices.len().max(1) as f64;
    let farthest = vertices.iter().map(|v| (moved(v) - mean).length_squared()).fold(0.0, f64::max);
    // Any axis will do; a sample gives a good one.
    let sample = faces.iter().step_by(AXIS_SAMPLE);
    let axis = sample.map(|f| start_normal(surface, *f, motion)).sum::<DVec3>().normalize_or_zero();
    let open = GroupShape { mean, ..GroupShape::OPEN };
    let start = Motion::still(motion.x_t0);
    let slow = faces_shape(surface, faces, &start, axis, |s, f, m| ([start_normal(s, f, m)], longest_edge(s, f, m)));
    let Some((cone, height, longest)) = slow else { return open };
    // Edges change by at most 2D, so the normal u × v by at most 4D L + 4D²; L is the longest edge.
    let deviation = farthest.sqrt() * (1.0 + ROUNDING);
    let shrink = 4.0 * deviation * (1.0 + deviation / longest);
    if shrink < SLOW * height {
        return GroupShape { cone, height, shrink, stretch: 1.0 + 2.0 * deviation / longest, mean };
    }
    match faces_shape(surface, faces, motion, axis, normal_coefficients) {
        Some((cone, height, _)) => GroupShape { cone, height, shrink: 0.0, stretch: 1.0, mean },
        None => open,
    }
}

/// Cone of all normals, least |normal| / longest edge, and the least longest edge, of some triangles. Given up at the first
/// normal that turns away from the axis.
#[inline]
fn faces_shape<const C: usize>(
    surface: &Surface,
    faces: &[u32],
    motion: &Motion<'_>,
    axis: DVec3,
    normals: impl Fn(&Surface, u32, &Motion<'_>) -> ([DVec3; C], f64),
) -> Option<(NormalCone, f64, f64)> {
    // Squares, and roots only at the end.
    let (mut cosine, mut height, mut least_longest) = (1.0_f64, f64::INFINITY, f64::INFINITY);
    for &f in faces {
        let (normals, longest) = normals(surface, f, motion);
        let mut shortest = f64::INFINITY;
        for n in normals {
            let (length, along) = (n.length_squared(), n.dot(axis));
            if along <= 0.0 || along.is_nan() {
                return None;
            }
            cosine = cosine.min(along * along / length);
            shortest = shortest.min(length);
        }
        height = height.min(shortest / longest);
        least_longest = least_longest.min(longest);
    }
    let height = height.sqrt() * (1.0 - ROUNDING);
    Some((NormalCone::new(axis, cosine.sqrt()), height, least_longest.sqrt()))
}

/// Square of the longest edge of a triangle at the start.
#[inline]
fn longest_edge(surface: &Surface, face: u32, motion: &Motion<'_>) -> f64 {
    let [a, b, c] = surface.triangles()[face as usize].map(|v| motion.x_t0[v as usize]);
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    larger(a.distance_squared(b), larger(b.distance_squared(c), c.distance_squared(a)))
}

/// Twice the vector area of a triangle at the start.
#[inline]
fn start_normal(surface: &Surface, face: u32, motion: &Motion<'_>) -> DVec3 {
    let [a, b, c] = surface.triangles()[face as usize].map(|v| motion.x_t0[v as usize]);
    (b - a).cross(c - a)
}

/// Bernstein coefficients of the normal e₁ × e₂ during the step (twice the vector area), and the square of the longest
/// edge.
#[inline]
fn normal_coefficients(surface: &Surface, face: u32, motion: &Motion<'_>) -> ([DVec3; 3], f64) {
    let t = surface.triangles()[face as usize];
    let corners = |x: &[DVec3]| t.map(|v| x[v as usize]);
    let ([a, b, c], [d, e, f]) = (corners(motion.x_t0), corners(motion.x_t1));
    let (u0, v0, u1, v1) = (b - a, c - a, e - d, f - d);
    let middle = 0.5 * (u0.cross(v1) + u1.cross(v0));
    let edges = [u0, v0, c - b, u1, v1, f - e];
    let longest = edges.iter().map(|e| e.length_squared()).fold(0.0, |m, l| if l > m { l } else { m });
    ([u0.cross(v0), middle, u1.cross(v1)], longest)
}
