//! Feet that stand: flat, on the floor, and where they are.
//!
//! A captured motion carried over to other legs floats, sinks and slides. For each foot:
//!
//! 1. The floor is where the soles are in the lowest tenth of all frames.
//! 2. The foot stands in a frame if its sole is near the floor and its deepest point hardly moves. Gaps and moments that are too short
//!    to mean anything are filled and left out.
//! 3. A constant turn makes the sole level where it stands, by the median of all those frames; files and bodies differ in what they call a
//!    level foot. What is left is taken away while the foot is nearly flat, and kept while it rolls over heel or toes.
//! 4. While it stands, its deepest point stays where it is: what that slides is added up and taken back. Its sole is put on the floor.
//!    Before and after, these corrections fade.
//! 5. The pelvis goes down where a leg would be too short, and the legs reach for the ankles (`motion::limb`).

use toile_mesh::{DQuat, DVec3};

use crate::body::Body;
use crate::motion::limb::{Leg, REACH};
use crate::motion::sole::Sole;
use crate::posture::{Posture, ease};
use crate::skeleton::{Joint, Rigid};

/// Height of a sole above the floor below which it may stand [m].
const NEAR: f64 = 0.04;

/// Speed of its deepest point below which it may stand [m/s].
const SLOW: f64 = 0.45;

/// Shortest moment of standing, and shortest of not standing [s].
const SHORTEST: [f64; 2] = [0.07, 0.06];

/// Time in which corrections fade [s].
const FADE: f64 = 0.16;

/// Tilts of a sole between which it changes from flat to rolling [rad].
const ROLLING: [f64; 2] = [0.20, 0.50];

/// Largest constant turn that makes a sole level [rad].
const MOST_LEVELLING: f64 = 0.6;

/// Time over which the pelvis goes down and up [s].
const GIVING_WAY: f64 = 0.20;

/// One foot over all frames.
struct Track {
    /// Rotation of the foot in the world.
    turns: Vec<DQuat>,
    /// Place of the ankle [m].
    ankles: Vec<DVec3>,
    /// Whether it stands.
    stands: Vec<bool>,
}

/// Plants the feet of a motion with so many postures a second [1/s].
pub(super) fn plant(postures: &mut [Posture], rate: f64, body: &Body) {
    if postures.is_empty() {
        return;
    }
    let soles = [Joint::LeftAnkle, Joint::RightAnkle].map(|joint| Sole::new(body, joint));
    let floor = floor(postures, &soles, body);
    for posture in postures.iter_mut() {
        posture.shift.y += floor;
    }
    let tracks = [0, 1].map(|side| {
        let mut track = Track::new(postures, &soles[side], body);
        track.find_standing(&soles[side], rate);
        if track.level(&soles[side]) {
            track.find_standing(&soles[side], rate);
        }
        track.flatten();
        track.hold(&soles[side], rate);
        track
    });
    give_way(postures, &tracks, rate, body);
    for (k, posture) in postures.iter_mut().enumerate() {
        for (leg, track) in Leg::both(&body.skeleton).iter().zip(&tracks) {
            reach(posture, leg, track.ankles[k], track.turns[k], body);
        }
    }
}

/// How far everything must rise so that the lowest soles are on the floor [m].
fn floor(postures: &[Posture], soles: &[Sole; 2], body: &Body) -> f64 {
    let depth = |posture: &Posture| {
        let motions = body.skeleton.pose(&posture.turns, posture.shift);
        soles.iter().map(|sole| sole.depth(&motions[sole.joint as usize])).fold(f64::NEG_INFINITY, f64::max)
    };
    let mut depths: Vec<f64> = postures.iter().map(depth).collect();
    depths.sort_by(f64::total_cmp);
    depths[(depths.len() * 9 / 10).min(depths.len() - 1)]
}

impl Track {
    fn new(postures: &[Posture], sole: &Sole, body: &Body) -> Self {
        let motions: Vec<Rigid> =
            postures.iter().map(|p| body.skeleton.pose(&p.turns, p.shift)[sole.joint as usize]).collect();
        Self {
            turns: motions.iter().map(|m| m.rotation).collect(),
            ankles: motions.iter().map(|m| m.apply(sole.ankle)).collect(),
            stands: vec![false; postures.len()],
        }
    }

    /// Height of the sole above the floor [m].
    fn clearance(&self, sole: &Sole, k: usize) -> f64 {
        self.ankles[k].y - sole.height(self.turns[k])
    }

    /// Way of a point fixed to the foot, given from the ankle, from one frame to another [m].
    fn way(&self, point: DVec3, from: usize, to: usize) -> DVec3 {
        self.ankles[to] + self.turns[to] * point - self.ankles[from] - self.turns[from] * point
    }

    fn find_standing(&mut self, sole: &Sole, rate: f64) {
        let last = self.ankles.len() - 1;
        for k in 0..=last {
            let (before, after) = (k.saturating_sub(1), (k + 1).min(last));
            let seconds = (after - before).max(1) as f64 / rate;
            let speed = self.way(sole.deepest(self.turns[k]), before, after).length() / seconds;
            self.stands[k] = self.clearance(sole, k) < NEAR && speed < SLOW;
        }
        for (value, shortest) in [(false, SHORTEST[1]), (true, SHORTEST[0])] {
            let most = (shortest * rate).round() as usize;
            for [first, end] in runs(&self.stands, value) {
                // What reaches over the ends of the clip may be long.
                if end - first < most && first > 0 && end <= last {
                    self.stands[first..end].fill(!value);
                }
            }
        }
    }

    /// Turns the foot so that its sole is level where it stands; whether that changed anything.
    fn level(&mut self, sole: &Sole) -> bool {
        let flat = |k: &usize| self.stands[*k] && self.clearance(sole, *k) < NEAR;
        let ups: Vec<DVec3> =
            (0..self.turns.len()).filter(flat).map(|k| self.turns[k].conjugate() * DVec3::Y).collect();
        if ups.is_empty() {
            return false;
        }
        let median = |axis: usize| {
            let mut values: Vec<f64> = ups.iter().map(|up| up[axis]).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let Some(up) = DVec3::new(median(0), median(1), median(2)).try_normalize() else { return false };
        let turn = DQuat::from_rotation_arc(DVec3::Y, up);
        if up.angle_between(DVec3::Y) > MOST_LEVELLING {
            return false;
        }
        for own in &mut self.turns {
            *own = (*own * turn).normalize();
        }
        true
    }

    /// Takes the tilt away while the foot stands nearly flat.
    fn flatten(&mut self) {
        for k in 0..self.turns.len() {
            let up = self.turns[k] * DVec3::Y;
            let tilt = up.angle_between(DVec3::Y);
            let share = 1.0 - ease((tilt - ROLLING[0]) / (ROLLING[1] - ROLLING[0]));
            if self.stands[k] && share > 0.0 {
                let level = DQuat::from_rotation_arc(up, DVec3::Y);
                self.turns[k] = (DQuat::IDENTITY.slerp(level, share) * self.turns[k]).normalize();
            }
        }
    }

    /// Keeps the foot where it stands, and off the floor elsewhere.
    fn hold(&mut self, sole: &Sole, rate: f64) {
        let count = self.ankles.len();
        let mut corrections = vec![DVec3::ZERO; count];
        for [first, end] in runs(&self.stands, true) {
            let middle = first + (end - first) / 2;
            let mut own = vec![DVec3::ZERO; end - first];
            let slid = |a: usize, b: usize| self.way(sole.deepest(self.turns[a]), a, b) * DVec3::new(1.0, 0.0, 1.0);
            for k in middle + 1..end {
                own[k - first] = own[k - 1 - first] - slid(k - 1, k);
            }
            for k in (first..middle).rev() {
                own[k - first] = own[k + 1 - first] - slid(k + 1, k);
            }
            for (k, correction) in own.iter_mut().enumerate() {
                correction.y = -self.clearance(sole, first + k);
            }
            let fade = |frames: usize| 1.0 - ease(frames as f64 / (FADE * rate));
            for (k, correction) in corrections.iter_mut().enumerate() {
                *correction += match k {
                    k if k < first => fade(first - k) * own[0],
                    k if k >= end => fade(k + 1 - end) * own[own.len() - 1],
                    k => own[k - first],
                };
            }
        }
        for (k, correction) in corrections.iter().enumerate() {
            self.ankles[k] += *correction;
            let sunk = -self.clearance(sole, k);
            if self.stands[k] || sunk > 0.0 {
                self.ankles[k].y += sunk;
            }
        }
    }
}

/// Runs of a value, as first index and the one after the last.
fn runs(values: &[bool], value: bool) -> Vec<[usize; 2]> {
    let mut runs = Vec::new();
    let mut first = None;
    for k in 0..=values.len() {
        let is_in = values.get(k) == Some(&value);
        match (first, is_in) {
            (None, true) => first = Some(k),
            (Some(start), false) => {
                runs.push([start, k]);
                first = None;
            }
            _ => {}
        }
    }
    runs
}

/// Lowers the pelvis where a leg cannot reach its ankle, and a little before and after.
fn give_way(postures: &mut [Posture], tracks: &[Track; 2], rate: f64, body: &Body) {
    let legs = Leg::both(&body.skeleton);
    let need = |k: usize| {
        let motions = body.skeleton.pose(&postures[k].turns, postures[k].shift);
        let drops = legs.iter().zip(tracks).map(|(leg, track)| {
            let hip = motions[leg.hip as usize].apply(body.skeleton.position(leg.hip));
            let way = track.ankles[k] - hip;
            let reach = (REACH * leg.length()).powi(2) - way.x * way.x - way.z * way.z;
            -way.y - reach.max(0.0).sqrt()
        });
        drops.fold(0.0, f64::max)
    };
    let needs: Vec<f64> = (0..postures.len()).map(need).collect();
    let reach = ((GIVING_WAY * rate).ceil() as usize).max(1);
    for (k, posture) in postures.iter_mut().enumerate() {
        let (first, end) = (k.saturating_sub(reach), (k + reach + 1).min(needs.len()));
        let faded = |j: usize| needs[j] * (1.0 - ease(j.abs_diff(k) as f64 / (reach + 1) as f64));
        posture.shift.y -= (first..end).map(faded).fold(0.0, f64::max);
    }
}

/// Bends a leg so that its ankle and foot are where they should.
fn reach(posture: &mut Posture, leg: &Leg, ankle: DVec3, foot: DQuat, body: &Body) {
    let motions = body.skeleton.pose(&posture.turns, posture.shift);
    let pelvis = motions[Joint::Pelvis as usize].rotation;
    let hip = motions[leg.hip as usize].apply(body.skeleton.position(leg.hip));
    let knee = motions[leg.knee as usize].apply(body.skeleton.position(leg.knee));
    let old = motions[leg.ankle as usize].apply(body.skeleton.position(leg.ankle));
    // The knee keeps pointing where it does: as far as it is bent, out of the line from hip to ankle; else as the thigh is turned.
    let along = (old - hip).normalize_or(DVec3::NEG_Y);
    let out = (knee - hip) - (knee - hip).dot(along) * along;
    let turned = motions[leg.hip as usize].rotation * DVec3::Z;
    let bent = (out.length() / (0.06 * leg.length())).min(1.0);
    let forward = bent * out.normalize_or_zero() + (1.0 - bent) * turned;
    let [thigh, shank] = leg.reach(ankle - hip, forward);
    posture.set(leg.hip, (pelvis.conjugate() * thigh).normalize());
    posture.set(leg.knee, (thigh.conjugate() * shank).normalize());
    posture.set(leg.ankle, (shank.conjugate() * foot).normalize());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_with_their_ends() {
        let values = [true, true, false, true, false];
        assert_eq!(runs(&values, true), [[0, 2], [3, 4]]);
        assert_eq!(runs(&values, false), [[2, 3], [4, 5]]);
        assert_eq!(runs(&[], true), Vec::<[usize; 2]>::new());
    }
}
