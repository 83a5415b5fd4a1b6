//! Vorticity confinement: gives back to eddies what the interpolation has taken.
//!
//! ```text
//! ω = ∇ × u      N = ∇|ω| / |∇|ω||      f = ε · cell · (N × ω)
//! ```
//!
//! Steinhoff, Underhill 1994; Fedkiw, Stam, Jensen 2001, §4. `N` points to the middle of an eddy, so `f` spins it.

use rayon::prelude::*;
use toile_mesh::DVec3;

use super::Flow;

/// Room for the vorticity [1/s] and the acceleration [m/s²] of each cell; empty until first used.
#[derive(Clone, Debug, Default)]
pub(super) struct Confinement {
    vorticity: Vec<DVec3>,
    acceleration: Vec<DVec3>,
}

impl Flow {
    /// Accelerates the free faces for a time `h` [s].
    pub(super) fn confine(&mut self, h: f64) {
        let mut room = std::mem::take(&mut self.confinement);
        room.vorticity.resize(self.cells.len(), DVec3::ZERO);
        room.acceleration.resize(self.cells.len(), DVec3::ZERO);
        self.vorticities(&mut room.vorticity);
        self.accelerations(&room.vorticity, &mut room.acceleration);
        let cells = self.cells;
        for axis in 0..3 {
            let (faces, fixed, stride) = (self.faces[axis], &self.fixed[axis], cells.strides()[axis]);
            let acceleration = &room.acceleration;
            self.velocity[axis].par_chunks_mut(faces.plane()).enumerate().for_each(|(k, velocity)| {
                for (i, u) in velocity.iter_mut().enumerate() {
                    let i = k * faces.plane() + i;
                    let at = faces.coordinates(i);
                    if !fixed[i] && at[axis] > 0 && at[axis] < cells.dims[axis] {
                        let upper = cells.index(at);
                        *u += 0.5 * h * (acceleration[upper][axis] + acceleration[upper - stride][axis]);
                    }
                }
            });
        }
        self.confinement = room;
    }

    /// `ω` of every cell by central differences; zero in solids and in the outermost cells.
    fn vorticities(&self, vorticity: &mut [DVec3]) {
        let cells = self.cells;
        vorticity.par_chunks_mut(cells.plane()).enumerate().for_each(|(k, vorticity)| {
            for (i, vorticity) in vorticity.iter_mut().enumerate() {
                let index = k * cells.plane() + i;
                let at = cells.coordinates(index);
                if self.solid[index] || !self.is_inner(at) {
                    *vorticity = DVec3::ZERO;
                    continue;
                }
                let [dx, dy, dz] = [0, 1, 2].map(|axis| {
                    let (mut below, mut above) = (at, at);
                    below[axis] -= 1;
                    above[axis] += 1;
                    (self.velocity_of_cell(above) - self.velocity_of_cell(below)) / (2.0 * cells.cell)
                });
                *vorticity = DVec3::new(dy.z - dz.y, dz.x - dx.z, dx.y - dy.x);
            }
        });
    }

    /// `f` of every cell; zero in solids and in the outermost cells.
    fn accelerations(&self, vorticity: &[DVec3], acceleration: &mut [DVec3]) {
        let (cells, strides) = (self.cells, self.cells.strides());
        let strength = self.settings.confinement * cells.cell;
        acceleration.par_chunks_mut(cells.plane()).enumerate().for_each(|(k, acceleration)| {
            for (i, acceleration) in acceleration.iter_mut().enumerate() {
                let index = k * cells.plane() + i;
                *acceleration = DVec3::ZERO;
                if !self.solid[index] && self.is_inner(cells.coordinates(index)) {
                    let slopes = strides.map(|s| vorticity[index + s].length() - vorticity[index - s].length());
                    let towards = DVec3::from_array(slopes).normalize_or_zero();
                    *acceleration = towards.cross(vorticity[index]) * strength;
                }
            }
        });
    }

    fn is_inner(&self, at: [usize; 3]) -> bool {
        (0..3).all(|axis| at[axis] > 0 && at[axis] + 1 < self.cells.dims[axis])
    }

    /// Mean of the velocities across opposite faces of a cell.
    fn velocity_of_cell(&self, at: [usize; 3]) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|axis: usize| {
            let (faces, velocity) = (self.faces[axis], &self.velocity[axis]);
            let below = faces.index(at);
            0.5 * (velocity[below] + velocity[below + faces.strides()[axis]])
        }))
    }
}
