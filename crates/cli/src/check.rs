//! `toile check`: is a mesh fit to be simulated, and does it intersect itself or another?
//!
//! Of a scene: does anything intersect at its start (`start`)?
//!
//! The mesh check names the defects; the judge looks at what its repairs leave. A mesh that is rejected is not judged.

mod start;
mod words;

pub(crate) use start::sentence;
pub(crate) use words::counted;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use miette::{IntoDiagnostic, Report, miette};
use toile_files::{FileError, obj::save_obj};
use toile_mesh::TriMesh;
use toile_mesh::check::{self, CheckReport, Severity};
use toile_mesh::judge::{self, Verdict};

use crate::args::{CheckArgs, Global};
use crate::{exit_code, output, say};

pub(crate) fn check(args: &CheckArgs, global: &Global) -> miette::Result<ExitCode> {
    if start::is_scene(&args.mesh) {
        output::new_files(args.picture.as_deref(), global)?;
        return start::check(args, global);
    }
    if args.picture.is_some() {
        let help = "toile render draws meshes";
        return Err(miette!(help = help, "{}: --picture shows the start of a scene", args.mesh.display()));
    }
    if let Some(target) = &args.repair {
        accept_target(target, args)?;
        output::new_file(target, global)?;
    }
    let mesh = CheckedMesh::read(&args.mesh)?;
    let against = args.against.as_deref().map(CheckedMesh::read).transpose()?;
    let own = mesh.usable.as_ref().map(judge::self_intersections);
    let mutual = match (&mesh.usable, against.as_ref().and_then(|a| a.usable.as_ref())) {
        (Some(first), Some(second)) => Some(judge::mutual_intersections(first, second)),
        _ => None,
    };
    let mut written = None;
    if let (Some(target), Some(usable)) = (&args.repair, &mesh.usable) {
        save_obj(target, usable).map_err(|e| explained(&e))?;
        written = Some(target.clone());
    }
    let outcome = Outcome { mesh, against, own, mutual, written };
    if global.json {
        say(outcome.json());
    } else if !global.quiet {
        say(outcome.text(args.repair.as_deref()));
    }
    let is_usable = outcome.own.is_some() && (outcome.against.is_none() || outcome.mutual.is_some());
    Ok(if is_usable { exit_code(outcome.is_good()) } else { ExitCode::FAILURE })
}

/// Reads a mesh; the error names file, place, reason and remedy.
pub(crate) fn read_mesh(path: &Path) -> miette::Result<TriMesh> {
    toile_files::read_mesh(path).map_err(|e| explained(&e))
}

/// A file error with its remedy set apart.
fn explained(error: &FileError) -> Report {
    match error {
        FileError::Parse { path, source } => {
            miette!(help = source.remedy, "{}: {}: {}", path.display(), source.place, source.reason)
        }
        FileError::UnknownExtension { path, extension } => miette!(
            help = "meshes are read from .obj, .ply, .stl, .glb and .fbx files",
            "{}: \"{extension}\" is not the extension of a mesh file",
            path.display()
        ),
        other => miette!("{other}"),
    }
}

/// Refuses a target that is no OBJ file or would replace what is read.
fn accept_target(target: &Path, args: &CheckArgs) -> miette::Result<()> {
    if !target.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj")) {
        return Err(miette!(
            help = "give a name that ends in .obj",
            "{}: the repaired mesh is written as OBJ",
            target.display()
        ));
    }
    for input in std::iter::once(&args.mesh).chain(&args.against) {
        if is_same_file(input, target).into_diagnostic()? {
            return Err(miette!(
                help = "give --repair another name",
                "{}: the repaired mesh would replace its source",
                target.display()
            ));
        }
    }
    Ok(())
}

/// Whether two paths lead to one file; a path that leads nowhere is no file.
fn is_same_file(a: &Path, b: &Path) -> std::io::Result<bool> {
    Ok(a.exists() && b.exists() && a.canonicalize()? == b.canonicalize()?)
}

/// A mesh file, what the check said of it, and what can be used of it.
struct CheckedMesh {
    path: PathBuf,
    vertices: usize,
    triangles: usize,
    report: CheckReport,
    /// The mesh after the repairs; `None` if it is rejected.
    usable: Option<TriMesh>,
}

impl CheckedMesh {
    fn read(path: &Path) -> miette::Result<Self> {
        let mesh = read_mesh(path)?;
        let (vertices, triangles) = (mesh.vertex_count(), mesh.face_count());
        let (usable, report) = match check::repair(mesh) {
            Ok((usable, report)) => (Some(usable), report),
            Err(report) => (None, report),
        };
        Ok(Self { path: path.to_owned(), vertices, triangles, report, usable })
    }

    /// Whether the repairs changed anything, and with it the numbers.
    fn is_renumbered(&self) -> bool {
        self.report.worst() == Some(Severity::Repair)
    }
}

/// Everything `toile check` found out.
struct Outcome {
    mesh: CheckedMesh,
    against: Option<CheckedMesh>,
    own: Option<Verdict>,
    mutual: Option<Verdict>,
    written: Option<PathBuf>,
}

impl Outcome {
    /// Whether nothing was rejected and nothing intersects.
    fn is_good(&self) -> bool {
        let clean = |v: &Option<Verdict>| v.as_ref().is_some_and(Verdict::is_clean);
        clean(&self.own) && (self.against.is_none() || clean(&self.mutual))
    }
}
