//! A cloth with what it takes to step it.

use toile_cloth::dynamics::{
    Energies, History, Integrator, Loads, Masses, Moving, NewtonSettings, PreconditionerKind, StepReport, Stepper,
};
use toile_cloth::{Fabric, SheetOptions, Sheets};
use toile_contact::{Contact, ContactForce, ContactPotential, Friction, Stiffness};
use toile_mesh::{DVec3, TriMesh};

pub(crate) const TIGHT: NewtonSettings = NewtonSettings {
    tolerance: 1e-4,
    most_iterations: 200,
    linear_tolerance: 1e-4,
    most_linear_iterations: 2000,
    ..NewtonSettings::DEFAULT
};

/// Distance that contacts keep [m].
pub(crate) const DISTANCE: f64 = 1e-3;

/// A contact with its stiffness.
pub(crate) type Stiff = (Contact, Stiffness);

pub(crate) struct World {
    pub(crate) stepper: Stepper,
    pub(crate) contacts: ContactPotential,
    pub(crate) x: Vec<DVec3>,
    pub(crate) v: Vec<DVec3>,
    pub(crate) mass: Vec<f64>,
    pub(crate) inverse: Vec<f64>,
    pub(crate) held: Vec<DVec3>,
    pub(crate) force: Vec<DVec3>,
    pub(crate) gravity: DVec3,
    pub(crate) history: History,
    pub(crate) integrator: Integrator,
    pub(crate) settings: NewtonSettings,
}

impl World {
    fn new(energies: Energies, kind: PreconditionerKind, x: Vec<DVec3>, mass: Vec<f64>) -> Self {
        Self {
            stepper: Stepper::new(energies, kind),
            contacts: ContactPotential::default(),
            v: vec![DVec3::ZERO; x.len()],
            held: x.clone(),
            force: Vec::new(),
            x,
            inverse: mass.iter().map(|m| 1.0 / m).collect(),
            mass,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            history: History::default(),
            integrator: Integrator::ImplicitEuler,
            settings: NewtonSettings::default(),
        }
    }

    /// A particle of one gram.
    pub(crate) fn particle(x: DVec3) -> Self {
        let energies = Energies::new(vec![], vec![], vec![], vec![], vec![], 1);
        Self::new(energies, PreconditionerKind::BlockJacobi, vec![x], vec![1e-3])
    }

    /// Sheets of one fabric, each with its own shape in space.
    pub(crate) fn sheets(
        meshes: &[&TriMesh],
        fabric: &Fabric,
        kind: PreconditionerKind,
        place: impl Fn(usize, DVec3) -> DVec3,
    ) -> Self {
        let mut sheets = Sheets::default();
        let (mut x, mut mass) = (Vec::new(), Vec::new());
        for (k, mesh) in meshes.iter().enumerate() {
            sheets.add(mesh, x.len(), fabric, &SheetOptions::default());
            x.extend(mesh.positions.iter().map(|p| place(k, *p)));
            mass.extend(mesh.vertex_areas().iter().map(|a| a * fabric.areal_density));
        }
        Self::new(sheets.build(x.len()), kind, x, mass)
    }

    /// Contacts of all particles with the plane y = 0, stiff enough to carry their weight with a tenth of the distance.
    pub(crate) fn plane(&self, friction: f64) -> Vec<Stiff> {
        let contact = |i: usize| {
            let first = self.mass[i] * 9.81 / (0.1 * DISTANCE);
            let contact = Contact::with_plane(i as u32, DVec3::Y, 0.0, DISTANCE);
            (Contact { friction: Friction::Coulomb(friction), ..contact }, Stiffness { first, most: 0.0 })
        };
        (0..self.x.len()).map(contact).collect()
    }

    pub(crate) fn step(&mut self, contacts: &[Stiff], h: f64) -> StepReport {
        let (contacts, stiffness): (Vec<Contact>, Vec<Stiffness>) = contacts.iter().copied().unzip();
        self.contacts.set_terms(&contacts, &stiffness, self.x.len());
        let loads = Loads { gravity: self.gravity, force: &self.force, ..Loads::default() };
        let moving = Moving { x: &mut self.x, v: &mut self.v, history: &mut self.history };
        let masses = Masses { mass: &self.mass, inverse: &self.inverse };
        let (method, settings) = (self.integrator, &self.settings);
        self.stepper.advance(method, moving, &self.held, masses, &loads, &mut self.contacts, settings, h)
    }

    pub(crate) fn forces(&self) -> Vec<ContactForce> {
        self.contacts.forces().collect()
    }

    pub(crate) fn center(&self) -> DVec3 {
        let total: f64 = self.mass.iter().sum();
        self.x.iter().zip(&self.mass).map(|(x, m)| *x * *m).sum::<DVec3>() / total
    }

    pub(crate) fn top_speed(&self) -> f64 {
        self.v.iter().map(|v| v.length()).fold(0.0, f64::max)
    }
}
