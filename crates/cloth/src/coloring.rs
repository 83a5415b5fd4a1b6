//! Graph colouring: which groups of constraints may be projected at the same time.
//!
//! Two groups conflict when they share a particle. Groups of one colour share none, so their order does not matter
//! and threads may take them in any order with the same result, bit for bit. Colours are taken one after another.
//!
//! A group is a patch of neighbouring constraints rather than a single one: neighbours stay in the cache, four to six
//! colours suffice on a sheet, and each colour is enough work for a parallel loop. Colouring single constraints (the
//! textbook way) needs two to three times as many colours and strides through memory; it was slower on one thread than
//! no colouring at all.

use std::ops::Range;

/// Groups of items by colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colors {
    /// For each colour its groups, as ranges of items.
    pub(crate) groups: Vec<Vec<Range<usize>>>,
}

/// Colours `groups` greedily in the given order: each gets the lowest colour none of its particles has met.
///
/// `particles(item)` lists the particles an item touches; `particle_count` bounds them.
pub(crate) fn color_groups<'a>(
    groups: &[Range<usize>],
    particles: impl Fn(usize) -> &'a [u32],
    particle_count: usize,
) -> Colors {
    // One bit per colour and particle. A vertex with more than 128 groups around it (the hub of a large fan) is rare;
    // what finds no colour there gets one of its own.
    let mut used = vec![0_u128; particle_count];
    let mut colors = Colors::default();
    let mut alone = Vec::new();
    for group in groups {
        let taken = group.clone().flat_map(&particles).fold(0, |bits, &p| bits | used[p as usize]);
        let color = (!taken).trailing_zeros() as usize;
        if color == 128 {
            alone.push(vec![group.clone()]);
            continue;
        }
        if color >= colors.groups.len() {
            colors.groups.resize(color + 1, Vec::new());
        }
        colors.groups[color].push(group.clone());
        for &p in group.clone().flat_map(&particles) {
            used[p as usize] |= 1 << color;
        }
    }
    colors.groups.extend(alone);
    colors
}

/// Whether no particle is touched by two groups of one colour: what [`crate::disjoint`] relies on.
pub(crate) fn is_conflict_free<'a>(
    colors: &Colors,
    particles: impl Fn(usize) -> &'a [u32],
    particle_count: usize,
) -> bool {
    colors.groups.iter().all(|groups| {
        let mut group_of = vec![u32::MAX; particle_count];
        groups.iter().enumerate().all(|(g, range)| {
            range.clone().flat_map(&particles).all(|&p| {
                let owner = std::mem::replace(&mut group_of[p as usize], g as u32);
                owner == u32::MAX || owner == g as u32
            })
        })
    })
}

/// Cuts items into patches of at most `largest` by halving the longest side of their centres' box.
///
/// Returns the new order of the items; patch `k` is the `k`-th range of that order. Deterministic: ties go by number.
pub(crate) fn patches(centers: &[[f64; 3]], largest: usize) -> (Vec<u32>, Vec<Range<usize>>) {
    let mut order: Vec<u32> = (0..centers.len() as u32).collect();
    let mut ranges = Vec::new();
    let mut stack = Vec::new();
    stack.push(0..order.len());
    while let Some(range) = stack.pop() {
        if range.len() <= largest {
            if !range.is_empty() {
                order[range.clone()].sort_unstable();
                ranges.push(range);
            }
            continue;
        }
        let axis = longest_axis(order[range.clone()].iter().map(|&i| centers[i as usize]));
        let middle = range.len() / 2;
        let key = |i: u32| (centers[i as usize][axis], i);
        order[range.clone()].select_nth_unstable_by(middle, |&a, &b| {
            let ((ka, a), (kb, b)) = (key(a), key(b));
            ka.total_cmp(&kb).then(a.cmp(&b))
        });
        stack.push(range.start + middle..range.end);
        stack.push(range.start..range.start + middle);
    }
    (order, ranges)
}

fn longest_axis(points: impl Iterator<Item = [f64; 3]>) -> usize {
    let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points {
        for k in 0..3 {
            min[k] = min[k].min(p[k]);
            max[k] = max[k].max(p[k]);
        }
    }
    let size = [0, 1, 2].map(|k| max[k] - min[k]);
    (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_colour_touches_a_particle_twice(
            pairs in prop::collection::vec([0_u32..60, 0_u32..60], 1..200),
            size in 1_usize..20,
        ) {
            let groups: Vec<_> = (0..pairs.len()).step_by(size).map(|s| s..(s + size).min(pairs.len())).collect();
            let colors = color_groups(&groups, |i| &pairs[i], 60);
            prop_assert!(is_conflict_free(&colors, |i| &pairs[i], 60));
            let mut items: Vec<usize> = colors.groups.iter().flatten().cloned().flatten().collect();
            items.sort_unstable();
            prop_assert_eq!(items, (0..pairs.len()).collect::<Vec<_>>());
        }

        #[test]
        fn patches_hold_every_item_once(
            centers in prop::collection::vec([-1.0..1.0, -1.0..1.0, 0.0..0.1], 0..300),
            largest in 1_usize..40,
        ) {
            let (order, ranges) = patches(&centers, largest);
            prop_assert!(ranges.iter().all(|r| r.len() <= largest));
            let mut items: Vec<u32> = ranges.into_iter().flat_map(|r| order[r].to_vec()).collect();
            items.sort_unstable();
            prop_assert_eq!(items, (0..centers.len() as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_particle_may_be_in_any_number_of_groups() {
        let pairs: Vec<[u32; 2]> = (1..=300).map(|i| [0, i]).collect();
        let groups: Vec<_> = (0..300).map(|i| i..i + 1).collect();
        let colors = color_groups(&groups, |i| &pairs[i], 301);
        assert!(is_conflict_free(&colors, |i| &pairs[i], 301));
        assert_eq!(colors.groups.iter().flatten().count(), 300);
    }

    #[test]
    fn conflicts_are_seen() {
        let pairs = [[0_u32, 1], [1, 2]];
        let colors = Colors { groups: vec![vec![0..1, 1..2]] };
        assert!(!is_conflict_free(&colors, |i| &pairs[i], 3));
    }
}
