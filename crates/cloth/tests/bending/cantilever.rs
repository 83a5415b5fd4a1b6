//! A strip that bends under its own weight, solved by Newton's method.

use toile_cloth::element::{Bend, Curvature, Element};
use toile_mesh::{DMat3, DVec2, DVec3};

use crate::meshes::{Flat, Kind};
use crate::solve::Banded;
use crate::table::unit_fabric;

/// Stiffness of the springs relative to the weight of the strip: strains of about 1e-4.
const STIFF: f64 = 1e4;

/// A strip of length 1 and rigidity 1, clamped at x = 0, midway between two columns of held particles.
pub(crate) struct Strip {
    flat: Flat,
    bends: Vec<Bend>,
    held: Vec<bool>,
    areas: Vec<f64>,
    springs: Vec<([u32; 2], f64)>,
    order: Vec<usize>,
    place: Vec<usize>,
    cell: f64,
}

impl Strip {
    /// So many cells along it, from the inner held column on, and across.
    pub(crate) fn new(kind: Kind, cells: [u32; 2]) -> Self {
        let half_row = kind.half_row();
        let h = 1.0 / (cells[0] as f64 + half_row);
        let flat = Flat::new(kind, DVec2::new((half_row - 2.0) * h, 0.0), [cells[0] + 2, cells[1]], h, [3, 1]);
        let held: Vec<bool> = flat.rest.iter().map(|p| p.x < (half_row + 0.01) * h).collect();
        let mut order: Vec<usize> = (0..held.len()).filter(|i| !held[*i]).collect();
        order.sort_by(|a, b| flat.rest[*a].x.total_cmp(&flat.rest[*b].x));
        let mut place = vec![usize::MAX; held.len()];
        order.iter().enumerate().for_each(|(at, i)| place[*i] = at);
        let length = |[a, b]: [u32; 2]| flat.rest[a as usize].distance(flat.rest[b as usize]);
        Self {
            bends: Bend::all(&flat.triangles, &flat.corners(), &unit_fabric()),
            areas: flat.particle_areas(),
            springs: flat.edges().into_iter().map(|e| (e, length(e))).collect(),
            held,
            order,
            place,
            cell: h,
            flat,
        }
    }

    /// Drop over reach of the tip, loaded in steps up to `gamma` = weight per area for this strip.
    pub(crate) fn drop_over_reach(&self, gammas: &[f64]) -> Vec<f64> {
        let mut x: Vec<DVec3> = self.flat.rest.iter().map(|p| p.extend(0.0)).collect();
        let mut found = Vec::new();
        let mut gamma = 0.25;
        for target in gammas {
            while gamma < *target {
                self.relax(&mut x, gamma);
                gamma *= 2.5;
            }
            self.relax(&mut x, *target);
            let tip: Vec<DVec3> = (0..x.len()).filter(|i| self.flat.rest[*i].x > 1.0 - 1e-9).map(|i| x[i]).collect();
            let mean = tip.iter().sum::<DVec3>() / tip.len() as f64;
            found.push(-mean.z / mean.x);
        }
        found
    }

    fn energy(&self, x: &[DVec3], gamma: f64) -> f64 {
        let bend: f64 = self.bends.iter().map(|b| b.energy(x)).sum();
        let weight: f64 = x.iter().zip(&self.areas).map(|(x, a)| gamma * a * x.z).sum();
        let spring = |([a, b], l): &([u32; 2], f64)| {
            0.5 * STIFF * gamma * self.cell / l * (x[*a as usize].distance(x[*b as usize]) - l).powi(2)
        };
        bend + weight + self.springs.iter().map(spring).sum::<f64>()
    }

    fn relax(&self, x: &mut Vec<DVec3>, gamma: f64) {
        for _ in 0..200 {
            let step = self.newton_step(x, gamma);
            let largest = step.iter().map(|s| s.length()).fold(0.0, f64::max);
            if largest < 1e-7 {
                return;
            }
            // No particle moves more than a fraction of the strip, and the energy falls.
            let before = self.energy(x, gamma);
            let mut scale = (0.1 / largest).min(1.0);
            loop {
                let trial: Vec<DVec3> = x.iter().zip(&step).map(|(x, s)| *x + scale * *s).collect();
                if self.energy(&trial, gamma) <= before || scale < 1e-6 {
                    *x = trial;
                    break;
                }
                scale *= 0.5;
            }
        }
        panic!("no equilibrium at {gamma}");
    }

    fn newton_step(&self, x: &[DVec3], gamma: f64) -> Vec<DVec3> {
        let mut force = vec![DVec3::ZERO; x.len()];
        let mut blocks: Vec<(usize, usize, DMat3)> = Vec::new();
        for (f, a) in force.iter_mut().zip(&self.areas) {
            f.z -= gamma * a;
        }
        for bend in &self.bends {
            let local = bend.local(x, Curvature::Exact);
            for (a, i) in bend.nodes().iter().enumerate() {
                force[*i as usize] -= bend.gradient(&local, a);
                for (b, j) in bend.nodes().iter().enumerate() {
                    let value = bend.hessian(&local, a, b);
                    blocks.push((*i as usize, *j as usize, DMat3::from_diagonal(DVec3::splat(value))));
                }
            }
        }
        for ([a, b], l) in &self.springs {
            let (a, b, k) = (*a as usize, *b as usize, STIFF * gamma * self.cell / l);
            let d = x[b] - x[a];
            let (length, n) = (d.length(), d.normalize());
            force[a] += k * (length - l) * n;
            force[b] -= k * (length - l) * n;
            // Compressed springs without their negative part across.
            let along = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            let block = k * (along + (1.0 - l / length).max(0.0) * (DMat3::IDENTITY - along));
            blocks.extend([(a, a, block), (b, b, block), (a, b, -block), (b, a, -block)]);
        }
        self.solve(&blocks, &force)
    }

    fn solve(&self, blocks: &[(usize, usize, DMat3)], force: &[DVec3]) -> Vec<DVec3> {
        let free =
            |(i, j, _): &&(usize, usize, DMat3)| !self.held[*i] && !self.held[*j] && self.place[*j] <= self.place[*i];
        let width = blocks.iter().filter(free).map(|(i, j, _)| self.place[*i] - self.place[*j]).max().unwrap_or(0);
        let mut matrix = Banded::new(3 * self.order.len(), 3 * width + 2);
        for (i, j, block) in blocks.iter().filter(free) {
            for r in 0..3 {
                for c in 0..3 {
                    let (row, column) = (3 * self.place[*i] + r, 3 * self.place[*j] + c);
                    if column <= row {
                        *matrix.at(row, column) += block.col(c)[r];
                    }
                }
            }
        }
        let mut b: Vec<f64> = self.order.iter().flat_map(|i| force[*i].to_array()).collect();
        matrix.solve(&mut b).expect("springs and bending hold the strip");
        let mut step = vec![DVec3::ZERO; force.len()];
        for (i, s) in self.order.iter().zip(b.chunks(3)) {
            step[*i] = DVec3::from_slice(s);
        }
        step
    }
}
