//! Obstacles that are triangle meshes: files, keyframes and generated shapes.
//!
//! A mesh obstacle may be open, have edges with any number of triangles and be wound as it likes: what is refused is only
//! what has no place (no triangles, no finite coordinates). Vertices keep the numbers of the file, because keyframes go
//! by them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toile::{MeshObstacle, Obstacle, VertexKeyframes};
use toile_contact::{KeyframeError, Tessellation};
use toile_files::pc2::Pc2Reader;
use toile_files::{MeshFormat, read_mesh};
use toile_mesh::check::{self, Defect};
use toile_mesh::generate::motion::{Figure, MovingMesh};
use toile_mesh::{DVec3, TriMesh, generate};

use super::{BuildError, pieces};
use crate::scene::{FigureShape, MeshShape, ObstacleShape, Scene, WaveShape};

/// Coordinates of a mesh obstacle at most [m].
const FARTHEST: f64 = 1e6;
/// Vertices of all keyframes of an obstacle together at most.
const MOST_POSITIONS: usize = 50_000_000;

/// An obstacle as built.
pub(super) enum Built {
    /// Known by the distance to its surface.
    Exact(Obstacle),
    /// Known by its triangles.
    Mesh(MeshObstacle),
}

/// Obstacle `index` of a scene.
pub(super) fn obstacle(scene: &Scene, index: usize) -> Result<Built, BuildError> {
    let described = &scene.obstacle[index];
    let exact = pieces::exact(scene, index);
    let (mesh, keyframes) = match &described.shape {
        ObstacleShape::Mesh(shape) => from_file(shape, &exact.name)?,
        ObstacleShape::Torus(torus) => {
            (generate::torus(torus.radius, torus.tube, torus.segments.map(|n| n as usize)), None)
        }
        ObstacleShape::Wave(wave) => wave_mesh(wave, scene.time.duration, &exact.name)?,
        ObstacleShape::Funnel(f) => (generate::funnel(f.radii, f.heights, f.segments.map(|n| n as usize)), None),
        ObstacleShape::Figure(figure) => figure_mesh(figure, scene.time.duration, &exact.name)?,
        _ if described.triangulate => (at_rest(&exact), None),
        _ => return Ok(Built::Exact(exact)),
    };
    let Obstacle { name, motion, friction, padding, .. } = exact;
    let deformation = keyframes.map(|keyframes| Arc::new(keyframes) as _);
    Ok(Built::Mesh(MeshObstacle { name, mesh, deformation, motion, friction, padding }))
}

type Meshes = (TriMesh, Option<VertexKeyframes>);

fn from_file(shape: &MeshShape, name: &str) -> Result<Meshes, BuildError> {
    let path = PathBuf::from(&shape.file);
    let mut mesh = read_mesh(&path).map_err(|source| BuildError::ObstacleFile { obstacle: name.to_owned(), source })?;
    let mut report = check::check(&mesh);
    report.findings.retain(|f| matches!(f.defect, Defect::Empty | Defect::NonFinitePosition | Defect::IndexOutOfRange));
    if !report.is_clean() {
        return Err(BuildError::ObstacleMesh { obstacle: name.to_owned(), path, report: Box::new(report) });
    }
    // Such a triangle is an edge of its neighbour, and none of its own.
    mesh.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    for p in &mut mesh.positions {
        *p *= shape.scale;
    }
    let unusable = |path: &Path, reason: String, remedy: &str| BuildError::ObstacleKeyframes {
        obstacle: name.to_owned(),
        path: path.to_owned(),
        reason,
        remedy: remedy.to_owned(),
    };
    within_reach(&mesh.positions, &path, &unusable)?;
    if shape.keyframes.is_empty() {
        return Ok((mesh, None));
    }
    let mut frames = Vec::new();
    for entry in shape.keyframes.iter().map(Path::new) {
        for file in keyframe_files(entry, &unusable)? {
            read_frames(&file, name, mesh.vertex_count(), &mut frames, &unusable)?;
        }
    }
    for p in frames.iter_mut().flatten() {
        *p *= shape.scale;
    }
    let first = Path::new(&shape.keyframes[0]);
    for frame in &frames {
        within_reach(frame, first, &unusable)?;
    }
    let keyframes = VertexKeyframes::new(shape.keyframe_rate, frames)
        .map_err(|e: KeyframeError| unusable(first, e.to_string(), "write the keyframes again"))?;
    Ok((mesh, Some(keyframes)))
}

fn within_reach(x: &[DVec3], path: &Path, error: &Unusable<'_>) -> Result<(), BuildError> {
    match x.iter().position(|p| !p.is_finite() || p.abs().max_element() > FARTHEST) {
        None => Ok(()),
        Some(vertex) => {
            let reason = format!("vertex {vertex} is farther than {FARTHEST} m from the origin");
            Err(error(path, reason, "lower `scale`, or move the mesh to the origin"))
        }
    }
}

/// Makes an error about a file out of reason and remedy.
type Unusable<'a> = dyn Fn(&Path, String, &str) -> BuildError + 'a;

/// The file itself, or the mesh files of a folder by name.
fn keyframe_files(entry: &Path, error: &Unusable<'_>) -> Result<Vec<PathBuf>, BuildError> {
    if !entry.is_dir() {
        return Ok(vec![entry.to_owned()]);
    }
    let listed =
        std::fs::read_dir(entry).and_then(|all| all.map(|e| Ok(e?.path())).collect::<std::io::Result<Vec<_>>>());
    let mut files = listed.map_err(|e| error(entry, format!("the folder cannot be read: {e}"), "check its rights"))?;
    files.retain(|path| MeshFormat::from_path(path).is_ok());
    files.sort();
    if files.is_empty() {
        return Err(error(
            entry,
            "no mesh files in this folder".into(),
            "put OBJ, PLY or STL files into it, one per keyframe",
        ));
    }
    Ok(files)
}

/// Appends the frames of one file.
fn read_frames(
    path: &Path,
    name: &str,
    vertices: usize,
    frames: &mut Vec<Vec<DVec3>>,
    error: &Unusable<'_>,
) -> Result<(), BuildError> {
    let file = |source| BuildError::ObstacleFile { obstacle: name.to_owned(), source };
    let fits = |found: usize| {
        let reason = format!("{found} vertices, but the mesh has {vertices}");
        (found == vertices)
            .then_some(())
            .ok_or_else(|| error(path, reason, "export mesh and keyframes from the same object"))
    };
    let room = |count: usize| {
        let total = count.saturating_mul(vertices);
        let reason = format!("all keyframes together have {total} vertices, at most {MOST_POSITIONS} are allowed");
        (total <= MOST_POSITIONS).then_some(()).ok_or_else(|| error(path, reason, "use fewer keyframes"))
    };
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pc2")) {
        let mut reader = Pc2Reader::open(path).map_err(file)?;
        fits(reader.vertex_count())?;
        if reader.frame_count() == 0 {
            return Err(error(path, "the cache has no frames".into(), "write it again"));
        }
        room(frames.len() + reader.frame_count())?;
        for k in 0..reader.frame_count() {
            let frame = reader.frame(k).map_err(file)?;
            frames.push(frame.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect());
        }
    } else {
        let mesh = read_mesh(path).map_err(file)?;
        fits(mesh.vertex_count())?;
        room(frames.len() + 1)?;
        frames.push(mesh.positions);
    }
    Ok(())
}

/// A square sheet with height `h sin(2π f t) cos(2π x / l) cos(2π z / l)`.
fn wave_mesh(wave: &WaveShape, duration: f64, name: &str) -> Result<Meshes, BuildError> {
    use std::f64::consts::TAU;
    let sheet = generate::plane([wave.size; 2], [wave.cells as usize; 2]);
    let swell = |p: &DVec3, t: f64| {
        let crest = (TAU * p.x / wave.length).cos() * (TAU * p.z / wave.length).cos();
        DVec3::new(p.x, wave.height * (TAU * wave.frequency * t).sin() * crest, p.z)
    };
    let keyframes =
        generated(wave.keyframe_rate, duration, name, |t| sheet.positions.iter().map(|p| swell(p, t)).collect())?;
    Ok((sheet, Some(keyframes)))
}

/// The walking figure.
fn figure_mesh(shape: &FigureShape, duration: f64, name: &str) -> Result<Meshes, BuildError> {
    let figure = Figure::new(shape.triangles as usize);
    let keyframes = generated(shape.keyframe_rate, duration, name, |t| figure.positions_at(t))?;
    Ok((figure.mesh_at(0.0), Some(keyframes)))
}

/// Keyframes of a motion in closed form: one more than the run is long; the scene's rules bound the number.
fn generated(
    rate: f64,
    duration: f64,
    name: &str,
    positions: impl Fn(f64) -> Vec<DVec3>,
) -> Result<VertexKeyframes, BuildError> {
    let count = (duration * rate).ceil() as usize + 1;
    VertexKeyframes::new(rate, (0..count).map(|k| positions(k as f64 / rate)).collect()).map_err(|e| {
        let (obstacle, reason) = (name.to_owned(), e.to_string());
        BuildError::ObstacleKeyframes { obstacle, path: PathBuf::new(), reason, remedy: "change its shape".into() }
    })
}

/// The mesh of an exact obstacle in its own frame.
fn at_rest(obstacle: &Obstacle) -> TriMesh {
    let mut mesh = TriMesh::default();
    for piece in &obstacle.pieces {
        let part = piece.shape.tessellate(&Tessellation::default());
        mesh.append(&part.map_positions(|p| piece.pose.to_world(p)));
    }
    mesh
}
