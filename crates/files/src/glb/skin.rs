//! A surface that follows joints, exact at every frame.
//!
//! glTF moves a vertex `x` by `x' = Σ w_j G_j B_j (x + d)`: `G_j` is where joint `j` is, `B_j = T(−r_j)` takes the joint from its
//! rest place `r_j` to the origin, and `d` is the displacement by morph targets (glTF 2.0, §3.7.3.3). Bodies may follow their joints
//! in another way, as by dual quaternions. So each frame has a *correction*, a morph target that makes up the difference: with
//! `A = Σ w_j R_j` and `b` where the joints take the origin, `d = A⁻¹ (x_k − b) − x`. Only vertices near joints need one; those
//! within [`NEGLIGIBLE`] do not, and a surface that is skinned linearly has none at all.
//!
//! Where `A` is nearly singular, as between bones half a turn apart, no displacement helps and the frame is refused.

use toile_mesh::{DMat3, DQuat, DVec3};

use crate::ExportError;

/// A rigid motion: `x' = rotation · x + position`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GlbPose {
    /// Where the origin goes [m].
    pub position: DVec3,
    /// How the axes turn.
    pub rotation: DQuat,
}

/// A joint of a skin.
#[derive(Clone, PartialEq, Debug)]
pub struct GlbJoint {
    /// Name of its node.
    pub name: String,
    /// Number of the joint that carries it, which comes before it; `None` for the root.
    pub parent: Option<usize>,
    /// Where it is at rest [m].
    pub rest: DVec3,
}

/// Joints and their weights on the vertices of one mesh at rest.
#[derive(Clone, PartialEq, Debug)]
pub struct GlbSkin {
    /// The joints.
    pub joints: Vec<GlbJoint>,
    /// For each vertex four joints and their weights, which sum to one; unused weights are zero, shape `[vertices][4]`.
    pub influences: Vec<[(u16, f32); 4]>,
}

/// Longest correction that is left out [m].
pub(super) const NEGLIGIBLE: f64 = 5e-6;
/// Smallest determinant of a mixed rotation whose inverse is used.
const SINGULAR: f64 = 1e-3;

/// Displacements of some vertices at rest, by ascending number.
pub(super) type Correction = Vec<(u32, [f32; 3])>;

impl GlbSkin {
    pub(super) fn check(&self, vertices: usize) -> Result<(), ExportError> {
        crate::export_check::check_length("influences", self.influences.len(), vertices)?;
        let wrong = |value: String, expected: &'static str| ExportError::Setting { what: "skin", value, expected };
        if let Some(i) = (0..self.joints.len()).find(|i| self.joints[*i].parent.is_some_and(|parent| parent >= *i)) {
            return Err(wrong(format!("joint {i} before its parent"), "each joint after its parent"));
        }
        let is_whole = |influences: &[(u16, f32); 4]| {
            let sum: f32 = influences.iter().map(|(_, weight)| weight).sum();
            let known =
                influences.iter().all(|(joint, weight)| usize::from(*joint) < self.joints.len() && *weight >= 0.0);
            known && (sum - 1.0).abs() < 1e-4
        };
        match self.influences.iter().position(|influences| !is_whole(influences)) {
            None => Ok(()),
            Some(vertex) => Err(wrong(format!("vertex {vertex}"), "weights of known joints that sum to one")),
        }
    }

    /// Joints relative to their parents, rounded as they are written. `motions` take what is at rest to the frame.
    pub(super) fn locals(&self, motions: &[GlbPose]) -> Vec<GlbPose> {
        let place = |j: usize| motions[j].rotation * self.joints[j].rest + motions[j].position;
        let local = |(j, joint): (usize, &GlbJoint)| {
            let (position, rotation) = (place(j), motions[j].rotation);
            match joint.parent {
                None => rounded(GlbPose { position, rotation }),
                Some(parent) => {
                    let back = motions[parent].rotation.inverse();
                    rounded(GlbPose { position: back * (position - place(parent)), rotation: back * rotation })
                }
            }
        };
        self.joints.iter().enumerate().map(local).collect()
    }

    /// What a reader makes of joints relative to their parents: how they take what is at rest to the frame.
    fn motions(&self, locals: &[GlbPose]) -> Vec<(DMat3, DVec3)> {
        let mut global: Vec<GlbPose> = Vec::with_capacity(locals.len());
        for (joint, local) in self.joints.iter().zip(locals) {
            let rotation = local.rotation.normalize();
            global.push(match joint.parent {
                None => GlbPose { rotation, ..*local },
                Some(parent) => {
                    let parent = global[parent];
                    let position = parent.rotation * local.position + parent.position;
                    GlbPose { position, rotation: parent.rotation * rotation }
                }
            });
        }
        let from_rest = |(joint, pose): (&GlbJoint, &GlbPose)| {
            let turn = DMat3::from_quat(pose.rotation);
            (turn, pose.position - turn * single(joint.rest))
        };
        self.joints.iter().zip(&global).map(from_rest).collect()
    }

    /// The correction that puts the vertices at rest, taken along by `locals`, exactly where the frame has them.
    pub(super) fn correction(
        &self,
        rest: &[[f32; 3]],
        locals: &[GlbPose],
        frame: &[DVec3],
    ) -> Result<Correction, ExportError> {
        let motions = self.motions(locals);
        let mut correction = Correction::new();
        for (vertex, ((rest, influences), x)) in rest.iter().zip(&self.influences).zip(frame).enumerate() {
            let rest = DVec3::from(rest.map(f64::from));
            let (mut turn, mut shift) = (DMat3::ZERO, DVec3::ZERO);
            for (joint, weight) in influences {
                let (joint_turn, joint_shift) = motions[usize::from(*joint)];
                turn += joint_turn * f64::from(*weight);
                shift += joint_shift * f64::from(*weight);
            }
            if turn.determinant() < SINGULAR {
                let value = format!("vertex {vertex} between bones half a turn apart");
                let expected = "bones less than half a turn apart; write the frames as they are";
                return Err(ExportError::Setting { what: "skin", value, expected });
            }
            let way = turn.inverse() * (*x - shift) - rest;
            if !way.is_finite() {
                return Err(ExportError::NonFinite { what: "position".into(), vertex });
            }
            if way.length() > NEGLIGIBLE {
                correction.push((vertex as u32, way.to_array().map(|c| c as f32)));
            }
        }
        Ok(correction)
    }
}

/// As it is read back from `f32`.
fn single(p: DVec3) -> DVec3 {
    DVec3::from(p.to_array().map(|c| f64::from(c as f32)))
}

fn rounded(pose: GlbPose) -> GlbPose {
    let rotation = pose.rotation.normalize().to_array().map(|c| f64::from(c as f32));
    GlbPose { position: single(pose.position), rotation: DQuat::from_array(rotation) }
}
