//! Step 3 of a search: subtrees, features, tests.
//!
//! Pairs of face groups are cut into chunks of equal number, whatever the threads; a chunk keeps its own memory and its
//! own results, which are read in the order of chunks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use toile_mesh::{Motion, Surface};

use crate::detector::{Contact, DetectError, DetectReport, FeaturePair, Impact, PhaseTimes, closest_points};
use crate::distance;
use crate::impact::{Method, PairKind, time_of_impact};
use crate::kdop::Kdop;
use crate::tree::{KdopTree, Visit};

/// Chunks of one search, a fixed number.
const CHUNKS: usize = 128;
/// Pairs of triangles after which features are looked at, to bound memory.
const PAIRS_AT_ONCE: usize = 4096;
/// Triangles whose features' k-DOPs are remembered, a power of two.
const REMEMBERED: usize = 64;

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
    /// Coming this close during the motion.
    Impact { method: Method, min_separation: f64 },
}

/// A pair that passed, and its distance [m] or time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) task: u32,
    pub(super) pair: FeaturePair,
    pub(super) value: f64,
}

/// k-DOPs of a triangle's edges and of itself.
#[derive(Clone, Copy)]
struct Features<const K: usize> {
    face: u32,
    own: Kdop<K>,
    edges: [Kdop<K>; 3],
}

/// The features of the triangles seen last.
struct Remembered<const K: usize> {
    entries: Vec<Features<K>>,
}

impl<const K: usize> Remembered<K> {
    fn new() -> Self {
        let none = Features { face: u32::MAX, own: Kdop::EMPTY, edges: [Kdop::EMPTY; 3] };
        Self { entries: vec![none; REMEMBERED] }
    }

    #[inline]
    fn get<const N: usize>(&mut self, face: u32, tree: &KdopTree<K, N>, surface: &Surface) -> &Features<K> {
        let entry = &mut self.entries[face as usize % REMEMBERED];
        if entry.face != face {
            let [a, b, c] = surface.triangles()[face as usize].map(|v| tree.vertex_dop(v));
            let edges = [a.union(b), b.union(c), c.union(a)];
            *entry = Features { face, own: edges[0].union(c), edges };
        }
        entry
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
pub(super) struct Search {
    chunks: Vec<Chunk>,
}

/// What all chunks share.
struct Context<'a, const K: usize, const N: usize> {
    surfaces: &'a [Surface],
    trees: &'a [&'a KdopTree<K, N>],
    motions: &'a [Motion<'a>],
    test: Test,
    limit: u64,
    triangle_pairs: AtomicU64,
    results: AtomicU64,
}

impl Search {
    /// Looks into all tasks; results stay here until the next search.
    #[expect(clippy::too_many_arguments, reason = "one call, from the detector that owns all of these")]
    pub(super) fn run<const K: usize, const N: usize>(
        &mut self,
        surfaces: &[Surface],
        trees: &[&KdopTree<K, N>],
        motions: &[Motion<'_>],
        tasks: &[Task],
        test: Test,
        limit: u64,
        report: &mut DetectReport,
    ) -> Result<(), DetectError> {
        let per_chunk = tasks.len().div_ceil(CHUNKS).max(1);
        self.chunks.resize_with(CHUNKS, Chunk::default);
        let context = Context {
            surfaces,
            trees,
            motions,
            test,
            limit,
            triangle_pairs: AtomicU64::new(0),
            results: AtomicU64::new(0),
        };
        self.chunks.par_iter_mut().enumerate().for_each(|(i, chunk)| {
            let first = (i * per_chunk).min(tasks.len());
            let last = (first + per_chunk).min(tasks.len());
            context.run(chunk, first, &tasks[first..last]);
        });
        for chunk in &self.chunks {
            report.times.add(&chunk.times);
            report.volume_tests += chunk.visit.tests;
            report.triangle_pairs += chunk.triangle_pairs;
            report.candidates[0] += chunk.counts[0];
            report.candidates[1] += chunk.counts[1];
        }
        if context.is_over_limit() { Err(DetectError::TooMany { limit }) } else { Ok(()) }
    }

    /// What was found, by task.
    pub(super) fn found(&self) -> impl Iterator<Item = &Found> {
        self.chunks.iter().flat_map(|c| &c.found)
    }

    /// Closest points of what was found.
    pub(super) fn contacts(&self, motions: &[Motion<'_>], contacts: &mut Vec<Contact>, report: &mut DetectReport) {
        let start = Instant::now();
        contacts.extend(self.found().map(|f| {
            let closest = closest_points(f.pair.kind, &f.pair.positions(motions, true));
            Contact { pair: f.pair, closest }
        }));
        report.times.test += start.elapsed();
    }

    /// Impacts of what was found.
    pub(super) fn impacts(&self, motions: &[Motion<'_>], impacts: &mut Vec<Impact>, report: &mut DetectReport) {
        let start = Instant::now();
        impacts.extend(self.found().map(|f| {
            let [start, end] = [false, true].map(|end| f.pair.positions(motions, end));
            Impact::new(f.pair, f.value, &start, &end)
        }));
        report.times.test += start.elapsed();
    }

    pub(super) fn memory(&self) -> usize {
        let chunk = |c: &Chunk| {
            8 * c.faces.capacity()
                + size_of::<Candidate>() * c.candidates.capacity()
                + size_of::<Found>() * c.found.capacity()
        };
        self.chunks.iter().map(chunk).sum()
    }
}

impl<const K: usize, const N: usize> Context<'_, K, N> {
    fn is_over_limit(&self) -> bool {
        self.triangle_pairs.load(Ordering::Relaxed).max(self.results.load(Ordering::Relaxed)) > self.limit
    }

    fn run(&self, chunk: &mut Chunk, first_task: usize, tasks: &[Task]) {
        chunk.found.clear();
        chunk.visit.tests = 0;
        (chunk.triangle_pairs, chunk.counts, chunk.times) = (0, [0; 2], PhaseTimes::default());
        if tasks.is_empty() {
            return;
        }
        let mut remembered = (Remembered::new(), Remembered::new());
        let mut surfaces = [u32::MAX; 2];
        for (i, task) in tasks.iter().enumerate() {
            if self.is_over_limit() {
                return;
            }
            if task.surfaces != surfaces {
                surfaces = task.surfaces;
                remembered = (Remembered::new(), Remembered::new());
            }
            let start = Instant::now();
            self.traverse(chunk, task);
            chunk.times.traverse += start.elapsed();
            let mut pairs = std::mem::take(&mut chunk.faces);
            chunk.triangle_pairs += pairs.len() as u64;
            self.triangle_pairs.fetch_add(pairs.len() as u64, Ordering::Relaxed);
            for some in pairs.chunks(PAIRS_AT_ONCE) {
                if self.test == Test::None || self.is_over_limit() {
                    break;
                }
                let start = Instant::now();
                self.filter(chunk, task, some, &mut remembered);
                let filtered = Instant::now();
                chunk.times.filter += filtered - start;
                self.test(chunk, (first_task + i) as u32, task);
                chunk.times.test += filtered.elapsed();
            }
            pairs.clear();
            chunk.faces = pairs;
        }
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
        (remembered_a, remembered_b): &mut (Remembered<K>, Remembered<K>),
    ) {
        let [surface_a, surface_b] = task.surfaces.map(|s| &self.surfaces[s as usize]);
        let [tree_a, tree_b] = task.surfaces.map(|s| self.trees[s as usize]);
        let same = task.surfaces[0] == task.surfaces[1];
        chunk.candidates.clear();
        for &[f, g] in pairs {
            let a = remembered_a.get(f, tree_a, surface_a);
            let b = remembered_b.get(g, tree_b, surface_b);
            let (owned_a, owned_b) = (surface_a.owned(f as usize), surface_b.owned(g as usize));
            let (corners_a, corners_b) = (surface_a.triangles()[f as usize], surface_b.triangles()[g as usize]);
            let mut shared = [[false; 3]; 2];
            if same {
                shared = [corners_a.map(|v| corners_b.contains(&v)), corners_b.map(|v| corners_a.contains(&v))];
            }
            for k in 0..3 {
                let (va, vb) = (corners_a[k], corners_b[k]);
                if owned_a >> k & 1 == 1 && !shared[0][k] && tree_a.vertex_dop(va).overlaps(&b.own) {
                    chunk.candidates.push(Candidate::VertexFace(va, g));
                }
                if owned_b >> k & 1 == 1 && !shared[1][k] && tree_b.vertex_dop(vb).overlaps(&a.own) {
                    chunk.candidates.push(Candidate::FaceVertex(f, vb));
                }
            }
            let (edges_a, edges_b) = (surface_a.face_edges()[f as usize], surface_b.face_edges()[g as usize]);
            for i in (0..3).filter(|i| owned_a >> (3 + i) & 1 == 1) {
                // An edge that misses the other triangle misses its edges.
                if !a.edges[i].overlaps(&b.own) {
                    continue;
                }
                for j in (0..3).filter(|j| owned_b >> (3 + j) & 1 == 1) {
                    let joined = same && {
                        let [p, q] = [corners_a[i], corners_a[(i + 1) % 3]];
                        let [r, s] = [corners_b[j], corners_b[(j + 1) % 3]];
                        p == r || p == s || q == r || q == s
                    };
                    if !joined && a.edges[i].overlaps(&b.edges[j]) {
                        chunk.candidates.push(Candidate::EdgeEdge(edges_a[i], edges_b[j]));
                    }
                }
            }
        }
    }

    /// Tests the candidates.
    fn test(&self, chunk: &mut Chunk, number: u32, task: &Task) {
        let before = chunk.found.len();
        for &candidate in &chunk.candidates {
            let pair = self.pair(task, candidate);
            chunk.counts[usize::from(pair.kind == PairKind::EdgeEdge)] += 1;
            let value = match self.test {
                Test::None => None,
                Test::Distance(within) => {
                    let x = pair.positions(self.motions, true);
                    let distance = match pair.kind {
                        PairKind::VertexFace => distance::vertex_face_distance_squared(&x),
                        PairKind::EdgeEdge => distance::edge_edge_distance_squared(&x),
                    };
                    (distance <= within * within).then(|| distance.sqrt())
                }
                Test::Impact { method, min_separation } => {
                    let [start, end] = [false, true].map(|end| pair.positions(self.motions, end));
                    time_of_impact(pair.kind, method, &start, &end, min_separation)
                }
            };
            if let Some(value) = value {
                chunk.found.push(Found { task: number, pair, value });
            }
        }
        self.results.fetch_add((chunk.found.len() - before) as u64, Ordering::Relaxed);
    }

    #[inline]
    fn pair(&self, task: &Task, candidate: Candidate) -> FeaturePair {
        let [a, b] = task.surfaces;
        let [surface_a, surface_b] = task.surfaces.map(|s| &self.surfaces[s as usize]);
        let vertex_face = |surfaces: [u32; 2], vertex: u32, face: u32, t: [u32; 3]| FeaturePair {
            kind: PairKind::VertexFace,
            surfaces,
            features: [vertex, face],
            vertices: [vertex, t[0], t[1], t[2]],
        };
        match candidate {
            Candidate::VertexFace(v, f) => vertex_face([a, b], v, f, surface_b.triangles()[f as usize]),
            Candidate::FaceVertex(f, v) => vertex_face([b, a], v, f, surface_a.triangles()[f as usize]),
            Candidate::EdgeEdge(e, f) => {
                // Within one surface the lower edge comes first.
                let (e, f) = if a == b { (e.min(f), e.max(f)) } else { (e, f) };
                let ([p, q], [r, s]) = (surface_a.edges()[e as usize], surface_b.edges()[f as usize]);
                FeaturePair { kind: PairKind::EdgeEdge, surfaces: [a, b], features: [e, f], vertices: [p, q, r, s] }
            }
        }
    }
}
