//! Forces of contacts against the weight that they bear.

use std::collections::BTreeSet;

use toile::Touched;
use toile::prelude::*;
use toile::settings::Response;
use toile_contact::{Friction, Motion, Obstacle, Pose, Shape};
use toile_mesh::DVec3;

use crate::{block, fem, sheet};

/// A sheet put down on a plane or on a block of triangles, after two seconds.
fn at_rest(settings: Settings, is_mesh: bool) -> World {
    let mut builder = WorldBuilder::new(settings);
    builder.cloth(sheet(7, 0.004));
    if is_mesh {
        builder.mesh_obstacle(block(0.3));
    } else {
        let at = Motion::at_rest(Pose::IDENTITY);
        builder.obstacle(Obstacle::new("floor", Shape::Plane, at, Friction::Coulomb(0.3)));
    }
    let mut world = builder.build().unwrap();
    for _ in 0..60 {
        world.advance();
    }
    world
}

/// Force of all contacts on all cloth [N].
fn total(world: &World) -> DVec3 {
    let force = |contact: &toile::WorldContact| contact.normal * contact.force.unwrap_or(0.0);
    world.contacts().iter().filter(|contact| !matches!(contact.touched, Touched::Cloth(_))).map(force).sum()
}

fn weight(world: &World) -> f64 {
    9.81 * world.model().mass.iter().sum::<f64>()
}

#[test]
fn forces_under_a_sheet_at_rest_bear_its_weight() {
    for is_mesh in [false, true] {
        let world = at_rest(fem(), is_mesh);
        let (force, weight) = (total(&world), weight(&world));
        assert!((force.y / weight - 1.0).abs() < 0.03, "mesh {is_mesh}: {force} N bear {weight} N");
        assert!(DVec3::new(force.x, 0.0, force.z).length() < 0.01 * weight, "mesh {is_mesh}: {force}");
        for contact in world.contacts() {
            assert!(contact.force.is_some_and(|force| force >= 0.0), "{contact:?}");
            let weights: f64 = contact.weights.iter().sum();
            assert!((weights - 1.0).abs() < 1e-9 && contact.normal.y > 0.99, "{contact:?}");
            assert!(contact.gap > 0.0 && contact.gap < 1.1 * contact.keep, "{contact:?}");
        }
    }
}

/// On a slope without sliding, normal forces bear the part of the weight across it; friction, which is not listed, bears the rest.
#[test]
fn forces_on_a_slope_bear_the_weight_across_it() {
    let slope = 0.2_f64;
    let mut builder = WorldBuilder::new(fem());
    builder.cloth(sheet(7, 0.03));
    let turned = Pose { rotation: DQuat::from_rotation_z(slope), ..Pose::IDENTITY };
    builder.obstacle(Obstacle::new("slope", Shape::Plane, Motion::at_rest(turned), Friction::Coulomb(1.0)));
    let mut world = builder.build().unwrap();
    for _ in 0..90 {
        world.advance();
    }
    let across = turned.rotation * DVec3::Y;
    let (force, weight) = (total(&world).dot(across), weight(&world));
    assert!((force / (weight * slope.cos()) - 1.0).abs() < 0.03, "{force} N of {weight} N");
}

#[test]
fn each_contact_with_an_exact_shape_is_listed_once() {
    let contacts = at_rest(fem(), false).contacts();
    let known: BTreeSet<_> = contacts.iter().map(|c| (c.vertices, c.weights.map(f64::to_bits))).collect();
    // Every vertex lies on the floor.
    assert!(known.len() >= 49 && known.len() == contacts.len(), "{} of {}", known.len(), contacts.len());
}

#[test]
fn other_responses_models_and_integrators_have_no_forces() {
    let mut explicit = fem();
    explicit.physics.integrator = toile_cloth::dynamics::Integrator::SymplecticEuler;
    let mut impulse = fem();
    impulse.contact.response = Response::Impulse;
    for settings in [Settings::default(), explicit, impulse] {
        let mut builder = WorldBuilder::new(settings);
        builder.cloth(sheet(4, 0.003));
        builder.mesh_obstacle(block(0.3));
        let mut world = builder.build().unwrap();
        for _ in 0..3 {
            world.advance();
        }
        let contacts = world.contacts();
        assert!(!contacts.is_empty() && contacts.iter().all(|contact| contact.force.is_none()));
    }
}

#[test]
fn a_restored_world_has_no_forces_until_it_moves() {
    let mut world = at_rest(fem(), false);
    let saved = world.save();
    world.restore(&saved).unwrap();
    let contacts = world.contacts();
    assert!(!contacts.is_empty() && contacts.iter().all(|contact| contact.force.is_none()));
}
