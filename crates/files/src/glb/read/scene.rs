//! Nodes, parts and skins of a GLB file.

use serde_json::Value;
use toile_mesh::{DMat3, DQuat, DVec3, VertexId};

use super::container::{Container, fail};
use super::{GlbScene, MOST_VERTICES, animation};
use crate::ParseError;

/// `x ↦ M x + t`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Affine(DMat3, DVec3);

impl Affine {
    const IDENTITY: Self = Self(DMat3::IDENTITY, DVec3::ZERO);

    fn after(&self, first: &Self) -> Self {
        Self(self.0 * first.0, self.0 * first.1 + self.1)
    }

    fn apply(&self, x: DVec3) -> DVec3 {
        self.0 * x + self.1
    }

    /// From sixteen numbers, column by column; the last row is taken as (0, 0, 0, 1).
    fn from_columns(m: &[f64]) -> Self {
        let column = |k: usize| DVec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
        Self(DMat3::from_cols(column(0), column(1), column(2)), column(3))
    }
}

/// A node's transform against its parent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    Matrix(Affine),
    Parts { translation: DVec3, rotation: DQuat, scale: DVec3 },
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    parent: Option<usize>,
    pub(super) local: Local,
    /// Weights of its mesh's morph targets.
    pub(super) weights: Vec<f64>,
}

/// A skin as it moves one vertex: joint node, with its inverse bind matrix.
#[derive(Clone, Debug)]
struct Skin {
    joints: Vec<(usize, Affine)>,
    /// Joint of the skin and weight, shape `[vertices][4]`.
    weights: Vec<[(usize, f64); 4]>,
}

/// Triangles of one node.
#[derive(Clone, Debug)]
pub(super) struct Part {
    node: usize,
    base: Vec<DVec3>,
    targets: Vec<Vec<DVec3>>,
    skin: Option<Skin>,
}

impl Part {
    /// Appends its positions.
    pub(super) fn positions(&self, nodes: &[Node], world: &[Affine], positions: &mut Vec<DVec3>) {
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
pub(super) fn world(nodes: &[Node]) -> Vec<Affine> {
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

pub(super) fn build(file: &Container<'_>) -> Result<GlbScene, ParseError> {
    let nodes = nodes(file)?;
    let (mut parts, mut triangles, mut vertices) = (Vec::new(), Vec::new(), 0);
    for (number, described) in list(&file.json["nodes"]).iter().enumerate() {
        if described["mesh"].is_null() {
            continue;
        }
        let mesh = file.entry("meshes", &described["mesh"])?;
        for primitive in list(&mesh["primitives"]) {
            if !matches!(primitive["mode"].as_u64(), None | Some(4)) {
                continue;
            }
            let part = part(file, number, primitive, &described["skin"], nodes.len())?;
            let count = part.base.len();
            if vertices + count > MOST_VERTICES {
                return fail(format!("more than {MOST_VERTICES} vertices"), "export a coarser mesh");
            }
            let indices: Vec<f64> = match &primitive["indices"] {
                Value::Null => (0..count).map(|i| i as f64).collect(),
                indices => file.numbers(indices, 1)?,
            };
            if indices.iter().any(|i| *i >= count as f64) {
                return fail("a triangle names a missing vertex", "the file is damaged: export it again");
            }
            let corner = |i: f64| VertexId::from(vertices + i as usize);
            triangles.extend(indices.as_chunks::<3>().0.iter().map(|t| t.map(corner)));
            vertices += count;
            parts.push(part);
        }
    }
    if triangles.is_empty() {
        return fail("the scene has no triangles", "export the body with its mesh");
    }
    let channels = animation::channels(file, &nodes)?;
    let duration = channels.iter().map(animation::Channel::end).fold(0.0, f64::max);
    Ok(GlbScene { nodes, parts, channels, triangles, duration })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// `N` numbers of the description, or those that stand for none.
fn numbers<const N: usize>(value: &Value, default: [f64; N]) -> [f64; N] {
    let read = |i: usize| value.get(i).and_then(Value::as_f64).filter(|x| x.is_finite());
    std::array::from_fn(|i| read(i).unwrap_or(default[i]))
}

fn nodes(file: &Container<'_>) -> Result<Vec<Node>, ParseError> {
    let described = list(&file.json["nodes"]);
    let mut nodes = Vec::with_capacity(described.len());
    for node in described {
        let [x, y, z, w] = numbers(&node["rotation"], [0.0, 0.0, 0.0, 1.0]);
        let rotation = DQuat::from_xyzw(x, y, z, w);
        let local = if node["matrix"].is_array() {
            Local::Matrix(Affine::from_columns(&numbers(&node["matrix"], [0.0; 16])))
        } else {
            Local::Parts {
                translation: numbers(&node["translation"], [0.0; 3]).into(),
                rotation: if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY },
                scale: numbers(&node["scale"], [1.0; 3]).into(),
            }
        };
        let mesh = if node["mesh"].is_null() { &Value::Null } else { file.entry("meshes", &node["mesh"])? };
        let targets = list(&mesh["primitives"][0]["targets"]).len();
        let given = if node["weights"].is_array() { &node["weights"] } else { &mesh["weights"] };
        let weight = |k: usize| given.get(k).and_then(Value::as_f64).unwrap_or(0.0);
        nodes.push(Node { parent: None, local, weights: (0..targets).map(weight).collect() });
    }
    for (parent, node) in described.iter().enumerate() {
        for child in list(&node["children"]).iter().filter_map(Value::as_u64) {
            if let Some(child) = nodes.get_mut(child as usize) {
                child.parent = Some(parent);
            }
        }
    }
    Ok(nodes)
}

fn triples(file: &Container<'_>, accessor: &Value) -> Result<Vec<DVec3>, ParseError> {
    Ok(file.numbers(accessor, 3)?.as_chunks::<3>().0.iter().map(|p| DVec3::from_array(*p)).collect())
}

fn part(file: &Container<'_>, node: usize, primitive: &Value, skin: &Value, nodes: usize) -> Result<Part, ParseError> {
    const UNEQUAL: &str = "the file is damaged: export it again";
    let base = triples(file, &primitive["attributes"]["POSITION"])?;
    let mut targets = Vec::new();
    for target in list(&primitive["targets"]) {
        // A target may move normals alone.
        let target = if target["POSITION"].is_null() { Vec::new() } else { triples(file, &target["POSITION"])? };
        if !target.is_empty() && target.len() != base.len() {
            return fail("a morph target has another number of vertices", UNEQUAL);
        }
        targets.push(target);
    }
    let skin = if skin.is_null() { None } else { Some(read_skin(file, primitive, skin, nodes)?) };
    if skin.as_ref().is_some_and(|skin| skin.weights.len() != base.len()) {
        return fail("a skin has another number of vertices", UNEQUAL);
    }
    Ok(Part { node, base, targets, skin })
}

fn read_skin(file: &Container<'_>, primitive: &Value, skin: &Value, nodes: usize) -> Result<Skin, ParseError> {
    const BROKEN: &str = "bind the mesh to its skeleton and export it again";
    let skin = file.entry("skins", skin)?;
    let numbered = list(&skin["joints"]).iter().filter_map(Value::as_u64).map(|node| node as usize);
    let joints: Vec<usize> = numbered.filter(|node| *node < nodes).collect();
    let binds = match &skin["inverseBindMatrices"] {
        Value::Null => vec![Affine::IDENTITY; joints.len()],
        accessor => {
            let numbers = file.numbers(accessor, 16)?;
            numbers.as_chunks::<16>().0.iter().map(|m| Affine::from_columns(m)).collect()
        }
    };
    if binds.len() < joints.len() {
        return fail("a skin lacks inverse bind matrices", BROKEN);
    }
    let attributes = &primitive["attributes"];
    let (indices, weights) = (file.numbers(&attributes["JOINTS_0"], 4)?, file.numbers(&attributes["WEIGHTS_0"], 4)?);
    let (indices, weights) = (indices.as_chunks::<4>().0, weights.as_chunks::<4>().0);
    if indices.len() != weights.len() || indices.iter().flatten().any(|joint| *joint >= joints.len() as f64) {
        return fail("the weights of a skin do not fit its joints", BROKEN);
    }
    let vertex = |(joints, weights): (&[f64; 4], &[f64; 4])| {
        let total: f64 = weights.iter().sum();
        let scale = if total > 0.0 { 1.0 / total } else { 1.0 };
        std::array::from_fn(|k| (joints[k] as usize, scale * weights[k]))
    };
    let weights = indices.iter().zip(weights).map(vertex).collect();
    Ok(Skin { joints: joints.into_iter().zip(binds).collect(), weights })
}
