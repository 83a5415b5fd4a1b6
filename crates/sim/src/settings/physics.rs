//! The physical model of cloth: elements, time integration, solvers.

use toile_cloth::dynamics::{Effort, Integrator, PreconditionerKind};
use toile_cloth::{BendingKind, MembraneKind};
use toile_schema::section;

section! {
    /// The physical model, in use with `solver.model = "fem"`.
    pub struct Physics {
        /// What resists stretching.
        membrane: MembraneKind = MembraneKind::Threads;
        /// What resists bending.
        bending: BendingKind = BendingKind::Fit;
        /// How the equations of motion are integrated. Explicit methods cut a step into as many as stability needs.
        integrator: Integrator = Integrator::ImplicitEuler;
        /// How much is done for a step.
        effort: Effort = Effort::Bounded;
        /// Newton iterations per step, at most if they go on until they converge: then a step that is still far from it is done
        /// again in halves.
        iterations: u32 = 2, within(1, 1000);
        /// Newton ends when the forces left over accelerate the cloth by less than this, in the mean over its mass.
        tolerance: f64 = 0.5, ["m/s²"] above(0, 1000);
        /// The linear solver ends at this share of its first residual.
        linear_tolerance: f64 = 0.2, above(0, 1);
        /// The tolerance of bounded steps of BDF2 in which nothing touches the cloth. Such a step always solves for some of what is left over, so that
        /// cloth comes to rest where forces balance.
        free_tolerance: f64 = 0.05, ["m/s²"] above(0, 1000);
        /// The linear solver of such steps ends at this share of the forces of the step. What it leaves acts as damping where cloth moves fast.
        free_linear_tolerance: f64 = 0.005, above(0, 1);
        /// Iterations of the linear solver at most.
        linear_iterations: u32 = 100, within(1, 1_000_000);
        /// What speeds up the linear solver.
        preconditioner: PreconditionerKind = PreconditionerKind::Multilevel;
        /// Largest strain of warp and weft threads where a frame ends; left out, only the fabric resists.
        strain_limit: Option<f64> = None, within(0, 10);
    }
}
