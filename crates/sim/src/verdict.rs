//! [`FrameVerdict`]: the judge's word on one frame.

use serde::{Deserialize, Serialize};

/// Intersections in one frame, found by the exact test of [`toile_mesh::judge`], which shares nothing with the
/// collision code it judges.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[must_use]
pub struct FrameVerdict {
    /// Frame number.
    pub frame: u32,
    /// Pairs of cloth triangles that intersect.
    pub cloth: usize,
    /// Pairs of a cloth and an obstacle triangle that intersect.
    pub obstacles: usize,
    /// Particles that are inside an obstacle, by its signed distance.
    #[serde(default)]
    pub inside: usize,
    /// Triangles that could not be judged because a coordinate is not finite.
    pub unjudged: usize,
    /// Numbers of the first cloth triangles that intersect something, ascending; at most 1000.
    pub triangles: Vec<u32>,
}

impl FrameVerdict {
    /// All intersections.
    pub fn total(&self) -> usize {
        self.cloth + self.obstacles
    }

    /// Whether nothing intersects, nothing is inside an obstacle and everything could be judged.
    pub fn is_clean(&self) -> bool {
        self.total() == 0 && self.inside == 0 && self.unjudged == 0
    }
}
