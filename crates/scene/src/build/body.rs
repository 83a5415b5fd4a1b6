//! Bodies of a scene: mannequins by size or measurements, scans and recorded meshes, and what they do.

use std::path::Path;
use std::sync::Arc;

use toile::{Bone, Deformation, Influence, MeshObstacle, Motion as FrameMotion, Pose, Skin};
use toile_body::import::ImportReport;
use toile_body::mocap::{JointMap, retarget};
use toile_body::{
    Blend, Body, Figure, Joint, Mannequin, Motion, Performance, Posture, Routine, RoutineSettings, Segment, draft,
    sizes,
};
use toile_files::bvh::read_bvh;
use toile_mesh::{DQuat, DVec3};
use toile_tailor::{Figuring, Wearer};

use super::BuildError;
use super::imported::{STILL, from_file, left_out};
use crate::scene::{self, Scene, Skinning};

/// Times of a run at which bodies are told apart.
const TOLD_TIMES: u32 = 32;
/// One of so many vertices is looked at for that.
const TOLD_VERTICES: usize = 97;

/// A body that moves, as an obstacle sees it.
#[derive(Debug)]
struct Performed {
    performance: Performance,
    /// Of the run [s].
    duration: f64,
    words: String,
    skin: Option<Skin>,
}

impl Deformation for Performed {
    fn place(&self, t: f64, positions: &mut Vec<DVec3>) {
        self.performance.positions(t, positions);
    }

    fn moves(&self) -> bool {
        true
    }

    fn summary(&self) -> String {
        self.words.clone()
    }

    fn describe(&self, point: &mut dyn FnMut(DVec3)) {
        let mut positions = Vec::new();
        for k in 0..=TOLD_TIMES {
            self.place(self.duration * f64::from(k) / f64::from(TOLD_TIMES), &mut positions);
            positions.iter().step_by(TOLD_VERTICES).for_each(|p| point(*p));
        }
    }

    fn skin(&self) -> Option<&Skin> {
        self.skin.as_ref()
    }
}

/// The skin of a mannequin, with the fourteen anatomical segments.
fn skin_of(body: &Body) -> Skin {
    let bone = |joint: Joint| Bone {
        name: joint.to_string(),
        parent: (joint.parent() != joint).then_some(joint.parent() as u32),
    };
    let mut segments: Vec<Segment> = Joint::ALL.iter().map(|joint| joint.segment()).collect();
    segments.sort_unstable();
    segments.dedup();
    let number = |joint: &Joint| segments.partition_point(|segment| *segment < joint.segment()) as u32;
    let influence = |(joint, weight): (Joint, f64)| Influence { bone: joint as u32, weight };
    Skin {
        bones: Joint::ALL.map(bone).to_vec(),
        influences: body.skin.weights.iter().map(|weights| weights.map(influence)).collect(),
        segment: body.bones.iter().map(number).collect(),
        segments: segments.iter().map(ToString::to_string).collect(),
    }
}

/// Body `index` of a scene.
pub(crate) fn body(scene: &Scene, index: usize) -> Result<MeshObstacle, BuildError> {
    let described = &scene.body[index];
    let name = scene.body_name(index);
    let performer = Performer::new(described, &name)?;
    Ok(body_of(scene, index, &performer))
}

/// Body `index` of a scene, as `performer`.
pub(crate) fn body_of(scene: &Scene, index: usize, performer: &Performer) -> MeshObstacle {
    let described = &scene.body[index];
    let performance = performer.performance.clone();
    let rotation = DQuat::from_rotation_y(described.heading_deg.to_radians());
    let mesh = performance.start();
    let moves = !stands(described) || performance.duration() > 0.0;
    let words = if described.motion.is_empty() { &described.file } else { &described.motion };
    let performed = |words: &String| -> Arc<dyn Deformation> {
        let skin = performance.body().map(skin_of);
        Arc::new(Performed { performance, duration: scene.time.duration, words: words.clone(), skin })
    };
    MeshObstacle {
        motion: FrameMotion::at_rest(Pose { position: DVec3::from(described.position), rotation }),
        friction: described.friction.map(|coefficient| scene.contact.friction_by_law(coefficient)),
        padding: described.padding,
        deformation: moves.then_some(words).map(performed),
        name: scene.body_name(index),
        mesh,
    }
}

/// A body as a scene describes it, ready to move: where it stands is left to the scene.
#[derive(Clone, Debug)]
pub struct Performer {
    /// Its surface over time.
    pub performance: Performance,
    /// What was assumed about a scan and mended in it.
    pub import: Option<ImportReport>,
    /// What a tailor would ask of a mannequin; a mesh from a file has to be measured, see [`Figuring::of_mesh`].
    pub figuring: Option<Figuring>,
}

impl Performer {
    /// Drafts or reads what `described` says; `name` stands in messages for the body.
    ///
    /// ```
    /// use toile_scene::{Body, Performer};
    /// let described = Body { mannequin: "man-50".into(), triangles: Some(3000), motion: "walk".into(), ..Body::default() };
    /// let walker = Performer::new(&described, "walker")?;
    /// let (mut start, mut later) = (Vec::new(), Vec::new());
    /// walker.performance.positions(0.0, &mut start);
    /// walker.performance.positions(3.0, &mut later);
    /// assert!(later[0].z - start[0].z > 2.0);
    /// # Ok::<(), toile_scene::BuildError>(())
    /// ```
    pub fn new(described: &scene::Body, name: &str) -> Result<Self, BuildError> {
        let fail = |reason: String, help: &str| {
            let (body, help) = (name.to_owned(), help.to_owned());
            BuildError::Body { body, reason, help }
        };
        if !described.file.is_empty() {
            return from_file(described, &fail);
        }
        let (figure, mannequin) = mannequin(described, &fail)?;
        let (landmarks, measurements) = (mannequin.landmarks, mannequin.measurements);
        let body = Body::new(mannequin, blend(described.skinning));
        let motion = motion(described, &body, &fail)?;
        let blend_in = if stands(described) { 0.0 } else { described.blend_in };
        let body = match left_out(described) {
            [] => body,
            segments => body.without(segments),
        };
        Ok(Self {
            performance: Performance::new(body, motion, blend_in),
            import: None,
            figuring: Some(Figuring { figure, landmarks, measurements }),
        })
    }
}

/// The body that `described` says, to be dressed: at the origin, in the pose in which it stands before it moves.
///
/// A mesh from a file is measured; `name` stands in messages for the body.
pub fn wearer(described: &scene::Body, name: &str) -> Result<(Wearer, Performer), BuildError> {
    let performer = Performer::new(described, name)?;
    let mesh = performer.performance.start();
    let figuring = match &performer.figuring {
        Some(figuring) => figuring.clone(),
        None => Figuring::of_mesh(&mesh).map_err(|e| BuildError::Body {
            body: name.to_owned(),
            reason: e.message,
            help: e.help,
        })?,
    };
    let wearer =
        Wearer { name: name.to_owned(), mesh, figuring, friction: described.friction, padding: described.padding };
    Ok((wearer, performer))
}

/// Makes an error out of reason and remedy.
pub(super) type Fail<'a> = dyn Fn(String, &str) -> BuildError + 'a;

pub(super) fn blend(skinning: Skinning) -> Blend {
    match skinning {
        Skinning::DualQuaternion => Blend::DualQuaternion,
        Skinning::Linear => Blend::Linear,
    }
}

fn mannequin(described: &scene::Body, fail: &Fail<'_>) -> Result<(Figure, Mannequin), BuildError> {
    let found = sizes::find(&described.mannequin);
    let mut specification = found.map_err(|e| fail(e.to_string(), e.help()))?;
    if let Some(triangles) = described.triangles {
        specification.triangles = triangles as usize;
    }
    if let Some(pose) = described.stance().flatten() {
        specification.pose = pose;
    }
    let drafted = draft(&specification).map_err(|refusal| fail(refusal.to_string(), "change the measurements"))?;
    Ok((specification.figure, drafted))
}

/// Whether a body is to stand.
fn stands(described: &scene::Body) -> bool {
    described.motion.is_empty() || described.motion == STILL
}

pub(super) fn motion(described: &scene::Body, body: &Body, fail: &Fail<'_>) -> Result<Motion, BuildError> {
    if stands(described) {
        return Ok(Motion::still(Posture::REST));
    }
    if let Some(routine) = Routine::find(&described.motion) {
        let settings = RoutineSettings { in_place: described.in_place, ..RoutineSettings::default() };
        return Ok(Motion::routine(routine, body, settings));
    }
    let path = Path::new(&described.motion);
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bvh")) {
        let known: Vec<&str> = Routine::ALL.iter().map(|routine| routine.name()).collect();
        if described.motion == "own" {
            let help = format!("name one of {}, a BVH file, or a GLB or FBX body with an animation", known.join(", "));
            return Err(fail("it has no animation of its own".to_owned(), &help));
        }
        return Err(fail(
            format!("there is no motion \"{}\"", described.motion),
            &format!("name one of {}, or a BVH file", known.join(", ")),
        ));
    }
    let help = if path.is_file() { "export the motion again" } else { "check the name of the file" };
    let bvh = read_bvh(path).map_err(|e| fail(e.to_string(), help))?;
    let clip = JointMap::new(&bvh, &[]).and_then(|map| retarget(&bvh, &map, body));
    clip.map(Motion::clip).map_err(|e| fail(format!("{}: {}", path.display(), e.message), &e.help))
}
