//! The paper's sweep: one pass projects every constraint once, Gauss–Seidel fashion, patch by patch and colour by colour.
//!
//! Fuhrmann 2003, §3: a few passes per step; information travels one constraint per pass, so fine meshes need more.
//! Order of constraints: within a patch by colour, so that neighbours in the list do not wait for each other;
//! patches of a colour in any order (they share no particle), colours
//! in turn. The result does not depend on the number of threads. See [`crate::coloring`] for the choice of patches.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;
use toile_mesh::DVec3;

use crate::coloring::{Colors, color_groups, is_conflict_free, patches};
use crate::constraint::{DistanceRange, project};
use crate::disjoint::Disjoint;

/// Constraints per patch: 512 constraints and their ~150 particles fit in a first-level cache.
const PATCH: usize = 512;

/// Constraints per task where they are only looked at.
const CHUNK: usize = 4096;

/// A set of distance constraints, ordered and coloured for parallel passes.
#[derive(Clone, Debug)]
pub struct Sweep {
    ends: Vec<[u32; 2]>,
    rest: Vec<f64>,
    bounds: Vec<[f64; 2]>,
    colors: Colors,
    particle_count: usize,
}

impl Sweep {
    /// Orders and colours `constraints` between `rest.len()` particles at `rest` [m].
    ///
    /// # Panics
    /// If a constraint names a particle beyond `rest`, or one particle twice.
    pub fn new(constraints: &[DistanceRange], rest: &[DVec3]) -> Self {
        let particle_count = rest.len();
        for c in constraints {
            assert!(c.ends[0] != c.ends[1] && c.ends.iter().all(|&p| (p as usize) < particle_count));
        }
        let centers: Vec<[f64; 3]> =
            constraints.iter().map(|c| (rest[c.ends[0] as usize] + rest[c.ends[1] as usize]).to_array()).collect();
        let (mut order, groups) = patches(&centers, PATCH);
        for group in &groups {
            spread(&mut order[group.clone()], |i| constraints[i as usize].ends);
        }
        let sorted = |f: fn(&DistanceRange) -> [f64; 2]| order.iter().map(|&i| f(&constraints[i as usize])).collect();
        let ends: Vec<[u32; 2]> = order.iter().map(|&i| constraints[i as usize].ends).collect();
        let colors = color_groups(&groups, |i| &ends[i], particle_count);
        assert!(is_conflict_free(&colors, |i| &ends[i], particle_count), "patches of one colour share no particle");
        let rest = order.iter().map(|&i| constraints[i as usize].rest).collect();
        Self { bounds: sorted(|c| [c.min, c.max]), rest, ends, colors, particle_count }
    }

    /// The two particles of every constraint, in the order of the passes.
    pub fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no constraint.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of colours, that is of parallel loops per pass.
    pub fn color_count(&self) -> usize {
        self.colors.groups.len()
    }

    /// One pass over all constraints (eq. 5–9). `x` and `w`: positions [m] and inverse masses [1/kg] of all particles.
    pub fn pass(&self, x: &mut [DVec3], w: &[f64]) {
        self.each(x, |i, xi, xj| {
            let ([a, b], [min, max]) = (self.ends[i], self.bounds[i]);
            project(xi, xj, w[a as usize], w[b as usize], min, max);
        });
    }

    /// One pass that acts only on lengths above `limit · rest`: the limiter of the chain solver. It brings them as far below
    /// the limit as they were above it, at most a fifth of the way to the rest length; a jump at the limit would never let
    /// cloth come to rest. Most lengths need nothing.
    pub fn limit_pass(&self, x: &mut [DVec3], w: &[f64], limit: f64) {
        let slack = 0.2 * (limit - 1.0);
        self.each(x, |i, xi, xj| {
            let ([a, b], rest) = (self.ends[i], self.rest[i]);
            let square = xi.distance_squared(*xj);
            if square > (limit * rest) * (limit * rest) {
                let excess = square.sqrt() - limit * rest;
                project(xi, xj, w[a as usize], w[b as usize], 0.0, limit * rest - excess.min(slack * rest));
            }
        });
    }

    /// One pass that acts only on distances below their smallest: it brings them as far above it as they were below, at most to the
    /// rest distance. Going beyond the bound halves the number of passes that reach it.
    pub fn widen_pass(&self, x: &mut [DVec3], w: &[f64]) {
        self.each(x, |i, xi, xj| {
            let ([a, b], [min, _]) = (self.ends[i], self.bounds[i]);
            let square = xi.distance_squared(*xj);
            if square < min * min {
                let wanted = (2.0 * min - square.sqrt()).min(self.rest[i]);
                project(xi, xj, w[a as usize], w[b as usize], wanted, f64::INFINITY);
            }
        });
    }

    /// One pass that draws ends together: a pair that is `rest` apart at first is to be at most `closed + share (rest − closed)`
    /// apart [m], and comes at most `most` [m] nearer in this pass: what cannot follow is not torn along.
    pub fn draw_pass(&self, x: &mut [DVec3], w: &[f64], share: f64, closed: f64, most: f64) {
        self.each(x, |i, xi, xj| {
            let ([a, b], rest) = (self.ends[i], self.rest[i]);
            let wanted = closed + share * (rest - closed).max(0.0);
            let square = xi.distance_squared(*xj);
            if square > wanted * wanted {
                project(xi, xj, w[a as usize], w[b as usize], 0.0, wanted.max(square.sqrt() - most));
            }
        });
    }

    /// The ends of every constraint, and its length relative to its rest length (1 where that is zero).
    pub fn stretches(&self, x: &[DVec3]) -> impl Iterator<Item = ([u32; 2], f64)> {
        (0..self.ends.len()).map(|i| (self.ends[i], self.stretch(i, x)))
    }

    /// Largest length relative to its rest length; 0 without constraints.
    pub fn largest_stretch(&self, x: &[DVec3]) -> f64 {
        let all = (0..self.ends.len()).into_par_iter().with_min_len(CHUNK);
        all.map(|i| self.stretch(i, x)).reduce(|| 0.0, f64::max)
    }

    fn stretch(&self, i: usize, x: &[DVec3]) -> f64 {
        let ([a, b], rest) = (self.ends[i].map(|p| x[p as usize]), self.rest[i]);
        if rest > 0.0 { a.distance(b) / rest } else { 1.0 }
    }

    /// Diffuses velocities along the constraints: `v_i ← v_i + k w_i/(w_i+w_j) (v_j − v_i)` and likewise for `j`, with
    /// `k = min(0.2, diffusivity · h / rest²)`. Momentum is kept; rotation is damped.
    ///
    /// `diffusivity` [m²/s], `h` = time step [s].
    pub fn smooth_velocities(&self, v: &mut [DVec3], w: &[f64], diffusivity: f64, h: f64) {
        self.each(v, |i, vi, vj| {
            let ([a, b], rest) = (self.ends[i], self.rest[i]);
            let (wi, wj) = (w[a as usize], w[b as usize]);
            if wi + wj > 0.0 {
                let k = (diffusivity * h / (rest * rest)).min(0.2) / (wi + wj);
                let d = (*vj - *vi) * k;
                *vi += d * wi;
                *vj -= d * wj;
            }
        });
    }

    /// Calls `f(constraint, end 0, end 1)` for every constraint, colours in turn, patches of a colour in parallel.
    fn each(&self, values: &mut [DVec3], f: impl Fn(usize, &mut DVec3, &mut DVec3) + Sync) {
        assert_eq!(values.len(), self.particle_count);
        let values = Disjoint::new(values);
        let patch = |range: &Range<usize>| {
            for i in range.clone() {
                let [a, b] = self.ends[i];
                // SAFETY: `a ≠ b` (checked by `new`), and no other patch that runs now touches `a` or `b`: patches of
                // one colour share no particle (checked by `new`), and colours run one after another.
                let (xa, xb) = unsafe { (values.get(a as usize), values.get(b as usize)) };
                f(i, xa, xb);
            }
        };
        for groups in &self.colors.groups {
            if groups.len() == 1 {
                groups.iter().for_each(patch);
            } else {
                groups.par_iter().for_each(patch);
            }
        }
    }
}

/// Reorders constraints so that neighbours in the list share no particle where that is possible: greedy colours, one
/// after another. The projection of a constraint takes many cycles but can overlap with the next one's, unless that has
/// to wait for its result; in mesh order it always has to, and a pass takes three times as long.
fn spread(order: &mut [u32], ends: impl Fn(u32) -> [u32; 2]) {
    let mut taken: HashMap<u32, u64> = HashMap::with_capacity(order.len());
    let mut colored: Vec<(u32, u32)> = Vec::with_capacity(order.len());
    for &i in order.iter() {
        let used = ends(i).iter().fold(0, |bits, p| bits | taken.get(p).copied().unwrap_or(0));
        // Beyond 63 edges at a particle they share the last colour: only speed depends on it.
        let color = (!used).trailing_zeros().min(63);
        for p in ends(i) {
            *taken.entry(p).or_default() |= 1 << color;
        }
        colored.push((color, i));
    }
    colored.sort_unstable();
    for (place, (_, i)) in order.iter_mut().zip(colored) {
        *place = i;
    }
}

/// One pass in the given order on one thread: the plain loop of the paper, for comparison.
pub fn sequential_pass(constraints: &[DistanceRange], x: &mut [DVec3], w: &[f64]) {
    for c in constraints {
        let [a, b] = c.ends.map(|p| p as usize);
        let (mut xa, mut xb) = (x[a], x[b]);
        project(&mut xa, &mut xb, w[a], w[b], c.min, c.max);
        x[a] = xa;
        x[b] = xb;
    }
}
