//! [`BruteForce`]: every pair of features is tested. Slow, and right by inspection: what others are compared with.

use std::time::Instant;

use toile_mesh::{Motion, Surface};

use crate::detector::{
    Abilities, DetectError, DetectReport, Detector, FeaturePair, Impact, Proximity, Reach, are_tested, check_motions,
    closest_points, has_marked,
};
use crate::hierarchy::count_kinds;
use crate::impact::{Method, PairKind, candidate_time};

/// Tests all pairs.
pub struct BruteForce {
    surfaces: Vec<Surface>,
    method: Method,
}

impl BruteForce {
    /// A detector for surfaces.
    pub fn new(surfaces: Vec<Surface>, method: Method) -> Self {
        Self { surfaces, method }
    }

    /// Calls `test` with every pair of features that may be asked for, once.
    fn for_each_pair(&self, mut test: impl FnMut(FeaturePair)) {
        for a in 0..self.surfaces.len() {
            for b in 0..self.surfaces.len() {
                let (first, second) = (&self.surfaces[a], &self.surfaces[b]);
                if !are_tested(&self.surfaces, a, b) {
                    continue;
                }
                let surfaces = [a as u32, b as u32];
                let used: Vec<bool> = used_vertices(first);
                for v in (0..first.vertex_count() as u32).filter(|v| used[*v as usize]) {
                    for (f, t) in second.triangles().iter().enumerate() {
                        if a != b || !t.contains(&v) {
                            test(FeaturePair {
                                kind: PairKind::VertexFace,
                                surfaces,
                                features: [v, f as u32],
                                vertices: [v, t[0], t[1], t[2]],
                            });
                        }
                    }
                }
                for (e, ends) in first.edges().iter().enumerate().filter(|_| a <= b) {
                    let later = if a == b { e + 1 } else { 0 };
                    for (f, other) in second.edges().iter().enumerate().skip(later) {
                        if a != b || !ends.iter().any(|v| other.contains(v)) {
                            test(FeaturePair {
                                kind: PairKind::EdgeEdge,
                                surfaces,
                                features: [e as u32, f as u32],
                                vertices: [ends[0], ends[1], other[0], other[1]],
                            });
                        }
                    }
                }
            }
        }
    }

    /// Fills `found` with what `test` makes of the pairs, sorted by the pair it came from.
    fn search<T>(
        &self,
        motions: &[Motion<'_>],
        found: &mut Vec<T>,
        pair_of: impl Fn(&T) -> FeaturePair,
        test: impl Fn(FeaturePair) -> Option<T>,
    ) -> Result<DetectReport, DetectError> {
        check_motions(&self.surfaces, motions)?;
        let (start, mut report) = (Instant::now(), DetectReport::default());
        found.clear();
        self.for_each_pair(|pair| {
            report.candidates[usize::from(pair.kind == PairKind::EdgeEdge)] += 1;
            found.extend(test(pair));
        });
        found.sort_unstable_by_key(&pair_of);
        report.found = count_kinds(found.iter().map(|f| pair_of(f).kind));
        report.times.test = start.elapsed();
        Ok(report)
    }
}

/// Vertices that a triangle has; others are not part of the surface.
fn used_vertices(surface: &Surface) -> Vec<bool> {
    let mut used = vec![false; surface.vertex_count()];
    surface.triangles().iter().flatten().for_each(|v| used[*v as usize] = true);
    used
}

impl Detector for BruteForce {
    fn name(&self) -> &'static str {
        "brute_force"
    }

    fn abilities(&self) -> Abilities {
        Abilities { self_collision: true, continuous: true, animated: true, exact: true }
    }

    fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    fn proximities(
        &mut self,
        motions: &[Motion<'_>],
        within: f64,
        found: &mut Vec<Proximity>,
    ) -> Result<DetectReport, DetectError> {
        self.search(
            motions,
            found,
            |c| c.pair,
            |pair| {
                let closest = closest_points(pair.kind, &pair.positions(motions, true));
                (closest.distance <= within).then_some(Proximity { pair, closest })
            },
        )
    }

    fn approaching(
        &mut self,
        motions: &[Motion<'_>],
        reach: Reach,
        marked: Option<&[bool]>,
        found: &mut Vec<FeaturePair>,
    ) -> Result<DetectReport, DetectError> {
        self.search(
            motions,
            found,
            |pair| *pair,
            |pair| {
                let [start, end] = [false, true].map(|end| pair.positions(motions, end));
                let asked = marked.is_none_or(|m| has_marked(&pair, m));
                let surface = (pair.surfaces[0] == pair.surfaces[1]).then(|| &self.surfaces[pair.surfaces[0] as usize]);
                (asked && reach.reaches(pair.kind, (&start, &end), surface, || pair.vertices)).then_some(pair)
            },
        )
    }

    fn impacts(
        &mut self,
        motions: &[Motion<'_>],
        min_separation: f64,
        found: &mut Vec<Impact>,
    ) -> Result<DetectReport, DetectError> {
        self.search(
            motions,
            found,
            |i| i.pair,
            |pair| {
                let [start, end] = [false, true].map(|end| pair.positions(motions, end));
                let time = candidate_time(pair.kind, self.method, &start, &end, min_separation)?;
                Some(Impact::new(pair, time, &start, &end))
            },
        )
    }

    fn memory(&self) -> usize {
        self.surfaces.iter().map(Surface::memory).sum()
    }
}
