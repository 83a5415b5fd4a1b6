//! [`TryOnReport`]: what happened when a garment was put on.

use std::ops::ControlFlow;

use serde::Serialize;
use toile::{FrameReport, FrameVerdict, World};

use crate::girth::Girth;

/// What is called after every frame in which garments are put on, and before every round of untangling; when it breaks, so does the work.
pub type Watch<'a> = dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'a;

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Stitches are drawn together.
    Sewing,
    /// What intersects after welding, or where a scene starts, is parted.
    Untangling,
    /// The garment hangs.
    Draping,
}

/// Where a try-on stands after a frame, or before a round of untangling.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// What is being done.
    pub stage: Stage,
    /// Simulated time of this stage [s].
    pub time: f64,
    /// What is left to do: the longest stitch, or the way that 99 of 100 vertices kept within in the last quarter of a second [m].
    pub left: f64,
    /// What the last frame did; `None` while untangling.
    pub frame: Option<&'a FrameReport>,
    /// Garment and body; `None` while untangling, when there is no world yet.
    pub world: Option<&'a World>,
}

impl Progress<'_> {
    /// Before a round of untangling.
    pub const UNTANGLING: Progress<'static> =
        Progress { stage: Stage::Untangling, time: 0.0, left: 0.0, frame: None, world: None };
}

/// Seconds that each part took on the clock. Nothing else depends on them.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Phases {
    /// Meshing the pattern [s].
    pub mesh: f64,
    /// Placing the panels [s].
    pub place: f64,
    /// Sewing [s].
    pub sew: f64,
    /// Welding and, if need be, untangling [s].
    pub weld: f64,
    /// Draping [s].
    pub drape: f64,
}

/// What happened when garments were put on.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct TryOnReport {
    /// Panels of all patterns.
    pub panels: usize,
    /// Vertices of all garments.
    pub vertices: usize,
    /// Triangles of all garments.
    pub triangles: usize,
    /// Stitches.
    pub stitches: usize,
    /// Longest stitch where the panels were placed [m].
    pub first_gap: f64,
    /// Longest stitch before welding [m]; none is left after it.
    pub largest_gap: f64,
    /// Ratio to their length in the pattern up to which edges were let stretch until all seams were closed; what is too small needs
    /// more than others.
    pub sewn_stretch: f64,
    /// Simulated time of sewing [s].
    pub sewing_time: f64,
    /// Intersections that welding made and untangling took away.
    pub untangled: usize,
    /// Simulated time of draping [s].
    pub draping_time: f64,
    /// Whether they came to rest; if not, their time was up.
    pub settled: bool,
    /// Whether all cloth slid off the body.
    pub fallen: bool,
    /// Names of the garments that slipped from where they are worn: from the shoulders, or over the hip.
    pub slipped: Vec<String>,
    /// For each garment, by its number, its girths as it was cut against those of the body.
    pub girths: Vec<(usize, Vec<Girth>)>,
    /// Where a pattern does not fit this body, in plain words.
    pub remarks: Vec<String>,
    /// Way that 99 of 100 vertices kept within in the last quarter of a second [m].
    pub last_way: f64,
    /// Largest ratio of an edge to its length in the pattern.
    pub largest_stretch: f64,
    /// Pairs of features that could not be kept apart in any step.
    pub meeting: usize,
    /// What the judge says of the last frame.
    pub verdict: FrameVerdict,
    /// Time on the clock.
    pub phases: Phases,
}

impl TryOnReport {
    pub(crate) fn note(&mut self, frame: &FrameReport) {
        self.meeting += frame.meeting;
        self.largest_stretch = frame.largest_stretch;
    }

    pub(crate) fn finish(&mut self, world: &World, panels: usize) {
        self.panels = panels;
        (self.vertices, self.triangles) = (world.state().x.len(), world.triangles().len());
        self.verdict = world.judge();
    }
}
