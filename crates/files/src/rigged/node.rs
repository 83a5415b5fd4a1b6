//! Nodes, parts and skins: how vertices follow a tree of transforms.

use toile_mesh::{DMat3, DQuat, DVec3};

/// `x ↦ M x + t`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine(pub(crate) DMat3, pub(crate) DVec3);

impl Affine {
    pub(crate) const IDENTITY: Self = Self(DMat3::IDENTITY, DVec3::ZERO);

    pub(crate) fn after(&self, first: &Self) -> Self {
        Self(self.0 * first.0, self.0 * first.1 + self.1)
    }

    pub(crate) fn apply(&self, x: DVec3) -> DVec3 {
        self.0 * x + self.1
    }

    /// From sixteen numbers, column by column; the last row is taken as (0, 0, 0, 1).
    pub(crate) fn from_columns(m: &[f64]) -> Self {
        let column = |k: usize| DVec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
        Self(DMat3::from_cols(column(0), column(1), column(2)), column(3))
    }
}

/// A node's transform against its parent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local {
    Matrix(Affine),
    Parts { translation: DVec3, rotation: DQuat, scale: DVec3 },
}

impl Local {
    /// The transform at a share of the way to another.
    pub(crate) fn toward(&self, other: &Self, share: f64) -> Self {
        match (self, other) {
            (
                Self::Parts { translation: t0, rotation: r0, scale: s0 },
                Self::Parts { translation: t1, rotation: r1, scale: s1 },
            ) => Self::Parts {
                translation: t0.lerp(*t1, share),
                rotation: r0.slerp(*r1, share).normalize(),
                scale: s0.lerp(*s1, share),
            },
            // A matrix has no channels: both are the same.
            _ => *other,
        }
    }
}

/// A place in the tree that moves what hangs on it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: Option<usize>,
    pub(crate) local: Local,
    /// Weights of its mesh's morph targets.
    pub(crate) weights: Vec<f64>,
}

/// A skin as it moves one vertex: joint node, with its inverse bind matrix.
#[derive(Clone, Debug)]
pub(crate) struct Skin {
    pub(crate) joints: Vec<(usize, Affine)>,
    /// Joint of the skin and weight, shape `[vertices][4]`.
    pub(crate) weights: Vec<[(usize, f64); 4]>,
}

/// Triangles of one node.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) node: usize,
    pub(crate) base: Vec<DVec3>,
    pub(crate) targets: Vec<Vec<DVec3>>,
    pub(crate) skin: Option<Skin>,
}

impl Part {
    /// Appends its positions.
    pub(crate) fn positions(&self, nodes: &[Node], world: &[Affine], positions: &mut Vec<DVec3>) {
        let start = positions.len();
        positions.extend_from_slice(&self.base);
        let moved = &mut positions[start..];
        for (target, weight) in self.targets.iter().zip(&nodes[self.node].weights).filter(|(_, w)| **w != 0.0) {
            for (x, d) in moved.iter_mut().zip(target) {
                *x += *weight * *d;
            }
        }
        match &self.skin {
            None => moved.iter_mut().for_each(|x| *x = world[self.node].apply(*x)),
            Some(skin) => {
                let maps: Vec<Affine> = skin.joints.iter().map(|(node, bind)| world[*node].after(bind)).collect();
                for (x, weights) in moved.iter_mut().zip(&skin.weights) {
                    let used = weights.iter().filter(|(_, w)| *w > 0.0);
                    *x = used.map(|&(joint, w)| w * maps[joint].apply(*x)).sum();
                }
            }
        }
    }
}

/// Transforms of all nodes in the scene.
pub(crate) fn world(nodes: &[Node]) -> Vec<Affine> {
    let local = |node: &Node| match node.local {
        Local::Matrix(affine) => affine,
        Local::Parts { translation, rotation, scale } => {
            Affine(DMat3::from_quat(rotation) * DMat3::from_diagonal(scale), translation)
        }
    };
    let place = |node: usize| {
        let mut sum = local(&nodes[node]);
        let mut here = nodes[node].parent;
        // As many steps as nodes: a tree has no longer way up.
        for _ in 0..nodes.len() {
            let Some(parent) = here else { break };
            sum = local(&nodes[parent]).after(&sum);
            here = nodes[parent].parent;
        }
        sum
    };
    (0..nodes.len()).map(place).collect()
}
