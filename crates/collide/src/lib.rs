//! Where things touch. So far: the particle hierarchy of Fuhrmann, Groß, Luckas 2003, §4.
//!
//! - [`ParticleTree`]: boxes over particles, built once from the flat cloth, refitted every step, traversed against
//!   itself for all pairs of particles closer than a given distance.
//! - [`brute_force_pairs`]: the same pairs by testing all of them.
//!
//! This crate does no input or output. Results come in one order, whatever the number of threads.

mod cone;
mod kdop;
mod particle_tree;
mod tree;

pub use cone::{NormalCone, VelocityCone};
pub use kdop::{Kdop, direction_lengths, directions};
pub use particle_tree::{Pair, PairSearch, ParticleTree, brute_force_pairs};
pub use tree::{Cover, Front, Inflation, KdopTree, NodePair, RefitCounts, RigidPose, TreeSettings, Update};
