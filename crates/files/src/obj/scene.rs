//! [`ObjScene`]: several objects with materials and texture coordinates in one OBJ file, and its material library.
//!
//! Corners have texture coordinates (`f v/vt`), so that vertices are not split at seams: each object keeps the number and the order
//! of its vertices, and a [point cache](crate::pc2) of it fits.

use std::{fmt::Write as _, io::Write as _, path::Path};

use toile_mesh::TriMesh;

use crate::{
    ExportError, FileError,
    atomic::{AtomicFile, write_atomic},
    export_check::{check_finite, check_length, check_triangles},
    materials::{Materials, unique},
};

/// An object of an OBJ file.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ObjObject<'a> {
    /// Its name; blanks become underscores, and it is made unique.
    pub name: &'a str,
    /// Its surface [m].
    pub mesh: &'a TriMesh,
    /// Places of the corners on a texture, `u` to the right and `v` upwards, shape `[triangles][3]`.
    pub uv: Option<&'a [[[f32; 2]; 3]]>,
    /// Name of its material.
    pub material: &'a str,
    /// Colour of its material: linear red, green, blue from 0 to 1.
    pub color: [f32; 3],
}

/// Writes objects one by one; the files appear on [`finish`](Self::finish).
///
/// ```
/// use toile_files::obj::{ObjObject, ObjScene};
/// use toile_mesh::{DVec3, TriMesh};
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("result.obj");
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
/// let mut scene = ObjScene::create(&path)?;
/// scene.push(&ObjObject { name: "cloth", mesh: &mesh, uv: None, material: "linen", color: [0.5; 3] })?;
/// scene.finish()?;
/// assert_eq!(toile_files::read_mesh(&path)?, mesh);
/// # Ok::<(), toile_files::FileError>(())
/// ```
#[derive(Debug)]
pub struct ObjScene {
    file: AtomicFile,
    names: Vec<String>,
    materials: Materials,
    vertices: usize,
    places: usize,
}

impl ObjScene {
    /// Starts a file; its material library will be beside it, with the extension `mtl`.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let mut file = AtomicFile::create(path)?;
        let library = library(path);
        let library = library.file_name().unwrap_or_default().to_string_lossy();
        writeln!(file, "# Toile: metres, y up\nmtllib {library}").map_err(FileError::io(path, "write"))?;
        Ok(Self { file, names: Vec::new(), materials: Materials::default(), vertices: 0, places: 0 })
    }

    /// Writes an object.
    pub fn push(&mut self, object: &ObjObject<'_>) -> Result<(), FileError> {
        let path = self.file.path().to_owned();
        let text = self.object_text(object).map_err(FileError::export(&path))?;
        self.file.write_all(text.as_bytes()).map_err(FileError::io(&path, "write"))
    }

    fn object_text(&mut self, object: &ObjObject<'_>) -> Result<String, ExportError> {
        let mesh = object.mesh;
        check_triangles(&mesh.triangles, mesh.vertex_count())?;
        if let Some(vertex) = mesh.positions.iter().position(|p| !p.is_finite()) {
            return Err(ExportError::NonFinite { what: "position".into(), vertex });
        }
        if let Some(uv) = object.uv {
            check_length("texture coordinates", uv.len(), mesh.face_count())?;
            check_finite("texture coordinates", uv.as_flattened().as_flattened())?;
        }
        let name = unique(&word(object.name), &self.names);
        let material = self.materials.number(&word(object.material), object.color);
        let mut text = format!("o {name}\nusemtl {}\n", self.materials.name(material));
        for p in &mesh.positions {
            let _ = writeln!(text, "v {:?} {:?} {:?}", p.x, p.y, p.z);
        }
        let places = places(object.uv.unwrap_or_default());
        for [u, v] in &places {
            let _ = writeln!(text, "vt {u:?} {v:?}");
        }
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            text.push('f');
            for (corner, v) in triangle.iter().enumerate() {
                let vertex = self.vertices + v.index() + 1;
                match object.uv {
                    None => {
                        let _ = write!(text, " {vertex}");
                    }
                    Some(uv) => {
                        let place = places.partition_point(|known| key(*known) < key(uv[t][corner]));
                        let _ = write!(text, " {vertex}/{}", self.places + place + 1);
                    }
                }
            }
            text.push('\n');
        }
        self.vertices += mesh.vertex_count();
        self.places += places.len();
        self.names.push(name);
        Ok(text)
    }

    /// Writes the material library, then the file takes its name.
    pub fn finish(self) -> Result<(), FileError> {
        if self.names.is_empty() {
            return Err(FileError::export(self.file.path())(ExportError::Empty { what: "object" }));
        }
        let mut text = String::from("# Toile\n");
        for (name, [r, g, b]) in self.materials.iter() {
            let _ = writeln!(text, "newmtl {name}\nKd {r:?} {g:?} {b:?}\nKs 0.0 0.0 0.0\nd 1.0");
        }
        write_atomic(&library(self.file.path()), text.as_bytes())?;
        self.file.commit()
    }
}

/// The material library of a file.
fn library(path: &Path) -> std::path::PathBuf {
    path.with_extension("mtl")
}

/// A name without blanks, which would end it.
fn word(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    if plain.is_empty() { "_".to_owned() } else { plain }
}

/// Bits of a place, which sort and compare as numbers do not.
fn key(place: [f32; 2]) -> [u32; 2] {
    place.map(f32::to_bits)
}

/// All places, each once.
fn places(uv: &[[[f32; 2]; 3]]) -> Vec<[f32; 2]> {
    let mut places: Vec<[f32; 2]> = uv.as_flattened().to_vec();
    places.sort_unstable_by_key(|place| key(*place));
    places.dedup_by_key(|place| key(*place));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::DVec3;

    #[test]
    fn corners_have_places_and_vertices_are_not_split() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.obj");
        let x = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.5)];
        let mesh = TriMesh::from_indices(x, &[[0, 1, 2], [1, 3, 2]]);
        // Vertex 1 has two places.
        let uv = [[[0.0, 0.0], [0.25, 0.0], [0.0, 0.25]], [[0.5, 0.0], [0.75, 0.25], [0.0, 0.25]]];
        let cloth = ObjObject { name: "my cloth", mesh: &mesh, uv: Some(&uv), material: "denim", color: [0.1; 3] };
        let mut scene = ObjScene::create(&path).unwrap();
        scene.push(&cloth).unwrap();
        scene.push(&ObjObject { uv: None, color: [0.2; 3], ..cloth }).unwrap();
        scene.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("v ")).count(), 8);
        assert_eq!(text.lines().filter(|line| line.starts_with("vt ")).count(), 5);
        let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("o ")).collect();
        assert_eq!(names, ["my_cloth", "my_cloth_2"]);
        let vt: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("vt ")).collect();
        let corners: Vec<(usize, &str)> = text
            .lines()
            .filter_map(|line| line.strip_prefix("f "))
            .take(2)
            .flat_map(str::split_whitespace)
            .map(|corner| corner.split_once('/').unwrap())
            .map(|(v, t)| (v.parse::<usize>().unwrap() - 1, vt[t.parse::<usize>().unwrap() - 1]))
            .collect();
        let expected =
            [(0, "0.0 0.0"), (1, "0.25 0.0"), (2, "0.0 0.25"), (1, "0.5 0.0"), (3, "0.75 0.25"), (2, "0.0 0.25")];
        assert_eq!(corners, expected);
        assert_eq!(text.lines().last(), Some("f 6 8 7"));
        let library = std::fs::read_to_string(folder.path().join("a.mtl")).unwrap();
        assert!(library.contains("newmtl denim\nKd 0.1 0.1 0.1\n") && library.contains("newmtl denim_2\nKd 0.2"));
        let all = crate::read_mesh(&path).unwrap();
        assert_eq!((all.vertex_count(), all.face_count()), (8, 4));
    }

    #[test]
    fn what_cannot_be_written_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.obj");
        assert!(ObjScene::create(&path).unwrap().finish().is_err());
        let bad = TriMesh::from_indices(vec![DVec3::NAN, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
        let mut scene = ObjScene::create(&path).unwrap();
        let object = ObjObject { name: "a", mesh: &bad, uv: None, material: "m", color: [0.1; 3] };
        assert!(scene.push(&object).is_err());
        drop(scene);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
