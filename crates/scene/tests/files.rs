//! The files of a run and the mesh files of a scene, by the library alone.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toile_files::obj::save_obj;
use toile_mesh::{DVec3, generate};
use toile_scene::{BuildError, ClothShape, Run, RunError, RunReader, Scene};

fn grid(side: u32) -> Scene {
    common::scene(&format!("[[cloth]]\nshape = {{ kind = \"grid\", vertices = [{side}, {side}] }}"))
}

/// Every file under `folder` with its bytes.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(tree(&path));
        } else {
            files.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    files
}

#[test]
fn a_run_records_what_it_simulates() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new/run");
    let mut scene = grid(5);
    scene.output.judge_every = 2;
    let mut run = Run::create(&scene, &folder).unwrap();
    let mut world = scene.world().unwrap();
    for frame in 1..=3_usize {
        let logged = run.advance().unwrap().clone();
        let _ = world.advance();
        assert_eq!((logged.report.frame as usize, logged.verdict.is_some()), (frame, frame == 2));
        let rounded: Vec<DVec3> = world.state().x.iter().map(|p| p.as_vec3().as_dvec3()).collect();
        assert_eq!(run.positions(frame).unwrap(), rounded);
    }
    assert_eq!(run.world().hash(), world.hash());
    let reader = RunReader::open(&folder).unwrap();
    assert_eq!((reader.log(), reader.frame_count()), (run.log(), 4));
    assert_eq!(reader.scene(), &scene);
    assert_eq!(reader.positions(3).unwrap(), run.positions(3).unwrap());
    let error = reader.positions(4).unwrap_err().to_string();
    assert!(error.contains("no frame 4") && error.contains("frames 0 to 3"), "{error}");
}

#[test]
fn an_earlier_run_is_overwritten_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = grid(6);
    scene.output.checkpoint_every = 1;
    let mut run = Run::create(&scene, folder.path()).unwrap();
    for _ in 0..4 {
        run.advance().unwrap();
    }
    std::fs::write(folder.path().join("report.json"), "{}").unwrap();
    std::fs::create_dir(folder.path().join("obj")).unwrap();
    std::fs::write(folder.path().join("obj/frame_0001.obj"), "v 0 0 0").unwrap();
    drop(run);
    drop(Run::create(&grid(4), folder.path()).unwrap());
    let fresh = tempfile::tempdir().unwrap();
    drop(Run::create(&grid(4), fresh.path()).unwrap());
    let relative = |folder: &Path| -> BTreeMap<PathBuf, Vec<u8>> {
        tree(folder).into_iter().map(|(path, bytes)| (path.strip_prefix(folder).unwrap().to_owned(), bytes)).collect()
    };
    assert_eq!(relative(folder.path()), relative(fresh.path()));
    assert!(folder.path().join("checkpoint").is_dir());
}

#[test]
fn a_folder_with_anything_else_is_refused_and_left_alone() {
    let write = |path: PathBuf| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "precious").unwrap();
    };
    // A scene with pictures of its own is not a run, although both have `scene.toml` and `frames`.
    for files in [
        &["letter.txt"][..],
        &["scene.toml"],
        &["frames/log.jsonl"],
        &["checkpoint/frame_000001.toile"],
        &["scene.toml", "frames/0001.png"],
        &["scene.toml", "frames/log.jsonl", "frames/raw/log.jsonl"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            write(folder.path().join(file));
        }
        let before = tree(folder.path());
        let error = Run::create(&grid(4), folder.path()).unwrap_err();
        assert!(matches!(error, RunError::Occupied { .. }), "{error}");
        assert!(error.to_string().contains(&folder.path().display().to_string()), "{error}");
        assert_eq!(tree(folder.path()), before, "{files:?}");
    }
}

#[test]
fn a_file_in_the_place_of_the_folder_is_refused_by_name() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("run");
    std::fs::write(&file, "precious").unwrap();
    let error = Run::create(&grid(4), &file).unwrap_err().to_string();
    assert!(error.contains(&file.display().to_string()), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn a_run_cut_off_while_it_was_created_or_cleared_can_be_overwritten() {
    // What is there after each step of creating a run, and after each file that overwriting removes.
    for files in [
        &["frames/"][..],
        &["frames/", "checkpoint/"],
        &["frames/", "checkpoint/", ".scene.toml.4711-0.tmp"],
        &["frames/", "checkpoint/", "scene.toml"],
        &["frames/", "scene.toml", "frames/positions.f32", "report.json"],
        &["frames/", "scene.toml", "frames/log.jsonl", "frames/.log.jsonl.4711-3.tmp"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            if file.ends_with('/') { std::fs::create_dir(path).unwrap() } else { std::fs::write(path, "").unwrap() }
        }
        let mut run = Run::create(&grid(4), folder.path()).unwrap_or_else(|e| panic!("{files:?}: {e}"));
        run.advance().unwrap();
        assert_eq!(RunReader::open(folder.path()).unwrap().frame_count(), 2);
        assert_eq!(tree(folder.path()).len(), 3, "{files:?}");
    }
}

#[test]
fn a_scene_that_cannot_be_built_leaves_the_earlier_run_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(Run::create(&grid(4), folder.path()).unwrap());
    let before = tree(folder.path());
    let missing = common::scene("[[cloth]]\nshape = { kind = \"file\", path = \"missing.obj\" }");
    assert!(matches!(Run::create(&missing, folder.path()).unwrap_err(), RunError::Build(BuildError::File { .. })));
    assert_eq!(tree(folder.path()), before);
}

/// Writes `scene.toml` that takes its cloth from `meshes/sheet.obj`, scaled from centimetres.
fn write_scene(folder: &Path) -> PathBuf {
    std::fs::create_dir_all(folder.join("meshes")).unwrap();
    let file = folder.join("sheet.toml");
    let shape = "{ kind = \"file\", path = \"meshes/sheet.obj\", scale = 0.01 }";
    let output = "[output]\ncheckpoint_every = 1";
    std::fs::write(&file, format!("[[cloth]]\nname = \"sheet\"\nshape = {shape}\n{output}\n")).unwrap();
    file
}

/// The flat mesh that the tests write [cm].
fn save_sheet(folder: &Path) {
    let sheet = generate::grid([50.0, 40.0], [6, 5], generate::Diagonals::Same);
    save_obj(&folder.join("meshes/sheet.obj"), &sheet).unwrap();
}

#[test]
fn a_mesh_file_is_found_beside_the_scene_and_scaled() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::load(write_scene(folder.path())).unwrap();
    save_sheet(folder.path());
    let world = scene.world().unwrap();
    let expected = generate::grid([0.5, 0.4], [6, 5], generate::Diagonals::Same);
    assert_eq!(world.triangles(), &expected.triangles[..]);
    for (x, p) in world.state().x.iter().zip(&expected.positions) {
        assert!(x.distance(*p + DVec3::Y) < 1e-6, "{x} is not {p} at its place one metre up");
    }
    let mass: f64 = world.model().mass.iter().sum();
    assert!((mass - 0.2 * 0.5 * 0.4).abs() < 1e-6, "{mass}");
}

#[test]
fn the_scene_of_a_run_names_its_mesh_wherever_the_run_lies() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::load(write_scene(folder.path())).unwrap();
    save_sheet(folder.path());
    let run_folder = folder.path().join("deep/down/run");
    Run::create(&scene, &run_folder).unwrap().advance().unwrap();
    let mut run = Run::resume(&run_folder).unwrap();
    run.advance().unwrap();
    assert_eq!(run.world().model().particle_count(), 30);
    let ClothShape::File(file) = &run.scene().cloth[0].shape else { panic!("not a file any more") };
    assert!(Path::new(&file.path).is_absolute(), "{}", file.path);
}

#[test]
fn a_run_whose_mesh_file_has_changed_is_not_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::load(write_scene(folder.path())).unwrap();
    save_sheet(folder.path());
    let run_folder = folder.path().join("run");
    Run::create(&scene, &run_folder).unwrap().advance().unwrap();
    // As many vertices, another shape.
    let other = generate::grid([50.0, 41.0], [6, 5], generate::Diagonals::Same);
    save_obj(&folder.path().join("meshes/sheet.obj"), &other).unwrap();
    let error = Run::resume(&run_folder).unwrap_err().to_string();
    assert!(error.contains("another scene"), "{error}");
    // As many vertices at the same places, joined in another way.
    let other = generate::grid([50.0, 40.0], [6, 5], generate::Diagonals::Alternating);
    save_obj(&folder.path().join("meshes/sheet.obj"), &other).unwrap();
    let error = Run::resume(&run_folder).unwrap_err().to_string();
    assert!(error.contains("another scene"), "{error}");
    save_sheet(folder.path());
    assert_eq!(Run::resume(&run_folder).unwrap().world().frame(), 1);
}

#[test]
fn a_missing_or_unreadable_mesh_file_is_named_with_its_cloth() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::load(write_scene(folder.path())).unwrap();
    let path = folder.path().join("meshes/sheet.obj");
    let refusal = || scene.world().unwrap_err().to_string();
    let error = refusal();
    assert!(error.contains("cloth \"sheet\"") && error.contains(&path.display().to_string()), "{error}");
    std::fs::write(&path, "v 0 0 0\nv 1 0\n").unwrap();
    let error = refusal();
    assert!(error.contains("sheet.obj") && error.contains('2'), "{error}");
}

#[test]
fn a_mesh_that_cannot_be_cloth_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::load(write_scene(folder.path())).unwrap();
    // Three sheets meet at one edge.
    let book = "v 0 0 0\nv 0 0 1\nv 1 0 0\nv 0 1 0\nv -1 0 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n";
    std::fs::write(folder.path().join("meshes/sheet.obj"), book).unwrap();
    let error = scene.world().unwrap_err();
    assert!(matches!(error, BuildError::Mesh { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("cloth \"sheet\"") && text.contains("sheet.obj cannot be used:\n"), "{text}");
    assert!(text.contains("edge"), "{text}");
}

#[test]
fn holds_on_a_mesh_file_are_checked_when_the_mesh_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::load(write_scene(folder.path())).unwrap();
    save_sheet(folder.path());
    scene.cloth[0].hold.push(toile_scene::Hold { vertices: vec![3, 30], ..Default::default() });
    let error = scene.world().unwrap_err().to_string();
    assert_eq!(error, "cloth \"sheet\": hold 1 names vertex 30, but the cloth has vertices 0 to 29");
    scene.cloth[0].hold[0] = toile_scene::Hold { near: Some([0.25, 1.5, 0.2]), radius: 0.1, ..Default::default() };
    let error = scene.world().unwrap_err().to_string();
    assert!(error.contains("hold 1 finds no vertex within 0.1 m") && error.contains("0.5000 m away"), "{error}");
}
