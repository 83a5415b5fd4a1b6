//! What the judge found.

use std::fmt;

use crate::FaceId;

/// What two intersecting triangles share by vertex number; always [`IntersectionKind::Separate`] between two meshes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntersectionKind {
    /// No vertex: they cross, touch or overlap.
    Separate,
    /// One vertex, and they meet in a further point.
    SharedVertex,
    /// An edge, and they are folded onto each other.
    SharedEdge,
    /// All vertices: a duplicate.
    SharedFace,
}

/// Two triangles that intersect; `a < b` within one mesh.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Intersection {
    /// Triangle of the (first) mesh.
    pub a: FaceId,
    /// Triangle of the same or of the second mesh.
    pub b: FaceId,
    /// What they share.
    pub kind: IntersectionKind,
}

/// The intersecting pairs of one or two meshes.
///
/// ```
/// use toile_mesh::{DVec3, generate, judge};
/// let mut mesh = generate::plane([1.0, 1.0], [4, 4]);
/// mesh.positions[0].y = f64::NAN;
/// let verdict = judge::self_intersections(&mesh);
/// assert_eq!((verdict.count(), verdict.unjudged), (0, 2));
/// assert!(!verdict.is_clean());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Verdict {
    /// Each pair once, in ascending order.
    pub pairs: Vec<Intersection>,
    /// Triangles that could not be judged: a coordinate is not finite or beyond 2³⁰⁰, or a vertex is missing.
    pub unjudged: usize,
}

impl Verdict {
    pub(super) fn new(mut pairs: Vec<Intersection>, unjudged: usize) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs, unjudged }
    }

    /// Number of intersecting pairs.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// Number of intersecting pairs of one kind.
    pub fn count_of(&self, kind: IntersectionKind) -> usize {
        self.pairs.iter().filter(|p| p.kind == kind).count()
    }

    /// Whether every triangle was judged and none intersects another.
    pub fn is_clean(&self) -> bool {
        self.pairs.is_empty() && self.unjudged == 0
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [separate, vertex, edge, face] = [
            IntersectionKind::Separate,
            IntersectionKind::SharedVertex,
            IntersectionKind::SharedEdge,
            IntersectionKind::SharedFace,
        ]
        .map(|kind| self.count_of(kind));
        write!(f, "{} intersecting pairs of triangles", self.count())?;
        if self.count() > 0 {
            write!(f, " ({separate} separate, {vertex} sharing a vertex, {edge} an edge, {face} duplicate)")?;
        }
        if self.unjudged > 0 {
            write!(f, ", {} triangles not judged", self.unjudged)?;
        }
        Ok(())
    }
}
