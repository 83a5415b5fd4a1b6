//! Which cells are solid, which faces have a given velocity, and that velocity.

use std::collections::VecDeque;

use rayon::prelude::*;
use toile_mesh::DVec3;

use super::Flow;
use crate::air::Bodies;

/// Wind along the border, relative to its speed, that does not count as blowing in: sides along the wind are open.
const GRAZING: f64 = 1e-6;

impl Flow {
    /// Marks solid cells and fixed faces. Air that no path of free faces joins to an open face of the border becomes
    /// solid: its pressure would be undetermined, and it could not make room for a moving body.
    pub(super) fn mark_boundaries(&mut self, outside: &(dyn Fn(DVec3) -> DVec3 + Sync), bodies: Bodies<'_>) {
        let cells = self.cells;
        self.solid.par_chunks_mut(cells.plane()).enumerate().for_each(|(k, solid)| {
            for (i, solid) in solid.iter_mut().enumerate() {
                let at = cells.coordinates(k * cells.plane() + i);
                *solid = (bodies.distance)(cells.point(at)) < 0.0;
            }
        });
        self.mark_faces(outside);
        if self.close_pockets() {
            self.mark_faces(outside);
        }
    }

    /// A face is fixed if it touches a solid cell, or if wind blows in through it.
    fn mark_faces(&mut self, outside: &(dyn Fn(DVec3) -> DVec3 + Sync)) {
        let (cells, solid) = (self.cells, &self.solid);
        for axis in 0..3 {
            let (faces, stride) = (self.faces[axis], cells.strides()[axis]);
            self.fixed[axis].par_chunks_mut(faces.plane()).enumerate().for_each(|(k, fixed)| {
                for (i, fixed) in fixed.iter_mut().enumerate() {
                    let at = faces.coordinates(k * faces.plane() + i);
                    let upper = cells.index(at);
                    let blows_in = |sign: f64| {
                        let wind = outside(faces.point(at));
                        sign * wind[axis] > GRAZING * wind.length()
                    };
                    *fixed = if at[axis] == 0 {
                        solid[upper] || blows_in(1.0)
                    } else if at[axis] == cells.dims[axis] {
                        solid[upper - stride] || blows_in(-1.0)
                    } else {
                        solid[upper] || solid[upper - stride]
                    };
                }
            });
        }
    }

    /// Makes cells solid that are shut off from the open border; whether there were any.
    fn close_pockets(&mut self) -> bool {
        let cells = self.cells;
        let mut reached = vec![false; cells.len()];
        let mut queue = VecDeque::new();
        for axis in 0..3 {
            for i in 0..self.faces[axis].len() {
                let mut at = self.faces[axis].coordinates(i);
                let last = at[axis] == cells.dims[axis];
                if (at[axis] == 0 || last) && !self.fixed[axis][i] {
                    at[axis] -= usize::from(last);
                    if !std::mem::replace(&mut reached[cells.index(at)], true) {
                        queue.push_back(at);
                    }
                }
            }
        }
        while let Some(at) = queue.pop_front() {
            for axis in 0..3 {
                for up in [false, true] {
                    let mut next = at;
                    if (up && at[axis] + 1 == cells.dims[axis]) || (!up && at[axis] == 0) {
                        continue;
                    }
                    next[axis] = if up { at[axis] + 1 } else { at[axis] - 1 };
                    let index = cells.index(next);
                    if !self.solid[index] && !reached[index] {
                        reached[index] = true;
                        queue.push_back(next);
                    }
                }
            }
        }
        let mut any = false;
        for (solid, reached) in self.solid.iter_mut().zip(reached) {
            any |= !*solid && !reached;
            *solid |= !reached;
        }
        any
    }

    /// Gives all fixed faces their velocity: that of the body, or of the wind outside.
    pub(super) fn fix_boundaries(&mut self, outside: &(dyn Fn(DVec3) -> DVec3 + Sync), bodies: Bodies<'_>) {
        let (cells, solid) = (self.cells, &self.solid);
        for axis in 0..3 {
            let (faces, fixed, stride) = (self.faces[axis], &self.fixed[axis], cells.strides()[axis]);
            self.velocity[axis].par_chunks_mut(faces.plane()).enumerate().for_each(|(k, velocity)| {
                for (i, u) in velocity.iter_mut().enumerate() {
                    let i = k * faces.plane() + i;
                    if fixed[i] {
                        let at = faces.coordinates(i);
                        let upper = cells.index(at);
                        let wall =
                            (at[axis] < cells.dims[axis] && solid[upper]) || (at[axis] > 0 && solid[upper - stride]);
                        let p = faces.point(at);
                        let given = if wall { (bodies.velocity)(p) } else { outside(p) };
                        *u = if given.is_finite() { given[axis] } else { 0.0 };
                    }
                }
            });
        }
    }
}
