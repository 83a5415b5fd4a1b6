//! Same scene, same bits: whatever the number of threads, and every time.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use toile::{FrameReport, PhaseTimes};
use toile_mesh::DVec3;

/// Everything at once: a spinning ball and a plate on its way, gusts, a moving hand that lets go, two cloths that touch
/// themselves and each other. More particles than one task of any parallel loop of the contacts takes.
fn busy(method: &str, friction_law: &str) -> String {
    format!(
        r#"
        [time]
        frame_rate = 30
        substeps = 2
        [solver]
        method = "{method}"
        smoothing = 0.001
        [forces]
        wind = [0.4, 0.0, 0.3]
        gust = 0.8
        gust_frequency = 3.0
        [contact]
        friction_law = "{friction_law}"
        [[cloth]]
        position = [0.0, 0.33, 0.0]
        rotation_deg = [5.0, 10.0, 3.0]
        bend_min = 0.8
        shape = {{ kind = "grid", size = [0.96, 0.84], vertices = [23, 20] }}
        [[cloth.hold]]
        vertices = [0, 1, 2]
        until = 0.4
        path = [{{ time = 0.0 }}, {{ time = 0.5, offset = [0.4, 0.3, 0.2] }}]
        [[cloth]]
        position = [0.1, 0.4, 0.05]
        shape = {{ kind = "disc", radius = 0.3, rings = 5 }}
        [[obstacle]]
        shape = {{ kind = "sphere", radius = 0.25 }}
        friction = 0.6
        spin = 1.5
        spin_axis = [0.2, 1.0, 0.0]
        [[obstacle]]
        position = [0.9, 0.2, 0.0]
        rotation_deg = [0.0, 20.0, 0.0]
        velocity = [-0.8, 0.0, 0.0]
        shape = {{ kind = "box", size = [0.1, 0.6, 0.6] }}
        [[obstacle]]
        position = [0.0, -0.2, 0.0]
        shape = {{ kind = "plane" }}
        "#
    )
}

/// Frames of the busy scene; the hand lets go before the last.
const FRAMES: u32 = 20;

/// What a run leaves behind: hash, positions, and the reports without their times.
type Trace = (u64, Vec<DVec3>, Vec<FrameReport>);

fn trace(text: &str, frames: u32, threads: usize) -> Trace {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = common::scene(text).world().unwrap();
        let without_times = |report| FrameReport { times: PhaseTimes::default(), ..report };
        let reports = (0..frames).map(|_| without_times(world.advance())).collect();
        (world.hash(), world.state().x.clone(), reports)
    })
}

#[track_caller]
fn assert_same(a: &Trace, b: &Trace, what: &str) {
    for (a, b) in a.2.iter().zip(&b.2) {
        assert_eq!(a, b, "{what}");
    }
    let bits = |trace: &Trace| trace.1.iter().map(|p| p.to_array().map(f64::to_bits)).collect::<Vec<_>>();
    assert!(bits(a) == bits(b), "{what}: other positions");
    assert_eq!(a.0, b.0, "{what}: other hash");
}

fn is_the_same_for_any_number_of_threads(method: &str, friction_law: &str) {
    let text = busy(method, friction_law);
    let one = trace(&text, FRAMES, 1);
    let busy = |r: &FrameReport| r.near_pairs > 0 && r.obstacle_contacts > 0;
    assert!(one.2.iter().any(busy), "the scene is not busy: {:?}", one.2.last());
    for threads in [1, 2, 3, 8] {
        assert_same(&one, &trace(&text, FRAMES, threads), &format!("{method}, {threads} threads"));
    }
}

#[test]
fn sweeps_give_the_same_bits_for_any_number_of_threads() {
    is_the_same_for_any_number_of_threads("sweep", "scaled");
}

#[test]
fn chains_give_the_same_bits_for_any_number_of_threads() {
    is_the_same_for_any_number_of_threads("chains", "coulomb");
}

#[test]
fn a_cloth_of_several_tasks_per_loop_gives_the_same_bits() {
    // The loops with the largest tasks take 4096 particles each.
    let text = r#"
        [time]
        substeps = 1
        [solver]
        method = "chains"
        adaptive = false
        [forces]
        wind = [1.0, 0.5, 0.2]
        [[cloth]]
        rotation_deg = [90.0, 0.0, 30.0]
        shape = { kind = "grid", size = [1.0, 1.0], vertices = [90, 80] }
        [[cloth.hold]]
        vertices = [0, 89]
        [[obstacle]]
        position = [0.0, 1.0, 0.1]
        velocity = [0.0, 0.0, -0.5]
        shape = { kind = "sphere", radius = 0.09 }
    "#;
    let one = trace(text, 2, 1);
    assert!(one.2[1].obstacle_contacts > 0, "{:?}", one.2[1]);
    for threads in [2, 3, 8] {
        assert_same(&one, &trace(text, 2, threads), &format!("{threads} threads"));
    }
}

#[test]
fn the_hash_tells_states_apart() {
    let mut world = common::scene("[[cloth]]\nshape = { kind = \"grid\", vertices = [4, 4] }").world().unwrap();
    let start = world.hash();
    let _ = world.advance();
    let first = world.hash();
    assert_ne!(start, first);
    let mut state = world.state().clone();
    state.x[5].y = state.x[5].y.next_up();
    assert!(world.set_state(1, state));
    assert_ne!(first, world.hash());
}
