//! What every detector does: the [`Detector`] trait, its results and its report.
//!
//! A detector is made for a list of surfaces and asked, step after step, for
//! - [`Proximity`]s: pairs of features that are near each other now, and
//! - [`Impact`]s: pairs of features that meet during a step.
//!
//! A pair is a vertex and a triangle, or two edges, that share no vertex. Pairs within one surface are looked for if it
//! touches itself, pairs between two surfaces unless both are obstacles. Each pair is reported once, and results come
//! sorted by kind, surfaces and features, so that they do not depend on threads, trees or history.

use std::time::Duration;

use toile_mesh::{DVec3, Motion, Surface};

use crate::distance::{self, Closest};
use crate::impact::{PairKind, are_aside, may_come_within};

/// Two features, each with the surface it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FeaturePair {
    /// Vertex and triangle, or edge and edge.
    pub kind: PairKind,
    /// Surfaces of the first and of the second feature.
    pub surfaces: [u32; 2],
    /// Vertex and face, or edge and edge; numbers within their surfaces.
    pub features: [u32; 2],
    /// Vertices within their surfaces: v, f0, f1, f2 or a0, a1, b0, b1.
    pub vertices: [u32; 4],
}

impl FeaturePair {
    /// Surface of each of the four vertices.
    pub fn vertex_surfaces(&self) -> [u32; 4] {
        let [a, b] = self.surfaces;
        match self.kind {
            PairKind::VertexFace => [a, b, b, b],
            PairKind::EdgeEdge => [a, a, b, b],
        }
    }

    /// The four vertices at the start (`false`) or the end of the step.
    #[inline]
    pub fn positions(&self, motions: &[Motion<'_>], end: bool) -> [DVec3; 4] {
        let surfaces = self.vertex_surfaces();
        std::array::from_fn(|i| {
            let motion = &motions[surfaces[i] as usize];
            (if end { motion.x_t1 } else { motion.x_t0 })[self.vertices[i] as usize]
        })
    }
}

/// Whether a pair has a vertex of the first surface that is marked.
pub(crate) fn has_marked(pair: &FeaturePair, marked: &[bool]) -> bool {
    let surfaces = pair.vertex_surfaces();
    (0..4).any(|i| surfaces[i] == 0 && marked[pair.vertices[i] as usize])
}

/// Two features that are near each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Proximity {
    /// Which features.
    pub pair: FeaturePair,
    /// Where, how far apart and on which side.
    pub closest: Closest,
}

/// Two features that meet during a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Impact {
    /// Which features.
    pub pair: FeaturePair,
    /// When, as a share of the step; never later than it happens.
    pub time: f64,
    /// Where, and the normal, at that time.
    pub closest: Closest,
}

/// Share of a pair's size below which its closest points count as one.
const TOUCHING: f64 = 1.0e-9;
/// Share of a step before an impact at which the side is looked up.
const SHORTLY_BEFORE: f64 = 1.0e-6;

impl Impact {
    pub(crate) fn new(pair: FeaturePair, time: f64, start: &[DVec3; 4], end: &[DVec3; 4]) -> Self {
        // Relative to one vertex, so that the place in space costs no accuracy.
        let (from, to) = (start[1], end[1]);
        let at = |t: f64| -> [DVec3; 4] { std::array::from_fn(|i| (start[i] - from).lerp(end[i] - to, t)) };
        let x = at(time);
        let mut closest = closest_points(pair.kind, &x);
        let size = x.iter().fold(0.0_f64, |m, p| m.max(p.length_squared())).sqrt();
        if closest.distance > TOUCHING * size {
            return Self { pair, time, closest };
        }
        // At the moment of touching the points coincide; from where they came is seen shortly before.
        let before = at((time - SHORTLY_BEFORE).max(0.0));
        closest.side = distance::side(pair.kind, &before);
        if closest.side == 0.0 {
            closest.normal = closest_points(pair.kind, &at(0.0)).normal;
        } else if closest.normal.dot(distance::cross(pair.kind, &x)) * closest.side < 0.0 {
            closest.normal = -closest.normal;
        }
        Self { pair, time, closest }
    }
}

/// Closest points of a pair of features.
pub fn closest_points(kind: PairKind, x: &[DVec3; 4]) -> Closest {
    match kind {
        PairKind::VertexFace => distance::vertex_face(x),
        PairKind::EdgeEdge => distance::edge_edge(x),
    }
}

/// Square of the distance of a pair of features [m²].
#[inline]
pub fn distance_squared(kind: PairKind, x: &[DVec3; 4]) -> f64 {
    match kind {
        PairKind::VertexFace => distance::vertex_face_distance_squared(x),
        PairKind::EdgeEdge => distance::edge_edge_distance_squared(x),
    }
}

/// What a detector can do. A scene that asks for more is refused by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent answers to independent questions")]
pub struct Abilities {
    /// Finds pairs within one surface.
    pub self_collision: bool,
    /// Finds what happens between the start and the end of a step.
    pub continuous: bool,
    /// Obstacles may deform.
    pub animated: bool,
    /// Finds every pair.
    pub exact: bool,
}

/// Counts and processor time of one search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DetectReport {
    /// Vertices and groups that were renewed in the trees.
    pub renewed: [usize; 2],
    /// Pairs of face groups: overlapping, culled by normal cones, taken from the last search.
    pub group_pairs: [usize; 3],
    /// Tests of bounding volumes.
    pub volume_tests: u64,
    /// Pairs of triangles whose bounding volumes overlap.
    pub triangle_pairs: u64,
    /// Vertex–triangle and edge–edge pairs whose bounding volumes overlap.
    pub candidates: [u64; 2],
    /// Vertex–triangle and edge–edge pairs reported.
    pub found: [usize; 2],
    /// Trees built anew because refits had made them bad.
    pub rebuilt: usize,
    /// Processor time of each phase, summed over threads.
    pub times: PhaseTimes,
}

/// Processor time of each phase of a search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PhaseTimes {
    /// Building trees.
    pub build: Duration,
    /// Moving trees with their surfaces.
    pub refit: Duration,
    /// Culling by cones and contours, and descending trees.
    pub traverse: Duration,
    /// Bounding volumes of feature pairs.
    pub filter: Duration,
    /// Distances and times of impact.
    pub test: Duration,
}

impl PhaseTimes {
    /// All phases.
    pub fn total(&self) -> Duration {
        self.build + self.refit + self.traverse + self.filter + self.test
    }

    pub(crate) fn scale(&mut self, factor: f64) {
        for time in [&mut self.build, &mut self.refit, &mut self.traverse, &mut self.filter, &mut self.test] {
            *time = time.mul_f64(factor);
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.build += other.build;
        self.refit += other.refit;
        self.traverse += other.traverse;
        self.filter += other.filter;
        self.test += other.test;
    }
}

/// Why a search gave no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DetectError {
    /// A position is NaN, infinite or beyond 10³⁰ m.
    NotFinite {
        /// Which surface.
        surface: usize,
        /// Which vertex of it.
        vertex: usize,
    },
    /// A surface has another number of vertices than its motion.
    WrongCount {
        /// Which surface.
        surface: usize,
    },
    /// More pairs than allowed: triangles lie on top of each other.
    TooMany {
        /// The limit on results; that on pairs of triangles follows from it.
        limit: u64,
    },
}

impl std::fmt::Display for DetectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFinite { surface, vertex } => {
                write!(f, "vertex {vertex} of surface {surface} is not a finite position within 1e30 m of the origin")
            }
            Self::WrongCount { surface } => {
                write!(f, "surface {surface} and its motion have different numbers of vertices")
            }
            Self::TooMany { limit } => write!(
                f,
                "too many pairs for the limit of {limit} results: many triangles lie on top of each other, or the search \
                 distance is far larger than the triangles"
            ),
        }
    }
}

impl std::error::Error for DetectError {}

/// Whether pairs of surfaces `a` and `b` are looked for.
pub(crate) fn are_tested(surfaces: &[Surface], a: usize, b: usize) -> bool {
    if a == b { surfaces[a].touches_itself } else { !(surfaces[a].is_obstacle && surfaces[b].is_obstacle) }
}

/// Largest coordinate [m] that bounding volumes in `f32` can hold with room for sums and margins.
const LARGEST: f64 = 1.0e30;

/// Refuses motions that do not fit their surfaces or are not finite.
pub(crate) fn check_motions(surfaces: &[Surface], motions: &[Motion<'_>]) -> Result<(), DetectError> {
    assert_eq!(surfaces.len(), motions.len(), "a motion for every surface");
    for (s, (surface, motion)) in surfaces.iter().zip(motions).enumerate() {
        if motion.x_t0.len() != surface.vertex_count() || motion.x_t1.len() != surface.vertex_count() {
            return Err(DetectError::WrongCount { surface: s });
        }
        let fits = |x: &DVec3| x.abs().max_element() <= LARGEST && x.is_finite();
        let all_fit = motion.x_t0.iter().all(fits) && motion.x_t1.iter().all(fits);
        if !all_fit {
            let vertex = (0..motion.x_t0.len()).find(|v| !fits(&motion.x_t0[*v]) || !fits(&motion.x_t1[*v]));
            return Err(DetectError::NotFinite { surface: s, vertex: vertex.unwrap_or(0) });
        }
    }
    Ok(())
}

/// How near is near.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reach {
    /// Distance [m].
    pub within: f64,
    /// Features of one part of a surface that has a [rest shape](toile_mesh::Rest) are near only within this share of the
    /// distance that they have there, if that is less: neighbours in a cloth are no contacts. Features that touch at rest are
    /// strangers.
    pub of_rest: f64,
}

impl Reach {
    /// This far [m], whatever the rest shape.
    pub fn within(within: f64) -> Self {
        Self { within, of_rest: f64::INFINITY }
    }

    /// How near a pair of features of a surface must come [m], given by its vertices.
    #[inline]
    pub(crate) fn of(&self, surface: &Surface, kind: PairKind, vertices: [u32; 4]) -> f64 {
        let Some(rest) = surface.rest().filter(|_| self.of_rest < f64::INFINITY) else { return self.within };
        let v = vertices.map(|v| v as usize);
        if rest.part[v[0]] != rest.part[v[3]] {
            return self.within;
        }
        let points = v.map(|v| rest.x[v]);
        let squared = distance_squared(kind, &points);
        if squared > 0.0 { self.within.min(self.of_rest * squared.sqrt()) } else { self.within }
    }

    /// Whether a pair of features, of one surface if `surface` is given, may come that near on its way.
    #[inline]
    pub(crate) fn reaches(
        &self,
        kind: PairKind,
        (start, end): (&[DVec3; 4], &[DVec3; 4]),
        surface: Option<&Surface>,
        vertices: impl FnOnce() -> [u32; 4],
    ) -> bool {
        let Some(surface) = surface else { return may_come_within(kind, start, end, self.within) };
        // What boxes leave of one surface are mostly neighbours, which are near only within less.
        let vertices = vertices();
        let is_aside =
            self.of_neighbours(surface, kind, vertices).is_some_and(|most| are_aside(kind, start, end, most));
        !is_aside && may_come_within(kind, start, end, self.of(surface, kind, vertices))
    }

    /// A bound above [`Self::of`] [m], for features that a direction parts at rest.
    #[inline]
    fn of_neighbours(&self, surface: &Surface, kind: PairKind, vertices: [u32; 4]) -> Option<f64> {
        let rest = surface.rest().filter(|_| self.of_rest < f64::INFINITY)?;
        let v = vertices.map(|v| v as usize);
        let x = v.map(|v| rest.x[v]);
        let between = |i: usize, j: usize| x[i].distance_squared(x[j]);
        let to_last_two = |i: usize| between(i, 2).min(between(i, 3));
        let corners = match kind {
            PairKind::VertexFace => between(0, 1).min(to_last_two(0)),
            PairKind::EdgeEdge => to_last_two(0).min(to_last_two(1)),
        };
        (rest.part[v[0]] == rest.part[v[3]] && are_aside(kind, &x, &x, 0.0))
            .then(|| self.within.min(self.of_rest * corners.sqrt()))
    }
}

/// Finds where surfaces touch.
pub trait Detector: Send {
    /// Name as in scene files.
    fn name(&self) -> &'static str;

    /// What it can do.
    fn abilities(&self) -> Abilities;

    /// The surfaces it was made for.
    fn surfaces(&self) -> &[Surface];

    /// All pairs of features at most `within` [m] apart at the end of the motions.
    fn proximities(
        &mut self,
        motions: &[Motion<'_>],
        within: f64,
        found: &mut Vec<Proximity>,
    ) -> Result<DetectReport, DetectError>;

    /// All pairs of features that come within `reach` of each other during the motions, and some that a quick test cannot tell
    /// from them: without times and nearest points, and cheaper than [`Detector::impacts`]. `marked`, with an entry for each
    /// vertex of the first surface: only pairs with a vertex that is marked. Every other vertex moves as it did when this was
    /// last asked, with the same reach. Which pairs are listed beyond those within reach may differ with and without `marked`.
    fn approaching(
        &mut self,
        motions: &[Motion<'_>],
        reach: Reach,
        marked: Option<&[bool]>,
        found: &mut Vec<FeaturePair>,
    ) -> Result<DetectReport, DetectError>;

    /// All pairs of features that come within `min_separation` [m] of each other during the motions, 0 for those that
    /// touch.
    fn impacts(
        &mut self,
        motions: &[Motion<'_>],
        min_separation: f64,
        found: &mut Vec<Impact>,
    ) -> Result<DetectReport, DetectError>;

    /// Bytes of memory in use.
    fn memory(&self) -> usize;
}
