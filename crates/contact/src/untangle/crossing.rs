//! Where edges go through triangles.
//!
//! The judge names the pairs of triangles that intersect; here each pair becomes the edges of the one that go through the
//! other, `x = p + t (q − p) = Σ wᵢ cᵢ`. Pairs that only touch or lie in one plane have none and are named as they are.

use toile_mesh::{DVec3, EdgeId};

use super::tangle::Weave;

/// An edge that goes through a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub(super) edge: usize,
    pub(super) face: usize,
    /// Where [m].
    pub(super) point: DVec3,
    /// Unit normal of the triangle.
    pub(super) normal: DVec3,
}

/// Everything that intersects.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    /// Ordered by edge and face, each once.
    pub(super) crossings: Vec<Crossing>,
    /// Pairs of triangles of which no edge goes through the other.
    pub(super) flat: Vec<[usize; 2]>,
}

impl Crossings {
    pub(super) fn find(weave: &Weave<'_>, x: &[DVec3]) -> Self {
        let mut found = Self::default();
        for [a, b] in weave.judged(x) {
            let before = found.crossings.len();
            found.edges_through(weave, x, a, b);
            found.edges_through(weave, x, b, a);
            if found.crossings.len() == before {
                found.flat.push([a, b]);
            }
        }
        found.crossings.sort_unstable_by_key(|c| (c.edge, c.face));
        found.crossings.dedup_by_key(|c| (c.edge, c.face));
        found
    }

    pub(super) fn is_empty(&self) -> bool {
        self.crossings.is_empty() && self.flat.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.crossings.len() + self.flat.len()
    }

    fn edges_through(&mut self, weave: &Weave<'_>, x: &[DVec3], of: usize, face: usize) {
        let corners = weave.corners(face, x);
        for edge in weave.topology.face_edges[of].map(EdgeId::index) {
            let ends = weave.topology.edges[edge].ends;
            if ends.iter().any(|v| weave.triangles[face].contains(v)) {
                continue;
            }
            if let Some((point, normal)) = segment_through(ends.map(|v| x[v.index()]), corners) {
                self.crossings.push(Crossing { edge, face, point, normal });
            }
        }
    }
}

/// Where a segment goes through a triangle, and its unit normal.
fn segment_through([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> Option<(DVec3, DVec3)> {
    let normal = (b - a).cross(c - a).try_normalize()?;
    let (side_p, side_q) = (normal.dot(p - a), normal.dot(q - a));
    if side_p * side_q > 0.0 || side_p == side_q {
        return None;
    }
    let point = p + (q - p) * (side_p / (side_p - side_q));
    let left_of = |u: DVec3, v: DVec3| normal.dot((v - u).cross(point - u)) >= -1e-12 * (v - u).length_squared();
    (left_of(a, b) && left_of(b, c) && left_of(c, a)).then_some((point, normal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_goes_through_where_it_should() {
        let floor = [DVec3::ZERO, DVec3::Z, DVec3::X];
        let needle = |x: f64| [DVec3::new(x, -1.0, 0.25), DVec3::new(x, 3.0, 0.25)];
        let (point, normal) = segment_through(needle(0.25), floor).unwrap();
        assert!(point.distance(DVec3::new(0.25, 0.0, 0.25)) < 1e-15);
        assert_eq!(normal, DVec3::Y);
        assert!(segment_through(needle(0.8), floor).is_none());
        assert!(segment_through([DVec3::Y, 2.0 * DVec3::Y], floor).is_none());
        assert!(segment_through(needle(0.25), [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]).is_none());
    }
}
