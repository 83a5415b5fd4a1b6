//! Which candidates are taken: the set with the greatest sum of scores in which no side is used twice.
//!
//! It is a weighted set packing. Candidates are sorted by score; each is taken or left, depth first, and a branch is given up when all
//! that is left, taken whole, would not make it better than the best set known. Patterns have tens of candidates, most of them
//! without rivals, so that the search ends after a few hundred branches; after [`MOST_BRANCHES`] the best set found is kept.

use super::pairs::Orbit;

/// Most branches.
const MOST_BRANCHES: usize = 200_000;

struct Search<'o> {
    orbits: &'o [Orbit],
    /// Candidates by falling score.
    order: Vec<usize>,
    /// Sum of the scores from each place of the order on.
    rest: Vec<f64>,
    banned: &'o [usize],
    best: (f64, Vec<usize>),
    branches: usize,
}

impl Search<'_> {
    fn go(&mut self, at: usize, sum: f64, taken: &mut Vec<usize>) {
        self.branches += 1;
        if sum > self.best.0 + 1e-12 {
            self.best = (sum, taken.clone());
        }
        if at == self.order.len() || sum + self.rest[at] <= self.best.0 + 1e-12 || self.branches > MOST_BRANCHES {
            return;
        }
        let candidate = self.order[at];
        let uses = |i: usize| &self.orbits[i].flanks;
        let is_free = taken.iter().all(|other| uses(*other).iter().all(|flank| !uses(candidate).contains(flank)));
        if is_free && !self.banned.contains(&candidate) {
            taken.push(candidate);
            self.go(at + 1, sum + self.orbits[candidate].score, taken);
            taken.pop();
        }
        self.go(at + 1, sum, taken);
    }
}

/// The best set without some candidates, with its sum.
pub(super) fn best_set(orbits: &[Orbit], banned: &[usize]) -> (f64, Vec<usize>) {
    let mut order: Vec<usize> = (0..orbits.len()).collect();
    order.sort_by(|a, b| orbits[*b].score.total_cmp(&orbits[*a].score).then(a.cmp(b)));
    let mut rest = vec![0.0; order.len() + 1];
    for k in (0..order.len()).rev() {
        let own = if banned.contains(&order[k]) { 0.0 } else { orbits[order[k]].score };
        rest[k] = rest[k + 1] + own;
    }
    let mut search = Search { orbits, order, rest, banned, best: (0.0, Vec::new()), branches: 0 };
    search.go(0, 0.0, &mut Vec::new());
    let (sum, mut set) = search.best;
    set.sort_unstable();
    (sum, set)
}

/// A set of candidates with how much each is better than doing without it, relative to its score.
pub(super) struct Chosen {
    pub(super) set: Vec<(usize, f64)>,
}

/// The best set, and then the sets that leave out one of its less certain candidates, at most `most` in all.
pub(super) fn best_sets(orbits: &[Orbit], most: usize) -> Vec<Chosen> {
    let (sum, set) = best_set(orbits, &[]);
    let without: Vec<(usize, (f64, Vec<usize>))> = set.iter().map(|i| (*i, best_set(orbits, &[*i]))).collect();
    let margin = |i: usize| {
        let other = without.iter().find(|(k, _)| *k == i).map_or(0.0, |(_, (other, _))| *other);
        ((sum - other) / orbits[i].score.max(1e-9)).clamp(0.0, 1.0)
    };
    let mut chosen = vec![Chosen { set: set.iter().map(|i| (*i, margin(*i))).collect() }];
    let mut rivals: Vec<&(usize, (f64, Vec<usize>))> = without.iter().collect();
    rivals.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
    for (_, (_, set)) in rivals.into_iter().take(most.saturating_sub(1)) {
        chosen.push(Chosen { set: set.iter().map(|i| (*i, margin(*i))).collect() });
    }
    chosen
}
