//! Reading FBX: the triangles of a scene, moved by its first animation, as a [`RiggedScene`].
//!
//! The library ufbx takes the file apart (ascii and binary, versions 3000 to 7700). Polygons are cut into triangles; skins, morph
//! targets and nodes become those of a rigged scene. Transforms of FBX have pivots and orders of rotation of their own; so the
//! animation is sampled, [`RATE`] times a second, and joints turn along the shortest arc between samples.
//!
//! Units and axes are taken as they stand in the file. No other file is opened.
//!
//! Refused, with a remedy: files without polygons, more than [`MOST_VERTICES`] vertices or [`MOST_NUMBERS`] numbers, and files that
//! would need more memory than [`MEMORY_PER_BYTE`] times their size.

mod read;

use std::path::Path;

use crate::mesh_file::read_limited;
use crate::{FileError, MAX_FILE_BYTES, ParseError, RiggedScene};

pub use crate::glb::{MOST_NUMBERS, MOST_VERTICES};

/// Samples of an animation per second [1/s].
pub const RATE: f64 = 60.0;

/// Memory that a file may take while it is read, over its size: binary files are deflated.
pub const MEMORY_PER_BYTE: usize = 200;

/// Reads an FBX file.
pub fn read_fbx(path: &Path) -> Result<RiggedScene, FileError> {
    let bytes = read_limited(path, MAX_FILE_BYTES)?;
    parse_fbx(&bytes).map_err(FileError::parse(path))
}

/// Reads an FBX file from its bytes.
///
/// ```
/// use toile_files::fbx::parse_fbx;
/// let text = "; FBX 7.4.0 project file
/// FBXHeaderExtension: {\n FBXVersion: 7400\n}
/// Objects: {
///   Geometry: 1, \"Geometry::\", \"Mesh\" {
///     Vertices: *12 {\n a: 0,0,0, 1,0,0, 1,1,0, 0,1,0\n }
///     PolygonVertexIndex: *4 {\n a: 0,1,2,-4\n }
///   }
///   Model: 2, \"Model::Square\", \"Mesh\" {\n }
/// }
/// Connections: {\n C: \"OO\",2,0\n C: \"OO\",1,2\n}\n";
/// let square = parse_fbx(text.as_bytes()).unwrap().rest();
/// assert_eq!((square.vertex_count(), square.face_count()), (4, 2));
/// ```
pub fn parse_fbx(bytes: &[u8]) -> Result<RiggedScene, ParseError> {
    read::parse(bytes)
}
