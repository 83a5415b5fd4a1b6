//! The judge against independent answers: integer arithmetic on lattice points, brute force, built cases.

mod exact_reference;

use exact_reference as reference;
use proptest::prelude::*;
use toile_mesh::generate::{self, Diagonals};
use toile_mesh::judge::{self, IntersectionKind, triangles_intersect};
use toile_mesh::{DVec3, FaceId, TriMesh, VertexId};

type LatticePoint = [i64; 3];

fn lattice_point(range: i64) -> impl Strategy<Value = LatticePoint> {
    prop::array::uniform3(-range..=range)
}

fn to_positions<const N: usize>(points: [LatticePoint; N]) -> [DVec3; N] {
    points.map(|p| DVec3::from_array(p.map(|x| x as f64)))
}

/// Whether the judge finds the pair of triangles `first` and `second`, given as numbers into `points`.
fn judge_pair(points: &[LatticePoint], first: [u32; 3], second: [u32; 3]) -> Option<IntersectionKind> {
    let positions = points.iter().map(|p| DVec3::from_array(p.map(|x| x as f64))).collect();
    let verdict = judge::self_intersections(&TriMesh::from_indices(positions, &[first, second]));
    verdict.pairs.first().map(|p| p.kind)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn separate_triangles_agree_with_integer_arithmetic_on_a_small_lattice(
        a in prop::array::uniform3(lattice_point(2)),
        b in prop::array::uniform3(lattice_point(2)),
    ) {
        prop_assert_eq!(triangles_intersect(to_positions(a), to_positions(b)), reference::triangles_intersect(a, b));
    }

    #[test]
    fn coplanar_triangles_agree_with_integer_arithmetic(
        corners in prop::collection::vec(prop::array::uniform2(-3..=3_i64), 6),
        u in lattice_point(20),
        v in lattice_point(20),
    ) {
        let point = |k: usize| [0, 1, 2].map(|i| corners[k][0] * u[i] + corners[k][1] * v[i]);
        let (a, b) = ([point(0), point(1), point(2)], [point(3), point(4), point(5)]);
        prop_assert_eq!(triangles_intersect(to_positions(a), to_positions(b)), reference::triangles_intersect(a, b));
    }

    #[test]
    fn large_coordinates_agree_with_integer_arithmetic(
        a in prop::array::uniform3(lattice_point(2)),
        b in prop::array::uniform3(lattice_point(2)),
        shift in lattice_point(1 << 30),
        nudge in prop::array::uniform3(lattice_point(1)),
    ) {
        // Nearly touching triangles, nudged by one in 2^30: beyond what floating-point products can tell apart.
        let scale = 1 << 28;
        let a = a.map(|p| [0, 1, 2].map(|i| p[i] * scale + shift[i]));
        let mut b = b.map(|p| [0, 1, 2].map(|i| p[i] * scale + shift[i]));
        for (p, n) in b.iter_mut().zip(nudge) {
            *p = [0, 1, 2].map(|i| p[i] + n[i]);
        }
        prop_assert_eq!(triangles_intersect(to_positions(a), to_positions(b)), reference::triangles_intersect(a, b));
    }

}

proptest! {
    // Degenerate pairs of these kinds are rare, and the small lattice makes them common enough.
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn triangles_with_a_shared_vertex_agree_with_integer_arithmetic(
        points in prop_oneof![prop::array::uniform5(lattice_point(1)), prop::array::uniform5(lattice_point(2))],
    ) {
        let [v, a0, a1, b0, b1] = points;
        let found = judge_pair(&points, [0, 1, 2], [3, 0, 4]);
        let expected = reference::meet_beyond_corner(v, [a0, a1], [b0, b1]);
        prop_assert_eq!(found, expected.then_some(IntersectionKind::SharedVertex));
    }

    #[test]
    fn triangles_with_a_shared_edge_agree_with_integer_arithmetic(points in prop::array::uniform4(lattice_point(1))) {
        let [u, w, a, b] = points;
        let found = judge_pair(&points, [0, 1, 2], [1, 0, 3]);
        let expected = reference::meet_beyond_edge([u, w], a, b);
        prop_assert_eq!(found, expected.then_some(IntersectionKind::SharedEdge));
    }
}

fn soup(position: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = TriMesh> {
    let vertex = prop::array::uniform3(position).prop_map(DVec3::from_array);
    let triangle = prop::array::uniform3(0..30_u32);
    (prop::collection::vec(vertex, 30), prop::collection::vec(triangle, 0..40))
        .prop_map(|(positions, triangles)| TriMesh::from_indices(positions, &triangles))
}

fn bad_or_lattice() -> impl Strategy<Value = f64> + Clone {
    let bad = prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::MAX, 1e80, -1e80, 1e-310]);
    prop_oneof![20 => (-2..=2_i32).prop_map(f64::from), 1 => bad]
}

proptest! {
    #[test]
    fn random_soups_agree_with_brute_force(mesh in soup(-1.0..1.0), other in soup(-1.0..1.0)) {
        prop_assert_eq!(judge::self_intersections(&mesh), judge::self_intersections_brute_force(&mesh));
        let brute_force = judge::mutual_intersections_brute_force(&mesh, &other);
        prop_assert_eq!(judge::mutual_intersections(&mesh, &other), brute_force);
    }

    #[test]
    fn lattice_soups_with_bad_numbers_agree_with_brute_force(
        mesh in soup(bad_or_lattice()),
        other in soup(bad_or_lattice()),
    ) {
        prop_assert_eq!(judge::self_intersections(&mesh), judge::self_intersections_brute_force(&mesh));
        let brute_force = judge::mutual_intersections_brute_force(&mesh, &other);
        prop_assert_eq!(judge::mutual_intersections(&mesh, &other), brute_force);
    }
}

fn point(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

const FLOOR: [DVec3; 3] = [DVec3::ZERO, DVec3::new(0.0, 0.0, 3.0), DVec3::new(3.0, 0.0, 0.0)];

#[test]
fn touching_at_a_point_counts() {
    let tip_inside = [point(0.7, 0.0, 0.6), point(0.7, 1.0, 0.6), point(0.8, 1.0, 0.6)];
    let tip_on_edge = [point(0.7, 0.0, 0.0), point(0.7, 1.0, 0.6), point(0.8, 1.0, 0.6)];
    let tip_on_corner = [point(3.0, 0.0, 0.0), point(3.7, 1.0, 0.6), point(3.8, 1.0, 0.6)];
    let edges_touch = [point(0.5, -1.0, 0.0), point(0.5, 1.0, 0.0), point(0.5, 0.0, -1.0)];
    for touching in [tip_inside, tip_on_edge, tip_on_corner, edges_touch] {
        assert!(triangles_intersect(FLOOR, touching), "{touching:?}");
        assert!(triangles_intersect(touching, FLOOR), "{touching:?}");
    }
}

#[test]
fn touching_along_an_edge_counts() {
    let along = [point(0.5, 0.0, 0.0), point(2.5, 0.0, 0.0), point(1.0, 1.0, 0.0)];
    assert!(triangles_intersect(FLOOR, along));
    let beside = along.map(|p| p - 3.5 * DVec3::X);
    assert!(!triangles_intersect(FLOOR, beside));
}

#[test]
fn coplanar_triangles_count_where_they_overlap() {
    let moved = |by: DVec3| FLOOR.map(|p| p + by);
    assert!(triangles_intersect(FLOOR, moved(point(1.0, 0.0, 1.0))));
    assert!(triangles_intersect(FLOOR, FLOOR.map(|p| 0.1 * p + point(0.5, 0.0, 0.5))), "contained");
    assert!(triangles_intersect(FLOOR, moved(point(3.0, 0.0, 0.0))), "corner to corner");
    assert!(!triangles_intersect(FLOOR, moved(point(3.0001, 0.0, 0.0))));
    assert!(!triangles_intersect(FLOOR, FLOOR.map(|p| point(3.1, 0.0, 3.1) - p)), "boxes overlap, triangles do not");
}

#[test]
fn the_last_bit_decides() {
    let above = |gap: f64| [point(0.7, gap, 0.6), point(0.7, 1.0, 0.6), point(0.8, 1.0, 0.6)];
    for gap in [1e-12, 1e-40, f64::MIN_POSITIVE] {
        assert!(!triangles_intersect(FLOOR, above(gap)), "misses by {gap}");
        assert!(triangles_intersect(FLOOR, above(-gap)), "crosses by {gap}");
    }
    // A slanted plane x + y + z = 3 through coordinates that are not multiples of each other.
    let slanted = [point(3.0, 0.0, 0.0), point(0.0, 3.0, 0.0), point(0.0, 0.0, 3.0)];
    let tip = |z: f64| [point(1.0, 1.0, z), point(2.0, 2.0, 2.0), point(2.0, 2.0, 2.5)];
    assert!(triangles_intersect(slanted, tip(1.0)));
    assert!(triangles_intersect(slanted, tip(1.0_f64.next_down())));
    assert!(!triangles_intersect(slanted, tip(1.0_f64.next_up())));
}

#[test]
fn degenerate_triangles_are_segments_and_points() {
    let segment = |y: f64| [point(0.5, y, 0.5), point(0.5, 2.0, 0.5), point(0.5, 1.0, 0.5)];
    assert!(triangles_intersect(FLOOR, segment(-1.0)) && triangles_intersect(segment(0.0), FLOOR));
    assert!(!triangles_intersect(FLOOR, segment(0.1)));
    let dot = |y: f64| [point(0.5, y, 0.5); 3];
    assert!(triangles_intersect(FLOOR, dot(0.0)) && !triangles_intersect(FLOOR, dot(0.1)));
    assert!(triangles_intersect(dot(1.0), segment(0.0)) && triangles_intersect(dot(1.0), dot(1.0)));
    assert!(!triangles_intersect(dot(1.0), dot(1.5)));
    let crossing = [point(0.0, 1.5, 0.5), point(1.0, 1.5, 0.5), point(0.1, 1.5, 0.5)];
    assert!(triangles_intersect(crossing, segment(0.0)));
    assert!(!triangles_intersect(crossing.map(|p| p + 0.6 * DVec3::Y), segment(0.0)));
}

#[test]
fn sheets_folded_along_an_edge_count_only_when_flat() {
    let folded = |opposite: DVec3| {
        let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Z, opposite], &[[0, 1, 2], [1, 0, 3]]);
        judge::self_intersections(&mesh).count_of(IntersectionKind::SharedEdge)
    };
    assert_eq!(folded(-DVec3::Z), 0, "flat and open");
    assert_eq!(folded(point(0.3, 1e-300, 0.5)), 0, "folded, but not quite");
    assert_eq!(folded(point(0.3, 0.0, 0.5)), 1, "folded flat");
    assert_eq!(folded(point(0.3, 0.0, 0.0)), 0, "degenerate, within the edge");
}

#[test]
fn duplicate_faces_count_in_either_winding() {
    let mesh = TriMesh::from_indices(FLOOR.to_vec(), &[[0, 1, 2], [1, 2, 0], [2, 1, 0]]);
    assert_eq!(judge::self_intersections(&mesh).count_of(IntersectionKind::SharedFace), 3);
}

#[test]
fn a_sheet_pulled_through_itself_is_caught() {
    let mut mesh = generate::grid([1.0, 1.0], [21, 21], Diagonals::Alternating);
    assert!(judge::self_intersections(&mesh).is_clean());
    // One corner is bent over and its tip pushed through the sheet.
    for neighbour in [1, 21, 22] {
        mesh.positions[neighbour].y = 0.02;
    }
    mesh.positions[0] = point(-0.31, -0.01, -0.32);
    let verdict = judge::self_intersections(&mesh);
    assert!(verdict.count() > 0);
    assert_eq!(verdict, judge::self_intersections_brute_force(&mesh));
    assert!(verdict.pairs.iter().any(|p| p.a == FaceId(0)));
}

#[test]
fn generated_shapes_are_clean() {
    let shapes = [
        generate::disc(0.3, 8),
        generate::uv_sphere(0.3, 16, 9),
        generate::icosphere(0.3, 3),
        generate::torus(0.5, 0.1, [20, 9]),
        generate::cuboid(point(1.0, 2.0, 3.0), 5),
        generate::cylinder(0.2, 1.0, 16),
        generate::capsule(0.2, 1.0, 12, 5),
        generate::rod(DVec3::ZERO, DVec3::ONE, 0.1, 12),
        generate::table(0.5, 0.03, 0.7, 24),
    ];
    for mesh in shapes {
        let verdict = judge::self_intersections(&mesh);
        assert!(verdict.is_clean(), "{verdict}");
    }
}

#[test]
fn unwelded_seams_are_reported() {
    let mut mesh = generate::plane([1.0, 1.0], [1, 3]);
    mesh.append(&generate::plane([1.0, 1.0], [1, 3]).map_positions(|p| p + DVec3::X));
    assert!(judge::self_intersections(&mesh).count_of(IntersectionKind::Separate) >= 3);
}

#[test]
fn mutual_pairs_name_the_first_mesh_first() {
    let cloth = generate::plane([1.0, 1.0], [1, 1]);
    let needle = TriMesh::from_indices(
        vec![DVec3::Y, point(5.0, 5.0, 5.0), point(0.1, 1.0, 0.0), point(0.25, -1.0, 0.1), point(6.0, 5.0, 5.0)],
        &[[1, 4, 0], [0, 2, 3]],
    );
    let pair = |verdict: judge::Verdict| (verdict.pairs[0].a, verdict.pairs[0].b, verdict.count());
    let (a, b, count) = pair(judge::mutual_intersections(&cloth, &needle));
    assert_eq!((b, count), (FaceId(1), 1));
    assert_eq!(pair(judge::mutual_intersections(&needle, &cloth)), (FaceId(1), a, 1));
}

#[test]
fn what_cannot_be_judged_is_never_clean() {
    let cloth = generate::plane([1.0, 1.0], [2, 2]);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e100] {
        let mut broken = cloth.clone();
        broken.positions[4].x = bad;
        assert_eq!(judge::self_intersections(&broken).unjudged, 6);
        assert!(!judge::mutual_intersections(&broken, &TriMesh::default()).is_clean());
    }
    let mut dangling = cloth;
    dangling.triangles[0][0] = VertexId(1000);
    assert_eq!(judge::self_intersections(&dangling).unjudged, 1);
}

#[test]
fn a_verdict_reads_as_a_sentence() {
    let mut mesh = TriMesh::from_indices(FLOOR.to_vec(), &[[0, 1, 2], [1, 2, 0]]);
    assert_eq!(
        judge::self_intersections(&mesh).to_string(),
        "1 intersecting pairs of triangles (0 separate, 0 sharing a vertex, 0 an edge, 1 duplicate)"
    );
    mesh.positions[0].x = f64::NAN;
    assert_eq!(
        judge::self_intersections(&mesh).to_string(),
        "0 intersecting pairs of triangles, 2 triangles not judged"
    );
}
