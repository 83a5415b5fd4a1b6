//! [`Stepper`]: one step of any method.

use toile_mesh::{DMat3, DVec3};

use super::explicit::{Explicit, Forces, row_sums, stable_step};
use super::newton::{Newton, Problem};
use super::{
    ContactTerms, Effort, Energies, History, Integrator, NewtonReport, NewtonSettings, Part, PreconditionerKind, Since,
    Stage,
};
use crate::element::Curvature;
use crate::linear::{ConjugateGradients, Filter, Multilevel, Preconditioner, System};

/// What acts on the cloth during a step besides its energies: `f_i + m_i g − D_i (v_i − v0_i)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loads<'a> {
    /// Gravity [m/s²].
    pub gravity: DVec3,
    /// Force on each particle [N]; empty for none.
    pub force: &'a [DVec3],
    /// Drag of each particle, symmetric and positive semidefinite [N·s/m]; empty for none.
    pub damping: &'a [DMat3],
    /// Velocity at which the force was measured [m/s]; as long as `damping`.
    pub velocity: &'a [DVec3],
}

impl Loads<'_> {
    /// The part that does not depend on velocity [N].
    #[inline]
    pub(crate) fn constant(&self, i: usize, mass: f64) -> DVec3 {
        let mut force = self.gravity * mass;
        if let Some(f) = self.force.get(i) {
            force += *f;
        }
        if let Some(d) = self.damping.get(i) {
            force += *d * self.velocity[i];
        }
        force
    }
}

/// What a step did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[must_use]
pub struct StepReport {
    /// Explicit parts that the step was cut into; 1 for an implicit step.
    pub parts: u32,
    /// What Newton's method did; converged without iterations if the step was explicit.
    pub newton: NewtonReport,
    /// Whether the result can be used. A step that is not solved is the caller's to take again, shorter.
    pub is_solved: bool,
}

/// Residuals up to this multiple of the tolerance are no reason to take a step again.
const BEARABLE: f64 = 10.0;
/// Share of the stable step that explicit methods take.
const SAFETY: f64 = 0.9;

/// Energies of a world with the memory to integrate them.
#[derive(Clone, Debug)]
pub struct Stepper {
    energies: Energies,
    system: System,
    cg: ConjugateGradients,
    newton: Newton,
    effort: Effort,
    explicit: Explicit,
    stage: Stage,
    /// Whether something touches in the step at hand.
    is_touched: bool,
    /// Directions forbidden from outside, and these with the held particles.
    forbidden: Filter,
    filter: Filter,
    z: Vec<DVec3>,
    row_sums: [Vec<f64>; 2],
}

/// Masses of the particles.
#[derive(Clone, Copy, Debug)]
pub struct Masses<'a> {
    /// Mass [kg].
    pub mass: &'a [f64],
    /// Inverse mass [1/kg]; 0 for particles that are held.
    pub inverse: &'a [f64],
}

/// What a step changes.
#[derive(Debug)]
pub struct Moving<'a> {
    /// Positions [m].
    pub x: &'a mut [DVec3],
    /// Velocities [m/s].
    pub v: &'a mut [DVec3],
    /// The step before, for methods that need it.
    pub history: &'a mut History,
}

impl Stepper {
    /// Prepares the integration of `energies`.
    pub fn new(mut energies: Energies, preconditioner: PreconditionerKind) -> Self {
        let system = energies.system();
        let preconditioner = match preconditioner {
            PreconditionerKind::BlockJacobi => Preconditioner::BlockJacobi,
            PreconditionerKind::Multilevel => Preconditioner::Multilevel(Multilevel::new(&system.blocks)),
        };
        Self {
            forbidden: Filter::free(energies.particles()),
            filter: Filter::free(energies.particles()),
            energies,
            newton: Newton::new(&system),
            system,
            cg: ConjugateGradients::new(preconditioner),
            effort: Effort::default(),
            explicit: Explicit::default(),
            stage: Stage::default(),
            is_touched: false,
            z: Vec::new(),
            row_sums: [Vec::new(), Vec::new()],
        }
    }

    /// The energies.
    pub fn energies(&self) -> &Energies {
        &self.energies
    }

    /// The energies, to change or measure them.
    pub fn energies_mut(&mut self) -> &mut Energies {
        &mut self.energies
    }

    /// Directions in which particles may not move in implicit steps, as contacts forbid them ([`Filter::forbid`]), beside
    /// particles held by an inverse mass of zero. They hold until they are cleared.
    pub fn forbidden_mut(&mut self) -> &mut Filter {
        &mut self.forbidden
    }

    /// Whether something touched in the last implicit step.
    pub fn is_touched(&self) -> bool {
        self.is_touched
    }

    /// Sets how much work an implicit step may take.
    pub fn set_effort(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// Moves particles on by `h` [s]. Explicit steps ignore `contacts`.
    ///
    /// Particles with an inverse mass of zero are held: they end at `held` (all positions at the end of the step; others are ignored)
    /// on a straight way. A step is tried once: see [`StepReport::is_solved`].
    #[expect(clippy::too_many_arguments, reason = "a step reads many things, and a reader should see which")]
    pub fn advance(
        &mut self,
        integrator: Integrator,
        mut moving: Moving<'_>,
        held: &[DVec3],
        masses: Masses<'_>,
        loads: &Loads<'_>,
        contacts: &mut dyn ContactTerms,
        settings: &NewtonSettings,
        h: f64,
    ) -> StepReport {
        let task = Task { integrator, mass: masses.mass, inverse_mass: masses.inverse, loads, settings };
        let report = if integrator.is_implicit() {
            contacts.connect(self.energies.particles(), &mut self.system.couplings);
            self.implicit(&task, &mut moving, held, contacts, h)
        } else {
            self.explicit_parts(&task, &mut moving, held, h)
        };
        for (i, w) in masses.inverse.iter().enumerate() {
            if *w == 0.0 {
                moving.x[i] = held[i];
            }
        }
        report
    }

    /// One implicit step of length `h`.
    fn implicit(
        &mut self,
        task: &Task<'_>,
        moving: &mut Moving<'_>,
        held: &[DVec3],
        contacts: &mut dyn ContactTerms,
        h: f64,
    ) -> StepReport {
        let Self { energies, system, cg, newton, effort, stage, is_touched, forbidden, filter, z, .. } = self;
        // What touches and what does not must take the same method, or their forces on each other would not cancel.
        *is_touched = !contacts.is_empty() || forbidden.constrained() > 0;
        stage.prepare(task.integrator, moving.x, moving.v, moving.history, *is_touched, h);
        energies.set_reference(&stage.since(moving.x, moving.history));
        z.clear();
        match effort {
            Effort::Converged => z.extend_from_slice(&stage.predicted),
            Effort::Bounded => z.extend_from_slice(moving.x),
        }
        filter.copy_from(forbidden);
        if forbidden.constrained() > 0 {
            for (i, (z, x)) in z.iter_mut().zip(&*moving.x).enumerate() {
                *z = *x + forbidden.project(i, *z - *x);
            }
        }
        for (i, w) in task.inverse_mass.iter().enumerate() {
            if *w == 0.0 {
                filter.pin(i);
                z[i] = stage.held(moving.x[i], held[i]);
            }
        }
        let problem =
            Problem { stage, loads: task.loads, mass: task.mass, filter, settings: task.settings, effort: *effort };
        contacts.begin(&Part { stage, x: moving.x, v: moving.v, mass: task.mass, h });
        let report = newton.solve(&problem, energies, contacts, system, cg, z);
        if task.integrator == Integrator::Bdf2 {
            moving.history.remember(moving.x, moving.v, h);
        }
        stage.finish(z, moving.x, moving.v);
        let is_solved = match effort {
            Effort::Converged => report.residual <= BEARABLE * task.settings.tolerance,
            Effort::Bounded => report.residual.is_finite() && !report.is_blown_up,
        };
        StepReport { parts: 1, newton: report, is_solved }
    }

    /// As many equal explicit steps as stability needs.
    fn explicit_parts(&mut self, task: &Task<'_>, moving: &mut Moving<'_>, held: &[DVec3], h: f64) -> StepReport {
        let Self { energies, system, explicit, z, row_sums: [still, viscous], .. } = self;
        z.resize(moving.x.len(), DVec3::ZERO);
        for (rate, sums) in [(0.0, &mut *still), (1.0, &mut *viscous)] {
            energies.set_reference(&Since::start(moving.x, rate));
            energies.assemble(moving.x, Curvature::Definite, z, system);
            row_sums(system, sums);
        }
        let stable = SAFETY * stable_step(still, viscous, task.mass, task.inverse_mass, task.loads);
        let parts = (h / stable).ceil().clamp(1.0, 1e6) as u32;
        let part = h / f64::from(parts);
        for (i, w) in task.inverse_mass.iter().enumerate() {
            if *w == 0.0 {
                moving.v[i] = (held[i] - moving.x[i]) / h;
            }
        }
        let mut forces = ElementForces { energies, task, part, before: z };
        for _ in 0..parts {
            explicit.step(task.integrator, &mut forces, moving.x, moving.v, part);
        }
        let newton = NewtonReport { converged: true, ..NewtonReport::default() };
        StepReport { parts, newton, is_solved: true }
    }
}

/// What stays the same in all parts of a step.
struct Task<'a> {
    integrator: Integrator,
    mass: &'a [f64],
    inverse_mass: &'a [f64],
    loads: &'a Loads<'a>,
    settings: &'a NewtonSettings,
}

/// Accelerations by elements and loads.
struct ElementForces<'a> {
    energies: &'a mut Energies,
    task: &'a Task<'a>,
    part: f64,
    before: &'a mut Vec<DVec3>,
}

impl Forces for ElementForces<'_> {
    fn accelerations(&mut self, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        // Viscosity asks for the change since a moment ago.
        self.before.clear();
        self.before.extend(x.iter().zip(v).map(|(x, v)| *x - *v * self.part));
        self.energies.set_reference(&Since::start(self.before, 1.0 / self.part));
        self.energies.gradient(x, a);
        let Task { mass, inverse_mass, loads, .. } = self.task;
        for (i, a) in a.iter_mut().enumerate() {
            let drag = loads.damping.get(i).map_or(DVec3::ZERO, |d| *d * v[i]);
            *a = (loads.constant(i, mass[i]) - *a - drag) * inverse_mass[i];
        }
    }
}
