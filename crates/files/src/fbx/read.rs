//! From the scene of ufbx to a rigged scene.

use toile_mesh::{DMat3, DQuat, DVec3, VertexId};
use ufbx::{
    Anim, ErrorType, FileFormat, GeometryTransformHandling, InheritModeHandling, LoadOpts, Matrix, Mesh, Scene,
    Transform, Vec3,
};

use super::{MEMORY_PER_BYTE, MOST_NUMBERS, MOST_VERTICES, RATE};
use crate::rigged::{Affine, Between, Channel, Local, Node, Part, Path, Skin};
use crate::{ParseError, Place, RiggedScene};

/// Memory that any file may take [bytes].
const LEAST_MEMORY: usize = 64 << 20;

/// Memory that no file may exceed [bytes].
const MOST_MEMORY: usize = 4 << 30;

fn fail<T>(reason: impl Into<String>, remedy: &'static str) -> Result<T, ParseError> {
    Err(ParseError::new(Place::Whole, reason, remedy))
}

pub(super) fn parse(bytes: &[u8]) -> Result<RiggedScene, ParseError> {
    let limit = bytes.len().saturating_mul(MEMORY_PER_BYTE).clamp(LEAST_MEMORY, MOST_MEMORY);
    let mut options = LoadOpts {
        file_format: FileFormat::Fbx,
        no_format_from_content: true,
        ignore_embedded: true,
        geometry_transform_handling: GeometryTransformHandling::HelperNodes,
        inherit_mode_handling: InheritModeHandling::Compensate,
        ..LoadOpts::default()
    };
    options.temp_allocator.memory_limit = limit;
    options.result_allocator.memory_limit = limit;
    let scene = ufbx::load_memory(bytes, options).map_err(|error| {
        let remedy = match error.type_ {
            ErrorType::MemoryLimit | ErrorType::AllocationLimit => "export a coarser mesh, or fewer frames",
            ErrorType::UnsupportedVersion => "export it again as FBX 7.4 (2013 or newer)",
            _ => "this is not a whole FBX file: export it again, or as .glb",
        };
        ParseError::new(Place::Whole, format!("it cannot be read as FBX: {}", &*error.description), remedy)
    })?;
    build(&scene)
}

fn build(scene: &Scene) -> Result<RiggedScene, ParseError> {
    let mut nodes: Vec<Node> = Vec::with_capacity(scene.nodes.len());
    let (mut parts, mut triangles, mut vertices) = (Vec::new(), Vec::new(), 0);
    for node in &scene.nodes {
        let mesh = node.mesh.as_deref().filter(|mesh| mesh.num_triangles > 0);
        nodes.push(Node {
            parent: node.parent.as_ref().map(|parent| parent.element.typed_id as usize),
            local: local(&node.local_transform),
            weights: mesh.map(rest_weights).unwrap_or_default(),
        });
        let Some(mesh) = mesh else { continue };
        let part = part(mesh, node.element.typed_id as usize)?;
        if vertices + part.base.len() > MOST_VERTICES {
            return fail(format!("more than {MOST_VERTICES} vertices"), "export a coarser mesh");
        }
        cut(mesh, vertices, &mut triangles)?;
        vertices += part.base.len();
        parts.push(part);
    }
    if triangles.is_empty() {
        return fail("the scene has no polygons", "export the body with its mesh");
    }
    if parts.iter().flat_map(|part| &part.base).any(|p| !p.is_finite()) {
        return fail("a vertex is not at a finite place", "mend the mesh and export it again");
    }
    let channels = channels(scene, &nodes)?;
    Ok(RiggedScene::new(nodes, parts, channels, triangles))
}

fn vector(v: &Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

fn local(transform: &Transform) -> Local {
    let q = transform.rotation;
    let rotation = DQuat::from_xyzw(q.x, q.y, q.z, q.w);
    let is_turn = rotation.is_finite() && rotation.length_squared() > 0.0;
    Local::Parts {
        translation: vector(&transform.translation),
        rotation: if is_turn { rotation.normalize() } else { DQuat::IDENTITY },
        scale: vector(&transform.scale),
    }
}

fn affine(m: &Matrix) -> Affine {
    let columns = [[m.m00, m.m10, m.m20], [m.m01, m.m11, m.m21], [m.m02, m.m12, m.m22]].map(DVec3::from_array);
    Affine(DMat3::from_cols(columns[0], columns[1], columns[2]), DVec3::new(m.m03, m.m13, m.m23))
}

/// The channels of a mesh's morph targets.
fn morphs(mesh: &Mesh) -> impl Iterator<Item = &ufbx::BlendChannel> {
    mesh.blend_deformers.iter().flat_map(|deformer| deformer.channels.iter()).map(|channel| &**channel)
}

fn rest_weights(mesh: &Mesh) -> Vec<f64> {
    morphs(mesh).map(|channel| channel.weight).collect()
}

fn part(mesh: &Mesh, node: usize) -> Result<Part, ParseError> {
    let base: Vec<DVec3> = mesh.vertices.iter().map(vector).collect();
    let count = base.len();
    let mut targets = Vec::new();
    for channel in morphs(mesh) {
        let mut target = vec![DVec3::ZERO; if channel.target_shape.is_some() { count } else { 0 }];
        if let Some(shape) = &channel.target_shape {
            for (v, offset) in shape.offset_vertices.iter().zip(&shape.position_offsets) {
                if let Some(slot) = target.get_mut(*v as usize) {
                    *slot = vector(offset);
                }
            }
        }
        targets.push(target);
    }
    if targets.iter().map(Vec::len).sum::<usize>().saturating_mul(3) > MOST_NUMBERS {
        return fail(format!("more than {MOST_NUMBERS} numbers"), "export fewer shape keys");
    }
    let skin = mesh.skin_deformers.iter().next().map(|skin| skin_of(skin, count, node));
    Ok(Part { node, base, targets, skin })
}

/// The heaviest four joints of each vertex. A vertex without any follows the node of its mesh.
fn skin_of(skin: &ufbx::SkinDeformer, vertices: usize, own: usize) -> Skin {
    let mut joints: Vec<(usize, Affine)> = Vec::new();
    for cluster in &skin.clusters {
        let node = cluster.bone_node.as_ref().map_or(own, |bone| bone.element.typed_id as usize);
        let bind = if cluster.bone_node.is_some() { affine(&cluster.geometry_to_bone) } else { Affine::IDENTITY };
        joints.push((node, bind));
    }
    let unbound = joints.len();
    joints.push((own, Affine::IDENTITY));
    let weights = (0..vertices)
        .map(|v| {
            let mut found: Vec<(usize, f64)> = Vec::new();
            if let Some(vertex) = skin.vertices.get(v) {
                let (first, count) = (vertex.weight_begin as usize, vertex.num_weights as usize);
                let listed = skin.weights.get(first..first + count).unwrap_or_default();
                found.extend(listed.iter().map(|weight| (weight.cluster_index as usize, weight.weight)));
            }
            found.retain(|(joint, weight)| *joint < unbound && *weight > 0.0 && weight.is_finite());
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            found.truncate(4);
            let total: f64 = found.iter().map(|(_, weight)| weight).sum();
            if found.is_empty() {
                return [(unbound, 1.0), (unbound, 0.0), (unbound, 0.0), (unbound, 0.0)];
            }
            std::array::from_fn(|k| found.get(k).map_or((unbound, 0.0), |(joint, weight)| (*joint, weight / total)))
        })
        .collect();
    Skin { joints, weights }
}

/// Cuts the polygons of a mesh into triangles over vertices that begin at `first`.
fn cut(mesh: &Mesh, first: usize, triangles: &mut Vec<[VertexId; 3]>) -> Result<(), ParseError> {
    let mut corners = vec![0_u32; 3 * mesh.max_face_triangles];
    for face in &mesh.faces {
        let count = ufbx::triangulate_face(&mut corners, mesh, *face) as usize;
        for corner in corners[..3 * count].as_chunks::<3>().0 {
            let mut triangle = [VertexId(0); 3];
            for (slot, index) in triangle.iter_mut().zip(corner) {
                let vertex = mesh.vertex_indices.get(*index as usize).filter(|v| (**v as usize) < mesh.vertices.len());
                let Some(vertex) = vertex else {
                    return fail("a polygon names a missing vertex", "the file is damaged: export it again");
                };
                *slot = VertexId::from(first + *vertex as usize);
            }
            triangles.push(triangle);
        }
    }
    Ok(())
}

/// Samples the first animation: the nodes and weights that it moves.
fn channels(scene: &Scene, nodes: &[Node]) -> Result<Vec<Channel>, ParseError> {
    let Some(stack) = scene.anim_stacks.iter().next() else { return Ok(Vec::new()) };
    let (begin, end) = if stack.time_end > stack.time_begin {
        (stack.time_begin, stack.time_end)
    } else {
        // Some programs leave the times of an animation out: then it is as long as its keys.
        let times = scene.anim_curves.iter().flat_map(|curve| curve.keyframes.iter()).map(|key| key.time);
        times.fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), t| (first.min(t), last.max(t)))
    };
    let count = ((end - begin) * RATE).ceil() + 1.0;
    let is_moving = count.is_finite() && count > 1.0;
    if !is_moving {
        return Ok(Vec::new());
    }
    let numbers: usize = nodes.iter().map(|node| 10 + node.weights.len()).sum();
    if count * numbers as f64 > MOST_NUMBERS as f64 {
        let reason = format!("{count} samples of {numbers} numbers, at most {MOST_NUMBERS} numbers are read");
        return fail(reason, "export a shorter animation, or fewer nodes");
    }
    let times: Vec<f64> = (0..count as usize).map(|k| (k as f64 / RATE).min(end - begin)).collect();
    // The last step may be shorter; equal times are none.
    let times: Vec<f64> =
        times.iter().enumerate().filter(|(k, t)| *k == 0 || **t > times[k - 1]).map(|(_, t)| *t).collect();
    let mut channels = Vec::new();
    for (number, node) in scene.nodes.iter().enumerate() {
        let at = |t: &f64| ufbx::evaluate_transform(&stack.anim, node, begin + t);
        let samples: Vec<Transform> = times.iter().map(at).collect();
        let v = |v: Vec3| vec![v.x, v.y, v.z];
        let turn = |q: ufbx::Quat| vec![q.x, q.y, q.z, q.w];
        let sampled: [(Path, Vec<Vec<f64>>); 3] = [
            (Path::Translation, samples.iter().map(|s| v(s.translation)).collect()),
            (Path::Rotation, samples.iter().map(|s| turn(s.rotation)).collect()),
            (Path::Scale, samples.iter().map(|s| v(s.scale)).collect()),
        ];
        for (path, values) in sampled {
            channels.extend(channel(number, path, &times, &values, &rest_values(&nodes[number], path)));
        }
        channels.extend(weights(node, number, &stack.anim, begin, &times, &nodes[number]));
    }
    let is_finite = |channel: &Channel| channel.values.iter().all(|x| x.is_finite());
    if !channels.iter().all(is_finite) {
        return fail("its animation has a number that is not finite", "bake the animation and export it again");
    }
    Ok(channels)
}

fn weights(node: &ufbx::Node, number: usize, anim: &Anim, begin: f64, times: &[f64], rest: &Node) -> Option<Channel> {
    let mesh = node.mesh.as_deref().filter(|_| !rest.weights.is_empty())?;
    let at = |t: &f64| morphs(mesh).map(|morph| ufbx::evaluate_blend_weight(anim, morph, begin + t)).collect();
    channel(number, Path::Weights, times, &times.iter().map(at).collect::<Vec<Vec<f64>>>(), &rest.weights)
}

/// What a channel replaces.
fn rest_values(node: &Node, path: Path) -> Vec<f64> {
    let Local::Parts { translation, rotation, scale } = node.local else { return Vec::new() };
    match path {
        Path::Translation => translation.to_array().to_vec(),
        Path::Rotation => rotation.to_array().to_vec(),
        Path::Scale => scale.to_array().to_vec(),
        Path::Weights => node.weights.clone(),
    }
}

/// A channel through samples, if it moves anything away from rest.
fn channel(node: usize, path: Path, times: &[f64], samples: &[Vec<f64>], rest: &[f64]) -> Option<Channel> {
    const SAME: f64 = 1e-9;
    let size = rest.iter().map(|x| x.abs()).fold(1.0, f64::max);
    let is_rest = |sample: &Vec<f64>| sample.iter().zip(rest).all(|(a, b)| (a - b).abs() <= SAME * size);
    if samples.iter().all(is_rest) {
        return None;
    }
    let width = rest.len();
    Some(Channel { node, path, between: Between::Linear, times: times.to_vec(), values: samples.concat(), width })
}
