//! [`Flow`]: incompressible air on a grid, the second wind model of Keckeisen et al. 2004.
//!
//! ```text
//! ∂u/∂t + (u·∇) u = −∇p/ρ + f        ∇·u = 0
//! ```
//!
//! on a staggered grid (Harlow, Welch 1965): pressures at the centres of cells, the component of velocity across a face
//! at its centre. One step of length `h`, after Stam 1999, *Stable Fluids*, and Fedkiw, Stam, Jensen 2001:
//!
//! 1. mark cells whose centre is inside a body as solid, and fix what is known at faces ([`boundary`]);
//! 2. carry velocities along themselves, backwards with a midpoint rule ([`advect`]), any `h` being stable;
//! 3. optionally strengthen eddies that the grid has smeared ([`confine`]);
//! 4. subtract the gradient of the pressure that makes every cell lose as much air as it gains ([`pressure`]).
//!
//! Boundaries: a face of a solid has the velocity of the body; inside solids the air moves with them, which makes the
//! surface rough and lets a wake form. At the border of the grid, faces where the wind outside blows in have its
//! velocity; the others are open (`p = 0`), and what flows back through them is wind from outside. Air shut off from
//! all open faces counts as solid.
//!
//! The air has no viscosity but that of the interpolation, about `U · cell`; bodies are staircases, thinner ones than a
//! cell may be missed. The grid does not move: place it around all the cloth will reach. Reductions run in fixed
//! chunks, so results have the same bits for any number of threads.

mod advect;
mod boundary;
mod confine;
mod pressure;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use toile_mesh::{Aabb, DVec3};

use super::Bodies;
use super::lattice::{GridError, Lattice, StateMismatch};
use pressure::PressureSolver;

/// Settings of a flow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlowSettings {
    /// Largest divergence of a cell after a step, relative to the fastest wind per cell edge. 1e-9; larger is faster
    /// and leaks air.
    pub tolerance: f64,
    /// Strength of vorticity confinement [1/s]: 0 is none; about the wind speed per metre keeps eddies alive.
    pub confinement: f64,
}

impl Default for FlowSettings {
    fn default() -> Self {
        Self { tolerance: 1e-9, confinement: 0.0 }
    }
}

/// What a step of a flow did.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlowReport {
    /// Iterations of the pressure solver.
    pub iterations: usize,
    /// Largest divergence of a cell of air [1/s].
    pub divergence: f64,
    /// Whether the divergence is within the tolerance.
    pub converged: bool,
}

/// Air that flows around bodies.
///
/// ```
/// use toile_cloth::air::{Bodies, Flow, FlowSettings};
/// use toile_mesh::{Aabb, DVec3};
/// let bounds = Aabb { min: DVec3::new(-1.0, -1.0, -1.0), max: DVec3::new(2.0, 1.0, 1.0) };
/// let mut flow = Flow::new(bounds, 0.2, 3.0 * DVec3::X, FlowSettings::default()).unwrap();
/// let report = flow.advance(0.02, &|_| 3.0 * DVec3::X, Bodies::still(&|p| p.length() - 0.4));
/// assert!(report.converged);
/// assert!(flow.velocity(DVec3::new(0.0, 0.6, 0.0)).unwrap().x > 3.0);
/// ```
#[derive(Clone, Debug)]
pub struct Flow {
    settings: FlowSettings,
    /// Centres of the cells.
    cells: Lattice,
    /// Centres of the faces across x, y, z.
    faces: [Lattice; 3],
    /// Velocity across each face [m/s].
    velocity: [Vec<f64>; 3],
    /// Pressure times `h/ρ` per cell edge [m/s].
    pressure: Vec<f64>,
    /// Whether each cell is solid.
    solid: Vec<bool>,
    /// Whether the velocity of each face is given.
    fixed: [Vec<bool>; 3],
    /// Room for the velocities to come.
    next: [Vec<f64>; 3],
    solver: PressureSolver,
    confinement: confine::Confinement,
}

impl Flow {
    /// A flow of velocity `start` [m/s] in a grid over `bounds` with cells of edge length `cell` [m].
    pub fn new(bounds: Aabb, cell: f64, start: DVec3, settings: FlowSettings) -> Result<Self, GridError> {
        let cells = Lattice::centres(bounds, cell)?;
        let faces = [0, 1, 2].map(|axis| cells.faces(axis));
        let velocity = [0, 1, 2].map(|axis: usize| vec![start[axis]; faces[axis].len()]);
        Ok(Self {
            settings,
            cells,
            pressure: vec![0.0; cells.len()],
            solid: vec![false; cells.len()],
            fixed: [0, 1, 2].map(|axis: usize| vec![false; faces[axis].len()]),
            next: velocity.clone(),
            velocity,
            faces,
            solver: PressureSolver::new(cells),
            confinement: confine::Confinement::default(),
        })
    }

    /// Moves the air on by `h` [s]; `outside` is the wind around the grid at the end of the step [m/s] as a function of
    /// the point, `bodies` where they are then.
    pub fn advance(&mut self, h: f64, outside: &(dyn Fn(DVec3) -> DVec3 + Sync), bodies: Bodies<'_>) -> FlowReport {
        let h = if h.is_finite() { h.max(0.0) } else { 0.0 };
        self.mark_boundaries(outside, bodies);
        self.advect(h, outside);
        if self.settings.confinement > 0.0 {
            self.confine(h);
        }
        self.fix_boundaries(outside, bodies);
        self.project()
    }

    /// Wind at `p` [m/s]; nothing outside the grid.
    pub fn velocity(&self, p: DVec3) -> Option<DVec3> {
        self.cells.corners().contains(p).then(|| self.velocity_within(p))
    }

    fn velocity_within(&self, p: DVec3) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|axis: usize| self.faces[axis].interpolate(&self.velocity[axis], p)))
    }

    /// Everything that changes with time, as plain numbers: velocities across the faces along x, y, z, then pressures.
    pub fn state(&self) -> Vec<f64> {
        let [u, v, w] = &self.velocity;
        [u, v, w, &self.pressure].into_iter().flatten().copied().collect()
    }

    /// Continues from a saved [`Flow::state`] of the same grid.
    pub fn restore(&mut self, state: &[f64]) -> Result<(), StateMismatch> {
        let [u, v, w] = &mut self.velocity;
        let parts = [u, v, w, &mut self.pressure];
        let expected = parts.iter().map(|part| part.len()).sum();
        if state.len() != expected {
            return Err(StateMismatch { expected, found: state.len() });
        }
        let mut rest = state;
        for part in parts {
            let (now, later) = rest.split_at(part.len());
            part.copy_from_slice(now);
            rest = later;
        }
        Ok(())
    }

    /// Subtracts the gradient of pressure that frees the air of divergence.
    fn project(&mut self) -> FlowReport {
        let fastest = self.velocity.iter().flatten().fold(0.0, |most: f64, u| most.max(u.abs()));
        let allowed = self.settings.tolerance.max(0.0) * fastest;
        self.solver.prepare(&self.solid, &self.fixed);
        self.solver.right_side(&self.velocity, &self.solid);
        let iterations = self.solver.solve(&mut self.pressure, 0.5 * allowed);
        self.subtract_gradient();
        let rest = self.solver.right_side(&self.velocity, &self.solid);
        // The largest of numbers does not depend on their order; a number that is none must not get lost.
        let largest = rest.iter().fold(0.0, |most: f64, r| if r.is_nan() { f64::INFINITY } else { most.max(r.abs()) });
        FlowReport { iterations, divergence: largest / self.cells.cell, converged: largest <= allowed }
    }

    /// `u −= ∇p` on all faces that are free; beyond the border the pressure is zero.
    fn subtract_gradient(&mut self) {
        let (cells, pressure) = (self.cells, &self.pressure);
        for axis in 0..3 {
            let (faces, fixed) = (self.faces[axis], &self.fixed[axis]);
            let stride = cells.strides()[axis];
            self.velocity[axis].par_chunks_mut(faces.plane()).enumerate().for_each(|(k, velocity)| {
                for (i, u) in velocity.iter_mut().enumerate() {
                    let i = k * faces.plane() + i;
                    if !fixed[i] {
                        let at = faces.coordinates(i);
                        let upper = cells.index(at);
                        let above = if at[axis] < cells.dims[axis] { pressure[upper] } else { 0.0 };
                        let below = if at[axis] > 0 { pressure[upper - stride] } else { 0.0 };
                        *u -= above - below;
                    }
                }
            });
        }
    }
}
