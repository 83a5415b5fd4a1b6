//! Surfaces at a row of times, and searches over it.

use std::time::Instant;

use toile_collide::{Detector, Hierarchy, HierarchySettings};
use toile_mesh::generate::motion::MovingMesh;
use toile_mesh::{DVec3, Motion, Moves, Surface};

use super::contest::{Cost, Step};

/// Surfaces and their positions at a row of times.
pub(super) struct Film {
    pub(super) surfaces: Vec<Surface>,
    /// Positions [m] by time and surface.
    frames: Vec<Vec<Vec<DVec3>>>,
}

/// What is asked in every step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Question {
    /// Proximities within this distance [m].
    pub(super) proximities: Option<f64>,
    /// Impacts with this least separation [m].
    pub(super) impacts: Option<f64>,
}

impl Film {
    /// Cloths and, if given, an obstacle, at `start`, `start + h`, …: `steps` steps and the one before them [s].
    pub(super) fn new(
        cloths: &[&dyn MovingMesh],
        obstacle: Option<&dyn MovingMesh>,
        start: f64,
        h: f64,
        steps: usize,
    ) -> Self {
        let at = |m: &&dyn MovingMesh| m.mesh_at(start);
        let mut surfaces: Vec<Surface> = cloths.iter().map(|m| Surface::new(&at(m))).collect();
        surfaces.extend(obstacle.iter().map(|m| Surface::obstacle(&at(m), Moves::Freely)));
        let frame = |i: usize| cloths.iter().chain(&obstacle).map(|m| m.positions_at(start + i as f64 * h)).collect();
        Self { surfaces, frames: (0..steps + 2).map(frame).collect() }
    }

    /// Number of triangles.
    pub(super) fn triangles(&self) -> usize {
        self.surfaces.iter().map(Surface::face_count).sum()
    }

    /// Mean length of an edge of the first surface at the start [m].
    pub(super) fn edge(&self) -> f64 {
        let (edges, x) = (self.surfaces[0].edges(), &self.frames[0][0]);
        edges.iter().map(|[a, b]| x[*a as usize].distance(x[*b as usize])).sum::<f64>() / edges.len() as f64
    }

    pub(super) fn motions(&self, step: usize) -> Vec<Motion<'_>> {
        let (from, to) = (&self.frames[step], &self.frames[step + 1]);
        from.iter().zip(to).map(|(a, b)| Motion { x_t0: a, x_t1: b }).collect()
    }

    /// A detector for the surfaces.
    pub(super) fn detector(&self, settings: &HierarchySettings) -> Box<dyn Detector> {
        settings.detector(self.surfaces.clone()).expect("the benchmark asks for detectors that exist")
    }

    /// Asks in every step. Each question has a detector of its own, as lazy updates need: trees are kept from one step to the
    /// next only if both grow their volumes alike.
    pub(super) fn search(&self, settings: &HierarchySettings, question: Question) -> Step<'_> {
        let mut detectors = [question.proximities, question.impacts].map(|q| q.map(|_| self.detector(settings)));
        let (mut contacts, mut impacts) = (Vec::new(), Vec::new());
        Box::new(move |step| {
            let (motions, mut cost) = (self.motions(step), Cost::default());
            if let (Some(within), Some(detector)) = (question.proximities, &mut detectors[0]) {
                let clock = Instant::now();
                let report = detector.proximities(&motions, within, &mut contacts)?;
                cost = cost.plus(&Cost::new(&report, clock.elapsed()));
            }
            if let (Some(separation), Some(detector)) = (question.impacts, &mut detectors[1]) {
                let clock = Instant::now();
                let report = detector.impacts(&motions, separation, &mut impacts)?;
                cost = cost.plus(&Cost::new(&report, clock.elapsed()));
            }
            Ok(cost)
        })
    }

    /// Looks for pairs of triangles only, in volumes grown by `margin` [m].
    pub(super) fn pairs<const K: usize, const N: usize>(&self, settings: HierarchySettings, margin: f64) -> Step<'_> {
        let mut hierarchy: Hierarchy<K, N> = Hierarchy::new(self.surfaces.clone(), settings);
        Box::new(move |step| {
            let clock = Instant::now();
            let report = hierarchy.triangle_pairs(&self.motions(step), margin)?;
            Ok(Cost::new(&report, clock.elapsed()))
        })
    }
}
