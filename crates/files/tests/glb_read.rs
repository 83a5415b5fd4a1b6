//! The GLB reader: skins, nodes and morph targets against positions known by hand, and files that are broken.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde_json::{Value, json};
use toile_files::glb::{GlbInterpolation, GlbNormals, GlbObject, GlbScene, parse_glb};
use toile_mesh::{DVec3, generate};

fn pack(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let word = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let mut file = [b"glTF".as_slice(), &word(2), &word(total), &word(text.len()), b"JSON", &text].concat();
    file.extend([&word(binary.len()), b"BIN\0".as_slice(), &binary].concat());
    file
}

/// A strip of three vertices along y: one on the lower bone, one half on each, one on the upper. The upper bone begins at
/// y = 1 and turns by 90° about z in one second, along the shortest arc or by a spline.
fn arm(interpolation: &str) -> Vec<u8> {
    let mut binary: Vec<u8> = Vec::new();
    let (mut views, mut accessors): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    let mut add = |bytes: Vec<u8>, component: u32, kind: &str, count: usize| {
        views.push(json!({ "buffer": 0, "byteOffset": binary.len(), "byteLength": bytes.len() }));
        accessors
            .push(json!({ "bufferView": views.len() - 1, "componentType": component, "type": kind, "count": count }));
        binary.extend(bytes);
        binary.resize(binary.len().next_multiple_of(4), 0);
        accessors.len() - 1
    };
    let floats = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let position = add(floats(&[0.0, 0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 2.0, 0.0]), 5126, "VEC3", 3);
    let index = add([0_u16, 1, 2].iter().flat_map(|i| i.to_le_bytes()).collect(), 5123, "SCALAR", 3);
    let joints = add(vec![0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0], 5121, "VEC4", 3);
    let weights = add(floats(&[1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), 5126, "VEC4", 3);
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let mut down = identity;
    down[13] = -1.0;
    let binds = add(floats(&[identity, down].concat()), 5126, "MAT4", 2);
    let times = add(floats(&[0.0, 1.0]), 5126, "SCALAR", 2);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let (from, to) = ([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half]);
    let zero = [0.0; 4];
    let keys =
        if interpolation == "CUBICSPLINE" { [zero, from, zero, zero, to, zero].concat() } else { [from, to].concat() };
    let turns = add(floats(&keys), 5126, "VEC4", keys.len() / 4);
    let document = json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": binary.len() }], "bufferViews": views, "accessors": accessors,
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights }, "indices": index,
        }] }],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": binds }],
        "nodes": [
            { "mesh": 0, "skin": 0, "translation": [9.0, 9.0, 9.0] },
            { "children": [2], "translation": [0.0, 0.0, 3.0] },
            { "translation": [0.0, 1.0, 0.0] },
        ],
        "animations": [{
            "samplers": [{ "input": times, "output": turns, "interpolation": interpolation }],
            "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }],
        }],
    });
    pack(&document, &binary)
}

#[test]
fn a_skinned_arm_bends_at_its_joint() {
    let scene = parse_glb(&arm("LINEAR")).unwrap();
    assert_eq!((scene.duration(), scene.triangles().len()), (1.0, 1));
    for (t, angle) in [(-1.0, 0.0), (0.0, 0.0), (0.5, 45_f64), (1.0, 90.0), (7.0, 90.0)] {
        let (sin, cos) = angle.to_radians().sin_cos();
        let turned = |y: f64| DVec3::new(-sin * (y - 1.0), 1.0 + cos * (y - 1.0), 3.0);
        let x = scene.mesh_at(t).positions;
        assert!((x[0] - DVec3::new(0.0, 0.0, 3.0)).length() < 1e-6);
        assert!((x[1] - 0.5 * (turned(1.5) + DVec3::new(0.0, 1.5, 3.0))).length() < 1e-6, "{t}");
        assert!((x[2] - turned(2.0)).length() < 1e-6, "{t}");
    }
}

#[test]
fn steps_stay_and_splines_ease() {
    let end = |interpolation: &str, t: f64| parse_glb(&arm(interpolation)).unwrap().mesh_at(t).positions[2];
    assert!((end("STEP", 0.9) - DVec3::new(0.0, 2.0, 3.0)).length() < 1e-6);
    assert!((end("CUBICSPLINE", 1.0) - DVec3::new(-1.0, 1.0, 3.0)).length() < 1e-6);
    // Without slope at its ends the spline is u² (3 − 2u) of the way between the quaternions.
    let u: f64 = 0.25;
    let (s, half) = (u * u * (3.0 - 2.0 * u), std::f64::consts::FRAC_1_SQRT_2);
    let angle = 2.0 * (s * half).atan2(1.0 - s + s * half);
    assert!((end("CUBICSPLINE", u) - DVec3::new(-angle.sin(), 1.0 + angle.cos(), 3.0)).length() < 1e-6);
}

#[test]
fn what_is_written_is_read() {
    let ball = generate::icosphere(0.5, 2);
    let frame = |k: f64| ball.positions.iter().map(|p| *p * (1.0 + 0.1 * k) + k * DVec3::Z).collect::<Vec<_>>();
    let mut object = GlbObject::new("a", &ball, GlbNormals::PerFrame).unwrap();
    for k in 0..4 {
        object.push_frame(&frame(f64::from(k))).unwrap();
    }
    let mut written = GlbScene::new(10.0, GlbInterpolation::Linear).unwrap();
    written.add(object);
    let scene = parse_glb(&written.to_bytes().unwrap()).unwrap();
    assert_eq!(scene.triangles(), ball.triangles);
    assert!((scene.duration() - 0.3).abs() < 1e-6);
    for k in [0.0, 1.0, 1.5, 3.0] {
        let x = scene.mesh_at(0.1 * k).positions;
        assert!(x.iter().zip(frame(k)).all(|(p, q)| (*p - q).length() < 1e-5), "{k}");
    }
}

#[test]
fn broken_files_say_what_is_wrong() {
    let refused = |document: Value| parse_glb(&pack(&document, &[0; 8])).unwrap_err().to_string();
    assert!(parse_glb(b"solid cube").unwrap_err().to_string().contains("does not start as GLB 2.0"));
    assert!(refused(json!({})).contains("no triangles"));
    assert!(refused(json!({ "extensionsRequired": ["KHR_draco_mesh_compression"] })).contains("KHR_draco"));
    let reaching = json!({
        "buffers": [{}], "bufferViews": [{ "buffer": 0, "byteLength": 8 }], "nodes": [{ "mesh": 0 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4_000_000_000_u64 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
    });
    assert!(refused(reaching).contains("reaches beyond the file"));
}

#[test]
fn accessors_named_many_times_over_are_refused_before_memory_is_taken() {
    let targets: Vec<Value> = (0..5000).map(|_| json!({ "POSITION": 0 })).collect();
    let document = json!({
        "buffers": [{}], "bufferViews": [{ "buffer": 0, "byteLength": 1_200_000 }], "nodes": [{ "mesh": 0 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 100_000 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "targets": targets }] }],
    });
    let error = parse_glb(&pack(&document, &vec![0; 1_200_000])).unwrap_err().to_string();
    assert!(error.contains("more than 60000000 numbers"), "{error}");
}

proptest! {
    #[test]
    fn damaged_files_are_judged_without_panic(at in 0..1500_usize, byte: u8, cut in 0..2000_usize) {
        let mut file = arm("LINEAR");
        let at = at % file.len();
        file[at] = byte;
        let _ = parse_glb(&file).map(|scene| scene.mesh_at(0.3));
        let _ = parse_glb(&file[..cut.min(file.len())]).map(|scene| scene.mesh_at(0.3));
    }

    #[test]
    fn any_bytes_are_judged_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_glb(&[b"glTF\x02\0\0\0".as_slice(), &bytes].concat());
    }
}

/// Six vertices of which a sparse accessor moves two; a fan, a strip and single triangles over them in nodes of their own; one node is
/// not in the scene.
fn sparse() -> (Value, Vec<u8>) {
    let mut binary: Vec<u8> = Vec::new();
    let floats = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let base: Vec<f32> = (0..6).flat_map(|k| [k as f32, 0.0, 0.0]).collect();
    binary.extend(floats(&base));
    let places = binary.len();
    binary.extend([1_u8, 4, 0, 0]);
    let values = binary.len();
    binary.extend(floats(&[1.0, 5.0, 0.0, 4.0, 7.0, -1.0]));
    let indices = binary.len();
    binary.extend([0_u8, 1, 2, 3, 4, 5, 0, 0]);
    let document = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 1] }],
        "extensionsRequired": ["KHR_mesh_quantization"],
        "buffers": [{ "byteLength": binary.len() }],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 72 },
            { "buffer": 0, "byteOffset": places, "byteLength": 2 },
            { "buffer": 0, "byteOffset": values, "byteLength": 24 },
            { "buffer": 0, "byteOffset": indices, "byteLength": 6 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 6, "sparse": {
                "count": 2, "indices": { "bufferView": 1, "componentType": 5121 }, "values": { "bufferView": 2 },
            } },
            { "bufferView": 3, "componentType": 5121, "type": "SCALAR", "count": 6 },
            // Zeros, but for the same two.
            { "componentType": 5126, "type": "VEC3", "count": 6, "sparse": {
                "count": 2, "indices": { "bufferView": 1, "componentType": 5121 }, "values": { "bufferView": 2 },
            } },
        ],
        "meshes": [
            { "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "mode": 5 }] },
            { "primitives": [{ "attributes": { "POSITION": 2 }, "indices": 1, "mode": 6 }] },
            { "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] },
        ],
        "nodes": [
            { "mesh": 0 },
            { "children": [3], "scale": [2.0, 2.0, 2.0], "translation": [0.0, 0.0, 1.0] },
            { "mesh": 2 },
            { "mesh": 1, "translation": [0.0, 1.0, 0.0] },
        ],
    });
    (document, binary)
}

#[test]
fn sparse_accessors_strips_fans_and_nodes_in_nodes_are_read() {
    let (document, binary) = sparse();
    let mesh = parse_glb(&pack(&document, &binary)).unwrap().rest();
    // The strip has four triangles, the fan four; the third mesh is in no scene.
    assert_eq!((mesh.vertex_count(), mesh.face_count()), (12, 8));
    for (k, expected) in
        [[0.0, 0.0, 0.0], [1.0, 5.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0], [4.0, 7.0, -1.0]].iter().enumerate()
    {
        assert_eq!(mesh.positions[k], DVec3::from_array(*expected));
        let moved = if k == 1 || k == 4 { DVec3::from_array(*expected) } else { DVec3::ZERO };
        assert_eq!(mesh.positions[6 + k], 2.0 * (moved + DVec3::Y) + DVec3::Z);
    }
    let strip: Vec<[u32; 3]> = mesh.triangles[..4].iter().map(|t| t.map(|v| v.0)).collect();
    assert_eq!(strip, [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]);
    assert_eq!(mesh.triangles[7].map(|v| v.0), [6, 10, 11]);
}

#[test]
fn sparse_accessors_that_do_not_fit_are_refused() {
    let (document, binary) = sparse();
    let refused = |key: &str, value: Value| {
        let mut broken = document.clone();
        broken["accessors"][0]["sparse"][key] = value;
        parse_glb(&pack(&broken, &binary)).unwrap_err().to_string()
    };
    assert!(refused("count", json!(7)).contains("replaces more numbers"));
    assert!(refused("indices", json!({ "bufferView": 2, "componentType": 5125 })).contains("does not have"));
    assert!(refused("indices", json!({ "bufferView": 1, "componentType": 5126 })).contains("unknown places"));
    assert!(refused("values", json!({ "bufferView": 9 })).contains("missing"));
    let mut huge = document.clone();
    huge["accessors"][2]["count"] = json!(4_000_000_000_u64);
    assert!(parse_glb(&pack(&huge, &binary)).unwrap_err().to_string().contains("no bytes"));
}

#[test]
fn compressed_files_are_refused_by_the_name_of_the_compression() {
    let (document, binary) = sparse();
    for (name, told) in [("KHR_draco_mesh_compression", "Draco"), ("EXT_meshopt_compression", "meshopt")] {
        let mut packed = document.clone();
        packed["extensionsRequired"] = json!([name]);
        let error = parse_glb(&pack(&packed, &binary)).unwrap_err().to_string();
        assert!(error.contains(told) && error.contains("switch compression off"), "{error}");
    }
    let mut view = document.clone();
    view["bufferViews"][0]["extensions"] = json!({ "EXT_meshopt_compression": {} });
    assert!(parse_glb(&pack(&view, &binary)).unwrap_err().to_string().contains("meshopt"));
    let mut primitive = document;
    primitive["meshes"][0]["primitives"][0] =
        json!({ "extensions": { "KHR_draco_mesh_compression": {} }, "attributes": {} });
    assert!(parse_glb(&pack(&primitive, &binary)).unwrap_err().to_string().contains("Draco"));
}
