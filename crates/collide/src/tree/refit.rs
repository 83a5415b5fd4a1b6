//! Moving a tree with its surface: Mezger 2003, §3.2, 3.3 and 4.3; Kimmerle 2005, §2.2.1.3.
//!
//! Every vertex has a k-DOP around its way during the step, grown by a margin; leaves unite those of their corners, nodes
//! those of their children. What is renewed is chosen by [`Update`]:
//!
//! - [`Update::Full`]: everything, bottom-up, groups in parallel.
//! - [`Update::Lazy`]: margins are larger by a tolerance b, and a vertex is renewed only when the start or the end of its
//!   way has moved farther than b since. A group is renewed when one of its vertices was. Mezger keeps the margin ε/2 and
//!   is content with proximities below ε − 2b; here the margin pays for b, so that all below ε are found. (The thesis
//!   lets vertices move by ε with margins of ε/2, which loses proximities.)
//! - [`Update::OnDemand`]: the hybrid of Larsson and Akenine-Möller: k-DOPs of groups and of the upper tree are renewed,
//!   the subtree of a group only when a traversal reaches it ([`KdopTree::prepare`]).
//! - [`Update::Rigid`]: as on demand, but the k-DOPs of groups come from turning boxes that were fitted once; vertices
//!   are looked at only in groups that are reached.

use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};
use toile_schema::choice;

use super::{Block, KdopTree};
use crate::cone::VelocityCone;
use crate::kdop::{Kdop, directions};

/// Fewest vertices worth a task of their own.
const VERTICES_PER_TASK: usize = 2048;
/// Fewest groups worth a task of their own.
const GROUPS_PER_TASK: usize = 4;
/// Share of the lazy tolerance that is used, so that rounding cannot exceed it.
const LAZY_SHARE: f64 = 1.0 - 1.0e-9;

choice! {
    /// How a bounding volume covers the motion of a step.
    pub enum Cover = Swept {
        /// Start and end of every vertex, each with bounds of its own: volumes that move, so that what moves together is told
        /// apart. For 18-DOPs; with others it is swept.
        Moving = "moving",
        /// Start and end of every vertex together: the tightest volume that stands still.
        Swept = "swept",
        /// The start, inflated along the velocity cone of each triangle by the fastest way (Mezger 2003, section 3.3).
        Oriented = "oriented",
        /// The start, inflated to all sides by the farthest way of any vertex (Mezger 2003, section 3.2).
        Uniform = "uniform",
    }
}

/// How bounding volumes are grown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Inflation {
    /// Distance added to all sides [m], half of the distance within which pairs are to be found.
    pub margin: f64,
    /// How the motion is covered.
    pub cover: Cover,
}

impl Inflation {
    /// Start and end of the motion, and a margin [m].
    pub fn margin(margin: f64) -> Self {
        Self { margin, cover: Cover::Swept }
    }
}

/// A motion without deformation: x(t) = turn · rest + shift.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RigidPose {
    /// Rotation matrix.
    pub turn: DMat3,
    /// Translation [m].
    pub shift: DVec3,
    /// How far a vertex may be from where this takes it [m].
    pub deviation: f64,
}

/// What a refit renews.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Update {
    /// Everything.
    #[default]
    Full,
    /// What has left its tolerance.
    Lazy {
        /// Distance b [m] a vertex may move before it is renewed.
        tolerance: f64,
    },
    /// Groups now, their subtrees when they are reached.
    OnDemand,
    /// Boxes turned with the body: poses at the start and the end of the step.
    Rigid([RigidPose; 2]),
}

/// What a refit did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RefitCounts {
    /// Vertices renewed.
    pub vertices: usize,
    /// Groups whose subtree was renewed.
    pub groups: usize,
}

/// What refits remember.
#[derive(Clone, Debug, Default)]
pub(super) struct UpdateState {
    inflation: Option<Inflation>,
    tolerance: f64,
    /// Start and end of each vertex when it was last renewed.
    seen: Vec<[DVec3; 2]>,
    /// Vertices older than their group (rigid motion).
    stale_vertices: bool,
    /// Middle and half size of each group's box at rest, for rigid motion.
    rest_boxes: Vec<[DVec3; 2]>,
    /// Longest way of the surface during the step, for uniform inflation.
    longest_way: f64,
}

impl UpdateState {
    pub(super) fn memory(&self) -> usize {
        self.seen.capacity() * size_of::<[DVec3; 2]>() + self.rest_boxes.capacity() * size_of::<[DVec3; 2]>()
    }
}

impl<const K: usize, const N: usize> KdopTree<K, N> {
    /// Moves the tree to the way of its vertices from `x0` to `x1` [m]; equal slices for a surface at one time.
    /// Positions must be finite.
    pub fn refit(&mut self, x0: &[DVec3], x1: &[DVec3], inflation: &Inflation, update: Update) -> RefitCounts {
        assert!(x0.len() == self.vertex_dops.len() && x1.len() == x0.len(), "a position for every vertex");
        let tolerance = match update {
            Update::Lazy { tolerance } if matches!(inflation.cover, Cover::Swept | Cover::Moving) => tolerance.max(0.0),
            _ => 0.0,
        };
        let renew_all =
            self.update.inflation != Some(*inflation) || self.update.tolerance != tolerance || tolerance == 0.0;
        self.update.inflation = Some(*inflation);
        self.update.tolerance = tolerance;
        self.update.longest_way = match inflation.cover {
            Cover::Uniform => x0.iter().zip(x1).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max).sqrt(),
            Cover::Swept | Cover::Moving | Cover::Oriented => 0.0,
        };
        let counts = match update {
            Update::Rigid(poses) => self.turn_groups(&poses),
            Update::OnDemand => {
                self.renew_vertices(x0, x1);
                self.bound_groups();
                RefitCounts { vertices: x0.len(), groups: 0 }
            }
            Update::Full | Update::Lazy { .. } if renew_all => {
                self.renew_vertices(x0, x1);
                self.stale.fill(true);
                let groups = self.groups.len();
                self.refit_stale(None, x0, x1);
                RefitCounts { vertices: x0.len(), groups }
            }
            Update::Full | Update::Lazy { .. } => {
                let vertices = self.renew_moved_vertices(x0, x1);
                let groups = self.stale.iter().filter(|s| **s).count();
                self.refit_stale(None, x0, x1);
                RefitCounts { vertices, groups }
            }
        };
        self.refit_upper();
        counts
    }

    /// Moves some vertices to new ways; the others, and how bounding volumes are grown, stay as in the last refit.
    pub(crate) fn renew(&mut self, x0: &[DVec3], x1: &[DVec3], vertices: &[bool]) -> RefitCounts {
        let mut counts = RefitCounts::default();
        for v in (0..x0.len()).filter(|v| vertices[*v]) {
            counts.vertices += 1;
            self.vertex_dops[v] = self.vertex_dop_at(x0[v], x1[v]);
            if self.update.tolerance > 0.0 {
                self.update.seen[v] = [x0[v], x1[v]];
            }
            let groups = self.vertex_group_start[v] as usize..self.vertex_group_start[v + 1] as usize;
            for &g in &self.vertex_groups[groups] {
                self.stale[g as usize] = true;
            }
        }
        counts.groups = self.stale.iter().filter(|s| **s).count();
        self.refit_stale(None, x0, x1);
        self.refit_upper();
        counts
    }

    /// Marks triangles, and all nodes above them.
    pub(crate) fn mark(&mut self, faces: &[bool]) {
        let mut below = vec![false; self.groups.len()];
        for (g, group) in self.groups.iter().enumerate() {
            let (first, last) = (group.blocks.start as usize, group.blocks.end as usize);
            let leaves = self.leaf_start[group.leaves.start as usize] as usize
                ..self.leaf_start[group.leaves.end as usize] as usize;
            below[g] = self.order[leaves].iter().any(|f| faces[*f as usize]);
            for b in (first..last).rev() {
                let bits = |i: usize| {
                    let child = self.blocks[b].child[i];
                    let leaf =
                        || child.as_leaf().is_some_and(|l| self.leaf_faces(l).iter().any(|f| faces[*f as usize]));
                    let inner = || child.as_inner().is_some_and(|inner| self.blocks[inner].marked != 0);
                    u32::from(below[g] && (leaf() || inner())) << i
                };
                self.blocks[b].marked = (0..N).map(bits).sum();
            }
        }
        for b in (0..self.upper.len()).rev() {
            let bits = |i: usize| {
                let child = self.upper[b].child[i];
                let group = child.as_leaf().is_some_and(|g| below[g]);
                u32::from(group || child.as_inner().is_some_and(|inner| self.upper[inner].marked != 0)) << i
            };
            self.upper[b].marked = (0..N).map(bits).sum();
        }
    }

    /// Remembers the boxes of the groups at rest, for [`Update::Rigid`].
    pub fn fit_rest_boxes(&mut self, rest: &[DVec3]) {
        let bound = |g: usize| {
            let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for &v in self.group_vertices(g) {
                lo = lo.min(rest[v as usize]);
                hi = hi.max(rest[v as usize]);
            }
            [0.5 * (lo + hi), 0.5 * (hi - lo)]
        };
        self.update.rest_boxes = (0..self.groups.len()).map(bound).collect();
    }

    /// Renews the subtrees of those `wanted` groups that are older than their k-DOP. Returns how many.
    pub fn prepare(&mut self, wanted: &[bool], x0: &[DVec3], x1: &[DVec3]) -> RefitCounts {
        let mut counts = RefitCounts { vertices: 0, groups: 0 };
        let late: Vec<usize> = (0..self.groups.len()).filter(|g| wanted[*g] && self.stale[*g]).collect();
        if late.is_empty() {
            return counts;
        }
        if self.update.stale_vertices {
            let mut vertices: Vec<u32> = late.iter().flat_map(|g| self.group_vertices(*g)).copied().collect();
            vertices.sort_unstable();
            vertices.dedup();
            counts.vertices = vertices.len();
            for v in vertices {
                let v = v as usize;
                self.vertex_dops[v] = self.vertex_dop_at(x0[v], x1[v]);
            }
        }
        counts.groups = late.len();
        self.refit_stale(Some(wanted), x0, x1);
        counts
    }

    fn vertex_dop_at(&self, x0: DVec3, x1: DVec3) -> Kdop<K> {
        let inflation = self.update.inflation.unwrap_or(Inflation::margin(0.0));
        let margin = ((inflation.margin + self.update.tolerance + self.update.longest_way) as f32).next_up();
        let end = if inflation.cover == Cover::Uniform { x0 } else { x1 };
        Kdop::swept_point(x0, end, self.origin, margin)
    }

    fn renew_vertices(&mut self, x0: &[DVec3], x1: &[DVec3]) {
        self.update.stale_vertices = false;
        let mut dops = std::mem::take(&mut self.vertex_dops);
        dops.par_iter_mut()
            .zip(x0.par_iter().zip(x1))
            .with_min_len(VERTICES_PER_TASK)
            .for_each(|(dop, (x0, x1))| *dop = self.vertex_dop_at(*x0, *x1));
        self.vertex_dops = dops;
        if self.update.tolerance > 0.0 {
            self.update.seen.clear();
            self.update.seen.extend(x0.iter().zip(x1).map(|(a, b)| [*a, *b]));
        }
    }

    /// Renews vertices that have left their tolerance and marks their groups. Returns how many.
    fn renew_moved_vertices(&mut self, x0: &[DVec3], x1: &[DVec3]) -> usize {
        let farthest = (self.update.tolerance * LAZY_SHARE).powi(2);
        let mut count = 0;
        for v in 0..x0.len() {
            let [seen0, seen1] = self.update.seen[v];
            let moved = x0[v].distance_squared(seen0).max(x1[v].distance_squared(seen1));
            // A NaN counts as moved.
            if moved <= farthest {
                continue;
            }
            count += 1;
            self.vertex_dops[v] = self.vertex_dop_at(x0[v], x1[v]);
            self.update.seen[v] = [x0[v], x1[v]];
            let groups = self.vertex_group_start[v] as usize..self.vertex_group_start[v + 1] as usize;
            for &g in &self.vertex_groups[groups] {
                self.stale[g as usize] = true;
            }
        }
        count
    }

    /// k-DOPs of groups from their vertices; all subtrees become stale.
    fn bound_groups(&mut self) {
        let mut dops = std::mem::take(&mut self.group_dops);
        dops.par_iter_mut().enumerate().with_min_len(GROUPS_PER_TASK).for_each(|(g, dop)| {
            let vertices = self.group_vertices(g).iter();
            *dop = vertices.fold(Kdop::EMPTY, |d, v| d.union(&self.vertex_dops[*v as usize]));
        });
        self.group_dops = dops;
        self.stale.fill(true);
    }

    /// k-DOPs of groups from their boxes at rest, turned to the start and the end of the step.
    fn turn_groups(&mut self, poses: &[RigidPose; 2]) -> RefitCounts {
        assert_eq!(self.update.rest_boxes.len(), self.groups.len(), "fit_rest_boxes comes first");
        let inflation = self.update.inflation.unwrap_or(Inflation::margin(0.0));
        let n = directions::<K>();
        for (g, [middle, half]) in self.update.rest_boxes.iter().enumerate() {
            let around = |pose: &RigidPose| {
                let centre = pose.turn * *middle + pose.shift;
                let mut turned = Kdop::<K>::point(centre, self.origin);
                for (k, n) in n.iter().enumerate() {
                    // Support of a turned box: Σ |(turnᵀ n)ᵢ| halfᵢ.
                    let spare = pose.deviation + 1.0e-15 * (centre.length() + middle.length() + pose.shift.length());
                    let radius = (pose.turn.transpose() * *n).abs().dot(*half) + 2.0 * spare;
                    let radius = (radius as f32 * (1.0 + 2.0 * f32::EPSILON)).next_up();
                    turned.lo[k] = (turned.lo[k] - radius).next_down();
                    turned.hi[k] = (turned.hi[k] + radius).next_up();
                }
                turned
            };
            let dop = Kdop::between(&around(&poses[0]), &around(&poses[1]));
            self.group_dops[g] = dop.grown((inflation.margin + self.update.tolerance) as f32);
        }
        self.stale.fill(true);
        self.update.stale_vertices = true;
        RefitCounts::default()
    }

    /// Renews the subtrees of stale groups, all or those `wanted`, in parallel.
    fn refit_stale(&mut self, wanted: Option<&[bool]>, x0: &[DVec3], x1: &[DVec3]) {
        let mut blocks = std::mem::take(&mut self.blocks);
        let mut group_dops = std::mem::take(&mut self.group_dops);
        let mut jobs = Vec::new();
        let mut rest = blocks.as_mut_slice();
        for ((g, group), dop) in self.groups.iter().enumerate().zip(&mut group_dops) {
            let (mine, after) = rest.split_at_mut(group.blocks.len());
            rest = after;
            if self.stale[g] && wanted.is_none_or(|w| w[g]) {
                jobs.push((g, mine, dop));
            }
        }
        let on_demand = wanted.is_some();
        jobs.par_iter_mut().with_min_len(GROUPS_PER_TASK).for_each(|(g, blocks, dop)| {
            let first = self.groups[*g].blocks.start as usize;
            self.refit_blocks(blocks, first, x0, x1);
            // On demand, the group's own k-DOP stays: pairs were chosen by it.
            if !on_demand {
                **dop = blocks[0].union();
            }
        });
        drop(jobs);
        (self.blocks, self.group_dops) = (blocks, group_dops);
        for (g, stale) in self.stale.iter_mut().enumerate() {
            *stale &= wanted.is_some_and(|w| !w[g]);
        }
    }

    /// Children come after their parents, so one pass backwards renews a subtree.
    fn refit_blocks(&self, blocks: &mut [Block<K, N>], first: usize, x0: &[DVec3], x1: &[DVec3]) {
        for b in (0..blocks.len()).rev() {
            for i in 0..N {
                let child = blocks[b].child[i];
                let dop = if let Some(leaf) = child.as_leaf() {
                    self.leaf_dop(leaf, x0, x1)
                } else if let Some(inner) = child.as_inner() {
                    blocks[inner - first].union()
                } else {
                    continue;
                };
                blocks[b].set(i, &dop);
            }
        }
    }

    #[inline]
    fn leaf_dop(&self, leaf: usize, x0: &[DVec3], x1: &[DVec3]) -> Kdop<K> {
        let oriented = self.update.inflation.is_some_and(|i| i.cover == Cover::Oriented);
        self.leaf_faces(leaf).iter().fold(Kdop::EMPTY, |dop, f| {
            let t = self.triangles[*f as usize];
            let face = if oriented { self.oriented_dop(t, x0, x1) } else { self.face_dop(t) };
            dop.union(&face)
        })
    }

    /// Around a triangle, from its vertices.
    #[inline]
    pub(crate) fn face_dop(&self, [a, b, c]: [u32; 3]) -> Kdop<K> {
        self.vertex_dop(a).union(self.vertex_dop(b)).union(self.vertex_dop(c))
    }

    /// Around the start of a triangle, inflated along the cone of its corners' displacements.
    fn oriented_dop(&self, t: [u32; 3], x0: &[DVec3], x1: &[DVec3]) -> Kdop<K> {
        let cone = VelocityCone::around(t.map(|v| x1[v as usize] - x0[v as usize]));
        let start = t.iter().fold(Kdop::EMPTY, |d, v| d.union(&Kdop::point(x0[*v as usize], self.origin)));
        let margin = self.update.inflation.map_or(0.0, |i| i.margin) + self.update.tolerance;
        start.grown_along(&cone, (margin as f32).next_up())
    }

    fn refit_upper(&mut self) {
        for b in (0..self.upper.len()).rev() {
            for i in 0..N {
                let child = self.upper[b].child[i];
                let dop = if let Some(group) = child.as_leaf() {
                    self.group_dops[group]
                } else if let Some(inner) = child.as_inner() {
                    self.upper[inner].union()
                } else {
                    continue;
                };
                self.upper[b].set(i, &dop);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeSettings;
    use proptest::prelude::*;
    use toile_mesh::{DQuat, TriMesh, generate};

    fn tree_of(mesh: &TriMesh) -> KdopTree<9, 4> {
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| v.0)).collect();
        KdopTree::new(&triangles, &mesh.positions, DVec3::ZERO, TreeSettings { leaf_size: 1, group_size: 16 })
    }

    /// Every node that a traversal may reach holds the ways of its vertices, grown by `margin`.
    fn holds(tree: &KdopTree<9, 4>, x0: &[DVec3], x1: &[DVec3], margin: f32) -> Result<(), TestCaseError> {
        let around = |v: u32| Kdop::<9>::swept_point(x0[v as usize], x1[v as usize], DVec3::ZERO, margin * 0.999);
        let inside = |outer: &Kdop<9>, v: u32| {
            let inner = around(v);
            (0..9).all(|k| outer.lo[k] <= inner.lo[k] && inner.hi[k] <= outer.hi[k])
        };
        for g in 0..tree.group_count() {
            for &f in tree.group_faces(g) {
                for v in tree.triangles[f as usize] {
                    prop_assert!(inside(tree.group_dop(g), v), "group {g} lost vertex {v}");
                    prop_assert!(inside(&tree.root(), v));
                    prop_assert!(
                        tree.stale[g] || inside(&tree.blocks[tree.groups[g].blocks.start as usize].union(), v)
                    );
                }
            }
            for block in &tree.blocks[tree.groups[g].blocks.start as usize..tree.groups[g].blocks.end as usize] {
                for i in (0..4).filter(|_| !tree.stale[g]) {
                    for f in block.child[i].as_leaf().map_or(&[][..], |l| tree.leaf_faces(l)) {
                        for v in tree.triangles[*f as usize] {
                            prop_assert!(inside(&block.dop(i), v), "leaf of face {f} lost vertex {v}");
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn noisy(x: &[DVec3], seed: u64, size: f64) -> Vec<DVec3> {
        let mut state = seed | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        x.iter().map(|p| *p + DVec3::new(next(), next(), next()) * size).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn every_update_holds_the_motion(seed: u64, size in 0.0..0.05_f64, margin in 0.0..0.01_f64, cover in 0..3_usize) {
            let mesh = generate::icosphere(0.3, 2);
            let mut tree = tree_of(&mesh);
            let cover = [Cover::Swept, Cover::Oriented, Cover::Uniform][cover];
            let inflation = Inflation { margin, cover };
            let (mut x0, mut x1) = (mesh.positions.clone(), noisy(&mesh.positions, seed, size));
            for step in 0..6 {
                let update = [Update::Full, Update::OnDemand, Update::Lazy { tolerance: 0.01 }][step % 3];
                tree.refit(&x0, &x1, &inflation, update);
                holds(&tree, &x0, &x1, margin as f32)?;
                let wanted: Vec<bool> = (0..tree.group_count()).map(|g| g % 2 == 0).collect();
                tree.prepare(&wanted, &x0, &x1);
                holds(&tree, &x0, &x1, margin as f32)?;
                x0 = x1;
                x1 = noisy(&x0, seed.wrapping_add(step as u64), size * 0.1 * step as f64);
            }
        }

        #[test]
        fn lazy_updates_hold_slow_motion(seed: u64, margin in 0.0..0.01_f64, tolerance in 1.0e-4..0.02_f64) {
            let mesh = generate::icosphere(0.3, 2);
            let mut tree = tree_of(&mesh);
            let mut x0 = mesh.positions.clone();
            let (mut renewed, steps) = (0, 12);
            for step in 0..steps {
                let x1 = noisy(&x0, seed.wrapping_add(step), 0.3 * tolerance);
                renewed += tree.refit(&x0, &x1, &Inflation::margin(margin), Update::Lazy { tolerance }).vertices;
                holds(&tree, &x0, &x1, margin as f32)?;
                x0 = x1;
            }
            prop_assert!(renewed < steps as usize * mesh.vertex_count(), "some vertices stayed as they were");
        }

        #[test]
        fn turned_boxes_hold_a_rigid_motion(axis in prop::array::uniform3(-1.0..1.0_f64), angle in -3.0..3.0_f64, seed: u64) {
            let mesh = generate::icosphere(0.3, 2);
            let mut tree = tree_of(&mesh);
            tree.fit_rest_boxes(&mesh.positions);
            let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::from(axis).normalize_or(DVec3::X), angle));
            let shift = noisy(&[DVec3::ZERO], seed, 0.1)[0];
            let still = RigidPose { turn: DMat3::IDENTITY, shift: DVec3::ZERO, deviation: 0.0 };
            let poses = [still, RigidPose { turn, shift, deviation: 1.0e-15 }];
            let x1: Vec<DVec3> = mesh.positions.iter().map(|p| turn * *p + shift).collect();
            tree.refit(&mesh.positions, &x1, &Inflation::margin(0.003), Update::Rigid(poses));
            holds(&tree, &mesh.positions, &x1, 0.003)?;
            tree.prepare(&vec![true; tree.group_count()], &mesh.positions, &x1);
            holds(&tree, &mesh.positions, &x1, 0.003)?;
        }
    }

    #[test]
    fn groups_that_drift_apart_ask_for_a_new_tree() {
        // Two sheets in one place share groups; apart, those groups span the gap.
        let mut mesh = generate::plane([1.0, 1.0], [16, 16]);
        let n = mesh.vertex_count();
        mesh.append(&generate::plane([1.0, 1.0], [16, 16]));
        let tree = tree_of(&mesh);
        assert!(!tree.should_rebuild(&mesh.positions, 2.0));
        let apart = |(i, p): (usize, &DVec3)| if i < n { *p } else { *p + DVec3::new(0.3, 0.4, 0.0) };
        let apart: Vec<DVec3> = mesh.positions.iter().enumerate().map(apart).collect();
        assert!(tree.should_rebuild(&apart, 4.0));
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| v.0)).collect();
        let fresh: KdopTree<9, 4> = KdopTree::new(&triangles, &apart, DVec3::ZERO, tree.settings);
        assert!(fresh.spread(&apart) < 0.5 * tree.spread(&apart));
        // Folding a sheet in half is no reason.
        let folded: Vec<DVec3> = mesh.positions.iter().map(|p| DVec3::new(p.x.abs(), 0.01 * p.x, p.z)).collect();
        assert!(!tree.should_rebuild(&folded, 2.0));
    }
}
