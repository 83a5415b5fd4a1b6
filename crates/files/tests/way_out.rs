//! Skins, poses and frames in GLB and USD, read back by code that the writers do not share and compared with where things were.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/usda.rs"]
mod usda;

use serde_json::Value;
use toile_files::glb::{GlbInterpolation, GlbJoint, GlbNormals, GlbObject, GlbPose, GlbScene, GlbSkin, parse_glb};
use toile_files::usda::{UsdaMesh, UsdaPose, UsdaWriter};
use toile_mesh::{DQuat, DVec3, TriMesh, generate};
use usda::{Usda, samples};

const FRAMES: usize = 7;
const FPS: f64 = 25.0;
/// Where things may be off [m].
const LIMIT: f64 = 1e-5;

/// A tube along y, whose upper half follows a second joint at its middle.
fn arm() -> (TriMesh, GlbSkin) {
    let tube = generate::tube(0.1, 1.0, [12, 20]);
    let bounds = tube.bounds();
    let height = |p: &DVec3| (p.y - bounds.min.y) / bounds.size().y;
    let upper = |p: &DVec3| ((height(p) - 0.4) / 0.2).clamp(0.0, 1.0);
    let influences = tube.positions.iter().map(|p| {
        let w = upper(p) as f32;
        [(0, 1.0 - w), (1, w), (0, 0.0), (0, 0.0)]
    });
    let joint = |name: &str, parent, y| GlbJoint { name: name.into(), parent, rest: DVec3::new(0.0, y, 0.0) };
    let joints = vec![joint("shoulder", None, bounds.min.y), joint("elbow", Some(0), bounds.centre().y)];
    let influences = influences.collect();
    (tube, GlbSkin { joints, influences })
}

/// How the joints take what is at rest along: the shoulder turns and travels, the elbow bends by up to 120°.
fn motions(skin: &GlbSkin, frame: usize) -> Vec<GlbPose> {
    let s = frame as f64 / (FRAMES - 1) as f64;
    let turn = DQuat::from_rotation_y(1.5 * s) * DQuat::from_rotation_x(0.3 * s);
    let bend = turn * DQuat::from_rotation_z(2.1 * s);
    let about = |rotation: DQuat, rest: DVec3, place: DVec3| GlbPose { rotation, position: place - rotation * rest };
    let shoulder = about(turn, skin.joints[0].rest, skin.joints[0].rest + DVec3::new(s, 0.0, 2.0 * s));
    let elbow = shoulder.rotation * skin.joints[1].rest + shoulder.position;
    vec![shoulder, about(bend, skin.joints[1].rest, elbow)]
}

/// Vertices that follow the mean rotation about the elbow, which keeps sections: not what linear skinning does.
fn rounded(mesh: &TriMesh, skin: &GlbSkin, frame: usize) -> Vec<DVec3> {
    let [shoulder, elbow] = motions(skin, frame)[..] else { panic!("two joints") };
    let joint = elbow.rotation * skin.joints[1].rest + elbow.position;
    let follow = |(p, influences): (&DVec3, &[(u16, f32); 4])| {
        let turn = shoulder.rotation.slerp(elbow.rotation, f64::from(influences[1].1));
        turn * (*p - skin.joints[1].rest) + joint
    };
    mesh.positions.iter().zip(&skin.influences).map(follow).collect()
}

/// Vertices as glTF itself moves them.
fn linear(mesh: &TriMesh, skin: &GlbSkin, frame: usize) -> Vec<DVec3> {
    let motions = motions(skin, frame);
    let follow = |(p, influences): (&DVec3, &[(u16, f32); 4])| {
        let part = |(joint, w): &(u16, f32)| {
            let pose = motions[usize::from(*joint)];
            f64::from(*w) * (pose.rotation * *p + pose.position)
        };
        influences.iter().map(part).sum()
    };
    mesh.positions.iter().zip(&skin.influences).map(follow).collect()
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(p, q)| p.distance(*q)).fold(0.0, f64::max)
}

fn json_of(file: &[u8]) -> Value {
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&file[20..20 + length]).unwrap()
}

fn saved(objects: Vec<GlbObject>) -> Vec<u8> {
    let mut scene = GlbScene::new(FPS, GlbInterpolation::Linear).unwrap();
    for object in objects {
        scene.add(object);
    }
    scene.to_bytes().unwrap()
}

type Frame = fn(&TriMesh, &GlbSkin, usize) -> Vec<DVec3>;

fn skinned(frame: Frame) -> Vec<u8> {
    let (mesh, skin) = arm();
    let mut object = GlbObject::new("arm", &mesh, GlbNormals::Base).unwrap();
    object.set_skin(skin.clone()).unwrap();
    for k in 0..FRAMES {
        object.push_posture(&motions(&skin, k), &frame(&mesh, &skin, k)).unwrap();
    }
    saved(vec![object])
}

#[test]
fn a_skin_that_is_not_linear_is_exact_at_every_frame_by_corrections_near_the_joint() {
    let (mesh, skin) = arm();
    let bytes = skinned(rounded);
    let scene = parse_glb(&bytes).unwrap();
    for k in [0, FRAMES / 2, FRAMES - 1] {
        let shown = scene.mesh_at(k as f64 / FPS).positions;
        assert!(farthest(&shown, &rounded(&mesh, &skin, k)) < LIMIT, "frame {k}");
    }
    let last = rounded(&mesh, &skin, FRAMES - 1);
    assert!(farthest(&last, &linear(&mesh, &skin, FRAMES - 1)) > 0.02, "the corrections have something to do");
    let json = json_of(&bytes);
    // At rest nothing is corrected; later the vertices are that linear skinning puts elsewhere, and no others.
    let targets = json["meshes"][0]["primitives"][0]["targets"].as_array().unwrap();
    assert_eq!(targets.len(), FRAMES - 1);
    let off = last.iter().zip(linear(&mesh, &skin, FRAMES - 1)).map(|(a, b)| a.distance(b));
    let mixed = off.filter(|distance| *distance > 1e-5).count();
    assert!((30..60).contains(&mixed), "{mixed} of {} vertices follow both joints", mesh.vertex_count());
    let accessor = &json["accessors"][targets[FRAMES - 2]["POSITION"].as_u64().unwrap() as usize];
    assert_eq!(
        (accessor["count"].as_u64(), accessor["sparse"]["count"].as_u64()),
        (Some(mesh.vertex_count() as u64), Some(mixed as u64))
    );
    let names: Vec<&str> = json["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["arm-skin", "arm-skeleton", "shoulder", "elbow"]);
    assert_eq!((&json["meshes"][0]["name"], &json["skins"][0]["joints"]), (&"arm".into(), &serde_json::json!([2, 3])));
}

#[test]
fn a_linear_skin_needs_no_corrections() {
    let (mesh, skin) = arm();
    let bytes = skinned(linear);
    assert!(json_of(&bytes)["meshes"][0]["primitives"][0].get("targets").is_none());
    let scene = parse_glb(&bytes).unwrap();
    for k in [0, FRAMES / 2, FRAMES - 1] {
        assert!(farthest(&scene.mesh_at(k as f64 / FPS).positions, &linear(&mesh, &skin, k)) < LIMIT, "frame {k}");
    }
    assert!(bytes.len() < skinned(rounded).len());
}

#[test]
fn bones_half_a_turn_apart_are_refused() {
    let (mesh, skin) = arm();
    let mut object = GlbObject::new("arm", &mesh, GlbNormals::Base).unwrap();
    object.set_skin(skin).unwrap();
    let still = GlbPose { position: DVec3::ZERO, rotation: DQuat::IDENTITY };
    let turned = GlbPose { rotation: DQuat::from_rotation_y(std::f64::consts::PI), ..still };
    let error = object.push_posture(&[still, turned], &mesh.positions).unwrap_err().to_string();
    assert!(error.contains("half a turn"), "{error}");
    assert_eq!(object.frame_count(), 0);
}

fn pose(frame: usize) -> GlbPose {
    let s = frame as f64;
    GlbPose {
        position: DVec3::new(s, 1.0, -0.5 * s),
        rotation: DQuat::from_scaled_axis(DVec3::new(0.4, 1.1, -0.2) * s),
    }
}

fn placed(mesh: &TriMesh, frame: usize) -> Vec<DVec3> {
    let pose = pose(frame);
    mesh.positions.iter().map(|p| pose.rotation * *p + pose.position).collect()
}

fn waved(mesh: &TriMesh, frame: usize) -> Vec<DVec3> {
    mesh.positions.iter().map(|p| *p + DVec3::Y * 0.1 * (3.0 * p.x + frame as f64).sin()).collect()
}

#[test]
fn rigid_things_move_by_their_nodes_and_still_ones_carry_no_animation() {
    let mesh = generate::torus(0.3, 0.1, [9, 6]);
    let mut moving = GlbObject::new("ring", &mesh, GlbNormals::Base).unwrap();
    let mut once = GlbObject::new("once", &mesh, GlbNormals::PerFrame).unwrap();
    once.push_frame(&waved(&mesh, 3)).unwrap();
    for k in 0..FRAMES {
        moving.push_pose(pose(k)).unwrap();
    }
    let still = saved(vec![once.clone()]);
    assert!(json_of(&still).get("animations").is_none());
    assert!(farthest(&parse_glb(&still).unwrap().rest().positions, &waved(&mesh, 3)) < 1e-6);
    let bytes = saved(vec![moving, once]);
    let json = json_of(&bytes);
    let paths: Vec<&str> = json["animations"][0]["channels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|channel| channel["target"]["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["translation", "rotation"]);
    assert!(json["meshes"][0]["primitives"][0].get("targets").is_none());
    let scene = parse_glb(&bytes).unwrap();
    for k in [0, FRAMES / 2, FRAMES - 1] {
        let expected = [placed(&mesh, k), waved(&mesh, 3)].concat();
        assert!(farthest(&scene.mesh_at(k as f64 / FPS).positions, &expected) < LIMIT, "frame {k}");
    }
}

fn points(values: &[f64]) -> Vec<DVec3> {
    values.chunks(3).map(|p| DVec3::new(p[0], p[1], p[2])).collect()
}

#[test]
fn usd_says_points_poses_strain_and_corners_at_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.usda");
    let mesh = generate::torus(0.3, 0.1, [9, 6]);
    let uv: Vec<[[f32; 2]; 3]> =
        (0..mesh.face_count()).map(|t| [0.0, 0.25, 0.5].map(|c| [t as f32 / 200.0, c])).collect();
    let strain =
        |k: usize| -> Vec<f32> { (0..mesh.vertex_count()).map(|v| 1e-3 * v as f32 - 0.01 * k as f32).collect() };
    let described = UsdaMesh {
        name: "t-shirt",
        vertices: mesh.vertex_count(),
        triangles: &mesh.triangles,
        uv: Some(&uv),
        deforms: true,
        material: "jersey knit",
        color: [0.1, 0.2, 0.3],
    };
    let mut writer = UsdaWriter::create(&path, FPS, FRAMES).unwrap();
    writer.begin(&described).unwrap();
    for k in 0..FRAMES {
        writer.push_points(&waved(&mesh, k)).unwrap();
    }
    assert!(writer.push_points(&mesh.positions).is_err(), "all frames are there");
    for k in 0..FRAMES {
        writer.push_values("strain", FRAMES, &strain(k)).unwrap();
    }
    writer.push_values("gap", 1, &strain(0)).unwrap();
    writer.end().unwrap();
    writer.begin(&UsdaMesh { deforms: false, uv: None, material: "skin", ..described }).unwrap();
    writer.push_points(&mesh.positions).unwrap();
    for k in 0..FRAMES {
        let GlbPose { position, rotation } = pose(k);
        writer.push_pose(UsdaPose { position, rotation }).unwrap();
    }
    writer.end().unwrap();
    assert!(!path.exists());
    writer.finish().unwrap();
    let file = Usda(std::fs::read_to_string(&path).unwrap());
    for line in
        ["metersPerUnit = 1", "upAxis = \"Y\"", "timeCodesPerSecond = 25", "startTimeCode = 0", "endTimeCode = 6"]
    {
        assert!(file.0.contains(&format!("    {line}\n")), "{line}");
    }
    assert_eq!(file.0.matches('{').count(), file.0.matches('}').count());
    let cloth = file.prim("Mesh", "t_shirt");
    assert!(cloth.contains("displayName = \"t-shirt\"") && cloth.contains("</toile/materials/jersey_knit>"));
    let found = samples(cloth, "point3f[] points");
    assert_eq!(found.iter().map(|(k, _)| *k).collect::<Vec<_>>(), (0..FRAMES).collect::<Vec<_>>());
    for (k, values) in &found {
        assert!(farthest(&points(values), &waved(&mesh, *k)) < LIMIT, "frame {k}");
    }
    for (k, values) in samples(cloth, "float[] primvars:strain") {
        assert!(values.iter().zip(strain(k)).all(|(a, b)| (*a as f32) == b), "strain of frame {k}");
    }
    assert_eq!(samples(cloth, "float[] primvars:gap")[0].1.len(), mesh.vertex_count());
    assert_eq!(samples(cloth, "int[] faceVertexCounts")[0].1, vec![3.0; mesh.face_count()]);
    let corners: Vec<f64> = mesh.triangles.iter().flatten().map(|v| f64::from(v.0)).collect();
    assert_eq!(samples(cloth, "int[] faceVertexIndices")[0].1, corners);
    let st: Vec<f32> = samples(cloth, "texCoord2f[] primvars:st")[0].1.iter().map(|x| *x as f32).collect();
    assert_eq!(st, uv.as_flattened().as_flattened());
    assert!(cloth.contains("interpolation = \"faceVarying\"") && cloth.contains("interpolation = \"vertex\""));
    // The second object of the same name.
    let ring = file.prim("Mesh", "t_shirt_2");
    let base = points(&samples(ring, "point3f[] points")[0].1);
    let (places, turns) = (samples(ring, "float3 xformOp:translate"), samples(ring, "quatf xformOp:orient"));
    for k in [0, FRAMES / 2, FRAMES - 1] {
        let [w, x, y, z] = turns[k].1[..] else { panic!("four numbers") };
        let turn = DQuat::from_xyzw(x, y, z, w);
        let moved: Vec<DVec3> = base.iter().map(|p| turn * *p + points(&places[k].1)[0]).collect();
        assert!(farthest(&moved, &placed(&mesh, k)) < LIMIT, "frame {k}");
    }
    let material = file.prim("Material", "skin");
    assert!(material.contains("UsdPreviewSurface"), "{material}");
}

#[test]
fn usd_that_is_not_complete_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.usda");
    assert!(UsdaWriter::create(&path, 0.0, 2).is_err() && UsdaWriter::create(&path, 24.0, 0).is_err());
    let mesh = generate::icosphere(1.0, 0);
    let described = UsdaMesh {
        name: "a",
        vertices: mesh.vertex_count(),
        triangles: &mesh.triangles,
        uv: None,
        deforms: true,
        material: "m",
        color: [0.5; 3],
    };
    let mut writer = UsdaWriter::create(&path, 24.0, 2).unwrap();
    assert!(writer.push_points(&mesh.positions).is_err() && writer.end().is_err(), "nothing has begun");
    assert!(writer.begin(&UsdaMesh { color: [2.0; 3], ..described }).is_err());
    writer.begin(&described).unwrap();
    assert!(writer.push_points(&mesh.positions[1..]).is_err());
    writer.push_points(&mesh.positions).unwrap();
    assert!(writer.push_values("strain", 1, &[0.0; 12]).is_err(), "a frame of points is missing");
    assert!(writer.end().is_err() && writer.finish().is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
