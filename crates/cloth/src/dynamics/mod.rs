//! How cloth moves under its energies: time integration.
//!
//! [`Integrator`] names the methods. The explicit ones (symplectic Euler, Verlet, RK4) need steps shorter than the fastest
//! vibration of the mesh and take as many as that needs. The implicit ones solve one nonlinear system per step, all of the same form
//! (see [`Stage`]), by Newton's method with line search and filtered conjugate gradients; steps of 1/60 s
//! are normal. A step whose system cannot be solved is reported as such; the caller splits it in two.
//!
//! Kimmerle 2005, §6.2, names explicit and implicit solvers after Hauth, Etzmuß, Straßer 2003; implicit Euler with
//! filtered conjugate gradients is Baraff, Witkin 1998.

mod contact_terms;
mod drift;
mod energies;
mod explicit;
mod newton;
mod stage;
mod statics;
mod stepper;

use toile_schema::choice;

pub use contact_terms::{ContactTerms, NoContacts, Part, VisitBlock};
pub use energies::Energies;
pub use newton::{NewtonReport, NewtonSettings};
pub use stage::{History, Since, Stage};
pub use statics::{SettleReport, SettleSettings};
pub use stepper::{Loads, Masses, Moving, StepReport, Stepper};

choice! {
    /// How the equations of motion are integrated.
    pub enum Integrator = ImplicitEuler {
        /// `v += h a(x)`, `x += h v`: first order, explicit; keeps energy on average.
        SymplecticEuler = "symplectic-euler",
        /// Velocity Verlet: second order, explicit; keeps energy on average.
        Verlet = "verlet",
        /// Classical Runge–Kutta: fourth order, explicit.
        Rk4 = "rk4",
        /// First order, implicit; takes energy out of everything that vibrates faster than the step. The most robust.
        ImplicitEuler = "implicit-euler",
        /// Second order, implicit; keeps the energy of linear systems.
        ImplicitMidpoint = "implicit-midpoint",
        /// Second order, implicit; damps only what the step cannot resolve.
        Bdf2 = "bdf2",
    }
}

choice! {
    /// What speeds up the linear solver inside an implicit step.
    pub enum PreconditionerKind = BlockJacobi {
        /// Inverse blocks of the diagonal.
        BlockJacobi = "jacobi",
        /// These and a hierarchy of patches that move rigidly: for large, stiff cloth.
        Multilevel = "multilevel",
    }
}

choice! {
    /// How much work an implicit step may take.
    pub enum Effort = Converged {
        /// Newton's method goes on until the forces left over are small; a step that fails is split in two.
        Converged = "converged",
        /// `iterations` linear systems from where the step begins, and more only while contacts are overrun, up to four times as
        /// many: several times as fast, stable, and less exact where cloth moves fast.
        Bounded = "bounded",
    }
}

impl Integrator {
    /// Whether a step solves a system of equations.
    pub fn is_implicit(self) -> bool {
        matches!(self, Self::ImplicitEuler | Self::ImplicitMidpoint | Self::Bdf2)
    }
}
