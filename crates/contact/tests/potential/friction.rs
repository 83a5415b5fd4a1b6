//! Coulomb's law on planes: when things stick, how they slide, how far they go.

use crate::world::{DISTANCE, TIGHT, World};
use toile_cloth::Fabric;
use toile_cloth::dynamics::{Integrator, PreconditionerKind};
use toile_mesh::DVec3;
use toile_mesh::generate::{Diagonals, grid};

const G: f64 = 9.81;

/// Gravity as seen from a plane of slope 1/2 whose downhill direction is x.
fn downhill() -> DVec3 {
    let angle = 0.5_f64.atan();
    DVec3::new(G * angle.sin(), -G * angle.cos(), 0.0)
}

fn particle_on_slope(integrator: Integrator) -> World {
    // Where the plane carries it: contacts are made for 9.81 m/s² straight down.
    let mut world = World::particle(DVec3::Y * DISTANCE * (1.0 - 0.1 * downhill().y.abs() / G));
    world.gravity = downhill();
    world.integrator = integrator;
    world.settings = TIGHT;
    world
}

const IMPLICIT: [Integrator; 3] = [Integrator::ImplicitEuler, Integrator::ImplicitMidpoint, Integrator::Bdf2];

#[test]
fn a_particle_slides_down_a_slope_only_if_friction_is_below_its_tangent() {
    for integrator in IMPLICIT {
        for h in [0.025, 1.0 / 60.0_f64] {
            let steps = (2.5 / h).round() as u32;
            for mu in [0.5, 0.49] {
                let mut world = particle_on_slope(integrator);
                let contacts = world.plane(mu);
                for _ in 0..steps {
                    let report = world.step(&contacts, h);
                    assert!(report.newton.converged, "{integrator:?} {h} {mu}: {report:?}");
                }
                let slid = world.x[0].x;
                if mu == 0.5 {
                    // Exactly critical: creeps at most as fast as what is smoothed.
                    assert!(slid < 1e-4, "{integrator:?} {h}: {slid}");
                } else {
                    let acceleration = world.v[0].x / 2.5;
                    let exact = downhill().x + mu * downhill().y;
                    assert!((exact - 0.0877).abs() < 1e-4);
                    assert!((acceleration / exact - 1.0).abs() < 0.02, "{integrator:?} {h}: {acceleration} {exact}");
                    assert!((slid / (0.5 * exact * 2.5 * 2.5) - 1.0).abs() < 0.03, "{integrator:?} {h}: {slid}");
                }
            }
        }
    }
}

#[test]
fn a_sliding_particle_stops_where_its_energy_is_spent() {
    for integrator in IMPLICIT {
        let mut world = World::particle(DVec3::Y * 0.9 * DISTANCE);
        (world.v[0], world.integrator, world.settings) = (DVec3::X, integrator, TIGHT);
        let contacts = world.plane(0.3);
        for _ in 0..400 {
            let report = world.step(&contacts, 1e-3);
            assert!(report.newton.converged, "{integrator:?}: {report:?}");
        }
        let (way, speed) = (world.x[0].x, world.v[0].length());
        assert!((way / (1.0 / (2.0 * 0.3 * G)) - 1.0).abs() < 0.02 && speed < 1e-5, "{integrator:?}: {way} {speed}");
    }
}

#[test]
fn a_sheet_on_a_slope_creeps_less_than_promised() {
    let mesh = grid([0.2, 0.2], [9, 9], Diagonals::Alternating);
    let place = |_, p| p + DVec3::Y * 0.9 * DISTANCE;
    let mut world = World::sheets(&[&mesh], &Fabric::default(), PreconditionerKind::Multilevel, place);
    world.gravity = downhill();
    let contacts = world.plane(0.6);
    for _ in 0..30 {
        let _ = world.step(&contacts, 1.0 / 60.0);
    }
    let start = world.x.clone();
    let mut reports = (0, 0);
    for _ in 0..570 {
        let report = world.step(&contacts, 1.0 / 60.0);
        assert!(report.newton.converged, "{report:?}");
        reports.0 += report.newton.iterations;
        reports.1 += report.newton.linear_iterations;
    }
    let crept = world.x.iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(crept < 2e-4, "{crept} {reports:?}");
}

#[test]
fn an_obstacle_carries_what_sticks_to_it_and_leaves_the_rest_behind() {
    // A floor that speeds up to 1 m/s within a second, or at once.
    for (acceleration, sticks) in [(1.0, true), (5.0, false)] {
        let h = 1.0 / 100.0;
        let mut world = World::particle(DVec3::Y * 0.9 * DISTANCE);
        world.settings = TIGHT;
        let mut contacts = world.plane(0.3);
        let mut floor = 0.0;
        for k in 0..40 {
            let to = 0.5 * acceleration * (f64::from(k + 1) * h).powi(2);
            contacts[0].0.carried = DVec3::X * (to - floor);
            floor = to;
            let report = world.step(&contacts, h);
            assert!(report.newton.converged, "{report:?}");
        }
        let way = world.x[0].x;
        let expected = 0.5 * f64::min(acceleration, 0.3 * G) * 0.16;
        assert!((way / expected - 1.0).abs() < 0.05, "{way} {expected}");
        assert_eq!(floor - way < 1e-3 * floor, sticks, "{way} of {floor}");
    }
}

#[test]
fn a_rising_floor_lifts() {
    // One metre per second upwards.
    let h = 1.0 / 60.0;
    let mut world = World::particle(DVec3::Y * 0.9 * DISTANCE);
    world.settings = TIGHT;
    let mut contacts = world.plane(0.3);
    for k in 1..=30 {
        contacts[0].0.carried = DVec3::Y * h;
        contacts[0].0.offset = f64::from(k) * h;
        let report = world.step(&contacts, h);
        assert!(report.is_solved, "{report:?}");
    }
    let gap = world.x[0].y - 0.5;
    assert!(gap > 0.0 && gap < 0.05, "{gap}");
}
