//! A rig for any upright body: joints, bones and weights of a mesh of which nothing is known but its shape.
//!
//! 1. Joints (this file): from the landmarks and the middles of sections, at the places where drafted mannequins have them.
//! 2. Bones (`bones`): the joint whose bone each vertex belongs to.
//! 3. Weights (`heat`): heat that spreads from the bones over the surface.
//!
//! The rest pose of the rig is the pose of the mesh. Limits: bodies must show their landmarks
//! ([`Landmarks::find`](crate::measure::Landmarks::find)); fingers and toes do not move.

mod bones;
mod heat;

use toile_mesh::{DVec3, TriMesh};

use crate::body::Body;
use crate::measure::{Found, Landmarks, NotABody, Note, Plane, find, section};
use crate::skeleton::{Joint, Skeleton};
use crate::skin::Blend;

/// A body with a rig, and what was found on the way.
#[derive(Clone, PartialEq, Debug)]
pub struct Rigged {
    /// The body, ready to be posed.
    pub body: Body,
    /// Where its measurements are taken.
    pub landmarks: Landmarks,
    /// What should be known about it.
    pub notes: Vec<Note>,
}

/// Rigs a closed mesh that stands on its feet, y up, and looks along +z.
///
/// ```
/// use toile_body::{Blend, Figure, Given, Joint, Specification, draft, rig};
/// let drafted = draft(&Specification { triangles: 5_000, ..Specification::new(Figure::Female, Given::NONE) })?;
/// let rigged = rig::rig(drafted.mesh.clone(), Blend::DualQuaternion)?;
/// let knee = |skeleton: &toile_body::Skeleton| skeleton.position(Joint::LeftKnee);
/// assert!(knee(&rigged.body.skeleton).distance(knee(&drafted.skeleton)) < 0.03);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rig(mesh: TriMesh, blend: Blend) -> Result<Rigged, NotABody> {
    let found = find(&mesh)?;
    let skeleton = joints(&mesh, &found);
    let bones = bones::bones(&mesh, &found, &skeleton);
    let skin = heat::skin(&mesh, &bones, found.stature);
    let body = Body::from_parts(mesh, skeleton, bones, skin, blend);
    Ok(Rigged { body, landmarks: found.landmarks, notes: found.notes })
}

/// Shares of the height between the shoulder point and the joint below it: inward, and down beside the radius of the arm.
const SHOULDER: [f64; 2] = [0.0094, 0.0035];

/// Largest radius of the arm that the shoulder joint goes down by, over the height.
const MOST_RADIUS: f64 = 0.041;

fn joints(mesh: &TriMesh, found: &Found) -> Skeleton {
    let l = &found.landmarks;
    let height = found.stature;
    let middle = DVec3 { y: 0.0, ..l.crotch };
    // Four tenths from back to front, where the spine of the mannequins is.
    let spine = |y: f64| {
        let [low, high] = depth(mesh, DVec3 { y, ..middle });
        DVec3::new(middle.x, y, low + 0.4 * (high - low))
    };
    let hip_level = l.crotch.y + 0.25 * (l.waist - l.crotch.y);
    let skull = (l.neck.point.y + 0.033 * height).min(mesh.bounds().max.y - 0.004 * height);
    let limb = |joint: Joint, side: usize| {
        let (arm, [thigh, knee, ankle]) = (&found.arms[side], found.legs[side]);
        match joint {
            Joint::LeftShoulder => {
                let inward = [-1.0, 1.0][side] * SHOULDER[0] * height;
                let down = 0.85 * arm.radii[0].min(MOST_RADIUS * height) + SHOULDER[1] * height;
                arm.shoulder + DVec3::new(inward, -down, 0.0)
            }
            Joint::LeftElbow => arm.middles[0],
            Joint::LeftWrist => arm.middles[1],
            Joint::LeftHip => DVec3::new(thigh.x, hip_level, 0.5 * (thigh.z + spine(hip_level).z)),
            Joint::LeftKnee => knee,
            _ => DVec3 { y: l.floor + 0.6 * (ankle.y - l.floor), ..ankle },
        }
    };
    let place = |joint: Joint| match joint {
        Joint::Pelvis => spine(l.hip + 0.25 * (l.waist - l.hip)),
        Joint::Waist => spine(l.waist),
        Joint::Chest => spine(l.bust),
        Joint::Neck => spine(l.nape.min(l.neck.point.y)),
        Joint::Head => spine(skull),
        _ if joint.mirrored() > joint => limb(joint, 0),
        _ => limb(joint.mirrored(), 1),
    };
    Skeleton { positions: Joint::ALL.map(place) }
}

/// Back and front of the loop around a point, in the level of that point [m]; the point itself where there is none.
fn depth(mesh: &TriMesh, point: DVec3) -> [f64; 2] {
    let loops = section(mesh, Plane { point, normal: DVec3::Y });
    let nearest = loops.into_iter().filter(|points| points.len() > 2).min_by(|a, b| {
        let off = |points: &Vec<DVec3>| {
            let (low, high) = extent(points, |p| p.x);
            (low - point.x).max(point.x - high)
        };
        off(a).total_cmp(&off(b))
    });
    let (low, high) = nearest.map_or((point.z, point.z), |points| extent(&points, |p| p.z));
    [low, high]
}

fn extent(points: &[DVec3], value: impl Fn(&DVec3) -> f64) -> (f64, f64) {
    points.iter().map(value).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
}
