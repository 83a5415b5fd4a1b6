//! [`ConstraintSolver`]: one iteration of either method over bending and structural constraints.

use toile_mesh::DVec3;

use crate::ClothModel;
use crate::chains::{Chains, Link};
use crate::sweep::Sweep;

/// How structural constraints are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Single edges, coloured (Fuhrmann 2003, §3): soft on fine meshes, cheapest per pass.
    #[default]
    Sweep,
    /// Rows of edges solved exactly, then a limiter on single edges: two to five times less stretch at equal cost.
    Chains,
}

/// The constraints of a [`ClothModel`], ordered for one of the methods, with its scratch memory.
///
/// ```
/// use toile_cloth::{ClothModel, ConstraintFabric, ConstraintSolver, Method};
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Z], &[[0, 2, 1]]);
/// let mut model = ClothModel::default();
/// model.add(&mesh, &ConstraintFabric::default());
/// let mut solver = ConstraintSolver::new(&model, Method::Sweep, 1.02);
/// let mut x: Vec<DVec3> = mesh.positions.iter().map(|p| *p * 1.5).collect();
/// for _ in 0..50 {
///     solver.iterate(&mut x, &[1.0; 3]);
/// }
/// assert!(solver.largest_stretch(&x) < 1.03);
/// ```
#[derive(Clone, Debug)]
pub struct ConstraintSolver {
    structural: Sweep,
    bending: Sweep,
    chains: Option<(Chains, Vec<Link>)>,
    limit: f64,
}

impl ConstraintSolver {
    /// Prepares the constraints of `model`. `limit`: length ratio above which the limiter of [`Method::Chains`] acts.
    pub fn new(model: &ClothModel, method: Method, limit: f64) -> Self {
        let chains = (method == Method::Chains).then(|| {
            let chains = Chains::new(&model.structural, &model.rest);
            let workspace = chains.workspace();
            (chains, workspace)
        });
        Self {
            structural: Sweep::new(&model.structural, &model.rest),
            bending: Sweep::new(&model.bending, &model.rest),
            chains,
            limit,
        }
    }

    /// One iteration: bending first, structure last, because stretch is what the eye sees.
    pub fn iterate(&mut self, x: &mut [DVec3], w: &[f64]) {
        self.bending.pass(x, w);
        match &mut self.chains {
            None => self.structural.pass(x, w),
            Some((chains, workspace)) => {
                chains.pass(x, w, workspace);
                self.structural.limit_pass(x, w, self.limit);
            }
        }
    }

    /// The longest edge length relative to its rest length that [`ConstraintSolver::limit`] leaves alone.
    pub fn longest(&self) -> f64 {
        self.limit
    }

    /// Shortens the edges that are longer than the limit; see [`Sweep::limit_pass`].
    pub fn limit(&self, x: &mut [DVec3], w: &[f64]) {
        self.structural.limit_pass(x, w, self.limit);
    }

    /// Diffuses velocities along the edges; see [`Sweep::smooth_velocities`].
    pub fn smooth_velocities(&self, v: &mut [DVec3], w: &[f64], diffusivity: f64, h: f64) {
        self.structural.smooth_velocities(v, w, diffusivity, h);
    }

    /// Largest ratio of an edge's length to its rest length.
    pub fn largest_stretch(&self, x: &[DVec3]) -> f64 {
        self.structural.largest_stretch(x)
    }

    /// Engineering strain `length/rest − 1` averaged over the edges around each particle.
    pub fn particle_strain(&self, x: &[DVec3]) -> Vec<f64> {
        let mut sum = vec![(0.0, 0_u32); x.len()];
        for (ends, stretch) in self.structural.stretches(x) {
            let strain = stretch - 1.0;
            for p in ends {
                sum[p as usize].0 += strain;
                sum[p as usize].1 += 1;
            }
        }
        sum.into_iter().map(|(s, n)| if n > 0 { s / f64::from(n) } else { 0.0 }).collect()
    }
}
