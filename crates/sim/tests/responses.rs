//! The responses to contact other than the default: what each keeps, and what it promises besides.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use toile::World;
use toile::mesh::DVec3;
use toile::scene::Scene;

/// A response with the model that it needs.
fn head(response: &str) -> String {
    let model = if response == "constraint" { "fem" } else { "constraint" };
    format!("solver = {{ model = \"{model}\" }}\ncontact = {{ response = \"{response}\" }}")
}

fn sheet_on_sheet(response: &str) -> String {
    let head = head(response);
    format!(
        r#"
        {head}
        [[cloth]]
        position = [0.0, 0.2, 0.0]
        shape = {{ kind = "grid", size = [0.4, 0.4], vertices = [12, 12] }}
        [[cloth.hold]]
        vertices = [0, 11, 132, 143]
        [[cloth]]
        position = [0.03, 0.26, 0.02]
        rotation_deg = [0.0, 25.0, 5.0]
        shape = {{ kind = "grid", size = [0.25, 0.25], vertices = [12, 12] }}
        "#
    )
}

fn sheet_on_ball(response: &str, triangulate: bool) -> String {
    let head = head(response);
    format!(
        r#"
        {head}
        [[cloth]]
        position = [0.02, 0.24, 0.01]
        rotation_deg = [0.0, 20.0, 0.0]
        shape = {{ kind = "grid", size = [0.4, 0.4], vertices = [12, 12] }}
        [[obstacle]]
        triangulate = {triangulate}
        position = [0.0, 0.1, 0.0]
        shape = {{ kind = "sphere", radius = 0.1 }}
        "#
    )
}

/// Judges every frame; returns how many had contacts.
#[track_caller]
fn assert_clean(text: &str, frames: u32) -> usize {
    let mut world = World::new(&common::scene(text)).unwrap();
    let mut touching = 0;
    for _ in 0..frames {
        let report = world.advance();
        assert_eq!((report.non_finite, report.meeting), (0, 0), "frame {} of\n{text}", report.frame);
        let verdict = world.judge();
        assert!(verdict.is_clean(), "{verdict:?} in\n{text}");
        touching += usize::from(report.touching + report.obstacle_contacts > 0);
    }
    touching
}

#[test]
fn a_sheet_on_a_sheet_stays_clean_with_every_response() {
    for response in ["impulse", "zones", "constraint"] {
        assert!(assert_clean(&sheet_on_sheet(response), 20) > 2, "{response} had no contacts");
    }
}

#[test]
fn a_sheet_on_a_ball_stays_clean_with_every_response() {
    for response in ["impulse", "zones", "constraint"] {
        for triangulate in [false, true] {
            let touching = assert_clean(&sheet_on_ball(response, triangulate), 16);
            assert!(touching > 2, "{response} had no contacts, triangulate = {triangulate}");
        }
    }
}

/// Two flat sheets of different size in free flight, one above the other.
fn two_free_sheets(response: &str, model: &str, restitution: f64) -> Scene {
    common::scene(&format!(
        r#"
        [time]
        frame_rate = 120.0
        substeps = 1
        [solver]
        model = "{model}"
        damping = 1.0
        [forces]
        gravity = [0.0, 0.0, 0.0]
        [contact]
        response = "{response}"
        restitution = {restitution}
        [[cloth]]
        friction = 0.0
        position = [0.0, 0.0, 0.0]
        shape = {{ kind = "grid", size = [0.3, 0.3], vertices = [8, 8] }}
        [[cloth]]
        friction = 0.0
        position = [0.0, 0.02, 0.0]
        shape = {{ kind = "grid", size = [0.3, 0.3], vertices = [8, 8] }}
        "#
    ))
}

/// Momentum of the particles in `range` [kg m/s].
fn momentum(world: &World, range: std::ops::Range<usize>) -> DVec3 {
    range.map(|i| world.state().v[i] * world.model().mass[i]).sum()
}

/// The world with its upper sheet flying down and aside [m/s].
fn collide(scene: &Scene, down: f64, aside: f64) -> World {
    let mut world = World::new(scene).unwrap();
    let mut state = world.state().clone();
    state.v[64..].fill(DVec3::new(aside, -down, 0.3 * aside));
    assert!(world.restore(0, state));
    world
}

#[test]
fn free_sheets_that_collide_keep_their_momentum() {
    for (response, model) in [("impulse", "constraint"), ("zones", "constraint"), ("impulse", "fem"), ("zones", "fem")]
    {
        let mut world = collide(&two_free_sheets(response, model, 0.0), 1.0, 0.1);
        let before = momentum(&world, 0..128);
        let mut touched = 0;
        for _ in 0..6 {
            // Bounded implicit solves of sheets that the collision has bent leave forces over: the step itself counts.
            if touched > 0 && model == "fem" {
                break;
            }
            let report = world.advance();
            touched += report.touching + report.zones.map_or(0, |z| z.zones);
            assert_eq!(report.taken_back, 0, "{response}, {model}");
            let after = momentum(&world, 0..128);
            let error = after.distance(before) / before.length();
            assert!(error < 1e-12, "{response}, {model}: {error:e} in frame {}", report.frame);
        }
        assert!(touched > 0);
        let lower = momentum(&world, 0..64);
        assert!(lower.y < 0.3 * before.y, "{response}, {model}: the lower sheet was hit, {lower} of {before}");
    }
}

#[test]
fn restitution_gives_back_its_share_of_the_approach() {
    for response in ["impulse", "zones"] {
        for restitution in [0.0, 0.5] {
            let mut world = collide(&two_free_sheets(response, "constraint", restitution), 1.0, 0.0);
            for _ in 0..4 {
                world.advance();
            }
            let [lower, upper] = [0..64, 64..128].map(|range| {
                let mass: f64 = world.model().mass[range.clone()].iter().sum();
                momentum(&world, range).y / mass
            });
            let parting = upper - lower;
            assert!((parting - restitution).abs() < 0.02, "{response}: {restitution} gave {parting}");
        }
    }
}

/// A sheet parallel to a slope of `angle` [°], at the distance kept; `more` goes into the cloth.
fn slope(angle: f64, triangulate: bool, more: &str) -> String {
    // The slope's upper face goes through the origin.
    let (sin, cos) = angle.to_radians().sin_cos();
    let (half, keep) = (0.05, 0.0031);
    format!(
        r#"
        [time]
        substeps = 4
        [solver]
        model = "fem"
        [contact]
        response = "constraint"
        self_collision = false
        [[cloth]]
        position = [{}, {}, 0.0]
        rotation_deg = [0.0, 0.0, {angle}]
        shape = {{ kind = "grid", size = [0.2, 0.2], vertices = [6, 6] }}
        {more}
        [[obstacle]]
        name = "slope"
        triangulate = {triangulate}
        friction = 0.8
        position = [{}, {}, 0.0]
        rotation_deg = [0.0, 0.0, {angle}]
        shape = {{ kind = "box", size = [6.0, 0.1, 2.0] }}
        "#,
        -sin * keep,
        cos * keep,
        half * sin,
        -half * cos,
    )
}

fn mean(x: &[DVec3]) -> DVec3 {
    x.iter().sum::<DVec3>() / x.len() as f64
}

#[test]
fn a_constrained_sheet_slides_down_a_slope_without_friction() {
    let angle = 30.0_f64;
    for triangulate in [false, true] {
        let mut world = World::new(&common::scene(&slope(angle, triangulate, ""))).unwrap();
        for _ in 0..15 {
            world.advance();
            assert!(world.judge().is_clean());
        }
        let down = DVec3::new(-angle.to_radians().cos(), -angle.to_radians().sin(), 0.0);
        let speed = mean(&world.state().v).dot(down);
        let expected = 9.81 * angle.to_radians().sin() * world.time();
        assert!((speed / expected - 1.0).abs() < 0.02, "{speed} instead of {expected}, triangulate = {triangulate}");
        let up = DVec3::new(down.y, -down.x, 0.0);
        let off = mean(&world.state().x).dot(up);
        assert!((off - 0.003).abs() < 2e-4, "{off} m above the slope");
    }
}

#[test]
fn a_constrained_sheet_lifts_off_when_it_is_pulled_up() {
    let hold = r"
        [[cloth.hold]]
        vertices = [0, 1, 2, 3, 4, 5]
        path = [{ time = 0.2 }, { time = 0.7, offset = [0.0, 0.3, 0.0] }]
    ";
    for triangulate in [false, true] {
        let mut world = World::new(&common::scene(&slope(0.0, triangulate, hold))).unwrap();
        let mut most = 0;
        for _ in 0..30 {
            let report = world.advance();
            most = most.max(report.obstacle_contacts);
            assert!(world.judge().is_clean());
        }
        assert!(
            most >= 24,
            "of 30 particles that are not held {most} lie on the obstacle, triangulate = {triangulate}"
        );
        let lowest = world.state().x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.05, "lowest at {lowest} m, triangulate = {triangulate}");
    }
}

#[test]
fn what_constraints_cannot_do_is_refused_with_its_reason() {
    let refused = |text: &str, reason: &str| {
        let error = Scene::from_toml("test.toml", text).unwrap_err();
        let words = format!("{error:?}");
        assert!(words.contains(reason), "{words} does not say {reason}");
    };
    let scene = |solver: &str, obstacle: &str| {
        format!("[solver]\n{solver}\n[contact]\nresponse = \"constraint\"\n[[cloth]]\n[[obstacle]]\n{obstacle}\n")
    };
    refused(&scene("", ""), "needs finite elements");
    let explicit = "model = \"fem\"\n[physics]\nintegrator = \"verlet\"";
    refused(&scene(explicit, ""), "needs an implicit integrator");
    let fem = "model = \"fem\"";
    for motion in ["velocity = [0.1, 0.0, 0.0]", "spin = 1.0", "shape = { kind = \"wave\" }"] {
        refused(&scene(fem, motion), "for obstacles at rest");
    }
    common::scene(&scene(fem, "position = [0.0, 0.1, 0.0]"));
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for response in ["impulse", "zones", "constraint"] {
        for text in [sheet_on_sheet(response), sheet_on_ball(response, true)] {
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut world = World::new(&common::scene(&text)).unwrap();
                    for _ in 0..12 {
                        world.advance();
                    }
                    world.hash()
                })
            };
            assert_eq!(run(1), run(2), "{response}");
        }
    }
}
