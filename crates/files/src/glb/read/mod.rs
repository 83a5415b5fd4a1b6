//! Reading GLB: the triangles of a scene, moved by its animation, as a [`RiggedScene`].
//!
//! Units and axes are those of glTF: metres, y up. Only nodes of the default scene count; without scenes, all do. Sparse accessors and
//! integer positions (`KHR_mesh_quantization`) are read.
//!
//! Refused, with a remedy: compressed meshes (Draco, meshopt), extensions without which the triangles cannot be known, buffers
//! outside of the file, more than [`MOST_VERTICES`] vertices or [`MOST_NUMBERS`] numbers.

mod animation;
mod container;
mod scene;

use std::path::Path;

use crate::mesh_file::read_limited;
use crate::rigged::RiggedScene;
use crate::{FileError, MAX_FILE_BYTES, ParseError};

/// Vertices of a scene at most.
pub const MOST_VERTICES: usize = 5_000_000;

/// Numbers of a scene at most, keys and morph targets together: half a gigabyte.
pub const MOST_NUMBERS: usize = 60_000_000;

/// Reads a GLB file.
pub fn read_glb(path: &Path) -> Result<RiggedScene, FileError> {
    let bytes = read_limited(path, MAX_FILE_BYTES)?;
    parse_glb(&bytes).map_err(FileError::parse(path))
}

/// Reads a GLB file from its bytes.
///
/// ```
/// use toile_files::glb::{GlbInterpolation, GlbNormals, GlbObject, GlbScene, parse_glb};
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
/// let mut cloth = GlbObject::new("cloth", &mesh, GlbNormals::Base).unwrap();
/// for k in 0..3 {
///     cloth.push_frame(&mesh.positions.iter().map(|p| *p + f64::from(k) * DVec3::Z).collect::<Vec<_>>()).unwrap();
/// }
/// let mut written = GlbScene::new(10.0, GlbInterpolation::Linear).unwrap();
/// written.add(cloth);
/// let scene = parse_glb(&written.to_bytes().unwrap()).unwrap();
/// assert!((scene.mesh_at(0.05).positions[1] - DVec3::new(1.0, 0.0, 0.5)).length() < 1e-6);
/// ```
pub fn parse_glb(bytes: &[u8]) -> Result<RiggedScene, ParseError> {
    let container = container::Container::open(bytes)?;
    scene::build(&container)
}
