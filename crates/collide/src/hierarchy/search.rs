//! Step 3 of a search: subtrees, features, tests.
//!
//! Pairs of face groups are cut into chunks of equal number, whatever the threads; a chunk keeps its own memory and its
//! own results, which are read in the order of chunks.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use cpu_time::ThreadTime;
use rayon::prelude::*;
use toile_mesh::{DVec3, Motion, Surface};

use crate::detector::{DetectError, DetectReport, FeaturePair, PhaseTimes, Reach, distance_squared};
use crate::impact::{Method, PairKind, candidate_time};
use crate::kdop::Kdop;
use crate::stars::Stars;
use crate::tree::{KdopTree, Visit, overlapping};

/// Chunks of one search, a fixed number, unless there are too few tasks to share out.
const CHUNKS: usize = 128;
/// Fewest tasks of a chunk.
const TASKS_PER_CHUNK: usize = 4;
/// Pairs of triangles after which features are looked at, to bound memory.
const PAIRS_AT_ONCE: usize = 4096;
/// Triangles whose features' k-DOPs are remembered: those of a face group, whose places follow each other.
const REMEMBERED: usize = 256;
/// What is known of a star that nobody has asked for.
const UNASKED: u8 = 2;

/// Two face groups to look into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Task {
    pub(super) surfaces: [u32; 2],
    pub(super) groups: [u32; 2],
}

/// What is asked of a pair of features.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Test {
    /// Nothing: triangles are counted only.
    None,
    /// At most this far apart at the end of the motion [m].
    Distance(f64),
    /// Whether it may come this close during the motion.
    Approach(Reach),
    /// Coming this close during the motion.
    Impact { method: Method, min_separation: f64 },
}

/// A pair that passed, and its distance [m] or time.
#[derive(Clone, Copy, Debug)]
struct Found {
    task: u32,
    candidate: Candidate,
    value: f64,
}

/// Three k-DOPs side by side.
#[derive(Clone, Copy, Debug)]
struct Lanes<const K: usize> {
    lo: [[f32; 4]; K],
    hi: [[f32; 4]; K],
}

impl<const K: usize> Lanes<K> {
    /// The last lane overlaps nothing.
    fn new(dops: [&Kdop<K>; 3]) -> Self {
        let mut lanes = Self { lo: [[f32::INFINITY; 4]; K], hi: [[f32::NEG_INFINITY; 4]; K] };
        for (i, dop) in dops.iter().enumerate() {
            for k in 0..K {
                lanes.lo[k][i] = dop.lo[k];
                lanes.hi[k][i] = dop.hi[k];
            }
        }
        lanes
    }

    /// Which lanes overlap a k-DOP.
    #[inline]
    fn overlap(&self, dop: &Kdop<K>) -> u32 {
        overlapping(&self.lo, &self.hi, |k| (dop.lo[k], dop.hi[k]))
    }

    /// Which lanes overlap lane `i` of others.
    #[inline]
    fn overlap_lane(&self, other: &Self, i: usize) -> u32 {
        overlapping(&self.lo, &self.hi, |k| (other.lo[k][i], other.hi[k][i]))
    }
}

/// A triangle with the k-DOPs of itself and its edges.
#[derive(Clone, Copy, Debug)]
struct Features<const K: usize> {
    place: u32,
    age: u64,
    face: u32,
    corners: [u32; 3],
    edges: [u32; 3],
    owned: u32,
    own: Kdop<K>,
    edge_dops: Lanes<K>,
}

/// The features of the triangles seen last. Its memory outlives searches, since filling it costs more than a small one.
#[derive(Debug, Default)]
struct Remembered<const K: usize> {
    entries: Vec<Features<K>>,
    /// Entries of another age are forgotten.
    age: u64,
}

impl<const K: usize> Remembered<K> {
    fn forget(&mut self) {
        self.age += 1;
    }

    #[cold]
    fn fill(&mut self) {
        let none = Lanes::new([&Kdop::EMPTY; 3]);
        let none = Features {
            place: u32::MAX,
            age: 0,
            face: 0,
            corners: [0; 3],
            edges: [0; 3],
            owned: 0,
            own: Kdop::EMPTY,
            edge_dops: none,
        };
        self.entries = vec![none; REMEMBERED];
    }

    #[inline]
    fn get<const N: usize>(&mut self, place: u32, tree: &KdopTree<K, N>, surface: &Surface) -> &Features<K> {
        if self.entries.is_empty() {
            self.fill();
        }
        let entry = &mut self.entries[place as usize % REMEMBERED];
        if entry.place != place || entry.age != self.age {
            *entry = Features { age: self.age, ..features(place, tree, surface) };
        }
        entry
    }
}

/// Memories that no thread uses at the moment.
#[derive(Debug, Default)]
struct Pool<const K: usize>(Mutex<Vec<[Remembered<K>; 2]>>);

impl<const K: usize> Pool<K> {
    /// Whoever panicked left memories that are as good as new.
    fn lock(&self) -> MutexGuard<'_, Vec<[Remembered<K>; 2]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The memories of a thread during a search; they go back to the pool.
struct Lent<'a, const K: usize> {
    pool: &'a Pool<K>,
    memory: [Remembered<K>; 2],
}

impl<'a, const K: usize> Lent<'a, K> {
    fn new(pool: &'a Pool<K>) -> Self {
        let memory = pool.lock().pop().unwrap_or_default();
        Self { pool, memory }
    }
}

impl<const K: usize> Drop for Lent<'_, K> {
    fn drop(&mut self) {
        self.pool.lock().push(std::mem::take(&mut self.memory));
    }
}

fn features<const K: usize, const N: usize>(place: u32, tree: &KdopTree<K, N>, surface: &Surface) -> Features<K> {
    let face = tree.face_at(place);
    let corners = surface.triangles()[face as usize];
    let [a, b, c] = corners.map(|v| tree.vertex_dop(v));
    let edges = [a.union(b), b.union(c), c.union(a)];
    Features {
        place,
        age: 0,
        face,
        corners,
        edges: surface.face_edges()[face as usize],
        owned: u32::from(surface.owned(face as usize)),
        own: edges[0].union(c),
        edge_dops: Lanes::new([&edges[0], &edges[1], &edges[2]]),
    }
}

/// A pair of features whose k-DOPs overlap.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    /// Vertex of the first surface, face of the second.
    VertexFace(u32, u32),
    /// Face of the first surface, vertex of the second.
    FaceVertex(u32, u32),
    /// Edges.
    EdgeEdge(u32, u32),
}

/// Calls `each` with the number of every bit that is set.
#[inline]
fn for_each_bit(mut bits: u32, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// Memory and results of one chunk.
#[derive(Default, Debug)]
struct Chunk {
    visit: Visit,
    faces: Vec<[u32; 2]>,
    candidates: Vec<Candidate>,
    found: Vec<Found>,
    triangle_pairs: u64,
    counts: [u64; 2],
    times: PhaseTimes,
}

/// Reusable memory of searches.
#[derive(Default, Debug)]
pub(super) struct Search<const K: usize> {
    chunks: Vec<Chunk>,
    pool: Pool<K>,
}

/// Which pairs of triangles are looked at.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    /// Faces of the first surface, of which pairs must have one; `None` for all pairs.
    pub(super) marked: Option<&'a [bool]>,
    /// Where each surface is flat; empty for searches that do not ask.
    pub(super) flat: &'a [Flat<'a>],
}

/// Where triangles of one surface that share a vertex cannot come near each other, in a search for what approaches.
pub(super) struct Flat<'a> {
    stars: Option<&'a Stars>,
    motion: Motion<'a>,
    reach: Reach,
    /// Of each vertex: whether its star is flat, once that was asked.
    known: Vec<AtomicU8>,
}

impl<'a> Flat<'a> {
    pub(super) fn new(stars: Option<&'a Stars>, motion: Motion<'a>, reach: Reach) -> Self {
        let asked = if stars.is_some() { motion.x_t0.len() } else { 0 };
        Self { stars, motion, reach, known: (0..asked).map(|_| AtomicU8::new(UNASKED)).collect() }
    }

    /// Whether the surface is flat around vertex `v`.
    #[inline]
    fn at(&self, v: u32) -> bool {
        let Some(stars) = self.stars else { return false };
        // Whoever asks first, the answer is the same.
        match self.known[v as usize].load(Ordering::Relaxed) {
            UNASKED => {
                let flat = stars.is_flat(v as usize, &self.motion, &self.reach);
                self.known[v as usize].store(u8::from(flat), Ordering::Relaxed);
                flat
            }
            known => known == 1,
        }
    }
}

/// What all chunks share.
struct Context<'a, const K: usize, const N: usize> {
    surfaces: &'a [Surface],
    trees: &'a [&'a KdopTree<K, N>],
    motions: &'a [Motion<'a>],
    test: Test,
    scope: Scope<'a>,
    limit: u64,
    triangle_pairs: AtomicU64,
    results: AtomicU64,
}

impl<const K: usize> Search<K> {
    /// Looks into all tasks; results stay here until the next search.
    #[expect(clippy::too_many_arguments, reason = "one call, from the detector that owns all of these")]
    pub(super) fn run<const N: usize>(
        &mut self,
        surfaces: &[Surface],
        trees: &[&KdopTree<K, N>],
        motions: &[Motion<'_>],
        tasks: &[Task],
        (test, scope): (Test, Scope<'_>),
        limit: u64,
        report: &mut DetectReport,
    ) -> Result<(), DetectError> {
        let per_chunk = tasks.len().div_ceil(CHUNKS).max(TASKS_PER_CHUNK);
        self.chunks.resize_with(CHUNKS, Chunk::default);
        let context = Context {
            surfaces,
            trees,
            motions,
            test,
            scope,
            limit,
            triangle_pairs: AtomicU64::new(0),
            results: AtomicU64::new(0),
        };
        let pool = &self.pool;
        self.chunks.par_iter_mut().enumerate().for_each_init(
            || Lent::new(pool),
            |lent, (i, chunk)| {
                let first = (i * per_chunk).min(tasks.len());
                let last = (first + per_chunk).min(tasks.len());
                context.run(chunk, &mut lent.memory, first, &tasks[first..last]);
            },
        );
        for chunk in &self.chunks {
            report.times.add(&chunk.times);
            report.volume_tests += chunk.visit.tests;
            report.triangle_pairs += chunk.triangle_pairs;
            report.candidates[0] += chunk.counts[0];
            report.candidates[1] += chunk.counts[1];
        }
        if context.is_over_limit() { Err(DetectError::TooMany { limit }) } else { Ok(()) }
    }

    /// Makes a result of everything that was found, in the order of tasks; `make` gets the number of the task, the pair and
    /// its distance or time.
    pub(super) fn collect<T: Send>(
        &self,
        surfaces: &[Surface],
        tasks: &[Task],
        results: &mut Vec<T>,
        report: &mut DetectReport,
        make: impl Fn(u32, FeaturePair, f64) -> T + Sync,
    ) {
        let start = Instant::now();
        results.par_extend(self.chunks.par_iter().flat_map_iter(|chunk| {
            chunk.found.iter().map(|f| make(f.task, pair(surfaces, &tasks[f.task as usize], f.candidate), f.value))
        }));
        report.times.test += start.elapsed();
    }

    pub(super) fn memory(&self) -> usize {
        let chunk = |c: &Chunk| {
            8 * c.faces.capacity()
                + size_of::<Candidate>() * c.candidates.capacity()
                + size_of::<Found>() * c.found.capacity()
        };
        let pooled =
            self.pool.lock().iter().flatten().map(|r| size_of::<Features<K>>() * r.entries.capacity()).sum::<usize>();
        self.chunks.iter().map(chunk).sum::<usize>() + pooled
    }
}

impl<const K: usize, const N: usize> Context<'_, K, N> {
    fn is_over_limit(&self) -> bool {
        let pairs = self.limit.saturating_mul(super::PAIRS_PER_RESULT);
        self.triangle_pairs.load(Ordering::Relaxed) > pairs || self.results.load(Ordering::Relaxed) > self.limit
    }

    fn run(&self, chunk: &mut Chunk, remembered: &mut [Remembered<K>; 2], first_task: usize, tasks: &[Task]) {
        chunk.found.clear();
        chunk.visit.tests = 0;
        chunk.visit.marked = self.scope.marked.is_some();
        (chunk.triangle_pairs, chunk.counts, chunk.times) = (0, [0; 2], PhaseTimes::default());
        if tasks.is_empty() {
            return;
        }
        let (wall, processor) = (Instant::now(), ThreadTime::now());
        let mut surfaces = [u32::MAX; 2];
        for (i, task) in tasks.iter().enumerate() {
            if self.is_over_limit() {
                break;
            }
            if task.surfaces != surfaces {
                surfaces = task.surfaces;
                remembered.iter_mut().for_each(Remembered::forget);
            }
            let start = Instant::now();
            self.traverse(chunk, task);
            chunk.times.traverse += start.elapsed();
            let mut pairs = std::mem::take(&mut chunk.faces);
            if let Some(marked) = self.scope.marked {
                let is_marked = |side: usize, place: u32| {
                    let surface = task.surfaces[side];
                    surface == 0 && marked[self.trees[0].face_at(place) as usize]
                };
                pairs.retain(|[f, g]| is_marked(0, *f) || is_marked(1, *g));
            }
            chunk.triangle_pairs += pairs.len() as u64;
            self.triangle_pairs.fetch_add(pairs.len() as u64, Ordering::Relaxed);
            for some in pairs.chunks(PAIRS_AT_ONCE) {
                if self.test == Test::None || self.is_over_limit() {
                    break;
                }
                let start = Instant::now();
                self.filter(chunk, task, some, remembered);
                let filtered = Instant::now();
                chunk.times.filter += filtered - start;
                self.test(chunk, (first_task + i) as u32, task);
                chunk.times.test += filtered.elapsed();
            }
            pairs.clear();
            chunk.faces = pairs;
        }
        // Phases are told apart by the cheap wall clock; what they cost is measured by the processor's.
        chunk.times.scale(processor.elapsed().as_secs_f64() / wall.elapsed().as_secs_f64().max(f64::MIN_POSITIVE));
    }

    fn traverse(&self, chunk: &mut Chunk, task: &Task) {
        let [a, b] = task.surfaces.map(|s| self.trees[s as usize]);
        let [g, h] = task.groups.map(|g| g as usize);
        let (faces, visit) = (&mut chunk.faces, &mut chunk.visit);
        if task.surfaces[0] == task.surfaces[1] {
            a.own_face_pairs(g, h, visit, |f, g| faces.push([f, g]));
        } else {
            a.face_pairs(g, b, h, visit, |f, g| faces.push([f, g]));
        }
    }

    /// Lists the pairs of owned features whose k-DOPs overlap and that share no vertex.
    fn filter(
        &self,
        chunk: &mut Chunk,
        task: &Task,
        pairs: &[[u32; 2]],
        [remembered_a, remembered_b]: &mut [Remembered<K>; 2],
    ) {
        let [surface_a, surface_b] = task.surfaces.map(|s| &self.surfaces[s as usize]);
        let [tree_a, tree_b] = task.surfaces.map(|s| self.trees[s as usize]);
        let same = task.surfaces[0] == task.surfaces[1];
        let candidates = &mut chunk.candidates;
        candidates.clear();
        let flat = self.scope.flat.get(task.surfaces[0] as usize).filter(|_| same);
        for &[f, g] in pairs {
            if let Some(flat) = flat {
                let [t, u] = [f, g].map(|place| &surface_a.triangles()[tree_a.face_at(place) as usize]);
                if t.iter().any(|v| u.contains(v) && flat.at(*v)) {
                    continue;
                }
            }
            let a = remembered_a.get(f, tree_a, surface_a);
            let b = remembered_b.get(g, tree_b, surface_b);
            // Corners of a and of b that are corners of the other.
            let (mut shared_a, mut shared_b) = (0, 0);
            if same {
                for i in 0..3 {
                    for j in 0..3 {
                        let equal = u32::from(a.corners[i] == b.corners[j]);
                        shared_a |= equal << i;
                        shared_b |= equal << j;
                    }
                }
            }
            for_each_bit(a.owned & 0b111 & !shared_a, |i| {
                if tree_a.vertex_dop(a.corners[i]).overlaps(&b.own) {
                    candidates.push(Candidate::VertexFace(a.corners[i], b.face));
                }
            });
            for_each_bit(b.owned & 0b111 & !shared_b, |j| {
                if tree_b.vertex_dop(b.corners[j]).overlaps(&a.own) {
                    candidates.push(Candidate::FaceVertex(a.face, b.corners[j]));
                }
            });
            if a.owned >> 3 == 0 || b.owned >> 3 == 0 {
                continue;
            }
            // An edge that misses the other triangle misses its edges.
            let edges_a = a.owned >> 3 & a.edge_dops.overlap(&b.own);
            for_each_bit(edges_a, |i| {
                for_each_bit(b.owned >> 3 & b.edge_dops.overlap_lane(&a.edge_dops, i), |j| {
                    // Edge i joins corners i and i + 1.
                    let [p, q] = [a.corners[i], a.corners[(i + 1) % 3]];
                    let [r, s] = [b.corners[j], b.corners[(j + 1) % 3]];
                    if !same || (p != r && p != s && q != r && q != s) {
                        candidates.push(Candidate::EdgeEdge(a.edges[i], b.edges[j]));
                    }
                });
            });
        }
    }

    /// Tests the candidates.
    fn test(&self, chunk: &mut Chunk, number: u32, task: &Task) {
        let before = chunk.found.len();
        let [surface_a, surface_b] = task.surfaces.map(|s| &self.surfaces[s as usize]);
        let [motion_a, motion_b] = task.surfaces.map(|s| &self.motions[s as usize]);
        let same = task.surfaces[0] == task.surfaces[1];
        let at = |x_a: &[DVec3], x_b: &[DVec3], candidate: Candidate| match candidate {
            Candidate::VertexFace(v, f) => {
                let [p, q, r] = surface_b.triangles()[f as usize];
                [x_a[v as usize], x_b[p as usize], x_b[q as usize], x_b[r as usize]]
            }
            Candidate::FaceVertex(f, v) => {
                let [p, q, r] = surface_a.triangles()[f as usize];
                [x_b[v as usize], x_a[p as usize], x_a[q as usize], x_a[r as usize]]
            }
            Candidate::EdgeEdge(e, f) => {
                let (e, f) = in_order(task, e, f);
                let ([p, q], [r, s]) = (surface_a.edges()[e as usize], surface_b.edges()[f as usize]);
                [x_a[p as usize], x_a[q as usize], x_b[r as usize], x_b[s as usize]]
            }
        };
        for &candidate in &chunk.candidates {
            let kind = match candidate {
                Candidate::EdgeEdge(..) => PairKind::EdgeEdge,
                Candidate::VertexFace(..) | Candidate::FaceVertex(..) => PairKind::VertexFace,
            };
            chunk.counts[usize::from(kind == PairKind::EdgeEdge)] += 1;
            let value = match self.test {
                Test::None => None,
                Test::Distance(within) => {
                    let x = at(motion_a.x_t1, motion_b.x_t1, candidate);
                    let distance = distance_squared(kind, &x);
                    // The root decides, as it does everywhere else; the square only spares most pairs the root.
                    let near = distance <= within * within * (1.0 + 4.0 * f64::EPSILON);
                    Some(distance.sqrt()).filter(|d| near && *d <= within)
                }
                Test::Approach(reach) => {
                    let start = at(motion_a.x_t0, motion_b.x_t0, candidate);
                    let end = at(motion_a.x_t1, motion_b.x_t1, candidate);
                    let own = same.then_some(surface_a);
                    let vertices = || pair(self.surfaces, task, candidate).vertices;
                    reach.reaches(kind, (&start, &end), own, vertices).then_some(0.0)
                }
                Test::Impact { method, min_separation } => {
                    let start = at(motion_a.x_t0, motion_b.x_t0, candidate);
                    let end = at(motion_a.x_t1, motion_b.x_t1, candidate);
                    candidate_time(kind, method, &start, &end, min_separation)
                }
            };
            if let Some(value) = value {
                chunk.found.push(Found { task: number, candidate, value });
            }
        }
        self.results.fetch_add((chunk.found.len() - before) as u64, Ordering::Relaxed);
    }
}

/// Within one surface the lower edge comes first.
#[inline]
fn in_order(task: &Task, e: u32, f: u32) -> (u32, u32) {
    if task.surfaces[0] == task.surfaces[1] { (e.min(f), e.max(f)) } else { (e, f) }
}

/// The pair of features a candidate stands for.
#[inline]
fn pair(surfaces: &[Surface], task: &Task, candidate: Candidate) -> FeaturePair {
    let [a, b] = task.surfaces;
    let [surface_a, surface_b] = task.surfaces.map(|s| &surfaces[s as usize]);
    let vertex_face = |of: [u32; 2], vertex: u32, face: u32, t: [u32; 3]| FeaturePair {
        kind: PairKind::VertexFace,
        surfaces: of,
        features: [vertex, face],
        vertices: [vertex, t[0], t[1], t[2]],
    };
    match candidate {
        Candidate::VertexFace(v, f) => vertex_face([a, b], v, f, surface_b.triangles()[f as usize]),
        Candidate::FaceVertex(f, v) => vertex_face([b, a], v, f, surface_a.triangles()[f as usize]),
        Candidate::EdgeEdge(e, f) => {
            let (e, f) = in_order(task, e, f);
            let ([p, q], [r, s]) = (surface_a.edges()[e as usize], surface_b.edges()[f as usize]);
            FeaturePair { kind: PairKind::EdgeEdge, surfaces: [a, b], features: [e, f], vertices: [p, q, r, s] }
        }
    }
}
