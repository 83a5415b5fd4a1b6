//! What other programs get: results read back by other code and compared with what was simulated.

#[path = "../../../files/tests/common/usda.rs"]
mod usda;

use std::path::Path;

use serde_json::Value;
use toile_files::glb::read_glb;
use toile_files::obj::save_obj;
use toile_files::pc2::Pc2Reader;
use toile_mesh::{DVec3, TriMesh};
use toile_scene::{Performer, RunReader};

use crate::helper::toile;
use usda::{Usda, samples};

/// Cloth over a turning box, a walking body, a flying ball, and a floor that waves.
const SCENE: &str = r#"
name = "things"
[time]
duration = 0.2
frame_rate = 20
[output]
usda = true
[[cloth]]
name = "table cloth"
fabric = "linen"
position = [0, 0.6, 0]
shape = { kind = "grid", size = [0.6, 0.6], vertices = [7, 7] }
[[cloth]]
name = "napkin"
position = [1, 0.6, 0]
shape = { kind = "disc", radius = 0.2, rings = 3 }
[[obstacle]]
name = "box"
position = [0, 0.3, 0]
spin = 0.7
spin_axis = [0.3, 1, 0]
shape = { kind = "box", size = [0.3, 0.3, 0.2] }
[[obstacle]]
name = "ball"
position = [2, 0.5, 0]
velocity = [1, 0, 0.5]
[[obstacle]]
name = "sea"
position = [0, -0.5, 0]
shape = { kind = "wave", cells = 4 }
[[obstacle]]
name = "post"
position = [-2, 0.5, 0]
shape = { kind = "capsule", radius = 0.1, height = 1 }
[[body]]
mannequin = "woman-38"
triangles = 3000
motion = "walk"
blend_in = 0
position = [0, 0, 3]
heading_deg = 90
"#;

const FPS: f64 = 20.0;
const LOOKED_AT: [usize; 3] = [0, 2, 4];
/// Where things may be off [m].
const LIMIT: f64 = 1e-5;
/// Names and whether they move, in the order of the files.
const THINGS: [(&str, bool); 7] = [
    ("table cloth", true),
    ("napkin", true),
    ("box", true),
    ("ball", true),
    ("sea", true),
    ("post", false),
    ("body-1", true),
];

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(p, q)| p.distance(*q)).fold(0.0, f64::max)
}

/// Where everything was simulated, by thing.
fn simulated(run: &RunReader, frame: usize) -> Vec<Vec<DVec3>> {
    let x = run.positions(frame).unwrap();
    let t = frame as f64 / FPS;
    let mut all: Vec<Vec<DVec3>> = run.world().model().cloths.iter().map(|range| x[range.clone()].to_vec()).collect();
    all.extend((0..4_usize).map(|i| run.world().obstacle_mesh_at(i.into(), t).positions));
    // The body by its own motion, not by that of the obstacle.
    let described = &run.scene().body[0];
    let performer = Performer::new(described, "body").unwrap();
    let mut body = Vec::new();
    performer.performance.positions(t, &mut body);
    let turn = toile_mesh::DQuat::from_rotation_y(described.heading_deg.to_radians());
    all.push(body.into_iter().map(|p| turn * p + DVec3::from(described.position)).collect());
    all
}

fn glb_json(path: &Path) -> Value {
    let file = std::fs::read(path).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&file[20..20 + length]).unwrap()
}

/// Triangles of objects of an OBJ file, over their own vertices, with their names, and texture coordinates of all corners.
fn obj_objects(text: &str) -> Vec<(String, TriMesh, usize)> {
    let mut objects: Vec<(String, TriMesh, usize)> = Vec::new();
    let mut first = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["o", name] => {
                first += objects.last().map_or(0, |(_, mesh, _)| mesh.vertex_count());
                objects.push((name.to_owned(), TriMesh::default(), 0));
            }
            ["v", x, y, z] => {
                let [x, y, z] = [x, y, z].map(|c| c.parse().unwrap());
                objects.last_mut().unwrap().1.positions.push(DVec3::new(x, y, z));
            }
            ["f", a, b, c] => {
                let corner = |word: &str| word.split('/').next().unwrap().parse::<usize>().unwrap() - 1 - first;
                let triangle = [a, b, c].map(|word| toile_mesh::VertexId::from(corner(word)));
                let object = objects.last_mut().unwrap();
                object.1.triangles.push(triangle);
                object.2 += [a, b, c].iter().filter(|word| word.contains('/')).count();
            }
            _ => {}
        }
    }
    objects
}

#[test]
fn glb_usd_and_caches_show_what_was_simulated() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("things.toml"), SCENE).unwrap();
    toile(folder.path(), &["run", "things.toml", "--no-pictures", "-q", "--out", "run"]).good();
    let at = folder.path().join("run");
    let run = RunReader::open(&at).unwrap();
    assert_eq!(run.frame_count(), 5);
    let truth: Vec<Vec<Vec<DVec3>>> = LOOKED_AT.iter().map(|frame| simulated(&run, *frame)).collect();

    // OBJ: names, order and number of vertices, texture coordinates of cloth.
    let objects = obj_objects(&std::fs::read_to_string(at.join("result.obj")).unwrap());
    assert_eq!(objects.len(), THINGS.len());
    for (i, ((name, moves), (found, mesh, places))) in THINGS.iter().zip(&objects).enumerate() {
        assert_eq!(*found, name.replace(' ', "_"));
        assert!(farthest(&mesh.positions, &truth[0][i]) < LIMIT, "{name}");
        assert_eq!(*places, if i < 2 { 3 * mesh.face_count() } else { 0 }, "{name}");
        // PC2: the same vertices, and only for what moves.
        let cache = at.join("pc2").join(format!("{found}.pc2"));
        assert_eq!(cache.exists(), *moves, "{name}");
        if *moves {
            let mut cache = Pc2Reader::open(&cache).unwrap();
            assert_eq!((cache.vertex_count(), cache.frame_count()), (mesh.vertex_count(), 5));
            for (frame, truth) in LOOKED_AT.iter().zip(&truth) {
                let x = cache.frame(*frame).unwrap();
                let x: Vec<DVec3> = x.iter().map(|p| DVec3::from(p.map(f64::from))).collect();
                assert!(farthest(&x, &truth[i]) < LIMIT, "{name}, frame {frame}");
            }
        }
    }

    // USD: points, or poses of points.
    let file = Usda(std::fs::read_to_string(at.join("result.usda")).unwrap());
    for (i, (name, moves)) in THINGS.iter().enumerate() {
        let prim = file.prim("Mesh", &name.replace([' ', '-'], "_"));
        let points = samples(prim, "point3f[] points");
        let corners: Vec<f64> = objects[i].1.triangles.iter().flatten().map(|v| f64::from(v.0)).collect();
        assert_eq!(samples(prim, "int[] faceVertexIndices")[0].1, corners, "{name}");
        for (frame, truth) in LOOKED_AT.iter().zip(&truth) {
            let values = &points[if points.len() > 1 { *frame } else { 0 }].1;
            let mut x: Vec<DVec3> = values.chunks(3).map(DVec3::from_slice).collect();
            if *moves && points.len() == 1 {
                let place = DVec3::from_slice(&samples(prim, "float3 xformOp:translate")[*frame].1);
                let turn = samples(prim, "quatf xformOp:orient")[*frame].1.clone();
                let turn = toile_mesh::DQuat::from_xyzw(turn[1], turn[2], turn[3], turn[0]);
                x = x.into_iter().map(|p| turn * p + place).collect();
            }
            assert!(farthest(&x, &truth[i]) < LIMIT, "{name}, frame {frame}");
        }
        assert_eq!(prim.contains("xformOp"), matches!(*name, "box" | "ball"), "{name}");
    }
    let cloth = file.prim("Mesh", "table_cloth");
    let strain = samples(cloth, "float[] primvars:strain");
    let expected = run.world().particle_strain_at(&run.positions(4).unwrap());
    assert!(strain[4].1.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6) && strain.len() == 5);

    // GLB: the whole scene, and how each thing moves.
    let scene = read_glb(&at.join("result.glb")).unwrap();
    let json = glb_json(&at.join("result.glb"));
    let names: Vec<&str> =
        json["meshes"].as_array().unwrap().iter().map(|mesh| mesh["name"].as_str().unwrap()).collect();
    assert_eq!(names, THINGS.map(|(name, _)| name));
    for (frame, truth) in LOOKED_AT.iter().zip(&truth) {
        // Vertices in the order of nodes; those of cloth in seams would be split, but sheets have none.
        let shown = scene.mesh_at(*frame as f64 / FPS).positions;
        assert!(farthest(&shown, &truth.concat()) < LIMIT, "frame {frame}");
    }
    let materials: Vec<&str> =
        json["materials"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(materials, ["linen", "napkin", "box", "ball", "sea", "post", "skin"]);
    assert_eq!(json["skins"].as_array().unwrap().len(), 1);
    let is_morphed = |i: usize| json["meshes"][i]["primitives"][0].get("targets").is_some();
    assert_eq!([0, 1, 2, 3, 4, 5].map(is_morphed), [true, true, false, false, true, false]);
}

#[test]
fn several_garments_are_one_result_that_can_be_told_of_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("body.toml"), "figure = \"female\"\ntriangles = 3000\n").unwrap();
    let args =
        ["try-on", "--garment", "a-line-skirt", "--garment", "tank-top", "--body", "body.toml", "--spacing", "60mm"];
    let more = ["--most-time", "0", "--no-pictures", "-q", "--out", "worn"];
    toile(at, &[&args[..], &more].concat());
    let json = glb_json(&at.join("worn/result.glb"));
    let names: Vec<&str> =
        json["nodes"].as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a-line-skirt", "tank-top", "body-1"]);
    assert!(json.get("animations").is_none(), "a drape does not move");
    for i in [0, 1] {
        let attributes = &json["meshes"][i]["primitives"][0]["attributes"];
        assert!(attributes.get("TEXCOORD_0").is_some() && attributes.get("_PRESSURE").is_some());
    }
    // Each object is the garment that was written on its own.
    let objects = obj_objects(&std::fs::read_to_string(at.join("worn/result.obj")).unwrap());
    let file = Usda(std::fs::read_to_string(at.join("worn/result.usda")).unwrap());
    for (name, mesh, places) in &objects[..2] {
        let own = toile_files::read_mesh(&at.join("worn").join(name).join("garment.obj")).unwrap();
        assert_eq!((mesh, *places), (&own, 3 * own.face_count()));
        let prim = file.prim("Mesh", &name.replace('-', "_"));
        let x: Vec<DVec3> = samples(prim, "point3f[] points")[0].1.chunks(3).map(DVec3::from_slice).collect();
        assert!(farthest(&x, &own.positions) < LIMIT && prim.contains("primvars:pressure"));
    }
    assert!(!file.0.contains("timeSamples"));
    // Nothing was drawn.
    let pictures = |folder: &Path| {
        let names = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains(".png") || name.contains(".gif")).count()
    };
    assert_eq!(["worn", "worn/tank-top"].map(|name| pictures(&at.join(name))), [0, 0]);
    // Told of and drawn without being put on again.
    let value = toile(at, &["info", "worn", "--json"]).json();
    assert_eq!((&value["try_on"], &value["garments"][1]["name"]), (&"worn".into(), &"tank-top".into()));
    assert_eq!(value["cloths"][0]["vertices"], objects[0].1.vertex_count());
    let run = RunReader::open(&at.join("worn")).unwrap();
    let worn = [objects[0].1.positions.clone(), objects[1].1.positions.clone()].concat();
    assert!(farthest(&run.positions(0).unwrap(), &worn) < 1e-6);
    assert_eq!(toile(at, &["render", "worn", "--size", "160x90"]).good(), "worn.png\n");
    let (size, _, pixels) = crate::render::decode(&at.join("worn.png"));
    assert!(size == [160, 90] && pixels.iter().any(|p| p[0] > p[2].saturating_add(12)), "there is skin");
    assert!(toile(at, &["render", "worn", "-o", "worn.gif"]).bad().contains("does not move"));
    assert!(toile(at, &["run", "--resume", "worn"]).bad().contains("worn/scene.toml"));
}

#[test]
fn results_are_not_written_over_unless_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(
        at.join("my.toml"),
        "name = \"my\"\n[time]\nduration = 0.1\n[[cloth]]\nshape = { kind = \"grid\", vertices = [4, 4] }",
    )
    .unwrap();
    let run = ["run", "my.toml", "--no-pictures"];
    assert!(!toile(at, &run).good().contains("exists"));
    let again = toile(at, &run).good();
    assert!(again.starts_with("runs/my exists; writing to runs/my-2\n") && at.join("runs/my-2/report.json").exists());
    let asked = [&run[..], &["--out", "runs/my"]].concat();
    let before = std::fs::metadata(at.join("runs/my/report.json")).unwrap().modified().unwrap();
    let error = toile(at, &asked).bad();
    assert!(error.contains("runs/my already holds results") && error.contains("--overwrite"), "{error}");
    assert_eq!(std::fs::metadata(at.join("runs/my/report.json")).unwrap().modified().unwrap(), before);
    toile(at, &[&asked[..], &["--overwrite"]].concat()).good();
    assert!(std::fs::metadata(at.join("runs/my/report.json")).unwrap().modified().unwrap() > before);
    // A try-on is refused before it is simulated, and never replaces a run.
    let error = toile(at, &["try-on", "--out", "runs/my"]).bad();
    assert!(error.contains("already holds results"), "{error}");
    let error = toile(at, &["try-on", "--out", "runs/my", "--overwrite"]).bad();
    assert!(error.contains("holds a run") && at.join("runs/my/report.json").exists(), "{error}");
    // Files.
    save_obj(&at.join("ball.obj"), &toile_mesh::generate::icosphere(0.5, 1)).unwrap();
    let draft = ["pattern", "draft", "tank-top", "--size", "M", "-q", "--out", "top.toml"];
    for (args, file) in [
        (&draft[..], "top.toml"),
        (&["detect", "ball.obj", "--within", "1mm", "-q", "--pairs", "near.txt"], "near.txt"),
        (&["render", "ball.obj", "-q", "--size", "32x32", "-o", "ball.png"], "ball.png"),
        (&["check", "ball.obj", "-q", "--repair", "mended.obj"], "mended.obj"),
        (&["body", "pose", "man-50", "-q", "--out", "man.obj"], "man.obj"),
    ] {
        toile(at, args).good();
        let bytes = std::fs::read(at.join(file)).unwrap();
        std::fs::write(at.join(file), "mine").unwrap();
        let error = toile(at, args).bad();
        assert!(error.contains(&format!("{file} exists")) && error.contains("--overwrite"), "{error}");
        assert_eq!(std::fs::read(at.join(file)).unwrap(), b"mine");
        toile(at, &[args, &["--overwrite"]].concat()).good();
        assert_eq!(std::fs::read(at.join(file)).unwrap(), bytes, "{file}");
    }
    // Usual names of files get numbers.
    let render = ["render", "my-ball.obj", "--size", "32x32"];
    std::fs::rename(at.join("ball.obj"), at.join("my-ball.obj")).unwrap();
    assert_eq!(toile(at, &render).good(), "my-ball.png\n");
    assert_eq!(toile(at, &render).good(), "my-ball.png exists; writing to my-ball-2.png\nmy-ball-2.png\n");
}
