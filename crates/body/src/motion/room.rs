//! Room for cloth: how far arms are held out so that they leave some between themselves and the body.
//!
//! Cloth between two parts of a body needs a gap. Where an arm is joined to the trunk there is none, and near there it can only
//! be as wide as the angle between arm and trunk makes it: if that is narrow, cloth in it is caught by friction, and skin folds onto
//! itself. So a point `a` of an arm and a point `b` of trunk or thigh shall be farther apart than
//! ```text
//! min(ROOM, OPEN · |a − b| at rest)
//! ```
//! in every posture that is asked about. Bodies differ in where they are wide, so nothing is derived from girths; all pairs
//! of vertices are measured.

use toile_mesh::DVec3;

use crate::body::Body;
use crate::posture::Posture;
use crate::skeleton::{Joint, Segment};

/// What cloth needs between arm and body [m]: some layers with folds.
const ROOM: f64 = 0.035;

/// Share of their distance at rest that points keep which are nearer than that: where skin does not fold yet on bodies of sizes
/// 34 to 50 (a fifth), and cloth in the crook slides out rather than being caught.
const OPEN: f64 = 0.3;

/// Differences between angles that are tried [rad].
const FINENESS: f64 = 0.01;

/// A vertex, with its place at rest.
#[derive(Clone, Copy)]
struct Point {
    vertex: usize,
    rest: DVec3,
}

/// One arm of a body and what it must keep away from.
pub(crate) struct Room<'a> {
    body: &'a Body,
    arm: Vec<Point>,
    trunk: Vec<Point>,
}

impl<'a> Room<'a> {
    /// The left (0) or right (1) arm.
    pub(crate) fn new(body: &'a Body, side: usize) -> Self {
        let middle = body.skeleton.position(Joint::Pelvis).x;
        let out = [1.0, -1.0][side];
        let of = |segments: &[Segment]| -> Vec<Point> {
            let vertices = body.mesh.positions.iter().zip(&body.bones).enumerate();
            let wanted =
                vertices.filter(|(_, (p, bone))| out * (p.x - middle) > 0.0 && segments.contains(&bone.segment()));
            wanted.map(|(vertex, (rest, _))| Point { vertex, rest: *rest }).collect()
        };
        let (arm, trunk) = match side {
            0 => {
                ([Segment::LeftUpperArm, Segment::LeftForearm, Segment::LeftHand], [Segment::Torso, Segment::LeftThigh])
            }
            _ => (
                [Segment::RightUpperArm, Segment::RightForearm, Segment::RightHand],
                [Segment::Torso, Segment::RightThigh],
            ),
        };
        Self { body, arm: of(&arm), trunk: of(&trunk) }
    }

    /// The least angle in `[least, most]` [rad] at which all postures that `postures` makes of it leave room; `most` if none does.
    pub(crate) fn least_angle<P: IntoIterator<Item = Posture>>(
        &self,
        [least, most]: [f64; 2],
        postures: impl Fn(f64) -> P,
    ) -> f64 {
        let mut positions = Vec::new();
        let mut is_open = |angle: f64| {
            postures(angle).into_iter().all(|posture| {
                self.body.positions(&posture, &mut positions);
                self.is_left(&positions)
            })
        };
        // The wider, the more room: bisection.
        if least >= most || is_open(least) {
            return least;
        }
        let (mut narrow, mut wide) = (least, most);
        while wide - narrow > FINENESS {
            let middle = 0.5 * (narrow + wide);
            if is_open(middle) { wide = middle } else { narrow = middle }
        }
        wide
    }

    /// Whether there is room where the vertices are [m].
    fn is_left(&self, x: &[DVec3]) -> bool {
        let heights = self.trunk.iter().map(|b| x[b.vertex].y);
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
        if low > high {
            return true;
        }
        // Points of the trunk in slices as high as the room, so that only neighbours are compared.
        let slice = |y: f64| ((y - low) / ROOM).floor();
        let mut slices = vec![Vec::new(); slice(high) as usize + 1];
        for b in &self.trunk {
            slices[slice(x[b.vertex].y) as usize].push(*b);
        }
        self.arm.iter().all(|a| {
            let (place, k) = (x[a.vertex], slice(x[a.vertex].y));
            let (first, end) = ((k - 1.0).max(0.0) as usize, (k + 2.0).clamp(0.0, slices.len() as f64) as usize);
            slices.get(first..end).unwrap_or_default().iter().flatten().all(|b| {
                let need = ROOM.min(OPEN * a.rest.distance(b.rest));
                place.distance_squared(x[b.vertex]) >= need * need
            })
        })
    }
}
