//! The particle hierarchy finds exactly the pairs that testing all of them finds.

use proptest::prelude::*;
use toile_collide::{Pair, PairSearch, ParticleTree, brute_force_pairs};
use toile_mesh::DVec3;

fn sorted_pairs(tree: &mut ParticleTree, x: &[DVec3], distance: f64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    tree.refit(x);
    tree.pairs_within(x, distance, &mut PairSearch::default(), &mut pairs);
    pairs.sort_unstable();
    pairs
}

fn points(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<DVec3>> {
    prop::collection::vec([-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from), count)
}

/// A sheet of n × n particles with unit spacing, folded into a wave.
fn folded_sheet(n: usize, spacing: f64) -> (Vec<DVec3>, Vec<DVec3>) {
    let cell = |k: usize| ((k % n) as f64 * spacing, (k / n) as f64 * spacing);
    let rest = (0..n * n).map(|k| DVec3::new(cell(k).0, 0.0, cell(k).1)).collect();
    let folded = (0..n * n)
        .map(|k| {
            let (s, z) = cell(k);
            let turn = s / (3.0 * spacing);
            DVec3::new(1.5 * spacing * turn.sin(), 0.8 * spacing * turn, z)
        })
        .collect();
    (rest, folded)
}

proptest! {
    #[test]
    fn equals_brute_force_on_random_points(
        rest in points(0..120),
        seed in points(120..121),
        distance in 0.01..1.0,
        links in prop::collection::vec([0_u32..120, 0_u32..120], 0..40),
        scale in prop::sample::select(vec![1e-3, 1.0, 1e3]),
        shift in prop::sample::select(vec![0.0, 1e4]),
    ) {
        let n = rest.len() as u32;
        let links: Vec<Pair> = links.into_iter().filter(|l| l[0] != l[1] && l[0] < n && l[1] < n).collect();
        let x: Vec<DVec3> = seed[0..].iter().cycle().zip(&rest)
            .map(|(s, r)| (*r * 0.7 + *s * 0.1) * scale + DVec3::splat(shift)).collect();
        let mut tree = ParticleTree::new(&rest, &links);
        let found = sorted_pairs(&mut tree, &x, distance * scale);
        prop_assert_eq!(found, brute_force_pairs(&x, distance * scale, &links));
    }
}

#[test]
fn equals_brute_force_on_a_folded_sheet_with_links() {
    let (rest, x) = folded_sheet(40, 0.02);
    let links: Vec<Pair> = (0..1600_u32).filter(|k| k % 40 < 39).map(|k| [k + 1, k]).collect();
    let mut tree = ParticleTree::new(&rest, &links);
    let found = sorted_pairs(&mut tree, &x, 0.03);
    assert!(found.len() > 1000);
    assert_eq!(found, brute_force_pairs(&x, 0.03, &links));
}

#[test]
fn pairs_come_in_one_order_for_any_number_of_threads() {
    let (rest, x) = folded_sheet(60, 0.02);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut tree = ParticleTree::new(&rest, &[]);
            let mut pairs = Vec::new();
            tree.refit(&x);
            tree.pairs_within(&x, 0.03, &mut PairSearch::default(), &mut pairs);
            pairs
        })
    };
    let one = run(1);
    assert!(one.len() > 1000);
    for threads in [2, 3, 8] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn particles_that_are_not_finite_are_left_out() {
    let mut x = vec![DVec3::ZERO, DVec3::X * 0.1, DVec3::NAN, DVec3::INFINITY];
    let mut tree = ParticleTree::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], &[]);
    assert_eq!(sorted_pairs(&mut tree, &x, 1.0), [[0, 1]]);
    x[1] = DVec3::splat(1e300);
    assert_eq!(sorted_pairs(&mut tree, &x, 1.0), Vec::<Pair>::new());
}

#[test]
fn no_particles_no_pairs() {
    let mut tree = ParticleTree::new(&[], &[]);
    assert!(sorted_pairs(&mut tree, &[], 1.0).is_empty());
}
