//! Finding an arm: shoulder point, elbow, wrist and finger tips.
//!
//! The arm ends at the point farthest from the shoulder, among those that hang together beside it. The wrist is where the forearm is thinnest;
//! the elbow, where a bent arm is farthest from the line between shoulder and wrist.

use toile_mesh::DVec3;

use super::Wrist;
use super::find::{Finder, NotABody, greatest, least, not_found};
use super::section::{Plane, section};

/// How far outward of the armpit the shoulder point lies, over the height.
const SHOULDER: f64 = 0.012;

/// From the shoulder point to the finger tips, over the height, below which an arm has no hand.
const LEAST_ARM: f64 = 0.375;

/// A straight piece of a limb.
#[derive(Clone, Copy)]
struct Limb {
    from: DVec3,
    to: DVec3,
}

/// How far an elbow is off the line from shoulder to wrist before the arm is said to be bent, over the height.
const BENT_ARM: f64 = 0.02;

/// An arm's landmarks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmMarks {
    pub(crate) shoulder: DVec3,
    pub(crate) upper_arm: Plane,
    pub(super) elbow: DVec3,
    pub(super) wrist: Wrist,
    /// Middles of elbow and wrist, and the end of the arm [m].
    pub(crate) middles: [DVec3; 3],
    /// Radii of circles as long as the tape around the middle of the upper arm, elbow and wrist [m].
    pub(crate) radii: [f64; 3],
    pub(crate) has_hand: bool,
}

impl Finder<'_> {
    /// The arm on one side: +1 left, −1 right.
    pub(super) fn arm(&self, side: f64, half_width: f64, armpit: f64) -> Result<ArmMarks, NotABody> {
        let missing = || not_found("an arm", "use an A-pose or a T-pose");
        let shoulder =
            self.shoulder_point(self.middle.x + side * (half_width + SHOULDER * self.height)).ok_or_else(missing)?;
        let tip = self.arm_tip(side, shoulder);
        let has_hand = shoulder.distance(tip) > LEAST_ARM * self.height;
        // The joint lies half an arm below the shoulder point; the axis runs through the middles of sections.
        let root = DVec3::new(shoulder.x, 0.5 * (shoulder.y + armpit.min(shoulder.y)), shoulder.z);
        let whole = Limb { from: root, to: tip };
        let wrist = least(if has_hand { [0.62, 0.84] } else { [0.86, 0.95] }, |t| self.limb_girth(whole, t));
        let elbow = self.elbow(whole, wrist).ok_or_else(missing)?;
        // Square to the forearm the wrist is narrower than square to the whole arm.
        let fore = Limb { from: elbow, to: tip };
        let wrist = least(if has_hand { [0.42, 0.76] } else { [0.72, 0.90] }, |t| self.limb_girth(fore, t));
        let upper = Limb { from: shoulder_joint(shoulder, root), to: elbow };
        let (Some(at_wrist), Some(at_middle)) = (self.limb_middle(fore, wrist), self.limb_middle(upper, 0.5)) else {
            return Err(missing());
        };
        let plane = |point: DVec3, from: DVec3, to: DVec3| Plane { point, normal: (to - from).normalize_or_zero() };
        let across = |point: DVec3, limb: Limb| plane(point, limb.from, limb.to);
        let planes = [across(at_middle, upper), plane(elbow, upper.from, at_wrist), plane(at_wrist, elbow, at_wrist)];
        let radii = planes.map(|plane| self.around(plane).map_or(0.0, |r| r.girth / std::f64::consts::TAU));
        let outward = DVec3::new(side * -(tip - root).y.min(0.0), side * (tip - root).x, 0.0).normalize_or_zero();
        Ok(ArmMarks {
            shoulder,
            upper_arm: planes[0],
            elbow: elbow + radii[1] * outward,
            wrist: Wrist { plane: planes[2], point_on_outside: at_wrist + radii[2] * outward },
            middles: [elbow, at_wrist, tip],
            radii,
            has_hand,
        })
    }

    /// Where an arm ends: of what hangs together with the point farthest to the side, that farthest from the shoulder [m].
    fn arm_tip(&self, side: f64, shoulder: DVec3) -> DVec3 {
        let positions = &self.mesh.positions;
        let limit = side * shoulder.x + 0.03 * self.height;
        let is_out: Vec<bool> = positions.iter().map(|p| side * p.x > limit).collect();
        let mut part: Vec<u32> = (0..positions.len() as u32).collect();
        // Joined over the triangles: each vertex points to one of its part.
        let root = |part: &mut Vec<u32>, mut v: u32| {
            while part[v as usize] != v {
                part[v as usize] = part[part[v as usize] as usize];
                v = part[v as usize];
            }
            v
        };
        for t in self.mesh.triangles.iter().filter(|t| t.iter().all(|v| is_out[v.index()])) {
            let first = root(&mut part, t[0].0);
            for v in &t[1..] {
                let other = root(&mut part, v.0);
                part[other as usize] = first;
            }
        }
        let outermost =
            (0..positions.len()).max_by(|a, b| (side * positions[*a].x).total_cmp(&(side * positions[*b].x)));
        let Some(outermost) = outermost else { return shoulder };
        let own = root(&mut part, outermost as u32);
        let mut farthest = positions[outermost];
        for v in (0..positions.len()).filter(|v| is_out[*v]) {
            let is_farther = positions[v].distance_squared(shoulder) > farthest.distance_squared(shoulder);
            if is_farther && root(&mut part, v as u32) == own {
                farthest = positions[v];
            }
        }
        farthest
    }

    fn limb_plane(limb: Limb, t: f64) -> Plane {
        Plane { point: limb.from.lerp(limb.to, t), normal: (limb.to - limb.from).normalize_or_zero() }
    }

    fn limb_girth(&self, limb: Limb, t: f64) -> f64 {
        self.around(Self::limb_plane(limb, t)).map_or(f64::INFINITY, |r| r.girth)
    }

    fn limb_middle(&self, limb: Limb, t: f64) -> Option<DVec3> {
        self.around(Self::limb_plane(limb, t)).map(|r| r.centre())
    }

    /// The middle of the elbow: where a bent arm is farthest from the line between shoulder and wrist, or at the usual share of a straight one.
    fn elbow(&self, whole: Limb, wrist: f64) -> Option<DVec3> {
        let end = self.limb_middle(whole, wrist)?;
        let along = (end - whole.from).normalize_or_zero();
        let off = |p: DVec3| ((p - whole.from) - (p - whole.from).dot(along) * along).length();
        let bend = |t: f64| self.limb_middle(whole, t * wrist).map_or(0.0, off);
        let farthest = greatest([0.42, 0.64], bend);
        let share = if bend(farthest) > BENT_ARM * self.height { farthest } else { 0.54 };
        self.limb_middle(whole, share * wrist)
    }

    /// The highest point of the shoulder in the plane `x`.
    fn shoulder_point(&self, x: f64) -> Option<DVec3> {
        let cut = section(self.mesh, Plane { point: DVec3 { x, ..self.middle }, normal: DVec3::X });
        cut.into_iter().flatten().max_by(|a, b| a.y.total_cmp(&b.y))
    }
}

/// Where the axis of the upper arm begins.
fn shoulder_joint(shoulder: DVec3, root: DVec3) -> DVec3 {
    DVec3::new(root.x, 0.5 * (root.y + shoulder.y), root.z)
}
