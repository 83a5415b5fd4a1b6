//! Flow against what theory says of it.

use toile_mesh::{Aabb, DVec3};

use super::*;

const U: f64 = 3.0;
const R: f64 = 0.5;

fn inflow(_: DVec3) -> DVec3 {
    U * DVec3::X
}

fn sphere(p: DVec3) -> f64 {
    p.length() - R
}

fn flow(cell: f64, settings: FlowSettings) -> Flow {
    let bounds = Aabb { min: DVec3::new(-1.5, -1.5, -1.5), max: DVec3::new(3.0, 1.5, 1.5) };
    Flow::new(bounds, cell, U * DVec3::X, settings).unwrap()
}

/// Divergence of every cell of air, from the faces alone.
fn largest_divergence(flow: &Flow) -> f64 {
    let mut largest = 0.0_f64;
    for index in (0..flow.cells.len()).filter(|&i| !flow.solid[i]) {
        let at = flow.cells.coordinates(index);
        let mut out = 0.0;
        for axis in 0..3 {
            let mut above = at;
            above[axis] += 1;
            let faces = flow.faces[axis];
            out += flow.velocity[axis][faces.index(above)] - flow.velocity[axis][faces.index(at)];
        }
        largest = largest.max(out.abs() / flow.cells.cell);
    }
    largest
}

#[test]
fn uniform_flow_stays_uniform_in_any_direction() {
    for wind in [U * DVec3::X, DVec3::new(1.0, -2.0, 0.5), DVec3::ZERO] {
        let bounds = Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 0.8, 0.6) };
        let mut flow =
            Flow::new(bounds, 0.1, wind, FlowSettings { confinement: 3.0, ..FlowSettings::default() }).unwrap();
        for _ in 0..5 {
            assert!(flow.advance(0.05, &|_| wind, Bodies::none()).converged);
        }
        let worst = (0..50).map(|i| {
            let p = bounds.max * (f64::from(i) / 49.0);
            (flow.velocity(p).unwrap() - wind).length()
        });
        assert!(worst.fold(0.0, f64::max) < 1e-12);
        assert_eq!(flow.velocity(DVec3::splat(-0.01)), None);
    }
}

#[test]
fn no_cell_gains_air_and_none_flows_into_bodies() {
    let mut flow = flow(0.2, FlowSettings { confinement: 4.0, ..FlowSettings::default() });
    for step in 0..12 {
        // A body that moves and turns sideways in front of the wind.
        let centre = DVec3::new(0.0, 0.05 * f64::from(step), 0.0);
        let (distance, velocity) = (|p: DVec3| sphere(p - centre), |_: DVec3| DVec3::new(0.0, 2.5, 0.0));
        let report = flow.advance(0.02, &inflow, Bodies { distance: &distance, velocity: &velocity });
        let largest = largest_divergence(&flow);
        assert!(report.converged && largest <= 1e-8 * U / 0.2, "step {step}: {largest}");
        assert!((report.divergence - largest).abs() < 1e-9);
        for axis in 0..3 {
            let (faces, stride) = (flow.faces[axis], flow.cells.strides()[axis]);
            for i in 0..faces.len() {
                let at = faces.coordinates(i);
                let inner = at[axis] > 0 && at[axis] < flow.cells.dims[axis];
                let upper = flow.cells.index(at);
                if inner && (flow.solid[upper] || flow.solid[upper - stride]) {
                    assert_eq!(flow.velocity[axis][i], [0.0, 2.5, 0.0][axis]);
                }
            }
        }
    }
}

#[test]
fn as_much_air_leaves_as_enters() {
    let mut flow = flow(0.25, FlowSettings::default());
    for _ in 0..10 {
        flow.advance(0.03, &inflow, Bodies::still(&sphere));
    }
    let (mut enters, mut net) = (0.0, 0.0);
    for axis in 0..3 {
        let faces = flow.faces[axis];
        for i in 0..faces.len() {
            let side = match faces.coordinates(i)[axis] {
                0 => 1.0,
                last if last == flow.cells.dims[axis] => -1.0,
                _ => continue,
            };
            net += side * flow.velocity[axis][i];
            enters += (side * flow.velocity[axis][i]).max(0.0);
        }
    }
    assert!(enters > 100.0 && net.abs() < 1e-8 * enters, "{net} of {enters}");
}

#[test]
fn the_first_step_gives_potential_flow_around_a_sphere() {
    // Uniform flow, freed of divergence, is potential flow: beside the sphere U (1 + R³/2r³), in front U (1 − R³/r³).
    // Steps of the staircase are a fifth of the radius: within a tenth of U, a cell away from the surface.
    let mut flow = flow(0.1, FlowSettings::default());
    flow.advance(0.0, &inflow, Bodies::still(&sphere));
    for r in [0.65, 0.8, 1.0] {
        let ratio = (R / r).powi(3);
        for side in [DVec3::Y, -DVec3::Y, DVec3::Z] {
            let u = flow.velocity(r * side).unwrap();
            assert!((u.x - U * (1.0 + 0.5 * ratio)).abs() < 0.1 * U, "beside at {r}: {u}");
        }
        let u = flow.velocity(DVec3::new(-r, 0.0, 0.0)).unwrap();
        assert!((u.x - U * (1.0 - ratio)).abs() < 0.1 * U, "in front at {r}: {u}");
    }
}

#[test]
fn air_dams_up_before_a_sphere_speeds_up_beside_and_lags_behind_it() {
    let mut flow = flow(0.15, FlowSettings { tolerance: 1e-6, ..FlowSettings::default() });
    for _ in 0..40 {
        assert!(flow.advance(0.03, &inflow, Bodies::still(&sphere)).converged);
    }
    let at = |x: f64, y: f64| flow.velocity(DVec3::new(x, y, 0.0)).unwrap().x / U;
    assert!(at(-R - 0.05, 0.0) < 0.35, "in front {}", at(-R - 0.05, 0.0));
    assert!(at(0.0, R + 0.3) > 1.08, "beside {}", at(0.0, R + 0.3));
    assert!(at(R + 0.4, 0.0) < 0.0, "behind the air flows back: {}", at(R + 0.4, 0.0));
    assert!(at(1.5, 0.0) < 0.3 && at(1.5, 0.0) < at(2.8, 0.0) && at(2.8, 0.0) < 0.9, "and recovers downstream");
    assert!((at(0.0, R + 0.3) - at(0.0, -R - 0.3)).abs() < 1e-5, "symmetric");
}

#[test]
fn a_body_moving_through_calm_air_drags_it_along() {
    let bounds = Aabb { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
    let mut flow = Flow::new(bounds, 0.2, DVec3::ZERO, FlowSettings::default()).unwrap();
    let report = flow.advance(
        0.02,
        &|_| DVec3::ZERO,
        Bodies { distance: &|p: DVec3| p.length() - 0.45, velocity: &|_| 2.0 * DVec3::Z },
    );
    assert!(report.converged);
    let w = flow.velocity(DVec3::new(0.0, 0.0, 0.6)).unwrap();
    assert!(w.z > 0.2 && w.z < 2.0, "{w}");
    let beside = flow.velocity(DVec3::new(0.7, 0.0, 0.0)).unwrap();
    assert!(beside.z < 0.0, "it flows back beside: {beside}");
}

#[test]
fn air_shut_in_by_a_body_stands_still() {
    // A hollow ball, and a grid that is solid altogether.
    let shell = |p: DVec3| ((p.length() - 0.8).abs()) - 0.3;
    for distance in [&shell as &(dyn Fn(DVec3) -> f64 + Sync), &|_| -1.0] {
        let mut flow = flow(0.2, FlowSettings::default());
        for _ in 0..3 {
            assert!(flow.advance(0.02, &inflow, Bodies::still(distance)).converged);
        }
        assert_eq!(flow.velocity(DVec3::ZERO), Some(DVec3::ZERO));
    }
}

#[test]
fn confinement_keeps_an_eddy_alive() {
    let bounds = Aabb { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
    let spin_left = |confinement: f64| {
        let mut flow =
            Flow::new(bounds, 0.125, DVec3::ZERO, FlowSettings { confinement, ..Default::default() }).unwrap();
        for (axis, sign) in [(0_usize, -1.0), (1, 1.0)] {
            for i in 0..flow.faces[axis].len() {
                let p = flow.faces[axis].point(flow.faces[axis].coordinates(i));
                let fall = (1.0 - 2.0 * (p.x * p.x + p.y * p.y)).max(0.0);
                flow.velocity[axis][i] = sign * p[1 - axis] * 6.0 * fall;
            }
        }
        for _ in 0..20 {
            flow.advance(0.03, &|_| DVec3::ZERO, Bodies::none());
        }
        flow.velocity.iter().flatten().map(|u| u * u).sum::<f64>()
    };
    let (with, without) = (spin_left(2.0), spin_left(0.0));
    assert!(with > 1.2 * without && with < 10.0 * without, "{with} against {without}");
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    // 12,000 cells: several chunks of every sum and several slabs of the preconditioner.
    let results = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut flow = flow(0.15, FlowSettings { confinement: 2.0, ..FlowSettings::default() });
        pool.install(|| {
            for _ in 0..3 {
                flow.advance(0.03, &inflow, Bodies::still(&sphere));
            }
        });
        flow.state()
    });
    assert!(results[0] == results[1] && results[0] == results[2]);
}

#[test]
fn useless_input_does_no_harm() {
    let mut flow = flow(0.3, FlowSettings::default());
    for h in [f64::NAN, -1.0, f64::INFINITY, 1e9] {
        flow.advance(h, &inflow, Bodies { distance: &sphere, velocity: &|_| DVec3::NAN });
    }
    flow.advance(0.1, &|_| DVec3::NAN, Bodies { distance: &|_| f64::NAN, velocity: &|_| DVec3::ZERO });
    assert!(flow.state().iter().all(|x| x.is_finite()));
    let mut state = flow.state();
    flow.restore(&state).unwrap();
    state.pop();
    assert!(flow.restore(&state).is_err());
}
