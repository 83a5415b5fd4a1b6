//! Finding what overlaps: Mezger 2003, §6; Kimmerle 2005, §2.2.1.1.
//!
//! Two nodes that overlap are opened: the much longer one alone, its N children tested at once against the other; nodes
//! of similar length both, N × N children in N such tests. Leaves are reported in the order of the descent, which depends
//! on the trees alone. The upper trees are descended first and give pairs of face groups; pairs of groups are
//! independent of each other and can be descended in parallel, in any order.
//!
//! [`Front`] is the paper's alternative, a separation list (§6.3, after Li and Chen 1998): the node pairs at which the
//! last descent stopped, from which the next one goes on.

use wide::f32x4;

use super::{Block, Child, KdopTree};
use crate::kdop::{Kdop, is_moving};

/// A node is opened alone if it is more than this many times as long as the other.
const MUCH_LONGER: f32 = 2.0;

/// Pairs of face groups whose k-DOPs overlap, `[g, h]`; of one tree with itself, g ≤ h.
pub(crate) type GroupPairs = Vec<[u32; 2]>;

/// Scratch memory of descents, and what they cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visit {
    stack: Vec<[u32; 2]>,
    /// Only pairs of which one is marked.
    pub(crate) marked: bool,
    /// Tests of one k-DOP against another.
    pub(crate) tests: u64,
}

/// Rows of four lanes; a row of two is padded.
#[inline(always)]
#[expect(clippy::inline_always, reason = "innermost loop of every traversal")]
fn lanes<const N: usize>(row: &[f32; N], chunk: usize, padding: f32) -> f32x4 {
    if N == 2 {
        f32x4::new([row[0], row[1], padding, padding])
    } else {
        let i = 4 * chunk;
        f32x4::new([row[i], row[i + 1], row[i + 2], row[i + 3]])
    }
}

/// Bit i is set where the k-DOP in lane i overlaps the one given by its bounds along direction k.
///
/// No direction is left out when the ones before have parted all children: a branch that goes either way costs more than
/// the comparisons it saves.
#[inline(always)]
#[expect(clippy::inline_always, reason = "innermost loop of every traversal")]
pub(crate) fn overlapping<const K: usize, const N: usize>(
    rows_lo: &[[f32; N]; K],
    rows_hi: &[[f32; N]; K],
    bounds: impl Fn(usize) -> (f32, f32),
) -> u32 {
    let mut bits = 0;
    for chunk in 0..N.div_ceil(4) {
        let sides = |k: usize| {
            let (lo, hi) = bounds(k);
            let above = lanes(&rows_lo[k], chunk, f32::INFINITY).simd_gt(f32x4::splat(hi));
            let below = f32x4::splat(lo).simd_gt(lanes(&rows_hi[k], chunk, f32::NEG_INFINITY));
            (above, below)
        };
        let mut apart = f32x4::ZERO;
        if is_moving(K) {
            for k in 0..K / 2 {
                let (start, end) = (sides(k), sides(k + K / 2));
                apart |= start.0 & end.0 | start.1 & end.1;
            }
        } else {
            for k in 0..K {
                let (above, below) = sides(k);
                apart |= above | below;
            }
        }
        bits |= (!apart.to_bitmask() & 0b1111) << (4 * chunk);
    }
    bits
}

/// A node: child `lane` of `block`.
#[inline]
fn slot<const N: usize>(block: usize, lane: usize) -> u32 {
    (block * N + lane) as u32
}

#[inline]
fn at<const K: usize, const N: usize>(blocks: &[Block<K, N>], slot: u32) -> (&Block<K, N>, usize) {
    (&blocks[slot as usize / N], slot as usize % N)
}

/// Longest side of a node's box [m].
#[inline]
fn length<const K: usize, const N: usize>((block, lane): (&Block<K, N>, usize)) -> f32 {
    (0..3).map(|k| block.hi[k][lane] - block.lo[k][lane]).fold(0.0, f32::max)
}

/// Children of `other` that are to be looked at together with child `i` of `block`.
#[inline]
fn wanted<const K: usize, const N: usize>(visit: &Visit, block: &Block<K, N>, i: usize, other: &Block<K, N>) -> u32 {
    if !visit.marked || block.marked >> i & 1 == 1 { !0 } else { other.marked }
}

/// Descends two trees from a pair of blocks; calls `found` with each pair of leaves that overlap.
struct Descent<'a, const K: usize, const N: usize> {
    first: &'a [Block<K, N>],
    second: &'a [Block<K, N>],
}

impl<const K: usize, const N: usize> Descent<'_, K, N> {
    fn run(&self, a: usize, b: usize, visit: &mut Visit, found: &mut impl FnMut(usize, usize)) {
        debug_assert!(visit.stack.is_empty());
        self.open_both(a, b, [!0; 2], visit, found);
        self.finish(visit, found);
    }

    fn finish(&self, visit: &mut Visit, found: &mut impl FnMut(usize, usize)) {
        while let Some([a, b]) = visit.stack.pop() {
            let (node_a, node_b) = (at(self.first, a), at(self.second, b));
            match (node_a.0.child[node_a.1].as_inner(), node_b.0.child[node_b.1].as_inner()) {
                (Some(inner_a), Some(inner_b)) => {
                    let (length_a, length_b) = (length(node_a), length(node_b));
                    if length_a > MUCH_LONGER * length_b {
                        self.open_first(inner_a, b, visit, found);
                    } else if length_b > MUCH_LONGER * length_a {
                        self.open_second(a, inner_b, visit, found);
                    } else {
                        // Neighbours overlap along a border only: most children are not even near the other node.
                        let facing = |block: &Block<K, N>, node: (&Block<K, N>, usize)| {
                            overlapping(&block.lo, &block.hi, |k| (node.0.lo[k][node.1], node.0.hi[k][node.1]))
                        };
                        let lanes = [facing(&self.first[inner_a], node_b), facing(&self.second[inner_b], node_a)];
                        visit.tests += 2 * N as u64;
                        self.open_both(inner_a, inner_b, lanes, visit, found);
                    }
                }
                (Some(inner_a), None) => self.open_first(inner_a, b, visit, found),
                (None, Some(inner_b)) => self.open_second(a, inner_b, visit, found),
                (None, None) => Self::report(node_a.0.child[node_a.1], node_b.0.child[node_b.1], found),
            }
        }
    }

    #[inline]
    fn report(a: Child, b: Child, found: &mut impl FnMut(usize, usize)) {
        if let (Some(a), Some(b)) = (a.as_leaf(), b.as_leaf()) {
            found(a, b);
        }
    }

    /// Opens two blocks, as far as children in these lanes go.
    #[inline]
    fn open_both(
        &self,
        a: usize,
        b: usize,
        [lanes_a, lanes_b]: [u32; 2],
        visit: &mut Visit,
        found: &mut impl FnMut(usize, usize),
    ) {
        let (block_a, block_b) = (&self.first[a], &self.second[b]);
        // Empty lanes overlap nothing. All comparisons first, then all decisions.
        let mut rows = [0; N];
        for (i, row) in rows.iter_mut().enumerate().filter(|(i, _)| lanes_a >> i & 1 == 1) {
            *row = overlapping(&block_b.lo, &block_b.hi, |k| (block_a.lo[k][i], block_a.hi[k][i]));
            visit.tests += N as u64;
        }
        for (i, row) in rows.into_iter().enumerate().filter(|(_, row)| row & lanes_b != 0) {
            self.pairs(a, i, b, row & lanes_b & wanted(visit, block_a, i, block_b), visit, found);
        }
    }

    /// Reports pairs of leaves, keeps the others for later.
    #[inline]
    fn pairs(
        &self,
        a: usize,
        i: usize,
        b: usize,
        mut bits: u32,
        visit: &mut Visit,
        found: &mut impl FnMut(usize, usize),
    ) {
        let child_a = self.first[a].child[i];
        while bits != 0 {
            let j = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let child_b = self.second[b].child[j];
            if child_a.as_inner().is_none() && child_b.as_inner().is_none() {
                Self::report(child_a, child_b, found);
            } else {
                visit.stack.push([slot::<N>(a, i), slot::<N>(b, j)]);
            }
        }
    }

    fn open_first(&self, a: usize, b: u32, visit: &mut Visit, found: &mut impl FnMut(usize, usize)) {
        let (block_b, lane) = at(self.second, b);
        let dop = block_b.dop(lane);
        let mut bits = overlapping(&self.first[a].lo, &self.first[a].hi, |k| (dop.lo[k], dop.hi[k]));
        bits &= wanted(visit, block_b, lane, &self.first[a]);
        visit.tests += N as u64;
        while bits != 0 {
            let i = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let (child_a, child_b) = (self.first[a].child[i], block_b.child[lane]);
            if child_a.as_inner().is_none() && child_b.as_inner().is_none() {
                Self::report(child_a, child_b, found);
            } else {
                visit.stack.push([slot::<N>(a, i), b]);
            }
        }
    }

    fn open_second(&self, a: u32, b: usize, visit: &mut Visit, found: &mut impl FnMut(usize, usize)) {
        let (block_a, lane) = at(self.first, a);
        let dop = block_a.dop(lane);
        let bits = overlapping(&self.second[b].lo, &self.second[b].hi, |k| (dop.lo[k], dop.hi[k]))
            & wanted(visit, block_a, lane, &self.second[b]);
        visit.tests += N as u64;
        self.pairs(a as usize / N, lane, b, bits, visit, found);
    }

    /// A subtree against itself: each pair of leaves once, and each leaf with itself.
    fn run_self(&self, block: usize, visit: &mut Visit, found: &mut impl FnMut(usize, usize)) {
        let node = &self.first[block];
        for i in (0..N).filter(|i| !node.child[*i].is_none()) {
            let bits = overlapping(&node.lo, &node.hi, |k| (node.lo[k][i], node.hi[k][i]));
            visit.tests += N as u64;
            // Later siblings only.
            let later = bits & (!0_u32 << i << 1) & wanted(visit, node, i, node);
            self.pairs(block, i, block, later, visit, found);
            self.finish(visit, found);
            if visit.marked && node.marked >> i & 1 == 0 {
                continue;
            }
            match node.child[i].as_inner() {
                Some(inner) => self.run_self(inner, visit, found),
                None => Self::report(node.child[i], node.child[i], found),
            }
        }
    }
}

impl<const K: usize, const N: usize> KdopTree<K, N> {
    /// Pairs of this tree's groups whose k-DOPs overlap, each group with itself among them.
    pub(crate) fn own_group_pairs(&self, visit: &mut Visit, pairs: &mut GroupPairs) {
        pairs.clear();
        if !self.upper.is_empty() {
            let descent = Descent { first: &self.upper, second: &self.upper };
            descent.run_self(0, visit, &mut |g, h| pairs.push([g.min(h) as u32, g.max(h) as u32]));
            pairs.sort_unstable();
        }
    }

    /// Pairs of a group of this tree and a group of another whose k-DOPs overlap.
    pub(crate) fn group_pairs(&self, other: &Self, visit: &mut Visit, pairs: &mut GroupPairs) {
        pairs.clear();
        if !self.upper.is_empty() && !other.upper.is_empty() {
            let descent = Descent { first: &self.upper, second: &other.upper };
            descent.run(0, 0, visit, &mut |g, h| pairs.push([g as u32, h as u32]));
            pairs.sort_unstable();
        }
    }

    /// Pairs of triangles of group `g` and group `h` of the same tree whose leaves overlap; g = h: each pair once.
    /// Triangles are given by their place in the order of leaves ([`KdopTree::face_at`]).
    pub(crate) fn own_face_pairs(&self, g: usize, h: usize, visit: &mut Visit, mut found: impl FnMut(u32, u32)) {
        let descent = Descent { first: &self.blocks, second: &self.blocks };
        let mut leaves = |a: usize, b: usize| {
            for i in self.leaf_places(a) {
                for j in self.leaf_places(b).filter(|j| a != b || i < *j) {
                    found(i, j);
                }
            }
        };
        if g == h {
            descent.run_self(self.groups[g].blocks.start as usize, visit, &mut leaves);
        } else {
            descent.run(self.groups[g].blocks.start as usize, self.groups[h].blocks.start as usize, visit, &mut leaves);
        }
    }

    /// Pairs of a triangle of this tree's group `g` and one of another tree's group `h` whose leaves overlap, by place.
    pub(crate) fn face_pairs(
        &self,
        g: usize,
        other: &Self,
        h: usize,
        visit: &mut Visit,
        mut found: impl FnMut(u32, u32),
    ) {
        let descent = Descent { first: &self.blocks, second: &other.blocks };
        let roots = [self.groups[g].blocks.start as usize, other.groups[h].blocks.start as usize];
        descent.run(roots[0], roots[1], visit, &mut |a, b| {
            for i in self.leaf_places(a) {
                other.leaf_places(b).for_each(|j| found(i, j));
            }
        });
    }

    /// Places of a leaf's triangles in the order of leaves.
    #[inline]
    fn leaf_places(&self, leaf: usize) -> std::ops::Range<u32> {
        if self.settings.leaf_size == 1 {
            leaf as u32..leaf as u32 + 1
        } else {
            self.leaf_start[leaf]..self.leaf_start[leaf + 1]
        }
    }

    /// The triangle at a place in the order of leaves.
    #[inline]
    pub(crate) fn face_at(&self, place: u32) -> u32 {
        self.order[place as usize]
    }
}

/// A node of a whole tree, upper part and groups: a number.
type Node = u32;

/// Two nodes at which a descent stopped.
pub type NodePair = [Node; 2];

/// Separation list: where the last descent of two trees, or of a tree with itself, stopped.
///
/// Pairs that come to overlap are opened and replaced by those below them. Pairs whose parents have parted stay: the list
/// only grows, and is made anew after [`Front::LIFETIME`] uses, as Mezger §6.3 does.
#[derive(Clone, Debug, Default)]
pub struct Front {
    pairs: Vec<NodePair>,
    next: Vec<NodePair>,
    age: u32,
}

impl Front {
    /// Uses before the list is made anew.
    pub const LIFETIME: u32 = 20;

    /// Length of the list.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether the list has never been used.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Pairs of triangles of a fully refitted tree that overlap, each once.
    pub fn own_face_pairs<const K: usize, const N: usize>(
        &mut self,
        tree: &KdopTree<K, N>,
        mut found: impl FnMut(u32, u32),
    ) {
        if self.pairs.is_empty() || self.age >= Self::LIFETIME {
            self.pairs.clear();
            let roots = tree.children_of(None);
            for (i, a) in roots.iter().enumerate() {
                self.pairs.extend(roots[i..].iter().map(|b| [*a, *b]));
            }
            self.age = 0;
        }
        self.age += 1;
        self.next.clear();
        while let Some([a, b]) = self.pairs.pop() {
            self.advance(tree, a, b, &mut found);
        }
        std::mem::swap(&mut self.pairs, &mut self.next);
    }

    fn advance<const K: usize, const N: usize>(
        &mut self,
        tree: &KdopTree<K, N>,
        a: Node,
        b: Node,
        found: &mut impl FnMut(u32, u32),
    ) {
        if a == b {
            if let Some(leaf) = tree.node_leaf(a) {
                let faces = tree.leaf_faces(leaf);
                for (i, f) in faces.iter().enumerate() {
                    faces[i + 1..].iter().for_each(|g| found(*f, *g));
                }
                self.next.push([a, a]);
            } else {
                let children = tree.children_of(Some(a));
                for (i, c) in children.iter().enumerate() {
                    children[i..].iter().for_each(|d| self.advance(tree, *c, *d, found));
                }
            }
            return;
        }
        let (dop_a, dop_b) = (tree.node_dop(a), tree.node_dop(b));
        let leaves = (tree.node_leaf(a), tree.node_leaf(b));
        if !dop_a.overlaps(&dop_b) {
            self.next.push([a, b]);
            return;
        }
        if let (Some(leaf_a), Some(leaf_b)) = leaves {
            self.next.push([a, b]);
            for f in tree.leaf_faces(leaf_a) {
                tree.leaf_faces(leaf_b).iter().for_each(|g| found(*f, *g));
            }
            return;
        }
        let open_a = leaves.1.is_some() || (leaves.0.is_none() && dop_a.longest_slab().1 >= dop_b.longest_slab().1);
        for c in tree.children_of(Some(if open_a { a } else { b })) {
            self.advance(tree, c, if open_a { b } else { a }, found);
        }
    }
}

/// Both parts of the tree seen as one, for the separation list: upper nodes first, then those of groups.
impl<const K: usize, const N: usize> KdopTree<K, N> {
    fn node(&self, node: Node) -> (&Block<K, N>, usize, bool) {
        let upper = self.upper.len() * N;
        if (node as usize) < upper {
            let (block, lane) = at(&self.upper, node);
            (block, lane, true)
        } else {
            let (block, lane) = at(&self.blocks, node - upper as u32);
            (block, lane, false)
        }
    }

    fn node_dop(&self, node: Node) -> Kdop<K> {
        let (block, lane, _) = self.node(node);
        block.dop(lane)
    }

    fn node_leaf(&self, node: Node) -> Option<usize> {
        let (block, lane, upper) = self.node(node);
        if upper { None } else { block.child[lane].as_leaf() }
    }

    /// Children of a node, of the root if `None`.
    fn children_of(&self, node: Option<Node>) -> Vec<Node> {
        let offset = (self.upper.len() * N) as u32;
        let in_upper = |b: usize| (&self.upper[b], (b * N) as u32);
        let in_groups = |b: usize| (&self.blocks[b], offset + (b * N) as u32);
        let (block, first) = match node.map(|n| self.node(n)) {
            None if self.upper.is_empty() => return Vec::new(),
            None => in_upper(0),
            Some((block, lane, upper)) => match (upper, block.child[lane].as_inner(), block.child[lane].as_leaf()) {
                (true, Some(inner), _) => in_upper(inner),
                (true, None, Some(group)) => in_groups(self.groups[group].blocks.start as usize),
                (false, Some(inner), _) => in_groups(inner),
                _ => return Vec::new(),
            },
        };
        (0..N).filter(|i| !block.child[*i].is_none()).map(|i| first + i as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Inflation, TreeSettings, Update};
    use proptest::prelude::*;
    use toile_mesh::DVec3;

    /// Small triangles at random places, some of them sharing corners.
    fn soup() -> impl Strategy<Value = (Vec<[u32; 3]>, Vec<DVec3>)> {
        prop::collection::vec((prop::array::uniform3(-1.0..1.0_f64), prop::array::uniform3(-0.15..0.15_f64)), 3..240)
            .prop_map(|points| {
                let n = points.len() as u32;
                let x = points.iter().enumerate().map(|(i, (p, d))| {
                    let base = DVec3::from(points[i / 3].0);
                    if i % 3 == 0 { DVec3::from(*p) * 0.0 + base } else { base + DVec3::from(*d) }
                });
                ((0..n / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(), x.collect())
            })
    }

    fn pairs_of<const K: usize, const N: usize>(tree: &KdopTree<K, N>) -> Vec<[u32; 2]> {
        let (mut visit, mut groups, mut pairs) = (Visit::default(), Vec::new(), Vec::new());
        tree.own_group_pairs(&mut visit, &mut groups);
        for [g, h] in groups {
            tree.own_face_pairs(g as usize, h as usize, &mut visit, |a, b| {
                let [a, b] = [a, b].map(|place| tree.face_at(place));
                pairs.push([a.min(b), a.max(b)]);
            });
        }
        pairs.sort_unstable();
        pairs
    }

    fn check<const K: usize, const N: usize>(
        triangles: &[[u32; 3]],
        x: &[DVec3],
        leaf_size: usize,
    ) -> Result<(), TestCaseError> {
        let settings = TreeSettings { leaf_size, group_size: 16 };
        let mut tree: KdopTree<K, N> = KdopTree::new(triangles, x, DVec3::ZERO, settings);
        let moved: Vec<DVec3> = x.iter().map(|p| *p + DVec3::new(0.1 * p.y, 0.05, -0.1 * p.x)).collect();
        tree.refit(x, &moved, &Inflation::margin(0.01), Update::Full);
        let dops: Vec<Kdop<K>> = triangles.iter().map(|t| tree.face_dop(*t)).collect();
        let mut expected = Vec::new();
        for a in 0..triangles.len() {
            for b in a + 1..triangles.len() {
                if dops[a].overlaps(&dops[b]) {
                    expected.push([a as u32, b as u32]);
                }
            }
        }
        let mut found = pairs_of(&tree);
        if leaf_size == 1 {
            prop_assert_eq!(&found, &expected);
        }
        let mut front = Front::default();
        for _ in 0..2 {
            let mut listed = Vec::new();
            front.own_face_pairs(&tree, |a, b| listed.push([a.min(b), a.max(b)]));
            listed.sort_unstable();
            prop_assert_eq!(&listed, &found);
        }
        found.dedup();
        prop_assert!(expected.iter().all(|p| found.binary_search(p).is_ok()), "a pair is lost");
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn traversal_finds_what_all_against_all_finds((triangles, x) in soup()) {
            check::<3, 2>(&triangles, &x, 1)?;
            check::<7, 4>(&triangles, &x, 1)?;
            check::<9, 4>(&triangles, &x, 1)?;
            check::<9, 8>(&triangles, &x, 3)?;
            check::<13, 8>(&triangles, &x, 1)?;
            check::<18, 8>(&triangles, &x, 1)?;
        }

        #[test]
        fn two_trees_find_what_all_against_all_finds((ta, xa) in soup(), (tb, xb) in soup(), size in 0.1..3.0_f64) {
            let xb: Vec<DVec3> = xb.iter().map(|p| *p * size).collect();
            let settings = TreeSettings { leaf_size: 1, group_size: 8 };
            let a: KdopTree<9, 4> = KdopTree::new(&ta, &xa, DVec3::ZERO, settings);
            let b: KdopTree<9, 4> = KdopTree::new(&tb, &xb, DVec3::ZERO, settings);
            let (mut visit, mut groups, mut found) = (Visit::default(), Vec::new(), Vec::new());
            a.group_pairs(&b, &mut visit, &mut groups);
            for [g, h] in groups {
                a.face_pairs(g as usize, &b, h as usize, &mut visit, |f, g| found.push([a.face_at(f), b.face_at(g)]));
            }
            found.sort_unstable();
            let near = |f: &[u32; 2]| a.face_dop(ta[f[0] as usize]).overlaps(&b.face_dop(tb[f[1] as usize]));
            let all = (0..ta.len() as u32).flat_map(|f| (0..tb.len() as u32).map(move |g| [f, g]));
            prop_assert_eq!(found, all.filter(near).collect::<Vec<_>>());
        }
    }
}
