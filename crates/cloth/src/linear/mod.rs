//! Sparse matrices of 3×3 blocks and their solution.

mod csr;

pub use csr::{Block, Csr};
