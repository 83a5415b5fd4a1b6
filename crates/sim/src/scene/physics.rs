//! The physical model of cloth in a scene: elements, time integration, solvers.

use super::schema::{choice, section};

choice! {
    /// What resists stretching.
    pub enum MembraneKind {
        /// Triangles of constant strain in a rotated frame (Kimmerle 2005, section 6.2): for small strains; tension takes a
        /// quarter of itself from the shear stiffness.
        Corotational = "corotational",
        /// Triangles of constant strain, measured along the threads: large shear strains no thread.
        Threads = "threads",
        /// Springs along the edges: cheapest; shear and contraction depend on the mesh.
        Springs = "springs",
    }
}

choice! {
    /// What resists bending.
    pub enum BendingKind {
        /// Curvature of a quadratic through each triangle and its neighbours: right on any mesh.
        Fit = "fit",
        /// Angles at the edges: cheaper; up to three times too stiff along one diagonal.
        Hinge = "hinge",
    }
}

choice! {
    /// How the equations of motion are integrated.
    pub enum IntegratorKind {
        /// First order, explicit.
        SymplecticEuler = "symplectic-euler",
        /// Second order, explicit.
        Verlet = "verlet",
        /// Fourth order, explicit.
        Rk4 = "rk4",
        /// First order, implicit; damps what is fast. The most robust.
        ImplicitEuler = "implicit-euler",
        /// Second order, implicit; keeps energy.
        ImplicitMidpoint = "implicit-midpoint",
        /// Second order, implicit; damps only what the step cannot resolve.
        Bdf2 = "bdf2",
    }
}

choice! {
    /// What speeds up the linear solver.
    pub enum PreconditionerKind {
        /// Inverse blocks of the diagonal.
        Jacobi = "jacobi",
        /// These and a hierarchy of patches that move rigidly: for large, stiff cloth.
        Multilevel = "multilevel",
    }
}

choice! {
    /// How much is done for a step.
    pub enum Effort {
        /// Newton's method goes on until the forces left over are small; a step that fails is done again in halves.
        Converged = "converged",
        /// `iterations` linear systems from where the step begins, and more only while contacts are overrun, up to four times as
        /// many: several times as fast, stable, and less exact where cloth moves fast.
        Bounded = "bounded",
    }
}

section! {
    /// The physical model, in use with `solver.model = "fem"`.
    pub struct Physics {
        /// What resists stretching.
        membrane: MembraneKind = MembraneKind::Threads;
        /// What resists bending.
        bending: BendingKind = BendingKind::Fit;
        /// How the equations of motion are integrated. Explicit methods cut a step into as many as stability needs.
        integrator: IntegratorKind = IntegratorKind::ImplicitEuler;
        /// How much is done for a step.
        effort: Effort = Effort::Bounded;
        /// Newton iterations per step, at most if they go on until they converge: then a step that is still far from it is done
        /// again in halves.
        iterations: u32 = 2, within(1, 1000);
        /// Newton ends when the forces left over accelerate the cloth by less than this, in the mean over its mass.
        tolerance: f64 = 0.5, ["m/s²"] above(0, 1000);
        /// The linear solver ends at this share of its first residual.
        linear_tolerance: f64 = 0.2, above(0, 1);
        /// Iterations of the linear solver at most.
        linear_iterations: u32 = 40, within(1, 1_000_000);
        /// What speeds up the linear solver.
        preconditioner: PreconditionerKind = PreconditionerKind::Multilevel;
        /// Largest strain of warp and weft threads where a frame ends; left out, only the fabric resists.
        strain_limit: Option<f64> = None, within(0, 10);
    }
}
