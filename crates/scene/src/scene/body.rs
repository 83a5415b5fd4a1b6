//! A body in a scene: what wears the cloth, still or moving.

use toile_body::Pose;
use toile_body::import::{Axis, Unit};
use toile_tailor::SKIN_PADDING;

use super::{
    color::Color,
    schema::{choice, section},
};

choice! {
    /// How a skin follows its bones.
    pub enum Skinning {
        /// Mean of the motions: sections keep their girth.
        DualQuaternion = "dual-quaternion",
        /// Mean of the moved points: the usual way in games.
        Linear = "linear",
    }
}

choice! {
    /// What of a body does not touch cloth.
    pub enum LeaveOut {
        /// All of it touches cloth.
        Nothing = "nothing",
        /// The hands are cut off at the wrists.
        Hands = "hands",
        /// The arms are cut off at the shoulders.
        Arms = "arms",
    }
}

section! {
    /// A body to be dressed, which the cloth cannot move: a mannequin, or a mesh from a file.
    pub struct Body {
        /// Name in reports and files; empty, `body-1`, `body-2` and so on.
        name: String = String::new();
        /// The mannequin: a size (`woman-38`, `man-50`, `child-128`, `person`), a size of a chart (`sizes.toml:M`) or a file of
        /// measurements (`body.toml`); changes follow behind commas, as in `woman-38, bust=36in`.
        mannequin: String = "person".to_owned();
        /// Triangles of the mannequin; left out, as its file says, or 20 000. Of a mesh file, at most so many.
        triangles: Option<u32> = None, within(3_000, 120_000);
        /// A mesh file (OBJ, PLY, STL, GLB or FBX) instead of a mannequin, relative to the scene file; empty, none. It is
        /// cleaned, closed, scaled and stood upright. Without a `motion`, a file with an animation moves as that says, taken as it is.
        file: String = String::new();
        /// Unit of the mesh file: `m`, `dm`, `cm`, `mm`, `ft` or `in`; empty, it is found from the height.
        unit: String = String::new();
        /// Axis of the mesh file that is up, as `+z` or `-y`; empty, it is found.
        up: String = String::new();
        /// Axis of the mesh file along which the body looks; empty, it is found, and may be between two axes.
        front: String = String::new();
        /// How it stands at first: `a` (arms lowered) or `t` (arms level), or an angle of the arms against the vertical in
        /// degrees, as `a-30`; empty, as the mannequin's file says. Cloth is put on in this pose.
        pose: String = String::new();
        /// What it does: `walk`, `catwalk`, `run`, `arm-raise`, `squat`, or a BVH file relative to the scene file; an upright mesh gets
        /// a rig for it. A mesh file may also move by a PC2 cache or a folder of meshes, a GLB or FBX file by its `own` animation.
        /// Empty or `still`, it stands.
        motion: String = String::new();
        /// Seconds in which it goes from its pose into the motion.
        blend_in: f64 = 1.0, ["s"] within(0, 1000);
        /// Walk and run on the spot, as on a treadmill.
        in_place: bool = false;
        /// Frames per second of recorded meshes.
        rate: f64 = 30.0, ["1/s"] within(0.001, 10_000.0);
        /// What of it does not touch cloth: `nothing`, `hands` or `arms`. It is cut off before the body is dressed.
        leave_out: LeaveOut = LeaveOut::Nothing;
        /// How its skin follows its bones.
        skinning: Skinning = Skinning::DualQuaternion;
        /// Where it stands; mannequins stand on their soles.
        position: [f64; 3] = [0.0, 0.0, 0.0], ["m"] within(-10_000.0, 10_000.0);
        /// Direction it looks to, from +z towards +x.
        heading_deg: f64 = 0.0, ["°"] within(-3600, 3600);
        /// Coefficient of friction with its like; 0 is frictionless. Cloth slides on it with the geometric mean of its own and this;
        /// left out, with its own.
        friction: Option<f64> = None, within(0, 10);
        /// What fine hair and soft skin add to half the thickness of the cloth that touches it.
        padding: f64 = SKIN_PADDING, ["m"] within(0, 1);
        /// Colour in pictures.
        color: Color = Color([0xc9, 0xb7, 0xa6]);
    }
}

/// Whether a text names a file rather than a size or a routine: it has a folder or an extension.
pub(super) fn is_file_name(text: &str) -> bool {
    text.contains(['.', '/', '\\'])
}

/// Whether the name of a mannequin is that of a file; changes behind a size, as in `woman-38, bust=35.5in`, make no file of it.
pub(super) fn is_mannequin_file(text: &str) -> bool {
    is_file_name(text.split(',').next().unwrap_or_default())
}

impl Body {
    /// The unit of its file: `Some(None)` if none is given, `None` if there is no such unit.
    pub fn file_unit(&self) -> Option<Option<Unit>> {
        if self.unit.is_empty() { Some(None) } else { Unit::from_word(&self.unit).map(Some) }
    }

    /// An axis of its file by its word: `Some(None)` if none is given, `None` if there is no such axis.
    pub fn file_axis(&self, word: &str) -> Option<Option<Axis>> {
        if word.is_empty() {
            return Some(None);
        }
        let (sign, letter) = match word.strip_prefix(['+', '-', '−']) {
            Some(letter) => (!word.starts_with('+'), letter),
            None => (false, word),
        };
        let number = ["x", "y", "z"].iter().position(|axis| letter.eq_ignore_ascii_case(axis))?;
        Some(Some(Axis { number: number as u8, is_negative: sign }))
    }

    /// The pose asked for: `Some(None)` if none is, `None` if its words have no meaning.
    pub fn stance(&self) -> Option<Option<Pose>> {
        let pose = match self.pose.as_str() {
            "" => return Some(None),
            "a" => Pose::A(Pose::USUAL_ARM_ANGLE),
            "t" => Pose::T,
            other => {
                let angle = other.strip_prefix("a-")?.parse::<f64>().ok()?.to_radians();
                Pose::A(Some(angle).filter(|angle| (Pose::LEAST_ARM_ANGLE..=Pose::T.arm_angle()).contains(angle))?)
            }
        };
        Some(Some(pose))
    }
}
