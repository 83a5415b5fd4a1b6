//! One coarse level of [`super::Multilevel`]: the matrix between its patches, sweeps over it, its exact solution.
//!
//! Tried and left out: sweeps colour by colour, which threads could share. They read memory out of order and need a tenth more
//! iterations; two threads with them took a tenth longer than two without.

use super::aggregate::Weights;
use super::dense::{Cholesky, Mat6, Vec6, add_product, add_scaled, inverse};
use super::galerkin::Row;
use rayon::prelude::*;
use std::ops::Range;

/// Patches that are few enough for one dense matrix (six unknowns each).
pub(crate) const COARSEST: usize = 24;

/// Patches per parallel task.
const CHUNK: usize = 64;

/// The patches of a level: how finer points follow them, the matrix, and room for a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level {
    pub(crate) weights: Weights,
    matrix: Rows,
    /// Room for the rows of each chunk while they are summed.
    parts: Vec<(Rows, Row)>,
    /// The matrix as a whole, on a last level that is small.
    factor: Cholesky,
    is_factored: bool,
    /// The same, not yet factored.
    dense: Vec<f64>,
    flat: Vec<f64>,
    force: Vec<Vec6>,
    pub(crate) motion: Vec<Vec6>,
    /// What the motion leaves of the force.
    pub(crate) left: Vec<Vec6>,
}

/// Rows of a matrix one after another, columns ascending, with the inverses of the diagonal blocks.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// Where each row ends.
    ends: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<Mat6>,
    inverses: Vec<Mat6>,
}

impl Rows {
    fn clear(&mut self) {
        self.ends.clear();
        self.columns.clear();
        self.values.clear();
        self.inverses.clear();
    }

    fn row(&self, row: usize) -> Range<usize> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        start as usize..self.ends[row] as usize
    }

    fn push(&mut self, row: usize, entries: &mut Row) {
        let mut diagonal = [[0.0; 6]; 6];
        entries.drain_sorted(|column, value| {
            if column as usize == row {
                diagonal = *value;
            }
            self.columns.push(column);
            self.values.push(*value);
        });
        self.inverses.push(inverse(&diagonal));
        self.ends.push(self.columns.len() as u32);
    }

    fn append(&mut self, other: &Self) {
        let offset = self.columns.len() as u32;
        self.ends.extend(other.ends.iter().map(|end| end + offset));
        self.columns.extend_from_slice(&other.columns);
        self.values.extend_from_slice(&other.values);
        self.inverses.extend_from_slice(&other.inverses);
    }
}

impl Level {
    pub(crate) fn new(weights: Weights) -> Self {
        let zeros = vec![[0.0; 6]; weights.patches()];
        Self { weights, force: zeros.clone(), motion: zeros.clone(), left: zeros, ..Self::default() }
    }

    /// The entries of a patch's row: columns and values.
    pub(crate) fn entries(&self, patch: usize) -> impl Iterator<Item = (usize, &Mat6)> {
        let range = self.matrix.row(patch);
        self.matrix.columns[range.clone()].iter().map(|&column| column as usize).zip(&self.matrix.values[range])
    }

    /// Builds the matrix: `row` sums the entries of one patch.
    pub(crate) fn assemble(&mut self, row: impl Fn(&Weights, usize, &mut Row) + Sync) {
        let (n, weights) = (self.weights.patches(), &self.weights);
        self.parts.resize_with(n.div_ceil(CHUNK), || (Rows::default(), Row::new(n)));
        self.parts.par_iter_mut().enumerate().for_each(|(chunk, (rows, entries))| {
            rows.clear();
            for patch in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
                row(weights, patch, entries);
                rows.push(patch, entries);
            }
        });
        self.matrix.clear();
        for (part, _) in &self.parts {
            self.matrix.append(part);
        }
        self.is_factored = false;
    }

    /// Factors the whole matrix, if it is small.
    pub(crate) fn factor(&mut self) {
        let n = self.weights.patches();
        if n > COARSEST {
            return;
        }
        let mut dense = std::mem::take(&mut self.dense);
        dense.clear();
        dense.resize(36 * n * n, 0.0);
        for row in 0..n {
            for (column, value) in self.entries(row) {
                for (k, line) in value.iter().enumerate() {
                    let start = (6 * row + k) * 6 * n + 6 * column;
                    dense[start..start + 6].copy_from_slice(line);
                }
            }
        }
        self.factor.update(6 * n, |i, j| dense[6 * n * i + j]);
        self.is_factored = true;
        self.dense = dense;
        self.flat.resize(6 * n, 0.0);
    }

    /// The force on each patch: `add(point, weight, force)` over the points that follow it.
    pub(crate) fn gather(&mut self, add: impl Fn(usize, f64, &mut Vec6) + Sync) {
        let weights = &self.weights;
        self.force.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, force)| {
            for (k, force) in force.iter_mut().enumerate() {
                *force = [0.0; 6];
                for &(point, weight) in weights.of_patch(chunk * CHUNK + k) {
                    add(point as usize, weight, force);
                }
            }
        });
    }

    /// The motion of a point that follows the patches.
    #[inline]
    pub(crate) fn motion_of(&self, point: usize) -> Vec6 {
        let mut motion = [0.0; 6];
        for &(patch, weight) in self.weights.of_point(point) {
            add_scaled(&mut motion, weight, &self.motion[patch as usize]);
        }
        motion
    }

    /// The motion of the last level: exact, or one sweep there and back where it is too large for that.
    pub(crate) fn solve(&mut self) {
        if !self.is_factored {
            self.forward();
            self.backward();
            return;
        }
        for (flat, force) in self.flat.chunks_exact_mut(6).zip(&self.force) {
            flat.copy_from_slice(force);
        }
        self.factor.solve(&mut self.flat);
        for (motion, flat) in self.motion.iter_mut().zip(self.flat.chunks_exact(6)) {
            motion.copy_from_slice(flat);
        }
    }

    /// A Gauss–Seidel sweep from zero, patches ascending: `(L + D) q = f`.
    pub(crate) fn forward(&mut self) {
        for patch in 0..self.force.len() {
            let mut left = self.force[patch];
            for (column, value) in self.entries(patch).take_while(|(column, _)| *column < patch) {
                add_product(&mut left, -1.0, value, &self.motion[column]);
            }
            self.motion[patch] = [0.0; 6];
            add_product(&mut self.motion[patch], 1.0, &self.matrix.inverses[patch], &left);
        }
    }

    /// What [`Level::forward`] leaves: `f − A q = −U q`, only half the matrix.
    pub(crate) fn take_residual(&mut self) {
        let mut lists = std::mem::take(&mut self.left);
        lists.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, lefts)| {
            for (k, left) in lefts.iter_mut().enumerate() {
                let patch = chunk * CHUNK + k;
                *left = [0.0; 6];
                for (column, value) in self.entries(patch).filter(|(column, _)| *column > patch) {
                    add_product(left, -1.0, value, &self.motion[column]);
                }
            }
        });
        self.left = lists;
    }

    /// A Gauss–Seidel sweep on the motion at hand, patches descending: the transpose of the forward one.
    pub(crate) fn backward(&mut self) {
        for patch in (0..self.force.len()).rev() {
            let mut left = self.force[patch];
            for (column, value) in self.entries(patch) {
                add_product(&mut left, -1.0, value, &self.motion[column]);
            }
            add_product(&mut self.motion[patch], 1.0, &self.matrix.inverses[patch], &left);
        }
    }
}
