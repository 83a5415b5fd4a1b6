//! Cusick's drape test (BS 5058, ISO 9073-9): how far a round sheet hangs down around a round support.
//!
//! ```text
//! DC = 100 (A_shadow − A_support)/(A_specimen − A_support) [%]
//! ```
//!
//! Support of 18 cm, specimen of 30 cm (24 cm for limp, 36 cm for stiff fabrics). Coefficients of different diameters cannot
//! be compared. Real drape is multi-stable (Kenkare et al. 2006): the number of folds, and with it the coefficient, depends on
//! tiny differences, so the value read is a mean over runs with other ripples and another grain.
//!
//! The part on the support is held, as by the plate on top of it in the instrument. The overhang does not collide with
//! itself or the support; intersections of the result are counted and reported instead.
//!
//! **Threads** strain by less than a hundred-thousandth under the weight of the overhang, so their stiffness is a constraint, not
//! a number that drape could show, as long as it is far above that of shear. Triangles of constant strain pay for it,
//! though: on a curved sheet they must strain by about `(κ h)²/24`, which with the stiffness of cotton at cells of 7 mm
//! costs more than bending does and holds the sheet up (drape coefficient 74 instead of 67 %). Both stiffnesses are therefore
//! scaled down until the softer one is 15 times that of shear. With that, means over cells of 7 and 5 mm differ by about
//! three points; single drapes by more, with their folds.

mod bands;
mod disc;
mod run;
mod shadow;

use toile_cloth::{Fabric, MembraneKind};

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

/// How the drape test is done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DrapeOptions {
    /// Diameter of the support [m].
    pub support: f64,
    /// Diameter of the specimen [m].
    pub specimen: f64,
    /// Rings of free vertices between support and hem.
    pub rings: usize,
    /// Drapes to take the mean of.
    pub runs: u32,
    /// What ripples and grains are drawn from.
    pub seed: u64,
    /// How strain is measured.
    pub membrane: MembraneKind,
    /// Whether bending has hysteresis.
    pub yarns: Yarns,
    /// How long the sheet falls before its equilibrium is solved for [s].
    pub seconds: f64,
    /// Steps on the way to equilibrium at most.
    pub most_steps: u32,
}

impl Default for DrapeOptions {
    fn default() -> Self {
        Self {
            support: 0.18,
            specimen: 0.30,
            rings: 8,
            runs: 6,
            seed: 1,
            membrane: MembraneKind::Threads,
            yarns: Yarns::Rub,
            seconds: 5.0,
            most_steps: 200,
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
