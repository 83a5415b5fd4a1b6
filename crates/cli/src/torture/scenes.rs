//! The scenes of the suite, their short forms and what is expected of them.
//!
//! Every scene is an ordinary scene file in `crates/cli/torture`. Its short form is made from it by rule: the first few
//! frames, with every cloth made of fewer cells. Cells, not vertices, are divided, so corners stay where holds look for
//! them.

use toile::mesh::DVec3;
use toile::scene::{ClothShape, Scene, SceneError};

/// A scene of the suite.
pub(crate) struct Torture {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    /// Frames of the short form, and by what its cells are fewer along each direction.
    pub(crate) short: Short,
    /// Largest ratio of an edge to its rest length that is allowed in any frame of the long and of the short form.
    pub(crate) stretch: [f64; 2],
    pub(crate) expect: Expect,
}

/// The short form of a scene.
#[derive(Clone, Copy)]
pub(crate) struct Short {
    pub(crate) frames: u32,
    pub(crate) coarser: f64,
}

/// What a scene must show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expect {
    /// No intersection in any frame.
    Clean,
    /// Intersections: it leaves out what prevents them, and shows that the judge sees them.
    Intersections,
    /// Finite numbers and bounded stretch: there is no place without intersections.
    Survival,
}

/// What tells that an obstacle has not flown through the cloth between two frames, where the judge cannot see it: in
/// `frame`, the vertices that started within `radius` [m] of `near` [m] are farther along `axis` than `beyond` [m].
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Witness {
    pub(crate) frame: u32,
    pub(crate) near: DVec3,
    pub(crate) radius: f64,
    pub(crate) axis: DVec3,
    pub(crate) beyond: f64,
}

macro_rules! scenes {
    ($($name:literal: $frames:literal frames, cells / $coarser:literal, stretch $long:literal, $stretch:literal, $expect:ident;)*) => {
        /// All scenes, in the order in which they run.
        pub(crate) const SCENES: &[Torture] = &[$(Torture {
            name: $name,
            text: include_str!(concat!("../../torture/", $name, ".toml")),
            short: Short { frames: $frames, coarser: $coarser },
            stretch: [$long, $stretch],
            expect: Expect::$expect,
        }),*];
    };
}

scenes! {
    "rotating-sphere-8k": 45 frames, cells / 3.0, stretch 1.1, 1.1, Clean;
    "rotating-sphere-30k": 45 frames, cells / 5.0, stretch 1.1, 1.1, Clean;
    "ball-stack": 24 frames, cells / 1.5, stretch 1.1, 1.1, Clean;
    "funnel": 45 frames, cells / 3.0, stretch 1.15, 1.15, Clean;
    "ribbon-pile": 45 frames, cells / 2.0, stretch 1.1, 1.1, Clean;
    "reef-knot": 60 frames, cells / 2.0, stretch 1.1, 1.1, Clean;
    "twisted-cylinder": 45 frames, cells / 3.0, stretch 1.15, 1.15, Clean;
    "needles": 30 frames, cells / 3.0, stretch 1.1, 1.1, Clean;
    "table-edge-49": 60 frames, cells / 1.0, stretch 1.1, 1.1, Clean;
    "table-edge-49-vertices": 60 frames, cells / 1.0, stretch 1.1, 1.1, Intersections;
    // Cloth that is hit at half the speed of sound in it stretches.
    "thin-plate": 60 frames, cells / 2.0, stretch 1.3, 1.3, Clean;
    "closing-plates": 45 frames, cells / 2.0, stretch 1.4, 1.4, Survival;
    "torus": 45 frames, cells / 3.0, stretch 1.3, 1.3, Clean;
    "tape": 45 frames, cells / 2.0, stretch 1.15, 1.1, Clean;
    "objects": 45 frames, cells / 2.0, stretch 1.1, 1.1, Clean;
    "figure": 60 frames, cells / 2.0, stretch 1.15, 1.15, Clean;
    "scale-1": 30 frames, cells / 2.0, stretch 1.1, 1.1, Clean;
    "scale-1000": 30 frames, cells / 2.0, stretch 1.1, 1.1, Clean;
    "scale-0.001": 30 frames, cells / 2.0, stretch 1.1, 1.1, Clean;
    "translated": 30 frames, cells / 2.0, stretch 1.1, 1.1, Clean;
}

/// The scene called `name`; the error lists what there is.
pub(crate) fn find(name: &str) -> Result<&'static Torture, miette::Report> {
    SCENES.iter().find(|s| s.name == name).ok_or_else(|| {
        let names: Vec<&str> = SCENES.iter().map(|s| s.name).collect();
        miette::miette!(help = format!("there are: {}", names.join(", ")), "there is no torture scene \"{name}\"")
    })
}

impl Torture {
    /// The witness of the scenes with obstacles so fast that nothing else would tell.
    pub(crate) fn witness(&self) -> Option<Witness> {
        match self.name {
            // All of all layers has gone through the ring, whose lower side that is.
            "ball-stack" => {
                let near = DVec3::new(0.0, 0.992, 0.0);
                Some(Witness { frame: 24, near, radius: 0.6, axis: DVec3::NEG_Y, beyond: -0.84 })
            }
            // What the middle of the plate hits is before it when it has stopped.
            "thin-plate" => {
                let near = DVec3::new(0.0, 0.85, 0.0);
                Some(Witness { frame: 16, near, radius: 0.02, axis: DVec3::NEG_Z, beyond: 0.2 })
            }
            _ => None,
        }
    }

    /// Largest ratio of an edge to its rest length that the form allows.
    pub(crate) fn limit(&self, short: bool) -> f64 {
        self.stretch[usize::from(short)]
    }

    /// The scene, or its short form.
    pub(crate) fn scene(&self, short: bool) -> Result<Scene, SceneError> {
        let mut scene = Scene::from_toml(&format!("{}.toml", self.name), self.text)?;
        if short {
            let frames = self.short.frames.min(scene.time.frames());
            scene.time.duration = f64::from(frames) / scene.time.frame_rate;
            for cloth in &mut scene.cloth {
                coarsen(&mut cloth.shape, self.short.coarser);
            }
        }
        Ok(scene)
    }
}

/// Divides the number of cells along each direction; meshes from files stay as they are.
fn coarsen(shape: &mut ClothShape, by: f64) {
    let fewer = |cells: u32| ((f64::from(cells) / by) as u32).max(1);
    match shape {
        ClothShape::Grid(grid) => grid.vertices = grid.vertices.map(|n| fewer(n - 1) + 1),
        ClothShape::Disc(disc) => disc.rings = fewer(disc.rings),
        ClothShape::Ribbon(ribbon) => ribbon.segments = ribbon.segments.map(fewer),
        ClothShape::Knot(knot) => knot.segments = knot.segments.map(fewer),
        ClothShape::Cylinder(tube) => tube.segments = tube.segments.map(|n| fewer(n).max(3)),
        ClothShape::Garment(garment) => garment.distance *= by,
        ClothShape::File(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile::World;

    #[test]
    fn names_are_unique_and_every_file_is_listed() {
        let mut names: Vec<&str> = SCENES.iter().map(|s| s.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SCENES.len());
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/torture");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), SCENES.len());
    }

    #[test]
    fn every_scene_is_valid_has_its_own_name_and_says_what_it_shows() {
        for torture in SCENES {
            let scene = torture.scene(false).unwrap_or_else(|e| panic!("{}: {e}", torture.name));
            assert_eq!(scene.name, torture.name);
            assert!(scene.description.len() > 20 && scene.output.judge_every == 1, "{}", torture.name);
            // A short form leaves something out.
            assert!(torture.short.frames <= scene.time.frames(), "{}", torture.name);
        }
    }

    #[test]
    fn every_short_form_starts_without_intersections_and_unstretched() {
        for torture in SCENES {
            let world = World::new(&torture.scene(true).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", torture.name));
            assert!(world.judge().is_clean(), "{}: {:?}", torture.name, world.judge());
            if let Some(witness) = torture.witness() {
                assert!(witness.frame <= torture.short.frames, "{}", torture.name);
                let seen = world.state().x.iter().filter(|x| x.distance(witness.near) <= witness.radius);
                let behind = seen.clone().filter(|x| x.dot(witness.axis) <= witness.beyond).count();
                assert!(behind > 0 && behind == seen.count(), "{}: {behind}", torture.name);
            }
            assert_eq!(world.penetration(), 0.0, "{}", torture.name);
            assert!((super::super::trial::largest_stretch(&world) - 1.0).abs() < 1e-6, "{}", torture.name);
        }
    }

    #[test]
    fn copies_differ_by_their_scale_and_place_alone() {
        let scene = |name: &str| find(name).unwrap().scene(false).unwrap();
        let world = |name: &str| World::new(&scene(name)).unwrap();
        let start = |name: &str| world(name).state().x.clone();
        let (one, large, small, moved) =
            (start("scale-1"), start("scale-1000"), start("scale-0.001"), start("translated"));
        for (i, x) in one.iter().enumerate() {
            assert!(large[i].distance(1000.0 * *x) < 1e-9 * 1000.0);
            assert!(small[i].distance(0.001 * *x) < 1e-9 * 0.001);
            assert!((moved[i] - moved[0]).distance(*x - one[0]) < 1e-12);
        }
        assert!((moved[0] - one[0]).abs().min_element() >= 1000.0);
    }
}
