//! Simultaneous resolution of a collision graph (Huh 2001, §3.4, after Baraff 1989).
//!
//! Each edge e of bodies i and j with direction `n_e` carries an impulse `p_e n_e` on i and `−p_e n_e` on j:
//! ```text
//! v_i⁺ = v_i⁻ + m_i⁻¹ Σ_e ±p_e n_e,        v_e = n_e · (v_i − v_j)
//! acyclic:  v_e⁺ = −C_e v_e⁻               (equation 1, one per edge, solved exactly: `tree.rs`)
//! cyclic:   v_e⁺ ≥ −C_e v_e⁻, Σ_e (v_e⁺ + C_e v_e⁻) least    (equations 3 and 4, by linear programming: `programme.rs`)
//! ```
//! Huh's unknowns are the velocities, with the total momentum as an equation more (equation 2). With impulses it holds by
//! itself and nothing is lost: for positive masses the relative velocities `J M⁻¹ Jᵀ p` are all those that any velocities
//! have (the ranges of `J M⁻¹ Jᵀ` and J are the same), so both forms have the same optimum. It also settles what scalar
//! equations in space leave open: velocity perpendicular to the collision directions is unchanged.
//!
//! Acyclic collisions lose the energy `½ (1 − C_e²) v⁻ᵀ (J M⁻¹ Jᵀ)⁻¹ v⁻`, so they never gain any. The inequalities of cyclic
//! ones are a heuristic, as the paper says, and may add energy. Both may pull: equation 1 asks a slow body that shares
//! a partner with a fast one to stay with its partner.
//!
//! Immovable bodies count as one ground when cycles are looked for: a body between two of them has no free choice either.
//! If a programme has no solution, is larger than allowed or is solved badly, the bodies of the component go on with their
//! common velocity: perfectly inelastic, momentum kept, and reported.

use toile_mesh::DVec3;

use super::graph::{Body, Edge};
use super::groups::Groups;
use super::{ZoneReport, programme, tree};

/// Share of the fastest approach by which a solution may miss what is asked of it; a programme keeps 1e-7.
const KEPT: f64 = 1.0e-6;

/// Connected bodies with their edges, in numbers of their own.
struct Component {
    /// Numbers of the bodies outside.
    numbers: Vec<usize>,
    bodies: Vec<Body>,
    edges: Vec<Edge>,
}

/// Changes of velocity [m/s] of all bodies. `largest`: most edges of a linear programme.
pub(super) fn resolve(
    bodies: &[Body],
    edges: &[Edge],
    elasticity: f64,
    largest: usize,
    report: &mut ZoneReport,
) -> Vec<DVec3> {
    let mut changes = vec![DVec3::ZERO; bodies.len()];
    for component in components(bodies, edges) {
        let after = component.resolve(elasticity, largest, report);
        for ((number, before), after) in component.numbers.iter().zip(&component.bodies).zip(after) {
            if before.inverse_mass > 0.0 {
                changes[*number] = after - before.velocity;
            }
        }
    }
    changes
}

/// Parts of the graph that are not connected through bodies that move.
fn components(bodies: &[Body], edges: &[Edge]) -> Vec<Component> {
    let moves = |b: usize| bodies[b].inverse_mass > 0.0;
    let mut groups = Groups::new(bodies.len());
    edges.iter().filter(|e| e.bodies.iter().all(|b| moves(*b))).for_each(|e| groups.join(e.bodies[0], e.bodies[1]));
    let mut edges_of = vec![Vec::new(); bodies.len()];
    for edge in edges {
        if let Some(body) = edge.bodies.iter().find(|b| moves(**b)) {
            edges_of[groups.find(*body)].push(edge);
        }
    }
    let component = |edges: Vec<&Edge>| {
        let mut numbers: Vec<usize> = edges.iter().flat_map(|e| e.bodies).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let local = |b: usize| numbers.partition_point(|n| *n < b);
        let edges = edges.iter().map(|e| Edge { bodies: e.bodies.map(local), normal: e.normal }).collect();
        Component { bodies: numbers.iter().map(|b| bodies[*b]).collect(), edges, numbers }
    };
    edges_of.into_iter().filter(|edges| !edges.is_empty()).map(component).collect()
}

impl Component {
    fn resolve(&self, elasticity: f64, largest: usize, report: &mut ZoneReport) -> Vec<DVec3> {
        let targets: Vec<f64> = self.edges.iter().map(|e| -elasticity * e.relative(&self.bodies)).collect();
        let impulses = if self.is_cyclic() {
            report.cyclic += 1;
            if self.edges.len() <= largest {
                report.programmes += 1;
                programme::impulses(&self.bodies, &self.edges, &targets)
            } else {
                None
            }
        } else {
            tree::impulses(&self.bodies, &self.edges, &targets)
        };
        let after = impulses.map(|p| apply(&self.bodies, &self.edges, &p)).filter(|after| self.keeps(after, &targets));
        let Some(after) = after else {
            report.bundled += 1;
            return vec![self.common_velocity(); self.bodies.len()];
        };
        after.iter().map(|body| body.velocity).collect()
    }

    fn is_cyclic(&self) -> bool {
        let moving = self.bodies.iter().filter(|b| b.inverse_mass > 0.0).count();
        let nodes = moving + usize::from(moving < self.bodies.len());
        self.edges.len() >= nodes
    }

    /// Whether no edge falls short of its target. Not so for velocities that are no numbers.
    fn keeps(&self, after: &[Body], targets: &[f64]) -> bool {
        let fastest = self.edges.iter().fold(0.0_f64, |most, e| most.max(e.relative(&self.bodies).abs()));
        self.edges.iter().zip(targets).all(|(e, target)| e.relative(after) >= target - KEPT * fastest)
    }

    /// Velocity of all of them if they stick together: that of the centre of mass, or of what cannot be moved.
    fn common_velocity(&self) -> DVec3 {
        let held = self.bodies.iter().any(|b| b.inverse_mass == 0.0);
        let weight = |b: &Body| match (held, b.inverse_mass > 0.0) {
            (true, moves) => f64::from(u8::from(!moves)),
            (false, _) => 1.0 / b.inverse_mass,
        };
        let total: f64 = self.bodies.iter().map(weight).sum();
        self.bodies.iter().map(|b| b.velocity * weight(b)).sum::<DVec3>() / total
    }
}

/// The bodies after the impulses of all edges.
pub(super) fn apply(bodies: &[Body], edges: &[Edge], impulses: &[f64]) -> Vec<Body> {
    let mut after = bodies.to_vec();
    for (edge, p) in edges.iter().zip(impulses) {
        for (body, sign) in edge.bodies.into_iter().zip([1.0, -1.0]) {
            after[body].velocity += edge.normal * (sign * p * bodies[body].inverse_mass);
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ball(velocity: f64, mass: f64) -> Body {
        Body { velocity: DVec3::X * velocity, inverse_mass: 1.0 / mass }
    }

    /// Body i + 1 is hit by body i, which comes from the left.
    fn chain(count: usize) -> Vec<Edge> {
        (1..count).map(|i| Edge { bodies: [i - 1, i], normal: -DVec3::X }).collect()
    }

    fn after(bodies: &[Body], edges: &[Edge], elasticity: f64) -> (Vec<Body>, ZoneReport) {
        let mut report = ZoneReport::default();
        let changes = resolve(bodies, edges, elasticity, 256, &mut report);
        let moved = |(b, change): (&Body, &DVec3)| Body { velocity: b.velocity + *change, ..*b };
        (bodies.iter().zip(&changes).map(moved).collect(), report)
    }

    fn speeds(bodies: &[Body]) -> Vec<f64> {
        bodies.iter().map(|b| b.velocity.x).collect()
    }

    fn momentum(bodies: &[Body]) -> DVec3 {
        bodies.iter().map(|b| b.velocity / b.inverse_mass).sum()
    }

    /// Nearly parallel directions ask for large velocities; errors are relative to them.
    fn scale(bodies: &[Body]) -> f64 {
        bodies.iter().map(|b| b.velocity.length() / b.inverse_mass).fold(1.0, f64::max)
    }

    fn energy(bodies: &[Body]) -> f64 {
        bodies.iter().map(|b| 0.5 * b.velocity.length_squared() / b.inverse_mass).sum()
    }

    #[test]
    fn two_equal_balls_exchange_their_velocities() {
        let (balls, _) = after(&[ball(2.0, 0.3), ball(-1.0, 0.3)], &chain(2), 1.0);
        assert!(
            (balls[0].velocity - -DVec3::X).length() < 1e-14 && (balls[1].velocity - 2.0 * DVec3::X).length() < 1e-14
        );
    }

    #[test]
    fn velocity_across_the_direction_is_unchanged() {
        let mut balls = [ball(2.0, 0.3), ball(-1.0, 0.7)];
        balls[0].velocity.z = 5.0;
        let (balls, _) = after(&balls, &chain(2), 0.5);
        assert!(balls[0].velocity.z == 5.0 && balls[1].velocity.z == 0.0 && balls[0].velocity.y == 0.0);
    }

    #[test]
    fn in_a_cradle_of_three_that_all_touch_the_equations_fix_the_speeds() {
        // Pairs (0, 1) and (1, 2) both approach at 1: all at once they part at 1, which mirrors the velocities.
        let (balls, report) = after(&[ball(1.0, 1.0), ball(0.0, 1.0), ball(-1.0, 1.0)], &chain(3), 1.0);
        assert!(speeds(&balls).iter().zip([-1.0, 0.0, 1.0]).all(|(v, w)| (v - w).abs() < 1e-14));
        assert_eq!(report, ZoneReport::default());
    }

    #[test]
    fn a_cradle_hands_the_speed_of_the_first_ball_to_the_last_one_collision_after_the_other() {
        // Only pairs that approach are edges, so the blow travels from round to round.
        let mut balls = vec![ball(1.0, 1.0), ball(0.0, 1.0), ball(0.0, 1.0)];
        for _ in 0..4 {
            let edges: Vec<Edge> = chain(3).into_iter().filter(|e| e.relative(&balls) < -1e-12).collect();
            balls = after(&balls, &edges, 1.0).0;
        }
        assert!(speeds(&balls).iter().zip([0.0, 0.0, 1.0]).all(|(v, w)| (v - w).abs() < 1e-14), "{:?}", speeds(&balls));
    }

    #[test]
    fn a_three_cycle_needs_a_programme_and_parts_every_pair_enough() {
        // Along a line, with the first hitting both others; equation 1 could not hold for all three.
        let balls = [ball(3.0, 1.0), ball(1.0, 2.0), ball(0.0, 1.0)];
        let mut edges = chain(3);
        edges.push(Edge { bodies: [0, 2], normal: -DVec3::X });
        let (moved, report) = after(&balls, &edges, 0.5);
        assert_eq!([report.cyclic, report.programmes, report.bundled], [1, 1, 0]);
        let parting: Vec<f64> = edges.iter().map(|e| e.relative(&moved)).collect();
        // Approaches 2, 1 and 3: parting at 1, 0.5 and 1.5 happens to satisfy all three exactly.
        assert!(parting.iter().zip([1.0, 0.5, 1.5]).all(|(v, w)| (v - w).abs() < 1e-7), "{parting:?}");
        assert!((momentum(&moved) - momentum(&balls)).length() < 1e-12);
    }

    #[test]
    fn a_body_between_two_walls_stops_and_walls_stay() {
        let wall = |v: f64| Body { velocity: DVec3::X * v, inverse_mass: 0.0 };
        let (moved, report) = after(&[ball(3.0, 1.0), wall(0.5)], &chain(2), 0.0);
        assert!((moved[0].velocity.x - 0.5).abs() < 1e-15 && moved[1].velocity.x == 0.5 && report.cyclic == 0);
        // Walls that close in on it leave no room: the ground decides.
        let (moved, report) = after(&[wall(1.0), ball(0.0, 1.0), wall(-2.0)], &chain(3), 0.0);
        assert!(report.cyclic == 1 && report.bundled == 1 && moved[1].velocity == -0.5 * DVec3::X);
    }

    #[test]
    fn programmes_larger_than_allowed_are_bundled() {
        let balls = [ball(3.0, 1.0), ball(1.0, 2.0), ball(0.0, 1.0)];
        let mut edges = chain(3);
        edges.push(Edge { bodies: [0, 2], normal: -DVec3::X });
        let mut report = ZoneReport::default();
        let changes = resolve(&balls, &edges, 0.5, 2, &mut report);
        assert_eq!([report.cyclic, report.programmes, report.bundled], [1, 0, 1]);
        assert!((balls[0].velocity + changes[0] - DVec3::X * 1.25).length() < 1e-15);
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from)
    }

    fn bodies() -> impl Strategy<Value = Vec<Body>> {
        let body = (vector(), 0.1..10.0_f64).prop_map(|(velocity, inverse_mass)| Body { velocity, inverse_mass });
        prop::collection::vec(body, 2..9)
    }

    /// An edge from each body but the first to one before it, and more edges if `extra`, all between approaching bodies.
    fn graph(bodies: &[Body], seeds: &[(usize, DVec3)], extra: bool) -> Vec<Edge> {
        let tree = (1..bodies.len()).map(|i| [seeds[i].0 % i, i]);
        let more = (2..bodies.len()).map(|i| [(seeds[i].0 + 1) % i, i]).filter(|_| extra);
        let mut edges: Vec<Edge> = Vec::new();
        for ([i, j], seed) in tree.chain(more).zip(seeds.iter().cycle()) {
            let normal = seed.1.try_normalize().unwrap_or(DVec3::Y);
            let side = (bodies[i].velocity - bodies[j].velocity).dot(normal);
            edges.push(Edge { bodies: [i, j], normal: if side > 0.0 { -normal } else { normal } });
        }
        edges
    }

    /// Solution of `a x = b` by elimination.
    fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for k in 0..n {
            let pivot = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs())).unwrap();
            a.swap(k, pivot);
            b.swap(k, pivot);
            let (row, value) = (a[k].clone(), b[k]);
            for i in (0..n).filter(|i| *i != k) {
                let factor = a[i][k] / row[k];
                a[i].iter_mut().zip(&row).for_each(|(entry, above)| *entry -= factor * above);
                b[i] -= factor * value;
            }
        }
        (0..n).map(|i| b[i] / a[i][i]).collect()
    }

    proptest! {
        #[test]
        fn trees_satisfy_all_equations_keep_momentum_and_lose_energy(
            bodies in bodies(),
            seeds in prop::collection::vec((0..100_usize, vector()), 9),
            elasticity in 0.0..1.0_f64,
        ) {
            let edges = graph(&bodies, &seeds, false);
            let (moved, report) = after(&bodies, &edges, elasticity);
            prop_assert_eq!(report, ZoneReport::default());
            for edge in &edges {
                let missed = edge.relative(&moved) + elasticity * edge.relative(&bodies);
                prop_assert!(missed.abs() < 1e-12 * scale(&moved), "missed by {}", missed);
            }
            prop_assert!((momentum(&moved) - momentum(&bodies)).length() < 1e-12 * scale(&moved));
            prop_assert!(energy(&moved) < energy(&bodies) + 1e-12);
        }

        #[test]
        fn the_recursion_over_a_tree_agrees_with_elimination(
            bodies in bodies(),
            seeds in prop::collection::vec((0..100_usize, vector()), 9),
            held: bool,
        ) {
            let mut bodies = bodies;
            if held {
                bodies[seeds[0].0 % 2].inverse_mass = 0.0;
            }
            let edges = graph(&bodies, &seeds, false);
            let targets: Vec<f64> = seeds.iter().take(edges.len()).map(|s| s.1.x).collect();
            let sign = |e: &Edge, b: usize| f64::from(u8::from(e.bodies[0] == b)) - f64::from(u8::from(e.bodies[1] == b));
            let coupling = |e: &Edge, f: &Edge| -> f64 {
                let weights = (0..bodies.len()).map(|b| sign(e, b) * sign(f, b) * bodies[b].inverse_mass);
                weights.sum::<f64>() * e.normal.dot(f.normal)
            };
            let a = edges.iter().map(|e| edges.iter().map(|f| coupling(e, f)).collect()).collect();
            let b = edges.iter().zip(&targets).map(|(e, t)| t - e.relative(&bodies)).collect();
            let expected = eliminate(a, b);
            let found = tree::impulses(&bodies, &edges, &targets).unwrap();
            for (p, q) in found.iter().zip(&expected) {
                prop_assert!((p - q).abs() < 1e-9 * (1.0 + q.abs()), "{} instead of {}", p, q);
            }
        }

        #[test]
        fn cycles_keep_momentum_and_part_every_pair_enough(
            bodies in bodies(),
            seeds in prop::collection::vec((0..100_usize, vector()), 9),
            elasticity in 0.0..1.0_f64,
        ) {
            let edges = graph(&bodies, &seeds, true);
            let (moved, report) = after(&bodies, &edges, elasticity);
            prop_assert!((momentum(&moved) - momentum(&bodies)).length() < 1e-12 * scale(&moved));
            prop_assert!(bodies.len() == 2 || report.cyclic == 1);
            prop_assert_eq!(report.bundled, 0);
            for edge in &edges {
                prop_assert!(edge.relative(&moved) > -elasticity * edge.relative(&bodies) - 1e-6);
            }
        }

        /// On a line the polytope of equation 3 at fixed momentum has corners, each where N − 1 inequalities are equations.
        #[test]
        fn the_optimum_on_a_line_is_the_best_corner_of_the_polytope(
            masses in prop::collection::vec(0.2..5.0_f64, 3..6),
            speeds in prop::collection::vec(-1.0..1.0_f64, 6),
            flips in prop::collection::vec(any::<bool>(), 15),
            all_flipped: bool,
            elasticity in 0.0..1.0_f64,
        ) {
            let n = masses.len();
            let bodies: Vec<Body> = masses.iter().zip(&speeds).map(|(m, v)| ball(*v, *m)).collect();
            let pairs: Vec<[usize; 2]> = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j])).collect();
            // In the order of a line, which has solutions, or in any order, which seldom has.
            let normal = |k: usize| if all_flipped || flips[k] { -DVec3::X } else { DVec3::X };
            let edges: Vec<Edge> = pairs.iter().enumerate().map(|(k, b)| Edge { bodies: *b, normal: normal(k) }).collect();
            let targets: Vec<f64> = edges.iter().map(|e| elasticity * e.relative(&bodies).abs()).collect();
            let row = |e: &Edge| -> Vec<f64> {
                (0..n).map(|b| if b == e.bodies[0] { e.normal.x } else if b == e.bodies[1] { -e.normal.x } else { 0.0 }).collect()
            };
            let mut best = f64::INFINITY;
            for set in 0_u32..1 << edges.len() {
                if set.count_ones() as usize != n - 1 {
                    continue;
                }
                let chosen: Vec<usize> = (0..edges.len()).filter(|k| set >> k & 1 == 1).collect();
                let mut a: Vec<Vec<f64>> = chosen.iter().map(|k| row(&edges[*k])).collect();
                a.push(masses.clone());
                let mut b: Vec<f64> = chosen.iter().map(|k| targets[*k]).collect();
                b.push(momentum(&bodies).x);
                let v = eliminate(a, b);
                let excess = |k: usize| row(&edges[k]).iter().zip(&v).map(|(a, v)| a * v).sum::<f64>() - targets[k];
                if (0..edges.len()).all(|k| excess(k) > -1e-9) {
                    best = best.min((0..edges.len()).map(excess).sum());
                }
            }
            match programme::impulses(&bodies, &edges, &targets) {
                Some(p) => {
                    let moved = apply(&bodies, &edges, &p);
                    let excess: f64 = edges.iter().zip(&targets).map(|(e, t)| e.relative(&moved) - t).sum();
                    prop_assert!((excess - best).abs() < 1e-5, "{} instead of {}", excess, best);
                    prop_assert!((momentum(&moved) - momentum(&bodies)).length() < 1e-12);
                }
                None => prop_assert!(best == f64::INFINITY, "missed {}", best),
            }
        }
    }
}
