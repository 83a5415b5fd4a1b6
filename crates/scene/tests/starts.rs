//! Starts that intersect: found, named, untangled or refused.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

use std::path::Path;
use toile_scene::{BuildError, Scene};

use toile::{World, WorldError};
use toile_files::obj::save_obj;
use toile_mesh::{DVec3, TriMesh, generate};

fn scene(text: &str) -> Scene {
    Scene::from_toml("start.toml", text).unwrap()
}

/// A world untangled from `text`, judged clean, with held particles in their place.
#[track_caller]
fn untangled(text: &str) -> World {
    let mut scene = scene(text);
    let given = scene.build_as_given().map(|built| built.world).unwrap();
    assert!(!given.judge().is_clean(), "the test needs something to part");
    let Err(refused) = scene.world() else { panic!("intersecting cloth was let through") };
    assert!(matches!(refused, BuildError::World(WorldError::Start { .. })), "{refused}");
    scene.contact.untangle = true;
    let world = scene.world().unwrap_or_else(|e| panic!("{e}"));
    assert!(world.judge().is_clean() && world.findings().is_clean());
    let repair = world.repair().unwrap();
    let ways = || given.state().x.iter().zip(&world.state().x).map(|(a, b)| a.distance(*b));
    assert_eq!(repair.largest_move, ways().fold(0.0, f64::max));
    assert!(repair.found > 0 && repair.largest_stretch <= toile_contact::LARGEST_STRETCH);
    for (way, w) in ways().zip(&given.inverse_mass()) {
        assert!(*w > 0.0 || way == 0.0, "a held particle moved");
    }
    world
}

fn refused(text: &str) -> String {
    let mut scene = scene(text);
    scene.contact.untangle = true;
    let Err(error) = scene.world() else { panic!("the test needs something that cannot be parted") };
    assert!(matches!(error, BuildError::World(WorldError::Tangled { .. })), "{error}");
    error.to_string()
}

const CROSSING: &str = r#"
    [[cloth]]
    name = "level"
    position = [0, 1, 0]
    shape = { kind = "grid", size = [0.6, 0.6], vertices = [13, 13] }
    [[cloth]]
    name = "upright"
    position = [0.013, 1.08, 0.021]
    rotation_deg = [85, 20, 0]
    shape = { kind = "grid", size = [0.3, 0.3], vertices = [8, 8] }
"#;

#[test]
fn a_sheet_pushed_through_another_is_drawn_out_as_it_is() {
    let world = untangled(CROSSING);
    let repair = world.repair().unwrap();
    assert!(repair.largest_stretch < 1.000_001, "{repair:?}");
    // It reaches 0.15 m below its middle and hence 0.07 m below the level sheet.
    assert!(repair.largest_move < 0.12, "{repair:?}");
}

#[test]
fn crossing_cloth_is_refused_by_name_and_with_a_remedy() {
    let error = scene(CROSSING).world().unwrap_err().to_string();
    for words in
        ["triangle ", "cloth \"level\"", "cloth \"upright\"", "near (", "untangle = true", "pairs of triangles"]
    {
        assert!(error.contains(words), "{words} is not in: {error}");
    }
}

#[test]
fn cloth_that_is_not_kept_apart_may_cross() {
    let world = scene(&format!("contact.self_collision = false\n{CROSSING}")).world().unwrap();
    assert!(world.findings().is_clean() && !world.judge().is_clean());
    assert_eq!(world.repair(), None);
}

#[test]
fn a_clean_start_is_left_alone() {
    let text = "contact.untangle = true\n[[cloth]]\nshape = { kind = \"grid\", vertices = [5, 5] }";
    let world = scene(text).world().unwrap();
    assert_eq!(world.repair(), None);
    assert_eq!(world.state().x, scene(text).build_as_given().map(|built| built.world).unwrap().state().x);
}

/// Writes a mesh beside the others of a test and names it in a scene.
fn file(folder: &Path, name: &str, mesh: &TriMesh) -> String {
    let path = folder.join(name);
    save_obj(&path, mesh).unwrap();
    path.display().to_string()
}

/// A sheet whose corner is folded over and has gone through the sheet.
fn dog_eared() -> TriMesh {
    let crease = 0.18;
    generate::grid([0.4, 0.4], [25, 25], generate::Diagonals::Alternating).map_positions(|p| {
        let diagonal = DVec3::new(1.0, 0.0, 1.0).normalize();
        let beyond = p.dot(diagonal) - crease;
        if beyond <= 0.0 {
            return p;
        }
        // Round a fold up and back down through the sheet at 50 degrees.
        let (radius, turn) = (0.012, 230_f64.to_radians());
        let arc = (beyond / radius).min(turn);
        let on_arc = diagonal * (radius * arc.sin()) + DVec3::Y * (radius * (1.0 - arc.cos()));
        let rest = (beyond - radius * turn).max(0.0);
        let straight = (diagonal * turn.cos() + DVec3::Y * turn.sin()) * rest;
        p - diagonal * beyond + on_arc + straight
    })
}

#[test]
fn a_corner_folded_through_its_own_sheet_is_taken_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "ear.obj", &dog_eared());
    let world = untangled(&format!("[[cloth]]\nshape = {{ kind = \"file\", path = {path:?} }}\n"));
    assert!(world.repair().unwrap().largest_move < 0.1, "{:?}", world.repair());
}

/// A tube of cloth, open at both ends, as wide as a body of radius 0.1 m with 1 cm to spare.
fn tube() -> TriMesh {
    let (around, along) = (32_u32, 12_u32);
    let mut mesh = TriMesh::default();
    for j in 0..=along {
        for i in 0..around {
            let angle = f64::from(i) / f64::from(around) * std::f64::consts::TAU;
            mesh.positions.push(DVec3::new(0.11 * angle.cos(), 0.02 * f64::from(j) - 0.12, 0.11 * angle.sin()));
        }
    }
    let at = |i: u32, j: u32| j * around + i % around;
    for j in 0..along {
        for i in 0..around {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend([[a, c, b], [a, d, c]].map(|t| t.map(toile_mesh::VertexId)));
        }
    }
    mesh
}

fn dressed(folder: &Path, triangulate: bool) -> String {
    let path = file(folder, "tube.obj", &tube());
    format!(
        "[[cloth]]\nname = \"shirt\"\nposition = [0.022, 0.5, 0.011]\nshape = {{ kind = \"file\", path = {path:?} }}\n\
         [[obstacle]]\nname = \"body\"\nposition = [0, 0.5, 0]\ntriangulate = {triangulate}\n\
         shape = {{ kind = \"capsule\", radius = 0.1, height = 0.5 }}\n"
    )
}

#[test]
fn a_shirt_that_cuts_into_its_wearer_is_moved_out_and_still_worn() {
    let folder = tempfile::tempdir().unwrap();
    for triangulate in [false, true] {
        let world = untangled(&dressed(folder.path(), triangulate));
        let repair = world.repair().unwrap();
        assert!(repair.largest_move < 0.04 && repair.largest_stretch < 1.1, "{triangulate}: {repair:?}");
        let middle = world.state().x.iter().sum::<DVec3>() / world.state().x.len() as f64;
        assert!(middle.distance(DVec3::new(0.0, 0.5, 0.0)) < 0.03, "{triangulate}: {middle}");
    }
}

#[test]
fn three_layers_end_in_their_order() {
    let cloth = |name: &str, layer: u32, tilt: f64| {
        format!(
            "[[cloth]]\nname = \"{name}\"\nlayer = {layer}\nrotation_deg = [{tilt}, 0, {}]\n\
             shape = {{ kind = \"grid\", size = [0.4, 0.4], vertices = [9, 9] }}\n",
            0.7 * tilt
        )
    };
    let world = untangled(&[cloth("coat", 2, -4.0), cloth("vest", 0, 3.0), cloth("shirt", 1, 5.0)].concat());
    let height = |c: usize| {
        let particles = world.model().cloths[c].clone();
        world.state().x[particles.clone()].iter().map(|p| p.y).sum::<f64>() / particles.len() as f64
    };
    assert!(height(1) < height(2) && height(2) < height(0), "{} {} {}", height(1), height(2), height(0));
}

#[test]
fn what_is_held_inside_an_obstacle_is_refused_by_name() {
    for triangulate in [false, true] {
        let error = refused(&format!(
            "[[cloth]]\nname = \"flag\"\nposition = [0, 0.03, 0]\nshape = {{ kind = \"grid\", size = [0.4, 0.4], vertices = [9, 9] }}\n\
             hold = [{{ vertices = [40] }}]\n[[obstacle]]\nname = \"ball\"\ntriangulate = {triangulate}\n\
             shape = {{ kind = \"sphere\", radius = 0.1 }}"
        ));
        assert!(error.contains("cloth \"flag\"") && error.contains("obstacle \"ball\""), "{error}");
        assert!(triangulate || error.contains("vertex 40 of cloth \"flag\", held,"), "{error}");
    }
}

/// A closed band of cloth round an axis, 4 cm wide.
fn band(radius: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    let around = 24_u32;
    for i in 0..around {
        let angle = f64::from(i) / f64::from(around) * std::f64::consts::TAU;
        for side in [-0.02, 0.02] {
            mesh.positions.push(DVec3::new(radius * angle.cos(), side, radius * angle.sin()));
        }
    }
    for i in 0..around {
        let [a, b] = [2 * i, 2 * ((i + 1) % around)];
        mesh.triangles.extend([[a, a + 1, b], [a + 1, b + 1, b]].map(|t| t.map(toile_mesh::VertexId)));
    }
    mesh
}

#[test]
fn bands_that_hands_hold_through_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "band.obj", &band(0.1));
    let all: Vec<String> = (0..48).map(|v| v.to_string()).collect();
    let cloth = |name: &str, place: &str, turn: u32| {
        format!(
            "[[cloth]]\nname = \"{name}\"\nposition = {place}\nrotation_deg = [{turn}, 0, 0]\n\
             shape = {{ kind = \"file\", path = {path:?} }}\nhold = [{{ vertices = [{}] }}]\n",
            all.join(", ")
        )
    };
    let error = refused(&(cloth("left", "[0, 0, 0]", 0) + &cloth("right", "[0.19, 0, 0]", 30)));
    assert!(error.contains("cloth \"left\"") && error.contains("cloth \"right\""), "{error}");
    assert!(error.contains("could not be untangled"), "{error}");
}

#[test]
fn untangling_gives_the_same_bits_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for text in [CROSSING.to_owned(), dressed(folder.path(), true), dressed(folder.path(), false)] {
        let scene = scene(&format!("contact.untangle = true\n{text}"));
        let hash = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| scene.world().unwrap().hash())
        };
        assert_eq!(hash(1), hash(2));
    }
}

#[test]
fn an_untangled_start_is_recorded_and_runs_on_clean() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = scene(&format!("contact.untangle = true\ntime.duration = 0.1\n{CROSSING}"));
    scene.output.glb = false;
    let mut run = toile_scene::Run::create(&scene, &folder.path().join("run")).unwrap();
    while !run.is_complete() {
        run.advance().unwrap();
    }
    assert!(run.log().iter().all(|f| f.verdict.as_ref().is_some_and(toile::FrameVerdict::is_clean)));
}
