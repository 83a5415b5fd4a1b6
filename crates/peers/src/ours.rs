//! Our hierarchy on the same question.

use std::time::Instant;

use toile_collide::{DetectError, Detector, Hierarchy, HierarchySettings};
use toile_mesh::{Motion, Surface};

use crate::Cost;

/// Our trees with K slabs, 4 children per node.
pub(crate) struct Ours<const K: usize> {
    surface: Surface,
    settings: HierarchySettings,
    hierarchy: Hierarchy<K, 8>,
}

impl<const K: usize> Ours<K> {
    /// With normal cones, as by default, or without.
    pub(crate) fn new(surface: &Surface, cones: bool) -> Self {
        let mut settings = HierarchySettings { dop: 2 * K as u32, ..HierarchySettings::default() };
        if !cones {
            settings.close_angle = None;
        }
        Self { surface: surface.clone(), settings, hierarchy: Hierarchy::new(vec![surface.clone()], settings) }
    }

    /// Builds, refits and searches.
    pub(crate) fn measure(&mut self, motions: &[Motion<'_>]) -> Result<Cost, DetectError> {
        let mut fresh: Hierarchy<K, 8> = Hierarchy::new(vec![self.surface.clone()], self.settings);
        let build = fresh.refit(motions, 0.0)?.times.build.as_secs_f64();
        drop(fresh);
        // The first call builds.
        if self.hierarchy.tree(0).is_none() {
            self.hierarchy.refit(motions, 0.0)?;
        }
        let clock = Instant::now();
        self.hierarchy.refit(motions, 0.0)?;
        let refit = clock.elapsed().as_secs_f64();
        let report = self.hierarchy.triangle_pairs(motions, 0.0)?;
        let collected = report.times.traverse.as_secs_f64();
        // Cones are checked before the descent into groups, and booked as update.
        let cones = if self.settings.close_angle.is_some() { report.times.refit.as_secs_f64() - refit } else { 0.0 };
        Ok(Cost {
            build,
            refit,
            counted: f64::NAN,
            collected: collected + cones.max(0.0),
            pairs: report.triangle_pairs as f64,
            memory: self.hierarchy.memory() as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use parry3d::partitioning::BvhBuildStrategy;
    use toile_collide::Front;

    use super::*;
    use crate::parry::ParryTree;
    use crate::scene;

    fn ours<const K: usize>(surface: &Surface, motion: &Motion<'_>) -> BTreeSet<[u32; 2]> {
        let mut own = Ours::<K>::new(surface, false);
        let cost = own.measure(&[*motion]).unwrap();
        let mut pairs = BTreeSet::new();
        Front::default().own_face_pairs(own.hierarchy.tree(0).unwrap(), |a, b| {
            pairs.insert([a.min(b), a.max(b)]);
        });
        assert_eq!(pairs.len() as f64, cost.pairs);
        pairs
    }

    #[test]
    fn what_our_trees_find_parry_finds_too_and_much_more() {
        let (surface, x0, x1) = scene(3_000);
        let motion = Motion { x_t0: &x0, x_t1: &x1 };
        for strategy in [BvhBuildStrategy::Binned, BvhBuildStrategy::Ploc] {
            let mut tree = ParryTree::build(strategy, &surface, &Motion::still(&x0));
            tree.refit(&surface, &motion);
            let mut theirs = BTreeSet::new();
            tree.self_pairs(|a, b| {
                theirs.insert([a.min(b), a.max(b)]);
            });
            let (dops, boxes) = (ours::<9>(&surface, &motion), ours::<3>(&surface, &motion));
            assert!(dops.is_subset(&theirs) && dops.is_subset(&boxes));
            assert!(dops.len() * 10 < theirs.len() * 9, "{} of {}", dops.len(), theirs.len());
            // Boxes differ from boxes by rounding alone.
            let differ = boxes.symmetric_difference(&theirs).count();
            assert!(differ * 1000 <= theirs.len(), "{differ} of {}", theirs.len());
        }
    }
}
