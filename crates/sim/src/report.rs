//! What one frame did: [`FrameReport`], and the time of each phase.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use tracing::{Span, trace_span};

/// Target of the spans of phases.
const PHASES: &str = "toile::phase";

/// The phases of a step, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Obstacles and held particles move to the end of the step.
    Pose,
    /// Free motion: wind, air, forces without contacts.
    Predict,
    /// Pairs of features or of particles that may touch.
    Detect,
    /// Contacts made of pairs and shapes, and what a response does with them.
    Respond,
    /// Newton's method with contact terms, or passes over lengths and exact shapes.
    Solve,
    /// What would go through is taken back.
    Guard,
    /// What makes a frame fit to be seen.
    Present,
    /// Velocities from positions, smoothing, and measuring strain and energy.
    Report,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 8] =
        [Self::Pose, Self::Predict, Self::Detect, Self::Respond, Self::Solve, Self::Guard, Self::Present, Self::Report];

    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pose => "pose",
            Self::Predict => "predict",
            Self::Detect => "detect",
            Self::Solve => "solve",
            Self::Respond => "respond",
            Self::Guard => "guard",
            Self::Present => "present",
            Self::Report => "report",
        }
    }

    /// The span of its work, of the same name.
    fn span(self) -> Span {
        match self {
            Self::Pose => trace_span!(target: PHASES, "pose"),
            Self::Predict => trace_span!(target: PHASES, "predict"),
            Self::Detect => trace_span!(target: PHASES, "detect"),
            Self::Respond => trace_span!(target: PHASES, "respond"),
            Self::Solve => trace_span!(target: PHASES, "solve"),
            Self::Guard => trace_span!(target: PHASES, "guard"),
            Self::Present => trace_span!(target: PHASES, "present"),
            Self::Report => trace_span!(target: PHASES, "report"),
        }
    }
}

/// Wall-clock seconds per [`Phase`]; never part of a result.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PhaseTimes([f64; Phase::ALL.len()]);

impl PhaseTimes {
    /// Runs `work` in the span of `phase` and adds its time to it.
    pub(crate) fn time<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let span = phase.span();
        let start = Instant::now();
        let result = span.in_scope(work);
        self.0[phase as usize] += start.elapsed().as_secs_f64();
        result
    }

    /// Seconds spent in `phase` [s].
    pub fn get(&self, phase: Phase) -> f64 {
        self.0[phase as usize]
    }

    /// Seconds of all phases [s].
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }
}

impl std::ops::AddAssign for PhaseTimes {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }
}

/// What the integration of the physical model did in one frame.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Integration {
    /// Parts the steps were cut into.
    pub parts: u32,
    /// Parts that did not converge and were done again in halves.
    pub failed: u32,
    /// Parts that were taken without having converged.
    pub unconverged: u32,
    /// Newton iterations.
    pub newton_iterations: u32,
    /// Iterations of the linear solver.
    pub linear_iterations: u32,
    /// Largest mean acceleration by forces left over [m/s²].
    pub residual: f64,
    /// Largest strain of warp and weft threads.
    pub largest_thread_strain: f64,
}

impl Integration {
    pub(crate) fn add(&mut self, step: &toile_cloth::dynamics::StepReport) {
        self.parts += step.parts;
        self.failed += u32::from(!step.is_solved);
        self.unconverged += u32::from(!step.newton.converged);
        self.newton_iterations += step.newton.iterations;
        self.linear_iterations += step.newton.linear_iterations;
        self.residual = self.residual.max(step.newton.residual);
    }
}

/// What impact zones did in one frame, summed over its steps, those that were done again in halves included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ZoneCounts {
    /// Rounds in which there was something to resolve.
    pub rounds: usize,
    /// Impact zones.
    pub zones: usize,
    /// Clusters of cloth and of obstacles, as found.
    pub clusters: [usize; 2],
    /// Clusters that collided with themselves: fallen into parts, and left whole.
    pub segmented: [usize; 2],
    /// Clusters that others took in.
    pub merged: usize,
    /// Collision graphs with cycles.
    pub cyclic: usize,
    /// Linear programmes solved for them.
    pub programmes: usize,
    /// Colliding pairs of faces that the zones left to impulses.
    pub left: usize,
}

impl From<&toile_contact::ZoneReport> for ZoneCounts {
    fn from(report: &toile_contact::ZoneReport) -> Self {
        Self {
            rounds: report.rounds,
            zones: report.zones,
            clusters: report.clusters,
            segmented: report.segmented,
            merged: report.merged,
            cyclic: report.cyclic,
            programmes: report.programmes,
            left: report.left,
        }
    }
}

impl std::ops::AddAssign for ZoneCounts {
    fn add_assign(&mut self, other: Self) {
        self.rounds += other.rounds;
        self.zones += other.zones;
        self.clusters = std::array::from_fn(|k| self.clusters[k] + other.clusters[k]);
        self.segmented = std::array::from_fn(|k| self.segmented[k] + other.segmented[k]);
        self.merged += other.merged;
        self.cyclic += other.cyclic;
        self.programmes += other.programmes;
        self.left += other.left;
    }
}

/// What the steps of one frame did.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FrameReport {
    /// Frame number; the start is frame 0.
    pub frame: u32,
    /// Simulated time at its end [s].
    pub time: f64,
    /// Steps it was cut into.
    pub substeps: u32,
    /// Particles that touch an obstacle where the frame ends.
    pub obstacle_contacts: usize,
    /// Triangles too near to an obstacle after the particles were clear of it, in the last step.
    pub triangle_contacts: usize,
    /// How far the worst triangle stayed short of the threshold after the last step [m]; 0 = all keep it.
    pub deepest: f64,
    /// Times the guard pushed a pair apart that would have met, summed over the steps of the frame.
    #[serde(default)]
    pub pushed: usize,
    /// Vertices taken back because they would have gone through something, summed over the steps of the frame.
    #[serde(default)]
    pub taken_back: usize,
    /// Pairs of features that met all the same, summed over the steps of the frame: their vertices are held,
    /// or obstacles leave them no place.
    #[serde(default)]
    pub meeting: usize,
    /// Candidates of the last step: pairs of features that may touch; of particles, with that response.
    pub near_pairs: usize,
    /// Pairs of features that touched in the last step; contacts of all kinds that press, where they are terms of the implicit step.
    #[serde(default)]
    pub touching: usize,
    /// What impact zones did; with that response only.
    #[serde(default)]
    pub zones: Option<ZoneCounts>,
    /// Searches for pairs of features in the frame.
    #[serde(default)]
    pub searches: u32,
    /// Steps done again in halves, because the guard had much to do or could not do everything.
    #[serde(default)]
    pub halved: usize,
    /// Particles pressed by obstacles from opposite sides, with less than half the distance they keep, when the frame ends: there
    /// is no room for the cloth.
    #[serde(default)]
    pub squeezed: usize,
    /// Smallest distance of particles, candidates or joined, relative to what they should keep, after any step of the
    /// frame; at most 1.
    pub smallest_separation: f64,
    /// Largest edge length relative to its rest length.
    pub largest_stretch: f64,
    /// Kinetic energy [J].
    pub kinetic_energy: f64,
    /// Potential energy in gravity [J].
    pub gravity_energy: f64,
    /// Largest particle speed [m/s].
    pub top_speed: f64,
    /// Particles whose position is no longer finite. Anything but 0 is a failed run.
    pub non_finite: usize,
    /// What the integration did; with the physical model only.
    #[serde(default)]
    pub integration: Option<Integration>,
    /// Seconds per phase, in the order of [`Phase::ALL`] [s].
    pub times: PhaseTimes,
}
