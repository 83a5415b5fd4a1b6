//! Motion against answers from theory: fall, momentum, wind, hands, friction and rest.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use toile::World;
use toile_mesh::DVec3;
use toile_scene::Scene;

const METHODS: [&str; 2] = ["sweep", "chains"];

fn world(text: &str) -> World {
    common::scene(text).world().unwrap()
}

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        assert_eq!(world.advance().non_finite, 0);
    }
}

fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len() as f64
}

#[test]
fn free_fall_follows_the_closed_form_of_the_scheme() {
    for method in METHODS {
        let mut world = world(&format!(
            r#"
            [solver]
            method = "{method}"
            damping = 1.0
            adaptive = false
            [[cloth]]
            position = [0.0, 0.0, 0.0]
            shape = {{ kind = "grid", size = [0.5, 0.5], vertices = [8, 8] }}
            "#
        ));
        let start = world.state().x.clone();
        run(&mut world, 30);
        // From rest, N steps of length h drop g h² N(N+1)/2.
        let (h, n) = (1.0_f64 / 120.0, 120.0);
        let drop = 9.81 * h * h * n * (n + 1.0) / 2.0;
        for (x, x_start) in world.state().x.iter().zip(&start) {
            assert!((*x - (*x_start - DVec3::Y * drop)).length() <= 1e-12 * drop, "{method}: {x} from {x_start}");
        }
    }
}

#[test]
fn without_external_forces_the_centre_of_mass_stays() {
    for method in METHODS {
        let mut world = world(&format!(
            r#"
            [solver]
            method = "{method}"
            [forces]
            gravity = [0.0, 0.0, 0.0]
            # Taking back is no force.
            [contact]
            guard = false
            [[cloth]]
            position = [0.0, 0.0, 0.0]
            shape = {{ kind = "grid", size = [0.3, 0.3], vertices = [11, 11] }}
            "#
        ));
        // Crumpled: pressed together along x, with folds, so that edges push and layers are too near to each other.
        let mut state = world.state().clone();
        for x in &mut state.x {
            *x = DVec3::new(0.2 * x.x, 0.02 * (60.0 * x.x).sin() + 0.01 * (90.0 * x.z).cos(), 0.4 * x.z);
        }
        assert!(world.set_state(0, state));
        let start = world.state().center_of_mass(world.model());
        let near_pairs = world.advance().near_pairs;
        let moved = world.state().kinetic_energy(world.model());
        assert!(near_pairs > 0 && moved > 1e-6, "{method}: {near_pairs} near pairs, {moved} J");
        run(&mut world, 59);
        let drift = world.state().center_of_mass(world.model()).distance(start);
        assert!(drift <= 1e-12, "{method}: {drift:e}");
    }
}

#[test]
fn wind_accelerates_by_force_per_area_over_mass_per_area() {
    for density in [0.1, 0.4] {
        let mut world = world(&format!(
            r"
            [solver]
            damping = 1.0
            [forces]
            gravity = [0.0, 0.0, 0.0]
            wind = [0.3, 0.0, -0.2]
            [[cloth]]
            areal_density = {density}
            shape = {{ kind = 'disc', radius = 0.3, rings = 4 }}
            "
        ));
        let start = world.state().x.clone();
        run(&mut world, 15);
        // The cloth flies flat, whatever share of the area each particle has; 60 steps of 1/120 s.
        let (h, n) = (1.0_f64 / 120.0, 60.0);
        let flight = DVec3::new(0.3, 0.0, -0.2) / density * (h * h * n * (n + 1.0) / 2.0);
        for (x, x_start) in world.state().x.iter().zip(&start) {
            assert!((*x - *x_start - flight).length() <= 1e-9 * flight.length(), "{x} from {x_start}");
        }
    }
}

const WAVED: &str = r#"
    [[cloth]]
    shape = { kind = "grid", size = [0.4, 0.4], vertices = [9, 9] }
    [[cloth.hold]]
    vertices = [0, 8]
    until = 0.8
    path = [
        { time = 0.1 },
        { time = 0.35, offset = [0.2, 0.1, 0.0] },
        { time = 0.7, offset = [0.0, 0.3, -0.3] },
        { time = 2.0, offset = [1.3, 0.3, -0.3] },
    ]
"#;

#[test]
fn held_particles_are_where_the_hand_is() {
    let mut world = world(WAVED);
    let start = world.state().x.clone();
    // The keys, once more by hand.
    let offset = |t: f64| match t {
        t if t <= 0.1 => DVec3::ZERO,
        t if t <= 0.35 => DVec3::new(0.2, 0.1, 0.0) * ((t - 0.1) / 0.25),
        t if t <= 0.7 => DVec3::new(0.2, 0.1, 0.0).lerp(DVec3::new(0.0, 0.3, -0.3), (t - 0.35) / 0.35),
        t => DVec3::new(0.0, 0.3, -0.3) + DVec3::X * (t - 0.7),
    };
    for frame in 1..=24 {
        run(&mut world, 1);
        for p in [0, 8] {
            let there = start[p] + offset(f64::from(frame) / 30.0);
            assert!(world.state().x[p].distance(there) < 1e-14, "frame {frame}, particle {p}");
        }
    }
}

#[test]
fn released_particles_leave_with_the_velocity_of_the_hand() {
    // Nothing but the hand: no gravity, no damping, and all particles held, so that nothing pulls on them.
    let text = WAVED.replace("vertices = [0, 8]", "near = [0.0, 1.0, 0.0]\n    radius = 1.0");
    let mut world = world(&format!("[solver]\ndamping = 1.0\n[forces]\ngravity = [0.0, 0.0, 0.0]\n{text}"));
    run(&mut world, 24);
    assert!(world.inverse_mass().iter().all(|w| *w == 0.0));
    let last_held = world.state().x.clone();
    run(&mut world, 15);
    assert!(world.inverse_mass().iter().all(|w| *w > 0.0));
    // At 0.8 s the hand moves with 1 m/s along x; half a second later the cloth has flown half a metre.
    for (x, held) in world.state().x.iter().zip(&last_held) {
        assert!((*x - *held - DVec3::X * 0.5).length() < 1e-9, "{x} from {held}");
    }
}

#[test]
fn a_particle_in_two_hands_is_held_by_the_one_that_stays() {
    let holds = ["[[cloth.hold]]\nvertices = [0]\n", "[[cloth.hold]]\nvertices = [0, 3]\nuntil = 0.3\n"];
    for holds in [holds.concat(), [holds[1], holds[0]].concat()] {
        let mut world = world(&format!("[[cloth]]\nshape = {{ kind = \"grid\", vertices = [4, 4] }}\n{holds}"));
        let start = world.state().x.clone();
        run(&mut world, 20);
        assert_eq!(world.state().x[0], start[0], "{holds}");
        assert!(world.state().x[3].y < start[3].y - 0.1, "{holds}");
    }
}

/// A small cloth that lies on an obstacle with full friction.
fn lying_on(obstacle: &str, height: f64) -> World {
    scene_on(obstacle, height).world().unwrap()
}

fn scene_on(obstacle: &str, height: f64) -> Scene {
    common::scene(&format!(
        r#"
        [[cloth]]
        friction = 1.0
        position = [0.0, {height}, 0.0]
        shape = {{ kind = "grid", size = [0.3, 0.3], vertices = [9, 9] }}
        [[obstacle]]
        {obstacle}
        "#
    ))
}

#[test]
fn full_friction_carries_the_cloth_along() {
    let mut world = lying_on("velocity = [0.5, 0.0, 0.2]\nshape = { kind = \"box\", size = [0.6, 0.1, 0.6] }", 0.053);
    let start = mean(&world.state().x);
    run(&mut world, 30);
    let way = mean(&world.state().x) - start;
    assert!((way.x - 0.5).abs() < 0.02 && (way.z - 0.2).abs() < 0.01, "{way}");
    assert!(world.state().v.iter().all(|v| (*v - DVec3::new(0.5, 0.0, 0.2)).length() < 0.05));
}

#[test]
fn without_friction_the_plate_slides_away_underneath() {
    let text = "velocity = [0.3, 0.0, 0.0]\nshape = { kind = \"box\", size = [2.0, 0.1, 2.0] }";
    let mut scene = scene_on(text, 0.053);
    scene.obstacle[0].friction = Some(0.0);
    let mut world = scene.world().unwrap();
    let start = mean(&world.state().x);
    run(&mut world, 30);
    assert!((mean(&world.state().x) - start).length() < 0.01, "{}", mean(&world.state().x));
}

#[test]
fn a_turning_ball_turns_the_cloth_with_it() {
    for spin in [0.5, -0.5] {
        let mut world = lying_on(&format!("spin = {spin}\nshape = {{ kind = \"sphere\", radius = 0.2 }}"), 0.21);
        run(&mut world, 24);
        // Counter-clockwise seen from above is positive about y: x × v points up.
        let state = world.state();
        let turning = state.x.iter().zip(&state.v).map(|(x, v)| x.cross(*v).y).sum::<f64>();
        let inertia = state.x.iter().map(|x| x.x * x.x + x.z * x.z).sum::<f64>();
        let rate = turning / inertia / std::f64::consts::TAU;
        assert!(rate / spin > 0.5 && rate / spin < 1.1, "{rate} rev/s for {spin}");
    }
}

#[test]
fn cloth_at_rest_on_a_floor_neither_sinks_nor_creeps() {
    for method in METHODS {
        let mut world = world(&format!(
            r#"
            [solver]
            method = "{method}"
            [contact]
            threshold = 0.004
            [[cloth]]
            position = [0.0, 0.05, 0.0]
            rotation_deg = [0.0, 30.0, 0.0]
            shape = {{ kind = "grid", size = [0.5, 0.5], vertices = [9, 9] }}
            [[obstacle]]
            friction = 0.5
            shape = {{ kind = "plane" }}
            "#
        ));
        run(&mut world, 30);
        let settled = world.state().x.clone();
        for frame in 31..=90 {
            run(&mut world, 1);
            let lowest = world.state().x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
            assert!(lowest >= 0.002, "{method}, frame {frame}: {lowest}");
        }
        for (x, x_settled) in world.state().x.iter().zip(&settled) {
            assert!(x.distance(*x_settled) < 0.004, "{method}: {x} from {x_settled}");
        }
    }
}

#[test]
fn chains_stretch_less_than_sweeps() {
    let stretch = METHODS.map(|method| {
        let mut world = world(&format!(
            r#"
            [solver]
            method = "{method}"
            [contact]
            self_collision = false
            [[cloth]]
            position = [0.0, 0.0, 0.0]
            rotation_deg = [0.0, 0.0, -90.0]
            shape = {{ kind = "ribbon", length = 2.0, width = 0.1, segments = [60, 3] }}
            [[cloth.hold]]
            near = [0.0, 1.0, 0.0]
            radius = 0.06
            "#
        ));
        run(&mut world, 45);
        world.advance().largest_stretch
    });
    assert!(stretch[1] < stretch[0], "{stretch:?}");
    assert!(stretch[0] > 1.0, "a hanging strip is under load: {stretch:?}");
}

#[test]
fn a_state_of_another_size_is_not_taken() {
    let mut world = world("[[cloth]]\nshape = { kind = \"grid\", vertices = [4, 4] }");
    let (hash, mut state) = (world.hash(), world.state().clone());
    state.v.pop();
    assert!(!world.set_state(7, state));
    assert_eq!((world.hash(), world.frame()), (hash, 0));
}
