//! The responses to contact: what each keeps, and what it promises besides.
//!
//! The guard keeps any response clean, so that clean frames alone say nothing of a response. What each can do **alone**, with
//! `contact.guard = false`, is in [`ALONE`]; with the guard, threads, energy and rest tell whether it had to be helped by force.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use toile::{FrameReport, World};
use toile_mesh::DVec3;
use toile_scene::Scene;

/// Every response with every model that has it.
const EVERY: [[&str; 2]; 9] = [
    ["solved", "fem"],
    ["solved", "constraint"],
    ["impulse", "fem"],
    ["impulse", "constraint"],
    ["zones", "fem"],
    ["zones", "constraint"],
    ["constraint", "fem"],
    ["particles", "fem"],
    ["particles", "constraint"],
];

fn head([response, model]: [&str; 2]) -> String {
    format!("solver = {{ model = \"{model}\" }}\ncontact = {{ response = \"{response}\" }}")
}

fn sheet_on_sheet(case: [&str; 2]) -> String {
    let head = head(case);
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

fn sheet_on_ball(case: [&str; 2], triangulate: bool) -> String {
    let head = head(case);
    format!(
        r#"
        {head}
        [[cloth]]
        position = [0.02, 0.23, 0.01]
        rotation_deg = [0.0, 20.0, 0.0]
        shape = {{ kind = "grid", size = [0.4, 0.4], vertices = [12, 12] }}
        [[obstacle]]
        triangulate = {triangulate}
        position = [0.0, 0.1, 0.0]
        shape = {{ kind = "sphere", radius = 0.1 }}
        "#
    )
}

/// With the guard: what it need not do by force strains nothing and gives no energy.
#[test]
fn a_sheet_on_a_sheet_is_borne_by_every_response() {
    for case in EVERY {
        let text = sheet_on_sheet(case);
        let course = course(&mut common::scene(&text).world().unwrap(), 20, &text);
        assert!(course.touching > 2, "{case:?} had {} frames with contacts", course.touching);
        assert!(course.strain < most_strain(case, false), "{case:?} strained by {}", course.strain);
        assert!(course.rise < most_rise(case), "{case:?}: energy rose by {} of what was lost", course.rise);
    }
}

#[test]
fn a_sheet_on_a_ball_is_borne_by_every_response() {
    for case in EVERY {
        for triangulate in [false, true] {
            let text = sheet_on_ball(case, triangulate);
            let course = course(&mut common::scene(&text).world().unwrap(), 16, &text);
            let name = format!("{case:?}, triangulate = {triangulate}");
            assert!(course.touching > 2, "{name} had {} frames with contacts", course.touching);
            assert!(course.strain < most_strain(case, triangulate), "{name} strained by {}", course.strain);
            assert!(course.rise < most_rise(case), "{name}: energy rose by {} of what was lost", course.rise);
        }
    }
}

/// Strain that a fall of some centimetres may leave in a frame. Corrections after a step strain edges where cloth lands on the triangles of
/// a `mesh`: impulses and zones move single particles, and particles of the constraint model are kept from meshes by the guard alone.
fn most_strain([response, model]: [&str; 2], mesh: bool) -> f64 {
    match (model, response, mesh) {
        ("fem", ..) => 0.02,
        (_, "impulse" | "zones", true) => 0.15,
        (_, "particles", true) => 0.25,
        _ => 0.08,
    }
}

/// Share of the energy lost that may come back. Projections of the constraint model lift what they part, which is no motion.
fn most_rise([_, model]: [&str; 2]) -> f64 {
    if model == "fem" { 0.01 } else { 0.05 }
}

/// A response with a model, and the scenes in which it keeps cloth clean without the guard.
struct Alone {
    response: &'static str,
    model: &'static str,
    /// A sheet of which the edges hang down from a ball, exact and as a mesh.
    ball: [bool; 2],
    /// Sheets that fall onto each other on a table.
    stack: bool,
}

/// All of them bear a sheet that falls slowly onto a table.
///
/// - Forbidden directions know no friction: on a ball cloth slides off. With cloth on cloth they need the guard.
/// - Links of finite elements are soft: sheets that arrive flat, with all their mass at once, overrun them.
/// - Zones leave what particles do in their cluster: with the constraint model cloth sinks into a round mesh.
/// - Particles of the constraint model are kept from particles and from exact obstacles, but not from meshes. They keep coarse sheets so far
///   apart that the uppermost of a stack slides off.
const ALONE: [Alone; 9] = [
    Alone { response: "solved", model: "fem", ball: [true, true], stack: false },
    Alone { response: "solved", model: "constraint", ball: [true, true], stack: true },
    Alone { response: "impulse", model: "fem", ball: [true, true], stack: false },
    Alone { response: "impulse", model: "constraint", ball: [true, true], stack: true },
    Alone { response: "zones", model: "fem", ball: [true, true], stack: false },
    Alone { response: "zones", model: "constraint", ball: [true, false], stack: true },
    Alone { response: "constraint", model: "fem", ball: [false, false], stack: false },
    Alone { response: "particles", model: "fem", ball: [true, true], stack: true },
    Alone { response: "particles", model: "constraint", ball: [true, false], stack: false },
];

impl Alone {
    fn head(&self) -> String {
        let Self { response, model, .. } = self;
        format!("solver = {{ model = \"{model}\" }}\ncontact = {{ response = \"{response}\", guard = false }}\n")
    }
}

/// Kinetic, potential and elastic energy [J].
fn energy(world: &World, report: &FrameReport) -> f64 {
    let elastic = world.stepper().map_or(0.0, |stepper| stepper.clone().energies_mut().stored(&world.state().x));
    report.kinetic_energy + report.gravity_energy + elastic
}

/// What a run went through.
struct Course {
    /// Largest strain of threads in any frame, or of edges of the constraint model.
    strain: f64,
    /// Strain where it ends.
    last_strain: f64,
    /// Largest rise of energy above the least that it had before, relative to all that was lost in the end.
    rise: f64,
    /// Fastest particle in the last frame [m/s].
    speed: f64,
    /// Frames with contacts.
    touching: usize,
}

/// Runs so many frames, all of them clean.
#[track_caller]
fn course(world: &mut World, frames: u32, text: &str) -> Course {
    let mut course = Course { strain: 0.0, last_strain: 0.0, rise: 0.0, speed: 0.0, touching: 0 };
    let (mut first, mut least) = (f64::NAN, f64::INFINITY);
    for frame in 0..frames {
        let report = world.advance();
        assert_eq!((report.non_finite, report.meeting), (0, 0), "frame {frame} of\n{text}");
        let verdict = world.judge();
        assert!(verdict.is_clean(), "{verdict:?} in frame {frame} of\n{text}");
        course.last_strain = report.integration.map_or(report.largest_stretch - 1.0, |i| i.largest_thread_strain);
        course.strain = course.strain.max(course.last_strain);
        course.speed = report.top_speed;
        let is_touching = report.touching + report.obstacle_contacts > 0 || report.smallest_separation < 1.0;
        course.touching += usize::from(is_touching);
        let now = energy(world, &report);
        first = if frame == 0 { now } else { first };
        least = least.min(now);
        course.rise = course.rise.max(now - least);
    }
    course.rise /= first - least;
    course
}

/// A sheet that falls 3 cm onto a table lies still on it, at the distance kept.
#[test]
fn every_response_alone_bears_a_sheet_on_a_table() {
    for alone in &ALONE {
        let text = alone.head()
            + r#"
            [[cloth]]
            position = [0.0, 0.03, 0.0]
            rotation_deg = [4.0, 20.0, 3.0]
            shape = { kind = "grid", size = [0.3, 0.3], vertices = [8, 8] }
            [[obstacle]]
            friction = 0.5
            shape = { kind = "plane" }
            "#;
        let mut world = common::scene(&text).world().unwrap();
        let course = course(&mut world, 45, &text);
        let heights = world.state().x.iter().map(|x| x.y);
        let (low, high) = heights.fold((f64::INFINITY, 0.0), |(low, high), y| (y.min(low), y.max(high)));
        assert!(0.0025 < low && high < 0.0035, "at {low} m to {high} m with\n{text}");
        assert!(world.rests(), "{} m/s with\n{text}", course.speed);
        let most = if alone.model == "fem" { 0.01 } else { 0.03 };
        assert!(course.strain < most, "strain {} with\n{text}", course.strain);
        assert!(course.rise < 0.01, "energy rose by {} with\n{text}", course.rise);
    }
}

/// A sheet lies over a ball: its middle at the distance kept, its rim below.
#[test]
fn responses_alone_bear_a_sheet_on_a_ball() {
    for alone in &ALONE {
        for triangulate in [false, true].into_iter().filter(|mesh| alone.ball[usize::from(*mesh)]) {
            let text = alone.head()
                + &format!(
                    r#"
                    [[cloth]]
                    position = [0.0, 0.215, 0.0]
                    rotation_deg = [0.0, 20.0, 0.0]
                    shape = {{ kind = "grid", size = [0.24, 0.24], vertices = [12, 12] }}
                    [[obstacle]]
                    triangulate = {triangulate}
                    friction = 0.5
                    position = [0.0, 0.1, 0.0]
                    shape = {{ kind = "sphere", radius = 0.1 }}
                    "#
                );
            let mut world = common::scene(&text).world().unwrap();
            let course = course(&mut world, 30, &text);
            let top = world.state().x.iter().map(|x| x.y).fold(0.0, f64::max);
            assert!(course.touching > 0 && (0.2005..0.206).contains(&top), "at {top} m with\n{text}");
            let most = if alone.model == "fem" { 0.02 } else { 0.04 };
            assert!(course.strain < most, "strain {} with\n{text}", course.strain);
            assert!(course.rise < 0.05, "energy rose by {} with\n{text}", course.rise);
            assert!(course.speed < 0.3, "{} m/s with\n{text}", course.speed);
        }
    }
}

/// Three sheets fall onto a table, one on the other: none goes through the one below.
#[test]
fn responses_alone_bear_a_stack() {
    for alone in ALONE.iter().filter(|alone| alone.stack) {
        let mut text = alone.head() + "[[obstacle]]\nfriction = 0.5\nshape = { kind = \"plane\" }\n";
        for i in 0..3 {
            let i = f64::from(i);
            let cloth = format!(
                "[[cloth]]\nposition = [{}, {}, {}]\nrotation_deg = [0.0, {}, 0.0]\n",
                0.01 * i,
                0.02 + 0.02 * i,
                0.007 * i,
                13.0 * i
            );
            text.push_str(&cloth);
            text += "shape = { kind = \"grid\", size = [0.2, 0.2], vertices = [6, 6] }\n";
        }
        let mut world = common::scene(&text).world().unwrap();
        let course = course(&mut world, 20, &text);
        let x = &world.state().x;
        let [low, mid, high] = [0..36, 36..72, 72..108].map(|range| mean(&x[range]).y);
        assert!(0.001 < low && low + 0.0005 < mid && mid + 0.0005 < high, "{low} {mid} {high} with\n{text}");
        assert!(course.strain < 0.04, "strain {} with\n{text}", course.strain);
    }
}

/// A ribbon that stands on its end, tilted to `angle` [°] from the table, topples and piles up (Kimmerle 2005, figure 3.1).
fn ribbon(response: &str, angle: f64, length: f64, segments: [u32; 2]) -> String {
    let (width, middle) = (length * 0.06, 0.5 * length + 0.02);
    format!(
        r#"
        solver = {{ model = "fem" }}
        contact = {{ response = "{response}" }}
        [[cloth]]
        position = [0.0, {middle}, 0.0]
        rotation_deg = [0.0, 0.0, {angle}]
        shape = {{ kind = "ribbon", length = {length}, width = {width}, segments = {segments:?} }}
        [[obstacle]]
        friction = 0.5
        shape = {{ kind = "plane" }}
        "#
    )
}

/// Responses of finite elements.
const OF_FINITE_ELEMENTS: [&str; 5] = ["solved", "impulse", "zones", "constraint", "particles"];

/// Threads stay short in every frame, nothing gives energy, and the ribbon comes to lie on the table, lower than `height` [m].
#[track_caller]
fn assert_piles_up(text: &str, frames: u32, height: f64) {
    let mut world = common::scene(text).world().unwrap();
    let course = course(&mut world, frames, text);
    assert!(course.touching > 0 && course.strain < 0.05, "threads strained by {} in\n{text}", course.strain);
    assert!(course.last_strain < 0.02, "threads strained by {} in the end of\n{text}", course.last_strain);
    assert!(course.rise < 0.02, "energy rose by {} of what was lost in\n{text}", course.rise);
    assert!(course.speed < 0.2, "{} m/s in the end of\n{text}", course.speed);
    let [low, high] = [f64::min, f64::max].map(|most| world.state().x.iter().map(|x| x.y).reduce(most).unwrap());
    assert!(low < 0.005 && high < height, "from {low} m to {high} m in\n{text}");
}

#[test]
fn a_ribbon_piles_up_with_every_response_of_finite_elements() {
    for response in OF_FINITE_ELEMENTS {
        assert_piles_up(&ribbon(response, 87.0, 0.6, [24, 2]), 50, 0.2);
    }
}

/// A landing is chaotic: single starts that go well say little.
#[test]
fn a_ribbon_piles_up_from_any_start() {
    for angle in [85.0, 86.3, 87.7, 89.0] {
        assert_piles_up(&ribbon("solved", angle, 0.6, [24, 2]), 50, 0.2);
    }
}

/// The ribbon of the thesis: 2 m, 2,560 triangles.
#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_the_ribbon_of_the_thesis_piles_up_with_every_response() {
    for response in OF_FINITE_ELEMENTS {
        assert_piles_up(&ribbon(response, 87.0, 2.0, [160, 8]), 90, 0.3);
    }
}

/// A known gap: from some starts the ribbon of the thesis still gains energy with the default response.
#[test]
#[ignore = "a known gap: energy rises from some starts; run by hand in release"]
fn gap_the_ribbon_of_the_thesis_piles_up_from_any_start() {
    for angle in [85.0, 86.0, 86.7, 87.2, 88.0] {
        assert_piles_up(&ribbon("solved", angle, 2.0, [160, 8]), 60, 0.3);
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
    let mut world = scene.world().unwrap();
    let mut state = world.state().clone();
    state.v[64..].fill(DVec3::new(aside, -down, 0.3 * aside));
    assert!(world.set_state(0, state));
    world
}

#[test]
fn free_sheets_that_collide_keep_their_momentum() {
    for (response, model) in [("impulse", "constraint"), ("zones", "constraint"), ("impulse", "fem"), ("zones", "fem")]
    {
        let mut world = collide(&two_free_sheets(response, model, 0.0), 1.0, 0.1);
        let before = momentum(&world, 0..128);
        let (mut touched, mut zones, mut left) = (0, 0, 0);
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
            zones += report.zones.map_or(0, |z| z.zones);
            left += report.zones.map_or(0, |z| z.left);
        }
        assert!(touched > 0);
        // Flat sheets are the rigid clusters that zones are made for: nothing is left to impulses.
        assert!(response != "zones" || zones > 0 && left == 0, "{model}: {zones} zones left {left} pairs of faces");
        let lower = momentum(&world, 0..64);
        assert!(lower.y < 0.3 * before.y, "{response}, {model}: the lower sheet was hit, {lower} of {before}");
    }
}

#[test]
fn restitution_gives_back_its_share_of_the_approach() {
    let cases = [("impulse", "constraint"), ("zones", "constraint"), ("impulse", "fem"), ("zones", "fem")];
    for (response, model) in cases {
        for restitution in [0.0, 0.5] {
            let mut world = collide(&two_free_sheets(response, model, restitution), 1.0, 0.0);
            for _ in 0..4 {
                world.advance();
            }
            let [lower, upper] = [0..64, 64..128].map(|range| {
                let mass: f64 = world.model().mass[range.clone()].iter().sum();
                momentum(&world, range).y / mass
            });
            let parting = upper - lower;
            assert!((parting - restitution).abs() < 0.05, "{response}, {model}: {restitution} gave {parting}");
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
        guard = false
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
        let mut world = common::scene(&slope(angle, triangulate, "")).world().unwrap();
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
        let mut world = common::scene(&slope(0.0, triangulate, hold)).world().unwrap();
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
    let cases = [["impulse", "constraint"], ["zones", "constraint"], ["constraint", "fem"], ["particles", "fem"]];
    for case in cases {
        for text in [sheet_on_sheet(case), sheet_on_ball(case, true)] {
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut world = common::scene(&text).world().unwrap();
                    for _ in 0..12 {
                        world.advance();
                    }
                    world.hash()
                })
            };
            assert_eq!(run(1), run(2), "{case:?}");
        }
    }
}
