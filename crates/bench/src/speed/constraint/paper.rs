//! The step of Fuhrmann 2003 as printed: the baseline of `toile bench constraint`.
//!
//! ```text
//! 1. x ← x + c (x − x_before) + h² g              Verlet with damping c, eq. 14–17
//! 2. refit the tree of particles, find near pairs  §4
//! 3. a few times: for every bending constraint, every edge and every near pair, in the order of their lists:
//!    x_i += m_2 u, x_j −= m_1 u                   eq. 5–9
//! ```
//!
//! All loops are sequential. Held particles have infinite mass. The paper chooses the distance of near pairs by eye; here
//! it follows from the mesh, as it does in scenes ([`toile_contact::extents`]).

use toile_cloth::verlet::{External, predict, update_velocities};
use toile_cloth::{ClothModel, ConstraintFabric, sequential_pass};
use toile_collide::{PairSearch, ParticleTree};
use toile_contact::{Separation, extents};
use toile_mesh::{DVec3, TriMesh};

use crate::speed::cloth::swing::Stretch;

/// Time step [s]: four per frame at 30 frames per second (§5).
const STEP: f64 = 1.0 / 120.0;
/// Iterations over all constraints per step (§5).
const PASSES: usize = 4;
/// Factor on the velocity per step (§3).
const DAMPING: f64 = 0.99;
/// Acceleration of free fall [m/s²].
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A cloth that the paper's algorithm moves.
#[derive(Clone)]
pub(super) struct Paper {
    model: ClothModel,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    /// Inverse masses [1/kg]; 0 if held.
    w: Vec<f64>,
    tree: ParticleTree,
    search: PairSearch,
    candidates: Vec<[u32; 2]>,
    near: Separation,
}

impl Paper {
    /// A cloth in its flat shape; the first `held` particles are held.
    pub(super) fn new(mesh: &TriMesh, held: usize) -> Self {
        let fabric = ConstraintFabric::default();
        let mut model = ClothModel::default();
        model.add(mesh, &fabric);
        let mut w: Vec<f64> = model.mass.iter().map(|m| 1.0 / m).collect();
        w[..held].fill(0.0);
        let joined: Vec<[u32; 2]> = model.structural.iter().chain(&model.bending).map(|c| c.ends).collect();
        let cloth = vec![0; mesh.vertex_count()];
        Self {
            x: mesh.positions.clone(),
            v: vec![DVec3::ZERO; mesh.vertex_count()],
            w,
            tree: ParticleTree::new(&model.rest, &joined),
            search: PairSearch::default(),
            candidates: Vec::new(),
            near: Separation::new(extents(mesh, fabric.stretch_max), &model.rest, cloth),
            model,
        }
    }

    /// Simulates one frame of 1/30 s.
    pub(super) fn advance(&mut self) {
        for _ in 0..4 {
            self.step();
        }
    }

    fn step(&mut self) {
        let x_t0 = self.x.clone();
        let external = External { gravity: GRAVITY, wind: DVec3::ZERO };
        predict(&mut self.x, &mut self.v, &self.w, &self.model.area, external, DAMPING, STEP);
        self.tree.refit(&self.x);
        let distance = self.near.search_distance();
        self.tree.pairs_within(&self.x, distance, &mut self.search, &mut self.candidates);
        self.near.set_candidates(&self.candidates, &self.x);
        for _ in 0..PASSES {
            sequential_pass(&self.model.bending, &mut self.x, &self.w);
            sequential_pass(&self.model.structural, &mut self.x, &self.w);
            self.near.pass(&mut self.x, &self.w);
        }
        update_velocities(&self.x, &x_t0, &mut self.v, &self.w, STEP);
    }

    /// Largest ratio of an edge to its rest length, at least 1.
    pub(super) fn largest_stretch(&self) -> f64 {
        1.0 + Stretch::of(&self.model.structural, &self.x).largest
    }

    /// Near pairs of the last step.
    pub(super) fn near_pairs(&self) -> usize {
        self.near.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate::{Diagonals, grid};

    #[test]
    fn cloth_falls_freely_by_the_closed_form_of_verlet_with_damping() {
        let mesh = grid([0.2, 0.2], [5, 5], Diagonals::Alternating);
        let mut cloth = Paper::new(&mesh, 0);
        cloth.advance();
        // v_k = c v_(k−1) + h g, x_k = x_(k−1) + h v_k, four times from rest.
        let (mut v, mut fallen) = (0.0, 0.0);
        for _ in 0..4 {
            v = DAMPING * v + STEP * GRAVITY.y;
            fallen += STEP * v;
        }
        for (x, start) in cloth.x.iter().zip(&mesh.positions) {
            assert!((x.y - start.y - fallen).abs() < 1e-12);
        }
    }

    #[test]
    fn held_cloth_swings_down_and_stays_short_on_a_coarse_mesh() {
        let mesh = grid([0.2, 0.2], [5, 5], Diagonals::Alternating);
        let mut cloth = Paper::new(&mesh, 5);
        for _ in 0..60 {
            cloth.advance();
        }
        assert_eq!(cloth.x[..5], mesh.positions[..5]);
        let lowest = cloth.x.iter().map(|x| x.y).fold(0.0, f64::min);
        assert!(lowest < -0.15 && cloth.largest_stretch() < 1.1, "{lowest}, {}", cloth.largest_stretch());
    }
}
