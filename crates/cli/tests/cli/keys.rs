//! Keys of a scene that show in what the program draws, exports and writes on its pages: each of them changes a file.
//!
//! All other keys are looked at by the tests of `toile-scene`, which leave out exactly these.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value as Json;
use toile_scene::Scene;
use toile_scene::schema::{Section, Type};

use crate::helper::toile;

/// A sheet over a ball beside a plate that counts as a body; pictures are small.
const SCENE: &str = r#"
name = "usual"
description = "A sheet over a ball."
[time]
duration = 0.034
[[cloth]]
position = [0, 0.12, 0]
color = "bb3344"
pattern = "plain"
shape = { kind = "grid", size = [0.3, 0.3], vertices = [6, 6] }
[[obstacle]]
color = "999999"
shape = { kind = "sphere", radius = 0.1 }
[[body]]
file = "plate.obj"
motion = "./frames"
color = "ccbbaa"
position = [0.3, 0, 0]
[output]
animation = "apng"
picture = [64, 48]
animation_size = [48, 32]
[camera]
azimuth_deg = 30
"#;

/// A key, its other value, and the file in which it shows.
const CASES: [(&str, &str, &str); 19] = [
    ("name", "\"shawl\"", "report.json"),
    ("description", "\"Something else.\"", "report.html"),
    ("cloth[].color", "\"#3344bb\"", "preview.png"),
    ("cloth[].pattern", "\"check\"", "preview.png"),
    ("obstacle[].color", "\"#224422\"", "preview.png"),
    ("body[].color", "\"#224422\"", "preview.png"),
    ("output.obj", "true", "obj"),
    ("output.pc2", "false", "result.obj"),
    ("output.glb", "false", "result.glb"),
    ("output.usda", "true", "result.usda"),
    ("output.animation", "\"gif\"", "preview.gif"),
    ("output.picture", "[48, 64]", "preview.png"),
    ("output.animation_size", "[32, 48]", "preview.apng"),
    ("output.values", "\"strain\"", "preview.png"),
    ("camera.azimuth_deg", "50", "preview.png"),
    ("camera.elevation_deg", "40", "preview.png"),
    ("camera.target", "[0.1, 0, 0]", "preview.png"),
    ("camera.distance", "3", "preview.png"),
    ("camera.fov_deg", "50", "preview.png"),
];

/// All keys of a section, as `table.key`, `list[].key` and `shape(kind).key`.
fn keys(section: &Section, path: &str, found: &mut BTreeSet<String>) {
    for field in section.fields {
        let name = format!("{path}{}", field.key);
        match field.ty {
            Type::Table(inner) => keys(inner, &format!("{name}."), found),
            Type::List(Type::Table(inner)) => keys(inner, &format!("{name}[]."), found),
            Type::Kinds(kinds) => {
                for kind in kinds {
                    keys(kind.section, &format!("{name}({}).", kind.text), found);
                }
            }
            _ => _ = found.insert(name),
        }
    }
}

/// Whether a key only shows in pictures, exported files and pages. The tests of `toile-scene` have the same rule.
fn is_drawn(key: &str) -> bool {
    let of_a_run = ["output.checkpoint_every", "output.judge_every"];
    let drawn = ["name", "description", "cloth[].color", "cloth[].pattern", "obstacle[].color", "body[].color"];
    key.starts_with("camera.") || drawn.contains(&key) || (key.starts_with("output.") && !of_a_run.contains(&key))
}

#[test]
fn every_drawn_key_has_a_case() {
    let mut known = BTreeSet::new();
    keys(Scene::SECTION, "", &mut known);
    known.retain(|key| is_drawn(key));
    let tested: BTreeSet<String> = CASES.iter().map(|(key, ..)| (*key).to_owned()).collect();
    assert_eq!(known, tested);
}

/// Runs a scene; what it wrote, by the names of files and folders, without what the clock says.
fn written(folder: &Path, text: &str, out: &str) -> BTreeMap<String, Vec<u8>> {
    std::fs::write(folder.join("scene.toml"), text).unwrap();
    toile(folder, &["run", "scene.toml", "--out", out, "-q"]).good();
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder.join(out)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = match name.as_str() {
            "scene.toml" | "frames" => continue,
            "report.json" => {
                let report: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
                words_of(&report).join("\n").into_bytes()
            }
            // The rest of the page shows times.
            "report.html" => {
                let page = std::fs::read_to_string(&path).unwrap();
                page.lines().filter(|line| line.contains("class=\"subtitle\"")).collect::<String>().into_bytes()
            }
            _ if path.is_dir() => Vec::new(),
            _ => std::fs::read(&path).unwrap(),
        };
        files.insert(name, bytes);
    }
    files
}

/// All texts of a JSON value.
fn words_of(value: &Json) -> Vec<String> {
    match value {
        Json::String(text) => vec![text.clone()],
        Json::Array(items) => items.iter().flat_map(words_of).collect(),
        Json::Object(table) => table.values().flat_map(words_of).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) => Vec::new(),
    }
}

/// The scene with another value of a key.
fn changed(key: &str, value: &str) -> String {
    let mut root: toml::Table = scene().parse().unwrap();
    let value = format!("x = {value}").parse::<toml::Table>().unwrap()["x"].clone();
    let (place, last) = key.rsplit_once('.').unwrap_or(("", key));
    let table = match place.strip_suffix("[]") {
        _ if place.is_empty() => &mut root,
        Some(list) => root[list][0].as_table_mut().unwrap(),
        None => root[place].as_table_mut().unwrap(),
    };
    let before = table.insert(last.to_owned(), value.clone());
    assert_ne!(before, Some(value), "{key}");
    root.to_string()
}

/// Colours of TOML begin with a number sign, which would end a raw string.
fn scene() -> String {
    SCENE.replace("color = \"", "color = \"#")
}

#[test]
fn every_drawn_key_changes_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let plate = toile_mesh::generate::plane([0.2, 0.2], [2, 2]);
    toile_files::obj::save_obj(&folder.path().join("plate.obj"), &plate).unwrap();
    std::fs::create_dir(folder.path().join("frames")).unwrap();
    for k in 0..2 {
        toile_files::obj::save_obj(&folder.path().join(format!("frames/{k}.obj")), &plate).unwrap();
    }
    let usual = written(folder.path(), &scene(), "usual");
    let again = written(folder.path(), &scene(), "again");
    for (_, _, file) in CASES {
        assert!(usual.get(file) == again.get(file), "{file} depends on the clock");
    }
    for (k, (key, value, file)) in CASES.iter().enumerate() {
        let other = written(folder.path(), &changed(key, value), &format!("run-{k}"));
        assert!(usual.get(*file) != other.get(*file), "`{key}` = {value} does not change {file}");
    }
}
