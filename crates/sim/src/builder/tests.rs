use std::ops::ControlFlow;

use toile_contact::{Friction, MeshObstacle, Motion, Pose, Shape};
use toile_mesh::generate::{Diagonals, grid, icosphere};
use toile_mesh::{DVec2, DVec3, TriMesh, VertexId};

use super::*;
use crate::prelude::*;
use crate::settings::{AutoLength, Response};

fn sheet() -> Cloth {
    let mesh = grid([0.4, 0.4], [5, 5], Diagonals::Alternating).map_positions(|p| p + 0.5 * DVec3::Y);
    Cloth::new("sheet", mesh, Fabric::default())
}

fn fem() -> Settings {
    let mut settings = Settings::default();
    settings.solver.model = Model::Fem;
    settings
}

fn refusal(settings: Settings, change: impl FnOnce(&mut WorldBuilder, &mut Cloth)) -> String {
    let (mut builder, mut cloth) = (WorldBuilder::new(settings), sheet());
    change(&mut builder, &mut cloth);
    builder.cloth(cloth);
    builder.build().map(|_| ()).unwrap_err().to_string()
}

fn floor(name: &str) -> Obstacle {
    Obstacle::new(name, Shape::Plane, Motion::at_rest(Pose::IDENTITY), Friction::Coulomb(0.0))
}

fn ball(name: &str, place: DVec3) -> MeshObstacle {
    MeshObstacle {
        name: name.to_owned(),
        mesh: icosphere(0.1, 2),
        deformation: None,
        motion: Motion::at_rest(Pose::at(place)),
        friction: Some(Friction::Coulomb(0.3)),
        padding: 0.0,
    }
}

#[test]
fn parts_that_cannot_be_simulated_are_refused_with_name_cause_and_remedy() {
    type Change = fn(&mut WorldBuilder, &mut Cloth);
    let cases: [(Change, &str); 16] = [
        (|_, c| c.mesh.triangles.clear(), "cloth \"sheet\": it has no triangles"),
        (|_, c| c.mesh.positions[3].x = f64::NAN, "vertex 3 is at no finite place"),
        (|_, c| c.mesh.triangles[1][2] = VertexId(99), "triangle 1 names vertex 99, there are 25"),
        (|_, c| c.mesh.triangles[0] = [VertexId(1); 3], "triangle 0 has a corner twice"),
        (|_, c| c.mesh.positions.push(DVec3::ZERO), "vertex 25 belongs to no triangle"),
        (|_, c| c.mesh.triangles[0].swap(0, 1), "wind against each other"),
        (|_, c| c.rest = vec![DVec3::ZERO; 3], "its rest shape has 3 vertices, its mesh has 25"),
        (|_, c| c.rest = vec![DVec3::ZERO; 25], "has no area in its rest shape"),
        (|_, c| c.cut = Some(Vec::new()), "it was cut in 0 triangles, its mesh has 32"),
        (|_, c| c.cut = Some(vec![[DVec2::ZERO; 3]; 32]), "triangle 0 has no area as it was cut"),
        (|_, c| c.panel = vec![0; 32], "panels or numbers of panels, but not both"),
        (|_, c| c.thickness = Some(-1.0), "`thickness` = -1 is out of range"),
        (|_, c| c.stretch_min = 2.0, "`stretch_min` = 2 is above `stretch_max`"),
        (|_, c| c.pressure = 1.0, "`pressure` needs finite elements"),
        (|b, _| _ = b.obstacle(floor("sheet")), "the name \"sheet\" is taken already"),
        (|b, _| b.friction("sheet", "moon", 0.1), "no cloth or obstacle has the name \"moon\""),
    ];
    for (change, told) in cases {
        let error = refusal(Settings::default(), change);
        assert!(error.contains(told) && error.contains("; "), "{error}");
    }
    let seam = |b: &mut WorldBuilder, _: &mut Cloth| {
        b.seam(Seam { from: ClothId(0), to: ClothId(0), pairs: vec![[0, 77]], stiffness: 1.0 });
    };
    assert!(refusal(fem(), seam).contains("seam 1 names vertex 77"));
    assert!(refusal(Settings::default(), seam).contains("seams need finite elements"));
    let hold = |b: &mut WorldBuilder, _: &mut Cloth| _ = b.hold(Hold::new(ClothId(4), vec![0]));
    assert!(refusal(fem(), hold).contains("hold 1 names cloth 4, but there are 1"));
    let nowhere = |b: &mut WorldBuilder, _: &mut Cloth| _ = b.hold(Hold::new(ClothId(0), Vec::new()));
    assert!(refusal(fem(), nowhere).contains("hold 1: it holds nothing"));
}

#[test]
fn settings_out_of_their_range_are_refused_by_name() {
    let refused = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        refusal(settings, |_, _| ())
    };
    let error = refused(|s| s.contact.threshold = AutoLength::Metres(-1.0));
    assert_eq!(error, "setting `contact.threshold`: -1 is out of range; allowed: > 0, ≤ 1");
    assert!(refused(|s| s.forces.gravity[1] = f64::NAN).contains("forces.gravity"));
    assert!(refused(|s| s.collision.dop = 7).contains("allowed: 6, 14, 18, 26"));
    assert!(refused(|s| s.contact.response = Response::Constraint).contains("needs finite elements"));
}

/// A garment modelled elsewhere: its flat corners say how large it is, not its mesh.
#[test]
fn flat_corners_are_the_cut_of_a_cloth() {
    let cloth = sheet();
    // Twice as large as it is drawn; every triangle in a place of its own.
    let corners = |(f, t): (usize, &[VertexId; 3])| {
        t.map(|v| 2.0 * DVec2::new(cloth.mesh.position(v).x, cloth.mesh.position(v).z) + f as f64 * DVec2::X)
    };
    let cut: Vec<[DVec2; 3]> = cloth.mesh.triangles.iter().enumerate().map(corners).collect();
    let mut builder = WorldBuilder::new(fem());
    builder.cloth(Cloth { cut: Some(cut), ..cloth });
    let world = builder.build().unwrap();
    let mass: f64 = world.model().mass.iter().sum();
    assert!((mass / (0.64 * Fabric::default().areal_density) - 1.0).abs() < 1e-12);
    assert!(world.model().structural.iter().all(|edge| edge.rest > 0.199));
}

#[test]
fn a_moved_obstacle_arrives_where_it_was_sent_and_carries_cloth_along() {
    for exact in [true, false] {
        let mut builder = WorldBuilder::new(Settings::default());
        builder.cloth(sheet());
        let id = if exact {
            let at = Motion::at_rest(Pose::at(0.3 * DVec3::Y));
            builder.obstacle(Obstacle::new("ball", Shape::Sphere { radius: 0.1 }, at, Friction::Coulomb(0.3)))
        } else {
            builder.mesh_obstacle(ball("ball", 0.3 * DVec3::Y))
        };
        let mut world = builder.build().unwrap();
        let mut touched = 0;
        for k in 1..=20 {
            let pose = Pose::at(DVec3::Y * (0.3 + 0.02 * f64::from(k)));
            world.move_obstacle(id, pose).unwrap();
            world.advance();
            let bounds = world.obstacle_mesh(id).bounds();
            assert!((bounds.centre() - pose.position).length() < 1e-3, "{bounds:?}");
            assert!(world.judge().is_clean());
            for contact in world.contacts() {
                assert_eq!(contact.touched, crate::Touched::Obstacle(id));
                assert!(contact.normal.is_normalized() && contact.gap < 1.1 * contact.keep && contact.gap > 0.0);
                touched += 1;
            }
        }
        let highest = world.state().x.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        assert!(highest > 0.75, "lifted to {highest}");
        assert!(touched > 0);
    }
}

#[test]
fn untangling_ends_within_a_round() {
    let tangled = || {
        let mut settings = Settings::default();
        settings.contact.untangle = true;
        let mut builder = WorldBuilder::new(settings);
        builder.cloth(sheet());
        let turn = DQuat::from_rotation_x(1.4);
        let upright =
            sheet().mesh.map_positions(|p| 0.4 * (turn * (p - 0.5 * DVec3::Y)) + DVec3::new(0.01, 0.56, 0.02));
        builder.cloth(Cloth::new("upright", upright, Fabric::default()));
        builder
    };
    let mut rounds = 0;
    let whole = tangled().build_each(&mut || {
        rounds += 1;
        ControlFlow::Continue(())
    });
    assert!(whole.unwrap().repair().is_some() && rounds > 1, "{rounds} rounds");
    for stop in 1..=rounds {
        let mut called = 0;
        let outcome = tangled().build_each(&mut || {
            called += 1;
            if called == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(outcome, Err(WorldError::Cancelled)));
        assert_eq!(called, stop);
    }
}

#[test]
fn vertices_of_a_mesh_go_where_they_are_set() {
    let mut builder = WorldBuilder::new(Settings::default());
    builder.cloth(sheet());
    let id = builder.mesh_obstacle(ball("balloon", 0.3 * DVec3::Y));
    let mut world = builder.build().unwrap();
    let start = icosphere(0.1, 2).positions;
    for k in 1..=10 {
        let grown: Vec<DVec3> = start.iter().map(|p| (1.0 + 0.1 * f64::from(k)) * *p).collect();
        world.set_obstacle_vertices(id, grown).unwrap();
        world.advance();
        assert!(world.judge().is_clean());
    }
    let radius = 0.5 * world.obstacle_mesh(id).bounds().size().x;
    assert!((radius - 0.2).abs() < 2e-3, "{radius}");
    let few = world.set_obstacle_vertices(id, Vec::new()).unwrap_err().to_string();
    assert!(few.contains("\"balloon\"") && few.contains("0 places"), "{few}");
}

#[test]
fn a_grab_holds_moves_and_throws() {
    let mut builder = WorldBuilder::new(Settings::default());
    builder.cloth(sheet());
    let mut world = builder.build().unwrap();
    let grab = world.grab(&[0, 24]).unwrap();
    assert_eq!(world.grab(&[24]).unwrap_err(), crate::MoveError::Grabbed { vertex: 24 });
    let start = [0, 24].map(|v| world.state().x[v]);
    for k in 1..=15 {
        world.move_grab(grab, DVec3::Y * (0.02 * f64::from(k))).unwrap();
        world.advance();
    }
    for (v, start) in [0, 24].into_iter().zip(start) {
        assert!((world.state().x[v] - start - 0.3 * DVec3::Y).length() < 1e-12);
    }
    world.release(grab).unwrap();
    // 2 cm in a frame of 1/30 s.
    assert!((world.state().v[0] - 0.6 * DVec3::Y).length() < 1e-9, "{}", world.state().v[0]);
    assert!(world.release(grab).is_err());
    let top = world.state().x[0].y;
    for _ in 0..15 {
        world.advance();
    }
    assert!(world.state().x[0].y < top - 0.3, "it falls");
}

/// Everything a caller moves is state: a clone, a restored world and one whose state went through bytes go on alike.
#[test]
fn a_world_restored_in_the_middle_of_moves_goes_on_with_the_same_bits() {
    let build = || {
        let mut builder = WorldBuilder::new(Settings::default());
        let cloth = builder.cloth(sheet());
        let exact = Motion::at_rest(Pose::at(DVec3::new(0.1, 0.3, 0.0)));
        let sphere = Obstacle::new("ball", Shape::Sphere { radius: 0.1 }, exact, Friction::Coulomb(0.3));
        let sphere = builder.obstacle(sphere);
        let mesh = builder.mesh_obstacle(ball("mesh", DVec3::new(-0.1, 0.25, 0.0)));
        let hold = builder.hold(Hold { fastened_to: Some(mesh), ..Hold::new(cloth, vec![4]) });
        (builder.build().unwrap(), sphere, mesh, hold)
    };
    let (mut world, sphere, mesh, hold) = build();
    let start = icosphere(0.1, 2).positions;
    let mut grab = None;
    let mut drive = |world: &mut World, k: u32| {
        let s = f64::from(k);
        let rotation = DQuat::from_rotation_z(0.05 * s);
        world.move_obstacle(sphere, Pose { position: DVec3::new(0.1, 0.3 + 0.01 * s, 0.0), rotation }).unwrap();
        world.move_obstacle(mesh, Pose { position: DVec3::new(-0.1, 0.25 + 0.005 * s, 0.0), rotation }).unwrap();
        world.set_obstacle_vertices(mesh, start.iter().map(|p| (1.0 - 0.01 * s) * *p).collect()).unwrap();
        world.move_hold(hold, 0.01 * s * DVec3::Z).unwrap();
        let id = *grab.get_or_insert_with(|| world.grab(&[20, 21]).unwrap());
        world.move_grab(id, DVec3::new(0.0, 0.01 * s, 0.0)).unwrap();
    };
    for k in 1..6 {
        drive(&mut world, k);
        world.advance();
    }
    // Moved, but not there yet.
    drive(&mut world, 6);
    let saved = world.save();
    let read = crate::SavedState::from_bytes(&saved.to_bytes()).unwrap();
    assert_eq!(read, saved);
    let (mut restored, ..) = build();
    restored.restore(&read).unwrap();
    let mut cloned = world.clone();
    for frame in 0..6 {
        for world in [&mut world, &mut restored, &mut cloned] {
            world.advance();
        }
        assert_eq!(world.hash(), restored.hash(), "frame {frame}");
        assert_eq!(world.hash(), cloned.hash(), "frame {frame}");
    }
    // And back to a start where nothing was moved.
    let (fresh, ..) = build();
    world.restore(&fresh.save()).unwrap();
    let mut fresh = fresh;
    for _ in 0..3 {
        world.advance();
        fresh.advance();
    }
    assert_eq!(world.hash(), fresh.hash());
}

#[test]
fn states_of_other_worlds_and_damaged_bytes_are_refused() {
    let world = |cells: usize| {
        let mut builder = WorldBuilder::new(Settings::default());
        let mesh = grid([0.4, 0.4], [cells, cells], Diagonals::Alternating);
        builder.cloth(Cloth::new("sheet", mesh, Fabric::default()));
        builder.build().unwrap()
    };
    let (small, mut large) = (world(4), world(5));
    let error = large.restore(&small.save()).unwrap_err().to_string();
    assert_eq!(error, "it has 16 particles, the world has 25");
    let bytes = small.save().to_bytes();
    assert!(small.saved_size(0).contains(&bytes.len()));
    for length in 0..bytes.len() {
        assert!(crate::SavedState::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
}

#[test]
fn cut_cloth_keeps_what_is_grabbed() {
    let mut builder = WorldBuilder::new(Settings::default());
    let flat = grid([0.4, 0.4], [5, 5], Diagonals::Alternating);
    let mesh = TriMesh { positions: flat.positions.clone(), triangles: flat.triangles.clone() };
    let id = builder.cloth(Cloth::new("sheet", mesh, Fabric::default()));
    // Through the vertex in the middle, which is grabbed.
    builder.cut(Cut::new(id, 0.06, vec![DVec2::new(0.0, -0.2), DVec2::new(0.0, 0.2)]));
    let mut world = builder.build().unwrap();
    let middle = (0..25).find(|v| world.state().x[*v as usize].length() < 1e-9).unwrap();
    let grab = world.grab(&[middle]).unwrap();
    let before = world.state().x.len();
    let outcome = world.run(6, &mut |_| ControlFlow::Continue(()));
    assert!(outcome.is_continue() && world.state().x.len() > before);
    let held = world.inverse_mass().iter().filter(|w| **w == 0.0).count();
    assert_eq!(held, 2, "both lips");
    world.release(grab).unwrap();
    assert!(world.inverse_mass().iter().all(|w| *w > 0.0));
}
