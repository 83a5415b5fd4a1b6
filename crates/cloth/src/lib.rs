//! How cloth moves, by two models.
//!
//! **The physical one**: finite elements of a measured [`Fabric`] (Kimmerle 2005, §6.2).
//! - [`fabric`]: what laboratories measure. [`element`]: energies on a few particles. [`Sheets`]: from meshes to energies.
//! - [`dynamics`]: integrators, Newton's method, equilibrium. [`linear`]: sparse matrices and conjugate gradients.
//! - [`air`]: wind, lee, flow, and forces on triangles.
//!
//! **The constraint model** of Fuhrmann, Groß, Luckas 2003, *Interactive Animation of Cloth including Self Collision
//! Detection*: fast, and without units.
//! - [`ClothModel`]: particles and constraints of any triangle mesh (fixed during a run); [`ClothState`]: what moves.
//! - [`ConstraintSolver`]: passes over the constraints, as a coloured [`Sweep`] of single edges or by [`Chains`].
//! - [`verlet`]: time integration.
//!
//! This crate knows fabrics, not contacts, and does no input or output. Everything is deterministic: the same bits for
//! any number of threads.

/// Particles per parallel task.
pub(crate) const CHUNK: usize = 1024;

pub mod air;
mod calm;
mod chains;
mod coloring;
mod constraint;
mod disjoint;
pub mod dynamics;
pub mod element;
pub mod fabric;
pub mod linear;
mod model;
mod sheet;
mod solver;
mod strain_limit;
mod sweep;
pub mod verlet;

pub use chains::{Chains, Link};
pub use constraint::DistanceRange;
pub use fabric::Fabric;
pub use model::{ClothModel, ClothState, ConstraintFabric};
pub use sheet::{BendingKind, MembraneKind, SheetOptions, Sheets, off_axis_modulus};
pub use solver::{ConstraintSolver, Method};
pub use strain_limit::{largest_thread_strain, limit_strain};
pub use sweep::{Sweep, sequential_pass};
