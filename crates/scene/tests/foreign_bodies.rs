//! Bodies that other people made: files as their programs write them, made of our own mannequin, stand, are measured, move and wear garments.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/foreign.rs"]
mod foreign;

use std::ops::ControlFlow;
use std::path::Path;

use foreign::{Glb, fbx, fbx_rigged, stl, z_up};
use serde_json::json;
use toile_body::measure::{self, Landmarks};
use toile_body::{
    Blend, Body, Figure, Given, Joint, Kind, Measurement as M, Motion, Pose, Posture, Routine, RoutineSettings,
    Segment, Specification, draft,
};
use toile_files::obj::{obj_bytes, save_obj};
use toile_files::ply::{PlyPrecision, ply_bytes};
use toile_mesh::{DQuat, DVec3, FaceId, TriMesh};
use toile_scene::{LeaveOut, Performer, Scene};

fn mannequin(pose: Pose) -> Body {
    let specification = Specification { triangles: 5_000, pose, ..Specification::new(Figure::Female, Given::NONE) };
    Body::new(draft(&specification).unwrap(), Blend::Linear)
}

fn a_pose() -> Pose {
    Pose::A(Pose::USUAL_ARM_ANGLE)
}

/// A file, the body it was made of, and the girths that it does not show.
struct Animal {
    file: &'static str,
    original: TriMesh,
    but: &'static [M],
}

/// Without the triangles of some segments.
fn without(body: &Body, segments: &[Segment]) -> TriMesh {
    let mut mesh = body.mesh.clone();
    mesh.triangles.retain(|t| !t.iter().any(|v| segments.contains(&body.bones[v.index()].segment())));
    mesh
}

/// Every triangle on its own.
fn split(mesh: &TriMesh) -> TriMesh {
    let mut all = TriMesh::default();
    for f in mesh.faces() {
        all.append(&TriMesh::from_indices(mesh.corners(f).to_vec(), &[[0, 1, 2]]));
    }
    all
}

/// With triangles missing, twice there, turned around, and fins.
fn spoiled(mesh: &TriMesh) -> TriMesh {
    let mut spoiled = mesh.clone();
    for k in (10..mesh.face_count() - 3).step_by(911) {
        let corners = mesh.corners(FaceId(k as u32));
        spoiled.append(&TriMesh::from_indices(corners.to_vec(), &[[0, 1, 2]]));
        spoiled.triangles[k + 1].swap(0, 1);
        let fin = 0.5 * (corners[0] + corners[1]) + DVec3::splat(0.01);
        spoiled.append(&TriMesh::from_indices(vec![corners[0], corners[1], fin], &[[0, 1, 2]]));
    }
    for k in (400..mesh.face_count()).step_by(1777) {
        spoiled.triangles.remove(k);
    }
    spoiled
}

/// Writes all files to a folder.
fn zoo(folder: &Path) -> Vec<Animal> {
    let (a, t, between) = (mannequin(a_pose()), mannequin(Pose::T), mannequin(Pose::A(1.1)));
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    let flip = |mesh: &TriMesh| mesh.clone().map_positions(|p| DVec3::new(-p.x, p.y, -p.z));
    // Millimetres, z up, turned by 37°.
    write("turned.obj", &obj_bytes(&z_up(&a.mesh, 37.0, 1e-3)).unwrap());
    write("t-pose.ply", &ply_bytes(&z_up(&t.mesh, -90.0, 0.01), PlyPrecision::Single, &[]).unwrap());
    write("inches.stl", &stl(&z_up(&a.mesh, 180.0, 0.0254)));
    write("between.stl", &stl(&between.mesh));
    write("backwards.obj", &obj_bytes(&flip(&a.mesh)).unwrap());
    let hands = [Segment::LeftHand, Segment::RightHand];
    write("handless.ply", &ply_bytes(&z_up(&without(&a, &hands), 10.0, 0.1), PlyPrecision::Double, &[]).unwrap());
    let head = without(&a, &[Segment::Head]);
    write("headless.obj", &obj_bytes(&flip(&head).map_positions(|p| 10.0 * p)).unwrap());
    write("flat-shaded.obj", &obj_bytes(&split(&a.mesh)).unwrap());
    write("spoiled.obj", &obj_bytes(&z_up(&spoiled(&a.mesh), 63.0, 1.0)).unwrap());
    write("sparse.glb", &Glb::default().add(&a.mesh, true, json!({})).bytes());
    // Two meshes that share a border, in nodes of their own; the file is in centimetres.
    let is_low = |t: &[toile_mesh::VertexId; 3]| t.iter().all(|v| a.mesh.positions[v.index()].y < 0.95);
    let part = |low: bool| {
        let triangles = a.mesh.triangles.iter().filter(|t| is_low(t) == low).copied().collect();
        TriMesh { positions: a.mesh.positions.clone(), triangles }
    };
    let lifted = part(false).map_positions(|p| 100.0 * (p - DVec3::Y));
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let turned = part(true).map_positions(|p| DVec3::new(p.z, p.y, -p.x));
    let mut parts = Glb::default();
    parts.add(&lifted, false, json!({ "translation": [0.0, 100.0, 0.0] }));
    // Turned by −90° about y, which takes (z, y, −x) back to (x, y, z).
    parts.add(&turned, false, json!({ "scale": [100.0, 100.0, 100.0], "rotation": [0.0, -half, 0.0, half] }));
    write("parts.glb", &parts.bytes());
    write("rigged.glb", &Glb::default().add_rigged(&t, 100.0, 30.0, &raised(&t)).bytes());
    write("body.fbx", fbx(&z_up(&a.mesh, 0.0, 1.0), -90.0, 100.0).as_bytes());
    write("rigged.fbx", fbx_rigged(&a, -80.0).as_bytes());
    let animal = |file: &'static str, body: &Body, but: &'static [M]| Animal { file, original: body.mesh.clone(), but };
    vec![
        animal("turned.obj", &a, &[]),
        animal("t-pose.ply", &t, &[]),
        animal("inches.stl", &a, &[]),
        animal("between.stl", &between, &[]),
        animal("backwards.obj", &a, &[]),
        animal("handless.ply", &a, &[M::Wrist]),
        animal("headless.obj", &a, &[M::Head, M::Neck]),
        animal("flat-shaded.obj", &a, &[]),
        animal("spoiled.obj", &a, &[]),
        animal("sparse.glb", &a, &[]),
        animal("parts.glb", &a, &[]),
        animal("rigged.glb", &t, &[]),
        animal("body.fbx", &a, &[]),
        animal("rigged.fbx", &a, &[]),
    ]
}

/// Both arms lowered by 40° within a second, while the body goes forward, from 2 m beside.
fn raised(body: &Body) -> Vec<Posture> {
    let _ = body;
    (0..=30)
        .map(|k| {
            let angle = f64::from(k) / 30.0 * 40_f64.to_radians();
            let mut posture = Posture { shift: DVec3::new(2.0, 0.0, f64::from(k) / 30.0), ..Posture::REST };
            posture.set(Joint::LeftShoulder, DQuat::from_rotation_z(-angle));
            posture.set(Joint::RightShoulder, DQuat::from_rotation_z(angle));
            posture
        })
        .collect()
}

fn described(folder: &Path, file: &str, motion: &str) -> toile_scene::Body {
    toile_scene::Body {
        file: folder.join(file).display().to_string(),
        motion: motion.to_owned(),
        ..toile_scene::Body::default()
    }
}

fn perform(folder: &Path, file: &str, motion: &str) -> Performer {
    Performer::new(&described(folder, file, motion), file).unwrap_or_else(|e| panic!("{file}: {e}"))
}

#[test]
fn every_body_stands_on_its_feet_in_metres_and_measures_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for Animal { file, original, but } in zoo(folder.path()) {
        let performer = perform(folder.path(), file, "still");
        let mesh = performer.performance.start();
        let report = performer.import.unwrap();
        assert!(!report.to_string().contains("Möbius"));
        let read =
            |mesh: &TriMesh| measure::read(mesh, &Landmarks::find(mesh).unwrap_or_else(|e| panic!("{file}: {e}")));
        let (is, expected) = (read(&mesh), read(&original));
        for m in M::ALL.into_iter().filter(|m| m.kind() == Kind::Girth && !but.contains(m)) {
            assert!((is[m] - expected[m]).abs() < 3e-3, "{file}: {m:?} {:.4} for {:.4}; {report}", is[m], expected[m]);
        }
        assert!((is[M::Inseam] - expected[M::Inseam]).abs() < 2e-3, "{file}: {report}");
        assert!(mesh.bounds().min.y.abs() < 1e-9, "{file}");
        // It looks along +z: toes reach farther forward than heels do back, from the ankles.
        let feet = mesh.positions.iter().filter(|p| p.y < 0.03).map(|p| p.z);
        let (low, high) = feet.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        let ankle = Landmarks::find(&mesh).unwrap().ankle.z;
        assert!(high - ankle > 1.5 * (ankle - low), "{file}: {low} {ankle} {high}; {report}");
    }
}

#[test]
fn every_body_walks_with_its_feet_on_the_floor() {
    let folder = tempfile::tempdir().unwrap();
    for Animal { file, .. } in zoo(folder.path()) {
        let performer = perform(folder.path(), file, "walk");
        let body = performer.performance.body().unwrap();
        for weights in &body.skin.weights {
            assert!((weights.iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-12, "{file}");
        }
        let feet = |ankle: Joint| (0..body.bones.len()).filter(move |v| body.bones[*v] == ankle);
        let mut x = Vec::new();
        let mut farthest: f64 = 0.0;
        for k in 0..30 {
            performer.performance.positions(0.1 * f64::from(k), &mut x);
            let lowest = [Joint::LeftAnkle, Joint::RightAnkle]
                .map(|ankle| feet(ankle).map(|v| x[v].y).fold(f64::INFINITY, f64::min));
            assert!(lowest.iter().all(|y| *y > -0.01), "{file} at {k}: {lowest:?}");
            assert!(lowest.iter().any(|y| *y < 0.01), "{file} at {k}: {lowest:?}");
            farthest = farthest.max(x[0].z);
        }
        assert!(farthest > 2.0, "{file}: {farthest}");
    }
}

/// A body as its skin alone moves it, with creases as they come: a file's own animation is followed to the letter.
fn blended(body: &Body, posture: &Posture) -> Vec<DVec3> {
    body.skin.apply(&body.mesh.positions, &body.skeleton.pose(&posture.turns, posture.shift), body.blend)
}

#[test]
fn a_rigged_file_moves_by_its_own_animation_from_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    zoo(folder.path());
    let glb = perform(folder.path(), "rigged.glb", "own");
    let body = mannequin(Pose::T);
    let mut x = Vec::new();
    // It is dressed in its rest pose.
    glb.performance.positions(0.0, &mut x);
    let shift = x[0] - body.mesh.positions[0];
    let apart = |x: &[DVec3], y: &[DVec3], shift: DVec3| {
        x.iter().zip(y).map(|(p, q)| p.distance(*q + shift)).fold(0.0, f64::max)
    };
    assert!(apart(&x, &body.mesh.positions, shift) < 1e-4 && shift.y.abs() < 1e-4);
    // After the way into it, it is where the animation says, but for the way to its start.
    let end = glb.performance.duration();
    assert!((end - 1.5).abs() < 0.05, "{end}");
    glb.performance.positions(end, &mut x);
    let mut posture = raised(&body)[30];
    posture.shift.x = 0.0;
    let expected = blended(&body, &posture);
    let middle = |x: &[DVec3]| x.iter().sum::<DVec3>() / x.len() as f64;
    let shift = (middle(&x) - middle(&expected)) * DVec3::new(1.0, 0.0, 1.0);
    assert!(apart(&x, &expected, shift) < 1e-3, "{}", apart(&x, &expected, shift));
    assert!((middle(&x).z - middle(&body.mesh.positions).z - 1.0).abs() < 0.1 && middle(&x).x.abs() < 0.05);
    // The same of an FBX file.
    let fbx = perform(folder.path(), "rigged.fbx", "own");
    let body = mannequin(a_pose());
    let mut bent = Posture::REST;
    bent.set(Joint::LeftElbow, DQuat::from_rotation_x(-80_f64.to_radians()));
    fbx.performance.positions(fbx.performance.duration(), &mut x);
    let expected = blended(&body, &bent);
    assert!(apart(&x, &expected, x[0] - expected[0]) < 1e-4, "{}", apart(&x, &expected, x[0] - expected[0]));
}

#[test]
fn what_a_body_cannot_do_is_refused_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    zoo(folder.path());
    let refused = |file: &str, motion: &str| {
        Performer::new(&described(folder.path(), file, motion), file).map(|_| ()).unwrap_err().to_string()
    };
    for (file, motion, told) in [
        ("turned.obj", "own", "hold no animation"),
        ("sparse.glb", "own", "no animation"),
        ("turned.obj", "nowhere.bvh", "nowhere.bvh"),
        ("turned.obj", "dance.mp4", "BVH"),
    ] {
        let message = refused(file, motion);
        assert!(message.contains(told) && message.contains("; "), "{message}");
    }
    let table = toile_mesh::generate::cuboid(DVec3::new(1.2, 1.7, 0.6), 6);
    save_obj(&folder.path().join("table.obj"), &table).unwrap();
    let message = refused("table.obj", "walk");
    assert!(message.contains("table.obj") && message.contains("legs"), "{message}");
}

#[test]
fn hands_can_be_left_out_of_any_body() {
    let folder = tempfile::tempdir().unwrap();
    zoo(folder.path());
    for (file, motion) in [("turned.obj", "walk"), ("turned.obj", "still"), ("rigged.glb", "own")] {
        let whole = perform(folder.path(), file, motion);
        let cut = toile_scene::Body { leave_out: LeaveOut::Hands, ..described(folder.path(), file, motion) };
        let cut = Performer::new(&cut, file).unwrap();
        let (whole, cut) = (whole.performance.start(), cut.performance.start());
        assert!(toile_mesh::Topology::new(&cut).is_closed(), "{file}");
        let width = |mesh: &TriMesh| mesh.bounds().size().x;
        assert!((0.15..0.5).contains(&(width(&whole) - width(&cut))), "{file}: {} {}", width(&whole), width(&cut));
    }
}

/// A garment on a body of the zoo, with vertices 40 mm apart, judged.
fn wears(folder: &Path, file: &str, garment: &str, motion: &str) {
    let text = format!(
        "[time]\nduration = 1.0\nframe_rate = 30\n[solver]\nmodel = 'constraint'\n[contact]\nthreshold = 0.002\n\
         [dressing]\nmost_time = 1.0\n[[body]]\nfile = '{}'\nmotion = '{motion}'\n\
         [[cloth]]\nshape = {{ kind = 'garment', design = '{garment}', distance = 0.04 }}\n",
        folder.join(file).display()
    );
    let scene = Scene::from_toml("worn.toml", &text).unwrap();
    let mut world = scene.build(&mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{file}: {e}")).world;
    assert!(world.judge().is_clean(), "{file} in {garment}: {:?}", world.judge());
    if motion != "still" {
        for _ in 0..30 {
            world.advance();
            assert!(world.judge().is_clean(), "{file} in {garment}, {motion}: {:?}", world.judge());
        }
    }
}

#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_every_body_wears_a_shirt_and_a_skirt() {
    let folder = tempfile::tempdir().unwrap();
    for Animal { file, .. } in zoo(folder.path()) {
        wears(folder.path(), file, "t-shirt", "still");
        wears(folder.path(), file, "a-line-skirt", "still");
    }
}

#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_bodies_move_in_what_they_wear() {
    let folder = tempfile::tempdir().unwrap();
    zoo(folder.path());
    for (file, motion) in [
        ("turned.obj", "walk"),
        ("t-pose.ply", "arm-raise"),
        ("headless.obj", "squat"),
        ("handless.ply", "run"),
        ("body.fbx", "catwalk"),
        ("rigged.glb", "own"),
        ("rigged.fbx", "own"),
    ] {
        wears(folder.path(), file, "t-shirt", motion);
    }
}

#[test]
fn a_body_of_a_file_wears_a_skirt() {
    let folder = tempfile::tempdir().unwrap();
    zoo(folder.path());
    wears(folder.path(), "turned.obj", "a-line-skirt", "still");
}

/// The walk of a mannequin and that of the same mesh with a found rig take the same way.
#[test]
fn a_found_rig_walks_like_the_draft() {
    let folder = tempfile::tempdir().unwrap();
    zoo(folder.path());
    let drafted = mannequin(a_pose());
    let found = perform(folder.path(), "turned.obj", "walk");
    let found = found.performance.body().unwrap();
    let way = |body: &Body| {
        let walk = Motion::routine(Routine::Walk, body, RoutineSettings::default());
        walk.posture(2.0).shift - walk.posture(0.0).shift
    };
    assert!((way(&drafted) - way(found)).length() < 0.05, "{} {}", way(&drafted), way(found));
}
