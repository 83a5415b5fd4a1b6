//! Pages in `docs` that the program prints.

use std::path::Path;

use crate::helper::toile;

#[track_caller]
fn the_page_is_what_the_program_prints(name: &str, args: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let printed = toile(folder.path(), args).good();
    if std::env::var_os("TOILE_WRITE_DOCS").is_some() {
        std::fs::write(&page, &printed).unwrap();
    }
    let written = std::fs::read_to_string(&page).unwrap_or_default();
    let same = printed == written;
    assert!(same, "docs/{name} is out of date; run the tests with TOILE_WRITE_DOCS=1 and commit the page");
}

#[test]
fn the_page_about_scenes_is_what_the_program_prints() {
    the_page_is_what_the_program_prints("scene.md", &["scene", "--reference"]);
}

#[test]
fn the_page_about_fabrics_is_what_the_program_prints() {
    the_page_is_what_the_program_prints("fabric.md", &["fabric", "reference"]);
}
