//! A piece of cloth in an instrument: its elements, its weight, and who is held.

use std::ops::ControlFlow;

use toile_cloth::dynamics::{Loads, Masses, PreconditionerKind, SettleReport, SettleSettings, Stepper};
use toile_cloth::{Fabric, SheetOptions, Sheets};
use toile_mesh::{DVec3, TriMesh};

use super::each::{Cancelled, Rounds};

/// A flat sample with everything that is needed to bring it to rest.
pub(super) struct Sample {
    /// The unloaded shape.
    pub(super) rest: TriMesh,
    /// Where its vertices are [m].
    pub(super) x: Vec<DVec3>,
    pub(super) stepper: Stepper,
    /// Mass of each vertex [kg].
    pub(super) mass: Vec<f64>,
    /// Inverse of it [1/kg], zero for those that are held.
    pub(super) inverse: Vec<f64>,
}

impl Sample {
    /// A sample of the flat shape `rest`; `held` tells who stays, by number and place in the flat shape.
    pub(super) fn new(
        rest: TriMesh,
        fabric: &Fabric,
        options: &SheetOptions,
        held: impl Fn(usize, DVec3) -> bool,
    ) -> Self {
        let mut sheets = Sheets::default();
        sheets.add(&rest, 0, fabric, options);
        let stepper = Stepper::new(sheets.build(rest.vertex_count()), PreconditionerKind::Multilevel);
        let mass: Vec<f64> = rest.vertex_areas().iter().map(|area| area * fabric.areal_density).collect();
        let inverse = rest
            .positions
            .iter()
            .zip(&mass)
            .enumerate()
            .map(|(i, (p, m))| if held(i, *p) || *m <= 0.0 { 0.0 } else { 1.0 / m })
            .collect();
        let x = rest.positions.clone();
        Self { rest, x, stepper, mass, inverse }
    }

    /// Brings the sample to rest under gravity [m/s²] and forces on its vertices [N].
    pub(super) fn settle(
        &mut self,
        gravity: DVec3,
        force: &[DVec3],
        settings: &SettleSettings,
        rounds: &mut Rounds<'_, '_>,
    ) -> Result<SettleReport, Cancelled> {
        let loads = Loads { gravity, force, ..Loads::default() };
        let masses = Masses { mass: &self.mass, inverse: &self.inverse };
        let mut each = || if rounds.next().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let report = self.stepper.settle_each(&mut self.x, masses, &loads, settings, &mut each);
        if report.cancelled { Err(Cancelled) } else { Ok(report) }
    }

    /// Derivative of the energy by the place of each vertex [N].
    pub(super) fn gradient(&mut self) -> Vec<DVec3> {
        let mut gradient = vec![DVec3::ZERO; self.x.len()];
        let energies = self.stepper.energies_mut();
        energies.gradient(&self.x, &mut gradient);
        gradient
    }

    /// The shape as it is now.
    pub(super) fn shape(&self) -> TriMesh {
        TriMesh { positions: self.x.clone(), triangles: self.rest.triangles.clone() }
    }
}
