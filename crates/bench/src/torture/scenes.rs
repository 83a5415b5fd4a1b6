//! The scenes of the suite, their short forms and what is expected of them.
//!
//! Every scene is an ordinary scene file in `crates/bench/torture`. Its short form is made from it by rule: the first few
//! frames, with every cloth made of fewer cells. Cells, not vertices, are divided, so corners stay where holds look for
//! them.

use std::f64::consts::PI;

use miette::Result;
use toile_mesh::DVec3;
use toile_scene::{ClothShape, Scene, SceneError};

use super::limit::Load::{self, Drawn, Pushed, Squeezed, StrainLimit, Usual};

/// A scene of the suite.
pub(crate) struct Torture {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    /// Frames of the short form, and by what its cells are fewer along each direction.
    pub(crate) short: Short,
    /// What stretches the cloth of the long and of the short form, which decides how far it may be stretched.
    pub(crate) load: [Load; 2],
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
    /// No intersection in any frame, and no pair left meeting. Two obstacles leave no room for a while, and then particles
    /// must be squeezed; where there is room, none is, and stretch is within the limit of all scenes.
    Squeezed,
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
    ($($name:literal: $frames:literal frames, cells / $coarser:literal, load $long:expr, $load:expr, $expect:ident;)*) => {
        /// All scenes, in the order in which they run.
        pub(crate) const SCENES: &[Torture] = &[$(Torture {
            name: $name,
            text: include_str!(concat!("../../torture/", $name, ".toml")),
            short: Short { frames: $frames, coarser: $coarser },
            load: [$long, $load],
            expect: Expect::$expect,
        }),*];
    };
}

scenes! {
    "rotating-sphere-8k": 45 frames, cells / 3.0, load Usual, Usual, Clean;
    "rotating-sphere-30k": 45 frames, cells / 5.0, load Usual, Usual, Clean;
    "ball-stack": 24 frames, cells / 1.5, load Usual, Usual, Clean;
    // From the slope of the funnel into its spout, and from there below the end of the rod.
    "funnel": 45 frames, cells / 3.0, load Drawn(0.75 * PI), Usual, Clean;
    "ribbon-pile": 45 frames, cells / 2.0, load Usual, Usual, Clean;
    "reef-knot": 60 frames, cells / 2.0, load Usual, Usual, Clean;
    "twisted-cylinder": 45 frames, cells / 3.0, load Usual, Usual, Clean;
    "needles": 30 frames, cells / 3.0, load Usual, Usual, Clean;
    "table-edge-49": 60 frames, cells / 1.0, load Usual, Usual, Clean;
    "table-edge-49-vertices": 60 frames, cells / 1.0, load Usual, Usual, Intersections;
    // Cloth that is hit at half the speed of sound in it stretches as far as the scene lets it.
    "thin-plate": 60 frames, cells / 2.0, load StrainLimit, StrainLimit, Clean;
    "closing-plates": 60 frames, cells / 2.0, load Squeezed, Squeezed, Squeezed;
    // Over the ring, from hanging outside to hanging inside.
    "torus": 45 frames, cells / 3.0, load Drawn(PI), Usual, Clean;
    // Its end hits the body with edges of 5 mm, and single vertices of it are pushed.
    "tape": 45 frames, cells / 2.0, load Pushed, Usual, Clean;
    "objects": 45 frames, cells / 2.0, load Usual, Usual, Clean;
    "figure": 60 frames, cells / 2.0, load Usual, Usual, Clean;
    "scale-1": 30 frames, cells / 2.0, load Usual, Usual, Clean;
    "scale-1000": 30 frames, cells / 2.0, load Usual, Usual, Clean;
    "scale-0.001": 30 frames, cells / 2.0, load Usual, Usual, Clean;
    "translated": 30 frames, cells / 2.0, load Usual, Usual, Clean;
}

/// The scene called `name`; the error lists what there is.
pub(crate) fn find(name: &str) -> Result<&'static Torture> {
    SCENES.iter().find(|s| s.name == name).ok_or_else(|| {
        let names: Vec<&str> = SCENES.iter().map(|s| s.name).collect();
        miette::miette!(help = format!("there are: {}", names.join(", ")), "there is no torture scene \"{name}\"")
    })
}

impl Torture {
    /// The obstacles, by their place in the scene, that leave no room for a while.
    pub(crate) fn press(&self) -> Option<[usize; 2]> {
        (self.expect == Expect::Squeezed).then_some([0, 1])
    }

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

    /// Largest stretch that the form allows.
    pub(crate) fn limit(&self, short: bool) -> Result<f64> {
        self.load[usize::from(short)].limit(&self.scene(short)?)
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
            let limits = [false, true].map(|short| torture.limit(short).unwrap());
            assert!(limits.iter().all(|limit| (1.1..1.4).contains(limit)), "{}: {limits:?}", torture.name);
        }
    }

    #[test]
    fn every_short_form_starts_without_intersections_and_unstretched() {
        for torture in SCENES {
            let world = torture.scene(true).unwrap().world().unwrap_or_else(|e| panic!("{}: {e}", torture.name));
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
        let world = |name: &str| scene(name).world().unwrap();
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
