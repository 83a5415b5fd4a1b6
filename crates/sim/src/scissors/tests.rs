use toile_mesh::generate::{Diagonals, grid, tube};
use toile_mesh::{DQuat, judge};

use super::*;
use crate::prelude::*;
use crate::settings::Integrator;

fn model_of(name: &str) -> Model {
    if name == "fem" { Model::Fem } else { Model::Constraint }
}

/// A sheet that hangs from two corners and swings, slit from below and with a piece cut out in frame 3 if `cut`; and a tube.
fn hanging(model: &str, cut: bool) -> World {
    let mut settings = Settings::default();
    settings.solver.model = model_of(model);
    settings.physics.integrator = Integrator::Bdf2;
    let mut builder = WorldBuilder::new(settings);
    let turn = DQuat::from_rotation_z(10_f64.to_radians()) * DQuat::from_rotation_x(70_f64.to_radians());
    let sheet = grid([0.4, 0.4], [13, 13], Diagonals::Alternating);
    let mesh = sheet.clone().map_positions(|p| turn * p + DVec3::Y);
    let wool = Fabric {
        areal_density: 0.21,
        thickness: 5e-4,
        stretch_warp: 9000.0,
        stretch_weft: 6000.0,
        hysteresis_warp: 1e-6,
        ..Fabric::default()
    };
    let sheet = builder.cloth(Cloth { rest: sheet.positions, ..Cloth::new("sheet", mesh, wool) });
    builder.hold(Hold::new(sheet, vec![0, 1, 2, 12]));
    let tube = tube(0.1, 0.1, [12, 3]).map_positions(|p| p + 3.0 * DVec3::Y);
    builder.cloth(Cloth::new("tube", tube, Fabric::default()));
    let paths: [&[[f64; 2]]; 3] = [
        &[[-0.05, 0.2], [0.03, 0.04]],
        &[[-0.12, -0.12], [0.1, -0.1], [0.02, -0.03], [-0.12, -0.12]],
        &[[-0.184, -0.2], [-0.19, -0.1]],
    ];
    for path in paths.iter().filter(|_| cut) {
        builder.cut(Cut::new(sheet, 0.1, path.iter().map(|p| DVec2::from(*p)).collect()));
    }
    builder.build().unwrap_or_else(|e| panic!("{e}"))
}

/// What each particle was before, by its place at rest.
fn was(before: &World, after: &World) -> Vec<usize> {
    let nearest = |p: &DVec3, range: &std::ops::Range<usize>| {
        let far = |i: &usize| before.model.rest[*i].distance(*p);
        let i = range.clone().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap();
        assert!(far(&i) <= 1.001 * KERF);
        i
    };
    let of_cloth = |k: usize| {
        let range = before.model.cloths[k].clone();
        after.model.rest[after.model.cloths[k].clone()].iter().map(move |p| nearest(p, &range)).collect::<Vec<_>>()
    };
    (0..before.model.cloths.len()).flat_map(of_cloth).collect()
}

#[test]
fn a_cut_keeps_mass_velocity_and_who_is_held() {
    for model in ["constraint", "fem"] {
        let mut world = hanging(model, true);
        for _ in 0..3 {
            world.advance();
        }
        let before = world.clone();
        world.cut();
        assert!(world.model.particle_count() > before.model.particle_count() + 10, "{model}: nothing was cut");
        let was = was(&before, &world);
        let mut mass = vec![0.0; before.model.particle_count()];
        for (i, was) in was.iter().enumerate() {
            mass[*was] += world.model.mass[i];
            assert_eq!(world.state.v[i], before.state.v[*was], "{model}");
            assert_eq!(world.inverse_mass()[i] == 0.0, before.inverse_mass()[*was] == 0.0, "{model}");
            assert!(world.state.x[i].distance(before.state.x[*was]) <= 1.1 * KERF, "{model}");
        }
        for (m, known) in mass.iter().zip(&before.model.mass) {
            assert!((m - known).abs() <= 1e-14 * known, "{model}: {m} instead of {known}");
        }
        let kinetic = |world: &World| world.state.kinetic_energy(&world.model);
        assert!((kinetic(&world) / kinetic(&before) - 1.0).abs() < 1e-12);
        assert!(world.judge().is_clean(), "{model}");
        assert_eq!((world.frame, world.state.history.h), (before.frame, before.state.history.h));
        assert_eq!(world.state.history.x.len(), if before.state.history.x.is_empty() { 0 } else { was.len() });
        // The slit beside the corner goes through a held edge: two copies of its end are held, and apart.
        let held = |world: &World| world.inverse_mass().iter().filter(|w| **w == 0.0).count();
        assert_eq!(held(&world), held(&before) + 1, "{model}");
        // Nothing is stale: a step of the cut world is as clean as one before.
        world.advance();
        assert!(world.judge().is_clean(), "{model}");
    }
}

#[test]
fn a_world_without_cuts_yet_is_the_whole_cloth_with_finer_triangles() {
    let (world, plain) = (hanging("fem", true), hanging("fem", false));
    let mass = |world: &World| world.model.mass.iter().sum::<f64>();
    assert!((mass(&world) / mass(&plain) - 1.0).abs() < 1e-14);
    assert_eq!(world.model.cloths[1].len(), plain.model.cloths[1].len());
    let first = world.model.cloths[1].start;
    assert_eq!(world.model.mass[first..], plain.model.mass[plain.model.cloths[1].start..], "the tube is not touched");
    assert!(judge::self_intersections(&world.cloth_mesh()).is_clean());
    let parts = toile_mesh::Topology::new(&world.cloth_mesh()).part_count;
    assert_eq!(parts, 2);
}

/// Cloth rolled on a cylinder, all bending and no stretch, stores the same before and after: lips are drawn back on the surface.
#[test]
fn a_cut_keeps_the_energy_of_bent_cloth() {
    let mut world = hanging("fem", true);
    world.frame = 3;
    let radius = 0.3;
    for i in world.model.cloths[0].clone() {
        let DVec3 { x, z, .. } = world.model.rest[i];
        world.state.x[i] = DVec3::new(radius * (x / radius).sin(), radius * (x / radius).cos(), z);
    }
    let energies = |world: &World| {
        let mut energies = world.stepper().unwrap().energies().clone();
        [energies.membranes.energy(&world.state.x), energies.bends.energy(&world.state.x)]
    };
    let before = energies(&world);
    world.cut();
    let after = energies(&world);
    for k in 0..2 {
        assert!((after[k] / before[k] - 1.0).abs() < 0.02, "{before:?} {after:?}");
    }
    assert!(world.judge().is_clean());
}

#[test]
fn points_in_space_name_the_nearest_points_of_the_cloth() {
    let cut = |path: &[[f64; 2]], through: &[[f64; 3]]| {
        let mut builder = WorldBuilder::new(Settings::default());
        let sheet = grid([0.4, 0.4], [9, 9], Diagonals::Alternating);
        let upright = DQuat::from_rotation_x(90_f64.to_radians());
        let mesh = sheet.clone().map_positions(|p| upright * p + DVec3::new(0.5, 1.0, 0.0));
        let id = builder.cloth(Cloth { rest: sheet.positions, ..Cloth::new("sheet", mesh, Fabric::default()) });
        let path = path.iter().map(|p| DVec2::from(*p)).collect();
        let through = through.iter().map(|p| DVec3::from(*p)).collect();
        builder.cut(Cut { through, ..Cut::new(id, 0.0, path) });
        builder.build().unwrap_or_else(|e| panic!("{e}")).recorded().into_owned()
    };
    // The sheet stands upright, its z pointing down; one point is before it, one behind.
    let flat = cut(&[[-0.1, 0.03], [0.12, -0.07]], &[]);
    let space = cut(&[], &[[0.4, 0.97, 0.3], [0.62, 1.07, -0.1]]);
    assert_eq!(flat.triangles, space.triangles);
    assert!(flat.model.rest.iter().zip(&space.model.rest).all(|(a, b)| a.distance(*b) < 1e-12));
}
