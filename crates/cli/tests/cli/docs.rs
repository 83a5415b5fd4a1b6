//! Pages in `docs` that the program prints.

use std::path::Path;

use crate::helper::toile;

#[test]
fn the_page_about_scenes_is_what_the_program_prints() {
    let folder = tempfile::tempdir().unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene.md");
    let printed = toile(folder.path(), &["scene", "--reference"]).good();
    if std::env::var_os("TOILE_WRITE_DOCS").is_some() {
        std::fs::write(&page, &printed).unwrap();
    }
    let written = std::fs::read_to_string(&page).unwrap_or_default();
    let same = printed == written;
    assert!(same, "docs/scene.md is out of date; run the tests with TOILE_WRITE_DOCS=1 and commit the page");
}
