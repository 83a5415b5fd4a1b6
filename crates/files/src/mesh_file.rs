//! One door for all mesh readers: format by extension, size limit, and the checks that every format shares.

use std::{fs::File, io::Read, path::Path};

use toile_mesh::TriMesh;

use crate::{FileError, ParseError, Place, RiggedScene, fbx, glb, obj, ply, stl};

/// Largest mesh file that is read: 2 GiB, about forty million triangles of binary STL.
pub const MAX_FILE_BYTES: u64 = 2 << 30;

/// A mesh format that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeshFormat {
    /// Wavefront OBJ, see [`mod@obj`].
    Obj,
    /// Polygon file format, see [`ply`].
    Ply,
    /// Stereolithography, see [`stl`].
    Stl,
    /// Binary glTF, see [`glb`].
    Glb,
    /// Filmbox, see [`fbx`].
    Fbx,
}

impl MeshFormat {
    /// Whether files of this format may hold a skeleton and an animation, see [`read_rigged`].
    pub fn is_rigged(self) -> bool {
        matches!(self, Self::Glb | Self::Fbx)
    }

    /// The format that the extension of `path` names, in any case.
    ///
    /// ```
    /// use toile_files::MeshFormat;
    /// assert_eq!(MeshFormat::from_path("body.OBJ".as_ref()).unwrap(), MeshFormat::Obj);
    /// assert!(MeshFormat::from_path("body.blend".as_ref()).is_err());
    /// ```
    pub fn from_path(path: &Path) -> Result<Self, FileError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "obj" => Ok(Self::Obj),
            "ply" => Ok(Self::Ply),
            "stl" => Ok(Self::Stl),
            "glb" => Ok(Self::Glb),
            "fbx" => Ok(Self::Fbx),
            _ => Err(FileError::UnknownExtension { path: path.to_owned(), extension }),
        }
    }
}

/// Reads a GLB or FBX file with its skeleton and its animation; the extension tells the format. Units and axes are taken as they are.
pub fn read_rigged(path: &Path) -> Result<RiggedScene, FileError> {
    match MeshFormat::from_path(path)? {
        MeshFormat::Glb => glb::read_glb(path),
        MeshFormat::Fbx => fbx::read_fbx(path),
        MeshFormat::Obj | MeshFormat::Ply | MeshFormat::Stl => {
            let reason = "files of this format hold no skeleton";
            Err(FileError::parse(path)(ParseError::new(Place::Whole, reason, "export it as .glb or .fbx")))
        }
    }
}

/// Reads a mesh file; the extension tells the format. Units and axes are taken as they are. Of a rigged file this is the rest pose.
pub fn read_mesh(path: &Path) -> Result<TriMesh, FileError> {
    let format = MeshFormat::from_path(path)?;
    let bytes = read_limited(path, MAX_FILE_BYTES)?;
    parse_mesh(format, &bytes).map_err(FileError::parse(path))
}

/// The whole file, refused as soon as it is known to exceed `limit` [bytes]. What counts is what can be read, not
/// what the directory says: pipes and devices have no length.
pub(crate) fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let too_large = || FileError::TooLarge { path: path.to_owned(), limit };
    let file = File::open(path).map_err(FileError::io(path, "open"))?;
    let length = file.metadata().map_err(FileError::io(path, "read"))?.len();
    if length > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).map_err(|_| too_large())?);
    file.take(limit + 1).read_to_end(&mut bytes).map_err(FileError::io(path, "read"))?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Reads a mesh from the bytes of a file.
///
/// ```
/// use toile_files::{MeshFormat, parse_mesh};
/// let mesh = parse_mesh(MeshFormat::Obj, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
/// assert_eq!((mesh.vertex_count(), mesh.face_count()), (3, 1));
/// let error = parse_mesh(MeshFormat::Obj, b"v 0 0 zero\n").unwrap_err();
/// assert!(error.to_string().starts_with("line 1: "));
/// ```
pub fn parse_mesh(format: MeshFormat, bytes: &[u8]) -> Result<TriMesh, ParseError> {
    if bytes.is_empty() {
        return Err(ParseError::new(Place::Whole, "the file is empty", "export it again"));
    }
    let mesh = match format {
        MeshFormat::Obj => obj::parse(bytes),
        MeshFormat::Ply => ply::parse(bytes),
        MeshFormat::Stl => stl::parse(bytes),
        MeshFormat::Glb => glb::parse_glb(bytes).map(|scene| scene.rest()),
        MeshFormat::Fbx => fbx::parse_fbx(bytes).map(|scene| scene.rest()),
    }?;
    if mesh.triangles.is_empty() {
        let (reason, remedy) = match mesh.vertex_count() {
            0 => ("no vertices and no faces".into(), "check that the file is what its extension says, and not empty"),
            n => (format!("{n} vertices but no faces"), "export the mesh with its faces, as polygons or triangles"),
        };
        return Err(ParseError::new(Place::Whole, reason, remedy));
    }
    Ok(mesh)
}

/// `count` as a number of mesh elements, which is limited to 32 bits.
pub(crate) fn element_count(count: u64, what: &str, place: Place) -> Result<u32, ParseError> {
    u32::try_from(count).map_err(|_| {
        let reason = format!("{count} {what}, the limit is {}", u32::MAX);
        ParseError::new(place, reason, "decimate the mesh or split it into several files")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_extension_lists_the_known_ones() {
        let message = MeshFormat::from_path(Path::new("dir/body.blend")).unwrap_err().to_string();
        assert_eq!(message, "dir/body.blend: unknown mesh file extension \"blend\"; known are obj, ply, stl, glb, fbx");
        let message = MeshFormat::from_path(Path::new("obj")).unwrap_err().to_string();
        assert!(message.contains("extension \"\""), "{message}");
    }

    #[test]
    fn a_file_over_the_limit_is_refused_and_one_at_the_limit_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [7; 100]).unwrap();
        assert_eq!(read_limited(file.path(), 100).unwrap(), [7; 100]);
        assert!(matches!(read_limited(file.path(), 99), Err(FileError::TooLarge { limit: 99, .. })));
    }

    #[test]
    fn the_message_of_a_file_error_names_the_path_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("body.obj");
        assert!(read_mesh(&path).unwrap_err().to_string().starts_with("cannot open "));
        std::fs::write(&path, "").unwrap();
        let message = read_mesh(&path).unwrap_err().to_string();
        assert_eq!(message, format!("{}: whole file: the file is empty; export it again", path.display()));
    }

    #[test]
    fn element_counts_end_at_32_bits() {
        assert_eq!(element_count(u64::from(u32::MAX), "vertices", Place::Whole), Ok(u32::MAX));
        assert!(element_count(1 << 32, "vertices", Place::Whole).is_err());
    }
}
