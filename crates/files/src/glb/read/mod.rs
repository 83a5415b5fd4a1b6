//! Reading GLB: the triangles of a scene, moved by its animation.
//!
//! Everything that has triangles becomes one mesh, and [`GlbScene::positions`] gives it at any time: morph targets are added
//! with their weights, `x + Σ w_k d_k`; skinned vertices follow their joints, `Σ w_j M_j B_j x` with the joint's transform `M_j` and
//! its inverse bind matrix `B_j`, others their node. Channels of the first animation are interpolated as they say: in steps,
//! straight (rotations along the shortest arc), or by cubic splines (glTF 2.0, §3.11 and appendix C).
//!
//! Units and axes are those of glTF: metres, y up. Vertices keep the order of the file; parts come in the order of their nodes.
//!
//! Refused, with a remedy: files that need an extension, sparse accessors, buffers outside of the file, more than
//! [`MOST_VERTICES`] vertices or [`MOST_NUMBERS`] numbers.

mod animation;
mod container;
mod scene;

use std::path::Path;

use toile_mesh::{DVec3, TriMesh, VertexId};

use crate::mesh_file::read_limited;
use crate::{FileError, MAX_FILE_BYTES, ParseError};
use animation::Channel;
use scene::{Node, Part};

/// Vertices of a scene at most.
pub const MOST_VERTICES: usize = 5_000_000;

/// Numbers of a scene at most, keys and morph targets together: half a gigabyte.
pub const MOST_NUMBERS: usize = 60_000_000;

/// The moving triangles of a GLB file.
#[derive(Clone, Debug)]
pub struct GlbScene {
    nodes: Vec<Node>,
    parts: Vec<Part>,
    channels: Vec<Channel>,
    triangles: Vec<[VertexId; 3]>,
    duration: f64,
}

/// Reads a GLB file.
pub fn read_glb(path: &Path) -> Result<GlbScene, FileError> {
    let bytes = read_limited(path, MAX_FILE_BYTES)?;
    parse_glb(&bytes).map_err(FileError::parse(path))
}

/// Reads a GLB file from its bytes.
///
/// ```
/// use toile_files::glb::{GlbAnimation, GlbInterpolation, GlbNormals, parse_glb};
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
/// let mut written = GlbAnimation::new("cloth", &mesh, 10.0, GlbInterpolation::Linear, GlbNormals::Base).unwrap();
/// for k in 0..3 {
///     written.push_frame(&mesh.positions.iter().map(|p| *p + f64::from(k) * DVec3::Z).collect::<Vec<_>>()).unwrap();
/// }
/// let scene = parse_glb(&written.to_bytes().unwrap()).unwrap();
/// assert!((scene.mesh_at(0.05).positions[1] - DVec3::new(1.0, 0.0, 0.5)).length() < 1e-6);
/// ```
pub fn parse_glb(bytes: &[u8]) -> Result<GlbScene, ParseError> {
    let container = container::Container::open(bytes)?;
    scene::build(&container)
}

impl GlbScene {
    /// Time of the last key of its animation [s]; 0 without one.
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Its triangles, over all parts.
    pub fn triangles(&self) -> &[[VertexId; 3]] {
        &self.triangles
    }

    /// The mesh at a time [s].
    pub fn mesh_at(&self, t: f64) -> TriMesh {
        let mut positions = Vec::new();
        self.positions(t, &mut positions);
        TriMesh { positions, triangles: self.triangles.clone() }
    }

    /// Positions of all vertices at a time [m; s]; before the first key and after the last as there.
    pub fn positions(&self, t: f64, positions: &mut Vec<DVec3>) {
        let mut nodes = self.nodes.clone();
        for channel in &self.channels {
            channel.apply(t, &mut nodes);
        }
        let world = scene::world(&nodes);
        positions.clear();
        for part in &self.parts {
            part.positions(&nodes, &world, positions);
        }
    }
}
