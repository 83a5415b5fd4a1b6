//! Wavefront OBJ: text, one statement per line.
//!
//! Read are `v x y z` (further numbers, a weight or a colour, are ignored) and `f` with corners `v`, `v/vt`, `v//vn` or
//! `v/vt/vn`, of which only `v` counts. Corners are numbered from 1, or from −1 backwards over the vertices so far;
//! polygons are cut into a fan around their first corner. Every other statement is skipped: groups, materials,
//! texture coordinates and normals. `mtllib` is never opened. A backslash at the end of a line continues it.
//!
//! A mesh and a sequence are written as `v` and `f` alone, several objects ([`ObjScene`]) also with names, materials and texture
//! coordinates; coordinates in the shortest decimals that read back as the same `f64`.

mod read;
mod scene;
mod write;

pub(crate) use read::parse;
pub use scene::{ObjObject, ObjScene};
pub use write::{ObjSequence, obj_bytes, save_obj};
