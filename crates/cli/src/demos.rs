//! The built-in scenes.

use toile_scene::{Scene, SceneError};

/// A scene that ships with the program.
pub(crate) struct Demo {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! demos {
    ($($name:literal),* $(,)?) => {
        /// All demos; the first is the default.
        pub(crate) const DEMOS: &[Demo] = &[
            $(Demo { name: $name, text: include_str!(concat!("../demos/", $name, ".toml")) }),*
        ];
    };
}

demos![
    "tablecloth",
    "tablecloth-49",
    "sphere-limp",
    "sphere-stiff",
    "held-disc",
    "held-disc-off",
    "dragged",
    "flag",
    "flag-fem",
    "curtain",
    "cusick",
    "scissors",
    "hem",
    "strips",
    "cantilevers",
    "ribbon",
    "torus",
    "wave",
    "table-mesh-49",
    "huh-rod",
    "huh-balls",
    "walker",
    "cape",
    "catwalk",
];

/// The demo called `name`; the error lists what there is.
pub(crate) fn find(name: &str) -> Result<&'static Demo, miette::Report> {
    DEMOS.iter().find(|d| d.name == name).ok_or_else(|| {
        let names: Vec<&str> = DEMOS.iter().map(|d| d.name).collect();
        miette::miette!(help = format!("there are: {}", names.join(", ")), "there is no demo \"{name}\"")
    })
}

impl Demo {
    pub(crate) fn scene(&self) -> Result<Scene, SceneError> {
        Scene::from_toml(&format!("{}.toml", self.name), self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_scene::ClothShape;

    #[test]
    fn every_demo_is_a_valid_scene_of_its_own_name_with_a_description() {
        for demo in DEMOS {
            let scene = demo.scene().unwrap_or_else(|e| panic!("{}: {e}", demo.name));
            assert_eq!(scene.name, demo.name);
            assert!(scene.description.len() > 20);
            hasty(scene).world().unwrap_or_else(|e| panic!("{}: {e}", demo.name));
        }
    }

    /// The scene with coarse garments that are sewn but not draped.
    fn hasty(mut scene: Scene) -> Scene {
        scene.dressing.most_time = 0.0;
        for cloth in &mut scene.cloth {
            if let ClothShape::Garment(garment) = &mut cloth.shape {
                garment.distance = 0.06;
            }
        }
        scene
    }

    #[test]
    fn every_scene_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/demos");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), DEMOS.len());
    }
}
