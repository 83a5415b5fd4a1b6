//! The GLB writer, read back by hand after the glTF 2.0 specification: container, accessor ranges, bounds, and the
//! animation played at every key.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use toile_files::glb::{GlbInterpolation, GlbNormals, GlbObject, GlbScene};
use toile_mesh::{DVec3, TriMesh};

/// A GLB file taken apart.
struct Glb {
    json: Value,
    binary: Vec<u8>,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

impl Glb {
    fn open(file: &[u8]) -> Self {
        assert_eq!((&file[..4], u32_at(file, 4), u32_at(file, 8) as usize), (&b"glTF"[..], 2, file.len()));
        let json_end = 20 + u32_at(file, 12) as usize;
        assert_eq!((&file[16..20], json_end % 4), (&b"JSON"[..], 0));
        let binary_end = json_end + 8 + u32_at(file, json_end) as usize;
        assert_eq!((&file[json_end + 4..json_end + 8], binary_end), (&b"BIN\0"[..], file.len()));
        let json = serde_json::from_slice(&file[20..json_end]).unwrap();
        Self { json, binary: file[json_end + 8..].to_vec() }
    }

    fn number(value: &Value) -> usize {
        usize::try_from(value.as_u64().unwrap()).unwrap()
    }

    fn width(accessor: &Value) -> usize {
        match accessor["type"].as_str().unwrap() {
            "VEC3" => 3,
            "VEC2" => 2,
            _ => 1,
        }
    }

    /// The four-byte components of an accessor, with all rules on offsets and counts checked.
    fn components(&self, index: &Value) -> Vec<[u8; 4]> {
        let accessor = &self.json["accessors"][Self::number(index)];
        let view = &self.json["bufferViews"][Self::number(&accessor["bufferView"])];
        let (start, length) = (Self::number(&view["byteOffset"]), Self::number(&view["byteLength"]));
        let width = Self::width(accessor);
        assert_eq!((start % 4, length), (0, 4 * width * Self::number(&accessor["count"])));
        self.binary[start..start + length].chunks(4).map(|c| c.try_into().unwrap()).collect()
    }

    fn floats(&self, index: &Value) -> Vec<f32> {
        let accessor = &self.json["accessors"][Self::number(index)];
        assert_eq!(accessor["componentType"], 5126);
        let values: Vec<f32> = self.components(index).into_iter().map(f32::from_le_bytes).collect();
        let width = Self::width(accessor);
        for (key, pick) in [("min", f32::min as fn(f32, f32) -> f32), ("max", f32::max)] {
            for (i, bound) in accessor[key].as_array().into_iter().flatten().enumerate() {
                let expected = values.iter().skip(i).step_by(width).copied().reduce(pick).unwrap();
                assert_eq!(bound.as_f64().unwrap() as f32, expected, "{key} of accessor {index}");
            }
        }
        values
    }

    fn has_bounds(&self, index: &Value) -> bool {
        let accessor = &self.json["accessors"][Self::number(index)];
        accessor["min"].is_array() && accessor["max"].is_array()
    }

    fn primitive(&self, mesh: usize) -> &Value {
        &self.json["meshes"][mesh]["primitives"][0]
    }

    /// The cloth with these weights: base plus weighted displacements of `attribute`.
    fn morphed(&self, attribute: &str, weights: &[f32]) -> Vec<f32> {
        let primitive = self.primitive(0);
        let mut values = self.floats(&primitive["attributes"][attribute]);
        let targets = primitive["targets"].as_array().unwrap();
        assert_eq!(targets.len(), weights.len());
        for (target, weight) in targets.iter().zip(weights) {
            for (value, d) in values.iter_mut().zip(self.floats(&target[attribute])) {
                *value += weight * d;
            }
        }
        values
    }
}

fn strip() -> TriMesh {
    let positions = (0..8).map(|i| DVec3::new(f64::from(i / 2) * 0.3, 1.0, f64::from(i % 2) * 0.2));
    TriMesh::from_indices(positions.collect(), &[[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5], [4, 5, 6], [6, 5, 7]])
}

fn frame(mesh: &TriMesh, k: usize) -> TriMesh {
    mesh.clone().map_positions(|p| p + DVec3::new(0.0, -0.01 * (k * k) as f64, 0.1 * (k as f64 + 7.0 * p.x).sin()))
}

const FRAMES: usize = 5;

fn example(normals: GlbNormals) -> GlbObject {
    let mesh = strip();
    let mut object = GlbObject::new("strip", &mesh, normals).unwrap();
    for k in 0..FRAMES {
        object.push_frame(&frame(&mesh, k).positions).unwrap();
    }
    object
}

fn written(fps: f64, interpolation: GlbInterpolation, objects: Vec<GlbObject>) -> Glb {
    let mut scene = GlbScene::new(fps, interpolation).unwrap();
    for object in objects {
        scene.add(object);
    }
    Glb::open(&scene.to_bytes().unwrap())
}

#[test]
fn every_key_shows_its_frame() {
    let file = written(30.0, GlbInterpolation::Linear, vec![example(GlbNormals::PerFrame)]);
    let sampler = &file.json["animations"][0]["samplers"][0];
    assert_eq!(sampler["interpolation"], "LINEAR");
    assert!(file.has_bounds(&sampler["input"]));
    let times = file.floats(&sampler["input"]);
    assert_eq!(times, (0..FRAMES).map(|k| (k as f64 / 30.0) as f32).collect::<Vec<_>>());
    let weights = file.floats(&sampler["output"]);
    assert_eq!(weights.len(), FRAMES * FRAMES);
    for k in 0..FRAMES {
        let expected = frame(&strip(), k);
        let weights = &weights[k * FRAMES..(k + 1) * FRAMES];
        for (attribute, expected) in [("POSITION", &expected.positions), ("NORMAL", &expected.vertex_normals())] {
            let shown = file.morphed(attribute, weights);
            for (a, b) in shown.iter().zip(expected.iter().flat_map(DVec3::to_array)) {
                assert!((f64::from(*a) - b).abs() < 2e-7, "{attribute} of frame {k}: {a} for {b}");
            }
        }
    }
}

#[test]
fn indices_targets_and_names_fit_together() {
    let file = written(30.0, GlbInterpolation::Step, vec![example(GlbNormals::Base)]);
    assert_eq!(file.json["asset"]["version"], "2.0");
    let primitive = file.primitive(0);
    let indices: Vec<u32> = file.components(&primitive["indices"]).into_iter().map(u32::from_le_bytes).collect();
    assert_eq!(indices, strip().triangles.iter().flatten().map(|v| v.0).collect::<Vec<_>>());
    assert_eq!(file.json["meshes"][0]["extras"]["targetNames"][4], "frame_0005");
    assert_eq!(file.json["meshes"][0]["weights"].as_array().unwrap().len(), FRAMES);
    assert_eq!(file.json["animations"][0]["samplers"][0]["interpolation"], "STEP");
    let channel = &file.json["animations"][0]["channels"][0];
    assert_eq!((&channel["target"]["node"], &channel["target"]["path"]), (&Value::from(0), &Value::from("weights")));
    for target in primitive["targets"].as_array().unwrap() {
        assert!(file.has_bounds(&target["POSITION"]) && target.get("NORMAL").is_none());
    }
    assert!(file.has_bounds(&primitive["attributes"]["POSITION"]));
    assert_eq!(file.json["buffers"][0]["byteLength"], file.binary.len());
}

#[test]
fn buffer_views_cover_the_buffer_without_gap_or_overlap() {
    let mut animation = example(GlbNormals::PerFrame);
    animation.set_strain(&[0.0; 8]).unwrap();
    animation.set_attribute("_GAP", &[0.0; 8]).unwrap();
    animation.set_uv(&vec![[[0.5; 2], [0.25, 0.5], [1.0; 2]]; strip().face_count()]).unwrap();
    let floor = GlbObject::new("floor", &strip(), GlbNormals::Base).unwrap();
    let file = written(30.0, GlbInterpolation::Step, vec![animation, floor]);
    let mut end = 0;
    for view in file.json["bufferViews"].as_array().unwrap() {
        assert_eq!(Glb::number(&view["byteOffset"]), end);
        end += Glb::number(&view["byteLength"]);
    }
    assert_eq!(end, file.binary.len());
    for index in 0..file.json["accessors"].as_array().unwrap().len() {
        file.components(&index.into());
    }
}

#[test]
fn colours_strain_and_obstacles_are_there() {
    let mut animation = example(GlbNormals::Base);
    let strain: Vec<f32> = (0..8).map(|i| 0.01 * i as f32).collect();
    let colors: Vec<[f32; 3]> = (0..8).map(|i| [i as f32 / 8.0, 0.5, 0.0]).collect();
    animation.set_strain(&[9.0; 8]).unwrap();
    animation.set_strain(&strain).unwrap();
    animation.set_colors(&colors).unwrap();
    let gap: Vec<f32> = (0..8).map(|i| 1.0 - 0.1 * i as f32).collect();
    animation.set_attribute("_GAP", &gap).unwrap();
    // The fourth vertex is in no triangle and has no normal of its own.
    let floor = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::Z, DVec3::X, DVec3::ONE], &[[0, 1, 2]]);
    let mut floor = GlbObject::new("floor", &floor, GlbNormals::Base).unwrap();
    floor.set_material("wood", [0.25, 0.5, 1.0]).unwrap();
    let file = written(30.0, GlbInterpolation::Step, vec![animation, floor]);
    let cloth = &file.primitive(0)["attributes"];
    assert_eq!(file.floats(&cloth["_STRAIN"]), strain);
    assert_eq!(file.floats(&cloth["COLOR_0"]), colors.concat());
    assert_eq!(file.floats(&cloth["_GAP"]), gap);
    let obstacle = file.primitive(1);
    assert_eq!(file.floats(&obstacle["attributes"]["POSITION"])[3..6], [0.0, 0.0, 1.0]);
    assert_eq!(file.floats(&obstacle["attributes"]["NORMAL"]), [0.0, 1.0, 0.0].repeat(4));
    let material = |mesh: usize| {
        let index = Glb::number(&file.primitive(mesh)["material"]);
        file.json["materials"][index]["pbrMetallicRoughness"]["baseColorFactor"].clone()
    };
    assert_eq!(
        (material(0), material(1)),
        (serde_json::json!([1.0, 1.0, 1.0, 1.0]), serde_json::json!([0.25, 0.5, 1.0, 1.0]))
    );
    assert_eq!(
        (&file.json["nodes"][1]["name"], &file.json["nodes"][1]["mesh"]),
        (&Value::from("floor"), &Value::from(1))
    );
    assert_eq!(file.json["scenes"][0]["nodes"], serde_json::json!([0, 1]));
}

/// Two triangles with a common edge, on different parts of a texture: the vertices of the edge are written twice.
#[test]
fn a_vertex_has_as_many_copies_as_places_on_the_texture() {
    let x = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.5)];
    let mesh = TriMesh::from_indices(x.clone(), &[[0, 1, 2], [1, 3, 2]]);
    let (a, b) = ([[0.0, 0.0], [0.25, 0.0], [0.0, 0.25]], [[0.5, 0.0], [0.75, 0.25], [0.0, 0.25]]);
    let mut animation = GlbObject::new("cloth", &mesh, GlbNormals::PerFrame).unwrap();
    animation.set_uv(&[a, b]).unwrap();
    animation.set_strain(&[0.0, 1.0, 2.0, 3.0]).unwrap();
    animation.push_frame(&x.iter().map(|p| *p * 2.0).collect::<Vec<_>>()).unwrap();
    animation.push_frame(&x).unwrap();
    let file = written(10.0, GlbInterpolation::Linear, vec![animation]);
    let primitive = file.primitive(0);
    let attributes = &primitive["attributes"];
    // Vertex 1 has two places, vertex 2 the same one twice.
    assert_eq!(file.floats(&attributes["_STRAIN"]), [0.0, 1.0, 1.0, 2.0, 3.0]);
    let (uv, normals) = (file.floats(&attributes["TEXCOORD_0"]), file.floats(&attributes["NORMAL"]));
    let indices: Vec<usize> =
        file.components(&primitive["indices"]).iter().map(|c| u32::from_le_bytes(*c) as usize).collect();
    for (corner, place) in indices.iter().zip(a.iter().chain(&b)) {
        assert_eq!(uv[2 * corner..2 * corner + 2], place[..]);
    }
    let corner = |k: usize| file.floats(&attributes["_STRAIN"])[indices[k]];
    assert_eq!([0, 1, 2, 3, 4, 5].map(corner), [0.0, 1.0, 2.0, 1.0, 3.0, 2.0]);
    assert_eq!(normals[3..6], normals[6..9]);
    let target = &primitive["targets"][0];
    let (moved, base) = (file.floats(&target["POSITION"]), file.floats(&attributes["POSITION"]));
    assert_eq!(moved, base);
    assert_eq!(file.floats(&target["NORMAL"]).len(), normals.len());
}
