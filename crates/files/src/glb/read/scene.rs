//! Nodes, parts and skins of a GLB file.

use serde_json::Value;
use toile_mesh::{DQuat, DVec3, VertexId};

use super::container::{Container, fail};
use super::{MOST_VERTICES, animation};
use crate::ParseError;
use crate::rigged::{Affine, Local, Node, Part, RiggedScene, Skin};

pub(super) fn build(file: &Container<'_>) -> Result<RiggedScene, ParseError> {
    let nodes = nodes(file)?;
    let (mut parts, mut triangles, mut vertices) = (Vec::new(), Vec::new(), 0);
    let in_scene = in_scene(&file.json, nodes.len());
    for (number, described) in list(&file.json["nodes"]).iter().enumerate() {
        if described["mesh"].is_null() || !in_scene[number] {
            continue;
        }
        let mesh = file.entry("meshes", &described["mesh"])?;
        for primitive in list(&mesh["primitives"]) {
            let mode = primitive["mode"].as_u64().unwrap_or(4);
            if !(4..=6).contains(&mode) {
                continue;
            }
            if !primitive["extensions"]["KHR_draco_mesh_compression"].is_null()
                && primitive["attributes"]["POSITION"].is_null()
            {
                let remedy = "switch compression off in the exporter";
                return fail("its meshes are compressed by Draco (KHR_draco_mesh_compression)", remedy);
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
            triangles.extend(corners(mode, &indices).map(|t| t.map(corner)));
            vertices += count;
            parts.push(part);
        }
    }
    if triangles.is_empty() {
        return fail("the scene has no triangles", "export the body with its mesh");
    }
    let channels = animation::channels(file, &nodes)?;
    Ok(RiggedScene::new(nodes, parts, channels, triangles))
}

/// The corners of triangles: three by three, as a strip (5) or as a fan (6).
fn corners(mode: u64, indices: &[f64]) -> impl Iterator<Item = [f64; 3]> + '_ {
    let count = match mode {
        4 => indices.len() / 3,
        _ => indices.len().saturating_sub(2),
    };
    (0..count).map(move |k| match mode {
        4 => [indices[3 * k], indices[3 * k + 1], indices[3 * k + 2]],
        5 if k % 2 == 1 => [indices[k + 1], indices[k], indices[k + 2]],
        5 => [indices[k], indices[k + 1], indices[k + 2]],
        _ => [indices[0], indices[k + 1], indices[k + 2]],
    })
}

/// Which nodes the default scene shows.
fn in_scene(json: &Value, count: usize) -> Vec<bool> {
    let scenes = list(&json["scenes"]);
    let default = json["scene"].as_u64().map_or(0, |number| number as usize);
    let Some(scene) = scenes.get(default) else { return vec![true; count] };
    let mut is_shown = vec![false; count];
    let mut open: Vec<usize> = list(&scene["nodes"]).iter().filter_map(Value::as_u64).map(|n| n as usize).collect();
    while let Some(node) = open.pop() {
        if node < count && !is_shown[node] {
            is_shown[node] = true;
            let children = list(&json["nodes"][node]["children"]);
            open.extend(children.iter().filter_map(Value::as_u64).map(|n| n as usize));
        }
    }
    is_shown
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
