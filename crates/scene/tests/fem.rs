//! The physical model in scenes: same bits, resume, energy, limits, seams, pressure, air.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use toile::{FrameReport, World};
use toile_mesh::DVec3;
use toile_scene::Run;

fn world(text: &str) -> World {
    common::scene(text).world().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn advance(world: &mut World, frames: u32) -> Vec<FrameReport> {
    (0..frames).map(|_| world.advance()).collect()
}

/// A cloth with hysteresis in turbulent flow around a turning ball, held by a moving hand.
fn busy(integrator: &str, air: &str, membrane: &str) -> String {
    format!(
        r#"
        time = {{ duration = 0.3, frame_rate = 60, substeps = 1 }}
        solver = {{ model = "fem", adaptive = false }}
        physics = {{ integrator = "{integrator}", membrane = "{membrane}", preconditioner = "multilevel", strain_limit = 0.05 }}
        air = {{ model = "{air}", wind = [2.0, 0.0, 0.5], gust = 0.5, turbulence = 0.3, cell = 0.15 }}
        [[cloth]]
        fabric = "cotton-poplin"
        position = [0.0, 0.35, 0.0]
        grain_deg = 20.0
        shape = {{ kind = "grid", size = [0.6, 0.6], vertices = [21, 21] }}
        [[cloth.hold]]
        vertices = [0, 20]
        until = 0.215
        path = [{{ time = 0.0 }}, {{ time = 0.4, offset = [0.1, 0.1, 0.0] }}]
        [[obstacle]]
        spin = 1.0
        shape = {{ kind = "sphere", radius = 0.3 }}
        "#
    )
}

#[test]
fn same_bits_for_any_number_of_threads() {
    for (integrator, air, membrane) in
        [("implicit-euler", "open", "corotational"), ("bdf2", "flow", "threads"), ("verlet", "lee", "springs")]
    {
        let text = busy(integrator, air, membrane);
        let hashes: Vec<u64> = [1, 2, 3, 8]
            .into_iter()
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut world = world(&text);
                    advance(&mut world, 5);
                    world.hash()
                })
            })
            .collect();
        assert!(hashes.iter().all(|h| *h == hashes[0]), "{integrator} {air}: {hashes:x?}");
    }
}

#[test]
fn resumed_run_equals_the_uninterrupted_one() {
    for (integrator, air) in [("bdf2", "flow"), ("implicit-midpoint", "lee")] {
        let text = busy(integrator, air, "corotational") + "\n[output]\ncheckpoint_every = 4\njudge_every = 0\n";
        let scene = common::scene(&text);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut first = Run::create(&scene, &path).unwrap();
        for _ in 0..10 {
            first.advance().unwrap();
        }
        drop(first);
        let mut resumed = Run::resume(&path).unwrap();
        assert!(resumed.world().frame() > 0, "a checkpoint was found");
        while !resumed.is_complete() {
            resumed.advance().unwrap();
        }
        let mut whole = world(&text);
        advance(&mut whole, scene.time.frames());
        assert_eq!(resumed.world().hash(), whole.hash(), "{integrator} {air}");
    }
}

#[test]
fn unknown_fabrics_and_impossible_settings_are_refused_by_name() {
    let refused = |text: &str| common::scene(text).world().unwrap_err().to_string();
    let error = refused("solver = { model = \"fem\" }\n[[cloth]]\nfabric = \"cotton-poplim\"");
    assert!(error.contains("cotton-poplim") && error.contains("cotton-poplin"), "{error}");
    let error = refused("solver = { model = \"fem\" }\n[[cloth]]\nseam = [{ from = [0], to = [99999] }]");
    assert!(error.contains("vertex 99999") && error.contains("0 to 2499"), "{error}");
    let error = refused("air = { model = \"flow\", cell = 0.0001 }\n[[cloth]]");
    assert!(error.contains("cell"), "{error}");
    let rule = |text: &str| toile_scene::Scene::from_toml("t.toml", text).unwrap_err().to_string();
    assert!(rule("[[cloth]]\npressure = 5.0").contains("needs finite elements"));
    assert!(rule("solver = { model = \"fem\" }\n[[cloth]]\nseam = [{ from = [0, 1], to = [2] }]").contains("seam"));
}

/// Kinetic, gravity and elastic energy of a world [J].
fn energy(world: &World) -> f64 {
    let gravity = DVec3::from(world.settings().forces.gravity);
    let mut energies = world.stepper().unwrap().energies().clone();
    world.state().kinetic_energy(world.model())
        + world.state().gravity_energy(world.model(), gravity)
        + energies.stored(&world.state().x)
}

#[test]
fn energy_never_grows_without_input() {
    for integrator in ["implicit-euler", "bdf2"] {
        for ratio in [1.0, 1000.0] {
            let text = format!(
                r#"
                time = {{ duration = 1.0, frame_rate = 60, substeps = 1 }}
                solver = {{ model = "fem", adaptive = false }}
                physics = {{ integrator = "{integrator}", effort = "converged", tolerance = 0.01, iterations = 60, linear_tolerance = 0.001, linear_iterations = 3000 }}
                contact = {{ self_collision = false }}
                [[cloth]]
                fabric = "silk-habotai"
                position = [0.0, 1.0, 0.0]
                shape = {{ kind = "grid", size = [0.5, 0.5], vertices = [9, 9] }}
                hold = [{{ vertices = [0, 8] }}]
                "#
            );
            let mut scene = common::scene(&text);
            // A fabric a thousand times as stiff along the warp as along the weft, from a file of its own.
            let folder = tempfile::tempdir().unwrap();
            if ratio > 1.0 {
                let file = folder.path().join("ratio.toml");
                let mut fabric = toile_scene::fabric::find("silk-habotai").unwrap();
                fabric.fabric.stretch_warp = ratio * fabric.fabric.stretch_weft;
                fabric.fabric.poisson = 0.0;
                std::fs::write(&file, fabric.to_toml()).unwrap();
                scene.cloth[0].fabric = file.display().to_string();
            }
            let mut world = scene.world().unwrap();
            let start = energy(&world);
            let mut before = start;
            let mut course = Vec::new();
            for frame in 1..=40 {
                let report = world.advance();
                let now = energy(&world);
                // BDF2 looks back two steps, so that its energy swings a little on the way down; above the start it never is.
                assert!(now <= start * (1.0 + 1e-4), "{integrator}, ratio {ratio}, frame {frame}: {now} from {start}");
                let slack = if integrator == "bdf2" { 0.01 } else { 1e-6 } * start.abs();
                course.push(now);
                assert!(now <= before + slack, "{integrator}, ratio {ratio}, frame {frame}: {start} … {course:?}");
                assert_eq!(report.non_finite, 0);
                before = now;
            }
            assert!(before < start - 0.01 * start.abs(), "it falls");
        }
    }
}

#[test]
fn explicit_methods_take_the_steps_that_stability_needs() {
    for integrator in ["symplectic-euler", "verlet", "rk4"] {
        let text = format!(
            r#"
            time = {{ duration = 0.5, frame_rate = 60, substeps = 1 }}
            solver = {{ model = "fem", adaptive = false }}
            physics = {{ integrator = "{integrator}" }}
            contact = {{ self_collision = false }}
            [[cloth]]
            fabric = "denim"
            position = [0.0, 1.0, 0.0]
            shape = {{ kind = "grid", size = [0.4, 0.4], vertices = [9, 9] }}
            hold = [{{ vertices = [0, 8] }}]
            "#
        );
        let mut world = world(&text);
        let start = energy(&world);
        for report in advance(&mut world, 20) {
            assert_eq!(report.non_finite, 0, "{integrator}");
            assert!(report.integration.unwrap().parts > 1, "{integrator}: a step of 1/60 s is too long");
            assert!(energy(&world) <= start * 1.001, "{integrator}: {} from {start}", energy(&world));
        }
        assert!(world.state().center_of_mass(world.model()).y < 0.95, "{integrator}: it falls");
    }
}

#[test]
fn threads_keep_the_strain_limit_at_every_frame() {
    let text = r#"
        time = { duration = 1.0, frame_rate = 60, substeps = 1 }
        solver = { model = "fem", adaptive = false }
        physics = { strain_limit = 0.02 }
        contact = { self_collision = false }
        [[cloth]]
        fabric = "jersey-knit"
        position = [0.0, 1.0, 0.0]
        shape = { kind = "grid", size = [0.8, 0.8], vertices = [17, 17] }
        hold = [{ vertices = [0, 16] }]
        "#;
    let mut limited = world(text);
    let mut free = world(&text.replace("strain_limit = 0.02", ""));
    let largest = |reports: &[FrameReport]| {
        reports.iter().map(|r| r.integration.unwrap().largest_thread_strain).fold(0.0, f64::max)
    };
    let (limited, free) = (largest(&advance(&mut limited, 60)), largest(&advance(&mut free, 60)));
    assert!(free > 0.04, "knitwear stretches by itself: {free}");
    assert!(limited <= 0.02 * (1.0 + 1e-6), "{limited}");
}

#[test]
fn seams_close() {
    // A strip rolled into a tube: its two ends are sewn together.
    let text = r#"
        time = { duration = 1.0, frame_rate = 60, substeps = 2 }
        solver = { model = "fem", adaptive = false }
        forces = { gravity = [0.0, 0.0, 0.0] }
        contact = { self_collision = false }
        [[cloth]]
        fabric = "cotton-poplin"
        shape = { kind = "ribbon", length = 0.4, width = 0.1, segments = [20, 5] }
        seam = [{ from = [0, 21, 42, 63, 84, 105], to = [20, 41, 62, 83, 104, 125], stiffness = 20.0 }]
        "#;
    let scene = common::scene(text);
    let mut world = scene.world().unwrap();
    // Bent a little, so that it knows which way to close.
    let mut state = world.state().clone();
    for x in &mut state.x {
        x.y += 2.0 * x.x * x.x;
    }
    assert!(world.set_state(0, state));
    let gap = |world: &World| world.state().x[0].distance(world.state().x[20]);
    let before = gap(&world);
    let reports = advance(&mut world, 60);
    assert!(before > 0.3 && gap(&world) < 0.01, "{before} → {}", gap(&world));
    assert!(reports.iter().all(|r| r.non_finite == 0));
}

#[test]
fn falling_sheet_reaches_its_terminal_velocity() {
    // σ = 0.15, C_D = 1.28, ρ = 1.2: 1.3842 m/s, if it stays flat; so it is held flat by being stiff and short of time to tip.
    for model in ["fem", "constraint"] {
        let text = format!(
            r#"
            time = {{ duration = 1.5, frame_rate = 60, substeps = 2 }}
            solver = {{ model = "{model}", adaptive = false, damping = 1.0 }}
            contact = {{ self_collision = false }}
            air = {{ model = "open", lift = 0.0, skin = 0.0 }}
            [[cloth]]
            fabric = "cotton-poplin"
            areal_density = 0.15
            position = [0.0, 10.0, 0.0]
            shape = {{ kind = "grid", size = [0.3, 0.3], vertices = [7, 7] }}
            "#
        );
        let mut world = world(&text);
        advance(&mut world, 60);
        let v = world.state().v.iter().map(|v| -v.y).sum::<f64>() / 49.0;
        assert!((v / 1.3842 - 1.0).abs() < 0.01, "{model}: {v}");
    }
}

#[test]
fn pressure_blows_up_a_closed_cloth() {
    // A tetrahedron as a mesh file: closed, counter-clockwise from outside.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bag.obj");
    let text = "v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(&file, text).unwrap();
    let scene = format!(
        r#"
        time = {{ duration = 0.2, frame_rate = 60, substeps = 2 }}
        solver = {{ model = "fem", adaptive = false }}
        forces = {{ gravity = [0.0, 0.0, 0.0] }}
        contact = {{ self_collision = false }}
        [[cloth]]
        fabric = "jersey-knit"
        pressure = 500.0
        shape = {{ kind = "file", path = {file:?} }}
        "#,
    );
    let mut world = world(&scene);
    let volume = |world: &World| {
        let mesh = world.cloth_mesh();
        mesh.faces().map(|f| mesh.corners(f)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum::<f64>()
    };
    let before = volume(&world);
    advance(&mut world, 12);
    assert!(before > 0.0 && volume(&world) > 1.05 * before, "{before} → {}", volume(&world));
}

#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_large_sheets_of_all_kinds_do_not_blow_up() {
    for fabric in ["silk-habotai", "cotton-poplin", "wool-suiting", "denim"] {
        let text = format!(
            r#"
            time = {{ duration = 0.25, frame_rate = 60, substeps = 1 }}
            solver = {{ model = "fem", adaptive = false }}
            physics = {{ preconditioner = "multilevel" }}
            contact = {{ self_collision = false }}
            [[cloth]]
            fabric = "{fabric}"
            position = [0.0, 1.0, 0.0]
            shape = {{ kind = "grid", size = [1.0, 1.0], vertices = [100, 100] }}
            hold = [{{ vertices = [0, 99] }}]
            "#
        );
        let mut world = world(&text);
        let start = energy(&world);
        for report in advance(&mut world, 15) {
            assert_eq!(report.non_finite, 0, "{fabric}");
            assert!(report.top_speed < 10.0 && report.largest_stretch < 1.5, "{fabric}: {report:?}");
        }
        assert!(energy(&world) < start, "{fabric}");
    }
}
