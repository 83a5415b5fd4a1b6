//! How cloth moves: the constraint model of Fuhrmann, Groß, Luckas 2003, *Interactive Animation of Cloth including
//! Self Collision Detection*.
//!
//! - [`ClothModel`]: particles and constraints of any triangle mesh (fixed during a run); [`ClothState`]: what moves.
//! - [`ConstraintSolver`]: passes over the constraints, as a coloured [`Sweep`] of single edges or by [`Chains`].
//! - [`verlet`]: time integration.
//!
//! This crate knows fabrics, not contacts, and does no input or output. Everything is deterministic: the same bits for
//! any number of threads.

mod chains;
mod coloring;
mod constraint;
mod disjoint;
pub mod element;
pub mod fabric;
pub mod linear;
mod model;
mod solver;
mod sweep;
pub mod verlet;

pub use chains::{Chains, Link};
pub use constraint::DistanceRange;
pub use fabric::Fabric;
pub use model::{ClothModel, ClothState, ConstraintFabric};
pub use solver::{ConstraintSolver, Method};
pub use sweep::{Sweep, sequential_pass};
