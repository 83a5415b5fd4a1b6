//! Triangles against obstacles: coarse cloth over sharp rims, which particles alone would let cut through
//! (Mezger 2003, fig. 8).

use toile_contact::{
    Friction, Keyframe, Motion, Obstacle, Piece, PlacedObstacles, Pose, RigidMotion, Shape, SweepReport, SweepSettings,
    Tessellation, TriangleSweep, resolve_particles,
};
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DQuat, DVec3, TriMesh, VertexId, judge};

fn placed(obstacles: &[Obstacle], t0: f64, t1: f64) -> PlacedObstacles {
    let mut placed = PlacedObstacles::default();
    placed.place(obstacles, t0, t1);
    placed
}

fn resting(shape: Shape, pose: Pose, friction: Friction) -> Obstacle {
    Obstacle::new("body", shape, Motion::at_rest(pose), friction)
}

/// Smallest distance over a dense set of points of all triangles.
fn sampled_distance(placed: &PlacedObstacles, mesh: &TriMesh) -> f64 {
    const N: u32 = 40;
    let mut smallest = f64::INFINITY;
    for f in mesh.faces() {
        let [a, b, c] = mesh.corners(f);
        for i in 0..=N {
            for j in 0..=N - i {
                let (u, v) = (f64::from(i) / f64::from(N), f64::from(j) / f64::from(N));
                smallest = smallest.min(placed.distance(a + u * (b - a) + v * (c - a)));
            }
        }
    }
    smallest
}

/// A coarse sheet bent down like a tent: all vertices off the body, edges and faces through it.
fn tent(scale: f64, cells: usize, top: f64, steepness: f64) -> TriMesh {
    grid([1.6 * scale, 1.6 * scale], [cells + 1, cells + 1], Diagonals::Alternating).map_positions(|p| {
        let from_axis = (p.x * p.x + p.z * p.z).sqrt();
        DVec3::new(p.x, scale * top - steepness * from_axis, p.z)
    })
}

fn sharp_bodies(scale: f64) -> Vec<Shape> {
    vec![
        Shape::Cylinder { radius: 0.5 * scale, half_height: 0.1 * scale },
        Shape::Cuboid { half_size: scale * DVec3::new(0.4, 0.1, 0.45) },
        Shape::Capsule { radius: 0.2 * scale, half_height: 0.2 * scale },
        Shape::Sphere { radius: 0.4 * scale },
    ]
}

fn drape(scale: f64, shape: Shape, friction: Friction) -> (TriMesh, TriMesh, PlacedObstacles, SweepReport) {
    let placed = placed(&[resting(shape, Pose::IDENTITY, friction)], 0.0, 0.01);
    let mut mesh = tent(scale, 5, 0.35, 0.5);
    let (start, masses) = (mesh.clone(), vec![1.0; mesh.vertex_count()]);
    let t = 0.01 * scale;
    let x_t0 = mesh.positions.clone();
    resolve_particles(&placed, &x_t0, &mut mesh.positions, &masses, t);
    let settings = SweepSettings::new(t);
    let report =
        TriangleSweep::default().resolve(&placed, &mesh.triangles, &x_t0, &mut mesh.positions, &masses, &settings);
    (start, mesh, placed, report)
}

#[test]
fn a_coarse_sheet_over_a_sharp_rim_ends_outside() {
    let frictions = [Friction::Scaled(0.3), Friction::Scaled(1.0), Friction::Coulomb(0.4), Friction::Coulomb(10.0)];
    for (shape, friction) in sharp_bodies(1.0).into_iter().flat_map(|s| frictions.map(|f| (s, f))) {
        let (start, end, placed, report) = drape(1.0, shape, friction);
        assert!(sampled_distance(&placed, &start) < -0.01, "{shape:?}: the test starts with a cut");
        assert!(report.contacts > 0 && report.rounds > 0);
        assert_eq!((report.remaining, report.deepest), (0, 0.0), "{shape:?}: {report:?}");
        let t = 0.01 * 0.95;
        assert!(sampled_distance(&placed, &end) > t - 2e-6, "{shape:?}: {}", sampled_distance(&placed, &end));
        // And by the judge, who knows nothing of distances.
        let body = shape.tessellate(&Tessellation::default());
        assert!(!judge::mutual_intersections(&start, &body).is_clean());
        assert!(judge::mutual_intersections(&end, &body).is_clean());
    }
}

#[test]
fn millimetres_and_kilometres_behave_like_metres() {
    for i in 0..4 {
        let (_, metres, _, report) = drape(1.0, sharp_bodies(1.0)[i], Friction::Coulomb(0.2));
        // A power of two changes no rounding, so it changes nothing.
        for scale in [1.0 / 1024.0, 1024.0] {
            let (_, scaled, _, report_scaled) = drape(scale, sharp_bodies(scale)[i], Friction::Coulomb(0.2));
            assert_eq!(report_scaled, report);
            assert!(scaled.positions.iter().zip(&metres.positions).all(|(s, m)| *s / scale == *m));
        }
        for scale in [1e-3, 1e3] {
            let (_, scaled, placed, report_scaled) = drape(scale, sharp_bodies(scale)[i], Friction::Coulomb(0.2));
            assert_eq!(report_scaled.remaining, 0);
            assert!(sampled_distance(&placed, &scaled) > 0.0095 * scale * (1.0 - 1e-3));
        }
    }
}

fn round_table() -> Obstacle {
    let disc = |radius, half_height, y| Piece {
        shape: Shape::Cylinder { radius, half_height },
        pose: Pose::at(DVec3::new(0.0, y, 0.0)),
    };
    Obstacle {
        name: "round table".into(),
        pieces: vec![disc(0.5, 0.015, 0.7), disc(0.05, 0.35, 0.35), disc(0.25, 0.015, 0.015)],
        motion: Motion::at_rest(Pose::IDENTITY),
        friction: Some(Friction::Coulomb(0.3)),
        padding: 0.0,
    }
}

/// Pulls the ends of every edge together where it is longer than at rest (a few sweeps of a plain length constraint).
fn keep_lengths(mesh: &mut TriMesh, rest: &TriMesh) {
    for _ in 0..8 {
        for t in &rest.triangles {
            for k in 0..3 {
                let [a, b] = [t[k], t[(k + 1) % 3]].map(VertexId::index);
                let edge = mesh.positions[b] - mesh.positions[a];
                let excess = edge.length() - (rest.positions[b] - rest.positions[a]).length();
                if excess > 0.0 {
                    let pull = 0.5 * excess * edge.normalize_or_zero();
                    mesh.positions[a] += pull;
                    mesh.positions[b] -= pull;
                }
            }
        }
    }
}

/// A tablecloth of 49 vertices and 72 triangles falls on a round table; the smallest distance ever sampled.
fn falling_tablecloth(sweep_triangles: bool) -> f64 {
    let rest = grid([1.4, 1.4], [7, 7], Diagonals::Alternating);
    let mut mesh = rest.clone().map_positions(|p| p + DVec3::new(0.03, 0.8, -0.02));
    let masses = vec![1.0; mesh.vertex_count()];
    let mut previous = mesh.positions.clone();
    let placed = placed(&[round_table()], 0.0, 0.01);
    let (mut sweep, settings) = (TriangleSweep::default(), SweepSettings::new(0.005));
    let mut smallest = f64::INFINITY;
    for _ in 0..150 {
        let x_t0 = mesh.positions.clone();
        for ((x, old), now) in mesh.positions.iter_mut().zip(&previous).zip(&x_t0) {
            *x = *now + 0.98 * (*now - *old) - DVec3::Y * 9.81 * 1e-4;
        }
        previous.clone_from(&x_t0);
        keep_lengths(&mut mesh, &rest);
        resolve_particles(&placed, &x_t0, &mut mesh.positions, &masses, settings.threshold);
        if sweep_triangles {
            let report = sweep.resolve(&placed, &mesh.triangles, &x_t0, &mut mesh.positions, &masses, &settings);
            assert_eq!(report.remaining, 0, "{report:?}");
        }
        smallest = smallest.min(sampled_distance(&placed, &mesh));
    }
    let lowest = mesh.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(lowest < 0.55, "the cloth should hang down by now, not end at {lowest}");
    smallest
}

#[test]
fn a_tablecloth_of_49_vertices_never_cuts_the_table() {
    assert!(falling_tablecloth(false) < -0.005, "particles alone are not enough");
    let smallest = falling_tablecloth(true);
    assert!(smallest > 0.0047, "{smallest}");
}

#[test]
fn a_triangle_between_plates_that_leave_too_little_room_stays_where_it_is() {
    let plate = |y: f64| {
        let shape = Shape::Cuboid { half_size: DVec3::new(0.25, 0.05, 0.25) };
        resting(shape, Pose::at(DVec3::Y * y), Friction::Scaled(0.0))
    };
    let placed = placed(&[plate(-0.051), plate(0.051)], 0.0, 0.01);
    let start = [DVec3::new(0.24, -0.0005, 0.1), DVec3::new(0.22, 0.0007, 0.1), DVec3::new(0.24, 0.0002, 0.12)];
    let mut x = start;
    let corners = [[0, 1, 2].map(VertexId)];
    let settings = SweepSettings::new(0.0015);
    TriangleSweep::default().resolve(&placed, &corners, &start, &mut x, &[1.0; 3], &settings);
    for (x, start) in x.iter().zip(start) {
        // It may be moved towards the middle a little, not from one plate to the other.
        assert!(x.distance(start) < 2e-4, "{start} ends at {x}");
    }
}

#[test]
fn full_friction_carries_an_edge_with_a_moving_bar() {
    // A square bar lies across the sheet's only edge that touches it and moves sideways and down below the sheet.
    let shape = Shape::Cuboid { half_size: DVec3::new(0.02, 0.02, 1.0) };
    let carried = |friction| {
        let motion = RigidMotion { velocity: DVec3::new(0.01, 0.0, 0.0), ..RigidMotion::at_rest(Pose::IDENTITY) };
        let bar = Obstacle::new("bar", shape, Motion::Rigid(motion), friction);
        let placed = placed(&[bar], 0.0, 1.0);
        let x_t0 = [DVec3::new(-0.5, 0.025, 0.0), DVec3::new(0.5, 0.025, 0.0), DVec3::new(0.0, 1.0, 0.0)];
        let mut x = x_t0.map(|p| p - 0.001 * DVec3::Y);
        let settings = SweepSettings { threshold: 0.005, tolerance: 1e-5, max_rounds: 10 };
        let corners = [[0, 1, 2].map(VertexId)];
        let report = TriangleSweep::default().resolve(&placed, &corners, &x_t0, &mut x, &[1.0; 3], &settings);
        assert_eq!((report.contacts, report.remaining), (1, 0));
        let moved = x[0].lerp(x[1], 0.5) - x_t0[0].lerp(x_t0[1], 0.5);
        assert!(moved.y.abs() < 1e-5);
        moved.x
    };
    assert!((carried(Friction::Scaled(1.0)) - 0.01).abs() < 1e-5);
    assert!((carried(Friction::Scaled(0.25)) - 0.0025).abs() < 1e-5);
    assert!(carried(Friction::Scaled(0.0)).abs() < 1e-9);
    // The correction is 1 mm upwards, so Coulomb friction moves the edge by at most mu mm.
    assert!((carried(Friction::Coulomb(0.5)) - 0.0005).abs() < 1e-5);
}

#[test]
fn held_corners_stay_and_what_cannot_be_mended_is_reported() {
    let placed = placed(&[resting(Shape::Sphere { radius: 0.3 }, Pose::IDENTITY, Friction::Scaled(0.0))], 0.0, 1.0);
    let start = [DVec3::new(-1.0, 0.2, 0.0), DVec3::new(1.0, 0.2, 0.0), DVec3::new(0.0, 1.0, 0.0)];
    let corners = [[0, 1, 2].map(VertexId)];
    let settings = SweepSettings::new(0.01);
    let mut x = start;
    let report = TriangleSweep::default().resolve(&placed, &corners, &start, &mut x, &[0.0, 0.0, 1.0], &settings);
    assert_eq!((x, report.contacts, report.remaining), (start, 1, 1));
    assert!((report.deepest - 0.11).abs() < 1e-12);
    // With one of the two free, the edge turns about the other.
    let report = TriangleSweep::default().resolve(&placed, &corners, &start, &mut x, &[0.0, 1.0, 1.0], &settings);
    assert!(x[0] == start[0] && report.remaining == 0 && x[1].y > 0.3, "{x:?} {report:?}");
}

/// A finer sheet over moving, turning obstacles of every shape.
fn busy_scene() -> (TriMesh, Vec<DVec3>, Vec<f64>, Vec<Obstacle>) {
    let mesh = grid([4.0, 4.0], [41, 41], Diagonals::Alternating)
        .map_positions(|p| p + DVec3::Y * (0.1 * (3.0 * p.x).sin() * (2.0 * p.z).cos()));
    let masses = (0..mesh.vertex_count()).map(|i| if i % 41 == 0 { 0.0 } else { 1.0 + (i % 3) as f64 }).collect();
    let obstacles = sharp_bodies(1.0)
        .into_iter()
        .enumerate()
        .map(|(i, shape)| {
            let at = DVec3::new([-1.0, 1.0, -1.0, 1.0][i], [-0.12, -0.12, -0.25, -0.12][i], [-1.0, -1.0, 1.0, 1.0][i]);
            let lifted = Pose { position: at + 0.02 * DVec3::Y, rotation: DQuat::from_rotation_y(0.05) };
            let keys = vec![Keyframe { time: 0.0, pose: Pose::at(at) }, Keyframe { time: 1.0, pose: lifted }];
            Obstacle::new(format!("{i}"), shape, Motion::Keyframes(keys), Friction::Coulomb(0.3))
        })
        .collect();
    let x_t0 = mesh.positions.clone();
    (mesh, x_t0, masses, obstacles)
}

fn resolve_busy_scene() -> (Vec<DVec3>, SweepReport) {
    let (mut mesh, x_t0, masses, obstacles) = busy_scene();
    let placed = placed(&obstacles, 0.0, 1.0);
    let settings = SweepSettings::new(0.004);
    let report =
        TriangleSweep::default().resolve(&placed, &mesh.triangles, &x_t0, &mut mesh.positions, &masses, &settings);
    assert!(report.contacts > 300 && report.remaining == 0, "{report:?}");
    (mesh.positions, report)
}

#[test]
fn the_result_has_the_same_bits_for_any_number_of_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(resolve_busy_scene)
    };
    let one = with(1);
    for threads in [2, 3, 8] {
        assert_eq!(with(threads), one, "{threads} threads");
    }
}

#[test]
fn a_used_workspace_gives_the_result_of_a_fresh_one() {
    let (mesh, x_t0, masses, obstacles) = busy_scene();
    let placed = placed(&obstacles, 0.0, 1.0);
    let settings = SweepSettings::new(0.004);
    let mut sweep = TriangleSweep::default();
    let mut run = |triangles: &[[VertexId; 3]]| {
        let mut x = x_t0.clone();
        let report = sweep.resolve(&placed, triangles, &x_t0, &mut x, &masses, &settings);
        (x, report)
    };
    let first = run(&mesh.triangles);
    let part = run(&mesh.triangles[..100]);
    assert!(part.1.contacts < first.1.contacts);
    assert_eq!(run(&mesh.triangles), first);
}

#[test]
fn nonsense_is_survived() {
    let (mesh, x_t0, masses, obstacles) = busy_scene();
    let placed = placed(&obstacles, 0.0, 1.0);
    let mut x = x_t0.clone();
    for (i, bad) in [f64::NAN, f64::INFINITY, 1e300].into_iter().enumerate() {
        x[100 + 200 * i].x = bad;
    }
    let settings = SweepSettings::new(0.004);
    let mut triangles = mesh.triangles.clone();
    triangles.push([0, 1, 1_000_000].map(VertexId));
    triangles.push([500; 3].map(VertexId));
    let _ = TriangleSweep::default().resolve(&placed, &triangles, &x_t0, &mut x, &masses, &settings);
    assert!(x[100].x.is_nan() && x[300].x == f64::INFINITY);
    assert_eq!(x.iter().filter(|p| !p.is_finite()).count(), 2, "what is not a number does not spread");
    for broken in [f64::NAN, -1.0, f64::INFINITY] {
        let settings = SweepSettings { max_rounds: 3, ..SweepSettings::new(broken) };
        let _ = TriangleSweep::default().resolve(&placed, &triangles, &x_t0, &mut x, &masses[..50], &settings);
    }
}
