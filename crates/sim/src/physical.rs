//! The physical model inside a step: finite elements take the place of the constraint solver.
//!
//! `predict` integrates energies, loads and contacts over the whole step; what follows moves particles only where a strain
//! limit binds, another response than `solved` is chosen, or the guard takes something back. Such corrections `Δx` change
//! velocities by `Δx/h`: they are impulses. Those of the guard are inelastic, so that nothing gets faster by them than what
//! it met.

use toile_cloth::dynamics::{self, Energies, Integrator, Link, Loads, NewtonSettings, StepReport, Stepper};
use toile_cloth::{Fabric, largest_thread_strain, limit_strain};
use toile_mesh::DVec3;

use crate::links::{Making, extrapolate};
use crate::scene::{self, IntegratorKind, PreconditionerKind, Response};
use crate::world::World;

/// A particle that goes this many times as far as anything could be expected to was flung by contacts that left it no room, and
/// goes no farther.
const FLUNG: f64 = 2.0;
/// Passes over threads that are too long.
const MOST_SHORTENINGS: usize = 20;

/// Finite elements with the memory of their integration.
#[derive(Clone, Debug)]
pub(crate) struct Physical {
    pub(crate) stepper: Stepper,
    pub(crate) integrator: Integrator,
    settings: NewtonSettings,
    strain_limit: Option<f64>,
    pub(crate) links: Vec<Link>,
    /// Stiffness of the stiffer threads of each cloth [N/m].
    pub(crate) threads: Vec<f64>,
    /// Where the particles would be if everything went on.
    pub(crate) ahead: Vec<DVec3>,
    /// Where the integration left the particles, before contacts.
    pub(crate) x_free: Vec<DVec3>,
    /// Where held particles end.
    pub(crate) held: Vec<DVec3>,
    pub(crate) force: Vec<DVec3>,
    hysteresis: bool,
}

impl Physical {
    pub(crate) fn new(physics: &scene::Physics, energies: Energies, fabrics: &[Fabric], hysteresis: bool) -> Self {
        let integrator = match physics.integrator {
            IntegratorKind::SymplecticEuler => Integrator::SymplecticEuler,
            IntegratorKind::Verlet => Integrator::Verlet,
            IntegratorKind::Rk4 => Integrator::Rk4,
            IntegratorKind::ImplicitEuler => Integrator::ImplicitEuler,
            IntegratorKind::ImplicitMidpoint => Integrator::ImplicitMidpoint,
            IntegratorKind::Bdf2 => Integrator::Bdf2,
        };
        let preconditioner = match physics.preconditioner {
            PreconditionerKind::Jacobi => dynamics::PreconditionerKind::BlockJacobi,
            PreconditionerKind::Multilevel => dynamics::PreconditionerKind::Multilevel,
        };
        let mut stepper = Stepper::new(energies, preconditioner);
        stepper.set_effort(match physics.effort {
            scene::Effort::Converged => dynamics::Effort::Converged,
            scene::Effort::Bounded => dynamics::Effort::Bounded,
        });
        Self {
            stepper,
            integrator,
            settings: NewtonSettings {
                tolerance: physics.tolerance,
                most_iterations: physics.iterations,
                linear_tolerance: physics.linear_tolerance,
                most_linear_iterations: physics.linear_iterations,
            },
            strain_limit: physics.strain_limit,
            links: Vec::new(),
            threads: fabrics.iter().map(|fabric| fabric.stretch_warp.max(fabric.stretch_weft)).collect(),
            ahead: Vec::new(),
            x_free: Vec::new(),
            held: Vec::new(),
            force: Vec::new(),
            hysteresis,
        }
    }

    /// Whether a thread is longer than the limit allows.
    pub(crate) fn is_too_long(&self, x: &[DVec3]) -> bool {
        self.strain_limit.is_some_and(|limit| self.largest_strain(x) > limit * (1.0 + 1e-6))
    }

    /// Shortens threads that are longer than the limit allows.
    pub(crate) fn shorten(&self, x: &mut [DVec3], w: &[f64]) {
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
}

impl World {
    /// Gives bending the memory that the state holds.
    pub(crate) fn recall_slip(&mut self) {
        if let Some(physical) = &mut self.work.physical {
            physical.set_slip(&self.state.slip);
        }
    }

    /// Integrates the physical model over a step; held particles are where the step ends.
    pub(crate) fn integrate(&mut self, (t0, t1): (f64, f64), gravity: DVec3, wind: DVec3) -> StepReport {
        let h = t1 - t0;
        if let Some(physical) = &mut self.work.physical {
            physical.held.clone_from(&self.state.x);
        }
        if self.scene.contact.response == Response::Solved {
            self.link(t0, t1);
        }
        let (state, work) = (&mut self.state, &mut self.work);
        let Some(physical) = &mut work.physical else { return StepReport::default() };
        for (i, w) in state.inverse_mass.iter().enumerate() {
            if *w == 0.0 {
                state.x[i] = work.x_t0[i];
            }
        }
        physical.force.clear();
        physical.force.extend(self.model.area.iter().map(|area| wind * *area));
        if let Some(air) = &self.air {
            physical.force.iter_mut().zip(air.forces.force()).for_each(|(f, air)| *f += *air);
        }
        self.forbid_directions((t0, t1), gravity);
        let (state, work) = (&mut self.state, &mut self.work);
        let Some(physical) = &mut work.physical else { return StepReport::default() };
        let (damping, velocity): (&[_], &[_]) = match &self.air {
            Some(air) => (air.forces.damping(), &air.velocity),
            None => (&[], &[]),
        };
        let loads = Loads { gravity, force: &physical.force, damping, velocity };
        let report = physical.stepper.advance(
            physical.integrator,
            (&mut state.x, &mut state.v),
            &mut state.history,
            &physical.held,
            (&self.model.mass, &state.inverse_mass),
            &loads,
            &physical.settings,
            h,
        );
        // What is forbidden a direction was stopped; methods of second order would turn it round.
        let forbidden = physical.stepper.forbidden_mut();
        if forbidden.constrained() > 0 {
            state.v.iter_mut().enumerate().for_each(|(i, v)| *v = forbidden.project(i, *v));
        }
        let most = FLUNG * work.pace.max(self.reach / h) * h;
        work.flung = false;
        for ((x, x_t0), v) in state.x.iter_mut().zip(&work.x_t0).zip(&mut state.v) {
            let way = *x - *x_t0;
            if way.length_squared() > most * most {
                let kept = way.clamp_length_max(most);
                *v += (kept - way) / h;
                (*x, work.flung) = (*x_t0 + kept, true);
            }
        }
        physical.x_free.clone_from(&state.x);
        for _ in 0..MOST_SHORTENINGS {
            if !physical.is_too_long(&state.x) {
                break;
            }
            physical.shorten(&mut state.x, &state.inverse_mass);
        }
        report
    }

    /// Makes contacts part of the step.
    fn link(&mut self, t0: f64, t1: f64) {
        let (state, work, contact) = (&mut self.state, &mut self.work, &self.scene.contact);
        let (Some(physical), Some(watch)) = (&mut work.physical, &mut work.watch) else { return };
        let Physical { ahead, held, links, threads, .. } = physical;
        extrapolate(&work.x_t0, &state.v, held, &state.inverse_mass, t1 - t0, ahead);
        work.bodies.set_end(ahead);
        links.clear();
        match watch.cover(&work.bodies, t0, t1) {
            Ok(()) => {
                let making = Making {
                    bodies: &work.bodies,
                    area: &self.model.area,
                    threads,
                    threshold: contact.threshold,
                    pressure: contact.pressure,
                };
                let edge = work.longest_edge * work.solver.largest_stretch(&work.x_t0).max(1.0);
                work.rough.mark_on_way(&work.x_t0, ahead, Making::reach(contact.threshold, edge));
                making.of_pairs(watch.pairs(), links);
                making.of_solids(&work.rough, &self.triangles, links);
            }
            Err(error) => work.failure = work.failure.or(Some(error)),
        }
        physical.stepper.set_links(&physical.links);
    }

    /// Links that press in the last step.
    pub(crate) fn count_links(&self) -> usize {
        let links = self.work.physical.iter().flat_map(|physical| physical.stepper.link_forces());
        links.filter(|link| link.normal > 0.0).count()
    }

    /// Adds the impulses of contacts and limits to the velocities, and lets bending friction slip.
    pub(crate) fn finish_physical_step(&mut self, h: f64) {
        let state = &mut self.state;
        let Some(physical) = &mut self.work.physical else { return };
        let (pace, tidied, x_t0) = (self.work.guard.pace(), &self.work.x_tidied, &self.work.x_t0);
        for (i, v) in state.v.iter_mut().enumerate() {
            let mut way = state.x[i] - x_t0[i];
            if tidied[i] != state.x[i] {
                way = pace.get(i).map_or(way, |pace| way.clamp_length_max(*pace));
            }
            *v = if state.inverse_mass[i] > 0.0 { *v + (x_t0[i] + way - physical.x_free[i]) / h } else { DVec3::ZERO };
        }
        if physical.hysteresis {
            let bends = physical.stepper.energies_mut().bends.elements_mut();
            state.slip.clear();
            for bend in bends {
                bend.update(&state.x);
                state.slip.push(bend.slip());
            }
        }
    }
}
