//! [`Drift`]: how each cloth moves as a whole, solved exactly however early the linear solver stops.
//!
//! What a truncated solve leaves over, `r = b − A d`, acts as a force from nowhere: its sum over a cloth changes the cloth's momentum,
//! and friction is a small difference of large forces. So a shift `t_c` of every cloth `c` is added that leaves no net force,
//!
//! ```text
//! Σ_{i∈c} (r − A E t)_i = 0,   (E t)_i = t_c:   K t = Eᵀ r,   K = Eᵀ A E
//! ```
//!
//! the Galerkin correction of conjugate gradients by one coarse space (Nicolaides 1987, *Deflation of Conjugate Gradients*), which
//! never raises the energy. Elastic forces do not know shifts, so `K` holds inertia, drag and contacts alone:
//! `K_cc' = δ_cc' Σ (a m_i I + b D_i) + Σ_contacts W_c W_c' B`, with `W_c` the sum of a contact's weights on `c`.
//!
//! A cloth is what elements connect. Those with a held particle, or one forbidden a direction, are left out: their momentum is not
//! theirs alone. Beyond [`MOST_CLOTHS`] all of them shift as one, which keeps their common momentum.

use toile_mesh::{DMat3, DVec3};

use super::ContactTerms;
use super::newton::Problem;
use crate::linear::{Cholesky, System, parts};

/// Cloths that get their own shift: the matrix is dense.
const MOST_CLOTHS: usize = 32;

/// Which particles belong together, and the system of their shifts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drift {
    /// Cloth of each particle.
    cloth: Vec<u32>,
    /// Unknown of each cloth, if it has one.
    unknown: Vec<Option<u32>>,
    count: usize,
    mass: Vec<f64>,
    /// Net force on each unknown [N], then its shift [m].
    net: Vec<DVec3>,
    matrix: Vec<f64>,
    factor: Cholesky,
    flat: Vec<f64>,
}

impl Drift {
    /// Cloths are the connected parts of the system's pattern.
    pub(crate) fn new(system: &System) -> Self {
        let n = system.rows();
        let mut root: Vec<u32> = (0..n as u32).collect();
        let scalars = (0..system.scalars.rows()).flat_map(|i| system.scalars.row(i).map(move |at| (i, at)));
        let blocks = (0..n).flat_map(|i| system.blocks.row(i).map(move |at| (i, at)));
        let joined = blocks.map(|(i, at)| (i, system.blocks.columns[at]));
        for (i, j) in joined.chain(scalars.map(|(i, at)| (i, system.scalars.columns[at]))) {
            unite(&mut root, i as u32, j);
        }
        // Roots are the lowest of their cloth, so they are numbered before any other particle of it.
        let (mut cloth, mut count) = (vec![0; n], 0);
        for i in 0..n {
            let first = find(&mut root, i as u32) as usize;
            if first == i {
                cloth[i] = count;
                count += 1;
            } else {
                cloth[i] = cloth[first];
            }
        }
        Self { cloth, unknown: vec![None; count as usize], ..Self::default() }
    }

    /// Finds out which cloths are free.
    pub(crate) fn begin(&mut self, problem: &Problem<'_>) {
        self.unknown.fill(Some(0));
        for (i, cloth) in self.cloth.iter().enumerate() {
            if problem.filter.is_constrained(i) || problem.mass[i] <= 0.0 {
                self.unknown[*cloth as usize] = None;
            }
        }
        let free = self.unknown.iter().flatten().count();
        self.count = free.min(1);
        if free <= MOST_CLOTHS {
            self.count = free;
            self.unknown.iter_mut().flatten().enumerate().for_each(|(k, unknown)| *unknown = k as u32);
        }
        self.weigh(problem);
    }

    fn weigh(&mut self, problem: &Problem<'_>) {
        self.mass.clear();
        self.mass.resize(self.count, 0.0);
        for (i, mass) in problem.mass.iter().enumerate() {
            if let Some(k) = self.of(i) {
                self.mass[k] += mass;
            }
        }
    }

    #[inline]
    fn of(&self, i: usize) -> Option<usize> {
        self.unknown[self.cloth[i] as usize].map(|k| k as usize)
    }

    fn gather(&mut self, force: &[DVec3]) {
        self.net.clear();
        self.net.resize(self.count, DVec3::ZERO);
        for (i, force) in force.iter().enumerate() {
            if let Some(k) = self.of(i) {
                self.net[k] += *force;
            }
        }
    }

    /// Largest acceleration of a free cloth by its part of `force` [m/s²].
    pub(crate) fn acceleration(&mut self, force: &[DVec3]) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        self.gather(force);
        self.net.iter().zip(&self.mass).map(|(net, mass)| net.length() / mass).fold(0.0, f64::max)
    }

    /// From now on cloths that acting contacts connect shift as one, and those connected to a held one not at all.
    pub(crate) fn join(&mut self, problem: &Problem<'_>, contacts: &dyn ContactTerms) {
        let mut root: Vec<u32> = (0..self.unknown.len() as u32).collect();
        contacts.for_each_block(&mut |vertices, weights, _| {
            let mut cloths = parts(vertices, weights).map(|(i, _)| self.cloth[i]);
            if let Some(first) = cloths.next() {
                cloths.for_each(|cloth| unite(&mut root, first, cloth));
            }
        });
        let held: Vec<u32> = (0..root.len() as u32).filter(|c| self.unknown[*c as usize].is_none()).collect();
        for cloth in held {
            let first = find(&mut root, cloth);
            self.unknown[first as usize] = None;
        }
        // Roots come before the others.
        for cloth in 0..root.len() {
            self.unknown[cloth] = self.unknown[find(&mut root, cloth as u32) as usize];
        }
        self.weigh(problem);
    }

    /// Adds to `direction` the shifts that leave no net force of `residual`.
    pub(crate) fn correct(
        &mut self,
        problem: &Problem<'_>,
        contacts: &dyn ContactTerms,
        residual: &[DVec3],
        direction: &mut [DVec3],
    ) {
        if self.count == 0 {
            return;
        }
        self.gather(residual);
        self.assemble(problem, contacts);
        let n = 3 * self.count;
        self.factor.update(n, |i, j| self.matrix[n * i + j]);
        self.flat.clear();
        self.flat.extend(self.net.iter().flat_map(DVec3::to_array));
        self.factor.solve(&mut self.flat);
        for (net, shift) in self.net.iter_mut().zip(self.flat.chunks_exact(3)) {
            *net = DVec3::from_slice(shift);
        }
        for (i, d) in direction.iter_mut().enumerate() {
            if let Some(k) = self.of(i) {
                *d += self.net[k];
            }
        }
    }

    fn assemble(&mut self, problem: &Problem<'_>, contacts: &dyn ContactTerms) {
        self.matrix.clear();
        self.matrix.resize(9 * self.count * self.count, 0.0);
        for (i, mass) in problem.mass.iter().enumerate() {
            if let Some(k) = self.of(i) {
                self.add(k, k, DMat3::from_diagonal(DVec3::splat(problem.stage.inertia(i) * mass)));
            }
        }
        for (i, drag) in problem.loads.damping.iter().enumerate() {
            if let Some(k) = self.of(i) {
                self.add(k, k, *drag * problem.stage.rate(i));
            }
        }
        contacts.for_each_block(&mut |vertices, weights, block| {
            // At most four cloths, each with the sum of its weights.
            let mut sums = [(usize::MAX, 0.0); 4];
            for (i, w) in parts(vertices, weights) {
                let Some(k) = self.of(i) else { continue };
                if let Some(sum) = sums.iter_mut().find(|sum| sum.0 == k || sum.0 == usize::MAX) {
                    *sum = (k, sum.1 + w);
                }
            }
            for (k, v) in sums {
                for (l, w) in sums {
                    // Contacts of a cloth with itself add up to nothing but rounding.
                    if k != usize::MAX && l != usize::MAX && (v * w).abs() > 1e-18 {
                        self.add(k, l, block * (v * w));
                    }
                }
            }
        });
    }

    fn add(&mut self, k: usize, l: usize, block: DMat3) {
        let n = 3 * self.count;
        for row in 0..3 {
            for column in 0..3 {
                self.matrix[n * (3 * k + row) + 3 * l + column] += block.col(column)[row];
            }
        }
    }
}

/// The lowest number of the set of `i`, in a forest of sets.
fn find(root: &mut [u32], mut i: u32) -> u32 {
    while root[i as usize] != i {
        root[i as usize] = root[root[i as usize] as usize];
        i = root[i as usize];
    }
    i
}

/// Joins two sets.
fn unite(root: &mut [u32], i: u32, j: u32) {
    let (a, b) = (find(root, i), find(root, j));
    root[a.max(b) as usize] = a.min(b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::{Effort, History, Integrator, Loads, NewtonSettings, Part, Stage, VisitBlock};
    use crate::linear::{Couplings, Csr, Filter};

    /// Springs of constant stiffness between weighted sums of particles.
    #[derive(Debug)]
    struct Springs(Vec<([u32; 4], [f64; 4], DMat3)>);

    impl ContactTerms for Springs {
        fn is_empty(&self) -> bool {
            self.0.is_empty()
        }
        fn connect(&self, _: usize, _: &mut Couplings) {}
        fn begin(&mut self, _: &Part<'_>) {}
        fn refresh(&mut self, _: &[DVec3], _: &mut Couplings) -> f64 {
            0.0
        }
        fn value(&mut self, _: &[DVec3]) -> f64 {
            0.0
        }
        fn gradient(&self, _: usize) -> DVec3 {
            DVec3::ZERO
        }
        fn add_to_diagonal(&self, _: usize, _: &mut DMat3) {}
        fn for_each_block(&self, visit: &mut VisitBlock<'_>) {
            for (vertices, weights, block) in &self.0 {
                visit(vertices, weights, *block);
            }
        }
        fn hold_back(&self, _: usize, _: DVec3) -> Option<DVec3> {
            None
        }
        fn obey_the_law(&self) -> bool {
            true
        }
        fn are_overrun(&self) -> bool {
            false
        }
        fn stiffen(&mut self, _: &[DVec3], _: &mut Couplings) -> Option<f64> {
            None
        }
    }

    /// A spring of 6 N/m along y.
    fn spring(vertices: [u32; 4], weights: [f64; 4]) -> ([u32; 4], [f64; 4], DMat3) {
        (vertices, weights, DMat3::from_diagonal(DVec3::Y * 6.0))
    }

    /// Pairs of particles of 1 kg, each pair a cloth; `a` = 1, without loads.
    struct Pairs {
        system: System,
        stage: Stage,
        mass: Vec<f64>,
        filter: Filter,
    }

    impl Pairs {
        fn new(count: u32) -> Self {
            let n = 2 * count as usize;
            let springs = (0..count).flat_map(|k| [[2 * k, 2 * k + 1], [2 * k + 1, 2 * k]]);
            let system = System { blocks: Csr::new(n, springs), ..System::default() };
            Self { system, stage: Stage::default(), mass: vec![1.0; n], filter: Filter::free(n) }
        }

        /// The shifts by `residual`, with these springs.
        fn shifts(
            &mut self,
            springs: Vec<([u32; 4], [f64; 4], DMat3)>,
            residual: &[DVec3],
            joined: bool,
        ) -> Vec<DVec3> {
            let n = self.mass.len();
            let contacts = Springs(springs);
            let still = vec![DVec3::ZERO; n];
            self.stage.prepare(Integrator::ImplicitEuler, &still, &still, &History::default(), false, 1.0);
            let (loads, settings) = (Loads::default(), NewtonSettings::default());
            let (stage, mass, filter) = (&self.stage, &self.mass, &self.filter);
            let effort = Effort::Bounded;
            let problem = Problem { stage, loads: &loads, mass, filter, settings: &settings, effort };
            let mut drift = Drift::new(&self.system);
            drift.begin(&problem);
            if joined {
                drift.join(&problem, &contacts);
            }
            let mut direction = vec![DVec3::ZERO; n];
            drift.correct(&problem, &contacts, residual, &mut direction);
            direction
        }
    }

    fn assert_near(shifts: &[DVec3], expected: &[DVec3]) {
        assert!(shifts.iter().zip(expected).all(|(t, e)| t.distance(*e) < 1e-12), "{shifts:?}");
    }

    #[test]
    fn each_cloth_is_shifted_by_its_net_force_over_its_inertia() {
        let residual = [DVec3::X, DVec3::X * 3.0, DVec3::Z, -DVec3::Z];
        let shifts = Pairs::new(2).shifts(vec![], &residual, false);
        assert_near(&shifts, &[DVec3::X * 2.0, DVec3::X * 2.0, DVec3::ZERO, DVec3::ZERO]);
    }

    #[test]
    fn an_obstacle_resists_along_its_normal() {
        // Stiffness 6 N/m beside an inertia of 2 kg/s².
        let floor = spring([0; 4], [1.0, 0.0, 0.0, 0.0]);
        let shifts = Pairs::new(1).shifts(vec![floor], &[DVec3::new(4.0, 4.0, 0.0), DVec3::ZERO], false);
        assert!(shifts.iter().all(|t| t.distance(DVec3::new(2.0, 0.5, 0.0)) < 1e-12), "{shifts:?}");
    }

    /// Between the first two cloths.
    fn touch() -> ([u32; 4], [f64; 4], DMat3) {
        spring([0, 2, 0, 0], [1.0, -1.0, 0.0, 0.0])
    }

    #[test]
    fn cloths_that_touch_share_the_load_and_joined_ones_move_as_one() {
        let residual = [DVec3::Y * 4.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        // (2 + 6) t − 6 u = 4, (2 + 6) u − 6 t = 0.
        let [t, u] = [8.0 / 7.0, 6.0 / 7.0].map(|y| DVec3::Y * y);
        assert_near(&Pairs::new(2).shifts(vec![touch()], &residual, false), &[t, t, u, u]);
        assert_near(&Pairs::new(2).shifts(vec![touch()], &residual, true), &[DVec3::Y; 4]);
    }

    #[test]
    fn held_cloths_and_those_joined_to_them_stay() {
        let mut pairs = Pairs::new(3);
        pairs.filter.pin(1);
        let shifts = pairs.shifts(vec![], &[DVec3::X; 6], false);
        assert_near(&shifts, &[DVec3::ZERO, DVec3::ZERO, DVec3::X, DVec3::X, DVec3::X, DVec3::X]);
        let shifts = pairs.shifts(vec![touch()], &[DVec3::X; 6], true);
        assert_near(&shifts, &[DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, DVec3::X, DVec3::X]);
    }

    #[test]
    fn many_cloths_shift_as_one() {
        let count = MOST_CLOTHS as u32 + 1;
        let mut residual = vec![DVec3::ZERO; 2 * count as usize];
        residual[0] = DVec3::X * (2.0 * f64::from(count));
        let shifts = Pairs::new(count).shifts(vec![], &residual, false);
        assert!(shifts.iter().all(|t| t.distance(DVec3::X) < 1e-12));
    }
}
