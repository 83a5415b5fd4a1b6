//! [`Creases`]: skin where limbs bend far.
//!
//! Blended skin goes through itself in the groin, in the hollow of the knee and of the elbow, long before flesh would: flesh is pushed
//! out and fills the crease. Cloth that lies there has no room and is torn. So the skin around a bent joint is relaxed: vertices move towards the
//! mean of their neighbours,
//! `x ← x + ½ a (mean − x)`, `a = Σ_j n_j s(θ_j)`, at most 1,
//! where `n_j` says how near a vertex is to joint `j`, `θ_j` is the angle the joint is bent by and `s` rises smoothly from [`FROM`] to [`FULL`].
//! Outside of creases nothing moves inwards: of a step against the outward normal only what lies in the surface is taken, so that knees and
//! elbows keep their shape. Normals are those at rest, turned with the bones, for in a fold those of the surface point anywhere.
//!
//! Full bodies fold further, belly onto thighs: what is still through each other then is parted ([`Parting`]).
//!
//! Vertices are visited in their order, each round after the other: the result does not depend on threads.

use toile_mesh::{DVec3, Topology, TriMesh, VertexId};

use crate::parting::Parting;
use crate::skeleton::{Joint, Rigid, Skeleton};
use crate::skin::{INFLUENCES, Skin};

/// Angles of a joint from which its crease begins to be filled, and is filled wholly [rad].
const FROM: f64 = 0.4;
const FULL: f64 = 1.2;
/// How far creases reach around a joint, over the height of the body: ten centimetres.
const REACH: f64 = 0.06;
/// How far relaxing smooths, over the height of the body: twelve centimetres.
const SMOOTH: f64 = 0.07;
/// Most rounds of relaxing: creases of fine meshes are filled less.
const MOST_ROUNDS: f64 = 150.0;

/// A vertex near a joint.
#[derive(Clone, PartialEq, Debug)]
struct Near {
    vertex: usize,
    /// Its neighbours in [`Creases::neighbours`].
    first: usize,
    count: usize,
    /// Outward normal at rest.
    normal: DVec3,
    /// Joints, each the child of the two bones that meet there, and how near they are, from 0 to 1.
    joints: Vec<(Joint, f64)>,
}

/// The skin around the joints of a body.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Creases {
    near: Vec<Near>,
    neighbours: Vec<usize>,
    rounds: usize,
    parting: Parting,
}

impl Creases {
    pub(crate) fn new(mesh: &TriMesh, skeleton: &Skeleton, skin: &Skin) -> Self {
        let count = mesh.vertex_count();
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); count];
        let (mut length, mut edges) = (0.0, 0.0);
        for edge in &Topology::new(mesh).edges {
            let [a, b] = edge.ends.map(VertexId::index);
            around[a].push(b);
            around[b].push(a);
            length += mesh.positions[a].distance(mesh.positions[b]);
            edges += 1.0;
        }
        let length = if edges > 0.0 { length / edges } else { 1.0 };
        let height = mesh.bounds().size().y.max(0.0);
        let rounds = |reach: f64| (4.0 * (reach * height / length).powi(2)).clamp(0.0, MOST_ROUNDS).round() as usize;
        let nearness = nearness(skin, &around, rounds(REACH));
        let normals = mesh.vertex_normals();
        let (mut near, mut neighbours) = (Vec::new(), Vec::new());
        for (vertex, own) in nearness.into_iter().enumerate() {
            if own.is_empty() {
                continue;
            }
            let first = neighbours.len();
            neighbours.extend(&around[vertex]);
            near.push(Near { vertex, first, count: around[vertex].len(), normal: normals[vertex], joints: own });
        }
        Self { near, neighbours, rounds: rounds(SMOOTH), parting: Parting::new(mesh, skeleton, skin, length) }
    }

    /// Relaxes and parts skin that was moved with the bones.
    pub(crate) fn fill(&self, skin: &Skin, motions: &[Rigid; Joint::COUNT], positions: &mut [DVec3]) {
        let bent = Joint::ALL.map(|joint| {
            let (own, parent) = (motions[joint as usize].rotation, motions[joint.parent() as usize].rotation);
            smooth_step((own.angle_between(parent) - FROM) / (FULL - FROM))
        });
        if bent.iter().all(|share| *share == 0.0) {
            return;
        }
        let amount = |near: &Near| near.joints.iter().map(|(joint, n)| n * bent[*joint as usize]).sum::<f64>();
        let moving = self.near.iter().map(|near| (near, amount(near))).filter(|(near, a)| *a > 0.0 && near.count > 0);
        let moving: Vec<Moving<'_>> = moving
            .map(|(near, amount)| Moving {
                vertex: near.vertex,
                around: &self.neighbours[near.first..near.first + near.count],
                normal: turned(&skin.weights[near.vertex], motions, near.normal),
                share: 0.5 * amount.min(1.0),
            })
            .collect();
        for _ in 0..self.rounds {
            for Moving { vertex, around, normal, share } in &moving {
                let mean = around.iter().map(|v| positions[*v]).sum::<DVec3>() / around.len() as f64;
                let step = mean - positions[*vertex];
                positions[*vertex] += *share * (step - step.dot(*normal).min(0.0) * *normal);
            }
        }
        for joint in Parting::joints().filter(|joint| bent[*joint as usize] > 0.0) {
            self.parting.part(joint, bent[joint as usize], motions, &moving, positions);
        }
    }
}

/// A vertex that is relaxed in a posture.
pub(crate) struct Moving<'c> {
    pub(crate) vertex: usize,
    pub(crate) around: &'c [usize],
    /// Outward normal, turned with the bones.
    pub(crate) normal: DVec3,
    /// How far it moves towards the mean of its neighbours in one round.
    pub(crate) share: f64,
}

/// How near each vertex is to joints: `4 w_p w_c` of the weights of a joint and its parent, spread over the surface and doubled, at most 1.
fn nearness(skin: &Skin, around: &[Vec<usize>], rounds: usize) -> Vec<Vec<(Joint, f64)>> {
    let weight = |v: usize, joint: Joint| {
        skin.weights[v].iter().find(|(own, _)| *own == joint).map_or(0.0, |(_, weight)| *weight)
    };
    let mut nearness = vec![Vec::new(); around.len()];
    for joint in Joint::ALL.into_iter().filter(|joint| joint.parent() != *joint) {
        let mut own: Vec<f64> = (0..around.len()).map(|v| 4.0 * weight(v, joint) * weight(v, joint.parent())).collect();
        for _ in 0..rounds {
            let before = own.clone();
            for (v, value) in own.iter_mut().enumerate().filter(|(v, _)| !around[*v].is_empty()) {
                let mean = around[v].iter().map(|n| before[*n]).sum::<f64>() / around[v].len() as f64;
                *value = 0.5 * (before[v] + mean);
            }
        }
        for (v, value) in own.iter().enumerate().filter(|(_, value)| **value > 0.02) {
            nearness[v].push((joint, (2.0 * value).min(1.0)));
        }
    }
    nearness
}

/// A direction turned with the bones of a vertex.
fn turned(weights: &[(Joint, f64); INFLUENCES], motions: &[Rigid; Joint::COUNT], way: DVec3) -> DVec3 {
    let used = weights.iter().take_while(|(_, weight)| *weight > 0.0);
    let sum: DVec3 = used.map(|(joint, weight)| *weight * (motions[*joint as usize].rotation * way)).sum();
    sum.normalize_or_zero()
}

/// Rises from 0 to 1 between 0 and 1, without a kink.
pub(crate) fn smooth_step(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
