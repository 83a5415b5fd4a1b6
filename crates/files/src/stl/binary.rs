//! Binary STL: 80 bytes of anything, a count, then 50 bytes per triangle: normal, three corners, two spare bytes.

use toile_mesh::{DVec3, TriMesh};

use super::weld::weld;
use crate::{ParseError, Place, mesh_file::element_count};

const HEADER: usize = 84;
const RECORD: usize = 50;
/// Where the corners start in a record, after the normal.
const CORNERS: usize = 12;

fn triangle_count(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(80..HEADER)?.as_array()?))
}

fn length_of(triangles: u32) -> u64 {
    HEADER as u64 + RECORD as u64 * u64::from(triangles)
}

pub(super) fn parse(bytes: &[u8]) -> Result<TriMesh, ParseError> {
    let Some(count) = triangle_count(bytes) else {
        let reason = format!("{} bytes are neither the 84 of a binary header nor text with \"solid\"", bytes.len());
        return Err(ParseError::new(Place::Whole, reason, "this is not an STL file, or a part of one: copy it again"));
    };
    if length_of(count) != bytes.len() as u64 {
        let reason = format!("{count} triangles make {} bytes, the file has {}", length_of(count), bytes.len());
        return Err(ParseError::new(Place::Byte(80), reason, "the file is cut off or not STL: export it again"));
    }
    element_count(3 * u64::from(count), "corners", Place::Byte(80))?;
    let mut corners = Vec::with_capacity(3 * count as usize);
    for (i, record) in bytes[HEADER..].as_chunks::<RECORD>().0.iter().enumerate() {
        for (k, raw) in record[CORNERS..RECORD - 2].as_chunks::<12>().0.iter().enumerate() {
            let at = HEADER + RECORD * i + CORNERS + 12 * k;
            corners.push(read_corner(raw, at)?);
        }
    }
    Ok(weld(corners))
}

fn read_corner(raw: &[u8; 12], at: usize) -> Result<DVec3, ParseError> {
    let mut position = [0.0; 3];
    for (i, (x, raw)) in position.iter_mut().zip(raw.as_chunks::<4>().0).enumerate() {
        let value = f32::from_le_bytes(*raw);
        if !value.is_finite() {
            let reason = format!("coordinate {value} is not finite");
            let remedy = "repair the mesh: every coordinate must be finite";
            return Err(ParseError::new(Place::Byte((at + 4 * i) as u64), reason, remedy));
        }
        *x = f64::from(value);
    }
    Ok(position.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(values: &[f32]) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes.extend((values.len() as u32 / 9).to_le_bytes());
        for triangle in values.chunks(9) {
            bytes.extend([0xff; 12]);
            bytes.extend(triangle.iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0xff; 2]);
        }
        bytes
    }

    #[test]
    fn two_triangles_share_an_edge_and_their_normals_are_not_read() {
        let values = [0., 0., 0., 1., 0., 0., 0.1, 1., 0., 0.1, 1., 0., 1., 0., 0., 1., 1., 0.];
        let mesh = parse(&file(&values)).unwrap();
        let tenth = DVec3::new(f64::from(0.1_f32), 1.0, 0.0);
        let positions = vec![DVec3::ZERO, DVec3::X, tenth, DVec3::new(1.0, 1.0, 0.0)];
        assert_eq!(mesh, TriMesh::from_indices(positions, &[[0, 1, 2], [2, 1, 3]]));
    }

    #[test]
    fn the_byte_of_a_bad_coordinate_is_named() {
        let mut values = [0.5_f32; 18];
        values[9 + 4] = f32::INFINITY;
        let bytes = file(&values);
        let error = parse(&bytes).unwrap_err();
        let Place::Byte(at) = error.place else { panic!("{error}") };
        assert_eq!(bytes[at as usize..][..4], f32::INFINITY.to_le_bytes());
        assert_eq!(at, 84 + 50 + 12 + 16);
    }
}
