//! Scissors: triangle meshes cut along paths in the flat cloth.
//!
//! Three steps, each of its own, none of which knows of time or motion:
//!
//! 1. [`Layout::slit`] follows a path through the flat triangles and splits those it crosses, so that it becomes a row of edges. It
//!    changes the mesh, not the surface: nothing is apart yet.
//! 2. [`part`] takes the mesh apart at such edges. Around every vertex on them, triangles that hang together without crossing a cut
//!    are a *fan*; every fan but one gets a copy of the vertex. So tips of slits stay whole, a slit that reaches the border opens it,
//!    a closed path leaves a piece of its own and paths may cross: nothing of this is a case of its own.
//! 3. [`Kerf`] draws the two lips of a cut back from each other, by a width that the contacts of a simulation need.
//!
//! **No slivers.** A path that passes a vertex nearer than [`SNAP`] of an edge goes through it: the vertex is moved onto the path
//! where its triangles allow it, else the path goes aside. So edges are split between [`SNAP`] and 1 − [`SNAP`] of their length.
//!
//! Kimmerle 2005 names cutting as future work (its data structures are fixed); the decomposition into fans is the usual way to make
//! a mesh manifold (Guéziec 1998). Conventions: flat coordinates in metres, of any orientation; every triangle has its own corners,
//! so that garments of several panels can be cut as well.

mod kerf;
mod layout;
mod part;
mod path;
#[cfg(test)]
mod tests;

pub use kerf::{Kerf, Withdrawal};
pub use layout::Layout;
pub use part::{Parting, part, piece_of};
pub use path::{PathError, SNAP};

/// The ends of an edge, ascending.
pub type CutEdge = [u32; 2];

/// An edge by its ends in any order.
pub fn cut_edge(a: u32, b: u32) -> CutEdge {
    [a.min(b), a.max(b)]
}
