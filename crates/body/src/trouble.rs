//! Trouble before it costs a simulation: where a body goes through itself while it moves.
//!
//! Cloth between two parts of a body that go through each other has no room. [`check`] poses the body at equal times and asks the
//! judge of `toile-mesh` for triangles that intersect. Triangles belong to the segment of their first corner's bone. Folds of
//! bent joints (armpits, the backs of knees, the groin) intersect on most bodies; they are told apart by
//! [`Trouble::is_fold`].
//!
//! The depth of a pair of triangles is how far each reaches behind the plane of the other, the lesser of both; that of a trouble
//! is the greatest among its pairs. It is a lower bound: triangles wholly inside meet nothing.

use std::collections::BTreeMap;
use std::fmt;

use toile_mesh::{DVec3, TriMesh, judge, triangle_normal};

use crate::performance::Performance;
use crate::skeleton::{Joint, Segment};

/// Times that are looked at, at most.
const MOST_TIMES: f64 = 1e5;

/// Two parts of a body that go through each other at a time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trouble {
    /// When [s].
    pub time: f64,
    /// Which segments; nothing for a recording, whose segments are not known.
    pub place: Option<[Segment; 2]>,
    /// Pairs of triangles that intersect.
    pub count: usize,
    /// How deep they go into each other, at least [m].
    pub depth: f64,
}

impl Trouble {
    /// Whether the segments are one or meet in a joint, so that this is a fold of the skin.
    pub fn is_fold(&self) -> bool {
        let Some([a, b]) = self.place else { return false };
        let meets = |joint: Joint| {
            let (here, parent) = (joint.segment(), joint.parent().segment());
            (here, parent) == (a, b) || (here, parent) == (b, a)
        };
        a == b || Joint::ALL.into_iter().any(meets)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { time, count, depth, .. } = self;
        match self.place {
            Some([a, b]) if a == b => write!(f, "{time:.3} s: {a} folds onto itself")?,
            Some([a, b]) => write!(f, "{time:.3} s: {a} and {b} go through each other")?,
            None => write!(f, "{time:.3} s: the body goes through itself")?,
        }
        write!(f, " in {count} pairs of triangles, {:.1} mm deep", 1000.0 * depth)
    }
}

/// All trouble from time 0 to `duration`, looked for every `step` [s], by time and then place. Only time 0 is looked at if the
/// step is not positive, and at most a hundred thousand times.
///
/// ```
/// use toile_body::{Blend, Body, Figure, Given, Motion, Performance, Posture, Specification, draft, trouble};
/// use toile_body::{Joint, Segment};
/// use toile_mesh::DQuat;
/// let mannequin = draft(&Specification { triangles: 5_000, ..Specification::new(Figure::Female, Given::NONE) })?;
/// let mut crossed = Posture::REST;
/// crossed.set(Joint::LeftHip, DQuat::from_rotation_z(-0.5));
/// let body = Body::new(mannequin, Blend::DualQuaternion);
/// let found = trouble::check(&Performance::new(body, Motion::still(crossed), 1.0), 1.0, 0.5);
/// assert!(found.iter().all(|t| t.time > 0.0));
/// assert!(found.iter().any(|t| t.place == Some([Segment::LeftThigh, Segment::RightThigh]) && !t.is_fold()));
/// # Ok::<(), toile_body::Refusal>(())
/// ```
pub fn check(performance: &Performance, duration: f64, step: f64) -> Vec<Trouble> {
    let count = if step > 0.0 { (duration / step + 1e-9).floor().clamp(0.0, MOST_TIMES) } else { 0.0 };
    let mut mesh = performance.start();
    let mut found = Vec::new();
    for k in 0..=count as usize {
        let time = k as f64 * step.max(0.0);
        performance.positions(time, &mut mesh.positions);
        found.extend(at_time(performance, &mesh, time));
    }
    found
}

fn at_time(performance: &Performance, mesh: &TriMesh, time: f64) -> Vec<Trouble> {
    let mut places: BTreeMap<Option<[Segment; 2]>, (usize, f64)> = BTreeMap::new();
    for pair in judge::self_intersections(mesh).pairs {
        let place = performance.body().map(|body| {
            let segment = |f: toile_mesh::FaceId| body.bones[mesh.triangles[f.index()][0].index()].segment();
            let (a, b) = (segment(pair.a), segment(pair.b));
            [a.min(b), a.max(b)]
        });
        let (a, b) = (mesh.corners(pair.a), mesh.corners(pair.b));
        let depth = behind(a, b).min(behind(b, a));
        let entry = places.entry(place).or_insert((0, 0.0));
        *entry = (entry.0 + 1, entry.1.max(depth));
    }
    places.into_iter().map(|(place, (count, depth))| Trouble { time, place, count, depth }).collect()
}

/// How far the corners of one triangle reach behind the plane of another [m].
fn behind(corners: [DVec3; 3], of: [DVec3; 3]) -> f64 {
    let Some(normal) = triangle_normal(of) else { return 0.0 };
    corners.iter().map(|p| -normal.dot(*p - of[0])).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Recording;
    use toile_mesh::generate;

    /// Two balls of which one flies through the other: they meet while the centres are nearer than two radii.
    #[test]
    fn a_passage_is_found_when_it_happens() {
        let ball = generate::icosphere(0.1, 3);
        let mut pair = ball.clone();
        pair.append(&ball);
        let n = ball.vertex_count();
        let fly = |t: f64, x: &mut Vec<DVec3>| {
            x.extend(ball.positions.iter().copied());
            x.extend(ball.positions.iter().map(|p| *p + DVec3::new(1.0 - t, 0.013, 0.007)));
            assert_eq!(x.len(), 2 * n);
        };
        let flight = Performance::recorded(Recording::sample(&pair, 50.0, 2.0, fly).unwrap());
        let found = check(&flight, 2.0, 0.05);
        assert!(!found.is_empty());
        for trouble in &found {
            assert!((0.8..1.2).contains(&trouble.time) && trouble.place.is_none() && trouble.depth > 0.0);
        }
        for k in 0..3 {
            let time = 0.85 + 0.1 * f64::from(k);
            assert!(found.iter().any(|t| (t.time - time).abs() < 1e-9), "{time}");
        }
        assert!(found[0].to_string().contains("the body goes through itself in"));
    }

    #[test]
    fn neighbours_fold_and_strangers_do_not() {
        let at = |a, b| Trouble { time: 0.0, place: Some([a, b]), count: 1, depth: 0.0 }.is_fold();
        assert!(at(Segment::Torso, Segment::LeftThigh) && at(Segment::LeftShank, Segment::LeftThigh));
        assert!(at(Segment::Head, Segment::Head) && at(Segment::LeftUpperArm, Segment::Torso));
        assert!(!at(Segment::LeftThigh, Segment::RightThigh) && !at(Segment::LeftHand, Segment::Torso));
    }
}
