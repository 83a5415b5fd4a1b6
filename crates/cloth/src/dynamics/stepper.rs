//! [`Stepper`]: one step of any method, done again in halves where it fails.

use toile_mesh::{DMat3, DVec3};

use super::explicit::{Explicit, Forces, row_sums, stable_step};
use super::link::{Link, LinkForce};
use super::links::Links;
use super::newton::{Newton, Problem};
use super::{Effort, Energies, History, Integrator, NewtonReport, NewtonSettings, PreconditionerKind, Stage};
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
    /// Parts the step was cut into.
    pub parts: u32,
    /// Parts that failed and were done again in halves.
    pub failed: u32,
    /// Parts that were taken without having converged.
    pub unconverged: u32,
    /// Sums over all attempts; the residual is the largest of the parts that count, and all of them must have converged.
    pub newton: NewtonReport,
}

/// Halvings of a step before it is taken as it is: 64 parts.
const DEEPEST: u32 = 6;
/// Residuals up to this multiple of the tolerance are no reason to halve the step.
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
    links: Links,
    effort: Effort,
    explicit: Explicit,
    stage: Stage,
    /// Directions forbidden from outside, and these with the held particles.
    forbidden: Filter,
    filter: Filter,
    z: Vec<DVec3>,
    row_sums: [Vec<f64>; 2],
    start: Saved,
}

/// A state to return to.
#[derive(Clone, Debug, Default)]
struct Saved {
    levels: Vec<(Vec<DVec3>, Vec<DVec3>)>,
}

/// What stays the same in all parts of a step.
struct Task<'a> {
    integrator: Integrator,
    mass: &'a [f64],
    inverse_mass: &'a [f64],
    loads: &'a Loads<'a>,
    settings: &'a NewtonSettings,
}

/// What a step changes.
struct Moving<'a> {
    x: &'a mut [DVec3],
    v: &'a mut [DVec3],
    history: &'a mut History,
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
            links: Links::default(),
            effort: Effort::default(),
            explicit: Explicit::default(),
            stage: Stage::default(),
            z: Vec::new(),
            row_sums: [Vec::new(), Vec::new()],
            start: Saved::default(),
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

    /// Sets how much work an implicit step may take.
    pub fn set_effort(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// Replaces the links of implicit steps, made for the step to come; they hold until they are replaced. Those that are not
    /// [usable](Link::is_usable) are ignored. Explicit steps ignore all.
    pub fn set_links(&mut self, links: &[Link]) {
        self.links.set(links, self.energies.particles(), &mut self.system);
    }

    /// What the links did at the end of the last step, in the order they were given: the warm start of the next ones.
    pub fn link_forces(&self) -> impl ExactSizeIterator<Item = LinkForce> {
        self.links.forces()
    }

    /// Moves `x`, `v` on by `h`.
    ///
    /// Particles with an inverse mass of zero are held: they end at `held` (all positions at the end of the step; others are ignored)
    /// on a straight way.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of a step is these arrays, owned by different parts of a world"
    )]
    pub fn advance(
        &mut self,
        integrator: Integrator,
        (x, v): (&mut [DVec3], &mut [DVec3]),
        history: &mut History,
        held: &[DVec3],
        (mass, inverse_mass): (&[f64], &[f64]),
        loads: &Loads<'_>,
        settings: &NewtonSettings,
        h: f64,
    ) -> StepReport {
        let task = Task { integrator, mass, inverse_mass, loads, settings };
        let mut report =
            StepReport { newton: NewtonReport { converged: true, ..NewtonReport::default() }, ..StepReport::default() };
        let mut moving = Moving { x, v, history };
        if integrator.is_implicit() {
            self.part(&task, &mut moving, held, (0.0, 1.0), h, 0, &mut report);
        } else {
            self.explicit_parts(&task, &mut moving, held, h, &mut report);
        }
        for (i, w) in inverse_mass.iter().enumerate() {
            if *w == 0.0 {
                moving.x[i] = held[i];
            }
        }
        report
    }

    /// The part of a step between the shares `from` and `to` of its length `h`; in halves if it fails.
    #[expect(clippy::too_many_arguments, reason = "a recursion carries its frame")]
    fn part(
        &mut self,
        task: &Task<'_>,
        moving: &mut Moving<'_>,
        held: &[DVec3],
        (from, to): (f64, f64),
        h: f64,
        depth: u32,
        report: &mut StepReport,
    ) {
        self.start.save(depth, moving);
        let newton = self.implicit(task, moving, held, (from, to), h * (to - from));
        let sum = &mut report.newton;
        sum.iterations += newton.iterations;
        sum.linear_iterations += newton.linear_iterations;
        sum.halvings += newton.halvings;
        sum.assembly_seconds += newton.assembly_seconds;
        sum.solve_seconds += newton.solve_seconds;
        let bearable = match self.effort {
            Effort::Converged => newton.residual <= BEARABLE * task.settings.tolerance,
            Effort::Bounded => newton.residual.is_finite(),
        };
        if bearable || depth == DEEPEST {
            sum.residual = sum.residual.max(newton.residual);
            sum.converged &= newton.converged;
            report.unconverged += u32::from(!newton.converged);
            report.parts += 1;
            let (x, v) = self.start.at(depth);
            if task.integrator == Integrator::Bdf2 {
                moving.history.remember(x, v, h * (to - from));
            }
            return;
        }
        report.failed += 1;
        self.start.restore(depth, moving);
        let middle = 0.5 * (from + to);
        self.part(task, moving, held, (from, middle), h, depth + 1, report);
        self.part(task, moving, held, (middle, to), h, depth + 1, report);
    }

    /// One implicit step of length `h`, between the shares `from` and `to` of the whole.
    fn implicit(
        &mut self,
        task: &Task<'_>,
        moving: &mut Moving<'_>,
        held: &[DVec3],
        (from, to): (f64, f64),
        h: f64,
    ) -> NewtonReport {
        let Self { energies, system, cg, newton, links, effort, stage, forbidden, filter, z, .. } = self;
        // Held particles go their share of what is left of their way.
        let share = (to - from) / (1.0 - from);
        stage.prepare(task.integrator, moving.x, moving.v, moving.history, h);
        energies.set_reference(&stage.reference, stage.b);
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
                z[i] = stage.held(moving.x[i], moving.x[i].lerp(held[i], share));
            }
        }
        let problem =
            Problem { stage, loads: task.loads, mass: task.mass, filter, settings: task.settings, effort: *effort };
        links.begin(stage, (moving.x, moving.v), task.mass, (from, to), h);
        let report = newton.solve(&problem, (energies, links), system, cg, z);
        stage.finish(z, moving.x, moving.v);
        report
    }

    /// As many equal explicit steps as stability needs.
    fn explicit_parts(
        &mut self,
        task: &Task<'_>,
        moving: &mut Moving<'_>,
        held: &[DVec3],
        h: f64,
        report: &mut StepReport,
    ) {
        let Self { energies, system, explicit, z, row_sums: [still, viscous], .. } = self;
        z.resize(moving.x.len(), DVec3::ZERO);
        for (rate, sums) in [(0.0, &mut *still), (1.0, &mut *viscous)] {
            energies.set_reference(moving.x, rate);
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
        report.parts = parts;
    }
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
        self.energies.set_reference(self.before, 1.0 / self.part);
        self.energies.gradient(x, a);
        let Task { mass, inverse_mass, loads, .. } = self.task;
        for (i, a) in a.iter_mut().enumerate() {
            let drag = loads.damping.get(i).map_or(DVec3::ZERO, |d| *d * v[i]);
            *a = (loads.constant(i, mass[i]) - *a - drag) * inverse_mass[i];
        }
    }
}

impl Saved {
    fn save(&mut self, depth: u32, moving: &Moving<'_>) {
        if self.levels.len() <= depth as usize {
            self.levels.resize(depth as usize + 1, (Vec::new(), Vec::new()));
        }
        let (x, v) = &mut self.levels[depth as usize];
        x.clear();
        x.extend_from_slice(moving.x);
        v.clear();
        v.extend_from_slice(moving.v);
    }

    fn at(&self, depth: u32) -> (&[DVec3], &[DVec3]) {
        let (x, v) = &self.levels[depth as usize];
        (x, v)
    }

    fn restore(&self, depth: u32, moving: &mut Moving<'_>) {
        let (x, v) = self.at(depth);
        moving.x.copy_from_slice(x);
        moving.v.copy_from_slice(v);
    }
}
