//! Particles against obstacles.
//!
//! A particle nearer to a surface than the threshold `t` is set back along the normal `n`, and its tangential movement
//! is held back (Fuhrmann 2003, eq. 18–21), with `φ` the signed distance at the end of the step:
//! ```text
//! r_n = n (t − φ)      d_t = d − n (d·n)      r_t = −c_f d_t  (or Coulomb)      x += r_n + r_t
//! ```
//! Where we leave the paper: `d` is the movement relative to the surface, which carries what rests on it, so
//! obstacles may move and turn; the paper's `d` is the movement in the world.
//!
//! Moving along a subgradient of a convex distance raises it by at least the length moved; moving on by `r_t`, in the
//! tangent plane, cannot lower it below `t` for the same reason. So one correction suffices for one piece. Where a
//! particle touches several pieces, later passes lift it without friction until it is clear of all. Where two pieces face
//! each other and leave less room than `2 t`, it keeps half of the room from both.

use rayon::prelude::*;
use toile_mesh::DVec3;

use super::placed::Corners;
use super::{PlacedObstacles, PlacedPiece};
use crate::Contact;

/// Passes over all pieces for a particle in contact: two pieces at a right angle need one, acute corners more.
const PASSES: usize = 4;

/// What [`resolve_particles`] did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ParticleReport {
    /// Pairs of particle and piece that were nearer than the threshold.
    pub contacts: usize,
    /// How far the worst of them was short of the threshold before the correction [m]; 0 without contacts.
    pub deepest: f64,
}

impl ParticleReport {
    /// Integer sum and maximum do not depend on the order, so neither does the report.
    fn join(self, other: Self) -> Self {
        Self { contacts: self.contacts + other.contacts, deepest: self.deepest.max(other.deepest) }
    }
}

/// The contact of particle `i`, moving from `x_t0` to `x` [m], with one piece, from which it keeps `keep` [m]; `None` if it does.
///
/// ```
/// use toile_contact::{Friction, Motion, Obstacle, PlacedObstacles, Pose, Shape, particle_contact};
/// use toile_mesh::DVec3;
/// let floor = Obstacle::new("floor", Shape::Plane, Motion::at_rest(Pose::IDENTITY), Friction::Scaled(0.75));
/// let mut placed = PlacedObstacles::default();
/// placed.place(&[floor], 0.0, 0.01);
/// let (from, to) = (DVec3::new(0.0, 0.5, 0.0), DVec3::new(1.0, -0.5, 0.0));
/// let contact = particle_contact(&placed.pieces()[0], 0, from, to, 0.125).unwrap();
/// assert_eq!(contact.keep - contact.gap, 0.625);
/// assert_eq!(to + contact.correction(from, to, 0.625), DVec3::new(0.25, 0.125, 0.0));
/// ```
#[inline]
pub fn particle_contact(piece: &PlacedPiece, i: u32, x_t0: DVec3, x: DVec3, keep: f64) -> Option<Contact> {
    let (depth, normal) = shortfall(piece, x, keep)?;
    Some(Contact { keep, ..piece.contact(Corners::particle(i), normal, keep - depth, x_t0, x) })
}

/// Lifts all particles off all obstacles; `x` [m] are the positions at the end of the step, `x_t0` [m] those at its
/// beginning. Particles with inverse mass 0 are held: they count as contacts but do not move.
///
/// The slices have equal length (surplus entries of the longer ones are ignored). Particles that are not finite are
/// left alone.
pub fn resolve_particles(
    placed: &PlacedObstacles,
    x_t0: &[DVec3],
    x: &mut [DVec3],
    inverse_masses: &[f64],
    threshold: f64,
) -> ParticleReport {
    x.par_chunks_mut(crate::CHUNK)
        .zip(x_t0.par_chunks(crate::CHUNK))
        .zip(inverse_masses.par_chunks(crate::CHUNK))
        .enumerate()
        .map(|(chunk, ((x, x_t0), inverse_masses))| {
            let mut report = ParticleReport::default();
            for (i, ((x, &x_t0), &inverse_mass)) in x.iter_mut().zip(x_t0).zip(inverse_masses).enumerate() {
                let (position, one) = resolve_against_near(placed, chunk * crate::CHUNK + i, x_t0, *x, threshold);
                report = report.join(one);
                if inverse_mass > 0.0 {
                    *x = position;
                }
            }
            report
        })
        .reduce(ParticleReport::default, ParticleReport::join)
}

fn resolve_against_near(
    placed: &PlacedObstacles,
    particle: usize,
    x_t0: DVec3,
    x: DVec3,
    threshold: f64,
) -> (DVec3, ParticleReport) {
    let mut report = ParticleReport::default();
    let mut position = x;
    if placed.is_far_from_all(particle) {
        return (position, report);
    }
    let alone = placed.near([particle]).nth(1).is_none();
    let room = if alone { f64::INFINITY } else { half_the_room(placed, particle, x, threshold) };
    for k in placed.near([particle]) {
        let threshold = room.min(placed.share_for(k, particle) * threshold);
        if let Some((depth, normal)) = shortfall(&placed.pieces()[k], position, threshold) {
            // Friction is asked for in contact only.
            let piece = placed.piece_for(k, particle);
            let gap = threshold - depth;
            let contact = piece.contact(Corners::particle(particle as u32), normal, gap, x_t0, position);
            position += contact.correction(x_t0, position, depth);
            report = report.join(ParticleReport { contacts: 1, deepest: depth });
        }
    }
    // What was lifted off one piece may have got into another one that came before.
    for _ in 1..PASSES {
        let before = position;
        if report.contacts > 0 && !alone {
            for k in placed.near([particle]) {
                let threshold = room.min(placed.share_for(k, particle) * threshold);
                if let Some((depth, normal)) = shortfall(&placed.pieces()[k], position, threshold) {
                    position += normal * depth;
                }
            }
        }
        if position == before {
            break;
        }
    }
    (position, report)
}

/// Half the room at `x` between two pieces that face each other there, both nearer than `threshold` [m]; infinite if no two
/// do, or they overlap. A particle that kept more from one would be pushed into the other, and by that one out at its rim.
fn half_the_room(placed: &PlacedObstacles, particle: usize, x: DVec3, threshold: f64) -> f64 {
    let pieces = placed.near([particle]).map(|k| &placed.pieces()[k]);
    let near: Vec<(f64, DVec3)> = pieces.filter_map(|piece| shortfall(piece, x, threshold)).collect();
    let mut room = f64::INFINITY;
    for (i, (a, n)) in near.iter().enumerate() {
        for (b, m) in &near[i + 1..] {
            let half = threshold - 0.5 * (a + b);
            if half > 0.0 && placed.face_each_other(*n, *m) {
                room = room.min(half);
            }
        }
    }
    room
}

/// How far a point is short of the threshold, and the normal there; `None` if it is not.
#[inline]
fn shortfall(piece: &PlacedPiece, x: DVec3, threshold: f64) -> Option<(f64, DVec3)> {
    if !x.is_finite() || !piece.may_touch(x, threshold) {
        return None;
    }
    let (distance, normal) = piece.distance_and_normal(x);
    (distance < threshold).then_some((threshold - distance, normal))
}
