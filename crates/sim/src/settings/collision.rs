//! How contacts with meshes are searched for.

use toile_collide::Cover;
use toile_schema::{choice, section};

use super::AutoLength;

choice! {
    /// Which detector searches for pairs of triangles, edges and vertices that touch.
    pub enum DetectorKind {
        /// Trees of bounding volumes over the triangles.
        Hierarchy = "hierarchy",
        /// Every pair of features is looked at: slow, for comparison.
        BruteForce = "brute-force" | "brute_force",
    }
}

choice! {
    /// When bounding volumes follow their triangles.
    pub enum UpdateKind {
        /// All of them in every search.
        Full = "full",
        /// Those whose vertices have left the tolerance by which they were grown.
        Lazy = "lazy",
        /// Those a search comes across.
        OnDemand = "on-demand" | "on_demand",
    }
}

section! {
    /// How contacts of cloth with meshes are searched for: obstacles of kind mesh, torus and wave, and those with
    /// `triangulate`. What is found does not depend on these keys, only the time it takes.
    pub struct Collision {
        /// The detector.
        detector: DetectorKind = DetectorKind::Hierarchy;
        /// Planes of a bounding volume: 6, 14, 18 or 26.
        dop: u32 = 18, within(6, 26);
        /// Children of an inner node of a tree: 2, 4 or 8.
        arity: u32 = 8, within(2, 8);
        /// Triangles in a leaf of a tree at most.
        leaf_size: u32 = 1, within(1, 64);
        /// How bounding volumes cover a step.
        inflation: Cover = Cover::Moving;
        /// When bounding volumes follow their triangles.
        update: UpdateKind = UpdateKind::Full;
        /// With lazy updates: how far a vertex may move before its volumes follow; auto takes it from the contact
        /// threshold.
        lazy_tolerance: AutoLength = AutoLength::Auto, ["m"] above(0, 1);
        /// Pass over parts of a cloth that are too flat to touch themselves.
        cones: bool = true;
        /// Opening angle of the normals up to which a part is flat in this sense.
        close_angle_deg: f64 = 162.0, ["°"] within(0, 179);
    }
}
