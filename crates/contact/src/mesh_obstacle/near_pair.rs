//! [`NearPair`]: a feature of the cloth and one of an obstacle that come near each other, and the side to keep.
//!
//! The gap of a pair is its distance, negative once the features went through each other. They did if the exact side of
//! the four points changed since the step began, the nearest points are inside both features, and the direction between
//! them turned round. The side alone would not do: two nearly parallel edges change it by a small turn, and a vertex
//! by going round the rim of a face.

use std::ops::Range;

use toile_collide::distance::Closest;
use toile_collide::impact::PairKind;
use toile_collide::{FeaturePair, closest_points};
use toile_mesh::DVec3;

/// Features of cloth and obstacle that come near each other during a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    kind: PairKind,
    vertices: [u32; 4],
    /// Whether the first feature is the cloth's.
    cloth_first: bool,
    /// Number of the obstacle, from 0.
    pub(super) obstacle: usize,
    /// Side of the first feature when the step began.
    side: f64,
    /// Direction from the second feature to the first then.
    normal: DVec3,
}

/// How far the features of a pair are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// Signed distance [m].
    pub(super) distance: f64,
    /// Unit vector that leads the cloth away from the obstacle.
    pub(super) normal: DVec3,
    /// Weights of the four vertices.
    pub(super) weights: [f64; 4],
}

impl NearPair {
    /// A pair that is nowhere yet; `None` for one within the cloth.
    pub(super) fn new(pair: &FeaturePair) -> Option<Self> {
        let FeaturePair { kind, surfaces: [a, b], vertices, .. } = *pair;
        let obstacle = (a.max(b) as usize).checked_sub(1)?;
        Some(Self { kind, vertices, cloth_first: a == 0, obstacle, side: 0.0, normal: DVec3::ZERO })
    }

    /// The pair as it was when the step began, with the cloth at `x_t0` and the obstacle at `y_t0` [m].
    pub(super) fn begun(self, x_t0: &[DVec3], y_t0: &[DVec3]) -> Self {
        let Closest { side, normal, .. } = closest_points(self.kind, &self.points(x_t0, y_t0));
        Self { side, normal, ..self }
    }

    /// Whether a single vertex of the cloth is in it.
    pub(super) fn is_particle(&self) -> bool {
        self.kind == PairKind::VertexFace && self.cloth_first
    }

    /// Which of the four vertices are the cloth's.
    pub(super) fn cloth_range(&self) -> Range<usize> {
        let split = if self.kind == PairKind::VertexFace { 1 } else { 2 };
        if self.cloth_first { 0..split } else { split..4 }
    }

    /// Place in the pair and number of each vertex of the cloth.
    pub(super) fn cloth(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let vertices = self.vertices;
        self.cloth_range().map(move |k| (k, vertices[k] as usize))
    }

    /// Place in the pair and number of each vertex of the obstacle.
    pub(super) fn solid(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (vertices, cloth) = (self.vertices, self.cloth_range());
        (0..4).filter(move |k| !cloth.contains(k)).map(move |k| (k, vertices[k] as usize))
    }

    /// The four vertices, of the cloth at `x` and of the obstacle at `y` [m].
    pub(super) fn points(&self, x: &[DVec3], y: &[DVec3]) -> [DVec3; 4] {
        let cloth = self.cloth_range();
        std::array::from_fn(|k| (if cloth.contains(&k) { x } else { y })[self.vertices[k] as usize])
    }

    /// The gap with the cloth at `x` and the obstacle at `y` [m].
    pub(super) fn gap(&self, x: &[DVec3], y: &[DVec3]) -> Gap {
        let closest = closest_points(self.kind, &self.points(x, y));
        let inside = |w: &[f64]| w.iter().all(|w| *w > 0.0);
        let crossed =
            self.side * closest.side < 0.0 && inside(&closest.weights) && closest.normal.dot(self.normal) < 0.0;
        let sign = if crossed { -1.0 } else { 1.0 };
        let away = if self.cloth_first { sign } else { -sign };
        Gap { distance: sign * closest.distance, normal: closest.normal * away, weights: closest.weights }
    }

    /// Earliest time at which the pair comes within `separation` [m]; see [`toile_collide::impact::time_of_impact`].
    pub(super) fn meets(&self, start: &[DVec3; 4], end: &[DVec3; 4], separation: f64) -> bool {
        let method = toile_collide::impact::Method::Conservative;
        toile_collide::impact::time_of_impact(self.kind, method, start, end, separation).is_some()
    }

    /// Distance of the pair at four points [m].
    pub(super) fn distance(&self, points: &[DVec3; 4]) -> f64 {
        closest_points(self.kind, points).distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pair of a cloth at `x` and an obstacle at `y` when a step begins.
    fn pair(kind: PairKind, x: &[DVec3], y: &[DVec3]) -> NearPair {
        let vertices = match kind {
            PairKind::VertexFace => [0, 0, 1, 2],
            PairKind::EdgeEdge => [0, 1, 0, 1],
        };
        NearPair::new(&FeaturePair { kind, surfaces: [0, 1], features: [0, 0], vertices }).unwrap().begun(x, y)
    }

    #[test]
    fn a_vertex_through_a_face_has_a_negative_gap_and_one_round_its_rim_has_not() {
        let face = [DVec3::ZERO, DVec3::X, DVec3::Z];
        let near = pair(PairKind::VertexFace, &[DVec3::new(0.2, 0.1, 0.2)], &face);
        let through = near.gap(&[DVec3::new(0.2, -0.1, 0.2)], &face);
        assert!((through.distance + 0.1).abs() < 1e-12 && through.normal.y > 0.99, "{through:?}");
        let round = near.gap(&[DVec3::new(-0.3, -0.4, 0.2)], &face);
        assert!((round.distance - 0.5).abs() < 1e-15);
    }

    #[test]
    fn edges_that_cross_have_a_negative_gap_and_those_that_turn_have_not() {
        let solid = [-DVec3::X, DVec3::X];
        let cloth = |height: f64, turn: f64| [DVec3::new(-1.0, height, -turn), DVec3::new(1.0, height, turn)];
        let near = pair(PairKind::EdgeEdge, &cloth(0.1, 0.05), &solid);
        let through = near.gap(&cloth(-0.1, 0.05), &solid);
        assert!((through.distance + 0.1).abs() < 1e-12 && through.normal.y > 0.99, "{through:?}");
        // The exact side changes, but nothing went through.
        let turned = near.gap(&cloth(0.1, -0.05), &solid);
        assert!((turned.distance - 0.1).abs() < 1e-12 && turned.normal.y > 0.99, "{turned:?}");
    }
}
