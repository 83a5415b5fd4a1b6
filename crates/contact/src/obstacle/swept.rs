//! When a moving triangle comes as near as a given distance to a moving convex body.
//!
//! In the frame of the body the corners are taken to go straight from where they are at the start of the step to where
//! they are at its end. The distance `φ` of a convex body is convex, so that over everything the triangle sweeps, the
//! hull of six points, it is at least the smallest of its linear bounds `φ(c) + n(c)·(p − c)` there: that settles most
//! triangles. For the others the deepest point at a time tells how long nothing can happen, by its linear bound and as no
//! point is faster than the fastest corner: conservative advancement.
//!
//! **All at once.** For a point `p = Σ w_i x_i` of that hull and any point `c`, `Σ w_i |x_i − c|² = |p − c|² + Σ w_i |x_i − p|²`, and the last sum is
//! at most 5/12 of the squared diameter of six points. With `c` the point of a body's core, the middle of a ball or the axis of a capsule, that
//! is nearest to `p`: if all corners are at least `d` from the core, `p` is at least `√(d² − 5/12 diameter²)` from it. So corners alone tell of
//! balls and capsules that are large against triangles, as they do of half spaces, that none comes near.

use toile_mesh::DVec3;

use crate::Contact;

use super::{DEEPEST_POINT_ERROR, PlacedPiece, Shape, deepest_point_below, deepest_point_on_triangle};

/// Steps of the advancement before the last safe time is reported as arrival.
const STEPS: usize = 64;
/// A triangle counts as arrived at this multiple of the distance (minus one).
pub(crate) const ARRIVED: f64 = 1e-4;
/// Largest variance of six weighted points, as a share of their squared diameter.
const MOST_VARIANCE: f64 = 5.0 / 12.0;

/// What a triangle does on its way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arrival {
    /// Share of the step after which the triangle is as near as was asked, or slightly before.
    pub time: f64,
    /// Its distance when the step began [m].
    pub start: f64,
    /// Weights of its deepest point then.
    pub weights: [f64; 3],
    /// Normal there, in the world when the step ends.
    pub normal: DVec3,
    /// The distance of any point `p` when the step ends is at least `normal · p + offset` [m].
    pub offset: f64,
}

impl Arrival {
    /// The contact of the triangle with these corners at that moment, seen from the end of the step.
    pub(crate) fn contact(&self, [a, b, c]: [u32; 3]) -> Contact {
        let [u, v, w] = self.weights;
        Contact {
            vertices: [a, b, c, c],
            weights: [u, v, w, 0.0],
            offset: -self.offset,
            ..Contact::with_plane(a, self.normal, 0.0, 0.0)
        }
    }
}

impl PlacedPiece {
    /// Whether a point of a triangle is inside when the step ends.
    pub fn holds_part_of(&self, corners: [DVec3; 3]) -> bool {
        deepest_point_below(&self.shape, corners.map(|p| self.local(p)), 0.0, 0.0).is_some()
    }

    /// Whether one linear bound tells that a triangle that goes from corners `start` to `end` [m] stays farther away than
    /// `distance` [m]. The bound is fixed to the body, and so has a place in the world before and after the step: no corner need be
    /// taken into the frame of the body.
    #[inline]
    fn stays_beyond(&self, start: &[DVec3; 3], end: &[DVec3; 3], distance: f64) -> bool {
        let [first, last] = [(start[0] + start[1] + start[2]) / 3.0, (end[0] + end[1] + end[2]) / 3.0];
        let middle = 0.5 * (self.pose_t0.to_local(first) + self.local(last));
        let (phi, normal) = self.shape.distance_and_normal(middle);
        let (before, after) = (self.pose_t0.rotation * normal, self.axes * normal);
        let least = distance - phi + normal.dot(middle);
        let [from, to] = [least + before.dot(self.pose_t0.position), least + after.dot(self.pose.position)];
        let all = |corners: &[DVec3; 3], normal: DVec3, least: f64| {
            normal.dot(corners[0]) > least && normal.dot(corners[1]) > least && normal.dot(corners[2]) > least
        };
        all(start, before, from) && all(end, after, to)
    }

    /// Whether corners alone tell that all triangles whose corners go from `start` to `end` [m] stay farther away than `distance` [m]. Corners
    /// of a triangle are at most `spread` [m] apart in the world, at any two times. A ball is seen from its middle as if it did not turn; a
    /// capsule that turns tells nothing.
    pub(crate) fn is_clear_of(&self, start: &[DVec3], end: &[DVec3], spread: f64, distance: f64) -> bool {
        let seen = spread + self.pose_t0.position.distance(self.pose.position);
        let least = |radius: f64| (radius + distance).powi(2) + MOST_VARIANCE * seen * seen;
        let places = [(&self.pose_t0, start), (&self.pose, end)];
        match self.shape {
            Shape::Sphere { radius } => {
                let least = least(radius);
                places.iter().all(|(pose, x)| x.iter().all(|x| x.distance_squared(pose.position) > least))
            }
            Shape::Capsule { radius, half_height } => {
                if self.pose_t0.rotation != self.pose.rotation {
                    return false;
                }
                let least = least(radius);
                places.iter().all(|(pose, x)| {
                    let axis = pose.rotation * DVec3::Y;
                    x.iter().all(|x| {
                        let way = *x - pose.position;
                        way.distance_squared(axis * axis.dot(way).clamp(-half_height, half_height)) > least
                    })
                })
            }
            Shape::Plane => places.iter().all(|(pose, x)| {
                let normal = pose.rotation * DVec3::Y;
                x.iter().all(|x| normal.dot(*x - pose.position) > distance)
            }),
            Shape::Cuboid { .. } | Shape::Cylinder { .. } => false,
        }
    }

    /// When a triangle that goes from corners `start` to `end` [m] comes within `distance` [m]; `None` if it does not.
    #[inline]
    pub fn arrival(&self, start: &[DVec3; 3], end: &[DVec3; 3], distance: f64) -> Option<Arrival> {
        if self.stays_beyond(start, end, distance) { None } else { self.advance(start, end, distance) }
    }

    /// The same by conservative advancement.
    fn advance(&self, start: &[DVec3; 3], end: &[DVec3; 3], distance: f64) -> Option<Arrival> {
        let from = start.map(|p| self.pose_t0.to_local(p));
        let to = end.map(|p| self.local(p));
        let speed = (0..3).map(|i| from[i].distance(to[i])).fold(0.0, f64::max);
        let edges = [from[0].distance(from[1]), from[1].distance(from[2]), from[2].distance(from[0])];
        // Deformation on the way lengthens edges by no more than twice the way.
        let error = DEEPEST_POINT_ERROR * (edges.into_iter().fold(0.0, f64::max) + 2.0 * speed);
        let corners = |t: f64| [0, 1, 2].map(|i| from[i].lerp(to[i], t));
        let mut deepest = deepest_point_on_triangle(&self.shape, corners(0.0));
        let (mut time, start) = (0.0, deepest.distance - error);
        for _ in 0..STEPS {
            let gap = deepest.distance - error - distance;
            // A distance that is no number is an arrival as well.
            if gap.is_nan() || gap <= ARRIVED * distance.abs() {
                break;
            }
            let now = corners(time);
            let [u, v, w] = deepest.weights;
            let point = now[0] * u + now[1] * v + now[2] * w;
            // Until a corner has fallen to the distance by the linear bound of this moment, nothing has.
            let falls = |i: usize| {
                let height = gap + deepest.normal.dot(now[i] - point);
                let fall = deepest.normal.dot(from[i] - to[i]);
                if height < 0.0 {
                    0.0
                } else if fall > 0.0 {
                    height / fall
                } else {
                    f64::INFINITY
                }
            };
            time += (0..3).map(falls).fold(f64::INFINITY, f64::min).max(gap / speed.max(f64::MIN_POSITIVE));
            if time >= 1.0 {
                return None;
            }
            deepest = deepest_point_on_triangle(&self.shape, corners(time));
        }
        let (corners, [u, v, w]) = (corners(time), deepest.weights);
        let point = self.pose.to_world(corners[0] * u + corners[1] * v + corners[2] * w);
        let normal = self.axes * deepest.normal;
        let offset = deepest.distance - normal.dot(point);
        Some(Arrival { time, start, weights: deepest.weights, normal, offset })
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::SHAPES;
    use super::*;
    use crate::{Friction, Motion, Obstacle, PlacedObstacles, Pose, RigidMotion};
    use proptest::prelude::*;

    fn point(size: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-size..size).prop_map(DVec3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn no_sampled_time_is_nearer_before_the_arrival(
            shape in prop::sample::select(SHAPES.to_vec()),
            centre in point(2.0),
            corners in prop::array::uniform3(point(0.5)),
            way in prop::array::uniform3(point(2.0)),
            velocity in point(3.0),
            distance in 0.001..0.2_f64,
        ) {
            let motion = Motion::Rigid(RigidMotion { velocity, ..RigidMotion::at_rest(Pose::at(DVec3::X * 0.1)) });
            let body = Obstacle::new("body", shape, motion, Friction::Coulomb(0.0));
            let mut placed = PlacedObstacles::default();
            placed.place(&[body], 0.0, 1.0);
            let start = corners.map(|c| centre + c);
            let end = [0, 1, 2].map(|i| start[i] + way[i]);
            let arrival = placed.pieces()[0].arrival(&start, &end, distance);
            let ways = start.iter().chain(&end);
            let spread = ways.clone().flat_map(|a| ways.clone().map(|b| a.distance(*b))).fold(0.0, f64::max);
            // Told of all triangles at once only if it is true of each.
            prop_assert!(arrival.is_none() || !placed.pieces()[0].is_clear_of(&start, &end, spread, distance));
            let until = arrival.map_or(1.0, |a| a.time);
            for k in 0..=40 {
                let t = until * f64::from(k) / 40.0;
                let offset = DVec3::X * 0.1 + velocity * t;
                let local = [0, 1, 2].map(|i| start[i].lerp(end[i], t) - offset);
                let deepest = deepest_point_on_triangle(&shape, local).distance;
                prop_assert!(deepest >= distance - 1e-9 || t == 0.0, "{deepest} at {t} of {until}");
            }
            if let Some(Arrival { time, start: first, .. }) = arrival && time > 0.0 {
                let offset = DVec3::X * 0.1 + velocity * time;
                let local = [0, 1, 2].map(|i| start[i].lerp(end[i], time) - offset);
                let deepest = deepest_point_on_triangle(&shape, local).distance;
                prop_assert!(first > distance && deepest < 1.02 * distance + 1e-3, "{deepest}");
            }
        }
    }

    #[test]
    fn a_thin_plate_is_not_jumped_over() {
        let plate = Shape::Cuboid { half_size: DVec3::new(0.5, 0.001, 0.5) };
        let mut placed = PlacedObstacles::default();
        let body = Obstacle::new("plate", plate, Motion::at_rest(Pose::IDENTITY), Friction::Coulomb(0.0));
        placed.place(&[body], 0.0, 0.01);
        let corners = |y: f64| [DVec3::new(-0.01, y, 0.0), DVec3::new(0.01, y, 0.0), DVec3::new(0.0, y, 0.01)];
        let arrival = placed.pieces()[0].arrival(&corners(1.0), &corners(-1.0), 0.001).unwrap();
        assert!((arrival.time - 0.499).abs() < 1e-4 && (arrival.start - 0.999).abs() < 1e-4, "{arrival:?}");
        assert_eq!(placed.pieces()[0].arrival(&corners(1.0), &corners(0.01), 0.001), None);
    }
}
