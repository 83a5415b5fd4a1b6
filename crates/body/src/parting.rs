//! [`Parting`]: flesh on both sides of a bent joint gives way where it meets.
//!
//! With `d_p` the direction in which a limb would go on if the joint were straight, and `d_c` the one in which it goes, flesh of the
//! parent and of the child meet in the plane between them, whose normal is
//! `m = −(d_p + d_c) / |d_p + d_c|`, towards the parent.
//! A vertex `i` of the parent that faces the plane, and a vertex `j` of the child that faces it from the other side, shall be apart by
//! `s = m · (x_i − x_j) ≥ min(`[`GAP`]`, `[`OPEN`]` r)`, with `r` their distance at rest.
//! Each moves by half of what is lacking, as a mean over all vertices that lie opposite. The moves are smoothed over the surface, so that
//! flesh bulges and does not break.
//!
//! Shoulders are left out: an arm does not go on straight out of the chest. Motions hold arms off the trunk instead.

use std::collections::BTreeMap;

use toile_mesh::{DVec3, TriMesh};

use crate::crease::{Moving, smooth_step};
use crate::skeleton::{Joint, Rigid, Skeleton};
use crate::skin::Skin;

/// Room that flesh leaves for cloth, over the height of the body: eight millimetres, some layers.
const GAP: f64 = 0.005;
/// Share of their distance at rest that points leave between each other, if that is less: a crease ends in an edge.
const OPEN: f64 = 0.2;
/// Deepest overlap that is parted, over the height of the body: five centimetres, less than a limb is thick.
const DEEP: f64 = 0.03;
/// How far beside each other opposite points may lie, over the mean edge length.
const BESIDE: f64 = 1.5;
/// Rounds of parting, and of smoothing the moves of one.
const ROUNDS: usize = 12;
const SMOOTHINGS: usize = 8;

/// Joints between straight parts of limbs, with the joint at the other end of the child; left and right take turns.
const LIMBS: [(Joint, Joint); 6] = [
    (Joint::LeftHip, Joint::LeftKnee),
    (Joint::RightHip, Joint::RightKnee),
    (Joint::LeftKnee, Joint::LeftAnkle),
    (Joint::RightKnee, Joint::RightAnkle),
    (Joint::LeftElbow, Joint::LeftWrist),
    (Joint::RightElbow, Joint::RightWrist),
];

/// What parting needs to know of a body at rest.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parting {
    /// Places of the vertices at rest [m].
    rest: Vec<DVec3>,
    /// For each of [`LIMBS`], the direction of the limb at rest.
    ways: [DVec3; LIMBS.len()],
    /// For each of [`LIMBS`] and each vertex, the weight of what the joint carries, from 0 to 1.
    carried: [Vec<f64>; LIMBS.len()],
    /// Height and mean edge length of the body [m].
    height: f64,
    length: f64,
}

/// A vertex of the parent and one of the child that may meet.
struct Opposite {
    /// Their numbers among the moving vertices.
    parent: usize,
    child: usize,
    /// How far apart they shall be [m].
    target: f64,
    /// How much they face each other, from 0 to 1.
    weight: f64,
}

impl Parting {
    pub(crate) fn new(mesh: &TriMesh, skeleton: &Skeleton, skin: &Skin, length: f64) -> Self {
        let ways = LIMBS.map(|(joint, end)| (skeleton.position(end) - skeleton.position(joint)).normalize_or_zero());
        let carried = LIMBS.map(|(joint, _)| {
            let share =
                |weights: &[(Joint, f64)]| weights.iter().filter(|(j, _)| j.is_carried_by(joint)).map(|(_, w)| w).sum();
            skin.weights.iter().map(|weights| share(weights)).collect()
        });
        Self { rest: mesh.positions.clone(), ways, carried, height: mesh.bounds().size().y.max(0.0), length }
    }

    /// Joints at which flesh is parted.
    pub(crate) fn joints() -> impl Iterator<Item = Joint> {
        LIMBS.into_iter().map(|(joint, _)| joint)
    }

    /// Parts the flesh at a joint, which is bent by a share from 0 to 1.
    pub(crate) fn part(
        &self,
        joint: Joint,
        bent: f64,
        motions: &[Rigid; Joint::COUNT],
        moving: &[Moving<'_>],
        positions: &mut [DVec3],
    ) {
        let Some(limb) = LIMBS.iter().position(|(own, _)| *own == joint) else { return };
        let [own, parent] = [joint, joint.parent()].map(|j| motions[j as usize].rotation * self.ways[limb]);
        let normal = -(own + parent).normalize_or_zero();
        let pairs = self.opposite(limb, normal, moving, positions);
        if pairs.is_empty() {
            return;
        }
        let (deep, beside) = (DEEP * self.height, BESIDE * self.length);
        let mut moves = vec![DVec3::ZERO; positions.len()];
        let mut smoothed = vec![DVec3::ZERO; moving.len()];
        for _ in 0..ROUNDS {
            let mut sums = vec![(0.0, 0.0); moving.len()];
            for Opposite { parent, child, target, weight } in &pairs {
                let across = positions[moving[*parent].vertex] - positions[moving[*child].vertex];
                let gap = across.dot(normal);
                let aside = (across - gap * normal).length_squared() / (beside * beside);
                if aside >= 1.0 || gap <= -deep {
                    continue;
                }
                let weight = weight * (1.0 - aside).powi(2) * smooth_step(3.0 * (1.0 + gap / deep));
                let half = 0.5 * (target - gap).max(0.0);
                sums[*parent] = (sums[*parent].0 + weight * half, sums[*parent].1 + weight);
                sums[*child] = (sums[*child].0 - weight * half, sums[*child].1 + weight);
            }
            if sums.iter().all(|(sum, _)| *sum == 0.0) {
                return;
            }
            for (own, (sum, weight)) in moving.iter().zip(&sums) {
                // Some weight is added, so that what hardly lies opposite hardly moves.
                moves[own.vertex] = *sum / (weight + 0.1) * normal;
            }
            for _ in 0..SMOOTHINGS {
                for (own, value) in moving.iter().zip(&mut smoothed) {
                    let mean = own.around.iter().map(|v| moves[*v]).sum::<DVec3>() / own.around.len() as f64;
                    *value = 0.5 * (moves[own.vertex] + mean);
                }
                for (own, value) in moving.iter().zip(&smoothed) {
                    moves[own.vertex] = *value;
                }
            }
            for own in moving {
                positions[own.vertex] += bent * smooth_step(8.0 * own.share) * moves[own.vertex];
            }
        }
    }

    /// Pairs of moving vertices that lie opposite at a joint.
    fn opposite(&self, limb: usize, normal: DVec3, moving: &[Moving<'_>], positions: &[DVec3]) -> Vec<Opposite> {
        let reach = (DEEP * self.height).hypot(BESIDE * self.length);
        let cell = |p: DVec3| (p / reach).floor().to_array().map(|c| c as i64);
        // The other limb is no part of the parent.
        let mirror = limb ^ 1;
        // How much a vertex of the parent (1) or of the child (−1) faces the plane.
        let facing = |own: &Moving<'_>, side: f64| smooth_step(2.0 * (-side * own.normal.dot(normal) + 0.1));
        let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        for (number, own) in moving.iter().enumerate() {
            if self.carried[limb][own.vertex] > 0.0 && facing(own, -1.0) > 0.0 {
                cells.entry(cell(positions[own.vertex])).or_default().push(number);
            }
        }
        let mut pairs = Vec::new();
        for (parent, own) in moving.iter().enumerate() {
            let [carried, mirrored] = [limb, mirror].map(|limb| self.carried[limb][own.vertex]);
            let faces = (1.0 - mirrored) * facing(own, 1.0);
            if carried >= 1.0 || faces <= 0.0 {
                continue;
            }
            let place = positions[own.vertex];
            let [x, y, z] = cell(place);
            let around =
                (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [x + i, y + j, z + k])));
            for child in around.filter_map(|c| cells.get(&c)).flatten().copied() {
                let other = &moving[child];
                let beyond = self.carried[limb][other.vertex] - carried;
                if beyond <= 0.0 || place.distance_squared(positions[other.vertex]) > reach * reach {
                    continue;
                }
                let weight = faces * facing(other, -1.0) * smooth_step(2.0 * beyond);
                let apart = self.rest[own.vertex].distance(self.rest[other.vertex]);
                pairs.push(Opposite { parent, child, target: (GAP * self.height).min(OPEN * apart), weight });
            }
        }
        pairs
    }
}
