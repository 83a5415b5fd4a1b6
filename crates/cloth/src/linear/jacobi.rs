//! [`BlockJacobi`]: the inverses of the diagonal blocks, the cheapest preconditioner and the scale of residuals.
//!
//! The inverse is taken among the free motions of a particle: of `S D S + d (I − S)`, `d` the mean of D's diagonal, so
//! that a direction held by a contact does not blur the others. A relative shift keeps semidefinite blocks invertible;
//! a block that is not positive even then is replaced by its largest entry times the identity.

use super::csr::CHUNK;
use super::filter::Filter;
use super::system::System;
use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

/// Added to a diagonal block, relative to the mean of its diagonal: bounds the inverse of a singular one.
const SHIFT: f64 = 1e-12;

/// The inverse diagonal blocks of a filtered system, upper triangles row by row.
#[derive(Clone, Debug, Default)]
pub struct BlockJacobi {
    inverses: Vec<[f64; 6]>,
}

impl BlockJacobi {
    /// Inverts the diagonal blocks of `system` among the motions that `filter` leaves free.
    pub fn update(&mut self, system: &System, filter: &Filter) {
        self.inverses.resize(system.rows(), [0.0; 6]);
        self.inverses.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, inverses)| {
            for (i, inverse) in inverses.iter_mut().enumerate() {
                let row = chunk * CHUNK + i;
                let mut block = system.diagonal(row);
                if filter.is_constrained(row) {
                    let s = filter.projection(row);
                    let mean = (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0;
                    block = s * block * s + (DMat3::IDENTITY - s) * mean;
                }
                *inverse = robust_inverse(&block);
            }
        });
    }

    /// `D_i⁻¹ v`.
    #[inline]
    pub fn apply(&self, i: usize, v: DVec3) -> DVec3 {
        let [xx, xy, xz, yy, yz, zz] = self.inverses[i];
        DVec3::new(xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z, xz * v.x + yz * v.y + zz * v.z)
    }

    /// `sqrt(vᵀ S D⁻¹ S v)`, the norm that residuals are measured in: the root of an energy, so that stiff and soft,
    /// heavy and light parts count alike.
    pub fn norm(&self, filter: &Filter, v: &[DVec3]) -> f64 {
        let sums: Vec<f64> = v
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, v)| {
                let terms = v.iter().enumerate().map(|(i, v)| {
                    let row = chunk * CHUNK + i;
                    let v = filter.project(row, *v);
                    v.dot(self.apply(row, v))
                });
                terms.sum::<f64>()
            })
            .collect();
        sums.iter().sum::<f64>().max(0.0).sqrt()
    }
}

/// The inverse of a symmetric block, positive definite for any input, by Cholesky's factors.
fn robust_inverse(block: &DMat3) -> [f64; 6] {
    let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
    let shifted = *block + DMat3::from_diagonal(DVec3::splat(trace.abs() / 3.0 * SHIFT));
    if let Some(inverse) = inverse_of_positive(&shifted) {
        return inverse;
    }
    let largest = block.to_cols_array().iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
    let value = if largest > 0.0 && largest.is_finite() { 1.0 / largest } else { 1.0 };
    [value, 0.0, 0.0, value, 0.0, value]
}

/// `L⁻ᵀ L⁻¹` of `block = L Lᵀ`; nothing if a pivot is not positive.
fn inverse_of_positive(block: &DMat3) -> Option<[f64; 6]> {
    let pivot = |square: f64| (square > 0.0 && square.is_finite()).then(|| 1.0 / square.sqrt());
    // a, b, c: inverses of L's diagonal.
    let a = pivot(block.x_axis.x)?;
    let (l10, l20) = (block.x_axis.y * a, block.x_axis.z * a);
    let b = pivot(block.y_axis.y - l10 * l10)?;
    let l21 = (block.y_axis.z - l20 * l10) * b;
    let c = pivot(block.z_axis.z - l20 * l20 - l21 * l21)?;
    let m10 = -b * l10 * a;
    let m21 = -c * l21 * b;
    let m20 = -c * (l20 * a + l21 * m10);
    let inverse = [a * a + m10 * m10 + m20 * m20, m10 * b + m20 * m21, m20 * c, b * b + m21 * m21, m21 * c, c * c];
    inverse.iter().all(|entry| entry.is_finite()).then_some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Csr;
    use proptest::prelude::*;

    fn system(block: DMat3) -> System {
        let mut system = System { blocks: Csr::new(1, []), ..System::default() };
        system.blocks.values[0] = block;
        system
    }

    fn inverse(block: DMat3, filter: &Filter) -> DMat3 {
        let mut jacobi = BlockJacobi::default();
        jacobi.update(&system(block), filter);
        let [x, y, z] = DVec3::AXES.map(|axis| jacobi.apply(0, axis));
        DMat3::from_cols(x, y, z)
    }

    proptest! {
        #[test]
        fn positive_blocks_are_inverted(entries in prop::array::uniform9(-1.0..1.0_f64), least in 1e-3..1.0_f64) {
            let g = DMat3::from_cols_array(&entries);
            let block = g * g.transpose() + DMat3::from_diagonal(DVec3::splat(least));
            let product = inverse(block, &Filter::free(1)) * block;
            prop_assert!(product.abs_diff_eq(DMat3::IDENTITY, 1e-7));
        }

        #[test]
        fn any_block_gives_a_positive_finite_inverse(entries in prop::array::uniform6(-1.0..1.0_f64), rank in 0..4) {
            let [a, b, c, d, e, f] = entries;
            let block = match rank {
                0 => DMat3::ZERO,
                1 => DMat3::from_cols(DVec3::new(a, b, c) * a, DVec3::new(a, b, c) * b, DVec3::new(a, b, c) * c),
                _ => DMat3::from_cols_array(&[a, b, c, b, d, e, c, e, f]),
            };
            let inverse = inverse(block, &Filter::free(1));
            prop_assert!(inverse.is_finite());
            for v in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE] {
                prop_assert!(v.dot(inverse * v) > 0.0);
            }
        }
    }

    #[test]
    fn inverse_is_taken_among_free_motions() {
        // Held along x, only the lower right part of the block counts.
        let block = DMat3::from_cols_array(&[9.0, 2.0, 1.0, 2.0, 4.0, 1.0, 1.0, 1.0, 2.0]);
        let mut filter = Filter::free(1);
        filter.forbid(0, DVec3::X);
        let v = inverse(block, &filter) * DVec3::new(0.0, 7.0, 0.0);
        assert!(v.distance(DVec3::new(0.0, 2.0, -1.0)) < 1e-10, "{v}");
    }
}
