//! A world advances, frame by frame.

use std::sync::{Arc, Mutex};

use toile_cloth::dynamics::History;
use toile_contact::{CandidateSource, Candidates};
use toile_mesh::DVec3;
use tracing::{debug, info, info_span};

use crate::contacts::TOUCHES;
use crate::report::{FrameReport, Integration, Phase, PhaseTimes};
use crate::step::frame::{self, Plan};
use crate::step::respond::SharedSource;
use crate::step::rest::reach_of_rest;
use crate::step::{Changing, Fixed, Outcome};
use crate::world::World;

/// Particles that are pressed by obstacles.
struct Pressed {
    touching: usize,
    squeezed: usize,
}

impl World {
    /// Simulates one frame.
    pub fn advance(&mut self) -> FrameReport {
        let (t0, t1) = self.frame_times();
        let _frame = info_span!("frame", frame = self.frame + 1, t0, t1).entered();
        let mut times = PhaseTimes::default();
        times.time(Phase::Pose, || self.cut());
        if times.time(Phase::Pose, || self.rests()) {
            return self.stay(times);
        }
        let plan = times.time(Phase::Pose, || self.plan(t0, t1));
        let searches = self.searches();
        let Self { settings, model, triangles, obstacles, meshes, holds, air, state, caught, engine, .. } = self;
        if let Some(air) = air {
            times.time(Phase::Predict, || air.blow(obstacles, t0, t1));
        }
        let fixed = Fixed {
            settings,
            model,
            triangles,
            obstacles,
            meshes,
            holds,
            reach: self.reach,
            pace: plan.pace,
            is_moved: plan.is_moved,
        };
        let presents = settings.solver.finish && engine.presents();
        engine.begin_frame(t1);
        let mut changing = Changing { state, caught };
        // Times come from whole numbers, so that they do not depend on where a run was resumed.
        let frame = f64::from(self.frame);
        let at = |k: u32| (frame + f64::from(k) / f64::from(plan.substeps)) / settings.time.frame_rate;
        let mut outcome = Outcome::default();
        for k in 0..plan.substeps {
            let next = engine.advance(&fixed, &mut changing, air, (at(k), at(k + 1)), 0, &mut times);
            outcome = outcome.then(next);
        }
        if presents {
            outcome.triangles = times.time(Phase::Present, || engine.present(&fixed, &mut changing));
        }
        self.frame += 1;
        times.time(Phase::Report, || self.come_to_rest());
        let mut report = self.report(plan.substeps, &outcome, times);
        report.searches = self.searches() - searches;
        report.zones = self.engine.response.zones.take();
        debug!(
            steps = report.substeps,
            split = report.halved,
            touching = report.touching,
            pushed = report.pushed,
            taken_back = report.taken_back,
            meeting = report.meeting,
            searches = report.searches,
            "frame simulated"
        );
        report
    }

    /// Lets responses take their candidates from `source` instead of the guard's, which are complete. A source that finds less costs
    /// quality, never the promise that nothing passes through. Its vertices must be those of the step it is given.
    ///
    /// A cut numbers vertices anew: from then on candidates are those of the guard again, until a source is set.
    pub fn set_candidate_source(&mut self, source: impl CandidateSource + 'static) {
        self.engine.response.source = Some(SharedSource(Arc::new(Mutex::new(source))));
    }

    /// A frame in which nothing moves.
    fn stay(&mut self, mut times: PhaseTimes) -> FrameReport {
        let (t0, t1) = self.frame_times();
        times.time(Phase::Pose, || {
            let engine = &mut self.engine;
            engine.shapes.smooth.place(&self.obstacles, t0, t1);
            engine.step.place(&self.meshes, t0, t1);
            engine.step.begin(&self.state.x, &self.state.v, &engine.inverse_mass);
        });
        self.frame += 1;
        self.report(0, &Outcome::default(), times)
    }

    /// Times at which the next frame begins and ends [s].
    fn frame_times(&self) -> (f64, f64) {
        (self.time(), f64::from(self.frame + 1) / self.settings.time.frame_rate)
    }

    /// How the next frame is cut into steps.
    fn plan(&self, t0: f64, _: f64) -> Plan {
        let dt = 1.0 / self.settings.time.frame_rate;
        let densities = self.model.mass.iter().zip(&self.model.area).filter(|(m, _)| **m > 0.0).map(|(m, a)| m / a);
        let lightest = densities.fold(f64::INFINITY, f64::min);
        let acceleration = frame::largest_acceleration(&self.settings.forces, lightest);
        let moved = frame::obstacle_travel(&self.obstacles, &self.meshes, t0, t0 + dt)
            + frame::hand_travel(&self.holds, t0, dt);
        let top = frame::top_speed(&self.state.v);
        Plan::new(&self.settings, dt, top, acceleration, moved, self.reach)
    }

    /// Searches for pairs so far.
    fn searches(&self) -> u32 {
        self.engine.candidates.as_ref().map_or(0, Candidates::searches)
    }

    /// Whether the cloth lies still and nothing stirs it in the next frame.
    pub fn rests(&self) -> bool {
        self.rest.is_still(&self.settings) && !self.stirs()
    }

    /// Looks how far the cloth has gone in a frame, which ended just now, and stops it where that is nowhere.
    fn come_to_rest(&mut self) {
        self.rest.look(&self.state.x, reach_of_rest(&self.settings, self.air.is_some()));
        if self.rests() {
            info!(time = self.time(), "cloth has come to rest");
            self.state.v.fill(DVec3::ZERO);
            self.state.history = History::default();
        }
    }

    /// Whether anything moves or lets go in the next frame.
    fn stirs(&self) -> bool {
        let (t0, t1) = self.frame_times();
        let lets_go = self.holds.iter().any(|hold| (t0..t1).contains(&hold.until));
        lets_go
            || frame::obstacle_travel(&self.obstacles, &self.meshes, t0, t1) > 0.0
            || frame::hand_travel(&self.holds, t0, t1 - t0) > 0.0
    }

    /// Particles that touch obstacles where a frame ends, and those of them that are squeezed: pressed from opposite sides, with
    /// less than half the distance they keep.
    fn pressed(&self) -> Pressed {
        let keep = self.settings.contact.threshold;
        let pieces = self.engine.shapes.smooth.pieces();
        // For each particle what presses it: the share of the distance to keep that is left, and the normal.
        let mut presses: Vec<Vec<(f64, DVec3)>> = Vec::with_capacity(self.state.x.len());
        for x in &self.state.x {
            let near = pieces.iter().filter(|p| p.may_touch(*x, TOUCHES * keep)).map(|p| p.distance_and_normal(*x));
            let shares = near.map(|(distance, normal)| (distance / keep, normal));
            presses.push(shares.filter(|(share, _)| *share < TOUCHES).collect());
        }
        let step = &self.engine.step;
        for pair in self.engine.candidates.iter().flat_map(Candidates::pairs) {
            if pair.vertices.iter().all(|v| (*v as usize) < presses.len()) {
                continue;
            }
            let Some(contact) = pair.contact(&step.x_t0, &step.x_t1, TOUCHES * pair.keep) else { continue };
            for (v, weight) in contact.vertices.iter().zip(contact.weights).filter(|(_, w)| *w != 0.0) {
                if let Some(presses) = presses.get_mut(*v as usize) {
                    presses.push((contact.gap / pair.keep, contact.normal * weight.signum()));
                }
            }
        }
        let (opposed, meeting) = (step.tuning().opposed, step.tuning().meeting);
        let is_squeezed = |presses: &&Vec<(f64, DVec3)>| {
            let hard = || presses.iter().filter(|(share, _)| *share < meeting);
            hard().any(|(_, n)| hard().any(|(_, m)| n.dot(*m) < opposed))
        };
        Pressed {
            touching: presses.iter().filter(|presses| !presses.is_empty()).count(),
            squeezed: presses.iter().filter(is_squeezed).count(),
        }
    }

    fn report(&self, substeps: u32, outcome: &Outcome, mut times: PhaseTimes) -> FrameReport {
        let (state, engine) = (&self.state, &self.engine);
        let pressed = times.time(Phase::Report, || self.pressed());
        let near_pairs = match (&engine.response.particles, &engine.candidates) {
            (Some(particles), _) => particles.separation.len(),
            (None, Some(candidates)) => candidates.pairs().len(),
            (None, None) => 0,
        };
        let mut report = FrameReport {
            frame: self.frame,
            time: self.time(),
            substeps,
            obstacle_contacts: pressed.touching,
            triangle_contacts: outcome.triangles.contacts,
            deepest: outcome.triangles.deepest,
            pushed: outcome.guard.pushed,
            taken_back: outcome.guard.taken_back,
            meeting: outcome.guard.left,
            near_pairs,
            touching: outcome.touching,
            zones: None,
            searches: 0,
            halved: outcome.split,
            squeezed: pressed.squeezed.max(outcome.overlap.pinched + outcome.overlap.led),
            smallest_separation: outcome.smallest_separation,
            ..FrameReport::default()
        };
        times.time(Phase::Report, || {
            report.integration = engine.implicit().map(|implicit| Integration {
                largest_thread_strain: implicit.largest_strain(&state.x),
                ..engine.integration
            });
            report.largest_stretch = engine.lengths.largest_stretch(&state.x);
            report.kinetic_energy = state.kinetic_energy(&self.model);
            report.gravity_energy = state.gravity_energy(&self.model, DVec3::from(self.settings.forces.gravity));
            report.top_speed = frame::top_speed(&state.v);
            report.non_finite = state.x.iter().filter(|p| !p.is_finite()).count();
        });
        report.times = times;
        report
    }
}
