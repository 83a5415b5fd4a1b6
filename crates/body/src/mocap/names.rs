//! [`JointMap`]: names of joints, as programs write them.
//!
//! A name loses its prefix (`mixamorig:`, `Bip01`), its blanks and its case; its side is told by `left`, `right`, or a letter
//! that stands alone or begins a known name (`upper_arm.L`, `L_Thigh`, `lfemur`). For each of our joints the rest is looked up in a
//! list, best first: `arm` before `shoulder`, which is the collar bone in files that have both.

use toile_files::bvh::Bvh;

use super::MocapError;
use crate::skeleton::Joint;

/// Which joint of a file is which of ours.
#[derive(Clone, PartialEq, Debug)]
pub struct JointMap {
    /// Joint of the file for each of [`Joint::ALL`].
    joints: [Option<usize>; Joint::COUNT],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Left,
    Right,
    Middle,
}

/// Names of a joint without side, best first: those of Mixamo and CMU, Blender, Biovision, ASF.
const fn known(joint: Joint) -> &'static [&'static str] {
    use Joint::{
        Chest, Head, LeftAnkle, LeftElbow, LeftHip, LeftKnee, LeftShoulder, LeftWrist, Neck, Pelvis, RightAnkle,
        RightElbow, RightHip, RightKnee, RightShoulder, RightWrist, Waist,
    };
    match joint {
        Pelvis => &["hips", "pelvis", "hip", "root", "reference"],
        Waist => &["lowerback", "abdomen", "abdomenlower", "waist", "torso"],
        Chest => &["upperchest", "chest", "chestupper", "thorax", "upperback"],
        Neck => &["neck", "neck1", "neck01", "lowerneck", "necklower"],
        Head => &["head"],
        LeftShoulder | RightShoulder => {
            &["upperarm", "upperarm01", "arm", "uparm", "humerus", "shldr", "shldrbend", "shoulder"]
        }
        LeftElbow | RightElbow => {
            &["forearm", "lowerarm", "lowerarm01", "lowarm", "radius", "forearmbend", "elbow", "forarm"]
        }
        LeftWrist | RightWrist => &["hand", "wrist"],
        LeftHip | RightHip => &["upleg", "upperleg", "upperleg01", "thigh", "thighbend", "femur", "hip", "leg1"],
        LeftKnee | RightKnee => &["lowerleg", "lowerleg01", "lowleg", "shin", "calf", "tibia", "knee", "leg"],
        LeftAnkle | RightAnkle => &["foot", "ankle"],
    }
}

/// Joints without which nothing moves.
const NEEDED: [Joint; 9] = [
    Joint::Pelvis,
    Joint::LeftShoulder,
    Joint::RightShoulder,
    Joint::LeftHip,
    Joint::RightHip,
    Joint::LeftKnee,
    Joint::RightKnee,
    Joint::LeftAnkle,
    Joint::RightAnkle,
];

impl JointMap {
    /// The joints of a file by their names; those in `told` are named there instead.
    pub fn new(bvh: &Bvh, told: &[(Joint, &str)]) -> Result<Self, MocapError> {
        let names: Vec<(Side, String)> = bvh.joints.iter().map(|joint| plain(&joint.name)).collect();
        let mut joints = [None; Joint::COUNT];
        for joint in Joint::ALL {
            let found = |name: &&str| names.iter().position(|(side, plain)| *side == side_of(joint) && plain == name);
            joints[joint as usize] = known(joint).iter().find_map(found);
        }
        // Programs count the joints of a spine up or down; in the tree the lowest comes first.
        let mut spine = (0..names.len()).filter(|&j| names[j].0 == Side::Middle && names[j].1.starts_with("spine"));
        joints[Joint::Waist as usize] = spine.next().or(joints[Joint::Waist as usize]);
        joints[Joint::Chest as usize] = joints[Joint::Chest as usize].or(spine.next_back());
        for &(joint, name) in told {
            let found = bvh.find(name).ok_or_else(|| MocapError {
                message: format!("the file has no joint `{name}` for the {joint}"),
                help: format!("its joints: {}", listed(bvh)),
            })?;
            joints[joint as usize] = Some(found);
        }
        if joints[Joint::Pelvis as usize].is_none() {
            joints[Joint::Pelvis as usize] = bvh.joints.iter().position(|joint| joint.parent.is_none());
        }
        match NEEDED.into_iter().find(|joint| joints[*joint as usize].is_none()) {
            None => Ok(Self { joints }),
            Some(joint) => Err(MocapError {
                message: format!("no joint of the file is known as {joint}"),
                help: format!("say which it is; its joints: {}", listed(bvh)),
            }),
        }
    }

    /// The joint of the file for one of ours.
    pub fn get(&self, joint: Joint) -> Option<usize> {
        self.joints[joint as usize]
    }
}

fn listed(bvh: &Bvh) -> String {
    const SHOWN: usize = 60;
    let mut names: Vec<&str> = bvh.joints.iter().take(SHOWN).map(|joint| joint.name.as_str()).collect();
    if bvh.joints.len() > SHOWN {
        names.push("…");
    }
    names.join(", ")
}

fn side_of(joint: Joint) -> Side {
    match joint {
        _ if joint.mirrored() == joint => Side::Middle,
        _ if joint.mirrored() > joint => Side::Left,
        _ => Side::Right,
    }
}

/// Side and plain name.
fn plain(name: &str) -> (Side, String) {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let mut words = words(name);
    if words.len() > 1 && (words[0].starts_with("bip") || words[0].starts_with("mixamo")) {
        words.remove(0);
    }
    words.retain(|word| !matches!(word.as_str(), "def" | "org" | "jnt" | "joint" | "bone"));
    let mut side = Side::Middle;
    words.retain(|word| {
        let named = match word.as_str() {
            "l" | "left" => Side::Left,
            "r" | "right" => Side::Right,
            _ => return true,
        };
        side = named;
        false
    });
    let mut plain = words.concat();
    for (prefix, named) in [("left", Side::Left), ("right", Side::Right), ("l", Side::Left), ("r", Side::Right)] {
        if side != Side::Middle {
            break;
        }
        let rest = plain.strip_prefix(prefix).filter(|rest| {
            Joint::ALL.into_iter().filter(|j| side_of(*j) == named).any(|joint| known(joint).contains(rest))
        });
        if let Some(rest) = rest.map(str::to_owned) {
            (side, plain) = (named, rest);
        }
    }
    (side, plain)
}

/// Words in lower case, at blanks, marks and capitals; digits stay with the word before.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_new = true;
    let mut was_lower = false;
    for letter in name.chars() {
        if letter.is_alphanumeric() {
            is_new |= letter.is_uppercase() && was_lower;
            if is_new && (words.is_empty() || !letter.is_ascii_digit()) {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(letter.to_lowercase());
            }
        }
        is_new = !letter.is_alphanumeric();
        was_lower = letter.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_files::bvh::BvhJoint;
    use toile_mesh::DVec3;

    fn file(names: &[&str]) -> Bvh {
        let joint = |(j, name): (usize, &&str)| BvhJoint {
            name: (*name).to_owned(),
            parent: j.checked_sub(1),
            offset: DVec3::Y,
            channels: Vec::new(),
            end: None,
        };
        Bvh { joints: names.iter().enumerate().map(joint).collect(), frame_time: 0.1, values: Vec::new() }
    }

    /// Names of pelvis, waist, chest, neck, head, shoulder to wrist and hip to ankle of the left, then of the right; and
    /// others that should not be taken for them.
    const FILES: [[&str; 2]; 7] = [
        [
            "mixamorig:Hips, mixamorig:Spine, mixamorig:Spine2, mixamorig:Neck, mixamorig:Head, mixamorig:LeftArm, \
             mixamorig:LeftForeArm, mixamorig:LeftHand, mixamorig:LeftUpLeg, mixamorig:LeftLeg, mixamorig:LeftFoot, \
             mixamorig:RightArm, mixamorig:RightForeArm, mixamorig:RightHand, mixamorig:RightUpLeg, \
             mixamorig:RightLeg, mixamorig:RightFoot",
            "mixamorig:Spine1, mixamorig:LeftShoulder, mixamorig:RightShoulder, mixamorig:LeftToeBase",
        ],
        [
            "Hips, Spine, Spine1, Neck, Head, LeftArm, LeftForeArm, LeftHand, LeftUpLeg, LeftLeg, LeftFoot, RightArm, \
             RightForeArm, RightHand, RightUpLeg, RightLeg, RightFoot",
            "LHipJoint, RHipJoint, LowerBack, Neck1, LeftShoulder, RightShoulder, LThumb",
        ],
        [
            "hip, abdomen, chest, neck, head, lShldr, lForeArm, lHand, lThigh, lShin, lFoot, rShldr, rForeArm, rHand, \
             rThigh, rShin, rFoot",
            "lCollar, rCollar, lButtock",
        ],
        [
            "root, spine05, spine01, neck01, head, upperarm01.L, lowerarm01.L, wrist.L, upperleg01.L, lowerleg01.L, \
             foot.L, upperarm01.R, lowerarm01.R, wrist.R, upperleg01.R, lowerleg01.R, foot.R",
            "spine03, shoulder01.L, clavicle.R, pelvis.L",
        ],
        [
            "Bip01 Pelvis, Bip01 Spine, Bip01 Spine2, Bip01 Neck, Bip01 Head, Bip01 L UpperArm, Bip01 L Forearm, \
             Bip01 L Hand, Bip01 L Thigh, Bip01 L Calf, Bip01 L Foot, Bip01 R UpperArm, Bip01 R Forearm, Bip01 R Hand, \
             Bip01 R Thigh, Bip01 R Calf, Bip01 R Foot",
            "Bip01 Spine1, Bip01, Bip01 L Clavicle",
        ],
        [
            "root, lowerback, thorax, lowerneck, head, lhumerus, lradius, lwrist, lfemur, ltibia, lfoot, rhumerus, \
             rradius, rwrist, rfemur, rtibia, rfoot",
            "lclavicle, upperback, upperneck",
        ],
        [
            "pelvis, spine_01, spine_03, neck_01, head, upperarm_l, lowerarm_l, hand_l, thigh_l, calf_l, foot_l, \
             upperarm_r, lowerarm_r, hand_r, thigh_r, calf_r, foot_r",
            "spine_02, clavicle_l",
        ],
    ];

    #[test]
    fn the_names_of_many_programs_are_known() {
        for names in FILES {
            let [names, others] = names.map(|names| names.split(", ").collect::<Vec<&str>>());
            let bvh = file(&[&names[..2], &others, &names[2..]].concat());
            let map = JointMap::new(&bvh, &[]).unwrap();
            for (joint, name) in Joint::ALL.into_iter().zip(names) {
                assert_eq!(map.get(joint).map(|j| bvh.joints[j].name.as_str()), Some(name), "{joint}");
            }
        }
    }

    #[test]
    fn collars_and_shoulders_of_biovision_are_told_apart() {
        let names = [
            "Hips",
            "Chest",
            "Neck",
            "Head",
            "LeftCollar",
            "LeftShoulder",
            "LeftElbow",
            "LeftWrist",
            "LeftHip",
            "LeftKnee",
            "LeftAnkle",
            "RightCollar",
            "RightShoulder",
            "RightElbow",
            "RightWrist",
            "RightHip",
            "RightKnee",
            "RightAnkle",
        ];
        let bvh = file(&names);
        let map = JointMap::new(&bvh, &[]).unwrap();
        assert_eq!(map.get(Joint::LeftShoulder), bvh.find("LeftShoulder"));
        assert_eq!(map.get(Joint::RightHip), bvh.find("RightHip"));
        assert_eq!((map.get(Joint::Chest), map.get(Joint::Waist)), (bvh.find("Chest"), None));
    }

    #[test]
    fn what_is_told_is_taken_and_what_is_missing_is_asked_for() {
        let bvh = file(&["a", "b", "c"]);
        let error = JointMap::new(&bvh, &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no joint of the file is known as left shoulder; say which it is; its joints: a, b, c"
        );
        let error = JointMap::new(&bvh, &[(Joint::Head, "x")]).unwrap_err();
        assert_eq!(error.message, "the file has no joint `x` for the head");
        let told: Vec<(Joint, &str)> = NEEDED.into_iter().map(|joint| (joint, "b")).collect();
        assert_eq!(JointMap::new(&bvh, &told).unwrap().get(Joint::LeftKnee), Some(1));
    }
}
