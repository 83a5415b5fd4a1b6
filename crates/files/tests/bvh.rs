//! Motion capture files: what is read, what is refused, where joints end up.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use toile_files::bvh::{Bvh, BvhChannel, BvhJoint, parse_bvh};
use toile_mesh::DVec3;

/// A root with an arm of two bones. The root moves to (1, 2, 3) and turns by 90° about y, the elbow by 90° about z.
const ARM: &str = "HIERARCHY\r\nROOT Hips\r\n{\r\n\tOFFSET 0.0 0.0 0.0\r\n\
    \tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\r\n\
    \tJOINT Elbow\r\n\t{\r\n\t\tOFFSET 2.0 0.0 0.0\r\n\t\tCHANNELS 3 Zrotation Yrotation Xrotation\r\n\
    \t\tJOINT Wrist { OFFSET 1.5 0 0 CHANNELS 3 Xrotation Yrotation Zrotation\r\n\
    \t\t\tEnd Site\r\n\t\t\t{\r\n\t\t\t\tOFFSET 0.5 0 0\r\n\t\t\t}\r\n\t\t}\r\n\t}\r\n}\r\n\
    MOTION\r\nFrames: 2\r\nFrame Time: 0.0333333\r\n1 2 3 0 0 90 90 0 0 0 0 0\r\n0 0 0 10 20 30 0 0 0 0 0 0\r\n";

#[test]
fn joints_are_where_a_drawing_says() {
    let bvh = parse_bvh(ARM.as_bytes()).unwrap();
    assert_eq!((bvh.joints.len(), bvh.frame_count(), bvh.channel_count()), (3, 2, 12));
    assert_eq!(bvh.joints[2].end, Some(DVec3::new(0.5, 0.0, 0.0)));
    let at = |frame: usize, j: usize| bvh.frame(frame)[j].position;
    // Turned by 90° about y, +x points to −z; the elbow bends from there to +y.
    for (j, expected) in [(0, [1.0, 2.0, 3.0]), (1, [1.0, 2.0, 1.0]), (2, [1.0, 3.5, 1.0])] {
        assert!((at(0, j) - DVec3::from(expected)).length() < 1e-9, "{j}: {}", at(0, j));
    }
    // Rz(10°) Rx(20°) Ry(30°) (2, 0, 0), by hand.
    let [(sz, cz), (sx, cx), (sy, cy)] = [10_f64, 20.0, 30.0].map(|a| a.to_radians().sin_cos());
    let (x, y, z) = (2.0 * cy, 0.0, -2.0 * sy);
    let (y, z) = (cx * y - sx * z, sx * y + cx * z);
    let expected = DVec3::new(cz * x - sz * y, sz * x + cz * y, z);
    assert!((at(1, 1) - expected).length() < 1e-9);
    assert_eq!(bvh.rest()[2].position, DVec3::new(3.5, 0.0, 0.0));
}

#[test]
fn exporters_spell_as_they_like() {
    let text = "hierarchy # by hand\nroot mixamorig:Hips{offset 0 0 0 channels 0\n// arms\nJoint Left Arm {\n\
        OFFSET 1 0 0 CHANNELS 6 zROTATION xrotation Yrotation XTranslation yposition Zposition\n\
        EndSite{OFFSET 0 1 0}}}\nMotion\nFRAMES : 1\nFrame time : .5\n0 0 90 1 2 3\n7 7 7\n";
    let bvh = parse_bvh(text.as_bytes()).unwrap();
    assert_eq!(bvh.joints[1].name, "Left Arm");
    assert_eq!(bvh.frame(0)[1].position, DVec3::new(1.0, 2.0, 3.0));
    assert_eq!((bvh.frame_count(), bvh.frame_time), (1, 0.5));
}

#[test]
fn errors_name_line_reason_and_remedy() {
    let error = |text: &str| parse_bvh(text.as_bytes()).unwrap_err().to_string();
    for (text, expected) in [
        ("solid cube", "line 1: found \"solid\", not HIERARCHY; this is not a BVH file: export the motion as BVH"),
        (
            "HIERARCHY\nROOT a {\n",
            "line 2: the file ends where a joint or MOTION should follow; the file is cut off: export it again",
        ),
        ("HIERARCHY\nJOINT a {", "line 2: a joint outside of a joint; begin the tree with ROOT"),
        ("HIERARCHY\nROOT a {\nCHANNELS 99", "line 3: \"99\" channels; a joint has 0 to 9, mostly 3 or 6"),
        ("HIERARCHY ROOT a {\n} }", "line 2: } without {; close each joint once"),
        ("HIERARCHY ROOT a {\nMOTION", "line 2: a is not closed; close it with }"),
    ] {
        assert_eq!(error(text), expected);
    }
    assert!(error(&ARM.replace("Frames: 2", "Frames: 3")).contains("3 frames are announced, 2 are there"));
    assert!(error(&ARM.replace("Frames: 2", "Frames: 99999999")).contains("at most"));
    assert!(error(&ARM.replace("0.0333333", "0")).contains("a frame time of 0 s"));
    assert!(error(&ARM.replace("1 2 3 0 0 90", "1 2 nan 0 0 90")).contains("not finite"));
}

fn append(text: &mut String, line: &str) {
    text.push_str(line);
}

fn write(bvh: &Bvh) -> String {
    fn block(bvh: &Bvh, j: usize, text: &mut String) {
        let joint = &bvh.joints[j];
        let keyword = if joint.parent.is_some() { "JOINT" } else { "ROOT" };
        let channels: Vec<String> = (joint.channels.iter())
            .map(|channel| match channel {
                BvhChannel::Position(axis) => format!("{}position", ["X", "Y", "Z"][usize::from(*axis)]),
                BvhChannel::Rotation(axis) => format!("{}rotation", ["X", "Y", "Z"][usize::from(*axis)]),
                BvhChannel::Ignored => "Xscale".to_owned(),
            })
            .collect();
        let o = joint.offset;
        append(text, &format!("{keyword} {}\n{{\nOFFSET {} {} {}\n", joint.name, o.x, o.y, o.z));
        append(text, &format!("CHANNELS {} {}\n", channels.len(), channels.join(" ")));
        if let Some(e) = joint.end {
            append(text, &format!("End Site\n{{\nOFFSET {} {} {}\n}}\n", e.x, e.y, e.z));
        }
        for child in (0..bvh.joints.len()).filter(|&k| bvh.joints[k].parent == Some(j)) {
            block(bvh, child, text);
        }
        *text += "}\n";
    }
    let mut text = "HIERARCHY\n".to_owned();
    block(bvh, 0, &mut text);
    append(&mut text, &format!("MOTION\nFrames: {}\nFrame Time: {}\n", bvh.frame_count(), bvh.frame_time));
    for frame in bvh.values.chunks(bvh.channel_count()) {
        text += &frame.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        text.push('\n');
    }
    text
}

fn channel() -> impl Strategy<Value = BvhChannel> {
    prop_oneof![(0..3_u8).prop_map(BvhChannel::Position), (0..3_u8).prop_map(BvhChannel::Rotation)]
}

prop_compose! {
    /// A chain with side branches: each joint hangs from the one before or its parent, so that order is kept.
    fn any_bvh()(
        joints in prop::collection::vec((any::<bool>(), -9.0..9.0, prop::collection::vec(channel(), 1..7)), 1..8),
        frames in 1..4_usize,
        seed in -180.0..180.0,
        frame_time in 1e-3..1.0,
    ) -> Bvh {
        let mut tree: Vec<BvhJoint> = Vec::new();
        for (j, (deep, x, channels)) in joints.into_iter().enumerate() {
            let before = j.checked_sub(1);
            let parent = before.map(|b| if deep { b } else { tree[b].parent.unwrap_or(b) });
            let end = (j % 3 == 2).then_some(DVec3::new(0.25, x, 1.0));
            tree.push(BvhJoint { name: format!("joint {j}"), parent, offset: DVec3::new(x, 0.5, -x), channels, end });
        }
        let count: usize = tree.iter().map(|joint| joint.channels.len()).sum();
        let values = (0..frames * count).map(|k| seed * (k as f64 + 1.0).sin()).collect();
        Bvh { joints: tree, frame_time, values }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(bvh in any_bvh()) {
        prop_assert_eq!(parse_bvh(write(&bvh).as_bytes()).unwrap(), bvh);
    }

    #[test]
    fn any_bytes_are_judged_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse_bvh(&bytes);
        let _ = parse_bvh(&[b"HIERARCHY ".as_slice(), &bytes].concat());
    }

    #[test]
    fn damaged_files_are_judged_without_panic(at in 0..ARM.len(), byte: u8, cut in 0..ARM.len()) {
        let mut bytes = ARM.as_bytes().to_vec();
        bytes[at] = byte;
        let _ = parse_bvh(&bytes).map(|bvh| bvh.frame(0));
        let _ = parse_bvh(&bytes[..cut]);
    }

    #[test]
    fn words_in_any_order_are_judged_without_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "ROOT", "JOINT", "a", "{", "}", "End", "Site", "OFFSET", "1", "2", "3", "CHANNELS", "Xrotation", "MOTION",
            "Frames:", "Frame", "Time:", "0.1",
        ]), 0..60)
    ) {
        let _ = parse_bvh(format!("HIERARCHY {}", words.join(" ")).as_bytes()).map(|bvh| bvh.frame(1));
    }
}
