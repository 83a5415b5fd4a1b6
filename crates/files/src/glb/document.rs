//! From a [`GlbScene`] to the JSON document of glTF 2.0 and its binary chunk.

use serde_json::{Map, Value, json};

use super::{
    binary::{BinaryChunk, Bounds, Usage, container},
    object::{GlbObject, Motion, Target},
    scene::{GlbInterpolation, GlbScene},
    skin::{Correction, GlbPose, GlbSkin},
    texture::Split,
};
use crate::{ExportError, materials::Materials};

/// Largest file: its length stands in 32 bits.
const MAX_BYTES: u64 = u32::MAX as u64;
/// Colour of the material under vertex colours, which multiply it.
const WHITE: [f32; 3] = [1.0; 3];

pub(super) fn glb_bytes(scene: &GlbScene) -> Result<Vec<u8>, ExportError> {
    if scene.objects.is_empty() {
        return Err(ExportError::Empty { what: "object" });
    }
    let too_large = |value| ExportError::TooLarge { what: "size of the GLB file", value, limit: MAX_BYTES };
    let splits: Vec<Split<'_>> = scene
        .objects
        .iter()
        .map(|object| Split::new(object.positions.len(), &object.indices, object.uv.as_deref()))
        .collect();
    let size: u64 = scene.objects.iter().zip(&splits).map(|(object, split)| binary_size(object, split)).sum();
    if size > MAX_BYTES {
        return Err(too_large(size));
    }
    let chunk = BinaryChunk { bytes: Vec::with_capacity(size as usize), ..BinaryChunk::default() };
    let mut document = Document { chunk, ..Document::new(scene) };
    for (object, split) in scene.objects.iter().zip(&splits) {
        document.add(object, split);
    }
    let (json, chunk) = document.finish();
    container(&json, &chunk.bytes).ok_or_else(|| too_large(chunk.bytes.len() as u64))
}

/// Length of what an object adds to the binary chunk, at most [bytes], so that memory is taken once and not beyond the limit.
fn binary_size(object: &GlbObject, split: &Split<'_>) -> u64 {
    let vertices = split.count(object.positions.len());
    let per_vertex = 24 + 12 * usize::from(object.colors.is_some()) + 4 * object.attributes.len();
    let surface = per_vertex * vertices + 8 * split.uv.len() + 12 * split.indices.len();
    let frames = object.frame_count();
    let motion = match &object.motion {
        Motion::Still => 0,
        Motion::Frames(targets) => {
            let target = |t: &Target| if t.normals.is_some() { 24 } else { 12 } * vertices;
            targets.iter().map(target).sum::<usize>() + 4 * frames * (frames + 1)
        }
        Motion::Poses(_) => 32 * frames,
        Motion::Postures(_, corrections) => {
            let joints = object.skin.as_ref().map_or(0, |skin| skin.joints.len());
            let corrected = corrections.iter().map(|c| 16 * c.len()).sum::<usize>() + 4 * frames * (frames + 1);
            corrected + 24 * vertices + joints * (64 + 28 * frames)
        }
    };
    (surface + motion) as u64
}

/// The parts of the document, growing object by object.
struct Document<'a> {
    scene: &'a GlbScene,
    chunk: BinaryChunk,
    materials: Materials,
    nodes: Vec<Value>,
    roots: Vec<usize>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    /// Accessors of key times, by the number of keys.
    times: Vec<(usize, usize)>,
}

impl<'a> Document<'a> {
    fn new(scene: &'a GlbScene) -> Self {
        Self {
            scene,
            chunk: BinaryChunk::default(),
            materials: Materials::default(),
            nodes: Vec::new(),
            roots: Vec::new(),
            meshes: Vec::new(),
            skins: Vec::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
            times: Vec::new(),
        }
    }

    fn add(&mut self, object: &GlbObject, split: &Split<'_>) {
        let node = self.nodes.len();
        self.roots.push(node);
        self.nodes.push(json!({ "name": object.name, "mesh": self.meshes.len() }));
        let mut primitive = self.primitive(object, split);
        // Targets by the frames at which they have full weight.
        let mut targets: Vec<(usize, Value)> = Vec::new();
        match &object.motion {
            Motion::Frames(frames) if frames.len() > 1 => {
                let frames = frames.iter().enumerate();
                targets = frames.map(|(k, target)| (k, self.target(target, split))).collect();
            }
            Motion::Poses(poses) => self.move_node(node, poses),
            Motion::Postures(postures, corrections) => {
                if let Some(skin) = &object.skin {
                    self.add_skin(node, object, skin, postures, &mut primitive);
                }
                targets = self.corrections(corrections, split.count(object.positions.len()));
            }
            Motion::Still | Motion::Frames(_) => {}
        }
        let mut mesh = json!({ "name": object.name });
        if !targets.is_empty() && object.skin.is_some() {
            // Blender hangs such a mesh, under the name of the mesh, below the armature and leaves its node behind.
            self.nodes[node]["name"] = json!(format!("{}-skin", object.name));
        }
        if !targets.is_empty() {
            // Not part of the format, but every program reads target names from here.
            let names: Vec<String> = targets.iter().map(|(k, _)| format!("frame_{:04}", k + 1)).collect();
            let at: Vec<usize> = targets.iter().map(|(k, _)| *k).collect();
            primitive["targets"] = targets.into_iter().map(|(_, target)| target).collect();
            mesh["weights"] = json!(at.iter().map(|k| f32::from(u8::from(*k == 0))).collect::<Vec<_>>());
            mesh["extras"] = json!({ "targetNames": names });
            self.weigh(node, object.frame_count(), &at);
        }
        mesh["primitives"] = json!([primitive]);
        self.meshes.push(mesh);
    }

    /// Positions, normals, indices and attributes of an object at its base, or at its only frame.
    fn primitive(&mut self, object: &GlbObject, split: &Split<'_>) -> Value {
        let chunk = &mut self.chunk;
        let added = |base: &[[f32; 3]], more: &[[f32; 3]]| -> Vec<[f32; 3]> {
            base.iter().zip(more).map(|(a, b)| [0, 1, 2].map(|i| a[i] + b[i])).collect()
        };
        let (mut positions, mut normals) = (object.positions.clone(), object.normals.clone());
        if let Motion::Frames(frames) = &object.motion
            && let [only] = frames.as_slice()
        {
            positions = added(&positions, &only.positions);
            normals = only.normals.as_ref().map_or_else(|| normals.clone(), |more| added(&normals, more));
        }
        let mut attributes = Map::new();
        let position = chunk.floats(&split.of(&positions), Usage::Vertices, Bounds::Written);
        attributes.insert("POSITION".into(), json!(position));
        attributes.insert("NORMAL".into(), json!(chunk.floats(&split.of(&normals), Usage::Vertices, Bounds::Omitted)));
        if let Some(colors) = &object.colors {
            let colors = chunk.floats(&split.of(colors), Usage::Vertices, Bounds::Omitted);
            attributes.insert("COLOR_0".into(), json!(colors));
        }
        if !split.uv.is_empty() {
            let uv = chunk.floats(&split.uv, Usage::Vertices, Bounds::Omitted);
            attributes.insert("TEXCOORD_0".into(), json!(uv));
        }
        for (name, values) in &object.attributes {
            let values = split.of(values);
            let values = chunk.floats(values.as_chunks::<1>().0, Usage::Vertices, Bounds::Written);
            attributes.insert(name.clone(), json!(values));
        }
        let color = if object.colors.is_some() { WHITE } else { object.color };
        let material = self.materials.number(&object.material, color);
        json!({ "attributes": attributes, "indices": self.chunk.indices(&split.indices), "mode": 4, "material": material })
    }

    fn target(&mut self, target: &Target, split: &Split<'_>) -> Value {
        let positions = self.chunk.floats(&split.of(&target.positions), Usage::Vertices, Bounds::Written);
        let mut attributes = json!({ "POSITION": positions });
        if let Some(normals) = &target.normals {
            attributes["NORMAL"] = json!(self.chunk.floats(&split.of(normals), Usage::Vertices, Bounds::Omitted));
        }
        attributes
    }

    /// Targets for the frames that need a correction.
    fn corrections(&mut self, corrections: &[Correction], vertices: usize) -> Vec<(usize, Value)> {
        let needed = corrections.iter().enumerate().filter(|(_, correction)| !correction.is_empty());
        needed.map(|(k, correction)| (k, json!({ "POSITION": self.chunk.sparse(vertices, correction) }))).collect()
    }

    /// Joints as nodes below one that bears the skeleton's name, their weights, and their motion.
    fn add_skin(
        &mut self,
        node: usize,
        object: &GlbObject,
        skin: &GlbSkin,
        postures: &[Vec<GlbPose>],
        primitive: &mut Value,
    ) {
        let name = format!("{}-skeleton", object.name);
        let bearer = self.nodes.len();
        self.roots.push(bearer);
        let first = bearer + 1;
        let children = |of: Option<usize>| -> Vec<usize> {
            (0..skin.joints.len()).filter(|j| skin.joints[*j].parent == of).map(|j| first + j).collect()
        };
        self.nodes.push(json!({ "name": name, "children": children(None) }));
        for (j, joint) in skin.joints.iter().enumerate() {
            let rest = joint.rest - joint.parent.map_or_else(Default::default, |parent| skin.joints[parent].rest);
            let mut node = json!({ "name": joint.name, "translation": rest.to_array().map(|x| x as f32) });
            let below = children(Some(j));
            if !below.is_empty() {
                node["children"] = json!(below);
            }
            self.nodes.push(node);
        }
        let binds: Vec<[f32; 16]> = skin.joints.iter().map(|joint| bind(joint.rest.to_array())).collect();
        let binds = self.chunk.floats(&binds, Usage::Animation, Bounds::Omitted);
        let joints: Vec<usize> = (first..first + skin.joints.len()).collect();
        self.nodes[node]["skin"] = json!(self.skins.len());
        self.skins.push(json!({ "name": name, "inverseBindMatrices": binds, "joints": joints, "skeleton": bearer }));
        let numbers: Vec<[u16; 4]> = skin.influences.iter().map(known_joints).collect();
        let weights: Vec<[f32; 4]> = skin.influences.iter().map(|i| i.map(|(_, weight)| weight)).collect();
        primitive["attributes"]["JOINTS_0"] = json!(self.chunk.shorts(&numbers));
        primitive["attributes"]["WEIGHTS_0"] = json!(self.chunk.floats(&weights, Usage::Vertices, Bounds::Omitted));
        for j in 0..skin.joints.len() {
            let poses: Vec<GlbPose> = postures.iter().map(|posture| posture[j]).collect();
            self.move_node(first + j, &poses);
        }
    }

    /// Moves a node; a single place is where it stands.
    fn move_node(&mut self, node: usize, poses: &[GlbPose]) {
        let single = |p: &GlbPose| p.position.to_array().map(|x| x as f32);
        let turn = |p: &GlbPose| p.rotation.to_array().map(|x| x as f32);
        if let Some(first) = poses.first() {
            self.nodes[node]["translation"] = json!(single(first));
            self.nodes[node]["rotation"] = json!(turn(first));
        }
        if poses.len() < 2 {
            return;
        }
        let positions: Vec<[f32; 3]> = poses.iter().map(single).collect();
        let mut turns: Vec<[f32; 4]> = poses.iter().map(turn).collect();
        // A rotation and its negative are the same; neighbours on one side are interpolated the short way by every reader.
        for k in 1..turns.len() {
            let dot: f32 = (0..4).map(|i| turns[k][i] * turns[k - 1][i]).sum();
            if dot < 0.0 {
                turns[k] = turns[k].map(|x| -x);
            }
        }
        if positions.iter().any(|p| *p != positions[0]) {
            let output = self.chunk.floats(&positions, Usage::Animation, Bounds::Omitted);
            self.channel(node, "translation", poses.len(), output);
        }
        if turns.iter().any(|q| *q != turns[0]) {
            let output = self.chunk.floats(&turns, Usage::Animation, Bounds::Omitted);
            self.channel(node, "rotation", poses.len(), output);
        }
    }

    /// Weight 1 for each target at its frame, 0 at all others.
    fn weigh(&mut self, node: usize, frames: usize, at: &[usize]) {
        let mut weights = Vec::with_capacity(frames * at.len());
        for k in 0..frames {
            weights.extend(at.iter().map(|frame| [f32::from(u8::from(*frame == k))]));
        }
        let output = self.chunk.floats(&weights, Usage::Animation, Bounds::Omitted);
        self.channel(node, "weights", frames, output);
    }

    fn channel(&mut self, node: usize, path: &str, keys: usize, output: usize) {
        let input = self.times(keys);
        let interpolation = match self.scene.interpolation {
            GlbInterpolation::Step => "STEP",
            GlbInterpolation::Linear => "LINEAR",
        };
        self.channels.push(json!({ "sampler": self.samplers.len(), "target": { "node": node, "path": path } }));
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }

    /// The accessor of the first key times, `k / fps`.
    fn times(&mut self, keys: usize) -> usize {
        if let Some((_, found)) = self.times.iter().find(|(count, _)| *count == keys) {
            return *found;
        }
        let times: Vec<[f32; 1]> = (0..keys).map(|k| [(k as f64 / self.scene.fps) as f32]).collect();
        let accessor = self.chunk.floats(&times, Usage::Animation, Bounds::Written);
        self.times.push((keys, accessor));
        accessor
    }

    fn finish(self) -> (Value, BinaryChunk) {
        let materials: Vec<Value> = self.materials.iter().map(|(name, color)| material(name, color)).collect();
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "Toile" },
            "scene": 0,
            "scenes": [{ "nodes": self.roots }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": materials,
            "accessors": self.chunk.accessors,
            "bufferViews": self.chunk.views,
            "buffers": [{ "byteLength": self.chunk.bytes.len() }],
        });
        // The format knows no empty lists.
        if !self.skins.is_empty() {
            document["skins"] = json!(self.skins);
        }
        if !self.channels.is_empty() {
            let animation = json!({ "name": "simulation", "samplers": self.samplers, "channels": self.channels });
            document["animations"] = json!([animation]);
        }
        (document, self.chunk)
    }
}

/// Joints of a vertex; the format wants 0 where the weight is 0.
fn known_joints(influences: &[(u16, f32); 4]) -> [u16; 4] {
    influences.map(|(joint, weight)| if weight > 0.0 { joint } else { 0 })
}

/// The matrix that takes a joint from its place at rest to the origin, by columns.
fn bind([x, y, z]: [f64; 3]) -> [f32; 16] {
    let mut matrix = [0.0; 16];
    for i in [0, 5, 10, 15] {
        matrix[i] = 1.0;
    }
    [matrix[12], matrix[13], matrix[14]] = [x, y, z].map(|c| -(c as f32));
    matrix
}

/// Matt and visible from both sides.
fn material(name: &str, [r, g, b]: [f32; 3]) -> Value {
    json!({
        "name": name,
        "doubleSided": true,
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9 },
    })
}
