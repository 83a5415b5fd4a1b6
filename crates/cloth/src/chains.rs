//! Chains: rows of edges solved exactly, the stiff alternative to single edges.
//!
//! All structural edges are covered by paths that run as straight as possible through the rest shape. Along one path
//! with particles `p_0 … p_n` the linearized constraints `C_j = |x_{j+1} − x_j| − target_j` are solved together for the
//! multipliers λ by the Thomas algorithm:
//!
//! ```text
//! A λ = C,   A_jj = w_j + w_{j+1} + α,   A_{j,j+1} = −w_{j+1} n_j·n_{j+1},   n_j = (x_{j+1} − x_j)/|…|
//! x_j += w_j (n_j λ_j − n_{j−1} λ_{j−1})
//! ```
//!
//! One chain pass carries a correction along the whole chain, where a pass of single edges carries it one edge far.
//! Corrections come in pairs ±w n λ, so the centre of mass stays. `α = 10⁻⁶ max(w_j, w_{j+1})` keeps A regular for a
//! straight chain between two held ends. Chains are visited longest edges first (on grids: diagonals before warp and
//! weft), which leaves the least residual on the yarns. Chains of one colour share no particle and run in parallel.
#![allow(unsafe_code)]

use std::collections::HashSet;
use std::ops::Range;

use rayon::prelude::*;
use toile_mesh::DVec3;

use crate::coloring::{Colors, color_groups, is_conflict_free};
use crate::constraint::DistanceRange;
use crate::disjoint::Disjoint;

/// A chain goes on while the next edge turns by less than acos(0.85) ≈ 32°.
const STRAIGHT: f64 = 0.85;
/// Regularization α relative to the larger inverse mass.
const ALPHA: f64 = 1e-6;

/// A cover of the structural constraints by chains.
#[derive(Clone, Debug)]
pub struct Chains {
    /// Particles of all chains, one after another.
    particles: Vec<u32>,
    /// Constraints of all chains; chain with particles `a..b` has constraints `a..b − 1` of this list (last unused).
    links: Vec<DistanceRange>,
    /// Chains by colour, as ranges of `particles`.
    colors: Colors,
    particle_count: usize,
}

/// Scratch of one link: unit direction and the coefficients of the Thomas algorithm.
#[derive(Clone, Copy, Default, Debug)]
pub struct Link {
    normal: DVec3,
    /// Inverse of the reduced diagonal.
    inverse: f64,
    /// Reduced coupling to the next link; zero for the last one.
    upper: f64,
    /// Reduced right side.
    lambda: f64,
}

impl Chains {
    /// Covers `constraints` between particles at `rest` [m] by chains.
    pub fn new(constraints: &[DistanceRange], rest: &[DVec3]) -> Self {
        let mut chains = cover(constraints, rest);
        let length = |chain: &Chain| chain.links.iter().map(|&l| constraints[l as usize].rest).sum::<f64>();
        let mean = |chain: &Chain| length(chain) / chain.links.len() as f64;
        // Stable sort: chains of equal edge length stay in the order they were found.
        chains.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        let (mut particles, mut links, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for chain in &chains {
            groups.push(particles.len()..particles.len() + chain.particles.len());
            particles.extend_from_slice(&chain.particles);
            links.extend(chain.links.iter().map(|&l| constraints[l as usize]));
            links.push(DistanceRange::new([0; 2], 0.0, 0.0, 0.0));
        }
        let own = |i: usize| std::slice::from_ref(&particles[i]);
        let colors = color_groups(&groups, own, rest.len());
        assert!(is_conflict_free(&colors, own, rest.len()), "chains of one colour share no particle");
        Self { colors, particles, links, particle_count: rest.len() }
    }

    /// Scratch for [`Chains::pass`].
    pub fn workspace(&self) -> Vec<Link> {
        vec![Link::default(); self.links.len()]
    }

    /// Number of chains.
    pub fn len(&self) -> usize {
        self.colors.groups.iter().map(Vec::len).sum()
    }

    /// Whether there is no chain.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Solves every chain once. `x`, `w`: positions [m] and inverse masses [1/kg] of all particles.
    pub fn pass(&self, x: &mut [DVec3], w: &[f64], workspace: &mut [Link]) {
        assert_eq!((x.len(), workspace.len()), (self.particle_count, self.links.len()));
        let (x, scratch) = (Disjoint::new(x), Disjoint::new(workspace));
        let solve = |range: &Range<usize>| {
            // SAFETY: ranges of different chains do not overlap.
            let scratch = unsafe { scratch.range(range.clone()) };
            self.solve(range.clone(), &x, w, scratch);
        };
        for groups in &self.colors.groups {
            groups.par_iter().with_min_len(4).for_each(solve);
        }
    }

    fn solve(&self, range: Range<usize>, x: &Disjoint<'_, DVec3>, w: &[f64], scratch: &mut [Link]) {
        let particles = &self.particles[range.clone()];
        let links = &self.links[range];
        let n = particles.len() - 1;
        let at = |j: usize| {
            // SAFETY: the particles of a chain are distinct, no chain that runs now shares one with it (chains of one
            // colour share none, checked by `new`), and only one reference lives at a time.
            unsafe { *x.get(particles[j] as usize) }
        };
        let mut previous = at(0);
        for j in 0..n {
            let next = at(j + 1);
            let d = next - previous;
            let length = d.length();
            let normal = if length > 0.0 { d / length } else { DVec3::ZERO };
            let (wa, wb) = (w[particles[j] as usize], w[particles[j + 1] as usize]);
            let mut diagonal = wa + wb + ALPHA * wa.max(wb);
            let mut right = length - links[j].target(length);
            if j > 0 {
                let coupling = -wa * normal.dot(scratch[j - 1].normal);
                scratch[j - 1].upper = coupling * scratch[j - 1].inverse;
                diagonal -= coupling * scratch[j - 1].upper;
                right -= coupling * scratch[j - 1].lambda;
            }
            let inverse = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
            scratch[j] = Link { normal, inverse, upper: 0.0, lambda: right * inverse };
            previous = next;
        }
        let mut after = 0.0;
        for j in (0..n).rev() {
            after = scratch[j].lambda - scratch[j].upper * after;
            let correction = scratch[j].normal * after;
            let [a, b] = [particles[j], particles[j + 1]].map(|p| p as usize);
            // SAFETY: as for `at`.
            unsafe {
                *x.get(a) += correction * w[a];
                *x.get(b) -= correction * w[b];
            }
        }
    }
}

/// A path along constraints: `links[j]` joins `particles[j]` and `particles[j + 1]`.
pub(crate) struct Chain {
    pub(crate) particles: Vec<u32>,
    pub(crate) links: Vec<u32>,
}

/// Greedy cover: start at the lowest unused edge, extend both ends while an unused edge goes straight on.
pub(crate) fn cover(constraints: &[DistanceRange], rest: &[DVec3]) -> Vec<Chain> {
    let mut around = vec![Vec::new(); rest.len()];
    for (i, c) in constraints.iter().enumerate() {
        around[c.ends[0] as usize].push(i as u32);
        around[c.ends[1] as usize].push(i as u32);
    }
    let mut used = vec![false; constraints.len()];
    let mut chains = Vec::new();
    for (i, c) in constraints.iter().enumerate() {
        if used[i] {
            continue;
        }
        used[i] = true;
        let mut chain = Chain { particles: c.ends.to_vec(), links: vec![i as u32] };
        let mut members: HashSet<u32> = c.ends.into_iter().collect();
        for _ in 0..2 {
            while let Some((link, next)) = straight_on(&chain, constraints, rest, &around, &used, &members) {
                used[link as usize] = true;
                members.insert(next);
                chain.particles.push(next);
                chain.links.push(link);
            }
            chain.particles.reverse();
            chain.links.reverse();
        }
        chains.push(chain);
    }
    chains
}

/// The unused edge at the chain's last particle that continues it most nearly straight, and its far end.
fn straight_on(
    chain: &Chain,
    constraints: &[DistanceRange],
    rest: &[DVec3],
    around: &[Vec<u32>],
    used: &[bool],
    members: &HashSet<u32>,
) -> Option<(u32, u32)> {
    let [.., before, last] = chain.particles[..] else { return None };
    let direction = (rest[last as usize] - rest[before as usize]).try_normalize()?;
    let mut best = None;
    let mut best_cos = STRAIGHT;
    for &link in &around[last as usize] {
        let ends = constraints[link as usize].ends;
        let next = if ends[0] == last { ends[1] } else { ends[0] };
        if used[link as usize] || members.contains(&next) {
            continue;
        }
        let cos = (rest[next as usize] - rest[last as usize]).normalize_or_zero().dot(direction);
        if cos > best_cos {
            best_cos = cos;
            best = Some((link, next));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn straight_chain(n: usize) -> (Vec<DistanceRange>, Vec<DVec3>) {
        let rest = (0..=n).map(|i| DVec3::X * i as f64).collect();
        let links = (0..n as u32).map(|i| DistanceRange::new([i, i + 1], 1.0, 1.0, 1.0)).collect();
        (links, rest)
    }

    /// The same system by dense Gaussian elimination.
    fn dense(x: &mut [DVec3], w: &[f64], links: &[DistanceRange]) {
        let n = links.len();
        let normal: Vec<DVec3> = (0..n).map(|j| (x[j + 1] - x[j]).normalize()).collect();
        let mut a = vec![vec![0.0; n + 1]; n];
        for j in 0..n {
            a[j][j] = w[j] + w[j + 1] + ALPHA * w[j].max(w[j + 1]);
            a[j][n] = x[j].distance(x[j + 1]) - links[j].target(x[j].distance(x[j + 1]));
            if j + 1 < n {
                a[j][j + 1] = -w[j + 1] * normal[j].dot(normal[j + 1]);
                a[j + 1][j] = a[j][j + 1];
            }
        }
        for k in 0..n {
            for i in k + 1..n {
                let (pivot, f) = (a[k].clone(), a[i][k] / a[k][k]);
                a[i].iter_mut().zip(pivot).for_each(|(a, p)| *a -= f * p);
            }
        }
        let mut lambda = vec![0.0; n];
        for k in (0..n).rev() {
            lambda[k] = (a[k][n] - (k + 1..n).map(|c| a[k][c] * lambda[c]).sum::<f64>()) / a[k][k];
        }
        for j in 0..n {
            x[j] += normal[j] * lambda[j] * w[j];
            x[j + 1] -= normal[j] * lambda[j] * w[j + 1];
        }
    }

    proptest! {
        #[test]
        fn one_pass_solves_the_tridiagonal_system(
            offsets in prop::collection::vec([-0.3..0.3, -0.3..0.3, -0.3..0.3], 9),
            mass in prop::collection::vec(0.1..3.0, 9),
            held in any::<bool>(),
        ) {
            let (links, rest) = straight_chain(8);
            let chains = Chains::new(&links, &rest);
            prop_assert_eq!(chains.len(), 1);
            let mut x: Vec<DVec3> = rest.iter().zip(&offsets).map(|(r, o)| *r + DVec3::from(*o)).collect();
            let mut w: Vec<f64> = mass.iter().map(|m| 1.0 / m).collect();
            if held { w[0] = 0.0 }
            let mut expected = x.clone();
            dense(&mut expected, &w, &links);
            chains.pass(&mut x, &w, &mut chains.workspace());
            for (a, b) in x.iter().zip(&expected) {
                prop_assert!(a.distance(*b) < 1e-9);
            }
        }
    }

    #[test]
    fn a_taut_chain_between_held_ends_stays_finite() {
        let (links, rest) = straight_chain(20);
        let chains = Chains::new(&links, &rest);
        let mut w = vec![1.0; 21];
        (w[0], w[20]) = (0.0, 0.0);
        let mut x: Vec<DVec3> = rest.iter().map(|r| *r * 1.1).collect();
        for _ in 0..50 {
            chains.pass(&mut x, &w, &mut chains.workspace());
        }
        // Over-long by 10 % and held: the best is to share the stretch evenly.
        assert!(x.windows(2).all(|p| (p[0].distance(p[1]) - 1.1).abs() < 1e-6));
    }

    #[test]
    fn every_edge_of_a_grid_is_in_one_chain_and_rows_are_whole() {
        let mesh = toile_mesh::generate::grid([1.0, 1.0], [11, 7], toile_mesh::generate::Diagonals::Same);
        let mut model = crate::ClothModel::default();
        model.add(&mesh, &crate::ConstraintFabric::default());
        let chains = Chains::new(&model.structural, &model.rest);
        // 7 rows, 11 columns and 11 + 7 − 3 diagonals.
        assert_eq!(chains.len(), 7 + 11 + 15);
        assert_eq!(chains.links.len() - chains.len(), model.structural.len());
    }
}
