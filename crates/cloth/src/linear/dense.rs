//! Small dense matrices of the coarse levels: 6×6 blocks, and Cholesky's factors of the coarsest matrix.

/// A 6×6 block, row by row: what couples the rigid motions of two patches.
pub(crate) type Mat6 = [[f64; 6]; 6];
/// A rigid motion (translation, then rotation) or what works on it (force, then torque).
pub(crate) type Vec6 = [f64; 6];

/// Pivots below this part of their diagonal entry count as rounding. A small patch far from the common origin has true
/// ones of some 1e-10: the square of size over distance, times soft over stiff.
const SMALLEST_PIVOT: f64 = 1e-13;

/// `v += s a`.
#[inline]
pub(crate) fn add_scaled(v: &mut Vec6, s: f64, a: &Vec6) {
    for (v, a) in v.iter_mut().zip(a) {
        *v += s * a;
    }
}

/// `y += s m v`.
#[inline]
pub(crate) fn add_product(y: &mut Vec6, s: f64, m: &Mat6, v: &Vec6) {
    for (y, row) in y.iter_mut().zip(m) {
        let mut sum = 0.0;
        for (m, v) in row.iter().zip(v) {
            sum += m * v;
        }
        *y += s * sum;
    }
}

/// The factor `L` of a symmetric matrix `L Lᵀ`, of any size, in rows.
///
/// Made for matrices that are positive definite up to rounding: a pivot that is not clearly positive means a motion
/// that nothing resists (a patch whose points are all held); its unknown is set to zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cholesky {
    n: usize,
    factor: Vec<f64>,
}

impl Cholesky {
    /// Factors the matrix of size `n` whose entries `entry` gives; only `column ≤ row` is asked for.
    #[cfg(test)]
    pub(crate) fn new(n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut cholesky = Self::default();
        cholesky.update(n, entry);
        cholesky
    }

    /// Factors another matrix in the same memory.
    pub(crate) fn update(&mut self, n: usize, entry: impl Fn(usize, usize) -> f64) {
        self.n = n;
        self.factor.clear();
        self.factor.resize(n * n, 0.0);
        factorize(n, &mut self.factor, entry);
    }

    /// Solves in place.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        substitute(self.n, &self.factor, x);
    }
}

/// `L` into `factor`, which is zero.
#[inline]
fn factorize(n: usize, factor: &mut [f64], entry: impl Fn(usize, usize) -> f64) {
    for i in 0..n {
        let (above, below) = factor.split_at_mut(i * n);
        let row = &mut below[..n];
        for j in 0..i {
            let other = &above[j * n..][..=j];
            let sum: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
            // A zero on the diagonal marks an unknown that is left out.
            row[j] = if other[j] > 0.0 { (entry(i, j) - sum) / other[j] } else { 0.0 };
        }
        let diagonal = entry(i, i);
        let square = diagonal - row[..i].iter().map(|a| a * a).sum::<f64>();
        row[i] = if square > diagonal * SMALLEST_PIVOT && square.is_finite() { square.sqrt() } else { 0.0 };
    }
}

/// `x ← L⁻ᵀ L⁻¹ x`.
#[inline]
fn substitute(n: usize, factor: &[f64], x: &mut [f64]) {
    for i in 0..n {
        let row = &factor[i * n..][..=i];
        let sum: f64 = row[..i].iter().zip(&*x).map(|(a, b)| a * b).sum();
        x[i] = if row[i] > 0.0 { (x[i] - sum) / row[i] } else { 0.0 };
    }
    for i in (0..n).rev() {
        let row = &factor[i * n..][..=i];
        x[i] = if row[i] > 0.0 { x[i] / row[i] } else { 0.0 };
        let value = x[i];
        for (x, a) in x[..i].iter_mut().zip(row) {
            *x -= a * value;
        }
    }
}

/// The inverse of a symmetric block, with zeros for motions that nothing resists.
pub(crate) fn inverse(block: &Mat6) -> Mat6 {
    let mut factor = [0.0; 36];
    factorize(6, &mut factor, |i, j| block[i][j]);
    let mut inverse = [[0.0; 6]; 6];
    for (i, row) in inverse.iter_mut().enumerate() {
        row[i] = 1.0;
        substitute(6, &factor, row);
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_solve_a_matrix_with_a_known_answer() {
        // The second difference with ends held: the solution for ones is i (n + 1 − i) / 2.
        let entry = |i: usize, j: usize| [2.0, -1.0, 0.0][i.abs_diff(j).min(2)];
        let mut x = [1.0; 9];
        Cholesky::new(9, entry).solve(&mut x);
        for (i, x) in x.iter().enumerate() {
            assert!((x - ((i + 1) * (9 - i)) as f64 / 2.0).abs() < 1e-12);
        }
    }

    #[test]
    fn unknowns_that_nothing_resists_stay_zero() {
        let mut block = [[0.0; 6]; 6];
        block[1][1] = 4.0;
        block[3][3] = 2.0;
        let mut expected = [[0.0; 6]; 6];
        expected[1][1] = 0.25;
        expected[3][3] = 0.5;
        let inverse = inverse(&block);
        for (line, expected) in inverse.iter().flatten().zip(expected.iter().flatten()) {
            assert!((line - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_singular_matrix_gives_finite_numbers() {
        // All pairs of unknowns move together for free.
        let block: Mat6 = std::array::from_fn(|i| std::array::from_fn(|j| if i / 2 == j / 2 { 3.0 } else { 0.0 }));
        assert!(inverse(&block).iter().flatten().all(|value| value.abs() < 1.0));
    }
}
