//! `toile check`, on the mesh zoo among others.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::json;
use toile_files::read_mesh;
use toile_mesh::{check, judge};

use crate::helper::{toile, write_ball};
use crate::render::{decode, is_red};

fn zoo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mesh_zoo")
}

fn animals() -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(zoo()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_animal_of_the_zoo_gets_its_verdict() {
    let names = animals();
    assert!(names.len() > 30);
    let mut all = String::new();
    for name in &names {
        let answer = toile(&zoo(), &["check", name]);
        let text = format!("{}{}", answer.out, answer.err);
        writeln!(all, "$ toile check {name}\n{}\nexit code {}\n", text.trim_end(), answer.code).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn json_and_exit_codes_agree_with_the_text_for_every_animal() {
    for name in animals() {
        let [plain, json, quiet] =
            [&["check", &name][..], &["check", &name, "--json"], &["check", &name, "-q"]].map(|a| toile(&zoo(), a));
        assert_eq!((plain.code, plain.code), (json.code, quiet.code), "{name}");
        assert_eq!(quiet.out, "", "{name}");
        let Ok(mesh) = read_mesh(&zoo().join(&name)) else {
            assert_eq!((json.code, json.out.as_str()), (1, ""), "{name}: unreadable files have no JSON");
            continue;
        };
        let value = json.json();
        assert_eq!(value["good"], json!(json.code == 0), "{name}");
        assert_eq!(value["mesh"]["vertices"], json!(mesh.vertex_count()), "{name}");
        let verdict = check::repair(mesh).ok().map(|(mesh, _)| judge::self_intersections(&mesh));
        let count = verdict.as_ref().map(judge::Verdict::count);
        assert_eq!(value["self_intersections"]["count"], json!(count), "{name}");
        assert_eq!(json.code == 0, verdict.is_some_and(|v| v.is_clean()), "{name}");
    }
}

#[test]
fn findings_in_json_name_element_place_and_remedy() {
    let value = toile(&zoo(), &["check", "several_defects.obj", "--json"]).json();
    let finding = &value["mesh"]["findings"][0];
    assert_eq!((&finding["defect"], &finding["severity"]), (&json!("duplicate_vertex"), &json!("repair")));
    let place = json!({
        "element": "vertex", "number": 4, "position": [1.0, 1.0, 0.0], "other": { "element": "vertex", "number": 2 }
    });
    assert_eq!(finding["places"][1], place);
    assert_eq!(value["self_intersections"]["pairs"], json!([{ "a": 1, "b": 2, "kind": "separate" }]));
    assert_eq!(value["mesh"]["renumbered"], json!(true));
}

#[test]
fn two_meshes_are_judged_against_each_other() {
    let folder = tempfile::tempdir().unwrap();
    write_ball(folder.path(), "ball.obj");
    let write = |name: &str, height: f64| {
        let text = format!("v -1 {height} -1\nv 1 {height} -1\nv 0 {height} 1\nf 1 2 3\n");
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write("above.obj", 1.001);
    write("through.obj", 0.9);
    let above = toile(folder.path(), &["check", "above.obj", "--against", "ball.obj"]).good();
    assert!(above.ends_with("intersections with the other mesh: none\n"), "{above}");
    let through = toile(folder.path(), &["check", "through.obj", "--against", "ball.obj"]);
    assert_eq!(through.code, 2);
    assert!(through.out.contains("self-intersections: none\nintersections with the other mesh: "), "{}", through.out);
    let unusable = zoo().join("non_manifold_edge.obj");
    let unusable = toile(folder.path(), &["check", "above.obj", "--against", unusable.to_str().unwrap()]);
    assert_eq!(unusable.code, 1);
    assert!(unusable.out.contains("not judged, one cannot be used"), "{}", unusable.out);
}

#[test]
fn the_repaired_mesh_is_written_and_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(zoo().join("duplicate_vertices.obj"), folder.path().join("a.obj")).unwrap();
    let text = toile(folder.path(), &["check", "a.obj", "--repair", "b.obj"]).good();
    assert!(text.ends_with("repaired mesh: b.obj\n"), "{text}");
    let again = toile(folder.path(), &["check", "b.obj"]).good();
    assert_eq!(again, "b.obj: 4 vertices, 2 triangles; no defects\nself-intersections: none\n");
}

#[test]
fn a_mesh_without_repair_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(zoo().join("moebius_strip.obj"), folder.path().join("a.obj")).unwrap();
    let answer = toile(folder.path(), &["check", "a.obj", "--repair", "b.obj"]);
    assert_eq!(answer.code, 1);
    assert!(answer.out.ends_with("repaired mesh: b.obj not written, there is no repair\n"), "{}", answer.out);
    assert!(!folder.path().join("b.obj").exists());
}

#[test]
fn the_source_of_a_repair_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.obj");
    std::fs::copy(zoo().join("duplicate_vertices.obj"), &source).unwrap();
    let before = std::fs::read(&source).unwrap();
    for target in ["a.obj", "./a.obj"] {
        let error = toile(folder.path(), &["check", "a.obj", "--repair", target]).bad();
        assert!(error.contains("would replace its source"), "{error}");
    }
    let error = toile(folder.path(), &["check", "a.obj", "--repair", "b.ply"]).bad();
    assert!(error.contains("written as OBJ"), "{error}");
    assert_eq!(std::fs::read(&source).unwrap(), before);
}

/// Two sheets that go through each other from the start.
fn crossing(untangle: bool, extra: &str) -> String {
    format!(
        "[contact]\nuntangle = {untangle}\n[output]\npicture = [96, 54]\n\
         [[cloth]]\nname = \"level\"\ncolor = \"#2040c0\"\nshape = {{ kind = \"grid\", size = [0.6, 0.6], vertices = [9, 9] }}\n\
         [[cloth]]\nname = \"upright\"\ncolor = \"#2040c0\"\nposition = [0.01, 1.06, 0.02]\nrotation_deg = [85, 20, 0]\n\
         shape = {{ kind = \"grid\", size = [0.3, 0.3], vertices = [6, 6] }}\n{extra}"
    )
}

fn red_pixels(folder: &Path, name: &str) -> usize {
    decode(&folder.join(name)).2.iter().filter(|p| is_red(**p)).count()
}

#[test]
fn the_start_of_a_scene_is_checked_drawn_and_untangled() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("crossed.toml", &crossing(false, ""));
    write("parted.toml", &crossing(true, ""));
    let crossed = toile(folder.path(), &["check", "crossed.toml", "--picture", "crossed.png"]);
    assert_eq!(crossed.code, 2, "{}{}", crossed.out, crossed.err);
    for words in ["intersect at the start", "cloth \"level\"", "cloth \"upright\"", "untangle = true"] {
        assert!(crossed.out.contains(words), "{words} is not in {}", crossed.out);
    }
    let parted = toile(folder.path(), &["check", "parted.toml", "--picture", "parted.png"]).good();
    assert!(parted.contains("start untangled in "), "{parted}");
    assert!(red_pixels(folder.path(), "crossed.png") > 10);
    assert_eq!(red_pixels(folder.path(), "parted.png"), 0);
    let json = toile(folder.path(), &["check", "parted.toml", "--json"]).json();
    assert_eq!(json["good"], json!(true));
    assert!(json["pairs"].as_array().is_some_and(|p| !p.is_empty()));
    assert!(json["untangled"]["largest_move"].as_f64().is_some_and(|m| m > 0.0));
}

#[test]
fn a_start_that_cannot_be_untangled_stays_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<String> = (0..36).map(|v| v.to_string()).collect();
    let text = crossing(true, &format!("hold = [{{ vertices = [{}] }}]\n", all.join(", "))).replace(
        "[[cloth]]\nname = \"upright\"",
        "hold = [{ near = [0, 1, 0], radius = 1 }]\n[[cloth]]\nname = \"upright\"",
    );
    std::fs::write(folder.path().join("held.toml"), text).unwrap();
    let held = toile(folder.path(), &["check", "held.toml"]);
    assert_eq!(held.code, 2, "{}", held.err);
    assert!(held.out.contains("cannot be untangled"), "{}", held.out);
    let run = toile(folder.path(), &["run", "held.toml"]).bad();
    assert!(run.contains("could not be untangled") && run.contains("cloth \"upright\""), "{run}");
}
