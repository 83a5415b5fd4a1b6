//! Scans spoiled on purpose.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use toile_body::import::{Axis, ImportSettings, Unit, decimate, import};
use toile_body::measure::{self, Landmarks};
use toile_body::{Figure, Given, Kind, Measurement, Pose, Specification, draft};
use toile_mesh::{DVec3, Topology, TriMesh, generate, judge, signed_volume};

fn body(figure: Figure, pose: Pose) -> TriMesh {
    draft(&Specification { triangles: 8_000, pose, ..Specification::new(figure, Given::NONE) }).unwrap().mesh
}

fn a_pose() -> Pose {
    Specification::new(Figure::Neutral, Given::NONE).pose
}

fn compare(mesh: &TriMesh, original: &TriMesh, allowed: f64) {
    let read = |mesh: &TriMesh| measure::read(mesh, &Landmarks::find(mesh).unwrap());
    let (is, expected) = (read(mesh), read(original));
    for m in Measurement::ALL.into_iter().filter(|m| m.kind() == Kind::Girth) {
        assert!((is[m] - expected[m]).abs() < allowed, "{m:?}: {} instead of {}", is[m], expected[m]);
    }
    for m in [Measurement::Height, Measurement::Inseam] {
        assert!((is[m] - expected[m]).abs() < 2.0 * allowed, "{m:?}: {} instead of {}", is[m], expected[m]);
    }
}

/// Removes the triangles within a distance of places.
fn torn(mut mesh: TriMesh, places: &[(DVec3, f64)]) -> TriMesh {
    let middle = |t: &[toile_mesh::VertexId; 3]| t.iter().map(|v| mesh.positions[v.index()]).sum::<DVec3>() / 3.0;
    let keep: Vec<bool> =
        mesh.triangles.iter().map(|t| places.iter().all(|(p, r)| middle(t).distance(*p) > *r)).collect();
    let mut kept = keep.iter();
    mesh.triangles.retain(|_| *kept.next().unwrap());
    mesh
}

/// The vertex nearest to a place.
fn nearest(mesh: &TriMesh, place: DVec3) -> DVec3 {
    *mesh.positions.iter().min_by(|a, b| a.distance(place).total_cmp(&b.distance(place))).unwrap()
}

#[test]
fn a_spoiled_scan_becomes_the_body_again() {
    for figure in [Figure::Female, Figure::Male] {
        let original = body(figure, a_pose());
        let crown = nearest(&original, DVec3::new(0.0, 2.0, 0.0));
        let places = [
            (crown, 0.03),
            (nearest(&original, DVec3::new(0.1, 1.2, -1.0)), 0.035),
            (nearest(&original, DVec3::new(0.3, 0.6, 0.0)), 0.03),
            (nearest(&original, DVec3::new(-0.1, 0.0, 0.0)), 0.03),
        ];
        let mut scan = torn(original.clone(), &places);
        scan.append(&generate::icosphere(0.05, 2).map_positions(|p| p + DVec3::new(0.6, 0.2, 0.3)));
        scan.append(&generate::plane([0.3, 0.3], [4, 4]).map_positions(|p| p - DVec3::new(0.0, 0.1, 0.0)));
        // Millimetres, z up, looking along −y; inside out.
        let mut scan = scan.map_positions(|p| 1000.0 * DVec3::new(p.x, -p.z, p.y) + DVec3::new(30.0, -700.0, 12.0));
        for t in &mut scan.triangles {
            t.swap(0, 1);
        }
        let (mesh, report) = import(scan, &ImportSettings::default()).unwrap();
        assert_eq!((report.unit, report.turned), (Unit::Millimetres, true));
        assert_eq!((report.up.to_string(), report.front.to_string()), ("+z".to_owned(), "−y".to_owned()));
        assert_eq!((report.left_out[0], report.closed[0]), (2, 4), "{report}");
        assert!(Topology::new(&mesh).is_closed() && signed_volume(&mesh) > 0.0);
        assert!(judge::self_intersections(&mesh).is_clean());
        let [is, expected] = [&mesh, &original].map(|m| m.bounds().max.y);
        assert!((is - expected).abs() < 4e-3, "{is} {expected} {report}");
        compare(&mesh, &original, 4e-3);
    }
}

#[test]
fn decimated_bodies_keep_their_measurements() {
    let original = draft(&Specification { triangles: 40_000, ..Specification::new(Figure::Female, Given::NONE) });
    let original = original.unwrap().mesh;
    let settings = ImportSettings { triangles: Some(10_000), ..ImportSettings::default() };
    let (mesh, report) = import(original.clone(), &settings).unwrap();
    assert!(mesh.face_count() <= 10_000 && mesh.face_count() > 9_990, "{report}");
    assert!(Topology::new(&mesh).is_closed() && judge::self_intersections(&mesh).is_clean());
    assert!((signed_volume(&mesh) / signed_volume(&original) - 1.0).abs() < 2e-3);
    compare(&mesh, &original, 6e-3);
}

#[test]
fn all_axes_and_units_are_found_with_arms_down_and_level() {
    for pose in [a_pose(), Pose::T] {
        let original = body(Figure::Male, pose);
        for unit in Unit::ALL {
            for turn in 0..3 {
                let turned = |p: DVec3| [p, DVec3::new(p.z, p.x, p.y), DVec3::new(p.y, p.z, p.x)][turn];
                let scan = original.clone().map_positions(|p| turned(p) / unit.metres());
                let (mesh, report) = import(scan, &ImportSettings::default()).unwrap();
                assert_eq!(report.unit, unit);
                assert_eq!(usize::from(report.up.number), [1, 2, 0][turn], "{report}");
                for (p, q) in mesh.positions.iter().zip(&original.positions) {
                    assert!(
                        (p.y - q.y).abs() < 1e-9
                            && (p.z - q.z - (mesh.positions[0].z - original.positions[0].z)).abs() < 1e-9
                    );
                }
            }
        }
    }
}

#[test]
fn a_body_on_its_head_is_turned_over() {
    let original = body(Figure::Neutral, a_pose());
    let scan = original.clone().map_positions(|p| DVec3::new(p.x, -p.y, -p.z));
    let (mesh, report) = import(scan, &ImportSettings::default()).unwrap();
    assert_eq!((report.up, report.front.is_negative), (Axis { number: 1, is_negative: true }, true));
    assert!(mesh.positions.iter().zip(&original.positions).all(|(p, q)| (p.y - q.y).abs() < 1e-9));
}

#[test]
fn doubled_vertices_and_surplus_triangles_are_mended() {
    let original = body(Figure::Female, a_pose());
    let mut scan = TriMesh::default();
    for f in original.faces() {
        scan.append(&TriMesh::from_indices(original.corners(f).to_vec(), &[[0, 1, 2]]));
    }
    // A fin on an edge.
    let [a, b, _] = original.corners(toile_mesh::FaceId(100));
    scan.append(&TriMesh::from_indices(vec![a, b, 1.3 * a], &[[0, 1, 2]]));
    let (mesh, report) = import(scan, &ImportSettings::default()).unwrap();
    assert_eq!((mesh.face_count(), report.dropped, report.mended), (original.face_count(), 0, 1));
    assert!(Topology::new(&mesh).is_closed());
}

#[test]
fn what_is_no_body_is_refused_with_a_remedy() {
    let refuse = |mesh: TriMesh| {
        let error = import(mesh, &ImportSettings::default()).unwrap_err();
        assert!(!error.message.is_empty() && !error.help.is_empty());
        error.message
    };
    assert!(refuse(TriMesh::default()).contains("no triangles"));
    assert!(refuse(generate::icosphere(3000.0, 2)).contains("no usual unit"));
    let mut broken = generate::icosphere(0.9, 1);
    broken.positions[3].x = f64::NAN;
    assert!(refuse(broken).contains("vertex 3"));
    let outside = TriMesh::from_indices(vec![DVec3::ZERO; 3], &[[0, 1, 7]]);
    assert!(refuse(outside).contains("missing vertex"));
}

#[test]
fn decimation_stops_where_the_shape_would_change() {
    let ball = generate::icosphere(1.0, 2);
    let least = decimate(&ball, 0);
    assert!(least.face_count() >= 4 && Topology::new(&least).is_closed());
    let torus = decimate(&generate::torus(1.0, 0.3, [40, 20]), 60);
    let topology = Topology::new(&torus);
    // Euler: V − E + F = 0.
    assert_eq!(torus.vertex_count() + torus.face_count(), topology.edges.len());
    assert!(topology.is_closed());
}
