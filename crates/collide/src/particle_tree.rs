//! Particle hierarchy: Fuhrmann 2003, §4 "Self-Collisions".
//!
//! The hierarchy bases on particles, not on triangles. Its structure is computed once from the flat cloth; after each
//! step the boxes are updated from bottom to top and the tree is traversed against itself.
//!
//! Layout. Particles are ordered by halving the longest side of their rest positions' box at multiples of the leaf
//! size, so the tree is complete: leaf k holds particles `8k .. 8k+8` of that order, node i of a level covers nodes
//! 2i and 2i+1 of the level below. No pointers; refitting runs over flat arrays. Positions are copied into leaf order
//! as `f32`, boxes are rounded outwards, and the distance test of the traversal is widened by the rounding error, so no
//! pair is lost; survivors are tested again in `f64`.
//!
//! Linked particles (those joined by a constraint) are not candidates. A leaf pair with links has a mask of 8 × 8 bits
//! for them, so excluding them costs one operation per leaf pair instead of a search per particle pair.

use rayon::prelude::*;
use toile_mesh::DVec3;

/// Particles per leaf; a pair of leaves is an 8 × 8 block that fits a 64-bit mask.
const LEAF: usize = 8;
/// Parallel tasks of one traversal; a fixed number, so that the order of results does not depend on the threads.
const TASKS: usize = 256;
/// Relative size of the `f32` rounding errors that the traversal's distance test allows for: two roundings of
/// positions and a few of the arithmetic, 2⁻²⁴ each.
const ROUNDING: f32 = 1.0e-6;

/// Two particles, the lower number first, and nothing else: closest first is not implied.
pub type Pair = [u32; 2];

/// Box of a node, rounded outwards.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: [f32; 3],
    max: [f32; 3],
}

impl Bounds {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    fn union(&self, other: &Self) -> Self {
        let mut b = *self;
        for k in 0..3 {
            b.min[k] = b.min[k].min(other.min[k]);
            b.max[k] = b.max[k].max(other.max[k]);
        }
        b
    }

    /// Whether the boxes are at most `reach` apart along every axis.
    #[inline]
    fn near(&self, other: &Self, reach: f32) -> bool {
        (0..3).all(|k| self.min[k] - other.max[k] <= reach && other.min[k] - self.max[k] <= reach)
    }
}

/// One leaf's particles in `f32`, structure of arrays; missing ones are at infinity.
#[derive(Clone, Copy, Debug)]
struct LeafPoints {
    axis: [[f32; LEAF]; 3],
}

/// A complete binary tree of boxes over particles.
#[derive(Clone, Debug)]
pub struct ParticleTree {
    /// Particles in leaf order.
    order: Vec<u32>,
    leaves: Vec<LeafPoints>,
    /// `levels[0]` are the leaves' boxes, the last level is the root.
    levels: Vec<Vec<Bounds>>,
    /// Leaf pairs `(a ≤ b)` with linked particles, sorted, and their masks (bit 8·i + j: particle i of a, j of b).
    links: Vec<(u32, u32, u64)>,
    /// Range of `links` for each leaf a.
    links_start: Vec<u32>,
    /// Largest absolute coordinate at the last refit [m].
    extent: f32,
}

/// Reusable memory of a traversal.
#[derive(Clone, Debug, Default)]
pub struct PairSearch {
    tasks: Vec<(u32, u32, u32)>,
    next: Vec<(u32, u32, u32)>,
    found: Vec<Vec<Pair>>,
}

impl ParticleTree {
    /// Builds the tree over `rest` positions [m]; `links` lists pairs of particles that are never candidates.
    ///
    /// ```
    /// use toile_collide::{PairSearch, ParticleTree};
    /// use toile_mesh::DVec3;
    /// let x = [DVec3::ZERO, DVec3::X, DVec3::X * 1.1];
    /// let mut tree = ParticleTree::new(&x, &[[0, 1]]);
    /// tree.refit(&x);
    /// let mut pairs = Vec::new();
    /// tree.pairs_within(&x, 1.05, &mut PairSearch::default(), &mut pairs);
    /// assert_eq!(pairs, [[1, 2]]);
    /// ```
    pub fn new(rest: &[DVec3], links: &[Pair]) -> Self {
        let order = leaf_order(rest);
        let leaf_count = order.len().div_ceil(LEAF);
        let mut levels = vec![vec![Bounds::EMPTY; leaf_count]];
        while levels.last().is_some_and(|l| l.len() > 1) {
            let count = levels[levels.len() - 1].len().div_ceil(2);
            levels.push(vec![Bounds::EMPTY; count]);
        }
        let (links, links_start) = link_masks(&order, links, leaf_count);
        let empty = LeafPoints { axis: [[f32::INFINITY; LEAF]; 3] };
        Self { order, leaves: vec![empty; leaf_count], levels, links, links_start, extent: 0.0 }
    }

    /// Moves all boxes to the positions `x` [m], bottom-up. Particles that are not finite are left out.
    pub fn refit(&mut self, x: &[DVec3]) {
        assert_eq!(x.len(), self.order.len());
        let order = &self.order;
        self.leaves.par_iter_mut().zip(&mut self.levels[0]).with_min_len(64).enumerate().for_each(
            |(k, (leaf, bounds))| {
                let particles = &order[k * LEAF..((k + 1) * LEAF).min(order.len())];
                (*leaf, *bounds) = leaf_box(particles, x);
            },
        );
        for l in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(l);
            let below = &below[l - 1];
            above[0].par_iter_mut().with_min_len(1024).enumerate().for_each(|(i, b)| {
                *b = match below.get(2 * i + 1) {
                    Some(right) => below[2 * i].union(right),
                    None => below[2 * i],
                };
            });
        }
        let root = self.levels.last().and_then(|l| l.first()).copied().unwrap_or(Bounds::EMPTY);
        let coordinates = root.min.into_iter().chain(root.max).filter(|c| c.is_finite());
        self.extent = coordinates.fold(0.0, |e, c| e.max(c.abs()));
    }

    /// All pairs of particles that are not linked and closer than `distance` [m] at the positions `x` given to
    /// [`ParticleTree::refit`], written to `pairs` in one fixed order.
    pub fn pairs_within(&self, x: &[DVec3], distance: f64, search: &mut PairSearch, pairs: &mut Vec<Pair>) {
        pairs.clear();
        if self.leaves.is_empty() || distance <= 0.0 {
            return;
        }
        // Wide enough for the rounding of positions of this size and of the distance itself.
        let reach = (distance as f32) * (1.0 + ROUNDING) + self.extent * ROUNDING;
        self.split_into_tasks(reach, search);
        let query = Query { tree: self, x, reach, reach_sq: reach * reach, distance_sq: distance * distance };
        search.found.resize_with(search.tasks.len().max(search.found.len()), Vec::new);
        search.tasks.par_iter().zip(&mut search.found).for_each(|(&(level, a, b), found)| {
            found.clear();
            query.visit(level as usize, a as usize, b as usize, found);
        });
        for found in &search.found[..search.tasks.len()] {
            pairs.extend_from_slice(found);
        }
    }

    /// Opens node pairs from the root until there are enough tasks.
    fn split_into_tasks(&self, reach: f32, search: &mut PairSearch) {
        search.tasks.clear();
        search.tasks.push((self.levels.len() as u32 - 1, 0, 0));
        while search.tasks.len() < TASKS && search.tasks[0].0 > 0 {
            search.next.clear();
            for &(level, a, b) in &search.tasks {
                self.children(level as usize, a as usize, b as usize, reach, |a, b| {
                    search.next.push((level - 1, a as u32, b as u32));
                });
            }
            std::mem::swap(&mut search.tasks, &mut search.next);
            if search.tasks.is_empty() {
                return;
            }
        }
    }

    /// Child pairs of the node pair (a ≤ b) at `level` that are near each other.
    fn children(&self, level: usize, a: usize, b: usize, reach: f32, mut visit: impl FnMut(usize, usize)) {
        let below = &self.levels[level - 1];
        for i in [2 * a, 2 * a + 1] {
            for j in [2 * b, 2 * b + 1] {
                if i <= j && j < below.len() && (i == j || below[i].near(&below[j], reach)) {
                    visit(i, j);
                }
            }
        }
    }

    /// Mask of linked particles of the leaf pair (a ≤ b).
    fn link_mask(&self, a: usize, b: usize) -> u64 {
        let links = &self.links[self.links_start[a] as usize..self.links_start[a + 1] as usize];
        links.iter().find(|l| l.1 as usize == b).map_or(0, |l| l.2)
    }
}

struct Query<'a> {
    tree: &'a ParticleTree,
    x: &'a [DVec3],
    reach: f32,
    reach_sq: f32,
    distance_sq: f64,
}

impl Query<'_> {
    fn visit(&self, level: usize, a: usize, b: usize, found: &mut Vec<Pair>) {
        if level == 0 {
            self.leaf_pair(a, b, found);
        } else {
            self.tree.children(level, a, b, self.reach, |i, j| self.visit(level - 1, i, j, found));
        }
    }

    fn leaf_pair(&self, a: usize, b: usize, found: &mut Vec<Pair>) {
        let mut near = near_mask(&self.tree.leaves[a], &self.tree.leaves[b], self.reach_sq);
        if a == b {
            near &= UPPER_TRIANGLE;
        }
        if near != 0 {
            near &= !self.tree.link_mask(a, b);
        }
        while near != 0 {
            let bit = near.trailing_zeros() as usize;
            near &= near - 1;
            let i = self.tree.order[a * LEAF + bit / LEAF];
            let j = self.tree.order[b * LEAF + bit % LEAF];
            if self.x[i as usize].distance_squared(self.x[j as usize]) < self.distance_sq {
                found.push([i.min(j), i.max(j)]);
            }
        }
    }
}

/// Bits 8·i + j with i < j: each pair within one leaf once.
const UPPER_TRIANGLE: u64 = {
    let mut mask = 0;
    let mut i = 0;
    while i < LEAF {
        let mut j = i + 1;
        while j < LEAF {
            mask |= 1 << (LEAF * i + j);
            j += 1;
        }
        i += 1;
    }
    mask
};

/// Bit 8·i + j is set where particle i of `a` and j of `b` are closer than the square root of `reach_sq`.
#[inline]
fn near_mask(a: &LeafPoints, b: &LeafPoints, reach_sq: f32) -> u64 {
    let mut mask = 0;
    for i in 0..LEAF {
        let [x, y, z] = [a.axis[0][i], a.axis[1][i], a.axis[2][i]];
        let mut near = [false; LEAF];
        for (j, near) in near.iter_mut().enumerate() {
            let (dx, dy, dz) = (b.axis[0][j] - x, b.axis[1][j] - y, b.axis[2][j] - z);
            *near = dx * dx + dy * dy + dz * dz <= reach_sq;
        }
        let row = near.iter().enumerate().fold(0_u64, |bits, (j, &n)| bits | (u64::from(n) << j));
        mask |= row << (LEAF * i);
    }
    mask
}

/// Points of a leaf and their box, rounded outwards.
fn leaf_box(particles: &[u32], x: &[DVec3]) -> (LeafPoints, Bounds) {
    let mut points = LeafPoints { axis: [[f32::INFINITY; LEAF]; 3] };
    let mut bounds = Bounds::EMPTY;
    for (i, &p) in particles.iter().enumerate() {
        let x = x[p as usize];
        if !x.is_finite() {
            continue;
        }
        for (k, c) in x.to_array().into_iter().enumerate() {
            let rounded = c as f32;
            points.axis[k][i] = rounded;
            bounds.min[k] = bounds.min[k].min(if f64::from(rounded) > c { rounded.next_down() } else { rounded });
            bounds.max[k] = bounds.max[k].max(if f64::from(rounded) < c { rounded.next_up() } else { rounded });
        }
    }
    (points, bounds)
}

/// Particles ordered so that every 8 · 2ᵏ consecutive ones are close together in the rest shape.
fn leaf_order(rest: &[DVec3]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rest.len() as u32).collect();
    let leaves = rest.len().div_ceil(LEAF).next_power_of_two();
    split(&mut order, rest, leaves * LEAF);
    order
}

/// Orders `order`, which a full subtree of `capacity` particles starts with.
fn split(order: &mut [u32], rest: &[DVec3], capacity: usize) {
    let half = capacity / 2;
    if capacity <= LEAF {
        return;
    }
    if order.len() <= half {
        return split(order, rest, half);
    }
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &p in order.iter() {
        min = min.min(rest[p as usize]);
        max = max.max(rest[p as usize]);
    }
    let size = (max - min).to_array();
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let key = |p: u32| rest[p as usize].to_array()[axis];
    order.select_nth_unstable_by(half, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    let (left, right) = order.split_at_mut(half);
    split(left, rest, half);
    split(right, rest, half);
}

/// Masks of linked particles per leaf pair, sorted, and where each first leaf's begin.
fn link_masks(order: &[u32], links: &[Pair], leaf_count: usize) -> (Vec<(u32, u32, u64)>, Vec<u32>) {
    let mut place = vec![0_u32; order.len()];
    for (k, &p) in order.iter().enumerate() {
        place[p as usize] = k as u32;
    }
    let leaf = LEAF as u32;
    let mut bits: Vec<(u32, u32, u64)> = links
        .iter()
        .flat_map(|l| {
            let [a, b] = l.map(|p| place[p as usize]);
            let (a, b) = if a / leaf <= b / leaf { (a, b) } else { (b, a) };
            let bit = |a: u32, b: u32| (a / leaf, b / leaf, 1_u64 << (leaf * (a % leaf) + b % leaf));
            // Within one leaf either order may be asked for.
            let mirrored = if a / leaf == b / leaf { bit(b, a) } else { bit(a, b) };
            [bit(a, b), mirrored]
        })
        .collect();
    bits.sort_unstable();
    let mut masks: Vec<(u32, u32, u64)> = Vec::new();
    for (a, b, mask) in bits {
        match masks.last_mut() {
            Some(last) if (last.0, last.1) == (a, b) => last.2 |= mask,
            _ => masks.push((a, b, mask)),
        }
    }
    let start = (0..=leaf_count as u32).map(|a| masks.partition_point(|m| m.0 < a) as u32).collect();
    (masks, start)
}

/// All pairs closer than `distance` [m] that are not in `links`, sorted: every pair is tested.
pub fn brute_force_pairs(x: &[DVec3], distance: f64, links: &[Pair]) -> Vec<Pair> {
    let mut linked: Vec<Pair> = links.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    linked.sort_unstable();
    let mut pairs = Vec::new();
    for i in 0..x.len() as u32 {
        for j in i + 1..x.len() as u32 {
            let near = x[i as usize].distance_squared(x[j as usize]) < distance * distance;
            if near && linked.binary_search(&[i, j]).is_err() {
                pairs.push([i, j]);
            }
        }
    }
    pairs
}
