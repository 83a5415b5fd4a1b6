//! Particles against obstacles: the response of Fuhrmann 2003, eq. 18–21, with obstacles that move.

use proptest::prelude::*;
use toile_contact::{
    Friction, Motion, Obstacle, ParticleReport, Piece, PlacedObstacles, Pose, RigidMotion, Shape, Tessellation,
    particle_contact, resolve_particles,
};
use toile_mesh::{DQuat, DVec3};

const SHAPES: [Shape; 5] = [
    Shape::Sphere { radius: 0.7 },
    Shape::Cuboid { half_size: DVec3::new(0.5, 0.3, 0.8) },
    Shape::Capsule { radius: 0.3, half_height: 0.5 },
    Shape::Cylinder { radius: 0.6, half_height: 0.25 },
    Shape::Plane,
];

fn placed(obstacles: &[Obstacle], t0: f64, t1: f64) -> PlacedObstacles {
    let mut placed = PlacedObstacles::default();
    placed.place(obstacles, t0, t1);
    placed
}

fn turning(velocity: DVec3, spin_rate: f64) -> Motion {
    let rotation = DQuat::from_rotation_x(0.4) * DQuat::from_rotation_y(0.3);
    let start = Pose { position: DVec3::new(0.1, -0.2, 0.3), rotation };
    Motion::Rigid(RigidMotion {
        velocity,
        spin_axis: DVec3::new(1.0, 2.0, 0.5),
        spin_rate,
        ..RigidMotion::at_rest(start)
    })
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from)
}

#[test]
fn the_distance_is_that_to_the_nearest_point_of_a_fine_mesh() {
    let fineness = Tessellation { segments: 64, ..Tessellation::default() };
    for shape in &SHAPES[..4] {
        let mesh = shape.tessellate(&fineness);
        for i in 0..60_u32 {
            let p =
                1.2 * DVec3::new((f64::from(i) * 0.7).sin(), (f64::from(i) * 1.3).cos(), (f64::from(i) * 2.1).sin());
            // Every triangle sampled with 66 points.
            let sampled = mesh
                .faces()
                .flat_map(|f| {
                    let [a, b, c] = mesh.corners(f);
                    (0..=10).flat_map(move |i| {
                        (0..=10 - i).map(move |j| a + 0.1 * (f64::from(i) * (b - a) + f64::from(j) * (c - a)))
                    })
                })
                .map(|q| (q - p).length())
                .fold(f64::INFINITY, f64::min);
            // Samples are up to 7 cm apart on the flat faces, and the mesh lies up to 1 mm inside round ones.
            let exact = shape.distance(p).abs();
            let slack = 2e-3 + (0.07_f64.powi(2) + exact * exact).sqrt() - exact;
            assert!(sampled > exact - 2e-3 && sampled < exact + slack, "{shape:?} at {p}: {exact}, sampled {sampled}");
        }
    }
}

proptest! {
    #[test]
    fn the_response_is_that_of_the_paper_seen_from_the_obstacle(
        shape in prop::sample::select(SHAPES.to_vec()),
        x_t0 in vector(1.0),
        step in vector(0.1),
        velocity in vector(1.0),
        spin in -3.0..3.0_f64,
        c_f in 0.0..=1.0_f64,
    ) {
        let (x, t) = (x_t0 + step, 0.01);
        let motion = turning(velocity, spin);
        let obstacle = Obstacle::new("body", shape, motion.clone(), Friction::Scaled(c_f));
        let placed = placed(&[obstacle], 0.5, 0.6);
        // The same in the frame of the obstacle, where the surface rests and eq. 18–21 hold as printed.
        let (from, to) = (motion.pose_at(0.5).to_local(x_t0), motion.pose_at(0.6).to_local(x));
        let (distance, n) = shape.distance_and_normal(to);
        match particle_contact(&placed.pieces()[0], 0, x_t0, x, t) {
            None => prop_assert!(distance >= t - 1e-14),
            Some(contact) => {
                let d = to - from;
                let d_t = d - n * d.dot(n);
                let expected = to + n * (t - distance) - c_f * d_t;
                let depth = contact.keep - contact.gap;
                let position = x + contact.correction(x_t0, x, depth);
                let found = motion.pose_at(0.6).to_local(position);
                prop_assert!((found - expected).length() < 1e-13, "{found} instead of {expected}");
                prop_assert!((depth - (t - distance)).abs() < 1e-14);
                prop_assert!(shape.distance(found) >= t - 1e-14);
            }
        }
    }

    #[test]
    fn coulomb_friction_also_ends_outside(
        shape in prop::sample::select(SHAPES.to_vec()),
        x_t0 in vector(1.0),
        x in vector(1.0),
        mu in 0.0..2.0_f64,
    ) {
        let obstacle = Obstacle::new("body", shape, turning(DVec3::X, 1.0), Friction::Coulomb(mu));
        let placed = placed(&[obstacle], 0.0, 0.1);
        let contact = particle_contact(&placed.pieces()[0], 0, x_t0, x, 0.02);
        let end = contact.map_or(x, |c| x + c.correction(x_t0, x, c.keep - c.gap));
        prop_assert!(placed.distance(end) >= 0.02 - 1e-14);
    }
}

#[test]
fn full_friction_carries_a_particle_round_with_a_turntable() {
    let shape = Shape::Cylinder { radius: 0.5, half_height: 0.05 };
    let motion = Motion::Rigid(RigidMotion {
        velocity: DVec3::new(0.3, 0.1, 0.0),
        spin_rate: 4.0,
        ..RigidMotion::at_rest(Pose::IDENTITY)
    });
    let table = [Obstacle::new("turntable", shape, motion.clone(), Friction::Scaled(1.0))];
    let start = DVec3::new(0.3, 0.051, 0.1);
    let mut x = [start];
    let dt = 0.01;
    for step in 0..300 {
        let (t0, t1) = (f64::from(step) * dt, f64::from(step + 1) * dt);
        let x_t0 = x;
        // Gravity only: the table does the rest.
        x[0].y -= 9.81 * dt * dt;
        let report = resolve_particles(&placed(&table, t0, t1), &x_t0, &mut x, &[1.0], 0.001);
        assert_eq!(report.contacts, 1);
    }
    assert!((motion.pose_at(3.0).to_local(x[0]) - start).length() < 1e-12);
}

#[test]
fn a_belt_drags_a_resting_particle_by_its_friction_factor() {
    let belt = |friction| {
        let motion = RigidMotion { velocity: DVec3::X, ..RigidMotion::at_rest(Pose::IDENTITY) };
        [Obstacle::new("belt", Shape::Plane, Motion::Rigid(motion), friction)]
    };
    let dragged = |friction| {
        let mut x = [DVec3::new(0.0, -0.25, 0.0)];
        resolve_particles(&placed(&belt(friction), 1.0, 1.5), &[DVec3::ZERO], &mut x, &[1.0], 0.0);
        x[0]
    };
    assert_eq!(dragged(Friction::Scaled(0.25)), DVec3::new(0.125, 0.0, 0.0));
    assert_eq!(dragged(Friction::Scaled(0.0)), DVec3::ZERO);
    assert_eq!(dragged(Friction::Coulomb(1.0)), DVec3::new(0.25, 0.0, 0.0));
    assert_eq!(dragged(Friction::Coulomb(5.0)), DVec3::new(0.5, 0.0, 0.0));
}

#[test]
fn coulomb_friction_holds_or_lets_slide_on_a_slope_as_the_law_says() {
    // Slope of tan θ = 0.5; with h the step, symplectic Euler slides by a h² n (n + 1) / 2 in n steps.
    let (g, h, n) = (9.81, 0.01, 100_u32);
    let angle = 0.5_f64.atan();
    let slide = |mu| {
        let pose = Pose { position: DVec3::ZERO, rotation: DQuat::from_rotation_z(-angle) };
        let slope = [Obstacle::new("slope", Shape::Plane, Motion::at_rest(pose), Friction::Coulomb(mu))];
        let placed = placed(&slope, 0.0, h);
        let (mut x, mut previous) = ([DVec3::ZERO], DVec3::ZERO);
        for _ in 0..n {
            let x_t0 = x;
            x[0] = 2.0 * x_t0[0] - previous - DVec3::Y * g * h * h;
            resolve_particles(&placed, &x_t0, &mut x, &[1.0], 0.0);
            previous = x_t0[0];
        }
        pose.to_local(x[0]).x
    };
    for mu in [0.0, 0.2, 0.49] {
        let a = g * (angle.sin() - mu * angle.cos());
        let expected = 0.5 * a * h * h * f64::from(n * (n + 1));
        assert!((slide(mu) - expected).abs() < 1e-12, "mu {mu}: {} instead of {expected}", slide(mu));
    }
    assert!(slide(0.501).abs() < 1e-12);
}

#[test]
fn a_corner_between_two_pieces_is_left_altogether() {
    let leg = Piece { shape: Shape::Cylinder { radius: 0.1, half_height: 0.5 }, pose: Pose::at(0.5 * DVec3::Y) };
    let tilted = Pose { position: DVec3::ZERO, rotation: DQuat::from_rotation_z(0.3) };
    let foot = Piece { shape: Shape::Cylinder { radius: 0.4, half_height: 0.05 }, pose: tilted };
    for pieces in [vec![leg, foot], vec![foot, leg]] {
        let stand = Obstacle {
            pieces,
            ..Obstacle::new("stand", SHAPES[0], Motion::at_rest(Pose::IDENTITY), Friction::Scaled(0.0))
        };
        let placed = placed(&[stand], 0.0, 1.0);
        for i in 0..200_u32 {
            let x = DVec3::new(
                0.12 * (f64::from(i) * 0.7).sin(),
                0.05 + 0.04 * (f64::from(i) * 1.9).sin(),
                0.12 * (f64::from(i) * 1.1).cos(),
            );
            let mut moved = [x];
            resolve_particles(&placed, &[x], &mut moved, &[1.0], 0.01);
            assert!(placed.distance(moved[0]) > 0.009, "{x} stays at {}", placed.distance(moved[0]));
        }
    }
}

#[test]
fn a_particle_between_plates_that_leave_too_little_room_is_put_in_the_middle() {
    // A gap from −1 to 1 mm, of which the particle should keep 3 mm on both sides.
    let plate = |y: f64| {
        let shape = Shape::Cuboid { half_size: DVec3::new(0.25, 0.05, 0.25) };
        Obstacle::new("plate", shape, Motion::at_rest(Pose::at(DVec3::Y * y)), Friction::Scaled(0.0))
    };
    let placed = placed(&[plate(-0.051), plate(0.051)], 0.0, 0.01);
    for y in [-0.0019, -0.0005, 0.0, 0.0009, 0.0015] {
        // 2.4 mm from the rim: whoever is pushed to and fro leaves there.
        let mut x = [DVec3::new(0.2476, y, 0.1)];
        resolve_particles(&placed, &x.clone(), &mut x, &[1.0], 0.003);
        assert!(x[0].distance(DVec3::new(0.2476, 0.0, 0.1)) < 1e-12, "from {y}: {}", x[0]);
    }
}

fn crowd(scale: f64) -> Vec<DVec3> {
    (0..5000_u32)
        .map(f64::from)
        .map(|i| 1.6 * scale * DVec3::new((i * 0.37).sin(), (i * 0.61).cos(), (i * 0.83).sin()))
        .collect()
}

fn playground(scale: f64) -> Vec<Obstacle> {
    let sized = |shape| match shape {
        Shape::Sphere { radius } => Shape::Sphere { radius: scale * radius },
        Shape::Cuboid { half_size } => Shape::Cuboid { half_size: scale * half_size },
        Shape::Capsule { radius, half_height } => {
            Shape::Capsule { radius: scale * radius, half_height: scale * half_height }
        }
        Shape::Cylinder { radius, half_height } => {
            Shape::Cylinder { radius: scale * radius, half_height: scale * half_height }
        }
        Shape::Plane => Shape::Plane,
    };
    SHAPES
        .iter()
        .enumerate()
        .map(|(i, &shape)| {
            let offset =
                DVec3::new([0.9, -0.9, 0.9, -0.9, 0.0][i], [-0.5, 1.0, 1.2, -0.7, -1.4][i], 0.3 - 0.2 * i as f64);
            let start = Pose { position: scale * offset, rotation: DQuat::IDENTITY };
            let motion = RigidMotion {
                velocity: scale * DVec3::new(0.2, 0.1, 0.0),
                spin_rate: 1.0,
                ..RigidMotion::at_rest(start)
            };
            Obstacle::new(
                format!("{i}"),
                sized(shape),
                Motion::Rigid(motion),
                [Friction::Scaled(0.3), Friction::Coulomb(0.4)][i % 2],
            )
        })
        .collect()
}

fn resolve_crowd(scale: f64) -> (Vec<DVec3>, ParticleReport) {
    let x_t0 = crowd(scale);
    let mut x: Vec<_> = x_t0.iter().map(|&p| p - scale * 0.05 * DVec3::Y).collect();
    let inverse_masses: Vec<_> = (0..x.len()).map(|i| if i % 7 == 0 { 0.0 } else { 1.0 }).collect();
    let report = resolve_particles(&placed(&playground(scale), 0.0, 0.1), &x_t0, &mut x, &inverse_masses, 0.01 * scale);
    (x, report)
}

#[test]
fn held_particles_stay_and_the_others_leave() {
    let (x, report) = resolve_crowd(1.0);
    let placed = placed(&playground(1.0), 0.0, 0.1);
    assert!(report.contacts > 1000 && report.deepest > 0.1);
    for (i, (x, start)) in x.iter().zip(crowd(1.0)).enumerate() {
        if i % 7 == 0 {
            assert_eq!(*x, start - 0.05 * DVec3::Y);
        } else {
            assert!(placed.distance(*x) > 0.01 - 1e-14, "particle {i}");
        }
    }
}

#[test]
fn the_result_has_the_same_bits_for_any_number_of_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| resolve_crowd(1.0))
    };
    let one = with(1);
    for threads in [2, 3, 8] {
        assert_eq!(with(threads), one, "{threads} threads");
    }
}

#[test]
fn millimetres_and_kilometres_behave_like_metres() {
    let (metres, report) = resolve_crowd(1.0);
    for scale in [1e-3, 1e3] {
        let (scaled, report_scaled) = resolve_crowd(scale);
        assert_eq!(report_scaled.contacts, report.contacts);
        assert!((report_scaled.deepest / scale - report.deepest).abs() < 1e-12);
        assert!(scaled.iter().zip(&metres).all(|(s, m)| (*s / scale - *m).length() < 1e-11));
    }
}

#[test]
fn particles_that_are_not_numbers_are_left_alone() {
    let mut x = [DVec3::NAN, DVec3::new(0.0, f64::INFINITY, 0.0), DVec3::new(f64::NAN, 0.0, 0.0), DVec3::ZERO];
    let x_t0 = [DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, DVec3::NAN];
    let placed = placed(&playground(1.0), 0.0, 0.1);
    let _ = resolve_particles(&placed, &x_t0, &mut x, &[1.0, 1.0, 1.0, f64::NAN], 0.01);
    assert!(x[0].is_nan() && x[1].y == f64::INFINITY && x[2].x.is_nan() && x[2].y == 0.0 && x[3] == DVec3::ZERO);
    let report = resolve_particles(&placed, &x_t0[..1], &mut x, &[], f64::NAN);
    assert_eq!(report, ParticleReport::default());
}
