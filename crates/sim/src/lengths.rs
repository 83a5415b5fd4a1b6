//! Lengths and stitches of the constraint model that change while a world goes on: what sewing needs.
//!
//! The rest of the model is fixed. Finite elements know nothing of these lengths.

use toile_cloth::{ConstraintSolver, DistanceRange, Method};
use toile_mesh::DVec3;

use crate::world::World;

/// Stitches that draw pairs of particles together, in the constraint model.
#[derive(Clone, Copy, Debug)]
pub struct Stitches<'a> {
    /// The particles of each stitch.
    pub pairs: &'a [[u32; 2]],
    /// Positions from which the first length of each stitch is taken [m], shape `[particles]`.
    pub start: &'a [DVec3],
    /// Length of a closed stitch [m].
    pub closed: f64,
    /// How much a stitch is shortened in one pass over the constraints [m].
    pub most: f64,
}

impl World {
    /// Gives edges and bending constraints of the constraint model other allowed lengths, and stitches beside them.
    ///
    /// `structural` and `bending` are those of [`World::model`] with other `min` and `max`. `method` says how lengths are kept from
    /// now on. Edges longer than `limit` times their rest length are shortened.
    ///
    /// # Panics
    /// If they join other particles than those of the model.
    pub fn set_lengths(
        &mut self,
        structural: Vec<DistanceRange>,
        bending: Vec<DistanceRange>,
        method: Method,
        limit: f64,
        stitches: &Stitches<'_>,
    ) {
        let same = |ours: &[DistanceRange], theirs: &[DistanceRange]| {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| a.ends == b.ends)
        };
        assert!(same(&self.model.structural, &structural), "edges join the particles of the model");
        assert!(same(&self.model.bending, &bending), "bending constraints join the particles of the model");
        self.model.structural = structural;
        self.model.bending = bending;
        self.engine.lengths = ConstraintSolver::new(&self.model, method, limit);
        self.engine.lengths.set_stitches(stitches.pairs, stitches.start, stitches.closed, stitches.most);
    }

    /// Lets stitches be as long as a share of their first length over the closed one: 1 is open, 0 is closed.
    pub fn draw_stitches(&mut self, share: f64) {
        self.engine.lengths.draw(share);
    }

    /// Changes velocities between two frames [m/s]. `change` gets the number of each free particle, its position [m] and its
    /// velocity. Cloth that rests wakes up if anything moves then.
    pub fn change_velocities(&mut self, mut change: impl FnMut(usize, DVec3, DVec3) -> DVec3) {
        let (rests, inverse_mass) = (self.rests(), self.inverse_mass());
        let state = &mut self.state;
        for (i, v) in state.v.iter_mut().enumerate() {
            if inverse_mass[i] > 0.0 {
                *v = change(i, state.x[i], *v);
            }
        }
        if rests && state.v.iter().any(|v| *v != DVec3::ZERO) {
            self.rest = crate::step::rest::Rest::default();
        }
    }
}
