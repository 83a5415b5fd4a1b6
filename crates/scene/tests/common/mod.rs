//! What every test of a capability needs.

use toile_scene::Scene;

/// The scene that `text` describes.
#[track_caller]
pub(crate) fn scene(text: &str) -> Scene {
    Scene::from_toml("test.toml", text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}
