//! Scene files as a whole: what is accepted, what is refused and in which words, and that nothing makes the reader fall.

use std::{fmt::Write, fs, path::PathBuf};

use miette::Diagnostic;
use proptest::prelude::*;
use toile::settings::{AutoLength, Contact, Forces, Method, Solver, Time};
use toile_scene::{
    Animation, BoxShape, Camera, CapsuleShape, Cloth, ClothShape, Color, CylinderShape, DiscShape, FigureShape,
    FileShape, FunnelShape, GridShape, Hold, HoldKey, KnotShape, MeshShape, NeedlesShape, Obstacle, ObstacleKey,
    ObstacleShape, Output, PlaneShape, RibbonShape, Scene, SceneError, SphereShape, TableShape, TorusShape, TubeShape,
    WaveShape, reference,
    schema::{Field, Type},
};

/// Uses every table and nearly every key, in the forms people mix: headers, inline tables, whole numbers for numbers.
const RICH: &str = r##"
name = "curtain and ball"
description = "A held curtain is pushed by a ball."

[time]
duration = 3
frame_rate = 24
substeps = 8

[solver]
method = "chains"
iterations = 10
damping = 1
limit = 1.05
smoothing = 0.001
adaptive = false

[forces]
gravity = [0, -9.81, 0]
wind = [0.5, 0, 1e-1]
gust = 0.3

[contact]
distance = 0.01
friction_law = "coulomb"

[collision]
dop = 26
update = "lazy"
lazy_tolerance = 0.001

[[cloth]]
name = "curtain"
rotation_deg = [90, 0, 0]
color = "#fa0"
pattern = "stripes"
shape = { kind = "grid", size = [1.5, 1], vertices = [0x1F, 21], diagonals = "same" }

[[cloth.hold]]
vertices = [0, 30]

[[cloth.hold]]
near = [0.75, 1.5, 0]
radius = 0.05
until = 2.5
path = [{ time = 0 }, { time = 1, offset = [0, 0, 0.5] }]

[[cloth]]
[cloth.shape]
kind = "ribbon"
segments = [40, 2]

[[obstacle]]
name = "ball"
position = [0, 1, -1]
velocity = [0, 0, 1]
spin = 0.5
until = 2
shape = { kind = "sphere", radius = 0.2 }

[[obstacle]]
shape.kind = "plane"

[[obstacle]]
shape = { kind = "box" }
[[obstacle.path]]
time = 1
[[obstacle.path]]
time = 2
position = [0, 2, 0]
rotation_deg = [0, 180, 0]

[[obstacle]]
triangulate = true
shape = { kind = "cylinder" }

[[obstacle]]
[obstacle.shape]
kind = "mesh"
file = "body.ply"
keyframes = ["walk.pc2"]

[output]
animation = "none"
values = "strain"

[camera]
target = [0, 1, 0]
"##;

fn zoo() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scene_zoo")
}

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::from_toml("scene.toml", text)
}

/// All messages of the bad scenes stand in one text, so that a change of words shows as a difference in review.
/// Run with `TOILE_BLESS=1` to write it anew.
#[test]
fn every_bad_scene_is_refused_in_the_recorded_words() {
    let mut files: Vec<PathBuf> = fs::read_dir(zoo()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    assert!(files.len() >= 25);
    let mut messages = String::new();
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let error = Scene::from_toml(name, &text).expect_err(name);
        for problem in error.problems() {
            let marked = &text[problem.span.offset()..][..problem.span.len()];
            let _ = writeln!(messages, "{problem}\n    at: `{marked}`\n    help: {}", problem.help);
        }
    }
    let record = zoo().join("messages.txt");
    if std::env::var_os("TOILE_BLESS").is_some() {
        fs::write(&record, &messages).unwrap();
    }
    assert_eq!(fs::read_to_string(record).unwrap(), messages);
}

#[test]
fn a_rich_scene_is_read_value_by_value() {
    let scene = parse(RICH).unwrap();
    assert_eq!(scene.time, Time { duration: 3.0, frame_rate: 24.0, substeps: 8 });
    assert_eq!(scene.time.frames(), 72);
    assert_eq!(scene.solver.method, Method::Chains);
    assert_eq!(scene.contact.distance, AutoLength::Metres(0.01));
    assert_eq!(scene.forces.wind, [0.5, 0.0, 0.1]);
    let curtain = &scene.cloth[0];
    assert_eq!(curtain.color, Color([0xff, 0xaa, 0x00]));
    let ClothShape::Grid(grid) = &curtain.shape else { panic!("{:?}", curtain.shape) };
    assert_eq!((grid.size, grid.vertices), ([1.5, 1.0], [31, 21]));
    assert_eq!(curtain.hold[1].path[1], HoldKey { time: 1.0, offset: [0.0, 0.0, 0.5], turns: 0.0 });
    assert_eq!(curtain.hold[0].near, None);
    assert_eq!(scene.cloth_name(1), "cloth-2");
    assert_eq!(scene.obstacle[1].shape, ObstacleShape::Plane(PlaneShape {}));
    assert_eq!(scene.obstacle[2].path[0].position, None);
    assert_eq!((scene.collision.dop, scene.collision.arity), (26, 8));
    assert_eq!(scene.collision.lazy_tolerance, AutoLength::Metres(0.001));
    assert!(scene.obstacle[3].triangulate && !scene.obstacle[2].triangulate);
    let ObstacleShape::Mesh(body) = &scene.obstacle[4].shape else { panic!("{:?}", scene.obstacle[4].shape) };
    assert_eq!((body.file.as_str(), body.keyframes.len(), body.keyframe_rate), ("body.ply", 1, 30.0));
    assert_eq!(scene.output.animation, Animation::None);
    assert_eq!(scene.camera.target, Some([0.0, 1.0, 0.0]));
    assert_eq!(scene.camera.distance, None);
}

#[test]
fn the_smallest_scene_is_one_cloth_and_all_defaults() {
    let expected = Scene { cloth: vec![Cloth::default()], ..Scene::default() };
    assert_eq!(parse("[[cloth]]").unwrap(), expected);
}

/// The defaults of the tables as TOML text, in the words of the reference page.
fn defaults(fields: &[Field]) -> String {
    let lines = fields.iter().filter_map(|field| Some(format!("{} = {}\n", field.key, (field.default)()?)));
    lines.collect()
}

#[test]
fn the_defaults_of_the_reference_are_the_defaults_of_the_code() {
    let mut text = String::from("name = \"scene\"\ndescription = \"\"\n");
    for (header, fields) in [
        ("[time]", Time::FIELDS),
        ("[solver]", Solver::FIELDS),
        ("[forces]", Forces::FIELDS),
        ("[contact]", Contact::FIELDS),
        ("[output]", Output::FIELDS),
        ("[camera]", Camera::FIELDS),
        ("[[cloth]]", Cloth::FIELDS),
        ("[[obstacle]]", Obstacle::FIELDS),
    ] {
        let _ = write!(text, "{header}\n{}", defaults(fields));
    }
    let expected = Scene { cloth: vec![Cloth::default()], obstacle: vec![Obstacle::default()], ..Scene::default() };
    assert_eq!(parse(&text).unwrap(), expected, "{text}");
}

#[test]
fn the_defaults_of_shapes_are_the_defaults_of_the_code() {
    let cloth = |kind: &str, fields: &[Field]| {
        let more = if kind == "file" { "" } else { &defaults(fields) };
        let path = if kind == "file" { "path = 'a.obj'\n" } else { "" };
        parse(&format!("[[cloth]]\n[cloth.shape]\nkind = '{kind}'\n{more}{path}")).unwrap().cloth[0].shape.clone()
    };
    assert_eq!(cloth("grid", GridShape::FIELDS), ClothShape::Grid(GridShape::default()));
    assert_eq!(cloth("disc", DiscShape::FIELDS), ClothShape::Disc(DiscShape::default()));
    assert_eq!(cloth("ribbon", RibbonShape::FIELDS), ClothShape::Ribbon(RibbonShape::default()));
    assert_eq!(cloth("cylinder", TubeShape::FIELDS), ClothShape::Cylinder(TubeShape::default()));
    assert_eq!(cloth("knot", KnotShape::FIELDS), ClothShape::Knot(KnotShape::default()));
    let file = FileShape { path: "a.obj".to_owned(), ..FileShape::default() };
    assert_eq!(cloth("file", FileShape::FIELDS), ClothShape::File(file));
    let obstacle = |kind: &str, fields: &[Field]| {
        let text = format!("[[cloth]]\n[[obstacle]]\n[obstacle.shape]\nkind = '{kind}'\n{}", defaults(fields));
        parse(&text).unwrap().obstacle[0].shape.clone()
    };
    assert_eq!(obstacle("sphere", SphereShape::FIELDS), ObstacleShape::Sphere(SphereShape::default()));
    assert_eq!(obstacle("box", BoxShape::FIELDS), ObstacleShape::Box(BoxShape::default()));
    assert_eq!(obstacle("capsule", CapsuleShape::FIELDS), ObstacleShape::Capsule(CapsuleShape::default()));
    assert_eq!(obstacle("cylinder", CylinderShape::FIELDS), ObstacleShape::Cylinder(CylinderShape::default()));
    assert_eq!(obstacle("plane", PlaneShape::FIELDS), ObstacleShape::Plane(PlaneShape::default()));
    assert_eq!(obstacle("table", TableShape::FIELDS), ObstacleShape::Table(TableShape::default()));
    assert_eq!(obstacle("funnel", FunnelShape::FIELDS), ObstacleShape::Funnel(FunnelShape::default()));
    assert_eq!(obstacle("needles", NeedlesShape::FIELDS), ObstacleShape::Needles(NeedlesShape::default()));
    assert_eq!(obstacle("figure", FigureShape::FIELDS), ObstacleShape::Figure(FigureShape::default()));
}

/// Calls `visit` with every field below `fields`.
fn visit_fields(fields: &[Field], visit: &mut impl FnMut(&Field)) {
    fn inside(ty: &Type, visit: &mut impl FnMut(&Field)) {
        match ty {
            Type::Table(section) => visit_fields(section.fields, visit),
            Type::List(inner) | Type::Optional(inner) => inside(inner, visit),
            Type::Kinds(kinds) => kinds.iter().for_each(|kind| visit_fields(kind.section.fields, visit)),
            _ => {}
        }
    }
    for field in fields {
        visit(field);
        inside(&field.ty, visit);
    }
}

#[test]
fn the_reference_has_a_row_for_every_key() {
    let page = reference();
    let mut rows = 0;
    visit_fields(Scene::FIELDS, &mut |field| {
        let has_own_heading = match field.ty {
            Type::Table(_) => true,
            Type::List(Type::Table(_)) => matches!(field.key, "cloth" | "obstacle" | "body" | "scissors"),
            _ => false,
        };
        if !has_own_heading {
            rows += 1;
            let default = (field.default)().map_or("not set".to_owned(), |text| format!("`{text}`"));
            let start = format!("| `{}` | ", field.key);
            let end = format!(" | {} | {default} | {} | {} |", field.unit, field.range.text(), field.doc.trim());
            assert!(page.lines().any(|line| line.starts_with(&start) && line.ends_with(&end)), "{start} … {end}");
        }
        assert!(field.doc.trim().ends_with('.') && !field.doc.contains('|'), "{}: {}", field.key, field.doc);
    });
    assert_eq!(page.lines().filter(|line| line.starts_with("| `")).count(), rows);
    assert!(page.lines().filter(|line| line.starts_with('|')).all(|line| line.matches('|').count() == 7));
}

#[test]
fn the_example_of_the_reference_is_a_scene() {
    let page = reference();
    let example = page.split("```").nth(1).unwrap().strip_prefix("toml").unwrap();
    assert_eq!(parse(example).unwrap().name, "tablecloth");
}

#[test]
fn a_diagnostic_points_into_the_text_and_helps() {
    let text = "[time]\nduration = 2\nframe_rat = 25\n[[cloth]]\n";
    let error = parse(text).unwrap_err();
    let label = error.labels().unwrap().next().unwrap();
    assert_eq!(&text[label.offset()..][..label.len()], "frame_rat");
    assert_eq!(error.help().unwrap().to_string(), "did you mean `frame_rate`?");
    let shown = error.source_code().unwrap().read_span(label.inner(), 0, 0).unwrap();
    assert_eq!((shown.name(), shown.line()), (Some("scene.toml"), 2));
}

#[test]
fn files_are_found_read_and_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    let fails = |why: &str| {
        let error = Scene::load(&path).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("scene.toml"), "{error}");
    };
    fails("no such file");
    fs::write(&path, b"name = \"\xff\"").unwrap();
    fails("not UTF-8 text, byte 8 is invalid");
    fs::write(&path, vec![b'#'; (4 << 20) + 1]).unwrap();
    fails("larger than 4 MiB");
    let text = "[[cloth]]\nshape = { kind = 'file', path = 'meshes/a.obj' }\n[[obstacle]]\n\
                shape = { kind = 'mesh', file = 'b.ply', keyframes = ['c.pc2'] }";
    fs::write(&path, text).unwrap();
    let scene = Scene::load(&path).unwrap();
    let ObstacleShape::Mesh(shape) = &scene.obstacle[0].shape else { panic!() };
    assert_eq!(PathBuf::from(&shape.file), folder.path().join("b.ply"));
    assert_eq!(PathBuf::from(&shape.keyframes[0]), folder.path().join("c.pc2"));
    let ClothShape::File(shape) = &scene.cloth[0].shape else { panic!() };
    assert_eq!(PathBuf::from(&shape.path), folder.path().join("meshes/a.obj"));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    fails("scene.toml");
}

#[test]
fn a_scene_built_in_code_is_checked_like_a_file() {
    let mut scene = Scene { cloth: vec![Cloth::default()], ..Scene::default() };
    scene.validate().unwrap();
    scene.forces.wind[1] = f64::NAN;
    assert!(scene.validate().unwrap_err().to_string().contains("`wind` = nan is out of range"));
}

/// Nesting of every kind, as deep as the size limit allows, on the small stack of a test thread.
#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    let n = 500_000;
    for text in [
        format!("a = {}1{}", "[".repeat(n), "]".repeat(n)),
        format!("a = {}", "[".repeat(n)),
        format!("a = {}", "{a=".repeat(n)),
        format!("a{} = 1", ".a".repeat(n)),
        format!("[a{}]\nb = 1", ".a".repeat(n)),
        format!("[[a{}]]\nb = 1", ".a".repeat(n)),
        format!("a = {}1{}", format!("{{a{} = ", ".a".repeat(78)).repeat(79), "}".repeat(79)),
        format!(
            "[{0}]\n{0} = {1}1{2}",
            ["a"; 80].join("."),
            format!("{{{} = ", ["a"; 80].join(".")).repeat(79),
            "}".repeat(79)
        ),
    ] {
        assert!(parse(&text).is_err(), "{}", &text[..40]);
    }
}

/// Many small things instead of one deep one: the reader must stay quick and its message short.
#[test]
fn crowded_files_are_refused_quickly_and_briefly() {
    let keys: String = (0..300_000).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "k{i} = 1");
        text
    });
    for text in [keys, "[[cloth]]\n".repeat(400_000), format!("{} = 1", "k".repeat(4_000_000))] {
        let error = parse(&text).unwrap_err();
        assert!(error.problems().count() <= 5 && error.to_string().len() < 300, "{error}");
    }
}

fn coordinates() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-1e4..1e4)
}

fn cloth_shape() -> impl Strategy<Value = ClothShape> {
    prop_oneof![
        (0.01..9.0, 2..60_u32).prop_map(|(x, n)| ClothShape::Grid(GridShape {
            size: [x, x / 3.0],
            vertices: [n, 7],
            ..GridShape::default()
        })),
        (1e-9..9.0, 1..99_u32).prop_map(|(radius, rings)| ClothShape::Disc(DiscShape { radius, rings })),
        (1..99_u32).prop_map(|n| ClothShape::Ribbon(RibbonShape { segments: [n, 1], ..RibbonShape::default() })),
        (".{1,20}", 1e-3..1e3).prop_map(|(path, scale)| ClothShape::File(FileShape { path, scale })),
    ]
}

fn obstacle_shape() -> impl Strategy<Value = ObstacleShape> {
    prop_oneof![
        (1e-3..9.0).prop_map(|radius| ObstacleShape::Sphere(SphereShape { radius })),
        (1e-3..9.0).prop_map(|x| ObstacleShape::Box(BoxShape { size: [x, 1.0, x * 2.0] })),
        (0.0..9.0).prop_map(|height| ObstacleShape::Capsule(CapsuleShape { height, radius: 0.1 })),
        (1e-3..9.0).prop_map(|height| ObstacleShape::Cylinder(CylinderShape { height, radius: 0.1 })),
        Just(ObstacleShape::Plane(PlaneShape {})),
        (1e-3..9.0).prop_map(|radius| ObstacleShape::Table(TableShape { radius, ..TableShape::default() })),
        (".{1,20}", prop::collection::vec(".{1,20}", 0..3))
            .prop_map(|(file, keyframes)| ObstacleShape::Mesh(MeshShape { file, keyframes, ..MeshShape::default() })),
        (0.1..9.0).prop_map(|radius| ObstacleShape::Torus(TorusShape { radius, ..TorusShape::default() })),
        (1..30_u32).prop_map(|cells| ObstacleShape::Wave(WaveShape {
            cells,
            keyframe_rate: 2.0,
            ..WaveShape::default()
        })),
    ]
}

fn cloth() -> impl Strategy<Value = Cloth> {
    let hold =
        (coordinates(), 0.001..1.0, prop::option::of(0.0..9.0), 0..4_u32).prop_map(|(near, radius, until, n)| {
            let path = (0..n).map(|i| HoldKey { time: f64::from(i) * radius, offset: near, turns: radius }).collect();
            Hold { near: Some(near), radius, until, path, ..Hold::default() }
        });
    (coordinates(), any::<[u8; 3]>(), 0.0..1.0, cloth_shape(), prop::collection::vec(hold, 0..3)).prop_map(
        |(position, rgb, bend_min, shape, hold)| Cloth {
            position,
            color: Color(rgb),
            bend_min,
            shape,
            hold,
            ..Cloth::default()
        },
    )
}

fn obstacle() -> impl Strategy<Value = Obstacle> {
    let place = prop::option::of(coordinates());
    (coordinates(), -9.0..9.0, obstacle_shape(), place, any::<bool>()).prop_map(|(at, spin, shape, place, moving)| {
        let key = ObstacleKey { time: 1.0, position: place, ..ObstacleKey::default() };
        if moving {
            Obstacle { velocity: at.map(|x| x / 100.0), spin, shape, ..Obstacle::default() }
        } else {
            Obstacle { position: at, shape, path: vec![ObstacleKey::default(), key], ..Obstacle::default() }
        }
    })
}

fn scene() -> impl Strategy<Value = Scene> {
    let contact = prop_oneof![Just(AutoLength::Auto), (1e-6..1.0).prop_map(AutoLength::Metres)];
    let lists = (prop::collection::vec(cloth(), 1..4), prop::collection::vec(obstacle(), 0..4));
    (".{0,40}", "[a-z]{1,20}", 0.001..3000.0, contact, prop::option::of(coordinates()), lists).prop_map(
        |(description, name, duration, distance, target, (cloth, obstacle))| Scene {
            name,
            description,
            time: Time { duration, ..Time::default() },
            contact: Contact { distance, ..Contact::default() },
            camera: Camera { target, ..Camera::default() },
            cloth,
            obstacle,
            ..Scene::default()
        },
    )
}

proptest! {
    #[test]
    fn writing_and_reading_gives_the_same_scene(scene in scene()) {
        let text = scene.to_toml();
        prop_assert_eq!(parse(&text).unwrap(), scene);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_toml_like_text_makes_the_reader_panic(text in r#"([a-c.=\[\]{}"',#0-9 \n+-]|time|cloth|hold|nan|é){0,60}"#) {
        let _ = parse(&text);
    }

    /// Cuts a piece out of a good scene and puts another piece of it there.
    #[test]
    fn no_mutated_scene_makes_the_reader_panic(from in 0..RICH.len(), len in 0..30_usize, to in 0..RICH.len(), cut in 0..30_usize) {
        let end = |start: usize, len: usize| (start + len).min(RICH.len());
        let text = format!("{}{}{}", &RICH[..to], &RICH[from..end(from, len)], &RICH[end(to, cut)..]);
        if let Ok(scene) = parse(&text) {
            prop_assert_eq!(parse(&scene.to_toml()).unwrap(), scene);
        }
    }
}

#[test]
fn old_spellings_and_retired_keys_are_read_with_a_warning() {
    let text = "[collision]\nccd = \"cubic\"\ncoherence = true\nupdate = \"on_demand\"\n[[cloth]]\n";
    let (scene, warnings) = Scene::read("old.toml", text).unwrap();
    assert_eq!(scene, Scene::from_toml("new.toml", "[collision]\nupdate = \"on-demand\"\n[[cloth]]\n").unwrap());
    let lines: Vec<usize> = warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(lines, [2, 3, 4], "{warnings:?}");
    assert!(warnings[2].to_string().ends_with("write \"on-demand\""), "{}", warnings[2]);
    // What is written out again has no old words.
    assert!(Scene::read("again.toml", &scene.to_toml()).unwrap().1.is_empty());
}

#[test]
fn an_old_name_of_a_motion_is_read_with_a_warning() {
    let (scene, warnings) = Scene::read("old.toml", "[[body]]\nmotion = \"arm_raise\"\n[[cloth]]\n").unwrap();
    assert_eq!(scene.body[0].motion, "arm-raise");
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["old.toml:2:10: `motion` = \"arm_raise\" is an old spelling; write \"arm-raise\""]);
    assert!(Scene::read("new.toml", &scene.to_toml()).unwrap().1.is_empty());
}

/// Every word that a key of a scene can have is written in one style.
#[test]
fn words_are_kebab_case() {
    fn look(fields: &[Field]) {
        for field in fields {
            look_at(&field.ty);
        }
    }
    fn look_at(ty: &Type) {
        let is_kebab = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        match ty {
            Type::Choice(choices) => {
                for choice in *choices {
                    assert!(is_kebab(choice.text), "{}", choice.text);
                }
            }
            Type::Kinds(kinds) => {
                for kind in *kinds {
                    assert!(is_kebab(kind.text), "{}", kind.text);
                    look(kind.section.fields);
                }
            }
            Type::Table(section) => look(section.fields),
            Type::List(inner) | Type::Optional(inner) | Type::Array(inner, _) | Type::AutoOr(inner) => look_at(inner),
            Type::Bool | Type::Integer | Type::Number | Type::Text | Type::Color => {}
        }
    }
    look(Scene::FIELDS);
    for routine in toile_body::Routine::ALL {
        assert!(!routine.name().contains('_'), "{}", routine.name());
    }
    for part in toile_garment::Part::ALL {
        assert!(!part.word().contains('_'), "{}", part.word());
    }
}
