//! How cloth moves under its energies: time integration.
//!
//! [`Integrator`] names the methods. The explicit ones (symplectic Euler, Verlet, RK4) need steps shorter than the fastest
//! vibration of the mesh and take as many as that needs. The implicit ones solve one nonlinear system per step, all of the same form
//! (see [`Stage`]), by Newton's method with line search and filtered conjugate gradients; steps of 1/60 s
//! are normal. A step whose system cannot be solved is done again in halves.
//!
//! Kimmerle 2005, §6.2, names explicit and implicit solvers after Hauth, Etzmuß, Straßer 2003; implicit Euler with
//! filtered conjugate gradients is Baraff, Witkin 1998.

mod drift;
mod energies;
mod explicit;
mod link;
mod links;
mod newton;
mod stage;
mod statics;
mod stepper;

pub use energies::Energies;
pub use link::{CREEP, Link, LinkForce};
pub use newton::{NewtonReport, NewtonSettings};
pub use stage::{History, Stage};
pub use statics::{SettleReport, SettleSettings};
pub use stepper::{Loads, StepReport, Stepper};

/// How the equations of motion are integrated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Integrator {
    /// `v += h a(x)`, `x += h v`: order 1, explicit, keeps energy on average.
    SymplecticEuler,
    /// Velocity Verlet: order 2, explicit, keeps energy on average.
    Verlet,
    /// Classical Runge–Kutta: order 4, explicit.
    Rk4,
    /// Order 1, takes energy out of everything that vibrates faster than the step.
    #[default]
    ImplicitEuler,
    /// Order 2, keeps the energy of linear systems.
    ImplicitMidpoint,
    /// Order 2, damps only what the step cannot resolve.
    Bdf2,
}

/// What speeds up the linear solver inside an implicit step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PreconditionerKind {
    /// Inverse blocks of the diagonal.
    #[default]
    BlockJacobi,
    /// These and a hierarchy of patches that move rigidly.
    Multilevel,
}

/// How much work an implicit step may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Effort {
    /// Until it has converged, in halves if need be.
    #[default]
    Converged,
    /// The iterations of the settings and no more, linearly implicit with one of them: the first starts where the step does, not where
    /// inertia alone would lead, and its linear solver with the way there. A step is taken as it is; its report tells the residual.
    Bounded,
}

impl Integrator {
    /// Whether a step solves a system of equations.
    pub fn is_implicit(self) -> bool {
        matches!(self, Self::ImplicitEuler | Self::ImplicitMidpoint | Self::Bdf2)
    }
}
