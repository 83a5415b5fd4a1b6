//! Meshes that move: positions frame by frame, from a folder of mesh files or a point cache.
//!
//! All frames have the vertices of one mesh, in its order. Files of a folder are taken by name, numbers by their value, so
//! that `frame2.obj` comes before `frame10.obj`.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use toile_mesh::{DVec3, TriMesh};

use crate::pc2::Pc2Reader;
use crate::{FileError, MeshFormat, ParseError, Place, read_mesh};

/// Positions of all frames together at most: 1.2 GB.
pub const MOST_POSITIONS: usize = 50_000_000;

/// Reads the frames of a moving mesh: a PC2 file, a mesh file (one frame), or a folder of mesh files.
pub fn read_frames(mesh: &TriMesh, path: &Path) -> Result<Vec<Vec<DVec3>>, FileError> {
    if path.is_dir() {
        let files = mesh_files(path)?;
        let mut frames = Vec::new();
        for file in &files {
            room(mesh, frames.len() + 1, file)?;
            frames.push(frame_of(mesh, read_mesh(file)?, file)?);
        }
        return Ok(frames);
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pc2")) {
        let mut reader = Pc2Reader::open(path)?;
        fits(mesh, reader.vertex_count(), path)?;
        room(mesh, reader.frame_count(), path)?;
        let frame = |p: Vec<[f32; 3]>| p.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
        return (0..reader.frame_count()).map(|k| reader.frame(k).map(frame)).collect();
    }
    Ok(vec![frame_of(mesh, read_mesh(path)?, path)?])
}

/// The mesh files of a folder, in order.
fn mesh_files(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let entries = std::fs::read_dir(folder).map_err(FileError::io(folder, "read"))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(FileError::io(folder, "read"))?.path();
        if MeshFormat::from_path(&path).is_ok() {
            files.push(path);
        }
    }
    if files.is_empty() {
        let remedy = "put OBJ, PLY or STL files into it, one per frame";
        return Err(FileError::parse(folder)(ParseError::new(Place::Whole, "no mesh files in this folder", remedy)));
    }
    files.sort_by(|a, b| natural(&a.to_string_lossy(), &b.to_string_lossy()));
    Ok(files)
}

/// Order of names in which runs of digits count by their value.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(p), Some(q)) = (x.first(), y.first()) {
        if p.is_ascii_digit() && q.is_ascii_digit() {
            let digits = |s: &[u8]| s.iter().take_while(|c| c.is_ascii_digit()).count();
            let zeros = |s: &[u8]| s.iter().take_while(|c| **c == b'0').count();
            let (m, n) = (digits(x), digits(y));
            let (u, v) = (&x[zeros(&x[..m])..m], &y[zeros(&y[..n])..n]);
            let order = u.len().cmp(&v.len()).then(u.cmp(v));
            if order.is_ne() {
                return order;
            }
            (x, y) = (&x[m..], &y[n..]);
        } else if p == q {
            (x, y) = (&x[1..], &y[1..]);
        } else {
            return p.cmp(q);
        }
    }
    x.len().cmp(&y.len()).then(a.cmp(b))
}

fn frame_of(mesh: &TriMesh, frame: TriMesh, path: &Path) -> Result<Vec<DVec3>, FileError> {
    fits(mesh, frame.vertex_count(), path)?;
    Ok(frame.positions)
}

fn fits(mesh: &TriMesh, found: usize, path: &Path) -> Result<(), FileError> {
    if found == mesh.vertex_count() {
        return Ok(());
    }
    let reason = format!("{found} vertices, but the mesh has {}", mesh.vertex_count());
    let remedy = "export mesh and frames from the same object, with its vertex order kept";
    Err(FileError::parse(path)(ParseError::new(Place::Whole, reason, remedy)))
}

fn room(mesh: &TriMesh, frames: usize, path: &Path) -> Result<(), FileError> {
    let total = frames.saturating_mul(mesh.vertex_count());
    if total <= MOST_POSITIONS {
        return Ok(());
    }
    let reason = format!("{frames} frames have {total} positions together, at most {MOST_POSITIONS} are read");
    Err(FileError::parse(path)(ParseError::new(Place::Whole, reason, "use fewer frames or a coarser mesh")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obj::save_obj;
    use crate::pc2::Pc2Writer;
    use toile_mesh::generate;

    fn moved(mesh: &TriMesh, k: f64) -> TriMesh {
        mesh.clone().map_positions(|p| p + k * DVec3::X)
    }

    #[test]
    fn folders_are_read_by_the_value_of_their_numbers() {
        let (folder, ball) = (tempfile::tempdir().unwrap(), generate::icosphere(0.5, 1));
        for k in [1_u32, 2, 9, 10, 11, 100] {
            save_obj(&folder.path().join(format!("ball_{k}.obj")), &moved(&ball, f64::from(k))).unwrap();
        }
        std::fs::write(folder.path().join("notes.txt"), "no mesh").unwrap();
        let frames = read_frames(&ball, folder.path()).unwrap();
        let ways: Vec<f64> = frames.iter().map(|x| (x[3] - ball.positions[3]).x.round()).collect();
        assert_eq!(ways, [1.0, 2.0, 9.0, 10.0, 11.0, 100.0]);
    }

    #[test]
    fn point_caches_and_single_files_are_read() {
        let (folder, ball) = (tempfile::tempdir().unwrap(), generate::icosphere(0.5, 1));
        let path = folder.path().join("ball.PC2");
        let mut writer = Pc2Writer::create(&path, ball.vertex_count(), 0.0, 1.0).unwrap();
        for k in 0..3 {
            writer.push(&moved(&ball, f64::from(k)).positions).unwrap();
        }
        writer.finish().unwrap();
        let frames = read_frames(&ball, &path).unwrap();
        assert_eq!(frames.len(), 3);
        assert!((frames[2][5] - ball.positions[5] - 2.0 * DVec3::X).length() < 1e-6);
        let path = folder.path().join("one.obj");
        save_obj(&path, &ball).unwrap();
        assert_eq!(read_frames(&ball, &path).unwrap(), std::slice::from_ref(&ball.positions));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (folder, ball) = (tempfile::tempdir().unwrap(), generate::icosphere(0.5, 1));
        let refused = |path: &Path| read_frames(&ball, path).unwrap_err().to_string();
        assert!(refused(folder.path()).contains("no mesh files in this folder; put OBJ"));
        save_obj(&folder.path().join("a.obj"), &generate::icosphere(0.5, 0)).unwrap();
        assert!(refused(folder.path()).contains("a.obj: whole file: 12 vertices, but the mesh has 42; export"));
        assert!(refused(&folder.path().join("none.pc2")).starts_with("cannot open"));
    }

    #[test]
    fn numbers_order_before_letters_do() {
        assert_eq!(natural("f2", "f10"), Ordering::Less);
        assert_eq!(natural("f010", "f10"), Ordering::Less);
        assert_eq!(natural("f10a", "f10b"), Ordering::Less);
        assert_eq!(natural("a9", "b1"), Ordering::Less);
    }
}
