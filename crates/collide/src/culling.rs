//! Regions that cannot touch themselves: normal cones, face groups and their contours. Mezger 2003, §5.1 and 6.2, after
//! Volino and Magnenat-Thalmann 1994 and Provot 1997.
//!
//! Provot's criterion (all normals in a narrow cone) alone loses contacts: a region with a concave outline may overlap
//! itself although it is nearly flat (Mezger, fig. 5). Mezger therefore never applies it to face groups that are not
//! adjacent. Here it is applied to a group, or to two adjacent groups together, and only with a proof. Let U be that
//! region, d the axis of its normal cone and Ω the projection of U along d. If during the whole step
//!
//! 1. every triangle of U keeps its normal less than 90° from d,
//! 2. the contour of U projects to closed curves of which exactly one winds positively, edges that share no vertex stay
//!    more than ε apart, and edges that share one meet at an angle of at least θ,
//! 3. the least altitude h of the projected triangles exceeds ε / sin(θ/2),
//!
//! then no two features of U without a common vertex come within ε of each other.
//!
//! *Proof.* The number of triangles over a point of the plane is the sum of the contour's winding numbers around it, since
//! all triangles are positive (1). By (2) it is at most one: Ω is covered once. Let p and q lie on disjoint features A and
//! B, at most ε apart, so that their projections are, too. The straight line between these lies in Ω except for gaps, whose
//! ends are on the contour and at most ε apart: by (2) on two edges with a common vertex. The way along the contour past
//! that vertex is at most 1 / sin(θ/2) times as long as the gap. So p and q are joined within Ω by a way of at most
//! ε / sin(θ/2) < h. Along it the sum of the hat functions of A's vertices falls from 1 to 0; but its gradient in a triangle
//! is the inverse of an altitude, at most 1/h. ∎
//!
//! Motion. Normals are quadratic in time: (1) and (3) hold if they hold for the three Bernstein coefficients of each
//! triangle's normal. Contour edges are covered by the convex hull of their ends at both times, after the mean motion of U
//! has been taken off.

use toile_mesh::{DVec2, DVec3, Motion, Surface};

use crate::cone::NormalCone;
use crate::tree::KdopTree;

/// Relative widening of distances against rounding in `f64`.
const ROUNDING: f64 = 1.0e-9;
/// Contour edges that are boxed together.
const RUN: usize = 8;
/// Groups with a longer contour are not tried: the search would cost more than the proof saves.
const LONGEST_CONTOUR: usize = 2048;

/// The contour of a group, or of two adjacent ones: closed curves of vertices, the region on their left.
#[derive(Clone, Debug)]
struct Contour {
    vertices: Vec<u32>,
    /// End of each curve in `vertices`.
    ends: Vec<u32>,
}

/// Two adjacent groups, or one twice, and their common contour.
#[derive(Clone, Debug)]
struct Adjacency {
    groups: [u32; 2],
    /// `None`: the region is not a surface with simple borders; it is never culled.
    contour: Option<Contour>,
}

/// Normals and triangle heights of a group during a step.
#[derive(Clone, Copy, Debug)]
struct GroupShape {
    cone: NormalCone,
    /// Least |normal coefficient| / longest edge [m].
    height: f64,
    /// Mean displacement [m].
    mean: DVec3,
}

/// Contours of all groups and adjacent pairs of a surface; the adjacency matrix of face groups is its list of pairs.
#[derive(Clone, Debug)]
pub(crate) struct FaceGroups {
    /// Sorted by `groups`.
    adjacent: Vec<Adjacency>,
}

impl FaceGroups {
    /// Finds adjacency and contours of a tree's groups. Groups that share an edge are adjacent.
    pub(crate) fn new<const K: usize, const N: usize>(surface: &Surface, tree: &KdopTree<K, N>) -> Self {
        let group_of = tree.group_of_face();
        let wings = wings(surface);
        let mut pairs: Vec<[u32; 2]> = (0..tree.group_count() as u32).map(|g| [g, g]).collect();
        let mut broken = vec![false; tree.group_count()];
        // Groups that share an edge, with its direction in each.
        let mut border: Vec<Vec<BorderEdge>> = vec![Vec::new(); tree.group_count()];
        for (e, wing) in wings.iter().enumerate() {
            let sides = [wing.first, wing.second].map(|w| w.map(|w| (group_of[w.face as usize], w)));
            if wing.surplus {
                wing.faces().for_each(|f| broken[group_of[f as usize] as usize] = true);
                continue;
            }
            match sides {
                [Some((g, a)), Some((h, b))] => {
                    if a.forward == b.forward {
                        broken[g as usize] = true;
                        broken[h as usize] = true;
                    }
                    if g != h {
                        border[g as usize].push(BorderEdge::new(surface.edges()[e], a.forward, h));
                        border[h as usize].push(BorderEdge::new(surface.edges()[e], b.forward, g));
                        pairs.push([g.min(h), g.max(h)]);
                    }
                }
                [Some((g, a)), None] => {
                    border[g as usize].push(BorderEdge::new(surface.edges()[e], a.forward, u32::MAX));
                }
                _ => {}
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let contour = |[g, h]: [u32; 2]| {
            let parts = if g == h { vec![(g, g)] } else { vec![(g, h), (h, g)] };
            if parts.iter().any(|(g, _)| broken[*g as usize]) {
                return None;
            }
            let edges =
                parts.iter().flat_map(|(g, other)| border[*g as usize].iter().filter(move |e| e.other != *other));
            Contour::new(edges.map(|e| e.ends).collect())
        };
        let adjacent = pairs.into_iter().map(|groups| Adjacency { groups, contour: contour(groups) }).collect();
        Self { adjacent }
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
        use rayon::prelude::*;
        let shapes: Vec<GroupShape> =
            (0..tree.group_count()).into_par_iter().map(|g| shape(surface, tree.group_faces(g), motion)).collect();
        let free: Vec<bool> = pairs
            .par_iter()
            .with_min_len(16)
            .map(|groups| {
                let Ok(i) = self.adjacent.binary_search_by_key(groups, |a| a.groups) else { return false };
                let [a, b] = groups.map(|g| &shapes[g as usize]);
                let cone = if groups[0] == groups[1] { a.cone } else { a.cone.union(&b.cone) };
                let Some(contour) = &self.adjacent[i].contour else { return false };
                if cone.apex_angle() >= close_angle.min(std::f64::consts::PI) {
                    return false;
                }
                let height = a.height.min(b.height) * cone.half_angle.cos();
                contour.is_free(motion, cone.axis, 0.5 * (a.mean + b.mean), height, separation)
            })
            .collect();
        let before = pairs.len();
        let mut keep = free.iter().map(|f| !f);
        pairs.retain(|_| keep.next().unwrap_or(true));
        before - pairs.len()
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        let contour = |c: &Contour| 4 * (c.vertices.capacity() + c.ends.capacity());
        let contours = self.adjacent.iter().filter_map(|a| a.contour.as_ref()).map(contour).sum::<usize>();
        self.adjacent.capacity() * size_of::<Adjacency>() + contours
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
    /// There are more than two.
    surplus: bool,
}

impl Wings {
    fn faces(&self) -> impl Iterator<Item = u32> {
        self.first.into_iter().chain(self.second).map(|w| w.face)
    }
}

fn wings(surface: &Surface) -> Vec<Wings> {
    let mut wings = vec![Wings::default(); surface.edges().len()];
    for (f, (edges, corners)) in surface.face_edges().iter().zip(surface.triangles()).enumerate() {
        for k in 0..3 {
            let wing = Wing { face: f as u32, forward: corners[k] < corners[(k + 1) % 3] };
            let edge = &mut wings[edges[k] as usize];
            if edge.first.is_none() {
                edge.first = Some(wing);
            } else if edge.second.is_none() {
                edge.second = Some(wing);
            } else {
                edge.surplus = true;
            }
        }
    }
    wings
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

/// The normals' cone, the least height and the mean motion of a group. Given up at the first normal that turns away from
/// the mean: such a group is not culled.
fn shape(surface: &Surface, faces: &[u32], motion: &Motion<'_>) -> GroupShape {
    let open = GroupShape { cone: NormalCone::ALL, height: 0.0, mean: DVec3::ZERO };
    let axis = faces.iter().map(|f| start_normal(surface, *f, motion)).sum::<DVec3>().normalize_or_zero();
    let (mut cosine, mut height, mut mean) = (1.0_f64, f64::INFINITY, DVec3::ZERO);
    for &f in faces {
        let (normals, longest) = normal_coefficients(surface, f, motion);
        for n in normals {
            let length = n.length();
            let along = n.dot(axis);
            if along <= 0.0 || along.is_nan() {
                return open;
            }
            cosine = cosine.min(along / length);
            height = height.min(length / longest);
        }
        let v = surface.triangles()[f as usize][0] as usize;
        mean += motion.x_t1[v] - motion.x_t0[v];
    }
    GroupShape { cone: NormalCone::new(axis, cosine), height, mean: mean / faces.len().max(1) as f64 }
}

/// Twice the vector area of a triangle at the start.
#[inline]
fn start_normal(surface: &Surface, face: u32, motion: &Motion<'_>) -> DVec3 {
    let [a, b, c] = surface.triangles()[face as usize].map(|v| motion.x_t0[v as usize]);
    (b - a).cross(c - a)
}

/// Bernstein coefficients of the normal e₁ × e₂ during the step (twice the vector area), and the longest edge.
#[inline]
fn normal_coefficients(surface: &Surface, face: u32, motion: &Motion<'_>) -> ([DVec3; 3], f64) {
    let t = surface.triangles()[face as usize];
    let corners = |x: &[DVec3]| t.map(|v| x[v as usize]);
    let ([a, b, c], [d, e, f]) = (corners(motion.x_t0), corners(motion.x_t1));
    let (u0, v0, u1, v1) = (b - a, c - a, e - d, f - d);
    let middle = 0.5 * (u0.cross(v1) + u1.cross(v0));
    let edges = [u0, v0, c - b, u1, v1, f - e];
    let longest = edges.iter().map(|e| e.length_squared()).fold(0.0, f64::max).sqrt();
    ([u0.cross(v0), middle, u1.cross(v1)], longest)
}

impl Contour {
    /// Joins directed edges to closed curves; `None` if they are not closed or two curves meet in a vertex.
    fn new(mut edges: Vec<[u32; 2]>) -> Option<Self> {
        if edges.is_empty() || edges.len() > LONGEST_CONTOUR {
            return None;
        }
        edges.sort_unstable();
        if edges.windows(2).any(|e| e[0][0] == e[1][0]) {
            return None;
        }
        let mut used = vec![false; edges.len()];
        let (mut vertices, mut ends) = (Vec::with_capacity(edges.len()), Vec::new());
        for first in 0..edges.len() {
            let mut i = first;
            while !used[i] {
                used[i] = true;
                vertices.push(edges[i][0]);
                i = edges.binary_search_by_key(&edges[i][1], |e| e[0]).ok()?;
            }
            if i != first {
                return None;
            }
            if ends.last().is_none_or(|end| (*end as usize) < vertices.len()) {
                ends.push(vertices.len() as u32);
            }
        }
        Some(Self { vertices, ends })
    }

    /// Conditions 2 and 3 of the module: whether the region within can be excluded.
    fn is_free(&self, motion: &Motion<'_>, axis: DVec3, mean: DVec3, height: f64, separation: f64) -> bool {
        let (u, v) = axis.any_orthonormal_pair();
        // any_orthonormal_pair gives u × v = axis, so that positive triangles turn counter-clockwise.
        let flat = |x: DVec3| DVec2::new(x.dot(u), x.dot(v));
        let at = |v: &u32| {
            let v = *v as usize;
            [flat(motion.x_t0[v]), flat(motion.x_t1[v] - mean)]
        };
        let points: Vec<[DVec2; 2]> = self.vertices.iter().map(at).collect();
        let mut edges = Vec::with_capacity(points.len());
        let (mut start, mut positive, mut sharpest) = (0, 0, std::f64::consts::PI);
        for &end in &self.ends {
            let ring = &points[start..end as usize];
            let n = ring.len();
            let mut area = 0.0;
            for i in 0..n {
                let (before, here, after) = (ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]);
                area += (here[0] - ring[0][0]).perp_dot(after[0] - ring[0][0]);
                match least_angle(before, here, after) {
                    Some(angle) => sharpest = angle.min(sharpest),
                    None => return false,
                }
                let last = (i + 1) % n;
                edges.push(SweptEdge::new(here, after, [start + i, start + last]));
            }
            positive += usize::from(area > 0.0);
            start = end as usize;
        }
        let clear = separation * (1.0 + ROUNDING);
        positive == 1 && height * (0.5 * sharpest).sin() > clear && are_apart(&edges, clear)
    }
}

/// Bound of the angle at `here` between the ways to its neighbours on the contour, during the motion.
fn least_angle(before: [DVec2; 2], here: [DVec2; 2], after: [DVec2; 2]) -> Option<f64> {
    let (r0, s0) = (before[0] - here[0], after[0] - here[0]);
    let (dr, ds) = ((before[1] - here[1]) - r0, (after[1] - here[1]) - s0);
    let angle = r0.perp_dot(s0).abs().atan2(r0.dot(s0));
    // A vector that changes by less than its length turns by at most the arc sine of the ratio.
    let turn = |change: DVec2, of: DVec2| {
        let share = change.length() / of.length();
        (share < 1.0).then(|| share.asin())
    };
    let least = angle - turn(dr, r0)? - turn(ds, s0)? - ROUNDING;
    (least > 0.0).then_some(least)
}

/// A contour edge during the step: the ends of both times.
#[derive(Clone, Copy, Debug)]
struct SweptEdge {
    points: [DVec2; 4],
    lo: DVec2,
    hi: DVec2,
    vertices: [usize; 2],
}

impl SweptEdge {
    fn new(a: [DVec2; 2], b: [DVec2; 2], vertices: [usize; 2]) -> Self {
        let points = [a[0], b[0], a[1], b[1]];
        let lo = points.iter().fold(DVec2::INFINITY, |m, p| m.min(*p));
        let hi = points.iter().fold(DVec2::NEG_INFINITY, |m, p| m.max(*p));
        Self { points, lo, hi, vertices }
    }

    fn is_adjacent(&self, other: &Self) -> bool {
        self.vertices.iter().any(|v| other.vertices.contains(v))
    }

    /// Whether one of a few lines parts the two by more than `clear`.
    fn is_parted(&self, other: &Self, clear: f64) -> bool {
        let middle = |e: &Self| 0.25 * (e.points[0] + e.points[1] + e.points[2] + e.points[3]);
        let along = |e: &Self| e.points[1] - e.points[0];
        let axes = [middle(other) - middle(self), along(self).perp(), along(other).perp()];
        axes.iter().any(|axis| {
            let range = |e: &Self| {
                let p = e.points.map(|p| p.dot(*axis));
                (p.iter().fold(f64::INFINITY, |m, p| m.min(*p)), p.iter().fold(f64::NEG_INFINITY, |m, p| m.max(*p)))
            };
            let ((a0, a1), (b0, b1)) = (range(self), range(other));
            (a0 - b1).max(b0 - a1) > clear * axis.length()
        })
    }
}

/// Whether all edges that share no vertex are more than `clear` apart.
fn are_apart(edges: &[SweptEdge], clear: f64) -> bool {
    let near = |lo_a: DVec2, hi_a: DVec2, lo_b: DVec2, hi_b: DVec2| {
        lo_a.x - hi_b.x <= clear && lo_b.x - hi_a.x <= clear && lo_a.y - hi_b.y <= clear && lo_b.y - hi_a.y <= clear
    };
    let bound = |run: &[SweptEdge]| {
        run.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(lo, hi), e| (lo.min(e.lo), hi.max(e.hi)))
    };
    let runs: Vec<(DVec2, DVec2)> = edges.chunks(RUN).map(bound).collect();
    for (i, a) in runs.iter().enumerate() {
        for (j, b) in runs.iter().enumerate().skip(i) {
            if !near(a.0, a.1, b.0, b.1) {
                continue;
            }
            let of = |run: usize| run * RUN..((run + 1) * RUN).min(edges.len());
            for e in of(i) {
                for f in of(j).filter(|f| *f > e) {
                    let (e, f) = (&edges[e], &edges[f]);
                    if near(e.lo, e.hi, f.lo, f.hi) && !e.is_adjacent(f) && !e.is_parted(f, clear) {
                        return false;
                    }
                }
            }
        }
    }
    true
}
