//! [`System`]: the matrix of an implicit step, `A = blocks + scalars ⊗ I + couplings`, and its products.
//!
//! Membranes couple neighbours by full 3×3 blocks (about 7 in a row of cloth). Bending couples two rings
//! (about 19 entries) by numbers times the identity: kept apart, they need a ninth of the memory, and the product is
//! bound by memory. One pass over the rows does both, and the dot product `x · A x` of conjugate gradients as well.
//! What comes and goes with contacts stays in its parts ([`Couplings`]) and costs a pass of its own, if there is any.
//!
//! Sums over particles are taken per chunk of fixed size and added in order: the same bits for any number of threads.

use super::coupling::Couplings;
use super::csr::{CHUNK, Csr};
use super::filter::Filter;
use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

/// A symmetric matrix as the sum of a matrix of blocks, a matrix of numbers times the identity, and couplings.
///
/// `blocks` counts the rows; `scalars` may have fewer (none, for cloth without bending).
///
/// ```
/// use toile_cloth::linear::{Csr, System};
/// use toile_mesh::{DMat3, DVec3};
/// let mut system = System { blocks: Csr::new(2, [[0, 1], [1, 0]]), scalars: Csr::new(2, []), ..System::default() };
/// system.blocks.values[1] = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
/// system.scalars.values[0] = 10.0;
/// let mut y = [DVec3::ZERO; 2];
/// system.product(&[DVec3::X, DVec3::ONE], &mut y);
/// assert_eq!(y[0], DVec3::new(11.0, 2.0, 3.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Entries that are full blocks.
    pub blocks: Csr<DMat3>,
    /// Entries that are numbers times the identity.
    pub scalars: Csr<f64>,
    /// Entries of this step alone.
    pub couplings: Couplings,
}

impl System {
    /// Number of rows, each of three components.
    pub fn rows(&self) -> usize {
        self.blocks.rows()
    }

    /// The product of one row with `x`, whose [`Couplings::pull`] is at hand.
    #[inline]
    pub(crate) fn row_product(&self, row: usize, x: &[DVec3], pulls: &[DVec3]) -> DVec3 {
        let sum = self.blocks.row_product(row, x) + self.couplings.row_product(row, pulls);
        if row < self.scalars.rows() { sum + self.scalars.row_product(row, x) } else { sum }
    }

    /// `y = A x`.
    pub fn product(&self, x: &[DVec3], y: &mut [DVec3]) {
        let mut pulls = Vec::new();
        self.couplings.pull(x, &mut pulls);
        y.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, y)| {
            for (i, y) in y.iter_mut().enumerate() {
                *y = self.row_product(chunk * CHUNK + i, x, &pulls);
            }
        });
    }

    /// `y = S A x`, and `x · y` in the same pass; `sums` is room for one number per chunk, `pulls` for a vector per coupling.
    pub(crate) fn filtered_product(
        &self,
        filter: &Filter,
        x: &[DVec3],
        y: &mut [DVec3],
        sums: &mut [f64],
        pulls: &mut Vec<DVec3>,
    ) -> f64 {
        self.couplings.pull(x, pulls);
        y.par_chunks_mut(CHUNK).zip(&mut *sums).enumerate().for_each(|(chunk, (y, sum))| {
            *sum = 0.0;
            for (i, y) in y.iter_mut().enumerate() {
                let row = chunk * CHUNK + i;
                *y = filter.project(row, self.row_product(row, x, pulls));
                *sum += x[row].dot(*y);
            }
        });
        sums.iter().sum()
    }

    /// The block on the diagonal of a row.
    pub fn diagonal(&self, row: usize) -> DMat3 {
        let block = self.blocks.position(row, row).map_or(DMat3::ZERO, |at| self.blocks.values[at]);
        let block = block + self.couplings.diagonal(row);
        if row >= self.scalars.rows() {
            return block;
        }
        let scalar = self.scalars.position(row, row).map_or(0.0, |at| self.scalars.values[at]);
        block + DMat3::from_diagonal(DVec3::splat(scalar))
    }
}
