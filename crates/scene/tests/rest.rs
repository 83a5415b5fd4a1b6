//! Cloth that keeps its place rests until something stirs it, whatever the model, and the same after a resume.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use toile::World;
use toile_scene::{Scene, checkpoint};

/// A cloth that lies on a box, which begins to rise after two seconds.
fn on_a_box(model: &str, rest: bool) -> World {
    scene_with_a_box(model, rest).world().unwrap()
}

fn scene_with_a_box(model: &str, rest: bool) -> Scene {
    let text = format!(
        r#"
        time = {{ duration = 4.0, frame_rate = 30 }}
        solver = {{ model = "{model}", rest = {rest} }}
        [[cloth]]
        position = [0.0, 0.11, 0.0]
        shape = {{ kind = "grid", size = [0.2, 0.2], vertices = [7, 7] }}
        [[obstacle]]
        path = [{{ time = 2.0, position = [0.0, 0.0, 0.0] }}, {{ time = 3.0, position = [0.0, 0.1, 0.0] }}]
        shape = {{ kind = "box", size = [0.4, 0.2, 0.4] }}
        "#
    );
    common::scene(&text)
}

#[test]
fn cloth_that_lies_still_rests_until_its_ground_moves() {
    for model in ["constraint", "fem"] {
        let mut world = on_a_box(model, true);
        let reports: Vec<_> = (0..60).map(|_| world.advance()).collect();
        let asleep = reports.iter().position(|report| report.substeps == 0).unwrap();
        assert!((8..45).contains(&asleep), "{model}: from frame {asleep} on");
        assert!(reports[asleep..].iter().all(|r| r.substeps == 0 && r.top_speed == 0.0), "{model}");
        assert!(reports[asleep..].iter().all(|r| r.obstacle_contacts == 49), "{model}: contacts are told all the same");
        let height = world.state().x[24].y;
        for _ in 0..45 {
            let report = world.advance();
            assert!(world.judge().is_clean() && (report.time >= 3.0 || report.substeps > 0), "{model}");
        }
        let risen = world.state().x[24].y - height;
        assert!((risen - 0.1).abs() < 0.002, "{model}: it is lifted by {risen} m");
    }
}

#[test]
fn without_rest_it_goes_on() {
    let mut world = on_a_box("constraint", false);
    assert!((0..60).map(|_| world.advance()).all(|report| report.substeps > 0));
}

#[test]
fn cloth_in_free_fall_and_cloth_on_a_string_do_not_rest() {
    let text = r#"
        [[cloth]]
        position = [0.0, 2.0, 0.0]
        shape = { kind = "grid", size = [0.2, 0.2], vertices = [5, 5] }
        [[cloth]]
        position = [1.0, 2.0, 0.0]
        shape = { kind = "grid", size = [0.2, 0.2], vertices = [5, 5] }
        hold = [{ vertices = [0], until = 1.0 }]
        "#;
    let mut world = common::scene(text).world().unwrap();
    assert!((0..40).map(|_| world.advance()).all(|report| report.substeps > 0));
}

fn advance(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance();
    }
}

#[test]
fn a_resumed_run_rests_in_the_same_frame() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene_with_a_box("fem", true);
    let mut whole = scene.world().unwrap();
    let first = (0..60).position(|_| whole.advance().substeps == 0).unwrap() as u32;
    for before in [1, 4, 0] {
        let mut world = on_a_box("fem", true);
        advance(&mut world, first - before);
        let path = checkpoint::save(&scene, &world, folder.path()).unwrap();
        let mut resumed = on_a_box("fem", true);
        checkpoint::load(&scene, &mut resumed, &path).unwrap();
        advance(&mut resumed, before + 1);
        assert_eq!((resumed.frame(), resumed.rests()), (first + 1, true));
        assert_eq!(resumed.state().x, whole.state().x);
    }
}
