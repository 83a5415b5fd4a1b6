//! Sparse matrices of 3×3 blocks and their solution.

mod aggregate;
mod cg;
mod coarse;
mod coupling;
mod csr;
mod dense;
mod filter;
mod galerkin;
mod jacobi;
mod multilevel;
mod preconditioner;
mod system;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use cg::{CgReport, CgSettings, ConjugateGradients};
pub use coupling::{Coupling, Couplings, Incidence, parts};
pub use csr::{Block, Csr};
pub use filter::{Filter, NEARLY_PARALLEL};
pub use jacobi::BlockJacobi;
pub use multilevel::Multilevel;
pub use preconditioner::Preconditioner;
pub use system::System;

pub(crate) use dense::Cholesky;
