//! Patches of a graph and the weights by which points follow them: how one level of a hierarchy hangs on the next.
//!
//! [`patches`] covers a graph by balls of a few rings around roots taken in order of number (Vaněk, Mandel, Brezina
//! 1996, *Algebraic multigrid by smoothed aggregation*, section 5.1); what lies between balls joins the nearest one.
//! [`Weights::blended`] then lets each point follow all patches nearby instead of its own alone: indicator functions
//! averaged over neighbours, small weights dropped, sums one. Both depend on the pattern only.

/// Weights below this are dropped: they widen the coarse matrix and carry little.
const SMALLEST: f64 = 0.05;

/// A graph in compressed rows; whether a point is its own neighbour does not matter.
#[derive(Clone, Copy)]
pub(crate) struct Graph<'a> {
    pub(crate) starts: &'a [u32],
    pub(crate) columns: &'a [u32],
}

impl Graph<'_> {
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(crate) fn neighbours(&self, i: usize) -> &[u32] {
        &self.columns[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

const NONE: u32 = u32::MAX;

/// Which patch each point is in, and their number. Patches are balls of `rings` rings where there is room.
pub(crate) fn patches(graph: Graph, rings: usize) -> (Vec<u32>, usize) {
    let n = graph.len();
    let mut owner = vec![NONE; n];
    let mut seen = vec![NONE; n];
    let mut count = 0;
    let mut queue = Vec::new();
    let mut ball: Vec<u32> = Vec::new();
    for root in 0..n as u32 {
        ball.clear();
        ball.push(root);
        seen[root as usize] = root;
        let (mut ring, mut free) = (0..1, owner[root as usize] == NONE);
        for _ in 0..rings {
            for at in ring.clone() {
                for &j in graph.neighbours(ball[at] as usize) {
                    if seen[j as usize] != root {
                        seen[j as usize] = root;
                        free &= owner[j as usize] == NONE;
                        ball.push(j);
                    }
                }
                if !free {
                    break;
                }
            }
            ring = ring.end..ball.len();
        }
        if free {
            for &i in &ball {
                owner[i as usize] = count;
            }
            queue.extend_from_slice(&ball);
            count += 1;
        }
    }
    // Breadth first from all patches at once. Every connected part has a patch: its first point had all room.
    let mut at = 0;
    while at < queue.len() {
        let i = queue[at] as usize;
        for &j in graph.neighbours(i) {
            if owner[j as usize] == NONE {
                owner[j as usize] = owner[i];
                queue.push(j);
            }
        }
        at += 1;
    }
    (owner, count as usize)
}

/// How `n` points follow `coarse` patches: sparse rows of weights, and the same by patch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights {
    rows: Lists,
    columns: Lists,
}

/// Lists of numbered weights, one after another.
#[derive(Clone, Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    items: Vec<(u32, f64)>,
}

impl Lists {
    fn get(&self, i: usize) -> &[(u32, f64)] {
        &self.items[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

impl Weights {
    /// Each point follows its patch, blended `passes` times with the mean of its neighbours.
    pub(crate) fn blended(graph: Graph, owner: &[u32], patches: usize, passes: usize) -> Self {
        let mut rows: Vec<Vec<(u32, f64)>> = owner.iter().map(|&patch| vec![(patch, 1.0)]).collect();
        for _ in 0..passes {
            rows = (0..rows.len()).map(|i| blend(graph, &rows, i)).collect();
        }
        let mut starts = vec![0];
        let mut items = Vec::new();
        let mut by_patch = vec![Vec::new(); patches];
        for (i, row) in rows.iter().enumerate() {
            let kept = row.iter().filter(|(_, weight)| *weight >= SMALLEST);
            let sum: f64 = kept.clone().map(|(_, weight)| weight).sum();
            for &(patch, weight) in kept {
                items.push((patch, weight / sum));
                by_patch[patch as usize].push((i as u32, weight / sum));
            }
            starts.push(items.len() as u32);
        }
        let mut columns = Lists { starts: vec![0], items: Vec::with_capacity(items.len()) };
        for patch in by_patch {
            columns.items.extend(patch);
            columns.starts.push(columns.items.len() as u32);
        }
        Self { rows: Lists { starts, items }, columns }
    }

    /// Number of points.
    pub(crate) fn points(&self) -> usize {
        self.rows.starts.len().saturating_sub(1)
    }

    /// Number of patches.
    pub(crate) fn patches(&self) -> usize {
        self.columns.starts.len().saturating_sub(1)
    }

    /// The patches that point `i` follows.
    pub(crate) fn of_point(&self, i: usize) -> &[(u32, f64)] {
        self.rows.get(i)
    }

    /// The points that follow a patch.
    pub(crate) fn of_patch(&self, patch: usize) -> &[(u32, f64)] {
        self.columns.get(patch)
    }
}

/// Half a point's weights and half the mean of its neighbours'.
fn blend(graph: Graph, rows: &[Vec<(u32, f64)>], i: usize) -> Vec<(u32, f64)> {
    let neighbours = graph.neighbours(i).iter().filter(|&&j| j as usize != i);
    let share = 0.5 / neighbours.clone().count().max(1) as f64;
    let mut row: Vec<(u32, f64)> = rows[i].iter().map(|&(patch, weight)| (patch, 0.5 * weight)).collect();
    for &j in neighbours {
        for &(patch, weight) in &rows[j as usize] {
            match row.iter_mut().find(|(other, _)| *other == patch) {
                Some((_, sum)) => *sum += share * weight,
                None => row.push((patch, share * weight)),
            }
        }
    }
    row.sort_unstable_by_key(|&(patch, _)| patch);
    row
}

/// Which patches touch: the graph of the next level, in compressed rows.
pub(crate) fn coarse_graph(fine: Graph, owner: &[u32], patches: usize) -> (Vec<u32>, Vec<u32>) {
    let mut rows = vec![Vec::new(); patches];
    for (i, &patch) in owner.iter().enumerate() {
        rows[patch as usize].extend(fine.neighbours(i).iter().map(|&j| owner[j as usize]));
    }
    let (mut starts, mut columns) = (vec![0], Vec::new());
    for mut row in rows {
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        starts.push(columns.len() as u32);
    }
    (starts, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Csr;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn points_share_one_weight_among_patches_nearby(
            edges in prop::collection::vec([0_u32..50, 0_u32..50], 0..120),
            rings in 1_usize..4,
            passes in 0_usize..4,
        ) {
            let pattern = Csr::<f64>::new(50, edges.iter().flat_map(|&[a, b]| [[a, b], [b, a]]));
            let graph = Graph { starts: &pattern.starts, columns: &pattern.columns };
            let (owner, count) = patches(graph, rings);
            prop_assert!(owner.iter().all(|&patch| (patch as usize) < count));
            let weights = Weights::blended(graph, &owner, count, passes);
            prop_assert_eq!((weights.points(), weights.patches()), (50, count));
            for i in 0..50 {
                let row = weights.of_point(i);
                prop_assert!((row.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-14);
                for &(patch, weight) in row {
                    prop_assert!(weight >= SMALLEST * (1.0 - 1e-12));
                    prop_assert!(weights.of_patch(patch as usize).contains(&(i as u32, weight)));
                }
            }
            let listed: usize = (0..count).map(|patch| weights.of_patch(patch).len()).sum();
            prop_assert_eq!(listed, (0..50).map(|i| weights.of_point(i).len()).sum::<usize>());
        }
    }

    #[test]
    fn a_path_is_cut_into_stretches() {
        // Balls of one ring on a path are three points; the last one is left over and joins.
        let pattern = Csr::<f64>::new(10, (1..10).flat_map(|i| [[i, i - 1], [i - 1, i]]));
        let graph = Graph { starts: &pattern.starts, columns: &pattern.columns };
        let (owner, count) = patches(graph, 1);
        assert_eq!((owner, count), (vec![0, 0, 1, 1, 1, 2, 2, 2, 3, 3], 4));
    }

    #[test]
    fn patches_that_touch_are_neighbours() {
        let pattern = Csr::<f64>::new(4, [[0, 1], [1, 0], [2, 3], [3, 2]]);
        let graph = Graph { starts: &pattern.starts, columns: &pattern.columns };
        assert_eq!(coarse_graph(graph, &[0, 1, 2, 2], 3), (vec![0, 2, 4, 5], vec![0, 1, 0, 1, 2]));
    }
}
