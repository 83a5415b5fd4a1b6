//! How far the cloth of a scene may be stretched, and why.
//!
//! Stretch is a ratio of a length to that at rest. Finite elements are measured along warp and weft in every triangle,
//! because their other edges get longer when cloth shears. The constraint model is measured along its edges.
//!
//! Most scenes stretch cloth by its own weight alone, which is nearly nothing: there [`USUAL`] bounds what a coarse mesh
//! and a step of few iterations leave. The other limits follow from the scene file:
//!
//! ```text
//! Drawn        1.1 + W e^(μ θ) / (l k)       a hand or a rod draws the cloth over bends of θ in all
//! StrainLimit  1.1 + physics.strain_limit    threads reach the limit of the scene
//! Pushed       d + 2 f t / l                 contacts push both ends of an edge after lengths are corrected
//! Squeezed     d + 2 (1 + f) t / l           obstacles leave no room, and push each end by all they keep
//! ```
//!
//! `W` weight of all cloths [N], `μ` largest coefficient of friction in the scene, `l` shortest edge [m], `k` stiffness
//! of the softer threads [N/m]: the whole weight hangs on the threads of one row of cells, and belt friction multiplies
//! it (Euler, Eytelwein). `d` longest allowed edge of the constraint model with what its passes leave, `t` distance kept
//! from obstacles [m], `f` the share of it that the guard never gives up.

use miette::{IntoDiagnostic, Result, miette};
use toile::settings::AutoLength;
use toile_cloth::Fabric;
use toile_mesh::DVec3;
use toile_scene::{Cloth, ClothShape, Scene};

/// Limit where cloth bears little more than its own weight.
pub(crate) const USUAL: f64 = 1.1;
/// How much longer than allowed the last passes of a frame leave an edge.
const LEFT_BY_PASSES: f64 = 1.01;
/// Share of the distance kept that the guard never gives up.
const GUARD_FLOOR: f64 = 0.1;

/// What stretches the cloth of a scene; see the module.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Load {
    /// Its weight.
    Usual,
    /// Something draws it over bends of this angle in all [rad].
    Drawn(f64),
    /// Threads reach the strain limit of the scene.
    StrainLimit,
    /// Contacts push single vertices.
    Pushed,
    /// Obstacles leave no room.
    Squeezed,
}

impl Load {
    /// Largest stretch that a scene with this load may have.
    pub(crate) fn limit(self, scene: &Scene) -> Result<f64> {
        Ok(match self {
            Self::Usual => USUAL,
            Self::Drawn(bend) => USUAL + drawn(scene, bend)?,
            Self::StrainLimit => USUAL + scene.physics.strain_limit.unwrap_or(0.0),
            Self::Pushed => pushed(scene, GUARD_FLOOR)?,
            Self::Squeezed => pushed(scene, 1.0 + GUARD_FLOOR)?,
        })
    }
}

/// Strain of one row of threads that bears all cloths, drawn over bends of `bend` [rad].
fn drawn(scene: &Scene, bend: f64) -> Result<f64> {
    let gravity = DVec3::from(scene.forces.gravity).length();
    // No mean of two coefficients is above the larger one.
    let mut friction: f64 = scene.obstacle.iter().filter_map(|obstacle| obstacle.friction).fold(0.0, f64::max);
    let mut weight = 0.0;
    // Force that stretches one row of cells to twice its length [N].
    let mut softest = f64::INFINITY;
    for cloth in &scene.cloth {
        let fabric = fabric(cloth)?;
        let sheet = Sheet::of(cloth)?;
        friction = friction.max(cloth.friction.unwrap_or(fabric.friction));
        weight += cloth.areal_density.unwrap_or(fabric.areal_density) * sheet.area * gravity;
        softest = softest.min(fabric.stretch_warp.min(fabric.stretch_weft) * sheet.edge);
    }
    Ok(weight * (friction * bend).exp() / softest)
}

/// Stretch of the shortest edge when both of its ends are pushed by `share` of the distance kept from obstacles.
fn pushed(scene: &Scene, share: f64) -> Result<f64> {
    let mut largest: f64 = 0.0;
    for cloth in &scene.cloth {
        let kept = match scene.contact.threshold {
            AutoLength::Metres(kept) => kept,
            AutoLength::Auto => 0.5 * cloth.thickness.map_or_else(|| fabric(cloth).map(|f| f.thickness), Ok)?,
        };
        let push = 2.0 * share * kept / Sheet::of(cloth)?.edge;
        largest = largest.max(LEFT_BY_PASSES * cloth.stretch_max + push);
    }
    Ok(largest)
}

/// The fabric that a cloth names.
fn fabric(cloth: &Cloth) -> Result<Fabric> {
    Ok(toile_scene::fabric::find(&cloth.fabric).into_diagnostic()?.fabric)
}

/// A flat cloth of squares.
struct Sheet {
    /// Its area [m²].
    area: f64,
    /// Its shortest edge [m].
    edge: f64,
}

impl Sheet {
    fn of(cloth: &Cloth) -> Result<Self> {
        let (size, cells) = match &cloth.shape {
            ClothShape::Grid(grid) => (grid.size, grid.vertices.map(|n| n - 1)),
            ClothShape::Ribbon(ribbon) => ([ribbon.length, ribbon.width], ribbon.segments),
            _ => return Err(miette!("the limit of {} needs a grid or a ribbon", cloth.name)),
        };
        let edges = [size[0] / f64::from(cells[0]), size[1] / f64::from(cells[1])];
        Ok(Self { area: size[0] * size[1], edge: edges[0].min(edges[1]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(load: Load, text: &str) -> f64 {
        load.limit(&Scene::from_toml("test.toml", text).unwrap()).unwrap()
    }

    #[test]
    fn drawn_cloth_bears_its_weight_times_belt_friction_on_one_row_of_threads() {
        let text = "[solver]\nmodel = \"fem\"\n[forces]\ngravity = [0, -10, 0]\n\
            [[cloth]]\nfabric = \"cotton-poplin\"\nareal_density = 0.2\nfriction = 0.1\n\
            shape = { kind = \"grid\", size = [1, 0.5], vertices = [101, 26] }\n\
            [[obstacle]]\nfriction = 0.5\nshape = { kind = \"plane\" }\n";
        // 0.2 kg/m² · 0.5 m² · 10 m/s² = 1 N on 10 mm of weft of 3,955 N/m.
        let still = 1.0 / (0.01 * 3_955.0);
        assert!((limit(Load::Drawn(0.0), text) - 1.1 - still).abs() < 1e-12);
        assert!((limit(Load::Drawn(2.0), text) - 1.1 - still * std::f64::consts::E).abs() < 1e-12);
    }

    #[test]
    fn pushes_count_relative_to_the_shortest_edge() {
        let text = "[contact]\nthreshold = 0.002\n\
            [[cloth]]\nstretch_max = 1.0\nshape = { kind = \"ribbon\", length = 1, width = 0.1, segments = [50, 10] }\n";
        // Edges of 10 mm whose ends go 0.2 mm each, or 2.2 mm.
        assert!((limit(Load::Pushed, text) - 1.05).abs() < 1e-12);
        assert!((limit(Load::Squeezed, text) - 1.45).abs() < 1e-12);
    }

    #[test]
    fn weight_and_strain_limit_are_taken_as_they_are() {
        let text = "[solver]\nmodel = \"fem\"\n[physics]\nstrain_limit = 0.2\n[[cloth]]\n";
        assert_eq!(limit(Load::Usual, text), 1.1);
        assert!((limit(Load::StrainLimit, text) - 1.3).abs() < 1e-12);
    }
}
