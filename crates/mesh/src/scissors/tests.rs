use std::collections::BTreeSet;

use glam::{DVec2, DVec3};
use proptest::prelude::*;

use super::*;
use crate::generate::{Diagonals, disc, grid};
use crate::{Topology, TriMesh, VertexId, judge};

/// A mesh cut along paths, with what belongs to it.
struct Cut {
    layout: Layout,
    edges: BTreeSet<CutEdge>,
    parting: Parting,
}

fn cut(mesh: &TriMesh, paths: &[Vec<DVec2>]) -> Result<Cut, PathError> {
    let mut layout = Layout::of_flat_mesh(mesh);
    for path in paths {
        layout.slit(0, path, 0)?;
    }
    let edges = layout.cuts(1);
    let keep = vec![true; layout.triangles.len()];
    let parting = part(&layout.triangles, &edges, &keep);
    Ok(Cut { layout, edges, parting })
}

impl Cut {
    /// The mesh in its plane, with lips a kerf apart.
    fn mesh(&self, width: f64) -> TriMesh {
        let kerf = Kerf::new(&self.layout, &self.parting, width);
        let mut positions = vec![DVec3::ZERO; self.parting.origin.len()];
        for (t, flat) in self.parting.triangles.iter().zip(&kerf.flat) {
            for (v, p) in t.iter().zip(flat) {
                positions[*v as usize] = DVec3::new(p.x, 0.0, p.y);
            }
        }
        TriMesh { positions, triangles: self.parting.triangles.iter().map(|t| t.map(VertexId)).collect() }
    }

    fn euler(&self) -> usize {
        let mesh = self.mesh(0.0);
        mesh.vertex_count() + mesh.face_count() - Topology::new(&mesh).edges.len()
    }

    fn parts(&self) -> u32 {
        Topology::new(&self.mesh(0.0)).part_count
    }
}

fn sheet() -> TriMesh {
    grid([1.0, 0.8], [11, 9], Diagonals::Alternating)
}

fn path(points: &[[f64; 2]]) -> Vec<DVec2> {
    points.iter().map(|p| DVec2::from(*p)).collect()
}

/// Euler's characteristic is 1 for a disc, 0 with one hole and 2 for two discs.
#[test]
fn cuts_change_the_topology_as_theory_says() {
    let ring: Vec<[f64; 2]> = (0..=12)
        .map(|k| f64::from(k % 12) * std::f64::consts::TAU / 12.0)
        .map(|a| [0.2 * a.cos() + 0.013, 0.2 * a.sin() - 0.007])
        .collect();
    for (what, paths, euler, parts) in [
        ("a slit inside", vec![path(&[[-0.21, 0.03], [0.17, 0.11]])], 0, 1),
        ("a slit from the border", vec![path(&[[-0.5, 0.033], [0.17, 0.11]])], 1, 1),
        ("a cut right through", vec![path(&[[-0.5, 0.033], [0.0, 0.2], [0.5, 0.11]])], 2, 2),
        ("a closed path", vec![path(&ring)], 1, 2),
        (
            "two slits that cross inside",
            vec![path(&[[-0.3, 0.0], [0.3, 0.02]]), path(&[[0.01, -0.3], [0.03, 0.3]])],
            0,
            1,
        ),
        (
            "two cuts through that cross",
            vec![path(&[[-0.5, 0.0], [0.5, 0.02]]), path(&[[0.01, -0.4], [0.03, 0.4]])],
            4,
            4,
        ),
        ("a short slit", vec![path(&[[0.1, 0.1], [0.14, 0.1]])], 0, 1),
    ] {
        let cut = cut(&sheet(), &paths).unwrap();
        assert_eq!((cut.euler(), cut.parts()), (euler, parts), "{what}");
        assert!(judge::self_intersections(&cut.mesh(1e-4)).is_clean(), "{what}");
    }
}

#[test]
fn a_path_along_grid_lines_splits_nothing() {
    let mesh = sheet();
    let cut = cut(&mesh, &[path(&[[-0.5, 0.1], [0.2, 0.1], [0.2, 0.4]])]).unwrap();
    assert_eq!(cut.layout.triangles.len(), mesh.face_count());
    assert_eq!(cut.edges.len(), 7 + 3);
    // Two ends at the border, nine vertices between them.
    assert_eq!(cut.parting.origin.len(), mesh.vertex_count() + 11);
}

#[test]
fn a_path_may_begin_and_end_outside() {
    let across = |z: [f64; 2], far: f64| cut(&sheet(), &[path(&[[-far, z[0]], [0.0, 0.1], [far, z[1]]])]).unwrap();
    // The same lines, cut off where the sheet ends.
    let (long, short) = (across([0.4, -0.3], 1.0), across([0.25, -0.1], 0.5));
    assert_eq!(long.parting, short.parting);
    assert_eq!(long.parts(), 2);
    let ball = cut(&disc(0.5, 6), &[path(&[[-1.0, 0.1], [0.1, 0.0], [0.3, 1.0]])]).unwrap();
    assert_eq!((ball.parts(), ball.euler()), (2, 2));
}

#[test]
fn a_vertex_beside_the_path_is_moved_onto_it() {
    // A tenth of an edge beside a row of vertices.
    let cut = cut(&sheet(), &[path(&[[-0.25, 0.11], [0.25, 0.11]])]).unwrap();
    let on_path = |v: u32| {
        let face = cut.layout.around(v)[0];
        cut.layout.corner_at(face, v).is_some_and(|p| (p.y - 0.11).abs() < 1e-12)
    };
    assert!(cut.edges.iter().flatten().all(|v| on_path(*v)));
    assert_eq!(cut.layout.triangles.len(), sheet().face_count() + 4, "only the tips are new");
}

#[test]
fn what_is_no_path_is_refused() {
    let refused = |points: &[[f64; 2]]| cut(&sheet(), &[path(points)]).map(|_| ()).unwrap_err();
    let outside = refused(&[[0.0, 0.0], [0.7, 0.0], [0.1, 0.1]]);
    assert!(matches!(outside, PathError::Outside { point: 1, distance } if (distance - 0.2).abs() < 1e-12));
    assert!(matches!(refused(&[[0.8, 0.0], [0.7, 0.0]]), PathError::Outside { point: 0, .. }));
    assert_eq!(refused(&[[0.1, 0.1], [0.1, 0.1]]), PathError::NoLength);
    assert_eq!(refused(&[[0.0, 0.0]]), PathError::NoLength);
    // A sheet with a corner cut out, and a path across the corner.
    let mut mesh = sheet();
    let corner = |t: &[VertexId; 3]| {
        t.iter().all(|v| mesh.positions[v.index()].x > -1e-9 && mesh.positions[v.index()].z > -1e-9)
    };
    mesh.triangles = mesh.triangles.iter().filter(|t| !corner(t)).copied().collect();
    let left = cut(&mesh, &[path(&[[0.3, -0.2], [-0.2, 0.3]])]).map(|_| ()).unwrap_err();
    assert!(matches!(left, PathError::Leaves { point: 0, at } if at.x.abs().min(at.y.abs()) < 0.03), "{left:?}");
}

#[test]
fn a_piece_is_what_hangs_together() {
    let cut = cut(&sheet(), &[path(&[[-0.5, 0.1], [0.5, 0.1]])]).unwrap();
    let (face, _) = cut.layout.locate(DVec2::new(0.0, 0.3), 0).unwrap();
    let inside = piece_of(&cut.layout.triangles, &cut.edges, face);
    let area: f64 = (0..inside.len()).filter(|f| inside[*f]).map(|f| cut.layout.signed_area(f).abs()).sum();
    assert!((area - 0.3).abs() < 1e-12);
    let keep: Vec<bool> = inside.iter().map(|i| !i).collect();
    let left = part(&cut.layout.triangles, &cut.edges, &keep);
    let used: BTreeSet<u32> = left.triangles.iter().flatten().copied().collect();
    assert_eq!(used.len(), left.origin.len(), "no vertex without triangles is left");
    assert_eq!(left.faces.len(), inside.iter().filter(|i| !**i).count());
}

/// Shape of a triangle: 1 with equal sides, 0 without area.
fn shape([a, b, c]: [DVec2; 3]) -> f64 {
    let sides = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
    2.0 * 3.0_f64.sqrt() * (b - a).perp_dot(c - a).abs() / sides
}

proptest! {
    /// Any zigzag on two kinds of meshes: the area stays, no triangle is turned over or a sliver, the mesh stays manifold, copies are as
    /// many as fans, and lips a kerf apart do not touch.
    #[test]
    fn any_path_leaves_a_good_mesh(
        round in any::<bool>(),
        paths in prop::collection::vec(prop::collection::vec((-0.33..0.33_f64, -0.33..0.33_f64), 2..5), 1..3),
    ) {
        let mesh = if round { disc(0.5, 5) } else { sheet() };
        let paths: Vec<Vec<DVec2>> = paths.iter().map(|p| p.iter().map(|(x, z)| DVec2::new(*x, *z)).collect()).collect();
        let cut = cut(&mesh, &paths);
        // Paths within a quarter of an edge come to nothing.
        prop_assume!(!matches!(cut, Err(PathError::NoLength)));
        let cut = cut.unwrap();
        let layout = &cut.layout;
        let area: f64 = (0..layout.triangles.len()).map(|f| layout.signed_area(f)).sum();
        let unsigned: f64 = (0..layout.triangles.len()).map(|f| layout.signed_area(f).abs()).sum();
        prop_assert!((area.abs() - mesh.area()).abs() < 1e-12 && (unsigned - mesh.area()).abs() < 1e-12);
        let worst = layout.flat.iter().map(|t| shape(*t)).fold(1.0, f64::min);
        prop_assert!(worst > 0.01, "{worst}");
        let topology = Topology::new(&cut.mesh(0.0));
        prop_assert!(topology.non_manifold.is_empty());
        let border = topology.edges.iter().filter(|e| e.is_border()).count();
        let before = Topology::new(&mesh).edges.iter().filter(|e| e.is_border()).count();
        prop_assert_eq!(border, before + 2 * cut.edges.len(), "every edge of the paths has two lips");
        prop_assert!(judge::self_intersections(&cut.mesh(2e-4)).is_clean());
        // Places of vertices follow from the first mesh.
        let places = layout.spread(&mesh.positions);
        for (t, flat) in layout.triangles.iter().zip(&layout.flat) {
            for (v, p) in t.iter().zip(flat) {
                prop_assert!(places[*v as usize].distance(DVec3::new(p.x, 0.0, p.y)) < 1e-12);
            }
        }
    }
}
