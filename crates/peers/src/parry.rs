//! The bounding volume hierarchy of parry3d, used as its makers use it for many moving things: boxes of leaves
//! renewed, the tree refitted, and descended against itself.

use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use toile_mesh::{DVec3, Motion, Surface};

/// A binary tree of boxes over the triangles of a surface.
pub(crate) struct ParryTree {
    tree: Bvh,
    workspace: BvhWorkspace,
}

/// Box round the way of a triangle, in `f32` and never too small.
fn swept_box(triangle: [u32; 3], motion: &Motion<'_>) -> Aabb {
    let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for v in triangle {
        for x in [motion.x_t0[v as usize], motion.x_t1[v as usize]] {
            lo = lo.min(x);
            hi = hi.max(x);
        }
    }
    let down = |v: f64| (v as f32).next_down();
    let up = |v: f64| (v as f32).next_up();
    Aabb { mins: Vector::new(down(lo.x), down(lo.y), down(lo.z)), maxs: Vector::new(up(hi.x), up(hi.y), up(hi.z)) }
}

impl ParryTree {
    pub(crate) fn build(strategy: BvhBuildStrategy, surface: &Surface, motion: &Motion<'_>) -> Self {
        let boxes: Vec<Aabb> = surface.triangles().iter().map(|t| swept_box(*t, motion)).collect();
        Self { tree: Bvh::from_leaves(strategy, &boxes), workspace: BvhWorkspace::default() }
    }

    /// Moves the tree to the way of its triangles.
    pub(crate) fn refit(&mut self, surface: &Surface, motion: &Motion<'_>) {
        for (f, triangle) in surface.triangles().iter().enumerate() {
            self.tree.insert_or_update_partially(swept_box(*triangle, motion), f as u32, 0.0);
        }
        self.tree.refit(&mut self.workspace);
    }

    /// Calls `found` with every pair of triangles whose boxes overlap.
    pub(crate) fn self_pairs(&mut self, mut found: impl FnMut(u32, u32)) {
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| found(a, b));
    }

    /// Bytes of memory in use by the tree.
    pub(crate) fn memory(&self) -> usize {
        self.tree.total_memory_size()
    }
}
