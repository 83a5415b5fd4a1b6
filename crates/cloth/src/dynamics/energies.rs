//! [`Energies`]: all elements of a world, and their assembly into one matrix.

use toile_mesh::DVec3;

use crate::element::{Bend, Curvature, ElementSet, Hinge, Membrane, Pressure, Spring, for_rows};
use crate::linear::{Csr, System};

/// All energies of a world.
#[derive(Clone, Debug)]
pub struct Energies {
    /// Triangles of constant strain.
    pub membranes: ElementSet<Membrane>,
    /// Springs and seams.
    pub springs: ElementSet<Spring>,
    /// Bending by quadratic fit.
    pub bends: ElementSet<Bend>,
    /// Bending by hinges.
    pub hinges: ElementSet<Hinge>,
    /// Gas behind triangles.
    pub pressures: ElementSet<Pressure>,
    particles: usize,
}

impl Energies {
    /// The energies of `particles` particles.
    pub fn new(
        membranes: Vec<Membrane>,
        springs: Vec<Spring>,
        bends: Vec<Bend>,
        hinges: Vec<Hinge>,
        pressures: Vec<Pressure>,
        particles: usize,
    ) -> Self {
        Self {
            membranes: ElementSet::new(membranes, particles),
            springs: ElementSet::new(springs, particles),
            bends: ElementSet::new(bends, particles),
            hinges: ElementSet::new(hinges, particles),
            pressures: ElementSet::new(pressures, particles),
            particles,
        }
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// A matrix with room for all Hessians.
    pub(crate) fn system(&mut self) -> System {
        let pairs = self.membranes.pairs().chain(self.springs.pairs()).chain(self.hinges.pairs());
        let blocks = Csr::new(self.particles, pairs.chain(self.pressures.pairs()));
        let scalars = Csr::new(self.particles, self.bends.pairs());
        self.membranes.bind(&blocks);
        self.springs.bind(&blocks);
        self.hinges.bind(&blocks);
        self.pressures.bind(&blocks);
        self.bends.bind(&scalars);
        System { blocks, scalars }
    }

    /// Energy stored at `x` [J], without what the last step's viscosity adds to [`Energies::energy`].
    pub fn stored(&mut self, x: &[DVec3]) -> f64 {
        self.set_reference(x, 0.0);
        self.energy(x)
    }

    /// Energy at `x` [J].
    pub fn energy(&mut self, x: &[DVec3]) -> f64 {
        self.membranes.energy(x)
            + self.springs.energy(x)
            + self.bends.energy(x)
            + self.hinges.energy(x)
            + self.pressures.energy(x)
    }

    fn evaluate(&mut self, x: &[DVec3], curvature: Curvature) {
        self.membranes.evaluate(x, curvature);
        self.springs.evaluate(x, curvature);
        self.bends.evaluate(x, curvature);
        self.hinges.evaluate(x, curvature);
        self.pressures.evaluate(x, curvature);
    }

    /// Gradient at `x` into `g` [N].
    pub fn gradient(&mut self, x: &[DVec3], g: &mut [DVec3]) {
        use rayon::prelude::*;
        self.evaluate(x, Curvature::Definite);
        let sets = &*self;
        g.par_iter_mut().with_min_len(256).enumerate().for_each(|(i, g)| {
            *g = sets.membranes.gradient(i)
                + sets.springs.gradient(i)
                + sets.bends.gradient(i)
                + sets.hinges.gradient(i)
                + sets.pressures.gradient(i);
        });
    }

    /// Gradient at `x` into `g` [N] and Hessian into `system` [N/m].
    pub fn assemble(&mut self, x: &[DVec3], curvature: Curvature, g: &mut [DVec3], system: &mut System) {
        self.evaluate(x, curvature);
        let sets = &*self;
        let System { blocks, scalars } = system;
        for_rows(
            (&blocks.starts, &mut blocks.values),
            (&scalars.starts, &mut scalars.values),
            0,
            g,
            &|i, blocks, scalars, g| {
                blocks.fill(toile_mesh::DMat3::ZERO);
                scalars.fill(0.0);
                *g = sets.membranes.gather(i, blocks)
                    + sets.springs.gather(i, blocks)
                    + sets.bends.gather(i, scalars)
                    + sets.hinges.gather(i, blocks)
                    + sets.pressures.gather(i, blocks);
            },
        );
    }

    /// Tells the elements that remember where a step began: `x` and the rate [1/s] at which changes since then count.
    pub(crate) fn set_reference(&mut self, x: &[DVec3], per_second: f64) {
        use rayon::prelude::*;
        let reference = |m: &mut Membrane| m.set_reference(x, per_second);
        self.membranes.elements_mut().par_iter_mut().with_min_len(512).for_each(reference);
        let reference = |b: &mut Bend| b.set_reference(x, per_second);
        self.bends.elements_mut().par_iter_mut().with_min_len(512).for_each(reference);
    }
}
