//! Results that other programs read: `result.glb`, `result.usda`, `result.obj` and point caches.
//!
//! All of them hold the same items, one for each cloth, obstacle and body, under the same names. What an item does decides how it is
//! written:
//!
//! | item | GLB | USD | OBJ and PC2 |
//! |---|---|---|---|
//! | stands still | mesh | points | object |
//! | moves as one body | node animation | transform over time | object and cache |
//! | body with a skin | skin and corrections | points over time | object and cache |
//! | deforms | morph targets | points over time | object and cache |
//!
//! OBJ, PC2 and USD keep the number and order of vertices of the simulation, and corners of triangles have the texture coordinates. GLB
//! has them at vertices, so there the vertices in seams are split. See `docs/interchange.md`.

mod bones;
mod item;
mod rigid;
mod run;
mod write;

pub(crate) use item::{Item, Items, Way};
pub(crate) use run::Recorded;
pub(crate) use write::{write_glb, write_obj, write_pc2, write_usda};
