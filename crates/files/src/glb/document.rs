//! From a [`GlbAnimation`] to the JSON document of glTF 2.0 and its binary chunk.

use serde_json::{Map, Value, json};

use super::{
    binary::{BinaryChunk, Bounds, Usage, container},
    scene::{GlbAnimation, GlbInterpolation, Surface},
    texture::Split,
};
use crate::ExportError;

/// Largest file: its length stands in 32 bits.
const MAX_BYTES: u64 = u32::MAX as u64;

pub(super) fn glb_bytes(animation: &GlbAnimation) -> Result<Vec<u8>, ExportError> {
    if animation.targets.is_empty() {
        return Err(ExportError::Empty { what: "frame" });
    }
    let too_large = |value| ExportError::TooLarge { what: "size of the GLB file", value, limit: MAX_BYTES };
    let cloth = &animation.cloth;
    let split = Split::new(cloth.positions.len(), &cloth.indices, animation.uv.as_deref());
    let size = binary_size(animation, &split);
    if size > MAX_BYTES {
        return Err(too_large(size));
    }
    let mut chunk = BinaryChunk { bytes: Vec::with_capacity(size as usize), ..BinaryChunk::default() };
    let mut meshes = vec![cloth_mesh(animation, &split, &mut chunk)];
    let mut materials = vec![material(&animation.cloth, animation.colors.is_some())];
    for (i, obstacle) in animation.obstacles.iter().enumerate() {
        let whole = Split::new(obstacle.positions.len(), &obstacle.indices, None);
        let mut primitive = primitive(obstacle, &whole, &mut chunk);
        primitive["material"] = json!(i + 1);
        meshes.push(json!({ "name": obstacle.name, "primitives": [primitive] }));
        materials.push(material(obstacle, false));
    }
    let names = std::iter::once(&animation.cloth).chain(&animation.obstacles).map(|s| &s.name);
    let nodes: Vec<Value> = names.enumerate().map(|(i, name)| json!({ "name": name, "mesh": i })).collect();
    let roots: Vec<usize> = (0..nodes.len()).collect();
    let animations = [weights_animation(animation, &mut chunk)];
    let document = json!({
        "asset": { "version": "2.0", "generator": "Toile" },
        "scene": 0,
        "scenes": [{ "nodes": roots }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
        "animations": animations,
        "accessors": chunk.accessors,
        "bufferViews": chunk.views,
        "buffers": [{ "byteLength": chunk.bytes.len() }],
    });
    container(&document, &chunk.bytes).ok_or_else(|| too_large(size))
}

/// Length of the binary chunk [bytes], so that memory is taken once and not beyond the limit.
fn binary_size(animation: &GlbAnimation, split: &Split<'_>) -> u64 {
    let surface = |s: &Surface| 24 * s.positions.len() + 12 * s.indices.len();
    let vertices = split.count(animation.cloth.positions.len());
    let cloth = 24 * vertices + 12 * split.indices.len();
    let per_vertex = 12 * usize::from(animation.colors.is_some()) + 4 * animation.attributes.len();
    let attributes = per_vertex * vertices + 8 * split.uv.len();
    let targets: usize = animation.targets.iter().map(|t| if t.normals.is_some() { 24 } else { 12 } * vertices).sum();
    let frames = animation.targets.len();
    let obstacles: usize = animation.obstacles.iter().map(surface).sum();
    (cloth + attributes + targets + 4 * frames * (frames + 1) + obstacles) as u64
}

/// Positions, normals and indices of a surface.
fn primitive(surface: &Surface, split: &Split<'_>, chunk: &mut BinaryChunk) -> Value {
    json!({
        "attributes": {
            "POSITION": chunk.floats(&split.of(&surface.positions), Usage::Vertices, Bounds::Written),
            "NORMAL": chunk.floats(&split.of(&surface.normals), Usage::Vertices, Bounds::Omitted),
        },
        "indices": chunk.indices(&split.indices),
        "mode": 4,
    })
}

fn cloth_mesh(animation: &GlbAnimation, split: &Split<'_>, chunk: &mut BinaryChunk) -> Value {
    let mut primitive = primitive(&animation.cloth, split, chunk);
    primitive["material"] = json!(0);
    if let Some(colors) = &animation.colors {
        primitive["attributes"]["COLOR_0"] = json!(chunk.floats(&split.of(colors), Usage::Vertices, Bounds::Omitted));
    }
    if !split.uv.is_empty() {
        primitive["attributes"]["TEXCOORD_0"] = json!(chunk.floats(&split.uv, Usage::Vertices, Bounds::Omitted));
    }
    for (name, values) in &animation.attributes {
        let values = split.of(values);
        primitive["attributes"][name] =
            json!(chunk.floats(values.as_chunks::<1>().0, Usage::Vertices, Bounds::Written));
    }
    let targets = animation.targets.iter().map(|target| {
        let mut attributes = Map::new();
        let positions = chunk.floats(&split.of(&target.positions), Usage::Vertices, Bounds::Written);
        attributes.insert("POSITION".into(), json!(positions));
        if let Some(normals) = &target.normals {
            attributes
                .insert("NORMAL".into(), json!(chunk.floats(&split.of(normals), Usage::Vertices, Bounds::Omitted)));
        }
        Value::Object(attributes)
    });
    primitive["targets"] = targets.collect();
    // Not part of the format, but every program reads target names from here.
    let names: Vec<String> = (0..animation.targets.len()).map(|k| format!("frame_{:04}", k + 1)).collect();
    json!({
        "name": animation.cloth.name,
        "primitives": [primitive],
        "weights": vec![0.0; names.len()],
        "extras": { "targetNames": names },
    })
}

/// Weight 1 for target `k` at time `k / fps`, 0 for the others.
fn weights_animation(animation: &GlbAnimation, chunk: &mut BinaryChunk) -> Value {
    let frames = animation.targets.len();
    let times: Vec<[f32; 1]> = (0..frames).map(|k| [(k as f64 / animation.fps) as f32]).collect();
    let weights: Vec<[f32; 1]> =
        (0..frames * frames).map(|i| [if i % frames == i / frames { 1.0 } else { 0.0 }]).collect();
    let interpolation = match animation.interpolation {
        GlbInterpolation::Step => "STEP",
        GlbInterpolation::Linear => "LINEAR",
    };
    json!({
        "name": "simulation",
        "samplers": [{
            "input": chunk.floats(&times, Usage::Animation, Bounds::Written),
            "output": chunk.floats(&weights, Usage::Animation, Bounds::Omitted),
            "interpolation": interpolation,
        }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
    })
}

/// Matt and visible from both sides. Vertex colours multiply the base colour, so with them it is white.
fn material(surface: &Surface, vertex_colors: bool) -> Value {
    let [r, g, b] = if vertex_colors { [1.0; 3] } else { surface.color };
    json!({
        "name": surface.name,
        "doubleSided": true,
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9 },
    })
}
