//! [`PressureSolver`]: conjugate gradients for the pressure of every cell.
//!
//! With `φ = p h / (ρ cell)` [m/s] the new velocity across a free face is `u − (φ_above − φ_below)`. That every cell of
//! air loses as much as it gains gives one equation per cell, over its free faces (`φ = 0` beyond open ones):
//!
//! ```text
//! Σ (φ_cell − φ_neighbour) = −Σ ± u
//! ```
//!
//! symmetric and positive definite, since every cell is joined to an open face. The preconditioner is the modified
//! incomplete Cholesky factorization MIC(0) (Bridson 2008, *Fluid Simulation for Computer Graphics*, §4.3) of slabs of
//! [`SLAB`] planes each: couplings between slabs are left out, so that slabs are solved in parallel, and a slab does
//! not depend on the number of threads. Neither do sums, taken in chunks of [`CHUNK`] cells and added in order.

use rayon::prelude::*;

use crate::air::lattice::Lattice;

/// Planes per slab of the preconditioner.
const SLAB: usize = 8;

/// Cells per parallel task.
const CHUNK: usize = 2048;

/// Part of the dropped entries that is added to the diagonal; 1 would keep row sums but be less stable.
const TUNING: f64 = 0.97;

/// Where the diagonal falls below this part of itself, the factor starts afresh.
const SAFETY: f64 = 0.25;

/// Bits of the three neighbours with a larger index in `links`.
const UP: [u8; 3] = [1, 2, 4];

/// Bits of the three neighbours with a smaller index in `links`.
const DOWN: [u8; 3] = [8, 16, 32];

/// The matrix, its preconditioner, and room for the iteration.
#[derive(Clone, Debug)]
pub(super) struct PressureSolver {
    cells: Lattice,
    /// Which neighbours each cell exchanges air with.
    links: Vec<u8>,
    /// Number of free faces of each cell.
    diagonal: Vec<f64>,
    /// Reciprocal diagonal of the incomplete factor; zero in solids.
    factor: Vec<f64>,
    right: Vec<f64>,
    residual: Vec<f64>,
    preconditioned: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    partial: Vec<f64>,
}

impl PressureSolver {
    pub(super) fn new(cells: Lattice) -> Self {
        let n = cells.len();
        let zeros = || vec![0.0; n];
        Self {
            cells,
            links: vec![0; n],
            diagonal: zeros(),
            factor: zeros(),
            right: zeros(),
            residual: zeros(),
            preconditioned: zeros(),
            direction: zeros(),
            product: zeros(),
            partial: vec![0.0; n.div_ceil(CHUNK)],
        }
    }

    /// Sets up the matrix for the given solid cells and fixed faces, and factors it.
    pub(super) fn prepare(&mut self, solid: &[bool], fixed: &[Vec<bool>; 3]) {
        let cells = self.cells;
        let faces = [0, 1, 2].map(|axis| cells.faces(axis));
        let rows = self.links.par_chunks_mut(CHUNK).zip(self.diagonal.par_chunks_mut(CHUNK));
        rows.enumerate().for_each(|(chunk, (links, diagonal))| {
            for (i, (links, diagonal)) in links.iter_mut().zip(diagonal).enumerate() {
                let index = chunk * CHUNK + i;
                (*links, *diagonal) = (0, 0.0);
                if solid[index] {
                    continue;
                }
                let at = cells.coordinates(index);
                for axis in 0..3 {
                    let below = faces[axis].index(at);
                    let above = below + faces[axis].strides()[axis];
                    if !fixed[axis][below] {
                        *diagonal += 1.0;
                        *links |= if at[axis] > 0 { DOWN[axis] } else { 0 };
                    }
                    if !fixed[axis][above] {
                        *diagonal += 1.0;
                        *links |= if at[axis] + 1 < cells.dims[axis] { UP[axis] } else { 0 };
                    }
                }
            }
        });
        self.factorize();
    }

    /// MIC(0) of every slab.
    fn factorize(&mut self) {
        let (strides, slab) = (self.cells.strides(), SLAB * self.cells.plane());
        let (links, diagonal) = (&self.links, &self.diagonal);
        self.factor.par_chunks_mut(slab).enumerate().for_each(|(chunk, factor)| {
            let first = chunk * slab;
            for i in 0..factor.len() {
                let diagonal = diagonal[first + i];
                let mut e = diagonal;
                for axis in 0..3 {
                    if links[first + i] & DOWN[axis] != 0 && i >= strides[axis] {
                        let below = i - strides[axis];
                        let up = links[first + below];
                        // Links of the cell below along the other axes, within the slab: entries the factor drops.
                        let dropped = (0..3)
                            .filter(|&other| {
                                other != axis && up & UP[other] != 0 && below + strides[other] < factor.len()
                            })
                            .count();
                        e -= (1.0 + TUNING * dropped as f64) * factor[below] * factor[below];
                    }
                }
                let e = if e < SAFETY * diagonal { diagonal } else { e };
                factor[i] = if e > 0.0 { 1.0 / e.sqrt() } else { 0.0 };
            }
        });
    }

    /// Air that enters each cell through its faces [m/s], zero in solids; kept as the right side of the equations.
    pub(super) fn right_side(&mut self, velocity: &[Vec<f64>; 3], solid: &[bool]) -> &[f64] {
        let cells = self.cells;
        let faces = [0, 1, 2].map(|axis| cells.faces(axis));
        self.right.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, right)| {
            for (i, right) in right.iter_mut().enumerate() {
                let index = chunk * CHUNK + i;
                let at = cells.coordinates(index);
                *right = 0.0;
                if !solid[index] {
                    for axis in 0..3 {
                        let below = faces[axis].index(at);
                        *right += velocity[axis][below] - velocity[axis][below + faces[axis].strides()[axis]];
                    }
                }
            }
        });
        &self.right
    }

    /// Solves for `pressure`, starting from what it holds, until no cell gains or loses more than `allowed` [m/s].
    /// Returns the number of iterations; they are bounded.
    pub(super) fn solve(&mut self, pressure: &mut [f64], allowed: f64) -> usize {
        for (pressure, diagonal) in pressure.iter_mut().zip(&self.diagonal) {
            // Cells that were solid, or a start that went astray, begin at nothing.
            if *diagonal == 0.0 || !pressure.is_finite() {
                *pressure = 0.0;
            }
        }
        self.multiply(pressure);
        for (i, residual) in self.residual.iter_mut().enumerate() {
            *residual = self.right[i] - self.product[i];
        }
        let most = 200 + 10 * self.cells.dims.iter().sum::<usize>();
        let mut last = 0.0;
        for iteration in 0..most {
            if self.residual.iter().all(|r| r.abs() <= allowed) {
                return iteration;
            }
            self.precondition();
            let now = dot(&self.residual, &self.preconditioned, &mut self.partial);
            let momentum = if last == 0.0 { 0.0 } else { now / last };
            last = now;
            update(&mut self.direction, momentum, &self.preconditioned);
            let direction = std::mem::take(&mut self.direction);
            self.multiply(&direction);
            self.direction = direction;
            let step = now / dot(&self.direction, &self.product, &mut self.partial);
            if !step.is_finite() {
                return iteration;
            }
            add_scaled(pressure, step, &self.direction);
            add_scaled(&mut self.residual, -step, &self.product);
        }
        most
    }

    /// `product = A x`.
    fn multiply(&mut self, x: &[f64]) {
        let (strides, links, diagonal) = (self.cells.strides(), &self.links, &self.diagonal);
        self.product.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, product)| {
            for (i, product) in product.iter_mut().enumerate() {
                let i = chunk * CHUNK + i;
                let mut sum = diagonal[i] * x[i];
                for axis in 0..3 {
                    if links[i] & UP[axis] != 0 {
                        sum -= x[i + strides[axis]];
                    }
                    if links[i] & DOWN[axis] != 0 {
                        sum -= x[i - strides[axis]];
                    }
                }
                *product = sum;
            }
        });
    }

    /// Applies the inverse of the incomplete factorization to the residual: forwards, then backwards, in each slab.
    fn precondition(&mut self) {
        let (strides, slab) = (self.cells.strides(), SLAB * self.cells.plane());
        let (links, factor, residual) = (&self.links, &self.factor, &self.residual);
        self.preconditioned.par_chunks_mut(slab).enumerate().for_each(|(chunk, z)| {
            let first = chunk * slab;
            for i in 0..z.len() {
                let mut sum = residual[first + i];
                for axis in 0..3 {
                    if links[first + i] & DOWN[axis] != 0 && i >= strides[axis] {
                        sum += factor[first + i - strides[axis]] * z[i - strides[axis]];
                    }
                }
                z[i] = sum * factor[first + i];
            }
            for i in (0..z.len()).rev() {
                let mut sum = 0.0;
                for axis in 0..3 {
                    if links[first + i] & UP[axis] != 0 && i + strides[axis] < z.len() {
                        sum += z[i + strides[axis]];
                    }
                }
                let scale = factor[first + i];
                z[i] = (z[i] + scale * sum) * scale;
            }
        });
    }
}

/// Sum of products, in the same order for any number of threads.
fn dot(a: &[f64], b: &[f64], partial: &mut [f64]) -> f64 {
    partial.par_iter_mut().zip(a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK))).for_each(|(sum, (a, b))| {
        *sum = a.iter().zip(b).map(|(a, b)| a * b).sum();
    });
    partial.iter().sum()
}

/// `y = factor y + x`.
fn update(y: &mut [f64], factor: f64, x: &[f64]) {
    y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(|(y, x)| {
        for (y, x) in y.iter_mut().zip(x) {
            *y = factor * *y + x;
        }
    });
}

/// `y += factor x`.
fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
    y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(|(y, x)| {
        for (y, x) in y.iter_mut().zip(x) {
            *y += factor * x;
        }
    });
}
