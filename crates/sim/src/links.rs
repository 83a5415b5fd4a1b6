//! Contacts as part of the implicit step: every feature that is near another, or will meet it, becomes a link.
//!
//! **Why links.** The contact of a step is a convex energy with a frozen normal: a spring that turns into a barrier
//! ([`Link`]), with friction beside it. Newton's method solves it together with the cloth's own forces, so that cloth rests
//! where forces balance, however long the step; pushing cloth about after a free step gives it the velocity `Δx/h`, which
//! stiff fabric answers with kicks. Forbidden directions ([`Filter`](toile_cloth::linear::Filter)) are exact but must be
//! released by hand, and rub on nothing.
//!
//! **Which.** Pairs nearer than the distance they keep when the step begins, with the normal they have then; pairs that
//! would meet if everything went on as it does, with the normal of that moment (a gap along a tilted normal tells nothing);
//! particles near exact obstacles, by the plane that supports the obstacle below where they are, which is on its safe
//! side, as the distance of a convex body is convex; and triangles whose deepest point is not a corner.

use rayon::prelude::*;
use toile_cloth::dynamics::Link;
use toile_contact::{Bodies, NearPair, PlacedObstacles, deepest_point_on_triangle};
use toile_mesh::{DVec3, VertexId};

/// Stiffness of a contact with an exact obstacle per area of the cloth around it [N/m³]: the weight of common cloth presses it by a
/// hundredth of a millimetre.
const STIFFNESS: f64 = 2e5;
/// How many times as stiff as threads a contact with an exact obstacle may get, which acts on its particles nearly alone. Pairs of
/// features of cloth get as stiff as threads, since tens of them act on a particle; those of cloth and mesh obstacles stay as they are: a
/// tight dress on a body does not come to rest otherwise.
const ALONE: f64 = 32.0;
/// Share of the threshold that edges and triangles keep from exact obstacles; particles keep all of it.
const TRIANGLE_SHARE: f64 = 0.5;
/// Particles are linked to exact obstacles up to this many thresholds away, beside what they travel in a step.
const WATCHED: f64 = 1.5;
/// Particles beside held ones are not linked if they had to move farther than this many times as far as their feature.
const MOST_LEVER: f64 = 4.0;
/// Items per task.
const CHUNK: usize = 256;

/// What links are made of.
pub(crate) struct Making<'a> {
    /// All vertices: where the step begins, and where they would be if everything went on.
    pub(crate) bodies: &'a Bodies,
    /// Area of the cloth around each particle [m²].
    pub(crate) area: &'a [f64],
    /// Stiffness of the stiffer threads of each cloth [N/m].
    pub(crate) threads: &'a [f64],
    /// Distance kept from exact obstacles [m].
    pub(crate) threshold: f64,
    /// Pressure of a pair that would be pressed together if it were a spring [Pa]; at the floor of the guard it bears two and a half
    /// times as much.
    pub(crate) pressure: f64,
}

impl Making<'_> {
    /// Links of pairs of features.
    pub(crate) fn of_pairs(&self, pairs: &[NearPair], links: &mut Vec<Link>) {
        let chunks = pairs.par_chunks(CHUNK);
        let found = chunks.map(|pairs| pairs.iter().filter_map(|pair| self.of_pair(pair)).collect::<Vec<_>>());
        links.extend(found.collect::<Vec<_>>().into_iter().flatten());
    }

    fn of_pair(&self, pair: &NearPair) -> Option<Link> {
        if !self.bodies.parts(pair) {
            return None;
        }
        let (x_t0, x_t1) = (&self.bodies.x_t0, &self.bodies.x_t1);
        let touch = pair.touch_in_step(x_t0, x_t1)?;
        let cloth = self.bodies.cloth();
        let mut link = Link {
            vertices: touch.vertices,
            weights: touch.weights,
            normal: touch.normal,
            distance: pair.keep,
            friction: pair.friction,
            ..Link::default()
        };
        let (mut area, mut solid) = (f64::INFINITY, 0.0);
        link.against = f64::INFINITY;
        let (mut held, mut square, mut largest) = (false, 0.0_f64, 0.0_f64);
        for (k, v) in touch.vertices.iter().map(|v| *v as usize).enumerate() {
            if v < cloth {
                area = area.min(self.area[v]);
                link.against = link.against.min(self.threads_at(v));
                let (free, weight) = (self.bodies.inverse_mass[v] > 0.0, touch.weights[k].abs());
                held |= !free && weight > 0.0;
                square += if free { weight * weight } else { 0.0 };
                largest = largest.max(if free { weight } else { 0.0 });
            } else {
                let weight = touch.weights[k];
                link.offset -= touch.normal.dot(x_t1[v]) * weight;
                link.carried += (x_t1[v] - x_t0[v]) * weight;
                solid += weight;
                (link.vertices[k], link.weights[k], link.against) = (0, 0.0, 0.0);
            }
        }
        if held && largest > MOST_LEVER * square {
            // What is held should yield and cannot; the rest of the feature would be thrown.
            return None;
        }
        if solid > 0.0 {
            // The first feature is the obstacle's: seen from the cloth everything is the other way round.
            link.normal = -link.normal;
            link.weights = link.weights.map(|w| -w);
        } else {
            link.carried = -link.carried;
        }
        link.stiffness = self.pressure / pair.keep * area;
        area.is_finite().then_some(link)
    }

    /// Stiffness of the cloth that a particle is of [N/m].
    fn threads_at(&self, i: usize) -> f64 {
        self.threads[self.bodies.body[i] as usize]
    }

    /// How far from exact obstacles links begin, beside what is travelled [m]; `edge` is the longest edge [m].
    pub(crate) fn reach(threshold: f64, edge: f64) -> f64 {
        WATCHED * threshold + edge
    }

    /// Links of particles and triangles with exact obstacles that can be reached, as they are marked.
    pub(crate) fn of_solids(&self, placed: &PlacedObstacles, triangles: &[[VertexId; 3]], links: &mut Vec<Link>) {
        if placed.pieces().is_empty() {
            return;
        }
        let cloth = self.bodies.cloth();
        let particles = (0..cloth).into_par_iter().with_min_len(CHUNK);
        let found = particles.map(|i| self.of_particle(placed, i)).collect::<Vec<_>>();
        links.extend(found.into_iter().flatten());
        let found = triangles.par_chunks(CHUNK).map(|triangles| {
            triangles.iter().flat_map(|triangle| self.of_triangle(placed, *triangle)).collect::<Vec<_>>()
        });
        links.extend(found.collect::<Vec<_>>().into_iter().flatten());
    }

    fn of_particle(&self, placed: &PlacedObstacles, i: usize) -> Vec<Link> {
        let (start, end) = (self.bodies.x_t0[i], self.bodies.x_t1[i]);
        let mut links = Vec::new();
        for piece in placed.near([i]).map(|k| placed.piece_for(k, i)) {
            let rides = piece.carried(start);
            let reach = WATCHED * self.threshold + rides.distance(end);
            if !piece.may_touch(rides, reach) {
                continue;
            }
            let (distance, normal) = piece.distance_and_normal(rides);
            if distance < reach {
                let offset = normal.dot(rides) - distance;
                let stiffness = STIFFNESS * self.area[i];
                links.push(Link {
                    friction: piece.friction.coefficient(),
                    carried: rides - start,
                    against: ALONE * self.threads_at(i),
                    ..Link::to_obstacle(i as u32, normal, offset, self.threshold, stiffness)
                });
            }
        }
        links
    }

    fn of_triangle(&self, placed: &PlacedObstacles, triangle: [VertexId; 3]) -> Vec<Link> {
        let corners = triangle.map(VertexId::index);
        let start = corners.map(|v| self.bodies.x_t0[v]);
        let end = corners.map(|v| self.bodies.x_t1[v]);
        let keep = TRIANGLE_SHARE * self.threshold;
        let mut links = Vec::new();
        for piece in placed.near(corners).map(|k| placed.piece_for(k, corners[0])) {
            let rides = start.map(|p| piece.carried(p));
            let way = (0..3).map(|k| rides[k].distance(end[k])).fold(0.0, f64::max);
            let middle = (rides[0] + rides[1] + rides[2]) / 3.0;
            let radius = rides.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
            let reach = WATCHED * keep + way;
            if !piece.may_touch(middle, reach + radius) {
                continue;
            }
            let (distance, normal) = piece.distance_and_normal(middle);
            if rides.iter().all(|p| distance + normal.dot(*p - middle) > reach) {
                continue;
            }
            let deepest = deepest_point_on_triangle(&piece.shape, rides.map(|p| piece.pose.to_local(p)));
            let [u, v, w] = deepest.weights;
            // A corner is looked after as a particle.
            if deepest.distance < reach && deepest.weights.iter().all(|w| *w < 0.95) {
                let normal = piece.pose.rotation * deepest.normal;
                let point = rides[0] * u + rides[1] * v + rides[2] * w;
                let [a, b, c] = triangle.map(|v| v.0);
                let area = triangle.iter().map(|v| self.area[v.index()]).fold(f64::INFINITY, f64::min);
                links.push(Link {
                    vertices: [a, b, c, a],
                    weights: [u, v, w, 0.0],
                    normal,
                    offset: normal.dot(point) - deepest.distance,
                    distance: keep,
                    stiffness: STIFFNESS * area,
                    against: ALONE * self.threads_at(corners[0]),
                    friction: piece.friction.coefficient(),
                    carried: point - (start[0] * u + start[1] * v + start[2] * w),
                    force: 0.0,
                });
            }
        }
        links
    }
}

/// Where all particles would be at the end of a step of `h` [s] if they went on as they do [m].
pub(crate) fn extrapolate(x: &[DVec3], v: &[DVec3], held: &[DVec3], w: &[f64], h: f64, end: &mut Vec<DVec3>) {
    end.clear();
    let free = x.iter().zip(v).zip(held.iter().zip(w));
    end.extend(free.map(|((x, v), (held, w))| if *w > 0.0 { *x + *v * h } else { *held }));
}
