//! The BVH reader.

use std::path::Path;

use toile_mesh::DVec3;

use super::tokens::{Token, Tokens};
use super::{Bvh, BvhChannel, BvhJoint, MOST_JOINTS, MOST_VALUES};
use crate::mesh_file::read_limited;
use crate::text::{finite_number, quote};
use crate::{FileError, MAX_FILE_BYTES, ParseError, Place};

/// Reads a BVH file.
pub fn read_bvh(path: &Path) -> Result<Bvh, FileError> {
    let bytes = read_limited(path, MAX_FILE_BYTES)?;
    parse_bvh(&bytes).map_err(FileError::parse(path))
}

/// Reads a BVH file from its bytes.
///
/// ```
/// use toile_files::bvh::parse_bvh;
/// let text = "HIERARCHY ROOT Hips { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
///     End Site { OFFSET 0 2 0 } } MOTION Frames: 1 Frame Time: 0.04 90 0 0";
/// let bvh = parse_bvh(text.as_bytes()).unwrap();
/// assert_eq!((bvh.joints.len(), bvh.frame_count(), bvh.frame_time), (1, 1, 0.04));
/// ```
pub fn parse_bvh(bytes: &[u8]) -> Result<Bvh, ParseError> {
    let mut tokens = Tokens::new(bytes);
    let first = tokens.expect("HIERARCHY")?;
    if !first.is("HIERARCHY") {
        let reason = format!("found {}, not HIERARCHY", quote(first.word));
        return Err(ParseError::new(first.place(), reason, "this is not a BVH file: export the motion as BVH"));
    }
    let joints = hierarchy(&mut tokens)?;
    let (frame_time, values) = motion(&mut tokens, joints.iter().map(|joint| joint.channels.len()).sum())?;
    Ok(Bvh { joints, frame_time, values })
}

/// The tree; ends after the keyword MOTION.
fn hierarchy(tokens: &mut Tokens<'_>) -> Result<Vec<BvhJoint>, ParseError> {
    let mut joints: Vec<BvhJoint> = Vec::new();
    // The open blocks: a joint, or its end site.
    let mut open: Vec<(usize, bool)> = Vec::new();
    loop {
        let token = tokens.expect("a joint or MOTION")?;
        let fail = |reason: String, remedy| Err(ParseError::new(token.place(), reason, remedy));
        let in_end = open.last().is_some_and(|(_, is_end)| *is_end);
        if token.is("MOTION") {
            return match open.last() {
                Some((j, _)) => fail(format!("{} is not closed", joints[*j].name), "close it with }"),
                None if joints.is_empty() => fail("there is no joint".into(), "export the skeleton with the motion"),
                None => Ok(joints),
            };
        } else if token.is("ROOT") || token.is("JOINT") {
            if in_end || (token.is("JOINT") && open.is_empty()) {
                return fail("a joint outside of a joint".into(), "begin the tree with ROOT");
            }
            if joints.len() == MOST_JOINTS {
                return fail(format!("more than {MOST_JOINTS} joints"), "export the body without fingers and face");
            }
            let name = name(tokens)?;
            open_brace(tokens)?;
            let parent = open.last().map(|(j, _)| *j);
            open.push((joints.len(), false));
            joints.push(BvhJoint { name, parent, offset: DVec3::ZERO, channels: Vec::new(), end: None });
        } else if token.is("End") || token.is("EndSite") {
            let Some(&(joint, false)) = open.last() else {
                return fail("an end site outside of a joint".into(), "close the braces in order");
            };
            name(tokens)?;
            open_brace(tokens)?;
            open.push((joint, true));
        } else if token.is("}") {
            if open.pop().is_none() {
                return fail("} without {".into(), "close each joint once");
            }
        } else if token.is("OFFSET") {
            let Some(&(joint, is_end)) = open.last() else {
                return fail("an offset outside of a joint".into(), "close the braces in order");
            };
            let offset = [0; 3].map(|_| number(tokens, "offset"));
            let [x, y, z] = offset;
            let offset = DVec3::new(x?, y?, z?);
            if is_end { joints[joint].end = Some(offset) } else { joints[joint].offset = offset }
        } else if token.is("CHANNELS") {
            let Some(&(joint, false)) = open.last() else {
                return fail("channels outside of a joint".into(), "only joints have channels");
            };
            joints[joint].channels = channels(tokens)?;
        } else {
            return fail(
                format!("unknown word {}", quote(token.word)),
                "known are ROOT, JOINT, End Site, OFFSET, CHANNELS, MOTION",
            );
        }
    }
}

/// The words up to the brace.
fn name(tokens: &mut Tokens<'_>) -> Result<String, ParseError> {
    let mut name = String::new();
    while let Some(token) = tokens.peek().filter(|token| !token.is("{")) {
        if name.len() > 200 {
            return Err(ParseError::new(token.place(), "a name without end", "open the joint with {"));
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(&String::from_utf8_lossy(&token.word[..token.word.len().min(200)]));
        tokens.next();
    }
    Ok(name)
}

fn open_brace(tokens: &mut Tokens<'_>) -> Result<(), ParseError> {
    tokens.expect("{").map(|_| ())
}

fn number(tokens: &mut Tokens<'_>, what: &str) -> Result<f64, ParseError> {
    let token = tokens.expect(what)?;
    finite_number(token.word, what, token.place())
}

fn channels(tokens: &mut Tokens<'_>) -> Result<Vec<BvhChannel>, ParseError> {
    const MOST: usize = 9;
    let token = tokens.expect("the number of channels")?;
    let count = std::str::from_utf8(token.word).ok().and_then(|w| w.parse::<usize>().ok()).filter(|n| *n <= MOST);
    let Some(count) = count else {
        let reason = format!("{} channels", quote(token.word));
        return Err(ParseError::new(token.place(), reason, "a joint has 0 to 9, mostly 3 or 6"));
    };
    (0..count).map(|_| channel(tokens.expect("a channel")?)).collect()
}

/// `Xposition`, `zRotation`, `Ytranslation`, `Xscale`.
fn channel(token: Token<'_>) -> Result<BvhChannel, ParseError> {
    let lower = token.word.to_ascii_lowercase();
    let axis = lower.first().and_then(|letter| b"xyz".iter().position(|axis| axis == letter));
    let kind = lower.get(1..4);
    match (axis, kind) {
        (Some(axis), Some(b"pos" | b"tra")) => Ok(BvhChannel::Position(axis as u8)),
        (Some(axis), Some(b"rot")) => Ok(BvhChannel::Rotation(axis as u8)),
        (Some(_), Some(b"sca")) => Ok(BvhChannel::Ignored),
        _ => {
            let reason = format!("unknown channel {}", quote(token.word));
            Err(ParseError::new(token.place(), reason, "write Xposition, Yposition, Zposition, Xrotation, …"))
        }
    }
}

/// Time between frames and all values.
fn motion(tokens: &mut Tokens<'_>, channels: usize) -> Result<(f64, Vec<f64>), ParseError> {
    let (mut frames, mut frame_time) = (None, None);
    while let Some(token) = tokens.peek().filter(|token| token.word[0].is_ascii_alphabetic()) {
        tokens.next();
        if token.is("Frames:") || token.is("Frames") {
            let token = after_colon(tokens, "the number of frames")?;
            let count = std::str::from_utf8(token.word).ok().and_then(|w| w.parse::<usize>().ok());
            frames = Some(count.ok_or_else(|| {
                let reason = format!("{} frames", quote(token.word));
                ParseError::new(token.place(), reason, "write a whole number after \"Frames:\"")
            })?);
        } else if token.is("Frame") || token.is("FrameTime:") || token.is("FrameTime") {
            if token.is("Frame") {
                tokens.expect("Time:")?;
            }
            let token = after_colon(tokens, "the frame time")?;
            let seconds = finite_number(token.word, "frame time", token.place())?;
            if seconds <= 0.0 {
                let reason = format!("a frame time of {seconds} s");
                return Err(ParseError::new(token.place(), reason, "write the seconds between frames, like 0.0333"));
            }
            frame_time = Some(seconds);
        } else {
            let reason = format!("unknown word {}", quote(token.word));
            return Err(ParseError::new(token.place(), reason, "after MOTION come \"Frames:\" and \"Frame Time:\""));
        }
    }
    let missing = |what: &str| {
        let remedy = "after MOTION write \"Frames: 100\" and \"Frame Time: 0.0333\"";
        ParseError::new(Place::Whole, format!("{what} is missing"), remedy)
    };
    let (frames, frame_time) =
        (frames.ok_or_else(|| missing("Frames:"))?, frame_time.ok_or_else(|| missing("Frame Time:"))?);
    if frames == 0 || channels == 0 {
        let reason = format!("{frames} frames of {channels} channels hold no motion");
        return Err(ParseError::new(Place::Whole, reason, "export the animation with the skeleton"));
    }
    let total = frames.checked_mul(channels).filter(|total| *total <= MOST_VALUES).ok_or_else(|| {
        let reason = format!("{frames} frames of {channels} channels, at most {MOST_VALUES} numbers are read");
        ParseError::new(Place::Whole, reason, "export fewer frames per second, or a part")
    })?;
    // Memory grows with what is there, not with what is announced.
    let mut values = Vec::new();
    while values.len() < total {
        let Some(token) = tokens.next() else {
            let reason = format!("{frames} frames are announced, {} are there", values.len() / channels);
            return Err(ParseError::new(Place::Whole, reason, "correct the number of frames, or export again"));
        };
        values.push(finite_number(token.word, "value", token.place())?);
    }
    Ok((frame_time, values))
}

/// The word after a colon that stands alone.
fn after_colon<'a>(tokens: &mut Tokens<'a>, what: &str) -> Result<Token<'a>, ParseError> {
    let token = tokens.expect(what)?;
    if token.is(":") { tokens.expect(what) } else { Ok(token) }
}
