//! What every reader promises: valid files come back exactly, any other bytes give an error and no panic.

mod common;

use common::{all_formats, grid, ply_ascii, stl_ascii, stl_binary};
use proptest::{collection::vec, prelude::*, sample::Index};
use toile_files::{
    MeshFormat,
    obj::obj_bytes,
    parse_mesh,
    ply::{PlyAttribute, PlyPrecision, ply_bytes},
};
use toile_mesh::{DVec3, TriMesh};

const FORMATS: [MeshFormat; 3] = [MeshFormat::Obj, MeshFormat::Ply, MeshFormat::Stl];

/// Any finite number, as often as not an extreme one.
fn finite() -> impl Strategy<Value = f64> + Clone {
    let any_finite = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
    prop_oneof![any_finite, -10.0..10.0]
}

fn meshes(coordinate: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = TriMesh> {
    let positions = vec([coordinate.clone(), coordinate.clone(), coordinate], 1..20);
    (positions, vec(any::<[Index; 3]>(), 1..30)).prop_map(|(positions, triangles)| {
        let n = positions.len();
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|i| i.index(n) as u32)).collect();
        TriMesh::from_indices(positions.into_iter().map(DVec3::from).collect(), &triangles)
    })
}

/// Equality of bits, so that −0 is not 0.
fn same_bits(a: &TriMesh, b: &TriMesh) -> bool {
    let bits = |m: &TriMesh| -> Vec<[u64; 3]> { m.positions.iter().map(|p| p.to_array().map(f64::to_bits)).collect() };
    a.triangles == b.triangles && bits(a) == bits(b)
}

/// The same triangles in space, whatever the numbering.
fn same_corners(a: &TriMesh, b: &TriMesh) -> bool {
    a.face_count() == b.face_count() && a.faces().all(|f| a.corners(f) == b.corners(f))
}

/// A change to a file at a relative place.
#[derive(Clone, Debug)]
enum Edit {
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Swap(Index, Index),
    CutOff(Index),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let telling = prop::sample::select(b"0123456789-+.eE/\\# \r\n\tvfnaistlpx\0\xff".as_slice());
    let byte = prop_oneof![any::<u8>(), telling];
    let edit = prop_oneof![
        (any::<Index>(), byte.clone()).prop_map(|(i, b)| Edit::Set(i, b)),
        (any::<Index>(), vec(byte, 1..6)).prop_map(|(i, b)| Edit::Insert(i, b)),
        (any::<Index>(), 1..60_usize).prop_map(|(i, n)| Edit::Remove(i, n)),
        any::<(Index, Index)>().prop_map(|(i, j)| Edit::Swap(i, j)),
        any::<Index>().prop_map(Edit::CutOff),
    ];
    vec(edit, 1..8)
}

fn apply(edits: &[Edit], file: &mut Vec<u8>) {
    for edit in edits {
        if file.is_empty() {
            return;
        }
        let n = file.len();
        match edit {
            Edit::Set(i, byte) => file[i.index(n)] = *byte,
            Edit::Insert(i, bytes) => drop(file.splice(i.index(n)..i.index(n), bytes.iter().copied())),
            Edit::Remove(i, count) => drop(file.drain(i.index(n)..(i.index(n) + count).min(n))),
            Edit::Swap(i, j) => file.swap(i.index(n), j.index(n)),
            Edit::CutOff(i) => file.truncate(i.index(n)),
        }
    }
}

/// What a reader promises of a mesh it returns.
fn is_sound(mesh: &TriMesh) -> bool {
    let n = mesh.vertex_count();
    !mesh.triangles.is_empty()
        && mesh.positions.iter().all(|p| p.is_finite())
        && mesh.triangles.iter().flatten().all(|v| v.index() < n)
}

proptest! {
    #[test]
    fn obj_and_double_ply_come_back_with_the_same_bits(mesh in meshes(finite())) {
        prop_assert!(same_bits(&parse_mesh(MeshFormat::Obj, &obj_bytes(&mesh).unwrap()).unwrap(), &mesh));
        let heat = vec![0.5; mesh.vertex_count()];
        let attribute = PlyAttribute { name: "heat", values: &heat };
        let ply = ply_bytes(&mesh, PlyPrecision::Double, &[attribute]).unwrap();
        prop_assert!(same_bits(&parse_mesh(MeshFormat::Ply, &ply).unwrap(), &mesh));
        prop_assert!(same_bits(&parse_mesh(MeshFormat::Ply, &ply_ascii(&mesh)).unwrap(), &mesh));
    }

    #[test]
    fn single_ply_and_binary_stl_come_back_rounded_to_single(mesh in meshes(-1e30..1e30)) {
        let rounded = mesh.clone().map_positions(|p| p.to_array().map(|x| f64::from(x as f32)).into());
        let ply = ply_bytes(&mesh, PlyPrecision::Single, &[]).unwrap();
        prop_assert!(same_bits(&parse_mesh(MeshFormat::Ply, &ply).unwrap(), &rounded));
        let stl = parse_mesh(MeshFormat::Stl, &stl_binary(&mesh)).unwrap();
        prop_assert!(same_corners(&stl, &rounded));
    }

    #[test]
    fn ascii_stl_keeps_the_triangles_in_space(mesh in meshes(finite())) {
        let stl = parse_mesh(MeshFormat::Stl, &stl_ascii(&mesh)).unwrap();
        prop_assert!(same_corners(&stl, &mesh));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..300)) {
        let starts: [&[u8]; 5] = [b"", b"v 0 0 0\nf ", b"ply\nformat binary_big_endian 1.0\n", b"solid\n", &[0; 80]];
        for start in starts {
            let file = [start, &bytes].concat();
            for format in FORMATS {
                if let Ok(mesh) = parse_mesh(format, &file) {
                    prop_assert!(is_sound(&mesh));
                }
            }
        }
    }

    #[test]
    fn damaged_files_give_an_error_or_a_sound_mesh(which in any::<Index>(), edits in edits()) {
        let mut files = all_formats(&grid(2));
        let (format, mut file) = files.swap_remove(which.index(files.len()));
        apply(&edits, &mut file);
        if let Ok(mesh) = parse_mesh(format, &file) {
            prop_assert!(is_sound(&mesh));
        }
    }
}

#[test]
fn a_grid_is_the_same_in_every_format() {
    let mesh = grid(6);
    for (format, file) in all_formats(&mesh) {
        let read = parse_mesh(format, &file).unwrap();
        assert_eq!((read.vertex_count(), read.face_count()), (49, 72), "{format:?}: shared vertices are found again");
        for (a, b) in mesh.faces().flat_map(|f| std::iter::zip(mesh.corners(f), read.corners(f))) {
            assert!(a.distance(b) < 1e-6);
        }
    }
}
