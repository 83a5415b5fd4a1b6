//! The scenes of the benchmark, how finely they are stepped, and how fast they should be.
//!
//! An aim is CPU seconds per simulated second. It is what a fast library without a guard takes for about the same
//! motion on one core of a laptop; finite elements may take four times as long. Absolute as it is, it says more about changes
//! on one machine than about one machine.

use clap::ValueEnum;
use miette::Result;
use toile_scene::Scene;

/// Frames per simulated second.
pub(super) const FRAME_RATE: f64 = 60.0;
/// Diffusion of velocity in the constraint model [m²/s]: what limits lengths shakes fine cloth, and ripples cost searches.
const SMOOTHING: f64 = 0.015;
/// What finite elements may take relative to constraints.
const FEM_ALLOWANCE: f64 = 4.0;

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DrapeScene {
    /// A square cloth falls onto a ball
    S1,
    /// The ball turns after a second
    S2,
    /// A ribbon falls end first onto a floor
    S3,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClothKind {
    /// Particles at allowed distances
    Constraint,
    /// Finite elements
    Fem,
}

/// What is measured if nothing was asked for.
pub(super) const DEFAULT_CASES: [Case; 5] = [
    Case { scene: DrapeScene::S1, size: 64, model: ClothKind::Constraint },
    Case { scene: DrapeScene::S1, size: 128, model: ClothKind::Constraint },
    Case { scene: DrapeScene::S1, size: 64, model: ClothKind::Fem },
    Case { scene: DrapeScene::S2, size: 64, model: ClothKind::Constraint },
    Case { scene: DrapeScene::S3, size: 8, model: ClothKind::Constraint },
];

impl DrapeScene {
    pub(super) const ALL: [Self; 3] = [Self::S1, Self::S2, Self::S3];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::S1 => "s1",
            Self::S2 => "s2",
            Self::S3 => "s3",
        }
    }

    pub(super) const fn usual_sizes(self) -> &'static [u32] {
        match self {
            Self::S1 => &[64, 128],
            Self::S2 => &[64],
            Self::S3 => &[8],
        }
    }

    /// Simulated time [s].
    const fn seconds(self) -> f64 {
        match self {
            Self::S1 => 2.0,
            Self::S2 | Self::S3 => 3.0,
        }
    }
}

impl ClothKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Constraint => "constraint",
            Self::Fem => "fem",
        }
    }
}

/// A scene at a size with a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Case {
    pub(super) scene: DrapeScene,
    /// Vertices per side of the square cloth, or squares across the ribbon, which is 20 times as long.
    pub(super) size: u32,
    pub(super) model: ClothKind,
}

impl Case {
    pub(super) fn name(self) -> String {
        format!("{} {} {}", self.scene.name(), self.fineness(), self.model.name())
    }

    /// The size in words.
    pub(super) fn fineness(self) -> String {
        match self.scene {
            DrapeScene::S1 | DrapeScene::S2 => format!("{}²", self.size),
            DrapeScene::S3 => format!("{}×{}", self.size, 20 * self.size),
        }
    }

    /// CPU seconds per simulated second that are aimed at, if there is such an aim.
    pub(super) fn aim(self) -> Option<f64> {
        let constraint = match (self.scene, self.size) {
            (DrapeScene::S1, 32) => 0.15,
            (DrapeScene::S1, 64) => 0.6,
            (DrapeScene::S1, 128) => 3.0,
            (DrapeScene::S1, 256) => 15.0,
            (DrapeScene::S2, 64) => 0.8,
            (DrapeScene::S3, 8) => 0.25,
            (DrapeScene::S3, 16) => 1.2,
            _ => return None,
        };
        Some(constraint * if self.model == ClothKind::Fem { FEM_ALLOWANCE } else { 1.0 })
    }

    /// Steps per frame: finer cloth moves farther relative to its edges.
    pub(super) fn substeps(self) -> u32 {
        match (self.model, self.scene, self.size) {
            (ClothKind::Fem, DrapeScene::S1 | DrapeScene::S2, _) => 2,
            (ClothKind::Fem, DrapeScene::S3, _) => 4,
            (ClothKind::Constraint, DrapeScene::S3, _) | (_, _, 129..) => 20,
            (ClothKind::Constraint, _, ..=64) => 10,
            (ClothKind::Constraint, _, _) => 16,
        }
    }

    /// The scene, or its first `seconds` [s].
    pub(super) fn scene(self, seconds: Option<f64>) -> Result<Scene> {
        let duration = seconds.unwrap_or(f64::INFINITY).min(self.scene.seconds());
        let (n, long) = (self.size, u64::from(self.size) * 20);
        let (place, shape, obstacle) = match self.scene {
            DrapeScene::S1 | DrapeScene::S2 => (
                "position = [0.0, 0.3, 0.0]",
                format!("kind = \"grid\", size = [1.0, 1.0], vertices = [{n}, {n}]"),
                format!(
                    "spin = {}\nfrom = 1.0\nshape = {{ kind = \"sphere\", radius = 0.25 }}",
                    if self.scene == DrapeScene::S2 { 1.0 } else { 0.0 }
                ),
            ),
            // Two millimetres above where contact begins.
            DrapeScene::S3 => (
                "position = [0.0, 1.005, 0.0]\nrotation_deg = [0.0, 0.0, 90.0]",
                format!("kind = \"ribbon\", length = 2.0, width = 0.1, segments = [{long}, {n}]"),
                "shape = { kind = \"plane\" }".to_owned(),
            ),
        };
        let text = format!(
            r#"
            time = {{ duration = {duration:?}, frame_rate = {FRAME_RATE:?}, substeps = {substeps} }}
            solver = {{ model = "{model}", iterations = 1, adaptive = false, smoothing = {SMOOTHING:?} }}
            contact = {{ threshold = 0.003 }}
            [[cloth]]
            areal_density = 0.2
            thickness = 0.003
            friction = 0.3
            {place}
            shape = {{ {shape} }}
            [[obstacle]]
            friction = 0.3
            {obstacle}
            "#,
            substeps = self.substeps(),
            model = self.model.name(),
        );
        Ok(Scene::from_toml("bench", &text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_a_scene_with_its_steps_and_aim() {
        let case = |scene, size, model| Case { scene, size, model };
        let (constraint, fem) = (ClothKind::Constraint, ClothKind::Fem);
        for (case, frames, substeps, aim) in [
            (case(DrapeScene::S1, 64, constraint), 120, 10, Some(0.6)),
            (case(DrapeScene::S1, 128, constraint), 120, 16, Some(3.0)),
            (case(DrapeScene::S1, 256, fem), 120, 2, Some(60.0)),
            (case(DrapeScene::S2, 256, constraint), 180, 20, None),
            (case(DrapeScene::S3, 16, constraint), 180, 20, Some(1.2)),
            (case(DrapeScene::S3, 8, fem), 180, 4, Some(1.0)),
        ] {
            let scene = case.scene(None).unwrap();
            let found = (scene.time.frames(), scene.time.substeps, case.aim());
            assert_eq!(found, (frames, substeps, aim), "{}", case.name());
            assert_eq!(case.scene(Some(0.1)).unwrap().time.frames(), 6);
        }
    }

    #[test]
    fn the_ribbon_stands_on_end_just_above_the_floor() {
        let case = Case { scene: DrapeScene::S3, size: 1, model: ClothKind::Constraint };
        let world = case.scene(None).unwrap().world().unwrap();
        let heights = world.state().x.iter().map(|x| x.y);
        let lowest = heights.clone().fold(f64::INFINITY, f64::min);
        assert!((lowest - 0.005).abs() < 1e-9 && (heights.fold(0.0, f64::max) - 2.005).abs() < 1e-9);
    }
}
