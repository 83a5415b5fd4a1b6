//! What happens when things touch: obstacles with friction, and particles kept apart.
//!
//! - [`Obstacle`] and what surrounds it: analytic shapes, moving or not, and the response of particles and triangles.
//! - [`MeshObstacle`] and [`MeshContacts`]: obstacles that are triangle meshes, moving or not.
//! - [`Touch`]: two features at their nearest points, and how impulses are shared there.
//! - [`Separation`]: self-collision avoidance between particles.
//!
//! This crate knows particles and contacts, not fabrics, and does no input or output.

mod mesh_obstacle;
mod obstacle;
mod separation;
mod touch;

pub use mesh_obstacle::*;
pub use obstacle::*;
pub use separation::{CANDIDATE_MARGIN, Extent, Separation, extents};
pub use touch::Touch;
