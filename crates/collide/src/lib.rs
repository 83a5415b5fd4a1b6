//! Where things touch: Mezger 2003, Kimmerle 2005 chapter 2, Fuhrmann 2003 §4.
//!
//! - [`Detector`]: finds [`Proximity`]s (features near each other) and [`Impact`]s (features that meet during a step).
//!   [`Hierarchy`] does it with k-DOP trees, [`BruteForce`] by testing everything.
//! - [`Kdop`], [`KdopTree`]: bounding volumes and their hierarchy. [`NormalCone`], [`VelocityCone`]: curvature and motion
//!   of a region.
//! - [`distance`]: closest points of two features. [`impact`]: when two moving features meet.
//! - [`ParticleTree`]: boxes over particles, for pairs of particles closer than a given distance; [`brute_force_pairs`]
//!   finds the same by testing all of them.
//!
//! This crate does no input or output. Results come in one order, whatever the number of threads.

mod brute_force;
mod cone;
mod culling;
mod detector;
pub mod distance;
mod hierarchy;
pub mod impact;
mod kdop;
mod particle_tree;
mod stars;
mod tree;

pub use brute_force::BruteForce;
pub use cone::{NormalCone, VelocityCone};
pub use detector::{
    Abilities, DetectError, DetectReport, Detector, FeaturePair, Impact, PhaseTimes, Proximity, Reach, closest_points,
    distance_squared,
};
pub use hierarchy::{Hierarchy, HierarchySettings, PAIRS_PER_RESULT, UpdatePolicy};
pub use kdop::{Kdop, direction_lengths, directions};
pub use particle_tree::{Pair, PairSearch, ParticleTree, brute_force_pairs};
pub use tree::{Cover, Front, Inflation, KdopTree, NodePair, RefitCounts, RigidPose, TreeSettings, Update};
