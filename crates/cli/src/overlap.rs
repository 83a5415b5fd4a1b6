//! Where bodies of a run go through themselves while they move: frames and places.
//!
//! Cloth between two parts of a body that overlap has no room. The judge of `toile-mesh` looks at the surface of every moving mesh in every
//! frame, or in [`MOST_LOOKS`] of them. Segments that share a triangle are neighbours, and what overlaps there is a fold of the skin.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde_json::{Value, json};
use toile::MeshObstacle;
use toile_mesh::{FaceId, TriMesh, judge};
use toile_scene::Run;

use crate::check::counted;

/// Frames that are looked at, at most.
const MOST_LOOKS: u32 = 300;

/// Lines about overlaps at most.
const MOST_LINES: usize = 6;

/// Two segments of a body that overlap.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Overlap {
    body: String,
    /// Names of the segments; `None` if they are not known.
    place: Option<[String; 2]>,
    /// Whether they are neighbours, or one.
    is_fold: bool,
    /// Frames in which they do, ascending.
    frames: Vec<u32>,
    /// Pairs of triangles in the worst of them.
    pairs: usize,
}

/// All overlaps of the bodies of a run, in its frames so far.
pub(crate) fn find(run: &Run) -> Vec<Overlap> {
    let frames = run.world().frame();
    let stride = frames.div_ceil(MOST_LOOKS).max(1);
    let rate = run.scene().time.frame_rate;
    let looks: Vec<u32> = (0..=frames).step_by(stride as usize).collect();
    let bodies = run.world().mesh_obstacles().iter().filter(|mesh| mesh.deformation.is_some());
    bodies.flat_map(|body| of_body(body, &looks, rate)).collect()
}

fn of_body(body: &MeshObstacle, looks: &[u32], rate: f64) -> Vec<Overlap> {
    let neighbours = neighbours(body);
    let found: Vec<BTreeMap<Option<[u32; 2]>, usize>> =
        looks.par_iter().map(|frame| at_time(body, f64::from(*frame) / rate)).collect();
    let mut overlaps: BTreeMap<Option<[u32; 2]>, Overlap> = BTreeMap::new();
    for (frame, places) in looks.iter().zip(found) {
        for (place, pairs) in places {
            let named = |number: u32| segment_name(body, number);
            let overlap = overlaps.entry(place).or_insert_with(|| Overlap {
                body: body.name.clone(),
                place: place.map(|[a, b]| [named(a), named(b)]),
                is_fold: place.is_some_and(|[a, b]| a == b || neighbours.contains(&[a, b])),
                frames: Vec::new(),
                pairs: 0,
            });
            overlap.frames.push(*frame);
            overlap.pairs = overlap.pairs.max(pairs);
        }
    }
    overlaps.into_values().collect()
}

fn segment_name(body: &MeshObstacle, number: u32) -> String {
    let skin = body.deformation.as_ref().and_then(|deformation| deformation.skin());
    skin.and_then(|skin| skin.segments.get(number as usize)).cloned().unwrap_or_default()
}

/// Segments of each vertex, if they are known.
fn segments(body: &MeshObstacle) -> Option<&[u32]> {
    body.deformation.as_ref()?.skin().map(|skin| skin.segment.as_slice())
}

/// Pairs of segments, ascending, that share a triangle.
fn neighbours(body: &MeshObstacle) -> BTreeSet<[u32; 2]> {
    let Some(segments) = segments(body) else { return BTreeSet::new() };
    let mut pairs = BTreeSet::new();
    for t in &body.mesh.triangles {
        let [a, b, c] = t.map(|v| segments[v.index()]);
        pairs.extend([[a.min(b), a.max(b)], [b.min(c), b.max(c)], [a.min(c), a.max(c)]]);
    }
    pairs
}

/// Pairs of triangles that intersect at a time [s], by place.
fn at_time(body: &MeshObstacle, t: f64) -> BTreeMap<Option<[u32; 2]>, usize> {
    let mesh: TriMesh = body.mesh_at(t);
    let mut places = BTreeMap::new();
    for pair in judge::self_intersections(&mesh).pairs {
        let place = segments(body).map(|segments| {
            let of = |face: FaceId| segments[mesh.triangles[face.index()][0].index()];
            let (a, b) = (of(pair.a), of(pair.b));
            [a.min(b), a.max(b)]
        });
        *places.entry(place).or_insert(0) += 1;
    }
    places
}

impl Overlap {
    fn json(&self) -> Value {
        json!({ "body": self.body, "place": self.place, "fold": self.is_fold, "frames": ranges(&self.frames), "pairs": self.pairs })
    }

    fn sentence(&self) -> String {
        let place = match &self.place {
            None => "goes through itself".to_owned(),
            Some([a, b]) if a == b => format!("{a} folds onto itself"),
            Some([a, b]) if self.is_fold => format!("the skin folds between {a} and {b}"),
            Some([a, b]) => format!("{a} and {b} go through each other"),
        };
        let frames: Vec<String> = ranges(&self.frames).into_iter().map(range_words).collect();
        let pairs = counted(self.pairs, "pair");
        format!("{}: {place} in frames {} (up to {pairs} of triangles)", self.body, frames.join(", "))
    }
}

fn range_words([first, last]: [u32; 2]) -> String {
    if first == last { first.to_string() } else { format!("{first}–{last}") }
}

/// Runs of frames that follow each other as they were looked at, as first and last.
fn ranges(frames: &[u32]) -> Vec<[u32; 2]> {
    let step = frames.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(1);
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for &frame in frames {
        match ranges.last_mut() {
            Some(range) if frame - range[1] <= step => range[1] = frame,
            _ => ranges.push([frame, frame]),
        }
    }
    ranges
}

/// For `report.json`.
pub(crate) fn json(overlaps: &[Overlap]) -> Value {
    overlaps.iter().map(Overlap::json).collect()
}

/// Lines for people: limbs first; folds of the skin in one line.
pub(crate) fn lines(overlaps: &[Overlap]) -> Vec<String> {
    let (folds, limbs): (Vec<&Overlap>, Vec<&Overlap>) = overlaps.iter().partition(|overlap| overlap.is_fold);
    let mut lines: Vec<String> = limbs.iter().take(MOST_LINES).map(|overlap| overlap.sentence()).collect();
    if limbs.len() > MOST_LINES {
        lines.push(format!("and {} more places", limbs.len() - MOST_LINES));
    }
    match folds.as_slice() {
        [] => {}
        [one] => lines.push(one.sentence()),
        many => {
            let worst = many.iter().max_by_key(|overlap| (overlap.frames.len(), overlap.pairs));
            let worst = worst.map(|overlap| overlap.sentence()).unwrap_or_default();
            lines.push(format!("skin folds at {} places; most often: {worst}", many.len()));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(place: [&str; 2], is_fold: bool, frames: &[u32]) -> Overlap {
        let place = Some(place.map(str::to_owned));
        Overlap { body: "eve".into(), place, is_fold, frames: frames.to_vec(), pairs: 3 }
    }

    #[test]
    fn frames_are_told_as_ranges_and_limbs_before_folds() {
        let found = [
            overlap(["torso", "left upper arm"], true, &[1, 2]),
            overlap(["left hand", "torso"], false, &[4, 5, 6, 9]),
        ];
        let lines = lines(&found);
        assert_eq!(
            lines[0],
            "eve: left hand and torso go through each other in frames 4–6, 9 (up to 3 pairs of triangles)"
        );
        assert!(lines[1].contains("folds between torso and left upper arm in frames 1–2"), "{}", lines[1]);
        assert_eq!(ranges(&[0, 2, 4, 10]), [[0, 4], [10, 10]]);
        assert_eq!(json(&found)[1]["frames"], json!([[4, 6], [9, 9]]));
    }
}
