//! [`Hierarchy`]: the detector over k-DOP trees. Mezger 2003, §6; Kimmerle 2005, §2.2.1 and 2.4.
//!
//! One search:
//! 1. **refit** every tree to the motion (`tree::refit`); build anew those that refits have made bad.
//! 2. **traverse** the upper trees: pairs of face groups that overlap. Of one surface, drop those that cannot touch
//!    themselves (`culling`).
//! 3. for the remaining pairs of groups, in parallel and in a fixed order: **traverse** their subtrees for pairs of
//!    triangles; **filter** the pairs of features these own by the features' own k-DOPs; **test** distances or times of
//!    impact.
//! 4. sort what was found.

mod coherence;
mod search;

use std::time::Instant;

use rayon::prelude::*;
use toile_mesh::{DVec3, Motion, Moves, Surface};

use crate::culling::FaceGroups;
use crate::detector::{
    Abilities, DetectError, DetectReport, Detector, FeaturePair, Impact, Proximity, Reach, check_motions,
    closest_points, has_marked,
};
use crate::impact::Method;
use crate::stars::Stars;
use crate::tree::{Cover, Inflation, KdopTree, RigidPose, TreeSettings, Update, Visit};
use coherence::Coherence;
use search::{Flat, Scope, Search, Task, Test};

/// Searches after which trees are looked at again, whether to build them anew.
const REBUILD_CHECK: u32 = 16;
/// Pairs of triangles that are looked at per result allowed, before a search is given up.
pub const PAIRS_PER_RESULT: u64 = 20;

/// What is renewed of the trees of surfaces that move freely.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum UpdatePolicy {
    /// Everything.
    #[default]
    Full,
    /// What has moved farther than a tolerance [m].
    Lazy {
        /// Distance b of Mezger §4.3 [m].
        tolerance: f64,
    },
    /// Face groups; their subtrees when a search reaches them.
    OnDemand,
}

/// Settings of a [`Hierarchy`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HierarchySettings {
    /// Directions k of the k-DOPs: 6, 14, 18 or 26.
    pub dop: u32,
    /// Children of a node: 2, 4 or 8.
    pub arity: u32,
    /// Triangles in a leaf and in a face group.
    pub tree: TreeSettings,
    /// How bounding volumes cover motion.
    pub cover: Cover,
    /// What is renewed in a step.
    pub update: UpdatePolicy,
    /// Culling by normal cones up to this apex angle `ε_closeAngle` [rad], at most π; `None`: no culling.
    pub close_angle: Option<f64>,
    /// Proximities of slow regions are taken from an earlier search that looked this much farther [m].
    pub coherence: Option<f64>,
    /// How times of impact are found.
    pub method: Method,
    /// A tree is built anew when its groups are this many times as large as after the build.
    pub rebuild_factor: f64,
    /// Most results; pairs of triangles are limited to [`PAIRS_PER_RESULT`] times as many.
    pub limit: u64,
}

impl Default for HierarchySettings {
    fn default() -> Self {
        Self {
            dop: 18,
            arity: 8,
            tree: TreeSettings::default(),
            cover: Cover::Swept,
            update: UpdatePolicy::Full,
            close_angle: Some(0.9 * std::f64::consts::PI),
            coherence: None,
            method: Method::Conservative,
            rebuild_factor: 4.0,
            limit: 5_000_000,
        }
    }
}

impl HierarchySettings {
    /// A detector with these settings; `None` if `dop` or `arity` is none of those listed.
    pub fn detector(&self, surfaces: Vec<Surface>) -> Option<Box<dyn Detector>> {
        fn of<const K: usize, const N: usize>(s: &HierarchySettings, surfaces: Vec<Surface>) -> Box<dyn Detector> {
            Box::new(Hierarchy::<K, N>::new(surfaces, *s))
        }
        if self.cover == Cover::Moving && self.dop == 18 {
            return Some(match self.arity {
                2 => of::<18, 2>(self, surfaces),
                4 => of::<18, 4>(self, surfaces),
                8 => of::<18, 8>(self, surfaces),
                _ => return None,
            });
        }
        Some(match (self.dop, self.arity) {
            (6, 2) => of::<3, 2>(self, surfaces),
            (6, 4) => of::<3, 4>(self, surfaces),
            (6, 8) => of::<3, 8>(self, surfaces),
            (14, 2) => of::<7, 2>(self, surfaces),
            (14, 4) => of::<7, 4>(self, surfaces),
            (14, 8) => of::<7, 8>(self, surfaces),
            (18, 2) => of::<9, 2>(self, surfaces),
            (18, 4) => of::<9, 4>(self, surfaces),
            (18, 8) => of::<9, 8>(self, surfaces),
            (26, 2) => of::<13, 2>(self, surfaces),
            (26, 4) => of::<13, 4>(self, surfaces),
            (26, 8) => of::<13, 8>(self, surfaces),
            _ => return None,
        })
    }
}

/// A surface's tree and what belongs to it.
struct Treed<const K: usize, const N: usize> {
    tree: KdopTree<K, N>,
    groups: Option<FaceGroups>,
    /// Positions the tree was built at, for rigid motion.
    rest: Vec<DVec3>,
    /// Margin of the last refit of a surface that never moves.
    still_margin: Option<f64>,
}

/// Detector over k-DOP trees with K slabs and N children per node.
///
/// ```
/// use toile_collide::{Detector, Hierarchy, HierarchySettings};
/// use toile_mesh::{DVec3, Motion, Surface, generate};
/// let sheet = generate::plane([1.0, 1.0], [8, 8]);
/// let lifted: Vec<DVec3> = sheet.positions.iter().map(|p| *p + DVec3::Y * 0.002).collect();
/// let surfaces = vec![Surface::new(&sheet), Surface::new(&sheet)];
/// let mut detector: Hierarchy<9, 4> = Hierarchy::new(surfaces, HierarchySettings::default());
/// let mut near = Vec::new();
/// let motions = [Motion::still(&sheet.positions), Motion::still(&lifted)];
/// detector.proximities(&motions, 0.003, &mut near)?;
/// assert!(near.len() > 81 && near.iter().all(|c| c.closest.distance < 0.0021));
/// # Ok::<(), toile_collide::DetectError>(())
/// ```
pub struct Hierarchy<const K: usize, const N: usize> {
    settings: HierarchySettings,
    surfaces: Vec<Surface>,
    trees: Vec<Treed<K, N>>,
    /// Stars of the surfaces that have a rest shape and touch themselves.
    stars: Vec<Option<Stars>>,
    origin: DVec3,
    search: Search<K>,
    coherence: Coherence,
    visit: Visit,
    tasks: Vec<Task>,
    /// Faces of the first surface that the search at hand is about; `None` for all.
    marked_faces: Option<Vec<bool>>,
    /// Reach of the last search if that was for what approaches: trees can be renewed for it in parts.
    approached: Option<Reach>,
    searches: u32,
}

impl<const K: usize, const N: usize> Hierarchy<K, N> {
    /// A detector for surfaces; trees are built at the first search.
    pub fn new(surfaces: Vec<Surface>, settings: HierarchySettings) -> Self {
        Self {
            settings,
            surfaces,
            trees: Vec::new(),
            stars: Vec::new(),
            origin: DVec3::ZERO,
            search: Search::default(),
            coherence: Coherence::default(),
            visit: Visit::default(),
            tasks: Vec::new(),
            marked_faces: None,
            approached: None,
            searches: 0,
        }
    }

    /// Settings it was made with.
    pub fn settings(&self) -> &HierarchySettings {
        &self.settings
    }

    /// The tree of a surface, once there was a search.
    pub fn tree(&self, surface: usize) -> Option<&KdopTree<K, N>> {
        self.trees.get(surface).map(|t| &t.tree)
    }

    /// Moves all trees to the motions, grown by `margin` [m], without searching; builds them first if need be.
    pub fn refit(&mut self, motions: &[Motion<'_>], margin: f64) -> Result<DetectReport, DetectError> {
        check_motions(&self.surfaces, motions)?;
        self.approached = None;
        let mut report = DetectReport::default();
        self.build(motions, &mut report);
        self.move_trees(motions, margin, &mut report);
        Ok(report)
    }

    fn build(&mut self, motions: &[Motion<'_>], report: &mut DetectReport) {
        if !self.trees.is_empty() {
            return;
        }
        let start = Instant::now();
        self.origin = origin(motions);
        for (surface, motion) in self.surfaces.iter().zip(motions) {
            self.trees.push(treed(surface, motion.x_t0, self.origin, &self.settings));
            let rest = surface.rest().filter(|_| surface.touches_itself);
            self.stars.push(rest.map(|rest| Stars::new(surface, rest)));
        }
        report.times.build += start.elapsed();
    }

    fn move_trees(&mut self, motions: &[Motion<'_>], margin: f64, report: &mut DetectReport) {
        let start = Instant::now();
        let inflation = Inflation { margin, cover: self.settings.cover };
        for ((surface, treed), motion) in self.surfaces.iter().zip(&mut self.trees).zip(motions) {
            let update = match (surface.moves, self.settings.update) {
                (Moves::Never, _) if treed.still_margin == Some(margin) => continue,
                (Moves::Never, _) => {
                    treed.still_margin = Some(margin);
                    Update::Full
                }
                (Moves::Rigidly, _) => match rigid_poses(&treed.rest, motion) {
                    Some(poses) => Update::Rigid(poses),
                    None => Update::Full,
                },
                (Moves::Freely, UpdatePolicy::Full) => Update::Full,
                (Moves::Freely, UpdatePolicy::Lazy { tolerance }) => Update::Lazy { tolerance },
                (Moves::Freely, UpdatePolicy::OnDemand) => Update::OnDemand,
            };
            let counts = treed.tree.refit(motion.x_t0, motion.x_t1, &inflation, update);
            report.renewed[0] += counts.vertices;
            report.renewed[1] += counts.groups;
        }
        report.times.refit += start.elapsed();
    }

    /// Builds trees anew that refits have made bad, for this and the coming searches.
    fn rebuild_bad(&mut self, motions: &[Motion<'_>], report: &mut DetectReport) {
        self.searches += 1;
        if !self.searches.is_multiple_of(REBUILD_CHECK) {
            return;
        }
        let start = Instant::now();
        for ((surface, own), motion) in self.surfaces.iter().zip(&mut self.trees).zip(motions) {
            let free = surface.moves == Moves::Freely;
            if free && own.tree.should_rebuild(motion.x_t0, self.settings.rebuild_factor) {
                *own = treed(surface, motion.x_t0, self.origin, &self.settings);
                report.rebuilt += 1;
            }
        }
        if report.rebuilt > 0 {
            self.coherence.forget();
        }
        report.times.build += start.elapsed();
    }

    /// Steps 1 and 2 of the module: trees moved, tasks listed, subtrees ready.
    fn prepare(&mut self, motions: &[Motion<'_>], margin: f64, separation: f64) -> Result<DetectReport, DetectError> {
        check_motions(&self.surfaces, motions)?;
        self.approached = None;
        let mut report = DetectReport::default();
        self.build(motions, &mut report);
        self.rebuild_bad(motions, &mut report);
        self.move_trees(motions, margin, &mut report);
        self.list_tasks(motions, separation, &mut report);
        Ok(report)
    }

    /// Pairs of face groups that must be looked into.
    fn list_tasks(&mut self, motions: &[Motion<'_>], separation: f64, report: &mut DetectReport) {
        let (tests_before, mut pairs) = (self.visit.tests, Vec::new());
        self.tasks.clear();
        for (a, motion) in motions.iter().enumerate() {
            for b in a..self.surfaces.len() {
                if !crate::detector::are_tested(&self.surfaces, a, b) {
                    continue;
                }
                let start = Instant::now();
                let (first, second) = (&self.trees[a], &self.trees[b]);
                if a == b {
                    first.tree.own_group_pairs(&mut self.visit, &mut pairs);
                } else {
                    first.tree.group_pairs(&second.tree, &mut self.visit, &mut pairs);
                }
                report.group_pairs[0] += pairs.len();
                report.times.traverse += start.elapsed();
                let culling = if self.visit.marked { None } else { self.settings.close_angle };
                if let (true, Some(groups), Some(angle)) = (a == b, &first.groups, culling) {
                    let start = Instant::now();
                    report.group_pairs[1] +=
                        groups.cull(&self.surfaces[a], &first.tree, motion, separation, angle, &mut pairs);
                    report.times.traverse += start.elapsed();
                }
                self.tasks.extend(pairs.iter().map(|groups| Task { surfaces: [a as u32, b as u32], groups: *groups }));
            }
        }
        report.volume_tests += self.visit.tests - tests_before;
    }

    /// As [`Hierarchy::prepare`], for what has a marked vertex; the others move as in the last search, which was like this one.
    fn prepare_marked(
        &mut self,
        motions: &[Motion<'_>],
        separation: f64,
        marked: &[bool],
    ) -> Result<DetectReport, DetectError> {
        check_motions(&self.surfaces, motions)?;
        let (start, mut report) = (Instant::now(), DetectReport::default());
        let counts = self.trees[0].tree.renew(motions[0].x_t0, motions[0].x_t1, marked);
        (report.renewed[0], report.renewed[1]) = (counts.vertices, counts.groups);
        let has_marked = |t: &[u32; 3]| t.iter().any(|v| marked[*v as usize]);
        let faces: Vec<bool> = self.surfaces[0].triangles().iter().map(has_marked).collect();
        self.trees[0].tree.mark(&faces);
        self.marked_faces = Some(faces);
        report.times.refit += start.elapsed();
        self.visit.marked = true;
        self.list_tasks(motions, separation, &mut report);
        self.visit.marked = false;
        Ok(report)
    }

    /// Renews the subtrees that the tasks will reach.
    fn prepare_subtrees(&mut self, motions: &[Motion<'_>], report: &mut DetectReport) {
        let start = Instant::now();
        let mut wanted: Vec<Vec<bool>> = self.trees.iter().map(|t| vec![false; t.tree.group_count()]).collect();
        for task in &self.tasks {
            for (surface, group) in task.surfaces.iter().zip(task.groups) {
                wanted[*surface as usize][group as usize] = true;
            }
        }
        for ((treed, wanted), motion) in self.trees.iter_mut().zip(&wanted).zip(motions) {
            let counts = treed.tree.prepare(wanted, motion.x_t0, motion.x_t1);
            report.renewed[0] += counts.vertices;
            report.renewed[1] += counts.groups;
        }
        report.times.refit += start.elapsed();
    }

    fn run(&mut self, motions: &[Motion<'_>], test: Test, report: &mut DetectReport) -> Result<(), DetectError> {
        self.prepare_subtrees(motions, report);
        let trees: Vec<&KdopTree<K, N>> = self.trees.iter().map(|t| &t.tree).collect();
        let mut flat = Vec::new();
        if let Test::Approach(reach) = test {
            let stars = self.stars.iter().zip(motions);
            flat.extend(stars.map(|(stars, motion)| Flat::new(stars.as_ref(), *motion, reach)));
        }
        let scope = Scope { marked: self.marked_faces.as_deref(), flat: &flat };
        self.search.run(&self.surfaces, &trees, motions, &self.tasks, (test, scope), self.settings.limit, report)
    }

    /// Pairs of triangles of all surfaces that overlap, without looking at their features: for benchmarks.
    pub fn triangle_pairs(&mut self, motions: &[Motion<'_>], margin: f64) -> Result<DetectReport, DetectError> {
        let mut report = self.prepare(motions, margin, 2.0 * margin)?;
        self.run(motions, Test::None, &mut report)?;
        Ok(report)
    }
}

fn treed<const K: usize, const N: usize>(
    surface: &Surface,
    x: &[DVec3],
    origin: DVec3,
    settings: &HierarchySettings,
) -> Treed<K, N> {
    let mut tree = KdopTree::new(surface.triangles(), x, origin, settings.tree);
    let groups = (settings.close_angle.is_some() && surface.touches_itself).then(|| FaceGroups::new(surface, &tree));
    let rest = if surface.moves == Moves::Rigidly {
        tree.fit_rest_boxes(x);
        x.to_vec()
    } else {
        Vec::new()
    };
    Treed { tree, groups, rest, still_margin: None }
}

/// The middle of everything, so that `f32` bounds are tight.
fn origin(motions: &[Motion<'_>]) -> DVec3 {
    let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for x in motions.iter().flat_map(|m| m.x_t0) {
        lo = lo.min(*x);
        hi = hi.max(*x);
    }
    let middle = 0.5 * (lo + hi);
    if middle.is_finite() { middle } else { DVec3::ZERO }
}

/// The rigid motions that take `rest` to the start and the end of a step, if there are any: from three vertices that
/// span a plane, checked on all others.
fn rigid_poses(rest: &[DVec3], motion: &Motion<'_>) -> Option<[RigidPose; 2]> {
    let a = 0;
    let b = (0..rest.len()).max_by(|i, j| rest[a].distance(rest[*i]).total_cmp(&rest[a].distance(rest[*j])))?;
    let area = |i: usize| (rest[b] - rest[a]).cross(rest[i] - rest[a]).length();
    let c = (0..rest.len()).max_by(|i, j| area(*i).total_cmp(&area(*j)))?;
    let size = rest[a].distance(rest[b]);
    let frame = |x: &[DVec3]| {
        let u = (x[b] - x[a]).try_normalize()?;
        let w = u.cross(x[c] - x[a]).try_normalize()?;
        Some(toile_mesh::DMat3::from_cols(u, w.cross(u), w))
    };
    let frame_at_rest = frame(rest)?;
    let pose = |x: &[DVec3]| {
        let turn = frame(x)? * frame_at_rest.transpose();
        let shift = x[a] - turn * rest[a];
        let deviation = rest.iter().zip(x).map(|(r, x)| (turn * *r + shift).distance(*x)).fold(0.0, f64::max);
        (deviation <= 1.0e-9 * size).then_some(RigidPose { turn, shift, deviation })
    };
    Some([pose(motion.x_t0)?, pose(motion.x_t1)?])
}

impl<const K: usize, const N: usize> Detector for Hierarchy<K, N> {
    fn name(&self) -> &'static str {
        "hierarchy"
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
        found.clear();
        let now: Vec<Motion<'_>> = motions.iter().map(|m| Motion::still(m.x_t1)).collect();
        let slack = self.settings.coherence.unwrap_or(0.0).max(0.0);
        let reach = within + slack;
        let mut report = self.prepare(&now, 0.5 * reach, within)?;
        if slack > 0.0 {
            let groups: Vec<&KdopTree<K, N>> = self.trees.iter().map(|t| &t.tree).collect();
            self.coherence.split(&groups, &now, slack, reach, &mut self.tasks, &mut report);
        }
        self.run(&now, Test::Distance(reach), &mut report)?;
        if slack > 0.0 {
            self.coherence.answer(&self.search, &self.surfaces, &self.tasks, &now, within, slack, found, &mut report);
        } else {
            self.search.collect(&self.surfaces, &self.tasks, found, &mut report, |_, pair, _| Proximity {
                pair,
                closest: closest_points(pair.kind, &pair.positions(&now, true)),
            });
        }
        found.par_sort_unstable_by_key(|c| c.pair);
        report.found = count_kinds(found.iter().map(|c| c.pair.kind));
        Ok(report)
    }

    fn approaching(
        &mut self,
        motions: &[Motion<'_>],
        reach: Reach,
        marked: Option<&[bool]>,
        found: &mut Vec<FeaturePair>,
    ) -> Result<DetectReport, DetectError> {
        found.clear();
        let separation = reach.within.max(0.0) * (1.0 + 1.0e-5);
        let again = marked.filter(|_| self.approached == Some(reach));
        let mut report = match again {
            Some(marked) => self.prepare_marked(motions, separation, marked)?,
            None => self.prepare(motions, 0.5 * separation, separation)?,
        };
        let run = self.run(motions, Test::Approach(reach), &mut report);
        self.marked_faces = None;
        run?;
        self.approached = Some(reach);
        self.search.collect(&self.surfaces, &self.tasks, found, &mut report, |_, pair, _| pair);
        if let Some(marked) = marked {
            found.retain(|pair| has_marked(pair, marked));
        }
        found.par_sort_unstable();
        report.found = count_kinds(found.iter().map(|pair| pair.kind));
        Ok(report)
    }

    fn impacts(
        &mut self,
        motions: &[Motion<'_>],
        min_separation: f64,
        found: &mut Vec<Impact>,
    ) -> Result<DetectReport, DetectError> {
        found.clear();
        // Times of impact allow for a little more than the separation; the trees must, too.
        let separation = min_separation.max(0.0) * (1.0 + 1.0e-5);
        let mut report = self.prepare(motions, 0.5 * separation, separation)?;
        let test = Test::Impact { method: self.settings.method, min_separation };
        self.run(motions, test, &mut report)?;
        self.search.collect(&self.surfaces, &self.tasks, found, &mut report, |_, pair, time| {
            let [start, end] = [false, true].map(|end| pair.positions(motions, end));
            Impact::new(pair, time, &start, &end)
        });
        found.par_sort_unstable_by_key(|i| i.pair);
        report.found = count_kinds(found.iter().map(|i| i.pair.kind));
        Ok(report)
    }

    fn memory(&self) -> usize {
        let surfaces: usize = self.surfaces.iter().map(Surface::memory).sum();
        let trees: usize = self
            .trees
            .iter()
            .map(|t| t.tree.memory() + t.groups.as_ref().map_or(0, FaceGroups::memory) + 24 * t.rest.capacity())
            .sum();
        let stars: usize = self.stars.iter().flatten().map(Stars::memory).sum();
        surfaces
            + trees
            + stars
            + self.search.memory()
            + self.coherence.memory()
            + self.tasks.capacity() * size_of::<Task>()
    }
}

pub(crate) fn count_kinds(kinds: impl Iterator<Item = crate::impact::PairKind>) -> [usize; 2] {
    let mut count = [0; 2];
    for kind in kinds {
        count[usize::from(kind == crate::impact::PairKind::EdgeEdge)] += 1;
    }
    count
}
