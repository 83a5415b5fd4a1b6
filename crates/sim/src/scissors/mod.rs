//! Scissors: cloth that is cut while it is simulated.
//!
//! **Splitting is not cutting.** Paths are known before a world begins. So when a world is built, the triangles of a cloth
//! are split along all its paths at once, and nothing else happens: the mesh is finer there, but whole. A cut then only takes edges
//! apart. Every new particle was a particle before, with its position, velocity and history; masses follow from the same triangles,
//! so that mass, momentum and kinetic energy are kept to rounding, and nothing needs to be interpolated but the lips.
//!
//! **Stages.** A run with cuts is a row of stages, each with a mesh of its own, between whose numbers the corners of the triangles
//! translate. A cut is made where a frame begins, the first one that begins at or after its time: then the world of the next
//! stage is made, with its constraints or elements, hierarchies, candidates and guard, around the obstacles and the air as they are, and the
//! state is carried over (`carry`). The stage follows from the number of the frame, so a checkpoint needs to know nothing of it.
//!
//! **Lips** are drawn back by a [`KERF`] ([`Kerf`](toile_mesh::scissors::Kerf)), in the rest shape as well, so that no strain arises.
//! Pairs of one cloth keep at most a share of the distance that they have at rest, so lips are clear of each other and without
//! force when they are made. Where cloth is folded or pressed so hard that a lip would meet something on its way back, all go less
//! far, as the judge allows.
//!
//! **Garments** are cut in their pattern: every triangle has a place on its panel, in which a path is followed. What crosses from panel to panel
//! is a seam, and seams hold: a slit that reaches one ends there with a tip. A panel that is taken away is parted from the others
//! along its seams, which cuts the same kind of edges.
//!
//! **Records** have one topology for all frames, as PC2 and GLB want it: that of all cuts, with nothing taken away. Lips lie on
//! each other until they are cut; what is taken away shrinks to a point, the first particle of its cloth.
//!
//! The other way, all lips apart from the start and held together until their time, would let every part of a step know of pairs
//! of particles that are one.

mod carry;
mod plan;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use toile_mesh::{DVec2, DVec3};

use crate::builder::{BuiltCloth, Parts, WorldError, assemble};
use crate::moved::Moved;
use crate::settings::Settings;
use crate::world::World;

use plan::{ClothPlan, Plan};

/// Distance of two lips when they are cut [m]; less where edges are short.
pub(crate) const KERF: f64 = 0.5e-3;

/// What has been cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The cuts of so many times.
    After(usize),
    /// Everything, but nothing is taken away: how frames are recorded.
    Record,
}

/// The cuts of a world, and how many of them are made.
#[derive(Clone, Debug)]
pub(crate) struct Scissors {
    plan: Arc<Plan>,
    stage: Stage,
    /// For each recorded particle its number now; `None` if it was taken away.
    particles: Vec<Option<u32>>,
    /// For each triangle its number in records.
    triangles: Vec<u32>,
}

impl Scissors {
    fn new(plan: Arc<Plan>, stage: Stage) -> Self {
        let (particles, triangles) = plan.records(stage);
        Self { plan, stage, particles, triangles }
    }

    /// The cuts that are planned, none of them made; `None` if there are none.
    pub(crate) fn of(settings: &Settings, parts: &Parts) -> Result<Option<Self>, WorldError> {
        if parts.cuts.is_empty() {
            return Ok(None);
        }
        let cloths = (0..parts.cloths.len()).map(|i| ClothPlan::new(parts, i)).collect::<Result<Vec<_>, _>>()?;
        let plan = Plan::new(parts, settings.time.frame_rate, cloths)?;
        Ok(Some(Self::new(Arc::new(plan), Stage::After(0))))
    }

    /// Cloth `index` as it is cut now, whose first particle is `first`.
    pub(crate) fn cloth(&self, index: usize, first: usize) -> BuiltCloth {
        self.plan.cloth(index, first, self.stage)
    }

    /// The panel of each triangle of garment `index`, and its corners on it [m].
    pub(crate) fn on_panels(&self, index: usize) -> Vec<(u32, [DVec2; 3])> {
        self.plan.on_panels(index, self.stage)
    }

    /// What each vertex of cloth `index` has become, numbered within the cloth.
    pub(crate) fn copies(&self, index: usize) -> Vec<Vec<u32>> {
        self.plan.copies(index, self.stage)
    }
}

impl World {
    /// Makes the cuts that are due where this frame begins.
    pub(crate) fn cut(&mut self) {
        let Some(scissors) = &self.scissors else { return };
        // A frame's own cuts are due as soon as it goes on.
        let due = scissors.plan.stage_within(self.frame + 1);
        if due != scissors.stage && scissors.stage != Stage::Record {
            let mut next = self.at_stage(due);
            next.take_over(self);
            *self = next;
        }
    }

    /// Cuts and mends the cloth, whatever its state, so that a state of `frame` fits.
    pub(crate) fn cut_as_in(&mut self, frame: u32) {
        let Some(scissors) = &self.scissors else { return };
        let stage = scissors.plan.stage_within(frame);
        if stage != scissors.stage {
            *self = self.at_stage(stage);
        }
    }

    /// The world around the same obstacles with cloth of another stage, at rest at its start.
    fn at_stage(&self, stage: Stage) -> Self {
        let scissors = self.scissors.as_ref().map(|scissors| Scissors::new(scissors.plan.clone(), stage));
        let next = assemble(self.settings.clone(), self.parts.clone(), scissors, Some(self));
        let mut next = next.expect("what can be wrong with parts does not depend on what is cut");
        // What is grabbed has other numbers now.
        next.moved = Moved { grabs: BTreeMap::new(), ..self.moved.clone() };
        next.move_holds();
        next
    }

    /// Number of particles and of triangles in `frame`.
    pub(crate) fn size_in(&self, frame: u32) -> (usize, usize) {
        match &self.scissors {
            None => (self.model.particle_count(), self.triangles.len()),
            Some(scissors) => scissors.plan.size(scissors.plan.stage_within(frame)),
        }
    }

    /// The world as records show it: the same, or with all cuts and whatever was taken away.
    pub fn recorded(&self) -> Cow<'_, Self> {
        if self.scissors.as_ref().is_none_or(|scissors| scissors.stage == Stage::Record) {
            return Cow::Borrowed(self);
        }
        let mut shown = self.at_stage(Stage::Record);
        shown.frame = self.frame;
        shown.state.x = self.recorded_positions().into_owned();
        Cow::Owned(shown)
    }

    /// Positions of all particles as they are recorded [m].
    pub fn recorded_positions(&self) -> Cow<'_, [DVec3]> {
        let Some(scissors) = &self.scissors else { return Cow::Borrowed(&self.state.x) };
        let mut x = Vec::with_capacity(scissors.particles.len());
        for (cloth, range) in self.model.cloths.iter().enumerate() {
            let vanished = self.state.x[range.start];
            let recorded = &scissors.particles[scissors.plan.recorded(cloth)];
            x.extend(recorded.iter().map(|p| p.map_or(vanished, |p| self.state.x[p as usize])));
        }
        Cow::Owned(x)
    }

    /// Number of particles in records.
    pub fn recorded_count(&self) -> usize {
        self.scissors.as_ref().map_or_else(|| self.model.particle_count(), |scissors| scissors.particles.len())
    }

    /// Number of a triangle in records.
    pub fn recorded_triangle(&self, triangle: u32) -> u32 {
        self.scissors.as_ref().map_or(triangle, |scissors| scissors.triangles[triangle as usize])
    }
}
