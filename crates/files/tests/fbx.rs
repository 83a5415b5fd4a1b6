//! The FBX reader: polygons, nodes, skins, morph targets and animations of files written by hand as text, against positions known by hand.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;
use toile_files::fbx::parse_fbx;
use toile_files::{read_mesh, read_rigged};
use toile_mesh::DVec3;

/// Ticks of a second.
const SECOND: i64 = 46_186_158_000;

/// A quadrilateral along y on two bones, the upper of which begins at y = 1, turns by 90° about z in one second, and moves by 2 along z.
fn arm() -> String {
    let matrix = |y: f64| format!("1,0,0,0,0,1,0,0,0,0,1,0,0,{y},0,1");
    let cluster = |id: u32, vertices: &str, weights: &str, y: f64| {
        let count = vertices.split(',').count();
        format!(
            "Deformer: {id}, \"SubDeformer::\", \"Cluster\" {{\nVersion: 100\nIndexes: *{count} {{\na: {vertices}\n}}\n\
             Weights: *{count} {{\na: {weights}\n}}\nTransform: *16 {{\na: {}\n}}\nTransformLink: *16 {{\na: {}\n}}\n}}\n",
            matrix(-y),
            matrix(y)
        )
    };
    let curve = |id: u32, from: f64, to: f64| {
        format!(
            "AnimationCurve: {id}, \"AnimCurve::\", \"\" {{\nDefault: {from}\nKeyVer: 4009\nKeyTime: *2 {{\na: 0,{SECOND}\n}}\n\
             KeyValueFloat: *2 {{\na: {from},{to}\n}}\nKeyAttrFlags: *1 {{\na: 4\n}}\nKeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\n\
             KeyAttrRefCount: *1 {{\na: 2\n}}\n}}\n"
        )
    };
    let model = |id: u32, kind: &str, place: &str| {
        format!(
            "Model: {id}, \"Model::{id}\", \"{kind}\" {{\nVersion: 232\nProperties70: {{\n\
             P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",{place}\n}}\n}}\n"
        )
    };
    let mut text = format!(
        "; FBX 7.4.0 project file\nFBXHeaderExtension: {{\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}}\n\
         GlobalSettings: {{\nVersion: 1000\nProperties70: {{\nP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n}}\n}}\n\
         Objects: {{\nGeometry: 1, \"Geometry::\", \"Mesh\" {{\nVertices: *12 {{\na: 0,0,0,1,0,0,1,2,0,0,2,0\n}}\n\
         PolygonVertexIndex: *4 {{\na: 0,1,2,-4\n}}\n}}\n{}{}{}",
        model(2, "Mesh", "0,0,0"),
        model(3, "LimbNode", "0,0,0"),
        model(4, "LimbNode", "0,1,0")
    );
    text += "Deformer: 5, \"Deformer::\", \"Skin\" {\nVersion: 101\n}\n";
    text += &cluster(6, "0,1", "1,1", 0.0);
    text += &cluster(7, "2,3", "1,1", 1.0);
    text += "AnimationStack: 8, \"AnimStack::turn\", \"\" {\nProperties70: {\n";
    write!(text, "P: \"LocalStop\", \"KTime\", \"Time\", \"\",{SECOND}\n}}\n}}\n").unwrap();
    text += "AnimationLayer: 9, \"AnimLayer::base\", \"\" {\n}\n";
    text += "AnimationCurveNode: 10, \"AnimCurveNode::R\", \"\" {\nProperties70: {\nP: \"d|Z\", \"Number\", \"\", \"A\",0\n}\n}\n";
    text += "AnimationCurveNode: 12, \"AnimCurveNode::T\", \"\" {\nProperties70: {\nP: \"d|X\", \"Number\", \"\", \"A\",0\n\
             P: \"d|Y\", \"Number\", \"\", \"A\",1\nP: \"d|Z\", \"Number\", \"\", \"A\",0\n}\n}\n";
    text += &curve(11, 0.0, 90.0);
    text += &curve(13, 0.0, 2.0);
    text += "}\nConnections: {\n";
    for (child, parent) in
        [(2, 0), (3, 0), (4, 3), (1, 2), (5, 1), (6, 5), (7, 5), (3, 6), (4, 7), (9, 8), (10, 9), (12, 9)]
    {
        writeln!(text, "C: \"OO\",{child},{parent}").unwrap();
    }
    text += "C: \"OP\",10,4, \"Lcl Rotation\"\nC: \"OP\",11,10, \"d|Z\"\n";
    text += "C: \"OP\",12,4, \"Lcl Translation\"\nC: \"OP\",13,12, \"d|Z\"\n}\n";
    text
}

#[test]
fn a_skinned_arm_bends_and_goes_as_its_bone_does() {
    let scene = parse_fbx(arm().as_bytes()).unwrap();
    assert_eq!(scene.triangles().len(), 2);
    assert!((scene.duration() - 1.0).abs() < 1e-9);
    let rest = scene.rest().positions;
    assert_eq!(rest[2], DVec3::new(1.0, 2.0, 0.0));
    for t in [0.0, 0.25, 0.5, 1.0, 3.0] {
        let share: f64 = f64::min(t, 1.0);
        let x = scene.mesh_at(t).positions;
        let (sin, cos) = (share * std::f64::consts::FRAC_PI_2).sin_cos();
        let turned =
            |x: f64, y: f64| DVec3::new(cos * x - sin * (y - 1.0), 1.0 + sin * x + cos * (y - 1.0), 2.0 * share);
        assert!((x[0] - DVec3::ZERO).length() < 1e-9 && (x[1] - DVec3::X).length() < 1e-9);
        assert!((x[2] - turned(1.0, 2.0)).length() < 1e-6, "{t}: {}", x[2]);
        assert!((x[3] - turned(0.0, 2.0)).length() < 1e-6, "{t}: {}", x[3]);
    }
}

/// Half of the way from rest is half of the angle, not the middle of two places.
#[test]
fn the_way_from_rest_goes_along_arcs() {
    let scene = parse_fbx(arm().as_bytes()).unwrap();
    let mut x = Vec::new();
    scene.positions_toward(1.0, 0.5, &mut x);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert!((x[3] - DVec3::new(-half, 1.0 + half, 1.0)).length() < 1e-9, "{}", x[3]);
}

#[test]
fn nodes_turn_scale_and_carry_each_other() {
    let text = "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXVersion: 7400\n}\nObjects: {\n\
        Geometry: 1, \"Geometry::\", \"Mesh\" {\nVertices: *9 {\na: 1,0,0,0,1,0,0,0,1\n}\nPolygonVertexIndex: *3 {\na: 0,1,-3\n}\n}\n\
        Model: 2, \"Model::a\", \"Mesh\" {\nProperties70: {\nP: \"Lcl Translation\", \"\", \"\", \"A\",5,0,0\n}\n}\n\
        Model: 3, \"Model::b\", \"Null\" {\nProperties70: {\nP: \"Lcl Rotation\", \"\", \"\", \"A\",0,90,0\n\
        P: \"Lcl Scaling\", \"\", \"\", \"A\",2,2,2\n}\n}\n}\nConnections: {\nC: \"OO\",3,0\nC: \"OO\",2,3\nC: \"OO\",1,2\n}\n";
    let x = parse_fbx(text.as_bytes()).unwrap().rest().positions;
    // About y by 90°: (x, y, z) to (z, y, −x); then twice as large.
    for (found, [px, py, pz]) in x.iter().zip([[6.0, 0.0, 0.0], [5.0, 1.0, 0.0], [5.0, 0.0, 1.0]]) {
        assert!((*found - 2.0 * DVec3::new(pz, py, -px)).length() < 1e-9, "{found}");
    }
}

#[test]
fn what_is_no_fbx_file_is_refused_with_its_cause() {
    let refused = |bytes: &[u8]| parse_fbx(bytes).unwrap_err().to_string();
    assert!(refused(b"solid cube\nvertex 0 0 0\n").contains("FBX"));
    let empty = "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXVersion: 7400\n}\nObjects: {\n}\n";
    assert!(refused(empty.as_bytes()).contains("no polygons"));
    let whole = arm();
    let cut = &whole.as_bytes()[..whole.len() / 3];
    // Text that ends in the middle either lacks its polygons or is no whole file.
    assert!(parse_fbx(cut).is_err() || parse_fbx(cut).unwrap().rest().face_count() > 0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arm.fbx");
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(read_mesh(&path).unwrap().face_count(), 2);
    assert_eq!(read_rigged(&path).unwrap().rest(), read_mesh(&path).unwrap());
    let error = read_rigged(Path::new("scan.obj")).unwrap_err().to_string();
    assert!(error.contains("no skeleton") && error.contains(".glb"), "{error}");
}

proptest! {
    #[test]
    fn damaged_files_are_judged_without_panic(at in 0..4000_usize, byte: u8, cut in 0..5000_usize) {
        let mut file = arm().into_bytes();
        if let Some(slot) = file.get_mut(at) {
            *slot = byte;
        }
        let _ = parse_fbx(&file).map(|scene| scene.mesh_at(0.3));
        let _ = parse_fbx(&file[..cut.min(file.len())]).map(|scene| scene.mesh_at(0.3));
    }

    #[test]
    fn any_bytes_are_judged_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse_fbx(&bytes);
        let _ = parse_fbx(&[b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0".as_slice(), &bytes].concat());
    }
}
