//! [`Energies`]: all elements of a world, and their assembly into one matrix.

use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

use super::Since;
use crate::element::{Bend, Curvature, ElementSet, Hinge, Membrane, MembraneLocal, Pressure, Spring, Turn, for_rows};
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
    /// Derivatives of the membranes where a step begins.
    start: Vec<MembraneLocal>,
    particles: usize,
    /// Where the diagonal block stands in each row of the matrix, relative to the row's start.
    diagonals: Vec<u32>,
    /// Rate of viscosity [1/s].
    rate: f64,
    /// Rate for which the constant Hessian of bending stands in the matrix, if it is constant.
    filled_for: Option<f64>,
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
            start: Vec::new(),
            particles,
            diagonals: Vec::new(),
            rate: 0.0,
            filled_for: None,
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
        let diagonal = |i: usize| {
            let at = blocks.position(i, i).expect("every row has its diagonal");
            (at - blocks.row(i).start) as u32
        };
        self.diagonals = (0..self.particles).map(diagonal).collect();
        System { blocks, scalars, ..System::default() }
    }

    /// Energy stored at `x` [J], without what the last step's viscosity adds to [`Energies::energy`].
    pub fn stored(&mut self, x: &[DVec3]) -> f64 {
        self.set_reference(&Since::start(x, 0.0));
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

    /// Prepares the derivatives at `x` for a solver; returns the energy [J].
    pub(crate) fn evaluate_with_energy(&mut self, x: &[DVec3]) -> f64 {
        self.membranes.evaluate_with_energy(x, Curvature::Definite)
            + self.springs.evaluate_with_energy(x, Curvature::Definite)
            + self.bends.evaluate_with_energy(x, Curvature::Definite)
            + self.hinges.evaluate_with_energy(x, Curvature::Definite)
            + self.pressures.evaluate_with_energy(x, Curvature::Definite)
    }

    /// Keeps the derivatives of membranes that were prepared last, to be turned.
    pub(crate) fn keep_start(&mut self) {
        self.start.clear();
        self.start.extend_from_slice(self.membranes.locals());
    }

    /// Makes the derivatives of membranes those of a model that knows how triangles turn ([`Membrane::turned`]), at positions displaced by
    /// `moved` [m] from those that were kept.
    pub(crate) fn turn(&mut self, moved: &[DVec3], turn: Turn<'_>) {
        self.membranes.prepare_from(&self.start, |membrane, start| membrane.turned(start, moved, turn));
    }

    /// Gradient at `x` into `g` [N].
    pub fn gradient(&mut self, x: &[DVec3], g: &mut [DVec3]) {
        self.evaluate(x, Curvature::Definite);
        self.gather_gradient(g, &|_, g| g);
    }

    /// Gradient at `x` into `g` [N] and Hessian into `system` [N/m].
    pub fn assemble(&mut self, x: &[DVec3], curvature: Curvature, g: &mut [DVec3], system: &mut System) {
        self.evaluate(x, curvature);
        // The system may be any; nothing is known of the one before, nor will be of this one.
        self.filled_for = None;
        self.gather(g, system, &|_, g, _| g);
        self.filled_for = None;
    }

    /// Gradient where the derivatives were prepared; `finish` makes of a particle's sum what is written.
    pub(crate) fn gather_gradient(&self, g: &mut [DVec3], finish: &(impl Fn(usize, DVec3) -> DVec3 + Sync)) {
        g.par_chunks_mut(crate::CHUNK).enumerate().for_each(|(chunk, g)| {
            for (i, g) in g.iter_mut().enumerate() {
                let i = chunk * crate::CHUNK + i;
                let sum = self.membranes.gradient(i)
                    + self.springs.gradient(i)
                    + self.bends.gradient(i)
                    + self.hinges.gradient(i)
                    + self.pressures.gradient(i);
                *g = finish(i, sum);
            }
        });
    }

    /// Gradient and Hessian where the derivatives were prepared; `finish` makes of a particle's sum what is written, and may
    /// add to its block of the diagonal.
    ///
    /// `system` must be the one of the call before: bending without friction is filled in only when its viscosity or
    /// its elements have changed.
    pub(crate) fn gather(
        &mut self,
        g: &mut [DVec3],
        system: &mut System,
        finish: &(impl Fn(usize, DVec3, &mut DMat3) -> DVec3 + Sync),
    ) {
        let touched = self.bends.take_touched();
        let fill = touched || self.filled_for != Some(self.rate);
        let sets = &*self;
        let System { blocks, scalars, .. } = system;
        for_rows(
            (&blocks.starts, &mut blocks.values),
            (&scalars.starts, &mut scalars.values),
            0,
            g,
            &|i, blocks, scalars, g| {
                blocks.fill(DMat3::ZERO);
                let bending = if fill {
                    scalars.fill(0.0);
                    sets.bends.gather(i, scalars)
                } else {
                    sets.bends.gradient(i)
                };
                let sum = sets.membranes.gather(i, blocks)
                    + sets.springs.gather(i, blocks)
                    + bending
                    + sets.hinges.gather(i, blocks)
                    + sets.pressures.gather(i, blocks);
                *g = finish(i, sum, &mut blocks[sets.diagonals[i] as usize]);
            },
        );
        if fill {
            let constant = self.bends.elements().iter().all(Bend::has_constant_hessian);
            self.filled_for = constant.then_some(self.rate);
        }
    }

    /// Tells the elements that have viscosity what changes are measured since.
    pub(crate) fn set_reference(&mut self, since: &Since<'_>) {
        self.rate = since.rate;
        self.membranes.begin_step(|m| m.set_reference(since));
        self.bends.begin_step(|b| b.set_reference(since));
    }
}
