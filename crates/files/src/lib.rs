//! Every mesh and animation format that Toile reads or writes, with versions and limits.
//!
//! | format | version | read | written | precision | module |
//! |---|---|---|---|---|---|
//! | OBJ | Wavefront 3.0, polygons only | ● | ●, several objects with textures, also as a sequence | decimals, `f64` exact | [`mod@obj`] |
//! | PLY | 1.0 ascii, binary little and big endian | ● | binary little endian | `float` or `double` | [`ply`] |
//! | STL | ascii and binary | ● | – | `f32` in binary files | [`stl`] |
//! | PC2 | 1 | ● | ● | `f32` | [`pc2`] |
//! | BVH | Biovision, as exporters write it | ● | – | decimals | [`bvh`] |
//! | ZIP, gzip | deflate, no ZIP64 | ● | – | – | [`archive`] |
//! | GLB | glTF 2.0 | ● with its animation | ● | `f32` | [`glb`] |
//! | USD | usda 1.0 | – | ● | `f32` | [`usda`] |
//! | FBX | 3.0 to 7.7, ascii and binary | ● with its animation | – | `f64` | [`fbx`] |
//!
//! Reading: [`read_mesh`] for a file, [`parse_mesh`] for bytes. Units and axes are taken as they stand in the file; no
//! other file is opened (an OBJ's material library is ignored). What comes back has finite coordinates, indices in
//! range and at least one triangle; everything else (degenerate triangles, non-manifold edges) is for the mesh check.
//!
//! Input is not trusted: declared counts are compared with the bytes that are there before memory is taken, so that
//! arbitrary bytes never panic and never cost more than about twelve times their own size: a polygon corner of
//! one byte becomes a triangle of twelve.
//!
//! Writing: whole files go through [`atomic`], so that a reader never sees half a file.

pub mod archive;
pub mod atomic;
pub mod bvh;
mod error;
mod export_check;
pub mod fbx;
pub mod glb;
mod materials;
mod mesh_file;
pub mod obj;
pub mod pc2;
pub mod ply;
mod rigged;
pub mod sequence;
pub mod stl;
mod text;
pub mod usda;

pub use error::{ExportError, FileError, ParseError, Place};
pub use mesh_file::{MAX_FILE_BYTES, MeshFormat, parse_mesh, read_mesh, read_rigged};
pub use rigged::RiggedScene;
