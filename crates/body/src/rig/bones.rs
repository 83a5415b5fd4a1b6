//! The joint whose bone each vertex belongs to.
//!
//! Arms: what hangs together with the finger tips, within a tube around the axis of the arm, outside of the trunk, and what only that holds. The
//! tube is somewhat wider than the tape around the arm says. Legs: what is below the crotch, on either side. Head and trunk: by level, as on
//! mannequins. Within limbs the joints part the bones, square to the limb.

use toile_mesh::{DVec3, Topology, TriMesh};

use crate::measure::{ArmMarks, Found};
use crate::skeleton::{Joint, Skeleton};

/// Width of the tube over the radius of the arm, and beyond it over the height.
const TUBE: [f64; 2] = [1.45, 0.006];

/// Tube at a hand, over the height: fingers spread.
const HAND: f64 = 0.075;

/// How far inside of the trunk's side at the armpit an arm begins, over the height.
const INSIDE: f64 = 0.004;

pub(super) fn bones(mesh: &TriMesh, found: &Found, skeleton: &Skeleton) -> Vec<Joint> {
    let mut bones: Vec<Joint> = mesh.positions.iter().map(|p| trunk_or_leg(*p, found)).collect();
    let topology = Topology::new(mesh);
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); mesh.vertex_count()];
    for [a, b] in topology.edges.iter().map(|edge| edge.ends) {
        neighbours[a.index()].push(b.0);
        neighbours[b.index()].push(a.0);
    }
    let arms = [0, 1].map(|side| Arm::new(found, skeleton, side));
    let mut owner: Vec<Option<usize>> = vec![None; mesh.vertex_count()];
    for (side, arm) in arms.iter().enumerate() {
        for v in arm.vertices(mesh, &neighbours) {
            owner[v] = Some(side);
        }
    }
    take_islands(&mut owner, &neighbours);
    for (v, side) in owner.iter().enumerate() {
        if let Some(side) = side {
            bones[v] = arms[*side].bone(mesh.positions[v]);
        }
    }
    bones
}

/// Parts of the surface that only an arm holds belong to it: thumbs and spread fingers reach out of the tube.
fn take_islands(owner: &mut [Option<usize>], neighbours: &[Vec<u32>]) {
    let mut is_seen: Vec<bool> = owner.iter().map(Option::is_some).collect();
    let mut islands: Vec<(Vec<usize>, Option<usize>)> = Vec::new();
    for start in 0..owner.len() {
        if is_seen[start] {
            continue;
        }
        is_seen[start] = true;
        let (mut island, mut holder, mut next) = (vec![start], None, 0);
        while next < island.len() {
            for u in neighbours[island[next]].iter().map(|u| *u as usize) {
                holder = holder.or(owner[u]);
                if !is_seen[u] {
                    is_seen[u] = true;
                    island.push(u);
                }
            }
            next += 1;
        }
        islands.push((island, holder));
    }
    let trunk = (0..islands.len()).max_by_key(|k| (islands[*k].0.len(), std::cmp::Reverse(*k)));
    for (island, holder) in islands.iter().enumerate().filter(|(k, _)| Some(*k) != trunk).map(|(_, island)| island) {
        for v in island {
            owner[*v] = *holder;
        }
    }
}

fn trunk_or_leg(p: DVec3, found: &Found) -> Joint {
    let l = &found.landmarks;
    let is_left = p.x >= l.crotch.x;
    if p.y < l.crotch.y {
        let [_, knee, ankle] = found.legs[usize::from(!is_left)];
        let joint = if p.y > knee.y {
            Joint::LeftHip
        } else if p.y > l.floor + 0.95 * (ankle.y - l.floor) {
            Joint::LeftKnee
        } else {
            Joint::LeftAnkle
        };
        return if is_left { joint } else { joint.mirrored() };
    }
    let neck_side = l.neck_sides[0].y;
    // Shoulders that are raised reach above the side of the neck.
    let is_beside = (p.x - l.crotch.x).abs() > 1.25 * (l.neck_sides[0].x - l.neck_sides[1].x).abs() * 0.5;
    match p.y {
        y if y < l.waist => Joint::Pelvis,
        y if y < l.bust => Joint::Waist,
        y if y < neck_side || (is_beside && y < l.neck.point.y) => Joint::Chest,
        y if y < l.neck.point.y + 0.014 * found.stature => Joint::Neck,
        _ => Joint::Head,
    }
}

/// An arm as a chain of bones with a tube around it.
struct Arm {
    side: usize,
    /// Shoulder, elbow, wrist and tip [m].
    chain: [DVec3; 4],
    /// Of the tube at each of them [m].
    radii: [f64; 4],
    /// Side of the trunk at the armpit [m].
    trunk: f64,
}

impl Arm {
    fn new(found: &Found, skeleton: &Skeleton, side: usize) -> Self {
        let marks: &ArmMarks = &found.arms[side];
        let joints = [
            [Joint::LeftShoulder, Joint::LeftElbow, Joint::LeftWrist],
            [Joint::RightShoulder, Joint::RightElbow, Joint::RightWrist],
        ][side];
        let [shoulder, elbow, wrist] = joints.map(|joint| skeleton.position(joint));
        let [upper, at_elbow, at_wrist] = marks.radii.map(|r| TUBE[0] * r + TUBE[1] * found.stature);
        let hand = if marks.has_hand { HAND * found.stature } else { at_wrist };
        let out = [1.0, -1.0][side];
        let trunk = found.landmarks.crotch.x + out * (found.armpit[1] - INSIDE * found.stature);
        Self {
            side,
            chain: [shoulder, elbow, wrist, marks.middles[2]],
            radii: [upper, at_elbow.max(0.8 * upper), at_wrist, hand],
            trunk,
        }
    }

    /// Whether a point is in the tube; the axis begins at the joint and has no end.
    fn holds(&self, p: DVec3) -> bool {
        let out = [1.0, -1.0][self.side];
        if out * (p.x - self.trunk) < 0.0 {
            return false;
        }
        (0..3).any(|k| {
            let (a, b) = (self.chain[k], self.chain[k + 1]);
            let share = (p - a).dot(b - a) / (b - a).length_squared();
            if share < 0.0 && k == 0 {
                return false;
            }
            let share = share.clamp(0.0, if k == 2 { 1.2 } else { 1.0 });
            let radius = self.radii[k] + (self.radii[k + 1] - self.radii[k]) * share.min(1.0);
            p.distance(a.lerp(b, share)) < radius
        })
    }

    /// The vertices of the arm: those in the tube that hang together with the one farthest out.
    fn vertices(&self, mesh: &TriMesh, neighbours: &[Vec<u32>]) -> Vec<usize> {
        let is_in: Vec<bool> = mesh.positions.iter().map(|p| self.holds(*p)).collect();
        let along = |v: usize| (mesh.positions[v] - self.chain[2]).dot(self.chain[3] - self.chain[2]);
        let start = (0..is_in.len()).filter(|v| is_in[*v]).max_by(|a, b| along(*a).total_cmp(&along(*b)));
        let Some(start) = start else { return Vec::new() };
        let mut is_found = vec![false; is_in.len()];
        is_found[start] = true;
        let mut found = vec![start];
        let mut next = 0;
        while next < found.len() {
            for u in neighbours[found[next]].iter().map(|u| *u as usize) {
                if is_in[u] && !is_found[u] {
                    is_found[u] = true;
                    found.push(u);
                }
            }
            next += 1;
        }
        found
    }

    /// The bone of a point of the arm: planes half way between the directions of neighbouring bones part them.
    fn bone(&self, p: DVec3) -> Joint {
        let [shoulder, elbow, wrist, tip] = self.chain;
        let direction = |a: DVec3, b: DVec3| (b - a).normalize_or_zero();
        let [upper, fore, hand] = [direction(shoulder, elbow), direction(elbow, wrist), direction(wrist, tip)];
        let joint = if (p - wrist).dot(fore + hand) > 0.0 {
            Joint::LeftWrist
        } else if (p - elbow).dot(upper + fore) > 0.0 {
            Joint::LeftElbow
        } else {
            Joint::LeftShoulder
        };
        if self.side == 0 { joint } else { joint.mirrored() }
    }
}
