//! Cloth never passes through obstacles, itself or other cloth: every frame is judged, from the first to the last.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod common;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// What the judge says of all frames together.
#[derive(Default)]
struct Sum {
    cloth: usize,
    obstacles: usize,
    /// Frames in which something touched.
    touching: usize,
    /// The first bad verdict, with the scene.
    first: String,
    /// How far along −z any particle came [m].
    pushed: f64,
}

/// Judges the start and `frames` frames of a scene.
fn judge(text: &str, frames: u32) -> Sum {
    let mut world = common::scene(text).world().unwrap();
    let mut sum = Sum::default();
    for frame in 0..=frames {
        if frame > 0 {
            let report = world.advance();
            assert_eq!(report.non_finite, 0, "frame {frame} of\n{text}");
            let farthest = world.state().x.iter().map(|x| -x.z).fold(f64::NEG_INFINITY, f64::max);
            sum.pushed = sum.pushed.max(farthest);
            sum.touching += usize::from(report.obstacle_contacts + report.near_pairs > 0);
        }
        let verdict = world.judge();
        assert_eq!(verdict.unjudged, 0);
        if !verdict.is_clean() && sum.first.is_empty() {
            sum.first = format!("{verdict:?} in\n{text}");
        }
        sum.cloth += verdict.cloth;
        sum.obstacles += verdict.obstacles;
    }
    sum
}

#[track_caller]
fn assert_clean(text: &str, frames: u32) {
    let sum = judge(text, frames);
    assert_eq!((sum.cloth, sum.obstacles), (0, 0), "first: {}", sum.first);
    assert!(sum.touching > 0, "the test needs contacts");
}

fn held_disc(self_collision: bool) -> String {
    format!(
        r#"
        [solver]
        iterations = 8
        [contact]
        self_collision = {self_collision}
        [[cloth]]
        position = [0.0, 1.2, 0.0]
        bend_min = 0.8
        shape = {{ kind = "disc", radius = 0.5, rings = 10 }}
        [[cloth.hold]]
        near = [0.5, 1.2, 0.0]
        radius = 0.06
        "#
    )
}

#[test]
fn a_disc_held_at_one_end_does_not_cross_itself() {
    assert_clean(&held_disc(true), 60);
}

#[test]
fn without_self_collision_it_does() {
    assert!(judge(&held_disc(false), 60).cloth > 0);
}

fn coarse_tablecloth(triangles: bool) -> String {
    format!(
        r#"
        [solver]
        iterations = 8
        [contact]
        triangles = {triangles}
        guard = {triangles}
        [[cloth]]
        position = [0.0, 0.79, 0.0]
        rotation_deg = [0.0, 20.0, 0.0]
        bend_min = 0.8
        shape = {{ kind = "grid", size = [1.2, 1.2], vertices = [7, 7] }}
        [[obstacle]]
        friction = 0.4
        shape = {{ kind = "table", radius = 0.4, thickness = 0.03, height = 0.75 }}
        [[obstacle]]
        shape = {{ kind = "plane" }}
        "#
    )
}

#[test]
fn a_coarse_cloth_keeps_out_of_the_rim_of_a_table() {
    assert_clean(&coarse_tablecloth(true), 60);
}

#[test]
fn with_particles_alone_it_does_not() {
    assert!(judge(&coarse_tablecloth(false), 60).obstacles > 0);
}

#[test]
fn a_cloth_falls_onto_the_corner_of_a_box() {
    assert_clean(
        r#"
        [[cloth]]
        position = [0.02, 0.42, 0.01]
        bend_min = 0.8
        shape = { kind = "grid", size = [0.8, 0.8], vertices = [13, 13] }
        [[obstacle]]
        friction = 0.5
        rotation_deg = [45.0, 0.0, 35.264]
        shape = { kind = "box", size = [0.4, 0.4, 0.4] }
        [[obstacle]]
        position = [0.0, -0.4, 0.0]
        shape = { kind = "plane" }
        "#,
        45,
    );
}

#[test]
fn a_cloth_falls_over_a_thin_rod() {
    assert_clean(
        r#"
        [[cloth]]
        position = [0.03, 0.3, 0.0]
        rotation_deg = [0.0, 15.0, 0.0]
        bend_min = 0.8
        shape = { kind = "grid", size = [0.7, 0.5], vertices = [15, 11] }
        [[obstacle]]
        friction = 0.3
        rotation_deg = [90.0, 0.0, 0.0]
        shape = { kind = "capsule", radius = 0.01, height = 1.0 }
        "#,
        45,
    );
}

#[test]
fn two_cloths_fall_onto_each_other_on_a_ball() {
    assert_clean(
        r#"
        [[cloth]]
        position = [0.0, 0.22, 0.0]
        bend_min = 0.8
        shape = { kind = "grid", size = [0.6, 0.6], vertices = [11, 11] }
        [[cloth]]
        position = [0.05, 0.4, 0.03]
        rotation_deg = [0.0, 40.0, 0.0]
        bend_min = 0.8
        shape = { kind = "disc", radius = 0.3, rings = 5 }
        [[obstacle]]
        friction = 0.5
        shape = { kind = "sphere", radius = 0.2 }
        [[obstacle]]
        position = [0.0, -0.3, 0.0]
        shape = { kind = "plane" }
        "#,
        45,
    );
}

#[test]
fn a_fast_ball_hits_a_hanging_cloth() {
    let sum = judge(
        r#"
        [[cloth]]
        position = [0.0, 0.0, 0.0]
        rotation_deg = [90.0, 0.0, 0.0]
        bend_min = 0.8
        shape = { kind = "grid", size = [0.8, 0.8], vertices = [13, 13] }
        [[cloth.hold]]
        near = [-0.4, 0.4, 0.0]
        [[cloth.hold]]
        near = [0.4, 0.4, 0.0]
        [[obstacle]]
        position = [0.05, -0.1, 0.7]
        velocity = [0.0, 0.0, -3.0]
        shape = { kind = "sphere", radius = 0.12 }
        "#,
        24,
    );
    assert_eq!((sum.cloth, sum.obstacles), (0, 0), "first: {}", sum.first);
    // After 0.8 s the ball has passed the plane of the cloth by more than a metre.
    assert!(sum.pushed > 0.3, "the ball went through: {} m", sum.pushed);
}

#[test]
fn a_ribbon_piles_up_on_the_floor() {
    assert_clean(
        r#"
        [solver]
        iterations = 10
        [[cloth]]
        position = [0.0, 0.65, 0.0]
        rotation_deg = [0.0, 0.0, 90.0]
        bend_min = 0.8
        shape = { kind = "ribbon", length = 1.2, width = 0.1, segments = [48, 4] }
        [[obstacle]]
        friction = 0.5
        shape = { kind = "plane" }
        "#,
        45,
    );
}

#[test]
fn a_border_that_is_pressed_together_does_not_cross_itself() {
    // Found among random scenes: cloth shape and place, method, obstacle.
    let cases = [
        (
            "chains",
            "vertices = [7, 9] }\nposition = [-0.028873768544459853, 0.6144269752737217, 0.0]\n\
             rotation_deg = [5.567866435671965, -22.02237090641714, 46.78463689132979]",
            "rotation_deg = [-22.349888541597313, 142.8990109354537, 41.69199192882026]\nfriction = 0.7032356185107125\n\
             shape = { kind = 'capsule', radius = 0.05138420351831878, height = 0.07168454400903175 }",
        ),
        (
            "chains",
            "vertices = [11, 9] }\nposition = [0.04654482321801792, 0.7932509221974103, 0.0]\n\
             rotation_deg = [11.797529340305115, -125.9231839763801, -32.374930358372346]",
            "friction = 0.8136804440326433\nshape = { kind = 'sphere', radius = 0.11852479646763286 }",
        ),
        (
            "sweep",
            "vertices = [16, 13] }\nposition = [-0.05906970184055852, 0.855622854412685, 0.0]\n\
             rotation_deg = [-47.72502482319735, 82.74442811865515, 52.838894776362146]",
            "rotation_deg = [-56.19646417642606, -34.26613402430074, -23.64765529264792]\nfriction = 0.26817772431646214\n\
             shape = { kind = 'cylinder', radius = 0.13622083657271503, height = 0.1343953046739263 }",
        ),
    ];
    for (method, cloth, obstacle) in cases {
        assert_clean(
            &format!(
                "[solver]\nmethod = '{method}'\n[[cloth]]\nbend_min = 0.8\n\
                 shape = {{ kind = 'grid', size = [0.5, 0.4], {cloth}\n[[obstacle]]\n{obstacle}\n\
                 [[obstacle]]\nposition = [0.0, -0.3, 0.0]\nshape = {{ kind = 'plane' }}\n"
            ),
            45,
        );
    }
}

/// Cloth that hangs between two boxes which close until they overlap by 6 cm, and of which one or both part again.
fn pinched(model: &str, triangulate: bool, both_part: bool) -> String {
    let plate = |side: f64| {
        let key = |time: f64, z: f64| format!("{{ time = {time}, position = [0.0, 0.4, {}] }}", side * z);
        let parted = if both_part || side < 0.0 { 0.3 } else { 0.07 };
        let path = [key(0.3, 0.2), key(0.8, 0.07), key(1.0, 0.07), key(1.4, parted)].join(", ");
        format!(
            "[[obstacle]]\nposition = [0.0, 0.4, {}]\nshape = {{ kind = 'box', size = [0.2, 0.2, 0.2] }}\n\
             triangulate = {triangulate}\npath = [{path}]\n",
            0.2 * side
        )
    };
    format!(
        "[solver]\nmodel = '{model}'\n[[cloth]]\nposition = [0.0, 0.5, 0.0]\nrotation_deg = [90.0, 0.0, 0.0]\n\
         shape = {{ kind = 'grid', size = [0.5, 0.5], vertices = [11, 11] }}\nhold = [{{ vertices = [0, 10] }}]\n{}{}",
        plate(1.0),
        plate(-1.0)
    )
}

#[test]
fn cloth_between_plates_that_overlap_is_held_and_recovers_when_they_part() {
    let text = pinched("constraint", false, true);
    let mut world = common::scene(&text).world().unwrap();
    let reports: Vec<_> = (0..75).map(|_| world.advance()).collect();
    assert!(reports.iter().any(|r| r.squeezed > 0), "the plates leave no room");
    assert!(reports.iter().all(|r| r.non_finite == 0 && r.top_speed < 100.0), "nothing explodes");
    assert!(world.judge().is_clean() && reports[74].squeezed == 0, "it is free again");
    assert!(reports[74].largest_stretch < 1.1, "{}", reports[74].largest_stretch);
}

#[test]
fn cloth_between_meshes_that_overlap_is_led_out_on_its_side_when_they_part() {
    for (model, both_part) in [("constraint", true), ("constraint", false), ("fem", true), ("fem", false)] {
        let mut world = common::scene(&pinched(model, true, both_part)).world().unwrap();
        let reports: Vec<_> = (0..75).map(|_| world.advance()).collect();
        assert!(reports.iter().any(|r| r.squeezed > 0), "the boxes leave no room");
        let fastest = reports.iter().map(|r| r.top_speed).fold(0.0, f64::max);
        assert!(
            reports.iter().all(|r| r.non_finite == 0) && fastest < 10.0,
            "{model}: nothing explodes: {fastest} m/s"
        );
        assert!(reports[45..].iter().all(|r| r.squeezed == 0), "{model}: it is free soon after");
        assert!(world.judge().is_clean() && reports[74].largest_stretch < 1.05, "{model}");
        // The box that stays is at z = 0.07 ± 0.1: the cloth is before it, as it was.
        let behind = world.state().x.iter().filter(|x| (x.y - 0.4).abs() < 0.1 && x.z > 0.17).count();
        assert_eq!(behind, 0, "{model}");
    }
}

#[test]
fn a_run_resumed_while_meshes_pinch_cloth_goes_on_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let scene = common::scene(&pinched("constraint", true, false));
    let mut world = scene.world().unwrap();
    (0..27).for_each(|_| _ = world.advance());
    let path = toile_scene::checkpoint::save(&scene, &world, folder.path()).unwrap();
    let mut resumed = scene.build_as_given().map(|built| built.world).unwrap();
    toile_scene::checkpoint::load(&scene, &mut resumed, &path).unwrap();
    for _ in 27..40 {
        assert_eq!(world.advance().squeezed, resumed.advance().squeezed);
        assert_eq!(world.hash(), resumed.hash());
    }
}

/// A cloth of some shape, tilted, that falls onto an obstacle of some kind and size, and onto the floor.
fn small_scene() -> impl Strategy<Value = String> {
    let size = 0.06..0.25_f64;
    let obstacle = prop_oneof![
        size.clone().prop_map(|r| format!("{{ kind = 'sphere', radius = {r} }}")),
        [size.clone(), size.clone(), size.clone()].prop_map(|s| format!("{{ kind = 'box', size = {s:?} }}")),
        (0.01..0.1_f64, size.clone()).prop_map(|(r, h)| format!("{{ kind = 'capsule', radius = {r}, height = {h} }}")),
        [size.clone(), size].prop_map(|[r, h]| format!("{{ kind = 'cylinder', radius = {r}, height = {h} }}")),
    ];
    let cloth = prop_oneof![
        (5..10_u32, 5..10_u32)
            .prop_map(|(a, b)| format!("{{ kind = 'grid', size = [0.5, 0.4], vertices = [{a}, {b}] }}")),
        (2..5_u32).prop_map(|rings| format!("{{ kind = 'disc', radius = 0.25, rings = {rings} }}")),
        (10..20_u32).prop_map(|n| format!("{{ kind = 'ribbon', length = 0.7, width = 0.1, segments = [{n}, 2] }}")),
    ];
    let angles = || [-60.0..60.0_f64, -180.0..180.0, -60.0..60.0];
    (obstacle, cloth, angles(), angles(), 0.6..0.9_f64, -0.1..0.1_f64, 0.0..1.0_f64, prop_oneof!["sweep", "chains"])
        .prop_map(|(obstacle, cloth, turned, tilted, height, aside, friction, method)| {
            format!(
                r"
                [solver]
                method = '{method}'
                [[cloth]]
                position = [{aside}, {height}, 0.0]
                rotation_deg = {tilted:?}
                bend_min = 0.8
                shape = {cloth}
                [[obstacle]]
                rotation_deg = {turned:?}
                friction = {friction}
                shape = {obstacle}
                [[obstacle]]
                position = [0.0, -0.3, 0.0]
                shape = {{ kind = 'plane' }}
                "
            )
        })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 16,
        max_shrink_iters: 0,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]
    #[test]
    fn random_small_scenes_keep_out_of_obstacles(text in small_scene()) {
        let sum = judge(&text, 30);
        prop_assert_eq!(sum.obstacles, 0, "first: {}", sum.first);
    }

    #[test]
    fn random_small_scenes_do_not_cross_themselves(text in small_scene()) {
        let sum = judge(&text, 30);
        prop_assert_eq!(sum.cloth, 0, "first: {}", sum.first);
    }
}
