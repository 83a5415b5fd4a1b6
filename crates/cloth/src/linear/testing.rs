//! Systems to test with, and a dense solver to test against.

use super::{Csr, Filter, System};
use toile_mesh::{DMat3, DVec3};

/// A small generator of numbers (Steele, Lea, Flood 2014: `SplitMix64`).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From −1 to 1.
    pub(crate) fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// Adds a spring of any stiffness block between two rows, and of a number in the other matrix.
fn add_spring(system: &mut System, [i, j]: [usize; 2], block: DMat3, number: f64) {
    for (row, column, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
        let at = system.blocks.position(row, column).unwrap();
        system.blocks.values[at] += block * sign;
        let at = system.scalars.position(row, column).unwrap();
        system.scalars.values[at] += number * sign;
    }
}

/// Springs of the given block and number along edges, and a mass on the diagonal.
pub(crate) fn springs(n: usize, edges: &[[usize; 2]], mass: f64, mut of: impl FnMut(usize) -> (DMat3, f64)) -> System {
    let edges: Vec<_> = edges.iter().copied().filter(|[i, j]| i != j).collect();
    let pairs = || edges.iter().flat_map(|&[i, j]| [[i as u32, j as u32], [j as u32, i as u32]]);
    let mut system = System { blocks: Csr::new(n, pairs()), scalars: Csr::new(n, pairs()), ..System::default() };
    for (k, &edge) in edges.iter().enumerate() {
        let (block, number) = of(k);
        add_spring(&mut system, edge, block, number);
    }
    for i in 0..n {
        let at = system.blocks.position(i, i).unwrap();
        system.blocks.values[at] += DMat3::from_diagonal(DVec3::splat(mass));
    }
    system
}

/// A random graph of springs, and random positions.
pub(crate) fn random_system(random: &mut Random, n: usize, mass: f64) -> (System, Vec<DVec3>) {
    let path = (1..n).map(|i| [i - 1, i]);
    let edges: Vec<_> = path.chain((0..2 * n).map(|_| [0; 2].map(|_: usize| random.next() as usize % n))).collect();
    let system = springs(n, &edges, mass, |_| {
        let g = DMat3::from_cols(random.vector(), random.vector(), random.vector());
        (g * g.transpose(), random.signed().abs())
    });
    (system, (0..n).map(|_| random.vector()).collect())
}

/// A grid of n × n particles, stiff along its edges and soft across.
pub(crate) fn sheet(n: usize) -> (System, Vec<DVec3>) {
    let positions: Vec<DVec3> = (0..n * n).map(|k| DVec3::new((k / n) as f64, (k % n) as f64, 0.0)).collect();
    let mut edges = Vec::new();
    for k in 0..n * n {
        let (row, column) = (k / n, k % n);
        edges.extend((column + 1 < n).then_some([k, k + 1]));
        edges.extend((row + 1 < n).then_some([k, k + n]));
        edges.extend((row + 1 < n && column + 1 < n).then_some([k, k + n + 1]));
    }
    let system = springs(n * n, &edges, 0.01, |k| {
        let [i, j] = edges[k];
        let e = (positions[j] - positions[i]).normalize();
        (DMat3::from_cols(e * e.x, e * e.y, e * e.z) * 100.0, 0.05)
    });
    (system, positions)
}

/// The solution by elimination with pivots of `S A S + I − S` and right side `S (b − A z) `, plus `z`.
pub(crate) fn dense_solution(system: &System, filter: &Filter, b: &[DVec3]) -> Vec<DVec3> {
    let n = system.rows();
    let z: Vec<DVec3> = (0..n).map(|i| filter.prescribed(i)).collect();
    let mut a = vec![vec![0.0; 3 * n + 1]; 3 * n];
    for i in 0..n {
        let mut right = b[i];
        let mut add = |j: usize, block: DMat3| {
            right -= block * z[j];
            let block = filter.projection(i) * block * filter.projection(j);
            for r in 0..3 {
                for c in 0..3 {
                    a[3 * i + r][3 * j + c] += block.col(c)[r];
                }
            }
        };
        system.blocks.row(i).for_each(|at| add(system.blocks.columns[at] as usize, system.blocks.values[at]));
        for at in system.scalars.row(i) {
            let block = DMat3::from_diagonal(DVec3::splat(system.scalars.values[at]));
            add(system.scalars.columns[at] as usize, block);
        }
        for (coupling, weight) in system.couplings.of_row(i) {
            coupling.parts().for_each(|(j, other)| add(j, coupling.block * (weight * other)));
        }
        let held = DMat3::IDENTITY - filter.projection(i);
        let right = filter.project(i, right);
        for r in 0..3 {
            (0..3).for_each(|c| a[3 * i + r][3 * i + c] += held.col(c)[r]);
            a[3 * i + r][3 * n] = right[r];
        }
    }
    let y = eliminate(a);
    (0..n).map(|i| filter.project(i, DVec3::new(y[3 * i], y[3 * i + 1], y[3 * i + 2])) + z[i]).collect()
}

fn eliminate(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        let (above, below) = a.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / above[k][k];
            row[k..].iter_mut().zip(&above[k][k..]).for_each(|(entry, top)| *entry -= factor * top);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (a[k][n] - sum) / a[k][k];
    }
    x
}
