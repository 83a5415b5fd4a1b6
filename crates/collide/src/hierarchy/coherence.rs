//! Re-use of results in slow regions: Mezger 2003, §6.3.
//!
//! A search for pairs within ε looks as far as ε + s and keeps what it found for each pair of face groups. As long as
//! the two groups have moved less than s against each other since, every pair now within ε is among those kept: neither
//! trees nor features need be looked at. How much two groups move against each other is bounded by their velocity cones
//! ([`VelocityCone::relative_motion`]); common motion costs nothing.
//!
//! Closest points are kept by their barycentric weights. After a relative motion m they are at most 2m farther apart than
//! the true closest points, so a pair is computed again when this error exceeds a quarter of s, and whenever the error
//! would decide whether the pair is within ε. The pairs reported are therefore always the true ones.

use toile_mesh::{DVec3, Motion, Surface};

use super::search::{Search, Task};
use crate::cone::VelocityCone;
use crate::detector::{DetectReport, FeaturePair, Proximity, closest_points};
use crate::distance::{self, Closest};
use crate::impact::PairKind;
use crate::tree::KdopTree;

/// Share of the slack that the error of kept closest points may use up.
const ERROR_SHARE: f64 = 0.25;

/// A pair within ε + s when its groups were last searched.
#[derive(Clone, Copy, Debug)]
struct Kept {
    pair: FeaturePair,
    /// Distance then [m].
    distance: f64,
    closest: Closest,
    /// Relative motion that was used up when the closest points were computed [m].
    at: f64,
}

/// What is kept of a pair of groups.
#[derive(Clone, Debug)]
struct Entry {
    task: Task,
    /// Relative motion since the search [m].
    used: f64,
    pairs: Vec<Kept>,
}

/// Results of earlier searches.
#[derive(Clone, Debug, Default)]
pub(super) struct Coherence {
    /// Sorted by task.
    entries: Vec<Entry>,
    /// Entries that are used again.
    reused: Vec<Entry>,
    /// Positions at the last search.
    seen: Vec<Vec<DVec3>>,
    /// Distance looked up to.
    reach: f64,
}

impl Coherence {
    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.entries.clear();
        self.seen.clear();
    }

    /// Takes from `tasks` those that can be answered from what was kept.
    pub(super) fn split<const K: usize, const N: usize>(
        &mut self,
        trees: &[&KdopTree<K, N>],
        motions: &[Motion<'_>],
        slack: f64,
        reach: f64,
        tasks: &mut Vec<Task>,
        report: &mut DetectReport,
    ) {
        let start = std::time::Instant::now();
        let known = self.seen.len() == motions.len() && self.reach == reach;
        if !known {
            self.forget();
            self.seen = vec![Vec::new(); motions.len()];
        }
        self.reach = reach;
        let cone = |surface: usize, group: usize| {
            let (x, seen) = (motions[surface].x_t1, &self.seen[surface]);
            let moved = trees[surface].group_vertices(group).iter().map(|v| x[*v as usize] - seen[*v as usize]);
            VelocityCone::around(moved)
        };
        let cones: Vec<Vec<VelocityCone>> = if known {
            (0..trees.len()).map(|s| (0..trees[s].group_count()).map(|g| cone(s, g)).collect()).collect()
        } else {
            Vec::new()
        };
        self.reused.clear();
        let mut entries = std::mem::take(&mut self.entries).into_iter().peekable();
        tasks.retain(|task| {
            while entries.next_if(|e| e.task < *task).is_some() {}
            let Some(mut entry) = entries.next_if(|e| e.task == *task) else { return true };
            let [a, b] = [0, 1].map(|i| &cones[task.surfaces[i] as usize][task.groups[i] as usize]);
            entry.used += a.relative_motion(b);
            if entry.used > slack {
                return true;
            }
            self.reused.push(entry);
            false
        });
        for (seen, motion) in self.seen.iter_mut().zip(motions) {
            seen.clear();
            seen.extend_from_slice(motion.x_t1);
        }
        report.group_pairs[2] += self.reused.len();
        report.times.refit += start.elapsed();
    }

    /// Keeps what a search of the remaining tasks found, and reports all pairs within the distance asked for.
    #[expect(clippy::too_many_arguments, reason = "one call, from the detector that owns all of these")]
    pub(super) fn answer<const K: usize>(
        &mut self,
        search: &Search<K>,
        surfaces: &[Surface],
        tasks: &[Task],
        motions: &[Motion<'_>],
        within: f64,
        slack: f64,
        contacts: &mut Vec<Proximity>,
        report: &mut DetectReport,
    ) {
        let start = std::time::Instant::now();
        let mut fresh: Vec<Entry> =
            tasks.iter().map(|task| Entry { task: *task, used: 0.0, pairs: Vec::new() }).collect();
        let mut found = Vec::new();
        search.collect(surfaces, tasks, &mut found, &mut DetectReport::default(), |task, pair, distance| {
            let closest = closest_points(pair.kind, &pair.positions(motions, true));
            (task, Kept { pair, distance, closest, at: 0.0 })
        });
        for (task, kept) in found {
            if kept.distance <= within {
                contacts.push(Proximity { pair: kept.pair, closest: kept.closest });
            }
            fresh[task as usize].pairs.push(kept);
        }
        for entry in &mut self.reused {
            let used = entry.used;
            for kept in entry.pairs.iter_mut().filter(|k| k.distance - used <= within) {
                if kept.is_within(motions, used, within, ERROR_SHARE * slack) {
                    contacts.push(Proximity { pair: kept.pair, closest: kept.closest });
                }
            }
        }
        self.entries.append(&mut fresh);
        self.entries.append(&mut self.reused);
        self.entries.sort_unstable_by_key(|e| e.task);
        report.times.test += start.elapsed();
    }

    pub(super) fn memory(&self) -> usize {
        let kept: usize = self.entries.iter().map(|e| e.pairs.capacity() * size_of::<Kept>()).sum();
        let seen: usize = self.seen.iter().map(|s| s.capacity() * size_of::<DVec3>()).sum();
        kept + seen + (self.entries.capacity() + self.reused.capacity()) * size_of::<Entry>()
    }
}

impl Kept {
    /// Moves the closest points along, or finds them anew if their error matters, and says whether they are near.
    fn is_within(&mut self, motions: &[Motion<'_>], used: f64, within: f64, tolerance: f64) -> bool {
        let x = self.pair.positions(motions, true);
        let w = &self.closest.weights;
        let apart = match self.pair.kind {
            PairKind::VertexFace => x[0] - (x[1] * w[1] + x[2] * w[2] + x[3] * w[3]),
            PairKind::EdgeEdge => (x[0] * w[0] + x[1] * w[1]) - (x[2] * w[2] + x[3] * w[3]),
        };
        let (far, error) = (apart.length(), 2.0 * (used - self.at));
        let decided = far <= within || far - error > within;
        // Points that have come within their error of each other have no direction to tell.
        if error <= tolerance && decided && far > error {
            self.closest.distance = far;
            self.closest.normal = apart / far;
            self.closest.side = distance::side(self.pair.kind, &x);
        } else {
            self.closest = closest_points(self.pair.kind, &x);
            self.at = used;
        }
        self.closest.distance <= within
    }
}
