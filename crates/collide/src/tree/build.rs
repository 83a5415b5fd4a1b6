//! Building a tree from the top: Mezger 2003, §4.2.
//!
//! A set of triangles is split across the longest slab of its k-DOP, in the middle. Triangles that the middle plane cuts
//! all go to the side that has fewer. If every triangle is cut, or one side stays empty, the set is halved by the
//! triangles' middles instead; so is a set that is deeper than a balanced tree would ever be, which bounds the depth for
//! triangles all at one place or one giant among dwarfs. N = 2, 4, 8 children are one, two, three such splits.
//!
//! The last two levels are halved by count as well, at multiples of what a node holds: middle planes would leave half of
//! the lanes of the lowest blocks, which are most of them, empty.

use toile_mesh::DVec3;

use super::{Block, Child, Group, KdopTree, TreeSettings, refit};
use crate::kdop::{Kdop, project};

/// Splits beyond the depth of a balanced tree before sets are halved by count.
const SPARE_DEPTH: u32 = 12;

struct Builder<'a, const K: usize, const N: usize> {
    /// Slabs of each triangle; rounding does not matter here.
    items: Vec<Kdop<K>>,
    /// Triangles, reordered as sets are split.
    order: Vec<u32>,
    scratch: Vec<u32>,
    settings: TreeSettings,
    deepest: u32,
    tree: &'a mut KdopTree<K, N>,
}

pub(super) fn tree<const K: usize, const N: usize>(
    triangles: &[[u32; 3]],
    positions: &[DVec3],
    origin: DVec3,
    settings: TreeSettings,
) -> KdopTree<K, N> {
    const { assert!(N == 2 || N == 4 || N == 8, "2, 4 or 8 children") };
    let settings = TreeSettings {
        leaf_size: settings.leaf_size.max(1),
        group_size: settings.group_size.max(settings.leaf_size).max(N),
    };
    let mut tree = KdopTree {
        settings,
        origin,
        triangles: triangles.to_vec(),
        order: Vec::with_capacity(triangles.len()),
        leaf_start: vec![0],
        upper: Vec::new(),
        blocks: Vec::new(),
        groups: Vec::new(),
        group_vertices: Vec::new(),
        vertex_group_start: Vec::new(),
        vertex_groups: Vec::new(),
        group_of_face: vec![0; triangles.len()],
        vertex_dops: vec![Kdop::EMPTY; positions.len()],
        group_dops: Vec::new(),
        stale: Vec::new(),
        update: refit::UpdateState::default(),
        spread_at_build: 0.0,
    };
    let item = |t: &[u32; 3]| {
        let corners = t.map(|v| project::<K>((positions[v as usize] - origin).to_array().map(|c| c as f32)));
        corners.iter().fold(Kdop::<K>::EMPTY, |d, p| d.union(&Kdop { lo: *p, hi: *p }))
    };
    let items: Vec<Kdop<K>> = triangles.iter().map(item).collect();
    let order: Vec<u32> = (0..triangles.len() as u32).collect();
    let deepest = (triangles.len().max(1)).ilog2() + SPARE_DEPTH;
    let mut builder = Builder { items, order, scratch: Vec::new(), settings, deepest, tree: &mut tree };
    if !triangles.is_empty() {
        let all = 0..builder.items.len();
        // The root is always a node of the upper tree, also when one group holds everything.
        builder.tree.upper.push(Block::EMPTY);
        if all.len() <= settings.group_size {
            let group = builder.group(all, 0);
            builder.tree.upper[0].child[0] = Child::leaf(group);
        } else {
            builder.upper_node(0, all, 0);
        }
    }
    tree.blocks.shrink_to_fit();
    connect(&mut tree, positions.len());
    tree.refit(positions, positions, &refit::Inflation::margin(0.0), refit::Update::Full);
    tree.spread_at_build = tree.spread(positions);
    tree
}

impl<const K: usize, const N: usize> Builder<'_, K, N> {
    /// Fills upper block `block` with the children of a set.
    fn upper_node(&mut self, block: usize, set: std::ops::Range<usize>, depth: u32) {
        let group_size = self.settings.group_size;
        for (i, (part, depth)) in self.split_into_children(set, depth, group_size).into_iter().enumerate() {
            let child = if part.len() <= self.settings.group_size {
                Child::leaf(self.group(part, depth))
            } else {
                self.tree.upper.push(Block::EMPTY);
                let inner = self.tree.upper.len() - 1;
                self.upper_node(inner, part, depth);
                Child::inner(inner)
            };
            self.tree.upper[block].child[i] = child;
        }
    }

    /// Makes a set a face group and returns its number.
    fn group(&mut self, set: std::ops::Range<usize>, depth: u32) -> usize {
        let number = self.tree.groups.len();
        for &face in &self.order[set.clone()] {
            self.tree.group_of_face[face as usize] = number as u32;
        }
        let (block, leaf) = (self.tree.blocks.len(), self.tree.leaf_start.len() - 1);
        self.tree.blocks.push(Block::EMPTY);
        if set.len() <= self.settings.leaf_size {
            self.tree.blocks[block].child[0] = self.leaf(set);
        } else {
            self.node(block, set, depth);
        }
        self.tree.groups.push(Group {
            blocks: block as u32..self.tree.blocks.len() as u32,
            leaves: leaf as u32..self.tree.leaf_start.len() as u32 - 1,
            vertices: 0..0,
        });
        number
    }

    /// Fills block `block` of a group with the children of a set.
    fn node(&mut self, block: usize, set: std::ops::Range<usize>, depth: u32) {
        let full = N * self.settings.leaf_size;
        for (i, (part, depth)) in self.split_into_children(set, depth, full).into_iter().enumerate() {
            let child = if part.len() <= self.settings.leaf_size {
                self.leaf(part)
            } else {
                self.tree.blocks.push(Block::EMPTY);
                let inner = self.tree.blocks.len() - 1;
                self.node(inner, part, depth);
                Child::inner(inner)
            };
            self.tree.blocks[block].child[i] = child;
        }
    }

    fn leaf(&mut self, set: std::ops::Range<usize>) -> Child {
        self.tree.order.extend_from_slice(&self.order[set]);
        self.tree.leaf_start.push(self.tree.order.len() as u32);
        Child::leaf(self.tree.leaf_start.len() - 2)
    }

    /// Splits a set into at most N parts. What has at most `whole` triangles is not torn apart, so that blocks and groups
    /// are well filled.
    fn split_into_children(
        &mut self,
        set: std::ops::Range<usize>,
        depth: u32,
        whole: usize,
    ) -> Vec<(std::ops::Range<usize>, u32)> {
        let leaf_size = self.settings.leaf_size;
        if set.len() <= N * leaf_size {
            let starts = set.clone().step_by(leaf_size);
            return starts.map(|s| (s..(s + leaf_size).min(set.end), depth + 1)).collect();
        }
        let mut parts = vec![(set, depth)];
        let levels = N.ilog2();
        for _ in 0..levels {
            let mut next = Vec::with_capacity(N);
            for (part, depth) in parts {
                if part.len() <= whole {
                    next.push((part, depth));
                } else {
                    let middle = self.split(part.clone(), depth);
                    next.push((part.start..middle, depth + 1));
                    next.push((middle..part.end, depth + 1));
                }
            }
            parts = next;
        }
        parts
    }

    /// Orders a set of more than one block so that its first part is one side of the split, and returns where the second
    /// begins.
    fn split(&mut self, set: std::ops::Range<usize>, depth: u32) -> usize {
        let full = N * self.settings.leaf_size;
        let order = &self.order[set.clone()];
        let items = || order.iter().map(|f| &self.items[*f as usize]);
        let dop = items().fold(Kdop::<K>::EMPTY, |d, i| d.union(i));
        let (slab, _) = dop.longest_slab();
        if order.len() <= N * full {
            // Sets of one block come here only if groups are smaller than blocks.
            let unit = if order.len() > full { full } else { 1 };
            return self.halve(set, slab, (order.len() / 2).next_multiple_of(unit));
        }
        let plane = 0.5 * (dop.lo[slab] + dop.hi[slab]);
        let below = items().filter(|i| i.hi[slab] < plane).count();
        let above = items().filter(|i| i.lo[slab] > plane).count();
        // Cut triangles go to the side with fewer.
        let first = if below <= above { order.len() - above } else { below };
        if depth >= self.deepest || first == 0 || first == order.len() || (below == 0 && above == 0) {
            return self.halve(set, slab, order.len() / 2);
        }
        let is_first = |f: u32| {
            let item = &self.items[f as usize];
            if below <= above { item.lo[slab] <= plane } else { item.hi[slab] < plane }
        };
        self.scratch.clear();
        self.scratch.extend(order.iter().filter(|f| is_first(**f)));
        self.scratch.extend(order.iter().filter(|f| !is_first(**f)));
        self.order[set.clone()].copy_from_slice(&self.scratch);
        set.start + first
    }

    /// Puts the `first` triangles with the lowest middles across a slab first.
    fn halve(&mut self, set: std::ops::Range<usize>, slab: usize, first: usize) -> usize {
        let items = &self.items;
        let middle = |f: u32| items[f as usize].lo[slab] + items[f as usize].hi[slab];
        let order = &mut self.order[set.clone()];
        order.select_nth_unstable_by(first, |a, b| middle(*a).total_cmp(&middle(*b)).then(a.cmp(b)));
        set.start + first
    }
}

/// Vertices of each group and groups of each vertex.
fn connect<const K: usize, const N: usize>(tree: &mut KdopTree<K, N>, vertex_count: usize) {
    let mut start = vec![0_u32; vertex_count + 1];
    let mut vertices = Vec::new();
    for g in 0..tree.groups.len() {
        vertices.clear();
        vertices.extend(tree.group_faces(g).iter().flat_map(|f| tree.triangles[*f as usize]));
        vertices.sort_unstable();
        vertices.dedup();
        let first = tree.group_vertices.len() as u32;
        tree.group_vertices.extend_from_slice(&vertices);
        tree.groups[g].vertices = first..tree.group_vertices.len() as u32;
        for v in &vertices {
            start[*v as usize + 1] += 1;
        }
    }
    for v in 0..vertex_count {
        start[v + 1] += start[v];
    }
    let mut next = start.clone();
    tree.vertex_groups = vec![0; tree.group_vertices.len()];
    for g in 0..tree.groups.len() {
        let range = tree.groups[g].vertices.clone();
        for &v in &tree.group_vertices[range.start as usize..range.end as usize] {
            tree.vertex_groups[next[v as usize] as usize] = g as u32;
            next[v as usize] += 1;
        }
    }
    tree.vertex_group_start = start;
    tree.group_dops = vec![Kdop::EMPTY; tree.groups.len()];
    tree.stale = vec![false; tree.groups.len()];
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{TriMesh, generate};

    fn build<const N: usize>(mesh: &TriMesh, settings: TreeSettings) -> KdopTree<9, N> {
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| v.0)).collect();
        KdopTree::new(&triangles, &mesh.positions, DVec3::ZERO, settings)
    }

    /// Every triangle is in exactly one leaf, every leaf in exactly one group, and boxes hold what is below them.
    fn check<const N: usize>(tree: &KdopTree<9, N>, mesh: &TriMesh, leaf_size: usize) -> usize {
        let mut seen = vec![0; mesh.face_count()];
        let mut deepest = 0;
        let mut stack: Vec<(usize, Kdop<9>, usize)> = vec![];
        for g in 0..tree.group_count() {
            assert!(tree.group_faces(g).len() <= tree.settings.group_size);
            stack.push((tree.groups[g].blocks.start as usize, *tree.group_dop(g), 1));
        }
        while let Some((block, dop, depth)) = stack.pop() {
            deepest = deepest.max(depth);
            let block = &tree.blocks[block];
            assert_eq!(block.union(), dop);
            for i in 0..N {
                if let Some(inner) = block.child[i].as_inner() {
                    stack.push((inner, block.dop(i), depth + 1));
                } else if let Some(leaf) = block.child[i].as_leaf() {
                    assert!(tree.leaf_faces(leaf).len() <= leaf_size);
                    for &f in tree.leaf_faces(leaf) {
                        seen[f as usize] += 1;
                        for v in mesh.triangles[f as usize] {
                            assert!(block.dop(i).contains(mesh.positions[v.index()]));
                        }
                    }
                }
            }
        }
        assert!(seen.iter().all(|n| *n == 1), "every triangle once");
        deepest
    }

    #[test]
    fn trees_of_every_arity_hold_all_triangles() {
        let mesh = generate::icosphere(0.3, 4);
        for leaf_size in [1, 4] {
            let settings = TreeSettings { leaf_size, group_size: 100 };
            let depths = [
                check(&build::<2>(&mesh, settings), &mesh, leaf_size),
                check(&build::<4>(&mesh, settings), &mesh, leaf_size),
                check(&build::<8>(&mesh, settings), &mesh, leaf_size),
            ];
            assert!(depths[0] > depths[1] && depths[1] > depths[2], "{depths:?}");
        }
    }

    #[test]
    fn depth_is_bounded_for_triangles_at_one_place_and_for_a_giant_among_dwarfs() {
        let mut mesh = TriMesh::default();
        for _ in 0..3000 {
            mesh.append(&TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]));
        }
        let tree = build::<4>(&mesh, TreeSettings::default());
        assert!(check(&tree, &mesh, 1) <= 8);
        // Each triangle is half as large as the last: every middle split parts one from the rest.
        let mut mesh = TriMesh::default();
        for i in 0..600 {
            let s = 0.5_f64.powi(i.min(100));
            mesh.append(&TriMesh::from_indices(vec![DVec3::X * s, DVec3::X * s * 1.2, DVec3::Y * s], &[[0, 1, 2]]));
        }
        let tree = build::<4>(&mesh, TreeSettings { leaf_size: 1, group_size: 1000 });
        assert!(check(&tree, &mesh, 1) <= 16);
    }

    #[test]
    fn an_empty_surface_has_an_empty_tree() {
        let tree = build::<4>(&TriMesh::default(), TreeSettings::default());
        assert!(tree.root().is_empty());
        assert_eq!(tree.group_count(), 0);
    }
}
