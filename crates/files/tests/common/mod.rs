//! Small valid files for the tests of this crate.

use std::fmt::Write;

use toile_files::{
    obj::obj_bytes,
    ply::{PlyAttribute, PlyPrecision, ply_bytes},
};
use toile_mesh::{DVec3, TriMesh};

/// A wavy grid of `n × n` squares.
pub(crate) fn grid(n: u32) -> TriMesh {
    let points = (0..=n).flat_map(|i| (0..=n).map(move |j| (f64::from(i), f64::from(j))));
    let positions = points.map(|(x, z)| DVec3::new(0.1 * x, (0.7 * x + 1.3 * z).sin(), 0.1 * z)).collect();
    let corner = |i, j| i * (n + 1) + j;
    let squares = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triangles: Vec<[u32; 3]> = squares
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    TriMesh::from_indices(positions, &triangles)
}

/// A mesh as ascii PLY with `double` coordinates.
pub(crate) fn ply_ascii(mesh: &TriMesh) -> Vec<u8> {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {}\nproperty list uchar uint vertex_index\nend_header\n",
        mesh.vertex_count(),
        mesh.face_count()
    );
    for p in &mesh.positions {
        let _ = writeln!(text, "{} {} {}", p.x, p.y, p.z);
    }
    for t in &mesh.triangles {
        let _ = writeln!(text, "3 {} {} {}", t[0], t[1], t[2]);
    }
    text.into_bytes()
}

/// A mesh as ascii STL.
pub(crate) fn stl_ascii(mesh: &TriMesh) -> Vec<u8> {
    let mut text = String::from("solid test\n");
    for f in mesh.faces() {
        text += "facet normal 0 0 0\nouter loop\n";
        for p in mesh.corners(f) {
            let _ = writeln!(text, "vertex {:e} {:e} {:e}", p.x, p.y, p.z);
        }
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid test\n").into_bytes()
}

/// A mesh as binary STL.
pub(crate) fn stl_binary(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = b"solid in name only".to_vec();
    bytes.resize(80, 0);
    bytes.extend((mesh.face_count() as u32).to_le_bytes());
    for f in mesh.faces() {
        bytes.extend([0; 12]);
        for p in mesh.corners(f) {
            bytes.extend(p.to_array().iter().flat_map(|&x| (x as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

/// The mesh in every format that is read.
pub(crate) fn all_formats(mesh: &TriMesh) -> Vec<(toile_files::MeshFormat, Vec<u8>)> {
    use toile_files::MeshFormat::{Obj, Ply, Stl};
    let heat: Vec<f32> = (0..mesh.vertex_count()).map(|i| i as f32).collect();
    let heat = PlyAttribute { name: "heat", values: &heat };
    vec![
        (Obj, obj_bytes(mesh).expect("the test mesh is valid")),
        (Ply, ply_ascii(mesh)),
        (Ply, ply_bytes(mesh, PlyPrecision::Double, &[]).expect("the test mesh is valid")),
        (Ply, ply_bytes(mesh, PlyPrecision::Single, &[heat]).expect("the test mesh is valid")),
        (Stl, stl_ascii(mesh)),
        (Stl, stl_binary(mesh)),
    ]
}
