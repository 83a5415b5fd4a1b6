//! Contacts of particles and triangles with exact shapes in a step.
//!
//! The shape is taken for the plane that supports it below where the feature is, carried along with the shape. That is on the safe side,
//! as the distance of a convex body is convex: no point of the body lies beyond the plane.

use rayon::prelude::*;
use toile_mesh::{DVec3, VertexId};

use crate::obstacle::Corners;
use crate::{Contact, ContactTuning, PlacedObstacles, Step, deepest_point_on_triangle};

/// A triangle whose deepest point has at least this weight at a corner is left to the contact of that particle.
const AT_CORNER: f64 = 0.95;

/// How far from exact shapes contacts begin, beside what is travelled [m]; `edge` is the longest edge [m].
pub fn reach_of_shapes(keep: f64, edge: f64, tuning: &ContactTuning) -> f64 {
    tuning.listed * keep + edge
}

/// Appends the contacts of particles and triangles with the exact shapes that they can reach, as they are marked. Particles keep `keep`
/// [m].
pub fn contacts_of_shapes(
    placed: &PlacedObstacles,
    triangles: &[[VertexId; 3]],
    step: &Step,
    keep: f64,
    contacts: &mut Vec<Contact>,
) {
    if placed.pieces().is_empty() {
        return;
    }
    let cloth = step.cloth();
    let found = (0..cloth.div_ceil(crate::CHUNK)).into_par_iter().map(|chunk| {
        let mut contacts = Vec::new();
        for i in chunk * crate::CHUNK..cloth.min((chunk + 1) * crate::CHUNK) {
            of_particle(placed, i, step, keep, &mut contacts);
        }
        contacts
    });
    contacts.extend(found.collect::<Vec<_>>().into_iter().flatten());
    let found = triangles.par_chunks(crate::CHUNK).map(|triangles| {
        let mut contacts = Vec::new();
        for triangle in triangles {
            of_triangle(placed, *triangle, step, keep, &mut contacts);
        }
        contacts
    });
    contacts.extend(found.collect::<Vec<_>>().into_iter().flatten());
}

fn of_particle(placed: &PlacedObstacles, i: usize, step: &Step, keep: f64, contacts: &mut Vec<Contact>) {
    let tuning = step.tuning();
    let (start, end) = (step.x_t0[i], step.x_t1[i]);
    for piece in placed.near([i]).map(|k| placed.piece_for(k, i)) {
        let rides = piece.carried(start);
        let reach = tuning.listed * keep + rides.distance(end);
        if !piece.may_touch(rides, reach) {
            continue;
        }
        let (gap, normal) = piece.distance_and_normal(rides);
        if gap < reach {
            let contact = piece.contact(Corners::particle(i as u32), normal, gap, start, rides);
            contacts.push(Contact { keep, bed: tuning.bed, hardening: tuning.hardening, ..contact });
        }
    }
}

fn of_triangle(placed: &PlacedObstacles, triangle: [VertexId; 3], step: &Step, keep: f64, contacts: &mut Vec<Contact>) {
    let tuning = step.tuning();
    let corners = triangle.map(VertexId::index);
    let start = corners.map(|v| step.x_t0[v]);
    let end = corners.map(|v| step.x_t1[v]);
    let keep = tuning.triangle_share * keep;
    for piece in placed.near(corners).map(|k| placed.piece_for(k, corners[0])) {
        let rides = start.map(|p| piece.carried(p));
        let travel = (0..3).map(|k| rides[k].distance(end[k])).fold(0.0, f64::max);
        let middle = (rides[0] + rides[1] + rides[2]) / 3.0;
        let radius = rides.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
        let reach = tuning.listed * keep + travel;
        if !piece.may_touch(middle, reach + radius) {
            continue;
        }
        let (distance, normal) = piece.distance_and_normal(middle);
        if rides.iter().all(|p| distance + normal.dot(*p - middle) > reach) {
            continue;
        }
        let deepest = deepest_point_on_triangle(&piece.shape, rides.map(|p| piece.pose.to_local(p)));
        if deepest.distance >= reach || deepest.weights.iter().any(|w| *w >= AT_CORNER) {
            continue;
        }
        let [u, v, w] = deepest.weights;
        let normal = piece.pose.rotation * deepest.normal;
        let at = |x: [DVec3; 3]| x[0] * u + x[1] * v + x[2] * w;
        let corners = Corners::triangle(triangle.map(|v| v.0), deepest.weights);
        let contact = piece.contact(corners, normal, deepest.distance, at(start), at(rides));
        contacts.push(Contact { keep, bed: tuning.bed, hardening: tuning.hardening, ..contact });
    }
}
