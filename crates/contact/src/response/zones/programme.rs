//! Impulses of a cyclic collision graph by linear programming (Huh 2001, §3.4.1).
//!
//! With `A_ef = Σ_bodies ± m⁻¹ n_e · n_f`, the change of `v_e` by a unit impulse of edge f:
//! ```text
//! minimize Σ_e Σ_f A_ef p_f     subject to     Σ_f A_ef p_f ≥ b_e − v_e⁻,      b_e = −C_e v_e⁻
//! ```
//! which is equation 4 under equation 3 less a constant. All its terms are at least 0, so there is a least sum wherever
//! equation 3 can be satisfied. Between bodies that all move and all approach it can: by Farkas' lemma it could not only if
//! some `λ ≥ 0` had `λᵀ J = 0` and `λᵀ b > 0`, but then `λᵀ v⁻ = 0` while every `v_e⁻ < 0`. Immovable bodies that close in on
//! others leave no solution.
//!
//! Masses and speeds are scaled to 1, as the solver's tolerance (1e-7) is absolute. Where directions are parallel, impulses
//! round a cycle may add up to nothing. Left free, they were seen to grow until rounding spoilt the momentum, and a programme
//! without solution may seem to have one through what rounding leaves of such a sum. So impulses are bounded and cost
//! a little: of several optima the one with least impulses is taken, and the optimum is missed by about 1e-6 of the speed.

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

use super::graph::{Body, Edge};

/// Largest impulse, in units of the lightest body's mass times the largest change of velocity asked for.
const LARGEST_IMPULSE: f64 = 1.0e6;
/// Cost of an impulse beside that of one unit of parting speed.
const IMPULSE_COST: f64 = 1.0e-6;
/// Coefficients below this share of the largest are rounding.
const SMALLEST_COEFFICIENT: f64 = 1.0e-9;

/// Impulses along the edges [N s]; `None` if there are none or the solver gave up.
pub(super) fn impulses(bodies: &[Body], edges: &[Edge], targets: &[f64]) -> Option<Vec<f64>> {
    let missing: Vec<f64> = edges.iter().zip(targets).map(|(e, b)| b - e.relative(bodies)).collect();
    let speed = missing.iter().fold(0.0_f64, |most, m| most.max(m.abs()));
    let lightest = bodies.iter().fold(0.0_f64, |most, b| most.max(b.inverse_mass));
    if speed == 0.0 {
        return Some(vec![0.0; edges.len()]);
    }
    let rows = coefficients(bodies, edges, lightest);
    let mut costs = vec![0.0; edges.len()];
    for (f, coefficient) in rows.iter().flatten() {
        costs[*f] += coefficient;
    }
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    // Two variables per edge, pushing and pulling, neither for free.
    let add = |cost: &f64| [1.0, -1.0].map(|sign| problem.add_var(sign * cost + IMPULSE_COST, (0.0, LARGEST_IMPULSE)));
    let variables: Vec<[Variable; 2]> = costs.iter().map(add).collect();
    for (row, missing) in rows.iter().zip(&missing) {
        let terms = |(f, a): &(usize, f64)| [(variables[*f][0], *a), (variables[*f][1], -a)];
        let row: Vec<(Variable, f64)> = row.iter().flat_map(terms).collect();
        problem.add_constraint(&row, ComparisonOp::Ge, missing / speed);
    }
    let solution = problem.solve().ok()?.into_solution().ok()?;
    let impulse = |[push, pull]: &[Variable; 2]| solution.var_value(*push) - solution.var_value(*pull);
    Some(variables.iter().map(|p| impulse(p) * speed / lightest).collect())
}

/// Rows of A in units of the lightest body's inverse mass, each as (edge, coefficient), ascending.
fn coefficients(bodies: &[Body], edges: &[Edge], lightest: f64) -> Vec<Vec<(usize, f64)>> {
    let mut around = vec![Vec::new(); bodies.len()];
    for (e, edge) in edges.iter().enumerate() {
        edge.bodies.iter().zip([1.0, -1.0]).for_each(|(b, sign)| around[*b].push((e, sign)));
    }
    let row = |edge: &Edge| {
        let mut row: Vec<(usize, f64)> = Vec::new();
        for (b, sign) in edge.bodies.iter().zip([1.0, -1.0]) {
            let by_mass = sign * bodies[*b].inverse_mass / lightest;
            row.extend(around[*b].iter().map(|(f, s)| (*f, s * by_mass * edge.normal.dot(edges[*f].normal))));
        }
        row.sort_by_key(|entry| entry.0);
        let sums =
            row.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.iter().map(|entry| entry.1).sum::<f64>()));
        sums.filter(|(_, a)| a.abs() > SMALLEST_COEFFICIENT).collect()
    };
    edges.iter().map(row).collect()
}
