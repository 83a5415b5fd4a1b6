//! [`Preconditioner`]: what conjugate gradients may use to need fewer iterations.
//!
//! Filtered like everything else: residuals come in as `S r`, corrections leave as `S z`.
//!
//! Tried and left out: symmetric block Gauss–Seidel. It takes two and a half times fewer iterations than block Jacobi,
//! each of which costs more than twice as much and follows the order of rows, so that threads cannot share it.

use super::multilevel::Multilevel;

/// The choice of preconditioner, with its state.
#[derive(Clone, Debug, Default)]
pub enum Preconditioner {
    /// Inverse diagonal blocks: costs next to nothing.
    #[default]
    BlockJacobi,
    /// Inverse diagonal blocks and a hierarchy of rigid patches. Acts as block Jacobi until [`Multilevel::update`] has
    /// seen a system of the same size.
    Multilevel(Multilevel),
}
