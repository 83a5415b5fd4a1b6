//! A strip pressed on a plane, and one drawn over a cylinder.

use std::f64::consts::PI;

use crate::world::{Stiff, World};
use toile_cloth::Fabric;
use toile_cloth::dynamics::{Integrator, NewtonSettings, PreconditionerKind};
use toile_contact::{Contact, Friction, Stiffness};
use toile_mesh::DVec3;
use toile_mesh::generate::{Diagonals, grid};

/// Presses a weightless strip of length 1, clamped upright at its top, down by `eps` on a plane; returns how far its tip moved
/// sideways while it was held there for three seconds, with friction `mu`, and how far in the last of them.
fn pressed(eps: f64, mu: f64) -> [f64; 2] {
    let segments = 32;
    // Rows at −1½ and −½ cells and at ½ cell make a clamp at 0.
    let cell = 1.0 / (segments as f64 + 0.5);
    let length = 1.0 + 1.5 * cell;
    let mesh = grid([length, cell], [segments + 3, 2], Diagonals::Alternating);
    let bend = 1e-3;
    let fabric = Fabric {
        areal_density: 0.1,
        stretch_warp: 2e3,
        stretch_weft: 2e3,
        shear: 1e3,
        bend_warp: bend,
        bend_weft: bend,
        bend_twist: bend,
        damping_bend: 0.05,
        ..Fabric::default()
    };
    let along = |p: DVec3| p.x + 0.5 * length - 1.5 * cell;
    // Slightly bowed, its tip below the clamp.
    let bow = |s: f64| 1e-3 * (PI * s.clamp(0.0, 1.0)).sin();
    let place = |_, p: DVec3| DVec3::new(bow(along(p)), 1.0 - along(p), p.z);
    let mut world = World::sheets(&[&mesh], &fabric, PreconditionerKind::Multilevel, place);
    world.gravity = DVec3::ZERO;
    world.settings = NewtonSettings {
        tolerance: 1e-3,
        most_iterations: 200,
        linear_tolerance: 0.03,
        most_linear_iterations: 500,
        ..NewtonSettings::DEFAULT
    };
    let tips: Vec<usize> = (0..mesh.vertex_count()).filter(|i| mesh.positions[*i].x > 0.5 * length - 1e-9).collect();
    for (i, p) in mesh.positions.iter().enumerate() {
        if along(*p) < 0.6 * cell {
            world.inverse[i] = 0.0;
        }
    }
    let (top, distance) = (world.x.clone(), 1e-3);
    // Lowered while the tip is held below the clamp, on a hinge; then the plane takes over.
    for i in &tips {
        world.inverse[*i] = 0.0;
    }
    let (lowering, waiting, holding, h) = (150, 100, 150, 0.02);
    let (mut start, mut late) = (0.0, 0.0);
    for k in 0..lowering + waiting + holding {
        let share = f64::from((k + 1).min(lowering)) / f64::from(lowering);
        for (held, top) in world.held.iter_mut().zip(&top) {
            *held = *top - DVec3::Y * eps * share;
        }
        for i in &tips {
            world.held[*i] = top[*i];
            if k == lowering + waiting {
                world.inverse[*i] = 1.0 / world.mass[*i];
            }
        }
        // The load of the two tips is some 21.7 B times the width: the plane bears it where they are.
        let stiffness = 0.5 * 21.7 * bend * cell / (0.3 * distance);
        let contact = |i: &usize| {
            let plane = Contact::with_plane(*i as u32, DVec3::Y, -0.7 * distance, distance);
            (Contact { friction: Friction::Coulomb(mu), ..plane }, Stiffness { first: stiffness, most: 0.0 })
        };
        let contacts: Vec<Stiff> = tips.iter().map(contact).collect();
        let report = world.step(&contacts, h);
        assert!(report.newton.residual < 0.1, "ε {eps} μ {mu} step {k}: {report:?}");
        if k + 1 == lowering + waiting {
            start = world.x[tips[0]].x;
        }
        if k + 50 == lowering + waiting + holding {
            late = world.x[tips[0]].x;
        }
    }
    [start, late].map(|from| (world.x[tips[0]].x - from).abs())
}

/// Critical friction of the elastica (validation of strips, ν = 0).
const CRITICAL: [(f64, f64); 2] = [(0.1, 0.152_79), (0.3, 0.326_49)];

#[test]
fn a_pressed_strip_slips_only_below_its_critical_friction() {
    for (eps, critical) in CRITICAL {
        let [slid, _] = pressed(eps, 0.9 * critical);
        assert!(slid > 0.02, "ε {eps}: slid {slid}");
        // It is shaken when the plane takes over, and then creeps.
        let [shifted, crept] = pressed(eps, 1.1 * critical);
        assert!(shifted < 5e-3 && crept < 1e-5, "ε {eps}: {shifted}, at last {crept}");
    }
}

/// A belt over half a cylinder, `pull` on one end against `hold` on the other [N]; speed at which it moves towards the pull [m/s].
fn belt(pull: f64, hold: f64) -> f64 {
    let (radius, friction, distance) = (0.1, 0.3, 1e-3);
    let (wrapped, free) = (PI * radius, 0.1);
    let length = wrapped + 2.0 * free;
    let mesh = grid([length, 0.02], [52, 2], Diagonals::Alternating);
    let fabric = Fabric {
        areal_density: 1.5,
        stretch_warp: 2e4,
        stretch_weft: 2e4,
        shear: 2e3,
        bend_warp: 1e-7,
        bend_weft: 1e-7,
        bend_twist: 1e-7,
        ..Fabric::default()
    };
    let touching = radius + 0.8 * distance;
    let place = |_, p: DVec3| {
        let s = p.x;
        if s.abs() <= 0.5 * wrapped {
            let angle = s / radius;
            DVec3::new(touching * angle.sin(), touching * angle.cos(), p.z)
        } else {
            DVec3::new(touching * s.signum(), 0.5 * wrapped - s.abs(), p.z)
        }
    };
    let mut world = World::sheets(&[&mesh], &fabric, PreconditionerKind::Multilevel, place);
    world.gravity = DVec3::ZERO;
    world.integrator = Integrator::ImplicitEuler;
    world.settings = NewtonSettings {
        tolerance: 1.0,
        most_iterations: 60,
        linear_tolerance: 0.01,
        most_linear_iterations: 1000,
        ..NewtonSettings::DEFAULT
    };
    let end = 0.5 * length - 1e-9;
    world.force = mesh
        .positions
        .iter()
        .map(|p| {
            if p.x > end {
                DVec3::Y * (-0.5 * pull)
            } else if p.x < -end {
                DVec3::Y * (-0.5 * hold)
            } else {
                DVec3::ZERO
            }
        })
        .collect();
    let h = 1.0 / 200.0;
    let mut way = 0.0;
    for k in 0..80 {
        let contacts: Vec<Stiff> = (0..world.x.len())
            .map(|i| {
                let from_axis = DVec3::new(world.x[i].x, world.x[i].y, 0.0);
                let normal = from_axis.normalize_or(DVec3::Y);
                // Below the axis the belt hangs free.
                let stiffness = if world.x[i].y >= 0.0 { 2e4 } else { 0.0 };
                let cylinder = Contact::with_plane(i as u32, normal, radius, distance);
                let contact = Contact { friction: Friction::Coulomb(friction), ..cylinder };
                (contact, Stiffness { first: stiffness, most: 0.0 })
            })
            .collect();
        let before = world.x[mesh.vertex_count() - 1].y;
        let report = world.step(&contacts, h);
        assert!(report.newton.residual < 20.0, "step {k}: {report:?}");
        if k >= 40 {
            way += before - world.x[mesh.vertex_count() - 1].y;
        }
    }
    way / (40.0 * h)
}

#[test]
fn a_belt_holds_what_the_capstan_equation_says() {
    let ratio = (0.3 * PI).exp();
    assert!((ratio - 2.566).abs() < 1e-3);
    let (stuck, slipping) = (belt(0.95 * ratio, 1.0), belt(1.05 * ratio, 1.0));
    assert!(stuck.abs() < 1e-3, "creeps with {stuck} m/s");
    assert!(slipping > 0.05, "slips with {slipping} m/s only");
}
