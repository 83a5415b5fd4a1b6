//! Bodies in scenes: mannequins that stand and move, scans, recorded meshes, and cloth on them.

mod common;

use toile::World;
use toile_mesh::{DVec3, Moves};
use toile_scene::BuildError;

fn world(text: &str) -> World {
    common::scene(text).world().unwrap_or_else(|e| panic!("{e}"))
}

const FLOOR: &str = "[[obstacle]]\nname = 'floor'\nshape = { kind = 'plane' }\n";

#[test]
fn a_cloth_on_a_walker_is_carried_along_and_crosses_nothing() {
    let text = format!(
        "[time]\nduration = 3.0\nframe_rate = 30\n[[cloth]]\nposition = [0.0, 1.74, 0.0]\nareal_density = 0.15\n\
         shape = {{ kind = 'grid', size = [1.1, 1.1], vertices = [24, 24] }}\n\
         [[body]]\nname = 'walker'\nmannequin = 'woman-38'\ntriangles = 3000\nmotion = 'walk'\nfriction = 0.8\n{FLOOR}"
    );
    let mut world = world(&text);
    let mean = |x: &[DVec3]| x.iter().sum::<DVec3>() / x.len() as f64;
    let start = mean(&world.state().x);
    for _ in 0..60 {
        let report = world.advance();
        let verdict = world.judge();
        assert!(verdict.is_clean() && report.non_finite == 0, "{verdict:?} after {report:?}");
    }
    // The walker has gone about a metre and a half.
    let gone = mean(&world.state().x).z - start.z;
    assert!(gone > 0.5, "the cloth has gone {gone} m");
}

#[test]
fn a_body_without_a_motion_is_at_rest_and_one_with_a_motion_is_posed_exactly() {
    let text = "[[cloth]]\nposition = [0, 3, 0]\n[[body]]\nname = 'still'\ntriangles = 3000\nposition = [3, 0.5, 0]\n\
                heading_deg = 90\n[[body]]\nmannequin = 'man-50'\ntriangles = 3000\nmotion = 'squat'\nblend_in = 0.0\n";
    let scene = common::scene(text);
    let world = scene.world().unwrap();
    let [still, squatting] = world.mesh_obstacles() else { panic!("two bodies") };
    assert_eq!((still.moves(), squatting.moves()), (Moves::Never, Moves::Freely));
    assert_eq!((still.name.as_str(), squatting.name.as_str()), ("still", "body-2"));
    // It stands at its place, and looks along +x: the toes reach farther than the heels.
    let bounds = still.mesh_at(0.0).bounds();
    assert!((bounds.min.y - 0.5).abs() < 1e-9 && (bounds.max.x - 3.0) > (3.0 - bounds.min.x));
    let squat = toile_scene::Performer::new(&scene.body[1], "squat").unwrap();
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    for t in [0.0, 0.4137, 1.9] {
        squat.performance.positions(t, &mut expected);
        squatting.place(t, &mut found);
        let apart = expected.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{apart} m at {t} s");
    }
}

/// A walker knows its bones and the fourteen segments of a body, left and right alike.
#[test]
fn a_mannequin_that_moves_has_a_skin_with_fourteen_segments() {
    let text = "[[cloth]]\nposition = [0, 3, 0]\n[[body]]\ntriangles = 3000\nmotion = 'walk'\n";
    let world = common::scene(text).world().unwrap();
    let [walker] = world.mesh_obstacles() else { panic!("one body") };
    let skin = walker.deformation.as_ref().unwrap().skin().unwrap();
    assert!(skin.fits(walker.mesh.vertex_count()));
    assert_eq!(skin.segments.len(), 14);
    let start = walker.mesh_at(0.0);
    let middle = |name: &str| {
        let number = skin.segments.iter().position(|segment| segment == name).unwrap() as u32;
        let own: Vec<DVec3> =
            (start.positions.iter().zip(&skin.segment)).filter(|(_, s)| **s == number).map(|(p, _)| *p).collect();
        own.iter().sum::<DVec3>() / own.len() as f64
    };
    for [upper, lower] in
        [["head", "torso"], ["torso", "left thigh"], ["left thigh", "left shank"], ["left shank", "left foot"]]
    {
        assert!(middle(upper).y > middle(lower).y + 0.1, "{upper} is above {lower}");
    }
    for part in ["upper arm", "forearm", "hand", "thigh", "shank", "foot"] {
        let [left, right] = ["left", "right"].map(|side| middle(&format!("{side} {part}")));
        assert!((left.x + right.x).abs() < 0.01 && (left.x - right.x).abs() > 0.1, "{part}: {left} {right}");
    }
}

/// A hold that is fastened to a box on its way and turning goes with it as a rigid body.
#[test]
fn what_is_fastened_to_a_mesh_moves_with_it() {
    let text = "[time]\nduration = 1.0\n[[cloth]]\nposition = [0, 0.3, 0]\nshape = { kind = 'grid', size = [0.2, 0.2], \
                vertices = [5, 5] }\nhold = [{ vertices = [0, 4], fastened_to = 'carrier' }]\n\
                [[obstacle]]\nname = 'carrier'\ntriangulate = true\nshape = { kind = 'box', size = [0.4, 0.2, 0.4] }\n\
                velocity = [0.5, 0, 0]\nspin = 0.25\n";
    let mut world = world(text);
    let start = [0, 4].map(|i| world.state().x[i]);
    (0..30).for_each(|_| _ = world.advance());
    let t = world.time();
    let turn = toile_mesh::DQuat::from_rotation_y(std::f64::consts::TAU * 0.25 * t);
    for (i, start) in [0, 4].into_iter().zip(start) {
        let expected = turn * start + DVec3::X * (0.5 * t);
        assert!(world.state().x[i].distance(expected) < 1e-12, "{} {expected}", world.state().x[i]);
    }
}

#[test]
fn scans_are_stood_up_and_recorded_meshes_move() {
    let folder = tempfile::tempdir().unwrap();
    let body = toile_scene::Performer::new(&toile_scene::Body { triangles: Some(3000), ..Default::default() }, "body")
        .unwrap();
    let mesh = body.performance.start();
    // A scan in millimetres, z up.
    let scan = mesh.clone().map_positions(|p| 1000.0 * DVec3::new(p.x, -p.z, p.y));
    toile_files::obj::save_obj(&folder.path().join("scan.obj"), &scan).unwrap();
    for (k, rise) in [0.0, 0.5].into_iter().enumerate() {
        let frame = mesh.clone().map_positions(|p| p + DVec3::Y * rise);
        std::fs::create_dir_all(folder.path().join("frames")).unwrap();
        toile_files::obj::save_obj(&folder.path().join(format!("frames/{k}.obj")), &frame).unwrap();
    }
    toile_files::obj::save_obj(&folder.path().join("body.obj"), &mesh).unwrap();
    let text = "[[cloth]]\nposition = [0, 4, 0]\n[[body]]\nfile = 'scan.obj'\n[[body]]\nfile = 'body.obj'\n\
                motion = 'frames/'\nrate = 2.0\nposition = [3, 0, 0]\n";
    std::fs::write(folder.path().join("scene.toml"), text).unwrap();
    let scene = toile_scene::Scene::load(folder.path().join("scene.toml")).unwrap();
    let world = scene.world().unwrap();
    let [scan, recorded] = world.mesh_obstacles() else { panic!("two bodies") };
    let (found, expected) = (scan.mesh_at(0.0).bounds(), mesh.bounds());
    assert!((found.size() - expected.size()).length() < 1e-6, "{found:?} {expected:?}");
    let rise = recorded.mesh_at(0.25).bounds().min.y - recorded.mesh_at(0.0).bounds().min.y;
    assert!((rise - 0.25).abs() < 1e-6, "{rise}");
}

#[test]
fn bodies_that_cannot_be_made_are_refused_by_name_with_a_remedy() {
    let refused = |text: &str| match common::scene(&format!("[[cloth]]\n[[body]]\nname = 'eve'\n{text}")).world() {
        Err(error @ BuildError::Body { .. }) => error.to_string(),
        other => panic!("{text}: {:?}", other.map(|_| ())),
    };
    for (text, told) in [
        ("mannequin = 'nowhere.toml'", "nowhere.toml"),
        ("file = 'nowhere.obj'", "nowhere.obj"),
        ("motion = 'nowhere.bvh'", "nowhere.bvh"),
        ("motion = 'dance.mp4'", "BVH"),
    ] {
        let message = refused(text);
        assert!(message.contains("eve") && message.contains(told) && message.contains("; "), "{message}");
    }
}
