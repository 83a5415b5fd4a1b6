//! The PLY writer: binary little endian, with attributes per vertex.

use std::path::Path;

use toile_mesh::TriMesh;

use crate::{
    ExportError, FileError,
    atomic::write_atomic,
    export_check::{check_finite, check_length, check_triangles, single},
};

/// Number type of the coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlyPrecision {
    /// `float`: half the size, read by every program.
    Single,
    /// `double`: reads back with the same bits.
    Double,
}

/// One number per vertex, written as `property float name`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlyAttribute<'a> {
    /// Name: letters, digits and underscores, not `x`, `y` or `z`.
    pub name: &'a str,
    /// Values, shape `[vertices]`.
    pub values: &'a [f32],
}

/// A mesh as a PLY file.
///
/// ```
/// use toile_files::{MeshFormat, parse_mesh, ply::{PlyAttribute, PlyPrecision, ply_bytes}};
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X / 3.0, DVec3::Y], &[[0, 1, 2]]);
/// let strain = PlyAttribute { name: "strain", values: &[0.0, 0.01, 0.02] };
/// let bytes = ply_bytes(&mesh, PlyPrecision::Double, &[strain]).unwrap();
/// assert_eq!(parse_mesh(MeshFormat::Ply, &bytes).unwrap(), mesh);
/// ```
pub fn ply_bytes(
    mesh: &TriMesh,
    precision: PlyPrecision,
    attributes: &[PlyAttribute<'_>],
) -> Result<Vec<u8>, ExportError> {
    let vertices = mesh.vertex_count();
    check_triangles(&mesh.triangles, vertices)?;
    check_attributes(attributes, vertices)?;
    // Corners are written as `int`, the one type that every reader knows.
    let (value, limit) = (vertices as u64, i32::MAX as u64);
    if value > limit {
        return Err(ExportError::TooLarge { what: "number of vertices", value, limit });
    }
    let mut bytes = header(mesh, precision, attributes).into_bytes();
    let size = if precision == PlyPrecision::Single { 12 } else { 24 };
    bytes.reserve(vertices * (size + 4 * attributes.len()) + mesh.face_count() * 13);
    for (vertex, &p) in mesh.positions.iter().enumerate() {
        match precision {
            PlyPrecision::Single => bytes.extend(single("position", vertex, p)?.iter().flat_map(|x| x.to_le_bytes())),
            PlyPrecision::Double if p.is_finite() => {
                bytes.extend(p.to_array().iter().flat_map(|x| x.to_le_bytes()));
            }
            PlyPrecision::Double => return Err(ExportError::NonFinite { what: "position".into(), vertex }),
        }
        bytes.extend(attributes.iter().flat_map(|a| a.values[vertex].to_le_bytes()));
    }
    for triangle in &mesh.triangles {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|v| v.0.to_le_bytes()));
    }
    Ok(bytes)
}

/// Writes a mesh as a PLY file, whole or not at all.
pub fn save_ply(
    path: &Path,
    mesh: &TriMesh,
    precision: PlyPrecision,
    attributes: &[PlyAttribute<'_>],
) -> Result<(), FileError> {
    write_atomic(path, &ply_bytes(mesh, precision, attributes).map_err(FileError::export(path))?)
}

fn check_attributes(attributes: &[PlyAttribute<'_>], vertices: usize) -> Result<(), ExportError> {
    for (i, attribute) in attributes.iter().enumerate() {
        let name = attribute.name;
        let well_formed = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let taken = ["x", "y", "z"].contains(&name) || attributes[..i].iter().any(|a| a.name == name);
        if !well_formed || taken {
            let expected = "letters, digits and underscores, each name once, not x, y or z";
            return Err(ExportError::Setting { what: "attribute name", value: format!("{name:?}"), expected });
        }
        check_length(name, attribute.values.len(), vertices)?;
        check_finite(name, attribute.values)?;
    }
    Ok(())
}

fn header(mesh: &TriMesh, precision: PlyPrecision, attributes: &[PlyAttribute<'_>]) -> String {
    let kind = if precision == PlyPrecision::Single { "float" } else { "double" };
    let mut extra = String::new();
    for attribute in attributes {
        extra += "property float ";
        extra += attribute.name;
        extra.push('\n');
    }
    format!(
        "ply\nformat binary_little_endian 1.0\ncomment units: metres, y up\nelement vertex {}\n\
         property {kind} x\nproperty {kind} y\nproperty {kind} z\n{extra}element face {}\n\
         property list uchar int vertex_indices\nend_header\n",
        mesh.vertex_count(),
        mesh.face_count()
    )
}

#[cfg(test)]
mod tests {
    use toile_mesh::DVec3;

    use super::*;

    fn triangle() -> TriMesh {
        TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X * 0.1, DVec3::Y], &[[2, 1, 0]])
    }

    #[test]
    fn bytes_are_where_the_format_says() {
        let heat = PlyAttribute { name: "heat", values: &[1.0, 2.0, 3.0] };
        let bytes = ply_bytes(&triangle(), PlyPrecision::Single, &[heat]).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("property float z\nproperty float heat\nelement face 1\n"));
        let body = &bytes[text.find("end_header\n").unwrap() + 11..];
        assert_eq!(body.len(), 3 * 16 + 13);
        assert_eq!((&body[16..20], &body[28..32]), (&0.1_f32.to_le_bytes()[..], &2.0_f32.to_le_bytes()[..]));
        assert_eq!(body[48..], [3, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn attributes_that_would_not_read_back_are_refused() {
        let three: &[f32] = &[0.0; 3];
        for (name, values) in [("x", three), ("two words", three), ("", three), ("a", &[0.0; 2]), ("a", &[f32::NAN; 3])]
        {
            let attribute = PlyAttribute { name, values };
            assert!(ply_bytes(&triangle(), PlyPrecision::Double, &[attribute]).is_err(), "{name}");
        }
        let twice = [PlyAttribute { name: "a", values: three }; 2];
        assert!(ply_bytes(&triangle(), PlyPrecision::Double, &twice).is_err());
    }

    #[test]
    fn coordinates_that_do_not_fit_are_refused() {
        let mesh = triangle().map_positions(|p| p * 1e300);
        assert!(ply_bytes(&mesh, PlyPrecision::Double, &[]).is_ok());
        let error = ply_bytes(&mesh, PlyPrecision::Single, &[]).unwrap_err();
        assert_eq!(error, ExportError::NonFinite { what: "position".into(), vertex: 1 });
    }
}
