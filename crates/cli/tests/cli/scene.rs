//! `toile scene`.

use toile_scene::Scene;

use crate::helper::{CROSSED, toile};

#[test]
fn a_valid_scene_is_summed_up() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), CROSSED).unwrap();
    let text = toile(folder.path(), &["scene", "my.toml"]).good();
    assert_eq!(text, "my.toml: valid\ncrossed: 2 cloths of 73 vertices, 2 obstacles, 0.1 s in 3 frames\n");
    assert_eq!(toile(folder.path(), &["scene", "my.toml", "-q"]).good(), "");
    let value = toile(folder.path(), &["scene", "my.toml", "--json"]).json();
    assert_eq!((value["valid"].as_bool(), value["vertices"].as_u64()), (Some(true), Some(73)));
}

#[test]
fn the_full_scene_reads_back_as_the_same() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), CROSSED).unwrap();
    let full = toile(folder.path(), &["scene", "my.toml", "--full"]).good();
    assert_eq!(Scene::from_toml("full", &full).unwrap(), Scene::from_toml("my", CROSSED).unwrap());
    assert_eq!(toile(folder.path(), &["scene", "my.toml", "--full", "--json"]).json()["name"], "crossed");
}

#[test]
fn an_error_points_into_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = "name = \"wrong\"\n\n[time]\ndurtion = 3.0\nframe_rate = -1\n\n[[cloth]]\ncolor = \"blue\"\n";
    std::fs::write(folder.path().join("wrong.toml"), text).unwrap();
    insta::assert_snapshot!(toile(folder.path(), &["scene", "wrong.toml"]).bad());
}

#[test]
fn a_scene_whose_mesh_or_hold_fails_is_not_valid() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(folder.path().join("a.toml"), text).unwrap();
    write("[[cloth]]\nshape = { kind = \"file\", path = \"gone.obj\" }\n");
    let error = toile(folder.path(), &["scene", "a.toml"]).bad();
    assert!(error.contains("gone.obj"), "{error}");
    write("[[cloth]]\n[[cloth.hold]]\nnear = [9, 9, 9]\n");
    let error = toile(folder.path(), &["scene", "a.toml"]).bad();
    assert!(error.contains("finds no vertex"), "{error}");
}

#[test]
fn a_demo_is_printed_to_the_letter() {
    let folder = tempfile::tempdir().unwrap();
    let text = toile(folder.path(), &["scene", "--demo", "ribbon"]).good();
    assert_eq!(text, include_str!("../../demos/ribbon.toml"));
    let error = toile(folder.path(), &["scene", "--demo", "ribon"]).bad();
    assert!(error.contains("there is no demo \"ribon\"") && error.contains("ribbon"), "{error}");
}

#[test]
fn the_reference_has_every_section() {
    let folder = tempfile::tempdir().unwrap();
    let page = toile(folder.path(), &["scene", "--reference"]).good();
    let headings = "[time] [solver] [forces] [contact] [[cloth]] [[obstacle]] [output] [camera]";
    for heading in headings.split(' ') {
        assert!(page.contains(&format!("\n## `{heading}`\n")), "{heading}");
    }
    assert!(page.contains("[[cloth.hold]]") && page.contains("kind = \"table\""));
}
