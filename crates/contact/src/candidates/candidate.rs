//! [`Candidate`]: two features that may touch, and the gap between them.
//!
//! The gap of a pair is its distance, negative once the features went through each other. They did if the exact side of
//! the four points changed since the step began, the nearest points are inside both features, and the direction between
//! them turned round. The side alone would not do: two nearly parallel edges change it by a small turn, and a vertex
//! by going round the rim of a face.

use toile_collide::distance::Closest;
use toile_collide::impact::{Method, PairKind, time_of_impact};
use toile_collide::{FeaturePair, closest_points, distance_squared};
use toile_mesh::DVec3;

use crate::{Contact, Friction, Step};

/// Two features, each of a body, with their vertices in the numbering of a [`Step`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// As the detector found it; pairs are in this order.
    pub found: FeaturePair,
    /// Vertex and triangle, or edge and edge.
    pub kind: PairKind,
    /// The corners.
    pub vertices: [u32; 4],
    /// Distance to keep [m].
    pub keep: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// A bound below its distance where the last [projection](crate::Projection) took up pairs [m]; 0 if it was not among them.
    pub apart: f64,
}

impl Candidate {
    /// The pair that a detector found; `offsets` are the first vertices of the surfaces.
    pub(crate) fn new(pair: &FeaturePair, offsets: &[u32], step: &Step) -> Self {
        let surfaces = pair.vertex_surfaces();
        let vertices: [u32; 4] = std::array::from_fn(|i| pair.vertices[i] + offsets[surfaces[i] as usize]);
        let [a, b] = [vertices[0], vertices[3]].map(|v| step.participants.body[v as usize]);
        let (mut keep, friction) =
            (step.participants.materials.distance(a, b), step.participants.materials.friction(a, b));
        if a == b {
            let rest = closest_points(pair.kind, &vertices.map(|v| step.participants.rest[v as usize])).distance;
            // Parts that lie on each other in the pattern are strangers.
            keep = if rest > 0.0 { keep.min(step.tuning().of_rest * rest) } else { keep };
        }
        Self { found: *pair, kind: pair.kind, vertices, keep, friction, apart: 0.0 }
    }

    /// The corners at `x` [m].
    #[inline]
    pub(crate) fn points(&self, x: &[DVec3]) -> [DVec3; 4] {
        self.vertices.map(|v| x[v as usize])
    }

    /// Distance at `x` [m].
    #[inline]
    pub(crate) fn distance(&self, x: &[DVec3]) -> f64 {
        distance_squared(self.kind, &self.points(x)).sqrt()
    }

    /// How far the two features go relative to each other at most, between `x_t0` and `x` [m].
    #[inline]
    pub(crate) fn travel(&self, x_t0: &[DVec3], x: &[DVec3]) -> f64 {
        let way = self.vertices.map(|v| x[v as usize] - x_t0[v as usize]);
        let first = if self.kind == PairKind::VertexFace { 1 } else { 2 };
        let mut most = 0.0_f64;
        for a in &way[..first] {
            for b in &way[first..] {
                most = most.max((*a - *b).length_squared());
            }
        }
        most.sqrt()
    }

    /// The contact at `x` as [`Self::contact`] says, for many steps in a row: what is known of the distance at `before` [m], where this was asked
    /// last, spares most pairs the distance. With it comes its [`room`] before it is nearer than it should be [m].
    #[inline]
    pub(crate) fn contact_again(
        &mut self,
        before: &[DVec3],
        x_t0: &[DVec3],
        x: &[DVec3],
        within: f64,
    ) -> Option<(Contact, f64)> {
        self.apart -= self.travel(before, x);
        if self.apart <= within {
            self.apart = self.between_boxes(x);
        }
        let travel = self.travel(x_t0, x);
        if self.apart > within && self.apart > travel {
            return None;
        }
        let closest = closest_points(self.kind, &self.points(x));
        self.apart = closest.distance;
        let contact = self.contact_of(&closest, x_t0, travel);
        (contact.gap < within).then(|| (contact, room(contact.gap, self.keep, travel)))
    }

    /// Whether boxes tell that the features stay more than `within` [m] apart on the way from `x_t0` to `x`.
    #[inline]
    pub(crate) fn stays_far(&self, x_t0: &[DVec3], x: &[DVec3], within: f64) -> bool {
        self.between_boxes(x_t0) > within + self.travel(x_t0, x)
    }

    /// Largest gap between the boxes of the features along an axis [m]; not more than their distance.
    #[inline]
    fn between_boxes(&self, x: &[DVec3]) -> f64 {
        let [a, b, c, d] = self.points(x);
        let (low, high, low_b, high_b) = match self.kind {
            PairKind::VertexFace => (a, a, b.min(c).min(d), b.max(c).max(d)),
            PairKind::EdgeEdge => (a.min(b), a.max(b), c.min(d), c.max(d)),
        };
        (low - high_b).max(low_b - high).max_element()
    }

    /// The contact at `x`, if the gap is below `within` [m]; the step began at `x_t0`, without a crossing.
    #[inline]
    pub fn contact(&self, x_t0: &[DVec3], x: &[DVec3], within: f64) -> Option<Contact> {
        self.contact_or_room(x_t0, x, within).ok()
    }

    /// The same, or what the ways of all its vertices may add up to before there can be one [m].
    #[inline]
    pub(crate) fn contact_or_room(&self, x_t0: &[DVec3], x: &[DVec3], within: f64) -> Result<Contact, f64> {
        let points = self.points(x);
        let (far, travel) = (distance_squared(self.kind, &points), self.travel(x_t0, x));
        if far > within * within * (1.0 + 1e-12) && far > travel * travel {
            return Err(room(far.sqrt(), within, travel));
        }
        let contact = self.contact_of(&closest_points(self.kind, &points), x_t0, travel);
        if contact.gap < within { Ok(contact) } else { Err(0.0) }
    }

    /// The contact at nearest points, after the features went `travel` [m].
    #[inline]
    fn contact_of(&self, closest: &Closest, x_t0: &[DVec3], travel: f64) -> Contact {
        let mut contact = self.contact_at_points(closest);
        // Features that crossed are not farther apart than they went.
        if closest.distance <= travel && self.crossed(closest, x_t0) {
            contact.normal = -contact.normal;
            contact.gap = -contact.gap;
        }
        contact
    }

    /// The contact at nearest points.
    #[inline]
    fn contact_at_points(&self, closest: &Closest) -> Contact {
        let friction = Friction::Coulomb(self.friction);
        Contact { keep: self.keep, friction, ..Contact::new(self.kind, self.vertices, closest) }
    }

    /// The contact of the pair in a step from `x_t0` to `x` [m]: as it is if it is nearer than it should be when the step
    /// begins, else as it will be when it comes within the share `meeting` of that. `None` if it does neither, and for two edges that
    /// touch at an end of one, which are looked after by the vertex there.
    pub fn contact_in_step(&self, x_t0: &[DVec3], x: &[DVec3], meeting: f64) -> Option<Contact> {
        let now = self.contact_at_points(&closest_points(self.kind, &self.points(x_t0)));
        let contact =
            if now.gap < self.keep { now } else { self.contact_at(x_t0, x, self.meets(x_t0, x, meeting * self.keep)?) };
        (!self.is_at_end(&contact)).then_some(contact)
    }

    /// Whether these are two edges that touch at an end of one: the contact is that of the vertex there.
    pub fn is_at_end(&self, contact: &Contact) -> bool {
        self.kind == PairKind::EdgeEdge && contact.weights.iter().any(|w| w.abs() > 1.0 - 1e-6)
    }

    /// The contact at a share `time` of the way from `x_t0` to `x` [m].
    pub(crate) fn contact_at(&self, x_t0: &[DVec3], x: &[DVec3], time: f64) -> Contact {
        self.contact_at_points(&self.closest_at(x_t0, x, time))
    }

    /// Nearest points at a share `time` of the way from `x_t0` to `x` [m].
    pub(crate) fn closest_at(&self, x_t0: &[DVec3], x: &[DVec3], time: f64) -> Closest {
        let (start, end) = (self.points(x_t0), self.points(x));
        let then: [DVec3; 4] = std::array::from_fn(|i| start[i].lerp(end[i], time));
        closest_points(self.kind, &then)
    }

    fn crossed(&self, now: &Closest, x_t0: &[DVec3]) -> bool {
        let start = closest_points(self.kind, &self.points(x_t0));
        let inside = now.weights.iter().all(|w| *w > 0.0);
        inside && start.side * now.side < 0.0 && now.normal.dot(start.normal) < 0.0
    }

    /// When the pair comes within `separation` [m] on the way from `x_t0` to `x`, as a share of it.
    #[inline]
    pub(crate) fn meets(&self, x_t0: &[DVec3], x: &[DVec3], separation: f64) -> Option<f64> {
        time_of_impact(self.kind, Method::Conservative, &self.points(x_t0), &self.points(x), separation)
    }
}

/// What the ways of the vertices of features `apart`, which went `travel`, may add up to before these can be within a distance or have
/// crossed [m]: half of what is left, as a way takes from the distance and may add to the travel.
#[inline]
fn room(apart: f64, within: f64, travel: f64) -> f64 {
    0.5 * (apart - within.max(travel))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pair(kind: PairKind) -> Candidate {
        let vertices = [0, 1, 2, 3];
        let found = FeaturePair { kind, surfaces: [0, 0], features: [0, 0], vertices };
        Candidate { found, kind, vertices, keep: 0.01, friction: 0.0, apart: 0.0 }
    }

    #[test]
    fn a_vertex_through_a_face_has_a_negative_gap_and_one_round_its_rim_has_not() {
        let at = |v: [f64; 3]| [DVec3::from(v), DVec3::ZERO, DVec3::X, DVec3::Z];
        let (near, start) = (pair(PairKind::VertexFace), at([0.2, 0.1, 0.2]));
        let through = near.contact(&start, &at([0.2, -0.1, 0.2]), 1.0).unwrap();
        assert!((through.gap + 0.1).abs() < 1e-12 && through.normal.y > 0.99, "{through:?}");
        let round = near.contact(&start, &at([-0.3, -0.4, 0.2]), 1.0).unwrap();
        assert!((round.gap - 0.5).abs() < 1e-15);
    }

    #[test]
    fn edges_that_cross_have_a_negative_gap_and_those_that_turn_have_not() {
        let at = |height: f64, turn: f64| {
            [DVec3::new(-1.0, height, -turn), DVec3::new(1.0, height, turn), -DVec3::X, DVec3::X]
        };
        let (near, start) = (pair(PairKind::EdgeEdge), at(0.1, 0.05));
        let through = near.contact(&start, &at(-0.1, 0.05), 1.0).unwrap();
        assert!((through.gap + 0.1).abs() < 1e-12 && through.normal.y > 0.99, "{through:?}");
        // The exact side changes, but nothing went through.
        let turned = near.contact(&start, &at(0.1, -0.05), 1.0).unwrap();
        assert!((turned.gap - 0.1).abs() < 1e-12 && turned.normal.y > 0.99, "{turned:?}");
    }

    fn points(size: f64) -> impl Strategy<Value = Vec<DVec3>> {
        prop::collection::vec(prop::array::uniform3(-size..size).prop_map(DVec3::from), 4)
    }

    proptest! {
        /// Over steps in which everything moves along and a little for itself.
        #[test]
        fn what_was_known_before_tells_the_same(
            edges in any::<bool>(), start in points(1.0), common in points(1.0),
            steps in prop::collection::vec(points(0.1), 1..8), within in 0.05..1.0_f64,
        ) {
            let mut near = pair(if edges { PairKind::EdgeEdge } else { PairKind::VertexFace });
            let (mut before, mut x) = (start.clone(), start);
            for way in &steps {
                let x_t0 = x.clone();
                for (x, way) in x.iter_mut().zip(way) {
                    *x += *way + common[0];
                }
                let known = near.contact_again(&before, &x_t0, &x, within);
                prop_assert_eq!(known.map(|(contact, _)| contact), near.contact(&x_t0, &x, within));
                prop_assert!(near.apart <= near.distance(&x) * (1.0 + 1e-12) + 1e-12);
                before.clone_from(&x);
            }
        }

        /// Ways that add up to no more than the room bring no contact about.
        #[test]
        fn there_is_as_much_room_as_is_said(
            edges in any::<bool>(), start in points(1.0), end in points(1.0), way in points(1.0), within in 0.05..1.0_f64,
        ) {
            let near = pair(if edges { PairKind::EdgeEdge } else { PairKind::VertexFace });
            if let Err(room) = near.contact_or_room(&start, &end, within) {
                let whole: f64 = way.iter().map(|way| way.length()).sum();
                let moved: Vec<DVec3> = end.iter().zip(&way).map(|(x, way)| *x + *way * (0.998 * room / whole)).collect();
                prop_assert!(near.contact(&start, &moved, within).is_none());
            }
        }
    }
}
