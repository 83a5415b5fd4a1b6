//! [`Csr`]: a square sparse matrix in compressed rows; an entry is a 3×3 block or a number times the identity.

use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

/// Rows per parallel task: fixed, so that the work is cut the same way for any number of threads.
pub(crate) const CHUNK: usize = 1024;

/// An entry of a matrix that acts on vectors of space.
pub trait Block: Copy + Default + Send + Sync + std::ops::AddAssign {
    /// The entry times a vector.
    fn times(self, v: DVec3) -> DVec3;
    /// The entry as a matrix.
    fn matrix(self) -> DMat3;
    /// The entry of nothing.
    const ZERO: Self;
}

impl Block for f64 {
    const ZERO: Self = 0.0;

    #[inline]
    fn times(self, v: DVec3) -> DVec3 {
        v * self
    }

    fn matrix(self) -> DMat3 {
        DMat3::from_diagonal(DVec3::splat(self))
    }
}

impl Block for DMat3 {
    const ZERO: Self = Self::ZERO;

    #[inline]
    fn times(self, v: DVec3) -> DVec3 {
        self * v
    }

    fn matrix(self) -> DMat3 {
        self
    }
}

/// A square sparse matrix; columns ascend within a row, and every row has its diagonal entry.
///
/// ```
/// use toile_cloth::linear::Csr;
/// use toile_mesh::DVec3;
/// let mut matrix = Csr::<f64>::new(3, [[0, 2], [2, 0]]);
/// let at = matrix.position(0, 2).unwrap();
/// matrix.values[at] = 5.0;
/// let mut y = [DVec3::ZERO; 3];
/// matrix.add_product(&[DVec3::X, DVec3::Y, DVec3::Z], &mut y);
/// assert_eq!(y[0], 5.0 * DVec3::Z);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Csr<B> {
    /// Where each row starts in the other lists; one more than rows.
    pub starts: Vec<u32>,
    /// Column of each entry.
    pub columns: Vec<u32>,
    /// The entries.
    pub values: Vec<B>,
}

impl<B: Block> Csr<B> {
    /// A matrix of `n` rows with zeros on the diagonal and at the given `[row, column]` pairs, in any order and number.
    pub fn new(n: usize, pairs: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut pairs: Vec<[u32; 2]> = pairs.into_iter().chain((0..n as u32).map(|i| [i, i])).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; n + 1];
        for [row, _] in &pairs {
            starts[*row as usize + 1] += 1;
        }
        for row in 0..n {
            starts[row + 1] += starts[row];
        }
        Self { starts, values: vec![B::ZERO; pairs.len()], columns: pairs.into_iter().map(|[_, c]| c).collect() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The entries of a row, as positions in [`Csr::columns`] and [`Csr::values`].
    #[inline]
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Where the entry of `row` and `column` is.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.row(row);
        let found = self.columns[range.clone()].binary_search(&(column as u32)).ok()?;
        Some(range.start + found)
    }

    /// The product of one row with `x`.
    #[inline]
    pub fn row_product(&self, row: usize, x: &[DVec3]) -> DVec3 {
        let range = self.row(row);
        let mut sum = DVec3::ZERO;
        for (value, column) in self.values[range.clone()].iter().zip(&self.columns[range]) {
            sum += value.times(x[*column as usize]);
        }
        sum
    }

    /// `y += A x`.
    pub fn add_product(&self, x: &[DVec3], y: &mut [DVec3]) {
        y.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, y)| {
            for (i, y) in y.iter_mut().enumerate() {
                *y += self.row_product(chunk * CHUNK + i, x);
            }
        });
    }
}
