//! The implicit step: finite elements, integrated with loads and contacts.
//!
//! Contacts are terms of the potential that Newton's method minimizes ([`ContactPotential`]), with every response:
//!
//! | response | pairs of features | exact shapes |
//! |---|---|---|
//! | `solved` | terms | terms |
//! | `impulse` | terms aimed at what the law of impulses asks for; impulses for what is overrun | terms |
//! | `zones` | the same, after zones have changed the velocities at the start of the step | terms |
//! | `constraint` | cloth with cloth as with `impulse`; obstacles forbid directions ([`forbid`](super::forbid)), with terms for what arrives | the same |
//! | `particles` | cloth with cloth by near particles, as terms; meshes as with `solved` | terms |
//!
//! What follows the solve moves particles only where a strain limit binds, contacts are overrun, or the guard takes something back.
//! Explicit methods have a free step that the response corrects. Such corrections `Δx` change velocities by `Δx/h`: they are impulses. Those of the guard are
//! inelastic, so that nothing gets faster by them than what it met.

use toile_cloth::dynamics::{
    Energies, History, Integrator, Loads, Masses, Moving, NewtonSettings, NoContacts, StepReport, Stepper,
};
use toile_cloth::{ClothState, largest_thread_strain, limit_strain};
use toile_contact::{
    Bearing, Contact, ContactPotential, Friction, Step, contacts_of_pairs, contacts_of_particles, contacts_of_shapes,
    reach_of_shapes,
};
use toile_mesh::DVec3;
use tracing::trace;

use super::aim::Aim;
use super::frame::External;
use super::{Changing, Engine, Fixed, Motion, Moved};
use crate::atmosphere::Atmosphere;
use crate::report::{Phase, PhaseTimes};
use crate::settings::{Physics, Response};

/// Passes over threads that are too long.
const MOST_SHORTENINGS: usize = 20;

/// Finite elements with the memory of their integration.
#[derive(Clone, Debug)]
pub(crate) struct Implicit {
    pub(crate) stepper: Stepper,
    pub(crate) integrator: Integrator,
    settings: NewtonSettings,
    strain_limit: Option<f64>,
    /// Contacts of the step: first of pairs of features, then with exact shapes.
    pub(crate) contacts: Vec<Contact>,
    pairs: usize,
    pub(crate) potential: ContactPotential,
    /// Stiffness of the stiffer threads of each cloth [N/m].
    threads: Vec<f64>,
    /// Where the integration leads: a response changes velocities by what it corrects [m].
    pub(super) x_free: Vec<DVec3>,
    pub(super) force: Vec<DVec3>,
    pub(super) history: History,
    hysteresis: bool,
}

impl Implicit {
    pub(crate) fn new(physics: &Physics, energies: Energies, threads: Vec<f64>, hysteresis: bool) -> Self {
        let mut stepper = Stepper::new(energies, physics.preconditioner);
        stepper.set_effort(physics.effort);
        Self {
            stepper,
            integrator: physics.integrator,
            settings: NewtonSettings {
                tolerance: physics.tolerance,
                most_iterations: physics.iterations,
                linear_tolerance: physics.linear_tolerance,
                most_linear_iterations: physics.linear_iterations,
                free_tolerance: physics.free_tolerance,
                free_linear_tolerance: physics.free_linear_tolerance,
            },
            strain_limit: physics.strain_limit,
            contacts: Vec::new(),
            pairs: 0,
            potential: ContactPotential::default(),
            threads,
            x_free: Vec::new(),
            force: Vec::new(),
            history: History::default(),
            hysteresis,
        }
    }

    /// Forgets the contacts of the last step, and their forces.
    pub(crate) fn forget_contacts(&mut self) {
        self.contacts.clear();
        self.potential.clear();
    }

    /// Whether a thread is longer than the limit allows.
    pub(super) fn is_too_long(&self, x: &[DVec3]) -> bool {
        self.strain_limit.is_some_and(|limit| self.largest_strain(x) > limit * (1.0 + 1e-6))
    }

    /// Shortens threads that are longer than the limit allows.
    pub(super) fn shorten(&self, x: &mut [DVec3], w: &[f64]) {
        if let Some(limit) = self.strain_limit {
            limit_strain(self.stepper.energies().membranes.elements(), x, w, limit);
        }
    }

    /// Largest strain of a thread at `x`.
    pub(crate) fn largest_strain(&self, x: &[DVec3]) -> f64 {
        largest_thread_strain(self.stepper.energies().membranes.elements(), x)
    }

    /// Puts what bending remembers in place, as after a resume.
    pub(crate) fn set_slip(&mut self, slip: &[[f64; 2]]) {
        for (bend, slip) in self.stepper.energies_mut().bends.elements_mut().iter_mut().zip(slip) {
            bend.set_slip(*slip);
        }
    }

    /// Starts where the step does, with the forces of wind and air.
    fn begin(&mut self, step: &Step, state: &ClothState, area: &[f64], wind: DVec3, air: Option<&Atmosphere>) {
        self.x_free.clear();
        self.x_free.extend_from_slice(step.cloth_start());
        self.history.clone_from(&state.history);
        self.force.clear();
        self.force.extend(area.iter().map(|area| wind * *area));
        if let Some(air) = air {
            self.force.iter_mut().zip(air.forces.force()).for_each(|(f, air)| *f += *air);
        }
    }

    /// Integrates energies, loads and contact terms over the step. Held particles end where the step says.
    fn integrate(
        &mut self,
        step: &mut Step,
        mass: &[f64],
        gravity: DVec3,
        air: Option<&Atmosphere>,
        with_contacts: bool,
    ) -> StepReport {
        let h = step.length();
        let (damping, velocity): (&[_], &[_]) = match air {
            Some(air) => (air.forces.damping(), &air.velocity),
            None => (&[], &[]),
        };
        let loads = Loads { gravity, force: &self.force, damping, velocity };
        let cloth = step.cloth();
        let moving = Moving { x: &mut self.x_free, v: &mut step.v, history: &mut self.history };
        let masses = Masses { mass, inverse: &step.inverse_mass[..cloth] };
        let held = &step.x_t1[..cloth];
        let (method, settings) = (self.integrator, &self.settings);
        let mut none = NoContacts;
        let contacts: &mut dyn toile_cloth::dynamics::ContactTerms =
            if with_contacts { &mut self.potential } else { &mut none };
        let report = self.stepper.advance(method, moving, held, masses, &loads, contacts, settings, h);
        // What is forbidden a direction was stopped; methods of second order would turn it round.
        let forbidden = self.stepper.forbidden_mut();
        if forbidden.constrained() > 0 {
            step.v.iter_mut().enumerate().for_each(|(i, v)| *v = forbidden.project(i, *v));
        }
        report
    }

    /// Holds particles back that went farther than `most` [m]; whether there were any.
    fn hold_back_flung(&mut self, step: &mut Step, most: f64) -> bool {
        let h = step.length();
        let mut is_flung = false;
        for (i, x) in self.x_free.iter_mut().enumerate() {
            let displacement = *x - step.x_t0[i];
            if displacement.length_squared() > most * most {
                let kept = displacement.clamp_length_max(most);
                step.v[i] += (kept - displacement) / h;
                *x = step.x_t0[i] + kept;
                is_flung = true;
            }
        }
        is_flung
    }

    /// Adds the impulses of corrections to the velocities of the integration.
    pub(super) fn find_velocities(&self, step: &mut Step, unguarded: &[DVec3], pace: &[f64]) {
        let h = step.length();
        for (i, unguarded) in unguarded.iter().enumerate() {
            let start = step.x_t0[i];
            let mut displacement = step.x_t1[i] - start;
            if *unguarded != step.x_t1[i] {
                displacement = pace.get(i).map_or(displacement, |pace| displacement.clamp_length_max(*pace));
            }
            let free = step.inverse_mass[i] > 0.0;
            let correction = (start + displacement - self.x_free[i]) / h;
            step.v[i] = if free { step.v[i] + correction } else { DVec3::ZERO };
        }
    }

    /// What the integration remembers of an accepted step; bending friction slips. Where something touched or
    /// corrected the cloth, and where it is held, the motion is not smooth and begins anew.
    pub(super) fn remember(&mut self, state: &mut ClothState, inverse_mass: &[f64]) {
        state.history.clone_from(&self.history);
        if state.history.x.len() == state.x.len() {
            let is_corrected =
                state.x.iter().zip(&self.x_free).zip(inverse_mass).any(|((x, free), w)| *w > 0.0 && x != free);
            let begins_anew = is_corrected || self.stepper.is_touched();
            for (i, w) in inverse_mass.iter().enumerate().take(state.x.len()) {
                if begins_anew || *w == 0.0 {
                    state.history.forget(i, state.x[i], state.v[i]);
                }
            }
        }
        if self.hysteresis {
            let bends = self.stepper.energies_mut().bends.elements_mut();
            state.slip.clear();
            for bend in bends {
                bend.update(&state.x);
                state.slip.push(bend.slip());
            }
        }
    }
}

impl Engine {
    /// The motion of a step of finite elements.
    pub(super) fn step_implicit(
        &mut self,
        fixed: &Fixed<'_>,
        changing: &Changing<'_>,
        air: Option<&Atmosphere>,
        loads: &External,
        times: &mut PhaseTimes,
    ) -> Moved {
        let contact = &fixed.settings.contact;
        let is_implicit = self.implicit().is_some_and(|implicit| implicit.integrator.is_implicit());
        // Explicit methods take contacts after a free step.
        let with_contacts = is_implicit;
        if let Motion::Implicit(implicit) = &mut self.motion {
            times.time(Phase::Predict, || {
                implicit.begin(&self.step, changing.state, &fixed.model.area, loads.wind, air);
                implicit.stepper.forbidden_mut().clear();
            });
        }
        if with_contacts {
            if contact.response == Response::Zones {
                self.resolve_zones_ahead(fixed, times);
            }
            self.find_contacts(fixed, times);
            if contact.response == Response::Constraint {
                self.forbid_directions(fixed, loads.gravity, times);
            }
        }
        let (report, is_flung) = times.time(Phase::Solve, || self.integrate(fixed, air, loads.gravity, with_contacts));
        self.integration.add(&report);
        trace!(
            iterations = report.newton.iterations,
            linear_iterations = report.newton.linear_iterations,
            residual = report.newton.residual,
            is_solved = report.is_solved,
            "motion solved for"
        );
        let mut moved = Moved { is_solved: report.is_solved, is_flung, ..Moved::default() };
        if !with_contacts {
            self.correct(fixed, &mut moved, times);
            return moved;
        }
        moved.touching = times.time(Phase::Respond, || self.count_contacts());
        if let Some(particles) = &self.response.particles {
            moved.smallest_separation = particles.smallest_separation(self.step.cloth_end());
        }
        if !matches!(contact.response, Response::Solved | Response::Particles) {
            moved.touching = moved.touching.max(self.give_impulses(fixed, true, times));
            self.response.forget_contacts();
        }
        times.time(Phase::Respond, || self.count_as_motion());
        moved
    }

    /// Puts free particles where they would be if they went on as they do.
    pub(super) fn extrapolate(&mut self) {
        let h = self.step.length();
        for i in 0..self.step.cloth() {
            if self.step.is_free(i) {
                self.step.x_t1[i] = self.step.x_t0[i] + self.step.v[i] * h;
            }
        }
    }

    /// Makes the contacts of the step terms of what is solved. With other responses than `solved`, pairs of features are aimed at what
    /// the law of impulses asks for; where obstacles forbid directions, only cloth is aimed at cloth.
    fn find_contacts(&mut self, fixed: &Fixed<'_>, times: &mut PhaseTimes) {
        times.time(Phase::Predict, || self.extrapolate());
        if let Some(implicit) = self.implicit_mut() {
            implicit.contacts.clear();
        }
        let is_found = self.find_candidates(times);
        times.time(Phase::Respond, || {
            if is_found {
                self.list_contacts(fixed);
            }
            self.make_terms(fixed);
        });
    }

    /// Makes the contacts that were listed terms of the potential.
    fn make_terms(&mut self, fixed: &Fixed<'_>) {
        let contact = &fixed.settings.contact;
        let Self { step, motion: Motion::Implicit(implicit), .. } = self else { return };
        let bearing = Bearing { area: &fixed.model.area, threads: &implicit.threads, pressure: contact.pressure };
        let forbids = contact.response == Response::Constraint;
        let restitution = if forbids { 0.0 } else { contact.restitution };
        let aim = Aim { step, restitution, recovery: step.tuning().recovery };
        let is_aimed = !matches!(contact.response, Response::Solved | Response::Particles);
        let pairs = if is_aimed { implicit.pairs } else { 0 };
        let change = |k: usize, contact: &mut Contact| if k < pairs { aim.set(contact) } else { 0.0 };
        implicit.potential.set(&implicit.contacts, step, &bearing, change);
    }

    fn list_contacts(&mut self, fixed: &Fixed<'_>) {
        let contact = &fixed.settings.contact;
        let forbids = contact.response == Response::Constraint;
        let Self { step, motion, shapes, candidates, response, lengths, .. } = self;
        let (Motion::Implicit(implicit), Some(candidates)) = (motion, candidates) else { return };
        let contacts = &mut implicit.contacts;
        response.with_candidates(candidates, |pairs| contacts_of_pairs(pairs, step, contacts));
        let is_cloth = |contact: &Contact| contact.vertices.iter().all(|v| (*v as usize) < step.cloth());
        let mut with_meshes = Vec::new();
        if forbids {
            with_meshes.extend(contacts.iter().copied().filter(|contact| !is_cloth(contact)));
            contacts.retain(is_cloth);
        }
        if let Some(particles) = &mut response.particles {
            // Cloth is kept from cloth by its particles, and from meshes by its features.
            contacts.retain(|contact| !is_cloth(contact));
            particles.find_on_way(step.cloth_start(), step.cloth_end());
            contacts_of_particles(&particles.separation, step, contacts);
        }
        implicit.pairs = contacts.len();
        contacts.append(&mut with_meshes);
        let edge = shapes.longest_edge * lengths.largest_stretch(step.cloth_start()).max(1.0);
        let reach = reach_of_shapes(contact.threshold, edge, step.tuning());
        shapes.rough.mark_on_way(step.cloth_start(), step.cloth_end(), reach);
        contacts_of_shapes(&shapes.rough, fixed.triangles, step, contact.threshold, contacts);
        if forbids {
            // Forbidden directions know no friction, so what is about to be forbidden one must not either.
            for contact in &mut contacts[implicit.pairs..] {
                contact.friction = Friction::Coulomb(0.0);
            }
        }
    }

    /// Integrates the step and shortens threads that are too long.
    fn integrate(
        &mut self,
        fixed: &Fixed<'_>,
        air: Option<&Atmosphere>,
        gravity: DVec3,
        with_contacts: bool,
    ) -> (StepReport, bool) {
        let Self { step, motion: Motion::Implicit(implicit), .. } = self else {
            return (StepReport::default(), false);
        };
        let report = implicit.integrate(step, &fixed.model.mass, gravity, air, with_contacts);
        let h = step.length();
        let is_flung =
            implicit.hold_back_flung(step, fixed.settings.advanced.flung * fixed.pace.max(fixed.reach / h) * h);
        let cloth = step.cloth();
        let (x, w) = (&mut step.x_t1[..cloth], &step.inverse_mass[..cloth]);
        x.copy_from_slice(&implicit.x_free);
        for _ in 0..MOST_SHORTENINGS {
            if !implicit.is_too_long(x) {
                break;
            }
            implicit.shorten(x, w);
        }
        (report, is_flung)
    }

    /// Contacts that press at the end of the step.
    fn count_contacts(&self) -> usize {
        let forces = self.implicit().into_iter().flat_map(|implicit| implicit.potential.forces());
        forces.filter(|force| force.normal > 0.0).count()
    }

    /// Where the cloth is now counts as where its motion leads.
    pub(super) fn count_as_motion(&mut self) {
        self.moved.clear();
        self.moved.extend_from_slice(self.step.cloth_end());
    }
}
