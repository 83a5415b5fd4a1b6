//! Bodies that other people made: meshes from files, and how they move.
//!
//! | `motion` | what the mesh does |
//! |---|---|
//! | empty | stands, imported; a GLB or FBX file with an animation moves as that says, taken as it is |
//! | `still` | stands in its rest pose, imported |
//! | `own` | goes from its rest pose into the animation of its file, imported |
//! | a routine, a BVH file | gets a rig, and moves like a mannequin |
//! | a PC2 cache, a folder of meshes | moves as recorded, taken as it is |

use std::path::Path;

use toile_body::import::{Import, ImportReport, ImportSettings, import};
use toile_body::rig::{Rigged, rig};
use toile_body::{Body, Performance, Recording, Segment, ease, eased_time};
use toile_files::sequence::{MOST_POSITIONS, read_frames};
use toile_files::{MeshFormat, RiggedScene, read_mesh, read_rigged};
use toile_mesh::{DVec3, TriMesh};
use toile_tailor::Figuring;

use super::BuildError;
use super::body::{Fail, Performer, blend, motion};
use crate::scene::{self, LeaveOut};

/// A word for a mesh that stands in its rest pose.
pub(crate) const STILL: &str = "still";

/// A word for the animation in a body's own file.
pub(crate) const OWN: &str = "own";

pub(super) fn from_file(described: &scene::Body, fail: &Fail<'_>) -> Result<Performer, BuildError> {
    if !described.pose.is_empty() {
        let reason = format!("{}: a pose is asked for", described.file);
        return Err(fail(reason, "leave it out: a mesh from a file stands as it is"));
    }
    let path = Path::new(&described.file);
    let is_rigged = MeshFormat::from_path(path).is_ok_and(MeshFormat::is_rigged);
    let moves_itself = described.motion.is_empty() || described.motion == OWN;
    if is_rigged && moves_itself {
        let scene = read_rigged(path).map_err(|e| fail(e.to_string(), "export it again as one file"))?;
        return match (described.motion.as_str(), scene.duration() > 0.0) {
            (OWN, true) => animated(&scene, described, fail),
            (OWN, false) => Err(fail(
                format!("{}: the file has no animation", described.file),
                "export it with its animation, or name a routine or a BVH file",
            )),
            (_, true) => as_it_is(&scene, described, fail),
            (_, false) => scanned(scene.rest(), described, fail),
        };
    }
    if described.motion == OWN {
        let reason = format!("{}: files of this format hold no animation", described.file);
        return Err(fail(reason, "export it as GLB or FBX, or name a routine or a BVH file"));
    }
    let mesh = read_mesh(path).map_err(|e| fail(e.to_string(), "export the mesh again"))?;
    if described.motion.is_empty() || described.motion == STILL {
        return scanned(mesh, described, fail);
    }
    let frames = Path::new(&described.motion);
    let is_cache = frames.extension().is_some_and(|e| e.eq_ignore_ascii_case("pc2"));
    if is_cache || frames.is_dir() {
        nothing_asked(described, "leave it out, or give the body another motion", fail)?;
        let frames = read_frames(&mesh, frames).map_err(|e| {
            fail(e.to_string(), "a mesh file moves by a PC2 cache or a folder of meshes with its vertices")
        })?;
        return recorded(mesh, frames, described, fail);
    }
    moved(mesh, described, fail)
}

/// Refuses what is asked of an import where a file is taken as it is.
fn nothing_asked(described: &scene::Body, help: &str, fail: &Fail<'_>) -> Result<(), BuildError> {
    let asked = [
        ("unit", !described.unit.is_empty()),
        ("up", !described.up.is_empty()),
        ("front", !described.front.is_empty()),
        ("triangles", described.triangles.is_some()),
        ("leave_out", described.leave_out != LeaveOut::Nothing),
    ];
    match asked.iter().find(|(_, is_asked)| *is_asked) {
        None => Ok(()),
        Some((key, _)) => {
            let reason = format!("{}: a recorded body is taken as it is, without `{key}`", described.file);
            Err(fail(reason, help))
        }
    }
}

/// What a scene says about a file.
fn settings(described: &scene::Body) -> ImportSettings {
    ImportSettings {
        unit: described.file_unit().flatten(),
        up: described.file_axis(&described.up).flatten(),
        front: described.file_axis(&described.front).flatten(),
        triangles: described.triangles.map(|n| n as usize),
    }
}

/// The segments that are left out of contact.
pub(super) fn left_out(described: &scene::Body) -> &'static [Segment] {
    use Segment::{LeftForearm, LeftHand, LeftUpperArm, RightForearm, RightHand, RightUpperArm};
    match described.leave_out {
        LeaveOut::Nothing => &[],
        LeaveOut::Hands => &[LeftHand, RightHand],
        LeaveOut::Arms => &[LeftUpperArm, LeftForearm, LeftHand, RightUpperArm, RightForearm, RightHand],
    }
}

/// A body that stands still, made of what a scanner saw.
fn scanned(mesh: TriMesh, described: &scene::Body, fail: &Fail<'_>) -> Result<Performer, BuildError> {
    let (mesh, report) = imported(mesh, described, fail)?;
    if left_out(described).is_empty() {
        let still = vec![mesh.positions.clone()];
        return Ok(Performer { import: Some(report), ..recorded(mesh, still, described, fail)? });
    }
    let (body, figuring) = rigged(mesh, described, fail)?;
    let (mesh, _) = body.cut(left_out(described));
    let still = vec![mesh.positions.clone()];
    Ok(Performer { import: Some(report), figuring: Some(figuring), ..recorded(mesh, still, described, fail)? })
}

/// A mesh with a rig, in a routine or a captured motion.
fn moved(mesh: TriMesh, described: &scene::Body, fail: &Fail<'_>) -> Result<Performer, BuildError> {
    let (mesh, report) = imported(mesh, described, fail)?;
    let (body, figuring) = rigged(mesh, described, fail)?;
    let motion = motion(described, &body, fail)?;
    let body = match left_out(described) {
        [] => body,
        segments => body.without(segments),
    };
    Ok(Performer {
        performance: Performance::new(body, motion, described.blend_in),
        import: Some(report),
        figuring: Some(figuring),
    })
}

fn imported(mesh: TriMesh, described: &scene::Body, fail: &Fail<'_>) -> Result<(TriMesh, ImportReport), BuildError> {
    import(mesh, &settings(described)).map_err(|e| fail(format!("{}: {}", described.file, e.message), &e.help))
}

fn rigged(mesh: TriMesh, described: &scene::Body, fail: &Fail<'_>) -> Result<(Body, Figuring), BuildError> {
    let Rigged { body, landmarks, .. } = rig(mesh, blend(described.skinning))
        .map_err(|e| fail(format!("{}: {}", described.file, e.message), &e.help))?;
    let figuring = Figuring::at(&body.mesh, landmarks);
    Ok((body, figuring))
}

/// The animation of a file, in its own coordinates.
fn as_it_is(scene: &RiggedScene, described: &scene::Body, fail: &Fail<'_>) -> Result<Performer, BuildError> {
    nothing_asked(described, "write `motion = \"own\"` for the animation on the imported body", fail)?;
    let recording = Recording::from_rigged(scene, described.rate);
    let recording = recording.map_err(|e| fail(format!("{}: {e}", described.file), "lower `rate`"))?;
    Ok(Performer { performance: Performance::recorded(recording), import: None, figuring: None })
}

/// The animation of a file on the imported body: from the rest pose, in which it is dressed, into the animation during `blend_in`. The
/// animation begins where the body stands.
fn animated(scene: &RiggedScene, described: &scene::Body, fail: &Fail<'_>) -> Result<Performer, BuildError> {
    let told = |message: String, help: &str| fail(format!("{}: {message}", described.file), help);
    if described.triangles.is_some() {
        let help = "leave `triangles` out, or decimate the mesh where it was made";
        return Err(told("a body with its own animation keeps its triangles".into(), help));
    }
    let import = Import::new(scene.rest(), &settings(described)).map_err(|e| told(e.message, &e.help))?;
    let figuring =
        Figuring::of_mesh(&import.mesh).map_err(|e| told(format!("in its rest pose {}", e.message), &e.help))?;
    let blend_in = described.blend_in;
    let duration = scene.duration() + 0.5 * blend_in;
    let count = (duration * described.rate - 1e-9).ceil().max(0.0) as usize;
    if count.saturating_mul(import.mesh.vertex_count()) > MOST_POSITIONS {
        let reason = format!("{count} frames of {} vertices", import.mesh.vertex_count());
        return Err(told(reason, "lower `rate`, or use a coarser mesh or a shorter animation"));
    }
    let mut raw = Vec::new();
    scene.positions_toward(0.0, 1.0, &mut raw);
    let level = DVec3::new(1.0, 0.0, 1.0);
    let away = (mean(&import.frame(&raw)) - mean(&import.mesh.positions)) * level;
    let mut frames = Vec::with_capacity(count + 1);
    for k in 0..=count {
        let t = k as f64 / described.rate;
        let (share, time) =
            if blend_in > 0.0 { (ease(t / blend_in), blend_in * eased_time(t / blend_in)) } else { (1.0, t) };
        scene.positions_toward(time, share, &mut raw);
        let mut frame = import.frame(&raw);
        for p in &mut frame {
            *p -= share * away;
        }
        frames.push(frame);
    }
    let report = import.report.clone();
    let mut mesh = import.mesh;
    if !left_out(described).is_empty() {
        let (body, _) = rigged(mesh, described, fail)?;
        let (cut, kept) = body.cut(left_out(described));
        for frame in &mut frames {
            *frame = kept.iter().map(|v| frame[*v]).collect();
        }
        mesh = cut;
    }
    Ok(Performer { import: Some(report), figuring: Some(figuring), ..recorded(mesh, frames, described, fail)? })
}

fn mean(positions: &[DVec3]) -> DVec3 {
    positions.iter().sum::<DVec3>() / positions.len().max(1) as f64
}

fn recorded(
    mesh: TriMesh,
    frames: Vec<Vec<DVec3>>,
    described: &scene::Body,
    fail: &Fail<'_>,
) -> Result<Performer, BuildError> {
    let recording = Recording::new(mesh.triangles, described.rate, frames);
    let recording = recording.map_err(|e| fail(format!("{}: {e}", described.file), "write the file again"))?;
    Ok(Performer { performance: Performance::recorded(recording), import: None, figuring: None })
}
