//! The meshes of a search, and how their features are numbered together.

use std::path::{Path, PathBuf};

use miette::miette;
use toile_mesh::{DVec3, Motion, Surface, TriMesh};

use crate::check::{counted, read_mesh};

/// What is asked of the meshes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Question {
    /// Features at most this far apart [m].
    Proximities { within: f64 },
    /// Features that come this close during the step [m].
    Impacts { min_separation: f64 },
}

/// A mesh at the start and at the end of a step.
pub(super) struct MovingMesh {
    pub(super) start: PathBuf,
    /// Another file than `start` if there is a step.
    pub(super) end: Option<PathBuf>,
    pub(super) mesh: TriMesh,
    x_t1: Option<Vec<DVec3>>,
}

/// One mesh or two, and the question.
pub(super) struct Input {
    pub(super) meshes: Vec<MovingMesh>,
    pub(super) question: Question,
    /// Whether pairs within one mesh are asked for.
    pub(super) within_each: bool,
}

impl Input {
    pub(super) fn proximities(files: &[PathBuf], within: f64, within_each: bool) -> miette::Result<Self> {
        let read =
            |path: &PathBuf| Ok(MovingMesh { start: path.clone(), end: None, mesh: read_mesh(path)?, x_t1: None });
        let meshes = files.iter().map(read).collect::<miette::Result<Vec<_>>>()?;
        let within_each = within_each || meshes.len() == 1;
        Ok(Self { meshes, question: Question::Proximities { within }, within_each })
    }

    pub(super) fn impacts(starts: &[PathBuf], ends: &[PathBuf], min_separation: f64) -> miette::Result<Self> {
        if starts.len() != ends.len() || starts.len() > 2 {
            let given = format!("{} --start and {} --end were given", starts.len(), ends.len());
            return Err(miette!(help = "give --start and --end once each, or twice each for two meshes", "{given}"));
        }
        let meshes =
            starts.iter().zip(ends).map(|(s, e)| MovingMesh::read(s, e)).collect::<miette::Result<Vec<_>>>()?;
        Ok(Self { meshes, question: Question::Impacts { min_separation }, within_each: true })
    }

    /// The surfaces that are asked about.
    pub(super) fn surfaces(&self) -> Vec<Surface> {
        let surface = |m: &MovingMesh| {
            let surface = Surface::new(&m.mesh);
            if self.within_each { surface } else { surface.without_self_contact() }
        };
        self.meshes.iter().map(surface).collect()
    }

    pub(super) fn motions(&self) -> Vec<Motion<'_>> {
        self.meshes
            .iter()
            .map(|m| Motion { x_t0: &m.mesh.positions, x_t1: m.x_t1.as_ref().unwrap_or(&m.mesh.positions) })
            .collect()
    }

    /// Number of the first vertex and of the first triangle of each mesh. A file of 2 GiB, the most that is read, has
    /// too few vertices for the sum to leave 32 bits.
    pub(super) fn offsets(&self) -> Vec<[u32; 2]> {
        let mut next = [0; 2];
        let mut take = |m: &MovingMesh| {
            let first = next;
            next = [next[0] + m.mesh.vertex_count() as u32, next[1] + m.mesh.face_count() as u32];
            first
        };
        self.meshes.iter().map(&mut take).collect()
    }
}

impl MovingMesh {
    fn read(start: &Path, end: &Path) -> miette::Result<Self> {
        let (mesh, moved) = (read_mesh(start)?, read_mesh(end)?);
        let complain = |reason: String| {
            let help = "start and end must be one mesh with the same vertices and triangles in the same order";
            Err(miette!(help = help, "{} and {}: {reason}", start.display(), end.display()))
        };
        let counts =
            |m: &TriMesh| [counted(m.vertex_count(), "vertex"), counted(m.face_count(), "triangle")].join(" and ");
        if (mesh.vertex_count(), mesh.face_count()) != (moved.vertex_count(), moved.face_count()) {
            return complain(format!("{} at the start, {} at the end", counts(&mesh), counts(&moved)));
        }
        if let Some(f) = (0..mesh.face_count()).find(|f| mesh.triangles[*f] != moved.triangles[*f]) {
            let [a, b] = [&mesh, &moved].map(|m| m.triangles[f].map(|v| v.0));
            return complain(format!("triangle {f} joins vertices {a:?} at the start, {b:?} at the end"));
        }
        Ok(Self { start: start.to_owned(), end: Some(end.to_owned()), mesh, x_t1: Some(moved.positions) })
    }

    /// The files, for messages.
    pub(super) fn name(&self) -> String {
        match &self.end {
            Some(end) => format!("{} → {}", self.start.display(), end.display()),
            None => self.start.display().to_string(),
        }
    }
}
