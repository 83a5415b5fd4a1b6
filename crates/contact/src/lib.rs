//! What happens when things touch: obstacles with friction, and particles kept apart.
//!
//! - [`Obstacle`] and what surrounds it: analytic shapes, moving or not, and the response of particles and triangles.
//! - [`MeshObstacle`]: obstacles that are triangle meshes, moving or not.
//! - [`Watch`], [`Projection`], [`Guard`]: pairs of features that may touch, pushed apart, and kept from passing through.
//! - [`Touch`]: two features at their nearest points, and how impulses are shared there.
//! - [`respond`] and [`set_apart`]: impulses with friction for touching features, and the thickness they keep.
//! - [`resolve_zones`]: collisions of whole patches at once, with their momentum.
//! - [`Separation`]: self-collision avoidance between particles.
//! - [`untangle`](fn@untangle): parts cloth that starts intersecting. [`NearestFace`]: the point of a mesh nearest to another.
//!
//! This crate knows particles and contacts, not fabrics, and does no input or output.

mod impulse;
mod mesh_obstacle;
mod obstacle;
mod pairs;
mod separation;
mod touch;
mod untangle;
mod zones;

pub use impulse::{ImpulseReport, ImpulseSettings, TouchRule, respond, set_apart};
pub use mesh_obstacle::*;
pub use obstacle::*;
pub use pairs::*;
pub use separation::{CANDIDATE_MARGIN, Extent, Separation, extents};
pub use touch::Touch;
pub use untangle::{Foot, LARGEST_STRETCH, NearestFace, Tangle, Untangled, untangle};
pub use zones::{ZoneMesh, ZoneReport, ZoneSettings, ZoneStep, resolve_zones};
