//! Cusick's drape test (BS 5058, ISO 9073-9): how far a round sheet hangs down around a round support.
//!
//! ```text
//! DC = 100 (A_shadow − A_support)/(A_specimen − A_support) [%]
//! ```
//!
//! Support of 18 cm, specimen of 30 cm (24 cm for limp, 36 cm for stiff fabrics), or 12.7 and 25.4 cm. Coefficients of different
//! diameters cannot be compared. Real drape is multi-stable (Kenkare et al. 2006): the number of folds, and with it the coefficient, depends on
//! tiny differences, so the value read is a mean over runs with other ripples and another grain.
//!
//! Each drape is a [`World`](toile::World) with the settings of every scene: what the laboratory reads is what a scene shows.

mod bands;
mod disc;
mod run;
mod shadow;

use std::f64::consts::FRAC_PI_4;

use toile_cloth::{Fabric, MembraneKind};
use toile_mesh::TriMesh;

use super::each::{Rounds, whole};
use super::{Cancelled, TestKind};

pub use bands::{DrapeBand, published_band};
pub use run::{DrapeRun, LAST_CHANGE};
pub use shadow::SHADOW_CELL;

/// Whether yarns rub on each other when cloth bends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Yarns {
    /// With the hysteresis 2HB of the fabric.
    #[default]
    Rub,
    /// Without: bending is elastic.
    Slide,
}

/// How the specimen is cut into triangles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Meshing {
    /// In rings about its middle.
    Rings,
    /// As garments are, in no order.
    #[default]
    Random,
}

/// How the drape test is done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DrapeOptions {
    /// Diameter of the support [m].
    pub support: f64,
    /// Diameter of the specimen [m].
    pub specimen: f64,
    /// Size of its cells [m].
    pub cell: f64,
    /// How they are laid out.
    pub meshing: Meshing,
    /// Drapes to take the mean of.
    pub runs: u32,
    /// What ripples and grains are drawn from.
    pub seed: u64,
    /// How strain is measured.
    pub membrane: MembraneKind,
    /// Whether bending has hysteresis.
    pub yarns: Yarns,
    /// How long the plate takes to sink [s].
    pub seconds: f64,
    /// How long the specimen is waited for afterwards, at most [s].
    pub patience: f64,
}

/// Stands of the drape test: diameters of support and specimen [m].
impl DrapeOptions {
    /// Cusick's stand (BS 5058, ISO 9073-9).
    pub const CUSICK: [f64; 2] = [0.18, 0.30];
    /// The stand of JIS L 1096 and of the F.R.L. drapemeter, 5 and 10 inches.
    pub const FIVE_INCHES: [f64; 2] = [0.127, 0.254];
}

impl Default for DrapeOptions {
    fn default() -> Self {
        Self {
            support: Self::CUSICK[0],
            specimen: Self::CUSICK[1],
            cell: 0.007,
            meshing: Meshing::Random,
            runs: 6,
            seed: 1,
            membrane: MembraneKind::Threads,
            yarns: Yarns::Rub,
            seconds: 1.5,
            patience: 6.0,
        }
    }
}

/// What the drape test found.
#[derive(Clone, Debug)]
pub struct Drape {
    /// How it was done.
    pub options: DrapeOptions,
    /// The single drapes.
    pub runs: Vec<DrapeRun>,
}

/// Drape coefficient [%] of a specimen, round the axis, of the area `whole` [m²] when it was flat, on a support of this diameter [m].
pub fn drape_coefficient(mesh: &TriMesh, whole: f64, support: f64) -> f64 {
    coefficient(shadow::shadow_area(mesh, SHADOW_CELL), whole, support)
}

/// `100 (A_shadow − A_support)/(A_specimen − A_support)` of areas [m²].
fn coefficient(shadow: f64, whole: f64, support: f64) -> f64 {
    let under = FRAC_PI_4 * support * support;
    100.0 * (shadow - under) / (whole - under)
}

/// Drapes a fabric as often as the options say.
pub fn drape(fabric: &Fabric, options: &DrapeOptions) -> Drape {
    whole(TestKind::Drape, |rounds| drape_all(fabric, options, rounds))
}

/// The same, round by round.
pub(super) fn drape_all(
    fabric: &Fabric,
    options: &DrapeOptions,
    rounds: &mut Rounds<'_, '_>,
) -> Result<Drape, Cancelled> {
    let mut runs = Vec::new();
    for run in 0..options.runs.max(1) {
        runs.push(run::drape(fabric, options, run, rounds)?);
    }
    Ok(Drape { options: *options, runs })
}

impl Drape {
    /// Mean drape coefficient [%].
    pub fn coefficient(&self) -> f64 {
        self.runs.iter().map(|r| r.coefficient).sum::<f64>() / self.runs.len().max(1) as f64
    }

    /// Smallest and largest coefficient [%].
    pub fn range(&self) -> [f64; 2] {
        let all = self.runs.iter().map(|r| r.coefficient);
        [all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max)]
    }

    /// Mean number of folds.
    pub fn nodes(&self) -> f64 {
        self.runs.iter().map(|r| r.nodes as f64).sum::<f64>() / self.runs.len().max(1) as f64
    }

    /// Whether every run came to rest.
    pub fn converged(&self) -> bool {
        self.runs.iter().all(|r| r.converged)
    }

    /// Pairs of triangles that intersect, in all runs.
    pub fn intersections(&self) -> usize {
        self.runs.iter().map(|r| r.intersections).sum()
    }
}
