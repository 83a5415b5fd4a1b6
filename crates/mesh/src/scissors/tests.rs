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

/// A square of two panels side by side, sewn along z at x = 0; the right one is drawn half a metre further right and turned by a right
/// angle.
fn two_panels() -> (TriMesh, Layout) {
    let mesh = sheet();
    let flat: Vec<[DVec2; 3]> = mesh.faces().map(|f| mesh.corners(f).map(|p| DVec2::new(p.x, p.z))).collect();
    let is_right = |t: &[DVec2; 3]| t.iter().map(|p| p.x).sum::<f64>() > 0.0;
    let panel: Vec<u32> = flat.iter().map(|t| u32::from(is_right(t))).collect();
    let drawn = |t: &[DVec2; 3]| if is_right(t) { t.map(|p| p.perp() + DVec2::X * 0.5) } else { *t };
    let layout = Layout::new(mesh.vertex_count(), &mesh.triangles, flat.iter().map(drawn).collect(), panel);
    (mesh, layout)
}

#[test]
fn a_panel_is_unpicked_along_its_seam() {
    let (mesh, mut layout) = two_panels();
    // A path that ends at the seam splits one of its edges and leaves it whole.
    layout.slit(0, &path(&[[-0.3, 0.04], [0.2, 0.05]]), 0).unwrap();
    layout.unpick(1, 1);
    let keep = vec![true; layout.triangles.len()];
    let parts = |slits: u32, keep: &[bool]| {
        let parting = part(&layout.triangles, &layout.cuts(slits), keep);
        let mesh = TriMesh::from_indices(vec![DVec3::ZERO; parting.origin.len()], &parting.triangles);
        let topology = Topology::new(&mesh);
        let border = topology.edges.iter().filter(|edge| edge.is_border()).count();
        (topology.part_count, border)
    };
    let rim = 2 * (10 + 8);
    let (slit, seam) = (layout.cuts(1).len(), layout.cuts(2).len() - layout.cuts(1).len());
    assert!((8..=9).contains(&seam), "{seam} edges of the seam, one of which may have been split");
    assert_eq!((parts(0, &keep), parts(1, &keep)), ((1, rim), (1, rim + 2 * slit)));
    assert_eq!(parts(2, &keep), (2, rim + 2 * (slit + seam)));
    let left: Vec<bool> = layout.panel.iter().map(|panel| *panel == 0).collect();
    assert_eq!(parts(2, &left), (1, rim / 2 + 2 * slit + seam), "half of the rim, and the seam is border now");
    let area: f64 = (0..left.len()).filter(|f| left[*f]).map(|f| layout.signed_area(f).abs()).sum();
    assert!((area - 0.5 * mesh.area()).abs() < 1e-12);
}

/// Length of an edge in the first triangle at it [m].
fn edge_length(layout: &Layout, [a, b]: CutEdge) -> f64 {
    let face = layout.at_edge(a, b)[0];
    layout.corner_at(face, a).unwrap().distance(layout.corner_at(face, b).unwrap())
}

/// A quarter of a disc whose two straight sides are sewn together, as those of a dart are: a cone.
#[test]
fn a_path_ends_at_the_side_of_a_dart_it_comes_from() {
    let (rings, steps) = (6_u32, 8_u32);
    let place = |ring: u32, step: u32| {
        let angle = 0.5 * std::f64::consts::PI * f64::from(step) / f64::from(steps);
        DVec2::from_angle(angle) * (0.05 * f64::from(ring + 1))
    };
    // The last step is the first one, at another place.
    let vertex = |ring: u32, step: u32| VertexId(ring * steps + step % steps);
    let (mut triangles, mut flat) = (Vec::new(), Vec::new());
    for (ring, step) in (0..rings - 1).flat_map(|ring| (0..steps).map(move |step| (ring, step))) {
        for corners in [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]] {
            triangles.push(corners.map(|(a, b)| vertex(ring + a, step + b)));
            flat.push(corners.map(|(a, b)| place(ring + a, step + b)));
        }
    }
    for [from, to] in [[[0.15, 0.15], [0.17, -0.1]], [[0.15, 0.15], [-0.1, 0.17]]] {
        let count = triangles.len();
        let mut layout = Layout::new((rings * steps) as usize, &triangles, flat.clone(), vec![0; count]);
        layout.slit(0, &path(&[from, to]), 0).unwrap();
        let cuts = layout.cuts(1);
        let parting = part(&layout.triangles, &cuts, &vec![true; layout.triangles.len()]);
        assert_eq!(parting.origin.len(), layout.vertex_count() + cuts.len() - 1, "both ends are tips: the dart holds");
        // The slit is as long as the way from its first point to the side of the dart.
        let [from, to] = [from, to].map(DVec2::from);
        let side = if to.x < 0.0 { from.x / (from.x - to.x) } else { from.y / (from.y - to.y) };
        let known = from.distance(to) * side;
        let length: f64 = cuts.iter().map(|edge| edge_length(&layout, *edge)).sum();
        assert!((length / known - 1.0).abs() < 0.1, "{length} instead of {known}");
    }
    let mut layout = Layout::new((rings * steps) as usize, &triangles, flat, vec![0; triangles.len()]);
    let inner = layout.slit(0, &path(&[[0.28, 0.01], [0.01, 0.01], [0.01, 0.28]]), 0).unwrap_err();
    assert!(matches!(inner, PathError::Outside { point: 1, .. }), "{inner:?}");
}
