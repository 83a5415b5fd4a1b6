//! Contacts of near particles in a step.
//!
//! Particles that keep the distance `D` of a [`Separation`] cannot let cloth through; see `response/particles.rs`. As contacts they must not
//! come much nearer than that. So the contact is a layer of the thickness `e = D/4` around that distance, with the gap
//! ```text
//! s = |x_i − x_j| − (D − e)      along the normal n at the moment when they are D apart, or at the start of the step if they are nearer
//! ```
//! Its spring begins to act at `s = e`, where particles are `D` apart, and it counts as overrun below the floor of `e`.

use rayon::prelude::*;
use toile_mesh::DVec3;

use crate::{Contact, Friction, Separation, Step};

/// Thickness of the layer as a share of the distance that particles keep.
const LAYER: f64 = 0.25;

/// Appends the contacts of near particles.
pub fn contacts_of_particles(separation: &Separation, step: &Step, contacts: &mut Vec<Contact>) {
    let found = separation.pairs().par_chunks(crate::CHUNK).map(|pairs| {
        let mut contacts = Vec::with_capacity(pairs.len());
        for ([i, j], distance) in pairs {
            contacts.extend(contact([*i, *j], *distance, step));
        }
        contacts
    });
    contacts.extend(found.collect::<Vec<_>>().into_iter().flatten());
}

/// The contact of two particles; `None` if they are at the same place, where no direction leads apart.
fn contact([i, j]: [u32; 2], distance: f64, step: &Step) -> Option<Contact> {
    let (a, b) = (i as usize, j as usize);
    let (start, end) = (step.x_t0[a] - step.x_t0[b], step.x_t1[a] - step.x_t1[b]);
    let seen = start.lerp(end, time_of_meeting(start, end, distance));
    let normal = seen.try_normalize()?;
    let body = &step.participants.body;
    let layer = LAYER * distance;
    Some(Contact {
        vertices: [i, j, j, j],
        weights: [1.0, -1.0, 0.0, 0.0],
        normal,
        gap: seen.length() - (distance - layer),
        offset: distance - layer,
        keep: layer,
        friction: Friction::Coulomb(step.participants.materials.friction(body[a], body[b])),
        carried: DVec3::ZERO,
        obstacle: None,
        bed: 0.0,
        // As between cloths: tens of contacts act on a particle.
        hardening: 1.0,
    })
}

/// Share of the way from `start` to `end` after which a vector is as short as `distance` [m]; 0 if it is shorter at the start or never
/// gets there.
fn time_of_meeting(start: DVec3, end: DVec3, distance: f64) -> f64 {
    let way = end - start;
    // |start + t way|² = distance²
    let (square, half) = (way.length_squared(), start.dot(way));
    let excess = start.length_squared() - distance * distance;
    let root = half * half - square * excess;
    if excess <= 0.0 || half >= 0.0 || root < 0.0 {
        return 0.0;
    }
    // The form without cancellation; `half` is negative here.
    let time = excess / (root.sqrt() - half);
    if time <= 1.0 { time } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Extent, Materials, Participants};

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from)
    }

    proptest! {
        /// Compared with many small steps along the way.
        #[test]
        fn the_time_of_meeting_is_the_first_one(start in point(), end in point(), distance in 0.01..1.0_f64) {
            let time = time_of_meeting(start, end, distance);
            let apart = |t: f64| start.lerp(end, t).length();
            let first = (0..=4000).map(|k| f64::from(k) / 4000.0).find(|t| apart(*t) <= distance);
            match first {
                Some(first) if start.length() > distance => {
                    prop_assert!(time <= first && first - time < 3e-4, "{time} instead of {first}");
                    prop_assert!((apart(time) - distance).abs() < 1e-9);
                }
                // Between the samples it may meet for a moment.
                Some(_) => prop_assert_eq!(time, 0.0),
                None => prop_assert!(time == 0.0 || (apart(time) - distance).abs() < 1e-9),
            }
        }
    }

    #[test]
    fn the_gap_tells_how_far_particles_are_within_their_layer() {
        let x = [DVec3::ZERO, DVec3::new(0.0, 0.9, 0.0)];
        let materials = Materials::new(2, |_, _| (0.003, 0.3));
        let mut step = Step::new(Participants::new(&x, &[0, 1], &[], materials));
        step.begin(&x, &[DVec3::ZERO; 2], &[1.0; 2]);
        let mut separation = Separation::new(vec![Extent::for_distance(1.0); 2], &x, vec![0, 1]);
        separation.set_candidates(&[[0, 1]], &x);
        let mut contacts = Vec::new();
        contacts_of_particles(&separation, &step, &mut contacts);
        assert_eq!(contacts.len(), 1);
        let contact = contacts[0];
        assert!(contact.normal.distance(-DVec3::Y) < 1e-12);
        // 0.9 of the distance 1 is 0.15 into a layer of 0.25.
        assert!((contact.gap - 0.15).abs() < 1e-12 && (contact.gap_at(&x) - 0.15).abs() < 1e-12);
        assert!((contact.keep - 0.25).abs() < 1e-12);
        assert_eq!(contact.friction, Friction::Coulomb(0.3));
    }
}
