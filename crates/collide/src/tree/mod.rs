//! [`KdopTree`]: a hierarchy of k-DOPs over the triangles of one surface. Mezger 2003, §4; Kimmerle 2005, §2.2.1.
//!
//! Layout. A node is a [`Block`]: the k-DOPs of its N children side by side, so that one k-DOP is tested against all of
//! them at once. Children are blocks again or leaves of a few triangles. The tree has two parts:
//!
//! - **face groups**, subtrees of at most a few hundred triangles whose blocks lie in one piece, parents before
//!   children. A group is the unit of everything that is done for a part of the surface: lazy update, update on
//!   demand, culling by normal cones, re-use of results.
//! - the **upper tree**, whose leaves are the groups.
//!
//! All coordinates are relative to an origin near the surface, so that `f32` bounds stay tight far from zero; trees that
//! are tested against each other share it.

mod build;
mod refit;
mod traverse;

pub use refit::{Cover, Inflation, RefitCounts, RigidPose, Update};
pub use traverse::{Front, NodePair};
pub(crate) use traverse::{Visit, overlapping};

use toile_mesh::DVec3;

use crate::kdop::Kdop;

/// A child: none, an inner node (the number of its block), or a leaf or group (its number).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Child(u32);

impl Child {
    const LEAF: u32 = 1 << 31;
    pub(crate) const NONE: Self = Self(u32::MAX);

    pub(crate) fn inner(block: usize) -> Self {
        Self(block as u32)
    }

    pub(crate) fn leaf(number: usize) -> Self {
        Self(Self::LEAF | number as u32)
    }

    /// Number of the leaf, or of the group in the upper tree.
    #[inline]
    pub(crate) fn as_leaf(self) -> Option<usize> {
        (self.0 & Self::LEAF != 0 && self != Self::NONE).then_some((self.0 & !Self::LEAF) as usize)
    }

    /// Number of the block of an inner node.
    #[inline]
    pub(crate) fn as_inner(self) -> Option<usize> {
        (self.0 & Self::LEAF == 0).then_some(self.0 as usize)
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }
}

/// N children: their k-DOPs, direction by direction, and what they are.
#[derive(Clone, Debug)]
pub(crate) struct Block<const K: usize, const N: usize> {
    pub(crate) lo: [[f32; N]; K],
    pub(crate) hi: [[f32; N]; K],
    pub(crate) child: [Child; N],
    /// Bit i: there is a marked triangle below child i.
    pub(crate) marked: u32,
}

impl<const K: usize, const N: usize> Block<K, N> {
    const EMPTY: Self =
        Self { lo: [[f32::INFINITY; N]; K], hi: [[f32::NEG_INFINITY; N]; K], child: [Child::NONE; N], marked: 0 };

    /// k-DOP of child `i`.
    #[inline]
    pub(crate) fn dop(&self, i: usize) -> Kdop<K> {
        let mut dop = Kdop::EMPTY;
        for k in 0..K {
            dop.lo[k] = self.lo[k][i];
            dop.hi[k] = self.hi[k][i];
        }
        dop
    }

    #[inline]
    fn set(&mut self, i: usize, dop: &Kdop<K>) {
        for k in 0..K {
            self.lo[k][i] = dop.lo[k];
            self.hi[k][i] = dop.hi[k];
        }
    }

    /// Around all children.
    #[inline]
    fn union(&self) -> Kdop<K> {
        let mut dop = Kdop::EMPTY;
        for k in 0..K {
            dop.lo[k] = self.lo[k].iter().fold(f32::INFINITY, |a, b| a.min(*b));
            dop.hi[k] = self.hi[k].iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
        }
        dop
    }
}

/// A subtree, its triangles and its vertices.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Blocks of the subtree; the first is its root.
    pub(crate) blocks: std::ops::Range<u32>,
    /// Leaves of the subtree.
    pub(crate) leaves: std::ops::Range<u32>,
    /// Part of `group_vertices`.
    vertices: std::ops::Range<u32>,
}

/// How a tree is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeSettings {
    /// Most triangles in a leaf.
    pub leaf_size: usize,
    /// Most triangles in a face group.
    pub group_size: usize,
}

impl Default for TreeSettings {
    fn default() -> Self {
        Self { leaf_size: 1, group_size: 256 }
    }
}

/// A hierarchy of k-DOPs, K = k/2 slabs and N children per node.
///
/// ```
/// use toile_collide::{KdopTree, TreeSettings};
/// use toile_mesh::{DVec3, generate};
/// let ball = generate::icosphere(0.1, 3);
/// let triangles: Vec<[u32; 3]> = ball.triangles.iter().map(|t| t.map(|v| v.0)).collect();
/// let tree: KdopTree<9, 4> = KdopTree::new(&triangles, &ball.positions, DVec3::ZERO, TreeSettings::default());
/// assert_eq!(tree.face_count(), ball.face_count());
/// ```
#[derive(Clone, Debug)]
pub struct KdopTree<const K: usize, const N: usize> {
    settings: TreeSettings,
    origin: DVec3,
    triangles: Vec<[u32; 3]>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
    /// First of `order` of each leaf, and one more.
    leaf_start: Vec<u32>,
    upper: Vec<Block<K, N>>,
    blocks: Vec<Block<K, N>>,
    groups: Vec<Group>,
    group_vertices: Vec<u32>,
    /// Groups of each vertex, as ranges of `vertex_groups`.
    vertex_group_start: Vec<u32>,
    vertex_groups: Vec<u32>,
    group_of_face: Vec<u32>,
    /// k-DOP of each vertex, with its motion and margin.
    vertex_dops: Vec<Kdop<K>>,
    group_dops: Vec<Kdop<K>>,
    /// Groups whose blocks are older than their k-DOP.
    stale: Vec<bool>,
    update: refit::UpdateState,
    spread_at_build: f64,
}

impl<const K: usize, const N: usize> KdopTree<K, N> {
    /// Builds the tree over triangles where their vertices are now. Triangles with a vertex that is not finite are in
    /// the tree but never found.
    ///
    /// # Panics
    /// If a triangle names a vertex that does not exist.
    pub fn new(triangles: &[[u32; 3]], positions: &[DVec3], origin: DVec3, settings: TreeSettings) -> Self {
        build::tree(triangles, positions, origin, settings)
    }

    /// Number of triangles.
    pub fn face_count(&self) -> usize {
        self.triangles.len()
    }

    /// Number of face groups.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Face group of each triangle.
    pub fn group_of_face(&self) -> &[u32] {
        &self.group_of_face
    }

    /// Triangles of a group, in the order of its leaves.
    pub fn group_faces(&self, group: usize) -> &[u32] {
        let leaves = &self.groups[group].leaves;
        &self.order[self.leaf_start[leaves.start as usize] as usize..self.leaf_start[leaves.end as usize] as usize]
    }

    /// Vertices of a group, ascending.
    pub fn group_vertices(&self, group: usize) -> &[u32] {
        let range = &self.groups[group].vertices;
        &self.group_vertices[range.start as usize..range.end as usize]
    }

    /// Groups that have a vertex, ascending.
    pub(crate) fn groups_of_vertex(&self, vertex: usize) -> &[u32] {
        &self.vertex_groups[self.vertex_group_start[vertex] as usize..self.vertex_group_start[vertex + 1] as usize]
    }

    /// k-DOP of a group as of the last refit.
    #[cfg(test)]
    pub(crate) fn group_dop(&self, group: usize) -> &Kdop<K> {
        &self.group_dops[group]
    }

    /// k-DOP of a vertex as of the last refit.
    #[inline]
    pub(crate) fn vertex_dop(&self, vertex: u32) -> &Kdop<K> {
        &self.vertex_dops[vertex as usize]
    }

    /// Triangles of a leaf.
    #[inline]
    pub(crate) fn leaf_faces(&self, leaf: usize) -> &[u32] {
        &self.order[self.leaf_start[leaf] as usize..self.leaf_start[leaf + 1] as usize]
    }

    /// Around everything.
    pub fn root(&self) -> Kdop<K> {
        self.upper.first().map_or(Kdop::EMPTY, Block::union)
    }

    /// How large the groups are where the vertices are now: the sum of half the surfaces of their boxes [m²]. A small
    /// random query meets a number of groups in proportion to it.
    pub fn spread(&self, x: &[DVec3]) -> f64 {
        let half_area = |g: usize| {
            let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for &v in self.group_vertices(g) {
                lo = lo.min(x[v as usize]);
                hi = hi.max(x[v as usize]);
            }
            let size = hi - lo;
            size.x * size.y + size.y * size.z + size.z * size.x
        };
        (0..self.groups.len()).map(half_area).sum()
    }

    /// Whether refits have made the tree so bad that building anew pays: what belongs to one group has moved apart, and
    /// the groups' [spread](Self::spread) is `factor` times what it was after the build. Folding and crumpling do not
    /// count: a patch of cloth that bends stays small.
    pub fn should_rebuild(&self, x: &[DVec3], factor: f64) -> bool {
        self.spread(x) > factor * self.spread_at_build
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        fn bytes<T>(v: &Vec<T>) -> usize {
            v.capacity() * size_of::<T>()
        }
        bytes(&self.triangles)
            + bytes(&self.order)
            + bytes(&self.leaf_start)
            + bytes(&self.upper)
            + bytes(&self.blocks)
            + bytes(&self.groups)
            + bytes(&self.group_vertices)
            + bytes(&self.vertex_group_start)
            + bytes(&self.vertex_groups)
            + bytes(&self.group_of_face)
            + bytes(&self.vertex_dops)
            + bytes(&self.group_dops)
            + bytes(&self.stale)
            + self.update.memory()
    }
}
