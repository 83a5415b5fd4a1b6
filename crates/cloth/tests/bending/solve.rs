//! Symmetric systems with entries near the diagonal.

/// The lower half of a symmetric matrix: row `i` holds the columns `i − width ..= i`.
#[derive(Clone)]
pub(crate) struct Banded {
    width: usize,
    rows: Vec<f64>,
}

impl Banded {
    pub(crate) fn new(n: usize, width: usize) -> Self {
        Self { width, rows: vec![0.0; n * (width + 1)] }
    }

    /// The entry at `i ≥ j`.
    pub(crate) fn at(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.rows[i * (self.width + 1) + j + self.width - i]
    }

    /// Solves by Cholesky's factors; `None` if the matrix is not positive definite.
    pub(crate) fn solve(mut self, b: &mut [f64]) -> Option<()> {
        let w = self.width;
        for i in 0..b.len() {
            let first = i.saturating_sub(w);
            for j in first..=i {
                let start = first.max(j.saturating_sub(w));
                let (r, s) = (i * (w + 1) + w - i, j * (w + 1) + w - j);
                let sum: f64 =
                    self.rows[r + start..r + j].iter().zip(&self.rows[s + start..s + j]).map(|(a, b)| a * b).sum();
                let value = self.rows[r + j] - sum;
                self.rows[r + j] = if i > j {
                    value / self.rows[s + j]
                } else if value > 0.0 {
                    value.sqrt()
                } else {
                    return None;
                };
            }
            for j in first..i {
                b[i] -= *self.at(i, j) * b[j];
            }
            b[i] /= *self.at(i, i);
        }
        for i in (0..b.len()).rev() {
            b[i] /= *self.at(i, i);
            for j in i.saturating_sub(w)..i {
                b[j] -= *self.at(i, j) * b[i];
            }
        }
        Some(())
    }
}
