//! Skin: how a surface follows its bones.
//!
//! Each vertex has the weights of at most four joints. They come from the bone each vertex belongs to, spread over the
//! surface by diffusion, so that they change over some centimetres around each joint: `w ← (w + mean of neighbours) / 2`,
//! repeated until the spread `σ` is reached; on edges of length `ℓ` one round adds about `ℓ² / 4` to `σ²`.
//!
//! Two blends. *Linear*: `x' = Σ w_j (R_j x + t_j)`; simple, but sections shrink where bones twist or bend far. *Dual
//! quaternions* (Kavan et al. 2008, "Geometric skinning with approximate dual quaternion blending"): the weighted mean of
//! the motions as unit dual quaternions, which is a rigid motion again, so that sections keep their size. With the mean
//! `r + r₀` and dual part `d + d₀` it takes `x` to `x + 2 (r × (r × x + r₀ x) + r₀ d − d₀ r + r × d) / |r|²`, without
//! normalizing first.

use toile_mesh::{DMat3, DQuat, DVec3, Topology, TriMesh, VertexId};

use crate::skeleton::{Joint, Rigid};

/// Joints that move one vertex at most.
pub(crate) const INFLUENCES: usize = 4;

/// Spread of the weights around a joint, over the height of the body: three centimetres and a half.
pub(crate) const SPREAD: f64 = 0.02;

/// Rounds of diffusion at most: fine meshes get a narrower spread instead of a long wait.
const MOST_ROUNDS: f64 = 200.0;

/// How motions are mixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blend {
    /// Mean of the moved points.
    Linear,
    /// Mean of the motions.
    DualQuaternion,
}

/// Weights of joints on the vertices of one mesh.
#[derive(Clone, PartialEq, Debug)]
pub struct Skin {
    /// Joints of each vertex with their weights, heaviest first; weights sum to one, unused ones are zero.
    pub weights: Vec<[(Joint, f64); INFLUENCES]>,
}

impl Skin {
    /// Spreads the bone of each vertex over its surroundings; `bones` has one joint per vertex of the mesh.
    pub fn spread(mesh: &TriMesh, bones: &[Joint]) -> Self {
        let edges: Vec<[usize; 2]> = Topology::new(mesh).edges.iter().map(|e| e.ends.map(VertexId::index)).collect();
        let lengths: f64 = edges.iter().map(|[a, b]| mesh.positions[*a].distance(mesh.positions[*b])).sum();
        let length = lengths / edges.len().max(1) as f64;
        let sigma = SPREAD * mesh.bounds().size().y.max(0.0);
        let rounds = (4.0 * (sigma / length).powi(2)).clamp(0.0, MOST_ROUNDS).round() as usize;
        let mut degree = vec![0.0; bones.len()];
        for v in edges.iter().flatten() {
            degree[*v] += 1.0;
        }
        let mut weights: Vec<[f64; Joint::COUNT]> = bones.iter().map(|&bone| one_hot(bone)).collect();
        for _ in 0..rounds {
            let mut sums = vec![[0.0; Joint::COUNT]; weights.len()];
            for &[a, b] in &edges {
                for j in 0..Joint::COUNT {
                    sums[a][j] += weights[b][j];
                    sums[b][j] += weights[a][j];
                }
            }
            for ((w, sum), degree) in weights.iter_mut().zip(&sums).zip(&degree) {
                if *degree > 0.0 {
                    *w = std::array::from_fn(|j| 0.5 * (w[j] + sum[j] / degree));
                }
            }
        }
        Self { weights: weights.iter().map(heaviest).collect() }
    }

    /// Moves the vertices of a mesh at rest with the bones [m].
    pub fn apply(&self, rest: &[DVec3], motions: &[Rigid; Joint::COUNT], blend: Blend) -> Vec<DVec3> {
        let mut moved = Vec::with_capacity(rest.len());
        self.apply_into(rest, motions, blend, &mut moved);
        moved
    }

    /// As [`Skin::apply`], into memory that is used again.
    pub fn apply_into(&self, rest: &[DVec3], motions: &[Rigid; Joint::COUNT], blend: Blend, moved: &mut Vec<DVec3>) {
        moved.clear();
        let vertices = rest.iter().zip(&self.weights);
        match blend {
            Blend::Linear => {
                let maps = motions.map(|m| (DMat3::from_quat(m.rotation), m.translation));
                moved.extend(vertices.map(|(&x, weights)| {
                    let used = weights.iter().take_while(|(_, w)| *w > 0.0);
                    used.fold(DVec3::ZERO, |sum, &(joint, w)| {
                        let (turn, shift) = maps[joint as usize];
                        sum + w * (turn * x + shift)
                    })
                }));
            }
            Blend::DualQuaternion => {
                let duals = motions.map(|m| Dual::new(&m));
                moved.extend(vertices.map(|(&x, weights)| Dual::mean(weights, &duals).apply(x)));
            }
        }
    }
}

fn one_hot(bone: Joint) -> [f64; Joint::COUNT] {
    std::array::from_fn(|j| f64::from(u8::from(j == bone as usize)))
}

/// The heaviest weights, scaled to sum to one.
pub(crate) fn heaviest(weights: &[f64; Joint::COUNT]) -> [(Joint, f64); INFLUENCES] {
    let mut order = Joint::ALL.map(|joint| (joint, weights[joint as usize]));
    // Stable: among equals the lower joint stays first.
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let total: f64 = order[..INFLUENCES].iter().map(|(_, w)| w).sum();
    std::array::from_fn(|i| (order[i].0, order[i].1 / total))
}

/// A dual quaternion, real part `r + r₀`, dual part `d + d₀`; for a rigid motion the latter is `½ t r`.
#[derive(Clone, Copy)]
struct Dual {
    r: DVec3,
    r0: f64,
    d: DVec3,
    d0: f64,
}

impl Dual {
    const ZERO: Self = Self { r: DVec3::ZERO, r0: 0.0, d: DVec3::ZERO, d0: 0.0 };

    fn new(motion: &Rigid) -> Self {
        let (q, t) = (motion.rotation, motion.translation);
        let dual = DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * q * 0.5;
        Self { r: DVec3::new(q.x, q.y, q.z), r0: q.w, d: DVec3::new(dual.x, dual.y, dual.z), d0: dual.w }
    }

    /// Weighted mean; `q` and `−q` are one rotation, so each is taken with the sign nearer to the heaviest.
    fn mean(weights: &[(Joint, f64); INFLUENCES], duals: &[Self; Joint::COUNT]) -> Self {
        let pivot = &duals[weights[0].0 as usize];
        if weights[1].1 == 0.0 {
            return *pivot;
        }
        weights.iter().take_while(|(_, w)| *w > 0.0).fold(Self::ZERO, |sum, &(joint, w)| {
            let m = &duals[joint as usize];
            let w = if m.r.dot(pivot.r) + m.r0 * pivot.r0 < 0.0 { -w } else { w };
            Self { r: sum.r + w * m.r, r0: sum.r0 + w * m.r0, d: sum.d + w * m.d, d0: sum.d0 + w * m.d0 }
        })
    }

    fn apply(self, x: DVec3) -> DVec3 {
        let Self { r, r0, d, d0 } = self;
        let scale = 2.0 / (r.length_squared() + r0 * r0);
        x + scale * (r.cross(r.cross(x) + r0 * x + d) + r0 * d - d0 * r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate;

    /// An upright tube whose lower half belongs to the elbow and whose upper half to the shoulder.
    fn tube() -> (TriMesh, Skin) {
        let mesh = generate::tube(0.05, 1.0, [24, 60]);
        let middle = mesh.bounds().centre().y;
        let bone = |p: &DVec3| if p.y > middle { Joint::LeftShoulder } else { Joint::LeftElbow };
        let bones: Vec<Joint> = mesh.positions.iter().map(bone).collect();
        let skin = Skin::spread(&mesh, &bones);
        (mesh, skin)
    }

    fn twisted(angle: f64) -> [Rigid; Joint::COUNT] {
        let mut motions = [Rigid::IDENTITY; Joint::COUNT];
        motions[Joint::LeftElbow as usize].rotation = DQuat::from_rotation_y(angle);
        motions
    }

    fn thinnest(points: &[DVec3]) -> f64 {
        points.iter().map(|p| p.x.hypot(p.z)).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn weights_sum_to_one_and_are_pure_far_from_the_joint() {
        let (mesh, skin) = tube();
        for (p, weights) in mesh.positions.iter().zip(&skin.weights) {
            assert!((weights.iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-12);
            let far = (p.y - mesh.bounds().centre().y).abs() > 0.25;
            assert!(!far || weights[0].1 > 0.999);
        }
    }

    #[test]
    fn one_motion_for_all_bones_is_rigid_in_both_blends() {
        let (mesh, skin) = tube();
        let motion = Rigid { rotation: DQuat::from_rotation_z(2.0), translation: DVec3::new(0.3, -1.0, 0.2) };
        for blend in [Blend::Linear, Blend::DualQuaternion] {
            let moved = skin.apply(&mesh.positions, &[motion; Joint::COUNT], blend);
            for (p, q) in mesh.positions.iter().zip(&moved) {
                assert!((motion.apply(*p) - *q).length() < 1e-12);
            }
        }
    }

    #[test]
    fn a_twist_narrows_the_linear_blend_but_not_the_dual_quaternions() {
        let (mesh, skin) = tube();
        let half = std::f64::consts::PI;
        // Half way between two opposite points is the axis; rows lie near it, not on it.
        assert!(thinnest(&skin.apply(&mesh.positions, &twisted(half), Blend::Linear)) < 0.02);
        let kept = thinnest(&skin.apply(&mesh.positions, &twisted(half * 0.999), Blend::DualQuaternion));
        assert!((kept - 0.05).abs() < 1e-9, "{kept}");
    }

    #[test]
    fn the_sign_of_a_quaternion_does_not_matter() {
        let (mesh, skin) = tube();
        let motions = twisted(1.0);
        let mut negated = motions;
        negated[Joint::LeftElbow as usize].rotation = -motions[Joint::LeftElbow as usize].rotation;
        let [a, b] = [motions, negated].map(|m| skin.apply(&mesh.positions, &m, Blend::DualQuaternion));
        for (p, q) in a.iter().zip(&b) {
            assert!((*p - *q).length() < 1e-12);
        }
    }
}
