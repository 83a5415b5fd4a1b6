//! The mesh check: each defect alone, combinations, and arbitrary meshes.

use proptest::prelude::*;
use toile_mesh::check::{self, Defect, Element, MAX_PLACES, Severity};
use toile_mesh::generate::{self, Diagonals};
use toile_mesh::{DVec3, FaceId, Topology, TriMesh, VertexId, signed_volume};

fn sheet() -> TriMesh {
    generate::grid([1.0, 1.0], [4, 4], Diagonals::Same)
}

/// Checks that `mesh` has exactly the given defects, with their counts.
fn assert_defects(mesh: &TriMesh, expected: &[(Defect, usize)]) {
    let report = check::check(mesh);
    let found: Vec<_> = report.findings.iter().map(|f| (f.defect, f.count)).collect();
    assert_eq!(found, expected, "{report}");
}

/// The repaired mesh, which must pass the check.
fn repaired(mesh: TriMesh) -> TriMesh {
    let (mesh, _) = check::repair(mesh).expect("only repairs are needed");
    assert_defects(&mesh, &[]);
    mesh
}

fn refuses(mesh: TriMesh, defect: Defect) -> bool {
    check::repair(mesh).is_err_and(|report| report.count(defect) > 0)
}

#[test]
fn generated_shapes_are_clean_and_repair_leaves_them_alone() {
    let shapes = [
        sheet(),
        generate::disc(0.3, 5),
        generate::uv_sphere(0.3, 12, 7),
        generate::torus(0.5, 0.1, [16, 8]),
        generate::cuboid(DVec3::ONE, 3),
        generate::capsule(0.2, 1.0, 12, 4),
        generate::table(0.5, 0.03, 0.7, 24),
    ];
    for mesh in shapes {
        assert_defects(&mesh, &[]);
        assert_eq!(repaired(mesh.clone()), mesh);
    }
}

#[test]
fn empty_meshes_are_refused() {
    assert!(refuses(TriMesh::default(), Defect::Empty));
    let points = TriMesh { positions: sheet().positions, triangles: Vec::new() };
    assert_defects(&points, &[(Defect::Empty, 1), (Defect::IsolatedVertex, 16)]);
    assert!(refuses(points, Defect::Empty));
}

#[test]
fn a_mesh_of_which_nothing_is_left_is_refused() {
    let line = vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
    let mesh = TriMesh::from_indices(line, &[[0, 1, 2]]);
    assert_defects(&mesh, &[(Defect::Empty, 1), (Defect::ZeroArea, 1), (Defect::IsolatedVertex, 3)]);
    assert!(refuses(mesh, Defect::Empty));
}

#[test]
fn non_finite_coordinates_are_refused_and_named() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut mesh = sheet();
        mesh.positions[5].z = bad;
        assert_defects(&mesh, &[(Defect::NonFinitePosition, 1)]);
        let report = check::repair(mesh).unwrap_err();
        assert_eq!(report.findings[0].places[0].element, Element::Vertex(VertexId(5)));
    }
}

#[test]
fn indices_out_of_range_are_refused_and_named() {
    let mut mesh = sheet();
    mesh.triangles[7][2] = VertexId(16);
    assert_defects(&mesh, &[(Defect::IndexOutOfRange, 1)]);
    let report = check::repair(mesh).unwrap_err();
    let place = report.findings[0].places[0];
    assert_eq!((place.element, place.other), (Element::Face(FaceId(7)), Some(Element::Vertex(VertexId(16)))));
}

#[test]
fn edges_with_three_triangles_are_refused_once_each() {
    let mut mesh = sheet();
    mesh.positions.extend([DVec3::Y, 2.0 * DVec3::Y]);
    mesh.triangles.extend([[5, 6, 16], [5, 6, 17]].map(|t| t.map(VertexId)));
    let report = check::check(&mesh);
    assert_eq!(report.count(Defect::NonManifoldEdge), 1);
    assert_eq!(report.findings[0].places[0].element, Element::Edge([VertexId(5), VertexId(6)]));
    assert!(refuses(mesh, Defect::NonManifoldEdge));
}

#[test]
fn a_moebius_strip_is_refused() {
    let n = 8;
    let mut mesh = generate::ribbon(2.0, 0.2, [n as usize, 1]);
    // Joins the last column to the first upside down, and shapes the strip so that no vertices coincide.
    let last = |v: VertexId| match v.0 {
        v if v == n => VertexId(n + 1),
        v if v == 2 * n + 1 => VertexId(0),
        v => VertexId(v),
    };
    for t in &mut mesh.triangles {
        *t = t.map(last);
    }
    let mesh = mesh.map_positions(|p| {
        let (angle, half_turn) = (std::f64::consts::PI * p.x, 0.5 * std::f64::consts::PI * p.x);
        let r = 0.5 + p.z * half_turn.cos();
        DVec3::new(r * angle.cos(), p.z * half_turn.sin(), r * angle.sin())
    });
    let report = check::repair(mesh).unwrap_err();
    assert_eq!(report.count(Defect::NonManifoldEdge), 0, "{report}");
    assert!(report.count(Defect::NotOrientable) > 0, "{report}");
    assert_eq!(report.count(Defect::InconsistentWinding), 0, "{report}");
}

#[test]
fn doubled_vertices_are_welded() {
    // A box of six separate sides, as files with texture seams have it.
    let closed = generate::cuboid(DVec3::ONE, 2);
    let mut split = TriMesh::default();
    for sides in closed.triangles.chunks(8) {
        let start = split.vertex_count() as u32;
        let mut used: Vec<_> = sides.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        split.positions.extend(used.iter().map(|&v| closed.position(v)));
        let number = |v: VertexId| VertexId(start + used.binary_search(&v).unwrap() as u32);
        split.triangles.extend(sides.iter().map(|t| t.map(number)));
    }
    assert_defects(&split, &[(Defect::DuplicateVertex, 54 - 26)]);
    let welded = repaired(split);
    assert!(Topology::new(&welded).is_closed());
    assert_eq!(welded.vertex_count(), 26);
    assert!((signed_volume(&welded) - 1.0).abs() < 1e-14);
}

#[test]
fn zero_and_minus_zero_are_the_same_place() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(-0.0, 0.0, -0.0), -DVec3::X];
    let mesh = TriMesh::from_indices(corners, &[[0, 1, 2], [3, 2, 4]]);
    assert_defects(&mesh, &[(Defect::DuplicateVertex, 1)]);
    assert_eq!(Topology::new(&repaired(mesh)).edges.len(), 5);
}

#[test]
fn triangles_without_area_are_dropped() {
    let mut mesh = sheet();
    mesh.triangles.insert(0, [3, 3, 2].map(VertexId));
    mesh.triangles.push([0, 1, 2].map(VertexId));
    assert_defects(&mesh, &[(Defect::ZeroArea, 2)]);
    assert_eq!(repaired(mesh), sheet());
}

#[test]
fn duplicate_triangles_are_dropped_in_either_winding() {
    let mut mesh = sheet();
    let [a, b, c] = mesh.triangles[3];
    mesh.triangles.extend([[b, c, a], [c, b, a]]);
    assert_defects(&mesh, &[(Defect::DuplicateFace, 2)]);
    assert_eq!(repaired(mesh), sheet());
}

#[test]
fn the_fewer_wrongly_wound_triangles_are_flipped() {
    let mut mesh = sheet();
    for f in [0, 7, 8, 17] {
        mesh.triangles[f].swap(1, 2);
    }
    assert_defects(&mesh, &[(Defect::InconsistentWinding, 4)]);
    let normals_up = |m: &TriMesh| m.vertex_normals().iter().all(|n| n.y > 0.999);
    assert!(!normals_up(&mesh) && normals_up(&repaired(mesh)));
}

#[test]
fn each_part_is_wound_on_its_own() {
    let mut mesh = sheet();
    mesh.append(&sheet().map_positions(|p| p + DVec3::Y));
    for t in &mut mesh.triangles[18..] {
        t.swap(1, 2);
    }
    assert_defects(&mesh, &[]);
    mesh.triangles[20].swap(1, 2);
    assert_defects(&mesh, &[(Defect::InconsistentWinding, 1)]);
}

#[test]
fn isolated_vertices_are_removed_and_the_rest_renumbered() {
    let mut mesh = sheet();
    mesh.positions.insert(0, DVec3::Y);
    mesh.positions.push(-DVec3::Y);
    for t in &mut mesh.triangles {
        *t = t.map(|v| VertexId(v.0 + 1));
    }
    assert_defects(&mesh, &[(Defect::IsolatedVertex, 2)]);
    assert_eq!(repaired(mesh), sheet());
}

#[test]
fn far_and_implausibly_sized_meshes_are_warned_about_and_kept() {
    let moved = sheet().map_positions(|p| p + DVec3::new(0.0, 0.0, -2e4));
    let millimetres = sheet().map_positions(|p| 1000.0 * p);
    let shrunk = sheet().map_positions(|p| 0.001 * p);
    let cases = [
        (moved, Defect::FarFromOrigin, 16),
        (millimetres, Defect::ImplausiblyLarge, 1),
        (shrunk, Defect::ImplausiblySmall, 1),
    ];
    for (mesh, defect, count) in cases {
        assert_defects(&mesh, &[(defect, count)]);
        let (kept, report) = check::repair(mesh.clone()).unwrap();
        assert_eq!((kept, report.worst()), (mesh, Some(Severity::Warn)));
    }
}

#[test]
fn a_doubled_sheet_becomes_single() {
    let mut mesh = sheet();
    let mut back = sheet();
    for t in &mut back.triangles {
        t.swap(1, 2);
    }
    mesh.append(&back);
    assert_defects(&mesh, &[(Defect::DuplicateVertex, 16), (Defect::DuplicateFace, 18)]);
    assert_eq!(repaired(mesh), sheet());
}

#[test]
fn several_defects_are_repaired_together() {
    let mut mesh = sheet();
    mesh.triangles[4].swap(1, 2);
    let copy = mesh.triangles[9];
    mesh.triangles.push(copy);
    // A doubled corner, used by one triangle, and a sliver between the two copies.
    let doubled = VertexId::from(mesh.vertex_count());
    mesh.positions.push(mesh.positions[0]);
    mesh.triangles[0][0] = doubled;
    mesh.triangles.push([VertexId(0), doubled, VertexId(5)]);
    mesh.positions.push(DVec3::Y);
    let expected = [
        (Defect::DuplicateVertex, 1),
        (Defect::ZeroArea, 1),
        (Defect::DuplicateFace, 1),
        (Defect::InconsistentWinding, 1),
        (Defect::IsolatedVertex, 1),
    ];
    assert_defects(&mesh, &expected);
    assert_eq!(repaired(mesh), sheet());
}

#[test]
fn rejects_are_reported_together_with_the_rest() {
    let mut mesh = sheet();
    mesh.positions[15].x = f64::NAN;
    mesh.triangles[3][0] = VertexId(99);
    let copy = mesh.triangles[5];
    mesh.triangles.push(copy);
    let expected = [(Defect::NonFinitePosition, 1), (Defect::IndexOutOfRange, 1), (Defect::DuplicateFace, 1)];
    assert_defects(&mesh, &expected);
    assert!(check::repair(mesh).is_err());
}

#[test]
fn lists_are_bounded_and_counts_are_not() {
    let mut mesh = sheet();
    mesh.positions.extend((0..1000).map(|i| DVec3::new(0.0, 0.01 * f64::from(i + 1), 0.0)));
    let report = check::check(&mesh);
    let finding = report.finding(Defect::IsolatedVertex).unwrap();
    assert_eq!((finding.count, finding.places.len()), (1000, MAX_PLACES));
}

#[test]
fn findings_name_element_place_and_remedy() {
    let mut mesh = sheet();
    mesh.positions.push(mesh.positions[3]);
    assert_eq!(
        check::check(&mesh).to_string(),
        "repair: vertex 16 at (0.500000, 0.000000, -0.500000) m (vertex 3): another vertex is at the same place; \
         repaired by welding the two"
    );
    let large = sheet().map_positions(|p| 1000.0 * p);
    assert_eq!(
        check::check(&large).to_string(),
        "warning: mesh of extent 1000.000000 × 0.000000 × 1000.000000 m: the mesh is larger than clothing and \
         bodies are; if the file is in millimetres or centimetres, convert it to metres"
    );
}

fn any_mesh() -> impl Strategy<Value = TriMesh> {
    let special = prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, 1e-310, -0.0]);
    // Few bad numbers, so that a fair share of the meshes can be repaired.
    let coordinate = prop_oneof![
        300 => (-1..=1_i32).prop_map(f64::from),
        30 => -1.0..1.0_f64,
        3 => -1e300..1e300_f64,
        1 => special,
    ];
    let vertex = prop::array::uniform3(coordinate).prop_map(DVec3::from_array);
    let index = prop_oneof![400 => 0..10_u32, 1 => any::<u32>()];
    let triangle = prop::array::uniform3(index);
    (prop::collection::vec(vertex, 8..16), prop::collection::vec(triangle, 0..7))
        .prop_map(|(positions, triangles)| TriMesh::from_indices(positions, &triangles))
}

/// What a repaired mesh promises, told without the check: finite distinct vertices, all in use, and every directed
/// edge walked once.
fn is_sound(mesh: &TriMesh) -> bool {
    let mut places: Vec<_> = mesh.positions.iter().map(|p| (*p + 0.0).to_array().map(f64::to_bits)).collect();
    places.sort_unstable();
    let mut used: Vec<_> = mesh.triangles.iter().flatten().map(|v| v.index()).collect();
    used.sort_unstable();
    used.dedup();
    let mut directed: Vec<_> = mesh.triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]).collect();
    directed.sort_unstable();
    mesh.positions.iter().all(|p| p.is_finite())
        && places.windows(2).all(|w| w[0] != w[1])
        && used.into_iter().eq(0..mesh.vertex_count())
        && directed.windows(2).all(|w| w[0] != w[1])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn repair_never_panics_and_leaves_only_warnings(mesh in any_mesh()) {
        let before = check::check(&mesh);
        match check::repair(mesh) {
            Ok((mesh, report)) => {
                prop_assert_eq!(before.to_string(), report.to_string());
                prop_assert!(is_sound(&mesh));
                let after = check::check(&mesh);
                prop_assert!(after.worst() <= Some(Severity::Warn), "{}", after);
                let (again, _) = check::repair(mesh.clone()).unwrap();
                prop_assert_eq!(again, mesh);
            }
            Err(report) => {
                prop_assert_eq!(report.worst(), Some(Severity::Reject));
                prop_assert_eq!(before.to_string(), report.to_string());
            }
        }
    }

    #[test]
    fn a_shuffled_torus_is_repaired_to_a_torus(flips in prop::collection::vec(any::<bool>(), 96)) {
        let mut mesh = generate::torus(0.5, 0.1, [8, 6]);
        for (t, flip) in mesh.triangles.iter_mut().zip(flips) {
            if flip {
                t.swap(1, 2);
            }
        }
        let expected = signed_volume(&generate::torus(0.5, 0.1, [8, 6]));
        prop_assert!((signed_volume(&repaired(mesh)).abs() - expected).abs() < 1e-12);
    }
}
