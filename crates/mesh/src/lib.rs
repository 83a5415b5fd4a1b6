//! Triangle meshes and what can be said about them without simulating anything.
//!
//! - [`TriMesh`]: positions and triangles; areas, normals, angles, bounds.
//! - [`Topology`]: edges with their wings and opposite vertices, vertex rings, borders, connected parts, and
//!   which triangle owns which feature.
//! - [`Surface`], [`Motion`]: what can be touched, and how it moves during a step.
//! - [`generate`]: meshes of simple shapes.
//! - [`check`]: defects of meshes from outside, with verdicts and repairs.
//! - [`judge`]: exact counts of intersecting triangles.
//! - [`scissors`]: meshes cut along paths.
//!
//! Conventions: SI units, metres, y up, right-handed; triangles wind counter-clockwise seen from outside.
//! This crate does no input or output.

mod bounds;
pub mod check;
pub mod generate;
mod ids;
pub mod judge;
pub mod scissors;
mod surface;
mod topology;
mod tri_mesh;
mod volume;

pub use bounds::Aabb;
pub use glam::{DMat3, DQuat, DVec2, DVec3};
pub use ids::{EdgeId, FaceId, VertexId};
pub use surface::{Motion, Moves, Rest, Surface};
pub use topology::{Edge, Topology};
pub use tri_mesh::{TriMesh, triangle_angles, triangle_area, triangle_normal, triangle_vector_area};
pub use volume::signed_volume;
