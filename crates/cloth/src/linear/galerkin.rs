//! Coarse matrices `Nᵀ S A S N`, row by row: what it takes to move one patch while another moves.
//!
//! With `u_j = t − [x_j]× ω`, the force on point `i` by the rigid motion of patch `b` is `B t + T ω`,
//! `B = Σ_j w_jb A_ij` and `T = −Σ_j w_jb A_ij [x_j]×`. Entries that are numbers times the identity need only
//! `Σ w a` and `Σ w a x_j` for both. On patch `a` it works as force `w_ia f` and torque `w_ia x_i × f`.
//! Summed point by point: each matrix entry is met once for every patch its row follows.

use super::aggregate::Weights;
use super::coarse::Level;
use super::dense::{Mat6, add_scaled};
use super::filter::Filter;
use super::system::System;
use toile_mesh::{DMat3, DVec3};

const NONE: u32 = u32::MAX;

/// Added to each diagonal block of A, relative to itself. Where nothing resists a motion of a patch, its coarse entries
/// cancel to rounding, which must not pass for stiffness; inertia resists a thousand times more than this.
const SHIFT: f64 = 1e-11;

/// Sums of one row of a coarse matrix, by column as they come.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Where each column is in the lists, or `NONE`.
    slots: Vec<u32>,
    columns: Vec<u32>,
    sums: Vec<Mat6>,
    /// Forces on one point by the motion of each column's patch.
    forces: Vec<PointForce>,
    /// Columns with such a force.
    touched: Vec<u32>,
}

/// The force on a point by the rigid motion of a patch.
#[derive(Clone, Copy, Debug)]
struct PointForce {
    /// By translation: `B`, the part of full blocks.
    block: DMat3,
    /// By rotation: `T`, the part of full blocks.
    turn: DMat3,
    /// `Σ w a` of entries that are numbers.
    scalar: f64,
    /// `Σ w a x_j` of them.
    moment: DVec3,
    touched: bool,
}

impl PointForce {
    const NONE: Self = Self { block: DMat3::ZERO, turn: DMat3::ZERO, scalar: 0.0, moment: DVec3::ZERO, touched: false };
}

impl Row {
    /// No entries, for a matrix of `n` columns.
    pub(crate) fn new(n: usize) -> Self {
        Self { slots: vec![NONE; n], columns: Vec::new(), sums: Vec::new(), forces: Vec::new(), touched: Vec::new() }
    }

    fn slot(&mut self, column: u32) -> usize {
        let slot = &mut self.slots[column as usize];
        if *slot == NONE {
            *slot = self.columns.len() as u32;
            self.columns.push(column);
            self.sums.push([[0.0; 6]; 6]);
            self.forces.push(PointForce::NONE);
        }
        *slot as usize
    }

    fn force(&mut self, column: u32) -> &mut PointForce {
        let slot = self.slot(column);
        let force = &mut self.forces[slot];
        if !force.touched {
            force.touched = true;
            self.touched.push(slot as u32);
        }
        force
    }

    /// Adds a block `A_ij`, seen from the patches that point `j` follows.
    fn add_block(&mut self, followed: &[(u32, f64)], block: DMat3, place: DVec3) {
        let turn = block * cross_matrix(-place);
        for &(patch, weight) in followed {
            let force = self.force(patch);
            force.block += block * weight;
            force.turn += turn * weight;
        }
    }

    /// Adds `value` times the identity, likewise.
    fn add_scalar(&mut self, followed: &[(u32, f64)], value: f64, place: DVec3) {
        for &(patch, weight) in followed {
            let force = self.force(patch);
            force.scalar += value * weight;
            force.moment += place * (value * weight);
        }
    }

    /// Ends a point: its forces work on the patch it follows by `weight`.
    fn add_point(&mut self, weight: f64, place: DVec3) {
        let arm = cross_matrix(place);
        for slot in self.touched.drain(..) {
            let force = std::mem::replace(&mut self.forces[slot as usize], PointForce::NONE);
            let block = (force.block + DMat3::from_diagonal(DVec3::splat(force.scalar))) * weight;
            let turn = (force.turn + cross_matrix(-force.moment)) * weight;
            let sum = &mut self.sums[slot as usize];
            add_part(sum, 0, 0, &block);
            add_part(sum, 0, 3, &turn);
            add_part(sum, 3, 0, &(arm * block));
            add_part(sum, 3, 3, &(arm * turn));
        }
    }

    /// Hands over the entries by ascending column, and is empty again.
    pub(crate) fn drain_sorted(&mut self, mut take: impl FnMut(u32, &Mat6)) {
        self.columns.sort_unstable();
        for column in self.columns.drain(..) {
            let slot = std::mem::replace(&mut self.slots[column as usize], NONE);
            take(column, &self.sums[slot as usize]);
        }
        self.sums.clear();
        self.forces.clear();
    }
}

/// The row of a patch of particles.
pub(crate) fn of_points(
    system: &System,
    filter: &Filter,
    places: &[DVec3],
    weights: &Weights,
    patch: usize,
    row: &mut Row,
) {
    let System { blocks, scalars, couplings } = system;
    for &(i, weight) in weights.of_patch(patch) {
        let i = i as usize;
        let held = filter.is_constrained(i);
        for at in blocks.row(i) {
            let j = blocks.columns[at] as usize;
            let mut block = blocks.values[at];
            if held || filter.is_constrained(j) {
                block = filter.projection(i) * block * filter.projection(j);
            }
            row.add_block(weights.of_point(j), block, places[j]);
            if i == j {
                let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
                row.add_scalar(weights.of_point(i), trace.abs() * SHIFT, places[i]);
            }
        }
        let bending = if i < scalars.rows() { scalars.row(i) } else { 0..0 };
        for at in bending {
            let (j, value) = (scalars.columns[at] as usize, scalars.values[at]);
            if held || filter.is_constrained(j) {
                let block = filter.projection(i) * value * filter.projection(j);
                row.add_block(weights.of_point(j), block, places[j]);
            } else {
                row.add_scalar(weights.of_point(j), value, places[j]);
            }
        }
        for (coupling, own) in couplings.of_row(i) {
            for (j, other) in coupling.parts() {
                let mut block = coupling.block * (own * other);
                if held || filter.is_constrained(j) {
                    block = filter.projection(i) * block * filter.projection(j);
                }
                row.add_block(weights.of_point(j), block, places[j]);
            }
        }
        row.add_point(weight, places[i]);
    }
}

/// The row of a patch of patches.
pub(crate) fn of_patches(finer: &Level, weights: &Weights, patch: usize, row: &mut Row) {
    for &(i, weight) in weights.of_patch(patch) {
        for (j, value) in finer.entries(i as usize) {
            for &(other, share) in weights.of_point(j) {
                let slot = row.slot(other);
                for (sum, value) in row.sums[slot].iter_mut().zip(value) {
                    add_scaled(sum, weight * share, value);
                }
            }
        }
    }
}

/// `[x]×`: the matrix of `v ↦ x × v`.
fn cross_matrix(x: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, x.z, -x.y), DVec3::new(-x.z, 0.0, x.x), DVec3::new(x.y, -x.x, 0.0))
}

fn add_part(sum: &mut Mat6, row: usize, column: usize, part: &DMat3) {
    for (c, part) in [part.x_axis, part.y_axis, part.z_axis].into_iter().enumerate() {
        sum[row][column + c] += part.x;
        sum[row + 1][column + c] += part.y;
        sum[row + 2][column + c] += part.z;
    }
}
