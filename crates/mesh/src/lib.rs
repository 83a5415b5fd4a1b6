//! Triangle meshes and what can be said about them without simulating anything.
//!
//! - [`TriMesh`]: positions and triangles; areas, normals, angles, bounds.
//! - [`Topology`]: edges with their wings and opposite vertices, vertex rings, borders, connected parts, and
//!   which triangle owns which feature.
//!
//! Conventions: SI units, metres, y up, right-handed; triangles wind counter-clockwise seen from outside.
//! This crate does no input or output.

mod bounds;
mod ids;
mod topology;
mod tri_mesh;

pub use bounds::Aabb;
pub use glam::{DMat3, DQuat, DVec2, DVec3};
pub use ids::{EdgeId, FaceId, VertexId};
pub use topology::{Edge, Topology};
pub use tri_mesh::{TriMesh, triangle_angles, triangle_area, triangle_normal, triangle_vector_area};
