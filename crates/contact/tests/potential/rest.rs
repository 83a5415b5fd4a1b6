//! Cloth that lies on something comes to rest.

use crate::world::{DISTANCE, Stiff, World};
use toile_cloth::Fabric;
use toile_cloth::dynamics::{Effort, Integrator, PreconditionerKind};
use toile_contact::{Contact, ContactForce, Friction, Stiffness};
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DVec3, TriMesh};

/// Weights of the vertex above the point `p` of the x–z plane on the triangle below it: barycentric coordinates.
pub(crate) fn face_below(mesh: &TriMesh, p: DVec3) -> Option<([u32; 3], [f64; 3])> {
    mesh.faces().find_map(|face| {
        let [a, b, c] = mesh.corners(face);
        let cross = |u: DVec3, v: DVec3| u.x * v.z - u.z * v.x;
        let area = cross(b - a, c - a);
        let (v, w) = (cross(p - a, c - a) / area, cross(b - a, p - a) / area);
        let weights = [1.0 - v - w, v, w];
        weights.iter().all(|w| *w >= -1e-9).then(|| (mesh.triangles[face.index()].map(|i| i.0), weights))
    })
}

/// Contacts of each vertex of the upper sheet, after `first`, to the face of the lower one beneath it.
pub(crate) fn between(lower: &TriMesh, upper: &TriMesh, first: usize, friction: f64, stiffness: f64) -> Vec<Stiff> {
    let contact = |(i, p): (usize, &DVec3)| {
        let ([a, b, c], [u, v, w]) = face_below(lower, *p)?;
        let contact = Contact {
            vertices: [(first + i) as u32, a, b, c],
            weights: [1.0, -u, -v, -w],
            friction: Friction::Coulomb(friction),
            ..Contact::with_plane(0, DVec3::Y, 0.0, DISTANCE)
        };
        Some((contact, Stiffness { first: stiffness, most: 0.0 }))
    };
    upper.positions.iter().enumerate().filter_map(contact).collect()
}

#[test]
fn a_fallen_sheet_lies_still() {
    let mesh = grid([0.3, 0.3], [16, 16], Diagonals::Alternating);
    for integrator in [Integrator::ImplicitEuler, Integrator::Bdf2] {
        // Not implicit midpoint, under which stiff contacts ring. Tilted, so that it lands on an edge and slaps down.
        let place = |_, p: DVec3| DVec3::new(p.x, 0.05 + 0.2 * p.x, p.z);
        let mut world = World::sheets(&[&mesh], &Fabric::default(), PreconditionerKind::Multilevel, place);
        world.integrator = integrator;
        world.settings.most_iterations = 30;
        let contacts = world.plane(0.3);
        let mut unconverged = 0;
        for k in 0..180 {
            let report = world.step(&contacts, 1.0 / 60.0);
            unconverged += u32::from(!report.newton.converged);
            assert!(k < 120 || report.newton.converged, "{integrator:?}: {report:?}");
        }
        assert!(unconverged < 10, "{integrator:?}: {unconverged}");
        let lowest = world.x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.0 && world.center().y < DISTANCE, "{integrator:?}: {lowest} {}", world.center());
        assert!(world.top_speed() < 1e-3, "{integrator:?}: {}", world.top_speed());
        let carried: f64 = world.forces().iter().map(|f| f.normal).sum();
        let weight = 9.81 * world.mass.iter().sum::<f64>();
        assert!((carried / weight - 1.0).abs() < 0.02, "{integrator:?}: {carried} {weight}");
    }
}

#[test]
fn sheets_pressed_on_each_other_share_the_load() {
    let lower = grid([0.3, 0.3], [13, 13], Diagonals::Alternating);
    let upper = grid([0.28, 0.28], [12, 12], Diagonals::Same);
    let place = |k, p: DVec3| p + DVec3::Y * DISTANCE * (0.9 + k as f64);
    let mut world = World::sheets(&[&lower, &upper], &Fabric::default(), PreconditionerKind::Multilevel, place);
    let n = lower.vertex_count();
    world.settings.most_iterations = 30;
    // Ten times its weight presses the upper one down.
    world.force = world.mass.iter().enumerate().map(|(i, m)| DVec3::Y * if i < n { 0.0 } else { -90.0 * m }).collect();
    let mut contacts = world.plane(0.3);
    contacts.truncate(n);
    for (_, stiffness) in &mut contacts {
        stiffness.first *= 10.0;
    }
    contacts.extend(between(&lower, &upper, n, 0.3, world.mass[n + 20] * 1e6));
    for _ in 0..120 {
        let report = world.step(&contacts, 1.0 / 60.0);
        assert!(report.newton.converged, "{report:?}");
    }
    let forces = world.forces();
    let sum = |forces: &[ContactForce]| forces.iter().map(|f| f.normal).sum::<f64>();
    let weight = |mass: &[f64], g: f64| g * mass.iter().sum::<f64>();
    let above = weight(&world.mass[n..], 99.81);
    assert!((sum(&forces[n..]) / above - 1.0).abs() < 0.01, "{} {above}", sum(&forces[n..]));
    let all = above + weight(&world.mass[..n], 9.81);
    assert!((sum(&forces[..n]) / all - 1.0).abs() < 0.01, "{} {all}", sum(&forces[..n]));
    assert!(forces.iter().all(|f| f.gap > 0.0), "something is through");
    assert!(world.top_speed() < 1e-3, "{}", world.top_speed());
}

/// Where a particle of a gram ends after a step that it begins at `height` [m], pressed down by `load` [N], and the forces of its
/// contacts [N], which are made of one that bears 25 times its weight.
fn pressed(height: f64, load: f64, contacts: impl Fn(Stiff) -> Vec<Stiff>) -> (f64, Vec<f64>) {
    let mut world = World::particle(DVec3::Y * height);
    world.stepper.set_effort(Effort::Bounded);
    world.settings.most_iterations = 2;
    world.force = vec![DVec3::NEG_Y * load];
    let _ = world.step(&contacts(world.plane(0.0)[0]), 1.0 / 120.0);
    (world.x[0].y, world.forces().iter().map(|f| f.normal).collect())
}

#[test]
fn a_contact_bears_what_it_has_to_as_far_as_it_may_get_stiffer() {
    let (height, load) = (0.5 * DISTANCE, 200.0 * 9.81e-3);
    let (sunk, _) = pressed(height, load, |contact| vec![contact]);
    assert!(sunk < -DISTANCE, "{sunk}");
    let (borne, forces) =
        pressed(height, load, |(contact, stiffness)| vec![(contact, Stiffness { most: 1e4, ..stiffness })]);
    // Eight iterations end before forces balance to the last.
    assert!(borne > 0.0 && (0.9..1.5).contains(&(forces[0] / load)), "{borne} {forces:?}");
}

#[test]
fn obstacles_that_leave_no_room_do_not_get_stiffer() {
    let ceiling = |contact: Contact| Contact { normal: DVec3::NEG_Y, offset: -0.05 * DISTANCE, ..contact };
    let bound = 25.0 * 9.81e-3 * (1.0 + 1e-9);
    let (_, forces) = pressed(0.02 * DISTANCE, 0.0, |(contact, stiffness)| {
        let stiffness = Stiffness { most: 1e4, ..stiffness };
        vec![(contact, stiffness), (ceiling(contact), stiffness)]
    });
    assert!(forces.len() == 2 && forces.iter().all(|force| *force <= bound), "{forces:?}");
}
