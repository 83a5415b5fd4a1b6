//! Garments that are cut while they are worn: slit along a path on a panel, or with a panel taken away.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

#[path = "common/stops.rs"]
mod stops;

use std::ops::ControlFlow;

use stops::{on_threads, recorded, whole_run};
use toile::World;
use toile_mesh::{Topology, TriMesh};
use toile_scene::{Built, Dressed, Scene};

/// A short skirt, coarse, hardly draped, on a body; what is appended cuts it.
fn skirt(cuts: &str) -> Scene {
    let text = format!(
        r#"
        [time]
        duration = 0.15
        frame_rate = 40
        [output]
        checkpoint_every = 5
        [dressing]
        most_time = 0.1
        [contact]
        threshold = 0.001
        [[body]]
        name = "ann"
        mannequin = "woman-38"
        triangles = 3000
        [[cloth]]
        name = "skirt"
        shape = {{ kind = "garment", design = "a-line-skirt", distance = 0.05, set = ["length = 0.3", "band_height = 0"] }}
        {cuts}
        "#
    );
    Scene::from_toml("skirt.toml", &text).unwrap_or_else(|e| panic!("{e}"))
}

fn scissors(keys: &str) -> String {
    format!("[[scissors]]\ncloth = \"skirt\"\n{keys}\n")
}

/// Euler's characteristic, the number of parts, and that of the loops of the border.
fn counts(mesh: &TriMesh) -> (i64, u32, u32) {
    let topology = Topology::new(mesh);
    let count = |n: usize| i64::try_from(n).unwrap();
    let euler = count(mesh.vertex_count()) - count(topology.edges.len()) + count(mesh.face_count());
    // Loops of the border are the parts of a mesh of its edges alone, each with a tip of its own.
    let border: Vec<_> = topology.edges.iter().filter(|edge| edge.is_border()).collect();
    let mut positions = mesh.positions.clone();
    let mut triangles = Vec::new();
    for edge in &border {
        triangles.push([edge.ends[0].0, edge.ends[1].0, u32::try_from(positions.len()).unwrap()]);
        positions.push(mesh.positions[0]);
    }
    let parts = Topology::new(&TriMesh::from_indices(positions, &triangles)).part_of_vertex;
    let mut loops: Vec<u32> = border.iter().map(|edge| parts[edge.ends[0].index()]).collect();
    loops.sort_unstable();
    loops.dedup();
    (euler, topology.part_count, u32::try_from(loops.len()).unwrap())
}

fn mass(world: &World) -> f64 {
    world.model().mass.iter().sum()
}

/// Area of a panel of the pattern [m²].
fn area(dressed: &Dressed, name: &str) -> f64 {
    let panel = dressed.garments[0].flat.panels.iter().find(|panel| panel.name == name).unwrap();
    let corners = |t: &[u32; 3]| t.map(|v| panel.positions[v as usize]);
    panel.triangles.iter().map(corners).map(|[a, b, c]| 0.5 * (b - a).perp_dot(c - a)).sum()
}

/// From below the hem of the front, whose middle is at y = −0.3 m, beside the fold; the hem is a border.
const SLIT: &str = "panel = \"front\"\nat = 0.05\npath = [[0.05, -0.4], [0.06, -0.15]]";
/// From side seam to side seam.
const ACROSS: &str = "panel = \"front\"\nat = 0.05\npath = [[-0.4, -0.18], [0.0, -0.15], [0.4, -0.18]]";
const AWAY: &str = "panel = \"front\"\nat = 0.05\nremove_panel = true";

/// Advances by frames, each of which must be clean.
fn advance(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance();
        assert!(world.judge().is_clean(), "frame {}", world.frame());
    }
}

/// A skirt is a tube: Euler's characteristic 0 and two loops of border, the waist and the hem. A slit from the hem makes that
/// loop longer; one that ends at seams is a hole, for seams hold; without its front the tube is a sheet.
#[test]
fn cuts_change_a_skirt_as_theory_says_and_keep_its_mass() {
    for (keys, after) in [(SLIT, (0, 1, 2)), (ACROSS, (-1, 1, 3)), (AWAY, (1, 1, 1))] {
        let Built { mut world, dressed } = skirt(&scissors(keys)).build(&mut |_| ControlFlow::Continue(())).unwrap();
        let (areal_density, dressed) = (world.cloths()[0].fabric.areal_density, dressed.unwrap());
        let [front, back] = ["front", "back"].map(|name| area(&dressed, name) * areal_density);
        assert!(world.judge().is_clean());
        advance(&mut world, 2);
        let (border, before) = (border_length(&world), mass(&world));
        assert_eq!(counts(&world.cloth_mesh()), (0, 1, 2), "{keys}");
        assert!((before / (front + back) - 1.0).abs() < 1e-12, "{keys}");
        advance(&mut world, 3);
        assert_eq!(counts(&world.cloth_mesh()), after, "{keys}");
        let left = if keys == AWAY { back } else { front + back };
        assert!((mass(&world) / left - 1.0).abs() < 1e-12, "{keys}: {} instead of {left} kg", mass(&world));
        if keys == SLIT {
            // Both lips of a slit from y = −0.3 m, where the hem rises a little beside the middle, to −0.15 m.
            let longer = border_length(&world) - border;
            assert!((longer - 0.3).abs() < 0.03, "{longer}");
        }
    }
}

/// Length of the border where the skirt is [m].
fn border_length(world: &World) -> f64 {
    let mesh = world.cloth_mesh();
    let border = Topology::new(&mesh).edges.into_iter().filter(toile_mesh::Edge::is_border);
    border.map(|edge| edge.ends.map(|v| mesh.positions[v.index()])).map(|[a, b]| a.distance(b)).sum()
}

#[test]
fn threads_and_resumes_do_not_matter_to_a_skirt_that_is_cut() {
    let later = "panel = \"back\"\nat = 0.1\nremove_panel = true";
    let scene = skirt(&format!("{}{}", scissors(SLIT), scissors(later)));
    let folder = tempfile::tempdir().unwrap();
    let end = |name: &str, stop| {
        let run = whole_run(&scene, &folder.path().join(name), stop);
        (run.world().hash(), recorded(&run))
    };
    let one = on_threads(1, || end("one", None));
    assert!(on_threads(2, || end("two", None)) == one);
    // Stopped after frame 5, with both cuts made.
    assert!(end("again", Some(5)) == one);
}

#[test]
fn cuts_that_mean_nothing_are_refused_with_a_remedy() {
    let refused = |keys: &str| skirt(&scissors(keys)).world().unwrap_err().to_string();
    let unknown = refused("panel = \"sleeve\"\npath = [[0.0, -0.4], [0.0, -0.1]]");
    assert!(unknown.contains("no panel \"sleeve\"") && unknown.contains("front, back"), "{unknown}");
    let outside = refused("panel = \"front\"\npath = [[0.0, -0.2], [0.5, -0.2], [0.0, -0.1]]");
    assert!(outside.contains("point 2") && outside.contains("outside of the panel"), "{outside}");
    let all = format!("{AWAY}\n{}", scissors("panel = \"back\"\nremove_panel = true"));
    assert!(refused(&all).contains("nothing of the cloth would be left"));
}
