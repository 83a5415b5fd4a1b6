//! The OBJ writers: one mesh, or one numbered file per frame.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use toile_mesh::{DVec3, TriMesh, VertexId};

use crate::{
    ExportError, FileError,
    atomic::write_atomic,
    export_check::{check_length, check_triangles},
};

/// A mesh as an OBJ file. Reading it back gives the same bits.
///
/// ```
/// use toile_files::{MeshFormat, obj::obj_bytes, parse_mesh};
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X / 3.0, DVec3::Y], &[[0, 1, 2]]);
/// let bytes = obj_bytes(&mesh).unwrap();
/// assert_eq!(parse_mesh(MeshFormat::Obj, &bytes).unwrap(), mesh);
/// ```
pub fn obj_bytes(mesh: &TriMesh) -> Result<Vec<u8>, ExportError> {
    check_triangles(&mesh.triangles, mesh.vertex_count())?;
    positions_and_faces(&mesh.positions, &faces_text(&mesh.triangles)).map(String::into_bytes)
}

/// Writes a mesh as an OBJ file, whole or not at all.
pub fn save_obj(path: &Path, mesh: &TriMesh) -> Result<(), FileError> {
    write_atomic(path, &obj_bytes(mesh).map_err(FileError::export(path))?)
}

/// Writes frames of one mesh as `frame_0001.obj`, `frame_0002.obj`, … into a folder.
///
/// ```
/// use toile_files::obj::ObjSequence;
/// use toile_mesh::{DVec3, TriMesh};
/// let folder = tempfile::tempdir().unwrap();
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
/// let mut sequence = ObjSequence::create(folder.path(), &mesh).unwrap();
/// let path = sequence.push(&mesh.positions).unwrap();
/// assert_eq!(path, folder.path().join("frame_0001.obj"));
/// ```
#[derive(Debug)]
pub struct ObjSequence {
    folder: PathBuf,
    vertices: usize,
    /// The faces never change, so they are put into words once.
    faces: String,
    frames: u32,
}

impl ObjSequence {
    /// Starts a sequence with the triangles and vertex count of `mesh`; makes the folder if it is missing.
    pub fn create(folder: &Path, mesh: &TriMesh) -> Result<Self, FileError> {
        check_triangles(&mesh.triangles, mesh.vertex_count()).map_err(FileError::export(folder))?;
        std::fs::create_dir_all(folder).map_err(FileError::io(folder, "create folder"))?;
        Ok(Self {
            folder: folder.to_owned(),
            vertices: mesh.vertex_count(),
            faces: faces_text(&mesh.triangles),
            frames: 0,
        })
    }

    /// Path of frame `number`, counted from 1.
    pub fn frame_path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("frame_{number:04}.obj"))
    }

    /// Writes the next frame with these positions [m]; returns its path.
    pub fn push(&mut self, positions: &[DVec3]) -> Result<PathBuf, FileError> {
        let path = self.frame_path(self.frames + 1);
        let text = check_length("positions", positions.len(), self.vertices)
            .and_then(|()| positions_and_faces(positions, &self.faces))
            .map_err(FileError::export(&path))?;
        write_atomic(&path, text.as_bytes())?;
        self.frames += 1;
        Ok(path)
    }
}

fn faces_text(triangles: &[[VertexId; 3]]) -> String {
    let mut text = String::with_capacity(triangles.len() * 24);
    for [a, b, c] in triangles.iter().map(|t| t.map(|v| u64::from(v.0) + 1)) {
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text
}

fn positions_and_faces(positions: &[DVec3], faces: &str) -> Result<String, ExportError> {
    let mut text = String::with_capacity(positions.len() * 64 + faces.len());
    for (vertex, p) in positions.iter().enumerate() {
        if !p.is_finite() {
            return Err(ExportError::NonFinite { what: "position".into(), vertex });
        }
        // `{:?}` prints the shortest decimals that read back as the same bits, with an exponent where that is shorter.
        let _ = writeln!(text, "v {:?} {:?} {:?}", p.x, p.y, p.z);
    }
    text.push_str(faces);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> TriMesh {
        TriMesh::from_indices(vec![DVec3::ZERO, DVec3::new(0.1, -0.0, 1e-300), DVec3::Y], &[[0, 1, 2]])
    }

    #[test]
    fn text_is_short_and_exact() {
        let text = String::from_utf8(obj_bytes(&triangle()).unwrap()).unwrap();
        assert_eq!(text, "v 0.0 0.0 0.0\nv 0.1 -0.0 1e-300\nv 0.0 1.0 0.0\nf 1 2 3\n");
    }

    #[test]
    fn meshes_that_would_not_read_back_are_refused() {
        let mut mesh = triangle();
        mesh.positions[1].y = f64::NAN;
        assert!(matches!(obj_bytes(&mesh), Err(ExportError::NonFinite { vertex: 1, .. })));
        let mesh = TriMesh::from_indices(vec![DVec3::ZERO], &[[0, 0, 1]]);
        assert!(matches!(obj_bytes(&mesh), Err(ExportError::VertexOutOfRange { face: 0, vertex: 1, vertices: 1 })));
        assert!(matches!(obj_bytes(&TriMesh::default()), Err(ExportError::Empty { .. })));
    }

    #[test]
    fn a_sequence_numbers_its_files_and_refuses_a_frame_of_another_mesh() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("run/obj");
        let mesh = triangle();
        let mut sequence = ObjSequence::create(&folder, &mesh).unwrap();
        let moved = mesh.clone().map_positions(|p| p + DVec3::Z);
        assert_eq!(sequence.push(&mesh.positions).unwrap(), folder.join("frame_0001.obj"));
        assert!(sequence.push(&mesh.positions[..2]).is_err());
        assert_eq!(sequence.push(&moved.positions).unwrap(), folder.join("frame_0002.obj"));
        assert_eq!(crate::read_mesh(&sequence.frame_path(1)).unwrap(), mesh);
        assert_eq!(crate::read_mesh(&sequence.frame_path(2)).unwrap(), moved);
    }
}
