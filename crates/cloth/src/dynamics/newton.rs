//! Newton's method for one implicit step.
//!
//! The system of a [`Stage`] is the stationary point of
//!
//! ```text
//! Φ(z) = ½ a (z − ẑ)ᵀ M (z − ẑ) + E(z) − (M g + f + D v0)·z + ½ b (z − z_r)ᵀ D (z − z_r) + C(z)
//! ```
//!
//! with constant forces `f`, the linear drag `−D (v − v0)` of the loads, and the value `C` of [contact terms](ContactTerms), which
//! may be models made at the iterate at hand. Each iteration solves `A d = −∇Φ` by filtered
//! conjugate gradients, with `A` the Hessian made definite, so that `d` descends however early the solver stops, and takes the
//! longest of the steps `d, d/2, d/4 …` that decreases `Φ` enough (Armijo). Nearly always that is the first, so every point tried
//! is evaluated with its derivatives, which cost little more than the energy alone and are at hand for the next iteration.
//! A multilevel preconditioner is made anew only when the solver has become slow with the one at hand.
//!
//! **Bounded** steps begin where the cloth is. Without contacts their first iterations know how triangles turn
//! ([`Membrane::turned`](crate::element::Membrane)): a truncated solve of the plain system takes the energy of a swinging sheet within half a second.
//!
//! Tried and left out: other starts of converged steps than `ẑ` (`ẑ + g/a`, half of that, `x0`), which save no iterations on a swinging sheet;
//! starts extrapolated with the acceleration, whose noise grows from step to step; and compression kept in the Hessian as far as inertia and bending bear it, which saves a tenth of them with a bound that
//! depends on the fabric. With all of it kept the line search halves most steps.
//!
//! **Converged** means: the forces left over would accelerate the cloth by less than the tolerance, in the mean over its
//! mass, `√(Σ |r_i|²/m_i / Σ m_i) ≤ tolerance` [m/s²], and each free cloth as a whole by less than a hundredth of it. This is
//! measured after the last iteration, never assumed. What the linear solver leaves over has no net force on free cloths
//! (`Drift`); if the iterations end before convergence, a last shift of whole cloths takes away what the models left.

use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

use super::drift::Drift;
use super::{ContactTerms, Effort, Energies, Loads, Stage};
use crate::element::Turn;
use crate::linear::{CgSettings, ConjugateGradients, Filter, Preconditioner, System};

/// When Newton's method and the linear solver inside it stop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NewtonSettings {
    /// Mean acceleration by forces left over [m/s²].
    pub tolerance: f64,
    /// Most iterations.
    pub most_iterations: u32,
    /// Residual of the linear solver relative to its start.
    pub linear_tolerance: f64,
    /// Most iterations of the linear solver.
    pub most_linear_iterations: u32,
    /// The tolerance of bounded steps of BDF2 in which nothing touches [m/s²].
    pub free_tolerance: f64,
    /// Residual of the linear solver of such steps, relative to the forces at the start of the step.
    pub free_linear_tolerance: f64,
}

impl NewtonSettings {
    /// What suits most cloth.
    pub const DEFAULT: Self = Self {
        tolerance: 0.1,
        most_iterations: 8,
        linear_tolerance: 0.1,
        most_linear_iterations: 200,
        free_tolerance: 0.05,
        free_linear_tolerance: 0.005,
    };
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What Newton's method did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[must_use]
pub struct NewtonReport {
    /// Iterations done.
    pub iterations: u32,
    /// Iterations of the linear solver.
    pub linear_iterations: u32,
    /// Times a step was halved by the line search.
    pub halvings: u32,
    /// Mean acceleration by forces left over [m/s²].
    pub residual: f64,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
    /// Whether a bounded step ended with far more energy than it began with.
    pub is_blown_up: bool,
    /// Seconds spent evaluating and assembling elements, for reports only [s].
    pub assembly_seconds: f64,
    /// Seconds spent in the linear solver, for reports only [s].
    pub solve_seconds: f64,
}

/// Share of the tolerance that may accelerate a free cloth as a whole.
const NET: f64 = 0.01;
/// How many times as many iterations a bounded step may take while contacts are overrun.
const MORE: u32 = 4;
/// Residual of a bounded step, as a multiple of what its linear solver leaves, at which another iteration is not worth its while.
const ENOUGH: f64 = 8.0;
/// Share of its first residual that a bounded step leaves at most, if its iterations suffice.
const MOST_LEFT: f64 = 0.1;
/// Rise of Φ, relative to the sizes of its parts, beyond which a bounded step has failed.
const BLOWN_UP: f64 = 4.0;
/// Sufficient decrease of Armijo's rule.
const ARMIJO: f64 = 1e-4;
/// Halvings before a direction is given up.
const MOST_HALVINGS: u32 = 12;
/// Rounding of the sums in Φ, relative to its parts: decreases below are not seen.
const ROUNDING: f64 = 1e-13;

/// Memory of Newton's method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    gradient: Vec<DVec3>,
    direction: Vec<DVec3>,
    trial: Vec<DVec3>,
    /// Where a bounded step began.
    start: Vec<DVec3>,
    /// Partial sums, one per chunk.
    partial: Vec<[f64; 3]>,
    drift: Drift,
}

/// When a preconditioner is made anew: as soon as its age has cost as many iterations as a new one would.
///
/// Nothing is kept from step to step, so that a step depends on the state alone.
#[derive(Default)]
struct Upkeep {
    /// Iterations of the linear solver while the preconditioner was new.
    new: Option<u32>,
    /// Iterations beyond that since then.
    excess: u32,
}

impl Upkeep {
    /// What an update of the multilevel preconditioner costs, in iterations.
    const COST: u32 = 10;

    /// Whether to make it anew now; the next count is then that of a new one.
    fn is_due(&mut self) -> bool {
        let due = self.new.is_none() || self.excess > Self::COST;
        if due {
            *self = Self::default();
        }
        due
    }

    fn count(&mut self, iterations: u32) {
        self.excess += iterations.saturating_sub(*self.new.get_or_insert(iterations));
    }
}

/// One implicit step as an optimization problem.
pub(crate) struct Problem<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) loads: &'a Loads<'a>,
    pub(crate) mass: &'a [f64],
    pub(crate) filter: &'a Filter,
    pub(crate) settings: &'a NewtonSettings,
    pub(crate) effort: Effort,
}

impl Newton {
    /// For systems of this pattern.
    pub(crate) fn new(system: &System) -> Self {
        Self { drift: Drift::new(system), ..Self::default() }
    }

    /// Improves `z`, whose held particles are in place, until converged.
    #[allow(clippy::too_many_lines, reason = "one loop, read from top to bottom")]
    pub(crate) fn solve(
        &mut self,
        problem: &Problem<'_>,
        energies: &mut Energies,
        contacts: &mut dyn ContactTerms,
        system: &mut System,
        cg: &mut ConjugateGradients,
        z: &mut [DVec3],
    ) -> NewtonReport {
        let settings = problem.settings;
        let is_bounded = problem.effort == Effort::Bounded;
        // Contacts are terms that change from iteration to iteration: their steps have tolerances of their own.
        let is_smooth = is_bounded && contacts.is_empty() && !problem.stage.is_disturbed();
        let (tolerance, linear_tolerance) = if is_smooth {
            (settings.free_tolerance, settings.free_linear_tolerance)
        } else {
            (settings.tolerance, settings.linear_tolerance)
        };
        let mut report = NewtonReport::default();
        for list in [&mut self.gradient, &mut self.direction, &mut self.trial] {
            list.resize(z.len(), DVec3::ZERO);
        }
        let clock = std::time::Instant::now();
        let mut upkeep = Upkeep::default();
        self.drift.begin(problem);
        let mut potential = self.potential(problem, energies, z);
        let first = potential;
        if is_smooth {
            self.turn_ahead(problem, energies, z);
        }
        // The residual up to which the linear solver goes, in its norm.
        let mut goal = 0.0;
        // The residual at which a bounded step ends.
        let mut enough = 0.0;
        report.assembly_seconds += clock.elapsed().as_secs_f64();
        loop {
            let clock = std::time::Instant::now();
            let mut pressed = contacts.refresh(z, &mut system.couplings);
            let goes_on = is_bounded && contacts.are_overrun();
            if goes_on
                && report.iterations >= settings.most_iterations
                && let Some(energy) = contacts.stiffen(z, &mut system.couplings)
            {
                pressed = energy;
            }
            let most = settings.most_iterations.saturating_mul(if goes_on { MORE } else { 1 });
            let last = report.iterations >= most;
            if is_smooth && report.iterations == 1 && !last {
                self.trial.iter_mut().zip(&*z).zip(&self.start).for_each(|((moved, z), start)| *moved = *z - *start);
                energies.turn(&self.trial, Turn::Moved);
            }
            let gradient =
                |i, elastic: DVec3| problem.filter.project(i, elastic + problem.force(i, z[i]) + contacts.gradient(i));
            if last {
                energies.gather_gradient(&mut self.gradient, &gradient);
            } else {
                energies.gather(&mut self.gradient, system, &|i, elastic, diagonal| {
                    problem.add_to_diagonal(i, diagonal);
                    contacts.add_to_diagonal(i, diagonal);
                    gradient(i, elastic)
                });
            }
            report.residual = self.residual(problem);
            report.is_blown_up = is_smooth && potential.0 - first.0 > BLOWN_UP * first.1;
            report.assembly_seconds += clock.elapsed().as_secs_f64();
            let drifts = self.drift.acceleration(&self.gradient);
            let is_small = if is_smooth {
                report.iterations > 0 && cg.size(problem.filter, &self.gradient) <= enough
            } else {
                report.residual <= tolerance
            };
            report.converged = is_small && drifts <= NET * tolerance && contacts.obey_the_law();
            if last && !report.converged && report.residual.is_finite() {
                self.shift(problem, contacts, z, pressed);
            }
            if report.converged || last || !report.residual.is_finite() {
                return report;
            }
            let clock = std::time::Instant::now();
            if let Preconditioner::Multilevel(multilevel) = &mut cg.preconditioner
                && upkeep.is_due()
            {
                multilevel.update(system, problem.filter, z);
            }
            cg.begin(system, problem.filter);
            if !is_smooth || report.iterations == 0 {
                let size = cg.size(problem.filter, &self.gradient);
                goal = linear_tolerance * size;
                if is_smooth {
                    goal = goal.max(self.negligible(problem, cg));
                    enough = (ENOUGH * goal).min(MOST_LEFT * size);
                }
            }
            let stop = CgSettings { tolerance: goal, most_iterations: settings.most_linear_iterations as usize };
            let ahead = is_bounded && report.iterations == 0;
            let relative = if is_smooth { f64::INFINITY } else { linear_tolerance };
            let from = ahead.then_some((&*z, relative));
            let iterations = self.find_direction(problem, contacts, system, cg, from, &stop);
            self.drift.correct(problem, contacts, cg.residual(), &mut self.direction);
            upkeep.count(iterations);
            report.linear_iterations += iterations;
            report.solve_seconds += clock.elapsed().as_secs_f64();
            report.iterations += 1;
            let clock = std::time::Instant::now();
            let whole = ahead && is_smooth;
            let found = self.search(problem, energies, contacts, z, (potential, pressed), whole);
            report.assembly_seconds += clock.elapsed().as_secs_f64();
            match found {
                Some((next, halvings)) => {
                    potential = next;
                    report.halvings += halvings;
                }
                // Rounding, or a direction that is none: nothing better will be found.
                None => return report,
            }
        }
    }

    /// Makes the derivatives at `z`, where a bounded step begins, those of a model that knows how triangles turn if particles go on as they do.
    fn turn_ahead(&mut self, problem: &Problem<'_>, energies: &mut Energies, z: &[DVec3]) {
        self.start.clear();
        self.start.extend_from_slice(z);
        let ways = self.trial.iter_mut().zip(z).zip(&problem.stage.predicted).enumerate();
        ways.for_each(|(i, ((way, z), predicted))| *way = problem.filter.project(i, *predicted - *z));
        energies.keep_start();
        self.direction.fill(DVec3::ZERO);
        energies.turn(&self.direction, Turn::Along(&self.trial));
    }

    /// The norm of forces that accelerate every particle by the tolerance.
    fn negligible(&mut self, problem: &Problem<'_>, cg: &mut ConjugateGradients) -> f64 {
        let force = problem.settings.free_tolerance * DVec3::splat(1.0_f64 / 3.0).map(f64::sqrt);
        self.trial.iter_mut().zip(problem.mass).for_each(|(trial, mass)| *trial = force * *mass);
        cg.size(problem.filter, &self.trial)
    }

    /// Solves for the direction; returns the iterations that took. With `from`, the iterations start with the way from there to
    /// where particles would be without forces, held back by obstacles, and as much of free fall as is best; they end when the residual of that is
    /// smaller by the factor beside it.
    fn find_direction(
        &mut self,
        problem: &Problem<'_>,
        contacts: &dyn ContactTerms,
        system: &System,
        cg: &mut ConjugateGradients,
        from: Option<(&[DVec3], f64)>,
        stop: &CgSettings,
    ) -> u32 {
        let Problem { stage, filter, .. } = *problem;
        // The uphill direction `A d = ∇Φ`: signs are changed where it is used.
        let Some((from, relative)) = from else {
            return cg.solve_from_zero(system, filter, &self.gradient, &mut self.direction, stop).iterations as u32;
        };
        let ways = self.direction.iter_mut().zip(&mut self.trial).zip(from.iter().zip(&stage.predicted)).enumerate();
        ways.for_each(|(i, ((d, falls), (from, to)))| {
            let way = contacts.hold_back(i, *to - *from);
            *d = filter.project(i, -way.unwrap_or(*to - *from));
            let fall = problem.loads.gravity / stage.inertia(i);
            *falls = if way.is_some() { DVec3::ZERO } else { filter.project(i, -fall) };
        });
        let start = (&mut *self.direction, &*self.trial);
        cg.continue_from(system, filter, &self.gradient, start, stop, relative).iterations as u32
    }

    /// Line search from `z` along the direction; moves `z` and returns the potential there, without that of the contacts. `whole`: the whole
    /// step is taken if it leads anywhere, as the first of a bounded step, which is the motion itself: half of it is half the velocity.
    fn search(
        &mut self,
        problem: &Problem<'_>,
        energies: &mut Energies,
        contacts: &mut dyn ContactTerms,
        z: &mut [DVec3],
        ((potential, size), pressed): ((f64, f64), f64),
        whole: bool,
    ) -> Option<((f64, f64), u32)> {
        let slope = self.slope();
        // Not a number fails as well.
        if slope.partial_cmp(&0.0) != Some(std::cmp::Ordering::Less) {
            return None;
        }
        let mut length = 1.0;
        for halvings in 0..=MOST_HALVINGS {
            let mut trial = std::mem::take(&mut self.trial);
            let lists = trial
                .par_chunks_mut(crate::CHUNK)
                .zip(z.par_chunks(crate::CHUNK))
                .zip(self.direction.par_chunks(crate::CHUNK));
            lists.for_each(|((trial, z), d)| {
                for ((trial, z), d) in trial.iter_mut().zip(z).zip(d) {
                    *trial = *z - *d * length;
                }
            });
            let (next, next_size) = self.potential(problem, energies, &trial);
            let next_pressed = if contacts.is_empty() { 0.0 } else { contacts.value(&trial) };
            let bound = potential + pressed + ARMIJO * length * slope + ROUNDING * (size + pressed.abs());
            let enough = next + next_pressed <= bound || (whole && (next + next_pressed).is_finite());
            if enough {
                z.copy_from_slice(&trial);
            }
            self.trial = trial;
            if enough {
                return Some(((next, next_size), halvings));
            }
            length *= 0.5;
        }
        None
    }

    /// Moves free cloths as a whole to where no net force is left, by the models of the last refresh. That costs next to nothing, as
    /// elastic energy does not change, and is left undone if it raises the rest of Φ.
    fn shift(&mut self, problem: &Problem<'_>, contacts: &mut dyn ContactTerms, z: &mut [DVec3], pressed: f64) {
        let mut trial = std::mem::take(&mut self.trial);
        self.direction.fill(DVec3::ZERO);
        self.drift.join(problem, contacts);
        self.drift.correct(problem, contacts, &self.gradient, &mut self.direction);
        trial.iter_mut().zip(&*z).zip(&self.direction).for_each(|((trial, z), d)| *trial = *z - *d);
        let (before, size) = self.particle_potential(problem, z);
        let (after, _) = self.particle_potential(problem, &trial);
        if after + contacts.value(&trial) <= before + pressed + ROUNDING * (size + pressed.abs()) {
            z.copy_from_slice(&trial);
        }
        self.trial = trial;
    }

    /// Derivative of Φ along the way down.
    fn slope(&mut self) -> f64 {
        let chunks = self.gradient.par_chunks(crate::CHUNK).zip(self.direction.par_chunks(crate::CHUNK));
        let parts = chunks.map(|(g, d)| [-g.iter().zip(d).map(|(g, d)| g.dot(*d)).sum::<f64>(), 0.0, 0.0]);
        parts.collect_into_vec(&mut self.partial);
        self.partial.iter().map(|part| part[0]).sum()
    }

    /// Φ at `z` without contacts, and the sum of the sizes of its parts; leaves the derivatives of the elements at `z` prepared.
    fn potential(&mut self, problem: &Problem<'_>, energies: &mut Energies, z: &[DVec3]) -> (f64, f64) {
        let elastic = energies.evaluate_with_energy(z);
        let (others, size) = self.particle_potential(problem, z);
        (elastic + others, elastic.abs() + size)
    }

    /// The parts of Φ of single particles, and the sum of their sizes.
    fn particle_potential(&mut self, problem: &Problem<'_>, z: &[DVec3]) -> (f64, f64) {
        let parts = z.par_chunks(crate::CHUNK).enumerate().map(|(chunk, z)| {
            let mut sum = [0.0; 3];
            for (i, z) in z.iter().enumerate() {
                let part = problem.particle_potential(chunk * crate::CHUNK + i, *z);
                sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
            }
            sum
        });
        parts.collect_into_vec(&mut self.partial);
        let [inertia, load, drag] =
            self.partial.iter().fold([0.0; 3], |sum, part| std::array::from_fn(|k| sum[k] + part[k]));
        (inertia + load + drag, inertia + load.abs() + drag)
    }

    /// See the module.
    fn residual(&mut self, problem: &Problem<'_>) -> f64 {
        let (gradient, mass) = (&self.gradient, problem.mass);
        let parts = gradient.par_chunks(crate::CHUNK).enumerate().map(|(chunk, g)| {
            let mut sum = [0.0; 3];
            for (i, g) in g.iter().enumerate() {
                let m = mass[chunk * crate::CHUNK + i];
                if m > 0.0 {
                    sum[0] += g.length_squared() / m;
                    sum[1] += m;
                }
            }
            sum
        });
        parts.collect_into_vec(&mut self.partial);
        let [force, mass, _] =
            self.partial.iter().fold([0.0; 3], |sum, part| std::array::from_fn(|k| sum[k] + part[k]));
        (force / mass.max(f64::MIN_POSITIVE)).sqrt()
    }
}

impl Problem<'_> {
    /// Inertia, load and drag parts of Φ for particle `i` at `z`.
    fn particle_potential(&self, i: usize, z: DVec3) -> [f64; 3] {
        let (stage, loads, mass) = (self.stage, self.loads, self.mass[i]);
        let away = z - stage.predicted[i];
        let inertia = 0.5 * stage.inertia(i) * mass * away.length_squared();
        let load = -loads.constant(i, mass).dot(z);
        let drag = loads.damping.get(i).map_or(0.0, |d| {
            let since = z - stage.reference[i];
            0.5 * stage.rate(i) * since.dot(*d * since)
        });
        [inertia, load, drag]
    }

    /// Gradient by particle `i` of everything but the elements.
    #[inline]
    fn force(&self, i: usize, z: DVec3) -> DVec3 {
        let (stage, loads, mass) = (self.stage, self.loads, self.mass[i]);
        let force = (z - stage.predicted[i]) * (stage.inertia(i) * mass) - loads.constant(i, mass);
        loads.damping.get(i).map_or(force, |d| force + *d * ((z - stage.reference[i]) * stage.rate(i)))
    }

    /// Adds the Hessian of everything but the elements to the diagonal block of particle `i`.
    #[inline]
    fn add_to_diagonal(&self, i: usize, block: &mut DMat3) {
        *block += DMat3::from_diagonal(DVec3::splat(self.stage.inertia(i) * self.mass[i].max(f64::MIN_POSITIVE)));
        if let Some(d) = self.loads.damping.get(i) {
            *block += *d * self.stage.rate(i);
        }
    }
}
