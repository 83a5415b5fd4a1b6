//! [`ContactTerms`]: what contacts add to the potential of an implicit step.
//!
//! Newton's method knows nothing of contacts but this: terms with a value, a gradient and a Hessian by the unknown `z` of a [`Stage`],
//! which may be made anew at every iterate. Within an iteration they are a fixed, convex function, so that a line search means what
//! it says.

use toile_mesh::{DMat3, DVec3};

use super::Stage;
use crate::linear::Couplings;

/// The part of a step that a system is made for.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The system.
    pub stage: &'a Stage,
    /// Positions where the part begins [m].
    pub x: &'a [DVec3],
    /// Velocities there [m/s].
    pub v: &'a [DVec3],
    /// Masses of the particles [kg].
    pub mass: &'a [f64],
    /// Length of the part [s].
    pub h: f64,
}

/// Is given particles, weights and Hessian of a term.
pub type VisitBlock<'a> = dyn FnMut(&[u32; 4], &[f64; 4], DMat3) + 'a;

/// Terms of contacts in the potential of a step.
pub trait ContactTerms: std::fmt::Debug + Send + Sync {
    /// Whether there are none.
    fn is_empty(&self) -> bool;

    /// Tells the system which of the `particles` are coupled. The blocks follow with [`ContactTerms::refresh`].
    fn connect(&self, particles: usize, couplings: &mut Couplings);

    /// Begins a part of the step.
    fn begin(&mut self, part: &Part<'_>);

    /// Makes the terms anew at `z`; blocks of couplings go to `couplings`. Returns the value there [J].
    fn refresh(&mut self, z: &[DVec3], couplings: &mut Couplings) -> f64;

    /// Value at `z` of the terms made last [J].
    fn value(&mut self, z: &[DVec3]) -> f64;

    /// Gradient by particle `i` where the terms were made last [N].
    fn gradient(&self, i: usize) -> DVec3;

    /// Adds the Hessian of terms of particle `i` alone to its block of the diagonal [N/m].
    fn add_to_diagonal(&self, i: usize, block: &mut DMat3);

    /// Passes on particles, weights and Hessian of each term that acts: `∂²/∂x_i∂x_j = w_i w_j B`.
    fn for_each_block(&self, visit: &mut VisitBlock<'_>);

    /// What terms that press particle `i` against something leave of its `displacement` [m]; `None` if none does.
    fn hold_back(&self, i: usize, displacement: DVec3) -> Option<DVec3>;

    /// Whether the terms made last are the law itself: none of them is a model that differs from it there.
    fn obey_the_law(&self) -> bool;

    /// Whether something is nearer than contacts allow, so that a step that ends here would be left to others.
    fn are_overrun(&self) -> bool;

    /// Makes terms stiffer that are overrun, as far as they may get. Returns the value at `z`, where they were made last [J], or `None`
    /// if all stay as they are.
    fn stiffen(&mut self, z: &[DVec3], couplings: &mut Couplings) -> Option<f64>;
}

/// No contacts.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoContacts;

impl ContactTerms for NoContacts {
    fn is_empty(&self) -> bool {
        true
    }

    fn connect(&self, particles: usize, couplings: &mut Couplings) {
        couplings.set(particles, []);
    }

    fn begin(&mut self, _: &Part<'_>) {}

    fn refresh(&mut self, _: &[DVec3], _: &mut Couplings) -> f64 {
        0.0
    }

    fn value(&mut self, _: &[DVec3]) -> f64 {
        0.0
    }

    fn gradient(&self, _: usize) -> DVec3 {
        DVec3::ZERO
    }

    fn add_to_diagonal(&self, _: usize, _: &mut DMat3) {}

    fn for_each_block(&self, _: &mut VisitBlock<'_>) {}

    fn hold_back(&self, _: usize, _: DVec3) -> Option<DVec3> {
        None
    }

    fn obey_the_law(&self) -> bool {
        true
    }

    fn are_overrun(&self) -> bool {
        false
    }

    fn stiffen(&mut self, _: &[DVec3], _: &mut Couplings) -> Option<f64> {
        None
    }
}
