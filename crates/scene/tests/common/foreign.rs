//! Files as other programs write them, made of our own mannequins.

use std::fmt::Write;

use serde_json::{Value, json};
use toile_body::{Body, Joint, Posture};
use toile_mesh::{DQuat, DVec3, TriMesh};

/// A GLB file under construction.
#[derive(Default)]
pub(crate) struct Glb {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    pub(crate) nodes: Vec<Value>,
    skins: Vec<Value>,
    animations: Vec<Value>,
    roots: Vec<usize>,
}

fn floats(values: impl IntoIterator<Item = f64>) -> Vec<u8> {
    values.into_iter().flat_map(|x| (x as f32).to_le_bytes()).collect()
}

fn indices(mesh: &TriMesh) -> Vec<u8> {
    mesh.triangles.iter().flatten().flat_map(|v| v.0.to_le_bytes()).collect()
}

impl Glb {
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len() }));
        self.binary.extend(bytes);
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.accessors.push(json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }));
        self.accessors.len() - 1
    }

    fn positions(&mut self, positions: &[DVec3]) -> usize {
        self.accessor(&floats(positions.iter().flat_map(DVec3::to_array)), 5126, "VEC3", positions.len())
    }

    /// Positions as zeros that a sparse accessor replaces, but for the vertices at zero.
    fn sparse(&mut self, positions: &[DVec3]) -> usize {
        let places: Vec<u32> = (0..positions.len() as u32).collect();
        let indices = self.view(&places.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
        let values = self.view(&floats(positions.iter().flat_map(DVec3::to_array)));
        self.accessors.push(json!({
            "componentType": 5126, "type": "VEC3", "count": positions.len(), "sparse": {
                "count": positions.len(),
                "indices": { "bufferView": indices, "componentType": 5125 },
                "values": { "bufferView": values },
            },
        }));
        self.accessors.len() - 1
    }

    fn mesh(&mut self, mesh: &TriMesh, position: usize, more: &[(&str, usize)]) -> usize {
        let index = self.accessor(&indices(mesh), 5125, "SCALAR", 3 * mesh.face_count());
        let mut attributes = json!({ "POSITION": position });
        for (name, accessor) in more {
            attributes[name] = json!(accessor);
        }
        self.meshes.push(json!({ "primitives": [{ "attributes": attributes, "indices": index }] }));
        self.meshes.len() - 1
    }

    /// Adds a mesh in a node of the scene.
    pub(crate) fn add(&mut self, mesh: &TriMesh, is_sparse: bool, mut node: Value) -> &mut Self {
        let position = if is_sparse { self.sparse(&mesh.positions) } else { self.positions(&mesh.positions) };
        node["mesh"] = json!(self.mesh(mesh, position, &[]));
        self.roots.push(self.nodes.len());
        self.nodes.push(node);
        self
    }

    /// Adds a body with its skin in a scaled armature, and an animation through postures at a rate [1/s].
    pub(crate) fn add_rigged(&mut self, body: &Body, scale: f64, rate: f64, postures: &[Posture]) -> &mut Self {
        let count = body.mesh.vertex_count();
        let position = self.positions(&body.mesh.positions);
        let joints: Vec<u8> = body.skin.weights.iter().flatten().map(|(joint, _)| *joint as u8).collect();
        let joints = self.accessor(&joints, 5121, "VEC4", count);
        let weights = floats(body.skin.weights.iter().flatten().map(|(_, weight)| *weight));
        let weights = self.accessor(&weights, 5126, "VEC4", count);
        let mesh = self.mesh(&body.mesh, position, &[("JOINTS_0", joints), ("WEIGHTS_0", weights)]);
        let bind = |p: DVec3| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -p.x, -p.y, -p.z, 1.0];
        let binds = floats(body.skeleton.positions.iter().flat_map(|p| bind(*p)));
        let binds = self.accessor(&binds, 5126, "MAT4", Joint::COUNT);
        let first = self.nodes.len() + 2;
        self.roots.extend([first - 2, first - 1]);
        self.nodes.push(json!({ "mesh": mesh, "skin": self.skins.len() }));
        self.nodes.push(json!({ "name": "Armature", "children": [first], "scale": [scale, scale, scale] }));
        self.skins
            .push(json!({ "joints": (first..first + Joint::COUNT).collect::<Vec<_>>(), "inverseBindMatrices": binds }));
        for joint in Joint::ALL {
            let is_root = joint.parent() == joint;
            let parent = if is_root { DVec3::ZERO } else { body.skeleton.position(joint.parent()) };
            let offset = body.skeleton.position(joint) - parent;
            let children = Joint::ALL.into_iter().filter(|child| child.parent() == joint && *child != joint);
            let children: Vec<usize> = children.map(|child| first + child as usize).collect();
            let mut node = json!({ "name": joint.to_string(), "translation": offset.to_array() });
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            self.nodes.push(node);
        }
        if !postures.is_empty() {
            self.animate(body, first, rate, postures);
        }
        self
    }

    fn animate(&mut self, body: &Body, first: usize, rate: f64, postures: &[Posture]) {
        let times =
            self.accessor(&floats((0..postures.len()).map(|k| k as f64 / rate)), 5126, "SCALAR", postures.len());
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for joint in Joint::ALL {
            let turns = floats(postures.iter().flat_map(|p| p.turn(joint).to_array()));
            let turns = self.accessor(&turns, 5126, "VEC4", postures.len());
            let node = first + joint as usize;
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": "rotation" } }));
            samplers.push(json!({ "input": times, "output": turns }));
        }
        let root = body.skeleton.position(Joint::Pelvis);
        let places = floats(postures.iter().flat_map(|p| (root + p.shift).to_array()));
        let places = self.accessor(&places, 5126, "VEC3", postures.len());
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": first, "path": "translation" } }));
        samplers.push(json!({ "input": times, "output": places }));
        self.animations.push(json!({ "samplers": samplers, "channels": channels }));
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut document = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": self.roots }],
            "buffers": [{ "byteLength": self.binary.len() }], "bufferViews": self.views, "accessors": self.accessors,
            "meshes": self.meshes, "nodes": self.nodes,
        });
        if !self.skins.is_empty() {
            document["skins"] = json!(self.skins);
        }
        if !self.animations.is_empty() {
            document["animations"] = json!(self.animations);
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let word = |n: usize| (n as u32).to_le_bytes();
        let total = 28 + text.len() + self.binary.len();
        let mut file = [b"glTF".as_slice(), &word(2), &word(total), &word(text.len()), b"JSON", &text].concat();
        file.extend([&word(self.binary.len()), b"BIN\0".as_slice(), &self.binary].concat());
        file
    }
}

fn listed<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("*{} {{\na: {}\n}}", words.len(), words.join(","))
}

/// A mesh as FBX text, in a node that turns it about x [°] and scales it.
pub(crate) fn fbx(mesh: &TriMesh, turn_deg: f64, scale: f64) -> String {
    let mut text = fbx_head(mesh);
    write!(
        text,
        "Model: 2, \"Model::body\", \"Mesh\" {{\nProperties70: {{\nP: \"Lcl Rotation\", \"\", \"\", \"A\",{turn_deg},0,0\n\
         P: \"Lcl Scaling\", \"\", \"\", \"A\",{scale},{scale},{scale}\n}}\n}}\n}}\n\
         Connections: {{\nC: \"OO\",2,0\nC: \"OO\",1,2\n}}\n"
    )
    .unwrap();
    text
}

fn fbx_head(mesh: &TriMesh) -> String {
    let vertices = listed(mesh.positions.iter().flat_map(DVec3::to_array));
    let corners =
        listed(mesh.triangles.iter().flat_map(|[a, b, c]| [i64::from(a.0), i64::from(b.0), -i64::from(c.0) - 1]));
    format!(
        "; FBX 7.4.0 project file\nFBXHeaderExtension: {{\nFBXVersion: 7400\n}}\nObjects: {{\n\
         Geometry: 1, \"Geometry::\", \"Mesh\" {{\nVertices: {vertices}\nPolygonVertexIndex: {corners}\n}}\n"
    )
}

/// A rigged body as FBX text in centimetres, whose left elbow bends by an angle about x in one second [°].
pub(crate) fn fbx_rigged(body: &Body, elbow_deg: f64) -> String {
    const SECOND: i64 = 46_186_158_000;
    let cm = body.mesh.clone().map_positions(|p| 100.0 * p);
    let mut text = fbx_head(&cm);
    let mut connections = String::from("C: \"OO\",2,0\nC: \"OO\",1,2\nC: \"OO\",3,1\n");
    text += "Model: 2, \"Model::body\", \"Mesh\" {\n}\nDeformer: 3, \"Deformer::\", \"Skin\" {\nVersion: 101\n}\n";
    for joint in Joint::ALL {
        let (node, cluster) = (100 + joint as usize, 200 + joint as usize);
        let is_root = joint.parent() == joint;
        let place = 100.0 * body.skeleton.position(joint);
        let offset = if is_root { place } else { place - 100.0 * body.skeleton.position(joint.parent()) };
        write!(
            text,
            "Model: {node}, \"Model::{joint}\", \"LimbNode\" {{\nProperties70: {{\n\
             P: \"Lcl Translation\", \"\", \"\", \"A\",{},{},{}\n}}\n}}\n",
            offset.x, offset.y, offset.z
        )
        .unwrap();
        let own = body.skin.weights.iter().enumerate().flat_map(|(v, weights)| weights.iter().map(move |w| (v, *w)));
        let own: Vec<(usize, f64)> =
            own.filter(|(_, (j, w))| *j == joint && *w > 0.0).map(|(v, (_, w))| (v, w)).collect();
        let matrix = |sign: f64| {
            format!("*16 {{\na: 1,0,0,0,0,1,0,0,0,0,1,0,{},{},{},1\n}}", sign * place.x, sign * place.y, sign * place.z)
        };
        write!(
            text,
            "Deformer: {cluster}, \"SubDeformer::\", \"Cluster\" {{\nVersion: 100\nIndexes: {}\nWeights: {}\n\
             Transform: {}\nTransformLink: {}\n}}\n",
            listed(own.iter().map(|(v, _)| v)),
            listed(own.iter().map(|(_, w)| w)),
            matrix(-1.0),
            matrix(1.0)
        )
        .unwrap();
        let parent = if is_root { 0 } else { 100 + joint.parent() as usize };
        write!(connections, "C: \"OO\",{node},{parent}\nC: \"OO\",{cluster},3\nC: \"OO\",{node},{cluster}\n").unwrap();
    }
    write!(
        text,
        "AnimationStack: 8, \"AnimStack::bend\", \"\" {{\nProperties70: {{\nP: \"LocalStop\", \"KTime\", \"Time\", \"\",{SECOND}\n}}\n}}\n\
         AnimationLayer: 9, \"AnimLayer::base\", \"\" {{\n}}\n\
         AnimationCurveNode: 10, \"AnimCurveNode::R\", \"\" {{\nProperties70: {{\nP: \"d|X\", \"Number\", \"\", \"A\",0\n}}\n}}\n\
         AnimationCurve: 11, \"AnimCurve::\", \"\" {{\nDefault: 0\nKeyVer: 4009\nKeyTime: *2 {{\na: 0,{SECOND}\n}}\n\
         KeyValueFloat: *2 {{\na: 0,{elbow_deg}\n}}\nKeyAttrFlags: *1 {{\na: 4\n}}\nKeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\n\
         KeyAttrRefCount: *1 {{\na: 2\n}}\n}}\n}}\n"
    )
    .unwrap();
    let elbow = 100 + Joint::LeftElbow as usize;
    format!(
        "{text}Connections: {{\n{connections}C: \"OO\",9,8\nC: \"OO\",10,9\nC: \"OP\",10,{elbow}, \"Lcl Rotation\"\n\
         C: \"OP\",11,10, \"d|X\"\n}}\n"
    )
}

/// Binary STL, whose triangles share no vertices.
pub(crate) fn stl(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((mesh.face_count() as u32).to_le_bytes());
    for f in mesh.faces() {
        bytes.extend([0; 12]);
        bytes.extend(floats(mesh.corners(f).iter().flat_map(DVec3::to_array)));
        bytes.extend([0; 2]);
    }
    bytes
}

/// A turn about the vertical of a file with z up, in its unit.
pub(crate) fn z_up(mesh: &TriMesh, turn_deg: f64, unit: f64) -> TriMesh {
    let turn = DQuat::from_rotation_z(turn_deg.to_radians());
    mesh.clone().map_positions(|p| turn * DVec3::new(p.x, -p.z, p.y) / unit)
}
