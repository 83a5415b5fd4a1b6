//! Cloth that is cut while it is simulated: what is cut loose falls, nothing crosses, and records, threads and resumes do not
//! notice.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;
#[path = "common/stops.rs"]
mod stops;

use stops::{on_threads, recorded, whole_run};
use toile::{World, WorldError};
use toile_mesh::{DVec3, Topology};
use toile_scene::{BuildError, Run, RunReader, checkpoint};

/// A level sheet, held all round, without air; what is appended cuts it.
fn level(model: &str, rest: &str) -> String {
    let rim: Vec<String> = (0..121).filter(|i| i / 11 % 10 == 0 || i % 11 % 10 == 0).map(|i| i.to_string()).collect();
    format!(
        r#"
        [time]
        duration = 0.4
        frame_rate = 30
        [solver]
        model = "{model}"
        damping = 1.0
        [[cloth]]
        fabric = "cotton-poplin"
        shape = {{ kind = "grid", size = [0.5, 0.5], vertices = [11, 11] }}
        hold = [{{ vertices = [{}] }}]
        {rest}
        "#,
        rim.join(", ")
    )
}

/// A closed path around the middle.
const DISC: &str =
    "path = [[0.13, 0.0], [0.07, 0.12], [-0.08, 0.11], [-0.14, 0.01], [-0.06, -0.12], [0.06, -0.12], [0.13, 0.0]]";

fn disc(at: f64, remove: bool) -> String {
    let remove = if remove { "remove = [0.01, 0.02]" } else { "" };
    format!("[[scissors]]\ncloth = \"cloth-1\"\nat = {at}\n{DISC}\n{remove}")
}

/// Particles of the piece that holds the one nearest to a place of the flat cloth.
fn piece(world: &World, place: DVec3) -> Vec<usize> {
    let topology = Topology::new(&world.cloth_mesh());
    let far = |i: &usize| world.model().rest[*i].distance(place);
    let middle = (0..world.model().rest.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap();
    let part = topology.part_of_vertex[middle];
    (0..world.model().rest.len()).filter(|i| topology.part_of_vertex[*i] == part).collect()
}

#[test]
fn a_piece_cut_loose_falls_freely() {
    for model in ["constraint", "fem"] {
        // A strip hangs from its upper edge and is cut across when it begins to move.
        let text = format!(
            r#"
            [time]
            frame_rate = 30
            [solver]
            model = "{model}"
            damping = 1.0
            [[cloth]]
            rotation_deg = [90.0, 0.0, 0.0]
            fabric = "cotton-poplin"
            shape = {{ kind = "grid", size = [0.2, 0.4], vertices = [5, 9] }}
            hold = [{{ vertices = [0, 1, 2, 3, 4] }}]
            [[scissors]]
            cloth = "cloth-1"
            path = [[-0.1, 0.03], [0.0, -0.02], [0.1, 0.01]]
            "#
        );
        let mut world = common::scene(&text).world().unwrap();
        world.advance();
        let loose = piece(&world, DVec3::Z * 0.2);
        assert!((25..40).contains(&loose.len()), "{model}");
        let mass: f64 = loose.iter().map(|i| world.model().mass[*i]).sum();
        let start: DVec3 = loose.iter().map(|i| world.model().rest[*i] * (world.model().mass[*i] / mass)).sum();
        for frame in 1..=8 {
            let t = f64::from(frame) / 30.0;
            let mean = |of: &[DVec3]| loose.iter().map(|i| of[*i] * (world.model().mass[*i] / mass)).sum::<DVec3>();
            let v = mean(&world.state().v);
            assert!((v - DVec3::Y * (-9.81 * t)).length() < 1e-6 * 9.81 * t, "{model}: {v} after {t} s");
            // Steps of h that go with the velocity at their end, or their beginning, are off by g t h / 2.
            let fallen = 1.0 - start.z - mean(&world.state().x).y;
            assert!((fallen - 0.5 * 9.81 * t * t).abs() < 9.81 * t / 240.0 + 1e-4, "{model}: {fallen} m after {t} s");
            assert!(world.judge().is_clean(), "{model}");
            world.advance();
        }
    }
}

/// A banner in the wind that is slit twice, has a piece cut out that falls on a ball, and one taken away.
fn busy(model: &str) -> String {
    format!(
        r#"
        [time]
        duration = 0.4
        frame_rate = 30
        [solver]
        model = "{model}"
        adaptive = false
        [air]
        model = "open"
        wind = [0.5, 0.0, -1.5]
        turbulence = 0.5
        [[cloth]]
        name = "banner"
        rotation_deg = [80.0, 0.0, 0.0]
        shape = {{ kind = "grid", size = [0.5, 0.5], vertices = [9, 9] }}
        hold = [{{ vertices = [0, 1, 2, 3, 4, 5, 6, 7, 8] }}]
        [[cloth]]
        position = [0.0, 0.7, 0.1]
        shape = {{ kind = "disc", radius = 0.15, rings = 2 }}
        [[obstacle]]
        position = [0.0, 0.5, 0.1]
        shape = {{ kind = "sphere", radius = 0.15 }}
        [[scissors]]
        cloth = "banner"
        at = 0.0667
        path = [[-0.09, 0.25], [-0.06, -0.03]]
        [[scissors]]
        cloth = "banner"
        at = 0.1
        path = [[0.1, -0.25], [0.07, -0.02], [0.25, 0.0]]
        remove = [0.2, -0.2]
        [[scissors]]
        cloth = "banner"
        at = 0.1334
        path = [[0.0, 0.05], [0.15, 0.06], [0.14, 0.19], [0.02, 0.18], [0.0, 0.05]]
        [[scissors]]
        cloth = "banner"
        at = 0.2
        path = [[-0.2, -0.1], [0.05, 0.12]]
        [output]
        checkpoint_every = 5
        "#
    )
}

#[test]
fn nothing_crosses_and_threads_do_not_matter() {
    for model in ["constraint", "fem"] {
        let end = |threads: usize| {
            on_threads(threads, || {
                let mut world = common::scene(&busy(model)).world().unwrap();
                for _ in 0..12 {
                    world.advance();
                    if threads == 1 {
                        let verdict = world.judge();
                        assert!(verdict.is_clean(), "{model}: {verdict:?}");
                    }
                }
                world.hash()
            })
        };
        let one = end(1);
        for threads in [2, 3, 8] {
            assert_eq!(end(threads), one, "{model}: {threads} threads");
        }
    }
}

#[test]
fn a_state_saved_before_between_and_after_cuts_goes_on_like_one_that_was_not() {
    for model in ["constraint", "fem"] {
        let folder = tempfile::tempdir().unwrap();
        let scene = common::scene(&busy(model));
        let mut world = scene.world().unwrap();
        // Cuts are made when frames 3, 5 and 6 go on; those at 0.0667 and 0.1334 s wait for the next frame.
        let mut saved = Vec::new();
        for frame in 0..7 {
            if [3, 4, 6].contains(&frame) {
                saved.push(checkpoint::save(&scene, &world, folder.path()).unwrap());
            }
            world.advance();
        }
        for path in saved {
            let mut resumed = scene.build_as_given().map(|built| built.world).unwrap();
            checkpoint::load(&scene, &mut resumed, &path).unwrap();
            while resumed.frame() < world.frame() {
                resumed.advance();
            }
            assert_eq!(resumed.hash(), world.hash(), "{model}: {}", path.display());
        }
    }
}

#[test]
fn a_run_that_is_cut_after_it_was_resumed_ends_like_one_that_was_not_resumed() {
    let parent = tempfile::tempdir().unwrap();
    let scene = common::scene(&busy("constraint"));
    let end = |name: &str, stop| recorded(&whole_run(&scene, &parent.path().join(name), stop));
    assert!(end("whole", None) == end("resumed", Some(5)));
}

#[test]
fn records_have_one_topology_with_lips_on_each_other_until_they_are_cut() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("run");
    let mut run = Run::create(&common::scene(&level("constraint", &disc(0.2, true))), &folder).unwrap();
    let start = run.world().state().x.clone();
    while !run.is_complete() {
        run.advance().unwrap();
    }
    assert!(run.world().model().particle_count() < start.len(), "a piece was taken away");
    let reader = RunReader::open(&folder).unwrap();
    let world = reader.world();
    assert!(world.model().particle_count() > start.len(), "lips are doubled");
    assert_eq!(world.recorded_count(), run.world().recorded_count());
    let inside = piece(world, DVec3::ZERO);
    // A lip of the piece and its counterpart are a kerf apart at rest.
    let rest = &world.model().rest;
    let outside: Vec<usize> = (0..rest.len()).filter(|i| !inside.contains(i)).collect();
    let pairs: Vec<(usize, usize)> = inside
        .iter()
        .flat_map(|i| outside.iter().map(move |j| (*i, *j)))
        .filter(|(i, j)| rest[*i].distance(rest[*j]) < 0.8e-3)
        .collect();
    assert!(pairs.len() > 10);
    for frame in 0..reader.frame_count() {
        let x = reader.positions(frame).unwrap();
        assert_eq!(x.len(), world.model().particle_count());
        if frame <= 6 {
            assert!(pairs.iter().all(|(i, j)| x[*i] == x[*j]), "frame {frame}");
        } else {
            assert!(inside.iter().all(|i| x[*i] == x[inside[0]]), "frame {frame}: the piece is gone");
        }
    }
}

#[test]
fn cuts_that_cannot_be_made_are_refused() {
    let refused = |rest: &str| match common::scene(&level("constraint", rest)).world().unwrap_err() {
        BuildError::World(error @ WorldError::Scissors { .. }) => error.to_string(),
        other => panic!("{other}"),
    };
    let cut = |path: &str| format!("[[scissors]]\ncloth = \"cloth-1\"\n{path}");
    let outside = refused(&cut("path = [[0.0, 0.0], [0.4, 0.0], [0.0, 0.1]]"));
    assert!(
        outside.starts_with("scissors 1 cannot cut cloth \"cloth-1\": point 2 of its path is 0.1500 m outside"),
        "{outside}"
    );
    assert!(refused(&cut("path = [[0.1, 0.0], [0.1, 0.001]]")).contains("quarter of an edge"));
    assert!(refused(&cut("path = [[0.0, 0.0], [0.1, 0.0]]\nremove = [0.2, 0.2]")).contains("nothing of the cloth"));
    assert!(refused(&cut("path = [[0.0, 0.0], [0.1, 0.0]]\nremove = [0.2, 0.3]")).contains("outside of the cloth"));
    let twice = format!("{}\n{}", disc(0.0, true), cut("at = 0.1\nremove = [0.0, 0.0]"));
    assert!(refused(&twice).contains("taken away before"));
    assert!(refused(&cut("remove = [0.0, 0.0]")).contains("nothing of the cloth"));
}
