//! [`Swing`]: a sheet that swings by two corners, and what can be asked of it.

use toile_cloth::dynamics::{
    History, Integrator, Loads, Masses, Moving, NewtonSettings, NoContacts, PreconditionerKind, StepReport, Stepper,
};
use toile_cloth::{ClothModel, ConstraintFabric, DistanceRange, Fabric, SheetOptions, Sheets};
use toile_mesh::DVec3;
use toile_mesh::generate::{Diagonals, grid};

/// Length of a step [s].
pub(super) const STEP: f64 = 1.0 / 60.0;
/// Acceleration of free fall [m/s²].
const GRAVITY: f64 = 9.81;

/// The same at all sizes.
pub(super) const SETTINGS: NewtonSettings = NewtonSettings {
    tolerance: 0.1,
    most_iterations: 60,
    linear_tolerance: 0.1,
    most_linear_iterations: 2_000,
    ..NewtonSettings::DEFAULT
};

/// A sheet of n² particles, level at the start, held at two corners.
#[derive(Clone)]
pub(super) struct Swing {
    stepper: Stepper,
    model: ClothModel,
    inverse_mass: Vec<f64>,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    history: History,
    pub(super) triangles: usize,
}

impl Swing {
    pub(super) fn new(n: u32, options: &SheetOptions, preconditioner: PreconditionerKind) -> Self {
        let n = n as usize;
        let mesh = grid([1.0, 1.0], [n, n], Diagonals::Alternating);
        // E·h 5000 N/m, G 100 N/m, B 1e-5 N·m, 0.15 kg/m².
        let fabric = Fabric::default();
        let mut sheets = Sheets::default();
        sheets.add(&mesh, 0, &fabric, options);
        let mut model = ClothModel::default();
        model.add(&mesh, &ConstraintFabric { areal_density: fabric.areal_density, ..ConstraintFabric::default() });
        let mut inverse_mass: Vec<f64> = model.mass.iter().map(|m| 1.0 / m).collect();
        (inverse_mass[0], inverse_mass[n - 1]) = (0.0, 0.0);
        Self {
            stepper: Stepper::new(sheets.build(n * n), preconditioner),
            model,
            inverse_mass,
            v: vec![DVec3::ZERO; n * n],
            x: mesh.positions,
            history: History::default(),
            triangles: mesh.triangles.len(),
        }
    }

    /// The same motion with another preconditioner.
    pub(super) fn with_preconditioner(&self, preconditioner: PreconditionerKind) -> Self {
        Self { stepper: Stepper::new(self.stepper.energies().clone(), preconditioner), ..self.clone() }
    }

    pub(super) fn step(&mut self, integrator: Integrator, settings: &NewtonSettings) -> StepReport {
        let loads = Loads { gravity: DVec3::NEG_Y * GRAVITY, ..Loads::default() };
        self.stepper.advance(
            integrator,
            Moving { x: &mut self.x, v: &mut self.v, history: &mut self.history },
            &self.model.rest,
            Masses { mass: &self.model.mass, inverse: &self.inverse_mass },
            &loads,
            &mut NoContacts,
            settings,
            STEP,
        )
    }

    /// Kinetic, elastic and potential energy [J]; zero at the start.
    pub(super) fn energy(&mut self) -> f64 {
        let (x, v) = (&self.x, &self.v);
        let of =
            |i: usize| self.model.mass[i] * (0.5 * v[i].length_squared() + GRAVITY * (x[i].y - self.model.rest[i].y));
        (0..x.len()).map(of).sum::<f64>() + self.stepper.energies_mut().stored(x)
    }

    /// What gravity has done so far [J].
    pub(super) fn work(&self) -> f64 {
        let fallen = self.x.iter().zip(&self.model.rest).zip(&self.model.mass);
        fallen.map(|((x, rest), m)| m * GRAVITY * (rest.y - x.y)).sum()
    }

    pub(super) fn stretch(&self) -> Stretch {
        Stretch::of(&self.model.structural, &self.x)
    }

    /// Bits of all positions and velocities.
    pub(super) fn bits(&self) -> Vec<[u64; 3]> {
        self.x.iter().chain(&self.v).map(|p| p.to_array().map(f64::to_bits)).collect()
    }
}

/// How much longer edges are than at rest, relative; shorter ones count as not stretched.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::speed) struct Stretch {
    pub(in crate::speed) largest: f64,
    pub(in crate::speed) mean: f64,
}

impl Stretch {
    pub(in crate::speed) fn of(edges: &[DistanceRange], x: &[DVec3]) -> Self {
        let mut stretch = Self::default();
        for edge in edges {
            let [a, b] = edge.ends.map(|i| x[i as usize]);
            let longer = a.distance(b) / edge.rest - 1.0;
            let longer = if longer < 0.0 { 0.0 } else { longer };
            stretch.see(longer, longer / edges.len() as f64);
        }
        stretch
    }

    /// Takes note of a stretch and adds to the mean; what is not a number stays so.
    pub(super) fn see(&mut self, largest: f64, mean: f64) {
        if largest.is_nan() || largest > self.largest {
            self.largest = largest;
        }
        self.mean += mean;
    }
}
