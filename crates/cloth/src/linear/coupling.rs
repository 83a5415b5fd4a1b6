//! [`Couplings`]: entries of a matrix that change with every step, kept as what they are made of.
//!
//! A contact couples up to four particles by `(w wᵀ) ⊗ B`: sixteen blocks of a pattern that nobody knows in advance. The product
//! with them needs one vector per coupling, `p = B Σ_j w_j x_j`, of which row `i` takes `w_i p`; that is cheaper than sixteen
//! blocks, and nothing is sorted. Each row gathers its couplings in the order they were given: the same bits for any number of
//! threads.
//!
//! Their diagonal blocks `w_i² B` are part of [`super::System::diagonal`], and so of every preconditioner. A hierarchy of patches
//! takes them whole: with the diagonal alone two sheets lying on each other would seem to be nailed to the ground.

use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

/// Couplings per parallel task.
const CHUNK: usize = 1024;

/// A block that acts on a weighted sum of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// The particles.
    pub vertices: [u32; 4],
    /// Their weights; 0 for those that do not take part.
    pub weights: [f64; 4],
    /// `B`, symmetric and positive semidefinite.
    pub block: DMat3,
}

impl Coupling {
    /// The particles that take part, with their weights.
    #[inline]
    pub fn parts(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        parts(&self.vertices, &self.weights)
    }
}

/// Particles with a weight.
#[inline]
pub fn parts(vertices: &[u32; 4], weights: &[f64; 4]) -> impl Iterator<Item = (usize, f64)> {
    vertices.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(i, w)| (*i as usize, *w))
}

/// For each particle the items it takes part in, ascending, with its weight.
#[derive(Clone, Debug, Default)]
pub struct Incidence {
    starts: Vec<u32>,
    places: Vec<(u32, f64)>,
}

impl Incidence {
    /// Lists the parts of `items` by particle.
    pub fn set<'a>(&mut self, particles: usize, items: impl Iterator<Item = (&'a [u32; 4], &'a [f64; 4])> + Clone) {
        self.starts.clear();
        self.starts.resize(particles + 2, 0);
        for (vertices, weights) in items.clone() {
            parts(vertices, weights).for_each(|(i, _)| self.starts[i + 2] += 1);
        }
        for i in 0..particles {
            self.starts[i + 2] += self.starts[i + 1];
        }
        self.places.clear();
        self.places.resize(self.starts[particles + 1] as usize, (0, 0.0));
        for (k, (vertices, weights)) in items.enumerate() {
            for (i, weight) in parts(vertices, weights) {
                // While lists are filled, the start of particle i stands one further on and moves to its end.
                let at = &mut self.starts[i + 1];
                self.places[*at as usize] = (k as u32, weight);
                *at += 1;
            }
        }
    }

    /// The items of particle `i`.
    #[inline]
    pub fn of(&self, i: usize) -> &[(u32, f64)] {
        if self.places.is_empty() {
            return &[];
        }
        &self.places[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// Couplings of a system.
///
/// ```
/// use toile_cloth::linear::{Coupling, Couplings, Csr, System};
/// use toile_mesh::{DMat3, DVec3};
/// let mut system = System { blocks: Csr::new(2, []), ..System::default() };
/// let spring = Coupling { vertices: [0, 1, 0, 0], weights: [1.0, -1.0, 0.0, 0.0], block: DMat3::IDENTITY };
/// system.couplings.set(2, [spring]);
/// let mut y = [DVec3::ZERO; 2];
/// system.product(&[DVec3::X, DVec3::ZERO], &mut y);
/// assert_eq!(y, [DVec3::X, DVec3::NEG_X]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Couplings {
    items: Vec<Coupling>,
    incidence: Incidence,
}

impl Couplings {
    /// Replaces all couplings; vertices must be below `particles`.
    pub fn set(&mut self, particles: usize, couplings: impl IntoIterator<Item = Coupling>) {
        self.items.clear();
        self.items.extend(couplings);
        self.incidence.set(particles, self.items.iter().map(|c| (&c.vertices, &c.weights)));
    }

    /// The couplings.
    pub fn items(&self) -> &[Coupling] {
        &self.items
    }

    /// Their blocks, to change them.
    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut DMat3> {
        self.items.iter_mut().map(|c| &mut c.block)
    }

    /// The couplings of a row, with its weight.
    #[inline]
    pub(crate) fn of_row(&self, row: usize) -> impl Iterator<Item = (&Coupling, f64)> {
        self.incidence.of(row).iter().map(|&(k, weight)| (&self.items[k as usize], weight))
    }

    /// `p = B Σ w x` of each coupling.
    pub(crate) fn pull(&self, x: &[DVec3], pulls: &mut Vec<DVec3>) {
        pulls.resize(self.items.len(), DVec3::ZERO);
        pulls.par_chunks_mut(CHUNK).zip(self.items.par_chunks(CHUNK)).for_each(|(pulls, items)| {
            for (pull, item) in pulls.iter_mut().zip(items) {
                *pull = item.block * item.parts().fold(DVec3::ZERO, |sum, (i, w)| sum + x[i] * w);
            }
        });
    }

    /// What the pulls do to a row.
    #[inline]
    pub(crate) fn row_product(&self, row: usize, pulls: &[DVec3]) -> DVec3 {
        self.incidence.of(row).iter().fold(DVec3::ZERO, |sum, &(k, w)| sum + pulls[k as usize] * w)
    }

    /// The block on the diagonal of a row.
    pub(crate) fn diagonal(&self, row: usize) -> DMat3 {
        self.of_row(row).fold(DMat3::ZERO, |sum, (c, w)| sum + c.block * (w * w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_list_their_items_in_order() {
        let items = [([2, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]), ([0, 2, 3, 0], [0.5, 0.5, -1.0, 0.0])];
        let mut incidence = Incidence::default();
        incidence.set(4, items.iter().map(|(v, w)| (v, w)));
        let lists: Vec<&[(u32, f64)]> = (0..4).map(|i| incidence.of(i)).collect();
        assert_eq!(lists, [&[(1, 0.5)][..], &[], &[(0, 1.0), (1, 0.5)], &[(1, -1.0)]]);
        incidence.set(4, items[..0].iter().map(|(v, w)| (v, w)));
        assert!((0..4).all(|i| incidence.of(i).is_empty()));
    }
}
