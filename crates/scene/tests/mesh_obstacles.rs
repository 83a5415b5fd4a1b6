//! Obstacles that are triangle meshes: never passed through, whether still, moving or deforming.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use std::path::Path;

use toile::{FrameReport, ObstacleId, PhaseTimes, World};
use toile_files::obj::save_obj;
use toile_files::pc2::Pc2Writer;
use toile_mesh::{DVec3, TriMesh, generate};
use toile_scene::Run;

/// A small cloth just above the origin; obstacles follow.
const CLOTH: &str = r#"
    [time]
    frame_rate = 30
    [[cloth]]
    position = [0.0, 0.32, 0.0]
    rotation_deg = [0.0, 20.0, 0.0]
    bend_min = 0.8
    shape = { kind = "grid", size = [0.6, 0.6], vertices = [13, 13] }
"#;

fn world(text: &str) -> World {
    common::scene(text).world().unwrap()
}

/// Simulates, and has every frame judged. Returns the last report.
#[track_caller]
fn advance_clean(world: &mut World, frames: u32) -> FrameReport {
    let mut touched = 0;
    let mut last = FrameReport::default();
    for _ in 0..frames {
        last = world.advance();
        let verdict = world.judge();
        assert!(verdict.is_clean() && world.failure().is_none(), "{verdict:?} after {last:?}");
        assert_eq!((last.meeting, last.non_finite), (0, 0));
        touched += usize::from(last.obstacle_contacts > 0);
    }
    assert!(touched > frames as usize / 4, "the test needs contacts");
    last
}

fn highest(world: &World) -> f64 {
    world.state().x.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max)
}

fn lowest(world: &World) -> f64 {
    world.state().x.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_mesh_of_a_ball_drapes_a_cloth_like_the_ball() {
    let ball = |triangulate: bool| {
        let obstacle = format!(
            "[[obstacle]]\nfriction = 0.6\ntriangulate = {triangulate}\nshape = {{ kind = \"sphere\", radius = 0.3 }}"
        );
        let mut world = world(&format!("{CLOTH}{obstacle}"));
        advance_clean(&mut world, 90);
        world
    };
    let (exact, mesh) = (ball(false), ball(true));
    assert_eq!((exact.mesh_obstacles().len(), mesh.mesh_obstacles().len()), (0, 1));
    // The mesh is inscribed, by at most 0.3 (1 − cos(π/48)) = 0.6 mm, and cloth keeps 3 mm from its edges too.
    assert!((highest(&exact) - highest(&mesh)).abs() < 0.004, "{} {}", highest(&exact), highest(&mesh));
    assert!((lowest(&exact) - lowest(&mesh)).abs() < 0.03, "{} {}", lowest(&exact), lowest(&mesh));
    let apart = exact.state().x.iter().zip(&mesh.state().x).map(|(a, b)| a.distance(*b));
    let mean = apart.sum::<f64>() / exact.state().x.len() as f64;
    assert!(mean < 0.02, "mean distance of the drapes {mean} m");
}

/// The coarse cloth of Mezger 2003, fig. 8: 49 vertices and 72 triangles on a round table.
fn coarse_tablecloth(triangles: bool) -> String {
    format!(
        r#"
        [contact]
        triangles = {triangles}
        guard = {triangles}
        [[cloth]]
        position = [0.0, 0.79, 0.0]
        rotation_deg = [0.0, 20.0, 0.0]
        bend_min = 0.6
        shape = {{ kind = "grid", size = [1.2, 1.2], vertices = [7, 7] }}
        [[obstacle]]
        friction = 0.4
        triangulate = true
        shape = {{ kind = "table", radius = 0.4, thickness = 0.03, height = 0.75 }}
        "#
    )
}

#[test]
fn pairs_of_edges_keep_a_coarse_cloth_out_of_the_rim_of_a_table() {
    let mut world = world(&coarse_tablecloth(true));
    assert_eq!((world.model().particle_count(), world.triangles().len()), (49, 72));
    advance_clean(&mut world, 60);
    assert!(lowest(&world) < 0.7, "the cloth hangs over the rim");
}

#[test]
fn its_vertices_alone_do_not() {
    let mut world = world(&coarse_tablecloth(false));
    let crossing: usize = (0..60).map(|_| (world.advance(), world.judge().obstacles).1).sum();
    assert!(crossing > 0);
}

#[test]
fn a_ring_that_flies_and_turns_into_a_hanging_cloth_stays_clean() {
    let mut world = world(
        r#"
        [[cloth]]
        position = [0.0, 0.4, 0.0]
        rotation_deg = [90.0, 0.0, 0.0]
        bend_min = 0.8
        shape = { kind = "grid", size = [0.6, 0.6], vertices = [13, 13] }
        [[cloth.hold]]
        vertices = [0, 12]
        [[obstacle]]
        position = [0.05, 0.35, 0.3]
        rotation_deg = [20.0, 10.0, 0.0]
        velocity = [0.0, 0.0, -0.6]
        spin = 0.7
        spin_axis = [0.2, 1.0, 0.3]
        until = 0.8
        shape = { kind = "torus", radius = 0.12, tube = 0.03, segments = [20, 8] }
        "#,
    );
    let nearest = |world: &World| world.state().x.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let before = nearest(&world);
    advance_clean(&mut world, 45);
    assert!(nearest(&world) < before - 0.15, "the ring pushes the cloth along: {}", nearest(&world));
}

#[test]
fn a_fast_plate_sweeps_the_cloth_away_without_passing_through() {
    // 3 m/s against a thin open sheet: 10 cm per frame, far more than the threshold of 3 mm.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plate.obj");
    save_obj(&path, &generate::plane([0.8, 0.8], [6, 6])).unwrap();
    let text = format!(
        "{CLOTH}[[obstacle]]\nposition = [0.0, -0.5, 0.0]\nvelocity = [0.0, 3.0, 0.0]\nuntil = 0.5\n\
         shape = {{ kind = \"mesh\", file = {:?} }}",
        path.to_str().unwrap()
    );
    let mut world = world(&text);
    advance_clean(&mut world, 20);
    assert!(lowest(&world) > 0.99, "the cloth is above the plate, not under it: {}", lowest(&world));
}

/// A ball that breathes: radius 0.2 (1 + 0.25 sin(2π t)), 20 keyframes per second.
fn breathing_ball(folder: &Path) -> String {
    let ball = generate::icosphere(0.2, 2);
    save_obj(&folder.join("ball.obj"), &ball).unwrap();
    let mut cache = Pc2Writer::create(&folder.join("breath.pc2"), ball.vertex_count(), 0.0, 1.0).unwrap();
    for k in 0..40 {
        let factor = 1.0 + 0.25 * (std::f64::consts::TAU * f64::from(k) / 20.0).sin();
        cache.push(&ball.positions.iter().map(|p| *p * factor).collect::<Vec<_>>()).unwrap();
    }
    cache.finish().unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    format!(
        "[[obstacle]]\nposition = [0.0, 0.05, 0.0]\nfriction = 0.6\nspin = 0.25\n\
         shape = {{ kind = \"mesh\", file = {:?}, keyframes = [{:?}], keyframe_rate = 20 }}",
        path("ball.obj"),
        path("breath.pc2")
    )
}

#[test]
fn a_breathing_ball_lifts_the_cloth_and_stays_clean() {
    let folder = tempfile::tempdir().unwrap();
    let mut world = world(&format!("{CLOTH}{}", breathing_ball(folder.path())));
    // At 1.25 s the ball is at its largest, at 1.75 s at its smallest.
    advance_clean(&mut world, 37);
    let largest = highest(&world);
    advance_clean(&mut world, 15);
    let smallest = highest(&world);
    assert!(largest > 0.295 && smallest < 0.28, "{largest} {smallest}");
}

#[test]
fn a_cloth_rides_on_a_swaying_sheet() {
    let text = format!(
        "{CLOTH}[[obstacle]]\nposition = [0.0, 0.3, 0.0]\nfriction = 0.5\n\
         shape = {{ kind = \"wave\", size = 0.9, cells = 12, height = 0.06, length = 0.6, frequency = 1.0 }}"
    );
    let mut world = world(&text);
    advance_clean(&mut world, 60);
    assert!(lowest(&world) > 0.2, "nothing fell through: {}", lowest(&world));
}

fn busy(folder: &Path) -> String {
    format!(
        "{CLOTH}{}\n[[obstacle]]\nposition = [0.3, 0.2, 0.1]\nvelocity = [-0.3, 0.1, 0.0]\nspin = 1.0\n\
         shape = {{ kind = \"torus\", radius = 0.1, tube = 0.03, segments = [16, 8] }}\n",
        breathing_ball(folder)
    )
}

/// Hash and reports, but for times, of some frames.
fn trace(text: &str, frames: u32, threads: usize) -> (u64, Vec<FrameReport>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = world(text);
        // Lists may hold pairs that never touch, which depend on how they are searched for.
        let without_times = |report| FrameReport { times: PhaseTimes::default(), near_pairs: 0, ..report };
        let reports = (0..frames).map(|_| without_times(world.advance())).collect();
        (world.hash(), reports)
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let text = busy(folder.path());
    let one = trace(&text, 15, 1);
    assert!(one.1.iter().any(|r| r.obstacle_contacts > 0));
    for threads in [2, 3, 8] {
        assert_eq!(one, trace(&text, 15, threads), "{threads} threads");
    }
}

#[test]
fn however_contacts_are_searched_for_the_bits_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let text = busy(folder.path());
    let expected = trace(&text, 6, 2);
    assert!(expected.1.iter().any(|r| r.obstacle_contacts > 0));
    for tuning in [
        "dop = 6\narity = 2\nleaf_size = 4\ninflation = \"uniform\"",
        "dop = 26\narity = 8\ninflation = \"oriented\"\nupdate = \"on-demand\"",
        "dop = 14\nupdate = \"lazy\"\ncones = false",
        "update = \"lazy\"\nlazy_tolerance = 0.01\nclose_angle_deg = 90",
    ] {
        let tuned = format!("{text}[collision]\n{tuning}\n");
        assert_eq!(expected, trace(&tuned, 6, 2), "{tuning}");
    }
}

#[test]
fn testing_every_pair_gives_the_same_bits() {
    let text = r#"
        [[cloth]]
        position = [0.0, 0.11, 0.0]
        shape = { kind = "grid", size = [0.2, 0.2], vertices = [6, 6] }
        [[obstacle]]
        triangulate = true
        velocity = [0.0, 0.3, 0.1]
        shape = { kind = "box", size = [0.2, 0.2, 0.2] }
        "#;
    let expected = trace(text, 6, 1);
    assert!(expected.1.iter().any(|r| r.obstacle_contacts > 0));
    assert_eq!(expected, trace(&format!("{text}[collision]\ndetector = \"brute-force\""), 6, 1));
}

#[test]
fn a_run_with_meshes_is_resumed_with_the_same_bits_and_seen_by_the_reader() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{}[output]\ncheckpoint_every = 4\n", busy(folder.path()))
        .replace("frame_rate = 30", "frame_rate = 30\n    duration = 0.4");
    let scene = common::scene(&text);
    let mut whole = Run::create(&scene, &folder.path().join("whole")).unwrap();
    while !whole.is_complete() {
        whole.advance().unwrap();
    }
    let interrupted = folder.path().join("interrupted");
    let mut run = Run::create(&scene, &interrupted).unwrap();
    (0..6).for_each(|_| drop(run.advance().unwrap().clone()));
    drop(run);
    let mut resumed = Run::resume(&interrupted).unwrap();
    assert_eq!(resumed.world().frame(), 4);
    while !resumed.is_complete() {
        resumed.advance().unwrap();
    }
    assert_eq!(resumed.world().hash(), whole.world().hash());
    let mesh = resumed.world().obstacle_mesh_at(ObstacleId(0), 0.25);
    let radius = mesh.positions[0].distance(DVec3::new(0.0, 0.05, 0.0));
    assert!((radius - 0.25).abs() < 1e-6, "{radius}");
}

/// Why the world of a scene with this obstacle shape cannot be built.
fn refusal(shape: &str) -> String {
    common::scene(&format!("{CLOTH}[[obstacle]]\nname = \"body\"\nshape = {shape}")).world().unwrap_err().to_string()
}

#[test]
fn bad_files_are_refused_with_file_reason_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let square = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\nf 1 3 4\n";
    write("square.obj", square);
    write("triangle.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 3\n");
    write("nan.obj", "v 0 0 nan\nv 1 0 0\nv 1 0 1\nf 1 2 3\n");
    write("points.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\n");
    write("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    write("far.obj", &square.replace("0 0 0", "0 0 1").replace("v 0", "v 20000000").replace("v 1", "v 20000001"));
    write("cut.pc2", "POINTCACHE2\0\u{1}");
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let mesh = |file: &str| format!("{{ kind = \"mesh\", file = {:?} }}", path(file));
    let keyed =
        |keys: &str| format!("{{ kind = \"mesh\", file = {:?}, keyframes = [{:?}] }}", path("square.obj"), path(keys));
    for (shape, words) in [
        (mesh("missing.obj"), ["missing.obj", "No such file"]),
        (mesh("nan.obj"), ["nan.obj: line 1", "finite"]),
        (mesh("points.obj"), ["points.obj", "no faces"]),
        (mesh("line.obj"), ["line.obj", "no triangles"]),
        (mesh("far.obj"), ["far.obj: vertex 0", "lower `scale`"]),
        (mesh("square.blend"), ["square.blend", "extension"]),
        (keyed("missing.pc2"), ["missing.pc2", "No such file"]),
        (keyed("cut.pc2"), ["cut.pc2", "cut off"]),
        (keyed("triangle.obj"), ["triangle.obj: 3 vertices, but the mesh has 4", "same object"]),
        (keyed("far.obj"), ["far.obj", "lower `scale`"]),
        (keyed("empty"), ["empty: no mesh files", "one per keyframe"]),
    ] {
        let message = refusal(&shape);
        assert!(message.starts_with("obstacle \"body\": "), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

#[test]
fn open_and_non_manifold_meshes_and_folders_of_keyframes_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    std::fs::create_dir(&keys).unwrap();
    // Three sheets that meet in one edge, a triangle that is an edge, and a vertex that nothing uses.
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Y, DVec3::ONE].map(|p| 0.2 * p);
    let fan = TriMesh::from_indices(corners.to_vec(), &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]);
    save_obj(&folder.path().join("fan.obj"), &fan).unwrap();
    let mut text = std::fs::read_to_string(folder.path().join("fan.obj")).unwrap();
    text.push_str("f 1 1 2\n");
    std::fs::write(folder.path().join("fan.obj"), text).unwrap();
    for k in 0..3 {
        let shifted = fan.clone().map_positions(|p| p + DVec3::Y * (0.1 * f64::from(k)));
        save_obj(&keys.join(format!("{k}.obj")), &shifted).unwrap();
    }
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut world = world(&format!(
        "{CLOTH}[[obstacle]]\nposition = [0.0, 0.05, 0.0]\n\
         shape = {{ kind = \"mesh\", file = {:?}, keyframes = [{:?}], keyframe_rate = 10, scale = 0.5 }}",
        path("fan.obj"),
        path("keys")
    ));
    assert_eq!(world.mesh_obstacles()[0].mesh.face_count(), 3);
    let at = |t: f64| world.obstacle_mesh_at(ObstacleId(0), t).positions[0].y;
    assert_eq!([at(0.0), at(0.1), at(5.0)].map(|y| (y * 1000.0).round()), [50.0, 100.0, 150.0]);
    advance_clean(&mut world, 20);
}
