//! [`RiggedScene`]: triangles that follow a tree of nodes, as GLB and FBX files hold them.
//!
//! Everything that has triangles becomes one mesh, and [`RiggedScene::positions`] returns it at any time: morph targets are added
//! with their weights, `x + Σ w_k d_k`; skinned vertices follow their joints, `Σ w_j M_j B_j x` with the joint's transform `M_j` and
//! its inverse bind matrix `B_j`, others their node. Channels of the first animation are interpolated as they say: in steps,
//! straight (rotations along the shortest arc), or by cubic splines (glTF 2.0, §3.11 and appendix C).
//!
//! The *rest pose* is what the nodes say without any channel: mostly the A- or T-pose in which the skin was bound.

mod channel;
mod node;

use toile_mesh::{DVec3, TriMesh, VertexId};

pub(crate) use channel::{Between, Channel, Path};
pub(crate) use node::{Affine, Local, Node, Part, Skin};

/// The moving triangles of a file. Vertices keep the order of the file; parts come in the order of their nodes.
#[derive(Clone, Debug)]
pub struct RiggedScene {
    nodes: Vec<Node>,
    parts: Vec<Part>,
    channels: Vec<Channel>,
    triangles: Vec<[VertexId; 3]>,
    duration: f64,
}

impl RiggedScene {
    pub(crate) fn new(
        nodes: Vec<Node>,
        parts: Vec<Part>,
        channels: Vec<Channel>,
        triangles: Vec<[VertexId; 3]>,
    ) -> Self {
        let duration = channels.iter().map(Channel::end).fold(0.0, f64::max);
        Self { nodes, parts, channels, triangles, duration }
    }

    /// Time of the last key of its animation [s]; 0 without one.
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Its triangles, over all parts.
    pub fn triangles(&self) -> &[[VertexId; 3]] {
        &self.triangles
    }

    /// The mesh in the rest pose.
    pub fn rest(&self) -> TriMesh {
        let mut positions = Vec::new();
        self.place(&self.nodes, &mut positions);
        TriMesh { positions, triangles: self.triangles.clone() }
    }

    /// The mesh at a time [s].
    pub fn mesh_at(&self, t: f64) -> TriMesh {
        let mut positions = Vec::new();
        self.positions(t, &mut positions);
        TriMesh { positions, triangles: self.triangles.clone() }
    }

    /// Positions of all vertices at a time [units of the file; s]; before the first key and after the last as there.
    pub fn positions(&self, t: f64, positions: &mut Vec<DVec3>) {
        self.positions_toward(t, 1.0, positions);
    }

    /// Positions at a share of the way from the rest pose to the animation at a time [units of the file; s]: rotations of nodes go
    /// along the shortest arc, all else straight on.
    pub fn positions_toward(&self, t: f64, share: f64, positions: &mut Vec<DVec3>) {
        let mut nodes = self.nodes.clone();
        for channel in &self.channels {
            channel.apply(t, &mut nodes);
        }
        if share < 1.0 {
            for (node, rest) in nodes.iter_mut().zip(&self.nodes) {
                node.local = rest.local.toward(&node.local, share);
                for (weight, rest) in node.weights.iter_mut().zip(&rest.weights) {
                    *weight = rest + share * (*weight - rest);
                }
            }
        }
        self.place(&nodes, positions);
    }

    fn place(&self, nodes: &[Node], positions: &mut Vec<DVec3>) {
        let world = node::world(nodes);
        positions.clear();
        for part in &self.parts {
            part.positions(nodes, &world, positions);
        }
    }
}
